"""Faults of values and their places, in the same sentences for every kind of file."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.names import quote, shorten

# Words for a place, by the unit that is counted.
UNITS: dict[str, Callable[[int], Message]] = {
    "line": lambda row: Message("collector.line_place", "line {row:,}", row=row),
    "row": lambda row: Message("collector.row_place", "row {row:,}", row=row),
    "sample": lambda row: Message("collector.sample_place", "sample {row:,}", row=row),
    "problem": lambda row: Message("collector.task_place", "problem {row:,}", row=row),
}


class Faults:
    """Raise what is at fault in a file or, with `errors="skip"`, count it by its cause.

    `with faults:` leaves out the rest of its block when an error in it is counted.

    Attributes:
        causes: the code of an error → its first message, and how often there was one.

    Examples:
        >>> faults = Faults("skip")
        >>> with faults:
        ...     raise InputError("a.fault", "Wrong.")
        >>> faults.count()
        1
    """

    def __init__(self, errors: str = "raise") -> None:
        self.skips = errors == "skip"
        self.causes: dict[str, tuple[Message, int]] = {}

    def add(self, error: InputError) -> None:
        """Raise an error, or count it."""
        if not self.skips:
            raise error
        first, count = self.causes.get(error.code, (error.message, 0))
        self.causes[error.code] = first, count + 1

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not self.skips or not isinstance(error, InputError):
            return False
        self.add(error)
        return True

    def count(self) -> int:
        """Return how many errors were counted."""
        return sum(count for _, count in self.causes.values())

    def refuse_nothing_left(self) -> None:
        """Raise if errors were counted, where nothing else is left."""
        if self.causes:
            cause, _ = next(iter(self.causes.values()))
            raise _say.error("standard.nothing_left", count=self.count(), cause=cause)


def describe_place(row: int, column: str, sample: int | None = None) -> Message:
    """Describe the place of a value in a table; all numbers are counted from 1.

    Examples:
        >>> str(describe_place(2, "correct", 3))
        'row 2, column “correct”, sample 3'
    """
    if sample is None:
        return _say("cells.place", row=row, column=shorten(column))
    return _say("cells.sample_place", row=row, column=shorten(column), sample=sample)


_say = Phrases(
    {
        "cells.problem": "The name of a problem must be text or a number; got {value} "
        "({place}).\nTo leave out such rows: {option:errors=skip}.",
        "cells.answer": "An answer must be text or a number; got {value} ({place}).",
        "cells.reference": "A reference must be text or a number, or a list of them; got {value} ({place}).",
        "cells.grade": "A grade must be true, false, or a number from 0 to 1; got {value} "
        "({place}).\nIf the worst and the best grade are others, name them, as in {scale}.",
        "cells.score": "A score must be a finite number; got {value} ({place}).",
        "cells.cost": "A cost must be a finite number; got {value} ({place}).",
        "cells.group": "The name of a group must be text, a number, true or false; got {value} ({place}).",
        "collector.long_number": "The number {value} has too many digits to be read exactly ({place}). Write it as "
        "text.",
        "cells.word": "{value} is no verdict that is known ({place}).\nIf it means a wrong sample: {wrong}. For a "
        "right one: {correct}. For one that was not judged: {unjudged}.",
        "standard.nothing_left": "Nothing is left: all {count:,} rows or samples are broken. The first fault: "
        "“{cause}”.",
        "cells.place": "row {row}, column “{column}”",
        "cells.sample_place": "row {row}, column “{column}”, sample {sample}",
    }
)

# Role → the last part of the code of its sentence, where it is another name.
_CODES = {"answers": "answer", "references": "reference", "grades": "grade", "scores": "score"}


def find_fault(role: str, value: object, place: Message) -> InputError:
    """Return the error of a value that its role cannot take.

    Examples:
        >>> str(find_fault("scores", "high", Message("cells.row", "row {row}", row=2)))
        'A score must be a finite number; got “high” (row 2).'
    """
    told = {"value": quote(value), "place": place}
    if role == "grades" and isinstance(value, str) and not value.startswith("["):
        word = [shorten(value)]
        ways = {name: Mention(**{name: word}) for name in ("wrong", "correct", "unjudged")}
        return _say.error("cells.word", **ways, **told)
    if (
        isinstance(value, float)
        and isfinite(value)
        and role not in ("grades", "scores", "cost", "weight")
    ):
        return _say.error("collector.long_number", **told)
    if role == "grades":
        told["scale"] = Mention(scale=(-1, 1) if value == -1 else (0, 100))
    return _say.error(f"cells.{_CODES.get(role, role)}", **told)

"""What is wrong with a value: the same sentence, whatever file the value stands in."""

from __future__ import annotations

from at_k.errors import InputError, Message
from at_k.readers.quoting import quote


def find_fault(role: str, value: object, place: Message) -> InputError:
    """Return the error of a value that its role cannot take.

    Examples:
        >>> str(find_fault("scores", "high", Message("cells.row", "row {row}", row=2)))
        'A score must be a finite number; got “high” (row 2).'
    """
    named = {"value": quote(value), "place": place}
    if role == "problem":
        return InputError(
            "cells.problem", "The name of a problem must be text or a number; got {value} ({place}).", **named
        )
    if role == "answers":
        return InputError("cells.answer", "An answer must be text or a number; got {value} ({place}).", **named)
    if role == "references":
        return InputError(
            "cells.reference",
            "A reference must be text or a number, or a list of them; got {value} ({place}).",
            **named,
        )
    if role == "grades":
        return InputError(
            "cells.grade", "A grade must be true, false, or a number from 0 to 1; got {value} ({place}).", **named
        )
    if role == "scores":
        return InputError("cells.score", "A score must be a finite number; got {value} ({place}).", **named)
    return InputError(
        "cells.group", "The name of a group must be text, a number, true or false; got {value} ({place}).", **named
    )


def find_long_text(text: str, limit: int | None, place: Message) -> InputError:
    """Return the error of a text that is longer than the limit.

    Examples:
        >>> str(find_long_text("word", 3, Message("cells.row", "row {row}", row=2)))
        'A text has 4 characters; the limit is 3 (row 2).'
    """
    return InputError(
        "cells.long",
        "A text has {length:,} characters; the limit is {limit:,} ({place}).",
        length=len(text),
        limit=limit,
        place=place,
    )

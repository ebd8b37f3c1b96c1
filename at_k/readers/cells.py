"""From the cell of a column, or the field of a harness, to the value of a role. A reader adds the place of a fault."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Mapping
from math import isnan, nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_chunks, to_numpy
from at_k.readers.arrays import encode, fill_numbers, is_arrow, list_cells, make_texts
from at_k.readers.files.decoding import Listed, read_list
from at_k.readers.words import (
    SHARE,
    WORDS,
    fold_word,
    is_finite,
    judge,
    name_reason,
    read_share,
    read_spelled,
    read_whole,
)
from at_k.validation import LARGEST_INTEGER

# Verdicts in one text, and what may be between them; and what makes an emoji of the sign before it.
_BITS, _MARKS, _BETWEEN = (
    re.compile("0[01]+|[01]{4,}"),
    re.compile("[,;/|]"),
    re.compile(r"[\s,;/|]+"),
)
_VARIANT = "\ufe0f"

_LARGEST = sys.float_info.max


class _Nothing:
    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOTHING"


# The marker of a column that a file does not have; None means a missing value.
NOTHING: Final = _Nothing()


class UnfitError(ValueError):
    """A value that its role cannot take.

    Attributes:
        value: the value, or the part of a list that is at fault.
    """

    def __init__(self, value: object) -> None:
        super().__init__(repr(value))
        self.value = value


def read_integers(column: Any) -> NDArray[np.int64] | None:
    """Read a column of whole numbers, which may be spelled as text; None if any cell holds something else.

    Examples:
        >>> read_integers(["0", "12"]), read_integers([0, None])
        (array([ 0, 12]), None)
    """
    if is_arrow(column) and str(column.type) == "int64" and len(column) and not column.null_count:
        return np.concatenate([fill_numbers(chunk, 0) for chunk in to_chunks(column) or ()])
    coded = encode(column)
    numbers = list(map(read_whole, coded.values))
    if None in numbers or not len(coded.codes) or coded.codes.min() < 0:
        return None
    return np.array(numbers, dtype=np.int64)[coded.codes]


def read_text(value: object) -> str:
    """Return a text that is not empty, or a number as JSON spells it."""
    if isinstance(value, str) and value:
        return value
    if not is_finite(value):
        raise UnfitError(value)
    return repr(value)


def read_name(value: object) -> str:
    """Return the name of a problem: a text, a number or, of a list of messages, what was asked, as JSON."""
    are_messages = isinstance(value, list) and bool(value) and all(map(_is_message, value))
    if are_messages:
        return str(spell_question(value))
    return read_text(value)


def _is_message(part: object) -> bool:
    return isinstance(part, dict) and "content" in part


def spell_question(cell: object) -> object:
    """Return a question as text. Of messages, what follows the last one of the user is an answer."""
    if not cell:
        return None
    if isinstance(cell, list):
        asked = [
            place
            for place, part in enumerate(cell)
            if isinstance(part, dict) and part.get("role") == "user"
        ]
        if asked:
            cell = cell[: asked[-1] + 1]
    are_parts = isinstance(cell, (list, dict))
    if are_parts:
        return json.dumps(cell, ensure_ascii=False, default=str)
    return cell


def read_answer(value: object) -> str | None:
    """Return the answer of a sample; None if there is none."""
    if value is None:
        return None
    if value == "":
        return ""
    return read_text(value)


def read_references(value: object) -> list[str]:
    """Return the correct answers of a problem, at least one."""
    if isinstance(value, Listed) and not all(isinstance(each, str) for each in value):
        return [value.text]  # an answer such as the interval [0, 1]; alternatives are strings
    if value == []:
        raise UnfitError(value)
    return [read_text(each) for each in (value if isinstance(value, list) else [value])]


def read_grade(value: object) -> float | None:
    """Return the grade of a sample; None if there is none."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise UnfitError(value)
    return float(value)


def read_score(value: object) -> float | None:
    """Return the score of a sample; None if there is none."""
    if value is None:
        return None
    if not is_finite(value) or abs(value) > _LARGEST:
        raise UnfitError(value)
    return float(value)


def read_label(value: object) -> str:
    """Return the name of a group."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return read_text(value)


# The function that reads a cell of each role. It raises `UnfitError` for what the role cannot take.
READERS: dict[str, Callable[[object], object]] = {
    "problem": read_name,
    "answers": read_answer,
    "references": read_references,
    "grades": read_grade,
    "scores": read_score,
    "cost": read_score,
    "weight": read_score,
    "attempt": read_score,
    "group": read_label,
}


class Cells:
    """Read the cells of each role as a file spells them.

    Args:
        scale: the worst and the best grade, where they are not 0 and 1.
        correct: words of right samples; without `wrong`, all others are wrong but those that are known, such as "pass".
        wrong: words of wrong samples.
        unjudged: words of samples that are missing.

    Examples:
        >>> cells = Cells(wrong=["WA"])
        >>> cells.read("grades", "AC"), cells.read("grades", "WA"), cells.fits("scores", "high")
        (1.0, 0.0, False)
        >>> Cells(wrong=["yes"]).read("grades", "no"), Cells(unjudged=["infra"]).read("grades", "infra")
        (1.0, None)
        >>> Cells(wrong=["1"]).read("grades", 0), Cells(wrong=["2", "1"]).read("grades", 1)
        (1.0, 0.0)
    """

    def __init__(
        self,
        *,
        scale: tuple[float, float] | None = None,
        correct: Collection[str] = (),
        wrong: Collection[str] = (),
        unjudged: Collection[str] = (),
    ) -> None:
        self.scale = scale
        self._words: dict[str, bool | None] = {}
        for words, verdict in ((unjudged, None), (wrong, False), (correct, True)):
            self._words |= dict.fromkeys(map(fold_word, words), verdict)
        self._others = False if correct and not wrong else NOTHING
        self._named = {*self._words}
        self._unseen = {*self._words}
        # Where 1 is wrong, 0 is right, unless words of right samples are named.
        if self._words.get("1") is False and not correct:
            self._words.setdefault("0", True)
        # Where "no" is right, "yes" is wrong.
        self._turned = any(
            WORDS.get(word) is (not is_right) for word, is_right in self._words.items()
        )

    @property
    def are_words_unseen(self) -> bool:
        """Return whether words were named, and no cell holds any of them."""
        return bool(self._named) and self._unseen == self._named

    def read(self, role: str, value: Any) -> Any:
        """Read a cell, or the value of a sample in it."""
        if role in ("grades", "scores", "cost", "weight", "attempt"):
            value = self._spell(role, value)
        return READERS[role](value)

    def _spell(self, role: str, value: Any) -> Any:
        if role == "grades" and (found := self.find_word(value)) is not NOTHING:
            return found
        spelled = read_share(read_spelled(value))
        is_graded = role == "grades" and judge(value) is None  # a word judges on any scale
        if is_graded:
            return rescale(spelled, self.scale)
        return spelled

    def find_word(self, value: object) -> object:
        """Return the verdict of a word by those that were named, None for a missing one; else NOTHING."""
        if not self._words or value is None:
            return NOTHING
        word = fold_word(value)
        self._unseen.discard(word)
        if word in self._words:
            return self._words[word]
        if word not in WORDS:
            return self._others
        known = WORDS[word]
        if self._turned and isinstance(known, bool):
            return not known
        return NOTHING

    def list_reasons(self, values: Any) -> list[str | None]:
        """List why samples are missing whose words were named for it; nothing where no words were."""
        if None in self._words.values():
            cells = list_cells(values)
        else:
            cells = []
        return [name_reason(cell) if self._is_unjudged(cell) else None for cell in cells]

    def _is_unjudged(self, value: object) -> bool:
        return value is not None and self._words.get(fold_word(value), NOTHING) is None

    def attempt(self, role: str, value: object, otherwise: object = None) -> Any:
        """Read a cell, or return something else for one that its role cannot take."""
        try:
            return self.read(role, value)
        except UnfitError:
            return otherwise

    def fits(self, role: str, value: object) -> bool:
        """Return whether a role can take a cell."""
        return self.attempt(role, value, NOTHING) is not NOTHING

    def split(self, text: object, *, are_bits: bool = False) -> list[str]:
        """Return the verdicts that one text spells, each by a character or parted from the others; none if it is one.

        With `are_bits`, 10 and 11 are two verdicts, too.

        Examples:
            >>> Cells().split("PFP"), Cells().split("1; 0; 1"), Cells().split("3/4"), Cells().split("pass")
            (['P', 'F', 'P'], ['1', '0', '1'], [], [])
        """
        if (
            not isinstance(text, str)
            or fold_word(text) in self._words
            or self._others is not NOTHING
        ):
            return []
        is_bits = self.scale is None and (are_bits or _BITS.fullmatch(text) is not None)
        if not is_bits and (read_spelled(text) is not text or SHARE.fullmatch(text.strip())):
            return []
        listed = read_list(text)  # a document may hold "[1, 0]" as a text
        if isinstance(listed, list):
            parts = list(map(str, listed))
        else:
            parts = _BETWEEN.split(text.strip())
        if len(parts) == 1 and listed is text:
            parts = ["pass" if sign == "." else sign for sign in parts[0] if sign != _VARIANT]
        values = [self._words.get(fold_word(part), read_spelled(part)) for part in parts]
        kinds = {*map(type, values)}
        are_shares = all(isinstance(value, float) and -1 <= value <= 1 for value in values)
        is_told = kinds - {type(None)} == {bool} or are_shares
        # TP is no two true verdicts, nor is ✅ PASS: there is one sign for each.
        is_odd = len({*map(str.casefold, parts)}) > len({*values}) and not _MARKS.search(text)
        return parts if is_told and (len(parts) > 1 or listed is not text) and not is_odd else []

    def read_column(self, role: str, values: Any) -> Any:
        """Read the values of samples: answers as an Arrow array, others as numbers. NaN means a missing one."""
        if role == "answers":
            return self._read_texts(values)
        return self.read_numbers(role, values)

    def _read_texts(self, values: Any) -> Any:
        import pyarrow as pa

        if hasattr(values, "type"):
            if pa.types.is_string(values.type):
                return values
            if pa.types.is_integer(values.type):
                return values.cast(pa.string())
            values = values.to_pylist()
        are_plain = {*map(type, values)} <= {str, type(None)}
        return make_texts(
            values if are_plain else [self.read("answers", value) for value in values]
        )

    def read_numbers(self, role: str, values: Any) -> np.ndarray[Any, Any]:
        """Read a column of grades, scores or costs; NaN means a missing one. Each text is read once."""
        if hasattr(values, "type"):  # held by Arrow
            numbers = self._convert(role, values)
            if numbers is not None:
                return numbers
            values = values.to_pylist()
        kinds = set(map(type, values))
        if role == "grades" and kinds == {bool} and not self._words and self.scale is None:
            return np.array(values, dtype=np.float64)
        if kinds <= {str, type(None)}:
            known = {value: self.read(role, value) for value in set(values)}
            values = map(known.__getitem__, values)
        else:
            values = [self.read(role, value) for value in values]
        return np.array([nan if value is None else value for value in values], dtype=np.float64)

    def _convert(self, role: str, values: Any) -> np.ndarray[Any, Any] | None:
        """Convert numbers that Arrow holds; None if they must be looked at one by one."""
        import pyarrow as pa

        kind = values.type
        if pa.types.is_string(kind):
            coded = encode(values)
            known = [self.read(role, text) for text in coded.values]
            return np.array([*(nan if each is None else each for each in known), nan])[
                coded.codes
            ]  # −1: the last
        plain = (
            pa.types.is_integer(kind)
            or pa.types.is_float64(kind)
            or (role == "grades" and kind == pa.bool_())
        )
        if not plain or (role == "grades" and (self.scale is not None or self._words)):
            return None
        held, present = to_numpy(values)
        numbers = held.astype(np.float64)
        if present is not None:
            numbers[~present] = nan
        with np.errstate(invalid="ignore"):
            if role == "grades":
                wrong = (numbers < 0) | (numbers > 1)
            else:
                wrong = ~np.isfinite(numbers)
        if role != "grades" and present is not None:
            wrong &= present
        return None if wrong.any() else numbers


def rescale(value: object, scale: tuple[float, float] | None) -> object:
    """Bring a number of a scale into [0, 1]; what is no number stays, and truth values where 0 and 1 are no ends.

    Examples:
        >>> rescale(4, (1, 5)), rescale(True, (0, 100)), rescale(True, (1, 0))
        (0.75, True, 0.0)
    """
    if scale is None or not isinstance(value, (int, float)):
        return value
    low, high = scale
    if isinstance(value, bool) and {low, high} != {0, 1}:
        return value
    return (value - low) / (high - low) + 0.0  # no −0


class FieldCells(Cells):
    """Read what a harness wrote for each role. It may be more than tables have: truth values and empty texts.

    Examples:
        >>> cells = FieldCells()
        >>> cells.read("answers", True), cells.read("references", ""), cells.read("group", None)
        ('true', [''], NOTHING)
    """

    def read(self, role: str, value: Any) -> Any:
        """Read a field, or the value of a sample in it."""
        if role == "grades":
            found = self.find_word(value)
            if found is NOTHING:
                value = rescale(read_spelled(value), self.scale)
            else:
                value = found
            return read_grade(value)
        if role in ("scores", "cost", "weight"):
            return read_score(None if isinstance(value, float) and isnan(value) else value)
        if role == "references":
            if isinstance(value, list):
                listed = value
            else:
                listed = [value]
            if not listed:
                raise UnfitError(value)
            return NOTHING if value is None else list(map(_spell, listed))
        if role == "problem":
            if value == "" or isinstance(value, bool):
                raise UnfitError(value)
            return _spell(value)
        if value is None:
            spelled = None
        else:
            spelled = _spell(value)
        if role == "group":
            return spelled or NOTHING
        return spelled


def keep_common(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that two mappings share.

    Examples:
        >>> keep_common({"level": 1, "seed": 1}, {"level": 1, "seed": 2})
        {'level': 1}
    """
    return {key: value for key, value in one.items() if other.get(key, NOTHING) == value}


def _spell(value: object) -> str:
    """Return a string, or a number or truth value as JSON spells it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    # Decoders of JSON make floats, which are not exact, of whole numbers that are longer.
    is_rounded = isinstance(value, float) and abs(value) >= LARGEST_INTEGER
    if is_rounded or not is_finite(value):
        raise UnfitError(value)
    return repr(value)

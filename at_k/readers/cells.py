"""From the cell of a column, or the field of a harness, to the value of a role. A reader adds the place of a fault."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Mapping
from math import inf, isnan, nan
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_numpy
from at_k.readers.arrays import encode, fill_numbers, is_arrow, list_cells, make_texts
from at_k.readers.files.decoding import Listed, read_list

# What a cell answers to the question that the name of its column asks, and what judges by itself.
_YES = "true yes y t 是 真 はい 예 oui vrai ja wahr sí si verdadero sim verdadeiro vero да"
_NO = "false no n f 否 假 いいえ 아니요 non faux nein falso não нет"
_RIGHT = (
    "p pass passed correct right solved resolved success ok ac accepted ✓ ✔ √ ✅ "
    "对 正确 通过 正しい 正解 정답 juste richtig correcto certo acertou giusto верно"
)
_WRONG = (
    "fail failed incorrect wrong unsolved unresolved failure wa tle mle rejected ✗ ✘ × ❌ "
    "错 错误 不正确 未通过 不通过 不正解 오답 falsch incorrecto errado errou sbagliato неверно"
)
_JUDGING = dict.fromkeys(_RIGHT.split(), True) | dict.fromkeys(_WRONG.split(), False)
_WORDS: dict[str, float | bool] = {
    **dict.fromkeys(_YES.split(), True),
    **dict.fromkeys(_NO.split(), False),
    **_JUDGING,
    **dict.fromkeys(("nan", "na", "n/a", "none", "null"), nan),
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII)
# A grade as people write it: "75 %", "3/4", "0,75" or "0.75 pts".
_SHARE = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*%|(\d+)\s*/\s*(\d+)|([+-]?\d+(?:,\d+|(?:[.,]\d+)?(?=\s*p)))\s*(?:pts?|points?)?",
    re.ASCII,
)

# Verdicts in one text, and what may be between them; and what makes an emoji of the sign before it.
_BITS, _MARKS, _BETWEEN = (
    re.compile("0[01]+|[01]{4,}"),
    re.compile("[,;/|]"),
    re.compile(r"[\s,;/|]+"),
)
_VARIANT = "\ufe0f"

_LARGEST = sys.float_info.max

# Whole numbers up to here are exact as floats, which is what decoders of JSON make of longer ones.
_EXACT = 2**53


class _Nothing:
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


def read_spelled(text: object) -> object:
    """Return the number or truth value that a text spells, or else the text itself.

    Examples:
        >>> read_spelled(" Yes"), read_spelled("1e-1"), read_spelled("maybe")
        (True, 0.1, 'maybe')
    """
    if not isinstance(text, str):
        return text
    word = text.strip().lower()
    if _NUMBER.fullmatch(word):
        return float(word)
    return _WORDS.get(word, text)


def judge(text: object) -> bool | None:
    """Return whether a word means right or wrong; None for others, and for those that answer a question.

    Examples:
        >>> judge("Passed"), judge("✗"), judge("yes")
        (True, False, None)
    """
    if isinstance(text, str):
        return _JUDGING.get(text.strip().lower())
    return None


def read_share(text: object) -> object:
    """Return the number that a grade in per cent, a fraction or a decimal comma spells, or else the value itself.

    Examples:
        >>> read_share("100%"), read_share("3/4"), read_share("0,5 pts"), read_share("1/0")
        (1.0, 0.75, 0.5, '1/0')
    """
    found = None
    if isinstance(text, str):
        found = _SHARE.fullmatch(text.strip())
    if found is None or (found[3] and not int(found[3])):
        return text
    if found[1]:
        return float(found[1].replace(",", ".")) / 100
    if found[3]:
        return int(found[2]) / int(found[3])
    return float(found[4].replace(",", "."))


def read_whole(value: object) -> int | None:
    """Return the whole number that a cell is, or spells; None for anything else.

    Examples:
        >>> read_whole("3"), read_whole(2.0), read_whole(True), read_whole("1/2")
        (3, 2, None, None)
    """
    value = read_spelled(value)
    if is_finite(value) and value == int(value) and abs(value) < 2**62:
        return int(value)
    return None


def read_integers(column: Any) -> NDArray[np.int64] | None:
    """Read a column of whole numbers, which may be spelled as text; None if any cell holds something else.

    Examples:
        >>> read_integers(["0", "12"]), read_integers([0, None])
        (array([ 0, 12]), None)
    """
    if is_arrow(column) and str(column.type) == "int64" and len(column) and not column.null_count:
        if hasattr(column, "chunks"):
            chunks = column.chunks
        else:
            chunks = [column]
        return np.concatenate([fill_numbers(chunk, 0) for chunk in chunks])
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


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -inf < value < inf


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


# Patterns of texts about a sample that failed; the first match counts.
_REASONS = {
    "timeout": re.compile(r"time.?out|timed.out|deadline", re.IGNORECASE),
    "not run": re.compile(r"cancel|not.run|skipped|incomplete", re.IGNORECASE),
    "infrastructure": re.compile(""),
}


def name_reason(said: object) -> str:
    """Return why a sample is missing, by what its harness says of it.

    Examples:
        >>> name_reason({"type": "AgentTimeoutError"}), name_reason("no space left"), name_reason(None)
        ('timeout', 'infrastructure', 'judge failed')
    """
    if said is NOTHING or not said or said in ("none", "unset"):
        return "judge failed"
    if isinstance(said, str):
        text = said
    else:
        text = json.dumps(said, default=str)
    return next(reason for reason, pattern in _REASONS.items() if pattern.search(text))


# What a harness writes beside a sample that ended as it should.
_FINE = {
    "",
    "ok",
    "none",
    "null",
    "nan",
    "unset",
    "completed",
    "complete",
    "finished",
    "done",
    "stop",
}


def says_failed(value: object) -> bool:
    """Return whether a cell of errors says that a sample failed.

    Examples:
        >>> says_failed("APIConnectionError"), says_failed(True), says_failed("ok"), says_failed(0)
        (True, True, False, False)
    """
    spelled = read_spelled(value)
    if isinstance(spelled, str):
        return spelled.strip().lower() not in _FINE
    if isinstance(spelled, float) and isnan(spelled):
        return False
    # "pass" and "true" are both true: only the word judges.
    return bool(spelled) and judge(value) is not True


# Words of a harness, or a service, that failed. An error of the program is a wrong sample.
_FAILURE = re.compile(r"infra|api|connection|rate.?limit|cancel|not.?run|skip|judge", re.IGNORECASE)


def speaks_of_failure(word: str) -> bool:
    """Return whether a word means that a sample was not judged.

    Examples:
        >>> speaks_of_failure("infra_error"), speaks_of_failure("runtime_error")
        (True, False)
    """
    return _FAILURE.search(word) is not None


def _fold(value: object) -> str:
    """Return a word as it is compared: in lower case, and the same for 0, 0.0 and "0.0"."""
    spelled = read_spelled(value)
    if isinstance(spelled, float) and spelled.is_integer():
        return str(int(spelled))
    return str(value).strip().casefold()


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
            self._words |= dict.fromkeys(map(_fold, words), verdict)
        self._others = False if correct and not wrong else NOTHING
        self._named = {*self._words}
        self._unseen = {*self._words}
        # Where 1 is wrong, 0 is right, unless words of right samples are named.
        if self._words.get("1") is False and not correct:
            self._words.setdefault("0", True)
        # Where "no" is right, "yes" is wrong.
        self._turned = any(
            _WORDS.get(word) is (not is_right) for word, is_right in self._words.items()
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
        word = _fold(value)
        self._unseen.discard(word)
        if word in self._words:
            return self._words[word]
        if word not in _WORDS:
            return self._others
        known = _WORDS[word]
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
        return value is not None and self._words.get(_fold(value), NOTHING) is None

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
        if not isinstance(text, str) or _fold(text) in self._words or self._others is not NOTHING:
            return []
        is_bits = self.scale is None and (are_bits or _BITS.fullmatch(text) is not None)
        if not is_bits and (read_spelled(text) is not text or _SHARE.fullmatch(text.strip())):
            return []
        listed = read_list(text)  # a document may hold "[1, 0]" as a text
        if isinstance(listed, list):
            parts = list(map(str, listed))
        else:
            parts = _BETWEEN.split(text.strip())
        if len(parts) == 1 and listed is text:
            parts = ["pass" if sign == "." else sign for sign in parts[0] if sign != _VARIANT]
        values = [self._words.get(_fold(part), read_spelled(part)) for part in parts]
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
    if not is_finite(value) or (isinstance(value, float) and abs(value) >= _EXACT):
        raise UnfitError(value)
    return repr(value)

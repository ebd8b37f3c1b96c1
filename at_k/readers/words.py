"""Meanings of words and numbers in cells: verdicts, shares, whole numbers, and why a sample is missing."""

from __future__ import annotations

import json
import re
from math import inf, isnan, nan
from typing import TypeGuard
from unicodedata import normalize

# What a cell answers to the question that the name of its column asks, and what judges by itself.
_YES = "true yes y t 是 真 はい 예 oui vrai ja wahr sí si verdadero sim verdadeiro vero да"
_NO = "false no n f 否 假 いいえ 아니요 non faux nein falso não нет"
_RIGHT = (
    "p pass passed correct right solved resolved success ok ac accepted ✓ ✔ √ ✅ ○ ◯ 〇 "
    "对 正确 通过 正しい 正解 정답 juste richtig correcto certo acertou giusto верно"
)
_WRONG = (
    "fail failed incorrect wrong unsolved unresolved failure wa tle mle re rte ce pe ole rejected ✗ ✘ × ❌ "
    "错 错误 不正确 未通过 不通过 不正解 오답 falsch incorrecto errado errou sbagliato неверно"
)
_JUDGING = dict.fromkeys(_RIGHT.split(), True) | dict.fromkeys(_WRONG.split(), False)
WORDS: dict[str, float | bool] = {
    **dict.fromkeys(_YES.split(), True),
    **dict.fromkeys(_NO.split(), False),
    **_JUDGING,
    **dict.fromkeys(("nan", "na", "n/a", "none", "null"), nan),
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII)
# A grade as people write it: "75 %", "3/4", "0,75" or "0.75 pts".
SHARE = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*%|(\d+)\s*/\s*(\d+)|([+-]?\d+(?:,\d+|(?:[.,]\d+)?(?=\s*p)))\s*(?:pts?|points?)?",
    re.ASCII,
)


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
    return WORDS.get(word, text)


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
        found = SHARE.fullmatch(text.strip())
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


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -inf < value < inf


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
    if not said or said in ("none", "unset"):
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


def fold_word(value: object) -> str:
    """Return a word as it is compared: in lower case, and the same for 0, 0.0 and "0.0"."""
    spelled = read_spelled(value)
    if isinstance(spelled, float) and spelled.is_integer():
        return str(int(spelled))
    return str(value).strip().casefold()


_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_SPACE, _POINT = re.compile(r"[^\S\t\r\n]+"), re.compile(r"(-?\d+)\.0+$")


def fold_name(name: object) -> str:
    """Return a name in one case, without invisible signs, with single spaces and NFC letters, and 1.0 as 1.

    Examples:
        >>> fold_name(" Task  1"), fold_name(2.0)
        ('task 1', '2')
    """
    shown = normalize("NFC", _SPACE.sub(" ", _INVISIBLE.sub("", str(name)))).strip().casefold()
    return _POINT.sub(r"\1", shown)

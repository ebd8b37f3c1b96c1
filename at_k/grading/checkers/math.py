"""The checker `math`."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from at_k.grading.checkers.base import Checker
from at_k.grading.numbers import Rational, read_number, to_ascii
from at_k.validation import check_flag

_DELIMITED = re.compile(r"(?<!\\)\$|\\\(|\\\[|\\boxed|\\begin\{(?:equation|align|math|displaymath)")
"""What shows that a text marks its formulas itself."""

_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}")
_FRACTION = re.compile(r"(\d*) (\d+)/(\d+)")
_POWER = re.compile(r"\^([+-]?\d+)")
_WHOLE = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_BOXED = re.compile(r"\\+f?boxed\s*\{([^{}]*)\}")
_MONEY = re.compile("[$€£¥₹₩元]|EUR|GBP|JPY|CNY|RMB|INR|CHF|euro")

_ROOT = re.compile(r"(?<![⁰¹²³⁴⁵⁶⁷⁸⁹√])√(?:(\d+(?:\.\d+)?|[A-Za-z])|\(([^()]*)\))(?!\w|\.\d|[(^{\\⁰¹²³⁴⁵⁶⁷⁸⁹⁻])")
"""A root of which it is clear where it ends: √2x has two readings."""


@dataclass(frozen=True, repr=False)
class Math(Checker):
    r"""Accept an answer that is mathematically equivalent to the reference, as decided by Math-Verify.

    It reads LaTeX and plain text: boxed answers, equations, sets, intervals, matrices, percentages. Each check runs in
    a worker process, which is ended when the check takes too long. It does the same in any thread and under asyncio.

    The order of (1, 2) and [1, 2] counts, that of \{1, 2\} does not, nor, unless `ordered`, that of a list without
    brackets: 1, 2 is the same as 2, 1.

    Math-Verify rounds to 6 decimals, and accepts 50% for 50 as well as for 0.5. Numbers that `numeric` reads and
    Math-Verify does not, such as 1 000, 2 1/2, 1e3 and €5, are accepted if they are equal.

    Args:
        ordered: whether the order of a list without brackets counts, as of one in round brackets.

    Examples:
        >>> Math()(r"\frac{1}{2}", "0.5"), Math()("x^2 + 2x + 1", "(x + 1)^2")
        (True, True)
        >>> Math()("1, 2", "2, 1"), Math(ordered=True)("1, 2", "2, 1")
        (True, False)
    """

    ordered: bool = False

    name = "math"
    slow = True
    extra = "math"
    imports = ("math_verify",)

    def __post_init__(self) -> None:
        check_flag("ordered", self.ordered)

    def decide(self, answer: str, reference: str) -> bool | None:
        """Decide equal texts, equal numbers and whole numbers here.

        Numbers that differ are left to Math-Verify, which rounds, and knows that 50% may be meant by 50.
        """
        answer, reference = answer.strip(), reference.strip()
        if answer == reference:
            return bool(answer)
        number = _read_amount(answer)
        if number is not None and number == _read_amount(reference) and not _have_other_money(answer, reference):
            return True
        if _WHOLE.fullmatch(answer) and _WHOLE.fullmatch(reference):
            return int(answer) == int(reference)
        return None

    def grade(self, answer: str, reference: str) -> bool:
        """Compare two expressions. This function has no limits of its own."""
        from math_verify import verify

        if self.ordered:
            first, second = _split_list(answer), _split_list(reference)
            if len(first) > 1 or len(second) > 1:
                return len(first) == len(second) and all(map(Math()._agree, first, second))
        try:
            return bool(verify(_parse(reference), _parse(answer), timeout_seconds=None, raise_on_error=True))
        except (MemoryError, RecursionError):
            raise
        except Exception:  # noqa: BLE001 - SymPy raises errors of many types for what it cannot compare, such as 1/0
            return False

    def _agree(self, answer: str, reference: str) -> bool:
        decided = self.decide(answer, reference)
        return self.grade(answer, reference) if decided is None else decided

    def warm_up(self) -> None:
        """Import Math-Verify and SymPy, and let them build their tables."""
        logging.disable(logging.CRITICAL)  # Math-Verify warns that it has no time limit: this process has one
        self.grade(r"\frac{x + 1}{2}", r"\sqrt{2}")

    def describe(self) -> str:
        """Return the name, with the version of Math-Verify: the verdicts depend on it."""
        from importlib.metadata import version

        return f"math({'ordered,' * self.ordered}math-verify={version('math-verify')})"


def _split_list(text: str) -> list[str]:
    """Return the members of a list at the commas outside of brackets. A number or a set is its own only member."""
    text = re.sub(r"\\(?:left|right)(?![A-Za-z])", "", text).strip().strip("$").strip()
    boxed = re.fullmatch(r"\\+f?boxed\s*\{(.*)\}", text, re.DOTALL)
    text = boxed[1].strip() if boxed else text
    if read_number(text) is not None:
        return [text]
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return _split_list(text[1:-1]) if len(parts) == 1 and text[:1] + text[-1:] == "()" else parts


def _read_amount(text: str) -> Rational | None:
    boxed = _BOXED.fullmatch(text)
    return read_number(boxed[1] if boxed else text)


def _have_other_money(answer: str, reference: str) -> bool:
    """Return whether both name a currency, and not the same one: €5 and $5."""
    first, second = (set(_MONEY.findall(re.sub("USD|dollar", "$", text))) for text in (answer, reference))
    return bool(first and second and first != second)


@lru_cache(maxsize=1024)
def _parse(text: str) -> Any:
    from math_verify import parse

    return parse(prepare_text(text), parsing_timeout=None)


def prepare_text(text: str) -> str:
    r"""Write a text so that Math-Verify finds the formula in it: it looks for formulas between delimiters.

    Examples:
        >>> prepare_text(r"\frac{1}{2}"), prepare_text("1½"), prepare_text("The answer is 5")
        ('$\\frac{1}{2}$', '$1\\frac{1}{2}$', 'The answer is 5')
    """
    text = text.strip()
    if not text.isascii():
        text = _ROOT.sub(r"\\sqrt{\1\2}", text).replace("∞", r"\infty ")
        text = _FRACTION.sub(r"\1\\frac{\2}{\3}", to_ascii(text)).strip()
        text = _POWER.sub(r"^{\1}", text)  # LaTeX raises the first character alone
    return text if _DELIMITED.search(text) or _PROSE.search(text) else f"${text}$"

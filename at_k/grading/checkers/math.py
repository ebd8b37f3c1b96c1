"""The checker `math`."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from at_k.grading.checkers.base import Checker
from at_k.grading.numbers import to_ascii

_DELIMITED = re.compile(r"\$|\\\(|\\\[|\\boxed|\\begin\{(?:equation|align|math|displaymath)")
"""What shows that a text marks its formulas itself."""

_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}")
_FRACTION = re.compile(r"(\d*) (\d+)/(\d+)")
_POWER = re.compile(r"\^([+-]?\d+)")
_WHOLE = re.compile(r"[+-]?\d{1,300}", re.ASCII)


@dataclass(frozen=True, repr=False)
class Math(Checker):
    r"""Accept an answer that is mathematically equivalent to the reference, as decided by Math-Verify.

    It reads LaTeX and plain text: boxed answers, equations, sets, intervals, matrices, percentages. Each check runs in
    a worker process, which is ended when the check takes too long. It does the same in any thread and under asyncio.

    Math-Verify rounds to 6 decimals, and accepts 50% for 50 as well as for 0.5.

    Examples:
        >>> Math()(r"\frac{1}{2}", "0.5"), Math()("x^2 + 2x + 1", "(x + 1)^2")
        (True, True)
    """

    name = "math"
    slow = True
    extra = "math"
    imports = ("math_verify",)

    def decide(self, answer: str, reference: str) -> bool | None:
        """Decide equal texts and whole numbers here."""
        answer, reference = answer.strip(), reference.strip()
        if answer == reference:
            return bool(answer)
        if _WHOLE.fullmatch(answer) and _WHOLE.fullmatch(reference):
            return int(answer) == int(reference)
        return None

    def grade(self, answer: str, reference: str) -> bool:
        """Compare two expressions. This function has no limits of its own."""
        from math_verify import verify

        try:
            return bool(verify(_parse(reference), _parse(answer), timeout_seconds=None, raise_on_error=True))
        except (MemoryError, RecursionError):
            raise
        except Exception:  # noqa: BLE001 - SymPy raises errors of many types for what it cannot compare, such as 1/0
            return False

    def warm_up(self) -> None:
        """Import Math-Verify and SymPy, and let them build their tables."""
        logging.disable(logging.CRITICAL)  # Math-Verify warns that it has no time limit: this process has one
        self.grade(r"\frac{x + 1}{2}", r"\sqrt{2}")

    def describe(self) -> str:
        """Return the name, with the version of Math-Verify: the verdicts depend on it."""
        from importlib.metadata import version

        return f"math(math-verify={version('math-verify')})"


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
        text = _FRACTION.sub(r"\1\\frac{\2}{\3}", to_ascii(text)).strip()
        text = _POWER.sub(r"^{\1}", text)  # LaTeX raises the first character alone
    return text if _DELIMITED.search(text) or _PROSE.search(text) else f"${text}$"

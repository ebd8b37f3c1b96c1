"""The checker `math`."""

from __future__ import annotations

import logging
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from at_k.grading.checkers.base import Checker, Explained, find_neighbours
from at_k.grading.numbers import Rational, read_number, to_ascii
from at_k.grading.workers import grade_pairs
from at_k.options.registry import TIMEOUT

# What shows that a text marks its formulas itself.
_DELIMITED = re.compile(r"(?<!\\)\$|\\\(|\\\[|\\boxed|\\begin\{(?:equation|align|math|displaymath)")

_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}")
_FRACTION = re.compile(r"(\d*) (\d+)/(\d+)")
_POWER = re.compile(r"\^([+-]?\d+)")
_WHOLE = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_BOXED = re.compile(r"\\+f?boxed\s*\{([^{}]*)\}")
_MONEY = re.compile("[$€£¥₹₩元]|EUR|GBP|JPY|CNY|RMB|INR|CHF|euro")
_TIME = re.compile(r"\d[\s$~]*(?:\\text\s*\{\s*)?([ap])\.?\s?m\b", re.IGNORECASE)

# A root with a clear end: √2x has two readings.
_ROOT = re.compile(
    r"(?<![⁰¹²³⁴⁵⁶⁷⁸⁹√])√(?:(\d+(?:\.\d+)?|[A-Za-z])|\(([^()]*)\))(?!\w|\.\d|[(^{\\⁰¹²³⁴⁵⁶⁷⁸⁹⁻])"
)


@dataclass(frozen=True, repr=False)
class Math(Checker):
    r"""Accept an answer that is mathematically equivalent to the reference, as decided by Math-Verify.

    It reads LaTeX and plain text: boxed answers, equations, sets, intervals, matrices, percentages. Each check runs in
    a worker process, which is ended when the check takes too long. It does the same in any thread and under asyncio.

    The order of (1, 2) and [1, 2] counts, that of \{1, 2\} and of a list without brackets does not: 1, 2 is the same as
    2, 1. Where it counts, write the reference in round brackets: 2, 1 is wrong beside (1, 2).

    Math-Verify rounds to 6 decimals, and accepts 50% for 50 as well as for 0.5. Numbers that `numeric` reads and
    Math-Verify does not, such as 1 000, 2 1/2, 1e3 and €5, are accepted if they are equal.

    Examples:
        >>> Math()(r"\frac{1}{2}", "0.5"), Math()("x^2 + 2x + 1", "(x + 1)^2")
        (True, True)
        >>> Math()("1, 2", "2, 1"), Math()("2, 1", "(1, 2)")
        (True, False)
    """

    name = "math"
    slow = True
    extra = "math"
    imports = ("math_verify",)

    def decide(self, answer: str, reference: str | None) -> bool | None:
        """Decide equal texts, equal numbers and whole numbers here."""
        # Numbers that differ are left to Math-Verify, which rounds, and knows that 50% may be meant by 50.
        if reference is None:
            return None
        answer = answer.strip()
        reference = reference.strip()
        if answer == reference:
            return bool(answer)
        number = _read_amount(answer)
        if (
            number is not None
            and number == _read_amount(reference)
            and not _have_other_money(answer, reference)
        ):
            return True
        if _WHOLE.fullmatch(answer) and _WHOLE.fullmatch(reference):
            return int(answer) == int(reference)
        return None

    def grade(self, answer: str, reference: str | None) -> Any:
        """Compare two expressions, without limits. Without a reference, return the `Values` of the answer, or None."""
        if reference is None:
            from at_k.grading.formulas import evaluate_formula, read_formula

            found = evaluate_formula(read_formula(prepare_text(answer)))
            return found and Values(f"{found[0]}{_read_half(answer)}", tuple(found[1]))
        same = self._compare(answer, reference)
        if same is None:
            return Explained(False, "not compared", "not compared: a formula was not read whole")
        return same

    def _compare(self, answer: str, reference: str) -> bool | None:
        from at_k.grading.formulas import compare_formulas, read_formula

        if {_read_half(answer), _read_half(reference)} == {"a", "p"}:
            return False
        try:
            return compare_formulas(
                *(read_formula(prepare_text(text)) for text in (answer, reference))
            )
        except (MemoryError, RecursionError):
            raise
        except Exception:  # noqa: BLE001 - SymPy raises errors of many types for what it cannot compare, such as 1/0
            return False

    def read_votes(
        self, texts: Sequence[str], *, num_workers: int | None = None, timeout: float = TIMEOUT
    ) -> list[Hashable]:
        """Evaluate each answer once at seeded points. What cannot be evaluated votes by its text."""
        forms: list[Any] = [_evaluate_number(text) for text in texts]
        left = [place for place, form in enumerate(forms) if form is None]
        read = grade_pairs(
            self, [(texts[place], None) for place in left], num_workers=num_workers, timeout=timeout
        )
        for place, values in zip(left, read, strict=True):
            forms[place] = texts[place].strip() if values is None else values
        return forms

    def list_close(self, forms: Sequence[Any]) -> Iterator[tuple[int, int]]:
        """Yield formulas with nearly the same values."""
        held = [
            (at, values)
            for at, form in enumerate(forms)
            if isinstance(form, Values)
            for values in form.sides
        ]
        keys = {number: values[0].real for number, (_, values) in enumerate(held)}
        for one, other in find_neighbours(keys, _are_near):
            if all(map(_are_near, held[one][1], held[other][1])):
                yield held[one][0], held[other][0]

    def warm_up(self) -> None:
        """Import Math-Verify and SymPy, and let them build their tables."""
        # Math-Verify warns that it has no time limit: this process has one
        logging.disable(logging.CRITICAL)
        self.grade(r"\frac{x + 1}{2}", r"\sqrt{2}")


def _are_near(a: complex, b: complex) -> bool:
    """Return whether two values may be the same but for rounding."""
    return abs(a - b) <= 1e-5 * max(abs(a), abs(b), 1.0)


class Values(NamedTuple):
    """The values of a formula at seeded points, and of the right side of an assignment: x = 5 may be written as 5."""

    kind: str  # of an expression, with the value of a rational number; the text of another formula
    sides: tuple[tuple[complex, ...], ...]


def _evaluate_number(text: str) -> Values | None:
    """Read a number: it takes microseconds, and Math-Verify does not know all spellings."""
    number = _read_amount(text.strip())
    try:
        values = None
        if number is not None:
            values = (complex(number),) * 3
    except OverflowError:
        return None
    return values and Values(
        f"value {''.join(sorted(set(_MONEY.findall(text))))} {number}", (values,)
    )


def _read_amount(text: str) -> Rational | None:
    boxed = _BOXED.fullmatch(text)
    return read_number(boxed[1] if boxed else text)


def _have_other_money(answer: str, reference: str) -> bool:
    """Return whether both name a currency, and not the same one: €5 and $5."""
    first, second = (
        set(_MONEY.findall(re.sub("USD|dollar", "$", text))) for text in (answer, reference)
    )
    return bool(first and second and first != second)


def _read_half(text: str) -> str:
    """Return "a" for a time in the morning, "p" for one in the afternoon: Math-Verify drops these words as units."""
    time = _TIME.search(text)
    if time:
        return time[1].lower()
    return ""


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
    if _DELIMITED.search(text) or _PROSE.search(text):
        return text
    return f"${text}$"

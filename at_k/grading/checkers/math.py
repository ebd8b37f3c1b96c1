"""The checker `math`."""

from __future__ import annotations

import logging
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from at_k.grading.checkers.base import Checker, Explained, find_neighbours
from at_k.grading.numbers import Rational, read_number, to_ascii
from at_k.grading.workers import grade_pairs
from at_k.options.option import TIMEOUT
from at_k.validation import check_flag

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
_ROOT = re.compile(r"(?<![⁰¹²³⁴⁵⁶⁷⁸⁹√])√(?:(\d+(?:\.\d+)?|[A-Za-z])|\(([^()]*)\))(?!\w|\.\d|[(^{\\⁰¹²³⁴⁵⁶⁷⁸⁹⁻])")


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

    def decide(self, answer: str, reference: str | None) -> bool | None:
        """Decide equal texts, equal numbers and whole numbers here.

        Numbers that differ are left to Math-Verify, which rounds, and knows that 50% may be meant by 50.
        """
        if reference is None:
            return None
        answer, reference = answer.strip(), reference.strip()
        if answer == reference:
            return bool(answer)
        number = _read_amount(answer)
        if number is not None and number == _read_amount(reference) and not _have_other_money(answer, reference):
            return True
        if _WHOLE.fullmatch(answer) and _WHOLE.fullmatch(reference):
            return int(answer) == int(reference)
        return None

    def grade(self, answer: str, reference: str | None) -> Any:
        """Compare two expressions, without limits. Without a reference, return the `Values` of the answer, or None."""
        if reference is None:
            from at_k.grading.formulas import evaluate_formula, read_formula

            values = evaluate_formula(read_formula(prepare_text(answer)))
            return None if values is None else Values(f"{values[0]}{_read_half(answer)}", *values[1:])
        same = self._compare(answer, reference)
        if same is None:
            return Explained(False, "not compared", "not compared: a formula was not read whole")
        return same

    def _compare(self, answer: str, reference: str) -> bool | None:
        from at_k.grading.formulas import compare_formulas, read_formula

        decided = self.decide(answer, reference)
        if decided is not None:
            return decided
        if {_read_half(answer), _read_half(reference)} == {"a", "p"}:
            return False
        if self.ordered:
            first, second = _split_list(answer), _split_list(reference)
            if len(first) > 1 or len(second) > 1:
                found = list(map(Math()._compare, first, second)) if len(first) == len(second) else [False]
                return all(found) if None not in found or False in found else None
        try:
            return compare_formulas(*(read_formula(prepare_text(text)) for text in (answer, reference)))
        except (MemoryError, RecursionError):
            raise
        except Exception:  # noqa: BLE001 - SymPy raises errors of many types for what it cannot compare, such as 1/0
            return False

    def read_votes(
        self, texts: Sequence[str], *, num_workers: int | None = None, timeout: float | None = None
    ) -> list[Hashable]:
        """Evaluate each answer once at seeded points. What cannot be evaluated votes by its text."""
        forms: list[Any] = [self._read_number(text) for text in texts]
        left = [place for place, form in enumerate(forms) if form is None]
        spelled = [(_spell_tuple(texts[place]) if self.ordered else texts[place], None) for place in left]
        seconds = TIMEOUT if timeout is None else timeout
        read = grade_pairs(self, spelled, num_workers=num_workers, timeout=seconds)
        for place, values in zip(left, read, strict=True):
            forms[place] = texts[place].strip() if values is None else values
        # Formulas with the same values have the form of the first of them.
        found = [place for place, form in enumerate(forms) if isinstance(form, Values) and form.exact]
        close = partial(_are_close, absolute=1e-300)
        for first, second in find_neighbours(list(forms), found, lambda form: form.exact[0].real, close):
            if forms[second].equals(forms[first]):
                forms[second] = forms[first]
        return forms

    def list_close(self, forms: Sequence[Any]) -> Iterator[tuple[int, int, bool]]:
        """Yield formulas of different kinds, or with decimals, that have nearly the same values."""
        found = [place for place, form in enumerate(forms) if isinstance(form, Values) and form.loose]
        close = partial(_are_close, relative=_ROUGH, absolute=_ROUGH)
        for first, second in find_neighbours(forms, found, lambda form: form.loose[0].real, close):
            if forms[second].may_equal(forms[first]):
                yield first, second, forms[second].is_same_list(forms[first])

    @staticmethod
    def _read_number(text: str) -> Values | None:
        """Read a number here: it takes microseconds, and Math-Verify does not know all spellings."""
        number = _read_amount(text.strip())
        if number is None:
            return None
        money = "".join(sorted(set(_MONEY.findall(text))))
        try:
            values = (complex(number),) * 3
        except OverflowError:
            return None
        return Values(f"value {money}", values, values, "." in text, number.as_integer_ratio())

    def warm_up(self) -> None:
        """Import Math-Verify and SymPy, and let them build their tables."""
        logging.disable(logging.CRITICAL)  # Math-Verify warns that it has no time limit: this process has one
        self.grade(r"\frac{x + 1}{2}", r"\sqrt{2}")


_LISTS = frozenset(["FiniteSet", "Tuple", "Interval"])

# Relative differences of values that are the same, and of values that may have been rounded.
_CLOSE, _ROUGH = 1e-12, 1e-5


def _are_close(a: complex, b: complex, relative: float = _CLOSE, absolute: float = 0.0) -> bool:
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), absolute)


class Values(NamedTuple):
    """The values of a formula at seeded points.

    Attributes:
        kind: the kind of formula. Those of one kind are the same if their exact values are close.
        exact: the values that decide.
        loose: values that equivalent formulas of other kinds have too, such as 5 for x = 5.
        rounded: whether it has decimals.
        ratio: numerator and denominator of a rational number.
    """

    kind: str
    exact: tuple[complex, ...]
    loose: tuple[complex, ...]
    rounded: bool
    ratio: tuple[int, int] | None

    def equals(self, other: Values) -> bool:
        """Return whether two formulas of one kind are the same."""
        if self.kind != other.kind:
            return False
        if self.ratio and other.ratio:
            return self.ratio == other.ratio
        return all(map(_are_close, self.exact, other.exact))

    def is_same_list(self, other: Values) -> bool:
        """Return whether two lists with close values have the same members in the same order."""
        return {self.kind.strip(), other.kind.strip()} <= _LISTS and not (self.rounded or other.rounded)

    def may_equal(self, other: Values) -> bool:
        """Return whether Math-Verify may accept each for the other, though their forms differ."""
        rounded = self.rounded or other.rounded
        if self.kind == other.kind and not rounded:
            return False
        tolerance = (_ROUGH, _ROUGH) if rounded else (_CLOSE, 0.0)
        return all(_are_close(a, b, *tolerance) for a, b in zip(self.loose, other.loose, strict=False))


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


def _spell_tuple(text: str) -> str:
    members = _split_list(text)
    return f"({', '.join(members)})" if len(members) > 1 else text


def _read_amount(text: str) -> Rational | None:
    boxed = _BOXED.fullmatch(text)
    return read_number(boxed[1] if boxed else text)


def _have_other_money(answer: str, reference: str) -> bool:
    """Return whether both name a currency, and not the same one: €5 and $5."""
    first, second = (set(_MONEY.findall(re.sub("USD|dollar", "$", text))) for text in (answer, reference))
    return bool(first and second and first != second)


def _read_half(text: str) -> str:
    """Return "a" for a time in the morning, "p" for one in the afternoon: Math-Verify drops these words as units."""
    found = _TIME.search(text)
    return found[1].lower() if found else ""


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

"""The checker `numeric`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from at_k.grading.checkers.base import Checker, check_tolerance
from at_k.grading.numbers import Rational, read_number


@dataclass(frozen=True, repr=False)
class Numeric(Checker):
    r"""Accept an answer that is the same number as the reference.

    Read are thousands separators, fractions and mixed numbers, percentages (50% is 0.5), amounts of money, powers of
    ten, their LaTeX, and the digits of all scripts. Numbers are compared exactly, as fractions: |answer − reference|
    must be at most the larger of `abs_tol` and `rel_tol` · |reference|. If one of the two is not a number, the texts
    must be equal.

    Args:
        rel_tol: the relative tolerance. By default 1e-6, and 0 between whole numbers: decimals may be rounded, whole
            numbers are not.
        abs_tol: the absolute tolerance.

    Examples:
        >>> Numeric()("$1,234.50", "1234.5"), Numeric()(r"\frac{1}{2}", "50%"), Numeric()("0.3333333", "1/3")
        (True, True, True)
        >>> Numeric()("3.14", "3.14159"), Numeric(rel_tol=1e-3)("3.14", "3.14159")
        (False, True)
    """

    rel_tol: float | None = None
    abs_tol: float = 0.0

    name = "numeric"

    def __post_init__(self) -> None:
        if self.rel_tol is not None:
            check_tolerance("rel_tol", self.rel_tol)
        check_tolerance("abs_tol", self.abs_tol)

    def normalize(self, text: str) -> Rational | str:
        """Read a number. A text that is not one is stripped."""
        number = read_number(text)
        return text.strip() if number is None else number

    @property
    def equates_forms(self) -> bool:
        """Return whether there is no tolerance."""
        return self.rel_tol == 0 and not self.abs_tol

    def compare(self, answer: Rational | str, reference: Rational | str) -> bool:
        """Compare two numbers within the tolerances."""
        if isinstance(answer, str) or isinstance(reference, str):
            return answer == reference
        tolerance = self.rel_tol
        if tolerance is None:
            tolerance = 0.0 if isinstance(answer, int) and isinstance(reference, int) else _ROUNDING
        if not tolerance and not self.abs_tol:
            return answer == reference
        # |a/b − r/s| ≤ tolerance, multiplied by b·s, in whole numbers: sums of fractions take ten times as long.
        (a, b), (r, s) = answer.as_integer_ratio(), reference.as_integer_ratio()
        (relative, of), (absolute, per) = _split(tolerance), _split(self.abs_tol)
        distance = abs(a * s - r * b)
        return distance * of <= relative * abs(r) * b or distance * per <= absolute * b * s


_ROUNDING = 1e-6


@lru_cache(maxsize=64)
def _split(tolerance: float) -> tuple[int, int]:
    """Return the numerator and denominator of the decimal that a tolerance prints as."""
    return Fraction(str(tolerance)).as_integer_ratio()

r"""Read and compare formulas with Math-Verify, but only those that it reads whole.

Math-Verify 0.9 looks for formulas from the end of a text. Where it cannot parse one, it takes the next candidate, down
to a number inside of the formula: `1+\frac1{\mathrm e}` becomes 1, and equals `1-\frac1{\mathrm e}`. Here the first
candidate counts, and a formula that cannot be parsed whole is unread. Nothing in this file depends on the rest of the
package, so that it can be offered to Math-Verify.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from hashlib import sha256
from math import floor, isfinite, prod
from typing import Any, NamedTuple

import sympy  # type: ignore[import-untyped]
from antlr4 import CommonTokenStream, PredictionMode  # type: ignore[import-untyped]
from latex2sympy2_extended import is_expr_of_only_symbols, latex2sympy2  # type: ignore[import-untyped]
from math_verify import parse, verify
from math_verify.grader import (
    is_assignment_relation,
    is_equation,
    is_relation,
    take_last_relation,
    unwrap_fcs,
)
from sympy.core.function import AppliedUndef  # type: ignore[import-untyped]
from sympy.core.relational import Relational  # type: ignore[import-untyped]

# Commands that Math-Verify does not read, drops, or takes for a unit. It fails at `\dots`, as it should.
_REWRITTEN = (
    (re.compile(r"\\(?:mathrm|text|rm)\s*(?:\{\s*e\s*\}|(?:\s|(?<=m\s))e(?![A-Za-z]))"), "e "),
    (re.compile(r"\\(?:mathbf|boldsymbol|bm)\s*\{\s*([A-Za-z])\s*\}"), r"\1 "),
    (re.compile(r"\\[lcv]dots(?![A-Za-z])"), r"\\dots "),
    (re.compile(r"\\varnothing(?![A-Za-z])"), r"\\emptyset "),
)

# Groups of three digits, 1 000 or 12\,000: a product of 1 and 000 for Math-Verify, that is 0.
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:\\[,;: ]|[~ ]) ?\d{3})+(?!\d)")

# Marks that Math-Verify reads as something else: the base of a number, partial derivatives.
_MISREAD = re.compile(r"\d\}?_|\\partial(?![A-Za-z])")

_SPACE = re.compile(r"^\s+|(?<!\d)\s+|\s+(?!\d)")
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\text\s*\{[^{}]*\}|\\[A-Za-z]+")
_WORDS = re.compile(r"[A-Za-z\s.,()]*")

_OPERATIONS = (sympy.Function, sympy.Add, sympy.Mul, sympy.Pow)

# The decimals to which Math-Verify rounds, and the digits with which it evaluates.
_PLACES, _DIGITS = 6, 15

# Digits that must agree in a small number, and the most decimals that are looked at for them.
_SIGNIFICANT, _MOST_PLACES = 3, 400


# Digits to which exact numbers are evaluated, how far they may differ, and the most digits that are written out.
_EXACT, _AGREEING, _MOST_DIGITS = 60, sympy.Float("1e-40", 60), 10_000


class _Parser(latex2sympy2.PSParser):  # type: ignore[misc]
    """Parse in two stages, as ANTLR proposes: the quick way (SLL) and, if that fails, the full one (LL)."""

    # Where the first stage succeeds, the second finds the same (Parr, Harwell and Fisher 2014).

    def math(self) -> Any:
        """Parse a whole formula."""
        self._interp.predictionMode = PredictionMode.SLL
        try:
            return super().math()
        except Exception:  # noqa: BLE001 - the parser raises a bare one for what it cannot read
            lexer = self.getTokenStream().tokenSource
            lexer.reset()  # it would go on behind a character that it does not know
            self.setTokenStream(CommonTokenStream(lexer))
            self._interp.predictionMode = PredictionMode.LL
            return super().math()


latex2sympy2.PSParser = _Parser


class Formula(NamedTuple):
    """A formula in a text: how Math-Verify spells it, and what it read; None if it did not read it whole."""

    text: str
    value: Any


@lru_cache(maxsize=2048)
def read_formula(text: str) -> Formula:
    """Read the last formula of a text. Without any, the text of the formula is empty."""
    for pattern, spelled in _REWRITTEN:
        text = pattern.sub(spelled, text)
    text = _GROUPED.sub(lambda number: re.sub(r"\D", "", number[0]), text)
    *values, spelled = parse(text, parsing_timeout=None, extraction_mode="first_match") or [""]
    return Formula(
        spelled, None if not values or _MISREAD.search(spelled) else _settle_infinity(values[0])
    )


_INFINITE = (sympy.oo, -sympy.oo, sympy.zoo)


def _settle_infinity(value: Any) -> Any:
    """Evaluate functions of infinity."""
    # SymPy 1.14 simplifies √69 − |∞| to 0 or to −∞, by the order of a set that the hash seed decides.
    if not value.has(*_INFINITE):
        return value
    return value.replace(
        lambda part: isinstance(part, _OPERATIONS) and any(arg in _INFINITE for arg in part.args),
        lambda part: part.func(*part.args),
    )


def compare_formulas(answer: Formula, reference: Formula) -> bool | None:
    """Return whether two formulas are equivalent, or None if one of them was not read."""
    first, second = (_SPACE.sub("", side.text) for side in (answer, reference))
    if first == second:
        return bool(first)
    if not first or not second:
        return False
    if answer.value is None or reference.value is None:
        return None
    if _differ_in_case(answer.text, reference.text) or _is_unsolved(answer.value, reference.value):
        return False
    if _is_exact(answer) and _is_exact(reference):
        same = _compare_exactly(answer.value, reference.value)
        if same is not None:
            return same
    places = max(_count_places(answer.value), _count_places(reference.value))
    return bool(
        verify(
            reference.value,
            answer.value,
            float_rounding=_PLACES + places,
            numeric_precision=_DIGITS + places,
            timeout_seconds=None,
            raise_on_error=True,
        )
    )


def _is_exact(formula: Formula) -> bool:
    """Return whether a formula is a number that was written without a decimal point, which may be rounded."""
    value = formula.value
    if not isinstance(value, sympy.Expr) or not value.is_number or "." in formula.text:
        return False
    return not value.has(sympy.Float, sympy.UnevaluatedExpr, sympy.nan, *_INFINITE)


def _compare_exactly(first: sympy.Expr, second: sympy.Expr) -> bool | None:
    """Compare two exact numbers: rational ones as such, others to 40 digits. Return None if these do not tell."""
    one = first.evalf(_EXACT)
    other = second.evalf(_EXACT)
    size = min(abs(one), abs(other))
    if not size.is_finite:
        return None
    if abs(one - other) > _AGREEING * size and size > _AGREEING:
        return False
    # A number with more digits than this takes long to be written out, and a small one may be zero but for rounding.
    if size == 0 or abs(sympy.log(size, 10).evalf(5)) < _MOST_DIGITS:
        first = first.doit()
        second = second.doit()
        if first.is_Rational and second.is_Rational:
            return bool(first == second)
    return True if size > _AGREEING else None


def list_letters(text: str) -> frozenset[str]:
    """Return the letters of a formula that are no words; of an assignment, those after the last sign of equality."""
    plain = _COMMAND.sub(" ", text).rpartition("=")[2]
    if _WORDS.fullmatch(plain):
        return frozenset()
    return frozenset(filter(str.isalpha, plain))


def _differ_in_case(first: str, second: str) -> bool:
    """Return whether the variables of two formulas differ by their case alone. Math-Verify lower-cases all of them."""
    one = list_letters(first)
    other = list_letters(second)
    return one != other and {letter.lower() for letter in one} == {
        letter.lower() for letter in other
    }


def _is_unsolved(answer: Any, reference: Any) -> bool:
    """Return whether the answer is an equation that is not solved for a name, and the reference is no relation."""
    # Math-Verify takes the right side of any equation for its value.
    if not is_equation(answer) or is_relation(reference):
        return False
    left = take_last_relation(answer).lhs
    return (
        bool(left.free_symbols)
        and not isinstance(left, AppliedUndef)
        and not is_expr_of_only_symbols(left)
    )


def _count_places(value: Any) -> int:
    """Return how many decimals beyond the sixth the smallest number of a formula needs."""
    # Math-Verify rounds to six decimals, and to zero what is below 10⁻¹⁵.
    smallest = min(filter(None, map(_measure, _list_constants(value))), default=1.0)
    if smallest < 0:
        return min(max(0, _SIGNIFICANT - _PLACES - 1 - floor(smallest)), _MOST_PLACES)
    return 0


def _list_constants(value: Any) -> Iterator[Any]:
    """Yield the largest parts of an expression that are numbers."""
    if isinstance(value, sympy.MatrixBase):
        parts = value.flat()
    else:
        parts = [value]
    for part in parts:
        if isinstance(part, sympy.Expr) and part.is_number:
            yield part
        else:
            yield from (
                constant for arg in getattr(part, "args", ()) for constant in _list_constants(arg)
            )


def _measure(number: Any) -> float | None:
    """Return the common logarithm of the size of a number, or None for zero and what has no size."""
    try:
        size = abs(number.doit().evalf(5))
        if size.is_finite and size != 0:
            return float(sympy.log(size, 10).evalf(5))
        return None
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


# The seeds of the points. Variables are positive at the first, and of either sign at the others.
_POINTS = ("a", "b", "c")


def evaluate_formula(formula: Formula) -> tuple[str, list[tuple[complex, ...]]] | None:
    """Return the kind of a formula and its values at seeded points, or None where that is impossible."""
    # Formulas of one kind and the same values are equivalent; those with values that are close may be. An assignment
    # also has the values of its right side, with which Math-Verify compares a number.
    value = formula.value
    words = _TEXT.sub(r"\1", formula.text).strip().lower()
    if value is None:
        return None
    if re.fullmatch(r"[a-z]{3,}(?:[ .][a-z]{3,})*[ .]?", words):
        return f"words {words}", []
    if is_assignment_relation(value):
        sides = [value, take_last_relation(value).rhs]
    else:
        sides = [value]
    try:
        values = [tuple(map(partial(_evaluate, side), _POINTS)) for side in sides]
        number = None
        if isinstance(value, sympy.Expr) and value.is_number:
            number = value.doit()
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError):
        return None
    if number is not None and not number.is_Rational:
        if number.has(sympy.Float):
            number = number.evalf(_DIGITS)
        else:
            number = number.evalf(_EXACT // 2)
    capitals = "".join(sorted(filter(str.isupper, list_letters(formula.text))))
    kind = f"value {capitals} {'' if number is None else number}"
    return kind if isinstance(value, sympy.Expr) else f"formula {formula.text}", values


def _evaluate(value: Any, point: str) -> complex:
    """Evaluate a formula at one point: its parts in any order, and of a relation the ratio, which multiples share."""
    if isinstance(value, sympy.Expr):
        return _evaluate_number(value, point)
    if (
        isinstance(value, Relational)
        and isinstance(value.lhs, sympy.Expr)
        and isinstance(value.rhs, sympy.Expr)
    ):
        difference = value.lhs - value.rhs
        there = _evaluate_number(difference, "origin") if difference.free_symbols else 1.0
        return abs(_evaluate_number(difference, point) / there)
    parts = value.flat() if isinstance(value, sympy.MatrixBase) else value.args
    # But not whether they are open
    ends = parts[:2] if isinstance(value, sympy.Interval) else parts
    return prod(_choose("part", point) - _evaluate(end, point) for end in ends)


def _evaluate_number(value: Any, point: str) -> complex:
    value = unwrap_fcs(value)
    if value.has(
        sympy.UnevaluatedExpr,
        sympy.Integral,
        sympy.Sum,
        sympy.Product,
        sympy.Limit,
        sympy.Derivative,
    ):
        value = value.doit()
    symbols = value.free_symbols
    point_of = {symbol: sympy.Float(_choose(symbol.name, point), 25) for symbol in symbols}
    result = value.evalf(20, subs=point_of)
    if not result.is_number:
        result = value.subs(point_of).evalf(20)
    if result in (sympy.oo, -sympy.oo):
        return _choose("infinity", point) * (1 if result == sympy.oo else -1)
    number = complex(result)
    if not isfinite(abs(number)):
        raise ValueError(f"{value} has no value")
    return 0.0 if abs(number) < (1e-17 if symbols else 1e-100) else number


@lru_cache(maxsize=4096)
def _choose(name: str, point: str) -> float:
    """Return the value of a variable at a point, from 0.3 to 2.3 in size."""
    digest = sha256(f"{point} {name}".encode()).digest()
    size = 0.3 + int.from_bytes(digest[:6], "big") / 2**47
    return -size if digest[6] % 2 and point != _POINTS[0] else size

r"""Read and compare formulas with Math-Verify, but only those that it reads whole.

Math-Verify 0.9 looks for formulas from the end of a text. Where it cannot parse one, it takes the next candidate, down
to a number inside of the formula: `1+\frac1{\mathrm e}` becomes 1, and equals `1-\frac1{\mathrm e}`. Here the first
candidate counts, and a formula that cannot be parsed whole is unread. Nothing in this file depends on the rest of the
package, so that it can be offered to Math-Verify.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from math import floor, isfinite, prod
from typing import Any, NamedTuple

import sympy  # type: ignore[import-untyped]
from latex2sympy2_extended import is_expr_of_only_symbols  # type: ignore[import-untyped]
from math_verify import parse, verify
from math_verify.grader import is_assignment_relation, is_equation, is_relation, take_last_relation, unwrap_fcs
from sympy.core.function import AppliedUndef  # type: ignore[import-untyped]
from sympy.core.relational import Relational  # type: ignore[import-untyped]

# Commands that Math-Verify does not read, drops, or takes for a unit. It fails at `\dots`, as it should.
_REWRITTEN = (
    (re.compile(r"\\(?:mathrm|text|rm)\s*(?:\{\s*e\s*\}|(?:\s|(?<=m\s))e(?![A-Za-z]))"), "e "),
    (re.compile(r"\\(?:mathbf|boldsymbol|bm)\s*\{\s*([A-Za-z])\s*\}"), r"\1 "),
    (re.compile(r"\\[lcv]dots(?![A-Za-z])"), r"\\dots "),
    (re.compile(r"\\varnothing(?![A-Za-z])"), r"\\emptyset "),
)

# Marks that Math-Verify reads as something else: the base of a number, partial derivatives.
_MISREAD = re.compile(r"\d\}?_|\\partial(?![A-Za-z])")

_SPACE = re.compile(r"^\s+|(?<!\d)\s+|\s+(?!\d)")
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\text\s*\{[^{}]*\}|\\[A-Za-z]+")
_WORDS = re.compile(r"[A-Za-z\s.,()]*")

# The decimals to which Math-Verify rounds, and the digits with which it evaluates.
_PLACES, _DIGITS = 6, 15

# Digits that must agree in a small number, and the most decimals that are looked at for them.
_SIGNIFICANT, _MOST_PLACES = 3, 400


class Formula(NamedTuple):
    """A formula in a text: how Math-Verify spells it, and what it read; None if it did not read it whole."""

    text: str
    value: Any


@lru_cache(maxsize=2048)
def read_formula(text: str) -> Formula:
    """Read the last formula of a text. Without any, the text of the formula is empty."""
    for pattern, spelled in _REWRITTEN:
        text = pattern.sub(spelled, text)
    *values, spelled = parse(text, parsing_timeout=None, extraction_mode="first_match") or [""]
    return Formula(spelled, None if not values or _MISREAD.search(spelled) else values[0])


def compare_formulas(answer: Formula, reference: Formula) -> bool | None:
    """Return whether two formulas are equivalent, or None if one of them was not read."""
    first, second = (_SPACE.sub("", each.text) for each in (answer, reference))
    if first == second:
        return bool(first)
    if not first or not second:
        return False
    if answer.value is None or reference.value is None:
        return None
    if _differ_in_case(answer.text, reference.text) or _is_unsolved(answer.value, reference.value):
        return False
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


def list_letters(text: str) -> frozenset[str]:
    """Return the letters of a formula that are no words; of an assignment, those after the last sign of equality."""
    plain = _COMMAND.sub(" ", text).rpartition("=")[2]
    return frozenset() if _WORDS.fullmatch(plain) else frozenset(filter(str.isalpha, plain))


def _differ_in_case(first: str, second: str) -> bool:
    """Return whether the variables of two formulas differ by their case alone. Math-Verify lower-cases all of them."""
    one, other = list_letters(first), list_letters(second)
    return one != other and {each.lower() for each in one} == {each.lower() for each in other}


def _is_unsolved(answer: Any, reference: Any) -> bool:
    """Return whether the answer is an equation that is not solved for a name, and the reference is no relation.

    Math-Verify takes the right side of any equation for its value.
    """
    if not is_equation(answer) or is_relation(reference):
        return False
    left = take_last_relation(answer).lhs
    return bool(left.free_symbols) and not isinstance(left, AppliedUndef) and not is_expr_of_only_symbols(left)


def _count_places(value: Any) -> int:
    """Return how many decimals beyond the sixth the smallest number of a formula needs.

    Math-Verify rounds to six decimals, and to zero what is below 10⁻¹⁵.
    """
    smallest = min(filter(None, map(_measure, _list_constants(value))), default=1.0)
    return min(max(0, _SIGNIFICANT - _PLACES - 1 - floor(smallest)), _MOST_PLACES) if smallest < 0 else 0


def _list_constants(value: Any) -> Iterator[Any]:
    """Yield the largest parts of an expression that are numbers."""
    parts = value.flat() if isinstance(value, sympy.MatrixBase) else [value]
    for part in parts:
        if isinstance(part, sympy.Expr) and part.is_number:
            yield part
        else:
            yield from (each for arg in getattr(part, "args", ()) for each in _list_constants(arg))


def _measure(number: Any) -> float | None:
    """Return the common logarithm of the size of a number, or None for zero and what has no size."""
    try:
        size = abs(number.doit().evalf(5))
        return float(sympy.log(size, 10).evalf(5)) if size.is_finite and size != 0 else None
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


# The seeds of the points. Variables are positive at the first, and of either sign at the others.
_POINTS = ("a", "b", "c")

_MIRRORED = {sympy.StrictGreaterThan: sympy.StrictLessThan, sympy.GreaterThan: sympy.LessThan}


def evaluate_formula(formula: Formula) -> tuple[Any, ...] | None:
    """Evaluate a formula at seeded points, or return None where that is impossible."""
    value, words = formula.value, _TEXT.sub(r"\1", formula.text).strip().lower()
    if value is None:
        return None
    if re.fullmatch(r"[a-z]{3,}(?:[ .][a-z]{3,})*[ .]?", words):
        return f"words {words}", (), ()
    capitals = "".join(sorted(filter(str.isupper, list_letters(formula.text))))
    try:
        exact, loose = (tuple(_evaluate(value, point, loose=each) for point in _POINTS) for each in (False, True))
        number = value.doit() if isinstance(value, sympy.Expr) and value.is_number else None
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError):
        return None
    kind = "value" if isinstance(value, sympy.Expr) else type(value).__name__
    return f"{kind} {capitals} {number if isinstance(number, sympy.Rational) else ''}", exact, loose


def _evaluate(value: Any, point: str, *, loose: bool = False) -> complex:
    """Evaluate a formula at one point. Loosely, 5 has the value of x = 5, and {1, 2} that of (1, 2)."""
    if loose and is_assignment_relation(value):
        return _evaluate(take_last_relation(value).rhs, point, loose=True)
    if isinstance(value, sympy.Expr):
        return _evaluate_number(value, point)
    if isinstance(value, Relational):
        return _evaluate_relation(value, point)
    is_matrix = isinstance(value, sympy.MatrixBase)
    name = f"matrix {value.shape}" if is_matrix else type(value).__name__
    parts: Any = value.flat() if is_matrix else getattr(value, "_unsorted_args", value.args)
    is_pair = isinstance(value, sympy.Interval) and value.left_open and value.right_open
    if loose and (is_pair or isinstance(value, (sympy.FiniteSet, sympy.Tuple))):
        name, parts = "list", parts[:2] if is_pair else parts
    elif isinstance(value, (sympy.FiniteSet, sympy.Union, sympy.Intersection)) and parts:
        return prod(_choose("collection", point) - _evaluate(each, point) for each in parts)  # in any order
    return _weigh(name, parts, point)


def _weigh(name: str, parts: Any, point: str) -> complex:
    """Combine the values of parts whose order counts."""
    return _choose(name, point) + sum(_choose(str(i), point) * _evaluate(each, point) for i, each in enumerate(parts))


def _evaluate_relation(relation: Relational, point: str) -> complex:
    """Evaluate an equation so that its multiples have one value, and an inequality so that its positive ones do."""
    if not (isinstance(relation.lhs, sympy.Expr) and isinstance(relation.rhs, sympy.Expr)):
        return _weigh(type(relation).__name__, relation.args, point)
    difference = relation.lhs - relation.rhs
    here = _evaluate_number(difference, point)
    there = _evaluate_number(difference, "origin") if difference.free_symbols else 1.0
    kind = type(relation)
    if kind in (sympy.Eq, sympy.Ne):
        return _choose(kind.__name__, point) + here / there
    return _choose(_MIRRORED.get(kind, kind).__name__, point) + here / abs(there) * (-1 if kind in _MIRRORED else 1)


def _evaluate_number(value: Any, point: str) -> complex:
    value = unwrap_fcs(value)
    if value.has(sympy.UnevaluatedExpr, sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit, sympy.Derivative):
        value = value.doit()
    symbols = value.free_symbols
    point_of = {symbol: sympy.Float(_choose(symbol.name, point), 25) for symbol in symbols}
    found = value.evalf(20, subs=point_of)
    if not found.is_number:
        found = value.subs(point_of).evalf(20)
    if found in (sympy.oo, -sympy.oo):
        return _choose("infinity", point) * (1 if found == sympy.oo else -1)
    number = complex(found)
    if not isfinite(abs(number)):
        raise ValueError(f"{value} has no value")
    return 0.0 if abs(number) < (1e-17 if symbols else 1e-100) else number


@lru_cache(maxsize=4096)
def _choose(name: str, point: str) -> float:
    """Return the value of a variable at a point, from 0.3 to 2.3 in size."""
    digest = sha256(f"{point} {name}".encode()).digest()
    size = 0.3 + int.from_bytes(digest[:6], "big") / 2**47
    return -size if digest[6] % 2 and point != _POINTS[0] else size

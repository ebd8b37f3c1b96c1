r"""Evaluate polynomials and fractions of them at a few points, to tell at once which of a thousand are the same."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

_PRIME = 2**61 - 1
"""Values are those modulo this prime. They are exact, and equal for equal expressions."""

_POINTS = 3
"""Points at which an expression is evaluated. Others of degree d agree at all with a probability of (d / 2⁶¹)³."""

_TOKEN = re.compile(
    r"(\d{1,300})|([a-zA-Z])|(\\[dtc]?frac)|(\\cdot|\\times|[*×·])|([-+/^(){}])|\\(?:left|right|[,!; ])|\s+"
)
_LONGEST, _DEEPEST, _LARGEST_POWER = 300, 12, 1000
_CONSTANTS = frozenset("deiEI")
"""Letters that may be constants or signs rather than variables."""

_FUNCTIONS = frozenset("fghFGHP")
"""Letters that may be functions where a bracket follows."""


_WORD = re.compile(r"(?<![\\A-Za-z])(?:[A-Za-z]{3,}|l[ng])|^[A-Za-z]{2,}$")
"""Words and functions, which are no products of their letters."""


class Values(NamedTuple):
    """Hold the values of an expression, and its variables. Expressions in the same ones are equal if the values are."""

    variables: frozenset[str]
    values: tuple[int, ...]


class _UnreadableError(Exception):
    """The text is no such expression, or has several readings."""


def evaluate(text: str) -> Values | None:
    r"""Return the values of a polynomial, or a fraction of two, with whole coefficients; None for any other text.

    Examples:
        >>> evaluate("(x+1)^2") == evaluate("x^2 + 2x + 1"), evaluate(r"\frac{2x}{4}") == evaluate("x/2")
        (True, True)
        >>> evaluate("x + 1") == evaluate("x + 2"), evaluate("1/2x"), evaluate("sin x"), evaluate("5")
        (False, None, None, None)
    """
    text = text.strip().removeprefix("$").removesuffix("$")
    if len(text) > _LONGEST or _WORD.search(text):
        return None
    tokens, end = [], 0
    while end < len(text):
        found = _TOKEN.match(text, end)
        if found is None:
            return None
        if found.lastindex:
            tokens.append("*" if found[4] else "frac" if found[3] else found[0])
        elif tokens and tokens[-1].isdigit() and text[found.end() : found.end() + 1].isdigit():
            return None  # 2 3x is not 23x
        end = found.end()
    letters = frozenset(token for token in tokens if len(token) == 1 and token.isalpha())
    if not letters or letters & _CONSTANTS:
        return None
    try:
        return Values(letters, tuple(_Reader(tokens, point).read() for point in range(_POINTS)))
    except _UnreadableError:
        return None


class _Reader:
    """Evaluate the tokens of an expression at one point."""

    def __init__(self, tokens: list[str], point: int) -> None:
        self.tokens, self.point, self.place, self.depth = tokens, point, 0, 0

    def read(self) -> int:
        """Return the value of the whole expression."""
        value = self._add()
        if self.place < len(self.tokens):
            raise _UnreadableError
        return value

    def _peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _take(self, *expected: str) -> str:
        token = self._peek()
        if expected and token not in expected:
            raise _UnreadableError
        self.place += 1
        return token

    def _add(self) -> int:
        sign = self._take() if self._peek() in ("+", "-") else "+"
        value = self._multiply() * (-1 if sign == "-" else 1)
        while self._peek() in ("+", "-"):
            sign = self._take()
            value += self._multiply() * (-1 if sign == "-" else 1)
        return value % _PRIME

    def _multiply(self) -> int:
        value, divided = self._raise(), False
        while token := self._peek():
            if token == "*":
                self._take()
                value, divided = value * self._raise(), False
            elif token == "/":
                self._take()
                value, divided = value * _invert(self._raise()), True
            elif token in ("(", "frac") or token.isalpha():
                if divided:
                    raise _UnreadableError  # 1/2x has two readings
                value *= self._raise()
            else:
                break
            value %= _PRIME
        return value

    def _raise(self) -> int:
        base = self._read_atom()
        if self._peek() != "^":
            return base
        self._take()
        braced = self._peek() == "{" and self._take()
        sign = self._take() if braced and self._peek() == "-" else ""
        power = self._take()
        if not power.isdigit() or int(power) > _LARGEST_POWER:
            raise _UnreadableError
        if braced:
            self._take("}")
        return pow(_invert(base) if sign else base, int(power), _PRIME)

    def _read_atom(self) -> int:
        token = self._take()
        if token.isdigit():
            return int(token) % _PRIME
        if token == "frac":
            over = self._read_group("{", "}")
            return over * _invert(self._read_group("{", "}")) % _PRIME
        if len(token) == 1 and token.isalpha():
            if token in _FUNCTIONS and self._peek() == "(":
                raise _UnreadableError
            return _choose_value(token, self.point)
        if token == "(":
            self.place -= 1
            return self._read_group("(", ")")
        raise _UnreadableError

    def _read_group(self, opening: str, closing: str) -> int:
        self._take(opening)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _UnreadableError
        value = self._add()
        self.depth -= 1
        self._take(closing)
        return value


@lru_cache(maxsize=256)
def _choose_value(variable: str, point: int) -> int:
    """Return the value of a variable at a point. Those of two variables have nothing to do with each other."""
    return int.from_bytes(sha256(f"{variable}{point}".encode()).digest(), "big") % _PRIME


def _invert(value: int) -> int:
    if not value % _PRIME:
        raise _UnreadableError
    return pow(value, -1, _PRIME)

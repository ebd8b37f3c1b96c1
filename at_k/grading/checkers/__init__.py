"""Checkers by name: small objects that compare one answer with one reference."""

# ruff: noqa: N813 - a class is imported by the name of its checker

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError, Mention
from at_k.grading.checkers.base import Check, Checker
from at_k.validation import describe, name_function, shorten, type_name


class Checkers(Mapping[str, Any]):
    """List the checkers by name. Each is also an attribute, and makes a checker with other parameters.

    Examples:
        >>> checkers.numeric(rel_tol=0.01)("99", "100"), "quasi_exact" in checkers
        (True, True)
    """

    # Each checker is one line: editors learn its parameters from it, and `_PLACES` the file, which is loaded when the
    # checker is used: all of them together take a tenth of a second.
    # isort: off
    if TYPE_CHECKING:
        from at_k.grading.checkers.text import ExactMatch as exact_match
        from at_k.grading.checkers.text import QuasiExact as quasi_exact
        from at_k.grading.checkers.text import Choice as choice
        from at_k.grading.checkers.text import Numeric as numeric
        from at_k.grading.checkers.math import Math as math
        from at_k.grading.checkers.code import Code as code
        from at_k.grading.checkers.text import Bleu as bleu
        from at_k.grading.checkers.text import Chrf as chrf
        from at_k.grading.checkers.text import Rouge1 as rouge1
        from at_k.grading.checkers.text import Rouge2 as rouge2
        from at_k.grading.checkers.text import RougeL as rougeL
        from at_k.grading.checkers.judge import Judge as judge
    # isort: on

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)

    def __getitem__(self, name: str) -> Any:
        return resolve_name(_PLACES[name])

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name in self:
            return self[name]
        raise AttributeError(f"there is no checker {name!r}; there are {', '.join(self)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


# Name → the file and class of a checker.
_PLACES = {
    alias.asname: f"{node.module}:{alias.name}"
    for node in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8")))
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
    if alias.asname
}


checkers = Checkers()


def find_checker(
    check: object, name: str = "check_correct_fn", names: Collection[str] = checkers
) -> Check:
    """Return the checker of a name, or the function that was given.

    Examples:
        >>> find_checker("numeric")("1,000", "1000")
        True
    """
    if isinstance(check, str):
        if check not in names:
            raise InputError(
                "check.unknown",
                "{given} must be a function or one of {names}; got {value}",
                given=Mention(name),
                names=", ".join(map(repr, names)),
                value=shorten(check),
            )
        check = checkers[check]
    if isinstance(check, type) and issubclass(check, Checker):
        check = check()
    if isinstance(check, Checker):
        if not hasattr(check, "name"):
            raise TypeError(
                f"A checker must have a name; {type_name(check)} has none. Write `name = …` in its class"
            )
        check.require()
    elif not callable(check):
        raise TypeError(
            f"`{name}` must be a function or the name of a checker; got {describe(check)}"
        )
    return check


def name_checker(check_correct_fn: object) -> str:
    """Return the name of a checker for a signature: its name with its parameters, or the name of the function."""
    check = find_checker(check_correct_fn)
    if isinstance(check, Checker):
        return check.describe()
    return name_function(check)

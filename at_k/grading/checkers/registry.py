"""The checkers by name: those of this package, and those of plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError
from at_k.grading.checkers.base import Check, Checker
from at_k.validation import shorten, type_name

if TYPE_CHECKING:
    from at_k.grading.checkers.bleu import Bleu
    from at_k.grading.checkers.choice import Choice
    from at_k.grading.checkers.chrf import Chrf
    from at_k.grading.checkers.code import Code
    from at_k.grading.checkers.exact_match import ExactMatch
    from at_k.grading.checkers.judge import Judge
    from at_k.grading.checkers.math import Math
    from at_k.grading.checkers.numeric import Numeric
    from at_k.grading.checkers.quasi_exact import QuasiExact
    from at_k.grading.checkers.rouge import Rouge1, Rouge2, RougeL

GROUP = "at_k.checkers"
"""The group of entry points by which a plugin registers a checker: its name and a subclass of `Checker` or function."""

_OWN = {
    "exact_match": "exact_match:ExactMatch",
    "quasi_exact": "quasi_exact:QuasiExact",
    "choice": "choice:Choice",
    "numeric": "numeric:Numeric",
    "math": "math:Math",
    "code": "code:Code",
    "bleu": "bleu:Bleu",
    "chrf": "chrf:Chrf",
    "rouge1": "rouge:Rouge1",
    "rouge2": "rouge:Rouge2",
    "rougeL": "rouge:RougeL",
    "judge": "judge:Judge",
}
"""Name → its file and class, loaded when it is used: all of them together take a tenth of a second."""


class Checkers(Mapping[str, Any]):
    """List the checkers by name. Each is also an attribute, and makes a checker with other parameters.

    Examples:
        >>> checkers.numeric(rel_tol=0.01)("99", "100"), "quasi_exact" in checkers
        (True, True)
    """

    # For editors and type checkers; `__getattr__` finds them, and those of plugins.
    exact_match: type[ExactMatch]
    quasi_exact: type[QuasiExact]
    choice: type[Choice]
    numeric: type[Numeric]
    math: type[Math]
    code: type[Code]
    bleu: type[Bleu]
    chrf: type[Chrf]
    rouge1: type[Rouge1]
    rouge2: type[Rouge2]
    rougeL: type[RougeL]  # noqa: N815 - the name that papers have for it
    judge: type[Judge]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*_OWN, *_find_plugins()]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Any:
        return resolve_name(f"{__package__}.{_OWN[name]}") if name in _OWN else _load_plugin(name)

    def __getattr__(self, name: str) -> Any:
        try:
            if not name.startswith("__"):
                return self[name]
        except KeyError:
            pass
        raise AttributeError(f"there is no checker {name!r}; there are {', '.join(self)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{name:{width}}  {_summarize(self, name)}" for name in self)


def _summarize(found: Checkers, name: str) -> str:
    try:
        return str(found[name].__doc__ or "").strip().partition("\n")[0]
    except InputError as error:
        return str(error)


checkers = Checkers()


def _find_plugins() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=GROUP)}


def _load_plugin(name: str) -> Any:
    plugin = _find_plugins()[name]
    try:
        return plugin.load()
    except Exception as error:
        raise InputError(
            "check.plugin",
            "The checker {name} of the plugin {plugin} cannot be loaded: {fault}.",
            name=repr(name), plugin=plugin.value, fault=f"{type_name(error)}: {error}",
        ) from error  # fmt: skip


def find_checker(check_correct_fn: object) -> Check:
    """Return the checker of a name, or the function that was given.

    Raises:
        InputError: if there is no checker of that name, or a package that it needs is not installed.
        TypeError: if it is neither a name nor a function.

    Examples:
        >>> find_checker("numeric")("1,000", "1000")
        True
    """
    check = check_correct_fn
    if isinstance(check, str):
        if check not in checkers:
            raise InputError(
                "check.unknown",
                "{option:check_correct_fn} must be a function or one of {names}; got {value}",
                names=", ".join(map(repr, checkers)), value=shorten(check),
            )  # fmt: skip
        check = checkers[check]
    if isinstance(check, type) and issubclass(check, Checker):
        check = check()
    if isinstance(check, Checker):
        if not hasattr(check, "name"):
            raise TypeError(f"A checker must have a name; {type_name(check)} has none. Write `name = …` in its class")
        check.require()
        return check
    if not callable(check):
        raise TypeError(
            f"`check_correct_fn` must be a function or the name of a checker; got {shorten(check)} of type "
            f"{type_name(check)}"
        )
    return check


def name_checker(check_correct_fn: object) -> str:
    """Return the name of a checker for a signature: its name with its parameters, or the name of the function."""
    if isinstance(check_correct_fn, str) and not isinstance(checkers[check_correct_fn], type):
        return check_correct_fn  # a function of a plugin
    check = find_checker(check_correct_fn)
    if isinstance(check, Checker):
        return check.describe()
    return f"{getattr(check, '__module__', None)}.{getattr(check, '__qualname__', type_name(check))}"

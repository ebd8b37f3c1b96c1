"""Keys and how they are shown, values that a metric computes for them, and attributes that are computed once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k.combinatorics import Floats, Ints

Kept = TypeVar("Kept")


class cached_property(Generic[Kept]):  # noqa: N801 - a decorator, named as that of functools
    """Compute an attribute when it is first asked for, and keep it.

    That of functools holds a lock while it computes, up to Python 3.11, and one for all instances: a process that is
    forked meanwhile never gets it. Here is no lock. Threads that ask at the same time may all compute, and all of them
    get the value that is kept.

    Examples:
        >>> class Row:
        ...     @cached_property
        ...     def n(self):
        ...         print("counting")
        ...         return 3
        >>> row = Row()
        >>> row.n, row.n
        counting
        (3, 3)
    """

    def __init__(self, compute: Callable[[Any], Kept]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Kept]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Kept: ...

    def __get__(self, instance: object, owner: type) -> cached_property[Kept] | Kept:
        """Compute the attribute. Later, it is found in the instance before this is called."""
        if instance is None:
            return self
        kept: Kept = instance.__dict__.setdefault(self.compute.__name__, self.compute(instance))
        return kept


class Key(str):
    """Name a number by its parts: `Key("G-Pass@k", 8, 0.5)` is the string "G-Pass@8_0.5".

    Attributes:
        metric: the name of the metric, with the letter k or n: "pass@k", "avg@n", "accuracy".
        k: the number that replaces this letter. None keeps the letter, as in the name of a curve against k, or of an
            average over problems of different n.
        tau: the threshold of G-Pass@k.
        draws: k, or None for a value that does not depend on it, such as avg@n, whose number is n.

    Examples:
        >>> Key("pass@k", 4), Key("G-Pass@k", 8, 0.5), Key("pass^k", 2), Key("avg@n"), Key("accuracy")
        ('pass@4', 'G-Pass@8_0.5', 'pass^2', 'avg@n', 'accuracy')
        >>> Key("G-Pass@k", 8, 0.5).k, Key("G-Pass@k", 8, 0.5).line
        (8, 'G-Pass@k_0.5')
    """

    metric: str
    k: int | None
    tau: float | Fraction | None
    draws: int | None

    def __new__(cls, metric: str, k: int | None = None, tau: float | Fraction | None = None) -> Key:
        """Spell the key."""
        name = metric
        if k is not None:
            name = f"{metric[:-1]}{k}"
        key = super().__new__(cls, name if tau is None else f"{name}_{tau}")
        key.metric, key.k, key.tau = metric, k, tau
        key.draws = k if metric[-1] == "k" else None
        return key

    # A string has one argument, a key has three.
    def __getnewargs__(self) -> tuple[str, int | None, float | Fraction | None]:  # type: ignore[override]
        return self.metric, self.k, self.tau

    @property
    def line(self) -> Key:
        """Return the key of the curve against k on which this value is a point."""
        return Key(self.metric, None, self.tau)


def spell(key: str, key_style: str) -> str:
    """Spell a key in a style.

    Examples:
        >>> spell("mG-Pass@8", "plain"), spell("pass^8", "plain")
        ('mg_pass_at_8', 'pass_hat_8')
    """
    if key_style == "standard":
        return key
    return (
        key.lower().replace("@", "_at_").replace("^", "_hat_").replace("-", "_").replace("/", "_")
    )


_NAME = re.compile(r"([a-z-]+[@^])([kn]|[1-9][0-9]{0,8})(?:_([0-9]*\.?[0-9]+|[0-9]+/[1-9][0-9]*))?")
_SYNONYMS = {
    **dict.fromkeys(
        ("maj@", "majority@", "const@", "consensus@", "self-consistency@", "sc@"), "cons@"
    ),
    **{"coverage@": "pass@", "mean@": "avg@", "rm@": "best@", "bon@": "best@"},
}


def read_key(name: str, metrics: Collection[str]) -> Key | None:
    """Read the name of a number, or of a curve, as papers spell it; None if it is that of none of these metrics.

    Examples:
        >>> metrics = ["pass@k", "G-Pass@k", "cons@k", "avg@n", "accuracy"]
        >>> [read_key(name, metrics) for name in ("PASS@4", "SC@8", "g-pass@8_0.5", "avg@n", "pass@n", "best@4")]
        ['pass@4', 'cons@8', 'G-Pass@8_0.5', 'avg@n', None, None]
    """
    spelled = name.strip().lower()
    match = _NAME.fullmatch(spelled)
    if match is None:
        return next((Key(metric) for metric in metrics if metric.lower() == spelled), None)
    start, number, tau = match.groups()
    start = _SYNONYMS.get(start, start)
    metric = next((metric for metric in metrics if metric[:-1].lower() == start), None)
    if metric is None or (number.isalpha() and number != metric[-1]):
        return None
    k = None
    if number.isdigit():
        k = int(number)
    if tau is None:
        return Key(metric, k)
    if metric != "G-Pass@k":
        return None
    return Key(metric, k, Fraction(tau) if "/" in tau else float(tau))


# The same words in English and in Chinese.
Words = tuple[str, str]


@dataclass(frozen=True)
class Style:
    """The look of a line of values against k, which tells it apart from every other line.

    Attributes:
        colour: its colour on the pages, by its name in the style sheet; "" for any that is free.
        pen: its colour, marker and dashes on paper, as Matplotlib takes them. Lines of thresholds have none: they are
            greys, from the lowest τ to the highest.
        waits: whether the pages draw it only when it is asked for.
    """

    colour: str
    pen: tuple[str, str, tuple[int, ...]] | None = None
    waits: bool = False


@dataclass(frozen=True)
class Threshold:
    """A threshold τ whose line is known by words, a colour or a name of its own.

    Attributes:
        label: what its values say, in a few words; by default those of the output, with the share filled in.
        style: how it is drawn; by default as the output says.
        twin: the metric that is the same under another name: pass^k is G-Pass@k with τ = 1.
    """

    label: Words | None = None
    style: Style | None = None
    twin: str | None = None


@dataclass(frozen=True)
class Output:
    """A number that a module returns.

    Attributes:
        key: its key as the documentation spells it: "G-Pass@{k}_{τ}".
        text: its meaning, in Markdown.
        label: its meaning in a few words.
        style: how it is drawn against k; None if it is not, because it is not a share, or repeats another line.
        thresholds: τ → what is special about its line.
        bounded: whether it lies in [0, 1]; otherwise it has the unit of the scores.
        even_k: whether it is compared at even k alone: where k is odd, it cannot reach 1.
        of_module: whether the module always returns it; False for a number that only some results have, such as the
            standard error of a simulation.
    """

    key: str
    text: str
    label: Words = ("", "")
    style: Style | None = None
    thresholds: Mapping[float, Threshold] = field(default_factory=dict)
    bounded: bool = True
    even_k: bool = False
    of_module: bool = True

    @property
    def metric(self) -> str:
        """Return the `Key.metric` of its keys: "G-Pass@k"."""
        return self.key.partition("_{τ}")[0].replace("{", "").replace("}", "")


@dataclass(frozen=True, eq=False)
class Column:
    """Hold one value per problem. Problems with the same value may share it.

    Attributes:
        levels: the values.
        which: the level of each problem; None if each problem has its own.
    """

    levels: Floats
    which: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, values: ArrayLike) -> Column:
        """Make a column in which each problem has a value of its own."""
        return cls(np.asarray(values, dtype=np.float64))

    def __len__(self) -> int:
        return len(self.levels if self.which is None else self.which)

    def expand(self) -> Floats:
        """List the value of every problem."""
        if self.which is None:
            return self.levels
        return self.levels[self.which]

    def count(self, chosen: NDArray[np.intp] | None = None, times: Ints | None = None) -> Ints:
        """Count how often each level occurs, among all problems or the chosen ones."""
        which = np.arange(len(self.levels)) if self.which is None else self.which
        if chosen is not None:
            which = which[chosen]
            if times is not None:
                times = times[chosen]
        counts = np.bincount(which, times, minlength=len(self.levels))
        return counts.astype(np.int64)  # exact below 2⁵³


@dataclass(frozen=True, eq=False)
class Values:
    """Hold the values of a metric for some problems.

    Attributes:
        columns: key → one value per problem.
        errors: key → the standard error of each simulated value.
        conditions: how the values were computed, as a signature states it.
        vary: computes the jackknife variance of each value, by key; a metric of counts has the level of every c that is
            possible. None if it is not known.
    """

    columns: dict[Key, Column]
    errors: dict[Key, Floats] = field(default_factory=dict)
    conditions: dict[str, object] = field(default_factory=dict)
    vary: Callable[[], Mapping[Key, Column]] | None = None

    @property
    def simulated(self) -> bool:
        """Return whether any value is simulated."""
        return any(np.any(error) for error in self.errors.values())


class ErrorBar(NamedTuple):
    """The uncertainty of one number.

    Attributes:
        stderr: its standard error; None where there is none.
        low: the lower limit of its interval.
        high: the upper limit.
        is_upper_bound: whether the interval is that for other problems, which is wider, since some problem has no
            sample more than the k that are drawn.
        is_skewed: whether the values of the problems, which have no range, are so skewed that no interval covers.
    """

    stderr: float | None
    low: float
    high: float
    is_upper_bound: bool = False
    is_skewed: bool = False

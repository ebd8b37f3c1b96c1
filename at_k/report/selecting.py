"""Select problems by their values: those that are neither too easy nor too hard to train on, for instance."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import InputError
from at_k.family import FAMILY
from at_k.report.data import Numbers
from at_k.uncertainty.checks import check_fraction
from at_k.validation import shorten, type_name

_SIGNS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_AVERAGE = re.compile(r"avg(@(n|\d+))?")


@dataclass(frozen=True)
class Bound:
    """A bound on the values of a key.

    Attributes:
        key: its name, as reports print it.
        sign: how a value compares with the number.
        number: the number.
    """

    key: str
    sign: str
    number: float

    @property
    def k(self) -> int | None:
        """Return the k of the key; None for one without k."""
        found = None if _AVERAGE.fullmatch(self.key) else re.search(r"[@^](\d{1,9})", self.key)
        return int(found[1]) if found else None

    @property
    def metrics(self) -> list[str]:
        """List the modules that compute the key."""
        metric = re.sub(r"([@^]).*", r"\1", self.key)
        metric = "avg@" if metric == "avg" else metric
        return [each.name for each in FAMILY.values() if any(own.rstrip("kn") == metric for own in each.metrics)]


def read_condition(text: str) -> list[Bound]:
    """Read a condition: comparisons of a key with numbers, joined by "and".

    Raises:
        TypeError: if it is not a string.
        InputError: if it cannot be read.

    Examples:
        >>> read_condition("0.1 <= avg <= 0.9")
        [Bound(key='avg', sign='>=', number=0.1), Bound(key='avg', sign='<=', number=0.9)]
        >>> read_condition("pass@4 > 0 and cons@8 == 1")
        [Bound(key='pass@4', sign='>', number=0.0), Bound(key='cons@8', sign='==', number=1.0)]
    """
    if not isinstance(text, str):
        raise TypeError(f"`where` must be a string; got {shorten(text)} of type {type_name(text)}")
    bounds = []
    for part in re.split(r"\s+and\s+", text.strip().replace("≤", "<=").replace("≥", ">=")):
        words = re.split(r"\s*(<=|>=|==|<|>)\s*", part)
        for left, sign, right in zip(words[:-2:2], words[1:-1:2], words[2::2], strict=True):
            if _NUMBER.fullmatch(right) and not _NUMBER.fullmatch(left):
                bounds.append(Bound(left, sign, float(right)))
            elif _NUMBER.fullmatch(left) and not _NUMBER.fullmatch(right):
                bounds.append(Bound(right, _TURNED[sign], float(left)))
            else:
                words = []
        if len(words) not in (3, 5) or not all(words):
            raise InputError(
                "select.condition",
                "A condition compares a value with numbers, such as {first} or {second}; got {text}.",
                first="0.1 <= avg <= 0.9",
                second="pass@4 >= 0.5 and cons@8 == 1",
                text=shorten(text),
            )
    return bounds


def select_problems(report: Numbers, where: str, *, confident: bool, confidence_level: float) -> list[int]:
    """Return the places of the problems whose values meet a condition; see `at_k.Report.select`."""
    report.require_problems("A selection")
    level = check_fraction("confidence_level", confidence_level)
    chosen = np.ones(len(report), dtype=bool)
    for bound in read_condition(where):
        low, high = _find_rates(report, bound, level) if confident else _find_values(report, bound)
        compare = _SIGNS[bound.sign]
        chosen &= compare(low, bound.number) & compare(high, bound.number)
    return [int(place) for place in np.flatnonzero(chosen)]


def _find_values(report: Numbers, bound: Bound) -> tuple[Floats, Floats]:
    is_average = _AVERAGE.fullmatch(bound.key) is not None
    for key, values in report.by_problem.items():
        if key == bound.key or (is_average and key.metric == "avg@n"):
            return np.array(values), np.array(values)
    raise InputError(
        "select.no_key",
        "There is no value {key} here. There are {keys}; {option:k} asks for others.",
        key=shorten(bound.key),
        keys=", ".join(["avg", *map(str, report.by_problem)]),
    )


def _find_rates(report: Numbers, bound: Bound, level: float) -> tuple[Floats, Floats]:
    """Find the credible interval of each problem's rate, if every rate was equally likely before."""
    from scipy.special import betaincinv

    if not _AVERAGE.fullmatch(bound.key):
        raise InputError(
            "select.rate", "The interval of a problem is that of avg, its rate of correct samples; got {key}.",
            key=shorten(bound.key),
        )  # fmt: skip
    n, c = np.array(report.n), np.array(report.c)
    tail = (1 - level) / 2
    return betaincinv(c + 1, n - c + 1, tail), betaincinv(c + 1, n - c + 1, 1 - tail)

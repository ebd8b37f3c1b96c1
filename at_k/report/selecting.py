"""Select problems by their values: those that are neither too easy nor too hard to train on, for instance."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import InputError
from at_k.report.data import Numbers
from at_k.report.naming import find_number
from at_k.uncertainty.checks import check_fraction
from at_k.validation import draws_needed, shorten, type_name
from at_k.values import Key

_SIGNS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_SHARES = {"avg@n": 1.0, "pass@k": 0.0, "pass^k": 1.0}
"""Numbers that a rate of correct samples tells, each with the share of the draws that must be correct."""


@dataclass(frozen=True)
class Bound:
    """A bound on the values of a key.

    Attributes:
        key: the number.
        sign: how a value compares with `number`.
        number: the bound.
    """

    key: Key
    sign: str
    number: float


def read_condition(text: str) -> list[Bound]:
    """Read a condition: comparisons of a key with numbers, joined by "and".

    Raises:
        TypeError: if it is not a string.
        InputError: if it cannot be read.

    Examples:
        >>> read_condition("0.1 <= avg <= 0.9")
        [Bound(key='avg@n', sign='>=', number=0.1), Bound(key='avg@n', sign='<=', number=0.9)]
        >>> read_condition("pass@4 > 0 and maj@8 == 1")
        [Bound(key='pass@4', sign='>', number=0.0), Bound(key='cons@8', sign='==', number=1.0)]
    """
    if not isinstance(text, str):
        raise TypeError(f"`where` must be a string; got {shorten(text)} of type {type_name(text)}")
    bounds = []
    for part in re.split(r"\s+and\s+", text.strip().replace("≤", "<=").replace("≥", ">=")):
        words = re.split(r"\s*(<=|>=|==|<|>)\s*", part)
        for left, sign, right in zip(words[:-2:2], words[1:-1:2], words[2::2], strict=True):
            if _NUMBER.fullmatch(right) and not _NUMBER.fullmatch(left):
                bounds.append(Bound(find_number(left), sign, float(right)))
            elif _NUMBER.fullmatch(left) and not _NUMBER.fullmatch(right):
                bounds.append(Bound(find_number(right), _TURNED[sign], float(left)))
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
        low, high = _find_limits(report, bound.key, level) if confident else [_find_values(report, bound.key)] * 2
        compare = _SIGNS[bound.sign]
        chosen &= compare(low, bound.number) & compare(high, bound.number)
    return [int(place) for place in np.flatnonzero(chosen)]


def _find_values(report: Numbers, wanted: Key) -> Floats:
    parts = ("G-Pass@k", wanted.k, 1.0) if wanted.metric == "pass^k" else (wanted.metric, wanted.k, wanted.tau)
    for key, values in report.by_problem.items():
        if (key.metric, key.k, key.tau) == parts or (key.metric == wanted.metric == "avg@n" and wanted.k is None):
            return np.array(values)
    raise InputError(
        "select.no_key",
        "There is no value {key} here. There are {keys}. Score with another k for others.",
        key=shorten(wanted),
        keys=", ".join(["avg", *map(str, report.by_problem)]),
    )


def _find_limits(report: Numbers, key: Key, level: float) -> tuple[Floats, Floats]:
    """Find the credible interval of a number of each problem, if every rate of correct samples was equally likely.

    What k draws give at a rate p, the chance of `needed` successes in k trials, rises with p: limits of the rate become
    limits of the number.
    """
    from scipy.special import bdtrc, betaincinv

    if key.tau is None and key.metric not in _SHARES:
        raise InputError(
            "select.rate",
            "A problem has an interval in what follows from its rate of correct samples: avg, pass@k, pass^k and "
            "G-Pass@k; got {key}.",
            key=shorten(key),
        )
    draws = key.draws or 1
    needed = draws_needed(_SHARES[key.metric] if key.tau is None else key.tau, draws)
    n, c = np.array(report.n), np.array(report.c)
    tail = (1 - level) / 2
    low, high = (bdtrc(needed - 1, draws, betaincinv(c + 1, n - c + 1, each)) for each in (tail, 1 - tail))
    return low, high

"""The difference of two models against k, with a band that holds at all k at once: at which k is which one better?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isinf
from typing import Any

import numpy as np

from at_k.analysis.measurements import Measured, find_estimator, require_reports, to_json_number
from at_k.combinatorics import Floats, Ints
from at_k.error_bars import is_bounded
from at_k.errors import Message
from at_k.family import OUTPUTS, leave_out_twins
from at_k.report import Report
from at_k.report.curves import spread_k
from at_k.uncertainty.bands import find_band_quantile, share_level
from at_k.uncertainty.intervals import find_difference_interval
from at_k.uncertainty.questions import FEW, find_least_p, is_decided
from at_k.uncertainty.standard_errors import add_units, estimate_error, read_clusters
from at_k.values import Key

_EVERY_K = 512
"""Up to this n, a band is over every k; of more, over k that are evenly spread on a logarithmic axis."""


@dataclass(frozen=True)
class Band:
    """Hold the difference of two models in one metric against k, a − b.

    Attributes:
        k: the k of the band, in rising order.
        difference: the mean difference over the problems at each k.
        low: the lower limits. All true differences lie within the limits at once, at the confidence level.
        high: the upper limits.
        confidence_level: the confidence level of the whole band.
        names: what a and b are called.
        line: the metric, such as pass@k.
    """

    k: tuple[int, ...]
    difference: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    confidence_level: float
    names: tuple[str, str]
    line: Key

    @property
    def spans(self) -> list[tuple[str, int, int]]:
        """List the ranges of k in which a is better ("gain"), worse ("loss"), or neither is shown ("open")."""
        kinds = ["gain" if low > 0 else "loss" if high < 0 else "open"
                 for low, high in zip(self.low, self.high, strict=True)]  # fmt: skip
        grouped = groupby(zip(kinds, self.k, strict=True), key=lambda pair: pair[0])
        return [(kind, members[0][1], members[-1][1]) for kind, own in grouped for members in [list(own)]]

    @property
    def first_loss(self) -> tuple[int, int | None] | None:
        """Return the least and the largest k at which a can be worse than b for the first time.

        The second is None if no loss is shown: a may then be worse at no k. None if a is better at every k.
        """
        possible = [k for k, low in zip(self.k, self.low, strict=True) if low <= 0]
        shown = [k for k, high in zip(self.k, self.high, strict=True) if high < 0]
        return (possible[0], shown[0] if shown else None) if possible else None

    def describe(self) -> list[Message]:
        """Say for which k which model is better, and where the first loss can lie after a gain."""
        said = []
        for kind in ("gain", "open", "loss"):
            k = ", ".join(f"{first}–{last}" if last > first else str(first)
                          for own, first, last in self.spans if own == kind)  # fmt: skip
            if k and kind == "open":
                said.append(
                    Message("compare.band_open", "For k = {k}, no difference is shown in {line}.", k=k, line=self.line)
                )
            elif k:
                name = self.names[kind == "loss"]
                said.append(
                    Message(
                        "compare.band_better", "For k = {k}, {name} is better in {line}.", k=k, name=name,
                        line=self.line,
                    )
                )  # fmt: skip
        first = self.first_loss
        if first is not None and first[1] is not None and self.spans[0][0] == "gain":
            said.append(
                Message(
                    "compare.first_loss",
                    "The first k at which {name} is worse lies from {first} to {last}.",
                    name=self.names[0], first=first[0], last=first[1],
                )
            )  # fmt: skip
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for `json.dumps`."""
        return {
            "k": list(self.k),
            "difference": list(self.difference),
            "low": list(map(to_json_number, self.low)),
            "high": list(map(to_json_number, self.high)),
            "spans": [list(span) for span in self.spans],
            "first_loss": self.first_loss,
        }


def find_bands(
    models: Sequence[Measured],
    names: tuple[str, str],
    problems: Sequence[str],
    clusters: Sequence[str] | None,
    *,
    confidence_level: float,
    seed: int,
    times: Ints | None = None,
) -> dict[str, Band]:
    """Find the band of every metric that both models have against k.

    Args:
        models: the two.
        names: what they are called.
        problems: the problems that are compared.
        clusters: the cluster of each of these; None without clusters.
        confidence_level: the level of each band, which holds at all its k.
        seed: of the sign flips.
        times: how many problems each of these stands for, without clusters; None for one each.

    Raises:
        InputError: if a model is known by values alone, and not by a report.
    """
    reports = require_reports(models, names)
    codes = None if clusters is None else read_clusters(clusters, len(problems), "problems")
    smallest = min(min(report.n) for report in reports)
    grid = range(1, smallest + 1) if smallest <= _EVERY_K else spread_k(smallest)
    values = [_trace(report, list(grid)) for report in reports]
    shared = [key for key in values[0] if key in values[1]]
    found: dict[str, Band] = {}
    for line in leave_out_twins(list(dict.fromkeys(key.line for key in shared))):
        keys = [key for key in shared if key.line == line and not (OUTPUTS[key.metric].even_k and (key.k or 0) % 2)]
        if len(keys) < 2:
            continue
        rows = [[model.places[problem] for problem in problems] for model in models]
        table = np.stack([values[0][key][rows[0]] - values[1][key][rows[1]] for key in keys], axis=1)
        low, high = _find_limits(table, codes, is_bounded(keys[0]), confidence_level, seed, times)
        found[str(line)] = Band(
            k=tuple(key.k or 0 for key in keys),
            difference=tuple(np.average(table, axis=0, weights=times).tolist()),
            low=tuple(low.tolist()),
            high=tuple(high.tolist()),
            confidence_level=confidence_level,
            names=names,
            line=line,
        )
    return found


def _trace(report: Report, k: list[int]) -> dict[Key, Floats]:
    """Return the values of each problem at each k; of a report without its samples, those that its counts tell."""
    if report.compute_at is not None:
        return {key: column.expand() for found in report.compute_at(k) for key, column in found.columns.items()}
    n, c = np.array(report.n), np.array(report.c)
    traced: dict[Key, Floats] = {}
    for line in dict.fromkeys(key.line for key in report.by_problem if key.draws is not None):
        estimate = find_estimator(line)
        if estimate is None:
            traced |= {key: np.array(each) for key, each in report.by_problem.items() if key.line == line}
        else:
            table = np.asarray(estimate(n, c, k=k))
            traced |= {Key(line.metric, each, line.tau): table[:, place] for place, each in enumerate(k)}
    return traced


def _find_limits(
    table: Floats, clusters: Ints | None, bounded: bool, confidence_level: float, seed: int, times: Ints | None
) -> tuple[Floats, Floats]:
    """Return the limits of a band. Where few problems differ, they are those of the bounded interval at its level."""
    mean, (stderr, m) = np.average(table, axis=0, weights=times), estimate_error(table, clusters, times)
    q = find_band_quantile(table, clusters, confidence_level=confidence_level, seed=seed, times=times)
    counts = np.sum((add_units(table, clusters)[1] != 0).T * (1 if times is None else times), axis=1)
    few = isinf(q) | (counts < FEW) | (np.ptp(table, axis=0) == 0)
    margin = 0.0 if isinf(q) else q * stderr
    if not bounded:
        return np.where(few, -np.inf, mean - margin), np.where(few, np.inf, mean + margin)
    low, high = np.maximum(mean - margin, -1.0), np.minimum(mean + margin, 1.0)
    if few.any():
        level = share_level(table, clusters, confidence_level=confidence_level, times=times)
        ends = find_difference_interval(mean, stderr, m, confidence_level=level)
        low, high = np.where(few, ends[0], low), np.where(few, ends[1], high)
    # Where no p-value can be below the level, neither model is shown to be better.
    undecided = np.array([not is_decided(find_least_p(int(count)), confidence_level) for count in counts])
    return np.where(undecided, np.minimum(low, 0.0), low), np.where(undecided, np.maximum(high, 0.0), high)

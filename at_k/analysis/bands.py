"""Differences of two models against k, with bands that hold at all k together."""

from __future__ import annotations

import numpy as np

from at_k.analysis.claims import Difference
from at_k.analysis.matching import Matched
from at_k.analysis.measurements import trace
from at_k.family import OUTPUTS, leave_out_twins
from at_k.report import Report
from at_k.report.measuring import spread_k
from at_k.summary import is_bounded
from at_k.uncertainty.decisions import subtract_columns
from at_k.uncertainty.questions import Questions
from at_k.validation import list_common
from at_k.values import Key

# Up to this n, a band is over every k; of more, over k that are evenly spread on a logarithmic axis.
_EVERY_K = 512


def find_bands(
    matched: Matched, *, confidence_level: float, seed: int
) -> dict[Key, list[Difference]]:
    """Find the band of every metric that both models have against k."""
    reports = matched.reports
    smallest = min(min(report.n) for report in reports)
    grid = range(1, smallest + 1) if smallest <= _EVERY_K else spread_k(smallest)
    lines = leave_out_twins(list_common(map(_list_lines, reports)))
    first, second = (trace(report, lines, grid) for report in reports)
    bands: dict[Key, list[Difference]] = {}
    for line in lines:
        draws = [k for k in grid if not (OUTPUTS[line.metric].even_k and k % 2)]
        named = [Key(line.metric, k, line.tau) for k in draws]
        keys = [key for key in named if key in first and key in second]
        if len(keys) < 2:
            continue
        bounded = is_bounded(keys[0])
        pairs = [matched.line_up([first[key], second[key]]) for key in keys]
        table = np.stack([subtract_columns(a, b, bounded=bounded) for a, b in pairs], axis=1)
        questions = Questions(
            table,
            bounded=bounded,
            clusters=matched.codes,
            factor=matched.find_factor(),
            seed=seed,
        )
        limits = questions.find_limits(confidence_level, questions.p_of_band)
        columns = np.stack([questions.mean, *limits, questions.p_of_band], axis=1)
        bands[line] = []
        for key, (value, low, high, p_value) in zip(keys, columns.tolist(), strict=True):
            better = None
            if low > 0:
                better = "a"
            elif high < 0:
                better = "b"
            bands[line].append(Difference(key.k or 0, value, low, high, better, p_value))
    return bands


def _list_lines(report: Report) -> list[Key]:
    """List the lines against k of a report, each once."""
    return list(dict.fromkeys(key.line for key in report.columns if key.draws is not None))

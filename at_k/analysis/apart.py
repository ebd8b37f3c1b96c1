"""Errors of values and differences that flips do not tell: on these very problems, and by an audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from at_k.analysis.matching import Matched
from at_k.analysis.measurements import find_variances, refuse_unknown_samples
from at_k.combinatorics import Floats
from at_k.errors import Phrases
from at_k.estimators.counts import find_table
from at_k.uncertainty.comparison import correct_difference
from at_k.uncertainty.intervals import correct_by_audit, find_difference_interval, interval
from at_k.uncertainty.jackknife import tabulate_variance
from at_k.uncertainty.standard_errors import estimate_error, problem_set_error
from at_k.values import Key

_say = Phrases(
    {
        "compare.no_audit": "{name} has no audited values of {key}. Give data whose column {option:audited} names, and "
        "a number in [0, 1].",
    }
)


class Estimated(NamedTuple):
    """Hold a value or a difference, its standard error, and the units behind it."""

    value: float
    stderr: float
    m: float
    is_upper_bound: bool = False

    def find_limits(self, level: float, *, paired: bool) -> tuple[float, float]:
        """Return the limits, for a value in [0, 1] or for a difference."""
        if paired:
            ends = find_difference_interval(self.value, self.stderr, self.m, confidence_level=level)
        else:
            ends = interval(self.value, self.stderr, self.m, confidence_level=level)
        return float(ends[0]), float(ends[1])


# It estimates a key of the first model, or the difference of two, at a level.
Estimate = Callable[[Matched, Key, float], Estimated]


def estimate_rerun(matched: Matched, key: Key, level: float) -> Estimated:
    """Estimate for other samples of these problems. Where all samples are drawn, the error is an upper bound."""
    values = matched.values(key)
    sizes = matched.line_up([np.array(report.n) for report in matched.reports])
    found = [find_variances(report, [key]) for report in matched.reports]
    for known, name in zip(found, matched.names, strict=True):
        refuse_unknown_samples([key], known, name)
    variances = matched.line_up([known[key] for known in found])
    k = key.draws or 1
    if len(values) == 1:
        largest = _find_largest(key, sizes[0], variances[0])
        error = problem_set_error(values[0], variances[0], sizes[0], k=k, largest=largest)
        return Estimated(float(values[0].mean()), *error)
    d = values[0] - values[1]
    mean = float(d.mean())
    if any((size <= k).any() for size in sizes):
        return Estimated(mean, float(estimate_error(d, None)[0]), float(len(d)), True)
    stderr = float(np.sqrt(sum(variance.sum() for variance in variances))) / len(d)
    return Estimated(mean, stderr, float(min((size // k).sum() for size in sizes)))


def _find_largest(key: Key, n: Any, variances: Floats) -> float:
    """Return the largest variance that any count can have, or for votes and choices, the largest of the problems."""
    table = find_table("pass@k" if key.metric == "avg@n" else key.metric, key.tau)
    if table is None:
        return float(variances.max())
    tabulate = tabulate_variance(table)
    return max(float(tabulate(int(size), key.draws or 1).max()) for size in np.unique(n))


def estimate_audited(matched: Matched, key: Key, level: float) -> Estimated:
    """Estimate by the verdicts of a better judge on some problems, of both models for a difference."""
    observed = matched.values(key)
    audits = matched.line_up([_find_audit(matched, place, key) for place in range(len(observed))])
    if len(observed) == 1:
        value, bar = correct_by_audit(observed[0], audits[0], confidence_level=level)
        audited = np.count_nonzero(~np.isnan(audits[0]))
        return Estimated(value, bar.stderr or 0.0, float(audited))
    d = observed[0] - observed[1]
    true = audits[0] - audits[1]
    return Estimated(*correct_difference(d, true, confidence_level=level))


def _find_audit(matched: Matched, place: int, key: Key) -> Floats:
    audit = matched.reports[place].audit
    if key not in audit:
        raise _say.error("compare.no_audit", name=matched.names[place], key=str(key))
    return np.asarray(audit[key])


def estimate_all(
    matched: Matched, keys: Sequence[Key], level: float, estimate: Estimate
) -> tuple[dict[Key, Estimated], float]:
    """Estimate several keys as one family: each at its share of the level, by Bonferroni."""
    own = 1 - (1 - level) / len(keys)
    return {key: estimate(matched, key, own) for key in keys}, own

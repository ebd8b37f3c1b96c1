"""Values and differences that flips do not judge: on these very problems, and by an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from at_k.analysis.compared import Compared
from at_k.analysis.matching import Matched
from at_k.analysis.measurements import find_variances, refuse_unknown_samples
from at_k.combinatorics import Floats, Ints
from at_k.errors import Mention, Phrases
from at_k.estimators.counts import find_table
from at_k.summary import is_bounded
from at_k.uncertainty.comparison import compare_estimated, correct_difference
from at_k.uncertainty.decisions import Comparison
from at_k.uncertainty.intervals import correct_by_audit, find_difference_interval, interval
from at_k.uncertainty.jackknife import tabulate_variance
from at_k.uncertainty.standard_errors import estimate_error, problem_set_error
from at_k.validation import list_common
from at_k.values import Key

_say = Phrases(
    {
        "compare.of_others": "With {option:target=problem_set}, leave out {names}: it is about other problems, and "
        "the target about other samples of these.",
        "compare.of_audit": "With {option:audited}, leave out {names}: an audit takes problems as independent, "
        "and is about other problems like these.",
        "compare.nothing_audited": "No number that is compared was audited for both models. Give data of which "
        "{option:audited} names a column of verdicts.",
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
    return _estimate_rerun_of(d, variances, sizes, k)


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


def refuse_apart(options: Mapping[str, Any], *, unpaired: bool = False) -> None:
    """Raise for what neither an audit nor other samples of these very problems can be compared with."""
    others = ("clusters", "extra_tests", "band")
    asked = [name for name in others if options.get(name) not in (None, False, (), [])]
    if unpaired:
        asked.append("unmatched")
    is_population = options["target"] == "population"
    if options["audited"] is not None:
        code = "compare.of_audit"
        if not is_population:
            asked.append("target")
    elif is_population:
        return
    else:
        code = "compare.of_others"
    if asked:
        raise _say.error(code, names=Mention(asked[0]))


def compare_audited(matched: Matched, keys: Sequence[str], options: Mapping[str, Any]) -> Compared:
    """Compare by the verdicts of a better judge on some problems."""
    margin = options["margin"]
    audits = [report.audit for report in matched.reports]
    known = list_common(audits)
    asked = [key for key in keys if isinstance(key, Key) and key in known]
    if not asked:
        raise _say.error("compare.nothing_audited")
    level = options["confidence_level"]
    own_level = 1 - (1 - level) / len(asked)
    comparisons: dict[str, Comparison] = {}
    equivalence: dict[str, float] = {}
    for key in asked:
        a, b = matched.values(key)
        pair = compare_estimated(
            a,
            b,
            estimate_audited(matched, key, own_level)[:3],
            method="audited",
            confidence_level=level,
            questions=len(asked),
            margin=margin,
        )
        comparisons[key] = pair
        if pair.p_equivalence is not None:
            equivalence[key] = min(1.0, len(asked) * pair.p_equivalence)
    return Compared(
        (matched.names[0], matched.names[1]),
        comparisons,
        equivalence=equivalence,
        margin=margin,
        questions=len(asked),
        unlike=matched.unlike_samples,
    )


def compare_reruns(
    matched: Matched, pairs: Mapping[str, Sequence[Floats]], *, needed: bool, **shared: Any
) -> dict[str, Comparison]:
    """Compare for other samples of these problems, where the samples tell how others would differ."""
    compared: dict[str, Comparison] = {}
    for key, estimated in estimate_reruns(matched, pairs, needed=needed).items():
        a, b = pairs[key]
        bounded = is_bounded(key)
        pair = compare_estimated(a, b, estimated[:3], method="rerun", bounded=bounded, **shared)
        won = int((a > b).sum())
        lost = int((a < b).sum())
        compared[key] = replace(pair, won=won, lost=lost, tied=len(a) - won - lost)
    return compared


def estimate_reruns(
    matched: Matched, pairs: Mapping[str, Sequence[Floats]], *, needed: bool
) -> dict[Key, Estimated]:
    """Estimate differences for other samples of these problems, but not where all n are drawn.

    Where it is `needed`, samples that are not known are an error.
    """
    are_known = all(model.report is not None for model in matched.models)
    if not needed and (not are_known or matched.counts is None):
        return {}
    reports = matched.reports
    sizes = matched.line_up([np.array(report.n) for report in reports])
    least = min(int(size.min()) for size in sizes)
    draws = {key: key.draws or 1 for key in reports[0].by_problem if key in pairs}
    known = [key for key in draws if draws[key] < least]
    variances = [find_variances(report, known) for report in reports]
    if needed:
        for found, name in zip(variances, matched.names, strict=True):
            refuse_unknown_samples(known, found, name)
    estimated = {}
    for key in known:
        if all(key in found for found in variances):
            a, b = pairs[key]
            own = matched.line_up([table[key] for table in variances])
            estimated[key] = _estimate_rerun_of(a - b, own, sizes, draws[key])
    return estimated


def _estimate_rerun_of(
    d: Floats, variances: Sequence[Floats], sizes: Sequence[Ints], k: int
) -> Estimated:
    """Estimate a mean difference for other samples, from the jackknife variances of both models."""
    stderr = float(np.sqrt(sum(variance.sum() for variance in variances))) / len(d)
    return Estimated(float(d.mean()), stderr, float(min((size // k).sum() for size in sizes)))

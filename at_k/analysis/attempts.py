"""Rules about samples: problems that are solved and that flake, missing samples, and what correct samples cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from at_k.analysis.findings import Findings, Rule, quote
from at_k.columns import Rows
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, Phrases
from at_k.uncertainty.standard_errors import add_units, read_clusters
from at_k.validation import is_number

_COST = re.compile("cost|tokens", re.IGNORECASE)
"""Words in the names of costs, such as agent_cost and num_output_tokens."""

_EXAMPLES, _ATTEMPTS = 5, 8
"""The problems that a sentence names at most, and the failed attempts of each."""

UNVARIED = 60
"""The least number of problems, none with differing samples, from which copies are suspected. If in every twentieth
problem samples differ, all of 60 are without one in 5 % of such data sets."""

_say = Phrases(
    {
        "diagnosis.solved": "Problems with all samples correct: {always:,} of {total:,} ({always_share:.1%}); some: "
        "{sometimes:,} ({sometimes_share:.1%}); none: {never:,} ({never_share:.1%}).",
        "diagnosis.one_sample": "Every problem has one sample. How much the samples of a problem differ, and whether "
        "retries or a vote would help, cannot be said: take several.",
        "diagnosis.no_variation": "No problem has both correct and wrong samples, in {several:,} problems with "
        "several. Check that the samples are not copies of one, and that they were drawn at a temperature above 0.",
        "diagnosis.flaky": "Problems that flake, with correct and with wrong samples: {count:,} of {total:,}. Wrong "
        "samples, counted from 0, of those with the fewest: {examples}.",
        "diagnosis.missing": "Missing samples: {missing:,} of {total:,}. Correct are {of_all:.1%} of all, and "
        "{of_present:.1%} of those that are there.",
        "diagnosis.cost": "A correct sample takes {value} of {name}, with all samples that were drawn for it; a sample "
        "alone takes {mean:.4g}.",
    }
)


def count_solved(findings: Findings) -> Iterator[Message]:
    """Count the problems that are always, sometimes and never solved."""
    never, always, total = int((findings.c == 0).sum()), int((findings.c == findings.n).sum()), len(findings.n)
    findings.figures["solved"] = solved = {"always": always, "sometimes": total - never - always, "never": never}
    shares = {f"{name}_share": count / total for name, count in solved.items()}
    yield _say("diagnosis.solved", total=total, **solved, **shares)
    several = int((findings.n > 1).sum())
    if not several:
        yield _say("diagnosis.one_sample")
    elif several >= UNVARIED and solved["sometimes"] == 0 and always and never:
        yield _say("diagnosis.no_variation", several=several)


def find_flaky(findings: Findings) -> Iterator[Message]:
    """Name the problems of which some samples are correct and some are wrong, with the samples that failed."""
    if findings.verdicts is None:
        return
    verdicts, names = findings.verdicts, findings.report.problems
    places = np.arange(verdicts.given.sum()) if verdicts.kept is None else np.flatnonzero(verdicts.kept)
    starts = np.cumsum(verdicts.given) - verdicts.given
    correct, offsets = verdicts.correct.values > 0, verdicts.correct.offsets
    failed = {}
    for problem in np.flatnonzero((findings.c > 0) & (findings.c < findings.n)).tolist():
        own = slice(offsets[problem], offsets[problem + 1])
        failed[names[problem]] = (places[own][~correct[own]] - starts[problem]).tolist()
    findings.figures["flaky"] = failed
    if failed:
        fewest = sorted(failed.items(), key=lambda item: len(item[1]))[:_EXAMPLES]
        examples = "; ".join(f"{quote(name)} {_list_attempts(own)}" for name, own in fewest)
        yield _say("diagnosis.flaky", count=len(failed), total=len(findings.n), examples=examples)


def _list_attempts(failed: list[int]) -> str:
    return ", ".join([*map(str, failed[:_ATTEMPTS]), *(["…"] if len(failed) > _ATTEMPTS else [])])


def weigh_missing(findings: Findings) -> Iterator[Message]:
    """Give the share of correct samples by both denominators, where samples are missing."""
    if findings.verdicts is None:
        return
    missing, total, right = findings.verdicts.n_missing, int(findings.verdicts.given.sum()), int(findings.c.sum())
    if missing and total > missing:
        shares = {"of_all": right / total, "of_present": right / (total - missing)}
        findings.figures |= {f"correct_{name}": share for name, share in shares.items()}
        yield _say("diagnosis.missing", missing=missing, total=total, **shares)


def weigh_costs(findings: Findings) -> Iterator[Message]:
    """Give the cost of each correct sample, and what k samples of each problem cost and solve."""
    report, found = findings.report, {}
    for name in [] if report.rows is None else filter(_COST.search, report.rows[0]):
        costs = None if report.rows is None else _read_costs(report.rows, name, findings.n)
        if costs is None:
            continue
        each = cost_per_success(
            costs, findings.c, findings.n, clusters=report.clusters, confidence_level=findings.confidence_level
        )
        once, mean = float((costs / findings.n).sum()), float(costs.sum()) / int(findings.n.sum())
        found[name] = {
            "total": float(costs.sum()),
            "per_sample": mean,
            "per_success": {part: value if isfinite(value) else None for part, value in each._asdict().items()},
            "coverage": [
                {"k": key.k, "cost": key.k * once, "solved": value * len(findings.n)}
                for key, value in report.values.items() if key.metric == "pass@k" and key.k is not None
            ],
        }  # fmt: skip
        if isfinite(each.value):
            limits = f" [{each.low:.4g}, {each.high:.4g}]" if isfinite(each.high) else ""
            yield _say("diagnosis.cost", value=f"{each.value:.4g}{limits}", name=name, mean=mean)
    findings.figures["costs"] = found or None


def _read_costs(rows: Rows, name: str, n: Ints) -> Floats | None:
    """Return what the samples of each problem cost; None unless every sample has a cost, and one of them is not 0."""
    found = []
    for row, samples in zip(rows, n, strict=True):
        costs = row.get(name)
        # Samples without a verdict may be dropped, but have a cost. Fewer costs than samples are not those of all.
        if not isinstance(costs, list) or len(costs) < samples:
            return None
        if not all(is_number(cost) and 0 <= cost < inf for cost in costs):
            return None
        found.append(sum(costs))
    return np.array(found, dtype=np.float64) if any(found) else None


class CostPerSuccess(NamedTuple):
    """Hold what a correct sample costs, in the unit of the costs: infinite if none is correct."""

    value: float
    low: float
    high: float


def cost_per_success(
    costs: Floats,
    successes: Ints,
    samples: Ints | int,
    /,
    *,
    clusters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
) -> CostPerSuccess:
    """Compute what a correct sample costs, with an interval for other problems like these.

    Formula: the hull of three intervals exp(log r ± t·se), r = Σ cost/Σ successes, with the jackknife over problems, or
        clusters, se² = (G − 1)/G · Σ (log r₋ᵢ − their mean)², and Student's t for G − 1 degrees of freedom: of the
        problems as they are; with one further problem of mean cost and ¾ of the mean number of samples correct, of
        which the lower end counts; and with one of which ¼ are, of which the upper end counts.

    References:
        Costs at which problems are solved: S. Meir et al., More Bang for the Buck, 2026,
        https://arxiv.org/abs/2601.21522.

    Examples:
        >>> found = cost_per_success(np.array([4.0, 2.0, 3.0, 3.0]), np.array([1, 2, 2, 1]), 2)
        >>> found.value, round(found.low, 2), round(found.high, 2)
        (2.0, 0.76, 5.36)
    """
    codes = None if clusters is None else read_clusters(clusters, len(costs), "costs")
    _, sums = add_units(np.stack([costs, successes], axis=1), codes)
    total = sums.sum(axis=0)
    value = float(total[0] / total[1]) if total[1] else inf
    if len(sums) < 2 or (total - sums <= 0).any():
        return CostPerSuccess(value, 0.0, inf)
    low, high = _find_ends(sums, confidence_level)
    # Problems that happen to be equal say too little of others: the plain interval is then too narrow.
    further = [[costs.mean(), share * np.mean(samples)] for share in (0.75, 0.25)]
    ends = [_find_ends(np.append(sums, [each], axis=0), confidence_level) for each in further]
    return CostPerSuccess(value, min(low, value, ends[0][0]), max(high, value, ends[1][1]))


def _find_ends(sums: Floats, level: float) -> tuple[float, float]:
    """Return the ends of the jackknife's interval, for costs and successes of each unit."""
    from scipy.special import stdtrit

    total = sums.sum(axis=0)
    logs = np.log((total - sums)[:, 0] / (total - sums)[:, 1])
    margin = stdtrit(len(sums) - 1, (1 + level) / 2) * np.sqrt((len(sums) - 1) * logs.var())
    value = np.log(total[0] / total[1])
    return float(np.exp(value - margin)), float(np.exp(value + margin))


RULES: tuple[Rule, ...] = (count_solved, find_flaky, weigh_missing, weigh_costs)

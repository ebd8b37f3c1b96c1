"""Rules about samples: problems that are solved and that flake, missing samples, and what correct samples cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.findings import Findings, Rule, quote
from at_k.columns import Rows
from at_k.combinatorics import Floats, Ints
from at_k.errors import InputError, Mention, Message, Phrases
from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import add_units, read_clusters, standard_error
from at_k.validation import is_number

if TYPE_CHECKING:
    from at_k.report import Report

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


_ORDERS = 1000
"""Orders of a problem's samples that are drawn: the error of one problem's share is at most .016."""


def find_solved_within(
    costs: Floats, correct: NDArray[np.bool_], budgets: Floats, rng: np.random.Generator, *, orders: int = _ORDERS
) -> tuple[Floats, Floats]:
    """Compute the chance that a problem is solved within each budget, and the variance of what was simulated.

    Samples are drawn without replacement while the next one can be paid for: of equal cost, this is pass@⌊budget/cost⌋.
    """
    n, c = len(costs), int(correct.sum())
    allowed = budgets * (1 + 1e-9)  # three samples of .1 cost more than .3 in floats
    exact = np.zeros(len(budgets))
    if c == 0:
        return exact, exact
    if (costs == costs[0]).all():
        afforded = np.minimum(n, allowed // costs[0]).astype(np.int64) if costs[0] else np.full(len(budgets), n)
        pays = afforded > 0
        exact[pays] = pass_at_k(n, c, k=afforded[pays].tolist()) if pays.any() else 0
        return exact, np.zeros(len(budgets))
    places = rng.permuted(np.broadcast_to(np.arange(n), (orders, n)), axis=1)
    first = correct[places].argmax(axis=1)
    spent = np.sort(costs[places].cumsum(axis=1)[np.arange(orders), first])
    solved = np.searchsorted(spent, allowed, side="right") / orders
    return solved, solved * (1 - solved) / orders


class Budgets(NamedTuple):
    """Hold the expected share of problems solved against a budget per problem, with its band, and what it is in.

    `simulated` is the largest error of the simulation, 0 where costs are equal in each problem.
    """

    unit: str
    budgets: Floats
    solved: Floats
    low: Floats
    high: Floats
    simulated: float


_MOST_BUDGETS = 100


def solve_by_budget(report: Report, unit: str, *, seed: int = 0, confidence_level: float = 0.95) -> Budgets:
    """Compute the expected share of problems solved, up to the budget at which some problem has no sample left.

    Args:
        report: the report of samples that are at hand.
        unit: one of `list_units`.
        seed: of the orders that are drawn where costs differ.
        confidence_level: that of the band, at each budget, for other problems.

    Raises:
        InputError: if the report does not hold its samples, or a problem costs nothing.

    Examples:
        >>> from at_k import score
        >>> found = solve_by_budget(score({"grades": [[1, 0], [0, 0]], "cost": [[3, 3], [2, 4]]}), "cost")
        >>> found.budgets[[0, 50, 100]].tolist(), found.solved[[0, 50]].tolist(), float(found.solved[-1])
        ([0.0, 3.0, 6.0], [0.0, 0.25], 0.5)
    """
    verdicts = report.samples[1]
    report.require_independent("A budget")
    costs, correct = _list_costs(report, unit), np.split(verdicts.correct.values, verdicts.correct.offsets[1:-1])
    totals = [float(own.sum()) for own in costs]
    top = min(totals)
    if top == 0:
        raise InputError(
            "budget.free",
            "A budget needs costs in every problem; those of {problem} are all 0. Name another column, or count "
            "samples: {without}.",
            problem=quote(report.problems[totals.index(top)]), without=Mention(columns={"cost": None}),
        )  # fmt: skip
    budgets = np.arange(top + 1) if unit == SAMPLES else np.linspace(0, top, _MOST_BUDGETS + 1)
    rng = np.random.default_rng(seed)
    pairs = zip(costs, correct, strict=True)
    found = np.array([find_solved_within(own, right, budgets, rng) for own, right in pairs])
    shares, variances = found[:, 0], found[:, 1]
    solved = shares.mean(axis=0)
    low, high = interval(
        solved, *standard_error(shares, clusters=report.clusters), confidence_level=confidence_level
    )  # the simulation is a part of what differs between problems
    return Budgets(unit, budgets, solved, low, high, float(np.sqrt(variances.sum(axis=0)).max() / len(costs)))


SAMPLES = "samples"
"""The unit of a budget where each sample costs as much as any other."""


def list_units(report: Report) -> list[str]:
    """List what budgets of a report can be in: its costs, the role before other names, and samples."""
    given, rows = report.samples[1].given, report.rows
    names = [] if rows is None else sorted(filter(_COST.search, rows[0]), key=lambda name: name != "cost")
    return [
        *(name for name in names if rows is not None and _read_costs(rows, name, given) is not None),
        SAMPLES,
    ]


def _list_costs(report: Report, unit: str) -> list[Floats]:
    """List the costs of the samples of each problem; those without a verdict that were dropped have left."""
    verdicts = report.samples[1]
    if unit == SAMPLES or report.rows is None:
        return [np.ones(n) for n in verdicts.n.tolist()]
    costs = [np.array(row[unit], np.float64) for row in report.rows]
    if verdicts.kept is None:
        return costs
    kept = np.split(verdicts.kept, np.cumsum(verdicts.given)[:-1])
    return [own[here] for own, here in zip(costs, kept, strict=True)]


RULES: tuple[Rule, ...] = (count_solved, find_flaky, weigh_missing, weigh_costs)

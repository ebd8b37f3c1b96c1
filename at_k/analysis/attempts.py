"""Rules about samples: problems that are solved and that flake, missing samples, and what correct samples cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, inf, isfinite, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.findings import Findings, Rule, quote
from at_k.combinatorics import Floats
from at_k.errors import InputError, Mention, Message, Phrases
from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import cost_per_success, read_costs, standard_error

if TYPE_CHECKING:
    from at_k.report import Report

# The problems that a sentence names at most, and the failed attempts of each.
_EXAMPLES, _ATTEMPTS = 5, 8

# The least number of problems, none with differing samples, from which copies are suspected. If in every twentieth
# problem samples differ, all of 60 are without one in 5 % of such data sets.
UNVARIED = 60

# With fewer problems, dear failures may not have been seen.
_FEW = 15

# The rate of an event for which the samples are counted that would show it, and the chance that they do not.
_RATE, _ALPHA = 0.01, 0.05

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
        "diagnosis.missing": "Missing samples: {missing:,} of {total:,}. Accuracy: {of_all:.1%} of all samples, "
        "{of_present:.1%} of graded samples.",
        "diagnosis.cost": "Cost per success, in {name}: {value} (failures included). Cost per sample: {mean:.4g}.",
        "diagnosis.dear": "Failures that are rare and dear may not be among these {problems:,} problems: the cost per "
        "success of others may be higher.",
        "diagnosis.all_solved": "No sample is wrong in {total:,} problems: with 95 % confidence, at most {bound:.1%} "
        "of other problems like these have a wrong one. {samples:,} samples of a problem show failures of 1 % with "
        "95 %.",
        "diagnosis.none_solved": "No sample is correct in {total:,} problems: with 95 % confidence, at most "
        "{bound:.1%} of other problems like these have a correct one. {samples:,} samples of a problem show successes "
        "of 1 % with 95 %.",
        "budget.cheaper": "To solve {share:.3g} % of the problems, {first} needs {a} and {second} {b} ({unit} of each "
        "problem): {ratio} times as much [{interval}].",
        "budget.unreached": "{share:.3g} % of the problems are not solved by both with all of their samples: {solved}.",
    }
)


def count_solved(findings: Findings) -> Iterator[Message]:
    """Count the problems that are always, sometimes and never solved."""
    never = int((findings.c == 0).sum())
    always = int((findings.c == findings.n).sum())
    total = len(findings.n)
    findings.figures["solved"] = solved = {
        "always": always,
        "sometimes": total - never - always,
        "never": never,
    }
    shares = {f"{name}_share": count / total for name, count in solved.items()}
    yield _say("diagnosis.solved", total=total, **solved, **shares)
    several = int((findings.n > 1).sum())
    if not several:
        yield _say("diagnosis.one_sample")
    elif several >= UNVARIED and solved["sometimes"] == 0 and always and never:
        yield _say("diagnosis.no_variation", several=several)


def note_no_event(findings: Findings) -> Iterator[Message]:
    """Say what can be known of an event that did not occur: a failure, or a success."""
    if findings.c.any() and (findings.c < findings.n).any():
        return
    total = len(findings.n)
    bound = float(1 - _ALPHA ** (1 / total))
    samples = ceil(log(_ALPHA) / log(1 - _RATE))
    findings.figures["no_event"] = {"bound": bound, "rate": _RATE, "samples": samples}
    code = "diagnosis.all_solved" if findings.c.any() else "diagnosis.none_solved"
    yield _say(code, total=total, bound=bound, samples=samples)


def find_flaky(findings: Findings) -> Iterator[Message]:
    """Name the problems of which some samples are correct and some are wrong, with the samples that failed."""
    if findings.verdicts is None:
        return
    verdicts, names = findings.verdicts, findings.report.problems
    if verdicts.kept is None:
        places = np.arange(verdicts.given.sum())
    else:
        places = np.flatnonzero(verdicts.kept)
    starts = np.cumsum(verdicts.given) - verdicts.given
    correct = verdicts.correct.values > 0
    offsets = verdicts.correct.offsets
    failed = {}
    for problem in np.flatnonzero((findings.c > 0) & (findings.c < findings.n)).tolist():
        here = slice(offsets[problem], offsets[problem + 1])
        failed[names[problem]] = (places[here][~correct[here]] - starts[problem]).tolist()
    findings.figures["flaky"] = failed
    if failed:
        fewest = sorted(failed.items(), key=lambda item: len(item[1]))[:_EXAMPLES]
        examples = "; ".join(f"{quote(name)} {list_attempts(places)}" for name, places in fewest)
        yield _say("diagnosis.flaky", count=len(failed), total=len(findings.n), examples=examples)


def list_attempts(failed: list[int]) -> str:
    """List the first samples that failed."""
    return ", ".join([*map(str, failed[:_ATTEMPTS]), *(["…"] if len(failed) > _ATTEMPTS else [])])


def weigh_missing(findings: Findings) -> Iterator[Message]:
    """Give the share of correct samples by both denominators, where samples are missing."""
    if findings.verdicts is None:
        return
    missing = findings.verdicts.n_missing
    total = int(findings.verdicts.given.sum())
    right = int(findings.c.sum())
    if missing and total > missing:
        shares = {"of_all": right / total, "of_present": right / (total - missing)}
        findings.figures |= {f"correct_{name}": share for name, share in shares.items()}
        yield _say("diagnosis.missing", missing=missing, total=total, **shares)


def weigh_costs(findings: Findings) -> Iterator[Message]:
    """Give the cost of each correct sample, and what k samples of each problem cost and solve."""
    report, priced = findings.report, {}
    for name, costs in read_costs(report.rows, findings.n).items():
        cost = cost_per_success(
            costs,
            findings.c,
            findings.n,
            clusters=report.clusters,
            confidence_level=findings.confidence_level,
        )
        once = float((costs / findings.n).sum())
        mean = float(costs.sum()) / int(findings.n.sum())
        priced[name] = {
            "total": float(costs.sum()),
            "per_sample": mean,
            "per_success": {
                part: value if isfinite(value) else None for part, value in cost._asdict().items()
            },
            "coverage": [
                {"k": key.k, "cost": key.k * once, "solved": value * len(findings.n)}
                for key, value in report.values.items()
                if key.metric == "pass@k" and key.k is not None
            ],
        }
        if isfinite(cost.value):
            limits = ""
            if isfinite(cost.high):
                limits = f" [{cost.low:.4g}, {cost.high:.4g}]"
            yield _say("diagnosis.cost", value=f"{cost.value:.4g}{limits}", name=name, mean=mean)
            if len(costs) < _FEW or (findings.c == findings.n).all():
                yield _say("diagnosis.dear", problems=len(costs))
    findings.figures["costs"] = priced or None


# Orders of a problem's samples that are drawn: the error of one problem's share is at most .016.
_ORDERS = 1000


def find_solved_within(
    costs: Floats,
    correct: NDArray[np.bool_],
    budgets: Floats,
    rng: np.random.Generator,
    *,
    orders: int = _ORDERS,
) -> tuple[Floats, Floats]:
    """Compute the chance that a problem is solved within each budget, and the variance of what was simulated."""
    # Samples are drawn without replacement while the next one can be paid for: of equal cost, this is
    # pass@⌊budget/cost⌋.
    n = len(costs)
    c = int(correct.sum())
    allowed = budgets * (1 + 1e-9)  # three samples of .1 cost more than .3 in floats
    exact = np.zeros(len(budgets))
    if c == 0:
        return exact, exact
    if (costs == costs[0]).all():
        if costs[0]:
            afforded = np.minimum(n, allowed // costs[0]).astype(np.int64)
        else:
            afforded = np.full(len(budgets), n)
        pays = afforded > 0
        if pays.any():
            exact[pays] = pass_at_k(n, c, k=afforded[pays].tolist())
        else:
            exact[pays] = 0
        return exact, np.zeros(len(budgets))
    places = rng.permuted(np.broadcast_to(np.arange(n), (orders, n)), axis=1)
    first = correct[places].argmax(axis=1)
    spent = np.sort(costs[places].cumsum(axis=1)[np.arange(orders), first])
    solved = np.searchsorted(spent, allowed, side="right") / orders
    return solved, solved * (1 - solved) / orders


class Budgets(NamedTuple):
    """Hold the expected share of problems solved against a budget per problem, with its band, and what it is in.

    `simulated` is the largest error of the simulation, 0 where costs are equal in each problem; `shares` has a row for
    each problem, whose names are `problems`.
    """

    unit: str
    budgets: Floats
    solved: Floats
    low: Floats
    high: Floats
    simulated: float
    shares: Floats
    problems: Sequence[str]

    def find_needed(self, share: float, weights: Floats | None = None) -> Floats:
        """Find the least budget that solves a share of problems; infinite where all samples solve fewer."""
        # Each row of weights says how often every problem counts.
        counts = np.ones((1, len(self.shares))) if weights is None else weights
        curves = counts @ self.shares / counts.sum(axis=1, keepdims=True)
        reached = curves >= share - 1e-12
        return np.where(reached[:, -1], self.budgets[reached.argmax(axis=1)], inf)


_MOST_BUDGETS = 100


def solve_by_budget(
    report: Report, unit: str, *, seed: int = 0, confidence_level: float = 0.95
) -> Budgets:
    """Compute the expected share of problems solved, up to the budget at which some problem has no sample left.

    Examples:
        >>> from at_k import score
        >>> found = solve_by_budget(score({"grades": [[1, 0], [0, 0]], "cost": [[3, 3], [2, 4]]}), "cost")
        >>> found.budgets[[0, 50, 100]].tolist(), found.solved[[0, 50]].tolist(), float(found.solved[-1])
        ([0.0, 3.0, 6.0], [0.0, 0.25], 0.5)
    """
    verdicts = report.samples[1]
    report.require_independent("A budget")
    costs = _list_costs(report, unit)
    correct = np.split(verdicts.correct.values, verdicts.correct.offsets[1:-1])
    totals = [float(row.sum()) for row in costs]
    top = min(totals)
    if top == 0:
        raise InputError(
            "budget.free",
            "A budget needs costs in every problem; those of {problem} are all 0. Name another column, or count "
            "samples: {without}.",
            problem=quote(report.problems[totals.index(top)]),
            without=Mention(columns={"cost": None}),
        )
    step = float(costs[0][0])
    # Then budgets between whole samples solve no more
    steady = all((row == step).all() for row in costs)
    if steady:
        grid = np.arange(round(top / step) + 1)
    else:
        grid = np.arange(_MOST_BUDGETS + 1)
    budgets = np.asarray(grid * (step if steady else top / _MOST_BUDGETS), dtype=np.float64)
    rng = np.random.default_rng(seed)
    pairs = zip(costs, correct, strict=True)
    curves = np.array([find_solved_within(row, right, budgets, rng) for row, right in pairs])
    shares = curves[:, 0]
    variances = curves[:, 1]
    solved = shares.mean(axis=0)
    low, high = interval(
        solved, *standard_error(shares, clusters=report.clusters), confidence_level=confidence_level
    )  # the simulation is a part of what differs between problems
    return Budgets(
        unit,
        budgets,
        solved,
        low,
        high,
        float(np.sqrt(variances.sum(axis=0)).max() / len(costs)),
        shares,
        report.problems,
    )


# Data sets of the bootstrap over problems.
_DRAWS = 999


def compare_budgets(
    a: Budgets,
    b: Budgets,
    names: Sequence[str],
    *,
    share: float = 0.8,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Message:
    """Say at which budgets two models solve a share of the problems, and how many times as much the first one takes.

    Examples:
        >>> from at_k import score
        >>> cheap, dear = (score({"grades": [[1, 1]] * 9, "cost": [[each] * 2] * 9}) for each in (1, 2))
        >>> print(compare_budgets(*(solve_by_budget(each, "cost") for each in (cheap, dear)), ("cheap", "dear")))
        To solve 80 % of the problems, cheap needs 1 and dear 2 (cost of each problem): 0.5 times as much [0.5, 0.5].
    """
    # The interval is from a bootstrap over problems, which are drawn together where both models have the same ones. It
    # has no upper end where the first model solves the share in too few of these data sets, and begins at 0 where the
    # second one does. Its quantiles are those of half of 1 − `confidence_level`: the others covered .88 to .92 in four
    # of seven simulated cells, these .945 to 1.
    rng = np.random.default_rng(seed)
    paired = list(a.problems) == list(b.problems)
    drawn = [_draw_problems(rng, len(model.problems)) for model in ((a,) if paired else (a, b))]
    needed = [float(model.find_needed(share)[0]) for model in (a, b)]
    others = [model.find_needed(share, drawn[-place]) for place, model in enumerate((a, b))]
    known = {"share": 100 * share, "unit": a.unit, "first": names[0], "second": names[1]}
    if not all(map(isfinite, needed)):
        solved = ", ".join(
            f"{name} {model.solved[-1]:.1%}" for name, model in zip(names, (a, b), strict=True)
        )
        return _say("budget.unreached", **known, solved=solved)
    with np.errstate(invalid="ignore"):
        ratios = others[0] / others[1]
    place = int((1 - confidence_level) / 4 * (_DRAWS + 1))
    # A data set in which neither model solves the share says nothing of the ratio: it counts beyond both ends.
    limits = (
        np.sort(np.nan_to_num(ratios, nan=0.0))[place - 1],
        np.sort(np.nan_to_num(ratios, nan=inf))[-place],
    )
    ends = [f"{end:.3g}" if isfinite(end) else "no end" for end in limits]
    values = {
        "a": f"{needed[0]:.4g}",
        "b": f"{needed[1]:.4g}",
        "ratio": f"{needed[0] / needed[1]:.3g}",
    }
    return _say("budget.cheaper", **known, **values, interval=", ".join(ends))


def _draw_problems(rng: np.random.Generator, problems: int) -> Floats:
    """Draw data sets of problems with replacement: how often each problem is in each data set."""
    drawn = rng.integers(problems, size=(_DRAWS, problems)) + problems * np.arange(_DRAWS)[:, None]
    return (
        np.bincount(drawn.ravel(), minlength=_DRAWS * problems)
        .reshape(_DRAWS, problems)
        .astype(np.float64)
    )


# The unit of a budget where each sample costs as much as any other.
SAMPLES = "samples"


def list_units(report: Report) -> list[str]:
    """List what budgets of a report can be in: its costs, the role before other names, and samples."""
    return [
        *sorted(read_costs(report.rows, report.samples[1].given), key=lambda name: name != "cost"),
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
    return [row[here] for row, here in zip(costs, kept, strict=True)]


RULES: tuple[Rule, ...] = (count_solved, note_no_event, find_flaky, weigh_missing, weigh_costs)

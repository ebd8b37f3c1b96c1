"""The share of problems that a budget solves, and how many times as much of it one of two models needs."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.findings import quote
from at_k.combinatorics import Floats
from at_k.errors import Mention, Message, Phrases
from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import read_costs, standard_error

if TYPE_CHECKING:
    from at_k.report import Report

_say = Phrases(
    {
        "budget.cheaper": "To solve {share:.3g} % of the problems, {first} needs {a} and {second} {b} ({unit} of each "
        "problem): {ratio} times as much [{interval}].",
        "budget.unreached": "{share:.3g} % of the problems are not solved by both with all of their samples: {solved}.",
        "budget.free": "A budget needs costs in every problem; those of {problem} are all 0. Name another column, or "
        "count samples: {without}.",
    }
)

# Orders of a problem's samples that are drawn: the error of one problem's share is at most .016.
_ORDERS = 1000


def find_solved_within(
    costs: Floats,
    correct: NDArray[np.bool_],
    budgets: Floats,
    rng: np.random.Generator,
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


def solve_by_budget(report: Report, unit: str) -> Budgets:
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
        raise _say.error(
            "budget.free",
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
    rng = np.random.default_rng(0)
    pairs = zip(costs, correct, strict=True)
    curves = np.array([find_solved_within(row, right, budgets, rng) for row, right in pairs])
    shares = curves[:, 0]
    variances = curves[:, 1]
    solved = shares.mean(axis=0)
    # The simulation is a part of what differs between problems.
    low, high = interval(solved, *standard_error(shares, clusters=report.clusters))
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
    # second one does. Its quantiles are those of .0125 and .9875: .025 and .975 covered .88 to .92 in four
    # of seven simulated cells, these .945 to 1.
    rng = np.random.default_rng(0)
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
    place = round(0.0125 * (_DRAWS + 1))
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

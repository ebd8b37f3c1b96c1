"""Intervals of metrics in [0, 1]: for other problems, for the problem set, and by other methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import comb
from typing import Any

import numpy as np
from scipy import stats

from at_k.estimators.consensus import cons_at_k, read_votes
from at_k.estimators.counts import (
    Table,
    tabulate_g_pass,
    tabulate_majority,
    tabulate_pass,
    tabulate_pass_hat,
)
from at_k.estimators.selection import best_at_k, read_choice
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.jackknife import jackknife_choice, jackknife_votes, tabulate_variance
from at_k.uncertainty.standard_errors import standard_error
from at_k.uncertainty.variance import BetaBinomial
from benchmarks.coverage import (
    DEMANDED,
    LEVEL,
    MEANS,
    OURS,
    SHAPES,
    Simulation,
    find_stderr,
    write_table,
)

SIZES = (15, 30, 100, 300, 1000)

POPULATION, PROBLEM_SET = "population", "problem set"

METRICS: dict[str, tuple[Table, Callable[[int], int]]] = {
    "pass@1": (tabulate_pass, lambda _: 1),
    "pass@n/2": (tabulate_pass, lambda n: n // 2),
    "pass@n": (tabulate_pass, lambda n: n),
    "pass^n/2": (tabulate_pass_hat, lambda n: n // 2),
    "G-Pass@n_0.75": (partial(tabulate_g_pass, tau=0.75), lambda n: n),
    "cons@n/2": (tabulate_majority, lambda n: n // 2),
    "pass@(n-1)": (tabulate_pass, lambda n: n - 1),
    "pass^(n-1)": (tabulate_pass_hat, lambda n: n - 1),
    "G-Pass@(n-1)_0.5": (partial(tabulate_g_pass, tau=0.5), lambda n: n - 1),
}
"""Name → the metric, and its k for n samples. cons@k is the vote of verdicts."""

OF_OTHERS = tuple(METRICS)[:6]
"""Methods of the grid for other problems. For the problem set itself, k near n is the hardest."""


@dataclass(frozen=True)
class Cell:
    """Describe what is simulated."""

    target: str
    metric: str
    mean: float
    shape: str
    n: int
    problems: int

    @property
    def k(self) -> int:
        """The number of draws."""
        return METRICS[self.metric][1](self.n)

    @property
    def values(self) -> np.ndarray[Any, Any]:
        """The value of a problem with c correct samples, at index c."""
        return METRICS[self.metric][0](self.n, self.k)

    @property
    def difficulty(self) -> BetaBinomial:
        """The distribution of difficulties."""
        total = SHAPES[self.shape]
        return BetaBinomial(self.mean * total, (1 - self.mean) * total)


@dataclass(frozen=True)
class Found:
    """Hold coverage and median width of each method in a cell."""

    cell: Cell
    coverage: dict[str, float]
    width: dict[str, float]


@dataclass
class Counted:
    """Count how often the intervals of each method cover the true value."""

    truth: Any
    covered: dict[str, float] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)

    def add(self, method: str, limits: tuple[Any, Any]) -> None:
        """Add the intervals of a method. Rounding of 1e-12 is no miss."""
        low, high = limits
        self.covered[method] = float(
            np.mean((low <= self.truth + 1e-12) & (self.truth - 1e-12 <= high))
        )
        self.width[method] = float(np.median(np.subtract(high, low)))


def list_population_cells() -> list[Cell]:
    """List the grid for the target "population"."""
    grid = product(OF_OTHERS, MEANS, SHAPES, (4, 16), SIZES)
    return [Cell(POPULATION, metric, mean, shape, n, m) for metric, mean, shape, n, m in grid]


def list_problem_set_cells() -> list[Cell]:
    """List the grid for the target "problem set"."""
    grid = product(METRICS, MEANS, SHAPES, (4, 16), (15, 100, 300))
    return [Cell(PROBLEM_SET, metric, mean, shape, n, m) for metric, mean, shape, n, m in grid]


def list_slow_cells() -> list[Cell]:
    """List the cells in which the bootstrap is compared with ours."""
    grid = product(("pass@1", "pass@n/2"), MEANS, SHAPES, (15, 100, 300))
    return [Cell(POPULATION, metric, mean, shape, 16, m) for metric, mean, shape, m in grid]


def simulate_population(cell: Cell, *, repetitions: int, seed: int) -> Found:
    """Simulate data sets of other problems: how many problems have c correct samples is all that matters."""
    rng = np.random.default_rng([seed, *map(ord, repr(cell))])
    chances, values = cell.difficulty.chances(cell.n), cell.values
    counts = rng.multinomial(cell.problems, chances, size=repetitions)
    mean, stderr = _summarize(counts, values)
    counted = Counted(float(chances @ values))
    for method, name in ((OURS, "beta"), ("t", "t"), ("normal", "wald"), ("Wilson", "wilson")):
        counted.add(
            method, interval(mean, stderr, cell.problems, confidence_level=LEVEL, method=name)
        )
    return Found(cell, counted.covered, counted.width)


def _summarize(counts: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Return mean and standard error of each row of counts."""
    m = counts[0].sum()
    mean = np.clip(counts @ values / m, 0, 1)
    square = np.maximum((counts * (values - mean[:, None]) ** 2).sum(axis=1), 0)
    # One value occurs: the rounding of its mean is no spread. Several c may have it.
    kinds = np.unique(values, return_inverse=True)[1]
    present = np.stack(
        [(counts[:, kinds == kind] > 0).any(axis=1) for kind in range(kinds.max() + 1)]
    )
    single = present.sum(axis=0) == 1
    return mean, np.where(single, 0.0, np.sqrt(square / (m - 1) / m))


def simulate_problem_set(cell: Cell, *, repetitions: int, seed: int) -> Found:
    """Simulate other samples of the same problems; each data set has problems of its own."""
    rng = np.random.default_rng([seed, *map(ord, repr(cell))])
    p = rng.beta(cell.difficulty.a, cell.difficulty.b, size=(repetitions, cell.problems))
    c = rng.binomial(cell.n, p)
    values, k = cell.values, cell.k
    mean = values[c].mean(axis=1)
    counted = Counted(_expect(p, cell).mean(axis=1))
    if k < cell.n:
        variances = tabulate_variance(METRICS[cell.metric][0])(cell.n, k)
        total = (
            variances[c].sum(axis=1) + variances.max()
        )  # with a pseudo-problem that varies as much as any can
        stderr, m = np.sqrt(total) / cell.problems, cell.problems * (cell.n // k)
    else:
        stderr, m = values[c].std(axis=1, ddof=1) / np.sqrt(cell.problems), cell.problems
    counted.add(OURS, interval(np.clip(mean, 0, 1), stderr, m, confidence_level=LEVEL))
    counted.add(
        "population's",
        interval(
            np.clip(mean, 0, 1),
            values[c].std(axis=1, ddof=1) / cell.problems**0.5,
            cell.problems,
            confidence_level=LEVEL,
        ),
    )
    return Found(cell, counted.covered, counted.width)


def _expect(p: np.ndarray[Any, Any], cell: Cell) -> np.ndarray[Any, Any]:
    """Return the expected value of k samples of problems with these difficulties."""
    k = cell.k
    values = METRICS[cell.metric][0](k, k)
    return np.asarray(
        sum(values[c] * comb(k, c) * p**c * (1 - p) ** (k - c) for c in range(k + 1) if values[c])
    )


def simulate_votes(
    metric: str, mean: float, shape: str, n: int, k: int, *, repetitions: int, seed: int
) -> dict[str, float]:
    """Simulate other samples of 100 problems, for cons@k of answers and best@k of scores: coverage, and se by truth.

    A wrong sample has one of two answers, the one twice as often as the other; the scores of correct samples are higher
    by 1 than those of wrong ones, both normal. The truth of a problem is known: exactly for votes, by quadrature for
    scores.
    """
    rng = np.random.default_rng([seed, *map(ord, f"{metric} {mean} {shape} {n} {k}")])
    total, problems = SHAPES[shape], 100
    jackknife, estimate, draw, expect = VOTES[metric]
    covered, errors, stderrs = 0, [], []
    for _ in range(repetitions):
        p = rng.beta(mean * total, (1 - mean) * total, size=problems)
        data = draw(rng, p, n)
        truth, value = expect(p, k).mean(), float(np.mean(estimate(*data, k=k)))
        variances = jackknife(*data, k=k)
        stderr = float(np.sqrt(variances.sum() + variances.max()) / problems)
        low, high = interval(
            min(max(value, 0.0), 1.0), stderr, problems * (n // k), confidence_level=LEVEL
        )
        covered += bool(
            low - 1e-6 <= truth <= high + 1e-6
        )  # the quadrature is off by less than 1e-6
        errors.append(value - truth)
        stderrs.append(stderr)
    return {
        "coverage": covered / repetitions,
        "se / true": float(np.mean(stderrs) / np.std(errors)),
    }


def _draw_answers(rng: np.random.Generator, p: np.ndarray[Any, Any], n: int) -> tuple[Any, Any]:
    correct = rng.random((len(p), n)) < p[:, None]
    answers = np.where(
        correct, "right", np.where(rng.random(correct.shape) < 2 / 3, "often", "seldom")
    )
    return answers.tolist(), correct.tolist()


def _expect_vote(p: np.ndarray[Any, Any], k: int) -> np.ndarray[Any, Any]:
    """Return the chance that the correct answer wins k votes, or its share of the ties."""
    found = np.zeros_like(p)
    for right in range(1, k + 1):
        for often in range(k - right + 1):
            seldom = k - right - often
            if right >= max(often, seldom):
                winners = 1 + (often == right) + (seldom == right)
                ways = comb(k, right) * comb(k - right, often)
                found += (
                    ways * p**right * ((1 - p) * 2 / 3) ** often * ((1 - p) / 3) ** seldom / winners
                )
    return found


def _draw_scores(rng: np.random.Generator, p: np.ndarray[Any, Any], n: int) -> tuple[Any, Any]:
    correct = rng.random((len(p), n)) < p[:, None]
    return rng.normal(size=correct.shape) + correct, correct.astype(float)


def _expect_best(p: np.ndarray[Any, Any], k: int) -> np.ndarray[Any, Any]:
    """Return the chance that the highest of k scores is that of a correct sample, by the trapezoidal rule."""
    from scipy.integrate import trapezoid
    from scipy.stats import norm

    x = np.linspace(-9, 10, 800)
    below = p[:, None] * norm.cdf(x - 1) + (1 - p[:, None]) * norm.cdf(x)
    return np.asarray(trapezoid(k * p[:, None] * norm.pdf(x - 1) * below ** (k - 1), x, axis=1))


def _vary_vote(answers: Any, correct: Any, *, k: int) -> np.ndarray[Any, Any]:
    return jackknife_votes(*read_votes(answers, correct), [k])


def _vary_best(scores: Any, grades: Any, *, k: int) -> np.ndarray[Any, Any]:
    options: dict[str, Any] = {"select": None, "score_weights": None, "higher_is_better": True}
    return jackknife_choice(*read_choice(scores, grades, k, 0.5, **options))


VOTES: dict[str, tuple[Callable[..., Any], ...]] = {
    "cons": (_vary_vote, cons_at_k, _draw_answers, _expect_vote),
    "best": (_vary_best, best_at_k, _draw_scores, _expect_best),
}
"""Metric → its jackknife, its estimate, the samples of problems, and the expected value of k samples."""


def list_vote_cells() -> list[tuple[str, float, str, int, int]]:
    """List the grid of `simulate_votes`: metric, mean difficulty, shape, n and k."""
    draws = ((4, 2), (4, 3), (16, 4), (16, 8))
    return [
        (metric, mean, shape, *nk)
        for metric, mean, shape, nk in product(VOTES, MEANS, SHAPES, draws)
    ]


def simulate_slow(cell: Cell, *, repetitions: int, seed: int) -> Found:
    """Simulate data sets one by one, for the bootstrap."""
    rng = np.random.default_rng([seed, *map(ord, repr(cell))])
    chances, values = cell.difficulty.chances(cell.n), cell.values
    truth = float(chances @ values)
    found: dict[str, list[tuple[float, float]]] = {}
    for repetition in range(repetitions):
        data = np.repeat(values, rng.multinomial(cell.problems, chances))
        low, high = interval(
            float(np.clip(data.mean(), 0, 1)), *standard_error(data), confidence_level=LEVEL
        )
        found.setdefault(OURS, []).append((float(low), float(high)))
        found.setdefault("BCa", []).append(find_bca(data, seed=repetition))
    counted = Counted(truth)
    for method, limits in found.items():
        counted.add(method, tuple(np.transpose(limits)))
    return Found(cell, counted.covered, counted.width)


def find_bca(data: np.ndarray[Any, Any], seed: int = 0) -> tuple[float, float]:
    """Return SciPy's BCa bootstrap interval of a mean; without width where all values are equal."""
    if np.ptp(data) == 0:
        return float(data[0]), float(data[0])
    found = stats.bootstrap(
        (data,), np.mean, confidence_level=LEVEL, n_resamples=1000, random_state=seed
    ).confidence_interval
    return float(found.low), float(found.high)


def tabulate(found: Iterable[Found]) -> list[str]:
    """Write one row for each method: the share of cells with the demanded coverage, the lowest, and the width."""
    cells, rows = list(found), []
    for method in cells[0].coverage:
        coverage = np.array([each.coverage[method] for each in cells])
        width = np.median([each.width[method] / each.width[OURS] for each in cells])
        rows.append(
            [method, f"{(coverage >= DEMANDED).mean():.1%}", float(coverage.min()), f"{width:.2f}"]
        )
    return write_table(["method", f"cells ≥ {DEMANDED:.2f}", "lowest", "width, ours = 1"], rows)


def write_summary(population: list[Found], repetitions: int) -> list[str]:
    """Say for users how often intervals cover, with the methods that they may know."""
    shares = np.array([each.coverage[OURS] for each in population])
    lowest = float(shares.min())
    return [
        f"In {np.sum(shares >= DEMANDED)} of {len(shares)} simulated cases, a 95 % interval covered the true value in "
        f"at least {DEMANDED} of the data sets, and in the worst one in {lowest:.4f} ± "
        f"{find_stderr(lowest, repetitions):.4f}: with 15 to 1,000 problems, 4 or 16 samples, six metrics, and easy, "
        "hard and mixed problems ([all tables](coverage.md)).",
        "",
        *tabulate(population),
    ]


def write_section(population: list[Found], repetitions: int, simulation: Simulation) -> list[str]:
    """Tabulate the intervals of metrics in [0, 1]."""
    of, votes = max(300, repetitions // 4), 2 * simulation.slow
    sets = simulation.ask(simulate_problem_set, list_problem_set_cells(), of).values()
    beside = simulation.ask(simulate_slow, list_slow_cells(), simulation.slow).values()
    for found, count in ((population, repetitions), (sets, of)):
        for each in found:
            cell = each.cell
            name = f"{cell.target}, {cell.metric}, mean {cell.mean:g}, {cell.shape}, n = {cell.n}, M = {cell.problems}"
            simulation.demands.at_least(name, each.coverage[OURS], of=count)
    return [
        "## Other problems like these",
        "",
        f"{len(population)} cells, {repetitions:,} data sets each. A coverage of .95 has a standard error of "
        f"{find_stderr(0.95, repetitions):.4f}.",
        "",
        *tabulate(population),
        "",
        f"The bootstrap, in {len(beside)} cells of {simulation.slow:,} data sets each.",
        "",
        *tabulate(beside),
        "",
        "![Coverage of every cell, by method and number of problems](coverage.png)",
        "",
        "## The problem set itself",
        "",
        f"{len(sets)} cells, {of:,} data sets each, every one of other problems. The interval for other problems is "
        f"the upper bound. A coverage of .95 has a standard error of {find_stderr(0.95, of):.3f}.",
        "",
        *tabulate(sets),
        "",
        "The same for votes of answers and for the choice by a score: 100 problems with difficulties as above, "
        f"{votes:,} data sets each. A coverage of .95 has a standard error of "
        f"{find_stderr(0.95, votes):.3f}; se / true is the mean standard error, divided by the true one.",
        "",
        *_tabulate_votes(votes, simulation),
    ]


def _tabulate_votes(repetitions: int, simulation: Simulation) -> list[str]:
    found, rows = simulation.ask(simulate_votes, list_vote_cells(), repetitions), []
    for metric, n, k in dict.fromkeys((cell[0], *cell[3:]) for cell in found):
        shares = [each for cell, each in found.items() if (cell[0], *cell[3:]) == (metric, n, k)]
        coverage, ratio = (
            np.array([each[name] for each in shares]) for name in ("coverage", "se / true")
        )
        mean = f"{coverage.mean():.3f}"
        rows.append([f"{metric}@k", n, k, float(coverage.min()), mean, f"{np.median(ratio):.2f}"])
    return write_table(
        ["metric", "n", "k", "lowest coverage", "mean coverage", "se / true, median"], rows
    )

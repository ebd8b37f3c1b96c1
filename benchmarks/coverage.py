"""The coverage of the true value by intervals: `python -m benchmarks.coverage` simulates, and writes docs/coverage.md.

Problems have difficulties from a Beta distribution, and n samples each. A cell of the grid is one such distribution,
one metric, one n and one number M of problems. The truth of a cell is known exactly, and the coverage of a method is
the share of simulated data sets whose interval holds it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from math import comb
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import typer

from at_k.analysis.attempts import cost_per_success
from at_k.estimators.consensus import cons_at_k, read_votes
from at_k.estimators.counts import g_pass_at_k, majority_at_k, pass_at_k, pass_hat_k
from at_k.estimators.selection import best_at_k, max_at_k, read_choice
from at_k.summary import Confidence, find_error_bars
from at_k.uncertainty.comparison import compare_unpaired, compare_values, paired_t_p, wilcoxon_p
from at_k.uncertainty.intervals import bootstrap_interval, interval
from at_k.uncertainty.jackknife import jackknife_choice, jackknife_counts, jackknife_votes
from at_k.uncertainty.prediction import predict_pass_at_k
from at_k.uncertainty.questions import Questions
from at_k.uncertainty.standard_errors import standard_error
from at_k.uncertainty.variance import BetaBinomial
from at_k.uncertainty.verdicts import is_decided
from at_k.values import Column, Key
from benchmarks.coverage_comparisons import DEMANDED, IN_CLUSTERS, Demands, write_section
from tools.maintenance import summarise

Result = TypeVar("Result")

DOCS = Path(__file__).parent.parent / "docs"
MEANS = (0.5, 0.2, 0.8, 0.96, 0.995)
REPETITIONS, SLOW = 4000, 40
"""Data sets of each cell in a whole run, and those of what takes long."""

SHAPES = {"U-shaped": 0.6, "bell": 8.0}
"""Shape → a + b of the Beta distribution of difficulties."""

SIZES = (15, 30, 100, 300, 1000)
LEVEL = 0.95
OURS = "at-k"

POPULATION, PROBLEM_SET = "population", "problem set"

METRICS: dict[str, tuple[Callable[..., Any], Callable[[int], int]]] = {
    "pass@1": (pass_at_k, lambda _: 1),
    "pass@n/2": (pass_at_k, lambda n: n // 2),
    "pass@n": (pass_at_k, lambda n: n),
    "pass^n/2": (pass_hat_k, lambda n: n // 2),
    "G-Pass@n_0.75": (partial(g_pass_at_k, tau=0.75), lambda n: n),
    "cons@n/2": (majority_at_k, lambda n: n // 2),
    "pass@(n-1)": (pass_at_k, lambda n: n - 1),
    "pass^(n-1)": (pass_hat_k, lambda n: n - 1),
    "G-Pass@(n-1)_0.5": (partial(g_pass_at_k, tau=0.5), lambda n: n - 1),
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
        return np.asarray(METRICS[self.metric][0](self.n, np.arange(self.n + 1), k=self.k))

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
        self.covered[method] = float(np.mean((low <= self.truth + 1e-12) & (self.truth - 1e-12 <= high)))
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
    """List the cells in which slow methods and other packages are compared with ours."""
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
        counted.add(method, interval(mean, stderr, cell.problems, confidence_level=LEVEL, method=name))
    return Found(cell, counted.covered, counted.width)


def _summarize(counts: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Return mean and standard error of each row of counts."""
    m = counts[0].sum()
    mean = np.clip(counts @ values / m, 0, 1)
    square = np.maximum((counts * (values - mean[:, None]) ** 2).sum(axis=1), 0)
    # One value occurs: the rounding of its mean is no spread. Several c may have it.
    kinds = np.unique(values, return_inverse=True)[1]
    present = np.stack([(counts[:, kinds == kind] > 0).any(axis=1) for kind in range(kinds.max() + 1)])
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
        metric = METRICS[cell.metric][0]
        variances = jackknife_counts(metric, cell.n, np.arange(cell.n + 1), k=k)
        total = variances[c].sum(axis=1) + variances.max()  # with a pseudo-problem that varies as much as any can
        stderr, m = np.sqrt(total) / cell.problems, cell.problems * (cell.n // k)
    else:
        stderr, m = values[c].std(axis=1, ddof=1) / np.sqrt(cell.problems), cell.problems
    counted.add(OURS, interval(np.clip(mean, 0, 1), stderr, m, confidence_level=LEVEL))
    counted.add("population's", interval(np.clip(mean, 0, 1), values[c].std(axis=1, ddof=1) / cell.problems**0.5,
                                         cell.problems, confidence_level=LEVEL))  # fmt: skip
    return Found(cell, counted.covered, counted.width)


def _expect(p: np.ndarray[Any, Any], cell: Cell) -> np.ndarray[Any, Any]:
    """Return the expected value of k samples of problems with these difficulties."""
    k = cell.k
    values = np.asarray(METRICS[cell.metric][0](k, np.arange(k + 1), k=k))
    return np.asarray(sum(values[c] * comb(k, c) * p**c * (1 - p) ** (k - c) for c in range(k + 1) if values[c]))


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
        low, high = interval(min(max(value, 0.0), 1.0), stderr, problems * (n // k), confidence_level=LEVEL)
        covered += bool(low - 1e-6 <= truth <= high + 1e-6)  # the quadrature is off by less than 1e-6
        errors.append(value - truth)
        stderrs.append(stderr)
    return {"coverage": covered / repetitions, "se / true": float(np.mean(stderrs) / np.std(errors))}


def _draw_answers(rng: np.random.Generator, p: np.ndarray[Any, Any], n: int) -> tuple[Any, Any]:
    correct = rng.random((len(p), n)) < p[:, None]
    answers = np.where(correct, "right", np.where(rng.random(correct.shape) < 2 / 3, "often", "seldom"))
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
                found += ways * p**right * ((1 - p) * 2 / 3) ** often * ((1 - p) / 3) ** seldom / winners
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
    return [(metric, mean, shape, *nk) for metric, mean, shape, nk in product(VOTES, MEANS, SHAPES, draws)]


def simulate_slow(cell: Cell, *, repetitions: int, seed: int) -> Found:
    """Simulate data sets one by one, for the bootstrap and for other packages."""
    rng = np.random.default_rng([seed, *map(ord, repr(cell))])
    chances, values = cell.difficulty.chances(cell.n), cell.values
    truth = float(chances @ values)
    found: dict[str, list[tuple[float, float]]] = {}
    for repetition in range(repetitions):
        data = np.repeat(values, rng.multinomial(cell.problems, chances))
        low, high = interval(float(np.clip(data.mean(), 0, 1)), *standard_error(data), confidence_level=LEVEL)
        found.setdefault(OURS, []).append((float(low), float(high)))
        low, high = bootstrap_interval(data, confidence_level=LEVEL, n_resamples=1000, seed=repetition)
        found.setdefault("BCa", []).append((float(low), float(high)))
        for name, find in PEERS.items():
            if importlib.util.find_spec(name):
                found.setdefault(name, []).append(find(data))
    counted = Counted(truth)
    for method, limits in found.items():
        counted.add(method, tuple(np.transpose(limits)))
    return Found(cell, counted.covered, counted.width)


def _ask_evalstats(data: np.ndarray[Any, Any]) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says which method it chose
        result = importlib.import_module("evalstats").mean_ci(data, rng=0)
    return float(result.ci_low), float(result.ci_high)


def _ask_evalconfidence(data: np.ndarray[Any, Any]) -> tuple[float, float]:
    package = importlib.import_module("evalconfidence")
    rows = [package.ItemResult(item_id=str(i), model_id="m", score=float(value)) for i, value in enumerate(data)]
    return tuple(package.standard_error(rows).ci)


PEERS = {"evalstats": _ask_evalstats, "evalconfidence": _ask_evalconfidence}
"""Package → how it is asked. They are measured where they are installed, and are no dependency."""


def simulate_clusters(mean: float, layout: str, agreement: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate problems in clusters that share some of their difficulty: coverage with clusters and without, and width.

    The width is that with clusters, divided by that without.
    """
    rng = np.random.default_rng([seed, int(mean * 1000), *map(ord, layout), int(agreement * 100)])
    sizes = LAYOUTS[layout]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    index = labels.tolist()
    covered, widths = {"with clusters": 0, "without": 0}, []
    for _ in range(repetitions):
        shared = rng.beta(mean * 2, (1 - mean) * 2, size=len(sizes))[labels]
        own = rng.beta(mean * 2, (1 - mean) * 2, size=len(labels))
        p = np.where(rng.random(len(labels)) < agreement, shared, own)
        data = rng.binomial(4, p) / 4
        for name, clusters in (("with clusters", index), ("without", None)):
            low, high = interval(data.mean(), *standard_error(data, clusters=clusters), confidence_level=LEVEL)
            covered[name] += bool(low <= mean <= high)
            widths.append(high - low)
    width = float(np.median(np.divide(widths[::2], widths[1::2])))
    return {name: count / repetitions for name, count in covered.items()} | {"width": width}


LAYOUTS = {
    "3 of 20": [20] * 3,
    "10 of 10": [10] * 10,
    "30 of 5": [5] * 30,
    "one with 40 %": [40] + [6] * 10,
    "unequal": [1, 1, 2, 2, 3, 4, 6, 9, 14, 22],
    "1,200 of 2": [2] * 1200,
    "40, lognormal": (1 + np.exp(np.random.default_rng(2).normal(1, 1.5, 40)).astype(int)).tolist(),
}
"""Name → sizes of the clusters."""


def simulate_tests(problems: int, shift: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate two models that differ by `shift` in pass@1 on U-shaped problems: how often a test finds it."""
    rng = np.random.default_rng([seed, problems, int(shift * 1000)])
    names = ("sign-flip", "paired t", "Wilcoxon", "unpaired (Welch)")
    found = dict.fromkeys(names, 0)
    for _ in range(repetitions):
        a, b = _draw_pair(rng, problems, shift)
        p_values = (
            compare_values(a, b, n_flips=999).p_value,
            paired_t_p(a - b),
            wilcoxon_p(a - b),
            compare_unpaired(a, b).p_value,
        )
        for name, p_value in zip(names, p_values, strict=True):
            found[name] += bool(p_value <= 1 - LEVEL)
    return {name: count / repetitions for name, count in found.items()}


def _draw_pair(rng: np.random.Generator, problems: int, shift: float) -> tuple[Any, Any]:
    """Draw 16 samples of both models, whose difficulties have a correlation of .8 before the shift."""
    shared, first, second = rng.beta(0.5, 0.5, size=(3, problems))
    same = rng.random((2, problems)) < 0.8**0.5
    difficulty = [np.where(same[i], shared, own) * (1 - shift) for i, own in enumerate((first, second))]
    return rng.binomial(16, difficulty[0] + shift) / 16, rng.binomial(16, difficulty[1]) / 16


def simulate_equal_models(kind: str, problems: int, method: str = "sign-flip", *, repetitions: int, seed: int) -> float:
    """Simulate two models that are equally good: how often the test of `compare_values` says otherwise, at 5 %.

    A hundred data sets share their random flips, as the numbers of one comparison do; the next hundred have others.
    """
    rng = np.random.default_rng([seed, problems, *map(ord, kind)])
    draw_differences, labels = EQUAL_MODELS[kind], None if method == ALONE else LAYOUTS.get(kind)
    clusters = None if labels is None else np.repeat(np.arange(len(labels)), labels)
    found = 0
    for start in range(0, repetitions, 100):
        columns = draw_differences(rng, problems, min(100, repetitions - start))
        own = "bounded" if method == "bounded" else "sign-flip"
        seed = int(rng.integers(1 << 32))
        questions = Questions(columns, clusters=clusters, method=own, n_flips=999, seed=seed)
        found += sum(is_decided(p_value, LEVEL) for p_value in questions.p_values)
    return found / repetitions


def _differ(n: int, mean: float = 0.5, *, k: int = 1, own: float = 0.2) -> Callable[..., Any]:
    """Return a draw of differences of pass@k; a share `own` of the difficulties of the models has nothing in common."""

    def draw_differences(rng: np.random.Generator, problems: int, count: int) -> Any:
        shared, first, second = rng.beta(mean * 0.6, (1 - mean) * 0.6, size=(3, problems, count))
        apart = rng.random((2, problems, count)) < own
        values = pass_at_k(n, np.arange(n + 1), k=k)
        a, b = (values[rng.binomial(n, np.where(apart[i], p, shared))] for i, p in enumerate((first, second)))
        return a - b

    return draw_differences


def _differ_in_spread(mean: float) -> Callable[..., Any]:
    """Return a draw of differences of a model whose difficulties are all equal, and one whose are U-shaped."""

    def draw_differences(rng: np.random.Generator, problems: int, count: int) -> Any:
        p = rng.beta(mean * 0.6, (1 - mean) * 0.6, size=(problems, count))
        return (rng.binomial(16, mean, size=p.shape) - rng.binomial(16, p)) / 16

    return draw_differences


def _differ_by_halves(rng: np.random.Generator, problems: int, count: int) -> Any:
    """Draw differences of ½, −½ and 0, where the normal limit is furthest off."""
    return rng.choice((-0.5, 0.0, 0.5), p=(0.2, 0.6, 0.2), size=(problems, count))


def _differ_in_clusters(layout: str) -> Callable[..., Any]:
    """Return a draw of differences of models that are good at clusters of their own; four samples of each problem."""

    def draw_differences(rng: np.random.Generator, problems: int, count: int) -> Any:
        sizes = LAYOUTS[layout]
        together, alone = (rng.beta(0.5, 0.5, size=(2, size, count)) for size in (len(sizes), problems))
        p = np.where(rng.random(alone.shape) < 0.7, np.repeat(together, sizes, axis=1), alone)
        a, b = rng.binomial(4, p) / 4
        return a - b

    return draw_differences


ALONE = "problems flip"
"""The wrong test of problems in clusters, in which each problem flips alone."""

RARE = "large losses in a fifth, small gains elsewhere"
"""The differences that no method sees where they did not occur: of 15 problems, 4 % of data sets have none."""

EQUAL_MODELS: dict[str, Callable[..., Any]] = {
    "one sample, pass@1": _differ(1),
    "16 samples, pass@1": _differ(16),
    "16 samples, pass@8": _differ(16, k=8),
    "16 samples of easy problems (.95)": _differ(16, 0.95),
    "64 samples, the same difficulties": _differ(64, own=0.0),
    "0, and in two fifths ½ or −½": _differ_by_halves,
    "unlike spread": _differ_in_spread(0.5),
    RARE: _differ_in_spread(0.8),
} | {layout: _differ_in_clusters(layout) for layout in LAYOUTS if layout != "3 of 20"}
"""A contrast of two equally good models → differences, one column per data set. Three clusters never decide."""


EqualModels = tuple[str, int, str]
"""A kind of `EQUAL_MODELS`, a number of problems, and a method of comparison."""


def list_equal_models() -> list[EqualModels]:
    """List the cells of `simulate_equal_models`."""
    unlike = [kind for kind in EQUAL_MODELS if kind not in LAYOUTS]
    cells = [(kind, problems, "sign-flip") for kind, problems in product(unlike, (15, 30, 100, 300, 3000))]
    cells += [(RARE, problems, "bounded") for problems in (15, 30, 100, 300, 3000)]
    clustered = [(kind, sum(LAYOUTS[kind])) for kind in EQUAL_MODELS if kind in LAYOUTS]
    return cells + [(*cell, method) for cell in clustered for method in ("sign-flip", ALONE)]


def simulate_many_numbers(shift: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate 100 problems and 13 numbers: how often pass@1 is found to differ, alone and adjusted, and any number."""
    rng, k = np.random.default_rng([seed, int(shift * 1000)]), [1, 2, 4, 8, 16]
    counts = np.arange(17)
    values = [pass_at_k(16, counts, k=k), pass_hat_k(16, counts, k=k[1:])]
    values += [g_pass_at_k(16, counts, k=[4, 8, 16, 12], tau=0.5)]
    table = np.concatenate([np.asarray(each).reshape(17, -1) for each in values], axis=1)
    found = dict.fromkeys(("pass@1 alone", "pass@1, max-T", "pass@1, Bonferroni", "any, max-T", "any, Bonferroni"), 0)
    for _ in range(repetitions):
        a, b = (table[np.rint(16 * each).astype(int)] for each in _draw_pair(rng, 100, shift))
        family = Questions(a - b, n_flips=999, seed=int(rng.integers(1 << 32)))
        alone, together = family.p_values, family.adjusted
        p_values = (alone[0], together[0], alone[0] * family.count, min(together), min(alone) * family.count)
        for name, p_value in zip(found, p_values, strict=True):
            found[name] += is_decided(p_value, LEVEL)
    return {name: count / repetitions for name, count in found.items()}


def simulate_one_sample(problems: int, shift: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate one sample of each problem: how often a test finds a difference."""
    rng, found = np.random.default_rng([seed, problems, int(shift * 1000)]), {"mid-p": 0, "sign-flip": 0}
    for _ in range(repetitions):
        p = rng.beta(0.5, 0.5, problems) * (1 - shift)
        a, b = (rng.random(problems) < p + shift).astype(float), (rng.random(problems) < p).astype(float)
        p_values = (compare_values(a, b, n_flips=999, bounded=each).p_value for each in (True, False))
        for name, p_value in zip(found, p_values, strict=True):
            found[name] += is_decided(p_value, LEVEL)
    return {name: count / repetitions for name, count in found.items()}


def simulate_ranking(problems: int, models: int, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate models that are equally good: how often a ranking tells any two of them apart."""
    rng, found = np.random.default_rng([seed, problems, models]), 0
    for repetition in range(repetitions):
        p = rng.beta(0.3, 0.3, size=problems)
        values = np.stack([rng.binomial(16, p) / 16 for _ in range(models)], axis=1)
        pairs = list(combinations(range(models), 2))
        adjusted = Questions(values, pairs=pairs, n_flips=999, seed=repetition).adjusted
        found += any(is_decided(p_value, LEVEL) for p_value in adjusted)
    return {"any false claim": found / repetitions}


def simulate_rare(problems: int, share: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate rare large differences beside the noise of 64 samples: coverage of the interval, and of others."""
    rng = np.random.default_rng([seed, problems, int(share * 1000)])
    covered = {"default": 0, "bounded": 0, "paired t": 0}
    for _ in range(repetitions):
        wins = rng.random(problems) < share
        a, b = (rng.binomial(64, np.where(wins, skill, 0.5)) / 64 for skill in (0.95, 0.05))
        found = compare_values(a, b, n_flips=999, confidence_level=LEVEL)
        wide = compare_values(a, b, n_flips=999, confidence_level=LEVEL, method="bounded")
        stderr = (a - b).std(ddof=1) / problems**0.5
        low, high = interval(found.difference, stderr, problems, method="t", bounded=False, confidence_level=LEVEL)
        limits = {"default": (found.low, found.high), "bounded": (wide.low, wide.high), "paired t": (low, high)}
        for name, (lower, upper) in limits.items():
            covered[name] += bool(lower <= 0.9 * share <= upper)
    return {name: count / repetitions for name, count in covered.items()}


def simulate_bands(problems: int, shift: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate bands over k: how often all differences lie within, and where each k has an interval of its own."""
    rng, k = np.random.default_rng([seed, problems, int(shift * 1000)]), [1, 2, 4, 8, 16]
    draws = _draw_pair(rng, 400_000, shift)
    truth = np.subtract(*(pass_at_k(16, np.rint(16 * each).astype(int), k=k).mean(axis=0) for each in draws))
    peer = importlib.import_module("passk_inference") if importlib.util.find_spec("passk_inference") else None
    covered = {"band": 0, "intervals": 0} | ({} if peer is None else {"passk-inference": 0})
    for _ in range(repetitions):
        a, b = (pass_at_k(16, np.rint(16 * each).astype(int), k=k) for each in _draw_pair(rng, problems, shift))
        stderr, _ = standard_error(a - b)
        distance = np.abs((a - b).mean(axis=0) - truth)
        low, high = Questions(a - b, n_flips=999).find_band(LEVEL)
        covered["band"] += bool(((low <= truth) & (truth <= high)).all())
        alone = [Questions((a - b)[:, [i]], n_flips=999).find_quantile(LEVEL) for i in range(len(k))]
        covered["intervals"] += bool((distance <= alone * stderr).all())
        if peer is not None:
            theirs = peer.simultaneous_band(a - b, bootstrap=999)["critical_value"]
            covered["passk-inference"] += bool((distance <= theirs * stderr).all())
    return {name: count / repetitions for name, count in covered.items()}


def simulate_scores(problems: int, spread: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate max@4 of eight lognormal scores: coverage of ours, of t, and of the bootstrap (BCa)."""
    rng, key = np.random.default_rng([seed, problems, int(spread * 1000)]), Key("max@k", 4)

    def draw_values(count: int) -> Any:
        return np.asarray(max_at_k(np.exp(spread * rng.standard_normal((count, 8))), k=4))

    truth, covered = float(draw_values(400_000).mean()), {OURS: 0, "t": 0, "BCa": 0}
    for _ in range(repetitions):
        values = draw_values(problems)
        given = {key: Column.of(values)}, {key: float(values.mean())}
        for name, method in ((OURS, "beta"), ("t", "t"), ("BCa", "bootstrap")):
            bar = find_error_bars(*given, Confidence(LEVEL, method=method))[key]
            covered[name] += bool(bar.low <= truth <= bar.high)
    return {name: count / repetitions for name, count in covered.items()}


def simulate_costs(
    mean: float, size: float, n: int, spread: float, problems: int, *, repetitions: int, seed: int
) -> float:
    """Simulate the cost of a correct sample, with lognormal costs that rise with difficulty: coverage."""
    rng = np.random.default_rng([seed, problems, n, int(mean * 100), int(size * 10), int(spread * 100)])

    def draw_problems(count: int) -> tuple[Any, Any]:
        p = rng.beta(mean * size, (1 - mean) * size, count)
        single = rng.lognormal(0, 0.3, size=(n, count)).sum(axis=0)
        return np.exp(0.5 - p) * rng.lognormal(0, spread, count) * single, rng.binomial(n, p)

    costs, successes = draw_problems(1_000_000)
    truth, covered = costs.sum() / successes.sum(), 0
    for _ in range(repetitions):
        found = cost_per_success(*draw_problems(problems), n)
        covered += bool(found.low <= truth <= found.high)
    return covered / repetitions


def read_counts() -> dict[str, list[tuple[int, Any]]]:
    """Read, for EvalPerf and for other data, the samples of each problem and how many are correct, of each model."""
    folder = DOCS.parent / "tests" / "data"
    models = json.loads((folder / "evalperf_counts.json").read_text(encoding="utf-8"))["models"].values()
    math = json.loads((folder / "deepscaler_counts.json").read_text(encoding="utf-8"))
    puzzles, games = (
        list(map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines()))
        for name in ("p3_codex_cushman_n1000.jsonl", "tot_game24_cot.jsonl")
    )
    others = [(math["n"], math["base"]), (math["n"], math["rl"]), *((each["n"], each["c"]) for each in puzzles)]
    others.append((games[0]["n"], [sum(each["correct"]) for each in games]))
    return {"EvalPerf": [(100, each["c"]) for each in models if each["n"] == 100], "others": others}


def simulate_prediction(data: str, n: int, k: int, *, repetitions: int, seed: int) -> dict[str, float]:
    """Predict pass@k of each model from n of its samples: coverage, and distance from pass@k of all samples."""
    rng, held, errors = np.random.default_rng([seed, n, k]), [], []
    for (drawn, counts), _ in product(read_counts()[data], range(repetitions)):
        c = np.array(counts)
        truth = float(pass_at_k(np.full(len(c), drawn), c, k=k).mean())
        few = rng.hypergeometric(c, drawn - c, n)
        if not few.any():  # no prediction is made
            continue
        found = predict_pass_at_k(np.full(len(c), n), few, k=k)
        held.append(found.low <= truth <= found.high)
        errors.append(float(found.mean) - truth)
    return {
        "predictions": len(held),
        "coverage": float(np.mean(held)),
        "error": float(np.sqrt(np.mean(np.square(errors)))),
    }


PREDICTED = [*product(("EvalPerf", "others"), (8, 16), (32, 64)), ("others", 8, 16)]
"""Data, n, and the k that is predicted."""


def run(simulate: Callable[[Any], Result], cells: Iterable[Any], workers: int) -> list[Result]:
    """Simulate all cells, in several processes."""
    listed = list(cells)
    if workers == 1:
        return [simulate(cell) for cell in listed]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(simulate, listed))


def apply(simulate: Callable[..., Result], arguments: tuple[Any, ...], **options: int) -> Result:
    """Call a simulation with its arguments in a tuple."""
    return simulate(*arguments, **options)


def tabulate(found: list[Found]) -> list[str]:
    """Write one row for each method: the share of cells with the demanded coverage, the lowest, and the width."""
    methods = list(found[0].coverage)
    lines = [f"| method | cells ≥ {DEMANDED:.2f} | lowest | width, ours = 1 |", "|---|--:|--:|--:|"]
    for method in methods:
        coverage = np.array([each.coverage[method] for each in found])
        width = np.median([each.width[method] / each.width[OURS] for each in found])
        lines.append(f"| {method} | {(coverage >= DEMANDED).mean():.0%} | {coverage.min():.3f} | {width:.2f} |")
    return lines


def draw(found: list[Found], file: Path) -> None:
    """Draw the coverage of every cell against the number of problems, one panel for each method."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    methods = list(found[0].coverage)
    figure, axes = plt.subplots(1, len(methods), figsize=(3 * len(methods), 3), sharey=True, layout="constrained")
    colours = dict(zip(MEANS, plt.get_cmap("viridis")(np.linspace(0, 0.9, len(MEANS))), strict=True))
    for axis, method in zip(axes, methods, strict=True):
        for position, (mean, colour) in enumerate(colours.items()):
            own = [each for each in found if each.cell.mean == mean]
            at = [each.cell.problems * 1.06 ** (position - 2) for each in own]
            axis.scatter(at, [each.coverage[method] for each in own], s=6, color=colour, label=f"{mean:g}")
        axis.axhline(LEVEL, color="black", linewidth=0.8)
        axis.set(title=method, xscale="log", xlabel="problems", ylim=(0, 1.02))
    axes[0].set_ylabel("coverage")
    axes[-1].legend(title="mean difficulty", fontsize="small")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def write(section: list[str], file: Path) -> None:
    """Replace the text between the comments in the document."""
    text = file.read_text(encoding="utf-8")
    body = "\n".join(["<!-- coverage -->", *section, "<!-- /coverage -->"])
    file.write_text(re.sub(r"<!-- coverage -->.*<!-- /coverage -->", lambda _: body, text, flags=re.DOTALL),
                    encoding="utf-8")  # fmt: skip


COSTS_COVERED = 0.9
"""The least share of the cells of costs that reach the demanded coverage."""


def main(repetitions: int = REPETITIONS, slow: int = SLOW, seed: int = 0, workers: int = os.cpu_count() or 1) -> None:
    """Simulate the whole grid, and write the tables and the picture of docs/coverage.md.

    A figure that misses its demand is named in the tables, and ends with status 1.
    """
    demands = Demands()
    with summarise("coverage") as counts:
        population = run(
            partial(simulate_population, repetitions=repetitions, seed=seed), list_population_cells(), workers
        )
        said = [
            *_write_intervals(population, repetitions, slow, seed, workers, demands),
            "",
            *_write_other_intervals(slow, seed, workers, demands),
            "",
            *_write_tests(slow, seed, workers, demands),
            "",
            *write_section(50 * slow, seed, lambda call, cells: run(call, cells, workers), demands),
        ]
        missed = [f"- {each}" for each in demands.missed] or ["None."]
        said = ["## Demands that are not met", "", *missed, "", *said]
        draw(population, DOCS / "coverage.png")
        write(said, DOCS / "coverage.md")
        print("\n".join(said))
        counts.update(cells=len(population), repetitions=repetitions, slow=slow, seed=seed, workers=workers)
        fewer = repetitions < REPETITIONS or slow < SLOW
        left_out = [f"data sets: {repetitions} and {slow} of {REPETITIONS} and {SLOW}"] if fewer else []
        counts.update(missed=demands.missed, failed=0, left_out=left_out)
    if demands.missed:
        sys.exit("\n".join(["Demands that are not met:", *missed]))


def _write_intervals(
    population: list[Found], repetitions: int, slow: int, seed: int, workers: int, demands: Demands
) -> list[str]:
    """Tabulate the intervals of metrics in [0, 1]."""
    of = max(300, repetitions // 4)
    sets = run(partial(simulate_problem_set, repetitions=of, seed=seed), list_problem_set_cells(), workers)
    beside = run(partial(simulate_slow, repetitions=slow, seed=seed), list_slow_cells(), workers)
    for found, count in ((population, repetitions), (sets, of)):
        for each in found:
            cell = each.cell
            name = f"{cell.target}, {cell.metric}, mean {cell.mean:g}, {cell.shape}, n = {cell.n}, M = {cell.problems}"
            demands.at_least(name, each.coverage[OURS], of=count)
    return [
        "## Other problems like these",
        "",
        f"{len(population)} cells, {repetitions:,} data sets each. A coverage of .95 has a standard error of "
        f"{(0.95 * 0.05 / repetitions) ** 0.5:.4f}.",
        "",
        *tabulate(population),
        "",
        f"The bootstrap and other packages, in {len(beside)} cells of {slow:,} data sets each.",
        "",
        *tabulate(beside),
        "",
        "![Coverage of every cell, by method and number of problems](coverage.png)",
        "",
        "## The problem set itself",
        "",
        f"{len(sets)} cells, {of:,} data sets each, every one of other problems. The interval for other problems is "
        f"the upper bound. A coverage of .95 has a standard error of {(0.95 * 0.05 / of) ** 0.5:.3f}.",
        "",
        *tabulate(sets),
        "",
        "The same for votes of answers and for the choice by a score: 100 problems with difficulties as above, "
        f"{2 * slow:,} data sets each. A coverage of .95 has a standard error of "
        f"{(0.95 * 0.05 / (2 * slow)) ** 0.5:.3f}; se / true is the mean standard error, divided by the true one.",
        "",
        *_tabulate_votes(2 * slow, seed, workers),
    ]


def _write_other_intervals(slow: int, seed: int, workers: int, demands: Demands) -> list[str]:
    """Tabulate clusters, max@k, costs and predictions."""
    many = 10 * slow
    return [
        "## Problems in clusters",
        "",
        "pass@1 of four samples: the lowest coverage and the largest median width of the mean difficulties .5, .8 and "
        f".96, {many:,} data sets each.",
        "",
        *_tabulate_clusters(many, seed, workers, demands),
        "",
        "## max@k, costs, predictions",
        "",
        f"max@4 of eight lognormal scores, by the standard deviation of their logarithms: coverage, of {many:,} times.",
        "",
        *_tabulate(
            simulate_scores,
            ("problems", "spread"),
            list(product((15, 30, 100), (0.5, 1))),
            many,
            seed,
            workers,
            judge=lambda cell, each: demands.at_least(
                f"max@4, M = {cell[0]:g}, spread {cell[1]:g}", each[OURS], of=many
            ),
        ),
        "",
        *_tabulate_costs(25 * slow, seed, workers, demands),
        "",
        "pass@k predicted from n samples, about these problems, against all samples, with four draws of each model: 31 "
        "models on 118 tasks (EvalPerf, 100 samples), and others: two models on 1,060 problems of mathematics "
        "(DeepScaleR, 128 samples), three prompts on 397 puzzles (P3, 1,000) and 100 games of 24 (Tree of Thoughts, "
        "100). The interval is cut at pass@n.",
        "",
        *_tabulate_predictions(max(1, slow // 10), seed, workers, demands),
    ]


def _write_tests(slow: int, seed: int, workers: int, demands: Demands) -> list[str]:
    """Tabulate the tests and intervals of comparisons."""
    few, many, wrong = 5 * slow, 10 * slow, 100 * slow
    cells = list_equal_models()
    shares = run(partial(apply, simulate_equal_models, repetitions=wrong, seed=seed), cells, workers)
    equal = dict(zip(cells, shares, strict=True))
    for (kind, problems, method), share in equal.items():
        if method != ALONE:  # the wrong test, shown for comparison
            demands.at_most(f"type I, {kind}, {method}, M = {problems}", share, of=wrong)
    return [
        "## Two models that are equally good",
        "",
        f"How often the test of a comparison at {1 - LEVEL:.0%} says otherwise, of {wrong:,} times, by the number of "
        f"problems (standard error {(0.05 * 0.95 / wrong) ** 0.5:.4f}). From 1,000 effective problems on, the sums "
        "over random flips are drawn from their normal limit. In the last two rows a model loses much in a fifth of "
        "the problems and gains a little in each of the others.",
        "",
        *tabulate_equal_models({cell: share for cell, share in equal.items() if cell[0] not in LAYOUTS}),
        "",
        "The same with clusters, which flip as a whole. The models are good at clusters of their own.",
        "",
        "| clusters | problems | clusters flip | problems flip |",
        "|---|--:|--:|--:|",
        *(
            f"| {kind} | {problems} | {share:.3f} | {equal[kind, problems, ALONE]:.3f} |"
            for (kind, problems, method), share in equal.items()
            if kind in LAYOUTS and method != ALONE
        ),
        "",
        "## Several numbers, several models, several tests",
        "",
        f"Thirteen numbers of 100 problems at once (pass@k, pass^k and G-Pass@k_0.5 of 16 samples): how often they are "
        f"found to differ, of {many:,} times.",
        "",
        *_tabulate(simulate_many_numbers, ("difference",), [(0,), (0.06,)], many, seed, workers),
        "",
        f"One sample of each problem: how often a test finds a difference, of {many:,} times. `compare_values` takes "
        "mid-p.",
        "",
        *_tabulate(
            simulate_one_sample,
            ("problems", "difference"),
            list(product((50, 200), (0, 0.1, 0.2))),
            many,
            seed,
            workers,
        ),
        "",
        f"Rankings of equally good models: how often any two are told apart, of {many:,} times.",
        "",
        *_tabulate(simulate_ranking, ("problems", "models"), list(product((30, 100), (3, 10))), many, seed, workers),
        "",
        f"Two models, 16 samples: how often a test at {1 - LEVEL:.0%} finds a difference, of {many:,} times.",
        "",
        *_tabulate(
            simulate_tests,
            ("problems", "difference"),
            # not 15: SciPy's exact Wilcoxon test of 13 differences or fewer takes seconds
            list(product((30, 100), (0, 0.05, 0.1))),
            many,
            seed,
            workers,
        ),
        "",
        f"Rare large differences, in a share of the problems, beside the noise of 64 samples: coverage of the "
        f"difference, of {many:,} times.",
        "",
        *_tabulate(
            simulate_rare,
            ("problems", "share"),
            list(product((15, 30, 100, 300), (0.05, 0.1))),
            many,
            seed,
            workers,
            judge=lambda cell, each: demands.at_least(
                f"difference, large in {cell[1]:.0%} of the problems, M = {cell[0]:g}", each["default"], of=many
            ),
        ),
        "",
        f"Bands over k = 1, 2, 4, 8, 16: how often all five differences of pass@k lie within, of {few:,} times; and "
        "where each k has an interval of its own.",
        "",
        *_tabulate(
            simulate_bands,
            ("problems", "difference"),
            list(product((15, 30, 100), (0, 0.1))),
            few,
            seed,
            workers,
            judge=lambda cell, each: demands.at_least(
                f"band over k = 1 … 16, M = {cell[0]:g}, difference {cell[1]:g}", each["band"], of=few
            ),
        ),
    ]


def _tabulate_votes(repetitions: int, seed: int, workers: int) -> list[str]:
    lines = ["| metric | n | k | lowest coverage | mean coverage | se / true, median |", "|---|--:|--:|--:|--:|--:|"]
    cells = list_vote_cells()
    found = run(partial(apply, simulate_votes, repetitions=repetitions, seed=seed), cells, workers)
    for metric, n, k in dict.fromkeys((cell[0], *cell[3:]) for cell in cells):
        own = [each for cell, each in zip(cells, found, strict=True) if (cell[0], *cell[3:]) == (metric, n, k)]
        coverage, ratio = (np.array([each[name] for each in own]) for name in ("coverage", "se / true"))
        lines.append(
            f"| {metric}@k | {n} | {k} | {coverage.min():.3f} | {coverage.mean():.3f} | {np.median(ratio):.2f} |"
        )
    return lines


def _tabulate_clusters(repetitions: int, seed: int, workers: int, demands: Demands) -> list[str]:
    lines = ["| clusters | shared difficulty | with clusters | without | width, without = 1 |", "|---|--:|--:|--:|--:|"]
    cells = list(product((0.5, 0.8, 0.96), LAYOUTS, (0.0, 0.1, 0.9)))
    found = run(partial(apply, simulate_clusters, repetitions=repetitions, seed=seed), cells, workers)
    for (mean, layout, agreement), each in zip(cells, found, strict=True):
        cell = f"pass@1 in clusters {layout}, mean {mean:g}, {agreement:.0%} shared"
        demands.at_least(cell, each["with clusters"], IN_CLUSTERS, of=repetitions)
    for layout, agreement in product(LAYOUTS, (0.0, 0.1, 0.9)):
        own = [each for cell, each in zip(cells, found, strict=True) if cell[1:] == (layout, agreement)]
        lowest = [min(each[name] for each in own) for name in ("with clusters", "without")]
        widest = max(each["width"] for each in own)
        lines.append(f"| {layout} | {agreement:.0%} | {lowest[0]:.3f} | {lowest[1]:.3f} | {widest:.2f} |")
    return lines


def _tabulate_costs(repetitions: int, seed: int, workers: int, demands: Demands) -> list[str]:
    """Say how often the interval of the cost per success covers, by the spread of the costs."""
    lines = [
        f"The cost of a correct sample: {repetitions:,} data sets for each of the cells of four mean difficulties, two "
        "shapes, 1, 4 or 16 samples, and 15, 30 or 100 problems, by the standard deviation of log costs.",
        "",
        f"| spread | cells | cells ≥ {DEMANDED:.2f} | lowest |",
        "|--:|--:|--:|--:|",
    ]
    named: list[str] = []
    total = 0
    for spread in (0.5, 1.0):
        cells = list(product((0.05, 0.2, 0.5, 0.9), SHAPES.values(), (1, 4, 16), (spread,), (15, 30, 100)))
        found = np.array(run(partial(apply, simulate_costs, repetitions=repetitions, seed=seed), cells, workers))
        lines.append(f"| {spread:g} | {len(cells)} | {(found >= DEMANDED).mean():.0%} | {found.min():.3f} |")
        total += len(cells)
        low = [(cell, share) for cell, share in zip(cells, found.tolist(), strict=True) if share < DEMANDED]
        named += [f"{share:.3f} (mean {mean:g}, a + b = {size:g}, n = {n}, M = {problems}, spread {spread:g})"
                  for (mean, size, n, spread, problems), share in low]  # fmt: skip
    demands.at_least(
        "cost per success, share of the cells that cover .93", 1 - len(named) / total, COSTS_COVERED, of=total
    )
    return [*lines, "", f"Cells below {DEMANDED:.2f}: {'; '.join(named) or 'none'}."]


def _tabulate_predictions(repetitions: int, seed: int, workers: int, demands: Demands) -> list[str]:
    lines = ["| data | n | k | predictions | coverage | error |", "|---|--:|--:|--:|--:|--:|"]
    found = run(partial(apply, simulate_prediction, repetitions=repetitions, seed=seed), PREDICTED, workers)
    for (data, n, k), each in zip(PREDICTED, found, strict=True):
        lines.append(f"| {data} | {n} | {k} | {each['predictions']} | {each['coverage']:.3f} | {each['error']:.3f} |")
        demands.at_least(f"prediction on {data} from {n} to {k}", each["coverage"], of=int(each["predictions"]))
    return lines


def tabulate_equal_models(found: Mapping[EqualModels, float]) -> list[str]:
    """Write one row for each kind of problems and one column for each number of them."""
    sizes = sorted({problems for _, problems, _ in found})
    lines = [f"| problems | {' | '.join(map(str, sizes))} |", "|---|" + "--:|" * len(sizes)]
    for kind, method in dict.fromkeys((kind, method) for kind, _, method in found):
        shares = [found.get((kind, problems, method)) for problems in sizes]
        cells = ("" if share is None else f"{share:.3f}" for share in shares)
        lines.append(f"| {kind}{', bounded' * (method == 'bounded')} | {' | '.join(cells)} |")
    return lines


def _tabulate(simulate: Callable[..., dict[str, float]], headings: tuple[str, ...], cells: list[tuple[float, ...]],
              repetitions: int, seed: int, workers: int,
              judge: Callable[[Any, Any], None] = lambda *_: None) -> list[str]:  # fmt: skip
    found = run(partial(apply, simulate, repetitions=repetitions, seed=seed), cells, workers)
    lines = [f"| {' | '.join([*headings, *found[0]])} |", "|" + "--:|" * (len(headings) + len(found[0]))]
    for cell, each in zip(cells, found, strict=True):
        judge(cell, each)
        lines.append(
            f"| {' | '.join([f'{number:g}' for number in cell] + [f'{share:.3f}' for share in each.values()])} |"
        )
    return lines


if __name__ == "__main__":
    typer.run(main)

"""Tests and intervals of comparisons: of equally good models, of several numbers, of rankings and bands."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np

from at_k.estimators.counts import g_pass_at_k, pass_at_k, pass_hat_k
from at_k.uncertainty.comparison import compare_unpaired, compare_values, paired_t_p, wilcoxon_p
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.questions import Questions
from at_k.uncertainty.standard_errors import standard_error
from at_k.uncertainty.verdicts import is_decided
from benchmarks.coverage import LEVEL, Simulation, find_stderr, write_table
from benchmarks.coverage.others import LAYOUTS


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
    difficulty = [
        np.where(same[i], shared, own) * (1 - shift) for i, own in enumerate((first, second))
    ]
    return rng.binomial(16, difficulty[0] + shift) / 16, rng.binomial(16, difficulty[1]) / 16


def simulate_equal_models(
    kind: str, problems: int, method: str = "sign-flip", *, repetitions: int, seed: int
) -> float:
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
        a, b = (
            values[rng.binomial(n, np.where(apart[i], p, shared))]
            for i, p in enumerate((first, second))
        )
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
        together, alone = (
            rng.beta(0.5, 0.5, size=(2, size, count)) for size in (len(sizes), problems)
        )
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
    cells = [
        (kind, problems, "sign-flip")
        for kind, problems in product(unlike, (15, 30, 100, 300, 3000))
    ]
    cells += [(RARE, problems, "bounded") for problems in (15, 30, 100, 300, 3000)]
    clustered = [(kind, sum(LAYOUTS[kind])) for kind in EQUAL_MODELS if kind in LAYOUTS]
    return cells + [(*cell, method) for cell in clustered for method in ("sign-flip", ALONE)]


def simulate_many_numbers(shift: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate 100 problems and 13 numbers: how often pass@1 is found to differ, alone and adjusted, and any number."""
    rng, k = np.random.default_rng([seed, int(shift * 1000)]), [1, 2, 4, 8, 16]
    counts = np.arange(17)
    values = [pass_at_k(16, counts, k=k), pass_hat_k(16, counts, k=k[1:])]
    values += [g_pass_at_k(16, counts, k=[4, 8, 16, 12], thresholds=0.5)]
    table = np.concatenate([np.asarray(each).reshape(17, -1) for each in values], axis=1)
    found = dict.fromkeys(
        ("pass@1 alone", "pass@1, max-T", "pass@1, Bonferroni", "any, max-T", "any, Bonferroni"), 0
    )
    for _ in range(repetitions):
        a, b = (table[np.rint(16 * each).astype(int)] for each in _draw_pair(rng, 100, shift))
        family = Questions(a - b, n_flips=999, seed=int(rng.integers(1 << 32)))
        alone, together = family.p_values, family.adjusted
        p_values = (
            alone[0],
            together[0],
            alone[0] * family.count,
            min(together),
            min(alone) * family.count,
        )
        for name, p_value in zip(found, p_values, strict=True):
            found[name] += is_decided(p_value, LEVEL)
    return {name: count / repetitions for name, count in found.items()}


def simulate_one_sample(
    problems: int, shift: float, *, repetitions: int, seed: int
) -> dict[str, float]:
    """Simulate one sample of each problem: how often a test finds a difference."""
    rng, found = (
        np.random.default_rng([seed, problems, int(shift * 1000)]),
        {"mid-p": 0, "sign-flip": 0},
    )
    for _ in range(repetitions):
        p = rng.beta(0.5, 0.5, problems) * (1 - shift)
        a, b = (
            (rng.random(problems) < p + shift).astype(float),
            (rng.random(problems) < p).astype(float),
        )
        p_values = (
            compare_values(a, b, n_flips=999, bounded=each).p_value for each in (True, False)
        )
        for name, p_value in zip(found, p_values, strict=True):
            found[name] += is_decided(p_value, LEVEL)
    return {name: count / repetitions for name, count in found.items()}


def simulate_ranking(
    problems: int, models: int, *, repetitions: int, seed: int
) -> dict[str, float]:
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
        low, high = interval(
            found.difference, stderr, problems, method="t", bounded=False, confidence_level=LEVEL
        )
        limits = {
            "default": (found.low, found.high),
            "bounded": (wide.low, wide.high),
            "paired t": (low, high),
        }
        for name, (lower, upper) in limits.items():
            covered[name] += bool(lower <= 0.9 * share <= upper)
    return {name: count / repetitions for name, count in covered.items()}


def simulate_bands(problems: int, shift: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Simulate bands over k: how often all differences lie within, and where each k has an interval of its own."""
    rng, k = np.random.default_rng([seed, problems, int(shift * 1000)]), [1, 2, 4, 8, 16]
    draws = _draw_pair(rng, 400_000, shift)
    truth = np.subtract(
        *(pass_at_k(16, np.rint(16 * each).astype(int), k=k).mean(axis=0) for each in draws)
    )
    peer = (
        importlib.import_module("passk_inference")
        if importlib.util.find_spec("passk_inference")
        else None
    )
    covered = {"band": 0, "intervals": 0} | ({} if peer is None else {"passk-inference": 0})
    for _ in range(repetitions):
        a, b = (
            pass_at_k(16, np.rint(16 * each).astype(int), k=k)
            for each in _draw_pair(rng, problems, shift)
        )
        stderr, _ = standard_error(a - b)
        distance = np.abs((a - b).mean(axis=0) - truth)
        low, high = Questions(a - b, n_flips=999).find_band(LEVEL)
        covered["band"] += bool(((low <= truth) & (truth <= high)).all())
        alone = [
            Questions((a - b)[:, [i]], n_flips=999).find_quantile(LEVEL) for i in range(len(k))
        ]
        covered["intervals"] += bool((distance <= alone * stderr).all())
        if peer is not None:
            theirs = peer.simultaneous_band(a - b, bootstrap=999)["critical_value"]
            covered["passk-inference"] += bool((distance <= theirs * stderr).all())
    return {name: count / repetitions for name, count in covered.items()}


def tabulate_equal_models(found: Mapping[EqualModels, float]) -> list[str]:
    """Write one row for each kind of problems and one column for each number of them."""
    sizes, rows = sorted({problems for _, problems, _ in found}), []
    for kind, method in dict.fromkeys((kind, method) for kind, _, method in found):
        shares = [found.get((kind, problems, method), "") for problems in sizes]
        rows.append([f"{kind}{', bounded' * (method == 'bounded')}", *shares])
    return write_table(["problems", *map(str, sizes)], rows)


def write_section(simulation: Simulation) -> list[str]:
    """Tabulate the tests and intervals of comparisons."""
    few, many, wrong = 5 * simulation.slow, 10 * simulation.slow, 100 * simulation.slow
    equal = simulation.ask(simulate_equal_models, list_equal_models(), wrong)
    for (kind, problems, method), share in equal.items():
        if method != ALONE:  # the wrong test, shown for comparison
            simulation.demands.at_most(f"type I, {kind}, {method}, M = {problems}", share, of=wrong)
    clustered = [
        [kind, problems, share, equal[kind, problems, ALONE]]
        for (kind, problems, method), share in equal.items()
        if kind in LAYOUTS and method != ALONE
    ]
    sections = [
        (
            f"Thirteen numbers of 100 problems at once (pass@k, pass^k and G-Pass@k_0.5 of 16 samples): how often they "
            f"are found to differ, of {many:,} times.",
            *(simulate_many_numbers, ("difference",), [(0,), (0.06,)], many),
        ),
        (
            f"One sample of each problem: how often a test finds a difference, of {many:,} times. `compare_values` "
            "takes mid-p.",
            *(
                simulate_one_sample,
                ("problems", "difference"),
                product((50, 200), (0, 0.1, 0.2)),
                many,
            ),
        ),
        (
            f"Rankings of equally good models: how often any two are told apart, of {many:,} times.",
            *(simulate_ranking, ("problems", "models"), product((30, 100), (3, 10)), many),
        ),
        (
            f"Two models, 16 samples: how often a test at {1 - LEVEL:.0%} finds a difference, of {many:,} times.",
            # not 15: SciPy's exact Wilcoxon test of 13 differences or fewer takes seconds
            *(simulate_tests, ("problems", "difference"), product((30, 100), (0, 0.05, 0.1)), many),
        ),
        (
            f"Rare large differences, in a share of the problems, beside the noise of 64 samples: coverage of the "
            f"difference, of {many:,} times.",
            *(simulate_rare, ("problems", "share"), product((15, 30, 100, 300), (0.05, 0.1)), many),
            ("difference, large in {1:.0%} of the problems, M = {0:g}", "default"),
        ),
        (
            f"Bands over k = 1, 2, 4, 8, 16: how often all five differences of pass@k lie within, of {few:,} times; "
            "and where each k has an interval of its own.",
            *(simulate_bands, ("problems", "difference"), product((15, 30, 100), (0, 0.1)), few),
            ("band over k = 1 … 16, M = {:g}, difference {:g}", "band"),
        ),
    ]
    tables = []
    for text, simulate, headings, cells, repetitions, *judged in sections:
        tables += [
            "",
            text,
            "",
            *simulation.tabulate(simulate, headings, list(cells), repetitions, *judged),
        ]
    return [
        "## Two models that are equally good",
        "",
        f"How often the test of a comparison at {1 - LEVEL:.0%} says otherwise, of {wrong:,} times, by the number of "
        f"problems (standard error {find_stderr(0.05, wrong):.4f}). From 1,000 effective problems on, the sums "
        "over random flips are drawn from their normal limit. In the last two rows a model loses much in a fifth of "
        "the problems and gains a little in each of the others.",
        "",
        *tabulate_equal_models(
            {cell: share for cell, share in equal.items() if cell[0] not in LAYOUTS}
        ),
        "",
        "The same with clusters, which flip as a whole. The models are good at clusters of their own.",
        "",
        *write_table(["clusters", "problems", "clusters flip", "problems flip"], clustered),
        "",
        "## Several numbers, several models, several tests",
        *tables,
    ]

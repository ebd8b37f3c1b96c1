"""Models that are equally good: how often a comparison tells them apart, and what no rule can do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.optimize import brentq

from at_k import compare, compare_benchmarks, gate, rank
from at_k.estimators.counts import pass_at_k
from at_k.estimators.selection import max_at_k
from at_k.uncertainty.decisions import is_decided
from at_k.uncertainty.questions import FACTOR, UNLIKE_FACTOR, Questions
from benchmarks.coverage import IN_CLUSTERS, LEVEL, MOST_FALSE, Simulation, find_stderr, write_table
from benchmarks.coverage.rules import (
    AT_ONCE,
    RULES,
    Floats,
    ask,
    decide,
    decide_by_flips,
    judge,
)

Draw = Callable[[np.random.Generator, int, int], Floats]
"""From a generator, the number of problems and that of data sets to differences, a column for each data set."""


def draw_one_model(
    rng: np.random.Generator,
    problems: int,
    count: int,
    *,
    n: tuple[int, int],
    k: int,
    a: float,
    b: float,
) -> Floats:
    """Draw pass@k of one model in two runs, of n[0] and of n[1] samples."""
    skill = rng.beta(a, b, (problems, count))
    first, second = (pass_at_k(own, np.arange(own + 1), k=k)[rng.binomial(own, skill)] for own in n)
    return np.asarray(first - second)


def draw_two_models(
    rng: np.random.Generator, problems: int, count: int, *, n: int, k: int = 1, mean: float = 0.5
) -> Floats:
    """Draw pass@k of two models, to each of which a fifth of the difficulties is its own."""
    shared, *own = rng.beta(mean * 0.6, (1 - mean) * 0.6, (3, problems, count))
    values = pass_at_k(n, np.arange(n + 1), k=k)
    a, b = (
        values[rng.binomial(n, np.where(rng.random(shared.shape) < 0.2, each, shared))]
        for each in own
    )
    return np.asarray(a - b)


def draw_halves(rng: np.random.Generator, problems: int, count: int) -> Floats:
    """Draw differences of ½, −½ and 0, where the normal limit is furthest off."""
    return rng.choice((-0.5, 0.0, 0.5), p=(0.2, 0.6, 0.2), size=(problems, count))


def draw_rare_losses(
    rng: np.random.Generator, problems: int, count: int, *, share: float, loss: float, spread: float
) -> Floats:
    """Draw differences of mean 0: a loss in a share of the problems, small gains elsewhere."""
    lost = rng.random((problems, count)) < share
    gain = loss * share / (1 - share) + spread * rng.normal(size=lost.shape).clip(-2, 2)
    return np.where(lost, -loss, gain).clip(-1, 1)


def draw_unlike_spread(
    rng: np.random.Generator, problems: int, count: int, *, mean: float, n: int = 16
) -> Floats:
    """Draw pass@1 of a model whose problems are equally hard, and one of the same mean whose are not."""
    skill = rng.beta(mean * 0.6, (1 - mean) * 0.6, (problems, count))
    return np.asarray((rng.binomial(n, mean, skill.shape) - rng.binomial(n, skill)) / n)


def draw_whole_failures(
    rng: np.random.Generator, problems: int, count: int, *, share: float, k: int, n: int = 16
) -> Floats:
    """Draw pass@k of a model that fails in a share of the problems and solves the others, and of an even one."""
    values = pass_at_k(n, np.arange(n + 1), k=k)
    fails = rng.random((problems, count)) < share
    even = values[rng.binomial(n, 1 - share ** (1 / k), fails.shape)]  # so that the means are equal
    return np.asarray(np.where(fails, 0.0, 1.0) - even)


UNLIKE_N: dict[str, Draw] = {
    "8 and 64 samples, pass@8, U-shaped": partial(draw_one_model, n=(8, 64), k=8, a=0.3, b=0.3),
    "8 and 64 samples, pass@8, hard": partial(draw_one_model, n=(8, 64), k=8, a=0.3, b=1.2),
    "8 and 64 samples, pass@8, easy": partial(draw_one_model, n=(8, 64), k=8, a=2.0, b=0.5),
    "16 and 64 samples, pass@8": partial(draw_one_model, n=(16, 64), k=8, a=0.5, b=0.5),
    "4 and 100 samples, pass@4": partial(draw_one_model, n=(4, 100), k=4, a=1.0, b=1.0),
    "10 and 100 samples, pass@10, p = .5": partial(draw_one_model, n=(10, 100), k=10, a=1e6, b=1e6),
}
"""One model, compared with itself, in two runs of other sizes."""

ALIKE: dict[str, Draw] = {
    "one sample, pass@1": partial(draw_two_models, n=1),
    "16 samples, pass@1": partial(draw_two_models, n=16),
    "16 samples, pass@8": partial(draw_two_models, n=16, k=8),
    "16 samples of easy problems (.95)": partial(draw_two_models, n=16, mean=0.95),
    "one model, 64 samples, pass@1": partial(draw_one_model, n=(64, 64), k=1, a=0.3, b=0.3),
    "0, and in two fifths ½ or −½": draw_halves,
}
"""Equally good models with equally many samples, whose differences are symmetric."""

SKEWED: dict[str, Draw] = {
    "fails wholly in 8 %, pass@16": partial(draw_whole_failures, share=0.08, k=16),
    "a fifth lost, small gains elsewhere": partial(draw_unlike_spread, mean=0.8),
    "equal pass@1 = .9, unlike spread": partial(draw_unlike_spread, mean=0.9),
    "equal pass@1 = .5, unlike spread": partial(draw_unlike_spread, mean=0.5),
    "a loss of .5 in 10 %, gains elsewhere": partial(
        draw_rare_losses, share=0.1, loss=0.5, spread=0.02
    ),
    "a loss of .9 in 5 %, gains elsewhere": partial(
        draw_rare_losses, share=0.05, loss=0.9, spread=0.01
    ),
}
"""Equally good models whose differences are not symmetric."""

KINDS = {**UNLIKE_N, **ALIKE, **SKEWED}
SIZES = (8, 15, 30, 100, 400, 1000)

LAYOUTS = {
    "10 of 10": [10] * 10,
    "30 of 5": [5] * 30,
    "unequal, 10": [1, 1, 2, 2, 3, 4, 6, 9, 14, 22],
    "one with 40 %": [40] + [6] * 10,
    "halves and singles": [20, 20] + [1] * 20,
    "geometric, 8": [1, 2, 4, 8, 16, 32, 64, 128],
    "1,200 of 2": [2] * 1200,
}
"""Name → sizes of the clusters."""


def find_factor(kind: str) -> float:
    """Return the factor of the rule: that of one model at unlike n, or the usual one."""
    return UNLIKE_FACTOR if kind in UNLIKE_N else FACTOR


def simulate_errors(kind: str, problems: int, *, repetitions: int, seed: int) -> float:
    """Return how often equal models are told apart."""
    rng, decided = np.random.default_rng([seed, problems, *map(ord, kind)]), 0
    for _ in range(repetitions // AT_ONCE):
        questions = ask(KINDS[kind](rng, problems, AT_ONCE), rng, factor=find_factor(kind))
        decided += int(decide(questions).sum())
    return decided / repetitions


def simulate_rules(kind: str, problems: int, *, repetitions: int, seed: int) -> Floats:
    """Return how often each of `RULES` tells equal models apart."""
    rng = np.random.default_rng([seed, problems, *map(ord, kind)])
    found = [
        judge(KINDS[kind](rng, problems, AT_ONCE), rng, factor=find_factor(kind))
        for _ in range(repetitions // AT_ONCE)
    ]
    return np.concatenate(found, axis=1).mean(axis=1)


def find_least_claim(problems: int) -> float:
    """Return the least gain, equal in all problems, that any rule may claim that errs in at most 5 % of data sets."""
    # A loss of 1 in a share g/(1 + g) of the problems makes up for gains of g. The sample shows none of them with the
    # chance (1 + g)^−M, and then looks like equal gains.
    return float((1 - LEVEL) ** (-1 / problems) - 1)


def find_own_claim(problems: int) -> float:
    """Return the least gain, equal in all problems, that a comparison claims."""

    def reach(gain: float) -> float:
        p_value = Questions(np.full((problems, 1), gain), n_flips=9_999).p_values[0]
        return float(p_value) - (1 - LEVEL)

    return float(brentq(reach, 1e-6, 1.0, xtol=1e-6)) if reach(1.0) < 0 else np.nan


def find_worst(problems: int, *, repetitions: int, seed: int) -> Floats:
    """Return the error of each of `RULES` under the most adverse law of two values, by exact chances."""
    # The law: a loss of L in a share q, else the gain that makes up for it; .3 to 4 losses are expected. With five of
    # them or more, no rule decides for the gains.
    rng, worst = np.random.default_rng(seed), np.zeros(len(RULES))
    lost = np.arange(5)
    for loss, expected in product((0.1, 0.5, 1.0), np.geomspace(0.3, 4, repetitions)):
        share = min(0.5, expected / problems)
        gain = loss * share / (1 - share)
        columns = np.where(np.arange(problems)[:, None] < lost, -loss, gain)
        claims = judge(columns, rng) & (columns.mean(axis=0) > 0)
        chances = _choose(problems, lost) * share**lost * (1 - share) ** (problems - lost)
        worst = np.maximum(worst, claims @ chances)
    return worst


def _choose(n: int, k: Floats) -> Floats:
    from scipy.special import comb

    return np.asarray(comb(n, k))


def simulate_clusters(
    layout: str, mean: float, shared: float, *, repetitions: int, seed: int
) -> tuple[float, float, float]:
    """Draw models that are good at clusters of their own: coverage, and errors where clusters and problems flip."""
    rng = np.random.default_rng([seed, int(mean * 100), int(shared * 100), *map(ord, layout)])
    sizes = LAYOUTS[layout]
    codes = np.repeat(np.arange(len(sizes)), sizes)
    found = np.zeros(3)
    for _ in range(repetitions // AT_ONCE):
        values = []
        for _ in range(2):
            together = rng.beta(mean, 1 - mean, (len(sizes), AT_ONCE))[codes]
            alone = rng.beta(mean, 1 - mean, together.shape)
            skill = np.where(rng.random(alone.shape) < shared, together, alone)
            values.append(rng.binomial(4, skill) / 4)
        columns = values[0] - values[1]
        questions = ask(columns, rng, clusters=codes)
        limits = np.array([questions.find_own_limits(q, LEVEL) for q in range(AT_ONCE)])
        covered = (limits[:, 0] <= 0) & (limits[:, 1] >= 0)
        wrong = decide_by_flips(ask(columns, rng))
        found += covered.sum(), decide(questions).sum(), wrong.sum()
    coverage, decided, by_problems = (found / repetitions).tolist()
    return coverage, decided, by_problems


def _draw_runs(rng: np.random.Generator, problems: int, *n: int) -> list[dict[str, Any]]:
    """Draw runs of one model that solves every problem half of the time."""
    return [{"grades": (rng.random((problems, each)) < 0.5).astype(float)} for each in n]


def _claims(found: Any) -> bool:
    return any(found.find_better(key) is not None for key in found.comparisons)


def tell_in_band(rng: np.random.Generator) -> bool:
    """Compare one model, with 10 and 100 samples of 400 problems, by bands over k."""
    a, b = _draw_runs(rng, 400, 10, 100)
    points = compare(a, b, metrics="pass_at_k", band=True).bands.values()
    return any(point.better for line in points for point in line)


def pass_gate(rng: np.random.Generator) -> bool:
    """Gate pass@8 of the same model against itself, with no margin."""
    a, b = _draw_runs(rng, 400, 10, 100)
    return gate(a, b, metrics="pass@8", margin=0.0).decision == "PASS"


def tell_in_ranking(rng: np.random.Generator) -> bool:
    """Rank three runs of the same model by pass@8."""
    a, b, c = _draw_runs(rng, 400, 10, 100, 10)
    return len(rank({"a": a, "b": b, "c": c}, metrics="pass@8").tiers) > 1


def tell_in_numbers(rng: np.random.Generator) -> bool:
    """Compare two runs of 16 samples of 100 problems in every number that a comparison asks by default."""
    a, b = _draw_runs(rng, 100, 16, 16)
    return _claims(compare(a, b))


def tell_in_benchmarks(rng: np.random.Generator) -> bool:
    """Compare two runs of 8 samples on twelve benchmarks of 30 problems."""
    pairs = [_draw_runs(rng, 30, 8, 8) for _ in range(12)]
    a, b = ({str(place): pair[side] for place, pair in enumerate(pairs)} for side in (0, 1))
    found = compare_benchmarks(a, b)
    return any(map(_claims, found.benchmarks.values()))


def tell_in_ten_models(rng: np.random.Generator) -> bool:
    """Rank ten equal models with 16 samples of 30 problems."""
    values = rng.binomial(16, rng.beta(0.3, 0.3, (30, 1)), (30, 10)) / 16
    adjusted = ask(values, rng, pairs=list(combinations(range(10), 2))).adjusted
    return any(is_decided(p_value, LEVEL) for p_value in adjusted.tolist())


FAMILIES: dict[str, Callable[[np.random.Generator], bool]] = {
    "one model, 10 and 100 samples, band over k": tell_in_band,
    "one model, 10 and 100 samples, gate with margin 0": pass_gate,
    "one model, three runs, ranking": tell_in_ranking,
    "one model, all numbers of a comparison": tell_in_numbers,
    "one model, twelve benchmarks": tell_in_benchmarks,
    "ten equal models, ranking": tell_in_ten_models,
}
"""A question about equal models → its claim about new samples, which is always false."""


def simulate_family(name: str, *, repetitions: int, seed: int) -> float:
    """Return how often something is claimed of equal models."""
    rng = np.random.default_rng([seed, *map(ord, name)])
    return sum(FAMILIES[name](rng) for _ in range(repetitions)) / repetitions


def simulate_scores(problems: int, *, repetitions: int, seed: int) -> float:
    """Return how often max@4 of eight lognormal scores is told apart, where only the spread of the scores differs."""
    rng, decided = np.random.default_rng([seed, problems]), 0

    def draw(spread: float, *shape: int) -> Floats:
        scores = np.exp(spread * rng.standard_normal((*shape, 8)))
        return np.asarray(max_at_k(scores.reshape(-1, 8), k=4)).reshape(shape)

    scale = draw(1.0, 200_000).mean() / draw(0.3, 200_000).mean()
    for _ in range(repetitions // AT_ONCE):
        even = scale * draw(0.3, problems, AT_ONCE)
        columns = even - draw(1.0, problems, AT_ONCE)
        decided += int(decide(ask(columns, rng, bounded=False)).sum())
    return decided / repetitions


def write_section(simulation: Simulation) -> list[str]:
    """Tabulate the errors of comparisons, and judge every cell."""
    many, some = 100 * simulation.slow, 10 * simulation.slow
    judged = simulation.demands
    errors = simulation.ask(simulate_errors, product(KINDS, SIZES), many)
    for (kind, size), share in errors.items():
        judged.at_most(f"type I, {kind}, M = {size}", share, of=many)
    low = sum(share <= MOST_FALSE for share in errors.values())
    worst = {
        name: max(share for (kind, _), share in errors.items() if kind in group)
        for name, group in (("unlike n", UNLIKE_N), ("equal n", ALIKE), ("skewed", SKEWED))
    }
    rows = [[kind, *(errors[kind, size] for size in SIZES)] for kind in KINDS]
    beside = simulation.ask(simulate_rules, product(KINDS, (30,)), some)
    clustered = simulation.ask(simulate_clusters, product(LAYOUTS, (0.5, 0.8), (0.1, 0.7)), some)
    scores = simulation.ask(simulate_scores, (12, 30, 100), some)
    for size, share in scores.items():
        judged.at_most(f"type I, max@4 of skewed scores, M = {size}", share, of=some)
    families = simulation.ask(simulate_family, FAMILIES, some)
    for name, share in families.items():
        judged.at_most(name, share, of=some)
    return [
        "## Two models that are equally good",
        "",
        f"How often a comparison at {1 - LEVEL:.0%} tells them apart, of {many:,} times, by the number of problems "
        f"(standard error of .05: {find_stderr(0.05, many):.4f}). The first {len(UNLIKE_N)} rows are one model in two "
        f"runs of other sizes. At most {MOST_FALSE} is kept in {low} of {len(errors)} cells; the largest share is "
        f"{worst['unlike n']:.3f} with unlike n, {worst['equal n']:.3f} with equal n, and {worst['skewed']:.3f} of "
        "skewed differences.",
        "",
        *write_table(["problems", *map(str, SIZES)], rows),
        "",
        f"The same beside other rules, of {some:,} data sets of 30 problems: the rule of version 0.7.0, flips of signs "
        "alone, the paired t-test, and SciPy's bootstrap (BCa).",
        "",
        *write_table(
            ["30 problems", *RULES], [[kind, *found] for (kind, _), found in beside.items()]
        ),
        "",
        *_write_bound(simulation),
        "",
        "## Clusters of problems, and families of questions",
        "",
        *_write_clusters(clustered, simulation, some),
        "",
        f"How often anything is claimed of equal models, by what is asked ({some:,} times, through the functions that "
        "users call).",
        "",
        *write_table(["asked", "any claim"], families.items()),
        "",
        "max@4 of eight lognormal scores has no range, so that flips decide alone: two models of equal means, of which "
        f"one varies more ({some:,} times). A comparison has a note.",
        "",
        *write_table(["problems", *map(str, scores)], [["told apart", *scores.values()]]),
    ]


def _write_bound(simulation: Simulation) -> list[str]:
    """Say what no rule can do, and what the rules do at worst."""
    sizes, grid = (15, 20, 30, 60, 100), simulation.slow // 2
    worst = simulation.ask(find_worst, sizes, grid)
    largest = np.max(list(worst.values()), axis=0)
    bounds = [[m, find_least_claim(m), find_own_claim(m)] for m in sizes]
    return [
        "## What no rule can do",
        "",
        "A loss that no sample shows cannot be excluded by looking at the sample: gains of g in all problems are made "
        "up for by a loss of 1 in a share g/(1 + g) of them, and M problems show none of these with a chance of "
        f"(1 + g)^−M. So no rule that errs in this direction in at most {1 - LEVEL:.0%} of data sets, for every "
        f"distribution, can claim smaller gains than {1 - LEVEL:.2g}^(−1/M) − 1, and a demand of more power than that "
        "is met by none.",
        "",
        *write_table(
            ["problems", "least equal gain, any valid rule", "least equal gain, at-k"], bounds
        ),
        "",
        "The price is an error under the most adverse law of two values, a loss and a gain with a mean of 0 (exact "
        f"chances, on a grid of {3 * grid} laws by which .3 to 4 losses are expected): at most {largest[0]:.3f} for "
        f"at-k, where flips have {largest[2]:.3f} and the paired t-test has {largest[3]:.3f}.",
        "",
        *write_table(["problems", *RULES], [[m, *found] for m, found in worst.items()]),
    ]


def _write_clusters(
    found: dict[Any, tuple[float, float, float]], simulation: Simulation, of: int
) -> list[str]:
    for (layout, mean, shared), (coverage, wrong, _) in found.items():
        cell = f"clusters {layout}, mean {mean:g}, {shared:.0%} shared"
        simulation.demands.at_least(f"difference, {cell}", coverage, IN_CLUSTERS, of=of)
        simulation.demands.at_most(f"type I, {cell}", wrong, of=of)
    rows = []
    for layout in LAYOUTS:
        own = np.array([each for cell, each in found.items() if cell[0] == layout])
        rows.append([layout, float(own[:, 0].min()), *own[:, 1:].max(axis=0).tolist()])
    return [
        f"Models that are good at clusters of their own, {of:,} times: the lowest coverage of the difference, and the "
        "largest error where whole clusters flip, and where problems flip alone (the wrong test), of two mean "
        "difficulties and two shares of common difficulty.",
        "",
        *write_table(["clusters", "coverage", "clusters flip", "problems flip"], rows),
    ]

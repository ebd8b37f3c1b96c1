"""Error rates of comparisons: `python -m benchmarks.coverage_comparisons` simulates, and prints the tables.

Every kind of data is judged, none exempted. Type I is the share of data sets in which equally good models are told
apart; coverage the share whose interval of the difference holds the true one. A hundred data sets share their random
flips, as the numbers of one comparison do.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import typer

from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.comparison import correct_difference
from at_k.uncertainty.flips import find_flip_p
from at_k.uncertainty.intervals import find_difference_interval
from at_k.uncertainty.questions import FACTOR, UNLIKE_FACTOR, Questions
from at_k.uncertainty.verdicts import is_decided
from benchmarks.coverage import DATA, IN_CLUSTERS, LEVEL, Simulation, find_stderr, write_table

Floats = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, int, int], Floats]
"""From a generator, the number of problems and that of data sets to differences, one column for each data set."""

FLIPS, AT_ONCE = 999, 100


def compare_one_model(n: tuple[int, int], k: int, a: float, b: float) -> Draw:
    """Return a draw of pass@k of one model, with n samples in the one run and other n in the other."""

    def draw(rng: np.random.Generator, problems: int, count: int) -> Floats:
        skill = rng.beta(a, b, (problems, count))
        first, second = (
            pass_at_k(own, np.arange(own + 1), k=k)[rng.binomial(own, skill)] for own in n
        )
        return np.asarray(first - second)

    return draw


def lose_rarely(share: float, loss: float, spread: float) -> Draw:
    """Return a draw of differences of mean 0: a loss in a share of the problems, small gains elsewhere."""

    def draw(rng: np.random.Generator, problems: int, count: int) -> Floats:
        lost = rng.random((problems, count)) < share
        gain = loss * share / (1 - share) + spread * rng.normal(size=lost.shape).clip(-2, 2)
        return np.where(lost, -loss, gain).clip(-1, 1)

    return draw


def spread_unlike(mean: float, total: float = 0.6, n: int = 16) -> Draw:
    """Return a draw of pass@1 of a model whose problems are equally hard, and one of the same mean whose are not."""

    def draw(rng: np.random.Generator, problems: int, count: int) -> Floats:
        skill = rng.beta(mean * total, (1 - mean) * total, (problems, count))
        return np.asarray((rng.binomial(n, mean, skill.shape) - rng.binomial(n, skill)) / n)

    return draw


def fail_wholly(share: float, k: int, n: int = 16) -> Draw:
    """Return a draw of pass@k of two models of equal means: the one fails in a share of the problems, the other never.

    The first solves all others; the second has one chance everywhere, so that its pass@k has the same mean.
    """
    skill = 1 - share ** (1 / k)

    def draw(rng: np.random.Generator, problems: int, count: int) -> Floats:
        values = pass_at_k(n, np.arange(n + 1), k=k)
        fails = rng.random((problems, count)) < share
        return np.asarray(np.where(fails, 0.0, 1.0) - values[rng.binomial(n, skill, fails.shape)])

    return draw


UNLIKE_N: dict[str, Draw] = {
    "8 and 64 samples, pass@8, U-shaped": compare_one_model((8, 64), 8, 0.3, 0.3),
    "8 and 64 samples, pass@8, hard": compare_one_model((8, 64), 8, 0.3, 1.2),
    "8 and 64 samples, pass@8, easy": compare_one_model((8, 64), 8, 2.0, 0.5),
    "16 and 64 samples, pass@8": compare_one_model((16, 64), 8, 0.5, 0.5),
    "4 and 100 samples, pass@4": compare_one_model((4, 100), 4, 1.0, 1.0),
    "10 and 100 samples, pass@10, p = .5": compare_one_model((10, 100), 10, 1e6, 1e6),
}
"""One model, compared with itself, in two runs of other sizes."""

SKEWED: dict[str, Draw] = {
    "fails wholly in 8 %, pass@16": fail_wholly(0.08, 16),
    "a fifth lost, small gains elsewhere": spread_unlike(0.8),
    "equal pass@1 = .9, unlike spread": spread_unlike(0.9),
    "equal pass@1 = .5, unlike spread": spread_unlike(0.5),
    "a loss of .5 in 10 %, gains elsewhere": lose_rarely(0.1, 0.5, 0.02),
    "a loss of .9 in 5 %, gains elsewhere": lose_rarely(0.05, 0.9, 0.01),
}
"""Equally good models whose differences are not symmetric."""

SIZES = (8, 15, 30, 100, 300, 1000)
LAYOUTS = {
    "unequal, 10": [1, 1, 2, 2, 3, 4, 6, 9, 14, 22],
    "one with 40 %": [40] + [6] * 10,
    "halves and singles": [20, 20] + [1] * 20,
    "geometric, 8": [1, 2, 4, 8, 16, 32, 64, 128],
}


def simulate_errors(kind: str, problems: int, *, repetitions: int, seed: int) -> float:
    """Return how often equal models are told apart."""
    rng, decided = np.random.default_rng([seed, problems, *map(ord, kind)]), 0
    draw = {**UNLIKE_N, **SKEWED}[kind]
    factor = UNLIKE_FACTOR if kind in UNLIKE_N else FACTOR
    for _ in range(repetitions // AT_ONCE):
        flips = {"n_flips": FLIPS, "seed": int(rng.integers(1 << 32))}
        questions = Questions(draw(rng, problems, AT_ONCE), factor=factor, **flips)
        decided += sum(is_decided(float(p_value), LEVEL) for p_value in questions.p_values)
    return decided / repetitions


def read_evalperf() -> Floats:
    """Return the correct samples of 100, with a row for each task and a column for each of 31 models."""
    models = json.loads((DATA / "evalperf_counts.json").read_text(encoding="utf-8"))[
        "models"
    ].values()
    return np.array([each["c"] for each in models if each["n"] == 100]).T


def simulate_evalperf(
    k: int, problems: int, *, repetitions: int, seed: int
) -> tuple[float, float, float]:
    """Draw problems of two models of EvalPerf: coverage, decisions by flips alone, and decisions by the rule."""
    rng, counts = np.random.default_rng([seed, k, problems]), read_evalperf()
    values = np.asarray(pass_at_k(100, np.arange(101), k=k))[counts]
    pairs = list(combinations(range(values.shape[1]), 2))
    covered = before = decided = 0
    for _ in range(repetitions // AT_ONCE):
        chosen = rng.choice(len(pairs), AT_ONCE)
        all_problems = np.stack(
            [values[:, a] - values[:, b] for a, b in (pairs[place] for place in chosen)], axis=1
        )
        rows = rng.integers(0, len(values), (problems, AT_ONCE))
        questions = Questions(
            np.take_along_axis(all_problems, rows, axis=0),
            n_flips=FLIPS,
            seed=int(rng.integers(1 << 32)),
        )
        for q, truth in enumerate(all_problems.mean(axis=0)):
            low, high = questions.find_own_limits(q, LEVEL)
            covered += bool(low - 1e-12 <= truth <= high + 1e-12)
            before += is_decided(find_flip_p(questions.add_up(q)), LEVEL)
            decided += is_decided(float(questions.p_values[q]), LEVEL)
    return covered / repetitions, before / repetitions, decided / repetitions


def simulate_clusters(
    layout: str, mean: float, shared: float, *, repetitions: int, seed: int
) -> tuple[float, float]:
    """Draw models that are good at clusters of their own: coverage of the difference, and type I error."""
    rng = np.random.default_rng([seed, int(mean * 100), int(shared * 100), *map(ord, layout)])
    sizes = LAYOUTS[layout]
    codes = np.repeat(np.arange(len(sizes)), sizes)
    covered = decided = 0
    for _ in range(repetitions // AT_ONCE):
        values = []
        for _ in range(2):
            together = rng.beta(mean, 1 - mean, (len(sizes), AT_ONCE))[codes]
            alone = rng.beta(mean, 1 - mean, together.shape)
            values.append(
                rng.binomial(4, np.where(rng.random(alone.shape) < shared, together, alone)) / 4
            )
        questions = Questions(
            values[0] - values[1], clusters=codes, n_flips=FLIPS, seed=int(rng.integers(1 << 32))
        )
        limits = [questions.find_own_limits(q, LEVEL) for q in range(AT_ONCE)]
        covered += sum(low <= 0 <= high for low, high in limits)
        decided += sum(is_decided(float(p_value), LEVEL) for p_value in questions.p_values)
    return covered / repetitions, decided / repetitions


BANDS = [*product((0.5, 0.8, 0.95), (0.0, 0.5), (16, 64)), (0.2, 0.0, 16), (0.2, 0.5, 16)]
"""Mean difficulty, how far the models have difficulties of their own, and samples: 14 cells."""


def simulate_band(
    mean: float, own: float, n: int, problems: int, *, repetitions: int, seed: int
) -> float:
    """Draw two models, the second a little worse: how often all differences of pass@k lie within the band."""
    rng = np.random.default_rng([seed, int(mean * 1000), int(own * 100), n, problems])
    k = [1 << power for power in range(n.bit_length())]
    tables = np.asarray(pass_at_k(n, np.arange(n + 1), k=k))

    def draw(count: int) -> Floats:
        common, first, second = rng.beta(mean * 0.6, (1 - mean) * 0.6, (3, count))
        skill = [np.where(rng.random(count) < own, each, common) for each in (first, second)]
        return np.stack([skill[0], skill[1] * 0.95])

    skill = draw(200_000)
    truth = np.stack([1 - (1 - skill) ** each for each in k], axis=-1).mean(axis=1)
    truth, held = truth[0] - truth[1], 0
    for _ in range(repetitions):
        c = rng.binomial(n, draw(problems))
        questions = Questions(
            tables[c[0]] - tables[c[1]], n_flips=FLIPS, seed=int(rng.integers(1 << 32))
        )
        low, high = questions.find_band(LEVEL)
        held += bool(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).all())
    return held / repetitions


AUDITS = [*product((100, 200, 400), (40, 80), (0.05, 0.2, 0.4))]
"""Problems, how many of them are audited, and the share of wrong samples that the checker passes: 18 cells."""


def simulate_audit(
    problems: int, audited: int, slips: float, *, repetitions: int, seed: int
) -> float:
    """Draw two models whose checker passes wrong samples: how often the audited difference holds that of the truth."""
    rng = np.random.default_rng([seed, problems, audited, int(slips * 100)])
    truth, held = 0.1 - 0.1**2 / 2, 0  # the mean of min(p + .1, 1) − p for uniform p
    for _ in range(repetitions):
        skill = rng.beta(1, 1, problems)
        true = rng.binomial(8, np.stack([np.clip(skill + 0.1, 0, 1), skill])) / 8
        rate = rng.beta(0.5, 0.5 / slips - 0.5, true.shape)
        seen = true + rng.binomial(np.rint(8 * (1 - true)).astype(int), rate) / 8
        better = np.full(problems, np.nan)
        better[:audited] = (true[0] - true[1])[:audited]
        found = correct_difference(seen[0] - seen[1], better, confidence_level=LEVEL)
        low, high = find_difference_interval(*found, confidence_level=LEVEL)
        held += bool(low <= truth <= high)
    return held / repetitions


def write_section(repetitions: int, simulation: Simulation) -> list[str]:
    """Simulate all tables, and judge every cell. `repetitions` is a multiple of 100."""
    judged, few = simulation.demands, repetitions // 4
    nulls = list({**UNLIKE_N, **SKEWED})
    errors = simulation.ask(simulate_errors, product(nulls, SIZES), 2 * repetitions)
    for (kind, size), share in errors.items():
        judged.at_most(f"type I, {kind}, M = {size}", share, of=2 * repetitions)
    real = simulation.ask(simulate_evalperf, product((1, 10, 30, 64), (15, 30, 100)), repetitions)
    for (k, size), (coverage, *_) in real.items():
        judged.at_least(f"difference on EvalPerf, pass@{k}, M = {size}", coverage, of=repetitions)
    clustered = simulation.ask(
        simulate_clusters, product(LAYOUTS, (0.5, 0.8), (0.1, 0.7)), repetitions
    )
    for (layout, mean, shared), (coverage, wrong) in clustered.items():
        cell = f"clusters {layout}, mean {mean:g}, {shared:.0%} shared"
        judged.at_least(f"difference, {cell}", coverage, IN_CLUSTERS, of=repetitions)
        judged.at_most(f"type I, {cell}", wrong, of=repetitions)
    bands = simulation.ask(
        simulate_band, [(*cell, size) for cell in BANDS for size in (15, 30, 60, 100, 300)], few
    )
    for (mean, own, n, size), share in bands.items():
        judged.at_least(
            f"band, mean {mean:g}, {own:.0%} unlike, {n} samples, M = {size}", share, of=few
        )
    audits = simulation.ask(simulate_audit, AUDITS, few)
    for (size, count, slips), share in audits.items():
        cell = f"audited difference, M = {size}, {count} audited, {slips:.0%} passed"
        judged.at_least(cell, share, of=few)
    return [
        "## Audited differences",
        "",
        f"Two models whose checker passes a share of the wrong samples, more in some problems than in others, {few:,} "
        "times: how often the audited difference of pass@1 holds that of the truth (standard error of .95: "
        f"{find_stderr(0.95, few):.3f}).",
        "",
        *write_table(
            ["problems, audited", *(f"{slips:.0%} passed" for slips in (0.05, 0.2, 0.4))],
            [
                (f"{m}, {a}", *(audits[m, a, slips] for slips in (0.05, 0.2, 0.4)))
                for m, a in product((100, 200, 400), (40, 80))
            ],
        ),
        "",
        "## Two equal models whose differences are not symmetric",
        "",
        f"How often a comparison at 5 % tells them apart, of {2 * repetitions:,} times, by the number of problems "
        f"(standard error of .05: {find_stderr(0.05, 2 * repetitions):.4f}). First one model in two runs of other "
        "sizes. A loss in 10 % of the problems does not occur in .21 of the samples of 15 problems; one in 5 %, in .46 "
        "of 15 and in .21 of 30. Tests see only losses that are in the sample; the bounded interval allows for others.",
        "",
        *write_table(
            ["problems", *map(str, SIZES)],
            [(kind, *(errors[kind, m] for m in SIZES)) for kind in nulls],
        ),
        "",
        "## Pairs of real models",
        "",
        f"Pairs of 31 models of EvalPerf, problems drawn from its 118, {repetitions:,} times: how often the interval "
        "holds the difference over all 118, and how often a model is called better: by flips alone, and by the "
        "rule.",
        "",
        *write_table(
            [
                "pass@k",
                *(
                    f"{name}, M = {m}"
                    for m in (15, 30, 100)
                    for name in ("coverage", "flips", "decided")
                ),
            ],
            [
                (f"k = {k}", *(each for m in (15, 30, 100) for each in real[k, m]))
                for k in (1, 10, 30, 64)
            ],
        ),
        "",
        "## Differences in clusters of unequal size",
        "",
        f"Models that are good at clusters of their own, {repetitions:,} times: the lowest coverage of the difference, "
        "and the largest type I error, of two mean difficulties and two shares of common difficulty.",
        "",
        *write_table(
            ["clusters", "coverage", "type I"],
            [
                (layout, min(own[0] for own in found), max(own[1] for own in found))
                for layout in LAYOUTS
                for found in [[own for cell, own in clustered.items() if cell[0] == layout]]
            ],
        ),
        "",
        "## Bands over k",
        "",
        f"Bands over k = 1, 2, 4, … up to all samples, {few:,} times: how often all differences lie within "
        f"(standard error of .95: {find_stderr(0.95, few):.3f}). A share of the difficulties of the models has "
        "nothing in common.",
        "",
        *write_table(
            ["mean, unlike, samples", *(f"M = {m}" for m in (15, 30, 60, 100, 300))],
            [
                (
                    f"{cell[0]:g}, {cell[1]:.0%}, {cell[2]}",
                    *(bands[(*cell, m)] for m in (15, 30, 60, 100, 300)),
                )
                for cell in BANDS
            ],
        ),
    ]


def main(repetitions: int = 2000, seed: int = 0) -> None:
    """Simulate all tables, and print them. A demand that is not met ends with status 1."""
    simulation = Simulation(seed=seed)
    print("\n".join(write_section(repetitions, simulation)))
    if missed := simulation.demands.missed:
        sys.exit("\n".join(["Demands that are not met:", *missed]))


if __name__ == "__main__":
    typer.run(main)

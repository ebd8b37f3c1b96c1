"""Intervals of clusters, of max@k, of costs and of predictions."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np

from at_k.analysis.attempts import cost_per_success
from at_k.estimators.counts import pass_at_k
from at_k.estimators.selection import max_at_k
from at_k.summary import Confidence, find_error_bars
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.prediction import predict_pass_at_k
from at_k.uncertainty.standard_errors import standard_error
from at_k.uncertainty.variance import BetaBinomial
from at_k.values import Column, Key
from benchmarks.coverage import (
    DATA,
    DEMANDED,
    IN_CLUSTERS,
    LEVEL,
    OURS,
    SHAPES,
    Simulation,
    write_table,
)
from benchmarks.coverage.intervals import find_bca

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


def simulate_clusters(
    mean: float, layout: str, agreement: float, *, repetitions: int, seed: int
) -> dict[str, float]:
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
            low, high = interval(
                data.mean(), *standard_error(data, clusters=clusters), confidence_level=LEVEL
            )
            covered[name] += bool(low <= mean <= high)
            widths.append(high - low)
    width = float(np.median(np.divide(widths[::2], widths[1::2])))
    return {name: count / repetitions for name, count in covered.items()} | {"width": width}


def simulate_scores(
    problems: int, spread: float, *, repetitions: int, seed: int
) -> dict[str, float]:
    """Simulate max@4 of eight lognormal scores: coverage of ours, of t, and of the bootstrap (BCa)."""
    rng, key = np.random.default_rng([seed, problems, int(spread * 1000)]), Key("max@k", 4)

    def draw_values(count: int) -> Any:
        return np.asarray(max_at_k(np.exp(spread * rng.standard_normal((count, 8))), k=4))

    truth, covered = float(draw_values(400_000).mean()), {OURS: 0, "t": 0, "BCa": 0}
    for _ in range(repetitions):
        values = draw_values(problems)
        given = {key: Column.of(values)}, {key: float(values.mean())}
        ends = {"BCa": find_bca(values)}
        for name, method in ((OURS, "beta"), ("t", "t")):
            bar = find_error_bars(*given, Confidence(LEVEL, method=method))[key]
            ends[name] = bar.low, bar.high
        for name, (low, high) in ends.items():
            covered[name] += bool(low <= truth <= high)
    return {name: count / repetitions for name, count in covered.items()}


def simulate_costs(
    mean: float,
    size: float,
    n: int,
    spread: float,
    problems: int,
    dear: float,
    *,
    repetitions: int,
    seed: int,
) -> float:
    """Simulate the cost of a correct sample, with lognormal costs that rise with difficulty: coverage.

    Each failed sample costs `dear` more.
    """
    rng = np.random.default_rng(
        [seed, problems, n, int(mean * 100), int(size * 10), int(spread * 100), int(dear)]
    )

    def draw_problems(count: int) -> tuple[Any, Any]:
        p = rng.beta(mean * size, (1 - mean) * size, count)
        single = rng.lognormal(0, 0.3, size=(n, count)).sum(axis=0)
        costs = np.exp(0.5 - p) * rng.lognormal(0, spread, count) * single
        successes = rng.binomial(n, p)
        return costs + dear * (n - successes), successes

    costs, successes = draw_problems(1_000_000)
    truth, covered = costs.sum() / successes.sum(), 0
    for _ in range(repetitions):
        found = cost_per_success(*draw_problems(problems), n)
        covered += bool(found.low <= truth <= found.high)
    return covered / repetitions


def read_counts() -> dict[str, list[tuple[int, Any]]]:
    """Read, for EvalPerf and for other data, the samples of each problem and how many are correct, of each model."""
    models = json.loads((DATA / "evalperf_counts.json").read_text(encoding="utf-8"))[
        "models"
    ].values()
    math = json.loads((DATA / "deepscaler_counts.json").read_text(encoding="utf-8"))
    puzzles, games = (
        list(map(json.loads, (DATA / name).read_text(encoding="utf-8").splitlines()))
        for name in ("p3_codex_cushman_n1000.jsonl", "tot_game24_cot.jsonl")
    )
    others = [
        (math["n"], math["base"]),
        (math["n"], math["rl"]),
        *((each["n"], each["c"]) for each in puzzles),
    ]
    others.append((games[0]["n"], [sum(each["correct"]) for each in games]))
    return {"EvalPerf": [(100, each["c"]) for each in models if each["n"] == 100], "others": others}


def simulate_prediction(
    data: str, n: int, k: int, *, repetitions: int, seed: int
) -> dict[str, float]:
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


PREDICTED = [
    (data, n, k)
    for data, n, k in product(("EvalPerf", "others"), (8, 16, 32), (16, 32, 64))
    if n < k
]
"""Data, n, and the k that is predicted."""


def write_section(simulation: Simulation) -> list[str]:
    """Tabulate clusters, max@k, costs and predictions."""
    many, draws = 10 * simulation.slow, max(1, simulation.slow // 10)
    return [
        "## Problems in clusters",
        "",
        "pass@1 of four samples: the lowest coverage and the largest median width of the mean difficulties .5, .8 and "
        f".96, {many:,} data sets each.",
        "",
        *_tabulate_clusters(many, simulation),
        "",
        "## max@k, costs, predictions",
        "",
        f"max@4 of eight lognormal scores, by the standard deviation of their logarithms: coverage, of {many:,} times.",
        "",
        *simulation.tabulate(
            simulate_scores,
            ("problems", "spread"),
            list(product((15, 30, 100), (0.5, 1))),
            many,
            ("max@4, M = {:g}, spread {:g}", OURS),
        ),
        "",
        *_tabulate_costs(20 * simulation.slow, simulation),
        "",
        "pass@k predicted from n samples, about these problems, against all samples, with "
        f"{draws} draws of each model: 31 models on 118 tasks (EvalPerf, 100 samples), and others: two models on 1,060 "
        "problems of mathematics (DeepScaleR, 128 samples), three prompts on 397 puzzles (P3, 1,000) and 100 games of "
        "24 (Tree of Thoughts, 100).",
        "",
        *_tabulate_predictions(draws, simulation),
    ]


def _tabulate_clusters(repetitions: int, simulation: Simulation) -> list[str]:
    cells = product((0.5, 0.8, 0.96), LAYOUTS, (0.0, 0.1, 0.9))
    found, rows = simulation.ask(simulate_clusters, cells, repetitions), []
    for (mean, layout, agreement), each in found.items():
        cell = f"pass@1 in clusters {layout}, mean {mean:g}, {agreement:.0%} shared"
        simulation.demands.at_least(cell, each["with clusters"], IN_CLUSTERS, of=repetitions)
    for layout, agreement in product(LAYOUTS, (0.0, 0.1, 0.9)):
        shares = [each for cell, each in found.items() if cell[1:] == (layout, agreement)]
        lowest = [min(each[name] for each in shares) for name in ("with clusters", "without")]
        rows.append(
            [layout, f"{agreement:.0%}", *lowest, f"{max(each['width'] for each in shares):.2f}"]
        )
    return write_table(
        ["clusters", "shared difficulty", "with clusters", "without", "width, without = 1"], rows
    )


COSTS = [
    *product((0.05, 0.2, 0.5, 0.9), SHAPES.values(), (1, 4, 16), (0.5, 1.0), (15, 30, 100), (0,)),
    *product((0.9, 0.95), SHAPES.values(), (1, 4), (0.5,), (15, 30, 100), (9,)),
]
"""Mean difficulty, a + b of the Beta distribution, n, spread of costs, problems, and the price of a failure."""


def _tabulate_costs(repetitions: int, simulation: Simulation) -> list[str]:
    """Say how often the interval of the cost per success covers, by the spread of costs and the price of failures."""
    found = simulation.ask(simulate_costs, COSTS, repetitions)
    rows, dear = [], []
    for (mean, size, n, spread, problems, price), share in found.items():
        cell = [f"{mean:g}", f"{size:g}", n, problems]
        # Where no failure is in the sample, nothing tells what failures cost.
        unseen = BetaBinomial(mean * size, (1 - mean) * size).chances(n)[-1] ** problems
        bound = 1 - float(unseen)
        if price:
            dear.append([*cell, share, bound])
        else:
            bound = 1.0
        simulation.demands.at_least(
            f"cost per success, mean {mean:g}, a + b = {size:g}, n = {n}, M = {problems}, spread {spread:g}"
            + ", failures dear" * bool(price),
            share,
            min(DEMANDED, bound),
            of=repetitions,
        )
    for spread in (0.5, 1.0):
        own = [share for cell, share in found.items() if cell[3] == spread and not cell[-1]]
        kept = f"{np.mean(np.array(own) >= DEMANDED):.1%}"
        rows.append([f"{spread:g}", len(own), kept, min(own)])
    return [
        f"The cost of a correct sample: {repetitions:,} data sets for each of the cells of four mean difficulties, two "
        "shapes, 1, 4 or 16 samples, and 15, 30 or 100 problems, by the standard deviation of log costs.",
        "",
        *write_table(["spread", "cells", f"cells ≥ {DEMANDED:.2f}", "lowest"], rows, left=0),
        "",
        "Where failures are rare and cost ten times as much, a sample may show none. Then nothing tells their price: "
        "for a price that is high enough, no interval with an upper end covers more often than failures are seen. "
        f"This bound of every rule is the demand where it is below {DEMANDED:.2f}. A diagnosis has a note.",
        "",
        *write_table(
            ["mean", "a + b", "n", "problems", "coverage", "bound of every rule"], dear, left=0
        ),
    ]


def _tabulate_predictions(repetitions: int, simulation: Simulation) -> list[str]:
    found, rows = simulation.ask(simulate_prediction, PREDICTED, repetitions), []
    for (data, n, k), each in found.items():
        rows.append([data, n, k, each["predictions"], each["coverage"], each["error"]])
        name = f"prediction on {data} from {n} to {k}"
        simulation.demands.at_least(name, each["coverage"], of=int(each["predictions"]))
    return write_table(["data", "n", "k", "predictions", "coverage", "error"], rows)

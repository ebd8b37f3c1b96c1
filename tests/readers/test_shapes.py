"""Every shape in which people keep results: what it says of each problem, or the sentence that mends it."""

import bz2
import io
import json
import lzma
import sqlite3
import zipfile
from datetime import datetime, timezone
from decimal import Decimal

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from cases import for_each
from datasets import Dataset
from readers.texts import collect, refuse

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
    return {name: {str(place): cell for place, cell in enumerate(cells)} for name, cells in columns.items()}


WIDE = [(name, *grades) for name, grades in GRADES.items()]

TEXTS = {
    "counts": delimited(["task", "n", "c"], [(name, 3, sum(own)) for name, own in GRADES.items()]),
    "counts with long names": json.dumps(
        [{"task_id": name, "num_samples": 3, "num_correct": sum(own)} for name, own in GRADES.items()]
    ),
    "wide verdicts": delimited(["id", "pass_1", "pass_2", "pass_3"], WIDE),
    "wide runs, in brackets": delimited(["id", "Run [0]", "Run [1]", "Run [2]"], WIDE),
    "wide answers": json.dumps(
        [
            {"id": n, "target": "7"} | {f"answer_{i}": "75"[not g] for i, g in enumerate(own, 1)}
            for n, own in GRADES.items()
        ]
    ),
    "nested samples": json.dumps(
        [{"id": n, "samples": [{"text": "x", "correct": bool(g)} for g in own]} for n, own in GRADES.items()]
    ),
    "nested samples in lines": "\n".join(
        json.dumps({"id": n, "samples": [{"text": "x", "passed": g} for g in own]}) for n, own in GRADES.items()
    ),
    "rows by name": json.dumps({name: [{"correct": g} for g in own] for name, own in GRADES.items()}),
    "pandas, split": json.dumps(
        {"columns": ["id", "correct"], "index": list(range(9)), "data": [list(row.values()) for row in ROWS]}
    ),
    "pandas, table": json.dumps({"schema": {"fields": [{"name": "id"}], "pandas_version": "1.4"}, "data": ROWS}),
    "pandas, columns": json.dumps(by_row(COLUMNS)),
    "pandas, index": json.dumps({str(place): row for place, row in enumerate(ROWS)}),
    "bars": delimited(COLUMNS, zip(*COLUMNS.values(), strict=True), "|"),
    "Chinese, other words": delimited(
        ["题号", "是否正确"], [(row["id"], ["错误", "正确"][row["correct"]]) for row in ROWS]
    ),
    "French": delimited(["exercice", "correct"], [(row["id"], ["Non", "Oui"][row["correct"]]) for row in ROWS]),
    "German": delimited(["Aufgabe", "richtig"], [(row["id"], ["nein", "ja"][row["correct"]]) for row in ROWS]),
    "an answer of each sample's own": json.dumps(
        [row | {"prediction": f"… so {i}", "answer": str(i)} for i, row in enumerate(ROWS)]
    ),
}


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
    assert (report.values["pass@1"], report.values["pass@3"]) == pytest.approx((2 / 3, 1), rel=1e-15)


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
    "Feather, not compressed": lambda path, table: pyarrow.feather.write_feather(table, str(path), "uncompressed"),
    "saved to disk": lambda path, table: Dataset(table).save_to_disk(str(path)),
    "saved to disk, in shards": lambda path, table: Dataset(table).save_to_disk(str(path), num_shards=2),
    "partitions": write_partitions,
    "shards": write_shards,
    "bzip2": lambda path, table: path.write_bytes(bz2.compress(TEXTS["bars"].encode())),
    "xz": lambda path, table: path.write_bytes(lzma.compress(TEXTS["bars"].encode())),
}


@for_each(
    "names, found",
    [
        (["x-00000-of-00002"], "0 of 2"),
        (["x-00000-of-00001", "x-00000-of-00002", "x-00001-of-00002"], "0 of 1, 0 of 2, 1 of 2"),
    ],
)
def test_a_shard_that_is_missing_or_there_twice(tmp_path, names, found):
    for name in names:
        pq.write_table(pa.table({"problem": ["a"], "grades": [1]}), tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=f"must have each shard of 'x' once; it has {found}. Bring"):
        read_samples(tmp_path)


def test_other_results_beside_shards_are_not_passed_over(tmp_path):
    for place in (0, 1):
        table = pa.table({"problem": [f"p{place}"], "grades": [1]})
        pq.write_table(table, tmp_path / f"x-0000{place}-of-00002.parquet")
    (tmp_path / "README.md").write_text("two shards")
    assert read_samples(tmp_path).problems == ["p0", "p1"]
    (tmp_path / "more.jsonl").write_text('{"problem": "p2", "correct": 1}')
    with pytest.raises(InputError, match=r"parts of one table, and 'more\.jsonl' is none of them"):
        read_samples(tmp_path)


@pytest.mark.parametrize("write", BYTES.values(), ids=BYTES)
def test_files_of_bytes(tmp_path, write):
    write(tmp_path / "results", pa.table(COLUMNS))
    assert graded(read_samples(tmp_path / "results")) == GRADES


@pytest.mark.parametrize("kind", ["bzip2", "xz", "Arrow", "a stream of Arrow", "Feather"])
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
    pq.write_table(pa.table({"id": moments, "correct": [Decimal("1.0"), Decimal("0.5"), None]}), path)
    assert graded(read_samples(path)) == {
        "2026-01-01 00:00:00+00:00": [1, 0.5],
        "2026-01-02 00:00:00+00:00": [None],
    }
    pq.write_table(pa.table({"id": [Decimal("1.00"), Decimal("1.00"), Decimal("2.50")], "correct": [1, 0, 1]}), path)
    assert graded(read_samples(path)) == {"1": [1, 0], "2.5": [1]}


@for_each(
    "scale, grades",
    [((-1, 1), [-1, 0, 1]), ((0, 100), [0, 50, 100]), ((1, 5), [1, 3, 5]), ((10, 0), [10, 5, 0])],
)
def test_scales(scale, grades, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scales")
    for name, text in (
        ("rows.json", json.dumps([{"id": "p", "grade": grade} for grade in grades])),
        ("list.jsonl", json.dumps({"id": "p", "grade": grades})),
        ("rows.csv", delimited(["id", "grade"], [("p", grade) for grade in grades])),
    ):
        path = folder / name
        path.write_text(text)
        assert read_samples(path, scale=scale).grades == [[0, 0.5, 1]], name
        with pytest.raises(InputError, match="number from 0 to 1"):
            read_samples(path)


def test_a_scale_of_a_harness(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps({"example_id": 0, "completion": [], "reward": r}) + "\n" for r in (0, 4, 2)))
    assert read_samples(path, scale=(0, 4)).grades == [[0, 1, 0.5]]


@for_each("scale", [5, "0,1", (1,), (1, 1), (0, float("nan")), (0, "x")])
def test_scales_that_are_none(scale, tmp_path):
    with pytest.raises((TypeError, ValueError), match="`scale` must be two"):
        read_samples(__file__, scale=scale)


def test_paths_into_nested_fields(tmp_path):
    path = tmp_path / "f.jsonl"
    rows = [{"task": {"name": row["id"]}, "verifier": {"rewards": {"ok": row["correct"]}}} for row in ROWS]
    path.write_text("\n".join(map(json.dumps, rows)))
    columns = {"problem": "task.name", "grades": "verifier.rewards.ok"}
    assert graded(read_samples(path, columns=columns)) == GRADES
    with pytest.raises(InputError, match=r"There is no column “verifier\.rewards\.no”"):
        read_samples(path, columns=columns | {"grades": "verifier.rewards.no"})
    lists = [{"id": name, "runs": [{"judge": {"ok": g}} for g in own]} for name, own in GRADES.items()]
    path.write_text("\n".join(map(json.dumps, lists)))
    assert graded(read_samples(path, columns={"grades": "runs.judge.ok"})) == GRADES


def test_a_path_into_the_fields_of_a_harness(tmp_path):
    path = tmp_path / "results.jsonl"
    rows = [{"example_id": 0, "completion": [], "reward": 0, "judge": {"ok": g}} for g in (1, 0)]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read_samples(path, columns={"grades": "judge.ok"}).grades == [[1, 0]]


def test_runs_without_ids(tmp_path):
    for run in range(3):
        lines = [json.dumps({"correct": own[run]}) for own in GRADES.values()]
        (tmp_path / f"run_{run}.jsonl").write_text("\n".join(lines))
    samples = read_samples(tmp_path)
    assert graded(samples) == dict(zip("123", GRADES.values(), strict=True))
    assert "3 files" in str(samples.origin.notes[0])
    assert "run_0.jsonl, run_1.jsonl, run_2.jsonl" in str(samples.origin.notes[0])


def test_the_line_of_csv_may_name_the_problem():
    found = collect("answer,correct\nx,1\ny,0\n", columns={"problem": "line"})
    assert (found.problems, found.grades) == (["1", "2"], [[1], [0]])


@for_each(
    "text, noted",
    [
        ('{"p0": [true, false], "p1": [true, true]}', "“p0”, “p1”"),
        ('{"p0": {"correct": [1, 0]}, "p1": {"correct": [1, 1]}}', "“p0”, “p1”"),
        ('{"model": "a", "results": [{"problem": "p", "correct": 1}]}', None),
        ('{"0": {"problem": "p", "correct": 1}, "1": {"problem": "p", "correct": 0}}', None),
    ],
)
def test_names_that_were_read_as_problems_are_noted(text, noted):
    wanted = [] if noted is None else [f"Each name in this file was read as a problem: {noted}."]
    assert list(map(str, collect(text).origin.notes)) == wanted


@for_each("cell", ["", ', "problem": []', ', "problem": null'])
def test_an_object_that_does_not_name_its_problem_is_refused(cell):
    said = refuse(f'{{"0": {{"problem": "p", "correct": 1}}, "1": {{"correct": 0{cell}}}}}', "cells.problem")
    assert "row 2, column “problem”" in said


def spreadsheet():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


def data_base(path):
    with sqlite3.connect(path) as base:
        base.execute("create table results (id, correct)")
    base.close()
    return path.read_bytes()


@for_each(
    "make, code, way",
    [
        (data_base, "sources.sqlite", "read_sql"),
        (lambda path: spreadsheet(), "tables.spreadsheet", "read_excel"),
        (lambda path: delimited(["id", "n", "c"], [("p", 3, 4)]).encode(), "shapes.counts", "got “3” and “4”"),
    ],
)
def test_files_that_are_refused_with_a_way_on(make, code, way, tmp_path_factory):
    path = tmp_path_factory.mktemp("refused") / "results"
    path.write_bytes(make(path))
    with pytest.raises(InputError, match=way) as caught:
        read_samples(path)
    assert caught.value.code == code


@for_each(
    "rows, columns",
    [
        ("task,n,c\na,4.0,2.0\nb,3.0,0.0\n", {}),
        ('[{"task": "a", "n": 4.0, "c": 2.0}, {"task": "b", "n": 3, "c": 0}]', {}),
        ("task,total,solved\na,4,2\nb,3,0\n", {"n": "total", "c": "solved"}),
        ("task,n,c,solved\na,4,1,2\nb,3,1,0\n", {"c": "solved"}),
    ],
)
def test_counts(rows, columns, tmp_path):
    path = tmp_path / "results"
    path.write_text(rows)
    assert graded(read_samples(path, columns=columns)) == {"a": [1, 1, 0, 0], "b": [0, 0, 0]}


@for_each(
    "row, said",
    [
        ("a,4,x", "got “4” and “x” (line 4)"),
        ("a,4,", "got “4” and null (line 4)"),
        ("a,4,-2", "got “4” and “-2” (line 4)"),
        ("a,4.5,2", "got “4.5” and “2” (line 4)"),
        ("a,1e300,2", "got “1e300” and “2” (line 4)"),
        ("a,0,0", "got “0” and “0” (line 4)"),
    ],
)
def test_a_count_that_cannot_be_used_is_named_or_left_out(row, said, tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(f"task,n,c\n\nb,3,1\n{row}\nd,2,1\n")
    with pytest.raises(InputError) as caught:
        read_samples(path)
    assert said in str(caught.value)
    samples = read_samples(path, errors="skip")
    assert (graded(samples), list(samples.origin.skipped.values())) == ({"b": [1, 0, 0], "d": [1, 0]}, [1])


def test_counts_that_are_all_broken_leave_nothing():
    said = refuse("id,n,c\na,1,2\nb,1,3\n", "standard.nothing_left", errors="skip")
    assert "all 2 rows" in said
    assert "got “1” and “2”" in said


def test_numbered_columns_are_left_alone_where_one_of_them_is_named():
    text = "id,trial_1,trial_2,gold\na,1,2,1\nb,3,4,3\n"
    assert collect(text, columns={"answers": "trial_1"}).answers == [["1"], ["3"]]
    refuse("id,trial_1,trial_2\na,1,0\nb,1,0\n", "plain.unknown", columns={"answers": "trial_1"})


def test_one_count_alone_is_refused(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("task,solved\na,2\n")
    with pytest.raises(InputError, match="Counts need two columns"):
        read_samples(path, columns={"c": "solved"})


@for_each(
    "rows, reason",
    [
        ([{"id": "p", "n": 4, "correct": 1, "c": "C"}, {"id": "q", "n": 4, "correct": 0, "c": "C"}], "options A to D"),
        ([{"id": "p", "n": 4, "correct": 1}, {"id": "p", "n": 4, "correct": 0}], "verdicts beside a constant n"),
        ([{"id": "p", "n": 1, "correct": 1}, {"id": "q", "n": 1, "correct": 0}], "one verdict a problem"),
    ],
)
def test_verdicts_beside_a_number_are_no_counts(rows, reason, tmp_path):
    path = tmp_path / "f.json"
    path.write_text(json.dumps(rows))
    assert sorted(grade for own in read_samples(path).grades for grade in own) == [0, 1], reason


OTHER_THINGS = {
    "models, each with rows": {"llama": [{"id": 1, "correct": 1}], "qwen": [{"id": 1, "correct": 0}]},
    "splits": {"train": [{"id": 1, "correct": 1}], "test": [{"id": 2, "correct": 0}]},
    "a sum of each data set": [{"dataset": "a", "total": 9, "correct": 5}, {"dataset": "b", "total": 9, "correct": 6}],
    "sums for several k": [{"id": "a", "pass@1": 0.5, "pass@8": 1.0}],
    "sums for several k, other signs": [{"id": "a", "pass_1": 0.5, "pass_8": 1.0}],
    "settings": [{"id": "a", "acc_0": 1, "acc_5": 0}],
    "calls of tools": [{"id": 1, "calls": [{"name": "x", "success": True}]}],
    "tests": [{"id": 1, "tests": [{"name": "x", "passed": True}, {"name": "y", "passed": False}]}],
    "aggregates": {"results": {"gsm8k": {"exact_match": 0.5}}, "n-shot": {"gsm8k": 5}},
}


@for_each("name, document", OTHER_THINGS.items())
def test_what_only_looks_like_samples_is_refused(name, document, tmp_path):
    path = tmp_path / "f.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_samples(path)
    assert caught.value.code in ("plain.unknown", "standard.no_problem", "plain.rows", "cells.points"), name


def test_options_of_a_choice_are_no_samples(tmp_path):
    path = tmp_path / "f.json"
    options = [{"text": "7", "correct": True}, {"text": "8", "correct": False}]
    path.write_text(json.dumps([{"id": 0, "question": "…", "choices": options}]))
    with pytest.raises(InputError, match="do not say which samples are correct"):
        read_samples(path)
    assert read_samples(path, columns={"grades": "choices.correct"}).grades == [[1, 0]]
    rows = [{"id": i, "answer_1": "7", "answer_2": "8", "correct_answer": "7", "prediction": "78"[i]} for i in range(2)]
    path.write_text(json.dumps(rows))
    assert read_samples(path).answers == [["7"], ["8"]]

"""The same numbers come from every engine as from the samples in memory."""

import sqlite3
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import fsspec
import ibis
import numpy as np
import polars
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from cases import for_each, refuses
from clusters import CLUSTERS, as_ray, as_spark
from tallies import assert_same, list_samples, make_data

import at_k
from at_k.engines import engine, find_engine, shards
from at_k.engines.engine import list_engines
from at_k.errors import InputError, SeveralModelsError

pytestmark = [  # of the clusters' own
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings(r"ignore:`\w+` is deprecated:DeprecationWarning"),
    # of Ibis, about DuckDB
    pytest.mark.filterwarnings(r"ignore:fetch_arrow_table\(\) is deprecated:DeprecationWarning"),
]


def as_shards(table, folder):
    for start in range(0, len(table), 50):
        pq.write_table(table.slice(start, 50), folder / f"part-{start}.parquet")
    return ds.dataset(folder)


ENGINES = {
    "duckdb": lambda table, folder: duckdb.from_arrow(table),
    "polars": lambda table, folder: polars.from_arrow(table).lazy(),
    "ibis": lambda table, folder: ibis.memtable(table),
    "shards": as_shards,
    "address": lambda table, folder: as_shards(table, folder) and f"file://{folder}",
    **{name: make for name, make in (("ray", as_ray), ("spark", as_spark)) if name in CLUSTERS},
}


@pytest.fixture(params=ENGINES)
def hold(request, tmp_path):
    """Hold a table, or the samples of a data set, in each engine."""
    return lambda data, folder=tmp_path: ENGINES[request.param](
        data if isinstance(data, pa.Table) else list_samples(data), folder
    )


def test_an_engine_gives_the_report_of_the_samples(hold):
    graded = make_data("hard")
    data = hold(graded)
    for options in ({}, {"groups": False, "correct_above": ">=0.7", "k": 2}):
        assert_same(at_k.score(data, **options), at_k.score(graded, **options))


def test_answers_are_judged_here(hold):
    answered = make_data("answers")
    data = hold(answered)
    for options in ({"missing": "incorrect"}, {"missing": "drop", "check_correct_fn": "numeric"}):
        assert_same(at_k.score(data, **options), at_k.score(answered, **options))


def test_slow_checkers_have_their_limits(hold):
    """A check that takes too long leaves a sample without a grade, also in the workers of a cluster."""
    answers = [["x+x", "2x", "9**9**9**9"], ["3", "1/2", "0.5"]]
    data = {"problem": ["a", "b"], "answers": answers, "references": ["2x", "0.5"]}
    counted = hold(data)
    options = {"check_correct_fn": "math", "missing": "incorrect", "timeout": 5}
    assert_same(at_k.score(counted, **options), at_k.score(data, **options))


def test_odd_grades(hold):
    """Samples without a grade follow `missing`; NaN is one of them, although databases take it for a large number."""
    grades = [[1.0, None, 0.0], [0.75, float("nan"), 0.0, 1.0], [None, 0.25]]
    data = {"problem": ["a", "b", "c"], "grades": grades}
    counted, says = hold(data), "InputError: a tally counts correct samples"
    for missing in ("incorrect", "drop"):
        expected, found = (at_k.Tally.of(each, missing=missing) for each in (data, counted))
        assert (found.counts, found.n_missing, found.conditions) == (
            expected.counts,
            3,
            expected.conditions,
        )
        report = at_k.score(counted, missing=missing)
        assert "accuracy" not in report.values
        assert "a tally counts correct samples" in str(report.left_out["accuracy"])
        refuses(says, at_k.score, counted, missing=missing, metrics="accuracy")
    with pytest.raises(InputError, match="Samples without a grade: 3") as of:
        at_k.score(counted)
    for reading in of.value.readings:
        value = at_k.score(data, metrics="pass@1", **reading.options).values["pass@1"]
        assert f"pass@1 {100 * value:.1f} %" in str(reading.outcome)
    assert len(of.value.readings) == 2
    emptied = hold({"problem": ["a", "b"], "grades": [[1.0], [None, None]]})
    refuses(
        "InputError: all samples are missing, and dropped: 1", at_k.score, emptied, missing="drop"
    )


@pytest.mark.parametrize("kind", [pa.bool_(), pa.int8(), pa.uint8(), pa.int64(), pa.float32()])
def test_grades_of_every_type(kind, hold):
    """Whole numbers are added where other grades are compared with the cut."""
    rows = [("a", 1), ("b", 0), ("a", None), ("c", None), ("a", 1), ("b", 0)]
    names, grades = zip(*rows, strict=True)
    data = hold(pa.table({"problem": names, "grades": pa.array(grades).cast(kind)}))
    for cut in (0.5, ">=1"):
        found = at_k.Tally.of(data, missing="incorrect", correct_above=cut)
        assert found.counts == {(None, 3, 2): 1, (None, 2, 0): 1, (None, 1, 0): 1}
        assert found.n_missing == 2
    assert (
        "accuracy" in at_k.score(data, missing="incorrect").values
    )  # which has no meaning for partial grades


def test_answers_that_become_one_vote_together(hold):
    """Answers are judged once each, and count for all samples that have them, dropped and missing ones too."""
    answers = [["x = 7", "7", "7", None, "8", "x = 8"], ["9", "9", "x = 1"], ["x = 2", "x = 2"]]
    data = {"problem": ["a", "b", "c"], "answers": answers, "references": ["7", "1", "3"]}
    counted = hold(data)
    for missing in ("drop", "incorrect"):
        options = {"missing": missing, "extract_fn": "last_number", "check_correct_fn": "numeric"}
        found, expected = at_k.Tally.of(counted, **options), at_k.Tally.of(data, **options)
        assert (found.counts, found.votes, found.n_missing) == (expected.counts, expected.votes, 1)


def test_answers_with_grades(hold, tmp_path):
    """Grades between 0 and 1 say which samples are correct; verdicts may contradict."""
    grades = [[0.75, 0.75, 0.25, 1.0], [0.0, 0.25, 0.25, 1.0]]
    data = {
        "problem": ["a", "b"],
        "answers": [["x", "x", "y", "x"], ["x", "y", "y", "z"]],
        "grades": grades,
    }
    found, report = at_k.score(hold(data)), at_k.score(data)
    assert dict(found.values) == {key: report.values[key] for key in found.values}
    assert report.values.keys() - found.values.keys() == {"accuracy"}
    data["grades"] = [[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    for shard in tmp_path.iterdir():
        shard.unlink()
    counted = hold(data)
    assert "two verdicts in one problem" in str(at_k.score(counted).left_out["cons_at_k"])
    assert_same(
        at_k.score(counted, on_conflict="majority"), at_k.score(data, on_conflict="majority")
    )


def test_categories_are_groups_and_nulls_are_none(hold, tmp_path):
    """pandas writes categories to Parquet, and `at_k.read_results` nulls where the files have no groups."""
    data = {"problem": ["a", "b"], "grades": [[1.0, 0.0], [1.0, 1.0]], "group": ["v", "u"]}
    rows = list_samples(data)
    counted = rows.set_column(
        rows.column_names.index("group"), "group", rows["group"].dictionary_encode()
    )
    assert_same(at_k.score(hold(counted)), at_k.score(data))
    for place, samples in enumerate(({"grades": data["grades"]}, ANSWERED)):
        data, folder = {"problem": ["a", "b"], **samples}, tmp_path / f"{place}"
        folder.mkdir()
        rows = list_samples(data)
        counted = rows.append_column("group", pa.nulls(len(rows), pa.string()))
        assert_same(at_k.score(hold(counted, folder)), at_k.score(data))


@pytest.mark.parametrize(("data", "says"), [
    ({"problem": ["a"], "grades": [[1.0, 3.0]]}, "or a number from 0 to 1; got 3.0"),
    ({"problem": ["a", "a"], "grades": [[1.0], [0.0]], "group": ["x", "y"]}, "several values of “group”: “x”, “y”"),
    ({"problem": ["a"], "ok": [[1.0]]}, "do not say which samples are correct"),
    ({"problem": ["a"], "grades": [[-1, 3, 0]]}, "or a number from 0 to 1; got -1"),
    ({"problem": ["a", None], "grades": [[1.0], [0.0]]}, "The name of a problem must be text or a number; got null"),
    *(({"problem": ["a"], "grades": [[grade, grade]]}, says)
      for grade, says in ((b"1", "from 0 to 1; got"), (date(2026, 1, 1), "is no verdict"))),
    ({"problem": ["a", "a", "b"], "answers": [["7"], ["9"], ["1"]], "references": ["7", "9", "1"]},
     "All samples of a problem must have the same reference; “9” differs from “7”"),
])  # fmt: skip
def test_invalid_samples_of_an_engine_are_refused_as_in_a_file(data, says, hold):
    rows = pa.table({"problem": ["a"], "ok": [1.0]}) if "ok" in data else list_samples(data)
    refuses(f"ValueError: {says}", at_k.score, hold(rows))
    refuses(f"ValueError: {says}", at_k.score, rows)


LATE = [
    ({"problem": ["Total"]}, "The row “Total” sums up the others"),
    ({"grades": [2.0]}, "A grade must be true, false, or a number from 0 to 1; got 2"),
    ({"problem": [None]}, "Each row must name its problem"),
    ({"group": ["other"]}, "it is not in 1 problems"),
    ({"group": [None]}, "a label for every problem; got null in some rows"),
]


@pytest.mark.parametrize(("cells", "says"), LATE)
def test_what_is_wrong_beyond_the_problems_that_are_looked_at(cells, says, hold):
    names = [f"p{i // 2:05}" for i in range(12_000)]
    columns = {"problem": names, "grades": [0.0, 1.0] * 6000, "group": ["x", "x", "y", "y"] * 3000}
    columns |= {name: [*columns[name][:-1], *cell] for name, cell in cells.items()}
    refuses(f"ValueError: {says}", at_k.score, hold(pa.table(columns)))


def test_names_that_number_samples_are_asked_about_beyond_the_rows_that_are_looked_at(hold):
    """Each of 8,000 names is of one row; those of a problem differ by a number, and are far apart."""
    names = [f"q{place % 2000}_{place // 2000}" for place in range(8000)]
    data = hold(pa.table({"task_id": names, "passed": [place % 3 == 0 for place in range(8000)]}))
    with pytest.raises(InputError) as caught:
        at_k.score(data)
    assert caught.value.code == "plain.numbered_names"
    report = at_k.score(data, **caught.value.readings[0].options, metrics="pass@k")
    assert len(report) == 2000
    right = [sum(place % 3 == 0 for place in range(p, 8000, 2000)) for p in range(2000)]
    failed = [((4 - c) * (3 - c)) / 12 for c in right]
    assert report.values["pass@2"] == pytest.approx(1 - sum(failed) / 2000, abs=1e-12)


def test_clusters_that_are_a_column_and_partial_grades_are_as_in_a_table(hold):
    names = [f"p{place // 4}" for place in range(400)]
    grades = [(0, 0.25, 0.75, 1)[(place * 7 + place // 4) % 4] for place in range(400)]
    topics = [f"t{place // 40}" for place in range(400)]
    table = pa.table({"problem": names, "grades": grades, "topic": topics})
    found, expected = (
        at_k.score(data, metrics="pass@1", clusters="topic") for data in (hold(table), table)
    )
    assert found.values == expected.values
    assert found.intervals == expected.intervals
    [told] = [note for note in at_k.score(hold(table)).notes if note.code == "tally.partial"]
    assert (told.values["count"], told.values["total"]) == (200, 400)


ANSWERED = {"answers": [["7", "8"], ["9", "9"]], "references": ["7", "9"]}


@pytest.mark.parametrize("samples", [{"grades": [[1, 0], [1, 1]]}, ANSWERED])
def test_rows_that_are_no_samples_are_read_as_a_table(samples, hold):
    table = pa.table({"problem": ["a", "b"], **samples})
    assert at_k.score(hold(table)).values == at_k.score(table).values


@for_each("name, place, more", [
    ("qid", "i // 1000", ""), ("qid", "'q' || (i % 4000)", ""), ("qid", "i % 4000", ", i % 7 AS tokens"),
    ("cosa", "i // 50", ", 'text ' || i AS nota"), ("qid", "'q' || (i % 15000)", ""),
])  # fmt: skip
def test_problems_of_any_name_are_found_as_in_a_file(name, place, more):
    query = f"SELECT {place} AS {name}, hash(i) % 3 = 0 AS passed{more} FROM range(20000) AS t(i)"
    data = duckdb.sql(query)
    found, expected = (ask(each) for each in (data, data.to_arrow_table()))
    assert found == expected


def ask(data):
    """Return the number of problems and pass@1, or the code of the refusal."""
    try:
        report = at_k.score(data, metrics="pass@1")
    except InputError as error:
        return error.code
    return len(report), pytest.approx(report.values["pass@1"], abs=1e-12)


def test_too_many_rows_that_are_no_samples_are_refused_with_a_way_on(hold, monkeypatch):
    monkeypatch.setattr("at_k.report.looking._IN_MEMORY", 1)
    data = hold(pa.table({"problem": ["a", "b"], "grades": [[1, 0], [1, 1]]}))
    refuses("InputError: no more than 1 rows … in SQL by unnest", at_k.score, data)


def test_the_ways_from_lists_to_samples():
    table = pa.table({"problem": ["a", "b"], "grades": [[1, 0], [1, 1]]})
    relation, frame = duckdb.from_arrow(table), polars.from_arrow(table).lazy()
    flat = duckdb.sql("SELECT problem, unnest(grades) AS grades FROM relation")
    for data in (flat, relation.df(), frame.explode("grades"), frame.collect()):
        assert at_k.score(data, metrics="pass@1").values == {"pass@1": 0.75}


# What the rows are of


def cross(name, values, problems=30, n=3):
    """Samples of two settings of a model, each with n samples of each problem; the first is always right."""
    rows = [(f"p{i}", value) for value in values for i in range(problems) for _ in range(n)]
    names, cells = zip(*rows, strict=True)
    grades = [int(cell == values[0]) for cell in cells]
    return pa.table({"problem": names, "grades": grades, name: cells})


@pytest.mark.parametrize(("name", "values"), [
    ("model", ["gpt-4o", "llama-3"]), ("temperature", [0.0, 0.7]), ("prompt_version", ["a", "b"]),
    ("benchmark", ["x", "y"]), ("agent", ["x", "y"]),
])  # fmt: skip
def test_several_settings_are_refused_as_in_a_file(name, values, hold):
    """Each way that the error names gives its numbers."""
    samples = cross(name, values)
    data = hold(samples)
    for counted in (data, samples):
        with pytest.raises(SeveralModelsError, match=f"Column “{name}” has several values") as of:
            at_k.score(counted)
        assert "where=" in str(of.value)
    for options, expected in (
        ({"where": {name: values[0]}}, 1),
        ({"where": {name: {"!=": values[0]}}}, 0),
        ({"where": {name: str(values[1])}}, 0),  # as the command has it
        ({"pool": name}, 0.5),
        ({"columns": {"problem": f"{name}+problem"}}, 0.5),
    ):
        found, same = (at_k.Tally.of(each, **options) for each in (data, samples))
        assert found.counts == same.counts
        assert at_k.score(data, metrics="pass@1", **options).values == {"pass@1": expected}
    refuses("InputError: No row has", at_k.score, data, where={name: "other"})


def test_settings_within_objects_and_with_lost_rows(hold, tmp_path):
    samples = cross("prompt", ["cot", "direct"])
    struct = pa.array([{"prompt": cell} for cell in samples["prompt"].to_pylist()])
    nested = samples.drop(["prompt"]).append_column("params", struct)
    refuses("SeveralModelsError: “params.prompt”", at_k.score, hold(nested))
    for shard in tmp_path.iterdir():
        shard.unlink()
    deeper = nested.drop(["params"]).append_column(
        "meta", pa.array([{"params": cell} for cell in struct])
    )
    refuses("SeveralModelsError: “meta.params.prompt”", at_k.score, hold(deeper))
    for shard in tmp_path.iterdir():
        shard.unlink()
    refuses("SeveralModelsError: “prompt”", at_k.score, hold(samples.slice(2)))


@for_each("name, lists, value", [
    ("attempts", [[True, False, False], [False, False]], 1 / 6),
    ("trials", [[{"success": True}, {"success": False}], [{"success": False}]], 0.25),
    ("attempts", [["first text", "second text"], ["third text"]], 0.5),
    ("tests", [[True, False, True], [False]], 0.5),
])  # fmt: skip
def test_lists_of_verdicts_beside_a_verdict_are_the_samples(name, lists, value, hold):
    """As in a file of these rows."""
    data = hold(pa.table({"task": ["a", "b"], "success": [True, False], name: lists}))
    assert at_k.score(data, metrics="pass@1").values["pass@1"] == pytest.approx(value)
    kept = at_k.score(data, metrics="pass@1", columns={"grades": "success"})
    assert kept.values == {"pass@1": 0.5}


FINISHES = np.random.default_rng(0).choice(["stop", "length"], 240, p=[0.7, 0.3]).tolist()


@for_each("name, cells", [
    ("sample_id", lambda i: i % 6), ("seed", lambda i: 40 + i % 6), ("note", lambda i: f"text {i}"),
    ("topic", lambda i: f"t{i // 6 % 5}"), ("finish", lambda i: FINISHES[i]),
    ("model", lambda i: "gpt-4o"), ("tags", lambda i: ["a", "b"]), ("text", lambda i: f"{i}" * 4000),
])  # fmt: skip
def test_marks_of_samples_are_no_settings(name, cells):
    names = [f"p{i // 6}" for i in range(240)]
    grades = [i % 2 for i in range(240)]
    table = pa.table({"problem": names, "grades": grades, name: list(map(cells, range(240)))})
    dataset = ds.dataset(table)
    for data in (duckdb.from_arrow(table), polars.from_arrow(table).lazy(), dataset):
        assert at_k.score(data, metrics="pass@1", groups=False).values == {"pass@1": 0.5}


def write_parts(table, names, folder):
    """Write each half of a table as a file."""
    for place, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        size = len(table) // len(names)
        pq.write_table(table.slice(place * size, size), path)
    return folder


OTHER_NAMES = [
    ("gpt-4o.parquet", "llama-3.parquet"), ("llama-3-8b.parquet", "llama-3-70b.parquet"),
    ("a/part-0.parquet", "b/part-0.parquet"),
]  # fmt: skip


def scan(folder):
    """Scan the files of a folder by every engine that can, in the ways that people write it."""
    pattern = f"{folder}/**/*.parquet"
    lazy = polars.scan_parquet(pattern)
    files = list(map(str, folder.rglob("*.parquet")))
    database = duckdb.connect()
    database.execute(f"CREATE VIEW samples AS SELECT * FROM '{pattern}'")
    return (
        ds.dataset(folder),
        f"file://{folder}",
        lazy,
        lazy.select("problem", "grades"),
        lazy.filter(polars.col("grades") >= 0).with_columns(z=polars.col("problem")),
        polars.concat([polars.scan_parquet(path) for path in files]),
        duckdb.read_parquet(pattern),
        duckdb.sql(f"SELECT * FROM '{pattern}'"),
        duckdb.sql(f"SELECT problem, grades FROM read_parquet('{pattern}') WHERE grades >= 0"),
        duckdb.sql(f"SELECT problem, grades FROM read_parquet({files})"),
        database.table("samples"),
        ibis.duckdb.connect().read_parquet(files),
    )


@for_each("names", OTHER_NAMES)
def test_files_of_other_names_are_of_several_models(names):
    with TemporaryDirectory() as path:
        folder = write_parts(cross("run", ["x", "y"]).drop(["run"]), names, Path(path))
        for data in scan(folder):
            refuses("SeveralModelsError: several", at_k.score, data)
            assert at_k.score(data, pool=["file"], metrics="pass@1").values == {"pass@1": 0.5}
        first = at_k.score(f"file://{folder / names[0]}", metrics="pass@1")
        assert first.values == {"pass@1": 1}


def test_folders_of_a_hive_are_a_column():
    with TemporaryDirectory() as path:
        names = ("model=a/part-0.parquet", "model=b/part-0.parquet")
        folder = write_parts(cross("run", ["x", "y"]).drop(["run"]), names, Path(path))
        pattern = f"{folder}/*/*.parquet"
        hive = ds.dataset(folder, partitioning="hive")
        relation = duckdb.read_parquet(pattern, hive_partitioning=True)
        lazy = polars.scan_parquet(pattern, hive_partitioning=True)
        refuses("SeveralModelsError: several files", at_k.score, ds.dataset(folder))
        for data in (hive, f"file://{folder}", relation, lazy):
            refuses("SeveralModelsError: “model”", at_k.score, data)
            one = at_k.score(data, where={"model": "b"}, metrics="pass@1")
            assert one.values == {"pass@1": 0}
            both = at_k.score(data, pool="model", metrics="pass@1")
            assert both.values == {"pass@1": 0.5}


UUID = "c2a6e1f0-1b1c-4d3e-9f1a-0a1b2c3d4e5f"


@for_each("names", [
    (f"part-00000-{UUID}.snappy.parquet", f"part-00001-{UUID[:-1]}0.snappy.parquet"),
    ("shard_0.parquet", "shard_1.parquet"), ("rank0.parquet", "rank1.parquet"), ("0.parquet", "1.parquet"),
    ("chunk-000.parquet", "chunk-001.parquet"), ("train-00000-of-00002.parquet", "train-00001-of-00002.parquet"),
    ("run1.parquet", "run2.parquet"),
])  # fmt: skip
def test_shards_and_runs_are_one_data_set(names):
    """A problem may be in several shards: each holds a part of the rows, in whatever order they were written."""
    with TemporaryDirectory() as path:
        folder = write_parts(cross("run", ["x", "y"]).drop(["run"]), names, Path(path))
        for data in (ds.dataset(folder), f"file://{folder}"):
            assert at_k.score(data, metrics="pass@1").values == {"pass@1": 0.5}


def test_shards_of_other_problems_may_have_any_names():
    with TemporaryDirectory() as path:
        samples = pa.table({"problem": [f"p{i // 4}" for i in range(80)], "grades": [0, 1] * 40})
        folder = write_parts(samples, ("algebra.parquet", "geometry.parquet"), Path(path))
        assert at_k.score(ds.dataset(folder), metrics="pass@1").values == {"pass@1": 0.5}


def test_a_filter_of_an_arrow_data_set_counts():
    data = ds.dataset(cross("model", ["x", "y"])).filter(ds.field("model") == "x")
    assert at_k.score(data, metrics="pass@1").values == {"pass@1": 1}
    answered = pa.table({
        "problem": ["a", "a"], "answers": ["7", "8"], "references": ["7", "7"], "model": ["x", "y"]
    })  # fmt: skip
    data = ds.dataset(answered).filter(ds.field("model") == "x")
    assert at_k.score(data, metrics="pass@1").values == {"pass@1": 1}


def test_groups_of_an_engine_are_left_out():
    data = duckdb.sql(
        "SELECT i // 4 AS problem, i % 3 = 0 AS grades, i // 20 AS level FROM range(40) AS t(i)"
    )
    named, unnamed = (
        at_k.score(data, columns={"group": "level"}, groups=groups) for groups in (True, False)
    )
    assert (len(named.groups), len(unnamed.groups), named.values) == (2, 0, unnamed.values)


@for_each("options, says", [
    ({"columns": {"grades": "x"}}, "There is no column “x”"),
    ({"columns": {"graded": "ok"}}, "There is no role “graded”"),
    ({"where": {"model": "a"}}, "There is no column “model”"),
    ({"pool": "model"}, "There is no column “model”"),
    ({"columns": {"problem": "problem+x"}}, "There is no column “problem+x”"),
    ({"format": "plain"}, "The options `format` say how a file is read"),
])  # fmt: skip
def test_wrong_options(options, says):
    data = duckdb.sql("SELECT 1 AS problem, 1 AS grades, 1 AS ok")
    refuses(f"InputError: {says}", at_k.score, data, **options)


def test_nan_in_parquet_is_no_grade(tmp_path):
    """The statistics of Parquet leave NaN out, so that DuckDB held it for a number above .5."""
    path = str(tmp_path / "samples.parquet")
    pq.write_table(pa.table({"problem": ["a", "a", "b"], "grades": [1.0, float("nan"), 0.0]}), path)
    for data in (duckdb.read_parquet(path), polars.scan_parquet(path), ds.dataset(path)):
        refuses("InputError: Samples without a grade: 1", at_k.score, data)
        values = at_k.score(data, missing="incorrect", metrics="pass@1").values
        assert values["pass@1"] == 0.25


def test_an_engine_of_another_package(monkeypatch):
    class Own:
        takes = staticmethod(lambda data: isinstance(data, str) and data == "mine://samples")
        list_columns = staticmethod(lambda data: ["problem", "grades"])
        count_grades = staticmethod(
            lambda data, roles, threshold, drop: at_k.engines.Rows([(4, 1, 2)], 0, 0, 0.0, 1.0)
        )
        name_files = staticmethod(lambda data: data)
        take_rows = staticmethod(
            lambda data, count: pa.table({"problem": ["a", "b"] * 4, "grades": [1, 0, 0, 0] * 2})
        )

    class Point:
        load = staticmethod(lambda: Own)

    list_engines.cache_clear()
    monkeypatch.setattr(
        "at_k.engines.engine.entry_points", lambda group: [Point] if group == "at_k.engines" else []
    )
    assert at_k.score("mine://samples").values["avg@4"] == 0.25
    list_engines.cache_clear()


@for_each("data", [
    {"grades": [[1]]}, [], "results.jsonl", Path(), "shards/", pa.table({"a": [1]}), polars.DataFrame({"a": [1]}), None,
])  # fmt: skip
def test_other_data_are_of_no_engine(data):
    assert find_engine(data) is None


def test_addresses_of_stores():
    """A store that Arrow does not know is opened by fsspec: here its memory, in place of hf://."""
    table = pa.table({"problem": ["a", "a", "b"], "grades": [1, 0, 1]})
    with fsspec.open("memory://bucket/shards/0.parquet", "wb") as file:
        pq.write_table(table, file)
    assert shards.takes("memory://bucket/shards")
    assert at_k.Tally.of("memory://bucket/shards").counts == {(None, 2, 1): 1, (None, 1, 1): 1}


@pytest.mark.parametrize("connect", [duckdb.connect, sqlite3.connect])
@pytest.mark.parametrize("cast", [False, True])
def test_the_same_query_in_every_database(connect, cast):
    data = make_data("hard")
    samples = list_samples(data).to_pydict()
    database = connect(":memory:")
    database.execute("CREATE TABLE samples (qid TEXT, level TEXT, reward FLOAT)")
    rows = list(zip(samples["problem"], samples["group"], samples["grades"], strict=True))
    database.executemany("INSERT INTO samples VALUES (?, ?, ?)", rows)
    for group in ("level", None):
        query = at_k.sql(
            table="samples", problem="qid", correct="reward > 0.5", group=group, cast=cast
        )
        counted = at_k.Tally.from_rows(database.execute(query).fetchall())
        assert_same(at_k.score(counted), at_k.score(data, groups=None if group else False))
    database.execute("DELETE FROM samples")
    database.execute("INSERT INTO samples VALUES ('a', 'x', NULL)")
    assert database.execute(query).fetchall() == [
        (1, 0, 1)
    ]  # a sample without a verdict counts as wrong
    database.close()


# What the engines of clusters share


def test_a_problem_has_one_hash_wherever_it_occurs():
    names = [f"problem-{i}" for i in range(200)]
    hashes = engine.hash_problems(pa.chunked_array([names])).to_pylist()
    assert hashes == engine.hash_problems(pa.chunked_array([names[:50], names[50:]])).to_pylist()
    assert len({each % engine.PARTS for each in hashes}) > engine.PARTS / 2
    assert engine.hash_problems(pa.chunked_array([["problem-3", None]])).to_pylist() == [
        hashes[3],
        0,
    ]
    for one in (["problem-0"], iter(["problem-0"])):
        assert engine.hash_names(one).tolist() == [hashes[0]]


def test_workers_send_results_and_errors():
    def count(table, num_workers):
        if len(table) > 2:
            raise ValueError("`table` must be short")
        return len(table) * num_workers

    assert len(engine.pack(count, pa.table({"answers": pa.array([], pa.string())}))) == 0
    tables = [
        engine.pack(count, pa.table({"answers": answers}))
        for answers in (["7"], ["7", "9"], ["7"] * 3)
    ]
    assert list(engine.unpack(tables[:2])) == [1, 2]
    refuses("ValueError: must be short", lambda: list(engine.unpack(tables[2:])))


# What the values of a column of grades mean


def hold_locally(table):
    """Hold a table in the engines that need no cluster."""
    return duckdb.from_arrow(table), polars.from_arrow(table).lazy(), ds.dataset(table)


@for_each("values, options, expected", [
    ([True, True, False], {"correct": ["False"]}, 1 / 3), ([0, 1, 1], {"correct": ["0"]}, 1 / 3),
    ([0, 1, 1], {"wrong": ["1"], "correct": ["0"]}, 1 / 3), ([0, 1, 1], {"wrong": ["1"]}, 1 / 3),
    ([0, 1, 124], {"correct": ["0"]}, 1 / 3),
    ([1.0, 2.0, 1.0], {"correct": ["2.0"]}, 1 / 3), ([100, 0, 50], {"scale": (0, 100)}, 1 / 3),
    ([1, -1, 0], {"unjudged": ["-1"], "missing": "drop"}, 1 / 2),
    ([{"ok": "yes"}, {"ok": "no"}, {"ok": "no"}], {}, 1 / 3),
])  # fmt: skip
@pytest.mark.parametrize("others", [{}, {"model": "a"}], ids=["alone", "where"])
def test_values_mean_what_options_say(values, options, expected, others):
    """The options are followed with numbers and truth values as with words, and where answers vote, too."""
    rows = [{"id": i // 3, "g": values[i % 3], "answer": f"{i % 3}"} | others for i in range(900)]
    columns = {"problem": "id", "grades": "g.ok" if isinstance(values[0], dict) else "g"}
    given = {"metrics": "pass@1", "where": others or None, **options}
    for data in hold_locally(pa.Table.from_pylist(rows)):
        for called in (columns, {**columns, "answers": "answer"}):
            found = at_k.score(data, columns=called, **given).values
            assert found == {"pass@1": pytest.approx(expected)}


def test_more_grades_of_a_scale_than_an_engine_is_told_are_read_here():
    rows = pa.table({"id": [i // 2 for i in range(400)], "grade": [i / 4 for i in range(400)]})
    for data in hold_locally(rows):
        assert at_k.score(data, scale=(0, 100), metrics="pass@1").values["pass@1"] == 199 / 400


# What begins beyond the first rows


@for_each("column, values, says", [
    ("model", ("a", "b"), "“model” has several values"), ("temp", (0.0, 0.7), "“temp” has several values"),
    ("passed", (0, 1), "contradict each other"),
])  # fmt: skip
def test_the_problems_that_are_looked_at_are_of_all_rows(column, values, says):
    first = [{"id": i // 2, "correct": 0, column: values[0]} for i in range(1800)]
    rows = [*first, *({**row, column: values[1]} for row in first[800:])]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        refuses(f"InputError: {says}", at_k.score, data)


def test_a_model_of_few_problems_is_found_in_all_rows():
    rows = [{"id": i // 2, "correct": 0, "model": "b" if i > 5995 else "a"} for i in range(6000)]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        refuses("SeveralModelsError: “model” has several values", at_k.score, data)


def test_readings_of_a_late_word_are_of_problems_of_the_data():
    rows = [{"id": f"q{i // 3}", "verdict": ["pass", "fail", "fail"][i % 3]} for i in range(2400)]
    rows += [{"id": f"q{i}", "verdict": "zork"} for i in range(800, 820)]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        with pytest.raises(InputError, match="“zork” is no verdict that is known") as of:
            at_k.score(data)
        assert "word 0" not in str(of.value)
        assert {"wrong": ["zork"]} in [reading.options for reading in of.value.readings]


# What engines hold otherwise than a file


def test_lists_of_references_are_grouped_by_every_engine():
    names = [f"q{i // 3}" for i in range(60)]
    answers = ["2", "3", None] * 20
    targets = [["2", "3"], ["1"]] * 30
    rows = [
        {"id": name, "answer": answer, "target": targets[int(name[1:])]}
        for name, answer in zip(names, answers, strict=True)
    ]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        tally = at_k.Tally.of(data, missing="incorrect")
        assert tally.counts == {(None, 3, 2): 10, (None, 3, 0): 10}


@for_each("rows", [90, 900])
def test_names_of_39_digits_are_names(rows):
    first = "123456789012345678901234567890123456789::HUGEINT"
    data = duckdb.sql(f"SELECT {first} + i // 3 AS id, i % 3 = 0 AS ok FROM range({rows}) AS t(i)")
    assert at_k.Tally.of(data, columns={"grades": "ok"}).counts == {(None, 3, 1): rows // 3}


def test_answers_that_are_numbers_are_compared_as_a_file_has_them():
    rows = [{"id": i // 2, "answer": float(i % 2), "target": "1"} for i in range(60)]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        report = at_k.score(data, metrics="pass@1")
        assert report.values == {"pass@1": 0}
        assert any("“0.0” beside “1”" in str(note) for note in report.notes)
        numeric = at_k.score(data, metrics="pass@1", check_correct_fn="numeric")
        assert numeric.values == {"pass@1": 0.5}


def test_scores_are_left_out_with_the_way_to_read_them():
    rows = [{"id": i // 2, "correct": i % 2, "score": i / 60} for i in range(60)]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        says = "InputError: an engine counts grades, and reads no scores … {'scores': 'score'}"
        refuses(says.replace("'", '"'), at_k.score, data, metrics="best@1")
        assert any("reads no scores" in str(note) for note in at_k.score(data).notes)
        found = at_k.score(data, metrics="best@k", columns={"scores": "score"}).values
        assert found == at_k.score(rows, metrics="best@k").values


def test_what_is_broken_can_be_skipped():
    verdicts = ["pass", "fail", "zork"]
    rows = [{"id": i // 3, "verdict": verdicts[i % 3]} for i in range(60)]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        assert at_k.score(data, errors="skip", metrics="pass@1").values == {"pass@1": 0.5}


def test_files_of_the_same_rows_are_pooled():
    table = pa.table({"problem": [i // 2 for i in range(40)], "correct": [1, 0] * 20})
    with TemporaryDirectory() as path:
        for name in ("a.parquet", "b.parquet"):
            pq.write_table(table, Path(path) / name)
        pattern = f"{path}/*.parquet"
        for data in (ds.dataset(path), duckdb.read_parquet(pattern), polars.scan_parquet(pattern)):
            refuses('InputError: repeat those before them … pool="file"', at_k.score, data)
            assert len(at_k.score(data, pool="file")) == 20


def test_first_of_ties_where_fewer_are_drawn():
    rows = [{"id": i // 4, "answer": f"{i % 3}", "target": "1"} for i in range(80)]
    for data in hold_locally(pa.Table.from_pylist(rows)):
        options = {"metrics": "cons@k", "k": [1, 2, 3], "ties": "first"}
        expected = at_k.score(rows, **options).values
        assert at_k.score(data, **options).values == pytest.approx(expected)
        says = 'InputError: decides where k is n … ties="random"'
        refuses(says, at_k.score, data, **{**options, "k": 4})


def test_a_whole_number_chooses_rows_of_floats():
    rows = [{"id": i // 4, "t": float(i % 2), "correct": i % 2} for i in range(80)]
    for data in (rows, *hold_locally(pa.Table.from_pylist(rows))):
        for wanted, expected in ((1, 1), ("1", 1), (1.0, 1), ("1.0", 1), ({"!=": 1}, 0)):
            found = at_k.score(data, where={"t": wanted}, metrics="pass@1").values
            assert found == {"pass@1": expected}


def test_numbered_samples_of_several_files_are_no_copies(tmp_path):
    for model, right in (("gpt-4o", 2), ("llama-3", 3)):
        rows = [(f"p{p}", s, (p + s) % right == 0) for p in range(60) for s in range(4)]
        columns = zip(
            ("task_id", "sample", "passed"), map(list, zip(*rows, strict=True)), strict=True
        )
        pq.write_table(pa.table(dict(columns)), tmp_path / f"{model}.parquet")
    expected = at_k.score(tmp_path, pool="file", metrics="pass@k").values
    paths = f"{tmp_path}/*.parquet"
    for data in (duckdb.read_parquet(paths), polars.scan_parquet(paths), ds.dataset(tmp_path)):
        with pytest.raises(InputError) as caught:
            at_k.score(data)
        assert caught.value.code == "engine.sources"
        [reading] = caught.value.readings
        assert reading.options == {"pool": "file"}
        assert at_k.score(data, **reading.options, metrics="pass@k").values == expected

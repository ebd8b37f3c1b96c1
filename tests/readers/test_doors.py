"""The same data mean the same through every door: the same numbers, or the same question."""

import csv
import io
import json
import warnings
from collections import namedtuple

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from cases import for_each
from datasets import Dataset

import at_k
from at_k.demo.given import Given
from at_k.errors import InputError

VERDICTS = {p: [(p + i) % 3 > 0 for i in range(4)] for p in range(6)}
"""Problem → its verdicts."""


def per_sample(**more):
    """Make a row for each sample; a value may be computed from the problem and the number of the sample."""
    rows = []
    for p, verdicts in VERDICTS.items():
        for i, verdict in enumerate(verdicts):
            fields = {"task_id": f"q{p}", "passed": verdict}
            for name, value in more.items():
                fields[name] = value(p, i) if callable(value) else value
            rows.append({name: value for name, value in fields.items() if value is not ...})
    return rows


def per_problem(make):
    """Make a row for each problem."""
    return [{"task_id": f"q{p}", **make(p, verdicts)} for p, verdicts in VERDICTS.items()]


def rename(rows, **names):
    """Rename columns."""
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


ARMS = [{**row, "arm": arm} for arm in ("cot", "direct") for row in per_sample()]

SETS = {
    "rows": per_sample(),
    "rows with numbers": per_sample(trial=lambda p, i: i),
    "run by run": sorted(per_sample(trial=lambda p, i: i), key=lambda row: row["trial"]),
    "whole numbers as names": per_sample(task_id=lambda p, i: p),
    "words": per_sample(passed=lambda p, i: "pass" if VERDICTS[p][i] else "fail"),
    "zeros and ones": per_sample(passed=lambda p, i: int(VERDICTS[p][i])),
    "soft grades": rename(per_sample(passed=lambda p, i: 0.25 * i), passed="reward"),
    "missing verdicts": per_sample(passed=lambda p, i: VERDICTS[p][i] if i else None),
    "unknown words": per_sample(passed=lambda p, i: ("AC", "WA")[i % 2]),
    "one model": per_sample(model="m"),
    "models": per_sample(model=lambda p, i: "mn"[i % 2]),
    "arms": ARMS,
    "arms of which a row was lost": ARMS[:-1],
    "temperatures": per_sample(temperature=lambda p, i: i % 2 / 2),
    "benchmarks": per_sample(benchmark=lambda p, i: "xy"[i % 2]),
    "marks": per_sample(finish=lambda p, i: "stop" if (p * i) % 4 else "length"),
    "groups": per_sample(level=lambda p, i: p % 2),
    "groups that differ": per_sample(level=lambda p, i: i % 2),
    "flags": per_sample(timed_out=lambda p, i: not VERDICTS[p][i] and p > 3),
    "errors": per_sample(error=lambda p, i: None if VERDICTS[p][i] else "boom"),
    "attempts": per_sample(trial=lambda p, i: i // 2, attempt=lambda p, i: i % 2),
    "costs": per_sample(cost=lambda p, i: 0.5 * i),
    "names of rows": per_sample(id=lambda p, i: f"r{p}.{i}", task_id=..., item_ref=lambda p, i: p),
    "numbers at the end": per_sample(task_id=lambda p, i: f"q{p}_{i}"),
    "another verdict": per_sample(correct=lambda p, i: VERDICTS[p][i]),
    "a verdict that contradicts": per_sample(correct=lambda p, i: not VERDICTS[p][i]),
    "unknown names": rename(per_sample(), task_id="cosa", passed="bien"),
    "no problem": per_sample(task_id=...),
    "answers": per_sample(passed=..., answer=lambda p, i: str(i % 2), target="1"),
    "whole numbers as answers": per_sample(passed=..., prediction=lambda p, i: i % 2, target=1),
    "counts": per_problem(lambda p, own: {"n": len(own), "c": sum(own)}),
    "counts of other names": per_problem(
        lambda p, own: {"num_samples": len(own), "num_correct": sum(own)}
    ),
    "shares": per_problem(lambda p, own: {"passed": f"{sum(own)}/{len(own)}"}),
    "bits": per_problem(lambda p, own: {"passed": "".join("01"[v] for v in own)}),
    "columns of runs": per_problem(lambda p, own: {f"run_{i}": v for i, v in enumerate(own)}),
    "a total": [
        *per_problem(lambda p, own: {"n": 4, "c": sum(own)}),
        {"task_id": "total", "n": 24, "c": 16},
    ],
    "lists": per_problem(lambda p, own: {"passed": own}),
    "lists of words": per_problem(lambda p, own: {"passed": [["fail", "pass"][v] for v in own]}),
    "lists of answers": per_problem(
        lambda p, own: {"answers": [str(int(v)) for v in own], "references": "1"}
    ),
    "a summary beside a list": per_problem(lambda p, own: {"success": any(own), "attempts": own}),
    "objects": per_problem(lambda p, own: {"samples": [{"correct": v} for v in own]}),
    "settings in objects": per_sample(params=lambda p, i: {"prompt": "ab"[i % 2]}),
    "verdicts in objects": rename(
        per_sample(passed=lambda p, i: {"ok": VERDICTS[p][i]}), passed="out"
    ),
}

FLAT = [
    name
    for name, rows in SETS.items()
    if not any(isinstance(v, (list, dict)) for v in rows[0].values())
]
"""The sets that CSV can hold."""


def spell(error):
    """Return the code of a refusal, and its first reading: in CSV a number is a text."""
    return error.code, [
        str(dict(reading.options)).replace("'", "") for reading in error.readings[:1]
    ]


def read(data, **options):
    """Return the numbers of a report, or the code of the refusal and its first reading."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            report = at_k.score(data, **options)
        except InputError as error:
            return spell(error)
    return {key: round(value, 12) for key, value in report.values.items()}, len(report)


def write(folder, rows, layout):
    """Write rows as a file."""
    path = folder / f"results.{layout}"
    if layout == "csv":
        names = dict.fromkeys(name for row in rows for name in row)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(names))
            writer.writeheader()
            writer.writerows(rows)
    elif layout == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif layout == "json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


DOORS = {
    "rows": lambda rows: rows,
    "tuple": tuple,
    "generator": lambda rows: (row for row in rows),
    "columns": lambda rows: {name: [row.get(name) for row in rows] for name in rows[0]},
    "pandas": pd.DataFrame,
    "polars": lambda rows: pl.DataFrame(rows, infer_schema_length=None),
    "arrow": pa.Table.from_pylist,
    "datasets": Dataset.from_list,
    "stream": lambda rows: Dataset.from_list(rows).to_iterable_dataset(),
}


ENGINES = {
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
    "polars lazy": lambda rows: DOORS["polars"](rows).lazy(),
    "data set of Arrow": lambda rows: ds.dataset(pa.Table.from_pylist(rows)),
}


@pytest.mark.parametrize("name", SETS)
def test_engines_reach_the_numbers_or_the_question_of_a_file(name):
    expected = read(SETS[name])
    if isinstance(expected[0], dict) and name == "soft grades":
        expected[0].pop("accuracy")  # an engine counts which samples are correct
    found = {door: read(make(SETS[name])) for door, make in ENGINES.items()}
    found = {
        door: ("missing.grades", got[1]) if got[0] == "engine.missing" else got
        for door, got in found.items()
    }
    assert {door: got for door, got in found.items() if got != expected} == {}


@pytest.mark.parametrize(("name", "options"), [
    ("errors", {"columns": {"error": "error"}, "missing": "drop"}),
    ("costs", {"columns": {"cost": "cost"}}),
    ("answers", {"columns": {"weight": "weight"}, "groups": False}),
    ("unknown words", {"correct": ["AC"]}),
    ("unknown words", {"wrong": ["WA"], "unjudged": ["AC"], "missing": "incorrect"}),
    ("counts", {"columns": {"problem": "task_id", "n": "n", "c": "c"}}),
])  # fmt: skip
def test_engines_follow_every_role_and_the_words_of_verdicts(name, options):
    rows = [{**row, "weight": 1 + place % 3} for place, row in enumerate(SETS[name])]
    expected = at_k.score(rows, **options)
    for make in ENGINES.values():
        found = at_k.score(make(rows), **options)
        assert found.values == pytest.approx(expected.values, abs=1e-12)
        assert str(found).count("cost") == str(expected).count("cost")


@pytest.mark.parametrize("name", SETS)
def test_the_same_data_mean_the_same_through_every_door(name, tmp_path):
    rows = SETS[name]
    expected = read(write(tmp_path, rows, "jsonl"))
    found = {door: read(make(rows)) for door, make in DOORS.items()}
    layouts = ("json", "parquet", *(["csv"] if name in FLAT else []))
    found |= {layout: read(write(tmp_path, rows, layout)) for layout in layouts}
    found["address"] = read(f"file://{write(tmp_path, rows, 'jsonl')}")
    try:
        samples = Given.take(json.dumps(rows)).read({})
        is_read = isinstance(expected[0], dict) or expected[0].startswith("missing.")
        found["page"] = expected if is_read and len(samples.problems) == 6 else samples.problems
    except InputError as error:
        found["page"] = spell(error)
    assert {door: got for door, got in found.items() if got != expected} == {}


@pytest.mark.parametrize(
    "read_by",
    [
        at_k.Tally.of,
        lambda data: at_k.score_models({"m": data}),
        lambda data: at_k.compare(data, data),
        lambda data: at_k.rank(dict.fromkeys("abc", data), metrics="pass@1"),
    ],
    ids=["tally", "score_models", "compare", "rank"],
)
def test_settings_with_a_lost_row_are_asked_about_by_every_function(read_by):
    with pytest.raises(InputError) as caught:
        read_by(SETS["arms of which a row was lost"])
    assert caught.value.code == "models.settings"
    assert caught.value.readings[0].options == {"where": {"arm": "cot"}}


GRADES = {"q0": [1, 0, 1], "q1": [0, 0, 1], "q2": [1, 1, 1], "q3": [0, 0, 0]}
"""Problem → its grades: pass@1 is one half."""

RIGHT = {name: [1, 1, 1] for name in GRADES}
PAIRS = [(name, grade) for name, own in GRADES.items() for grade in own]
FRAME = pd.DataFrame(PAIRS, columns=["problem", "correct"])
Row = namedtuple("Row", "problem correct")

AT_ONCE = {
    "entries": GRADES.items,
    "zip of problems and lists": lambda: zip(GRADES, GRADES.values(), strict=True),
    "values": GRADES.values,
    "problems named like counts": lambda: dict(zip("abcd", GRADES.values(), strict=True)),
    "generators by problem": lambda: {name: iter(own) for name, own in GRADES.items()},
    "series": lambda: FRAME.set_index("problem")["correct"],
    "series with an index without a name": lambda: FRAME.correct.set_axis(FRAME["problem"].array),
    "series of lists": lambda: pd.Series(GRADES),
    "groups of a series": lambda: FRAME.groupby("problem")["correct"],
    "series by problem": lambda: {name: pl.Series(own) for name, own in GRADES.items()},
    "series of lists without problems": lambda: pl.Series("correct", [*GRADES.values()]),
    "list of series": lambda: [pd.Series(own) for own in GRADES.values()],
    "one frame by name": lambda: {"a model": FRAME},
    "named tuples": lambda: [Row(*pair) for pair in PAIRS],
    "rows of a frame": FRAME.itertuples,
    "an open file": lambda: io.StringIO(FRAME.to_json(orient="records", lines=True)),
    "bytes": lambda: FRAME.to_csv(index=False).encode(),
    "cells below names": lambda: csv.reader(FRAME.to_csv(index=False).splitlines()),
}  # fmt: skip


@for_each("make", AT_ONCE)
def test_objects_of_python_are_read_at_once(make):
    report = at_k.score(AT_ONCE[make](), metrics="pass@1")
    assert (len(report), report.values["pass@1"]) == (4, 0.5)


MODELS = {"a": FRAME, "b": FRAME.assign(correct=1)}
ASKED = {
    "pairs": (lambda: PAIRS, {"columns": {"problem": "column 1", "grades": "column 2"}}),
    "a stream of pairs": (lambda: iter(PAIRS), {"columns": {"problem": "column 1", "grades": "column 2"}}),
    "numbers of problems": (
        lambda: [(place // 3, grade) for place, (_, grade) in enumerate(PAIRS)],
        {"columns": {"problem": "column 1", "grades": "column 2"}},
    ),
    "n and c": (
        lambda: [(3, sum(own)) for own in GRADES.values()],
        {"columns": {"problem": "line", "n": "column 1", "c": "column 2"}},
    ),
    "n and c by problem": (
        lambda: {name: (3, sum(own)) for name, own in GRADES.items()},
        {"columns": {"problem": "problem", "n": "column 1", "c": "column 2"}},
    ),
    "frames by model": (lambda: MODELS, {"where": {"split": "a"}}),
    "frames of entries": (MODELS.items, {"where": {"split": "a"}}),
    "a list of frames": (lambda: [*MODELS.values()], {"where": {"split": "0"}}),
    "grades without problems": (lambda: [grade for _, grade in PAIRS], {"columns": {"problem": "line"}}),
    "a series without problems": (lambda: FRAME["correct"], {"columns": {"problem": "line"}}),
    "an array without problems": (FRAME["correct"].to_numpy, {"columns": {"problem": "line"}}),
}  # fmt: skip


@for_each("name", ASKED)
def test_objects_that_are_asked_about_have_a_reading_that_gives_the_number(name):
    make, options = ASKED[name]
    with pytest.raises(InputError) as caught:
        at_k.score(make())
    assert caught.value.readings[0].options == options
    report = at_k.score(make(), **options, metrics="pass@1")
    assert report.values["pass@1"] == 0.5
    assert "pass@1 50.0 %" in str(caught.value.readings[0].outcome)


@for_each(
    "call",
    [
        lambda data: at_k.score(at_k.Tally.of(data)).values["pass@1"],
        lambda data: at_k.gate(data, require="pass@1 >= 0.1").checks[0].value,
        lambda data: 1 + at_k.compare(data, RIGHT).comparisons["pass@1"].difference,
        lambda data: at_k.score_models({"a": data}).reports["a"].values["pass@1"],
        lambda data: at_k.score_models(zip("a", [data], strict=True)).reports["a"].values["pass@1"],
        lambda data: at_k.plan(data).value,
    ],
)
def test_every_function_takes_the_objects_that_score_takes(call):
    assert [
        call(make()) for make in (AT_ONCE["series"], AT_ONCE["entries"], AT_ONCE["an open file"])
    ] == [0.5] * 3


@for_each(
    "text",
    [
        '[{"problem": "a", "correct": 1}]',
        '{"problem": "a"}' * 99,
        ['{"a": [1, 0]}', '{"b": [1, 1]}'],
    ],
)
@pytest.mark.parametrize("call", [at_k.score, at_k.Tally.of, at_k.read_results])
def test_text_of_json_is_no_path(text, call):
    with pytest.raises(InputError, match=r"json\.loads"):
        call(text)


def test_rows_of_models_under_their_names_are_offered_one_by_one():
    rows = {"a": [*map(Row._asdict, map(Row._make, PAIRS))]}
    rows["b"] = [{**row, "correct": 1} for row in rows["a"]]
    with pytest.raises(InputError) as caught:
        at_k.score(rows)
    assert [reading.options for reading in caught.value.readings] == [
        {"rows_at": "a"},
        {"rows_at": "b"},
    ]
    assert at_k.score(rows, rows_at="a", metrics="pass@1").values["pass@1"] == 0.5


def test_the_names_of_problems_are_not_offered_as_their_numbers_of_samples():
    rows = [
        {"task_id": 2 + p, "passed": 2 * (p == 7) or (p + i) % 2}
        for p in range(40)
        for i in range(4)
    ]
    with pytest.raises(InputError) as caught:
        at_k.score(rows)
    assert [told for told in caught.value.readings if "n" in told.options.get("columns", {})] == []

"""Large tables, read by columns: the same samples, and the same errors, as row by row."""

import csv
import io
import json
import random
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from at_k.errors import InputError
from at_k.limits import UNLIMITED
from at_k.readers import columnar
from at_k.readers.columnar import ColumnTable, find_names, open_csv, open_lines, open_parquet
from at_k.readers.plain import collect_samples
from at_k.readers.sources import Source
from at_k.readers.tables import read_table

ROLES = ["problem", "answers", "references", "grades", "scores", "group"]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Let few rows be looked at, and blocks be short, so that a small table shows what a large one does."""
    monkeypatch.setattr(columnar, "LOOKED_AT", 4)
    monkeypatch.setattr(columnar, "_BATCH", 3)
    read_blocks_of(60, monkeypatch)


BLOCKS = Source.blocks


def read_blocks_of(length, monkeypatch):
    monkeypatch.setattr(Source, "blocks", lambda source, size=length: BLOCKS(source, size))


def outcome(collect):
    """The samples with their places, or the code and the sentence of the error."""
    try:
        found = collect()
    except InputError as error:
        return error.code, re.sub(r"got (-?\d+)\.0\b", r"got \1", str(error))  # 1 may become 1.0 in Arrow
    places = [[str(found.place(i, j)) for j in range(n)] for i, n in enumerate(map(len, found.grades or found.answers))]
    return {role: found.listed(role) for role in found.columns()}, places, found.roles, found.per_sample


def both(text, open_table, **options):
    strict = outcome(lambda: collect_samples(read_table(text), **options))
    source = Source("f", text.encode())
    return strict, outcome(lambda: collect_samples(open_table(source), **options))


def lines(rows):
    return "\n".join(map(json.dumps, rows))


def delimited(rows):
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(rows[0])
    writer.writerows([json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in rows)
    return file.getvalue()


def make_rows(count=30, **changes):
    draw = random.Random(0)
    rows = [
        {
            "task_id": f"p{i % 7}",
            "sample": i // 7,
            "prediction": draw.choice(["a", "b", "é", ""]),
            "target": "ab"[i % 7 % 2],
            "correct": draw.random() < 0.5,
            "score": draw.random(),
            "level": "xyz"[i % 7 % 3],
        }
        for i in range(count)
    ]
    for place, cells in changes.get("at", {}).items():
        rows[place] = rows[place] | cells
    return rows


AT = {
    "nothing": {},
    "a grade between": {20: {"correct": 0.5}},
    "no grade": {20: {"correct": None}},
    "a grade above 1": {20: {"correct": 2}},
    "a grade in words": {20: {"correct": "maybe"}},
    "a score that is whole": {20: {"score": 3}},
    "no score": {20: {"score": None}},
    "a score in words": {20: {"score": "high"}},
    "a score without end": {20: {"score": 1e999}},
    "a score that is no number": {20: {"score": float("nan")}},
    "an answer that is a number": {20: {"prediction": 3.0}},
    "an answer of many digits": {20: {"prediction": 123456789012345678901234567890}},
    "an answer that is a list": {20: {"prediction": ["a"]}},
    "an answer that is true": {20: {"prediction": True}},
    "no answer": {20: {"prediction": None}},
    "another reference": {20: {"target": "c"}},
    "no reference": {20: {"target": None}},
    "several references": {i: {"target": ["a", "A"]} for i in range(30)},
    "a name that is a number": {20: {"task_id": 6}},
    "names that are spelled alike": {
        i: {"task_id": 6 if i < 20 else "6", "sample": i, "target": "a", "level": "x"} for i in range(30)
    },
    "no name": {20: {"task_id": None}},
    "an empty name": {20: {"task_id": ""}},
    "no label": {20: {"level": None}},
    "another label": {20: {"level": "w"}},
    "a number twice": {20: {"sample": 0}},
    "a line inside a text": {20: {"prediction": 'a\nb"c\\'}},
    "labels that are numbers": {i: {"level": i % 7} for i in range(30)},
}


@pytest.mark.parametrize("changes", AT.values(), ids=AT)
def test_lines(changes):
    strict, fast = both(lines(make_rows(at=changes)), open_lines)
    assert fast == strict


@pytest.mark.parametrize("changes", AT.values(), ids=AT)
def test_csv(changes):
    strict, fast = both(delimited(make_rows(at=changes)), open_csv)
    assert fast == strict


@pytest.mark.parametrize("write", [lines, delimited])
def test_lists(write):
    rows = [{"id": i, "answers": ["a", "b"], "target": "a", "score": [0.5, i]} for i in range(12)]
    open_table = open_lines if write is lines else open_csv
    strict, fast = both(write(rows), open_table)
    assert fast == strict
    for broken in ({"answers": []}, {"answers": "a"}, {"answers": ["a"]}, {"score": [1, "x"]}, {"id": 3}):
        changed = [row | broken if row["id"] == 8 else row for row in rows]
        strict, fast = both(write(changed), open_table)
        assert isinstance(strict[1], str)
        assert fast == strict


BROKEN = {
    "cut off": '{"task_id": "p", "corr',
    "two rows on a line": '{"task_id": "p", "correct": true}{"task_id": "q", "correct": true}',
    "a list": "[1]",
    "a text": '"x"',
    "a name twice": '{"task_id": "p", "correct": true, "correct": false}',
    "half a character": '{"task_id": "\\ud800", "correct": true}',
    "nested": '{"task_id": "p", "correct": true, "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "a comment": '{"task_id": "p", "correct": true} // x',
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("at", [2, 25])
def test_a_broken_line(line, at):
    rows = lines(make_rows()).split("\n")
    strict, fast = both("\n".join([*rows[:at], line, *rows[at:]]), open_lines)
    assert fast == strict
    assert str(at + 1) in fast[1] or fast[0] == "tables.deep"


@pytest.mark.parametrize("line", ["", " ", "\r", "\n\n"])
def test_blank_lines_are_not_counted(line):
    rows = lines(make_rows(at={20: {"correct": 2}})).split("\n")
    strict, fast = both("\n".join([*rows[:10], line, *rows[10:], ""]), open_lines)
    assert fast == strict
    assert "row 21" in fast[1]


def test_two_rows_on_a_line_beside_a_blank_line_are_not_taken_for_two_lines():
    rows = lines(make_rows()).split("\n")
    text = "\n".join([*rows[:20], rows[20] + rows[21], "", *rows[22:]])
    strict, fast = both(text, open_lines)
    assert fast == strict
    assert fast[0] == "tables.json_row"


def test_windows_line_ends():
    strict, fast = both(lines(make_rows()).replace("\n", "\r\n"), open_lines)
    assert fast == strict


def test_another_encoding_is_named():
    rows = lines(make_rows()).encode().split(b"\n")
    rows[20] = rows[20].replace(b"p", b"\xff", 1)
    with pytest.raises(InputError, match="line 21") as caught:
        collect_samples(open_lines(Source("f", b"\n".join(rows))))
    assert caught.value.code == "decoding.encoding"


def test_options():
    rows = [row | {"model": "ab"[i % 2]} for i, row in enumerate(make_rows())]
    for options in (
        {},
        {"where": {"model": "b"}},
        {"where": {"model": ["b"], "level": "x"}},
        {"where": {"model": "c"}},
        {"pool": "model"},
        {"pool": "model", "columns": {"group": None, "answers": None}},
        {"columns": {"grades": "right"}},
        {"columns": {"group": "model"}},
        {"columns": {"references": "prediction", "answers": "target", "grades": None}},
    ):
        strict, fast = both(lines(rows), open_lines, **options)
        assert fast == strict


VALUES = st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 1) | st.sampled_from(["", "a", "b", "1"])
CELLS = VALUES | st.lists(VALUES, max_size=2)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_lines(data):
    names = ["id", "answer", "target", "correct", "score", "level", "sample"]
    kinds = {name: data.draw(st.sampled_from([CELLS, VALUES, st.integers(0, 2), st.booleans()])) for name in names}
    rows = data.draw(st.lists(st.fixed_dictionaries({}, optional=kinds), min_size=4, max_size=12))
    rows[0] = dict.fromkeys(names) | rows[0]
    named = {"answers": "answer", "references": "target", "scores": "score", "group": "level"}
    some = {role: st.sampled_from([None, name]) for role, name in named.items()}
    roles = {"problem": "id", "grades": "correct"} | data.draw(st.fixed_dictionaries(some))
    strict, fast = both(lines(rows), open_lines, columns=roles)
    assert fast == strict


def parquet(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return Source("f", file.getvalue())


@pytest.mark.parametrize("lists", [False, True])
def test_parquet(lists):
    rows = make_rows()
    if lists:
        rows = [
            {"id": f"p{i}", "answers": ["a", None], "target": "a", "correct": [1, 0], "score": [0.5, 2.0]}
            for i in range(9)
        ]
    strict = outcome(lambda: collect_samples(read_table(lines(rows))))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for source in (parquet(columns, row_group_size=4), parquet(columns)):
        assert outcome(partial(collect_samples, open_parquet(source))) == strict


@pytest.mark.parametrize(
    ("column", "grades"),
    [
        (pa.array([True, None, False]), [1, None, 0]),
        (pa.array([1, 0, 1], pa.uint8()), [1, 0, 1]),
        (pa.array([1, 0, 1], pa.uint64()), [1, 0, 1]),
        (pa.array([0.1, None, float("nan")], pa.float32()), [0.1, None, None]),
        (pa.array(np.array([0.5, 1, 0], np.float16)), [0.5, 1, 0]),
        (pa.array([1, 0, None]).dictionary_encode(), [1, 0, None]),
        (pa.array([None, None, None]), [None, None, None]),
    ],
)
def test_types_of_parquet(column, grades):
    names = pa.array(["p", "p", "q"]).dictionary_encode()
    found = collect_samples(open_parquet(parquet({"id": names, "correct": column})), columns={"grades": "correct"})
    assert [grade for row in found.grades for grade in row] == grades


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda inside: pa.list_(inside, 2)])
@pytest.mark.parametrize("inside", [pa.float32(), pa.float64()], ids=str)
def test_lists_of_single_precision_are_the_decimals_that_they_print_as(kind, inside):
    grades = pa.array([[0.6, None], [0.1, 1.0]], kind(inside))
    found = collect_samples(open_parquet(parquet({"id": ["p", "q"], "correct": grades})))
    assert found.grades == [[0.6, None], [0.1, 1.0]]


def test_other_types_of_parquet_are_refused_by_name():
    with pytest.raises(InputError, match="row 1, column “correct”") as caught:
        collect_samples(open_parquet(parquet({"id": ["p"], "correct": [{"value": 1}]})), columns={"grades": "correct"})
    assert caught.value.code == "cells.grade"


def test_columns_that_are_not_needed_are_not_read():
    source = Source("f", lines([row | {"completion": "x" * 100} for row in make_rows()]).encode())
    table = open_lines(source)
    collect_samples(table)
    assert isinstance(table, ColumnTable)
    assert "completion" in table.columns
    assert "completion" not in table._held


def test_a_column_that_is_asked_for_later_is_read():
    table = open_lines(Source("f", lines(make_rows()).encode()))
    assert len(table) == 30
    assert list(table.column("sample").to_pylist()) == [i // 7 for i in range(30)]
    assert table.take([29, 3]).column("sample").to_pylist() == [4, 0]
    assert table.take([29, 3]).take([1]).row_numbers().tolist() == [4]


def test_limits_hold():
    few = replace(UNLIMITED, max_rows=20)
    with pytest.raises(InputError) as caught:
        collect_samples(open_lines(Source("f", lines(make_rows()).encode(), few)), limits=few)
    assert caught.value.code == "tables.rows"


def test_intervals_in_csv_are_answers():
    rows = [{"id": i, "answer": [0, 1], "target": [0, 1], "correct": 1} for i in range(12)]
    strict, fast = both(delimited(rows), open_csv)
    assert fast == strict
    assert fast[0]["answers"] == [["[0, 1]"]] * 12
    assert fast[0]["grades"] == [[1.0]] * 12


@pytest.mark.parametrize("answers", [{}, {"answer": [0, 1], "target": [0, 1]}])
@pytest.mark.parametrize("verdicts", [(1, [1, 0]), ([1, 0], 1)])
def test_a_list_beside_verdicts_in_csv(answers, verdicts):
    most, one = verdicts
    rows = [{"id": i} | answers | {"correct": one if i == 9 else most} for i in range(12)]
    strict, fast = both(delimited(rows), open_csv)
    assert fast == strict
    # Without grades, the samples are those of answers and references.
    assert fast[0] == "cells.grade" or "grades" not in fast[0]


def test_a_name_twice_with_an_escape():
    text = lines(make_rows()) + '\n{"task_id": "p9", "correct": true, "\\u0063orrect": false}'
    strict, fast = both(text, open_lines)
    assert fast == strict
    assert fast[0] == "tables.repeated_name"


@pytest.mark.parametrize("ids", [(1, 1.0), (1.0, 1), (1, "1"), ("1", 1.0), ("1.0", 1.0)])
def test_names_of_several_types(ids):
    rows = [{"id": i, "correct": True} for i in range(8)]
    strict, fast = both(
        lines([{"id": ids[0], "correct": True}, *rows[2:], {"id": ids[1], "correct": True}]), open_lines
    )
    assert fast == strict
    assert fast[0] == "standard.same_name"


class TestSkipping:
    """Lines that are broken are the same ones whichever columns are read, and whenever."""

    def test_a_second_pass(self):
        # Even problems are right by construction. The first rows have no level, so that it is read afterwards.
        rows = [{"id": i // 2, "correct": i // 2 % 2 == 0, "level": ["even", "odd"][i // 2 % 2]} for i in range(40)]
        for row in rows[2:6]:
            row["level"] = None
        text = lines(rows).split("\n")
        text[10] = text[10][:-1] + ', "correct": false}'
        text[39] = text[39][:-1] + ', "level": "odd"}'
        table = open_lines(Source("f", "\n".join(text).encode()), skip=True)
        found = collect_samples(table, errors="skip")
        right = {name: set(grades) for name, grades in zip(found.problems, found.grades, strict=True)}
        assert right == {str(i): {float(i % 2 == 0)} for i in range(20) if i not in (1, 2)}
        assert sum(table.skipped.values()) == 2
        assert len(table) == 38

    def test_a_column_that_is_read_later(self):
        rows = [json.dumps({"id": i, "correct": True, "note": i}) for i in range(20)]
        rows[12] = rows[12][:-1] + ', "note": 0}'
        table = open_lines(Source("f", "\n".join(rows).encode()), skip=True)
        assert list(table.column("id").to_pylist()) == [i for i in range(20) if i != 12]
        assert table.column("note").to_pylist() == table.column("id").to_pylist()
        assert list(table.row_numbers()) == [i + 1 for i in range(20) if i != 12]

    def test_four_lines(self):
        text = (
            b'{"id":1,"correct":true,"correct":false,"topic":null}\n{"id":1,"correct":true,"topic":null}\n'
            b'{"id":2,"correct":true,"topic":null}\n{"id":2,"correct":false,"topic":"x"}'
        )
        found = collect_samples(open_lines(Source("f", text), skip=True), errors="skip")
        assert found.grades == [[1.0], [1.0, 0.0]]

    def test_nothing_is_left(self):
        rows = [
            {"id": i // 2, "answer": "5", "reference": "4", "correct": [True] if i == 2 else True} for i in range(3)
        ]
        with pytest.raises(InputError) as caught:
            collect_samples(open_lines(Source("f", lines(rows).encode()), skip=True), errors="skip")
        assert caught.value.code == "standard.nothing_left"


WATCHED = {
    "model": {"model": "b"},
    "model as a number": {"model": 2},
    "epoch": {"epoch": 1},
    "level": {"level": "b"},
    "correct": {"is_correct": False},
}


@pytest.mark.parametrize("late", WATCHED.values(), ids=WATCHED)
@pytest.mark.parametrize("last", [17, 30])
def test_a_column_that_begins_and_ends_within_blocks(late, last):
    rows = [{"id": i % 10, "correct": i < 15} | (late if 15 <= i < last else {}) for i in range(30)]
    strict, fast = both(lines(rows), open_lines)
    assert fast == strict


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([{"id": 1, "ok": True}, {"ok": False, "id": 2}], {"id", "ok"}),
        ([{"id": 1, "ok": True}, {"id": 2, "model": "b"}], None),
        ([{"id": 1, "ok": True}, {"id": 2}, {"id": 3, "ok": True, "model": "b"}], None),
        ([{"id": 1, "ok": '"model": b'}, {"id": 2, "ok": ""}], None),  # a text may hold what looks like a name
        ([{"id": 1, "meta": {"model": "b"}}, {"id": 2, "meta": {"model": "b"}}], None),
        ([[1], [2]], None),
    ],
)
def test_names_that_all_lines_have(rows, names):
    assert find_names(lines(rows).encode()) == names


def test_a_model_in_the_place_of_another_column(monkeypatch):
    read_blocks_of(100_000, monkeypatch)  # one block, whose first and last rows have no model
    rows = [{"id": i % 10, "correct": True} | ({"model": "b"} if 15 <= i < 25 else {"tag": 1}) for i in range(40)]
    strict, fast = both(lines(rows), open_lines)
    assert fast == strict
    assert fast[0] == "models.several"


def test_a_set_that_begins_late():
    rows = [{"id": i % 10, "correct": True} | ({"dataset": "ab"[i // 25]} if i >= 15 else {}) for i in range(40)]
    strict, fast = both(lines(rows), open_lines)
    assert fast == strict
    assert fast[0] == "plain.several_sets"


class TestLateColumns:
    """A column that the first rows of a large file do not have is found all the same."""

    COUNT = 300

    def write(self, late, first, last=10**9):
        """Write rows of which those from the `first` to the `last` one have one more column."""
        return "\n".join(
            json.dumps({"id": row // 2, "answer": str(row % 3), "target": "1"} | (late if first <= row <= last else {}))
            for row in range(self.COUNT)
        )

    def test_one_that_is_named(self, tmp_path):
        for last in (10**9, 260):
            samples = self.collect(tmp_path, self.write({"größe": True}, 250, last), columns={"grades": "größe"})
            expected = [1.0 if 250 <= row <= last else None for row in range(self.COUNT)]
            assert [grade for row in samples.grades for grade in row] == expected

    def test_one_that_is_guessed(self, tmp_path):
        samples = self.collect(tmp_path, self.write({"correct": True}, 250))
        assert samples.roles["grades"] == "correct"
        assert samples.n_missing == 250

    def test_one_of_models(self, tmp_path):
        text = self.write({"model": "b"}, 250)
        with pytest.raises(InputError, match="“model” has several values"):
            self.collect(tmp_path, text)
        assert len(self.collect(tmp_path, text, where={"model": "b"}).problems) == 25

    def test_a_name_that_stands_in_a_text_alone(self, tmp_path):
        with pytest.raises(InputError, match="There is no column “late”"):
            self.collect(tmp_path, self.write({"note": 'a "late" answer, "late"'}, 250), columns={"grades": "late"})

    @staticmethod
    def collect(tmp_path, text, **arguments):
        path = tmp_path / "f.jsonl"
        path.write_text(text)
        return collect_samples(open_lines(Source("f", path)), **arguments)

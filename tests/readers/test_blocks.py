"""Tables that are read block by block are what they are in memory, to the place of a fault."""

import io
import json
import random
import re
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each, for_rows
from hypothesis import given, settings, strategies as st
from readers.reading import found, over, refused
from readers.texts import collect, collect_samples, open_table, write_delimited, write_lines

from at_k.errors import InputError
from at_k.readers.blocks import Block
from at_k.readers.files import delimited, json_lines
from at_k.readers.files.sources import Source

BLOCKS = Source.blocks


@pytest.fixture
def small_steps(monkeypatch):
    """Let few rows be looked at, and blocks be short, so that a small table shows what a large one does."""
    monkeypatch.setattr(json_lines, "_FIRST_BYTES", 1 << 18)
    monkeypatch.setattr(delimited, "_BATCH", 3)
    monkeypatch.setattr(Source, "blocks", lambda source, size=60: BLOCKS(source, max(size, 60)))


in_small_steps = pytest.mark.usefixtures("small_steps")


def outcome(collect):
    """The samples with their places, or the code and the sentence of the error."""
    try:
        found = collect()
    except InputError as error:
        return error.code, re.sub(r"got (-?\d+)\.0\b", r"got \1", str(error)).replace("line", "row")
    places = [
        [str(found.place(i, j)) for j in range(n)]
        for i, n in enumerate(map(len, found.grades or found.answers))
    ]
    return (
        {role: found.listed(role) for role in found.columns()},
        places,
        found.roles,
        found.per_sample,
    )


def both(rows, **reading):
    """Rows in memory, and their lines in blocks."""
    whole = outcome(lambda: collect(json.dumps(rows), **reading))
    return whole, outcome(lambda: collect(write_lines(rows), **reading))


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
    "an answer that is true": {20: {"prediction": True}},
    "no answer": {20: {"prediction": None}},
    "another reference": {20: {"target": "c"}},
    "no reference": {20: {"target": None}},
    "several references": {i: {"target": ["a", "A"]} for i in range(30)},
    "a name that is a number": {20: {"task_id": 6}},
    "names that are spelled alike": {
        i: {"task_id": 6 if i < 20 else "6", "sample": i, "target": "a", "level": "x"}
        for i in range(30)
    },
    "no name": {20: {"task_id": None}},
    "an empty name": {20: {"task_id": ""}},
    "no label": {20: {"level": None}},
    "another label": {20: {"level": "w"}},
    "a number twice": {20: {"sample": 0}},
    "a line inside a text": {20: {"prediction": 'a\nb"c\\'}},
    "labels that are numbers": {i: {"level": i % 7} for i in range(30)},
    "labels that begin late": {i: {"level": None} for i in range(20)},
    "scores that begin late": {i: {"score": None} for i in range(20)},
    "answers that begin late": {i: {"prediction": None} for i in range(20)},
}


MODELS = [row | {"model": "ab"[i % 2]} for i, row in enumerate(make_rows())]
OPTIONS = [
    {}, {"where": {"model": "b"}}, {"where": {"model": ["b"], "level": "x"}}, {"where": {"model": "c"}},
    {"pool": "model"}, {"pool": "model", "columns": {"group": None, "answers": None}}, {"columns": {"grades": "right"}},
    {"columns": {"group": "model"}}, {"columns": {"references": "prediction", "answers": "target", "grades": None}},
]  # fmt: skip
LATE = [
    {"id": i // 2, "answer": "a", "target": "a", "correct": None if i < 20 else False}
    for i in range(40)
]

# name: (rows, how they are read, the code of the error or the grades, where they are known)
SAME = {
    **{f"cells: {name}": (make_rows(at=cells), {}, ...) for name, cells in AT.items()},
    **{f"options: {options}": (MODELS, options, ...) for options in OPTIONS},
    **{f"names of several types: {one!r}, {other!r}": (
        [{"id": name, "correct": True} for name in (one, 2, 3, 4, 5, 6, 7, other)], {}, "collector.same_name",
    ) for one, other in [(1, 1.0), (1.0, 1), (1, "1"), ("1", 1.0), ("1.0", 1.0)]},
    "verdicts after first rows without any": (
        LATE, {"columns": {"grades": "correct"}}, [[None, None]] * 10 + [[0.0, 0.0]] * 10,
    ),
}  # fmt: skip


@in_small_steps
@for_rows("rows, options, expected", SAME)
def test_lines_in_blocks_are_read_as_rows_in_memory(rows, options, expected):
    whole, blocks = both(rows, **options)
    assert blocks == whole
    assert expected in (..., blocks[0], blocks[0]["grades"] if isinstance(blocks[0], dict) else "")


def late(cells, last, count=30, **others):
    """Rows of which those from the 15th to the `last` have more cells, and the others may have other ones."""
    return [
        {"id": i % 10, "correct": i < 15} | (cells if 15 <= i < last else others)
        for i in range(count)
    ]


WATCHED = {
    **{f"{cells} until {last}": (late(cells, last), ...) for last in (17, 30) for cells in (
        {"model": "b"}, {"model": 2}, {"epoch": 1}, {"level": "b"}, {"is_correct": False})},
    "a set": ([row | {"dataset": "ab"[i // 25]} if i >= 15 else row for i, row in enumerate(late({}, 40, 40))],
              "models.settings"),
    "a model in the place of another column": (late({"model": "b"}, 25, 40, tag=1), "models.settings"),
}  # fmt: skip


@in_small_steps
@for_rows("rows, code", WATCHED)
def test_a_column_that_begins_and_ends_within_blocks(rows, code):
    whole, blocks = both(rows)
    assert blocks[0] == whole[0]
    assert code in (..., blocks[0])


def test_a_model_in_the_place_of_another_column_of_one_block():
    whole, blocks = both(WATCHED["a model in the place of another column"][0])
    assert blocks == whole
    assert blocks[0] == "models.settings"


@in_small_steps
@for_each("changes", [{}, {20: {"correct": "maybe"}}, {20: {"score": None}}, {20: {"target": "c"}}])
def test_csv_and_parquet(changes):
    rows = make_rows(at=changes)
    spelled = [
        {name: None if cell is None else str(cell) for name, cell in row.items()} for row in rows
    ]
    for each in spelled:
        each["prediction"] = each["prediction"] or None
    found = outcome(lambda: collect(write_delimited(rows)))
    assert found[1:] == outcome(lambda: collect(write_lines(rows)))[1:]
    if not any("correct" in cells for cells in changes.values()):
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        for source in (parquet(columns, row_group_size=4), parquet(columns)):
            assert outcome(partial(collect_samples, open_table(source))) == outcome(
                lambda: collect(json.dumps(rows))
            )


@in_small_steps
@pytest.mark.parametrize("write", [write_lines, write_delimited])
@pytest.mark.parametrize(
    "broken",
    [{}, {"answers": []}, {"answers": "a"}, {"answers": ["a"]}, {"score": [1, "x"]}, {"id": 3}],
    ids=repr,
)
def test_lists(write, broken):
    rows = [{"id": i, "answers": ["a", "b"], "target": "a", "score": [0.5, i]} for i in range(12)]
    rows[8] |= broken
    found = outcome(lambda: collect(write(rows)))
    if write is write_lines or not broken:
        assert found == outcome(lambda: collect(json.dumps(rows)))
    else:
        assert isinstance(found[1], str)


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


@in_small_steps
@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("at", [2, 25])
def test_a_broken_line(line, at):
    rows = write_lines(make_rows()).split("\n")
    code, said = outcome(lambda: collect("\n".join([*rows[:at], line, *rows[at:]])))
    assert code.startswith("decoding.")
    assert f"row {at + 1}" in said or code == "decoding.deep"


@in_small_steps
@for_each("line", ["", " ", "\r", "\n\n"])
def test_blank_lines_are_not_counted(line):
    rows = write_lines(make_rows(at={20: {"correct": 2}})).split("\n")
    assert "(row 2" in outcome(lambda: collect("\n".join([*rows[:10], line, *rows[10:], ""])))[1]


@in_small_steps
def test_two_rows_on_a_line_beside_a_blank_line_are_not_taken_for_two_lines():
    rows = write_lines(make_rows()).split("\n")
    code, said = outcome(
        lambda: collect("\n".join([*rows[:20], rows[20] + rows[21], "", *rows[22:]]))
    )
    assert code == "decoding.line"
    assert "row 21" in said


@in_small_steps
def test_windows_line_ends():
    text = write_lines(make_rows())
    assert outcome(lambda: collect(text.replace("\n", "\r\n"))) == outcome(lambda: collect(text))


@in_small_steps
def test_another_encoding_is_named():
    rows = write_lines(make_rows()).encode().split(b"\n")
    rows[20] = rows[20].replace(b"p", b"\xff", 1)
    with pytest.raises(InputError, match="line 21") as caught:
        collect_samples(open_table(Source("f", b"\n".join(rows))))
    assert caught.value.code == "decoding.encoding"


VALUES = (
    st.none()
    | st.booleans()
    | st.integers(0, 2)
    | st.floats(0, 1)
    | st.sampled_from(["", "a", "b", "1"])
)
CELLS = VALUES | st.lists(VALUES, max_size=2)


@in_small_steps
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_lines(data):
    names = ["id", "answer", "target", "correct", "score", "level", "sample"]
    kinds = {
        name: data.draw(st.sampled_from([CELLS, VALUES, st.integers(0, 2), st.booleans()]))
        for name in names
    }
    rows = data.draw(st.lists(st.fixed_dictionaries({}, optional=kinds), min_size=4, max_size=12))
    rows[0] = dict.fromkeys(names) | rows[0]
    named = {"answers": "answer", "references": "target", "scores": "score", "group": "level"}
    some = {role: st.sampled_from([None, name]) for role, name in named.items()}
    roles = {"problem": "id", "grades": "correct"} | data.draw(st.fixed_dictionaries(some))
    whole, blocks = both(rows, columns=roles)
    assert blocks == whole


def parquet(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return Source("f", file.getvalue())


NAMED = {"columns": {"grades": "correct"}}
TYPES = {
    "truth values": (pa.array([True, None, False]), [1, None, 0]),
    "bytes": (pa.array([1, 0, 1], pa.uint8()), [1, 0, 1]),
    "unsigned integers": (pa.array([1, 0, 1], pa.uint64()), [1, 0, 1]),
    "single precision": (pa.array([0.1, None, float("nan")], pa.float32()), [0.1, None, None]),
    "half precision": (pa.array(np.array([0.5, 1, 0], np.float16)), [0.5, 1, 0]),
    "a dictionary": (pa.array([1, 0, None]).dictionary_encode(), [1, 0, None]),
    "nulls": (pa.array([None, None, None]), [None, None, None]),
}
KINDS = {
    "lists": pa.list_,
    "large lists": pa.large_list,
    "lists of two": lambda inside: pa.list_(inside, 2),
}
DECIMALS = [[0.6, None], [0.1, 1.0]]
NAMES = pa.array(["p", "p", "q"]).dictionary_encode()

test_types_of_parquet = over(
    {
        **{
            name: (
                pa.table({"id": NAMES, "correct": column}),
                ...,
                (NAMED, found([grades[:2], grades[2:]])),
            )
            for name, (column, grades) in TYPES.items()
        },
        "answers that are integers": (
            pa.table({"id": ["p"], "answer": [7], "target": [8]}),
            found(answers=[["7"]], references=[["8"]]),
        ),
        "answers that are numbers": (
            pa.table({"id": ["p"], "answer": [7.5], "target": ["8"]}),
            found(answers=[["7.5"]], references=[["8"]]),
        ),
        "integers on a scale": (
            pa.table({"id": ["p", "p"], "grade": [2, 1]}),
            ...,
            ({"scale": (0, 2)}, found([[1, 0.5]])),
        ),
        # Single precision gives the decimals that it prints as.
        **{
            f"{name} of {inside}": (
                pa.table({"id": ["p", "q"], "correct": pa.array(DECIMALS, kind(inside))}),
                found(DECIMALS),
            )
            for name, kind in KINDS.items()
            for inside in (pa.float32(), pa.float64())
        },
        "objects": (
            pa.table({"id": ["p"], "correct": [{"value": 1}]}),
            ...,
            (NAMED, refused("cells.grade", place="row 1, column “correct”")),
        ),
    }
)


@in_small_steps
def test_intervals_in_csv_are_answers():
    rows = [{"id": i, "answer": [0, 1], "target": [0, 1], "correct": 1} for i in range(12)]
    found = collect(write_delimited(rows))
    assert (found.answers, found.grades) == ([["[0, 1]"]] * 12, [[1.0]] * 12)


@in_small_steps
@pytest.mark.parametrize("answers", [{}, {"answer": [0, 1], "target": [0, 1]}])
@pytest.mark.parametrize("verdicts", [(1, [1, 0]), ([1, 0], 1)])
def test_a_list_beside_verdicts_in_csv(answers, verdicts):
    most, one = verdicts
    rows = [{"id": i} | answers | {"correct": one if i == 9 else most} for i in range(12)]
    found = outcome(lambda: collect(write_delimited(rows)))
    # Without grades, the samples are those of answers and references.
    assert found[0] == "cells.grade" or "grades" not in found[0]


TWICE = """{"id":1,"correct":true,"correct":false,"topic":null}
{"id":1,"correct":true,"topic":null}
{"id":2,"correct":true,"topic":null}
{"id":2,"correct":false,"topic":"x"}"""
ODD_LIST = [
    {"id": i // 2, "answer": "5", "reference": "4", "correct": [True] if i == 2 else True}
    for i in range(3)
]


# A name that matters comes to light in a line that is left out where all columns are read.
LATE_TWICE = '{"name": 0, "passed": 1}\n{"id": 1, "id": 2, "correct": true}'


@in_small_steps
@for_each("text, problems, grades", [
    (TWICE, ["1", "2"], [[1], [1, 0]]), (write_lines(ODD_LIST), ["1"], [[1]]), (LATE_TWICE, ["1", "2"], [[1], [None]]),
])  # fmt: skip
def test_broken_lines_are_the_same_whichever_columns_are_read(text, problems, grades):
    left = collect(text, errors="skip")
    assert (left.problems, left.grades) == (problems, grades)
    assert sum(left.origin.skipped.values()) == text.count("\n") + 1 - sum(map(len, grades))


def begun(cells, last=10**9):
    """300 lines of which those from the 250th to the `last` one have one more column."""
    rows = (
        {"id": i // 2, "answer": str(i % 3), "target": "1"} | (cells if 250 <= i <= last else {})
        for i in range(300)
    )
    return write_lines(rows).encode()


def graded_until(last):
    return found(
        [[1.0 if 250 <= i <= last else None for i in (row, row + 1)] for row in range(0, 300, 2)]
    )


OTHER, BYTES_NAMED = {"columns": {"grades": "late"}}, {"columns": {"grades": "größe"}}
# A column that the first rows of a large file do not have is found all the same.
test_late_columns = in_small_steps(
    over(
        {
            "one that is named": (
                begun({"größe": True}),
                found(),
                (BYTES_NAMED, graded_until(300)),
            ),
            "one that ends": (
                begun({"größe": True}, 260),
                found(),
                (BYTES_NAMED, graded_until(260)),
            ),
            "one that is guessed": (
                begun({"correct": True}),
                found(roles={"grades": "correct"}, n_missing=250),
            ),
            "one of models": (
                begun({"model": "b"}),
                refused("models.settings"),
                ({"where": {"model": "b"}}, found(n=[2] * 25)),
            ),
            "a name within a text alone": (
                begun({"note": 'a "late" answer, "late"'}),
                found(),
                (OTHER, refused("standard.no_column", column="“late”")),
            ),
        }
    )
)


@in_small_steps
@pytest.mark.parametrize("write", [write_lines, write_delimited])
def test_columns_that_are_not_needed_are_not_read(write, monkeypatch):
    read = []
    monkeypatch.setattr(
        Block, "column", lambda block, name, own=Block.column: read.append(name) or own(block, name)
    )
    collect(write([row | {"completion": f"{i}" * 100} for i, row in enumerate(make_rows(300))]))
    # It is of no use once it has more values than settings have.
    assert read.count("completion") < read.count("correct") / 3


@in_small_steps
@pytest.mark.parametrize("where", [None, {"level": ["even", "odd"]}])
def test_a_second_pass_leaves_out_the_same_lines(where):
    # Even problems are right. The column `tag` has no role, `verdict` begins late and begins the reading anew.
    rows = [
        {"id": i // 2, "correct": i // 2 % 2 == 0, "level": ["even", "odd"][i // 2 % 2]}
        for i in range(40)
    ]
    for row in rows[30:]:
        row["verdict"] = row["correct"]
    text = write_lines(rows).split("\n")
    text[10] = text[10][:-1] + ', "correct": false}'
    text[39] = text[39][:-1] + ', "level": "odd"}'
    found = collect("\n".join(text), errors="skip", where=where)
    right = {name: set(grades) for name, grades in zip(found.problems, found.grades, strict=True)}
    assert right == {str(i): {float(i % 2 == 0)} for i in range(20)}
    assert sum(found.origin.skipped.values()) == 2
    assert sum(map(len, found.grades)) == 38

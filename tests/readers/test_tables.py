"""Texts and files as people have them: what table they are, read in one piece or block by block, or why not."""

import csv
import io
import json
import random
import re
from functools import partial
from math import isnan

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each
from hypothesis import example, given, settings, strategies as st
from readers.texts import collect, collect_samples, open_table, read_table, write_delimited, write_lines

from at_k.demo.words import LANGUAGES, translate
from at_k.errors import InputError
from at_k.readers import delimited, json_lines
from at_k.readers.blocks import Block
from at_k.readers.format import Reading
from at_k.readers.sources import Source
from at_k.validation import Limits

ROWS = [{"id": "a", "correct": [1, 0], "note": None}, {"id": 'b, "c"', "correct": [True, 0.5], "note": "x\ny"}]


def list_rows(table):
    columns = {name: table[name] for name in table}
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def refused(text, code, *said):
    """Both languages must say the same words; a number is that of a row or line."""
    with pytest.raises(InputError) as caught:
        list_rows(read_table(text))
    assert caught.value.code == code
    for language in LANGUAGES:
        sentence = translate(caught.value, language)
        sentence.encode()
        assert len(sentence) < 300
        for words in said:
            place = rf"第 {words} 行" if language == "zh" else rf"(row|line) {words}\b"
            assert re.search(place, sentence) if isinstance(words, int) else words in sentence


TEXTS = {
    "a list": ("json", json.dumps(ROWS)),
    "a list, indented": ("json", json.dumps(ROWS, indent=2)),
    "columns": ("json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]})),
    "columns, indented": ("json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}, indent=2)),
    "lines": ("jsonl", "\n".join(map(json.dumps, ROWS))),
    "lines with gaps": ("jsonl", "\n \n" + "\r\n\r\n".join(map(json.dumps, ROWS)) + "\n\n"),
    "csv": ("csv", write_delimited(ROWS, ",")),
    "csv with gaps": ("csv", "\n" + write_delimited(ROWS, ",", "\n").replace("\nb", "\n\nb") + "\n"),
    "tsv": ("tsv", write_delimited(ROWS, "\t")),
}


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
@pytest.mark.parametrize(("layout", "text"), TEXTS.values(), ids=TEXTS)
def test_layouts(layout, text, mark):
    table = read_table(mark + text)
    assert list_rows(table) == ROWS
    assert list(table) == ["id", "correct", "note"]
    assert table.layout == layout


def test_a_header_may_begin_with_a_tab():
    """So pandas writes a column beside an index, which has no name."""
    table = read_table("\tgrades\n0\t[1, 0]\n1\t[0, 0]\n")
    assert table.layout == "tsv"
    assert list_rows(table) == [{"column 1": "0", "grades": [1, 0]}, {"column 1": "1", "grades": [0, 0]}]


@for_each(
    "text, rows",
    [
        ('{"correct": [1, 0]}', [{"correct": [1, 0]}]),
        ('{"answers": ["a", "b"], "references": ["a"]}', [{"answers": ["a", "b"], "references": ["a"]}]),
        ('{"Task ID": [1, 2], "correct": [1, 0]}', [{"Task ID": 1, "correct": 1}, {"Task ID": 2, "correct": 0}]),
        ('{"correct": [[1, 0], [1]]}', [{"correct": [1, 0]}, {"correct": [1]}]),
    ],
)
def test_an_object_is_a_problem_or_the_columns_of_many(text, rows):
    assert list_rows(read_table(text)) == rows


def test_columns_appear_in_order():
    table = read_table('{"b": 1}\n{"a": 2, "b": 3, "c": 4}')
    assert list(table) == ["b", "a", "c"]
    assert list_rows(table) == [{"b": 1, "a": None, "c": None}, {"b": 3, "a": 2, "c": 4}]


def test_one_row():
    assert list_rows(read_table('{"id": 7, "correct": [1, 0]}')) == [{"id": 7, "correct": [1, 0]}]
    assert list_rows(read_table('{\n"id": 7,\n"correct": [1, 0]\n}')) == [{"id": 7, "correct": [1, 0]}]


@for_each(
    "text, column",
    [("[[1, 0], [true, null, 0.5]]", "correct"), ('[["a", "b"], ["1"]]', "answers"), ('[[1], ["b"]]', "answers")],
)
def test_a_list_of_lists_is_one_column(text, column):
    assert list_rows(read_table(text)) == [{column: row} for row in json.loads(text)]


def test_line_separators_inside_strings():
    texts = ["a\u2028b", "a\x85b", "a\x0bb"]
    lines = "\n".join(json.dumps({"id": text}, ensure_ascii=False) for text in texts[:2])
    assert read_table(lines)["id"] == texts[:2]
    assert read_table("id,n\n" + "".join(f"{text},1\n" for text in texts))["id"] == texts


def test_old_line_ends():
    assert list_rows(read_table("id,n\ra,1\rb,2\r")) == [{"id": "a", "n": "1"}, {"id": "b", "n": "2"}]


def test_cells_of_csv_stay_as_they_stand():
    (row,) = list_rows(read_table(' id ,n,none,word,quoted\n007, 1.50,,true,"say ""a"""\n'))
    assert row == {"id": "007", "n": " 1.50", "none": None, "word": "true", "quoted": 'say "a"'}


def test_lists_in_csv_are_columns_of_lists():
    rows = list_rows(read_table('lists,broken,some\n"[1, null]","[1, 0","[1, 2]"\n,"[1]",3\n'))
    assert rows == [
        {"lists": [1, None], "broken": "[1, 0", "some": "[1, 2]"},
        {"lists": None, "broken": [1], "some": "3"},
    ]


def test_no_constant_of_json_is_lost():
    (row,) = list_rows(read_table('[{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999, "e": -7}]'))
    assert isnan(row.pop("a"))
    assert row == {"b": float("inf"), "c": -float("inf"), "d": float("inf"), "e": -7}


def test_surrogate_pairs_are_characters():
    assert list_rows(read_table(r'[{"a": "\ud83d\ude00"}]')) == [{"a": "😀"}]


BAD = {
    "nothing": ("", "tables.empty"),
    "white space": ("\ufeff \r\n\t", "tables.empty"),
    "a header alone": ("id,correct\n", "tables.empty"),
    "no rows": ("[]", "tables.empty"),
    "columns without rows": ('{"id": [], "correct": []}', "tables.empty"),
    "rows without columns": ("[{}, {}]", "tables.empty"),
    "a row that is no JSON": ('{"id": 1}\n\n{"id": 2,}\n{"id": 3}', "decoding.broken", 3, '{"id": 2,}'),
    "a first row that is no JSON": ('{"id": 1\n{"id": 2}', "decoding.broken", 1, '{"id": 1'),
    "a line that is no JSON": ('[\n{"id": 1},\n{"id": oops}\n]', "decoding.broken", 3, "oops"),
    "JSON that ends": ('[{"id": 1}', "decoding.broken", 1, '{"id": 1}'),
    "something after JSON": ('[{"id": 1}] and so on', "decoding.broken", 1, "and so on"),
    "single quotes": ("[{'id': 1}]", "decoding.broken", 1, "'id'"),
    "a number among the rows": ('[{"id": 1}, 7]', "decoding.not_object", 2, "7"),
    "a list among the rows": ('[{"id": 1}, [7]]', "decoding.not_object", 2, "[…]"),
    "a text on a line": ('{"id": 1}\n{"id": 2}\n"three"', "decoding.not_object", 3, "“three”"),
    "unequal columns": ('{"id": [1, 2], "correct": [1]}', "tables.unequal_columns", "“id”", "2", "“correct”", "1"),
    "a name twice": ('[{"id": 1}, {"id": 2, "id": 3}]', "decoding.repeated_name", 2, "“id”"),
    "a name twice, on a line": ('{"id": 1}\n{"id": 2, "id": 2}', "decoding.repeated_name", 2, "“id”"),
    "a name twice, inside": ('[{"id": {"a": 1, "a": 2}}]', "decoding.repeated_name", 1, "“a”"),
    "a name twice, with an escape": ('{"id": 1}\n{"id": 2, "\\u0069d": 2}', "decoding.repeated_name", 2, "“id”"),
    "a column twice": ('{"id": [1], "id": [2]}', "decoding.repeated_name", "“id”"),
    "a header twice": ("id,n,id\n1,2,3\n", "tables.repeated_column", "“id”"),
    "too many cells": ("id,n\n1,2\n1,2,3\n", "tables.fields", 2, "3", "2"),
    "too few cells": ("id\tn\n1\t2\n\n1\n", "tables.fields", 2, "1", "2"),
    "an open quote": ('id,n\n1,2\n"3,4\n5,6\n', "tables.quotes", 2),
    "text after a quote": ('id,n\n"1"x,2\n', "tables.quotes", 1),
    "an open quote in the header": ('"id,n\n1,2\n', "tables.header_quotes"),
    "a long integer": ('[{"id": 1}, {"id": ' + "1" * 5000 + "}]", "decoding.long_number", 2),
    "a long integer, on a line": ('{"id": 1}\n{"id": [-' + "1" * 5000 + "]}", "decoding.long_number", 2),
    "half a character": ('[{"id": "a"}, {"id": "\\ud800"}]', "decoding.surrogate", 2),
    "half a character in a name": ('[{"\\udc00": 1}]', "decoding.surrogate", 1),
}


@for_each("case", BAD.values(), ids=BAD)
def test_refused(case):
    refused(*case)


def test_semicolons_where_a_comma_is_no_end_of_a_cell():
    assert list_rows(read_table("id;score\na;0,5\n")) == [{"id": "a", "score": "0,5"}]
    assert list_rows(read_table('id,answer\na,"x;y"\n')) == [{"id": "a", "answer": "x;y"}]


def test_a_column_without_a_name_is_there():
    assert list_rows(read_table(",id\n0,1\n")) == [{"column 1": "0", "id": "1"}]


def test_a_header_of_very_many_columns_is_none():
    refused("a" + "," * 10_000 + "\n", "tables.columns", "10,001", "10,000")


def test_a_cell_may_be_longer_than_the_csv_module_allows():
    csv.field_size_limit(131_072)
    assert list_rows(read_table("a,b\n" + "x" * 200_000 + ",1")) == [{"a": "x" * 200_000, "b": "1"}]


@for_each(
    "write",
    [
        lambda n: '{"correct":1}\n' * n,
        lambda n: "correct\n" + "1\n" * n,
        lambda n: json.dumps({"id": list(range(n)), "correct": [1] * n}),
        lambda n: json.dumps([[1]] * n),
    ],
)
def test_one_bound_of_rows_and_one_of_bytes(write):
    few = Limits(max_rows=20)
    assert len(collect_samples(Source("", write(20).encode(), few)).problems) > 0
    with pytest.raises(InputError, match="the limit is 20") as caught:
        collect_samples(Source("", write(21).encode(), few))
    assert caught.value.code == "tables.rows"
    with pytest.raises(InputError, match="the limit is 20") as caught:
        Source("", write(21).encode(), Limits(max_bytes=20))
    assert caught.value.code == "tables.too_large"


PIECES = [*'[]{}":,\n\r\t01aé \\', '"a":', "null", "NaN", "-1e9", "[1,0]", '{"a":[', "\\ud800", "\u2028", "😀"]


@given(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(PIECES)).map("".join)))
@example("a\n\0")
@example('{"a":1}\n{')
def test_any_text_is_a_table_or_refused(text):
    try:
        rows = list_rows(read_table(text))
    except InputError as error:
        for language in LANGUAGES:
            translate(error, language).encode()
    else:
        assert rows
        json.dumps(rows, ensure_ascii=False).encode()


def test_rows_keep_their_numbers():
    taken = Block.of([1, 3, 4], [{"id": "a"}, {"id": "b"}, {"id": "c"}]).take([0, 2])
    assert (list(taken.places), list(taken["id"])) == ([1, 4], ["a", "c"])
    assert (list(taken.take([1]).places), list(taken.take([1])["id"])) == ([4], ["c"])


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
    places = [[str(found.place(i, j)) for j in range(n)] for i, n in enumerate(map(len, found.grades or found.answers))]
    return {role: found.listed(role) for role in found.columns()}, places, found.roles, found.per_sample


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


@in_small_steps
@for_each("changes", AT.values(), ids=AT)
def test_lines(changes):
    whole, blocks = both(make_rows(at=changes))
    assert blocks == whole


@in_small_steps
@for_each("changes", [{}, {20: {"correct": "maybe"}}, {20: {"score": None}}, {20: {"target": "c"}}])
def test_csv_and_parquet(changes):
    rows = make_rows(at=changes)
    spelled = [{name: None if cell is None else str(cell) for name, cell in row.items()} for row in rows]
    for each in spelled:
        each["prediction"] = each["prediction"] or None
    found = outcome(lambda: collect(write_delimited(rows)))
    assert found[1:] == outcome(lambda: collect(write_lines(rows)))[1:]
    if not any("correct" in cells for cells in changes.values()):
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        for source in (parquet(columns, row_group_size=4), parquet(columns)):
            assert outcome(partial(collect_samples, open_table(source))) == outcome(lambda: collect(json.dumps(rows)))


@in_small_steps
@pytest.mark.parametrize("write", [write_lines, write_delimited])
@pytest.mark.parametrize(
    "broken", [{}, {"answers": []}, {"answers": "a"}, {"answers": ["a"]}, {"score": [1, "x"]}, {"id": 3}], ids=repr
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
    code, said = outcome(lambda: collect("\n".join([*rows[:20], rows[20] + rows[21], "", *rows[22:]])))
    assert code == "decoding.broken"
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


@in_small_steps
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
        whole, blocks = both(rows, **options)
        assert blocks == whole


VALUES = st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 1) | st.sampled_from(["", "a", "b", "1"])
CELLS = VALUES | st.lists(VALUES, max_size=2)


@in_small_steps
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
    whole, blocks = both(rows, columns=roles)
    assert blocks == whole


def parquet(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return Source("f", file.getvalue())


@for_each(
    "column, grades",
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
    found = collect_samples(
        open_table(parquet({"id": names, "correct": column})), Reading(columns={"grades": "correct"})
    )
    assert [grade for row in found.grades for grade in row] == grades


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda inside: pa.list_(inside, 2)])
@pytest.mark.parametrize("inside", [pa.float32(), pa.float64()], ids=str)
def test_lists_of_single_precision_are_the_decimals_that_they_print_as(kind, inside):
    grades = pa.array([[0.6, None], [0.1, 1.0]], kind(inside))
    found = collect_samples(open_table(parquet({"id": ["p", "q"], "correct": grades})))
    assert found.grades == [[0.6, None], [0.1, 1.0]]


def test_other_types_of_parquet_are_refused_by_name():
    with pytest.raises(InputError, match="row 1, column “correct”") as caught:
        collect_samples(
            open_table(parquet({"id": ["p"], "correct": [{"value": 1}]})), Reading(columns={"grades": "correct"})
        )
    assert caught.value.code == "cells.grade"


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


@in_small_steps
@for_each("ids", [(1, 1.0), (1.0, 1), (1, "1"), ("1", 1.0), ("1.0", 1.0)])
def test_names_of_several_types(ids):
    rows = [{"id": i, "correct": True} for i in range(8)]
    whole, blocks = both([{"id": ids[0], "correct": True}, *rows[2:], {"id": ids[1], "correct": True}])
    assert blocks == whole
    assert blocks[0] == "collector.same_name"


@in_small_steps
class TestSkipping:
    """Lines that are broken are the same ones whichever columns are read, and whenever."""

    def test_four_lines(self):
        text = (
            '{"id":1,"correct":true,"correct":false,"topic":null}\n{"id":1,"correct":true,"topic":null}\n'
            '{"id":2,"correct":true,"topic":null}\n{"id":2,"correct":false,"topic":"x"}'
        )
        found = collect(text, errors="skip")
        assert found.grades == [[1.0], [1.0, 0.0]]

    def test_nothing_is_left(self):
        rows = [
            {"id": i // 2, "answer": "5", "reference": "4", "correct": [True] if i == 2 else True} for i in range(3)
        ]
        left = collect(write_lines(rows), errors="skip")
        assert (left.problems, sum(left.origin.skipped.values())) == (["1"], 2)


WATCHED = {
    "model": {"model": "b"},
    "model as a number": {"model": 2},
    "epoch": {"epoch": 1},
    "level": {"level": "b"},
    "correct": {"is_correct": False},
}


@in_small_steps
@pytest.mark.parametrize("late", WATCHED.values(), ids=WATCHED)
@pytest.mark.parametrize("last", [17, 30])
def test_a_column_that_begins_and_ends_within_blocks(late, last):
    rows = [{"id": i % 10, "correct": i < 15} | (late if 15 <= i < last else {}) for i in range(30)]
    whole, blocks = both(rows)
    assert blocks[0] == whole[0]


@in_small_steps
def test_a_model_in_the_place_of_another_column(monkeypatch):
    monkeypatch.setattr(Source, "blocks", BLOCKS)  # one block, whose first and last rows have no model
    rows = [{"id": i % 10, "correct": True} | ({"model": "b"} if 15 <= i < 25 else {"tag": 1}) for i in range(40)]
    whole, blocks = both(rows)
    assert blocks == whole
    assert blocks[0] == "models.settings"


@in_small_steps
def test_a_set_that_begins_late():
    rows = [{"id": i % 10, "correct": True} | ({"dataset": "ab"[i // 25]} if i >= 15 else {}) for i in range(40)]
    whole, blocks = both(rows)
    assert blocks[0] == whole[0] == "models.settings"


@in_small_steps
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
        return collect_samples(open_table(Source("f", path)), Reading(**arguments))


def test_plain_lines_of_csv_are_read_as_the_module_csv_reads_them(monkeypatch):
    # The strict reader must read files as Arrow does, whatever the quotation marks do.
    rng = random.Random(0)
    parsed = []
    parse = delimited._parse
    monkeypatch.setattr(delimited, "_parse", lambda *given: parsed.append(parse(*given)) or parsed[-1])
    for _ in range(800):
        width = rng.choice([1, 2, 2, 3])
        # Half of the files have no marks. In the others most cells are quoted right, and some have marks anywhere.
        letters, bare = rng.choice([('ab ",', 0.2), ("ab ", 1)])
        texts = ["".join(rng.choices(letters, k=rng.randrange(5))) for _ in range(width * rng.randrange(1, 4))]
        cells = [text if rng.random() < bare else '"' + text.replace('"', '""') + '"' for text in texts]
        rows = [",".join(cells[i : i + width]) for i in range(0, len(cells), width)]
        text = "\n".join([",".join(f"c{i}" for i in range(width)), *rows])
        try:
            expected = [
                [cell or None for cell in row] for row in csv.reader(io.StringIO(text, newline=""), strict=True)
            ]
        except csv.Error:
            expected = None
        if expected is not None:
            expected = [row for row in expected[1:] if row]
        try:
            found = read_table(text)
            found = [list(row.values()) for row in list_rows(found)]
        except InputError:
            found = None
        if expected is None or any(len(row) != width for row in expected) or not expected:
            assert found is None, text
        else:
            spelled = [
                [str(getattr(cell, "text", cell)) if cell is not None else None for cell in row] for row in found
            ]
            assert spelled == expected, text
    assert sum(each is not None for each in parsed) > 150
    assert sum(each is None for each in parsed) > 150


@in_small_steps
@pytest.mark.parametrize("write", [write_lines, write_delimited])
def test_columns_that_are_not_needed_are_not_read(write, monkeypatch):
    read = []
    monkeypatch.setattr(Block, "column", lambda block, name, own=Block.column: read.append(name) or own(block, name))
    collect(write([row | {"completion": f"{i}" * 100} for i, row in enumerate(make_rows(300))]))
    # It is of no use once it has more values than settings have.
    assert read.count("completion") < read.count("correct") / 3


@in_small_steps
@pytest.mark.parametrize("where", [None, {"level": ["even", "odd"]}])
def test_a_second_pass_leaves_out_the_same_lines(where):
    # Even problems are right. The column `tag` has no role, `verdict` begins late and begins the reading anew.
    rows = [{"id": i // 2, "correct": i // 2 % 2 == 0, "level": ["even", "odd"][i // 2 % 2]} for i in range(40)]
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


@in_small_steps
def test_verdicts_after_first_rows_without_any():
    rows = [{"id": i // 2, "answer": "a", "target": "a"} | ({"correct": None} if i < 20 else {}) for i in range(40)]
    for row in rows[20:]:
        row["correct"] = False
    whole, blocks = both(rows, columns={"grades": "correct"})
    assert blocks == whole
    assert blocks[0]["grades"] == [[None, None]] * 10 + [[0.0, 0.0]] * 10

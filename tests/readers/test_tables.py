"""Texts as people have them, and as people attack with them: what table they are, or why they are refused."""

import csv
import json
import re
from dataclasses import replace
from io import StringIO
from math import isnan

import pytest
from hypothesis import example, given, strategies as st

from at_k.demo.limits import LIMITS
from at_k.demo.words import LANGUAGES, translate
from at_k.errors import InputError
from at_k.limits import UNLIMITED
from at_k.readers.tables import Table, read_table

ROWS = [{"id": "a", "correct": [1, 0], "note": None}, {"id": 'b, "c"', "correct": [True, 0.5], "note": "x\ny"}]


def read(text, limits=LIMITS):
    return read_table(text, limits=limits)


def refused(text, code, *said, limits=LIMITS):
    """Both languages must say the same words; a number is that of a row or line."""
    with pytest.raises(InputError) as caught:
        read(text, limits)
    assert caught.value.code == f"tables.{code}"
    for language in LANGUAGES:
        sentence = translate(caught.value, language)
        sentence.encode()
        assert len(sentence) < 300
        for words in said:
            place = rf"第 {words} 行" if language == "zh" else rf"(row|line) {words}\b"
            assert re.search(place, sentence) if isinstance(words, int) else words in sentence
    return caught.value


def delimited(rows, delimiter, end="\r\n"):
    file = StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values())
    return file.getvalue()


TEXTS = {
    "a list": ("json", json.dumps(ROWS)),
    "a list, indented": ("json", json.dumps(ROWS, indent=2)),
    "columns": ("json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]})),
    "columns, indented": ("json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}, indent=2)),
    "lines": ("jsonl", "\n".join(map(json.dumps, ROWS))),
    "lines with gaps": ("jsonl", "\n \n" + "\r\n\r\n".join(map(json.dumps, ROWS)) + "\n\n"),
    "csv": ("csv", delimited(ROWS, ",")),
    "csv with gaps": ("csv", "\n" + delimited(ROWS, ",", "\n").replace("\nb", "\n\nb") + "\n"),
    "tsv": ("tsv", delimited(ROWS, "\t")),
}


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
@pytest.mark.parametrize(("layout", "text"), TEXTS.values(), ids=TEXTS)
def test_layouts(layout, text, mark):
    table = read(mark + text)
    assert table.rows == ROWS
    assert table.columns == ["id", "correct", "note"]
    assert table.layout == layout


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"correct": [1, 0]}', [{"correct": [1, 0]}]),
        ('{"answers": ["a", "b"], "references": ["a"]}', [{"answers": ["a", "b"], "references": ["a"]}]),
        ('{"Task ID": [1, 2], "correct": [1, 0]}', [{"Task ID": 1, "correct": 1}, {"Task ID": 2, "correct": 0}]),
        ('{"correct": [[1, 0], [1]]}', [{"correct": [1, 0]}, {"correct": [1]}]),
    ],
)
def test_an_object_is_a_problem_or_the_columns_of_many(text, rows):
    assert read(text).rows == rows


def test_columns_appear_in_order():
    table = read('{"b": 1}\n{"a": 2, "b": 3, "c": 4}')
    assert table.columns == ["b", "a", "c"]
    assert table.rows == [{"b": 1}, {"a": 2, "b": 3, "c": 4}]


def test_one_row():
    assert read('{"id": 7, "correct": [1, 0]}').rows == [{"id": 7, "correct": [1, 0]}]
    assert read('{\n"id": 7,\n"correct": [1, 0]\n}').rows == [{"id": 7, "correct": [1, 0]}]


@pytest.mark.parametrize(
    ("text", "column"),
    [("[[1, 0], [true, null, 0.5]]", "correct"), ('[["a", "b"], ["1"]]', "answers"), ('[[1], ["b"]]', "answers")],
)
def test_a_list_of_lists_is_one_column(text, column):
    assert read(text).rows == [{column: row} for row in json.loads(text)]


def test_line_separators_inside_strings():
    texts = ["a\u2028b", "a\x85b", "a\x0bb"]
    assert [
        row["id"] for row in read("\n".join(json.dumps({"id": text}, ensure_ascii=False) for text in texts[:2])).rows
    ] == texts[:2]
    assert [row["id"] for row in read("id,n\n" + "".join(f"{text},1\n" for text in texts)).rows] == texts


def test_old_line_ends():
    assert read("id,n\ra,1\rb,2\r").rows == [{"id": "a", "n": "1"}, {"id": "b", "n": "2"}]


def test_cells_of_csv_stay_as_they_stand():
    (row,) = read(' id ,n,none,word,quoted\n007, 1.50,,true,"say ""a"""\n').rows
    assert row == {"id": "007", "n": " 1.50", "none": None, "word": "true", "quoted": 'say "a"'}


def test_lists_in_csv_are_columns_of_lists():
    rows = read('lists,broken,some\n"[1, null]","[1, 0","[1, 2]"\n,"[1]",3\n').rows
    assert rows == [
        {"lists": [1, None], "broken": "[1, 0", "some": "[1, 2]"},
        {"lists": None, "broken": [1], "some": "3"},
    ]


def test_no_constant_of_json_is_lost():
    (row,) = read('[{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999, "e": -7}]').rows
    assert isnan(row.pop("a"))
    assert row == {"b": float("inf"), "c": -float("inf"), "d": float("inf"), "e": -7}


def test_surrogate_pairs_are_characters():
    assert read(r'[{"a": "\ud83d\ude00"}]').rows == [{"a": "😀"}]


BAD = {
    "nothing": ("", "empty"),
    "white space": ("\ufeff \r\n\t", "empty"),
    "a header alone": ("id,correct\n", "empty"),
    "no rows": ("[]", "empty"),
    "columns without rows": ('{"id": [], "correct": []}', "empty"),
    "rows without columns": ("[{}, {}]", "empty"),
    "a row that is no JSON": ('{"id": 1}\n\n{"id": 2,}\n{"id": 3}', "json_row", 2, '{"id": 2,}'),
    "a first row that is no JSON": ('{"id": 1\n{"id": 2}', "json_row", 1, '{"id": 1'),
    "a line that is no JSON": ('[\n{"id": 1},\n{"id": oops}\n]', "json_line", 3, "oops"),
    "JSON that ends": ('[{"id": 1}', "json_line", 1, '{"id": 1}'),
    "something after JSON": ('[{"id": 1}] and so on', "json_line", 1, "and so on"),
    "single quotes": ("[{'id': 1}]", "json_line", 1, "'id'"),
    "a broken character near": ('[{"\ud800": oops}]', "json_line", 1, "oops"),
    "a number among the rows": ('[{"id": 1}, 7]', "not_object", 2, "7"),
    "a list among the rows": ('[{"id": 1}, [7]]', "not_object", 2, "[…]"),
    "a text on a line": ('{"id": 1}\n{"id": 2}\n"three"', "not_object", 3, "“three”"),
    "unequal columns": ('{"id": [1, 2], "correct": [1]}', "unequal_columns", "“id”", "2", "“correct”", "1"),
    "a name twice": ('[{"id": 1}, {"id": 2, "id": 3}]', "repeated_name", 2, "“id”"),
    "a name twice, on a line": ('{"id": 1}\n{"id": 2, "id": 2}', "repeated_name", 2, "“id”"),
    "a name twice, inside": ('[{"id": {"a": 1, "a": 2}}]', "repeated_name", 1, "“a”"),
    "a column twice": ('{"id": [1], "id": [2]}', "repeated_name", "“id”"),
    "a header twice": ("id,n,id\n1,2,3\n", "repeated_column", "“id”"),
    "too many cells": ("id,n\n1,2\n1,2,3\n", "fields", 2, "3", "2"),
    "too few cells": ("id\tn\n1\t2\n\n1\n", "fields", 2, "1", "2"),
    "an open quote": ('id,n\n1,2\n"3,4\n5,6\n', "quotes", 2),
    "text after a quote": ('id,n\n"1"x,2\n', "quotes", 1),
    "an open quote in the header": ('"id,n\n1,2\n', "header_quotes"),
    "a long integer": ('[{"id": 1}, {"id": ' + "1" * 5000 + "}]", "long_number", 2),
    "a long integer, on a line": ('{"id": 1}\n{"id": [-' + "1" * 5000 + "]}", "long_number", 2),
    "half a character": ('[{"id": "a"}, {"id": "\\ud800"}]', "surrogate", 2),
    "half a character, as it is": ('{"id": "a"}\n{"id": ["\udfff"]}', "surrogate", 2),
    "half a character in a name": ('[{"\\udc00": 1}]', "surrogate", 1),
    "half a character in csv": ("id,n\n1,2\n\ud800,2\n", "surrogate", 2),
    "a long name of a column": (json.dumps([{"é" * (LIMITS.max_text + 1): 1}]), "long_name", "20,001", "20,000"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_refused(case):
    refused(*case)


def test_rows_and_columns_are_named():
    error = refused('{"id": 1}\n{"id": 2, "id": 3}', "repeated_name")
    assert "row 2" in str(error)
    assert "第 2 行" in translate(error, "zh")


def test_very_many_cells_are_refused_before_they_are_rows():
    refused("a" + "," * 1_000_000 + "\n" + "," * 1_000_000, "columns")
    refused(f"{','.join(f'c{i}' for i in range(150))}\n" + f"{',' * 149}\n" * 7_000, "cells", "1,000,000")


def test_semicolons_where_a_comma_is_no_end_of_a_cell():
    assert read("id;score\na;0,5\n").rows == [{"id": "a", "score": "0,5"}]
    assert read('id,answer\na,"x;y"\n').rows == [{"id": "a", "answer": "x;y"}]


def test_a_column_without_a_name_is_there():
    assert read(",id\n0,1\n").rows == [{"column 1": "0", "id": "1"}]


class TestLimits:
    def test_bytes(self):
        text = '[{"id": "é"}]'
        padded = text + " " * (LIMITS.max_bytes - len(text.encode()))
        assert read(padded).rows == [{"id": "é"}]
        refused(padded + " ", "too_large", "5,000,001", "5,000,000")

    @pytest.mark.parametrize(
        "write",
        [
            lambda n: '{"a":1}\n' * n,
            lambda n: "a\n" + "1\n" * n,
            lambda n: json.dumps({"id": [1] * n}),
            lambda n: json.dumps([[1]] * n),
        ],
    )
    def test_rows(self, write):
        assert len(read(write(LIMITS.max_rows)).rows) == LIMITS.max_rows
        refused(write(LIMITS.max_rows + 1), "rows", "50,000")

    @pytest.mark.parametrize("spread", [False, True])
    def test_columns(self, spread):
        def text(n):
            rows = [{f"c{i}": 1} for i in range(n)] if spread else [{f"c{i}": 1 for i in range(n)}]
            return json.dumps(rows)

        assert len(read(text(LIMITS.max_columns)).columns) == LIMITS.max_columns
        refused(text(LIMITS.max_columns + 1), "columns", "201", "200")

    def test_cells(self):
        longest = "é" * LIMITS.max_text
        assert read(json.dumps([{longest: longest}])).rows == [{longest: longest}]
        assert read(f"id,n\n{longest},1").rows[0]["id"] == longest

    def test_a_list_in_a_cell_may_be_longer(self):
        samples = ["a" * 1000] * 500
        assert read(delimited([{"answers": samples}], ",")).rows == [{"answers": samples}]


def filled(unit, before="", after=""):
    """As large as it may be."""
    return before + unit * ((LIMITS.max_bytes - len(before) - len(after)) // len(unit)) + after


HOSTILE = {
    "lists in lists": (filled("["), "deep"),
    "lists in lists, closed": ("[" * 100_000 + "]" * 100_000, "deep"),
    "objects in objects": (filled('{"a":'), "deep"),
    "lists in a row": ('{"id": 1}\n{"id": ' + "[" * 100_000, "deep"),
    "lists in a cell": ("id\n" + "[" * 100_000 + "\n", "deep"),
    "one line": (filled("x"), "empty"),
    "one integer": (filled("1", "[", "]"), "long_number"),
    "one open quote": (filled("x", 'a\n"'), "quotes"),
    "one header": (filled(",a", "a"), "columns"),
    "a row of commas": (filled(",", "a\n"), "columns"),
    "rows of csv": (filled("1\n", "a\n"), "rows"),
    "rows of JSON": (filled("{}\n"), "rows"),
    "objects": (filled("{},", "[", "{}]"), "rows"),
    "lists": (filled("[],", "[", "[]]"), "rows"),
    "a column": (filled("0,", '{"id": [', "0]}"), "rows"),
    "blank lines": (filled("\n"), "empty"),
    "escapes": (filled(r"\ud800", '[["', '"]]'), "surrogate"),
    "names": ("\n".join(f'{{"c{i}": 1}}' for i in range(LIMITS.max_rows)), "columns"),
}


@pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE)
def test_hostile(case):
    refused(*case)


PIECES = [
    *'[]{}":,\n\r\t01aé \\',
    '"a":',
    "null",
    "NaN",
    "-1e9",
    "[1,0]",
    '{"a":[',
    "\\ud800",
    "\ud800",
    "\0",
    "\u2028",
    "😀",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
@example("\0")
@example("a\n\0")
@example('{"a":1}\n{')
def test_any_text_is_a_table_or_refused(text):
    try:
        table = read(text)
    except InputError as error:
        for language in LANGUAGES:
            translate(error, language).encode()
    else:
        assert table.rows
        assert set().union(*table.rows) == set(table.columns)
        json.dumps(table.rows, ensure_ascii=False).encode()


class TestWithoutLimits:
    def test_a_large_text_is_read(self):
        rows = [{"id": i, "answers": ["x" * 30_000] * 2} for i in range(100)]
        text = "\n".join(map(json.dumps, rows))
        assert len(text) > LIMITS.max_bytes
        assert read_table(text).rows == rows
        refused(text, "too_large")

    def test_many_rows_columns_and_cells_are_read(self):
        assert len(read_table("a\n" + "1\n" * 60_000).rows) == 60_000
        assert len(read_table(json.dumps([{f"c{i}": 1 for i in range(300)}])).columns) == 300
        header = ",".join(f"c{i}" for i in range(300))
        assert len(read_table(f"{header}\n" + f"{',' * 299}\n" * 4_000).rows) == 4_000
        assert read_table(json.dumps([{"x" * 30_000: 1}])).columns == ["x" * 30_000]

    def test_one_limit_does_not_bring_another(self):
        few = replace(UNLIMITED, max_rows=2)
        refused("a\n1\n2\n3", "rows", "2", limits=few)
        assert read("a\n1\n2", few).rows == [{"a": "1"}, {"a": "2"}]

    def test_a_cell_may_be_longer_than_the_csv_module_allows(self):
        csv.field_size_limit(131_072)
        assert read_table("a,b\n" + "x" * 200_000 + ",1").rows == [{"a": "x" * 200_000, "b": "1"}]


def test_rows_keep_their_numbers():
    table = read_table("id,correct\na,1\nb,0\nc,1").take([0, 2])
    assert list(table.numbered()) == [(1, {"id": "a", "correct": "1"}), (3, {"id": "c", "correct": "1"})]
    assert table.take([1]) == Table([{"id": "c", "correct": "1"}], ["id", "correct"], "csv", [3])

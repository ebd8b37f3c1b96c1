"""Messages quote values, name places and lines, and count left-out rows."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each, for_rows

from at_k.demo.words import translate
from at_k.errors import InputError, Message
from at_k.readers import read_samples
from at_k.readers.faults import UNITS, describe_place
from at_k.readers.files.delimited import name_lines
from at_k.readers.files.sources import Source
from at_k.readers.names import normalize_name, quote, quote_all, shorten


@for_each("value, said", [
    ("a", "“a”"), ("a" * 40, "“" + "a" * 40 + "”"), ("a" * 41, "“" + "a" * 39 + "…”"), (0.5, "0.5"),
    (float("nan"), "NaN"), (10**300, "1" + "0" * 38 + "…"), (False, "false"), (None, "null"), ([[0]], "[…]"),
    ([], "[]"), ({"a": 1}, "{…}"), ({}, "{}"),
])  # fmt: skip
def test_quote(value, said):
    assert quote(value) == said


def test_a_quoted_text_can_be_sent():
    assert shorten("a\ud800b") == "a?b"


def test_ten_values_are_listed():
    assert quote_all("abc") == "“a”, “b”, “c”"
    assert quote_all(map(str, range(10))).endswith("“9”")
    assert quote_all(map(str, range(11))).endswith("“9”, …")


@for_each("name", ["Task ID", " task-id ", "TASK_ID", "task  id"])
def test_names_have_one_spelling(name):
    assert normalize_name(name) == "task_id"


def test_places():
    assert str(describe_place(2, "a" * 50)) == f"row 2, column “{'a' * 39}…”"
    assert str(describe_place(2, "a", 3)) == "row 2, column “a”, sample 3"
    assert [str(place(1234)) for place in UNITS.values()] == [f"{unit} 1,234" for unit in UNITS]


# A blank line after the header, a cell of two lines, another blank line: the fault is in row 2, on line 6.
CSV = 'id,answer,correct\n\na,"two\nlines",1\n\nb,x,maybe\n'
TABLE = pa.table({"id": ["a", "b"], "correct": [1, 7]})
ROWS = [{"id": 1, "correct": 1}, {"id": 2, "correct": 7}]
LIST = [{"id": 1, "correct": 1}, {"id": 2, "correct": [1]}]
WORD = "no verdict that is known (line {}, column “correct”)"

# name: (content, what the error says)
NAMED = {
    "CSV": (CSV, WORD.format(6)),
    "CSV with a byte order mark": ("\ufeff\r\n" + CSV.replace("\n", "\r\n"), WORD.format(7)),
    "CSV in gzip": (gzip.compress(CSV.encode(), mtime=0), WORD.format(6)),
    "TSV": (CSV.replace(",", "\t"), WORD.format(6)),
    "too many cells": ("id,correct\n\na,1,2\n", "2, not 3 (line 3)"),
    "an open quotation mark": (
        'id,correct\n"a\nb",1\nc,"1\nd,1\n', "one is not closed, or text follows a closed one (line 4)"),
    "JSON lines": ("\n\n".join(map(json.dumps, ROWS)) + "\n", " (line 3, column “correct”)"),
    "a broken line": ('{"id": 1, "correct": 1}\n\n{"id": 2, \n', "line 3, near"),
    "a problem twice": ('id,correct\na,"[1]"\n\na,"[0]"\n', "“a” is also in line 2 (line 4, column “id”)"),
    "a sample twice": (
        "id,sample,correct\n\na,0,1\na,0,1\n", "0 of problem “a” occurs twice: line 3 and line 4, column"),
    "a list beside a number": (
        "\n\n".join(map(json.dumps, LIST)) + "\n", "as other rows have; got 1 (line 1, column “correct”)"),
    "a document": (json.dumps(ROWS, indent=1), "got 7 (row 2, column"),  # which has no lines of rows
    "Parquet": (TABLE, "got 7 (row 2, column"),
}  # fmt: skip


@for_rows("content, said", NAMED)
def test_an_error_names_lines(tmp_path, content, said):
    path = tmp_path / "results"
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_samples(path)
    assert said in str(caught.value)


def test_lines_are_named_in_chinese_and_where_rows_are_left_out(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(CSV)
    with pytest.raises(InputError) as caught:
        read_samples(path)
    assert "第 6 行" in translate(caught.value, "zh")
    ((cause, count),) = read_samples(path, errors="skip").origin.skipped.items()
    assert (count, "line 6" in str(cause)) == (1, True)


@pytest.mark.parametrize(("text", "row", "line"), [
    ('{"a": 1}\n{"a": 2}', 2, 2), ('\n\n{"a": 1}\n\n{"a": 2}', 5, 5), ("a,b\n1,2\n3,4", 2, 3),
    ('a,b\n"1\n2",2\n\n3,4', 2, 5), ("a\tb\r\n1\t2\r\n", 1, 2), ('[{"a": 1},\n {"a": 2}]', 2, None),
    ('{"a": [1, 2]}', 1, None), ("a,b\n1,2", 7, None),
])  # fmt: skip
def test_rows_are_counted_as_lines(text, row, line):
    said = name_lines(
        Message("cells.place", "row {row}, column “{column}”", row=row, column=1),
        Source("", text.encode()),
    )
    assert str(said) == (f"row {row}, column “1”" if line is None else f"line {line}, column “1”")

"""Messages quote values, name places and lines, and count left-out rows."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each

from at_k.demo.words import translate
from at_k.errors import InputError, Message
from at_k.readers import read_samples
from at_k.readers.delimited import name_lines
from at_k.readers.faults import UNITS, Faults, describe_place
from at_k.readers.names import normalize_name, quote, quote_all, shorten
from at_k.readers.sources import Source


@for_each(
    "value, said",
    [
        ("a", "“a”"),
        ("a" * 40, "“" + "a" * 40 + "”"),
        ("a" * 41, "“" + "a" * 39 + "…”"),
        (0.5, "0.5"),
        (float("nan"), "NaN"),
        (10**300, "1" + "0" * 38 + "…"),
        (False, "false"),
        (None, "null"),
        ([[0]], "[…]"),
        ([], "[]"),
        ({"a": 1}, "{…}"),
        ({}, "{}"),
    ],
)
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


def test_faults_are_raised_or_counted_by_their_cause():
    errors = [InputError(code, "wrong {at}", at=at) for at, code in enumerate(("a.b", "a.c", "a.b"))]
    with pytest.raises(InputError, match="wrong 0"):
        Faults().add(errors[0])
    faults = Faults("skip")
    for error in errors:
        faults.add(error)
    assert {code: (str(first), count) for code, (first, count) in faults.causes.items()} == {
        "a.b": ("wrong 0", 2),
        "a.c": ("wrong 1", 1),
    }
    assert faults.count() == 3


CSV = 'id,answer,correct\n\na,"two\nlines",1\n\nb,x,maybe\n'
"""A blank line after the header, a cell of two lines, another blank line: the fault is in row 2, on line 6."""


def refuse(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_samples(path)
    return caught.value


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.csv", CSV, "no verdict that is known (line 6, column “correct”)"),
        ("r.csv", "\ufeff\r\n" + CSV.replace("\n", "\r\n"), "no verdict that is known (line 7, column “correct”)"),
        ("r.csv.gz", gzip.compress(CSV.encode(), mtime=0), "no verdict that is known (line 6, column “correct”)"),
        ("r.tsv", CSV.replace(",", "\t"), "no verdict that is known (line 6, column “correct”)"),
        ("r.csv", "id,correct\n\na,1,2\n", "2, not 3 (line 3)"),
        ("r.csv", 'id,correct\n"a\nb",1\nc,"1\nd,1\n', "one is not closed, or text follows a closed one (line 4)"),
        ("r.jsonl", '{"id": 1, "correct": 1}\n\n{"id": 2, "correct": 7}\n', " (line 3, column “correct”)"),
        ("r.jsonl", '{"id": 1, "correct": 1}\n\n{"id": 2, \n', "line 3, near"),
        ("r.csv", 'id,correct\na,"[1]"\n\na,"[0]"\n', "“a” is also in line 2 (line 4, column “id”)"),
        ("r.csv", "id,sample,correct\n\na,0,1\na,0,1\n", "0 of problem “a” is there twice: line 3 and line 4, column"),
        ("r.jsonl", '{"id": 1, "correct": 1}\n\n{"id": 2, "correct": [1]}\n',
            "as other rows have; got 1 (line 1, column “correct”)"),
        ("r.json", json.dumps([{"id": 1, "correct": 1}, {"id": 2, "correct": 7}], indent=1), "got 7 (row 2, column"),
    ],
)  # fmt: skip
def test_an_error_names_lines(tmp_path, name, content, said):
    assert said in str(refuse(tmp_path, name, content))


def test_it_does_in_both_languages(tmp_path):
    assert "第 6 行" in translate(refuse(tmp_path, "r.csv", CSV), "zh")


def test_what_was_left_out_is_named_by_its_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(CSV)
    ((cause, count),) = read_samples(path, errors="skip").origin.skipped.items()
    assert count == 1
    assert "line 6" in str(cause)


def test_rows_of_parquet_are_no_lines(tmp_path):
    path = tmp_path / "r.parquet"
    pq.write_table(pa.table({"id": ["a", "b"], "correct": [1, 7]}), path)
    with pytest.raises(InputError, match=r"got 7 \(row 2, column"):
        read_samples(path)


def test_a_row_that_the_file_does_not_have_stays_a_row():
    message = Message("a.row", "wrong (row {row})", row=3)
    assert str(name_lines(message, Source("r.csv", b"id,correct\na,1\n"))) == "wrong (row 3)"

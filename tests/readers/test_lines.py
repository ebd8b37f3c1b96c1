"""Errors and counts of what was left out name the lines of a file, and rows where there are no lines."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from at_k.demo.words import translate
from at_k.errors import InputError, Message
from at_k.readers import read_samples
from at_k.readers.lines import name_lines
from at_k.readers.sources import Source

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
        ("r.csv", CSV, "got “maybe” (line 6, column “correct”)"),
        ("r.csv", "\ufeff\r\n" + CSV.replace("\n", "\r\n"), "got “maybe” (line 7, column “correct”)"),
        ("r.csv.gz", gzip.compress(CSV.encode(), mtime=0), "got “maybe” (line 6, column “correct”)"),
        ("r.tsv", CSV.replace(",", "\t"), "got “maybe” (line 6, column “correct”)"),
        ("r.csv", "id,correct\n\na,1,2\n", "2, not 3 (line 3)"),
        ("r.csv", 'id,correct\n"a\nb",1\nc,"1\nd,1\n', "one is not closed, or text follows a closed one (line 4)"),
        ("r.jsonl", '{"id": 1, "correct": 1}\n\n{"id": 2, "correct": 7}\n', " (line 3, column “correct”)"),
        ("r.jsonl", '{"id": 1, "correct": 1}\n\n{"id": 2, \n', "line 3, near"),
        ("r.csv", 'id,correct\na,"[1]"\n\na,"[0]"\n', "“a” is also in line 2 (line 4, column “id”)"),
        ("r.csv", "id,sample,correct\n\na,0,1\na,0,1\n", "0 of problem “a” is there twice: line 3 and line 4, column"),
        (
            "r.jsonl",
            '{"id": 1, "correct": 1}\n\n{"id": 2, "correct": [1]}\n',
            "as line 3 has in column “correct”; got 1",
        ),
        ("r.json", json.dumps([{"id": 1, "correct": 1}, {"id": 2, "correct": 7}], indent=1), "got 7 (row 2, column"),
    ],
)
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

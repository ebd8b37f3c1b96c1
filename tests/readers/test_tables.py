"""Texts and files as people have them: what table they are, or why none."""

import csv
import io
import json
import random
import re

import pytest
from cases import for_each, for_rows
from hypothesis import example, given, strategies as st
from readers.texts import collect_samples, read_table, write_delimited

from at_k.demo.words import LANGUAGES, translate
from at_k.errors import InputError
from at_k.readers.blocks import Block
from at_k.readers.files import delimited
from at_k.readers.files.sources import Source
from at_k.validation import Limits

ROWS = [
    {"id": "a", "correct": [1, 0], "note": None},
    {"id": 'b, "c"', "correct": [True, 0.5], "note": "x\ny"},
]


def list_rows(table):
    columns = {name: table[name] for name in table}
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


TEXTS = {
    "a list": ("json", json.dumps(ROWS)),
    "a list, indented": ("json", json.dumps(ROWS, indent=2)),
    "columns": ("json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]})),
    "columns, indented": (
        "json",
        json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}, indent=2),
    ),
    "lines": ("jsonl", "\n".join(map(json.dumps, ROWS))),
    "lines with gaps": ("jsonl", "\n \n" + "\r\n\r\n".join(map(json.dumps, ROWS)) + "\n\n"),
    "csv": ("csv", write_delimited(ROWS, ",")),
    "csv with gaps": (
        "csv",
        "\n" + write_delimited(ROWS, ",", "\n").replace("\nb", "\n\nb") + "\n",
    ),
    "tsv": ("tsv", write_delimited(ROWS, "\t")),
}


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
@pytest.mark.parametrize(("layout", "text"), TEXTS.values(), ids=TEXTS)
def test_layouts(layout, text, mark):
    table = read_table(mark + text)
    assert list_rows(table) == ROWS
    assert list(table) == ["id", "correct", "note"]
    assert table.layout == layout


INFINITE = float("inf")
CONSTANTS = '[{"b": Infinity, "c": -Infinity, "d": 1e999, "e": -7}]'
SEPARATORS = ["a\u2028b", "a\x85b", "a\x0bb"]
SEPARATED = "\n".join(json.dumps({"id": text}, ensure_ascii=False) for text in SEPARATORS[:2])

# name: (text, its rows)
READ = {
    # So pandas writes a column beside an index, which has no name.
    "a header that begins with a tab": (
        "\tgrades\n0\t[1, 0]\n1\t[0, 0]\n",
        [{"column 1": "0", "grades": [1, 0]}, {"column 1": "1", "grades": [0, 0]}],
    ),
    "a column without a name": (",id\n0,1\n", [{"column 1": "0", "id": "1"}]),
    "one problem": ('{"correct": [1, 0]}', [{"correct": [1, 0]}]),
    "one problem of several lines": ('{\n"id": 7,\n"correct": [1, 0]\n}', [{"id": 7, "correct": [1, 0]}]),
    "one problem with unequal lists": (
        '{"answers": ["a", "b"], "references": ["a"]}', [{"answers": ["a", "b"], "references": ["a"]}],
    ),
    "columns of many problems": (
        '{"Task ID": [1, 2], "correct": [1, 0]}', [{"Task ID": 1, "correct": 1}, {"Task ID": 2, "correct": 0}],
    ),
    "a column of lists": ('{"correct": [[1, 0], [1]]}', [{"correct": [1, 0]}, {"correct": [1]}]),
    "a list of lists": ("[[1, 0], [true, null, 0.5]]", [{"correct": [1, 0]}, {"correct": [True, None, 0.5]}]),
    "a list of lists of texts": ('[["a", "b"], ["1"]]', [{"answers": ["a", "b"]}, {"answers": ["1"]}]),
    "a list of lists of which one has texts": ('[[1], ["b"]]', [{"answers": [1]}, {"answers": ["b"]}]),
    "columns in the order of their first rows": (
        '{"b": 1}\n{"a": 2, "b": 3, "c": 4}', [{"b": 1, "a": None, "c": None}, {"b": 3, "a": 2, "c": 4}],
    ),
    "line separators inside strings": (SEPARATED, [{"id": text} for text in SEPARATORS[:2]]),
    "line separators inside cells": (
        "id,n\n" + "".join(f"{text},1\n" for text in SEPARATORS), [{"id": text, "n": "1"} for text in SEPARATORS],
    ),
    "old line ends": ("id,n\ra,1\rb,2\r", [{"id": "a", "n": "1"}, {"id": "b", "n": "2"}]),
    "cells of CSV as they stand": (
        ' id ,n,none,word,quoted\n007, 1.50,,true,"say ""a"""\n',
        [{"id": "007", "n": " 1.50", "none": None, "word": "true", "quoted": 'say "a"'}],
    ),
    "columns of lists in CSV": (
        'lists,broken,some\n"[1, null]","[1, 0","[1, 2]"\n,"[1]",3\n',
        [{"lists": [1, None], "broken": "[1, 0", "some": "[1, 2]"}, {"lists": None, "broken": [1], "some": "3"}],
    ),
    "commas in cells that semicolons end": ("id;score\na;0,5\n", [{"id": "a", "score": "0,5"}]),
    "semicolons in cells that commas end": ('id,answer\na,"x;y"\n', [{"id": "a", "answer": "x;y"}]),
    "constants of Python": (CONSTANTS, [{"b": INFINITE, "c": -INFINITE, "d": INFINITE, "e": -7}]),
    "surrogate pairs": (r'[{"a": "\ud83d\ude00"}]', [{"a": "😀"}]),
    "a cell longer than the csv module allows": ("a,b\n" + "x" * 200_000 + ",1", [{"a": "x" * 200_000, "b": "1"}]),
}  # fmt: skip


@for_rows("text, rows", READ)
def test_rows_of_texts(text, rows):
    csv.field_size_limit(131_072)
    found = list_rows(read_table(text))
    assert found == rows
    assert list(found[0]) == list(rows[0])


BAD = {
    "nothing": ("", "tables.empty"),
    "white space": ("\ufeff \r\n\t", "tables.empty"),
    "a header alone": ("id,correct\n", "tables.empty"),
    "no rows": ("[]", "tables.empty"),
    "columns without rows": ('{"id": [], "correct": []}', "tables.empty"),
    "rows without columns": ("[{}, {}]", "tables.empty"),
    "a row that is no JSON": (
        '{"id": 1}\n\n{"id": 2,}\n{"id": 3}',
        "decoding.line",
        3,
        '{"id": 2,}',
    ),
    "a first row that is no JSON": ('{"id": 1\n{"id": 2}', "decoding.line", 1, '{"id": 1'),
    "a line that is no JSON": ('[\n{"id": 1},\n{"id": oops}\n]', "decoding.broken", 3, "oops"),
    "JSON that ends": ('[{"id": 1}', "decoding.broken", 1, '{"id": 1}'),
    "something after JSON": ('[{"id": 1}] and so on', "decoding.broken", 1, "and so on"),
    "single quotes": ("[{'id': 1}]", "decoding.broken", 1, "'id'"),
    "a number among the rows": ('[{"id": 1}, 7]', "decoding.not_object", 2, "7"),
    "a list among the rows": ('[{"id": 1}, [7]]', "decoding.not_object", 2, "[…]"),
    "a text on a line": ('{"id": 1}\n{"id": 2}\n"three"', "decoding.not_object", 3, "“three”"),
    "unequal columns": (
        '{"id": [1, 2], "correct": [1]}',
        "tables.unequal_columns",
        "“id”",
        "2",
        "“correct”",
        "1",
    ),
    "a name twice": ('[{"id": 1}, {"id": 2, "id": 3}]', "decoding.repeated_name", 2, "“id”"),
    "a name twice, on a line": (
        '{"id": 1}\n{"id": 2, "id": 2}',
        "decoding.repeated_name",
        2,
        "“id”",
    ),
    "a name twice, inside": ('[{"id": {"a": 1, "a": 2}}]', "decoding.repeated_name", 1, "“a”"),
    "a name twice, with an escape": (
        '{"id": 1}\n{"id": 2, "\\u0069d": 2}',
        "decoding.repeated_name",
        2,
        "“id”",
    ),
    "a column twice": ('{"id": [1], "id": [2]}', "decoding.repeated_name", "“id”"),
    "too many cells": ("id,n\n1,2\n1,2,3\n", "tables.fields", 2, "3", "2"),
    "too few cells": ("id\tn\n1\t2\n\n1\n", "tables.fields", 2, "1", "2"),
    "an open quote": ('id,n\n1,2\n"3,4\n5,6\n', "tables.quotes", 2),
    "text after a quote": ('id,n\n"1"x,2\n', "tables.quotes", 1),
    "an open quote in the header": ('"id,n\n1,2\n', "tables.header_quotes"),
    "a long integer": ('[{"id": 1}, {"id": ' + "1" * 5000 + "}]", "decoding.long_number", 2),
    "a long integer, on a line": (
        '{"id": 1}\n{"id": [-' + "1" * 5000 + "]}",
        "decoding.long_number",
        2,
    ),
    "half a character": ('[{"id": "a"}, {"id": "\\ud800"}]', "decoding.surrogate", 2),
    "half a character in a name": ('[{"\\udc00": 1}]', "decoding.surrogate", 1),
    "very many columns": ("a" + "," * 10_000 + "\n", "tables.columns", "10,001", "10,000"),
}


@for_each("text, code, said", [(*case[:2], case[2:]) for case in BAD.values()], ids=BAD)
def test_texts_that_are_no_tables_are_refused(text, code, said):
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


@for_each("write", [
    lambda n: '{"correct":1,"id":1}\n' * n, lambda n: "id,correct\n" + "1,1\n" * n,
    lambda n: json.dumps({"id": list(range(n)), "correct": [1] * n}), lambda n: json.dumps([[1]] * n),
])  # fmt: skip
def test_one_bound_of_rows_and_one_of_bytes(write):
    few = Limits(max_rows=20)
    assert len(collect_samples(Source("", write(20).encode(), few)).problems) > 0
    with pytest.raises(InputError, match="the limit is 20") as caught:
        collect_samples(Source("", write(21).encode(), few))
    assert caught.value.code == "tables.rows"
    with pytest.raises(InputError, match="the limit is 20") as caught:
        Source("", write(21).encode(), Limits(max_bytes=20))
    assert caught.value.code == "tables.too_large"


PIECES = [
    *'[]{}":,\n\r\t01aé \\',
    '"a":',
    "null",
    "NaN",
    "-1e9",
    "[1,0]",
    '{"a":[',
    "\\ud800",
    "\u2028",
    "😀",
]


@given(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.lists(st.sampled_from(PIECES)).map("".join),
    )
)
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


def test_plain_lines_of_csv_are_read_as_the_module_csv_reads_them(monkeypatch):
    # The strict reader must read files as Arrow does, whatever the quotation marks do.
    rng = random.Random(0)
    parsed = []
    parse = delimited._parse
    monkeypatch.setattr(
        delimited, "_parse", lambda *given: parsed.append(parse(*given)) or parsed[-1]
    )
    for _ in range(800):
        width = rng.choice([1, 2, 2, 3])
        # Half of the files have no marks. In the others most cells are quoted right, and some have marks anywhere.
        letters, bare = rng.choice([('ab ",', 0.2), ("ab ", 1)])
        texts = [
            "".join(rng.choices(letters, k=rng.randrange(5)))
            for _ in range(width * rng.randrange(1, 4))
        ]
        cells = [
            text if rng.random() < bare else '"' + text.replace('"', '""') + '"' for text in texts
        ]
        rows = [",".join(cells[i : i + width]) for i in range(0, len(cells), width)]
        text = "\n".join([",".join(f"c{i}" for i in range(width)), *rows])
        try:
            expected = [
                [cell or None for cell in row]
                for row in csv.reader(io.StringIO(text, newline=""), strict=True)
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
                [str(getattr(cell, "text", cell)) if cell is not None else None for cell in row]
                for row in found
            ]
            assert spelled == expected, text
    assert sum(each is not None for each in parsed) > 150
    assert sum(each is None for each in parsed) > 150

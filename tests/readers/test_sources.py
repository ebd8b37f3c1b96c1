"""Files by their content: packed or not, in any UTF, laid out as JSON lines, a document, or a table."""

import bz2
import gzip
import io
import json
import zipfile
from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from cases import for_each, for_rows

from at_k.errors import InputError
from at_k.readers.files.sources import Source, refuse_growth
from at_k.validation import UNLIMITED, Limits

LINES = b'{"id": 1}\n\n{"id": "\xc3\xa9"}\n'
ROWS = [(1, {"id": 1}), (3, {"id": "é"})]


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", content)
    return file.getvalue()


def parquet(**columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


PACKED = {
    "as it is": lambda data: data,
    "gzip": gzip.compress,
    "gzip of two members": lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
    "zstandard": zstandard.compress,
    "bzip2 of two streams": lambda data: bz2.compress(data[:9]) + bz2.compress(data[9:]),
    "zstandard of two frames": lambda data: (
        zstandard.compress(data[:9]) + zstandard.compress(data[9:])
    ),
}


@for_each("name, encoding, end", [*product(PACKED, ("utf-8", "utf-8-sig"), ("\n", "\r\n"))])
def test_rows_do_not_depend_on_packing_encoding_or_line_ends(tmp_path, name, encoding, end):
    text = LINES.decode().replace("\n", end)
    path = tmp_path / "f"
    path.write_bytes(PACKED[name](text.encode(encoding)))
    for content in (path, path.read_bytes()):
        source = Source("f", content)
        assert source.layout == "jsonl"
        assert list(source.rows()) == ROWS
        assert source.first_line == text.encode().splitlines()[0]


@for_each("size", [1, 2, 7, 100])
def test_blocks_hold_whole_lines(size):
    lines = [b"%d" % number * number for number in range(1, 12)]
    blocks = list(Source("", b"\n".join(lines)).blocks(size))
    assert b"\n".join(block.data for block in blocks) == b"\n".join(lines)
    assert [line for block in blocks for line in block.lines()] == list(enumerate(lines, 1))


LONG = "x" * 200_000
LIST, PRETTY = '[{"a": 1},\n{"b": 2}]', {"a": {"c": 1}, "b": 2}
# name: (layout, its content, the first row, where it is of interest)
LAYOUTS = {
    "lines": ("jsonl", '{"a": 1}\n{"a": 2}', {"a": 1}),
    "lines after blank ones": ("jsonl", '\n \r\n{"a": 1}\n\n  {"a": 2}', {"a": 1}),
    "long lines": (
        "jsonl",
        json.dumps({"a": LONG, "b": 1}) + "\n" + json.dumps({"a": LONG}),
        {"a": LONG, "b": 1},
    ),
    "long lines, gaps between": (
        "jsonl",
        json.dumps({"a": LONG}) + " " * 100_000 + "\n" * 100_000 + '{"a": 1}',
        ...,
    ),
    "a broken first line": ("jsonl", '{"a": 1\n{"a": 2}', ...),
    "a long document": ("json", json.dumps({"a": LONG}), ...),
    "one row": ("json", '{"a": 1}\n', {"a": 1}),
    "a list": ("json", LIST, {"a": 1}),
    "an empty list": ("json", "[]", {}),
    "a list of lists": ("json", "[[1]]", {}),
    "an indented document": ("json", json.dumps(PRETTY, indent=1), PRETTY),
    "a document with braces on its lines": ("json", '{"a":\n{"b": [\n{"c": 1},\n{"c": 2}]}}', ...),
    "a list that begins a line": ("json", '{"a": [\n{"b": 1}]}', ...),
    "a table": ("csv", "a,b\n1,2\n", {}),
    "one long line": ("csv", LONG, ...),
    "nothing": ("csv", "", ...),
    "blank lines": ("csv", " \n" * 100_000, ...),
    "a zip file": ("zip", zipped("x"), ...),
    "Parquet": ("parquet", parquet(a=[1]), ...),
}


@for_rows("layout, content, row", LAYOUTS)
def test_the_beginning_of_a_file_tells_its_layout(layout, content, row):
    source = Source("", content if isinstance(content, bytes) else content.encode())
    assert source.layout == layout
    assert row is ... or source.first_row == row


def test_a_document():
    assert Source("", b'\n{"a": [1, NaN]}').document["a"][0] == 1


def refused(content, code, read=lambda source: list(source.rows()), limits=UNLIMITED):
    with pytest.raises(InputError) as caught:
        read(Source("f", content, limits))
    assert caught.value.code == code


@for_each("pack", [gzip.compress, zstandard.compress, bz2.compress])
def test_a_packed_file_that_is_cut_off(pack):
    packed = pack(json.dumps({"a": list(range(100_000))}).encode())
    for length in (5, len(packed) // 2, len(packed) - 1):
        refused(packed[:length], "sources.broken", lambda source: source.open().read())


@for_each("behind", [b"\0", bytes(100_000), bytes(9) + gzip.compress(LINES), b"text"])
def test_what_is_no_member_of_gzip(behind):
    refused(gzip.compress(LINES) + behind, "sources.broken", lambda source: source.open().read())


@for_each("pack", [gzip.compress, zstandard.compress, bz2.compress])
def test_a_packed_file_that_grows_is_unpacked_in_pieces(pack):
    data = b"a" * 9_000_000
    assert Source("f", pack(data) + pack(b"b")).open().read() == data + b"b"
    refused(pack(bytes(20 << 20)), "sources.bomb", lambda source: source.open().read())


@for_each("content", [b"a\0b", b'{"a": 1}\n' * 10 + b"\0", "a".encode("utf-32"), b"\0" * 10])
def test_what_is_no_text(content):
    refused(content, "sources.binary")


def test_a_file_that_is_too_large():
    assert Source("", b"x" * 10, Limits(max_bytes=10)).size == 10
    refused(b"x" * 11, "tables.too_large", limits=Limits(max_bytes=10))
    refused(
        gzip.compress(b'{"a": 1}\n' * 1_000), "tables.too_large", limits=Limits(max_bytes=1_000)
    )


def test_growth():
    refuse_growth(64 << 20, 1, UNLIMITED)
    refuse_growth(300 << 20, 1 << 20, UNLIMITED)
    for size, packed in (((64 << 20) + 1, 1), ((300 << 20) + 1, 1 << 20)):
        with pytest.raises(InputError) as caught:
            refuse_growth(size, packed, UNLIMITED)
        assert caught.value.code == "sources.bomb"


@for_each("compress", [bytes, gzip.compress, zstandard.compress, bz2.compress])
def test_a_file_is_unpacked_in_memory(compress):
    source = Source("a", compress(b'{"a": 1}\n'), Limits(max_bytes=100))
    assert source.unpack().content == b'{"a": 1}\n'
    assert source.unpack().unpack().content == b'{"a": 1}\n'
    assert (source.unpack() is source) == (compress is bytes)
    with pytest.raises(InputError, match="the limit is 100"):
        Source("a", compress(bytes(101)), Limits(max_bytes=100)).unpack()


@for_each("compress", [gzip.compress, zstandard.compress, bz2.compress])
def test_a_file_that_is_compressed_twice_is_not_unpacked(compress):
    for inner in (gzip.compress, zstandard.compress):
        with pytest.raises(InputError) as caught:
            Source("a", compress(inner(b"{}"))).unpack()
        assert caught.value.code == "sources.binary"

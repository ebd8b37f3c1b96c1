"""Lines that are parsed by their pieces hold what a decoder of JSON finds in them, or are left to it."""

import json
import random

import orjson
import pyarrow as pa
import pytest

from at_k.readers.pieces import parse_pieces

TYPES = {
    "id": pa.string(),
    "sample": pa.int64(),
    "ok": pa.bool_(),
    "score": pa.float64(),
    "answers": pa.list_(pa.string()),
}
KINDS = {"id": {str}, "sample": {int}, "ok": {bool}, "score": {int, float}, "answers": {list}}


def write_lines(count=60, **others):
    """Write rows with fields that repeat."""
    rng = random.Random(1)
    rows = [
        {
            "id": rng.choice(["a", "b/0", "é", ""]),
            "sample": row % 4,
            "ok": rng.choice([True, False, None]),
            "score": rng.choice([0, 0.5, -1e-3, None]),
            "answers": [rng.choice(["37", "x y", "{", "]", None]) for _ in range(rng.randrange(4))],
            **others,
        }
        for row in range(count)
    ]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def decode_all(data, name):
    return [orjson.loads(line).get(name) for line in data.split(b"\n")]


def test_rows_are_those_of_a_decoder():
    data = write_lines()
    table, names = parse_pieces(data, TYPES)
    assert names == TYPES.keys()
    for name, kind in TYPES.items():
        assert table[name].type == kind
        assert table[name].to_pylist() == decode_all(data, name)


def test_lists_that_are_null_or_empty_are_told_apart():
    data = b"\n".join(b'{"answers": %b, "ok": true}' % each for each in (b"null", b"[]", b'["a"]', b'["a", null]') * 9)
    assert parse_pieces(data, TYPES)[0]["answers"].to_pylist() == [None, [], ["a"], ["a", None]] * 9


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.bool_(), pa.float64()])
def test_lists_may_all_be_empty(kind):
    table, _ = parse_pieces(b"\n".join([b'{"answers": []}', b'{"answers": null}'] * 20), {"answers": pa.list_(kind)})
    assert table["answers"].type == pa.list_(kind)
    assert table["answers"].to_pylist() == [[], None] * 20


def test_a_column_that_is_nowhere_is_null():
    table, names = parse_pieces(b"\n".join([b'{"ok": true}'] * 20), {"ok": pa.bool_(), "id": pa.string()})
    assert names == {"ok"}
    assert table["id"].to_pylist() == [None] * 20


def test_windows_ends_of_lines():
    data = write_lines().replace(b"\n", b"\r\n")
    assert parse_pieces(data, TYPES)[0]["sample"].to_pylist() == decode_all(data, "sample")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"1",
        b'"a"',
        b"[1]",
        b'{"ok": true',
        b'"ok": true}',
        b'{"ok": true,}',
        b'{"ok": true}, {"ok": true}',
        b'{"ok": true} {"ok": true}',
        b'{"ok": true}}',
        b'{{"ok": true}',
        b'{"ok": }',
        b'{"ok"}',
        b'{"ok": true "id": "a"}',
        b'{"ok": True}',
        b'{"ok": 01}',
        b'{"ok": NaN}',
        b'{"ok": tru}',
        b'{"ok": true, "ok": false}',
        b'{"id": "a"}',
        b'{"ok": "true"}',
        b'{"ok": 1}',
        b'{"ok": [true]}',
        b'{"ok": true, "x": [1, [2]]}',
        b'{"ok": true, "x": [1}',
        b'{"ok": true, "x": 1]}',
        b'{"ok": true, "x": [1, 2], 3}',
        b'{"ok": true, "x": 1], "y": [2}',
        b'{"ok": true, "x": [1, "y": 2]}',
        b'{"ok": true, "x": [1, "y": [2]]}',
        b'{"ok": true, "x": [,]}',
        b'{"ok": true, "x": [1,]}',
        b'{"ok": true, "x": {"ok": false}}',
        b'{"ok": true, "x": ["a, b"]}',
        b'{"ok": true, "x": "a\tb"}',
        b'{"ok": true, "x": "\\u0061"}',
        b'{"ok": true, "x": "\xff"}',
        b'{"ok": true, "\xff": 1}',
        b'{"ok": true,\r"x": 1}',
        b'{"ok": true}\r\r',
        b"{" * 100_000,
        b'{"ok": ' + b"[" * 100_000,
        b" " * 1_000_000,
    ],
    ids=lambda line: line[:40].decode(errors="replace").strip() or f"{len(line)} spaces",
)
def test_whatever_is_not_simple_is_left_to_others(line):
    good = [b'{"ok": true}'] * 20
    assert parse_pieces(b"\n".join(good), {"ok": pa.bool_()}) is not None
    for place in (0, 9, 20):
        assert parse_pieces(b"\n".join([*good[:place], line, *good[place:]]), {"ok": pa.bool_()}) is None


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**64, 10**30, 1e16])
def test_large_numbers_are_left_to_exact_decoders(number):
    data = b"\n".join([b'{"n": 1}'] * 20 + [json.dumps({"n": number}).encode()])
    assert parse_pieces(data, {"n": pa.float64()}) is None
    assert parse_pieces(data, {"n": pa.int64()}) is None


def test_pieces_that_do_not_repeat_are_left_to_others():
    assert parse_pieces(b"\n".join(b'{"n": %d}' % row for row in range(1000)), {"n": pa.int64()}) is None


def test_lines_of_many_fields_are_left_to_others():
    data = b"\n".join([json.dumps({str(name): 1 for name in range(200)}).encode()] * 20)
    assert parse_pieces(data, {"1": pa.int64()}) is None


def test_damaged_lines_are_refused_or_read_right():
    rng = random.Random(0)
    whole = write_lines(100, unread=7)
    read = 0
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 3)):
            place = rng.randrange(len(data))
            change = rng.randrange(3)
            if change == 0:
                data[place] = rng.choice(b'{}[]",:\n\r \\tn\xc30123456789abcdefgh')
            elif change == 1:
                del data[place : place + rng.randrange(1, 12)]
            else:
                begin = rng.randrange(len(data))
                data[place:place] = data[begin : begin + rng.randrange(1, 30)]
        found = parse_pieces(bytes(data), TYPES)
        if found is None:
            continue
        read += 1
        rows = [orjson.loads(line) for line in bytes(data).split(b"\n")]
        assert found[1] == {name for row in rows for name in row}
        for name in TYPES:
            cells = [row.get(name) for row in rows]
            assert found[0][name].to_pylist() == cells
            assert all(cell is None or type(cell) in KINDS[name] for cell in cells)
    assert read > 20

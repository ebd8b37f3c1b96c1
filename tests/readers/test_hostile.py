"""Files that are made to exhaust memory, time or the stack are refused within a second and 200 MB."""

import gzip
import json
import resource

import zstandard
from bounds import hold
from readers.measuring import measure, put_all

ROW = '{"id": 1, "correct": true}\n'
DEEP = "[" * 100_000 + "]" * 100_000


def grow(compress, piece, start=b""):
    """Compress 20 MB once, and repeat them twenty times: a stream may have several members."""
    return (compress(start) if start else b"") + compress(piece * (20_000_000 // len(piece))) * 20


HOSTILE = {
    "gzip of zeros": (lambda: grow(gzip.compress, b"\0"), "sources.binary"),
    "gzip of one line": (lambda: grow(gzip.compress, b"x", b'{"a": "'), "sources.bomb"),
    "gzip of rows": (lambda: grow(gzip.compress, ROW.encode()), "sources.bomb"),
    "zstandard of one line": (lambda: grow(zstandard.compress, b"x", b'{"a": "'), "sources.bomb"),
    "zstandard of commas": (lambda: grow(zstandard.compress, b",", b"a\n"), "sources.bomb"),
    "deep JSON": (DEEP.encode, "decoding.deep"),
    "deep JSON in a document": (f'{{"a": {DEEP}}}'.encode, "decoding.deep"),
    "deep JSON on a line": ((ROW * 3 + f'{{"id": {DEEP}}}\n').encode, "decoding.deep"),
    "deep JSON far into a large file": ((ROW * 200_000 + f'{{"id": {DEEP}}}\n').encode, "decoding.deep"),
    "deep objects far into a large file": (
        (ROW * 200_000 + '{"id":' * 100_000 + "1" + "}" * 100_000).encode, "decoding.deep"
    ),
    "deep JSON in a cell": (f"id,correct\n1,{DEEP}\n".encode, "decoding.deep"),
    "NUL": (lambda: b"id,correct\n1,\0\n", "sources.binary"),
    "NUL far into a large file": (lambda: ROW.encode() * 300_000 + b"\0", "sources.binary"),
    "blank lines": (lambda: b"\n" * 60_000 + b"x", "tables.empty"),
    "bars over dashes": (lambda: b"|" * 30_000 + b"\n" + b"-|" * 15_000 + b"x\n", "tables.columns"),
    "two bars over dashes": (lambda: b"|" * 30_000 + b"\n" + b"--|" * 10_000 + b"x\n", "tables.columns"),
    "a picture": (lambda: b"\x89PNG\r\n\x1a\n\0\0", "sources.binary"),
    "another packing": (lambda: b"\x04\x22M\x18d@\xa7\0\0", "sources.binary"),
}  # fmt: skip


def test_hostile(tmp_path):
    put_all(tmp_path, {name: make() for name, (make, _) in HOSTILE.items()})
    found = hold(1, lambda: measure(tmp_path))
    assert {name: code for name, (code, *_) in found.items()} == {
        name: code for name, (_, code) in HOSTILE.items()
    }
    assert max(grown for _, grown, _ in found.values()) < 200


def test_what_is_left_out_is_counted_and_not_followed(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text(ROW * 10 + f'{{"id": {DEEP}}}\n' + '{"id": 2, "corr')
    ((code, grown, _),) = hold(
        1, lambda: measure(tmp_path, "read_samples(path, errors='skip')")
    ).values()
    assert code == "read"
    assert grown < 200


def test_memory_grows_with_the_columns_that_are_kept(tmp_path):
    """Texts that are not needed take no memory, beyond a few blocks of 4 MB."""
    text = "".join(map(chr, range(32, 127))).replace("\\", "").replace('"', "") * 200
    rows = [
        {"task_id": f"p{i % 125}", "completion": f"{i} {text[i % 90 :]}", "passed": i % 3 == 0}
        for i in range(7_000)
    ]
    lines = ("\n".join(map(json.dumps, rows)) + "\n").encode()
    (tmp_path / "plain.jsonl").write_bytes(lines)
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(lines, 1))
    plain = tmp_path / "plain.jsonl"
    assert plain.stat().st_size > 100_000_000
    for code, grown, _ in measure(tmp_path)[0].values():
        assert code == "read"
        assert grown < 80


def test_this_machine_measures_memory_in_kilobytes():
    assert 10_000 < resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 100_000_000

"""Parquet: columns that are needed alone, and files that are damaged or made to fill the memory."""

import gzip
import io
from functools import partial
from itertools import permutations
from random import Random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from bounds import hold
from cases import refuses
from readers.expected import HARNESS
from readers.measuring import measure, put_all
from readers.reading import refused

import at_k
from at_k.demo.limits import LIMITS
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.files.parquet import list_columns, read_batches, read_rows
from at_k.readers.files.sources import Source
from at_k.validation import UNLIMITED

ROWS = [{"id": i, "doc": {"text": f"t{i}", "ids": [i], "more": {"x": None}}} for i in range(5)]

BOTH = pytest.mark.parametrize("limits", [LIMITS, UNLIMITED], ids=["limits", "no limits"])


def write(table, **options):
    file = io.BytesIO()
    pq.write_table(
        table if isinstance(table, pa.Table) else pa.Table.from_pylist(table), file, **options
    )
    return file.getvalue()


def read(data, columns=None, limits=UNLIMITED):
    source = Source("f", data, limits)
    return [
        row for _, row in read_rows(source, list_columns(source) if columns is None else columns)
    ]


@BOTH
@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstandard"]
)
def test_files_on_disk_and_in_memory_packed_or_not(tmp_path, pack, limits):
    data = pack(write(ROWS))
    (tmp_path / "f").write_bytes(data)
    assert read(data, limits=limits) == read(tmp_path / "f", limits=limits) == ROWS
    assert list_columns(Source("f", data, limits)) == ("id", "doc")


@BOTH
def test_the_needed_fields_alone(limits):
    source = Source("f", write(ROWS), limits)
    assert list(read_rows(source, ["doc.text", "doc.more", "doc.none", "none"])) == [
        (number, {"doc": {"text": row["doc"]["text"], "more": {"x": None}}})
        for number, row in enumerate(ROWS, 1)
    ]
    (batch,) = read_batches(source, ["doc.ids"])
    assert batch.schema.field("doc").type == pa.struct([("ids", pa.list_(pa.int64()))])


@BOTH
def test_files_of_harnesses_are_within_the_limits(limits):
    for path in [
        *HARNESS.glob("lighteval/details/*/*/*/*.parquet"),
        *HARNESS.glob("trl/*.parquet"),
    ]:
        assert read(path, limits=limits) == pq.read_table(path).to_pylist()


def test_texts_that_repeat_are_counted_and_not_refused_at_a_guess():
    # 20,000 texts out of 3,000 that take 300 kB could be 6 GB if nothing else were known; they are 2 MB.
    texts = [f"{i % 3000:0100}" for i in range(20_000)]
    table = pa.table({"a": texts, "b": [{"c": [text]} for text in texts]})
    assert len(read(write(table), limits=LIMITS)) == 20_000


def test_maps_are_objects(tmp_path):
    maps = pa.array([[("ok", 1)], [("ok", 0)]], type=pa.map_(pa.string(), pa.int64()))
    (tmp_path / "f.parquet").write_bytes(write(pa.table({"id": ["a", "b"], "out": maps})))
    named = {"problem": "id", "grades": "out.ok"}
    assert read_samples(tmp_path / "f.parquet", columns=named).grades == [[1], [0]]


def repeat(count, text="x" * 1_000_000):
    """Make an array of a text that is written once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([text]))


def claim(data, value, other):
    """Replace a number in the metadata of a file."""
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    assert spell(value) in footer
    footer = footer.replace(spell(value), spell(other))
    return data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def spell(number):
    """Spell a number as Thrift's compact protocol does."""
    number, found = number * 2, b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def make_bombs():
    """Make small files that unpack to large ones, with the code of the error for each."""
    columns = {"a": [1] * 7}
    nulls = pa.array([[None] * 3_000_000], pa.list_(pa.int32()))
    return {
        "rows": (write(pa.table({"a": pa.nulls(3_000_000, pa.int32())})), "tables.rows"),
        "claimed rows": (claim(write(pa.table(columns)), 7, 10**9), "tables.rows"),
        "values": (write(pa.table({"a": nulls})), "tables.too_large"),
        "values that the metadata hide": (
            claim(write(pa.table({"a": nulls})), 3_000_000, 1),
            "tables.too_large",
        ),
        "texts": (write(pa.table({"a": repeat(40_000)})), "tables.too_large"),
        "texts in lists": (
            write(pa.table({"a": pa.ListArray.from_arrays([0, 9_000], repeat(9_000))})),
            "tables.too_large",
        ),
        "texts in structs": (
            write(pa.table({"a": pa.StructArray.from_arrays([repeat(9_000)], ["b"])})),
            "tables.too_large",
        ),
        "texts in many columns": (
            write(pa.table({f"c{i}": repeat(1_000, "x" * 4_000) for i in range(50)})),
            "tables.too_large",
        ),
        "beginnings": (
            write(
                pa.table({"a": ["x" * 100_000] * 2_000}),
                use_dictionary=False,
                column_encoding={"a": "DELTA_BYTE_ARRAY"},
            ),
            "tables.too_large",
        ),
        "bytes of a fixed number": (
            write(pa.table({"a": pa.array([b"x" * 100_000] * 500, pa.binary(100_000))})),
            "tables.too_large",
        ),
        "packed pages": (
            write(pa.table({"a": ["x" * 50_000_000]}), compression="zstd", use_dictionary=False),
            "tables.too_large",
        ),
        "gzip": (
            gzip.compress(write(pa.table({"a": ["x" * 6_000_000]}), compression="none")),
            "tables.too_large",
        ),
        "groups": (
            write(pa.table({"a": ["x" * 100_000] * 60}), row_group_size=1, compression="zstd"),
            "tables.too_large",
        ),
    }


def test_bombs_are_refused_within_a_second_and_200_mb(tmp_path):
    bombs = make_bombs()
    assert all(len(data) < LIMITS.max_bytes for data, _ in bombs.values())
    put_all(tmp_path, {name: data for name, (data, _) in bombs.items()})
    read = "source = Source('f', path.read_bytes(), LIMITS); list(read_rows(source, list_columns(source)))"
    found = hold(1, lambda: measure(tmp_path, read))
    assert {name: code for name, (code, *_) in found.items()} == {
        name: code for name, (_, code) in bombs.items()
    }
    assert max(peak for *_, peak in found.values()) < 200  # megabytes, with Python and PyArrow


@BOTH
@pytest.mark.parametrize("seed", range(10))
def test_files_that_are_cut_off(seed, limits):
    data = write(ROWS)
    with pytest.raises(InputError) as caught:
        read(data[: Random(seed).randrange(4, len(data))], limits=limits)
    assert caught.value.code == "parquet.broken"


@BOTH
@pytest.mark.parametrize("size", [0, 1, 8, 1000])
def test_random_bytes(size, limits):
    random = Random(size).randbytes(size)
    for data in (
        b"PAR1" + random,
        b"PAR1" + random + b"PAR1",
        b"PAR1" + random + b"\x04\0\0\0PAR1",
    ):
        with pytest.raises(InputError) as caught:
            read(data, limits=limits)
        assert caught.value.code == "parquet.broken"


def read_or_refuse(data, limits):
    """Return the rows, or the code of the error."""
    try:
        return read(data, limits=limits)
    except InputError as error:
        return error.code


@BOTH
def test_bytes_that_are_changed(limits):
    # Some of the metadata end the process if PyArrow is asked for them. Some changes are where nobody could see them.
    whole = min(HARNESS.glob("lighteval/details/*/*/*/*.parquet")).read_bytes()
    found = []
    for seed in range(40):
        rng = Random(seed)
        data = bytearray(whole)
        for _ in range(3):
            data[rng.randrange(len(data) - 6000, len(data) - 8)] = rng.randrange(256)
        found.append(read_or_refuse(bytes(data), limits))
    codes = {each for each in found if isinstance(each, str)}
    assert codes == {"parquet.broken"}
    assert found.count("parquet.broken") > 20


@BOTH
def test_texts_that_are_not_utf_8(limits):
    data = write(pa.table({"a": ["abcdefgh"]}), compression="none", use_dictionary=False).replace(
        b"abcdefgh", b"\xff" * 8
    )
    with pytest.raises(InputError) as caught:
        read(data, limits=limits)
    assert caught.value.code == "parquet.broken"


def write_arrow(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


KINDS = {"parquet": pq.write_table, "arrow": write_arrow}


@pytest.mark.parametrize("kind", KINDS)
def test_shards_whose_columns_come_in_another_order(kind, tmp_path):
    rows = [{"id": "a", "correct": "0", "level": "1"}, {"id": "b", "correct": "1", "level": "2"}]
    for place, order in enumerate(permutations(rows[0])):
        table = pa.Table.from_pylist(rows).select(order)
        KINDS[kind](table, tmp_path / f"x-{place:05}-of-00006.{kind}")
    samples = read_samples(tmp_path)
    assert (samples.problems, samples.grades, samples.group) == (
        ["a", "b"],
        [[0] * 6, [1] * 6],
        ["1", "2"],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_two_columns_or_fields_of_one_name_are_refused(kind, tmp_path):
    cells = pa.StructArray.from_arrays([pa.array([1]), pa.array([0])], names=["ok", "ok"])
    KINDS[kind](pa.table({"id": ["a"], "judge": cells, "correct": [1]}), tmp_path / "f")
    refused("parquet.column", column="judge").check(lambda: read_samples(tmp_path / "f"))
    cells = [["a", "a"], [1, 0], [0, 1]]
    arrow = pa.table(cells, names=["id", "correct", "correct"])
    KINDS[kind](arrow, tmp_path / "f")
    refused("parquet.column", column="correct").check(lambda: read_samples(tmp_path / "f"))
    pandas = pd.DataFrame(dict(enumerate(cells))).set_axis(["id", "correct", "correct"], axis=1)
    for data in (arrow, pandas):
        for options in ({}, {"columns": {"problem": "id"}}):
            refused("data.same_column", name="'correct'").check(
                partial(at_k.score, data, **options)
            )


def test_small_batches_of_arrow_mean_what_one_means(tmp_path):
    names = [f"q{place % 20}_{place // 20}" for place in range(80)]
    table = pa.table({"task_id": names, "passed": [place % 3 == 0 for place in range(80)]})
    path = tmp_path / "results.arrow"
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    for data in (path, pa.concat_tables(table.slice(place, 1) for place in range(80))):
        refuses("plain.numbered_names: ends in a number", at_k.score, data)

"""Count in Arrow: folders of shards, here or in a store of objects, are read batch by batch, never as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.engines.engine import FILE, JOINT, NAME, Count, Roles, Rows, find_parts, hash_names
from at_k.readers.arrays import encode, make_numbers
from at_k.readers.files.paths import is_address, is_of_shards
from at_k.readers.tables.choosing import Where

if TYPE_CHECKING:
    import pyarrow as pa

# The column in which Arrow says which file a row is from.
_FILE = "__filename"

# The rows of a batch where few are wanted: by default, Arrow reads a million of them ahead.
_FEW = 4096

LABELS = {"label": "min", "other": "max", "unlabelled": "sum"}
# The columns that are known of each problem, and how each is made from those of its samples.
AGGREGATES = {
    **dict.fromkeys(("n", "c", "absent", "soft"), "sum"),
    "low": "min",
    "high": "max",
    **LABELS,
}


def takes(data: Any) -> bool:
    """Return whether data are a data set of Arrow, or the address of Parquet in a store: "s3://bucket/shards"."""
    if isinstance(data, str):
        return is_address(data) and is_of_shards(data)
    return type(data).__module__ == "pyarrow._dataset"


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return list(_open(data).schema.names)


def keep(data: Any, where: Where) -> Any:
    """Return the rows that are wanted. Values are compared as text."""
    import pyarrow as pa

    opened = _open(data)
    for name, is_out, values in where.list_rules():
        column = find_column(name, opened.schema.names)
        # Arrow spells 1.0 as 1, and 0.0 as -0 where the statistics of a file show no other value.
        whole = [value.removesuffix(".0") for value in values if value is not None]
        is_float = pa.types.is_floating(opened.head(0, columns={"": column}).schema.types[0])
        wanted = list(values)
        if is_float:
            wanted += whole
        if is_float and "0" in whole:
            wanted.append("-0")
        kept = column.cast(pa.string()).isin(pa.array(wanted, pa.string()))
        opened = opened.filter(~kept if is_out else kept)
    return opened


def name_files(data: Any) -> Any:
    """Return the data: each of their rows has the name of its file."""
    return data


def take_rows(data: Any, count: int) -> pa.Table:
    """Take the first rows, with their files."""
    opened = _open(data)
    columns = [*opened.schema.names, _FILE]
    ahead = {}
    if count <= _FEW:
        ahead = {"batch_size": _FEW, "batch_readahead": 1, "fragment_readahead": 1}
    rows = opened.head(count, columns=columns, **ahead)
    return rows.rename_columns([*columns[:-1], FILE])


def count_rows(data: Any) -> int:
    """Count the rows."""
    return int(_open(data).count_rows())


def take_problems(data: Any, problem: str, columns: Sequence[str], step: int) -> pa.Table:
    """Take all rows of the problems whose hash is a multiple of `step`, with their files."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    name = {NAME: find_column(problem, list(columns))}
    rows = _open(data).scanner(columns=[*columns, _FILE])
    taken = [rows.projected_schema.empty_table().rename_columns([*columns, FILE])]
    for batch in rows.to_batches():
        table = pa.Table.from_batches([batch]).rename_columns([*columns, FILE])
        codes, names = encode(ds.dataset(table).to_table(columns=name)[NAME])
        chosen = np.append(hash_names(names) % step == 0, step == 1)  # null is the last
        taken.append(table.take(make_numbers(np.flatnonzero(chosen[codes]))))
    table = pa.concat_tables(taken)
    named = ds.dataset(table).to_table(columns=name)
    return table.append_column(NAME, named[NAME])


def list_values(data: Any, column: str, count: int) -> list[Any]:
    """List values of a column, at most `count`."""
    import pyarrow.compute as pc

    opened = _open(data)
    columns = {"value": find_column(column, opened.schema.names), "rows": pc.scalar(1)}
    found: list[Any] = _group(opened, columns, ["value"], {"rows": "sum"})["value"].to_pylist()
    return found[:count]


def find_column(name: str, columns: list[str]) -> Any:
    """Find a column, a field within one, or columns that are joined by +."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = [pc.field(*path) for path in find_parts(name, columns)]
    if len(found) == 1:
        return found[0]
    return pc.binary_join_element_wise(*(part.cast(pa.string()) for part in found), JOINT)


def find_grades(roles: Roles, names: list[str]) -> Any:
    """Find the grades: numbers, or what the words of the column mean."""
    import pyarrow as pa
    import pyarrow.compute as pc

    grades = find_column(roles.grades or "", names)
    if roles.words is None:
        return grades
    kind = pa.string() if roles.are_texts else pa.float64()
    values, read = grades.cast(kind), pc.scalar(pa.scalar(None, pa.float64()))
    for grade, words in roles.list_words().items():
        read = pc.if_else(values.isin(pa.array(words, kind)), grade, read)
    return read


def find_columns(roles: Roles, names: list[str]) -> dict[str, Any]:
    """Find the column of each role."""
    columns = {role: find_column(column, names) for role, column in roles.present().items()}
    if roles.grades is not None:
        columns["grades"] = find_grades(roles, names)
    return columns


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    problems = group_problems(_open(data), roles, threshold, drop=drop)
    return Rows.of(count_problems(problems).to_pylist())


def group_problems(data: Any, roles: Roles, threshold: float, *, drop: bool) -> pa.Table:
    """Group the samples of a data set by problem: a row for each, with the columns of `AGGREGATES`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = data.schema.names
    grades = find_grades(roles, names).cast(pa.float64())
    absent = grades.is_null(nan_is_null=True)
    grade = pc.if_else(absent, pa.scalar(None, pa.float64()), grades)
    if drop:
        counted = ~absent
    else:
        counted = pc.scalar(True)
    columns = {
        "problem": find_column(roles.problem, names),
        "n": counted.cast(pa.int64()),
        "c": pc.if_else(absent, False, grades > threshold).cast(pa.int64()),
        "absent": absent.cast(pa.int64()),
        "soft": pc.if_else(absent, False, (grades != 0) & (grades != 1)).cast(pa.int64()),
        "low": grade,
        "high": grade,
    }
    if roles.group:
        group = find_column(roles.group, names)
        if roles.group in names and pa.types.is_dictionary(data.schema.field(roles.group).type):
            group = group.cast(pa.string())  # categories have no order, and so no minimum
        unlabelled = group.is_null().cast(pa.int64())
        columns |= {"label": group, "other": group, "unlabelled": unlabelled}
    aggregates = {name: kind for name, kind in AGGREGATES.items() if name in columns}
    return _group(data, columns, ["problem"], aggregates)


def count_problems(problems: pa.Table) -> pa.Table:
    """Count the rows of `group_problems` by n and c, and by group: a table of the rows that `Rows.of` takes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    flagged = problems.append_column("nameless", problems["problem"].is_null())
    sums = ["absent", "soft", "nameless"]
    label = []
    if "label" in problems.column_names:
        label = ["label"]
        flagged = flagged.append_column("mixed", pc.not_equal(problems["label"], problems["other"]))
        sums += ["unlabelled", "mixed"]
    added = [(name, "sum", pc.ScalarAggregateOptions(min_count=0)) for name in sums]
    measured: list[Any] = [([], "count_all"), *added, ("low", "min"), ("high", "max")]
    counted = pa.TableGroupBy(flagged, ["n", "c", *label]).aggregate(measured)
    return counted.rename_columns(["n", "c", *label, "problems", *sums, "low", "high"])


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let them be judged here."""
    import pyarrow as pa
    import pyarrow.compute as pc

    opened = _open(data)
    columns = find_columns(roles, opened.schema.names)
    keys = list(columns)
    kinds = opened.scanner(columns=columns).projected_schema
    nested = [role for role in keys if pa.types.is_nested(kinds.field(role).type)]
    if nested:
        yield count(_group_nested(opened.to_table(columns=columns), nested))
        return
    columns["votes"] = pc.scalar(1).cast("int64")
    yield count(_group(opened, columns, keys, {"votes": "sum"}))


def _group_nested(samples: pa.Table, nested: Sequence[str]) -> pa.Table:
    """Count the samples that are the same, with lists in some columns, by which Arrow cannot group."""
    import pyarrow as pa

    keys, values = samples.column_names, {}
    for role in nested:
        coded = encode(samples[role])
        values[role] = pa.array(coded.values, samples.schema.field(role).type)
        codes = make_numbers(coded.codes, coded.codes >= 0)
        samples = samples.set_column(keys.index(role), role, codes)
    grouped = pa.TableGroupBy(samples, keys).aggregate([([], "count_all")])
    counted = grouped.rename_columns([*keys, "votes"])
    for role, listed in values.items():
        counted = counted.set_column(keys.index(role), role, listed.take(counted[role]))
    return counted


def _open(data: Any) -> Any:
    """Return the data set at an address. Stores that Arrow does not know, such as hf://, are opened by fsspec."""
    import pyarrow.dataset as ds

    if not isinstance(data, str):
        return data
    # Folders such as model=a/ are columns.
    options: dict[str, Any] = {"format": "parquet", "partitioning": "hive"}
    if data.partition("://")[0] in ("file", "s3", "gs", "gcs", "hdfs"):
        return ds.dataset(data, **options)
    import fsspec

    store, path = fsspec.core.url_to_fs(data)
    return ds.dataset(path, filesystem=store, **options)


def _group(
    data: Any, columns: dict[str, Any], keys: list[str], aggregates: dict[str, str]
) -> pa.Table:
    """Group the rows of a data set while they are read."""
    import pyarrow.dataset as ds
    from pyarrow import acero

    # A scanner keeps the filter of a data set, which acero would leave out.
    rows = ds.dataset(data.scanner(columns=columns).to_reader())
    measured = [(name, f"hash_{kind}", None, name) for name, kind in aggregates.items()]
    steps = {
        "scan": acero.ScanNodeOptions(rows, columns=list(columns)),
        "aggregate": acero.AggregateNodeOptions(measured, keys),
    }
    declared = [acero.Declaration(*step) for step in steps.items()]
    return acero.Declaration.from_sequence(declared).to_table()

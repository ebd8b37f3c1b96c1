"""A table with columns of any names: JSON, JSONL, CSV, TSV or Parquet, a row for each problem or for each sample."""

from __future__ import annotations

from dataclasses import replace

from at_k.errors import InputError, Mention
from at_k.readers.columnar import ColumnTable, open_csv, open_lines, open_parquet
from at_k.readers.decoding import decode_text
from at_k.readers.format import Format, Head, Reading
from at_k.readers.lines import name_lines
from at_k.readers.plain import collect_samples
from at_k.readers.quoting import quote_all
from at_k.readers.samples import Samples
from at_k.readers.sources import Source
from at_k.readers.standard import NothingToScoreError
from at_k.readers.tables import Table, read_table

LARGEST = 5_000_000
"""Bytes up to which a table is read row by row. The lines of a larger one are read in blocks."""


def _recognize(head: Head) -> bool:
    return True


def _read(source: Source, reading: Reading) -> Samples:
    try:
        samples = _read_table(source, reading)
    except InputError as error:
        named = name_lines(error.message, source)
        raise InputError(named.code, named.sentence, **named.values) from None
    skipped = {name_lines(cause, source): count for cause, count in samples.origin.skipped.items()}
    return replace(samples, origin=replace(samples.origin, skipped=skipped))


def _read_table(source: Source, reading: Reading) -> Samples:
    table = open_table(source, reading)
    try:
        samples = collect_samples(
            table,
            columns=reading.columns,
            where=reading.where,
            pool=reading.pool,
            errors=reading.errors,
            limits=reading.limits,
        )
    except NothingToScoreError:
        raise InputError(
            "plain.unknown",
            "No known harness wrote this file (`at-k formats` lists them), and as a table ({layout}) it does not say "
            "which samples are correct: there is no column of verdicts, nor one of answers and one of references. Its "
            "columns are: {columns}. Say which is which, for instance {example}.",
            layout=table.layout,
            columns=quote_all(table.columns),
            example=Mention(columns={"problem": "qid", "grades": "is_right"}),
        ) from None
    if isinstance(table, ColumnTable) and table.skipped:
        return replace(samples, origin=replace(samples.origin, skipped=table.skipped | samples.origin.skipped))
    return samples


def open_table(source: Source, reading: Reading) -> Table | ColumnTable:
    """Open a table.

    Raises:
        InputError: if it is broken, or is a zip file, which holds none.
    """
    layout = source.layout
    if layout == "zip":
        from at_k.readers.archives import list_members

        raise InputError(
            "plain.zip",
            "No known harness wrote this zip file (`at-k formats` lists them). Its members are: {members}. Extract the "
            "one with the results, and give its path.",
            members=quote_all(list_members(source)) or "none",
        )
    if layout == "parquet":
        return open_parquet(source)
    skip = reading.errors == "skip"
    if layout == "jsonl" and (skip or _is_large(source)):
        return open_lines(source, skip=skip)
    if layout == "csv" and _is_large(source):
        return open_csv(source)
    with source.open_text() as file:
        text = decode_text(file.read())
    return read_table(text, limits=reading.limits)


def _is_large(source: Source) -> bool:
    """Return whether the text is large, after decompression."""
    if source.size > LARGEST:
        return True
    with source.open_text() as file:
        return len(file.read(LARGEST + 1)) > LARGEST


FORMAT = Format(
    name="plain",
    title="a table",
    file="*.jsonl, *.json, *.csv, *.tsv, *.parquet",
    samples="a row for each sample, or a row for each problem with lists",
    recognize=_recognize,
    read=_read,
    rank=2,
)

"""The lines on which the rows of a table stand, as a person who looks into the file counts them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import islice
from typing import Any

from at_k.errors import Message
from at_k.readers.delimited import find_delimiter
from at_k.readers.sources import Source

_ROW, _LINE = re.compile(r"\brow {(\w+)(:,)?}"), re.compile(r"\b(?:row|line) {(\w+)(:,)?}")
"""How sentences name a row, or the line of several files that are read as one."""


def name_lines(message: Message, source: Source) -> Message:
    r"""Name the lines of a file where a message counts the rows of the table in it.

    A message about a file whose rows are not lines, such as Parquet, is returned as it is. Where the lines stand for
    files, these are named.

    Examples:
        >>> source = Source("results.csv", b"id,correct\na,1\n\nb,x\n")
        >>> str(name_lines(Message("a.row", "wrong (row {row})", row=2), source))
        'wrong (line 4)'
    """
    values: dict[str, Any] = {
        name: name_lines(value, source) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    named, into = (_LINE, r"{\1}") if source.files else (_ROW, r"line {\1\2}")
    rows = {
        name: values[name]
        for name in (each[1] for each in named.finditer(message.sentence))
        if isinstance(values[name], int)
    }
    lines: Sequence[Any] = source.files or list(islice(_number_lines(source), max(rows.values(), default=0)))
    if not rows or not all(0 < row <= len(lines) for row in rows.values()):
        return Message(message.code, message.sentence, **values)
    values |= {name: lines[row - 1] for name, row in rows.items()}
    return Message(message.code, named.sub(into, message.sentence), **values)


def _number_lines(source: Source) -> Iterator[int]:
    """Yield the number of the line on which each row of a table begins; nothing if rows are not lines."""
    if source.layout == "jsonl":
        yield from (number for block in source.blocks() for number, _ in block.lines())
    elif source.layout == "csv":
        yield from islice(_number_records(source), 1, None)


def _number_records(source: Source) -> Iterator[int]:
    """Yield the number of the line on which each record of CSV begins, and then that of a record that is broken."""
    with TextIOWrapper(source.open_text(), "utf-8", "replace", newline="") as file:
        records, before = csv.reader(file, delimiter=find_delimiter(source.first_line)[1]), 0
        try:
            for record in records:
                if record:
                    yield before + 1
                before = records.line_num
        except csv.Error:
            yield before + 1

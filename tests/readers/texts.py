"""Tables within a text, and the samples in them."""

import csv
import json
from io import StringIO

import pytest

from at_k.errors import InputError
from at_k.readers.files.decoding import read_lists
from at_k.readers.files.documents import open_rows
from at_k.readers.files.sources import Source
from at_k.readers.format import Reading
from at_k.readers.formats import find_format
from at_k.readers.samples import ROLES
from at_k.readers.tables.table import Table


class Opened:
    """A text that was opened as a table: its columns, each as a list of all of its cells."""

    def __init__(self, text, errors="raise"):
        self.source, self.errors = (
            text if isinstance(text, Source) else Source("", text.encode()),
            errors,
        )
        rows = open_rows(self.source, errors)
        self.layout, names = rows.layout, []
        rows.peek()
        self.blocks = list(rows.read(None))
        for block in self.blocks:
            names += [name for name in block.names if name not in names]
        self.columns = {
            name: [cell for block in self.blocks for cell in block[name]] for name in names
        }
        if rows.is_text:
            self.columns = {name: read_lists(cells) for name, cells in self.columns.items()}

    def __iter__(self):
        return iter(self.columns)

    def __getitem__(self, name):
        return self.columns[name]


def collect_samples(table, reading=None):
    """Read the samples of what was opened as a table."""
    return Table(getattr(table, "source", table), reading or Reading()).read()


def open_table(source):
    """Open a source as a table."""
    return Opened(source)


def read_table(text, errors="raise"):
    """Open a text as a table."""
    return Opened(text, errors)


def guess_roles(table, given=None):
    """Guess the role of each column of a table."""
    return Table(table.source).find_roles(given or {})


def standardize(table, roles, **reading):
    """Read the samples of a table by its roles alone."""
    columns = dict.fromkeys(ROLES) | roles
    numbered = reading.pop("numbered", ())
    columns["sample"] = numbered[0] if numbered else None
    if columns["problem"] is None:
        del columns["problem"]
    return Table(
        table.source, Reading(columns=columns, **{"errors": table.errors} | reading)
    ).read()


def collect(text, **reading):
    """Read the samples of a text whose columns may have any names."""
    return Table(Source("", text.encode()), Reading(**reading)).read()


def refuse(text, code, **reading):
    """Return the sentence with which a text is refused."""
    with pytest.raises(InputError) as caught:
        collect(text, **reading)
    assert caught.value.code == code
    return str(caught.value)


def read_bytes(name, data, reading, *, format=None):
    """Read a file in memory, whose format is recognised if it is not named."""
    source = Source(name, data, reading.limits)
    chosen = find_format(source, format)
    chosen.refuse_options(reading)
    return chosen.read(source, reading)


def write_lines(rows):
    """Write rows as JSON lines."""
    return "\n".join(map(json.dumps, rows))


def write_delimited(rows, delimiter=",", end="\r\n"):
    """Write rows as CSV, with lists as JSON."""
    file = StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(rows[0])
    writer.writerows(
        [json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()]
        for row in rows
    )
    return file.getvalue()

"""Tables that stand in a text, and the samples in them."""

import csv
import json
from io import StringIO

import pytest

from at_k.errors import InputError
from at_k.readers.format import Reading
from at_k.readers.formats.plain import collect_samples
from at_k.readers.sources import Source
from at_k.readers.tables import open_table


def read_table(text, errors="raise"):
    """Read a text as a table."""
    return open_table(Source("", text.encode()), errors)


def collect(text, **reading):
    """Read the samples of a text whose columns may have any names."""
    return collect_samples(read_table(text, reading.get("errors", "raise")), Reading(**reading))


def refuse(text, code, **reading):
    """Return the sentence with which a text is refused."""
    with pytest.raises(InputError) as caught:
        collect(text, **reading)
    assert caught.value.code == code
    return str(caught.value)


def write_lines(rows):
    """Write rows as JSON lines."""
    return "\n".join(map(json.dumps, rows))


def write_delimited(rows, delimiter=",", end="\r\n"):
    """Write rows as CSV, with lists as JSON."""
    file = StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(rows[0])
    writer.writerows([json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in rows)
    return file.getvalue()

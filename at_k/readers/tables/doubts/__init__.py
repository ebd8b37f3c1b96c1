"""Doubts about a table, in one list, which every door walks.

A doubt is a function from what is known of a table to errors, which ask, and notes. Prefer an error: the user can
override it by one option, which the error names, but cannot notice a wrong reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from at_k.errors import InputError, Message
from at_k.readers.tables.doubts import of_columns, of_names, of_rows, of_samples

Known = TypeVar("Known")

# Of the columns, by the first rows.
OF_COLUMNS = (
    of_columns.doubt_unjudged,
    of_columns.doubt_parts,
    of_columns.doubt_beside,
    of_columns.doubt_ignored,
    of_names.doubt_numbered,
    of_columns.doubt_weights,
    of_columns.doubt_runs,
    of_columns.doubt_unnamed,
)

# Of all rows, or of those of some problems.
OF_ROWS = (
    of_rows.doubt_tests,
    of_rows.doubt_retries,
    of_rows.doubt_restarts,
    of_rows.doubt_settings,
    of_rows.doubt_repeated,
    of_rows.doubt_resumed,
    of_rows.doubt_contradictions,
    of_rows.doubt_failures,
)

# Of the samples, which may be of a harness, too.
OF_SAMPLES = (of_samples.doubt_summaries,)

# Of samples that were counts.
OF_COUNTS = (of_samples.doubt_sums,)


def walk(
    doubts: Iterable[Callable[[Known], Iterator[InputError | Message]]], known: Known
) -> list[Message]:
    """Raise the first error of some doubts, and return their notes."""
    notes: list[Message] = []
    for doubt in doubts:
        for found in doubt(known):
            if isinstance(found, InputError):
                raise found
            notes.append(found)
    return notes

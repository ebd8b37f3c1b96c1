"""How messages name a place in a file."""

from __future__ import annotations

from at_k.errors import Message
from at_k.readers.quoting import shorten


def describe_place(row: int, column: str, sample: int | None = None) -> Message:
    """Describe where a value stands in a file; all numbers are counted from 1.

    Examples:
        >>> str(describe_place(2, "correct", 3))
        'row 2, column “correct”, sample 3'
    """
    if sample is None:
        return Message("cells.place", "row {row}, column “{column}”", row=row, column=shorten(column))
    return Message(
        "cells.sample_place",
        "row {row}, column “{column}”, sample {sample}",
        row=row,
        column=shorten(column),
        sample=sample,
    )

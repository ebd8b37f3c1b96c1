"""The formats of results files, one file for each."""

from __future__ import annotations

from itertools import chain

from at_k.errors import InputError
from at_k.readers.archives import list_members
from at_k.readers.format import Format
from at_k.readers.formats import (
    agents,
    every_eval_ever,
    inspect_ai,
    lighteval,
    lm_eval,
    opencompass,
    plain,
    programs,
    suites,
    training,
)
from at_k.readers.names import quote_all
from at_k.readers.parquet import list_columns
from at_k.readers.sources import Source

_ROOMS = (opencompass, agents, training, suites, programs)
_FORMATS = (every_eval_ever.FORMAT, inspect_ai.FORMAT, lm_eval.FORMAT, lighteval.FORMAT)
_FORMATS += (*chain.from_iterable(room.FORMATS for room in _ROOMS), plain.FORMAT)

FORMATS: dict[str, Format] = {each.name: each for each in _FORMATS}
"""Every format, the most particular first. The last one, a table with columns of any names, takes what is left."""


def find_format(source: Source, name: str | None = None) -> Format:
    """Find the format of a file, by its content, or by the name that was given."""
    if name is None:
        return _recognize(source)
    if name not in FORMATS:
        raise InputError(
            "formats.unknown",
            "There is no format {name}. The formats are: {names}.",
            name=quote_all([name]),
            names=", ".join(FORMATS),
        )
    return FORMATS[name]


def _recognize(source: Source) -> Format:
    """Return the first format that has a mark of the file."""
    layouts, found = {source.layout}, source.first_row
    if source.layout == "jsonl" or (source.layout == "json" and isinstance(source.document, dict)):
        layouts.add("rows")
    elif source.layout == "parquet":
        found = dict.fromkeys(list_columns(source))
    elif source.layout == "zip":
        found = dict.fromkeys(list_members(source))
    elif source.layout == "csv":
        found = dict.fromkeys(source.first_line.decode("utf-8", "replace").split(","))
    for each in FORMATS.values():
        for mark in each.marks:
            if mark.layout in layouts and found.keys() >= {*mark.names} and (mark.fits is None or mark.fits(found)):
                return each
    return plain.FORMAT

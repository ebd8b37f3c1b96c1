"""The formats of results files: `formats.toml` declares them, and the files here hold the functions that it names."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import Any

from at_k.errors import Phrases
from at_k.options.registry import read_toml
from at_k.readers.fields import Fields, Keys
from at_k.readers.files.archives import list_members
from at_k.readers.files.parquet import list_columns
from at_k.readers.files.sources import Source
from at_k.readers.format import Format, Mark
from at_k.readers.names import quote_all

_TABLE: dict[str, dict[str, Any]] = read_toml(__file__, "formats.toml")
_FUNCTION = re.compile(r"(\.?[a-z_.]+):([a-z_]+)")
_say = Phrases({"formats.unknown": "There is no format {name}. The formats are: {names}."})
_ABOUT = ("title", "file", "samples", "rank", "in_folders")


def _resolve(value: Any) -> Any:
    """Replace the names of functions in an entry of the table by what calls them."""
    if isinstance(value, dict):
        return {name: _resolve(item) for name, item in value.items()}
    if isinstance(value, list):
        return tuple(map(_resolve, value))
    named = None
    if isinstance(value, str):
        named = _FUNCTION.fullmatch(value)
    if named:
        return partial(_call, *named.groups())
    return value


def _call(module: str, name: str, *arguments: Any) -> Any:
    """Call a function of a module, which is loaded with the first file that needs it."""
    return getattr(import_module(f".{module}", __name__), name)(*arguments)


def _declare(name: str) -> Format:
    """Make a format of its entry in the table."""
    entry = _TABLE[name]
    rules = _resolve(_TABLE.get(entry.get("like", ""), {}) | entry)
    rules.pop("like", None)
    about = {key: rules.pop(key) for key in _ABOUT if key in rules}
    marks = tuple(Mark(**mark) for mark in rules.pop("marks", ()))
    options = rules.pop("options", ())
    if "read" in rules:
        return Format(name, **about, marks=marks, options=options, **rules)
    fields = Fields(rules.pop("harness", name), Keys(**rules.pop("keys")), **rules)
    if fields.scorers is not None:
        options = (fields.option,)
    return Format(name, **about, marks=marks, options=options, read=fields.read)


# Every format, the most particular first.
FORMATS: dict[str, Format] = {name: _declare(name) for name in _TABLE}


def find_format(source: Source, name: str | None = None) -> Format:
    """Find the format of a file, by its content, or by the name that was given."""
    if name is None:
        return _recognize(source)
    if name not in FORMATS:
        raise _say.error("formats.unknown", name=quote_all([name]), names=", ".join(FORMATS))
    return FORMATS[name]


def _recognize(source: Source) -> Format:
    """Return the first format that has a mark of the file."""
    layouts, first = {source.layout}, source.first_row
    if source.layout == "jsonl" or (source.layout == "json" and isinstance(source.document, dict)):
        layouts.add("rows")
    elif source.layout == "parquet":
        first = dict.fromkeys(list_columns(source))
    elif source.layout == "zip":
        first = dict.fromkeys(list_members(source))
    elif source.layout == "csv":
        first = dict.fromkeys(source.first_line.decode("utf-8", "replace").split(","))
    for kind in FORMATS.values():
        if any(mark.is_in(layouts, first) for mark in kind.marks):
            return kind
    return FORMATS["plain"]

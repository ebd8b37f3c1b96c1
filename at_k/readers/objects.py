"""Python objects as the documents that they would be in a file: mappings of problems, rows, streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from numbers import Number
from typing import Any

import numpy as np

from at_k.errors import Mention, Phrases
from at_k.readers.files.sources import IN_MEMORY, Source
from at_k.readers.names import (
    NUMBERED,
    RIGHT,
    SETTING,
    TOTAL,
    has_name,
    has_role,
    normalize_name,
    quote_all,
)
from at_k.readers.numbering import count_runs
from at_k.readers.words import read_spelled

_say = Phrases(
    {
        "data.keys": "A mapping in `data` must have keys that are texts or numbers; got {value}. Write "
        'its parts as one text, such as "a/1".',
        "data.long": "A whole number of more than 4,300 digits cannot be written as text. Give it as text "
        "of your own, or leave its row out.",
        "data.splits": "`data` must be one data set; got several: {names}. Choose one of them: {where}. "
        "`at_k.score_models` makes a table of all.",
    }
)


def hold(data: Any) -> Any:
    """Return data that can be read more than once, as columns, rows, or what JSON has.

    Examples:
        >>> hold({"id": row} for row in range(2)), hold(zip("ab", [[1, 0], [1, 1]]))
        ([{'id': 0}, {'id': 1}], {'a': [1, 0], 'b': [1, 1]})
    """
    for name in ("read_all", "read"):  # batches of Arrow, an open file
        if hasattr(data, name):
            content = getattr(data, name)()
            return content.encode() if isinstance(content, str) else content
    if hasattr(data, "to_frame") and hasattr(data, "dtype"):
        return _frame(data)
    if isinstance(data, Mapping):
        streams = {name: hold(own) for name, own in data.items() if isinstance(own, Iterator)}
        return {**data, **streams} if streams else data
    is_whole = isinstance(data, (str, bytes, set, frozenset)) or (
        is_table(data) and hasattr(data, "__len__")
    )
    if is_whole or not isinstance(data, Iterable):
        return data
    return _hold_rows(data)


def _hold_rows(data: Iterable[Any]) -> Any:
    """List rows. Several tables, and entries such as those of a dict, become a mapping."""
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype != object:
        return data
    rows = data.tolist() if isinstance(data, np.ndarray) else list(data)
    if rows and all(map(is_table, rows)):
        return {str(place): table for place, table in enumerate(rows)}
    if rows and all(map(_is_entry, rows)) and len({name for name, _ in rows}) == len(rows):
        return hold(dict(rows))
    if {*map(type, rows)} <= {dict, list, tuple}:
        return rows
    return list(map(_simplify_row, rows))


def _is_entry(row: Any) -> bool:
    """Return whether a row is a name, and what is held under it."""
    is_pair = isinstance(row, (list, tuple)) and len(row) == 2 and isinstance(row[0], (str, int))
    return is_pair and isinstance(row[1], Iterable) and not isinstance(row[1], (str, bytes))


def _simplify_row(row: Any) -> Any:
    """Make a mapping, or a list, of a named tuple, a model of Pydantic, a data class or a series."""
    for name in ("_asdict", "model_dump", "to_list"):
        if hasattr(row, name):
            return getattr(row, name)()
    is_own = type(row).__module__.startswith("at_k.")  # a report, a tally
    if is_dataclass(row) and not isinstance(row, type) and not is_own:
        return asdict(row)
    return row


def is_table(data: Any) -> bool:
    """Return whether data are a table with names of columns: of pandas, Polars, Arrow or `datasets`."""
    return hasattr(data, "column_names") or (hasattr(data, "columns") and hasattr(data, "shape"))


def _frame(series: Any) -> Any:
    """Return a series as a table. The index of pandas names the problems, unless it numbers the rows."""
    series = series.rename(series.name or "correct")
    if not hasattr(series, "index"):  # of Polars
        rows = series.to_list() if series.dtype.is_nested() else []
        return rows or series.to_frame()
    index = series.index
    if index.nlevels == 1 and index.name is None:
        if index.is_unique and index.inferred_type == "integer":
            return series.to_frame()
        series = series.rename_axis("problem")
    return series.reset_index()


def holds_splits(data: Any) -> bool:
    """Return whether data are several data sets by their names, as a `DatasetDict` is."""
    is_mapping = isinstance(data, Mapping) and bool(data)
    return is_mapping and all(map(is_table, data.values()))


def choose_split(
    data: Mapping[str, Any], where: Mapping[str, Any] | None
) -> tuple[Any, dict[str, Any]]:
    """Choose one of several data sets, as `where` says by `{"split": "test"}`; return it, and the rest of `where`."""
    rest = dict(where or {})
    wanted = rest.pop("split", None)
    if len(data) == 1 and wanted is None:
        return next(iter(data.values())), rest
    if wanted not in data:
        ways = {f"split {name}": Mention(where={"split": name}) for name in data}
        first = next(iter(ways.values()))
        raise _say.error("data.splits", names=quote_all(data), where=first, **ways)
    return data[wanted], rest


def holds_lists(data: Any) -> bool:
    """Return whether data are numbers, or lists without names that are not the grades of problems, from 0 to 1.

    Examples:
        >>> holds_lists([["p", 1], ["p", 0]]), holds_lists([1, 0]), holds_lists([[1, 0], [1, 1]])
        (True, True, False)
    """
    if not isinstance(data, list) or not data:
        return False
    if all(isinstance(row, Number) for row in data):
        return True
    are_lists = all(isinstance(row, (list, tuple, np.ndarray)) for row in data)
    return are_lists and not all(_is_share(cell) for row in data for cell in row)


def _is_share(cell: Any) -> bool:
    """Return whether a cell is missing, or a number from 0 to 1. All real numbers have an order; `Number` has none."""
    return cell is None or (isinstance(cell, Number) and not (cell < 0 or cell > 1))  # type: ignore[operator]


def holds_columns(data: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is a table by its columns, and not a document, such as problems by their names.

    Examples:
        >>> holds_columns({"id": ["a", "b"], "ok": [1, 0]}), holds_columns({0: [1, 0], 1: [1, 1]})
        (True, False)
    """
    if not data or any(isinstance(column, (Mapping, str)) for column in data.values()):
        return False
    if any(map(_is_value, data.values())) and not any(map(has_role, map(str, data))):
        return False
    columns = [column for column in data.values() if hasattr(column, "__len__")]
    if len(columns) < len(data):
        return True  # the reader of columns refuses what is no column
    names = list(map(str, data))
    known = {*map(normalize_name, names)}
    are_counts = not known.isdisjoint(TOTAL) and not known.isdisjoint(RIGHT)
    is_named = any(has_role(name) or has_name(name, (*SETTING, *NUMBERED)) for name in names)
    if are_counts or is_named or count_runs(names):
        return True
    if len({*map(len, columns)}) > 1 or not all(isinstance(name, str) for name in data):
        return False
    # Columns hold values of several kinds: names and numbers; problems have samples of one kind.
    return len({_find_kind(column) for column in columns}) > 1


def _is_value(value: Any) -> bool:
    """Return whether a value is null, a truth value or a number, as no column is."""
    return value is None or isinstance(value, (bool, int, float))


def _find_kind(column: Any) -> str:
    """Return whether values are numbers, lists or texts."""
    first = next((value for value in column if value is not None), None)
    if hasattr(first, "__len__") and not isinstance(first, str):
        return "lists"
    return "texts" if isinstance(read_spelled(first), str) else "numbers"


def is_rows(data: Any) -> bool:
    """Return whether data are rows: a sequence of mappings."""
    are_listed = isinstance(data, Sequence) and not isinstance(data, (str, bytes))
    return are_listed and bool(data) and all(isinstance(row, Mapping) for row in data)


def write_source(data: Any) -> Source:
    """Write an object as the file that it would be: rows as JSON lines, and a mapping as a document."""
    if isinstance(data, bytes):
        return Source(IN_MEMORY, data)
    if is_rows(data) and len(data) > 1:
        return Source(IN_MEMORY, b"\n".join(map(_write, data)) + b"\n")
    return Source(IN_MEMORY, _write(data))


def _write(value: Any) -> bytes:
    """Write a value as JSON; what JSON does not have is written as its text."""
    import orjson

    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    try:
        return orjson.dumps(value, default=_simplify, option=options)
    except TypeError:  # whole numbers of more than 64 bits
        key = _find_odd_key(value)
        if key is not None:
            raise _say.error("data.keys", value=repr(key)) from None
    try:
        return json.dumps(value, default=_simplify).encode()
    except ValueError as error:
        if "digits" not in str(error):
            raise
        raise _say.error("data.long") from None


def _find_odd_key(value: Any) -> Any:
    """Find a key that is neither a text nor a number in mappings within each other."""
    odd: list[Any] = []
    held: Iterable[Any] = ()
    if isinstance(value, Mapping):
        odd = [key for key in value if not isinstance(key, (str, bool, int, float, type(None)))]
        held = value.values()
    elif isinstance(value, (list, tuple)):
        held = value
    return next(filter(None, (*odd, *map(_find_odd_key, held))), None)


def _simplify(value: Any) -> Any:
    """Return a list, a mapping, a number or a text in place of an object."""
    for convert in ("to_pylist", "tolist", "to_list"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    if isinstance(value, Mapping):
        return {str(name): each for name, each in value.items()}
    are_several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    if are_several:
        return list(value)
    return str(value)

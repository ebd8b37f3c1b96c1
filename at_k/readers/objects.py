"""Python objects as the documents that they would be in a file: mappings of problems, rows, streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from at_k.errors import Mention, Phrases
from at_k.readers.cells import read_spelled
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

_say = Phrases(
    {
        "data.keys": "A mapping in `data` must have keys that are texts or numbers; got {value}. Write "
        'its parts as one text, such as "a/1".',
        "data.long": "A whole number of more than 4,300 digits cannot be written as text. Give it as text "
        "of your own, or leave its row out.",
        "data.splits": "`data` must be one data set; got several: {names}. Choose one of them: {where}.",
    }
)


def hold(data: Any) -> Any:
    """Return data that can be read more than once: the rows of a stream, or a generator, are listed.

    Examples:
        >>> hold({"id": row} for row in range(2))
        [{'id': 0}, {'id': 1}]
    """
    if hasattr(data, "read_all"):  # batches of Arrow
        return data.read_all()
    if isinstance(data, Mapping) or hasattr(data, "__len__") or not isinstance(data, Iterable):
        return data
    return list(data)


def holds_splits(data: Any) -> bool:
    """Return whether data are several data sets by their names, as a `DatasetDict` is."""
    is_mapping = isinstance(data, Mapping) and bool(data)
    return is_mapping and all(hasattr(each, "column_names") for each in data.values())


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
    known = (*TOTAL, *RIGHT, *NUMBERED)
    is_named = any(
        has_role(name) or has_name(name, SETTING) or normalize_name(name) in known for name in names
    )
    if is_named or count_runs(names):
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

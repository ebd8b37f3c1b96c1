"""The columns of a data set, whichever library holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.errors import InputError
from at_k.validation import type_name


def read_frame(data: Any) -> dict[str, Any]:
    """List the columns of a data set by name. They stay as they are held: Arrow columns stay in Arrow.

    Args:
        data: a `datasets.Dataset`, an Arrow table, a pandas or Polars frame, a mapping of columns, or a list of rows.

    Raises:
        TypeError: if the data are none of these.
        InputError: if they are several data sets.
    """
    if isinstance(data, Mapping):
        if data and all(hasattr(value, "column_names") for value in data.values()):
            raise InputError(
                "data.splits", "`data` must be one data set; got several: {names}. Choose one of them.",
                names=", ".join(map(repr, data)),
            )  # fmt: skip
        return {str(name): column for name, column in data.items()}
    names = getattr(data, "column_names", None)
    if isinstance(names, (list, tuple)) and hasattr(data, "__getitem__"):  # Dataset, pyarrow.Table
        return {name: data[name] for name in names}
    columns = getattr(data, "columns", None)
    if columns is not None and hasattr(data, "__getitem__"):  # pandas, Polars
        return {str(name): data[name] for name in columns}
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _read_rows(data)
    raise TypeError(
        "`data` must be a data set with columns: a datasets.Dataset, a pandas or Polars frame, an Arrow table, a "
        f"mapping of columns, a list of rows, or the path of a file; got {type_name(data)}"
    )


def _read_rows(rows: Sequence[Any]) -> dict[str, Any]:
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"`data` must be a list of rows, each a mapping; got {type_name(row)} in row {number}")
    names = dict.fromkeys(str(name) for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}

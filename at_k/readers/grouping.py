"""Bring the samples of each problem together, in any table with a row for each sample."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import isnan
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_chunks
from at_k.errors import InputError
from at_k.readers.arrays import make_lists, make_numbers
from at_k.readers.coding import Codes, encode
from at_k.readers.samples import Split
from at_k.validation import shorten, type_name

if TYPE_CHECKING:
    import pyarrow as pa


_SHARED = ("references", "group")


class Groups(NamedTuple):
    """The rows of each problem, in the order of the file: what one stable sort says.

    Attributes:
        order: the positions of the rows, those of each problem together; None if they stand so already.
        offsets: where the rows of each problem begin in that order, and where the last ones end.
        firsts: the position of the first row of each problem.

    Examples:
        >>> groups = Groups.of(np.array([0, 1, 0]))
        >>> groups.order, list(groups.split(np.array([7, 8, 9])))
        (array([0, 2, 1]), [[7, 9], [8]])
    """

    order: Codes | None
    offsets: Codes
    firsts: Codes

    @classmethod
    def of(cls, problems: Codes) -> Groups:
        """Group rows by their problems, which are numbered from 0 without gaps."""
        offsets = np.concatenate([[0], np.cumsum(np.bincount(problems))])
        if (np.diff(problems) >= 0).all():
            return cls(None, offsets, offsets[:-1])
        order = np.argsort(problems, kind="stable")
        return cls(order, offsets, order[offsets[:-1]])

    def list(self, values: pa.Array) -> pa.Array:
        """Return the values of each problem as a list."""
        return make_lists(self.offsets, values if self.order is None else values.take(make_numbers(self.order)))

    def split(self, values: NDArray[Any]) -> Split:
        """Return the numbers of each problem."""
        return Split(values if self.order is None else values[self.order], self.offsets)


def group_samples(data: Any, by: str = "problem", *, shared: str | Sequence[str] = _SHARED) -> Any:
    """Group a table with a row for each sample into one with a row for each problem.

    Args:
        data: a `datasets.Dataset`, an Arrow table, a pandas or Polars frame, or a mapping of columns.
        by: the column that names the problem of each row.
        shared: the columns that say something of the problem, and so are the same in all of its rows: by default those
            of these names that there are. In a list, references would be answers each of which is correct.

    Returns:
        A table with the column `by`, in order of first appearance, one value for each problem in the columns `shared`,
        and a list of samples in every other column, in the order of the rows: a `datasets.Dataset` if `data` is one,
        else an Arrow table.

    Raises:
        TypeError: if `data` is not such a table.
        InputError: if there is no such column, a row does not name its problem, the rows of a problem differ in a
            column of `shared`, a column has values of several types or another length, or there are no rows.

    Examples:
        >>> table = group_samples({"problem": ["p", "q", "p"], "grades": [1, 0, 0]})
        >>> table.to_pydict()
        {'problem': ['p', 'q'], 'grades': [[1, 0], [0]]}
    """
    import pyarrow as pa

    table = make_table(data, by)
    shared = [shared] if isinstance(shared, str) else shared
    for name in (by, *(shared if shared is not _SHARED else ())):
        if name not in table.column_names:
            raise InputError(
                "group.no_column",
                "`by` and `shared` must name columns of the data, which are {columns}; got {column}",
                columns=", ".join(map(repr, table.column_names[:20])) or "none",
                column=shorten(name),
            )
    if not table.num_rows:
        raise InputError("group.no_rows", "`data` must have at least one row; got none")
    codes, names = encode(table[by])
    # NaN stands for null, and every one would be the same problem.
    nameless = [code for code, name in enumerate(names) if isinstance(name, float) and isnan(name)]
    codes = np.where(np.isin(codes, nameless), -1, codes)
    if codes.min() < 0:
        raise InputError(
            "group.no_name",
            "`{column}` must name a problem in every row; got null or NaN in row {row}",
            column=by,
            row=int(np.argmax(codes < 0)),
        )
    groups = Groups.of(codes)
    columns = {}
    for name in table.column_names:
        values = _combine(table[name])
        if name == by or name in shared:
            _refuse_differing(name, values, codes, groups)
            columns[name] = values.take(make_numbers(groups.firsts))
        else:
            columns[name] = groups.list(values)
    grouped = pa.table(columns)
    datasets: Any = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        return datasets.Dataset(grouped, info=datasets.DatasetInfo(description=data.info.description))
    return grouped


def _combine(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    values = column.combine_chunks()
    # A chunked array was returned before pyarrow 24.
    return pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values


def _refuse_differing(name: str, column: pa.Array, problems: Codes, groups: Groups) -> None:
    """Raise if the rows of a problem differ in a column."""
    values = encode(column).codes
    differs = values != values[groups.firsts][problems]
    if differs.any():
        row = int(np.argmax(differs))
        raise InputError(
            "group.differs",
            "`{column}` must be the same in all rows of a problem; rows {first} and {row} of one problem differ. "
            "If it belongs to the samples, rename the column, or leave it out of `shared`.",
            column=name,
            first=int(groups.firsts[problems[row]]),
            row=row,
        )


def make_table(data: Any, by: str = "problem") -> pa.Table:
    """Return a table of any library as one of Arrow."""
    import pyarrow as pa

    if isinstance(data, pa.Table):
        return data
    datasets: Any = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        found: pa.Table = data.with_format("arrow")[:]
        return found
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        for name, column in data.items():
            if column.dtype == object:
                _to_column(str(name), column.dropna(), is_name=name == by)  # names the column at fault
        return pa.Table.from_pandas(data, preserve_index=False).replace_schema_metadata()
    if hasattr(data, "to_arrow"):  # Polars
        return data.to_arrow()
    if isinstance(data, Mapping):
        columns = {str(name): _to_column(str(name), column, is_name=name == by) for name, column in data.items()}
        _refuse_other_lengths({name: len(column) for name, column in columns.items()})
        return pa.table(columns)
    raise TypeError(
        "`data` must be a table with a row for each sample: a datasets.Dataset, an Arrow table, a pandas or Polars "
        f"frame, or a mapping of columns; got {type_name(data)}"
    )


def _to_column(name: str, column: Any, *, is_name: bool) -> Any:
    """Return a column as one of Arrow, which would take 1 and true for the same name."""
    import pyarrow as pa

    chunks = to_chunks(column)
    if chunks is not None:
        return pa.chunked_array(chunks)
    try:
        if not is_name or len({_find_kind(each) for each in {*map(type, column)} - {type(None)}}) < 2:
            return pa.array(column)
    except pa.ArrowException:
        pass
    raise InputError(
        "group.mixed",
        "`{column}` must have values of one type. Write all of them as text, or all as numbers.",
        column=name,
    ) from None


def _find_kind(kind: type) -> type:
    """Return the type of a name, with all types of numbers as one, and all of texts."""
    return next((each for each in (bool, np.bool_, Number, str) if issubclass(kind, each)), kind)


def _refuse_other_lengths(lengths: Mapping[str, int]) -> None:
    first, *others = lengths or [""]
    for name in others:
        if lengths[name] != lengths[first]:
            raise InputError(
                "group.lengths",
                "All columns must have the same number of rows; `{first}` has {first_rows} and `{column}` has {rows}.",
                first=first,
                first_rows=lengths[first],
                column=name,
                rows=lengths[name],
            )

"""Read all values of a role at once; where one is at fault, `cells.py` names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_numpy
from at_k.errors import InputError, Mention, Message
from at_k.limits import Limits, exceeds
from at_k.readers.arrays import fill_numbers, make_array, make_lists, make_numbers
from at_k.readers.cells import READERS, Cell, read_spelled
from at_k.readers.coding import encode, find_firsts, is_arrow
from at_k.readers.samples import list_types

if TYPE_CHECKING:
    import pyarrow as pa

Flags = NDArray[np.bool_]

Place = Callable[[int], tuple[int, str, int | None]]
"""Returns the row, the column and the number of the sample of a value, given its position."""


class Faults:
    """What is at fault in a table: raised at once, or left out and counted by cause.

    Args:
        skip: whether to leave it out.
    """

    def __init__(self, *, skip: bool) -> None:
        self.skip = skip
        self.causes: dict[str, tuple[Message, int]] = {}

    def add(self, error: InputError, count: int = 1) -> None:
        """Raise an error, or count what it is about."""
        if not self.skip:
            raise error
        first, known = self.causes.get(error.code, (error.message, 0))
        self.causes[error.code] = first, known + count


def read_values(
    values: Any, role: str, place: Place, limits: Limits, faults: Faults, *, spelled: bool = False
) -> tuple[pa.Array, Flags | None]:
    """Read the values of a role.

    Args:
        values: an Arrow array, or a list.
        role: the role.
        place: says where a value stands.
        limits: texts beyond them are at fault.
        faults: takes what is at fault.
        spelled: whether numbers are spelled in words, as in CSV.

    Returns:
        The values, null where there is none, and flags of those at fault, if any.

    Raises:
        InputError: if a value is at fault and is not to be left out.
    """
    wanted = list_types()[role]
    wanted = wanted.value_type if role in ("answers", "grades", "scores") else wanted
    whole = _read_whole(values, role, limits) if is_arrow(values) else None
    if whole is not None:
        return whole, None
    read = READERS[role]

    def read_one(value: object, position: int) -> tuple[object, InputError | None]:
        row, column, sample = place(position)
        try:
            return read(Cell(read_spelled(value) if spelled else value, row, column, sample), limits), None
        except InputError as error:
            return None, error

    if not is_arrow(values) and not all(isinstance(value, str) or value is None for value in values):
        found = [read_one(value, position) for position, value in enumerate(values)]
        bad = np.array([error is not None for _, error in found], dtype=bool)
        for _, error in found:
            if error is not None:
                faults.add(error)
        return make_array([value for value, _ in found], wanted), bad if bad.any() else None
    # Few values are different, as a rule: each is read once.
    coded = encode(values)
    codes = np.where(coded.codes < 0, len(coded.values), coded.codes)
    table: list[object] = [None] * (len(coded.values) + 1)
    wrong = np.zeros(len(table), dtype=bool)
    for first in np.sort(find_firsts(codes)).tolist():
        code = int(codes[first])
        value = None if code == len(coded.values) else coded.values[code]
        table[code], error = read_one(value, first)
        if error is not None:
            wrong[code] = True
            faults.add(error, int((codes == code).sum()))
    return make_array(table, wanted).take(make_numbers(codes)), wrong[codes] if wrong.any() else None


def _read_whole(values: Any, role: str, limits: Limits) -> pa.Array | None:
    """Read typed values as a whole; None if they are of another type, or any is at fault."""
    return _read_numbers(values, role) if role in ("grades", "scores") else _read_texts(values, role, limits)


def _read_numbers(values: Any, role: str) -> pa.Array | None:
    import pyarrow as pa

    kind = values.type
    if not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or (role == "grades" and pa.types.is_boolean(kind))
    ):
        return None
    held, flags = to_numpy(values)
    numbers = held.astype(np.float64, copy=False)
    present = np.ones(len(numbers), dtype=bool) if flags is None else flags
    if role == "scores":
        right = np.isfinite(numbers) | ~present
    else:
        present = present & ~np.isnan(numbers)
        right = ((numbers >= 0) & (numbers <= 1)) | ~present
    return make_numbers(numbers, present) if right.all() else None


def _read_texts(values: Any, role: str, limits: Limits) -> pa.Array | None:
    import pyarrow as pa

    if pa.types.is_integer(values.type):
        values = values.cast(pa.string())
    if not pa.types.is_string(values.type):
        return None
    if role != "answers" and (values.null_count or _find_shortest(values) == 0):
        return None
    if exceeds(0 if limits.max_text is None else _find_longest(values), limits.max_text):
        return None
    return make_lists(np.arange(len(values) + 1), values) if role == "references" else values


def _find_shortest(texts: pa.Array) -> int:
    """Return the bytes of the shortest text; none of them is null."""
    import pyarrow.compute as pc

    return int(fill_numbers(pc.binary_length(texts), 1).min(initial=1))


def _find_longest(texts: pa.Array) -> int:
    """Return the characters of the longest text."""
    import pyarrow.compute as pc

    return int(fill_numbers(pc.utf8_length(texts), 0).max(initial=0))


def combine(column: Any) -> Any:
    """Return a column in one piece: an Arrow array, or a list."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    if sum(chunk.nbytes for chunk in column.chunks) > _LARGEST and pa.types.is_string(column.type):
        raise InputError(
            "vectors.large",
            "The texts of one column have more than 2 GB. Read the file without it: {example}.",
            example=Mention(columns={"answers": None}),
        )
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else column.combine_chunks()


_LARGEST = 2**31 - 1
"""Bytes that an Arrow array of strings can hold."""

"""Samples of prompts as trainers hold them: in rows or flat with the name of each one's group, in any array library.

They are computed on where they are, as tables of all prompts with the same number of samples.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj, is_torch_array, to_device
from numpy.typing import NDArray

from at_k import columns
from at_k.columns import list_rows, replace_na
from at_k.combinatorics import Ints
from at_k.samples import Ragged
from at_k.validation import NUMBERS, is_missing, require_problems, require_same_samples, shorten
from at_k.values import cached_property


@dataclass(frozen=True, eq=False)
class Batch:
    """Hold where the samples of each prompt are in flat columns.

    Attributes:
        xp: the namespace of the columns' array library.
        device: where they are.
        dtype: the most exact floats that there are on the device.
        n: samples of each prompt.
        order: the samples, those of one prompt after the other; None if they come like this.
        labels: the name of each group; None if the prompts came as rows.
        restore: gives flat numbers the shape and the type of what came in.
    """

    xp: Any
    device: Any
    dtype: Any
    n: Ints
    order: Any
    labels: Sequence[Any] | None
    restore: Callable[[Any], Any]

    @classmethod
    def of(cls, name: str, column: object, groups: object) -> tuple[Batch, Any]:
        """Read a column, and return its flat values too."""
        flat, n = _flatten(name, column, grouped=groups is not None)
        xp, place = array_namespace(flat), device(flat)
        labels = order = None
        if groups is not None:
            labels, n, order = _read_groups(groups, flat.shape[0], name)
            order = _move(order, xp, place)
        info = xp.__array_namespace_info__()
        floats = info.dtypes(device=place, kind="real floating")
        exact = floats.get("float64", floats["float32"])
        kept = info.default_dtypes(device=place)["real floating"]
        if xp.isdtype(flat.dtype, "real floating"):
            kept = flat.dtype

        def restore(values: Any) -> Any:
            if _is_array(column):
                largest = float(xp.max(xp.abs(values)))
                if largest > float(xp.finfo(kept).max):
                    raise ValueError(f"`{name}` must be so small that credits fit in {kept}; got one of {largest:.2g}")
                # `_is_array` says that it has a shape, which a type checker cannot follow.
                return xp.reshape(xp.astype(values, kept), column.shape)  # type: ignore[attr-defined]
            return values.tolist() if labels is not None else Ragged.of_lengths(values, n).listed()

        return cls(xp, place, exact, n, order, labels, restore), flat

    def read(self, name: str, column: object, first: str) -> Any:
        """Read a further column, with the same number of samples as the first one."""
        flat, n = _flatten(name, column, grouped=self.labels is not None)
        self.require_same_samples(name, n, first)
        return _move(flat, self.xp, self.device)

    def require_same_samples(self, name: str, n: Ints, first: str) -> None:
        """Raise if a further column, with n samples in its rows, differs in their number from the first one."""
        if self.labels is None:
            require_same_samples(name, n, first, self.n)
        elif n.sum() != self.n.sum():
            raise ValueError(f"`{name}` and `{first}` must have as many samples; got {n.sum()} and {self.n.sum()}")

    def require_finite(self, values: Any, name: str) -> None:
        """Raise for a number that is not finite, or so large that its square might not be."""
        limit = float(self.xp.finfo(self.dtype).max) ** 0.5 / (8 * int(self.n.sum()))
        rule = f"be finite numbers below {limit:.0e}: count a missing one as 0, or leave it out"
        self.require(self.xp.abs(values) < limit, name, rule, values)

    @cached_property
    def _tables(self) -> list[tuple[int, Any]]:
        """List each n, and the samples of the prompts that have n; None for all samples as they come."""
        sizes = np.unique(self.n).tolist()
        if len(sizes) == 1:
            return [(sizes[0], self.order)]
        start = np.cumsum(self.n) - self.n
        tables = []
        for size in sizes:
            at = self.xp.asarray((start[self.n == size][:, None] + np.arange(size)).reshape(-1), device=self.device)
            tables.append((size, at if self.order is None else self.xp.take(self.order, at)))
        return tables

    def map(self, function: Callable[..., Any], *flats: Any) -> Any:
        """Apply a function to tables of shape (prompts, n), one call for each n, and return its flat results."""
        found, places = [], []
        for n, at in self._tables:
            tables = [self.xp.reshape(flat if at is None else self.xp.take(flat, at), (-1, n)) for flat in flats]
            found.append(self.xp.reshape(self.xp.broadcast_to(function(*tables), tables[0].shape), (-1,)))
            places.append(at)
        values = self.xp.concat(found)
        return values if places[0] is None else self.xp.take(values, self.xp.argsort(self.xp.concat(places)))

    def require(self, right: Any, name: str, rule: str, values: Any) -> None:
        """Raise for the first sample that is not right."""
        if not bool(self.xp.all(right)):
            at = int(self.xp.argmin(self.xp.astype(right, self.dtype)))
            place = f"sample {at}" if self.labels is not None else Ragged.of_lengths(np.empty(0), self.n).place(at)
            raise ValueError(f"`{name}` must {rule}; got {float(values[at])} in {place}")

    def name(self, prompt: int) -> str:
        """Name a prompt, for error messages."""
        if self.labels is None:
            return f"problem {prompt}"
        label = self.labels[prompt]
        return f"group {shorten(to_numpy(label).item() if _is_array(label) else label)}"


def to_numpy(values: Any) -> NDArray[Any]:
    """Copy an array to the host."""
    return np.asarray(values.detach().cpu() if is_torch_array(values) else values)


def _is_array(column: object) -> bool:
    """Return whether a column is an array of numbers without gaps, of any library."""
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "biuf" and not np.ma.is_masked(column)
    return bool(is_array_api_obj(column))


def _move(values: Any, xp: Any, place: Any) -> Any:
    """Bring an array of any library to a device, as one of the library `xp`."""
    return to_device(values, place) if array_namespace(values) is xp else xp.asarray(to_numpy(values), device=place)


def _flatten(name: str, column: Any, *, grouped: bool) -> tuple[Any, Ints]:
    """Return the samples of a column, and how many there are in each of its rows: all in one where it is flat."""
    form = "flat, with the group of each sample in `groups`" if grouped else "rows, one per problem"
    if not _is_array(column):
        if not grouped and isinstance(column, (list, tuple)) and column and isinstance(column[0], NUMBERS):
            raise TypeError(f"`{name}` must be {form}, or come with `groups`; got {shorten(column)}")
        rows = columns.read_numbers([column] if grouped else column, name)
        require_problems(name, len(rows))
        return rows.values, rows.n
    if column.ndim != (1 if grouped else 2) or 0 in column.shape:
        raise ValueError(f"`{name}` must be {form}, and not empty; got an array of shape {tuple(column.shape)}")
    xp = array_namespace(column)
    if not xp.isdtype(column.dtype, ("bool", "integral", "real floating")):
        raise TypeError(f"`{name}` must hold numbers; got an array of {column.dtype}")
    n = np.full(1 if grouped else column.shape[0], column.shape[-1], dtype=np.int64)
    return xp.reshape(column, (-1,)), n


def _read_groups(groups: Any, size: int, first: str) -> tuple[Sequence[Any], Ints, Any]:
    """Return the name of each group, how many samples it has, and the samples in the order of their groups."""
    rule = f"`groups` must name the group of each sample of `{first}`"
    listed = groups
    if not _is_array(groups):
        listed = groups if isinstance(groups, (list, tuple)) else list_rows(groups, "groups", "sample")
    shape = tuple(groups.shape) if _is_array(groups) else (len(listed),)
    if shape != (size,):
        raise ValueError(f"{rule}; got {' × '.join(map(str, shape)) or 'one number'} for {size} samples")
    if _is_array(groups):
        xp = array_namespace(groups)
        names, counts = xp.unique_counts(groups)
        missing = xp.isdtype(names.dtype, "real floating") and bool(xp.any(xp.isnan(names)))
        order = xp.argsort(groups, stable=True)
    else:
        try:
            numbers: dict[Hashable, int] = {name: i for i, name in enumerate(dict.fromkeys(listed))}
        except TypeError as error:
            raise TypeError(f"{rule} by a string, a number or another hashable label; got an {error}") from None
        codes = np.fromiter(map(numbers.__getitem__, listed), dtype=np.int64, count=size)
        names, counts, order = list(numbers), np.bincount(codes), np.argsort(codes, kind="stable")
        missing = any(map(is_missing, replace_na(names)))
    if missing:
        raise ValueError(f"{rule}; got None or NaN")
    return names, to_numpy(counts), order

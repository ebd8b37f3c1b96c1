"""Samples of prompts as trainers hold them: in rows, or flat with the problem of each, in any array library.

They are computed on in double precision by NumPy, and the result goes back to the library and the device they are from.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.lists import list_rows
from at_k.samples import Ragged
from at_k.validation import NUMBERS, is_missing, require_problems, require_same_samples, shorten

arrays: Any
try:
    import array_api_compat as arrays
except (
    ModuleNotFoundError
):  # the core has NumPy alone, whose arrays speak the standard from version 2
    arrays = SimpleNamespace(
        array_namespace=lambda *_: np,
        device=lambda _: "cpu",
        is_array_api_obj=lambda column: isinstance(column, np.ndarray),
        is_torch_array=lambda _: False,
    )

# The square of a number below it, and the sum of the squares of all, are finite.
_LARGEST = float(np.finfo(np.float64).max) ** 0.5 / 8


@dataclass(frozen=True, eq=False)
class Batch:
    """Hold where the samples of each problem are in flat columns.

    Attributes:
        name: the name of the column that came first.
        column: that column, as it came.
        n: samples of each problem.
        order: the samples, those of one problem after the other; None if they came like this, as rows.
        labels: the name of each problem; None if the problems came as rows.
    """

    name: str
    column: Any
    n: Ints
    order: NDArray[np.intp] | None
    labels: Sequence[Any] | None

    @classmethod
    def of(cls, name: str, column: object, problem: object) -> tuple[Batch, Floats]:
        """Read a column, and return its values too, those of one problem after the other."""
        flat, n = _flatten(name, column, is_flat=problem is not None)
        if problem is None:
            return cls(name, column, n, None, None), flat
        batch = cls(name, column, *_read_problems(problem, len(flat), name))
        return batch, flat[batch.order]

    def read(self, name: str, column: object) -> Floats:
        """Read a further column, with the same number of samples as the first one."""
        flat, n = _flatten(name, column, is_flat=self.labels is not None)
        self.require_same_samples(name, n)
        if self.order is None:
            return flat
        return flat[self.order]

    def restore(self, values: Floats) -> Any:
        """Give numbers the shape, order, type and place of the first column."""
        restored = values
        if self.order is not None:
            restored = np.empty_like(values)
            restored[self.order] = values
        if not _is_array(self.column):
            if self.order is not None:
                return restored.tolist()
            return Ragged.of_lengths(restored, self.n).listed()
        xp = arrays.array_namespace(self.column)
        place = arrays.device(self.column)
        kept = self.column.dtype
        if not xp.isdtype(kept, "real floating"):
            kept = xp.__array_namespace_info__().default_dtypes(device=place)["real floating"]
        if (largest := np.abs(restored).max()) > float(xp.finfo(kept).max):
            raise ValueError(
                f"`{self.name}` must be so small that credits fit in {kept}; got one of {largest:.2g}"
            )
        return xp.asarray(restored.reshape(self.column.shape), dtype=kept, device=place)

    def round(self, number: float) -> float:
        """Round a number to the type of the first column: 0.1 in single precision is not above 0.1."""
        if not _is_array(self.column):
            return number
        xp = arrays.array_namespace(self.column)
        if not xp.isdtype(self.column.dtype, "real floating"):
            return number
        with np.errstate(over="ignore"):
            return float(xp.asarray(number, dtype=self.column.dtype))

    def require_same_samples(self, name: str, n: Ints) -> None:
        """Raise if a further column, with n samples in its rows, differs in their number from the first one."""
        if self.labels is None:
            require_same_samples(name, n, self.name, self.n)
        elif n.sum() != self.n.sum():
            raise ValueError(
                f"`{name}` and `{self.name}` must have equally many samples; got {n.sum()} and {self.n.sum()}"
            )

    def require_finite(self, values: Floats, name: str) -> None:
        """Raise for a number that is not finite, or so large that its square might not be."""
        limit = _LARGEST / len(values)
        rule = f"be finite numbers below {limit:.0e}: count a missing one as 0, or leave it out"
        self.require(np.abs(values) < limit, name, rule, values)

    def require(self, right: NDArray[np.bool_], name: str, rule: str, values: Floats) -> None:
        """Raise for the first sample that is not right."""
        if right.all():
            return
        wrong = np.flatnonzero(~right)
        if self.order is None:
            at = int(wrong[0])
        else:
            at = int(wrong[np.argmin(self.order[wrong])])
        if self.order is None:
            place = Ragged.of_lengths(values, self.n).place(at)
        else:
            place = f"sample {self.order[at]}"
        raise ValueError(f"`{name}` must {rule}; got {float(values[at])} in {place}")

    def name_prompt(self, prompt: int) -> str:
        """Name a prompt, for error messages."""
        if self.labels is None:
            return f"problem {prompt}"
        return f"problem {shorten(self.labels[prompt])}"


def to_numpy(values: Any) -> NDArray[Any]:
    """Copy an array of any library to the host, floats in double precision."""
    if arrays.is_torch_array(values):  # NumPy has no bfloat16
        values = values.detach().cpu()
        if values.is_floating_point():
            values = values.double()
    array: NDArray[Any] = np.asarray(values)
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.float64)


def _is_array(column: object) -> bool:
    """Return whether a column is an array of numbers without gaps, of any library."""
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "biuf" and not np.ma.is_masked(column)
    return bool(arrays.is_array_api_obj(column))


def _flatten(name: str, column: Any, *, is_flat: bool) -> tuple[Floats, Ints]:
    """Return the samples of a column, and how many there are in each of its rows: all in one where it is flat."""
    form = (
        "flat, with the problem of each sample in `problem`" if is_flat else "rows, one per problem"
    )
    if not _is_array(column):
        if (
            not is_flat
            and isinstance(column, (list, tuple))
            and column
            and isinstance(column[0], NUMBERS)
        ):
            raise TypeError(
                f"`{name}` must be {form}, or come with `problem`; got {shorten(column)}"
            )
        rows = columns.read_numbers([column] if is_flat else column, name)
        require_problems(name, len(rows))
        return rows.values, rows.n
    if column.ndim != (1 if is_flat else 2) or 0 in column.shape:
        raise ValueError(
            f"`{name}` must be {form}, and not empty; got an array of shape {tuple(column.shape)}"
        )
    if not arrays.array_namespace(column).isdtype(
        column.dtype, ("bool", "integral", "real floating")
    ):
        raise TypeError(f"`{name}` must hold numbers; got an array of {column.dtype}")
    n = np.full(1 if is_flat else column.shape[0], column.shape[-1], dtype=np.int64)
    return to_numpy(column).reshape(-1).astype(np.float64), n


def _read_problems(
    problem: Any, size: int, first: str
) -> tuple[Ints, NDArray[np.intp], Sequence[Any]]:
    """Return how many samples each problem has, the samples in the order of these, and their names."""
    rule = f"`problem` must name the problem of each sample of `{first}`"
    listed = None
    if not _is_array(problem):
        listed = list_rows(problem, "problem", "sample")
    if listed is None:
        shape = tuple(problem.shape)
    else:
        shape = (len(listed),)
    if shape != (size,):
        raise ValueError(
            f"{rule}; got {' × '.join(map(str, shape)) or 'one number'} for {size} samples"
        )
    if listed is None:  # a dictionary takes 3.4 times as long for a million samples
        values, seen, which = np.unique(to_numpy(problem), return_index=True, return_inverse=True)
        order = np.argsort(seen)
        names = values[order].tolist()
        codes = np.argsort(order)[which]
    else:
        try:
            numbers: dict[Hashable, int] = {name: i for i, name in enumerate(dict.fromkeys(listed))}
        except TypeError as error:
            raise TypeError(
                f"{rule} by a string, a number or another hashable label; got an {error}"
            ) from None
        names = list(numbers)
        codes = np.fromiter(map(numbers.__getitem__, listed), dtype=np.int64, count=size)
    if any(map(is_missing, names)):
        raise ValueError(f"{rule}; got None or NaN")
    return np.bincount(codes), np.argsort(codes, kind="stable"), names

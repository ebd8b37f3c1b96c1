"""The rows of one model, where a file holds the results of several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, SeveralModelsError
from at_k.readers.coding import encode, is_arrow
from at_k.readers.quoting import normalize_name, quote, quote_all, shorten
from at_k.validation import type_name

MODEL_NAMES = (
    *("model", "model_name", "model_id", "model_path", "model_name_or_path", "model_version", "llm", "engine"),
    *("provider", "system", "run", "checkpoint", "ckpt"),
)
"""Names of columns in which each value stands for a data set of its own."""

STEP_NAMES = ("step", "global_step", "training_step")
"""Names of columns that tell checkpoints apart between files; within a file they may count the steps of an agent."""

SET_NAMES = ("dataset", "dataset_name", "data_source", "benchmark", "task", "task_name", "subset")
"""Names of columns in which each value stands for a set of problems, whose ids may be those of another set."""

_DEEPEST = 5
"""Names in the longest path at which models are looked for: a column, and four levels of objects in it."""


def has_name(column: str, names: Collection[str]) -> bool:
    """Return whether a column, or the nested field that its dotted name stands for, has one of these names.

    Examples:
        >>> has_name("Model Name", MODEL_NAMES), has_name("provider.label", MODEL_NAMES), has_name("id", MODEL_NAMES)
        (True, True, False)
    """
    *outer, last = map(normalize_name, column.split("."))
    return (outer[-1] if outer and last in ("label", "name", "id") else last) in names


def find_nested(row: Mapping[str, object], outer: str = "") -> dict[str, object]:
    """Find the fields within the objects of a row that name its model or its set of problems.

    Examples:
        >>> find_nested({"id": 1, "provider": {"id": "openai:a", "label": "a"}, "meta": {"model": "b", "n": 1}})
        {'provider.label': 'a', 'provider.id': 'openai:a', 'meta.model': 'b'}
        >>> find_nested({"calls": [{"model": "a"}, {"model": "b"}, {"model": "a"}]})
        {'calls.model': 'a, b'}
    """
    found: dict[str, object] = {}
    for name in sorted(row, key=lambda name: name != "label"):  # a label says more than the id beside it
        value, path = row[name], f"{outer}{name}"
        if isinstance(value, dict) and path.count(".") + 1 < _DEEPEST:
            found |= find_nested(value, f"{path}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            parts = [find_nested({name: part}, outer) for part in value if isinstance(part, dict)]
            for field in dict.fromkeys(chain.from_iterable(parts)):
                said = list(dict.fromkeys(part[field] for part in parts if field in part))
                found[field] = said[0] if len(said) == 1 else ", ".join(map(str, said))
        elif outer and isinstance(value, (str, int, float)) and has_name(path, (*MODEL_NAMES, *SET_NAMES)):
            found[path] = value
    return found


_UNKNOWN = object()


def select_rows(
    columns: Mapping[str, Sequence[object]],
    *,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    used: Collection[str | None] = (),
) -> list[int] | None:
    """Choose the rows to score, and refuse rows of several models.

    Args:
        columns: column → one value per row.
        where: column → the value, or list of values, of the rows to keep. Numbers and truth values may be given as
            text: "1" is 1, and "true" is True.
        pool: columns of models whose rows are samples of one model after all.
        used: columns that have a role, and so are not looked at.

    Returns:
        The positions of the rows to keep, counted from 0; None for all of them.

    Raises:
        InputError: if `where` or `pool` names a column that does not exist, if `where` asks for a value that no row
            has, or if the rows are of several models. The error lists what there is.
        TypeError: if `where` is not a mapping, or `pool` neither a name nor a list of names.

    Examples:
        >>> columns = {"model": ["a", "a", "b"], "correct": [1, 0, 1]}
        >>> select_rows(columns, where={"model": "a"})
        [0, 1]
        >>> select_rows(columns, pool="model") is None
        True
        >>> select_rows(columns)
        Traceback (most recent call last):
            ...
        at_k.errors.SeveralModelsError: Column “model” has several values: “a”, “b”. To score one of them, keep \
only its rows: `where={"model": "a"}`. If all rows are samples of one model, say so: `pool="model"`.
    """
    if where is not None and not isinstance(where, Mapping):
        raise TypeError(f"`where` must map columns to values; got {type_name(where)}")
    if not isinstance(pool, (str, Sequence)):
        raise TypeError(f"`pool` must be the name of a column or a list of names; got {type_name(pool)}")
    pooled = (pool,) if isinstance(pool, str) else tuple(pool)
    for name in (*(where or ()), *pooled):
        if name not in columns:
            raise InputError(
                "models.no_column",
                "There is no column {column} to choose rows by. The columns are: {columns}.",
                column=quote(name),
                columns=quote_all(columns),
            )
    kept = _filter_rows(columns, where) if where else None
    for name in columns:
        if not has_name(name, MODEL_NAMES) or name in used or name in pooled:
            continue
        if not any(other.startswith(f"{name}.") for other in columns):  # else it is read within
            codes, known = _encode(columns[name])
            found = dict.fromkeys((codes if kept is None else codes[kept]).tolist())
            refuse_several(name, [known[code] for code in found])
    return kept


def _filter_rows(columns: Mapping[str, Sequence[object]], where: Mapping[str, object]) -> list[int]:
    """Return the positions of the rows that have one of the wanted values in every column of `where`."""
    kept: NDArray[np.bool_] | None = None
    for name, wanted in where.items():
        codes, values = _encode(columns[name])
        known = {_spell(value) for value in values}
        choices = _list(wanted)
        for value in choices:
            if _spell(value) not in known:
                raise InputError(
                    "models.no_value",
                    "No row has {value} in column “{column}”. Its values are: {values}.",
                    value=quote(value),
                    column=shorten(name),
                    values=quote_all(values),
                )
        accepted = set(map(_spell, choices))
        flags = np.array([_spell(value) in accepted for value in values], dtype=bool)[codes]
        kept = flags if kept is None else kept & flags
    if kept is None or not kept.any():
        raise no_rows()
    return [int(place) for place in np.flatnonzero(kept)]


class Selection:
    """Choose the rows of a file one by one, as `select_rows` does for columns.

    Args:
        where: as of `select_rows`.
        pool: columns whose rows are samples of one model after all.

    Examples:
        >>> selection = Selection({"model": "a"})
        >>> [selection.keeps({"model": name}) for name in "aab"]
        [True, True, False]
    """

    def __init__(self, where: Mapping[str, object] | None = None, pool: Collection[str] = ()) -> None:
        self.where = {name: set(map(_spell, _list(wanted))) for name, wanted in (where or {}).items()}
        self._pool = {*pool}
        self._seen: set[str] = set()  # the columns that rows have
        self._models: dict[str, object] = {}  # column of models → its value in the first row that was kept
        self._has_kept = False

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Return whether `where` asks for a row.

        Raises:
            InputError: if the rows that were kept are of several models.
        """
        if not self._seen.issuperset(row):
            earlier = None if self._has_kept else _UNKNOWN  # rows that were kept, and did not name a model
            new = [name for name in row if name not in self._seen]
            self._models |= {name: earlier for name in new if has_name(name, MODEL_NAMES)}
            self._seen.update(row)
        for name, wanted in self.where.items():
            if _spell(row.get(name)) not in wanted:
                return False
        for name, first in self._models.items():
            value = row.get(name)
            if first is _UNKNOWN:
                self._models[name] = value
            elif value != first and name not in self._pool:
                refuse_several(name, [first, value])
        self._has_kept = True
        return True

    def refuse_unknown(self, subject: Mapping[str, str]) -> None:
        """Raise if `where` or `pool` names something that no row has. What the file is of may be pooled, too."""
        for name in ({**self.where} | dict.fromkeys(self._pool)).keys() - self._seen:
            if name in self.where:
                raise InputError(
                    "collector.no_column",
                    "There is no column {column} in this file for {option:where} to choose rows by.",
                    column=quote(name),
                )
            if name not in subject:
                raise InputError(
                    "collector.no_pool",
                    "There is no column {column} in this file for {option:pool} to name. It may name a column of the "
                    "file, or one of: {names}.",
                    column=quote(name),
                    names=quote_all([*subject, "file"]),
                )


def find_step(steps: Iterable[object], pool: Collection[str]) -> dict[str, str]:
    """Return the step of a training run that a file is of, as what must be the same in all files that are merged.

    Args:
        steps: the values of its column `step`.
        pool: columns whose rows are samples of one model after all.

    Raises:
        InputError: if there are several steps, which are different weights.

    Examples:
        >>> find_step([20, 20], [])
        {'training step': '20'}
    """
    found = [] if "step" in pool else list(dict.fromkeys(_spell(step) for step in steps if step is not None))
    if len(found) > 1:
        raise InputError(
            "collector.steps",
            "This file holds several training steps, which are different weights: {steps}. To score one of them, keep "
            "only its rows: {where}.",
            steps=quote_all(found),
            where=Mention(where={"step": found[0]}),
        )
    return {"training step": str(found[0])} if found else {}


def no_rows() -> InputError:
    """Make the error that says that `where` leaves nothing."""
    return InputError("models.no_rows", "No row has all of the values that {option:where} asks for.")


def refuse_several(name: str, values: Sequence[object]) -> None:
    """Raise if the rows that are kept have several values in a column, each of which stands for a data set."""
    if len(values) > 1:
        example = next(value for value in values if value is not None)
        raise SeveralModelsError(
            "models.several",
            "Column “{column}” has several values: {values}. To score one of them, keep only its rows: {where}. "
            "If all rows are samples of one model, say so: {pool}.",
            column=shorten(name),
            values=quote_all(values),
            where=Mention(where={shorten(name): simplify(example)}),
            pool=Mention(pool=shorten(name)),
        )


def _encode(column: Sequence[object]) -> tuple[NDArray[np.int64], list[object]]:
    """Return the code of each value, and the different values in order of first appearance, with None."""
    if is_arrow(column):
        codes, values = encode(column)
        if not len(codes) or codes.min() >= 0:
            return codes, values
        return np.where(codes < 0, len(values), codes), [*values, None]
    found: dict[str | None, int] = {}
    numbered = np.fromiter((found.setdefault(_spell(value), len(found)) for value in column), np.int64, len(column))
    firsts = np.unique(numbered, return_index=True)[1]
    return numbered, [column[int(first)] for first in firsts]


def _list(wanted: object) -> list[object]:
    return list(wanted) if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]


def _spell(value: object) -> str | None:
    """Return a value as text, so that 1 and "1" are the same; None stays None."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return None if value is None else str(value)


def simplify(value: object) -> object:
    """Return a name or a value as a message may mention it: short, and in characters that can be sent."""
    return value if isinstance(value, (bool, int, float)) else shorten(str(value))

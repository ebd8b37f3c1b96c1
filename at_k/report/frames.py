"""Select the columns and rows to score from a data set of any library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from at_k.arrow import find_table, to_chunks
from at_k.columns import Rows, read_groups, require_columns, require_same_problems
from at_k.errors import InputError
from at_k.readers.models import MODEL_NAMES, select_rows
from at_k.readers.prompts import join_prompts
from at_k.readers.quoting import normalize_name
from at_k.rows import replace_na
from at_k.validation import shorten, type_name

COLUMNS = ("problem", "answers", "references", "grades", "scores", "group")
"""The columns of a data set."""

_IDS = ("problem_id", "task_id", "doc_id", "question_id", "id", "uid")
"""Names of columns that name the problems of a data set without a column `problem`."""


def select_frame(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None,
    where: Mapping[str, object] | None,
    pool: str | Sequence[str],
    prompt_column: str | None = None,
) -> dict[str, Any]:
    """Select the columns of a data set by their roles, and its rows. Pooled rows of a problem become one.

    Beside the roles, `rows` has what the columns say of each problem.
    """
    whole = {name: column for name, column in read_frame(data).items() if name not in COLUMNS or not is_null(column)}
    called: dict[str, str | None] = {name: name for name in COLUMNS if name in whole}
    name = next((name for name in whole if normalize_name(name) in _IDS), None)
    if name is not None:
        called.setdefault("problem", name)
    called |= dict(columns or {})
    require_columns(called, COLUMNS, whole)
    frame = {role: whole[column] for role, column in called.items() if column is not None}
    if "grades" not in frame and not ("answers" in frame and "references" in frame):
        raise InputError(
            "data.nothing_to_score",
            "`data` must have a column `grades`, or `answers` and `references`; it has {columns}. Say with "
            "{option:columns} what others are called, or read a file with `at_k.read_results`.",
            columns=", ".join(map(repr, list(whole)[:20])) or "no columns",
        )
    if prompt_column is not None:
        frame |= join_prompts(whole, called, prompt_column)
    used = [column for column in called.values() if column is not None]
    looked_at = {*(where or ()), *([pool] if isinstance(pool, str) else pool)}
    looked_at |= {name for name in whole if normalize_name(name) in MODEL_NAMES}
    values = {name: list_values(column) if name in looked_at else column for name, column in whole.items()}
    rows = select_rows(values, where=where, pool=pool, used=used)
    if rows is not None:
        frame = {role: _take(column, rows) for role, column in frame.items()}
    order = rows
    if pool and "problem" in frame:
        names = read_groups(frame["problem"], "problem")
        firsts = {name: row for row, name in reversed(list(enumerate(names)))}
        order = [firsts[name] if rows is None else rows[firsts[name]] for name in dict.fromkeys(names)]
        frame = pool_rows(frame)
    of_samples = {called.get(role) for role in ("answers", "grades", "scores")}
    others = {name: column for name, column in whole.items() if name not in of_samples and hasattr(column, "__len__")}
    return frame | {"rows": Rows(others, order)}


def is_null(column: Any) -> bool:
    """Return whether a column has no value at all, as a data set that was read has where the file has nothing."""
    chunks = to_chunks(column)
    return chunks is not None and bool(chunks) and all(chunk.null_count == len(chunk) for chunk in chunks)


def list_values(column: Any) -> list[Any]:
    """List the values of a column; those of Arrow as Python holds them."""
    return list(column.to_pylist()) if hasattr(column, "to_pylist") else list(column)


def _take(column: Any, rows: Sequence[int]) -> Any:
    if hasattr(column, "to_pylist"):
        return column.take(rows)
    listed = column if isinstance(column, list) else list(column)
    return [listed[row] for row in rows]


def pool_rows(frame: dict[str, Any]) -> dict[str, Any]:
    """Join the rows of each problem: their samples, in the order of the rows."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(read_groups(frame["problem"], "problem")):
        rows.setdefault(name, []).append(row)
    joined: dict[str, Any] = {"problem": list(rows)}
    for role, column in frame.items():
        listed = replace_na(list_values(column))
        if role in ("answers", "grades", "scores"):
            for row, samples in enumerate(listed):
                if isinstance(samples, (str, bytes, Mapping)) or not isinstance(samples, Iterable):
                    raise TypeError(
                        f"`{role}` must hold a list of samples in every row; got {shorten(samples)} of type "
                        f"{type_name(samples)} in row {row}"
                    )
            joined[role] = [list(chain.from_iterable(listed[row] for row in own)) for own in rows.values()]
        elif role != "problem":
            joined[role] = [take_agreed(role, name, [listed[row] for row in own]) for name, own in rows.items()]
    return joined


def take_agreed(role: str, problem: str, values: list[Any]) -> Any:
    """Take what the rows of a problem agree on."""
    spelled = [list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value for value in values]
    for other in spelled[1:]:
        if other != spelled[0]:
            raise InputError(
                "data.pool_differs",
                "`{role}` must be the same in all rows of a problem that are pooled; problem {problem} has {first} and "
                "{second}",
                role=role, problem=shorten(problem), first=shorten(spelled[0]), second=shorten(other),
            )  # fmt: skip
    return values[0]


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
        table = find_table(data)
        if table is not None:
            return {name: table.column(name) for name in names}
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
            raise TypeError(
                f"`data` must be a list of rows, each a mapping; got {type_name(row)} in row {number}. Lists of "
                'samples are a column: {"grades": [[1, 0], [1, 1]]}, or {"answers": …, "references": …}'
            )
    names = dict.fromkeys(str(name) for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def read_names(column: Any, n_problems: int) -> list[str]:
    """Read the name of each problem. Without a column, the problems are numbered from 0."""
    if column is None:
        return list(map(str, range(n_problems)))
    names = read_groups(column, "problem")
    require_same_problems("problem", len(names), "data", n_problems)
    if len(set(names)) == len(names):
        return names
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if first.setdefault(name, row) != row:
            raise InputError(
                "data.same_problem",
                "`problem` must name each problem once; {name} is in rows {first} and {row}. If each row is a sample, "
                "bring those of a problem together by `at_k.group_samples`, or read the file by `at_k.read_results`; "
                "rows of lists are joined by {option:pool}.",
                name=shorten(name), first=first[name], row=row,
            )  # fmt: skip
    return names


def read_labels(groups: object, column: Any, n_problems: int, name: str = "groups") -> list[str] | None:
    """Read the group of each problem, from the labels that were given or from the column; None without groups."""
    if groups is False:
        return None
    given = column if groups is None or groups is True else groups
    if given is None:
        return None
    labels = read_groups(given, name)
    require_same_problems(name, len(labels), "data", n_problems)
    return labels


def read_clusters(clusters: object, labels: list[str] | None, column: Any, n_problems: int) -> list[str] | None:
    """Read the cluster of each problem: the labels that were given, or, for True, its group."""
    if clusters is None or clusters is False:
        return None
    if clusters is not True:
        return read_labels(clusters, None, n_problems, "clusters")
    found = labels or read_labels(True, column, n_problems, "clusters")
    if found is None:
        raise InputError(
            "data.no_clusters",
            "{option:clusters} are the groups, but the data have none. Give a label for each problem, or name the "
            "column of the groups by {option:columns}.",
        )
    return found

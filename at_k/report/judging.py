"""Read a data set in any form, and judge its samples once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from os import PathLike, fspath
from typing import Any

import numpy as np

from at_k.arrow import find_table, make_table, to_chunks
from at_k.columns import read_groups, read_problems, require_columns
from at_k.combinatorics import Ints
from at_k.errors import InputError, Mention, Phrases, Question
from at_k.grading import Verdicts, find_checker, judge, takes_row
from at_k.grading.verdicts import MissingSamplesError
from at_k.options.registry import INDEPENDENT, JUDGING_OPTIONS, UNTIL_SUCCESS
from at_k.readers import COUNT_ROLES, Samples, is_paths, read_samples
from at_k.readers.arrays import list_cells
from at_k.readers.files.sources import IN_MEMORY, Source
from at_k.readers.names import MODEL, normalize_name, quote
from at_k.readers.objects import (
    choose_split,
    hold,
    holds_columns,
    holds_lists,
    holds_splits,
    is_rows,
    write_source,
)
from at_k.readers.samples import SAMPLE_ROLES
from at_k.readers.tables.choosing import leave_out, select_rows
from at_k.readers.tables.prompts import find_tests, gather_tests, join_prompts
from at_k.readers.tables.readings import grade_cut, offer_choice, offer_policies, offering
from at_k.report.data import Judged
from at_k.report.notes import describe_reading, find_conditions
from at_k.report.report import refuse_report
from at_k.samples import Problems, Rows
from at_k.validation import (
    K,
    check_cut,
    check_k,
    is_integer,
    is_sequence,
    require_problems,
    require_same_problems,
    shorten,
    type_name,
)

_say = Phrases(
    {
        "data.nothing_to_score": "`data` must have a column `grades`, or `answers` and "
        "`references`; it has {columns}. Say with {option:columns} what others are called, or "
        "read a file with `at_k.read_results`.",
        "data.same_column": "`data` must have one column {name}; it has several. Rename all but "
        "one of them.",
        "data.same_problem": "`problem` must name each problem once; {name} is in rows {first} "
        "and {row}. If each row is a sample, score the table with a verdict in each row, or read "
        "the file by `at_k.read_results`; join the lists of rows of one problem.",
        "data.no_clusters": "{option:clusters} are the groups, but the data have none. Give a "
        "label for each problem, or name the column of the groups by {option:columns}.",
        "data.two_groups": "The clusters are the groups, and {name} is another column than that of "
        "the groups. Name the same one by {option:groups} and {option:clusters}, or leave one out.",
        "missing.grades": "Samples without a grade: {count:,} of {total:,}, such as sample "
        "{sample} of problem {name}, counted from 0.\n{option:missing=incorrect} counts them as "
        "wrong, {option:missing=drop} leaves them out.",
        "missing.answers": "Samples without an answer: {count:,} of {total:,}, such as sample "
        "{sample} of problem {name}, counted from 0.\n{option:missing=incorrect} counts them as "
        "wrong, {option:missing=drop} leaves them out.",
        "stopped.missing": "Where sampling stopped at the first success, no sample can be "
        "missing; {count:,} are. Leave the problems that have them out of the file, or name them "
        "in one: {option:exclude=names.txt}.",
        "stopped.unlike": "Where sampling stopped at the first success, the last sample of a "
        "problem is its only correct one, or none of {cap:,} is correct. In problem {problem}, "
        "{c:,} of {n:,} samples are correct. If samples were drawn independently, add "
        "{option:sampling=independent}.",
        "stopped.k_above_cap": "Sampling stopped after {cap:,} samples, which show pass@k for k "
        "up to {cap:,}; got {option:k} = {k}.",
        "stopped.target": "{option:target=problem_set} asks how other samples of these problems "
        "would do, which samples that stopped at the first success do not show. Leave it out.",
        "stopped.unsaid": "Sampling stopped at the first success: each problem has at most one "
        "correct sample, its last one, and those without have {cap:,} samples. The share of "
        "problems solved within k samples is all that is defined: {values}.\nAsk for it: "
        "{option:sampling=until_success}. If the samples were drawn independently all the same, "
        "add {option:sampling=independent}.",
        "options.not_a_file": "The options {names} say how a file is read, but the data are in "
        "memory. Leave them out, or give the path of a file.",
    }
)


# The columns of a data set.
COLUMNS = ("problem", "answers", "references", "grades", "scores", "group")

# Names of columns that name the problems of a data set without a column `problem`.
_IDS = ("problem_id", "task_id", "doc_id", "question_id", "id", "uid")


def select_frame(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None,
    where: Mapping[str, object] | None,
    prompt_column: str | None = None,
) -> dict[str, Any]:
    """Select the columns of a data set by their roles, and its rows."""
    # Beside the roles, `rows` has what the columns say of each problem.
    frame = read_frame(data)
    absent = [name for name in COLUMNS if name in frame and is_null(frame[name])]
    whole = {name: column for name, column in frame.items() if name not in absent}
    called: dict[str, str | None] = {name: name for name in COLUMNS if name in whole}
    name = next((name for name in whole if normalize_name(name) in _IDS), None)
    if name is not None:
        called.setdefault("problem", name)
    if "predictions" in whole and "answers" not in called:
        # Modules call answers so, and grades in the configuration "graded".
        called.setdefault("answers" if "references" in whole else "grades", "predictions")
    called |= dict(columns or {})
    require_columns(called, COLUMNS, whole)
    frame = {role: whole[column] for role, column in called.items() if column is not None}
    tests = []
    if "grades" not in frame:
        tests = find_tests(whole)
    if tests and called.get("references", "test_list") == "test_list":
        frame["references"] = gather_tests(whole, tests)
    if "grades" not in frame and not ("answers" in frame and "references" in frame):
        raise _say.error(
            "data.nothing_to_score", columns=", ".join(map(repr, list(whole)[:20])) or "no columns"
        )
    if prompt_column is not None:
        frame |= join_prompts(whole, called, prompt_column)
    used = [column for column in called.values() if column is not None]
    values = dict(whole)
    for name, column in whole.items():
        if name in (where or ()) or normalize_name(name) in MODEL:
            values[name] = list_cells(column)
    rows = select_rows(values, where=where, used=used)
    if rows is not None:
        frame = {role: _take(column, rows) for role, column in frame.items()}
    of_samples = {called.get(role) for role in ("answers", "grades", "scores")}
    others = {
        name: column
        for name, column in whole.items()
        if name not in of_samples and hasattr(column, "__len__")
    }
    return frame | {"rows": Rows(others, rows)}


def is_null(column: Any) -> bool:
    """Return whether a column has no value at all, as a data set that was read has where the file has nothing."""
    chunks = to_chunks(column)
    return (
        chunks is not None
        and bool(chunks)
        and all(chunk.null_count == len(chunk) for chunk in chunks)
    )


def _take(column: Any, rows: Sequence[int]) -> Any:
    if hasattr(column, "to_pylist"):
        return column.take(rows)
    listed = column
    if not isinstance(column, list):
        listed = list(column)
    return [listed[row] for row in rows]


def read_frame(data: Any) -> dict[str, Any]:
    """List the columns of a data set by name. They stay as they are held: Arrow columns stay in Arrow."""
    if isinstance(data, Mapping):
        if holds_splits(data):
            return read_frame(choose_split(data, None)[0])
        return {str(name): column for name, column in data.items()}
    columns = getattr(data, "column_names", None)
    if not isinstance(columns, (list, tuple)):
        columns = getattr(data, "columns", None)
    if columns is not None and hasattr(
        data, "__getitem__"
    ):  # Dataset, pyarrow.Table, pandas, Polars
        if len({*map(str, columns)}) < len(columns):
            names = sorted(map(str, columns))
            twice = next(name for name, other in pairwise(names) if name == other)
            raise _say.error("data.same_column", name=shorten(twice))
        table = find_table(data)
        return {str(name): (data if table is None else table)[name] for name in columns}
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return {"grades": data}
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _read_rows(data)
    raise TypeError(
        "`data` must be a data set with columns: a datasets.Dataset, a pandas or Polars frame, an Arrow table, a "
        f"mapping of columns, a list of rows, or the path of a file; got {type_name(data)}"
    )


def _read_rows(rows: Sequence[Any]) -> dict[str, Any]:
    if len(rows) and all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        return {"grades": rows}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"`data` must be a list of rows, each a mapping; got {type_name(row)} in row {number}. Lists of "
                'samples are a column: {"grades": [[1, 0], [1, 1]]}, or {"answers": …, "references": …}'
            )
    names = dict.fromkeys(str(name) for row in rows for name in row)
    columns = {}
    for name in names:
        columns[name] = [row.get(name) for row in rows]
    return columns


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
            raise _say.error("data.same_problem", name=shorten(name), first=first[name], row=row)
    return names


def read_labels(
    groups: object, column: Any, n_problems: int, name: str = "groups"
) -> list[str] | None:
    """Read the group of each problem, from the labels that were given or from the column; None without groups."""
    if groups is False:
        return None
    source = column if groups is None or groups is True else groups
    if source is None:
        return None
    labels = read_groups(source, name)
    require_same_problems(name, len(labels), "data", n_problems)
    return labels


def read_clusters(
    clusters: object, labels: list[str] | None, column: Any, n_problems: int
) -> list[str] | None:
    """Read the cluster of each problem: the labels that were given, or, for True, its group."""
    if clusters is None or clusters is False:
        return None
    if clusters is not True:
        return read_labels(clusters, None, n_problems, "clusters")
    groups = labels or read_labels(True, column, n_problems, "clusters")
    if groups is None:
        raise _say.error("data.no_clusters")
    return groups


def judge_data(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    prompt_column: str | None = None,
    groups: object = False,
    clusters: object = None,
    sampling: str | None = None,
    **options: Any,
) -> Judged:
    """Read and judge a data set. The arguments and errors are those of `at_k.score`.

    Examples:
        >>> judge_data({"answers": [["7", "9"]], "references": ["7"]}).verdicts.c
        array([1])
    """
    refuse_report(data)
    groups, clusters, columns = _name_groups(groups, clusters, columns or {})
    if isinstance(data, Mapping) and is_integer(data.get("n")) and is_sequence(data.get("c")):
        data = {**data, "n": [data["n"]] * len(data["c"])}
    source = find_source(data)
    if source is None:
        data, where = _choose_split(hold(data), where)
    judging = {name: options.pop(name) for name in JUDGING_OPTIONS if name in options}
    with_rows = takes_row(find_checker(judging.get("check_correct_fn", "exact_match")))
    cut = check_cut(judging.get("correct_above", 0.5))
    token = grade_cut.set(cut)
    try:
        data = _read_data(
            data,
            columns=columns,
            where=where,
            pool=pool,
            prompt_column=prompt_column,
            meta=with_rows,
            **options,
        )
    finally:
        grade_cut.reset(token)
    whole = data
    if isinstance(data, Samples) and judging.get("missing") == "drop" and data.n_missing:
        data = data.drop_unjudged()
    origin = data.origin if isinstance(data, Samples) else None
    if isinstance(data, Samples):
        frame = data.columns()
        extra = {role: column for role, column in frame.items() if role not in SAMPLE_ROLES}
        frame["rows"] = Rows(
            extra | {data.roles.get(role) or role: column for role, column in extra.items()}
        )
    else:
        frame = select_frame(data, columns=columns, where=where, prompt_column=prompt_column)
    problems = read_problems(
        **{role: frame.get(role) for role in ("answers", "references", "grades", "scores")}
    )
    require_problems("data", len(problems))
    names = read_names(frame.get("problem"), len(problems))
    named = (frame if origin is None else origin.roles).get("problem") is not None
    # Labels are read first: judging may take minutes, and wrong labels should not waste them.
    labels = read_labels(groups, frame.get("group"), len(problems))
    together = read_clusters(clusters, labels, frame.get("group"), len(problems))
    try:
        verdicts = judge(
            problems, **judging, rows=frame["rows"], name=name_samples(problems), warn=False
        )
        verdicts = settle_sampling(verdicts, sampling, names)
    except MissingSamplesError as error:
        refusal = count_missing(error, problems, names)
        parts = problems.grades or ()
        if len(parts) == 1:
            refusal.ask = partial(offer_policies, parts[0], cut)
        raise refusal from None
    notes = []
    if origin is not None:
        notes = list(describe_reading(origin))
    conditions = find_conditions(data)
    rest = names, labels, together, notes, conditions, source, origin, named, frame["rows"]
    if not isinstance(whole, Samples):
        return Judged(problems, verdicts, *rest)
    gone = len(whole.problems) - len(problems), int(whole.n.sum() - problems.n.sum())
    return Judged(problems, verdicts, *rest, whole.reasons, *gone)


def _name_groups(
    groups: object, clusters: object, columns: Mapping[str, str | None]
) -> tuple[object, object, Mapping[str, str | None]]:
    """Give the role group to the column that groups or clusters name; groups are shown where they are asked for."""
    named = {name for name in (groups, clusters) if isinstance(name, str)}
    if not named:
        return groups, clusters, columns
    if isinstance(clusters, str) and len(named | {columns.get("group", clusters)}) > 1:
        raise _say.error("data.two_groups", name=shorten(clusters))
    columns = {"group": named.pop(), **columns}
    if isinstance(groups, str):
        groups = None
    elif groups is None:
        groups = False
    if isinstance(clusters, str):
        clusters = True
    return groups, clusters, columns


def _choose_split(
    data: Any, where: Mapping[str, object] | None
) -> tuple[Any, Mapping[str, object] | None]:
    """Choose one of several data sets, each of which is a reading; other data stay."""
    if not holds_splits(data):
        return data, where

    def read(options: Mapping[str, Any]) -> Samples:
        part, rest = choose_split(data, options["where"])
        return read_rows(hold(part), is_document=False, columns={}, where=rest)

    with offering(read, {}, lambda _: None):
        part, rest = choose_split(data, where)
        return hold(part), rest


def _read_data(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None,
    where: Mapping[str, object] | None,
    pool: str | Sequence[str],
    prompt_column: str | None,
    meta: bool,
    **options: Any,
) -> Any:
    """Read data that are a file, or mean what a file of them would; columns of problems stay as they are."""
    shared: dict[str, Any] = {"where": where, "pool": pool, "prompt_column": prompt_column}
    if find_source(data) is not None:
        return read_samples(data, columns=columns, **shared, meta=meta, **options)
    exclude = options.get("exclude")
    if isinstance(data, Samples):
        return _leave_out(data, exclude)
    called = columns or {}
    is_document = _is_document(data, called)
    if is_document or pool or is_read_as_file(data, called):
        taken = (*_OF_ROWS, *(_OF_DOCUMENTS if is_document else ()))
        rules = {name: options.pop(name) for name in taken if name in options}
        _refuse_unread({**options, "exclude": None})
        samples = read_rows(
            data, is_document=is_document, columns=called, **shared, **rules, meta=meta
        )
        return _leave_out(samples, exclude)
    _refuse_unread(options)
    return data


def _leave_out(samples: Samples, exclude: Any) -> Samples:
    """Leave out the problems that are named, if some are."""
    if exclude is None:
        return samples
    return leave_out(samples, exclude)


def _refuse_unread(options: Mapping[str, Any]) -> None:
    """Raise if options say how a file is read, and the data are none."""
    unread = [name for name, value in options.items() if value != _NO_READING[name]]
    if unread:
        raise _say.error("options.not_a_file", names=Mention(*unread))


def count_missing(
    error: MissingSamplesError, problems: Problems, names: Sequence[str]
) -> InputError:
    """Say of an error about a missing sample how many there are, and how its problem is called."""
    absent = [np.isnan(part.values) for part in problems.grades or ()]
    if problems.answers is not None and not absent:
        absent = [problems.answers.codes.values < 0]
    values = {
        **error.values,
        "total": int(problems.n.sum()),
        "name": quote(names[error.values["problem"]]),
    }
    values["count"] = sum(int(flags.sum()) for flags in absent)
    return _say.error(f"missing.{name_samples(problems)}", **values)


def name_samples(problems: Problems) -> str:
    """Return the name of the column that an error about a missing sample names."""
    return "answers" if problems.grades is None else "grades"


def find_source(data: Any) -> str | list[str] | None:
    """Return the path that data are, or the list of paths; None for data in memory."""
    if not is_paths(data):
        return None
    if isinstance(data, (str, PathLike)):
        return fspath(data)
    return list(map(fspath, data))


def _is_document(data: Any, columns: Mapping[str, str | None]) -> bool:
    """Return whether data are read as the document that they would be in a file: a mapping of problems, or rows."""
    if isinstance(data, Mapping):
        return bool(data) and not holds_columns(data)
    if is_rows(data):
        return is_read_as_file(data, columns)
    return isinstance(data, bytes) or holds_lists(data)


def is_read_as_file(data: Any, columns: Mapping[str, str | None]) -> bool:
    """Return whether data in memory are a table that is read as a file of it would be.

    Examples:
        >>> is_read_as_file({"id": ["p", "p"], "correct": [1, 0]}, {})
        True
        >>> is_read_as_file({"id": ["p", "q"], "grades": [[1, 0], [1, 1]]}, {})
        False
    """
    # Its rows hold no lists of samples, or name their problem and have no lists in columns that are called as roles.
    from at_k.readers.names import PROBLEM

    frame = read_frame(data)
    first = [next(iter(column), None) for column in frame.values() if hasattr(column, "__len__")]
    plain = all(
        isinstance(cell, str) or not isinstance(cell, (Iterable, Mapping)) for cell in first
    )
    standard = "grades" in frame or {"answers", "references"} <= {*frame}
    named = any(role in columns for role in ("problem", *COUNT_ROLES))
    named = named or any(normalize_name(name) in PROBLEM for name in frame)
    has_objects = any(isinstance(cell, Mapping) for cell in first)
    if first and not standard and (plain or has_objects):
        return True
    return len(first) > 1 and named and (plain or not standard)


def read_rows(data: Any, *, is_document: bool, **reading: Any) -> Samples:
    """Read a table or a document in memory as a file of it is read."""
    from at_k.readers.format import Reading
    from at_k.readers.formats import find_format
    from at_k.readers.tables.table import Table

    if is_document:
        source = write_source(data)
    else:
        source = _write_table(data)
    kind = find_format(source)
    kind.refuse_options(Reading(**reading))
    with offering(
        lambda given: kind.read_file(source, Reading(**given)),
        reading,
        lambda _: Table(source, Reading()) if kind.name == "plain" else None,
    ):
        return kind.read_file(source, Reading(**reading))


def _write_table(data: Any) -> Source:
    """Write a table in memory as a file of Arrow."""
    import pyarrow as pa

    names = [
        name for name in getattr(getattr(data, "index", None), "names", ()) if name is not None
    ]
    if names and not {*names} & {*data}:
        data = data.reset_index()  # an index of pandas that has a name is a column
    table = make_table(read_frame(data))
    with pa.BufferOutputStream() as stream:
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        content = stream.getvalue().to_pybytes()
    return Source(IN_MEMORY, content)


def settle_sampling(
    verdicts: Verdicts, sampling: str | None, names: Sequence[str] = (), times: Ints | None = None
) -> Verdicts:
    """Mark samples as stopped for `until_success`; raise where they look stopped and `sampling` is not given."""
    # T is the place of a problem's first correct sample, and K the most samples of any problem: for k ≤ K, pass@k is
    # the share of problems with T ≤ k. `times` says how many problems each of these represents; None for one each.
    if sampling == INDEPENDENT:
        return verdicts
    n, c = verdicts.n, verdicts.c
    cap = int(n.max())
    few = (len(n) if times is None else times.sum()) < 3
    if sampling is None and (few or n.min() == cap or c.max() != 1 or verdicts.n_missing):
        return verdicts
    last = verdicts.correct.values[np.cumsum(n) - 1]
    unlike = ~np.where(c == 1, last, (c == 0) & (n == cap))
    if sampling is None:
        if not unlike.any() and n[c == 1].max() > 1:  # something was tried again
            _refuse_unsaid(verdicts, cap, times)
        return verdicts
    if verdicts.n_missing:
        raise _say.error("stopped.missing", count=verdicts.n_missing)
    if unlike.any():
        place = int(np.argmax(unlike))
        raise _say.error(
            "stopped.unlike",
            cap=cap,
            problem=quote(names[place]) if names else place,
            c=int(c[place]),
            n=int(n[place]),
        )
    return replace(
        verdicts, stopped=True, conditions={**verdicts.conditions, "sampling": UNTIL_SUCCESS}
    )


def refuse_undefined(verdicts: Verdicts, k: K | None, target: str) -> None:
    """Raise if samples that stopped are asked for more than they show."""
    cap = int(verdicts.n.max())
    if k is not None and max(check_k(k)) > cap:
        raise _say.error("stopped.k_above_cap", cap=cap, k=max(check_k(k)))
    if target == "problem_set":
        raise _say.error("stopped.target")


def _refuse_unsaid(verdicts: Verdicts, cap: int, times: Ints | None) -> None:
    firsts = np.where(verdicts.c == 1, verdicts.n, cap + 1)
    shown = sorted({k for k in (1, 2, 4, 8) if k < cap} | {cap})
    solved = [f"pass@{k} {np.average(firsts <= k, weights=times):.3f}" for k in shown]
    refusal = _say.error("stopped.unsaid", cap=cap, values=", ".join(solved))
    n, c = verdicts.n, verdicts.c
    if times is not None:
        n, c = np.repeat(n, times), np.repeat(c, times)
    offers = [
        offer_choice("sampling", UNTIL_SUCCESS, n, n * c == 1),  # solved by its first sample
        offer_choice("sampling", INDEPENDENT, n, c / n),
    ]
    refusal.ask = partial(Question, readings=offers)
    raise refusal


# The options of reading that rows in memory take, too.
_OF_ROWS = ("scale", "correct", "wrong", "unjudged", "errors")

# Those that documents in memory take besides.
_OF_DOCUMENTS = ("rows_at", "scorer", "filter", "tests")

_NO_READING = {
    **dict.fromkeys(("format", "scorer", "filter", "tests", "scale", "rows_at", "exclude")),
    "correct": (),
    "wrong": (),
    "unjudged": (),
    "concat": False,
    "errors": "raise",
}

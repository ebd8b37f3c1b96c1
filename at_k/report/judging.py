"""Read a data set, whatever it is, and judge its samples once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from at_k.columns import Rows, require_problems
from at_k.errors import InputError, Mention, Message
from at_k.grading import Verdicts, find_checker, judge, takes_row
from at_k.grading.verdicts import MissingSamplesError
from at_k.options import JUDGING_OPTIONS
from at_k.problems import Problems
from at_k.readers import COUNT_ROLES, Samples, is_paths, read_samples
from at_k.readers.grouping import make_table
from at_k.readers.quoting import normalize_name, quote
from at_k.readers.samples import SAMPLE_ROLES, Origin
from at_k.report.frames import read_clusters, read_frame, read_labels, read_names, select_frame
from at_k.report.notes import describe_reading, find_conditions
from at_k.report.report import refuse_report


@dataclass(frozen=True)
class Judged:
    """Hold the problems of a data set, and which of their samples are correct.

    Attributes:
        problems: the samples as they were given.
        verdicts: the samples as they were judged.
        names: the name of each problem.
        labels: the group of each problem; None without groups.
        clusters: the cluster of each problem; None without clusters.
        notes: what a reader of the numbers should know of how they were read.
        conditions: what a signature says of it.
        source: the path of the files, or a list of paths; None for data in memory.
        origin: what wrote the files; None for data in memory.
        named: whether the data name their problems, which are otherwise numbered.
        rows: what else the data say of each problem.
    """

    problems: Problems
    verdicts: Verdicts
    names: list[str]
    labels: list[str] | None
    clusters: list[str] | None
    notes: list[Message]
    conditions: dict[str, str]
    source: str | list[str] | None = None
    origin: Origin | None = None
    named: bool = False
    rows: Rows | None = None


def judge_data(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    prompt_column: str | None = None,
    groups: object = False,
    clusters: object = None,
    **options: Any,
) -> Judged:
    """Read and judge a data set. The arguments and errors are those of `at_k.score`.

    Args:
        data: the data set.
        columns: what the columns are called.
        where: the rows to judge.
        pool: columns of models whose rows are samples of one model.
        prompt_column: the column with the prompts that answers continue.
        groups: the group of each problem, as of `at_k.score`; False for no groups.
        clusters: the cluster of each problem, as of `at_k.score`; None for no clusters.
        options: how samples are judged, and how files are read.

    Examples:
        >>> judge_data({"answers": [["7", "9"]], "references": ["7"]}).verdicts.c
        array([1])
    """
    refuse_report(data)
    judging = {name: options.pop(name) for name in JUDGING_OPTIONS if name in options}
    shared: dict[str, Any] = {"columns": columns, "where": where, "pool": pool, "prompt_column": prompt_column}
    with_rows = takes_row(find_checker(judging.get("check_correct_fn", "exact_match")))
    source, data = read_files(data, options, **shared, meta=with_rows)
    if is_read_as_file(data, columns or {}):
        data = read_rows(data, **shared | {"columns": columns or {}}, meta=with_rows)
    if isinstance(data, Samples) and judging.get("missing") == "drop" and data.n_missing:
        data = data.drop_unjudged()
    origin = data.origin if isinstance(data, Samples) else None
    if isinstance(data, Samples):
        frame = data.columns()
        said = {role: column for role, column in frame.items() if role not in SAMPLE_ROLES}
        frame["rows"] = Rows(said | {data.roles.get(role) or role: column for role, column in said.items()})
    else:
        frame = select_frame(data, **shared)
    problems = Problems.read(**{role: frame.get(role) for role in ("answers", "references", "grades", "scores")})
    require_problems("data", len(problems))
    names = read_names(frame.get("problem"), len(problems))
    named = frame.get("problem") is not None if origin is None else origin.roles.get("problem") is not None
    # Labels are read first: judging may take minutes, and wrong labels should not waste them.
    labels = read_labels(groups, frame.get("group"), len(problems))
    together = read_clusters(clusters, labels, frame.get("group"), len(problems))
    try:
        verdicts = judge(problems, **judging, rows=frame["rows"], name=name_samples(problems), warn=False)
    except MissingSamplesError as error:
        raise count_missing(error, problems, names) from None
    notes = [] if origin is None else list(describe_reading(origin))
    conditions = find_conditions(data)
    return Judged(problems, verdicts, names, labels, together, notes, conditions, source, origin, named, frame["rows"])


def count_missing(error: MissingSamplesError, problems: Problems, names: Sequence[str]) -> InputError:
    """Say of an error about a missing sample how many there are, and how its problem is called."""
    values = {**error.values, "total": int(problems.n.sum()), "name": quote(names[error.values["problem"]])}
    if problems.grades is not None:
        return InputError(
            "missing.grades",
            "Samples without a grade: {count:,} of {total:,}, such as sample {sample} of problem {name}, counted from "
            "0. {option:missing=incorrect} counts them as wrong, {option:missing=drop} leaves them out.",
            **values | {"count": sum(int(np.isnan(part.values).sum()) for part in problems.grades)},
        )
    silent = 0 if problems.answers is None else int((problems.answers.codes.values < 0).sum())
    return InputError(
        "missing.answers",
        "Samples without an answer: {count:,} of {total:,}, such as sample {sample} of problem {name}, counted from 0. "
        "{option:missing=incorrect} counts them as wrong, {option:missing=drop} leaves them out.",
        **values | {"count": silent},
    )


def name_samples(problems: Problems) -> str:
    """Return the name of the column that an error about a missing sample names."""
    return "answers" if problems.grades is None else "grades"


def name_source(data: Any) -> str | list[str] | None:
    """Return the path that data are, or the list of paths; None for data in memory."""
    if not is_paths(data):
        return None
    return fspath(data) if isinstance(data, (str, PathLike)) else list(map(fspath, data))


def read_files(data: Any, reading: dict[str, Any], **shared: Any) -> tuple[str | list[str] | None, Any]:
    """Read the files that the data name, if they name any. Return the paths, and the data."""
    if is_paths(data):
        return name_source(data), read_samples(data, **shared, **reading)
    given = [name for name, value in reading.items() if value != _NO_READING[name]]
    if given:
        raise InputError(
            "options.not_a_file",
            "The options {names} say how a file is read, but the data are in memory. Leave them out, or give the path "
            "of a file.",
            names=Mention(*given),
        )
    return None, data


def is_read_as_file(data: Any, columns: Mapping[str, str | None]) -> bool:
    """Return whether data in memory are a table that is read as a file of it would be.

    Its rows name their problem, and hold no lists of samples, or have none in columns that are called as roles.

    Examples:
        >>> is_read_as_file({"id": ["p", "p"], "correct": [1, 0]}, {})
        True
        >>> is_read_as_file({"id": ["p", "q"], "grades": [[1, 0], [1, 1]]}, {})
        False
    """
    from at_k.readers.table import PROBLEM_NAMES

    if isinstance(data, Samples):
        return False
    frame = read_frame(data)
    first = [next(iter(column), None) for column in frame.values() if hasattr(column, "__len__")]
    plain = all(isinstance(cell, str) or not isinstance(cell, (Iterable, Mapping)) for cell in first)
    called = {*frame, *columns}
    standard = "grades" in called or {"answers", "references"} <= called
    named = any(role in columns for role in ("problem", *COUNT_ROLES))
    named = named or any(normalize_name(name) in PROBLEM_NAMES for name in frame)
    return len(first) > 1 and named and (plain or not standard)


def read_rows(data: Any, **reading: Any) -> Samples:
    """Read a table in memory as a file of it is read."""
    import pyarrow as pa

    from at_k.readers.format import Reading
    from at_k.readers.formats.plain import collect_samples
    from at_k.readers.sources import Source
    from at_k.readers.tables import open_table

    table = make_table(read_frame(data) if isinstance(data, Sequence) else data)
    with pa.BufferOutputStream() as stream:
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        content = stream.getvalue().to_pybytes()
    return collect_samples(open_table(Source("the data", content)), Reading(**reading))


_NO_READING = {
    **dict.fromkeys(("format", "scorer", "filter", "tests", "scale")),
    "concat": False,
    "errors": "raise",
}

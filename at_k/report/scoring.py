"""Score a data set: its samples are judged once, and every metric that it allows is computed from the verdicts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from fractions import Fraction
from itertools import chain
from os import PathLike, fspath
from time import monotonic
from typing import Any

import numpy as np

import at_k
from at_k import summary
from at_k.columns import flag_samples, read_groups, require_problems, require_same_problems
from at_k.effort import find_longest_vote
from at_k.errors import InputError, Message
from at_k.family import FAMILY, METRICS, Metric, check_options, choose_k
from at_k.grading import Check, Verdicts, judge
from at_k.limits import UNLIMITED, Limits, exceeds
from at_k.problems import Problems
from at_k.readers.models import select_rows
from at_k.report.frames import read_frame
from at_k.report.report import Curves, Report
from at_k.samples import Ragged
from at_k.validation import K, Tau, check_k
from at_k.values import Key, Values

COLUMNS = ("problem", "answers", "references", "grades", "scores", "group")
"""The columns of a data set."""

_POINTS = 64
"""Up to this n every k is a point of a curve."""

_AGREEMENT = 0.02
"""Least share of the samples that must repeat an earlier answer of their problem for a vote to mean something. Sample
numbers and whole completions have none; the answers of the Qwen2.5-Math file 0.98, of free text a few per cent."""

_ENOUGH = 8
"""So many samples that could repeat an answer, and do not, are needed to say that the column holds no answers."""


def score(
    data: Any,
    /,
    *,
    metrics: str | Iterable[str] | None = None,
    k: K | None = None,
    thresholds: Tau = (0.25, 0.5, 0.75, 1.0),
    threshold: float = 0.5,
    ties: str = "random",
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    check_correct_fn: Check | str = "exact_match",
    missing: str = "error",
    on_conflict: str = "error",
    groups: object = None,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    seed: int = 0,
    limits: Limits = UNLIMITED,
) -> Report:
    """Compute every number that a data set allows.

    Args:
        data: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, a mapping of columns, a list of rows, or
            the path of a results file, with one row per problem and any of the columns `problem` (its name), `answers`
            (a list of strings, None for a missing one), `references` (a string, or a list of acceptable ones),
            `grades` (a list of numbers in [0, 1]), `scores` (a list of numbers) and `group` (a label).
        metrics: names out of `at_k.METRICS`; by default all that the columns allow.
        k: number of draws, or a list of them; by default those of each metric.
        thresholds: the τ of G-Pass@k.
        threshold: a sample is correct when its grade is above it.
        ties: the answer that wins a tied vote; see `at_k.cons_at_k`.
        select: how scores of several dimensions are compared; see `at_k.best_at_k`.
        score_weights: weights of these dimensions.
        higher_is_better: False turns scores such as perplexity around.
        check_correct_fn: compares an answer with a reference.
        missing: what a missing sample is: "error", "incorrect" or "drop".
        on_conflict: "majority" lets most of equal answers with different grades decide; by default cons@k is left out.
        groups: one label per problem, or False for no groups; by default the column `group`.
        columns: what the columns are called where they have other names, {"answers": "samples"}; None for no column.
        where: the rows to score, {"model": "a"}; a list of values takes all of them.
        pool: columns of models or runs whose rows are samples of one model.
        seed: of simulations.
        limits: how much may be asked; unlimited by default.

    Returns:
        A report. Samples are judged once for all metrics.

    Raises:
        TypeError: if an option is unknown or a column of the wrong kind.
        ValueError: if the columns allow no metric, disagree, or hold what is not allowed, such as the results of
            several models.

    Examples:
        >>> report = score({"answers": [["7", "7", "9"], ["1", "2", "3"]], "references": ["7", "2"]}, k=[1, 3])
        >>> report.values["pass@3"], round(report.values["cons@3"], 4)
        (1.0, 0.6667)
    """
    options = {
        "k": k,
        "thresholds": thresholds,
        "threshold": threshold,
        "ties": ties,
        "select": select,
        "score_weights": score_weights,
        "higher_is_better": higher_is_better,
        "check_correct_fn": check_correct_fn,
        "missing": missing,
        "on_conflict": on_conflict,
    }
    check_options(options)
    refuse_many_numbers(limits, k=k, thresholds=thresholds)
    wanted = _check_metrics(metrics)
    started = monotonic()
    source = fspath(data) if isinstance(data, (str, PathLike)) else None
    frame = _select(data, columns=columns, where=where, pool=pool, limits=limits)
    problems = Problems.read(
        answers=frame.get("answers"),
        references=frame.get("references"),
        grades=frame.get("grades"),
        scores=frame.get("scores"),
    )
    require_problems("data", len(problems))
    names = _read_names(frame.get("problem"), len(problems))
    labels = _read_labels(groups, frame.get("group"), len(problems))
    verdicts = judge(
        problems, check_correct_fn=check_correct_fn, threshold=threshold, missing=missing, name=_named(problems)
    )
    _refuse_k_above_n(k, verdicts, names)
    notes = _note(problems, verdicts, missing)
    found: dict[str, Values] = {}
    left_out: dict[str, Message] = {}
    longest = find_longest_vote(verdicts, limits.vote_seconds)
    for metric in wanted:
        _refuse_late(started, limits)
        _refuse_much(verdicts, metric, options, limits)
        try:
            found[metric.name] = _compute(metric, verdicts, problems, options, longest, seed)
        except InputError as reason:
            if not reason.code.startswith("left_out."):
                raise
            left_out[metric.name] = reason.message
    if not found:
        reason = next(iter(left_out.values()))
        raise InputError(reason.code, reason.sentence, **reason.values)
    if "cons_at_k" in found and verdicts.answers is None:
        notes.append(
            Message(
                "note.vote_of_grades",
                "cons@k is counted from grades: more than half of k samples must be correct. With the answers it would "
                "be a vote.",
            )
        )

    def draw_curves() -> Curves:
        return _draw_curves([FAMILY[name] for name in found], verdicts, problems, options, limits, longest, seed)

    return _gather(
        found, verdicts, names, labels, notes, left_out,
        options=_changed(options | {"metrics": metrics, "groups": groups, "columns": columns, "where": where, "pool": pool, "seed": seed}),
        source=source, seed=seed, draw_curves=draw_curves,
    )  # fmt: skip


def refuse_many_numbers(limits: Limits, **numbers: object) -> None:
    """Raise if an option, such as `k`, holds more numbers than the limits allow."""
    for name, given in numbers.items():
        count = len(given) if isinstance(given, Sized) else 1
        if exceeds(count, limits.max_keys):
            raise InputError(
                "options.too_many", "`{name}` may hold up to {limit} numbers; got {count:,}.",
                name=name, count=count, limit=limits.max_keys,
            )  # fmt: skip


def spread_k(n: int, *others: int) -> tuple[int, ...]:
    """List the k of a curve up to n: all of them, or for large n those that are evenly spread on a logarithmic axis.

    Examples:
        >>> spread_k(4), len(spread_k(1000))
        ((1, 2, 3, 4), 51)
    """
    if n <= _POINTS:
        return tuple(range(1, n + 1))
    spread = np.geomspace(1, n, _POINTS).round().astype(int).tolist()
    return tuple(sorted({*spread, *others}))


def _check_metrics(metrics: str | Iterable[str] | None) -> list[Metric]:
    if metrics is None:
        return list(FAMILY.values())
    asked = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in asked:
        if name not in METRICS:
            raise InputError(
                "options.metrics", "`metrics` must be out of {choices}; got {value}",
                choices=", ".join(METRICS), value=f"{name!r:.60}",
            )  # fmt: skip
    if not asked:
        raise InputError("options.no_metric", "`metrics` must name at least one metric.")
    return [metric for metric in FAMILY.values() if metric.name in asked]


def _select(
    data: Any,
    *,
    columns: Mapping[str, str | None] | None,
    where: Mapping[str, object] | None,
    pool: str | Sequence[str],
    limits: Limits,
) -> dict[str, Any]:
    """Select the columns of a data set by what they are, and its rows; rows of a problem that are pooled become one."""
    if isinstance(data, (str, PathLike)):
        from at_k.readers import read_results

        data = read_results(data, columns=columns, where=where, pool=pool, limits=limits)
        columns, where, pool = None, None, ()
    whole = read_frame(data)
    called = {name: name for name in COLUMNS if name in whole} | dict(columns or {})
    for role, column in called.items():
        if role not in COLUMNS:
            raise InputError(
                "data.no_role", "`columns` must say which column is one of {roles}; got {role}",
                roles=", ".join(COLUMNS), role=f"{role!r:.60}",
            )  # fmt: skip
        if column is not None and column not in whole:
            raise InputError(
                "data.no_column", "`columns` must name columns of the data, which are {columns}; got {column}",
                columns=", ".join(map(repr, list(whole)[:20])), column=f"{column!r:.60}",
            )  # fmt: skip
    frame = {role: whole[column] for role, column in called.items() if column is not None}
    if "grades" not in frame and not ("answers" in frame and "references" in frame):
        raise InputError(
            "data.nothing_to_score",
            "`data` must have a column `grades`, or `answers` and `references`; it has {columns}. Say with `columns` "
            "what others are called, or read a file with `at_k.read_results`.",
            columns=", ".join(map(repr, list(whole)[:20])) or "no columns",
        )
    used = [column for column in called.values() if column is not None]
    rows = select_rows(whole, where=where, pool=pool, used=used)
    if rows is not None:
        frame = {role: _take(column, rows) for role, column in frame.items()}
    return _pool(frame) if pool and "problem" in frame else frame


def _take(column: Any, rows: Sequence[int]) -> list[Any]:
    listed = column if isinstance(column, list) else list(column)
    return [listed[row] for row in rows]


def _pool(frame: dict[str, Any]) -> dict[str, Any]:
    """Join the rows of the same problem: their samples, in the order of the rows."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(map(str, frame["problem"])):
        rows.setdefault(name, []).append(row)
    joined: dict[str, Any] = {"problem": list(rows)}
    for role, column in frame.items():
        listed = list(column)
        if role in ("answers", "grades", "scores"):
            joined[role] = [list(chain.from_iterable(listed[row] for row in own)) for own in rows.values()]
        elif role != "problem":
            joined[role] = [listed[own[0]] for own in rows.values()]
    return joined


def _named(problems: Problems) -> str:
    """Return the column by which an error names a missing sample."""
    return "answers" if problems.grades is None else "grades"


def _read_names(column: Any, n_problems: int) -> list[str]:
    if column is None:
        return list(map(str, range(n_problems)))
    names = read_groups(column, "problem")
    require_same_problems("problem", len(names), "data", n_problems)
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if first.setdefault(name, row) != row:
            raise InputError(
                "data.same_problem",
                "`problem` must name each problem once; {name} is in rows {first} and {row}. Rows that are samples of "
                "the same problem are brought together by `at_k.read_results`, or by `pool`.",
                name=f"{name!r:.60}", first=first[name], row=row,
            )  # fmt: skip
    return names


def _read_labels(groups: object, column: Any, n_problems: int) -> list[str] | None:
    if groups is False:
        return None
    given = column if groups is None or groups is True else groups
    if given is None:
        return None
    labels = read_groups(given)
    require_same_problems("groups", len(labels), "data", n_problems)
    return labels


def _refuse_k_above_n(k: K | None, verdicts: Verdicts, names: Sequence[str]) -> None:
    if k is None:
        return
    draws, n = max(check_k(k)), verdicts.n
    if draws > n.min():
        raise InputError(
            "options.k_above_n",
            "`k` must be at most n, the number of samples of every problem; got k = {k}, but problem {problem} has "
            "n = {n} (problems with too few samples: {count:,} of {total:,}).",
            k=draws, n=int(n.min()), problem=_quote(names[int(n.argmin())]), count=int((n < draws).sum()), total=len(n),
        )  # fmt: skip


def _note(problems: Problems, verdicts: Verdicts, missing: str) -> list[Message]:
    """Say what must be known of the verdicts, the most important first."""
    notes = []
    judged_here = problems.grades is None and verdicts.answers is not None and problems.references is not None
    if judged_here and not verdicts.c.any():
        answers = problems.answers
        assert answers is not None and problems.references is not None  # noqa: S101, PT018 - for the type checker
        place = int(np.argmax(answers.codes.values >= 0))
        problem = int(np.searchsorted(answers.codes.offsets, place, side="right")) - 1
        if answers.codes.values[place] >= 0:
            notes.append(
                Message(
                    "note.no_match",
                    "No answer is correct: none of them equals its reference, for instance {answer} beside {reference}. "
                    "Bring answers and references into one form, or choose a checker.",
                    answer=_quote(answers.distinct[answers.codes.values[place]]),
                    reference=_quote(problems.references[problem][0]),
                )
            )
    gone = verdicts.n_missing
    if gone and missing == "drop":
        notes.append(
            Message("note.drop", "Missing samples, left out: {count}. Their problems have a smaller n.", count=gone)
        )
    elif gone:
        notes.append(
            Message("note.incorrect", "Missing samples, counted as wrong: {count}. They cast no vote.", count=gone)
        )
    return notes


def _quote(text: object) -> str:
    shown = str(text)
    return f"“{shown if len(shown) <= 60 else shown[:29] + ' … ' + shown[-28:]}”"


def _compute(
    metric: Metric, verdicts: Verdicts, problems: Problems, options: dict[str, Any], longest: float, seed: int
) -> Values:
    """Compute one metric, or raise an `InputError` of which the code begins with "left_out."."""
    own = metric.own(options)
    draws = () if metric.default_k is None else choose_k(own.get("k"), verdicts.n, metric.default_k)
    if metric.votes:
        _refuse_scatter(verdicts)
        if draws and max(draws) > longest:
            raise InputError(
                "left_out.vote_too_long",
                "{title} is left out: an exact vote up to k = {k} over so many samples takes too long here. Ask for "
                "smaller k, or score on your own machine.",
                title=metric.title, k=max(draws),
            )  # fmt: skip
        return _compute_vote(metric, verdicts, problems, own, seed)
    if not metric.needs_scores:
        return metric.compute(verdicts, **own)
    if problems.scores is None:
        raise InputError(
            "left_out.no_scores", "{title} is left out: it needs a score for every sample.", title=metric.title
        )
    absent = flag_samples(np.isnan(problems.scores.values))
    if verdicts.kept is not None:
        absent &= verdicts.kept
    if absent.any():
        raise InputError(
            "left_out.no_score",
            "{title} is left out: a sample has no score ({place}).",
            title=metric.title, place=_place("scores", problems.scores, int(np.argmax(absent))),
        )  # fmt: skip
    try:
        return metric.compute(verdicts, scores=problems.scores, seed=seed, **own)
    except ValueError as reason:
        raise InputError(
            "left_out.scores", "{title} is left out: {reason}", title=metric.title, reason=str(reason)
        ) from None


def _compute_vote(
    metric: Metric, verdicts: Verdicts, problems: Problems, own: dict[str, Any], seed: int
) -> Values:
    try:
        return metric.compute(verdicts, seed=seed, **own)
    except InputError as reason:
        if reason.code != "vote.conflict":
            raise
        answers, kept = problems.answers, verdicts.kept
        assert answers is not None  # noqa: S101 - for the type checker
        start, stop = answers.codes.offsets[reason.values["problem"] :][:2]
        here = np.arange(start, stop) if kept is None else start + np.flatnonzero(kept[start:stop])
        column = _named(problems)
        raise InputError(
            "left_out.conflict",
            "{title} is left out: the answer {answer} has two verdicts in one problem ({first}; {second}). "
            "`on_conflict=\"majority\"` lets most of these samples decide.",
            title=metric.title,
            answer=reason.values["answer"],
            first=_place(column, answers.codes, here[reason.values["first"]]),
            second=_place(column, answers.codes, here[reason.values["second"]]),
        ) from None


def _place(column: str, samples: Ragged, sample: int) -> Message:
    """Say where a sample is, given its position among all samples."""
    problem = int(np.searchsorted(samples.offsets, sample, side="right")) - 1
    return Message(
        "data.place", "problem {problem}, sample {sample} of `{column}`",
        problem=problem, sample=int(sample - samples.offsets[problem]), column=column,
    )  # fmt: skip


def _refuse_scatter(verdicts: Verdicts) -> None:
    """Raise if hardly any two samples of a problem give the same answer: then there is nothing to vote about."""
    answers = verdicts.answers
    if answers is None:
        return
    codes = answers.codes
    cast = codes.values >= 0
    votes = codes.with_values(cast).sums()
    chances = int(np.maximum(votes - 1, 0).sum())
    if chances < _ENOUGH:
        return
    pairs = codes.problem[cast] * len(answers.distinct) + codes.values[cast]
    repeats = int(cast.sum()) - len(np.unique(pairs))
    if repeats < _AGREEMENT * chances:
        raise InputError(
            "left_out.scatter",
            "cons@k is left out: hardly any two samples of a problem give the same answer ({repeats} of {chances} repeat "
            "an earlier one), so that a vote says nothing. The column may hold whole texts or sample numbers: extract "
            "the answers, or name their column.",
            repeats=repeats, chances=chances,
        )  # fmt: skip


def _refuse_late(started: float, limits: Limits) -> None:
    if limits.seconds is not None and monotonic() - started > limits.seconds:
        raise InputError(
            "limits.seconds",
            "This takes longer than {seconds} seconds. On your own machine there is no limit.",
            seconds=round(limits.seconds),
        )


def _refuse_much(verdicts: Verdicts, metric: Metric, options: dict[str, Any], limits: Limits) -> None:
    """Raise if the work, or what must be held of it, exceeds the limits: a table for each n and key, a value for each
    problem and key."""
    if metric.default_k is None:
        return
    draws = choose_k(options["k"], verdicts.n, metric.default_k)
    taus = options["thresholds"]
    keys = len(draws) * (len(taus) if isinstance(taus, (list, tuple)) else 1) + 4 * len(draws)
    problems, sizes = len(verdicts), len(np.unique(verdicts.n))
    if limits.max_values is not None and problems * keys > limits.max_values:
        raise InputError(
            "limits.values",
            "Problems: {problems:,}. With so many k and τ this page takes up to {limit:,}.",
            problems=problems, limit=limits.max_values // keys,
        )  # fmt: skip
    if limits.max_tables is not None and sizes * keys > limits.max_tables:
        raise InputError(
            "limits.tables",
            "The problems have {sizes:,} different numbers of samples. With these k and τ this page takes up to "
            "{limit:,}.",
            sizes=sizes, limit=limits.max_tables // keys,
        )  # fmt: skip


def _draw_curves(
    metrics: Sequence[Metric],
    verdicts: Verdicts,
    problems: Problems,
    options: dict[str, Any],
    limits: Limits,
    longest: float,
    seed: int,
) -> Curves:
    """Compute the metrics against k, up to the smallest n. What has no unit interval is no line."""
    smallest = int(verdicts.n.min())
    asked = {k for metric in metrics if metric.default_k for k in choose_k(options["k"], verdicts.n, metric.default_k)}
    grid = spread_k(smallest)
    if limits.max_tables is not None:
        taus = options["thresholds"]
        lines = (len(taus) if isinstance(taus, (list, tuple)) else 1) + 4
        room = max(1, limits.max_tables // (len(np.unique(verdicts.n)) * lines) - len(asked))
        grid = grid[:: -(-len(grid) // room)]
    grid = tuple(sorted({*grid, *asked, smallest}))
    lines_found: dict[Key, tuple[float | None, ...]] = {}
    for metric in metrics:
        drawn = [k for k in grid if k <= longest] if metric.votes else list(grid)
        own = options | {"k": drawn}
        values = _compute(metric, verdicts, problems, own, longest, seed)
        means = summary.average(values.columns)
        bounded = {key: means[key] for key in values.columns if not key.startswith("max@") and key != "accuracy"}
        for key in bounded:
            line = key.line
            if line not in lines_found:
                points = {each.k: value for each, value in bounded.items() if each.line == line}
                constant = key.metric[-1] != "k"
                lines_found[line] = tuple(bounded[key] if constant else points.get(k) for k in grid)
    return Curves(grid, lines_found)


def _gather(
    found: dict[str, Values],
    verdicts: Verdicts,
    names: list[str],
    labels: list[str] | None,
    notes: list[Message],
    left_out: dict[str, Message],
    *,
    options: dict[str, Any],
    source: str | None,
    seed: int,
    draw_curves: Callable[[], Curves],
) -> Report:
    columns = {key: column for values in found.values() for key, column in values.columns.items()}
    errors = {key: error for values in found.values() for key, error in values.errors.items()}
    members = summary.find_members(labels, len(names))
    means = summary.average(columns)
    return Report(
        values={key: means[key] for key in columns},
        groups={
            prefix[:-1]: {key: mean for key, mean in zip(columns, summary.average(columns, own).values(), strict=True)}
            for prefix, own in sorted(members.items(), key=lambda item: _natural(item[0]))
        },
        sizes={prefix[:-1]: len(own) for prefix, own in members.items()},
        problems=names,
        labels=labels,
        n=verdicts.n.tolist(),
        c=verdicts.c.tolist(),
        n_missing=verdicts.n_missing,
        by_problem={key: column.expand().tolist() for key, column in columns.items()},
        errors={key: summary.average_error(error) for key, error in errors.items()},
        metrics={name: list(values.columns) for name, values in found.items()},
        left_out=left_out,
        notes=notes,
        signatures={
            name: summary.sign(values, verdicts, name=name, seed=seed, version=at_k.__version__)
            for name, values in found.items()
        },
        options=options,
        source=source,
        draw_curves=draw_curves,
    )


def _natural(label: str) -> list[tuple[int, int | str]]:
    """Order labels as people count: Level 2 before Level 10."""
    return [(0, int(part)) if i % 2 else (1, part) for i, part in enumerate(re.split(r"(\d{1,15})", label))]


def _changed(options: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that are not the defaults, in forms that can be written."""
    defaults = {name: each.default for name, each in inspect.signature(score).parameters.items()}
    plain = {name: _plain(value) for name, value in options.items()}
    return {name: value for name, value in plain.items() if value != _plain(defaults[name])}


def _plain(value: Any) -> Any:
    if isinstance(value, (str, Fraction, Mapping)) or callable(value) or value is None:
        return value
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(part) for part in value] if isinstance(value, Iterable) else value

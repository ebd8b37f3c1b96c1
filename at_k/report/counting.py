"""Count what one problem, or one row of an engine, adds to a tally: votes, moments and judged samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.combinatorics import Ints
from at_k.computation import compute_average, powers_of_two
from at_k.engines import Rows
from at_k.errors import Message, Phrases
from at_k.estimators.consensus import VoteCounts
from at_k.family import FAMILY
from at_k.grading import Verdicts
from at_k.readers.arrays import encode, fill_numbers, make_lists, make_numbers
from at_k.report.data import Judged
from at_k.report.measuring import Measurement, spread_k
from at_k.report.notes import LeftOutError
from at_k.report.states import ACCURACY, Cell, Count, Measures, Moments, Stratum
from at_k.samples import Ragged
from at_k.validation import describe, is_integer, is_whole_decimal, shorten
from at_k.values import Key, Values

if TYPE_CHECKING:
    import pyarrow as pa

_say = Phrases(
    {
        "engine.missing": "Samples without a grade: {count:,}. {option:missing=incorrect} counts them as wrong, "
        "{option:missing=drop} leaves them out.",
        "engine.nothing_left": "Problems of which all samples are missing, and dropped: {count:,}. "
        "{option:missing=incorrect} counts these samples as wrong; or leave the problems out with the engine, before "
        "it counts.",
        "engine.nameless": "Each row must name its problem, but some have null in its place. Leave these out, or name "
        "their problems, with the engine, before it counts.",
    }
)


# Different answers that are judged together, of those that an engine has counted.
_TOGETHER = 4_000_000


def repeat_verdicts(judged: Judged, times: Ints, repeats: Ints) -> Verdicts:
    """Repeat each verdict once per sample that it represents, without the answers; `repeats` is `times` of the kept."""
    verdicts, answers = judged.verdicts, judged.problems.answers
    graded = Ragged.concatenate(verdicts.graded)
    if verdicts.kept is None:
        absent = np.isnan(graded.values)
    else:
        absent = ~verdicts.kept
    if verdicts.kept is None and judged.problems.grades is None and answers is not None:
        absent |= answers.codes.values < 0
    n = graded.with_values(repeats).sums()
    repeated = Ragged.of_lengths(np.repeat(graded.values, repeats), n)
    return replace(
        verdicts,
        graded=(repeated,),
        given=n,
        n_missing=int(times[absent].sum()),
        kept=None,
        ballots=None,
    )


def list_votes(judged: Judged, counted: VoteCounts) -> list[dict[str, tuple[int, int]]]:
    """List the votes of each problem: answer → how many, and how many of them are correct."""
    answers = judged.verdicts.answers
    assert answers is not None  # for the type checker
    names = [answers.distinct[code] for code in answers.codes.values[counted.first_seen].tolist()]
    entries = list(
        zip(names, zip(counted.count.tolist(), counted.right.tolist(), strict=True), strict=True)
    )
    bounds = np.searchsorted(counted.problem, np.arange(len(counted.n) + 1)).tolist()
    return [dict(entries[start:stop]) for start, stop in pairwise(bounds)]


def measure_rest(measurement: Measurement) -> tuple[dict[Key, Measures], dict[str, Message]]:
    """Measure the numbers that do not follow from counts and votes. Return what is left out, too."""
    verdicts, left_out = measurement.judged.verdicts, {}
    computed: list[Values] = []
    flags = ((part.values, part.above(verdicts.cut).values) for part in verdicts.graded)
    if not all(((grades == correct) | np.isnan(grades)).all() for grades, correct in flags):
        computed.append(compute_average(verdicts))
    smallest = int(verdicts.n.min())
    for metric in FAMILY.values():
        if metric.needs_scores and measurement.judged.problems.scores is not None:
            try:
                computed.append(
                    measurement.compute(metric, k=[*spread_k(smallest, *powers_of_two(smallest))])
                )
            except LeftOutError as reason:
                left_out[metric.name] = reason.message
    measured: dict[Key, Measures] = {}
    for values in computed:
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # values may be so large that they have no variance
            variances = values.vary() if values.vary is not None else {}
        for key, column in values.columns.items():
            if key.metric != "avg@n":
                error = values.errors.get(key, np.zeros(len(column)))
                variance = variances[key].expand()
                measured[key] = (
                    column.expand(),
                    np.where(np.isnan(variance), np.inf, variance),
                    error,
                )
    return measured, left_out


def list_answers(table: pa.Table) -> Iterator[tuple[dict[str, Any], Ints]]:
    """List counted answers in blocks of problems: one sample per answer, and the number of samples that have it."""
    import pyarrow as pa

    table = table.combine_chunks()
    coded = encode(table["problem"])
    refuse_labels(nameless=coded.codes.min(initial=0) < 0)
    order = np.argsort(coded.codes, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(coded.codes)))
    firsts = order[bounds[:-1]]
    times = np.concatenate([fill_numbers(chunk, 0) for chunk in table["votes"].chunks])
    for role in {"references", "group"}.intersection(table.column_names):
        labels = encode(table[role]).codes
        unlabelled = role == "group" and labels.min(initial=0) < 0 <= labels.max(initial=-1)
        mixed = len(np.unique(coded.codes[labels != labels[firsts][coded.codes]]))
        refuse_labels(unlabelled=unlabelled, role=role, mixed=mixed)
    edges = np.append(np.flatnonzero(np.diff(bounds[:-1] // _TOGETHER, prepend=-1)), len(firsts))
    for first, last in pairwise(edges.tolist()):
        rows = order[bounds[first] : bounds[last]]
        offsets = bounds[first : last + 1] - bounds[first]
        part = {}
        # Problems of any order are sorted once, so that those of a block are neighbours; a problem has what its first
        # row says of it.
        for role in table.column_names:
            if role in ("answers", "grades"):
                part[role] = make_lists(
                    offsets, pa.concat_arrays(table[role].take(make_numbers(rows)).chunks)
                )
            elif role != "votes":
                part[role] = table[role].take(make_numbers(firsts[first:last]))
        yield part | {"problem": part["problem"].cast(pa.string())}, times[rows]


def refuse_rows(rows: Rows, missing: str) -> None:
    """Raise if rows of counts hold what must not be counted."""
    if rows.lowest < 0 or rows.highest > 1:
        raise ValueError(
            f"`grades` must hold grades in [0, 1]; got some from {rows.lowest:g} to {rows.highest:g}"
        )
    refuse_labels(nameless=rows.is_nameless, unlabelled=rows.is_unlabelled, mixed=rows.n_mixed)
    if rows.n_missing and missing == "error":
        raise _say.error("engine.missing", count=rows.n_missing)
    emptied = sum(row[2] for row in rows.counts if not row[0])
    if emptied:
        raise _say.error("engine.nothing_left", count=emptied)


def refuse_labels(
    *, nameless: bool = False, unlabelled: bool = False, role: str = "group", mixed: int = 0
) -> None:
    """Raise if rows do not name their problem or, where others do, its group, or differ in what they say of it."""
    if nameless:
        raise _say.error("engine.nameless")
    if unlabelled:
        raise ValueError("`groups` must hold a label for every problem; got null in some rows")
    if mixed:
        raise ValueError(
            f"`{role}` must be the same in all rows of a problem; it is not in {mixed:,} problems"
        )


def merge_sums(
    tallies: Sequence[tuple[Mapping[Count, int], Mapping[Cell, Stratum]]],
) -> dict[Cell, Stratum]:
    """Merge the moments of two tallies, of the keys that both have, given the counts and sums of each."""
    parts = [dict(sums) for _, sums in tallies]
    soft = [any(ACCURACY in stratum.moments for stratum in part.values()) for part in parts]
    for place, (counts, _) in enumerate(tallies):
        if soft[1 - place] and not soft[place]:
            parts[place] = _measure_counts(counts, parts[place])
    keys = [frozenset(next(iter(part.values())).moments) if part else frozenset() for part in parts]
    shared = keys[0] & keys[1]
    merged: dict[Cell, Stratum] = {}
    for part in parts if shared else ():
        for cell, stratum in part.items():
            kept = stratum.keep(shared)
            if cell in merged:
                merged[cell] = merged[cell].merge(kept)
            else:
                merged[cell] = kept
    return merged


def _measure_counts(
    counts: Mapping[Count, int], sums: Mapping[Cell, Stratum]
) -> dict[Cell, Stratum]:
    """Add the moments of mean grades that are shares of correct samples: they follow from the counts."""
    strata = dict(sums)
    rows: dict[Cell, list[tuple[int, int]]] = {}
    for (group, n, c), problems in counts.items():
        rows.setdefault((group, n), []).append((c, problems))
    for (group, n), listed in rows.items():
        c, times = np.array(listed).T
        share = c / n
        if n > 1:
            variance = share * (1 - share) / (n - 1)
        else:
            variance = np.full(len(c), np.inf)
        moments = {ACCURACY: Moments.of(share, variance, np.zeros(len(c)), times)}
        strata[group, n] = Stratum(
            int(times.sum()), {**(sums[group, n].moments if sums else {}), **moments}
        )
    return strata


def read_rows(rows: Iterable[Any]) -> Iterator[tuple[Count, int]]:
    """Yield group, n and c, and the number of problems, of rows that an engine has counted."""
    for place, row in enumerate(rows):
        if not hasattr(row, "__getitem__") or len(row) not in (3, 4):
            raise TypeError(
                f"`rows` must hold (n, c, problems), or these and a group; got {shorten(row)} in row {place}"
            )
        for value in (row[i] for i in range(3)):
            if not (is_integer(value) or is_whole_decimal(value)):
                raise TypeError(f"`rows` must hold integers; got {describe(value)} in row {place}")
        n, c, problems = (int(row[i]) for i in range(3))
        if problems < 1 or not 0 <= c <= n or not n:
            raise ValueError(
                f"`rows` must have 0 ≤ c ≤ n, n > 0 and problems > 0; got {shorten(row)} in row {place}"
            )
        group = None
        if len(row) > 3:
            group = row[3]
        yield (None if group is None else str(group), n, c), problems

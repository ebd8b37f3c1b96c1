"""Count what one problem, or one row of an engine, adds to a tally: votes and judged samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.combinatorics import Ints
from at_k.engines import Rows
from at_k.errors import Mention, Message, Phrases
from at_k.estimators.consensus import VoteCounts
from at_k.family import FAMILY
from at_k.grading import Verdicts
from at_k.readers.arrays import encode, fill_numbers, make_lists, make_numbers, make_texts
from at_k.readers.cells import read_answer
from at_k.report.data import Judged
from at_k.report.states import ACCURACY, Count
from at_k.samples import Ragged
from at_k.validation import describe, is_integer, is_whole_decimal, shorten, spell_cut

if TYPE_CHECKING:
    import pyarrow as pa

_say = Phrases(
    {
        "tally.soft": "The mean grade is left out: a tally counts correct samples, and some "
        "grades are neither 0 nor 1. Score the samples themselves: at_k.score(data).",
        "tally.partial": "{count:,} of {total:,} grades are between 0 and 1, and count as correct "
        "or wrong by {cut}. To count full grades alone: {full}.",
        "tally.scores": "{title} is left out: a tally keeps no scores. Score the samples "
        "themselves: at_k.score(data).",
        "engine.missing": "Samples without a grade: {count:,}. {option:missing=incorrect} counts "
        "them as wrong, {option:missing=drop} leaves them out.",
        "engine.nothing_left": "Problems of which all samples are missing, and dropped: "
        "{count:,}. {option:missing=incorrect} counts these samples as wrong; or leave the "
        "problems out with the engine, before it counts.",
        "engine.nameless": "Each row must name its problem, but some have null in its place. "
        "Leave these out, or name their problems, with the engine, before it counts.",
    }
)


# Different answers that are judged together, of those that an engine has counted.
_TOGETHER = 4_000_000


def repeat_verdicts(judged: Judged, times: Ints, repeats: Ints) -> Verdicts:
    """Repeat each verdict once per sample that it represents, without the answers; `repeats` is `times` of the kept."""
    verdicts = judged.verdicts
    graded = Ragged.concatenate(verdicts.graded)
    if verdicts.kept is None:
        absent = np.isnan(graded.values)
    else:
        absent = ~verdicts.kept
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


def explain_lost(judged: Judged) -> dict[str, Message]:
    """Say which numbers a tally loses: the mean of soft grades, and those of scores."""
    lost: dict[str, Message] = {}
    verdicts = judged.verdicts
    parts = ((part.values, part.above(verdicts.cut).values) for part in verdicts.graded)
    if not all(((grades == correct) | np.isnan(grades)).all() for grades, correct in parts):
        lost[ACCURACY] = say_soft()
    if judged.problems.scores is not None:
        for metric in FAMILY.values():
            if metric.needs_scores:
                lost[metric.name] = _say("tally.scores", title=metric.title)
    return lost


def say_soft() -> Message:
    """Say that a tally has no mean of soft grades."""
    return _say("tally.soft")


def note_soft(rows: Rows, correct_above: float | str) -> Iterator[Message]:
    """Say that grades lie between 0 and 1, and what they count as."""
    if not rows.n_soft:
        return
    cut = Mention(correct_above=spell_cut(correct_above))
    told = {"count": rows.n_soft, "total": sum(n * times for n, _, times, *_ in rows.counts)}
    yield _say("tally.partial", **told, cut=cut, full=Mention(correct_above=">=1"))


def list_answers(table: pa.Table) -> Iterator[tuple[dict[str, Any], Ints]]:
    """List counted answers in blocks of problems: one sample per answer, and the number of samples that have it."""
    import pyarrow as pa

    table = table.combine_chunks()
    for role in ("answers", "references"):
        if role in table.column_names:
            texts = _spell(table[role])
            table = table.set_column(table.column_names.index(role), role, texts)
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


def _spell(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write numbers and truth values as a file of them has them; others stay."""
    import pyarrow as pa
    from pyarrow import types

    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        return column
    coded = encode(column)
    texts = make_texts([*map(read_answer, coded.values), None])
    return pa.chunked_array([texts.take(make_numbers(coded.codes % len(texts)))])


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

"""Count problems by what their numbers depend on, in memory, in files or where an engine holds them, and add counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k import computation
from at_k.combinatorics import Ints
from at_k.engines import Rows, find_engine
from at_k.errors import InputError, Message, Phrases, Question
from at_k.estimators.consensus import VoteCounts, count_votes
from at_k.family import FAMILY
from at_k.grading.zeros import explain_zeros
from at_k.options.registry import INDEPENDENT, PILOT, TALLYING, complete, takes
from at_k.readers.tables.readings import offer_choice
from at_k.report.counting import (
    explain_lost,
    list_answers,
    list_votes,
    note_soft,
    read_rows,
    refuse_labels,
    refuse_rows,
    repeat_verdicts,
    say_soft,
)
from at_k.report.data import Judged
from at_k.report.judging import judge_data
from at_k.report.looking import KEPT, READING, Counting, look
from at_k.report.measuring import Measurement
from at_k.report.notes import LeftOutError
from at_k.report.states import (
    ACCURACY,
    Count,
    Problem,
    Shapes,
    count_shared,
    hash_problems,
    merge_hashes,
    read_state,
    write_state,
)
from at_k.results.saving import replace_file
from at_k.validation import check_cut, shorten, spell_cut

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.signatures import TallyOptions, Unpack

_say = Phrases(
    {
        "tally.conditions": "These tallies were counted differently: {name} is {one} in one of "
        "them, and {other} in the other. Count all with the same options.",
        "tally.conflict": "cons@k is left out: samples that were added to a problem have another "
        "verdict on the same answer. {option:on_conflict=majority} lets most of the samples "
        "decide.",
        "tally.weights": "cons@k is left out: a tally counts votes, and does not keep their "
        "weights.",
        "tally.votes": "cons@k is left out: some of the tallies that were added have no answers, "
        "or none that can vote.",
        "tally.same_problems": "Problems that both tallies have, by their names: {count:,}. "
        "Nothing says which of their samples are the same. To add samples to problems, count with "
        "{option:by_problem}. If the problems are different ones, give them different names.",
    }
)


def _judge(data: Any, options: Mapping[str, Any]) -> Judged:
    # Samples of a part do not show how sampling ended; the counts of all do.
    reading = {name: options[name] for name in PILOT} | {
        "sampling": options["sampling"] or INDEPENDENT
    }
    return judge_data(data, groups=options["groups"], **reading)


def _count(judged: Judged, options: Mapping[str, Any], times: Ints | None = None) -> Tally:
    """Count judged problems. `times` says how many samples each of theirs represents; None for one each."""
    by_problem = options["by_problem"]
    if by_problem and not judged.named:
        raise ValueError(
            "`by_problem` must be False for problems without names: samples could not be added to them"
        )
    verdicts = judged.verdicts
    repeats = times
    if times is not None and verdicts.kept is not None:
        repeats = times[verdicts.kept]
    counted, left_out = _elect(judged, options, repeats)
    if times is not None and repeats is not None:
        verdicts = repeat_verdicts(judged, times, repeats)
        judged = replace(judged, verdicts=verdicts)
    labels: Sequence[str | None] = judged.labels or [None] * len(verdicts)
    n, c = verdicts.n.tolist(), verdicts.c.tolist()
    problems: dict[str, Problem] = {}
    if by_problem:
        votes = repeat(None) if counted is None else list_votes(judged, counted)
        problems = dict(zip(judged.names, map(Problem, labels, n, c, votes), strict=True))
    shapes = None
    if counted is not None:
        shapes = Shapes.count(labels, verdicts.n, counted.problem, counted.signed)
    conditions = verdicts.conditions.items()
    return Tally(
        by_problem=by_problem,
        counts=dict(Counter(zip(labels, n, c, strict=True))),
        votes=shapes,
        problems=problems,
        hashes=hash_problems(judged.names) if judged.named else b"",
        n_missing=verdicts.n_missing,
        conditions={name: computation.spell_condition(value) for name, value in conditions},
        reading=judged.conditions,
        options={name: options[name] for name in KEPT},
        left_out=left_out | explain_lost(judged),
    )


def _elect(
    judged: Judged, options: Mapping[str, Any], repeats: Ints | None
) -> tuple[VoteCounts | None, dict[str, Message]]:
    """Count the votes for each answer, or say why a metric of votes is left out."""
    counted: VoteCounts | None = None
    left_out: dict[str, Message] = {}
    verdicts, answers = judged.verdicts, judged.verdicts.answers
    for metric in FAMILY.values():
        if metric.votes and judged.weights is not None:
            left_out[metric.name] = _say("tally.weights")
        elif metric.votes and answers is not None:
            correct = verdicts.correct.values
            try:
                with Measurement(judged, options).explain_conflict(metric):
                    counted = count_votes(
                        answers, correct, options["on_conflict"], "grades", repeats
                    )
            except LeftOutError as reason:
                left_out[metric.name] = reason.message
    return counted, left_out


def count_in_place(
    data: Any, options: Mapping[str, Any], *, whole: bool = False
) -> tuple[Any, Tally | None, Sequence[Message]]:
    """Count rows where an engine holds them. Return the data, which may be a table now, the tally and notes."""
    engine = find_engine(data)
    if engine is None:
        return data, None, ()
    found = look(engine, data, options, whole=whole)
    if isinstance(found, Counting):
        tally, noted = _count_rows(found, options)
        left_out = {**tally.left_out, **found.left_out}
        notes = [*found.notes, *noted, *_explain_zeros(found, tally, options)]
        return data, replace(tally, left_out=left_out), notes
    return found, None, ()


def _explain_zeros(
    counting: Counting, tally: Tally, options: Mapping[str, Any]
) -> Iterator[Message]:
    """Say of answers that are all wrong why that may be, by the problems that were looked at."""
    is_judged = counting.roles.grades is None
    if is_judged and not any(correct for _, _, correct in tally.counts):
        judged = _judge(counting.looked, {**options, **_DONE, "groups": False})
        yield from explain_zeros(judged.problems, judged.verdicts)


def _count_rows(counting: Counting, options: Mapping[str, Any]) -> tuple[Tally, Sequence[Message]]:
    """Count with an engine, and say what is to be known. Grades are counted there, answers judged here, once each."""
    engine, data, roles = counting.engine, counting.data, counting.roles
    if roles.answers is None:
        cut = check_cut(options["correct_above"])
        rows = engine.count_grades(data, roles, cut, drop=options["missing"] == "drop")
        if rows.lowest < 0 or rows.highest > 1:
            counting.refuse_odd()
        try:
            return _count_grades(rows, options), list(note_soft(rows, options["correct_above"]))
        except InputError as error:
            if error.code == "engine.missing":
                error.ask = partial(_offer_policies, counting, cut)
            raise
    count = partial(_count_answers, options={**options, **_DONE})
    parts: list[Tally] = list(engine.count_answers(data, roles, count))
    # A worker that meets only nulls takes them for no groups.
    refuse_labels(
        unlabelled=len({label is None for part in parts for label, *_ in part.counts}) > 1
    )
    while len(parts) > 1:  # in pairs, since to add takes as long as the larger one is
        parts = [sum(parts[place : place + 2], Tally()) for place in range(0, len(parts), 2)]
    return parts[0], ()


# Options that the engine has followed.
_DONE = {name: TALLYING[name].default for name in (*READING, "columns", "where", "pool")}


def _offer_policies(counting: Counting, cut: float) -> Question:
    """Offer both policies for samples without a grade, as far as something is left of each problem."""
    offers = []
    for policy in ("incorrect", "drop"):
        rows = counting.engine.count_grades(
            counting.data, counting.roles, cut, drop=policy == "drop"
        )
        n, c, problems = np.array([row[:3] for row in rows.counts], dtype=np.int64).T
        if n.min():
            n, values = np.repeat(n, problems), np.repeat(c / n, problems)
            offers.append(offer_choice("missing", policy, n, values))
    return Question(readings=offers)


def _count_answers(
    table: pa.Table, *, options: Mapping[str, Any], num_workers: int | None = None
) -> Tally:
    """Count the problems of counted answers; see `Engine.count_answers`."""
    # These samples are different answers, each for all that are equal.
    changed = {
        **options,
        "num_workers": options["num_workers"] or num_workers,
        "sampling": INDEPENDENT,
    }
    return sum(
        (_count(_judge(part, changed), changed, times) for part, times in list_answers(table)),
        Tally(),
    )


def _count_grades(rows: Rows, options: Mapping[str, Any]) -> Tally:
    """Make a tally of rows of counts."""
    refuse_rows(rows, options["missing"])
    tally = Tally.from_rows(rows.counts, correct_above=options["correct_above"])
    return replace(
        tally,
        n_missing=rows.n_missing,
        conditions={**tally.conditions, "missing": options["missing"]},
        options={name: options[name] for name in KEPT},
        left_out={ACCURACY: say_soft()} if rows.n_soft else {},
    )


@dataclass(frozen=True)
class Tally:
    """Count problems by what their numbers depend on, so that the counts of machines, shards and days can be added.

    `a + b` counts the problems of both, to the last bit the same in any order. `at_k.score(tally)` computes the report
    that the samples would have given, without what needs problems, soft grades or scores one by one. `Tally()` counts
    no problems.

    The problems of two tallies must be different ones. A tally keeps hashes of their names, and tallies that share a
    name are refused: always where each has at most 50,000 problems. Above, a tally has the hashes of 50,000 and of an
    eighth of the others: of one size, they are refused in 99 of 100 pairs that share one in 3,000. With `by_problem`,
    a tally keeps every problem by its name: `a + b` adds the samples of problems that both have, and its report has
    their table, and can be compared.

    Attributes:
        by_problem: whether problems are kept by their names.
        counts: (group, n, c) → the number of problems.
        votes: (group, n, votes) → the number of problems, held in arrays. The votes for each answer are in falling
            order, those for a wrong answer below zero. None without answers.
        problems: name → the problem, with `by_problem`.
        hashes: 64-bit hashes of the names of problems: of all up to 50,000, and the smallest, an eighth, beyond.
        n_missing: the number of missing samples.
        conditions: how samples were judged, as a signature states it.
        reading: what was taken from files, as a signature states it.
        options: the other options that were given.
        left_out: metric → the reason why it cannot be computed.

    Examples:
        >>> from at_k import score
        >>> monday, tuesday = Tally.of({"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}), Tally.of({"grades": [[1, 1, 1, 1]]})
        >>> (monday + tuesday).counts
        {(None, 4, 3): 1, (None, 4, 1): 1, (None, 4, 4): 1}
        >>> score(monday + tuesday, k=1).values["pass@1"]
        0.6666666666666666
    """

    by_problem: bool = False
    counts: Mapping[Count, int] = field(default_factory=dict)
    votes: Shapes | None = None
    problems: Mapping[str, Problem] = field(default_factory=dict, repr=False)
    hashes: bytes = field(default=b"", repr=False)
    n_missing: int = 0
    conditions: Mapping[str, str] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, Message] = field(default_factory=dict)

    @classmethod
    @takes(TALLYING)
    def of(cls, data: Any, /, **given: Unpack[TallyOptions]) -> Tally:
        """Count the problems of a data set.

        Args:
            data: as of `at_k.score`. Data of an engine have a row for each sample, with columns that are called as
                their roles, or as `columns` says.
            given: see below.

        Returns:
            The tally.

        Raises:
            TypeError: as `at_k.score` does.
            ValueError: as `at_k.score` does.

        Examples:
            >>> data = {"answers": [["7", "7", "9"], ["1", "2", None]], "references": ["7", "2"]}
            >>> Tally.of(data, missing="incorrect").votes
            {(None, 3, (1, -1)): 1, (None, 3, (2, -1)): 1}
        """
        options = complete(given, cls.of, of="Tally.of")
        data, tally, _ = count_in_place(data, options)
        return _count(_judge(data, options), options) if tally is None else tally

    @classmethod
    def from_rows(cls, rows: Iterable[Any], /, *, correct_above: float | str = 0.5) -> Tally:
        """Make a tally of what a database, or another engine, has counted; see `at_k.sql`.

        Args:
            rows: (n, c, problems), how many problems have n samples of which c are correct, or (n, c, problems, group).
                A cursor yields such rows.
            correct_above: the grade above which a sample counted as correct, which the signature states.

        Raises:
            TypeError: if a row is not a sequence, or a number in it is not an integer.
            ValueError: if a row has another length, or c is not in 0…n.

        Examples:
            >>> from at_k import score
            >>> score(Tally.from_rows([(4, 1, 10), (4, 3, 30)]), k=1).values["pass@1"]
            0.625
        """
        counts: Counter[Count] = Counter()
        for cell, problems in read_rows(rows):
            counts[cell] += problems
        conditions = {
            "correct_above": str(spell_cut(correct_above)),
            "missing": "error",
            "checker": "graded",
        }
        if len({group is None for group, _, _ in counts}) > 1:
            raise ValueError("`rows` must have a group in every row, or in none")
        return cls(
            counts=dict(counts),
            conditions=conditions,
            options={name: TALLYING[name].default for name in KEPT},
        )

    def __len__(self) -> int:
        """Count the problems."""
        return sum(self.counts.values())

    def __radd__(self, other: object) -> Tally:
        """Let `sum` start from 0."""
        return self if other == 0 else NotImplemented

    def __add__(self, other: Tally) -> Tally:
        """Count the problems of both."""
        if not isinstance(other, Tally):
            return NotImplemented
        if not self.counts or not other.counts:
            return self if self.counts else other
        if self.by_problem is not other.by_problem:
            raise ValueError(
                "`by_problem` must be the same for tallies that are added; got True and False"
            )
        mine, its = (
            {
                "groups": next(iter(part.counts))[0] is not None,
                **part.conditions,
                **part.reading,
                **part.options,
            }
            for part in (self, other)
        )
        for name in mine | its:
            if (one := mine.get(name)) != (two := its.get(name)):
                raise _say.error(
                    "tally.conditions", name=name, one=shorten(one), other=shorten(two)
                )
        shared = 0
        if not self.by_problem:
            shared = count_shared(self.hashes, other.hashes)
        if shared:
            raise _say.error("tally.same_problems", count=shared)
        merged = replace(
            self,
            left_out=_merge_reasons(self, other),
            counts=dict(Counter(self.counts) + Counter(other.counts)),
            votes=None if self.votes is None or other.votes is None else self.votes + other.votes,
            hashes=merge_hashes(
                self.hashes,
                other.hashes,
                len(self.problems.keys() | other.problems.keys())
                if self.by_problem
                else len(self) + len(other),
            ),
            n_missing=self.n_missing + other.n_missing,
        )
        if self.by_problem:
            return _merge_problems(merged, self.problems, other.problems)
        return merged

    def to_json(self) -> str:
        """Write the tally as JSON."""
        return write_state(vars(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Tally:
        """Read a tally that `to_json` has written.

        Raises:
            ValueError: if the text is damaged, or anything else.
        """
        return cls(**read_state(text, "`text`"))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tally to a file, as JSON. `at_k.score` takes such files."""
        with replace_file(path) as part:
            part.write_text(self.to_json(), encoding="utf-8")


def _merge_reasons(first: Tally, second: Tally) -> dict[str, Message]:
    """Merge the reasons why metrics are left out, whatever the order of the tallies."""
    reasons = {**first.left_out}
    for name, reason in second.left_out.items():
        reasons[name] = min(reasons.get(name, reason), reason, key=str)
    if (first.votes is None) != (second.votes is None):
        reasons.setdefault("cons_at_k", _say("tally.votes"))
    return reasons


def _merge_problems(
    merged: Tally, first: Mapping[str, Problem], second: Mapping[str, Problem]
) -> Tally:
    """Merge problems by their names, and count them anew."""
    problems = dict(first)
    for name, problem in second.items():
        if name in problems and problems[name].group != problem.group:
            raise ValueError(
                f"`groups` must put problem {shorten(name)} in one group; got {problems[name].group!r} and "
                f"{problem.group!r}"
            )
        if name in problems:
            problems[name] = problems[name].merge(problem)
        else:
            problems[name] = problem
    votes: Shapes | None = None
    left_out = dict(merged.left_out)
    refused = merged.votes is not None and merged.options["on_conflict"] == "error"
    if refused and any(problem.disagrees for problem in problems.values()):
        left_out["cons_at_k"] = _say("tally.conflict")
    if merged.votes is not None and "cons_at_k" not in left_out:
        votes = Shapes.of(Counter(problem.shape for problem in problems.values()))
    return replace(
        merged,
        problems=problems,
        counts=dict(
            Counter((problem.group, problem.n, problem.c) for problem in problems.values())
        ),
        votes=votes,
        left_out=left_out,
    )

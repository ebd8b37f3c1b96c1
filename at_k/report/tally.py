"""Count problems by what their numbers depend on, so that the counts of machines, shards and days can be added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.errors import InputError, Message
from at_k.family import FAMILY
from at_k.options import TALLYING, complete, takes
from at_k.report import tally_files
from at_k.report.states import (
    ACCURACY,
    Cell,
    Count,
    Moments,
    Problem,
    Shape,
    Stratum,
    add_up,
    choose_names,
    list_values,
)
from at_k.report.tally_counting import KEPT, count_data
from at_k.validation import check_threshold, is_integer, is_whole_decimal, shorten, type_name

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.signatures import TallyOptions, Unpack

_CONFLICT = Message(
    "tally.conflict",
    "cons@k is left out: samples that were added to a problem have another verdict on the same answer. "
    "{option:on_conflict=majority} lets most of the samples decide.",
)
_ONE_SIDED = Message(
    "tally.votes", "cons@k is left out: some of the tallies that were added have no answers, or none that can vote."
)
_GROWN = Message(
    "tally.grown",
    "Numbers of scores are left out: samples were added to problems, and a tally does not keep scores one by one.",
)


@dataclass(frozen=True)
class Tally:
    """Count problems by what their numbers depend on, so that the counts of machines, shards and days can be added.

    `a + b` counts the problems of both, to the last bit the same in any order; numbers that depend on grades between 0
    and 1, or on scores, are the same to 1e-12. `at_k.score(tally)` computes the report that the samples would have
    given, without what needs problems one by one. `Tally()` counts no problems.

    The problems of two tallies must be different ones. A tally keeps some of their names, and tallies with a name in
    common are refused. With `by_problem`, a tally keeps every problem by its name: `a + b` adds the samples of problems
    that both have, and its report has their table, and can be compared.

    Attributes:
        by_problem: whether problems are kept by their names.
        counts: (group, n, c) → the number of problems.
        votes: (group, n, votes) → the number of problems. The votes for each answer are in falling order, those for a
            wrong answer below zero. None without answers.
        sums: (group, n) → the moments of numbers that depend on more: on grades between 0 and 1, or on scores.
        problems: name → the problem, with `by_problem`.
        names: some names of problems.
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
    votes: Mapping[Shape, int] | None = None
    sums: Mapping[Cell, Stratum] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict, repr=False)
    names: tuple[str, ...] = ()
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
            The tally. Of metrics that need scores it has every k up to the smallest n, or some of them above n = 64.

        Raises:
            TypeError: as `at_k.score` does.
            ValueError: as `at_k.score` does.

        Examples:
            >>> data = {"answers": [["7", "7", "9"], ["1", "2", None]], "references": ["7", "2"]}
            >>> Tally.of(data, missing="incorrect").votes
            {(None, 3, (2, -1)): 1, (None, 3, (1, -1)): 1}
        """
        return count_data(data, cls, complete(given, cls.of, of="Tally.of"))

    @classmethod
    def from_rows(cls, rows: Iterable[Any], /, *, threshold: float = 0.5) -> Tally:
        """Make a tally of what a database, or another engine, has counted; see `at_k.sql`.

        Args:
            rows: (n, c, problems), how many problems have n samples of which c are correct, or (n, c, problems, group).
                A cursor yields such rows.
            threshold: the grade above which a sample counted as correct, which the signature states.

        Raises:
            TypeError: if a row is not a sequence, or a number in it is not an integer.
            ValueError: if a row has another length, or c is not in 0…n.

        Examples:
            >>> from at_k import score
            >>> score(Tally.from_rows([(4, 1, 10), (4, 3, 30)]), k=1).values["pass@1"]
            0.625
        """
        counts: Counter[Count] = Counter()
        for place, row in enumerate(rows):
            if not hasattr(row, "__getitem__") or len(row) not in (3, 4):
                raise TypeError(
                    f"`rows` must hold (n, c, problems), or these and a group; got {shorten(row)} in row {place}"
                )
            n, c, problems = (read_integer(row[i], place) for i in range(3))
            if not (0 <= c <= n and n > 0 and problems > 0):
                raise ValueError(
                    f"`rows` must have 0 ≤ c ≤ n, n > 0 and problems > 0; got {shorten(row)} in row {place}"
                )
            group = row[3] if len(row) == 4 else None
            counts[None if group is None else str(group), n, c] += problems
        conditions = {"threshold": str(check_threshold(threshold)), "missing": "error", "checker": "graded"}
        if len({group is None for group, _, _ in counts}) > 1:
            raise ValueError("`rows` must have a group in every row, or in none")
        return cls(counts=dict(counts), conditions=conditions, options={name: TALLYING[name].default for name in KEPT})

    def __add__(self, other: Tally) -> Tally:
        """Count the problems of both.

        Raises:
            ValueError: if they were counted with different options, or have problems in common without `by_problem`.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        if not self.counts or not other.counts:
            return self if self.counts else other
        if self.by_problem is not other.by_problem:
            raise ValueError("`by_problem` must be the same for tallies that are added; got True and False")
        refuse_other_conditions(*(
            {"groups": next(iter(each.counts))[0] is not None, **each.conditions, **each.reading, **each.options}
            for each in (self, other)
        ))  # fmt: skip
        shared = {*self.names} & {*other.names}
        if shared and not self.by_problem:
            raise InputError(
                "tally.same_problems",
                "These tallies have problems in common, such as {problem}, and do not say which samples are theirs. To "
                "add samples to problems, count with {option:by_problem}. If the problems are different ones, "
                "give them different names.",
                problem=shorten(min(shared)),
            )
        merged = replace(
            self,
            left_out=_merge_reasons(self, other),
            counts=dict(Counter(self.counts) + Counter(other.counts)),
            votes=None
            if self.votes is None or other.votes is None
            else dict(Counter(self.votes) + Counter(other.votes)),
            sums=_merge_sums(self, other),
            names=choose_names({*self.names, *other.names}),
            n_missing=self.n_missing + other.n_missing,
        )
        return _merge_problems(merged, self.problems, other.problems) if self.by_problem else merged

    def __radd__(self, other: object) -> Tally:
        """Let `sum` add tallies, beginning with 0."""
        return self if other == 0 else NotImplemented

    def __len__(self) -> int:
        """Count the problems."""
        return sum(self.counts.values())

    def to_json(self) -> str:
        """Write the tally as JSON."""
        return tally_files.to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Tally:
        """Read a tally that `to_json` has written.

        Raises:
            ValueError: if the text is damaged, or anything else.
        """
        return tally_files.from_json(text, cls)

    def to_arrow(self) -> pa.Table:
        """Write the tally as an Arrow table: a row for each (group, n, c), and for each (group, n, votes)."""
        return tally_files.to_arrow(self)

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Tally:
        """Read a tally that `to_arrow` has written.

        Raises:
            ValueError: if the table is damaged, or anything else.
        """
        return tally_files.from_arrow(table, cls)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tally to a file, as JSON. `at_k.score` takes such files."""
        tally_files.save(self, path)


def refuse_other_conditions(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Raise unless two tallies were counted under the same conditions."""
    for name in {**first, **second}:
        one, other = first.get(name), second.get(name)
        if one != other:
            raise InputError(
                "tally.conditions",
                "These tallies were counted differently: {name} is {one} in one of them, and {other} in the other. "
                "Count all with the same options.",
                name=name,
                one=shorten(one),
                other=shorten(other),
            )


def _merge_sums(first: Tally, second: Tally) -> dict[Cell, Stratum]:
    """Merge the moments of two tallies, of the keys that both have."""
    parts = [dict(first.sums), dict(second.sums)]
    soft = [any(ACCURACY in stratum.moments for stratum in part.values()) for part in parts]
    for place, tally in enumerate((first, second)):
        if soft[1 - place] and not soft[place]:
            parts[place] = _measure_counts(tally, parts[place])
    keys = [frozenset(next(iter(part.values())).moments) if part else frozenset() for part in parts]
    shared = keys[0] & keys[1]
    merged: dict[Cell, Stratum] = {}
    for part in parts if shared else ():
        for cell, stratum in part.items():
            own = stratum.keep(shared)
            merged[cell] = merged[cell].merge(own) if cell in merged else own
    return merged


def _measure_counts(tally: Tally, sums: Mapping[Cell, Stratum]) -> dict[Cell, Stratum]:
    """Add the moments of mean grades that are shares of correct samples: they follow from the counts."""
    found = dict(sums)
    rows: dict[Cell, list[tuple[int, int]]] = {}
    for (group, n, c), problems in tally.counts.items():
        rows.setdefault((group, n), []).append((c, problems))
    for (group, n), listed in rows.items():
        c, times = np.array(listed).T
        share = c / n
        variance = share * (1 - share) / (n - 1) if n > 1 else np.full(len(c), np.inf)
        own = {ACCURACY: Moments.of(share, variance, np.zeros(len(c)), times)}
        found[group, n] = Stratum(int(times.sum()), {**(sums[group, n].moments if sums else {}), **own})
    return found


def _merge_reasons(first: Tally, second: Tally) -> dict[str, Message]:
    """Merge the reasons why metrics are left out, whatever the order of the tallies."""
    found = {**first.left_out}
    for name, reason in second.left_out.items():
        found[name] = min(found.get(name, reason), reason, key=str)
    if (first.votes is None) != (second.votes is None):
        found.setdefault("cons_at_k", _ONE_SIDED)
    return found


def _merge_problems(merged: Tally, first: Mapping[str, Problem], second: Mapping[str, Problem]) -> Tally:
    """Merge problems by their names, and count them anew."""
    problems = dict(first)
    for name, problem in second.items():
        if name in problems and problems[name].group != problem.group:
            raise ValueError(
                f"`groups` must put problem {shorten(name)} in one group; got {problems[name].group!r} and "
                f"{problem.group!r}"
            )
        problems[name] = problems[name].merge(problem) if name in problems else problem
    votes: Mapping[Shape, int] | None = None
    left_out = dict(merged.left_out)
    refused = merged.votes is not None and merged.options["on_conflict"] == "error"
    if refused and any(problem.disagrees for problem in problems.values()):
        left_out["cons_at_k"] = _CONFLICT
    if merged.votes is not None and "cons_at_k" not in left_out:
        votes = dict(Counter(problem.shape for problem in problems.values()))
    values = list_values(problems.values())
    gone = {key.metric for stratum in merged.sums.values() for key in stratum.moments if key not in values}
    lost = {each.name: _GROWN for each in FAMILY.values() if each.needs_scores and gone & each.metrics}
    return replace(
        merged,
        problems=problems,
        counts=dict(Counter((each.group, each.n, each.c) for each in problems.values())),
        votes=votes,
        sums=add_up([(each.group, each.n) for each in problems.values()], values),
        left_out=left_out | lost,
    )


def read_integer(value: object, place: int) -> int:
    """Return an integer of a row that an engine has counted."""
    if not (is_integer(value) or is_whole_decimal(value)):
        raise TypeError(f"`rows` must hold integers; got {shorten(value)} of type {type_name(value)} in row {place}")
    return int(value)

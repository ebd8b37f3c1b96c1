"""The data of a report, which every form of it is written from."""

from __future__ import annotations

from collections.abc import Callable, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from os import PathLike
from typing import Any

import numpy as np

from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, Phrases
from at_k.grading import Verdicts
from at_k.options.registry import UNTIL_SUCCESS
from at_k.readers.samples import Origin
from at_k.report.naming import Keyed
from at_k.results.saving import holds
from at_k.results.writers import Mapped
from at_k.samples import Problems, Rows
from at_k.values import Column, ErrorBar, Key, Values, cached_property

_say = Phrases(
    {
        "report.no_samples": "This report does not hold its samples: it was loaded from a file, "
        "or comes from a tally. Score the results that it was made from.",
        "stopped.dependent": "{what} takes the samples of a problem for independent, and these "
        "stopped at the first success: pass@k alone is defined. Score them with `at-k score` or "
        "`at_k.score`.",
        "tally.no_problems": "This report comes from a tally, which counts problems and does not "
        "keep them. {what} needs the values of each problem: count with {option:by_problem}, or "
        "score the samples themselves.",
    }
)


# Reasons why a metric is left out that say that its column is not there.
_OF_OTHER_COLUMNS = ("left_out.no_scores", "left_out.no_answers")


@dataclass(frozen=True)
class Curves:
    """Hold values against k.

    Attributes:
        k: every k.
        lines: a key with the letter k → its value for each k, None if it has none.
        equal_n: whether all problems have the same number of samples, the last k.
        bands: the same key → its interval for each k, None if it has none; empty without intervals.
    """

    k: tuple[int, ...]
    lines: Mapping[Key, Sequence[float | None]]
    equal_n: bool = True
    bands: Mapping[Key, Sequence[tuple[float, float] | None]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Numbers(Mapped):
    """Hold every number of a data set.

    Attributes:
        values: key → value, over all problems.
        intervals: key → its standard error and confidence interval; empty without a confidence level. A score of one
            problem has none.
        groups: label → key → value.
        group_intervals: label → key → the same for the group.
        sizes: label → number of problems.
        problems: the name of each problem.
        labels: the group of each problem; None without groups.
        n: samples of each problem.
        c: correct samples of each problem.
        n_missing: the number of missing samples.
        columns: key → the value of each problem.
        errors: key → the standard error of a simulated value.
        metrics: the metrics that the data allow, each with its keys.
        left_out: metric → the reason why it could not be computed.
        notes: what the intervals are, and then remarks that a reader of the numbers should know, the most important
            first.
        options: the options that were given and are not the defaults.
        source: the path of the results, or a list of paths; None for data that were in memory.
        origin: what wrote the files, and what was taken from them; None for data that were in memory.
        times: how many problems each entry of `n`, `c` and `labels` represents, in the report of a tally, whose
            problems have no names or values of their own; None for one each.
        drawn: every metric against k, of a report that was loaded or copied.
        signed: the signatures of such a report.
        sign: writes the signatures. This and the attributes below are None in a report that was loaded or copied.
        draw_curves: computes the curves.
        compute_at: computes the values of each problem, at any k for the metrics that have a k; not of a tally, but of
            one by problem.
        scored: the samples and their verdicts, as `samples` returns them.
        rows: what else the data say of each problem, such as what its samples cost.
        audited: with the option `audited`, `{key}_audited` → the value by a better judge, estimated from its verdicts.
        audited_intervals: the same → its standard error and confidence interval.
        audit: key → the value of each problem by the better judge, NaN where it was not audited. It is not saved.
    """

    values: Keyed[float]
    intervals: Keyed[ErrorBar]
    groups: dict[str, Keyed[float]]
    group_intervals: dict[str, Keyed[ErrorBar]]
    sizes: dict[str, int]
    problems: list[str]
    labels: list[str] | None
    n: list[int]
    c: list[int]
    n_missing: int
    columns: Mapping[Key, Column]
    errors: Keyed[float]
    metrics: dict[str, list[Key]]
    left_out: dict[str, Message]
    notes: list[Message]
    options: dict[str, Any] = field(default_factory=dict)
    source: str | list[str] | None = None
    origin: Origin | None = None
    times: list[int] | None = None
    drawn: Curves | None = None
    signed: dict[str, str] | None = None
    sign: Callable[[], dict[str, str]] | None = field(default=None, compare=False)
    draw_curves: Callable[[], Curves] | None = field(default=None, compare=False)
    compute_at: Callable[[Sequence[int]], list[Values]] | None = field(default=None, compare=False)
    scored: tuple[Problems, Verdicts] | None = field(default=None, compare=False)
    rows: Rows | None = field(default=None, compare=False)
    audited: dict[str, float] = field(default_factory=dict)
    audited_intervals: dict[str, ErrorBar] = field(default_factory=dict)
    audit: dict[Key, Floats] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Let each name of a number find it, also in what was read from a file."""
        for name in ("values", "intervals", "errors"):
            object.__setattr__(self, name, Keyed(getattr(self, name)))
        for name in ("groups", "group_intervals"):
            numbers = getattr(self, name)
            object.__setattr__(self, name, {label: Keyed(numbers[label]) for label in numbers})

    @property
    def mapping(self) -> Keyed[float]:
        """Return key → value."""
        return self.values

    def keys(self) -> KeysView[Key]:
        """Return the keys of the numbers."""
        return self.values.keys()

    def __float__(self) -> float:
        """Return the one number of a report that has one."""
        if len(self.values) != 1:
            raise TypeError(
                f"a report of {len(self.values)} numbers is no float: look one up, as report['pass@1']"
            )
        return next(iter(self.values.values()))

    def confidence_interval(self, name: str | None = None) -> ErrorBar:
        """Return the interval of a number, by default of the first one: its `low`, `high` and `stderr`."""
        if not self.intervals:
            raise ValueError(
                "the report has no intervals: score with `confidence_level`, such as 0.95"
            )
        return self.intervals[next(iter(self.values)) if name is None else name]

    @property
    def missed(self) -> list[Message]:
        """Return why metrics are left out, without those that were not asked for and whose columns are not there."""
        everything = self.options.get("metrics") is None
        return [
            reason
            for reason in self.left_out.values()
            if not (everything and reason.code in _OF_OTHER_COLUMNS)
        ]

    @property
    def n_problems(self) -> int:
        """Count the problems."""
        return len(self)

    @cached_property
    def curves(self) -> Curves:
        """Return every metric against k, up to the smallest n. They are computed on first use."""
        return self.drawn or (Curves((), {}) if self.draw_curves is None else self.draw_curves())

    @cached_property
    def by_problem(self) -> Keyed[list[float]]:
        """Return key → a value for each problem."""
        return Keyed({key: column.expand().tolist() for key, column in self.columns.items()})

    @cached_property
    def signatures(self) -> dict[str, str]:
        """Return metric → one line with the conditions under which two values may be compared."""
        return self.signed or ({} if self.sign is None else self.sign())

    @property
    def samples(self) -> tuple[Problems, Verdicts]:
        """Return the samples and their verdicts."""
        if self.scored is None:
            raise _say.error("report.no_samples")
        return self.scored

    @property
    def k(self) -> tuple[int, ...]:
        """Return every k of the values, in rising order."""
        return tuple(sorted({key.draws for key in self.values if key.draws is not None}))

    @property
    def clusters(self) -> list[str] | None:
        """Return the cluster of each problem that intervals are made with; None without clusters."""
        clusters = self.options.get("clusters")
        return self.labels if clusters is True else clusters

    @property
    def per_problem(self) -> dict[str, list[Any]]:
        """Return one list per column, with one entry per problem: problem, group, n, c, and every key."""
        self.require_problems("A table of problems")
        table: dict[str, list[Any]] = {"problem": self.problems}
        if self.labels is not None:
            table["group"] = self.labels
        return (
            table
            | {"n": self.n, "c": self.c}
            | {str(key): values for key, values in self.by_problem.items()}
        )

    def saved_state(self) -> dict[str, Any]:
        """Return the state with curves and signatures computed, and without the samples, which may be large."""
        gone = dict.fromkeys(("sign", "draw_curves", "compute_at", "scored", "rows"))
        columns = {key: Column.of(column.expand()) for key, column in self.columns.items()}
        return {
            **self.__dict__,
            "columns": columns,
            "drawn": self.curves,
            "signed": self.signatures,
            **gone,
        }

    __getstate__ = saved_state

    @property
    def n_samples(self) -> int:
        """Count the samples."""
        if self.times is None:
            return sum(self.n)
        return sum(map(mul, self.n, self.times))

    @property
    def stopped(self) -> bool:
        """Return whether sampling stopped at the first success, as the caller said."""
        return self.options.get("sampling") == UNTIL_SUCCESS

    def require_independent(self, what: str) -> None:
        """Raise if sampling stopped at the first success; `what` is a noun that begins the sentence."""
        if self.stopped:
            raise _say.error("stopped.dependent", what=what)

    def list_counts(self) -> tuple[Ints, Ints]:
        """Return n and c of each problem."""
        self.require_independent("What counts tell")
        n = np.array(self.n)
        c = np.array(self.c)
        if self.times is None:
            return n, c
        return np.repeat(n, self.times), np.repeat(c, self.times)

    def require_problems(self, what: str) -> None:
        """Raise if this is the report of a tally; `what` is a noun that begins the sentence."""
        if self.times is not None:
            raise _say.error("tally.no_problems", what=what)

    def __len__(self) -> int:
        """Count the problems."""
        if self.times is None:
            return len(self.problems)
        return sum(self.times)


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
        reasons: how many samples are missing for each of `REASONS`.
        unjudged: problems that were left out because all of their samples are missing.
        unjudged_samples: the samples of these problems.
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
    reasons: Mapping[str, int] = field(default_factory=dict)
    unjudged: int = 0
    unjudged_samples: int = 0

    @property
    def weights(self) -> list[list[float]] | None:
        """Return the weight of each vote, where a column of the file was named for it."""
        if self.origin is None or self.rows is None or not self.origin.roles.get("weight"):
            return None
        return [row["weight"] for row in self.rows]


# The name of a report in a file of JSON.
KIND = "report"


def holds_report(path: str | PathLike[str]) -> bool:
    """Return whether `save` has written a file, as its beginning says. Other files may not exist."""
    return holds(path, KIND)

"""Problems that several models have in common, lined up for a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from at_k.analysis.measurements import Measured, find_differing_conditions
from at_k.columns import read_groups
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, Mistake, Phrases
from at_k.report import Report
from at_k.summary import is_bounded
from at_k.uncertainty.checks import read_column
from at_k.uncertainty.questions import FACTOR, UNLIKE_FACTOR
from at_k.uncertainty.standard_errors import read_clusters
from at_k.validation import list_common, require_same_problems, shorten
from at_k.values import cached_property

_say = Phrases(
    {
        "compare.by_order": "The problems have no names and were matched by their order.",
        "compare.clusters": "The models disagree about {option:clusters}: problem {problem} is in {one} for {first}, "
        "and in {two} for {second}. Give a label for each problem.",
        "compare.conditions": "The models were measured under different conditions, and these may make the "
        "difference: {conditions}.",
        "compare.dropped": "Problems that only one model has, left out: {count:,}.",
        "compare.in_clusters": "Problems come in clusters: {count:,}. Whole clusters flip their signs.",
        "compare.no_cluster": "{option:clusters} must have a label for every problem that is compared; {problem} has "
        "none.",
        "compare.no_counts": "Values alone do not show how many samples are behind them: the comparison assumes "
        "equal numbers for both models. If they differ, give the data.",
        "compare.no_groups": "{option:clusters} are the groups, but the models have none. Give a label for each "
        "problem, or name the column of groups.",
        "compare.no_names": "The problems of {names} have no names, so that they are matched by their order, and all "
        "models must have the same number; they have {counts}. Name them in a column `problem`.",
        "compare.no_problem": "The models have no problem in common. Their first ones are {examples}: spell names "
        "the same way.",
        "compare.no_report": "This needs reports or data, which say how many samples are correct; {name} has bare "
        "values.",
        "compare.problems": "The models were not measured on the same problems: all have {shared:,}, and beside these "
        "{only}, such as {example}. Leave out what not all have: {option:unmatched=drop}.",
        "compare.unlike_n": "The numbers of samples differ ({numbers}), so the differences are not symmetric even for "
        "one model with itself.",
    }
)

# Notes that an unpaired comparison leaves out: each of its numbers says that it is unpaired.
OF_MATCHING = ("compare.dropped", "compare.by_order", "compare.no_counts")


@dataclass(frozen=True)
class Matched:
    """Hold the problems that several models have in common, lined up.

    Attributes:
        models: what was measured of each.
        problems: the problems that all have, in the order of the first model.
        only: how many further problems each of them has.
        labels: the cluster of each problem; None without clusters.
    """

    models: Sequence[Measured]
    problems: Sequence[str]
    only: Sequence[int]
    labels: Sequence[str] | None = None

    @property
    def names(self) -> list[str]:
        """Return what the models are called."""
        return [model.name for model in self.models]

    @cached_property
    def reports(self) -> list[Report]:
        """Return the report of each model; an error if one is known by bare values."""
        for model in self.models:
            if model.report is None:
                raise _say.error("compare.no_report", name=model.name)
        return [model.report for model in self.models if model.report is not None]

    @cached_property
    def rows(self) -> list[Ints | None]:
        """Return the places of the problems in each model; None where they are all of them, in order."""
        rows: list[Ints | None] = [None] * len(self.models)
        for i, model in enumerate(self.models):
            if self.problems != model.problems:
                places = [model.places[problem] for problem in self.problems]
                rows[i] = np.array(places, dtype=np.int64)
        return rows

    @cached_property
    def codes(self) -> Ints | None:
        """Return the number of the cluster of each problem."""
        if self.labels is None:
            return None
        return read_clusters(self.labels, len(self.labels), "problems")

    def line_up(self, columns: Sequence[Any]) -> list[Any]:
        """Return one column of each model at the problems that all have."""
        return [
            column if rows is None else np.asarray(column)[rows]
            for column, rows in zip(columns, self.rows, strict=True)
        ]

    def values(self, key: str) -> list[Floats]:
        """Return the values of a key of each model, after a check of them."""
        bounded = is_bounded(key)
        known = [(f"{key} of {model.name}", model.values[key]) for model in self.models]
        return self.line_up([read_column(name, values, bounded=bounded) for name, values in known])

    @cached_property
    def counts(self) -> list[tuple[Ints, Ints]] | None:
        """Return n and c of the problems of each model; None if values alone say something of one."""
        if any(model.report is None or model.report.stopped for model in self.models):
            return None
        n = self.line_up([np.array(report.n) for report in self.reports])
        c = self.line_up([np.array(report.c) for report in self.reports])
        return list(zip(n, c, strict=True))

    def are_same(self, values: Sequence[Floats], differences: Sequence[Floats]) -> bool:
        """Tell whether two models are the same samples: equal in all, while problems differ from each other."""
        if self.unlike_samples is not None or any(column.any() for column in differences):
            return False
        return any(np.ptp(column) > 0 for column in values)

    @property
    def unlike_samples(self) -> Message | None:
        """Say that the models have other numbers of samples of the same problems; None if they do not."""
        if self.counts is None or all((n == self.counts[0][0]).all() for n, _ in self.counts):
            return None
        ranges = (
            f"{name} {write_range(n)}" for name, (n, _) in zip(self.names, self.counts, strict=True)
        )
        return _say("compare.unlike_n", numbers=", ".join(ranges))

    def find_factor(self, a: int = 0, b: int = -1) -> float:
        """Return the factor of the rule of decisions for two models, by whether most problems have the same n."""
        if self.counts is None:
            return FACTOR
        unlike = float((self.counts[a][0] != self.counts[b][0]).mean())
        return UNLIKE_FACTOR if unlike > 0.5 else FACTOR

    @property
    def mistakes(self) -> list[Message]:
        """List what must be a mistake in the data of a model, or in how they were read."""
        notes = [
            note for model in self.models if model.report is not None for note in model.report.notes
        ]
        return list(dict.fromkeys(note for note in notes if isinstance(note, Mistake)))

    def note(self, keys: Sequence[str]) -> Iterator[Message]:
        """Say what must be a mistake, how problems were matched, under which conditions, and in which clusters."""
        yield from self.mistakes
        if any(self.only):
            yield _say("compare.dropped", count=sum(self.only))
        elif not any(model.named for model in self.models):
            yield _say("compare.by_order")
        if any(model.report is None for model in self.models):
            yield _say("compare.no_counts")
        differing = find_differing_conditions(self.models, keys).items()
        if differing:
            yield _say(
                "compare.conditions",
                conditions="; ".join(f"{name} ({', '.join(two)})" for name, two in differing),
            )
        if self.labels is not None:
            yield _say("compare.in_clusters", count=len(set(self.labels)))


def write_range(n: Ints) -> str:
    """Write the smallest and the largest of several numbers.

    Examples:
        >>> write_range(np.array([4, 8])), write_range(np.array([8, 8]))
        ('4–8', '8')
    """
    if n.min() == n.max():
        return str(n.min())
    return f"{n.min()}–{n.max()}"


def match(
    models: Sequence[Measured], names: Sequence[str], *, unmatched: str, clusters: object
) -> Matched:
    """Line up the problems that all models have, with the cluster of each."""
    models = [replace(model, name=name) for model, name in zip(models, names, strict=True)]
    known = [model.problems for model in models]
    # The order is that of the first model: in the order of a set, seeded flips would differ from run to run.
    problems = list_common(known)
    shared = set(problems)
    only = [len(own) - len(shared) for own in known]
    if unmatched != "unpaired":
        _refuse_unmatched(models, shared, only, unmatched)
    return Matched(models, problems, only, _find_clusters(clusters, models, problems))


def _refuse_unmatched(
    models: Sequence[Measured], shared: set[str], only: Sequence[int], unmatched: str
) -> None:
    if any(only) and not all(model.named for model in models):
        names = ", ".join(model.name for model in models if not model.named)
        counts = ", ".join(f"{len(model.problems):,}" for model in models)
        raise _say.error("compare.no_names", names=names, counts=counts)
    if not shared:
        raise _say.error(
            "compare.no_problem", examples=", ".join(shorten(model.problems[0]) for model in models)
        )
    if any(only) and unmatched == "error":
        lone = [problem for model in models for problem in model.problems if problem not in shared]
        further = (
            f"{model.name} has {count:,}"
            for count, model in zip(only, models, strict=True)
            if count
        )
        raise _say.error(
            "compare.problems",
            shared=len(shared),
            only=", ".join(further),
            example=shorten(lone[0]),
        )


def _find_clusters(
    clusters: object, models: Sequence[Measured], problems: Sequence[str]
) -> list[str] | None:
    """Find the cluster of each problem that is compared."""
    # `clusters` has one label per problem of the first model, or maps problems to labels; True means the groups, False
    # for none, and None for the clusters that the intervals of the reports are made with.
    if clusters is False:
        return None
    if clusters is None or clusters is True:
        listed = [(model, model.groups if clusters else model.clusters) for model in models]
        known = [
            (model.name, dict(zip(model.problems, labels, strict=True)))
            for model, labels in listed
            if labels
        ]
        if clusters and not known:
            raise _say.error("compare.no_groups")
        for name, other in known:
            first, ours = known[0]
            for problem in problems:
                if ours[problem] != other[problem]:
                    shown = {"problem": problem, "one": ours[problem], "two": other[problem]}
                    shown = {part: shorten(text) for part, text in shown.items()}
                    raise _say.error("compare.clusters", first=first, second=name, **shown)
        if known:
            return [known[0][1][problem] for problem in problems]
        return None
    if not isinstance(clusters, Mapping):
        groups = read_groups(clusters, "clusters")
        require_same_problems("clusters", len(groups), models[0].name, len(models[0].problems))
        clusters = dict(zip(models[0].problems, groups, strict=True))
    lacking = [problem for problem in problems if problem not in clusters]
    if lacking:
        raise _say.error("compare.no_cluster", problem=shorten(lacking[0]))
    return read_groups([clusters[problem] for problem in problems], "clusters")

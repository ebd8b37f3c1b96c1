"""A plan: what other numbers of problems and samples would give, in tables and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import Message, Phrases
from at_k.results.sheet import Cell, Sentences, Sheet, Table
from at_k.results.writers import Shown
from at_k.uncertainty.power import Chances
from at_k.uncertainty.variance import Correlation
from at_k.values import Key

# The number at which a search for enough problems or samples ends.
MOST_PROBLEMS, MOST_SAMPLES = 10_000_000, 4_096

# Correlations of difficulties where no second pilot tells: in real pairs they were .37 to .81. Plans that assumed .8
# found the difference with a power of .61–.65 where .8 was promised.
CAUTIOUS, OPTIMISTIC = 0.5, 0.8

_say = Phrases(
    {
        "plan.on_pilot": "{key} = {value:.3f} on the pilot",
        "plan.expected": "{key} = {value:.3f} expected",
        "plan.answer": "To tell models apart that differ by {detect:.3g} points, take about {needed} problems × "
        "{samples:,} samples; {problems:,} × {samples:,} tell {difference:.2g} points.",
        "plan.answer_expected": "To tell models apart that differ by {detect:.3g} points, take about {needed} problems "
        "× {samples:,} samples.",
        "plan.split": "{share:.0%} of the variance is between problems: only more problems reduce it. {rest:.0%} is "
        "within problems: more samples of each reduce it too.",
        "plan.correlated": "The difficulties of problems for the two correlate by {value:.2f} [{low:.2f}, {high:.2f}].",
        "plan.correlation_assumed": "Assumes a correlation of {correlation:g} between the models (0.37–0.81 in real "
        "pairs). Pass a second pilot on the same problems to estimate it.",
        "plan.width": "Problems for an interval of ± {half_width:g}, with n = {samples:,}: {needed}.",
        "plan.width_samples": "Samples of each for it, with {problems:,} problems: {needed}.",
        "plan.detect": "Problems to find a difference of {detect:g}, with n = {samples:,} and a correlation of "
        "{correlation:.3g}: {needed}.",
        "plan.chance": "In simulated data sets, a comparison of that size finds it in {population:.0%} for other "
        "problems like these, and in {problem_set:.0%} on the problems themselves.",
        "plan.unreached": "more than {most:,}",
        "plan.no_number": "no number is enough",
        "plan.legend": "Interval: half of its expected width. Difference: what a paired comparison of two models finds "
        "if their difficulties of problems correlate by r, in {least:.0%} to {most:.0%} of data sets that were "
        "simulated with n = {samples:,}.",
        "plan.legend_alone": "Interval: half of its expected width. Difference: what a paired comparison of two models "
        "finds with a chance of about {power:.0%}, if their difficulties of problems correlate by r.",
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Shown):
    """Hold what other measurements of a metric would give.

    Attributes:
        key: the number that is planned, such as pass@1.
        value: its value on the pilot, or the expected one.
        between: the variance between problems, which more samples do not reduce.
        within: the variance within problems, at the pilot's number of samples.
        problems: numbers of problems, the rows of the tables.
        samples: numbers of samples, the columns of the tables.
        stderr: the predicted standard errors; NaN, as the next two, if the pilot cannot tell.
        half_width: half of the widths of the predicted intervals.
        detectable: correlation → the differences that a paired comparison would find with about the given power. The
            correlation is how much the difficulties of problems for the two models agree: the one that was given or
            estimated, else .5 and then .8, which are assumptions.
        own: the pilot's number of problems, or None without a pilot, and its number of samples.
        needed_problems: how many problems reach the half width, with the pilot's samples; None, as the next, if none
            was asked for, the pilot cannot tell, or ten million do not reach it.
        needed_samples: how many samples reach it, with the pilot's problems.
        chances: correlation → for each number of problems, with the pilot's samples, how often its difference was found
            in simulated data sets, by the rule of `compare`, for other problems like these; NaN where none was
            simulated: with clusters, and of many problems.
        chances_here: correlation → the same on the problems themselves, for other samples of them.
        needed_to_detect: correlation → how many problems, with the pilot's samples, find the difference with about the
            power; empty if no difference was asked for, or the pilot cannot tell.
        chance_to_detect: correlation → how often it was found in simulated data sets of that size, by both decisions.
        notes: what a reader must know about these numbers.
        asked: the half width and the difference that were asked for.
        power: the chance with which a comparison finds a difference.
        estimated: the correlation with its interval, if it was estimated from two pilots; None for an assumption.
        can_tell: whether the pilot shows how much problems vary: five at least are not like most.
        to_tell: a difference, how many problems find it with the pilot's samples, and the smallest difference that the
            pilot's own problems find, with the power; None if the pilot cannot tell.
    """

    key: Key
    value: float
    between: float
    within: float
    problems: tuple[int, ...]
    samples: tuple[int, ...]
    stderr: Floats
    half_width: Floats
    detectable: dict[float, Floats]
    own: tuple[int | None, int]
    needed_problems: int | None = None
    needed_samples: int | None = None
    needed_to_detect: dict[float, int | None] = field(default_factory=dict)
    chance_to_detect: dict[float, Chances] = field(default_factory=dict)
    chances: dict[float, Floats] = field(default_factory=dict)
    chances_here: dict[float, Floats] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()
    asked: tuple[float | None, float | None] = (None, None)
    power: float = 0.8
    estimated: Correlation | None = None
    can_tell: bool = True
    to_tell: tuple[float, int | None, float | None] | None = None

    def answer(self) -> Iterator[Message]:
        """Say how many problems tell models apart, and what the pilot's own number tells."""
        if self.to_tell is None:
            return
        detect, count, own = self.to_tell
        problems, samples = self.own
        said = {"detect": 100 * detect, "needed": _write_need(count), "samples": samples}
        if problems is None or own is None:
            yield _say("plan.answer_expected", **said)
        else:
            yield _say("plan.answer", **said, problems=problems, difference=100 * own)

    def describe_assumptions(self) -> Iterator[Message]:
        """Say how much of the variance is between problems, and where the correlation is from unless it was given."""
        total = self.between + self.within
        if total and self.can_tell:
            yield _say("plan.split", share=self.between / total, rest=self.within / total)
        if self.estimated is not None:
            yield _say("plan.correlated", **self.estimated._asdict())
        elif len(self.detectable) > 1:
            yield _say("plan.correlation_assumed", correlation=CAUTIOUS)

    def list_needs(self) -> Iterator[Message]:
        """Say how many problems or samples reach what was asked for, if the pilot can tell."""
        half_width, detect = self.asked
        problems, samples = self.own
        if half_width is not None and self.can_tell:
            yield _say(
                "plan.width",
                half_width=half_width,
                samples=samples,
                needed=_write_need(self.needed_problems),
            )
            if problems is not None:
                few = (
                    _say("plan.no_number")
                    if self.needed_samples is None
                    else f"{self.needed_samples:,}"
                )
                yield _say("plan.width_samples", problems=problems, needed=few)
        for correlation, count in self.needed_to_detect.items():
            needed = _write_need(count)
            yield _say(
                "plan.detect",
                detect=detect,
                samples=samples,
                correlation=correlation,
                needed=needed,
            )
            chances = self.chance_to_detect.get(correlation)
            if chances is not None and not np.isnan(chances).any():
                yield _say("plan.chance", **chances._asdict())

    def _explain(self) -> Message:
        """Say what the tables hold, with the chances that were simulated."""
        chances = np.concatenate([*self.chances.values()])
        known = chances[~np.isnan(chances)]
        if not len(known):
            return _say("plan.legend_alone", power=self.power)
        return _say("plan.legend", least=known.min(), most=known.max(), samples=self.own[1])

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the split of the variance, the table of half widths and differences, and what was asked for."""
        code = "plan.expected" if self.own[0] is None else "plan.on_pilot"
        title = _say(code, key=str(self.key), value=self.value)
        if not self.can_tell:
            return Sheet([Sentences(self.notes, "note")], title, data=lambda: vars(self))
        tables = {"interval ±": self.half_width}
        for r, difference in self.detectable.items():
            tables[f"difference, r = {r:.3g}"] = difference
        rows = []
        for label, table in tables.items():
            for m, values in zip(self.problems, table, strict=True):
                cells = [Cell(value, form=".3f") for value in values]
                rows.append([label, Cell(m, form=","), *cells])
        head = ["quantity", "problems", *(f"n = {n:,}" for n in self.samples)]
        parts: list[Sentences | Table] = [
            Sentences([*self.answer()], "lead"),
            Sentences([*self.list_needs()], "need"),
            Table(head, rows),
            Sentences([*self.describe_assumptions()]),
            Sentences([self._explain()], "legend"),
            Sentences(self.notes, "note"),
        ]
        return Sheet(parts, title, data=lambda: vars(self))


def _write_need(problems: int | None) -> Message | str:
    if problems is None:
        return _say("plan.unreached", most=MOST_PROBLEMS)
    return f"{problems:,}"

"""How many problems and samples a measurement needs, as far as a pilot tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, spell_for_output
from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.checks import check_fraction, check_size, count_unlike
from at_k.uncertainty.correlation import Correlation, estimate_correlation
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.jackknife import CountsEstimator
from at_k.uncertainty.search import find_least
from at_k.uncertainty.variance import Variance, read_pilot
from at_k.validation import is_number, shorten

_MOST_PROBLEMS, _MOST_IN_WORDS = 10_000_000, "ten million"
_MOST_SAMPLES = 4_096
"""Where a search for enough problems or samples ends."""

ASSUMED, CAUTIOUS = 0.8, 0.5
"""Correlations of difficulties where no second pilot tells: in real pairs they were .37 to .81, and so up to twice as
many problems are needed as .8 promises."""

_RESAMPLES = 200
"""Pilots of the bootstrap behind the interval of a share."""

_NONE, _FEW = 5, 10
"""With fewer problems than these whose value is not the most frequent one, a pilot cannot tell, or is rough. In
simulations, the predicted standard error was off by 91 % in the median with 0–4 of them, 23 % with 5–9, 15 % with
10–14, 7 % with 20–39 and 3 % with 60."""


@dataclass(frozen=True)
class Plan:
    """Hold what a pilot tells about other measurements of the same metric.

    Attributes:
        value: the metric on the pilot.
        between: the variance between problems, which more samples do not reduce.
        within: the variance within problems, at the pilot's number of samples.
        problems: numbers of problems, the rows of the tables.
        samples: numbers of samples, the columns of the tables.
        stderr: the predicted standard errors; NaN, as the next two, if the pilot cannot tell.
        half_width: half of the widths of the predicted intervals.
        detectable: the smallest differences that a paired comparison would find with the given power.
        needed_problems: how many problems reach the half width that was asked for, with the pilot's samples; None if
            none was asked for, the pilot cannot tell, or ten million do not reach it.
        needed_samples: how many samples reach it, with the pilot's problems; None if no number does, or the pilot
            cannot tell.
        needed_to_detect: how many problems, with the pilot's samples, find the difference that was asked for with the
            given power; None if none was asked for, the pilot cannot tell, or ten million do not find it.
        notes: what a reader must know about these numbers.
        asked: the half width and the difference that were asked for.
        power: the chance with which a comparison finds a difference.
        correlation: how much the difficulties of the problems for the two compared models agree.
        estimated: the correlation with its interval, if it was estimated from two pilots; None for an assumption.
        cautious_detectable: `detectable` at a correlation of .5, where .8 is an assumption; None for a correlation that
            was given or estimated.
        cautious_needed: `needed_to_detect` at that correlation.
        between_share: the interval of the share of the variance that is between problems; None where it is not known.
        can_tell: whether the pilot shows how much problems vary: five of them at least are not like most.
        two_pilots: whether there was a second pilot.
    """

    value: float
    between: float
    within: float
    problems: tuple[int, ...]
    samples: tuple[int, ...]
    stderr: Floats
    half_width: Floats
    detectable: Floats
    needed_problems: int | None = None
    needed_samples: int | None = None
    needed_to_detect: int | None = None
    notes: tuple[Message, ...] = field(default=())
    asked: tuple[float | None, float | None] = (None, None)
    power: float = 0.8
    correlation: float = 0.8
    estimated: Correlation | None = None
    cautious_detectable: Floats | None = None
    cautious_needed: int | None = None
    between_share: tuple[float, float] | None = None
    can_tell: bool = True
    two_pilots: bool = False

    @property
    def chance(self) -> str:
        """Say how often, and for which models, the smallest differences are found."""
        models = f"the difficulties of problems for the two correlate by {self.correlation:.3g}"
        return f"a chance of {100 * self.power:g} %, if {models}"

    def describe_correlation(self) -> list[str]:
        """Say where the correlation is from."""
        if self.estimated is not None:
            value, low, high = self.estimated
            return [f"The difficulties of problems for the two correlate by {value:.2f} [{low:.2f}, {high:.2f}]."]
        if self.cautious_detectable is None:
            return []
        instead = (
            "these two pilots do not tell it, since there are too few problems, or they vary too little."
            if self.two_pilots
            else "with a second pilot, on the same problems, it is estimated."
        )
        return [f"A correlation of {self.correlation:g} is an assumption. In real pairs it was .37 to .81; {instead}"]

    def describe_variance(self) -> list[str]:
        """Say how much of the variance is between problems; nothing if there is none, or the pilot cannot tell."""
        total = self.between + self.within
        if not total or not self.can_tell:
            return []
        share = self.between / total
        interval = ""
        if self.between_share is not None:
            interval = f" [{self.between_share[0]:.0%}, {self.between_share[1]:.0%}]"
        return [
            f"{share:.0%}{interval} of the variance is between problems: only more problems reduce it.",
            f"{1 - share:.0%} is within problems: more samples of each reduce it too.",
        ]

    @property
    def or_cautious(self) -> str:
        """Say that a second number stands beside, if it does."""
        return "" if self.cautious_detectable is None else f", and if by {CAUTIOUS:g}"

    def list_differences(self, place: int) -> list[str]:
        """Write the smallest differences of a row of the table: at the correlation, and at the cautious one."""
        own = [f"{each:.3f}" for each in self.detectable[place]]
        if self.cautious_detectable is None:
            return own
        return [f"{each}, {other:.3f}" for each, other in zip(own, self.cautious_detectable[place], strict=True)]

    def list_needs(self) -> list[str]:
        """Say how many problems or samples reach what was asked for; nothing if the pilot cannot tell."""
        if not self.can_tell:
            return []
        needs = []
        half_width, detect = self.asked
        if half_width is not None:
            needs += [
                f"No {_MOST_IN_WORDS} problems with as many samples reach an interval of ± {half_width:g}."
                if self.needed_problems is None
                else f"An interval of ± {half_width:g} takes {self.needed_problems:,} problems with as many samples.",
                "With these problems, no number of samples reaches it."
                if self.needed_samples is None
                else f"With these problems, it takes {self.needed_samples:,} samples of each.",
            ]
        if detect is not None:
            more = self.cautious_needed
            needs.append(
                f"No {_MOST_IN_WORDS} problems find a difference of {detect:g}."
                if self.needed_to_detect is None
                else f"To find a difference of {detect:g} takes {self.needed_to_detect:,} problems with as many samples"
                + ("." if more is None else f"; {more:,} if the correlation is {CAUTIOUS:g}.")
            )
        return needs

    def to_markdown(self) -> str:
        """Write a Markdown table of half widths and detectable differences, and below it what they mean."""
        lines = [
            f"| problems | {' | '.join(f'n = {n:,}' for n in self.samples)} |",
            f"|--:|{'--:|' * len(self.samples)}",
        ]
        for place, (m, halves) in enumerate(zip(self.problems, self.half_width, strict=True)):
            differences = self.list_differences(place)
            cells = (f"± {half:.3f} ({least})" for half, least in zip(halves, differences, strict=True))
            lines.append(f"| {m:,} | {' | '.join(cells)} |")
        value = f"The value of the pilot is {self.value:.3f}."
        if not self.can_tell:
            return "\n".join(f"- {sentence}" for sentence in (value, *map(str, self.notes)))
        sentences = [
            value,
            "Each cell has ± half the width of the expected interval and, in brackets, the smallest difference that a "
            f"paired comparison of two models finds with {self.chance}{self.or_cautious}.",
            *self.describe_variance(),
            *self.describe_correlation(),
            *self.list_needs(),
            *map(str, self.notes),
        ]
        return "\n".join([*lines, "", *(f"- {sentence}" for sentence in sentences)])

    def __str__(self) -> str:
        return spell_for_output(self.to_markdown())


def plan_counts(
    n: ArrayLike,
    c: ArrayLike,
    /,
    *,
    k: int = 1,
    estimate: CountsEstimator = pass_at_k,
    problems: Sequence[int] | None = None,
    samples: Sequence[int] | None = None,
    half_width: float | None = None,
    detect: float | None = None,
    confidence_level: float = 0.95,
    power: float = 0.8,
    correlation: float | None = None,
    clusters: object = None,
    other: tuple[ArrayLike, ArrayLike] | None = None,
) -> Plan:
    """Plan a measurement from the counts of a pilot: what other numbers of problems and samples would give.

    Args:
        n: samples of each problem of the pilot.
        c: correct samples among them.
        k: the number of draws; 1 for avg@n.
        estimate: the metric, as of `predict_stderr`.
        problems: numbers of problems to look at; by default a quarter, half, once, twice and four times the pilot's.
        samples: numbers of samples to look at; by default k and powers of 2 above it, up to four times the pilot's n.
        half_width: half of the width that the interval should have.
        detect: the difference between two models that a paired comparison should find.
        confidence_level: the confidence level of intervals and comparisons.
        power: the chance with which a comparison should find the difference.
        correlation: how much the difficulties of the problems for the two compared models agree, from 0 to 1. By
            default it is estimated, if there is a second pilot, or else assumed to be .8, with .5 beside it.
        other: the counts n and c of a second pilot: another model on the same problems, in the same order.
        clusters: one label per problem of the pilot, where problems come in groups that resemble each other. Other
            numbers of problems are assumed to come from more or fewer clusters of the same sizes.

    Returns:
        The two parts of the variance, tables of problems × samples, and the numbers that reach the half width.

    Formula: intervals are those of `at_k.interval` at the pilot's value and the predicted standard error. A difference
        is found if it is (t_{α/2} + t_{power})·√(2(within + (1 − correlation)·between)/M′), with M′ − 1 degrees of
        freedom [1]. Clusters add M(se² − se₀²) to the variance between problems, with se the standard error of the
        pilot with them, and se₀ that without; the degrees of freedom are then M′G*/M − 1, with the effective number G*
        of clusters.

    Raises:
        TypeError: if an argument is of the wrong kind.
        ValueError: as of `predict_stderr`, or if an argument is out of its range.

    References:
        1. E. Miller, Adding Error Bars to Evals, 2024, https://arxiv.org/abs/2411.00640, section 5.

    Examples:
        >>> plan = plan_counts([8] * 12, [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8], problems=[12, 48], half_width=0.05)
        >>> round(plan.value, 3), round(plan.between, 3), round(plan.within, 3)
        (0.594, 0.098, 0.019)
        >>> plan.needed_problems, plan.needed_samples  # more samples of these twelve do not help
        (189, None)
    """
    variance = read_pilot(n, c, k, estimate, clusters)
    check_fraction("confidence_level", confidence_level)
    check_fraction("power", power)
    if correlation is not None and (not is_number(correlation) or not 0 <= correlation <= 1):
        raise ValueError(f"`correlation` must be a number in [0, 1]; got {shorten(correlation)}")
    pilot, typical = len(variance.n), int(np.median(variance.n))
    rows = sorted({max(2, round(pilot * share)) for share in (0.25, 0.5, 1, 2, 4)}) if problems is None else problems
    sizes = _choose_samples(variance.k, typical) if samples is None else samples
    rows = [check_size("problems", each, 2) for each in rows]
    sizes = [check_size("samples", each, variance.k) for each in sizes]
    value, between, total = float(variance.values.mean()), variance.at(inf), variance.at(typical)
    notes = list(_note_uniform(variance.values))
    notes += [] if variance.clusters is None else [_note_clusters(variance.clusters)]
    can_tell = count_unlike(variance.values) >= _NONE
    spread = np.array([variance.at(size) if can_tell else np.nan for size in sizes])
    m = np.array(rows, dtype=np.float64)[:, None]
    stderr = np.sqrt(spread / m)

    def reaches(spread: float, m: int) -> bool:
        """Return whether intervals reach the half width that is asked for."""
        return bool(find_half_width(variance, spread, m, confidence_level) <= (half_width or inf))

    enough: tuple[int | None, int | None] = (None, None)
    if half_width is not None and check_fraction("half_width", half_width) and can_tell:
        by_samples = None
        if reaches(variance.at(inf), pilot):
            by_samples = find_least(lambda size: reaches(variance.at(size), pilot), variance.k, _MOST_SAMPLES)
        enough = find_least(lambda m: reaches(total, m), 1, _MOST_PROBLEMS), by_samples
    estimated = None
    if other is not None:
        second = read_pilot(*other, k, estimate)
        columns.require_same_problems("n", pilot, "other", len(second.n))
        estimated = estimate_correlation(variance, second, confidence_level=confidence_level)
    if detect is not None:
        check_fraction("detect", detect)

    def look_for(correlation: float) -> tuple[Floats, int | None]:
        """Return the smallest differences, and how many problems find the difference that is asked for."""
        apart = between * (1 - correlation)
        table = find_detectable(np.maximum(spread - between, 0), apart, m, variance.size, confidence_level, power)
        if detect is None or not can_tell:
            return table, None
        within = np.asarray(max(0.0, total - between))

        def finds(m: int) -> bool:
            own = find_detectable(within, apart, np.asarray(float(m)), variance.size, confidence_level, power)
            return bool(own <= detect)

        return table, find_least(finds, 2, _MOST_PROBLEMS)

    assumed = correlation is None and estimated is None
    if correlation is None:
        correlation = ASSUMED if estimated is None else max(0.0, estimated.value)
    detectable, wanted = look_for(correlation)
    cautious = look_for(CAUTIOUS) if assumed else (None, None)
    return Plan(
        value=value,
        between=between,
        within=max(0.0, total - between),
        problems=tuple(rows),
        samples=tuple(sizes),
        stderr=stderr,
        half_width=find_half_width(variance, spread, m, confidence_level) if can_tell else stderr,
        detectable=detectable,
        needed_problems=enough[0],
        needed_samples=enough[1],
        needed_to_detect=wanted,
        notes=tuple(notes),
        asked=(half_width, detect),
        power=power,
        correlation=correlation,
        estimated=estimated,
        cautious_detectable=cautious[0],
        cautious_needed=cautious[1],
        between_share=find_between_share(variance, typical, confidence_level) if can_tell else None,
        can_tell=can_tell,
        two_pilots=other is not None,
    )


def find_between_share(variance: Variance, samples: int, confidence_level: float) -> tuple[float, float] | None:
    """Find the interval of the share of the variance that is between problems, by a bootstrap over problems.

    None for values whose variance follows from a fitted distribution, which would take minutes.
    """
    if variance.estimate is not pass_at_k or 2 * variance.k > int(variance.n.min()) or variance.clusters is not None:
        return None
    random, total, shares = np.random.default_rng(0), len(variance.n), []
    for _ in range(_RESAMPLES):
        chosen = random.integers(0, total, total)
        whole = variance.exact_at(samples, chosen)
        if whole > 0:
            shares.append(variance.exact_at(inf, chosen) / whole)
    if len(shares) < _RESAMPLES / 2:
        return None
    low, high = np.quantile(np.clip(shares, 0, 1), [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    return float(low), float(high)


def _choose_samples(k: int, typical: int) -> list[int]:
    return sorted({k, *(2**i for i in range(20) if k < 2**i <= 4 * typical), typical})


def find_half_width(variance: Variance, spread: ArrayLike, m: ArrayLike, confidence_level: float) -> Floats:
    """Return half of the width of the interval for m problems whose values have the variance `spread`."""
    units = m if variance.clusters is None else variance.count_units(spread, m)
    low, high = interval(
        float(variance.values.mean()), np.sqrt(np.asarray(spread) / m), units, confidence_level=confidence_level
    )
    return np.asarray((high - low) / 2)


def find_detectable(
    within: Floats, between: float, m: Floats, size: float, confidence_level: float, power: float
) -> Floats:
    """Return the differences that a paired t-test over units of this size finds with this power, 1 at most."""
    from scipy.special import stdtrit

    # Fewer than two clusters find nothing. The quantiles for less than one degree of freedom are all but infinite.
    freedom = np.maximum(m / size - 1, 0.01)
    quantiles = -stdtrit(freedom, (1 - confidence_level) / 2) + stdtrit(freedom, power)
    return np.asarray(np.minimum(quantiles * np.sqrt(2 * (within + between) / m), 1.0))


def _note_clusters(clusters: Ints) -> Message:
    return Message(
        "plan.in_clusters",
        "The problems of the pilot come in clusters: {count:,}. Other numbers of problems are assumed to come from "
        "more or fewer clusters of the same sizes.",
        count=int(clusters.max()) + 1,
    )


def _note_uniform(values: Floats) -> Iterator[Message]:
    common, times = np.unique(values, return_counts=True)
    found = {"value": float(common[np.argmax(times)]), "count": count_unlike(values), "total": len(values)}
    if found["count"] < _NONE:
        yield Message(
            "plan.cannot_tell",
            "This pilot cannot tell how much problems vary. Problems with another value than {value:g}: {count} of "
            "{total}. Take more problems, or harder or easier ones.",
            **found,
        )
    elif found["count"] < _FEW:
        yield Message(
            "plan.rough",
            "Problems with another value than {value:g}: {count} of {total}. With so few, the predictions may be off "
            "by a quarter. Take more problems, or harder or easier ones.",
            **found,
        )

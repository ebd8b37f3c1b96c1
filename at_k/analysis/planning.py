"""How many problems, and how many samples of each? What a pilot, or an assumption, tells about other measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from at_k.analysis.measurements import refuse_wrong_kind
from at_k.analysis.planned import CAUTIOUS, MOST_PROBLEMS, MOST_SAMPLES, OPTIMISTIC, Plan
from at_k.combinatorics import Floats
from at_k.errors import Message, Phrases
from at_k.estimators import counts
from at_k.options.registry import PILOT, PLANNING, complete, takes
from at_k.readers.objects import hold
from at_k.report.notes import refuse_k_above_n
from at_k.report.report import find_report, refuse_scoring_options
from at_k.report.scoring import score_unless_scored
from at_k.uncertainty.checks import check_fraction, check_size, count_unlike, share_looks
from at_k.uncertainty.decisions import find_least
from at_k.uncertainty.power import (
    MOST_PROBLEMS as MOST_SIMULATED,
    Chances,
    find_detectable,
    simulate_chances,
)
from at_k.uncertainty.variance import (
    Assumed,
    BetaBinomial,
    Correlation,
    Variance,
    estimate_correlation,
    find_half_width,
    read_pilot,
)
from at_k.validation import (
    check_k,
    check_tau,
    is_number,
    is_sequence,
    require_same_problems,
    shorten,
)
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import PlanOptions, Unpack

# Numbers of problems to look at without a pilot.
_SIZES = (30, 100, 300, 1000)

# With fewer problems than these whose value is not the most frequent one, a pilot cannot tell, or is rough. In
# simulations, the predicted standard error was off by 91 % in the median with 0–4 of them, 23 % with 5–9, 15 % with
# 10–14, 7 % with 20–39 and 3 % with 60.
_NONE, _FEW = 5, 10

# The difference that the first sentence is about, if none is asked for.
_POINTS = 0.05

_say = Phrases(
    {
        "plan.assumed": "There is no pilot. It is assumed that {expect:g} of the samples are correct on average, and "
        "that {spread:.0%} of the variance of single samples is between problems (difficulties Beta({a:.3g}, "
        "{b:.3g})): in 40 real data sets this share was 16 % to 86 %. Plan again with a pilot.",
        "plan.in_clusters": "The problems of the pilot come in clusters: {count:,}. Other numbers of problems are "
        "assumed to come from more or fewer clusters of the same sizes.",
        "plan.cannot_tell": "This pilot cannot tell how much problems vary. Problems with another value than "
        "{value:g}: {count} of {total}. Take more problems, or harder or easier ones.",
        "plan.rough": "Problems with another value than {value:g}: {count} of {total}. With so few, the predictions "
        "may be off by a quarter. Take more problems, or harder or easier ones.",
        "plan.pilot_or_expected": "A plan needs a pilot, or else the accuracy that is expected: give results, or "
        "{option:expect=0.5}; one of them.",
        "plan.other_problems": "Two pilots need the same problems; {example} is in one of them alone. Leave out such "
        "problems by {option:exclude}, a file with their names.",
    }
)


@takes(PLANNING, PILOT)
def plan(pilot: Any = None, other: Any = None, /, **given: Unpack[PlanOptions]) -> Plan:
    """Plan a measurement of pass@k, or of G-Pass@k, from a pilot or from the accuracy that is expected.

    Args:
        pilot: a report, the file of one that was saved, or a results file or data set as `at_k.score` takes them; or a
            pair (n, c) of counts. A report that was made with clusters brings them along: other numbers of problems are
            assumed to come from more or fewer clusters of the same sizes. Without a pilot, `expect` is needed.
        other: the same of another model on the same problems, from which the correlation of difficulties is estimated.
        given: see below.

    Returns:
        The variance between and within problems, tables of problems × samples with standard errors, half widths and
        detectable differences, and the numbers that reach what was asked for: with the pilot's number of samples, or
        else the first of `samples`.

    Formula: the standard error is √(Var(n′)/M′). For pass@1, Var = s_b² + s_w²/n′ with s_w² = mean n p(1 − p)/(n − 1)
        and s_b² = max(0, var(p) − mean p(1 − p)/(n − 1)) [1]. For pass@k with min(2k, n′) ≤ n, and
        h(r) = C(n − c, r)/C(n, r), it is [2]
        Var = Σ_j P(two k-subsets of n′ share j samples) · mean h(2k − j) − Σ_{i≠l} h_i(k) h_l(k)/(M(M − 1)).
        Otherwise the variance under a beta-binomial distribution that is fitted by maximum likelihood; without a pilot,
        under Beta(a, b) with 1/(a + b + 1) = `spread`. Intervals are those of `at_k.interval` at the pilot's value. A
        difference is found if it is max(t_{α/2}·se, b) + t_{power}·se with
        se = √(2(within + (1 − correlation)·between)/M′), M′ − 1 degrees of freedom [3], and the least mean b at which
        the bounded interval of level 1 − 2α leaves out 0. How often it is found is simulated: 800 data sets of the
        fitted beta-binomial, judged by the rule of `compare`. Clusters add M(se² − se₀²) to the variance between
        problems, with se the standard error of the pilot with them, and se₀ that without; the degrees of freedom are
        then M′G*/M − 1, with the effective number G* of clusters.

    Raises:
        InputError: if the pilot cannot be scored, or neither or both of pilot and `expect` are given.
        TypeError: if an argument is unknown or of the wrong kind.
        ValueError: if an argument is out of its range.

    References:
        1. S. Searle, G. Casella, C. McCulloch, Variance Components, 1992, chapter 3.
        2. W. Hoeffding, A Class of Statistics with Asymptotically Normal Distribution, 1948,
           https://doi.org/10.1214/aoms/1177730196 (the variance of an average over subsets).
        3. E. Miller, Adding Error Bars to Evals, 2024, https://arxiv.org/abs/2411.00640, section 5.

    Examples:
        >>> found = plan(([8] * 12, [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8]), half_width=0.05, detect=0.1)
        >>> round(found.value, 3), round(found.between, 3), round(found.within, 3)
        (0.594, 0.098, 0.019)
        >>> found.needed_problems, found.needed_samples, found.needed_to_detect  # more samples of these do not help
        (189, None, {0.5: 109, 0.8: 64})
        >>> plan(expect=0.5, samples=8, half_width=0.02).needed_problems
        1374
    """
    options, looks = share_looks(complete(given, plan))
    scoring: dict[str, Any] = {name: value for name, value in given.items() if name in PILOT}
    if (pilot is None) == (options["expect"] is None):
        raise _say.error("plan.pilot_or_expected")
    tau = options["thresholds"]
    table: counts.Table = counts.tabulate_pass
    if tau is not None:
        table = partial(counts.tabulate_g_pass, tau=check_tau(tau)[0])
    level = options["confidence_level"]
    k = options["k"]
    if pilot is None:
        refuse_scoring_options(scoring)
        mean = options["expect"]
        size = 1 / options["spread"] - 1
        assumed = Assumed(BetaBinomial(mean * size, (1 - mean) * size), check_k(k)[0], table)
        sizes = _read_samples(options["samples"], assumed.k, max(4, assumed.k))
        difficulty = {"a": assumed.difficulty.a, "b": assumed.difficulty.b}
        note = _say("plan.assumed", expect=mean, spread=options["spread"], **difficulty)
        return _plan(
            assumed,
            options,
            own=(None, sizes[0]),
            problems=_SIZES,
            samples=sizes,
            notes=(note, *looks),
        )
    names, n, c, clusters = _read_pilot("pilot", pilot, scoring)
    if names:
        refuse_k_above_n(k, n, names)
    second = None
    if other is not None:
        second = _line_up(names, *_read_pilot("other", other, scoring)[:3])
    variance = read_pilot(n, c, k, table, clusters)
    size = len(variance.n)
    typical = int(np.median(variance.n))
    estimated = None
    if second is not None:
        beside = read_pilot(*second, k, table)
        require_same_problems("n", size, "other", len(beside.n))
        estimated = estimate_correlation(variance, beside, confidence_level=level)
    can_tell = count_unlike(variance.values) >= _NONE
    return _plan(
        variance,
        options,
        own=(size, typical),
        problems=sorted({max(2, round(size * share)) for share in (0.25, 0.5, 1, 2, 4)}),
        samples=_read_samples(options["samples"], variance.k, typical),
        estimated=estimated,
        notes=(*_note_pilot(variance), *looks),
        can_tell=can_tell,
    )


def _read_pilot(
    name: str, pilot: Any, scoring: dict[str, Any]
) -> tuple[list[str], Any, Any, list[str] | None]:
    """Return the names of problems, n and c of each, and the clusters; no names for bare counts."""
    if isinstance(pilot, tuple) and len(pilot) == 2:
        refuse_scoring_options(scoring)
        return [], *pilot, None
    if not isinstance(pilot, list):
        pilot = find_report(pilot) or hold(pilot)
    refuse_wrong_kind(name, pilot, "a pair (n, c) of counts")
    report = score_unless_scored(pilot, scoring, metrics="avg_at_n", confidence_level=None)
    return list(report.problems), *report.list_counts(), report.clusters


def _line_up(names: list[str], others: list[str], n: Any, c: Any) -> tuple[Any, Any]:
    """Bring the counts of the second pilot into the order of the first one's problems."""
    if not names or not others:
        return n, c
    places = {name: place for place, name in enumerate(others)}
    if places.keys() != set(names):
        raise _say.error("plan.other_problems", example=min(places.keys() ^ set(names)))
    order = [places[name] for name in names]
    return np.asarray(n)[order], np.asarray(c)[order]


def _read_samples(samples: Any, k: int, typical: int) -> list[int]:
    """Return the numbers of samples to look at; by default k and powers of 2 up to four times the typical number."""
    if samples is not None:
        return [
            check_size("samples", size, k)
            for size in (samples if is_sequence(samples) else [samples])
        ]
    return sorted({k, *(2**i for i in range(20) if k < 2**i <= 4 * typical), typical})


def _note_pilot(variance: Variance) -> Iterator[Message]:
    common, times = np.unique(variance.values, return_counts=True)
    count = count_unlike(variance.values)
    total = int(times.sum())
    if count < _FEW:
        code = "plan.cannot_tell" if count < _NONE else "plan.rough"
        yield _say(code, value=float(common[np.argmax(times)]), count=count, total=total)
    if variance.clusters is not None:
        yield _say("plan.in_clusters", count=int(variance.clusters.max()) + 1)


class _Question(NamedTuple):
    """Ask what other measurements with a pilot's number of samples give.

    Attributes:
        variance: how much the value of a problem varies.
        between: the variance between problems.
        within: the variance within problems, with the pilot's number of samples.
        samples: the pilot's number of samples.
        level: the confidence level.
        power: the chance with which a difference is found.
        can_tell: whether the pilot shows how much problems vary.
    """

    variance: Variance | Assumed
    between: float
    within: float
    samples: int
    level: float
    power: float
    can_tell: bool

    def count_for_width(
        self, half_width: float, problems: int | None
    ) -> tuple[int | None, int | None]:
        """Return how many problems, or samples of the pilot's problems, reach a half width."""
        variance = self.variance

        def reaches(spread: float, m: int) -> bool:
            return bool(find_half_width(variance, spread, m, self.level) <= half_width)

        total = variance.at(self.samples)
        by_problems = find_least(lambda m: reaches(total, m), 1, MOST_PROBLEMS)
        if problems is None or not reaches(self.between, problems):
            return by_problems, None
        by_samples = find_least(
            lambda size: reaches(variance.at(size), problems), variance.k, MOST_SAMPLES
        )
        return by_problems, by_samples

    def find_differences(self, correlation: float, m: Floats, within: Floats | float) -> Floats:
        """Return the differences that comparisons of m problems find about with the power."""
        spread = 2 * (within + self.between * (1 - correlation)) + 0 * m
        return find_detectable(spread, m, self.variance.shares.kish, self.level, self.power)

    def find_difference(self, correlation: float, problems: int) -> float:
        """Return the difference that a comparison with the pilot's samples finds."""
        return float(self.find_differences(correlation, np.asarray(float(problems)), self.within))

    def count_to_find(self, correlation: float, difference: float) -> int | None:
        """Return how many problems find a difference."""
        return find_least(
            lambda m: self.find_difference(correlation, m) <= difference, 2, MOST_PROBLEMS
        )

    def simulate(self, correlation: float, difference: float, problems: int) -> Chances:
        """Return how often a comparison with the pilot's samples finds a difference."""
        variance = self.variance
        if not self.can_tell or variance.shared or variance.shares.kish > 1:
            return Chances(np.nan, np.nan)
        return simulate_chances(
            variance.difficulty,
            variance.table,
            variance.k,
            samples=self.samples,
            problems=problems,
            difference=difference,
            correlation=correlation,
            confidence_level=self.level,
        )


def _plan(
    variance: Variance | Assumed,
    options: Mapping[str, Any],
    *,
    own: tuple[int | None, int],
    problems: Sequence[int],
    samples: Sequence[int],
    estimated: Correlation | None = None,
    can_tell: bool = True,
    **more: Any,
) -> Plan:
    power = check_fraction("power", options["power"])
    known = options["correlation"]
    if known is not None and (not is_number(known) or not 0 <= known <= 1):
        raise ValueError(f"`correlation` must be a number in [0, 1]; got {shorten(known)}")
    if known is None and estimated is not None:
        known = estimated.value
    correlations = [CAUTIOUS, OPTIMISTIC]
    if known is not None:
        correlations = [known]
    half_width = options["half_width"]
    detect = options["detect"]
    level = options["confidence_level"]
    pilot, typical = own
    between = variance.at(inf)
    within = max(0.0, variance.at(typical) - between)
    question = _Question(variance, between, within, typical, level, power, can_tell)
    rows = [check_size("problems", size, 2) for size in options["problems"] or problems]
    m = np.array(rows, dtype=np.float64)[:, None]
    spread = np.full(len(samples), np.nan)
    half_widths = stderr = np.full((len(rows), len(samples)), np.nan)
    by_problems = by_samples = to_tell = None
    needed: dict[float, int | None] = {}
    if can_tell:
        spread = np.array([variance.at(size) for size in samples])
        stderr = np.sqrt(spread / m)
        half_widths = find_half_width(variance, spread, m, level)
        if half_width is not None:
            by_problems, by_samples = question.count_for_width(half_width, pilot)
        sought = _POINTS if detect is None else detect
        needed = {r: question.count_to_find(r, sought) for r in correlations}
        found = None
        if pilot is not None:
            found = question.find_difference(correlations[0], pilot)
        to_tell = sought, needed[correlations[0]], found
    detectable, chances, chances_here = {}, {}, {}
    for r in correlations:
        detectable[r] = question.find_differences(r, m, np.maximum(spread - between, 0))
        differences = np.ravel(question.find_differences(r, m, within)).tolist()
        simulated = [question.simulate(r, *each) for each in zip(differences, rows, strict=True)]
        chances[r], chances_here[r] = np.array(simulated).T
    if detect is None:
        needed = {}
    chance_to_detect = {}
    for r, count in needed.items():
        if count is not None and count <= MOST_SIMULATED:
            chance_to_detect[r] = question.simulate(r, detect, count)
    tau = options["thresholds"]
    return Plan(
        key=Key("pass@k" if tau is None else "G-Pass@k", variance.k, tau),
        value=variance.value,
        between=between,
        within=within,
        problems=tuple(rows),
        samples=tuple(samples),
        stderr=stderr,
        half_width=half_widths,
        detectable=detectable,
        chances=chances,
        chances_here=chances_here,
        own=own,
        needed_problems=by_problems,
        needed_samples=by_samples,
        needed_to_detect=needed,
        chance_to_detect=chance_to_detect,
        asked=(half_width, detect),
        power=power,
        estimated=estimated,
        can_tell=can_tell,
        to_tell=to_tell,
        **more,
    )

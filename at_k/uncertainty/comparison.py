"""Is A better than B? On the same problems, by an estimate of the difference, or over several benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats, Ints
from at_k.options.registry import DIFFERENCE_METHODS, POOL_BY, DifferenceMethod
from at_k.uncertainty.checks import check_fraction, check_size, read_column
from at_k.uncertainty.decisions import (
    Comparison,
    find_bounded_alpha,
    find_bounded_tails,
    is_decided,
    make_comparison,
    note_few,
    subtract_columns,
)
from at_k.uncertainty.flips import N_FLIPS
from at_k.uncertainty.fragility import count_to_undo
from at_k.uncertainty.intervals import (
    correct_by_audit,
    find_difference_interval,
    interval,
)
from at_k.uncertainty.questions import FACTOR, Questions, find_questions
from at_k.uncertainty.standard_errors import estimate_error, read_clusters
from at_k.validation import check_choice, check_flag, check_seed

# With fewer values unlike the most frequent one, Welch's interval is too narrow.
_FEW_UNLIKE = 6


def compare_values(
    a: ArrayLike,
    b: ArrayLike,
    /,
    *,
    confidence_level: float = 0.95,
    method: DifferenceMethod = "sign-flip",
    bounded: bool = True,
    clusters: object = None,
    margin: float | None = None,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> Comparison:
    """Compare two models on the same problems.

    Args:
        a: one value per problem, such as pass@k, in [0, 1].
        b: the values of the other model, of the same problems in the same order.
        confidence_level: the confidence level.
        method: "sign-flip", the interval that inverts the sign-flip test; "bounded", one that also covers
            the true value where large differences are rare, and finds fewer differences.
        bounded: False for values without a range, such as those of max@k, which have no bounded interval.
        clusters: one label per problem, where problems come in groups that resemble each other. Whole clusters flip.
        margin: a difference that does not matter, between 0 and 1, to test whether the models are equivalent within it.
        n_flips: random flips, where not all are made: 2^G of G ≤ 14 problems or clusters.
        seed: of the random flips.

    Returns:
        Means, difference, interval and p-value; problems won, lost and tied. p_equivalence is the least α for which the
        interval of level 1 − 2α lies within the margin (TOST).

    Formula: r_P is the mean difference over a random subset P of the units, which are problems or clusters. The
        interval is from the j-th smallest to the j-th largest of B of them, j = ⌈α(B + 1)/2⌉ − 1 [1]; the p-value is
        2·min(1 + #{r_P ≤ 0}, 1 + #{r_P ≥ 0})/(B + 1), at most 1: that of the sign-flip test, in which the units in P
        have the other sign [2]. So p < α exactly where the interval does not hold 0.
        Where all differences are −1, 0 or 1, as with one sample of each problem, and no clusters are given, the test is
        McNemar's with mid-p [3], and the interval also holds its inversion.
        Tests see only the losses that are in the sample. So p is not below p_b/2, with p_b the α at which the bounded
        interval, 2·interval((1 + d)/2, se/2, m) − 1, begins to hold 0; and the interval also holds the bounded one of
        level 1 − 2α. Both models are assumed to have the same number of samples: otherwise, compare them by
        `at_k.compare`, which takes p_b and 1 − α. With fewer than six units, the bounded interval of level 1 − α counts
        alone.

    Raises:
        TypeError: if the values are not numbers, or an argument is of the wrong kind.
        ValueError: if a value is not in [0, 1], or the two hold different numbers of problems.

    References:
        1. J. Hartigan, Using Subsample Values as Typical Values, JASA 64, 1969, https://doi.org/10.2307/2286069.
        2. R. Fisher, The Design of Experiments, 1935, section 21.
        3. M. Fagerland, S. Lydersen, P. Laake, The McNemar test for binary matched-pairs data: mid-p and asymptotic
           are better than exact conditional, 2013, https://doi.org/10.1186/1471-2288-13-91.

    Examples:
        >>> found = compare_values([1, 1, 0.75, 1, 0.5, 1, 1] * 2, [0.5, 0.75, 0.5, 0.25, 0.25, 0.5, 0.75] * 2)
        >>> found.won, round(found.difference, 3), round(found.low, 3), round(found.high, 3)
        (14, 0.393, 0.18, 0.516)
        >>> round(found.p_value, 5), found.better
        (0.00025, 'a')
    """
    bounded = check_flag("bounded", bounded)
    check_choice("method", method, DIFFERENCE_METHODS)
    pair = read_column("a", a, bounded=bounded), read_column("b", b, bounded=bounded)
    if len(pair[0]) != len(pair[1]):
        raise ValueError(
            f"`a` and `b` must hold values of the same problems; got {len(pair[0])} and {len(pair[1])} of them. Match "
            "them first, or compare them as unpaired"
        )
    options: dict[str, Any] = {
        "method": method,
        "n_flips": check_size("n_flips", n_flips),
        "seed": check_seed(seed),
    }
    (compared,) = compare_columns(
        [pair],
        [bounded],
        confidence_level=check_fraction("confidence_level", confidence_level),
        clusters=clusters,
        margin=None if margin is None else check_fraction("margin", margin),
        **options,
    )
    return compared


def compare_columns(
    pairs: Sequence[tuple[Floats, Floats]],
    bounded: Sequence[bool],
    /,
    *,
    confidence_level: float = 0.95,
    clusters: object = None,
    margin: float | None = None,
    **options: Any,
) -> list[Comparison]:
    """Compare two models in several numbers, as one family of questions with the options of `Questions`."""
    differences = [
        subtract_columns(a, b, bounded=limited)
        for (a, b), limited in zip(pairs, bounded, strict=True)
    ]
    codes = None
    if clusters is not None:
        codes = read_clusters(clusters, len(differences[0]), "a")
    first, which = find_questions(differences, bounded)
    asked = np.stack([differences[place] for place in first], axis=1)
    questions = Questions(
        asked, bounded=[bounded[place] for place in first], clusters=codes, **options
    )
    means = [(float(a.mean()), float(b.mean())) for a, b in pairs]
    asked_means = [means[place] for place in first]
    compared = summarize_questions(questions, asked_means, confidence_level, margin)
    undone = count_to_undo(questions, confidence_level)
    return [
        replace(compared[q], fragility=undone[q], a=a, b=b)
        for q, (a, b) in zip(which, means, strict=True)
    ]


def summarize_questions(
    questions: Questions,
    means: Sequence[tuple[float, float]],
    confidence_level: float,
    margin: float | None = None,
) -> list[Comparison]:
    """Return how two models compare in each question, from the mean values of both."""
    least = questions.find_least_differences(confidence_level)
    limits = questions.find_limits(confidence_level)
    tested = questions.p_values, questions.adjusted
    rows = np.stack([questions.mean, *limits, questions.error[0], *tested, least], axis=1).tolist()
    compared = []
    for q, (a, b) in enumerate(means):
        difference, low, high, stderr, p_value, p_adjusted, counts_from = rows[q]
        if not is_decided(p_adjusted, confidence_level):
            counts_from = max(counts_from, abs(difference))  # flips follow t nearly
        won = int(questions.won[q])
        lost = int(questions.lost[q])
        p_equivalence = None
        if margin is not None and questions.bounded[q]:
            p_equivalence = questions.find_equivalence_p(q, margin)
        column = questions.difference[:, q]
        differing = int(questions.differing[q])
        notes = note_few(column, differing, questions.find_least_p(q), confidence_level)
        compared.append(
            Comparison(
                a=a,
                b=b,
                difference=difference,
                low=low,
                high=high,
                stderr=stderr,
                p_value=p_value,
                p_adjusted=p_adjusted,
                confidence_level=confidence_level,
                paired=True,
                problems=(questions.size, questions.size),
                method=questions.methods[q],
                units=len(questions.totals),
                counts_from=counts_from,
                p_equivalence=p_equivalence,
                won=won,
                lost=lost,
                tied=questions.size - won - lost,
                notes=notes,
            )
        )
    return compared


def compare_estimated(
    a: Floats,
    b: Floats,
    estimated: tuple[float, float, float],
    /,
    *,
    method: str,
    bounded: bool = True,
    confidence_level: float = 0.95,
    questions: int = 1,
    margin: float | None = None,
) -> Comparison:
    """Compare two columns by the value, standard error and units of their difference, which share the level.

    Examples:
        >>> a, b = np.array([0.75, 0.5, 1.0]), np.array([0.5, 0.25, 0.5])
        >>> found = compare_estimated(a, b, (1 / 3, 0.2, 12), method="rerun")
        >>> round(found.low, 3), round(found.high, 3), found.better
        (-0.137, 0.685, None)
    """
    # Formula: 2·interval((1 + d)/2, se/2, m) − 1. Without a range, d ± t·se.
    from scipy.special import stdtr

    difference, stderr, m = estimated
    level = 1 - (1 - confidence_level) / questions
    low, high, p_value = -np.inf, np.inf, 1.0
    p_equivalence = None
    if bounded:
        ends = find_difference_interval(difference, stderr, m, confidence_level=level)
        low, high = map(float, ends)
        numbers = np.float64(difference), np.float64(stderr), np.float64(m)
        p_value = float(find_bounded_alpha(*numbers))
        if margin is not None:
            p_equivalence = float(max(find_bounded_tails(*numbers, margin)))
    elif stderr and m > 1:
        ends = interval(difference, stderr, m, confidence_level=level, method="t", bounded=False)
        low, high = map(float, ends)
        p_value = float(2 * stdtr(m - 1, -abs(difference) / stderr))
    return make_comparison(
        a,
        b,
        (difference, low, high, stderr),
        p_value,
        confidence_level,
        questions,
        paired=True,
        method=method,
        p_equivalence=p_equivalence,
    )


def correct_difference(
    observed: Floats, audited: Floats, /, *, confidence_level: float
) -> tuple[float, float, float]:
    """Return an audited mean difference, its standard error, and the units of its interval.

    Differences by the better judge are NaN for problems that were not audited.
    """
    value, bar = correct_by_audit(
        (1 + observed) / 2, (1 + audited) / 2, confidence_level=confidence_level
    )
    stderr = bar.stderr or 0.0
    count, total = np.count_nonzero(~np.isnan(audited)), len(observed)
    # All problems say something, and those that were audited more: the units follow from the error.
    units = value * (1 - value) / stderr**2 if stderr else count
    return 2 * value - 1, 2 * stderr, float(min(total, max(count, units)))


def compare_pooled(
    benchmarks: Mapping[str, Sequence[tuple[Floats, Floats]]],
    clusters: Mapping[str, Ints | None],
    /,
    *,
    pool_by: str = "benchmark",
    confidence_level: float = 0.95,
    factor: float = FACTOR,
    seed: int = 0,
) -> list[Comparison]:
    """Compare two models over several benchmarks, in one number or several, as one family of questions.

    Examples:
        >>> a, b = {"x": [0.75] * 12, "y": [0.5] * 8}, {"x": [0, 0.5, 0.5] * 4, "y": [0.25] * 7 + [0.5]}
        >>> pairs = {name: [(np.array(a[name], float), np.array(b[name], float))] for name in a}
        >>> (found,) = compare_pooled(pairs, {"x": None, "y": None})
        >>> round(found.difference, 3), found.better  # the mean of 0.417 and 0.219
        (0.318, 'a')
    """
    # Formula: problem i of the benchmark j with M_j problems has the weight w_i = 1/M_j, or 1, and the difference is Σ
    # w_i d_i/Σ w_i. Interval and p are those of `compare_values`, from Σ_P w_i d_i/Σ_P w_i over the same random subsets
    # P of all problems, or clusters. The standard error is that of a stratified mean.
    # Source: Pooled tests over benchmarks: arXiv 2602.10144, https://arxiv.org/abs/2602.10144.
    check_choice("pool_by", pool_by, POOL_BY)
    check_fraction("confidence_level", confidence_level)
    sizes = {name: len(pairs[0][0]) for name, pairs in benchmarks.items()}
    strata = np.repeat(np.arange(len(sizes)), list(sizes.values()))
    weight = np.array([1 / size if pool_by == "benchmark" else 1.0 for size in sizes.values()])[
        strata
    ]
    weight /= sum(size * weight[strata == place][0] for place, size in enumerate(sizes.values()))
    values = []
    for parts in zip(*benchmarks.values(), strict=True):
        first, second = zip(*parts, strict=True)
        values.append((np.concatenate(first), np.concatenate(second)))
    columns = np.stack([a - b for a, b in values], axis=1)
    error = _estimate_stratified(columns, [clusters[name] for name in sizes], strata, weight)
    codes = _join_clusters(clusters, sizes)
    questions = Questions(
        columns, clusters=codes, weight=weight, error=error, factor=factor, seed=seed
    )
    sums = (weight * np.array(values)).sum(axis=-1)
    means = [(a, b) for a, b in np.clip(sums, 0.0, 1.0).tolist()]
    compared = summarize_questions(questions, means, confidence_level)
    return [replace(result, method="pooled", notes=()) for result in compared]


def _join_clusters(clusters: Mapping[str, Ints | None], sizes: Mapping[str, int]) -> Ints | None:
    """Number the clusters of all benchmarks; a problem without a cluster is one of its own."""
    if all(labels is None for labels in clusters.values()):
        return None
    total = sum(sizes.values())
    codes = []
    for place, (name, size) in enumerate(sizes.items()):
        labels = clusters[name]
        codes.append(place * total + (np.arange(size) if labels is None else labels))
    return np.asarray(np.unique(np.concatenate(codes), return_inverse=True)[1])


def _estimate_stratified(
    columns: Floats, clusters: Sequence[Ints | None], strata: Ints, weight: Floats
) -> tuple[Floats, Floats]:
    """Return the standard errors of means of strata, and the numbers of units behind them."""
    variance = np.zeros(columns.shape[1])
    spread = np.zeros(columns.shape[1])
    for place, codes in enumerate(clusters):
        inside = strata == place
        stderr, units = estimate_error(columns[inside], codes)
        part = weight[inside].sum()
        variance += (part * np.nan_to_num(stderr, nan=0.0)) ** 2
        spread += part**2 / units
    return np.sqrt(variance), 1 / spread

"""Which of several models is the best, as far as the data tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.uncertainty.checks import check_fraction, check_size, read_column
from at_k.uncertainty.flips import N_FLIPS, Flips, round_ties
from at_k.uncertainty.questions import Comparison, Question, adjust, is_decided
from at_k.uncertainty.significance import subtract
from at_k.uncertainty.standard_errors import read_clusters
from at_k.validation import check_flag, check_seed, shorten, type_name


@dataclass(frozen=True)
class Ranking:
    """Hold several models in the order of their values, and what is known about that order.

    Attributes:
        names: the models, the one with the highest value first.
        values: the mean of each over the problems.
        pairs: how each two of them compare, the one with the higher value as "a".
        p_values: the p-value of each pair, adjusted for all pairs by the step-down distribution of the largest t [1].
        ranks: for each model the first and the last rank that it may have.
        tiers: the models, split where every one before is better than every one after.
        notes: what a reader must know about these values.
    """

    names: tuple[str, ...]
    values: dict[str, float]
    pairs: dict[tuple[str, str], Comparison]
    p_values: dict[tuple[str, str], float]
    ranks: dict[str, tuple[int, int]]
    tiers: tuple[tuple[str, ...], ...]
    notes: tuple[Message, ...] = ()

    def __str__(self) -> str:
        return " > ".join(", ".join(tier) for tier in self.tiers)


def rank_values(
    values: Mapping[str, ArrayLike],
    /,
    *,
    confidence_level: float = 0.95,
    bounded: bool = True,
    clusters: object = None,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> Ranking:
    """Rank several models on the same problems, as far as paired comparisons of all of them allow.

    Args:
        values: model → one value per problem, in [0, 1], of the same problems in the same order.
        confidence_level: the confidence level of all comparisons together.
        bounded: False for values without a range, such as those of max@k.
        clusters: one label per problem, where problems come in groups that resemble each other. Whole clusters flip.
        n_flips: random flips, the same for all pairs; see `compare_values`.
        seed: of the random flips.

    Returns:
        The models in order, all comparisons, and the ranks that are possible: 1 + the number of models that are better,
        up to the number of models less those that are worse.

    Raises:
        TypeError: if `values` is not a mapping, or values are not numbers.
        ValueError: if there are fewer than two models, or they hold different numbers of problems.

    References:
        1. P. Westfall, S. Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1.

    Examples:
        >>> good, fair, poor = [1.0] * 9, [0.9] * 8 + [1.0], [0.5] * 9
        >>> ranking = rank_values({"poor": poor, "good": good, "fair": fair})
        >>> str(ranking), ranking.ranks["fair"]
        ('good > fair > poor', (2, 2))
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"`values` must map names to values; got {shorten(values)} of type {type_name(values)}")
    if len(values) < 2:
        raise ValueError(f"`values` must hold at least two models; got {len(values)}")
    check_fraction("confidence_level", confidence_level)
    bounded = check_flag("bounded", bounded)
    columns = {name: read_column(f"values[{name!r}]", each, bounded=bounded) for name, each in values.items()}
    means = {name: float(column.mean()) for name, column in columns.items()}
    names = sorted(columns, key=lambda name: -means[name])  # models of equal value stay in the order given
    first = columns[names[0]]
    codes = None if clusters is None else read_clusters(clusters, len(first), "values")
    differences = {(a, b): subtract(columns[a], columns[b], bounded=bounded) for a, b in combinations(names, 2)}
    flips = Flips(
        np.stack([columns[name] for name in names], axis=1),
        codes,
        n_flips=check_size("n_flips", n_flips),
        seed=check_seed(seed),
        questions=differences.values(),
    )
    sums = dict(zip(names, flips.sums.T, strict=True))
    sizes = {name: float(np.abs(column).sum()) for name, column in columns.items()}

    def ask(a: str, b: str) -> Question:
        def add_up() -> Floats:
            return round_ties(sums[a] - sums[b], sizes[a] + sizes[b])

        return Question(differences[a, b], codes, add_up, flips.problems, "sign-flip", bounded=bounded)

    questions = {pair: ask(*pair) for pair in differences}
    pairs = {
        (a, b): question.compare(columns[a], columns[b], confidence_level) for (a, b), question in questions.items()
    }
    adjusted = dict(
        zip(pairs, adjust(list(questions.values()), [pair.p_value for pair in pairs.values()]), strict=True)
    )
    beats = {pair for pair, p_value in adjusted.items() if is_decided(p_value, confidence_level)}
    ranks = {
        name: (1 + sum(b == name for _, b in beats), len(names) - sum(a == name for a, _ in beats)) for name in names
    }
    splits = [cut for cut in range(1, len(names)) if all((a, b) in beats for a in names[:cut] for b in names[cut:])]
    bounds = zip([0, *splits], [*splits, len(names)], strict=True)
    return Ranking(
        names=tuple(names),
        values={name: means[name] for name in names},
        pairs=pairs,
        p_values=adjusted,
        ranks=ranks,
        tiers=tuple(tuple(names[start:stop]) for start, stop in bounds),
    )

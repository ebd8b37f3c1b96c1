"""Which of several models is the best, as far as the data tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from numpy.typing import ArrayLike

from at_k.errors import Message
from at_k.uncertainty.checks import check_fraction, read_column
from at_k.uncertainty.comparison import Comparison, compare_values
from at_k.uncertainty.significance import N_FLIPS, holm
from at_k.validation import shorten, type_name


@dataclass(frozen=True)
class Ranking:
    """Hold several models in the order of their values, and what is known about that order.

    Attributes:
        names: the models, the one with the highest value first.
        values: the mean of each over the problems.
        pairs: how each two of them compare, the one with the higher value as "a".
        p_values: the p-value of each pair, adjusted for their number (Holm).
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
    level: float = 0.95,
    bounded: bool = True,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> Ranking:
    """Rank several models on the same problems, as far as paired comparisons of all of them allow.

    Args:
        values: model → one value per problem, in [0, 1], of the same problems in the same order.
        level: the confidence level of all comparisons together.
        bounded: False for values without a range, such as those of max@k.
        n_flips: random flips of each test; see `sign_flip_p`.
        seed: of the random flips.

    Returns:
        The models in order, all comparisons, and the ranks that are possible: 1 + the number of models that are better,
        up to the number of models less those that are worse.

    Raises:
        TypeError: if `values` is not a mapping, or values are not numbers.
        ValueError: if there are fewer than two models, or they hold different numbers of problems.

    References:
        S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979, https://www.jstor.org/stable/4615733.

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
    check_fraction("level", level)
    means = {
        name: float(read_column(f"values[{name!r}]", each, bounded=bounded).mean()) for name, each in values.items()
    }
    names = sorted(values, key=lambda name: -means[name])  # models of equal value stay in the order given
    pairs = {
        (a, b): compare_values(values[a], values[b], level=level, bounded=bounded, n_flips=n_flips, seed=seed)
        for a, b in combinations(names, 2)
    }
    adjusted = dict(zip(pairs, holm([each.p_value for each in pairs.values()]).tolist(), strict=True))
    beats = {pair for pair, p_value in adjusted.items() if p_value <= 1 - level and pairs[pair].difference > 0}
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

"""The cost of a correct sample, with its interval."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.standard_errors import add_units, read_clusters
from at_k.validation import is_number

# Words in the names of costs, such as agent_cost and num_output_tokens.
COST = re.compile("cost|tokens", re.IGNORECASE)


def read_costs(rows: Sequence[Mapping[str, Any]], name: str, n: Ints) -> Floats | None:
    """Return what the samples of each problem cost; None unless every sample has a cost, and one of them is not 0."""
    totals = []
    for row, samples in zip(rows, n, strict=True):
        costs = row.get(name)
        # Samples without a verdict may be dropped, but have a cost. Fewer costs than samples are not those of all.
        if not isinstance(costs, list) or len(costs) < samples:
            return None
        if not all(is_number(cost) and 0 <= cost < inf for cost in costs):
            return None
        totals.append(sum(costs))
    return np.array(totals, dtype=np.float64) if any(totals) else None


class CostPerSuccess(NamedTuple):
    """Hold what a correct sample costs, in the unit of the costs: infinite if none is correct."""

    value: float
    low: float
    high: float


def cost_per_success(
    costs: Floats,
    successes: Ints,
    samples: Ints | int,
    /,
    *,
    clusters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
) -> CostPerSuccess:
    """Compute what a correct sample costs, with an interval for other problems like these.

    Examples:
        >>> found = cost_per_success(np.array([4.0, 2.0, 3.0, 3.0]), np.array([1, 2, 2, 1]), 2)
        >>> found.value, round(found.low, 2), round(found.high, 2)
        (2.0, 0.76, 5.36)
    """
    # Formula: the hull of three intervals exp(log r ± t·se), r = Σ cost/Σ successes, with the jackknife over problems,
    # or clusters, se² = (G − 1)/G · Σ (log r₋ᵢ − their mean)², and Student's t for G − 1 degrees of freedom: of the
    # problems as they are; with one further problem of mean cost and ¾ of the mean number of samples correct, of which
    # the lower end counts; and with one of which ¼ are, of which the upper end counts.
    # Source: Costs at which problems are solved: S. Meir et al., More Bang for the Buck, 2026,
    # https://arxiv.org/abs/2601.21522.
    codes = None if clusters is None else read_clusters(clusters, len(costs), "costs")
    _, sums = add_units(np.stack([costs, successes], axis=1), codes)
    total = sums.sum(axis=0)
    value = float(total[0] / total[1]) if total[1] else inf
    if len(sums) < 2 or (total - sums <= 0).any():
        return CostPerSuccess(value, 0.0, inf)
    low, high = _find_ends(sums, confidence_level)
    # Problems that happen to be equal say too little of others: the plain interval is then too narrow.
    further = [[costs.mean(), share * np.mean(samples)] for share in (0.75, 0.25)]
    ends = [_find_ends(np.append(sums, [row], axis=0), confidence_level) for row in further]
    return CostPerSuccess(value, min(low, value, ends[0][0]), max(high, value, ends[1][1]))


def _find_ends(sums: Floats, level: float) -> tuple[float, float]:
    """Return the ends of the jackknife's interval, for costs and successes of each unit."""
    from scipy.special import stdtrit

    total = sums.sum(axis=0)
    logs = np.log((total - sums)[:, 0] / (total - sums)[:, 1])
    margin = stdtrit(len(sums) - 1, (1 + level) / 2) * np.sqrt((len(sums) - 1) * logs.var())
    value = np.log(total[0] / total[1])
    return float(np.exp(value - margin)), float(np.exp(value + margin))

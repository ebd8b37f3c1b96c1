"""Two models on several benchmarks: on each, and over all of them in one decision for each target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.apart import estimate_reruns
from at_k.analysis.compared import Compared
from at_k.analysis.comparison import compare, compare_matched
from at_k.analysis.matching import Matched
from at_k.combinatorics import Floats
from at_k.errors import Phrases
from at_k.options.registry import COMPARING, POOLING, SCORED, complete, takes
from at_k.results.sheet import Sheet
from at_k.results.writers import Shown
from at_k.summary import is_bounded
from at_k.uncertainty.checks import share_looks
from at_k.uncertainty.comparison import compare_estimated, compare_pooled
from at_k.uncertainty.decisions import Comparison
from at_k.uncertainty.questions import find_questions
from at_k.validation import list_common, shorten, type_name

if TYPE_CHECKING:
    from at_k.signatures import PoolOptions, Unpack

_say = Phrases(
    {
        "pool.family": "Decisions on single benchmarks are adjusted for {count} benchmarks.",
        "pool.weights": "Pooled over {count} benchmarks, each {weight} with equal weight.",
        "pool.benchmarks": "Both models need the same benchmarks; only one has {names}.",
        "pool.no_key": "The benchmarks have no share in common. Ask for the same k on all of them.",
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Shown):
    """Hold how two models compare on several benchmarks.

    Attributes:
        benchmarks: benchmark → how they compare on it.
        pooled: how they compare over all of them, in the numbers that all have.
    """

    benchmarks: dict[str, Compared]
    pooled: Compared

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the pooled comparison, and then that of each benchmark."""
        pooled = self.pooled.sheet(short=short)
        parts = {name: pair.sheet(short=short) for name, pair in self.benchmarks.items()}
        return Sheet(
            [*pooled.parts, *(replace(part, title=name) for name, part in parts.items())],
            data=lambda: {
                "pooled": pooled.data(),
                "benchmarks": {name: part.data() for name, part in parts.items()},
            },
        )


@takes(POOLING, SCORED)
def compare_benchmarks(
    a: Mapping[str, Any], b: Mapping[str, Any], /, **given: Unpack[PoolOptions]
) -> Pooled:
    """Compare two models on several benchmarks: on each, and over all of them in one decision.

    Args:
        a: benchmark → a report, a file or a data set, as of `compare`.
        b: the other model, in any of these forms.
        given: see below.

    Returns:
        The comparison on each benchmark, and the pooled one, with both decisions: for other problems like these, and on
        these very ones. Its p-values are adjusted for the numbers that are pooled, but not for the benchmarks, which it
        takes together.

    Raises:
        InputError: as `compare`; also if the two do not have the same benchmarks, or these no number in common.
        TypeError: if a or b is not a mapping, or an option is of the wrong kind.
        ValueError: if an option is out of its range.

    Examples:
        >>> a = {"easy": {"grades": [[1, 1]] * 6}, "hard": {"grades": [[1, 0]] * 9}}
        >>> b = {"easy": {"grades": [[1, 0]] * 6}, "hard": {"grades": [[0, 0]] * 8 + [[1, 0]]}}
        >>> found = compare_benchmarks(a, b, metrics="pass@1")
        >>> str(found.pooled.decision("pass@1")), round(found.pooled.comparisons["pass@1"].difference, 3)
        ('A is better', 0.472)
    """
    options, looks = share_looks(complete(given, compare_benchmarks))
    for name, models in (("a", a), ("b", b)):
        if not isinstance(models, Mapping) or not models:
            raise TypeError(
                f"`{name}` must map benchmarks to reports, files or data sets; got {shorten(models)} of type "
                f"{type_name(models)}"
            )
    a = {str(name): data for name, data in a.items()}
    b = {str(name): data for name, data in b.items()}
    if a.keys() != b.keys():
        raise _say.error("pool.benchmarks", names=", ".join(sorted(a.keys() ^ b.keys())))
    level = options["confidence_level"]
    pool_by = options["pool_by"]
    asked = {name: value for name, value in given.items() if name in COMPARING}
    comparing = complete(asked, compare)
    comparing["confidence_level"] = 1 - (1 - comparing["confidence_level"]) / len(a)
    matches: dict[str, Matched] = {}
    single: dict[str, Compared] = {}
    for name in a:
        matches[name], compared = compare_matched(a[name], b[name], comparing, given)
        single[name] = _adjust_for_benchmarks(compared, len(a), level)
    common = list_common(pair.comparisons for pair in single.values())
    keys = [key for key in common if is_bounded(key)]
    if not keys:
        raise _say.error("pool.no_key")
    pooled_keys = compare_pooled(
        {name: _list_values(matched, keys) for name, matched in matches.items()},
        {name: matched.codes for name, matched in matches.items()},
        factor=min(matched.find_factor() for matched in matches.values()),
        pool_by=pool_by,
        confidence_level=level,
        seed=options["seed"],
    )
    comparisons = dict(zip(keys, pooled_keys, strict=True))
    reruns = _pool_reruns(list(matches.values()), comparisons, by_problem=pool_by == "problem")
    pairs = list(single.values())
    note = _say("pool.weights", count=len(single), weight=pool_by)
    pooled = Compared(
        pairs[0].names,
        comparisons,
        notes=[*looks, note, _say("pool.family", count=len(single))],
        same=all(pair.same for pair in pairs),
        unlike=next((pair.unlike for pair in pairs if pair.unlike is not None), None),
        reruns=reruns,
    )
    return Pooled(single, pooled)


def _list_values(matched: Matched, keys: Sequence[str]) -> list[tuple[Floats, Floats]]:
    return [(a, b) for a, b in map(matched.values, keys)]


def _pool_reruns(
    matches: Sequence[Matched], pooled: Mapping[str, Comparison], *, by_problem: bool
) -> dict[str, Comparison]:
    """Compare over all benchmarks for other samples of these very problems, in the numbers that each of them tells."""
    # The difference is Σ w_j d_j of the benchmarks j, se² = Σ w_j² se_j², and 1/m = Σ w_j²/m_j.
    weights = np.ones(len(matches))
    if by_problem:
        weights = np.array([float(len(matched.problems)) for matched in matches])
    weights /= weights.sum()
    columns = [
        dict(zip(pooled, _list_values(matched, [*pooled]), strict=True)) for matched in matches
    ]
    found = [
        estimate_reruns(matched, pairs, needed=False)
        for matched, pairs in zip(matches, columns, strict=True)
    ]
    sides = {}
    for key in list_common(found):
        sides[key] = np.concatenate([own[key] for own in columns], axis=1)
    asked, _ = find_questions([a - b for a, b in sides.values()], [True] * len(sides))
    compared: dict[str, Comparison] = {}
    for key, (a, b) in sides.items():
        _, errors, units = np.array([estimated[key][:3] for estimated in found]).T
        stderr = float(np.sqrt(weights**2 @ errors**2))
        m = float(1 / (weights**2 @ (1 / units)))
        pair = compare_estimated(
            a,
            b,
            (pooled[key].difference, stderr, m),
            method="rerun",
            confidence_level=pooled[key].confidence_level,
            questions=len(asked),
        )
        compared[key] = replace(pair, a=pooled[key].a, b=pooled[key].b)
    return compared


def _adjust_for_benchmarks(found: Compared, count: int, confidence_level: float) -> Compared:
    """Adjust the decisions on one of several benchmarks, whose intervals share the level."""

    def adjust(pair: Comparison) -> Comparison:
        p_adjusted = min(1.0, count * pair.p_adjusted)
        return replace(pair, p_adjusted=p_adjusted, confidence_level=confidence_level)

    comparisons = {key: adjust(pair) for key, pair in found.comparisons.items()}
    reruns = {key: adjust(pair) for key, pair in found.reruns.items()}
    equivalence = {key: min(1.0, count * p_value) for key, p_value in found.equivalence.items()}
    return replace(found, comparisons=comparisons, reruns=reruns, equivalence=equivalence)

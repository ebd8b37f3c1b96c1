"""Two models on several benchmarks: each benchmark, and one verdict over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from at_k.analysis.compared import Compared
from at_k.analysis.comparison import compare
from at_k.analysis.measurements import find_clusters, match_problems, read_models
from at_k.error_bars import is_bounded
from at_k.errors import InputError, Message
from at_k.options import COMPARING, POOLING, SCORED, complete, takes
from at_k.uncertainty.pooling import compare_pooled
from at_k.uncertainty.standard_errors import read_clusters
from at_k.validation import shorten, type_name

if TYPE_CHECKING:
    from at_k.signatures import PoolOptions, Unpack


@dataclass(frozen=True)
class Pooled:
    """Hold how two models compare on several benchmarks.

    Attributes:
        benchmarks: benchmark → how they compare on it.
        pooled: how they compare over all of them, in the numbers that all have.
    """

    benchmarks: dict[str, Compared]
    pooled: Compared

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for `json.dumps`."""
        return {
            "pooled": self.pooled.to_dict(),
            "benchmarks": {name: each.to_dict() for name, each in self.benchmarks.items()},
        }

    def to_markdown(self) -> str:
        """Write the pooled table, and then that of each benchmark."""
        own = (f"### {' '.join(name.splitlines())}\n\n{each.to_markdown()}" for name, each in self.benchmarks.items())
        return "\n\n".join([self.pooled.to_markdown(), *own])

    def __str__(self) -> str:
        return self.to_markdown()


@takes(POOLING, SCORED)
def compare_benchmarks(a: Mapping[str, Any], b: Mapping[str, Any], /, **given: Unpack[PoolOptions]) -> Pooled:
    """Compare two models on several benchmarks: on each, and over all of them in one verdict.

    Args:
        a: benchmark → a report, a file or a data set, as of `compare`.
        b: the same of the other model.
        given: see below.

    Returns:
        The comparison on each benchmark, and the pooled one. Its p-values are adjusted for the numbers that are pooled,
        but not for the benchmarks, which it takes together.

    Raises:
        InputError: as `compare`; also if the two do not have the same benchmarks, or these no number in common.
        TypeError: if a or b is not a mapping, or an option is of the wrong kind.
        ValueError: if an option is out of its range.

    Examples:
        >>> a = {"easy": {"grades": [[1, 1]] * 6}, "hard": {"grades": [[1, 0]] * 9}}
        >>> b = {"easy": {"grades": [[1, 0]] * 6}, "hard": {"grades": [[0, 0]] * 8 + [[1, 0]]}}
        >>> found = compare_benchmarks(a, b, keys="pass@1")
        >>> str(found.pooled.verdict("pass@1")), round(found.pooled.comparisons["pass@1"].difference, 3)
        ('A is better', 0.472)
    """
    options = complete(given, compare_benchmarks)
    for name, models in (("a", a), ("b", b)):
        if not isinstance(models, Mapping) or not models:
            raise TypeError(
                f"`{name}` must map benchmarks to reports, files or data sets; got {shorten(models)} of type "
                f"{type_name(models)}"
            )
    a, b = ({str(name): data for name, data in models.items()} for models in (a, b))
    if a.keys() != b.keys():
        raise InputError(
            "pool.benchmarks",
            "Both models need the same benchmarks; only one has {names}.",
            names=", ".join(sorted(a.keys() ^ b.keys())),
        )
    comparing: Any = {name: value for name, value in given.items() if name in COMPARING}
    names, models, single = options["names"], {}, {}
    for name in a:
        models[name] = read_models({"a": a[name], "b": b[name]}, given)
        single[name] = compare(
            *(own.report or data[name] for own, data in zip(models[name], (a, b), strict=True)), **comparing
        )
    keys = [key for key in next(iter(single.values())).comparisons
            if is_bounded(key) and all(key in each.comparisons for each in single.values())]  # fmt: skip
    if not keys:
        raise InputError("pool.no_key", "The benchmarks have no share in common. Ask for the same k on all of them.")
    values, clusters = {}, {}
    for name, own in models.items():
        problems, _ = match_problems(own, options["unmatched"], names)
        labels = find_clusters(options["clusters"], own, names, problems)
        clusters[name] = None if labels is None else read_clusters(labels, len(labels), "problems")
        values[name] = [(own[0].line_up(key, problems), own[1].line_up(key, problems)) for key in keys]
    found, adjusted = compare_pooled(
        values,
        clusters,
        pool_by=options["pool_by"],
        confidence_level=options["confidence_level"],
        seed=options["seed"],
    )
    note = Message(
        "pool.weights",
        "Pooled over {count} benchmarks, each {weight} with equal weight.",
        count=len(single),
        weight=options["pool_by"],
    )
    first = next(iter(single.values()))
    pooled = replace(
        first,
        comparisons=dict(zip(keys, found, strict=True)),
        adjusted=dict(zip(keys, adjusted, strict=True)),
        equivalence={},
        extra_tests={},
        flips={},
        margin=None,
        bands={},
        notes=[note],
    )
    return Pooled(single, pooled)

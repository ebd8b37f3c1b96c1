"""Advantages on the scale of trainers, whose losses average over samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from operator import not_
from typing import Any

from at_k.uncertainty.credits import credit
from at_k.validation import shorten

# Options in a trainer's configuration, under the name `at_k`: those of `at_k.credit`.
OPTIONS = ("metric", "k", "thresholds", "baseline", "ties", "normalize", "correct_above")


def compute_advantages(
    options: Mapping[str, Any],
    rewards: Any,
    groups: Sequence[Any],
    answers: Sequence[Any] | None = None,
) -> Any:
    """Compute credits times the mean number of samples of a prompt.

    Examples:
        >>> compute_advantages({"metric": "avg@n"}, [1.0, 0.0, 0.0, 1.0, 1.0, 1.0], ["a", "a", "a", "b", "b", "b"])
        [1.0, -0.5, -0.5, 0.0, 0.0, 0.0]
    """
    # The mean over all samples of advantage · ∇ log π is then the mean over prompts of the metric's gradient. For
    # avg@n, and prompts with equal numbers of samples, it is RLOO: the reward minus the mean of the others. With
    # `normalize`, credits have a scale of their own, and are kept.
    check_advantage_options(options)
    weights = _credit(options, rewards, groups, answers)
    scale = _find_scale(options, groups)
    if isinstance(weights, list):
        return [scale * row for row in weights]
    return scale * weights


def check_advantage_options(options: Any) -> None:
    """Raise for options of a trainer that have no metric, or another name than those of `OPTIONS`."""
    if not isinstance(options, Mapping):
        raise TypeError(
            f"`at_k` must map options to values, such as {{'metric': 'pass@8'}}; got {shorten(options)}"
        )
    unknown = [name for name in options if name not in OPTIONS]
    if unknown or "metric" not in options:
        raise ValueError(
            f"`at_k` must have a `metric`, and no options but {', '.join(OPTIONS)}; got {dict(options)}"
        )


def _credit(
    options: Mapping[str, Any], rewards: Any, groups: Sequence[Any], answers: Sequence[Any] | None
) -> Any:
    """Compute the credits, with the metric as the first argument."""
    settings = {**options}
    return credit(
        settings.pop("metric"), rewards, scores=rewards, answers=answers, problem=groups, **settings
    )


def _find_scale(options: Mapping[str, Any], groups: Sequence[Any]) -> float:
    """Return the mean number of samples of a prompt, or 1 for credits that are normalized."""
    if options.get("normalize"):
        return 1.0
    return len(groups) / len(set(groups))


def compute_scored_advantages(
    options: Mapping[str, Any], rewards: Any, groups: Sequence[Any], unscored: Sequence[bool]
) -> Any:
    """Compute the advantages of the scored samples. An unscored one leaves its prompt, and has advantage 0."""
    # One failed reward must not end a run: where it leaves a prompt with too few samples for the metric, the advantages
    # of this prompt are 0. The scale counts all samples, since the loss is the mean over all of them.
    if not any(unscored):
        return compute_advantages(options, rewards, groups)
    whole = Counter(groups)
    scored = Counter(compress(groups, map(not_, unscored)))

    def is_enough(size: int) -> bool:
        try:
            _credit(options, [0.0] * size, [0] * size, None)
        except ValueError:
            return False
        return size > 0

    enough = {size: size in whole.values() or is_enough(size) for size in {*scored.values()}}
    kept = [
        place for place, group in enumerate(groups) if not unscored[place] and enough[scored[group]]
    ]
    advantages = rewards * 0.0
    if kept:
        weights = _credit(options, rewards[kept], [groups[place] for place in kept], None)
        advantages[kept] = _find_scale(options, groups) * weights
    return advantages

"""Advantages on the scale that trainers expect, which average over samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.uncertainty.credits import credit
from at_k.validation import shorten

OPTIONS = ("metric", "k", "tau", "baseline", "ties", "normalize", "threshold")
"""What a trainer's configuration may say, under the name `at_k`: the options of `at_k.credit`."""


def compute_advantages(
    options: Mapping[str, Any], rewards: Any, groups: Sequence[Any], answers: Sequence[Any] | None = None
) -> Any:
    """Compute credits times the mean number of samples of a prompt.

    The mean over all samples of advantage · ∇ log π is then the mean over prompts of the metric's gradient. For avg@n,
    and prompts with as many samples, it is RLOO: the reward minus the mean of the others. With `normalize`, credits
    have a scale of their own, and are kept.

    Args:
        options: `metric`, such as "pass@8" or {"pass@8": 0.5, "avg@n": 0.5}, and any of `OPTIONS`.
        rewards: one per sample. They are the scores too, for best@k and max@k.
        groups: the prompt of each sample.
        answers: the answer of each sample, for cons@k.

    Returns:
        One advantage per sample, of the type of `rewards`.

    Raises:
        TypeError: as `at_k.credit`, or if the options are no mapping.
        ValueError: as `at_k.credit`, or if there is another option.

    Examples:
        >>> compute_advantages({"metric": "avg@n"}, [1.0, 0.0, 0.0, 1.0, 1.0, 1.0], ["a", "a", "a", "b", "b", "b"])
        [1.0, -0.5, -0.5, 0.0, 0.0, 0.0]
    """
    if not isinstance(options, Mapping):
        raise TypeError(f"`at_k` must map options to values, such as {{'metric': 'pass@8'}}; got {shorten(options)}")
    unknown = [name for name in options if name not in OPTIONS]
    if unknown or "metric" not in options:
        raise ValueError(f"`at_k` must have a `metric`, and no options but {', '.join(OPTIONS)}; got {dict(options)}")
    given = {**options}
    metric = given.pop("metric")
    found = credit(metric, rewards, scores=rewards, answers=answers, groups=groups, **given)
    scale = 1.0 if given.get("normalize") else len(groups) / len(set(groups))
    return [scale * each for each in found] if isinstance(found, list) else scale * found

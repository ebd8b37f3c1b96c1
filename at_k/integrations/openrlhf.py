"""Credits as rewards in OpenRLHF, where its experience maker shapes rewards by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.integrations.advantages import compute_advantages


def shape_rewards(
    rewards: Any,
    n_samples_per_prompt: int,
    options: Mapping[str, Any],
    answers: Sequence[Any] | None = None,
) -> Any:
    """Return the advantages of flat rewards, in which the samples of a prompt are neighbours."""
    # It takes the place of `rewards.reshape(-1, n_samples_per_prompt)` and what follows for "rloo" or "group_norm".
    groups = [i // n_samples_per_prompt for i in range(len(rewards))]
    return compute_advantages(options, rewards, groups, answers)

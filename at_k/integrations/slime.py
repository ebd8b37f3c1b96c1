"""Credits as rewards in slime: `--custom-reward-post-process-path at_k.integrations.slime.post_process_rewards`.

The options are under `at_k` in the file of `--custom-config-path`; without them it is pass@8. With
`--advantage-estimator grpo`, slime hands what this returns to the tokens as it is. For cons@k, put each answer into
`sample.metadata["answer"]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from at_k.integrations.advantages import compute_advantages


def post_process_rewards(args: Any, samples: Sequence[Any]) -> tuple[list[float], list[float]]:
    """Return the rewards of samples, and their advantages. Samples of one prompt have the same `group_index`."""
    rewards = [float(sample.get_reward_value(args)) for sample in samples]
    metadata = [sample.metadata or {} for sample in samples]
    # An answer of None casts no vote. Where no sample has any, they were forgotten.
    answers = None
    if any("answer" in fields for fields in metadata):
        answers = [fields.get("answer") for fields in metadata]
    options = getattr(args, "at_k", None) or {"metric": "pass@8"}
    return rewards, compute_advantages(
        options, rewards, [sample.group_index for sample in samples], answers
    )

"""An advantage estimator for NeMo-RL, to be returned by `_create_advantage_estimator` of its GRPO algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from at_k.integrations.advantages import compute_advantages


class CreditAdvantageEstimator:
    """Compute credits as advantages.

    Attributes:
        options: the options of `compute_advantages`.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options

    def compute_advantage(self, prompt_ids: Any, rewards: Any, mask: Any, **_: object) -> Any:
        """Return advantages in the shape of `mask`, (samples, tokens). Equal rows of `prompt_ids` are one prompt."""
        groups = [tuple(row) if isinstance(row, list) else row for row in prompt_ids.tolist()]
        return compute_advantages(self.options, rewards, groups)[:, None] + 0 * mask

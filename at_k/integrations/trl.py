"""Credits as advantages in TRL, whose `GRPOTrainer` has no hook for them.

```
class Trainer(CreditMixin, GRPOTrainer):
    at_k = {"metric": "pass@8"}
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from at_k.integrations.advantages import compute_advantages


class CreditMixin:
    """Replace the advantages of a `GRPOTrainer` by credits. What it logs as advantages are still its own.

    Attributes:
        at_k: the options of `compute_advantages`. The reward is the weighted sum of the reward functions; where all of
            them returned None, it counts as 0.
    """

    at_k: Mapping[str, Any]

    def _calculate_rewards(self, *args: Any, **kwargs: Any) -> Any:
        """Keep the rewards, which are those of all processes, one column per reward function."""
        self._rewards_of_all = super()._calculate_rewards(*args, **kwargs)  # type: ignore[misc]
        return self._rewards_of_all

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        outputs = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        trainer: Any = self
        rewards = self._rewards_of_all
        rewards = (rewards * trainer.reward_weights.to(rewards.device)).nansum(dim=1)
        n = trainer.num_generations if trainer.model.training else trainer.num_generations_eval
        advantages = compute_advantages(self.at_k, rewards, [i // n for i in range(len(rewards))])
        own = len(outputs["advantages"])
        start = trainer.accelerator.process_index * own
        outputs["advantages"] = advantages[start : start + own]
        return outputs

"""Credits as advantages in TRL, whose `GRPOTrainer` has no hook for them, and every @k number in its logs.

```
class Trainer(CreditMixin, GRPOTrainer):
    at_k = {"metric": "pass@8"}

trainer = Trainer(reward_funcs=log_at_k(is_correct), ...)
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from math import isnan
from typing import Any

from at_k.integrations.advantages import compute_scored_advantages
from at_k.integrations.samples import check_options, measure_samples
from at_k.validation import check_k


class CreditMixin:
    """Replace the advantages of a `GRPOTrainer` by credits. What it logs as advantages are still its own.

    Attributes:
        at_k: the options of `compute_advantages`. The reward is the weighted sum of the reward functions. A completion
            that no reward function scored leaves its group, and has advantage 0, as in TRL.
    """

    at_k: Mapping[str, Any]

    def _calculate_rewards(self, *args: Any, **kwargs: Any) -> Any:
        """Keep the rewards, which are those of all processes, one column per reward function."""
        # The method is that of the trainer that this class is mixed with, which a type checker does not see.
        self._rewards_of_all = super()._calculate_rewards(*args, **kwargs)  # type: ignore[misc]
        return self._rewards_of_all

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        # As above.
        outputs = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        trainer: Any = self
        by_function = self._rewards_of_all
        rewards = (by_function * trainer.reward_weights.to(by_function.device)).nansum(dim=1)
        n = _count_generations(trainer)
        unscored = [all(isnan(reward) for reward in row) for row in by_function.tolist()]
        advantages = compute_scored_advantages(
            self.at_k, rewards, [i // n for i in range(len(rewards))], unscored
        )
        count = len(outputs["advantages"])
        start = trainer.accelerator.process_index * count
        outputs["advantages"] = advantages[start : start + count]
        return outputs


def log_at_k(
    reward: Callable[..., Any],
    correct_above: float | str = 0.5,
    *,
    k: int | Sequence[int] | None = None,
    metrics: str | Sequence[str] | None = None,
    find_answer: Callable[[Any], str | None] | None = None,
    num_generations: int | None = None,
) -> Callable[..., Any]:
    """Wrap a reward function, so that every @k number of its rewards is logged.

    The samples of a problem are the `num_generations` rows that the trainer made of one prompt; by default, the trainer
    says how many. Prompts are not compared: those of environments may be empty, or differ between the rows of a group.
    """
    check_options(k=k, metrics=metrics, correct_above=correct_above)
    if num_generations is not None:
        check_k(num_generations, "num_generations")

    @wraps(reward)
    def compute(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> Any:
        rewards = reward(prompts=prompts, completions=completions, **columns)
        groups = _number_groups(len(completions), num_generations, columns["log_metric"])
        answers = None
        if find_answer is not None:
            answers = [find_answer(completion) for completion in completions]
        options: dict[str, Any] = {
            "correct_above": correct_above,
            "k": k,
            "metrics": metrics,
            "confidence_level": None,
        }
        for key, value in measure_samples(groups, rewards, answers, **options).items():
            columns["log_metric"](f"at_k/{key}", value)
        return rewards

    return compute


def _number_groups(count: int, size: int | None, log_metric: Any) -> list[int]:
    """Number the group of each row of this process."""
    # TRL logs by a method of the trainer. A process may begin within a group of another one: these are two problems
    # with fewer samples each, of which TRL takes the average.
    trainer: Any = getattr(log_metric, "__self__", None)
    first = 0
    if hasattr(trainer, "num_generations"):
        size = size or _count_generations(trainer)
        first = count * trainer.accelerator.process_index
    if size is None:
        raise ValueError(
            "`num_generations` must be given to `log_at_k` where no trainer of TRL calls the function"
        )
    return [place // size for place in range(first, first + count)]


def _count_generations(trainer: Any) -> int:
    """Return how many completions the trainer makes of each prompt, in training or in evaluation."""
    if trainer.model.training:
        return int(trainer.num_generations)
    return int(trainer.num_generations_eval)

"""verl's estimators, found while verl is imported, and the validation of both of its trainers. Training takes a GPU."""

from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import torch
from arithmetic import REPLIES, TARGETS, compare
from verl import DataProto
from verl.trainer.ppo.core_algos import get_adv_estimator_fn
from verl.trainer.ppo.ray_trainer import RayPPOTrainer
from verl.trainer.ppo.v1.trainer_base import PPOTrainer, compute_advantage_for_multi_trajectories

from at_k.integrations.verl import SessionMixin, ValidationMixin

samples = [
    (name, text, float(text == TARGETS[name])) for name, texts in REPLIES.items() for text in texts
]
uids, answers, grades = map(list, zip(*samples, strict=True))
infos = {"reward": grades, "acc": grades, "pred": answers}
for kind in (RayPPOTrainer, PPOTrainer):
    trainer = object.__new__(
        type("Trainer", (ValidationMixin, kind), {"on_sample_end": None, "on_step_end": None})
    )
    more = (
        {}
        if kind is RayPPOTrainer
        else {"expected_acc_counts": {("math", name): 4 for name in REPLIES}}
    )
    found = trainer._val_metrics_update(np.array(["math"] * 12), uids, infos, [], **more)
    numbers = {key.removeprefix("val-core/math/at_k/"): value for key, value in found.items()}
    compare(numbers.__getitem__, ("pass@1", "pass@2", "pass@4", "avg@4"))
    assert abs(found["val-core/math/acc/mean@4"] - numbers["avg@4"]) < 1e-12
    print(
        {
            key: round(float(value), 4)
            for key, value in found.items()
            if key.startswith("val-core") and "@4" in key
        }
    )

rewards = torch.tensor(grades)[:, None] * torch.tensor([0.0, 1.0])
advantages, _ = get_adv_estimator_fn("at_k_pass2")(
    rewards, torch.ones(12, 2), np.array(uids, dtype=object)
)
# b is right in 2 of 4: pass@2 is 5/6, without a right sample 2/3, without a wrong one 1.
assert torch.allclose(advantages[4:8, 1], 4 * torch.tensor([-1 / 6, 1 / 6, -1 / 6, 1 / 6]))


class Multiple:
    """Compute advantages as the newer trainer does, on rows with these keys; the reward of a timeout is 0."""

    def _compute_advantage(self, batch, metrics):
        scores = {"u_0_1": 1.0, "u_2_0": 1.0, "u_2_1": 1.0}
        rewards = torch.tensor([[0.0, scores.get(key, 0.0)] for key in batch.keys])
        rows = {"token_level_rewards": rewards, "response_mask": mask}
        data = DataProto.from_dict(
            tensors=rows, non_tensors={"uid": np.array(["u"] * 7, dtype=object)}
        )
        return compute_advantage_for_multi_trajectories(
            data, batch_keys=batch.keys, adv_estimator="at_k_pass2", config=None
        )


mask = torch.ones(7, 2)
mask[3, 1] = 0
keys = ["u_0_1", "u_1_0", "u_2_0", "u_0_0", "u_2_2", "u_2_1", "u_3_0"]
trainer = type("Trainer", (SessionMixin, Multiple), {})()
advantages = trainer._compute_advantage(SimpleNamespace(keys=keys), {}).batch["advantages"]
# Of four sessions the last output of one is right: pass@2 is 1/2, without it 0, without another one 2/3.
own = torch.tensor([2.0 if key.startswith("u_0") else -2 / 3 for key in keys])
assert torch.allclose(advantages, own[:, None] * mask)
print(f"verl {version('verl')}")

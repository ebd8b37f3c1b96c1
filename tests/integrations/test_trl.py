"""A trainer with the methods and attributes of TRL's that are used, of which this is the second of two processes."""

from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose

from at_k.integrations.trl import CreditMixin


class Tensor(np.ndarray):
    """An array with the methods of PyTorch that are used."""

    device = "cpu"

    def to(self, _):
        return self

    def nansum(self, dim):
        return np.nansum(np.asarray(self), axis=dim)


class FakeTrainer:
    num_generations, num_generations_eval = 3, 1
    accelerator = SimpleNamespace(process_index=1)
    model = SimpleNamespace(training=True)
    reward_weights = np.array([1.0, 0.5]).view(Tensor)

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
        return np.array([[1, 0], [0, 0], [0, np.nan], [0, 2], [0, 0], [np.nan, np.nan]]).view(Tensor)

    def _generate_and_score_completions(self, inputs):
        self._calculate_rewards(inputs, None, None, None)
        return {"advantages": np.full(3, 9.0), "completion_ids": "kept"}


class Trainer(CreditMixin, FakeTrainer):
    at_k = {"metric": "pass@2"}  # noqa: RUF012 - as users write it


def test_the_advantages_are_replaced():
    found = Trainer()._generate_and_score_completions([])
    assert found["completion_ids"] == "kept"
    assert_allclose(found["advantages"], [2, -1, -1])

"""A trainer with the methods and attributes of TRL's that are used, of which this is the second of two processes."""

from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose

from at_k.integrations.trl import CreditMixin, log_at_k


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


def test_the_numbers_of_a_reward_function_are_logged():
    logged = {}

    def is_correct(prompts, completions, answer, log_metric=None):
        return [None if each is None else float(each == right) for each, right in zip(completions, answer, strict=True)]

    function = log_at_k(is_correct)
    rewards = function(
        prompts=["p", "p", "q", "q", "p", "p"],  # a prompt that comes again is another draw of the batch
        completions=["7", "8", "1", "1", "7", "7"],
        answer=["7", "7", "2", "2", "7", "7"],
        log_metric=logged.__setitem__,
    )
    assert rewards == [1, 0, 0, 0, 1, 1]
    assert function.__name__ == "is_correct"  # TRL logs a function under its name
    assert (logged["at_k/pass@1"], round(logged["at_k/pass@2"], 4)) == (0.5, 0.6667)

"""A trainer with the methods and attributes of TRL's that are used, of which this is the second of two processes."""

from types import SimpleNamespace

import numpy as np
import pytest
from cases import refuses
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
    num_generations, num_generations_eval = 4, 1
    accelerator = SimpleNamespace(process_index=1)
    model = SimpleNamespace(training=True)
    reward_weights = np.array([1.0, 0.5]).view(Tensor)
    by_function = ((1, 0), (0, 0), (0, np.nan), (0, 0), (0, 2), (0, 0), (0, np.nan), (0, 0))

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
        return np.array(self.by_function, dtype=float).view(Tensor)

    def _generate_and_score_completions(self, inputs):
        self._calculate_rewards(inputs, None, None, None)
        return {"advantages": np.full(4, 9.0), "completion_ids": "kept"}


class Trainer(CreditMixin, FakeTrainer):
    at_k = {"metric": "pass@2"}  # noqa: RUF012 - as users write it


NONE = (np.nan, np.nan)


@pytest.mark.parametrize(("of_this_process", "advantages"), [
    (((0, 2), (0, 0), (0, np.nan), (0, 0)), [2, -2 / 3, -2 / 3, -2 / 3]),  # pass@2 is ½, and ⅔ without a wrong sample
    (((0, 2), (0, 0), NONE, (0, 0)), [8 / 3, -4 / 3, 0, -4 / 3]),  # pass@2 of three samples, times 4
    ((NONE, (0, 2), NONE, (0, 0)), [0, 0, 0, 0]),  # two samples are too few for pass@2 without one of them
    ((NONE, NONE, NONE, NONE), [0, 0, 0, 0]),
])  # fmt: skip
def test_advantages_are_credits_of_scored_completions(of_this_process, advantages):
    trainer = Trainer()
    trainer.by_function = (*FakeTrainer.by_function[:4], *of_this_process)
    outputs = trainer._generate_and_score_completions([])
    assert outputs["completion_ids"] == "kept"
    assert_allclose(outputs["advantages"], np.array(advantages))


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


def test_votes_and_a_choice_of_numbers_are_logged():
    logged = {}
    function = log_at_k(
        lambda completions, **_: [float(text.endswith("7")) for text in completions],
        k=3,
        metrics=["cons@3", "pass@3"],
        find_answer=lambda text: text.split()[-1],
    )
    function(prompts=["p"] * 3, completions=["so 7", "7", "is 8"], log_metric=logged.__setitem__)
    assert logged == {"at_k/pass@3": 1, "at_k/cons@3": 1}
    for wrong, error in (({"k": [0]}, "ValueError"), ({"k": "8"}, "TypeError"), ({"metrics": ["bogus"]}, "ValueError")):
        refuses(error, log_at_k, lambda **_: [], **wrong)

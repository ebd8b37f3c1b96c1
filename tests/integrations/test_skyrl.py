"""SkyRL's registry, which calls by keyword with a group per sample, and whose configuration takes no other fields."""

import numpy as np
from cases import refuses
from numpy.testing import assert_allclose

from at_k.integrations.skyrl import register


class Registry:
    def __init__(self):
        self.entered = {}

    def register(self, name, function):
        self.entered[name] = function

    def estimate(self, name):
        rewards, mask = np.array([[0.0, 1], [0, 0], [0, 0]]), np.array([[1, 1], [1, 0], [1, 1]])
        advantages, returns = self.entered[name](
            token_level_rewards=rewards, response_mask=mask, index=np.array([7, 7, 7]), values=None, config=object()
        )
        assert returns is advantages
        return advantages / np.maximum(mask, 0.5)


def test_estimators_of_one_metric_and_of_given_options():
    registry = Registry()
    register(registry, {"metric": "avg@n"})
    # pass@2 is 2/3; without the right sample it is 0, without a wrong one 1.
    assert_allclose(registry.estimate("at_k_pass2")[:, 0], [2.0, -1, -1])
    assert_allclose(registry.estimate("at_k")[:, 0], [1.0, -0.5, -0.5])


def test_wrong_options_are_refused_before_training():
    refuses("ValueError: `at_k` must have a `metric`", register, Registry(), {"normalise": "std"})

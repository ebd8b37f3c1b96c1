"""rLLM's signature: an array of rewards for each group, in and out."""

import numpy as np
from numpy.testing import assert_allclose

from at_k.integrations.rllm import make_estimator


def test_groups_of_arrays():
    rewards = [np.array([1, 0, 0]), np.array([0.0, 1.0])]
    estimate = make_estimator({"metric": "avg@n"})
    advantages, returns = estimate(rewards=rewards, algorithm_config=object(), traj_groups=[None, None])
    # Two prompts of 2.5 samples on average: 2.5 times the credits.
    assert [each.shape for each in advantages] == [(3,), (2,)]
    assert_allclose(advantages[0], 2.5 * np.array([1 / 3, -1 / 6, -1 / 6]))
    assert_allclose(advantages[1], 2.5 * np.array([-0.5, 0.5]))
    assert returns is advantages

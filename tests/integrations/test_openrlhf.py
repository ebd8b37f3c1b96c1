"""OpenRLHF's rewards: flat, the samples of a prompt together."""

import numpy as np
from numpy.testing import assert_allclose

from at_k.integrations.openrlhf import shape_rewards


def test_neighbours_are_a_prompt():
    rewards = np.array([1.0, 0, 0, 0, 1, 1])
    assert_allclose(shape_rewards(rewards, 3, {"metric": "pass@2"}), [2, -1, -1, 0, 0, 0], atol=1e-15)
    answers = ["x", "y", "z", "p", "x", "x"]
    # The second prompt: ⅔ of votes of two are right, 1 without the wrong one, and ½ without a right one.
    found = shape_rewards(rewards, 3, {"metric": "cons@2"}, answers)
    assert_allclose(found[3:], [3 * (2 / 3 - 1), 0.5, 0.5])

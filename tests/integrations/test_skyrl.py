"""SkyRL's registry, which calls by keyword with a group per sample."""

import numpy as np
from numpy.testing import assert_allclose

from at_k.integrations.skyrl import register


def test_registry():
    class Registry:
        entered = {}  # noqa: RUF012 - of this class alone

        @classmethod
        def register(cls, name, function):
            cls.entered[name] = function

    register(Registry)
    rewards, mask = np.array([[0.0, 1], [0, 0], [0, 0]]), np.array([[1, 1], [1, 0], [1, 1]])
    advantages, returns = Registry.entered["at_k_pass2"](
        token_level_rewards=rewards, response_mask=mask, index=np.array([7, 7, 7]), values=None, config=object()
    )
    # pass@2 is 2/3; without the right sample it is 0, without a wrong one 1.
    assert_allclose(advantages, np.array([2.0, -1, -1])[:, None] * mask)
    assert_allclose(returns, advantages)

"""NeMo-RL's signature: the tokens of each prompt, a reward per sample, a mask of tokens."""

import numpy as np
from cases import for_each
from numpy.testing import assert_allclose

from at_k.integrations.nemo_rl import CreditAdvantageEstimator


@for_each("prompts", [[[1, 2], [3, 4], [1, 2], [1, 2], [3, 4], [3, 4]], [0, 1, 0, 0, 1, 1]])
def test_prompts_in_any_order(prompts):
    estimator = CreditAdvantageEstimator({"metric": "pass@2"})
    rewards = np.array([1.0, 0, 0, 0, 0, 0], dtype=np.float32)
    found = estimator.compute_advantage(
        prompt_ids=np.array(prompts), rewards=rewards, mask=np.ones((6, 4)), repeated_batch=None
    )
    assert_allclose(found, np.array([2, 0, -1, -1, 0, 0])[:, None] * np.ones(4), rtol=1e-6)  # single precision

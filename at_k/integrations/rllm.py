"""An advantage estimator for rLLM.

`register_rllm_adv_estimator("at_k_pass8")(make_estimator({"metric": "pass@8"}))` enters it under a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.integrations.advantages import compute_advantages

Arrays = list[NDArray[Any]]


def make_estimator(options: Mapping[str, Any]) -> Callable[..., tuple[Arrays, Arrays]]:
    """Make an estimator with rLLM's signature: an array of rewards per group in, and the same of advantages out."""

    def estimate(
        rewards: Sequence[NDArray[Any]], algorithm_config: object = None, **_: object
    ) -> tuple[Arrays, Arrays]:
        sizes = [len(group) for group in rewards]
        groups = np.repeat(np.arange(len(sizes)), sizes).tolist()
        flat = compute_advantages(options, np.concatenate(rewards).astype(np.float64), groups)
        advantages = np.split(flat, np.cumsum(sizes)[:-1])
        return advantages, advantages

    return estimate

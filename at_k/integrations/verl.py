"""Advantage estimators for verl. Its entry points load this file, so that a configuration can name them.

`algorithm.adv_estimator=at_k_pass8` is pass@8, and so on for 2, 4, … 64, and for `at_k_max8` of continuous rewards. For
any other metric, `algorithm.adv_estimator=at_k` takes its options from the configuration:
`+algorithm.at_k.metric=G-Pass@8_0.75 +algorithm.at_k.normalize=std`. The other names take `+algorithm.at_k.threshold`
and `+algorithm.at_k.baseline` in the same way. verl hands no answers to its estimators, so that it has no cons@k.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from at_k.integrations.advantages import compute_advantages

METRICS = {f"at_k_{name}{k}": f"{name}@{k}" for name in ("pass", "max") for k in (2, 4, 8, 16, 32, 64)}
"""Name of an estimator → the metric that it stands for."""


def make_estimator(metric: str | None = None) -> Callable[..., tuple[Any, Any]]:
    """Make an estimator with verl's signature, which is SkyRL's too. Without a metric, `config` names it."""

    def estimate(
        token_level_rewards: Any, response_mask: Any, index: Any, config: Any = None, **_: object
    ) -> tuple[Any, Any]:
        options = dict(getattr(config, "at_k", None) or {})
        if metric is not None:
            options["metric"] = metric
        advantages = compute_advantages(options, token_level_rewards.sum(-1), np.asarray(index).tolist())
        spread = advantages[:, None] * response_mask
        return spread, spread

    return estimate


def register(register_adv_est: Callable[[str], Callable[[Any], Any]]) -> None:
    """Enter all estimators, by verl's decorator."""
    for name, metric in {"at_k": None, **METRICS}.items():
        register_adv_est(name)(make_estimator(metric))


if "verl" in sys.modules:  # verl loads its plug-ins while it is imported itself
    register(import_module("verl.trainer.ppo.core_algos").register_adv_est)

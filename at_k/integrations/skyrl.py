"""Advantage estimators for SkyRL, whose functions have verl's signature.

Call `register(AdvantageEstimatorRegistry)` where the training is started. Then `trainer.algorithm.advantage_estimator=
at_k_pass8`, or `at_k` with the options in `trainer.algorithm.at_k`.
"""

from __future__ import annotations

from typing import Any

from at_k.integrations.verl import METRICS, make_estimator


def register(registry: Any) -> None:
    """Enter all estimators of `at_k.integrations.verl` in SkyRL's `AdvantageEstimatorRegistry`."""
    for name, metric in {"at_k": None, **METRICS}.items():
        registry.register(name, make_estimator(metric))

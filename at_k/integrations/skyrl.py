"""Advantage estimators for SkyRL, whose functions have verl's signature.

Call `register(AdvantageEstimatorRegistry)` where the training is started, then `trainer.algorithm.advantage_estimator=
at_k_pass8`. SkyRL refuses unknown fields in its configuration, so the options of other metrics are given to `register`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from at_k.integrations.advantages import check_advantage_options
from at_k.integrations.verl import METRICS, make_estimator


def register(registry: Any, options: Mapping[str, Any] | None = None) -> None:
    """Enter the estimators in SkyRL's `AdvantageEstimatorRegistry`.

    Args:
        registry: the registry.
        options: the options of `compute_advantages` for the estimator `at_k`, such as `{"metric": "G-Pass@8_0.75",
            "normalize": "std"}`; without them only the estimators of one metric are entered, such as `at_k_pass8`.
    """
    for name, metric in METRICS.items():
        registry.register(name, _bind({"metric": metric}))
    if options is not None:
        check_advantage_options(options)
        registry.register("at_k", _bind(options))


def _bind(options: Mapping[str, Any]) -> Any:
    """Make an estimator with these options, whatever SkyRL's configuration holds."""
    estimate = make_estimator()

    def compute(
        token_level_rewards: Any, response_mask: Any, index: Any, **_: object
    ) -> tuple[Any, Any]:
        return estimate(
            token_level_rewards, response_mask, index, config=SimpleNamespace(at_k=options)
        )

    return compute

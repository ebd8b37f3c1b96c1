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
from at_k.integrations.samples import measure_samples

METRICS = {f"at_k_{name}{k}": f"{name}@{k}" for name in ("pass", "max") for k in (2, 4, 8, 16, 32, 64)}
"""Name of an estimator → the metric that it stands for."""


def make_estimator(metric: str | None = None) -> Callable[..., tuple[Any, Any]]:
    """Make an estimator with verl's signature, which is SkyRL's too. Without a metric, `config` names it."""

    def estimate(
        token_level_rewards: Any, response_mask: Any, index: Any, config: Any = None, **_: object
    ) -> tuple[Any, Any]:
        options = getattr(config, "at_k", None) or {}
        if metric is not None:
            options = {**options, "metric": metric}
        advantages = compute_advantages(options, token_level_rewards.sum(-1), np.asarray(index).tolist())
        spread = advantages[:, None] * response_mask
        return spread, spread

    return estimate


def register(register_adv_est: Callable[[str], Callable[[Any], Any]]) -> None:
    """Enter all estimators, by verl's decorator."""
    for name, metric in {"at_k": None, **METRICS}.items():
        register_adv_est(name)(make_estimator(metric))


class ValidationMixin:
    """Add every @k number to the validation of verl: `class Trainer(ValidationMixin, RayPPOTrainer)`.

    verl's own best@k and maj@k are bootstrapped. The exact ones stand beside them, as `val-core/{source}/at_k/pass@8`.
    """

    def _val_metrics_update(
        self, data_sources: Any, sample_uids: Any, reward_extra_infos_dict: dict[str, list[Any]], sample_turns: Any
    ) -> dict[str, float]:
        # The method is that of the trainer that this class is mixed with, which a type checker does not see.
        found: dict[str, float] = super()._val_metrics_update(  # type: ignore[misc]
            data_sources, sample_uids, reward_extra_infos_dict, sample_turns
        )
        infos = reward_extra_infos_dict
        grades = infos["acc"] if infos.get("acc") else infos["reward"]  # as verl chooses its core variable
        answers = infos.get("pred") or [None] * len(grades)
        rows: dict[str, list[int]] = {}
        for place, source in enumerate(data_sources):
            rows.setdefault(str(source), []).append(place)
        for source, places in rows.items():
            columns = [[column[place] for place in places] for column in (sample_uids, grades, answers)]
            numbers = measure_samples(*columns)
            found |= {f"val-core/{source}/at_k/{key}": value for key, value in numbers.items()}
        return found


if "verl" in sys.modules:  # verl loads its plug-ins while it is imported itself
    register(import_module("verl.trainer.ppo.core_algos").register_adv_est)

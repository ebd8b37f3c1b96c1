"""Advantage estimators for verl. Its entry points load this file, so that a configuration can name them.

`algorithm.adv_estimator=at_k_pass8` is pass@8, and so on for 2, 4, … 64, and for `at_k_max8` of continuous rewards. For
any other metric, `algorithm.adv_estimator=at_k` takes its options from the configuration:
`+algorithm.at_k.metric=G-Pass@8_0.75 +algorithm.at_k.normalize=std`. The other names take
`+algorithm.at_k.correct_above` and `+algorithm.at_k.baseline` in the same way.
verl hands no answers to its estimators, so that it has no cons@k.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from importlib import import_module
from typing import Any

import numpy as np

from at_k.integrations.advantages import compute_advantages
from at_k.integrations.samples import measure_samples
from at_k.readers.formats.training import NO_ANSWER

# Name of an estimator → its metric.
METRICS = {
    f"at_k_{name}{k}": f"{name}@{k}" for name in ("pass", "max") for k in (2, 4, 8, 16, 32, 64)
}


def make_estimator(metric: str | None = None) -> Callable[..., tuple[Any, Any]]:
    """Make an estimator with verl's signature, which is SkyRL's too. Without a metric, `config` names it."""

    def estimate(
        token_level_rewards: Any, response_mask: Any, index: Any, config: Any = None, **_: object
    ) -> tuple[Any, Any]:
        options = getattr(config, "at_k", None) or {}
        if metric is not None:
            options = {**options, "metric": metric}
        rewards = token_level_rewards.sum(-1)
        groups = np.asarray(index).tolist()
        final, session = find_final_outputs(_KEYS.get() or list(map(str, range(len(groups)))))
        advantages = compute_advantages(
            options, rewards[final], [groups[place] for place in final]
        )[session]
        spread = advantages[:, None] * response_mask
        return spread, spread

    return estimate


def register(register_adv_est: Callable[[str], Callable[[Any], Any]]) -> None:
    """Enter all estimators, by verl's decorator."""
    for name, metric in {"at_k": None, **METRICS}.items():
        register_adv_est(name)(make_estimator(metric))


# The keys of the rows for which verl's newer trainer asks an estimator, which it hands to GRPO alone.
_KEYS: ContextVar[Sequence[str] | None] = ContextVar("keys", default=None)


def find_final_outputs(keys: Sequence[str]) -> tuple[list[int], list[int]]:
    """Find the last output of each session among rows with keys `{uid}_{session}_{index}`.

    Examples:
        >>> find_final_outputs(["a_0_0", "a_0_1", "a_1_0"])
        ([1, 2], [0, 0, 1])
    """
    final: dict[str, tuple[int, int]] = {}
    sessions = []
    for row, key in enumerate(keys):
        session, mark, index = key.rpartition("_")
        sessions.append(session if mark else key)
        output = (int(index) if mark else 0, row)
        final[sessions[-1]] = max(final.get(sessions[-1], output), output)
    places = {session: place for place, session in enumerate(final)}
    return [row for _, row in final.values()], [places[session] for session in sessions]


class SessionMixin:
    """Take the credit of a session's last output for all of its outputs, as verl's newer trainer does for GRPO alone.

    `class Trainer(SessionMixin, PPOTrainer)`. Without it each output of a session counts as one more sample.
    """

    def _compute_advantage(self, batch: Any, metrics: dict[str, Any]) -> Any:
        """Tell the estimator the keys of the rows."""
        token = _KEYS.set(list(batch.keys))
        try:
            # The method is that of the trainer that this class is mixed with, which a type checker does not see.
            return super()._compute_advantage(batch, metrics)  # type: ignore[misc]
        finally:
            _KEYS.reset(token)


class ValidationMixin:
    """Add every @k number to the validation of verl: `class Trainer(ValidationMixin, RayPPOTrainer)`.

    verl's own best@k and maj@k are bootstrapped. The exact ones are added, as `val-core/{source}/at_k/pass@8`.
    """

    def _val_metrics_update(
        self,
        data_sources: Any,
        sample_uids: Any,
        reward_extra_infos_dict: dict[str, list[Any]],
        sample_turns: Any,
        **counts: dict[tuple[str, str], int] | None,
    ) -> dict[str, float]:
        # The method is that of the trainer that this class is mixed with, which a type checker does not see.
        metrics: dict[str, float] = super()._val_metrics_update(  # type: ignore[misc]
            data_sources, sample_uids, reward_extra_infos_dict, sample_turns, **counts
        )
        infos = reward_extra_infos_dict
        unknown = [None] * len(sample_uids)
        answers = infos.get("pred") or unknown
        accuracies = infos.get("acc") or unknown
        rows: dict[str, list[int]] = {}
        for place, source in enumerate(data_sources):
            rows.setdefault(str(source), []).append(place)
        for source, places in rows.items():
            uids = [str(sample_uids[place]) for place in places]
            votes = [None if answers[place] in NO_ANSWER else answers[place] for place in places]
            grades = [accuracies[place] for place in places]
            if any(grade is not None for grade in grades):
                lost = _list_lost(source, uids, grades, counts.get("expected_acc_counts") or {})
            else:  # as verl chooses its core variable
                grades = [infos["reward"][place] for place in places]
                lost = []
            numbers = measure_samples(
                [*uids, *lost], grades + [0.0] * len(lost), votes + [None] * len(lost)
            )
            metrics |= {f"val-core/{source}/at_k/{key}": value for key, value in numbers.items()}
        return metrics


def _list_lost(
    source: str, uids: Sequence[str], grades: Sequence[Any], expected: Mapping[tuple[str, str], int]
) -> list[str]:
    """List the prompt of each rollout that failed, which verl's newer trainer counts as wrong."""
    scored = Counter(uid for uid, grade in zip(uids, grades, strict=True) if grade is not None)
    return [
        uid
        for (owner, uid), n in expected.items()
        if owner == source
        for _ in range(n - scored[uid])
    ]


if "verl" in sys.modules:  # verl loads its plug-ins while it is imported itself
    register(import_module("verl.trainer.ppo.core_algos").register_adv_est)

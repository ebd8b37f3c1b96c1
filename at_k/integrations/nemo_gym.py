"""Every @k number in NeMo Gym: `class MyServer(AtKMetrics, SimpleResourcesServer)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.integrations.samples import measure_samples


class AtKMetrics:
    """Add every @k number of the rollouts to the metrics of a resources server, as shares and not as percentages.

    Rollouts with `mask_sample` are left out, as Gym's own `select_measured` does.
    """

    def find_answer(self, rollout: Mapping[str, Any]) -> str | None:
        """Return the answer in a rollout, for votes, if the server defines this. By default there are no answers."""
        return None

    def compute_metrics(self, tasks: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
        """Return what the server computes itself, and the numbers of `tasks`, the rollouts of each task."""
        # The method is that of the server that this class is mixed with, which a type checker does not see.
        metrics: dict[str, Any] = super().compute_metrics(tasks)  # type: ignore[misc]
        problems, grades, answers = [], [], []
        for place, rollouts in enumerate(tasks):
            for rollout in rollouts:
                problems.append(place)
                grades.append(None if rollout.get("mask_sample") else rollout["reward"])
                answers.append(self.find_answer(rollout))
        return metrics | measure_samples(problems, grades, answers)

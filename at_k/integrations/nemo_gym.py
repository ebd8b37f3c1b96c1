"""Every @k number in NeMo Gym: `class MyServer(AtKMetrics, SimpleResourcesServer)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.integrations.samples import measure_samples


class AtKMetrics:
    """Add every @k number of the rollouts to the metrics of a resources server, as shares and not as percentages.

    Attributes:
        answer_key: the field of a rollout with its answer, for votes; None for no votes.
    """

    answer_key: str | None = None

    def compute_metrics(self, tasks: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
        """Return what the server computes itself, and the numbers of `tasks`, the rollouts of each task."""
        # The method is that of the server that this class is mixed with, which a type checker does not see.
        own: dict[str, Any] = super().compute_metrics(tasks)  # type: ignore[misc]
        rows = [(place, rollout) for place, rollouts in enumerate(tasks) for rollout in rollouts]
        key = self.answer_key
        return own | measure_samples(
            [place for place, _ in rows],
            [rollout["reward"] for _, rollout in rows],
            None if key is None else [rollout.get(key) for _, rollout in rows],
        )

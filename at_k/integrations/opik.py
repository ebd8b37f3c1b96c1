"""Experiment scores for Opik: `evaluate(…, trial_count=8, experiment_scoring_functions=[score_experiment])`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opik.evaluation.metrics.score_result import ScoreResult

from at_k.integrations.samples import measure_samples


def score_experiment(results: Sequence[Any]) -> list[ScoreResult]:
    """Compute every @k number of each metric over the trials of each item. A score that failed is left out."""
    by_metric: dict[str, list[tuple[str, float]]] = {}
    for result in results:
        for score in result.score_results:
            if not score.scoring_failed:
                by_metric.setdefault(score.name, []).append(
                    (result.test_case.dataset_item_id, score.value)
                )
    return [
        ScoreResult(name=f"{metric} {key}", value=value)
        for metric, samples in by_metric.items()
        for key, value in measure_samples(*zip(*samples, strict=True)).items()
    ]

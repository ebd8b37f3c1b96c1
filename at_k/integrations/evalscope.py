"""An aggregation for evalscope: import this file, then name it in `dataset_args[…]["aggregation"]`."""

from __future__ import annotations

from typing import Any

from evalscope.api.metric import Aggregator, AggScore, SampleScore
from evalscope.api.registry import register_aggregation

from at_k.integrations.samples import measure_samples


@register_aggregation("at_k")
class AtK(Aggregator):
    """Aggregate each metric of the samples to every @k number."""

    name = "at_k"

    def __call__(self, scores: list[SampleScore]) -> list[AggScore]:
        """Return a score for each metric and number. Samples without a value of the metric are left out."""
        groups = [each.sample_id if each.group_id is None else each.group_id for each in scores]
        answers = [each.score.extracted_prediction or None for each in scores]
        found = []
        for metric in dict.fromkeys(name for each in scores for name in each.score.value):
            values: list[Any] = [each.score.value.get(metric) for each in scores]
            about = {"metric_name": metric, "num": sum(value is not None for value in values)}
            numbers = measure_samples(groups, values, answers)
            found += [AggScore(score=value, aggregation=key, **about) for key, value in numbers.items()]
        return found

"""An aggregation for evalscope: import this file, then name it in `dataset_args[…]["aggregation"]`."""

from __future__ import annotations

from typing import Any

from evalscope.api.metric import Aggregator, AggScore, SampleScore
from evalscope.api.registry import get_aggregation, register_aggregation

from at_k.integrations.samples import score_samples
from at_k.values import spell


@register_aggregation("at_k")
class AtK(Aggregator):
    """Aggregate each metric of the samples to every @k number."""

    name = "at_k"

    def __call__(self, scores: list[SampleScore]) -> list[AggScore]:
        """Return the mean of each metric, which evalscope's own reports conclude with, and a score for each number."""
        # A score has the ends of its interval in its metadata. Samples without a value of the metric are left out.
        groups = [
            sample.sample_id if sample.group_id is None else sample.group_id for sample in scores
        ]
        answers = [sample.score.extracted_prediction or None for sample in scores]
        results: list[Any] = get_aggregation("mean")()(scores)
        for metric in dict.fromkeys(name for sample in scores for name in sample.score.value):
            values: list[Any] = [sample.score.value.get(metric) for sample in scores]
            about = {"metric_name": metric, "num": sum(value is not None for value in values)}
            report = score_samples(groups, values, answers)
            if report is None:
                continue
            for key, value in report.values.items():
                bar = report.intervals[key]
                limits = {"stderr": bar.stderr, "ci_low": bar.low, "ci_high": bar.high}
                results.append(
                    AggScore(score=value, aggregation=spell(key, "plain"), metadata=limits, **about)
                )
        return results

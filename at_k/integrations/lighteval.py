"""A metric for lighteval, for the `metrics` of a task: `metrics=[at_k(n=8, k=[1, 8])]`. It asks for n samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import ExactMatches, SampleLevelComputation, SamplingMetric
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from at_k.integrations.samples import check_options, measure_samples
from at_k.validation import check_k


def at_k(
    n: int,
    k: int | Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    correct_above: float | str = 0.5,
    normalize: Callable[[str], str] | None = None,
    sample_scoring_function: Callable[..., float] | SampleLevelComputation | None = None,
) -> CorpusLevelMetric:
    """Make a metric of all samples of all documents: every @k number, with its standard error and interval.

    Args:
        n: the number of samples that the task asks the model for.
        k: the number of draws, or several; by default 1, 2, 4, 8, … up to n.
        metrics: the modules to compute, such as `["pass_at_k", "cons_at_k"]`; by default all.
        correct_above: a sample is correct if its score is above this number.
        normalize: what makes an answer out of a text or a gold, before both are compared and before answers vote.
        sample_scoring_function: as of lighteval's own pass@k, what scores a document and a response with one text; by
            default, whether the answer is one of the golds. With a function of one's own and without `normalize`, texts
            are no answers, and cons@k is what the scores alone tell.
    """
    check_k(n, "n")
    check_options(k=k, metrics=metrics, correct_above=correct_above)
    return CorpusLevelMetric(
        metric_name="at_k",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Samples(n, normalize, sample_scoring_function),
        corpus_level_fn=_Numbers(k=k, metrics=metrics, correct_above=correct_above),
    )


class _Samples(SamplingMetric, SampleLevelComputation):
    """Score each sample of a document."""

    def __init__(
        self,
        n: int,
        normalize: Callable[[str], str] | None,
        scoring: Callable[..., float] | SampleLevelComputation | None,
    ) -> None:
        super().__init__(normalize=normalize, sample_scoring_function=scoring or ExactMatches())
        self.n = n
        self.has_answers = scoring is None or normalize is not None

    def compute(self, doc: Doc, model_response: ModelResponse, **_: object) -> dict[str, Any]:
        """Return the grades of the samples, and their answers. An empty answer casts no vote."""
        choices = [self.preprocess(choice) for choice in doc.choices]
        answers = [self.preprocess(text) for text in model_response.final_text[: self.n]]
        read = replace(doc, choices=choices)
        grades = []
        for answer in answers:
            response = ModelResponse(text=[answer])
            grades.append(float(self.compute_score(doc=read, model_response=response)))
        if not self.has_answers:
            return {"grades": grades, "answers": None}
        return {"grades": grades, "answers": [answer or None for answer in answers]}

    def num_samples(self) -> int:
        """Return how many samples lighteval shall ask for."""
        return self.n


class _Numbers(CorpusLevelComputation):
    """Compute the numbers of all documents."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def compute_corpus(self, items: Sequence[dict[str, Any]]) -> dict[str, float]:
        """Return key → value. lighteval takes standard errors from keys that end with `_stderr`."""
        problems: list[int] = []
        grades: list[float] = []
        answers: list[str | None] = []
        for place, item in enumerate(items):
            n = len(item["grades"])
            problems += [place] * n
            grades += item["grades"]
            answers += item["answers"] or [None] * n
        return measure_samples(problems, grades, answers, **self.options)

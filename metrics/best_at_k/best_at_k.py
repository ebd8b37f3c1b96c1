"""best@k: how often the sample with the highest score among k is correct."""

import evaluate

from at_k.columns import read_scores
from at_k.family import compute_best
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
best@k, also rm@k or best of n, is the chance that the sample with the highest score among k is correct: what a model
reaches when a reward model, a log-probability or another score chooses for it.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each problem the list of its samples: answers, or, in the configuration "graded", grades in [0, 1].
    references: for each problem the right answer, or a list of acceptable ones. Not in the configuration "graded".
    scores: for each problem one finite number per sample, or a list of d numbers per sample; higher is better.
    k: number of draws, or a list of them. Default: those of 1, 10, 100 that no problem has too few samples for.
    threshold: a sample is correct when its grade is above it. Default: 0.5.
    select: how scores of d > 1 numbers are compared: "weighted" (the sum weighted by `score_weights`),
        "lexicographic" (the numbers in order of priority), or "pareto" (one of the samples that no other drawn one beats,
        each equally likely).
    score_weights: d numbers, for "weighted".
    higher_is_better: False for scores such as perplexity. Default: True.
    check_correct_fn: a function (prediction, reference) → bool or grade in [0, 1], or the name of a checker. Default:
        "exact_match", equal after stripping white space, the one that has a name.
    missing: what a missing sample, None or NaN, is: "error" (default), "incorrect", or "drop".
    groups: one label per problem; adds `{group}/{key}` for every group.
    return_details: adds `details`: counts, the values of every problem, and a signature. Default: False.
    key_style: "standard" or "plain", which spells keys in letters, digits, "_" and "."; groups stay as they are.
Returns:
    best@{k}: for every k, the chance that the chosen sample is correct, averaged over the problems, in [0, 1].
    max@{k}: for every k, the expected highest score (lowest, if `higher_is_better` is False), in the unit of the scores;
        not for "lexicographic" and "pareto", which leave no single number.
    best@{k}_mcse: the standard error of the simulation, where "pareto" asks for one.
Examples:
    >>> best_at_k = evaluate.load("metrics/best_at_k")
    >>> results = best_at_k.compute(
    ...     predictions=[["a", "b", "a"]], references=["a"], scores=[[0.75, 0.5, 0.25]], k=[1, 3]
    ... )
    >>> results  # the highest score of all three is on a right answer
    {'best@1': 0.6666666666666666, 'best@3': 1.0, 'max@1': 0.5, 'max@3': 0.75}
"""

_CITATION = """\
@misc{cobbe2021trainingverifierssolvemath,
      title={Training Verifiers to Solve Math Word Problems},
      author={Karl Cobbe and Vineet Kosaraju and Mohammad Bavarian and Mark Chen and Heewoo Jun and Lukasz Kaiser and Matthias Plappert and Jerry Tworek and Jacob Hilton and Reiichiro Nakano and Christopher Hesse and John Schulman},
      year={2021},
      eprint={2110.14168},
      archivePrefix={arXiv},
      primaryClass={cs.LG},
      url={https://arxiv.org/abs/2110.14168},
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class BestAtK(SampledMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name, scores=True),
            reference_urls=["https://arxiv.org/abs/2110.14168"],
        )

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        scores=None,
        *,
        k=None,
        select=None,
        score_weights=None,
        higher_is_better=True,
        threshold=0.5,
        check_correct_fn="exact_match",
        missing="error",
        groups=None,
        return_details=False,
        key_style="standard",
    ):
        verdicts = self.judge(
            predictions,
            references,
            grades,
            check_correct_fn=check_correct_fn,
            threshold=threshold,
            missing=missing,
        )
        values = compute_best(
            verdicts,
            scores=read_scores(scores),
            k=k,
            select=select,
            score_weights=score_weights,
            higher_is_better=higher_is_better,
            seed=self.simulation_seed,
        )
        return self.report(values, verdicts, groups=groups, return_details=return_details, key_style=key_style)

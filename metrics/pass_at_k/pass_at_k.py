"""pass@k: how often at least one of k samples is correct."""

import evaluate

from at_k.family import compute_pass
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
pass@k is the chance that at least one of k samples is correct: what a model can reach when someone, or a test, picks the
right one of its answers.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each problem the list of its samples: answers, or, in the configuration "graded", grades in [0, 1].
    references: for each problem the right answer, or a list of acceptable ones. Not in the configuration "graded".
    k: number of draws, or a list of them. Default: those of 1, 10, 100 that no problem has too few samples for.
    threshold: a sample is correct when its grade is above it. Default: 0.5.
    check_correct_fn: a function (prediction, reference) → bool or grade in [0, 1], or the name of a checker. Default:
        "exact_match", equal after stripping white space, the one that has a name.
    missing: what a missing sample, None or NaN, is: "error" (default), "incorrect", or "drop".
    groups: one label per problem; adds `{group}/{key}` for every group.
    return_details: adds `details`: counts, the values of every problem, and a signature. Default: False.
    key_style: "standard" or "plain", which spells keys in letters, digits, "_" and "."; groups stay as they are.
Returns:
    pass@{k}: for every k, 1 − C(n−c, k)/C(n, k), averaged over the problems, in [0, 1].
Examples:
    >>> pass_at_k = evaluate.load("metrics/pass_at_k")
    >>> results = pass_at_k.compute(predictions=[["a", "b", "c", "d"]], references=["a"], k=[1, 2, 4])
    >>> results  # one of four is right: of the six pairs three hold it
    {'pass@1': 0.25, 'pass@2': 0.5, 'pass@4': 1.0}
"""

_CITATION = """\
@misc{chen2021evaluatinglargelanguagemodels,
      title={Evaluating Large Language Models Trained on Code},
      author={Mark Chen and Jerry Tworek and Heewoo Jun and Qiming Yuan and Henrique Ponde de Oliveira Pinto and others},
      year={2021},
      eprint={2107.03374},
      archivePrefix={arXiv},
      primaryClass={cs.LG},
      url={https://arxiv.org/abs/2107.03374},
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class PassAtK(SampledMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name),
            reference_urls=["https://arxiv.org/abs/2107.03374"],
        )

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        *,
        k=None,
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
        values = compute_pass(verdicts, k=k)
        return self.report(values, verdicts, groups=groups, return_details=return_details, key_style=key_style)

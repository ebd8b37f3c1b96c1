"""avg@n: how many of its n samples a model gets right on average."""

import evaluate

from at_k.family import compute_average
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
avg@n is the share of correct samples, the accuracy of one answer, with the noise of n answers averaged away. Beside it
stands the mean grade, `accuracy`, which differs where grades lie between 0 and 1.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each problem the list of its samples: answers, or, in the configuration "graded", grades in [0, 1].
    references: for each problem the right answer, or a list of acceptable ones. Not in the configuration "graded".
    threshold: a sample is correct when its grade is above it. Default: 0.5.
    check_correct_fn: a function (prediction, reference) → bool or grade in [0, 1], or the name of a checker. Default:
        "exact_match", equal after stripping white space, the one that has a name.
    missing: what a missing sample, None or NaN, is: "error" (default), "incorrect", or "drop".
    groups: one label per problem; adds `{group}/{key}` for every group.
    return_details: adds `details`: counts, the values of every problem, and a signature. Default: False.
    key_style: "standard" or "plain", which spells keys in letters, digits, "_" and "."; groups stay as they are.
Returns:
    avg@{n}: the share of correct samples, averaged over the problems, in [0, 1]. The letter n stands in the key where
        the problems have different numbers of samples.
    accuracy: the mean grade of a problem's samples, averaged over the problems, in [0, 1].
Examples:
    >>> avg_at_n = evaluate.load("metrics/avg_at_n")
    >>> results = avg_at_n.compute(predictions=[["a", "b", "a", "a"], ["c", "d", "d", "d"]], references=["a", "c"])
    >>> results  # (3/4 + 1/4)/2
    {'avg@4': 0.5, 'accuracy': 0.5}
"""

_CITATION = """\
@misc{deepseekai2025deepseekr1,
      title={DeepSeek-R1: Incentivizing Reasoning Capability in LLMs via Reinforcement Learning},
      author={{DeepSeek-AI}},
      year={2025},
      eprint={2501.12948},
      archivePrefix={arXiv},
      primaryClass={cs.CL},
      url={https://arxiv.org/abs/2501.12948},
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class AvgAtN(SampledMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name),
            reference_urls=["https://arxiv.org/abs/2501.12948"],
        )

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        *,
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
        values = compute_average(verdicts)
        return self.report(values, verdicts, groups=groups, return_details=return_details, key_style=key_style)

"""G-Pass@k: how often at least a share τ of k samples is correct."""

import evaluate

from at_k.family import compute_g_pass
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
G-Pass@k is a generalization of pass@k: the chance that at least a share τ of k samples is correct. Small τ asks what a
model can reach, τ = 1 what it does every time. mG-Pass@k is its mean over the thresholds from ½ to 1.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each problem the list of its samples: answers, or, in the configuration "graded", grades in [0, 1].
    references: for each problem the right answer, or a list of acceptable ones. Not in the configuration "graded".
    k: number of draws, or a list of them. Default: those of 4, 8, 16 that no problem has too few samples for.
    thresholds: the shares τ of the draws that must be correct. Default: 0.25, 0.5, 0.75, 1.0.
    threshold: a sample is correct when its grade is above it. Default: 0.5.
    check_correct_fn: a function (prediction, reference) → bool or grade in [0, 1], or the name of a checker. Default:
        "exact_match", equal after stripping white space, the one that has a name.
    missing: what a missing sample, None or NaN, is: "error" (default), "incorrect", or "drop".
    groups: one label per problem; adds `{group}/{key}` for every group.
    return_details: adds `details`: counts, the values of every problem, and a signature. Default: False.
    key_style: "standard" or "plain", which spells keys in letters, digits, "_" and "."; groups stay as they are.
Returns:
    G-Pass@{k}_{τ}: for every k and τ, the chance that at least max(1, ⌈τk⌉) of k samples are correct, in [0, 1].
    mG-Pass@{k}: for every k, (2/k) Σ P(at least i of k are correct), i from ⌈k/2⌉ + 1 to k, in [0, 1].
Examples:
    >>> gpassk = evaluate.load("metrics/gpassk")
    >>> results = gpassk.compute(predictions=[["a", "a", "b", "a"]], references=["a"], k=2, thresholds=[0.5, 1.0])
    >>> results  # 3 of 4 are right: every pair holds one, and 3 of the 6 pairs hold two
    {'G-Pass@2_0.5': 1.0, 'G-Pass@2_1.0': 0.5, 'mG-Pass@2': 0.5}
"""

_CITATION = """\
@misc{liu2024llmscapablestablereasoning,
      title={Are Your LLMs Capable of Stable Reasoning?},
      author={Junnan Liu and Hongwei Liu and Linchen Xiao and Ziyi Wang and Kuikun Liu and Songyang Gao and Wenwei Zhang and Songyang Zhang and Kai Chen},
      year={2024},
      eprint={2412.13147},
      archivePrefix={arXiv},
      primaryClass={cs.AI},
      url={https://arxiv.org/abs/2412.13147},
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Gpassk(SampledMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name),
            reference_urls=["https://arxiv.org/abs/2412.13147", "https://github.com/open-compass/GPassK"],
        )

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        *,
        k=None,
        thresholds=(0.25, 0.5, 0.75, 1.0),
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
        values = compute_g_pass(verdicts, k=k, thresholds=thresholds)
        return self.report(values, verdicts, groups=groups, return_details=return_details, key_style=key_style)

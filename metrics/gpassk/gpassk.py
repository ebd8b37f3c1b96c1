"""G-Pass@k: how often at least a share τ of k samples is correct.

For n samples, c of them correct, and m = max(1, ⌈τk⌉):

    G-Pass@k_τ = Σ_{j=m}^{min(c, k)} C(c, j) C(n − c, k − j) / C(n, k)    `at_k.g_pass_at_k`
    mG-Pass@k = (2/k) Σ_{m=⌈k/2⌉+1}^{k} of the same sum                   `at_k.mg_pass_at_k`
"""

import evaluate

from at_k.module import describe_inputs
from at_k.computation import compute_g_pass
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
G-Pass@k is the chance that at least a share τ of k samples is correct. Small τ measures what a model can reach, τ = 1
what it does every time. For even k, mG-Pass@k is the mean of G-Pass@k over the thresholds above ½.
"""

_EXAMPLES = """\
    >>> gpassk = evaluate.load("metrics/gpassk")
    >>> results = gpassk.compute(predictions=[["a", "a", "b", "a"]], references=["a"], k=2, thresholds=[0.5, 1.0])
    >>> results  # 3 of 4 samples are correct: at least one in every pair, both in 3 of 6 pairs
    {'G-Pass@2_0.5': 1.0, 'G-Pass@2_1.0': 0.5, 'mG-Pass@2': 0.5}
"""

_KWARGS_DESCRIPTION = describe_inputs("gpassk", _EXAMPLES)

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
            reference_urls=[
                "https://arxiv.org/abs/2412.13147",
                "https://github.com/open-compass/GPassK",
            ],
        )

    def _compute(self, problems, *, k, thresholds, **shared):
        verdicts = self.judge(problems, shared)
        return self.report(compute_g_pass(verdicts, k=k, thresholds=thresholds), verdicts, shared)

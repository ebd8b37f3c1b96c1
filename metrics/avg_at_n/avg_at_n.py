"""avg@n: how often one sample is correct.

For n samples with the grades g_i, c of them above `correct_above`:

    avg@n = c / n              `at_k.avg_at_n`
    accuracy = Σ_i g_i / n
"""

import evaluate

from at_k.module import describe_inputs
from at_k.computation import compute_average
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
avg@n is the share of correct samples. It estimates the accuracy of one answer, with less noise than a single answer per
problem. `accuracy` is the mean grade; the two can differ if grades lie between 0 and 1.
"""

_EXAMPLES = """\
    >>> avg_at_n = evaluate.load("metrics/avg_at_n")
    >>> results = avg_at_n.compute(predictions=[["a", "b", "a", "a"], ["c", "d", "d", "d"]], references=["a", "c"])
    >>> results  # (3/4 + 1/4)/2
    {'avg@4': 0.5, 'accuracy': 0.5}
"""

_KWARGS_DESCRIPTION = describe_inputs("avg_at_n", _EXAMPLES)

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

    def _compute(self, problems, **shared):
        verdicts = self.judge(problems, shared)
        return self.report(compute_average(verdicts), verdicts, shared)

"""pass@k: how often at least one of k samples is correct.

For n samples, c of them correct:

    pass@k = 1 − C(n − c, k) / C(n, k)    `at_k.pass_at_k`
"""

import evaluate

from at_k.module import describe_inputs
from at_k.computation import compute_pass
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
pass@k is the chance that at least one of k samples is correct: what a model can reach if a test or a person picks the
correct sample.
"""

_EXAMPLES = """\
    >>> pass_at_k = evaluate.load("metrics/pass_at_k")
    >>> results = pass_at_k.compute(predictions=[["a", "b", "c", "d"]], references=["a"], k=[1, 2, 4])
    >>> results  # 1 of 4 samples is correct; 3 of the 6 pairs contain it
    {'pass@1': 0.25, 'pass@2': 0.5, 'pass@4': 1.0}
"""

_KWARGS_DESCRIPTION = describe_inputs("pass_at_k", _EXAMPLES)

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
    runs_tests = True  # `code_eval` takes the same arguments: its references are test programs

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name),
            reference_urls=["https://arxiv.org/abs/2107.03374"],
        )

    def _compute(self, problems, *, k, **shared):
        verdicts = self.judge(problems, shared)
        return self.report(compute_pass(verdicts, k=k), verdicts, shared)

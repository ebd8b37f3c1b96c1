"""best@k: how often the one of k samples with the highest score is correct.

For n samples by rising score s_i, with r_i = 1 for a correct one (those of equal scores share their mean):

    best@k = Σ_{i=k}^{n} C(i − 1, k − 1) r_i / C(n, k)    `at_k.best_at_k`
    max@k = Σ_{i=k}^{n} C(i − 1, k − 1) s_i / C(n, k)     `at_k.max_at_k`
"""

import evaluate

from at_k.module import describe_inputs
from at_k.computation import compute_best
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
best@k, also called rm@k or best of n, is the chance that the one of k samples with the highest score is correct: what a
model reaches if a reward model, a log-probability or another score chooses among its samples.
"""

_EXAMPLES = """\
    >>> best_at_k = evaluate.load("metrics/best_at_k")
    >>> results = best_at_k.compute(
    ...     predictions=[["a", "b", "a"]], references=["a"], scores=[[0.75, 0.5, 0.25]], k=[1, 3]
    ... )
    >>> results  # the highest of all three scores belongs to a correct answer
    {'best@1': 0.6666666666666666, 'best@3': 1.0, 'max@1': 0.5, 'max@3': 0.75}
"""

_KWARGS_DESCRIPTION = describe_inputs("best_at_k", _EXAMPLES)

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

    def _compute(self, problems, *, k, select, score_weights, higher_is_better, **shared):
        verdicts = self.judge(problems, shared)
        chosen = {
            "select": select,
            "score_weights": score_weights,
            "higher_is_better": higher_is_better,
        }
        own = {"scores": problems.scores, "k": k, **chosen, "seed": self.simulation_seed}
        return self.report(compute_best(verdicts, **own), verdicts, shared)

"""cons@k: how often the most frequent of k answers is correct.

Over all subsets S of k of the n samples, with the winners W(S) of the vote and the correct answers R:

    cons@k = Σ_S |W(S) ∩ R| / |W(S)| / C(n, k)                    `at_k.cons_at_k`
    cons@k of grades = Σ_{j>k/2} C(c, j) C(n − c, k − j) / C(n, k)    `at_k.majority_at_k`
"""

import evaluate

from at_k.module import describe_inputs
from at_k.computation import compute_consensus
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
cons@k, also called maj@k or self-consistency, is the chance that the most frequent of k answers is correct: what a model
reaches if its answers are put to a vote.
"""

_EXAMPLES = """\
    >>> cons_at_k = evaluate.load("metrics/cons_at_k")
    >>> results = cons_at_k.compute(predictions=[["7", "9", "9", "7"]], references=["7"], k=[1, 3, 4])
    >>> results  # two of the four triples elect 7; among all four samples, 7 and 9 tie
    {'cons@1': 0.5, 'cons@3': 0.5, 'cons@4': 0.5}
"""

_KWARGS_DESCRIPTION = describe_inputs("cons_at_k", _EXAMPLES)

_CITATION = """\
@misc{wang2022selfconsistency,
      title={Self-Consistency Improves Chain of Thought Reasoning in Language Models},
      author={Xuezhi Wang and Jason Wei and Dale Schuurmans and Quoc Le and Ed Chi and Sharan Narang and Aakanksha Chowdhery and Denny Zhou},
      year={2022},
      eprint={2203.11171},
      archivePrefix={arXiv},
      primaryClass={cs.CL},
      url={https://arxiv.org/abs/2203.11171},
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class ConsAtK(SampledMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name),
            reference_urls=["https://arxiv.org/abs/2203.11171"],
        )

    def _compute(self, problems, *, k, ties, weights, on_conflict, **shared):
        verdicts = self.judge(problems, shared)
        own = {
            "k": k,
            "ties": ties,
            "weights": weights,
            "on_conflict": on_conflict,
            "seed": self.simulation_seed,
        }
        return self.report(compute_consensus(verdicts, **own), verdicts, shared)

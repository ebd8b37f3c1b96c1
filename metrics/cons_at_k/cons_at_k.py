"""cons@k: how often the majority vote among k samples is correct."""

import evaluate

from at_k.family import compute_consensus
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
cons@k, also maj@k or self-consistency, is the chance that the answer most frequent among k samples is correct: what a
model reaches without anyone who knows the right answer.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: for each problem the list of its samples: answers, or, in the configuration "graded", grades in [0, 1].
    references: for each problem the right answer, or a list of acceptable ones. Not in the configuration "graded".
    k: number of draws, or a list of them. Default: those of 1, 10, 100 that no problem has too few samples for.
    threshold: a sample is correct when its grade is above it. Default: 0.5.
    ties: "random" (default), each tied winner is equally likely, in expectation; "first", the one drawn first; "strict",
        the winner needs more than half of the k votes; "incorrect", a tie for the first place is wrong. In the
        configuration "graded" more than half of the k samples must be correct: without the answers, no more is known.
    weights: one number ≥ 0 per sample; the answer with the largest sum wins. Not in the configuration "graded".
    check_correct_fn: a function (prediction, reference) → bool or grade in [0, 1], or the name of a checker. Default:
        "exact_match", equal after stripping white space, the one that has a name.
    missing: what a missing sample, None or NaN, is: "error" (default), "incorrect", or "drop".
    groups: one label per problem; adds `{group}/{key}` for every group.
    return_details: adds `details`: counts, the values of every problem, and a signature. Default: False.
    key_style: "standard" or "plain", which spells keys in letters, digits, "_" and "."; groups stay as they are.
Returns:
    cons@{k}: for every k, the chance that the winner of the vote is correct, averaged over the problems, in [0, 1].
    cons@{k}_mcse: the standard error of the simulation, where `weights` ask for one.
Examples:
    >>> cons_at_k = evaluate.load("metrics/cons_at_k")
    >>> results = cons_at_k.compute(predictions=[["7", "9", "9", "7"]], references=["7"], k=[1, 3, 4])
    >>> results  # of the four triples two elect 7; all four samples tie
    {'cons@1': 0.5, 'cons@3': 0.5, 'cons@4': 0.5}
"""

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

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        *,
        k=None,
        ties="random",
        weights=None,
        on_conflict="error",
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
        values = compute_consensus(
            verdicts, k=k, ties=ties, weights=weights, on_conflict=on_conflict, seed=self.simulation_seed
        )
        return self.report(values, verdicts, groups=groups, return_details=return_details, key_style=key_style)

"""cons@k: how often the most frequent of k answers is correct."""

import evaluate

from at_k.family import compute_consensus
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
cons@k, also called maj@k or self-consistency, is the chance that the most frequent of k answers is correct: what a model
reaches if its answers are put to a vote.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list[list[str]]`; graded: `list[list[float]]`): the samples of each problem: a list of answers, or, in
        the configuration `graded`, a list of grades in [0, 1]. The number of samples n may differ from problem to
        problem.
    references (`list[str]` or `list[list[str]]`): the correct answer of each problem, or a list of acceptable ones. Not
        in the configuration `graded`. Optional beside `grades`.
    grades (`list[list[float]]`): a grade in [0, 1] for each sample, if the answers have been judged already. The grades
        then say which samples are correct, and `references` and `check_correct_fn` have no effect. A sample without a
        grade is missing. A sample with a grade and without an answer counts, but casts no vote. Not in the
        configuration `graded`. Optional.
    k (`int` or `list[int]`): the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: 1, 2, 4, 8,
        … up to the smallest n, and the smallest n itself.
    ties (`str`): what happens if several answers have the most votes. `"random"`: each of them wins with the same
        chance, and the result is the expected value. `"first"`: the one that was drawn first wins; for k < n this gives
        the same number as `"random"`, and for k = n the given order decides. `"strict"`: the winner needs more than k/2
        votes, else the draw counts as wrong. `"incorrect"`: a tie counts as wrong. If only grades are known, this
        option has no effect: more than half of the k samples must be correct. Default: `"random"`.
    weights (`list[list[float]]`): a number ≥ 0 for each sample. The answer with the largest sum of weights wins; with
        `ties="strict"` it needs more than half of the weight that was drawn. Not in the configuration `graded`.
        Optional.
    on_conflict (`str`): what happens if equal answers of a problem have grades on both sides of `threshold`. `"error"`:
        an error names two such samples. `"majority"`: the answer is correct if more than half of its samples are.
        Default: `"error"`.
    threshold (`float`): a sample is correct if its grade is above this number. Default: `0.5`.
    check_correct_fn (`Callable[[str, str], bool | float]` or `str`): a function that takes a prediction and a reference
        and returns a bool or a grade in [0, 1], or the name of a checker. The function is called once for each distinct
        answer of a problem and each of its references. `"exact_match"`: the texts are equal after white space is
        stripped from their ends. Default: `"exact_match"`.
    missing (`str`): what happens to a missing sample (`None` or NaN). `"error"`: an error names it. `"incorrect"`: it
        counts as wrong. `"drop"`: it is removed, n becomes smaller, and a warning says so. Default: `"error"`.
    groups (`list[str]` or `list[int]`): one label for each problem. The result then also has the values of each group,
        under `{group}/{key}`. Optional.
    return_details (`bool`): whether the result has the entry `details`. Default: `False`.
    key_style (`str`): the spelling of the keys. `"standard"`: as in papers. `"plain"`: for trackers that do not accept
        `@`, as in `cons_at_8`. Default: `"standard"`.
Returns:
    cons@{k}: for every k, the chance that the winner of the vote is correct, averaged over the problems.
    cons@{k}_mcse: the standard error of the simulation (Monte Carlo standard error), if `weights` led to one. It
        measures how precise the computation is, not how certain the number is as a statement about the model.
    {group}/{key}: with `groups`, the value of each key for each group. The label is spelled as given.
    details: with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `per_problem` (a list with one
        entry per problem, in input order, for n, c and every key) and `signature` (one line that states the conditions
        under which two numbers may be compared).
Examples:
    >>> cons_at_k = evaluate.load("metrics/cons_at_k")
    >>> results = cons_at_k.compute(predictions=[["7", "9", "9", "7"]], references=["7"], k=[1, 3, 4])
    >>> results  # two of the four triples elect 7; among all four samples, 7 and 9 tie
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

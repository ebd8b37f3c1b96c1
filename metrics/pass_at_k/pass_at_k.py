"""pass@k: how often at least one of k samples is correct."""

import evaluate

from at_k.family import compute_pass
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
pass@k is the chance that at least one of k samples is correct: what a model can reach if a test or a person picks the
correct sample.
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
        `@`, as in `pass_at_8`. Default: `"standard"`.
Returns:
    pass@{k}: for every k, the chance that at least one of k samples is correct, 1 − C(n−c, k)/C(n, k), averaged over
        the problems.
    {group}/{key}: with `groups`, the value of each key for each group. The label is spelled as given.
    details: with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `per_problem` (a list with one
        entry per problem, in input order, for n, c and every key) and `signature` (one line that states the conditions
        under which two numbers may be compared).
Examples:
    >>> pass_at_k = evaluate.load("metrics/pass_at_k")
    >>> results = pass_at_k.compute(predictions=[["a", "b", "c", "d"]], references=["a"], k=[1, 2, 4])
    >>> results  # 1 of 4 samples is correct; 3 of the 6 pairs contain it
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

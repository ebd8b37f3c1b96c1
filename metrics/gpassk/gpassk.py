"""G-Pass@k: how often at least a share τ of k samples is correct."""

import evaluate

from at_k.family import compute_g_pass
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
G-Pass@k is the chance that at least a share τ of k samples is correct. Small τ measures what a model can reach, τ = 1
what it does every time. mG-Pass@k is the mean of G-Pass@k over the thresholds above ½.
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
    k (`int` or `list[int]`): the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: those of 4,
        8, 16 that do not exceed the smallest n, or, if none fits, the smallest n.
    thresholds (`float`, `Fraction` or a list of them): the share τ of the draws that must be correct, in [0, 1], or a
        list of such shares. A float stands for the decimal that it prints as; a `fractions.Fraction` is exact. Not to
        be confused with `threshold`. Default: `[0.25, 0.5, 0.75, 1.0]`.
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
        `@`, as in `g_pass_at_8_0.5`, `mg_pass_at_8`. Default: `"standard"`.
Returns:
    G-Pass@{k}_{τ}: for every k and τ, the chance that at least max(1, ⌈τk⌉) of k samples are correct, averaged over the
        problems. τ is written as Python prints it: `G-Pass@8_0.25`, `G-Pass@8_1.0`, and `G-Pass@8_2/3` for `Fraction(2,
        3)`.
    mG-Pass@{k}: for every k, (2/k) Σ P(at least i of k are correct) for i from ⌈k/2⌉ + 1 to k, averaged over the
        problems: the mean over the thresholds above one half.
    {group}/{key}: with `groups`, the value of each key for each group. The label is spelled as given.
    details: with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `per_problem` (a list with one
        entry per problem, in input order, for n, c and every key) and `signature` (one line that states the conditions
        under which two numbers may be compared).
Examples:
    >>> gpassk = evaluate.load("metrics/gpassk")
    >>> results = gpassk.compute(predictions=[["a", "a", "b", "a"]], references=["a"], k=2, thresholds=[0.5, 1.0])
    >>> results  # 3 of 4 samples are correct: at least one in every pair, both in 3 of 6 pairs
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

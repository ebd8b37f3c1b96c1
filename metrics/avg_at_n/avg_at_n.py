"""avg@n: how often one sample is correct."""

import evaluate

from at_k.family import compute_average
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
avg@n is the share of correct samples. It estimates the accuracy of one answer, with less noise than a single answer per
problem. `accuracy` is the mean grade; the two can differ if grades lie between 0 and 1.
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
        `@`, as in `avg_at_8`. Default: `"standard"`.
Returns:
    avg@{n}: the share of correct samples, averaged over the problems. The key is `avg@n`, with the letter, if the
        problems have different numbers of samples.
    accuracy: the mean grade of a problem's samples, averaged over the problems.
    {group}/{key}: with `groups`, the value of each key for each group. The label is spelled as given.
    details: with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `per_problem` (a list with one
        entry per problem, in input order, for n, c and every key) and `signature` (one line that states the conditions
        under which two numbers may be compared).
Examples:
    >>> avg_at_n = evaluate.load("metrics/avg_at_n")
    >>> results = avg_at_n.compute(predictions=[["a", "b", "a", "a"], ["c", "d", "d", "d"]], references=["a", "c"])
    >>> results  # (3/4 + 1/4)/2
    {'avg@4': 0.5, 'accuracy': 0.5}
"""

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

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        *,
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
        values = compute_average(verdicts)
        return self.report(values, verdicts, groups=groups, return_details=return_details, key_style=key_style)

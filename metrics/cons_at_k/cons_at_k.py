"""cons@k: how often the most frequent of k answers is correct."""

import evaluate

from at_k.computation import compute_consensus
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
    extract_fn (`str` or `Callable[[str], str | None]`): the rule that finds the answer in each prediction, before
        anything is compared. A sample in which it finds none is wrong, and casts no vote. `"boxed"`: the content of the
        last LaTeX box. `"last_number"`: the last number. `"choice"`: the option letter that the text settles on.
        `"final_answer"`: what follows the last `####`, "The answer is", "Answer:" or 答案是. `"code"`: the program in a
        fence of Markdown, or the whole text. `"text"`: the whole text, stripped. Any other string is a regular
        expression, and must have one group, or a group called `answer`; its last match counts. A function returns the
        answer, or `None`. By default, the prediction itself is the answer.
    extract_reference (`str` or `Callable[[str], str | None]`): the rule that finds the answer in each reference, as
        `extract_fn` does in predictions; a reference without an answer is an error. By default, `extract_fn` is applied
        to references too, and a reference in which it finds nothing is used as it is.
    equivalence (`str` or `Callable[[str, str], bool]`): which answers are the same. They vote together and are judged
        together, once. `"exact"`: those with equal texts. `"numeric"`: also equal numbers, such as 0.5, ½, 1/2 and 50%.
        `"math"`: also equivalent expressions, by Math-Verify. `"quasi_exact"` and `"choice"`: as the checkers of these
        names compare them. A function takes two answers and returns a bool. If it accepts a and b, and b and c, all
        three are the same. The most frequent spelling stands for all; if a reference is among the spellings, it is the
        one that is judged. Default: `"exact"`.
    check_correct_fn (`Callable[[str, str], bool | float]` or `str`): a function that takes a prediction and a reference
        and returns a bool or a grade in [0, 1], or the name of a checker, or a checker with parameters, such as
        `at_k.checkers.numeric(rel_tol=1e-3)`. It is called once for each distinct answer and reference; of several
        references the best grade counts. `"exact_match"`: the texts are equal after white space is stripped from their
        ends. `"quasi_exact"`: they are equal in lower case, without punctuation, articles and extra white space, as in
        SQuAD. `"choice"`: the option letter that the prediction settles on is that of the reference, or the option
        texts are equal. `"numeric"`: the numbers are equal within a tolerance, also as fractions, percentages, amounts
        of money or powers of ten. `"math"`: the expressions are equivalent, by Math-Verify (`pip install at-k[math]`).
        `"code"`: the prediction is a program that runs, followed by the reference, a test program, without an error;
        only if the environment variable HF_ALLOW_CODE_EVAL is 1. `"bleu"`, `"chrf"`, `"rouge1"`, `"rouge2"`,
        `"rougeL"`: the similarity of the texts, a grade in [0, 1] (`pip install at-k[text]`). Default: `"exact_match"`.
    num_workers (`int`): the number of processes for slow checkers, which are `"math"`, `"code"` and those of
        similarity. If it is not given: that of the cores.
    timeout (`float`): the CPU time in seconds that one check of a slow checker may take. A check that takes longer, or
        fails, leaves its samples without a grade: they are missing samples. For `"code"`, a program that takes longer
        is wrong. Default: `5.0`.
    missing (`str`): what happens to a missing sample (`None` or NaN). `"error"`: an error names it. `"incorrect"`: it
        counts as wrong. `"drop"`: it is removed, n becomes smaller, and a warning says so. Default: `"error"`.
    groups (`list[str]` or `list[int]`): one label for each problem. The result then also has the values of each group,
        under `{group}/{key}`. Optional.
    confidence_level (`float`): a number between 0 and 1, such as 0.95. The result then also has `{key}_stderr`,
        `{key}_ci_low` and `{key}_ci_high` for every key: its standard error and its confidence interval. Optional.
    target (`str`): what the interval is about. `"population"`: other problems like these, with as many samples.
        `"problem_set"`: these very problems, with other samples. Default: `"population"`.
    clusters (`list[str]` or `list[int]`): one label for each problem, where problems come in groups that resemble each
        other, such as the questions on one text. The interval then allows for it. Optional.
    ci_method (`str`): how the interval is made. `"beta"` covers for few problems and near 0 and 1 too. `"t"`, `"wald"`,
        `"wilson"`, `"clopper-pearson"` and `"bootstrap"` are there for comparison. Default: `"beta"`.
    return_details (`bool`): whether the result has the entry `details`. Default: `False`.
    key_style (`str`): the spelling of the keys. `"standard"`: as in papers. `"plain"`: for trackers that do not accept
        `@`, as in `cons_at_8`. Default: `"standard"`.
Returns:
    cons@{k}: for every k, the chance that the winner of the vote is correct, averaged over the problems.
    cons@{k}_mcse: the standard error of the simulation (Monte Carlo standard error), if `weights` led to one. It
        measures how precise the computation is, not how certain the number is as a statement about the model.
    {group}/{key}: with `groups`, the value of each key for each group. The label is spelled as given.
    details: with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `n_unanswered` (the number of
        samples in which `extract_fn` found no answer), `not_graded` (the number of samples whose check took too long or
        failed, by cause), `per_problem` (a list with one entry per problem, in input order, for n, c and every key),
        with the checker `code` also `outcomes` (the number of samples by how their programs ended) and `reasons` (for
        each problem a list with a text for each sample), and `signature` (one line that states the conditions under
        which two numbers may be compared).
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
        extract_fn=None,
        extract_reference=None,
        equivalence="exact",
        check_correct_fn="exact_match",
        num_workers=None,
        timeout=5.0,
        missing="error",
        groups=None,
        confidence_level=None,
        target="population",
        clusters=None,
        ci_method="beta",
        return_details=False,
        key_style="standard",
    ):
        verdicts = self.judge(
            predictions,
            references,
            grades,
            threshold=threshold,
            extract_fn=extract_fn,
            extract_reference=extract_reference,
            equivalence=equivalence,
            check_correct_fn=check_correct_fn,
            num_workers=num_workers,
            timeout=timeout,
            missing=missing,
        )
        values = compute_consensus(
            verdicts, k=k, ties=ties, weights=weights, on_conflict=on_conflict, seed=self.simulation_seed
        )
        return self.report(
            values,
            verdicts,
            groups=groups,
            confidence_level=confidence_level,
            target=target,
            clusters=clusters,
            ci_method=ci_method,
            return_details=return_details,
            key_style=key_style,
        )

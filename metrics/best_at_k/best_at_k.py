"""best@k: how often the one of k samples with the highest score is correct."""

import evaluate

from at_k.columns import read_scores
from at_k.computation import compute_best
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\
best@k, also called rm@k or best of n, is the chance that the one of k samples with the highest score is correct: what a
model reaches if a reward model, a log-probability or another score chooses among its samples.
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
    scores (`list[list[float]]` or `list[list[list[float]]]`): a finite number for each sample, or a list of d numbers
        for each sample. Needed in both configurations.
    k (`int` or `list[int]`): the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: 1, 2, 4, 8,
        … up to the smallest n, and the smallest n itself.
    select (`str`): how samples are compared that have d > 1 scores each; needed for such scores. `"weighted"`: by the
        sum of the scores, weighted by `score_weights`. `"lexicographic"`: by the first score; if it is equal, by the
        second, and so on. `"pareto"`: a sample beats another if it is at least as good in all scores and better in one;
        each drawn sample that no other drawn sample beats is chosen with the same chance.
    score_weights (`list[float]`): d numbers, the weights of the scores. Needed for `select="weighted"`, and only then.
    higher_is_better (`bool`): `False` for scores of which the lowest is the best, such as perplexity. Default: `True`.
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
        `@`, as in `best_at_8`, `max_at_8`. Default: `"standard"`.
Returns:
    best@{k}: for every k, the chance that the chosen sample is correct, averaged over the problems.
    max@{k}: for every k, the expected highest score (with `higher_is_better=False`, the lowest), averaged over the
        problems, in the unit of the scores. Only if a single number ranks the samples, so not with `"lexicographic"`
        and `"pareto"`.
    best@{k}_mcse: the standard error of the simulation (Monte Carlo standard error), if `select="pareto"` led to one.
        It measures how precise the computation is, not how certain the number is as a statement about the model.
    {group}/{key}: with `groups`, the value of each key for each group. The label is spelled as given.
    details: with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `n_unanswered` (the number of
        samples in which `extract_fn` found no answer), `not_graded` (the number of samples whose check took too long or
        failed, by cause), `per_problem` (a list with one entry per problem, in input order, for n, c and every key),
        with the checker `code` also `outcomes` (the number of samples by how their programs ended) and `reasons` (for
        each problem a list with a text for each sample), and `signature` (one line that states the conditions under
        which two numbers may be compared).
Examples:
    >>> best_at_k = evaluate.load("metrics/best_at_k")
    >>> results = best_at_k.compute(
    ...     predictions=[["a", "b", "a"]], references=["a"], scores=[[0.75, 0.5, 0.25]], k=[1, 3]
    ... )
    >>> results  # the highest of all three scores belongs to a correct answer
    {'best@1': 0.6666666666666666, 'best@3': 1.0, 'max@1': 0.5, 'max@3': 0.75}
"""

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

    def _compute(
        self,
        predictions,
        references=None,
        grades=None,
        scores=None,
        *,
        k=None,
        select=None,
        score_weights=None,
        higher_is_better=True,
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
        values = compute_best(
            verdicts,
            scores=read_scores(scores),
            k=k,
            select=select,
            score_weights=score_weights,
            higher_is_better=higher_is_better,
            seed=self.simulation_seed,
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

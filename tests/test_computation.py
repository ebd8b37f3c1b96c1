"""Every metric by its definition, from judged samples, whichever columns say who is right."""

from collections import Counter
from fractions import Fraction

import numpy as np
import oracles
import pytest
from cases import for_each
from modules import MODULES, every_module

from at_k import computation
from at_k.errors import InputError
from at_k.family import FAMILY
from at_k.grading import judge
from at_k.problems import Problems

TAUS = [0.25, Fraction(1, 3), Fraction(2, 3), 1.0]


def draw_problems(seed, *, none=True):
    """Draw answers, of which equal ones have one verdict in a problem, their grades and scores."""
    rng = np.random.default_rng(seed)
    answers, grades, scores = [], [], []
    for size in rng.integers(3, 8, 6):
        right = {name: bool(rng.random() < 0.5) for name in "abcd"}
        row = [None if none and rng.random() < 0.2 else str(rng.choice(list("abcd"))) for _ in range(size)]
        answers.append(row)
        grades.append([float(rng.random() < 0.5) if each is None else [0.25, 0.75][right[each]] for each in row])
        scores.append(rng.integers(0, 4, size).tolist())
    return answers, grades, scores


def exactly(name, answers, correct, scores, k):
    """Compute every key of a module by brute force over the subsets, as the mean over problems, in fractions."""
    mean = Counter()
    for problem in zip(answers, correct, scores, strict=True):
        for key, value in oracles.BY_MODULE[name](*problem, k, TAUS).items():
            mean[key] += Fraction(value) / len(answers)
    return {key: float(value) for key, value in mean.items()}


def compute(module, answers, grades, scores, **options):
    given = {"scores": scores} if module.needs_scores else {}
    return module.load().compute(predictions=answers, grades=grades, **given, thresholds=TAUS, **options)


@every_module
@for_each("k", [1, 2, 3])
@for_each("seed", range(4))
def test_answers_with_grades_by_brute_force(module, k, seed):
    """A sample with a grade and without an answer is there: it counts everywhere, and casts no vote."""
    answers, grades, scores = draw_problems(seed)
    correct = [[grade > 0.5 for grade in row] for row in grades]
    expected = exactly(module.name, answers, correct, scores, k)
    found = compute(module, answers, grades, scores, k=k)
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-13)  # a mean of a few floats
    with_references = module.load().compute(
        predictions=answers,
        references=["never"] * len(answers),  # the grades decide
        grades=grades,
        check_correct_fn=lambda *_: 1 / 0,
        thresholds=TAUS,
        **({"scores": scores} if module.needs_scores else {}),
        k=k,
    )
    assert with_references == found


@every_module
def test_answers_with_grades_are_references_with_other_words(module):
    answers, grades, scores = draw_problems(7, none=False)
    right = [
        [answer for answer, grade in zip(row, graded, strict=True) if grade > 0.5] or ["none of them"]
        for row, graded in zip(answers, grades, strict=True)
    ]
    given = {"scores": scores} if module.needs_scores else {}
    by_reference = module.load().compute(predictions=answers, references=right, **given, thresholds=TAUS, k=3)
    by_grade = compute(module, answers, [[float(grade > 0.5) for grade in row] for row in grades], scores, k=3)
    assert by_grade == by_reference


@every_module
@for_each("missing", ["incorrect", "drop"])
@pytest.mark.filterwarnings("ignore:missing='drop'")
def test_samples_without_a_grade(module, missing):
    answers, grades, scores = draw_problems(3)
    for row in grades[1:4]:
        row[1] = None
    with pytest.raises(
        InputError, match=r"`grades` must have no missing sample; got None or NaN in problem 1, sample 1"
    ):
        compute(module, answers, grades, scores, k=2)
    if missing == "drop":
        kept = [[grade is not None for grade in row] for row in grades]
        seen = [
            [
                [each for each, keep in zip(row, keeps, strict=True) if keep]
                for row, keeps in zip(column, kept, strict=True)
            ]
            for column in (answers, grades, scores)
        ]
    else:
        silent = [
            [None if grade is None else answer for answer, grade in zip(row, graded, strict=True)]
            for row, graded in zip(answers, grades, strict=True)
        ]
        seen = [silent, [[grade or 0 for grade in row] for row in grades], scores]
    correct = [[grade > 0.5 for grade in row] for row in seen[1]]
    expected = exactly(module.name, seen[0], correct, seen[2], 2)
    found = compute(module, answers, grades, scores, k=2, missing=missing)
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-13)


CONFLICTING = [["a", "b", "a", "a", "c"], ["x", "y", "y", "x", None]]
VERDICTS = [[1, 0, 1, 0, 1], [1, 0, 1, 0, 1]]


@for_each(
    "answers, grades, words",
    [
        ([["a", "b"], ["a", "b", "a"]], [[1, 0], [1, 0, 0]], "'a' in problem 1, sample 0 and in problem 1, sample 2"),
        (CONFLICTING, VERDICTS, "'a' in problem 0, sample 0 and in problem 0, sample 3"),
        ([["b", "a", "a ", "b"]], [[0, 1, 0, 1]], "'a' in problem 0, sample 1 and in problem 0, sample 2"),
        ([["a", "b"], ["b", "a"]], [[1, 0], [1, 0]], None),  # in different problems nothing conflicts
        ([["a", None, None]], [[1, 0, 1]], None),
    ],
)
def test_equal_answers_with_different_grades(answers, grades, words):
    cons = next(module for module in MODULES if module.name == "cons_at_k").load()
    if words is None:
        cons.compute(predictions=answers, grades=grades, k=2)
        return
    with pytest.raises(InputError, match="`grades` must agree on equal answers") as caught:
        cons.compute(predictions=answers, grades=grades, k=2)
    assert words in str(caught.value)
    for module in MODULES:
        if module.name != "cons_at_k":  # nothing else compares answers
            compute(module, answers, grades, [list(range(len(row))) for row in answers], k=2)


@for_each("k", [1, 2, 3, 5])
def test_most_of_the_equal_answers_decide_and_half_is_wrong(k):
    """Of "a", two of three are right; of "x" and of "y", one of two."""
    settled = [[True, False, True, True, True], [False, False, False, False, True]]
    expected = sum(oracles.cons(*each, k) for each in zip(CONFLICTING, settled, strict=True)) / 2
    cons = next(module for module in MODULES if module.name == "cons_at_k").load()
    found = cons.compute(predictions=CONFLICTING, grades=VERDICTS, k=k, on_conflict="majority")
    assert found == pytest.approx({f"cons@{k}": float(expected)}, rel=1e-14)
    signature = cons.compute(
        predictions=CONFLICTING, grades=VERDICTS, k=k, on_conflict="majority", return_details=True
    )["details"]["signature"]
    assert "|on_conflict:majority|" in signature


@for_each("smallest", [*range(1, 70), 1000])
def test_default_k(smallest):
    powers = [power for power in (2**i for i in range(20)) if power <= smallest]
    assert computation.powers_of_two(smallest) == tuple(sorted({*powers, smallest}))
    fitting = tuple(k for k in (4, 8, 16) if k <= smallest)
    assert computation.published_k(smallest) == (fitting or (smallest,))


@every_module
@for_each("sizes", [(1, 5), (3, 3), (4, 6), (16, 40), (21, 20)])
def test_every_module_takes_its_default_k(module, sizes):
    grades = [[1] * size for size in sizes]
    given = {"scores": grades} if module.needs_scores else {}
    found = module.load("graded").compute(predictions=grades, **given)
    smallest = min(sizes)
    k = {"gpassk": computation.published_k(smallest), "avg_at_n": ()}.get(
        module.name, computation.powers_of_two(smallest)
    )
    if module.name == "avg_at_n":
        assert list(found) == [f"avg@{smallest}" if len(set(sizes)) == 1 else "avg@n", "accuracy"]
    else:
        assert list(found) == module.keys(k=k)
        assert found == module.load("graded").compute(predictions=grades, **given, k=list(k))


def test_given_k_must_fit_and_keeps_its_order():
    verdicts = judge(Problems.read(grades=[[1, 0, 1], [1, 1, 0, 0]]))
    default = FAMILY["pass_at_k"].default_k
    assert computation.choose_k([3, 1], verdicts.n, default) == (3, 1)
    assert computation.choose_k(None, verdicts.n, default) == (1, 2, 3)
    with pytest.raises(
        ValueError, match="got k=4, but the smallest n is 3, and n < 4 in 1 of 2 problems, first in problem 0"
    ):
        computation.choose_k([1, 4], verdicts.n, default)


def test_weights_without_answers():
    with pytest.raises(ValueError, match="`weights` must not be given without answers"):
        computation.compute_consensus(judge(Problems.read(grades=[[1, 0]])), weights=[[1, 1]])

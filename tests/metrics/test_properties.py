"""Properties of every module, whatever the samples are; and its numbers by definition over all subsets."""

import json
import random
from collections import Counter
from fractions import Fraction
from math import fsum

import numpy as np
import oracles
import pytest
from cases import for_each, refuses
from hypothesis import given, settings, strategies as st
from modules import (
    AVG_AT_N,
    BEST_AT_K,
    CONS_AT_K,
    GPASSK,
    MODULES,
    PASS_AT_K,
    every_config,
    every_module,
)

from at_k.columns import read_labels
from at_k.options.registry import CONFIGS
from at_k.uncertainty.jackknife import jackknife_votes

# Many data sets here hold no correct answer.
pytestmark = pytest.mark.filterwarnings("ignore:No answer is correct")

# Each property is tried with every module and configuration, so that it meets ten times more problem sets.
quick = settings(max_examples=8, deadline=None)

samples = st.tuples(
    st.sampled_from(["a", "b", "c"]),  # the answer; "a" is right
    st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]),  # the grade
    st.sampled_from([-2.5, 0.0, 0.1, 3.0]),  # the score
)
problem_sets = st.lists(st.lists(samples, min_size=1, max_size=6), min_size=1, max_size=5)  # ragged


def columns(module, config, problems):
    answers, grades, scores = (
        [[sample[part] for sample in problem] for problem in problems] for part in range(3)
    )
    given = (
        {"predictions": grades}
        if config == "graded"
        else {"predictions": answers, "references": ["a"] * len(problems)}
    )
    return module.only({**given, "scores": scores})


def compute(module, config, problems, **options):
    inputs = columns(module, config, problems) | options
    return module.load(config).compute(**module.only(inputs))


def drawable(problems):
    """Every k that fits."""
    return list(range(1, min(map(len, problems)) + 1))


def bounded(module, result):
    """The values that lie in [0, 1]."""
    units = tuple(pattern.partition("{")[0] for pattern in module.unbounded)
    return {key: value for key, value in result.items() if not key.startswith(units or ("\0",))}


@every_module
@every_config
@given(problems=problem_sets)
@quick
def test_results_are_floats_of_the_known_keys_and_in_range(module, config, problems):
    k = drawable(problems)
    result = compute(module, config, problems, k=k)
    sizes = set(map(len, problems))
    assert list(result) == module.keys(k=tuple(k), n=sizes.pop() if len(sizes) == 1 else "n")
    assert {type(value) for value in result.values()} == {float}
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert all(0 <= value <= 1 for value in bounded(module, result).values())


fractions = st.floats(0, 1)
drawn_samples = st.tuples(
    st.sampled_from("abcdef"), fractions, st.tuples(fractions, fractions), fractions
)


@for_each("module, config, options", [
    *((module, config, {}) for module in (GPASSK, PASS_AT_K, AVG_AT_N, CONS_AT_K) for config in CONFIGS),
    (CONS_AT_K, "default", {"ties": "incorrect"}),
    (CONS_AT_K, "default", {"weights": None}),
    (CONS_AT_K, "default", {"weights": None, "ties": "strict"}),
    (BEST_AT_K, "default", {"select": "weighted", "score_weights": [1, 0]}),
    (BEST_AT_K, "graded", {"select": "weighted", "score_weights": [0.3, 0.7], "higher_is_better": False}),
    (BEST_AT_K, "default", {"select": "lexicographic"}),
    (BEST_AT_K, "graded", {"select": "pareto"}),
])  # fmt: skip
@given(
    problems=st.lists(st.lists(drawn_samples, min_size=2, max_size=7), min_size=1, max_size=3),
    data=st.data(),
)
@quick
def test_the_order_of_samples_changes_no_bit(module, config, options, problems, data):
    found = []
    for rows in (problems, [data.draw(st.permutations(problem)) for problem in problems]):
        weights = (
            {"weights": [[sample[3] for sample in row] for row in rows]}
            if "weights" in options
            else {}
        )
        bars = {
            "confidence_level": 0.9,
            "target": "problem_set",
        }  # the other target needs the values alone
        found.append(
            compute(module, config, rows, **options | weights | bars, k=drawable(problems))
        )
    assert found[0] == found[1]


@for_each("module, options", [(CONS_AT_K, {"weights": None}), (BEST_AT_K, {"select": "pareto"})])
def test_the_order_of_samples_does_not_change_what_is_simulated(module, options):
    problem = [("abc"[i % 3], 0.0, (i * 7 % 11, i * 5 % 13), 1 + i % 4 / 10) for i in range(20)]
    found = []
    for row in (problem, problem[::-1], sorted(problem)):
        weights = {"weights": [[sample[3] for sample in row]]} if "weights" in options else {}
        found.append(compute(module, "default", [row], **options | weights, k=9))
    assert any(key.endswith("_mcse") for key in found[0])
    assert found[0] == found[1] == found[2]


@every_module
@every_config
@given(problems=problem_sets, data=st.data())
@quick
def test_the_order_of_problems_is_irrelevant(module, config, problems, data):
    k = drawable(problems)
    shuffled = data.draw(st.permutations(problems))
    assert compute(module, config, shuffled, k=k) == compute(module, config, problems, k=k)


@every_module
@every_config
@given(problems=problem_sets, data=st.data())
@quick
def test_a_wrong_sample_that_turns_right_lowers_nothing(module, config, problems, data):
    i = data.draw(st.integers(0, len(problems) - 1))
    j = data.draw(st.integers(0, len(problems[i]) - 1))
    better = [list(problem) for problem in problems]
    better[i][j] = ("a", 1.0, problems[i][j][2])
    k = drawable(problems)
    before, after = compute(module, config, problems, k=k), compute(module, config, better, k=k)
    # probabilities from counts are rounded once, and so in order; a vote and a choice are sums of products
    slack = 0 if module in (GPASSK, PASS_AT_K, AVG_AT_N) else 1e-12
    assert all(after[key] >= before[key] - slack for key in before)


@every_module
@every_config
@given(problems=problem_sets, data=st.data())
@quick
def test_a_group_is_worth_what_its_problems_are(module, config, problems, data):
    names = st.sampled_from(["x_1", "x_2", "x/y", 3])
    labels = data.draw(st.lists(names, min_size=len(problems), max_size=len(problems)))
    k = drawable(problems)
    whole = compute(module, config, problems, k=k, return_details=True)
    table = whole.pop("details")["per_problem"]
    expected = dict(whole)
    for label in dict.fromkeys(labels):
        own = [i for i, other in enumerate(labels) if other == label]
        expected |= {f"{label}/{key}": fsum(table[key][i] for i in own) / len(own) for key in whole}
    assert compute(module, config, problems, k=k, groups=labels) == expected

    for label in dict.fromkeys(labels):
        subset = [
            problem for problem, other in zip(problems, labels, strict=True) if other == label
        ]
        alone = compute(module, config, subset, k=k)  # whose avg@n may have another n in its key
        mine = [expected[f"{label}/{key}"] for key in whole]
        assert mine == pytest.approx(
            list(alone.values()), rel=1e-13, abs=1e-14
        )  # sums may be taken in another order


@every_module
@every_config
@given(problems=problem_sets)
@quick
def test_details_are_what_the_means_are_made_of(module, config, problems):
    k = drawable(problems)
    result = compute(module, config, problems, k=k, return_details=True)
    details = result.pop("details")
    assert result == compute(module, config, problems, k=k)
    assert list(details) == [
        "n_problems",
        "n_samples",
        "n_missing",
        "n_unanswered",
        "not_graded",
        "per_problem",
        "signature",
    ]
    assert (details["n_problems"], details["n_missing"]) == (len(problems), 0)
    assert details["n_samples"] == sum(map(len, problems))

    table = details["per_problem"]
    assert list(table) == ["n", "c", *result]
    assert table["n"] == [len(problem) for problem in problems]
    right = (
        (lambda sample: sample[1] > 0.5)
        if config == "graded"
        else (lambda sample: sample[0] == "a")
    )
    assert table["c"] == [sum(map(right, problem)) for problem in problems]
    assert {key: fsum(table[key]) / len(problems) for key in result} == result
    for i, problem in enumerate(problems):
        alone = list(compute(module, config, [problem], k=k).values())
        # sums may be taken in another order
        assert [table[key][i] for key in result] == pytest.approx(alone, rel=1e-13, abs=1e-14)
    assert json.loads(json.dumps(details, allow_nan=False)) == details


def test_errors_of_votes_depend_on_no_order_of_samples():
    """Sums over answers in the order of the file once differed by one bit in 456 of these 3,000 problems."""
    chance = random.Random(0)
    rows = [chance.choices("abc", k=chance.randint(2, 6)) for _ in range(3000)]
    first, second = (
        jackknife_votes(ballots, np.array(flags), [1, 2], ties="random")
        for each in (rows, [chance.sample(row, len(row)) for row in rows])
        for ballots, flags in [
            (read_labels(each), [answer == "a" for row in each for answer in row])
        ]
    )
    assert np.array_equal(first, second, equal_nan=True)  # at k = n there is no variance


TAUS = [0.25, Fraction(1, 3), Fraction(2, 3), 1.0]


def draw_problems(seed, *, none=True):
    """Draw answers, of which equal ones have one verdict in a problem, their grades and scores."""
    rng = np.random.default_rng(seed)
    answers, grades, scores = [], [], []
    for size in rng.integers(3, 8, 6):
        right = {name: bool(rng.random() < 0.5) for name in "abcd"}
        row = [
            None if none and rng.random() < 0.2 else str(rng.choice(list("abcd")))
            for _ in range(size)
        ]
        answers.append(row)
        grades.append(
            [
                float(rng.random() < 0.5) if each is None else [0.25, 0.75][right[each]]
                for each in row
            ]
        )
        scores.append(rng.integers(0, 4, size).tolist())
    return answers, grades, scores


def exactly(name, answers, grades, scores, k):
    """Compute every key of a module by brute force over the subsets, as the mean over problems, in fractions."""
    mean = Counter()
    correct = [[grade > 0.5 for grade in row] for row in grades]
    for problem in zip(answers, correct, scores, strict=True):
        for key, value in oracles.BY_MODULE[name](*problem, k, TAUS).items():
            mean[key] += Fraction(value) / len(answers)
    return pytest.approx(
        {key: float(value) for key, value in mean.items()}, rel=1e-13
    )  # a mean of a few floats


def compute_graded(module, answers, grades, scores, **options):
    columns = module.only({"predictions": answers, "grades": grades, "scores": scores})
    return module.load().compute(**module.only({**columns, "thresholds": TAUS, **options}))


def shared_keys(found, expected):
    return {key: found[key] for key in expected.expected}


@every_module
@for_each("k", [1, 2, 3])
@for_each("seed", range(4))
def test_answers_with_grades_by_brute_force(module, k, seed):
    """A sample with a grade and without an answer counts everywhere, and casts no vote."""
    problems = draw_problems(seed)
    expected, found = exactly(module.name, *problems, k), compute_graded(module, *problems, k=k)
    assert shared_keys(found, expected) == expected
    never = {"references": ["never"] * 6, "check_correct_fn": lambda *_: 1 / 0}  # the grades decide
    assert compute_graded(module, *problems, k=k, **never) == found


@every_module
def test_answers_with_grades_are_references_with_other_words(module):
    answers, grades, scores = draw_problems(7, none=False)
    right = [
        [answer for answer, grade in zip(row, graded, strict=True) if grade > 0.5]
        or ["none of them"]
        for row, graded in zip(answers, grades, strict=True)
    ]
    columns = module.only({"predictions": answers, "references": right, "scores": scores})
    by_reference = module.load().compute(**module.only({**columns, "thresholds": TAUS, "k": 3}))
    by_grade = compute_graded(
        module, answers, [[float(grade > 0.5) for grade in row] for row in grades], scores, k=3
    )
    assert by_grade == by_reference


@every_module
@for_each("missing", ["incorrect", "drop"])
@pytest.mark.filterwarnings("ignore:missing='drop'")
def test_samples_without_a_grade(module, missing):
    answers, grades, scores = draw_problems(3)
    for row in grades[1:4]:
        row[1] = None
    refuses(
        "InputError: `grades` must have no missing sample; got None or NaN in problem 1, sample 1",
        *(compute_graded, module, answers, grades, scores),
        k=2,
    )
    found = compute_graded(module, answers, grades, scores, k=2, missing=missing)
    for answer, grade, score in zip(answers, grades, scores, strict=True):
        if None in grade and missing == "drop":
            del answer[1], grade[1], score[1]
        elif None in grade:
            answer[1], grade[1] = None, 0
    expected = exactly(module.name, answers, grades, scores, 2)
    assert shared_keys(found, expected) == expected


@for_each("ties", oracles.TIES)
@for_each("answers, weights, k", [
    (["a", "b", "a", "c", "b", "b", "a"], None, [1, 2, 3, 5, 7]),
    (["a", "c", None, "c", "a", None, "d"], None, [1, 5]),
    (["a", "b", "b", "c", "a"], [3, 2, 2, 4, 1], [2, 3, 4, 5]),
])  # fmt: skip
def test_votes_with_any_ties_and_weights(ties, answers, weights, k):
    options = {"k": k, "ties": ties, "missing": "incorrect", "weights": weights and [weights]}
    correct = [answer == "a" for answer in answers]
    exact = {
        f"cons@{draws}": float(oracles.cons(answers, correct, draws, ties, weights)) for draws in k
    }
    assert CONS_AT_K.load().compute(
        predictions=[answers], references=["a"], **options
    ) == pytest.approx(exact, rel=1e-13)  # sums of a few floats


CONFLICTING = [["a", "b", "a", "a", "c"], ["x", "y", "y", "x", None]]
VERDICTS = [[1, 0, 1, 0, 1], [1, 0, 1, 0, 1]]


@for_each("answers, grades, words", [
    ([["a", "b"], ["a", "b", "a"]], [[1, 0], [1, 0, 0]], "'a' in problem 1, sample 0 and in problem 1, sample 2"),
    (CONFLICTING, VERDICTS, "'a' in problem 0, sample 0 and in problem 0, sample 3"),
    ([["b", "a", "a ", "b"]], [[0, 1, 0, 1]], "'a' in problem 0, sample 1 and in problem 0, sample 2"),
    ([["a", "b"], ["b", "a"]], [[1, 0], [1, 0]], None),  # in different problems nothing conflicts
    ([["a", None, None]], [[1, 0, 1]], None),
])  # fmt: skip
def test_equal_answers_with_different_grades(answers, grades, words):
    for module in MODULES:  # nothing else compares answers
        columns = answers, grades, [list(range(len(row))) for row in answers]
        if module is CONS_AT_K and words:
            refuses(
                f"InputError: `grades` must agree on equal answers … {words}",
                compute_graded,
                module,
                *columns,
                k=2,
            )
        else:
            compute_graded(module, *columns, k=2)


@for_each("k", [1, 2, 3, 5])
def test_most_of_the_equal_answers_decide_and_half_is_wrong(k):
    """Of "a", two of three are right; of "x" and of "y", one of two."""
    settled = [[True, False, True, True, True], [False, False, False, False, True]]
    expected = sum(oracles.cons(*each, k) for each in zip(CONFLICTING, settled, strict=True)) / 2
    given = {"k": k, "on_conflict": "majority", "return_details": True}
    found = compute_graded(CONS_AT_K, CONFLICTING, VERDICTS, None, **given)
    assert found[f"cons@{k}"] == pytest.approx(float(expected), rel=1e-14)
    assert "|on_conflict:majority|" in found["details"]["signature"]

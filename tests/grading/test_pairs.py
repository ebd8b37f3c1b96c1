"""Samples are graded by distinct pairs of an answer and a reference."""

from dataclasses import dataclass

import pytest
from cases import for_each
from grading.obedient import Obedient

from at_k.errors import InputError
from at_k.grading import judge
from at_k.grading.checkers import Checker, checkers
from at_k.grading.pairs import grade_samples
from at_k.problems import Problems


def grade(rows, references, check, **options):
    problems = Problems.read(answers=rows, references=references)
    return grade_samples(problems.answers, problems.references, check, **options)


def test_each_pair_is_checked_once_in_input_order():
    calls = []

    def check(answer, reference):
        calls.append((answer, reference))
        return {"a": 0.25, "b": 0.75}.get(reference, 0)

    found = grade([["x", "y", "x"], [None, "x"]], [["a", "b", "a"], "b"], check)
    assert found.values.tolist() == [0.75, 0.75, 0.75, 0, 0.75]
    assert calls == [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]


def test_an_error_reports_the_first_fault():
    def check(answer, reference):
        return 1 / 0 if answer == "b" else 0

    message = r"failed on the prediction 'b' and the reference '1', in problem 0, sample 2: ZeroDivisionError"
    with pytest.raises(RuntimeError, match=message) as caught:
        grade([["c", "a", "b"], ["b", "a"]], ["1", "2"], check)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@for_each("value", [0, 1, 0.0, 1.0, False, True, 1e-300, 1 - 2**-53])
def test_grades_from_zero_to_one(value):
    assert grade([["x"]], ["a"], lambda *_: value).values[0] == float(value)


@for_each(
    "value, error, shown",
    [
        (-(2.0**-1074), ValueError, "got -5e-324"),
        (1 + 2**-52, ValueError, "got 1.0000000000000002"),
        (float("nan"), ValueError, "got nan"),
        (10**5000, ValueError, "got an integer of 16610 bits"),
        ("1", TypeError, "got '1' of type str"),
        (None, TypeError, "got None of type NoneType"),
    ],
)
def test_what_is_no_grade(value, error, shown):
    match = f"`check_correct_fn` must return .*{shown}.* for the prediction 'x', in problem 0, sample 0"
    with pytest.raises(error, match=match):
        grade([["x"]], ["a"], lambda *_: value)


@for_each("name", ["exact_match", "quasi_exact", "choice", "numeric"])
def test_forms_and_single_pairs_agree(name):
    texts = ["1", "1.0", "B", "(B)", "b ", "the answer is B", "A", "a", "50%", "0.5", "½", "x", "", "B) x", "1.0000001"]
    check = checkers[name]()
    for reference in texts:
        found = grade([texts, texts[:3]], [reference, ["none", reference]], check).values
        alone = [check(answer, reference) for answer in texts]
        assert found.tolist() == alone + alone[:3]


@dataclass(frozen=True, repr=False)
class Normal(Checker):
    """Accept answers with the same normal form, and remember which were computed."""

    name = "normal"

    def normalize(self, text):
        SEEN.append(text)
        return text.lower()


SEEN = []


def test_a_text_is_normalized_once():
    SEEN.clear()
    found = grade([["A", "a", "b"], ["A", "B", "a"]], ["a", "b"], Normal())
    assert found.values.tolist() == [True, True, False, False, True, False]
    assert sorted(SEEN) == ["A", "B", "a", "a", "b", "b"]  # answers and references


def test_a_sample_is_not_graded_if_a_pair_is_not_that_could_have_been_right():
    hostile = "spin"
    rows, references = [["1", hostile, "2", None]], [["1", "3"]]
    found = grade(rows, references, Obedient(), timeout=0.1)
    assert found.causes.tolist() == [0, 1, 0, 0]
    assert found.count_causes() == {"timeout": 1}
    assert found.values.tolist()[::2] == [1, 0]
    accepted = grade([[hostile]], [["1", hostile]], Obedient(), timeout=0.1)
    assert accepted.causes is None  # one reference is right, so the other does not matter
    assert accepted.values.tolist() == [1]
    problems = Problems.read(answers=rows, references=references)
    with pytest.raises(InputError, match=r"not grade 1 samples, .* problem 0, sample 1, .*cause: timeout") as caught:
        judge(Problems.read(answers=[rows[0][:3]], references=references), check_correct_fn=Obedient(), timeout=0.1)
    assert caught.value.code == "check.not_graded"
    verdicts = judge(problems, check_correct_fn=Obedient(), timeout=0.1, missing="incorrect")
    assert (verdicts.n_missing, verdicts.not_graded) == (2, {"timeout": 1})
    dropped = judge(problems, check_correct_fn=Obedient(), timeout=0.1, missing="drop", warn=False)
    assert (dropped.n.tolist(), dropped.c.tolist()) == ([2], [1])

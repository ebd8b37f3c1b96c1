"""Checkers by name and by function."""

from functools import partial

import pytest

from at_k.grading.checkers import CHECKERS, checker_name, exact_match, find_checker, graded


@pytest.mark.parametrize(
    ("prediction", "reference", "equal"),
    [
        ("42", "42", True),
        (" 42\n", "42\t", True),
        ("4 2", "42", False),
        ("42.0", "42", False),
        ("A", "a", False),
        ("", " ", True),
    ],
)
def test_exact_match(prediction, reference, equal):
    assert exact_match(prediction, reference) is equal


def test_every_checker_is_found_by_its_name():
    for name, check in CHECKERS.items():
        assert find_checker(name) is check
        assert checker_name(name) == name


def test_functions_are_named_by_where_they_stand():
    assert checker_name(exact_match) == "at_k.grading.checkers.exact_match"
    assert checker_name(partial(exact_match, reference="a")).endswith("partial")


def test_the_best_of_several_references_counts_and_each_is_compared_once():
    calls = []

    def grade(prediction, reference):
        calls.append(reference)
        return {"a": 0.25, "b": 0.75}[reference]

    assert graded(grade, "x", ["a", "b", "a"], lambda: "nowhere") == 0.75
    assert calls == ["a", "b"]


@pytest.mark.parametrize("grade", [0, 1, 0.0, 1.0, False, True, 1e-300, 1 - 2**-53])
def test_grades_from_zero_to_one(grade):
    assert graded(lambda *_: grade, "x", ["a"], lambda: "nowhere") == float(grade)


@pytest.mark.parametrize(
    ("grade", "error", "shown"),
    [
        (-(2.0**-1074), ValueError, "got -5e-324"),
        (1 + 2**-52, ValueError, "got 1.0000000000000002"),
        (float("nan"), ValueError, "got nan"),
        (10**5000, ValueError, "got an integer of 16610 bits"),
        ("1", TypeError, "got '1' of type str"),
        (None, TypeError, "got None of type NoneType"),
    ],
    ids=["below", "above", "nan", "huge", "text", "nothing"],
)
def test_what_is_no_grade(grade, error, shown):
    with pytest.raises(error, match=f"`check_correct_fn` must return .*{shown}.* for the prediction 'x', in nowhere"):
        graded(lambda *_: grade, "x", ["a"], lambda: "nowhere")

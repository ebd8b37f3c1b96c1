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

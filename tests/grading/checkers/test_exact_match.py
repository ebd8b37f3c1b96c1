"""The checker `exact_match`."""

import pytest

from at_k.grading.checkers import ExactMatch


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
    assert ExactMatch()(prediction, reference) is equal

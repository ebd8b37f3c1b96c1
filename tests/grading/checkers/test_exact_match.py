"""The checker `exact_match`."""

from cases import for_each

from at_k.grading.checkers import ExactMatch


@for_each(
    "prediction, reference, equal",
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

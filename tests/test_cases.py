"""A test of many cases fails if one of them does, and names those that do."""

import pytest
from cases import for_each


def test_all_cases_are_tried_and_those_that_fail_are_named(tmp_path):
    tried = []

    @for_each("number", [1, 2, 3])
    @for_each("name", ["a", "b"], ids=["first", "second"])
    def check(number, name, tmp_path):
        tried.append((number, name))
        assert (number, name) not in ((2, "b"), (3, "a"))
        if number == 3:
            with pytest.raises(ValueError, match="never"):
                pass

    with pytest.raises(AssertionError, match=r"(?s)2 of 3 cases fail:\n2: .*second: .*\n3: .*first: .*second: Failed"):
        check(tmp_path=tmp_path)
    assert len(tried) == 6

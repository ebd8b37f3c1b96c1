"""The calls of lm-eval 0.4.13: `references` has one target, `predictions` what the filter kept of one document."""

import pytest

from at_k.integrations.lm_eval import at_k


def test_a_document_with_repeats():
    found = at_k(references=["2"], predictions=[["1", "2", "3", "2"]], k=[1, 2, 4])
    assert (found["pass@1"], found["pass@4"]) == (0.5, 1)
    assert found["pass@2"] == pytest.approx(5 / 6)  # one of six pairs has no 2
    assert found["cons@4"] == 1
    assert all(type(key) is str for key in found)


def test_what_the_filter_did_not_find_casts_no_vote():
    found = at_k(references=["2"], predictions=[["[invalid]", "2", "[invalid]"]])
    assert found["cons@3"] == 1
    assert found["avg@3"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("prediction", ["2", ["2"]])
def test_one_answer(prediction):
    assert at_k(references=[2], predictions=[prediction])["pass@1"] == 1


def test_options_are_those_of_score():
    found = at_k(["0.5"], [["1/2", "50%"]], equivalence="numeric", check_correct_fn="numeric", metrics="pass_at_k")
    assert found == {"pass@1": 1, "pass@2": 1}

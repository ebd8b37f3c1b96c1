"""Rules that name samples: the attempts that failed, and both denominators where samples are missing."""

import pytest
from diagnoses import codes, said

from at_k.analysis.diagnosis import diagnose
from at_k.report import Report, score

DATA = {"problem": ["easy", "shaky", "hard", "odd"], "grades": [[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0]]}


def test_flaky_problems_are_named_with_the_samples_that_failed():
    assert diagnose(DATA).figures["flaky"] == {"shaky": [1], "odd": [0, 2]}
    assert str(said(DATA, "flaky")).endswith("2 of 4. Wrong samples, counted from 0, of those with the fewest: "
                                             "“shaky” 1; “odd” 0, 2.")  # fmt: skip
    assert "flaky" not in codes({"grades": [[1, 1], [0, 0]]})


def test_samples_keep_their_places_where_some_are_dropped():
    data = {"problem": ["a", "b"], "grades": [[None, 0, 1], [1, None, 0]]}
    assert diagnose(data, missing="drop").figures["flaky"] == {"a": [1], "b": [2]}
    assert diagnose(data, missing="incorrect").figures["flaky"] == {"a": [0, 1], "b": [1, 2]}


def test_many_failures_are_cut_in_the_sentence():
    sentence = str(said({"grades": [[1] + [0] * 20]}, "flaky"))
    assert "1, 2, 3, 4, 5, 6, 7, 8, …" in sentence


@pytest.mark.parametrize("missing", ["drop", "incorrect"])
def test_both_denominators(missing):
    data = {"grades": [[1, None, 0, 1], [None, 1, 0, 1]]}
    sentence = str(said(data, "missing", missing=missing))
    assert sentence == "Missing samples: 2 of 8. Correct are 50.0% of all, and 66.7% of those that are there."
    figures = diagnose(data, missing=missing).figures
    assert (figures["correct_of_all"], figures["correct_of_present"]) == (0.5, 4 / 6)
    assert "missing" not in codes(DATA)


def test_a_saved_report_has_no_samples_to_name(tmp_path):
    score(DATA).save(tmp_path / "r.json")
    found = diagnose(Report.load(tmp_path / "r.json"))
    assert found.figures["flaky"] is None

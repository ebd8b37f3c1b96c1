"""The list of problems: verdicts, classes of answers with their spellings, scores; bounded in size."""

import json
from collections import Counter

import pytest
from demo.data_sets import FULL, KINDS, kind, samples, with_columns
from demo.markup import HOSTILE, Page

from at_k.demo.details import list_problems, write_details
from at_k.demo.scoring import Options, score
from at_k.demo.words import LANGUAGES

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")


@pytest.mark.parametrize("name", KINDS)
def test_problems_hold_what_was_judged(name):
    _, given_samples, options = kind(name)
    scored = score(given_samples, options)
    found = list_problems(scored)
    assert [(row["name"], row["n"], row["c"]) for row in found] == list(
        zip(scored.problems, scored.n, scored.c, strict=True)
    )
    for row in found:
        assert len(row["samples"]) == row["n"]
        assert row["samples"].count("1") == row["c"]
        if "classes" in row:
            votes = Counter(vote for vote in row["votes"] if vote >= 0)
            assert {place: each["votes"] for place, each in enumerate(row["classes"])} == votes
            assert [votes[place] for place in range(len(votes))] == sorted(votes.values(), reverse=True)
        if "scores" in row:
            assert len(row["scores"]) == row["n"]


def test_a_class_is_shown_with_its_spellings():
    rows = [{"id": 1, "answers": ["0.5", "1/2", "0.5", "50%", "3"], "reference": "0.5"}]
    scored = score(samples(rows), Options(equivalence="numeric"))
    (row,) = list_problems(scored)
    first, second = row["classes"]
    assert (first["answer"], first["votes"], first["right"]) == ("0.5", 4, True)
    assert sorted(first["also"]) == ["1/2", "50%"]
    assert second == {"answer": "3", "votes": 1, "right": False}
    assert row["references"] == ["0.5"]


def test_extracted_answers_are_shown_as_they_voted():
    rows = [{"id": 1, "answers": ["So \\boxed{7}.", "Thus \\boxed{7}", "none"], "reference": "7"}]
    (row,) = list_problems(score(samples(rows), Options(extract_fn="boxed")), "boxed")
    assert row["classes"] == [{"answer": "7", "votes": 2, "right": True}]
    assert row["votes"] == [0, 0, -1]
    assert row["samples"] == "110"


def test_a_missing_sample_is_marked():
    rows = [{"id": 1, "correct": [1, None, 0]}]
    assert list_problems(score(samples(rows), Options(missing="incorrect")))[0]["samples"] == "1?0"
    assert list_problems(score(samples(rows), Options(missing="drop")))[0]["samples"] == "10"


def test_the_page_stays_small():
    rows = [{"id": i, "answers": [f"{j} {'x' * 5000}" for j in range(8)] * 2, "reference": "y"} for i in range(900)]
    rows[0]["reference"] = rows[0]["answers"][0]
    scored = score(samples(rows[:300]), Options(k=(1,)))
    found = list_problems(scored)
    assert "classes" in found[0]
    assert "classes" not in found[-1]
    assert found[-1]["samples"] == "0" * 16
    assert len(json.dumps(found)) < 1_000_000


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_data_of_a_visitor_are_data(text, language):
    rows = with_columns(FULL, id=[text, "b", "c"], level=[text, "b", "b"], answers=[[text, "2", "2", "3"]])
    page = Page(write_details(score(samples(rows), Options()), "text", language))
    assert page.tags() == {"div", "h2", "p"}
    (data,) = [each["attributes"]["data-problems"] for each in page.elements if "data-problems" in each["attributes"]]
    assert json.loads(data)["problems"][0]["name"] == " ".join(text.split())

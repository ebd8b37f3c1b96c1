"""The table of several models, and which value is the best."""

import re

import numpy as np
import pytest
from cases import refuses

import at_k
from at_k.report.scoring import map_models

SMALL = {"problem": ["a", "b"], "grades": [[1, 0], [0, 0]]}
LARGE = {"problem": ["a", "b"], "grades": [[1, 1], [1, 0]]}


def test_the_reports_are_those_of_each_model():
    models = at_k.score_models({"small": SMALL, "large": LARGE}, k=[1, 2])
    for name, data in (("small", SMALL), ("large", LARGE)):
        assert models.reports[name].to_dict() == at_k.score(data, k=[1, 2]).to_dict()
    assert sorted(models.keys) == sorted({*at_k.score(SMALL, k=[1, 2]).values} - {"mG-Pass@1", "accuracy"})


def test_the_columns_stand_as_the_values_of_a_report():
    grades = [[1, 0, 1, 1, 0, 0, 0, 0]]
    models = at_k.score_models({"x": {"grades": grades}, "y": {"grades": grades}}, metrics="gpassk", k=[4, 8])
    assert list(models.keys) == list(at_k.score({"grades": grades}, metrics="gpassk", k=[4, 8]).values)


def test_equal_values_are_both_the_best_and_a_value_alone_is_not():
    models = at_k.score_models({"x": SMALL, "y": SMALL, "z": {"grades": [[0, 0, 0]]}}, metrics=["pass@k", "avg@n"])
    assert models.best["pass@1"] == ["x", "y"]
    assert models.best["avg@2"] == ["x", "y"]
    assert models.best["avg@3"] == []


def test_rounding_does_not_decide_what_is_best():
    grades = np.array([[0.1], [0.2], [0.3]])
    models = at_k.score_models(
        {"x": {"grades": grades.tolist()}, "y": {"grades": grades[::-1].tolist()}}, metrics="avg_at_n"
    )
    assert all(names == ["x", "y"] for names in models.best.values())


def test_lower_scores_may_be_better():
    data = {name: {"grades": [[1, 0]], "scores": [scores]} for name, scores in (("x", [1.0, 3.0]), ("y", [2.0, 4.0]))}
    assert at_k.score_models(data, metrics="best_at_k").best["max@2"] == ["y"]
    assert at_k.score_models(data, metrics="best_at_k", higher_is_better=False).best["max@2"] == ["x"]


def test_notes_of_some_models_name_them():
    voted = {**SMALL, "answers": [["7", "8"], ["9", "9"]]}
    models = at_k.score_models({"small": voted, "large": LARGE})
    one, both = (str(each) for each in models.notes if each.code == "models.note"), map(str, models.notes)
    assert all(each.startswith(("small: ", "large: ")) for each in one)
    assert sum("best@k is left out" in each for each in both) == 1


def test_other_problems_are_said():
    other = {"problem": ["a", "c"], "grades": [[1, 1], [1, 0]]}
    assert "models.problems" in [note.code for note in at_k.score_models({"x": SMALL, "y": other}).notes]
    assert "models.problems" not in [note.code for note in at_k.score_models({"x": SMALL, "y": LARGE}).notes]


def test_names_cannot_break_the_table():
    models = at_k.score_models({"a_b & c": SMALL, "x|y": LARGE}, metrics="avg_at_n", confidence_level=None)
    assert models.to_latex().splitlines()[4].startswith(r"a\_b \& c & 0.2500")
    assert r"| x\|y" in models.to_markdown()


def test_saved_reports_and_a_list_of_paths(tmp_path):
    paths = [tmp_path / "small.json", tmp_path / "large.json"]
    for path, data in zip(paths, (SMALL, LARGE), strict=True):
        at_k.score(data).save(path)
    models = at_k.score_models(paths)
    assert {name: report.values["pass@1"] for name, report in models.reports.items()} == {
        "small.json": 0.25,
        "large.json": 0.75,
    }
    refuses("InputError: The options `k` say how data are scored", at_k.score_models, paths, k=1)


def test_names_that_are_written_alike_are_refused():
    with pytest.raises(ValueError, match="names that are written differently; got 1 more than once"):
        at_k.score_models({1: SMALL, "1": LARGE})


@pytest.mark.parametrize("models", [["a", 1], "a.jsonl", [SMALL], 5, {}])
def test_models_of_other_types_are_refused(models):
    refuses("TypeError: `models` must map the name of each model to … , or be a list of paths; got", map_models, models)


PRICED = {
    "a<1>": {"problem": ["x", "y", "z"], "grades": [[1, 1], [1, 0], [0, 0]], "cost_usd": [[1, 2], [1, 1], [4, 1]]},
    "b": {"problem": ["x", "y", "w"], "grades": [[1, 1], [1, 1], [0, 1]], "cost_usd": [[3, 3], [3, 3], [3, 3]]},
}


def test_costs_of_a_correct_sample_are_shown_beside_the_numbers():
    models = at_k.score_models(PRICED, metrics="pass@1")
    assert [cost.value for cost in models.costs["cost_usd"].values()] == [10 / 3, 18 / 5]
    assert "cost_usd per success" in str(models.to_markdown())
    assert models.to_dict()["cost_per_success"]["cost_usd"]["b"]["value"] == 3.6
    unpriced = {"c": {"grades": [[1, 1]]}}
    assert at_k.score_models(PRICED | unpriced, metrics="pass@1").costs == {}  # only what all models have


def test_html_has_a_picture_of_who_solves_what():
    page = at_k.score_models(PRICED, metrics="pass@1").to_html()
    titles = re.findall("<title>(.*?)</title>", page)
    assert titles == [
        *("b · x, y: 100%", "b · w: 50%", "b · z: not given"),
        *("a&lt;1&gt; · x: 100%", "a&lt;1&gt; · y: 50%", "a&lt;1&gt; · w: not given", "a&lt;1&gt; · z: 0%"),
    ]
    assert "<1>" not in page
    one, large = {"a": PRICED["b"]}, {"grades": [[1, 0]] * 1001}
    assert "<svg" not in at_k.score_models(one).to_html()
    assert "<svg" not in at_k.score_models({"a": large, "b": large}, metrics="pass@1").to_html()
    many = {f"model {i}": {"grades": [[(i + j) % 3 > 0, j % 2] for j in range(500)]} for i in range(12)}
    assert at_k.score_models(many, metrics="pass@1").to_html().count("<rect") <= 6000

"""The page Score without a browser: what each part shows, and where refusals stand."""

import json
import re
from base64 import b64decode

import pytest
from demo.markup import Page

import at_k
from at_k.demo import examples, notices
from at_k.demo.score_results import SHOWN, make_first, make_page
from at_k.demo.words import LANGUAGES, say

every_language = pytest.mark.parametrize("language", LANGUAGES)


def page(text, language="en", **values):
    return make_page({"text": text} | values, language)


def values(html):
    """Key → value of the cells of all tables, the first of each key."""
    found = {}
    for element in Page(html).elements:
        if "data-key" in element["attributes"]:
            found.setdefault(element["attributes"]["data-key"], float(element["attributes"]["data-value"]))
    return found


def matrix(parts):
    """The part of the tables that follows the table of models."""
    return parts["table"][parts["table"].index('<table class="numbers matrix') :]


def test_a_page_without_refusal():
    parts = page('{"correct": [1, 0]}')
    assert (parts["refused_data"], parts["refused_options"]) == ("", "")
    assert set(SHOWN) <= set(parts)
    assert values(parts["table"]) == {
        "G-Pass@2_1.0": 0, "G-Pass@2_0.75": 0, "G-Pass@2_0.5": 1, "G-Pass@2_0.25": 1, "mG-Pass@2": 0, "pass@2": 1,
        "cons@2": 0, "avg@2": 0.5,
    }  # fmt: skip


@every_language
@pytest.mark.parametrize(
    ("text", "more", "shown", "said"),
    [
        ('{"correct": [1, null]}', {}, "refused_data", "“correct”"),
        ('{"correct": [1, 2]}', {}, "refused_data", "“correct”"),
        ('{"correct": [1, 0]}', {"k": "4"}, "refused_options", "k = 4"),
        ('{"correct": [1, 0]}', {"k": "x"}, "refused_options", "“x”"),
        ('{"correct": [1, 0]}', {"k": " ".join(map(str, range(1, 22)))}, "refused_options", "21"),
        ('{"correct": [1, 0]}', {"taus": ""}, "refused_options", "τ"),
        ('{"correct": [1, 0]}', {"metrics": []}, "refused_options", ""),
        ('{"correct": [1, 0]}', {"least": "3"}, "refused_data", "3"),
        ('{"correct": [1, 0]}', {"check_correct_fn": "code"}, "refused_data", "check_correct_fn"),
    ],
)
def test_a_refusal_stands_beside_what_it_is_about_and_leaves_the_results(text, more, shown, said, language):
    parts = page(text, language, **more)
    other = {"refused_data": "refused_options", "refused_options": "refused_data"}[shown]
    assert said in parts[shown]
    assert parts[other] == ""
    assert bool(re.search("[\u4e00-\u9fff]", parts[shown])) == (language == "zh")
    assert not set(SHOWN) & set(parts)


TWO_MODELS = "model,id,correct\na,1,1\na,1,0\nb,1,1\nb,1,1\n"


@every_language
def test_two_models_are_never_mixed(language):
    parts = page(TWO_MODELS, language)
    assert values(matrix(parts))["avg@2"] == 0.5
    assert "“model”" in parts["top"]
    assert "?page=compare" in parts["top"]
    rows = dict(re.findall(r'data-label="(\w)".*?data-key="avg@2" data-value="([\d.]+)"', parts["table"]))
    assert rows == {"a": "0.5", "b": "1.0"}
    assert values(matrix(page(TWO_MODELS, language, model="b")))["avg@2"] == 1
    pooled = page(TWO_MODELS, language, model=notices.POOLED)
    assert values(pooled["table"])["avg@4"] == 0.75
    assert "“model”" not in pooled["top"]


def test_models_may_be_the_groups():
    parts = page(TWO_MODELS.replace("b,1", "b,2"), column_group="model")
    assert values(parts["table"])["avg@2"] == 0.75
    assert 'data-label="b"' in parts["table"]
    assert "?page=compare" not in parts["top"]


@every_language
def test_few_samples_can_be_left_out(language):
    text = '{"correct": [1, 0, 1]}\n{"correct": [1]}\n{"correct": [0, 0]}'
    parts = page(text, language)
    assert "data-set" in parts["top"]
    assert set(values(parts["table"])) == {"avg@n"}
    kept = values(page(text, language, least="2")["table"])
    assert kept["pass@2"] == pytest.approx((1 + 0) / 2)
    everything = re.search(r'download="results.json" href="data:[^,]*,([^"]*)', page(text, least="2")["links"])[1]
    assert len(json.loads(b64decode(everything))["samples"]["grades"]) == 2


@every_language
def test_the_vote_is_left_out_of_a_column_that_is_no_answer(language):
    rows = [{"id": i, "answer": f"text {i} {j}", "correct": j % 2} for i in range(4) for j in range(4)]
    parts = page("\n".join(map(json.dumps, rows)), language)
    assert not any(key.startswith("cons@") for key in values(parts["table"]))
    assert "cons@k" in parts["top"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_page_is_that_of_the_example(language):
    first = make_first(language)
    text = examples.read_example("qwen25_math")
    assert page(text, language, example="qwen25_math")["table"] == first["table"]
    assert say(language, "score.qwen25_math") in first["top"]
    expected = at_k.score(examples.folder() / "qwen25_math.jsonl", k=[2, 4, 8]).values
    shown = values(first["table"])
    assert {key: shown[key] for key in ("pass@8", "cons@4", "best@2", "G-Pass@8_0.5", "avg@8")} == {
        key: expected[key] for key in ("pass@8", "cons@4", "best@2", "G-Pass@8_0.5", "avg@8")
    }


def test_columns_can_be_chosen_where_results_are_refused():
    parts = page("frage,correct\n1,1\n1,0\n")
    assert parts["refused_data"]
    assert ("frage", "frage") in parts["column_problem"]["choices"]
    assert values(page("frage,correct\n1,1\n1,0\n", column_problem="frage")["table"])["avg@2"] == 0.5


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"id": 1, "correct": [1]}\n\n{"id": 2, "correct": [5]}', "line 3,"),
        ("id,correct\n1,1\n2,5\n", "line 3,"),
        ('id,text,correct\n1,"a\nb",1\n2,c,5\n', "line 4,"),
        ('[{"id": 1, "correct": [1]},\n{"id": 2, "correct": [5]}]', "row 2,"),
        ("id,correct\n1,1\n2\n", "line 3)"),
        ('{"a": 1}\n{"a": }', "line 2,"),
    ],
)
def test_rows_are_the_lines_of_the_file(text, place):
    assert place in page(text)["refused_data"]

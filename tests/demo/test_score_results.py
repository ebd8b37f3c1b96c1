"""The page Score without a browser: what each part shows, and where refusals stand."""

import json
import re
from base64 import b64decode
from html import unescape

import pytest
from demo.markup import Page

import at_k
from at_k.demo import examples, work
from at_k.demo.score_results import USUAL
from at_k.demo.words import LANGUAGES, say

every_language = pytest.mark.parametrize("language", LANGUAGES)


def page(text, language="en", **values):
    return work.answer("score", USUAL | {"example": "", "given": {"results": {"text": text}}} | values, language)


def shown(*arguments, **fields):
    """The parts of a page that is not refused."""
    found = page(*arguments, **fields)
    assert found["refused"] is None
    return found["parts"]


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
    assert values(shown('{"correct": [1, 0]}')["table"]) == {
        "G-Pass@2_1.0": 0, "G-Pass@2_0.75": 0, "G-Pass@2_0.5": 1, "G-Pass@2_0.25": 1, "mG-Pass@2": 0, "pass@2": 1,
        "cons@2": 0, "avg@2": 0.5, "pass@1": 0.5, "cons@1": 0.5,
        **{f"G-Pass@1_{tau}": 0.5 for tau in (0.25, 0.5, 0.75, 1.0)},
    }  # fmt: skip


@every_language
def test_what_was_saved_opens_again_with_its_options(language):
    text = '{"id": "x", "correct": [1, 0, null], "level": "a"}\n{"id": "y", "correct": [1, 1, 1], "level": "b"}'
    options = {"missing": "incorrect", "thresholds": "0.4, 1.0", "k": "1, 3", "groups": "false"}
    before = shown(text, language, **options)
    saved = b64decode(re.search(r'download="results.json" href="data:[^,]*,([^"]*)', before["links"])[1]).decode()
    opened = page(saved, language)["refused"]  # a missing sample is an error by default
    (sets,) = [json.loads(unescape(each)) for each in re.findall(r'class="notice".*?data-set="(.*?)"', opened)]
    again = shown(saved, language, **sets)
    assert again["table"] == before["table"]
    assert 'class="notice"' in again["head"]
    assert "data-set" not in re.search(r'class="notice".*?</p>', again["head"])[0]


@every_language
@pytest.mark.parametrize(
    ("text", "more", "said", "mended"),
    [
        ('{"correct": [1, null]}', {}, "“correct”", {"missing": "drop"}),
        ('{"correct": [1, 2]}', {}, "“correct”", {}),
        ('{"correct": [1, 0]}', {"k": "4"}, "k = 4", {"k": ""}),
        ('{"correct": [1, 0]}', {"k": "x"}, "“x”", {"k": ""}),
        ('{"correct": [1, 0]}', {"k": " ".join(map(str, range(1, 22)))}, "21", {"k": ""}),
        ('{"correct": [1, 0]}', {"thresholds": ""}, "τ", {"thresholds": USUAL["thresholds"]}),
        ('{"correct": [1, 0]}', {"metrics": ""}, "", {"metrics": USUAL["metrics"]}),
        ('{"correct": [1, 0]}', {"least": "3"}, "3", {"least": "2"}),
        ('{"correct": [1, 0]}', {"check_correct_fn": "code"}, "check_correct_fn", {"check_correct_fn": "exact_match"}),
        ('{"id": 1, "correct": [1, 0], "passed": [0, 1]}', {}, "“passed”", {"column_grades": "passed"}),
    ],
)
def test_a_refusal_offers_what_mends_it(text, more, said, mended, language):
    found = page(text, language, **more)
    assert said in found["refused"]
    assert found["parts"] == {}
    assert bool(re.search("[\u4e00-\u9fff]", found["refused"])) == (language == "zh")
    sets = [json.loads(unescape(each)) for each in re.findall(r'data-set="(.*?)"', found["refused"])]
    if mended:
        assert any(mended.items() <= each.items() for each in sets)
        assert page(text, language, **more | mended)["refused"] is None


TWO_MODELS = "model,id,correct\na,1,1\na,1,0\nb,1,1\nb,1,1\n"


@every_language
def test_two_models_are_never_mixed(language):
    parts = shown(TWO_MODELS, language)
    assert values(matrix(parts))["avg@2"] == 0.5
    assert "“model”" in parts["head"]
    assert "?page=compare" in parts["head"]
    rows = dict(re.findall(r'data-label="(\w)".*?data-key="avg@2" data-value="([\d.]+)"', parts["table"]))
    assert rows == {"a": "0.5", "b": "1.0"}
    assert values(matrix(shown(TWO_MODELS, language, where="model=b")))["avg@2"] == 1
    pooled = shown(TWO_MODELS, language, pool="model")
    assert values(pooled["table"])["avg@4"] == 0.75
    assert "“model”" not in pooled["head"]


def test_models_may_be_the_groups():
    parts = shown(TWO_MODELS.replace("b,1", "b,2"), column_group="model")
    assert values(parts["table"])["avg@2"] == 0.75
    assert 'data-label="b"' in parts["table"]
    assert "?page=compare" not in parts["head"]


@every_language
def test_few_samples_can_be_left_out(language):
    text = '{"correct": [1, 0, 1]}\n{"correct": [1]}\n{"correct": [0, 0]}'
    parts = shown(text, language)
    assert "data-set" in parts["head"]
    assert set(values(parts["table"])) == {"avg@n"}
    kept = values(shown(text, language, least="2")["table"])
    assert kept["pass@2"] == pytest.approx((1 + 0) / 2)
    everything = re.search(r'download="results.json" href="data:[^,]*,([^"]*)', shown(text, least="2")["links"])[1]
    assert len(json.loads(b64decode(everything))["samples"]["grades"]) == 2


@every_language
def test_the_vote_is_left_out_of_a_column_that_is_no_answer(language):
    rows = [{"id": i, "answer": f"text {i} {j}", "correct": j % 2} for i in range(4) for j in range(4)]
    parts = shown("\n".join(map(json.dumps, rows)), language)
    assert not any(key.startswith("cons@") for key in values(parts["table"]))
    assert "cons@k" in parts["head"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_page_is_that_of_the_example(language):
    first = work.answer("score", USUAL, language)["parts"]
    assert shown("", language, example="qwen25_math") == first
    assert say(language, "score.qwen25_math") in first["head"]
    expected = at_k.score(examples.folder() / "qwen25_math.jsonl", k=[2, 4, 8]).values
    found = values(first["table"])
    assert {key: found[key] for key in ("pass@8", "cons@4", "best@2", "G-Pass@8_0.5", "avg@8")} == {
        key: expected[key] for key in ("pass@8", "cons@4", "best@2", "G-Pass@8_0.5", "avg@8")
    }
    report = b64decode(re.search(r'download="report.html" href="[^,]*,([^"]*)"', first["links"])[1]).decode()
    for shown_there in (
        first["findings"],
        f'data-key="pass@8" data-value="{expected["pass@8"]!r}"',
        'class="headline"',
    ):
        assert shown_there in report


def test_columns_can_be_chosen_where_results_are_refused():
    found = page("zeile,correct\n1,1\n1,0\n")
    assert found["refused"]
    assert ["zeile", "zeile"] in found["choices"]["column_problem"]
    assert values(shown("zeile,correct\n1,1\n1,0\n", column_problem="zeile")["table"])["avg@2"] == 0.5


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
    assert place in page(text)["refused"]


RUNS = [
    {"name": name, "text": "\n".join(json.dumps({"id": i, "sample": 0, "correct": ok}) for i, ok in enumerate(row))}
    for name, row in {"run1.jsonl": [1, 0], "run2.jsonl": [1, 1]}.items()
]


@every_language
@pytest.mark.parametrize(
    ("files", "fields", "value"),
    [
        (RUNS, {"pool": "file"}, {"avg@2": 0.75, "pass@2": 1.0}),
        (RUNS, {"concat": "true"}, {"avg@1": 0.75}),
    ],
)
def test_several_files_are_taken_as_the_command_takes_them(files, fields, value, language):
    """What refuses files offers how they can be taken, and that is what `at_k.score` says of them with this option."""
    given = {"example": "", "given": {"results": {"packed": files}}}
    refused = work.answer("score", USUAL | given, language)["refused"]
    found = re.findall(r'data-set="(.*?)"|data-opens="(.*?)"', refused)
    offered = [json.loads(unescape(sets)) if sets else {opens: "true"} for sets, opens in found]
    assert fields in offered
    parts = work.answer("score", USUAL | given | fields, language)["parts"]
    assert values(matrix(parts)) | value == values(matrix(parts))

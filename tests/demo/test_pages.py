"""The pages without a browser: they show what the registry holds, and say what the library says."""

import ast
import re
from pathlib import Path

import pytest

import at_k
from at_k.demo import words
from at_k.demo.pages import metrics, score
from at_k.demo.words import LANGUAGES
from at_k.family import FAMILY, METRICS

DEMO = Path(words.__file__).parents[1]
ROLES = ("problem", "answers", "references", "grades", "scores", "group")
TYPED = {
    "metrics": list(METRICS),
    "k": "",
    "taus": "0.5",
    "ties": "random",
    "missing": "error",
    "higher_is_better": True,
    "by_group": True,
}


def page(text, language="en", columns=None, **options):
    chosen = dict.fromkeys(ROLES, score.GUESSED) | (columns or {})
    return score.score_page(text, chosen, TYPED | options, language)


@pytest.mark.parametrize("name", METRICS)
def test_the_example_of_a_metric_gives_the_numbers_of_the_library(name):
    example = FAMILY[name].example
    options = {"missing": "incorrect"} | dict(example.options)
    expected = at_k.score(dict(example.columns), metrics=name, **options).values
    assert metrics.compute(name, metrics.write_example(FAMILY[name])).values == expected
    assert expected


def test_no_page_knows_a_metric_by_name():
    for path in DEMO.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & set(METRICS) == set(), path


def test_a_page_without_refusal():
    parts = page('{"correct": [1, 0]}')
    assert (parts["refused_data"], parts["refused_options"], parts["results"].visible) == ("", "", True)
    assert "pass@2" in parts["table"]


TWO_MODELS = "model,id,correct\na,1,1\na,1,0\nb,1,1\nb,1,1\n"


@pytest.mark.parametrize(
    ("text", "options", "shown", "said"),
    [
        (TWO_MODELS, {}, "refused_data", "“model”"),
        ('{"correct": [1, null]}', {}, "refused_data", "“correct”"),
        ('{"correct": [1, 2]}', {}, "refused_data", "“correct”"),
        ('{"correct": [1, 0]}', {"k": "4"}, "refused_options", "k = 4"),
        ('{"correct": [1, 0]}', {"k": "x"}, "refused_options", "“x”"),
        (
            '{"correct": [1, 0]}',
            {"k": " ".join(map(str, range(1, 22)))},
            "refused_options",
            "21",
        ),
        ('{"correct": [1, 0]}', {"taus": ""}, "refused_options", "τ"),
        ('{"correct": [1, 0]}', {"metrics": []}, "refused_options", ""),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_stands_beside_what_it_is_about(text, options, shown, said, language):
    parts = page(text, language, **options)
    other = {"refused_data": "refused_options", "refused_options": "refused_data"}[shown]
    assert said in parts[shown]
    assert parts[other] == ""
    assert not parts["results"].visible
    assert bool(re.search("[\u4e00-\u9fff]", parts[shown])) == (language == "zh")
    assert not {"table", "summary", "code"} & set(parts)


def test_groups_of_two_models_can_be_scored():
    assert "<th" in page(TWO_MODELS.replace("b,1", "b,2"), columns={"group": "model"})["table"]


def test_the_first_page_is_that_of_the_example():
    first = score._make_first("en")
    assert page(score.examples.read_example(score.START), taus="0.25, 0.5, 0.75, 1.0")["table"] == first["table"]

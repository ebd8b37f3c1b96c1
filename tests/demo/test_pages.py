"""The pages without a browser: they show what the registry holds, and say what the library says."""

import ast
from pathlib import Path

import pytest

import at_k
from at_k.demo import words
from at_k.demo.pages import metrics
from at_k.family import FAMILY, METRICS

DEMO = Path(words.__file__).parents[1]


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

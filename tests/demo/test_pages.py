"""The pages without a browser: they show what the registry holds, and say what the library says."""

import ast
import re
from pathlib import Path

import pytest

import at_k
from at_k.demo import words, work
from at_k.demo.app import find_pages, write_sections
from at_k.demo.pages import metrics
from at_k.family import FAMILY, METRICS

DEMO = Path(words.__file__).parents[1]


@pytest.mark.parametrize("name", METRICS)
def test_the_example_of_a_metric_gives_the_numbers_of_the_library(name):
    example = FAMILY[name].example
    options = {"missing": "incorrect"} | dict(example.options)
    expected = at_k.score(dict(example.columns), metrics=name, **options).values
    assert work.compute_metric(name, metrics.write_example(FAMILY[name])).values == expected
    assert expected


def test_no_page_knows_a_metric_by_name():
    for path in DEMO.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & set(METRICS) == set(), path


def test_one_section_is_open_and_no_style_sheet_knows_a_page_by_name():
    for page in find_pages():
        sections = dict(re.findall(r'<div data-section="(\w+)"( hidden)?>', write_sections(page, "en")))
        assert len(sections) > 2
        assert [name for name, hidden in sections.items() if not hidden] == [page] * (page in sections)
    for sheet in DEMO.rglob("*.css"):
        assert "data-page=" not in sheet.read_text(encoding="utf-8")

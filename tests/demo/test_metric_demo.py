"""The page Metrics without a browser: each example gives the numbers of the library, and each card is there."""

import re

import pytest

import at_k
from at_k.demo import work
from at_k.demo.metric_demo import OWN, USUAL, write_example
from at_k.family import FAMILY, METRICS


def values(found):
    cells = re.findall(r'<th scope="row">(.*?)</th><td title="(.*?)">', found["parts"]["result"])
    return {key: float(value) for key, value in cells}


@pytest.mark.parametrize("name", METRICS)
def test_the_example_of_a_metric_gives_the_numbers_of_the_library(name):
    example = FAMILY[name].example
    options = {"missing": "incorrect"} | dict(example.options)
    expected = at_k.score(dict(example.columns), metrics=name, **options).values
    fields, text = write_example(FAMILY[name])
    found = work.answer("metrics", USUAL | fields, "en")
    assert values(found) == expected
    assert expected
    assert found["texts"] == {"data": text}
    assert set(found["hidden"]) == set(OWN) - set(FAMILY[name].own_options)
    given = {"given": {"data": {"text": text}}, "example": ""}
    assert values(work.answer("metrics", USUAL | fields | given, "en")) == expected


@pytest.mark.parametrize(("language", "heading"), [("en", "How to Use"), ("zh", "使用方法")])
def test_the_card_comes_with_the_answer(language, heading):
    for name in METRICS:
        assert (
            f"<h3>{heading}</h3>"
            in work.answer("metrics", USUAL | write_example(FAMILY[name])[0], language)["parts"]["card"]
        )


def test_what_cannot_be_computed_is_refused():
    given = {"example": "", "given": {"data": {"text": '{"correct": [1, 2]}'}}}
    for values in (USUAL | given, USUAL | given | {"metric": "<b>"}, None, 7):
        found = work.answer("metrics", values, "en")
        assert 'role="alert"' in found["refused"]
        assert found["parts"] == {}

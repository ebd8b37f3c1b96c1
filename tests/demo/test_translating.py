"""The document has the texts of its language alone, from its first byte."""

import asyncio
import json

import pytest
from gradio.routes import toorjson

from at_k.demo import app, cards
from at_k.demo.score_results import SHOWN, make_first
from at_k.demo.translating import translate_document
from at_k.demo.words import LANGUAGES
from at_k.family import METRICS

every_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def document():
    """What Gradio writes into the document."""

    async def build():  # in an event loop, because the queue of Gradio opens one of its own otherwise
        return app.build().get_config_file()

    return str(toorjson(asyncio.run(build())))


@pytest.fixture
def find(document, language):
    """Find the properties of the parts of the document in a language, by their `elem_id`."""
    parts = json.loads(translate_document(document, language, app.list_texts))["components"]
    found = {part["props"].get("elem_id"): part["props"] for part in parts}
    return lambda name: found[name]


@every_language
def test_the_cards(find, language):
    assert find("metrics_which")["value"] == cards.read_comparison(language)
    for name in METRICS:
        assert find(f"metrics_card_{name}")["value"] == cards.read_card(name, language)


@every_language
def test_the_page_score(find, language):
    first = make_first(language)
    for name in set(SHOWN) - {"refused_data", "refused_options", "code"}:  # nothing, and Python
        assert find(f"score_{name}")["value"] == first[name]
    for name, part in first.items():
        if isinstance(part, dict):
            choices = [tuple(choice) for choice in find(f"score_{name}")["choices"]]
            assert choices == part["choices"]
    said = {"en": "Always solved: 86, sometimes: 10, never: 4.", "zh": "总对：86，有时对：10，从不对：4。"}
    for each, text in said.items():
        assert (text in find("score_top")["value"]) == (each == language)


def test_texts_are_replaced_whole():
    texts = {"en": ["a", ["a", "<'b&>"]], "zh": ["甲", ["乙", "丙"]]}
    written = r'{"x":"a","y":"a a",c:["a","\u003c\u0027b\u0026\u003e"],"z":["a"]}'
    with pytest.raises(ValueError, match="zip"):
        translate_document("", "zh", {"en": ["a"], "zh": []}.get)
    assert translate_document(written, "en", texts.get) == written
    assert translate_document(written, "zh", texts.get) == r'{"x":"甲","y":"a a",c:["乙","丙"],"z":["甲"]}'

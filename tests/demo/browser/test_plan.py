"""The page Plan, used as a person uses it."""

import json

import pytest

from tools.driving import eventually

KINDS = [
    {"width": 1280, "height": 900, "color_scheme": "light", "locale": "en-GB"},
    {"width": 390, "height": 844, "color_scheme": "dark", "locale": "zh-CN", "has_touch": True, "is_mobile": True},
]


def planned(page):
    """The numbers of problems and samples in the sentence."""
    return page.locator("#plan h1 b").all_inner_texts()


def asked(page):
    """The parts of the address."""
    return set(page.evaluate("location.search.slice(1)").split("&"))


@pytest.mark.parametrize("options", KINDS, ids=["wide", "phone"])
def test_cells_sliders_and_handles_plan_for_other_numbers(visit, options):
    page = visit("plan", **options)
    assert planned(page) == ["50", "4"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#plan [data-problems-planned='200'][data-samples-planned='8'] button").click()
    eventually(lambda: planned(page), ["200", "8"])
    page.locator("#plan_problems .handle").focus()
    page.keyboard.press("ArrowRight")
    eventually(lambda: planned(page), ["201", "8"])
    assert page.locator("#plan [name=problems]").input_value() == "201"
    page.locator("#plan [name=samples]").fill("16")
    page.locator("#plan [name=samples]").press("Enter")
    eventually(lambda: planned(page), ["201", "16"])
    eventually(lambda: {"problems=201", "samples=16"} <= asked(page), True)
    assert page.locator("#plan_prediction .line.dashed").count() == 1


def test_three_sliders_make_a_pilot(visit):
    page = visit("plan")
    page.locator("#plan .chips button").nth(1).click()
    eventually(lambda: planned(page), ["200", "16"])
    before = page.locator("#plan h1").inner_text()
    page.locator("#plan [data-slides=spread]").fill("0")
    eventually(lambda: page.locator("#plan [name=spread]").input_value(), "0")
    eventually(lambda: page.locator("#plan h1").inner_text() != before, True)
    eventually(lambda: {"source=sliders", "spread=0"} <= asked(page), True)


def test_results_of_score_are_taken_over(visit):
    page = visit("plan")
    pilot = "\n".join(json.dumps({"id": i, "correct": [1, i % 2, int(i % 3 > 0)]}) for i in range(30))
    kept = json.dumps({"results": {"name": "mine.jsonl", "text": pilot}})
    page.evaluate("kept => sessionStorage.setItem('at-k-score', kept)", kept)
    page.get_by_text("Other results").click()
    page.locator("#plan [data-takes=score]").click()
    eventually(lambda: planned(page), ["30", "3"])
    assert "mine.jsonl" in page.locator("#plan .taken").inner_text()

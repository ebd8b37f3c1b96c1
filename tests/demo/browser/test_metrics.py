"""The page Metrics: each metric can be tried, and its card be read."""

import evaluate
import pytest

import at_k
from at_k.demo.document import write_document
from at_k.family import FAMILY
from tools.driving import eventually, turn_to

ANSWERS = [["7", "9", "9", "7", "8"], ["x", "x", "y", "x", "x"]]
GIVEN = """{"answers": ["7", "9", "9", "7", "8"], "reference": "7", "scores": [1, 2, 3, 4, 5]}
{"answers": ["x", "x", "y", "x", "x"], "reference": "x", "scores": [5, 4, 3, 2, 1]}"""
REFERENCES, SCORES = ["7", "x"], [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]

# What the demo of each is set to, and what its module calls that.
DEMOS = {
    "gpassk": ({"Answers drawn": "2, 4", "Thresholds τ": "0.6"}, {"k": [2, 4], "thresholds": [0.6]}),
    "pass_at_k": ({"Answers drawn": "1，3"}, {"k": [1, 3]}),
    "cons_at_k": ({"Answers drawn": "2"}, {"k": [2], "ties": "strict"}),
    "avg_at_n": ({}, {}),
    "best_at_k": ({"Answers drawn": "2"}, {"k": [2], "scores": SCORES, "higher_is_better": False}),
}


def result(page):
    rows = page.locator("#metrics [data-part=result] tr")
    exact = rows.evaluate_all("rows => rows.map(row => [row.children[0].innerText, row.children[1].title])")
    return {key: float(value) for key, value in exact}


def test_each_metric(visit):
    page = visit("metrics")
    assert page.locator("#metrics .which tbody tr td:first-child").all_inner_texts() == list(at_k.METRICS)
    form = page.locator("#metrics form")
    for name, (settings, options) in DEMOS.items():
        form.get_by_role("button", name=FAMILY[name].title, exact=True).click()
        title = f"The card of {FAMILY[name].title}"
        eventually(page.locator("#metrics [data-part=card] summary").inner_text, title)
        before = result(page)
        assert before
        page.locator("#metrics_data").fill(GIVEN)
        for label, value in settings.items():
            form.get_by_label(label).fill(value)
        if "ties" in options:
            form.get_by_label("A tied vote").select_option("strict")
        if "higher_is_better" in options:
            form.get_by_label("A higher score is better").uncheck()
        form.locator(".main").click()
        module = evaluate.load(str(at_k.module_path(name)))
        expected = module.compute(predictions=ANSWERS, references=REFERENCES, **options)
        assert expected != before
        eventually(lambda: result(page), expected)
        page.locator("#metrics_data").fill(GIVEN.replace('"x"]', "1]]"))
        form.locator(".main").click()
        eventually(lambda: "line 2" in "".join(page.locator("#metrics [role=alert]").all_inner_texts()), True)


@pytest.mark.parametrize(("locale", "heading"), [("zh-CN", "指标说明"), ("fr-FR", "Metric Description")])
def test_the_card_is_in_the_language_of_the_page(visit, locale, heading):
    page = visit("metrics", locale=locale)
    page.locator("#metrics [data-part=card] summary").click()
    assert page.locator("#metrics .card h3").first.inner_text() == heading
    assert page.locator("#metrics .card math").first.is_visible()


def test_the_space_of_a_metric_opens_at_its_card(visit):
    html = write_document("metrics", "metrics", "en", "", metric="cons_at_k")
    page = visit("metrics", document=html)
    assert page.locator(".at-k-header [aria-current]").inner_text() == "Which metric?"
    assert page.locator("#metrics [data-part=card] summary").inner_text() == "The card of cons@k"
    assert result(page)["cons@5"] == 0.75
    turn_to(page, "explore")

"""The page Metrics: each card can be read, and each small demo computes."""

import evaluate
import pytest

import at_k
from at_k.demo import cards
from at_k.family import FAMILY
from tools.driving import eventually, serving, turn_to

ANSWERS = [["7", "9", "9", "7", "8"], ["x", "x", "y", "x", "x"]]
GIVEN = """{"answers": ["7", "9", "9", "7", "8"], "reference": "7", "scores": [1, 2, 3, 4, 5]}
{"answers": ["x", "x", "y", "x", "x"], "reference": "x", "scores": [5, 4, 3, 2, 1]}"""
REFERENCES, SCORES = ["7", "x"], [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]

# What the demo of each is set to, and what its module calls that.
DEMOS = {
    "gpassk": ({"k": "2, 4", "Thresholds τ": "0.6"}, {"k": [2, 4], "thresholds": [0.6]}),
    "pass_at_k": ({"k": "1，3"}, {"k": [1, 3]}),
    "cons_at_k": ({"k": "2"}, {"k": [2], "ties": "strict"}),
    "avg_at_n": ({}, {}),
    "best_at_k": ({"k": "2"}, {"k": [2], "scores": SCORES, "higher_is_better": False}),
}


def result(page, name):
    rows = page.locator(f"#metrics_result_{name} tr")
    exact = rows.evaluate_all("rows => rows.map(row => [row.children[0].innerText, row.children[1].title])")
    return {key: float(value) for key, value in exact}


def rendered(page, name):
    """Whether every formula of a card is one, and nothing of it is left as it was written."""
    card = page.locator(f"#metrics_card_{name}")
    prose = card.evaluate("""card => {
        const copy = card.cloneNode(true);
        copy.querySelectorAll("pre, code, .katex").forEach(part => part.remove());
        return copy.textContent;
    }""")
    formulas = card.locator(".katex-display").count()
    return (
        card.locator(".katex-error").count() == 0
        and "$" not in prose
        and formulas == cards.read_card(name, "en").count("$$") / 2
    )


def test_each_metric(visit):
    page = visit("metrics")
    which = page.locator("#metrics_which tbody tr td:first-child").all_inner_texts()
    assert which == list(at_k.METRICS)
    for name, (settings, options) in DEMOS.items():
        page.get_by_role("tab", name=FAMILY[name].title, exact=True).click()
        demo = page.locator(f"#metrics_card_{name}").locator("xpath=..")
        eventually(lambda name=name: rendered(page, name), True)
        before = result(page, name)
        assert before
        demo.locator("textarea").fill(GIVEN)
        for label, value in settings.items():
            demo.get_by_label({"k": "k, draws"}.get(label, label)).fill(value)
        if "ties" in options:
            demo.get_by_label("A tied vote").click()
            page.get_by_role("option", name="any winner needs more than half").click()
        if "higher_is_better" in options:
            demo.get_by_label("A higher score is better").uncheck()
        page.locator(f"#metrics_run_{name}").click()
        module = evaluate.load(str(at_k.module_path(name)))
        expected = module.compute(predictions=ANSWERS, references=REFERENCES, **options)
        assert expected != before
        eventually(lambda name=name: result(page, name), expected)
        demo.locator("textarea").fill(GIVEN.replace('"x"]', "1]]"))
        page.locator(f"#metrics_run_{name}").click()
        demo.get_by_role("alert").wait_for()
        assert "line 2" in demo.get_by_role("alert").inner_text()


@pytest.mark.parametrize(("locale", "heading"), [("zh-CN", "指标说明"), ("fr-FR", "Metric Description")])
def test_the_card_is_in_the_language_of_the_page(visit, locale, heading):
    page = visit("metrics", locale=locale)
    assert page.locator("#metrics_card_gpassk h2").first.inner_text() == heading


@pytest.fixture(scope="module")
def of_a_metric(tmp_path_factory):
    """What the Space of one metric starts."""
    with serving(tmp_path_factory.mktemp("metric"), 'launch(page="metrics", metric="cons_at_k")') as server:
        yield server


def test_the_space_of_a_metric_opens_at_its_card(visit, of_a_metric):
    page = visit("metrics", url=of_a_metric.url)
    assert page.locator(".at-k-header [aria-current]").inner_text() == "Metrics"
    assert page.locator("[role=tab][aria-selected=true] >> visible=true").all_inner_texts() == ["cons@k"]
    assert page.locator("#metrics_card_cons_at_k .katex").first.is_visible()
    assert result(page, "cons_at_k")["cons@5"] == 0.75
    turn_to(page, "explore")

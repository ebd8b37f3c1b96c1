"""The page Compare, used as a person uses it."""

import json

import pytest

from at_k.demo.words import say
from tools.driving import eventually

KINDS = [
    {"width": 1280, "height": 900, "color_scheme": "light", "locale": "en-GB"},
    {"width": 390, "height": 844, "color_scheme": "dark", "locale": "zh-CN", "has_touch": True, "is_mobile": True},
]
A = "\n".join(json.dumps({"task_id": f"p{i}", "correct": [1, 1, 1, int(i % 3 > 0)]}) for i in range(20))
B = "\n".join(json.dumps({"task_id": f"p{i}", "correct": [0, int(i % 2), 0, 0]}) for i in range(20))


def headline(page):
    return page.locator("#compare h1").inner_text()


@pytest.mark.parametrize("options", KINDS, ids=["wide", "phone"])
def test_the_sentence_the_table_and_the_pictures_are_in_sight(visit, options):
    page = visit("compare", **options)
    language = options["locale"][:2]
    assert "pass@1" in headline(page)
    assert say(language, "compare.pair_long") in headline(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#compare_scatter .point").count() > 5
    page.locator("#compare [data-key='pass@4'] button").click()
    eventually(lambda: "pass@4" in headline(page), True)
    eventually(lambda: "key=pass%404" in page.evaluate("location.search"), True)
    assert page.locator("#compare_curves .line").count() == 2
    point = page.locator("#compare_scatter .point").last
    name = point.get_attribute("data-problem")
    point.dispatch_event("click")
    places = json.loads(page.locator("#compare [data-problems]").get_attribute("data-problems"))["points"][int(name)]
    assert page.locator("#compare .chosen .problem").count() == min(12, len(places))
    page.reload()
    eventually(lambda: "pass@4" in headline(page), True)


def test_two_files_are_compared_and_survive_a_reload(visit):
    page = visit("compare")
    page.locator("#compare form summary").first.click()
    page.locator("#compare_a").fill(A)
    assert page.locator("#compare [data-part=head]").get_attribute("data-stale") is not None
    page.locator("#compare [data-side=b] input[type=file]").set_input_files(
        {"name": "rival.jsonl", "mimeType": "application/json", "buffer": B.encode()}
    )
    eventually(lambda: "A is better at pass@1" in headline(page), True)
    page.locator("#compare[aria-busy=false]").wait_for()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#compare .flips button").first.click()  # which leaves the box; what stands in it has its answer
    page.locator("#compare .chosen .squares .right").first.wait_for()
    assert asked == []
    page.reload()
    eventually(lambda: "A is better at pass@1" in headline(page), True)
    page.locator("#compare form summary").first.click()
    page.locator("#compare [name=margin]").fill("x")
    page.locator("#compare [name=margin]").press("Enter")
    page.locator("#compare .refused").wait_for()
    assert "“x”" in page.locator("#compare .refused").inner_text()
    assert page.locator("#compare [data-part=table] td").count() > 0  # old numbers stay, marked as old
    assert page.locator("#compare [data-part=table]").get_attribute("data-stale") is not None


@pytest.mark.parametrize("refused_by", ["server", "browser"])
@pytest.mark.parametrize(("name", "field"), [("compare", "margin"), ("plan", "half_width")])
def test_nothing_of_an_old_answer_can_be_taken_while_a_refusal_stands(visit, name, field, refused_by):
    page = visit(name)
    parts = page.locator(f"#{name} [data-part]")
    page.locator(f"#{name}[data-ready]").wait_for()
    assert not parts.evaluate_all("parts => parts.some(part => part.inert)")
    for fold in page.locator(f"#{name} form summary").all():
        fold.evaluate("summary => { summary.parentElement.open = true; }")
    if refused_by == "server":
        page.locator(f"#{name} [name={field}]").fill("x")
        page.locator(f"#{name} [name={field}]").press("Enter")
    else:
        page.locator(f"#{name} input[type=file]").first.set_input_files(
            {"name": "x", "mimeType": "", "buffer": b"\x89PNG\x00\x00"}
        )
    page.locator(f"#{name} .refused").wait_for()
    assert parts.evaluate_all("parts => parts.every(part => part.inert && 'stale' in part.dataset)")
    page.locator(f"#{name} [name={field}]").fill("3")
    page.locator(f"#{name} [name={field}]").press("Enter")
    eventually(page.locator(f"#{name} .refused").count, 0)
    eventually(lambda: parts.evaluate_all("parts => parts.some(part => part.inert)"), False)


def test_several_files_of_a_model_are_compared(visit):
    page = visit("compare")
    page.locator("#compare form summary").first.click()
    page.locator("#compare_b").fill(B)
    runs = [
        {"name": f"run{run}.jsonl", "mimeType": "", "buffer": "\n".join(
            json.dumps({"task_id": f"p{i}", "correct": [1, run % 2], "run_seed": run}) for i in range(20)).encode()}
        for run in range(3)
    ]  # fmt: skip
    page.locator("#compare [data-side=a] input[type=file]").set_input_files(runs)
    eventually(lambda: "3 files: run0.jsonl" in headline(page) and "is better at" in headline(page), True)
    assert page.locator("#compare .taken").inner_text().count("20 problems × 6 samples") == 1


def test_two_models_of_a_file_on_score_are_carried_over(visit):
    rows = [
        json.loads(line) | {"model": name} for name, text in (("first", A), ("second", B)) for line in text.splitlines()
    ]
    page = visit("compare")  # it has an answer already
    page.locator(".at-k-header a[data-page=score]").click()
    page.locator("#score_results").fill("\n".join(map(json.dumps, rows)))
    page.locator("#score .main").click()
    page.locator("#score [data-compares]").click()
    eventually(lambda: "first is better at pass@1" in headline(page), True)
    page.reload()
    eventually(lambda: "first is better at pass@1" in headline(page), True)

"""All pages for people who do not see them, or not all colours of them, and who use no mouse."""

import json

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tools.driving import READY, eventually, turn_to

PAGES = [*READY, "api"]

# Texts that are faint are looked for in test_looks.py, in figures too, where axe does not look. That rule takes axe
# longer than all others together.
RULES = {"resultTypes": ["violations"], "preload": False, "rules": {"color-contrast": {"enabled": False}}}

AXE = """rules => axe.run(rules).then(
    found => found.violations.map(each => [each.id, ...each.nodes.map(node => node.target.join())])
)"""


@pytest.mark.parametrize(("width", "locale"), [(1280, "en-GB"), (390, "zh-CN")])
def test_axe_finds_nothing_on_a_page_where_all_is_unfolded(visit, width, locale):
    page = visit("explore", width=width, locale=locale)
    page.evaluate(AXE_SCRIPT)
    found = {}
    for name in PAGES:
        if name in READY:
            turn_to(page, name)
        else:
            page.locator(f".at-k-footer [data-page={name}]").click()
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        found[name] = page.evaluate(AXE, RULES)
    assert {name: each for name, each in found.items() if each} == {}


WITHOUT_TABLE = """() => [...document.querySelectorAll(".figure")].filter(figure => {
    const table = figure.querySelector(".unseen table");
    return figure.checkVisibility() && (!table?.caption?.textContent || table.rows.length < 2);
}).map(figure => figure.id)"""


def test_every_figure_carries_its_numbers_as_a_table(visit):
    page = visit("explore")
    for name in READY:
        turn_to(page, name)
        eventually(lambda: page.evaluate(WITHOUT_TABLE), [])


def test_the_table_of_a_figure_has_the_numbers_of_its_lines(visit):
    page = visit("explore")
    rows = page.locator("#story_demand .unseen tr")
    eventually(rows.count, 5)
    assert rows.all_text_contents()[0].endswith("ShakySteady")
    assert [row.replace("\xa0", " ") for row in rows.all_text_contents()[1:]] == [
        "196 %50 %", "272 %50 %", "328 %50 %", "44 %50 %",
    ]  # fmt: skip
    turn_to(page, "score")
    figure = json.loads(page.locator("#score_curves").get_attribute("data-figure"))
    shown = [line for line in figure["lines"] if not line["hidden"]]
    rows = page.locator("#score_curves .unseen tr")
    eventually(rows.count, 1 + len({k for line in shown for k in line["x"]}))
    cells = rows.last.locator("th, td").all_text_contents()
    assert cells == [str(figure["x"]["max"]), *(f"{line['y'][-1]:.4f}" for line in shown)]


def test_cells_are_copied_by_keys(visit):
    page = visit("score", permissions=["clipboard-read", "clipboard-write"])
    first = page.locator("#score .matrix td[data-key]").first
    assert page.locator("#score .matrix").first.get_attribute("role") == "grid"
    first.focus()
    page.keyboard.press("ArrowUp")  # there is none above it
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    cell = page.evaluate("({ ...document.activeElement.dataset })")
    page.keyboard.press("Enter")
    start = f"{cell['key']} {float(cell['value']):.3f} ["
    eventually(lambda: page.evaluate("navigator.clipboard.readText()").startswith(start), True)
    assert page.locator("#score .matrix td[tabindex='0']").count() == page.locator("#score .matrix").count()


def test_one_band_is_shown_at_a_time_and_chosen_by_hand_and_by_keys(visit):
    page = visit("score")
    bands, ends = page.locator("#score_curves .band"), page.locator("#score_curves .end")
    names = ends.evaluate_all("all => all.map(end => end.dataset.name)")
    assert len(names) > 2

    def chosen():
        pressed = page.locator("#score_curves .end[aria-pressed=true]")
        fills = bands.evaluate_all("all => all.map(band => band.getAttribute('fill'))")
        assert fills == pressed.evaluate_all("all => all.map(end => end.getAttribute('fill'))")
        return pressed.evaluate_all("all => all.map(end => end.dataset.name)")

    assert len(chosen()) == 1
    ends.nth(names.index("pass@k")).hover()
    assert chosen() == ["pass@k"]
    ends.nth(names.index("cons@k")).focus()
    assert chosen() == ["cons@k"]

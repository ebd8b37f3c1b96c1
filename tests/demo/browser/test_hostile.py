"""Results of an attacker in the browser: they are shown as text, and refused where they are too much."""

import csv
import json
from io import StringIO

from readers.zips import DEFLATED, Member, pack

from at_k.demo.words import say
from tools.driving import eventually, turn_to

HOSTILE = [
    {
        "id": "<img src=x onerror=alert(1)>",
        "level": "<script>alert(2)</script>",
        "answers": ["<b>x</b>", "$\\frac{1}{2}$"],
        "correct": [1, 0],
        "score": [1, 2],
    },
    {
        "id": "$$\\frac12$$ %{x} </script><script>alert(3)</script>",
        "level": "$x$ <svg onload=alert(4)>",
        "answers": ["javascript:alert(5)", "<iframe src=//example.org>"],
        "correct": [1, 0],
        "score": [1, 2],
    },
    {
        "id": "=cmd|' /C calc'!A0",
        "level": '=HYPERLINK("http://example.org")',
        "answers": ["@a", "+b"],
        "correct": [1, 0],
    }
    | {"score": [1, 2]},
]

# Elements that could only come from what was given.
MADE = """() => [...document.querySelectorAll(
    "#score [data-part] :is(img, iframe, object, embed, base, form, script, [onload], [onerror], .katex, b), "
    + "[src=x], [role=alert] :not(button), .remarks * *"
)].map(element => element.outerHTML)"""


def test_what_is_given_is_shown_as_text(visit):
    page = visit("score")
    give(page, "\n".join(map(json.dumps, HOSTILE)))
    expected = ["$x$ <svg onload=alert(4)>", "<script>alert(2)</script>", '=HYPERLINK("http://example.org")']
    labels = page.locator("#score tr[data-label] th")
    eventually(lambda: labels.all_inner_texts()[:3], expected)
    assert page.evaluate(MADE) == []
    names = page.locator("#score .problem-list tbody th button")
    eventually(lambda: set(names.all_inner_texts()), {row["id"] for row in HOSTILE})
    for place in range(names.count()):
        names.nth(place).click()
        page.locator("#score .detail").wait_for()
        assert page.evaluate(MADE) == []
    for link, column in (("Problems, CSV", 0), ("Problems, CSV", 1)):
        with page.expect_download() as download:
            page.get_by_text(link, exact=True).click()
        cells = [row[column] for row in csv.reader(StringIO(download.value.path().read_text("utf-8")))][1:]
        given = [row[("id", "level")[column]] for row in HOSTILE]
        assert cells == [f"'{cell}" if cell.startswith("=") else cell for cell in given]
    with page.expect_download() as download:
        page.get_by_text("Table, CSV", exact=True).click()
    heading = next(csv.reader(StringIO(download.value.path().read_text("utf-8"))))
    assert '\'=HYPERLINK("http://example.org")' in heading


def test_what_is_given_is_said_as_text(visit):
    page = visit("score")
    said = page.get_by_role("alert")
    give(page, '{"<img src=x onerror=alert(1)>": 1, "$$\\\\frac12$$": "<b>"}')
    eventually(lambda: "“<img src=x onerror=alert(1)>”, “$$\\frac12$$”" in "".join(said.all_inner_texts()), True)
    assert page.evaluate(MADE) == []
    page.locator("#score [name=column_answers]").select_option("<img src=x onerror=alert(1)>", force=True)
    eventually(said.count, 1)
    give(page, '{"correct": [1, "<img src=x onerror=alert(1)>"]}')
    eventually(lambda: "got “<img src=x onerror=alert(1)>”" in "".join(said.all_inner_texts()), True)
    assert page.evaluate(MADE) == []
    turn_to(page, "metrics")
    page.locator("#metrics_data").fill('{"correct": [1, "<img src=x onerror=alert(1)>"]}')
    page.locator("#metrics .main").click()
    eventually(lambda: "got “<img src=x onerror=alert(1)>”" in "".join(said.all_inner_texts()), True)
    assert page.evaluate(MADE) == []


def test_too_much_in_the_browser(visit):
    """It is not sent whole, and stays where it was pasted."""
    page = visit("score")
    # With a million rows it takes Chromium itself half a minute to lay out the lines of the box.
    row = f'{{"correct": [1, 0], "note": "{"x" * 1000}"}}\n'
    box = page.locator("#score_results")
    box.evaluate(
        "(box, row) => { box.value = row.repeat(6000); box.dispatchEvent(new Event('input', { bubbles: true })); }", row
    )
    page.locator("#score .main").click()
    said = page.locator("#score .refusals [role=alert]")
    eventually(lambda: "the limit is 5,000,000" in "".join(said.all_inner_texts()), True)
    assert box.evaluate("box => box.value.length") == 6000 * len(row)
    page.locator("#score input[type=file]").set_input_files(
        {"name": "a.png", "mimeType": "", "buffer": b"\x89PNG\r\n\x1a\n\0"}
    )
    eventually(said.all_inner_texts, [say("en", "score.file_not_text")])
    assert box.evaluate("box => box.value.length") == 6000 * len(row)
    name = "<img src=x onerror=alert(1)>.zip"
    bomb = pack([Member("results.json", bytes(100_000_000), method=DEFLATED)])
    page.locator("#score input[type=file]").set_input_files({"name": name, "mimeType": "", "buffer": bomb})
    eventually(lambda: "Its members are: “results.json”" in "".join(said.all_inner_texts()), True)
    assert page.locator("#score .file-name").inner_text().strip() == name
    assert page.evaluate(MADE) == []
    give(page, '{"correct": [1, 0]}')
    eventually(lambda: page.locator(".summary").inner_text().startswith("Problems: 1,"), True)


def give(page, text):
    page.locator("#score_results").fill(text)
    page.locator("#score .main").click()

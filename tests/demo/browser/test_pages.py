"""The pages in a browser: screens and their bounds, files, buttons, addresses, keys, and people who see otherwise."""

import gzip
import json
import random
import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from cases import for_each

from tools.driving import AXE, READY, SHIFT, SHORTEN, eventually, turn_to

PAGES = list(READY)
ROWS = "\n".join(
    json.dumps(
        {"id": f"p{i}", "answers": ["7", "7", str(i % 3), "7" if i % 4 else "1"], "reference": "7"}
    )
    for i in range(24)
)


def give(page, text, name="own.jsonl", place="#source"):
    page.locator(f"{place} input[type=file]").set_input_files(
        {"name": name, "mimeType": "", "buffer": text if isinstance(text, bytes) else text.encode()}
    )


def find_address(page):
    return page.evaluate(
        "location.href"
    )  # `page.url` is updated only by other requests to the browser


def count_numbers(page):
    return len(re.findall(r"\d+(?:[.,]\d+)*", page.locator("main").inner_text()))


def open_folds(page, name):
    turn_to(page, name)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")


def test_no_page_scrolls_sideways_and_tabs_are_whole_and_few_fields_are_visible(visit):
    page = visit("gpassk")
    for name in PAGES:
        open_folds(page, name)
        fields = page.locator("main :is(input:not([type=file]), select, textarea) >> visible=true")
        assert fields.count() <= 6, name
        for width in (320, 375, 390, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            tabs = page.locator("nav a").evaluate_all(
                "tabs => tabs.map(tab => tab.getBoundingClientRect().toJSON())"
            )
            assert all(0 <= tab["left"] < tab["right"] <= width for tab in tabs), name
            assert len(tabs) >= len(PAGES), name


@pytest.mark.parametrize(("width", "height", "most"), [(1280, 800, 1400), (390, 844, 2400)])
def test_the_first_screen_has_sentence_figure_and_a_way_to_open_a_file(visit, width, height, most):
    page = visit("score", width=width, height=height)
    for place in ("h1", ".stair svg", "main .open"):
        box = page.locator(place).first.bounding_box()
        assert box["y"] + box["height"] <= height, place
    assert page.locator(".stair").last.bounding_box()["y"] < height
    assert page.evaluate("document.documentElement.scrollHeight") <= most
    assert count_numbers(page) <= 60


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_pages_hold_still_while_they_are_drawn(visit, width, height):
    for name in ("score", "compare", "plan"):
        page = visit(name, width=width, height=height)
        assert page.evaluate(SHIFT) < 0.1, name


@pytest.mark.parametrize(("name", "most"), [("gpassk", 40_000), ("score", 40_000)])
def test_pages_are_small(visit, name, most):
    page = visit("plan")
    sizes = []
    parts = ("responseBodySize", "responseHeadersSize")
    page.on(
        "requestfinished",
        lambda request: sizes.append(sum(request.sizes()[part] for part in parts)),
    )
    page.goto(page.url.replace("/plan", f"/{name}"))
    page.locator(READY[name]).first.wait_for()
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) <= most


@pytest.mark.parametrize(
    ("width", "locale", "scheme", "other"),
    [(1280, "en-GB", "light", "dark"), (390, "zh-CN", "dark", "light")],
)
def test_axe_finds_nothing_where_all_is_unfolded(visit, width, locale, scheme, other):
    found, page = {}, visit(width=width, locale=locale, color_scheme=scheme)
    for name in PAGES:
        page.emulate_media(color_scheme=scheme)
        open_folds(page, name)
        page.evaluate(SHORTEN)
        page.evaluate(AXE_SCRIPT)
        found[name] = page.evaluate(AXE, {})
        page.emulate_media(color_scheme=other)  # which changes colours alone
        found[name] += page.evaluate(AXE, {"runOnly": ["color-contrast"]})
    assert {name: each for name, each in found.items() if each} == {}


def test_a_file_is_scored_where_it_is_opened(visit):
    page = visit("gpassk")
    give(page, ROWS, place="#line")
    eventually(lambda: "own.jsonl" in page.locator("#lead").inner_text(), True)
    turn_to(page, "score")
    give(page, ROWS)
    eventually(page.locator("#source b").first.inner_text, "own.jsonl")
    assert "24 problems × 4 answers" in page.locator("#source").inner_text()
    assert find_address(page).endswith(("/score?own=own.jsonl", "/score"))
    assert page.locator("nav [aria-current]").inner_text() == "Score"


def test_texts_are_pasted_mended_and_kept_in_the_address(visit):
    page = visit("score")
    page.get_by_role("button", name="Paste").click()
    page.locator("textarea").fill(
        '{"id": "a", "correct": [1, null]}\n{"id": "b", "correct": [1, 1]}'
    )
    page.get_by_role("button", name="Read").click()
    assert "missing" in page.locator("#refused .refused").inner_text()
    assert page.locator("#refused code").all_inner_texts() == [
        "missing = incorrect",
        "missing = drop",
    ]
    page.get_by_role("button", name="missing = drop").click()
    eventually(lambda: page.locator("h1").inner_text().replace("\xa0", " ")[:9], "100 % rig")
    eventually(lambda: "o.missing=drop" in find_address(page), True)
    visit.troubles[:] = [each for each in visit.troubles if "422" not in each]
    page.reload()
    eventually(lambda: page.locator("h1").inner_text().replace("\xa0", " ")[:9], "100 % rig")


def test_all_state_is_in_the_address(visit):
    page = visit("score")
    page.get_by_role("button", name="4", exact=True).click()
    page.get_by_role("button", name=re.compile("the vote is right")).click()
    eventually(
        lambda: sorted(find_address(page).partition("?")[2].split("&")), ["k=4", "key=cons%404"]
    )
    heading = page.locator("section h2").nth(1).inner_text()
    page.reload()
    page.locator(READY["score"]).first.wait_for()
    assert (
        page.locator("section h2").nth(1).inner_text() == heading == "The vote is right, by level"
    )
    page.locator("summary").first.click()
    page.locator(".fields select").first.select_option("numeric")
    eventually(lambda: "o.check_correct_fn=numeric" in find_address(page), True)
    page.reload()
    page.locator("summary").first.click()
    eventually(page.locator(".fields select").first.input_value, "numeric")


def test_addresses_of_other_examples_and_of_own_results(visit):
    page = visit("score", "?example=harness/trl")
    assert "Qwen2.5-Math" in page.locator("#source").inner_text()
    page = visit("score", "?own=secret.jsonl", ready=False)
    eventually(lambda: "secret.jsonl" in page.locator("#refused").inner_text(), True)


def test_a_paste_says_what_was_read_as_what_and_is_downloaded_with_its_numbers(visit):
    page = visit("score")
    page.get_by_role("button", name="Paste").click()
    page.locator("textarea").fill("| task | result |\n|---|---|\n| a | PASS |\n| a | FAIL |")
    page.get_by_role("button", name="Read").click()
    said = "Problem: task · Verdicts or grades: result · Read as a Markdown table with the columns task, result."
    eventually(page.locator(".read").all_inner_texts, [said])
    page.get_by_text("The same on your machine, and files").click()
    files = {}
    for name in ("results.jsonl", "CSV"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        files[name] = download.value.path().read_text("utf-8")
    assert files["results.jsonl"] == "task,result\na,PASS\na,FAIL\n"
    assert files["CSV"].count("pass@") > 3


def test_equal_runs_are_noted_and_one_can_be_dropped(visit):
    page = visit("score")
    rows = '{"task_id": "a", "correct": 1}\n{"task_id": "b", "correct": 0}'
    files = [{"name": f"run_{i}.jsonl", "mimeType": "", "buffer": rows.encode()} for i in (1, 2)]
    page.locator("#source input[type=file]").set_input_files(files)
    eventually(lambda: "2 problems × 2 answers" in page.locator("#source").inner_text(), True)
    page.get_by_role("button", name="Leave out run_2.jsonl").click()
    eventually(lambda: "2 problems × 1 answer" in page.locator("#source").inner_text(), True)


def test_two_files_are_compared_with_both_decisions(visit):
    page = visit("compare")
    better = ROWS.replace('"1"]', '"7"]')
    give(page, better, "better.jsonl", "#source_a")
    give(page, ROWS, "worse.jsonl", "#source_b")
    eventually(lambda: page.locator("#compare .side").count(), 2)
    eventually(lambda: "worse" in page.locator("#source_b").inner_text(), True)
    decision = page.locator("h1.decision")
    eventually(
        lambda: "".join(decision.all_inner_texts()).startswith("On these 24 problems:"), True
    )
    _, others = decision.locator("span").all_inner_texts()
    read = "all => all.map(each => each.getAttribute('stroke'))"
    colours = page.locator(".chart path[stroke-linecap]").evaluate_all(read)
    assert ("is better" in others) == ("var(--a)" in colours)
    assert ("No difference" in others) == (set(colours) == {"var(--soft)"})
    assert page.locator("#report table >> nth=1").locator("tbody tr").count() == 3


def test_sliders_of_plan_change_the_sentence_quickly(visit):
    page = visit("plan")
    before = page.locator("h1").inner_text()
    taken = page.evaluate("""async () => {
        const slider = document.querySelector("input[type=range]");
        const times = [];
        for (let i = 0; i < 10; i += 1) {
            slider.value = String(i);
            const start = performance.now();
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)[5];
    }""")
    assert taken <= 16
    assert page.locator("h1").inner_text() != before
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("Home")
    assert page.locator("h1").inner_text().startswith("10 problems × 8 answers:")
    assert "of simulated data sets" in page.locator(".lead").inner_text()
    page.keyboard.press("End")
    assert "by a formula" in page.locator(".lead").inner_text()
    page.keyboard.press("Home")
    eventually(lambda: "M=10" in find_address(page), True)


def test_everything_is_reached_by_keys(visit):
    page = visit("score")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.textContent || document.activeElement.ariaLabel")
        )
    for name in ("Compare", "Paste", "8", "Options"):
        assert name in reached
    assert any("vote" in (each or "") for each in reached)


def test_language_and_theme_are_kept_and_reduced_motion_stops_transitions(visit):
    page = visit("score", reduced_motion="reduce")
    page.get_by_role("button", name="中文").click()
    eventually(page.locator("nav a").first.inner_text, "试玩")
    page.get_by_role("button", name="浅色或深色").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    turn_to(page, "plan")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.evaluate("document.querySelector('main').classList.add('busy')")
    assert (
        page.evaluate("getComputedStyle(document.querySelector('main')).transitionDuration") == "0s"
    )


def write_large(kind):
    """Rows that are larger than the page takes: verdicts beside long completions."""
    chance = random.Random(7)
    words = "".join(chance.choices("abcdefghij ", k=2_000))
    rows = [(f"task {i // 4}", words[i % 500 :], int(chance.random() < 0.5)) for i in range(2_900)]
    if kind == "csv":
        return "task_id,completion,passed\n" + "\n".join(f'{a},"{b}",{c}' for a, b, c in rows), rows
    # Numbers of more digits than a double has: each must stay another problem.
    return "\n".join(
        json.dumps({"task_id": 10**19 + i // 4, "completion": b, "passed": bool(c)})
        for i, (_, b, c) in enumerate(rows)
    ), rows


def test_large_files_lose_what_is_not_needed_in_the_browser(visit):
    page = visit("score")
    for kind in ("csv", "jsonl.gz"):
        text, rows = write_large(kind)
        data = text.encode()
        assert len(data) > 5_000_000
        give(page, gzip.compress(data, 1) if kind.endswith("gz") else data, f"large.{kind}")
        eventually(page.locator("#source b").first.inner_text, f"large.{kind}")
        assert f"{len(rows) // 4} problems × 4 answers" in page.locator("#source").inner_text()
        right = round(100 * sum(row[2] for row in rows) / len(rows))
        eventually(lambda: page.locator("h1").inner_text().partition("\xa0")[0], f"{right}")


@pytest.mark.parametrize(("data", "said"), [
    (b"\x89PNG\r\n\x1a\n\0", "neither text nor"), (b"[" + b'{"a": 1},' * 700_000 + b"1]", "one list of JSON"),
    (b'{"a": "%s"}\n' % (b"x" * 1000) * 6_000, "no column says"), ("é".encode("utf-16"), "No known harness"),
], ids=["binary", "array", "no verdicts", "UTF-16"])  # fmt: skip
def test_files_that_cannot_be_used_are_refused_with_a_sentence(visit, data, said):
    page = visit("score")
    give(page, data, "<img src=x onerror=alert(1)>")
    eventually(
        lambda: any(words in page.locator("#refused").inner_text() for words in (said, "results")),
        True,
    )
    visit.troubles[:] = [each for each in visit.troubles if "422" not in each]


@for_each("name", ["score", "plan"])
def test_a_refused_file_leaves_no_numbers_of_another(visit, name):
    for data in (
        b"\x89PNG\r\n\x1a\n\0",
        b'{"a": 1}\n' * 3,
    ):  # refused on the page, and by the server
        page = visit(name)
        assert page.locator("#report").inner_text() != ""
        give(page, data, "bad.jsonl")
        page.locator("#refused .refused").wait_for()
        eventually(page.locator("#report").inner_text, "")
        assert "Qwen" not in page.locator("#source").inner_text()
    visit.troubles[:] = [each for each in visit.troubles if "422" not in each]


def test_columns_that_nobody_knows_are_named_on_the_page(visit):
    page = visit("score")
    give(page, "foo,bar,baz\nu,gut,7\nu,mies,8\nv,gut,9\nv,gut,5", "odd.csv")
    page.locator("#refused select").nth(0).select_option("foo")
    page.locator("#refused select").nth(1).select_option("bar")
    page.get_by_role("button", name="75.0 %").click()  # what the words mean is asked then
    eventually(lambda: "75" in "".join(page.locator("h1").all_inner_texts()), True)
    assert "2 problems × 2 answers" in page.locator("#source").inner_text()
    visit.troubles[:] = [each for each in visit.troubles if "422" not in each]


HOSTILE = [{"id": name, "level": level, "answers": answers} for name, level, answers in (
    ("<img src=x onerror=alert(1)>", "<script>alert(2)</script>", ["<b>x</b>", "$\\frac{1}{2}$"]),
    ("</script><script>alert(3)</script>", "<svg onload=alert(4)>", ["javascript:alert(5)", "x"]),
    ("=cmd|' /C calc'!A0", '=HYPERLINK("http://example.org")', ["@a", "+b"]),
)]  # fmt: skip


def test_input_is_shown_as_text(visit):
    page = visit("score")
    give(page, "\n".join(json.dumps(row | {"correct": [1, 0]}) for row in HOSTILE), "<i>.jsonl")
    eventually(page.locator("#source b").first.inner_text, "<i>.jsonl")
    shown = page.locator("#report").inner_text()
    assert all(row["level"] in shown for row in HOSTILE)
    page.locator(".stair svg").first.click()
    made = "document.querySelectorAll('main :is(img, iframe, script, object, [onload], [onerror])').length"
    assert page.evaluate(made) == 0
    give(page, '{"<img src=x onerror=alert(1)>": 1, "b": "<b>"}')
    eventually(
        lambda: "<img src=x onerror=alert(1)>" in page.locator("#refused").inner_text(), True
    )
    assert page.evaluate(made) == 0
    visit.troubles[:] = [each for each in visit.troubles if "422" not in each]

"""The pages that are played with: every number in the browser is the library's, for every control and every click."""

import json
import re
from functools import cache

import numpy as np
import pytest
from axe_playwright_python.base import AXE_SCRIPT

import at_k
from at_k.analysis.claims import Share
from at_k.demo.given import read_example
from at_k.family import METRICS
from tools.driving import AXE, ROOT, SHIFT, SHORTEN, eventually

EXACT = 1e-12
"""Both sides are sums of a few hundred products of doubles."""

TASKS = [sum(json.loads(line)["correct"]) for line in read_example("taubench_airline").splitlines()]
IMPORT = "(await import(new URL('pages/counting.js', location.origin)))[name]"
COUNTING = f"async ([name, args]) => {IMPORT}(...args)"
COUNTING_ALL = f"async ([name, cases]) => {{ const found = {IMPORT}; return cases.map((each) => found(...each)); }}"


def draw_votes(rng, n):
    """Draw answers of a problem, some of them missing: [answer, count, right]."""
    answers = rng.integers(0, rng.integers(1, 6), n).tolist()
    counts = {answer: answers.count(answer) for answer in answers}
    return [
        [None if answer == 4 else str(answer), count, int(answer == 0)]
        for answer, count in counts.items()
    ]


def spread(votes, place):
    return [row[place] for row in votes for _ in range(row[1])]


def test_the_chances_are_those_of_the_library(visit):
    page, rng = visit("gpassk"), np.random.default_rng(0)

    def ask(name, cases):
        return page.evaluate(COUNTING_ALL, [name, cases])

    counts = [(n, c, k, needed) for n in (1, 2, 3, 5, 8) for c in range(n + 1) for k in range(1, n + 1)
              for needed in range(1, k + 1)]  # fmt: skip
    counts += [
        (1000, c, k, needed)
        for c in (0, 1, 30, 500, 999, 1000)
        for k, needed in ((1, 1), (64, 16), (1000, 900))
    ]
    expected = [
        float(at_k.g_pass_at_k(n, c, k=k, thresholds=needed / k - 1e-9))
        for n, c, k, needed in counts
    ]
    assert ask("atLeast", counts) == pytest.approx(expected, abs=EXACT)
    cases = [(draw_votes(rng, n), n, k) for n in (1, 2, 4, 8, 16) for _ in range(12) for k in {1, 2, n // 2, n}
             if 1 <= k <= n]  # fmt: skip
    expected = [at_k.score({"answers": [spread(votes, 0)], "grades": [spread(votes, 2)]}, k=[k], missing="incorrect",
                           metrics=["cons_at_k"]).values for votes, _, k in cases]  # fmt: skip
    found = ask("vote", [({"n": n, "votes": votes}, k) for votes, n, k in cases])
    assert found == pytest.approx(
        [values[f"cons@{k}"] for values, (*_, k) in zip(expected, cases, strict=True)], abs=EXACT
    )
    cases = [(rng.integers(0, 5, n).tolist(), rng.integers(0, 2, n).tolist(), k) for n in (1, 3, 8, 20)
             for _ in range(8) for k in {1, 2, n} if k <= n]  # fmt: skip
    expected = [at_k.score({"grades": [grades], "scores": [scores]}, k=[k], metrics=["best_at_k"]).values[f"best@{k}"]
                for scores, grades, k in cases]  # fmt: skip
    found = ask(
        "best",
        [({"scores": list(zip(scores, grades, strict=True))}, k) for scores, grades, k in cases],
    )
    assert found == pytest.approx(expected, abs=EXACT)


def test_intervals_are_those_of_the_library(visit):
    page, rng = visit("gpassk"), np.random.default_rng(1)
    cases = [[1.0] * m for m in (1, 2, 15, 1000)] + [[0.0] * 3, [0.5], [0.0, 1.0], [0.2, 0.4, 0.9]]
    cases += [rng.beta(0.3, 0.5, m).round(3).tolist() for m in (2, 30, 400)]
    for values in cases:
        stderr = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
        low, high = at_k.interval(np.mean(values), stderr, len(values))
        found = page.evaluate(COUNTING, ["average", [values]])
        # A quantile by bisection, of a function with 14 digits.
        assert (found["low"], found["high"]) == pytest.approx(
            (float(low), float(high)), abs=1e-9
        ), values


PLAY = """() => {
    const at = (id) => document.getElementById(id);
    const set = (place, value) => {
        const slider = document.querySelectorAll("#knobs input")[place];
        if (slider.value === `${value}`) return;
        slider.value = value;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const write = (row) => row.querySelector("b").textContent + row.querySelector("small").textContent;
    const read = () => [at("title").textContent, ...[...document.querySelectorAll("#rows .stair")].map(write)];
    const all = () => {
        const found = [];
        for (let k = 1; k <= 4; k += 1) for (let needed = 1; needed <= k; needed += 1) {
            set(0, k);
            set(1, needed);
            found.push([k, needed, ...read()]);
        }
        return found;
    };
    const found = [["", all()]];
    for (let column = 0; column < 50; column += 1) for (let level = 1; level <= 4; level += 1) {
        const svg = document.querySelector("#figure svg");
        const box = svg.getBoundingClientRect();
        const clientX = box.left + (column + 0.5) * box.width / 50;
        svg.dispatchEvent(new MouseEvent("click", { clientX, clientY: box.bottom - (level - 0.5) * box.height / 4 }));
        found.push([[column, level], all()]);
        [...document.querySelectorAll("#line button")].find((each) => each.textContent === "Undo").click();
    }
    return found;
}"""


@cache
def expect_state(solved, k, needed):
    """The headline, and each row with its interval, by the library: `solved` is c of each task, sorted."""
    c, rows = np.array(solved), []
    for demanded in range(k, 0, -1):
        values = at_k.g_pass_at_k(4, c, k=k, thresholds=demanded / k - 1e-9)
        low, high = at_k.interval(np.mean(values), np.std(values, ddof=1) / np.sqrt(50), 50)
        rows.append((float(np.mean(values)), f"[{100 * low:.1f}, {100 * high:.1f}]"))
    chosen = f"{Share(rows[k - needed][0])}"
    said = (
        "One try" if k == 1 else f"All {k} of {k}" if needed == k else f"At least {needed} of {k}"
    )
    said = f"At least one of {k}" if 1 == needed < k else said
    title = f"{Share(np.mean(c) / 4)} of all tries succeed. {said}: {chosen}."
    return [k, needed, title, *(f"{Share(value)}{ends}" for value, ends in rows)]


def test_every_state_of_the_first_screen_has_the_numbers_of_the_library(visit):
    """Ten choices of k and "at least", before and after a click on each of the 200 squares: 2,010 states."""
    page = visit("gpassk")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    order = sorted(TASKS, reverse=True)
    states = page.evaluate(PLAY)
    assert len(states) == 201
    for place, found in states:
        c = np.array(order)
        if place:
            column, level = place
            c[column] = level - 1 if level <= c[column] else level
        solved = tuple(sorted(c.tolist()))
        assert found == [
            expect_state(solved, k, needed) for k in range(1, 5) for needed in range(1, k + 1)
        ], place
    assert asked == []  # the server is not asked


KEYS = {
    "gpassk": "G-Pass@",
    "pass_at_k": "pass@",
    "cons_at_k": "cons@",
    "best_at_k": "best@",
    "avg_at_n": "avg@",
}


@pytest.mark.parametrize("name", METRICS)
def test_the_code_computes_the_number_of_the_page(visit, name, capsys):
    page = visit(name, ready=False)
    page.add_init_script(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; };"
    )
    page.reload()
    page.locator("#rows svg").first.wait_for()
    if name != "avg_at_n":
        page.locator("#knobs input").first.focus()
        page.keyboard.press("ArrowLeft")
    places = {"cons_at_k": "#figure button", "best_at_k": "#figure button"}
    page.locator(places.get(name, "#figure svg")).first.click()
    page.get_by_role("button", name="Copy the code with its data").click()
    eventually(lambda: page.evaluate("typeof window.copied"), "string")
    script = page.evaluate("window.copied").replace(
        f'load("metrics/{name}"', f'load("{ROOT}/metrics/{name}"'
    )
    exec(script, {})
    printed = eval(capsys.readouterr().out)
    value = next(value for found, value in printed.items() if found.startswith(KEYS[name]))
    assert page.locator("#rows .key b").inner_text() == f"{Share(value)}"
    assert page.locator("h1 em").inner_text() == f"{Share(value)}"


ROWS = [
    {"id": f"p{i}", "answers": ["7", "8", "7", str(i)], "reference": "7", "score": [1, 2, 0.5, i]}
    for i in range(9)
]
OWN = {"name": "own.jsonl", "mimeType": "", "buffer": "\n".join(map(json.dumps, ROWS)).encode()}


@pytest.mark.parametrize("name", METRICS)
def test_the_controls_play_with_an_own_file(visit, name):
    page = visit(name, ready=False)
    page.locator("#rows svg").first.wait_for()
    page.locator("main input[type=file]").set_input_files(OWN)
    eventually(lambda: "own.jsonl" in page.locator("#lead").inner_text(), True)
    rows = [{**row, "scores": row["score"], "references": row["reference"]} for row in ROWS]
    values = {
        str(key): value for key, value in at_k.score(rows, k=[4], thresholds=[1.0]).values.items()
    }
    if name != "avg_at_n":
        page.locator("#knobs input").first.focus()
        page.keyboard.press("End")
    key = f"{KEYS[name]}4_1.0" if name == "gpassk" else f"{KEYS[name]}4"
    if name == "gpassk":
        page.locator("#knobs input").nth(1).focus()
        page.keyboard.press("End")
    assert page.locator("#rows .key b").inner_text() == f"{Share(values[key])}"


def test_a_file_without_answers_cannot_vote_and_the_page_says_so(visit):
    page = visit("cons_at_k", ready=False)
    page.locator("#rows svg").first.wait_for()
    page.locator("main input[type=file]").set_input_files(
        {"name": "a.csv", "mimeType": "", "buffer": b"id,correct\na,1\na,0"}
    )
    eventually(
        page.locator("#refused").inner_text,
        "These results have no answers, which this metric needs.",
    )


def test_the_address_restores_what_was_played(visit):
    page = visit("gpassk", "?k=3&least=2&clicks=0.4")
    title = page.locator("h1").inner_text()
    c = np.array(TASKS)
    c[sorted(range(50), key=lambda i: abs(TASKS[i] / 4 - 0.5))[0]] = 4
    assert title.replace("\n", " ") == expect_state(tuple(sorted(c.tolist())), 3, 2)[2]
    page.locator("#knobs input").first.focus()
    page.keyboard.press("ArrowLeft")
    eventually(lambda: "k=2" in page.evaluate("location.search"), True)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("gpassk", "?k=3&least=2&clicks=0.4"),
        ("score", "?k=4"),
        ("compare", "?k=10"),
        ("plan", "?n=8"),
    ],
)
def test_an_iframe_shows_the_number_and_its_figure_alone(visit, name, state):
    page = visit(name, state)
    title = page.locator("h1").inner_text()
    copied = "navigator.clipboard.writeText = text => { window.copied = text }"
    page.evaluate(copied)
    page.get_by_role("button", name="Copy as iframe").click()
    source = re.search(r'src="([^"]+)"', page.evaluate("copied"))[1].replace("&amp;", "&")
    frame = visit(name, f"?{source.split('?')[1]}")
    assert frame.locator("h1").inner_text() == title
    assert not frame.locator(":is(header, footer, details, .more, .source) >> visible=true").count()


def test_results_that_stay_on_the_machine_are_not_offered_as_an_iframe(visit):
    page = visit("score")
    iframe = page.get_by_role("button", name="Copy as iframe")
    assert iframe.is_visible()
    rows = "\n".join(f"p{i // 4},{i % 2}" for i in range(600))
    page.locator("#source input[type=file]").set_input_files(
        {"name": "own.csv", "mimeType": "", "buffer": f"id,correct\n{rows}".encode()}
    )
    page.get_by_text("own.csv").first.wait_for()
    assert not iframe.is_visible()


def test_problems_are_listed_flakiest_first_and_changed_by_keys(visit):
    page = visit("gpassk")
    page.get_by_text("Problems, the flakiest first").focus()
    page.keyboard.press("Enter")
    # The list is drawn by an event that comes after the one of the key.
    eventually(page.locator("details tbody tr").count, 50)
    shares = page.locator("details td:nth-child(2)").all_inner_texts()
    far = [abs(eval(share) - 0.5) for share in shares]
    assert len(shares) == 50
    assert far == sorted(far)
    page.locator("details tbody button").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Undo").wait_for()


FOCUSED = "document.activeElement.className || document.activeElement.type"


def test_the_focus_stays_where_keys_are_pressed(visit):
    page = visit("cons_at_k", ready=False)
    page.locator("#rows svg").first.wait_for()
    page.locator("#knobs input").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert page.locator("#rows .key p").inner_text() == "the vote of 5 · cons@5"
    assert page.evaluate(FOCUSED) == "range"
    page.locator(".ballot").nth(1).focus()
    for _ in range(2):
        page.keyboard.press("Enter")
        assert page.evaluate(FOCUSED) == "ballot"
    eventually(
        lambda: page.evaluate("new URLSearchParams(location.search).get('clicks')"), "0.1_0.1"
    )
    page = visit("score")
    page.get_by_role("button", name="4", exact=True).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "4"


def test_pictures_have_the_texts_and_the_colours_of_the_page(visit):
    page = visit("gpassk")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    text = download.value.path().read_text("utf-8")
    assert "All 4 of 4" in text
    assert "var(--" not in text
    assert "light-dark" not in text
    assert text.count("<svg") >= 6
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page = visit("compare")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    text = download.value.path().read_text("utf-8")
    for said in (
        "On these 100 problems:",
        "For other problems like these:",
        "+14.9",
    ):  # headline and table
        assert said in text
    assert "Copy as iframe" not in text
    fills = re.findall(r'<rect [^>]*rx="14" fill="([^"]+)"', text)
    assert (
        fills == ["rgb(20, 23, 26)"] * 2
    )  # the line and the k that are chosen, whose texts are light


@pytest.mark.parametrize(
    ("name", "locale"), [("gpassk", "en-US"), ("cons_at_k", "zh-CN"), ("avg_at_n", "en-US")]
)
def test_headline_and_numbers_are_there_without_scripts(visit, name, locale):
    plain = visit(name, ready=False, locale=locale, java_script_enabled=False)
    played = visit(name, ready=False, locale=locale)
    played.locator("#rows svg").first.wait_for()
    for place in ("h1", ".lead"):
        assert plain.locator(place).inner_text() == played.locator(place).inner_text()
    shares = played.locator("#rows b").all_inner_texts()
    assert plain.locator("#rows b").all_inner_texts() == shares
    # Without scripts the browser refuses those that the page asks it to load early.
    visit.troubles[:] = [each for each in visit.troubles if not each.endswith("failed: csp")]


def test_axe_finds_nothing_on_the_pages_of_metrics(visit):
    for name, scheme in zip(METRICS, ("light", "dark", "light", "dark", "light"), strict=True):
        page = visit(name, ready=False, color_scheme=scheme)
        page.locator("#rows svg").first.wait_for()
        page.get_by_text("Problems, the flakiest first").click()
        page.locator("details tbody tr").first.wait_for()
        page.evaluate(SHORTEN)
        page.evaluate(AXE_SCRIPT)
        assert page.evaluate(AXE, {}) == [], name


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (768, 1024), (390, 844)])
def test_the_first_screen_holds_still_and_has_all_controls(visit, width, height):
    for name in METRICS:
        page = visit(name, ready=False, width=width, height=height)
        page.locator("#rows svg").first.wait_for()
        assert page.evaluate(SHIFT) < 0.1, name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        for place in ("h1", "#knobs", "#figure", "#rows .key", "#line .open"):
            box = page.locator(place).first.bounding_box()
            assert box["y"] + box["height"] <= height or (place == "#line .open" and width < 600), (
                name,
                place,
            )
    assert re.match(r"http://127\.0\.0\.1:\d+/", page.url)

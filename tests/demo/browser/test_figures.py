"""The modules of the browser: figures, the address, and the arithmetic of counts."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import at_k
from at_k.demo.document import address_of
from at_k.demo.figures import write_figure
from tools.driving import READY, eventually, turn_to

TAUS = (0.07, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
SIZES = (1, 2, 3, 7, 16, 30, 64, 100, 255, 256)


@pytest.fixture(scope="module")
def module_page(browser, server):
    """One page for all that does not change it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    page.goto(f"{server.url}/")
    yield page
    context.close()


def test_counts_are_those_of_the_library(module_page):
    """Over a grid of n, all c or some, and every k or some; to 1e-12."""
    grid = []
    for n in SIZES:
        spread = sorted({0, 1, n // 3, n // 2, n - 1, n} | set(range(0, n + 1, max(1, n // 8))))
        draws = [k for k in sorted({1, 2, 3, n // 2, n - 1, n} | set(range(1, n + 1, max(1, n // 10)))) if 1 <= k <= n]
        grid.append((n, [c for c in spread if 0 <= c <= n], draws))
    script = """async ([address, grid, taus]) => {
        const m = await import(new URL(address, document.baseURI));
        const values = (n, c, k) => [m.pass(n, c, k), m.passHat(n, c, k), m.mgPass(n, c, k), m.avg(n, c)];
        return grid.map(([n, cs, ks]) => cs.map(c => ks.map(k => [
            ...values(n, c, k), ...taus.map(tau => m.gPass(n, c, k, tau)),
        ])));
    }"""
    found = module_page.evaluate(script, [address_of("counts.js"), grid, TAUS])
    compared = 0
    for (n, cs, ks), values in zip(grid, found, strict=True):
        c = np.array(cs)
        expected = [at_k.pass_at_k(n, c, k=ks), at_k.pass_hat_k(n, c, k=ks), at_k.mg_pass_at_k(n, c, k=ks)]
        expected += [np.repeat(c[:, None] / n, len(ks), 1), *(at_k.g_pass_at_k(n, c, k=ks, tau=tau) for tau in TAUS)]
        np.testing.assert_allclose(np.array(values), np.stack(expected, -1), rtol=0, atol=1e-12)
        compared += np.array(values).size
    assert compared > 10_000


LINES = {
    "kind": "lines",
    "title": "Curves of a test",
    "data": "Made-up data, 3 problems",
    "name": "at-k-test",
    "x": {"title": "k, answers drawn"},
    "y": {"title": "share", "min": 0, "max": 1},
    "lines": [
        {
            "name": "pass@k",
            "words": "at least one right",
            "color": "pass",
            "x": [1, 2, 4, 8],
            "y": [0.5, 0.7, 0.99999, 1],
            "low": [0.4, 0.6, None, 0.9],
            "high": [0.6, 0.8, None, 1],
        },
        {"name": "G-Pass@k", "words": "at least half right", "color": "gpass", "x": [2, 4, 8], "y": [0.7, 0.6, 1]},
        {"name": "pass^k", "words": "all right", "color": "pass-hat", "x": [1, 2, 4, 8], "y": [0.5, 0.3, 0.1, 0.985]},
        {"name": "none", "color": "avg", "x": [1], "y": [0.5], "hidden": True},
    ],
}

PUT = """([html, width]) => {
    document.querySelector("#test")?.remove();
    const host = document.createElement("div");
    host.id = "test";
    host.style.cssText = `position: fixed; inset: 0 auto auto 0; z-index: 9999; background: white; width: ${width}px`;
    host.innerHTML = html;
    document.body.append(host);
}"""

OVERLAPS = """() => {
    const texts = [...document.querySelectorAll("#test svg text")];
    const boxes = texts.map(e => e.getBoundingClientRect());
    const small = texts.filter(e => parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.textContent);
    const host = document.querySelector("#test").getBoundingClientRect();
    const found = [];
    boxes.forEach((a, i) => {
        if (a.left < host.left - 1 || a.right > host.right + 1) found.push(texts[i].textContent + " sticks out");
        boxes.slice(i + 1).forEach((b, j) => {
            const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (w > 1 && h > 3) found.push(`${texts[i].textContent} over ${texts[i + 1 + j].textContent}`);
        });
    });
    return [small, found];
}"""


def put(page, figure, width=720):
    page.evaluate(PUT, [write_figure(figure), width])
    page.locator("#test svg").wait_for()


@pytest.mark.parametrize("width", [300, 366, 720, 1100])
def test_lines_are_named_at_their_ends_without_overlap(module_page, width):
    put(module_page, LINES, width)
    assert module_page.evaluate(OVERLAPS) == [[], []]
    ends = module_page.locator("#test .end").all_text_contents()
    symbols = ["pass@k", "G-Pass@k", "pass^k"] if width > 560 else [""] * 3
    words = ["at least one right", "at least half right", "all right"]
    squeezed = {re.sub(r"\s", "", end) for end in ends}
    assert squeezed == {re.sub(r"\s", "", word + symbol) for word, symbol in zip(words, symbols, strict=True)}
    assert module_page.locator("#test svg").get_attribute("aria-label") == "Curves of a test"
    assert module_page.locator("#test .band").count() == 1


def test_many_lines_have_room_for_their_names_and_values(module_page):
    lines = [
        {"name": f"line {i}", "words": f"a line with a name {i}", "color": "a", "x": [1, 4, 8], "y": [0.5, i / 10, 0]}
        for i in range(9)
    ]
    put(module_page, LINES | {"lines": lines, "handle": 4}, 366)
    assert module_page.evaluate(OVERLAPS) == [[], []]
    values = module_page.locator("#test .value")
    assert sorted(values.all_text_contents()) == [f"0.{i}000" if i else "0" for i in range(9)]
    height = float(module_page.locator("#test svg").get_attribute("height"))
    bottom = module_page.locator("#test").bounding_box()["y"] + height
    assert max(values.nth(i).bounding_box()["y"] for i in range(9)) < bottom - 12


def test_a_figure_is_drawn_again_at_another_width_and_with_other_data(module_page):
    put(module_page, LINES, 720)
    svg = module_page.locator("#test svg")
    module_page.evaluate("document.querySelector('#test').style.width = '400px'")
    eventually(lambda: svg.get_attribute("width"), "400")
    other = LINES | {"title": "Another", "lines": LINES["lines"][:1]}
    module_page.evaluate(
        "text => { document.querySelector('#test .figure').dataset.figure = text; }", json.dumps(other)
    )
    eventually(lambda: svg.get_attribute("aria-label"), "Another")
    assert module_page.locator("#test .line").count() == 1


def test_pointing_shows_four_digits_that_are_never_certain(module_page):
    put(module_page, LINES)
    box = module_page.locator("#test .line[data-name='pass^k']").bounding_box()
    module_page.mouse.move(box["x"] + box["width"] * 3 / 7 + 2, box["y"] + 40)
    values = module_page.locator("#test .value")
    eventually(lambda: sorted(values.all_text_contents()), ["0.1000", "0.6000", ">0.9999"])
    assert module_page.locator("#test .pilled").text_content() == "k = 4"
    module_page.mouse.move(box["x"] + box["width"] * 3 / 7 + 2, 700)
    eventually(values.count, 0)


def test_a_handle_is_moved_by_hand_and_by_keys(module_page):
    lines = [
        line | {"values": {"x": list(range(1, 9)), "y": [i / 8 for i in range(1, 9)]}} for line in LINES["lines"][:1]
    ]
    figure = LINES | {"handle": 4, "lines": lines}
    put(module_page, figure)
    module_page.evaluate("""() => {
        window.moves = [];
        const host = document.querySelector("#test .figure");
        host.addEventListener("at-k:handle", event => {
            window.moves.push(event.detail.k);
            host.dataset.figure = JSON.stringify({ ...JSON.parse(host.dataset.figure), handle: event.detail.k });
        });
    }""")
    handle = module_page.locator("#test .handle")
    assert module_page.locator("#test .value").all_text_contents() == ["0.5000"]
    handle.focus()
    for key in ("ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home"):
        module_page.keyboard.press(key)
    eventually(lambda: module_page.evaluate("window.moves"), [5, 8, 7, 1])
    assert handle.evaluate("e => e === document.activeElement")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    line = module_page.locator("#test .line").bounding_box()
    module_page.mouse.move(x, y)
    module_page.mouse.down()
    module_page.mouse.move(line["x"] + line["width"] * 2 / 7, y, steps=4)
    module_page.mouse.up()
    eventually(lambda: handle.get_attribute("aria-valuenow"), "3")
    assert module_page.locator("#test .value").all_text_contents() == ["0.3750"]


def test_clicks_name_the_problem(module_page):
    rows = [{"name": f"p{i}", "samples": "1101?0"[i % 3 :] + "1" * (i % 3)} for i in range(30)]
    figures = {
        "squares": {"rows": rows},
        "scatter": {
            "points": [{"x": 0.2, "y": 0.4, "count": 3, "name": "p7"}],
            "x": {"min": 0, "max": 1, "title": "a"},
        },
    }
    module_page.evaluate("""() => {
        window.clicked = [];
        document.addEventListener("at-k:problem", event => window.clicked.push(event.detail.name));
    }""")
    for kind, figure in figures.items():
        put(module_page, figure | {"kind": kind, "title": kind})
        if kind == "squares":
            counts = module_page.locator("#test path").evaluate_all(
                "paths => paths.map(path => Number(path.dataset.count))"
            )
            shown = "".join(row["samples"] for row in rows)
            assert counts == [shown.count("0"), shown.count("?"), shown.count("1")]
            module_page.locator("#test svg").click(position={"x": 5, "y": 5})
        else:
            module_page.locator("#test [data-problem=p7]").click()
    assert module_page.evaluate("window.clicked") == ["p0", "p7"]


def test_downloads_can_go_into_a_paper(visit):
    page = visit("metrics")
    put(page, LINES | {"lines": [*LINES["lines"], LINES["lines"][0] | {"name": "<script>", "words": '<b> & "'}]})
    page.evaluate("""() => {
        for (const kind of ["svg", "png"]) {
            const button = document.createElement("button");
            Object.assign(button.dataset, { save: kind, of: "#test" });
            document.querySelector("#test").append(button);
            button.textContent = kind;
        }
    }""")
    with page.expect_download() as download:
        page.locator("#test [data-save=svg]").click()
    assert download.value.suggested_filename == "at-k-test.svg"
    text = download.value.path().read_text("utf-8")
    root = ElementTree.fromstring(text)
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    for expected in (
        "Curves of a test",
        "Made-up data, 3 problems",
        "k, answers drawn",
        "share",
        "pass@k",
        '<b> & "',
    ):
        assert expected in texts
    assert root[0].attrib["fill"] == "#ffffff"
    assert "var(" not in text
    with page.expect_download() as download:
        page.locator("#test [data-save=png]").click()
    assert download.value.suggested_filename == "at-k-test.png"
    content = download.value.path().read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") == 2 * int(root.attrib["width"])


def test_the_address_is_page_and_state(visit):
    page = visit("metrics")
    module = f"await import(new URL({json.dumps(address_of('address.js'))}, document.baseURI))"

    def run(code):
        return page.evaluate(f"async () => {{ const address = {module}; {code} }}")

    def search():
        return page.evaluate("location.search")

    run('address.setState("metrics", { n: 64, x: "a&b=ü" }); address.setState("explore", { n: 32 });')
    eventually(search, "?page=metrics&n=64&x=a%26b%3D%C3%BC")
    turn_to(page, "score")
    assert search() == "?page=score"
    assert page.title() == "at-k · Score"
    page.go_back()
    eventually(lambda: page.locator(".at-k-header [aria-current]").inner_text(), "Which metric?")
    page.locator(READY["metrics"]).first.wait_for()
    assert run('return address.getState("metrics");') == {"n": "64", "x": "a&b=ü"}
    page.go_forward()
    eventually(lambda: page.locator(".at-k-header [aria-current]").inner_text(), "Score")
    page.go_back()
    eventually(page.title, "at-k · Which metric?")
    run('address.onState("metrics", state => { window.told = state; }); address.setState("metrics", { n: 65 });')
    eventually(lambda: "n=65" in search(), True)
    page.reload()
    page.locator(READY["metrics"]).first.wait_for()
    assert run('return address.getState("metrics");') == {"n": "65", "x": "a&b=ü"}
    assert run("return address.makeLink();").startswith("/?page=metrics&n=65")


def test_language_and_theme_are_chosen_on_the_page_and_remembered(visit):
    page = visit("metrics", color_scheme="dark")
    dark = "document.documentElement.classList.contains('at-k-dark')"
    eventually(lambda: page.evaluate(dark), True)
    theme = page.locator(".at-k-header [data-theme]")
    assert theme.get_attribute("aria-label") == "Theme: as the system"
    theme.click()
    eventually(lambda: page.evaluate(dark), False)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.locator(".at-k-header [data-language=zh]").click()
    page.get_by_text("每个指标都是一个 Hugging Face").wait_for()
    page.locator(READY["metrics"]).first.wait_for()
    assert page.locator(".at-k-header nav a").all_inner_texts()[0] == "探索"
    page.goto(page.evaluate("location.href").partition("?")[0])
    eventually(page.locator(".at-k-header nav a").first.inner_text, "探索")
    eventually(lambda: page.evaluate(dark), False)
    assert theme.get_attribute("aria-label") == "主题：浅色"
    page.locator(READY["explore"]).first.wait_for()
    page.locator(".at-k-header [data-language=en]").click()
    eventually(page.locator(".at-k-header nav a").first.inner_text, "Explore")
    page.locator(READY["explore"]).first.wait_for()


def test_a_link_is_copied(visit):
    page = visit("metrics", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".at-k-header [data-copy]").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate("location.href")

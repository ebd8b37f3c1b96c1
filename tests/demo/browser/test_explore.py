"""The page Explore, used as a person uses it: what it shows are the numbers of the library."""

import re
from fractions import Fraction

import pytest
from oracles import hypergeometric, mg_pass, needed, tail

import at_k
from tools.driving import eventually, turn_to

KINDS = [
    {"width": 1280, "height": 900, "color_scheme": "light", "locale": "en-GB"},
    {"width": 390, "height": 844, "color_scheme": "dark", "locale": "zh-CN", "has_touch": True, "is_mobile": True},
]
WIDE, PHONE = KINDS


def box(page, name):
    return page.locator(f"#explore_{name}")


def slider(page, name):
    return page.locator(f"#explore_{name}_slider")


def type_number(page, name, text):
    box(page, name).fill(text)
    box(page, name).press("Enter")


def settle(page):
    """Wait until what was wished for is drawn, with the frame after the next at the latest."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def seen(page):
    """The numbers n, c and k as they stand in the boxes, on the sliders, and on the handle of the picture."""
    settle(page)
    boxes = [int(box(page, name).input_value()) for name in "nck"]
    assert [int(slider(page, name).input_value()) for name in "nck"] == boxes
    assert int(page.locator("#explore_curves .handle").get_attribute("aria-valuenow")) == boxes[2]
    assert re.search(rf"\bk = {boxes[2]}\b", page.locator(".formulas-text").text_content())
    return tuple(boxes)


def values(page):
    """The four digits beside each line, by its name."""
    texts = page.locator("#explore_curves .value")
    return dict(texts.evaluate_all("texts => texts.map(text => [text.dataset.name, text.textContent])"))


def percent(value, language="en"):
    more, less = {"en": ("more than ", "less than "), "zh": ("超过 ", "不到 ")}[language]
    if value in (0, 1):
        return f"{int(value * 100)}\xa0%"
    if value >= Fraction(9995, 10000):
        return f"{more}99.9\xa0%"
    return f"{less}0.1\xa0%" if value < Fraction(5, 10000) else f"{float(value) * 100:.1f}\xa0%"


@pytest.mark.parametrize("options", KINDS, ids=["wide", "phone"])
def test_the_sentence_follows_the_sliders_and_is_never_too_sure(visit, options):
    page = visit("explore", **options)
    language = options["locale"][:2]
    words = page.locator(".explore .sentence")
    if language == "en":
        assert words.inner_text().replace("\xa0", " ") == (
            "Of these 16 answers, 8 are right. Draw 4: at least one is right 96.2 % of the time, all are right 3.8 %."
        )
    for n, c, k in ((64, 60, 2), (256, 128, 100), (20, 20, 3), (20, 0, 3), (20, 18, 3), (256, 3, 9)):
        for name, number in (("n", n), ("c", c), ("k", k)):
            type_number(page, name, str(number))
        assert seen(page) == (n, c, k)
        ways = hypergeometric(n, c, k)
        for part, value in (("of-pass", tail(ways, 1)), ("of-pass-hat", tail(ways, k))):
            text = words.locator(f".{part}").inner_text()
            assert percent(value, language) in text
            assert ("100\xa0%" in text) == (value == 1)
        coloured = words.locator(".of-pass").evaluate("e => getComputedStyle(e).color")
        assert coloured == page.locator("#explore_curves .line[data-name='pass@k']").evaluate(
            "e => getComputedStyle(e).stroke"
        )


SENTENCES = {
    (16, 8, 16): ("Of these 16 answers, 8 are right. All 16 are drawn: nothing is left to chance.",
                  "这 16 个回答中，8 个正确。16 个全部抽取：没有什么取决于运气。"),
    (16, 1, 1): ("Of these 16 answers, 1 is right. Draw 1: it is right 6.3 % of the time.",
                 "这 16 个回答中，1 个正确。抽取 1 个：它正确的概率为 6.3 %。"),
    (16, 0, 3): ("Of these 16 answers, none is right. Draw 3: at least one is right 0 % of the time, "
                 "all are right 0 %.",
                 "这 16 个回答中，没有正确的。抽取 3 个：至少一个正确的概率为 0 %，全部正确的概率为 0 %。"),
    (256, 128, 100): (
        "Of these 256 answers, 128 are right. Draw 100: at least one is right more than 99.9 % of the time, "
        "all are right less than 0.1 %.",
        "这 256 个回答中，128 个正确。抽取 100 个：至少一个正确的概率超过 99.9 %，全部正确的概率不到 0.1 %。"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "place"), [(WIDE, 0), (PHONE, 1)], ids=["English", "Chinese"])
def test_the_sentence_speaks_of_answers_that_are_given(visit, options, place):
    """96.2 % of the draws of 4 from 16 answers, 8 of them right, have a right one. Of new answers, 1 − ½⁴ = 93.75 %."""
    page = visit("explore", **options)
    for numbers, sentences in SENTENCES.items():
        for name, number in zip("nck", numbers, strict=True):
            type_number(page, name, str(number))
        assert seen(page) == numbers
        assert page.locator(".explore .sentence").inner_text().replace("\xa0", " ") == sentences[place]


def test_a_number_of_the_sentence_can_be_dragged_through_all_its_sentences(visit):
    page = visit("explore", **WIDE)
    draw = page.locator(".explore .sentence .number").nth(1)
    draw.scroll_into_view_if_needed()
    box = draw.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    for steps, k in ((20, 16), (-20, 1), (0, 4)):
        page.mouse.move(box["x"] + 20 + 15 * steps, box["y"] + 10)
        eventually(lambda: seen(page)[2], k)
    page.mouse.up()


def test_what_was_wished_for_is_kept(visit):
    page = visit("explore")
    type_number(page, "c", "12")
    type_number(page, "k", "9")
    box(page, "n").fill("")
    box(page, "n").press_sequentially("128")  # passes through 1 and 12, which count for nothing
    assert page.locator("#explore_curves .handle").get_attribute("aria-valuemax") == "16"
    box(page, "n").press("Enter")
    assert seen(page) == (128, 12, 9)
    type_number(page, "n", "5")
    assert seen(page) == (5, 5, 5)
    type_number(page, "n", "128")
    assert seen(page) == (128, 12, 9)
    type_number(page, "n", "12.7")
    assert seen(page) == (13, 12, 9)
    for text, n in (("1000", 256), ("-3", 2), ("x", 2), ("", 2), ("1e2", 100), ("1,6", 2), ("0x10", 16)):
        box(page, "n").fill(text)
        page.keyboard.press("Tab")
        assert seen(page)[0] == n, text
    assert seen(page) == (16, 12, 9)


def test_a_slider_follows_the_hand_without_a_request(visit):
    page = visit("explore")
    settle(page)
    asked = []
    page.on("request", lambda request: asked.append(request.post_data or ""))
    page.evaluate("""() => {
        window.drawn = 0;
        const formulas = document.querySelector("#explore_formulas");
        new MutationObserver(() => { window.drawn++; }).observe(formulas, { childList: true });
    }""")
    drawn = page.evaluate("""async () => {
        const slider = document.querySelector("#explore_n_slider");
        let frames = 0;
        for (; frames < 20; frames++) {
            for (const value of [40 + frames, 200 - frames, 256 - 3 * frames]) {
                slider.value = value;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
            }
            await new Promise(requestAnimationFrame);
        }
        await new Promise(requestAnimationFrame);
        return [window.drawn, frames];
    }""")
    assert 0 < drawn[0] <= drawn[1] + 1
    assert seen(page)[0] == 256 - 3 * 19
    page.locator("#explore_curves .handle").focus()
    page.keyboard.press("End")
    page.locator(".explore .sentence .number").nth(1).focus()
    page.keyboard.press("ArrowLeft")
    assert seen(page) == (199, 8, 198)
    assert asked == []


@pytest.mark.parametrize("selector", ["#explore_curves .handle", ".explore .sentence .number >> nth=1"])
def test_keys_that_come_before_the_next_frame_count_each(visit, selector):
    page = visit("explore")
    n, c, k = seen(page)
    page.locator(selector).evaluate("""element => {
        for (let i = 0; i < 3; i++) {
            element.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        }
    }""")
    eventually(lambda: seen(page), (n, c, k + 3))


def test_values_at_the_handle_are_those_of_the_library(visit):
    page = visit("explore")
    for line in ("low", "high", "mean", "avg"):
        page.locator(f"[data-line={line}]").click()
    page.mouse.move(0, 0)  # over the picture, which moves with its lines, it would point at another k
    for n, c, k in ((16, 8, 4), (30, 11, 6), (256, 100, 64)):
        for name, number in (("n", n), ("c", c), ("k", k)):
            type_number(page, name, str(number))
        seen(page)
        expected = {"pass@k": at_k.pass_at_k(n, c, k=k), "pass^k": at_k.pass_hat_k(n, c, k=k), "avg@n": c / n}
        expected |= {"mG-Pass@k": at_k.mg_pass_at_k(n, c, k=k)}
        taus = {"¼": 0.25, "½": 0.5, "¾": 0.75}
        expected |= {f"G-Pass@k, τ = {each}": at_k.g_pass_at_k(n, c, k=k, tau=tau) for each, tau in taus.items()}
        found = values(page)
        assert set(found) == set(expected)
        for name, value in expected.items():
            assert float(found[name].strip("<>")) == pytest.approx(
                value, abs=1.001e-4 if found[name][0] in "<>" else 5.1e-5
            )
            assert (
                found[name] not in ("1.0000", "0.0000")
                or (name == "pass@k" and k > n - c)
                or (name == "pass^k" and k > c)
            )
    colours = page.locator("#explore_curves .line").evaluate_all("lines => lines.map(e => getComputedStyle(e).stroke)")
    assert len(colours) == len(set(colours)) == 7
    assert page.locator("#explore_curves .end").count() == 7
    page.locator("[data-line=pass]").click()
    settle(page)
    assert "pass@k" not in values(page)


def test_a_line_is_drawn_where_it_is_smooth_and_says_where_it_is_not(visit):
    page = visit("explore")
    line = page.locator("#explore_curves .line[data-name='G-Pass@k, τ = ½']")
    notes = page.locator(".explore .notes")
    assert line.get_attribute("d").count("L") == 7  # even k alone
    assert notes.inner_text() == ""
    type_number(page, "k", "5")
    settle(page)
    assert "At k = 5, τ = ½ asks for ⌈τk⌉ = 3 right answers, which is 3/5" in notes.inner_text()


def test_the_vote_comes_from_the_server(visit):
    page = visit("explore")
    page.locator("[data-preset=favourite]").click()
    votes = [["right"] * 12 + ["wrong"] * 16 + ["a", "b", "c", "d"]]
    expected = at_k.cons_at_k(votes, [[vote == "right" for vote in votes[0]]], k=8)[0]
    eventually(lambda: values(page).get("cons@k"), f"{expected:.4f}")
    box(page, "together").fill("2")
    box(page, "together").press("Enter")
    votes = [["right"] * 12 + ["wrong"] * 2 + [f"{i}" for i in range(18)]]
    expected = at_k.cons_at_k(votes, [[vote == "right" for vote in votes[0]]], k=8)[0]
    eventually(lambda: values(page).get("cons@k"), f"{expected:.4f}")


def story(page):
    """The numbers of the first sentence: at least one, and all, of Shaky and of Steady; and the figure's points."""
    settle(page)
    texts = page.locator(".story .lead b").all_inner_texts()
    points = page.locator("#story_demand .line").evaluate_all(
        "lines => lines.map(e => e.getAttribute('d').split('L').length)"
    )
    return [re.search(r"([<>]?\xa0?\d+)\xa0%", text)[1].replace("\xa0", " ").strip() for text in texts], set(points)


def rounded(share):
    """A share in whole per cent; certain only if it is."""
    percent = round(100 * float(share))
    return "> 99" if share < 1 and percent == 100 else "< 1" if share > 0 and percent == 0 else str(percent)


@pytest.mark.parametrize("options", KINDS, ids=["wide", "phone"])
def test_two_models_of_the_same_average_are_told_apart(visit, options):
    page = visit("explore", **options)
    for name in ("shaky", "steady"):
        counts = page.locator(f".story [data-model={name}] path")
        assert counts.evaluate_all("paths => paths.map(path => Number(path.dataset.count))") == [96, 0, 96]
    for k in (4, 1, 2, 7, 16):
        page.locator(".story [name=draw]").fill(str(k))
        ways = hypergeometric(16, 8, k)
        one, every = (rounded(tail(ways, m)) for m in (1, k))
        said = [one, "50"] if k == 1 else [one, "50", every, "50"]
        assert story(page) == (said, {k})
        assert page.locator(".story [data-model=shaky] rect.drawn").count() == k
        nothing = {"en": "nothing is left to chance", "zh": "没有什么取决于运气"}[options["locale"][:2]]
        assert (nothing in page.locator(".story .lead").inner_text()) == (k == 16)
        assert page.locator(".story .number").get_attribute("aria-valuenow") == str(k)
    eventually(lambda: "draw=16" in page.evaluate("location.search"), True)
    page.reload()
    eventually(lambda: story(page)[1], {16})


def test_the_number_of_the_first_sentence_is_dragged_and_moved_by_keys(visit):
    page = visit("explore")
    at = page.locator(".story .number").bounding_box()
    page.mouse.move(at["x"] + 5, at["y"] + 5)
    page.mouse.down()
    page.mouse.move(at["x"] + 5 + 45, at["y"] + 5, steps=3)
    page.mouse.up()
    assert story(page)[1] == {7}
    page.keyboard.press("ArrowLeft")
    assert story(page)[1] == {6}


def test_the_threshold_is_moved_on_the_figure_and_draws_for_which_it_holds_are_outlined(visit):
    page = visit("explore")
    handle, asked = page.locator("#story_demand .handle"), page.locator(".story .asked")
    half = "G-Pass@4, τ = ½ asks for at least 2 right: Shaky 72\xa0%, Steady 50\xa0%."
    assert asked.inner_text() == half
    handle.focus()
    for key, m, said in (("End", 4, "pass^4 asks for all 4 right"), ("Home", 1, "pass@4 asks for at least 1 right")):
        page.keyboard.press(key)
        eventually(lambda: handle.get_attribute("aria-valuenow"), str(m))
        share = round(100 * float(tail(hypergeometric(16, 8, 4), m)))
        assert asked.inner_text().replace("\xa0", " ") == f"{said}: Shaky {share} %, Steady 50 %."
    eventually(lambda: "tau=0.25" in page.evaluate("location.search"), True)
    page.locator(".story [name=draw]").fill("16")
    assert handle.get_attribute("aria-valuenow") == "4"  # τ stays
    page.keyboard.press("End")
    handle.focus()
    page.keyboard.press("End")
    drawn = [page.locator(f".story [data-model={name}] rect.drawn").count() for name in ("shaky", "steady")]
    assert drawn == [0, 16]  # no 16 of Shaky's answers are all right
    page.locator(".story [name=draw]").fill("4")
    figure = page.locator("#story_demand .line").first.bounding_box()
    page.mouse.move(figure["x"] + figure["width"] / 3, figure["y"] + 30)
    eventually(lambda: "at least 2" in asked.inner_text(), True)
    page.mouse.move(5, 5)
    eventually(lambda: "all 4" in asked.inner_text(), True)


def test_a_phone_has_the_finding_the_squares_and_the_figure_in_sight_together(visit):
    for locale in ("en-US", "zh-CN"):
        page = visit("explore", **PHONE | {"locale": locale})
        for part in (".story h1", ".story .lead", "[data-model=shaky] svg", "#story_demand svg", ".story [name=draw]"):
            found = page.locator(part).bounding_box()
            assert found["y"] >= 0
            assert found["y"] + found["height"] <= 844, part
        texts = page.locator("#story_demand svg text")
        assert min(texts.evaluate_all("all => all.map(e => parseFloat(getComputedStyle(e).fontSize))")) >= 12


def test_a_touch_shows_k_and_four_digits_beside_the_lines(visit):
    page = visit("explore", **PHONE)
    picture = page.locator("#explore_curves svg")
    picture.scroll_into_view_if_needed()
    plot = page.locator("#explore_curves .line[data-name='pass@k']").bounding_box()
    page.touchscreen.tap(plot["x"] + plot["width"] * 7 / 15, plot["y"] + 60)
    assert seen(page) == (16, 8, 8)
    assert all(re.fullmatch(r"[<>]?[01]\.\d{4}", text) for text in values(page).values())
    covered = picture.evaluate("""svg => {
        const boxes = [...svg.querySelectorAll(".value")].map(e => e.getBoundingClientRect());
        return [...svg.querySelectorAll(".line")].flatMap(line => {
            const matrix = line.getScreenCTM();
            return [...Array(200).keys()].map(i => line.getPointAtLength((i / 199) * line.getTotalLength()))
                .map(point => point.matrixTransform(matrix))
                .filter(({ x, y }) => boxes.some(
                    b => x > b.left + 1 && x < b.right - 1 && y > b.top + 3 && y < b.bottom - 4
                ));
        }).length;
    }""")
    assert covered == 0


def test_numbers_of_the_sentence_are_dragged(visit):
    page = visit("explore")
    number = page.locator(".explore .sentence .number").nth(1)
    number.scroll_into_view_if_needed()
    at = number.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 75, y, steps=5)
    page.mouse.up()
    assert seen(page) == (16, 8, 9)
    number.click()
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    assert seen(page) == (16, 8, 6)


def test_the_state_stands_in_the_address(visit, server):
    page = visit(url=f"{server.url}/?page=explore&n=64&c=32&k=8&lines=pass.hat.mean")
    assert seen(page) == (64, 32, 8)
    assert set(values(page)) == {"pass@k", "pass^k", "mG-Pass@k"}
    slider(page, "k").focus()
    page.keyboard.press("ArrowRight")
    eventually(lambda: "&n=64&c=32&k=9&" in page.evaluate("location.search"), True)
    page.reload()
    page.locator("#explore_curves .handle").wait_for()
    assert seen(page) == (64, 32, 9)
    turn_to(page, "metrics")
    assert not page.locator(".explore").is_visible()
    page.go_back()
    page.locator(".explore").wait_for()
    assert seen(page) == (64, 32, 9)
    page.goto(f"{server.url}/?page=explore&n=9999999&c=<b>&k=-1&lines=x&together=1e9")
    page.locator("#explore_curves .handle").wait_for()
    assert seen(page) == (16, 8, 4)


def write_digits(value):
    """Four decimals; near 0 and 1, four digits and a power of ten."""
    if value in (0, 1):
        return str(int(value))
    if value < Fraction("0.001"):
        mantissa, exponent = f"{float(value):.3e}".split("e")
        return f"{mantissa}·10{int(exponent)}".replace("-", "−")
    return f"1−{write_digits(1 - value)}" if value >= Fraction("0.99995") else f"{float(value):.4f}"


def test_formulas(visit):
    page = visit("explore")
    page.locator("[data-line=low]").click()
    for n, c, k in ((16, 8, 4), (16, 8, 15), (16, 3, 4), (256, 100, 77), (256, 250, 200), (5, 0, 1)):
        for name, value in (("n", n), ("c", c), ("k", k)):
            type_number(page, name, str(value))
        seen(page)
        ways = hypergeometric(n, c, k)
        expected = [Fraction(c, n), tail(ways, 1), tail(ways, needed(0.25, k)), tail(ways, needed(0.5, k))]
        expected += [mg_pass(ways), tail(ways, k)]
        found = page.locator("#explore_formulas .value").all_text_contents()
        assert found == [write_digits(value) for value in expected]


def test_the_page_is_small(visit):
    page = visit("explore")
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate(
        "['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type)).map(e => e.transferSize)"
    )
    assert len(sizes) <= 16
    assert sum(sizes) <= 110_000
    assert page.locator("h1 >> visible=true").count() == 1

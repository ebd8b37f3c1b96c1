"""All pages as they look, and for people who see, point and speak in different ways.

Screenshots are left in build/screenshots, to be looked at.
"""

import pytest

from at_k.demo.words import LANGUAGES, WORDS
from tools.driving import READY, ROOT, turn_to

SCREENSHOTS = ROOT / "build" / "screenshots"

SHIFTS = """
window.shifts = [];
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
        const moved = entry.sources.map(source => source.node?.outerHTML?.slice(0, 100));
        window.shifts.push([entry.value, location.search, ...moved]);
    }
}).observe({ type: "layout-shift", buffered: true });
"""

# What has moved since this was asked last.
SHIFTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => shifts.splice(0))"

# WCAG 2.2, 1.4.3: text that is seen, and has a contrast of less than 4.5 to what is behind it.
FAINT = """() => {
    const parsed = colour => {
        const parts = colour.match(/rgba?\\(([^)]+)\\)/)[1].split(/[ ,/]+/).map(Number);
        return parts.length > 3 ? parts : [...parts, 1];
    };
    const over = (front, back) => [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3]));
    const luminance = colour => {
        const [r, g, b] = colour.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const above = element => element ? [element, ...above(element.parentElement)] : [];
    const behind = elements => elements.map(e => parsed(getComputedStyle(e).backgroundColor))
        .reduceRight((back, colour) => over(colour, back), [255, 255, 255]);
    const dimmed = elements => elements.reduce(
        (factor, e) => factor * Number(getComputedStyle(e).filter.match(/^brightness\\(([\\d.]+)\\)$/)?.[1] ?? 1), 1);
    const faint = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode.textContent.trim(), element = texts.currentNode.parentElement;
        const seen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
        if (!text || !seen || element.closest("script, style, noscript")) continue;
        const elements = above(element), style = getComputedStyle(element);
        let [r, g, b, alpha] = parsed(element.closest("svg") ? style.fill : style.color);
        alpha *= elements.reduce((opacity, e) => opacity * Number(getComputedStyle(e).opacity), 1);
        const [red, green, blue] = [r, g, b].map(v => Math.min(255, v * dimmed(elements)));
        const ground = element.previousElementSibling;  // of a text on a shape
        const back = ground?.matches("svg rect") ? parsed(getComputedStyle(ground).fill) : behind(elements);
        const front = over([red, green, blue, alpha], back);
        const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
        const contrast = (light + 0.05) / (dark + 0.05);
        if (contrast < 4.5) faint.push(`${text.slice(0, 30)}: ${contrast.toFixed(2)}`);
    }
    return faint;
}"""

# WCAG 2.2, 2.5.8: targets of less than 24 × 24 pixels, and less than 24 pixels away from another one.
CRAMPED = """() => {
    const targets = [...document.querySelectorAll("button, input, select, textarea, a")]
        .filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.closest("p, li, [aria-hidden=true]"))
        .map(e => [e.ariaLabel || e.innerText || e.type, (e.closest("label") ?? e).getBoundingClientRect()])
        .filter(([, box]) => box.width > 1 && box.height > 1);
    const middle = box => [box.x + box.width / 2, box.y + box.height / 2];
    const small = box => Math.min(box.width, box.height) < 24;
    const apart = (box, other) => {
        const [x, y] = middle(box);
        if (small(other)) return Math.hypot(x - middle(other)[0], y - middle(other)[1]) >= 24;
        const [aside, over] = [[other.left - x, x - other.right], [other.top - y, y - other.bottom]];
        return Math.hypot(Math.max(0, ...aside), Math.max(0, ...over)) >= 12;
    };
    return targets.filter(([, box]) => small(box) && targets.some(
        ([, other]) => middle(other).join() !== middle(box).join() && !apart(box, other)
    )).map(([name, box]) => `${name}: ${Math.round(box.width)} × ${Math.round(box.height)}`);
}"""

# Texts that are seen, and those that are read out or shown where one points; but for the cards, which have English
# code, and the names of other languages.
TEXTS = """() => {
    const page = document.body.cloneNode(true);
    page.querySelectorAll("script, style, .card, .which, button[lang]").forEach(part => part.remove());
    const texts = [...page.querySelectorAll("[aria-label], [title], [placeholder]")]
        .flatMap(e => ["aria-label", "title", "placeholder"].map(name => e.getAttribute(name)));
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.textContent);
    return texts.filter(Boolean).map(text => text.trim());
}"""


# Every two of width, scheme and language meet in one of the four.
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(1280, "light", "zh"), (1280, "dark", "en"), (390, "light", "en"), (390, "dark", "zh")],
)
def test_looks(visit, language, scheme, width):
    """Words in the visitor's language, in colours that can be read, on a page that is no wider than the screen."""
    locale = {"en": "en-GB", "zh": "zh-CN"}[language]
    phone = {"has_touch": True, "is_mobile": True, "device_scale_factor": 1} if width < 640 else {}
    page = visit("explore", locale=locale, color_scheme=scheme, width=width, script=SHIFTS, **phone)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    shifts = page.evaluate(SHIFTED)
    for place, name in enumerate(READY):
        turn_to(page, name)
        page.evaluate(SHIFTED)  # what was asked for moves what is there, and comes late on a busy machine
        title = WORDS[f"{name}.title"][LANGUAGES.index(language)]
        assert page.locator(".at-k-header nav a").nth(place).inner_text() == title
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(FAINT) == []
        if phone:
            assert page.evaluate(CRAMPED) == []
        texts = page.evaluate(TEXTS)
        other = {pair[1 - LANGUAGES.index(language)] for pair in WORDS.values() if pair[0] != pair[1]}
        assert [text for text in texts if text in other] == []
        page.screenshot(path=SCREENSHOTS / f"{name}_{width}_{scheme}_{language}.png", full_page=True)
        shifts += page.evaluate(SHIFTED)
    assert sum(size for size, *_ in shifts) < 0.1, shifts  # what the web calls good; nothing moved while it was loaded


def test_sentences_are_chinese_too(visit):
    page = visit("score", locale="zh-CN")
    assert page.locator("#score .summary").inner_text() == "题数：100，每题样本数：8。总对：86，有时对：10，从不对：4。"
    page.locator("#score_results").fill('{"correct": [1, 2]}')
    page.locator("#score .main").click()
    said = "得到 2（第 1 行，列 “correct”，第 2 个样本）。"
    page.get_by_role("alert").get_by_text(said).wait_for()
    page.locator("#score input[type=file]").set_input_files({"name": "a", "mimeType": "", "buffer": b" " * 5_000_001})
    page.get_by_role("alert").get_by_text("文件大于 5 MB。").wait_for()


def test_the_keyboard_reaches_everything_and_shows_where_it_is(visit):
    page = visit("explore")
    for name in READY:
        turn_to(page, name)
        page.evaluate(MARK)
        page.evaluate(START)
        reached = []
        for _ in range(200):
            page.keyboard.press("Tab")
            mark, shown = page.evaluate(FOCUS)
            if mark == "end":
                break
            if mark:  # what scrolls can be reached, too
                reached.append(mark)
            assert shown, page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        expected = page.evaluate("[...document.querySelectorAll('[data-mark]')].map(e => e.dataset.mark)")
        assert reached == expected


# Everything that can be used, numbered in the order of the page.
MARK = """() => {
    document.querySelectorAll("[data-mark]").forEach(e => delete e.dataset.mark);
    [...document.querySelectorAll("a[href], button, input, textarea, select, [tabindex='0']")]
        .filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0)
        .forEach((e, i) => { e.dataset.mark = i; });
}"""

# As if the page had just been opened: the next thing to be reached is the first of it.
START = """() => {
    const start = document.createElement("button");
    document.body.prepend(start);
    start.focus();
    start.remove();
}"""

# The number of what has the focus, and whether an outline is around it, or around its label.
FOCUS = """() => {
    const e = document.activeElement;
    const styles = [e, e.closest("label") ?? e].map(e => getComputedStyle(e));
    return [
        e === document.body ? "end" : e.dataset.mark,
        styles.some(style => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1),
    ];
}"""

NEED_NAMES = {
    "button",
    "textbox",
    "combobox",
    "slider",
    "spinbutton",
    "checkbox",
    "radio",
    "tab",
    "link",
    "figure",
    "region",
}


def test_a_screen_reader_has_a_name_for_everything(visit):
    page = visit("explore")
    tree = page.context.new_cdp_session(page)
    for name in READY:
        turn_to(page, name)
        nodes = [node for node in tree.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        named = [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes]
        assert {role for role, said in named if not said} & NEED_NAMES == set()
        figures = page.locator(".figure svg >> visible=true")
        assert figures.count() == figures.and_(page.locator("[aria-label]:not([aria-label=''])")).count()

"""The pages of the demo, as a visitor meets them: in a real browser, and among many others."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from tools.driving import CHROMIUM, find_chromium, serving
from tools.visitors import visits

MOVES = 20

_NOTED = "import pathlib, time; pathlib.Path('imported').write_text(str(time.time())); launch(warm=False)"
"""Start the app, and note when its imports are done."""

_REDRAWN = """async (k) => {
    const slider = document.querySelector("#knobs input");
    const start = performance.now();
    slider.value = k;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    return (performance.now() - start) / 1000;
}"""
"""Move the first slider, and wait until it is drawn: seconds."""


def first_page() -> float:
    """Measure the seconds from the end of the imports until the first page has its figures."""
    return median(_first_page() for _ in range(3))


def slider_move() -> float:
    """Measure the seconds from a move of a slider until the figures are drawn anew."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, _page() as page:
        page.goto(server.url)
        page.wait_for_selector("#rows svg")
        page.evaluate(_REDRAWN, 2)
        return median(page.evaluate(_REDRAWN, 1 + move % 4) for move in range(MOVES))


def page_among_fifty() -> float:
    """Measure the seconds for a page while fifty visitors ask for pages, scores, comparisons and plans at once."""
    return _among_fifty()["page"]


def score_among_fifty() -> float:
    """Measure the seconds for scored results in the same run."""
    return _among_fifty()["score"]


@cache
def _among_fifty() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        visits(server.url)  # as a server is found that has been up for a while
        done = visits(server.url)
    faults = [visit.fault for visit in done if visit.fault]
    if faults:
        raise ValueError(
            f"{len(faults)} of {len(done)} answers are wrong or lost, first {faults[0]}"
        )
    return {
        kind: median(visit.seconds for visit in done if visit.kind == kind)
        for kind in ("page", "score")
    }


def _first_page() -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        _page() as page,
        serving(Path(folder), call=_NOTED) as server,
    ):
        page.goto(server.url)
        page.wait_for_selector("#rows svg")
        return time.time() - float(Path(folder, "imported").read_text())


@contextmanager
def _page() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM)
        try:
            yield browser.new_page(viewport={"width": 1280, "height": 900})
        finally:
            browser.close()

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

_NOTED = "import pathlib, time; pathlib.Path('imported').write_text(str(time.time())); launch()"
"""Start the app, and note when its imports are done."""

_REDRAWN = """async (n) => {
    const slider = document.querySelector("#explore_n_slider");
    const drawn = () => Number(document.querySelector("#explore_curves .handle").ariaValueMax) === n;
    const start = performance.now();
    slider.value = n;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (!drawn()) await new Promise(requestAnimationFrame);
    return (performance.now() - start) / 1000;
}"""
"""Move the slider n, of which the curves have as many points, and wait until they are drawn: seconds."""


def first_page() -> float:
    """Measure the seconds from the end of the imports until the first page has its figures."""
    return median(_first_page() for _ in range(3))


def slider_move() -> float:
    """Measure the seconds from a move of a slider until the figures are drawn anew."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, _page() as page:
        page.goto(server.url)
        page.wait_for_selector("#explore_curves .handle")
        page.evaluate(_REDRAWN, 12)
        return median(page.evaluate(_REDRAWN, n) for n in range(20, 20 + MOVES))


def explore_among_fifty() -> float:
    """Measure the seconds for a move of a slider while fifty visitors ask for pages, scores and moves at once."""
    return _among_fifty()["explore"]


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
        raise ValueError(f"{len(faults)} of {len(done)} answers are wrong or lost, first {faults[0]}")
    return {kind: median(visit.seconds for visit in done if visit.kind == kind) for kind in ("explore", "score")}


def _first_page() -> float:
    with tempfile.TemporaryDirectory() as folder, _page() as page, serving(Path(folder), call=_NOTED) as server:
        page.goto(server.url)
        page.wait_for_selector("#story_demand svg")
        page.wait_for_selector("#explore_curves .handle")
        return time.time() - float(Path(folder, "imported").read_text())


@contextmanager
def _page() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM)
        try:
            yield browser.new_page(viewport={"width": 1280, "height": 900})
        finally:
            browser.close()

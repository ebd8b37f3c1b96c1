"""A browser to use the app with."""

import os

import pytest
from playwright.sync_api import sync_playwright

from tools.driving import CHROMIUM, INSTALL_CHROMIUM, PATIENCE, READY, find_chromium, watch


@pytest.fixture(scope="package")
def browser():
    """The system's Chromium. It ends with this folder: while Playwright runs, no test can have an event loop."""
    chromium = find_chromium()
    if chromium is None and "AT_K_NO_SKIPS" not in os.environ:
        pytest.skip(f"there is no Chromium here ({INSTALL_CHROMIUM})")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, server):
    """Opens a page of the app: `visit("score", locale="zh-CN")`. Whatever goes wrong on a page fails the test."""
    opened, troubles = [], []

    def visited(name="gpassk", query="", *, width=1280, height=800, ready=True, **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, **{"locale": "en-US"} | options
        )
        context.set_default_timeout(PATIENCE * 1000)
        opened.append(context)
        page = context.new_page()
        watch(page, troubles)
        page.goto(f"{server.url}/{name}{query}")
        if ready:
            page.locator(READY[name]).first.wait_for()
        return page

    visited.troubles = troubles
    yield visited
    for context in opened:
        context.close()
    assert troubles == []

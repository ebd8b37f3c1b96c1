"""A browser to use the app with."""

import os

import pytest
from playwright.sync_api import sync_playwright

from tools.driving import CHROMIUM, PATIENCE, READY, find_chromium, watch


@pytest.fixture(scope="package")
def browser():
    """The system's Chromium. It ends with this folder: while Playwright runs, no test can have an event loop."""
    chromium = find_chromium()
    if chromium is None and "AT_K_NO_SKIPS" not in os.environ:
        pytest.skip("there is no chromium here (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def profiles(browser):
    """Profiles of visitors by their options: a page finds in its cache what earlier ones of the profile have loaded."""
    kept = {}

    def find(**options):
        key = repr(sorted(options.items()))
        if key not in kept:
            kept[key] = browser.new_context(**options)
            kept[key].set_default_timeout(PATIENCE * 1000)
        return kept[key]

    yield find
    for profile in kept.values():
        profile.close()


@pytest.fixture
def visit(profiles, server):
    """Opens a page of the app: `visit("score", locale="zh-CN")`. Whatever goes wrong on a page fails the test.

    A `document` takes the place of the app's own.
    """
    pages, troubles = [], []

    def visited(name="explore", *, url=None, width=1280, height=900, script="", document="", **options):
        page = profiles(viewport={"width": width, "height": height}, **{"locale": "en-US"} | options).new_page()
        pages.append(page)
        watch(page, troubles)
        if script:
            page.add_init_script(script)
        if document:
            page.route(f"{server.url}/", lambda route: route.fulfill(body=document, content_type="text/html"))
        page.goto(f"{server.url}/" if document else url or f"{server.url}/?page={name}")
        page.locator(f"{READY[name]} >> visible=true").first.wait_for()
        return page

    yield visited
    for page in pages:
        page.evaluate("localStorage.clear()")  # the next one has not chosen a language or a theme
        page.close()
    assert troubles == []

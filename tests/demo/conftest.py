"""The running app, and a browser to use it with."""

import os

import pytest
from playwright.sync_api import sync_playwright

from tools.driving import CHROMIUM, PATIENCE, READY, find_chromium, serving, watch


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by the marker
def pytest_collection_modifyitems(items):
    """Mark the tests that drive Chromium, and those that attack an app by requests, the cost of which is measured.

    One worker drives Chromium, which keeps several cores busy by itself, and has the one app that all tests share.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "browser" in fixtures:
            item.add_marker("browser")
        elif "victim" in fixtures:
            item.add_marker("alone")
        if {"browser", "server"} & fixtures:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app. No test changes what another one finds: there is no state between requests."""
    with serving(tmp_path_factory.mktemp("app")) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    """The system's Chromium. A module each: while Playwright runs, no test can have an event loop of its own."""
    chromium = find_chromium()
    if chromium is None and "AT_K_NO_SKIPS" not in os.environ:
        pytest.skip("there is no chromium here (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
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
    """Opens a page of the app: `visit("score", locale="zh-CN")`. Whatever goes wrong on a page fails the test."""
    pages, troubles = [], []

    def visited(name="explore", *, url=None, width=1280, height=900, script="", **options):
        page = profiles(viewport={"width": width, "height": height}, **{"locale": "en-US"} | options).new_page()
        pages.append(page)
        watch(page, troubles)
        if script:
            page.add_init_script(script)
        page.goto(url or f"{server.url}/?page={name}")
        page.locator(f"{READY[name]} >> visible=true").first.wait_for()
        return page

    yield visited
    for page in pages:
        page.evaluate("localStorage.clear()")  # the next one has not chosen a language or a theme
        page.close()
    assert troubles == []

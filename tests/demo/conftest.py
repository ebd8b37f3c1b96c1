"""The running app."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tools.driving import eventually, serving


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by the marker
def pytest_collection_modifyitems(items):
    """Mark the tests that drive Chromium.

    One worker drives it, which keeps several cores busy by itself, and has the one app that all tests share. Another
    one attacks an app of its own, in the order of the file: the last test looks at what is left of all.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "browser" in fixtures:
            item.add_marker("browser")
        if "victim" in fixtures:
            item.add_marker(pytest.mark.xdist_group("victim"))
        elif {"browser", "server"} & fixtures:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app, as the Space of a metric starts it, with tools for MCP if its package is installed.

    No test changes what another one finds: there is no state between requests, and no file is written.
    """
    tools = {"GRADIO_MCP_SERVER": "1"} if find_spec("mcp") else {}
    with serving(tmp_path_factory.mktemp("app"), "launch('cons_at_k')", **tools) as server:
        yield server
        processes = server.processes()
    assert [
        file for file in server.files() if "matplotlib" not in file
    ] == []  # Gradio makes it list the fonts
    eventually(lambda: [pid for pid in processes if Path(f"/proc/{pid}").exists()], [])

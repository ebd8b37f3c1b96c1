"""Run the app in a process of its own, and drive a browser: for the tests and the benchmarks."""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

ROOT = Path(__file__).resolve().parent.parent

CHROMIUM = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
]
CHROMIUM += [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-smooth-scrolling",
]

PATIENCE = 60
"""Seconds to wait for what must come, on a machine of any speed. Nothing is measured with it."""

READY = {
    "gpassk": "#gpassk #rows svg",
    "score": "#score .stair svg",
    "compare": "#compare .chart",
    "plan": "#plan h1.sentence",
}
"""The selector that shows that a page is ready: its figure, or its sentence."""


AXE = """only => axe.run({...only, resultTypes: ["violations"], preload: false}).then(
    found => found.violations.map(each => [each.id, ...each.nodes.map(node => node.target.join())])
)"""
"""Runs axe in a page, and returns what it finds."""

SHORTEN = """() => document.querySelectorAll("tbody").forEach(
    (body) => [...body.rows].slice(4).forEach((row) => row.remove())
)"""
"""Leaves four rows of each table, which are like the others: axe looks at each cell."""

SHIFT = """() => new Promise((resolve) => {
    let sum = 0;
    const look = (list) => { for (const each of list.getEntries()) sum += each.value; };
    new PerformanceObserver(look).observe({ type: "layout-shift", buffered: true });
    // What has shifted by now is in the list after the next two pictures.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum), 0)));
})"""
"""Returns how far the contents of a page have shifted since it was opened."""

INSTALL_CHROMIUM = "type: .venv/bin/python -m playwright install chromium-headless-shell, or apt-get install chromium"


def find_chromium():
    """Return the path of the system's Chromium, else of the one that Playwright installed, or None.

    The one without windows comes first: it draws the same, and opens a page in two thirds of the time.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    found = [path for name in names if (path := shutil.which(name))]
    caches = {"darwin": "Library/Caches", "win32": "AppData/Local"}
    folder = (
        os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
        or Path.home() / caches.get(sys.platform, ".cache") / "ms-playwright"
    )
    for shape in (
        "chromium_headless_shell-*/*/*headless*shell*",
        "chromium-*/*/chrome",
        "chromium-*/*/chrome.exe",
    ):
        found += [
            str(path)
            for path in sorted(Path(folder).glob(shape), reverse=True)
            if os.access(path, os.X_OK)
        ]
    return next(iter(found), None)


@dataclass(frozen=True)
class Server:
    """The app as it runs. `url` ends without a slash; `folder` is its home, and all that it may write to."""

    url: str
    pid: int
    folder: Path

    def memory(self):
        """Return the bytes that the app and its workers hold now. What they share counts once.

        Files of libraries are left out: how much of them counts depends on who else on the machine uses them.
        """
        rollups = (
            line for pid in self.processes() for line in _read(pid, "smaps_rollup").splitlines()
        )
        return sum(int(line.split()[1]) for line in rollups if line.startswith("Pss_Anon:")) * 1024

    def seconds(self):
        """Return the seconds of CPU time that the app and its workers have used, on a machine however busy."""
        stats = (_read(pid, "stat").rpartition(")")[2].split() for pid in self.processes())
        return sum(int(ticks) for fields in stats for ticks in fields[11:15]) / os.sysconf(
            "SC_CLK_TCK"
        )

    def processes(self):
        """List the processes of the app: its own, and all that began with it."""
        found = [self.pid]
        for pid in found:
            with suppress(OSError):  # it has ended meanwhile
                threads = os.listdir(f"/proc/{pid}/task")
                found += [
                    int(each)
                    for thread in threads
                    for each in _read(pid, f"task/{thread}/children").split()
                ]
        return found

    def files(self):
        """Return every file that the app has written, without caches of compiled code."""
        written = (
            path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"
        )
        return {str(path.relative_to(self.folder)) for path in written} - {"log"}

    def log(self):
        """Return what the app has printed."""
        return (self.folder / "log").read_text()

    def ask(self, name, **values):
        """Ask an endpoint, and return its status and its answer."""
        url = f"{self.url}/api/{name}"
        answer = httpx.post(
            url, json=values, timeout=PATIENCE, verify=False
        )  # certificates take long to read
        return answer.status_code, answer.json()


@contextmanager
def serving(folder, call="launch(warm=False)", module="at_k.demo.app", **environment):
    """Run the app on a free port of this machine, with a home of its own and no network."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HF_", "GRADIO_", "PYTHON"))
    }
    kept |= {
        "HOME": f"{folder}",
        "HF_HOME": f"{folder}/hf",
        "HF_HUB_OFFLINE": "1",
        "TMPDIR": f"{folder}",
    }
    kept |= {
        "PYTHONPATH": f"{ROOT}",
        "GRADIO_TEMP_DIR": f"{folder}/gradio",
        "GRADIO_SERVER_PORT": f"{port}",
    }
    kept |= environment
    command = [sys.executable, "-c", f"from {module} import launch; {call}"]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            command, cwd=folder, env=kept, stdout=log, stderr=subprocess.STDOUT
        ) as process,
    ):
        server = Server(f"http://127.0.0.1:{port}", process.pid, folder)
        try:
            _wait(server, process)
            yield server
        finally:
            process.terminate()


def _read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except OSError:  # it has just ended
        return ""


def _wait(server, process):
    latest = time.monotonic() + PATIENCE
    while not _answers(server):
        if time.monotonic() > latest or process.poll() is not None:
            raise RuntimeError(f"the app does not start:\n{server.log()}")
        time.sleep(0.1)


def _answers(server):
    with closing(http.client.HTTPConnection(urlsplit(server.url).netloc)) as connection:
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False


def turn_to(page, name):
    """Open another page by its link in the header, and wait for it."""
    page.locator(f"header nav a[href^='{name}']").click()
    page.locator(READY[name]).first.wait_for()


def watch(page, troubles):
    """Note whatever goes wrong on a page, and whatever it asks of others than its own server."""

    def failed(request):
        # A page that is left or loaded again hangs up.
        if request.failure != "net::ERR_ABORTED":
            troubles.append(f"{request.url} failed: {request.failure}")

    def said(message):
        if message.type in ("error", "warning"):
            troubles.append(f"console: {message.text}")

    def asked(request):
        if urlsplit(request.url).hostname not in (
            "127.0.0.1",
            None,
            "",
        ):  # data: and blob: have no host
            troubles.append(f"{request.url} is elsewhere")

    page.on("console", said)
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("requestfailed", failed)
    page.on("request", asked)
    page.on(
        "response",
        lambda answer: answer.status >= 400 and troubles.append(f"{answer.url}: {answer.status}"),
    )
    page.on(
        "dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss())
    )


def eventually(found, expected):
    """Assert that something is found in the end; it is looked for again and again."""
    latest = time.monotonic() + PATIENCE
    while (seen := found()) != expected and time.monotonic() < latest:
        time.sleep(0.02)
    assert seen == expected

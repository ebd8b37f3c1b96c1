"""What an attacker sends to the running app, which answers in time, goes on serving, and keeps nothing of it."""

import csv
import io
import json
import os
import socket
import threading
import time
import zipfile
from collections import Counter
from contextlib import closing
from functools import cache
from io import StringIO

import httpx
import pytest

import at_k
from at_k.demo.words import say
from tools.driving import eventually, serving

SECONDS = 2
"""In which each of these requests must be answered: here a clock is the point."""

GROWTH = 150_000_000
"""Bytes that memory may grow by: what the allocator keeps of a request or two, and nothing of all the others."""

JSON = {"content-type": "application/json"}

OPTIONS = [["pass_at_k"], [1], None, "random", "error", True, None, None, None]

FILE = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    """An app of its own, with what it held when it had served everybody once."""
    with serving(tmp_path_factory.mktemp("victim")) as server, client:
        score(server, '{"correct": [1, 0]}\n' * 5_000)
        serves(server)
        yield server, server.memory(), server.files()


@pytest.fixture
def server(victim):
    """The app under attack. After each attack it serves."""
    yield victim[0]
    serves(victim[0])


def serves(server):
    """A normal request is answered as it should be."""
    start = time.monotonic()
    found = server.run("explore", 16, 8, [4], [0.5], 4)[0]
    in_time(start)
    assert (found["pass@4"], found["G-Pass@4_0.5"]) == (
        at_k.pass_at_k(16, 8, k=4),
        pytest.approx(float(at_k.g_pass_at_k(16, 8, k=4, tau=0.5)), abs=1e-12),
    )


def in_time(start):
    """Asserts that it took two seconds, or more only by as much as the machine has more work than cores."""
    assert time.monotonic() - start < SECONDS * max(1, os.getloadavg()[0] / os.cpu_count())


client = httpx.Client(timeout=60)


def score(server, text, *options):
    """What the endpoint /score says of a text: an event, and what comes with it."""
    body = json.dumps({"data": [text, *(options or OPTIONS)]})
    asked = client.post(f"{server.url}/gradio_api/call/score", content=body, headers=JSON)
    if asked.status_code != 200:
        return asked.status_code, asked.text
    event = asked.json()["event_id"]
    answer = client.get(f"{server.url}/gradio_api/call/score/{event}")
    kind, data = answer.text.strip().split("\n\n")[-1].split("\n", 1)
    return kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def bomb():
    """100 MB in a file of 100 kB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.json", bytes(100_000_000))
    return packed.getvalue()


TEXTS = {
    "a million rows": ("1\n" * 1_000_000, "too many rows; the limit is 50,000"),
    "a million rows of JSON": ("[" + ",".join(["{}"] * 1_000_000) + "]", "too many rows; the limit is 50,000"),
    "a million samples": (f'{{"correct": [{"1," * 999_999}1]}}', "1,000,000 samples"),
    "a million lists": (f"[{'[1],' * 999_999}[1]]", "too many rows; the limit is 50,000"),
    "nested lists": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "nested objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    "nested in a cell": ('id,correct\n1,"' + "[" * 100_000 + "]" * 100_000 + '"', "nested too deeply"),
    "NaN": ('{"correct": [1, NaN]}', "A sample is missing"),
    "Infinity": ('{"correct": [1, -Infinity]}', "got -Infinity (row 1, column “correct”, sample 2)"),
    "a great number": ('{"correct": [1, 1e999]}', "got Infinity (row 1"),
    "a long number": (f'{{"correct": [{"9" * 4_000_000}]}}', "too many digits"),
    "an endless quotation": ('id,correct\n"' + "x" * 4_900_000, "quotation marks"),
    "lines": ("\n" * 4_900_000, "no results here"),
    "zeros": ("\0" * 800_000, "no results here"),
    "a packed file": (bomb().decode("latin-1"), ""),
    "half a character": ('{"id": "\\ud800", "correct": [1]}', "half of a character"),
}


@pytest.mark.parametrize(("text", "reason"), TEXTS.values(), ids=TEXTS)
def test_texts_are_refused_with_a_sentence(server, text, reason):
    start = time.monotonic()
    event, said = score(server, text)
    in_time(start)
    assert event == "error"
    assert reason in said["error"]


def test_columns_without_number(server):
    start = time.monotonic()
    assert score(server, "," * 4_900_000)[0] == "error"
    in_time(start)


def test_a_text_that_is_larger_than_a_request_may_be(server):
    start = time.monotonic()
    assert score(server, '{"correct": [1, 0]}\n' * 1_000_000)[0] == 413
    in_time(start)


@pytest.mark.parametrize("path", ["upload", "call/score", "queue/join", "run/explore"])
def test_100_megabytes(server, path):
    before = server.memory()
    start = time.monotonic()
    files = {"files": ("large.csv", io.BytesIO(bytes(100_000_000)))}
    answer = client.post(f"{server.url}/gradio_api/{path}", files=files)
    in_time(start)
    assert answer.status_code in (404, 413)
    assert server.memory() - before < 50_000_000


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"data": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        b'{"data": [16, 8, [' + b"1," * 1_000_000 + b"1], [0.5], 0]}",
        json.dumps({"data": [FILE, *OPTIONS]}).encode(),
        json.dumps({"data": [FILE | {"url": "http://127.0.0.1/"}, *OPTIONS]}).encode(),
        json.dumps({"data": ["x", [FILE], *OPTIONS[1:]]}).encode(),
        json.dumps({"data": [16, 8, {"a": [FILE]}, [0.5], 0]}).encode(),
        b"\x1f\x8b" + b"\0" * 1_000_000,
        b"",
    ],
    ids=lambda body: repr(body[:40]),
)
@pytest.mark.parametrize("name", ["call/score", "run/explore", "queue/join"])
def test_bodies_are_refused_before_anything_is_done(server, name, body):
    start = time.monotonic()
    answer = client.post(f"{server.url}/gradio_api/{name}", content=body, headers=JSON)
    in_time(start)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd",
        "/file=/etc/passwd",
        "/gradio_api/file=../../../../etc/passwd",
        "/gradio_api/file/etc/passwd",
        "/gradio_api/file=http://127.0.0.1:9/",
        "/gradio_api/proxy=http://127.0.0.1:9/",
        "/static/../../../../../../etc/passwd",
        "/assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/gradio_api/upload_progress?upload_id=a",
        "/gradio_api/stream/a/b/c/playlist.m3u8",
        "/monitoring",
    ],
)
def test_no_path_leads_to_a_file(server, path):
    with closing(_connected(server)) as attacker:
        attacker.sendall(f"GET {path} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n".encode())
        said = b"".join(iter(lambda: attacker.recv(65536), b""))
    assert said.startswith(b"HTTP/1.1 404")
    assert b"root:" not in said


def _connected(server):
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def test_names_of_nothing(server):
    for name in ("nothing", "lambda", "__init__", "explore_1"):
        for kind in ("call", "run"):
            answer = httpx.post(
                f"{server.url}/gradio_api/{kind}/{name}", json={"data": []}
            )  # an error ends a connection
            assert answer.status_code >= 400
    for number in (10**9, -1, 10**30, "0", None, 0.5, [0], {}):
        for path in ("run/predict", "queue/join"):
            content = {"data": [], "fn_index": number, "session_hash": "a"}
            start = time.monotonic()
            answer = httpx.post(f"{server.url}/gradio_api/{path}", json=content)
            in_time(start)
            assert answer.status_code >= 400 or (path, number) == ("queue/join", "0")


WRONG = (None, True, -1, 1.5, 10**9, 10**300, "x", "\0", "<b>", [], [[1]], [None], {}, {"a": 1}, float("nan"), 1e999)


def test_values_of_any_kind(server):
    """Whatever is sent, the answer is a result or a sentence."""
    right = {"explore": [16, 8, [4], [0.5], 4], "score": ['{"correct": [1, 0]}', *OPTIONS]}
    for name, values in right.items():
        for place in range(len(values)):
            for wrong in WRONG:
                data = [*values[:place], wrong, *values[place + 1 :]]
                start = time.monotonic()
                if name == "score":
                    event, said = score(server, data[0], *data[1:])
                else:
                    content = json.dumps({"data": data})
                    answer = client.post(f"{server.url}/gradio_api/run/explore", content=content, headers=JSON)
                    event, said = ("complete" if answer.status_code == 200 else "error"), answer.json()
                in_time(start)
                assert event == "complete" or len(said["error"]) > 10


def test_moves_of_sliders_that_are_none(server):
    """What the page Explore sends is brought within its limits."""
    for wrong in WRONG:
        data = [wrong, wrong, wrong, wrong, wrong, wrong]
        start = time.monotonic()
        content = json.dumps({"data": data, "fn_index": 0, "session_hash": "a"})
        answer = client.post(f"{server.url}/gradio_api/run/predict", content=content, headers=JSON)
        in_time(start)
        assert answer.status_code == 200
        plots = [part["plot"] for part in answer.json()["data"] if isinstance(part, dict) and "plot" in part]
        assert '"name": "pass@k"' in plots[0]


def test_requests_that_do_not_end(server):
    head = b"POST /gradio_api/call/score HTTP/1.1\r\nHost: app\r\nContent-Length: 1000000\r\n"
    attackers = [_connected(server) for _ in range(200)]
    for number, attacker in enumerate(attackers):
        attacker.sendall([head + b"\r\n" + b'{"data": ["' + b"x" * 50_000, head][number % 2])
    serves(server)
    assert score(server, '{"correct": [1, 0]}')[1][0]["results"] == {"pass@1": 0.5}
    for attacker in attackers:
        attacker.close()


def test_more_requests_than_the_queue_holds(server):
    """Those that find no place are told so; the others are answered, and Explore meanwhile."""
    text = "\n".join(json.dumps({"answers": [f"{i % 7}" for i in range(64)], "reference": "1"}) for _ in range(20))
    found = []

    def ask():
        event, said = score(server, text, ["cons_at_k"], list(range(1, 20)), *OPTIONS[2:])
        found.append((event, said if event == 503 else sorted(said[0]["results"])[0]))

    askers = [threading.Thread(target=ask) for _ in range(100)]
    for asker in askers:
        asker.start()
    serves_meanwhile = server.run("explore", 16, 8, [4], [0.5], 4)[0]["pass@4"]
    for asker in askers:
        asker.join()
    assert serves_meanwhile == at_k.pass_at_k(16, 8, k=4)
    counted = Counter(event for event, _ in found)
    assert counted["complete"] >= 64
    assert counted["complete"] + counted[503] == 100
    assert all("Queue is full" in said for event, said in found if event == 503)


def test_sessions_that_are_dropped(server):
    """Visitors who leave in the middle: pages are closed while results are on their way."""
    for visitor in range(200):
        with closing(_connected(server)) as leaving:
            leaving.sendall(f"GET /gradio_api/heartbeat/s{visitor} HTTP/1.1\r\nHost: app\r\n\r\n".encode())
            assert join(server, f"s{visitor}", '{"correct": [1, 0]}') in (200, 503)


def join(server, session, text):
    """What the page Score sends; nobody waits for the answer."""
    inputs = [text, *[""] * 6, ["pass_at_k"], "", "0.5", "random", "error", True, True]
    body = json.dumps({"data": inputs, "fn_index": scoring(server), "session_hash": session}, ensure_ascii=False)
    return client.post(f"{server.url}/gradio_api/queue/join", content=body.encode(), headers=JSON).status_code


@cache
def scoring(server):
    events = client.get(f"{server.url}/config").json()["dependencies"]
    return next(event["id"] for event in events if event["api_name"] == "show_scores")


def test_nothing_is_kept_of_what_sessions_sent(server):
    """Each of these would take 50 MB: a character that is not Latin makes Python take four bytes for every one."""
    text = "a,😀\n" + "1" * 11_800_000
    for session in range(5):
        join(server, f"first {session}", text)
    before = server.memory()
    for session in range(8):
        join(server, f"second {session}", text)
    assert server.memory() - before < GROWTH


# One worker attacks in the browser, so that the last of these tests finds what all of them have left.
in_the_browser = pytest.mark.xdist_group("hostile")

HOSTILE = [
    {
        "id": "<img src=x onerror=alert(1)>",
        "level": "<script>alert(2)</script>",
        "answers": ["<b>x</b>", "$\\frac{1}{2}$"],
        "correct": [1, 0],
        "score": [1, 2],
    },
    {
        "id": "$$\\frac12$$ %{x} </script><script>alert(3)</script>",
        "level": "$x$ <svg onload=alert(4)>",
        "answers": ["javascript:alert(5)", "<iframe src=//example.org>"],
        "correct": [1, 0],
        "score": [1, 2],
    },
    {
        "id": "=cmd|' /C calc'!A0",
        "level": '=HYPERLINK("http://example.org")',
        "answers": ["@a", "+b"],
        "correct": [1, 0],
    }
    | {"score": [1, 2]},
]

# Elements that could only come from what was given.
MADE = """() => [...document.querySelectorAll(
    "#score_results :is(img, iframe, object, embed, base, form, script, [onload], [onerror], .katex, b), "
    + "[src=x], [role=alert] *, .remarks * *"
)].map(element => element.outerHTML)"""


@in_the_browser
def test_what_is_given_is_shown_as_text(visit):
    page = visit("score")
    give(page, "\n".join(map(json.dumps, HOSTILE)))
    headings = page.locator("#score_table thead th")
    expected = ["$x$ <svg onload=alert(4)>", "<script>alert(2)</script>", '=HYPERLINK("http://example.org")']
    eventually(lambda: [text.splitlines()[0] for text in headings.all_inner_texts()][2:], expected)
    assert page.evaluate(MADE) == []
    bars = page.locator("#score_problems .js-plotly-plot")
    bars.scroll_into_view_if_needed()
    bar = bars.evaluate(
        "plot => [plot._fullLayout.xaxis, plot._fullLayout.yaxis].map(axis => axis._offset + axis._length / 2)"
    )
    seen = set()
    for name in (row["id"] for row in HOSTILE):
        bars.hover(position={"x": bar[0] + (len(seen) - 1) * 150, "y": bar[1] + 40})
        eventually(lambda name=name: f"{name}: 1 / 2" in bars.locator(".hoverlayer").text_content(), True)
        seen.add(name)
    assert page.evaluate(MADE) == []
    for link, column in (("Problems, CSV", 0), ("Problems, CSV", 1)):
        with page.expect_download() as download:
            page.get_by_text(link, exact=True).click()
        cells = [row[column] for row in csv.reader(StringIO(download.value.path().read_text("utf-8")))][1:]
        given = [row[("id", "level")[column]] for row in HOSTILE]
        assert cells == [f"'{cell}" if cell.startswith("=") else cell for cell in given]
    with page.expect_download() as download:
        page.get_by_text("Table, CSV", exact=True).click()
    heading = next(csv.reader(StringIO(download.value.path().read_text("utf-8"))))
    assert '\'=HYPERLINK("http://example.org")' in heading


@in_the_browser
def test_what_is_given_is_said_as_text(visit):
    page = visit("score")
    said = page.get_by_role("alert")
    give(page, '{"<img src=x onerror=alert(1)>": 1, "$$\\\\frac12$$": "<b>"}')
    eventually(lambda: "“<img src=x onerror=alert(1)>”, “$$\\frac12$$”" in "".join(said.all_inner_texts()), True)
    assert page.evaluate(MADE) == []
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Answers", exact=True).click()
    page.get_by_role("option", name="<img src=x onerror=alert(1)>").click()
    eventually(said.count, 1)
    give(page, '{"correct": [1, "<img src=x onerror=alert(1)>"]}')
    eventually(lambda: "got “<img src=x onerror=alert(1)>”" in "".join(said.all_inner_texts()), True)
    assert page.evaluate(MADE) == []
    page.get_by_role("tab", name="Metrics").click()
    page.locator("#metrics_text_gpassk textarea").fill('{"correct": [1, "<img src=x onerror=alert(1)>"]}')
    page.locator("#metrics_run_gpassk").click()
    eventually(lambda: "got “<img src=x onerror=alert(1)>”" in "".join(said.all_inner_texts()), True)
    assert page.evaluate(MADE) == []


@in_the_browser
def test_too_much_in_the_browser(visit):
    """It is not sent whole, and stays where it was pasted."""
    page = visit("score")
    # With a million rows it takes Chromium itself half a minute to lay out the lines of the box.
    text = f'{{"correct": [1, 0], "note": "{"x" * 1000}"}}\n' * 6_000
    box = page.locator("#score_text textarea")
    box.evaluate("(box, text) => { box.value = text; box.dispatchEvent(new Event('input', { bubbles: true })); }", text)
    page.locator("#score_run").click()
    said = page.locator("#score_refused_data [role=alert]")
    eventually(lambda: "the limit is 5,000,000" in "".join(said.all_inner_texts()), True)
    assert box.evaluate("box => box.value.length") == len(text)
    page.locator("#score_file input").set_input_files({"name": "a.zip", "mimeType": "", "buffer": bomb()})
    eventually(said.all_inner_texts, [say("en", "score.file_not_text")])
    assert box.evaluate("box => box.value.length") == len(text)
    give(page, '{"correct": [1, 0]}')
    page.locator("#score_results").wait_for()
    assert page.locator(".summary").inner_text().startswith("Problems: 1,")


@in_the_browser
def test_no_file_is_left_by_the_browser(victim, browser):
    server, _, files = victim
    assert server.files() == files


def give(page, text):
    page.locator("#score_text textarea").fill(text)
    page.locator("#score_run").click()


def test_nothing_is_left_of_all_this(victim):
    """No file is left, and of memory what the allocator keeps of large requests in several threads: the last test."""
    server, memory, files = victim
    assert server.files() == files
    assert server.memory() - memory < 500_000_000

import asyncio
import http.client
import json
import re
from contextlib import closing
from html import unescape
from urllib.parse import urlsplit

import gradio as gr
import httpx
import pytest
from gradio.routes import App
from gradio_client import Client
from hypothesis import given, strategies as st

import at_k
from at_k.demo import guard
from at_k.demo.app import build
from at_k.demo.guard import BUSY, HEADERS, Guard, count_inputs
from at_k.demo.limits import BUSY_SECONDS, MAX_BODY
from tools.driving import PATIENCE

JOIN = "/gradio_api/queue/join"


class Exchange:
    """One request through the guard to an app that answers with the body that it gets, and what came of it."""

    def __init__(
        self,
        method,
        path,
        body=b"",
        *,
        chunks=None,
        complete=True,
        headers=None,
        root_path="",
        query=b"",
        functions=None,
    ):
        self.chunks = list(chunks or [body])
        self.complete = complete
        headers = headers or {}
        if chunks is None:
            headers = {"content-length": str(len(body))} | headers
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "root_path": root_path,
            "query_string": query,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        self.reached = None
        self.sent = []
        self.received = 0
        asyncio.run(Guard(self.app, functions)(self.scope, self.receive, self.send))

    async def app(self, scope, receive, send):
        self.reached = b""
        more = True
        while more:
            message = await receive()
            self.reached += message["body"]
            more = message.get("more_body")
        assert await receive() == {"type": "http.disconnect"}
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self.reached})

    async def receive(self):
        self.received += 1
        if not self.chunks:
            return {"type": "http.disconnect"}
        chunk = self.chunks.pop(0)
        if chunk is None:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": chunk, "more_body": bool(self.chunks) or not self.complete}

    async def send(self, message):
        self.sent.append(message)

    @property
    def status(self):
        return self.sent[0]["status"]

    @property
    def headers(self):
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def error(self):
        return json.loads(self.sent[1]["body"])["error"]


def posted(value):
    return Exchange("POST", JOIN, value if isinstance(value, bytes) else json.dumps(value).encode())


async def list_paths():
    # In a running event loop: without one, Gradio makes loops that it does not close.
    server, endpoints = build()
    return App.create_app(endpoints, app=server).openapi()["paths"]


def test_the_app_of_a_metric_opens_at_it():
    async def read():
        server, _ = build("metrics", "cons_at_k")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(server), base_url="http://a") as client:
            return unescape((await client.get("/")).text)

    html = asyncio.run(read())
    assert 'data-start="metrics"' in html
    assert '"metric": "cons_at_k", "example": "cons_at_k"' in html


def test_what_is_open_of_gradio():
    """A new version of Gradio brings new endpoints: they are closed."""
    endpoints = asyncio.run(list_paths())
    reached = {
        (method, path)
        for path, methods in endpoints.items()
        for method in methods
        if Exchange(method.upper(), re.sub(r"{\w+}", "name", path), b"{}").reached is not None
    }
    api = "/gradio_api"
    assert reached == {
        ("head", "/"),
        *(("get", path) for path in ("/", "/config", "/robots.txt")),
        *(("get", f"{api}/{name}") for name in ("info", "startup-events", "queue/data")),
        ("get", f"{api}/heartbeat/{{session_hash}}"),
        ("get", f"{api}/call/{{api_name}}/{{event_id}}"),
        ("get", f"{api}/call/v2/{{api_name}}/{{event_id}}"),
        *(("post", f"{api}/{name}") for name in ("queue/join", "cancel", "reset")),
        *(("post", f"{api}/{kind}/{{api_name}}") for kind in ("run", "call", "call/v2")),
    }
    assert len(endpoints) > 2 * len(reached)  # the other ones are closed


@pytest.mark.parametrize(
    "path",
    [
        "",
        "//",
        "/config/",
        "//config",
        "/./config",
        "/Config",
        "/config\n",
        "/assets-at-k/",
        "/assets-at-k",
        "/assets-at-k/../config",
        "/assets-at-k/..",
        "/assets-at-k/a//b",
        "/assets-at-k/.hidden",
        "/assets-at-k/a/../../b",
        "/assets-at-k/..%2fconfig",
        "/assets/index.js",
        "/static/img/logo.svg",
        "/theme.css",
        "/answers/",
        "/answers/score.json",
        "/assets-at-k/%2e%2e/config",
        "/assets-at-k/..\\config",
        "/assets-at-k/é",
        "/assets-at-k/a\0",
        "/static/img/../../../../etc/passwd",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=http://127.0.0.1/",
        "/gradio_api/file/etc/passwd",
        "/gradio_api/proxy=https://org-name.hf.space/",
        "/gradio_api/info/../upload",
        "/gradio_api//info",
        "/GRADIO_API/info",
        "/elsewhere/config",
    ],
)
def test_no_other_spelling_is_open(path):
    closed = Exchange("GET", path)
    assert (closed.status, closed.reached, closed.error) == (404, None, "There is nothing here.")


def test_a_mounted_demo_is_open_where_it_is_mounted():
    assert Exchange("GET", "/demo/config", root_path="/demo").status == 200
    assert Exchange("GET", "/config", root_path="/demo").status == 200  # a proxy took the prefix away
    assert Exchange("GET", "/demo/gradio_api/upload", root_path="/demo").status == 404
    assert Exchange("GET", "/demo/demo/config", root_path="/demo").status == 404


def test_a_body_up_to_the_limit_arrives_as_it_was_sent():
    body = b'["' + b"x" * (MAX_BODY - 4) + b'"]'
    assert Exchange("POST", JOIN, body).reached == body
    assert Exchange("POST", JOIN, chunks=[body[:7], b"", body[7:]]).reached == body


@pytest.mark.parametrize("path", [JOIN, "/", "/gradio_api/upload"])
@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
def test_a_longer_body_is_refused_by_its_length(method, path):
    refused = Exchange(method, path, headers={"content-length": str(MAX_BODY + 1)})
    assert (refused.status, refused.reached, refused.received) == (413, None, 0)
    assert refused.error == "A request may have up to 12000000 bytes."
    assert refused.headers["connection"] == "close"


def test_a_longer_body_of_unknown_length_is_read_to_the_limit_only():
    refused = Exchange("POST", JOIN, chunks=[b" " * 1_000_000] * 100)
    assert (refused.status, refused.reached) == (413, None)
    assert refused.received == MAX_BODY // 1_000_000 + 1
    assert refused.headers["connection"] == "close"


def test_a_body_that_stops_coming_is_given_up(monkeypatch):
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.01)
    stopped = Exchange("POST", JOIN, chunks=[b"[", None])
    assert (stopped.status, stopped.reached) == (408, None)


def test_a_body_that_breaks_off_goes_no_further():
    assert Exchange("POST", JOIN, chunks=[b"[]"], complete=False).reached is None


FUNCTIONS = {0: 2, 7: 0, "score": 2}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("queue/join", {"fn_index": 0, "data": [1, 2]}, 200),
        ("run/predict", {"fn_index": 7, "data": []}, 200),
        ("run/score", {"data": [1, 2]}, 200),
        ("call/v2/score", {"text": "", "k": [1]}, 200),
        ("cancel", {"event_id": "a"}, 200),
        ("queue/join", {"fn_index": 1, "data": [1, 2]}, 404),
        ("queue/join", {"fn_index": 10**30, "data": []}, 404),
        ("queue/join", {"fn_index": [0], "data": [1, 2]}, 404),
        ("queue/join", {"data": [1, 2]}, 404),
        ("run/predict", {"fn_index": None, "data": [1, 2]}, 404),
        ("run/other", {"data": [1, 2]}, 404),
        ("call/predict", {"data": [1, 2]}, 404),
        ("queue/join", {"fn_index": 0, "data": [1]}, 400),
        ("run/score", {"data": [1, 2, 3]}, 400),
        ("run/score", {"data": {"0": 1, "1": 2}}, 400),
        ("run/score", {}, 400),
        ("run/score", [1, 2], 400),
    ],
)
def test_a_function_that_there_is_not_is_not_called(path, body, status):
    exchange = Exchange("POST", f"/gradio_api/{path}", json.dumps(body).encode(), functions=FUNCTIONS)
    assert exchange.status == status
    assert (exchange.reached is None) == (status != 200)


def test_who_found_no_place_is_told_when_to_come_again():
    """Gradio answers every error with 500."""

    async def fail(scope, receive, send):
        scope[BUSY] = True
        await send({"type": "http.response.start", "status": 500, "headers": []})

    async def ask():
        sent = []

        async def send(message):
            sent.append(message)

        await Guard(fail)({"type": "http", "method": "GET", "path": "/", "headers": []}, None, send)
        return sent[0]

    answer = asyncio.run(ask())
    assert (answer["status"], (b"retry-after", str(BUSY_SECONDS).encode()) in answer["headers"]) == (503, True)


def test_the_functions_of_an_app_are_counted():
    async def make():  # in an event loop, because the queue of Gradio opens one of its own otherwise
        with gr.Blocks(analytics_enabled=False) as app:
            box = gr.Textbox()
            box.change(len, box, None, api_name="length")
            box.submit(lambda a, b: None, [box, box], None, api_visibility="private")
        return app

    counts = count_inputs(asyncio.run(make()))
    assert counts["length"] == 1
    assert sorted(value for name, value in counts.items() if isinstance(name, int)) == [1, 2]


def test_all_bodies_together_are_bounded(monkeypatch):
    """Four callers send 40 bytes each and stop; of a limit of 100, two are held, and others are refused until then."""
    monkeypatch.setattr(guard, "MAX_BODIES", 100)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)

    async def unreachable(*_):
        raise AssertionError("no body was whole")

    async def send_all():
        guarded, statuses = Guard(unreachable), []
        scope = {"type": "http", "method": "POST", "path": JOIN, "query_string": b"", "headers": []}

        def caller():
            messages = [{"type": "http.request", "body": b" " * 40, "more_body": True}]

            async def receive():
                return messages.pop() if messages else await asyncio.sleep(60)

            return receive

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append((message["status"], (b"retry-after", b"5") in message["headers"]))

        await asyncio.gather(*(guarded(scope, caller(), send) for _ in range(4)))
        return statuses, guarded._held

    assert asyncio.run(send_all()) == ([(503, True)] * 2 + [(408, False)] * 2, 0)


FILE = {"path": "https://example.org/large.bin", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "JSON in UTF-8"),
        (b"{", "JSON in UTF-8"),
        (b"data=1", "JSON in UTF-8"),
        (b"\xff\xfe", "JSON in UTF-8"),
        ('{"data": ["结果"]}'.encode("gb18030"), "JSON in UTF-8"),
        ('{"data": ["a"]}'.encode("utf-16"), "JSON in UTF-8"),
        ('{"data": ["a"]}'.encode("utf-32-be"), "JSON in UTF-8"),
        (b'{"data": [' + b"1" * 5_000 + b"]}", "JSON in UTF-8"),
        (b"[" * 201 + b"]" * 201, "many values"),
        (b'[{"a":' * 101 + b"1" + b"}]" * 101, "many values"),
        (b"[" * 100_000 + b"]" * 100_000, "many values"),
        (b"[" + b"[]," * 3_000_000 + b"[]]", "many values"),
        (b"[" + b'"",' * 3_000_000 + b'""]', "many values"),
        (b'["\\"", ' + b"[]," * 3_000_000 + b'"\\\\"]', "many values"),
        (b'"' * 6_000_000, "many values"),
        ({"data": [FILE]}, "refer to a file"),
        ({"data": [[{"value": FILE}]]}, "refer to a file"),
        ({"event_data": {"path": "/etc/passwd"}}, "refer to a file"),
        (b'{"data": [{"p\\u0061th": "/etc/passwd"}]}', "refer to a file"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_body_that_no_page_sends_is_refused(body, reason):
    refused = posted(body)
    assert (refused.status, refused.reached) == (400, None)
    assert reason in refused.error


@pytest.mark.parametrize(
    "text",
    [
        '"path": {[',
        "[" * 100_000 + "\\",
        "[" * 100_000 + '\\"',
        '{"correct": [1, 0]}\n' * 100_000,
        "\\u005b\0\ud800",
        '",' * 500_000,
    ],
    ids=lambda text: text[:20],
)
def test_a_text_may_hold_anything(text):
    assert posted({"data": [["short"] * 1_000, text, 16, None, text], "session_hash": "a"}).status == 200


few = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text().filter("path".__ne__), inner, max_size=5),
    max_leaves=20,
)


def test_as_many_lists_as_are_allowed_pass():
    assert posted(b"[" * 200 + b"]" * 200).status == 200


@given(few, st.booleans())
def test_few_values_pass_unchanged(value, ascii_only):
    body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert posted(body).reached == body


@pytest.fixture(scope="module")
def client(server):
    """A client of the app. It reads no certificates, which takes longer than a request."""
    with httpx.Client(base_url=server.url, verify=False, timeout=PATIENCE) as client:
        yield client


def test_every_answer_has_the_headers(client):
    answers = [client.get("/"), client.get("/nowhere"), client.post(JOIN)]
    assert [answer.status_code for answer in answers] == [200, 404, 400]
    for answer in answers:
        assert HEADERS.items() <= {name.title(): value for name, value in answer.headers.items()}.items()
    policy = HEADERS["Content-Security-Policy"]
    assert "http" not in policy.partition("frame-ancestors")[0]  # nothing comes from, or goes, elsewhere


@pytest.mark.parametrize("path", [JOIN, "/gradio_api/upload"])
@pytest.mark.parametrize("known", [True, False], ids=["of known length", "streamed"])
def test_100_megabytes_are_not_waited_for(client, path, known):
    sent = 0

    def body():
        nonlocal sent
        for _ in range(100):
            sent += 1_000_000
            yield b" " * 1_000_000

    headers = {"Content-Length": "100000000"} if known else {}
    answer = client.post(path, content=body(), headers=headers)
    assert answer.status_code == (413 if known or path == JOIN else 404)
    assert sent < 50_000_000  # what the buffers of both sides held when the answer came, and the limit
    assert client.get("/config").status_code == 200


def test_paths_as_they_are_on_the_wire(server):
    def status(path):
        with closing(http.client.HTTPConnection(urlsplit(server.url).netloc)) as connection:
            connection.request("GET", path)
            return connection.getresponse().status

    assert status("/config?v=1") == status("/confi%67") == 200
    secrets = ["/assets/../../../../../../../etc/passwd", "/assets/..%2f..%2fblocks.py", "/assets/%2e%2e%2fconfig"]
    secrets += ["/gradio_api/file=/etc/passwd", "/gradio_api/file%3D/etc/passwd", "//gradio_api/upload_progress"]
    assert [status(path) for path in secrets] == [404] * len(secrets)


TEXT = "\n".join(f'{{"id": {i}, "correct": [1, {i % 2}]}}' for i in range(20))


def test_the_client_gets_its_answers(server, client):
    caller = Client(server.url, verbose=False)
    assert caller.predict(16, 8, [4], [0.5], api_name="/explore")["pass@4"] == at_k.pass_at_k(16, 8, k=4)
    report = at_k.score({"grades": [[1, i % 2] for i in range(20)]}, k=[2])
    assert caller.predict(TEXT, k=[2], api_name="/score")["results"]["pass@2"] == report.values["pass@2"]
    compared = caller.predict(TEXT, TEXT.replace("[1,", "[0,"), k=[1], margin=0.1, api_name="/compare")
    assert compared["keys"]["pass@1"]["difference"] == 0.5
    planned = caller.predict(TEXT, problems=[20, 80], samples=[2], half_width=0.05, api_name="/plan")
    expected = at_k.plan(report, problems=[20, 80], samples=[2], half_width=0.05)
    assert planned["half_width"] == expected.half_width.tolist()
    assert planned["needed_problems"] == expected.needed_problems
    started = client.post("/gradio_api/call/explore", json={"data": [4, 2, [2], [0.5], 0]}).json()
    assert '"pass@2"' in client.get(f"/gradio_api/call/explore/{started['event_id']}").text

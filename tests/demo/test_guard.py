"""The guard and the app without a port: what is closed and bounded, what pages and addresses answer, and how long
a connection may wait for the head of a request."""

import asyncio
import json
import re

import pytest
import uvicorn
from cases import refuses
from starlette.testclient import TestClient
from uvicorn.protocols.http import auto

from at_k.demo import app, guard
from at_k.demo.guard import Guard, limit_heads
from at_k.demo.limits import MAX_BODY, MAX_GRADIO_BODY
from at_k.demo.turns import BusyError

CLOSED = [
    "/gradio_api/upload", "/gradio_api/file=/etc/passwd", "/gradio_api/file/etc/passwd", "/gradio_api/proxy=http://a/",
    "/gradio_api/stream/a/b/c/playlist.m3u8", "/gradio_api/component_server", "/gradio_api/upload_progress",
    "/inner/gradio_api/upload", "/inner/gradio_api/file=/etc/passwd", "/inner/monitoring",
    "/inner/theme_preview", "/inner/gradio_api/runs", "/gradio_api/deep_link", "/x//y", "/a/../b",
    "/inner/login", "/inner/dev/reload", "/gradio_api/process_recording",
]  # fmt: skip


async def echo(scope, receive, send):
    """Answer with the size of the body."""
    body = (await receive()).get("body", b"") if scope["method"] == "POST" else b""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


def ask(path, body=b"", method="POST", pieces=None, headers=(), wait=0.0):
    """Ask the guard: the status, and what was answered."""
    sent, left = [], list(pieces if pieces is not None else [body])

    async def receive():
        await asyncio.sleep(wait)
        if not left:
            return {"type": "http.disconnect"}
        piece = left.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": list(headers)}
    asyncio.run(Guard(echo)(scope, receive, send))
    return (sent[0]["status"], sent[1]["body"], dict(sent[0]["headers"])) if sent else None


@pytest.mark.parametrize("path", CLOSED)
def test_paths_that_serve_or_store_files_are_closed(path):
    assert ask(path)[0] == ask(path, method="GET")[0] == 404


def test_bodies_are_handed_on_whole():
    assert ask("/api/score", pieces=[b"ab", b"cd"])[1] == b"4"
    assert ask("/api/score", bytes(MAX_BODY))[1] == str(MAX_BODY).encode()
    assert ask("/gradio_api/call/score", b'{"data": ["x"]}')[0] == 200
    assert ask("/api/score", pieces=[]) is None  # a visitor who leaves gets no answer


@pytest.mark.parametrize(
    ("path", "most"), [("/api/score", MAX_BODY), ("/gradio_api/call/x", MAX_GRADIO_BODY)]
)
def test_large_bodies_are_refused(path, most):
    assert ask(path, pieces=[b"x" * most, b"x"])[0] == 413
    assert ask(path, headers=[(b"content-length", str(most + 1).encode())])[0] == 413
    assert ask(path, headers=[(b"content-length", b"many")])[0] == 413


def test_slow_bodies_and_many_at_once_are_refused(monkeypatch):
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    assert ask("/api/score", pieces=[b"x"] * 10, wait=0.02)[0] == 408
    monkeypatch.setattr(guard, "MAX_BODIES", 10)
    status, said, headers = ask("/api/score", b"x" * 11)
    assert (status, headers[b"retry-after"]) == (503, b"5")
    assert json.loads(said)["error"]


DEEP = b"[" * 100_000 + b"]" * 100_000
FILE = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize("body", [
    DEEP, b'{"data": [' + DEEP + b"]}", b'{"data": [' + b"1," * 20_000 + b"1]}", b"x", b"\x1f\x8b\0",
    json.dumps({"data": [FILE]}).encode(), json.dumps({"data": [{"a": [FILE]}]}).encode(),
    json.dumps({"data": ["x"]}).encode("utf-16"), b'{"data": [' + b"{}," * 300 + b"{}]}",
], ids=lambda body: repr(body[:30]))  # fmt: skip
@pytest.mark.parametrize("path", ["/gradio_api/call/score", "/inner/gradio_api/queue/join"])
def test_gradio_gets_few_values_and_no_file(path, body):
    assert ask(path, body)[0] == 400


def test_sockets_are_rejected():
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    asyncio.run(Guard(echo)({"type": "websocket", "path": "/"}, receive, send))
    assert sent == ["websocket.close"]


@pytest.fixture(scope="module")
def client():
    with TestClient(app.build(warm=False), follow_redirects=False) as client:
        yield client
    app.start_sandbox.cache_clear()


@pytest.mark.parametrize("path", ["/", "/gpassk", "/cons_at_k", "/score", "/compare", "/plan"])
def test_pages_are_files_with_a_policy(client, path):
    answer = client.get(path)
    assert answer.status_code == client.head(path).status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert f'id="{path.strip("/") or "gpassk"}"' in answer.text
    assert not re.search(r"\{\w+\}", answer.text)
    assert "<script>" not in answer.text
    assert "style=" not in answer.text


def test_the_first_page_is_that_of_the_space_in_the_language_of_the_browser():
    with TestClient(app.build("cons_at_k", warm=False)) as client:
        assert 'id="cons_at_k"' in client.get("/").text
        assert "The vote of 8: 93" in client.get("/").text
        chinese = client.get("/", headers={"accept-language": "zh-CN,zh;q=0.9"}).text
        assert '<html lang="zh-CN">' in chinese
        assert "8 票的投票" in chinese
        assert '<html lang="en">' in client.get("/?lang=en", headers={"accept-language": "zh"}).text
    app.start_sandbox.cache_clear()


@pytest.mark.parametrize(
    "path",
    [
        "/pages/nothing",
        "/pages/..%2fapp.py",
        "/pages/data",
        "/pages/data/",
        "/pages/words.py",
    ],
)
def test_no_other_file_is_served(client, path):
    assert client.get(path).status_code == 404


def test_endpoints_answer_or_refuse_with_a_sentence(client):
    found = client.post("/api/score", json={"data": "id,correct\na,1\na,0"})
    assert (found.status_code, found.json()["average"]["value"]) == (200, 0.5)
    refused = client.post("/api/score", json={"data": "{"})
    assert (refused.status_code, refused.json()["error"][-1]) == (422, ".")
    for body in (b"", b"[]", b"x", DEEP, b'{"data": 1'):
        assert client.post("/api/score", content=body).status_code in (400, 422)
    assert client.post("/api/measure", json={}).status_code == 404
    assert client.get("/api/score").status_code in (404, 405)


def test_a_full_queue_says_when_to_come_back(client, monkeypatch):
    async def refuse(*_):
        raise BusyError

    monkeypatch.setattr(app, "ask", refuse)
    answer = client.post("/api/score", json={"data": "x", "language": "zh"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def test_gradio_that_cannot_be_imported_does_not_make_visitors_wait(monkeypatch):
    def fail():
        raise RuntimeError("no Gradio")

    monkeypatch.setattr(app, "_build_gradio", fail)
    with (
        TestClient(app.build(warm=False)) as client,
        pytest.raises(RuntimeError, match="no Gradio"),
    ):
        client.get("/inner/")
    app.start_sandbox.cache_clear()


def test_mcp_without_its_package_is_an_error(monkeypatch):
    monkeypatch.setenv("GRADIO_MCP_SERVER", "1")
    monkeypatch.setattr(guard, "find_spec", lambda name: None)
    for start in (guard.find_mcp, app.launch):
        refuses("RuntimeError: at-k[mcp]", start)
    monkeypatch.setenv("GRADIO_MCP_SERVER", "0")
    assert not guard.find_mcp()


HEAD = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"


async def answer_late(scope, receive, send):
    await asyncio.sleep(guard.HEAD_SECONDS + 0.1)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def visit(monkeypatch):
    """Run what a caller does with a connection to a server that expects a head within half a second."""
    monkeypatch.setattr(auto, "AutoHTTPProtocol", auto.AutoHTTPProtocol)
    monkeypatch.setattr(guard, "HEAD_SECONDS", 0.5)
    limit_heads()

    async def serve(caller):
        config = uvicorn.Config(
            answer_late, host="127.0.0.1", port=0, log_level="error", lifespan="off"
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await asyncio.wait_for(caller(reader, writer), 30)
        finally:
            writer.close()
            server.should_exit = True
            await serving

    return lambda caller: asyncio.run(serve(caller))


@pytest.mark.parametrize("before", [b"", HEAD])
def test_a_head_that_comes_byte_by_byte_is_closed(visit, before):
    """Also if it is not the first one of its connection, and if nothing comes."""

    async def wait(reader, _):
        return await reader.read()

    async def caller(reader, writer):
        if before:
            writer.write(before)
            await reader.readuntil(b"ok")
        try:
            for byte in HEAD[:-1]:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            return "closed"
        return "closed" if reader.at_eof() else "open"

    assert (visit(wait), visit(caller)) == (b"", "closed")


def test_an_answer_may_take_longer_and_more_requests_may_come(visit, monkeypatch):
    monkeypatch.setattr(guard, "HEAD_SECONDS", 2)  # a busy machine may take one between two writes

    async def caller(reader, writer):
        answers = []
        for _ in range(2):
            writer.write(HEAD[:9])
            await asyncio.sleep(0.05)
            writer.write(HEAD[9:])
            answers.append(await reader.readuntil(b"ok"))
        return [answer.split(b"\r\n")[0] for answer in answers]

    assert visit(caller) == [b"HTTP/1.1 200 OK"] * 2


def test_the_server_says_where_it_is(server):
    assert server.log().splitlines().count(f"The pages are at {server.url}") == 1

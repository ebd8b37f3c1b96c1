"""Connections on which the head of a request does not come in time are closed; others are not."""

import asyncio

import pytest
import uvicorn
from uvicorn.protocols.http import auto

from at_k.demo import guard
from at_k.demo.guard import limit_heads

HEAD = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"


async def answer_late(scope, receive, send):
    await asyncio.sleep(0.6)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def visit(monkeypatch):
    """Run what a caller does with a connection to a server that expects a head within half a second."""
    monkeypatch.setattr(auto, "AutoHTTPProtocol", auto.AutoHTTPProtocol)
    monkeypatch.setattr(guard, "HEAD_SECONDS", 0.5)
    limit_heads()

    async def serve(caller):
        server = uvicorn.Server(
            uvicorn.Config(answer_late, host="127.0.0.1", port=0, log_level="error", lifespan="off")
        )
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


def test_silence_is_closed(visit):
    async def caller(reader, _):
        return await reader.read()

    assert visit(caller) == b""


@pytest.mark.parametrize("before", [b"", HEAD])
def test_a_head_that_comes_byte_by_byte_is_closed(visit, before):
    """Also if it is not the first one of its connection."""

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

    assert visit(caller) == "closed"


def test_an_answer_may_take_longer_and_more_requests_may_come(visit):
    async def caller(reader, writer):
        answers = []
        for _ in range(2):
            writer.write(HEAD[:9])
            await asyncio.sleep(0.05)
            writer.write(HEAD[9:])
            answers.append(await reader.readuntil(b"ok"))
        return [answer.split(b"\r\n")[0] for answer in answers]

    assert visit(caller) == [b"HTTP/1.1 200 OK"] * 2

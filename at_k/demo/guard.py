"""Protection of the server from the open internet: bounded requests, closed doors, and connections that end."""

from __future__ import annotations

import asyncio
import json
import os
import re
from functools import partial
from importlib.util import find_spec
from typing import Any

from anyio import move_on_after
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http import auto
from uvicorn.protocols.http.h11_impl import H11Protocol

from at_k.demo.limits import (
    BODY_SECONDS,
    BUSY_SECONDS,
    HEAD_SECONDS,
    MAX_BODIES,
    MAX_BODY,
    MAX_GRADIO_BODY,
)

RETRY = {"Retry-After": str(BUSY_SECONDS)}

# Paths of Gradio that store, record, serve or fetch files, which no demo needs.
_CLOSED = re.compile(
    r"/gradio_api/(upload|file|proxy|stream|component_server|runs|monitoring|vibe|deep_link|process_recording)"
    r"|/(monitoring|theme_preview|login|logout|svelte|dev|pwa|manifest\.json)(/|$)|//|/\.\./"
)

_GRADIO = re.compile(r"/gradio_api/|/(config|queue|run|call|api)(/|$)")

_REFUSALS = {
    400: "A request of Gradio may have a long text, but not very many values, and no file.",
    404: "There is nothing here.",
    408: "The request comes too slowly.",
    413: f"A request may have up to {MAX_BODY} bytes.",
    503: "Too many requests come at once. Try again in a few seconds.",
}

# Bytes outside of the strings of JSON for Gradio, and lists and objects in it. A demo sends a few hundred.
_MOST_SYNTAX, _MOST_LISTS = 20_000, 200

# Headers of every answer.
HEADERS = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


class Guard:
    """ASGI middleware that reads bodies within bounds of size, time and number, and closes what no page asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self._held = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await (_reject_socket if scope["type"] == "websocket" else self.app)(
                scope, receive, send
            )
            return
        send, held = partial(_send_with_headers, send), [0]
        status: int | None
        status, body = (404, b"") if _CLOSED.search(scope["path"]) else (0, b"")
        try:
            if not status and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                status, body = await self._read(scope, receive, held)
            if status is None:
                return
            if status:
                headers = {"Connection": "close"} | (RETRY if status == 503 else {})
                await JSONResponse({"error": _REFUSALS[status]}, status, headers=headers)(
                    scope, receive, send
                )
                return
            await self.app(scope, _replay(body, receive), send)
        finally:
            self._held -= held[0]

    async def _read(
        self, scope: Scope, receive: Receive, held: list[int]
    ) -> tuple[int | None, bytes]:
        """Read a whole body: the status that refuses it or 0, None if the visitor left, and the body."""
        gradio = _GRADIO.search(scope["path"]) is not None and not scope["path"].startswith("/api/")
        most, body = MAX_GRADIO_BODY if gradio else MAX_BODY, bytearray()
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not length.isdigit() or int(length) > most for length in lengths):
            return 413, b""
        with move_on_after(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None, b""
                piece = message.get("body", b"")
                body += piece
                held[0] += len(piece)
                self._held += len(piece)
                if len(body) > most:
                    return 413, b""
                if self._held > MAX_BODIES:
                    return 503, b""
                if not message.get("more_body"):
                    return 400 if gradio and not _is_plain(bytes(body)) else 0, bytes(body)
        return 408, b""


def _is_plain(body: bytes) -> bool:
    """Return whether a body for Gradio is JSON of few values, none of which refers to a file."""
    # Gradio walks through all values, and answers no other request meanwhile. Where a value refers to a file, Gradio
    # fetches that file from any address.
    if not body:
        return True
    # Once escaped quotes are removed, every other part is outside of a string. A part that is not split counts in full.
    parts = body.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"', _MOST_SYNTAX)
    outside = b"".join(parts[::2])
    if (
        len(outside) > _MOST_SYNTAX
        or outside.count(b"[") + outside.count(b"{") > _MOST_LISTS
        or b"\0" in body
    ):
        return False
    try:
        json.loads(body, object_hook=_refuse_path)
    except ValueError:
        return False
    return True


def _refuse_path(value: dict[str, Any]) -> dict[str, Any]:
    if "path" in value:
        raise ValueError("a file")
    return value


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives a body that was read already, and then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


async def _send_with_headers(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        MutableHeaders(scope=message).update(HEADERS)
    await send(message)


async def _reject_socket(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close", "code": 1008})


def find_mcp() -> bool:
    """Return whether Gradio's variable GRADIO_MCP_SERVER asks for tools for MCP."""
    wanted = os.environ.get("GRADIO_MCP_SERVER", "").lower() in ("1", "true")
    if wanted and find_spec("mcp") is None:
        raise RuntimeError(
            "GRADIO_MCP_SERVER asks for MCP, which needs its extra: pip install 'at-k[mcp]'"
        )
    return wanted


def limit_heads() -> None:
    """Let servers that are started from now on close connections on which the head of a request does not come."""
    # Problem: a caller who sends one byte a minute holds a connection, and thousands of them hold all that there are.
    # Seen in: uvicorn 0.54. Its `timeout_keep_alive` ends with the first byte of a request. Upstream:
    # https://github.com/Kludex/uvicorn/issues/157 asks for such a limit.
    auto.AutoHTTPProtocol = PunctualProtocol


class PunctualProtocol(H11Protocol):
    """HTTP/1.1, with a limit of time for the head of each request."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect a request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Expect the rest of a head that began, unless it is whole."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._expect()
        else:
            self._cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._cancel()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _cancel(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

"""Protection of the server from the open internet: few endpoints, small requests, nothing from other hosts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import gradio as gr
from anyio import fail_after
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from at_k.demo.document import hash_first
from at_k.demo.limits import BODY_SECONDS, BUSY_SECONDS, MAX_BODIES, MAX_BODY

BUSY = "at-k.busy"
"""What is set in the scope of a request that found no place."""

_MAX_SYNTAX = 20_000
"""Bytes of a request outside of the strings in its JSON. A page sends a few hundred."""

_MAX_LISTS = 200
"""Lists and objects in a request. A page sends a few dozen."""

# Names that start with a dot would lead out of a folder; every other spelling of a path (doubled slashes, capitals in
# fixed words, what is still encoded) matches nothing, and is closed.
_NAME = r"[\w-][\w.-]*"
_API = "/gradio_api"

_OPEN = {
    # "?" of a query is not part of a path: /?page=score is the document, too.
    "HEAD": re.compile("/"),
    "GET": re.compile(
        rf"/|/card\.png|/config|/robots\.txt|/assets-at-k(/{_NAME})+|{_API}/(info|startup-events|queue/data|heartbeat/{_NAME}"
        rf"|call/(v2/)?{_NAME}/{_NAME})",
        re.ASCII,
    ),
    "POST": re.compile(
        rf"/answers/\w+\.json|{_API}/(queue/join|cancel|reset|run/{_NAME}|call/(v2/)?{_NAME})", re.ASCII
    ),
}
"""The paths that the pages, their forms and `gradio_client` ask for. Files are read and made in the browser, so no path
is open that stores, records, serves or fetches a file."""

_POLICY = {
    "default-src": "'none'",
    "script-src": f"'self' 'sha256-{hash_first()}'",
    "style-src": "'self' 'unsafe-inline'",  # the width of a bar is in its element
    "img-src": "'self' data: blob:",  # a PNG is drawn from a blob
    "connect-src": "'self'",
    "base-uri": "'self'",
    "form-action": "'self'",
    # A Space is shown inside a page of huggingface.co.
    "frame-ancestors": "'self' https://huggingface.co https://*.hf.space",
}

HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in _POLICY.items()),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer."""


class Guard:
    """ASGI middleware that refuses every request that the pages never make, before Gradio sees it.

    `Server(middleware=[Middleware(Guard)])`.

    Args:
        app: what answers the requests that are let through.
        functions: how many values each function of the app takes, by number, and by name where it has one. Without
            them, Gradio answers requests for functions that there are not, with a traceback in the log.
    """

    def __init__(self, app: ASGIApp, functions: Mapping[int | str, int] | None = None) -> None:
        self.app, self._functions, self._held = app, functions, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = partial(_send_with_headers, scope, send)
        try:
            _check_head(scope)
            if scope["method"] == "POST":
                try:
                    with fail_after(BODY_SECONDS):
                        body = await self._read(receive)
                except TimeoutError:
                    raise _RequestError(408, "The request comes too slowly.") from None
                self._check_function(scope, _check_values(body))
                receive = _replay(body, receive)
        except _RequestError as error:
            # Close the connection: the rest of the body is not read.
            headers = {"Connection": "close"} | ({"Retry-After": str(BUSY_SECONDS)} if error.status == 503 else {})
            answer = JSONResponse({"error": str(error)}, error.status, headers=headers)
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _read(self, receive: Receive) -> bytes:
        """Read the whole body of a request, unless it grows too large, or all bodies together do."""
        body = bytearray()
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _RequestError(400, "The request ended early.")
                piece = message.get("body", b"")
                body += piece
                self._held += len(piece)
                if len(body) > MAX_BODY:
                    raise _TOO_LARGE()
                if self._held > MAX_BODIES:
                    raise _RequestError(503, "Too many requests come at once. Try again in a few seconds.")
                if not message.get("more_body"):
                    return bytes(body)
        finally:
            self._held -= len(body)

    def _check_function(self, scope: Scope, value: Any) -> None:
        """Refuse a call of a function that there is not, or with another number of values than it takes."""
        place, _, name = scope["path"].rpartition("/")
        if self._functions is None or name in ("cancel", "reset") or place == "/answers":
            return
        if not isinstance(value, dict):
            raise _RequestError(400, "A request must be an object in JSON.")
        called = value.get("fn_index") if name in ("predict", "join") else name
        taken = self._functions.get(called) if isinstance(called, (int, str)) else None
        if taken is None:
            raise _RequestError(404, "There is no such function.")
        data = value.get("data")
        if not place.endswith("/v2") and not (isinstance(data, list) and len(data) == taken):  # v2 names its values
            raise _RequestError(400, f"This function takes a list “data” of {taken} values.")


def count_inputs(app: gr.Blocks) -> dict[int | str, int]:
    """Count the values that each function of an app takes, by its number, and by its name where it has one."""
    counts: dict[int | str, int] = {}
    for number, function in app.fns.items():
        counts[number] = len(function.inputs)
        if isinstance(function.api_name, str):
            counts[function.api_name] = len(function.inputs)
    return counts


class _RequestError(Exception):
    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


_TOO_LARGE = partial(_RequestError, 413, f"A request may have up to {MAX_BODY} bytes.")


def _check_head(scope: Scope) -> None:
    """Refuse a request by its length, method and path, before its body is read."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    if any(int(length) > MAX_BODY for length in lengths):
        raise _TOO_LARGE()
    path = scope["path"].removeprefix(scope.get("root_path", ""))  # where the demo is mounted
    allowed = _OPEN.get(scope["method"])
    if allowed is None or not allowed.fullmatch(path):
        raise _RequestError(404, "There is nothing here.")


def _check_values(body: bytes) -> Any:
    """Decode a body. Refuse a body that is not JSON, that consists of very many values, or that refers to a file.

    A page sends few values, of which one may be a long text. Gradio walks through all values, and answers no other
    request meanwhile. Where a value refers to a file, Gradio fetches that file from any address.
    """
    # Once escaped quotes are removed, every other part is outside of a string. A part that is not split counts in full.
    parts = body.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"', _MAX_SYNTAX)
    outside = b"".join(parts[::2])
    if len(outside) > _MAX_SYNTAX or outside.count(b"[") + outside.count(b"{") > _MAX_LISTS:
        raise _RequestError(400, "A request may have a long text, but not so many values.")
    if b"\0" in body:  # UTF-16, where quotes are not found as above
        raise _RequestError(400, "A request must be JSON in UTF-8.")
    try:
        return json.loads(body, object_hook=_refuse_path)
    except ValueError:
        raise _RequestError(400, "A request must be JSON in UTF-8.") from None


def _refuse_path(value: dict[str, Any]) -> dict[str, Any]:
    if "path" in value:
        raise _RequestError(400, "A request cannot refer to a file.")
    return value


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives a body that was read already, and then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


async def _send_with_headers(scope: Scope, send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        if scope.get(BUSY):  # Gradio answers every error with 500
            message["status"] = 503
            MutableHeaders(scope=message)["Retry-After"] = str(BUSY_SECONDS)
        MutableHeaders(scope=message).update(HEADERS)
    await send(message)

"""The Space: our own pages, which answer at once, in front of one Gradio app at the same address.

visitor → Guard → /, /score, …    pages of `static`, with what they show first
                → /api/…          Turns → Sandbox → keepers → workers: `work.run`
                → all other paths GradioApp: `gradio_app`, whose functions take the same turns
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import AsyncIterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from at_k.demo.guard import RETRY, Guard, find_mcp, limit_heads
from at_k.demo.limits import MAX_CONNECTIONS
from at_k.demo.sandbox import settle, start_sandbox
from at_k.demo.turns import BusyError, ask, find_address
from at_k.demo.words import LANGUAGES, read_language, say
from at_k.errors import InputError
from at_k.family import FAMILY, METRICS

STATIC = Path(__file__).with_name("static")
START = "gpassk"
PAGES = {
    "score": ("Score", "Every @k metric of your results, with intervals."),
    "compare": ("Compare", "Two models on the same problems: for which k is which one better?"),
    "plan": ("Plan", "How many problems, and how many answers to each?"),
}
ENDPOINTS = ("play", "score", "compare", "plan")
PORT = 7860

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors *"
)
# Seconds between two blanks that are sent while Gradio is imported. `gradio_client` waits 5 for the next byte.
_BLANK_SECONDS = 1.0


async def answer(request: Request) -> Response:
    """Answer one of the endpoints: 422 with the library's sentence for what cannot be used, 503 if too many wait."""
    name = request.path_params["name"]
    if name not in ENDPOINTS or request.method != "POST":
        return JSONResponse({"error": "There is no such endpoint."}, 404)
    language = LANGUAGES[0]
    try:
        values = await request.json()
        if not isinstance(values, dict):
            raise ValueError
        language = read_language(values)
        answer = await ask(find_address(request), str(values.get("session", ""))[:64], name, values)
    except BusyError:
        return JSONResponse({"error": say(language, "serving.busy")}, 503, headers=RETRY)
    except InputError as reason:
        return JSONResponse({"error": str(reason), "code": reason.code, "mends": []}, 422)
    except (ValueError, RecursionError):
        return JSONResponse({"error": "The body must be a JSON object."}, 400)
    except ClientDisconnect:
        return Response(status_code=400)
    return JSONResponse(answer, 422 if "error" in answer else 200)


@cache
def render_page(page: str, language: str) -> str:
    """Fill the template of a page. That of a metric has its first numbers, for readers without scripts."""
    blanks = {"page": page, "lang": "zh-CN" if language == "zh" else "en"}
    if page in PAGES:
        title, description = PAGES[page]
        script, main = page, _read(f"{page}.html")
    else:
        metric = FAMILY[page]
        title, script = metric.title, "play"
        description, *_ = metric.describe(language)
        main = _fill(_read("play.html"), {**blanks, **_render_first(page, language)})
    # `evaluate` finds a module in the Spaces of an owner, or in the folder of a clone.
    source = os.environ.get("SPACE_ID", "").partition("/")[0] or "metrics"
    blanks |= {"title": title, "description": description, "script": script, "source": source}
    return _fill(
        _read("page.html"), {name: escape(text) for name, text in blanks.items()} | {"main": main}
    )


def _render_first(page: str, language: str) -> dict[str, str]:
    """Render what the page of a metric shows first, from the answer that was prepared."""
    first = json.loads(_read(f"data/{page}.{language}.json"))["first"]
    rows = ""
    for share, label in first["rows"]:
        words = f"<b>{escape(share)}</b><p>{escape(label)}</p>"
        rows += f'<div class="stair"><span></span><div>{words}</div></div>'
    links = (f'<a href="{name}">{FAMILY[name].title}</a>' for name in METRICS)
    metric = FAMILY[page]
    question, *_ = metric.describe(language)
    return {
        "metrics": "".join(links),
        "headline": escape(first["title"]),
        "lead": escape(first["lead"]),
        "hint": escape(first["hint"]),
        "rows": rows,
        "legend": escape(first["legend"]),
        "question": f"{metric.title}: {escape(question)}",
    }


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _fill(template: str, blanks: dict[str, str]) -> str:
    for name, text in blanks.items():
        template = template.replace(f"{{{name}}}", text)
    return template


async def show(request: Request) -> ASGIApp:
    """Show a page, in the language that the address or the browser asks for; `?view=api` is a page of Gradio's."""
    if "view" in request.query_params:
        gradio: ASGIApp = request.app.state.gradio  # an answer is an app
        return gradio
    asked = request.query_params.get("lang")
    if asked not in LANGUAGES:
        asked = (
            "zh" if request.headers.get("accept-language", "").startswith("zh") else LANGUAGES[0]
        )
    page = request.url.path.rpartition("/")[2] or request.app.state.start
    headers = {
        "Content-Security-Policy": _POLICY,
        "Cache-Control": "no-cache",
        "Vary": "Accept-Language",
    }
    return HTMLResponse(render_page(page, asked), headers=headers)


class Files(StaticFiles):
    """The other files of the pages."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """Answer with a file that browsers ask about before they use it again."""
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


class GradioApp:
    """The Gradio app, which takes seconds to import: in a thread, while our own pages are answered already."""

    def __init__(self) -> None:
        self._app: asyncio.Future[ASGIApp] | None = None
        self._end = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def _serve(self, ready: asyncio.Future[ASGIApp]) -> None:
        try:
            inner = await asyncio.to_thread(_build_gradio)
            async with inner.router.lifespan_context(inner):
                ready.set_result(inner)
                await self._end.wait()
        except Exception as reason:
            if ready.done():
                raise
            ready.set_exception(reason)  # or all visitors would wait for ever

    def start(self) -> asyncio.Future[ASGIApp]:
        """Begin to build it, unless that has begun."""
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._serve(self._app))
        return self._app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and keep the first client waiting by blanks before its JSON."""
        ready = self.start()
        # `Mount` sets root_path and keeps the path whole; Gradio's own mounts expect a whole path, and no root_path.
        scope = {**scope, "root_path": scope.get("app_root_path", "")}
        # Browsers wait longer, and need the headers of Gradio's own answer.
        is_client = b"origin" not in dict(scope["headers"])
        if scope["path"].endswith("/config") and is_client and not ready.done():
            send = await _send_blanks(ready, send)
        await (await asyncio.shield(ready))(scope, receive, send)

    async def stop(self) -> None:
        """End it."""
        self._end.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=3)


async def _send_blanks(ready: asyncio.Future[ASGIApp], send: Send) -> Send:
    """Begin an answer of JSON with blanks until the app is ready; return a function that sends the rest of it."""
    # An encoding that is set keeps the middleware from holding the blanks back.
    headers = [(b"content-type", b"application/json"), (b"content-encoding", b"identity")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    while not ready.done():
        await send({"type": "http.response.body", "body": b" ", "more_body": True})
        await asyncio.wait([ready], timeout=_BLANK_SECONDS)

    async def send_rest(message: Message) -> None:
        if message["type"] != "http.response.start":
            await send(message)

    return send_rest


def _build_gradio() -> Any:
    from at_k.demo.gradio_app import mount

    return mount()


def build(start: str = START, *, warm: bool = True) -> Starlette:
    """Build the app. Gradio is imported when it starts, or, without `warm`, for the first request that needs it."""
    gradio = GradioApp()

    @contextlib.asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        start_sandbox()
        if warm:
            gradio.start()
        yield
        await gradio.stop()
        start_sandbox().end()

    routes = [
        *(Route(f"/{page}", show) for page in ("", *METRICS, *PAGES)),
        Route("/api/{name}", answer, methods=["GET", "POST"]),
        Mount("/pages", Files(directory=STATIC)),
        Mount("/", gradio),
    ]
    app = Starlette(
        routes=routes, lifespan=live, middleware=[Middleware(Guard), Middleware(GZipMiddleware)]
    )
    app.state.start, app.state.gradio = start, gradio
    return app


class _Server(uvicorn.Server):
    """A server that says its address when it is ready."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and print the address."""
        await super().startup(sockets=sockets)
        if self.started:
            print(f"The pages are at http://{self.config.host}:{self.config.port}", flush=True)


def launch(start: str = START, *, warm: bool = True) -> None:
    """Serve the app, opened at a page, on port 7860 or the one that GRADIO_SERVER_PORT names."""
    find_mcp()  # an error now, and not when Gradio is imported
    limit_heads()
    settle()
    config = uvicorn.Config(
        build(start, warm=warm),
        host=os.environ.get(
            "GRADIO_SERVER_NAME", "0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1"
        ),
        port=int(os.environ.get("GRADIO_SERVER_PORT", PORT)),
        log_level="warning",
        limit_concurrency=MAX_CONNECTIONS,
    )
    server = _Server(config)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        raise SystemExit(3)  # as `uvicorn.run` ends where it cannot start

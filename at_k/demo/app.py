"""The Space: static pages, three endpoints of JSON, and the Gradio demos, which are loaded when somebody asks.

visitor → Guard → pages           files of `static`
                → /api/…          Turns → Sandbox → keepers → workers: `work.run`
                → /metrics/…      Demos: `metric_demo`, whose functions take the same turns
                → /gradio_api/…   Demos: the three endpoints for `gradio_client`
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from at_k.demo.guard import RETRY, Guard, find_mcp, limit_heads
from at_k.demo.limits import COMPARING, MAX_CONNECTIONS, OFFERED, PLANNING
from at_k.demo.sandbox import settle, start_sandbox
from at_k.demo.turns import BusyError, ask, find_address
from at_k.demo.words import LANGUAGES, say
from at_k.errors import InputError

STATIC = Path(__file__).with_name("static")
PAGES = {
    "explore": "index.html",
    "score": "score.html",
    "compare": "compare.html",
    "plan": "plan.html",
}
ENDPOINTS = ("score", "compare", "plan")
PORT, WARM_SECONDS = 7860, 5.0

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)
_METRIC = "gpassk"
_SETTINGS = ("lang", "theme", "__theme", "__sign")
# Names in addresses of the third edition that still mean the same.
_KEPT = {"explore": ("draw",), "score": ("example", "key"), "plan": ("problems", "samples")}

_DRAWN = re.compile(r"(.+@)(\d+)(.*)")


async def answer(request: Request) -> Response:
    """Answer one of the endpoints: 422 with the library's sentence for what cannot be used, 503 if too many wait."""
    name = request.path_params["name"]
    if name not in ENDPOINTS:
        return JSONResponse({"error": "There is no such endpoint."}, 404)
    language = LANGUAGES[0]
    try:
        values = await request.json()
        if not isinstance(values, dict):
            raise ValueError
        language = values["language"] if values.get("language") in LANGUAGES else language
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


def convert_state(page: str, query: Mapping[str, str]) -> dict[str, str]:
    """Convert the state in an address of the third edition; `gone` names what no page has any more.

    Examples:
        >>> convert_state("score", {"k": "1, 8", "column_grades": "ok", "least": "2"})
        {'o.k': '1, 8', 'o.columns': 'grades=ok', 'gone': 'least'}
    """
    state: dict[str, str] = {}
    columns, gone = [], []
    for name, value in query.items():
        if name in _KEPT.get(page, ()) or name in _SETTINGS:
            state[name] = value
        elif page in ENDPOINTS and name in (*OFFERED, *COMPARING, *PLANNING):
            state[f"o.{name}"] = value
        elif page == "compare" and name == "key" and (drawn := _DRAWN.fullmatch(value)):
            state |= {"line": f"{drawn[1]}k{drawn[3]}", "k": drawn[2]}
        elif page in ENDPOINTS and name.startswith("column_"):
            columns.append(f"{name.removeprefix('column_')}={value.strip(chr(0))}")
        else:
            gone.append(name)
    listed = {"o.columns": ", ".join(columns), "gone": ", ".join(gone)[:200]}
    return state | {name: value for name, value in listed.items() if value}


async def show(request: Request) -> Response:
    """Show a page. An address of an older edition, such as /?page=score&k=8, leads to the page that it names."""
    query = dict(request.query_params)
    page = query.pop("page", None) or query.pop("open", None)
    if request.url.path.endswith("/") and page is not None:
        if page == "metrics":
            return RedirectResponse(f"metrics/{quote(query.get('metric', _METRIC), safe='')}/")
        page = page if page in PAGES else "explore"
        return RedirectResponse(f"{page}?{urlencode(convert_state(page, query))}")
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
    page = request.url.path.rpartition("/")[2] or request.app.state.start
    return FileResponse(STATIC / PAGES[page], headers=headers)


async def show_metric(request: Request) -> Response:
    """Lead to the demo of one metric, which links to the others."""
    return RedirectResponse(
        f"{_METRIC}/" if request.url.path.endswith("/") else f"metrics/{_METRIC}/"
    )


class Files(StaticFiles):
    """The other files of the pages."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """Answer with a file that browsers ask about before they use it again."""
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


class Demos:
    """The Gradio demos. They are built when the first visitor asks for one, or some seconds after the start."""

    def __init__(self) -> None:
        self._app: asyncio.Future[ASGIApp] | None = None
        self._end = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def _serve(self, ready: asyncio.Future[ASGIApp]) -> None:
        try:
            inner = await asyncio.to_thread(_build_demos)
            async with inner.router.lifespan_context(inner):
                ready.set_result(inner)
                await self._end.wait()
        except Exception as reason:
            if ready.done():
                raise
            ready.set_exception(reason)  # or all visitors would wait for ever

    def start(self) -> asyncio.Future[ASGIApp]:
        """Begin to build them, unless that has begun."""
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._serve(self._app))
        return self._app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a demo."""
        # `Mount` sets root_path and keeps the path whole; Gradio's own mounts expect a whole path, and no root_path.
        scope = {**scope, "root_path": scope.get("app_root_path", "")}
        await (await asyncio.shield(self.start()))(scope, receive, send)

    async def stop(self) -> None:
        """End them."""
        self._end.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=3)


def _build_demos() -> Any:
    from at_k.demo.metric_demo import mount_demos

    return mount_demos()


def build(start: str = "explore", warm_after: float | None = WARM_SECONDS) -> Starlette:
    """Build the app. It loads the demos after some seconds, or, with None, when somebody asks for one."""
    demos = Demos()

    @contextlib.asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        start_sandbox()
        if warm_after is not None:
            asyncio.get_running_loop().call_later(warm_after, demos.start)
        yield
        await demos.stop()
        start_sandbox().end()

    routes = [
        Route("/", show),
        *(Route(f"/{page}", show) for page in PAGES),
        Route("/api/{name}", answer, methods=["POST"]),
        Route("/metrics", show_metric),
        Route("/metrics/", show_metric),
        Mount("/metrics", demos),
        Mount("/gradio_api", demos),
        Route("/config", demos),
        Mount("/", Files(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes, lifespan=live, middleware=[Middleware(Guard), Middleware(GZipMiddleware)]
    )
    app.state.start = start
    return app


class _Server(uvicorn.Server):
    """A server that says its address when it is ready."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and print the address."""
        await super().startup(sockets=sockets)
        if self.started:
            print(f"The pages are at http://{self.config.host}:{self.config.port}", flush=True)


def launch(start: str = "explore", warm_after: float | None = WARM_SECONDS) -> None:
    """Serve the app, opened at a page, on port 7860 or the one that GRADIO_SERVER_PORT names."""
    find_mcp()  # an error now, and not when the demos are built
    limit_heads()
    settle()
    config = uvicorn.Config(
        build(start, warm_after),
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

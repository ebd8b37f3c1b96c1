"""The app: the document, what answers its forms, and the endpoints for programs, served by Gradio."""

from __future__ import annotations

import os
from typing import Any

import gradio as gr
from gradio.events import api as endpoint
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from at_k.demo import api, connections
from at_k.demo.document import Assets, Document, hash_assets
from at_k.demo.forms import answer_form
from at_k.demo.guard import Guard, count_inputs
from at_k.demo.limits import MOST_AT_ONCE
from at_k.demo.memory import settle
from at_k.demo.previews import answer_preview
from at_k.demo.sandbox import start_sandbox
from at_k.demo.turns import MOST_WAITING

PORT = 7860


def build(page: str | None = None, metric: str | None = None) -> tuple[gr.Server, gr.Blocks]:
    """Build the app, opened at a page, and the page "metrics" at a metric: the server, and its endpoints."""
    with gr.Blocks(mode="server", title="at-k", analytics_enabled=False) as endpoints:
        for function in api.ENDPOINTS:
            endpoint(function, api_name=function.__name__, queue=function is not api.explore, concurrency_limit=None)
    endpoints.queue(max_size=MOST_WAITING)
    document = Document(page, metric)

    async def answer(request: Request) -> Response:
        return document.answer(request)

    routes = [
        Route("/", answer, methods=["GET", "HEAD"]),
        Route("/card.png", answer_preview),
        Mount(f"/assets-at-k/{hash_assets()}", Assets()),
        Route("/answers/{page}.json", answer_form, methods=["POST"]),
    ]
    guard = Middleware(Guard, functions=count_inputs(endpoints))
    return gr.Server(title="at-k", routes=routes, middleware=[guard]), endpoints


def launch(page: str | None = None, metric: str | None = None, **options: Any) -> None:
    """Serve the app: on port 7860, or the one that GRADIO_SERVER_PORT names."""
    if "GRADIO_SERVER_PORT" not in os.environ:
        options.setdefault("server_port", PORT)
    start_sandbox()  # it warms up while the pages are built
    server, endpoints = build(page, metric)
    connections.limit_heads()
    settle()
    endpoints.launch(  # as `Server.launch` does, whose queue would have no limit
        _app=server,
        max_threads=MOST_WAITING + MOST_AT_ONCE,  # or Gradio would let requests wait that have no turn yet
        state_session_capacity=1,  # no session has a state, and Gradio keeps what each sent last
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        _frontend=False,  # Gradio would end if its first answer to itself took more than three seconds
        **options,
    )

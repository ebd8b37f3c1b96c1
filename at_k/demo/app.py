"""The app: the pages side by side, and how it is started."""

from __future__ import annotations

import os
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import gradio as gr
from gradio.events import api as endpoint
from starlette.middleware import Middleware

from at_k.demo import api, connections, gradio_patches, pages
from at_k.demo.guard import Guard, count_inputs
from at_k.demo.i18n import TRANSLATIONS, t
from at_k.demo.limits import LIMITS, MOST_AT_ONCE
from at_k.demo.memory import settle
from at_k.demo.sandbox import start_sandbox
from at_k.demo.shell import Shell, make_routes
from at_k.demo.theme import STYLE, make_theme
from at_k.demo.turns import MOST_WAITING

PORT = 7860


def find_pages() -> dict[str, ModuleType]:
    """Find every file in `pages`, by name, in the order of their `POSITION`."""
    found = {part.name: import_module(f"{pages.__name__}.{part.name}") for part in iter_modules(pages.__path__)}
    return dict(sorted(found.items(), key=lambda item: item[1].POSITION))


def write_sections(page: str, language: str) -> str:
    """Write, in a language, the pages that stand in the document itself rather than in Gradio: one of them is open."""
    own = {name: getattr(module, "write_section", None) for name, module in find_pages().items()}
    return "".join(
        f'<div data-section="{name}"{"" if name == page else " hidden"}>{write(language)}</div>'
        for name, write in own.items()
        if write is not None
    )


def list_texts(language: str) -> list[Any]:
    """List, in a language, what the pages write into the document in English."""
    own = (getattr(module, "list_texts", None) for module in find_pages().values())
    return [text for list_own in own if list_own is not None for text in list_own(language)]


def build(page: str | None = None, metric: str | None = None) -> gr.Blocks:
    """Build the app, opened at a page, and the page "metrics" at a metric."""
    gradio_patches.keep_no_values()
    app: gr.Blocks
    with gr.Blocks(title="at-k", analytics_enabled=False) as app:
        with gr.Tabs(selected=page, elem_classes="at-k-pages"):
            for name, module in find_pages().items():
                with gr.Tab(t(f"{name}.title"), id=name):
                    module.build(metric=metric)
        endpoint(api.explore, api_name="explore", queue=False)
        endpoint(api.score_text, api_name="score", concurrency_limit=None)
    app.queue(max_size=MOST_WAITING, default_concurrency_limit=2, api_open=False)
    gradio_patches.bound_mailboxes(app)
    return app


def launch(page: str | None = None, metric: str | None = None, **options: Any) -> None:
    """Serve the app: on port 7860, or the one that GRADIO_SERVER_PORT names."""
    if "GRADIO_SERVER_PORT" not in os.environ:
        options.setdefault("server_port", PORT)
    start_sandbox()  # it warms up while the pages are built
    app = build(page, metric)
    connections.limit_heads()
    settle()
    app.launch(
        theme=make_theme(),
        css_paths=STYLE,
        i18n=TRANSLATIONS,
        max_file_size=LIMITS.max_bytes,
        max_threads=MOST_WAITING + MOST_AT_ONCE,  # or Gradio would let requests wait that have no turn yet
        state_session_capacity=200,
        footer_links=["api", "settings"],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        _frontend=False,  # Gradio would end if its first answer to itself took more than three seconds
        app_kwargs={
            "middleware": [
                Middleware(
                    Shell, pages=tuple(find_pages()), start=page, write_sections=write_sections, list_texts=list_texts
                ),
                Middleware(Guard, functions=count_inputs(app)),
            ],
            "routes": make_routes(),
        },
        **options,
    )

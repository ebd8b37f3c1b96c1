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

from at_k.demo import api, gradio_patches, pages
from at_k.demo.guard import Guard
from at_k.demo.i18n import TRANSLATIONS, t
from at_k.demo.limits import LIMITS
from at_k.demo.theme import SCRIPT, STYLE, make_theme

PORT = 7860


def find_pages() -> dict[str, ModuleType]:
    """Find every file in `pages`, by name, in the order of their `POSITION`."""
    found = {part.name: import_module(f"{pages.__name__}.{part.name}") for part in iter_modules(pages.__path__)}
    return dict(sorted(found.items(), key=lambda item: item[1].POSITION))


def build(page: str | None = None, metric: str | None = None) -> gr.Blocks:
    """Build the app, opened at a page, and the page "metrics" at a metric."""
    gradio_patches.keep_no_values()
    with gr.Blocks(title="at-k", analytics_enabled=False) as app:
        gr.Markdown("# at-k", elem_classes="brand")
        gr.Markdown(t("app.tagline"), elem_classes="tagline")
        with gr.Tabs(selected=page) as tabs:
            for name, module in find_pages().items():
                with gr.Tab(t(f"{name}.title"), id=name):
                    module.build(metric=metric)
        app.load(open_linked, None, tabs, queue=False, show_progress="hidden", api_visibility="private")
        endpoint(api.explore, api_name="explore", queue=False)
        endpoint(api.score_text, api_name="score", concurrency_id="score")
    app.queue(max_size=64, default_concurrency_limit=2, api_open=False)
    gradio_patches.bound_mailboxes(app)
    return app  # type: ignore[no-any-return]  # `with` of an untyped base class


def open_linked(request: gr.Request) -> Any:
    """Open the page that a link asks for: /?open=score."""
    page = request.query_params.get("open")
    return gr.Tabs(selected=page) if page in find_pages() else gr.skip()


def launch(page: str | None = None, metric: str | None = None, **options: Any) -> None:
    """Serve the app: on port 7860, or the one that GRADIO_SERVER_PORT names."""
    if "GRADIO_SERVER_PORT" not in os.environ:
        options.setdefault("server_port", PORT)
    build(page, metric).launch(
        theme=make_theme(),
        css_paths=STYLE,
        js=SCRIPT.read_text(encoding="utf-8"),
        i18n=TRANSLATIONS,
        max_file_size=LIMITS.max_bytes,
        state_session_capacity=200,
        footer_links=["api", "settings"],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        app_kwargs={"middleware": [Middleware(Guard)]},
        **options,
    )

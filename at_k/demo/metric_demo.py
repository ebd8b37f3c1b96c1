"""Gradio demos of the metrics, made from the registry: components from options, texts from cards and the catalogue.

All are mounted under /metrics/ of the Space; each is started alone by `metrics/<name>/app.py`. They use Gradio as it
comes, but for what `guard` closes.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import gradio as gr
import pandas as pd
from gradio.events import api
from starlette.applications import Starlette
from starlette.middleware import Middleware

from at_k.computation import Metric
from at_k.demo.given import read_example
from at_k.demo.guard import Guard, find_mcp, limit_heads
from at_k.demo.limits import MAX_GRADIO_BODY
from at_k.demo.sandbox import settle, start_sandbox
from at_k.demo.scoring import OPTIONS
from at_k.demo.turns import MOST_WAITING, BusyError, ask, find_address
from at_k.demo.words import SENTENCES, WORDS, say
from at_k.errors import InputError
from at_k.family import FAMILY, METRICS, module_path
from at_k.options.registry import Option

_JUDGED = ("extract_fn", "check_correct_fn", "equivalence", "missing")
_LATEX = [{"left": sign, "right": sign, "display": sign == "$$"} for sign in ("$$", "$")]
# Problems of the real example.
_SHORT = 12

_WORDS = ("data", "data_info", "run", "numbers", "curve", "judging", "card", "examples", "pages")
_CLOSED = {
    "ssr_mode": False,  # it would start a server of Node
    "run_history": False,
    "enable_monitoring": False,
    "footer_links": ["api"],
    "max_file_size": MAX_GRADIO_BODY,
}


def mount_demos() -> Any:
    """Mount the demo of each metric, and at the root the three endpoints for `gradio_client`."""
    inner: Any = Starlette()
    settings: dict[str, Any] = {**_CLOSED, "mcp_server": find_mcp()}
    for name in METRICS:
        demo, words = build_demo(name, pages="../../score")
        gr.mount_gradio_app(inner, demo, f"/metrics/{name}", i18n=words, **settings)
    return gr.mount_gradio_app(inner, build_endpoints(), "", **settings)


def launch(name: str, **options: Any) -> None:
    """Serve the demo of one metric alone, by Gradio itself."""
    settings: dict[str, Any] = {**_CLOSED, "mcp_server": find_mcp(), "max_threads": MOST_WAITING}
    start_sandbox()
    limit_heads()
    demo, words = build_demo(name)
    settle()
    demo.launch(i18n=words, app_kwargs={"middleware": [Middleware(Guard)]}, **settings, **options)


def build_endpoints() -> gr.Blocks:
    """Build the three endpoints as functions of an app without a page."""

    async def score(
        data: str,
        options: dict[str, Any] | None = None,
        language: str = "en",
        request: gr.Request | None = None,
    ) -> dict[str, Any]:
        """Compute every @k metric of results: JSON, JSONL or CSV; options are those of `at_k.score`."""
        return await _ask(
            request, "score", {"data": data, "options": options, "language": language}
        )

    async def compare(
        a: str,
        b: str,
        options: dict[str, Any] | None = None,
        language: str = "en",
        request: gr.Request | None = None,
    ) -> dict[str, Any]:
        """Compare the results of two models on the same problems, at every k."""
        return await _ask(
            request, "compare", {"a": a, "b": b, "options": options, "language": language}
        )

    async def plan(
        data: str,
        options: dict[str, Any] | None = None,
        language: str = "en",
        request: gr.Request | None = None,
    ) -> dict[str, Any]:
        """Plan a measurement from a pilot: how precise it is for numbers of problems and of answers."""
        return await _ask(request, "plan", {"data": data, "options": options, "language": language})

    endpoints: gr.Blocks
    with gr.Blocks(title="at-k", analytics_enabled=False) as endpoints:
        for function in (score, compare, plan):
            api(function, api_name=function.__name__, concurrency_limit=None)
    return endpoints


async def _ask(request: gr.Request | None, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Do a piece of work in the visitor's turn, or raise the library's sentence."""
    address = find_address(request) if request is not None and request.request is not None else ""
    session = str(getattr(request, "session_hash", "") or "")
    try:
        answer = await ask(address, session, name, values)
    except BusyError:
        answer = {"error": say(values.get("language", "en"), "serving.busy")}
    except InputError as reason:
        answer = {"error": str(reason)}
    if "error" in answer:
        raise gr.Error(answer["error"].encode("utf-8", "replace").decode(), print_exception=False)
    return answer


def build_demo(name: str, pages: str | None = None) -> tuple[gr.Blocks, gr.I18n]:
    """Build the demo of a metric, and the words that its mount or launch needs; `pages` leads to the page Score."""
    metric = FAMILY[name]
    word = make_words(metric)
    particular = [OPTIONS[option] for option in metric.own_options if option in OPTIONS]
    judged = [OPTIONS[option] for option in _JUDGED if option != "equivalence" or metric.votes]
    options = [*particular, *judged]

    async def compute(request: gr.Request, data: str, *values: Any) -> tuple[Any, ...]:
        chosen = {
            option.name: _read(option, value) for option, value in zip(options, values, strict=True)
        }
        answer = await _ask(request, "measure", {"data": data, "metric": name, "options": chosen})
        return *_draw_tables(answer), answer["python"]

    async def tool(*given: Any) -> dict[str, Any]:
        data, *values, request = given
        chosen = dict(zip((option.name for option in options), values, strict=True))
        answer = await _ask(request, "measure", {"data": data, "metric": name, "options": chosen})
        report: dict[str, Any] = answer["report"]
        return report

    _sign(tool, name, metric, options)
    with gr.Blocks(title=metric.title, analytics_enabled=False) as demo:
        gr.Markdown(f"# {metric.title}")
        gr.Markdown(word("question"))
        with gr.Row():
            with gr.Column():
                data = gr.Code(
                    write_example(metric),
                    language="json",
                    label=word("data"),
                    lines=6,
                    max_lines=14,
                )
                gr.Markdown(word("data_info"))
                components = [_make_component(option, metric, word) for option in particular]
                with gr.Accordion(word("judging"), open=False):
                    components += [_make_component(option, metric, word) for option in judged]
                button = gr.Button(word("run"), variant="primary")
            with gr.Column():
                outputs: list[gr.components.Component] = [
                    gr.Dataframe(label=word("numbers"), interactive=False)
                ]
                axes: dict[str, Any] = {"x": "k", "y": "value", "color": "line", "y_lim": [0, 1]}
                outputs.append(gr.LinePlot(**axes, label=word("curve"), visible=False))
                # The label of read-only code cannot be translated: it would show as an object.
                outputs.append(gr.Code(language="python", label="Python", interactive=False))
                gr.Markdown(word("warning"))
        gr.on(
            [button.click, demo.load],
            compute,
            [data, *components],
            outputs,
            api_visibility="private",
            concurrency_limit=None,
        )
        api(tool, api_name=name, concurrency_limit=None)
        real = "\n".join(read_example("qwen25_math").splitlines()[:_SHORT])
        labels = ["2 problems", f"{_SHORT} of Qwen2.5-Math"]
        gr.Examples(
            [[write_example(metric)], [real]], [data], label=word("examples"), example_labels=labels
        )
        with gr.Accordion(word("card"), open=False):
            gr.Markdown(read_card(name), latex_delimiters=_LATEX)
        if pages:
            links = [f"[{FAMILY[other].title}](../{other}/)" for other in METRICS if other != name]
            gr.Markdown(" · ".join(links))
            gr.Button(word("pages"), link=pages, size="sm")
    return demo, word


def _sign(tool: Callable[..., Any], name: str, metric: Metric, options: list[Option]) -> None:
    """Give a function the names, types and texts that the API and MCP take from it."""
    kinds = {option.name: bool if isinstance(option.default, bool) else str for option in options}
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("data", plain, annotation=str)]
    parameters += [
        inspect.Parameter(argument, plain, annotation=kind, default=True if kind is bool else "")
        for argument, kind in kinds.items()
    ]
    request = inspect.Parameter("request", plain, annotation=gr.Request, default=None)
    # Gradio reads the signature; a type checker knows no such attribute of a function.
    tool.__signature__ = inspect.Signature([*parameters, request], return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    tool.__annotations__ = {"data": str, **kinds, "request": gr.Request, "return": dict[str, Any]}
    tool.__name__ = name
    texts = {"data": WORDS["demo.data_info"][0]} | {option.name: option.usage for option in options}
    listed = "\n".join(f"    {argument}: {text}" for argument, text in texts.items())
    tool.__doc__ = f"{metric.question} Needs {metric.needs}.\n\nArgs:\n{listed}"


def make_words(metric: Metric) -> gr.I18n:
    """Collect the words of a demo in both languages."""
    pairs = {word: WORDS[f"demo.{word}"] for word in _WORDS}
    pairs |= {
        name.replace(".", "_"): pair
        for name, pair in (SENTENCES | WORDS).items()
        if name.startswith("option.")
    }
    pairs |= {
        "question": (metric.question, metric.chinese[0]),
        "warning": (metric.warning, metric.chinese[2]),
    }
    english, chinese = ({name: pair[i] for name, pair in pairs.items()} for i in (0, 1))
    return gr.I18n(en=english, zh=chinese, **{"zh-CN": chinese})


def _make_component(option: Option, metric: Metric, word: gr.I18n) -> gr.components.Component:
    value = metric.example.options.get(option.name, option.default)
    about: dict[str, Any] = {
        "label": word(f"option_{option.name}") if option.label else option.name
    }
    about["info"] = option.usage
    if isinstance(option.default, bool):
        return gr.Checkbox(value, **about)
    if option.words:
        usual = value if value is not None else option.words[0][0]
        return gr.Dropdown([(text, name) for name, text in option.words], value=usual, **about)
    # A list of numbers is typed: for a choice of several numbers, Gradio's schema for MCP refuses every value.
    return gr.Textbox(
        ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value or "", **about
    )


def _read(option: Option, value: Any) -> Any:
    return value if value != "" or isinstance(option.default, bool) else None


def write_example(metric: Metric) -> str:
    """Write the example of a metric, a problem on each line."""
    columns = metric.example.columns
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def _draw_tables(found: dict[str, Any]) -> tuple[Any, Any]:
    report, curves = found["report"], found["curves"]
    bars = {key: report["intervals"].get(key, {}) for key in report["values"]}
    rows = [
        (key, value, *(bars[key].get(end) for end in ("low", "high")))
        for key, value in report["values"].items()
    ]
    points = [
        (k, y, name)
        for name, line in curves["lines"].items()
        if not name.startswith(("max", "avg", "accuracy"))
        for k, y in zip(curves["k"], line, strict=True)
        if y is not None
    ]
    curve = pd.DataFrame(points, columns=["k", "value", "line"])
    table = pd.DataFrame(rows, columns=["metric", "value", "low", "high"]).round(4)
    return table, gr.LinePlot(curve, visible=bool(curve["k"].nunique() > 1))


def read_card(name: str) -> str:
    """Read the card of a metric without its front matter, the table of all cards, and links to other files."""
    text = (module_path(name) / "README.md").read_text(encoding="utf-8")
    text = re.sub(
        r"\A---\n.*?\n---\n|<!-- metrics -->.*?<!-- /metrics -->", "", text, flags=re.DOTALL
    )
    text = re.sub(
        r"^(?:<!-- .* -->|\[[^\]]*\]\(README(?:\.zh)?\.md\))\n", "", text, flags=re.MULTILINE
    )
    return re.sub(r"\[([^\]]*)\]\((?!https?://|#)[^)]*\)", r"\1", text).strip()

"""The Gradio app at the root of the Space: a tab for each metric, played with in the browser, and the endpoints.

`gradio_client`, `gr.load`, embedding and MCP find it there. Its figures are drawn by the script of our own pages.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gradio as gr
from starlette.applications import Starlette

from at_k.computation import Metric
from at_k.demo.guard import find_mcp
from at_k.demo.limits import MAX_GRADIO_BODY
from at_k.demo.scoring import OPTIONS
from at_k.demo.turns import BusyError, ask, find_address
from at_k.demo.words import LANGUAGES, say
from at_k.errors import InputError
from at_k.family import FAMILY
from at_k.options.registry import Option

_STATIC = Path(__file__).with_name("static")
_JUDGED = ("extract_fn", "check_correct_fn", "equivalence", "missing")
_DATA = "Results as JSON lines, JSON or CSV: answers and references, or grades; scores for best@k."
_OTHERS = "Any other option of `at_k.score` by its name, such as `columns` or `where`."


_CSS = ".stair { display: grid; grid-template-columns: minmax(0, 1fr) 18em; gap: 1em; align-items: center }"


class Words(gr.I18n):
    """The words of labels, by their English, which an app that loads this one shows."""

    def say(self, key: str, **values: object) -> gr.i18n.I18nData:
        """Return the words of a key, filled in, as the browser translates them."""
        return self.add(*(say(language, key, **values) for language in LANGUAGES))

    def add(self, english: str, chinese: str) -> gr.i18n.I18nData:
        """Return a text that the browser translates."""
        for locale, text in (("en", english), ("zh", chinese), ("zh-CN", chinese)):
            self.translations.setdefault(locale, {})[english] = text
        return self(english)


class Quiet(gr.Blocks):
    """Blocks whose errors never repeat what a visitor sent."""

    def validate_inputs(self, block_fn: Any, inputs: list[Any]) -> None:
        """Refuse a call with too few values; Gradio's own message has the values, and goes to the log."""
        if len(inputs) < len(block_fn.inputs):
            raise _refuse(f"This endpoint takes {len(block_fn.inputs)} values; got {len(inputs)}.")


def mount() -> Any:
    """Mount the app at the root."""
    words = Words()
    return gr.mount_gradio_app(
        Starlette(),
        build(words),
        "",
        i18n=words,
        ssr_mode=False,  # it would start a server of Node
        run_history=False,
        enable_monitoring=False,
        footer_links=["api"],
        css=_CSS,
        max_file_size=MAX_GRADIO_BODY,
        mcp_server=find_mcp(),
    )


def build(words: Words) -> gr.Blocks:
    """Build the tabs and the endpoints."""
    app: gr.Blocks
    with Quiet(title="at-k", analytics_enabled=False) as app:
        with gr.Tabs():
            for metric in FAMILY.values():
                with gr.Tab(metric.title):
                    _add_figure(app, metric, words)
                    _add_endpoint(make_tool(metric), words)
        for function in (score, compare, plan):
            _add_endpoint(function, words)
    return app


def _add_endpoint(function: Callable[..., Any], words: Words) -> None:
    """Add a function with a component for each argument, from which `gr.load` can make it again."""
    with gr.Accordion(words.say("gradio.own", name=function.__name__), open=False):
        inputs = [
            _make_component(parameter)
            for parameter in inspect.signature(function).parameters.values()
            if parameter.name != "request"
        ]
        button = gr.Button(words.say("gradio.compute"), variant="primary")
        output = gr.JSON(label=words.say("gradio.result"))
    name = function.__name__
    button.click(function, inputs, output, api_name=name, concurrency_limit=None)


def _make_component(parameter: inspect.Parameter) -> gr.components.Component:
    if isinstance(parameter.default, bool):
        return gr.Checkbox(parameter.default, label=parameter.name)
    if parameter.default is None:
        options = gr.JSON(label=parameter.name)
        # Gradio's own schema of JSON, {"type": {}}, is one that clients of MCP refuse.
        options.api_info = lambda: {"type": "object"}  # type: ignore[method-assign]
        return options
    is_data = parameter.default is inspect.Parameter.empty
    value = None if is_data else parameter.default
    return gr.Textbox(value, label=parameter.name, lines=4 if is_data else 1)


def _add_figure(app: gr.Blocks, metric: Metric, words: Words) -> None:
    """Add the controls of a metric, and its numbers, which follow them without a call of the server."""
    answers = {
        language: json.loads(_read(f"data/{metric.name}.{language}.json")) for language in LANGUAGES
    }
    start, example = answers["en"]["start"], answers["en"]["examples"][0]
    n = example["problems"][0]["n"]
    gr.Markdown(words.add(*(metric.describe(language)[0] for language in LANGUAGES)))
    with gr.Row():
        if metric.name == "avg_at_n":
            label = words.say("gradio.cut")
            controls = [gr.Slider(0, 0.95, start["cut"], step=0.05, label=label)]
        else:
            label = words.say("gradio.draw", n=n)
            controls = [gr.Slider(1, n, start["k"], step=1, label=label)]
        if metric.name == "gpassk":
            label = words.say("gradio.needed")
            controls.append(gr.Slider(1, n, start["k"], step=1, label=label))
    figure = gr.HTML()
    script = _read("counting.js").replace("export ", "")
    names = ("cut",) if metric.name == "avg_at_n" else ("k", "needed")
    draw = (
        f"(...given) => {{ {script}\nconst answers = {json.dumps(answers, ensure_ascii=False)};\n"
        f"const now = Object.fromEntries({json.dumps(names)}.map((name, i) => [name, given[i]]));\n"
        f'return writeFigure("{metric.name}", answers, now); }}'
    )
    for event in (app.load, *(control.input for control in controls)):
        event(None, controls, figure, js=draw, api_visibility="private")


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


async def score(
    data: str,
    options: dict[str, Any] | None = None,
    language: str = "en",
    request: gr.Request | None = None,
) -> dict[str, Any]:
    """Compute every @k metric of results: JSON, JSONL or CSV; options are those of `at_k.score`."""
    return await _ask(request, "score", {"data": data, "options": options, "language": language})


async def compare(
    a: str,
    b: str,
    options: dict[str, Any] | None = None,
    language: str = "en",
    options_a: dict[str, Any] | None = None,
    options_b: dict[str, Any] | None = None,
    request: gr.Request | None = None,
) -> dict[str, Any]:
    """Compare the results of two models on the same problems, at every k; `options_a` are of the results of A alone."""
    values = {"a": a, "b": b, "options": options, "options_a": options_a, "options_b": options_b}
    values["language"] = language
    return await _ask(request, "compare", values)


async def plan(
    data: str,
    options: dict[str, Any] | None = None,
    language: str = "en",
    request: gr.Request | None = None,
) -> dict[str, Any]:
    """Plan a measurement from a pilot: how precise it is for numbers of problems and of answers."""
    return await _ask(request, "plan", {"data": data, "options": options, "language": language})


async def _ask(request: gr.Request | None, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Do a piece of work in the visitor's turn, or raise the library's sentence."""
    address = find_address(request) if request is not None and request.request is not None else ""
    session = str(getattr(request, "session_hash", "") or "")
    try:
        answer = await ask(address, session, name, values)
    except BusyError:
        raise _refuse(say(values.get("language", "en"), "serving.busy")) from None
    except InputError as reason:
        raise _refuse(str(reason)) from None
    if "error" in answer:
        raise _refuse("\n".join([answer["error"], *_list_readings(name, answer["mends"])]))
    return answer


def _list_readings(name: str, mends: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Write the options that were tried on refused results, as the endpoint takes them, with what each gives."""
    for mend in mends:
        if "set" in mend:
            argument = f"options_{mend['side']}" if name == "compare" else "options"
            yield f"{argument}={json.dumps(mend['set'], ensure_ascii=False)}: {mend['label']}"


def _refuse(sentence: str) -> gr.Error:
    return gr.Error(sentence.encode("utf-8", "replace").decode(), print_exception=False)


def make_tool(metric: Metric) -> Callable[..., Any]:
    """Make the endpoint of a metric, with the names, types and texts that the API and MCP show."""
    own = [OPTIONS[name] for name in metric.own_options if name in OPTIONS]
    judged = [OPTIONS[name] for name in _JUDGED if name != "equivalence" or metric.votes]
    typed = {option.name: option for option in (*own, *judged)}

    async def tool(*given: Any) -> dict[str, Any]:
        data, *values, others, request = given
        chosen = dict(zip(typed, values, strict=True)) | dict(others or {})
        chosen = {name: value for name, value in chosen.items() if value != ""}
        sent = {"data": data, "metric": metric.name, "options": chosen}
        answer = await _ask(request, "measure", sent)
        report: dict[str, Any] = answer["report"]
        return report

    kinds = {name: bool if isinstance(each.default, bool) else str for name, each in typed.items()}
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("data", plain, annotation=str)]
    parameters += [
        inspect.Parameter(name, plain, annotation=kind, default=True if kind is bool else "")
        for name, kind in kinds.items()
    ]
    more = {"options": dict[str, Any] | None, "request": gr.Request | None}
    parameters += [
        inspect.Parameter(name, plain, annotation=kind, default=None) for name, kind in more.items()
    ]
    # Gradio reads the signature; a type checker knows no such attribute of a function.
    tool.__signature__ = inspect.Signature(parameters, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    tool.__annotations__ = {"data": str, **kinds, **more, "return": dict[str, Any]}
    tool.__name__ = metric.name
    texts = {"data": _DATA, **{name: explain(each) for name, each in typed.items()}}
    lines = [f"    {name}: {text}" for name, text in (texts | {"options": _OTHERS}).items()]
    tool.__doc__ = "\n".join([f"{metric.question} Needs {metric.needs}.", "", "Args:", *lines])
    return tool


def explain(option: Option) -> str:
    """Explain an option of an endpoint; where it takes one of a few words, these are the ones that are offered here."""
    if not option.words:
        return option.usage
    return "; ".join(f"{word}: {meaning}" for word, meaning in option.words)

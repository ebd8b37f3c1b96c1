"""Score: a visitor's own results, every number that they allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gradio as gr

from at_k.demo import downloads, examples, figures, tables
from at_k.demo.files import TO_MESSAGE, TO_TEXT, make_file_input
from at_k.demo.i18n import t
from at_k.demo.limits import LIMITS
from at_k.demo.plots import make_plot
from at_k.demo.scoring import Options, parse_k, parse_taus, score_table
from at_k.demo.words import LANGUAGES, language_of, say
from at_k.errors import InputError
from at_k.estimators.consensus import TIES
from at_k.family import METRICS
from at_k.grading.verdicts import MISSING
from at_k.readers.roles import guess_roles
from at_k.readers.standard import ROLES
from at_k.readers.tables import Table, read_table

POSITION = 2

START = "qwen25_math"

GUESSED, NONE = "", "\0"
"""Choices of a column besides a name: the guessed one, and no column."""

LOG_FROM = 64
"""Above this k, curves have a logarithmic axis."""

ABOUT_OPTIONS = ("options", "typed")
"""Refusals with codes that begin so are shown at the options; others above the choice of columns."""

API = """\
from gradio_client import Client  # pip install gradio_client

client = Client("http://127.0.0.1:7860")  # or the name of a Space, "owner/name"
with open("results.jsonl", encoding="utf-8") as file:
    print(client.predict(file.read(), api_name="/score"))
print(client.predict(16, 8, k=[1, 4, 8], taus=[0.5, 1.0], api_name="/explore"))
"""

_CUT = """(...values) => values.map(
    value => typeof value === "string" && value.length > {limit} ? value.slice(0, {limit} + 1) : value
)"""
"""Cut a text that is far too long before it is sent: the visitor keeps it, and is told."""

_PICTURE = """() => {{
    const figure = document.querySelector("#{element} .js-plotly-plot");
    if (figure) window.Plotly.downloadImage(figure, {{ format: "png", scale: 2, filename: "{name}" }});
}}"""


def build(**_: Any) -> None:
    """Lay out the page inside the tab that is open."""
    first = _make_first(LANGUAGES[0])
    gr.Markdown(t("score.intro"), elem_classes="lead")
    with gr.Row():
        with gr.Column(scale=2, min_width=300):
            inputs = _lay_out_inputs(first)
        with gr.Column(scale=5, min_width=320), gr.Column(elem_id="score_results") as results:
            shown = _lay_out_results(first) | {"results": results}
    text, columns, options = inputs.text, inputs.columns, inputs.options
    shown |= {f"column_{role}": column for role, column in columns.items()} | inputs.refusals

    def show_scores(values: Mapping[Any, Any], request: gr.Request) -> dict[Any, Any]:
        """Score what the visitor gave, and return the parts of the page that change."""
        chosen = {role: values[column] for role, column in columns.items()}
        given = {name: values[option] for name, option in options.items()}
        language = language_of(request.headers.get("accept-language"))
        return {shown[name]: part for name, part in score_page(values[text], chosen, given, language).items()}

    def translate_page(request: gr.Request) -> Any:
        """Return the page that a visitor finds first, if their language is not the one that it was built in."""
        language = language_of(request.headers.get("accept-language"))
        if language == LANGUAGES[0]:
            return gr.skip()
        page = _arrange(_make_first(language), dict.fromkeys(ROLES, GUESSED), language)
        return {shown[name]: part for name, part in page.items()}

    scoring: dict[str, Any] = {
        "fn": show_scores,
        "inputs": {text, *columns.values(), *options.values()},
        "outputs": set(shown.values()),
        "js": _CUT.replace("{limit}", str(LIMITS.max_bytes)),
        "api_visibility": "private",
        "concurrency_id": "score",
        "concurrency_limit": 2,
    }
    picked = inputs.example.input(
        examples.read_example, inputs.example, text, queue=False, show_progress="hidden", api_visibility="private"
    )
    picked.then(**scoring)
    opened = inputs.opened
    opened.change(None, opened, inputs.refusals["refused_data"], js=TO_MESSAGE)
    opened.submit(None, opened, [text, inputs.example], js=TO_TEXT).then(**scoring)
    typed = ("k", "taus")
    changed = [each.input for each in columns.values()]
    changed += [option.submit if name in typed else option.input for name, option in options.items()]
    gr.on([inputs.run.click, *changed], trigger_mode="always_last", **scoring)
    gr.on(
        None,
        translate_page,
        None,
        set(shown.values()),
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    )


@dataclass(frozen=True)
class _Inputs:
    """The components on the left: columns by role, options by their names in `Options`."""

    example: gr.Dropdown
    opened: gr.HTML
    text: gr.Textbox
    run: gr.Button
    columns: dict[str, Any]
    options: dict[str, Any]
    refusals: dict[str, Any]


def _lay_out_inputs(first: Mapping[str, Any]) -> _Inputs:
    start = Options()
    example = gr.Dropdown(
        [(t(f"score.{name}"), name) for name in examples.EXAMPLES], value=START, label=t("score.example")
    )
    opened = make_file_input()
    text = gr.Textbox(
        examples.read_example(START),
        lines=8,
        max_lines=8,
        label=t("score.text"),
        info=t("score.text_info"),
        elem_id="score_text",
        elem_classes="code",
    )
    run = gr.Button(t("score.run"), variant="primary", elem_id="score_run")
    refused_data = gr.HTML(elem_id="score_refused_data")
    with gr.Accordion(t("score.columns"), open=False):
        columns: dict[str, Any] = {
            role: gr.Dropdown(_list_choices(first, role, LANGUAGES[0]), value=GUESSED, label=t(f"score.role_{role}"))
            for role in ROLES
        }
    with gr.Accordion(t("score.options"), open=True):
        refused_options = gr.HTML(elem_id="score_refused_options")
        options: dict[str, Any] = {
            "metrics": gr.CheckboxGroup(list(METRICS), value=list(METRICS), label=t("score.metrics")),
            "k": gr.Textbox("", label=t("score.k"), info=t("score.k_info"), max_lines=1, elem_id="score_k"),
            "taus": gr.Textbox(
                ", ".join(map(str, start.taus)), label=t("score.taus"), max_lines=1, elem_id="score_taus"
            ),
            "ties": gr.Dropdown(
                [(t(f"score.ties_{choice}"), choice) for choice in TIES],
                value=start.ties,
                label=t("score.ties"),
            ),
            "missing": gr.Dropdown(
                [(t(f"score.missing_{choice}"), choice) for choice in MISSING],
                value=start.missing,
                label=t("score.missing"),
            ),
            "higher_is_better": gr.Checkbox(start.higher_is_better, label=t("score.higher")),
            "by_group": gr.Checkbox(start.by_group, label=t("score.by_group")),
        }
    refusals = {"refused_data": refused_data, "refused_options": refused_options}
    return _Inputs(example, opened, text, run, columns, options, refusals)


def _lay_out_results(first: Mapping[str, Any]) -> dict[str, Any]:
    """Lay out what the page shows of results. Return the components by name."""
    summary = gr.HTML(first["summary"], elem_id="score_summary", apply_default_css=False)
    table = gr.HTML(first["table"], elem_id="score_table", apply_default_css=False)
    gr.Markdown(t("score.against_k"), elem_classes="heading")
    lines = gr.Plot(first["curves"], show_label=False, elem_id="score_curves", elem_classes="plot tall")
    gr.Markdown(t("explore.jumps"))
    gr.Markdown(t("score.each_problem"), elem_classes="heading")
    gr.Markdown(t("score.each_problem_text"))
    bars = gr.Plot(first["problems"], show_label=False, elem_id="score_problems", elem_classes="plot small")
    gr.Markdown(t("score.downloads"), elem_classes="heading")
    links = gr.HTML(first["links"], elem_id="score_links", apply_default_css=False)
    with gr.Row(elem_classes="downloads"):
        for name, figure in (("png", "score_curves"), ("png_problems", "score_problems")):
            button = gr.Button(t(f"score.{name}"), size="sm", min_width=120, elem_id=f"score_{name}")
            button.click(None, js=_PICTURE.format(element=figure, name=figure.replace("score", "at-k")))
    gr.Markdown(t("score.python"), elem_classes="heading")
    code = gr.Code(
        first["code"],
        language="python",
        max_lines=24,
        show_label=False,
        interactive=False,
        elem_id="score_code",
    )
    with gr.Accordion(t("score.api"), open=False):
        gr.Code(API, language="python", show_label=False, interactive=False)
    return {"summary": summary, "table": table, "curves": lines, "problems": bars, "links": links, "code": code}


def score_page(text: str, chosen: Mapping[str, str], given: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Score results, and return the parts of the page that change, by name.

    Args:
        text: the results.
        chosen: role → column, `GUESSED` or `NONE`.
        given: the options by the names of `Options`, with k and τ as they were typed.
        language: the language of the visitor.
    """
    try:
        options = Options(**dict(given) | {"k": parse_k(given["k"]), "taus": parse_taus(given["taus"])})
        return _arrange(_make_parts(text, chosen, options, language), chosen, language)
    except InputError as reason:
        about_options = reason.code.partition(".")[0] in ABOUT_OPTIONS
        return {
            "refused_data": tables.write_refusal(None if about_options else reason, language),
            "refused_options": tables.write_refusal(reason if about_options else None, language),
            "results": gr.Column(visible=False),
            **_offer_columns(text, chosen, language),
        }


def _offer_columns(text: str, chosen: Mapping[str, str], language: str) -> dict[str, Any]:
    """List the columns where results were refused: another choice of columns may help."""
    try:
        table = read_table(text, limits=LIMITS)
    except InputError:
        return {}
    guessed = _guess(table, _read_chosen(table, chosen))
    return _update_columns({"columns": table.columns, "guessed": guessed}, chosen, language)


def _arrange(parts: Mapping[str, Any], chosen: Mapping[str, str], language: str) -> dict[str, Any]:
    """Arrange the page of results that were scored: no refusal, the choices of columns, and what is shown."""
    shown = {name: parts[name] for name in ("summary", "table", "curves", "problems", "links", "code")}
    columns = _update_columns(parts, chosen, language)
    return {"refused_data": "", "refused_options": "", "results": gr.Column(visible=True), **columns, **shown}


def _update_columns(parts: Mapping[str, Any], chosen: Mapping[str, str], language: str) -> dict[str, Any]:
    known = {GUESSED, NONE, *parts["columns"]}
    return {
        f"column_{role}": gr.Dropdown(
            value=column if column in known else GUESSED, choices=_list_choices(parts, role, language)
        )
        for role, column in chosen.items()
    }


@lru_cache(maxsize=len(LANGUAGES))
def _make_first(language: str) -> dict[str, Any]:
    return _make_parts(examples.read_example(START), {}, Options(), language)


def _make_parts(text: str, chosen: Mapping[str, str], options: Options, language: str) -> dict[str, Any]:
    """Score results, and make everything that the page shows of them."""
    table = read_table(text, limits=LIMITS)
    named = _read_chosen(table, chosen)
    samples, report = score_table(table, named, options)
    curves = report.curves
    words = (say(language, "score.never"), say(language, "score.sometimes"), say(language, "score.always"))
    return {
        "columns": table.columns,
        "guessed": _guess(table, named),
        "summary": tables.write_summary(report, language),
        "table": tables.write_results(report, language),
        "curves": make_plot(figures.draw_against_k(curves, log=curves.k[-1] > LOG_FROM, zoom=True), "at-k-curves"),
        "problems": make_plot(figures.draw_problems(report.problems, report.n, report.c, words), "at-k-problems"),
        "links": downloads.write_links(samples, options, report, language),
        "code": downloads.write_script(report),
    }


def _read_chosen(table: Table, chosen: Mapping[str, str]) -> dict[str, str | None]:
    """Return the roles for which a visitor chose a column of this table, or none."""
    return {
        role: None if column == NONE else column for role, column in chosen.items() if column in (NONE, *table.columns)
    }


def _guess(table: Table, named: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return what each role would be without a choice of its own: choices for other roles take their columns away."""
    alone = guess_roles(table, limits=LIMITS)
    return guess_roles(table, named, limits=LIMITS) | {role: alone[role] for role in named}


def _list_choices(parts: Mapping[str, Any], role: str, language: str) -> list[tuple[str, str]]:
    """List the columns that may play a role, the guess first."""
    none = say(language, "score.no_column")
    guess = say(language, "score.guessed", column=parts["guessed"][role] or none)
    return [(guess, GUESSED), (none, NONE), *((column, column) for column in parts["columns"])]

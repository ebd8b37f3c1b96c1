"""Score: a visitor's own results, every number that they allow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import gradio as gr

from at_k.demo import downloads, examples, figures, snippets, tables
from at_k.demo.files import TO_MESSAGE, TO_TEXT, file_input
from at_k.demo.i18n import t
from at_k.demo.limits import LIMITS
from at_k.demo.plots import plotted
from at_k.demo.scoring import Options, numbers, score_table
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
"""What a column may be besides a name: the one that is guessed, and no column."""

TAUS = "0.25, 0.5, 0.75, 1.0"

LOG_FROM = 64
"""From this n on, k is drawn on a logarithmic axis."""

OF_OPTIONS = tuple(
    f"scoring.{name}"
    for name in (
        "no_metric",
        "too_many",
        "bad_choice",
        "bad_k",
        "bad_tau",
        "no_whole_number",
        "no_number",
        "k_above_n",
    )
)
"""Refusals that are shown at the options; all others stand below the results that they are about."""

API = """\
from gradio_client import Client  # pip install gradio_client

client = Client("http://127.0.0.1:7860")  # or the name of a Space, "owner/name"
with open("results.jsonl", encoding="utf-8") as file:
    print(client.predict(file.read(), api_name="/score"))
print(client.predict(16, 8, k=[1, 4, 8], taus=[0.5, 1.0], api_name="/explore"))
"""

_SHORTENED = (
    f"(text, ...rest) => [text?.length > {LIMITS.max_bytes} ? text.slice(0, {LIMITS.max_bytes} + 1) : text, ...rest]"
)
"""What is far too long is not sent whole; the visitor keeps it, and is told."""

_PICTURE = """() => {{
    const figure = document.querySelector("#{element} .js-plotly-plot");
    if (figure) window.Plotly.downloadImage(figure, {{ format: "png", scale: 2, filename: "{name}" }});
}}"""


def build(**_: Any) -> None:
    """The page, inside the tab that is open."""
    first = _first(LANGUAGES[0])
    gr.Markdown(t("score.intro"), elem_classes="lead")
    with gr.Row():
        with gr.Column(scale=2, min_width=300):
            example = gr.Dropdown(
                [(t(f"score.{name}"), name) for name in examples.EXAMPLES], value=START, label=t("score.example")
            )
            opened = file_input()
            text = gr.Textbox(
                examples.text(START),
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
                columns: list[Any] = [
                    gr.Dropdown(_choices(first, role, LANGUAGES[0]), value=GUESSED, label=t(f"score.role_{role}"))
                    for role in ROLES
                ]
            with gr.Accordion(t("score.options"), open=True):
                refused_options = gr.HTML(elem_id="score_refused_options")
                metrics = gr.CheckboxGroup(list(METRICS), value=list(METRICS), label=t("score.metrics"))
                k = gr.Textbox("", label=t("score.k"), info=t("score.k_info"), max_lines=1, elem_id="score_k")
                taus = gr.Textbox(TAUS, label=t("score.taus"), max_lines=1, elem_id="score_taus")
                ties = gr.Dropdown(
                    [(t(f"score.ties_{choice}"), choice) for choice in TIES], value="random", label=t("score.ties")
                )
                missing = gr.Dropdown(
                    [(t(f"score.missing_{choice}"), choice) for choice in MISSING],
                    value="error",
                    label=t("score.missing"),
                )
                higher = gr.Checkbox(True, label=t("score.higher"))
                by_group = gr.Checkbox(True, label=t("score.by_group"))
        with gr.Column(scale=5, min_width=320), gr.Column(elem_id="score_results") as results:
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

    choices = [metrics, k, taus, ties, missing, higher, by_group]
    shown = [refused_data, refused_options, results, *columns, summary, table, lines, bars, links, code]
    scoring: dict[str, Any] = {
        "fn": scored,
        "inputs": [text, *columns, *choices],
        "outputs": shown,
        "js": _SHORTENED,
        "api_visibility": "private",
        "concurrency_id": "score",
        "concurrency_limit": 2,
    }
    picked = example.input(examples.text, example, text, queue=False, show_progress="hidden", api_visibility="private")
    picked.then(**scoring)
    opened.change(None, opened, refused_data, js=TO_MESSAGE)
    opened.submit(None, opened, [text, example], js=TO_TEXT).then(**scoring)
    by_choice: list[Any] = [*columns, metrics, ties, missing, higher, by_group]
    changed = [each.input for each in by_choice]
    gr.on([run.click, k.submit, taus.submit, *changed], trigger_mode="always_last", **scoring)
    gr.on(None, first_words, None, shown, queue=False, show_progress="hidden", api_visibility="private")


def scored(
    text: str,
    problem: str,
    answers: str,
    references: str,
    grades: str,
    scores: str,
    group: str,
    metrics: list[str],
    k: str,
    taus: str,
    ties: str,
    missing: str,
    higher: bool,
    by_group: bool,
    request: gr.Request,
) -> list[Any]:
    """The page after results were given, or options changed."""
    language = language_of(request.headers.get("accept-language"))
    chosen = dict(zip(ROLES, (problem, answers, references, grades, scores, group), strict=True))
    try:
        options = Options(
            metrics=metrics,
            k=numbers(k, "k", int) or None,
            taus=numbers(taus, "τ", float),
            ties=ties,
            missing=missing,
            higher_is_better=higher,
            by_group=by_group,
        )
        return _page(_parts(text, chosen, options, language), chosen, language)
    except InputError as reason:
        of_options = reason.code in OF_OPTIONS
        messages = [tables.message(None if of_options else reason, language)]
        messages += [tables.message(reason if of_options else None, language)]
        return [*messages, gr.Column(visible=False), *_offered(text, chosen, language), *[gr.skip()] * len(_SHOWN)]


def _offered(text: str, chosen: Mapping[str, str], language: str) -> list[Any]:
    """The choices of columns where results were refused: one of them may be what helps."""
    try:
        table = read_table(text, limits=LIMITS)
    except InputError:
        return [gr.skip()] * len(ROLES)
    guessed = _guess(table, _chosen_columns(table, chosen))
    return _columns({"columns": table.columns, "guessed": guessed}, chosen, language)


def first_words(request: gr.Request) -> list[Any]:
    """What the page opens with, for visitors of another language than the one it was built in."""
    language = language_of(request.headers.get("accept-language"))
    if language == LANGUAGES[0]:
        return [gr.skip()] * (3 + len(ROLES) + len(_SHOWN))
    return _page(_first(language), dict.fromkeys(ROLES, GUESSED), language)


_SHOWN = ("summary", "table", "curves", "problems", "links", "code")


def _page(parts: dict[str, Any], chosen: dict[str, str], language: str) -> list[Any]:
    """Messages, the results, the choices of columns, and what is shown."""
    columns = _columns(parts, chosen, language)
    return ["", "", gr.Column(visible=True), *columns, *(parts[name] for name in _SHOWN)]


def _columns(parts: Mapping[str, Any], chosen: Mapping[str, str], language: str) -> list[Any]:
    known = {GUESSED, NONE, *parts["columns"]}
    return [
        gr.Dropdown(value=column if column in known else GUESSED, choices=_choices(parts, role, language))
        for role, column in chosen.items()
    ]


@lru_cache(maxsize=len(LANGUAGES))
def _first(language: str) -> dict[str, Any]:
    return _parts(examples.text(START), {}, Options(), language)


def _parts(text: str, chosen: Mapping[str, str], options: Options, language: str) -> dict[str, Any]:
    """Everything that the page shows of results."""
    table = read_table(text, limits=LIMITS)
    named = _chosen_columns(table, chosen)
    samples, found = score_table(table, named, options)
    words = (say(language, "score.never"), say(language, "score.sometimes"), say(language, "score.always"))
    return {
        "columns": table.columns,
        "guessed": _guess(table, named),
        "summary": tables.summary(found, language),
        "table": tables.results(found, language),
        "curves": plotted(figures.against_k(found.curves, log=found.curves.k[-1] > LOG_FROM, zoom=True), "at-k-curves"),
        "problems": plotted(figures.stability(found.problems, words), "at-k-problems"),
        "links": downloads.links(samples, options, found, language),
        "code": snippets.python(samples, options, found),
    }


def _chosen_columns(table: Table, chosen: Mapping[str, str]) -> dict[str, str | None]:
    """Return the roles for which a visitor chose a column of this table, or none."""
    return {
        role: None if column == NONE else column for role, column in chosen.items() if column in (NONE, *table.columns)
    }


def _guess(table: Table, named: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return what each role would be without a choice of its own: choices for other roles take their columns away."""
    alone = guess_roles(table, limits=LIMITS)
    return guess_roles(table, named, limits=LIMITS) | {role: alone[role] for role in named}


def _choices(parts: Mapping[str, Any], role: str, language: str) -> list[tuple[str, str]]:
    """The columns that may play a role, the guess first."""
    none = say(language, "score.no_column")
    guess = say(language, "score.guessed", column=parts["guessed"][role] or none)
    return [(guess, GUESSED), (none, NONE), *((column, column) for column in parts["columns"])]

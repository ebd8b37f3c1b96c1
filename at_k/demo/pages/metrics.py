"""Metrics: the five cards, each with a small demo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from at_k.demo import cards, tables
from at_k.demo.i18n import t
from at_k.demo.limits import LIMITS
from at_k.demo.scoring import Options, numbers, score
from at_k.demo.words import language_of
from at_k.errors import InputError
from at_k.estimators.consensus import TIES
from at_k.family import METRICS
from at_k.readers.plain import collect_samples
from at_k.readers.tables import read_table

POSITION = 3

LATEX: list[dict[str, str | bool]] = [
    {"left": "$$", "right": "$$", "display": True},
    {"left": "$", "right": "$", "display": False},
]


@dataclass(frozen=True)
class Example:
    """What a demo is filled in with."""

    text: str
    k: str
    taus: str = "0.5, 1.0"


EXAMPLES = {
    "gpassk": Example(
        '{"answers": ["a", "b", "a", "a", "b", "a", "b", "c"], "reference": "a"}\n'
        '{"answers": ["4", "4", "4", "4", "4", "4", "5", "4"], "reference": "4"}',
        "2, 4",
        "0.25, 0.5, 0.75, 1.0",
    ),
    "pass_at_k": Example('{"correct": [1, 0, 0, 0, 0]}\n{"correct": [1, 1, 0, 1, 0]}', "1, 2, 4"),
    "cons_at_k": Example(
        '{"answers": ["7", "9", "9", "7", "8"], "reference": "7"}\n'
        '{"answers": ["12", "12", "15", "12", null], "reference": "12"}',
        "1, 3, 5",
    ),
    "avg_at_n": Example('{"grades": [1, 0, 0.6, 0.4]}\n{"grades": [1, 1, 0.9, 0]}', ""),
    "best_at_k": Example(
        '{"answers": ["a", "b", "a"], "reference": "a", "scores": [0.75, 0.5, 0.25]}\n'
        '{"answers": ["x", "y", "y"], "reference": "y", "scores": [0.9, 0.2, 0.4]}',
        "1, 2, 3",
    ),
}


def build(metric: str | None = None, **_: Any) -> None:
    """The page, inside the tab that is open, at a metric."""
    gr.Markdown(t("metrics.intro"), elem_classes="lead")
    with gr.Accordion(t("metrics.which"), open=metric is None):
        gr.Markdown(cards.which_of_the_five(), elem_id="metrics_which", elem_classes="which")
    with gr.Tabs(selected=metric or METRICS[0]):
        for name in METRICS:
            with gr.Tab(cards.title(name), id=name):
                _demo(name)
                gr.Markdown(
                    cards.card(name), latex_delimiters=LATEX, elem_id=f"metrics_card_{name}", elem_classes="card"
                )


def _demo(name: str) -> None:
    example = EXAMPLES[name]
    with gr.Row(elem_classes="small-demo"):
        with gr.Column(scale=3, min_width=300):
            text = gr.Textbox(
                example.text,
                lines=4,
                max_lines=8,
                label=t("metrics.data"),
                info=t("metrics.data_info"),
                elem_id=f"metrics_text_{name}",
                elem_classes="code",
            )
            with gr.Row():
                takes_k, takes_taus = name != "avg_at_n", name == "gpassk"
                k = gr.Textbox(example.k, label=t("score.k"), max_lines=1, min_width=120, visible=takes_k)
                taus = gr.Textbox(example.taus, label=t("score.taus"), max_lines=1, min_width=160, visible=takes_taus)
                ties = gr.Dropdown(
                    [(t(f"score.ties_{choice}"), choice) for choice in TIES],
                    value="random",
                    label=t("score.ties"),
                    min_width=160,
                    visible=name == "cons_at_k",
                )
                higher = gr.Checkbox(True, label=t("score.higher"), min_width=160, visible=name == "best_at_k")
            run = gr.Button(t("metrics.run"), variant="primary", elem_id=f"metrics_run_{name}")
        with gr.Column(scale=2, min_width=280):
            result = gr.HTML(
                tables.values(_result(name, example.text, example.k, example.taus, "random", True)),
                elem_id=f"metrics_result_{name}",
                apply_default_css=False,
            )

    def computed(text: str, k: str, taus: str, ties: str, higher: bool, request: gr.Request) -> str:
        """The result, or why there is none."""
        try:
            return tables.values(_result(name, text, k, taus, ties, higher))
        except InputError as reason:
            return tables.message(reason, language_of(request.headers.get("accept-language")))

    gr.on(
        [run.click, k.submit, taus.submit, ties.input, higher.input],
        computed,
        [text, k, taus, ties, higher],
        result,
        api_visibility="private",
        concurrency_id="score",
        show_progress="hidden",
    )


def _result(name: str, text: str, k: str, taus: str, ties: str, higher: bool) -> dict[str, float]:
    """The numbers of one metric; a missing sample counts as wrong, so that a vote can do without it."""
    table = read_table(text, limits=LIMITS)
    options = Options(
        metrics=[name],
        k=numbers(k, "k", int) or None,
        taus=numbers(taus, "τ", float),
        ties=ties,
        missing="incorrect",
        higher_is_better=higher,
    )
    return score(collect_samples(table, limits=LIMITS), options).overall

"""Metrics: the card of each, with a small demo."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gradio as gr

from at_k.choices import TIES
from at_k.demo import cards, notices, tables, work
from at_k.demo.i18n import t
from at_k.demo.turns import in_turn
from at_k.demo.words import language_of
from at_k.errors import InputError
from at_k.family import FAMILY, METRICS, Metric
from at_k.options import OPTIONS

POSITION = 5

LATEX: list[dict[str, str | bool]] = [
    {"left": "$$", "right": "$$", "display": True},
    {"left": "$", "right": "$", "display": False},
]


def build(metric: str | None = None, **_: Any) -> None:
    """Lay out the page inside the tab that is open, opened at a metric."""
    gr.Markdown(t("metrics.intro"), elem_classes="lead")
    with gr.Accordion(t("metrics.which"), open=metric is None):
        gr.Markdown(cards.read_comparison("en"), elem_id="metrics_which", elem_classes="which")
    with gr.Tabs(selected=metric or METRICS[0]):
        for name, entry in FAMILY.items():
            with gr.Tab(entry.title, id=name):
                _build_demo(entry)
                gr.Markdown(
                    cards.read_card(name, "en"),
                    latex_delimiters=LATEX,
                    elem_id=f"metrics_card_{name}",
                    elem_classes="card",
                )


def list_texts(language: str) -> list[Any]:
    """List the table and the cards in a language."""
    return [cards.read_comparison(language), *(cards.read_card(name, language) for name in METRICS)]


def write_example(metric: Metric) -> dict[str, Any]:
    """Write the example of a metric as a visitor would give it: what each input says.

    Examples:
        >>> write_example(FAMILY["avg_at_n"])["text"].splitlines()[0]
        '{"grades": [1, 0, 0.6, 0.4]}'
    """
    columns, options = metric.example.columns, metric.example.options
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return {
        "text": "\n".join(json.dumps(row, ensure_ascii=False) for row in rows),
        "k": _list(options.get("k", ())),
        "taus": _list(options.get("thresholds", OPTIONS["thresholds"].default)),
        "ties": options.get("ties", OPTIONS["ties"].default),
        "higher": options.get("higher_is_better", OPTIONS["higher_is_better"].default),
    }


def _list(numbers: Any) -> str:
    return ", ".join(map(str, numbers))


def _build_demo(metric: Metric) -> None:
    name, example, own = metric.name, write_example(metric), metric.own_options
    with gr.Row(elem_classes="small-demo"):
        with gr.Column(scale=3, min_width=300):
            text = gr.Textbox(
                example["text"],
                lines=4,
                max_lines=8,
                label=t("metrics.data"),
                info=t("metrics.data_info"),
                elem_id=f"metrics_text_{name}",
                elem_classes="code",
            )
            with gr.Row():
                k = gr.Textbox(example["k"], label=t("score.k"), max_lines=1, min_width=120, visible="k" in own)
                taus = gr.Textbox(
                    example["taus"], label=t("score.taus"), max_lines=1, min_width=160, visible="thresholds" in own
                )
                ties = gr.Dropdown(
                    [(t(f"score.ties_{choice}"), choice) for choice in TIES],
                    value=example["ties"],
                    label=t("score.ties"),
                    min_width=160,
                    visible="ties" in own,
                )
                higher = gr.Checkbox(
                    example["higher"], label=t("score.higher"), min_width=160, visible="higher_is_better" in own
                )
            run = gr.Button(t("metrics.run"), variant="primary", elem_id=f"metrics_run_{name}")
        with gr.Column(scale=2, min_width=280):
            result = gr.HTML(
                tables.write_values(work.compute_metric(name, example).values),
                elem_id=f"metrics_result_{name}",
                apply_default_css=False,
            )
    inputs: dict[str, Any] = {"text": text, "k": k, "taus": taus, "ties": ties, "higher": higher}

    async def show_result(values: Mapping[Any, Any], request: gr.Request) -> str:
        """Write the result, or why there is none."""
        language = language_of(request.headers.get("accept-language"))
        given = {each: values[component] for each, component in inputs.items()}
        try:
            shown: str = await in_turn(request, work.show_metric, name, given, language)
        except InputError as reason:
            return notices.write_refusal(reason, language)
        return shown

    gr.on(
        [run.click, k.submit, taus.submit, ties.input, higher.input],
        show_result,
        set(inputs.values()),
        result,
        api_visibility="private",
        concurrency_limit=None,  # `in_turn` says how many work at once
        show_progress="hidden",
        trigger_mode="always_last",  # a click while another answer is awaited must not be lost
    )

"""The components of the page Score: what a visitor fills in, and what shows the results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from at_k.choices import MISSING, TIES
from at_k.demo import examples
from at_k.demo.files import MARKUP, ON_LOAD, list_rules
from at_k.demo.i18n import t
from at_k.demo.score_inputs import CHOICES, GUESSED, START, USUAL, list_columns, list_models
from at_k.demo.scoring import CHECKERS, RELATIONS, RULES
from at_k.demo.shell import address_of
from at_k.family import METRICS
from at_k.readers.samples import ROLES

API = """\
from gradio_client import Client  # pip install gradio_client

client = Client("http://127.0.0.1:7860")  # or the name of a Space, "owner/name"
with open("results.jsonl", encoding="utf-8") as file:
    print(client.predict(file.read(), api_name="/score"))
print(client.predict(16, 8, k=[1, 4, 8], taus=[0.5, 1.0], api_name="/explore"))
"""


def lay_out_inputs(guess: Mapping[str, str | None], columns: Sequence[str]) -> dict[str, Any]:
    """Lay out what a visitor fills in. Return the components by name."""
    parts: dict[str, Any] = {}
    with gr.Row(elem_id="score_inputs"):
        with gr.Column(scale=3, min_width=300):
            parts["text"] = gr.Textbox(
                examples.read_example(START),
                lines=5,
                max_lines=5,
                label=t("score.text"),
                elem_id="score_text",
                elem_classes="code",
            )
        with gr.Column(scale=2, min_width=280):
            parts["opened"] = make_file_input()
            parts["example"] = gr.Dropdown(
                [(t(f"score.{name}"), name) for name in examples.EXAMPLES],
                value=START,
                label=t("score.example"),
                elem_id="score_example",
            )
            parts["run"] = gr.Button(t("score.run"), variant="primary", elem_id="score_run")
    parts["said_opened"] = gr.HTML(elem_id="score_opened")
    parts["name"] = gr.Textbox("", visible="hidden", elem_id="score_name")
    parts["refused_data"] = gr.HTML(elem_id="score_refused_data")
    parts["refused_options"] = gr.HTML(elem_id="score_refused_options")
    with gr.Row(elem_id="score_folds"):
        with gr.Accordion(t("score.columns"), open=False, elem_id="score_columns"):
            for role in ROLES:
                parts[f"column_{role}"] = gr.Dropdown(
                    list_columns(columns, guess[role], "en"),
                    value=GUESSED,
                    label=t(f"score.role_{role}"),
                    elem_id=f"score_column_{role}",
                    allow_custom_value=True,  # the columns of a text that a reload brings back are not known yet
                )
            parts["model"] = gr.Dropdown(
                list_models([], "en"), value="", label=t("score.model"), elem_id="score_model", allow_custom_value=True
            )
        with gr.Accordion(t("score.options"), open=False, elem_id="score_options"):
            parts |= _lay_out_options()
        with gr.Accordion(t("score.choices"), open=False, elem_id="score_several"):
            for name in CHOICES:
                parts[name] = gr.Textbox("", label=t(f"score.{name}"), max_lines=1, elem_id=f"score_{name}")
    return parts


def _lay_out_options() -> dict[str, Any]:
    def drop(name: str, label: Any, choices: Sequence[tuple[Any, str]]) -> gr.Dropdown:
        return gr.Dropdown(choices, value=USUAL[name], label=label, elem_id=f"score_{name}")

    def box(name: str, **more: Any) -> gr.Textbox:
        return gr.Textbox(USUAL[name], label=t(f"score.{name}"), max_lines=1, elem_id=f"score_{name}", **more)

    return {
        "metrics": gr.CheckboxGroup(
            list(METRICS), value=USUAL["metrics"], label=t("score.metrics"), elem_id="score_metrics"
        ),
        "k": box("k", info=t("score.k_info")),
        "taus": box("taus"),
        "extract_fn": drop("extract_fn", t("score.rule"), [(t(f"score.rule_{each}"), each) for each in RULES]),
        "check_correct_fn": drop(
            "check_correct_fn", t("score.check"), [(t(f"score.check_{each}"), each) for each in CHECKERS]
        ),
        "equivalence": drop("equivalence", t("score.same"), [(t(f"score.same_{each}"), each) for each in RELATIONS]),
        "ties": drop("ties", t("score.ties"), [(t(f"score.ties_{each}"), each) for each in TIES]),
        "missing": drop("missing", t("score.missing"), [(t(f"score.missing_{each}"), each) for each in MISSING]),
        "least": box("least", info=t("score.least_info")),
        "higher_is_better": gr.Checkbox(True, label=t("score.higher"), elem_id="score_higher_is_better"),
        "by_group": gr.Checkbox(True, label=t("score.by_group"), elem_id="score_by_group"),
    }


def make_file_input() -> gr.HTML:
    """Make the button that opens files.

    Its value is {"name", "text"} or {"name", "packed"}, which are submitted; of several files, `packed` lists them. A
    file that is refused is not: then the value is what it was before, and "refused" the reason.
    """
    rules = list_rules()
    words = rules["words"]
    return gr.HTML(
        html_template=MARKUP.format(open_file=words[0]["open_file"], drop_file=words[0]["drop_file"]),
        js_on_load=ON_LOAD.replace("RULES", json.dumps(rules, ensure_ascii=False)).replace(
            "READER", address_of("reader.js")
        ),
        elem_id="score_file",
    )


def lay_out_results(first: Mapping[str, Any]) -> dict[str, Any]:
    """Lay out what the page shows of results. Return the components by name."""
    parts: dict[str, Any] = {}

    def html(name: str) -> None:
        parts[name] = gr.HTML(first[name], elem_id=f"score_{name}", apply_default_css=False)

    html("top")
    html("table")
    html("links")
    with gr.Row(elem_classes="beside"):
        with gr.Column(scale=3, min_width=320):
            html("problems")
        with gr.Column(scale=2, min_width=300):
            html("findings")
    html("curves")
    with gr.Accordion(t("score.python"), open=False, elem_id="score_python"):
        parts["code"] = gr.Code(
            first["code"],
            language="python",
            max_lines=24,
            show_label=False,
            interactive=False,
            elem_id="score_code",
        )
    with gr.Accordion(t("score.api"), open=False):
        gr.Code(API, language="python", show_label=False, interactive=False)
    return parts

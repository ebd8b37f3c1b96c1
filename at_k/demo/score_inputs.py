"""What a visitor gives on the page Score: results, columns, options. How they are laid out, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from at_k.choices import MISSING, TIES
from at_k.demo import examples
from at_k.demo.files import make_file_input
from at_k.demo.given import Given
from at_k.demo.i18n import t
from at_k.demo.notices import POOLED
from at_k.demo.scoring import CHECKERS, RELATIONS, RULES, Options, parse_k, parse_least, parse_taus
from at_k.demo.words import say
from at_k.family import METRICS
from at_k.readers.samples import ROLES

START = "qwen25_math"

GUESSED, NONE = "", "\0"
"""Choices of a column besides a name: the guessed one, and no column."""

CHOICES = ("scorer", "filter", "tests")
"""What a visitor may choose in the files of a harness, by the names of `Reading`."""

OPTIONS = (
    *("metrics", "k", "taus", "ties", "missing", "higher_is_better", "by_group"),
    *("extract_fn", "check_correct_fn", "equivalence", "least"),
)
"""The options of a visitor, by the names of `Options`."""

USUAL: dict[str, Any] = {
    "example": START,
    "model": "",
    **{f"column_{role}": GUESSED for role in ROLES},
    **dict.fromkeys(CHOICES, ""),
    "metrics": list(METRICS),
    "k": "",
    "taus": ", ".join(map(str, Options.taus)),
    **{name: getattr(Options, name) for name in OPTIONS[3:-1]},
    "least": "1",
}
"""The values of a page that nobody has changed, by the names of its parts."""


@dataclass(frozen=True)
class Asked:
    """What a visitor asks for.

    Attributes:
        results: what they gave.
        name: the name of the file or of the example; empty for a text that was pasted.
        is_example: whether it is an example of the page, as it is.
        chosen: role → column, `GUESSED` or `NONE`.
        choices: the choices in the files of a harness.
        model: the model whose rows are scored; empty for the first one, `POOLED` if all rows are of one.
        options: the other options; k is None where it was left open.
    """

    results: Given
    name: str
    is_example: bool
    chosen: Mapping[str, str]
    choices: Mapping[str, str | None]
    model: str
    options: Options

    @property
    def named(self) -> dict[str, str | None]:
        """The roles for which one of the columns, or none, was chosen."""
        return read_chosen(self.results.columns, self.chosen)


def read_values(values: Mapping[str, Any], results: Given, language: str) -> Asked:
    """Read the values of the parts of the page.

    Raises:
        InputError: if something that was typed cannot be read.
    """
    example = values.get("example") if values.get("example") in examples.EXAMPLES else ""
    if example and results.text != examples.read_example(example):
        example = ""  # the text was edited a moment ago
    values = USUAL | {name: value for name, value in values.items() if value is not None}
    typed = {
        "k": parse_k(values["k"]),
        "taus": parse_taus(values["taus"]),
        "least": parse_least(values["least"]),
    }
    return Asked(
        results,
        say(language, f"score.{example}") if example else str(values.get("name") or ""),
        bool(example),
        {role: values[f"column_{role}"] for role in ROLES},
        {name: values[name].strip() or None for name in CHOICES},
        values["model"],
        Options(**{name: values[name] for name in OPTIONS} | typed),
    )


def read_chosen(columns: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str | None]:
    r"""Return the roles for which a visitor chose one of these columns, or none.

    Examples:
        >>> read_chosen(["a"], {"answers": "a", "grades": "\0", "scores": "", "group": "gone"})
        {'answers': 'a', 'grades': None}
    """
    return {role: None if column == NONE else column for role, column in chosen.items() if column in (NONE, *columns)}


def list_columns(columns: Sequence[str], guess: str | None, language: str) -> list[tuple[str, str]]:
    """List the columns that may play a role, the guess first."""
    none = say(language, "score.no_column")
    guessed = say(language, "score.guessed", column=guess or none)
    return [(guessed, GUESSED), (none, NONE), *((column, column) for column in columns)]


def list_models(models: Sequence[str], language: str) -> list[tuple[str, str]]:
    """List the models of a file, to choose one."""
    if not models:
        return [(say(language, "score.all_rows"), "")]
    return [
        (say(language, "score.first_model"), ""),
        (say(language, "score.one_model"), POOLED),
        *((model, model) for model in models),
    ]


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

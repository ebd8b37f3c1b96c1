"""Score: a visitor's own results, every number that they allow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gradio as gr

from at_k.demo import examples, notices
from at_k.demo.files import FORGET, TO_MESSAGES, TO_TEXT
from at_k.demo.given import Given
from at_k.demo.i18n import t
from at_k.demo.limits import LIMITS
from at_k.demo.score_inputs import CHOICES, OPTIONS, START, USUAL
from at_k.demo.score_layout import lay_out_inputs, lay_out_results
from at_k.demo.score_results import SHOWN, make_first, make_page, write_refusals
from at_k.demo.shell import address_of
from at_k.demo.turns import in_turn
from at_k.demo.words import LANGUAGES, WORDS, language_of
from at_k.errors import InputError
from at_k.readers.samples import ROLES

POSITION = 2

_BEFORE = """async (...values) => {
    await import(new URL("MODULE", document.baseURI)).catch(() => {});
    const cut = value => typeof value === "string" && value.length > {limit} ? value.slice(0, {limit} + 1) : value;
    window.atKScore?.begin({names}, values);
    return values.map(cut);
}"""
"""Note what is sent, even if the visitor was faster than the module. Cut a text that is far too long before it is sent:
the visitor keeps it, and is told."""

_AFTER = "() => window.atKScore?.finish()"

_ON_LOAD = """
const send = (kind, values) => {
    props.value = { values, time: Date.now() + Math.random() };
    trigger(kind);
};
const words = WORDS[navigator.language.startsWith("zh") ? 1 : 0];
import(new URL("MODULE", document.baseURI)).then(module => module.start(send, USUAL, words));
"""

_SET = """(sent, ...values) => {
    const asked = sent?.values ?? {};
    return {names}.map((name, i) => name in asked ? asked[name] : values[i]);
}"""
"""Set the values that a button or the address asks for, and leave the others as they are."""


def build(**_: Any) -> None:
    """Lay out the page inside the tab that is open."""
    first = make_first(LANGUAGES[0])
    with gr.Column(elem_id="score_page"):
        gr.Markdown(t("score.intro"), elem_classes="lead")
        start = Given(examples.read_example(START))
        inputs = lay_out_inputs(start.guess({}), start.columns)
        help_button = gr.HTML(notices.write_help(LANGUAGES[0]), elem_id="score_help", apply_default_css=False)
        words = [{"copied": WORDS["score.copied"][place], "examples": list(examples.EXAMPLES)} for place in range(2)]
        actions = gr.HTML(
            "",
            html_template="<span></span>",
            js_on_load=_ON_LOAD.replace("WORDS", json.dumps(words, ensure_ascii=False))
            .replace("MODULE", address_of("score-page.js"))
            .replace("USUAL", json.dumps(USUAL)),
            elem_id="score_actions",
        )
        with gr.Column(elem_id="score_results"):
            results = lay_out_results(first)
    names = ("text", "opened", "example", "name", "model", *(f"column_{role}" for role in ROLES), *CHOICES, *OPTIONS)
    sent = sorted(names, key=lambda name: inputs[name]._id)  # the order in which Gradio sends a set
    of_component = {inputs[name]: name for name in names}
    shown = {name: results[name] for name in SHOWN} | {"help": help_button}
    shown |= {name: inputs[name] for name in inputs if name.startswith(("column_", "refused_")) or name == "model"}

    async def show_scores(values: Mapping[Any, Any], request: gr.Request) -> dict[Any, Any]:
        """Score what the visitor gave, and return the parts of the page that change."""
        language = language_of(request.headers.get("accept-language"))
        given = {of_component[part]: value for part, value in values.items()}
        try:
            page = await in_turn(request, make_page, given, language)
        except InputError as reason:
            page = write_refusals(reason, language)
        return {shown[name]: gr.update(**part) if isinstance(part, dict) else part for name, part in page.items()}

    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    scoring: dict[str, Any] = {
        "fn": show_scores,
        "inputs": set(of_component),
        "outputs": set(shown.values()),
        "js": _BEFORE.replace("{limit}", str(LIMITS.max_bytes))
        .replace("{names}", json.dumps(sent))
        .replace("MODULE", address_of("score-page.js")),
        "api_visibility": "private",
        "show_progress": "hidden",
        "concurrency_limit": None,  # `in_turn` says how many work at once
    }

    def score_after(event: Any) -> None:
        event.then(**scoring).then(None, js=_AFTER)

    text, opened = inputs["text"], inputs["opened"]
    score_after(inputs["example"].input(examples.read_example, inputs["example"], text, **quiet))
    inputs["example"].input(None, None, inputs["name"], js="() => ''")
    actions.input(None, None, [inputs["example"], inputs["name"]], js="() => [null, '']")
    text.change(None, [text, opened], opened, js=FORGET)  # `input` does not fire for every way to put a text in
    opened.change(None, opened, [inputs["refused_data"], inputs["said_opened"]], js=TO_MESSAGES)
    score_after(opened.submit(None, opened, [text, inputs["example"], opened, inputs["name"]], js=TO_TEXT))
    settable = [inputs[name] for name in names]
    setting = _SET.replace("{names}", json.dumps(names))
    score_after(actions.submit(None, [actions, *settable], settable, js=setting))
    restored = actions.select(None, [actions, *settable], settable, js=setting)
    filled = [text, opened, inputs["example"], inputs["name"]]
    score_after(restored.then(_fill_text, filled, filled, **quiet))
    typed = {"k", "taus", "least", *CHOICES}
    changed = [
        inputs[name].submit if name in typed else inputs[name].input for name in names if name not in _NOT_ASKING
    ]
    gr.on([inputs["run"].click, *changed], trigger_mode="always_last", **scoring).then(None, js=_AFTER)


def list_texts(language: str) -> list[Any]:
    """List what the page has at first, in a language: parts, and the choices of columns."""
    first = make_first(language) | {"help": notices.write_help(language)}
    return [part["choices"] if isinstance(part, dict) else part for part in first.values()]


_NOT_ASKING = ("text", "opened", "example", "name")
"""Parts whose change asks for nothing by itself."""


def _fill_text(text: str | None, opened: Mapping[str, Any] | None, example: str | None, name: str | None) -> Any:
    """Return the text of an example, or the file of a harness, that a link or a button asks for.

    It is the first example if there is nothing else.
    """
    if (text or "").strip() or (opened or {}).get("packed"):
        return text, opened, example, name
    harness = (name or "").removeprefix("harness/")
    if harness != name and harness in examples.HARNESSES:
        found = examples.read_harness(harness)
        return found.get("text", ""), found if "packed" in found else None, None, found["name"]
    known = str(example) if example in examples.EXAMPLES else START
    return examples.read_example(known), None, known, ""

"""Plan: how many problems, and how many samples of each, does a measurement need?

The page is part of the document itself: `write_section` writes it, and `assets/asking.js` sends what is given in it.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.events import api as endpoint

from at_k.demo import planning
from at_k.demo.asking import refuse, write_box, write_button, write_root, write_side, write_slider
from at_k.demo.examples import EXAMPLES
from at_k.demo.planning import SOURCES, USUAL
from at_k.demo.turns import in_turn
from at_k.demo.words import language_of, say
from at_k.errors import InputError

POSITION = 4


def build(**_: Any) -> None:
    """Leave the page of Gradio empty: the document has it. Add the endpoint that answers."""
    gr.HTML("", visible=False)

    async def plan(values: dict[str, Any], request: gr.Request) -> dict[str, Any]:
        language = language_of(request.headers.get("accept-language"))
        try:
            answer: dict[str, Any] = await in_turn(request, planning.answer, values, language)
        except InputError as reason:
            return refuse(reason, language)
        return answer

    endpoint(plan, api_name="plan", queue=False, api_visibility="undocumented")


def write_section(language: str) -> str:
    """Write the page in a language, with the form and empty parts."""

    def word(name: str) -> str:
        return say(language, f"plan.{name}")

    sources = "".join(
        write_button(say(language, f"plan.source_{each}"), {"source": each, "problems": "", "samples": ""})
        for each in SOURCES
    )
    examples = "".join(
        write_button(
            say(language, f"score.{name}"), {"example": name, "source": "results", "problems": "", "samples": ""}
        )
        for name in EXAMPLES
    )
    of_score = f'<button type="button" class="act" data-takes="score">{word("of_score")}</button>'
    columns = write_box("columns", say(language, "asking.columns"), "", "problem=qid, grades=ok")
    results = (
        f'<div data-of-source="results"><details><summary>{word("own")}</summary>'
        f'<div class="chips">{of_score}{examples}</div>{write_side("results", word("results"), language)}'
        f'<div class="fields">{columns}</div><p><button class="act main">{word("run")}</button></p></details></div>'
    )
    sliders = (
        f'<div data-of-source="sliders">{write_slider("mean", word("mean"), (1, 99))}'
        f"{write_slider('spread', word('spread'), (0, 100), word('spread_text'))}</div>"
    )
    numbers = write_slider("problems", word("problems"), (10, 10_000), log=True)
    numbers += write_slider("samples", word("samples"), (1, 256), log=True)
    boxes = (
        write_box("k", word("k"), USUAL["k"])
        + write_box("tau", word("tau"), "", "0.5")
        + write_box("half", word("half"), "", "2")
        + write_box("detect", word("detect"), "", "2")
    )
    form = (
        f'<form autocomplete="off"><input type="hidden" name="example"><input type="hidden" name="source">'
        f'<div class="chips">{sources}</div>{sliders}{numbers}{results}'
        f'<details><summary>{word("wishes")}</summary><div class="fields">{boxes}</div></details></form>'
    )
    inside = (
        '<div data-part="head" role="status"></div><div class="refusals"></div>'
        f'<div class="work"><div data-part="table"></div>{form}</div><div data-part="prediction"></div>'
    )
    return write_root("plan", USUAL, inside, language)

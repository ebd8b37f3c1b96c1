"""Compare: is one model better than another one, at which numbers, and how sure is that?

The page is part of the document itself: `write_section` writes it, and `assets/asking.js` sends what is given in it.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.events import api as endpoint

from at_k.choices import MISSING
from at_k.demo import comparing
from at_k.demo.asking import write_box, write_button, write_root, write_select, write_side
from at_k.demo.comparing import UNMATCHED, USUAL
from at_k.demo.turns import in_turn
from at_k.demo.words import language_of, say

POSITION = 3


def build(**_: Any) -> None:
    """Leave the page of Gradio empty: the document has it. Add the endpoint that answers."""
    gr.HTML("", visible=False)

    async def compare(values: dict[str, Any], request: gr.Request) -> dict[str, Any]:
        return await in_turn(request, comparing.answer, values, language_of(request.headers.get("accept-language")))

    endpoint(compare, api_name="compare", queue=False, api_visibility="undocumented")


def write_section(language: str) -> str:
    """Write the page in a language, with the form and empty parts."""

    def word(name: str) -> str:
        return say(language, f"compare.{name}")

    missing = [(each, say(language, f"score.missing_{each}")) for each in MISSING]
    unmatched = [(each, say(language, f"compare.unmatched_{each}")) for each in UNMATCHED]
    fields = (
        write_box("columns", say(language, "asking.columns"), "", "problem=qid, grades=ok"),
        write_select("by", word("by"), [("", "")], ""),
        write_select("model_a", word("model_a"), [("", "")], ""),
        write_select("model_b", word("model_b"), [("", "")], ""),
        write_box("k", say(language, "score.k"), "", "1, 4, 8"),
        write_box("taus", say(language, "score.taus"), USUAL["taus"]),
        write_box("margin", word("margin"), USUAL["margin"]),
        write_select("missing", say(language, "score.missing"), missing, USUAL["missing"]),
        write_select("unmatched", word("unmatched_label"), unmatched, USUAL["unmatched"]),
    )
    sides = write_side("a", word("file_a"), language) + write_side("b", word("file_b"), language)
    form = (
        '<form autocomplete="off"><input type="hidden" name="example"><input type="hidden" name="key">'
        f"<details><summary>{word('own')}</summary>"
        f'<div class="sides">{sides}</div>'
        f'<div class="fields">{"".join(fields)}</div><p><button class="act main">{word("run")}</button> '
        f"{write_button(word('example'), USUAL)}</p></details></form>"
    )
    parts = "".join(f'<div data-part="{name}"></div>' for name in ("table", "problems", "curves", "code"))
    inside = f'<div data-part="head" role="status"></div>{form}<div class="refusals"></div>{parts}'
    return write_root("compare", USUAL, inside, language)

"""Score: a visitor's own results, every number that they allow.

`write_section` writes the form; `assets/asking.js` sends what is given in it, and `assets/score.js` shows problems.
"""

from at_k.demo.asking import READING, write_box, write_columns, write_options, write_root, write_side
from at_k.demo.examples import EXAMPLES
from at_k.demo.notices import write_button, write_help
from at_k.demo.score_results import CHOSEN, USUAL
from at_k.demo.words import say

POSITION = 2

FIRST = ("k", "thresholds", "check_correct_fn", "extract_fn")
"""The options that are in sight; the others unfold."""


def write_section(language: str, **_: str) -> str:
    """Write the page in a language, with the form and empty parts."""

    def word(name: str) -> str:
        return say(language, f"score.{name}")

    examples = "".join(write_button(word(name), USUAL | {"example": name}) for name in EXAMPLES)
    rest = [name for name in (*CHOSEN, *READING) if name not in FIRST]
    form = (
        f'<form autocomplete="off"><input type="hidden" name="example">'
        f'<div class="give">{write_side("score", "results", word("text"), language)}'
        f'<div><p class="text">{word("intro")}</p><p><button class="act main">{word("run")}</button></p>'
        f'<div class="chips">{word("example")} {examples}</div></div></div>'
        f'<div class="fields">{write_options(FIRST, USUAL, language, {"k": "1, 4, 8"})}</div>'
        f'<details><summary>{word("columns")}</summary><div class="fields">{write_columns(language)}</div></details>'
        f"<details><summary>{word('options')}</summary>"
        f'<div class="fields">{write_options(rest, USUAL, language)}{write_box("least", word("least"), "1")}</div>'
        f"</details></form>{write_help(USUAL, language)}"
    )
    own = f'<details class="own" open><summary>{word("own")}</summary>{form}</details>'
    parts = {
        name: f'<div data-part="{name}"></div>' for name in ("table", "links", "problems", "findings", "curves", "code")
    }
    inside = (
        f'<h1 class="unseen">{word("title")}</h1><div data-part="head" role="status"></div><div class="refusals"></div>'
        f"{parts['table']}{parts['links']}{own}"
        f'<div class="pair apart">{parts["problems"]}{parts["findings"]}</div>{parts["curves"]}{parts["code"]}'
    )
    return write_root("score", USUAL, inside, language)

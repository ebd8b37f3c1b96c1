"""Compare: is one model better than another one, at which numbers, and how sure is that?

`write_section` writes the form, and `assets/asking.js` sends what is given in it.
"""

from at_k.demo.asking import write_columns, write_options, write_root, write_select, write_side
from at_k.demo.comparing import CHOSEN, USUAL
from at_k.demo.notices import write_button
from at_k.demo.words import say

POSITION = 3

FIRST = ("k", "thresholds", "margin", "missing", "unmatched")


def write_section(language: str, **_: str) -> str:
    """Write the page in a language, with the form and empty parts."""

    def word(name: str) -> str:
        return say(language, f"compare.{name}")

    models = "".join(write_select(name, word(name), [("", "")], "") for name in ("by", "model_a", "model_b"))
    rest = [name for name in CHOSEN if name not in FIRST]
    sides = write_side("compare", "a", word("file_a"), language) + write_side("compare", "b", word("file_b"), language)
    form = (
        '<form autocomplete="off"><input type="hidden" name="example"><input type="hidden" name="key">'
        f'<details><summary>{word("own")}</summary><div class="sides">{sides}</div>'
        f'<div class="fields">{models}{write_options(FIRST, USUAL, language, {"k": "1, 4, 8"})}</div>'
        f"<details><summary>{say(language, 'score.columns')}</summary>"
        f'<div class="fields">{write_columns(language)}{write_options(rest, USUAL, language)}</div></details>'
        f'<p><button class="act main">{word("run")}</button> {write_button(word("example"), USUAL)}</p>'
        "</details></form>"
    )
    parts = "".join(f'<div data-part="{name}"></div>' for name in ("curves", "table", "problems", "code"))
    inside = f'<div data-part="head" role="status"></div>{form}<div class="refusals"></div>{parts}'
    return write_root("compare", USUAL, inside, language)

"""Plan: how many problems, and how many samples of each, does a measurement need?

`write_section` writes the form, and `assets/asking.js` sends what is given in it.
"""

from at_k.demo.asking import READING, write_columns, write_options, write_root, write_side, write_slider
from at_k.demo.examples import EXAMPLES
from at_k.demo.notices import write_button
from at_k.demo.planning import SOURCES, USUAL
from at_k.demo.scoring import OPTIONS
from at_k.demo.words import name_option, say

POSITION = 4


def write_section(language: str, **_: str) -> str:
    """Write the page in a language, with the form and empty parts."""

    def word(name: str) -> str:
        return say(language, f"plan.{name}")

    sources = "".join(
        write_button(say(language, f"plan.source_{each}"), {"source": each, "problems": "", "samples": ""})
        for each in SOURCES
    )
    fresh = {"source": "results", "problems": "", "samples": ""}
    examples = "".join(write_button(say(language, f"score.{name}"), fresh | {"example": name}) for name in EXAMPLES)
    of_score = f'<button type="button" class="act" data-takes="score">{word("of_score")}</button>'
    results = (
        f'<div data-of-source="results"><details><summary>{word("own")}</summary>'
        f'<div class="chips">{of_score}{examples}</div><div class="sides">'
        f"{write_side('plan', 'results', word('results'), language)}"
        f"{write_side('plan', 'other', word('other'), language)}</div>"
        f"<details><summary>{say(language, 'score.columns')}</summary>"
        f'<div class="fields">{write_columns(language)}{write_options(READING, USUAL, language)}</div></details>'
        f'<p><button class="act main">{word("run")}</button></p></details></div>'
    )
    sliders = (
        f'<div data-of-source="sliders">{write_slider("mean", word("mean"), (1, 99))}'
        f"{write_slider('spread', word('spread'), (0, 100), word('spread_text'))}</div>"
    )
    numbers = "".join(
        write_slider(name, name_option(OPTIONS[name], language), limits, log=True)
        for name, limits in {"problems": (10, 10_000), "samples": (1, 256)}.items()
    )
    wishes = write_options(
        ("k", "tau", "half_width", "detect"), USUAL, language, {"tau": "0.5", "half_width": "2", "detect": "2"}
    )
    form = (
        f'<form autocomplete="off"><input type="hidden" name="example"><input type="hidden" name="source">'
        f'{numbers}<div class="chips">{sources}</div>{sliders}{results}'
        f'<details><summary>{word("wishes")}</summary><div class="fields">{wishes}</div></details></form>'
    )
    inside = (
        '<div data-part="head" role="status"></div><div class="refusals"></div>'
        f'<div class="work">{form}<div data-part="table"></div></div><div data-part="prediction"></div>'
    )
    return write_root("plan", USUAL, inside, language)

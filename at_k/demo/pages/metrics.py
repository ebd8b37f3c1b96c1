"""Metrics: which one answers which question, a small demo of each, and its card."""

from at_k.demo.asking import write_options, write_root, write_side
from at_k.demo.cards import read_comparison, write_markdown
from at_k.demo.metric_demo import OWN, USUAL, write_example
from at_k.demo.notices import write_button
from at_k.demo.words import say
from at_k.family import FAMILY

POSITION = 5


def write_section(language: str, *, metric: str = "", **_: str) -> str:
    """Write the page in a language, opened at a metric."""

    def word(name: str) -> str:
        return say(language, f"metrics.{name}")

    sets = {name: USUAL | write_example(each)[0] for name, each in FAMILY.items()}
    usual = sets.get(metric, USUAL | next(iter(sets.values())))
    chips = "".join(write_button(FAMILY[name].title, each) for name, each in sets.items())
    form = (
        '<form autocomplete="off"><input type="hidden" name="metric"><input type="hidden" name="example">'
        f'<div class="chips">{chips}</div>{write_side("metrics", "data", word("data"), language)}'
        f'<p class="text">{word("data_info")}</p><div class="fields">{write_options(OWN, USUAL, language)}'
        f'<button class="act main">{word("run")}</button></div></form>'
    )
    inside = (
        f'<h1>{word("which")}</h1><p class="text">{word("intro")}</p>'
        f'<div class="which">{write_markdown(read_comparison(language))}</div><h2>{word("try")}</h2>'
        f'<div class="pair even">{form}'
        '<div><div class="refusals"></div><div data-part="result" role="status"></div></div></div>'
        '<div data-part="card"></div>'
    )
    return write_root("metrics", usual, inside, language)

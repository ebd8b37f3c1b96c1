"""Explore: what the numbers mean, on one problem with n samples.

`write_section` writes it, and `assets/explore.js` computes and draws.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape

import numpy as np

import at_k
from at_k.demo.examples import read_example
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.words import say

POSITION = 1

PRESETS = ("half", "rare", "nearly", "favourite")
"""Instructive settings, by the names of their words; their numbers are in `assets/explore.js`."""

LINES = ("pass", "gpass", "hat", "low", "high", "mean", "vote", "avg")
SHOWN = ("pass", "gpass", "hat")
"""The lines of the picture, and those that it opens with."""

START = {"n": (2, MAX_EXPLORE_N, 16), "c": (0, 16, 8), "k": (1, 16, 4), "together": (0, 8, 4)}
"""The sliders: lowest, highest, and what they open at."""

REAL = {"gpt": "taubench_airline", "qwen": "qwen25_math"}
"""The models of the second pair → the example with their samples."""


@cache
def read_models() -> dict[str, list[str]]:
    """Read which samples of the real models are right, a text for each problem, the best problem first.

    Examples:
        >>> read_models()["gpt"][0], len(read_models()["gpt"])
        ('1111', 50)
    """
    models = {}
    for name, example in REAL.items():
        rows = [json.loads(line)["correct"] for line in read_example(example).splitlines()]
        models[name] = ["".join(map(str, row)) for row in sorted(rows, key=sum, reverse=True)]
    return models


def write_section(language: str, **_: str) -> str:
    """Write the page in a language, with everything but what depends on the sliders."""

    def word(name: str) -> str:
        return escape(say(language, f"explore.{name}"))

    def slider(name: str) -> str:
        low, high, value = START[name]
        return (
            f'<div class="control" data-control="{name}"><label for="explore_{name}">{word(name)}</label>'
            f'<input id="explore_{name}" class="box" inputmode="numeric" autocomplete="off" value="{value}">'
            f'<input id="explore_{name}_slider" type="range" min="{low}" max="{high}" step="1" value="{value}"'
            f' aria-label="{word(name)}"></div>'
        )

    def model(name: str) -> str:
        values = "".join(f'<div data-metric="{metric}"><dt></dt><dd></dd></div>' for metric in ("avg", "pass", "hat"))
        return (
            f'<div class="model" id="explore_{name}"><h3>{word(name)} <span>{word(f"{name}_text")}</span></h3>'
            f'<div class="figure"></div><dl>{values}</dl></div>'
        )

    lines = "".join(
        f'<button type="button" data-line="{name}" aria-pressed="{str(name in SHOWN).lower()}">'
        f'<i class="of-{name}"></i>{word(f"chip_{name}")}</button>'
        for name in LINES
    )
    presets = "".join(
        f'<button type="button" data-preset="{name}" aria-pressed="false">{word(name)}</button>' for name in PRESETS
    )
    saves = "".join(
        f'<button type="button" data-save="{kind}" data-of="#explore_curves">{kind.upper()}</button>'
        for kind in ("svg", "png")
    )
    models = escape(json.dumps(read_models(), separators=(",", ":")))
    return (
        f'<main class="explore">{_write_story(language)}<h2>{word("own")}</h2>'
        f'<p class="sentence">{escape(_write_sentence(language))}</p>'
        f'<p class="sub">{escape(say(language, "explore.sub", n=START["n"][2]))}</p>'
        '<div class="work"><div class="figure" id="explore_curves"></div>'
        f'<div class="controls">{"".join(map(slider, START))}'
        f'<div class="chips" role="group" aria-label="{word("presets")}">{presets}</div></div>'
        f'<div class="below"><div class="chips" role="group" aria-label="{word("lines")}">{lines}</div>'
        f'<div class="chips quiet"><span class="saves">{saves}</span></div>'
        '<div class="notes" aria-live="polite"></div></div></div>'
        f'<h2>{word("real")}</h2><p class="text">{word("real_text")}</p>'
        f'<div class="pair real" data-models="{models}">{"".join(map(model, REAL))}</div>'
        f'<details class="formulas"><summary>{word("formulas")}</summary><p class="text formulas-text"></p>'
        '<div id="explore_formulas"></div></details>'
        f'<p class="next"><a href="?page=score" data-page="score">{word("next")}</a></p></main>'
    )


def _write_story(language: str) -> str:
    """Write the first screen, with its sentence as it is before k is moved."""

    def word(name: str, **values: object) -> str:
        return escape(say(language, f"explore.{name}", **values))

    n, k = START["n"][2], START["k"][2]
    c = {"shaky": np.full(12, n // 2), "steady": np.repeat([0, n], 6)}
    demands = {"one": at_k.pass_at_k, "all": at_k.pass_hat_k}
    said = {
        f"{name}_{demand}": f"{say(language, f'explore.{name}')} {100 * float(np.mean(chance(n, right, k=k))):.0f} %"
        for name, right in c.items()
        for demand, chance in demands.items()
    }
    about = f'aria-label="{word("drawn")}" title="{word("drag")}"'
    number = f'<span class="number" tabindex="0" role="slider" {about}>{k}</span>'
    lead = word("lead", k="\0", **said).replace("\0", number)
    models = "".join(
        f'<div data-model="{name}"><h2 class="of-{colour}">{word(name)}</h2><p>{word(f"{name}_text")}</p>'
        f'<div class="figure"></div></div>'
        for name, colour in {"shaky": "b", "steady": "a"}.items()
    )
    asks = "".join(
        f"<div><h2>{word(f'ask_{each}')}</h2><p>{word(f'ask_{each}_text')}</p></div>"
        for each in ("pass", "gpass", "hat")
    )
    return (
        f'<div class="story"><h1>{word("finding")}</h1><p class="lead">{lead}</p>'
        f'<div class="two">{models}<div class="demand"><div class="figure" id="story_demand"></div>'
        f'<label class="drawn">{word("drawn")} '
        f'<input type="range" name="draw" min="1" max="{n}" value="{k}"></label></div>'
        f'</div><p class="text">{word("row")}</p><div class="asks">{asks}</div></div>'
    )


def _write_sentence(language: str) -> str:
    """Write the sentence that the page opens with, as the browser will: for those who read it without one."""
    n, c, k = (START[name][2] for name in "nck")

    def word(name: str, **values: object) -> str:
        return say(language, f"explore.{name}", **values)

    chances = {"one": at_k.pass_at_k(n, c, k=k), "all": at_k.pass_hat_k(n, c, k=k)}
    parts = {name: word(name, value=word("exactly", value=f"{chance:.1%}")) for name, chance in chances.items()}
    what = word("of_some", **parts)
    return word("sentence", n=n, c=word("some_right", c=c), k=word("draw_some", k=k), what=what)

"""Explore: what the numbers mean, on one problem with n samples.

The page is part of the document itself, in sight before Gradio is: `write_section` writes it, and `assets/explore.js`
computes and draws. Gradio has an empty page of its name.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import Any

import gradio as gr

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


def build(**_: Any) -> None:
    """Leave the page of Gradio empty: the document has it."""
    gr.HTML("", visible=False)


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


@cache
def write_section(language: str) -> str:
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
    switches = "".join(
        f'<button type="button" data-switch="{name}" aria-pressed="false">{word(name)}</button>'
        for name in ("every", "log")
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
        f'<main class="explore"><h1>{escape(_write_sentence(language))}</h1>'
        f'<p class="sub">{escape(say(language, "explore.sub", n=START["n"][2]))}</p>'
        '<div class="work"><div class="figure" id="explore_curves"></div>'
        f'<div class="controls">{"".join(map(slider, START))}'
        f'<div class="chips" role="group" aria-label="{word("presets")}">{presets}</div></div>'
        f'<div class="below"><div class="chips" role="group" aria-label="{word("lines")}">{lines}</div>'
        f'<div class="chips quiet">{switches}<span class="saves">{saves}</span></div>'
        '<div class="notes" aria-live="polite"></div></div></div>'
        f'<h2>{word("models")}</h2><p class="text">{word("models_text")}</p>'
        f'<div class="pair">{model("shaky")}{model("steady")}</div>'
        f'<h2>{word("real")}</h2><p class="text">{word("real_text")}</p>'
        f'<div class="pair real" data-models="{models}">{"".join(map(model, REAL))}</div>'
        f'<h2>{word("formulas")}</h2><p class="text formulas-text"></p><div id="explore_formulas"></div>'
        f'<p class="next"><a href="?page=score" data-page="score">{word("next")}</a></p></main>'
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

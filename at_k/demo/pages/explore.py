"""Explore: what the numbers mean, told from two made-up models to ten published results.

`write_section` writes it, and `assets/story.js` and `assets/explore.js` compute and draw what can be moved.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import NamedTuple

import numpy as np

import at_k
from at_k.demo.curves import Setting, count_votes
from at_k.demo.examples import read_published
from at_k.demo.figures import write_picture, write_saves
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.sentences import say_setting, say_story
from at_k.demo.words import say

POSITION = 1

PRESETS = ("half", "rare", "nearly", "favourite")
"""Instructive settings, by the names of their words; their numbers are in `assets/explore.js`."""

LINES = {
    "pass": "pass",
    "gpass": "gpass",
    "hat": "pass-hat",
    "low": "gpass-low",
    "high": "gpass-high",
    "mean": "mgpass",
    "vote": "cons",
    "avg": "avg",
}
SHOWN = ("pass", "gpass", "hat")
"""The lines of the picture, each with its colour, and those that it opens with."""

START = {"n": (2, MAX_EXPLORE_N, 16), "c": (0, 16, 8), "k": (1, 16, 4), "together": (0, 8, 4)}
"""The sliders: lowest, highest, and what they open at."""

VOTES = {"wins": Setting(16, 7, 3), "loses": Setting(16, 5, 7)}
"""Two problems, of which one has the right answer as its favourite, and the other a wrong one."""


class Published(NamedTuple):
    """A published result: its name and source, how many problems and samples, and the averages of their values."""

    name: str
    source: str
    problems: int
    samples: int
    average: float
    every: float


@cache
def rank_published() -> list[Published]:
    """Compute avg@n and G-Pass@k with τ = 1 of the published results, those that keep most of their average first.

    Examples:
        >>> best = rank_published()[0]
        >>> best.name, best.problems, best.samples, round(best.average, 2), round(best.every, 2)
        ('qwen_math', 100, 8, 0.91, 0.87)
    """
    k = START["k"][2]
    found = []
    for result in read_published():
        n, c = result["n"], np.repeat(list(map(int, result["right"])), list(result["right"].values()))
        every = float(np.mean(at_k.pass_hat_k(n, c, k=k)))
        found.append(Published(result["name"], result["source"], len(c), n, float(np.mean(c)) / n, every))
    return sorted(found, key=lambda each: each.every / each.average, reverse=True)


def write_section(language: str, **_: str) -> str:
    """Write the page in a language, with everything but what depends on the sliders."""

    def word(name: str, **values: object) -> str:
        return escape(say(language, f"explore.{name}", **values))

    def slider(name: str) -> str:
        low, high, value = START[name]
        return (
            f'<div class="control" data-control="{name}"><label for="explore_{name}">{word(name)}</label>'
            f'<input id="explore_{name}" class="box" inputmode="numeric" autocomplete="off" value="{value}">'
            f'<input id="explore_{name}_slider" type="range" min="{low}" max="{high}" step="1" value="{value}"'
            f' aria-label="{word(name)}"></div>'
        )

    lines = "".join(
        f'<button type="button" data-line="{name}" aria-pressed="{str(name in SHOWN).lower()}">'
        f'<i style="color: var(--at-k-{colour})"></i>{word(f"chip_{name}")}</button>'
        for name, colour in LINES.items()
    )
    presets = "".join(
        f'<button type="button" data-preset="{name}" aria-pressed="false">{word(name)}</button>' for name in PRESETS
    )
    n, c, k = (START[name][2] for name in "nck")
    sentence = say_setting(n, c, k, language)
    return (
        f'<main class="page explore">{_write_story(language)}'
        f'<h2>{word("vote")}</h2><p class="text">{word("vote_text")}</p>{_write_votes(language)}'
        f'<h2>{word("own")}</h2><p class="sentence">{escape(sentence)}</p>'
        f'<p class="sub">{word("sub", n=n)}</p>'
        '<div class="work"><div class="figure" id="explore_curves"></div>'
        f'<div class="controls">{"".join(map(slider, START))}'
        f'<div class="chips" role="group" aria-label="{word("presets")}">{presets}</div></div>'
        f'<div class="below"><div class="chips" role="group" aria-label="{word("lines")}">{lines}</div>'
        f'<div class="notes" aria-live="polite"></div>{write_saves("explore_curves", language)}</div></div>'
        f'<details class="formulas"><summary>{word("formulas")}</summary><p class="text formulas-text"></p>'
        f'<div id="explore_formulas" tabindex="0" role="region" aria-label="{word("formulas")}"></div></details>'
        f'<h2>{word("published")}</h2><p class="text">{word("published_text")}</p>{_write_published(language)}'
        f'<p class="next"><a href="?page=score" data-page="score">{word("next")}</a></p></main>'
    )


def _write_story(language: str) -> str:
    """Write the first screen, with its sentence as it is before k is moved."""

    def word(name: str, **values: object) -> str:
        return escape(say(language, f"explore.{name}", **values))

    n, k = START["n"][2], START["k"][2]
    about = f'aria-label="{word("drawn")}" title="{word("drag")}"'
    number = f'<span class="number" tabindex="0" role="slider" {about}>{k}</span>'
    lead = escape(say_story(k, language, "\0")).replace("\0", number)
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
        f'<p class="asked" aria-live="polite"></p><label class="drawn">{word("drawn")} '
        f'<input type="range" name="draw" min="1" max="{n}" value="{k}"></label></div>'
        f'<p class="row">{word("row")}</p></div><div class="asks">{asks}</div></div>'
    )


def _write_votes(language: str) -> str:
    k = range(1, VOTES["wins"].n + 1)
    lines = [
        {
            "name": say(language, f"explore.vote_{name}"),
            "color": colour,
            "x": list(k),
            "y": count_votes(VOTES[name], tuple(k)).tolist(),
        }
        for name, colour in {"wins": "a", "loses": "b"}.items()
    ]
    figure = {
        "kind": "lines",
        "title": say(language, "explore.vote_figure"),
        "name": "at-k-vote",
        "height": 240,
        "x": {"title": say(language, "explore.x"), "min": 1, "max": k[-1]},
        "y": {"min": 0, "max": 1, "percent": True},
        "lines": lines,
    }
    return write_picture(figure, "explore_vote", language)


def _write_published(language: str) -> str:
    def word(name: str, **values: object) -> str:
        return escape(say(language, f"explore.{name}", **values))

    heads = [word("run"), word("run_size"), "avg@n", word("run_every", k=START["k"][2]), word("run_kept")]
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    rows = "".join(
        f'<tr><th scope="row"><a href="{escape(each.source)}" target="_blank" rel="noopener">'
        f"{word(f'run_{each.name}')}</a></th><td>{each.problems} × {each.samples}</td>"
        f"<td>{100 * each.average:.1f} %</td><td>{100 * each.every:.1f} %</td>"
        f'<td class="kept"><b>{100 * each.every / each.average:.0f} %</b>'
        f'<span style="width: {100 * each.average:.2f}%"><i style="width: {100 * each.every / each.average:.2f}%"></i>'
        "</span></td></tr>"
        for each in rank_published()
    )
    return f'<table class="published"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'

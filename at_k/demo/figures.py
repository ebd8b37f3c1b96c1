"""Figures as plain data, which `assets/figures.js` draws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from at_k.demo.words import say


def write_figure(figure: Mapping[str, Any], *, id: str = "") -> str:
    """Write a figure as the HTML that `assets/figures.js` draws.

    A figure is plain data. All have a `kind`, a `title` (it names the figure to those who cannot see it, and stands
    above a download), `data` (the name of the data, below the title of a download), `name` (of the file of a
    download) and, if the usual one does not fit, a `height` in pixels. An axis has, if need be, a `title`, `min`, `max`
    `log`, `percent`. A colour is one of "pass", "gpass", "gpass-low", "gpass-high", "pass-hat", "mgpass", "cons",
    "avg", "best", "a", "b" and "neutral".

    - "lines": `x` and `y`, axes, and `lines`, each `{"name", "words", "color", "x": [...], "y": [...]}`; optionally
      `low` and `high` (a band; of more than two bands, the one that a visitor chooses is shown), `dashed`, `hidden`,
      and `values: {"x", "y"}`, which are shown where one points in place of the points of the line. A `handle` is the k
      of a handle that can be moved: event "at-k:handle" with `{k}`.
    - "scatter": `x` and `y`, axes, and `points`, each `{"x", "y", "count", "name", "title"}`.
    - "squares": `rows`, each `{"name", "right", "n"}` or `{"name", "samples": "1101?"}`, and a `color`.

    A click on a point or a row is an event "at-k:problem" with its `{name}`.

    Examples:
        >>> write_figure({"kind": "squares", "title": "a < b", "rows": [{"name": "1", "samples": "10"}]})[:60]
        '<div class="figure" data-figure="{&quot;kind&quot;:&quot;squ'
    """
    text = json.dumps(figure, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    named = f' id="{escape(id)}"' if id else ""
    return f'<div class="figure"{named} data-figure="{escape(text)}"></div>'


def write_picture(figure: Mapping[str, Any], name: str, language: str) -> str:
    """Write a figure with the buttons that save it; `name` is its id."""
    return write_figure(figure, id=name) + write_saves(name, language)


def write_saves(name: str, language: str) -> str:
    """Write the buttons that save the figure with an id."""
    buttons = " ".join(
        f'<button type="button" class="act" data-save="{kind}" data-of="#{name}">'
        f"{say(language, f'score.save_{kind}')}</button>"
        for kind in ("svg", "png")
    )
    return f'<p class="saves">{buttons}</p>'


def write_fold(heading: str, text: str, language: str) -> str:
    """Write a text, such as code, that unfolds below a heading, which is the key of its words."""
    return f"<details><summary>{say(language, heading)}</summary><pre tabindex=0>{escape(text)}</pre></details>"

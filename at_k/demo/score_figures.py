"""Figures of a report as plain data, which the browser draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import floor
from typing import Any

from at_k.demo.tables import describe_line
from at_k.demo.words import say
from at_k.family import OUTPUTS, Style, find_style, leave_out_twins
from at_k.report import Curves
from at_k.values import Key

LOG_FROM = 64
"""Above this k, curves have a logarithmic axis."""

_SPARE = ("spare-1", "spare-2", "spare-3", "spare-4")
"""The colours of the style sheet that no metric has."""

_STYLES = [
    style for output in OUTPUTS.values() for style in (output.style, *(tau.style for tau in output.thresholds.values()))
]
COLOURS = tuple(dict.fromkeys([*_SPARE, *(style.colour for style in _STYLES if style and style.colour)]))


def describe_curves(curves: Curves, name: str, data: str, language: str) -> dict[str, Any]:
    """Describe every line against k and its band.

    Each line has the style that the registry says, or one that no other line of the figure has.

    Args:
        curves: the values.
        name: the file name of downloads, without its ending.
        data: the name of the data.
        language: the language of the visitor.
    """
    styles = {key: style for key in leave_out_twins(curves.lines) if (style := find_style(key))}
    looks = _choose_looks(styles)
    lines = []
    for key, style in styles.items():
        points = choose_points(curves, key)
        if not points:
            continue
        colour, dashed = looks[key]
        line: dict[str, Any] = {
            "name": str(key),
            "words": describe_line(key, language),
            "color": colour,
            "dashed": dashed,
            "hidden": style.waits,
        }
        lines.append(line | draw_line(curves, key, points))
    return {
        "kind": "lines",
        "title": say(language, "score.against_k"),
        "data": data,
        "name": name,
        "x": {"title": say(language, "score.k"), "log": curves.k[-1] > LOG_FROM, "min": 1, "max": curves.k[-1]},
        "y": {"title": "", "min": _find_floor(lines), "max": 1},
        "lines": lines,
    }


def draw_line(curves: Curves, key: Key, places: Sequence[int]) -> dict[str, Any]:
    """Return a line at some places of the k: its points and, if all of them have one, its band."""
    band = [curves.bands[key][i] for i in places] if key in curves.bands else []
    low, high = zip(*(limits for limits in band if limits), strict=True) if any(band) else ((), ())
    line = {"x": [curves.k[i] for i in places], "y": [curves.lines[key][i] for i in places]}
    return line | ({"low": list(low), "high": list(high)} if low and len(low) == len(places) else {})


def _choose_looks(styles: Mapping[Key, Style]) -> dict[Key, tuple[str, bool]]:
    """Choose the colour of each line, and whether it is dashed: as its style says, or in a way that is free."""
    looks = {key: (style.colour, key.metric[-1] != "k") for key, style in styles.items()}
    free = (look for look in product((False, True), COLOURS) if look[::-1] not in looks.values())
    return {key: look if look[0] else next(free)[::-1] for key, look in looks.items()}


def choose_points(curves: Curves, key: Key) -> list[int]:
    """Choose the places of the k at which a line is smooth.

    mG-Pass@k of an odd k has another scale than that of an even k, and G-Pass@k jumps where τk is no whole number.
    """
    known = [i for i, value in enumerate(curves.lines[key]) if value is not None]
    if OUTPUTS[key.metric].even_k:
        return [i for i in known if curves.k[i] % 2 == 0]
    if key.tau is None:
        return known
    whole = [i for i in known if curves.k[i] == 1 or abs(curves.k[i] * key.tau - round(curves.k[i] * key.tau)) < 1e-9]
    return whole if len(whole) > 2 else known


def _find_floor(lines: list[dict[str, Any]]) -> float:
    """Return where the axis of values begins: at 0, or not far below the lowest line that is drawn, and its band.

    Examples:
        >>> _find_floor([{"y": [0.9, 0.8], "hidden": False}]), _find_floor([{"y": [0.3], "hidden": False}])
        (0.7, 0.0)
    """
    lowest = min((min(line.get("low", line["y"])) for line in lines if not line["hidden"]), default=0.0)
    return floor(10 * lowest - 0.5) / 10 if lowest > 0.5 else 0.0

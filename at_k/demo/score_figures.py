"""Figures of a report as plain data, which the browser draws."""

from __future__ import annotations

from math import floor
from typing import Any

from at_k.demo.tables import describe_line
from at_k.demo.words import say
from at_k.report import Curves
from at_k.values import Key

LOG_FROM = 64
"""Above this k, curves have a logarithmic axis."""

_COLOURS = {
    "pass@k": "pass",
    "pass^k": "pass-hat",
    "mG-Pass@k": "mgpass",
    "cons@k": "cons",
    "avg@n": "avg",
    "best@k": "best",
}
_SPARE = ("a", "b", "neutral")
_TAUS = {1.0: "pass-hat", 0.75: "gpass-high", 0.5: "gpass", 0.25: "gpass-low"}
_SHOWN = (0.5, 1.0)


def describe_curves(curves: Curves, name: str, data: str, language: str) -> dict[str, Any]:
    """Describe every line against k and its band.

    pass@k, G-Pass@k at τ = ½ and τ = 1, the vote and the choice are drawn; the others wait until they are asked for.

    Args:
        curves: the values.
        name: the file name of downloads, without its ending.
        data: the name of the data.
        language: the language of the visitor.
    """
    spare = iter(_SPARE)
    lines = []
    keys = list(curves.lines)
    if Key("G-Pass@k", None, 1.0) in keys:
        keys = [key for key in keys if key.metric != "pass^k"]
    for key in keys:
        colour, hidden = _COLOURS.get(key.metric), key.metric in ("mG-Pass@k", "avg@n")
        if key.metric == "G-Pass@k":
            tau = float(key.tau or 0)
            colour = _TAUS.get(tau) or next(spare, "neutral")
            hidden = tau not in _SHOWN
        points = choose_points(curves, key)
        if not points:
            continue
        line: dict[str, Any] = {
            "name": str(key),
            "words": describe_line(key, language),
            "color": colour or next(spare, "neutral"),
            "x": [curves.k[i] for i in points],
            "y": [curves.lines[key][i] for i in points],
            "dashed": key.metric == "avg@n",
            "hidden": hidden,
        }
        band = [curves.bands[key][i] for i in points] if key in curves.bands else []
        if band and all(each is not None for each in band):
            line |= {"low": [each[0] for each in band if each], "high": [each[1] for each in band if each]}
        lines.append(line)
    return {
        "kind": "lines",
        "title": say(language, "score.against_k"),
        "data": data,
        "name": name,
        "x": {"title": say(language, "score.k"), "log": curves.k[-1] > LOG_FROM, "min": 1, "max": curves.k[-1]},
        "y": {"title": "", "min": _find_floor(lines), "max": 1},
        "lines": lines,
    }


def choose_points(curves: Curves, key: Key) -> list[int]:
    """Choose the places of the k at which a line is smooth.

    mG-Pass@k of an odd k has another scale than that of an even k, and G-Pass@k jumps where τk is no whole number.
    """
    known = [i for i, value in enumerate(curves.lines[key]) if value is not None]
    if key.metric == "mG-Pass@k":
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

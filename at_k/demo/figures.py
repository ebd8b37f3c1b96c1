"""Figures, from numbers to the JSON form of Plotly's figures, as plain dicts.

Plotly's own classes check every value every time, and a slider would drag: a test has them check the figures instead.
Colours are of middle lightness, so that they read on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.demo.curves import AVERAGE, EVERY, MAP_TAUS, MEAN, PASS
from at_k.report import Curves
from at_k.values import Key

Figure = dict[str, Any]

ACCENT = "#6366f1"
VOTE = "#d97706"
QUIET = "#6b7280"

_FAMILY = ("#0284c7", "#3b82f6", ACCENT, "#8b5cf6", "#a855f7", "#c026d3")
"""Colours from pass@k over G-Pass@k with rising τ to pass^k: from blue to purple."""

_DEMANDS = {"pass@k": 0.0, "pass^k": 1.0}
"""The share of the draws that must be correct for a metric; G-Pass@k has it as τ."""

_STROKES: dict[str, dict[str, object]] = {
    "mG-Pass@k": {"color": ACCENT, "width": 1.75, "dash": "dash"},
    "cons@k": {"color": VOTE, "width": 2.5, "dash": "solid"},
    "best@k": {"color": VOTE, "width": 2.5, "dash": "dashdot"},
}
"""The lines of metrics without such a share; all others are grey and dotted."""

_ZONES = ("#9ca3af", "#a5b4fc", ACCENT)
"""Colours of problems that are never, sometimes and always right."""

_MAP = [[0, "rgba(99,102,241,0.04)"], [1, "#4338ca"]]

_GRID = {"gridcolor": "rgba(107,114,128,0.18)", "zeroline": False, "fixedrange": True, "automargin": False}


def draw_against_k(curves: Curves, *, log: bool = False, zoom: bool = False) -> Figure:
    """Draw every line against k, exact values on hover. With `zoom` the axis of values ends where the lines end."""
    demands = {key: demand for key in curves.lines if (demand := _find_demand(key)) is not None}
    family = dict(zip(sorted(demands, key=demands.__getitem__), _spread_colours(len(demands)), strict=True))
    traces = []
    for key, line in curves.lines.items():
        # mG-Pass@k of an odd k has another scale than that of an even k: a line through both would mislead.
        points = [i for i, k in enumerate(curves.k) if k % 2 == 0 or key.metric != MEAN.metric]
        traces.append(
            _line(
                key,
                [curves.k[i] for i in points],
                [line[i] for i in points],
                _choose_stroke(key, family),
                mode="lines+markers" if len(curves.k) <= 8 else "lines",
            )
        )
    figure = _figure(traces, height=400, hovermode="x unified", legend=_legend(-0.16))
    _axis_of_k(figure, curves.k, log)
    if zoom:
        _zoom(figure)
    return figure


def draw_band(curves: Curves, average: float, *, log: bool) -> Figure:
    """Draw pass@k and pass^k of one model, the band between them, and its average."""
    k, lines = curves.k, curves.lines
    band = {"fill": "tonexty", "fillcolor": "rgba(99,102,241,0.12)"}
    traces = [
        _line(EVERY, k, lines[EVERY], {"color": _FAMILY[-1], "width": 2.5}),
        _line(PASS, k, lines[PASS], {"color": _FAMILY[0], "width": 2.5}, **band),
        _line(AVERAGE, k, [average] * len(k), {"color": QUIET, "width": 1.5, "dash": "dot"}),
    ]
    figure = _figure(traces, height=260, hovermode="x unified", legend=_legend(-0.28))
    _axis_of_k(figure, k, log)
    return figure


def draw_map(k: Sequence[int], rows: Sequence[Sequence[float]], *, log: bool = False) -> Figure:
    """Draw G-Pass@k over k and τ."""
    heat = {
        "type": "heatmap",
        "x": list(k),
        "y": list(MAP_TAUS),
        "z": [list(row) for row in rows],
        "zmin": 0,
        "zmax": 1,
        "colorscale": _MAP,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickformat": ".1f"},
        "hovertemplate": "G-Pass@%{x}, τ = %{y}: %{z:.12~g}<extra></extra>",
    }
    figure = _figure([heat], height=360)
    _axis_of_k(figure, k, log)
    figure["layout"]["xaxis"]["showgrid"] = False
    figure["layout"]["yaxis"] |= {
        "title": {"text": "τ", "standoff": 4},
        "range": [-0.025, 1.025],
        "showgrid": False,
    }
    return figure


def draw_problems(problems: Sequence[str], n: Sequence[int], c: Sequence[int], names: tuple[str, str, str]) -> Figure:
    """Draw the share c/n of each problem, rising. `names` are the words for never, sometimes and always right."""
    shares = [right / size for right, size in zip(c, n, strict=True)]
    order = sorted(range(len(problems)), key=lambda i: (shares[i], i))
    never, always = shares.count(0.0), shares.count(1.0)
    bars: list[dict[str, Any]] = []
    start = 0
    for name, size, colour in zip(names, (never, len(order) - never - always, always), _ZONES, strict=True):
        zone = order[start : start + size]
        bars.append(
            {
                "type": "bar",
                "x": list(range(start, start + size)),
                "y": [shares[i] for i in zone],
                "name": f"{name} {size}",
                "marker": {"color": colour, "line": {"width": 0}},
                "customdata": [[escape_label(problems[i]), c[i], n[i]] for i in zone],
                "hovertemplate": "%{customdata[0]}: %{customdata[1]} / %{customdata[2]}<extra></extra>",
            }
        )
        start += size
    legend = _legend(-0.06) | {"itemclick": False, "itemdoubleclick": False}
    figure = _figure(bars, height=280, bargap=0 if len(order) > 60 else 0.15, showlegend=True, legend=legend)
    layout = figure["layout"]
    layout["xaxis"] |= {"showticklabels": False, "showgrid": False, "range": [-0.5, len(order) - 0.5]}
    layout["yaxis"] |= {"title": {"text": "c / n"}, "range": [0, 1.03], "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    if never:
        # Bars of problems that are never right have no height: a grey ground shows them.
        ground = {"type": "rect", "x0": -0.5, "x1": never - 0.5, "y0": 0, "y1": 1, "layer": "below"}
        layout["shapes"] = [ground | {"fillcolor": "rgba(107,114,128,0.18)", "line": {"width": 0}}]
    return figure


def escape_label(name: str) -> str:
    """Shorten a name and escape the HTML that Plotly would read in it.

    Examples:
        >>> escape_label("<b>x</b> & y")
        '&lt;b&gt;x&lt;/b&gt; &amp; y'
    """
    short = name if len(name) <= 60 else name[:59] + "…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _figure(traces: list[dict[str, Any]], height: int, **layout: Any) -> Figure:
    common = {
        "height": height,
        "margin": {"l": 56, "r": 12, "t": 12, "b": 44},
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": QUIET},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "dragmode": False,
        "xaxis": dict(_GRID),
        "yaxis": dict(_GRID),
    }
    return {"data": traces, "layout": common | layout}


def _line(
    name: str, k: Sequence[int], values: Sequence[float | None], stroke: dict[str, object], **more: object
) -> dict[str, Any]:
    common = {"type": "scatter", "mode": "lines", "hovertemplate": "%{y:.12~g}"}
    return common | {"x": list(k), "y": list(values), "name": name, "line": stroke, **more}


def _legend(y: float) -> dict[str, object]:
    return {"orientation": "h", "y": y, "yanchor": "top"}


def _axis_of_k(figure: Figure, k: Sequence[int], log: bool) -> None:
    axis = figure["layout"]["xaxis"]
    axis["title"] = {"text": "k", "standoff": 6}
    if log:
        axis |= {"type": "log", "tickvals": [2**power for power in range(12) if 2**power <= k[-1]]}
    elif k[-1] <= 12:
        axis["dtick"] = 1
    figure["layout"]["yaxis"] |= {"range": [-0.03, 1.03], "tickvals": [0, 0.25, 0.5, 0.75, 1]}


def _zoom(figure: Figure) -> None:
    lines = [trace["y"] for trace in figure["data"] if trace["name"] != MEAN]
    values = [value for line in lines for value in line if value is not None]
    if values:
        low, high = min(values), max(values)
        room = 0.08 * max(high - low, 0.05)
        axis = figure["layout"]["yaxis"]
        del axis["tickvals"]
        axis["range"] = [max(low - room, -0.03), min(high + room, 1.03)]


def _find_demand(key: Key) -> float | None:
    """Return the share of the draws that must be correct for a key; None if it asks for no share."""
    return _DEMANDS.get(key.metric) if key.tau is None else float(key.tau)


def _spread_colours(count: int) -> list[str]:
    """Choose so many colours of the family, both ends among them."""
    return [_FAMILY[round(i * (len(_FAMILY) - 1) / max(count - 1, 1))] for i in range(count)]


def _choose_stroke(key: Key, family: Mapping[Key, str]) -> dict[str, object]:
    if key in family:
        return {"color": family[key], "width": 2.5 if _find_demand(key) in (0, 1) else 1.75}
    return _STROKES.get(key.metric, {"color": QUIET, "width": 1.5, "dash": "dot"})

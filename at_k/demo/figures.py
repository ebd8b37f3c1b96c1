"""Figures, from numbers to the JSON form of Plotly's figures, as plain dicts.

Plotly's own classes check every value every time, and a slider would drag: a test has them check the figures instead.
Colours are of middle lightness, so that they read on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from at_k.demo.curves import MAP_TAUS, Curves
from at_k.demo.problems import Problems

Figure = dict[str, Any]

ACCENT = "#6366f1"
VOTE = "#d97706"
QUIET = "#6b7280"

_FAMILY = ("#0284c7", "#3b82f6", ACCENT, "#8b5cf6", "#a855f7", "#c026d3")
"""From pass@k over G-Pass@k with rising τ to pass^k: one family, from blue to purple."""

_ZONES = ("#9ca3af", "#a5b4fc", ACCENT)
"""Never, sometimes, always right."""

_MAP = [[0, "rgba(99,102,241,0.04)"], [1, "#4338ca"]]

_GRID = {"gridcolor": "rgba(107,114,128,0.18)", "zeroline": False, "fixedrange": True, "automargin": False}


def against_k(curves: Curves, *, log: bool = False, zoom: bool = False) -> Figure:
    """Every line against k, exact values on hover. With `zoom` the axis of values holds no more than the lines need."""
    keys = sorted((key for key in curves.lines if key.startswith(("pass", "G-Pass"))), key=_demand)
    family = dict(zip(keys, _spread(len(keys)), strict=True))
    traces = []
    for key, line in curves.lines.items():
        # mG-Pass@k of an odd k has another scale, and is not to be compared with that of an even one.
        points = [i for i, k in enumerate(curves.k) if k % 2 == 0 or not key.startswith("mG")]
        traces.append(
            _line(
                key,
                [curves.k[i] for i in points],
                [line[i] for i in points],
                _stroke(key, family),
                mode="lines+markers" if len(curves.k) <= 8 else "lines",
            )
        )
    figure = _figure(traces, height=400, hovermode="x unified", legend=_legend(-0.16))
    _axis_of_k(figure, curves.k, log)
    if zoom:
        _zoom(figure)
    return figure


def two_lines(k: Sequence[int], lines: Mapping[str, Sequence[float | None]], average: float, *, log: bool) -> Figure:
    """pass@k and pass^k of one model, the band between them, and its average."""
    band = {"fill": "tonexty", "fillcolor": "rgba(99,102,241,0.12)"}
    traces = [
        _line("pass^k", k, lines["pass^k"], {"color": _FAMILY[-1], "width": 2.5}),
        _line("pass@k", k, lines["pass@k"], {"color": _FAMILY[0], "width": 2.5}, **band),
        _line("avg@n", k, [average] * len(k), {"color": QUIET, "width": 1.5, "dash": "dot"}),
    ]
    figure = _figure(traces, height=260, hovermode="x unified", legend=_legend(-0.28))
    _axis_of_k(figure, k, log)
    return figure


def tau_map(k: Sequence[int], rows: Sequence[Sequence[float]], *, log: bool = False) -> Figure:
    """G-Pass@k over k and τ."""
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


def stability(problems: Problems, names: tuple[str, str, str]) -> Figure:
    """Each problem's share c/n, rising: never right, sometimes, always. `names` are the words for these three."""
    order = sorted(range(len(problems)), key=lambda i: (problems.share[i], i))
    never, always = problems.share.count(0.0), problems.share.count(1.0)
    bars: list[dict[str, Any]] = []
    start = 0
    for name, size, colour in zip(names, (never, len(order) - never - always, always), _ZONES, strict=True):
        zone = order[start : start + size]
        bars.append(
            {
                "type": "bar",
                "x": list(range(start, start + size)),
                "y": [problems.share[i] for i in zone],
                "name": f"{name} {size}",
                "marker": {"color": colour, "line": {"width": 0}},
                "customdata": [[label(problems.names[i]), problems.c[i], problems.n[i]] for i in zone],
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
        # Their bars have no height: a ground says that they are there.
        ground = {"type": "rect", "x0": -0.5, "x1": never - 0.5, "y0": 0, "y1": 1, "layer": "below"}
        layout["shapes"] = [ground | {"fillcolor": "rgba(107,114,128,0.18)", "line": {"width": 0}}]
    return figure


def label(name: str) -> str:
    """A name as text. Plotly reads some HTML in labels, and nothing else.

    Examples:
        >>> label("<b>x</b> & y")
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
    lines = [trace["y"] for trace in figure["data"] if not trace["name"].startswith("mG")]
    values = [value for line in lines for value in line if value is not None]
    if values:
        low, high = min(values), max(values)
        room = 0.08 * max(high - low, 0.05)
        axis = figure["layout"]["yaxis"]
        del axis["tickvals"]
        axis["range"] = [max(low - room, -0.03), min(high + room, 1.03)]


def _demand(key: str) -> float:
    """The share of the draws that a key asks for."""
    return {"pass@k": 0.0, "pass^k": 1.0}.get(key) or float(key.partition("_")[2] or 0)


def _spread(count: int) -> list[str]:
    """So many colours of the family, its ends among them."""
    return [_FAMILY[round(i * (len(_FAMILY) - 1) / max(count - 1, 1))] for i in range(count)]


def _stroke(key: str, family: Mapping[str, str]) -> dict[str, object]:
    if key in family:
        return {"color": family[key], "width": 2.5 if _demand(key) in (0, 1) else 1.75}
    if key.startswith("mG-Pass"):
        return {"color": ACCENT, "width": 1.75, "dash": "dash"}
    if key.startswith(("cons", "best")):
        return {"color": VOTE, "width": 2.5, "dash": "solid" if key.startswith("cons") else "dashdot"}
    return {"color": QUIET, "width": 1.5, "dash": "dot"}

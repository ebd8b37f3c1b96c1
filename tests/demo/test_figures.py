"""Plotly takes every figure, the points are those of the numbers, and a name is text whatever is in it."""

import json
import re

import plotly.graph_objects as go
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from at_k.demo.curves import MAP_TAUS, TAUS, Setting, draw_curves, draw_steady, map_taus
from at_k.demo.figures import draw_against_k, draw_band, draw_map, draw_problems, escape_label
from at_k.demo.plots import make_plot
from at_k.report import Curves, spread_k
from at_k.values import Key

SETTINGS = [
    Setting(1, 0),
    Setting(1, 1),
    Setting(2, 1, 1),
    Setting(7, 3, 2),
    Setting(64, 20),
    Setting(65, 65),
    Setting(256, 100, 156),
]
WORDS = ("never", "sometimes", "always")

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>",
    "link": '<a href="javascript:alert(1)">x</a>',
    "bold": "<b>x</b><br><i>",
    "extra": "<extra>x</extra>",
    "template": "%{x} %{customdata[1]} %{y:.2f}",
    "latex": r"$\frac{1}{2}$ $$x$$",
    "entities": "&lt;b&gt; &amp; &#60; &#x3c; &nbsp; &constructor;",
    "half an entity": "&lt",
    "replacement": "$& $1 $` \\1",
    "lines": "a\nb\r\nc\rd\te",
    "quotes": "'\"`",
    "characters": "题目 😀 \0 \u202e \ufffe",
    "braces": "{{name}} ${x} {0}",
}


def checked(figure):
    """A figure that Plotly's own classes and JSON take as it is."""
    taken = go.Figure(figure).to_plotly_json()
    del taken["layout"]["template"]  # the only thing that Plotly adds
    assert taken == figure
    json.dumps(figure, allow_nan=False).encode()
    return figure


def lines(figure):
    return {trace["name"]: list(zip(trace["x"], trace["y"], strict=True)) for trace in figure["data"]}


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("zoom", [False, True])
@pytest.mark.parametrize("taus", [(), TAUS, (0.0, 1.0, 0.07)])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_lines_against_k(setting, taus, log, zoom):
    found = draw_curves(setting, taus)
    drawn = lines(checked(draw_against_k(found, log=log, zoom=zoom)))
    assert list(drawn) == list(found.lines)
    low, high = draw_against_k(found, log=log, zoom=zoom)["layout"]["yaxis"]["range"]
    for key, line in found.lines.items():
        assert key == "mG-Pass@k" or low < min(line) <= max(line) < high
        points = list(zip(found.k, line, strict=True))
        assert drawn[key] == ([point for point in points if point[0] % 2 == 0] if key == "mG-Pass@k" else points)


def test_lines_of_a_data_set():
    found = Curves(
        (1, 2, 4),
        {
            Key("G-Pass@k", None, 0.5): (0.6, 0.65, 0.7),
            Key("mG-Pass@k"): (0.0, 0.1, 0.2),
            Key("pass@k"): (0.6, 0.7, 0.8),
            Key("cons@k"): (0.6, None, None),
            Key("avg@n"): (0.6, 0.6, 0.6),
            Key("best@k"): (0.6, 0.61, 0.62),
        },
    )
    figure = checked(draw_against_k(found, zoom=True))
    assert lines(figure)["cons@k"] == [(1, 0.6), (2, None), (4, None)]
    low, high = figure["layout"]["yaxis"]["range"]
    assert 0.5 < low < 0.6  # mG-Pass@k has another scale
    assert 0.8 < high < 0.9
    assert len({json.dumps(trace["line"]) for trace in figure["data"]}) == len(found.lines)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_a_flat_line_is_seen(value):
    low, high = draw_against_k(Curves((1,), {Key("avg@n"): (value,)}), zoom=True)["layout"]["yaxis"]["range"]
    assert low < value < high


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_two_models(setting, log):
    k, average = spread_k(setting.n), setting.c / setting.n
    for model in (draw_curves(setting), draw_steady(setting, k)):
        drawn = lines(checked(draw_band(model, average, log=log)))
        for key in ("pass@k", "pass^k"):
            assert drawn[key] == list(zip(k, model.lines[key], strict=True))
        assert drawn["avg@n"] == [(each, average) for each in k]


def test_the_band_is_between_the_two():
    traces = draw_band(Curves((1, 2), {Key("pass@k"): (0.5, 0.8), Key("pass^k"): (0.5, 0.2)}), 0.5, log=False)["data"]
    (filled,) = [i for i, trace in enumerate(traces) if trace.get("fill") == "tonexty"]
    assert {traces[filled - 1]["name"], traces[filled]["name"]} == {"pass@k", "pass^k"}


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_map(setting, log):
    k, rows = map_taus(setting)
    (heat,) = checked(draw_map(k, rows, log=log))["data"]
    assert (heat["x"], heat["y"], heat["z"]) == (list(k), list(MAP_TAUS), [list(row) for row in rows])


def bars(figure):
    return [bar for trace in figure["data"] for bar in zip(trace["x"], trace["y"], trace["customdata"], strict=True)]


class TestStability:
    def test_problems_rise(self):
        figure = checked(draw_problems(["a", "b", "c", "d", "e"], [4, 4, 2, 3, 4], [4, 0, 1, 3, 1], WORDS))
        assert bars(figure) == [
            (0, 0.0, ["b", 0, 4]),
            (1, 0.25, ["e", 1, 4]),
            (2, 0.5, ["c", 1, 2]),
            (3, 1.0, ["a", 4, 4]),
            (4, 1.0, ["d", 3, 3]),
        ]
        assert [trace["name"] for trace in figure["data"]] == ["never 1", "sometimes 2", "always 2"]
        (ground,) = figure["layout"]["shapes"]
        assert (ground["x0"], ground["x1"]) == (-0.5, 0.5)

    @pytest.mark.parametrize(("c", "sizes"), [(0, [2, 0, 0]), (1, [0, 2, 0]), (3, [0, 0, 2])])
    def test_zones_may_be_empty(self, c, sizes):
        figure = checked(draw_problems(["a", "b"], [3, 3], [c, c], WORDS))
        assert [len(trace["x"]) for trace in figure["data"]] == sizes
        assert ("shapes" in figure["layout"]) == (c == 0)

    def test_many_problems_stay_small(self):
        count = 5000
        names = [f"problem-{i:05}/test.jsonl" for i in range(count)]
        figure = checked(draw_problems(names, [8] * count, [i % 9 for i in range(count)], WORDS))
        assert len(bars(figure)) == count
        assert len(json.dumps(figure)) < 400_000
        names = ["&" * 900 + str(i) for i in range(count)]
        figure = draw_problems(names, [8] * count, [i % 9 for i in range(count)], WORDS)
        assert len(json.dumps(figure)) < 2_000_000


def hovered(trace, i):
    """What plotly.js 3.3 shows of a point: its template, filled in once, as text without tags; and what tags there are.

    After hovertemplateString in lib/index.js and buildSVGText in lib/svg_text_utils.js. It sets $…$ as LaTeX only if
    there is a global MathJax.
    """
    known = {f"customdata[{place}]": value for place, value in enumerate(trace["customdata"][i])}
    filled = re.sub(r"%\{([^\s%{}:]*)([:|][^}]*)?\}", lambda match: str(known[match[1]]), trace["hovertemplate"])
    filled = re.sub(r"<extra>([\s\S]*)</extra>", "", filled, count=1)
    parts = re.split(r"(<[^<>]*>)", re.sub(r"\r\n?|\n", " ", filled))
    entities = {"mu": "μ", "amp": "&", "lt": "<", "gt": ">", "nbsp": "\xa0", "times": "×", "plusmn": "±", "deg": "°"}
    text = re.sub(r"&(#\d+|#x[\da-fA-F]+|[a-z]+);", lambda match: entities[match[1]], "".join(parts[::2]))
    return text, parts[1::2]


def one_problem(name):
    figure = checked(draw_problems([name], [2], [1], WORDS))
    (trace,) = [trace for trace in figure["data"] if trace["x"]]
    return trace


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_are_shown_as_text(name):
    assert hovered(one_problem(name), 0) == (re.sub(r"\r\n?|\n", " ", name) + ": 1 / 2", [])


@given(st.text(max_size=60) | st.text("<>&;%{}$lgtamp#x3/b\n", max_size=60))
@example("&" * 60)
def test_any_name_is_shown_as_text(name):
    text, tags = hovered({"customdata": [[escape_label(name), 1, 2]], "hovertemplate": "%{customdata[0]}"}, 0)
    assert tags == []
    assert text == re.sub(r"\r\n?|\n", " ", name)


def test_long_names_are_cut():
    assert hovered(one_problem("<" * 10_000), 0) == ("<" * 59 + "…: 1 / 2", [])
    assert escape_label("x" * 60) == "x" * 60


def test_only_names_are_given_by_visitors():
    trace = one_problem("hostile")
    assert "hostile" not in json.dumps(trace | {"customdata": None})
    assert trace["hovertemplate"].count("%{") == len(trace["customdata"][0])


def test_a_figure_goes_to_the_browser_whole():
    figure = draw_against_k(draw_curves(Setting(4, 2)))
    sent = make_plot(figure, "a-name")
    plot = json.loads(sent.plot)
    config = plot.pop("config")
    assert (sent.type, plot) == ("plotly", figure)
    assert config["toImageButtonOptions"]["filename"] == "a-name"
    assert "config" not in figure

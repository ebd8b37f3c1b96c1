"""Figures, read back from what Matplotlib holds, and the files that they become."""

import sys
from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, strategies as st
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from oracles import hypergeometric, needed, tail
from reports import RAGGED, full_report

import at_k
from at_k import plots
from at_k.family import find_style, leave_out_twins

SMALL = {"grades": [[1]]}
CONFIDENT = {"grades": [[1, 0, 1, 1], [0, 0, 1, 0]], "scores": [[0.9, 0.1, 0.9, 0.9], [0.1, 0.1, 0.1, 0.1]]}
GRADES = {"grades": [[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]]}
LONG = {"grades": [[1, 0] * 40, [1, 1, 0, 0] * 20]}
DATA = {"full": full_report, "ragged": lambda: at_k.score(RAGGED), "one sample": lambda: at_k.score(SMALL),
        "grades": lambda: at_k.score(GRADES), "long": lambda: at_k.score(LONG)}  # fmt: skip
KINDS = {"curves": plots.draw_curves, "map": plots.draw_map, "problems": plots.draw_problems}

every_report = for_each("make", DATA.values(), ids=DATA)
every_kind = for_each("draw", KINDS.values(), ids=KINDS)


def texts(figure):
    return [text for text in figure.findobj(lambda artist: hasattr(artist, "get_text")) if text.get_text()]


@every_report
@every_kind
def test_what_every_figure_has(make, draw):
    figure = draw(make())
    axes = figure.axes[0]
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert "problem" in axes.get_title(loc="left")
    assert min(text.get_fontsize() for text in texts(figure)) >= 8
    assert 5 <= figure.get_figwidth() <= 6.75  # inches: the text of a page
    assert draw(make(), title="").axes[0].get_title(loc="left") == ""


@every_report
@every_kind
def test_no_text_is_cut_off(make, draw):
    figure = draw(make())
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    for text in texts(figure):
        if (text.get_visible() and text.axes is not None) or text.get_text() in ("G-Pass@k",):
            box = Text.get_window_extent(text)
            assert box.x0 >= 0, text
            assert box.x1 <= width, text
            assert box.y0 >= 0, text
            assert box.y1 <= height, text


@every_report
def test_curves_are_those_of_the_report(make):
    report = make()
    axes = plots.draw_curves(report).axes[0]
    lines = {line.get_label(): line for line in axes.get_lines()}
    for key in leave_out_twins(report.curves.lines):
        values = report.curves.lines[key]
        expected = {
            k: value
            for k, value in zip(report.curves.k, values, strict=True)
            if value is not None and not (key == "mG-Pass@k" and k % 2)
        }
        if expected:
            line = lines.pop(str(key))
            assert dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) == expected
        low, high = axes.get_ylim()
        assert all(low < value < high for value in expected.values())
    assert lines == {}


@every_report
def test_bands_are_the_intervals_of_the_report(make):
    report = make()
    axes = plots.draw_curves(report, bands=list(map(str, report.curves.lines))).axes[0]
    bands = [band.get_paths()[0].vertices for band in axes.collections]
    lines = axes.get_lines()
    assert len(bands) == (len(lines) if report.curves.bands else 0)
    for line, vertices in zip(lines, bands, strict=bool(bands)):
        key = next(key for key in report.curves.lines if str(key) == line.get_label())
        for k in line.get_xdata():
            low, high = report.curves.bands[key][report.curves.k.index(k)]
            own = vertices[vertices[:, 0] == k, 1]
            assert {min(own), max(own)} == {low, high}
            assert axes.get_ylim()[0] < low <= high < axes.get_ylim()[1]
        last = report.intervals.get(type(key)(key.metric, int(line.get_xdata()[-1]), key.tau))
        if last is not None and report.curves.equal_n:  # the same as in the table
            assert (last.low, last.high) == pytest.approx(report.curves.bands[key][-1], abs=1e-12)


def test_of_many_lines_the_outer_ones_have_bands():
    report = full_report()
    axes = plots.draw_curves(report).axes[0]
    colours = {line.get_label(): to_rgb(line.get_color()) for line in axes.get_lines()}
    assert len(colours) >= 8
    shaded = [tuple(band.get_facecolor()[0][:3]) for band in axes.collections]
    assert sorted(shaded) == sorted([colours["pass@k"], colours["G-Pass@k_1.0"]])
    assert not plots.draw_curves(report, bands=()).axes[0].collections


def test_a_report_without_intervals_has_no_bands():
    assert not plots.draw_curves(at_k.score(GRADES, confidence_level=None)).axes[0].collections


@every_report
def test_every_line_is_named_at_its_end_and_names_do_not_overlap(make):
    figure = plots.draw_curves(make())
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert sorted(text.get_text() for text in axes.texts) == sorted(line.get_label() for line in axes.get_lines())
    boxes = sorted((Text.get_window_extent(text) for text in axes.texts), key=lambda box: box.y0)
    right = axes.get_window_extent().x1
    assert all(box.x0 > right for box in boxes)
    # The boxes of two lines of text have a margin of a quarter of a line.
    assert all(below.y0 + 0.7 * below.height <= above.y0 for below, above in pairwise(boxes))


MODELS = {"a": GRADES, "b-with-a-name-that-is-very-long-indeed": LONG, "c": CONFIDENT}


class TestSeveralModels:
    def test_there_is_a_line_for_each_model(self):
        models = at_k.score_models(MODELS)
        axes = plots.draw_models(models, line="pass@k").axes[0]
        for (name, report), line in zip(models.reports.items(), axes.get_lines(), strict=True):
            assert line.get_label() == name
            assert line.get_xdata().tolist() == list(report.curves.k)
            assert line.get_ydata().tolist() == list(report.curves.lines["pass@k"])
        assert len(axes.collections) == 3
        assert len({line.get_marker() for line in axes.get_lines()}) == 3
        assert axes.get_ylabel().startswith("pass@k")

    def test_four_models_have_no_bands(self):
        assert len(plots.draw_models(at_k.score_models({**MODELS, "d": GRADES})).axes[0].collections) == 0

    def test_thresholds_have_lines_and_other_names_list_them(self):
        models = at_k.score_models(MODELS)
        assert "G-Pass@k_0.5" in plots.draw_models(models, line="G-Pass@k_0.5").axes[0].get_ylabel()
        with pytest.raises(at_k.InputError, match=r"no line best@k in common\. There are: .*pass@k"):
            plots.draw_models(models, line="best@k")

    def test_names_are_not_cut_off(self):
        figure = plots.draw_models(at_k.score_models(MODELS))
        figure.draw_without_rendering()
        width = figure.get_size_inches()[0] * figure.dpi
        assert all(Text.get_window_extent(text).x1 <= width for text in figure.axes[0].texts)


def test_lines_differ_without_colour():
    lines = plots.draw_curves(full_report()).axes[0].get_lines()
    looks = [(line.get_marker(), line._dash_pattern, line.get_linewidth()) for line in lines]
    assert len(lines) == sum(bool(find_style(line)) for line in leave_out_twins(full_report().curves.lines))
    assert len(set(map(repr, looks))) == len(lines)


def test_the_map_shows_g_pass():
    axes = plots.draw_map(at_k.score(GRADES)).axes[0]
    values = np.asarray(axes.collections[0].get_array()).reshape(21, 4)
    right = [3, 1, 4, 0]
    for row, tau in enumerate(np.linspace(0, 1, 21).round(2)):
        for k in range(1, 5):
            expected = fmean(float(tail(hypergeometric(4, c, k), needed(float(tau), k))) for c in right)
            assert values[row, k - 1] == pytest.approx(expected)
    written = {text.get_text() for text in axes.texts}
    assert f"{1 - 1 / 4 - 0:.2f}" in written  # pass@4: one problem of four has no correct sample
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "3", "4"]


def test_the_map_of_many_k_has_powers_of_two():
    axes = plots.draw_map(at_k.score(LONG)).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "4", "8", "16", "32", "64", "80"]


class TestReliability:
    def test_points_are_the_bins_and_intervals_hold_them(self):
        axes = plots.draw_reliability(at_k.score(CONFIDENT)).axes[0]
        line = axes.get_lines()[-1]
        assert line.get_xdata() == pytest.approx([0.1, 0.9])
        assert line.get_ydata() == pytest.approx([0.2, 1])  # one of five, and all of three
        assert line.get_label() == "scores: ECE 0.100"
        for (x, low), (_, high) in (each.tolist() for each in axes.collections[0].get_segments()):
            share = 0.2 if x < 0.5 else 1
            assert 0 <= low <= share <= high <= 1
            assert high - low > 0.2

    def test_votes_and_scores_are_told_apart(self):
        data = {"answers": [["a", "a", "b", "a"]] * 3, "references": ["a"] * 3, "scores": [[0.5] * 4] * 3}
        lines = plots.draw_reliability(at_k.score(data)).axes[0].get_lines()
        assert [line.get_label().split(":")[0] for line in lines] == ["calibrated", "share of the vote", "scores"]

    def test_without_a_confidence(self):
        with pytest.raises(ValueError, match="no confidence to draw") as caught:
            plots.draw_reliability(at_k.score(GRADES))
        assert caught.value.code == "plots.no_confidence"


def test_problems_are_sorted_and_counted():
    axes = plots.draw_problems(at_k.score(GRADES)).axes[0]
    assert axes.patches[0].get_data().values.tolist() == [1, 0.75, 0.25, 0]
    assert "1 always correct, 2 sometimes, 1 never" in axes.get_xlabel()
    assert axes.texts[0].get_text() == "mean\n0.5000"


@every_kind
def test_without_matplotlib(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "at-k\[plot\]"'):
        draw(at_k.score(GRADES))


@for_each("draw", KINDS.values(), ids=KINDS)
def test_the_settings_of_others_stay(draw):
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw(at_k.score(GRADES))
    assert dict(matplotlib.rcParams) == before


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_names_are_moved_apart_and_no_further(wanted):
    wanted, gap = sorted(wanted), 0.05
    places = plots.spread_places(wanted, gap, 0, 1)
    assert all(above - below >= gap - 1e-9 for below, above in pairwise(places))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    if all(above - below >= gap for below, above in pairwise(wanted)):
        assert places == pytest.approx(wanted)

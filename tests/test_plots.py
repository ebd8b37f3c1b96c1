"""Figures, read back from what Matplotlib holds, and the files that they become."""

import os
import sys
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib
import pytest
from cases import for_each, refuses
from hypothesis import given, strategies as st
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from PIL import Image
from reports import RAGGED, full_report

import at_k
from at_k import plots
from at_k.analysis.budgets import solve_by_budget
from at_k.family import find_style, leave_out_twins

SMALL = {"grades": [[1]]}
GRADES = {"grades": [[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]]}
LONG = {"grades": [[1, 0] * 40, [1, 1, 0, 0] * 20]}
DATA = {
    "full": full_report(),
    **{name: at_k.score(data) for name, data in
       (("ragged", RAGGED), ("one sample", SMALL), ("grades", GRADES), ("long", LONG))},
}  # fmt: skip

every_report = for_each("report", DATA.values(), ids=DATA)


def texts(figure):
    return [
        text
        for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))
        if text.get_text()
    ]


@every_report
def test_every_figure_has_labels_and_legible_text_that_is_not_cut_off(report):
    figure = plots.draw_curves(report)
    axes = figure.axes[0]
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert "problem" in axes.get_title(loc="left")
    assert min(text.get_fontsize() for text in texts(figure)) >= 8
    assert figure.get_figwidth() in (3.35, 5.5)  # inches: a column, or the text of a page
    assert plots.draw_curves(report, title="").axes[0].get_title(loc="left") == ""
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    for text in texts(figure):
        if (text.get_visible() and text.axes is not None) or text.get_text() in ("G-Pass@k",):
            box = Text.get_window_extent(text)
            assert min(box.x0, box.y0) >= 0, text
            assert box.x1 <= width, text
            assert box.y1 <= height, text
    # Every line is named at its end, and names do not overlap.
    assert sorted(text.get_text() for text in axes.texts) == sorted(
        line.get_label() for line in axes.get_lines()
    )
    boxes = sorted((Text.get_window_extent(text) for text in axes.texts), key=lambda box: box.y0)
    right = axes.get_window_extent().x1
    assert all(box.x0 > right for box in boxes)
    # The boxes of two lines of text have a margin of a quarter of a line.
    assert all(below.y0 + 0.7 * below.height <= above.y0 for below, above in pairwise(boxes))


@every_report
def test_curves_are_those_of_the_report(report):
    axes = plots.draw_curves(report).axes[0]
    lines = {line.get_label(): line for line in axes.get_lines()}
    asked = "thresholds" in report.options
    assert asked or len(lines) <= 5
    average = lines.pop("avg@n")
    assert set(average.get_ydata()) == {report.values["avg@n"]}
    names = {"G-Pass@k_1.0": "pass^k"} if not asked else {}
    for key in leave_out_twins(report.curves.lines):
        if key == "avg@n":
            continue
        if not asked and names.get(key, str(key)) not in ("pass@k", "cons@k", "best@k", "pass^k"):
            continue
        values = zip(report.curves.k, report.curves.lines[key], strict=True)
        expected = {
            k: value
            for k, value in values
            if value is not None and not (key == "mG-Pass@k" and k % 2)
            # a share τ of the draws is a whole number of them, or the line would zigzag
            if key.tau in (None, 1) or (Fraction(str(key.tau)) * k).denominator == 1
        }
        if expected:
            line = lines.pop(names.get(key, str(key)))
            assert dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) == expected
        low, high = axes.get_ylim()
        assert all(low < value < high for value in expected.values())
    assert lines == {}


@every_report
def test_bands_are_the_intervals_of_the_report(report):
    axes = plots.draw_curves(report, bands=list(map(str, report.curves.lines))).axes[0]
    bands = [band.get_paths()[0].vertices for band in axes.collections]
    lines = [line for line in axes.get_lines() if line.get_label() != "avg@n"]
    assert len(bands) == (len(lines) if report.curves.bands else 0)
    for line, vertices in zip(lines, bands, strict=bool(bands)):
        name = "G-Pass@k_1.0" if line.get_label() == "pass^k" else line.get_label()
        key = next(key for key in report.curves.lines if str(key) == name)
        for k in line.get_xdata():
            low, high = report.curves.bands[key][report.curves.k.index(k)]
            own = vertices[vertices[:, 0] == k, 1]
            assert {min(own), max(own)} == {low, high}
            assert axes.get_ylim()[0] < low <= high < axes.get_ylim()[1]
        last = report.intervals.get(type(key)(key.metric, int(line.get_xdata()[-1]), key.tau))
        if last is not None and report.curves.equal_n:  # the same as in the table
            assert (last.low, last.high) == pytest.approx(report.curves.bands[key][-1], abs=1e-12)


def test_of_many_lines_the_outer_ones_have_bands():
    axes = plots.draw_curves(DATA["full"]).axes[0]
    colours = {line.get_label(): to_rgb(line.get_color()) for line in axes.get_lines()}
    assert len(colours) >= 8
    shaded = [tuple(band.get_facecolor()[0][:3]) for band in axes.collections]
    assert sorted(shaded) == sorted([colours["pass@k"], colours["G-Pass@k_1.0"]])
    for report, bands in (
        (DATA["full"], {"bands": ()}),
        (at_k.score(GRADES, confidence_level=None), {}),
    ):
        assert not plots.draw_curves(report, **bands).axes[0].collections
    lines = axes.get_lines()  # which differ without colour
    looks = [(line.get_marker(), line._dash_pattern, line.get_linewidth()) for line in lines]
    assert len(lines) == sum(
        bool(find_style(line)) for line in leave_out_twins(DATA["full"].curves.lines)
    )
    assert len(set(map(repr, looks))) == len(lines)


MODELS = {"a": GRADES, "b-with-a-name-that-is-very-long-indeed": LONG, "c": GRADES}


def test_several_models_have_a_line_each():
    models = at_k.score_models(MODELS)
    figure = plots.draw_models(models, line="pass@k")
    axes = figure.axes[0]
    for (name, report), line in zip(models.reports.items(), axes.get_lines(), strict=True):
        assert line.get_label() == name
        assert line.get_xdata().tolist() == list(report.curves.k)
        assert line.get_ydata().tolist() == list(report.curves.lines["pass@k"])
    assert len(axes.collections) == 3
    assert len({line.get_marker() for line in axes.get_lines()}) == 3
    assert axes.get_ylabel().startswith("pass@k")
    figure.draw_without_rendering()
    width = figure.get_size_inches()[0] * figure.dpi
    assert all(Text.get_window_extent(text).x1 <= width for text in axes.texts)
    four = at_k.score_models({**MODELS, "d": GRADES})
    assert len(plots.draw_models(four).axes[0].collections) == 0  # no bands
    assert "G-Pass@k_0.5" in plots.draw_models(models, line="G-Pass@k_0.5").axes[0].get_ylabel()
    refuses(
        "InputError: no line best@k in common. There are: … pass@k",
        plots.draw_models,
        models,
        line="best@k",
    )


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    refuses('ImportError: pip install ".[plot]"', plots.draw_curves, DATA["grades"])


def test_the_settings_of_others_stay():
    before = dict(matplotlib.rcParams)
    plots.draw_curves(DATA["grades"])
    assert dict(matplotlib.rcParams) == before


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_names_are_moved_apart_and_no_further(wanted):
    wanted, gap = sorted(wanted), 0.05
    places = plots.spread_places(wanted, gap, 0, 1)
    assert all(above - below >= gap - 1e-9 for below, above in pairwise(places))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    if all(above - below >= gap for below, above in pairwise(wanted)):
        assert places == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_files(ending, start, tmp_path):
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending.upper()}"
    for path in (first, second):
        plots.save_figure(plots.draw_curves(DATA["full"]), path)
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()  # no date, no random name
    assert len(os.listdir(tmp_path)) == 2
    if ending == "png":
        with Image.open(first) as picture:
            assert picture.size == (1650, 990)  # 5.5 inches at 300 dots
    if ending == "svg":
        assert ElementTree.parse(first).getroot().tag.endswith("svg")


@pytest.mark.parametrize("title", ["$x$ <b>&", "a_b^c\\d", "难度 😀", "x" * 300])
def test_any_title(title, tmp_path):
    for ending in ("svg", "png"):
        plots.save_figure(plots.draw_curves(DATA["grades"], title=title), tmp_path / f"x.{ending}")


def test_other_endings_and_folders(tmp_path):
    figure = plots.draw_curves(DATA["grades"])
    says = "ValueError: must end in .png, .svg, .pdf; got 'x.jpg'"
    refuses(says, plots.save_figure, figure, tmp_path / "x.jpg")
    refuses(
        "FileNotFoundError: There is no folder",
        plots.save_figure,
        figure,
        tmp_path / "no" / "x.png",
    )
    assert os.listdir(tmp_path) == []


def test_a_matrix_is_a_staircase_of_shares():
    counts = {"poor": {"x": 0, "y": 1, "z": 2}, "good": {"y": 3, "x": 4, "w": 4}}
    data = {
        name: {"problem": list(own), "grades": [[1] * c + [0] * (4 - c) for c in own.values()]}
        for name, own in counts.items()
    }
    axes = plots.draw_matrix(at_k.score_models(data)).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["good", "poor"]
    shares = axes.get_images()[0].get_array()  # problems w, x, y, z: means of 1, .5, .5 and .5
    assert shares.filled(-1).tolist() == [[1, 1, 0.75, -1], [-1, 0, 0.25, 0.5]]
    assert [text.get_text() for text in axes.texts] == ["0.92", "0.25"]
    assert axes.get_title(loc="left") == "2 models × 4 problems"


def test_a_matrix_of_500_problems_and_12_models_can_be_read(tmp_path):
    grades = [[[(j * 7 + i) % 13 < i, 1] for j in range(500)] for i in range(12)]
    data = {f"model-of-some-length-{i}b": {"grades": own} for i, own in enumerate(grades)}
    figure = plots.draw_matrix(at_k.score_models(data))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    width, height = figure.get_size_inches() * figure.dpi
    boxes = [
        text.get_window_extent()
        for text in (*axes.get_yticklabels(), *axes.texts, axes.xaxis.label)
    ]
    assert all(
        box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in boxes
    )
    assert not any(a.overlaps(b) for a, b in pairwise(boxes[:12]))
    assert axes.get_window_extent().width / 500 >= 2  # pixels of a problem
    assert min(text.get_fontsize() for text in texts(figure)) >= 8
    plots.save_figure(figure, tmp_path / "matrix.png")
    words = "InputError: got one … at-k plot a.jsonl b.jsonl --kind matrix"
    refuses(words, plots.draw_matrix, at_k.score_models({"a": GRADES}))


def test_budgets_are_drawn_with_their_bands():
    grades = {"a": [[1, 0, 0], [0, 0, 0]], "b": [[1, 1], [0, 1]]}
    found = {
        name: solve_by_budget(at_k.score({"grades": own}), "samples")
        for name, own in grades.items()
    }
    axes = plots.draw_budgets(found).axes[0]
    drawn = {line.get_label(): line.get_xydata().ravel().tolist() for line in axes.get_lines()}
    assert drawn["a"] == pytest.approx([0, 0, 1, 1 / 6, 2, 1 / 3, 3, 1 / 2])
    assert drawn["b"] == [0, 0, 1, 0.75, 2, 1]
    for band, own in zip(axes.collections, found.values(), strict=True):
        corners = band.get_paths()[0].vertices.tolist()
        points = [
            [*each]
            for limits in (own.low, own.high)
            for each in zip(own.budgets, limits, strict=True)
        ]
        assert all(point in corners for point in points)
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        "budget of a problem, in samples",
        "share of problems solved",
    )


def test_the_label_of_small_differences_is_not_cut_off():
    models = [
        at_k.score(
            {"grades": [[1] * (right + more) + [0] * (8 - right - more) for right in range(8)] * 20}
        )
        for more in (0, 1)
    ]
    figure = plots.draw_difference(
        at_k.compare(*models, names=("a" * 9, "b" * 9), metrics="pass@k", band=True)
    )
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert axes.yaxis.label.get_window_extent().x0 >= 0
    assert max(len(tick.get_text()) for tick in axes.get_yticklabels()) == 6  # "−0.025"

"""Draw the figures of a report with Matplotlib, as a paper prints them: readable in grey, and without a browser."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress, cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.diagnosis import find_calibrations
from at_k.combinatorics import Floats
from at_k.computation import powers_of_two
from at_k.errors import InputError
from at_k.estimators import g_pass_at_k
from at_k.family import OUTPUTS, find_style, leave_out_twins
from at_k.pictures import HEIGHT, WIDTH, require_matplotlib, set_style
from at_k.report.grid import describe_size
from at_k.report.naming import find_key
from at_k.uncertainty.intervals import interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from at_k.analysis.compared import Compared
    from at_k.report import Report
    from at_k.report.data import Curves
    from at_k.report.models import Models
    from at_k.values import Key

_LIGHTEST, _DARKEST = 0.6, 0.2
"""The greys of G-Pass@k, from the lowest τ to the highest."""

_MOST_BANDS = 3
"""Up to this number of lines, each has a band. Eight bands over each other cannot be read."""

_TAU_MARKERS = "x+*1234"

_TAUS = tuple(step / 20 for step in range(21))
"""The thresholds of the map."""

_SHADES = ("#FFFFFF", "#5B9BD0")
"""The colours of the map, on all of which black numbers can be read."""

_MOST_K = 12
"""Up to this n, the map has a column for every k."""

_LONGEST_NAME = 10
"""Letters of a model's name beside the axis; longer names are A and B there."""

_MOST_MARKERS = 10

_LINE_HEIGHT, _LETTER = 9.5, 0.065
"""Points between the names of two lines, and the inches that a letter of a name takes on average."""


def draw_curves(report: Report, *, title: str | None = None, bands: Collection[str] | None = None) -> Figure:
    """Draw every metric against k, up to the smallest n. Each line is named at its end.

    mG-Pass@k is drawn at even k alone: where k is odd, its largest value is (k − 1)/k, and the line would jump.

    Args:
        report: the values.
        title: the title; without one, the numbers of problems and samples. "" for none.
        bands: the lines whose intervals are drawn as bands, such as "cons@k". By default all of up to three lines; of
            more, pass@k and G-Pass@k of the highest τ, which the others lie between. A report without intervals has no
            bands.

    Raises:
        ImportError: if Matplotlib is not installed.

    Examples:
        >>> from at_k import score
        >>> figure = draw_curves(score({"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}))
        >>> [line.get_label() for line in figure.axes[0].get_lines()][:2]
        ['G-Pass@k_0.25', 'G-Pass@k_0.5']
    """
    curves = report.curves
    with set_style() as make_figure:
        figure, axes = make_figure(1 - (0.35 + _LETTER * max(map(len, curves.lines), default=0)) / WIDTH)
        styles = choose_styles(leave_out_twins(curves.lines))
        shaded = choose_bands(list(styles)) if bands is None else bands
        axes.set_ylabel("share, mean over the problems")
        draw_lines(
            axes,
            [take_line(curves, key, str(key), style, band=str(key) in shaded) for key, style in styles.items()],
        )
        axes.set_title(choose_title(report, title), loc="left")
    return figure


def draw_models(models: Models, *, line: str = "pass@k", title: str | None = None) -> Figure:
    """Draw one metric of several models against k: a line for each model, named at its end.

    Args:
        models: their reports, as of `at_k.score_models`. Lines of up to three models have bands, if there are
            intervals.
        line: the metric, such as "cons@k" or "G-Pass@k_0.5".
        title: the title; without one, the metric and the sizes. "" for none.

    Raises:
        ImportError: if Matplotlib is not installed.
        InputError: if a model has no such line.

    Examples:
        >>> from at_k import score_models
        >>> models = score_models({"a": {"grades": [[1, 0], [0, 0]]}, "b": {"grades": [[1, 1], [1, 0]]}})
        >>> [each.get_label() for each in draw_models(models).axes[0].get_lines()]
        ['a', 'b']
    """
    curves = {name: report.curves for name, report in models.reports.items()}
    known = [key for key in next(iter(curves.values())).lines if all(key in each.lines for each in curves.values())]
    found = find_key(line)
    key = next((each for each in known if found is not None and each == found.line), None)
    if key is None:
        raise InputError(
            "plots.no_line",
            "The models have no line {line} in common. There are: {lines}.",
            line=line, lines=", ".join(map(str, known)) or "–",
        )  # fmt: skip
    with set_style() as make_figure:
        figure, axes = make_figure(1 - (0.35 + _LETTER * min(max(map(len, curves)), _LONGEST_LABEL)) / WIDTH)
        axes.set_ylabel(f"{key}, mean over the problems")
        pens = zip(curves.items(), cycle(_MODEL_PENS))
        few = len(curves) <= _MOST_BANDS
        draw_lines(axes, [take_line(own, key, name, pen, band=few) for (name, own), pen in pens])
        sizes = dict.fromkeys(map(describe_size, models.reports.values()))
        axes.set_title(f"{key}: {', '.join(sizes)}" if title is None else title, loc="left")
    return figure


_LONGEST_LABEL = 24
"""Letters of a model's name at the end of its line."""

_MODEL_PENS: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#D55E00", "marker": "^", "dashes": (6, 1, 1, 1)},
    {"color": "#009E73", "marker": "s", "dashes": (4, 2)},
    {"color": "#CC79A7", "marker": "D", "dashes": (1, 1)},
    {"color": "#56B4E9", "marker": "v"},
    {"color": "#000000", "marker": "x", "dashes": (6, 2)},
)
"""Colours that the colour-blind tell apart, each with a marker and dashes, which tell them apart in grey."""


def shorten_name(name: str) -> str:
    """Shorten the name of a model, so that it fits beside its line.

    Examples:
        >>> shorten_name("qwen.jsonl"), shorten_name("checkpoints/run-2026-11/step-4000.jsonl")
        ('qwen.jsonl', '…2026-11/step-4000.jsonl')
    """
    return name if len(name) <= _LONGEST_LABEL else "…" + name[1 - _LONGEST_LABEL :]


def draw_difference(compared: Compared, *, title: str | None = None) -> Figure:
    """Draw the difference of two models against k, with a band that holds at every k of its line.

    Args:
        compared: what `at_k.compare(…, band=True)` found.
        title: the title; without one, the names of the models. "" for none.

    Raises:
        ImportError: if Matplotlib is not installed.
        InputError: if the comparison has no bands.

    Examples:
        >>> from at_k import compare
        >>> a, b = {"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}, {"grades": [[1, 0, 0, 1], [0, 0, 0, 0]]}
        >>> figure = draw_difference(compare(a, b, band=True, metrics="pass_at_k"))
        >>> figure.axes[0].get_ylabel()
        'difference, A − B'
    """
    if not compared.bands:
        raise InputError(
            "plots.no_band",
            "This comparison has no bands to draw. Compare with {option:band=True}, by metrics with a k.",
        )
    bands = {band.line: band for band in compared.bands.values()}
    short = max(map(len, compared.names)) <= _LONGEST_NAME
    first, second = compared.names if short else ("A", "B")
    with set_style() as make_figure:
        figure, axes = make_figure(1 - (0.35 + _LETTER * max(map(len, bands))) / WIDTH)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_ylabel(f"difference, {first} − {second}")
        shaded = choose_bands(list(bands))
        lines = []
        for line, style in choose_styles(list(bands)).items():
            band = bands[line]
            limits = np.array([band.low, band.high]) if str(line) in shaded else None
            lines.append(Drawn(str(line), np.array(band.k), np.array(band.difference), style, limits))
        draw_lines(axes, lines, are_shares=False)
        axes.set_title(" − ".join(compared.names) if title is None else title, loc="left")
    return figure


def draw_map(report: Report, *, title: str | None = None) -> Figure:
    """Draw G-Pass@k over k and τ: from pass@k at the bottom, where one of k is enough, to all of k at the top.

    Args:
        report: the numbers of samples and of correct ones.
        title: as of `draw_curves`.

    Raises:
        ImportError: if Matplotlib is not installed.

    Examples:
        >>> from at_k import score
        >>> figure = draw_map(score({"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}))
        >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
        ('k, the number of draws', 'τ, the share that must be correct')
    """
    smallest = min(report.n)
    draws = tuple(range(1, smallest + 1)) if smallest <= _MOST_K else powers_of_two(smallest)
    values = average_g_pass(report, draws)
    require_matplotlib()
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import MaxNLocator

    with set_style() as make_figure:
        figure, axes = make_figure(0.98)
        low, high = np.floor(values.min() * 10) / 10, np.ceil(values.max() * 10) / 10
        shades = LinearSegmentedColormap.from_list("", _SHADES)
        places = np.arange(len(draws))
        mesh = axes.pcolormesh(
            places, _TAUS, values, cmap=shades, vmin=low, vmax=max(high, low + 0.1), shading="nearest"
        )
        axes.grid(visible=False)
        for row in range(0, len(_TAUS), 5):
            inwards = {0.0: "bottom", 1.0: "top"}.get(_TAUS[row], "center")
            for place in places.tolist():
                axes.text(place, _TAUS[row], f"{values[row, place]:.2f}", ha="center", va=inwards)
        axes.set_xticks(places, list(map(str, draws)))
        axes.set_yticks(_TAUS[::5], [f"{tau:g}" for tau in _TAUS[::5]])
        axes.set_xlabel("k, the number of draws")
        axes.set_ylabel("τ, the share that must be correct")
        bar = figure.colorbar(mesh, ax=axes, pad=0.02, ticks=MaxNLocator(5, steps=[1, 2, 5, 10]))
        bar.set_label("G-Pass@k")
        axes.set_title(choose_title(report, title), loc="left")
    return figure


def draw_problems(report: Report, *, title: str | None = None) -> Figure:
    """Draw the share of correct samples of each problem, from the easiest to the hardest.

    Args:
        report: the numbers of samples and of correct ones.
        title: as of `draw_curves`.

    Raises:
        ImportError: if Matplotlib is not installed.

    Examples:
        >>> from at_k import score
        >>> figure = draw_problems(score({"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}))
        >>> figure.axes[0].get_ylabel()
        'share of correct samples, c/n'
    """
    n, c = report.list_counts()
    shares = np.sort(c / n)[::-1]
    total = len(shares)
    require_matplotlib()
    from matplotlib.ticker import MaxNLocator

    solved, never = int((shares == 1).sum()), int((shares == 0).sum())
    with set_style() as make_figure:
        figure, axes = make_figure(0.89)
        edges = np.arange(total + 1)
        axes.stairs(shares, edges, fill=True, color="#C6DDF0")
        axes.stairs(shares, edges, color="#0072B2", linewidth=1)
        mean = float(shares.mean())
        axes.axhline(mean, color="black", linewidth=1, dashes=(4, 2))
        axes.text(1.015, mean, f"mean\n{mean:.4f}", transform=axes.get_yaxis_transform(), va="center")
        axes.set_xlim(0, total)
        axes.set_ylim(0, 1.02)
        axes.grid(axis="x", visible=False)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        counts = f"{solved:,} always correct, {total - solved - never:,} sometimes, {never:,} never"
        axes.set_xlabel(f"problems, the easiest first: {counts}")
        axes.set_ylabel("share of correct samples, c/n")
        axes.set_title(choose_title(report, title), loc="left")
    return figure


def draw_reliability(report: Report, *, title: str | None = None) -> Figure:
    """Draw how often answers are correct against how sure the model was of them, in bins of equal width.

    The confidence is the share of a vote, or the scores if all lie in [0, 1]. Each point has the interval of a bin of
    independent answers at 95 %. Samples of one problem are not independent: theirs may be wider.

    Args:
        report: a report that was not loaded from a file.
        title: as of `draw_curves`.

    Raises:
        ImportError: if Matplotlib is not installed.
        InputError: if the report has no confidences.

    Examples:
        >>> from at_k import score
        >>> figure = draw_reliability(score({"grades": [[1, 0], [1, 1]], "scores": [[0.9, 0.1], [0.9, 0.9]]}))
        >>> [line.get_label() for line in figure.axes[0].get_lines()][-1]
        'scores: ECE 0.100'
    """
    found = {_CONFIDENCES[name]: both["width"] for name, both in find_calibrations(report).items()}
    if not found:
        raise InputError(
            "plots.no_confidence",
            "These results have no confidence to draw: neither answers that can vote, nor scores that all lie in "
            "[0, 1].",
        )
    with set_style() as make_figure:
        figure, axes = make_figure(0.98)
        axes.plot([0, 1], [0, 1], color="0.4", linewidth=0.8, dashes=(2, 2), label="calibrated")
        for (name, each), style in zip(found.items(), _CONFIDENCE_STYLES, strict=False):
            share = each.accuracy
            low, high = interval(share, np.sqrt(share * (1 - share) / each.count), each.count)
            axes.vlines(each.confidence, low, high, color=style["color"], linewidth=0.8)
            axes.plot(each.confidence, share, label=f"{name}: ECE {each.ece:.3f}", **style)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("confidence, mean of each bin")
        axes.set_ylabel("share of correct answers")
        figure.set_layout_engine("constrained")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)  # within the axes it would hide bins
        axes.set_title(choose_title(report, title), loc="left")
    return figure


_CONFIDENCES = {"vote": "share of the vote", "score": "scores"}
"""What the figure calls the confidences."""

_CONFIDENCE_STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#D55E00", "marker": "^", "dashes": (6, 1, 1, 1)},
)


def choose_title(report: Report, title: str | None) -> str:
    """Write the title: by default the numbers of problems and samples."""
    return describe_size(report) if title is None else title


def choose_styles(lines: Sequence[Key]) -> dict[Key, dict[str, Any]]:
    """Choose the style of each line: that of its output, or a grey and a marker for each τ."""
    taus = sorted({float(line.tau) for line in lines if line.tau is not None})
    styles: dict[Key, dict[str, Any]] = {}
    for line in lines:
        style = find_style(line)
        if line.tau is None and style is not None and style.pen is not None:
            colour, marker, dashes = style.pen
            styles[line] = {"color": colour, "marker": marker} | ({"dashes": dashes} if dashes else {})
        elif line.tau is not None:
            place = taus.index(float(line.tau))
            grey = _LIGHTEST + (_DARKEST - _LIGHTEST) * place / max(1, len(taus) - 1)
            styles[line] = {"color": str(grey), "marker": _TAU_MARKERS[place % len(_TAU_MARKERS)], "linewidth": 0.9}
    return styles


def set_axis_of_k(axes: Axes, draws: Sequence[int]) -> None:
    """Set the axis of k: logarithmic, with the powers of two and the last k named."""
    last = draws[-1]
    axes.set_xscale("log", base=2)
    ticks = [2**power for power in range(last.bit_length()) if 2**power <= last]
    ticks = [tick for tick in ticks if tick * 1.3 < last] + [last]
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.minorticks_off()
    axes.set_xlim(min(draws) * 0.93, last * 1.07) if last > 1 else axes.set_xlim(0.5, 2)
    axes.set_xlabel("k, the number of draws")


def choose_range(values: Floats) -> tuple[float, float]:
    """Choose the range of an axis of shares: that of the values with a margin."""
    low, high = float(values.min()), float(values.max())
    margin = max(0.06 * (high - low), 0.01)
    return max(low - margin, -0.02), min(high + margin, 1.02)


def choose_bands(lines: Sequence[Key]) -> list[str]:
    """Choose the lines that have bands: all of a few, and of more those between which the others lie."""
    if len(lines) <= _MOST_BANDS:
        return list(map(str, lines))
    thresholds = {float(line.tau): str(line) for line in lines if line.tau is not None}
    return ["pass@k", *([thresholds[max(thresholds)]] if thresholds else [])]


class Drawn(NamedTuple):
    """A line that is drawn: its values, the options of its pen, and the limits of its band."""

    name: str
    k: NDArray[np.int64]
    values: Floats
    pen: Mapping[str, Any]
    limits: Floats | None


def take_line(curves: Curves, key: Key, name: str, pen: Mapping[str, Any], *, band: bool) -> Drawn:
    """Take a line from curves, where its values are known."""
    known = np.array([value is not None for value in curves.lines[key]])
    k = np.array(curves.k)
    if OUTPUTS[key.metric].even_k:
        known &= k % 2 == 0
    values = np.array(curves.lines[key], np.float64)
    limits = None
    if band and key in curves.bands:
        limits = np.array(list(compress(curves.bands[key], known)), np.float64).reshape(-1, 2).T
    return Drawn(name, k[known], values[known], pen, limits)


def draw_lines(axes: Axes, lines: Sequence[Drawn], *, are_shares: bool = True) -> None:
    """Draw lines against k, with their bands, and name each at its end."""
    drawn = [line for line in lines if len(line.k)]
    for place, line in enumerate(drawn, 1):
        marked = max(1, len(line.k) // _MOST_MARKERS)
        first = place % marked  # so that the markers of lines that touch do not cover each other
        axes.plot(line.k, line.values, label=line.name, markevery=(first, marked), **line.pen)
        if line.limits is not None:
            axes.fill_between(line.k, *line.limits, color=line.pen["color"], alpha=0.15, linewidth=0)
    set_axis_of_k(axes, sorted({k for line in drawn for k in line.k.tolist()}))
    if are_shares:
        limits = [line.limits.ravel() for line in drawn if line.limits is not None]
        axes.set_ylim(*choose_range(np.concatenate([*(line.values for line in drawn), *limits])))
    else:
        axes.margins(y=0.06)
    name_ends(axes, drawn)


def name_ends(axes: Axes, drawn: Sequence[Drawn]) -> None:
    """Write the name of each line beside its end.

    Names that would overlap are moved apart, and a thin line leads from each to its end.
    """
    low, high = axes.get_ylim()
    height = axes.get_position().height * HEIGHT * 72  # points
    gap = _LINE_HEIGHT / height * (high - low)
    ordered = sorted(drawn, key=lambda line: float(line.values[-1]))
    places = spread_places([float(line.values[-1]) for line in ordered], gap, low, high)
    for line, place in zip(ordered, places, strict=True):
        axes.annotate(
            shorten_name(line.name),
            (float(line.k[-1]), float(line.values[-1])),
            xytext=(1.055, (place - low) / (high - low)),
            textcoords="axes fraction",
            color=line.pen["color"],
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.pen["color"],
                "linewidth": 0.4,
                "shrinkA": 1,
                "shrinkB": 2,
                "relpos": (0, 0.5),
            },
        )


def spread_places(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move rising places apart until they are `gap` from each other, and as near to what is wanted as that allows.

    Examples:
        >>> spread_places([0.5, 0.5, 0.9], 0.1, 0, 1)
        [0.45, 0.55, 0.9]
    """
    # Places that touch are moved as one block, whose middle is the mean of what its members want.
    blocks: list[tuple[float, int]] = []  # the mean of (wanted − offset in the block), and the number of members
    for place in wanted:
        start, size = place, 1
        while blocks and blocks[-1][0] + blocks[-1][1] * gap > start:
            earlier, count = blocks.pop()
            start = (earlier * count + (start - count * gap) * size) / (count + size)
            size += count
        blocks.append((start, size))
    places = [start + gap * i for start, size in blocks for i in range(size)]
    # Push back from the edges.
    for i in reversed(range(len(places))):
        places[i] = min(places[i], high - gap * (len(places) - 1 - i))
    for i in range(len(places)):
        places[i] = max(places[i], low + gap * i)
    return [round(place, 12) for place in places]


def average_g_pass(report: Report, draws: Sequence[int]) -> Any:
    """Compute the mean of G-Pass@k over the problems: a row for each τ, a column for each k."""
    (n, c), times = np.unique(np.stack(report.list_counts()), axis=1, return_counts=True)
    tables = g_pass_at_k(n, c, k=draws, tau=_TAUS)  # pairs × k × τ
    return np.average(tables, axis=0, weights=times).T

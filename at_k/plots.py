"""Draw the figures of a report with Matplotlib, as a paper prints them: readable in grey, and without a browser."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import compress, cycle
from os import PathLike, fspath
from os.path import basename, splitext
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats
from at_k.errors import InputError, write_install
from at_k.family import OUTPUTS, find_style, leave_out_twins
from at_k.report.grid import describe_size, tabulate_shares
from at_k.report.naming import find_key, find_line, name_lines
from at_k.results.saving import replace_file
from at_k.validation import list_common, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from at_k.analysis.budgets import Budgets
    from at_k.analysis.compared import Compared
    from at_k.report import Report
    from at_k.report.data import Curves
    from at_k.report.scoring import Models
    from at_k.values import Key


# Endings of the name of a picture.
ENDINGS = (".png", ".svg", ".pdf")

# Inches: a column of a page (8.5 cm), for lines whose names are short, and the text width of ICLR and NeurIPS.
COLUMN, WIDTH = (3.35, 2.5), (5.5, 3.3)

# Letters of a name that fits beside the lines of a column.
_SHORT = 8

_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "pdf.fonttype": 42,  # text stays text, which many journals ask for
    "svg.hashsalt": "at-k",  # the same report gives the same file
    "text.parse_math": False,  # a name of a file or a group may have dollar signs
    "figure.constrained_layout.use": False,
}


def save_figure(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure to a file whose name ends in one of `ENDINGS`. If writing fails, no part of it remains."""
    import warnings

    form = check_ending(path)[1:]
    # Without a date, the bytes are the same on any day.
    date = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    metadata = {"Title": figure.axes[0].get_title(loc="left").replace("\n", " ") or "at-k", **date}
    with set_style(), replace_file(path) as part, warnings.catch_warnings():
        # A title may have signs that the font does not have. They are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(part, format=form, metadata=metadata)


def check_ending(path: str | PathLike[str]) -> str:
    """Return the ending of a picture's name, after a check that it is one of `ENDINGS`."""
    ending = splitext(fspath(path))[1].lower()
    if ending not in ENDINGS:
        raise InputError(
            "plots.ending",
            "The name of a picture must end in {endings}; got {name}.",
            endings=", ".join(ENDINGS),
            name=shorten(basename(fspath(path))),
        )
    return ending


def require_matplotlib() -> None:
    """Raise if Matplotlib is not installed, and say how to install it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError:
        raise ImportError(
            f"Pictures need Matplotlib, which is not installed. Run `{write_install('plot')}` in a clone of at-k."
        ) from None


@contextmanager
def set_style() -> Iterator[None]:
    """Set the style. Nothing outside the block changes."""
    require_matplotlib()
    from matplotlib import rc_context

    with rc_context(_STYLE):
        yield


def make_figure(names: Iterable[str], title: str) -> tuple[Figure, Axes]:
    """Make a figure with room for names to the right of its axes."""
    from matplotlib.figure import Figure

    longest = max(map(len, map(shorten_name, names)), default=0)
    width, height = COLUMN if longest <= _SHORT else WIDTH
    figure = Figure(figsize=(width, height), dpi=300)
    axes = figure.add_subplot()
    lines = wrap(title, int((width - _MARGIN) / _LETTER))
    figure.subplots_adjust(
        left=_MARGIN / width,
        right=1 - (0.35 + _LETTER * longest) / width,
        bottom=0.5 / height,
        top=1 - (0.14 + 0.16 * len(lines)) / height,
    )
    axes.set_title("\n".join(lines), loc="left")
    return figure, axes


# Inches to the left of the axis.
_MARGIN = 0.715

# The greys of G-Pass@k, from the lowest τ to the highest.
_LIGHTEST, _DARKEST = 0.6, 0.2

# Up to this number of lines, each has a band. Eight bands over each other cannot be read.
_MOST_BANDS = 3

_TAU_MARKERS = "x+*1234"

# Letters of a model's name beside the axis; longer names are A and B there.
_LONGEST_NAME = 10

_MOST_MARKERS = 10

# Points between the names of two lines, and the inches that a letter of a name takes on average.
_LINE_HEIGHT, _LETTER = 9.5, 0.065


def draw_curves(
    report: Report, *, title: str | None = None, bands: Collection[str] | None = None
) -> Figure:
    """Draw every metric against k, up to the smallest n. Each line is named at its end."""
    # mG-Pass@k is drawn at even k alone: where k is odd, its largest value is (k − 1)/k, and the line would jump.
    names = choose_lines(report)
    styles = choose_styles(list(names))
    shaded = choose_bands(list(styles)) if bands is None else bands
    lines = [
        take_line(report.curves, key, names[key], pen, band=str(key) in shaded)
        for key, pen in styles.items()
    ]
    average = report.values.get("avg@n")
    if average is not None and lines:
        k = np.array(report.curves.k)
        lines.append(Drawn("avg@n", k, np.full(len(k), average), _DOTTED, None))
    return draw_lines(
        lines, "share, mean over the problems", describe_size(report) if title is None else title
    )


_DOTTED = {"color": "0.3", "linestyle": ":", "marker": ""}


def choose_lines(report: Report) -> dict[Key, str]:
    """Choose the lines of a figure, and their names: those that were asked for, or else four that many report."""
    lines = [line for line in leave_out_twins(report.curves.lines) if line.metric != "avg@n"]
    asked = name_lines(report.options, lines)
    if asked is not None:
        return {line: str(asked.get(line, line)) for line in lines}
    if "thresholds" in report.options:
        return {line: str(line) for line in lines}
    return {line: name for name in _MAIN for line in lines if line == find_line(name)}


# The lines of a figure where none were asked for; avg@n is added to them.
_MAIN = ("pass@k", "best@k", "cons@k", "pass^k")


def draw_models(models: Models, *, line: str = "pass@k", title: str | None = None) -> Figure:
    """Draw one metric of several models against k: a line for each model, named at its end."""
    curves = {name: report.curves for name, report in models.reports.items()}
    shared = list_common(curve.lines for curve in curves.values())
    spelled = find_key(line)
    key = None if spelled is None else spelled.line
    if key not in shared:
        raise InputError(
            "plots.no_line",
            "The models have no line {line} in common. There are: {lines}.",
            line=line,
            lines=", ".join(map(str, shared)) or "–",
        )
    few = len(curves) <= _MOST_BANDS
    lines = [
        take_line(model, key, name, pen, band=few)
        for (name, model), pen in zip(curves.items(), cycle(_MODEL_PENS))
    ]
    sizes = dict.fromkeys(map(describe_size, models.reports.values()))
    return draw_lines(
        lines,
        f"{key}, mean over the problems",
        f"{key}: {', '.join(sizes)}" if title is None else title,
    )


# Letters of a model's name at the end of its line.
_LONGEST_LABEL = 24

# Colours that the colour-blind tell apart, each with a marker and dashes, which tell them apart in grey.
_MODEL_PENS: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#D55E00", "marker": "^", "dashes": (6, 1, 1, 1)},
    {"color": "#009E73", "marker": "s", "dashes": (4, 2)},
    {"color": "#CC79A7", "marker": "D", "dashes": (1, 1)},
    {"color": "#56B4E9", "marker": "v"},
    {"color": "#000000", "marker": "x", "dashes": (6, 2)},
)


def shorten_name(name: str) -> str:
    """Shorten the name of a model, so that it fits beside its line."""
    if len(name) <= _LONGEST_LABEL:
        return name
    return "…" + name[1 - _LONGEST_LABEL :]


def draw_matrix(models: Models, *, title: str | None = None) -> Figure:
    """Draw which models solve which problems: a row for each model, a column for each problem, and a staircase in both.

    The shade is the share of a problem's samples that are correct, from white for none to black for all; problems that
    a model was not given are hatched. The models are sorted from the best down, and the problems from the one that is
    solved most. A row ends in the model's mean over its problems.

    Raises:
        InputError: if there is one model only, or a report is that of a tally.
    """
    if len(models.reports) < 2:
        raise InputError(
            "plots.one_model",
            "A matrix is of several models; got one. Give a file for each: `{command}`.",
            command="at-k plot a.jsonl b.jsonl --kind matrix --out matrix.svg",
        )
    for report in models.reports.values():
        report.require_problems("A matrix of problems")
        report.require_independent("A matrix of problems")
    best, problems, table = tabulate_shares(models.reports)
    names = list(map(shorten_name, best))
    means = np.nanmean(table, axis=1)
    with set_style():
        figure, axes = make_figure(
            (), f"{len(names)} models × {len(problems)} problems" if title is None else title
        )
        figure.set_size_inches(_WIDEST, max(WIDTH[1], 0.9 + _ROW * len(names)))
        figure.subplots_adjust(
            left=(0.3 + _LETTER * max(map(len, names))) / _WIDEST, right=1 - 0.45 / _WIDEST
        )
        # Behind the picture, hatches are seen where it has no share.
        axes.patch.set(facecolor="white", edgecolor="0.6", hatch="////", linewidth=0)
        axes.grid(visible=False)
        axes.imshow(table, cmap="Greys", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        axes.set_yticks(range(len(names)), names)
        axes.hlines(
            np.arange(len(names) - 1) + 0.5, -0.5, len(problems) - 0.5, color="0.8", linewidth=0.5
        )
        for place, mean in enumerate(means):
            axes.annotate(
                f"{mean:.2f}", (1.01, place), xycoords=("axes fraction", "data"), va="center"
            )
        ticks = sorted({0, len(problems) - 1})
        axes.set_xticks(ticks, [str(1 + tick) for tick in ticks])
        hatched = ", hatched: not given" if np.isnan(table).any() else ""
        axes.set_xlabel(f"problems; black: always right, white: never{hatched}")
    return figure


# Inches: the text width of a page in the style of ICML, where 500 problems have 2 dots each, and a model's row.
_WIDEST, _ROW = 6.75, 0.22


def draw_budgets(found: Mapping[str, Budgets], *, title: str | None = None) -> Figure:
    """Draw the expected share of problems solved against a budget per problem: a line with its band for each model."""
    few = len(found) <= _MOST_BANDS
    lines = []
    for (name, curve), pen in zip(found.items(), cycle(_MODEL_PENS)):
        limits = None
        if few:
            limits = np.array([curve.low, curve.high])
        lines.append(Drawn(name, curve.budgets, curve.solved, pen, limits))
    unit = next(iter(found.values())).unit
    wording = "What a budget solves" if title is None else title
    return draw_lines(
        lines, "share of problems solved", wording, budget=f"budget of a problem, in {unit}"
    )


def draw_difference(compared: Compared, *, title: str | None = None) -> Figure:
    """Draw the difference of two models against k, with a band that holds at every k of its line."""
    if not compared.bands:
        raise InputError(
            "plots.no_band",
            "This comparison has no bands to draw. Compare with {option:band=True}, by metrics with a k.",
        )
    short = max(map(len, compared.names)) <= _LONGEST_NAME
    if short:
        first, second = compared.names
    else:
        first, second = "A", "B"
    shaded = choose_bands(list(compared.bands))
    lines = []
    for line, pen in choose_styles(list(compared.bands)).items():
        k, difference, low, high, *_ = map(np.array, zip(*compared.bands[line], strict=True))
        limits = None
        if str(line) in shaded:
            limits = np.array([low, high])
        lines.append(Drawn(str(line), k, difference, pen, limits))
    wording = " − ".join(compared.names) if title is None else title
    return draw_lines(lines, f"difference, {first} − {second}", wording, are_shares=False)


def choose_styles(lines: Sequence[Key]) -> dict[Key, dict[str, Any]]:
    """Choose the style of each line: that of its output, or a grey and a marker for each τ."""
    taus = sorted({float(line.tau) for line in lines if line.tau is not None})
    styles: dict[Key, dict[str, Any]] = {}
    for line in lines:
        style = find_style(line)
        if line.tau is None and style is not None and style.pen is not None:
            colour, marker, dashes = style.pen
            styles[line] = {"color": colour, "marker": marker}
            if dashes:
                styles[line]["dashes"] = dashes
        elif line.tau is not None:
            place = taus.index(float(line.tau))
            grey = _LIGHTEST + (_DARKEST - _LIGHTEST) * place / max(1, len(taus) - 1)
            styles[line] = {
                "color": str(grey),
                "marker": _TAU_MARKERS[place % len(_TAU_MARKERS)],
                "linewidth": 0.9,
            }
    return styles


def set_axis_of_k(axes: Axes, draws: Sequence[int]) -> None:
    """Set the axis of k: logarithmic, with the powers of two and the last k named."""
    last = draws[-1]
    axes.set_xscale("log", base=2)
    ticks = [2**power for power in range(last.bit_length()) if 2**power <= last]
    ticks = [tick for tick in ticks if tick * 1.3 < last] + [last]
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.minorticks_off()
    if last > 1:
        axes.set_xlim(min(draws) * 0.93, last * 1.07)
    else:
        axes.set_xlim(0.5, 2)
    axes.set_xlabel("k, the number of draws")


def choose_range(values: Floats) -> tuple[float, float]:
    """Choose the range of an axis of shares: that of the values with a margin."""
    low = float(values.min())
    high = float(values.max())
    margin = max(0.06 * (high - low), 0.01)
    return max(low - margin, -0.02), min(high + margin, 1.02)


def choose_bands(lines: Sequence[Key]) -> list[str]:
    """Choose the lines that have bands: all of a few, and of more those between which the others lie."""
    if len(lines) <= _MOST_BANDS:
        return list(map(str, lines))
    thresholds = {float(line.tau): str(line) for line in lines if line.tau is not None}
    if not thresholds:
        return ["pass@k"]
    return ["pass@k", thresholds[max(thresholds)]]


class Drawn(NamedTuple):
    """A line that is drawn: its values, the options of its pen, and the limits of its band."""

    name: str
    k: NDArray[np.int64] | Floats
    values: Floats
    pen: Mapping[str, Any]
    limits: Floats | None


def take_line(curves: Curves, key: Key, name: str, pen: Mapping[str, Any], *, band: bool) -> Drawn:
    """Take a line from curves, where its values are known."""
    known = np.array([value is not None for value in curves.lines[key]])
    k = np.array(curves.k)
    if OUTPUTS[key.metric].even_k:
        known &= k % 2 == 0
    if key.tau is not None and key.tau != 1:
        # Between the k of which τ is a whole share, ⌈τk⌉/k jumps, and the line with it.
        share = Fraction(str(key.tau))
        known &= np.array([(share * size).denominator == 1 for size in k.tolist()])
    values = np.array(curves.lines[key], np.float64)
    limits = None
    if band and key in curves.bands:
        limits = np.array(list(compress(curves.bands[key], known)), np.float64).reshape(-1, 2).T
    return Drawn(name, k[known], values[known], pen, limits)


def draw_lines(
    lines: Sequence[Drawn], ylabel: str, title: str, *, budget: str = "", are_shares: bool = True
) -> Figure:
    """Draw lines against k, or a budget, with their bands; name each at its end. Differences have a line at 0."""
    drawn = [line for line in lines if len(line.k)]
    with set_style():
        figure, axes = make_figure([line.name for line in lines], title)
        axes.set_ylabel(ylabel)
        if not are_shares:
            axes.axhline(0, color="black", linewidth=0.8)
        for place, line in enumerate(drawn, 1):
            marked = max(1, len(line.k) // _MOST_MARKERS)
            # The markers of lines that touch do not cover each other.
            first = place % marked
            axes.plot(line.k, line.values, label=line.name, markevery=(first, marked), **line.pen)
            if line.limits is not None:
                axes.fill_between(
                    line.k, *line.limits, color=line.pen["color"], alpha=0.15, linewidth=0
                )
        if budget:
            axes.set(
                xlim=(0, max(float(line.k[-1]) for line in drawn)),
                ylim=(-0.02, 1.02),
                xlabel=budget,
            )
        else:
            set_axis_of_k(axes, sorted({k for line in drawn for k in line.k.tolist()}))
        if not are_shares:
            axes.margins(y=0.06)
        elif not budget:
            limits = [line.limits.ravel() for line in drawn if line.limits is not None]
            values = [line.values for line in drawn]
            axes.set_ylim(choose_range(np.concatenate(values + limits)))
        name_ends(axes, drawn)
    return figure


def name_ends(axes: Axes, drawn: Sequence[Drawn]) -> None:
    """Write the name of each line beside its end."""
    # Names that would overlap are moved apart, and a thin line leads from each to its end.
    low, high = axes.get_ylim()
    height = axes.get_window_extent().height / axes.figure.dpi * 72  # points
    gap = _LINE_HEIGHT / height * (high - low)
    ordered = sorted(drawn, key=lambda line: float(line.values[-1]))
    ends = [float(line.values[-1]) for line in ordered]
    places = spread_places(ends, gap, low, high)
    leader = {"arrowstyle": "-", "linewidth": 0.4, "shrinkA": 1, "shrinkB": 2, "relpos": (0, 0.5)}
    for line, end, place in zip(ordered, ends, places, strict=True):
        colour = line.pen["color"]
        axes.annotate(
            shorten_name(line.name),
            (float(line.k[-1]), end),
            xytext=(1.055, (place - low) / (high - low)),
            textcoords="axes fraction",
            color=colour,
            va="center",
            annotation_clip=False,
            arrowprops=leader | {"color": colour},
        )


def spread_places(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move rising places apart until they are `gap` from each other, and as near to what is wanted as that allows."""
    from scipy.optimize import isotonic_regression

    shift = gap * np.arange(len(wanted))
    rising = isotonic_regression(np.array(wanted) - shift).x
    places = np.maximum(np.minimum(rising, high - shift[-1]), low) + shift
    return [round(place, 12) for place in places.tolist()]

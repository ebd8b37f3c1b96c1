"""Draw the figures of a report with Matplotlib, as a paper prints them: readable in grey, and without a browser."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import compress, cycle
from os import PathLike, fspath
from os.path import basename, splitext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats
from at_k.errors import InputError, write_install
from at_k.family import OUTPUTS, find_style, leave_out_twins
from at_k.report.grid import describe_size
from at_k.report.naming import find_key
from at_k.results.saving import replace_file
from at_k.validation import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from at_k.analysis.attempts import Budgets
    from at_k.analysis.compared import Compared
    from at_k.report import Report
    from at_k.report.data import Curves
    from at_k.report.scoring import Models
    from at_k.values import Key


ENDINGS = (".png", ".svg", ".pdf", ".html")
"""Endings of the name of a picture."""

WIDTH, HEIGHT = 5.5, 3.3
"""Inches: the text width of a page in the styles of ICLR and NeurIPS."""

_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
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
    """Write a figure to a file that ends in .png, .svg, .pdf or .html. If writing fails, no part of it remains."""
    ending = check_ending(path)
    with set_style(), replace_file(path) as part:
        if ending == ".html":
            part.write_text(write_page(figure), encoding="utf-8", newline="")
        else:
            part.write_bytes(render_figure(figure, ending[1:]))


def check_ending(path: str | PathLike[str]) -> str:
    """Return the ending of a picture's name, after a check that it is one of `ENDINGS`.

    Examples:
        >>> check_ending("curve.PNG")
        '.png'
    """
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
def set_style() -> Iterator[Callable[[float], tuple[Figure, Axes]]]:
    """Set the style, and yield a function that makes a figure. Nothing outside the block changes."""
    require_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    def make(right: float) -> tuple[Figure, Axes]:
        figure = Figure(figsize=(WIDTH, HEIGHT), dpi=300)
        axes = figure.add_subplot()
        figure.subplots_adjust(left=0.11, right=right, bottom=0.15, top=0.91)
        return figure, axes

    with rc_context(_STYLE):
        yield make


def render_figure(figure: Figure, form: str) -> bytes:
    """Render a figure as bytes that do not depend on the time."""
    import warnings

    stream = BytesIO()
    metadata = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    with warnings.catch_warnings():
        # A title may have signs that the font does not have. They are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(stream, format=form, metadata=metadata)
    return stream.getvalue()


def write_page(figure: Figure) -> str:
    """Write a page that holds a figure and nothing else."""
    picture = render_figure(figure, "svg").decode()
    title = html.escape(figure.axes[0].get_title(loc="left") or "at-k")
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n"
        "<style>body{margin:2rem auto;max-width:60rem;background:#fff}svg{width:100%;height:auto}</style>\n"
        f'<div role="img" aria-label="{title}">\n{picture[picture.index("<svg") :]}</div>\n</html>\n'
    )


_LIGHTEST, _DARKEST = 0.6, 0.2
"""The greys of G-Pass@k, from the lowest τ to the highest."""

_MOST_BANDS = 3
"""Up to this number of lines, each has a band. Eight bands over each other cannot be read."""

_TAU_MARKERS = "x+*1234"

_LONGEST_NAME = 10
"""Letters of a model's name beside the axis; longer names are A and B there."""

_MOST_MARKERS = 10

_LINE_HEIGHT, _LETTER = 9.5, 0.065
"""Points between the names of two lines, and the inches that a letter of a name takes on average."""


def draw_curves(report: Report, *, title: str | None = None, bands: Collection[str] | None = None) -> Figure:
    """Draw every metric against k, up to the smallest n. Each line is named at its end.

    mG-Pass@k is drawn at even k alone: where k is odd, its largest value is (k − 1)/k, and the line would jump.

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


def draw_matrix(models: Models, *, title: str | None = None) -> Figure:
    """Draw which models solve which problems: a row for each model, a column for each problem, and a staircase in both.

    The shade is the share of a problem's samples that are correct, from white for none to black for all; problems that
    a model was not given are hatched. The models are sorted from the best down, and the problems from the one that is
    solved most. A row ends in the model's mean over its problems.

    Raises:
        InputError: if there is one model only, or a report is that of a tally.

    Examples:
        >>> from at_k import score_models
        >>> models = score_models({"a": {"grades": [[1, 0], [0, 0]]}, "b": {"grades": [[1, 1], [1, 0]]}})
        >>> axes = draw_matrix(models).axes[0]
        >>> [label.get_text() for label in axes.get_yticklabels()], axes.get_images()[0].get_array().tolist()
        (['b', 'a'], [[1.0, 0.5], [0.5, 0.0]])
    """
    if len(models.reports) < 2:
        raise InputError(
            "plots.one_model",
            "A matrix is of several models; got one. Give a file for each: `{command}`.",
            command="at-k plot a.jsonl b.jsonl --kind matrix --out matrix.svg",
        )
    shares: dict[str, dict[str, float]] = {}
    for name, report in models.reports.items():
        report.require_problems("A matrix of problems")
        shares[name] = dict(zip(report.problems, (np.array(report.c) / np.array(report.n)).tolist(), strict=True))
    problems = list(dict.fromkeys(problem for own in shares.values() for problem in own))
    table = np.array([[own.get(problem, np.nan) for problem in problems] for own in shares.values()])
    means = np.nanmean(table, axis=1)
    rows = np.argsort(-means, kind="stable")
    table = table[np.ix_(rows, np.argsort(-np.nanmean(table, axis=0), kind="stable"))]
    names = [shorten_name(list(shares)[row]) for row in rows]
    with set_style() as make_figure:
        figure, axes = make_figure(1 - 0.45 / _WIDEST)
        figure.set_size_inches(_WIDEST, max(HEIGHT, 0.9 + _ROW * len(names)))
        figure.subplots_adjust(left=(0.3 + _LETTER * max(map(len, names))) / _WIDEST)
        # Behind the picture, hatches are seen where it has no share.
        axes.patch.set(facecolor="white", edgecolor="0.6", hatch="////", linewidth=0)
        axes.grid(visible=False)
        axes.imshow(table, cmap="Greys", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        axes.set_yticks(range(len(names)), names)
        axes.hlines(np.arange(len(names) - 1) + 0.5, -0.5, len(problems) - 0.5, color="0.8", linewidth=0.5)
        for place, row in enumerate(rows):
            where = (1.01, place)
            axes.annotate(f"{means[row]:.2f}", where, xycoords=("axes fraction", "data"), va="center")
        axes.set_xticks(sorted({0, len(problems) - 1}), [str(1 + each) for each in sorted({0, len(problems) - 1})])
        hatched = ", hatched: not given" if np.isnan(table).any() else ""
        axes.set_xlabel(f"problems; black: always right, white: never{hatched}")
        axes.set_title(f"{len(names)} models × {len(problems)} problems" if title is None else title, loc="left")
    return figure


_WIDEST, _ROW = 6.75, 0.22
"""Inches: the text width of a page in the style of ICML, where 500 problems have 2 dots each, and a model's row."""


def draw_budgets(found: Mapping[str, Budgets], *, title: str | None = None) -> Figure:
    """Draw the expected share of problems solved against a budget per problem: a line with its band for each model.

    Examples:
        >>> from at_k import score
        >>> from at_k.analysis.attempts import solve_by_budget
        >>> found = {"a": solve_by_budget(score({"grades": [[1, 0], [0, 0]]}), "samples")}
        >>> draw_budgets(found).axes[0].get_lines()[0].get_ydata().tolist()
        [0.0, 0.25, 0.5]
    """
    with set_style() as make_figure:
        figure, axes = make_figure(1 - (0.35 + _LETTER * min(max(map(len, found)), _LONGEST_LABEL)) / WIDTH)
        lines = [
            Drawn(name, own.budgets, own.solved, pen, np.array([own.low, own.high]))
            for (name, own), pen in zip(found.items(), cycle(_MODEL_PENS))
        ]
        for line in lines:
            axes.plot(line.k, line.values, label=line.name, markevery=max(1, len(line.k) // _MOST_MARKERS), **line.pen)
            if line.limits is not None and len(lines) <= _MOST_BANDS:
                axes.fill_between(line.k, *line.limits, color=line.pen["color"], alpha=0.15, linewidth=0)
        axes.set_xlim(0, max(float(line.k[-1]) for line in lines))
        axes.set_ylim(-0.02, 1.02)
        unit = next(iter(found.values())).unit
        axes.set_xlabel(f"budget of a problem, in {unit}")
        axes.set_ylabel("share of problems solved")
        axes.set_title("What a budget solves" if title is None else title, loc="left")
        name_ends(axes, lines)
    return figure


def draw_difference(compared: Compared, *, title: str | None = None) -> Figure:
    """Draw the difference of two models against k, with a band that holds at every k of its line.

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

"""What all pictures have in common: their style and size, and the files that they are written to."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike, fspath
from os.path import basename, splitext
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError
from at_k.report.files import replace_file
from at_k.validation import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


ENDINGS = (".png", ".svg", ".pdf", ".html")
"""What the name of a picture may end in."""

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
    """Write a figure to a file that ends in .png, .svg, .pdf or .html. If writing fails, no part of it remains.

    Raises:
        InputError: if the name ends otherwise.
        OSError: if the file cannot be written.
    """
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
            'Pictures need Matplotlib, which is not installed. Install it: pip install "at-k[plot]"'
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

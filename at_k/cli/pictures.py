"""Draw a picture of a report into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from at_k.cli.layout import lay_out_notes, name_source
from at_k.cli.options import refuse
from at_k.cli.output import say_written
from at_k.cli.terminal import make_console, print_lines
from at_k.cli.words import make_printable
from at_k.errors import InputError
from at_k.pictures import check_ending, require_matplotlib, save_figure
from at_k.plots import draw_curves, draw_map, draw_problems, draw_reliability
from at_k.report.files import check_target
from at_k.report.grid import describe_size

if TYPE_CHECKING:
    from at_k.report import Report

_DRAW = {"curves": draw_curves, "map": draw_map, "problems": draw_problems, "reliability": draw_reliability}


def check_picture(out: str) -> None:
    """Check that a picture can be drawn and written, before work is done for it.

    Raises:
        typer.BadParameter: if the name ends in nothing that is known.
        OSError: if there is no such folder.
        ImportError: if Matplotlib is not installed.
    """
    try:
        check_ending(out)
    except InputError as error:
        raise refuse("--out", str(error)) from None
    check_target(out)
    require_matplotlib()


def draw_picture(report: Report, kind: str, out: str, title: str | None) -> None:
    """Draw a picture of this kind, and say what its reader should know."""
    if title is None:
        title = make_printable(f"{name_source(report.source)}: {describe_size(report)}")
    save_figure(_DRAW[kind](report, title=title), out)
    console = make_console(stderr=True)
    print_lines(lay_out_notes(report, console.width), console)
    say_written(out)

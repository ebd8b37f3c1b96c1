"""Draw a picture of a report into a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from at_k.cli.layout import lay_out_notes, list_sentences, name_source
from at_k.cli.options import refuse
from at_k.cli.output import say_written
from at_k.cli.scoring import list_models, make_models, make_report
from at_k.cli.terminal import Line, make_console, print_lines
from at_k.cli.words import make_printable, spell
from at_k.errors import InputError
from at_k.pictures import check_ending, require_matplotlib, save_figure
from at_k.plots import draw_curves, draw_difference, draw_map, draw_models, draw_problems, draw_reliability
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
    _save(_DRAW[kind](report, title=title), out, partial(lay_out_notes, report))


def draw_several(
    paths: Sequence[str], out: str, title: str | None, *, metrics: list[str] | None, **options: Any
) -> None:
    """Draw one metric of several models against k, a line for each model."""
    if metrics is not None and len(metrics) > 1:
        raise refuse("--metric", f"Several models are drawn by one metric; got {', '.join(metrics)}.")
    models = make_models(paths, metrics=metrics or ["pass@k"], **options, confidence_level=0.95)
    figure = draw_models(models, line=(metrics or ["pass@k"])[0], title=title)
    _save(figure, out, lambda width: list_sentences(models.notes, width, "yellow"))


def draw_two(
    paths: Sequence[str], out: str, title: str | None, *, where: Mapping[str, list[str]] | None, **options: Any
) -> None:
    """Draw the difference of two models against k, and say for which k which one is better."""
    from at_k.analysis.comparison import compare

    models = list_models(paths, where or {})
    if len(models) != 2:
        raise refuse("--kind", f"A difference is of two models; got {len(models)}.")
    reports = [make_report([path], where=own, **options, confidence_level=None) for path, own in models.values()]
    first, second = map(make_printable, models)
    found = compare(*reports, names=(first, second), band=True)
    said = [" ".join(map(spell, each)) for each in found.describe_bands()]
    _save(draw_difference(found, title=title), out, lambda width: list_sentences(said, width, ""))


def _save(figure: Any, out: str, lay_out: Callable[[int], list[Line]]) -> None:
    """Write a figure, and say beside it what its reader should know."""
    save_figure(figure, out)
    console = make_console(stderr=True)
    print_lines(lay_out(console.width), console)
    say_written(out)

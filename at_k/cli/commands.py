"""The commands and their options. Their work is done in the files beside this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from at_k.cli.failures import Command, Commands, fail, is_given
from at_k.cli.options import (
    FORM,
    Form,
    Models,
    Paths,
    Version,
    files,
    leave_out,
    offers,
    out_file,
    read_conditions,
    read_numbers,
    refuse,
    written,
)
from at_k.options.registry import (
    COMPARING,
    GATING,
    JUDGED,
    PILOT,
    PLANNING,
    POOLING,
    SCORED,
    SCORING,
    TALLYING,
)

app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def main(
    version: Version = False,
) -> None:
    """Compute metrics for models that are sampled more than once, from the files that harnesses write."""


@app.command(cls=Command)
@offers(SCORING)
def score(
    paths: Paths,
    form: Annotated[
        Literal["table", "json", "csv", "markdown", "latex", "html"] | None,
        written(
            "--format",
            metavar="FORM",
            help="table, json, csv, markdown, latex or html; by default a table, or what the ending of --out says.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        out_file(
            "Write the report to a file. A report in .json can be given in place of the results afterwards."
        ),
    ] = None,
    models: Models = False,
    script: Annotated[
        bool,
        written(
            "--script",
            help="Print the Python lines that give the same numbers instead.",
            hidden=True,
        ),
    ] = False,
    **options: Any,
) -> None:
    """Compute every metric that results files support: metrics down, k across, groups below."""
    from at_k.cli.output import check_out, choose_form, write_result
    from at_k.cli.scoring import make_models, make_report
    from at_k.report.report import write_script

    chosen = choose_form(form, out)
    check_out(paths, out)
    if models or any(getattr(path, "name", "") for path in paths):
        if script:
            raise refuse("--script", "This is for one model, and not for the table of --models.")
        write_result(make_models(paths, **options), chosen, out)
        return
    report = make_report(paths, **options)
    if script:
        typer.echo(write_script(report), nl=False)
    if not script or out is not None:
        write_result(report, chosen, out)


@app.command(cls=Command)
@offers(leave_out(SCORED, "k", "metrics", "where", "rows_at"))
def select(
    paths: Paths,
    conditions: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="Such as '0.1 <= avg <= 0.9', 'pass@4 >= 0.5 and maj@8 == 1'. Several hold together. COLUMN=VALUE, "
            "such as model=a, says which rows are read.",
        ),
    ] = None,
    audit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Draw N problems at random: a sheet as CSV for the verdicts of --audited.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of the draw of --audit.")] = 0,
    form: Annotated[
        Literal["names", "jsonl"],
        written("--format", help="names: a name a line. jsonl: with n, c and every value."),
    ] = "names",
    **options: Any,
) -> None:
    """Select problems by their values, such as those that are neither too easy nor too hard to train on."""
    from at_k.cli.scoring import print_audit, print_selection

    condition, rows = read_conditions(conditions)
    if (audit is None) == (not condition):
        raise refuse(
            "--where",
            "Say which problems: --where '0.1 <= avg <= 0.9', or --audit 40 for a random draw.",
        )
    if audit is not None:
        print_audit(paths, audit, seed, where=rows, **options)
        return
    print_selection(paths, condition, form=form, where=rows, **options)


@app.command(cls=Command)
@offers(TALLYING)
def tally(
    paths: Paths,
    out: Annotated[
        str,
        out_file("The file of the counts, .json, which at-k score takes. - is standard output."),
    ] = "-",
    **options: Any,
) -> None:
    """Count problems by what their numbers depend on, file by file: counts of many machines add up to one report."""
    from at_k.cli.scoring import count_files

    count_files(paths, out=out, **options)


@app.command(cls=Command)
@offers(SCORING)
def convert(
    paths: Paths,
    to: Annotated[Literal["every-eval-ever"], written(help="The format to write.")],
    out: Annotated[str, out_file("The folder to write into.", "FOLDER")] = ".",
    model: Annotated[
        str | None,
        written(metavar="ORG/NAME", help="The name of the model; by default what the files say."),
    ] = None,
    dataset: Annotated[
        str | None,
        written(metavar="NAME", help="The name of the data set; by default what the files say."),
    ] = None,
    **options: Any,
) -> None:
    """Write results files of any harness in the format of Every Eval Ever 0.3, each number with its uncertainty."""
    from at_k.cli.scoring import convert_files

    convert_files(paths, out=out, model=model, dataset=dataset, **options)


@app.command(cls=Command)
@offers(leave_out(SCORED, "k"))
def plot(
    paths: Paths,
    out: Annotated[str, out_file("The picture: .png, .svg or .pdf.")],
    kind: Annotated[
        Literal["curves", "difference", "matrix", "budget"],
        written(
            metavar="KIND",
            help="curves: all metrics against k. difference: of two models, given as in at-k compare, with a band that "
            "holds at every k. matrix: of several models, the share right of every problem. "
            "budget: the share of problems solved against a budget of each, in the role cost or in samples.",
        ),
    ] = "curves",
    title: Annotated[
        str | None, written(metavar="TEXT", help="By default the name of the file; '' for none.")
    ] = None,
    models: Models = False,
    **options: Any,
) -> None:
    """Draw metrics, or the difference of two models, against k, as a paper would print them."""
    from at_k.cli.questions import (
        check_picture,
        draw_budget,
        draw_grid,
        draw_one,
        draw_several,
        draw_two,
    )
    from at_k.cli.scoring import make_report

    check_picture(out)
    if kind == "curves" and not models and not any(getattr(path, "name", "") for path in paths):
        draw_one(make_report(paths, **options, confidence_level=0.95), out, title)
        return
    draw: dict[str, Callable[..., None]] = {
        "curves": draw_several,
        "difference": draw_two,
        "matrix": draw_grid,
        "budget": draw_budget,
    }
    draw[kind](paths, out, title, **options)


@app.command(cls=Command)
@offers(COMPARING | {"pool_by": POOLING["pool_by"]}, SCORED)
def compare(
    paths: Annotated[
        list[str],
        files(
            "FILE",
            "The results of each model, or a report that was saved. For two models in one file, give that file and "
            "--where for each: --where model=a --where model=b.",
        ),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="The results of the second model, one for each file of the first: several benchmarks, each compared "
            "and all pooled.",
            rich_help_panel=COMPARING["margin"].group,
        ),
    ] = None,
    form: Form = "table",
    **options: Any,
) -> None:
    """Compare two models on the same problems, or rank several: is A better than B?"""
    from at_k.cli.questions import compare_files

    compare_files(paths, form=form, against=against or [], **options)


@app.command(cls=Command)
@offers(GATING, JUDGED)
def gate(
    paths: Annotated[
        list[str],
        files(
            "RESULTS",
            "The results of the candidate, or a report that was saved: one file or folder for each data set.",
        ),
    ],
    ctx: typer.Context,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BASE",
            help="The results that the candidate may not be worse than, by more than --margin: one for each data set.",
            rich_help_panel=GATING["margin"].group,
        ),
    ] = None,
    form: Annotated[
        Literal["table", "json", "csv", "markdown", "latex", "html", "junit"], FORM
    ] = "table",
    out: Annotated[
        list[str] | None, out_file("Write the decision too, as .xml (JUnit), .md or .json.")
    ] = None,
    **options: Any,
) -> None:
    """Judge results by what is required of them: exit with 0 for PASS, 1 for FAIL, 2 for errors, 3 for INCONCLUSIVE."""
    from at_k.cli.questions import judge_files

    chosen = {name: value for name, value in options.items() if is_given(ctx, name)}
    raise typer.Exit(
        judge_files(paths, against=against or [], form=form, out=out or [], ctx=ctx, **chosen)
    )


@app.command(cls=Command)
@offers(PLANNING, PILOT)
def plan(
    paths: Annotated[
        list[str] | None,
        files(
            "[PATH]",
            "The results of a pilot, or a report that was saved; none with --expect. A second path is another model on "
            "the same problems: it tells how much their difficulties correlate. With --pool, several hold one model.",
        ),
    ] = None,
    predict: Annotated[
        list[str] | None,
        typer.Option(
            metavar="K,...",
            help="Predict pass@k for these k above n.",
            rich_help_panel=PLANNING["k"].group,
        ),
    ] = None,
    form: Form = "table",
    **options: Any,
) -> None:
    """Plan a measurement from a pilot: how many problems, and how many samples of each?"""
    from at_k.cli.questions import plan_files

    plan_files(paths or [], form=form, predict=read_numbers("--predict", predict), **options)


@app.command(cls=Command)
@offers(leave_out(SCORED, "metrics", "thresholds"))
def diagnose(
    paths: Paths,
    form: Form = "table",
    whole: Annotated[
        bool, written("--all", help="Print every finding, and how the data were read.")
    ] = False,
    **options: Any,
) -> None:
    """Say in sentences what results files show, and what in them must be a mistake; each with its rule."""
    from at_k.analysis.diagnosis import diagnose as diagnose_report
    from at_k.cli.output import write_result
    from at_k.cli.scoring import make_report

    found = diagnose_report(make_report(paths, **options, confidence_level=0.95))
    write_result(found.sheet() if whole else found, form)


@app.command(cls=Command)
@offers()
def formats(
    name: Annotated[str | None, files("NAME", "Show one format, with a line to copy.")] = None,
) -> None:
    """List the formats of results files, and how to get n samples out of each harness."""
    from at_k.cli.scoring import print_formats

    print_formats(name)


@app.command(cls=Command)
@offers()
def register(
    undo: Annotated[bool, typer.Option("--undo", help="Take the modules out again.")] = False,
) -> None:
    """Let evaluate.load("gpassk"), and the other names, work from any directory, without a network."""
    from at_k.family import METRICS, register as register_modules

    try:
        folders = register_modules(undo=undo)
    except OSError as error:
        fail(f"The module cache of evaluate, below HF_HOME, cannot be written: {error}")
    for folder in folders:
        typer.echo(f"{'removed' if undo else 'registered'} {folder}")
    if undo and not folders:
        typer.echo("nothing was registered")
    if not undo:
        typer.echo(
            f"evaluate.load({METRICS[0]!r}), and the other names, now work from any directory"
        )

"""The commands and their options. Their work is done in the files beside this one."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import at_k
from at_k.cli.failures import Command, fail
from at_k.cli.options import (
    NUMBERS,
    OUTPUT,
    READING,
    TIMEOUT,
    By,
    Check,
    CiMethod,
    Clusters,
    Columns,
    Confidence,
    Conflict,
    Debug,
    Draws,
    Equivalence,
    Errors,
    Extract,
    ExtractReference,
    Filter,
    InputFormat,
    Level,
    Metrics,
    Missing,
    Paths,
    Pool,
    Scorer,
    Target,
    Taus,
    Tests,
    Threshold,
    Ties,
    Timeout,
    Where,
    Workers,
    check_share,
    check_tests,
    complete_formats,
    read_numbers,
    read_tau,
)

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"at-k {at_k.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Compute metrics for models that are sampled more than once, from the files that harnesses write."""


@app.command(cls=Command)
def score(
    paths: Paths,
    metric: Metrics = None,
    k: Draws = None,
    tau: Taus = None,
    missing: Missing = "error",
    ties: Ties = "random",
    on_conflict: Conflict = "error",
    threshold: Threshold = 0.5,
    extract: Extract = None,
    extract_reference: ExtractReference = None,
    check: Check = "exact_match",
    equivalence: Equivalence = "exact",
    num_workers: Workers = None,
    timeout: Timeout = TIMEOUT,
    ci: Level = "0.95",
    target: Target = "population",
    clusters: Clusters = None,
    ci_method: CiMethod = "beta",
    by: By = None,
    columns: Columns = None,
    where: Where = None,
    pool: Pool = None,
    input_format: InputFormat = None,
    scorer: Scorer = None,
    filter_name: Filter = None,
    tests: Tests = None,
    errors: Errors = "raise",
    form: Annotated[
        Literal["table", "json", "csv", "markdown", "latex"] | None,
        typer.Option(
            "--format",
            metavar="FORM",
            help="table, json, csv, markdown or latex; by default a table, or what the ending of --out says.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write the report to a file, and print nothing.", rich_help_panel=OUTPUT
        ),
    ] = None,
    per_problem: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the values of each problem too, as .csv, .jsonl or .parquet.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save the report too, as .json or .parquet: it can be given in place of the results afterwards.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    script: Annotated[
        bool,
        typer.Option(
            "--script",
            help="Print the Python lines that give the same numbers, instead of the numbers.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    """Compute every metric that results files allow: metrics down, k across, groups below."""
    from at_k.cli.output import check_targets, choose_form, say_written, write_problems, write_report
    from at_k.cli.scoring import make_report

    chosen = choose_form(form, out)
    check_targets(paths, out=out, per_problem=per_problem, save=save)
    report = make_report(
        paths,
        metrics=metric,
        k=k,
        tau=tau,
        by=by,
        columns=columns,
        where=where,
        pool=pool,
        input_format=input_format,
        missing=missing,
        ties=ties,
        on_conflict=on_conflict,
        threshold=threshold,
        extract_fn=extract,
        extract_reference=extract_reference,
        check_correct_fn=check,
        equivalence=equivalence,
        num_workers=num_workers,
        timeout=timeout,
        scorer=scorer,
        filter=filter_name,
        tests=tests,
        errors=errors,
        ci=ci,
        target=target,
        clusters=clusters,
        ci_method=ci_method,
    )
    if script:
        typer.echo(report.script(), nl=False)
    if not script or out is not None:
        write_report(report, chosen, out)
    if per_problem is not None:
        write_problems(report, per_problem)
        say_written(per_problem)
    if save is not None:
        report.save(save)
        say_written(save)


@app.command(cls=Command)
def plot(
    paths: Paths,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The picture: .png, .svg, .pdf or .html.", rich_help_panel=OUTPUT
        ),
    ],
    kind: Annotated[
        Literal["curves", "map", "problems", "reliability"],
        typer.Option(
            metavar="KIND",
            help="curves: all metrics against k. map: G-Pass@k over k and tau. problems: the share of correct samples "
            "of each problem. reliability: how often answers are correct against the share of their vote, or a score.",
            rich_help_panel=OUTPUT,
        ),
    ] = "curves",
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="By default the name of the file; '' for none.", rich_help_panel=OUTPUT),
    ] = None,
    metric: Metrics = None,
    tau: Taus = None,
    missing: Missing = "error",
    ties: Ties = "random",
    on_conflict: Conflict = "error",
    threshold: Threshold = 0.5,
    extract: Extract = None,
    extract_reference: ExtractReference = None,
    check: Check = "exact_match",
    equivalence: Equivalence = "exact",
    num_workers: Workers = None,
    timeout: Timeout = TIMEOUT,
    columns: Columns = None,
    where: Where = None,
    pool: Pool = None,
    input_format: InputFormat = None,
    scorer: Scorer = None,
    filter_name: Filter = None,
    tests: Tests = None,
    errors: Errors = "raise",
    debug: Debug = False,
) -> None:
    """Draw metrics against k, G-Pass@k over k and tau, the problems, or calibration, as a paper would print them."""
    from at_k.cli.pictures import check_picture, draw_picture
    from at_k.cli.scoring import make_report

    check_picture(out)
    needed = {"curves": metric, "map": ["avg_at_n"], "problems": ["avg_at_n"], "reliability": ["avg_at_n"]}[kind]
    report = make_report(
        paths,
        metrics=needed,
        k=None,
        tau=tau,
        by="none",
        columns=columns,
        where=where,
        pool=pool,
        input_format=input_format,
        missing=missing,
        ties=ties,
        on_conflict=on_conflict,
        threshold=threshold,
        extract_fn=extract,
        extract_reference=extract_reference,
        check_correct_fn=check,
        equivalence=equivalence,
        num_workers=num_workers,
        timeout=timeout,
        scorer=scorer,
        filter=filter_name,
        tests=tests,
        errors=errors,
        ci="0.95" if kind == "curves" else "none",
    )
    draw_picture(report, kind, out, title)


@app.command(cls=Command)
def compare(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="The results of each model, or a report that was saved. For two models in one file, give that file "
            "and --where for each: --where model=a --where model=b.",
            show_default=False,
        ),
    ],
    metric: Metrics = None,
    k: Draws = None,
    tau: Taus = None,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=check_share,
            help="A difference that does not matter, such as 0.02. Are the models equivalent within it?",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    method: Annotated[
        Literal["sign-flip", "bounded"],
        typer.Option(
            "--ci-method",
            help="How intervals are made. bounded holds the truth where large differences are rare, too, and finds "
            "fewer differences.",
            rich_help_panel=NUMBERS,
        ),
    ] = "sign-flip",
    clusters: Clusters = None,
    extra_test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            callback=check_tests,
            help="A further test beside the sign-flip test: t, wilcoxon or mcnemar.",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    unmatched: Annotated[
        Literal["error", "drop", "unpaired"],
        typer.Option(
            help="Problems that not all models have are an error, or are dropped, or the models are compared without "
            "pairs of problems, which sees far less.",
            rich_help_panel=READING,
        ),
    ] = "error",
    missing: Missing = "error",
    ties: Ties = "random",
    on_conflict: Conflict = "error",
    threshold: Threshold = 0.5,
    extract: Extract = None,
    extract_reference: ExtractReference = None,
    check: Check = "exact_match",
    equivalence: Equivalence = "exact",
    num_workers: Workers = None,
    timeout: Timeout = TIMEOUT,
    columns: Columns = None,
    where: Where = None,
    pool: Pool = None,
    input_format: InputFormat = None,
    scorer: Scorer = None,
    filter_name: Filter = None,
    tests: Tests = None,
    errors: Errors = "raise",
    form: Annotated[
        Literal["table", "json", "markdown"],
        typer.Option("--format", help="The form of what is printed.", rich_help_panel=OUTPUT),
    ] = "table",
    debug: Debug = False,
) -> None:
    """Compare two models on the same problems, or rank several: is A better than B?"""
    from at_k.cli.comparison import compare_files

    compare_files(
        paths,
        level=confidence,
        method=method,
        margin=margin,
        extra_tests=extra_test or [],
        unmatched=unmatched,
        clusters=clusters,
        form=form,
        metrics=metric,
        k=k,
        tau=tau,
        columns=columns,
        where=where,
        pool=pool,
        input_format=input_format,
        missing=missing,
        ties=ties,
        on_conflict=on_conflict,
        threshold=threshold,
        extract_fn=extract,
        extract_reference=extract_reference,
        check_correct_fn=check,
        equivalence=equivalence,
        num_workers=num_workers,
        timeout=timeout,
        scorer=scorer,
        filter=filter_name,
        tests=tests,
        errors=errors,
    )


@app.command(cls=Command)
def plan(
    paths: Paths,
    k: Annotated[
        int,
        typer.Option(
            "--k", "-k", metavar="K", min=1, help="The k of pass@k; pass@1 is avg@n.", rich_help_panel=NUMBERS
        ),
    ] = 1,
    tau: Annotated[
        str | None,
        typer.Option(metavar="T", help="Plan for G-Pass@k with this threshold instead.", rich_help_panel=NUMBERS),
    ] = None,
    problems: Annotated[
        list[str] | None,
        typer.Option(metavar="M,...", help="Numbers of problems in the table: 100,300.", rich_help_panel=NUMBERS),
    ] = None,
    samples: Annotated[
        list[str] | None,
        typer.Option(metavar="N,...", help="Numbers of samples in the table: 4,16.", rich_help_panel=NUMBERS),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=check_share,
            help="How many problems, or samples, does an interval of ± X take?",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    detect: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=check_share,
            help="How many problems does it take to find a difference of X between two models?",
            rich_help_panel=NUMBERS,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    predict: Annotated[
        list[str] | None,
        typer.Option(metavar="K,...", help="Predict pass@k for these k above n.", rich_help_panel=NUMBERS),
    ] = None,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive", help="Show how many samples a vote takes until it is settled.", rich_help_panel=NUMBERS
        ),
    ] = False,
    missing: Missing = "error",
    threshold: Threshold = 0.5,
    extract: Extract = None,
    extract_reference: ExtractReference = None,
    check: Check = "exact_match",
    equivalence: Equivalence = "exact",
    num_workers: Workers = None,
    timeout: Timeout = TIMEOUT,
    columns: Columns = None,
    where: Where = None,
    pool: Pool = None,
    input_format: InputFormat = None,
    scorer: Scorer = None,
    filter_name: Filter = None,
    tests: Tests = None,
    errors: Errors = "raise",
    form: Annotated[
        Literal["table", "json"],
        typer.Option("--format", help="The form of what is printed.", rich_help_panel=OUTPUT),
    ] = "table",
    debug: Debug = False,
) -> None:
    """Plan a measurement from a pilot: how many problems, and how many samples of each?"""
    from at_k.cli.planning import plan_files

    plan_files(
        paths,
        k=k,
        tau=read_tau(tau),
        level=confidence,
        form=form,
        problems=read_numbers("--problems", problems),
        samples=read_numbers("--samples", samples),
        half_width=half_width,
        detect=detect,
        predict=read_numbers("--predict", predict),
        adaptive=adaptive,
        columns=columns,
        where=where,
        pool=pool,
        input_format=input_format,
        missing=missing,
        threshold=threshold,
        extract_fn=extract,
        extract_reference=extract_reference,
        check_correct_fn=check,
        equivalence=equivalence,
        num_workers=num_workers,
        timeout=timeout,
        scorer=scorer,
        filter=filter_name,
        tests=tests,
        errors=errors,
    )


@app.command(cls=Command)
def diagnose(
    paths: Paths,
    k: Draws = None,
    missing: Missing = "error",
    ties: Ties = "random",
    on_conflict: Conflict = "error",
    threshold: Threshold = 0.5,
    extract: Extract = None,
    extract_reference: ExtractReference = None,
    check: Check = "exact_match",
    equivalence: Equivalence = "exact",
    num_workers: Workers = None,
    timeout: Timeout = TIMEOUT,
    columns: Columns = None,
    where: Where = None,
    pool: Pool = None,
    input_format: InputFormat = None,
    scorer: Scorer = None,
    filter_name: Filter = None,
    tests: Tests = None,
    errors: Errors = "raise",
    form: Annotated[
        Literal["text", "json", "markdown"],
        typer.Option("--format", help="The form of the diagnosis.", rich_help_panel=OUTPUT),
    ] = "text",
    debug: Debug = False,
) -> None:
    """Say in sentences what results files show, and what in them must be a mistake; each with its rule."""
    from at_k.cli.diagnosis import print_diagnosis
    from at_k.cli.scoring import make_report

    report = make_report(
        paths,
        metrics=None,
        k=k,
        tau=None,
        by="none",
        columns=columns,
        where=where,
        pool=pool,
        input_format=input_format,
        missing=missing,
        ties=ties,
        on_conflict=on_conflict,
        threshold=threshold,
        extract_fn=extract,
        extract_reference=extract_reference,
        check_correct_fn=check,
        equivalence=equivalence,
        num_workers=num_workers,
        timeout=timeout,
        scorer=scorer,
        filter=filter_name,
        tests=tests,
        errors=errors,
    )
    print_diagnosis(report, form)


@app.command(cls=Command)
def formats(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Show one format, with a line to copy.",
            show_default=False,
            autocompletion=complete_formats,
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """List the formats of results files, and how to get n samples out of each harness."""
    from at_k.cli.catalogue import print_format, print_formats

    if name is None:
        print_formats()
    else:
        print_format(name)


@app.command(cls=Command)
def register(
    undo: Annotated[bool, typer.Option("--undo", help="Take the modules out again.")] = False, debug: Debug = False
) -> None:
    """Let evaluate.load("gpassk"), and the other names, work from any directory, without a network."""
    from at_k.family import METRICS
    from at_k.registration import register as register_modules

    try:
        folders = register_modules(undo=undo)
    except OSError as error:
        fail(f"The module cache of evaluate, below HF_HOME, cannot be written: {error}")
    for folder in folders:
        typer.echo(f"{'removed' if undo else 'registered'} {folder}")
    if undo and not folders:
        typer.echo("nothing was registered")
    if not undo:
        typer.echo(f"evaluate.load({METRICS[0]!r}), and the other names, now work from any directory")

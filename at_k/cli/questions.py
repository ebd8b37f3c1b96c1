"""Compare, gate and plan from files, and draw what a command says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os.path import basename, splitext
from typing import TYPE_CHECKING, Any

from at_k.analysis.ranking import RANKS, Ranking
from at_k.cli.asking import write_plan
from at_k.cli.options import refuse, spell
from at_k.cli.output import (
    BY_ENDING,
    check_out,
    make_console,
    print_lines,
    save_form,
    say_written,
    show_work,
    write_result,
)
from at_k.cli.scoring import list_models, make_models, make_report
from at_k.errors import InputError, Mention, Message, Phrases
from at_k.options.registry import COMPARING, PILOT, PLANNING, POOLING
from at_k.plots import (
    check_ending,
    draw_budgets,
    draw_curves,
    draw_difference,
    draw_matrix,
    draw_models,
    require_matplotlib,
    save_figure,
)
from at_k.readers.files.paths import name_models
from at_k.report.grid import describe_size, describe_source, find_twins, note_twins
from at_k.report.notes import describe_reading
from at_k.results.saving import check_target
from at_k.results.sheet import Sentences, Sheet, make_printable
from at_k.results.writers import lay_out
from at_k.validation import list_common

if TYPE_CHECKING:
    from at_k.report import Report

_say = Phrases(
    {
        "budget.samples": "The budget counts samples. If a column says what each cost, name it: "
        "{columns}.",
        "budget.simulated": "Simulated, since costs differ: an error of at most {error:.1g}.",
    }
)


def compare_files(
    paths: Sequence[str],
    *,
    form: str,
    where: Mapping[str, list[str]] | None,
    against: Sequence[str],
    pool_by: str,
    **options: Any,
) -> None:
    """Compare two models, or rank several, and print what was found."""
    from at_k.analysis.comparison import compare
    from at_k.analysis.measurements import choose_keys, read_report
    from at_k.analysis.ranking import rank

    if against:
        _compare_benchmarks(paths, against, form, {"pool_by": pool_by, "where": where, **options})
        return
    models = list_models(paths, where or {})
    comparing = {
        name: options[name] for name in COMPARING if name in options and name != "clusters"
    }
    if len(models) > 2:
        sentence = "This is for two models. Several are ranked by the sign-flip test."
        _refuse_given(options, ("method", *_OF_TWO), sentence)
        if comparing["unmatched"] == "unpaired":
            raise refuse(
                "--unmatched", "Several models are ranked on the same problems only: error or drop."
            )
    scoring = _choose_scoring(options)
    reports = {
        name: make_report([path], where=chosen, **scoring)
        for name, (path, chosen) in models.items()
    }
    if len(models) == 2:
        (a, first), (b, second) = reports.items()
        write_result(compare(first, second, names=(a, b), **comparing), form)
        return
    keys = choose_keys(None, list(map(read_report, reports.values())))
    ranking = {name: comparing[name] for name in ("confidence_level", "unmatched", "looks")}
    rankings = {key: rank(reports, metrics=key, **ranking) for key in keys}
    write_result(join_rankings(rankings), form)


def join_rankings(rankings: Mapping[str, Ranking]) -> Sheet:
    """Join the rankings of several numbers: pairs are shown of one alone, and equal numbers and a note once."""
    sheets = {key: ranking.sheet() for key, ranking in rankings.items()}
    numbers = {key: [*ranking.values.values()] for key, ranking in rankings.items()}
    notes: list[Message] = []
    for ranking in rankings.values():
        notes += [note for note in ranking.notes if note not in notes]
    notes += note_twins(numbers)
    twins = find_twins(numbers)
    shown = {key: sheet for key, sheet in sheets.items() if key not in twins}
    tables = 2 if len(shown) == 1 else 1
    parts: list[Any] = []
    for key, sheet in shown.items():
        parts.append(Sheet(sheet.parts[:tables], f"{key}  {sheet.title}"))
    parts += [Sentences([RANKS], "legend"), Sentences(notes, "note")]
    return Sheet(
        parts,
        data=lambda: {key: sheet.data() for key, sheet in sheets.items()},
    )


def _compare_benchmarks(
    paths: Sequence[str], against: Sequence[str], form: str, options: dict[str, Any]
) -> None:
    """Compare two models on several benchmarks, and print the pooled decision and that of each."""
    from at_k.analysis.benchmarks import compare_benchmarks

    if len(against) != len(paths):
        raise refuse(
            "--against",
            f"Give one file for each of the {len(paths)} benchmarks; got {len(against)}.",
        )
    _refuse_given(options, _OF_TWO, "This is for one benchmark.")
    pooling = {name: options[name] for name in POOLING if name in options and name != "clusters"}
    scoring = _choose_scoring(options)
    names = name_models(paths)

    def score_benchmarks(files: Sequence[str]) -> dict[str, Report]:
        return {
            name: make_report([path], **scoring) for name, path in zip(names, files, strict=True)
        }

    compared = compare_benchmarks(score_benchmarks(paths), score_benchmarks(against), **pooling)
    write_result(compared, form)


# Options of a comparison of two models on one benchmark.
_OF_TWO = ("margin", "extra_tests", "band", "target")


def _refuse_given(options: Mapping[str, Any], names: Sequence[str], sentence: str) -> None:
    """Raise if one of these options is not the default."""
    for name in names:
        if options[name] != COMPARING[name].default:
            raise refuse(COMPARING[name].spelling, sentence)


def _choose_scoring(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say how the models of a comparison are scored; clusters are their groups."""
    scoring = {
        name: value
        for name, value in options.items()
        if name not in COMPARING and name != "pool_by"
    }
    field = options["clusters"]
    return scoring | {"clusters": field, "groups": field or "none", "confidence_level": None}


# Ending of a file → the form that is written into it.
_FORMS = {**BY_ENDING, ".xml": "junit"}


def judge_files(
    paths: Sequence[str],
    *,
    against: Sequence[str],
    form: str,
    out: Sequence[str],
    ctx: Any,
    **given: Any,
) -> int:
    """Judge files, print and write the decision, and return the status with which the command ends."""
    from at_k.analysis.gate import gate
    from at_k.analysis.gated import INCONCLUSIVE
    from at_k.analysis.requirements import load_policy

    if against and len(against) != len(paths):
        raise refuse(
            "--against", f"Give one base for each of the {len(paths)} results; got {len(against)}."
        )
    for path in out:
        if splitext(path)[1].lower() not in _FORMS:
            raise refuse("--out", f"The name must end in {', '.join(_FORMS)}; got {path!r}.")
        check_out([*paths, *against], path)
    stems = [basename(path.rstrip("/")).partition(".")[0] for path in paths]
    names = [
        stem if stems.count(stem) == 1 else path for stem, path in zip(stems, paths, strict=True)
    ]
    policy = None
    if "policy" in given:
        policy = load_policy(given["policy"])
    unknown = [
        name
        for name, table in (policy or {}).items()
        if isinstance(table, dict) and name not in names
    ]
    if unknown:
        raise refuse(
            "--policy",
            f"There are no results for {', '.join(unknown)}. Name the file or folder like this.",
        )
    if "clusters" in given:
        given["columns"] = {**(given.get("columns") or {}), "group": given["clusters"]}
        given["clusters"] = True
    given["policy"] = policy
    gates = []
    for place, (path, name) in enumerate(zip(paths, names, strict=True)):
        with show_work(f"Scoring {describe_source([path])}"):
            base = None
            if against:
                base = against[place]
            gates.append(gate(path, base, data=name if len(paths) > 1 or policy else None, **given))
    result = sum(gates[1:], gates[0])
    for path in out:
        save_form(result, _FORMS[splitext(path)[1].lower()], path, junit=result.to_junit)
        say_written(path)
    write_result(result, form, junit=result.to_junit)
    for place, part in enumerate(gates):
        open_ = [check for check in part.checks if check.decision == INCONCLUSIVE]
        if open_ and result.decision == INCONCLUSIVE:
            base = against[place] if against else None
            command = write_plan(open_[0], paths[place], base, ctx)
            if command:
                print_lines([[(command, "bold")]], make_console(stderr=form != "table"))
            break
    return result.exit_code


def plan_files(
    paths: Sequence[str], *, predict: list[int] | None, form: str, **options: Any
) -> None:
    """Print what a pilot tells about other measurements."""
    from at_k.analysis.planning import plan
    from at_k.uncertainty.prediction import predict_pass_at_k

    asked = {name: options.pop(name) for name in PLANNING if name in options}
    k, problems, samples = (asked[name] for name in ("k", "problems", "samples"))
    if problems and min(problems) < 2:
        raise refuse("--problems", "Give at least two problems.")
    if samples and min(samples) < k:
        raise refuse("--samples", f"Give at least k = {k} samples; got {min(samples)}.")
    if (asked.get("expect") is None) == (not paths):
        raise refuse(
            "PATH",
            "Give the results of a pilot, or --expect with the accuracy that you expect, such as 50%; one of them.",
        )
    if not paths:
        if predict is not None:
            raise refuse("--predict", "A prediction needs the results of a pilot.")
        write_result(plan(**asked), form)
        return
    # Two files are two models, unless --pool says that they are one.
    two = len(paths) == 2 and options["pool"] == PILOT["pool"].default
    models = [paths]
    if two:
        models = [[path] for path in paths]
    report, *others = (
        make_report(files, **options, metrics=["avg_at_n"], confidence_level=None)
        for files in models
    )
    outcome = plan(report, *others, **asked)
    predicted = None
    if predict is not None:
        predicted = predict_pass_at_k(*report.list_counts(), k=predict)
    read = []
    if report.origin is not None:
        read = list(describe_reading(report.origin))
    # A prediction is shown alone, unless something of the plan is asked for too.
    planned = predicted is None or any(
        asked[name] != option.default for name, option in PLANNING.items() if name in asked
    )
    shown = outcome.sheet()
    parts: list[Any] = []
    if planned:
        parts += shown.parts
    data = {**shown.data(), "notes": [*read, *outcome.notes]}
    if predicted is not None:
        sheet = predicted.sheet()
        parts.append(sheet)
        data["predicted"] = sheet.data()
    title = f"Pilot: {describe_size(report)}, {outcome.key} = {outcome.value:.3f}"
    write_result(Sheet([*parts, Sentences(read, "note")], title, data=lambda: data), form)


def check_picture(out: str) -> None:
    """Check that a picture can be drawn and written, before work is done for it."""
    try:
        check_ending(out)
    except InputError as error:
        raise refuse("--out", str(error)) from None
    check_target(out)
    require_matplotlib()


def draw_one(report: Report, out: str, title: str | None) -> None:
    """Draw the metrics of a report against k, and say what its reader should know."""
    if title is None:
        title = make_printable(f"{describe_source(report.source)}: {describe_size(report)}")
    _save(
        draw_curves(report, title=title),
        out,
        [
            part
            for part in report.sheet(short=True).parts
            if isinstance(part, Sentences) and part.kind != "fact"
        ],
    )


def draw_several(
    paths: Sequence[str], out: str, title: str | None, *, metrics: list[str] | None, **options: Any
) -> None:
    """Draw one metric of several models against k, a line for each model."""
    if metrics is not None and len(metrics) > 1:
        raise refuse(
            "--metrics", f"Several models are drawn by one metric; got {', '.join(metrics)}."
        )
    models = make_models(paths, metrics=metrics or ["pass@k"], **options, confidence_level=0.95)
    figure = draw_models(models, line=(metrics or ["pass@k"])[0], title=title)
    _save(figure, out, [Sentences(models.notes, "note")])


def draw_grid(paths: Sequence[str], out: str, title: str | None, **options: Any) -> None:
    """Draw the share right of every problem and model."""
    models = make_models(paths, **options, confidence_level=None)
    _save(draw_matrix(models, title=title), out, [Sentences(models.notes, "note")])


def draw_budget(paths: Sequence[str], out: str, title: str | None, **options: Any) -> None:
    """Draw what a budget per problem solves, of one model or of several, and say how exact it is."""
    from at_k.analysis.budgets import compare_budgets, list_units, solve_by_budget

    if len(paths) == 1:
        report = make_report(paths, **options, confidence_level=None)
        reports = {make_printable(describe_source(report.source)): report}
    else:
        reports = dict(make_models(paths, **options, confidence_level=None).reports)
    units = [list_units(report) for report in reports.values()]
    unit = list_common(units)[0]
    if unit == "samples" and any(len(held) > 1 for held in units):
        raise refuse(
            "--kind",
            "The models have no cost in common. Name it: --columns cost=COLUMN; or --columns cost=none.",
        )
    curves = {name: solve_by_budget(report, unit) for name, report in reports.items()}
    error = max(curve.simulated for curve in curves.values())
    notes = []
    if unit == "samples":
        notes = [_say("budget.samples", columns=Mention(columns={"cost": "COLUMN"}))]
    if error:
        notes += [_say("budget.simulated", error=error)]
    first, *others = curves.values()
    compared = []
    if len(curves) == 2:
        compared = [compare_budgets(first, others[0], list(curves))]
    parts = [Sentences(compared, "legend"), Sentences(notes, "note")]
    _save(draw_budgets(curves, title=title), out, parts)


def draw_two(
    paths: Sequence[str],
    out: str,
    title: str | None,
    *,
    where: Mapping[str, list[str]] | None,
    **options: Any,
) -> None:
    """Draw the difference of two models against k, and say for which k which one is better."""
    from at_k.analysis.comparison import compare

    models = list_models(paths, where or {})
    if len(models) != 2:
        raise refuse("--kind", f"A difference is of two models; got {len(models)}.")
    reports = [
        make_report([path], where=chosen, **options, confidence_level=None)
        for path, chosen in models.values()
    ]
    first, second = map(make_printable, models)
    compared = compare(*reports, names=(first, second), band=True)
    _save(draw_difference(compared, title=title), out, [Sentences(compared.describe_bands())])


def _save(figure: Any, out: str, said: Sequence[Sentences]) -> None:
    """Write a figure, and say beside it what its reader should know."""
    save_figure(figure, out)
    console = make_console(stderr=True)
    print_lines(lay_out(Sheet(said), console.width, spell), console)
    say_written(out)

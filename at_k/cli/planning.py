"""Plan a measurement from files, and lay the plan out for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from at_k.cli.layout import list_sentences, split_columns, wrap
from at_k.cli.options import refuse
from at_k.cli.output import dump, print_in_form
from at_k.cli.scoring import make_report
from at_k.cli.terminal import Line
from at_k.options import PILOT, PLANNING
from at_k.report.grid import describe_size
from at_k.report.notes import describe_reading
from at_k.uncertainty.planning import CAUTIOUS
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.uncertainty.adaptive import AdaptiveCurve
    from at_k.uncertainty.planning import Plan
    from at_k.uncertainty.prediction import Prediction

_CELL = 10
"""Columns of a cell of the table."""


def plan_files(paths: Sequence[str], *, predict: list[int] | None, adaptive: bool, form: str, **options: Any) -> None:
    """Print what a pilot tells about other measurements.

    Args:
        paths: the file of the pilot, and that of another model's.
        predict: k above n for which pass@k is predicted.
        adaptive: whether to follow votes until they are settled.
        form: "table" or "json".
        options: those of `at_k.plan`.

    Raises:
        InputError: if the files cannot be used, or are too few for a plan.
        OSError: if a file cannot be opened.
        typer.BadParameter: if an option is wrong, whatever the files hold.
    """
    from at_k.analysis.planning import follow_votes, plan
    from at_k.uncertainty.prediction import predict_pass_at_k

    asked = {name: options.pop(name) for name in PLANNING if name in options}
    k, tau, problems, samples = (asked[name] for name in ("k", "tau", "problems", "samples"))
    if problems and min(problems) < 2:
        raise refuse("--problems", "Give at least two problems.")
    if samples and min(samples) < k:
        raise refuse("--samples", f"Give at least k = {k} samples; got {min(samples)}.")
    # Two files are two models, unless --pool says that they are one.
    two = len(paths) == 2 and options["pool"] == PILOT["pool"].default
    report, *others = (
        make_report(own, **options, metrics=["avg_at_n"], confidence_level=None)
        for own in ([[path] for path in paths] if two else [paths])
    )
    found = plan(report, *others, **asked)
    predicted = None if predict is None else predict_pass_at_k(*report.list_counts(), k=predict)
    curve = follow_votes(paths[0] if two or len(paths) == 1 else list(paths), **options) if adaptive else None
    key = Key("pass@k" if tau is None else "G-Pass@k", k, tau)
    read = [] if report.origin is None else list(describe_reading(report.origin))
    # A prediction, and votes that stop early, stand alone, unless something of the plan is asked for too.
    further = predicted is not None or curve is not None
    planned = not further or any(asked[name] != option.default for name, option in PLANNING.items() if name in asked)

    def spell() -> str:
        content = {"key": key, **spell_plan(found)}
        content["notes"] = [*map(str, read), *content["notes"]]
        content |= {} if predicted is None else {"predicted": spell_prediction(predict or [], predicted)}
        return dump(content | ({} if curve is None else {"adaptive": spell_adaptive(curve)}))

    def lay_out(width: int) -> list[Line]:
        lines: list[Line] = [[(f"Pilot: {describe_size(report)}, {key} = {found.value:.3f}", "bold")]]
        lines += lay_out_plan(found, width) if planned else []
        lines += [] if predicted is None else lay_out_prediction(predict or [], predicted, width)
        lines += [] if curve is None else lay_out_adaptive(curve, width)
        notes = list_sentences(read, width, "yellow")
        return [*lines, *([[], *notes] if notes else [])]

    print_in_form(form, lay_out, json=spell)


def spell_plan(plan: Plan) -> dict[str, Any]:
    """Return a plan as plain data, ready for `json.dumps`: tables have a row for each number of problems.

    There are none if the pilot cannot tell.
    """
    tables = {name: getattr(plan, name).tolist() if plan.can_tell else None
              for name in ("stderr", "half_width", "detectable")}  # fmt: skip
    needed = ("needed_problems", "needed_samples", "needed_to_detect")
    return {
        "value": plan.value,
        "between": plan.between,
        "within": plan.within,
        "problems": plan.problems,
        "samples": plan.samples,
        **tables,
        **{name: getattr(plan, name) for name in needed},
        "power": plan.power,
        "correlation": plan.correlation,
        "estimated_correlation": None if plan.estimated is None else plan.estimated._asdict(),
        "between_share": plan.between_share,
        "cautious": None
        if plan.cautious_detectable is None
        else {
            "correlation": CAUTIOUS,
            "detectable": plan.cautious_detectable.tolist() if plan.can_tell else None,
            "needed_to_detect": plan.cautious_needed,
        },
        "notes": list(map(str, plan.notes)),
    }


def spell_prediction(k: Sequence[int], predicted: Prediction) -> dict[str, Any]:
    """Return predictions as plain data: key → the mean of both models, its interval, and each model."""
    names = {"mean": "mean", "low": "low", "high": "high", "beta_binomial": "value", "power_law": "power_law"}
    return {
        f"pass@{each}_predicted": {name: float(getattr(predicted, field)[i]) for name, field in names.items()}
        for i, each in enumerate(k)
    }


def spell_adaptive(curve: AdaptiveCurve) -> dict[str, Any]:
    """Return votes that stop early as plain data: accuracy against the mean number of samples."""
    rule = zip(curve.confidences, curve.samples, curve.accuracy, strict=True)
    return {
        "rule": [
            {"confidence": float(level), "samples": float(mean), "accuracy": float(accuracy)}
            for level, mean, accuracy in rule
        ],
        "fixed": {"samples": int(curve.k[-1]), "accuracy": float(curve.fixed[-1])},
        "perfect": {"samples": float(curve.perfect_samples[-1]), "accuracy": float(curve.perfect[-1])},
    }


def lay_out_plan(plan: Plan, width: int) -> list[Line]:
    """Lay out a plan: the split of the variance, the table of half widths, and what was asked for."""
    if not plan.can_tell:
        return list_sentences(plan.notes, width, "yellow")
    lines = list_sentences([*plan.describe_variance(), *plan.describe_correlation()], width, "")
    heading = [
        "Each first line is ± half the width of the expected interval. The second is the smallest difference that a "
        f"paired comparison of two models finds with {plan.chance}"
        + ("." if plan.cautious_detectable is None else f"; the third, if by {CAUTIOUS:g}.")
    ]
    lines += [[], *list_sentences(heading, width, "dim"), []]
    columns: dict[int | None, int] = dict.fromkeys(range(len(plan.samples)), _CELL)
    for part in split_columns(columns, width - _CELL):
        shown = [i for i in part if i is not None]
        headers = "".join(f"{f'n = {plan.samples[i]:,}':>{_CELL}}" for i in shown)
        lines.append([(f"{'problems':>{_CELL}}{headers}", "cyan")])
        tables = [plan.detectable] if plan.cautious_detectable is None else [plan.detectable, plan.cautious_detectable]
        for place, (m, halves) in enumerate(zip(plan.problems, plan.half_width, strict=True)):
            lines.append([(f"{m:>{_CELL},}" + "".join(f"{f'± {halves[i]:.3f}':>{_CELL}}" for i in shown), "")])
            for table in tables:
                lines.append([(" " * _CELL + "".join(f"{table[place][i]:>{_CELL}.3f}" for i in shown), "dim")])
        lines.append([])
    sentences = list_sentences(plan.list_needs(), width, "bold")
    sentences += list_sentences(plan.notes, width, "yellow")
    return [*lines, *sentences] if sentences else lines[:-1]


def lay_out_prediction(k: Sequence[int], predicted: Prediction, width: int) -> list[Line]:
    """Lay out predictions of pass@k for k above n, by both models."""
    sentences = [
        f"Predicted from pass@{predicted.n} = {predicted.pass_at_n:.3f} by two models. These are no estimates: the "
        "interval of their mean is a model's, ± 2 standard errors, and does not hold what both models miss."
    ]
    lines: list[Line] = [[], *list_sentences(sentences, width, "dim")]
    columns = (predicted.mean, predicted.low, predicted.high, predicted.value, predicted.power_law)
    for each, mean, low, high, value, other in zip(k, *columns, strict=True):
        text = f"{f'pass@{each}_predicted':18}  {mean:.3f} [{low:.3f}, {high:.3f}]"
        models = f"beta-binomial {value:.3f}, power law {other:.3f}"
        lines += [[(line, "")] for line in wrap(f"{text}  {models}", width, rest=" " * 20)]
    return lines


def lay_out_adaptive(curve: AdaptiveCurve, width: int) -> list[Line]:
    """Lay out accuracy against the mean number of samples: for the rule, fixed k, and a perfect rule."""
    legend = [
        "confidence: a vote stops when its leading answer is, with this probability, the one that the model gives most "
        "often, or when all samples are taken. samples: how many it took on average.",
        "fixed: every vote takes all samples.",
        "perfect: a vote stops when the answer that wins in the end is in front for the first time. Only hindsight "
        "knows this; it shows how few samples would do.",
    ]
    lines: list[Line] = [
        [],
        [("Votes that stop when they are settled", "bold")],
        *list_sentences(legend, width, "dim"),
        [(f"{'confidence':>12}{'samples':>10}{'accuracy':>10}", "cyan")],
    ]
    for level, samples, accuracy in zip(curve.confidences, curve.samples, curve.accuracy, strict=True):
        lines.append([(f"{level:>12g}{samples:>10.2f}{accuracy:>10.3f}", "")])
    lines.append([(f"{'fixed':>12}{int(curve.k[-1]):>10}{curve.fixed[-1]:>10.3f}", "dim")])
    lines.append([(f"{'perfect':>12}{curve.perfect_samples[-1]:>10.2f}{curve.perfect[-1]:>10.3f}", "dim")])
    return lines

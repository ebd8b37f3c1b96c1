"""Score a data set, or one for each model: judge its samples once, and compute every metric that it allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isclose
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.errors import Legend, Mention, Message, Phrases
from at_k.family import FAMILY
from at_k.options.registry import COLUMNS, NUMBERS, PILOT, SCORING, TALLYING, complete, takes
from at_k.readers import is_paths
from at_k.readers.files.paths import name_models
from at_k.readers.objects import hold
from at_k.report.audit import correct_values, hide_column
from at_k.report.grid import (
    describe_size,
    draw_shares,
    find_shown,
    is_single,
    list_blocks,
    list_rows,
    make_cell,
    make_cost_cell,
    note_twins,
    spell_report,
)
from at_k.report.judging import find_source, judge_data, refuse_undefined
from at_k.report.measuring import Measurement, compute_all, gather, write_policies
from at_k.report.naming import choose_metrics
from at_k.report.notes import refuse_k_above_n
from at_k.report.report import Report, find_report, refuse_scoring_options
from at_k.report.tally import Tally, count_in_place
from at_k.report.tally_scoring import find_tally, refuse_late_options, score_tally
from at_k.results.sheet import Sentences, Sheet, Table, split_notes
from at_k.results.writers import Mapped
from at_k.summary import Confidence
from at_k.uncertainty.standard_errors import CostPerSuccess, cost_per_success, read_costs
from at_k.validation import describe
from at_k.values import Key, cached_property

if TYPE_CHECKING:
    from at_k.signatures import Metrics, ScoreOptions, Unpack

_say = Phrases(
    {
        "note.idle": "No number here depends on {names}.",
        "audit.counts": "{option:audited} needs samples, and these are counts. Give the results "
        "that they were counted from.",
        "models.best": "The best value of each number is marked. Only a comparison of two models "
        "shows whether they differ by more than chance.",
        "models.problems": "The models were not measured on the same problems, and their numbers "
        "differ for that, too: {models}.",
        "models.note": "{models}: {note}",
    }
)


@takes(SCORING)
def score(data: Any = None, /, metrics: Metrics = None, **given: Unpack[ScoreOptions]) -> Report:  # noqa: D417 - from the registry
    """Compute every metric that a data set supports.

    Args:
        data: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, a mapping of columns, a list of rows, or
            the path of a results file or a list of paths, as of `at_k.read_results`; with one row per problem and any
            of the columns `problem` (its name), `answers` (a list of strings, None for a missing one), `references` (a
            string, or a list of acceptable ones), `grades` (a list of numbers in [0, 1]), `scores` (a list of numbers)
            and `group` (a label). Or such a table with a row for each sample, or with counts, whose columns have any
            usual name, as those of files. Or a series whose index names the problems, a mapping of problems to grades,
            or an open file. Or a tally. Or data with one row per sample that are counted where they are:
            a relation of DuckDB, a lazy frame of Polars, a table of Ibis or Spark, or a data set of Arrow.
        given: see below.

    Returns:
        A report. Samples are judged once for all metrics.

    Raises:
        TypeError: if an option is unknown or a column of the wrong kind.
        ValueError: if the columns allow no metric, disagree, or hold what is not allowed, such as the results of
            several models.

    Examples:
        >>> report = score({"answers": [["7", "7", "9"], ["1", "2", "3"]], "references": ["7", "2"]}, k=[1, 3])
        >>> report.values["pass@3"], round(report.values["cons@3"], 4)
        (1.0, 0.6667)
    """
    options: dict[str, Any] = {"metrics": metrics, **given}
    if data is None:
        data = {name: options.pop(name) for name in _COLUMNS if name in options}
        if not data:
            raise TypeError(
                "`score` takes a data set, a file, or columns: score(predictions=[…], references=[…])"
            )
    options = complete(options, score)
    wanted, resolved = choose_metrics(options)
    groups = options["groups"]
    clusters = options["clusters"]
    audited = options["audited"]
    together: Any = ()
    if clusters in (None, False):
        together = None
    confidence = Confidence(
        options["confidence_level"], options["target"], together, options["ci_method"]
    )
    notes: Sequence[Message] = ()
    tally = find_tally(data)
    if tally is not None:
        refuse_late_options(find_changed(options))
    else:
        counted = {name: options[name] for name in TALLYING if name in options}
        data, tally, notes = count_in_place(
            data,
            complete(counted, Tally.of),
            whole=audited is not None or clusters not in (None, False, True),
        )
    if tally is not None and audited is not None:
        raise _say.error("audit.counts")
    if tally is not None:
        changed = find_changed(options)
        return score_tally(tally, resolved, changed, wanted, confidence, find_source(data), notes)
    if audited is not None:
        options["columns"] = hide_column(audited, options["columns"])
    judged = judge_data(
        data, groups=groups, clusters=clusters, **{name: options[name] for name in PILOT}
    )
    if judged.verdicts.stopped:
        refuse_undefined(judged.verdicts, resolved["k"], confidence.target)
    if resolved["k"] is not None:
        refuse_k_above_n(resolved["k"], judged.verdicts.drawn, judged.names)
    measurement = Measurement(judged, resolved, replace(confidence, clusters=judged.clusters))
    left_out = compute_all(wanted, lambda _: measurement)
    if groups is not None and not isinstance(groups, bool):
        options["groups"] = judged.labels  # a generator can be read once
    options["clusters"] = (
        True if clusters is True and judged.labels is not None else judged.clusters
    )
    changed = find_changed(options)
    samples = judged.problems, judged.verdicts
    numbers = gather([measurement])
    if judged.verdicts.n_missing + judged.unjudged:
        numbers["notes"] += write_policies(measurement)
    numbers["notes"] += _note_idle(options, measurement.found)
    if audited is not None:
        reading = {name: options[name] for name in PILOT}
        level = options["confidence_level"]
        corrected = correct_values(data, audited, measurement, reading, level)
        corrected["notes"] = [*numbers["notes"], *corrected["notes"]]
        numbers |= corrected
    return Report(**numbers, left_out=left_out, options=changed, scored=samples)


# Columns that may be given by name in the place of a data set.
_COLUMNS = ("problem", "answers", *COLUMNS, "group")


def _note_idle(options: Mapping[str, Any], found: Iterable[str]) -> Iterator[Message]:
    """Name the options that were given and that no computed metric takes."""
    accepted = {argument for name in found for argument in FAMILY[name].arguments}
    named = [
        option for option in NUMBERS.values() if option.name in options and option.name != "metrics"
    ]
    idle = [
        option.name
        for option in named
        if option.name not in accepted and options[option.name] != option.default
    ]
    if idle:
        yield _say("note.idle", names=Mention(*idle))


def score_unless_scored(data: Any, options: Mapping[str, Any], **others: Any) -> Report:
    """Return the report that data are, or the path of one that was saved; or else score the data."""
    report = find_report(data)
    if report is None:
        return score(data, **options, **others)
    refuse_scoring_options(options)
    return report


def find_changed(options: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that differ from the defaults, in forms that can be written to a file."""
    defaults = {name: SCORING[name].default for name in options}
    plain = {
        name: _simplify(value) for name, value in options.items() if value is not defaults[name]
    }
    return {name: value for name, value in plain.items() if value != _simplify(defaults[name])}


def _simplify(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)  # a subclass, such as np.str_, may be written in another way
    if isinstance(value, Mapping):
        return {_simplify(name): _simplify(part) for name, part in value.items()}
    if isinstance(value, Fraction) or callable(value) or value is None:
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Iterable):
        return [_simplify(part) for part in value]
    return value


# The metric of which the lowest value is the best one, if lower scores are better.
_LOWER = "max@k"

BEST = _say.legend("models.best")


@dataclass(frozen=True, eq=False, repr=False)
class Models(Mapped):
    """Hold the reports of several models, and write them as one table.

    Attributes:
        reports: name → report.
    """

    reports: dict[str, Report]

    @property
    def mapping(self) -> dict[str, Report]:
        """Return name → report."""
        return self.reports

    def __len__(self) -> int:
        """Count the models."""
        return len(self.reports)

    drawn_by = "at_k.plots:draw_models"

    @cached_property
    def keys(self) -> dict[Key, str]:
        """Return the keys of all models, in the order of their tables, and what their columns are called."""
        reports = self.reports.values()
        names: dict[Key, str] = {}
        for report in reports:
            for line, cells in list_blocks(report)[0].lines.items():
                for key in cells.values():
                    names[key] = str(Key(line.metric, key.k, line.tau))
        shown = {key for report in reports for key in find_shown(report.values)} & names.keys()
        return {key: names[key] for report in reports for key in report.values if key in shown}

    @cached_property
    def best(self) -> dict[Key, list[str]]:
        """Return key → the models with the best value: several if theirs are equal, none if only one has a value."""
        reports = self.reports
        is_higher = [report.options.get("higher_is_better", True) for report in reports.values()]
        leading: dict[Key, list[str]] = {key: [] for key in self.keys}
        for key in leading:
            values = {
                name: reports[name].values[key] for name in reports if key in reports[name].values
            }
            if len(values) < 2:
                continue
            choose = max if all(is_higher) or key.metric != _LOWER else min
            best = choose(values.values())
            # Sums of the same numbers in another order differ in the last digits.
            leading[key] = [
                name for name, value in values.items() if isclose(value, best, rel_tol=1e-12)
            ]
        return leading

    @cached_property
    def costs(self) -> dict[str, dict[str, CostPerSuccess]]:
        """Return column of costs → model → what a correct sample costs; of the columns that all models have."""
        priced: dict[str, dict[str, CostPerSuccess]] = {}
        for model, report in self.reports.items():
            n = np.array(report.n)
            c = np.array(report.c)
            for name, costs in read_costs(None if report.stopped else report.rows, n).items():
                priced.setdefault(name, {})[model] = cost_per_success(
                    costs, c, n, clusters=report.clusters
                )
        return {name: cells for name, cells in priced.items() if len(cells) == len(self.reports)}

    @cached_property
    def notes(self) -> list[Message]:
        """Return what a reader should know: of all models, or of some, which are named."""
        sources: dict[Message, list[str]] = {}
        for name, report in self.reports.items():
            for note in (*report.notes, *report.missed):
                sources.setdefault(note, []).append(name)
        notes: list[Message] = []
        reports = self.reports.values()
        asked = {tuple(sorted(report.problems)) for report in reports if report.times is None}
        if len(asked) > 1:
            listed = ", ".join(f"{name} ({len(report):,})" for name, report in self.reports.items())
            notes.append(_say("models.problems", models=listed))
        for note, names in sources.items():
            if len(names) == len(reports):
                notes.append(note)
            else:
                notes.append(_say("models.note", models=", ".join(names), note=note))
        if all(is_single(report.values) for report in reports):
            numbers: dict[str, list[float]] = {}
            for key in next(iter(reports)).values:
                if all(key in report.values for report in reports):
                    numbers[key] = [report.values[key] for report in reports]
            notes += note_twins(numbers)
        return sorted(notes, key=lambda note: not isinstance(note, Legend))

    def _spell(self) -> dict[str, Any]:
        reports = {name: spell_report(report) for name, report in self.reports.items()}
        spelled: dict[str, Any] = {"models": reports, "best": self.best}
        if self.costs:
            spelled["cost_per_success"] = self.costs
        spelled["notes"] = self.notes
        return spelled

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show models down and numbers across, the best of each marked, and the notes of all."""
        rows = []
        for name, report in self.reports.items():
            row: list[Any] = [name]
            for key in self.keys:
                style = "best" * (name in self.best[key])
                row.append(make_cell(report.values.get(key), report.intervals.get(key), style))
            rows.append(row + [make_cost_cell(cells[name]) for cells in self.costs.values()])
        heads = [f"{name} per success" for name in self.costs]
        sizes = [f"{name} · {describe_size(report)}" for name, report in self.reports.items()]
        corner = "" if short else "model"
        table = Table([corner, *self.keys.values(), *heads], rows, stacked=True)
        return Sheet(
            [
                Sentences(sizes if short else (), "fact"),
                table,
                *split_notes([BEST, *self.notes]),
            ],
            data=self._spell,
            rows=lambda: list_rows(self.reports),
            name=f"{len(self.reports)} models: {', '.join(self.reports)}",
            picture=lambda: draw_shares(self.reports),
        )


@takes(SCORING)
def score_models(models: Any, /, metrics: Metrics = None, **given: Unpack[ScoreOptions]) -> Models:  # noqa: D417 - from the registry
    r"""Score several models with the same options, for one table.

    Args:
        models: name → a data set, as of `at_k.score`, or a report; or a list of paths, of results or of saved reports,
            whose names are those of the models.
        given: see below.

    Returns:
        Their reports, and the table of them.

    Raises:
        TypeError: if the models are neither.
        ValueError: as `at_k.score`.

    Examples:
        >>> small, large = {"grades": [[1, 0], [0, 0]]}, {"grades": [[1, 1], [1, 0]]}
        >>> print(score_models({"small": small, "large": large}, metrics="pass_at_k", confidence_level=None).to_latex())
        \begin{tabular}{lrr}
        \toprule
        model & pass@1 & pass@2 \\
        \midrule
        small & 0.2500 & 0.5000 \\
        large & \textbf{0.7500} & \textbf{1.0000} \\
        \bottomrule
        \end{tabular}
    """
    data = map_models(models)
    reports = {name: find_report(model) for name, model in data.items()}
    if None not in reports.values():
        refuse_scoring_options({**given, **({} if metrics is None else {"metrics": metrics})})
    return Models(
        {name: report or score(data[name], metrics, **given) for name, report in reports.items()}
    )


def map_models(models: Any) -> dict[str, Any]:
    """Map the names of models to their data. Those of a list of paths are named by their files."""
    models = hold(models)
    if isinstance(models, Mapping) and models:
        named: dict[str, Any] = {}
        for name, data in models.items():
            if str(name) in named:
                raise ValueError(
                    f"`models` must have names that are written differently; got {name!s} more than once"
                )
            named[str(name)] = data
        return named
    if is_paths(models) and not isinstance(models, (str, PathLike)):
        paths = list(map(fspath, models))
        return dict(zip(name_models(paths), paths, strict=True))
    raise TypeError(
        '`models` must map the name of each model to a report, a file or a data set, as in {"a": report_a, "b": '
        f'"b.jsonl"}}, or be a list of paths; got {describe(models)}'
    )

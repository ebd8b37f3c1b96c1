"""Score a data set: judge its samples once, and compute every metric that it allows from the verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.engines import find_engine
from at_k.error_bars import Confidence
from at_k.options import PILOT, SCORING, TALLYING, complete, takes
from at_k.report.judging import judge_data, name_source
from at_k.report.measuring import Measurement, compute_all, gather
from at_k.report.naming import choose_metrics, make_absent
from at_k.report.notes import refuse_k_above_n
from at_k.report.report import Report, find_report, refuse_scoring_options
from at_k.report.tally import Tally
from at_k.report.tally_scoring import find_tally, refuse_late_options, score_tally
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import ScoreOptions, Unpack


@takes(SCORING)
def score(data: Any, /, **given: Unpack[ScoreOptions]) -> Report:
    """Compute every metric that a data set supports.

    Args:
        data: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, a mapping of columns, a list of rows, or
            the path of a results file or a list of paths, as of `at_k.read_results`; with one row per problem and any
            of the columns `problem` (its name), `answers` (a list of strings, None for a missing one), `references` (a
            string, or a list of acceptable ones), `grades` (a list of numbers in [0, 1]), `scores` (a list of numbers)
            and `group` (a label). Or such a table with a row for each sample, or with counts, whose columns have any
            usual name, as those of files. Or a tally. Or data with one row per sample that are counted where they are:
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
    options = complete(given, score)
    wanted, averages, resolved = choose_metrics(options)
    groups, clusters = options["groups"], options["clusters"]
    together: Any = None if clusters in (None, False) else ()
    confidence = Confidence(options["confidence_level"], options["target"], together, options["ci_method"])
    tally = find_tally(data)
    if tally is not None:
        refuse_late_options(find_changed(options))
    elif find_engine(data) is not None:
        tally = Tally.of(data, **{name: options[name] for name in TALLYING if name in options})
    if tally is not None:
        return _require(
            averages, score_tally(tally, resolved, find_changed(options), wanted, confidence, name_source(data))
        )
    judged = judge_data(data, groups=groups, clusters=clusters, **{name: options[name] for name in PILOT})
    refuse_k_above_n(resolved["k"], judged.verdicts.n, judged.names)
    measurement = Measurement(judged, resolved, replace(confidence, clusters=judged.clusters))
    left_out = compute_all(wanted, lambda _: measurement)
    if groups is not None and not isinstance(groups, bool):
        options["groups"] = judged.labels  # a generator can be read once
    options["clusters"] = True if clusters is True and judged.labels is not None else judged.clusters
    changed, samples = find_changed(options), (judged.problems, judged.verdicts)
    return _require(averages, Report(**gather([measurement]), left_out=left_out, options=changed, samples=samples))


def score_unless_scored(data: Any, options: Mapping[str, Any], **others: Any) -> Report:
    """Return the report that data are, or the path of one that was saved; or else score the data.

    Args:
        data: a report, the path of one, or what `score` takes.
        options: those that the user gave, which do not go with a report.
        others: further options, for data that are not scored yet.
    """
    report = find_report(data)
    if report is None:
        return score(data, **options, **others)
    refuse_scoring_options(options)
    return report


def _require(keys: Iterable[Key], report: Report) -> Report:
    """Return a report that has these numbers, or raise."""
    for key in keys:
        if key not in report.values:
            raise make_absent(key, report.values)
    return report


def find_changed(options: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that differ from the defaults, in forms that can be written to a file."""
    defaults = {name: SCORING[name].default for name in options}
    plain = {name: _simplify(value) for name, value in options.items() if value is not defaults[name]}
    return {name: value for name, value in plain.items() if value != _simplify(defaults[name])}


def _simplify(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)  # a subclass, such as np.str_, may be written in another way
    if isinstance(value, Mapping):
        return {_simplify(name): _simplify(each) for name, each in value.items()}
    if isinstance(value, Fraction) or callable(value) or value is None:
        return value
    if isinstance(value, np.generic):
        return value.item()
    return [_simplify(part) for part in value] if isinstance(value, Iterable) else value

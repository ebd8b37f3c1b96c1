"""Several models in one table: a row for each model, a column for each number, and the best of each in bold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from at_k.caching import cached_property
from at_k.errors import Legend, Message, spell_for_output
from at_k.options import SCORING, takes
from at_k.readers import is_paths
from at_k.readers.paths import name_models
from at_k.report.grid import list_blocks, write_estimate
from at_k.report.report import Report, find_report, refuse_scoring_options
from at_k.report.scoring import score
from at_k.report.tables import escape_latex, join_latex, join_markdown, list_rows, name_columns, write_csv
from at_k.validation import shorten, type_name
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import ScoreOptions, Unpack

_LOWER = "max@k"
"""The metric of which the lowest value is the best one, if lower scores are better."""

BEST = Legend(
    "models.best",
    "The best value of each number is marked. Only a comparison of two models shows whether they differ by more than "
    "chance.",
)


@dataclass(frozen=True)
class Models:
    """Hold the reports of several models, and write them as one table.

    Attributes:
        reports: name → report.
    """

    reports: dict[str, Report]

    @cached_property
    def keys(self) -> dict[Key, str]:
        """Return the keys of all models, in the order of their tables, and what their columns are called."""
        names = {
            key: str(key if k is None else Key(line.metric, k, line.tau))
            for report in self.reports.values()
            for line, cells in list_blocks(report)[0].lines.items()
            for k, key in cells.items()
        }
        return {key: names[key] for report in self.reports.values() for key in report.values if key in names}

    @cached_property
    def best(self) -> dict[Key, list[str]]:
        """Return key → the models with the best value: several if theirs are equal, none if only one has a value."""
        found: dict[Key, list[str]] = {}
        for key in self.keys:
            own = {name: report.values[key] for name, report in self.reports.items() if key in report.values}
            lower = key.metric == _LOWER and not all(
                report.options.get("higher_is_better", True) for report in self.reports.values()
            )
            best = (min if lower else max)(own.values())
            # Sums of the same numbers in another order differ in the last digits.
            alike = [name for name, value in own.items() if isclose(value, best, rel_tol=1e-12)]
            found[key] = alike if len(own) > 1 else []
        return found

    @cached_property
    def notes(self) -> list[Message]:
        """Return what a reader should know: of all models, or of some, which are named."""
        said: dict[Message, list[str]] = {}
        for name, report in self.reports.items():
            for note in (*report.notes, *report.left_out.values()):
                said.setdefault(note, []).append(name)
        notes: list[Message] = []
        if len({tuple(sorted(report.problems)) for report in self.reports.values() if report.times is None}) > 1:
            listed = ", ".join(f"{name} ({len(report):,})" for name, report in self.reports.items())
            notes.append(
                Message(
                    "models.problems",
                    "The models were not measured on the same problems, and their numbers differ for that, too: "
                    "{models}.",
                    models=listed,
                )
            )
        for note, names in said.items():
            if len(names) == len(self.reports):
                notes.append(note)
            else:
                notes.append(Message("models.note", "{models}: {note}", models=", ".join(names), note=note))
        return sorted(notes, key=lambda note: not isinstance(note, Legend))

    def write_cells(self, digits: int | None = None) -> dict[str, dict[Key, tuple[str, str]]]:
        """Write each number as text: name → key → its value, and its interval if it has one."""
        return {
            name: {
                key: write_estimate(value, report.intervals.get(key), digits) for key, value in report.values.items()
            }
            for name, report in self.reports.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the reports without the values of each problem, ready for `json.dumps`."""
        return {
            "models": {name: report.to_dict() for name, report in self.reports.items()},
            "best": {str(key): names for key, names in self.best.items()},
            "notes": list(map(str, self.notes)),
        }

    def to_json(self) -> str:
        """Write `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_csv(self) -> str:
        """Write a CSV table with a row for each value of each model, in full precision, as `Report.to_csv` does."""
        columns = name_columns(max(self.reports.values(), key=lambda report: bool(report.intervals)))
        rows = ((name, *row) for name, report in self.reports.items() for row in list_rows(report))
        return write_csv(["model", *columns], ([*row, *[None] * (len(columns) + 1 - len(row))] for row in rows))

    def to_markdown(self, digits: int | None = None) -> str:
        """Write a Markdown table: models down, numbers across, the best of each in bold; then the notes."""
        return join_markdown(self._lay_out("**{}**".format, digits), len(self.keys), [BEST, *self.notes])

    def to_latex(self, digits: int | None = None) -> str:
        r"""Write a LaTeX table for the package booktabs, with the best value of each number in \textbf."""
        rows = self._lay_out(lambda text: f"\0{text}\1", digits)
        return join_latex(
            [[escape_latex(cell).replace("\0", r"\textbf{").replace("\1", "}") for cell in row] for row in rows],
            len(self.keys),
        )

    def _lay_out(self, embolden: Any, digits: int | None) -> list[list[str]]:
        """Lay out the table as text: the header and a row for each model."""
        rows = [["model", *self.keys.values()]]
        for name, cells in self.write_cells(digits).items():
            row = [name]
            for key in self.keys:
                value, interval = cells.get(key, ("", ""))
                row.append(" ".join(filter(None, [embolden(value) if name in self.best[key] else value, interval])))
            rows.append(row)
        return rows

    def __str__(self) -> str:
        return spell_for_output(self.to_markdown())


@takes(SCORING)
def score_models(models: Any, /, **given: Unpack[ScoreOptions]) -> Models:
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
    found = {name: find_report(each) for name, each in data.items()}
    if None not in found.values():
        refuse_scoring_options(given)
    return Models({name: report or score(data[name], **given) for name, report in found.items()})


def map_models(models: Any) -> dict[str, Any]:
    """Map the names of models to their data. Those of a list of paths are named by their files.

    Raises:
        TypeError: if the models are neither in a mapping nor a list of paths.
        ValueError: if names such as 1 and "1" are written alike.
    """
    if isinstance(models, Mapping) and models:
        named: dict[str, Any] = {}
        for name, data in models.items():
            if str(name) in named:
                raise ValueError(f"`models` must have names that are written differently; got {name!s} more than once")
            named[str(name)] = data
        return named
    if is_paths(models) and not isinstance(models, (str, PathLike)):
        paths = list(map(fspath, models))
        return dict(zip(name_models(paths), paths, strict=True))
    raise TypeError(
        '`models` must map the name of each model to a report, a file or a data set, as in {"a": report_a, "b": '
        f'"b.jsonl"}}, or be a list of paths; got {shorten(models)} of type {type_name(models)}'
    )

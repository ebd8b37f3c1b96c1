"""The report: every number of a data set, and the forms in which it can be written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from at_k.caching import cached_property
from at_k.error_bars import ErrorBar
from at_k.errors import Message, spell_for_output
from at_k.grading import Verdicts
from at_k.problems import Problems
from at_k.readers.samples import Origin
from at_k.report import files, scripts, tables
from at_k.report.curves import Curves
from at_k.values import Key

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Report:
    """Hold every number of a data set.

    Attributes:
        values: key → value, over all problems.
        intervals: key → its standard error and confidence interval; empty without a confidence level. A score of one
            problem has none.
        groups: label → key → value.
        group_intervals: label → key → the same for the group.
        sizes: label → number of problems.
        problems: the name of each problem.
        labels: the group of each problem; None without groups.
        n: samples of each problem.
        c: correct samples of each problem.
        n_missing: the number of missing samples.
        by_problem: key → a value for each problem.
        errors: key → the standard error of a simulated value.
        metrics: the metrics that the data allow, each with its keys.
        left_out: metric → the reason why it could not be computed.
        notes: what the intervals are, and then remarks that a reader of the numbers should know, the most important
            first.
        signatures: metric → one line with the conditions under which two values may be compared.
        options: the options that were given and are not the defaults.
        source: the path of the results, or a list of paths; None for data that were in memory.
        origin: what wrote the files, and what was taken from them; None for data that were in memory.
        samples: the samples and their verdicts; None for a report that was loaded, or copied to another process.
    """

    values: dict[Key, float]
    intervals: dict[Key, ErrorBar]
    groups: dict[str, dict[Key, float]]
    group_intervals: dict[str, dict[Key, ErrorBar]]
    sizes: dict[str, int]
    problems: list[str]
    labels: list[str] | None
    n: list[int]
    c: list[int]
    n_missing: int
    by_problem: dict[Key, list[float]]
    errors: dict[Key, float]
    metrics: dict[str, list[Key]]
    left_out: dict[str, Message]
    notes: list[Message]
    signatures: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict)
    source: str | list[str] | None = None
    origin: Origin | None = None
    draw_curves: Callable[[], Curves] | None = field(default=None, repr=False)
    samples: tuple[Problems, Verdicts] | None = field(default=None, repr=False)

    @cached_property
    def curves(self) -> Curves:
        """Return every metric against k, up to the smallest n. They are computed on first use."""
        return Curves((), {}) if self.draw_curves is None else self.draw_curves()

    @property
    def k(self) -> tuple[int, ...]:
        """Return every k of the values, in rising order."""
        return tuple(sorted({key.k for key in self.values if key.k is not None and key.metric != "avg@n"}))

    @property
    def per_problem(self) -> dict[str, list[Any]]:
        """Return one list per column, with one entry per problem: problem, group, n, c, and every key."""
        table: dict[str, list[Any]] = {"problem": self.problems}
        if self.labels is not None:
            table["group"] = self.labels
        return table | {"n": self.n, "c": self.c} | {str(key): values for key, values in self.by_problem.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with the curves computed and without the samples, which may be large."""
        return {**self.__dict__, "curves": self.curves, "draw_curves": None, "samples": None}

    def __len__(self) -> int:
        """Count the problems."""
        return len(self.problems)

    def __str__(self) -> str:
        return spell_for_output(self.to_markdown())

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Return the report without the values of each problem, ready for `json.dumps`."""
        return {
            "values": {str(key): value for key, value in self.values.items()},
            "groups": {
                label: {str(key): value for key, value in values.items()} for label, values in self.groups.items()
            },
            "intervals": _spell_bars(self.intervals),
            "group_intervals": {label: _spell_bars(bars) for label, bars in self.group_intervals.items()},
            "errors": {str(key): value for key, value in self.errors.items()},
            "n_problems": len(self),
            "n_samples": sum(self.n),
            "n_missing": self.n_missing,
            "origin": None if self.origin is None else self.origin.to_dict(),
            "left_out": {name: str(reason) for name, reason in self.left_out.items()},
            "notes": list(map(str, self.notes)),
            "signatures": dict(self.signatures),
        }

    def to_json(self) -> str:
        """Write `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with a row for each value: group, metric, k, τ, key, value. The group of all is "all"."""
        import pandas as pd

        return pd.DataFrame(tables.list_rows(self), columns=tables.list_columns(self))

    def to_csv(self) -> str:
        """Write a CSV table with a row for each value: group, metric, k, τ, key, value, in full precision."""
        return tables.write_csv(self)

    def to_markdown(self, digits: int | None = None) -> str:
        """Write a Markdown table: metrics down, k across, groups below.

        Values have three decimals beside their intervals, more if an interval is too narrow for them, and four without
        intervals, unless `digits` says otherwise.
        """
        return tables.write_markdown(self, digits)

    def to_latex(self, digits: int | None = None) -> str:
        """Write a LaTeX table for the package booktabs, as `to_markdown` does."""
        return tables.write_latex(self, digits)

    def to_html(self, digits: int | None = None) -> str:
        """Write an HTML table with the notes below, as notebooks show it; digits are as of `to_markdown`."""
        return tables.write_html(self, digits)

    def script(self, source: str | list[str] | None = None) -> str:
        """Write the Python lines that give the same numbers.

        Args:
            source: the file of results that the lines read, or a list of files; by default those that the report was
                made from. Without either, they score a variable called `data`.
        """
        return scripts.write_script(self, source)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the whole report, with the values of each problem and the curves, into one file.

        Args:
            path: a file that ends in .json or .parquet.

        Raises:
            ValueError: if the name ends otherwise.
        """
        files.save(self, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> Report:
        """Read a report that `save` has written.

        Raises:
            ValueError: if the file holds no report.
        """
        return files.load(path)


def _spell_bars(bars: dict[Key, ErrorBar]) -> dict[str, dict[str, float | None]]:
    return {str(key): {"stderr": bar.stderr, "low": bar.low, "high": bar.high} for key, bar in bars.items()}

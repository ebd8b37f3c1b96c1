"""The report: every number of a data set, and the forms in which it can be written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError, Mention, spell_for_output
from at_k.readers import is_paths
from at_k.report import every_eval_ever, saving, scripts, selecting, sharing, tables, trackers
from at_k.report.data import Numbers
from at_k.report.tally_files import holds_tally
from at_k.values import ErrorBar, Key

if TYPE_CHECKING:
    import pandas as pd


class Report(Numbers):
    """Hold every number of a data set, and write them in many forms.

    Its attributes are those of `Numbers`.
    """

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
            "n_samples": self.n_samples,
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

        return pd.DataFrame(tables.list_rows(self), columns=tables.name_columns(self))

    def to_csv(self) -> str:
        """Write a CSV table with a row for each value: group, metric, k, τ, key, value, in full precision."""
        return tables.write_csv(tables.name_columns(self), tables.list_rows(self))

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

    def select(self, where: str, *, confident: bool = False, confidence_level: float = 0.95) -> list[str]:
        """Select problems by their values, such as those that are neither too easy nor too hard to train on.

        Args:
            where: what holds for their values: comparisons of a key of the report with numbers, joined by "and":
                "0.1 <= avg <= 0.9", "pass@4 >= 0.5 and maj@8 == 1". `avg` is avg@n, whatever n is.
            confident: whether the whole credible interval of a problem must meet the condition, which is then about
                `avg`, pass@k, pass^k or G-Pass@k, for any k: of 0 correct samples out of 8, that of `avg` reaches from
                0 to 0.34, and that of pass@4 to 0.81.
            confidence_level: the probability of this interval, which takes every rate of correct samples as equally
                likely before.

        Returns:
            The names of the problems.

        Raises:
            InputError: if the condition cannot be read, the report has no such value, or it is that of a tally.

        Examples:
            >>> from at_k import score
            >>> report = score({"problem": ["easy", "fair"], "grades": [[1, 1, 1, 1], [1, 0, 0, 1]]})
            >>> report.select("avg <= 0.9"), report.select("avg <= 0.9", confident=True)
            (['fair'], ['fair'])
        """
        places = selecting.select_problems(self, where, confident=confident, confidence_level=confidence_level)
        return [self.problems[place] for place in places]

    def script(self, source: str | list[str] | None = None) -> str:
        """Write the Python lines that give the same numbers.

        Args:
            source: the file of results that the lines read, or a list of files; by default those that the report was
                made from. Without either, they score a variable called `data`.
        """
        return scripts.write_script(self, source)

    def log(self, run: Any, *, step: int | None = None, prefix: str = "at_k/") -> None:
        """Log every number to an experiment tracker, with its standard error and interval, and the table.

        The keys are plain, such as `at_k/pass_at_8` and `at_k/pass_at_8_ci_low`, with `at_k/{group}/` for groups.

        Args:
            run: a run of Weights & Biases, the module `mlflow`, a `SummaryWriter` of TensorBoard, or any object with
                one of their methods `log`, `log_metrics` and `add_scalar`.
            step: the step of training, if there is one: the numbers of several steps are curves.
            prefix: what the keys begin with.

        Raises:
            TypeError: if `run` has none of these methods.
        """
        trackers.log(self, run, step=step, prefix=prefix)

    def to_eval_results(self, dataset: str, key: str, *, task: str = "default", **about: Any) -> str:
        """Write the YAML of one value for `.eval_results/` in a model's repository, which leaderboards of the Hub read.

        Its notes have what the format has no field for: k, n, the interval and the conditions.

        Args:
            dataset: the name of the benchmark's repository, such as "cais/hle".
            key: the value, such as "pass@1". The Hub keeps one for each data set and task.
            task: the name of the task in the benchmark.
            about: further fields of `huggingface_hub.EvalResultEntry`, such as `source_url` and `dataset_revision`.

        Raises:
            ValueError: if the report has no such value.
            TypeError: if there is no such field.
        """
        return sharing.write_eval_results(self, dataset, key, task=task, **about)

    def to_every_eval_ever(
        self,
        folder: str | PathLike[str],
        *,
        model: str,
        dataset: str,
        organization: str = "unknown",
        relationship: str = "third_party",
    ) -> Path:
        """Write the records of Every Eval Ever 0.3: each number with its uncertainty, and each sample with its verdict.

        Args:
            folder: where to write `data/{dataset}/{developer}/{model}/{uuid}.json`, and `_samples.jsonl` beside it.
            model: the name of the model, such as "org/model".
            dataset: the name of the benchmark.
            organization: who ran the evaluation.
            relationship: "first_party" if this is who made the model, else "third_party", "collaborative" or "other".

        Returns:
            The path of the record. `at_k.score` reads the samples beside it, and finds the same numbers.

        Raises:
            ValueError: if the relationship is another word, or the report has no samples, as one that was loaded.
        """
        about = {"model": model, "dataset": dataset, "organization": organization, "relationship": relationship}
        return every_eval_ever.save_records(self, folder, **about)

    def push_to_hub(
        self,
        repo: str,
        dataset: str,
        key: str,
        *,
        task: str = "default",
        card: bool = False,
        token: str | None = None,
        create_pr: bool = False,
        **about: Any,
    ) -> str:
        """Write a value, and the whole report that it is from, into the repository of a model on the Hub.

        Args:
            repo: the repository of the model, such as "org/model".
            dataset: the name of the benchmark's repository. The source of the value is the report, which is saved as
                `at_k/{dataset}.json`.
            key: the value, as of `to_eval_results`.
            task: the name of the task in the benchmark.
            card: whether to write the table into the model card too, in place of the one that an earlier call wrote.
            token: of the Hub; by default the one of `hf auth login`.
            create_pr: whether to propose the change, to a repository of others.
            about: further fields, as of `to_eval_results`.

        Returns:
            The address of the commit, or of the pull request.
        """
        about |= {"task": task, "card": card, "token": token, "create_pr": create_pr}
        return sharing.push(self, repo, dataset, key, **about)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the whole report, with the values of each problem and the curves, into one file.

        Args:
            path: a file that ends in .json or .parquet.

        Raises:
            ValueError: if the name ends otherwise.
        """
        saving.save(self, path)

    @staticmethod
    def load(path: str | PathLike[str]) -> Report:
        """Read a report that `save` has written.

        Raises:
            ValueError: if the file holds no report.
        """
        return saving.load(path, Report)


def find_report(data: object) -> Report | None:
    """Return the report, if data are one or the path of one that was saved; None for other data."""
    if isinstance(data, (str, PathLike)) and saving.holds_report(data):
        return Report.load(data)
    return data if isinstance(data, Report) else None


def refuse_scoring_options(options: Mapping[str, Any]) -> None:
    """Raise for options that say how data are scored, where they are scored already."""
    if options:
        raise InputError(
            "compare.scored",
            "The options {names} say how data are scored, but these values are there already. Leave them out, or give "
            "the data.",
            names=Mention(*options),
        )


def refuse_report(data: Any) -> None:
    """Raise if data to be scored are a report, or the file of one: its samples are gone, and it has its numbers.

    Raises:
        InputError: if they are the file of a report. The sentence says what to do instead.
        TypeError: if they are a report.
    """
    if isinstance(data, Report):
        raise TypeError("`data` must be a data set or the path of a file; got a report, which is scored already")
    for path in [data] if isinstance(data, (str, PathLike)) else data if is_paths(data) else []:
        if saving.holds_report(path):
            raise InputError(
                "data.saved",
                "This is a report that was saved, with numbers and without samples: {path}. Read it by "
                "`at_k.Report.load`, or score the results that it was made from.",
                path=fspath(path),
            )
        if holds_tally(path):
            raise InputError(
                "tally.saved",
                "This is a tally that was saved, with counts and without samples: {path}. What needs samples cannot be "
                "computed from it; `at_k.score` computes the rest.",
                path=fspath(path),
            )


def _spell_bars(bars: dict[Key, ErrorBar]) -> dict[str, dict[str, float | None]]:
    return {str(key): {"stderr": bar.stderr, "low": bar.low, "high": bar.high} for key, bar in bars.items()}

"""The metrics as functions of batches, for `Dataset.map`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import at_k
from at_k.columns import read_module_columns
from at_k.computation import Metric
from at_k.family import find_metric
from at_k.grading import judge
from at_k.options.registry import COLUMNS, JUDGING_OPTIONS, Config, check_config, check_options
from at_k.samples import Rows
from at_k.validation import require_problems, shorten, type_name
from at_k.values import Key, spell

# Options that are about all problems, not about a batch.
_OF_ALL_PROBLEMS = ("rows", "groups", "weights", "return_details")


def scorer(
    name: str,
    config_name: Config = "default",
    /,
    *,
    columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Scorer:
    """Make a function that adds a metric's values, problem by problem, to batches of a data set.

    Args:
        name: one of `at_k.METRICS`.
        config_name: "default" (columns `predictions` and `references` or `grades`) or "graded" (`predictions` are
            grades); for "best_at_k" also `scores`.
        columns: what the columns are called in the data set, where they have other names:
            `{"predictions": "answers"}`.
        options: the options of the metric. If the metric has `k`, it must be given: the default depends on the smallest
            n, which can differ from batch to batch.

    Returns:
        A function from columns, each a list with one entry per problem, to one list of values per key. `avg@n` keeps
        the letter n, so that all batches have the same columns.

    Raises:
        ValueError: if there is no such metric, `k` is missing, or an option is about the whole data set.
        TypeError: if there is no such option or column, or an option is of the wrong kind.

    Examples:
        >>> score = scorer("pass_at_k", "graded", columns={"predictions": "correct"}, k=[1, 2])
        >>> score({"correct": [[1, 0, 0], [1, 1, 1]]})
        {'pass@1': [0.3333333333333333, 1.0], 'pass@2': [0.6666666666666666, 1.0]}

        With `datasets`: `dataset.map(at_k.scorer("gpassk", k=[4, 8]), batched=True, num_proc=2)`.
    """
    metric = find_metric(name)
    config = check_config(config_name)
    check_options(options)
    for option in _OF_ALL_PROBLEMS:
        if option in options:
            raise ValueError(
                f"`{option}` must not be given to a scorer, which sees a batch at a time; `compute` takes it"
            )
    if metric.default_k is not None and options.get("k") is None:
        raise ValueError(
            f"`k` must be given to a scorer of {name!r}: its default depends on the samples of a batch"
        )
    called = dict(columns or {})
    for column in called:
        if column not in COLUMNS:
            raise TypeError(
                f"`columns` must name columns out of {', '.join(COLUMNS)}; got {shorten(column)}"
            )
    return Scorer(name, config, called, options)


class Scorer:
    """Score batches. A scorer can be pickled, and its hash depends on all its settings and on the version."""

    def __init__(
        self, name: str, config_name: str, columns: Mapping[str, str], options: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.config_name = config_name
        self.columns = dict(columns)
        self.options = dict(options)
        # so that the cache of `Dataset.map` does not return numbers of another version
        self.version = at_k.__version__

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[float]]:
        """Compute one list per key, with one value for each problem of the batch."""
        metric = find_metric(self.name)
        columns = self._select(batch, metric)
        problems = read_module_columns(self.config_name, **columns)
        require_problems("predictions", len(problems))
        judging = {name: self.options[name] for name in JUDGING_OPTIONS if name in self.options}
        rows = Rows(
            {
                name: batch[name]
                for name in list_columns(batch)
                if batch[name] is not columns["predictions"]
            }
        )
        verdicts = judge(
            problems, **judging, rows=rows, name="grades" if "grades" in columns else "predictions"
        )
        more = {}
        if metric.needs_scores:
            more = {"scores": problems.scores}
        values = metric.compute(verdicts, **more, **metric.own(self.options))
        style = self.options.get("key_style", "standard")
        return {
            spell(name_key(key), style): column.expand().tolist()
            for key, column in values.columns.items()
        }

    def _select(self, batch: Mapping[str, Any], metric: Metric) -> dict[str, Any]:
        """Select the columns of the metric from a batch: a mapping, an Arrow table or a data frame."""
        names = list_columns(batch)
        columns = {}
        for name in metric.arguments:
            if name not in COLUMNS or (
                self.config_name == "graded" and name in ("references", "grades")
            ):
                continue
            column = self.columns.get(name, name)
            if column in names:
                held = batch[column]
                # an iterator can be read once
                if hasattr(held, "__len__"):
                    columns[name] = held
                else:
                    columns[name] = list(held)
            elif name in ("predictions", "scores") or column != name:
                raise ValueError(
                    f"`{column}` must be a column of the batch, whose columns are {', '.join(map(str, names))}: "
                    f"{self.name!r} in the configuration {self.config_name!r} takes it as `{name}`"
                )
        if (
            self.config_name == "default"
            and "references" not in columns
            and "grades" not in columns
        ):
            raise ValueError(
                f"`references` or `grades` must be a column of the batch, whose columns are "
                f"{', '.join(map(str, names))}; `columns` says which, if it has another name"
            )
        if isinstance(columns["predictions"], (str, int, float)) or isinstance(
            next(iter(columns["predictions"]), None), (str, int, float)
        ):
            got = type_name(columns["predictions"])
            raise TypeError(
                f"`predictions` must be a batch of problems; got a single one, a {got}: map with batched=True"
            )
        return columns


def list_columns(batch: Any) -> list[str]:
    """List the names of the columns of a batch."""
    return getattr(batch, "column_names", None) or list(getattr(batch, "columns", batch))


def name_key(key: Key) -> Key:
    """Return a name that is the same in all batches: an average keeps the letter n."""
    return key.line if key.draws is None else key

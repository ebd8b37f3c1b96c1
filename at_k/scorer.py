"""The metrics as a batch function, for `datasets.Dataset.map`, Ray Data, and whatever else maps over batches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from at_k.interface import OPTIONS, checked_config, refuse_unknown
from at_k.registration import module_path
from at_k.validation import check_k

_OF_ALL_PROBLEMS = ("groups", "weights", "return_details")
"""Options that speak of all problems at once, not of a batch."""


def scorer(name: str, config_name: str = "default", /, **options: Any) -> Scorer:
    """A function that adds a metric's values, problem by problem, to batches of a data set.

    Args:
        name: one of `at_k.METRICS`.
        config_name: "default" (columns `predictions` and `references`) or "graded" (`predictions` are grades); for
            "best_at_k" also `scores`.
        options: the options of the metric. `k` must be among them, where the metric has one: a default that fits one
            batch might not fit the next.

    Returns:
        A function from columns, each a list with one entry per problem, to one list of values per key. `avg@n` keeps
        the letter n, so that all batches have the same columns.

    Raises:
        ValueError: if there is no such metric, `k` is missing, or an option speaks of the whole data set.
        TypeError: if there is no such option, or `k` is not an integer.

    Examples:
        >>> score = scorer("pass_at_k", "graded", k=[1, 2])
        >>> score({"predictions": [[1, 0, 0], [1, 1, 1]]})
        {'pass@1': [0.3333333333333333, 1.0], 'pass@2': [0.6666666666666666, 1.0]}

        With `datasets`: `dataset.map(at_k.scorer("gpassk", k=[4, 8]), batched=True, num_proc=2)`. The columns must have
        the names above; `dataset.rename_columns` gives them.
    """
    module_path(name)  # refuses a name that there is not
    checked_config(config_name)
    refuse_unknown(options, OPTIONS, "option")
    for option in _OF_ALL_PROBLEMS:
        if option in options:
            raise ValueError(
                f"`{option}` must not be given to a scorer, which sees a batch at a time; `compute` takes it"
            )
    if name != "avg_at_n":
        if options.get("k") is None:
            raise ValueError(
                f"`k` must be given to a scorer of {name!r}: its default depends on the samples of a batch"
            )
        check_k(options["k"])
    return Scorer(name, config_name, options)


class Scorer:
    """What `scorer` makes: picklable, and cheap to make, since each process loads the module at its first call."""

    def __init__(self, name: str, config_name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.config_name = config_name
        self.options = dict(options)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[float]]:
        """One list per key, with one value for each problem of the batch."""
        inputs = {}
        for name in self._module._feature_names():
            if name not in batch:
                raise ValueError(
                    f"`{name}` must be a column of the batch, whose columns are {', '.join(batch)}: "
                    f"{self.name!r} in the configuration {self.config_name!r} needs it under this name"
                )
            inputs[name] = batch[name]
        if isinstance(next(iter(inputs["predictions"]), None), (str, int, float)):
            raise TypeError("`predictions` must be a batch of problems; got a single one: map with batched=True")
        table = self._module.compute(**inputs, return_details=True)["details"]["per_problem"]
        return {_of_any_n(key): values for key, values in table.items() if key not in ("n", "c")}

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "config_name": self.config_name, "options": self.options}

    @cached_property
    def _module(self) -> Any:
        import evaluate

        return evaluate.load(str(module_path(self.name)), self.config_name, **self.options)


def _of_any_n(key: str) -> str:
    for avg in ("avg@", "avg_at_"):
        if key.startswith(avg):
            return f"{avg}n"
    return key

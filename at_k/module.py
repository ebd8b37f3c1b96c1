"""The base class of the evaluate modules, and the docstrings that describe them."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import warnings
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MethodType
from typing import Any

import evaluate
from datasets import Features, Sequence, Value
from evaluate.module import CombinedEvaluations
from evaluate.naming import camelcase_to_snakecase

import at_k
from at_k import columns, summary
from at_k.columns import read_module_columns
from at_k.combinatorics import Ints
from at_k.computation import Metric
from at_k.family import FAMILY, find_metric
from at_k.grading import Verdicts, judge
from at_k.grading.verdicts import count_own_frames
from at_k.grading.zeros import are_tests, explain_zeros
from at_k.options.registry import (
    COLUMNS,
    JUDGING_OPTIONS,
    OPTIONS,
    Option,
    check_config,
    check_options,
    refuse_unknown_columns,
    sign,
    write_docstring,
)
from at_k.samples import Problems, Store
from at_k.summary import Confidence
from at_k.validation import check_k, check_seed, require_problems, require_same_problems, shorten
from at_k.values import Values


def sample_features(config_name: str, *, scores: bool = False) -> list[Features]:
    """List the forms in which the columns of a module may be given. The host names columns by the first form."""
    texts = Sequence(Value("string"))
    numbers = Sequence(Value("float64"))
    judged: list[dict[str, Any]] = [{"predictions": numbers}]
    if config_name == "default":
        judged = [
            {"predictions": texts, "references": Value("string")},
            {"predictions": texts, "references": texts},
            {"predictions": texts, "grades": numbers},
        ]
    scored: list[dict[str, Any]] = [{}]
    if scores:
        scored = [{"scores": numbers}, {"scores": Sequence(numbers)}]
    return [Features({**columns, **score}) for columns in judged for score in scored]


# Further arguments of `evaluate.load`.
_OF_HOST = inspect.signature(evaluate.Metric).parameters.keys() - {
    "config_name",
    "num_process",
    "seed",
    "kwargs",
}


def quote_all(names: Iterable[str]) -> str:
    """Quote names, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


class SampledMetric(evaluate.Metric, ABC):
    """Compute a metric of several samples per problem.

    A subclass lists its columns in `_info`, with `sample_features`. Its `_compute` has the samples judged with `judge`,
    computes one value per problem and key, and passes these to `report`.

    It differs from `evaluate.Metric` in four ways. Columns are checked in full and never cast without an error. A
    computation that fails loses no samples. Several threads may share an instance. Samples stay in memory, and no file
    is written.

    Args:
        config_name: "default" (predictions are answers) or "graded" (predictions are grades in [0, 1]).
        num_process: must be 1; the error for other values says what to do instead.
        seed: the seed of simulations, for numbers that cannot be computed exactly.
        options: options of `compute`, which become the defaults of this instance.

    The other arguments are those of `evaluate.load`. Its `timeout` is that of a file lock; the option of this name, the
    time of a check, is an argument of `compute`.
    """

    # Whether references that are test programs are run with the predictions, as `code_eval` does.
    runs_tests = False

    def __init__(
        self,
        config_name: str | None = None,
        *,
        num_process: int = 1,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        if num_process != 1:
            raise ValueError(
                f"`num_process` must be 1; got {shorten(num_process)}. To score with several processes, gather the "
                "samples in one of them, for instance with `accelerator.gather_for_metrics`, and compute there; or map "
                "with `Dataset.map(at_k.scorer(…), num_proc=…)`; or let one process read all results"
            )
        if seed is None:
            self.simulation_seed = 0
        else:
            self.simulation_seed = check_seed(seed)
        self._store = Store()
        self._new_lock()
        of_host = {name: options.pop(name) for name in _OF_HOST & options.keys()}
        super().__init__(config_name=check_config(config_name), seed=seed, **of_host)
        metric = find_metric(self.name)
        self._columns = [name for name in metric.arguments if name in COLUMNS]
        if self.config_name == "graded":  # the predictions are the grades
            self._columns = [name for name in self._columns if name not in ("references", "grades")]
        self._defaults = {name: OPTIONS[name].default for name in metric.options}
        self._defaults |= self._select_own(options)
        # The host gives each instance a function of its own, which knows its configuration.
        method: Any = self.compute
        sign(method.__func__, self._list_inputs())

    def __init_subclass__(cls) -> None:
        """Let `help` and `inspect.signature` name every option that `_compute` takes as `**options`."""
        super().__init_subclass__()
        metric = FAMILY.get(camelcase_to_snakecase(cls.__name__))
        if metric is not None and "_compute" in cls.__dict__:
            sign(cls._compute, {name: OPTIONS[name] for name in metric.options})

    def _list_inputs(self) -> dict[str, Option]:
        """List the columns and options of this module, with the type that predictions have in its configuration."""
        inputs = {name: (COLUMNS | OPTIONS)[name] for name in (*self._columns, *self._defaults)}
        answers, grades = inputs["predictions"].types
        kind = answers if self.config_name == "default" else grades
        inputs["predictions"] = replace(inputs["predictions"], type=kind)
        return inputs

    def __len__(self) -> int:
        """Count the problems that have been added since the last computation."""
        return len(self._store)

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the lock, so that an instance can be sent to another process between computations."""
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore an instance, or a copy of it, with its own store."""
        # The host keeps `compute`, `add` and `add_batch` in the instance, bound to it: a copy has to have its own.
        methods = {
            name: MethodType(method.__func__, self)
            for name, method in state.items()
            if isinstance(method, MethodType)
        }
        self.__dict__.update(state, **methods, _store=state["_store"].copy())
        self._new_lock()

    def compute(self, **inputs: Any) -> dict[str, Any]:
        """Compute the metric over the problems given here and those added before, and then remove the latter."""
        # If the computation fails, the problems stay, and `compute` can be called again.
        caller = sys._getframe(1).f_code
        is_combined = caller is CombinedEvaluations.compute.__code__
        given = {name: inputs.pop(name, None) for name in COLUMNS}
        if not is_combined:
            self._refuse_others_columns(given)
        options = self._defaults | self._select_own(inputs, is_combined=is_combined)
        for name in ("groups", "clusters"):
            if options[name] is not None:
                # A generator can be read only once.
                options[name] = columns.read_groups(options[name], name)
        batches = []
        if any(given.get(name) is not None for name in self._columns):
            batches = [self._read(given)]
        if batches and not len(self._store):
            # Run without the lock, so that threads run side by side.
            return self._run(batches[0], options)
        with self._lock:
            if not batches and not len(self._store):
                raise ValueError(
                    "`predictions` must be given, here or before with `add` or `add_batch`; got no problems"
                )
            return self._run_with_store(batches, options)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add problems, with one entry per problem in every column. If the batch has a fault, nothing is added."""
        self._add({"predictions": predictions, "references": references, **kwargs})

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one problem: its samples, and its entries in the other columns."""
        # `evaluate.combine` hands it the samples as `predictions` and the reference as `references`.
        row = {"predictions": prediction, "references": reference}
        for one, name in (("prediction", "predictions"), ("reference", "references")):
            if row[name] is not None and kwargs.get(name) is not None:
                raise TypeError(
                    f"`{name}` must not be given to `add` beside `{one}`: it takes one problem; see `add_batch`"
                )
        row |= {
            name: value for name, value in kwargs.items() if value is not None or name not in row
        }
        self._add({name: None if value is None else [value] for name, value in row.items()})

    def judge(self, problems: Problems, options: Mapping[str, Any]) -> Verdicts:
        """Judge samples by those options of a module that say how. Warn if no answer is correct, with what may help."""
        name = "predictions"
        if problems.grades is not None and problems.answers is not None:
            name = "grades"
        how = {option: options[option] for option in ("rows", *JUDGING_OPTIONS)}
        verdicts = judge(problems, name=name, **how)
        zeros = " ".join(map(str, explain_zeros(problems, verdicts)))
        if zeros:
            warnings.warn(zeros, stacklevel=count_own_frames())
        return verdicts

    def report(
        self, values: Values, verdicts: Verdicts, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Report the means over problems and groups and, if asked for, error bars and details."""
        wanted = options["confidence"]
        key_style = options["key_style"]
        result: dict[str, Any] = summary.summarize_columns(
            values.columns,
            values.errors,
            groups=options["groups"],
            key_style=key_style,
            wanted=wanted,
            n=verdicts.n,
            vary=values.vary,
        )
        if options["return_details"]:
            details = result["details"] = summary.make_details(
                values,
                verdicts,
                name=self.name,
                seed=self.simulation_seed,
                version=at_k.__version__,
                key_style=key_style,
                wanted=wanted,
            )
            if self.runs_tests and "reasons" in details:
                details["results"] = list_as_code_eval(details["reasons"])
        return result

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """Describe the metric and its columns."""

    @abstractmethod
    def _compute(self, problems: Problems, **options: Any) -> dict[str, Any]:
        """Compute the metric of checked columns. All options are given, and the `confidence` that they make."""

    def _new_lock(self) -> None:
        """Make the lock, and note that a child process needs a new one: a thread of its parent may hold this one."""
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            _LOCKED.add(self)

    def _select_own(
        self, options: Mapping[str, Any], *, is_combined: bool = False
    ) -> dict[str, Any]:
        """Check the options of this module. Those of other modules are left out in `evaluate.combine` alone."""
        own = {name: OPTIONS[name] for name in self._defaults}
        if is_combined:
            check_options(options)
            return {name: value for name, value in options.items() if name in own}
        for name in options.keys() & OPTIONS.keys() - own.keys():
            takers = [metric.name for metric in FAMILY.values() if name in metric.options]
            hint = ""
            if name == "thresholds":
                hint = " The cut of grades is `correct_above`."
            raise TypeError(
                f"`{name}` is an option of {quote_all(takers)}, and not of `{self.name}`.{hint} The options of "
                f"`{self.name}` are {', '.join(own)}"
            )
        check_options(options, self._list_inputs(), of=self.name)
        return dict(options)

    def _refuse_others_columns(self, given: Mapping[str, Any]) -> None:
        """Raise for a column that only other modules take, such as scores."""
        taken = find_metric(self.name).arguments
        for name, value in given.items():
            if value is not None and name not in taken:
                listed = quote_all(self._columns)
                raise TypeError(
                    f"`{name}` is no column of `{self.name}`; got {shorten(value)}. It takes {listed}"
                )

    def _read(self, given: Mapping[str, Any]) -> Problems:
        """Check the columns of this module."""
        for name in self._columns:
            if given.get(name) is None and name in ("predictions", "scores"):
                listed = quote_all(self._columns)
                raise ValueError(f"`{name}` must be given; `{self.name}` takes {listed}")
        if self.config_name == "graded":
            for name in ("references", "grades"):
                if given.get(name) is not None:
                    raise ValueError(
                        f"`{name}` must not be given in the configuration 'graded', whose predictions are grades"
                    )
        elif given.get("references") is None and given.get("grades") is None:
            raise ValueError(
                "`references` or `grades` must be given in the configuration 'default'; predictions that are grades go "
                "to the configuration 'graded', as in evaluate.load(…, 'graded')"
            )
        scores = None
        if "scores" in self._columns:
            scores = given.get("scores")
        return read_module_columns(self.config_name, **{**given, "scores": scores})

    def _add(self, given: dict[str, Any]) -> None:
        refuse_unknown_columns(given)
        batch = self._read(given)
        with self._lock:
            self._store.add(batch)

    def _run_with_store(self, batches: list[Problems], options: dict[str, Any]) -> dict[str, Any]:
        """Run on the problems in the store and on further ones. If that succeeds, remove them from the store."""
        # A checker may add problems to the instance that calls it. These stay for the next computation.
        held, self._store = self._store, Store()
        try:
            return self._run(held.join(*batches), options)
        except BaseException:
            for batch in self._store:
                held.add(batch)
            self._store = held
            raise

    def _run(self, batch: Problems, options: dict[str, Any]) -> dict[str, Any]:
        """Run `_compute` on checked columns."""
        require_problems("predictions", len(batch))
        # Check the options of the report now: judging may take minutes, and a wrong one should not waste it.
        for name in ("rows", "groups", "clusters"):
            if options[name] is not None:
                require_same_problems(name, len(options[name]), "predictions", len(batch))
        if self.runs_tests:
            options = read_as_code_eval(batch, options)
        confidence = Confidence(
            options["confidence_level"],
            options["target"],
            options["clusters"],
            options["ci_method"],
        )
        return self._compute(batch, **options, confidence=confidence)


def read_as_code_eval(batch: Problems, options: dict[str, Any]) -> dict[str, Any]:
    """Run references that are tests, and leave out each k above n with a warning, as `code_eval` does silently."""
    check = options["check_correct_fn"]
    k = options["k"]
    if batch.grades is not None or batch.references is None:
        return options
    if check == "exact_match" and are_tests(batch.references):
        check = "code"
    if check != "code":
        return options
    if k is not None:
        k = _leave_out_large_k(check_k(k), batch.n)
    return options | {"check_correct_fn": check, "k": k}


def _leave_out_large_k(k: tuple[int, ...], n: Ints) -> list[int]:
    """Leave out each k above n. If all are, they stay, and are refused."""
    least = int(n.min())
    fitting = [draws for draws in k if draws <= least]
    if not fitting or len(fitting) == len(k):
        return list(k)
    large = ", ".join(str(draws) for draws in k if draws > least)
    warnings.warn(
        f"`k` = {large} left out: problem {int(n.argmin())} has {least} samples",
        stacklevel=count_own_frames(),
    )
    return fitting


def list_as_code_eval(
    reasons: list[list[str | None]],
) -> dict[int, list[tuple[int, dict[str, Any]]]]:
    """List how the programs of each problem ended, as the second result of `code_eval` does."""
    results: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for task, row in enumerate(reasons):
        results[task] = [
            (i, {"task_id": task, "passed": text == "passed", "result": text, "completion_id": i})
            for i, text in enumerate(row)
        ]
    return results


_LOCKED: weakref.WeakSet[SampledMetric] = weakref.WeakSet()


def _renew_locks() -> None:
    for metric in _LOCKED:
        metric._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


# The entries that the result of every module has if an option asks for them.
_OUTPUTS = {
    "{group}/{key}": "with `groups`, the value of each key for each group. The label is spelled as given.",
    "details": "with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `n_unanswered` (the number of "
    "samples in which `extract_fn` found no answer), `not_graded` (the number of samples whose check took too long or "
    "failed, by cause), `per_problem` (a list with one entry per problem, in input order, for n, c and every key), "
    "with the checker `code` also `outcomes` (the number of samples by how their programs ended) and `reasons` (for "
    "each problem a list with a text for each sample), of `pass_at_k` also `results` (as those of `code_eval`), and "
    "`signature` (one line that states the conditions under which two numbers may be compared).",
}


def describe_inputs(name: str, examples: str) -> str:
    """Describe the columns, options and outputs of a module, as its docstring has them, with examples below."""
    metric = FAMILY[name]
    return write_docstring(
        find_inputs(metric), find_outputs(metric), examples, list_defaults([metric])
    )


def find_inputs(metric: Metric) -> list[Option]:
    """Return the columns and options that a module takes."""
    return [(COLUMNS | OPTIONS)[name] for name in metric.arguments]


def find_outputs(metric: Metric) -> dict[str, str]:
    """Return what a module returns: key → its meaning."""
    return {output.key: output.text for output in metric.outputs} | _OUTPUTS


def list_defaults(metrics: Iterable[Metric]) -> dict[str, str]:
    """Describe the k that each metric takes if it is given none."""
    return {
        metric.name: metric.default_k.text for metric in metrics if metric.default_k is not None
    }

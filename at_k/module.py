"""What the five evaluate modules have in common: how samples come in, are judged, and are reported."""

from __future__ import annotations

import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import chain, product
from typing import Any

import evaluate
import numpy as np
from datasets import Features, Sequence, Value
from numpy.typing import ArrayLike

import at_k
from at_k import columns, summary
from at_k.exchange import Exchange
from at_k.grading import Check, Verdicts, checker_name, judge_answers, judge_grades
from at_k.interface import COLUMNS, OPTIONS, checked_config, refuse_unknown
from at_k.samples import Answers, Ragged
from at_k.store import Batch, Store
from at_k.validation import check_seed


def sample_features(config_name: str, *, scores: bool = False) -> list[Features]:
    """The columns of a module, in the forms in which they may come."""
    texts, numbers = Sequence(Value("string")), Sequence(Value("float64"))
    predictions = [texts] if config_name == "default" else [numbers]
    references = [{"references": Value("string")}, {"references": texts}] if config_name == "default" else [{}]
    scored = [{"scores": numbers}, {"scores": Sequence(numbers)}] if scores else [{}]
    return [
        Features({"predictions": prediction, **reference, **score})
        for prediction, reference, score in product(predictions, references, scored)
    ]


class SampledMetric(evaluate.Metric, ABC):
    """A metric of several samples per problem.

    A subclass says in `_info` what it takes, with `sample_features`, and in `_compute` what it computes: it has its
    samples judged with `judge`, makes one value per problem and key, and hands these to `report`.

    Differences from `evaluate.Metric`: columns are checked in full and never cast silently; a computation that fails
    loses no samples; several threads may share an instance; samples are kept in memory. Only for `num_process > 1` are
    files written, when processes hand over their samples; all must come to `compute` within `timeout` seconds.

    Args:
        config_name: "default" (predictions are answers, to be judged against references) or "graded" (predictions are
            grades in [0, 1]).
        seed: of simulations, where a number has no closed form.
        options: options of `compute` that become the defaults of this instance.

    The other arguments are those of `evaluate.load`.
    """

    def __init__(
        self,
        config_name: str | None = None,
        keep_in_memory: bool = False,
        cache_dir: str | None = None,
        num_process: int = 1,
        process_id: int = 0,
        seed: int | None = None,
        experiment_id: str | None = None,
        hash: str | None = None,
        max_concurrent_cache_files: int = 10000,
        timeout: float = 100,
        **options: Any,
    ) -> None:
        self.simulation_seed = 0 if seed is None else check_seed(seed)
        self._store = Store()
        self._gathered = False  # whether the store holds the samples of all processes
        self._lock = threading.RLock()
        super().__init__(
            config_name=checked_config(config_name),
            keep_in_memory=keep_in_memory,
            cache_dir=cache_dir,
            num_process=num_process,
            process_id=process_id,
            seed=seed,
            experiment_id=experiment_id,
            hash=hash,
            max_concurrent_cache_files=max_concurrent_cache_files,
            timeout=timeout,
        )
        self._defaults = self._own_options(options)

    def __len__(self) -> int:
        """How many problems have been added since the last computation."""
        return len(self._store)

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock: an instance can be sent to another process between computations."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> dict[str, Any] | None:
        """Compute the metric over the problems given here and those added before, which are then forgotten.

        If it fails, the problems added before are kept, and `compute` can be called again.

        Returns:
            key → value, as Python floats; None in a process with `process_id` > 0.
        """
        given = {"predictions": predictions, "references": references}
        given |= {name: kwargs.pop(name) for name in COLUMNS if name in kwargs}
        options = self._defaults | self._own_options(kwargs)
        named = {"predictions", "references", *self._feature_names()}
        batches = [] if all(given.get(name) is None for name in named) else [self._read(given)]
        if self.num_process > 1:
            return self._compute_of_all_processes(batches, options)
        if batches and not len(self._store):
            return self._run(batches[0], options)  # nothing is shared: threads run side by side
        with self._lock:
            return self._run_with_store(batches, options)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add problems: one entry per problem in every column. A batch with a fault is not added at all."""
        self._add({"predictions": predictions, "references": references, **kwargs})

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one problem: its samples, and whatever else the metric takes for one problem."""
        row = {"predictions": prediction, "references": reference, **kwargs}
        self._add({name: None if value is None else [value] for name, value in row.items()})

    def judge(
        self,
        predictions: Any,
        references: Any = None,
        *,
        check_correct_fn: Check | str = "exact_match",
        threshold: float = 0.5,
        missing: str = "error",
    ) -> Verdicts:
        """Which samples are correct, in either configuration; of columns that `compute` has checked, or of others."""
        if self.config_name == "graded":
            checked = isinstance(predictions, tuple) and all(isinstance(part, Ragged) for part in predictions)
            parts = predictions if checked else (columns.grades(predictions),)
            return judge_grades(parts, threshold=threshold, missing=missing)
        if not isinstance(predictions, Answers):
            predictions, references = columns.answers(predictions), columns.references(references)
        return judge_answers(
            predictions, references, check_correct_fn=check_correct_fn, threshold=threshold, missing=missing
        )

    def report(
        self,
        per_problem: Mapping[str, ArrayLike],
        verdicts: Verdicts,
        *,
        mcse: Mapping[str, ArrayLike] | None = None,
        groups: Any = None,
        return_details: bool = False,
        key_style: str = "standard",
        check_correct_fn: Check | str = "exact_match",
        **conditions: object,
    ) -> dict[str, Any]:
        """The result: the means over problems and groups, and, if asked for, the details.

        `mcse` holds the standard errors of simulated values, and `conditions` what else the signature states.
        """
        result: dict[str, Any] = summary.summarize(per_problem, groups=groups, key_style=key_style, mcse=mcse)
        if return_details:
            n = verdicts.n
            simulated = any(np.any(error) for error in (mcse or {}).values())
            result["details"] = summary.details(
                per_problem,
                n=n,
                c=verdicts.c,
                n_missing=verdicts.n_missing,
                key_style=key_style,
                signature=summary.signature(
                    self.name,
                    n=f"{n.min()}-{n.max()}" if n.min() < n.max() else n.min(),
                    **conditions,
                    checker="graded" if self.config_name == "graded" else checker_name(check_correct_fn),
                    estimator=f"simulated(seed={self.simulation_seed})" if simulated else "exact",
                    version=at_k.__version__,
                ),
            )
        return result

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """What the metric is and takes."""

    @abstractmethod
    def _compute(self, **kwargs: Any) -> dict[str, Any]:
        """The metric of checked columns, or of columns as users give them."""

    def _own_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of this module; those of its sisters are left out, and others are refused."""
        refuse_unknown(options, OPTIONS, "option")
        own = inspect.signature(type(self)._compute).parameters
        return {name: value for name, value in options.items() if name in own}

    def _read(self, given: Mapping[str, Any]) -> Batch:
        """The columns of this module, checked."""
        names = self._feature_names()
        missing = [name for name in names if given.get(name) is None and name != "references"]
        if missing:
            raise ValueError(
                f"`{missing[0]}` must be given; `{self.name}` needs {', '.join(f'`{name}`' for name in names)}"
            )
        return Batch.read(
            self.config_name,
            predictions=given["predictions"],
            references=given.get("references"),
            scores=given["scores"] if "scores" in names else None,
        )

    def _add(self, given: dict[str, Any]) -> None:
        refuse_unknown(given, COLUMNS, "column")
        batch = self._read(given)
        with self._lock:
            if self._gathered:
                raise ValueError(_HELD)
            self._store.add(batch)

    def _run(self, batch: Batch, options: dict[str, Any]) -> dict[str, Any]:
        """`_compute` on checked columns."""
        columns.some_problems("predictions", len(batch))
        # What is needed last is checked first: to judge the samples may take long.
        summary.check_options(len(batch), **{name: options[name] for name in summary.OPTIONS if name in options})
        taken = {"predictions": batch.predictions, "references": batch.references, "scores": batch.scores}
        return self._compute(**{name: taken[name] for name in self._feature_names()}, **options)

    def _run_with_store(self, batches: list[Batch], options: dict[str, Any]) -> dict[str, Any]:
        if not batches and not len(self._store):
            raise ValueError("`predictions` must be given, here or before with `add` or `add_batch`; got no problems")
        result = self._run(self._store.joined(*batches), options)
        self._store.clear()
        return result

    def _compute_of_all_processes(self, batches: list[Batch], options: dict[str, Any]) -> dict[str, Any] | None:
        """Process 0 gathers what all others hand over, and computes. Nobody's samples are forgotten before that."""
        exchange = Exchange(self.data_dir, self.experiment_id, self.num_process, self.timeout)
        with self._lock:
            if self.process_id > 0:
                mine = [*([self._store.joined()] if len(self._store) else []), *batches]
                exchange.hand_over(self.process_id, Batch.joined(mine).arrays() if mine else {})
                self._store.clear()
                return None
            if not self._gathered:
                others = exchange.gather()
                for batch in chain(batches, (Batch.from_arrays(arrays) for arrays in others if arrays)):
                    self._store.add(batch)
                self._gathered = True
            elif batches:
                raise ValueError(_HELD)
            result = self._run_with_store([], options)
            self._gathered = False
            return result


_HELD = (
    "`predictions` must not be given now: the samples of all processes are held since a `compute` failed; call it "
    "again without, or load the metric anew to forget them"
)

"""A metric and two reducers for inspect_ai, which finds them by their names: its entry points load this file.

```
Task(..., scorer=match(), metrics=[accuracy(), at_k(k=[1, 8])], epochs=Epochs(8, ["mean", "cons_4", "g_pass_8"]))
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from inspect_ai.scorer import SampleScore, Score, metric, score_reducer, value_to_float

from at_k.estimators.consensus import cons_at_k
from at_k.estimators.counts import g_pass_at_k
from at_k.integrations.samples import check_options, is_correct, measure_samples
from at_k.validation import check_tau


@metric(name="at_k", scores="unreduced")
def at_k(
    k: int | list[int] | None = None,
    metrics: list[str] | None = None,
    correct_above: float | str = 0.5,
) -> Callable[[list[SampleScore]], Any]:
    """Compute every @k number from all epochs, each with its standard error and interval.

    Args:
        k: the number of draws, or several; by default 1, 2, 4, 8, … up to the epochs.
        metrics: the modules to compute, such as `["pass_at_k", "cons_at_k"]`; by default all.
        correct_above: a sample is correct if its score is above this number. “C” is 1, “P” ½, “I” and “N” 0.
    """
    check_options(k=k, metrics=metrics, correct_above=correct_above)

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return measure_samples(
            [sample.sample_id for sample in scores],
            _grade([sample.score for sample in scores]),
            [sample.score.answer for sample in scores],
            k=k,
            metrics=metrics,
            correct_above=correct_above,
        )

    return compute


@score_reducer(name="cons")
def cons(k: int, correct_above: float | str = 0.5) -> Callable[[list[Score]], Score]:
    """Reduce the epochs of a sample to cons@k: the chance that a vote among k of its answers is right.

    Args:
        k: the number of votes.
        correct_above: as of `at_k`. An answer that was scored in two ways is as most of its scores say.
    """

    def reduce(scored: Sequence[Score], right: list[bool]) -> float:
        answers = [sample.answer for sample in scored]
        return float(cons_at_k([answers], [right], k=k, on_conflict="majority")[0])

    return _reduce(k, correct_above, reduce)


@score_reducer(name="g_pass")
def g_pass(
    k: int, thresholds: float = 1.0, correct_above: float | str = 0.5
) -> Callable[[list[Score]], Score]:
    """Reduce the epochs of a sample to G-Pass@k: the chance that at least the share τ of k epochs is right."""
    check_tau(thresholds)
    return _reduce(
        k,
        correct_above,
        lambda _, right: float(
            g_pass_at_k([len(right)], [sum(right)], k=k, thresholds=thresholds)[0]
        ),
    )


def _reduce(
    k: int, correct_above: float | str, compute: Callable[[Sequence[Score], list[bool]], float]
) -> Callable[[list[Score]], Score]:
    """Make a reducer of the scores that have a value. With fewer than k of them the result is NaN, as in inspect_ai."""
    check_options(k=k, correct_above=correct_above)

    def reduce(scores: list[Score]) -> Score:
        grades = _grade(scores)
        scored = [sample for sample, grade in zip(scores, grades, strict=True) if not isnan(grade)]
        right = [is_correct(grade, correct_above) for grade in grades if not isnan(grade)]
        return Score(value=compute(scored, right) if len(scored) >= k else float("nan"))

    return reduce


def _grade(scores: Sequence[Score]) -> list[float]:
    """Return the grade of each score."""
    for sample in scores:
        if isinstance(sample.value, (list, dict)):
            raise TypeError(
                "`at_k` needs scores with one value; got several. Give metrics by name: "
                f'`metrics={{"name": [at_k()]}}`; got {sample.value!r}'
            )
    return list(map(value_to_float(), [sample.value for sample in scores]))

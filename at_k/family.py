"""The registry of the metrics: their names, needs, options, defaults and keys, and the functions that compute them.

The modules, the scorer, the report, the demo, the Spaces, the generated texts (`make texts`) and the tests read it. A
new metric needs a function from verdicts to values and an entry in `FAMILY`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from at_k import estimators
from at_k.choices import CONFLICTS, TIES
from at_k.columns import read_weights
from at_k.combinatorics import Floats, Ints
from at_k.estimators.consensus import elect
from at_k.estimators.selection import choose_best, expect_highest, rank_scores
from at_k.grading import Verdicts
from at_k.options import OPTIONS, SHARED_OPTIONS
from at_k.samples import Ragged
from at_k.uncertainty.jackknife import (
    CountsEstimator,
    jackknife_choice,
    jackknife_counts,
    jackknife_grades,
    jackknife_highest,
    jackknife_samples,
    jackknife_votes,
)
from at_k.validation import (
    K,
    Taus,
    check_choice,
    check_k,
    check_tau,
    refuse_too_many_k,
    shorten,
)
from at_k.values import Column, Key, Values


@dataclass(frozen=True)
class Output:
    """A number that a module returns.

    Attributes:
        key: its key as the documentation spells it: "G-Pass@{k}_{τ}".
        text: its meaning, in Markdown.
        bounded: whether it lies in [0, 1]; otherwise it has the unit of the scores.
        drawn: whether it is a line among the curves against k; False if it is not a share, or repeats another line.
        of_module: whether the module always returns it; False for a number that only some results have, such as the
            standard error of a simulation.
    """

    key: str
    text: str
    bounded: bool = True
    drawn: bool = True
    of_module: bool = True

    @property
    def metric(self) -> str:
        """Return the `Key.metric` of its keys: "G-Pass@k"."""
        return self.key.partition("_{τ}")[0].replace("{", "").replace("}", "")


@dataclass(frozen=True)
class Default:
    """The values of k that a module takes if it is given none, chosen by the smallest n, and their description."""

    choose: Callable[[int], tuple[int, ...]]
    text: str


@dataclass(frozen=True)
class Example:
    """A small calculation that shows what a metric does: columns as `at_k.score` takes them, and options."""

    columns: Mapping[str, Any]
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Metric:
    """The facts about a metric.

    Attributes:
        name: the name of its module.
        title: its name in papers.
        question: the question that it answers.
        needs: the columns that it needs, in words.
        warning: the most common mistake in reading it.
        arguments: the names of its columns and options, in the order of its signature.
        outputs: the numbers that it returns.
        compute: the function that turns verdicts and its own options into values.
        vary: the function that turns the same into the jackknife variance of each value; a metric of counts has the
            level of every c that is possible.
        example: the calculation that its page starts with.
        default_k: the k that it takes if it is given none; None for a metric without k.
        votes: whether it compares the answers of a problem with each other.
    """

    name: str
    title: str
    question: str
    needs: str
    warning: str
    arguments: tuple[str, ...]
    outputs: tuple[Output, ...]
    compute: Callable[..., Values]
    vary: Callable[..., dict[Key, Column]]
    example: Example
    default_k: Default | None = None
    votes: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """Return the names of its options."""
        return tuple(name for name in self.arguments if name in OPTIONS)

    @property
    def own_options(self) -> tuple[str, ...]:
        """Return the names of the options that `compute` takes; the others are about judging and reporting."""
        return tuple(name for name in self.options if name not in SHARED_OPTIONS)

    @property
    def needs_scores(self) -> bool:
        """Return whether it needs a score for each sample."""
        return "scores" in self.arguments

    def own(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Select from the options of all metrics those that `compute` takes."""
        return {name: options[name] for name in self.own_options if name in options}


def powers_of_two(smallest: int) -> tuple[int, ...]:
    """List the powers of two up to the smallest n, and the smallest n itself.

    Examples:
        >>> powers_of_two(6), powers_of_two(8)
        ((1, 2, 4, 6), (1, 2, 4, 8))
    """
    return tuple(sorted({smallest, *(2**power for power in range(smallest.bit_length()))}))


def published_k(smallest: int) -> tuple[int, ...]:
    """List those of 4, 8, 16 that do not exceed the smallest n; the smallest n if none fits.

    Examples:
        >>> published_k(9), published_k(3)
        ((4, 8), (3,))
    """
    return tuple(k for k in (4, 8, 16) if k <= smallest) or (smallest,)


_POWERS = Default(powers_of_two, "1, 2, 4, 8, … up to the smallest n, and the smallest n itself")
_PUBLISHED = Default(
    published_k, "those of 4, 8, 16 that do not exceed the smallest n, or, if none fits, the smallest n"
)


def choose_k(k: K | None, n: Ints, default: Default) -> tuple[int, ...]:
    """Return the k that were given, or, if none were given, those of the default.

    Raises:
        TypeError: if k is not an integer or a list of integers.
        ValueError: if a k is below 1, or some n is smaller than it.
    """
    if k is None:
        return default.choose(int(n.min()))
    draws = check_k(k)
    refuse_too_many_k(draws, n)
    return draws


def compute_pass(verdicts: Verdicts, *, k: K | None = None) -> Values:
    """Compute pass@k from judged samples."""
    draws = choose_k(k, verdicts.n, _POWERS)
    columns = _of_counts(verdicts, ((Key("pass@k", each), _at(estimators.pass_at_k, each)) for each in draws))
    return Values(columns, conditions={"k": draws})


def vary_pass(verdicts: Verdicts, *, k: K | None = None) -> dict[Key, Column]:
    """Compute the jackknife variances of `compute_pass`."""
    draws = choose_k(k, verdicts.n, _POWERS)
    return _by_key_of_counts(verdicts, [Key("pass@k", each) for each in draws], estimators.pass_at_k, draws)


def compute_g_pass(verdicts: Verdicts, *, k: K | None = None, thresholds: Taus = (0.25, 0.5, 0.75, 1.0)) -> Values:
    """Compute G-Pass@k for every τ, and mG-Pass@k, from judged samples."""
    taus = check_tau(thresholds, "thresholds")
    draws = choose_k(k, verdicts.n, _PUBLISHED)
    tables: list[tuple[Key, _Table]] = [
        (Key("G-Pass@k", each, tau), _at(estimators.g_pass_at_k, each, tau=tau)) for each in draws for tau in taus
    ]
    tables += [(Key("mG-Pass@k", each), _at(estimators.mg_pass_at_k, each)) for each in draws]
    return Values(_of_counts(verdicts, tables), conditions={"k": draws, "tau": taus})


def vary_g_pass(
    verdicts: Verdicts, *, k: K | None = None, thresholds: Taus = (0.25, 0.5, 0.75, 1.0)
) -> dict[Key, Column]:
    """Compute the jackknife variances of `compute_g_pass`."""
    draws = choose_k(k, verdicts.n, _PUBLISHED)
    found: dict[Key, Column] = {}
    for tau in check_tau(thresholds, "thresholds"):
        keys = [Key("G-Pass@k", each, tau) for each in draws]
        found |= _by_key_of_counts(verdicts, keys, partial(estimators.g_pass_at_k, tau=tau), draws)
    keys = [Key("mG-Pass@k", each) for each in draws]
    return found | _by_key_of_counts(verdicts, keys, estimators.mg_pass_at_k, draws)


def compute_consensus(
    verdicts: Verdicts,
    *,
    k: K | None = None,
    ties: str = "random",
    weights: object = None,
    on_conflict: str = "error",
    seed: int = 0,
) -> Values:
    """Compute cons@k from judged samples: a vote among their answers, or a majority of grades if there are none."""
    check_choice("ties", ties, TIES)
    check_choice("on_conflict", on_conflict, CONFLICTS)
    draws = choose_k(k, verdicts.n, _POWERS)
    keys = [Key("cons@k", each) for each in draws]
    if verdicts.answers is None:
        if weights is not None:
            raise ValueError(
                "`weights` must not be given without answers, as in the configuration 'graded': only answers can vote"
            )
        columns = _of_counts(
            verdicts, ((key, _at(estimators.majority_at_k, each)) for key, each in zip(keys, draws, strict=True))
        )
        return Values(columns, conditions={"k": draws, "ties": "majority of grades", "weighted": False})
    weighted = None if weights is None else verdicts.keep_samples("weights", read_weights(weights, missing=True))
    shares, errors = elect(
        verdicts.answers,
        verdicts.correct.values,
        draws,
        ties=ties,
        weights=weighted,
        seed=seed,
        on_conflict=on_conflict,
        name="grades",
    )
    conditions: dict[str, object] = {"k": draws, "ties": ties, "weighted": weighted is not None}
    if on_conflict != "error":
        conditions["on_conflict"] = on_conflict
    return Values(_by_key(keys, shares), _errors(keys, errors), conditions)


def vary_consensus(
    verdicts: Verdicts,
    *,
    k: K | None = None,
    ties: str = "random",
    weights: object = None,
    on_conflict: str = "error",
    seed: int = 0,
) -> dict[Key, Column]:
    """Compute the jackknife variances of `compute_consensus`."""
    draws = choose_k(k, verdicts.n, _POWERS)
    keys = [Key("cons@k", each) for each in draws]
    if verdicts.answers is None:
        return _by_key_of_counts(verdicts, keys, estimators.majority_at_k, draws)
    if weights is None:
        found = jackknife_votes(
            verdicts.answers, verdicts.correct.values, draws, ties=ties, on_conflict=on_conflict, name="grades"
        )
    else:
        weighted = verdicts.keep_samples("weights", read_weights(weights, missing=True))

        # All but one sample are a random draw: their order must not decide.
        rule = "random" if ties == "first" else ties

        def vote(votes: Any, correct: Any, given: Any, *, k: list[int]) -> Floats:
            return estimators.cons_at_k(
                votes, correct, k=k, ties=rule, weights=given, on_conflict=on_conflict, seed=seed
            )

        found = jackknife_samples(
            vote, verdicts.answers.listed(), verdicts.correct.listed(), weighted.listed(), k=list(draws)
        )
    return _by_key(keys, found)


def compute_average(verdicts: Verdicts) -> Values:
    """Compute avg@n, the share of correct samples, and the mean grade from judged samples."""
    n, c, which = verdicts.counts
    same = (verdicts.n == verdicts.n[0]).all()
    average = Key("avg@n", int(verdicts.n[0]) if same else None)
    return Values({average: Column(c / n, which), Key("accuracy"): Column.of(verdicts.mean_grade)})


def vary_average(verdicts: Verdicts) -> dict[Key, Column]:
    """Compute the jackknife variances of `compute_average`."""
    average, accuracy = compute_average(verdicts).columns
    found = _by_key_of_counts(verdicts, [average], estimators.pass_at_k, (1,))
    # No grades in [0, 1] vary more than the verdicts of the worst c.
    own = jackknife_grades(Ragged.concatenate(verdicts.graded))
    return found | {accuracy: Column(np.append(own, found[average].levels), np.arange(len(own)))}


def compute_best(
    verdicts: Verdicts,
    *,
    scores: Ragged,
    k: K | None = None,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    seed: int = 0,
) -> Values:
    """Compute best@k and max@k from judged samples and a score for each."""
    draws = choose_k(k, verdicts.n, _POWERS)
    ranked = rank_scores(
        verdicts.keep_samples("scores", scores),
        select=select,
        score_weights=score_weights,
        higher_is_better=higher_is_better,
    )
    best, errors = choose_best(ranked, verdicts.correct, draws, seed=seed)
    keys = [Key("best@k", each) for each in draws]
    columns = _by_key(keys, best)
    if select in (None, "weighted"):
        top = expect_highest(ranked, draws)
        columns |= _by_key([Key("max@k", each) for each in draws], top if higher_is_better else 0 - top)  # no −0.0
    conditions: dict[str, object] = {
        "k": draws,
        "select": select,
        "score_weights": None if score_weights is None else [float(weight) for weight in score_weights],
        "higher_is_better": higher_is_better,
    }
    return Values(columns, _errors(keys, errors), conditions)


def vary_best(
    verdicts: Verdicts,
    *,
    scores: Ragged,
    k: K | None = None,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    seed: int = 0,
) -> dict[Key, Column]:
    """Compute the jackknife variances of `compute_best`."""
    draws = choose_k(k, verdicts.n, _POWERS)
    ranked = rank_scores(
        verdicts.keep_samples("scores", scores),
        select=select,
        score_weights=score_weights,
        higher_is_better=higher_is_better,
    )
    best = jackknife_choice(ranked, verdicts.correct, draws)
    found = _by_key([Key("best@k", each) for each in draws], best)
    if select in (None, "weighted"):
        found |= _by_key([Key("max@k", each) for each in draws], jackknife_highest(ranked, draws))
    return found


_Table = Callable[[Ints, Ints], Floats]


def _at(estimator: Callable[..., Floats], k: int, **more: Any) -> _Table:
    return lambda n, c: estimator(n, c, k=k, **more)


def _of_counts(verdicts: Verdicts, tables: Iterable[tuple[Key, _Table]]) -> dict[Key, Column]:
    """Compute metrics of n and c, once for each distinct pair of them."""
    n, c, which = verdicts.counts
    return {key: Column(table(n, c), which) for key, table in tables}


def _by_key_of_counts(
    verdicts: Verdicts, keys: Sequence[Key], estimate: CountsEstimator, draws: Sequence[int]
) -> dict[Key, Column]:
    """Compute jackknife variances of a metric of n and c. The levels are those of every c that is possible."""
    sizes, which = np.unique(verdicts.n, return_inverse=True)
    starts = np.cumsum(sizes + 1) - (sizes + 1)
    n = np.repeat(sizes, sizes + 1)
    found = jackknife_counts(estimate, n, np.arange(len(n)) - np.repeat(starts, sizes + 1), k=list(draws))
    return {key: Column(found[:, i], starts[which] + verdicts.c) for i, key in enumerate(keys)}


def _by_key(keys: Sequence[Key], values: Floats) -> dict[Key, Column]:
    return {key: Column(values[:, i]) for i, key in enumerate(keys)}


def _errors(keys: Sequence[Key], errors: Floats) -> dict[Key, Floats]:
    return {key: errors[:, i] for i, key in enumerate(keys) if errors[:, i].any()}


_JUDGED = ("predictions", "references", "grades")
_SIMULATED = (
    "the standard error of the simulation (Monte Carlo standard error), if {cause} led to one. It measures how precise "
    "the computation is, not how certain the number is as a statement about the model."
)
_ANY = "answers and references, or grades"

FAMILY = {
    metric.name: metric
    for metric in (
        Metric(
            name="gpassk",
            title="G-Pass@k",
            question="How often is at least a share τ of k samples correct?",
            needs=_ANY,
            warning="small τ measures potential, τ = 1 reliability; always report τ with the number",
            arguments=(*_JUDGED, "k", "thresholds", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "G-Pass@{k}_{τ}",
                    "for every k and τ, the chance that at least max(1, ⌈τk⌉) of k samples are correct, averaged "
                    "over the problems. τ is written as Python prints it: `G-Pass@8_0.25`, `G-Pass@8_1.0`, and "
                    "`G-Pass@8_2/3` for `Fraction(2, 3)`.",
                ),
                Output(
                    "mG-Pass@{k}",
                    "for every k, (2/k) Σ P(at least i of k are correct) for i from ⌈k/2⌉ + 1 to k, averaged over "
                    "the problems: the mean over the thresholds above one half.",
                ),
            ),
            compute=compute_g_pass,
            vary=vary_g_pass,
            example=Example(
                {
                    "answers": [["a", "b", "a", "a", "b", "a", "b", "c"], ["4", "4", "4", "4", "4", "4", "5", "4"]],
                    "references": ["a", "4"],
                },
                {"k": [2, 4], "thresholds": [0.25, 0.5, 0.75, 1.0]},
            ),
            default_k=_PUBLISHED,
        ),
        Metric(
            name="pass_at_k",
            title="pass@k",
            question="How often is at least one of k samples correct?",
            needs=_ANY,
            warning="someone must be able to tell which sample is correct; guessing raises the number",
            arguments=(*_JUDGED, "k", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "pass@{k}",
                    "for every k, the chance that at least one of k samples is correct, 1 − C(n−c, k)/C(n, k), "
                    "averaged over the problems.",
                ),
            ),
            compute=compute_pass,
            vary=vary_pass,
            example=Example({"grades": [[1, 0, 0, 0, 0], [1, 1, 0, 1, 0]]}, {"k": [1, 2, 4]}),
            default_k=_POWERS,
        ),
        Metric(
            name="cons_at_k",
            title="cons@k",
            question="How often is the most frequent of k answers correct?",
            needs="answers, and references or grades; grades alone say less",
            warning="more votes lower it if a wrong answer is the most frequent",
            arguments=(*_JUDGED, "k", "ties", "weights", "on_conflict", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "cons@{k}",
                    "for every k, the chance that the winner of the vote is correct, averaged over the problems.",
                ),
                Output("cons@{k}_mcse", _SIMULATED.format(cause="`weights`"), of_module=False),
            ),
            compute=compute_consensus,
            vary=vary_consensus,
            example=Example(
                {
                    "answers": [["7", "9", "9", "7", "8"], ["12", "12", "15", "12", None]],
                    "references": ["7", "12"],
                },
                {"k": [1, 3, 5], "missing": "incorrect"},
            ),
            default_k=_POWERS,
            votes=True,
        ),
        Metric(
            name="avg_at_n",
            title="avg@n",
            question="How often is one sample correct?",
            needs=_ANY,
            warning="half right on every problem, and always right on half of the problems, give the same number",
            arguments=(*_JUDGED, *SHARED_OPTIONS),
            outputs=(
                Output(
                    "avg@{n}",
                    "the share of correct samples, averaged over the problems. The key is `avg@n`, with the "
                    "letter, if the problems have different numbers of samples.",
                ),
                Output("accuracy", "the mean grade of a problem's samples, averaged over the problems.", drawn=False),
            ),
            compute=compute_average,
            vary=vary_average,
            example=Example({"grades": [[1, 0, 0.6, 0.4], [1, 1, 0.9, 0]]}, {}),
        ),
        Metric(
            name="best_at_k",
            title="best@k",
            question="How often is the one of k samples with the highest score correct?",
            needs="answers and references, or grades; and a score for each sample",
            warning="it measures a model and a score together",
            arguments=(*_JUDGED, "scores", "k", "select", "score_weights", "higher_is_better", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "best@{k}",
                    "for every k, the chance that the chosen sample is correct, averaged over the problems.",
                ),
                Output(
                    "max@{k}",
                    "for every k, the expected highest score (with `higher_is_better=False`, the lowest), averaged "
                    "over the problems, in the unit of the scores. Only if a single number ranks the samples, so "
                    'not with `"lexicographic"` and `"pareto"`.',
                    bounded=False,
                    drawn=False,
                ),
                Output("best@{k}_mcse", _SIMULATED.format(cause='`select="pareto"`'), of_module=False),
            ),
            compute=compute_best,
            vary=vary_best,
            example=Example(
                {
                    "answers": [["a", "b", "a"], ["x", "y", "y"]],
                    "references": ["a", "y"],
                    "scores": [[0.75, 0.5, 0.25], [0.9, 0.2, 0.4]],
                },
                {"k": [1, 2, 3]},
            ),
            default_k=_POWERS,
        ),
    )
}
"""Every metric by the name of its module, in the order in which they are listed everywhere."""

METRICS = tuple(FAMILY)
"""The names of the modules."""


def find_metric(name: str) -> Metric:
    """Return the entry of a metric.

    Raises:
        ValueError: if there is no metric of this name.
    """
    if not isinstance(name, str) or name not in FAMILY:
        raise ValueError(f"`name` must be one of {', '.join(map(repr, METRICS))}; got {shorten(name)}")
    return FAMILY[name]

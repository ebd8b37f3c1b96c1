"""From verdicts to values: what a metric is, and one function for each, which the registry in `family.py` names.

Options are checked where a user gives them. What depends on the data is checked here, once, and the
arithmetic of the estimators is called without checking again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from at_k.columns import read_weights
from at_k.combinatorics import Floats, Ints
from at_k.estimators.consensus import cons_at_k, elect
from at_k.estimators.counts import (
    Table,
    evaluate_tables,
    tabulate_g_pass,
    tabulate_majority,
    tabulate_mg_pass,
    tabulate_pass,
    tabulate_solved,
)
from at_k.estimators.selection import choose_best, expect_highest, rank_scores
from at_k.grading import Verdicts
from at_k.options.registry import OPTIONS, SHARED_OPTIONS, Conflicts, Ties
from at_k.samples import Ragged
from at_k.uncertainty.jackknife import (
    jackknife_choice,
    jackknife_grades,
    jackknife_samples,
    jackknife_votes,
    tabulate_variance,
    vary_ranks,
)
from at_k.validation import K, Taus, check_k, check_tau, refuse_too_many_k
from at_k.values import Column, Key, Output, Values, cached_property


@dataclass(frozen=True)
class Default:
    """The values of k that a module takes if it is given none, by the smallest n, in words, and in those of cards."""

    choose: Callable[[int], tuple[int, ...]]
    text: str
    card: tuple[str, str]


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
        example: the calculation that its page starts with.
        default_k: the k that it takes if it is given none; None for a metric without k.
        votes: whether it compares the answers of a problem with each other.
        chinese: the question, the needs and the warning in Chinese, if they are translated.
    """

    name: str
    title: str
    question: str
    needs: str
    warning: str
    arguments: tuple[str, ...]
    outputs: tuple[Output, ...]
    compute: Callable[..., Values]
    example: Example
    default_k: Default | None = None
    votes: bool = False
    chinese: tuple[str, str, str] | None = None

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Return the names of its options."""
        return tuple(name for name in self.arguments if name in OPTIONS)

    @cached_property
    def own_options(self) -> tuple[str, ...]:
        """Return the names of the options that `compute` takes; the others are about judging and reporting."""
        return tuple(name for name in self.options if name not in SHARED_OPTIONS)

    @property
    def metrics(self) -> frozenset[str]:
        """Return the `Key.metric` of its keys."""
        return frozenset(output.metric for output in self.outputs)

    def describe(self, language: str) -> tuple[str, str, str]:
        """Return the question, the needs and the warning in a language, in English where nobody translated them."""
        if language == "zh" and self.chinese:
            return self.chinese
        return self.question, self.needs, self.warning

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


POWERS = Default(
    powers_of_two,
    "1, 2, 4, 8, … up to the smallest n, and the smallest n itself",
    ("1, 2, 4, …, n", "1, 2, 4, …, n"),
)
PUBLISHED = Default(
    published_k,
    "those of 4, 8, 16 that do not exceed the smallest n, or, if none fits, the smallest n",
    ("those of 4, 8, 16 that fit, or n", "4, 8, 16 中合适的，否则为 n"),
)


def choose_k(k: K | None, n: Ints, default: Default) -> tuple[int, ...]:
    """Return the k that were given, or, if none were given, those of the default."""
    if k is None:
        return default.choose(int(n.min()))
    draws = check_k(k)
    refuse_too_many_k(draws, n)
    return draws


def compute_counts(
    verdicts: Verdicts, *, metric: str, table: Table, default: Default = POWERS, k: K | None = None
) -> Values:
    """Compute a metric that depends on n and c alone, given as a table.

    Examples:
        >>> from at_k.estimators.counts import tabulate_pass_hat
        >>> from at_k.grading import judge
        >>> from at_k.columns import read_problems
        >>> verdicts = judge(read_problems(grades=[[1, 1, 0, 1]]))
        >>> compute_counts(verdicts, metric="pass^k", table=tabulate_pass_hat, k=2).columns["pass^2"].expand()
        array([0.5])
    """
    draws = choose_k(k, verdicts.drawn, default)
    return evaluate_draws(verdicts, {Key(metric, size): table for size in draws}, {"k": draws})


def compute_pass(verdicts: Verdicts, *, k: K | None = None) -> Values:
    """Compute pass@k; of samples that stopped at the first correct one, the share of problems solved within k."""
    table = tabulate_solved if verdicts.stopped else tabulate_pass
    return compute_counts(verdicts, metric="pass@k", table=table, k=k)


def compute_g_pass(
    verdicts: Verdicts, *, k: K | None = None, thresholds: Taus = (0.25, 0.5, 0.75, 1.0)
) -> Values:
    """Compute G-Pass@k for every τ, and mG-Pass@k, from judged samples."""
    taus = check_tau(thresholds)
    draws = choose_k(k, verdicts.n, PUBLISHED)
    tables: dict[Key, Table] = {
        Key("G-Pass@k", size, tau): partial(tabulate_g_pass, tau=tau)
        for size in draws
        for tau in taus
    }
    tables |= {Key("mG-Pass@k", size): tabulate_mg_pass for size in draws}
    return evaluate_draws(verdicts, tables, {"k": draws, "tau": taus})


def compute_consensus(
    verdicts: Verdicts,
    *,
    k: K | None = None,
    ties: Ties = "random",
    weights: object = None,
    on_conflict: Conflicts = "error",
    seed: int = 0,
) -> Values:
    """Compute cons@k from judged samples: a vote among their answers, or a majority of grades if there are none."""
    draws = choose_k(k, verdicts.n, POWERS)
    keys = [Key("cons@k", size) for size in draws]
    conditions: dict[str, object] = {"k": draws, "ties": ties, "weighted": weights is not None}
    ballots = verdicts.answers
    if ballots is None:
        if weights is not None:
            raise ValueError(
                "`weights` must not be given without answers, as in the configuration 'graded': only answers can vote"
            )
        conditions["ties"] = "majority of grades"
        return evaluate_draws(verdicts, dict.fromkeys(keys, tabulate_majority), conditions)
    correct = verdicts.correct
    weighted = None
    if weights is not None:
        weighted = verdicts.keep_samples("weights", read_weights(weights, missing=True))
    shares, errors = elect(
        ballots,
        correct.values,
        draws,
        ties=ties,
        weights=weighted,
        seed=seed,
        on_conflict=on_conflict,
        name="grades",
    )
    if on_conflict != "error":
        conditions["on_conflict"] = on_conflict

    def vary() -> dict[Key, Column]:
        if weighted is None:
            rules = {"ties": ties, "on_conflict": on_conflict, "name": "grades"}
            return split_table(keys, jackknife_votes(ballots, correct.values, draws, **rules))
        # All but one sample are a random draw: their order must not decide.
        rule = "random" if ties == "first" else ties

        def vote(votes: Any, correct: Any, given: Any, *, k: list[int]) -> Floats:
            return cons_at_k(
                votes, correct, k=k, ties=rule, weights=given, on_conflict=on_conflict, seed=seed
            )

        listed = ballots.listed(), correct.listed(), weighted.listed()
        return split_table(keys, jackknife_samples(vote, *listed, k=list(draws)))

    return Values(split_table(keys, shares), _keep_errors(keys, errors), conditions, vary)


def compute_average(verdicts: Verdicts) -> Values:
    """Compute avg@n, the share of correct samples, and the mean grade from judged samples."""
    n, c, which = verdicts.counts
    same = (verdicts.n == verdicts.n[0]).all()
    average = Key("avg@n", int(verdicts.n[0]) if same else None)
    accuracy = Key("accuracy")

    def vary() -> dict[Key, Column]:
        columns = vary_counts(verdicts, {average: tabulate_pass})
        levels = jackknife_grades(Ragged.concatenate(verdicts.graded))
        # No grades in [0, 1] vary more than the verdicts of the worst c.
        known = np.append(levels, columns[average].levels)
        columns[accuracy] = Column(known, np.arange(len(levels)))
        return columns

    columns = {average: Column(c / n, which), accuracy: Column.of(verdicts.mean_grade)}
    return Values(columns, vary=vary)


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
    draws = choose_k(k, verdicts.n, POWERS)
    ranked = rank_scores(
        verdicts.keep_samples("scores", scores),
        select=select,
        score_weights=score_weights,
        higher_is_better=higher_is_better,
    )
    best, errors = choose_best(ranked, verdicts.correct, draws, seed=seed)
    keys = [Key("best@k", size) for size in draws]
    highest = [Key("max@k", size) for size in draws]
    columns = split_table(keys, best)
    if select in (None, "weighted"):
        top = expect_highest(ranked, draws)
        columns |= split_table(highest, top if higher_is_better else 0 - top)  # no −0.0
    conditions: dict[str, object] = {
        "k": draws,
        "select": select,
        "score_weights": None if score_weights is None else list(map(float, score_weights)),
        "higher_is_better": higher_is_better,
    }

    def vary() -> dict[Key, Column]:
        columns = split_table(keys, jackknife_choice(ranked, verdicts.correct, draws))
        if select in (None, "weighted"):
            columns |= split_table(highest, vary_ranks(ranked, None, draws))
        return columns

    return Values(columns, _keep_errors(keys, errors), conditions, vary)


def evaluate_draws(
    verdicts: Verdicts, tables: Mapping[Key, Table], conditions: dict[str, object]
) -> Values:
    """Evaluate a table for each key at the key's k, once for each distinct pair of n and c."""
    n, c, which = verdicts.counts
    drawn = [(table, key.draws or 1) for key, table in tables.items()]
    values = evaluate_tables(drawn, n, c)
    columns = {key: Column(values[:, i], which) for i, key in enumerate(tables)}
    return Values(columns, conditions=conditions, vary=partial(vary_counts, verdicts, tables))


def vary_counts(verdicts: Verdicts, tables: Mapping[Key, Table]) -> dict[Key, Column]:
    """Compute the jackknife variances of metrics of n and c. The levels are those of every c that is possible."""
    sizes, which = np.unique(verdicts.n, return_inverse=True)
    starts = np.cumsum(sizes + 1) - (sizes + 1)
    n = np.repeat(sizes, sizes + 1)
    c = np.arange(len(n)) - np.repeat(starts, sizes + 1)
    varied = [(tabulate_variance(table), key.draws or 1) for key, table in tables.items()]
    variances = evaluate_tables(varied, n, c)
    place = starts[which] + verdicts.c
    return {key: Column(variances[:, i], place) for i, key in enumerate(tables)}


def split_table(keys: Sequence[Key], values: Floats) -> dict[Key, Column]:
    """Give each key its column of a table."""
    return {key: Column(values[:, i]) for i, key in enumerate(keys)}


def _keep_errors(keys: Sequence[Key], errors: Floats) -> dict[Key, Floats]:
    return {key: errors[:, i] for i, key in enumerate(keys) if errors[:, i].any()}


def sign(
    values: Values,
    verdicts: Verdicts,
    conditions: Mapping[str, object],
    *,
    name: str,
    seed: int,
    version: str,
) -> str:
    """Write the signature: one line with the conditions under which two values of a metric may be compared."""
    n = verdicts.n
    sizes = str(n.min())
    if n.min() < n.max():
        sizes += f"-{n.max()}"
    estimator = "exact"
    if values.simulated:
        estimator = f"simulated(seed={seed})"
    return join_conditions(
        name,
        n=sizes,
        **values.conditions,
        **verdicts.conditions,
        estimator=estimator,
        **conditions,
        version=version,
    )


def join_conditions(metric: str, **conditions: object) -> str:
    """Join conditions into one line.

    Examples:
        >>> join_conditions("pass_at_k", k=(1, 8), n=8, missing="error")
        'pass_at_k|k:1,8|n:8|missing:error'
    """
    return "|".join(
        [metric, *(f"{name}:{spell_condition(value)}" for name, value in conditions.items())]
    )


def spell_condition(value: object) -> str:
    """Spell the value of a condition."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)

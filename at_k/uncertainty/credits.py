"""Credit of each sample for the metric of its prompt: what to train on, for any @k.

Of the n samples of a prompt, let U be the value of a metric, the mean of f(S) over all subsets S of k samples, and U₋ᵢ
the value on all samples but i. The policy gradient of the expected f of k samples then has the unbiased weights
sᵢ = (1/C(n, k)) · Σ_{S ∋ i} f(S) = U − (1 − k/n) · U₋ᵢ [1]. A baseline that does not depend on sample i leaves them
unbiased. With (k/n) · U₋ᵢ, the credit is U − U₋ᵢ: by how much this sample moved the number. These U₋ᵢ are the ones of
which the intervals are made (`jackknife.py`).

References:
    1. C. Walder, D. Karkhanis, Pass@K Policy Optimization, 2025, https://arxiv.org/abs/2505.15201.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k import columns
from at_k.combinatorics import Floats, rank_weights
from at_k.errors import answer_other_names
from at_k.estimators.consensus import VoteConflictError, count_votes, elect_by_plurality
from at_k.estimators.counts import Table, find_table, tabulate_pass
from at_k.lists import list_rows
from at_k.options.registry import BASELINES, NORMALIZATIONS, TIES, Baseline, Normalization, Ties
from at_k.uncertainty.batches import Batch
from at_k.uncertainty.jackknife import (
    Places,
    leave_out_counts,
    leave_out_ranks,
    leave_out_votes,
    split_by_size,
)
from at_k.validation import (
    Tau,
    check_choice,
    check_k,
    check_tau,
    describe,
    is_integer,
    is_number,
    read_cut,
    read_decimal,
    shorten,
)
from at_k.values import read_key

_COUNTED = ("pass@k", "pass^k", "mG-Pass@k", "G-Pass@k", "MaxRL")
# Metrics that have credits.
METRICS = (*_COUNTED, "cons@k", "best@k", "max@k", "avg@n")
# A number added to a standard deviation, so that rounding is not blown up where all credits are almost equal.
_EPSILON = 1e-6


# Below what weights are, so that products with them are finite.
_HEAVIEST = 1e6


class Term(NamedTuple):
    """A metric of which the credit is asked for, and its weight. `k` is None for avg@n, and where MaxRL takes all."""

    metric: str
    k: int | None
    tau: Tau | None
    weight: float


@answer_other_names
def credit(
    metric: str | Mapping[str, float],
    grades: Any = None,
    *,
    answers: object = None,
    scores: Any = None,
    k: int | None = None,
    thresholds: Tau | None = None,
    baseline: Baseline | None = "leave_one_out",
    problem: object = None,
    ties: Ties = "random",
    normalize: Normalization | None = None,
    correct_above: float | str | None = None,
) -> Any:
    """Compute by how much each sample moved the metric of its prompt: the weight of its log-probability in training.

    The gradient of the metric is Σ creditᵢ ∇ log π(sampleᵢ), summed over the samples of a prompt. It is unbiased for
    every metric and baseline, without `normalize`. A trainer that averages over samples wants n times the credit.

    Args:
        metric: "pass@k", "pass^k", "G-Pass@k", "mG-Pass@k", "cons@k", "best@k", "max@k", "avg@n" (REINFORCE with the
            mean of the others), or "MaxRL" (Σ pass@j/j for j = 1…k, a truncated log pass@1 [2]; without `k` as far as
            the samples reach, which is the paper's (r − mean)/(n·mean)). With a number for the letter k, such as
            "pass@8" or "G-Pass@8_0.75", it needs no `k`. Other names of papers, such as "maj@8", are taken too. A
            mapping from metrics to weights is their weighted sum.
        grades: rewards, in rows, one per problem, or flat with `problem`: ragged lists, or an array of NumPy, PyTorch,
            JAX or any library of the array API standard. They are 0 or 1, unless there is a `correct_above`; avg@n and
            best@k take any finite numbers. max@k needs none.
        answers: for cons@k the answers, in the form of the grades. None casts no vote.
        scores: for best@k and max@k finite numbers, in the form of the grades.
        k: number of draws, 1 ≤ k ≤ n, for metrics that do not name theirs; k < n for the baseline "leave_one_out".
        thresholds: τ, for G-Pass@k, as of `at_k.g_pass_at_k`, where the metric does not name it.
        baseline: "leave_one_out", (k/n) · the value on the other samples, which makes the credit U − U₋ᵢ; "subset",
            (k/n) · the mean of the metric over (k − 1)-subsets of the others, which exists for k = n too and is nothing
            for k = 1; None for none.
        problem: for flat columns the problem (prompt) of each sample, in any order: strings, integers or an array.
        ties: for cons@k, as of `at_k.cons_at_k`.
        normalize: "std" divides n times the credits by their standard deviation among the samples of the prompt, as
            GRPO does [3]; "batch_std" by that among all samples, as REINFORCE++ does [4]. Both are biased: the first
            weighs prompts by how much their samples agree [5]. Credits that are all equal become 0.
        correct_above: a sample is correct when its grade is above this number, or at least one, as in ">=0.8".

    Returns:
        The credits, in the shape, order, type, precision and place of `grades`, or of `scores` if there are none; as
        floats if those are integers. They are always finite. All right or all wrong is 0 with a baseline for k > 1.

    Raises:
        TypeError: if a column is not made of numbers or has another form, or an option is of the wrong kind.
        ValueError: if a prompt has too few samples for k and the baseline, so that one sample alone has no credit with
            "leave_one_out"; a grade or a score is NaN or infinite; a grade is neither 0 nor 1 without `correct_above`;
            equal answers of a prompt differ in grade; columns differ in length; or a needed column is missing.

    References:
        2. F. Tajwar et al., Maximum Likelihood Reinforcement Learning, 2026, https://arxiv.org/abs/2602.02710.
        3. Z. Shao et al., DeepSeekMath, 2024, https://arxiv.org/abs/2402.03300, section 4.1.
        4. J. Hu et al., REINFORCE++, 2025, https://arxiv.org/abs/2501.03262.
        5. Z. Liu et al., Understanding R1-Zero-Like Training, 2025, https://arxiv.org/abs/2503.20783, section 3.

    Examples:
        >>> credit("pass@k", [[1, 0, 0, 0]], k=2)  # ½ with the right one and 0 without it; ⅔ without a wrong one
        [[0.5, -0.16666666666666663, -0.16666666666666663, -0.16666666666666663]]
        >>> scores = np.array([3.0, 0.0, 4.0, 5.0, 9.0])
        >>> credit("max@2", scores=scores, problem=["a", "b", "a", "b", "b"], baseline=None)
        array([4.        , 4.66666667, 4.        , 4.66666667, 6.        ])
    """
    terms = _read_terms(metric, k, thresholds)
    check_choice("ties", ties, TIES)
    for option, word, words in (
        ("baseline", baseline, BASELINES),
        ("normalize", normalize, NORMALIZATIONS),
    ):
        if word is not None:
            check_choice(option, word, words)
    asked = {term.metric for term in terms}
    needed = {
        "grades": asked - {"max@k"},
        "scores": asked & {"best@k", "max@k"},
        "answers": asked & {"cons@k"},
    }
    for name, column in (("grades", grades), ("scores", scores), ("answers", answers)):
        if needed[name] and column is None:
            raise ValueError(f"`{name}` must be given for {min(needed[name])}")
    lead = "scores" if grades is None else "grades"
    batch, values = Batch.of(lead, scores if grades is None else grades, problem)
    _refuse_too_large_k(terms, batch, baseline)

    graded: Any = values
    right: Any = None
    scored: Any = values
    if needed["grades"]:
        batch.require_finite(graded, "grades")
        if correct_above is not None or asked - {"avg@n", "best@k", "max@k"}:
            right = _judge(batch, graded, correct_above)
            graded = right.astype(np.float64)
    if needed["scores"]:
        scored = values
        if lead != "scores":
            scored = batch.read("scores", scores)
        batch.require_finite(scored, "scores")

    total = np.zeros(len(values))
    counted = tuple(term for term in terms if term.metric in _COUNTED)
    ranked = {"avg@n": (graded,), "max@k": (scored,), "best@k": (scored, graded)}
    for _, at in split_by_size(batch.n):
        if counted:
            total[at] = _credit_counts(counted, baseline, right[at])
        for term in (term for term in terms if term.metric in ranked):
            parts = (column[at] for column in ranked[term.metric])
            total[at] += term.weight * _credit_ranks(term.k, baseline, *parts)
    for term in (term for term in terms if term.metric == "cons@k"):
        total += term.weight * _credit_votes(batch, answers, right, term.k, baseline, ties)
    return batch.restore(total if normalize is None else _normalize(batch, total, normalize))


def _read_number(value: Any, rule: str, limit: float) -> float:
    """Return a number, which must be closer to 0 than the limit. In single precision it is the decimal it prints as."""
    if not is_number(value):
        raise TypeError(f"{rule}; got {describe(value)}")
    number = value
    if not is_integer(value):
        number = read_decimal(value)
    if not abs(number) < limit:
        raise ValueError(f"{rule}; got {shorten(value)}")
    return float(number)


def _judge(batch: Batch, graded: Floats, correct_above: Any) -> NDArray[np.bool_]:
    """Flag the right samples."""
    if correct_above is None:
        right = graded == 1
        batch.require(
            right | (graded == 0), "grades", "hold 0 or 1, or come with a `correct_above`", graded
        )
        return np.asarray(right)
    cut, is_included = read_cut(correct_above)
    cut = batch.round(cut)
    return np.asarray(graded >= cut if is_included else graded > cut)


def _read_terms(metric: object, k: Any, tau: Any) -> list[Term]:
    """Read the metrics that are asked for, with their k, τ and weight."""
    for option, value, kind, fits in (
        ("k", k, "an integer", is_integer(k)),
        ("thresholds", tau, "a number", is_number(tau) or isinstance(tau, Fraction)),
    ):
        if value is not None and not fits:
            raise TypeError(f"`{option}` must be {kind}; got {describe(value)}")
    asked = None if k is None else check_k(k)[0]
    if tau is not None:
        (tau,) = check_tau(tau)
    if not isinstance(metric, (str, Mapping)):
        raise TypeError(f"`metric` must be a name, or map names to weights; got {shorten(metric)}")
    weights = metric if isinstance(metric, Mapping) else {metric: 1.0}
    if not weights:
        raise ValueError("`metric` must name at least one metric; got none")
    terms = []
    for name, weight in weights.items():
        rule = f"`metric` must give each metric a finite number below {_HEAVIEST:.0e} as its weight"
        part = _read_number(weight, rule, _HEAVIEST)
        key = read_key(name, METRICS) if isinstance(name, str) else None
        if key is None:
            spelled = {metric.lower(): metric for metric in METRICS}
            near = difflib.get_close_matches(
                re.sub(r"\d.*", "k", str(name).replace("_at_", "@")).lower(), spelled, 1
            )
            guess = f". Did you mean {spelled[near[0]]}?" if near else ""
            raise ValueError(
                f"`metric` must be one of {', '.join(METRICS)}, or have a number for k, such as pass@8; "
                f"got {shorten(name)}{guess}"
            )
        base, draws = key.metric, asked if key.k is None else key.k
        if draws is None and base not in ("avg@n", "MaxRL"):
            raise ValueError(
                f"`k` must be given for {base}, unless the metric names it, such as {base[:-1]}8"
            )
        level = tau if key.tau is None else check_tau(key.tau)[0]
        if base == "G-Pass@k" and level is None:
            raise ValueError(
                "`thresholds` must be given for G-Pass@k, unless the metric names it, such as G-Pass@8_0.75"
            )
        terms.append(
            Term(
                base,
                None if base == "avg@n" else draws,
                level if base == "G-Pass@k" else None,
                part,
            )
        )
    return terms


def _refuse_too_large_k(terms: list[Term], batch: Batch, baseline: str | None) -> None:
    smallest = int(np.argmin(batch.n))
    most = int(batch.n[smallest])
    where = f"n={batch.n[smallest]} in {batch.name_prompt(smallest)}"
    draws = max(term.k or 1 for term in terms)
    if draws > most:
        raise ValueError(
            f"`k` must be at most n, the number of samples of every problem; got k={draws}, but {where}"
        )
    if draws == most and baseline == "leave_one_out":
        raise ValueError(
            f"`k` must be below n for the baseline 'leave_one_out'; got k={draws}, and {where}. Draw more samples, or "
            "take the baseline 'subset'"
        )


def _compose(
    whole: Any, without: Callable[[int], Any], k: int, n: Any, baseline: str | None
) -> Any:
    """Return the credits, of the value on all samples and on all but each one, which `without` gives for any k < n."""
    if baseline == "leave_one_out":
        return whole - without(k)
    weight = whole - (1 - k / n) * without(k)
    if baseline == "subset" and k > 1:
        return weight - k / n * without(k - 1)
    return weight


@lru_cache(maxsize=256)
def _tabulate_credit(terms: tuple[Term, ...], n: int, baseline: str | None) -> Floats:
    """Tabulate the credit of a wrong sample for c = 0…n, and after it that of a correct one."""
    total = np.zeros((2, n + 1))
    for metric, k, tau, weight in terms:
        table = find_table(metric, tau) or tabulate_pass
        parts = [(k or 1, weight)]
        if metric == "MaxRL":
            most = k or n - (baseline == "leave_one_out")
            parts = [(j, weight / j) for j in range(1, most + 1)]
        for draws, part in parts:

            def without(k: int, table: Table = table) -> Any:
                if k < n:
                    return np.stack(leave_out_counts(table, n, k)[::-1])
                return 0.0

            total += part * _compose(table(n, draws), without, draws, n, baseline)
    return total


def _credit_counts(
    terms: tuple[Term, ...], baseline: str | None, right: NDArray[np.bool_]
) -> Floats:
    """Return the credits of prompts with n samples for metrics of counts, from a flag for each sample."""
    table = _tabulate_credit(terms, right.shape[1], baseline)
    return np.asarray(table[right.astype(np.int64), right.sum(axis=1, keepdims=True)])


def _credit_ranks(
    k: int | None, baseline: str | None, scores: Any, grades: Floats | None = None
) -> Floats:
    """Return the credits of prompts with n samples for what the best of k is worth; without k, for the mean score."""
    n = scores.shape[1]
    draws = k or 1
    # All values are taken from the lowest one: equal ones are then worth 0 exactly, and a constant adds k/n to each sᵢ.
    floor = np.min(scores if grades is None else grades, axis=1, keepdims=True)
    shift = floor * (draws / n if baseline is None or (baseline == "subset" and draws == 1) else 0)
    if k is None:
        worth = scores - floor
        sums = worth.sum(axis=1, keepdims=True)
        return np.asarray(
            shift + _compose(sums / n, lambda _: (sums - worth) / max(n - 1, 1), 1, n, baseline)
        )
    order = np.argsort(scores, axis=1)
    rising = np.take_along_axis(scores, order, axis=1)
    if grades is None:
        places = Places.of(rising - floor)
    else:
        places = Places.of(rising, np.take_along_axis(grades - floor, order, axis=1))
    chance = rank_weights(n, k)
    whole = (places.share * (chance / chance.sum())).sum(axis=1, keepdims=True)
    credit_of = np.empty(scores.shape)
    ordered = _compose(
        whole, lambda j: leave_out_ranks(places, j) if j < n else 0.0, k, n, baseline
    )
    np.put_along_axis(credit_of, order, np.broadcast_to(ordered, scores.shape), axis=1)
    return np.asarray(shift + credit_of)


def _credit_votes(
    batch: Batch, answers: object, right: NDArray[np.bool_], k: Any, baseline: str | None, ties: str
) -> Floats:
    """Return the flat credits for cons@k."""
    rows = answers
    if batch.order is not None:  # one problem may be answered in words, and another in numbers
        listed = list_rows(answers, "answers", "sample")
        batch.require_same_samples("answers", np.array([len(listed)]))
        ordered = map(listed.__getitem__, batch.order.tolist())
        rows = [list(islice(ordered, n)) for n in batch.n.tolist()]
    ballots = columns.read_labels(rows, "answers")
    batch.require_same_samples("answers", ballots.codes.n)
    codes = ballots.codes
    try:
        tally = count_votes(ballots, right, "error", "grades")
    except VoteConflictError as conflict:
        answer = conflict.values["answer"]
        place = batch.name_prompt(conflict.values["problem"])
        raise ValueError(
            f"`grades` must agree on equal answers; got both verdicts on {answer} in {place}"
        ) from None
    # The answers of a tally are sorted by problem and code.
    width = len(ballots.distinct) + 1
    entry = np.searchsorted(
        tally.problem * width + codes.values[tally.first_seen], codes.problem * width + codes.values
    )

    def without(k: int) -> Floats:
        voted = np.zeros(len(tally.count) + 1)
        silent = np.zeros(len(batch.n))
        for left in leave_out_votes(tally, [k], ties):
            voted[left.entries] = left.voted[:, 0]
            silent[left.problems] = left.silent[:, 0]
        return np.where(codes.values < 0, silent[codes.problem], voted[entry])

    whole = elect_by_plurality(tally, [k], ties)[codes.problem, 0]
    return np.asarray(_compose(whole, without, k, np.repeat(batch.n, batch.n), baseline))


def _normalize(batch: Batch, credits: Floats, rule: str) -> Floats:
    """Divide n times the credits by their standard deviation, of each prompt or of all of them."""
    scaled = credits * np.repeat(batch.n, batch.n)

    def divide(each: Floats) -> Floats:
        spread = each.std(axis=1, ddof=min(1, each.shape[1] - 1), keepdims=True)
        # Equal credits may differ in the last digits, which without a baseline would make them enormous.
        least = 1000 * np.finfo(np.float64).eps * np.abs(each).max(axis=1, keepdims=True)
        return np.where(spread <= least, 0.0, each / (spread + _EPSILON))

    if rule == "batch_std":
        return np.asarray(divide(scaled[None])[0])
    for _, at in split_by_size(batch.n):
        scaled[at] = divide(scaled[at])
    return scaled

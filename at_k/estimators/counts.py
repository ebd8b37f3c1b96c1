"""Metrics that depend on a problem's samples through n and c alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats, Ints, at_least, fewer_than, look_up, mean_excess
from at_k.errors import answer_other_names, refuse_other_names
from at_k.validation import (
    K,
    Tau,
    Taus,
    check_counts,
    check_cut,
    check_flag,
    check_k,
    check_tau,
    draws_needed,
    is_sequence,
    refuse_too_many_k,
    require_problems,
)

P = ParamSpec("P")
Counted = TypeVar("Counted")


def takes_counts(function: Callable[P, Counted]) -> Callable[P, Counted]:
    """Let a function say what to write where it is not called with n and c."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Counted:
        refuse_other_names(function.__name__, kwargs)
        given = len(args) + ("n" in kwargs) + ("c" in kwargs)
        if given != 2:
            name = function.__name__
            rest = "k=2, thresholds=0.5" if name == "g_pass_at_k" else "k=2"
            raise TypeError(
                f"`{name}` takes two arguments before `k=`, n and c, the numbers of samples and of correct ones; got "
                f"{given}. Write `{name}(5, 3, {rest})`; of rows of grades, n is the length and c the sum of each: "
                f'`{name}(grades.shape[1], grades.sum(axis=1), {rest})`, or `at_k.score({{"grades": grades}})`'
            )
        return function(*args, **kwargs)

    return call


@takes_counts
def pass_at_k(n: ArrayLike, c: ArrayLike, *, k: K, complement: bool = False) -> Floats:
    """Compute the chance that at least one of k samples is correct.

    Args:
        n: samples of each problem, integers ≥ 1 of any shape.
        c: correct samples among them, 0 ≤ c ≤ n; broadcast against `n`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        complement: return 1 − pass@k instead, with all of its digits however small it is.

    Returns:
        Values in [0, 1], higher is better. The shape is that of the data for one k, and (…, len(k)) for several.

    Formula: 1 − C(n−c, k) / C(n, k).

    Raises:
        TypeError: if `k`, `n` or `c` are not integers.
        ValueError: if `k` < 1, some n < k, or c is not in 0…n.

    References:
        M. Chen et al., Evaluating Large Language Models Trained on Code, 2021, https://arxiv.org/abs/2107.03374, eq. 1.

    Examples:
        >>> float(pass_at_k(5, 3, k=2))  # 1 − C(2, 2)/C(5, 2) = 1 − 1/10
        0.9
        >>> pass_at_k([2, 4], [1, 0], k=[1, 2])
        array([[0.5, 1. ],
               [0. , 0. ]])
    """
    return evaluate_counts(
        n, c, k, _tabulate_fail if check_flag("complement", complement) else tabulate_pass
    )


@takes_counts
def pass_hat_k(n: ArrayLike, c: ArrayLike, *, k: K) -> Floats:
    """Compute the chance that all of k samples are correct, pass^k.

    Args:
        n: samples of each problem, integers ≥ 1 of any shape.
        c: correct samples among them, 0 ≤ c ≤ n; broadcast against `n`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.

    Returns:
        Values in [0, 1], higher is better. The shape is that of the data for one k, and (…, len(k)) for several.

    Formula: C(c, k) / C(n, k). It is G-Pass@k at τ = 1.

    Raises:
        TypeError: if `k`, `n` or `c` are not integers.
        ValueError: if `k` < 1, some n < k, or c is not in 0…n.

    References:
        S. Yao et al., τ-bench, 2024, https://arxiv.org/abs/2406.12045, section 4.

    Examples:
        >>> float(pass_hat_k(4, 3, k=2))  # C(3, 2)/C(4, 2) = 3/6
        0.5
    """
    return evaluate_counts(n, c, k, tabulate_pass_hat)


@takes_counts
def g_pass_at_k(n: ArrayLike, c: ArrayLike, *, k: K, thresholds: Taus) -> Floats:
    """Compute the chance that at least a share τ of k samples is correct, G-Pass@k_τ.

    Args:
        n: samples of each problem, integers ≥ 1 of any shape.
        c: correct samples among them, 0 ≤ c ≤ n; broadcast against `n`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        thresholds: share τ of the draws that must be correct, in [0, 1], or a list of them. ⌈τk⌉ is taken of the
            decimal as written: τ = 0.07 and k = 100 need 7 correct draws, although 0.07 * 100 is above 7 in binary.
            A share that no decimal holds can be given as a `fractions.Fraction`: Fraction(5, 7).

    Returns:
        Values in [0, 1], higher is better. The shape is that of the data, then len(k) if several k are given, then
        len(thresholds) if several τ are given.

    Formula: Σ_{j ≥ max(1, ⌈τk⌉)} C(c, j) C(n−c, k−j) / C(n, k).

    Raises:
        TypeError: if `k`, `n` or `c` are not integers, or `thresholds` are not numbers.
        ValueError: if `k` < 1, some n < k, c is not in 0…n, or `thresholds` are not in [0, 1].

    References:
        J. Liu et al., Are Your LLMs Capable of Stable Reasoning?, 2024, https://arxiv.org/abs/2412.13147, eq. 3.

    Examples:
        >>> float(g_pass_at_k(4, 2, k=2, thresholds=1.0))  # C(2, 2)/C(4, 2) = 1/6
        0.16666666666666666
        >>> g_pass_at_k([4, 4], [2, 3], k=4, thresholds=[0.5, 0.75])
        array([[1., 0.],
               [1., 1.]])
    """
    taus = check_tau(thresholds)

    def table(size: int, draws: int) -> Floats:
        tails = [tabulate_g_pass(size, draws, tau) for tau in taus]
        if is_sequence(thresholds):
            return np.stack(tails, axis=-1)
        return tails[0]

    return evaluate_counts(n, c, k, table)


@takes_counts
def mg_pass_at_k(n: ArrayLike, c: ArrayLike, *, k: K) -> Floats:
    """Compute the mean of G-Pass@k_τ over the thresholds τ from ½ to 1, mG-Pass@k as published.

    Args:
        n: samples of each problem, integers ≥ 1 of any shape.
        c: correct samples among them, 0 ≤ c ≤ n; broadcast against `n`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.

    Returns:
        Values in [0, 1], higher is better; for odd k the largest value is (k−1)/k, and for k = 1 it is 0. The shape is
        that of the data for one k, and (…, len(k)) for several.

    Formula: (2/k) Σ_{i=⌈k/2⌉+1}^{k} P(at least i of k are correct).

    Raises:
        TypeError: if `k`, `n` or `c` are not integers.
        ValueError: if `k` < 1, some n < k, or c is not in 0…n.

    References:
        J. Liu et al., Are Your LLMs Capable of Stable Reasoning?, 2024, https://arxiv.org/abs/2412.13147, eq. 4.

    Examples:
        >>> float(mg_pass_at_k(4, 3, k=2))  # 2/2 · P(2 of 2) = C(3, 2)/C(4, 2)
        0.5
    """
    return evaluate_counts(n, c, k, tabulate_mg_pass)


def majority_at_k(n: ArrayLike, c: ArrayLike, *, k: K) -> Floats:
    """Compute the chance that more than half of k samples are correct: cons@k from verdicts alone, without the answers.

    Args:
        n: samples of each problem, integers ≥ 1 of any shape.
        c: correct samples among them, 0 ≤ c ≤ n; broadcast against `n`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.

    Returns:
        Values in [0, 1], higher is better. The shape is that of the data for one k, and (…, len(k)) for several.

    Formula: P(more than k/2 of k are correct), a hypergeometric tail.

    Raises:
        TypeError: if `k`, `n` or `c` are not integers.
        ValueError: if `k` < 1, some n < k, or c is not in 0…n.

    Examples:
        >>> majority_at_k(3, [2, 2, 1, 0], k=3)
        array([1., 1., 0., 0.])
    """
    return evaluate_counts(n, c, k, tabulate_majority)


@answer_other_names
def avg_at_n(grades: object, /, *, correct_above: float | str = 0.5) -> Floats:
    """Compute the share of a problem's n samples that are correct, avg@n.

    Args:
        grades: one row per problem of numbers in [0, 1]: ragged lists or a 2-D array.
        correct_above: a sample is correct when its grade is above this number, or at least one, as in ">=0.8".

    Returns:
        One value in [0, 1] per problem, higher is better.

    Raises:
        TypeError: if a row is not a list of numbers.
        ValueError: if a grade is not in [0, 1] or a problem has no samples.

    Examples:
        >>> avg_at_n([[0.6, 0.4, 0.6], [1, 0]])
        array([0.66666667, 0.5       ])
    """
    graded = columns.read_grades(grades, "grades", missing=False)
    require_problems("grades", len(graded))
    correct = graded.above(check_cut(correct_above))
    return correct.sums() / correct.n


def evaluate_counts(n: ArrayLike, c: ArrayLike, k: K, table: Table) -> Floats:
    """Check n, c and k, and evaluate a table at them, in the shape of the arguments."""
    sizes, right = check_counts(n, c)
    draws = check_k(k)
    refuse_too_many_k(draws, sizes.reshape(-1))
    values = evaluate_tables(
        [(table, size) for size in draws], sizes.reshape(-1), right.reshape(-1)
    )
    values = values.reshape(sizes.shape + values.shape[1:])
    return values if is_sequence(k) else np.take(values, 0, axis=sizes.ndim)


def evaluate_tables(tables: Sequence[tuple[Table, int]], n: Ints, c: Ints) -> Floats:
    """Return table(n, k)[c] for every problem and every pair of a table and a k: one row per problem."""
    return look_up(lambda size: np.stack([table(size, k) for table, k in tables], axis=1), n, c)


# A metric of counts as a table: from n and k ≤ n to its values for c = 0…n. The caller has checked n and k.
Table = Callable[[int, int], Floats]


def tabulate_pass(n: int, k: int) -> Floats:
    """Tabulate pass@k."""
    return at_least(n, k, 1)


def tabulate_solved(n: int, k: int) -> Floats:
    """Tabulate whether a problem was solved within k samples, where n ends with the first correct one."""
    return np.append(0.0, np.full(n, float(n <= k)))


def _tabulate_fail(n: int, k: int) -> Floats:
    return fewer_than(n, k, 1)


def tabulate_pass_hat(n: int, k: int) -> Floats:
    """Tabulate pass^k."""
    return at_least(n, k, k)


def tabulate_g_pass(n: int, k: int, tau: Tau) -> Floats:
    """Tabulate G-Pass@k at τ."""
    return at_least(n, k, draws_needed(tau, k))


def tabulate_mg_pass(n: int, k: int) -> Floats:
    """Tabulate mG-Pass@k."""
    return mean_excess(n, k, (k + 1) // 2) * (2 / k)


def tabulate_majority(n: int, k: int) -> Floats:
    """Tabulate the chance that more than half of k samples are correct."""
    return at_least(n, k, k // 2 + 1)


_TABLES: dict[str, Table] = {
    "pass@k": tabulate_pass,
    "pass^k": tabulate_pass_hat,
    "mG-Pass@k": tabulate_mg_pass,
}


def find_table(metric: str, tau: Tau | None = None) -> Table | None:
    """Return the table of a metric of counts, with its τ; None for a metric that needs more than counts."""
    if tau is None:
        return _TABLES.get(metric)
    return partial(tabulate_g_pass, tau=tau)

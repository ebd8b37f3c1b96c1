"""Jackknife variances, against leaving out one sample after the other and computing the public metric again."""

from functools import partial

import numpy as np
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from at_k import (
    best_at_k,
    cons_at_k,
    g_pass_at_k,
    majority_at_k,
    max_at_k,
    mg_pass_at_k,
    pass_at_k,
    pass_hat_k,
)
from at_k.columns import read_grades
from at_k.estimators import counts
from at_k.estimators.consensus import read_votes
from at_k.estimators.selection import read_choice, read_highest
from at_k.uncertainty import jackknife

# Values are rounded to 1e-16, their differences are squared, and n of them are added.
ATOL = 1e-14

repeatable = settings(derandomize=True, deadline=None, max_examples=50)


def leave_out(estimate, *row):
    """(n − 1)/n Σ (U₋ᵢ − U)² of one problem, by calling the metric on every n − 1 samples and on all n."""
    n = len(row[0])
    without = [
        estimate(*([[*column[:i], *column[i + 1 :]]] for column in row))[0] for i in range(n)
    ]
    whole = estimate(*([column] for column in row))[0]
    assert_allclose(np.mean(without, axis=0), whole, atol=1e-12)  # why U is their mean
    return (n - 1) / n * np.sum((np.array(without) - whole) ** 2, axis=0)


def of_counts(estimate):
    """A metric of 0/1 rows, which counts them."""
    return lambda rows: estimate([len(row) for row in rows], [sum(row) for row in rows])


def vary_mean(grades):
    return jackknife.jackknife_grades(read_grades(grades, "grades", missing=False))


def vary_vote(votes, correct, *, k, **options):
    return jackknife.jackknife_votes(*read_votes(votes, correct), k, **options)


def vary_best(scores, grades, *, k, select=None, score_weights=None, higher_is_better=True):
    options = {
        "select": select,
        "score_weights": score_weights,
        "higher_is_better": higher_is_better,
    }
    return jackknife.jackknife_choice(*read_choice(scores, grades, k, 0.5, **options))


def vary_max(scores, *, k, higher_is_better=True):
    ranked, draws = read_highest(
        scores, k, select=None, score_weights=None, higher_is_better=higher_is_better
    )
    return jackknife.vary_ranks(ranked, None, draws)


@for_each("metric, table", [
    (pass_at_k, counts.tabulate_pass), (pass_hat_k, counts.tabulate_pass_hat), (mg_pass_at_k, counts.tabulate_mg_pass),
    (majority_at_k, counts.tabulate_majority),
    (partial(g_pass_at_k, thresholds=0.75), partial(counts.tabulate_g_pass, tau=0.75)),
])  # fmt: skip
@for_each("n", [2, 3, 5, 8])
def test_counts(metric, table, n):
    for k in range(1, n):
        found = jackknife.tabulate_variance(table)(n, k)
        for c in range(n + 1):
            row = [1] * c + [0] * (n - c)
            assert_allclose(found[c], leave_out(of_counts(partial(metric, k=k)), row), atol=ATOL)
    assert np.isnan(jackknife.tabulate_variance(table)(n, n)).all()


@repeatable
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_mean(row):
    def mean(rows):
        return [np.mean(row) for row in rows]

    assert_allclose(vary_mean([row]), leave_out(mean, row), atol=ATOL)


def test_mean_of_rows_of_different_length():
    assert_allclose(vary_mean([[1, 0], [1], [1, 1, 0]]), [0.25, np.nan, 2 / 9 / 2])


answers = st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=2, max_size=8)


@repeatable
@given(
    answers,
    st.sampled_from(["random", "strict", "incorrect"]),
    st.sampled_from([{"a"}, {"a", "b"}, set()]),
)
def test_cons(votes, ties, right):
    correct = [int(vote in right) for vote in votes]
    k = list(range(1, len(votes)))
    found = vary_vote([votes], [correct], k=k, ties=ties)
    assert_allclose(
        found[0], leave_out(partial(cons_at_k, k=k, ties=ties), votes, correct), atol=ATOL
    )


def test_cons_of_many_problems_at_once_and_where_n_differs(monkeypatch):
    rng = np.random.default_rng(0)
    votes = [
        [str(each) for each in rng.integers(0, 5, size=size)]
        for size in rng.integers(2, 9, size=40)
    ]
    correct = [[int(vote == "0") for vote in row] for row in votes]
    k = [1, 2]
    alone = [vary_vote([v], [c], k=k)[0] for v, c in zip(votes, correct, strict=True)]
    for cells in (jackknife._CELLS, 50):
        monkeypatch.setattr(jackknife, "_CELLS", cells)
        assert_allclose(vary_vote(votes, correct, k=k), alone, atol=ATOL)
    assert np.isnan(alone[[len(row) for row in votes].index(2)][1])


def test_the_order_of_the_samples_decides_only_for_all_of_them():
    """ "first" is "random" for all k < n, and so is its variance, although k = n − 1 is all samples that are left."""
    votes, correct = [["a", "b", "b", "a", "c"]], [[1, 0, 0, 1, 0]]
    for k in range(1, 5):
        first = vary_vote(votes, correct, k=[k], ties="first")
        assert_array_equal(first, vary_vote(votes, correct, k=[k]))


samples = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=2, max_size=8)


@for_each("select", ["pareto", "lexicographic", "weighted"])
def test_best_of_scores_with_two_dimensions(select):
    scores = [[0, 1], [1, 0], [1, 1], [0, 2], [2, 0]]
    grades = [1, 0, 1, 0, 1]
    options = {"select": select, "score_weights": [1, 0.5] if select == "weighted" else None}
    k = [1, 2, 4]
    found = vary_best([scores, scores[:4]], [grades, grades[:4]], k=k, **options)
    assert_allclose(
        found[0], leave_out(partial(best_at_k, k=k, **options), scores, grades), atol=ATOL
    )
    assert np.isnan(found[1, 2])


@repeatable
@given(samples, st.booleans())
def test_best(rows, higher):
    scores, grades = map(list, zip(*rows, strict=True))
    k = list(range(1, len(rows)))
    metric = partial(best_at_k, k=k, higher_is_better=higher)
    found = vary_best([scores], [grades], k=k, higher_is_better=higher)
    assert_allclose(found[0], leave_out(metric, scores, grades), atol=ATOL)


@repeatable
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=8), st.booleans())
def test_max(scores, higher):
    k = list(range(1, len(scores)))
    metric = partial(max_at_k, k=k, higher_is_better=higher)
    found = vary_max([scores], k=k, higher_is_better=higher)
    assert_allclose(found[0], leave_out(metric, scores), atol=1e-12)  # in the unit of the scores

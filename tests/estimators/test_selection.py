"""best@k and max@k, against all subsets and exact order statistics."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb

import numpy as np
import oracles
import pytest
from cases import for_each, for_rows, refuses
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from at_k import avg_at_n, best_at_k, combinatorics, cons_at_k, max_at_k, pass_at_k
from at_k.estimators import selection

# Sums of a few thousand positive terms, each rounded to 1.1e-16, stay far below this.
RTOL = 1e-12

repeatable = settings(derandomize=True, deadline=None, max_examples=60)


def best(scores, correct, **options):
    """The value of a single problem."""
    return best_at_k([scores], [correct], **options)[0]


def choose_with_error(scores, correct, *, k, seed=0, **ranking):
    """The values of best@k, and the standard errors of those that are simulated."""
    pair = selection.choose_best(
        *selection.read_choice(scores, correct, k, 0.5, **ranking), seed=seed
    )
    return pair if np.ndim(k) else [each[:, 0] for each in pair]


@st.composite
def problems(draw, scores, largest=12):
    n = draw(st.integers(1, largest))
    return draw(st.lists(scores, min_size=n, max_size=n)), draw(
        st.lists(st.booleans(), min_size=n, max_size=n)
    )


few_scores = st.sampled_from([-1.5, 0.0, 0.1, 2.0])
points = st.tuples(*[st.sampled_from([0, 1, 2])] * 2)


@for_each("n", range(1, 6))
def test_every_ranking(n):
    """Every order with ties of up to 4 scores, every verdict, every k, in one call; of 5 scores every seventh."""
    rankings = [
        ranking
        for ranking in product(range(n), repeat=n)
        if set(ranking) == set(range(max(ranking) + 1))
    ]
    rows = list(product(rankings, product([0, 1], repeat=n)))[:: 7 if n == 5 else 1]
    scores, correct = zip(*rows, strict=True)
    every = range(1, n + 1)
    exact = [[float(oracles.best(*row, k)) for k in every] for row in rows]
    assert_allclose(best_at_k(scores, correct, k=every), exact, rtol=RTOL, atol=0)


@repeatable
@given(problems(few_scores), st.integers(1, 12))
def test_up_to_twelve_samples(problem, k):
    k = min(k, len(problem[0]))
    assert best(*problem, k=k) == pytest.approx(float(oracles.best(*problem, k)), rel=RTOL, abs=0)
    # Scores of both signs may cancel: the error is one of their size.
    assert max_at_k([problem[0]], k=k)[0] == pytest.approx(
        float(oracles.highest(problem[0], k)), rel=RTOL, abs=1e-15
    )


@for_each("n", [60, 128, 129, 1000])
def test_large_n(n):
    rng = np.random.default_rng(n)
    scores = (rng.integers(0, n // 2, size=n) / 8).tolist()
    correct = rng.integers(0, 2, size=n).tolist()
    every = [1, 2, 10, n // 2, n - 1, n]
    exact = [float(oracles.best_of_many(scores, correct, k)) for k in every]
    assert_allclose(best(scores, correct, k=every), exact, rtol=RTOL, atol=0)
    exact = [float(oracles.highest_of_many(scores, k)) for k in every]
    assert_allclose(max_at_k([scores], k=every)[0], exact, rtol=RTOL, atol=0)


SUMS = {"select": "weighted", "score_weights": [1, 1]}
LEXICOGRAPHIC = {"k": 2, "select": "lexicographic"}
LARGE = {"k": [1, 2], **SUMS}

BY_HAND = {
    # One sample of 1000 is right, and all of the other 299 drawn must be among the 320 below it.
    "small values keep their digits": (
        range(1000), [i == 320 for i in range(1000)], {"k": 300},
        pytest.approx(float(Fraction(comb(320, 299), comb(1000, 300))), rel=RTOL, abs=0)),
    "a weight of single precision is the decimal that it prints as": (
        [[1.0, 1.0], [3.0, 0.0]], [0, 1], {**SUMS, "k": 2, "score_weights": [np.float32(0.1), np.float32(0.2)]}, 0.5),
    "zeros of both signs": ([0.0, -0.0], [0, 1], {"k": 2}, 0.5),
    "a zero before a negative one": ([[0.0, 0], [-0.0, 1]], [0, 1], LEXICOGRAPHIC, 1),
    "a negative zero before another": ([[-0.0, 0], [0.0, 1]], [0, 1], LEXICOGRAPHIC, 1),
    # Sums may cancel near the largest float.
    "0 below 1": ([[1e308, -1e308], [1.0, 0.0]], [0, 1], LARGE, [0.5, 1]),
    "1e308 above −1e308": ([[1e308, 0.0], [-1e308, 0.0]], [0, 1], LARGE, [0.5, 0]),
    "0 below 10": ([[1e308, 1e308], [1.0, 0.0]], [0, 1], LARGE | {"score_weights": [10, -10]}, [0.5, 1]),
    **{f"correct_above {level}": ([2, 1], [0.5, 1], {"k": 2, "correct_above": level}, right)
       for level, right in ((0.5, 0), (0.4, 1), (0, 1))},
}  # fmt: skip


@for_rows("scores, correct, options, expected", BY_HAND)
def test_values_by_hand(scores, correct, options, expected):
    value = best(list(scores), correct, **options)
    assert value.tolist() == expected


def test_the_oracles_agree_with_each_other():
    scores, correct = [3, 1, 3, 2, 1, 0, 3], [1, 1, 0, 0, 1, 1, 0]
    for k in range(1, 8):
        assert oracles.best_of_many(scores, correct, k) == oracles.best(scores, correct, k)
        assert oracles.highest_of_many(scores, k) == oracles.highest(scores, k)
    classes = [((1, 0), True, 2), ((0, 1), False, 3), ((0, 0), True, 2)]
    laid_out = [(point, right) for point, right, times in classes for _ in range(times)]
    for k in range(1, 8):
        assert oracles.pareto_of_classes(classes, k) == oracles.pareto(
            *zip(*laid_out, strict=True), k
        )


class TestSeveralDimensions:
    @repeatable
    @given(problems(points, largest=8), st.integers(1, 8))
    def test_lexicographic(self, problem, k):
        k = min(k, len(problem[0]))
        exact = float(oracles.best(*problem, k))  # tuples compare by their first difference
        assert best(*problem, k=k, select="lexicographic") == pytest.approx(exact, rel=RTOL, abs=0)
        turned = [tuple(-number for number in point) for point in problem[0]]
        value = best(turned, problem[1], k=k, select="lexicographic", higher_is_better=False)
        assert value == pytest.approx(exact, rel=RTOL, abs=0)

    @repeatable
    @given(problems(points, largest=8), st.integers(1, 8))
    def test_pareto(self, problem, k):
        k = min(k, len(problem[0]))
        exact = float(oracles.pareto(*problem, k))
        value, error = choose_with_error([problem[0]], [problem[1]], k=k, select="pareto")
        assert value[0] == pytest.approx(exact, rel=RTOL, abs=0)
        assert error[0] == 0

    @repeatable
    @given(
        problems(
            st.tuples(*[st.sampled_from([0.0, -1e9, 1e9, 1e-9, 2e-9, 3e-9, 0.1, 0.2, 0.3])] * 2),
            largest=7,
        ),
        st.tuples(*[st.sampled_from([1.0, -1.0, 0.1, 0.3, 1e-9, 0.0])] * 2),
    )
    def test_weighted_sums_of_any_size(self, problem, weights):
        """Small numbers beside large ones: sums tie when the decimals do, and are ordered as they are."""
        points, correct = problem
        sums = [
            sum(
                (
                    Fraction(str(number)) * Fraction(str(weight))
                    for number, weight in zip(point, weights, strict=True)
                ),
                Fraction(0),
            )
            for point in points
        ]
        options = {"k": range(1, len(points) + 1), "select": "weighted", "score_weights": weights}
        exact = [float(oracles.best(sums, correct, k)) for k in options["k"]]
        assert_allclose(best(points, correct, **options), exact, rtol=RTOL, atol=0)
        highest = [float(oracles.highest(sums, k)) for k in options["k"]]
        size = float(max(map(abs, sums)))
        assert_allclose(max_at_k([points], **options)[0], highest, rtol=RTOL, atol=1e-15 * size)

    def test_sums_that_differ_below_the_last_digit_of_a_float_do_not_tie(self):
        """Twenty sums 1, 1 + 1e-30, 1 + 2e-30, …, of which each is above the one before, and beside them 1 + 2**-52."""
        scores = [[1.0, i * 1e-30] for i in range(20)] + [[1 + 2**-52, 0.0]]
        options = {"k": 2, **SUMS}
        for low in range(20):
            assert best([scores[low], scores[low + 1]], [0, 1], **options) == 1
        exact = float(oracles.best(list(range(21)), [i % 2 for i in range(21)], 2))
        assert best(scores[::-1], [i % 2 for i in range(21)][::-1], **options) == pytest.approx(
            exact, rel=RTOL, abs=0
        )

    @for_each("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    def test_problems_with_close_scores_are_ranked_apart(self, order):
        """In each order of the problems, some problem's scores continue those of the one before."""
        problems = [[[0.1, 0.2], [0.3, 0.1]], [[0.4, 0.1], [0.3, 0.0]], [[0.1, 0.3], [0.2, 0.2]]]
        correct = [[1, 0], [0, 1], [1, 0]]
        options = {"k": 2, **SUMS}
        rows = [problems[i] for i in order], [correct[i] for i in order]
        exact = [
            [0, 0, 0.5][i] for i in order
        ]  # sums 0.3 < 0.4; 0.5 > 0.3, the lower one correct; 0.4 = 0.4
        assert_array_equal(best_at_k(*rows, **options), exact)
        assert_allclose(
            max_at_k(rows[0], **options), [[0.4, 0.5, 0.4][i] for i in order], rtol=RTOL
        )

    @for_each("select", ["lexicographic", "pareto"])
    def test_one_dimension_is_a_plain_score(self, select):
        scores, correct = [3, 1, 2, 3], [0, 1, 1, 1]
        nested = [[score] for score in scores]
        assert_allclose(
            best(nested, correct, k=[1, 2, 3, 4], select=select),
            best(scores, correct, k=[1, 2, 3, 4]),
        )


FRONTS = [
    ((2, 0), True, 4),
    ((0, 2), False, 7),
    ((1, 1), True, 3),
    ((1, 0), False, 4),
    ((0, 0), True, 4),
]
"""22 samples, as (point, correct, how many)."""

SCORES = [[list(point) for point, _, times in FRONTS for _ in range(times)]]
CORRECT = [[right for _, right, times in FRONTS for _ in range(times)]]


class TestSimulation:
    """Pareto fronts among more than 100,000 subsets."""

    @for_each("k", [7, 11, 15])
    def test_close_to_the_exact_value(self, k):
        assert comb(22, k) > combinatorics.MAX_SUBSETS
        value, error = choose_with_error(SCORES, CORRECT, k=k, select="pareto")
        # At most ½ in spread, over √10,000 subsets.
        assert 0 < error[0] <= 0.0051
        assert abs(value[0] - float(oracles.pareto_of_classes(FRONTS, k))) < 5 * error[0]

    def test_the_seed_decides(self):
        def values(seed):
            return np.array(
                choose_with_error(SCORES, CORRECT, k=[8, 11], select="pareto", seed=seed)
            )

        assert_array_equal(values(1), values(1))
        assert (values(1)[0] != values(2)[0]).all()

    def test_a_plain_score_is_never_simulated(self):
        scores = [[point[0] for point in SCORES[0]]]
        value, error = choose_with_error(scores, CORRECT, k=11)
        assert value[0] == pytest.approx(
            float(oracles.best_of_many(scores[0], CORRECT[0], 11)), rel=RTOL
        )
        assert error[0] == 0


class TestIdentities:
    @repeatable
    @given(problems(few_scores, largest=30))
    def test_between_the_metrics(self, problem):
        scores, correct = problem
        n, c = len(scores), sum(correct)
        every = range(1, n + 1)
        values = best(scores, correct, k=every)
        assert values[0] == pytest.approx(avg_at_n([correct])[0], rel=RTOL, abs=0)
        assert (values <= pass_at_k(n, c, k=every) + RTOL).all()
        assert_allclose(
            best(correct, correct, k=every), pass_at_k(n, c, k=every), rtol=RTOL, atol=0
        )
        assert_allclose(best([0.5] * n, correct, k=every), c / n, rtol=RTOL, atol=0)
        assert (np.diff(max_at_k([scores], k=every)[0]) >= -RTOL).all()

    @repeatable
    @given(problems(few_scores))
    def test_a_score_turned_around(self, problem):
        scores, correct = problem
        every, turned = range(1, len(scores) + 1), [-score for score in scores]
        assert_array_equal(
            best(turned, correct, k=every, higher_is_better=False), best(scores, correct, k=every)
        )
        lowest = max_at_k([scores], k=every, higher_is_better=False)
        assert_array_equal(lowest, -max_at_k([turned], k=every))

    @for_each("scores", [[-0.0, -0.0], [-0.0, -1.0], [-0.0, 0.0], [0.0, -0.0]])
    def test_the_highest_score_has_no_minus_zero(self, scores):
        for options in ({}, {"select": "weighted", "score_weights": [1]}):
            assert not np.signbit(max_at_k([scores], k=[2], **options)).any()
        assert not np.signbit(
            max_at_k([[-score for score in scores]], k=[2], higher_is_better=False)
        ).any()

    @for_each("n", [2, 5, 128, 129, 300])
    def test_scores_up_to_the_largest_float(self, n):
        largest = np.finfo(float).max
        every = sorted({1, 2, n // 2, n})
        assert_array_equal(
            max_at_k([[largest] * n, [-largest] * n], k=every),
            [[largest] * len(every), [-largest] * len(every)],
        )
        scores = [largest * (-1) ** i for i in range(n)]
        exact = [float(oracles.highest_of_many(scores, k)) for k in every]
        assert_allclose(max_at_k([scores], k=every)[0], exact, rtol=RTOL, atol=largest * 1e-15)

    @for_each("n", [1, 2, 3, 7, 60, 129, 300])
    def test_right_samples_alone_are_always_chosen(self, n):
        """A problem without wrong samples has exactly 1, and equal scores exactly their own value."""
        rng = np.random.default_rng(n)
        every = sorted({1, (n + 1) // 2, n})
        assert_array_equal(best([*rng.random(n)], [1] * n, k=every), 1)
        assert_array_equal(max_at_k([[0.1] * n], k=every), [[0.1] * len(every)])

    @for_each("problems", [2, 3, 17])
    @for_each("n", [1, 2, 3, 8, 33])
    def test_a_problem_does_not_depend_on_the_others(self, problems, n):
        """Bit for bit: the same numbers in a table of any height, beside others of any length and size."""
        rng = np.random.default_rng(n)
        scores, correct = rng.random((problems, n)), rng.integers(0, 2, size=(problems, n))
        every = range(1, n + 1)
        assert_array_equal(
            best_at_k(scores, correct, k=every)[1], best(scores[1], correct[1], k=every)
        )
        assert_array_equal(max_at_k(scores, k=every)[1], max_at_k(scores[1:2], k=every)[0])
        alone = [best(*row, k=[1, 2]) for row in zip(RAGGED, GRADES, strict=True)]
        assert_array_equal(best_at_k(RAGGED, GRADES, k=[1, 2]), alone)
        near, far = [[1.0, 0.0], [2.0, 0.0]], [[1e16, 0.0], [2e16, 0.0]]
        assert_array_equal(best_at_k([near, far], [[0, 1], [0, 1]], k=2, **SUMS), [1, 1])


VOTES = [["a", "b", "a"], ["c", "d", "c", "c"]]
RAGGED, GRADES = [[1, 3, 2], [5, 5, 0, 1]], [[1, 0, 1], [1, 0, 1, 1]]


@for_each(
    "call",
    [
        partial(best_at_k, RAGGED, GRADES),
        partial(max_at_k, RAGGED),
        partial(cons_at_k, VOTES, GRADES),
    ],
)
def test_one_k_and_several(call):
    both = call(k=[3, 1])
    assert both.shape == (2, 2)
    assert_allclose(call(k=3), both[:, 0], rtol=RTOL)
    assert call(k=np.int64(3)).shape == (2,)
    for k in ((3, 1), np.array([3, 1]), range(3, 0, -2)):
        assert_array_equal(call(k=k), both)
    assert call(k=[3]).shape == (2, 1)


POINTS = [[[1, 2], [3, 4]]]
WEIGHTED = {"select": "weighted"}


@for_each("scores, grades, options, says", [
    ([[1, 2], [1, np.nan]], [[1, 0]] * 2, {}, "ValueError: `scores` … NaN … problem 1, sample 1"),
    ([], [], {}, "ValueError: `scores`"),
    *[([[[1.0, 1.0], [1e308, 1e308]], [[1e308, 1e308], [1.0, 1.0]]], [[1, 0]] * 2,
       {"select": "weighted", "score_weights": weights},
       "ValueError: `scores` must have a weighted sum … problem 0, sample 1") for weights in ([10, 10], [1, 1])],
    ([[1, 2]], [[1]], {}, "ValueError: `scores` … `grades` … 2 and 1 … problem 0"),
    ([[1, 2]], [[1, 2]], {"correct_above": 1.5}, "ValueError: `grades` … 2 … problem 0, sample 1"),
    ([[1, 2]], [[1, 1 + 1e-12]], {}, "ValueError: `grades` … problem 0, sample 1"),
    *[(POINTS, [[1, 0]], {**WEIGHTED, "score_weights": [large, 1]}, "ValueError: `score_weights`")
      for large in (10**400, 10**5000)],
    ([[1, 2]], [[1, 0]], {"k": 3}, "ValueError: `k` … k=3 … smallest n is 2 … problem 0"),
    ([[1, 2]], [[1, 0]], {"correct_above": 1.5}, "ValueError: `correct_above` … 1.5"),
    ([[1, 2]], [[1, 0]], {"select": "best"}, "ValueError: `select` … 'pareto' … 'best'"),
    ([[1, 2]], [[1, 0]], {"score_weights": [1]}, "ValueError: `score_weights` … `select`"),
    ([[1, 2]], [[1, 0]], {"higher_is_better": 0}, "TypeError: `higher_is_better` … 0"),
    (POINTS, [[1, 0]], {}, "ValueError: `select` … 2 dimensions"),
    (POINTS, [[1, 0]], WEIGHTED, "ValueError: `score_weights` … 2 numbers"),
    (POINTS, [[1, 0]], {**WEIGHTED, "score_weights": [1]}, "ValueError: `score_weights` … [1]"),
    (POINTS, [[1, 0]], {**WEIGHTED, "score_weights": 1}, "TypeError: `score_weights` … 1 of type int"),
    (POINTS, [[1, 0]], {**WEIGHTED, "score_weights": [1, "2"]}, "TypeError: `score_weights` … '2'"),
    (POINTS, [[1, 0]], {**WEIGHTED, "score_weights": [1, np.inf]}, "ValueError: `score_weights` … inf"),
    ([[[1, 2], [3]]], [[1, 0]], {"select": "pareto"}, "ValueError: `scores` … 1 … problem 0, sample 1"),
])  # fmt: skip
def test_errors(scores, grades, options, says):
    refuses(says, best_at_k, scores, grades, **({"k": 1} | options))


@for_each("select", ["lexicographic", "pareto"])
def test_no_single_number_has_no_maximum(select):
    refuses(
        f"ValueError: `select` must be 'weighted' for max@k … '{select}'",
        max_at_k,
        POINTS,
        k=1,
        select=select,
    )

"""The flips of signs, against all subsets in fractions and against SciPy."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, prod, sqrt

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from at_k.uncertainty.comparison import compare_columns, compare_values
from at_k.uncertainty.flips import Flips, factor_columns, find_flip_p, find_typical_limits
from at_k.uncertainty.questions import Questions


def sign_flip_p(differences, *, clusters=None, n_flips=9_999, seed=0):
    """The p-value of the flips: that of values without a range, which have no other."""
    d = np.asarray(differences, dtype=float)
    return compare_values(
        d, np.zeros(len(d)), bounded=False, clusters=clusters, n_flips=n_flips, seed=seed
    ).p_value


clustered = st.lists(st.tuples(st.integers(-16, 16), st.integers(0, 5)), min_size=1, max_size=9)


def enumerate_means(differences, labels):
    """The mean difference over every non-empty set of clusters, in fractions."""
    units = [
        [d for d, own in zip(differences, labels, strict=True) if own == label]
        for label in dict.fromkeys(labels)
    ]
    return sorted(
        sum(map(sum, chosen), Fraction()) / sum(map(len, chosen))
        for size in range(1, len(units) + 1)
        for chosen in combinations(units, size)
    )


def expect_p(means):
    """2·min(1 + #{r ≤ 0}, 1 + #{r ≥ 0})/(B + 1)."""
    least = min(sum(r <= 0 for r in means), sum(r >= 0 for r in means))
    return min(Fraction(1), Fraction(2 * (1 + least), len(means) + 1))


@settings(derandomize=True, max_examples=200)
@given(clustered, st.booleans())
def test_the_sign_flip_test_is_that_of_all_subsets(rows, together):
    differences = [Fraction(d, 16) for d, _ in rows]
    labels = [label for _, label in rows] if together else list(range(len(rows)))
    found = sign_flip_p(list(map(float, differences)), clusters=labels if together else None)
    assert found == float(expect_p(enumerate_means(differences, labels)))


@for_each("confidence_level", [0.5, 0.8, 0.9, 0.95])
@for_each("seed", range(6))
@for_each("together", [True, False])
def test_the_interval_is_that_of_all_subsets(confidence_level, seed, together):
    sixteenths = np.random.default_rng(seed).integers(0, 17, size=(2, 18 if together else 9))
    labels = [i % 7 for i in range(18)] if together else list(range(9))
    means = enumerate_means([Fraction(int(a - b), 16) for a, b in sixteenths.T], labels)
    j = ceil(Fraction(str(1 - Fraction(str(confidence_level)))) * (len(means) + 1) / 2) - 1
    options = {"confidence_level": confidence_level, "clusters": labels if together else None}
    found = compare_values(
        *(sixteenths / 16), **options, bounded=False
    )  # else fewer than ten effective differences
    assert_allclose(
        [found.low, found.high], [float(means[j - 1]), float(means[-j])], rtol=1e-12, atol=1e-15
    )
    assert found.p_value == float(expect_p(means))


@settings(derandomize=True, max_examples=300)
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40),
    st.sampled_from([0.8, 0.9, 0.95, 0.99]),
    st.sampled_from(["sign-flip", "bounded"]),
    st.booleans(),
)
def test_p_is_below_alpha_exactly_where_the_interval_excludes_0(
    rows, confidence_level, method, together
):
    """The one rule of every decision: of all methods, with ties, with few differences, with clusters."""
    a, b, labels = np.array(rows).T
    found = compare_values(
        a / 2,
        b / 2,
        confidence_level=confidence_level,
        method=method,
        clusters=labels.tolist() if together else None,
        n_flips=399,  # the fewest with which 99 % leaves out a mean on each side
    )
    assert (found.better is not None) == (not found.low <= 0 <= found.high)
    assert -1 <= found.low <= found.high <= 1
    if found.better:
        assert found.p_value < 1 - confidence_level
        assert (found.difference > 0) == (found.better == "a")


def test_p_of_many_problems_is_near_the_exact_one():
    """It sums, over how many problems of each difference are in a subset, the product of their binomials."""
    differences = {2: 12, -1: 10, 0: 40, -3: 2}
    ways = [
        (sum(map(int.__mul__, differences, chosen)), prod(map(comb, differences.values(), chosen)))
        for chosen in product(*(range(count + 1) for count in differences.values()))
    ]
    exact = (
        2
        * min(sum(count for total, count in ways if sign * total >= 0) for sign in (-1, 1))
        / 2**64
    )
    error = 2 * sqrt(
        exact / 2 * (1 - exact / 2) / 9_999
    )  # of 9,999 flips; 4 of them are exceeded once in 16,000 times
    values = np.repeat([*differences], [*differences.values()])
    assert [sign_flip_p(values, seed=seed) for seed in range(5)] == pytest.approx(
        [exact] * 5, abs=4 * error
    )


def test_every_unit_is_in_half_of_the_subsets_independently_of_the_others():
    """Bits of the sums tell which units were in. 9,999 subsets have a standard error of .005; blocks hold 256 units."""
    columns = np.zeros((260, 2))
    columns[np.arange(10) * 28 + 5, 0] = 2.0 ** np.arange(10)
    flips = Flips(columns, None)
    bits = (np.rint(flips.sums[:, 0]).astype(int)[:, None] >> np.arange(10)) & 1
    assert_allclose(bits.mean(axis=0), 0.5, atol=0.02)
    assert_allclose(np.corrcoef(bits.T), np.eye(10), atol=0.04)
    assert flips.problems.mean() == pytest.approx(130, abs=0.5)  # the standard error is .08


def test_all_columns_are_added_over_the_same_units():
    """A column for each of 45 units, five octets and a part of one, tells which of them are in a subset."""
    columns = np.column_stack([np.eye(45), np.random.default_rng(0).normal(size=(45, 3))])
    flips = Flips(columns, None, n_flips=500)
    chosen = np.rint(flips.sums[:, :45]).astype(int)
    assert (flips.problems == chosen.sum(axis=1)).all()
    for column in range(45, 48):
        expected = np.where(chosen, columns[:, column], 0).sum(axis=1)
        assert_allclose(
            flips.sums[:, column], expected, atol=1e-12
        )  # factors of up to ten, and roundings of 1e-16


def test_columns_are_made_up_of_their_factors():
    random = np.random.default_rng(0)
    units = random.normal(size=(50, 4)) @ random.normal(size=(4, 9)) * 10.0 ** -np.arange(9)
    basis, factors = factor_columns(np.column_stack([units, np.zeros(50)]))
    assert basis.shape == (50, 4)
    assert_allclose(basis.T @ basis, np.eye(4), atol=1e-14)
    assert_allclose(basis @ factors, np.column_stack([units, np.zeros(50)]), atol=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.003])
def test_limits_leave_zero_out_exactly_where_p_is_below(alpha):
    random = np.random.default_rng(2)
    sides = Counter[bool]()
    for subsets in range(20, 420):
        # The number of means beyond 0 is near the one that decides.
        means = random.normal(size=subsets)
        means -= np.sort(means)[min(subsets - 1, random.poisson(alpha * subsets / 2))]
        low, high = find_typical_limits(means, alpha)
        sides[find_flip_p(means) < alpha] += 1
        assert (not low <= 0 <= high) == (find_flip_p(means) < alpha)
    assert len(sides) == 2 or alpha < 0.005


class TestNormalLimit:
    """The sums of a thousand effective units are drawn from their normal limit."""

    DIFFERENCES = np.round(np.random.default_rng(5).normal(0.006, 0.2, 3_000), 1)

    def test_p_and_limits_are_those_of_all_flips(self):
        drawn = Flips(self.DIFFERENCES[:, None], None)
        assert drawn.is_normal
        signs = np.random.default_rng(1).integers(0, 2, (9_999, 3_000)).astype(bool)
        sums, problems = signs @ self.DIFFERENCES, signs.sum(axis=1)
        # Both are simulated: the standard error of a p of .1 is .003, that of a limit 1.7 % of the standard error.
        assert find_flip_p(drawn.sums[:, 0]) == pytest.approx(find_flip_p(sums), abs=0.015)
        assert_allclose(
            find_typical_limits(drawn.sums[:, 0] / drawn.problems, 0.05),
            find_typical_limits(sums / problems, 0.05),
            atol=0.08 * self.DIFFERENCES.std() / np.sqrt(3_000),
        )

    def test_fragility_is_where_the_decision_falls(self):
        a, b = 0.5 + self.DIFFERENCES.clip(-0.4, 0.4) / 2, np.full(3_000, 0.5)
        found = compare_values(a + 0.02, b)
        for share, better in (
            (0.8, "a"),
            (1.2, None),
        ):  # by t, which the flips follow but for their error
            further = round(share * found.fragility)
            longer = compare_values(
                np.append(a + 0.02, np.zeros(further)), np.append(b, np.ones(further))
            )
            assert longer.better == better

    def test_signs_flip_if_few_problems_differ(self):
        columns = np.zeros((3_000, 1))
        columns[:6] = 1.0
        flips = Flips(columns, None)
        assert not flips.is_normal
        assert set(np.rint(flips.sums[:, 0])) == set(range(7))
        assert find_flip_p(np.rint(flips.sums[:, 0])) == pytest.approx(
            2 / 64, abs=0.006
        )  # three standard errors


def test_no_subset_is_empty():
    flips = Flips(np.ones((15, 1)), None, n_flips=200_000)
    assert flips.problems.min() == 1
    assert_allclose(flips.sums[:, 0], flips.problems, rtol=1e-14)


def test_small_differences_count_beside_a_large_one():
    """All problems but one differ by 1e-9, in the same direction: p is that of all signs being equal."""
    assert sign_flip_p([0.5] + [1e-9] * 40) == 2 / 10_000


def test_the_same_subsets_serve_all_numbers():
    a, b, c, d = np.random.default_rng(0).random((4, 300))
    first, second = compare_columns([(a, b), (c, d)], [True, True], seed=4)
    for found, alone in (
        (first, compare_values(a, b, seed=4)),
        (second, compare_values(c, d, seed=4)),
    ):
        assert found.p_value == alone.p_value
        assert found.low < alone.low < alone.high < found.high  # those of two numbers hold together


def adjust_by_hand(differences):
    """Step-down max-T by its definition: the largest of the questions that are not yet decided, over all signs."""
    signs = np.array(list(product([1, -1], repeat=len(differences))))
    flipped = np.abs(signs @ differences) / np.sqrt((differences**2).sum(axis=0))
    observed = flipped[0]
    p_values, lowest = {}, 0.0
    left = sorted(range(len(observed)), key=lambda question: -observed[question])
    while left:
        share = (flipped[:, left].max(axis=1) >= observed[left[0]] - 1e-9).mean()
        lowest = p_values[left.pop(0)] = max(lowest, share)
    return [p_values[question] for question in range(len(observed))]


@for_each("seed", range(8))
def test_several_questions_are_adjusted_by_step_down_max_t(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, 10, 4))
    a[:, 1] = np.clip(b[:, 1] + rng.normal(0.1, 0.05, 10), 0, 1)
    a[:, 2] = np.clip(a[:, 1] + rng.normal(0, 0.01, 10), 0, 1)
    b[:, 2] = b[:, 1]
    found = compare_columns(list(zip(a.T, b.T, strict=True)), [False] * 4)
    adjusted = [each.p_adjusted for each in found]
    expected = adjust_by_hand(a - b)
    assert_allclose(adjusted, expected, rtol=1e-12)
    assert all(p >= each.p_value - 1e-12 for p, each in zip(adjusted, found, strict=True))


def test_questions_with_the_same_statistic_have_the_same_p_value():
    a = (
        np.array([[4, 1, 3, 0, 2, 4, 1], [1, 4, 2, 0, 4, 3, 1]]).T / 4
    )  # the same differences in another order
    adjusted = [
        each.p_adjusted
        for each in compare_columns([(column, np.full(7, 0.25)) for column in a.T], [False] * 2)
    ]
    assert adjusted[0] == adjusted[1] == pytest.approx(max(adjust_by_hand(a - 0.25)))


def test_the_floor_does_not_depend_on_the_number_of_questions():
    """Holm would make 100 × 2/10,000 = .02 of it. The p-value of each comparison is 2/10,000 at least."""
    rng = np.random.default_rng(0)
    pairs = [(rng.random(60), rng.random(60)) for _ in range(99)]
    found, *_ = compare_columns([(np.linspace(0.5, 1, 60), np.zeros(60)), *pairs], [True] * 100)
    assert found.p_adjusted == 2 / 10_000


def draw_clustered(rng, clusters, size):
    """Both models equally good: which of the two solves a cluster is a coin, and nearly the same for its problems."""
    favour = np.repeat(rng.random(clusters) < 0.5, size)
    own = np.where(rng.random(clusters * size) < 0.1, rng.random(clusters * size) < 0.5, favour)
    spread = rng.integers(1, 5, size=clusters * size) / 4
    return np.where(own, spread, 0), np.where(own, 0, spread)


@for_each("clusters", [8, 12, 25])
def test_type_1_error_with_clusters(clusters):
    """At most .055, and .02 for 400 repetitions: two standard errors. Without clusters it is .3 here."""
    rng, labels = np.random.default_rng(clusters), np.repeat(np.arange(clusters), 6)
    pairs = (draw_clustered(rng, clusters, 6) for _ in range(400))
    differences = np.stack(
        [a - b for a, b in pairs], axis=1
    )  # a question for each repetition, with the same flips
    together, alone = (
        Questions(differences, bounded=False, clusters=own, n_flips=1999).p_values
        for own in (labels, None)
    )
    assert np.mean(together < 0.05) <= 0.055 + 0.02
    assert np.mean(alone < 0.05) > 0.2

"""cons@k, against all subsets and all count vectors."""

from collections import Counter
from functools import cache
from math import comb

import numpy as np
import oracles
import pytest
from cases import for_each, refuses
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from at_k import combinatorics, cons_at_k
from at_k.columns import read_weights
from at_k.estimators import consensus
from at_k.samples import Ragged

# Sums of positive terms: a few thousand roundings of 1.1e-16 each stay far below this.
RTOL = 1e-12

repeatable = settings(derandomize=True, deadline=None, max_examples=40)


def cons(*problem, k, **options):
    """The value of a single problem."""
    answers, correct = problem
    return cons_at_k([answers], [correct], k=k, **options)[0]


def vote_with_error(votes, correct, *, k, weights=None, **options):
    """The values of cons@k, and the standard errors of those that are simulated."""
    ballots, flags = consensus.read_votes(votes, correct)
    weighted = None if weights is None else read_weights(weights)
    pair = consensus.elect(ballots, flags, np.atleast_1d(k), weights=weighted, **options)
    return pair if np.ndim(k) else [each[:, 0] for each in pair]


@st.composite
def problems(draw, largest=12):
    """Answers with their verdicts; about one sample in five has none."""
    answers = draw(
        st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=largest)
    )
    right = draw(st.sets(st.sampled_from("abcd")))
    return answers, [answer in right for answer in answers]


def list_exact_cons(answers, correct, ties):
    """Compute cons@k for every k by the oracle, once for all orders and names of answers, where these do not matter."""
    given = tuple(zip(answers, correct, strict=True))
    blocks = Counter(sample for sample in given if sample[0] is not None)
    sizes = sorted((size, right) for (_, right), size in blocks.items())
    samples = [(name, right) for name, (size, right) in enumerate(sizes) for _ in range(size)]
    samples = (*samples, *[(None, False)] * (len(given) - len(samples)))
    below = [exact_cons_of(samples, k, ties) for k in range(1, len(given))]
    return [*below, exact_cons_of(given if ties == "first" else samples, len(given), ties)]


@cache
def exact_cons_of(samples, k, ties):
    return float(oracles.cons(*zip(*samples, strict=True), k, ties))


@for_each("ties", oracles.TIES)
@for_each("n", range(1, 7))
def test_every_pattern_of_answers(n, ties):
    """All ways in which n samples can agree, be right and be missing, with every k, in one call."""
    patterns = list(oracles.answer_patterns(n))
    votes, correct = zip(*patterns, strict=True)
    exact = [list_exact_cons(*pattern, ties) for pattern in patterns]
    values = cons_at_k(votes, correct, k=range(1, n + 1), ties=ties)
    assert_allclose(values, exact, rtol=RTOL, atol=0)


@repeatable
@given(problems(), st.sampled_from(oracles.TIES))
def test_up_to_twelve_samples(problem, ties):
    every = range(1, len(problem[0]) + 1)
    exact = [float(oracles.cons(*problem, k, ties)) for k in every]
    assert_allclose(cons(*problem, k=every, ties=ties), exact, rtol=RTOL, atol=0)


WEIGHTED = [
    (["a", "b"], [1, 0], [1, 1]),
    (["a", "b"], [1, 0], [0, 0]),
    (["a", "b", "c"], [1, 0, 0], [0, 0, 2]),
    (["a", "a", "b"], [1, 1, 0], [0.1, 0.2, 0.3]),
    (["b", "a", "a"], [0, 1, 1], [0.3, 0.1, 0.2]),
    (["a", "b", "c", "c"], [1, 0, 1, 1], [0.7, 0.8, 0.4, 0.4]),
    (["a", "b", None], [1, 0, 0], [1.5, 1, 0.5]),
    ([None, None, "a"], [0, 0, 1], [3, 2, 1]),
    ([None, None], [0, 0], [3, 2]),
    (["a", "b", "a", "b", "c", None, "a"], [1, 0, 1, 0, 1, 0, 1], [3, 1, 4, 1, 5, 9, 2]),
    (["a", "b", "b", "c", "c", "c"], [0, 1, 1, 0, 0, 0], [6, 3, 3, 2, 2, 2]),
    (["a", "b", "b"], [1, 0, 0], [1e20, 1, 1e20]),
    (["a", "b", "b"], [1, 0, 0], [1e-300, 5e-301, 5e-301]),
    (["a", "b", "b"], [1, 0, 0], [2.5e300, 1e-300, 2.5e300]),
    (["a", "b", "b"], [1, 0, 0], [2**62, 2**61, 2**61]),
]


@for_each("ties", oracles.TIES)
@for_each("problem", WEIGHTED)
def test_weights(problem, ties):
    answers, correct, weights = problem
    every = range(1, len(answers) + 1)
    # A float is compared by the decimal that it prints as.
    exact = [
        float(oracles.cons(answers, correct, k, ties, list(map(float, weights)))) for k in every
    ]
    values, errors = vote_with_error([answers], [correct], k=every, ties=ties, weights=[weights])
    assert_allclose(values[0], exact, rtol=RTOL, atol=0)
    assert_array_equal(errors, 0)


@repeatable
@given(
    problems(largest=8),
    st.lists(st.sampled_from([0, 1, 2, 0.1, 0.2, 0.3, 0.7, 1.1]), min_size=8, max_size=8),
    st.sampled_from(oracles.TIES),
)
def test_any_weights(problem, weights, ties):
    n = len(problem[0])
    exact = [float(oracles.cons(*problem, k, ties, weights[:n])) for k in range(1, n + 1)]
    values = cons(*problem, k=range(1, n + 1), ties=ties, weights=[weights[:n]])
    assert_allclose(values, exact, rtol=RTOL, atol=0)


CLASSES = [
    ("a", True, 1, 6),
    ("a", True, 3, 2),
    ("b", False, 2, 6),
    ("c", False, 1, 5),
    (None, False, 2, 3),
]
"""22 samples, as (answer, correct, weight, how many)."""


def laid_out(classes):
    samples = [
        (answer, right, weight) for answer, right, weight, times in classes for _ in range(times)
    ]
    votes, correct, weights = zip(*samples, strict=True)
    return [votes], [correct], [weights]


class TestSimulation:
    """Weights and more than 100,000 subsets."""

    votes, correct, weights = laid_out(CLASSES)

    @for_each("ties", oracles.TIES)
    @for_each("k", [7, 11, 15])
    def test_close_to_the_exact_value(self, ties, k):
        assert comb(22, k) > combinatorics.MAX_SUBSETS
        value, error = vote_with_error(
            self.votes, self.correct, k=k, weights=self.weights, ties=ties
        )
        exact = float(oracles.cons_of_classes(CLASSES, k, ties))
        assert 0.005 < exact < 0.995  # some draws are won and some lost
        # At most ½ in spread, over √10,000 subsets.
        assert 0 < error[0] <= 0.0051
        assert abs(value[0] - exact) < 5 * error[0]

    def test_the_seed_decides(self):
        def values(seed):
            return np.array(
                vote_with_error(
                    self.votes, self.correct, k=[8, 11], weights=self.weights, seed=seed
                )
            )

        assert_array_equal(values(1), values(1))
        assert (values(1)[0] != values(2)[0]).all()

    def test_each_problem_has_its_own_draws_and_an_exact_one_none(self):
        votes, correct = self.votes * 2, self.correct * 2
        value = cons_at_k(votes, correct, k=11, weights=self.weights * 2)
        assert value[0] != value[1]
        value, error = vote_with_error(votes, correct, k=11, weights=[*self.weights, [1] * 22])
        assert error[0] > 0
        assert error[1] == 0
        assert value[1] == cons_at_k(self.votes, self.correct, k=11)[0]


class TestConflicts:
    """Equal answers of a problem with different verdicts."""

    @repeatable
    @given(
        st.sampled_from(oracles.TIES),
        problems(largest=7),
        st.lists(st.booleans(), min_size=7, max_size=7),
    )
    def test_the_majority_decides(self, ties, problem, verdicts):
        answers, _ = problem
        given, every = verdicts[: len(answers)], range(1, len(answers) + 1)
        settled = oracles.settle_by_majority(answers, given)
        exact = [float(oracles.cons(answers, settled, k, ties)) for k in every]
        assert_allclose(
            cons(answers, given, k=every, ties=ties, on_conflict="majority"),
            exact,
            rtol=RTOL,
            atol=0,
        )

    @repeatable
    @given(problems(largest=6), st.lists(st.booleans(), min_size=6, max_size=6))
    def test_the_majority_decides_weighted_votes(self, problem, verdicts):
        answers, _ = problem
        n = len(answers)
        weights = [1, 2, 0.5, 4, 1, 3][:n]
        settled = oracles.settle_by_majority(answers, verdicts[:n])
        exact = [float(oracles.cons(answers, settled, k, weights=weights)) for k in range(1, n + 1)]
        values = cons(
            answers, verdicts[:n], k=range(1, n + 1), weights=[weights], on_conflict="majority"
        )
        assert_allclose(values, exact, rtol=RTOL, atol=0)

    def test_each_problem_decides_for_itself_and_samples_without_an_answer_do_not_conflict(self):
        votes, correct = [["a", "a", "a"], ["a", "a", "a"]], [[1, 1, 0], [0, 0, 1]]
        assert_array_equal(cons_at_k(votes, correct, k=1, on_conflict="majority"), [1, 0])
        assert cons(["a", None, None], [1, 1, 0], k=1) == pytest.approx(1 / 3, rel=RTOL)

    @pytest.mark.parametrize("bits", [63, 4])
    def test_the_first_conflict_in_input_order_is_reported(self, bits, monkeypatch):
        """Problem 1 has two conflicts: that of "z", numbered last and drawn first, is seen earlier than that of "a"."""
        monkeypatch.setattr(consensus, "_KEY_BITS", bits)
        votes = [["a", "b", "z"], [None, "z", "a", "z", "a", "b"], ["b", "b", "a"]]
        correct = [[1, 0, 1], [0, 1, 1, 0, 0, 0], [1, 0, 1]]
        refuses(
            "ValueError: 'z' in problem 1, sample 1 and in problem 1, sample 3",
            cons_at_k,
            votes,
            correct,
            k=1,
        )


@pytest.mark.parametrize("ties", oracles.TIES)
@pytest.mark.parametrize("bits", [63, 4])
@pytest.mark.parametrize("lengths", [[6] * 5, [6, 3, 5, 9, 4]])
def test_votes_are_counted_alike_however_they_are_sorted(ties, bits, lengths, monkeypatch):
    """By one integer per sample, or where that has too few bits by the columns; in equal and in ragged rows."""
    monkeypatch.setattr(consensus, "_KEY_BITS", bits)
    rng = np.random.default_rng(5)
    rows = [[[None, "x", "y", "z"][i] for i in rng.integers(4, size=n)] for n in lengths]
    correct = [[answer in ("y", "z") for answer in row] for row in rows]
    exact = [
        [float(oracles.cons(*problem, k, ties)) for k in (1, 2, 3)]
        for problem in zip(rows, correct, strict=True)
    ]
    assert_allclose(cons_at_k(rows, correct, k=[1, 2, 3], ties=ties), exact, rtol=RTOL, atol=0)


@for_each("total", [2**62 - 1, 2**62, 2**62 + 1, 2**63, 2**64])
@for_each("ties", oracles.TIES)
def test_weights_whose_sums_reach_the_end_of_64_bits(total, ties):
    """Doubled sums that do not fit in 64 bits are compared as Python integers.

    Weights count as the decimals that their floats print as; small ones beside large ones keep the sums from rounding.
    """
    answers, correct = ["a", "b", "a", "b"], [1, 0, 1, 0]
    weights = [float(total // 2), float(total // 2), 1.0, 3.0]
    every = range(1, 5)
    exact = [float(oracles.cons(answers, correct, k, ties, weights)) for k in every]
    assert_allclose(
        cons(answers, correct, k=every, ties=ties, weights=[weights]), exact, rtol=RTOL, atol=0
    )


@for_each("small, kind", [(40.3, np.int64), (40.4, object)])
def test_the_switch_from_64_bits_to_python_integers(small, kind):
    """In tenths, the sum of the decimals is 2⁶² − 1 or 2⁶²; twice the sum must stay below 2⁶³."""
    weights = consensus.scale_weights(np.array([461168601842738752.0, small]))
    assert str(461168601842738752.0) == "4.6116860184273875e+17"
    assert weights.dtype == kind
    assert weights.tolist() == [4611686018427387500, round(10 * small)]
    assert sum(weights.tolist()) == 2**62 - (kind is np.int64)


def test_weights_of_ragged_rows():
    value = cons_at_k(
        [["a", "b"], ["c", "d", "d"]], [[1, 0], [1, 0, 0]], k=2, weights=[[2, 1], [3, 1, 1]]
    )
    assert_allclose(value, [1, 2 / 3], rtol=RTOL)


VOTES, CORRECT = [["a", "b"], ["a", "b", "a"]], [[1, 0], [1, 0, 1]]


@for_each("change, says", [
    ({"votes": "ab"}, "TypeError: `votes` … 'ab'"),
    ({"votes": [], "correct": []}, "ValueError: `votes`"),
    ({"votes": [["a", "b"], ["a", 7, "a"]]}, "TypeError: `votes` … 7 … problem 1, sample 1"),
    ({"correct": [[1, 0]]}, "ValueError: `votes` … `correct` … 2 and 1"),
    ({"correct": [[1, 0], [1, 0]]}, "ValueError: `votes` … `correct` … 3 and 2 … problem 1"),
    ({"correct": [[1, 0], [1, 0.5, 1]]}, "ValueError: `correct` … 0.5 … problem 1, sample 1"),
    ({"correct": [[1, 0], [1, 1 + 1e-12, 1]]}, "ValueError: `correct` … problem 1, sample 1"),
    ({"correct": [[1, 0], [1, 0, 0]]}, "ValueError: `correct` … 'a' … sample 0 … problem 1, sample 2"),
    ({"weights": [[1, 1]]}, "ValueError: `weights` and `votes` … 1 and 2"),
    ({"weights": [[1, -2], [-1, 1, 1]]}, "ValueError: `weights` … -2 … problem 0, sample 1"),
    ({"k": 3}, "ValueError: `k` … k=3 … smallest n is 2 … problem 0"),
    ({"ties": "last"}, "ValueError: `ties` … 'random' … 'strict' … 'last'"),
    ({"on_conflict": "half"}, "ValueError: `on_conflict` … 'error', 'majority' … 'half'"),
])  # fmt: skip
def test_errors(change, says):
    given = {"votes": VOTES, "correct": CORRECT, "k": 2} | change
    refuses(says, cons_at_k, given.pop("votes"), given.pop("correct"), **given)


def test_draws_that_all_agree_are_not_called_exact():
    """C(48, 16) subsets, of which 3·10⁻⁵ elect the right answer: ten thousand draws may see none."""
    votes, weights = [["a"] * 8 + ["b"] * 40], [[1.01] * 8 + [1.0] * 40]
    simulated = [
        vote_with_error(votes, [[1] * 8 + [0] * 40], k=16, weights=weights, seed=seed)
        for seed in range(5)
    ]
    assert any(value[0] == 0 for value, _ in simulated)
    assert all(mcse[0] >= 1e-4 for _, mcse in simulated)


def test_a_vote_of_many_right_answers_stays_small():
    """All answers differ, and half of them are right: one race, whatever the number of answers."""
    assert cons_at_k([list(range(512))] * 50, [[0, 1] * 256] * 50, k=8) == pytest.approx(
        1 / 2, rel=1e-12
    )


@for_each("n", [1001, 1500])
def test_values_of_k_that_share_a_product(n):
    """Two answers, for more k than one p reaches: the hypergeometric distribution says who wins."""
    c, every = n // 2 + 3, [1, 2, 3, 10, 100, 400, n // 2, n - 100, n - 2, n - 1]
    exact = []
    for k in every:
        ways = oracles.hypergeometric(n, c, k)
        won = sum(way * (2 * (2 * j > k) + (2 * j == k)) for j, way in enumerate(ways))
        exact.append(won / (2 * comb(n, k)))
    votes = ["a"] * c + ["b"] * (n - c)
    assert_allclose(
        cons_at_k([votes], [[vote == "a" for vote in votes]], k=every)[0], exact, rtol=1e-12
    )


@pytest.mark.parametrize("largest", [2**55, 2**56 - 2, 2**56 - 1, 2**57 - 2, 2**57])
def test_sort_keys_at_the_end_of_64_bits(largest, monkeypatch):
    """One row of 64 samples: position and verdict take 7 bits, so that codes of 57 bits no longer fit beside them."""
    rng = np.random.default_rng(7)
    codes = Ragged.of_lengths(rng.integers(largest - 3, largest + 1, size=64), np.array([64]))
    codes.values[:2] = largest, -1
    flags = rng.random(64) < 0.5
    first, verdicts, start = consensus.sort_votes(codes, flags)
    order = sorted(range(64), key=lambda i: (codes.values[i], i))
    assert verdicts.tolist() == [flags[i] for i in order]
    assert start.tolist() == [
        i for i in range(64) if i == 0 or codes.values[order[i]] != codes.values[order[i - 1]]
    ]
    assert first.tolist() == [order[i] for i in start]

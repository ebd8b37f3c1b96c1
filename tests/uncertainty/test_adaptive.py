"""Adaptive sampling, against scorio, and against every order of a few samples."""

import re
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from scorio.aggregate.online import adaptive_consistency_dirichlet_stop, adaptive_consistency_stop

from at_k import cons_at_k
from at_k.uncertainty.adaptive import enough, find_settled_probability, trace_adaptive

THEIRS = {"beta": adaptive_consistency_stop, "dirichlet": adaptive_consistency_dirichlet_stop}


@for_each("rule", THEIRS)
@for_each("counts", [[1], [5], [3, 3], [8, 2], [5, 2, 1], [2, 2, 2], [1, 1, 1, 1, 1], [30, 25, 1, 1], [400, 380, 200]])
def test_it_is_that_of_scorio(rule, counts):
    votes = [str(answer) for answer, times in enumerate(counts) for _ in range(times)]
    stop, probability = THEIRS[rule](votes, threshold=0.9, return_prob=True)
    # Their quadrature is asked for 1e-10.
    assert find_settled_probability([counts], rule=rule)[0] == pytest.approx(probability, rel=1e-8)
    assert enough(votes, confidence=0.9, rule=rule) == stop


def test_probabilities_of_rows_with_different_answers():
    rows = [[5, 2, 1, 0], [0, 3, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1]]
    found = find_settled_probability(rows, rule="dirichlet")
    alone = [find_settled_probability([[each for each in row if each] or [0]], rule="dirichlet")[0] for row in rows]
    assert_allclose(found, alone, rtol=1e-12)
    assert found[2] == 0
    assert found[3] == pytest.approx(1 / 3, rel=1e-9)


def test_a_dirichlet_probability_is_a_share_of_draws():
    draws = np.random.default_rng(0).dirichlet([6, 3, 2], size=100_000)
    assert find_settled_probability([[5, 2, 1]], rule="dirichlet")[0] == pytest.approx(
        (draws.argmax(axis=1) == 0).mean(), abs=0.005
    )


def test_votes_that_settle_nothing():
    assert not enough([])
    assert not enough([None, None])
    assert not enough(["a"])
    assert enough(["a", None, "a", "a", "a"])
    assert enough(["a"] * 4 + [None] * 100)


@cache
def is_settled(counts, confidence, rule):
    votes = [str(answer) for answer, times in enumerate(counts) for _ in range(times)]
    return THEIRS[rule](votes, threshold=confidence)


def trace_all_orders(votes, correct, confidence, rule):
    """Samples and accuracy of the rule, averaged over all orders; a tie that is left goes to the first to lead."""
    taken, won = [], []
    for order in permutations(range(len(votes))):
        leader, counts = None, {}
        step = 0
        for i in order:
            step += 1
            if votes[i] is not None:
                counts[votes[i]] = counts.get(votes[i], 0) + 1
                if leader is None or counts[votes[i]] > counts[leader]:
                    leader = votes[i]
            if is_settled(tuple(sorted(counts.values())), confidence, rule):
                break
        taken.append(step)
        won.append(leader is not None and correct[votes.index(leader)])
    return np.mean(taken), np.mean(won)


@for_each("rule", THEIRS)
@for_each("votes", [["a", "a", "a", "b", "c", "b"], ["a", "b", None, "b", "b", None]])
def test_the_curve_is_the_mean_over_orders(votes, rule):
    correct = [int(vote == "a") for vote in votes]
    confidences = [0.6, 0.85, 0.99]
    curve = trace_adaptive([votes], [correct], confidences=confidences, rule=rule, n_orders=4000)
    for i, confidence in enumerate(confidences):
        samples, accuracy = trace_all_orders(votes, correct, confidence, rule)
        # Five standard errors: three curves are checked at three points each, for two rules.
        assert curve.samples[i] == pytest.approx(samples, abs=5 * curve.samples_mcse[i] + 1e-9)
        assert curve.accuracy[i] == pytest.approx(accuracy, abs=5 * curve.accuracy_mcse[i] + 1e-9)


def draw_problems(problems, samples):
    rng = np.random.default_rng(0)
    votes = [[str(each) for each in rng.choice(5, size=samples + i % 3, p=rng.dirichlet(np.ones(5)))]
             for i in range(problems)]  # fmt: skip
    return votes, [[int(vote == "0") for vote in row] for row in votes]


def test_fixed_k_is_cons_at_k_and_the_perfect_rule_agrees_with_it():
    votes, correct = draw_problems(60, 9)
    curve = trace_adaptive(votes, correct, n_orders=400)
    assert curve.k.tolist() == list(range(1, 10))
    assert_allclose(curve.fixed, cons_at_k(votes, correct, k=list(range(1, 10))).mean(axis=0), rtol=1e-12)
    assert_allclose(curve.perfect, curve.fixed, atol=0.02)  # 400 orders
    assert (curve.perfect_samples <= curve.k).all()
    assert curve.perfect_samples[0] == 1


def test_higher_confidence_takes_more_samples_and_never_more_than_there_are():
    votes, correct = draw_problems(60, 9)
    curve = trace_adaptive(votes, correct, confidences=[0.6, 0.8, 0.95, 0.9999])
    assert (np.diff(curve.samples) > 0).all()
    assert curve.samples[-1] <= 9
    assert curve.samples_mcse.max() < 0.2


def test_the_seed_decides():
    votes, correct = draw_problems(10, 6)
    first, same, other = (trace_adaptive(votes, correct, n_orders=5, seed=seed).samples for seed in (1, 1, 2))
    assert (first == same).all()
    assert (first != other).any()


@for_each(
    "call, error, said",
    [
        (lambda: enough(["a"], confidence=1), ValueError, "`confidence` must lie between 0 and 1"),
        (
            lambda: enough(["a"], rule="crp"),
            ValueError,
            "`rule` must be one of 'beta', 'dirichlet', 'sequence'; got 'crp'",
        ),
        (lambda: enough("aab"), TypeError, "`votes` must hold a list of samples"),
        (lambda: enough(["a", 1]), TypeError, "`votes` must not mix types"),
        (lambda: find_settled_probability([1, 2]), ValueError, "`counts` must have one row per problem; got shape"),
        (lambda: find_settled_probability([[-1, 2]]), ValueError, "`counts` must not be negative; got -1"),
        (lambda: trace_adaptive([["a"]], [[1]], confidences=[]), ValueError, "`confidences` must be a list of"),
        (lambda: trace_adaptive([["a"]], [[1]], confidences=[2]), ValueError, "`confidences` must lie between 0 and 1"),
        (lambda: trace_adaptive([["a"]], [[1]], n_orders=1), ValueError, "`n_orders` must be at least 2; got 1"),
        (lambda: trace_adaptive([["a", "a"]], [[1, 0]]), ValueError, "`correct` must agree on equal answers"),
        (lambda: trace_adaptive([], []), ValueError, "`votes` must hold at least one problem"),
    ],
)
def test_arguments_that_cannot_be_used(call, error, said):
    with pytest.raises(error, match=re.escape(said)):
        call()


class TestSequence:
    """The rule that is valid at every look."""

    @for_each("counts", [(9, 0), (8, 3), (20, 15), (1, 1), (3, 3)])
    def test_the_formula_by_a_sum_over_shares(self, counts):
        first, second = counts
        shares = np.linspace(0.5, 1, 200_001)
        evidence = np.trapezoid(2 * shares**first * (1 - shares) ** second, shares) * 2.0 ** (first + second)
        different = 1 + (second > 0)
        expected = max(0.0, 1 - 1.5 * different * (different + 1) / evidence)
        assert find_settled_probability([counts], rule="sequence")[0] == pytest.approx(expected, abs=1e-6)

    def test_no_vote_is_not_settled(self):
        assert find_settled_probability([[0, 0]], rule="sequence")[0] == 0
        assert not enough([], rule="sequence")
        assert enough(["7"] * 9, rule="sequence")
        assert not enough(["7"] * 8, rule="sequence")

    @for_each("shares", [(0.51, 0.49), (0.4, 0.35, 0.25)])
    def test_a_wrong_leader_stops_a_vote_rarely_however_often_one_looks(self, shares):
        votes = np.random.default_rng(0).choice(len(shares), p=shares, size=(400, 300))
        counts = (votes[:, :, None] == np.arange(len(shares))).cumsum(axis=1)
        wrong = {}
        for rule in ("beta", "sequence"):
            settled = find_settled_probability(counts.reshape(-1, len(shares)), rule=rule).reshape(400, 300) >= 0.95
            stop = settled.argmax(axis=1)
            leader = counts[np.arange(400), stop].argmax(axis=1)
            wrong[rule] = float(((leader > 0) & settled.any(axis=1)).mean())
        assert wrong["sequence"] <= 0.05
        assert wrong["beta"] > 0.08  # at every look, its confidence does not hold

    def test_of_nearly_equal_answers_the_default_stops_at_the_wrong_one_in_43_percent(self):
        """Exactly, by the chance of each pair of counts: of the votes at .51 to .49 that 64 samples settle."""
        counts = [(first, second) for first in range(65) for second in range(65)]
        settled = dict(zip(counts, find_settled_probability(counts) >= 0.95, strict=True))
        chances, stopped = {(0, 0): 1.0}, {True: 0.0, False: 0.0}
        for _ in range(64):
            later = {}
            for (first, second), chance in chances.items():
                if settled[first, second]:
                    stopped[first > second] += chance
                    continue
                for place, share in (((first + 1, second), 0.51), ((first, second + 1), 0.49)):
                    later[place] = later.get(place, 0.0) + share * chance
            chances = later
        assert stopped[False] / sum(stopped.values()) == pytest.approx(0.43, abs=0.005)

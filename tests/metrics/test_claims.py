"""The statements of the cards in words, counted: by enumerating draws, in exact fractions."""

import re
from fractions import Fraction
from itertools import combinations, product
from math import comb
from pkgutil import resolve_name

import evaluate
import pytest
from cases import for_each
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, PASS_AT_K, every_module

import at_k


def draw(samples, k):
    """List all draws of k samples."""
    return list(combinations(samples, k))


def share(flags):
    flags = list(flags)
    return Fraction(sum(flags), len(flags))


def read_card(name):
    return (at_k.module_path(name) / "README.md").read_text(encoding="utf-8")


@for_each("k", range(1, 7))
def test_mg_pass_is_the_mean_above_one_half_for_even_k_and_is_bounded_for_odd_k(k):
    n = 6
    for c in range(n + 1):
        grades = [1] * c + [0] * (n - c)
        found = GPASSK.load("graded").compute(predictions=[grades], k=k)[f"mG-Pass@{k}"]
        # One threshold for each step of ⌈τk⌉ above k/2, by enumeration.
        above = [
            share(sum(each) >= m for each in draw(grades, k)) for m in range(k // 2 + 1, k + 1)
        ]
        if k % 2 == 0:
            assert found == pytest.approx(float(Fraction(sum(above), len(above))), abs=1e-15)
        else:
            assert found <= (k - 1) / k + 1e-15
    if k % 2:
        assert found == pytest.approx((k - 1) / k, abs=1e-15)  # all are correct


def test_a_checker_that_rejects_one_correct_sample_in_twenty():
    n, k = 20, 16
    # Each of 16 samples is accepted with a chance of 19/20.
    assert round(float(Fraction(19, 20) ** k), 2) == 0.44
    # The same from the estimator: the mean of G-Pass@16 over the binomial number of accepted samples.
    chances = [comb(n, c) * 0.95**c * 0.05 ** (n - c) for c in range(n + 1)]
    values = at_k.g_pass_at_k([n] * (n + 1), list(range(n + 1)), k=k, thresholds=1.0)
    assert sum(p * v for p, v in zip(chances, values, strict=True)) == pytest.approx(
        0.95**k, rel=1e-12
    )
    assert "gets 0.44 at k = 16, τ = 1" in read_card("gpassk")


def test_thresholds_of_one_step_ask_the_same():
    found = GPASSK.load("graded").compute(
        predictions=[[1, 1, 0, 0, 0, 1]], k=4, thresholds=[0.3, 0.5]
    )
    assert found["G-Pass@4_0.3"] == found["G-Pass@4_0.5"]


@for_each("module", [GPASSK, PASS_AT_K])
def test_a_problem_counts_0_or_1_where_k_is_n(module):
    for grades in product((0, 1), repeat=4):
        found = module.call("graded", predictions=[grades], k=4, thresholds=[0.5, 1.0])
        assert {value for key, value in found.items() if "mG" not in key} <= {0, 1}


def test_blind_guesses_among_four_choices():
    assert round(float(1 - Fraction(3, 4) ** 8), 2) == 0.90
    assert "a pass@8 of 0.90" in read_card("pass_at_k")


def test_draws_with_replacement_give_too_little():
    n = 6
    for c, k in product(range(n + 1), range(1, n + 1)):
        grades = [1] * c + [0] * (n - c)
        exact = share(any(each) for each in draw(grades, k))
        replaced = 1 - (1 - Fraction(c, n)) ** k
        if 0 < c < n and k > 1:
            assert replaced < exact
        else:
            assert replaced == exact


def test_more_samples_narrow_an_interval_down_to_the_spread_between_problems():
    """Chances of .2 and .8, equally many: the variance of c/n is that of the chances and p(1 − p)/n."""
    chances = [Fraction(1, 5), Fraction(4, 5)]
    between = Fraction(3, 10) ** 2

    def vary(n):
        moments = [Fraction(0), Fraction(0)]
        for p in chances:
            for c in range(n + 1):
                weight = comb(n, c) * p**c * (1 - p) ** (n - c) / 2
                moments[0] += weight * Fraction(c, n)
                moments[1] += weight * Fraction(c, n) ** 2
        return moments[1] - moments[0] ** 2

    assert vary(1) > vary(4) > vary(64) > between
    assert vary(64) - between == Fraction(4, 25) / 64
    for name in ("pass_at_k", "avg_at_n"):
        assert "not below the spread between problems" in read_card(name)


def elect(answers, right):
    """Return the chance that the winner of a vote is right, ties being shared."""
    votes = {answer: answers.count(answer) for answer in set(answers)}
    winners = [answer for answer, count in votes.items() if count == max(votes.values())]
    return Fraction(right in winners, len(winners))


@for_each("answers", ["rrrxxxxyz", "rxx", "rryyyz"])
def test_a_wrong_plurality_gives_0_at_n_and_may_exceed_the_average_before(answers):
    n = len(answers)
    exact = [
        sum(elect(each, "r") for each in draw(answers, k)) / comb(n, k) for k in range(1, n + 1)
    ]
    found = CONS_AT_K.load().compute(
        predictions=[list(answers)], references=["r"], k=list(range(1, n + 1))
    )
    assert list(found.values()) == pytest.approx(list(map(float, exact)), abs=1e-12)
    assert exact[-1] == 0
    if answers == "rrrxxxxyz":
        average = Fraction(3, 9)
        assert max(exact) > average
        assert float(max(exact)) == pytest.approx(0.357, abs=5e-4)


def test_two_answers_tie_for_even_k_alone():
    answers = "aaabbb"
    for k in range(1, 7):
        ties = [each.count("a") == each.count("b") for each in draw(answers, k)]
        assert any(ties) is (k % 2 == 0)


def test_a_constant_score_gives_the_average_and_a_perfect_one_pass_at_k():
    graded, grades = BEST_AT_K.load("graded"), [[1, 0, 1, 0, 0]]
    k = [1, 2, 3, 4, 5]
    average = AVG_AT_N.load("graded").compute(predictions=grades)["avg@5"]
    constant = graded.compute(predictions=grades, scores=[[7] * 5], k=k)
    assert [constant[f"best@{each}"] for each in k] == pytest.approx([average] * 5, abs=1e-15)
    perfect = graded.compute(predictions=grades, scores=grades, k=k)
    passed = PASS_AT_K.load("graded").compute(predictions=grades, k=k)
    assert [perfect[f"best@{each}"] for each in k] == pytest.approx(
        list(passed.values()), abs=1e-15
    )


def test_more_samples_can_lower_best_while_max_rises():
    found = BEST_AT_K.load("graded").compute(
        predictions=[[0, 1, 1, 0]], scores=[[4, 3, 2, 1]], k=[2, 3, 4]
    )
    assert found["best@2"] > found["best@3"] > found["best@4"]
    assert found["max@2"] < found["max@3"] < found["max@4"]


@for_each("problems", [6, 20, 100])
@for_each("n", [1, 4])
def test_a_comparison_needs_five_problems_that_differ(problems, n):
    module = evaluate.load(str(at_k.module_path("at_k_difference")), "graded")
    for differing in range(1, 6):
        right = [[1] * n] * problems
        wrong = [[0] * n] * differing + [[1] * n] * (problems - differing)
        p = module.compute(predictions1=right, predictions2=wrong, k=1)["pass@1_p_value"]
        assert (p < 0.05) is (differing == 5)
    assert "With four differing problems or fewer" in (
        at_k.module_path("at_k_difference") / "README.md"
    ).read_text(encoding="utf-8")


@every_module
def test_a_module_names_the_functions_with_its_formulas(module):
    source = (at_k.module_path(module.name) / f"{module.name}.py").read_text(encoding="utf-8")
    formulas = source.split('"""')[1]
    named = re.findall(r"`(at_k\.[\w.]+)`", formulas)
    assert named
    assert [name for name in named if not callable(resolve_name(name))] == []
    for output in module.metric.outputs:
        if output.of_module:
            assert f"{re.sub('[{}]|_{τ}', '', output.key)}" in formulas.replace(
                "G-Pass@k_τ", "G-Pass@k"
            )

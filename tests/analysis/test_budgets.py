"""Budgets: the share of problems that they solve, and which of two models needs less."""

from fractions import Fraction
from functools import cache
from itertools import permutations
from math import comb, factorial

import numpy as np
import pytest
from cases import refuses
from scipy.stats import beta

from at_k.analysis.budgets import (
    Budgets,
    compare_budgets,
    find_solved_within,
    list_units,
    solve_by_budget,
)
from at_k.analysis.diagnosis import diagnose
from at_k.report import Report, score


def enumerate_orders(costs, correct, budget):
    """Share of all orders in which a correct sample is paid for before the first that cannot be."""
    solved = 0
    for order in permutations(range(len(costs))):
        left = Fraction(budget)
        for place in order:
            left -= Fraction(costs[place])
            if left < 0:
                break
            if correct[place]:
                solved += 1
                break
    return solved / factorial(len(costs))


@pytest.mark.parametrize(("costs", "correct"), [
    ([2, 2, 2, 2, 2], [0, 1, 0, 1, 0]), ([1, 1, 1], [0, 0, 0]), ([0, 0], [1, 0]),
    ([3, 1, 4, 1, 5], [1, 0, 0, 1, 0]), ([9, 1, 1, 1], [1, 0, 0, 0]), ([0, 2, 7, 2], [0, 1, 1, 0]),
])  # fmt: skip
def test_budgets_are_those_of_all_orders(costs, correct):
    budgets = np.arange(sum(costs) + 1.0)
    rng = np.random.default_rng(1)
    solved, variances = find_solved_within(
        np.array(costs, float), np.array(correct, bool), budgets, rng, orders=20_000
    )
    expected = np.array([enumerate_orders(costs, correct, int(budget)) for budget in budgets])
    if len(set(costs)) == 1 or not any(correct):
        assert solved == pytest.approx(expected, abs=1e-12)
        assert not variances.any()
    else:
        assert (
            abs(solved - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-12
        ).all()


def test_costs_stay_with_their_samples_and_three_of_a_dime_cost_thirty_cents():
    solved, _ = find_solved_within(
        np.full(4, 0.1), np.array([1, 0, 0, 0], bool), np.array([0.1, 0.3]), None
    )
    assert solved == pytest.approx([0.25, 0.75])
    cells = [(2, 1, 8), (1, 0, 1), (0, None, 50)]
    rows = [
        {"problem": "x", "sample": place, "correct": right, "cost": cost}
        for place, right, cost in cells
    ]
    report = score(rows, missing="drop", columns={"cost": "cost"}, confidence_level=None)
    assert list_units(report) == ["cost", "samples"]
    found = solve_by_budget(report, "cost")
    at = dict(zip(found.budgets.round(2).tolist(), found.solved, strict=True))
    assert (at[7.92], at[9.0]) == (0, 1)
    assert at[8.01] == pytest.approx(0.5, abs=0.07)
    assert 0 < found.simulated < 0.017
    assert solve_by_budget(report, "samples").solved.tolist() == [0, 0.5, 1]


def test_budgets_and_figures_need_costs_and_samples(tmp_path):
    free = score({"problem": ["x", "y"], "grades": [[1, 0], [1, 1]], "cost": [[1, 2], [0, 0]]})
    refuses('InputError: “y” are all 0 … `columns={"cost": None}`', solve_by_budget, free, "cost")
    free.save(tmp_path / "r.json")
    saved = Report.load(tmp_path / "r.json")
    refuses("report.no_samples: Score the results", list_units, saved)
    figures = diagnose(saved).figures
    assert (figures["flaky"], figures["costs"]) == (None, None)


@cache
def tabulate(n):
    """The chance of c correct samples of n to solve a problem by k of them, for all c and k."""
    return np.array(
        [[1 - Fraction(comb(n - c, k), comb(n, k)) for k in range(n + 1)] for c in range(n + 1)],
        np.float64,
    )


def make_budgets(n, c, price):
    """The curve of samples that cost the same."""
    shares, empty = tabulate(n)[c], np.zeros(n + 1)
    names = [str(place) for place in range(len(c))]
    return Budgets(
        "cost", price * np.arange(n + 1.0), shares.mean(axis=0), empty, empty, 0.0, shares, names
    )


def test_the_cheaper_model_is_named_with_an_interval_that_covers():
    """Two models whose chances go together; 100 problems, 64 samples, 100 data sets. The truth is a ratio of prices."""
    random, held, n = np.random.default_rng(36), 0, 64
    rates = beta(1, 2).ppf((np.arange(20_000) + 0.5) / 20_000)
    solved = [
        np.mean(1 - (1 - rates[:, None] ** power) ** np.arange(n + 1), axis=0) for power in (1, 1.2)
    ]
    truth = float(np.argmax(solved[0] >= 0.8) / (1.5 * np.argmax(solved[1] >= 0.8)))
    for _ in range(100):
        drawn = random.beta(1, 2, 100)
        a, b = (
            make_budgets(n, random.binomial(n, drawn**power), price)
            for power, price in ((1, 1), (1.2, 1.5))
        )
        said = compare_budgets(a, b, ["a", "b"]).values["interval"].split(", ")
        low, high = (float(end.replace("no end", "inf")) for end in said)
        held += low <= truth * 1.001 and truth * 0.999 <= high
    assert held / 100 >= 0.93


def test_a_share_that_is_not_reached_has_no_budget_and_counts_beyond_both_ends():
    a, b = make_budgets(4, np.array([4, 0, 0]), 1), make_budgets(4, np.array([4, 4, 4]), 2)
    assert compare_budgets(a, b, ["a", "b"]).code == "budget.unreached"
    assert compare_budgets(b, b, ["b", "c"], share=1.0).values["ratio"] == "1"
    random = np.random.default_rng(
        0
    )  # of 20 problems, three in a thousand resampled sets of 15 solved reach .8
    counts = [4] * 16 + [0] * 4
    a, b = make_budgets(4, np.array(counts), 1), make_budgets(4, random.permutation(counts), 2)
    ends = [compare_budgets(*pair, ["x", "y"]).values["interval"] for pair in ((a, b), (b, a))]
    assert ends == ["0, no end"] * 2

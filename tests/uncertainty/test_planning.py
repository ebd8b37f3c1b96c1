"""Plans, against simulated measurements, identities, and integrals over the difficulties."""

import re

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from pairs import draw
from scipy import stats

from at_k import pass_at_k
from at_k.errors import InputError
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.planning import plan_counts
from at_k.uncertainty.variance import Variance, predict_stderr


def test_tables_of_a_plan():
    n, c = draw(0, 40, 8)
    plan = plan_counts(n, c, problems=[40, 160], samples=[4, 8], correlation=0.5, power=0.9, confidence_level=0.9)
    assert_allclose(plan.stderr, predict_stderr(n, c, problems=[40, 160], samples=[4, 8]))
    low, high = interval(plan.value, plan.stderr, [[40], [160]], confidence_level=0.9)
    assert_allclose(plan.half_width, (high - low) / 2)
    assert plan.between == Variance(n, c, 1, pass_at_k).at(np.inf)
    assert plan.between + plan.within == pytest.approx(Variance(n, c, 1, pass_at_k).at(8))
    assert plan.can_tell
    spread = np.sqrt(2 * (plan.stderr[1, 0] ** 2 * 160 - 0.5 * plan.between) / 160)
    assert plan.detectable[1, 0] == pytest.approx((stats.t.ppf(0.95, 159) + stats.t.ppf(0.9, 159)) * spread)


def test_default_tables():
    plan = plan_counts(*draw(0, 40, 6), k=3)
    assert plan.problems == (10, 20, 40, 80, 160)
    assert plan.samples == (3, 4, 6, 8, 16)


@for_each("k", [1, 2, 6])
def test_needed_numbers_are_the_least(k):
    n, c = draw(0, 40, 8)
    plan = plan_counts(n, c, k=k, half_width=0.05)
    pilot = Variance(n, c, k, pass_at_k)

    def half(problems, samples):
        low, high = interval(plan.value, np.sqrt(pilot.at(samples) / problems), problems)
        return (high - low) / 2

    assert half(plan.needed_problems, 8) <= 0.05 < half(plan.needed_problems - 1, 8)
    assert plan.needed_samples is None  # 40 problems vary too much among themselves
    assert half(40, np.inf) > 0.05
    wide = float(half(40, 3 + k))
    found = plan_counts(n, c, k=k, half_width=wide).needed_samples
    assert half(40, found) <= wide < half(40, found - 1)


def test_a_half_width_that_no_plan_reaches():
    assert plan_counts(*draw(0, 40, 8), half_width=1e-7).needed_problems is None


def test_a_detectable_difference_is_found_with_the_power():
    """Two models whose difficulties agree fully (correlation 1) differ by the noise of their samples alone."""
    rng = np.random.default_rng(0)
    plan = plan_counts(*draw(0, 400, 8), problems=[60], samples=[8], correlation=1)
    shift = plan.detectable[0, 0]
    p = rng.beta(0.6, 0.4, size=(1000, 60))
    difference = (rng.binomial(8, p) - rng.binomial(8, p)) / 8 + shift
    found = stats.ttest_1samp(difference, 0, axis=1).pvalue <= 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.05)


@for_each("common", [0, 8])
@for_each("other", [0, 1, 4])
def test_a_pilot_of_nearly_equal_problems_cannot_tell(common, other):
    """Once: "To find a difference of 0.05 takes 2 problems", from a pilot in which everything was right."""
    plan = plan_counts([8] * 30, [4] * other + [common] * (30 - other), half_width=0.01, detect=0.05)
    assert not plan.can_tell
    assert (plan.needed_problems, plan.needed_samples, plan.needed_to_detect) == (None, None, None)
    assert np.isnan([plan.stderr, plan.half_width, plan.detectable]).all()
    assert (plan.list_needs(), plan.describe_variance()) == ([], [])
    assert str(plan) == (
        f"- The value of the pilot is {plan.value:.3f}.\n- This pilot cannot tell how much problems vary. Problems "
        f"with another value than {common // 8}: {other} of 30. Take more problems, or harder or easier ones."
    )


@for_each("other, rough", [(5, True), (9, True), (10, False)])
def test_a_pilot_of_few_unlike_problems_is_rough(other, rough):
    plan = plan_counts([8] * 30, [4] * other + [8] * (30 - other), detect=0.05)
    assert plan.can_tell
    assert plan.needed_to_detect is not None
    assert [note.code for note in plan.notes] == ["plan.rough"] * rough


@for_each(
    "call, error, said",
    [
        (lambda: plan_counts([4], [2]), InputError, "A plan needs a pilot of at least two problems."),
        (lambda: plan_counts([1, 1], [0, 1]), InputError, "One sample of each problem does not show how much samples"),
        (lambda: predict_stderr([1, 1], [0, 1], problems=5, samples=2), InputError, "One sample of each problem"),
        (lambda: plan_counts([4, 4], [2, 1], k=5), ValueError, "`k` must be at most n"),
        (lambda: plan_counts([4, 4], [2, 1], k=[1, 2]), TypeError, "`k` must be one number of draws; got [1, 2]"),
        (lambda: plan_counts([4, 4], [2, 1], k=2, samples=[1]), ValueError, "`samples` must be at least 2; got 1"),
        (lambda: plan_counts([4, 4], [2, 1], problems=[1]), ValueError, "`problems` must be at least 2; got 1"),
        (lambda: plan_counts([4, 4], [2, 1], half_width=1.0), ValueError, "`half_width` must lie between 0 and 1"),
        (lambda: plan_counts([4, 4], [2, 1], power=1), ValueError, "`power` must lie between 0 and 1"),
        (lambda: plan_counts([4, 4], [2, 1], correlation=2), ValueError, "`correlation` must be a number in [0, 1]"),
    ],
)
def test_arguments_that_cannot_be_used(call, error, said):
    with pytest.raises(error, match=re.escape(said)):
        call()


def test_one_sample_can_be_planned_with_one_sample():
    assert predict_stderr([1] * 4, [0, 1, 1, 1], problems=8, samples=1) == pytest.approx(np.sqrt(0.25 / 8))


def test_what_no_number_reaches():
    assert plan_counts([4] * 8, [0, 0, 1, 1, 3, 3, 4, 4], half_width=1e-6, detect=1e-7).list_needs() == [
        "No ten million problems with as many samples reach an interval of ± 1e-06.",
        "With these problems, no number of samples reaches it.",
        "No ten million problems find a difference of 1e-07.",
    ]
    assert plan_counts([4] * 8, [0, 0, 1, 1, 3, 3, 4, 4]).list_needs() == []


def test_a_plan_is_printed_as_a_table_and_sentences():
    n, c = [4] * 24, [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4] * 2
    plan = plan_counts(n, c, problems=[12, 4800], samples=[4, 1024], detect=0.1, power=0.9)
    header, rule, first, second, empty, *sentences = str(plan).splitlines()
    assert header == "| problems | n = 4 | n = 1,024 |"
    assert rule == "|--:|--:|--:|"
    assert first.startswith(
        f"| 12 | ± {plan.half_width[0, 0]:.3f} ({plan.detectable[0, 0]:.3f}, {plan.cautious_detectable[0, 0]:.3f}) | "
    )
    assert second.endswith(
        f"| ± {plan.half_width[1, 1]:.3f} ({plan.detectable[1, 1]:.3f}, {plan.cautious_detectable[1, 1]:.3f}) |"
    )
    assert empty == ""
    assert sentences[0] == "- The value of the pilot is 0.521."  # 50 of 96 samples
    assert (
        "finds with a chance of 90 %, if the difficulties of problems for the two correlate by 0.8, and if by 0.5."
        in sentences[1]
    )
    assert f"takes {plan.needed_to_detect:,} problems" in sentences[-1]


def test_one_that_differs_from_the_rest_is_counted():
    assert "Problems with another value than 1: 1 of 20." in str(plan_counts([2] * 20, [1] + [2] * 19))

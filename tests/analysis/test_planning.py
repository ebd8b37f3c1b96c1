"""Plans from reports, files and counts."""

import numpy as np
import pytest
from cases import for_each, refuses
from numpy.testing import assert_allclose
from pairs import count, draw
from scipy import stats
from scipy.optimize import brentq

import at_k
from at_k import pass_at_k
from at_k.analysis.planning import plan
from at_k.estimators.counts import tabulate_pass
from at_k.uncertainty.decisions import is_decided
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.questions import Questions
from at_k.uncertainty.variance import Variance, read_pilot

N = [4] * 12
C = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
DATA = count(*C)


def test_every_kind_of_pilot_gives_the_same(tmp_path):
    import pandas as pd

    path = tmp_path / "pilot.jsonl"
    pd.DataFrame(DATA).to_json(path, orient="records", lines=True)
    expected = plan((N, C), k=2, half_width=0.1, detect=0.2).to_json()
    saved = tmp_path / "saved.json"
    at_k.score(DATA).save(saved)
    for pilot in (at_k.score(DATA), saved, str(saved), DATA, pd.DataFrame(DATA), path, str(path)):
        assert plan(pilot, k=2, half_width=0.1, detect=0.2).to_json() == expected


def test_a_plan_has_the_clusters_of_its_pilot(tmp_path):
    """At the pilot's own size it gives the pilot's interval; four times the clusters halve the standard error."""
    labels = [f"text {i % 6}" for i in range(90)]
    grades = [
        [1, 1, 1, i // 6 % 5 > 0] if i % 6 < 3 else [0, 0, 0, i // 6 % 5 < 1] for i in range(90)
    ]
    report = at_k.score({"grades": grades}, clusters=labels, k=1)
    bar = report.intervals["pass@1"]
    report.save(tmp_path / "pilot.json")
    for pilot in (
        report,
        tmp_path / "pilot.json",
        at_k.score({"grades": grades}, groups=labels, clusters=True),
    ):
        found = plan(pilot, problems=[15, 90, 360], samples=[4], half_width=0.1, detect=0.3)
        assert found.stderr[1:, 0] == pytest.approx([bar.stderr, bar.stderr / 2])
        assert found.half_width[1, 0] == pytest.approx((bar.high - bar.low) / 2)
        assert found.half_width[0, 0] > found.half_width[1, 0] > found.half_width[2, 0]
        # A paired comparison of clusters of 15 problems has one degree of freedom per cluster, less one.
        spread = 2 * (found.within + 0.5 * found.between) / 360
        assert found.detectable[0.5][2, 0] == pytest.approx(
            (stats.t(23).ppf(0.975) + stats.t(23).ppf(0.8)) * spread**0.5
        )
        assert found.detectable[0.5][0, 0] == 1
        (note,) = found.notes
        assert str(note).startswith(
            "The problems of the pilot come in clusters: 6. Other numbers of problems are"
        )
        assert found.needed_problems > 5 * plan({"grades": grades}, half_width=0.1).needed_problems


def test_more_samples_do_not_help_against_clusters():
    """Simulated: the standard error of 200 × 1 samples from a pilot with 16, both of clusters of ten problems."""
    rng = np.random.default_rng(0)

    def draw(n):
        chances = np.clip(
            rng.uniform(0.2, 0.8, (20, 1)) + rng.uniform(-0.2, 0.2, (20, 10)), 0, 1
        ).ravel()
        return rng.binomial(n, chances)

    labels = np.repeat(np.arange(20), 10)
    true = np.std([draw(1).mean() for _ in range(4000)])  # itself off by 1 %
    planned = [
        read_pilot([16] * 200, draw(16), 1, tabulate_pass, labels).at(1) / 200 for _ in range(400)
    ]
    # 400 variances of 20 clusters each: their mean has a relative standard error of 2 %.
    assert np.mean(planned) ** 0.5 == pytest.approx(true, rel=0.05)
    one_each = read_pilot([1] * 4, [0, 1, 1, 1], 1, tabulate_pass)
    assert one_each.at(1) == pytest.approx(0.25)  # one sample, planned with one


def test_options_reach_the_scoring():
    data = {"grades": [[1.0, 0.4, None, 0.0], [0.4, 1.0, 0.0, 0.0], [0.0, 0.0, 0.4, 0.0]] * 5}
    found = plan(data, correct_above=0.3, missing="incorrect")
    assert found.to_json() == plan(([4] * 15, [2, 2, 1] * 5)).to_json()
    refuses("ValueError: missing", plan, data)


@for_each("pilot", [DATA, (N, C)])
@for_each("name", ["metric", "metrics", "key_style", "level", "target", "foo"])
def test_unknown_options_are_refused(pilot, name):
    refuses(
        f"TypeError: Unknown option `{name}` of `plan`; got 'x'. The options are k, check_correct_fn, ",
        plan,
        pilot,
        **{name: "x"},
    )


class TestTwoPilots:
    """A second pilot tells how much difficulties correlate."""

    RNG = np.random.default_rng(3)
    FIRST = RNG.integers(0, 9, 60)
    SECOND = np.clip(FIRST + RNG.integers(-3, 4, 60), 0, 8)

    def test_problems_are_matched_by_name(self):
        a, b = (
            count(*self.FIRST, n=8),
            {name: own[::-1] for name, own in count(*self.SECOND, n=8).items()},
        )
        found = plan(a, b, detect=0.05)
        assert found.estimated == plan(([8] * 60, self.FIRST), ([8] * 60, self.SECOND)).estimated
        ((correlation, _),) = found.detectable.items()
        assert 0.8 < correlation == found.estimated.value
        assert found.estimated.low <= correlation <= found.estimated.high
        assert f"correlate by {correlation:.2f} [" in found.to_markdown()
        given = plan(a, correlation=correlation, detect=0.05)
        assert given.needed_to_detect == found.needed_to_detect
        says = "InputError: Two pilots need the same problems; q59 is in one of them alone"
        refuses(says, plan, a, count(*self.SECOND[:59], n=8))

    def test_a_second_pilot_that_does_not_tell_it(self):
        found = plan(([8] * 60, self.FIRST), ([8] * 60, [4] * 60))
        assert ([*found.detectable], found.estimated) == ([0.5, 0.8], None)
        assert "Assumes a correlation of 0.5 between the models" in found.to_markdown()

    def test_pilots_of_two_checkpoints_are_used(self):
        """Once none was estimated in half of such data sets, and .5 was assumed."""
        rng = np.random.default_rng(5)
        for _ in range(8):
            skill = rng.beta(1, 1, 60)
            first, second = rng.binomial(8, skill), rng.binomial(8, skill)
            found = plan(
                ([8] * 60, first), ([8] * 60, second), problems=[60], samples=[8], detect=0.05
            )
            assert found.estimated.value <= 0.99
            assert [*found.detectable] == [found.estimated.value]

    def test_one_pilot_has_a_cautious_assumption_and_an_optimistic_one(self):
        pilot = ([8] * 60, self.FIRST)
        found, higher = plan(pilot, detect=0.05), plan(pilot, detect=0.05, correlation=0.8)
        assert (
            found.needed_to_detect[0.8]
            == higher.needed_to_detect[0.8]
            < found.needed_to_detect[0.5]
        )
        assert (found.detectable[0.8] == higher.detectable[0.8]).all()
        assert [*found.detectable, *higher.detectable] == [0.5, 0.8, 0.8]
        assert "a correlation of 0.5: " in found.to_markdown()


def test_tables_of_a_plan():
    n, c = draw(0, 40, 8)
    found = plan(
        (n, c), problems=[40, 160], samples=[4, 8], correlation=0.5, power=0.9, confidence_level=0.9
    )
    pilot = Variance(n, c, 1, tabulate_pass)
    assert_allclose(
        found.stderr, [[np.sqrt(pilot.at(size) / m) for size in (4, 8)] for m in (40, 160)]
    )
    low, high = interval(found.value, found.stderr, [[40], [160]], confidence_level=0.9)
    assert_allclose(found.half_width, (high - low) / 2)
    assert found.between == Variance(n, c, 1, tabulate_pass).at(np.inf)
    assert found.between + found.within == pytest.approx(Variance(n, c, 1, tabulate_pass).at(8))
    assert found.can_tell
    spread = np.sqrt(2 * (found.stderr[1, 0] ** 2 * 160 - 0.5 * found.between) / 160)
    assert found.detectable[0.5][1, 0] == pytest.approx(
        (stats.t.ppf(0.95, 159) + stats.t.ppf(0.9, 159)) * spread
    )


def test_default_tables_and_targets_that_no_plan_reaches():
    found = plan(([4] * 8, [0, 0, 1, 1, 3, 3, 4, 4]), half_width=1e-6, detect=1e-7)
    assert list(map(str, found.list_needs())) == [
        "Problems for an interval of ± 1e-06, with n = 4: more than 10,000,000.",
        "Samples of each for it, with 8 problems: no number is enough.",
        *(
            f"Problems to find a difference of 1e-07, with n = 4 and a correlation of {r}: more than 10,000,000."
            for r in (0.5, 0.8)
        ),
    ]
    assert list(plan(([4] * 8, [0, 0, 1, 1, 3, 3, 4, 4])).list_needs()) == []
    found = plan(draw(0, 40, 6), k=3)
    assert found.problems == (10, 20, 40, 80, 160)
    assert found.samples == (3, 4, 6, 8, 16)
    assert plan(draw(0, 40, 8), half_width=1e-7).needed_problems is None


@for_each("k", [1, 2, 6])
def test_needed_numbers_are_the_least(k):
    n, c = draw(0, 40, 8)
    found = plan((n, c), k=k, half_width=0.05)
    pilot = Variance(n, c, k, tabulate_pass)

    def half(problems, samples):
        low, high = interval(found.value, np.sqrt(pilot.at(samples) / problems), problems)
        return (high - low) / 2

    assert half(found.needed_problems, 8) <= 0.05 < half(found.needed_problems - 1, 8)
    assert found.needed_samples is None  # 40 problems vary too much among themselves
    assert half(40, np.inf) > 0.05
    wide = float(half(40, 3 + k))
    needed = plan((n, c), k=k, half_width=wide).needed_samples
    assert half(40, needed) <= wide < half(40, needed - 1)


@for_each("common", [0, 8])
@for_each("other", [0, 1, 4])
def test_a_pilot_of_nearly_equal_problems_cannot_tell(common, other):
    """Once: "To find a difference of 0.05 takes 2 problems", from a pilot in which everything was right."""
    found = plan(([8] * 30, [4] * other + [common] * (30 - other)), half_width=0.01, detect=0.05)
    assert not found.can_tell
    assert (found.needed_problems, found.needed_samples, found.needed_to_detect) == (None, None, {})
    assert np.isnan([found.stderr, found.half_width, *found.detectable.values()]).all()
    assert list(found.list_needs()) == []
    assert found.to_markdown() == (
        f"**pass@1 = {found.value:.3f} on the pilot**\n\n- This pilot cannot tell how much problems vary. Problems "
        f"with another value than {common // 8}: {other} of 30. Take more problems, or harder or easier ones."
    )


@for_each("other, rough", [(5, True), (9, True), (10, False)])
def test_a_pilot_of_few_unlike_problems_is_rough(other, rough):
    found = plan(([8] * 30, [4] * other + [8] * (30 - other)), detect=0.05)
    assert found.can_tell
    assert found.needed_to_detect[0.5] is not None
    assert [note.code for note in found.notes] == ["plan.rough"] * rough
    few = plan(
        ([2] * 20, [1] + [2] * 19)
    ).to_markdown()  # one that differs from the rest is counted
    assert "Problems with another value than 1: 1 of 20." in few


TWO = ([4, 4], [2, 1])
ONE_SAMPLE = "InputError: One sample of each problem does not show how much samples"


@for_each("pilots, options, says", [
    *[((pilot,), {}, "InputError: A plan needs a pilot of at least two problems.")
      for pilot in (([4], [2]), {"grades": [[1, 0, 1]]})],
    *[((pilot,), options, ONE_SAMPLE) for pilot, options in
      ((([1, 1], [0, 1]), {}), (([1, 1], [0, 1]), {"samples": [2]}), ({"grades": [[1], [0], [1]]}, {"samples": [4]}))],
    ((at_k.score(DATA, clusters=["a"] * 12),), {}, "InputError: A plan for problems in clusters needs a pilot of at"),
    ((TWO,), {"k": 5}, "ValueError: `k` must be at most n"),
    ((DATA,), {"k": 5}, "ValueError: k"),
    ((TWO,), {"k": [1, 2]}, "TypeError: `k` must be one number of draws; got [1, 2]"),
    ((TWO,), {"k": 2, "samples": [1]}, "ValueError: `samples` must be at least 2; got 1"),
    ((TWO,), {"problems": [1]}, "ValueError: `problems` must be at least 2; got 1"),
    ((TWO,), {"half_width": 1.0}, "ValueError: `half_width` must lie between 0 and 1"),
    ((TWO,), {"detect": 0}, "ValueError: `detect`"),
    ((TWO,), {"thresholds": 2}, "ValueError: `thresholds`"),
    ((TWO,), {"power": 1}, "ValueError: `power` must lie between 0 and 1"),
    ((TWO,), {"correlation": 2}, "ValueError: `correlation` must be a number in [0, 1]"),
    ((), {"expect": 1.5}, "ValueError: `expect` must lie between 0 and 1"),
    ((), {"expect": 0.5, "spread": 0}, "ValueError: `spread` must lie between 0 and 1"),
    ((), {"expect": 0.5, "k": 4, "samples": 3}, "ValueError: `samples` must be at least 4; got 3"),
    ((), {"expect": 0.5, "half_width": 2}, "ValueError: `half_width` must lie between 0 and 1"),
    ((), {}, "plan.pilot_or_expected"),
    ((DATA,), {"expect": 0.5}, "plan.pilot_or_expected"),
    ((), {"expect": 0.5, "correct_above": 0.2}, "compare.scored"),
    *[((pilot,), {"correct_above": 0.2}, "compare.scored: The options `correct_above` say how data are scored")
      for pilot in ((N, C), at_k.score(DATA))],
    *[((wrong,), {}, "TypeError: `pilot` must be a report, a results file, a data set, or a pair (n, c) of")
      for wrong in (3, [1, 0], [[4, 4], [1, 2]])],
])  # fmt: skip
def test_arguments_that_cannot_be_used(pilots, options, says):
    refuses(says, plan, *pilots, **options)


@for_each("k, spread", [(1, 0.5), (1, 0.2), (4, 0.7)])
def test_a_plan_without_data(k, spread):
    """Against the exact moments of the beta-binomial distribution, by quadrature over the difficulties."""
    found = plan(
        expect=0.3, spread=spread, k=k, samples=8, problems=[50], half_width=0.05, detect=0.08
    )
    size = 1 / spread - 1
    chances = stats.betabinom(8, 0.3 * size, 0.7 * size).pmf(np.arange(9))
    values = pass_at_k(8, np.arange(9), k=k)
    mean = chances @ values
    assert found.value == pytest.approx(mean)
    assert found.stderr[0, 0] == pytest.approx(np.sqrt((chances @ values**2 - mean**2) / 50))
    if k == 1:
        assert found.between == pytest.approx(0.3 * 0.7 * spread)
        assert found.within == pytest.approx(0.3 * 0.7 * (1 - spread) / 8)
    half = [
        np.diff(interval(mean, found.stderr[0, 0] * np.sqrt(50 / m), m))[0] / 2
        for m in (found.needed_problems, found.needed_problems - 1)
    ]
    assert half[0] <= 0.05 < half[1]
    assert found.needed_samples is None
    assert found.needed_to_detect[0.5] > found.needed_to_detect[0.8]
    assert [each.code for each in found.notes] == ["plan.assumed"]
    assert found.notes[0].values["spread"] == spread


def test_the_cautious_plan_keeps_its_promise():
    """Two models whose difficulties correlate by .5: the promised power of .8 is reached."""
    found = plan(expect=0.5, samples=4, detect=(shift := 0.08))
    rng, m = np.random.default_rng(0), next(iter(found.needed_to_detect.values()))
    shared, *own = rng.beta(0.5, 0.5, size=(3, 400, m))
    same = rng.random((2, 400, m)) < 0.5**0.5
    first, second = (np.where(same[i], shared, own[i]) * (1 - shift) for i in range(2))
    difference = (rng.binomial(4, first + shift) - rng.binomial(4, second)) / 4
    found = (stats.ttest_1samp(difference, 0, axis=1).pvalue <= 0.05).mean()
    assert found >= 0.77


CELLS = [
    (12, 0.95),
    (12, 0.8),
    (20, 0.8),
    (30, 0.8),
    (30, 0.5),
    (60, 0.8),
    (60, 0.95),
    (100, 0.5),
    (100, 0.8),
]


@for_each("problems, correlation", CELLS)
def test_a_comparison_finds_what_a_plan_promises(problems, correlation):
    """Data sets are drawn anew, and judged by the flips of `compare`: the promise is off by .05 at most."""
    rng = np.random.default_rng(problems)
    pilot = [16] * 400, rng.binomial(16, rng.beta(1.0, 1.0, 400))
    found = plan(pilot, problems=[problems], samples=[16], correlation=correlation)
    difference = float(found.detectable[correlation][0, 0])
    z = rng.standard_normal((2, 600, problems))
    copula = 2 * np.sin(np.pi * correlation / 6)  # with which uniform difficulties correlate so
    z[1] = copula * z[0] + np.sqrt(1 - copula**2) * z[1]
    chances = stats.norm.cdf(z)  # those of Beta(1, 1)
    odds = chances / (1 - chances)

    def raise_by(shift):
        return np.exp(shift) * odds[0] / (np.exp(shift) * odds[0] + 1)

    shift = brentq(lambda s: (raise_by(s) - chances[0]).mean() - difference, 0, 20)
    values = rng.binomial(16, [raise_by(shift), chances[1]]) / 16
    questions = Questions((values[0] - values[1]).T, n_flips=999)
    decided = [is_decided(p_value, 0.95) for p_value in questions.p_values]
    power = np.mean(np.array(decided) & (questions.mean > 0))
    # The simulated promise and this share have errors of .014 and .016 each.
    assert found.chances[correlation][0] == pytest.approx(power, abs=0.05 + 0.025)

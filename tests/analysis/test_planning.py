"""Plans from reports, files and counts, and votes that are followed sample by sample."""

from fractions import Fraction

import numpy as np
import pytest
from cases import for_each
from scipy import stats

import at_k
from at_k.analysis.planning import follow_votes, plan
from at_k.errors import InputError
from at_k.uncertainty.adaptive import trace_adaptive
from at_k.uncertainty.planning import plan_counts

N = [4] * 12
C = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
DATA = {"grades": [[1] * c + [0] * (4 - c) for c in C], "problem": [f"q{i}" for i in range(12)]}

ANSWERS = [["7", "7", "9", "7"], ["a", "b", "b", None], ["x", "x", "y", "y"]]
REFERENCES = ["7", "b", "z"]


def spell(found):
    """Take a plan apart, so that two can be compared."""
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in vars(found).items()}


def test_every_kind_of_pilot_gives_the_same(tmp_path):
    import pandas as pd

    path = tmp_path / "pilot.jsonl"
    pd.DataFrame(DATA).to_json(path, orient="records", lines=True)
    expected = spell(plan((N, C), k=2, half_width=0.1, detect=0.2))
    saved = tmp_path / "saved.json"
    at_k.score(DATA).save(saved)
    for pilot in (at_k.score(DATA), saved, str(saved), DATA, pd.DataFrame(DATA), path, str(path)):
        assert spell(plan(pilot, k=2, half_width=0.1, detect=0.2)) == expected


def test_a_plan_has_the_clusters_of_its_pilot(tmp_path):
    """At the pilot's own size it gives the pilot's interval; four times the clusters halve the standard error."""
    labels = [f"text {i % 6}" for i in range(90)]
    grades = [[1, 1, 1, i // 6 % 5 > 0] if i % 6 < 3 else [0, 0, 0, i // 6 % 5 < 1] for i in range(90)]
    report = at_k.score({"grades": grades}, clusters=labels, k=1)
    bar = report.intervals["pass@1"]
    report.save(tmp_path / "pilot.json")
    for pilot in (report, tmp_path / "pilot.json", at_k.score({"grades": grades}, groups=labels, clusters=True)):
        found = plan(pilot, problems=[15, 90, 360], samples=[4], half_width=0.1, detect=0.3)
        assert found.stderr[1:, 0] == pytest.approx([bar.stderr, bar.stderr / 2])
        assert found.half_width[1, 0] == pytest.approx((bar.high - bar.low) / 2)
        assert found.half_width[0, 0] > found.half_width[1, 0] > found.half_width[2, 0]
        # A paired comparison of clusters of 15 problems has as many degrees of freedom as clusters, less one.
        spread = 2 * (found.within + 0.2 * found.between) / 360
        assert found.detectable[2, 0] == pytest.approx((stats.t(23).ppf(0.975) + stats.t(23).ppf(0.8)) * spread**0.5)
        assert found.detectable[0, 0] == 1
        (note,) = found.notes
        assert str(note).startswith("The problems of the pilot come in clusters: 6. Other numbers of problems are")
        assert found.needed_problems > 5 * plan({"grades": grades}, half_width=0.1).needed_problems


def test_more_samples_do_not_help_against_clusters():
    """Simulated: the standard error of 200 × 1 samples from a pilot with 16, both of clusters of ten problems."""
    rng = np.random.default_rng(0)

    def draw(n):
        chances = np.clip(rng.uniform(0.2, 0.8, (20, 1)) + rng.uniform(-0.2, 0.2, (20, 10)), 0, 1).ravel()
        return rng.binomial(n, chances)

    labels = np.repeat(np.arange(20), 10)
    true = np.std([draw(1).mean() for _ in range(4000)])  # itself off by 1 %
    planned = [
        plan_counts([16] * 200, draw(16), problems=[200], samples=[1], clusters=labels).stderr[0, 0] ** 2
        for _ in range(400)
    ]
    # 400 variances of 20 clusters each: their mean has a relative standard error of 2 %.
    assert np.mean(planned) ** 0.5 == pytest.approx(true, rel=0.05)


def test_a_pilot_of_one_cluster_is_refused():
    with pytest.raises(InputError) as caught:
        plan(at_k.score(DATA, clusters=["a"] * 12))
    assert caught.value.code == "plan.one_cluster"


def test_the_parts_of_the_variance_are_those_of_anova():
    """A one-way analysis of variance of the grades gives the two parts of pass@1 without a formula of ours."""
    found = plan(DATA)
    grades = np.array(DATA["grades"], dtype=float)
    within = grades.var(axis=1, ddof=1).mean()
    between = grades.mean(axis=1).var(ddof=1) - within / 4
    assert found.value == grades.mean()
    assert found.between == pytest.approx(between)
    assert found.within == pytest.approx(within / 4)


def test_the_numbers_that_are_needed_are_the_least():
    found = plan(DATA, half_width=0.08, detect=0.1, problems=[2, 3], samples=[4])
    m, detecting = found.needed_problems, found.needed_to_detect
    for number, enough in ((m, True), (m - 1, False)):
        assert (plan(DATA, problems=[number], samples=[4]).half_width[0, 0] <= 0.08) == enough
    for number, enough in ((detecting, True), (detecting - 1, False)):
        t = stats.t(number - 1)
        spread = 2 * (found.within + 0.2 * found.between) / number
        assert ((t.ppf(0.975) + t.ppf(0.8)) * spread**0.5 <= 0.1) == enough


def test_g_pass_at_k_of_a_decimal_and_of_a_fraction():
    values = [plan(DATA, k=3, tau=tau).value for tau in (2 / 3, Fraction(2, 3), 1.0)]
    exact = [at_k.g_pass_at_k(N, C, k=3, tau=tau).mean() for tau in (Fraction(2, 3), 1.0)]
    assert values[1:] == pytest.approx(exact)
    assert values[0] == pytest.approx(exact[0])


def test_options_reach_the_scoring():
    data = {"grades": [[1.0, 0.4, None, 0.0], [0.4, 1.0, 0.0, 0.0], [0.0, 0.0, 0.4, 0.0]] * 5}
    found = plan(data, threshold=0.3, missing="incorrect")
    assert spell(found) == spell(plan_counts([4] * 15, [2, 2, 1] * 5))
    with pytest.raises(ValueError, match="missing"):
        plan(data)


def test_pilots_that_cannot_tell():
    with pytest.raises(InputError) as caught:
        plan({"grades": [[1, 0, 1]]})
    assert caught.value.code == "plan.one_problem"
    with pytest.raises(InputError) as caught:
        plan({"grades": [[1], [0], [1]]}, samples=[4])
    assert caught.value.code == "plan.one_sample"
    assert not plan({"grades": [[1, 1]] * 40 + [[0, 1]]}).can_tell
    assert plan({"grades": [[1, 1], [0, 1], [0, 0]] * 10}).can_tell


@for_each(
    "options, said",
    [({"k": 5}, "`?k`?"), ({"half_width": 2}, "`half_width`"), ({"detect": 0}, "`detect`"), ({"tau": 2}, "`tau`")],
)
def test_wrong_options(options, said):
    with pytest.raises(ValueError, match=said):
        plan(DATA, **options)


@for_each("pilot", [DATA, (N, C)])
@for_each("name", ["metric", "metrics", "key_style", "level", "target", "foo"])
def test_unknown_options_are_refused(pilot, name):
    with pytest.raises(TypeError, match=f"Unknown option `{name}` of `plan`; got 'x'. The options are k, tau, "):
        plan(pilot, **{name: "x"})


@for_each("pilot", [(N, C), at_k.score(DATA)])
def test_options_of_scoring_are_for_data(pilot):
    with pytest.raises(InputError, match="The options `threshold` say how data are scored, but these values are there"):
        plan(pilot, threshold=0.2)


class TestFollowVotes:
    def test_answers_with_references(self):
        found = follow_votes({"answers": ANSWERS, "references": REFERENCES}, missing="incorrect")
        correct = [[a == r for a in row] for row, r in zip(ANSWERS, REFERENCES, strict=True)]
        expected = trace_adaptive(ANSWERS, correct)
        for name, value in vars(expected).items():
            np.testing.assert_array_equal(getattr(found, name), value)
        assert found.fixed[0] == pytest.approx((0.75 + 0.5 + 0) / 3)  # one sample: the share of correct ones

    def test_answers_with_grades(self):
        grades = [[1, 1, 0, 1], [0, 1, 1, 0], [0, 0, 0, 0]]
        found = follow_votes({"answers": ANSWERS, "grades": grades})
        assert found.fixed[0] == pytest.approx((0.75 + 0.5 + 0) / 3)

    def test_grades_alone_cannot_vote(self):
        with pytest.raises(InputError) as caught:
            follow_votes({"grades": [[1, 0]]})
        assert caught.value.code == "plan.no_answers"


@for_each("wrong", [None, 3, [1, 0], [[4, 4], [1, 2]]])
def test_what_is_no_pilot(wrong):
    with pytest.raises(TypeError, match=r"`pilot` must be a report, a results file, a data set, or a pair \(n, c\) of"):
        plan(wrong)


class TestTwoPilots:
    """A second pilot tells how much difficulties correlate."""

    RNG = np.random.default_rng(3)
    FIRST = RNG.integers(0, 9, 60)
    SECOND = np.clip(FIRST + RNG.integers(-3, 4, 60), 0, 8)

    @staticmethod
    def make(counts, order):
        return {"problem": [f"q{i}" for i in order], "grades": [[1] * counts[i] + [0] * (8 - counts[i]) for i in order]}

    def test_problems_are_matched_by_name(self):
        order = list(range(60))
        a, b = self.make(self.FIRST, order), self.make(self.SECOND, order[::-1])
        found = plan(a, b, detect=0.05)
        assert found.estimated == plan(([8] * 60, self.FIRST), ([8] * 60, self.SECOND)).estimated
        assert found.cautious_detectable is None
        assert 0.8 < found.correlation == found.estimated.value
        assert found.estimated.low < found.correlation < found.estimated.high
        assert f"correlate by {found.correlation:.2f} [" in str(found)
        given = plan(a, correlation=found.correlation, detect=0.05)
        assert given.needed_to_detect == found.needed_to_detect

    def test_other_problems_are_refused(self):
        with pytest.raises(InputError, match="Two pilots need the same problems; q59 is in one of them alone"):
            plan(self.make(self.FIRST, range(60)), self.make(self.SECOND, range(59)))

    def test_a_second_pilot_that_does_not_tell_it_is_not_asked_for_again(self):
        first = ([8] * 60, self.FIRST)
        found = plan(first, ([8] * 60, [4] * 60))
        assert (found.correlation, found.estimated) == (0.8, None)
        assert "these two pilots do not tell it" in str(found)
        assert "with a second pilot" not in str(found)
        assert "with a second pilot" in str(plan(first))

    def test_one_pilot_has_an_assumption_and_a_cautious_one_beside_it(self):
        pilot = ([8] * 60, self.FIRST)
        found, lower = plan(pilot, detect=0.05), plan(pilot, detect=0.05, correlation=0.5)
        assert (found.correlation, found.estimated) == (0.8, None)
        assert found.cautious_needed == lower.needed_to_detect > found.needed_to_detect
        assert (found.cautious_detectable == lower.detectable).all()
        assert lower.cautious_detectable is None
        assert f"{lower.needed_to_detect:,} if the correlation is 0.5." in str(found)


def test_the_share_between_problems_has_an_interval():
    random, inside = np.random.default_rng(0), 0
    # pass@1 of 8 samples, difficulties Beta(1, 1): variance 1/12 between, and 1/6/8 within.
    truth = (1 / 12) / (1 / 12 + 1 / 48)
    for _ in range(60):
        found = plan(([8] * 80, random.binomial(8, random.random(80))))
        inside += found.between_share[0] <= truth <= found.between_share[1]
    assert inside >= 50  # of 60 at 95 %; a percentile bootstrap of 80 problems covers about 92 %
    assert "[" in plan(([8] * 80, random.binomial(8, random.random(80)))).describe_variance()[0]
    assert plan(([8] * 80, random.binomial(8, random.random(80))), k=8).between_share is None

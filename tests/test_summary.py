"""From values to error bars: ranges, scores without one, skewed scores, and what is missing."""

from statistics import fmean

import numpy as np
import pytest
from bars import LEVEL, bars_of, exact_error, expected_bars, is_score
from cases import for_each, refuses
from hypothesis import given, strategies as st

import at_k
from at_k.summary import Confidence, find_error_bars, is_bounded
from at_k.values import Column, ErrorBar, Key


class TestSummarize:
    def test_columns_outside_the_unit_interval(self):
        rewards, shares = [-1.0, 0.5, 2.0, 0.25], [0.0, 0.5, 1.0, 0.25]
        groups = ["a", "b", "a", "b"]
        result = at_k.summarize(
            {"reward": rewards, "share": shares}, groups=groups, confidence_level=LEVEL
        )
        for prefix, problems in (("", [0, 1, 2, 3]), ("a/", [0, 2]), ("b/", [1, 3])):
            for key, column in (("reward", rewards), ("share", shares)):
                values = [column[i] for i in problems]
                # The rewards of group b lie in [0, 1] by chance: they are rewards all the same.
                expected = expected_bars(
                    values, exact_error(values), len(values), score=key == "reward"
                )
                assert bars_of(result, prefix + key) == pytest.approx(expected, rel=1e-12), (
                    prefix + key
                )

    @for_each("options, says", [
        *[({"confidence_level": wrong}, "ValueError: `confidence_level` must lie between 0 and 1, both excluded")
          for wrong in (0, 1, 95, float("nan"))],
        *[({"confidence_level": wrong}, "TypeError: `confidence_level` must be a number between 0 and 1")
          for wrong in ("0.95", True)],
        ({"ci_method": "normal"}, "ValueError: `ci_method` must be one of 'beta', 't'"),
        ({"ci_method": None}, "TypeError: `ci_method` must be one of"),
        ({"clusters": ["a", "b"]}, "ValueError: `clusters` … 2 … 3"),
        ({"clusters": ["a", "b", None]}, "ValueError: `clusters` must hold a label for every problem"),
        *[({"clusters": ["a", "b", wrong]}, "TypeError: `clusters` must hold strings or integers")
          for wrong in (1.5, ["c"])],
        *[({"clusters": wrong}, "TypeError: `clusters` must") for wrong in (7, "abc")],
        ({"clusters": [1, "1", 2]}, "ValueError: `clusters` must not mix"),
    ])  # fmt: skip
    def test_invalid_options_are_refused(self, options, says):
        refuses(
            says, at_k.summarize, {"x": [0.5, 1.0, 0.0]}, **{"confidence_level": 0.95, **options}
        )


def test_scores_have_no_range_even_if_they_lie_in_it():
    values = [0.1, 0.9, 0.4]
    keys = dict.fromkeys(
        [Key("max@k", 2), Key("best@k", 2), "max@4", "best@4", "mine"], Column.of(values)
    )
    bars = find_error_bars(keys, dict.fromkeys(keys, fmean(values)), Confidence(LEVEL))
    for key, bar in bars.items():
        expected = expected_bars(values, exact_error(values), 3, score=is_score(key))
        assert bar == pytest.approx(
            (expected["stderr"], expected["ci_low"], expected["ci_high"], False, False)
        ), key
        assert is_bounded(key) is not is_score(key)


@pytest.mark.parametrize("method", ["beta", "t", "wald"])
@pytest.mark.parametrize("clusters", [None, ["a", "a", "b"]])
def test_equal_scores_have_no_interval_rather_than_one_without_width(method, clusters):
    """Once 2.0 [2.0, 2.0]: three equal scores do not show how far others may lie."""
    keys = [Key("max@k", 2), Key("best@k", 2)]
    for values, found in (([2.0, 2.0, 2.0], [keys[1]]), ([2.0, 2.0, 2.5], keys)):
        columns = {keys[0]: Column.of(values), keys[1]: Column.of([0.5, 0.5, 0.5])}
        wanted = Confidence(LEVEL, clusters=clusters, method=method)
        assert (
            list(find_error_bars(columns, {keys[0]: fmean(values), keys[1]: 0.5}, wanted)) == found
        )


def test_skewed_scores_are_marked_and_have_a_wider_upper_end():
    key = Key("max@k", 4)

    def find(values, **options):
        return find_error_bars(
            {key: Column.of(values)}, {key: values.mean()}, Confidence(0.95, **options)
        )[key]

    values = np.append(np.linspace(0, 1, 29), 30.0)
    bar, student = find(values), find(values, method="t")
    assert (bar.is_skewed, student.is_skewed) == (True, True)
    assert bar.low <= student.low < student.high < bar.high
    assert find(values[::-1].copy()) == pytest.approx(bar, rel=1e-9)
    assert not find(values[:29]).is_skewed
    scores = [[float(i % 5), float(i % 3)] for i in range(20)] + [[900.0, 1.0]]
    reports = [
        at_k.score({"grades": [[1, 0]] * size, "scores": scores[:size]}) for size in (21, 20)
    ]
    skewed, even = (
        [note.values["keys"] for note in report.notes if note.code == "note.skewed"]
        for report in reports
    )
    assert (skewed, even) == (["max@1, max@2"], [])


@for_each("spread, problems", [(0.5, 15), (1, 15), (1, 30)])
def test_lognormal_scores_are_covered(spread, problems):
    """Of 500 data sets: a coverage of .94 has a standard error of .011."""
    rng = np.random.default_rng(0)

    def draw(count):
        return at_k.max_at_k(np.exp(spread * rng.standard_normal((count, 8))), k=4)

    truth, sets = (
        draw(200_000).mean(),
        {Key("max@k", number): draw(problems) for number in range(1, 501)},
    )
    columns = {key: Column.of(values) for key, values in sets.items()}
    bars = find_error_bars(
        columns, {key: values.mean() for key, values in sets.items()}, Confidence(0.95)
    )
    assert np.mean([bar.low <= truth <= bar.high for bar in bars.values()]) >= 0.92


def test_nothing_is_wanted_or_there_is_nothing_or_samples_are_not_known():
    assert (
        find_error_bars({Key("pass@k", 1): Column.of([0.5])}, {Key("pass@k", 1): 0.5}, Confidence())
        == {}
    )
    assert find_error_bars({}, {}, Confidence(0.95)) == {}
    assert Confidence(clusters=["a"]).conditions() == {}
    key = Key("pass@k", 1)
    says = "ValueError: the samples of the problems are not known"
    refuses(
        says,
        find_error_bars,
        {key: Column.of([0.5, 1.0])},
        {key: 0.75},
        Confidence(0.95, "problem_set"),
    )


LEVELS = st.lists(
    st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=5, unique=True
)


@given(LEVELS, st.lists(st.integers(0, 4), min_size=1, max_size=30), st.booleans())
def test_shared_levels_are_as_good_as_listed_values(levels, which, some):
    shared = Column(np.array(levels), np.array(which) % len(levels))
    key = Key("pass@k", 1)
    problems = np.arange(0, len(which), 2) if some else None
    mean = {key: float(np.mean(shared.expand()[slice(None) if problems is None else problems]))}
    found, expected = (
        find_error_bars({key: column}, mean, Confidence(0.95), problems=problems)[key]
        for column in (shared, Column.of(shared.expand()))
    )
    assert isinstance(found, ErrorBar)
    assert (found.stderr is None) is (expected.stderr is None)
    assert (found.stderr or 0.0) == pytest.approx(expected.stderr or 0.0, rel=1e-12, abs=1e-15)
    assert found[1:] == pytest.approx(expected[1:], rel=1e-12, abs=1e-15)

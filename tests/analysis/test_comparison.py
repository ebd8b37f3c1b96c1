"""Two models, or several, on the same problems: how they are matched, what is computed, refused and said."""

import json
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

from at_k.analysis.comparison import compare, rank
from at_k.errors import InputError

RNG = np.random.default_rng(9)
QUESTIONS = [f"q{i}" for i in range(40)]
A = {"pass@1": dict(zip(QUESTIONS, RNG.integers(0, 5, 40) / 4, strict=True))}
B = {"pass@1": dict(zip(QUESTIONS, RNG.integers(0, 4, 40) / 4, strict=True))}


PASS_AT_1 = {"metrics": "pass_at_k", "k": 1}

MODELS = {
    "good": {"grades": [[1, 1]] * 9},
    "fair": {"grades": [[0, 1]] * 9},
    "same": {"grades": [[1, 0]] * 9},
    "poor": {"grades": [[0, 0]] * 9},
}


def make(values, key="pass@1"):
    """Values of problems p0, p1, …"""
    return {key: {f"p{i}": value for i, value in enumerate(values)}}


def codes(found):
    return [note.code for note in found.notes]


def refused(*models, **options):
    with pytest.raises(InputError) as caught:
        compare(*models, **options)
    return caught.value.code, str(caught.value)


class TestNumbers:
    def test_the_difference_and_its_interval_are_those_of_the_paired_t_test(self):
        found = compare(A, B, level=0.9, extra_tests="t")
        x, y = (np.array(list(each["pass@1"].values())) for each in (A, B))
        own, test = found.comparisons["pass@1"], stats.ttest_rel(x, y)
        assert (own.a, own.b) == (x.mean(), y.mean())
        assert (own.low, own.high) == pytest.approx(tuple(test.confidence_interval(0.9)))
        assert (own.won, own.lost, own.tied) == ((x > y).sum(), (x < y).sum(), (x == y).sum())
        assert found.extra_tests["t"]["pass@1"] == pytest.approx(test.pvalue)

    def test_wilcoxon_is_that_of_scipy(self):
        difference = np.array([0.1, -0.2, 0.3, 0.4, 0.55, 0.6, -0.15, 0.7])
        found = compare(make(np.clip(difference, 0, 1)), make(np.clip(-difference, 0, 1)), extra_tests=["wilcoxon"])
        exact = stats.wilcoxon(difference, method="exact").pvalue
        assert found.extra_tests["wilcoxon"]["pass@1"] == pytest.approx(exact)

    def test_p_is_that_of_all_sign_flips(self):
        x, y = [1, 0.5, 1, 0.75, 1, 1, 0.25], [0, 0.5, 0.25, 1, 0.5, 0.25, 0]
        difference = np.subtract(x, y)
        flips = [abs(difference @ signs) >= abs(difference.sum()) - 1e-9 for signs in product([-1, 1], repeat=7)]
        assert compare(make(x), make(y)).comparisons["pass@1"].p_value == np.mean(flips)

    def test_the_order_of_problems_does_not_matter(self):
        shuffled = {"pass@1": dict(reversed(B["pass@1"].items()))}
        assert compare(A, shuffled).to_dict() == compare(A, B).to_dict()

    def test_the_two_sides_mirror_each_other(self):
        one, other = compare(A, B).comparisons["pass@1"], compare(B, A).comparisons["pass@1"]
        assert (one.low, one.high, one.won) == pytest.approx((-other.high, -other.low, other.lost))
        assert one.p_value == other.p_value

    def test_mcnemar_is_for_truth_values_alone(self):
        x, y = [1, 1, 1, 1, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1, 0, 0]
        binary, graded = make(x), make([each / 2 for each in x], "pass@2")
        found = compare({**binary, **graded}, {**make(y), **make(y, "pass@2")}, extra_tests="mcnemar")
        assert found.extra_tests == {"mcnemar": {"pass@1": pytest.approx(stats.binomtest(1, 6).pvalue)}}
        (note,) = [note for note in found.notes if note.code == "compare.mcnemar"]
        assert "left out for pass@2: it counts problems, whose values must all be 0 or 1" in str(note)
        alone = compare(binary, make(y), extra_tests="mcnemar")
        assert "compare.mcnemar" not in [note.code for note in alone.notes]

    def test_equivalence_is_the_two_one_sided_tests(self):
        x, y = (np.array(list(each["pass@1"].values())) for each in (A, B))
        found = compare(A, B, margin=0.3)
        sides = [
            stats.ttest_1samp(x - y, -0.3, alternative="greater").pvalue,
            stats.ttest_1samp(x - y, 0.3, alternative="less").pvalue,
        ]
        assert found.equivalence["pass@1"] == pytest.approx(max(sides))
        assert compare(A, B).equivalence == {}

    def test_holm_counts_different_questions(self):
        """avg@3 repeats pass@1, but for rounding; pass@2 is another question."""
        thirds = RNG.integers(0, 4, (2, 30)) / 3
        first, second = ({**make(each), **make(each + 1e-16, "avg@3"), **make(each**2, "pass@2")} for each in thirds)
        found = compare(first, second)
        p = {key: each.p_value for key, each in found.comparisons.items()}
        by_hand = dict(zip(("pass@1", "pass@2"), stats_holm([p["pass@1"], p["pass@2"]]), strict=True))
        assert found.adjusted == pytest.approx({**by_hand, "avg@3": by_hand["pass@1"]})
        (note,) = [note for note in found.notes if note.code == "compare.adjusted"]
        assert note.values["count"] == 2

    def test_one_question_is_not_adjusted(self):
        found = compare({**A, "avg@4": A["pass@1"]}, {**B, "avg@4": B["pass@1"]})
        assert found.adjusted == {key: each.p_value for key, each in found.comparisons.items()}
        assert "compare.adjusted" not in codes(found)

    def test_equivalence_is_adjusted_too(self):
        x, y = np.linspace(0, 1, 50), np.clip(np.linspace(0, 1, 50) + RNG.normal(0, 0.02, 50), 0, 1)
        single = compare(make(x), make(y), margin=0.01).equivalence["pass@1"]
        several = compare({**make(x), **make(x**2, "z")}, {**make(y), **make(1 - y, "z")}, margin=0.01)
        assert several.equivalence["pass@1"] == pytest.approx(2 * single)


def stats_holm(p):
    """Holm's adjustment of two p-values, by hand."""
    small, large = sorted(p)
    adjusted = {small: min(1, 2 * small), large: min(1, max(2 * small, large))}
    return [adjusted[each] for each in p]


class TestVerdicts:
    def test_better(self):
        found = compare(make([1] * 8), make([0.5] * 7 + [0.75]), names=("x", "y"))
        assert str(found.verdict("pass@1")) == "x is better"
        found = compare(make([0.5] * 7 + [0.75]), make([1] * 8), names=("x", "y"))
        assert str(found.verdict("pass@1")) == "y is better"

    def test_equal_everywhere(self):
        found = compare(make([0.5] * 400), make([0.5] * 400), margin=0.02)
        own = found.comparisons["pass@1"]
        assert (own.difference, own.p_value, own.won, own.lost, own.tied) == (0, 1, 0, 0, 400)
        assert own.low < 0 < own.high
        assert codes(found) == ["compare.equal"]
        assert str(found.verdict("pass@1")) == "equivalent within 0.02"
        assert found.flips == {"pass@1": []}

    def test_one_problem_shows_nothing(self):
        found = compare(make([1.0]), make([0.0]), extra_tests=["t"])
        own = found.comparisons["pass@1"]
        assert own.p_value == 1
        assert own.low < 0
        assert str(found.verdict("pass@1")) == "no difference shown"
        assert np.isnan(found.extra_tests["t"]["pass@1"])
        assert found.to_dict()["keys"]["pass@1"]["p_t"] is None

    @pytest.mark.parametrize(("differing", "least"), [(1, 1), (4, 0.125), (5, 0.0625)])
    def test_few_differing_problems_cannot_reach_a_small_p(self, differing, least):
        found = compare(make([1] * 50), make([0] * differing + [1] * (50 - differing)))
        assert found.comparisons["pass@1"].p_value == least
        assert str(found.verdict("pass@1")) == "no difference shown"
        (note,) = found.notes
        assert note.code == "compare.few"
        assert note.values == {"count": differing, "least": least}

    def test_six_can(self):
        found = compare(make([1] * 20), make([0] * 6 + [1] * 14))
        assert found.comparisons["pass@1"].p_value == 2 / 64
        assert found.notes == []

    def test_a_note_about_some_keys_names_them(self):
        x, y = [1.0] * 9, [0.5] * 9
        found = compare({**make(x), **make(x, "pass@2")}, {**make(y), **make(x, "pass@2")})
        assert str(found.notes[-1]) == "pass@2: The two have the same value in every problem."

    def test_the_bounded_interval_is_wider(self):
        t, bounded = (compare(A, B, method=method).comparisons["pass@1"] for method in ("t", "bounded"))
        assert bounded.low < t.low
        assert t.high < bounded.high

    def test_wilcoxon_comes_with_its_warning(self):
        assert "significance.wilcoxon" in codes(compare(A, B, extra_tests="wilcoxon"))
        assert "significance.wilcoxon" not in codes(compare(A, B, extra_tests="t"))

    def test_flips_are_the_largest_differences_by_name(self):
        x, y = [0.5] * 14, [0.5] * 14
        y[3], y[7], x[9] = 0.0, 1.0, 0.75
        found = compare(make(x), make(y))
        assert [(flip.problem, flip.a, flip.b) for flip in found.flips["pass@1"]] == [
            ("p3", 0.5, 0.0),
            ("p7", 0.5, 1.0),
            ("p9", 0.75, 0.5),
        ]
        assert len(compare(A, B).flips["pass@1"]) == 10


class TestUnbounded:
    """The values of max@k have no range."""

    x, y = make([5.0, 7.5, 3.0, 9.0, 4.0, 6.0, 8.0], "max@4"), make([4.0, 7.0, 3.5, 2.0, 3.0, 5.0, 6.0], "max@4")

    def test_they_get_the_t_interval(self):
        found = compare(self.x, self.y, method="bounded", margin=0.1)
        first, second = (list(each["max@4"].values()) for each in (self.x, self.y))
        expected = stats.ttest_rel(first, second).confidence_interval(0.95)
        assert (found.comparisons["max@4"].low, found.comparisons["max@4"].high) == pytest.approx(tuple(expected))
        assert found.equivalence == {}

    def test_reports_have_them(self):
        scores = [[float((3 * i + j * j) % 11) for j in range(4)] for i in range(12)]
        first, second = (
            {"grades": [[1, 0, 1, 0]] * 12, "scores": [[each + shift for each in row] for row in scores]}
            for shift in (0, 2)
        )
        found = compare(first, second, metrics="best_at_k", k=2)
        assert found.comparisons["max@2"].difference == pytest.approx(-2)
        assert found.comparisons["best@2"].difference == 0

    def test_unpaired_they_are_left_out_or_refused(self):
        more = {"max@4": {**self.y["max@4"], "new": 3.0}}
        code, _ = refused(self.x, more, unmatched="unpaired")
        assert code == "compare.unpaired_range"
        both = compare(
            {**self.x, **make([0.5] * 7)}, {**more, "pass@1": dict.fromkeys(more["max@4"], 0.25)}, unmatched="unpaired"
        )
        assert list(both.comparisons) == ["pass@1"]
        assert "compare.no_range" in codes(both)

    def test_values_whose_squares_are_no_floats_are_left_out(self):
        large = make([2e150, 1, 2], "max@1") | make([0.5, 1, 0])
        small = make([1, 1, 2], "max@1") | make([0.5, 0, 1])
        for pair in ((large, small), (small, large)):
            found = compare(*pair)
            assert (list(found.comparisons), codes(found)[0]) == (["pass@1"], "compare.too_large")
            assert refused(*pair, keys="max@1")[0] == "compare.too_large"
        assert refused(make([2e150, 1], "max@1"), make([1, 2], "max@1"))[0] == "compare.too_large"
        with pytest.raises(InputError, match=r"float does not hold their squares: max@1"):
            rank({"a": large, "b": small}, key="max@1")


class TestWriting:
    def test_json(self):
        found = compare(A, B, margin=0.1, extra_tests=["t", "mcnemar"])
        content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        own, plain = found.comparisons["pass@1"], content["keys"]["pass@1"]
        assert {name: plain[name] for name in ("a", "b", "difference", "low", "high", "p_value", "won")} == {
            name: getattr(own, name) for name in ("a", "b", "difference", "low", "high", "p_value", "won")
        }
        assert plain["p_mcnemar"] is None
        assert plain["p_equivalence"] == found.equivalence["pass@1"]
        assert plain["verdict"] == str(found.verdict("pass@1"))

    def test_markdown_survives_names_with_bars(self):
        found = compare(make([1] * 8), make([0.5] * 8), names=("x|y", "z"))
        header, rule, row, *_ = str(found).splitlines()
        assert header.replace("\\|", "").count("|") == rule.count("|") == row.replace("\\|", "").count("|")
        assert row.endswith("x\\|y is better |")


class TestRank:
    def test_the_order_that_the_data_allow(self):
        found = rank(MODELS, **PASS_AT_1)
        assert str(found) == "good > fair, same > poor"
        assert found.ranks == {"good": (1, 1), "fair": (2, 3), "same": (2, 3), "poor": (4, 4)}
        assert len(found.pairs) == 6
        # All 2⁹ flips of nine equal differences: two are as extreme. Five pairs tie, and one has p = 1.
        assert sorted(found.p_values.values()) == pytest.approx([6 * 2 / 512] * 5 + [1])

    def test_problems_that_all_have(self):
        models = {name: {**data, "problem": list("abcdefghi")} for name, data in MODELS.items()}
        models["good"] = {"grades": [[1, 1]] * 10, "problem": list("xabcdefghi")}
        with pytest.raises(InputError) as caught:
            rank(models, **PASS_AT_1)
        assert caught.value.code == "compare.problems"
        assert "good has 1" in str(caught.value)
        assert str(rank(models, unmatched="drop", **PASS_AT_1)) == "good > fair, same > poor"

    def test_models_whose_keys_or_problems_are_part_of_anothers(self):
        """No key, and no problem, is common to all three, although one model has all of them."""
        whole = {"x": {"1": 1.0, "2": 0.5}, "y": {"1": 1.0, "2": 0.5}}
        with pytest.raises(InputError) as caught:
            rank({"all": whole, "one": {"x": whole["x"]}, "other": {"y": whole["y"]}}, key="x")
        assert caught.value.code == "compare.no_key"
        with pytest.raises(InputError) as caught:
            rank({"all": {"x": whole["x"]}, "one": {"x": {"1": 1.0}}, "other": {"x": {"2": 1.0}}}, key="x")
        assert caught.value.code == "compare.no_problem"

    def test_what_is_refused(self):
        with pytest.raises(ValueError, match="at least two"):
            rank({"one": MODELS["good"]}, **PASS_AT_1)
        with pytest.raises(TypeError, match=r'must map the name of each model to a report.*, as in {"a": report_a'):
            rank(list(MODELS.values()), **PASS_AT_1)
        with pytest.raises(TypeError, match="`models`"):
            rank([MODELS["good"]] * 2, **PASS_AT_1)
        with pytest.raises(ValueError, match="`unmatched`"):
            rank(MODELS, unmatched="unpaired", **PASS_AT_1)
        with pytest.raises(InputError, match="Not all models have pass@2"):
            rank(MODELS, key="pass@2", **PASS_AT_1)


@pytest.mark.parametrize("call", [partial(compare, A, B), partial(rank, {"a": A, "b": B})], ids=["compare", "rank"])
@pytest.mark.parametrize(
    "option",
    [{"target": "problem_set"}, {"clusters": ["a", "b"]}, {"ci_method": "wald"}, {"groups": ["a", "b"]},
     {"confidence_level": 0.9}, {"foo": 1}],
    ids=lambda option: next(iter(option)),
)  # fmt: skip
def test_options_that_would_change_nothing_are_refused(call, option):
    name = next(iter(option))
    with pytest.raises(
        TypeError, match=f"Unknown option `{name}` of .* The options are .*level.*, metrics, k, "
    ) as caught:
        call(**option)
    assert f" {name}," not in str(caught.value).partition("The options are")[2]


@pytest.mark.parametrize("names", [("A",), ("A", "B", "C"), (), "AB", None])
def test_names_are_two(names):
    with pytest.raises(ValueError, match="`names` must hold two names, one of each model; got"):
        compare(A, B, names=names)

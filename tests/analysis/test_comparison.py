"""Two models, or several, on the same problems: how they are matched, what is computed, refused and said."""

import json
from functools import partial

import numpy as np
import pytest
from cases import for_each, refuses
from pairs import A, B, codes, count, make
from scipy import stats

import at_k
from at_k.analysis.comparison import compare
from at_k.analysis.ranking import rank
from at_k.report import score
from at_k.uncertainty.comparison import compare_columns, compare_values, correct_difference
from at_k.uncertainty.intervals import correct_by_audit, find_difference_interval, interval

RNG = np.random.default_rng(9)

PASS_AT_1 = {"metrics": "pass_at_k", "k": 1}

MODELS = {
    "good": {"grades": [[1, 1]] * 9},
    "fair": {"grades": [[0, 1]] * 9},
    "same": {"grades": [[1, 0]] * 9},
    "poor": {"grades": [[0, 0]] * 9},
}


ROWS = [
    {"model": model, "id": f"p{i}", "sample": s, "ok": (i + s + len(model)) % 2}
    for model in ("A", "BB")
    for i in range(6)
    for s in (0, 1)
]


class TestOneTable:
    def test_it_is_answered_by_a_call_that_runs(self):
        with pytest.raises(at_k.InputError, match="one table was given") as refused:
            compare(ROWS, columns={"grades": "ok"})
        assert not refused.value.readings
        call = str(refused.value).partition("compare the reports: ")[2].removesuffix(".")
        assert eval(call, {"at_k": at_k, "data": ROWS}).names == ("A", "B")

    def test_one_model_alone_lacks_the_other(self):
        alone = [row for row in ROWS if row["model"] == "A"]
        refuses("TypeError: `b` must be a report … got None", compare, alone)


class TestNumbers:
    def test_names_are_split_at_commas(self):
        asked = "pass@1, pass@2"
        a, b = (score({"grades": [[1, 0], [row, 1]] * 5}) for row in (0, 1))
        assert list(compare(a, b, metrics=asked).comparisons) == ["pass@1", "pass@2"]
        checks = at_k.gate(a, b, metrics=asked, margin=0.5).checks
        assert [check.requirement[:6] for check in checks] == ["pass@1", "pass@2"]
        assert rank({"a": a, "b": b}, metrics="pass@2,").order
        refuses("ValueError: `metrics` must name one number", rank, {"a": a, "b": b}, metrics=asked)

    def test_the_numbers_are_those_of_values_in_pairs(self):
        found = compare(A, B, confidence_level=0.9, extra_tests="t", margin=0.3, seed=5)
        x, y = (np.array(list(each["pass@1"].values())) for each in (A, B))
        own = found.comparisons["pass@1"]
        alone = compare_values(x, y, confidence_level=0.9, margin=0.3, seed=5)
        assert own == alone
        assert (own.a, own.b) == (x.mean(), y.mean())
        assert (own.won, own.lost, own.tied) == ((x > y).sum(), (x < y).sum(), (x == y).sum())
        assert found.extra_tests["t"]["pass@1"] == pytest.approx(stats.ttest_rel(x, y).pvalue)
        assert found.equivalence["pass@1"] == alone.p_equivalence
        assert compare(A, B).equivalence == {}

    def test_the_order_of_problems_does_not_matter(self):
        shuffled = {"pass@1": dict(reversed(B["pass@1"].items()))}
        assert compare(A, shuffled).to_dict() == compare(A, B).to_dict()

    def test_different_questions_are_adjusted_together(self):
        """avg@3 repeats pass@1, but for rounding; pass@2 is another question."""
        thirds = RNG.integers(0, 4, (2, 30)) / 3
        first, second = (
            {**make(each), **make(each + 1e-16, "avg@3"), **make(each**2, "pass@2")}
            for each in thirds
        )
        found = compare(first, second)
        x, y = thirds
        one, two = (
            each.p_adjusted for each in compare_columns([(x, y), (x**2, y**2)], [True, True])
        )
        assert found.p_values == {"pass@1": one, "pass@2": two, "avg@3": one}
        (note,) = [note for note in found.notes if note.code == "compare.adjusted"]
        assert note.values["count"] == 2
        single = compare({**A, "avg@4": A["pass@1"]}, {**B, "avg@4": B["pass@1"]})
        assert single.p_values == {key: each.p_value for key, each in single.comparisons.items()}
        assert "compare.adjusted" not in codes(single)

    def test_equivalence_is_adjusted_too(self):
        x, y = np.linspace(0, 1, 50), np.clip(np.linspace(0, 1, 50) + RNG.normal(0, 0.02, 50), 0, 1)
        single = compare(make(x), make(y), margin=0.01).equivalence["pass@1"]
        several = compare(
            {**make(x), **make(x**2, "z")}, {**make(y), **make(1 - y, "z")}, margin=0.01
        )
        assert several.equivalence["pass@1"] == pytest.approx(2 * single)


class TestUnbounded:
    """The values of max@k have no range."""

    x, y = (
        make([5.0, 7.5, 3.0, 9.0, 4.0, 6.0, 8.0], "max@4"),
        make([4.0, 7.0, 3.5, 2.0, 3.0, 5.0, 6.0], "max@4"),
    )

    def test_scores_have_no_bounded_interval(self):
        found = compare(self.x, self.y, method="bounded", margin=0.1)
        first, second = (np.array(list(each["max@4"].values())) for each in (self.x, self.y))
        assert found.comparisons["max@4"] == compare_values(first, second, bounded=False)
        assert found.comparisons["max@4"].method == "sign-flip"
        assert found.equivalence == {}
        assert str(found.describe("max@4")[0]).startswith(
            "A is better at max@4: +1.714 [+0.25, +4], p = 0.047."
        )

    def test_no_limit_is_none_in_json(self):
        found = compare({"max@4": {"p": 3.0}}, {"max@4": {"p": 1.0}})
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))["keys"]["max@4"]
        assert (plain["low"], plain["high"], plain["p_value"]) == (None, None, 1.0)

    def test_unpaired_scores_are_left_out_or_refused(self):
        more = {"max@4": {**self.y["max@4"], "new": 3.0}}
        refuses("compare.unpaired_range", compare, self.x, more, unmatched="unpaired")
        other = {**more, "pass@1": dict.fromkeys(more["max@4"], 0.25)}
        both = compare({**self.x, **make([0.5] * 7)}, other, unmatched="unpaired")
        assert list(both.comparisons) == ["pass@1"]
        assert "compare.no_range" in codes(both)

    def test_values_whose_squares_are_no_floats_are_refused(self):
        large = make([2e150, 1, 2], "max@1") | make([0.5, 1, 0])
        small = make([1, 1, 2], "max@1") | make([0.5, 0, 1])
        assert compare(large, small, metrics="pass@1").comparisons
        says = "ValueError: `max@1 of B` must lie between ±1e+150; got 2e+150 in problem 0"
        refuses(says, compare, small, large)
        refuses(says, rank, {"A": small, "B": large}, metrics="max@1")

    def test_equal_differences_have_no_interval_without_width(self):
        a, b = ({"max@2": {f"q{i}": first + i for i in range(10)}} for first in (3.0, 1.0))
        found = compare(a, b).comparisons["max@2"]
        assert (found.difference, found.better) == (2.0, "a")
        assert 0 < found.low < 1e-9  # any difference above 0 is possible, and p < .05
        assert found.high == np.inf
        few = compare(
            {"max@2": {"q1": 3.0, "q2": 4.0}}, {"max@2": {"q1": 1.0, "q2": 2.0}}
        ).comparisons["max@2"]
        assert (few.low, few.high) == (-np.inf, np.inf)


LABELS = dict(zip([f"p{i}" for i in range(8)], "xxxxyyyy", strict=True))
IN_TEXTS_A = {"problem": list(LABELS), "grades": [[1, 1, 1, 1]] * 8, "group": list(LABELS.values())}
IN_TEXTS_B = IN_TEXTS_A | {"grades": [[0, 0, 0, 1], [0, 0, 1, 1]] * 4}


class TestClusters:
    """Four problems in each of two clusters: A is better in all of them."""

    a, b = make([1.0] * 8), make([0.25, 0.5, 0.25, 0.5] * 2)

    @for_each("clusters", [LABELS, list("xxxxyyyy"), [1, 1, 1, 1, 2, 2, 2, 2]])
    def test_whole_clusters_flip(self, clusters):
        assert str(compare(self.a, self.b).decision("pass@1")) == "A is better"
        found = compare(self.a, self.b, clusters=clusters)
        assert str(found.decision("pass@1")) == "no difference shown"
        assert found.comparisons["pass@1"].units == 2
        assert set(codes(found)) == {"compare.no_counts", "compare.in_clusters", "compare.few"}
        assert rank({"A": self.a, "B": self.b}, clusters=clusters).order == "A, B"

    def test_reports_bring_the_clusters_of_their_intervals(self, tmp_path):
        a, b = (score(data, clusters=True, **PASS_AT_1) for data in (IN_TEXTS_A, IN_TEXTS_B))
        a.save(tmp_path / "a.json")
        labelled = score(IN_TEXTS_B, clusters=list("xxxxyyyy"), groups=False, **PASS_AT_1)
        for first, second, options, units in (
            (a, b, {}, 2),
            (a, b, {"clusters": False}, 8),
            (self.a, b, {}, 2),
            (tmp_path / "a.json", labelled, {}, 2),
            (
                IN_TEXTS_A,
                IN_TEXTS_B,
                PASS_AT_1,
                8,
            ),  # groups may be clusters, and are none by themselves
            (IN_TEXTS_A, IN_TEXTS_B, {"clusters": True, **PASS_AT_1}, 2),
        ):
            assert compare(first, second, **options).comparisons["pass@1"].units == units
        assert rank({"a": a, "b": b}).pairs["a", "b"].units == 2

    def test_reports_that_disagree_are_refused(self):
        a = score(IN_TEXTS_A, clusters=True, **PASS_AT_1)
        b = score(IN_TEXTS_B, clusters=list("xxxyyyyy"), **PASS_AT_1)
        says = "compare.clusters: problem 'p3' is in 'x' for new, and in 'y' for old"
        refuses(says, compare, a, b, names=("new", "old"))
        assert compare(a, b, clusters=False).comparisons["pass@1"].units == 8

    def test_invalid_clusters_are_refused(self):
        refuses("compare.no_cluster", compare, self.a, self.b, clusters={"p0": "x"})
        refuses("compare.no_groups", compare, self.a, self.b, clusters=True)
        unpaired = {"clusters": list("xxxxyyyy"), "unmatched": "unpaired"}
        refuses("compare.unpaired_clusters", compare, self.a, make([0.5] * 9), **unpaired)
        says = "ValueError: `clusters` and `A` must have equally many problems; got 2 and 8"
        refuses(says, compare, self.a, self.b, clusters=["x", "y"])


class TestRank:
    def test_the_order_that_the_data_allow(self):
        found = rank(MODELS, **PASS_AT_1)
        assert found.order == "good > fair, same > poor"
        assert found.ranks == {"good": (1, 1), "fair": (2, 3), "same": (2, 3), "poor": (4, 4)}
        assert len(found.pairs) == 6
        # All 2⁹ flips of nine equal differences: two are as extreme. One pair has p = 1; the p-values of four pairs are
        # those of the bounded interval of a difference of ½, which are larger.
        assert sorted(found.p_values.values())[0] == 2 / 512
        assert sorted(found.p_values.values())[5] == 1

    def test_problems_that_all_have(self):
        models = {name: {**data, "problem": list("abcdefghi")} for name, data in MODELS.items()}
        models["good"] = {"grades": [[1, 1]] * 10, "problem": list("xabcdefghi")}
        refuses("compare.problems: good has 1", rank, models, **PASS_AT_1)
        assert rank(models, unmatched="drop", **PASS_AT_1).order == "good > fair, same > poor"

    @for_each("models, options, says", [
        # No key, and no problem, is common to all three, although one model has all of them.
        ({"all": {key: {"1": 1.0, "2": 0.5} for key in "xy"}, "one": {"x": {"1": 1.0, "2": 0.5}},
          "other": {"y": {"1": 1.0, "2": 0.5}}}, {"metrics": "x"}, "compare.no_key"),
        ({"all": {"x": {"1": 1.0, "2": 0.5}}, "one": {"x": {"1": 1.0}}, "other": {"x": {"2": 1.0}}}, {"metrics": "x"},
         "compare.no_problem"),
        ({"one": MODELS["good"]}, PASS_AT_1, "ValueError: at least two"),
        (list(MODELS.values()), PASS_AT_1,
         'TypeError: must map the name of each model to a report … , as in {"a": report_a'),
        ([MODELS["good"]] * 2, PASS_AT_1, "TypeError: `models`"),
        (MODELS, {"unmatched": "unpaired", **PASS_AT_1}, "ValueError: `unmatched`"),
        (dict.fromkeys("ab", score({"grades": [[1, 0]]}, k=1)), {"metrics": "pass@2"},
         "InputError: Not all models have pass@2"),
    ])  # fmt: skip
    def test_invalid_models_are_refused(self, models, options, says):
        refuses(says, rank, models, **options)


@for_each("call", [partial(compare, A, B), partial(rank, {"a": A, "b": B})])
@for_each(
    "name, value", [("key_style", "plain"), ("groups", ["a", "b"]), ("level", 0.9), ("foo", 1)]
)
def test_options_that_would_change_nothing_are_refused(call, name, value):
    says = f"TypeError: Unknown option `{name}` of … The options are metrics, k, … level, "
    caught = refuses(says, call, **{name: value})
    assert f" {name}," not in str(caught).partition("The options are")[2]


RUN_A = {"grades": [[1, 1, 0, 1, 1, 1, 0, 1]] * 6 + [[1] * 8] * 6}
RUN_B = {"grades": [[1, 0, 0, 1, 1, 0, 0, 1]] * 6 + [[1] * 7 + [0]] * 6}


class TestOtherRuns:
    """target="problem_set": would another run of these problems reverse it?"""

    def test_the_interval_is_narrower_and_says_what_it_is_about(self):
        found = compare(RUN_A, RUN_B, metrics="pass_at_k", k=[1, 8], target="problem_set")
        own = found.comparisons["pass@1"]
        assert own.method == "rerun"
        # J is p(1 − p)/7 of each problem and model.
        shares = np.array([[0.75] * 6 + [1] * 6, [0.5] * 6 + [7 / 8] * 6])
        assert own.stderr == pytest.approx(np.sqrt((shares * (1 - shares) / 7).sum()) / 12)
        assert found.comparisons["pass@8"].method != "rerun"
        about = [code for code in codes(found) if code.startswith("compare.re") or "upper" in code]
        assert about == ["compare.reruns", "compare.upper_bound"]

    @for_each(
        "options",
        [
            {"unmatched": "unpaired"},
            {"clusters": list("ab") * 6},
            {"extra_tests": "t"},
            {"band": True},
        ],
    )
    def test_what_is_about_other_problems_is_refused(self, options):
        fewer = {"grades": RUN_B["grades"][:7]} if "unmatched" in options else RUN_B
        says = f'InputError: With `target="problem_set"`, leave out `{next(iter(options))}`: it is about other problems'
        refuses(says, compare, RUN_A, fewer, target="problem_set", **options)

    def test_all_numbers_of_data_vary_the_mean_grade_too(self):
        soft = {"grades": [[0.2, 0.9, 0.4, 1.0], [0.6, 0.0, 0.7, 0.6]]}
        options = {"target": "problem_set", "metrics": "avg_at_n"}
        found = compare(soft, {"grades": [[0.5] * 4] * 2}, **options).comparisons
        # The jackknife of a mean is its variance over n.
        assert found["accuracy"].stderr == pytest.approx(
            (np.var(soft["grades"], axis=1, ddof=1) / 4).sum() ** 0.5 / 2
        )
        binary = compare(RUN_A, RUN_B, **options).comparisons
        assert binary["accuracy"].stderr == pytest.approx(binary["avg@8"].stderr)

    def test_votes_and_saved_reports(self, tmp_path):
        answers = {
            "answers": [["7", "7", "8", "9"], ["1", "7", "7", "2"]],
            "references": ["7", "7"],
        }
        report, path, options = score(answers, k=2), tmp_path / "r.json", {"target": "problem_set"}
        found = compare(report, report, metrics=["cons@2", "pass@2"], **options).comparisons
        assert {each.method for each in found.values()} == {"rerun"}
        report.save(path)
        assert (
            compare(path, report, metrics="pass@2", **options).comparisons["pass@2"]
            == found["pass@2"]
        )
        says = "InputError: How much cons@2 varies … which A does not have"
        refuses(says, compare, path, report, metrics="cons@2", **options)


POOLED_RNG = np.random.default_rng(1)


def make_data(n, m, share):
    return count(*POOLED_RNG.binomial(n, share, m), n=n)


NEW = {"easy": make_data(4, 20, 0.8), "hard": make_data(8, 40, 0.5)}
OLD = {"easy": make_data(4, 20, 0.6), "hard": make_data(8, 40, 0.3)}


def test_each_benchmark_is_compared_and_all_are_pooled():
    found = at_k.compare_benchmarks(NEW, OLD)
    for name, own in found.benchmarks.items():
        # Two benchmarks are one family: each has half of α.
        alone = at_k.compare(NEW[name], OLD[name], confidence_level=0.975).comparisons
        assert own.comparisons.keys() == alone.keys()
        for key, pair in own.comparisons.items():
            assert (pair.low, pair.high) == (alone[key].low, alone[key].high)
            assert pair.p_adjusted == min(1, 2 * alone[key].p_adjusted)
            assert (pair.better, pair.confidence_level) == (alone[key].better, 0.95)
    pooled = found.pooled.comparisons["pass@1"]
    parts = [own.comparisons["pass@1"].difference for own in found.benchmarks.values()]
    assert pooled.difference == pytest.approx(np.mean(parts))
    assert pooled.problems == (60, 60)
    assert "pass@8" not in found.pooled.comparisons  # the easy ones have four samples
    by_problem = at_k.compare_benchmarks(
        NEW, OLD, pool_by="problem", metrics="pass@1"
    ).pooled.comparisons["pass@1"]
    assert by_problem.difference == pytest.approx((20 * parts[0] + 40 * parts[1]) / 60)


@for_each("pool_by", ["benchmark", "problem"])
def test_benchmarks_are_pooled_for_these_very_problems_too(pool_by):
    """By hand: the jackknife variance of c/n is c(n − c)/(n²(n − 1)), and 1/m is Σ w²/(M n) over the benchmarks."""
    pooled = at_k.compare_benchmarks(NEW, OLD, pool_by=pool_by, metrics="pass@1").pooled
    weights = {"benchmark": (1 / 2, 1 / 2), "problem": (1 / 3, 2 / 3)}[pool_by]
    variance = m = difference = 0.0
    for name, weight, n in zip(NEW, weights, (4, 8), strict=True):
        c = [np.sum(data[name]["grades"], axis=1) for data in (NEW, OLD)]
        problems = len(c[0])
        jackknife = sum(np.sum(each * (n - each)) for each in c) / (n**2 * (n - 1))
        variance += weight**2 * jackknife / problems**2
        m += weight**2 / (problems * n)
        difference += weight * float(np.mean(c[0] - c[1])) / n
    low, high = at_k.interval((1 + difference) / 2, variance**0.5 / 2, 1 / m)
    found = pooled.reruns["pass@1"]
    assert (found.low, found.high) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)
    assert found.difference == pooled.comparisons["pass@1"].difference
    assert (found.better == "a") == (low > 0.5)


def test_benchmarks_may_be_numbered():
    found = at_k.compare_benchmarks(NEW, OLD, metrics="pass@1")
    again = at_k.compare_benchmarks(
        *(dict(enumerate(each.values(), 1)) for each in (NEW, OLD)), metrics="pass@1"
    )
    assert list(again.benchmarks) == ["1", "2"]
    assert again.pooled.comparisons == found.pooled.comparisons


UNLIKE = {
    name: at_k.score(NEW[name], k=k, metrics="pass_at_k") for name, k in (("easy", 2), ("hard", 4))
}


@for_each("a, b, options, says", [
    (NEW, {"easy": OLD["easy"]}, {}, "InputError: only one has hard"),
    ([NEW], [OLD], {}, "TypeError: `a` must map benchmarks to reports"),
    (NEW, OLD, {"pool_by": "size"}, "ValueError: `pool_by` must be"),
    (NEW, OLD, {"k": [8]}, "ValueError: k"),
    (UNLIKE, UNLIKE, {}, "InputError: no share in common"),
])  # fmt: skip
def test_impossible_pools_are_refused(a, b, options, says):
    refuses(says, at_k.compare_benchmarks, a, b, **options)


class TestAudit:
    """Differences by a better judge, who looked at some of the problems."""

    def draw(self, rng, gain, slips, problems=200, audited=60, n=8):
        skill = rng.beta(1, 1, problems)
        judged = set(rng.permutation(problems)[:audited].tolist())
        models = []
        for chance in (np.clip(skill + gain, 0, 1), skill):
            true = rng.random((problems, n)) < chance[:, None]
            rate = rng.beta(0.5, 0.5 / slips, (problems, 1))
            seen = np.where(rng.random(true.shape) < rate, True, true)  # it passes what is wrong
            gold = [row.tolist() if i in judged else None for i, row in enumerate(true)]
            names = list(map(str, range(problems)))
            models.append({"problem": names, "grades": seen.tolist(), "gold": gold})
        return models

    def test_it_is_the_estimator_of_an_audit_on_the_differences(self):
        a, b = self.draw(np.random.default_rng(0), 0.1, 0.1)
        found = at_k.compare(a, b, audited="gold", metrics="pass@1")
        pair = found.comparisons["pass@1"]
        seen, true = (
            np.array([np.mean(x) - np.mean(y) if x is not None else np.nan for x, y in rows])
            for rows in (
                [*zip(a["grades"], b["grades"], strict=True)],
                [*zip(a["gold"], b["gold"], strict=True)],
            )
        )
        value, bar = correct_by_audit((1 + seen) / 2, (1 + true) / 2)
        assert (pair.difference, pair.stderr) == pytest.approx((2 * value - 1, 2 * bar.stderr))
        units = min(200, max(60, value * (1 - value) / bar.stderr**2))
        low, high = interval(value, bar.stderr, units)
        assert (pair.low, pair.high) == pytest.approx((2 * low - 1, 2 * high - 1))
        assert (pair.method, pair.better is None) == ("audited", pair.low <= 0 <= pair.high)
        gate = at_k.gate(a, b, audited="gold", margin=0.02).checks[0]
        assert (gate.value, gate.low, gate.high) == pytest.approx(
            (pair.difference, pair.low, pair.high)
        )
        single = at_k.score(a, audited="gold", metrics="pass@1")
        alone = at_k.gate(a, audited="gold", require="pass@1 >= 0.2").checks[0]
        bar = single.audited_intervals["pass@1_audited"]
        assert (alone.low, alone.high) == pytest.approx((bar.low, bar.high))

    @for_each("gain, slips", [(0.0, 0.1), (0.1, 0.3)])
    def test_it_covers_the_difference_of_the_truth(self, gain, slips):
        rng, inside = np.random.default_rng(7), 0
        for _ in range(300):
            skill = rng.beta(1, 1, 200)
            true = rng.binomial(8, np.stack([np.clip(skill + gain, 0, 1), skill])) / 8
            rate = rng.beta(0.5, 0.5 / slips, true.shape)
            seen = true + (1 - true) * rate
            d, better = seen[0] - seen[1], np.full(200, np.nan)
            better[:60] = (true[0] - true[1])[:60]
            found = correct_difference(d, better, confidence_level=0.95)
            low, high = find_difference_interval(*found, confidence_level=0.95)
            truth = gain - gain**2 / 2  # the mean of min(p + gain, 1) − p
            inside += low <= truth <= high
        assert inside / 300 >= 0.93 - 0.013

    @for_each("options", [{"band": True}, {"clusters": True}, {"target": "problem_set"}])
    def test_what_an_audit_does_not_go_with(self, options):
        a, b = self.draw(np.random.default_rng(0), 0.1, 0.1)
        refuses("compare.of_audit", at_k.compare, a, b, audited="gold", **options)

    def test_numbers_without_an_audit_are_refused(self):
        report = at_k.score(self.draw(np.random.default_rng(0), 0.1, 0.1)[0])
        refuses("compare.nothing_audited", at_k.compare, report, report, audited="gold")

"""Error bars beside every number: standard errors in exact rationals, and by leaving out one sample after the other."""

import re
from collections import Counter
from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev

import numpy as np
import oracles
import pytest
from cases import for_each, refuses
from hypothesis import given, strategies as st
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, PASS_AT_K, every_config, every_module
from scipy import stats
from scipy.stats import t as student

import at_k
from at_k.options.option import METHODS
from at_k.summary import Confidence, find_error_bars, is_bounded
from at_k.uncertainty.intervals import bootstrap_interval, interval
from at_k.values import Column, ErrorBar, Key

# Seven problems of different n, of which problem 3 is never solved and problem 4 always.
CORRECT = [
    [1, 0, 0, 1, 0],
    [1, 1, 0, 1],
    [0, 1, 0, 0, 0, 0],
    [0, 0, 0, 0],
    [1, 1, 1, 1, 1],
    [1, 0, 1, 1, 1, 0, 1],
    [0, 1, 1, 1],
]
ANSWERS = [
    ["a", "x", "x", "b", "y"],
    ["a", "a", "x", "a"],
    ["x", "a", "x", "y", "z", "z"],
    ["x", "y", "y", "z"],
    ["a", "a", "a", "b", "b"],
    ["a", "x", "b", "b", "a", "x", "c"],
    ["y", "a", "b", "a"],
]
REFERENCES = [["a", "b", "c"]] * 7
SCORES = [
    [0.5, 0.25, 0.75, 1.0, 2.0],
    [0.5, 1.5, 2.5, 0.5],
    [3.0, 1.0, 2.0, 4.0, 0.0, 0.5],
    [1.0, 2.0, 3.0, 4.0],
    [2.0, 2.0, 1.0, 1.0, 3.0],
    [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75],
    [1.0, -1.0, 1.0, 0.0],
]
GRADES = [[abs(each - 0.25 * (i % 3) / 3) for i, each in enumerate(row)] for row in CORRECT]
GROUPS = ["easy", "hard", "hard", "hard", "easy", "easy", "hard"]
CLUSTERS = ["p", "p", "q", "r", "r", "r", "p"]
K = [1, 2, 3]
LEVEL = 0.9


def columns(module, config="default"):
    given = {"predictions": CORRECT} if config == "graded" else {"predictions": ANSWERS, "references": REFERENCES}
    return given | ({"scores": SCORES} if module.needs_scores else {})


def is_score(key):
    return "max@" in key


def expected_bars(values, stderr, m, *, score=False, confidence_level=LEVEL, method="beta"):
    """The three numbers beside a mean, from its standard error and units."""
    found = {}
    if not score:
        low, high = interval(fmean(values), stderr, m, confidence_level=confidence_level, method=method)
        found = {"ci_low": float(low), "ci_high": float(high)}
    elif stderr is not None:
        margin = student.ppf((1 + confidence_level) / 2, m - 1) * stderr
        plain = method == "t" or m != len(values)
        below, above = (margin, margin) if plain else spread(values, margin, confidence_level)
        found = {"ci_low": fmean(values) - below, "ci_high": fmean(values) + above}
    return found | ({} if stderr is None else {"stderr": stderr})


def spread(values, margin, level):
    """The margins of t, or those of the studentised bootstrap over problems where these are wider."""
    error = np.sort(np.array(values) - fmean(values))
    drawn = error[np.random.default_rng(0).integers(0, len(error), size=(999, len(error)))]
    drawn = drawn[np.ptp(drawn, axis=1) > 1e-9]
    found = np.sort(drawn.mean(axis=1) / stats.sem(drawn, axis=1))
    place = int((1 - level) / 2 * (len(found) + 1) + 1e-9)
    stderr = stats.sem(error)
    return max(margin, stderr * found[-place]), max(margin, -stderr * found[place - 1])


def bars_of(result, key):
    names = {name: f"{key}_{name}" for name in ("stderr", "ci_low", "ci_high")}
    return {name: result[each] for name, each in names.items() if each in result}


def exact_error(values):
    """√(Σ (v − mean)²/(M − 1)/M), rounded once; None for one value."""
    exact = list(map(Fraction, values))
    if len(exact) == 1:
        return None
    mean = sum(exact) / len(exact)
    return sqrt(sum((each - mean) ** 2 for each in exact) / (len(exact) - 1) / len(exact))


def exact_cluster_error(values, labels):
    """CR2, √(Σ_g e_g²/(1 − N_g/M))/M, and the effective number of clusters M²/Σ N_g²."""
    exact, sizes = list(map(Fraction, values)), Counter(labels)
    mean, total = sum(exact) / len(exact), dict.fromkeys(sizes, Fraction(0))
    for label, value in zip(labels, exact, strict=True):
        total[label] += value - mean
    m = len(exact) ** 2 / sum(size**2 for size in sizes.values())
    if len(sizes) == 1:
        return None, m
    spread = sum(total[label] ** 2 / (1 - Fraction(size, len(exact))) for label, size in sizes.items())
    return sqrt(spread) / len(exact), m


def members():
    return {"": list(range(7))} | {
        f"{label}/": [i for i, other in enumerate(GROUPS) if other == label] for label in dict.fromkeys(GROUPS)
    }


class TestOtherProblems:
    @every_module
    @every_config
    @for_each("clusters", [None, CLUSTERS, [3, 3, 1, 2, 2, 2, 3], np.array(CLUSTERS)])
    def test_every_key_of_all_and_of_each_group(self, module, config, clusters):
        result = module.load(config).compute(
            **columns(module, config), k=K, groups=GROUPS, confidence_level=LEVEL, clusters=clusters,
            return_details=True,
        )  # fmt: skip
        table = result.pop("details")["per_problem"]
        keys = [key for key in table if key not in ("n", "c")]
        assert keys
        for prefix, problems in members().items():
            for key in keys:
                values = [table[key][i] for i in problems]
                if clusters is None:
                    stderr, m = exact_error(values), len(values)
                else:
                    stderr, m = exact_cluster_error(values, [CLUSTERS[i] for i in problems])
                expected = expected_bars(values, stderr, m, score=is_score(key))
                assert bars_of(result, prefix + key) == pytest.approx(expected, rel=1e-12, abs=1e-15), prefix + key
        assert len(result) == 4 * len(keys) * len(members())

    def test_the_value_and_error_of_the_qwen_file(self):
        data = at_k.read_results("examples/data/qwen25_math.jsonl")
        result = PASS_AT_K.load("graded").compute(predictions=data["grades"], k=1, confidence_level=0.95)
        shares = [fmean(row) for row in data["grades"]]
        assert result["pass@1_stderr"] == pytest.approx(stdev(shares) / 10, rel=1e-12)
        # The interval that the documents show
        names = ["pass@1", "pass@1_stderr", "pass@1_ci_low", "pass@1_ci_high"]
        assert (list(result), [round(each, 3) for each in result.values()]) == (names, [0.91, 0.025, 0.847, 0.951])

    @every_module
    def test_one_problem(self, module):
        one = {name: column[:1] for name, column in columns(module).items()}
        result = module.load().compute(**one, k=2, confidence_level=0.95)
        for key, value in list(result.items()):
            if "_ci_" not in key:
                assert f"{key}_stderr" not in result
                # No problem varies, so nothing can be said of a score; a share stays in [0, 1].
                expected = expected_bars([value], None, 1, score=is_score(key), confidence_level=0.95)
                assert bars_of(result, key) == expected
                assert bool(bars_of(result, key)) is not is_score(key)

    @for_each("right, limits", [(1, [0.81268, 1.0]), (0, [0.0, 1 - 0.81268])])
    def test_equal_values_have_no_error_and_yet_a_width(self, right, limits):
        """statistics.md: fifteen ones give [.81268, 1]; fifteen zeros turn it around."""
        given = {"predictions": [[right] * 4] * 15, "k": 4, "thresholds": [0.5, 1.0], "confidence_level": 0.95}
        result = GPASSK.load("graded").compute(**given)
        for key in ("G-Pass@4_0.5", "G-Pass@4_1.0", "mG-Pass@4"):
            assert result[f"{key}_stderr"] == 0.0
            assert [result[f"{key}_ci_low"], result[f"{key}_ci_high"]] == pytest.approx(limits, abs=5e-6)
        rounded = AVG_AT_N.load("graded").compute(predictions=[[0.1, 0.1, 0.1]] * 7, confidence_level=0.95)
        assert rounded["accuracy_stderr"] == 0.0  # although the mean is not 0.1

    @for_each("higher", [True, False])
    def test_scores_have_the_interval_of_student_in_their_unit(self, higher):
        scores = [[100 * each for each in row] for row in SCORES]
        given = {**columns(BEST_AT_K), "k": [2], "higher_is_better": higher, "confidence_level": 0.95, "ci_method": "t"}
        small = BEST_AT_K.load().compute(**given)
        large = BEST_AT_K.load().compute(**given | {"scores": scores})
        values = [float(oracles.highest(row if higher else [-each for each in row], 2)) for row in SCORES]
        values = values if higher else [-each for each in values]
        assert small["max@2"] == pytest.approx(fmean(values))
        error = stdev(values) / sqrt(7)
        assert small["max@2_stderr"] == pytest.approx(error)
        margin = 2.446911851 * error  # the .975 quantile of t with 6 degrees of freedom, from tables
        assert small["max@2_ci_high"] - small["max@2"] == pytest.approx(margin, rel=1e-9)
        assert small["max@2"] - small["max@2_ci_low"] == pytest.approx(margin, rel=1e-9)
        for name in ("max@2", "max@2_stderr", "max@2_ci_low", "max@2_ci_high"):
            assert large[name] == pytest.approx(100 * small[name])

    @for_each("method", [*METHODS, "bootstrap"])
    def test_methods(self, method):
        result = BEST_AT_K.load().compute(
            **columns(BEST_AT_K), k=K, confidence_level=LEVEL, ci_method=method, return_details=True
        )
        table = result["details"]["per_problem"]
        for key in [f"{name}@{k}" for name in ("best", "max") for k in K]:
            values = table[key]
            if method == "bootstrap":
                low, high = bootstrap_interval(np.array(values), confidence_level=LEVEL)
                expected = {"stderr": exact_error(values), "ci_low": low, "ci_high": high}
            elif is_score(key) and method == "wald":
                margin = 1.6448536269514722 * exact_error(values)  # the .95 quantile of the normal distribution
                mean = fmean(values)
                expected = {"stderr": exact_error(values), "ci_low": mean - margin, "ci_high": mean + margin}
            else:
                expected = expected_bars(values, exact_error(values), 7, score=is_score(key), method=method)
            assert bars_of(result, key) == pytest.approx(expected, rel=1e-9), key
        assert f"|ci_method:{method}|" in result["details"]["signature"]


def leave_out(row):
    return [[*row[:i], *row[i + 1 :]] for i in range(len(row))]


def jackknife(value, *rows):
    """(n − 1)/n Σ (U₋ᵢ − mean)², with every sample left out in turn."""
    without = [value(*parts) for parts in zip(*map(leave_out, rows), strict=True)]
    mean = sum(without) / len(without)
    return (len(without) - 1) / len(without) * sum((each - mean) ** 2 for each in without)


PAIRS = [[[each, -abs(each - 1)] for each in row] for row in SCORES]
WEIGHTS = [[1.0 + (i * 7 + j * 3) % 4 for j in range(len(row))] for i, row in enumerate(CORRECT)]


# For each case: the module, its configuration, further columns and options, and for each key how the value of some
# samples is computed, by the public estimators, from which columns.
def of_counts(estimate, **more):
    return lambda k: lambda correct: float(estimate(len(correct), sum(correct), k=k, **more))


def of(estimate, **more):
    return lambda k: lambda *rows: float(estimate(*([row] for row in rows), k=k, **more)[0])


TAUS = [0.25, Fraction(2, 3), 1.0]
WEIGHTED = {"select": "weighted", "score_weights": [1.0, 3.0]}

# For each case: the module, its configuration, further columns and options, and for each key how the value of some
# samples is computed, by the public estimators, from which columns.
BY_LEAVING_OUT = {
    "pass": (PASS_AT_K, "default", {}, {"pass@{k}": (of_counts(at_k.pass_at_k), CORRECT)}),
    "G-Pass": (GPASSK, "graded", {"thresholds": TAUS}, {
        **{f"G-Pass@{{k}}_{tau}": (of_counts(at_k.g_pass_at_k, tau=tau), CORRECT) for tau in TAUS},
        "mG-Pass@{k}": (of_counts(at_k.mg_pass_at_k), CORRECT),
    }),
    # With "first", the order of fewer samples than all does not decide: they are a random draw.
    **{f"cons, {ties}": (CONS_AT_K, "default", {"ties": ties}, {
        "cons@{k}": (of(at_k.cons_at_k, ties="random" if ties == "first" else ties), ANSWERS, CORRECT),
    }) for ties in oracles.TIES},
    "cons of grades": (CONS_AT_K, "graded", {}, {"cons@{k}": (of_counts(at_k.majority_at_k), CORRECT)}),
    **{f"best, {select}": (BEST_AT_K, "default", {"scores": PAIRS, "select": select}, {
        "best@{k}": (of(at_k.best_at_k, select=select), PAIRS, CORRECT),
    }) for select in ("lexicographic", "pareto")},
    "best, weighted": (BEST_AT_K, "graded", {"scores": PAIRS, **WEIGHTED}, {
        "best@{k}": (of(at_k.best_at_k, **WEIGHTED), PAIRS, CORRECT),
        "max@{k}": (of(at_k.max_at_k, **WEIGHTED), PAIRS),
    }),
    **{f"best, higher is better: {higher}": (BEST_AT_K, "default", {"higher_is_better": higher}, {
        "best@{k}": (of(at_k.best_at_k, higher_is_better=higher), SCORES, CORRECT),
        "max@{k}": (of(at_k.max_at_k, higher_is_better=higher), SCORES),
    }) for higher in (True, False)},
}  # fmt: skip


def find_worst(value, rows=None):
    """The largest variance that the value of any counts can have, for an n that some problem has."""
    return max(
        jackknife(value, [1] * c + [0] * (n - c))
        for n in {len(row) for row in (CORRECT if rows is None else rows)}
        for c in range(n + 1)
    )


class TestOtherSamples:
    @for_each("case", BY_LEAVING_OUT)
    def test_every_key_of_all_and_of_each_group(self, case):
        module, config, more, keys = BY_LEAVING_OUT[case]
        result = module.load(config).compute(
            **columns(module, config) | more, k=K, groups=GROUPS, confidence_level=LEVEL, target="problem_set",
            return_details=True,
        )  # fmt: skip
        table = result.pop("details")["per_problem"]
        assert {key.format(k=k) for key in keys for k in K} == table.keys() - {"n", "c"}
        for pattern, (make, *rows) in keys.items():
            for k in K:
                key = pattern.format(k=k)
                worst = find_worst(make(k)) if rows == [CORRECT] else None
                variances = [jackknife(make(k), *own) for own in zip(*rows, strict=True)]
                self.check(result, key, table[key], variances, k, worst)

    def check(self, result, key, values, variances, k, worst=None):
        """`worst` is the variance of a metric of counts at the worst c; None takes the largest of the problems."""
        for prefix, problems in members().items():
            own = [variances[i] for i in problems]
            stderr = sqrt(sum(own) + (max(own) if worst is None else worst)) / len(problems)
            m = sum(len(CORRECT[i]) // k for i in problems)
            expected = expected_bars([values[i] for i in problems], stderr, m, score=is_score(key))
            assert bars_of(result, prefix + key) == pytest.approx(expected, rel=1e-9, abs=1e-12), prefix + key

    def test_averages(self):
        given = {"predictions": GRADES, "groups": GROUPS, "confidence_level": LEVEL, "target": "problem_set"}
        result = AVG_AT_N.load("graded").compute(**given, return_details=True)
        table, worst = result.pop("details")["per_problem"], find_worst(fmean)
        for key, rows in (("avg@n", CORRECT), ("accuracy", GRADES)):
            self.check(result, key, table[key], [jackknife(fmean, row) for row in rows], 1, worst)

    def test_weighted_votes(self):
        given = {**columns(CONS_AT_K), "weights": WEIGHTS, "k": K, "target": "problem_set"}
        result = CONS_AT_K.load().compute(**given, groups=GROUPS, confidence_level=LEVEL, return_details=True)
        table = result.pop("details")["per_problem"]
        for k in K:

            def value(answers, correct, weights, k=k):
                return float(oracles.cons(answers, correct, k, weights=weights))

            variances = [jackknife(value, *rows) for rows in zip(ANSWERS, CORRECT, WEIGHTS, strict=True)]
            self.check(result, f"cons@{k}", table[f"cons@{k}"], variances, k)
        # "first" of a weighted vote is random in a draw.
        equal = given | {"weights": [[1.0] * len(row) for row in CORRECT], "confidence_level": 0.95}
        assert CONS_AT_K.load().compute(**equal, ties="first") == CONS_AT_K.load().compute(**equal)

    def test_a_majority_of_conflicting_grades_is_that_of_all_samples(self):
        votes = [["a", "a", "a", "b", "b"], ["a", "b", "b", "b", "b"], ["a", "a", "c", "c", "d"]]
        grades = [[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [0, 0, 1, 1, 0]]
        settled = [oracles.settle_by_majority(*rows) for rows in zip(votes, grades, strict=True)]
        given = {"predictions": votes, "grades": grades, "k": K, "confidence_level": 0.95, "target": "problem_set"}
        result = CONS_AT_K.load().compute(**given, on_conflict="majority")
        for k in K:
            variances = [jackknife(of(at_k.cons_at_k)(k), *rows) for rows in zip(votes, settled, strict=True)]
            assert result[f"cons@{k}_stderr"] == pytest.approx(sqrt(sum(variances) + max(variances)) / 3, rel=1e-9)

    @for_each("target", ["population", "problem_set"])
    @for_each("large", [4e150, -5e307])
    def test_values_whose_squares_are_no_floats_have_none(self, target, large):
        data = {"grades": [[1, 0, 1], [1, 1, 0], [0, 1, 0]], "scores": [[large] * 3, [2, 1, 5], [1, -2, 4]]}
        report = at_k.score(data, k=[1, 2], target=target)
        assert report.values["max@1"] == pytest.approx(large / 3, rel=1e-12)
        assert {"max@1", "max@2"} == report.values.keys() - report.intervals.keys()

    @for_each("missing_grade", [None, float("nan")])
    def test_a_missing_grade_is_a_wrong_one(self, missing_grade):
        rows = [[1.0, missing_grade, 0.0, 0.6], [1.0, 0.0, 1.0], [0.2, 0.4, missing_grade, missing_grade]]
        wrong = [[each if each == each and each is not None else 0.0 for each in row] for row in rows]  # noqa: PLR0124
        options = {"missing": "incorrect", "target": "problem_set", "k": [1, 2]}
        found, expected = (at_k.score({"grades": grades}, **options) for grades in (rows, wrong))
        assert found.intervals == expected.intervals
        variances = [jackknife(fmean, row) for row in wrong]
        expected = sqrt(sum(variances) + find_worst(fmean, wrong)) / 3
        assert found.intervals["accuracy"].stderr == pytest.approx(expected, rel=1e-9)

    def test_samples_without_an_answer_cast_no_vote(self):
        answers = [["a", None, "x", "b", "a"], ["x", "a", None, None, "a", "a"], ["x", "x", "a", "y", "b"]]
        correct = [[int(each in ("a", "b")) for each in row] for row in answers]
        given = {"missing": "incorrect", "confidence_level": 0.95, "target": "problem_set"}
        result = CONS_AT_K.load().compute(predictions=answers, references=[["a", "b"]] * 3, k=2, **given)
        votes = [jackknife(of(at_k.cons_at_k)(2), *rows) for rows in zip(answers, correct, strict=True)]
        assert result["cons@2_stderr"] == pytest.approx(sqrt(sum(votes) + max(votes)) / 3, rel=1e-9)

    @every_module
    @every_config
    def test_all_samples_are_an_upper_bound(self, module, config):
        given = {**columns(module, config), "k": [3, 4], "confidence_level": 0.95}  # 4 is all samples of some problems
        population = module.load(config).compute(**given)
        found = module.load(config).compute(**given, target="problem_set")
        assert found.keys() == population.keys()
        for key in population:
            # avg@n and accuracy have no k: their samples tell how much they vary.
            same = re.search("[@^]4", key) or not any(part in key for part in ("_stderr", "_ci_"))
            assert (found[key] == pytest.approx(population[key], rel=1e-12)) is bool(same), key

    def test_a_report_says_so(self):
        data = {"grades": CORRECT, "scores": SCORES}
        report = at_k.score(data, k=[3, 4], target="problem_set", groups=GROUPS)
        assert {key.k for key, bar in report.intervals.items() if bar.is_upper_bound} == {4}
        assert [note.code for note in report.notes[:2]] == ["note.intervals_problem_set", "note.upper_bound"]
        assert report.notes[1].values == {"k": "4"}
        easy = report.group_intervals["easy"]  # whose problems have 5 samples at least
        assert not any(bar.is_upper_bound for bar in easy.values())
        assert "note.upper_bound" not in [note.code for note in at_k.score(data, k=[3, 4]).notes]

    def test_one_sample_of_one_problem(self):
        compute, given = PASS_AT_K.load("graded").compute, {"predictions": [[1]], "k": 1, "confidence_level": 0.95}
        result = compute(**given, target="problem_set")
        assert result == compute(**given)
        assert "pass@1_stderr" not in result


class TestSpelling:
    def test_errors_of_simulations_stand_beside(self):
        points = [[[i % 7, (i * 3) % 11] for i in range(20)] for _ in range(2)]
        grades = [[float(i % 3 == 0) for i in range(20)], [float(i % 4 == 0) for i in range(20)]]
        result = BEST_AT_K.load("graded").compute(
            predictions=grades, scores=points, k=10, select="pareto", confidence_level=0.95
        )
        assert list(result) == [f"best@10{end}" for end in ("", "_mcse", "_stderr", "_ci_low", "_ci_high")]
        assert 0 < result["best@10_mcse"] < result["best@10_stderr"]

    @every_module
    def test_without_a_level_nothing_is_added(self, module):
        given = {**columns(module), "k": 2, "return_details": True}
        bare = module.load().compute(**given)
        assert not any("_ci_" in key or "_stderr" in key for key in bare)
        assert module.load().compute(**given, clusters=CLUSTERS, ci_method="t", confidence_level=None) == bare

    @every_module
    @for_each("options, said", [
        ({}, "|ci:0.9|target:population|ci_method:beta|"),
        ({"target": "problem_set"}, "|ci:0.9|target:problem_set|ci_method:beta|"),
        ({"clusters": CLUSTERS, "ci_method": "t"}, "|ci:0.9|target:population|ci_method:t|clusters:3|"),
    ])  # fmt: skip
    def test_signatures(self, module, options, said):
        details = module.load().compute(
            **columns(module), k=2, confidence_level=LEVEL, return_details=True, **options
        )["details"]  # fmt: skip
        assert said in details["signature"]
        assert "_ci_low" not in str(details["per_problem"])


class TestSummarize:
    def test_columns_outside_the_unit_interval(self):
        rewards, shares = [-1.0, 0.5, 2.0, 0.25], [0.0, 0.5, 1.0, 0.25]
        groups = ["a", "b", "a", "b"]
        result = at_k.summarize({"reward": rewards, "share": shares}, groups=groups, confidence_level=LEVEL)
        for prefix, problems in (("", [0, 1, 2, 3]), ("a/", [0, 2]), ("b/", [1, 3])):
            for key, column in (("reward", rewards), ("share", shares)):
                values = [column[i] for i in problems]
                # The rewards of group b lie in [0, 1] by chance: they are rewards all the same.
                expected = expected_bars(values, exact_error(values), len(values), score=key == "reward")
                assert bars_of(result, prefix + key) == pytest.approx(expected, rel=1e-12), prefix + key

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
        refuses(says, at_k.summarize, {"x": [0.5, 1.0, 0.0]}, **{"confidence_level": 0.95, **options})


def test_other_samples_need_the_samples():
    key = Key("pass@k", 1)
    says = "ValueError: the samples of the problems are not known"
    refuses(says, find_error_bars, {key: Column.of([0.5, 1.0])}, {key: 0.75}, Confidence(0.95, "problem_set"))


@every_config
@for_each("target", ["population", "problem_set"])
def test_every_number_of_a_report_has_an_error_bar(target, config):
    data = {"grades": CORRECT} if config == "graded" else {"answers": ANSWERS, "references": REFERENCES}
    report = at_k.score({**data, "scores": SCORES, "group": GROUPS}, target=target)
    blocks = [(report.values, report.intervals)]
    blocks += [(values, report.group_intervals[label]) for label, values in report.groups.items()]
    for values, bars in blocks:
        assert list(bars) == list(values)
        for key, bar in bars.items():
            assert bar.stderr is not None
            assert bar.low <= values[key] <= bar.high


def test_scores_have_no_range_even_if_they_lie_in_it():
    values = [0.1, 0.9, 0.4]
    keys = dict.fromkeys([Key("max@k", 2), Key("best@k", 2), "max@4", "best@4", "mine"], Column.of(values))
    bars = find_error_bars(keys, dict.fromkeys(keys, fmean(values)), Confidence(LEVEL))
    for key, bar in bars.items():
        expected = expected_bars(values, exact_error(values), 3, score=is_score(key))
        assert bar == pytest.approx((expected["stderr"], expected["ci_low"], expected["ci_high"], False, False)), key
        assert is_bounded(key) is not is_score(key)


@pytest.mark.parametrize("method", ["beta", "t", "wald", "bootstrap"])
@pytest.mark.parametrize("clusters", [None, ["a", "a", "b"]])
def test_equal_scores_have_no_interval_rather_than_one_without_width(method, clusters):
    """Once 2.0 [2.0, 2.0]: three equal scores do not show how far others may lie."""
    keys = [Key("max@k", 2), Key("best@k", 2)]
    for values, found in (([2.0, 2.0, 2.0], [keys[1]]), ([2.0, 2.0, 2.5], keys)):
        columns = {keys[0]: Column.of(values), keys[1]: Column.of([0.5, 0.5, 0.5])}
        wanted = Confidence(LEVEL, clusters=clusters, method=method)
        assert list(find_error_bars(columns, {keys[0]: fmean(values), keys[1]: 0.5}, wanted)) == found


def test_skewed_scores_are_marked_and_have_a_wider_upper_end():
    key = Key("max@k", 4)

    def find(values, **options):
        return find_error_bars({key: Column.of(values)}, {key: values.mean()}, Confidence(0.95, **options))[key]

    values = np.append(np.linspace(0, 1, 29), 30.0)
    bar, student = find(values), find(values, method="t")
    assert (bar.is_skewed, student.is_skewed) == (True, True)
    assert bar.low <= student.low < student.high < bar.high
    assert find(values[::-1].copy()) == pytest.approx(bar, rel=1e-9)
    assert not find(values[:29]).is_skewed
    scores = [[float(i % 5), float(i % 3)] for i in range(20)] + [[900.0, 1.0]]
    reports = [at_k.score({"grades": [[1, 0]] * size, "scores": scores[:size]}) for size in (21, 20)]
    skewed, even = ([note.values["keys"] for note in report.notes if note.code == "note.skewed"] for report in reports)
    assert (skewed, even) == (["max@1, max@2"], [])


@for_each("spread, problems", [(0.5, 15), (1, 15), (1, 30)])
def test_lognormal_scores_are_covered(spread, problems):
    """Of 500 data sets: a coverage of .94 has a standard error of .011."""
    rng = np.random.default_rng(0)

    def draw(count):
        return at_k.max_at_k(np.exp(spread * rng.standard_normal((count, 8))), k=4)

    truth, sets = draw(200_000).mean(), {Key("max@k", number): draw(problems) for number in range(1, 501)}
    columns = {key: Column.of(values) for key, values in sets.items()}
    bars = find_error_bars(columns, {key: values.mean() for key, values in sets.items()}, Confidence(0.95))
    assert np.mean([bar.low <= truth <= bar.high for bar in bars.values()]) >= 0.92


def test_nothing_is_wanted_or_there_is_nothing():
    assert find_error_bars({Key("pass@k", 1): Column.of([0.5])}, {Key("pass@k", 1): 0.5}, Confidence()) == {}
    assert find_error_bars({}, {}, Confidence(0.95)) == {}
    assert Confidence(clusters=["a"]).conditions() == {}


LEVELS = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=5, unique=True)


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

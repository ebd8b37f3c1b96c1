"""Error bars beside every number: standard errors in exact rationals, and by leaving out one sample after the other."""

import re
from fractions import Fraction
from math import isnan, sqrt
from statistics import fmean

import numpy as np
import oracles
import pytest
from bars import (
    ANSWERS,
    CLUSTERS,
    CORRECT,
    GRADES,
    GROUPS,
    LEVEL,
    SCORES,
    K,
    bars_of,
    columns,
    exact_cluster_error,
    exact_error,
    expected_bars,
    is_score,
    members,
)
from cases import for_each
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, PASS_AT_K, every_config, every_module

import at_k
from at_k.options.registry import METHODS


class TestOtherProblems:
    @every_module
    @every_config
    @for_each("clusters", [None, CLUSTERS, [3, 3, 1, 2, 2, 2, 3], np.array(CLUSTERS)])
    def test_every_key_of_all_and_of_each_group(self, module, config, clusters):
        result = module.call(
            config,
            **columns(module, config),
            k=K,
            groups=GROUPS,
            confidence_level=LEVEL,
            clusters=clusters,
            return_details=True,
        )
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
                assert bars_of(result, prefix + key) == pytest.approx(
                    expected, rel=1e-12, abs=1e-15
                ), prefix + key
        assert len(result) == 4 * len(keys) * len(members())

    @every_module
    def test_one_problem(self, module):
        one = {name: column[:1] for name, column in columns(module).items()}
        result = module.call(**one, k=2, confidence_level=0.95)
        for key, value in list(result.items()):
            if "_ci_" not in key:
                assert f"{key}_stderr" not in result
                # No problem varies, so nothing can be said of a score; a share stays in [0, 1].
                expected = expected_bars(
                    [value], None, 1, score=is_score(key), confidence_level=0.95
                )
                assert bars_of(result, key) == expected
                assert bool(bars_of(result, key)) is not is_score(key)

    @for_each("method", METHODS)
    def test_methods(self, method):
        result = BEST_AT_K.load().compute(
            **columns(BEST_AT_K), k=K, confidence_level=LEVEL, ci_method=method, return_details=True
        )
        table = result["details"]["per_problem"]
        for key in [f"{name}@{k}" for name in ("best", "max") for k in K]:
            values = table[key]
            if is_score(key) and method == "wald":
                margin = 1.6448536269514722 * exact_error(
                    values
                )  # the .95 quantile of the normal distribution
                mean = fmean(values)
                expected = {
                    "stderr": exact_error(values),
                    "ci_low": mean - margin,
                    "ci_high": mean + margin,
                }
            else:
                expected = expected_bars(
                    values, exact_error(values), 7, score=is_score(key), method=method
                )
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
        **{f"G-Pass@{{k}}_{tau}": (of_counts(at_k.g_pass_at_k, thresholds=tau), CORRECT) for tau in TAUS},
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
        result = module.call(
            config,
            **columns(module, config) | more,
            k=K,
            groups=GROUPS,
            confidence_level=LEVEL,
            target="problem_set",
            return_details=True,
        )
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
            assert bars_of(result, prefix + key) == pytest.approx(expected, rel=1e-9, abs=1e-12), (
                prefix + key
            )

    def test_averages(self):
        given = {
            "predictions": GRADES,
            "groups": GROUPS,
            "confidence_level": LEVEL,
            "target": "problem_set",
        }
        result = AVG_AT_N.load("graded").compute(**given, return_details=True)
        table, worst = result.pop("details")["per_problem"], find_worst(fmean)
        for key, rows in (("avg@n", CORRECT), ("accuracy", GRADES)):
            self.check(result, key, table[key], [jackknife(fmean, row) for row in rows], 1, worst)

    def test_weighted_votes(self):
        given = {**columns(CONS_AT_K), "weights": WEIGHTS, "k": K, "target": "problem_set"}
        result = CONS_AT_K.load().compute(
            **given, groups=GROUPS, confidence_level=LEVEL, return_details=True
        )
        table = result.pop("details")["per_problem"]
        for k in K:

            def value(answers, correct, weights, k=k):
                return float(oracles.cons(answers, correct, k, weights=weights))

            variances = [
                jackknife(value, *rows) for rows in zip(ANSWERS, CORRECT, WEIGHTS, strict=True)
            ]
            self.check(result, f"cons@{k}", table[f"cons@{k}"], variances, k)
        # "first" of a weighted vote is random in a draw.
        equal = given | {"weights": [[1.0] * len(row) for row in CORRECT], "confidence_level": 0.95}
        assert CONS_AT_K.load().compute(**equal, ties="first") == CONS_AT_K.load().compute(**equal)

    def test_a_majority_of_conflicting_grades_is_that_of_all_samples(self):
        votes = [["a", "a", "a", "b", "b"], ["a", "b", "b", "b", "b"], ["a", "a", "c", "c", "d"]]
        grades = [[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [0, 0, 1, 1, 0]]
        settled = [oracles.settle_by_majority(*rows) for rows in zip(votes, grades, strict=True)]
        given = {
            "predictions": votes,
            "grades": grades,
            "k": K,
            "confidence_level": 0.95,
            "target": "problem_set",
        }
        result = CONS_AT_K.load().compute(**given, on_conflict="majority")
        for k in K:
            variances = [
                jackknife(of(at_k.cons_at_k)(k), *rows) for rows in zip(votes, settled, strict=True)
            ]
            assert result[f"cons@{k}_stderr"] == pytest.approx(
                sqrt(sum(variances) + max(variances)) / 3, rel=1e-9
            )

    @for_each("target", ["population", "problem_set"])
    @for_each("large", [4e150, -5e307])
    def test_values_whose_squares_are_no_floats_have_none(self, target, large):
        data = {
            "grades": [[1, 0, 1], [1, 1, 0], [0, 1, 0]],
            "scores": [[large] * 3, [2, 1, 5], [1, -2, 4]],
        }
        report = at_k.score(data, k=[1, 2], target=target)
        assert report.values["max@1"] == pytest.approx(large / 3, rel=1e-12)
        assert {"max@1", "max@2"} == report.values.keys() - report.intervals.keys()

    @for_each("missing_grade", [None, float("nan")])
    def test_a_missing_grade_is_a_wrong_one(self, missing_grade):
        rows = [
            [1.0, missing_grade, 0.0, 0.6],
            [1.0, 0.0, 1.0],
            [0.2, 0.4, missing_grade, missing_grade],
        ]
        wrong = [[0.0 if each is None or isnan(each) else each for each in row] for row in rows]
        options = {"missing": "incorrect", "target": "problem_set", "k": [1, 2]}
        found, expected = (at_k.score({"grades": grades}, **options) for grades in (rows, wrong))
        assert found.intervals == expected.intervals
        variances = [jackknife(fmean, row) for row in wrong]
        expected = sqrt(sum(variances) + find_worst(fmean, wrong)) / 3
        assert found.intervals["accuracy"].stderr == pytest.approx(expected, rel=1e-9)

    @every_module
    @every_config
    def test_all_samples_are_an_upper_bound(self, module, config):
        given = {
            **columns(module, config),
            "k": [3, 4],
            "confidence_level": 0.95,
        }  # 4 is all samples of some problems
        population = module.call(config, **given)
        found = module.call(config, **given, target="problem_set")
        assert found.keys() == population.keys()
        for key in population:
            # avg@n and accuracy have no k: their samples tell how much they vary.
            same = re.search("[@^]4", key) or not any(part in key for part in ("_stderr", "_ci_"))
            assert (found[key] == pytest.approx(population[key], rel=1e-12)) is bool(same), key

    def test_a_report_says_so(self):
        data = {"grades": CORRECT, "scores": SCORES}
        report = at_k.score(data, k=[3, 4], target="problem_set", groups=GROUPS)
        assert {key.k for key, bar in report.intervals.items() if bar.is_upper_bound} == {4}
        assert [note.code for note in report.notes[:2]] == [
            "note.intervals_problem_set",
            "note.upper_bound",
        ]
        assert report.notes[1].values == {"k": "4"}
        easy = report.group_intervals["easy"]  # whose problems have 5 samples at least
        assert not any(bar.is_upper_bound for bar in easy.values())
        assert "note.upper_bound" not in [note.code for note in at_k.score(data, k=[3, 4]).notes]


class TestSpelling:
    def test_errors_of_simulations_stand_beside(self):
        points = [[[i % 7, (i * 3) % 11] for i in range(20)] for _ in range(2)]
        grades = [[float(i % 3 == 0) for i in range(20)], [float(i % 4 == 0) for i in range(20)]]
        result = BEST_AT_K.load("graded").compute(
            predictions=grades, scores=points, k=10, select="pareto", confidence_level=0.95
        )
        assert list(result) == [
            f"best@10{end}" for end in ("", "_mcse", "_stderr", "_ci_low", "_ci_high")
        ]
        assert 0 < result["best@10_mcse"] < result["best@10_stderr"]

    @every_module
    def test_without_a_level_nothing_is_added(self, module):
        given = {**columns(module), "k": 2, "return_details": True}
        bare = module.call(**given)
        assert not any("_ci_" in key or "_stderr" in key for key in bare)
        assert module.call(**given, clusters=CLUSTERS, ci_method="t", confidence_level=None) == bare

"""The metrics that samples allow, the reasons why others are left out, and the curves."""

from itertools import pairwise

import numpy as np
import pytest
from cases import for_each, refuses
from reports import DATA, RAGGED, TAUS, full_report, simulated_report

import at_k
from at_k.report.measuring import spread_k


@pytest.mark.parametrize("data", [DATA, RAGGED], ids=["equal n", "different n"])
def test_curves_are_the_values_at_every_k(data):
    report = at_k.score(data, k=[1, 2, 3], thresholds=TAUS)
    smallest = min(report.n)
    assert report.curves.k == tuple(range(1, smallest + 1))
    for k in range(1, smallest + 1):
        single = at_k.score(data, k=k, thresholds=TAUS)
        shares = {
            key: value
            for key, value in single.values.items()
            if key != "accuracy" and key.metric != "max@k"
        }
        drawn = {line: values[k - 1] for line, values in report.curves.lines.items()}
        assert drawn == pytest.approx({key.line: value for key, value in shares.items()}, rel=1e-15)


def test_a_long_curve_has_few_points_and_those_asked_for():
    report = at_k.score({"grades": [[1] * 30 + [0] * 970]}, k=[3, 5, 777])
    k = report.curves.k
    assert len(k) < 80
    assert {1, 3, 5, 777, 1000} <= set(k)
    assert list(k) == sorted(set(k))
    for each in (3, 5, 777):
        assert report.curves.lines["pass@k"][k.index(each)] == report.values[f"pass@{each}"]


@for_each("columns, left_out", [
    (("answers", "references", "scores"), {}),
    (("answers", "references"), {"best_at_k": "left_out.no_scores"}),
])  # fmt: skip
def test_metrics_that_the_columns_allow(columns, left_out):
    report = at_k.score({name: DATA[name] for name in columns})
    assert [*report.metrics] == [name for name in at_k.METRICS if name not in left_out]
    assert {name: reason.code for name, reason in report.left_out.items()} == left_out
    assert report.problems == ["0", "1", "2", "3"]
    assert (report.labels, report.groups, report.sizes) == (None, {}, {})


def test_a_conflict_leaves_the_vote_out_alone():
    data = {"answers": [["a", "b"], ["c", "c"]], "grades": [[1, 0], [1, 0]]}
    report = at_k.score(data, k=[1, 2])
    assert list(report.metrics) == [
        name for name in at_k.METRICS if name not in ("cons_at_k", "best_at_k")
    ]
    assert report.left_out["cons_at_k"].code == "left_out.conflict"
    reason = str(report.left_out["cons_at_k"])
    for words in (
        "'c'",
        "problem index 1, sample index 0",
        "problem index 1, sample index 1",
        "on_conflict",
    ):
        assert words in reason
    assert reason in report.to_markdown()
    settled = at_k.score(data, k=[1, 2], on_conflict="majority")
    assert settled.values["cons@1"] == 0.25  # "c" is right in half of its samples: wrong
    assert "|on_conflict:majority|" in settled.signatures["cons_at_k"]
    refuses("InputError: cons@k is left out", at_k.score, data, metrics="cons_at_k")


def test_a_column_of_whole_texts_is_no_vote():
    texts = [[f"text {problem} {sample}" for sample in range(10)] for problem in range(5)]
    report = at_k.score({"answers": texts, "references": [row[0] for row in texts]})
    assert report.left_out["cons_at_k"].code == "left_out.scatter"
    assert report.left_out["cons_at_k"].values == {"title": "cons@k", "repeats": 0, "chances": 45}
    texts[0][1] = texts[0][0]  # 1 of 45 repeats: more than 2 %
    assert (
        "cons@1" in at_k.score({"answers": texts, "references": [row[0] for row in texts]}).values
    )


def test_scores_that_do_not_fit_leave_the_choice_out():
    data = DATA | {"scores": [[1.0, 2.0, None, 4.0]] * 4}
    report = at_k.score(data, k=2)
    assert "best_at_k" in report.left_out
    assert "problem index 0, sample index 2" in str(report.left_out["best_at_k"])
    dimensions = at_k.score(DATA | {"scores": [[[1.0, 2.0]] * 4] * 4}, k=2)
    assert "`select`" in str(dimensions.left_out["best_at_k"])


def test_simulated_values_have_their_error_and_seed():
    report = simulated_report()
    assert 0 < report.errors["best@10"] < 0.02
    assert report.values == simulated_report.__wrapped__().values
    assert "estimator:simulated(seed=0)" in report.signatures["best_at_k"]
    assert full_report().errors == {}


def test_bands_are_the_intervals_of_the_table():
    report = at_k.score(DATA, k=[1, 2, 4], thresholds=TAUS, confidence_level=0.9, clusters=True)
    curves = report.curves
    for line, limits in curves.bands.items():
        for k, found in zip(curves.k, limits, strict=True):
            keys = [
                key
                for key in report.values
                if (key.line == line and key.k in (k, None)) or key == line
            ]
            keys += [key for key in report.values if key.line == line and line == "avg@n"]
            for key in keys:
                assert found == pytest.approx(report.intervals[key][1:3], rel=1e-12)
    assert set(curves.bands) == set(curves.lines)
    for nothing in ({"confidence_level": None}, {"target": "problem_set"}):
        assert at_k.score(DATA, k=1, **nothing).curves.bands == {}


def test_every_k_up_to_64_and_then_64_of_them():
    for n in (1, 2, 63, 64):
        assert spread_k(n) == tuple(range(1, n + 1))
    for n in (65, 100, 1000, 10**6):
        spread = spread_k(n)
        assert (spread[0], spread[-1]) == (1, n)
        assert len(spread) <= 64
        assert all(low < high for low, high in pairwise(spread))
        ratios = np.diff(np.log([k for k in spread if k > 50]))
        assert ratios.max() < 0.3  # no gap on a logarithmic axis
    assert set(spread_k(1000, 777, 3)) == {*spread_k(1000), 777, 3}
    assert list(spread_k(1000, 777, 3)) == sorted(spread_k(1000, 777, 3))


def test_k_is_what_was_drawn_and_not_n():
    assert at_k.score({"grades": [[1, 0, 1]]}, metrics="avg_at_n").k == ()
    assert at_k.score({"grades": [[1, 0, 1]]}, k=[2, 1]).k == (1, 2)

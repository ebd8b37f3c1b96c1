"""Curves: the k that are drawn, and the keys of their points."""

from itertools import pairwise

import numpy as np
import pytest

from at_k.error_bars import NO_ERROR_BARS, Confidence
from at_k.report.curves import spread_k, trace
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import standard_error
from at_k.values import Column, Key, Values


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


def test_lines_of_metrics_with_and_without_k():
    def compute(draws):
        columns = {Key("best@k", k): Column.of([1 / k, 0]) for k in draws}
        columns |= {Key("max@k", k): Column.of([k, k]) for k in draws}
        return Values(columns)

    average = Values({Key("avg@n", 3): Column.of([1, 0.5]), Key("accuracy"): Column.of([0.5, 0.5])})
    assert trace((1, 2, 3), compute([1, 2]), NO_ERROR_BARS) == ({"best@k": (0.5, 0.25, None)}, {})
    assert trace((1, 2, 3), average, NO_ERROR_BARS) == ({"avg@n": (0.75, 0.75, 0.75)}, {})


@pytest.mark.parametrize("clusters", [None, ["a", "b", "b"]])
def test_bands_are_the_intervals_of_the_values(clusters):
    values = {1: [0.25, 0.5, 1.0], 2: [0.5, 1.0, 1.0]}
    wanted = Confidence(0.9, clusters=clusters)

    def compute(draws):
        columns = {Key("best@k", k): Column.of(values[k]) for k in draws}
        return Values(columns | {Key("max@k", k): Column.of([k, k, 2]) for k in draws})

    average = Values(
        {Key("avg@n", 3): Column(np.array([0.0, 1.0]), np.array([1, 0, 1])), Key("accuracy"): Column.of([1])}
    )
    traced = [trace((1, 2, 3), each, wanted) for each in (compute([1, 2]), average)]
    bands = traced[0][1] | traced[1][1]
    expected = {
        k: interval(np.mean(each), *standard_error(each, clusters=clusters), confidence_level=0.9)
        for k, each in values.items()
    }
    assert bands["best@k"] == (pytest.approx(expected[1]), pytest.approx(expected[2]), None)
    overall = interval(2 / 3, *standard_error([1, 0, 1], clusters=clusters), confidence_level=0.9)
    assert bands["avg@n"] == (pytest.approx(overall),) * 3
    assert set(bands) == {key for lines, _ in traced for key in lines} == {"best@k", "avg@n"}

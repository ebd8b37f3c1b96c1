"""What the rules look at: which values, and with which intervals."""

import pytest
from diagnoses import grades, votes

from at_k import Key
from at_k.analysis.diagnosis import diagnose
from at_k.analysis.findings import Findings


def test_without_intervals_those_of_the_default_level_are_used():
    data = grades((20, 1), n=4)
    assert diagnose(data, confidence_level=None).to_dict() == diagnose(data).to_dict()


def test_clusters_widen_the_interval_of_a_difference():
    data = votes(*["aab"] * 10, *["abb"] * 10, *["aaa"] * 20)
    labels = ["x"] * 10 + ["y"] * 10 + ["z"] * 20
    alone = diagnose(data).figures["cons_minus_avg"]
    found = diagnose(data, clusters=labels).figures["cons_minus_avg"]
    assert found["value"] == pytest.approx(alone["value"], abs=1e-12)
    assert found["high"] - found["low"] > alone["high"] - alone["low"]


def test_the_largest_k_is_looked_at():
    found = diagnose(votes("aabb", "abbb"), k=[1, 4, 2])
    assert Findings(found.report).keys == {
        "pass@k": Key("pass@k", 4), "cons@k": Key("cons@k", 4), "avg@n": Key("avg@n", 4)
    }  # fmt: skip

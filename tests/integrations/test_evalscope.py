"""The classes and the registry of evalscope 1.14.1, as far as they are used."""

from types import SimpleNamespace

import pytest
from integrations.fakes import load_plugin


@pytest.fixture
def aggregation(monkeypatch):
    registered = {}
    modules = {
        "evalscope.api.metric": {"Aggregator": object, "SampleScore": object, "AggScore": SimpleNamespace},
        "evalscope.api.registry": {
            "get_aggregation": lambda name: lambda: lambda scores: [name],
            "register_aggregation": lambda name: lambda kind: registered.setdefault(name, kind),
        },
    }
    load_plugin(monkeypatch, "evalscope", modules)
    return registered["at_k"]


def make(group, value, answer):
    return SimpleNamespace(group_id=group, sample_id=0, score=SimpleNamespace(value=value, extracted_prediction=answer))


def test_every_metric_of_the_samples(aggregation):
    scores = [make(0, {"acc": 1, "f1": 0.2}, "7"), make(0, {"acc": 0, "f1": 0.9}, "8"), make(1, {"acc": 0}, "")]
    mean, *own = aggregation()(scores)
    assert mean == "mean"  # evalscope's own, which its benchmarks take for their conclusion
    found = {(each.metric_name, each.aggregation): each for each in own}
    assert found["acc", "pass_at_1"].score == 0.25
    assert found["acc", "cons_at_1"].score == 0.25
    assert found["f1", "pass_at_2"].score == 1
    assert (found["acc", "pass_at_1"].num, found["f1", "pass_at_1"].num) == (3, 2)
    limits = found["acc", "pass_at_1"].metadata
    assert limits["ci_low"] < 0.25 < limits["ci_high"]
    assert limits["stderr"] == 0.25


def test_nothing_but_the_mean_of_samples_that_were_not_scored(aggregation):
    assert aggregation()([make(0, {"acc": None}, "7")]) == ["mean"]

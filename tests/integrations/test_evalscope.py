"""The classes and the registry of evalscope 1.14.1, as far as they are used."""

from types import SimpleNamespace

import pytest
from integrations.fakes import load_plugin


@pytest.fixture
def aggregation(monkeypatch):
    registered = {}
    modules = {
        "evalscope.api.metric": {"Aggregator": object, "SampleScore": object, "AggScore": SimpleNamespace},
        "evalscope.api.registry": {"register_aggregation": lambda name: lambda kind: registered.setdefault(name, kind)},
    }
    load_plugin(monkeypatch, "evalscope", modules)
    return registered["at_k"]


def make(group, value, answer):
    return SimpleNamespace(group_id=group, sample_id=0, score=SimpleNamespace(value=value, extracted_prediction=answer))


def test_every_metric_of_the_samples(aggregation):
    scores = [make(0, {"acc": 1, "f1": 0.2}, "7"), make(0, {"acc": 0, "f1": 0.9}, "8"), make(1, {"acc": 0}, "")]
    found = {(each.metric_name, each.aggregation): each for each in aggregation()(scores)}
    assert found["acc", "pass@1"].score == 0.25
    assert found["acc", "cons@1"].score == 0.25
    assert found["f1", "pass@2"].score == 1
    assert (found["acc", "pass@1"].num, found["f1", "pass@1"].num) == (3, 2)

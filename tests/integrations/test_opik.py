"""The test results and scores of opik 2.2.122, as far as they are used."""

import importlib
import sys
from types import ModuleType, SimpleNamespace


def make(item, value, failed=False):
    score = SimpleNamespace(name="correct", value=value, scoring_failed=failed)
    return SimpleNamespace(test_case=SimpleNamespace(dataset_item_id=item), score_results=[score], trial_id=0)


def test_trials_of_an_item_are_samples_of_one_problem(monkeypatch):
    module = ModuleType("opik.evaluation.metrics.score_result")
    module.ScoreResult = SimpleNamespace
    for name in ("opik", "opik.evaluation", "opik.evaluation.metrics"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "at_k.integrations.opik", raising=False)
    opik = importlib.import_module("at_k.integrations.opik")
    results = [make("a", 1.0), make("b", 0.0), make("a", 0.0), make("b", 0.0), make("b", 1.0, failed=True)]
    found = {each.name: each.value for each in opik.score_experiment(results)}
    assert (found["correct pass@1"], found["correct pass@2"]) == (0.25, 0.5)
    assert opik.score_experiment([]) == []
    monkeypatch.delitem(sys.modules, opik.__name__)

"""The test results and scores of opik 2.2.122, as far as they are used."""

from types import SimpleNamespace

from integrations.fakes import load_plugin


def make(item, value, failed=False):
    score = SimpleNamespace(name="correct", value=value, scoring_failed=failed)
    return SimpleNamespace(test_case=SimpleNamespace(dataset_item_id=item), score_results=[score], trial_id=0)


def test_trials_of_an_item_are_samples_of_one_problem(monkeypatch):
    opik = load_plugin(monkeypatch, "opik", {"opik.evaluation.metrics.score_result": {"ScoreResult": SimpleNamespace}})
    results = [make("a", 1.0), make("b", 0.0), make("a", 0.0), make("b", 0.0), make("b", 1.0, failed=True)]
    found = {each.name: each.value for each in opik.score_experiment(results)}
    assert (found["correct pass@1"], found["correct pass@2"]) == (0.25, 0.5)
    assert opik.score_experiment([]) == []

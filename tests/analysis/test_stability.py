"""How much samples and runs differ."""

import json

import pytest
from diagnoses import codes
from scipy.stats import chi2

from at_k.analysis import stability
from at_k.analysis.diagnosis import diagnose


class TestStability:
    def test_stability(self):
        found = diagnose({"grades": [[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]]})
        own = found.figures["stability"]
        assert own["kappa"] == pytest.approx(5 / 9)  # as in the docstring of measure_stability
        assert own["flip_rate"] == pytest.approx(2 / 9)
        assert own["run_accuracy"] == pytest.approx([2 / 3, 1 / 3, 2 / 3, 1 / 3])
        assert json.dumps(found.to_dict(), allow_nan=False)

    def test_verdicts_that_all_agree_have_no_kappa(self):
        found = diagnose({"grades": [[1, 1], [1, 1]]})
        assert found.figures["stability"]["kappa"] is None
        assert "diagnosis.stability" not in [each.code for each in found.sentences]
        json.dumps(found.to_dict(), allow_nan=False)

    def test_runs_differ(self):
        """Two runs: Cochran's Q is McNemar's (b − c)²/(b + c)."""
        for b, c, fires in [(15, 1, True), (13, 3, False), (8, 8, False)]:
            data = {"grades": [[1, 0]] * b + [[0, 1]] * c + [[1, 1]] * 9}
            p_value = chi2.sf((b - c) ** 2 / (b + c), 1)
            assert diagnose(data).figures["stability"]["run_p"] == pytest.approx(p_value)
            assert bool(p_value < stability.CHANCE) is fires is ("runs_differ" in codes(data))

    def test_dropped_samples_have_no_runs(self):
        data = {"grades": [[1, 0, None], [None, 1, 0]]}
        assert diagnose(data, missing="drop").figures["stability"]["run_accuracy"] == []
        assert len(diagnose(data, missing="incorrect").figures["stability"]["run_accuracy"]) == 3


def test_clusters_are_described_where_there_are_any():
    data = {"grades": [[1, 1]] * 4 + [[0, 0]] * 4 + [[1, 0]] * 4}
    found = diagnose(data, clusters=list("aaaabbbbcccc"))
    (sentence,) = [each for each in found.sentences if each.code == "diagnosis.clusters"]
    assert str(sentence).startswith("Clusters of problems: 3. In the share of correct samples their design effect is ")
    assert found.figures["intraclass_correlation"]["value"] == 1.0
    assert diagnose(data).figures["design_effect"] is None

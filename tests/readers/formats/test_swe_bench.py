"""SWE-bench: a report for each instance and run, or one for each run."""

import json
from shutil import copytree

import pytest
from readers.expected import HARNESS

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FOLDER = HARNESS / "swe-bench" / "run_evaluation"


def test_the_numbers_of_the_files():
    expected = {}
    for file in sorted(FOLDER.rglob("report.json")):
        ((name, report),) = json.loads(file.read_text()).items()
        expected.setdefault(name, []).append(float(report["resolved"]))
    samples = read_samples(FOLDER)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == expected
    assert samples.origin.subject == {"model": "acme__m1"}
    assert "Read 28 files" in str(samples.origin.notes[0])
    report = at_k.score(FOLDER, k=[1, 2])
    assert report.values["pass@1"] == pytest.approx(3 / 7, rel=1e-15)
    assert report.values["pass@2"] == pytest.approx(13 / 21, rel=1e-15)


def test_one_report():
    file = next(FOLDER.rglob("report.json"))
    assert read_samples(file).n.tolist() == [1]


def test_two_models(tmp_path):
    copytree(FOLDER / "run0", tmp_path / "run0")
    copytree(FOLDER / "run0" / "acme__m1", tmp_path / "run0" / "other__m2")
    with pytest.raises(InputError, match="“model” has several values: “acme__m1”, “other__m2”"):
        read_samples(tmp_path)
    assert read_samples(tmp_path, where={"model": "other__m2"}).n.tolist() == [1] * 7


@pytest.mark.parametrize(
    ("change", "said"),
    [({"resolved": "x"}, "got “x”"), ({"resolved": None}, None), ({"infra_failure": True}, None)],
)
def test_a_report_that_is_broken_or_not_of_the_model(tmp_path, change, said):
    copytree(FOLDER, tmp_path / "runs")
    file = sorted((tmp_path / "runs").rglob("report.json"))[3]
    ((name, report),) = json.loads(file.read_text()).items()
    file.write_text(json.dumps({name: report | change}))
    if said is None:
        assert read_samples(tmp_path).n_missing == 1
        return
    with pytest.raises(InputError, match=said) as caught:
        read_samples(tmp_path)
    assert str(file) in str(caught.value)


def test_reports_of_runs(tmp_path):
    for run in range(2):
        (tmp_path / f"acme__m1.run_{run}.json").write_text(
            json.dumps(
                {"submitted_ids": ["a", "b", "c"], "resolved_ids": ["a"][run:], "error_ids": ["c"], "schema_version": 2}
            )
        )
    samples = read_samples(tmp_path)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"a": [1, 0], "b": [0, 0], "c": [None, None]}
    assert samples.origin.subject == {"model": "acme__m1"}

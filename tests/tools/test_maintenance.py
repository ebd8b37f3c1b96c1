"""Summaries of maintenance commands, what a release says of them, and the steps that it leaves to do."""

import json
import re
import sys
from datetime import date

import pytest
from cases import for_each

import at_k
from benchmarks.coverage import __main__ as coverage
from tools import maintenance, matrix, mutants, release

CHANGELOG = "# Changelog\n\n## 0.7.0 — 2026-12-01\n\n- New.\n\n## 0.6.0 — 2026-11-23\n"


def write_all(folder, **changed):
    for command in maintenance.COMMANDS:
        summary = {"date": "2026-11-24", "counts": {"failed": 0, "left_out": []}} | changed.get(
            command, {}
        )
        (folder / f"{command}.json").write_text(json.dumps(summary))


def test_a_summary_states_commit_versions_counts_and_seconds(tmp_path):
    with maintenance.summarise("engines", "duckdb", "no-such-package", folder=tmp_path) as counts:
        counts.update(passed=3, failed=0)
    summary = json.loads((tmp_path / "engines.json").read_text())
    assert summary["command"] == "make engines"
    assert summary["date"] == f"{date.today()}"
    assert summary["commit"]
    assert {"python", "at-k", "duckdb"} <= set(summary["versions"])
    assert "no-such-package" not in summary["versions"]
    assert summary["counts"] == {"passed": 3, "failed": 0}
    assert summary["seconds"] == 0


def test_a_run_that_breaks_off_has_no_summary(tmp_path):
    with pytest.raises(KeyboardInterrupt), maintenance.summarise("bench", folder=tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_tests_are_counted(tmp_path):
    path = tmp_path / "test_some.py"
    path.write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip('so')\n"
    )
    plain = ("-q", "-p", "no:hypothesispytest", "--noconftest", f"--rootdir={tmp_path}")
    assert maintenance.run_tests(sys.executable, *plain, str(path)) == {
        "passed": 1,
        "failed": 1,
        "skipped": 1,
    }
    assert maintenance.run_tests(sys.executable, *plain, str(tmp_path / "none.py"))["failed"] == 1


@for_each("changed, sentence", [
    ({}, None),
    ({"engines": {"date": "2026-11-23"}}, None),
    ({"engines": {"date": "2026-11-22"}}, "make engines ran last on 2026-11-22, before the last release"),
    ({"matrix": {"counts": {"failed": 2, "left_out": []}}}, "make matrix failed on 2026-11-24"),
    ({"mutants": {"counts": {"failed": 0, "left_out": ["35 of 84 mutants"]}}},
     "make mutants left out on 2026-11-24: 35 of 84 mutants. Run all of it"),
    ({"bench": {"counts": {"failed": 0}}}, "make bench left out on 2026-11-24: the summary does not say"),
    ({"coverage": {"counts": {}}}, "make coverage failed on 2026-11-24"),
])  # fmt: skip
def test_a_release_needs_every_command_since_the_last_one(changed, sentence, tmp_path):
    write_all(tmp_path, **changed)
    found = maintenance.list_overdue(CHANGELOG, tmp_path)
    assert len(found) == (sentence is not None)
    assert not sentence or found[0].startswith(sentence)


def test_partial_runs_say_what_they_left_out(tmp_path, monkeypatch):
    """A run of chosen tests or Pythons, of few mutants, and a bench without its browser."""
    monkeypatch.setattr(maintenance.summarise.__wrapped__, "__kwdefaults__", {"folder": tmp_path})
    monkeypatch.setattr(matrix, "FOLDER", tmp_path)
    monkeypatch.setattr(matrix, "run", lambda name, tests: {"passed": 1, "failed": 0})
    known = [*matrix.versions(), matrix.OLDEST]
    for tests, only, left_out in (
        (None, None, []),
        (None, [matrix.OLDEST], []),  # the other runs stay
        (["tests/cli"], None, ["all tests but tests/cli"]),
        (None, [matrix.OLDEST], [f"run {name}" for name in known[:-1]]),
    ):
        with pytest.raises(SystemExit):
            matrix.main(tests, only)
        assert json.loads((tmp_path / "matrix.json").read_text())["counts"]["left_out"] == left_out


@for_each("command, left_out, partial", [
    ("engines", maintenance.list_left_out("engines", ["tests/engines"], 0), None),
    ("engines", maintenance.list_left_out("engines", ["tests/engines"], 4), "tests skipped: 4"),
    ("engines", maintenance.list_left_out("engines", ["tests/engines", "-k", "ray"], 0),
     "all tests but tests/engines -k ray"),
    ("coverage", coverage.list_left_out(coverage.REPETITIONS, coverage.SLOW), None),
    ("coverage", coverage.list_left_out(4000, 20), "data sets: 4000 and 20 of 4000 and 100"),
    ("coverage", coverage.list_left_out(400, 100), "data sets: 400 and 100 of 4000 and 100"),
    ("mutants", mutants.list_left_out(["cli"], 40), "all rooms but cli"),
])  # fmt: skip
def test_a_release_is_refused_after_a_partial_run(command, left_out, partial, tmp_path):
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    folder = tmp_path / "benchmarks" / "maintenance"
    folder.mkdir(parents=True, exist_ok=True)
    write_all(folder, **{command: {"counts": {"failed": 0, "left_out": left_out}}})
    if partial is None:
        assert release.refuse_overdue(tmp_path) == CHANGELOG
    else:
        with pytest.raises(
            SystemExit,
            match=re.escape(f"make {command} left out on 2026-11-24: {partial}. Run all"),
        ):
            release.refuse_overdue(tmp_path)


def test_a_release_is_left_to_tag_and_to_upload_and_obstacles_come_first():
    changelog = (maintenance.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    tag, upload, _ = release.list_left(at_k.__version__, changelog, "")
    assert tag == f"git tag v{at_k.__version__} && git push origin v{at_k.__version__}"
    assert upload == f"python -m twine upload dist/at_k-{at_k.__version__}*"
    left = release.list_left("9.0.0", "# Changelog\n\n## 8.9.0 — 2026-01-01\n", " M setup.cfg\n")
    assert left[0] == "CHANGELOG.md must begin with 9.0.0, the version of the package"
    assert left[1].startswith("Commit what is not committed")


def test_a_missing_summary_is_named(tmp_path):
    write_all(tmp_path)
    (tmp_path / "bench.json").unlink()
    assert maintenance.list_overdue(CHANGELOG, tmp_path) == [
        "make bench has written no summary: run it, and commit bench.json"
    ]

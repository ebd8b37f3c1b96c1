"""`at-k gate`: its exit codes, what it prints and writes, policies, and what is refused."""

import json
from xml.etree import ElementTree

import pytest

import at_k


@pytest.fixture
def files(write):
    """Two models on forty problems in eight topics: the first is a little better."""
    counts = {"new": [4, 4, 3, 2, 4] * 8, "old": [4, 3, 3, 2, 4] * 8}
    return {
        name: write(
            *(
                {"id": f"q{i}", "topic": f"t{i // 5}", "correct": [1] * c + [0] * (4 - c)}
                for i, c in enumerate(own)
            ),
            name=f"{name}.jsonl",
        )
        for name, own in counts.items()
    }  # fmt: skip


@pytest.mark.parametrize(("words", "status", "verdict"), [
    (("--require", "pass@1 >= 0.7", "--require", "pass^4 >= 30 %"), 0, "PASS"),
    (("--require", "pass@1 >= 0.7", "--require", "pass^4 >= 0.9"), 1, "FAIL"),
    (("--require", "pass@1 >= 0.85"), 3, "INCONCLUSIVE"), (("--each", "2 of 4"), 0, "PASS"),
    (("--each", "3 of 4"), 1, "FAIL"),
])  # fmt: skip
def test_the_exit_status_is_that_of_the_verdict(run, files, words, status, verdict):
    done = run("gate", files["new"], *words)
    assert (done.exit_code, done.stdout.splitlines()[0]) == (status, verdict)


def test_the_numbers_are_those_of_the_library(run, files):
    words = ("--require", "pass@1 >= 0.85", "--against", files["old"], "--margin", 0.02, "--metrics", "pass@2")
    done = run("gate", files["new"], *words)
    found = at_k.gate(files["new"], files["old"], require="pass@1 >= 0.85", margin=0.02, metrics="pass@2")
    for check in found.checks:
        assert f"{check.verdict} {check.requirement} {check.measured}" in done.said
    assert all(str(note) in done.said for note in found.remarks)


def test_clusters_are_a_column(run, files):
    done = run(
        "gate", files["new"], "--against", files["old"], "--margin", 0.02, "--clusters", "topic", "--format", "json"
    )
    labels = [f"t{i // 5}" for i in range(40)]
    found = at_k.gate(files["new"], files["old"], margin=0.02, clusters=labels)
    (check,) = json.loads(done.stdout)["checks"]
    assert (check["low"], check["high"]) == (found.checks[0].low, found.checks[0].high)


def test_every_form_is_written(run, files, tmp_path):
    paths = [tmp_path / f"gate{ending}" for ending in (".xml", ".md", ".json")]
    outs = [word for path in paths for word in ("--out", path)]
    done = run("gate", files["new"], "--require", "pass@1 >= 0.85", *outs, "--format", "markdown")
    assert done.exit_code == 3
    assert done.stdout == paths[1].read_text()
    assert ElementTree.parse(paths[0]).getroot()[0].get("errors") == "1"
    assert json.loads(paths[2].read_text())["verdict"] == "INCONCLUSIVE"
    junit = run("gate", files["new"], "--require", "pass@1 >= 0.85", "--format", "junit").stdout
    assert junit == paths[0].read_text()


def test_a_policy_has_a_table_for_each_data_set(run, files, tmp_path):
    policy = tmp_path / "gate.toml"
    policy.write_text(
        '[new]\nrequire = ["pass@1 >= 0.7"]\n[old]\nrequire = ["pass@1 >= 0.99"]\nconfidence_level = 0.8\n'
    )
    done = run("gate", files["new"], files["old"], "--policy", policy)
    assert done.exit_code == 1
    assert "PASS new: pass@1 >= 0.7" in done.said
    assert "FAIL old: pass@1 >= 0.99" in done.said
    alone = run("gate", files["new"], "--policy", policy)
    assert alone.exit_code == 2
    assert "There are no results for old." in alone.said


def test_flags_override_the_policy_even_with_the_default(run, files, tmp_path):
    policy = tmp_path / "gate.toml"
    policy.write_text('require = "pass@1 >= 0.7"\nconfidence_level = 0.5\n')
    words = ("gate", files["new"], "--policy", policy, "--format", "json")
    low, default = (json.loads(run(*words, *more).stdout)["checks"][0]["low"] for more in ((), ("--ci", 0.95)))
    assert low == at_k.gate(files["new"], policy=policy).checks[0].low
    assert default == at_k.gate(files["new"], require="pass@1 >= 0.7").checks[0].low < low


def test_files_of_one_name_are_told_apart_by_their_paths(run, files, tmp_path):
    paths = [tmp_path / name / "results.jsonl" for name in ("new", "old")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(files[path.parent.name].read_text())
    done = json.loads(run("gate", *paths, "--each", "3 of 4", "--format", "json").stdout)
    assert {check["data"] for check in done["checks"]} == set(map(str, paths))
    assert [note.rpartition(" ")[2] for note in done["notes"]] == ["40."] * 2

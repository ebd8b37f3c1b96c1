"""Samples one by one give the numbers of `at_k.score`; what a commit to the Hub, a tracker and a record of Every Eval
Ever hold is that of a report."""

import hashlib
import json
import re
import sys
from itertools import combinations
from statistics import mean
from types import SimpleNamespace

import evaluate
import huggingface_hub
import pytest
import yaml
from cases import for_each, refuses
from huggingface_hub import parse_eval_result_entries

import at_k
from at_k.integrations.every_eval_ever import save_records
from at_k.integrations.hub import push_to_hub, write_eval_results
from at_k.integrations.samples import measure_samples
from at_k.integrations.trackers import list_scalars, log_report

GRADES = {"p": [1, 0, 0, 1], "q": [0, 0, 1, 0], "r": [0, 0, 0, 0]}
ROWS = [(name, grades[place]) for place in range(4) for name, grades in GRADES.items()]


def test_numbers_are_those_of_every_subset():
    found = measure_samples(*zip(*ROWS, strict=True), k=[1, 2])
    for k in (1, 2):
        by_hand = mean(
            mean(max(drawn) for drawn in combinations(grades, k)) for grades in GRADES.values()
        )
        assert found[f"pass@{k}"] == pytest.approx(by_hand, abs=1e-15)  # sums in another order
    report = at_k.score({"grades": list(GRADES.values())}, k=[1, 2])
    bar = report.intervals["pass@2"]
    assert [found[f"pass@2_{end}"] for end in ("stderr", "ci_low", "ci_high")] == list(bar[:3])
    voted = measure_samples("ppp", [1, 0, 1], ["7", None, "7"], k=3, confidence_level=None)
    assert (voted["cons@3"], "cons@3_stderr" in voted) == (1, False)


def test_samples_without_a_grade_and_large_k_are_left_out(caplog):
    found = measure_samples("ppqq", [1, 0, None, float("nan")], k=[1, 2, 4], metrics=["pass_at_k"])
    assert {key: found[key] for key in found if "_" not in key} == {"pass@1": 0.5, "pass@2": 1}
    assert "k = [1, 2, 4] is left out where it is above 2" in caplog.text
    assert measure_samples("p", [None]) == {}


def test_a_cut_that_nothing_passes_is_said(caplog):
    assert measure_samples("pq", [0.5, 0.5])["pass@1"] == 0
    assert "No sample is correct by correct_above=0.5: the highest is 0.5" in caplog.text
    assert measure_samples("pq", [-1, 1], correct_above=0)["pass@1"] == 0.5
    assert measure_samples("pq", [0.5, 0.4], correct_above=">=0.5")["pass@1"] == 0.5
    assert measure_samples("pq", [5, 10], correct_above=">=10")["pass@1"] == 0.5
    assert measure_samples("pq", [0.5, 1], correct_above=1)["pass@1"] == 0


def test_rewards_outside_of_grades_have_no_mean_grade():
    numbers = measure_samples("ppq", [-1, 2.5, 1], correct_above=0, confidence_level=None)
    assert "accuracy" not in numbers
    assert numbers["pass@1"] == 0.75
    assert measure_samples("ppq", [0.5, 1, 1], confidence_level=None)["accuracy"] == 0.875


@for_each("problems, answers, said", [
    (["p"], None, "`problems` and `grades` must have equally many samples; got 1 and 2"),
    (["p"] * 3, None, "`problems` and `grades` must have equally many samples; got 3 and 2"),
    (["p"] * 2, ["x"], "`answers` and `grades` must have equally many samples; got 1 and 2"),
    (["p"] * 2, ["x"] * 3, "`answers` and `grades` must have equally many samples; got 3 and 2"),
])  # fmt: skip
def test_columns_of_different_length(problems, answers, said):
    refuses(f"ValueError: {said}", measure_samples, problems, [1, 0], answers)


REPORT = at_k.score({"grades": [[1, 0, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1]]}, k=[1, 2])


class Hub:
    """The methods of `HfApi` that are used."""

    endpoint = "https://huggingface.co"
    files = {}  # noqa: RUF012 - one Hub for all clients
    commits = []  # noqa: RUF012

    def __init__(self, token=None):
        self.token = token

    def file_exists(self, repo, path):
        return path in self.files

    def hf_hub_download(self, repo, path):
        return self.files[path]

    def create_commit(self, repo, operations, *, commit_message, create_pr):
        self.commits.append(
            {each.path_in_repo: each.path_or_fileobj.decode() for each in operations}
        )
        return SimpleNamespace(
            commit_url=f"{repo}: {commit_message}", pr_url="the pull request" if create_pr else None
        )


@pytest.fixture
def hub(monkeypatch):
    monkeypatch.setattr(huggingface_hub, "HfApi", Hub)
    monkeypatch.setattr(Hub, "files", {})
    monkeypatch.setattr(Hub, "commits", [])
    return Hub


def test_a_value_for_leaderboards():
    text = write_eval_results(
        REPORT, "cais/hle", "pass@2", source_url="https://example.org/report.json"
    )
    (entry,) = parse_eval_result_entries(yaml.safe_load(text))
    assert (entry.dataset_id, entry.task_id, entry.value) == (
        "cais/hle",
        "default",
        REPORT.values["pass@2"],
    )
    assert entry.source_url == "https://example.org/report.json"
    bar = REPORT.intervals["pass@2"]
    start = f"pass@2, 95 % interval [{bar.low:.3f}, {bar.high:.3f}], 3 problems × 4 samples; pass_at_k|n:4|k:1,2|"
    assert entry.notes.startswith(start)
    refuses("ValueError: `key` must be one of", write_eval_results, REPORT, "cais/hle", "pass@3")
    refuses("TypeError: colour", write_eval_results, REPORT, "cais/hle", "pass@2", colour="red")


def test_one_commit_has_the_value_and_its_source(hub, tmp_path):
    said = push_to_hub(REPORT, "org/model", "cais/hle", "pass@1", task="text", notes="my own")
    assert said == f"org/model: pass@1 of cais/hle, by at-k {at_k.__version__}"
    (files,) = hub.commits
    assert set(files) == {".eval_results/cais_hle.yaml", "at_k/cais_hle.json"}
    (entry,) = parse_eval_result_entries(yaml.safe_load(files[".eval_results/cais_hle.yaml"]))
    assert entry.source_url == "https://huggingface.co/org/model/blob/main/at_k/cais_hle.json"
    assert (entry.task_id, entry.notes) == ("text", "my own")
    (tmp_path / "saved.json").write_text(files["at_k/cais_hle.json"])
    assert at_k.Report.load(tmp_path / "saved.json").values == REPORT.values


def test_the_table_of_the_card_is_replaced(hub, tmp_path):
    card = tmp_path / "README.md"
    for before in (None, "---\nlicense: mit\n---\n# A model\n"):
        if before is not None:
            card.write_text(before)
            hub.files["README.md"] = str(card)
        push_to_hub(REPORT, "org/model", "cais/hle", "pass@1", card=True)
        once = hub.commits[-1]["README.md"]
        assert once.startswith(before or "<!-- at-k -->")
        assert REPORT.to_markdown() in once
    card.write_text(f"{once}\nMore.\n")
    push_to_hub(REPORT, "org/model", "cais/hle", "pass@1", card=True)
    assert hub.commits[-1]["README.md"] == f"{once}\nMore.\n"
    assert (
        push_to_hub(REPORT, "org/model", "other/data", "pass@1", card=True, create_pr=True)
        == "the pull request"
    )
    assert hub.commits[-1]["README.md"].count("<!-- at-k -->") == 2


TRACKED = at_k.score({"grades": [[1, 0, 1, 0], [0, 0, 1, 0]], "group": ["a@1", "b"]}, k=[1, 2])
ACCEPTED = re.compile(
    r"[/\w.\- ]+"
)  # mlflow.utils.validation, without the colon, which not every system has


class Recorder:
    """A run with one method, which keeps its calls."""

    def __init__(self, *methods):
        self.calls = []
        for name in methods:
            setattr(
                self,
                name,
                lambda *given, _name=name, **named: self.calls.append((_name, given, named)),
            )


def check(scalars):
    assert all(ACCEPTED.fullmatch(name) for name in scalars)
    assert list(scalars.values()) == list(list_scalars(TRACKED).values())
    assert scalars["at_k/pass_at_2"] == TRACKED.values["pass@2"]
    assert scalars["at_k/pass_at_2_ci_low"] == TRACKED.intervals["pass@2"].low
    assert scalars["at_k/a_40_1/pass_at_2"] == TRACKED.groups["a@1"]["pass@2"]


def test_mlflow_comet_and_others():
    run = Recorder("log_metrics", "log_text")
    log_report(TRACKED, run, step=7)
    (_, (scalars,), named), (_, (text, file), _) = run.calls
    check(scalars)
    assert (named, file, text) == ({"step": 7}, "at_k/table.md", TRACKED.to_markdown())
    comet, own = Recorder("log_metrics"), Recorder("log")
    log_report(TRACKED, comet)
    check(comet.calls[0][1][0])
    log_report(TRACKED, own, prefix="val/")
    assert own.calls[0][1][0]["val/pass_at_1"] == TRACKED.values["pass@1"]
    refuses("TypeError: `run` must have a method log", log_report, TRACKED, [])


def test_tensorboard():
    run = Recorder("add_scalar", "add_text")
    log_report(TRACKED, run, step=7)
    check({given[0]: given[1] for name, given, _ in run.calls if name == "add_scalar"})
    assert {given[2] for _, given, _ in run.calls} == {7}
    assert run.calls[-1][1][:2] == ("at_k/table", TRACKED.to_markdown())


@pytest.mark.parametrize("loaded", [False, True])
def test_weights_and_biases(loaded, monkeypatch):
    module = SimpleNamespace(Table=lambda columns, data: (columns, data)) if loaded else None
    monkeypatch.setitem(sys.modules, "wandb", module)
    run = Recorder("log")
    log_report(TRACKED, run, step=7)
    ((_, (logged,), named),) = run.calls
    table = logged.pop("at_k/table", None)
    check(logged)
    assert named == {"step": 7}
    if loaded:
        blocks = (TRACKED.values, TRACKED.groups["a@1"], TRACKED.groups["b"])
        values = [value for block in blocks for value in block.values()]
        assert [dict(zip(table[0], row, strict=True))["value"] for row in table[1]] == values


def test_names_are_those_of_the_modules():
    grades, group = [[1, 0, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1]], ["x", "y", "x"]
    report = at_k.score({"grades": grades, "group": group}, metrics="gpassk")
    module = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    for style in ("standard", "plain"):
        computed = module.compute(
            predictions=grades, groups=group, confidence_level=0.95, key_style=style
        )
        assert list_scalars(report, style) == computed
    assert all(type(key) is str for key in list_scalars(report))


DATA = {
    "problem": ["a", "b"],
    "answers": [["7", "8", None], ["1", "2", "2"]],
    "references": ["7", "2"],
    "grades": [[1, 0, None], [0, 1, 1]],
    "group": ["x", "y"],
}


@pytest.fixture
def written(tmp_path):
    report = at_k.score(DATA, missing="incorrect", confidence_level=0.9)
    path = save_records(report, tmp_path, model="org/m", dataset="toy", relationship="first_party")
    samples = path.with_name(f"{path.stem}_samples.jsonl")
    return report, tmp_path, path, samples


def test_the_record(written):
    report, folder, path, samples = written
    record = json.loads(path.read_text())
    assert set(record) == {
        "schema_version",
        "evaluation_id",
        "retrieved_timestamp",
        "source_metadata",
        "eval_library",
        "model_info",
        "evaluation_results",
        "detailed_evaluation_results",
    }
    assert (record["schema_version"], record["model_info"]["id"]) == ("0.3.0", "org/m")
    assert record["source_metadata"]["evaluator_relationship"] == "first_party"
    results = {each["evaluation_result_id"]: each for each in record["evaluation_results"]}
    assert len(results) == len(record["evaluation_results"]) == 3 * len(report.values)
    found = results["all:pass@2"]
    named, config = found["evaluation_name"], found["metric_config"]
    assert (named, config["metric_id"], config["metric_parameters"]) == (
        "toy",
        "pass_at_k",
        {"k": 2},
    )
    bar = report.intervals["pass@2"]
    assert found["score_details"] == {
        "score": report.values["pass@2"],
        "uncertainty": {
            "standard_error": {"value": bar.stderr, "method": "analytic"},
            "confidence_interval": {"lower": bar.low, "upper": bar.high, "confidence_level": 0.9},
        },
    }
    assert results["y:pass@1"]["evaluation_name"] == "toy/y"
    assert results["all:G-Pass@3_0.5"]["metric_config"]["metric_parameters"] == {"k": 3, "tau": 0.5}
    details = record["detailed_evaluation_results"]
    assert folder / details["file_path"] == samples
    assert details["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()


def test_the_samples(written):
    _, _, path, samples = written
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    record = json.loads(path.read_text())
    assert record["detailed_evaluation_results"]["total_rows"] == len(rows) == 6
    assert [row["sample_id"] for row in rows] == list("aaabbb")
    assert [row["evaluation"]["is_correct"] for row in rows] == [
        True,
        False,
        False,
        False,
        True,
        True,
    ]
    assert [row.get("error") for row in rows] == [None, None, "no verdict", None, None, None]
    assert {row["evaluation_id"] for row in rows} == {record["evaluation_id"]}
    assert {row["evaluation_result_id"] for row in rows} == {"all:avg@3"}
    assert rows[0]["answer_attribution"][0]["extracted_value"] == "7"
    assert rows[0]["input"] == {"raw": "a", "reference": ["7"]}


def test_records_without_samples_are_refused(tmp_path):
    report, names = at_k.score(DATA, missing="incorrect"), {"model": "m", "dataset": "d"}
    says = "ValueError: `relationship` must be one of first_party"
    refuses(says, save_records, report, tmp_path, relationship="friend", **names)
    report.save(tmp_path / "saved.json")
    saved = at_k.Report.load(tmp_path / "saved.json")
    refuses(
        "ValueError: The samples are not in this report", save_records, saved, tmp_path, **names
    )

"""Commits to the Hub, with a Hub that keeps them in memory."""

from types import SimpleNamespace

import huggingface_hub
import pytest
import yaml
from cases import refuses
from huggingface_hub import parse_eval_result_entries

import at_k
from at_k.integrations.hub import push_to_hub, write_eval_results

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
        self.commits.append({each.path_in_repo: each.path_or_fileobj.decode() for each in operations})
        return SimpleNamespace(commit_url=f"{repo}: {commit_message}", pr_url="the pull request" if create_pr else None)


@pytest.fixture
def hub(monkeypatch):
    monkeypatch.setattr(huggingface_hub, "HfApi", Hub)
    monkeypatch.setattr(Hub, "files", {})
    monkeypatch.setattr(Hub, "commits", [])
    return Hub


def test_a_value_for_leaderboards():
    text = write_eval_results(REPORT, "cais/hle", "pass@2", source_url="https://example.org/report.json")
    (entry,) = parse_eval_result_entries(yaml.safe_load(text))
    assert (entry.dataset_id, entry.task_id, entry.value) == ("cais/hle", "default", REPORT.values["pass@2"])
    assert entry.source_url == "https://example.org/report.json"
    bar = REPORT.intervals["pass@2"]
    start = f"pass@2, 95 % interval [{bar.low:.3f}, {bar.high:.3f}], 3 problems × 4 samples; pass_at_k|n:4|k:1,2|"
    assert entry.notes.startswith(start)


def test_wrong_words():
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
    assert push_to_hub(REPORT, "org/model", "other/data", "pass@1", card=True, create_pr=True) == "the pull request"
    assert hub.commits[-1]["README.md"].count("<!-- at-k -->") == 2

"""A plug-in of Harbor 0.25: `on_job_start` gets the job, and `on_job_end` comes when its folder is complete."""

import asyncio
import json
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest
from integrations.fakes import load_plugin

import at_k


@pytest.fixture
def plugin(monkeypatch):
    return load_plugin(monkeypatch, "harbor", {"harbor.models.job.plugin": {"BaseJobPlugin": object}}).ReportPlugin()


async def run(plugin, folder):
    await plugin.on_job_start(SimpleNamespace(job_dir=folder))
    await plugin.on_job_end(None)


def test_the_entry_point_loads_it(plugin):
    (found,) = entry_points(group="harbor.plugins", name="at-k")
    assert isinstance(plugin, found.load())


def test_the_report_of_a_job(plugin, tmp_path, capsys):
    rows = [{"problem": "a", "grades": 1}, {"problem": "a", "grades": 0}]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asyncio.run(run(plugin, tmp_path))
    expected = str(at_k.score(tmp_path))
    assert "pass@k" in expected
    assert capsys.readouterr().out == f"{expected}\n"


def test_a_job_without_results_does_not_fail(plugin, tmp_path, capsys):
    asyncio.run(run(plugin, tmp_path))
    assert capsys.readouterr().out.startswith("at-k: ")

"""Counts of files: `at-k tally` on each machine, and `at-k score` of what they wrote."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from cases import for_each
from tallies import assert_same, make_data, split

import at_k

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shards(tmp_path):
    """Three files of different problems, and their data as one."""
    data = make_data("answers")
    for place, shard in enumerate(split(data, 3)):
        rows = zip(*shard.values(), strict=True)
        lines = (json.dumps(dict(zip(shard, row, strict=True))) + "\n" for row in rows)
        (tmp_path / f"part-{place}.jsonl").write_text("".join(lines))
    return tmp_path, data


def test_counts_of_machines_add_up(run, shards):
    folder, data = shards
    for place in range(3):
        done = run("tally", folder / f"part-{place}.jsonl", "--missing", "incorrect", "--out", folder / f"{place}.json")
        assert done.exit_code == 0
        assert done.stdout == ""
        assert "Wrote" in done.stderr
    parts = [folder / f"{place}.json" for place in range(3)]
    assert_same(at_k.score(parts), at_k.score(data, missing="incorrect"))
    together = run("tally", *parts)
    assert at_k.Tally.from_json(together.stdout) == sum(at_k.Tally.from_json(part.read_text()) for part in parts)
    done = run("score", *parts, "--format", "json")
    assert json.loads(done.stdout)["values"] == pytest.approx(
        json.loads(
            run("score", folder / "*.jsonl", "--pool", "file", "--missing", "incorrect", "--format", "json").stdout
        )["values"]
    )


def test_recipes_of_the_document(run, shards, shell):
    """The lines of docs/scale.md run as they are: a task of Slurm for each file, and then one command."""
    folder, data = shards
    for path in folder.glob("part-*.jsonl"):
        (folder / "shards").mkdir(exist_ok=True)
        path.rename(folder / "shards" / path.name)
    [python, *_], environment = shell()
    alone = f'at-k() {{ "{python}" -m at_k "$@"; }}\n'
    text = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    count, score, *_ = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    for task in range(2):  # those of one task represent all
        words = ("--missing", "incorrect", "--out", folder / f"part-{task}.json")
        assert run("tally", folder / "shards" / f"part-{task}.jsonl", *words).exit_code == 0
    lines = alone + count.replace("at-k tally", "at-k tally --missing incorrect")
    environment["SLURM_ARRAY_TASK_ID"] = "2"
    subprocess.run(["bash", "-ec", lines], check=True, cwd=folder, env=environment, capture_output=True)
    subprocess.run(["bash", "-ec", alone + score], check=True, cwd=folder, env=environment, capture_output=True)
    values = json.loads((folder / "report.json").read_text())["values"]
    assert values == pytest.approx(at_k.score(data, missing="incorrect").values)


def test_files_whose_problems_have_the_same_names(run, tmp_path):
    for name, grade in (("a", 1), ("b", 0)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"problem": "q0", "grades": [grade, 1]}))
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    done = run("tally", *files)
    assert done.exit_code == 1
    assert "Problems that both tallies have" in done.stderr
    assert "`--by-problem`" in done.stderr
    apart, together = (at_k.Tally.from_json(run("tally", *files, flag).stdout) for flag in ("--concat", "--by-problem"))
    assert apart.counts == {(None, 2, 2): 1, (None, 2, 1): 1}
    assert together.counts == {(None, 4, 3): 1}
    scored = json.loads(run("score", *files, "--concat", "--format", "json").stdout)
    assert (scored["n_problems"], scored["n_samples"]) == (2, 4)


def test_groups_of_a_tally(run, shards):
    folder, _ = shards
    for by, groups in (("group", 2), ("none", 1)):
        text = run("tally", folder / "*.jsonl", "--missing", "drop", "--by", by).stdout
        assert len({group for group, *_ in at_k.Tally.from_json(text).counts}) == groups


def test_options_that_come_too_late(run, tmp_path):
    at_k.Tally.from_rows([(4, 1, 2)]).save(tmp_path / "part.json")
    done = run("score", tmp_path / "part.json", "--threshold", "0.3")
    assert done.exit_code == 1
    assert "`--threshold` act when samples are counted" in done.stderr
    assert run("tally", tmp_path / "part.json", "--out", tmp_path / "part.csv").exit_code == 2


@for_each("words", [["diagnose"], ["select", "--where", "avg > 0"], ["compare", "b.jsonl"]])
def test_commands_that_need_samples_refuse_tallies(run, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    at_k.Tally.from_rows([(4, 1, 2), (4, 4, 9)]).save(tmp_path / "part.json")
    (tmp_path / "b.jsonl").write_text(json.dumps({"problem": "q0", "grades": [1, 1]}))
    done = run(words[0], "part.json", *words[1:])
    assert done.exit_code == 1
    assert re.search("comes from a tally|This is a tally", done.stderr)


def test_a_plan_and_a_figure_need_counts_alone(run, tmp_path):
    at_k.Tally.from_rows([(4, 1, 20), (4, 4, 9), (4, 2, 11)]).save(tmp_path / "part.json")
    done = run("plan", tmp_path / "part.json", "--predict", "8")
    assert done.exit_code == 0
    assert "Pilot: 40 problems × 4 samples" in done.stdout
    assert run("plot", tmp_path / "part.json", "--out", tmp_path / "picture.svg").exit_code == 0

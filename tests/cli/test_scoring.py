"""From options to a report: several files and models, saved reports, and counts of files that `at-k tally` wrote."""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_rows, make_pattern, refuses
from tallies import assert_same, make_data, split

import at_k
from at_k import score_models
from at_k.cli.scoring import list_models, make_report
from at_k.results.writers import lay_out

ROOT = Path(__file__).parents[2]
FEW = [{"id": i, "correct": [i % 2, 0]} for i in range(5)]
FILES = {
    "run1.jsonl": [{"id": "a", "correct": [1, 0]}, {"id": "b", "correct": [1, 1]}],
    "run2.jsonl": [{"id": "b", "correct": [0, 0]}, {"id": "a", "correct": [1, 1]}],
    "r.csv": "id,correct\na,1\na,0\nb,1\nb,1\n",
    "names.txt": "b\n",
    **dict.fromkeys(("llama-8b.jsonl", "qwen-7b.jsonl"), FEW),
    "unclear.jsonl": [
        {"id": i, "question": f"q{i % 3}", "correct": i % 2, "passed": i % 3 == 0}
        for i in range(12)
    ],
    "soft.jsonl": [{"id": 1, "correct": [0.5, 0.5]}, {"id": 2, "correct": [0.5, 0]}],
    "small-1b.jsonl": [{"id": i, "correct": row} for i, row in enumerate([[1, 0], [0, 0], [1, 1]])],
    "large-8b.jsonl": [{"id": i, "correct": row} for i, row in enumerate([[1, 1], [0, 1], [1, 1]])],
    "both.jsonl": [{"model": "a", "id": 1, "correct": 1}, {"model": "b", "id": 1, "correct": 0}],
    **{
        f"{name}.jsonl": [{"problem": "q0", "grades": [grade, 1]}]
        for name, grade in (("a", 1), ("b", 0))
    },
}
MODELS = ["small-1b.jsonl", "large-8b.jsonl"]


@pytest.fixture(scope="module")
def folder(make_folder):
    place = make_folder(FILES)
    at_k.Tally.from_rows([(4, 1, 20), (4, 4, 9), (4, 2, 11)]).save(place / "part.json")
    return place


TWO = "… llama-8b.jsonl and qwen-7b.jsonl may be of two models … --pool file"
ONE = "… samples of one model … llama-8b.jsonl, qwen-7b.jsonl"

# What is typed after at-k, the exit status, and what is printed in this order.
PRINTED = {
    **{f"{word} does not pool two models": (f"{word} llama-8b.jsonl qwen-7b.jsonl", 2, TWO)
       for word in ("score", "diagnose", "plot --out p.svg")},
    **{f"{word} names the files that it pools": (f"{word} llama-8b.jsonl qwen-7b.jsonl --pool file", 0, ONE)
       for word in ("score", "plot --out p.svg")},
    "two models are compared": ("compare llama-8b.jsonl qwen-7b.jsonl", 0, ""),
    "two pilots": ("plan llama-8b.jsonl qwen-7b.jsonl", 0, ""),
    "two columns of grades": ("score unclear.jsonl --columns problem=question", 2,
                              "… --columns problem=question,grades=correct … "
                              "--columns problem=question,grades=passed"),
    "two columns of problems": ("score unclear.jsonl --columns grades=passed", 2,
                                "… --columns grades=passed,problem=question"),
    "columns that are told": ("score unclear.jsonl --columns grades=passed,problem=question", 0, ""),
    "soft grades": ("score soft.jsonl", 0, "… If it means a correct sample: `--correct-above '>=0.5'`"),
    "models of one file": ("score both.jsonl --models", 2, "… --where model=a --where model=b"),
    "problems of one name": ("tally a.jsonl b.jsonl", 2, "… Problems that both tallies have … `--by-problem`"),
    "an option that comes too late": ("score part.json --correct-above 0.3", 2,
                                      "… `--correct-above` act when samples are counted"),
    "a tally is JSON": ("tally part.json --out part.csv", 2, ""),
    **{f"{words} needs samples": (words, 2, "… tally")
       for words in ("diagnose part.json", "select part.json --where 'avg > 0'", "compare part.json a.jsonl")},
    "a plan needs counts alone": ("plan part.json --predict 8", 0, "Pilot: 40 problems × 4 samples"),
    "a figure too": ("plot part.json --out picture.svg", 0, ""),
}  # fmt: skip


@for_rows("typed, status, says", PRINTED)
def test_a_command_prints_its_answer(ask, typed, status, says):
    done = ask(typed, columns=200)
    assert done.exit_code == status, done.said
    assert re.match(make_pattern(says), done.said)


def test_several_files_are_one_report(ask_json, tmp_path):
    assert ask_json("score r.csv --exclude names.txt --metrics pass@1")["values"] == {"pass@1": 0.5}
    (tmp_path / "run7").mkdir()  # a number before that which tells the runs apart
    paths = [str(shutil.copy(f"{name}.jsonl", tmp_path / "run7")) for name in ("run1", "run2")]
    report = make_report(paths)
    assert report.source == paths
    assert dict(zip(report.problems, report.c, strict=True)) == {"a": 3, "b": 2}
    assert report.n == [4, 4]


def test_a_group_and_a_model_are_given_once():
    refuses("BadParameter: --by", make_report, ["not there"], groups="x", columns={"group": "y"})
    refuses("BadParameter", list_models, ["x"], {"model": ["a", "a"]})
    assert list(list_models(["x"], {"model": ["a", "a", "b"]})) == ["model=a", "model=b"]


def test_reports_that_were_saved_stand_in_for_their_results(run, qwen, tmp_path):
    saved, options = tmp_path / "saved.json", ("--metrics", "pass@k", "--k", "1,4")
    at_k.score(qwen, metrics="pass_at_k", k=[1, 4]).save(saved)
    for form in ("table", "csv"):
        expected = run("score", qwen, *options, "--format", form).stdout
        assert run("score", saved, "--format", form).stdout == expected
    assert run("plan", saved, "-k", 2).stdout == run("plan", qwen, "-k", 2).stdout
    assert "Problems with all samples correct" in run("diagnose", saved).stdout
    assert run("plot", saved, "--out", tmp_path / "curves.svg").exit_code == 0


class TestSeveralModels:
    """One table: a row for each model, a column for each number."""

    def test_the_best_is_marked_in_every_form(self, ask, ask_json):
        words = f"score {' '.join(MODELS)} --models --metrics pass@1 --ci none"
        shown = ask(words).stdout.splitlines()
        assert [line.split() for line in shown if line.startswith(("small", "large"))] == [
            ["small-1b.jsonl", "0.5000"],
            ["large-8b.jsonl", "*0.8333"],
        ]
        assert (
            r"large-8b.jsonl & \textbf{0.8333} \\"
            in ask(f"{words} --format latex").stdout.splitlines()
        )
        assert (
            "| large-8b.jsonl | **0.8333** |"
            in ask(f"{words} --format markdown").stdout.splitlines()
        )
        found = ask_json(words)
        assert found["best"] == {"pass@1": ["large-8b.jsonl"]}
        assert found["models"]["small-1b.jsonl"]["values"] == {"pass@1": 0.5}
        rows = list(csv.DictReader(ask(f"{words} --format csv").stdout.splitlines()))
        assert {row["model"]: float(row["value"]) for row in rows} == {
            "small-1b.jsonl": 0.5,
            "large-8b.jsonl": 5 / 6,
        }
        sheet = score_models(MODELS, metrics="pass@1", confidence_level=None).sheet(short=True)
        lines = [
            line
            for line in lay_out(sheet, 80)
            if line and line[0][0].startswith(("small", "large"))
        ]
        assert [line[-1][1] for line in lines] == ["", "bold"]  # on a terminal

    def test_models_in_one_file(self, ask_json):
        models = ask_json("score both.jsonl --models --where model=a --where model=b")["models"]
        values = {name: each["values"]["pass@1"] for name, each in models.items()}
        assert values == {"model=a": 1.0, "model=b": 0.0}


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
        done = run(
            "tally",
            folder / f"part-{place}.jsonl",
            "--missing",
            "incorrect",
            "--out",
            folder / f"{place}.json",
        )
        assert (done.exit_code, done.stdout) == (0, "")
        assert "Wrote" in done.stderr
    parts = [folder / f"{place}.json" for place in range(3)]
    assert_same(at_k.score(parts), at_k.score(data, missing="incorrect"))
    together = run("tally", *parts)
    assert at_k.Tally.from_json(together.stdout) == sum(
        at_k.Tally.from_json(part.read_text()) for part in parts
    )
    words = ([*parts], [folder / "*.jsonl", "--pool", "file", "--missing", "incorrect"])
    counted, scored = (
        json.loads(run("score", *each, "--format", "json").stdout)["values"] for each in words
    )
    assert counted == pytest.approx(scored)
    for by, groups in (("group", 2), ("none", 1)):
        text = run("tally", folder / "part-*.jsonl", "--missing", "drop", "--by", by).stdout
        assert len({group for group, *_ in at_k.Tally.from_json(text).counts}) == groups


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
    subprocess.run(
        ["bash", "-ec", lines], check=True, cwd=folder, env=environment, capture_output=True
    )
    subprocess.run(
        ["bash", "-ec", alone + score], check=True, cwd=folder, env=environment, capture_output=True
    )
    values = json.loads((folder / "report.json").read_text())["values"]
    assert values == pytest.approx(at_k.score(data, missing="incorrect").values)


def test_files_whose_problems_have_the_same_names(ask, ask_json):
    apart, together = (
        at_k.Tally.from_json(ask(f"tally a.jsonl b.jsonl {flag}").stdout)
        for flag in ("--concat", "--by-problem")
    )
    assert apart.counts == {(None, 2, 2): 1, (None, 2, 1): 1}
    assert together.counts == {(None, 4, 3): 1}
    scored = ask_json("score a.jsonl b.jsonl --concat")
    assert (scored["n_problems"], scored["n_samples"]) == (2, 4)


def test_a_console_without_utf_8(folder, tmp_path):
    """Names of problems with signs that the console lacks are escaped, and JSON stays JSON."""
    rows = [{"id": "漢", "grades": [1, 0]}, {"id": "é", "grades": [1, 1]}]
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    for words, said in (
        ("select f.jsonl --where 'avg < 1'", b"\\u6f22"),
        ("select f.jsonl --where 'avg < 1' --format jsonl", b"\\u6f22"),
        ("tally f.jsonl --by-problem", b"\\u6f22"),
    ):
        command = [sys.executable, "-m", "at_k", *shlex.split(words)]
        done = subprocess.run(
            command, capture_output=True, cwd=tmp_path, env=environment, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert said in done.stdout
        if "select" not in words:
            assert "漢" in str(json.loads(done.stdout))

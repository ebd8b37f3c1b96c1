"""From options to a report."""

import csv
import json

import pytest
import typer

import at_k
from at_k import score_models
from at_k.cli.scoring import list_models, make_report
from at_k.results.writers import lay_out


def test_without_options_it_is_the_report_of_the_library(qwen):
    report = make_report([str(qwen)], groups=None)
    assert report.to_dict() == at_k.score(str(qwen)).to_dict()
    assert report.source == str(qwen)
    assert set(report.options) <= {"groups"}


def test_several_files_are_one_report(write):
    first = write({"id": "a", "correct": [1, 0]}, {"id": "b", "correct": [1, 1]}, name="run1.jsonl")
    second = write({"id": "b", "correct": [0, 0]}, {"id": "a", "correct": [1, 1]}, name="run2.jsonl")
    report = make_report([str(first), str(second)])
    assert report.source == [str(first), str(second)]
    assert dict(zip(report.problems, report.c, strict=True)) == {"a": 3, "b": 2}
    assert report.n == [4, 4]


def test_problems_are_excluded_by_a_file(run, tmp_path):
    results, names = tmp_path / "r.csv", tmp_path / "names.txt"
    results.write_text("id,correct\na,1\na,0\nb,1\nb,1\n")
    names.write_text("b\n")
    done = run("score", results, "--exclude", names, "--metrics", "pass@1", "--format", "json")
    assert json.loads(done.stdout)["values"] == {"pass@1": 0.5}


class TestFilesOfTwoModels:
    @pytest.fixture
    def paths(self, write):
        rows = [{"id": i, "correct": [i % 2, 0]} for i in range(5)]
        return [write(*rows, name=f"{name}.jsonl") for name in ("llama-8b", "qwen-7b")]

    def test_are_not_pooled(self, run, paths, tmp_path):
        for words in (["score"], ["diagnose"], ["plot", "--out", tmp_path / "p.svg"]):
            done = run(*words, *paths)
            assert done.exit_code == 1
            assert "llama-8b.jsonl and qwen-7b.jsonl may be of two models" in done.stderr
            assert "`--pool file`" in done.stderr

    def test_are_named_where_they_are_pooled(self, run, paths, tmp_path):
        for words in (["score"], ["plot", "--out", tmp_path / "p.svg"]):
            done = run(*words, *paths, "--pool", "file", columns=200)
            assert done.exit_code == 0
            assert "samples of one model" in done.output
            assert "llama-8b.jsonl, qwen-7b.jsonl" in done.output

    def test_are_compared(self, run, paths):
        assert run("compare", *paths).exit_code == 0
        assert run("plan", *paths).exit_code == 0  # two pilots


def test_ways_on_are_options_of_the_command(run, write):
    rows = [{"id": i, "question": f"q{i % 3}", "correct": i % 2, "passed": i % 3 == 0} for i in range(12)]
    path = write(*rows)
    done = run("score", path, "--columns", "problem=question")
    assert "`--columns grades=correct` or `--columns grades=passed`" in done.stderr
    done = run("score", path, "--columns", "grades=passed")
    assert "`--columns problem=question`" in done.stderr
    assert run("score", path, "--columns", "grades=passed,problem=question").exit_code == 0
    done = run("score", write({"id": 1, "correct": [0.5, 0.5]}, {"id": 2, "correct": [0.5, 0]}))
    assert "lower `--threshold`" in " ".join(done.stdout.split())


def test_groups_have_one_name():
    with pytest.raises(typer.BadParameter, match="--by"):
        make_report(["not there"], groups="x", columns={"group": "y"})


class TestReportsThatWereSaved:
    @pytest.fixture
    def saved(self, qwen, tmp_path):
        path = tmp_path / "saved.json"
        at_k.score(qwen, metrics="pass_at_k", k=[1, 4]).save(path)
        return path

    def test_score_prints_them(self, run, qwen, saved):
        options = ("--metrics", "pass@k", "--k", "1,4")
        for form in ("table", "csv"):
            expected = run("score", qwen, *options, "--format", form).stdout
            assert run("score", saved, "--format", form).stdout == expected

    def test_plan_plot_and_diagnose_take_them(self, run, qwen, saved, tmp_path):
        assert run("plan", saved, "-k", 2).stdout == run("plan", qwen, "-k", 2).stdout
        assert "[diagnosis.solved]" in run("diagnose", saved).stdout
        assert run("plot", saved, "--out", tmp_path / "curves.svg").exit_code == 0


def test_the_same_value_twice_is_one_model():
    with pytest.raises(typer.BadParameter):
        list_models(["x"], {"model": ["a", "a"]})
    assert list(list_models(["x"], {"model": ["a", "a", "b"]})) == ["model=a", "model=b"]


class TestSeveralModels:
    """One table: a row for each model, a column for each number."""

    @pytest.fixture
    def files(self, write):
        rows = {"small-1b": [[1, 0], [0, 0], [1, 1]], "large-8b": [[1, 1], [0, 1], [1, 1]]}
        return [
            write(*({"id": i, "correct": row} for i, row in enumerate(own)), name=f"{name}.jsonl")
            for name, own in rows.items()
        ]

    def test_the_best_is_marked_in_every_form(self, run, files):
        words = ("score", *files, "--models", "--metrics", "pass@1", "--ci", "none")
        shown = run(*words).stdout.splitlines()
        assert [line.split() for line in shown if line.startswith(("small", "large"))] == [
            ["small-1b.jsonl", "0.5000"],
            ["large-8b.jsonl", "*0.8333"],
        ]
        assert r"large-8b.jsonl & \textbf{0.8333} \\" in run(*words, "--format", "latex").stdout.splitlines()
        assert "| large-8b.jsonl | **0.8333** |" in run(*words, "--format", "markdown").stdout.splitlines()
        found = json.loads(run(*words, "--format", "json").stdout)
        assert found["best"] == {"pass@1": ["large-8b.jsonl"]}
        assert found["models"]["small-1b.jsonl"]["values"] == {"pass@1": 0.5}
        rows = list(csv.DictReader(run(*words, "--format", "csv").stdout.splitlines()))
        assert {row["model"]: float(row["value"]) for row in rows} == {"small-1b.jsonl": 0.5, "large-8b.jsonl": 5 / 6}

    def test_the_best_is_bold_on_a_terminal(self, files):
        found = score_models(files, metrics="pass@1", confidence_level=None)
        lines = [
            line for line in lay_out(found.sheet(short=True), 80) if line and line[0][0].startswith(("small", "large"))
        ]
        assert [line[-1][1] for line in lines] == ["", "bold"]

    def test_intervals_stand_below(self, run, files):
        shown = run("score", *files, "--models", "--metrics", "pass@1").stdout
        for report in score_models(files, metrics="pass@1").reports.values():
            bar = report.intervals["pass@1"]
            assert f"[{bar.low:.3f}, {bar.high:.3f}]" in shown

    def test_models_in_one_file(self, run, write):
        both = write({"model": "a", "id": 1, "correct": 1}, {"model": "b", "id": 1, "correct": 0})
        done = run("score", both, "--models", "--where", "model=a", "--where", "model=b", "--format", "json")
        values = {name: each["values"]["pass@1"] for name, each in json.loads(done.stdout)["models"].items()}
        assert values == {"model=a": 1.0, "model=b": 0.0}
        assert "--where model=a --where model=b" in " ".join(run("score", both, "--models").stderr.split())

"""From options to a report."""

import pytest
import typer

import at_k
from at_k.cli.scoring import make_report


def test_without_options_it_is_the_report_of_the_library(qwen):
    report = make_report([str(qwen)], groups=None)
    assert report.to_dict() == at_k.score(str(qwen)).to_dict()
    assert report.source == str(qwen)
    assert set(report.options) <= {"groups"}


def test_several_files_are_one_report(write):
    first = write({"id": "a", "correct": [1, 0]}, {"id": "b", "correct": [1, 1]}, name="1.jsonl")
    second = write({"id": "b", "correct": [0, 0]}, {"id": "a", "correct": [1, 1]}, name="2.jsonl")
    report = make_report([str(first), str(second)])
    assert report.source == [str(first), str(second)]
    assert dict(zip(report.problems, report.c, strict=True)) == {"a": 3, "b": 2}
    assert report.n == [4, 4]


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
    done = run("score", path)
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
        options = ("--metric", "pass@k", "--k", "1,4")
        for form in ("table", "csv"):
            expected = run("score", qwen, *options, "--format", form).stdout
            assert run("score", saved, "--format", form).stdout == expected

    def test_plan_plot_and_diagnose_take_them(self, run, qwen, saved, tmp_path):
        assert run("plan", saved, "-k", 2).stdout == run("plan", qwen, "-k", 2).stdout
        assert "[diagnosis.solved]" in run("diagnose", saved).stdout
        assert run("plot", saved, "--out", tmp_path / "curves.svg").exit_code == 0

    @pytest.mark.parametrize(
        ("words", "refused"),
        [
            (("score", "--k", 3), "--k"),
            (("score", "--ci", 0.9), "--ci"),
            (("plot", "--out", "x.svg", "-m", "pass@k"), "--metric"),
            (("plan", "--adaptive"), "--adaptive"),
            (("plan", "--missing", "drop"), "--missing"),
            (("diagnose", "--check", "numeric"), "--check"),
            (("compare", "--where", "a=b"), "--where"),
        ],
    )
    def test_options_that_need_samples_are_refused(self, run, saved, words, refused):
        command, *options = words
        done = run(command, saved, *options)
        assert done.exit_code == 2
        said = " ".join(done.stderr.replace("│", "").split())
        assert f"Invalid value for '{refused}': A report that was saved" in said

    def test_several_are_not_scored_together(self, run, saved):
        done = run("score", saved, saved)
        assert done.exit_code == 1
        assert "This is a report that was saved" in done.stderr

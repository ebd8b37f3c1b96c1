"""Pictures of reports. What they show is tested in test_plots.py."""

import os

import pytest
import typer

from at_k.cli import pictures


@pytest.mark.parametrize("name", ["x", "x.jpg", "svg", "x.svg.gz"])
def test_other_endings(name, tmp_path):
    with pytest.raises(typer.BadParameter, match=r"\.png, \.svg, \.pdf, \.html"):
        pictures.check_picture(str(tmp_path / name))


def test_the_title_names_the_file(run, qwen, tmp_path):
    run("plot", qwen, "-o", tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<title>qwen25_math.jsonl: 100 problems × 8 samples</title>" in page
    run("plot", qwen, "-o", tmp_path / "x.html", "--title", "<A> & $b$")
    assert "<title>&lt;A&gt; &amp; $b$</title>" in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_notes_are_said(run, human_eval, tmp_path):
    done = run("plot", human_eval, "-o", tmp_path / "x.svg", columns=200)
    assert done.stdout == ""
    *notes, written = done.stderr.splitlines()
    assert notes[-1] == "- best@k is left out: it needs a score for every sample."
    assert written == f"Wrote {tmp_path / 'x.svg'}"
    assert os.listdir(tmp_path) == ["x.svg"]


def test_the_difference_of_two_models(run, write, tmp_path):
    counts = {"a": [4, 4, 3, 4] * 5, "b": [1, 0, 2, 3] * 5}
    files = [
        write(*({"id": f"q{i}", "correct": [1] * c + [0] * (4 - c)} for i, c in enumerate(own)), name=f"{name}.jsonl")
        for name, own in counts.items()
    ]
    out = tmp_path / "difference.svg"
    done = run("plot", *files, "--kind", "difference", "-m", "pass@k", "--out", out)
    assert done.exit_code == 0
    assert "For k = 1–3, a.jsonl is better in pass@k." in " ".join(done.output.split())
    assert "a.jsonl − b.jsonl" in out.read_text()
    alone = run("plot", files[0], "--kind", "difference", "--out", out)
    assert alone.exit_code == 2


def test_several_models_are_drawn_in_one_figure(run, write, tmp_path):
    files = [
        write(*({"id": i, "correct": [i % (p + 1) < p, 1]} for i in range(6)), name=f"m{p}b.jsonl") for p in (1, 2)
    ]
    out = tmp_path / "p.svg"
    assert run("plot", *files, "--models", "--out", out).exit_code == 0
    drawn = out.read_text()
    assert "m1b.jsonl" in drawn
    assert "m2b.jsonl" in drawn
    for words in (("--metric", "pass@k,avg@n"), ("--kind", "map")):
        failed = run("plot", *files, "--models", "--out", out, *words)
        assert failed.exit_code == 2
        assert "Several models" in failed.stderr

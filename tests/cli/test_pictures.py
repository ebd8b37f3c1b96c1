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

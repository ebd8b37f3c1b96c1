"""Pictures in files: every ending, any title, and no part of a file where writing fails."""

import os
import re
from xml.etree import ElementTree

import pytest
from PIL import Image
from reports import full_report

import at_k
from at_k import pictures, plots

GRADES = {"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!doc")]
)
def test_files(ending, start, tmp_path):
    figure = plots.draw_curves(full_report())
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending.upper()}"
    pictures.save_figure(figure, first)
    pictures.save_figure(plots.draw_curves(full_report()), second)
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()  # no date, no random name
    assert len(os.listdir(tmp_path)) == 2
    if ending == "png":
        with Image.open(first) as picture:
            assert picture.size == (1650, 990)  # 5.5 inches at 300 dots
    if ending == "svg":
        assert ElementTree.parse(first).getroot().tag.endswith("svg")
    if ending == "html":
        page = first.read_text(encoding="utf-8")
        assert page.count("<svg") == 1
        assert not re.search(r"<script|<link|<img|(src|href)=\"http", page)


@pytest.mark.parametrize("title", ["$x$ <b>&", "a_b^c\\d", "难度 😀", "x" * 300])
@pytest.mark.parametrize("ending", ["svg", "html", "png"])
def test_any_title(title, ending, tmp_path):
    pictures.save_figure(plots.draw_problems(at_k.score(GRADES), title=title), tmp_path / f"x.{ending}")


def test_other_endings_and_folders(tmp_path):
    figure = plots.draw_problems(at_k.score(GRADES))
    with pytest.raises(ValueError, match=r"must end in \.png, \.svg, \.pdf, \.html; got 'x\.jpg'"):
        pictures.save_figure(figure, tmp_path / "x.jpg")
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        pictures.save_figure(figure, tmp_path / "no" / "x.png")
    assert os.listdir(tmp_path) == []

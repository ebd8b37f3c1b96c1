"""The texts that repeat the registry agree with it, and `make texts` brings them back to it."""

import re
import shutil

import pytest
from typer.testing import CliRunner

from at_k.family import FAMILY
from tools import texts
from tools.texts import ROOT

pytestmark = pytest.mark.xdist_group("prepared")  # one worker computes the prepared answers


@pytest.fixture
def copy(tmp_path):
    """A copy of what holds such texts."""
    for name in (
        "docs/checking.md",
        "docs/formats.md",
        "docs/modules.md",
        "docs/options.md",
        "docs/which-metric.md",
        "docs/zh/which-metric.md",
        "docs/staircase.svg",
        "docs/staircase-dark.svg",
        "at_k/signatures.pyi",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("metrics", "comparisons", "at_k/demo/static"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def write(root):
    for path, text in texts.render_documents(root).items():
        path.write_text(text, encoding="utf-8")


def read(root):
    return {path: path.read_text(encoding="utf-8") for path in texts.render_documents(root)}


def test_no_text_is_stale_and_of_a_copy_nothing_else_is_written(copy):
    rendered = texts.render_documents()
    assert [
        path for path, text in rendered.items() if path.read_text(encoding="utf-8") != text
    ] == []
    assert {path.is_relative_to(copy) for path in texts.render_documents(copy)} == {True}


def test_inputs_of_chinese_cards_are_written(copy):
    cards = {path: path.read_text(encoding="utf-8") for path in copy.glob("metrics/*/README.zh.md")}
    assert 4 < len(cards) <= len(FAMILY)
    for path, text in cards.items():
        path.write_text(text.replace("正确的样本的判定须高于此数", "随便"), encoding="utf-8")
    write(copy)
    assert {path: path.read_text(encoding="utf-8") for path in cards} == cards


def test_hand_edits_of_generated_parts_are_overwritten(copy):
    before = read(copy)
    for path, text in before.items():
        edited = text.replace("the grade that a correct sample exceeds", "whatever")
        path.write_text(
            edited.replace("How often is at least one of k samples correct? |", "Often? |"),
            encoding="utf-8",
        )
    assert read(copy) != before
    write(copy)
    assert read(copy) == before


def test_the_rest_stays(copy):
    card = copy / "metrics" / "cons_at_k" / "README.md"
    edited = card.read_text(encoding="utf-8").replace(
        "### Inputs\n", "### Inputs\n\nA paragraph before the list.\n"
    )
    edited = edited.replace("\n#### Values", "\nA paragraph after it.\n\n#### Values")
    card.write_text(edited, encoding="utf-8")
    write(copy)
    assert card.read_text(encoding="utf-8") == edited


def test_a_new_card_needs_the_headings_alone(copy):
    card = copy / "metrics" / "gpassk" / "README.md"
    whole = card.read_text(encoding="utf-8")
    empty = re.sub(r"(### Inputs\n\n)- .*?\n\n(?=#)", r"\1", whole, flags=re.DOTALL)
    assert len(empty) < len(whole) - 800
    card.write_text(empty, encoding="utf-8")
    write(copy)
    assert card.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize(("file", "part"), [
    ("docs/modules.md", "<!-- columns -->"),
    ("docs/options.md", "<!-- options -->"),
    ("docs/which-metric.md", "<!-- /metrics -->"),
    ("metrics/gpassk/README.md", "### Inputs"),
])  # fmt: skip
def test_a_document_without_the_place_for_a_text_is_named(copy, file, part):
    path = copy / file
    path.write_text(path.read_text(encoding="utf-8").replace(part, ""), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(str(path)) + ".* it contains it 0 times"):
        texts.render_documents(copy)


def test_the_check_lists_stale_files_and_changes_none(copy, monkeypatch):
    render = texts.render_documents
    monkeypatch.setattr(texts, "ROOT", copy)
    monkeypatch.setattr(texts, "render_documents", lambda: render(copy))
    app = texts.typer.Typer()
    app.command()(texts.main)

    def run(*arguments):
        return CliRunner().invoke(app, arguments)

    assert (run("--check").exit_code, run("--check").output) == (0, "")
    card = copy / "metrics" / "gpassk" / "README.md"
    stale = card.read_text(encoding="utf-8").replace("=[0.25, ", "=[0.3, ")
    card.write_text(stale, encoding="utf-8")
    checked = run("--check")
    assert checked.exit_code == 1
    assert checked.output.splitlines()[0] == "stale: metrics/gpassk/README.md"
    assert card.read_text(encoding="utf-8") == stale
    assert run().output == "written: metrics/gpassk/README.md\n"
    assert run("--check").exit_code == 0

"""The blocks of a card run where its reader is, and what does not run as shown is counted."""

import sys
from pathlib import Path

import pytest

from tools import clones, statements

RIGHT = "```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\n```python\n>>> x + 1\n2\n```\n"


def find_faults(text):
    return list(statements.run_blocks(Path("card.md"), text))


def test_blocks_share_a_namespace():
    assert find_faults(RIGHT) == ["", ""]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "line 1: shown '2\\n', printed '1\\n'"),
        ("```python\nprint(1)\n```\n", "shown None, printed '1\\n'"),
        ("```python\nx = 1\n```\n```text\n1\n```\n", "shown '1\\n', printed ''"),
        ("```python\n>>> 1\n2\n```\n", "Expected:\n    2\nGot:\n    1"),
        ("\n```python\n\nassert 1 == 2\n```\n", 'File "card.md", line 4'),
    ],
)
def test_a_false_block_is_a_fault(text, said):
    (fault,) = find_faults(text)
    assert said in fault


def test_a_card_runs_in_the_folder_where_its_reader_is(tmp_path, capsys):
    card = tmp_path / "a card" / "README.md"
    card.parent.mkdir()
    card.with_name("beside.py").write_text("found = True", encoding="utf-8")
    card.write_text("```python\nimport beside\n```\n", encoding="utf-8")
    assert not clones.run_card(card, Path(sys.executable), card.parent)
    fault = clones.run_card(card, Path(sys.executable), tmp_path)
    assert "No module named 'beside'" in fault
    assert "1 of 1 blocks run as shown" in capsys.readouterr().out.splitlines()[0]


def test_a_card_without_a_command_that_installs_is_refused(tmp_path):
    card = tmp_path / "README.md"
    card.write_text("pip is a tool", encoding="utf-8")
    with pytest.raises(ValueError, match="does not say how to install"):
        clones.install(card, Path(sys.executable))

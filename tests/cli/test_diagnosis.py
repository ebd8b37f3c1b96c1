"""The command `at-k diagnose`: what it prints, in which form, and that every sentence has its rule."""

import json
import re

import pytest
from rich.cells import cell_len

import at_k


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_every_sentence_is_printed_with_its_rule(run, qwen, columns):
    done = run("diagnose", qwen, columns=columns)
    assert done.exit_code == 0
    assert max(map(cell_len, done.stdout.splitlines())) <= columns
    words = " ".join(done.stdout.split())
    sentences = at_k.diagnose(qwen).sentences
    assert len(sentences) > 5
    for each in sentences:
        assert f"- {each} [{each.code}]" in words
    assert done.stdout.startswith("qwen25_math.jsonl")
    assert "This must be a mistake" not in done.stdout


def test_mistakes_stand_first_and_once(run, write):
    done = run("diagnose", write({"id": 1, "answers": ["b", "b"], "reference": "a"}))
    headings = re.findall(r"^[A-Z].*$", done.stdout, re.MULTILINE)
    assert headings[:2] == ["This must be a mistake", "What the numbers say"]
    assert done.stdout.count("note.no_match") == 1
    assert done.exit_code == 0


def test_options_of_the_command_are_named(run, write):
    path = write({"id": 1, "answers": ["b", "b"], "correct": [1, None]})
    assert run("diagnose", path).exit_code == 1
    done = run("diagnose", path, "--missing", "drop", "-k", "1")
    assert "How they were read" in done.stdout
    assert "left out: 1" in done.stdout


def test_json_and_markdown(run, qwen):
    done = run("diagnose", qwen, "--format", "json")
    assert json.loads(done.stdout) == {
        "source": str(qwen), **json.loads(json.dumps(at_k.diagnose(qwen, groups=False).to_dict()))
    }  # fmt: skip
    assert done.stderr.startswith("qwen25_math.jsonl")
    assert run("diagnose", qwen, "--format", "markdown").stdout == f"{at_k.diagnose(qwen).to_markdown()}\n"
    assert run("diagnose", qwen, "--format", "yaml").exit_code == 2


def test_names_cannot_move_the_cursor(run, write):
    done = run("diagnose", write({"id": "\x1b[2J\n", "answers": list("bbbaa"), "reference": "a"}))
    assert "\x1b" not in done.stdout
    assert r"\x1b[2J" in done.stdout


def test_in_ascii(run, qwen):
    done = run("diagnose", qwen, charset="ascii")
    assert done.exit_code == 0
    assert "the difference is +0.008" in " ".join(done.stdout_bytes.decode("ascii").split())

"""Run the command, inside this process or as one of its own."""

import functools
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from at_k.cli import app

ROOT = Path(__file__).parents[2]
QWEN = ROOT / "examples" / "data" / "qwen25_math.jsonl"
HUMAN_EVAL = ROOT / "tests" / "data" / "harness" / "human-eval" / "samples.jsonl_results.jsonl"

build = functools.cache(get_command)
"""Build the command once, which takes longer than most that it does. `--help-all` changes the one that shows it."""


@pytest.fixture
def run(monkeypatch):
    """Run the command in this process, with a terminal of `columns` columns that has no colours.

    `said` of the result is all that was printed, as one line without frames.
    """

    def invoke(*words, columns=80, charset="utf-8"):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setattr(
            "typer.testing._get_command", get_command if "--help-all" in words else build
        )
        done = CliRunner(charset=charset).invoke(app, [str(word) for word in words])
        done.said = " ".join(done.output.replace("│", " ").split())
        return done

    return invoke


@pytest.fixture
def shell():
    """Return the arguments of a command in a process of its own, and its environment."""

    def prepare(*words, **variables):
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")
        }
        environment = {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables}
        return [sys.executable, "-m", "at_k", *map(str, words)], environment

    return prepare


@pytest.fixture
def call(shell):
    """Run the command in a process of its own, and return what it printed as bytes."""

    def execute(*words, **variables):
        command, environment = shell(*words, **variables)
        return subprocess.run(
            command, env=environment, capture_output=True, check=False, timeout=60
        )

    return execute


@pytest.fixture
def qwen():
    return QWEN


@pytest.fixture
def human_eval():
    return HUMAN_EVAL


def write_file(path, rows):
    """Write rows as JSON lines, or a text as it is."""
    path.parent.mkdir(exist_ok=True)
    text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def write(tmp_path):
    """Write rows to a file of JSON lines."""
    return lambda *rows, name="results.jsonl": write_file(tmp_path / name, rows)


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory):
    """Make a folder of files: name → rows or text."""

    def make(files):
        place = tmp_path_factory.mktemp("files")
        for name, rows in files.items():
            write_file(place / name, rows)
        return place

    return make


@pytest.fixture
def ask(run, folder, monkeypatch):
    """Run what is typed after at-k, in the folder of a file of tests."""
    monkeypatch.chdir(folder)
    return lambda typed, **options: run(*shlex.split(typed), **options)


@pytest.fixture
def ask_json(ask):
    return lambda typed: json.loads(ask(f"{typed} --format json").stdout)

"""The command `at-k`."""

import pytest
from typer.testing import CliRunner

import at_k
from at_k.cli import app

runner = CliRunner()


def test_version():
    done = runner.invoke(app, ["--version"])
    assert (done.exit_code, done.output) == (0, f"at-k {at_k.__version__}\n")


def test_without_a_verb_it_helps():
    assert "register" in runner.invoke(app, []).output


def test_register_and_undo():
    done = runner.invoke(app, ["register"])
    assert done.exit_code == 0
    *folders, hint = done.output.splitlines()
    assert [line.split()[0] for line in folders] == ["registered"] * len(at_k.METRICS)
    assert hint.startswith("evaluate.load('gpassk')")
    assert runner.invoke(app, ["register", "--undo"]).output.count("removed ") == len(at_k.METRICS)
    assert runner.invoke(app, ["register", "--undo"]).output == "nothing was registered\n"


@pytest.mark.parametrize("wrong", [["score"], ["register", "gpassk"], ["--undo"]])
def test_wrong_words_are_refused(wrong):
    assert runner.invoke(app, wrong).exit_code == 2

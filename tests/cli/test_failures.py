"""What is said, and with which status a command ends, whatever goes wrong."""

import pytest
import typer

from at_k.cli.failures import describe_error, end_plainly
from at_k.errors import InputError


def end(error, **options):
    with pytest.raises(typer.Exit) as caught, end_plainly(**options):
        raise error
    return caught.value.exit_code


def nested():
    error = PermissionError(13, "Permission denied", "a.eval")
    return InputError("some.code", "This file is not readable: {reason}.", reason=error)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (
            InputError("some.code", "Give {option:k} below {n}.", n=4).in_file("a.eval"),
            1,
            "a.eval: Give `--k` below 4.\n",
        ),
        (FileNotFoundError("There is no file a"), 1, "There is no file a\n"),
        (PermissionError(13, "Permission denied", "a.eval"), 1, "a.eval: Permission denied\n"),
        (ValueError("`grades` must lie in [0, 1]"), 1, "`grades` must lie in [0, 1]\n"),
        (TypeError("`group` must be a string"), 1, "`group` must be a string\n"),
        (ImportError('Install it: pip install "at-k[plot]"'), 1, 'Install it: pip install "at-k[plot]"\n'),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (InputError("some.code", "No \x1b[2J{name}.", name="a\nb"), 1, "No \\x1b[2Ja\\nb.\n"),
    ],
)
def test_one_line(error, status, said, capsys):
    assert end(error) == status
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("division by zero"), KeyError("x"), TypeError("None + 1"), RuntimeError()]
)
def test_a_fault_of_our_own_is_called_so(error, capsys):
    assert end(error) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{type(error).__name__}: ")
    assert "--debug" in said
    assert len(said.splitlines()) == 1


def test_no_memory():
    assert "memory" in describe_error(MemoryError())
    assert "--debug" not in describe_error(MemoryError())


@pytest.mark.parametrize("error", [ZeroDivisionError(), InputError("some.code", "Sentence."), KeyboardInterrupt()])
def test_debug_lets_everything_through(error):
    with pytest.raises(type(error)), end_plainly(debug=True):
        raise error


@pytest.mark.parametrize("error", [typer.Exit(3), typer.BadParameter("no"), typer.Abort()])
def test_what_typer_handles_is_left_to_it(error):
    with pytest.raises(type(error)), end_plainly():
        raise error


def test_a_crash_of_a_command(run, human_eval, monkeypatch):
    def crash(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("at_k.report.score", crash)
    done = run("score", human_eval)
    assert done.exit_code == 1
    assert done.stderr.startswith("RuntimeError: boom. ")
    assert "Traceback" not in done.output
    assert isinstance(run("score", human_eval, "--debug").exception, RuntimeError)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--format", "latx"),
            "'latx' is not one of 'table', 'json', 'csv', 'markdown', 'latex'. Did you mean 'latex'?",
        ),
        (("--metrc", "pass@k"), "--metric"),
        (("--metric", "pass@kk"), "got 'pass@kk'. Near it: pass@k"),
        (("--missing", "dorp"), "Did you mean 'drop'?"),
        (("--missing", "zzz"), "'zzz' is not one of 'error', 'incorrect', 'drop'."),
        (("--threshold", "half"), "number; got 'half'."),
        (("--num-workers", "0"), "equal to 1; got '0'."),
    ],
)
def test_what_is_wrong_on_the_command_line_is_said_plainly(run, qwen, words, said):
    failed = run("score", qwen, *words, columns=200)
    assert failed.exit_code == 2
    assert said in " ".join(failed.stderr.split())
    assert "Value error" not in failed.stderr

"""How a command ends if something goes wrong: with one line on standard error, and a status that scripts can test."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand

from at_k.errors import SeveralModelsError

DATA, WRONG, INTERRUPTED = 1, 2, 130
"""The exit statuses for data that cannot be used, for a wrong command line, as Typer has it, and for Ctrl-C."""


class Command(TyperCommand):
    """A command that ends plainly, unless it is given `--debug`.

    Attributes:
        failed: the exit status if something goes wrong.
    """

    failed = DATA

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line, and name the choice that is near to a wrong one."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            cause: Any = error.__cause__
            # Typer reads words with Pydantic, whose sentences have a heading, and not always the word.
            error.message = error.message.removeprefix("Value error, ")
            if " is not one of " in error.message:
                given, *choices = re.findall("'([^']*)'", error.message)
                for near in get_close_matches(given, choices, 1):
                    error.message += f" Did you mean {near!r}?"
            elif hasattr(cause, "errors"):
                error.message += f"; got {cause.errors()[0]['input']!r}."
            raise

    def get_params(self, ctx: Any) -> list[Any]:
        """List the options. Help shows no type beside a flag, which takes no value."""
        params = super().get_params(ctx)
        for flag in (each for each in params if getattr(each, "is_flag", False)):
            flag.metavar = ""
        return params

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete all options, also those that only `--help-all` shows."""
        from at_k.cli.options import show_all

        show_all(self)
        return super().shell_complete(ctx, incomplete)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the caller, as by `>&-`
                setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
        if paths := ctx.params.get("paths"):
            ctx.params["paths"] = ["/dev/stdin" if path == "-" else path for path in paths]
        with end_plainly(debug=bool(ctx.params.get("debug")), failed=self.failed, models="models" in ctx.params):
            refuse_to_score_again(ctx)
            done = super().invoke(ctx)
            sys.stdout.flush()  # so that a pipe that was closed shows here, and not when Python ends
            return done


class Verdict(Command):
    """A command whose exit status is a verdict: 1 says FAIL, so that what goes wrong needs another one."""

    failed = WRONG


def refuse_to_score_again(ctx: Any) -> None:
    """Raise if options say how to score what is a report that was saved."""
    paths = ctx.params.get("paths")
    if not paths:
        return
    from at_k.cli.options import refuse
    from at_k.options import SCORING
    from at_k.report.saving import holds_report

    if not all(map(holds_report, paths)):
        return
    for option in ctx.command.params:
        of_samples = ctx.command.callback.options.get(option.name) is SCORING.get(option.name, option)
        if (of_samples or option.name in ("adaptive", "clusters")) and is_given(ctx, option.name):
            raise refuse(option.opts[0], "A report that was saved has its numbers, and is not scored again.")


def is_given(ctx: Any, name: str) -> bool:
    """Return whether an option was written on the command line, be it with the value of its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@contextmanager
def end_plainly(*, debug: bool = False, failed: int = DATA, models: bool = False) -> Iterator[None]:
    """Turn an exception into one line on standard error and the status `failed`. With `debug`, let it through.

    With `models`, the command has this option, which is a way on where results are of several models.
    """
    try:
        yield
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except BrokenPipeError:
        # `head` has read what it wanted. Python would complain when it flushes the pipe at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None
    except KeyboardInterrupt:
        if debug:
            raise
        fail("Interrupted.", INTERRUPTED)
    except Exception as error:
        if debug:
            raise
        way_on = " For a table of all, a row for each: `--models`, in one file with `--where` for each of them."
        is_answered = models and isinstance(error, SeveralModelsError)
        fail(describe_error(error) + way_on * is_answered, failed)


def fail(sentence: str, status: int = DATA) -> NoReturn:
    """Print a sentence on standard error, and exit."""
    from at_k.cli.words import make_printable

    typer.echo(make_printable(sentence), err=True)
    raise typer.Exit(status)


def describe_error(error: Exception) -> str:
    """Say in one line what went wrong, and what to do.

    Examples:
        >>> describe_error(FileNotFoundError(2, "No such file or directory", "a.eval"))
        'a.eval: No such file or directory'
        >>> describe_error(ValueError('`grades` must be in [0, 1]; got 2'))
        '`grades` must be in [0, 1]; got 2'
    """
    from at_k.cli.words import spell
    from at_k.errors import InputError

    sentence = str(error)
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else sentence
    if isinstance(error, InputError):
        return spell(error)
    # The library's own sentences quote columns in backticks. Those of Python and of NumPy do not.
    if isinstance(error, ImportError) or (isinstance(error, (TypeError, ValueError)) and "`" in sentence):
        return sentence
    if isinstance(error, MemoryError):
        return "There is not enough memory for these results. Score fewer files at a time."
    return (
        f"{type(error).__name__}: {sentence or 'no message'}. This is a fault of at-k, not yours. Run the command "
        "again with --debug, and report what it prints."
    )

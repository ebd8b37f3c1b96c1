"""The files that a command is given, and how it ends if something goes wrong: with one line and a status."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from errno import ENOSPC
from glob import glob, has_magic
from os import listdir
from os.path import basename, dirname, exists, isdir, islink, join, realpath
from shutil import get_terminal_size
from typing import Any, NoReturn, TextIO

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from at_k.cli.options import Flags, refuse, show_all
from at_k.errors import InputError, explain_name
from at_k.options.registry import FLAGS


class NamedPath(str):
    """A path with the name of its model.

    Attributes:
        name: the name; "" for none.
    """

    name: str

    def __new__(cls, path: str, name: str = "") -> NamedPath:
        """Make a path."""
        made = super().__new__(cls, path)
        made.name = name
        return made


def read_paths(texts: Sequence[str]) -> list[str]:
    """Read paths as they are typed."""
    paths = list(map(read_path, texts))
    names = [path.name for path in paths]
    if any(names) and not all(names):
        raise refuse("PATH", "Name each model or none: at-k score qwen=a.jsonl llama=b.jsonl")
    if len(set(filter(None, names))) < len(list(filter(None, names))):
        raise refuse("PATH", f"Give each model a name of its own; got {', '.join(names)}.")
    return list(paths)


def read_path(text: str) -> NamedPath:
    """Read a path, or model=path. "-" is standard input.

    Examples:
        >>> read_path("-"), read_path("qwen=a.jsonl").name
        ('/dev/stdin', 'qwen')
    """
    name, sign, path = text.partition("=")
    named = bool(sign and name and path) and not exists(text) and "/" not in name
    path, name = (path, name) if named else (text, "")
    return NamedPath("/dev/stdin" if path == "-" else path, name)


def explain_absent(path: str, words: str) -> None:
    """Raise, if there is no such file, with what to type instead."""
    if path.startswith(("http://", "https://")):
        file = basename(path.split("?", maxsplit=1)[0].rstrip("/")) or "results"
        line = f"curl -L -o {file} '{path}' && at-k {words} {file}"
        raise FileNotFoundError(f"The command fetches nothing from the web. Fetch it first: {line}")
    if exists(path) and not (isdir(path) and not listdir(path)):
        return
    if has_magic(path) and glob(path, recursive=True):
        return
    parts = path.split(",")
    if len(parts) > 1 and all(map(exists, parts)):
        raise FileNotFoundError(
            f"There is no file {path}. Separate files by spaces: at-k {words} {' '.join(parts)}"
        )
    from at_k.report.naming import find_key  # which loads the metrics

    if not exists(path) and find_key(path) is not None:
        raise FileNotFoundError(
            f"There is no file {path}. Separate metrics by commas: --metrics pass@1,{path}"
        )
    if path == "/dev/stdin":
        way_on = f"Pipe results into it: cat results.jsonl | at-k {words} -"
        raise FileNotFoundError(f"The standard input is closed. {way_on}")
    if islink(path):
        target = realpath(path)
        raise FileNotFoundError(
            f"There is no file {target}, to which {path} is a link. List it: ls -l {path}"
        )
    folder = path or "."
    while not isdir(folder):
        folder = dirname(folder) or "."
    near = get_close_matches(
        basename(path), sorted(listdir(folder)) if folder == (dirname(path) or ".") else [], 1
    )
    if near:
        way_on = f"Did you mean {join(dirname(path), near[0])}?"
    else:
        way_on = f"List the files: ls -l {folder}"
    what = "There is no file in" if exists(path) else "There is no file"
    raise FileNotFoundError(f"{what} {path or repr(path)}. {way_on}")


# The exit status where a call, its files or its data are wrong, as Typer has it for a command line. 1 is the answer no.
WRONG = 2


# Parameter without which a command cannot run → what to type.
_LACKING = {
    "paths": "Give the file or folder that a harness wrote: at-k {command} results.jsonl",
    "out": "Name the file to write: --out curves.svg",
    "conditions": "Say what holds for a problem: --where '0.1 <= avg <= 0.9'",
    "to": "Name the format to write: --to every-eval-ever",
}


class Command(TyperCommand):
    """A command that ends plainly, unless it is given `--debug`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line, and name the choice that is near to a wrong one."""
        ctx.meta["typed"] = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            cause: Any = error.__cause__
            if type(error).__name__ == "MissingParameter":
                name = getattr(getattr(error, "param", None), "name", "")
                error.message = _LACKING.get(name or "", "").format(command=self.name)
                raise
            # Typer reads words with Pydantic, whose sentences have a heading, and not always the word.
            error.message = error.message.removeprefix("Value error, ")
            if " is not one of " in error.message:
                typed, *choices = re.findall("'([^']*)'", error.message)
                for near in get_close_matches(typed, choices, 1):
                    error.message += f" Did you mean {near!r}?"
            elif hasattr(cause, "errors"):
                error.message += f"; got {cause.errors()[0]['input']!r}."
            raise
        except TyperException as error:
            explain_unknown(error, self)
            raise

    def get_params(self, ctx: Any) -> list[Any]:
        """List the options. Help shows no type beside a flag, which takes no value."""
        params = super().get_params(ctx)
        for flag in (param for param in params if getattr(param, "is_flag", False)):
            flag.metavar = ""
        return params

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete all options, also those that only `--help-all` shows."""
        show_all(self)
        return super().shell_complete(ctx, incomplete)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the caller, as by `>&-`
                setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
            stream = getattr(sys, name)
            if isinstance(
                stream, io.TextIOWrapper
            ):  # a name of a problem may have signs that the console lacks
                stream.reconfigure(errors="backslashreplace")
        with end_plainly(debug=bool(ctx.params.get("debug")), ctx=ctx):
            for name in ("paths", "against"):
                if ctx.params.get(name):
                    ctx.params[name] = read_paths(ctx.params[name])
            refuse_to_score_again(ctx)
            try:
                done = super().invoke(ctx)
            except (FileNotFoundError, InputError) as error:
                if not isinstance(error, InputError) or error.code == "paths.empty":
                    for path in [
                        path for name in ("paths", "against") for path in ctx.params.get(name) or ()
                    ]:
                        explain_absent(path, ctx.command.name)
                raise
            sys.stdout.flush()  # so that a pipe that was closed shows here, and not when Python ends
            return done


# Option → where a requirement has what it says.
_WITHIN = {
    "k": "name k in the number, as in --require 'pass@4 >= 0.8'",
    "thresholds": "name τ in the number, as in --require 'G-Pass@4_0.5 >= 0.8'",
}


def explain_unknown(error: Any, command: Command) -> None:
    """Name what an option is called here that has another name elsewhere, or what a command has instead."""
    flag = getattr(error, "option_name", "")
    name = flag.lstrip("-").replace("-", "_")
    said = explain_name(name, Flags())
    if FLAGS.get(name, flag) != flag:
        said = f"it is called {FLAGS[name]} here"
    own = {param.name for param in command.params}
    if name in _WITHIN and "require" in own:
        error.message = f"at-k {command.name} has no option {flag}: {_WITHIN[name]}."
        error.possibilities = []
    elif said:
        error.message = f"There is no option {flag}: {said}."
        error.possibilities = []


# A word that is no command → the command that does it.
_MEANT = {
    "predict": "plan --predict",
    "rank": "compare",
    "read": "score",
    "report": "score",
    "eval": "score",
}


class Commands(TyperGroup):
    """The commands. A file without a command, and a command that is misspelled, are answered by what to type."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is typed."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            if args[0] in _MEANT:
                near = [_MEANT[args[0]]]
            else:
                near = get_close_matches(args[0], self.commands, 1)
            if os.path.exists(args[0]) or "." in args[0]:
                ctx.fail(f"{args[0]!r} is not a command. To score a file: at-k score {args[0]}")
            if near:
                hint = f"Did you mean at-k {near[0]}?"
            else:
                hint = f"The commands are {', '.join(self.commands)}."
            ctx.fail(f"There is no command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)


def refuse_to_score_again(ctx: Any) -> None:
    """Raise if options say how to score what is a report that was saved."""
    paths = ctx.params.get("paths")
    if not paths:
        return
    from at_k.options.registry import SCORING
    from at_k.report.data import holds_report

    if not all(map(holds_report, paths)):
        return
    for option in ctx.command.params:
        known = ctx.command.callback.options.get(option.name)
        if (known is SCORING.get(option.name, option) or option.name == "clusters") and is_given(
            ctx, option.name
        ):
            raise refuse(
                known.spelling if known else option.opts[0],
                "A report that was saved has its numbers, and is not scored again.",
            )


def is_given(ctx: Any, name: str) -> bool:
    """Return whether an option was written on the command line, be it with the value of its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@contextmanager
def end_plainly(*, debug: bool = False, ctx: Any = None) -> Iterator[None]:
    """Turn an exception into lines on standard error and the status `WRONG`. With `debug`, let it through."""
    # With the context of a command, a refusal of data is answered by whole commands.
    try:
        yield
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except BrokenPipeError:
        leave_pipe(sys.stdout)
        raise typer.Exit from None
    except InputError as error:
        if debug:
            raise
        from at_k.cli.asking import list_answer

        sentence, *question = list_answer(error, ctx)
        fail(sentence + _suggest_column(error), question)
    except Exception as error:
        if debug:
            raise
        fail(describe_error(error))


def leave_pipe(stream: TextIO) -> None:
    """Discard what is still written to a stream whose reader, such as `head`, has closed the pipe."""
    # Else Python complains as it flushes at its end
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _suggest_column(error: Any) -> str:
    """Name the column that is near to one that is not there."""
    column, columns = (str(error.values.get(name, "")) for name in ("column", "columns"))
    near = get_close_matches(column.strip("“”"), re.findall("“([^”]*)”", columns), 1)
    if near and error.code.endswith("no_column"):
        return f" Did you mean “{near[0]}”?"
    return ""


def fail(sentence: str, lines: Sequence[str] = ()) -> NoReturn:
    """Print a sentence on standard error, and the lines of a question below it, and exit."""
    from at_k.results.sheet import make_printable

    told = [make_printable(sentence)]
    if sys.stderr.isatty():
        from at_k.results.writers import wrap

        told = wrap(told[0], get_terminal_size().columns, whole=True)
    typer.echo("\n".join([*told, *map(make_printable, lines)]), err=True)
    raise typer.Exit(WRONG)


def describe_error(error: Exception) -> str:
    """Say in one line what went wrong, and what to do.

    Examples:
        >>> describe_error(FileNotFoundError(2, "No such file or directory", "a.eval"))
        'a.eval: No such file or directory'
        >>> describe_error(ValueError('`grades` must be in [0, 1]; got 2'))
        '`grades` must be in [0, 1]; got 2'
    """
    sentence = str(error)
    if isinstance(error, OSError):
        if error.filename and error.strerror:
            return f"{error.filename}: {error.strerror}"
        if error.errno == ENOSPC:
            return "No space is left to write to. Free some, or write elsewhere."
        return sentence
    # The library's own sentences quote columns in backticks. Those of Python and of NumPy do not.
    if isinstance(error, ImportError) or (
        isinstance(error, (TypeError, ValueError)) and "`" in sentence
    ):
        return sentence
    if isinstance(error, MemoryError):
        return "There is not enough memory for these results. Score fewer files at a time."
    return (
        f"{type(error).__name__}: {sentence or 'no message'}. This is a fault of at-k, not yours. Run the command "
        "again with --debug, and report what it prints."
    )

"""Write results in the form that was asked for, to a terminal, to standard output or to files."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from os.path import realpath, splitext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from at_k.cli.failures import leave_pipe
from at_k.cli.options import refuse, spell
from at_k.results.saving import check_target, replace_file
from at_k.results.sheet import Sentences, Sheet, make_printable
from at_k.results.writers import WRITERS, Shown, lay_out, write_text

if TYPE_CHECKING:
    from rich.console import Console


# A line as pieces of text, each with its style as Rich spells it; "" for none.
Line = list[tuple[str, str]]

# Replacements of the signs of our own texts where there is only ASCII.
_ASCII = str.maketrans(
    {
        "τ": "tau",
        "·": "-",
        "×": "x",
        "–": "-",
        "—": "-",
        "−": "-",
        "…": "...",
        "“": '"',
        "”": '"',
        "⌈": "",
        "⌉": "",
        "≤": "<=",
        "≥": ">=",
        "→": "->",
        "½": "1/2",
        "─": "-",
    }
)


# Seconds after which a bar appears.
_DELAY = 1


def make_console(*, stderr: bool = False) -> Console:
    """Make a console: without colours if it is no terminal, or with NO_COLOR; as wide as COLUMNS says, or 80."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    # Rich exits with status 1 on a closed pipe, which of a gate means FAIL.
    console.on_broken_pipe = partial(leave_pipe, stream)  # type: ignore[method-assign]
    if console.width < 1:  # some terminals and build servers set COLUMNS=0
        console.width = 80
    return console


def print_lines(lines: Iterable[Line], console: Console) -> None:
    """Print lines, without wrapping them."""
    from rich.text import Text

    plain = not console.encoding.startswith("utf")
    for line in lines:
        pieces = [(text.translate(_ASCII) if plain else text, style) for text, style in line]
        console.print(Text.assemble(*pieces), soft_wrap=True)


@contextmanager
def show_work(text: str) -> Iterator[None]:
    """Show on standard error, if it is a terminal, that work goes on and for how long; it is gone afterwards."""
    # Checks, and the reading of files, have a line of their own with a bar, if they take more than a second.
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from at_k.progress import replace_bars

    console = make_console(stderr=True)
    spinner = SpinnerColumn("dots" if console.encoding.startswith("utf") else "line")
    columns = (
        spinner,
        TextColumn("{task.description}", markup=False),
        BarColumn(20),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(make_printable(text), total=None)

        @contextmanager
        def count(total: int, name: str) -> Iterator[Any]:
            task = progress.add_task(name, total=total, visible=False)
            done = 0
            started = progress.get_time()

            def update(steps: int = 1) -> None:
                nonlocal done
                done += steps
                text = f"{name}: {done:,} of {total:,} ({done / total:.0%})"
                is_long = progress.get_time() - started > _DELAY
                progress.update(task, completed=done, description=text, visible=is_long)

            try:
                yield SimpleNamespace(update=update)
            finally:
                progress.refresh()
                progress.remove_task(task)

        with replace_bars(count):
            yield


# Ending of a file → the form that is written into it.
BY_ENDING = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".txt": "table",
}

# The forms that have no place for notes, which then go to standard error.
_WITHOUT_NOTES = ("csv", "latex")

# The width of a table in a file.
_IN_FILE = 100


def choose_form(form: str | None, out: str | None) -> str:
    """Choose the form of a result: the one that was asked for, else the one that the file's name ends in.

    Examples:
        >>> choose_form(None, "results.md"), choose_form("csv", "results.md"), choose_form(None, None)
        ('markdown', 'csv', 'table')
    """
    if form is not None or out is None:
        return form or "table"
    ending = splitext(out)[1].lower()
    if ending not in BY_ENDING:
        raise refuse(
            "--out", f"The name must end in {', '.join(BY_ENDING)}, or say --format; got {out!r}."
        )
    return BY_ENDING[ending]


def check_out(paths: Sequence[str], out: str | None) -> None:
    """Check where a file will be written, before work is done for it."""
    if out is not None and str(check_target(out)) in map(realpath, paths):
        raise refuse("--out", f"{out!r} is read by this command. Give another name.")


def write_result(
    found: Shown | Sheet, form: str | None, out: str | None = None, **forms: Callable[[], str]
) -> None:
    """Write a result to standard output or to a file, in one of `forms` or in one that every sheet has."""
    # What a form has no place for goes to standard error: what was read, and notes.
    form, console = choose_form(form, out), make_console()
    sheet = found if isinstance(found, Sheet) else found.sheet(short=True)
    if form == "table" and out is None:
        print_lines(lay_out(sheet, console.width, spell), console)
        return
    if out is None:
        try:
            console.file.write(write_form(found, form, **forms))
            console.file.flush()
        except BrokenPipeError:
            leave_pipe(sys.stdout)
    else:
        save_form(found, form, out, **forms)
    beside = make_console(stderr=True)
    spoken = [part for part in sheet.parts if isinstance(part, Sentences)]
    shown = spoken if form in _WITHOUT_NOTES else [part for part in spoken if part.kind == "fact"]
    is_titled = bool(shown) or (not isinstance(found, Sheet) and not found.sheet().title)
    print_lines(
        lay_out(Sheet(shown, sheet.title if is_titled else ""), beside.width, spell), beside
    )
    if out is not None:
        say_written(out)


def save_form(found: Shown | Sheet, form: str, out: str, **forms: Callable[[], str]) -> None:
    """Write a result into a file. One of JSON opens again wherever such a result is taken."""
    if form == "json" and isinstance(found, Shown) and splitext(out)[1].lower() == ".json":
        found.save(out)
        return
    with replace_file(out) as part:
        part.write_text(write_form(found, form, **forms), encoding="utf-8", newline="")


def write_form(found: Shown | Sheet, form: str, **forms: Callable[[], str]) -> str:
    """Write a result in a form: of `forms`, or one that every sheet has."""
    if form in forms:
        text = forms[form]()
    elif form == "table":
        sheet = found if isinstance(found, Sheet) else found.sheet(short=True)
        text = write_text(sheet, spell, _IN_FILE)
    else:
        text = WRITERS[form](found if isinstance(found, Sheet) else found.sheet(), spell)
    return text.rstrip("\n") + "\n"


def say_written(path: str) -> None:
    """Say on standard error that a file was written."""
    print_lines([[(f"Wrote {path}", "")]], make_console(stderr=True))

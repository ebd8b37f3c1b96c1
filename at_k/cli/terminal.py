"""What a terminal shows: lines of styled text, in characters that it has, and a sign that work goes on."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from at_k.cli.words import make_printable

if TYPE_CHECKING:
    from rich.console import Console

Line = list[tuple[str, str]]
"""A line as pieces of text, each with its style as Rich spells it; "" for none."""

_ASCII = str.maketrans(
    {"τ": "tau", "·": "-", "×": "x", "–": "-", "—": "-", "−": "-", "…": "...", "“": '"', "”": '"', "⌈": "", "⌉": "",
     "≤": "<=", "≥": ">=", "→": "->", "½": "1/2", "─": "-"}
)  # fmt: skip
"""What stands for the signs of our own texts where there is only ASCII."""


_DELAY = 1
"""Seconds after which a bar appears."""


def make_console(*, stderr: bool = False) -> Console:
    """Make a console: without colours if it is no terminal, or with NO_COLOR; as wide as COLUMNS says, or 80."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
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
    """Show on standard error, if it is a terminal, that work goes on and for how long; it is gone afterwards.

    Checks, and the reading of files, have a line of their own with a bar, if they take more than a second.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from at_k.progress import replace_bars

    console = make_console(stderr=True)
    spinner = SpinnerColumn("dots" if console.encoding.startswith("utf") else "line")
    columns = (spinner, TextColumn("{task.description}", markup=False), BarColumn(20), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(make_printable(text), total=None)

        @contextmanager
        def count(total: int, name: str) -> Iterator[Any]:
            task = progress.add_task(name, total=total, visible=False)
            done, started = 0, progress.get_time()

            def update(steps: int = 1) -> None:
                nonlocal done
                done += steps
                said = f"{name}: {done:,} of {total:,} ({done / total:.0%})"
                is_long = progress.get_time() - started > _DELAY
                progress.update(task, completed=done, description=said, visible=is_long)

            try:
                yield SimpleNamespace(update=update)
            finally:
                progress.refresh()
                progress.remove_task(task)

        with replace_bars(count):
            yield

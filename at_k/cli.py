"""The command `at-k`."""

from __future__ import annotations

from typing import Annotated

import typer

import at_k

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"at-k {at_k.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Compute metrics for models that are sampled more than once."""


@app.command()
def register(undo: Annotated[bool, typer.Option("--undo", help="Take the modules out again.")] = False) -> None:
    """Let evaluate.load("gpassk"), and the other names, work from any directory, without a network."""
    try:
        folders = at_k.register(undo=undo)
    except OSError as error:
        typer.echo(f"The module cache of evaluate, below HF_HOME, cannot be written: {error}", err=True)
        raise typer.Exit(1) from None
    for folder in folders:
        typer.echo(f"{'removed' if undo else 'registered'} {folder}")
    if undo and not folders:
        typer.echo("nothing was registered")
    if not undo:
        typer.echo(f"evaluate.load({at_k.METRICS[0]!r}), and the other names, now work from any directory")

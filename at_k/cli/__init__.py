"""The command `at-k`. It reads options, asks the library, and writes what comes back; it computes nothing.

`at-k --help` loads no more than Typer: every command imports what it needs when it runs.
"""

from at_k.cli.commands import app

__all__ = ["app"]

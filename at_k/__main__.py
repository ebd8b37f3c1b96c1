"""`python -m at_k` is the command `at-k`."""

from at_k.cli import app

app(prog_name="at-k")

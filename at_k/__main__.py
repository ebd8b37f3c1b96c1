"""`python -m at_k` is the command `at-k`."""

from at_k.cli import app

if __name__ == "__main__":
    app(prog_name="at-k")

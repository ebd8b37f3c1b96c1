"""What stands in the files of the project, each parsed once."""

import ast
from functools import cache


@cache
def list_nodes(path):
    """List everything in a file of Python. Nobody changes what comes back."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))

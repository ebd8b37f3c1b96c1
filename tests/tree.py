"""Syntax trees of the project's files, each parsed once."""

import ast
from functools import cache


@cache
def list_nodes(path):
    """List everything in a file of Python. Nobody changes what comes back."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))

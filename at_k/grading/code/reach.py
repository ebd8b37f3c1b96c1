"""Tell from the source of a test program, without running it, whether it calls its tests and whether it can decide.

Both follow names: a test runs if what runs names it. So a test that is called under a condition that never holds counts
as called, and an assertion in a loop over nothing as one that decides.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from types import CodeType

from at_k.grading.code.protocol import HarnessError

# The name of a test program in tracebacks.
TESTS = "<tests>"

# Characters of a list of tests that are said.
_MOST_SAID = 500

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

# What a script may find all its functions by, and what decides although no name shows it.
_FINDS_ALL = {"globals", "locals", "vars", "dir"}
_DECIDES = {"exec", "eval", "testmod", "testfile", "run_docstring_examples"}

# The names by which tests may import the program.
_PROGRAM = ("candidate", "__main__")


def compile_tests(source: str) -> CodeType:
    """Compile a test program. Raise if it leaves a test uncalled, or nothing in it can decide."""
    try:
        tree = ast.parse(source, TESTS)
        code = compile(tree, TESTS, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise HarnessError(
            f"the test program cannot be compiled: {type(error).__name__}: {error}"
        ) from error
    last_line = "in a last line such as check(name_of_the_function)"
    nodes, definitions = _split(tree)
    reached, nodes = _follow(nodes, definitions)
    if uncalled := _list_uncalled(definitions, reached, _list_used(nodes)):
        names = ", ".join(uncalled)[:_MOST_SAID]
        raise HarnessError(
            f"the test program defines tests and does not call them: {names}; do so {last_line}"
        )
    own = _list_own(ast.walk(tree), definitions)
    if not any(_decides(node, own) for node in nodes):
        raise HarnessError(
            "the test program holds no assertion and calls nothing of the program, so that every program would pass; "
            f"that of HumanEval calls its tests {last_line}"
        )
    return code


def _split(tree: ast.AST) -> tuple[list[ast.AST], list[_Definition]]:
    """Return what runs with a script, node by node, and the definitions in it, also those under `if`."""
    nodes = [tree]
    definitions = list[_Definition]()
    for node in nodes:  # it grows
        for part in ast.iter_child_nodes(node):
            if isinstance(part, _Definition):
                definitions.append(part)
            else:
                nodes.append(part)
    return nodes, definitions


def _follow(
    nodes: list[ast.AST], definitions: list[_Definition]
) -> tuple[list[_Definition], list[ast.AST]]:
    """Return the definitions that are used, and the nodes of all that runs."""
    # A class with a base may be a case, which `unittest` finds. A decorator of the script's own may call what it takes.
    own = {definition.name for definition in definitions}
    reached = [
        each
        for each in definitions
        if getattr(each, "bases", ()) or own & _list_used(_walk(each.decorator_list))
    ]
    nodes = [*nodes, *_walk(reached)]
    used = _list_used(nodes)
    while True:
        found = [
            each
            for each in definitions
            if each not in reached and (each.name in used or used & _FINDS_ALL)
        ]
        if not found:
            return reached, nodes
        reached += found
        added = _walk(found)
        nodes += added
        used |= _list_used(added)


def _walk(trees: Iterable[ast.AST]) -> list[ast.AST]:
    return [node for tree in trees for node in ast.walk(tree)]


def _list_used(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names, attributes and texts in an expression: each may name a function."""
    named = (
        getattr(node, "id", getattr(node, "attr", getattr(node, "value", None))) for node in nodes
    )
    return {name for name in named if isinstance(name, str)}


def _list_uncalled(
    definitions: list[_Definition], reached: list[_Definition], used: set[str]
) -> list[str]:
    """List the tests that nothing calls: functions, and methods of a class that nothing names."""
    uncalled: list[str] = []
    for each in definitions:
        if any("skip" in name for name in _list_used(_walk(each.decorator_list))):
            continue
        if isinstance(each, _FUNCTIONS) and each not in reached:
            uncalled.append(each.name)
        elif isinstance(each, ast.ClassDef) and each not in reached:
            methods = (part.name for part in each.body if isinstance(part, _FUNCTIONS))
            uncalled += [name for name in methods if name not in used]
    return [name for name in uncalled if name == "check" or name.startswith("test")]


def _list_own(nodes: Iterable[ast.AST], definitions: list[_Definition]) -> set[str]:
    """Return the names that are not the program's: built-in ones, and those that the tests define or import."""
    own = {*vars(builtins), *(definition.name for definition in definitions)}
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if alias.name not in _PROGRAM]
        elif isinstance(node, ast.ImportFrom) and node.module not in _PROGRAM:
            names = node.names
        else:
            continue
        own |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
    return own


def _decides(node: ast.AST, own: set[str]) -> bool:
    """Return whether a node is an assertion, or calls what is not the tests' own."""
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call):
        return False
    called, root = node.func, node.func
    name = getattr(called, "attr", getattr(called, "id", ""))
    while isinstance(root, ast.Attribute):
        root = root.value
    is_own = isinstance(root, ast.Name) and root.id in own
    return name.startswith("assert") or name in _DECIDES or not is_own

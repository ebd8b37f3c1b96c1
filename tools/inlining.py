"""Write a module as one file, with the definitions of the library that it needs, and without an import of the library.

Definitions are copied as they are, with the comments above them. Where two modules use one name, that of the lower
module gets the name of its module in front.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

LIBRARY = "at_k"


class Place(NamedTuple):
    """A definition of the library, or of the module."""

    module: str
    name: str


class Import(NamedTuple):
    """A line that imports a name from elsewhere."""

    line: str
    name: str

    @property
    def module(self) -> str:
        """Return the module from which it imports."""
        return self.line.split()[1]


def is_own(node: ast.ImportFrom) -> bool:
    """Return whether an import is one of the library."""
    return str(node.module).split(".")[0] == LIBRARY


class Source:
    """A module as text: what its statements define, and what it imports.

    Attributes:
        name: its dotted name.
        text: its text.
        is_package: whether it may hold other modules.
        tree: the same, parsed.
        definitions: each name that it defines → the statement that does.
        imports: each name that it imports → the statement that does.
    """

    def __init__(self, name: str, text: str, *, is_package: bool = False) -> None:
        """Parse the text."""
        self.is_package = is_package
        self.name, self.text, self.tree = name, text, ast.parse(text)
        self.definitions = {name: node for node in self.tree.body for name in _list_defined(node)}
        self.imports: dict[str, ast.Import | ast.ImportFrom] = {}
        for node in self.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    self.imports[alias.asname or alias.name.partition(".")[0]] = node

    def find_place(self, part: ast.expr) -> Place | None:
        """Return the place of a name that is imported from the library."""
        node = self.imports.get(part.id) if isinstance(part, ast.Name) else None
        if not isinstance(node, ast.ImportFrom) or not is_own(node):
            return None
        (name,) = (alias.name for alias in node.names if part.id in (alias.name, alias.asname))
        return Place(str(node.module), name)


class Library:
    """Follow names through the modules of the library."""

    def __init__(self, front: Source) -> None:
        """Take one module as it is given, and all others from their files."""
        self.sources = {front.name: front}

    def read(self, module: str) -> Source:
        """Read a module once."""
        if module not in self.sources:
            spec = find_spec(module)
            if spec is None or spec.origin is None:
                raise LookupError(f"there is no module {module}")
            text = Path(spec.origin).read_text(encoding="utf-8")
            is_package = spec.submodule_search_locations is not None
            self.sources[module] = Source(module, text, is_package=is_package)
        return self.sources[module]

    def resolve(self, place: Place) -> Place | None:
        """Find where a name is defined, through the modules that only pass it on; None for a whole module."""
        module, name = place
        source = self.read(module)
        if name in source.definitions:
            return place
        if name in source.imports:
            further = source.find_place(ast.Name(name))
            if further is not None:
                return self.resolve(further)
        if source.is_package and find_spec(f"{module}.{name}") is not None:
            return None
        raise LookupError(f"{module} does not define {name}")

    def find(self, module: str, name: str) -> Place:
        """Find where a name is defined."""
        place = self.resolve(Place(module, name))
        if place is None:
            raise LookupError(f"{module}.{name} is a module, not a definition")
        return place

    def sort(self) -> list[str]:
        """List the modules that were read, each after those that it imports from."""
        order: list[str] = []
        seen: set[str] = set()  # a package may import from itself

        def visit(name: str) -> None:
            if name in seen or name not in self.sources:
                return
            seen.add(name)
            for node in self.sources[name].imports.values():
                if isinstance(node, ast.ImportFrom) and is_own(node):
                    visit(str(node.module))
                    for alias in node.names:
                        visit(f"{node.module}.{alias.name}")
            order.append(name)

        for name in sorted(self.sources, reverse=True):
            visit(name)
        return order

    def list_uses(self, module: str, node: ast.AST) -> Iterator[tuple[ast.expr, Place | Import]]:
        """Yield the expressions of a statement that use a definition or an import, and what each uses."""
        source = self.sources[module]
        for part in _walk_global(node):
            if isinstance(part, ast.Attribute):
                place = source.find_place(part.value)
                if place is not None and self.resolve(place) is None:
                    yield part, self.find(".".join(place), part.attr)
            elif part.id in source.definitions:
                yield part, Place(module, part.id)
            elif part.id in source.imports:
                place = source.find_place(part)
                if place is None:
                    yield part, _write_import(source.imports[part.id], part.id)
                elif self.resolve(place) is not None:
                    yield part, self.find(*place)


def inline(front: Source, roots: Collection[tuple[str, str]], constants: Mapping[str, str]) -> str:
    """Write a module with what its roots need of it and of the library.

    Args:
        front: the module.
        roots: the modules and the names that the file is to define.
        constants: names of the module → the text of their value, in place of the one that they have there.

    Raises:
        LookupError: if a name cannot be found.
    """
    library = Library(front)
    needed, imported = _collect(library, roots)
    modules = library.sort()
    in_order = sorted(needed, key=lambda place: modules.index(place.module))
    names = _tell_apart([*sorted(imported), *in_order])
    head = [f'"""{ast.get_docstring(front.tree)}\n"""', "from __future__ import annotations"]
    head.append("\n".join(_list_imports(imported, names)))
    pieces = ["\n\n".join(head)]
    for module in modules:
        source = library.sources[module]
        chosen = {source.definitions[place.name] for place in needed if place.module == module}
        for node in sorted(chosen, key=lambda node: node.lineno):
            value = None
            if module == front.name:
                value = constants.get(_list_defined(node)[0])
            pieces.append(_write(library, source, node, names, value))
    return "\n\n\n".join(pieces) + "\n"


def _list_imports(imported: Collection[Import], names: Mapping[Place | Import, str]) -> list[str]:
    """List the lines that import: modules first, then names, those of one module in one line."""
    lines: list[str] = []
    listed: dict[str, list[str]] = {}
    for use in sorted(imported):
        what = use.line.rpartition("import ")[2]
        if names[use] != use.name:
            what = f"{what.split()[0]} as {names[use]}"
        if use.line.startswith("import"):
            lines.append(f"import {what}")
        else:
            listed.setdefault(use.module, []).append(what)
    return lines + [f"from {module} import {', '.join(what)}" for module, what in listed.items()]


def _collect(
    library: Library, roots: Collection[tuple[str, str]]
) -> tuple[set[Place], set[Import]]:
    """Collect the definitions that some need, and the imports that these need."""
    needed: set[Place] = set()
    imported: set[Import] = set()
    waiting = [library.find(*root) for root in roots]
    while waiting:
        place = waiting.pop()
        if place in needed:
            continue
        needed.add(place)
        node = library.sources[place.module].definitions[place.name]
        for _, use in library.list_uses(place.module, node):
            if isinstance(use, Import):
                imported.add(use)
            else:
                waiting.append(use)
    return needed, imported


def _tell_apart(uses: Sequence[Place | Import]) -> dict[Place | Import, str]:
    """Name each definition and import. The last of several with one name keeps it, the others name their module."""
    keeper = {use.name: use for use in uses}
    names = {use: use.name for use in uses}
    for use in uses:
        if keeper[use.name] != use:
            private = "_" if use.name.startswith("_") else ""
            stem = use.module.rpartition(".")[2]
            longer = f"{stem}_{use.name.lstrip('_')}"
            names[use] = private + (longer.upper() if use.name.isupper() else longer)
    return names


def _write(
    library: Library,
    source: Source,
    node: ast.stmt,
    names: Mapping[Place | Import, str],
    value: str | None,
) -> str:
    """Write a definition with the comments above it, and with the new names in it."""
    lines = source.text.encode().splitlines(keepends=True)
    decorators = getattr(node, "decorator_list", [])
    first = min(part.lineno for part in (node, *decorators)) - 1
    start = first
    while start and lines[start - 1].startswith(b"#"):
        start -= 1
    last = node.end_lineno or node.lineno
    if value is not None and isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
        lines[node.value.lineno - 1] = lines[node.value.lineno - 1][: node.value.col_offset]
        lines[node.value.lineno - 1] += value.encode() + b"\n"
        return b"".join(lines[start : node.value.lineno]).decode().rstrip()
    changes = [
        (part.lineno, part.col_offset, part.end_col_offset or 0, names[use])
        for part, use in library.list_uses(source.name, node)
    ]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        column = node.col_offset + len("def " if isinstance(node, ast.FunctionDef) else "class ")
        changes.append(
            (node.lineno, column, column + len(node.name), names[Place(source.name, node.name)])
        )
    for line, left, right, name in sorted(set(changes), reverse=True):
        text = lines[line - 1]
        lines[line - 1] = text[:left] + name.encode() + text[right:]
    return b"".join(lines[start:last]).decode().rstrip()


def _walk_global(node: ast.AST, bound: frozenset[str] = frozenset()) -> Iterator[Any]:
    """Yield the names in a statement that no function in it binds, and the attributes of such names."""
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        bound |= {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        bound |= {
            part.id
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
    named = node.value if isinstance(node, ast.Attribute) else node
    if isinstance(named, ast.Name) and named.id not in bound:
        yield node
    for part in ast.iter_child_nodes(node):
        yield from _walk_global(part, bound)


def _list_defined(node: ast.AST) -> list[str]:
    """List the names that a statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [
            part.id
            for target in node.targets
            for part in ast.walk(target)
            if isinstance(part, ast.Name)
        ]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.If):
        return [name for part in (*node.body, *node.orelse) for name in _list_defined(part)]
    return []


def _write_import(node: ast.Import | ast.ImportFrom, name: str) -> Import:
    """Write the line that imports one name."""
    for alias in node.names:
        if (alias.asname or alias.name.partition(".")[0]) == name:
            spelled = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
            if isinstance(node, ast.Import):
                return Import(f"import {spelled}", name)
            return Import(f"from {node.module} import {spelled}", name)
    raise LookupError(name)

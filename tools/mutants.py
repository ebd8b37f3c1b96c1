"""Measure what the tests notice: `python -m tools.mutants [FILES] [--sample 5] [--jobs 2] [--minutes 60]`.

A mutant is a file with one small fault: a comparison turned, a number off by one, a statement left out. The tests are
recorded once (`tools/recording.py`). A mutant is tried by the tests that pass over its line, in a copy of the tree; one
that they let pass is printed. FILES may be folders. Changes that are no faults are listed in `equivalent_mutants.txt`,
with their reasons.
"""

import ast
import contextlib
import copy
import io
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from typing import Annotated, Any

import typer

from tools import recording
from tools.maintenance import find_commit, summarise

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.txt"

SAMPLE = 5
"""Mutants of each file in a whole run: 859 took 84 minutes on two busy cores. `--seed` chooses others."""

BOUND = 20.0
"""Seconds of tests, as recorded, that one mutant is tried by."""

FIRST = 10
"""Tests that are tried before the others, since they are short and often suffice."""

PATIENCE = 5
"""A mutant is taken as noticed if its tests take longer than this times `BOUND`: most such run without end."""

OPTIONS = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Options of pytest in a worker, which has imported some plugins before."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "ceil": "floor",
}
NAMES |= {"minimum": "maximum", "maximum": "minimum", "left": "right", "right": "left"}


@dataclass(frozen=True)
class Mutant:
    """A file with one fault."""

    file: str
    line: int
    change: str
    number: int
    """Its place among the mutants of the file."""
    lines: range
    """The lines of its statement."""

    @property
    def name(self) -> str:
        """Return its name in the list of equivalent mutants, without the line, which moves."""
        return f"{self.file}: {self.change}"


def list_mutants(file: str, root: Path = ROOT) -> list[Mutant]:
    """List every mutant of a file, in the order of its lines."""
    mutants = []
    for number, (parent, name, place, old, new, lines) in enumerate(
        _list_changes((root / file).read_text(encoding="utf-8"))[1]
    ):
        _put(parent, name, place, new)
        shown = (
            parent if isinstance(old, (ast.operator, ast.cmpop, ast.boolop, ast.Constant)) else new
        )
        mutated = _show(shown)
        _put(parent, name, place, old)
        before = _show(parent if shown is parent else old)
        line = getattr(old, "lineno", getattr(parent, "lineno", 0))
        mutants.append(Mutant(file, line, f"{before} → {mutated}", number, lines))
    return sorted(mutants, key=lambda mutant: mutant.line)


def mutate(source: str, number: int) -> str:
    """Return a source with one of its mutants."""
    tree, changes = _list_changes(source)
    parent, name, place, _, new, _ = changes[number]
    _put(parent, name, place, new)
    return ast.unparse(ast.fix_missing_locations(tree))


def _list_changes(
    source: str,
) -> tuple[ast.AST, list[tuple[ast.AST, str, int | None, ast.AST, ast.AST, range]]]:
    """Return the tree of a source, and of each change the parent, the field, the place, both nodes and the lines."""
    tree = ast.parse(source)
    walked = _walk(tree, range(1))
    changes = [
        (parent, name, place, node, new, lines)
        for node, parent, name, place, lines in walked
        for new in _change(node, parent)
    ]
    return tree, changes


def _show(node: ast.AST) -> str:
    with contextlib.suppress(AttributeError, TypeError):
        return " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())[:160]
    return type(node).__name__


def _put(parent: ast.AST, name: str, place: int | None, new: ast.AST) -> None:
    if place is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[place] = new


def _walk(
    parent: ast.AST, lines: range
) -> Iterator[tuple[ast.AST, ast.AST, str, int | None, range]]:
    """Visit each node with its parent, its place there and its lines; not types, documentation, imports, decorators."""
    for name, value in ast.iter_fields(parent):
        if name in ("annotation", "returns", "decorator_list", "format_spec", "ctx"):
            continue
        for place, node in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(node, ast.AST) or isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a docstring
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                continue
            if any(ast.unparse(each) == "overload" for each in getattr(node, "decorator_list", ())):
                continue
            of_node = _list_lines(node) if isinstance(node, ast.stmt) else lines
            yield node, parent, name, place if isinstance(value, list) else None, of_node
            yield from _walk(node, of_node)


def _list_lines(statement: ast.stmt) -> range:
    """Return the lines of a statement, and of a compound one those before its body."""
    body = getattr(statement, "body", None)
    return range(
        statement.lineno,
        max(statement.lineno + 1, body[0].lineno if body else statement.end_lineno + 1),
    )


def _change(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """List the replacements of a node."""
    if type(node) in SWAPS and not (isinstance(node, ast.Add) and _joins_texts(parent)):
        yield SWAPS[type(node)]()
    elif isinstance(node, ast.Constant) and not isinstance(parent, ast.JoinedStr):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, (int, float)):
            yield ast.Constant(node.value + 1)
        elif node.value in ("left", "right"):
            yield ast.Constant(NAMES[node.value])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield node.operand
    elif (
        isinstance(node, ast.Name)
        and node.id in NAMES
        and isinstance(parent, ast.Call)
        and node is parent.func
    ):
        yield ast.Name(NAMES[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        turned = copy.copy(node)
        turned.test = ast.UnaryOp(ast.Not(), node.test)
        yield turned
    elif (
        isinstance(node, ast.Return)
        and node.value is not None
        and ast.unparse(node.value) != "None"
    ):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.Expr, ast.Raise, ast.AugAssign, ast.Continue)) and not _is_yield(
        node
    ):
        yield ast.Pass()


def _joins_texts(parent: ast.AST) -> bool:
    sides = (getattr(parent, "left", None), getattr(parent, "right", None))
    return any(
        isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", None), str)
        for side in sides
    )


def _is_yield(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.YieldFrom))


def list_files(chosen: list[str]) -> list[str]:
    """List the files of at_k that are chosen, or in chosen folders; by default all."""
    places = [Path(place) for place in chosen or ["at_k"]]
    return [
        str(file)
        for place in places
        for file in (sorted(place.glob("**/*.py")) if place.is_dir() else [place])
    ]


def read_equivalent() -> dict[str, str]:
    """Read the mutants that are judged to be no fault: name → reason. Lines of the file alternate, blank ones apart."""
    lines = (
        [line.strip() for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()]
        if EQUIVALENT.exists()
        else []
    )
    lines = [line for line in lines if line and not line.startswith("#")]
    return dict(zip(lines[::2], lines[1::2], strict=True))


def _begin(folder: str, packages: set[str]) -> None:
    """Prepare a worker: a tree of its own, and the heavy packages loaded once, before it is forked for each mutant."""
    home = tempfile.mkdtemp(dir=folder)
    recording.copy_tree(ROOT, Path(home))
    os.environ.update(
        HF_HOME=f"{home}/cache",
        HF_HUB_OFFLINE="1",
        HF_EVALUATE_OFFLINE="1",
        HF_DATASETS_OFFLINE="1",
    )
    os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=home, MUTANTS_HOME=home)
    os.chdir(home)
    sys.dont_write_bytecode = True
    sys.path.insert(0, home)
    for package in ("pytest", "hypothesis", *packages):
        import_module(package)
    import pytest

    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(
            ["--markers", *OPTIONS]
        )  # loads the plugins, for which each child took a second


class Chosen:
    """Run chosen tests alone, as a plugin of pytest, and write the name of the first that fails."""

    def __init__(self, tests: list[str]) -> None:
        self.tests = set(tests)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave the other tests out."""
        items[:] = [item for item in items if item.nodeid in self.tests]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Write which test fails."""
        if report.failed:
            Path("failed").write_text(report.nodeid, encoding="utf-8")


_sound: dict[str, bool] = {}
"""Test → if it passes alone, and without a mutant, in this worker."""


def try_mutant(mutant: Mutant, tests: list[str], patience: float = PATIENCE * BOUND) -> str | None:
    """Run tests on a mutant; return the name of the test that notices it, and None if all let it pass.

    A test that fails without the mutant too is left out.
    """
    target = Path(os.environ["MUTANTS_HOME"], mutant.file)
    whole = target.read_text(encoding="utf-8")
    tests = [test for test in tests if _sound.get(test, True)]
    for some in filter(None, (tests[:FIRST], tests[FIRST:])):
        target.write_text(mutate(whole, mutant.number), encoding="utf-8")
        try:
            failed = _run_tests(some, patience)
        finally:
            target.write_text(whole, encoding="utf-8")
        if failed in some and not _sound.setdefault(failed, _run_tests([failed], patience) is None):
            return try_mutant(mutant, tests, patience)
        if failed is not None:
            return failed
    return None


def _run_tests(tests: list[str], patience: float) -> str | None:
    """Run tests in a child, and return the first that fails, or another name of the failure."""
    note, started = Path("failed"), monotonic()
    note.write_text("import", encoding="utf-8")
    child = os.fork()
    if not child:
        _run_as_child(tests, patience)
    while not (done := os.waitpid(child, os.WNOHANG))[0]:
        if monotonic() - started > 3 * patience:  # of the clock, where other work slows it down
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "time"
        sleep(0.05)
    return note.read_text(encoding="utf-8") if done[1] else None


def _run_as_child(tests: list[str], patience: float) -> None:
    status = 1
    try:
        os.setsid()
        resource.setrlimit(
            resource.RLIMIT_CPU, (int(patience), int(patience))
        )  # also if its parent has been killed
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        import pytest

        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        status = int(pytest.main(["-x", "-q", *OPTIONS, *files], plugins=[Chosen(tests)]))
    except Exception:  # noqa: BLE001 - whatever it is, the tests have failed
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def choose(files: list[str], sample: int, seed: int) -> list[Mutant]:
    """Choose mutants of each file at random, in one random order, so that the first of them are a sample of all."""
    equivalent, chosen = read_equivalent(), []
    for file in files:
        mutants = [mutant for mutant in list_mutants(file) if mutant.name not in equivalent]
        chosen += (
            mutants
            if not sample
            else random.Random(f"{seed} {file}").sample(mutants, min(sample, len(mutants)))
        )
    random.Random(seed).shuffle(chosen)
    return chosen


def name_room(file: str) -> str:
    """Return the folder directly in at_k/ that a file is in, or the file."""
    return Path(file).parts[1]


def list_left_out(
    files: list[str] | None,
    tests: list[str] | None,
    sample: int,
    bound: float,
    chosen: int,
    tried: int,
) -> list[str]:
    """List what a partial run has left out."""
    parts = {
        f"all files but {' '.join(files or [])}": bool(files),
        f"all tests but {' '.join(tests or [])}": bool(tests),
        f"all but {sample} mutants of a file, not {SAMPLE}": 0 < sample < SAMPLE,
        f"more than {bound:g} s of tests for a mutant, not {BOUND:g} s": bound < BOUND,
        f"{chosen - tried} of {chosen} mutants": tried < chosen,
    }
    return [part for part, holds in parts.items() if holds]


def run(
    files: Annotated[
        list[str] | None, typer.Argument(help="Files or folders to change; by default all.")
    ] = None,
    tests: Annotated[
        list[str] | None, typer.Option(help="Tests instead of all, as for pytest; repeatable.")
    ] = None,
    sample: Annotated[
        int, typer.Option(help="Mutants of each file, chosen at random; 0 for all.")
    ] = SAMPLE,
    seed: Annotated[int, typer.Option(help="Of the choice, and of the order.")] = 0,
    jobs: Annotated[int, typer.Option(help="Mutants that are tried at a time.")] = 1,
    minutes: Annotated[
        float, typer.Option(help="Stop after so long, beside the recording; 0 for never.")
    ] = 0,
    bound: Annotated[float, typer.Option(help="Seconds of tests for each mutant.")] = BOUND,
) -> None:
    """Print the mutants that the tests let pass, and the share of those that they notice."""
    chosen = choose(list_files(files or []), sample, seed)
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    missed, unseen, tried = [], 0, 0
    with (
        summarise("mutants", "pytest", "coverage") as counts,
        tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder,
    ):
        recorded = recording.record(ROOT, tests or [], jobs, find_commit())
        prepared = (folder, recorded.packages)
        with ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), _begin, prepared
        ) as pool:
            of_mutants = [
                recorded.find_tests(each.file, [each.line, *each.lines], bound) for each in chosen
            ]
            started = monotonic()
            for mutant, given, noticed in zip(
                chosen, of_mutants, pool.map(try_mutant, chosen, of_mutants), strict=True
            ):
                tried += 1
                tally[mutant.file][0] += noticed is not None
                tally[mutant.file][1] += 1
                unseen += not given
                if noticed is None:
                    missed.append(
                        f"{mutant.file}:{mutant.line}: {mutant.change}"
                        + " (no test passes)" * (not given)
                    )
                    typer.echo(f"  {missed[-1]}")
                if minutes and monotonic() - started > 60 * minutes:
                    break
            pool.shutdown(wait=False, cancel_futures=True)
        rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for file, numbers in tally.items():
            rooms[name_room(file)] = [
                a + b for a, b in zip(rooms[name_room(file)], numbers, strict=True)
            ]
        counts.update(
            files=len(tally),
            chosen=len(chosen),
            tried=tried,
            noticed=tried - len(missed),
            unseen=unseen,
        )
        counts.update(
            rooms=dict(sorted(rooms.items())),
            missed=sorted(missed),
            bound=bound,
            sample=sample,
            seed=seed,
        )
        counts.update(
            tests=len(recorded.seconds), failed=len(recorded.failed), broken=recorded.failed
        )
        counts.update(unrecorded=recorded.unrecorded)
        counts.update(left_out=list_left_out(files, tests, sample, bound, len(chosen), tried))
    typer.echo("")
    for name, (noticed, of) in [*sorted(tally.items()), *sorted(rooms.items())]:
        typer.echo(f"{name}: {noticed} of {of} noticed ({noticed / max(of, 1):.0%})")
    typer.echo(
        f"all: {tried - len(missed)} of {tried} noticed ({1 - len(missed) / max(tried, 1):.1%})"
    )


if __name__ == "__main__":
    typer.run(run)

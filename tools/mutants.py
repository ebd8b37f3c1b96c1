"""Measure what the tests notice: `python -m tools.mutants [FILES] [--sample 25] [--seed 0] [--jobs 2] [--minutes 60]`.

A mutant is a file with one small fault: a comparison turned, a number off by one, a statement left out. The tests that
mirror the file run on a copy of the tree; a mutant that they let pass is printed. FILES may be folders. Changes that
are no faults are listed in `equivalent_mutants.txt`, with their reasons.
"""

import ast
import contextlib
import copy
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import monotonic, sleep
from typing import Annotated

import typer

from tools.maintenance import summarise

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.txt"
COPIED = ("at_k", "metrics", "tests", "tools", "examples", "conftest.py", "setup.cfg", "pyproject.toml")
SINGLE = (
    *("combinatorics", "samples", "arrow", "columns", "values", "computation", "summary"),
    *("validation", "module"),
)
FOLDERS = (
    *("grading", "grading/checkers", "grading/code", "estimators", "report", "uncertainty"),
    *("readers", "readers/formats", "demo"),
)

MORE = {
    "at_k/samples.py": ["tests/test_columns.py", "tests/grading/test_verdicts.py"],
    "at_k/arrow.py": ["tests/test_columns.py"],
    "at_k/columns.py": ["tests/test_columns.py", "tests/test_arrow.py"],
    "at_k/combinatorics.py": ["tests/estimators/test_counts.py", "tests/test_transforms.py"],
    "at_k/summary.py": ["tests/metrics/test_results.py", "tests/test_error_bars.py"],
    "at_k/computation.py": ["tests/metrics/test_values.py", "tests/metrics/test_inputs.py"],
    "at_k/family.py": ["tests/test_module.py", "tests/test_loading.py"],
    "at_k/values.py": ["tests/test_errors.py", "tests/metrics/test_results.py"],
    "at_k/report/report.py": ["tests/report"],
    "at_k/report/counting.py": ["tests/report/test_tally.py", "tests/report/test_pairs.py"],
    "at_k/report/tally.py": ["tests/report/test_tally.py"],
    "at_k/report/tally_scoring.py": ["tests/report/test_tally.py"],
    "at_k/report/states.py": ["tests/report/test_tally.py"],
    "at_k/report/data.py": ["tests/report"],
    "at_k/report/judging.py": ["tests/report/test_scoring.py"],
    "at_k/report/notes.py": ["tests/report/test_scoring.py"],
    "at_k/report/legends.py": ["tests/report/test_scoring.py", "tests/test_error_bars.py"],
    "at_k/report/measuring.py": ["tests/report/test_measuring.py", "tests/report/test_scoring.py"],
    "at_k/readers/cells.py": ["tests/readers/test_tables.py"],
    "at_k/readers/collector.py": ["tests/readers/test_standard.py"],
    **{
        f"at_k/uncertainty/{name}.py": ["tests/uncertainty/test_checks.py"]
        for name in ("batches", "comparison", "intervals", "jackknife", "prediction", "standard_errors")
    },
}
"""Tests that run beside those that mirror a file, because they are about it too."""

SLOW = (
    *("test_values_of_k_that_share_a_product", "test_monotone_in_k_and_in_c", "test_every_ranking"),
    *("test_equal_weights_are_no_weights", "test_one_k_each_and_all_at_once_agree", "test_every_percent_of_every_k"),
    "test_an_error_comes_back_from_another_process",  # a process of a pool, as a mutant is tried in, starts no other
)
"""Tests that take seconds, or cannot run here, and are left out."""

SAMPLE = 25
"""Mutants of each file in a whole run."""

LONGEST = 90
"""Seconds for the tests of one mutant. One that takes longer is taken as noticed: most run without end."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add, ast.Pow: ast.Mult,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or,
    ast.Or: ast.And,
}  # fmt: skip
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
    text: str

    @property
    def name(self) -> str:
        """Return its name in the list of equivalent mutants, without the line, which moves."""
        return f"{self.file}: {self.change}"


def list_mutants(file: str, root: Path = ROOT) -> list[Mutant]:
    """Make every mutant of a file, in the order of its lines."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    mutants = []
    for node, parent, name, place in list(_walk(tree)):
        for new in _change(node, parent):
            old = getattr(parent, name) if place is None else getattr(parent, name)[place]
            _put(parent, name, place, new)
            shown = parent if isinstance(node, (ast.operator, ast.cmpop, ast.boolop, ast.Constant)) else new
            mutated = _show(shown)
            text = ast.unparse(ast.fix_missing_locations(tree))
            _put(parent, name, place, old)
            before = _show(parent if shown is parent else old)
            line = getattr(node, "lineno", getattr(parent, "lineno", 0))
            mutants.append(Mutant(file, line, f"{before} → {mutated}", text))
    return sorted(mutants, key=lambda mutant: mutant.line)


def _show(node: ast.AST) -> str:
    with contextlib.suppress(AttributeError, TypeError):
        return " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())[:160]
    return type(node).__name__


def _put(parent: ast.AST, name: str, place: int | None, new: ast.AST) -> None:
    if place is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[place] = new


def _walk(parent: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, str, int | None]]:
    """Visit each node with its parent and its place there; not types, documentation, imports and decorators."""
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
            yield node, parent, name, place if isinstance(value, list) else None
            yield from _walk(node)


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
    elif isinstance(node, ast.Name) and node.id in NAMES and isinstance(parent, ast.Call) and node is parent.func:
        yield ast.Name(NAMES[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        turned = copy.copy(node)
        turned.test = ast.UnaryOp(ast.Not(), node.test)
        yield turned
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.Expr, ast.Raise, ast.AugAssign, ast.Continue)) and not _is_yield(node):
        yield ast.Pass()


def _joins_texts(parent: ast.AST) -> bool:
    sides = (getattr(parent, "left", None), getattr(parent, "right", None))
    return any(isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", None), str) for side in sides)


def _is_yield(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.YieldFrom))


def list_files(chosen: list[str]) -> list[str]:
    """List the files that are chosen, and those of chosen folders that tests mirror; by default all."""
    chosen = chosen or [f"at_k/{name}.py" for name in SINGLE] + [f"at_k/{name}" for name in FOLDERS]
    files = chain(*(sorted(place.glob("[!_]*.py")) or [place] for place in map(Path, chosen)))
    return [file for file in map(str, files) if find_tests(file)]


def find_tests(file: str) -> list[str]:
    """List the tests that mirror a file, or are about it too."""
    path = Path(file)
    mirror = Path("tests", *path.parts[1:-1], f"test_{path.name}")
    return [str(each) for each in (mirror, *MORE.get(file, ())) if (ROOT / each).exists()]


def read_equivalent() -> dict[str, str]:
    """Read the mutants that are judged to be no fault: name → reason. Lines of the file alternate, blank ones apart."""
    lines = (
        [line.strip() for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()] if EQUIVALENT.exists() else []
    )
    lines = [line for line in lines if line and not line.startswith("#")]
    return dict(zip(lines[::2], lines[1::2], strict=True))


def _begin(folder: str) -> None:
    """Prepare a worker: a tree of its own, and the heavy packages loaded once, before it is forked for each mutant."""
    home = tempfile.mkdtemp(dir=folder)
    for part in COPIED:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, Path(home, part), ignore=shutil.ignore_patterns("__pycache__"))
        elif (ROOT / part).exists():
            shutil.copy(ROOT / part, home)
    os.environ.update(HF_HOME=f"{home}/cache", HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    os.environ.update(PYTHONDONTWRITEBYTECODE="1", MUTANTS_HOME=home)
    os.chdir(home)
    sys.dont_write_bytecode = True
    sys.path.insert(0, home)
    import datasets  # noqa: F401
    import evaluate  # noqa: F401
    import gradio  # noqa: F401
    import pandas  # noqa: F401
    import polars  # noqa: F401
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401
    import pytest  # noqa: F401


def _try(mutant: Mutant) -> tuple[Mutant, bool, float]:
    """Run the tests on a mutant; return whether they fail, and how long they took."""
    target = Path(os.environ["MUTANTS_HOME"], mutant.file)
    whole, started = target.read_text(encoding="utf-8"), monotonic()
    target.write_text(mutant.text, encoding="utf-8")
    try:
        child = os.fork()
        if not child:
            _run_tests([*find_tests(mutant.file), mutant.file])  # its examples, too
        while not (done := os.waitpid(child, os.WNOHANG))[0]:
            if monotonic() - started > LONGEST:
                os.killpg(child, signal.SIGKILL)
                done = os.waitpid(child, 0)
                break
            sleep(0.05)
        return mutant, done[1] != 0, monotonic() - started
    finally:
        target.write_text(whole, encoding="utf-8")


def _run_tests(tests: list[str]) -> None:
    status = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))  # it ends, even if its parent has been killed
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        import pytest

        left_out = " and ".join(f"not {name}" for name in SLOW)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        status = int(pytest.main([*options, "-m", "not alone and not browser", "-k", left_out, *tests]))
    except Exception:  # noqa: BLE001 - whatever it is, the tests have failed
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run(
    files: Annotated[list[str] | None, typer.Argument(help="Files or folders to change; by default all.")] = None,
    sample: Annotated[int, typer.Option(help="Mutants of each file, chosen at random; 0 for all.")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="Of the choice, and of the order.")] = 0,
    jobs: Annotated[int, typer.Option(help="Mutants that are tried at a time.")] = 1,
    minutes: Annotated[float, typer.Option(help="Stop after so long; 0 for never.")] = 0,
) -> None:
    """Print the mutants that the tests let pass, and the share of those that they notice.

    Mutants of all files come in one random order, so that those of a run with --minutes are a sample of all.
    """
    equivalent, tally, missed, broken = read_equivalent(), {}, [], []
    whole, chosen = [], []
    for file in list_files(files or []):
        whole.append(Mutant(file, 0, "", (ROOT / file).read_text(encoding="utf-8")))
        mutants = [mutant for mutant in list_mutants(file) if mutant.name not in equivalent]
        chosen += mutants if not sample else random.Random(f"{seed} {file}").sample(mutants, min(sample, len(mutants)))
        tally[file] = [0, 0]
    random.Random(seed).shuffle(chosen)
    started = monotonic()
    with (
        summarise("mutants", "pytest") as counts,
        tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder,
        multiprocessing.get_context("spawn").Pool(jobs, _begin, (folder,)) as pool,
    ):
        for mutant, noticed, seconds in pool.imap(_try, [*whole, *chosen]):
            if not mutant.change:
                broken += [mutant.file] * noticed
                faulty = ", and FAIL without a mutant" if noticed else ""
                typer.echo(f"{mutant.file}: the tests take {seconds:.0f} s{faulty}")
                continue
            tally[mutant.file][0] += noticed
            tally[mutant.file][1] += 1
            if not noticed:
                missed.append(f"{mutant.file}:{mutant.line}: {mutant.change}")
                typer.echo(f"  {missed[-1]}")
            if minutes and monotonic() - started > 60 * minutes:
                break
        seen, tried = (sum(each[i] for each in tally.values()) for i in (0, 1))
        counts.update(files=len(tally), chosen=len(chosen), tried=tried, noticed=seen, missed=missed)
        left_out = [f"all files but {' '.join(files)}"] if files else []
        left_out += [f"all but {sample} mutants of a file, not {SAMPLE}"] if 0 < sample < SAMPLE else []
        left_out += [f"{len(chosen) - tried} of {len(chosen)} mutants"] if tried < len(chosen) else []
        counts.update(failed=len(broken), broken=broken, sample=sample, seed=seed, left_out=left_out)
    typer.echo("")
    for file, (noticed, of) in tally.items():
        typer.echo(f"{file}: {noticed} of {of} noticed ({noticed / max(of, 1):.0%})")
    typer.echo(f"all: {seen} of {tried} noticed ({seen / max(tried, 1):.1%})")


if __name__ == "__main__":
    typer.run(run)

"""Recording of the tests: which of them pass over each line of at_k/, and how long each takes, for `tools.mutants`.

As a plugin of pytest it switches the context of coverage.py with every test. Processes that a test starts are measured
in its context. What fixtures run that several tests share belongs to each test that uses them.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest
from coverage.exceptions import CoverageException

DATA = "AT_K_RECORDING"
"""The variable with the folder into which a recording is written."""

WITHOUT = "not alone and not browser and not spaces"
"""The tests that are recorded, as a marker expression."""

IMPORTED = ""
"""The context of what runs between tests: imports, and collection."""

COLLECTION = 0.1
"""Seconds to import and collect one file of tests."""

HEAVY = (
    *(
        "datasets",
        "duckdb",
        "evaluate",
        "gradio",
        "hypothesis",
        "matplotlib.pyplot",
        "orjson",
        "pandas",
        "polars",
    ),
    *("pyarrow.compute", "pyarrow.parquet", "rich.console", "scipy.stats", "sympy"),
)
"""Packages that take long to import."""

SETTINGS = """[run]
data_file = {data}
parallel = true
core = ctrace
include = {tree}/at_k/*
context = ${{AT_K_CONTEXT-}}
patch = _exit
"""


class Recorder:
    """Measure the lines of each test, as a plugin of pytest."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.fixtures: dict[str, list[str]] = {}
        self.context = IMPORTED
        # Processes that a test starts read this file too; forked ones save what they have when they end.
        settings = Path(folder, f"settings-{os.getpid()}")
        settings.write_text(
            SETTINGS.format(data=Path(folder, ".coverage"), tree=Path.cwd()), encoding="utf-8"
        )
        os.environ["COVERAGE_PROCESS_START"] = str(settings)
        self.coverage = coverage.Coverage(config_file=str(settings))
        self.coverage.start()

    def _switch(self, context: str) -> str:
        before, self.context = self.context, context
        self.coverage.switch_context(context)
        os.environ["AT_K_CONTEXT"] = context
        return before

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record a test, with the results of earlier tests forgotten."""
        clear_caches()
        shared = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        self.fixtures[item.nodeid] = [
            _label(each[-1]) for each in shared.values() if each[-1].scope != "function"
        ]
        self._switch(item.nodeid)
        started = sum(
            os.times()[:4]
        )  # of processors, its processes' too, since other work may slow a test down
        try:
            return (yield)
        finally:
            self._switch(IMPORTED)
            self.seconds[item.nodeid] = sum(os.times()[:4]) - started

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Record a fixture that tests share in a context of its own."""
        before = self._switch(
            self.context if fixturedef.scope == "function" else _label(fixturedef)
        )
        try:
            return (yield)
        finally:
            self._switch(before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test fails."""
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Write what was recorded."""
        self.coverage.stop()
        self.coverage.save()
        packages = [name for name in HEAVY if name in sys.modules]
        record = {
            "seconds": self.seconds,
            "failed": sorted(self.failed),
            "fixtures": self.fixtures,
            "packages": packages,
        }
        Path(self.folder, f"tests-{os.getpid()}.json").write_text(
            json.dumps(record), encoding="utf-8"
        )


def _label(fixture: pytest.FixtureDef[Any]) -> str:
    return f"fixture {fixture.baseid}::{fixture.argname}"


def clear_caches() -> None:
    """Forget results that functions of at_k keep, but for those that are made once."""
    for name, module in list(sys.modules.items()):
        if name.startswith("at_k"):
            for value in vars(module).values():
                if (
                    isinstance(value, functools._lru_cache_wrapper)
                    and value.cache_parameters()["maxsize"]
                ):
                    value.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    """Start to record, but not in the process that only hands out the tests."""
    if DATA in os.environ and (
        hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    ):
        config.pluginmanager.register(Recorder(os.environ[DATA]))


@dataclass(frozen=True)
class Recording:
    """Hold the seconds of tests, and the tests of each line of each file.

    Attributes:
        seconds: test → the seconds that it takes.
        lines: file → line → sets of the tests, and other contexts, that pass over it.
        failed: the tests that fail.
        unrecorded: those that fail only while they are recorded.
        packages: what they import that takes long.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[frozenset[str]]]]
    failed: list[str]
    unrecorded: list[str]
    packages: set[str]

    def add(self, stored: dict[str, Any]) -> None:
        """Add what was recorded of a group of tests."""
        self.seconds.update(stored["seconds"])
        self.failed.extend(stored["failed"])
        self.unrecorded.extend(stored["unrecorded"])
        self.packages.update(stored["packages"])
        sets = [frozenset(stored["names"][i] for i in group) for group in stored["groups"]]
        for file, of_file in stored["lines"].items():
            for line, number in of_file.items():
                self.lines[file][int(line)].append(sets[number])

    def find_tests(
        self, file: str, lines: Iterable[int], bound: float, root: Path = Path()
    ) -> list[str]:
        """List the tests that pass over a line of a file, the shortest first, while they take at most `bound` seconds.

        What runs once, such as an import, belongs to every test of the file, or of the files that import it.
        """
        recorded = self.lines.get(file, {})
        contexts: set[str] = set().union(
            *(tests for line in lines for tests in recorded.get(line, ()))
        )
        if IMPORTED in contexts:
            contexts |= self._list_all(file) or set().union(
                *map(self._list_all, list_importing(file, root))
            )
        tests, files, left = [], set(), bound
        for test in sorted(
            contexts & self.seconds.keys(), key=lambda test: (self.seconds[test], test)
        ):
            place = test.partition("::")[0]
            left -= self.seconds[test] + COLLECTION * (place not in files)
            if left < 0 and tests:
                break
            files.add(place)
            tests.append(test)
        return tests

    def _list_all(self, file: str) -> set[str]:
        contexts = set().union(
            *(tests for sets in self.lines.get(file, {}).values() for tests in sets)
        )
        return contexts & self.seconds.keys()


@functools.cache
def list_importing(file: str, root: Path) -> list[str]:
    """List the files of at_k/ that import a file, by its name."""
    path = Path(file).with_suffix("")
    module = ".".join(path.parts[:-1] if path.name == "__init__" else path.parts)
    found = []
    for each in sorted(root.glob("at_k/**/*.py")):
        for node in ast.walk(ast.parse(each.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and any(
                module in (node.module, f"{node.module}.{alias.name}") for alias in node.names
            ):
                found.append(str(each.relative_to(root)))
                break
    return found


def copy_tree(root: Path, home: Path) -> None:
    """Copy the files of a tree that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (root / name).is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes((root / name).read_bytes())


def list_groups(root: Path) -> list[str]:
    """List what is recorded at a time: the examples of at_k/, each folder of tests, and the files beside these."""
    places = sorted(root.glob("tests/*/"))
    return [
        "at_k",
        *(f"tests/{place.name}" for place in places if any(place.glob("**/test_*.py"))),
        "tests/test_*.py",
    ]


def record(root: Path, tests: list[str], jobs: int, commit: str) -> Recording:
    """Record tests, or read what was recorded of them with the same files. By default all groups of tests."""
    recorded = Recording({}, defaultdict(lambda: defaultdict(list)), [], [], set())
    for group in tests or list_groups(root):
        digest = hashlib.sha256(group.encode())
        helpers = [path for path in root.glob("tests/*.py") if not path.name.startswith("test_")]
        for path in sorted({*root.glob("at_k/**/*.py"), *helpers, *_list_files(root, group)}):
            digest.update(path.read_bytes())
        name = re.sub(r"\W+", "-", group).strip("-")
        cached = root / "build" / "mutants" / f"{name}-{digest.hexdigest()[:12]}.json"
        if not cached.exists():
            stored = {"commit": commit, **_run_tests(root, group, jobs)}
            cached.parent.mkdir(parents=True, exist_ok=True)
            cached.write_text(json.dumps(stored), encoding="utf-8")
        recorded.add(json.loads(cached.read_text(encoding="utf-8")))
    return recorded


def _list_files(root: Path, group: str) -> list[Path]:
    paths = sorted(root.glob(group.partition("::")[0]))
    return [file for path in paths for file in (path.glob("**/*.py") if path.is_dir() else [path])]


def _run_tests(root: Path, group: str, jobs: int) -> dict[str, Any]:
    """Run a group of tests in a copy of the tree, and return what was recorded."""
    with tempfile.TemporaryDirectory(prefix="recording-", ignore_cleanup_errors=True) as folder:
        home, data = Path(folder, "tree"), Path(folder, "data")
        data.mkdir()
        copy_tree(root, home)
        tests = (
            [str(path.relative_to(root)) for path in _list_files(root, group)]
            if "*" in group
            else [group]
        )
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        # By files, which share fixtures too: where xdist deals by groups, a test has the group in its name.
        options = [
            "-p",
            "tools.recording",
            f"--numprocesses={jobs}",
            "--dist=loadfile",
            "-m",
            WITHOUT,
        ]
        environment = os.environ | {"PYTHONPATH": str(home)}
        subprocess.run(
            [*command, *options, *tests], cwd=home, env=environment | {DATA: str(data)}, check=False
        )
        stored = read_data(data, home)
        again = [*command, f"--junitxml={folder}/again.xml", *stored["failed"]]
        if stored["failed"] and subprocess.run(
            again, cwd=home, env=environment, check=False
        ).returncode in (0, 1):
            cases = ET.parse(f"{folder}/again.xml").iter("testcase")
            passed = {
                case.get("name")
                for case in cases
                if case.find("failure") is None and case.find("error") is None
            }
            stored["unrecorded"] = [
                test for test in stored["failed"] if test.rpartition("::")[2] in passed
            ]
            stored["failed"] = [
                test for test in stored["failed"] if test not in stored["unrecorded"]
            ]
    if not stored["seconds"]:
        sys.exit(
            f"No test of {group} could be recorded: see above what pytest says, and run it alone"
        )
    return stored


def read_data(data: Path, home: Path) -> dict[str, Any]:
    """Read what every process has written: the seconds of sound tests, and the tests of each line, as groups."""
    seconds: dict[str, float] = {}
    failed: list[str] = []
    packages: set[str] = set()
    using: dict[str, set[str]] = defaultdict(set)
    for path in data.glob("tests-*.json"):
        each = json.loads(path.read_text(encoding="utf-8"))
        failed += each["failed"]
        packages |= set(each["packages"])
        seconds |= {
            test: round(taken, 3)
            for test, taken in each["seconds"].items()
            if test not in each["failed"]
        }
        for test, fixtures in each["fixtures"].items():
            for fixture in fixtures:
                using[fixture].add(test)
    lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in data.glob(".coverage.*"):
        stored = coverage.CoverageData(str(path))
        with suppress(CoverageException):  # of a process that was killed while it wrote
            stored.read()
            for file in stored.measured_files():
                for line, contexts in stored.contexts_by_lineno(file).items():
                    for context in contexts:
                        lines[str(Path(file).relative_to(home))][line] |= using.get(
                            context, {context}
                        )
        stored.close()
    names = sorted(
        {
            context
            for of_file in lines.values()
            for contexts in of_file.values()
            for context in contexts
        }
    )
    number = {name: i for i, name in enumerate(names)}
    groups: dict[tuple[int, ...], int] = {}
    numbered = {
        file: {
            line: groups.setdefault(
                tuple(sorted(number[context] for context in contexts)), len(groups)
            )
            for line, contexts in of_file.items()
        }
        for file, of_file in sorted(lines.items())
    }
    tests = {
        "seconds": seconds,
        "failed": sorted(failed),
        "unrecorded": [],
        "packages": sorted(packages),
    }
    return {**tests, "names": names, "groups": list(groups), "lines": numbered}

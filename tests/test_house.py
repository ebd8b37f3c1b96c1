"""The order of the house: layers of rooms, tests of each room, and what may be loaded by whom."""

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from tree import list_nodes

pytestmark = pytest.mark.xdist_group("sources")  # one worker parses all files
ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "at_k"
FILES = sorted(path for path in LIBRARY.rglob("*.py"))


def read_rooms():
    """Read the table of CONTRIBUTING.md: the layer of each room, and the files and folders of at_k/ that are in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| ((?:`[\w/.]+`(?:, )?)+) \|", text, re.MULTILINE)
    return [(int(layer), re.findall(r"`([^`]+)`", names)) for layer, names in rows]


ROOMS = read_rooms()


def rooms_of(path):
    """List the rooms that a file of at_k/ is in, by their rows in the table."""
    inside = path.relative_to(LIBRARY).as_posix()
    return [
        row
        for row, (_, names) in enumerate(ROOMS)
        for name in names
        if inside == name or (name.endswith("/") and inside.startswith(name))
    ]


def is_name(node, name):
    """Return whether an expression is this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_import_by_name(function):
    """Return whether a function imports a module by its name."""
    if isinstance(function, ast.Attribute):
        return function.attr == "import_module"
    return is_name(function, "import_module")


def imports(path):
    """List the modules that a file imports, within functions, for its types, and by a name that is written there."""
    for node in list_nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and is_import_by_name(node.func):
            yield from (each.value for each in node.args[:1] if isinstance(each, ast.Constant))


def find_file(module):
    """Find the file of at_k/ that an imported name is in, or is; None for other packages."""
    parts = module.split(".")
    if parts[0] != "at_k":
        return None
    for length in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:length])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    raise AssertionError(f"there is no {module}")


def imported_files(path):
    """Map each name that a file imports from at_k/ to its file. What the package itself has is tested below."""
    found = {module: find_file(module) for module in imports(path)}
    return {
        module: file
        for module, file in found.items()
        if file not in (None, path, LIBRARY / "__init__.py")
    }


@pytest.fixture(scope="module")
def imported():
    return {path: imported_files(path) for path in FILES}


def test_the_table_of_layers_names_what_there_is():
    layers = [layer for layer, _ in ROOMS]
    assert len(ROOMS) > 12
    assert layers == sorted(layers)
    assert sorted(set(layers)) == list(range(1, max(layers) + 1))
    assert max(layers) <= 9
    for _, names in ROOMS:
        for name in names:
            assert (
                (LIBRARY / name).is_dir() if name.endswith("/") else (LIBRARY / name).is_file()
            ), name
    assert [path for path in FILES if len(rooms_of(path)) != 1] == []


def test_a_file_imports_only_from_its_own_room_and_from_lower_layers(imported):
    faults = []
    for path, found in imported.items():
        (room,) = rooms_of(path)
        for module, file in found.items():
            (other,) = rooms_of(file)
            if other != room and ROOMS[other][0] >= ROOMS[room][0]:
                faults.append(f"{path.relative_to(ROOT)} imports {module}")
    assert faults == []


def test_no_files_import_each_other_in_a_circle(imported):
    left = {path: set(found.values()) for path, found in imported.items()}
    while free := [path for path, needs in left.items() if not needs & left.keys()]:
        for path in free:
            del left[path]
    assert sorted(left) == []


def test_below_the_roof_the_package_is_asked_for_its_version_alone():
    faults = []
    for path in FILES:
        (room,) = rooms_of(path)
        attributes = [node for node in list_nodes(path) if isinstance(node, ast.Attribute)]
        asked = {node.attr for node in attributes if is_name(node.value, "at_k")}
        if asked - {"__version__"} and ROOMS[room][0] < max(layer for layer, _ in ROOMS):
            faults.append(f"{path.relative_to(ROOT)} takes {asked} from at_k")
    assert faults == []


def test_every_room_has_tests():
    rooms = {path.parent.name for path in FILES if path.parent.parent == LIBRARY}
    assert [
        room for room in sorted(rooms) if not list((ROOT / "tests" / room).rglob("test_*.py"))
    ] == []


def test_benchmarks_do_not_import_tests():
    benchmarks = sorted((ROOT / "benchmarks").rglob("*.py"))
    tests = {each.stem for each in (ROOT / "tests").rglob("*.py")} | {"tests", "conftest"}
    tests -= {each.stem for each in benchmarks}
    assert [
        path
        for path in benchmarks
        if {module.partition(".")[0] for module in imports(path)} & tests
    ] == []


def test_importing_the_library_loads_numpy_alone_and_scoring_a_file_what_it_uses():
    heavy = [
        "pyarrow",
        "pandas",
        "polars",
        "datasets",
        "evaluate",
        "scipy",
        "typer",
        "rich",
        "gradio",
        "orjson",
    ]
    unused = [
        "asyncio",
        "datasets",
        "evaluate",
        "scipy.stats",
        "scipy.optimize",
        "narwhals",
        "duckdb",
        "polars",
    ]
    unused += (
        ["pandas"] if int(version("pyarrow").partition(".")[0]) > 25 else []
    )  # Arrow 25 loads it as it reads
    unused += [f"at_k.grading.{name}" for name in ("statements", "checkers.judge", "checkers.code")]
    unused += [
        f"at_k.{name}"
        for name in ("analysis.planning", "uncertainty.prediction", "uncertainty.credits")
    ]
    assert all(
        Path(ROOT, *name.split(".")).with_suffix(".py").exists()
        for name in unused
        if name.startswith("at_k")
    )
    report, after = (
        f"print([name for name in {names} if name in sys.modules])\n" for names in (heavy, unused)
    )
    code = f"import sys, at_k\n{report}from at_k import score, read_results, scorer, register\n{report}"
    code += f"at_k.score({{'grades': [[1]]}}); score('examples/data/qwen25_math.jsonl').to_markdown()\n{after}"
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert found.stdout == "[]\n" * 3

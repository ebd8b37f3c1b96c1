"""The order of the house: floors, tests that mirror files, and what may be loaded by whom."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from at_k.family import FAMILY, METRICS

ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "at_k"
FILES = sorted(path for path in LIBRARY.rglob("*.py"))


def read_floors():
    """Read the table of CONTRIBUTING.md: the floor of each file and folder in at_k/."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| ((?:`[\w/.]+`(?:, )?)+) \|", text, re.MULTILINE)
    return [(name, int(floor)) for floor, names in rows for name in re.findall(r"`([^`]+)`", names)]


FLOORS = read_floors()


def floor_of(path):
    """Return the floors of the rows that a file of at_k/ is in."""
    inside = path.relative_to(LIBRARY).as_posix()
    return [floor for name, floor in FLOORS if inside == name or (name.endswith("/") and inside.startswith(name))]


def imports(path):
    """List the modules that a file imports, within functions too; not what is imported for its types alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


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


def test_the_table_of_floors_names_what_there_is():
    assert len(FLOORS) > 20
    for name, _ in FLOORS:
        assert (LIBRARY / name).is_dir() if name.endswith("/") else (LIBRARY / name).is_file(), name
    assert [floor for _, floor in FLOORS] == sorted(floor for _, floor in FLOORS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_is_on_one_floor_and_imports_from_none_above(path):
    floors = floor_of(path)
    assert len(floors) == 1, f"{path.name} is in {len(floors)} rows of the table in CONTRIBUTING.md"
    for module in imports(path):
        file = find_file(module)
        if file == LIBRARY / "__init__.py":
            continue  # tested below
        if file is not None:
            assert floor_of(file)[0] <= floors[0], f"{path.relative_to(ROOT)} imports {module} from a floor above"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_below_the_roof_the_package_is_asked_for_its_version_alone(path):
    if floor_of(path) == [max(floor for _, floor in FLOORS)]:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "at_k"
    }
    assert asked <= {"__version__"}


UNMIRRORED = {
    "at_k/choices.py": "words",
    "at_k/__main__.py": "tested as a command, in test_commands.py",
    "at_k/demo/app.py": "tested over HTTP and in a browser",
    "at_k/demo/i18n.py": "tested in test_words.py",
    "at_k/demo/limits.py": "numbers",
    "at_k/demo/theme.py": "tested in a browser",
    "at_k/demo/examples.py": "tested with the pages that show them",
    "at_k/demo/files.py": "tested in test_downloads.py and test_hostile.py",
    "at_k/readers/cells.py": "tested through the files that it reads, in test_standard.py and test_tables.py",
}
"""Files without a test file of their own name, each with its reason."""


def test_every_file_has_tests_of_its_name():
    named = {path.relative_to(ROOT).as_posix() for path in FILES if path.name != "__init__.py"}
    named = {name for name in named if "/pages/" not in name and "/words/" not in name}  # tested in a browser
    mirrored = {
        name
        for name in named
        if (ROOT / "tests" / Path(name).relative_to("at_k").parent / f"test_{Path(name).name}").is_file()
    }
    assert named - mirrored == set(UNMIRRORED)


def test_every_metric_has_a_folder_an_entry_and_tests():
    folders = sorted(path.parent.name for path in (ROOT / "metrics").glob("*/*.py") if path.stem == path.parent.name)
    assert folders == sorted(FAMILY) == sorted(METRICS)
    assert {name: entry.name for name, entry in FAMILY.items()} == {name: name for name in FAMILY}
    for name in FAMILY:
        assert (ROOT / "tests" / "metrics" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").rglob("*.py")), ids=lambda path: path.name)
def test_benchmarks_do_not_import_tests(path):
    tests = {each.stem for each in (ROOT / "tests").rglob("*.py")} | {"tests", "conftest"}
    tests -= {each.stem for each in (ROOT / "benchmarks").rglob("*.py")}
    assert not {module.partition(".")[0] for module in imports(path)} & tests


@pytest.mark.parametrize("statement", ["import at_k", "from at_k import score, read_results, scorer, register"])
def test_importing_the_library_loads_numpy_alone(statement):
    heavy = ["pyarrow", "pandas", "polars", "datasets", "evaluate", "scipy", "typer", "rich", "gradio", "orjson"]
    code = f"import sys; {statement}; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert found.stdout == "[]\n"

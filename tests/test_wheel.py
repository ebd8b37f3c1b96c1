"""The wheel has what the library needs, and nothing else, whether it is built from the tree or from an sdist."""

from pathlib import Path
from zipfile import ZipFile

import pytest

import at_k

ROOT = Path(__file__).parent.parent

# One worker builds them for all of these tests.
pytestmark = pytest.mark.xdist_group("wheel")

FOLDERS = {**dict.fromkeys(at_k.METRICS, "metrics"), "at_k_difference": "comparisons"}
MODULES = {
    f"at_k/{kind}/{name}/{file}"
    for name, kind in FOLDERS.items()
    for file in (f"{name}.py", "README.md", "README.zh.md", "app.py")
}
EXAMPLES = ROOT / "examples" / "data"
DATA = {f"at_k/demo/data/{path.relative_to(EXAMPLES)}" for path in EXAMPLES.rglob("*") if path.is_file()}
STATIC = ROOT / "at_k" / "demo" / "static"
ASSETS = {path.relative_to(ROOT).as_posix() for path in STATIC.rglob("*") if path.is_file()}
WORDS = {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k" / "demo" / "locale").rglob("*.po")}
TABLES = {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k" / "grading").rglob("*.json")}
TABLES |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k").rglob("*.toml")}
OTHERS = {"at_k/__init__.pyi", "at_k/signatures.pyi", "at_k/py.typed"} | ASSETS | WORDS | TABLES


def contents(wheel):
    return {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_the_wheel_has_exactly_the_expected_files(wheel):
    library = {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k").rglob("*.py")}
    assert contents(wheel) == library | MODULES | DATA | OTHERS | {"at_k/metrics/sixth/sixth.py"}


def test_a_wheel_from_a_source_distribution_is_the_same(distributions, wheel):
    (other,) = (distributions / "sdist").glob("*.whl")
    assert contents(other) == contents(wheel)
    assert list((distributions / "sdist").glob("*.tar.gz"))

"""What is said in two places is the same."""

import ast
import configparser
import re
from pathlib import Path

import pytest
import yaml

import at_k
from at_k import interface

ROOT = Path(__file__).parent.parent


def setup_cfg():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def test_all_is_what_is_exported():
    source = ast.parse((ROOT / "at_k" / "__init__.py").read_text(encoding="utf-8"))
    imported = {alias.name for node in source.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(at_k.__all__) == imported
    assert at_k.__all__ == sorted(at_k.__all__, key=lambda name: (name != name.upper(), name))


def test_newest_changelog_entry_and_citation_have_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.search(r"^## (\S+) — (\S+)$", changelog, re.MULTILINE).groups()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == citation["version"] == at_k.__version__
    assert date == str(citation["date-released"])


@pytest.mark.parametrize("folder", ["", *(f"metrics/{name}" for name in at_k.METRICS)])
def test_requirements_are_those_of_the_package_and_its_demo(folder):
    requirements = lines((ROOT / folder / "requirements.txt").read_text(encoding="utf-8"))
    setup = setup_cfg()
    assert requirements == lines(setup["options"]["install_requires"]) + lines(setup["options.extras_require"]["demo"])


@pytest.mark.parametrize("name", at_k.METRICS)
def test_an_app_opens_the_demo_at_its_metric(name):
    calls = ast.parse((ROOT / "metrics" / name / "app.py").read_text(encoding="utf-8")).body[-1]
    assert ast.unparse(calls) == f"if __name__ == '__main__':\n    launch(page='metrics', metric='{name}')"


def test_spaces_are_made_with_the_oldest_gradio_that_is_allowed():
    oldest = re.search(r"gradio >= (\S+),", setup_cfg()["options.extras_require"]["demo"])[1]
    for card in (ROOT / "README.md", *ROOT.glob("metrics/*/README.md")):
        assert f"\nsdk_version: {oldest}." in card.read_text(encoding="utf-8")


def test_every_module_folder_is_known_complete_and_packaged():
    folders = sorted(path.name for path in (ROOT / "metrics").iterdir() if path.is_dir() and path.name != "__pycache__")
    assert folders == sorted(at_k.METRICS)
    for name in folders:
        files = {path.name for path in (ROOT / "metrics" / name).iterdir() if path.is_file()}
        assert files == {f"{name}.py", "README.md", "app.py", "requirements.txt"}
    packages = lines(setup_cfg()["options"]["packages"])
    libraries = {".".join(path.relative_to(ROOT).parent.parts) for path in (ROOT / "at_k").rglob("__init__.py")}
    carried = {"at_k.demo.data", "at_k.metrics", *(f"at_k.metrics.{name}" for name in folders)}
    assert set(packages) == libraries | carried


def test_shared_columns_and_options_are_listed_once():
    assert len(set(interface.OPTIONS)) == len(interface.OPTIONS)
    assert not set(interface.OPTIONS) & set(interface.COLUMNS)

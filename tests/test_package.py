"""What is said in two places is the same."""

import ast
import configparser
import re
from pathlib import Path

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


def test_requirements_are_those_of_the_package():
    requirements = lines((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    assert requirements == lines(setup_cfg()["options"]["install_requires"])


def test_every_module_folder_is_known_and_packaged():
    folders = sorted(path.name for path in (ROOT / "metrics").iterdir() if path.is_dir() and path.name != "__pycache__")
    assert folders == sorted(at_k.METRICS)
    packages = lines(setup_cfg()["options"]["packages"])
    libraries = {".".join(path.relative_to(ROOT).parent.parts) for path in (ROOT / "at_k").rglob("__init__.py")}
    assert set(packages) == libraries | {"at_k.metrics"} | {f"at_k.metrics.{name}" for name in folders}


def test_shared_columns_and_options_are_listed_once():
    assert len(set(interface.OPTIONS)) == len(interface.OPTIONS)
    assert not set(interface.OPTIONS) & set(interface.COLUMNS)

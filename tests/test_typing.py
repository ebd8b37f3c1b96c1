"""The library as a type checker and an editor see it, in another folder and of an editable install."""

import inspect
import re
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from mypy import api

import at_k

ROOT = Path(__file__).parent.parent

# Each line with a comment is a mistake, and the comment is what mypy must say of it.
SNIPPET = """\
import at_k

at_k.score("a.jsonl", ties="random", missing="drop", k=[1, 4], tau=1)  # unexpected keyword argument "tau"
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
    """Only this library is analysed, since NumPy takes longer than all else."""
    config = "[mypy]\nstrict = True\nfollow_imports = skip\n[mypy-at_k,at_k.*]\nfollow_imports = silent\n"
    (tmp_path / "mypy.ini").write_text(config, encoding="utf-8")
    (tmp_path / "user.py").write_text(SNIPPET, encoding="utf-8")
    options = ["--config-file", "mypy.ini", "--cache-dir", "/dev/null", "--python-executable", str(editable)]
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path)
        said, trouble, _ = api.run([*options, "user.py"])
    assert trouble == ""
    found = {int(line): text for line, text in re.findall(r"^user\.py:(\d+): error: (.*)", said, re.MULTILINE)}
    expected = dict(enumerate((line.partition("  # ")[2] for line in SNIPPET.splitlines()), 1))
    for line, words in expected.items():
        assert bool(words) == (line in found), f"line {line}: {found.get(line)}"
        assert words.lower() in found.get(line, "").lower()


def test_signatures_at_runtime_name_the_words():
    shown = inspect.signature(at_k.score).parameters
    assert shown["ties"].annotation == "Literal['random', 'first', 'strict', 'incorrect']"
    assert shown["select"].annotation == "Literal['weighted', 'lexicographic', 'pareto'] | None"
    assert shown["k"].annotation == "int | list[int] | None"

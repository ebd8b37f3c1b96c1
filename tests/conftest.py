"""The wheel, built once."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """A wheel of the tree, and then a source distribution with the wheel that is made of it."""
    folder = tmp_path_factory.mktemp("distributions")
    source = folder / "source"
    source.mkdir()
    for part in ("at_k", "metrics", "comparisons", "examples"):
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("README.md", "LICENSE", "setup.cfg", "setup.py", "pyproject.toml"):
        shutil.copy(ROOT / file, source)
    (source / "metrics" / "sixth").mkdir()  # a new module is packaged without a word about it
    (source / "metrics" / "sixth" / "sixth.py").touch()
    build = [sys.executable, "-m", "build", "--no-isolation", str(source), "--outdir"]
    subprocess.run([*build, str(folder / "tree"), "--wheel"], check=True, capture_output=True)
    subprocess.run([*build, str(folder / "sdist")], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def wheel(distributions):
    """The wheel of the tree."""
    (wheel,) = (distributions / "tree").glob("*.whl")
    return wheel

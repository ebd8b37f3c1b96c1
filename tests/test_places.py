"""The files by which others find and use the project: an action, a hook, a notebook, a text for language models."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml
from cases import for_each

from tools import site
from tools.outputs import fill_notebook

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "examples" / "data" / "taubench_airline.jsonl"
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def read_yaml(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@for_each("inputs, status, said", [
    ({"require": "pass^4 >= 0.05\npass@1 >= 0.2\n"}, 0, "PASS"),
    ({"require": "pass^4 >= 0.2"}, 3, "INCONCLUSIVE"),
    ({"require": "pass^4 >= 0.2", "inconclusive": "pass"}, 0, "INCONCLUSIVE"),
    ({"against": str(RESULTS), "margin": "0.5", "options": "--metrics pass@2"}, 0, "PASS"),
])  # fmt: skip
def test_the_action_runs_the_gate(inputs, status, said, tmp_path):
    action = read_yaml("action.yml")
    step = action["runs"]["steps"][-1]
    given = {name: each.get("default", "") for name, each in action["inputs"].items()}
    given |= {"results": str(RESULTS), **inputs}
    environment = os.environ | {"PATH": PATH, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    for name, value in step["env"].items():
        environment[name] = given[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]]
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    assert done.stdout.startswith(said)
    assert said in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_the_hook_runs_the_gate_on_files_of_results():
    (hook,) = read_yaml(".pre-commit-hooks.yaml")
    names = ["a.json", "b/c.jsonl", "d.csv", "e.parquet"]
    assert [name for name in names if not re.search(hook["files"], name)] == []
    assert not re.search(hook["files"], "README.md")
    command = [*hook["entry"].split(), "--require", "pass^4 >= 0.05", str(RESULTS)]
    done = subprocess.run(
        command, env=os.environ | {"PATH": PATH}, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_the_notebook_shows_what_its_cells_print():
    """It renders without running: `make texts` writes its outputs."""
    path = ROOT / "examples" / "at_k.ipynb"
    text = path.read_text(encoding="utf-8")
    assert fill_notebook(path, text) == text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in cells)


def test_language_models_find_every_page(tmp_path):
    pages = tmp_path / "pages"
    (pages / "guides").mkdir(parents=True)
    (pages / "index.md").write_text("---\na: 1\n---\n# First\n\nText.\n", encoding="utf-8")
    (pages / "guides" / "next.md").write_text("# Second\n\nMore.\n", encoding="utf-8")
    site.write_for_models(pages, tmp_path)
    listed = (tmp_path / "llms.txt").read_text(encoding="utf-8")
    assert re.findall(r"\[(.*?)\]\((.*?)\)", listed) == [
        ("Second", "guides/next.html"),
        ("First", "index.html"),
    ]
    assert (tmp_path / "llms-full.txt").read_text(encoding="utf-8") == (
        "# Second\n\nMore.\n\n# First\n\nText.\n"
    )

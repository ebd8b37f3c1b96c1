"""`evaluate.load` from a clone, a wheel, and by name: offline, with a fresh home; what registration puts there.

Functions of arrays work beside NumPy, SciPy and array-api-compat alone.
"""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import evaluate
import numpy as np
import orjson
import pytest
import scipy
from evaluate.loading import init_dynamic_modules

import at_k
from tools import environments

ROOT = Path(__file__).parent.parent

# One worker builds the wheel, for all tests that need it.
of_wheel = pytest.mark.xdist_group("wheel")

SCORE_ALL = f"""
import inspect, json, sys, evaluate
given = {{
    "predictions": [["a", "b", "a", "a"]], "references": ["a"], "scores": [[4, 3, 2, 1]],
    "k": 2, "thresholds": [0.5, 1.0]
}}
results = {{}}
for name in {at_k.METRICS}:
    metric = evaluate.load(sys.argv[1].format(name=name))
    taken = given.keys() & inspect.signature(metric.compute).parameters.keys()
    results |= metric.compute(**{{name: given[name] for name in taken}})
print(json.dumps(results))
"""

FROM_FOLDERS = f"""
import runpy, sys
from pathlib import Path
import at_k
{SCORE_ALL}
folder = Path(at_k.module_path("gpassk"))
print(folder, *sorted(path.name for path in folder.iterdir()))
sys.argv[1:] = ["register"]
runpy.run_module("at_k", run_name="__main__")
"""
BY_NAME = f"""{SCORE_ALL}
import at_k
assert at_k.register(undo=True)
try:
    evaluate.load("gpassk")
except FileNotFoundError:
    print("gone")
"""

# 3 of 4 are right: of the six pairs all hold a right one, and three hold two. A pair of one "a" and "b" is a tied vote.
# Score 4 is right, and 3 is wrong: of the pairs one, {3, 2} or {3, 1}, … is lost twice.
EXPECTED = {
    "G-Pass@2_0.5": 1.0,
    "G-Pass@2_1.0": 0.5,
    "mG-Pass@2": 0.5,
    "pass@2": 1.0,
    "cons@2": 0.75,
    "avg@4": 0.75,
    "accuracy": 0.75,
    "best@2": pytest.approx(4 / 6, rel=1e-15),
    "max@2": pytest.approx((3 * 4 + 2 * 3 + 2) / 6, rel=1e-15),
}


def run(*command, cwd, home, python=sys.executable, **environment):
    """A new process with nothing cached, and, unless said otherwise, without a network."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON"))
    }
    fresh = {
        "HOME": str(home),
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
    }
    done = subprocess.run(
        [str(python), *command],
        cwd=cwd,
        env=kept | fresh | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheel_python(request, tmp_path_factory):
    """A Python in which the wheel is installed, beside the packages of this one."""
    if "site-packages" in Path(at_k.__file__).parts:  # these tests run against a wheel
        return sys.executable
    return environments.create(
        tmp_path_factory.mktemp("wheel"), [request.getfixturevalue("wheel")], alone=True
    )


def site_of(python):
    """Return the folder in which the wheel is installed."""
    if python == sys.executable:
        return Path(at_k.__file__).parent.parent
    (site,) = Path(python).parent.parent.glob("lib/python*/site-packages")
    return site


def read_known(out):
    """The numbers that are expected. Those of a new metric are known to its own test."""
    return {key: value for key, value in json.loads(out).items() if key in EXPECTED}


def test_from_a_clone(tmp_path):
    # The package is in the working directory, as in the Space; PYTHONSAFEPATH is not set.
    out = run("-c", SCORE_ALL, "metrics/{name}", cwd=ROOT, home=tmp_path)
    assert read_known(out) == EXPECTED


@of_wheel
@pytest.mark.installs
def test_from_a_wheel(wheel_python, tmp_path):
    """From the folders of its modules, and in another process by name, once these are registered; offline or not."""

    def at(*command, **environment):
        return run(*command, cwd=tmp_path, home=tmp_path, python=wheel_python, **environment)

    found = at("-c", FROM_FOLDERS, str(site_of(wheel_python) / "at_k" / "metrics" / "{name}"))
    results, folder, *registered = found.splitlines()
    assert read_known(results) == EXPECTED
    assert folder.split()[0] == str(site_of(wheel_python) / "at_k" / "metrics" / "gpassk")
    assert {"README.md", "gpassk.py"} <= {*folder.split()[1:]}
    assert "".join(registered).count("registered") == len(at_k.METRICS) + 1
    # The host waits for the Hub before each load, so without a network one module must do. Nobody listens there.
    online = {
        "HF_HUB_OFFLINE": "0",
        "HF_EVALUATE_OFFLINE": "0",
        "HF_ENDPOINT": "http://127.0.0.1:9",
    }
    found = at("-c", SCORE_ALL.replace(str(at_k.METRICS), '("gpassk",)'), "{name}", **online)
    assert json.loads(found) == {
        name: value for name, value in EXPECTED.items() if "G-Pass" in name
    }
    results, status = at("-c", BY_NAME, "{name}").splitlines()
    assert (read_known(results), status) == (EXPECTED, "gone")


@pytest.fixture
def cache():
    at_k.register(undo=True)
    yield Path(init_dynamic_modules()) / "metrics"
    at_k.register(undo=True)


def test_every_module_is_registered_and_undo_leaves_nothing_and_says_what_it_removed(cache):
    folders = at_k.register()
    assert [folder.parent.name for folder in folders] == [
        *(f"evaluate-metric--{name}" for name in at_k.METRICS),
        "evaluate-comparison--at_k_difference",
    ]
    for folder, name in zip(folders, (*at_k.METRICS, "at_k_difference"), strict=True):
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        assert "_compute" not in text  # it loads the installed module
        assert evaluate.load(name).name == name
    outdated = folders[0].with_name("0" * 64)
    folders[0].rename(outdated)
    assert at_k.register() == folders  # which replaces what there was
    assert not outdated.exists()
    assert at_k.register(undo=True) == folders
    assert not list(cache.glob("evaluate-*--*"))
    assert at_k.register(undo=True) == []


def test_undo_keeps_what_was_cached_by_others(cache):
    foreign = cache / "evaluate-metric--gpassk" / ("f" * 64)
    foreign.mkdir(parents=True)
    (foreign / "gpassk.py").write_text("# from the Hub", encoding="utf-8")
    at_k.register()
    at_k.register(undo=True)
    assert (foreign / "gpassk.py").read_text(encoding="utf-8") == "# from the Hub"
    (foreign / "gpassk.py").unlink()
    foreign.rmdir()


# An expression, and what comes after `at_k.` in it works with NumPy, SciPy and orjson alone.
ARRAYS = [
    "pass_at_k([5, 10], [3, 1], k=[1, 2])",
    "pass_hat_k([5, 10], [3, 1], k=2)",
    "g_pass_at_k([5, 10], [3, 1], k=4, thresholds=0.5)",
    "mg_pass_at_k([5, 10], [3, 1], k=4)",
    "majority_at_k([5, 10], [3, 1], k=3)",
    "cons_at_k([['7', '9', '9', '7']], [[1, 0, 0, 1]], k=[1, 3])",
    "best_at_k([[0.9, 0.5, 0.1]], [[0, 1, 1]], k=[1, 2])",
    "max_at_k([[0.9, 0.5, 0.1]], k=[1, 2])",
    "avg_at_n([[1, 0], [1, 1]])",
    "credit('pass@2', [[1, 0, 0], [1, 1, 0]])",
    "credit('max@2', scores=np.array([[0.2, 0.9, 0.2]]))",
    "credit('cons@2', [[1, 0, 0]], answers=[['a', 'b', 'b']])",
    "credit('avg@n', np.array([1.0, 0.0, 1.0, 1.0]), problem=['a', 'b', 'a', 'b'], normalize='std')",
    "standard_error([0.5, 0.1, 1.0], clusters=['a', 'b', 'b'])",
    "interval(0.5, 0.1, 10)",
    "compare_values([1, 1, 0, 1], [0, 0, 1, 0]).p_value",
    "predict_pass_at_k([8, 8, 8], [1, 2, 0], k=16).value",
    "enough(['a', 'a', 'a', 'a'])",
    "scores.mean_logprob([[[-0.1, -0.3]]])",
    "checkers.numeric()('1/2', '0.5')",
    "score([[1, 0], [1, 1]]).values",
    "score(np.array([[1, 0], [1, 1]]), 'pass@1').to_markdown()",
    "score({'grades': [[0.2, 0.9], [1, 1]]}, correct_above='>=0.9').to_dict()",
    "score({'answers': [['4', '4.0'], ['7', '9']], 'references': ['4', '9']}, check='numeric').values",
    "score({'answers': [['4', '5'], ['7', '9']], 'references': ['4', '9'], 'level': ['a', 'b']}, by='level').groups",
    "score({'grades': [[1, 0]] * 9}).to_json()",
    "compare([[1, 0]] * 9, [[0, 0]] * 9).to_dict()",
    "rank({'a': [[1, 0]] * 9, 'b': [[0, 0]] * 9, 'c': [[1, 1]] * 9}).to_markdown()",
    "gate({'grades': [[1, 0]] * 9}, require='pass@1 >= 0.2').to_markdown()",
    "plan({'grades': [[1, 0], [1, 1], [0, 0]] * 9}).to_markdown()",
    "diagnose({'grades': [[1, 0], [1, 1]]}).to_markdown()",
    "Tally.of({'grades': [[1, 0], [1, 1]]}).to_json()",
    "score(at_k.Tally.of({'grades': [[1, 0], [1, 1]]}) + at_k.Tally.of([[1, 0], [0, 0]])).values",
]
# Expression → the package that it needs.
MORE = {
    "score('results.jsonl')": "pyarrow",
    "read_results('results.jsonl')": "pyarrow",
    "score({'n': [4, 4], 'c': [1, 2]})": "pyarrow",
    "register()": "evaluate",
    "score([[1, 0]]).to_frame()": "pandas",
}

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import at_k, numpy as np
for expression in json.loads(sys.argv[2]):
    try:
        found = eval("at_k." + expression)
    except ImportError as error:
        found = str(error)
    print(repr(found).replace("\\n", ""))
"""


def test_the_core_works_and_the_rest_says_in_one_line_what_it_needs(tmp_path):
    """In a Python that has this library, NumPy, SciPy and orjson."""
    (tmp_path / "results.jsonl").write_text('{"id": 1, "correct": 1}\n')
    packages = [
        *Path(np.__file__).parent.parent.glob("numpy*"),
        *Path(scipy.__file__).parent.parent.glob("scipy*"),
    ]
    read_toml = () if sys.version_info >= (3, 11) else (import_module("tomli"),)
    for package in (
        *packages,
        *(Path(each.__file__).parent for each in (at_k, orjson, *read_toml)),
    ):
        (tmp_path / package.name).symlink_to(package)
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        PROGRAM,
        str(tmp_path),
        json.dumps([*ARRAYS, *MORE]),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    alone = dict(zip([*ARRAYS, *MORE], done.stdout.splitlines(), strict=True))
    here = {expression: repr(eval(f"at_k.{expression}")).replace("\n", "") for expression in ARRAYS}
    assert {expression: alone[expression] for expression in ARRAYS} == here
    for expression, package in MORE.items():
        said = alone[expression]
        assert f"needs {package}, and here is the core alone, of NumPy, SciPy and orjson." in said
        assert "Run `pip install .` in a clone of at-k, without --no-deps" in said


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="module 'at_k' has no attribute 'scor'"):
        _ = at_k.scor
    assert dir(at_k) == sorted([*at_k.__all__, "Key"])

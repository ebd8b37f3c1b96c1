"""Beside NumPy, SciPy and array-api-compat alone: functions of arrays work, and others say what they need."""

import json
import subprocess
import sys
from pathlib import Path

import array_api_compat
import numpy as np
import pytest
import scipy

import at_k

ROOT = Path(__file__).parent.parent

# An expression, and what comes after `at_k.` in it works without pandas, Arrow, `evaluate` and all others.
ARRAYS = [
    "pass_at_k([5, 10], [3, 1], k=[1, 2])",
    "pass_hat_k([5, 10], [3, 1], k=2)",
    "g_pass_at_k([5, 10], [3, 1], k=4, tau=0.5)",
    "mg_pass_at_k([5, 10], [3, 1], k=4)",
    "majority_at_k([5, 10], [3, 1], k=3)",
    "cons_at_k([['7', '9', '9', '7']], [[1, 0, 0, 1]], k=[1, 3])",
    "best_at_k([[0.9, 0.5, 0.1]], [[0, 1, 1]], k=[1, 2])",
    "max_at_k([[0.9, 0.5, 0.1]], k=[1, 2])",
    "avg_at_n([[1, 0], [1, 1]])",
    "credit('pass@2', [[1, 0, 0], [1, 1, 0]])",
    "credit('max@2', scores=np.array([[0.2, 0.9, 0.2]]))",
    "credit('cons@2', [[1, 0, 0]], answers=[['a', 'b', 'b']])",
    "credit('avg@n', np.array([1.0, 0.0, 1.0, 1.0]), groups=['a', 'b', 'a', 'b'], normalize='std')",
    "standard_error([0.5, 0.1, 1.0], clusters=['a', 'b', 'b'])",
    "interval(0.5, 0.1, 10)",
    "compare_values([1, 1, 0, 1], [0, 0, 1, 0]).p_value",
    "predict_pass_at_k([8, 8, 8], [1, 2, 0], k=16).value",
    "enough(['a', 'a', 'a', 'a'])",
    "scores.mean_logprob([[[-0.1, -0.3]]])",
    "checkers.numeric()('1/2', '0.5')",
]
MORE = ["score", "read_results", "compare", "gate", "plan", "Tally", "register", "scorer"]

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


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Evaluate what comes after `at_k.`, in a Python that has this library and what arrays need."""
    folder = tmp_path_factory.mktemp("alone")
    packages = [*Path(np.__file__).parent.parent.glob("numpy*"), *Path(scipy.__file__).parent.parent.glob("scipy*")]
    for package in (*packages, *(Path(each.__file__).parent for each in (at_k, array_api_compat))):
        (folder / package.name).symlink_to(package)

    def evaluate(expressions):
        command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(folder), json.dumps(expressions)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    return evaluate


def test_functions_of_arrays_work(alone):
    here = [repr(eval(f"at_k.{expression}")).replace("\n", "") for expression in ARRAYS]
    assert dict(zip(ARRAYS, alone(ARRAYS), strict=True)) == dict(zip(ARRAYS, here, strict=True))


def test_names_that_need_more_packages_say_it_in_one_line(alone):
    said = [
        f"'`at_k.{name}` needs more than NumPy and SciPy. Run `pip install .` in a clone of at-k, without --no-deps'"
        for name in MORE
    ]
    assert [line.replace('"', "'") for line in alone(MORE)] == said


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="module 'at_k' has no attribute 'scor'"):
        _ = at_k.scor
    assert dir(at_k) == sorted([*at_k.__all__, "Key"])

"""The module of a metric's Space computes where at-k is not installed, as the library does, and says what needs it."""

import ast
import pickle
import subprocess
import sys

import evaluate
import numpy as np
import pandas as pd
import pytest
from cases import for_each, refuses

import at_k
from at_k.family import FAMILY
from tools import spaces
from tools.spaces import Home

from . import sets

HOME = Home("org")
INSTALL = "pip install git+https://huggingface.co/spaces/org/{}"
NAMES = at_k.METRICS
COUNT = 60  # 10,000 sets of each module took five minutes, and agreed to the last digit

INPUTS = {"predictions": [["a", "b", "a"], ["c", "c", "d"]], "references": ["a", "c"]}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spaces")
    for name in NAMES:
        spaces.build(name, folder / name, HOME)
    return folder


@pytest.fixture(scope="module")
def alone(built):
    """Load a module of a Space where `import at_k` fails, and each module once for a configuration."""
    loaded = {}
    for name in NAMES:
        for config in ("default", "graded"):
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(sys.modules, "at_k.family", None)
                loaded[name, config] = evaluate.load(str(built / name), config)
    return loaded


@pytest.mark.parametrize("name", NAMES)
def test_it_needs_nothing_but_what_evaluate_brings(built, name):
    brought = {*sys.stdlib_module_names, "evaluate", "datasets", "numpy", "pyarrow"}
    for file in (f"{name}.py", spaces.STANDALONE):
        tree = ast.parse((built / name / file).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                imported = [node.module]
            missing = {each.split(".")[0] for each in imported} - brought
            assert missing <= ({"at_k"} if file == f"{name}.py" else set())


@pytest.mark.filterwarnings("ignore::UserWarning")  # where no sample is correct
@pytest.mark.parametrize("name", NAMES)
def test_keys_and_numbers_are_those_of_the_library(alone, name):
    for number in range(COUNT):
        config, inputs = sets.draw_set(name, number)
        expected = evaluate.load(f"metrics/{name}", config).compute(**inputs)
        values = alone[name, config].compute(**inputs)
        assert list(values) == list(expected), number
        assert list(values.values()) == pytest.approx(list(expected.values()), abs=1e-12), number


def test_the_sets_have_what_is_promised():
    drawn = [sets.draw_set(name, number)[1] for name in NAMES for number in range(COUNT)]
    for option in (
        "check_correct_fn",
        "grades",
        "k",
        "thresholds",
        "correct_above",
        "ties",
        "scores",
    ):
        assert sum(option in inputs for inputs in drawn) > 10, option


def test_columns_may_have_the_usual_forms(alone):
    module = alone["gpassk", "default"]
    expected = module.compute(**INPUTS, k=2)
    columns = {name: pd.Series(rows) for name, rows in INPUTS.items()}
    assert module.compute(**columns, k=2) == expected
    numbers = [[1, 2, 1], [3, 3, np.int64(4)]]
    assert module.compute(predictions=numbers, references=[1, 3], k=2) == expected
    assert module.compute(predictions=numbers, references=["1", "3"], k=2) == expected
    refuses(
        "TypeError: `predictions` must hold strings; got True",
        module.compute,
        predictions=[[True]],
        references=[1],
    )
    graded = alone["gpassk", "graded"]
    table = np.array([[1, 0, 1], [1, 1, 0]], dtype=np.float32)
    assert graded.compute(predictions=table, k=2) == expected
    assert graded.compute(predictions=[[True, False, True], [True, True, False]], k=2) == expected


def test_problems_may_be_added(alone):
    module = alone["gpassk", "default"]
    expected = module.compute(**INPUTS, k=2)
    for samples, reference in zip(INPUTS["predictions"], INPUTS["references"], strict=True):
        module.add(prediction=samples, reference=reference)
    refuses("ValueError: `k` must be at most n", module.compute, k=9)  # and the samples stay
    assert module.compute(k=2) == expected
    module.add_batch(**INPUTS)
    assert pickle.loads(pickle.dumps(module)).compute(k=2) == expected
    assert module.compute(k=2) == expected
    refuses("ValueError: `predictions` must hold at least one problem", module.compute)


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_needs_the_library_says_how_to_install_it(alone, name):
    inputs = INPUTS | ({"scores": [[1, 2, 3]] * 2} if name == "best_at_k" else {})
    module = alone[name, "default"]
    supported = {"k", "thresholds", "correct_above", "higher_is_better"}
    for option in set(FAMILY[name].options) - supported:
        error = refuses("ImportError: `", module.compute, **inputs, **{option: "another"})
        assert str(error).startswith(f"`{option}='another'` needs the library at-k")
        assert str(error).endswith(INSTALL.format(name))
    default = dict.fromkeys(("confidence_level", "extract_fn")) | {"missing": "error"}
    assert module.compute(**inputs, **default) == module.compute(**inputs)


@for_each(
    "inputs, error",
    [
        (
            {"tresholds": 0.5},
            "TypeError: `tresholds` is no input of gpassk; did you mean `thresholds`?",
        ),
        ({"scores": [[1]]}, "TypeError: `scores` is no input of gpassk … it takes `predictions`"),
        (
            {"threshold": 1.0},
            "TypeError: `threshold` is no input of gpassk: `correct_above` is the",
        ),
        ({"k": 9}, "ValueError: `k` must be at most n … got k=9, but the smallest n is 3"),
        ({"thresholds": 2}, "ValueError: `thresholds` must lie in [0, 1]"),
        ({"correct_above": 2}, "ValueError: `correct_above` must"),
        (
            {"references": ["a"]},
            "ValueError: `predictions` and `references` must have equally many",
        ),
        ({"references": ["a", None]}, "TypeError: `references` must hold strings … in problem 1"),
        ({"references": [["a"], []]}, "TypeError: `references` must hold strings … in problem 1"),
        ({"references": ["a", ["c", 1]]}, "TypeError: `references` … got 1 … in problem 1"),
        ({"references": None}, "ValueError: `references` or `grades` must be given"),
        ({"predictions": [["a"], ["c", None]]}, "ValueError: … None or NaN in problem 1, sample 1"),
        ({"predictions": [["a"], ["c", 3]]}, "TypeError: … got 3 … in problem 1, sample 1"),
        ({"predictions": ["a", "c"]}, "TypeError: `predictions` must hold a list of samples"),
        ({"grades": [[1, 0, 1], [1, 2, 0]]}, "ValueError: … got 2.0 in problem 1, sample 1"),
        ({"grades": [[1, 0, 1], [1, None, 0]]}, "ValueError: … None or NaN in problem 1, sample 1"),
        ({"grades": [[1, 0, 1], [1, 0]]}, "ValueError: … equally many samples in every problem"),
        (
            {"references": ["assert f(2) == 3"] * 2},
            "ImportError: `references` that are test programs",
        ),
        ({"check_correct_fn": lambda answer, reference: 2}, "ValueError: `check_correct_fn` must"),
        ({"check_correct_fn": lambda answer: True}, "RuntimeError: `check_correct_fn` failed"),
    ],
)
def test_wrong_input_is_refused(alone, inputs, error):
    refuses(error, alone["gpassk", "default"].compute, **{**INPUTS, **inputs})


@for_each(
    "name, config, inputs, error",
    [
        ("gpassk", "graded", {"predictions": [[1]], "references": ["a"]}, "ValueError: … must not"),
        ("best_at_k", "default", INPUTS, "ValueError: `scores` must be given"),
        (
            "best_at_k",
            "default",
            INPUTS | {"scores": [[1, 2, np.inf], [1, 2, 3]]},
            "ValueError: `scores` must be finite numbers; got inf in problem 0, sample 2",
        ),
        (
            "best_at_k",
            "default",
            INPUTS | {"scores": [[[1, 2]] * 3] * 2},
            "ImportError: `scores` with several numbers",
        ),
        (
            "cons_at_k",
            "default",
            {"predictions": [["a", "a"]], "grades": [[1, 0]]},
            "ValueError: `grades` must agree on equal answers; got both verdicts on 'a' in problem 0",
        ),
    ],
)
def test_wrong_input_of_other_modules_is_refused(alone, name, config, inputs, error):
    refuses(error, alone[name, config].compute, **inputs)


def test_a_grade_without_an_answer_casts_no_vote(alone):
    inputs = {"predictions": [["a", None, None]], "grades": [[1, 0, 0]], "k": 3}
    assert alone["cons_at_k", "default"].compute(**inputs) == {"cons@3": 1.0}


def test_zeros_come_with_a_word(alone):
    with pytest.warns(UserWarning, match="No answer equals its reference") as warned:
        alone["pass_at_k", "default"].compute(predictions=[["\\boxed{5}"]], references=["5"])
    assert warned[0].filename == __file__  # it points at the call


def test_options_of_load_are_checked(built, monkeypatch):
    monkeypatch.setitem(sys.modules, "at_k.family", None)
    path = str(built / "gpassk")
    assert list(evaluate.load(path, k=2, thresholds=1.0).compute(**INPUTS)) == [
        "G-Pass@2_1.0",
        "mG-Pass@2",
    ]
    refuses("ImportError: `confidence_level=0.9`", evaluate.load, path, confidence_level=0.9)
    refuses("ValueError: `config_name` must be", evaluate.load, path, "grades")
    refuses("ValueError: `num_process` must be 1", evaluate.load, path, num_process=2, process_id=0)


def test_the_description_says_what_needs_the_library(alone):
    described = alone["gpassk", "default"].inputs_description
    assert INSTALL.format("gpassk") in described
    assert 'evaluate.load("org/gpassk")' in described


def test_with_the_library_its_own_module_takes_over(tmp_path):
    spaces.build("gpassk", tmp_path / "gpassk", Home("another"))
    code = """
import pickle
import evaluate
module = evaluate.load("gpassk")
print(*pickle.loads(pickle.dumps(module)).compute(predictions=[[1, 0]], k=1, config_name="graded"))
"""
    code = code.replace(', config_name="graded"', "").replace(
        'load("gpassk")', 'load("gpassk", "graded", confidence_level=0.9, thresholds=1.0)'
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "G-Pass@1_1.0_ci_low" in done.stdout, done.stderr

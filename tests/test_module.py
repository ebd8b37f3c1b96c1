"""What the modules share, and where they do better than their host: nothing lost or left behind, threads, processes."""

import copy
import os
import pickle
import site
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import evaluate
import pytest
from cases import for_each

import at_k

PREDICTIONS = [["a", "b", "a", "a"], ["a", "c", "c"], ["b", "b", "a"]]
REFERENCES = ["a", "c", "a"]
SCORES = [[4, 3, 2, 1], [1, 2, 3], [1, 1, 1]]


def load(name="gpassk", *arguments, **options):
    return evaluate.load(str(at_k.module_path(name)), *arguments, **options)


def columns(name, rows=slice(None)):
    given = {"predictions": PREDICTIONS[rows], "references": REFERENCES[rows]}
    return given | {"scores": SCORES[rows]} if name == "best_at_k" else given


def files_below(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", at_k.METRICS)
@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_added_in_any_way_the_numbers_are_those_of_one_compute(name, keep_in_memory, tmp_path):
    metric = load(name, keep_in_memory=keep_in_memory, cache_dir=str(tmp_path), k=[1, 2, 3])
    whole = metric.compute(**columns(name))

    metric.add_batch(**columns(name, slice(0, 2)))
    last = {"scores": SCORES[2]} if name == "best_at_k" else {}
    metric.add(prediction=PREDICTIONS[2], reference=REFERENCES[2], **last)
    assert len(metric) == 3
    assert metric.compute() == whole
    assert len(metric) == 0

    metric.add_batch(**columns(name, slice(0, 1)))
    assert metric.compute(**columns(name, slice(1, 3))) == whole
    assert files_below(tmp_path) == []


def test_a_million_single_additions_would_not_be_a_million_batches():
    metric = load("pass_at_k", "graded")
    for _ in range(1000):
        metric.add(prediction=[1, 0])
    assert len(metric._store._batches) <= 10  # as the digits of a binary counter
    assert metric.compute(k=1) == {"pass@1": 0.5}


@pytest.mark.parametrize("name", at_k.METRICS)
def test_a_failing_compute_loses_nothing_and_leaves_no_file(name, tmp_path):
    metric = load(name, cache_dir=str(tmp_path))
    metric.add_batch(**columns(name))
    failing = [{"threshold": 2}, {"groups": ["only one"]}, {"check_correct_fn": lambda *_: 1 / 0}, {"unknown": 1}]
    for options in failing:
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            metric.compute(**options)
        assert len(metric) == 3
        assert files_below(tmp_path) == []
    assert metric.compute(k=2) == load(name).compute(**columns(name), k=2)


def test_what_a_failing_compute_was_given_is_not_added():
    metric = load()
    metric.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    with pytest.raises(ValueError, match="`k` must be at most n"):
        metric.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:], k=4)
    assert len(metric) == 1


def test_a_batch_with_a_fault_is_not_added():
    metric = load()
    metric.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    with pytest.raises(TypeError, match=r"`predictions` must hold strings; got 3 of type int in problem 1, sample 2"):
        metric.add_batch(predictions=[["a"], ["a", "a", 3]], references=["a", "a"])
    assert len(metric) == 1


def test_batches_must_agree_on_the_dimensions_of_scores():
    metric = load("best_at_k", "graded")
    metric.add_batch(predictions=[[1, 0]], scores=[[[1, 2], [3, 4]]])
    with pytest.raises(ValueError, match="`scores` must have as many dimensions in every batch; got 1 after 2"):
        metric.add_batch(predictions=[[1, 0]], scores=[[1, 2]])
    assert len(metric) == 1


def test_nothing_added_and_nothing_given():
    with pytest.raises(ValueError, match="`predictions` must be given"):
        load().compute()


def test_fifty_threads_share_an_instance():
    metric = load("pass_at_k", "graded")
    start = threading.Barrier(50)

    def score(right):
        start.wait()
        return [metric.compute(predictions=[[1] * right + [0] * (50 - right)], k=[1, 2])["pass@1"] for _ in range(10)]

    with ThreadPoolExecutor(50) as pool:
        scored = list(pool.map(score, range(50)))
    assert scored == [[right / 50] * 10 for right in range(50)]


def test_fifty_threads_add_to_an_instance():
    metric = load("pass_at_k", "graded")
    start = threading.Barrier(50)

    def add(right):
        start.wait()
        for _ in range(20):
            metric.add_batch(predictions=[[1] * right + [0] * (50 - right)])

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(add, range(50)))
    assert len(metric) == 50 * 20
    assert metric.compute(k=1) == {"pass@1": sum(range(50)) / 50 / 50}


@for_each("number", [0, 2, None, "2"])
def test_several_processes_are_refused_with_what_to_do_instead(number):
    with pytest.raises(ValueError, match=r"`num_process` must be 1; got .*gather_for_metrics.*at_k\.scorer"):
        load(num_process=number, process_id=0)


def test_can_be_pickled_between_computations():
    metric = pickle.loads(pickle.dumps(load("pass_at_k", "graded", k=2)))
    assert metric.compute(predictions=[[1, 0, 0, 0]]) == {"pass@2": 0.5}


def test_unknown_configuration():
    with pytest.raises(ValueError, match="`config_name` must be one of 'default', 'graded'; got 'judged'"):
        load("gpassk", "judged")


def test_environment_is_the_fresh_one():
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert "at-k-tests-" in str(evaluate.config.HF_CACHE_HOME)


def test_a_warning_points_at_the_caller():
    metric = load("pass_at_k", "graded")
    with pytest.warns(UserWarning, match="missing='drop' left out 1 of 3 samples, in 1 of 1 problems") as caught:
        metric.compute(predictions=[[1, 0, None]], k=1, missing="drop")
    assert caught[0].filename == __file__


def test_a_checker_that_adds_to_its_own_instance_loses_nothing():
    metric = load("avg_at_n")

    def check(prediction, reference):
        if prediction == "b":
            metric.add(prediction=["later", "b"], reference="b")
        return prediction == reference

    metric.add_batch(predictions=[["a", "b"]], references=["a"])
    assert metric.compute(check_correct_fn=check)["avg@2"] == 0.5
    assert len(metric) == 1

    def add_and_fail(prediction, reference):
        metric.add(prediction=["last", "x"], reference="x")
        raise OSError

    with pytest.raises(RuntimeError, match="`check_correct_fn` failed on the prediction 'later'"):
        metric.compute(check_correct_fn=add_and_fail)
    assert len(metric) == 2
    assert metric.compute() == {"avg@2": 0.5, "accuracy": 0.5}


@for_each("other_of", [copy.copy, copy.deepcopy, lambda metric: pickle.loads(pickle.dumps(metric))])
def test_a_copy_has_a_store_of_its_own(other_of):
    metric = load("avg_at_n", "graded")
    metric.add(prediction=[1, 0])
    other = other_of(metric)
    other.add(prediction=[1, 1])
    metric.add(prediction=[0, 0])
    assert other.compute() == {"avg@2": 0.75, "accuracy": 0.75}
    assert metric.compute() == {"avg@2": 0.25, "accuracy": 0.25}


def test_one_problem_is_not_given_as_several():
    metric = load("pass_at_k", "graded")
    for wrong, right in (("predictions", "prediction"), ("references", "reference")):
        with pytest.raises(TypeError, match=f"`{wrong}` must not be given to `add` beside `{right}`"):
            metric.add(**{"prediction": [1], right: [1], wrong: [[1]]})
    assert len(metric) == 0


def test_combined_modules_take_single_problems():
    combined = evaluate.combine([load("pass_at_k"), load("avg_at_n")])
    combined.add(prediction=["a", "b"], reference="a")
    combined.add(["c", "c"], "c")
    assert combined.compute(k=1) == {"pass@1": 0.75, "avg@2": 0.75, "accuracy": 0.75}


@for_each("added", [True, False])
def test_groups_from_a_generator(added):
    metric, given = load("avg_at_n", "graded"), {"predictions": [[1, 1], [0, 0], [1, 0]]}
    if added:
        metric.add_batch(**given)
        given = {}
    found = metric.compute(**given, groups=(label for label in "aba"))
    assert found == {"avg@2": 0.5, "accuracy": 0.5, "a/avg@2": 0.75, "a/accuracy": 0.75, "b/avg@2": 0, "b/accuracy": 0}


def test_thresholds_as_fractions():
    metric = load("gpassk", "graded")
    found = metric.compute(predictions=[[1, 1, 0]], k=3, thresholds=[Fraction(2, 3), 0.67, Fraction(1)])
    assert found == {"G-Pass@3_2/3": 1, "G-Pass@3_0.67": 0, "G-Pass@3_1": 0, "mG-Pass@3": 0}
    score = at_k.scorer("gpassk", "graded", k=3, thresholds=Fraction(2, 3))
    assert score({"predictions": [[1, 1, 0]]}) == {"G-Pass@3_2/3": [1.0], "mG-Pass@3": [0.0]}


@for_each("columns", [{"predictions": [["a"]]}, {"predictions": [["a"]], "references": None}])
def test_references_or_grades_are_needed(columns):
    with pytest.raises(ValueError, match="`references` or `grades` must be given in the configuration 'default'"):
        load("pass_at_k").compute(**columns)
    for name in ("references", "grades"):
        with pytest.raises(ValueError, match=f"`{name}` must not be given in the configuration 'graded'"):
            load("pass_at_k", "graded").compute(predictions=[[1]], **{name: [[1]]})


FORKING = """
import os, sys, threading
import evaluate, at_k

metric = evaluate.load(str(at_k.module_path("pass_at_k")), "graded")
metric.add(prediction=[1, 0])
held, release = threading.Event(), threading.Event()

def hold():
    with metric._lock:
        held.set()
        release.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if not child:
    metric.add(prediction=[1, 1])
    os._exit(0 if metric.compute(k=1) == {"pass@1": 0.75} else 1)
status = os.waitpid(child, 0)[1]
release.set()
thread.join()
assert metric.compute(k=1) == {"pass@1": 0.5}
sys.exit(status != 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_does_not_wait_for_a_lock_that_a_thread_of_its_parent_holds():
    found = subprocess.run([sys.executable, "-c", FORKING], timeout=120, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


ASCII = """
import evaluate, at_k

data = {"answers": [["½", None], ["ü", "ü"]], "references": ["½", "ü"], "group": ["é", "☃"]}
print(at_k.score(data, missing="drop"))
print(at_k.score({"answers": [["½", "½"]], "references": ["¼"]}))
metric = evaluate.load(str(at_k.module_path("pass_at_k")))
print(metric.compute(predictions=[["½", None]], references=["½"], missing="drop"))
try:
    metric.compute(predictions=[["½"]], references=["½"], k=2)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "command", [["library.py"], ["-m", "at_k", "register"], ["-m", "at_k", "--help"]], ids=" ".join
)
def test_a_terminal_that_knows_ascii_alone(command, tmp_path):
    (tmp_path / "library.py").write_text(ASCII, encoding="utf-8")
    command = [str(tmp_path / each) if each.endswith(".py") else each for each in command]
    environment = os.environ | {
        "PYTHONIOENCODING": "ascii",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    # Before Python 3.13 `site` reads `.pth` files as the locale says, and an editable install has one with its path.
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent.parent), *site.getsitepackages()])
    run = [sys.executable, "-S", *command]
    found = subprocess.run(run, env=environment, timeout=120, capture_output=True, check=False)
    assert b"UnicodeEncodeError" not in found.stderr
    assert found.returncode == 0, found.stderr

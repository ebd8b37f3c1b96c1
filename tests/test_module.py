"""Features of all modules that their host lacks: nothing lost or left behind, threads, processes."""

import copy
import os
import pickle
import site
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import evaluate
import pytest
from cases import for_each, refuses
from datasets import Dataset
from datasets.fingerprint import Hasher

import at_k

PREDICTIONS = [["a", "b", "a", "a"], ["a", "c", "c"], ["b", "b", "a"]]
REFERENCES = ["a", "c", "a"]
OTHERS = [["a", "a"], ["c", "c", "b"], ["b", "b", "b"]]
SCORES = [[4, 3, 2, 1], [1, 2, 3], [1, 1, 1]]


def load(name="gpassk", *arguments, **options):
    return evaluate.load(str(at_k.module_path(name)), *arguments, **options)


ALL = (*at_k.METRICS, "at_k_difference")


def columns(name, rows=slice(None)):
    if name == "at_k_difference":
        return {
            "predictions1": PREDICTIONS[rows],
            "predictions2": OTHERS[rows],
            "references": REFERENCES[rows],
        }
    given = {"predictions": PREDICTIONS[rows], "references": REFERENCES[rows]}
    return given | {"scores": SCORES[rows]} if name == "best_at_k" else given


def add(metric, name, row):
    """Add one problem, whose arguments have names in the singular but for those of a comparison and for scores."""
    singular = (
        {"predictions": "prediction"}
        if name == "at_k_difference"
        else {"predictions": "prediction", "references": "reference"}
    )
    metric.add(
        **{singular.get(column, column): values[row] for column, values in columns(name).items()}
    )


def files_below(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_added_in_any_way_the_numbers_are_those_of_one_compute(name, keep_in_memory, tmp_path):
    options = {"k": [1, 2]} if name not in ("avg_at_n", "at_k_difference") else {}
    metric = load(name, keep_in_memory=keep_in_memory, cache_dir=str(tmp_path))
    whole = metric.compute(**columns(name), **options)
    metric.add_batch(**columns(name, slice(0, 2)))
    add(metric, name, 2)
    assert len(metric) == 3
    assert metric.compute(**options) == whole
    assert len(metric) == 0
    for row in range(2):
        add(metric, name, row)
    assert metric.compute(**columns(name, slice(2, 3)), **options) == whole
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("name", ALL)
def test_failures_lose_nothing_add_nothing_and_leave_no_file(name, tmp_path):
    metric = load(name, cache_dir=str(tmp_path))
    metric.add_batch(**columns(name, slice(0, 2)))
    first, *_ = columns(name)
    kept = {column: values[:2] for column, values in columns(name).items()}
    failing = [
        {"correct_above": 2},
        {"check_correct_fn": lambda *_: 1 / 0},
        {"unknown": 1},
        {"clusters": ["only one"]},
    ]
    for options in (*failing, *({**columns(name, slice(2, 3)), **each} for each in failing)):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            metric.compute(
                **options, **({"confidence_level": 0.9} if name != "at_k_difference" else {})
            )
        assert len(metric) == 2
    says = f"TypeError: `{first}` must hold strings; got 3 of type int in problem 1, sample 2"
    refuses(says, metric.add_batch, **{**kept, first: [["a"], ["a", "a", 3]]})
    assert len(metric) == 2
    assert files_below(tmp_path) == []
    options = {"k": 1} if name != "avg_at_n" else {}
    assert metric.compute(**options) == load(name).compute(**kept, **options)


def test_fifty_threads_share_an_instance():
    shared, added = load("pass_at_k", "graded"), load("pass_at_k", "graded")
    start = threading.Barrier(50)

    def work(right):
        start.wait()
        rows = [[1] * right + [0] * (50 - right)]
        for _ in range(20):
            added.add_batch(predictions=rows)
        return [shared.compute(predictions=rows, k=[1, 2])["pass@1"] for _ in range(10)]

    with ThreadPoolExecutor(50) as pool:
        scored = list(pool.map(work, range(50)))
    assert scored == [[right / 50] * 10 for right in range(50)]
    assert len(added) == 50 * 20
    assert added.compute(k=1) == {"pass@1": sum(range(50)) / 50 / 50}


@for_each("number", [0, 2, None, "2"])
def test_several_processes_are_refused_with_what_to_do_instead(number):
    for name, advice in (
        ("gpassk", "gather_for_metrics … at_k.scorer"),
        ("at_k_difference", "Gather the samples"),
    ):
        refuses(
            f"ValueError: `num_process` must be 1; got … {advice}",
            load,
            name,
            num_process=number,
            process_id=0,
        )


def test_a_warning_points_at_the_caller_and_the_environment_is_fresh():
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert "at-k-tests-" in str(evaluate.config.HF_CACHE_HOME)
    metric = load("pass_at_k", "graded")
    with pytest.warns(
        UserWarning, match="missing='drop' left out 1 of 3 samples, in 1 of 1 problems"
    ) as caught:
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


def test_single_problems():
    metric = load("pass_at_k", "graded")
    for wrong, right in (("predictions", "prediction"), ("references", "reference")):
        says = f"TypeError: `{wrong}` must not be given to `add` beside `{right}`"
        refuses(says, metric.add, **{"prediction": [1], right: [1], wrong: [[1]]})
    assert len(metric) == 0
    combined = evaluate.combine([load("pass_at_k"), load("avg_at_n")])
    combined.add(prediction=["a", "b"], reference="a")
    combined.add(["c", "c"], "c")
    assert combined.compute(k=1) == {"pass@1": 0.75, "avg@2": 0.75, "accuracy": 0.75}
    alone = load("avg_at_n")
    alone.add(prediction=["a", "b"], reference="a", references=None)
    assert alone.compute() == {"avg@2": 0.5, "accuracy": 0.5}


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
    found = subprocess.run(
        [sys.executable, "-c", FORKING], timeout=120, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


ASCII = """
import evaluate, at_k

data = {"answers": [["½", None], ["ü", "ü"]], "references": ["½", "ü"], "group": ["é", "☃"]}
print(at_k.register())
print(at_k.score(data, missing="drop"))
print(at_k.score({"answers": [["½", "½"]], "references": ["¼"]}))
metric = evaluate.load(str(at_k.module_path("pass_at_k")))
print(metric.compute(predictions=[["½", None]], references=["½"], missing="drop"))
try:
    metric.compute(predictions=[["½"]], references=["½"], k=2)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("command", [["library.py"], ["-m", "at_k", "--help"]], ids=" ".join)
def test_a_terminal_that_knows_ascii_alone(command, tmp_path):
    (tmp_path / "library.py").write_text(ASCII, encoding="utf-8")
    command = [str(tmp_path / each) if each.endswith(".py") else each for each in command]
    environment = {
        "PYTHONIOENCODING": "ascii",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    # Before Python 3.13 `site` reads `.pth` files as the locale says, and an editable install has one with its path.
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).parent.parent), *site.getsitepackages()]
    )
    run = [sys.executable, "-S", *command]
    found = subprocess.run(
        run, env=os.environ | environment, timeout=120, capture_output=True, check=False
    )
    assert b"UnicodeEncodeError" not in found.stderr
    assert found.returncode == 0, found.stderr


ROWS = {
    "predictions": [["a", "b", "a", "a"], ["a", "c", "c", "b"], ["b"] * 5, ["d"] * 4],
    "references": list("acbe"),
}


def test_maps_over_a_dataset_in_two_processes(tmp_path):
    dataset = Dataset.from_dict(ROWS)
    scored = dataset.map(at_k.scorer("gpassk", k=[2, 4]), batched=True, batch_size=1, num_proc=2)
    whole = at_k.scorer("gpassk", k=[2, 4])(ROWS)
    assert {key: scored[key][:] for key in whole} == whole
    assert scored["G-Pass@4_1.0"][:] == [0.0, 0.0, 1.0, 0.0]


def test_every_batch_has_the_same_keys():
    score = pickle.loads(pickle.dumps(at_k.scorer("avg_at_n")))
    for rows in (slice(0, 2), slice(0, 4)):
        assert list(score({name: column[rows] for name, column in ROWS.items()})) == [
            "avg@n",
            "accuracy",
        ]
    assert list(at_k.scorer("avg_at_n", key_style="plain")(ROWS)) == ["avg_at_n", "accuracy"]
    score = at_k.scorer("best_at_k", "graded", k=2)  # scores are taken where needed
    batch = {"predictions": [[1, 0]], "scores": [[0.1, 0.9]]}
    assert score(batch) == score(batch | {"references": ["a"]}) == {"best@2": [0.0], "max@2": [0.9]}
    once = {
        "predictions": iter([[1, 0], [1, 1], [0, 0]])
    }  # a column that can be read once loses no problem
    assert at_k.scorer("pass_at_k", "graded", k=1)(once) == {"pass@1": [0.5, 1.0, 0.0]}


@for_each("name, options, says", [
    ("passk", {}, "ValueError: `name` must be one of"),
    ("pass_at_k", {}, "ValueError: `k` must be given to a scorer of 'pass_at_k'"),
    ("pass_at_k", {"k": 0}, "ValueError: `k` must be a positive integer; got 0"),
    ("pass_at_k", {"k": 1, "groups": ["a"]}, "ValueError: `groups` must not be given to a scorer"),
    ("pass_at_k", {"k": 1, "kk": 1}, "TypeError: Unknown option `kk`; got 1"),
    ("cons_at_k", {"k": 1, "columns": {"answers": "right"}},
     "TypeError: `columns` must name columns out of predictions, references, grades, scores; got"),
])  # fmt: skip
def test_faults_are_named_at_once(name, options, says):
    refuses(says, at_k.scorer, name, **options)


@for_each("config, batch, says", [
    ("default", {"samples": [["a"]], "answer": ["a"]},
     "ValueError: `predictions` must be a column of the batch, whose columns are samples, answer"),
    ("default", {"predictions": [[1, 0]]},
     "ValueError: `references` or `grades` must be a column of the batch, whose columns are predictions"),
    ("default", {"predictions": ["a", "b"], "references": "a"},
     "TypeError: `predictions` must be a batch … batched=True"),
    ("graded", {"predictions": []}, "ValueError: `predictions` must hold at least one problem; got none"),
])  # fmt: skip
def test_invalid_batches_are_refused(config, batch, says):
    refuses(says, at_k.scorer("pass_at_k", config, k=1), batch)


def test_a_scorer_of_another_version_has_another_hash(monkeypatch):
    """`Dataset.map` takes numbers from its cache by this hash."""
    calls = [
        (("pass_at_k",), {"k": 2}),
        (("pass_at_k",), {"k": 3}),
        (("gpassk",), {"k": 2}),
        (("pass_at_k", "graded"), {"k": 2}),
        (("pass_at_k",), {"k": 2, "correct_above": 0.1}),
        (("pass_at_k",), {"k": 2, "columns": {"predictions": "x"}}),
    ]
    made, again = ([at_k.scorer(*given, **options) for given, options in calls] for _ in range(2))
    assert Hasher.hash(made[0]) == Hasher.hash(again[0])
    monkeypatch.setattr(at_k, "__version__", "0.0.0")
    made.append(at_k.scorer("pass_at_k", k=2))
    assert len(set(map(Hasher.hash, made))) == len(calls) + 1


@pytest.mark.parametrize("style", [None, "numpy", "pandas", "arrow", "polars"])
def test_batches_in_any_format(style, tmp_path):
    score = at_k.scorer("cons_at_k", k=[1, 3])
    dataset = Dataset.from_dict(ROWS)
    whole = score(ROWS)
    assert score(dataset.with_format(style)[:]) == whole
    if style != "polars":  # what `map` gives to a function is the same
        scored = dataset.with_format(style).map(
            score, batched=True, batch_size=3, load_from_cache_file=False
        )
        assert {key: scored.with_format(None)[key][:] for key in whole} == whole


def test_grades_beside_answers():
    score = at_k.scorer("cons_at_k", k=[1, 3])
    graded = ROWS | {"grades": [[1, 0, 1, 1], [0, 1, 1, 0], [1] * 5, [0] * 4]}
    expected = score(graded | {"references": ["a", "c", "b", "e"]})
    del graded["references"]
    assert score(graded) == expected
    renamed = {"predictions": graded["predictions"], "right": graded["grades"]}
    assert at_k.scorer("cons_at_k", k=[1, 3], columns={"grades": "right"})(renamed) == expected
    wrong = at_k.scorer("cons_at_k", k=1, columns={"grades": "wrong"})
    refuses("ValueError: `wrong` must be a column of the batch", wrong, renamed)

"""The batch function, in a pipeline and alone."""

import pickle

import pytest
from cases import for_each
from datasets import Dataset
from datasets.fingerprint import Hasher

import at_k

ROWS = {"predictions": [["a", "b", "a", "a"], ["a", "c", "c", "b"], ["b"] * 5, ["d"] * 4], "references": list("acbe")}


def test_maps_over_a_dataset_in_two_processes(tmp_path):
    dataset = Dataset.from_dict(ROWS)
    scored = dataset.map(at_k.scorer("gpassk", k=[2, 4]), batched=True, batch_size=1, num_proc=2)
    whole = at_k.scorer("gpassk", k=[2, 4])(ROWS)
    assert {key: scored[key][:] for key in whole} == whole
    assert scored["G-Pass@4_1.0"][:] == [0.0, 0.0, 1.0, 0.0]


def test_every_batch_has_the_same_keys():
    score = at_k.scorer("avg_at_n")
    for rows in (slice(0, 2), slice(0, 4)):
        assert list(score({name: column[rows] for name, column in ROWS.items()})) == ["avg@n", "accuracy"]
    assert list(at_k.scorer("avg_at_n", key_style="plain")(ROWS)) == ["avg_at_n", "accuracy"]


def test_can_be_pickled():
    score = pickle.loads(pickle.dumps(at_k.scorer("pass_at_k", "graded", k=2)))
    assert score({"predictions": [[1, 0, 0, 0]]}) == {"pass@2": [0.5]}


def test_scores_are_taken_where_needed():
    score = at_k.scorer("best_at_k", "graded", k=2)
    batch = {"predictions": [[1, 0]], "scores": [[0.1, 0.9]]}
    assert score(batch) == score(batch | {"references": ["a"]}) == {"best@2": [0.0], "max@2": [0.9]}


@for_each(
    "name, options, error, message",
    [
        ("passk", {}, ValueError, "`name` must be one of"),
        ("pass_at_k", {}, ValueError, "`k` must be given to a scorer of 'pass_at_k'"),
        ("pass_at_k", {"k": 0}, ValueError, "`k` must be a positive integer; got 0"),
        ("pass_at_k", {"k": 1, "groups": ["a"]}, ValueError, "`groups` must not be given to a scorer"),
        ("pass_at_k", {"k": 1, "kk": 1}, TypeError, "Unknown option `kk`; got 1"),
    ],
)
def test_faults_are_named_at_once(name, options, error, message):
    with pytest.raises(error, match=message):
        at_k.scorer(name, **options)


def test_a_column_that_is_not_there():
    with pytest.raises(
        ValueError, match="`predictions` must be a column of the batch, whose columns are samples, answer"
    ):
        at_k.scorer("pass_at_k", k=1)({"samples": [["a"]], "answer": ["a"]})
    with pytest.raises(
        ValueError, match=r"`references` or `grades` must be a column of the batch, whose columns are predictions"
    ):
        at_k.scorer("pass_at_k", k=1)({"predictions": [[1, 0]]})


def test_a_row_that_is_not_a_batch():
    with pytest.raises(TypeError, match=r"`predictions` must be a batch .* batched=True"):
        at_k.scorer("pass_at_k", k=1)({"predictions": ["a", "b"], "references": "a"})


def test_a_scorer_of_another_version_has_another_hash(monkeypatch):
    """`Dataset.map` takes numbers from its cache by this hash."""
    made = [at_k.scorer("pass_at_k", k=2), at_k.scorer("pass_at_k", k=2)]
    assert Hasher.hash(made[0]) == Hasher.hash(made[1])
    monkeypatch.setattr(at_k, "__version__", "0.0.0")
    others = [at_k.scorer("pass_at_k", k=2)]
    monkeypatch.undo()
    others += [at_k.scorer("pass_at_k", k=3), at_k.scorer("pass_at_k", "graded", k=2), at_k.scorer("gpassk", k=2)]
    others += [
        at_k.scorer("pass_at_k", k=2, columns={"predictions": "x"}),
        at_k.scorer("pass_at_k", k=2, threshold=0.1),
    ]
    assert len({Hasher.hash(each) for each in [made[0], *others]}) == 1 + len(others)


@pytest.mark.parametrize("style", [None, "numpy", "pandas", "arrow", "polars"])
def test_batches_in_any_format(style, tmp_path):
    score = at_k.scorer("cons_at_k", k=[1, 3])
    dataset = Dataset.from_dict(ROWS)
    whole = score(ROWS)
    assert score(dataset.with_format(style)[:]) == whole
    if style != "polars":  # what `map` gives to a function is the same
        scored = dataset.with_format(style).map(score, batched=True, batch_size=3, load_from_cache_file=False)
        assert {key: scored.with_format(None)[key][:] for key in whole} == whole


def test_grades_beside_answers():
    graded = ROWS | {"grades": [[1, 0, 1, 1], [0, 1, 1, 0], [1] * 5, [0] * 4]}
    expected = at_k.scorer("cons_at_k", k=[1, 3])(graded | {"references": ["a", "c", "b", "e"]})
    del graded["references"]
    assert at_k.scorer("cons_at_k", k=[1, 3])(graded) == expected
    renamed = {"predictions": graded["predictions"], "right": graded["grades"]}
    assert at_k.scorer("cons_at_k", k=[1, 3], columns={"grades": "right"})(renamed) == expected
    with pytest.raises(ValueError, match="`wrong` must be a column of the batch"):
        at_k.scorer("cons_at_k", k=1, columns={"grades": "wrong"})(renamed)
    with pytest.raises(
        TypeError, match="`columns` must name columns out of predictions, references, grades, scores; got"
    ):
        at_k.scorer("cons_at_k", k=1, columns={"answers": "right"})


def test_a_column_that_can_be_read_once_loses_no_problem():
    score = at_k.scorer("pass_at_k", "graded", k=1)
    assert score({"predictions": iter([[1, 0], [1, 1], [0, 0]])}) == {"pass@1": [0.5, 1.0, 0.0]}


def test_an_empty_batch():
    with pytest.raises(ValueError, match="`predictions` must hold at least one problem; got none"):
        at_k.scorer("pass_at_k", "graded", k=1)({"predictions": []})

"""Folders with a file for each sample, or for each problem."""

import json

import pytest

from at_k.errors import InputError
from at_k.readers import read_samples

GRADES = {"p0": [1, 0], "p1": [0, 0], "p2": [1, 1]}


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return folder


def graded(samples):
    return dict(zip(samples.problems, samples.grades, strict=True))


SAMPLES = {
    f"{name}_{run}.json": {"id": name, "correct": g} for name, own in GRADES.items() for run, g in enumerate(own)
}
BY_FOLDER = {f"{name}/{run}.json": {"correct": g} for name, own in GRADES.items() for run, g in enumerate(own)}
BY_RUN = {f"run_{run}/{name}.json": {"correct": g} for name, own in GRADES.items() for run, g in enumerate(own)}
PROBLEMS = {f"{name}.json": {"correct": own} for name, own in GRADES.items()}
LINES = {
    f"{name}.jsonl": "".join(json.dumps({"id": name, "correct": g}) + "\n" for g in own) for name, own in GRADES.items()
}
NAMELESS = {f"{name}.jsonl": "".join(json.dumps({"correct": g}) + "\n" for g in own) for name, own in GRADES.items()}


@pytest.mark.parametrize(
    ("files", "columns"),
    [
        (SAMPLES, {}),
        (BY_FOLDER, {"problem": "folder"}),
        (BY_RUN, {"problem": "file"}),
        (PROBLEMS, {}),
        (LINES, {}),
        (NAMELESS, {"problem": "file"}),
    ],
    ids=["samples", "samples in folders", "runs in folders", "problems", "problems in lines", "lines without ids"],
)
def test_every_file_is_read(tmp_path, files, columns):
    samples = read_samples(write(tmp_path, files), columns=columns)
    assert graded(samples) == GRADES
    assert f"Read {len(files)} files" in str(samples.origin.notes[0])
    assert str(samples.place(1, 0)).startswith(str(tmp_path))


def test_what_names_the_problem_is_asked_for(tmp_path):
    with pytest.raises(InputError, match=r"`columns=\{\"problem\": \"folder\"\}`"):
        read_samples(write(tmp_path, BY_FOLDER))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"id": "p1", "correct": 7}, "got 7"),
        ('{"id": "p1", "corr', "not valid JSON"),
        ('{"id": "p1", "correct": 1, "correct": 0}', "more than once"),
    ],
)
def test_a_file_that_is_broken_is_named(tmp_path, broken, said):
    write(tmp_path, SAMPLES | {"p1_1.json": broken})
    files = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=said) as caught:
        read_samples(files)
    assert str(tmp_path / "p1_1.json") in str(caught.value)
    assert not isinstance(broken, dict) or "line" not in str(caught.value)


def test_a_file_of_a_folder_that_cannot_be_read_is_noted(tmp_path):
    write(tmp_path, SAMPLES | {"p1_1.json": '{"id": "p1", "corr'})
    samples = read_samples(tmp_path)
    assert graded(samples) == GRADES | {"p1": [0]}
    assert "could not be read and were left out: 1 of 6, such as" in str(samples.origin.notes[-1])


def test_two_models_are_not_pooled(tmp_path):
    files = {f"{model}/{name}": text for model in ("llama", "qwen") for name, text in SAMPLES.items()}
    with pytest.raises(InputError, match="may be of two models"):
        read_samples(write(tmp_path, files))
    assert graded(read_samples(tmp_path, pool="file"))["p0"] == [1, 0, 1, 0]
    named = {f"{i}.json": {"id": "p", "model": "ab"[i], "correct": i} for i in range(2)}
    with pytest.raises(InputError, match="“model” has several values"):
        read_samples(write(tmp_path / "named", named))


def test_many_files_of_lines_are_read_as_one(tmp_path):
    files = {f"run_{i}.jsonl": json.dumps({"id": f"p{i % 35}", "correct": i < 35}) for i in range(70)}
    samples = read_samples(write(tmp_path, files))
    assert {tuple(sorted(own)) for own in samples.grades} == {(0, 1)}
    assert len(samples.problems) == 35


def test_documents_that_list_rows_are_files_of_their_own(tmp_path):
    for run in (0, 1):
        rows = [{"id": i, "correct": (i + run) % 2} for i in range(4)]
        (tmp_path / f"run_{run}.json").write_text(json.dumps(rows))
    assert {name: sorted(own) for name, own in graded(read_samples(tmp_path)).items()} == {
        each: [0, 1] for each in "0123"
    }

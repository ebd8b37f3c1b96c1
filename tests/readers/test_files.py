"""Names that a user gives and the files that are read: paths, folders of small files, and files without tables."""

import json
import os
from pathlib import Path

import pytest
from cases import for_each

from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.paths import find_files, is_paths, name_models


@pytest.fixture
def folder(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.csv", "inner/d.jsonl", ".hidden", ".git/e.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    (tmp_path / "empty").mkdir()
    return tmp_path


def names(found, folder):
    files, named = found
    return [file.relative_to(folder).as_posix() for file in files], named


ALL = ["a.jsonl", "b.jsonl", "c.csv", "inner/d.jsonl"]
# name: (paths below the folder, the files that are found, whether they were named)
PATHS = {
    "files that are named keep their order": (["c.csv", "a.jsonl"], ["c.csv", "a.jsonl"], True),
    "a file": ("a.jsonl", ["a.jsonl"], True),
    "a file that is named twice": (["a.jsonl", "a.jsonl"], ["a.jsonl"], True),
    "a file that is named in two ways": (["a.jsonl", "inner/../a.jsonl"], ["a.jsonl"], True),
    "a folder with its folders, without hidden files": ("", ALL, False),
    "a pattern": ("*.jsonl", ["a.jsonl", "b.jsonl"], False),
    "a pattern of folders": ("**/*.jsonl", ["a.jsonl", "b.jsonl", "inner/d.jsonl"], False),
    "a file whose name is a pattern": ("[1].csv", ["[1].csv"], True),
}


@pytest.mark.parametrize("case", PATHS)
def test_files_of_paths(folder, case):
    paths, files, named = PATHS[case]
    if paths == "[1].csv":
        (folder / paths).write_text("x")
    given = [folder / each for each in paths] if isinstance(paths, list) else f"{folder}/{paths}"
    own, is_named = names(find_files(given), folder)
    assert (sorted(own) if "**" in paths else own, is_named) == (files, named)


@pytest.mark.parametrize("paths", [[], "", [""], ["a.jsonl", ""]])
def test_no_path_is_not_the_folder_of_the_caller(folder, monkeypatch, paths):
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as caught:
        find_files(paths)
    assert caught.value.code == "paths.none"


def test_absent_files_are_refused(folder):
    for path, said in (("nowhere", "There is no file"), ("*.eval", "No file matches")):
        with pytest.raises(FileNotFoundError, match=said):
            find_files(os.fspath(folder / path))
    with pytest.raises(InputError) as caught:
        find_files(folder / "empty")
    assert caught.value.code == "paths.empty"


@for_each(
    "data, are",
    [("a", True), (Path("a"), True), (["a", Path("b")], True), ([], False), ([["a"]], False), ({"a": 1}, False)],
)
def test_paths_are_told_from_data(data, are):
    assert is_paths(data) is are


def test_a_link_to_a_file_that_is_read_is_not_read_again(folder):
    (folder / "latest.jsonl").symlink_to(folder / "b.jsonl")
    assert len(find_files(f"{folder}/*.jsonl")[0]) == 2
    assert len(find_files(folder)[0]) == 4


def test_links_to_folders_are_not_followed(folder):
    (folder / "self").symlink_to(".")
    (folder / "inner" / "up").symlink_to("..")
    assert names(find_files(folder), folder) == (ALL, False)
    assert names(find_files(folder / "inner" / "up" / "inner"), folder)[1] is False


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, lambda path: path.symlink_to("nowhere"), lambda path: path.symlink_to(path.name)],
    ids=["pipe", "dangling link", "link to itself"],
)
def test_a_folder_with_what_cannot_be_read(folder, make):
    make(folder / "notes")  # not named as results: passed over
    assert folder / "notes" not in find_files(folder)[0]
    make(folder / "x.jsonl")
    with pytest.raises(InputError, match=r"x\.jsonl is not a file, but a link to nothing, a pipe or a socket"):
        find_files(folder)


@for_each("wrong", [None, 3, [1], {"a.csv": 1}])
def test_other_types_are_no_paths(wrong):
    with pytest.raises(TypeError, match="`path` must be the path of a file, or a list of paths; got "):
        find_files(wrong)


def test_names_tell_models_apart():
    assert name_models(["x/a.jsonl", "x/b.jsonl"]) == ["a.jsonl", "b.jsonl"]
    assert name_models(["/x/1/r.json", "/x/2/r.json"]) == ["1/r.json", "2/r.json"]
    assert name_models(["/x/r.json", "r.json"]) == ["/x/r.json", "r.json"]
    assert name_models(["x/a", "x/a", "x/b"]) == ["x/a (1)", "x/a (2)", "x/b (3)"]
    assert name_models(["a.jsonl", "./a.jsonl"]) == ["a.jsonl", "./a.jsonl"]


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


def test_files_without_ids_need_a_column_for_the_problem(tmp_path):
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

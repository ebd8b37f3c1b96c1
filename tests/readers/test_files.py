"""Names that a user gives and the files that are read: paths, folders of small files, and files without tables."""

import os
from pathlib import Path

import pytest
from cases import for_each
from readers.reading import Json, found, over, put, refused

from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.files.paths import find_files, is_paths, name_models


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
    [
        ("a", True),
        (Path("a"), True),
        (["a", Path("b")], True),
        ([], False),
        ([["a"]], False),
        ({"a": 1}, False),
    ],
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
    with pytest.raises(
        InputError, match=r"x\.jsonl is not a file, but a link to nothing, a pipe or a socket"
    ):
        find_files(folder)


@for_each("wrong", [None, 3, [1], {"a.csv": 1}])
def test_other_types_are_no_paths(wrong):
    with pytest.raises(
        TypeError, match="`path` must be the path of a file, or a list of paths; got "
    ):
        find_files(wrong)


def test_names_tell_models_apart():
    assert name_models(["/x/r.json", "r.json"]) == ["x/r.json", "r.json"]
    assert name_models(["x/a", "x/a", "x/b"]) == ["x/a (1)", "x/a (2)", "x/b (3)"]
    assert name_models(["a.jsonl", "./a.jsonl"]) == ["a.jsonl (1)", "./a.jsonl (2)"]


GRADES = {"p0": [1, 0], "p1": [0, 0], "p2": [1, 1]}
RUNS = [(name, run, grade) for name, grades in GRADES.items() for run, grade in enumerate(grades)]
SAMPLES = {f"{name}_{run}.json": Json({"id": name, "correct": grade}) for name, run, grade in RUNS}
BY_FOLDER = {f"{name}/{run}.json": Json({"correct": grade}) for name, run, grade in RUNS}
FOLDER, FILE = {"columns": {"problem": "folder"}}, {"columns": {"problem": "file"}}
MODELS = {f"{model}/{name}": each for model in ("llama", "qwen") for name, each in SAMPLES.items()}
CUT = SAMPLES | {"p1_1.json": b'{"id": "p1", "corr'}
LISTS = {
    f"run_{run}.json": Json([{"id": i, "correct": (i + run) % 2} for i in range(4)])
    for run in (0, 1)
}

test_folders = over(
    {
        "samples": (SAMPLES, found(GRADES, notes=["note.bundle"])),
        "samples in folders": (
            BY_FOLDER,
            refused("standard.no_problem"),
            (FOLDER, found(GRADES, notes=["note.bundle"])),
        ),
        "runs in folders": (
            {f"run_{run}/{name}.json": Json({"correct": grade}) for name, run, grade in RUNS},
            ...,
            (FILE, found(GRADES)),
        ),
        "problems": (
            {f"{name}.json": Json({"correct": grades}) for name, grades in GRADES.items()},
            found(GRADES),
        ),
        "problems in lines": (
            {
                f"{name}.jsonl": [{"id": name, "correct": each} for each in grades]
                for name, grades in GRADES.items()
            },
            found(GRADES),
        ),
        "lines without ids": (
            {
                f"{name}.jsonl": [{"correct": each} for each in grades]
                for name, grades in GRADES.items()
            },
            ...,
            (FILE, found(GRADES)),
        ),
        "a file that cannot be read": (
            CUT,
            found(GRADES | {"p1": [0]}, notes=["note.bundle", "note.broken_files"]),
        ),
        "files of two models by their names": (
            MODELS,
            refused("merging.names"),
            (
                {"pool": "file"},
                found({name: [*grades, *grades] for name, grades in GRADES.items()}),
            ),
        ),
        "files of two models": (
            {f"{i}.json": Json({"id": "p", "model": "ab"[i], "correct": i}) for i in range(2)},
            refused("models.settings"),
        ),
        "many files of lines": (
            {f"run_{i:02}.jsonl": [{"id": f"p{i % 35}", "correct": i < 35}] for i in range(70)},
            found([[1, 0]] * 35),
        ),
        "many files, a problem each": (
            {
                f"p{i}.jsonl": [{"id": f"p{i}", "correct": i < 35}, {"id": f"p{i}", "correct": 1}]
                for i in range(70)
            },
            found(n=[2] * 70),
        ),
        "a run that did not end": (
            {
                f"run_{run}.jsonl": [{"id": name, "correct": 1} for name in names]
                for run, names in ((0, "abc"), (1, "ab"), (10, "abc"))
            },
            refused("merging.problems"),
            ({"pool": "file"}, found({"a": [1] * 3, "b": [1] * 3, "c": [1] * 2})),
        ),
        **{
            f"ids that look the same: {name}": (
                {
                    "run_0.csv": f"id,correct\n{name},1\n".encode(),
                    "run_1.csv": f"id,correct\n{other},0\n".encode(),
                },
                refused("samples.white_space"),
                ({"concat": True}, found({name: [1], other: [0]})),
            )
            for name, other in {"1": "1.0", "p0": "P0"}.items()
        },
        "documents that list rows": (
            LISTS,
            found({str(i): [i % 2, (i + 1) % 2] for i in range(4)}),
        ),
    }
)


def test_files_are_counted_and_named(tmp_path):
    samples = read_samples(put(tmp_path, SAMPLES))
    assert "Read 6 files" in str(samples.origin.notes[0])
    assert str(samples.place(1, 0)).startswith(str(tmp_path))


@for_each("broken, code", [(Json({"id": "p1", "correct": 7}), "cells.grade"),
                           (b'{"id": "p1", "corr', "decoding.broken"),
                           (b'{"id": "p1", "correct": 1, "correct": 0}', "decoding.repeated_name")])  # fmt: skip
def test_a_file_that_is_broken_is_named(tmp_path, broken, code):
    put(tmp_path, SAMPLES | {"p1_1.json": broken})
    with pytest.raises(InputError) as caught:
        read_samples(sorted(tmp_path.iterdir()))
    assert caught.value.code == code
    assert str(tmp_path / "p1_1.json") in str(caught.value)
    assert not isinstance(broken, Json) or "line" not in str(caught.value)

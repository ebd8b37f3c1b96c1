"""Files that are named one by one, by a folder, or by a glob."""

import os
from pathlib import Path

import pytest
from cases import for_each

from at_k.errors import InputError
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


@pytest.mark.parametrize("paths", [[], "", [""], ["a.jsonl", ""]])
def test_no_path_is_not_the_folder_of_the_caller(folder, monkeypatch, paths):
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as caught:
        find_files(paths)
    assert caught.value.code == "paths.none"


def test_files_that_are_named_keep_their_order(folder):
    assert names(find_files([folder / "c.csv", str(folder / "a.jsonl")]), folder) == (["c.csv", "a.jsonl"], True)
    assert names(find_files(folder / "a.jsonl"), folder) == (["a.jsonl"], True)


def test_a_file_that_is_named_twice_is_read_once(folder):
    assert names(find_files([folder / "a.jsonl", folder / "a.jsonl"]), folder) == (["a.jsonl"], True)


def test_a_folder_is_read_with_its_folders_but_not_what_is_hidden(folder):
    assert names(find_files(folder), folder) == (["a.jsonl", "b.jsonl", "c.csv", "inner/d.jsonl"], False)


def test_a_glob(folder):
    assert names(find_files(f"{folder}/*.jsonl"), folder) == (["a.jsonl", "b.jsonl"], False)
    found, named = names(find_files(f"{folder}/**/*.jsonl"), folder)
    assert (sorted(found), named) == (["a.jsonl", "b.jsonl", "inner/d.jsonl"], False)


def test_a_file_whose_name_is_a_pattern_is_that_file(folder):
    (folder / "[1].csv").write_text("x")
    assert names(find_files(folder / "[1].csv"), folder) == (["[1].csv"], True)


def test_what_is_not_there(folder):
    for path, said in (("nowhere", "There is no file"), ("*.eval", "No file matches")):
        with pytest.raises(FileNotFoundError, match=said):
            find_files(os.fspath(folder / path))
    with pytest.raises(InputError) as caught:
        find_files(folder / "empty")
    assert caught.value.code == "paths.empty"
    with pytest.raises(InputError) as caught:
        find_files([])
    assert caught.value.code == "paths.none"


@for_each(
    "data, are",
    [("a", True), (Path("a"), True), (["a", Path("b")], True), ([], False), ([["a"]], False), ({"a": 1}, False)],
)
def test_paths_are_told_from_data(data, are):
    assert is_paths(data) is are


def test_a_file_that_is_named_in_two_ways_is_read_once(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert find_files(["a.jsonl", folder / "a.jsonl", "inner/../a.jsonl"]) == ([Path("a.jsonl")], True)


def test_a_link_to_a_file_that_is_read_is_not_read_again(folder):
    (folder / "latest.jsonl").symlink_to(folder / "b.jsonl")
    assert len(find_files(f"{folder}/*.jsonl")[0]) == 2
    assert len(find_files(folder)[0]) == 4


def test_links_to_folders_are_not_followed(folder):
    (folder / "self").symlink_to(".")
    (folder / "inner" / "up").symlink_to("..")
    assert names(find_files(folder), folder) == (["a.jsonl", "b.jsonl", "c.csv", "inner/d.jsonl"], False)
    assert names(find_files(folder / "inner" / "up" / "inner"), folder)[1] is False


@for_each("wrong", [None, 3, [1], {"a.csv": 1}])
def test_what_is_no_path(wrong):
    with pytest.raises(TypeError, match="`path` must be the path of a file, or a list of paths; got "):
        find_files(wrong)


def test_names_tell_models_apart():
    assert name_models(["x/a.jsonl", "x/b.jsonl"]) == ["a.jsonl", "b.jsonl"]
    assert name_models(["/x/1/r.json", "/x/2/r.json"]) == ["1/r.json", "2/r.json"]
    assert name_models(["/x/r.json", "r.json"]) == ["/x/r.json", "r.json"]
    assert name_models(["x/a", "x/a", "x/b"]) == ["x/a (1)", "x/a (2)", "x/b (3)"]
    assert name_models(["a.jsonl", "./a.jsonl"]) == ["a.jsonl", "./a.jsonl"]

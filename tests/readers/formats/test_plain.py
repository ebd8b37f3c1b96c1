"""A table is what is left when no harness wrote a file: roles are guessed or named, and the rows of one model kept."""

import json

import pytest
from cases import for_each
from readers.texts import collect, refuse

from at_k.errors import InputError
from at_k.readers.format import Reading
from at_k.readers.formats import FORMATS, find_format
from at_k.readers.formats.plain import FORMAT
from at_k.readers.sources import Source

MODELS = "model,id,level,correct\na,1,x,1\na,1,x,0\nb,1,x,1\nb,2,y,0\nb,2,y,2\n"


def test_a_table_is_the_last_format():
    assert list(FORMATS.values())[-1] is FORMAT
    assert find_format(Source("", b"id,correct\n1,1\n")) is FORMAT


def test_it_is_read():
    found = FORMAT.read(Source("", b"qid,right\na,1\na,0\n"), Reading(columns={"problem": "qid", "grades": "right"}))
    assert (found.problems, found.grades) == (["a"], [[1.0, 0.0]])


def listed(samples):
    return {role: samples.listed(role) for role in samples.columns()}


def test_roles_are_guessed_and_named():
    found = collect('{"id": 1, "right": [1, 0], "level": "x"}', columns={"grades": "right", "group": None})
    assert (found.problems, found.grades, found.group) == (["1"], [[1, 0]], None)
    assert found.roles["problem"] == "id"


def test_several_models_are_refused():
    refuse(MODELS.replace("y,2\n", "y,1\n"), "models.settings")


def test_one_model_is_chosen():
    found = collect(MODELS, where={"model": "a"})
    assert listed(found) == {"problem": ["1"], "grades": [[1, 0]], "group": ["x"]}


def test_rows_are_counted_in_the_file():
    with pytest.raises(InputError, match="row 5, column “correct”"):
        collect(MODELS, where={"model": "b"})
    rows = MODELS.replace("y,2\n", "y,\n")
    found = collect(rows, where={"model": "b"})
    assert str(found.place(1, 1)) == "row 5, column “correct”"
    lists = [{"model": name, "correct": [1, None]} for name in "ab"]
    found = collect(json.dumps(lists), where={"model": "b"})
    assert found.problems == ["2"]
    assert str(found.place(0, 1)) == "row 2, column “correct”, sample 2"


def test_models_are_pooled():
    text = MODELS.replace("y,2\n", "y,1\n")
    assert collect(text, pool="model").grades == [[1, 0, 1], [0, 1]]


def test_a_model_may_be_the_group():
    text = "model,id,correct\na,1,1\na,1,0\nb,2,1\nb,2,1\n"
    assert collect(text, columns={"group": "model"}).group == ["a", "b"]


@for_each("columns", [7, ["id"], "id"])
def test_another_kind_of_columns_is_refused(columns):
    with pytest.raises(TypeError, match="`columns` must map roles to columns"):
        collect(MODELS, columns=columns)


def test_the_standard_columns_can_be_read_again():
    text = '{"id": "p", "pred": ["a", null], "target": "a", "correct": [1, 0.5], "score": [2, 1], "level": 3}'
    columns = listed(collect(text))
    assert list(columns) == ["problem", "answers", "references", "grades", "scores", "group"]
    assert listed(collect(json.dumps(columns))) == columns


class TestNumbersOfSamples:
    @for_each("name", ["sample", "epoch", "trial", "repeat", "seed", "sample_id", "Sample Index"])
    def test_the_same_twice_is_refused(self, name):
        text = f"id,{name},correct\na,0,1\na,1,0\nb,0,1\nb,0,1\n"
        said = refuse(text, "collector.repeated")
        assert said.startswith(f"Sample 0 of problem “b” is there twice: row 3 and row 4, column “{name}”.")
        found = collect(text, errors="skip")
        assert found.grades == [[1, 0], [1]]
        assert [(cause.code, count) for cause, count in found.origin.skipped.items()] == [("collector.repeated", 1)]

    def test_together_they_number_the_samples(self):
        text = "id,epoch,sample,correct\na,0,0,1\na,0,1,0\na,1,0,1\n"
        assert collect(text).numbers[0] == [(0, 0), (0, 1), (1, 0)]
        refuse(text + "a,1,0,1\n", "collector.repeated")

    def test_one_seed_for_all_is_no_number(self):
        assert collect("id,seed,correct\na,42,1\na,42,0\n").grades == [[1, 0]]

    def test_they_may_begin_anew_for_each_model(self):
        text = "model,id,sample,correct\nx,a,0,1\ny,a,0,0\n"
        assert collect(text, pool="model").grades == [[1, 0]]

    def test_texts_are_no_numbers(self):
        assert collect("id,sample,correct\na,so 4,1\na,so 4,0\n").grades == [[1, 0]]


class TestSeveralSets:
    TEXT = "dataset,id,correct\nx,1,1\nx,2,0\ny,1,0\ny,3,1\n"

    def test_equal_names_are_refused(self):
        said = refuse(self.TEXT, "models.settings")
        assert "“x”, “y”" in said
        assert 'where={"dataset": "x"}' in said
        assert 'pool="dataset"' in said

    def test_what_the_sentence_says_works(self):
        assert collect(self.TEXT, where={"dataset": "x"}).grades == [[1], [0]]
        assert collect(self.TEXT, pool="dataset").grades == [[1, 0], [0], [1]]

    @for_each("name", ["benchmark", "task", "subset", "data_source"])
    def test_names(self, name):
        refuse(self.TEXT.replace("dataset", name), "models.settings")

    def test_rows_without_a_name_are_a_set_of_their_own(self):
        said = refuse("dataset,id,correct\n,1,1\ny,1,0\n", "models.settings")
        assert "“y”, null" in said
        assert collect("dataset,id,correct\n,1,1\ny,2,0\n").grades == [[1], [0]]

    def test_different_names_are_no_matter(self):
        assert collect(self.TEXT.replace("y,1", "y,4")).grades == [[1], [0], [0], [1]]


def test_verdicts_that_cannot_be_read_are_noted():
    text = "id,answer,target,correct\n1,a,a,good\n1,b,a,bad\n"
    (note,) = collect(text).origin.notes
    assert str(note).startswith("Column “correct” was not used: “good” is no verdict.")
    assert collect(text.replace("good", "yes").replace("bad", "no")).grades == [[1, 0]]
    assert collect(text, columns={"grades": None}).origin.notes == []
    refuse("id,correct\n1,good\n1,bad\n", "cells.word")


def test_a_number_and_a_text_that_are_spelled_alike_are_refused():
    said = refuse('[{"id": 1, "correct": 1}, {"id": "1", "correct": 0}]', "collector.same_name")
    assert "row 1 (row 2, column “id”)" in said


def test_what_is_broken_is_left_out_and_counted():
    rows = [
        {"id": "a", "correct": 1, "target": "x"},
        {"id": None, "correct": 1, "target": "x"},
        {"id": "a", "correct": "maybe", "target": "x"},
        {"id": "a", "correct": 0, "target": "y"},
        {"id": "a", "correct": 0.5, "target": "x"},
        {"id": "b", "correct": 7, "target": "x"},
        {"id": "c", "correct": 7, "target": None},
    ]
    found = collect(json.dumps(rows), errors="skip")
    assert (found.problems, found.grades, found.references) == (["a"], [[1, 0.5]], [["x"]])
    assert list(map(list, found.rows)) == [[1, 5]]
    assert {cause.code: count for cause, count in found.origin.skipped.items()} == {
        "cells.problem": 1, "cells.points": 1, "cells.word": 1, "cells.reference": 1, "collector.differs": 1,
    }  # fmt: skip


def test_samples_in_lists_are_left_out_one_by_one():
    rows = [
        {"id": "a", "answers": ["x", True, None], "correct": [1, 0, 1], "score": [1, 2, "high"]},
        {"id": "b", "answers": ["x"], "correct": [1, 0], "score": [1]},
        {"id": "c", "answers": [], "correct": [], "score": []},
        {"id": "a", "answers": ["x"], "correct": [1], "score": [1]},
        {"id": "d", "answers": ["x", "y"], "correct": [9, 0], "score": [1, 2]},
    ]
    found = collect(json.dumps(rows), errors="skip")
    assert (found.problems, found.grades) == (["a", "d"], [[1], [0]])
    assert (found.answers, found.scores) == ([["x"], ["y"]], [[1], [2]])
    assert sum(found.origin.skipped.values()) == 6


def test_nothing_left_is_an_error():
    assert "all 2 rows" in refuse("id,correct\n1,7\n2,8\n", "standard.nothing_left", errors="skip")


def test_lists_as_python_writes_them():
    text = "id\tanswers\tcorrect\n1\t['63', \"it's\"]\t[True, False]\n2\t['a\\n', None]\t[1.0, nan]\n"
    found = collect(text)
    assert found.answers == [["63", "it's"], ["a\n", None]]
    assert found.grades == [[1, 0], [1, None]]


@for_each("cell", ["['a'", "['a' 'b']", "[a]", "[__import__('os')]", "[(1)]", "[1 2]", "['a',,'b']", "[1_000j]"])
def test_what_is_no_list_of_python_is_text(cell):
    assert collect(f"id\tanswer\tcorrect\n1\t{cell}\t1\n").answers == [[cell]]


@for_each("cell", ["[" * 100_000, "[" * 100_000 + "]" * 100_000])
def test_lists_in_lists_are_refused(cell):
    refuse(f"id\tanswer\tcorrect\n1\t{cell}\t1\n", "decoding.deep")


@for_each("cell", ["['" + "a" * 1_000_000, "[" + "''," * 300_000 + "x", "['" + "\\" * 1_000_000])
def test_hostile_lists_are_text(cell):
    assert collect(f"id\tanswer\tcorrect\n1\t{cell}\t1\n").answers == [[cell]]

"""A table is what is left when no harness wrote a file: roles are guessed or named, and the rows of one model kept."""

import json

import pytest
from cases import for_each
from readers.reading import Json, found, over, refused
from readers.texts import collect

from at_k.readers.files.sources import Source
from at_k.readers.formats import FORMATS, find_format

MODELS = b"model,id,level,correct\na,1,x,1\na,1,x,0\nb,1,x,1\nb,2,y,0\nb,2,y,"
SETS = b"dataset,id,correct\nx,1,1\nx,2,0\ny,1,0\ny,3,1\n"
WORDS = b"id,answer,target,correct\n1,a,a,good\n1,b,a,bad\n"
GROUPS = b"model,id,correct\na,1,1\na,1,0\nb,2,1\nb,2,1\n"
BROKEN = [
    {"id": "a", "correct": 1, "target": "x"},
    {"id": None, "correct": 1, "target": "x"},
    {"id": "a", "correct": "maybe", "target": "x"},
    {"id": "a", "correct": 0, "target": "y"},
    {"id": "a", "correct": 0.5, "target": "x"},
    {"id": "b", "correct": 7, "target": "x"},
    {"id": "c", "correct": 1, "target": None},
]
CAUSES = dict.fromkeys(
    ("cells.problem", "cells.grade", "cells.word", "cells.reference", "collector.differs"), 1
)
LISTS = [
    {"id": "a", "answers": ["x", True, None], "correct": [1, 0, 1], "score": [1, 2, "high"]},
    {"id": "b", "answers": ["x"], "correct": [1, 0], "score": [1]},
    {"id": "c", "answers": [], "correct": [], "score": []},
    {"id": "a", "answers": ["x"], "correct": [1], "score": [1]},
    {"id": "d", "answers": ["x", "y"], "correct": [9, 0], "score": [1, 2]},
]
LEFT = {
    "standard.lengths": 1,
    "collector.no_samples": 1,
    "collector.same_problem": 1,
    "cells.answer": 1,
}
LEFT |= {"cells.score": 1, "cells.grade": 1}


def twice(name):
    """Make a table that numbers its samples, and one of them twice."""
    data = f"id,{name},correct\na,0,1\na,1,0\nb,0,1\nb,0,1\n".encode()
    places = {"number": "0", "name": "“b”", "first": "line 4", "place": f"line 5, column “{name}”"}
    left = found([[1, 0], [1]], skipped={"collector.repeated": 1})
    return (data, refused("collector.repeated", **places), ({"errors": "skip"}, left))


def sets(name):
    return (SETS.replace(b"dataset", name.encode()), refused("models.settings", values="“x”, “y”"))


def text(cell):
    """Make a cell that is no list of Python."""
    return (f"id\tanswer\tcorrect\n1\t{cell}\t1\n".encode(), found(answers=[[cell]]))


test_plain = over(
    {
        "roles are named": (
            b"qid,right\na,1\na,0\n",
            refused("plain.unknown"),
            ({"columns": {"problem": "qid", "grades": "right"}}, found({"a": [1, 0]})),
        ),
        "no column for a role": (
            b'{"id": 1, "right": [1, 0], "level": "x"}',
            refused("plain.unknown"),
            (
                {"columns": {"grades": "right", "group": None}},
                found({"1": [1, 0]}, group=None, roles={"problem": "id"}),
            ),
        ),
        "several models": (
            MODELS + b"1\n",
            refused("models.settings", values="“a”, “b”"),
            ({"where": {"model": "a"}}, found({"1": [1, 0]}, group=["x"])),
            ({"pool": "model"}, found([[1, 0, 1], [0, 1]])),
        ),
        # Rows are counted in the file.
        "a grade of 2": (
            MODELS + b"2\n",
            refused("cells.grade"),
            ({"where": {"model": "b"}}, refused("cells.grade", place="line 6, column “correct”")),
        ),
        "an empty cell": (
            MODELS + b"\n",
            refused("models.settings"),
            ({"where": {"model": "b"}}, found([[1], [0, None]], rows=[[3], [4, 5]])),
        ),
        "lists of two models": (
            Json([{"model": name, "correct": [1, None]} for name in "ab"]),
            refused("models.several"),
            ({"where": {"model": "b"}}, found({"2": [1, None]}, rows=[[2]])),
        ),
        "a model may be the group": (
            GROUPS,
            refused("models.settings"),
            ({"columns": {"group": "model"}}, found(group=["a", "b"])),
        ),
        **{
            f"a number twice: {name}": twice(name)
            for name in ("sample", "epoch", "trial", "repeat", "seed", "sample_id", "Sample Index")
        },
        "two columns number together": (
            b"id,epoch,sample,correct\na,0,0,1\na,0,1,0\na,1,0,1\n",
            found(numbers=[[(0, 0), (0, 1), (1, 0)]]),
        ),
        "two numbers twice": (
            b"id,epoch,sample,correct\na,0,0,1\na,0,1,0\na,0,1,1\n",
            refused("collector.repeated"),
        ),
        "one seed for all is no number": (b"id,seed,correct\na,42,1\na,42,0\n", found([[1, 0]])),
        "numbers may begin anew for each model": (
            b"model,id,sample,correct\nx,a,0,1\ny,a,0,0\n",
            refused("models.settings"),
            ({"pool": "model"}, found([[1, 0]])),
        ),
        "texts are no numbers": (b"id,sample,correct\na,so 4,1\na,so 4,0\n", found([[1, 0]])),
        "several sets": (
            SETS,
            refused("models.settings", where='`where={"dataset": "x"}`', pool='`pool="dataset"`'),
            ({"where": {"dataset": "x"}}, found([[1], [0]])),
            ({"pool": "dataset"}, found([[1, 0], [0], [1]])),
        ),
        **{
            f"several sets: {name}": sets(name)
            for name in ("benchmark", "task", "subset", "data_source")
        },
        "rows without a set": (
            b"dataset,id,correct\n,1,1\ny,1,0\n",
            refused("models.settings", values="“y”, null"),
        ),
        "rows without a set, of other names": (
            b"dataset,id,correct\n,1,1\ny,2,0\n",
            found([[1], [0]]),
        ),
        "sets of other names": (SETS.replace(b"y,1", b"y,4"), found([[1], [0], [0], [1]])),
        "verdicts that cannot be read": (
            WORDS,
            found(notes=["note.unread_verdicts"]),
            ({"columns": {"grades": None}}, found(notes=[])),
        ),
        "verdicts in words": (
            WORDS.replace(b"good", b"yes").replace(b"bad", b"no"),
            found([[1, 0]], notes=[]),
        ),
        "verdicts alone that cannot be read": (
            b"id,correct\n1,good\n1,bad\n",
            refused("cells.word"),
        ),
        "a number and a text of one spelling": (
            Json([{"id": 1, "correct": 1}, {"id": "1", "correct": 0}]),
            refused("collector.same_name", first="row 1", place="row 2, column “id”"),
        ),
        "broken rows": (
            Json(BROKEN),
            refused("cells.problem"),
            (
                {"errors": "skip"},
                found({"a": [1, 0.5]}, references=[["x"]], rows=[[1, 5]], skipped=CAUSES),
            ),
        ),
        "broken samples in lists": (
            Json(LISTS),
            refused("cells.answer"),
            (
                {"errors": "skip"},
                found(
                    {"a": [1], "d": [0]}, answers=[["x"], ["y"]], scores=[[1], [2]], skipped=LEFT
                ),
            ),
        ),
        "nothing is left": (
            b"id,correct\n1,7\n2,8\n",
            refused("cells.grade"),
            ({"errors": "skip"}, refused("standard.nothing_left", count="2")),
        ),
        "lists as Python writes them": (
            b"id\tanswers\tcorrect\n1\t['63', \"it's\"]\t[True, False]\n2\t['a\\n', None]\t[1.0, nan]\n",
            found([[1, 0], [1, None]], answers=[["63", "it's"], ["a\n", None]]),
        ),
        **{
            f"no list of Python: {cell}": text(cell)
            for cell in (
                "['a'",
                "['a' 'b']",
                "[a]",
                "[__import__('os')]",
                "[(1)]",
                "[1 2]",
                "['a',,'b']",
                "[1_000j]",
            )
        },
        **{
            f"a hostile list: {cell[:5]}": text(cell)
            for cell in (
                "['" + "a" * 1_000_000,
                "[" + "''," * 100_000 + "x",
                "['" + "\\" * 1_000_000,
            )
        },
        **{
            f"lists in lists, {len(cell):,} characters": (
                f"id\tanswer\tcorrect\n1\t{cell}\t1\n".encode(),
                refused("decoding.deep"),
            )
            for cell in ("[" * 100_000, "[" * 100_000 + "]" * 100_000)
        },
    }
)


def test_a_table_is_the_last_format():
    assert [*FORMATS][-1] == find_format(Source("", b"id,correct\n1,1\n")).name == "plain"


@for_each("columns", [7, ["id"], "id"])
def test_another_kind_of_columns_is_refused(columns):
    with pytest.raises(TypeError, match="`columns` must map roles to columns"):
        collect("id,correct\n1,1\n", columns=columns)


def test_places_are_those_of_the_file():
    samples = collect((MODELS + b"\n").decode(), where={"model": "b"})
    assert str(samples.place(1, 1)) == "row 5, column “correct”"
    samples = collect(
        json.dumps([{"model": name, "correct": [1, None]} for name in "ab"]), where={"model": "b"}
    )
    assert str(samples.place(0, 1)) == "row 2, column “correct”, sample 2"


def test_the_standard_columns_can_be_read_again():
    samples = collect(
        '{"id": "p", "pred": ["a", null], "target": "a", "correct": [1, 0.5], "score": [2, 1], "level": 3}'
    )
    columns = {role: samples.listed(role) for role in samples.columns()}
    assert list(columns) == ["problem", "answers", "references", "grades", "scores", "group"]
    again = collect(json.dumps(columns))
    assert {role: again.listed(role) for role in again.columns()} == columns

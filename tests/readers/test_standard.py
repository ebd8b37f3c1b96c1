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
from at_k.readers.numbering import is_summary
from at_k.readers.samples import ROLES
from at_k.readers.tables.collector import Collector

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
NAN = float("nan")


def given_roles(**roles):
    return dict.fromkeys(ROLES) | roles


QWEN = {
    "problem": "idx",
    "answers": "answers",
    "references": "reference",
    "grades": "correct",
    "scores": "rm_score",
}


def test_an_example_has_its_values():
    text = (EXAMPLES / "qwen25_math.jsonl").read_text(encoding="utf-8")
    columns = {
        name: [row[name] for row in map(json.loads, text.splitlines())]
        for name in (*QWEN.values(), "level")
    }
    table, roles = read(text), given_roles(**QWEN, group="level")
    assert guess_roles(table) == roles
    samples = standardize(table, roles)
    assert samples.problems == list(map(str, columns["idx"]))
    assert samples.references == [[text] for text in columns["reference"]]
    assert (samples.answers, samples.grades) == (columns["answers"], columns["correct"])
    assert (samples.scores, samples.group) == (columns["rm_score"], columns["level"])
    assert not samples.per_sample
    assert samples.n_missing == sum(row.count(None) for row in columns["answers"])


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
        row | {name: row[name][i] for name in listed}
        for row in by_problem(data)
        for i in range(len(row[listed[0]]))
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


@st.composite
def data_sets(draw):
    texts = st.text(
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8
    ).filter(
        lambda text: (
            not text.lstrip().startswith("[")
        )  # a column in which all texts do holds lists, in CSV
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
    assert (found.roles, found.per_sample) == (NAMES, per_sample)
    assert found.n_missing == sum(grade is None for grade in chain(*data["grades"]))


SPELLED = {
    "true": 1, "FALSE": 0, "True": 1, "1": 1, " 0.25 ": 0.25, "1e-3": 0.001, "Yes": 1, "PASS": 1, "failed": 0,
    "": None, "NaN": None,
}  # fmt: skip
"""Grades as CSV spells them."""

NAMED = [
    {"id": name, "correct": grade}
    for name, grade in (("b", 1), ("a", 0), ("b", 0), ("c", 1), ("a", 1))
]
TYPES = [
    {"id": 1, "answers": [420, 0.5, "x", "", None], "reference": 420, "group": True},
    {"id": 2.5, "answers": [1e21], "reference": [1, "one"], "group": 3},
]
INTERVALS = (
    b'id,answers,reference\na,"[""[0,1]"", ""0""]","[0,1]"\nb,"[""x"", ""y""]","[""x"", ""z""]"\n'
)
HALF_JUDGED = {"id": 1, "answers": ["a", None, "b", None], "correct": [1, 0, None, None]}
ODD = {"id": 1, "correct": [1], "answers": "nonsense", "score": "nonsense", "level": None}
ONLY = dict.fromkeys(("answers", "scores", "group"))

test_samples = over(
    {
        "problems in order of first appearance": (
            Json(NAMED),
            found(
                {"b": [1, 0], "a": [0, 1], "c": [1]},
                problems=["b", "a", "c"],
                rows=[[1, 3], [2, 5], [4]],
            ),
        ),
        "problems without names": (b"[[1, 0], [0, 0, 1]]", found({"1": [1, 0], "2": [0, 0, 1]})),
        "numbers as JSON spells them": (
            Json(TYPES),
            found(
                problems=["1", "2.5"],
                answers=[["420", "0.5", "x", "", None], ["1e+21"]],
                references=[["420"], ["1", "one"]],
                group=["true", "3"],
            ),
        ),
        **{
            f"a grade in CSV: {written}": (
                f"id,correct\nx,1\nx,{written}\n".encode(),
                found([[1, grade]]),
            )
            for written, grade in SPELLED.items()
        },
        "grades": (
            b'{"id": 1, "correct": [true, false, 1, 0.5, null, NaN]}',
            found([[1, 0, 1, 0.5, None, None]], n_missing=2),
        ),
        "a sample that is judged is not missing": (Json([HALF_JUDGED]), found(n_missing=2)),
        "a cell that is not there is missing": (
            Json([{"id": 1, "correct": 1}, {"id": 1}]),
            found([[1, None]]),
        ),
        "an interval in every row is one reference": (
            INTERVALS,
            found(references=[["[0,1]"], ["x", "z"]]),
        ),
        "columns that are left out are not read": (
            Json([ODD]),
            found([[1]]),
            (
                {"columns": ONLY},
                found([[1]], answers=None, scores=None, group=None, references=None),
            ),
        ),
    }
)


ALL = {
    "problem": "id",
    "answers": "a",
    "references": "r",
    "grades": "g",
    "scores": "s",
    "group": "l",
}


def row(**cells):
    return {"id": 1, "a": ["x", "y"], "r": "x", "g": [1, 0], "s": [0.5, 0.25], "l": "easy"} | cells


def sample(**cells):
    return {"id": 1, "a": "x", "r": "x", "g": 1, "s": 0.5, "l": "easy"} | cells


BROKEN_LISTS = {
    "a grade above 1": ({"g": [1, 1.5]}, "cells.grade", ("g", 2), "1.5"),
    "a grade below 0": ({"g": [-1, 1]}, "cells.grade", ("g", 1), "-1"),
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

BROKEN_CELLS = {
    "a grade in words": ({"g": "maybe"}, "cells.word", ("g",), "“maybe”"),
    "another reference": ({"r": "y"}, "collector.differs", ("r",), "“y”"),
    "one more reference": ({"r": ["x", "y"]}, "collector.differs", ("r",), "“x”, “y”"),
    "another label": ({"l": "hard"}, "plain.groups", ("l",), "“hard”"),
    "a list": ({"g": [1]}, "standard.no_list", ("a",), "“x”"),
}


def refuse(table, roles, code, *said):
    with pytest.raises(InputError) as caught:
        standardize(table, roles)
    assert caught.value.code == code
    sentences = [translate(caught.value, language) for language in LANGUAGES]
    for sentence in sentences:
        assert all(str(words) in sentence for words in said)
    return sentences


@for_each(
    "make, cells, code, place, said",
    [
        (row, {"id": 2} | cells, code, place, said)
        for cells, code, place, *said in BROKEN_LISTS.values()
    ]
    + [(sample, cells, code, place, said) for cells, code, place, *said in BROKEN_CELLS.values()],
    ids=[*BROKEN_LISTS, *BROKEN_CELLS],
)
def test_a_broken_row_is_refused_with_its_place_in_both_languages(make, cells, code, place, said):
    english, chinese = refuse(read(json.dumps([make(), make(**cells)])), ALL, code, *said)
    number = 1 if make is sample and code == "standard.no_list" else 2
    column, *at = place
    assert f"row {number}, column “{column}”" + (f", sample {at[0]})" if at else ")") in english
    assert f"第 {number} 行，列 “{column}”" + (f"，第 {at[0]} 个样本）" if at else "）") in chinese


WIDE = json.dumps([{f"c{i}" * 30: 1 for i in range(200)}])
# name: (text, roles, or None for those that are guessed, code, words)
UNFIT = {
    "nothing to score": ("id,answer\n1,x\n", None, "plain.unknown", "“id”, “answer”"),
    "references alone": ("id,answer\n1,x\n", given_roles(problem="id", references="answer"), "plain.unknown"),
    "very many columns": (WIDE, given_roles(), "plain.unknown", "c9", ", …"),
    "no such column": (
        "id,correct\n1,1\n", given_roles(problem="id", grades="right"),
        "standard.no_column", "“right”", "“id”, “correct”",
    ),
    "no such role": (
        "id,correct\n1,1\n", {"verdicts": "correct"}, "standard.no_role", "“verdicts”", ", ".join(ROLES),
    ),
    "samples of no problem": ("sort,correct\na,1\na,0\nb,1\n", None, "standard.no_problem"),
}  # fmt: skip


@for_each("text, roles, code, said", [(*case[:3], case[3:]) for case in UNFIT.values()], ids=UNFIT)
def test_columns_that_are_no_samples_are_refused(text, roles, code, said):
    table = read(text)
    sentences = refuse(table, guess_roles(table) if roles is None else roles, code, *said)
    assert max(map(len, sentences)) < 800  # twelve names


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["true", "[0]", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2)
    ),
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
        return (
            found.table.to_pylist(),
            list(found.rows),
            found.numbers and list(found.numbers),
            found.per_sample,
        )

    def take_rows(collector, part):
        for place in range(len(part.rows)):
            collector._take_row(part.cut(place, place + 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Collector, "_take", take_rows)
        strict = outcome()
    assert outcome() == strict

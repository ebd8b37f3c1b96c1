"""Problems: columns that agree, joined in order, and copied when they are kept."""

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_array_equal

from at_k.problems import Problems

COLUMNS = {
    "answers": [["a", "b"], ["c", None, "a"]],
    "references": ["a", ["c", "d"]],
    "grades": [[1, 0.5], [0.25, None, 1]],
    "scores": [[1, 2], [3, 4, 5]],
}


def answers(problems):
    names = [*problems.answers.distinct, None]
    codes = problems.answers.codes
    return [[names[code] for code in row] for row in np.split(codes.values, codes.offsets[1:-1])]


def grades(problems):
    return np.concatenate([part.values for part in problems.grades])


def test_each_column_is_read_as_what_it_is():
    problems = Problems.read(**COLUMNS)
    assert answers(problems) == COLUMNS["answers"]
    assert problems.references == [("a",), ("c", "d")]
    assert_array_equal(grades(problems), [1, 0.5, 0.25, np.nan, 1])
    assert_array_equal(problems.scores.values, [1, 2, 3, 4, 5])
    assert_array_equal(problems.n, [2, 3])
    assert len(problems) == 2


@for_each("name", ["answers", "grades"])
def test_a_column_alone(name):
    problems = Problems.read(**{name: COLUMNS[name]})
    assert [each for each in COLUMNS if getattr(problems, each) is not None] == [name]
    assert_array_equal(problems.n, [2, 3])
    assert len(problems) == 2


def test_no_problems_at_all():
    for problems in (Problems(), Problems(grades=()), Problems.read(grades=[]), Problems.read(answers=[])):
        assert len(problems) == 0
        assert problems.n.tolist() == []
        assert problems.n.dtype == np.int64


@for_each(
    "changes, message",
    [
        ({"references": ["a"]}, "`answers` and `references` must have as many problems; got 2 and 1"),
        ({"grades": [[1, 0]]}, "`answers` and `grades` must have as many problems; got 2 and 1"),
        ({"grades": [[1, 0], [1]]}, "`answers` and `grades` must have as many samples .*; got 3 and 1 in problem 1"),
        ({"scores": [[1, 2]]}, "`answers` and `scores` must have as many problems; got 2 and 1"),
        ({"scores": [[1], [1, 2, 3]]}, "`answers` and `scores` must have as many samples .*; got 2 and 1 in problem 0"),
        ({"answers": None, "references": ["a"]}, "`grades` and `references` must have as many problems; got 2 and 1"),
        ({"answers": None, "scores": [[1, 2], [1]]}, "`grades` and `scores` must have as many samples .*; got 3 and 1"),
    ],
)
def test_columns_that_disagree(changes, message):
    with pytest.raises(ValueError, match=message):
        Problems.read(**COLUMNS | changes)
    names = {name: f"my {name}" for name in COLUMNS}
    for name in COLUMNS:
        message = message.replace(f"`{name}`", f"`my {name}`")
    with pytest.raises(ValueError, match=message):
        Problems.read(**COLUMNS | changes, names=names)


@for_each("name, value", [("answers", [[1]]), ("references", [1]), ("grades", [["a"]]), ("scores", [["a"]])])
def test_a_fault_names_the_column_as_it_is_called(name, value):
    for called in (None, {name: "given"}):
        with pytest.raises(TypeError, match=f"`{'given' if called else name}` must hold"):
            Problems.read(**{name: value}, names=called)


def test_joined_problems_are_those_of_one_reading():
    parts = [
        Problems.read(**{name: column[rows] for name, column in COLUMNS.items()}) for rows in (slice(0, 1), slice(1, 2))
    ]
    joined, whole = Problems.join(parts), Problems.read(**COLUMNS)
    assert answers(joined) == answers(whole)
    assert joined.references == whole.references
    assert_array_equal(grades(joined), grades(whole))
    assert_array_equal(joined.scores.values, whole.scores.values)
    assert_array_equal(joined.n, whole.n)
    assert Problems.join(parts[:1]) is parts[0]


def test_few_grades_are_joined_and_many_stay_in_parts():
    for each, parts in ((4999, 1), (5000, 2)):
        problems = Problems.join([Problems.read(grades=np.ones((each, 1))) for _ in range(2)])
        assert len(problems.grades) == parts
        assert len(problems) == 2 * each
        assert problems.n.sum() == 2 * each


@for_each("name", COLUMNS)
def test_parts_must_have_the_same_columns(name):
    kept = {each: column for each, column in COLUMNS.items() if each != name}
    some, all_ = Problems.read(**kept), Problems.read(**COLUMNS)
    for first, second, given, after in ((some, all_, "with", "without"), (all_, some, "without", "with")):
        message = f"`{name}` must be given in every batch or in none; got a batch {given} after one {after}$"
        with pytest.raises(ValueError, match=message):
            Problems.join([first, second])
        with pytest.raises(ValueError, match=message):
            Problems.join([first, first, second])
    all_.refuse_mismatch(all_)


def test_scores_must_have_as_many_dimensions():
    one, two = ([[1.0]], [[[1.0, 2.0]]])
    first, second = (Problems.read(grades=[[1]], scores=scores) for scores in (one, two))
    with pytest.raises(ValueError, match="`scores` must have as many dimensions in every batch; got 2 after 1"):
        Problems.join([first, second])
    Problems.join([second, second])


def test_a_compact_copy_shares_nothing():
    table, scores = np.array([[0.0, 1.0], [0.5, 1.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    given = Problems.read(answers=[["a", "b"], ["c", "d"]], references=["a", "d"], grades=table, scores=scores)
    copied = given.compact()
    table[:], scores[:] = 0, 0
    assert_array_equal(grades(copied), [0, 1, 0.5, 1])
    assert_array_equal(copied.scores.values, [1, 2, 3, 4])
    assert (answers(copied), copied.references) == (answers(given), given.references)
    alone = Problems.read(answers=[["a"]]).compact()
    assert (alone.grades, alone.scores, alone.references) == (None, None, None)


def test_grades_that_are_zero_or_one_take_a_byte_each():
    for rows, size in (
        ([[0.0, 1.0]], 2),
        ([[0, 1]], 2),
        ([[0.0, 0.5]], 16),
        ([[0.0, None]], 16),
        ([[0.0, 2**-50]], 16),
    ):
        assert Problems.read(grades=rows).compact().grades[0].values.nbytes == size

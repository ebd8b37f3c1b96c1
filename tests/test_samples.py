"""Ragged rows, answers, the problems that hold them, and the store of batches."""

from itertools import pairwise
from math import fsum

import numpy as np
from cases import for_each, refuses
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal, assert_array_max_ulp

from at_k.columns import read_problems
from at_k.samples import Answers, Problems, Ragged, Store, to_float64


def ragged(*rows):
    return Ragged.of_lengths(
        np.concatenate([np.asarray(row) for row in rows]), np.array(list(map(len, rows)))
    )


def join(*parts):
    return Problems.join([read_problems(**part) for part in parts])


def hold(*parts):
    store = Store()
    for part in parts:
        store.add(read_problems(**part))
    return store


ROWS = ([1, 2, 3], [4], [5, 6])


def test_rows_of_different_length():
    column = ragged(*ROWS)
    assert len(column) == 3
    assert_array_equal(column.offsets, [0, 3, 4, 6])
    assert_array_equal(column.n, [3, 1, 2])
    assert_array_equal(column.problem, [0, 0, 0, 1, 2, 2])
    assert column.listed() == list(ROWS)
    assert column.with_values(-column.values).listed() == [[-1, -2, -3], [-4], [-5, -6]]
    assert [column.place(i) for i in range(6)] == [
        f"problem {problem}, sample {sample}"
        for problem, row in enumerate(ROWS)
        for sample in range(len(row))
    ]
    assert [ragged(*rows).width for rows in ([[1, 2], [3, 4]], [[1, 2], [3]], [[1]])] == [
        2,
        None,
        1,
    ]


@for_each("lengths", [[3, 1, 2], [2, 2, 2], [1], [4]])
@for_each("kind", [np.float64, np.int64, np.bool_])
def test_sums(lengths, kind):
    values = (np.arange(sum(lengths)) % 3).astype(kind)
    parts = np.split(values, np.cumsum(lengths)[:-1])
    column = Ragged.of_lengths(values, np.array(lengths))
    assert_array_equal(column.sums(), [sum(part.tolist()) for part in parts])
    assert column.sums().dtype == (np.int64 if kind is np.bool_ else kind)


@given(
    rows=st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=9), min_size=1, max_size=4),
    data=st.data(),
)
@settings(max_examples=200, deadline=None)
def test_totals_of_grades_do_not_depend_on_their_order(rows, data):
    totals = ragged(*rows).total()
    assert_array_equal(ragged(*(data.draw(st.permutations(row)) for row in rows)).total(), totals)
    # each round adds exactly, and the few sums of the rounds are added with one more rounding at most
    assert_array_max_ulp(totals, np.array([fsum(row) for row in rows]), maxulp=1)
    # A missing grade counts as 0, and the smallest numbers count.
    assert_array_equal(
        ragged([0.5, np.nan], [5e-324, 5e-324], [1.0, 1.0]).total(), [0.5, 1e-323, 2.0]
    )


@for_each("column, mask, kept", [
    (ragged(*ROWS), [True, False, True, True, False, True], [[1, 3], [4], [6]]),
    (Ragged.of_lengths(np.arange(8).reshape(4, 2), np.array([3, 1])), [False, True, True, True],
     [[[2, 3], [4, 5]], [[6, 7]]]),
])  # fmt: skip
def test_the_samples_that_are_kept(column, mask, kept):
    assert column.keep(np.array(mask)).listed() == kept


def answers(*values):
    return Answers.of_values(
        [value for row in values for value in row], np.array(list(map(len, values)))
    )


TEXTS = (["b", "a", None, "b"], [None], ["a", "c"])


@for_each("cuts", [[3], [1, 2], [1, 1, 1], [2, 1]])
def test_parts_are_joined_and_each_answer_is_kept_once(cuts):
    places = list(pairwise(np.cumsum([0, *cuts])))
    assert Ragged.concatenate(
        [ragged(*ROWS[start:stop]) for start, stop in places]
    ).listed() == list(ROWS)
    joined = Answers.concatenate([answers(*TEXTS[start:stop]) for start, stop in places])
    assert joined.distinct == ("b", "a", "c")  # in the order in which they are met
    assert joined.codes.listed() == [[0, 1, -1, 0], [-1], [1, 2]]
    assert joined.listed() == list(TEXTS)
    assert len(joined) == 3
    single = np.array([0.1, 0.7], dtype=np.float32)  # is joined with flags as decimals
    assert_array_equal(
        Ragged.concatenate([ragged([True, False]), ragged(single)]).values, [1, 0, 0.1, 0.7]
    )


@for_each("before, names, distinct, after", [
    ([["1/2", "0.5", None], ["2", "0.5"]], ["0.5", "0.5", "2"], ("0.5", "2"), [["0.5", "0.5", None], ["2", "0.5"]]),
    ([[None, None]], [], (), [[None, None]]),
])  # fmt: skip
def test_new_names_merge_answers(before, names, distinct, after):
    renamed = answers(*before).rename(names)
    assert (renamed.distinct, renamed.listed()) == (distinct, after)


@for_each("dtype", [np.float16, np.float32])
def test_every_short_number_of_single_precision_is_what_it_prints(dtype):
    """All 65,536 numbers of half precision; those of single precision with the same leading bits."""
    bits = np.arange(2**16, dtype=np.uint16)
    numbers = (
        bits.view(np.float16)
        if dtype is np.float16
        else (bits.astype(np.uint32) << 16).view(np.float32)
    )
    numbers = numbers[np.isfinite(numbers)]
    decimals = np.array(list(map(float, map(str, numbers))))
    assert_array_equal(to_float64(numbers), decimals)
    one_by_one = [to_float64(numbers[i : i + 1])[0] for i in range(0, len(numbers), 97)]
    assert_array_equal(one_by_one, decimals[::97])


@for_each("dtype, scale, bound", [(np.float16, 8, 4), (np.float32, 64, 32), (np.float32, 2**10, 1)])
def test_binary_fractions_of_single_precision_are_what_they_print(dtype, scale, bound):
    numbers = (np.arange(-bound * scale, bound * scale + 1) / scale).astype(dtype)
    for part in (numbers, numbers[:3], numbers[-1:], np.append(numbers, dtype("nan"))):
        assert_array_equal(to_float64(part), [float(str(number)) for number in part])


COLUMNS = {
    "answers": [["a", "b"], ["c", None, "a"]],
    "references": ["a", ["c", "d"]],
    "grades": [[1, 0.5], [0.25, None, 1]],
    "scores": [[1, 2], [3, 4, 5]],
}


def grades(problems):
    return np.concatenate([part.values for part in problems.grades])


PARTS = [
    {name: column[rows] for name, column in COLUMNS.items()} for rows in (slice(0, 1), slice(1, 2))
]


@for_each("problems", [read_problems(**COLUMNS), join(*PARTS)])
def test_each_column_is_read_as_what_it_is_and_joined(problems):
    assert problems.answers.listed() == COLUMNS["answers"]
    assert problems.references == [("a",), ("c", "d")]
    assert_array_equal(grades(problems), [1, 0.5, 0.25, np.nan, 1])
    assert_array_equal(problems.scores.values, [1, 2, 3, 4, 5])
    assert_array_equal(problems.n, [2, 3])
    assert len(problems) == 2


def test_few_parts():
    for name in ("answers", "grades"):
        problems = read_problems(**{name: COLUMNS[name]})
        assert [each for each in COLUMNS if getattr(problems, each) is not None] == [name]
        assert (problems.n.tolist(), len(problems)) == ([2, 3], 2)
        assert Problems.join([problems]) is problems
    for problems in (
        Problems(),
        Problems(grades=()),
        read_problems(grades=[]),
        read_problems(answers=[]),
    ):
        assert (len(problems), problems.n.tolist(), problems.n.dtype) == (0, [], np.int64)


@for_each("changes, says", [
    ({"references": ["a"]}, "`answers` and `references` must have equally many problems; got 2 and 1"),
    ({"grades": [[1, 0]]}, "`answers` and `grades` must have equally many problems; got 2 and 1"),
    ({"grades": [[1, 0], [1]]}, "`answers` and `grades` must have equally many samples … got 3 and 1 in problem 1"),
    ({"scores": [[1, 2]]}, "`answers` and `scores` must have equally many problems; got 2 and 1"),
    ({"scores": [[1], [1, 2, 3]]}, "`answers` and `scores` must have equally many samples … got 2 and 1 in problem 0"),
    ({"answers": None, "references": ["a"]}, "`grades` and `references` must have equally many problems; got 2 and 1"),
    ({"answers": None, "scores": [[1, 2], [1]]}, "`grades` and `scores` must have equally many samples … got 3 and 1"),
])  # fmt: skip
def test_columns_that_disagree(changes, says):
    refuses(f"ValueError: {says}", read_problems, **COLUMNS | changes)
    for name in COLUMNS:
        says = says.replace(f"`{name}`", f"`my {name}`")
    refuses(
        f"ValueError: {says}",
        read_problems,
        **COLUMNS | changes,
        names={name: f"my {name}" for name in COLUMNS},
    )


@for_each(
    "name, value",
    [("answers", [[1.5]]), ("references", [1.5]), ("grades", [["a"]]), ("scores", [["a"]])],
)
def test_a_fault_names_the_column_as_it_is_called(name, value):
    for called in (None, {name: "given"}):
        says = f"TypeError: `{'given' if called else name}` must hold"
        refuses(says, read_problems, **{name: value}, names=called)


def test_few_grades_are_joined_and_many_stay_in_parts_and_scores_must_have_as_many_dimensions():
    for each, parts in ((4999, 1), (5000, 2)):
        problems = join(*[{"grades": np.ones((each, 1))}] * 2)
        assert len(problems.grades) == parts
        assert len(problems) == problems.n.sum() == 2 * each
    first, second = ({"grades": [[1]], "scores": scores} for scores in ([[1.0]], [[[1.0, 2.0]]]))
    refuses(
        "ValueError: `scores` must have equally many dimensions in every batch; got 2 after 1",
        join,
        first,
        second,
    )
    join(second, second)


@for_each("name", COLUMNS)
def test_parts_must_have_the_same_columns(name):
    some = {each: column for each, column in COLUMNS.items() if each != name}
    for first, second, now, after in (
        (some, COLUMNS, "with", "without"),
        (COLUMNS, some, "without", "with"),
    ):
        says = f"ValueError: `{name}` must be given in every batch or in none; got a batch {now} after one {after}"
        refuses(says, join, first, second)
        refuses(says, join, first, first, second)
    read_problems(**COLUMNS).refuse_mismatch(read_problems(**COLUMNS))


def test_a_compact_copy_shares_nothing():
    table, scores = np.array([[0.0, 1.0], [0.5, 1.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    problems = read_problems(
        answers=[["a", "b"], ["c", "d"]], references=["a", "d"], grades=table, scores=scores
    )
    copied, store = problems.compact(), Store()
    store.add(problems)
    table[:], scores[:] = 0, 0
    for each in (copied, store.join()):
        assert_array_equal(grades(each), [0, 1, 0.5, 1])
        assert_array_equal(each.scores.values, [1, 2, 3, 4])
        assert (each.answers.listed(), each.references) == (
            problems.answers.listed(),
            problems.references,
        )
    alone = read_problems(answers=[["a"]]).compact()
    assert (alone.grades, alone.scores, alone.references) == (None, None, None)


@for_each("rows, size", [
    ([[0.0, 1.0]], 2), ([[0, 1]], 2), ([[0.0, 0.5]], 16), ([[0.0, None]], 16), ([[0.0, 2**-50]], 16),
])  # fmt: skip
def test_grades_that_are_zero_or_one_take_a_byte_each(rows, size):
    for problems in (read_problems(grades=rows).compact(), hold({"grades": rows}).join()):
        assert problems.grades[0].values.nbytes == size


def test_joined_batches_keep_their_order():
    rows = [{"answers": [[name, "x"]], "references": [name]} for name in "abcde"]
    store = hold(*rows[:3])
    other = store.copy()
    whole = store.join(read_problems(**rows[3]))
    assert whole.answers.listed() == [["a", "x"], ["b", "x"], ["c", "x"], ["d", "x"]]
    assert whole.references == [("a",), ("b",), ("c",), ("d",)]
    other.add(read_problems(**rows[4]))  # a copy grows by itself
    assert (len(store), len(whole), len(other)) == (3, 4, 4)


@for_each("held, others, says", [
    ({"grades": [[1, 0]], "scores": [[[1, 2], [3, 4]]]},
     [{"grades": [[1, 0]]}, {"grades": [[1, 0]], "scores": [[1, 2]]}], "`scores` must"),
    ({"grades": np.ones((10_000, 1))}, [{"answers": [["a"]], "grades": [[1]]}],
     "`answers` must be given in every batch or in none"),
])  # fmt: skip
def test_a_batch_that_does_not_fit_is_not_held(held, others, says):
    store = hold({"grades": []}, held)  # an empty batch changes nothing
    for other in others:
        refuses(f"ValueError: {says}", store.add, read_problems(**other))
    assert len(store) == len(held["grades"])
    assert grades(store.join()).tolist() == np.ravel(held["grades"]).tolist()


def test_batches_are_merged_as_the_digits_of_a_binary_counter_and_large_ones_stay_apart():
    store = Store()
    for count in range(1, 40):
        store.add(read_problems(grades=[[1]]))
        digits = [2**place for place in range(6) if count >> place & 1]
        assert [len(batch) for batch in store] == digits[::-1]
    for size, held in ((9999, [19998]), (10_000, [10_000, 10_000])):
        store = hold(*[{"grades": np.ones((size, 1))}] * 2)
        assert [len(batch) for batch in store] == held
    store.add(read_problems(grades=[[1]]))
    assert [len(batch) for batch in store] == [10_000, 10_000, 1]

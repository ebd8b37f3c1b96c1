"""Ragged rows as flat values and offsets."""

from itertools import pairwise
from math import fsum

import numpy as np
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal, assert_array_max_ulp

from at_k.samples import Answers, Ragged, to_float64


def ragged(*rows):
    return Ragged.of_lengths(np.concatenate([np.asarray(row) for row in rows]), np.array(list(map(len, rows))))


def rows(column):
    return [part.tolist() for part in np.split(column.values, column.offsets[1:-1])]


ROWS = ([1, 2, 3], [4], [5, 6])


def test_rows_of_different_length():
    column = ragged(*ROWS)
    assert len(column) == 3
    assert_array_equal(column.offsets, [0, 3, 4, 6])
    assert_array_equal(column.n, [3, 1, 2])
    assert_array_equal(column.problem, [0, 0, 0, 1, 2, 2])
    assert rows(column) == list(ROWS)


def test_other_values_keep_the_rows():
    column = ragged(*ROWS)
    assert rows(column.with_values(-column.values)) == [[-1, -2, -3], [-4], [-5, -6]]


@for_each("lengths", [[3, 1, 2], [2, 2, 2], [1], [4]])
@for_each("kind", [np.float64, np.int64, np.bool_])
def test_sums(lengths, kind):
    values = (np.arange(sum(lengths)) % 3).astype(kind)
    parts = np.split(values, np.cumsum(lengths)[:-1])
    column = Ragged.of_lengths(values, np.array(lengths))
    assert_array_equal(column.sums(), [sum(part.tolist()) for part in parts])
    assert column.sums().dtype == (np.int64 if kind is np.bool_ else kind)


@given(rows=st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=9), min_size=1, max_size=4), data=st.data())
@settings(max_examples=200, deadline=None)
def test_totals_of_grades_do_not_depend_on_their_order(rows, data):
    totals = ragged(*rows).total()
    assert_array_equal(ragged(*(data.draw(st.permutations(row)) for row in rows)).total(), totals)
    # each round adds exactly, and the few sums of the rounds are added with one more rounding at most
    assert_array_max_ulp(totals, np.array([fsum(row) for row in rows]), maxulp=1)


def test_a_missing_grade_counts_as_0_and_the_smallest_numbers_count():
    assert_array_equal(ragged([0.5, np.nan], [5e-324, 5e-324], [1.0, 1.0]).total(), [0.5, 1e-323, 2.0])


def test_the_samples_that_are_kept():
    kept = ragged(*ROWS).keep(np.array([True, False, True, True, False, True]))
    assert rows(kept) == [[1, 3], [4], [6]]


def test_vectors_are_kept_whole():
    column = Ragged.of_lengths(np.arange(8).reshape(4, 2), np.array([3, 1]))
    kept = column.keep(np.array([False, True, True, True]))
    assert_array_equal(kept.values, [[2, 3], [4, 5], [6, 7]])
    assert_array_equal(kept.n, [2, 1])


def test_places():
    column = ragged(*ROWS)
    assert [column.place(i) for i in range(6)] == [
        f"problem {problem}, sample {sample}" for problem, row in enumerate(ROWS) for sample in range(len(row))
    ]


@for_each("cuts", [[3], [1, 2], [1, 1, 1], [2, 1]])
def test_concatenation(cuts):
    bounds = np.cumsum([0, *cuts])
    parts = [ragged(*ROWS[start:stop]) for start, stop in pairwise(bounds)]
    assert rows(Ragged.concatenate(parts)) == list(ROWS)


def answers(*values):
    return Answers.of_values([value for row in values for value in row], np.array(list(map(len, values))))


def spelled(column):
    """The rows of answers, read back."""
    return [[None if code < 0 else column.distinct[code] for code in row] for row in rows(column.codes)]


TEXTS = (["b", "a", None, "b"], [None], ["a", "c"])


def test_each_answer_is_kept_once():
    column = answers(*TEXTS)
    assert column.distinct == ("b", "a", "c")  # in the order in which they are met
    assert rows(column.codes) == [[0, 1, -1, 0], [-1], [1, 2]]
    assert len(column) == 3
    assert spelled(column) == list(TEXTS)


def test_no_answers_at_all():
    column = answers([None, None])
    assert column.distinct == ()
    assert spelled(column) == [[None, None]]


def test_new_names_merge_answers():
    renamed = answers(["1/2", "0.5", None], ["2", "0.5"]).rename(["0.5", "0.5", "2"])
    assert renamed.distinct == ("0.5", "2")
    assert spelled(renamed) == [["0.5", "0.5", None], ["2", "0.5"]]


def test_new_names_of_no_answers():
    assert spelled(answers([None]).rename([])) == [[None]]


@for_each("cuts", [[3], [1, 2], [1, 1, 1]])
def test_concatenated_answers_are_numbered_alike(cuts):
    bounds = np.cumsum([0, *cuts])
    parts = [answers(*TEXTS[start:stop]) for start, stop in pairwise(bounds)]
    joined = Answers.concatenate(parts)
    assert joined.distinct == ("b", "a", "c")
    assert spelled(joined) == list(TEXTS)


@for_each("dtype", [np.float16, np.float32])
def test_every_short_number_of_single_precision_is_what_it_prints(dtype):
    """All 65,536 numbers of half precision; those of single precision with the same leading bits."""
    bits = np.arange(2**16, dtype=np.uint16)
    numbers = bits.view(np.float16) if dtype is np.float16 else (bits.astype(np.uint32) << 16).view(np.float32)
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


def test_the_width_that_all_rows_have():
    assert ragged([1, 2], [3, 4]).width == 2
    assert ragged([1, 2], [3]).width is None
    assert ragged([1]).width == 1


def test_flags_and_single_precision_are_joined_as_decimals():
    joined = Ragged.concatenate([ragged([True, False]), ragged(np.array([0.1, 0.7], dtype=np.float32))])
    assert_array_equal(joined.values, [1, 0, 0.1, 0.7])

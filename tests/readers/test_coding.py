"""Codes of values, compared with what plain Python says of the values."""

import numpy as np
import pyarrow as pa
from cases import for_each
from hypothesis import given, strategies as st

from at_k.readers.coding import (
    compact,
    count_distinct,
    encode,
    find_firsts,
    join_codes,
    read_integers,
)

CODES = st.lists(st.integers(-3, 6) | st.integers(-(2**40), 2**40), min_size=1)
TEXTS = st.lists(st.none() | st.sampled_from(["a", "b", "", "é"]))


@given(TEXTS, st.integers(1, 4))
def test_arrow_and_lists_have_the_same_codes(values, size):
    chunks = [pa.array(values[i : i + size], pa.string()) for i in range(0, len(values), size)]
    for column in (pa.array(values, pa.string()), pa.chunked_array(chunks, pa.string()), values):
        codes, distinct = encode(column)
        assert [None if code < 0 else distinct[code] for code in codes] == values
        assert distinct == list(dict.fromkeys(value for value in values if value is not None))


def test_values_of_other_types_are_others():
    assert len(encode([1, 1.0, True, "1", [1], None]).values) == 5


@given(CODES)
def test_numbers_without_gaps(values):
    codes = np.array(values)
    order = sorted(set(values))
    numbers, count = compact(codes)
    assert numbers.tolist() == [order.index(value) for value in values]
    assert count == count_distinct(codes) == len(order)
    assert find_firsts(codes).tolist() == [values.index(value) for value in order]


@given(st.lists(st.tuples(*[st.integers(-2, 2) | st.integers(-(2**61), 2**61)] * 3), min_size=1))
def test_combinations(rows):
    codes = join_codes([np.array(column) for column in zip(*rows, strict=True)])
    assert [[a == b for b in codes] for a in codes] == [[a == b for b in rows] for a in rows]


@for_each(
    "column, numbers",
    [
        ([0, 2], [0, 2]),
        (["0", " 2"], [0, 2]),
        ([1.0], [1]),
        (pa.array([3, 4]), [3, 4]),
        (pa.chunked_array([[3], [4]]), [3, 4]),
        (pa.array(["3"]), [3]),
        ([1.5], None),
        ([True], None),
        (["a"], None),
        (["1" * 30], None),
        ([2**70], None),
        ([None], None),
        ([], None),
        (pa.array([1, None]), None),
    ],
)
def test_whole_numbers(column, numbers):
    found = read_integers(column)
    assert (None if found is None else found.tolist()) == numbers

"""Arrow arrays as pyarrow makes them but without pandas, and codes of values as plain Python says of them."""

import numpy as np
import pyarrow as pa
import pytest
from cases import for_each
from hypothesis import given, strategies as st

from at_k.readers.arrays import (
    Groups,
    encode,
    find_firsts,
    join_codes,
    make_lists,
    make_numbers,
    make_text_lists,
    make_texts,
)
from at_k.readers.cells import read_integers

ANY_TEXTS = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])))


@given(ANY_TEXTS)
def test_texts(values):
    made = make_texts(values)
    made.validate(full=True)
    assert made.equals(pa.array(values, pa.string()))


@given(st.lists(st.none() | ANY_TEXTS))
def test_lists(values):
    made = make_text_lists(values)
    made.validate(full=True)
    assert made.equals(pa.array(values, pa.list_(pa.string())))


def test_integers_and_their_lists():
    made = make_lists(np.array([0, 2, 2, 3]), make_numbers(np.array([4, 5, 6])))
    made.validate(full=True)
    assert made.equals(pa.array([[4, 5], [], [6]]))
    assert make_numbers(np.arange(9)[::2]).equals(pa.array([0, 2, 4, 6, 8]))


def test_half_a_character_is_refused():
    with pytest.raises(UnicodeEncodeError):
        make_texts(["\ud800"])


CODES = st.lists(st.integers(-3, 6) | st.integers(-(2**40), 2**40), min_size=1)
TEXTS = st.lists(st.none() | st.sampled_from(["a", "b", "", "é"]))


@given(TEXTS, st.integers(1, 4))
def test_arrow_and_lists_have_the_same_codes(values, size):
    chunks = [pa.array(values[i : i + size], pa.string()) for i in range(0, len(values), size)]
    for column in (pa.array(values, pa.string()), pa.chunked_array(chunks, pa.string()), values):
        codes, distinct = encode(column)
        assert [None if code < 0 else distinct[code] for code in codes] == values
        assert distinct == list(dict.fromkeys(value for value in values if value is not None))


def test_a_long_column_without_values_has_no_codes():
    codes, distinct = encode(pa.nulls(20_000))
    assert ({*codes.tolist()}, distinct) == ({-1}, [])


def test_values_of_other_types_are_others():
    assert len(encode([1, 1.0, True, "1", [1], None]).values) == 5


@given(CODES)
def test_first_places(values):
    assert find_firsts(np.array(values)).tolist() == [
        values.index(value) for value in sorted({*values})
    ]


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.none() | st.text(st.characters(exclude_categories=["Cs"]))),
        min_size=1,
    )
)
def test_groups_are_a_dict_of_lists(rows):
    expected = {}
    for key, value in rows:
        expected.setdefault(key, []).append(value)
    groups = Groups.of(encode([key for key, _ in rows]).codes)
    values = [value for _, value in rows]
    assert (
        groups.list(pa.array(values, pa.string())).to_pylist()
        == list(expected.values())
        == list(groups.cut(values))
    )
    assert [rows[first][0] for first in groups.firsts] == list(expected)


@given(st.lists(st.tuples(*[st.integers(-2, 2) | st.integers(-(2**61), 2**61)] * 3), min_size=1))
def test_combinations(rows):
    codes = join_codes([np.array(column) for column in zip(*rows, strict=True)])
    assert [[a == b for b in codes] for a in codes] == [[a == b for b in rows] for a in rows]


@for_each("column, numbers", [
    ([0, 2], [0, 2]), (["0", " 2"], [0, 2]), ([1.0], [1]), (pa.array([3, 4]), [3, 4]),
    (pa.chunked_array([[3], [4]]), [3, 4]), (pa.array(["3"]), [3]), ([1.5], None), ([True], None), (["a"], None),
    (["1" * 30], None), ([2**70], None), ([None], None), ([], None), (pa.array([1, None]), None),
])  # fmt: skip
def test_whole_numbers(column, numbers):
    found = read_integers(column)
    assert (None if found is None else found.tolist()) == numbers

"""Values of a role, read at once: as one by one, with the first fault named."""

import pyarrow as pa
import pytest

from at_k.errors import InputError
from at_k.limits import UNLIMITED, Limits
from at_k.readers.vectors import Faults, combine, read_values


def read(values, role, *, skip=False, spelled=False, limits=UNLIMITED):
    faults = Faults(skip=skip)
    found, wrong = read_values(values, role, lambda i: (i + 1, "c", None), limits, faults, spelled=spelled)
    return found.to_pylist(), None if wrong is None else wrong.tolist(), faults.causes


CASES = [
    ("grades", [1, 0, None], pa.int64(), [1, 0, None]),
    ("grades", [True, None], pa.bool_(), [1, None]),
    ("grades", [0.5, float("nan"), None], pa.float64(), [0.5, None, None]),
    ("scores", [3, None], pa.int64(), [3, None]),
    ("scores", [-1e300, 0.0], pa.float64(), [-1e300, 0.0]),
    ("answers", ["a", "", None], pa.string(), ["a", "", None]),
    ("answers", [7, None], pa.int64(), ["7", None]),
    ("answers", [0.5, 1e21], pa.float64(), ["0.5", "1e+21"]),
    ("problem", [1, 1], pa.int64(), ["1", "1"]),
    ("references", ["a", "b"], pa.string(), [["a"], ["b"]]),
    ("group", [True, False], pa.bool_(), ["true", "false"]),
]


@pytest.mark.parametrize(("role", "values", "kind", "found"), CASES)
def test_arrow_is_read_as_a_list_is(role, values, kind, found):
    assert read(pa.array(values, kind), role) == read(values, role) == (found, None, {})


FAULTS = [
    ("grades", [1, 2, 7], pa.int64(), "got 2 (row 2"),
    ("grades", [1.0, -0.5, 2.0], pa.float64(), "got -0.5 (row 2"),
    ("scores", [1.0, float("inf"), 2.0], pa.float64(), "got Infinity (row 2"),
    ("scores", [1.0, float("nan"), 2.0], pa.float64(), "got NaN (row 2"),
    ("problem", ["a", "", "b"], pa.string(), "got “” (row 2"),
    ("problem", ["a", None, "b"], pa.string(), "got null (row 2"),
    ("answers", ["a", "x" * 6, "b"], pa.string(), "the limit is 5 (row 2"),
]


@pytest.mark.parametrize(("role", "values", "kind", "said"), FAULTS)
def test_the_first_fault_is_named(role, values, kind, said):
    for column in (values, pa.array(values, kind)):
        with pytest.raises(InputError) as caught:
            read(column, role, limits=Limits(max_text=5))
        assert said in str(caught.value)
        _, wrong, causes = read(column, role, skip=True, limits=Limits(max_text=5))
        assert wrong[:2] == [False, True]
        assert sum(count for _, count in causes.values()) == sum(wrong)


def test_words_of_csv():
    values = ["true", "0.5", "", "no", "maybe"]
    found, wrong, _ = read(pa.array([value or None for value in values]), "grades", skip=True, spelled=True)
    assert found == [1, 0.5, None, 0, None]
    assert wrong == [False, False, False, False, True]


def test_one_piece():
    assert combine(pa.chunked_array([["a"], ["b"]])).to_pylist() == ["a", "b"]
    assert combine(pa.chunked_array([["a"]])).to_pylist() == ["a"]
    assert combine(pa.chunked_array([], pa.string())).to_pylist() == []
    assert combine([1]) == [1]

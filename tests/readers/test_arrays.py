"""Arrow arrays, as pyarrow itself makes them, but without pandas."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import at_k
from at_k.readers.arrays import make_array, make_flags, make_lists, make_numbers, make_texts

TEXTS = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])))


@given(TEXTS)
def test_texts(values):
    made = make_texts(values)
    made.validate(full=True)
    assert made.equals(pa.array(values, pa.string()))


@given(st.lists(st.none() | st.floats(allow_nan=False)))
def test_numbers(values):
    made = make_array(values, pa.float64())
    made.validate(full=True)
    assert made.equals(pa.array(values, pa.float64()))


@given(st.lists(st.none() | TEXTS))
def test_lists(values):
    made = make_array(values, pa.list_(pa.string()))
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


def test_flags_with_and_without_null():
    flags = np.arange(11) % 3 == 0
    made = make_flags(flags, np.arange(11) != 4)
    made.validate(full=True)
    assert made.to_pylist() == [None if place == 4 else place % 3 == 0 for place in range(11)]
    assert make_flags(flags).to_pylist() == flags.tolist()


@pytest.mark.skipif(int(pa.__version__.split(".")[0]) < 26, reason="an older PyArrow loads pandas by itself")
def test_pandas_is_not_loaded(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text('{"id": 1, "answers": ["a", "b"], "target": "a"}\n')
    code = f"import sys, at_k; at_k.score({str(path)!r}); print({{'pandas', 'datasets'}} & set(sys.modules))"
    root = Path(at_k.__file__).parents[1]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"

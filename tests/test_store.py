"""The store: batches joined in order, and nothing held of a batch that does not go with the others."""

import numpy as np
import pytest

from at_k.problems import Problems
from at_k.store import Store


def answered(name):
    return Problems.read(answers=[[name, "x"]], references=[name])


def answers(problems):
    names = [*problems.answers.distinct, None]
    return [
        [names[code] for code in row]
        for row in np.split(problems.answers.codes.values, problems.answers.codes.offsets[1:-1])
    ]


def test_joined_batches_keep_their_order():
    store = Store()
    for first in ("a", "b", "c"):
        store.add(answered(first))
    whole = store.join(answered("d"))
    assert answers(whole) == [["a", "x"], ["b", "x"], ["c", "x"], ["d", "x"]]
    assert whole.references == [("a",), ("b",), ("c",), ("d",)]
    assert (len(store), len(whole)) == (3, 4)


def test_an_empty_batch_changes_nothing():
    store = Store()
    store.add(Problems.read(grades=[]))
    store.add(Problems.read(grades=[[1]], scores=[[[1, 2]]]))
    assert len(store) == 1


def test_a_batch_that_does_not_fit_is_not_held():
    store = Store()
    store.add(Problems.read(grades=[[1, 0]], scores=[[[1, 2], [3, 4]]]))
    for other in (Problems.read(grades=[[1, 0]]), Problems.read(grades=[[1, 0]], scores=[[1, 2]])):
        with pytest.raises(ValueError, match="`scores` must"):
            store.add(other)
    assert len(store) == 1
    assert store.join().scores.values.tolist() == [[1, 2], [3, 4]]


def test_what_is_held_is_a_copy():
    given, store = np.array([[0.25, 1.0]]), Store()
    store.add(Problems.read(grades=given, scores=given))
    given[:] = 0
    assert store.join().grades[0].values.tolist() == [0.25, 1.0]
    assert store.join().scores.values.tolist() == [0.25, 1.0]


def test_grades_of_zero_and_one_take_a_byte_each():
    store = Store()
    store.add(Problems.read(grades=np.array([[0.0, 1.0], [1.0, 1.0]])))
    assert store.join().grades[0].values.nbytes == 4


def test_a_copy_grows_by_itself():
    store = Store()
    store.add(answered("a"))
    other = store.copy()
    other.add(answered("b"))
    assert (len(store), len(other)) == (1, 2)


def test_batches_are_merged_as_the_digits_of_a_binary_counter():
    store = Store()
    for count in range(1, 40):
        store.add(Problems.read(grades=[[1]]))
        digits = [2**place for place in range(6) if count >> place & 1]
        assert [len(batch) for batch in store] == digits[::-1]


def test_large_batches_stay_apart():
    for size, held in ((9999, [19998]), (10_000, [10_000, 10_000])):
        store = Store()
        for _ in range(2):
            store.add(Problems.read(grades=np.ones((size, 1))))
        assert [len(batch) for batch in store] == held
    store.add(Problems.read(grades=[[1]]))
    assert [len(batch) for batch in store] == [10_000, 10_000, 1]


def test_a_batch_that_does_not_fit_a_large_one_is_not_held():
    store = Store()
    store.add(Problems.read(grades=np.ones((10_000, 1))))
    with pytest.raises(ValueError, match="`answers` must be given in every batch or in none"):
        store.add(Problems.read(answers=[["a"]], grades=[[1]]))
    assert len(store) == 10_000

"""Columns as users hold them: what is read out of them, and what their errors say."""

from collections import deque
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
from cases import for_each, for_rows, refuses
from numpy.testing import assert_array_equal

from at_k import columns
from at_k.columns import (
    read_answers,
    read_grades,
    read_groups,
    read_labels,
    read_references,
    read_scores,
    read_weights,
)

NAN, INF = float("nan"), float("inf")


def formatted(style):
    return lambda values: datasets.Dataset.from_dict({"column": values}).with_format(style)[:][
        "column"
    ]


CONTAINERS = {
    "lists": lambda values: values,
    "tuples": lambda values: tuple(map(tuple, values)),
    "deques": lambda values: deque(map(deque, values)),
    "rows of arrays": lambda values: [np.array(row) for row in values],
    "objects": lambda values: np.array([*map(list, values), None], dtype=object)[:-1],
    "series": pd.Series,
    "arrow": pa.array,
    "chunks": lambda values: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])]),
    "dataset": lambda values: datasets.Dataset.from_dict({"column": values})["column"],
    "formatted dataset": formatted("pandas"),
    "rows of a dataset": formatted(None),
    "arrays of a dataset": formatted("numpy"),
    "indexed series": lambda values: pd.Series(values, index=range(7, 7 + len(values))),
    "series of arrays": lambda values: pd.Series(list(map(np.array, values))),
    "generator": iter,
}
ONCE = [list, tuple, np.array, pd.Series, pa.array, CONTAINERS["dataset"], iter, deque]


@for_rows("held", CONTAINERS)
def test_containers(held):
    texts = [["a", "b", "a"], ["c"], [" a", ""]]
    assert read_answers(held(texts)).listed() == texts
    for values, read in (
        ([[1.0, 0.0, 0.5], [1.0], [0.25, 0.75]], read_grades),
        ([[-1.5, 2.0], [0.0]], read_scores),
        ([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], read_scores),
    ):
        column = read(held(values))
        assert column.listed() == values
    assert column.values.shape == (3, 2)


@for_each("missing", [None, NAN, np.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_missing_values(missing):
    values = [["a", missing], [missing, missing, "b"]]
    for held in (values, pd.Series(values)):
        assert read_answers(held).listed() == [["a", None], [None, None, "b"]]
    grades = read_grades(pd.Series([[1, missing], [0.5]]))
    assert np.isnan(grades.values).tolist() == [False, True, False]


@for_each("held", ONCE)
def test_one_value_for_each_problem(held):
    references = read_references(held(["a", "b"]))
    assert references == [("a",), ("b",)]
    assert {type(text) for (text,) in references} == {str}
    assert read_groups(held(["a", "b"])) == ["a", "b"]


class Text(str):
    __slots__ = ()

    def __str__(self):
        return "something else"


class Level(str, Enum):
    EASY = "easy"


LARGE = [10**100 + 1, 10**100 + 2, 2**64]
LABELS = [["a", "b", "a"], [(1, 2), (1, 2)], [3, 4]]
MASKED = np.ma.array([[1.0, 1.0], [1, 1]], mask=[[False, True], [False, False]])

TEXTS = {
    "a matrix": (read_answers, np.array([["a", "b"], ["b", "b"]]), [["a", "b"], ["b", "b"]]),
    "subclasses": (read_answers, [[np.str_("a"), Text("b"), "b"]], [["a", "b", "b"]]),
    "an enumeration": (read_answers, [[Level.EASY, "easy"]], [["easy", "easy"]]),
    "masked answers": (read_answers, np.ma.array([["a", "b"]], mask=[[False, True]]), [["a", None]]),
    "any labels": (read_labels, LABELS, LABELS),
    "labels that are texts": (read_labels, [["a"], ["b", None]], [["a"], ["b", None]]),
    "labels without an answer": (
        read_labels, [[1.5, NAN, None], np.array([NAN, 2.0])], [[1.5, None, None], [None, 2.0]],
    ),
}  # fmt: skip


@for_rows("read, values, expected", TEXTS)
def test_texts(read, values, expected):
    column = read(values)
    assert column.listed() == expected
    assert read is read_labels or {type(text) for text in column.distinct} == {str}
    assert len(set(column.distinct)) == len(column.distinct)  # one over all problems


@for_each("read, values, expected", [
    (read_grades, [[True, 1, 1.0, np.True_, np.int8(1), np.float32(1)], [False, 0, -0.0, np.uint8(0)]],
     [1] * 6 + [0] * 4),
    (read_grades, [[1, None], [NAN]], [1, NAN, NAN]),
    (read_grades, MASKED, [1, NAN, 1, 1]),
    (read_scores, MASKED[..., None], [[1], [NAN], [1], [1]]),
    # A missing sample has no score; whether that is a fault is decided when scores are compared.
    (read_scores, [[1, None], [NAN]], [1, NAN, NAN]),
    (read_scores, [[[1, 2], None], [[3, None]]], [[1, 2], [NAN, NAN], [3, NAN]]),
    (read_scores, np.arange(12).reshape(2, 3, 2), np.arange(12).reshape(6, 2)),
    (read_scores, [[2**53, 2**62]], [2.0**53, 2.0**62]),
    (read_weights, [[0, 2.5], (1e300,), np.array([True])], [0, 2.5, 1e300, 1]),
])  # fmt: skip
def test_numbers(read, values, expected):
    column = read(values)
    assert_array_equal(column.values, expected)
    assert column.n.tolist() == list(map(len, values))


def test_checked_columns_are_not_checked_again_and_masked_weights_may_be_missing():
    column = read_scores([[1, 2]])
    assert read_scores(column) is column
    weights = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
    assert_array_equal(read_weights(weights, missing=True).values, [NAN, 2])


@for_each("read, values, expected", [
    (read_references, ["a", ["b", "c"], ("d",), np.array(["e", "f"]), deque(["g", "h"])],
     [("a",), ("b", "c"), ("d",), ("e", "f"), ("g", "h")]),
    (read_references, [Level.EASY, [Level.EASY]], [("easy",), ("easy",)]),
    (read_groups, ["AIME_2024", "a/b", ""], ["AIME_2024", "a/b", ""]),
    (read_groups, [2024, 2025, np.int64(2024)], ["2024", "2025", "2024"]),
    (read_groups, ["easy", 1], ["easy", "1"]),
    (read_groups, [Level.EASY, "easy"], ["easy", "easy"]),
    (read_groups, LARGE, list(map(str, LARGE))),
])  # fmt: skip
def test_labels_are_spelled_as_given(read, values, expected):
    assert read(values) == expected


def require_grades(values):
    return read_grades(values, "correct", missing=False)


BITS, TABLE = (
    "an integer of 16610 bits",
    pd.DataFrame({"question": ["q1", "q2"], "answer": ["4", "7"]}),
)
MANY = "must be a list with one entry per problem …"

REFUSED = {
    read_answers: (
        "`predictions`",
        ([["a"], ["b", 3]], "TypeError: strings … 3 of type int in problem 1, sample 1"),
        ([["a"], [True]], "TypeError: True of type bool in problem 1, sample 0"),
        ([["a"], NAN], "TypeError: nan … problem 1"),
        ([["a"], [["b"]]], "TypeError: ['b'] of type list in problem 1, sample 0"),
        ([["a"], [b"b"]], "TypeError: b'b' of type bytes in problem 1, sample 0"),
        ([["a"], "b"], "TypeError: 'b' of type str in problem 1"),
        ([["a"], None], "TypeError: None … problem 1"),
        ([["a"], {"b": 1}], "TypeError: {'b': 1} of type dict in problem 1"),
        ([["a"], {"b"}], "TypeError: {'b'} of type set in problem 1"),
        ([["a"], []], "ValueError: at least one sample … problem 1"),
        ([["a", 10**5000]], f"TypeError: {BITS}"),
        ([[tuple(range(10_000))]], "TypeError: ... of type tuple"),
        (7, f"TypeError: {MANY} 7 of type int"),
        (None, f"TypeError: {MANY} None"),
        ({"a": ["b"]}, f"TypeError: {MANY} dict"),
        ({"a", "b"}, f"TypeError: {MANY} set"),
        (TABLE, f"TypeError: {MANY}"),
    ),
    read_labels: (
        "`votes`",
        ([["x"], [None, "a", "b", 3, 4.0]], "TypeError: got 3 of type int in problem 1, sample 3, beside 'a'"),
        *[([["a"], ["a", "b", value]], f"TypeError: hashable … {type(value).__name__} … problem 1, sample 2")
          for value in (["b"], {"b": 1}, {"b"}, np.array([1, 2]))],
    ),
    read_grades: (
        "`predictions`",
        ([[1], [0, 1.5]], "ValueError: [0, 1] … 1.5 … problem 1, sample 1"),
        ([[1], [-1e-9]], "ValueError: -1e-09 … problem 1, sample 0"),
        ([[1], [INF]], "ValueError: inf … problem 1, sample 0"),
        (np.array([[1, 0], [0, 2]]), "ValueError: 2 … problem 1, sample 1"),
        ([[1], [0, "1"]], "TypeError: '1' of type str in problem 1, sample 1"),
        ([[1], [0, b"1"]], "TypeError: b'1' of type bytes in problem 1, sample 1"),
        ([[1], [0, Fraction(1, 2)]], "TypeError: Fraction(1, 2) of type Fraction in problem 1, sample 1"),
        ([[1], [[0]]], "TypeError: [0] of type list in problem 1, sample 0"),
        ([[1], [1j]], "TypeError: 1j of type complex in problem 1, sample 0"),
        ([[1], [10**400]], "ValueError: problem 1, sample 0"),
        ([1, 0], "TypeError: 1 of type int in problem 0"),
        (np.array([1, 0]), "TypeError: 1 of type int in problem 0"),
        ([[1], []], "ValueError: problem 1"),
        (np.empty((2, 0)), "ValueError: problem 0"),
        ([[1, -(10**5000)]], f"ValueError: {BITS} … problem 0, sample 1"),
        *[([value], "TypeError: list of samples … problem 0") for value in (b"\x00\x01", bytearray(b"\x00\x01"))],
        # A sentence shows a number in the same way in every form.
        *[(held([[1, 0], [2, 0]]), "ValueError: got 2 in problem 1, sample 0") for held in (list, np.array, pa.array)],
        *[(rows, "TypeError: numbers … problem 0, sample 0") for kind in ("m8[s]", "M8[s]")
          for table in [np.array([[0, 1]]).astype(kind)] for rows in (table, list(table), [list(table[0])])],
    ),
    require_grades: (
        "`correct`",
        ([[1, None]], "ValueError: problem 0, sample 1"),
        ([[1], [NAN]], "ValueError: problem 1, sample 0"),
    ),
    read_weights: (
        "`weights`",
        *[([[1], [1, weight]], "ValueError: problem 1, sample 1") for weight in (-1, NAN, None, INF)],
        ([[1], [1, "1"]], "TypeError: problem 1, sample 1"),
        ([[1, 10**5000]], f"ValueError: {BITS} … problem 0, sample 1"),
        (np.ma.array([[1.0, 2.0]], mask=[[True, False]]), "ValueError: problem 0, sample 0"),
        *[(held([[1.0, 0.0], [-2.0, 0.0]]), "ValueError: got -2 in problem 1, sample 0")
          for held in (list, np.array, pa.array)],
    ),
    read_scores: (
        "`scores`",
        ([[1], [2, INF]], "ValueError: inf … problem 1, sample 1"),
        ([[1, 10**5000]], f"ValueError: {BITS} … problem 0, sample 1"),
        ([[[1, 2]], [[3, -INF]]], "ValueError: -inf … problem 1, sample 0"),
        ([[1], [2, "3"]], "TypeError: '3' … problem 1, sample 1"),
        ([[[1, 2]], [[3, "4"]]], "TypeError: '4' … problem 1, sample 0"),
        ([[[1, 2]], [[3]]], "ValueError: 1 … problem 1, sample 0 … 2"),
        ([[[1, 2]], [3]], "TypeError: 3 of type int in problem 1, sample 0"),
        ([[3], [[1, 2]]], "TypeError: 3 of type int in problem 0, sample 0"),
        ([[[]], [[]]], "ValueError: problem 0, sample 0"),
        ([[[[1]]]], "TypeError: [1] of type list in problem 0, sample 0"),
        ([[np.array(1.0), np.array(2.0)]], "TypeError: must hold numbers, or a list of them … problem 0, sample 0"),
        *[(rows, "ValueError: must hold numbers that fit in a float; got … 9007199254740993")
          for rows in ([[2**53 + 1, 1]], np.array([[2**53 + 1, 1]]), [[Decimal(2**53 + 1)]])],
        *[(rows, "ValueError: must hold numbers that fit in a float; got … 1000") for rows in
          ([[10**400, 1]], [[Decimal(10**400)]])],
    ),
    read_references: (
        "`references`",
        (["a", None], "ValueError: None … problem 1"),
        (["a", ["b", None]], "ValueError: None … problem 1"),
        (["a", []], "ValueError: [] … problem 1"),
        (["a", 7], "TypeError: 7 of type int in problem 1"),
        (["a", ["b", 7]], "TypeError: 7 of type int in problem 1"),
        (["a", [["b"]]], "TypeError: ['b'] of type list in problem 1"),
        (["a", {"b": 1}], "TypeError: dict in problem 1"),
        ([10**5000], f"TypeError: {BITS}"),
        (TABLE, f"TypeError: {MANY}"),
    ),
    read_groups: (
        "`groups`",
        (["a", None], "ValueError: None … problem 1"),
        (["a", NAN], "ValueError: nan … problem 1"),
        (["a", 1.5], "TypeError: 1.5 of type float in problem 1"),
        (["a", True], "TypeError: True of type bool in problem 1"),
        (["a", ["b"]], "TypeError: ['b'] of type list in problem 1"),
        (["1", 1], "ValueError: '1' … problem 1"),
        ([1, 10**5000], f"ValueError: {BITS} in problem 1"),
        (TABLE, f"TypeError: {MANY}"),
    ),
}  # fmt: skip


@for_each(
    "read, name, values, says",
    [(read, *row[:1], *case) for read, row in REFUSED.items() for case in row[1:]],
)
def test_invalid_columns_are_refused(read, name, values, says):
    kind, _, words = says.partition(": ")
    error = refuses(f"{kind}: {name} … {words}", read, values)
    assert len(str(error)) < 250
    if read is read_answers:
        refuses(f"{kind}: `texts` … {words}", read, values, "texts")


@for_each("read", [read_answers, read_grades, read_scores, read_references, read_groups])
@for_each("value", ["ab", b"\x00\x01", bytearray(b"\x00\x01"), np.array(1.0)])
def test_a_single_value_is_not_a_column(read, value):
    refuses(
        f"TypeError: {MANY} {type(value).__name__ if not isinstance(value, np.ndarray) else ''}",
        read,
        value,
    )


@for_each("dtype", [np.float16, np.float32])
def test_single_precision_is_the_decimal_that_it_prints(dtype):
    array = np.array([0.1, 0.7], dtype=dtype)
    for rows in (array[None], [array], [list(array)]):
        assert_array_equal(read_grades(rows).total(), [0.1 + 0.7])
        assert_array_equal(read_scores(rows).values, [0.1, 0.7])
        assert read_grades(rows).count_above(0.1).tolist() == [1]
        assert read_grades(rows).count_above(0.0999999).tolist() == [2]


@for_each("hold", [
    list, pd.Series, lambda rows: pa.array(rows, pa.list_(pa.decimal128(5, 2))),
    lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(pa.decimal128(5, 2)))),
])  # fmt: skip
def test_decimal_numbers_are_numbers(hold):
    column = hold([[Decimal("0.10"), Decimal("1.00")], [Decimal("0.70"), None]])
    assert_array_equal(read_grades(column).values, [0.1, 1, 0.7, NAN])
    assert_array_equal(read_scores(column).values, [0.1, 1, 0.7, NAN])
    assert_array_equal(read_labels(column).codes.values, [0, 1, 2, -1])


ARRAYS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every second row": lambda table: np.repeat(table, 2, axis=0)[::2],
    "every second column": lambda table: np.repeat(table, 2, axis=1)[:, 1::2],
    "turned": lambda table: table[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda table: np.array(table.T).T,
    "other order of bytes": lambda table: table.astype(table.dtype.newbyteorder()),
    "matrix": lambda table: table.view(np.matrix),
    "read-only": lambda table: np.frombuffer(table.tobytes(), table.dtype).reshape(table.shape),
    "nothing masked": np.ma.array,
    "rows": list,
    "rows in other order of bytes": lambda table: list(table.astype(table.dtype.newbyteorder())),
    "objects": lambda table: table.astype(object) if table.dtype.itemsize in (1, 8) else table,
    "wide floats": lambda table: (
        table.astype(np.longdouble) if table.dtype == np.float64 else table
    ),
}


@for_rows("form", ARRAYS)
@for_each("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint64, np.uint8, bool])
def test_any_layout(form, dtype):
    table = np.array([[0, 0.1, 1], [1, 0.7, 0.25]]).astype(dtype)
    decimals = [
        [float(str(number)) if dtype is not bool else float(number) for number in row]
        for row in table
    ]
    for read in (read_grades, read_scores, read_weights):
        column = read(form(table))
        assert [
            columns.to_float64(row).tolist() for row in np.split(column.values, [3])
        ] == decimals


@for_each("dtype", [np.float32, np.float64, np.int8, np.bool_])
def test_tables_are_not_copied(dtype):
    table = np.eye(4, dtype=dtype)
    for part in (table, table[1:3]):
        grades = read_grades(part).values
        assert np.shares_memory(grades, table)
        assert grades.dtype == dtype
    assert np.shares_memory(read_scores(np.asarray(table, dtype=np.float64)).values, table) == (
        dtype == np.float64
    )
    scores = np.zeros((2, 3, 4))
    assert np.shares_memory(read_scores(scores).values, scores)


@for_each("order", "<>")
def test_the_edge_of_a_threshold_in_single_precision(order):
    """np.float32(0.1) is 0.1, which is not above 0.1, and is above every float below."""
    for kind, number in (("f2", 0.1), ("f4", 0.1), ("f4", 0.7), ("f4", 0.3), ("f2", 0.55)):
        table = np.full((1, 2), number).astype(order + kind)
        for graded in (read_grades(table), read_grades(list(table))):
            for threshold, above in (
                (number, 0),
                (number + 1e-10, 0),
                (number - 1e-10, 2),
                (np.nextafter(number, 1), 0),
                (np.nextafter(number, 0), 2),
            ):
                assert graded.count_above(threshold).tolist() == [above]
                assert int(graded.above(threshold).values.sum()) == above


@for_each("dtype", ["<i8", ">i8", "<u8", ">u8"])
def test_integers_that_no_float_holds(dtype):
    table = np.array([[1, 2**53], [0, 2**53 + 1]]).astype(dtype)
    for rows in (table, list(table), table[:, :, None]):
        refuses(
            "ValueError: fit in a float; got 9007199254740993 … in problem 1, sample 1",
            read_scores,
            rows,
        )
    assert_array_equal(read_scores(table[:1]).values, [1, 2**53])
    if dtype.endswith("i8"):
        assert_array_equal(read_scores(-table[:1]).values, [-1, -(2**53)])
        refuses("ValueError: got -9007199254740993", read_scores, -table)

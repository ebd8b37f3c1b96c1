"""Columns as users hold them: what is read out of them, and what their errors say."""

from collections import deque
from decimal import Decimal
from enum import Enum

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from numpy.testing import assert_array_equal

from at_k import columns

NAN = float("nan")


def raises(error, said, call, *args, **kwargs):
    with pytest.raises(error) as caught:
        call(*args, **kwargs)
    for words in said:
        assert words in str(caught.value)


def rows(column):
    return [part.tolist() for part in np.split(column.values, column.offsets[1:-1])]


def texts(column):
    return [[None if code < 0 else column.distinct[code] for code in row] for row in rows(column.codes)]


def of_dataset(values):
    return datasets.Dataset.from_dict({"column": values})["column"]


def formatted(style):
    return lambda values: datasets.Dataset.from_dict({"column": values}).with_format(style)[:]["column"]


CONTAINERS = {
    "lists": lambda values: values,
    "tuples": lambda values: tuple(map(tuple, values)),
    "rows of arrays": lambda values: [np.array(row) for row in values],
    "objects": lambda values: np.array([*map(list, values), None], dtype=object)[:-1],
    "series": pd.Series,
    "arrow": pa.array,
    "chunks": lambda values: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])]),
    "dataset": of_dataset,
    "formatted dataset": formatted("pandas"),
    "rows of a dataset": formatted(None),
    "arrays of a dataset": formatted("numpy"),
    "indexed series": lambda values: pd.Series(values, index=range(7, 7 + len(values))),
    "series of arrays": lambda values: pd.Series(list(map(np.array, values))),
    "generator": iter,
}

containers = for_each("held", CONTAINERS.values(), ids=CONTAINERS)


class TestAnswers:
    @containers
    def test_containers(self, held):
        values = [["a", "b", "a"], ["c"], [" a", ""]]
        assert texts(columns.read_answers(held(values))) == values

    @for_each("held", [CONTAINERS[name] for name in ("lists", "tuples", "arrow", "chunks", "dataset")])
    def test_missing_ones(self, held):
        values = [["a", None], [None, None, "b"]]
        assert texts(columns.read_answers(held(values))) == values

    @for_each("missing", [NAN, np.nan, np.float32("nan"), pd.NA, pd.NaT])
    def test_missing_ones_of_pandas(self, missing):
        values = [["a", missing], [missing, missing, "b"]]
        for held in (values, pd.Series(values)):
            assert texts(columns.read_answers(held)) == [["a", None], [None, None, "b"]]
        grades = columns.read_grades(pd.Series([[1, missing], [0.5]]))
        assert np.isnan(grades.values).tolist() == [False, True, False]

    def test_a_matrix(self):
        assert texts(columns.read_answers(np.array([["a", "b"], ["b", "b"]]))) == [["a", "b"], ["b", "b"]]

    def test_subclasses_become_strings(self):
        class Text(str):
            __slots__ = ()

            def __str__(self):
                return "something else"

        column = columns.read_answers([[np.str_("a"), Text("b"), "b"]])
        assert column.distinct == ("a", "b")
        assert {type(text) for text in column.distinct} == {str}

    @for_each(
        "values, error, said",
        [
            ([["a"], ["b", 3]], TypeError, ["strings", "3", "int", "problem 1, sample 1"]),
            ([["a"], [True]], TypeError, ["True", "bool", "problem 1, sample 0"]),
            ([["a"], [7.0]], TypeError, ["7.0", "float", "problem 1, sample 0"]),
            ([["a"], NAN], TypeError, ["nan", "problem 1"]),
            ([["a"], pd.NA], TypeError, ["None", "problem 1"]),
            ([["a"], [["b"]]], TypeError, ["['b']", "list", "problem 1, sample 0"]),
            ([["a"], [b"b"]], TypeError, ["b'b'", "bytes", "problem 1, sample 0"]),
            ([["a"], "b"], TypeError, ["'b'", "str", "problem 1"]),
            ([["a"], None], TypeError, ["None", "problem 1"]),
            ([["a"], {"b": 1}], TypeError, ["{'b': 1}", "dict", "problem 1"]),
            ([["a"], {"b"}], TypeError, ["{'b'}", "set", "problem 1"]),
            ([["a"], []], ValueError, ["at least one sample", "problem 1"]),
            ("ab", TypeError, ["'ab'", "str"]),
            (b"ab", TypeError, ["bytes"]),
            (7, TypeError, ["7", "int"]),
            (None, TypeError, ["None"]),
            ({"a": ["b"]}, TypeError, ["dict"]),
            ({"a", "b"}, TypeError, ["set"]),
        ],
    )
    def test_errors(self, values, error, said):
        raises(error, ["`predictions`", *said], columns.read_answers, values)
        raises(error, ["`texts`", *said], columns.read_answers, values, "texts")

    def test_a_long_value_is_cut(self):
        raises(TypeError, ["...", "of type tuple"], columns.read_answers, [[tuple(range(10_000))]])
        with pytest.raises(TypeError) as caught:
            columns.read_answers([[tuple(range(10_000))]])
        assert len(str(caught.value)) < 200


class TestLabels:
    def test_anything_hashable(self):
        values = [["a", "b", "a"], [(1, 2), (1, 2)], [3, 4]]
        assert texts(columns.read_labels(values)) == values

    def test_none_and_nan_are_no_answer(self):
        assert texts(columns.read_labels([[1.5, NAN, None], np.array([NAN, 2.0])])) == [[1.5, None, None], [None, 2.0]]

    def test_equal_answers_of_different_problems_are_one(self):
        assert columns.read_labels([["a"], ["b", "a"]]).distinct == ("a", "b")

    @for_each("value", [["b"], {"b": 1}, {"b"}, np.array([1, 2])])
    def test_errors(self, value):
        raises(TypeError, ["`votes`", "hashable", type(value).__name__, "problem 1, sample 2"],
               columns.read_labels, [["a"], ["a", "b", value]])  # fmt: skip


class TestGrades:
    @containers
    def test_containers(self, held):
        values = [[1.0, 0.0, 0.5], [1.0], [0.25, 0.75]]
        assert rows(columns.read_grades(held(values))) == values

    @for_each("kind", [bool, np.int8, np.uint64, np.float16, np.float64])
    def test_a_matrix(self, kind):
        column = columns.read_grades(np.array([[1, 0, 1], [0, 0, 1]], dtype=kind))
        assert rows(column) == [[1, 0, 1], [0, 0, 1]]
        assert column.values.dtype == kind  # taken as it is

    def test_all_kinds_of_numbers(self):
        values = [[True, 1, 1.0, np.True_, np.int8(1), np.float32(1)], [False, 0, -0.0, np.uint8(0)]]
        assert_array_equal(columns.read_grades(values).values, [1] * 6 + [0] * 4)

    def test_missing_ones(self):
        assert_array_equal(columns.read_grades([[1, None], [NAN]]).values, [1, NAN, NAN])
        raises(
            ValueError, ["`correct`", "problem 0, sample 1"], columns.read_grades, [[1, None]], "correct", missing=False
        )
        raises(
            ValueError,
            ["`correct`", "problem 1, sample 0"],
            columns.read_grades,
            [[1], [NAN]],
            "correct",
            missing=False,
        )

    @for_each(
        "values, error, said",
        [
            ([[1], [0, 1.5]], ValueError, ["[0, 1]", "1.5", "problem 1, sample 1"]),
            ([[1], [-1e-9]], ValueError, ["-1e-09", "problem 1, sample 0"]),
            ([[1], [float("inf")]], ValueError, ["inf", "problem 1, sample 0"]),
            (np.array([[1, 0], [0, 2]]), ValueError, ["2", "problem 1, sample 1"]),
            ([[1], [0, "1"]], TypeError, ["'1'", "str", "problem 1, sample 1"]),
            ([[1], [[0]]], TypeError, ["[0]", "list", "problem 1, sample 0"]),
            ([[1], [1j]], TypeError, ["1j", "complex", "problem 1, sample 0"]),
            ([[1], [10**400]], ValueError, ["problem 1, sample 0"]),
            ([1, 0], TypeError, ["1", "int", "problem 0"]),
            (np.array([1, 0]), TypeError, ["1", "int", "problem 0"]),
            ([[1], []], ValueError, ["problem 1"]),
            (np.empty((2, 0)), ValueError, ["problem 0"]),
            ("10", TypeError, ["'10'", "str"]),
        ],
    )
    def test_errors(self, values, error, said):
        raises(error, ["`predictions`", *said], columns.read_grades, values)


class TestWeights:
    def test_finite_and_not_negative(self):
        assert rows(columns.read_weights([[0, 2.5], (1e300,), np.array([True])])) == [[0, 2.5], [1e300], [1]]

    @for_each(
        "weight, error",
        [(-1, ValueError), (NAN, ValueError), (None, ValueError), (float("inf"), ValueError), ("1", TypeError)],
    )
    def test_errors(self, weight, error):
        raises(error, ["`weights`", "problem 1, sample 1"], columns.read_weights, [[1], [1, weight]])


class TestScores:
    @containers
    def test_one_dimension(self, held):
        values = [[-1.5, 2.0], [0.0]]
        assert rows(columns.read_scores(held(values))) == values

    @containers
    def test_several_dimensions(self, held):
        values = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]
        column = columns.read_scores(held(values))
        assert rows(column) == values
        assert column.values.shape == (3, 2)

    def test_a_cube(self):
        column = columns.read_scores(np.arange(12).reshape(2, 3, 2))
        assert_array_equal(column.values, np.arange(12).reshape(6, 2))
        assert_array_equal(column.n, [3, 3])

    def test_missing_ones_stay(self):
        """A missing sample has no score; whether that is a fault is decided when scores are compared."""
        assert_array_equal(columns.read_scores([[1, None], [NAN]]).values, [1, NAN, NAN])
        assert_array_equal(columns.read_scores([[[1, 2], None], [[3, None]]]).values, [[1, 2], [NAN, NAN], [3, NAN]])

    def test_what_is_checked_is_not_checked_again(self):
        column = columns.read_scores([[1, 2]])
        assert columns.read_scores(column) is column

    @for_each(
        "values, error, said",
        [
            ([[1], [2, float("inf")]], ValueError, ["inf", "problem 1, sample 1"]),
            ([[[1, 2]], [[3, -float("inf")]]], ValueError, ["-inf", "problem 1, sample 0"]),
            ([[1], [2, "3"]], TypeError, ["'3'", "problem 1, sample 1"]),
            ([[[1, 2]], [[3, "4"]]], TypeError, ["'4'", "problem 1, sample 0"]),
            ([[[1, 2]], [[3]]], ValueError, ["1", "problem 1, sample 0", "2"]),
            ([[[1, 2]], [3]], TypeError, ["3", "int", "problem 1, sample 0"]),
            ([[3], [[1, 2]]], TypeError, ["3", "int", "problem 0, sample 0"]),
            ([[[]], [[]]], ValueError, ["problem 0, sample 0"]),
            ([[[[1]]]], TypeError, ["[1]", "list", "problem 0, sample 0"]),
        ],
    )
    def test_errors(self, values, error, said):
        raises(error, ["`scores`", *said], columns.read_scores, values)


class TestReferences:
    def test_one_or_several_answers(self):
        assert columns.read_references(["a", ["b", "c"], ("d",), np.array(["e", "f"])]) == [
            ("a",), ("b", "c"), ("d",), ("e", "f"),
        ]  # fmt: skip

    @for_each("held", [list, tuple, np.array, pd.Series, pa.array, of_dataset, iter])
    def test_containers(self, held):
        references = columns.read_references(held(["a", "b"]))
        assert references == [("a",), ("b",)]
        assert {type(text) for (text,) in references} == {str}

    @for_each(
        "values, error, said",
        [
            (["a", None], ValueError, ["None", "problem 1"]),
            (["a", ["b", None]], ValueError, ["None", "problem 1"]),
            (["a", []], ValueError, ["[]", "problem 1"]),
            (["a", 7], TypeError, ["7", "int", "problem 1"]),
            (["a", ["b", 7]], TypeError, ["7", "int", "problem 1"]),
            (["a", [["b"]]], TypeError, ["['b']", "list", "problem 1"]),
            (["a", {"b": 1}], TypeError, ["dict", "problem 1"]),
            ("ab", TypeError, ["'ab'", "str"]),
        ],
    )
    def test_errors(self, values, error, said):
        raises(error, ["`references`", *said], columns.read_references, values)


class TestGroups:
    def test_labels_are_spelled_as_given(self):
        assert columns.read_groups(["AIME_2024", "a/b", ""]) == ["AIME_2024", "a/b", ""]
        assert columns.read_groups([2024, 2025, np.int64(2024)]) == ["2024", "2025", "2024"]
        assert columns.read_groups(["easy", 1]) == ["easy", "1"]

    @for_each("held", [list, tuple, np.array, pd.Series, pa.array, of_dataset, iter])
    def test_containers(self, held):
        assert columns.read_groups(held(["a", "b"])) == ["a", "b"]

    @for_each(
        "values, error, said",
        [
            (["a", None], ValueError, ["None", "problem 1"]),
            (["a", NAN], ValueError, ["nan", "problem 1"]),
            (["a", 1.5], TypeError, ["1.5", "float", "problem 1"]),
            (["a", True], TypeError, ["True", "bool", "problem 1"]),
            (["a", ["b"]], TypeError, ["['b']", "list", "problem 1"]),
            (["1", 1], ValueError, ["'1'", "problem 1"]),
            ("ab", TypeError, ["'ab'", "str"]),
        ],
    )
    def test_errors(self, values, error, said):
        raises(error, ["`groups`", *said], columns.read_groups, values)


def test_as_many_problems():
    columns.require_same_problems("scores", 3, "predictions", 3)
    raises(
        ValueError,
        ["`scores`", "`predictions`", "3 and 2"],
        columns.require_same_problems,
        "scores",
        3,
        "predictions",
        2,
    )


def test_as_many_samples():
    n = np.array([1, 2, 3])
    columns.require_same_samples("scores", n, "predictions", n)
    raises(
        ValueError,
        ["`scores`", "`predictions`", "3 and 2"],
        columns.require_same_samples,
        "scores",
        n,
        "predictions",
        n[:2],
    )
    raises(ValueError, ["`scores`", "`predictions`", "2 and 5", "problem 1"],
           columns.require_same_samples, "scores", n, "predictions", np.array([1, 5, 4]))  # fmt: skip


class TestNothingIsCastSilently:
    def test_masked_samples_are_missing(self):
        masked = np.ma.array([[1.0, 1.0], [1, 1]], mask=[[False, True], [False, False]])
        assert_array_equal(columns.read_grades(masked).values, [1, np.nan, 1, 1])
        assert_array_equal(columns.read_scores(masked[..., None]).values, [[1], [np.nan], [1], [1]])

    @for_each("dtype", [np.float16, np.float32])
    def test_single_precision_is_the_decimal_that_it_prints(self, dtype):
        for rows in (
            np.array([[0.1, 0.7]], dtype=dtype),
            [np.array([0.1, 0.7], dtype=dtype)],
            [[dtype(0.1), dtype(0.7)]],
        ):
            assert_array_equal(columns.read_grades(rows).total(), [0.1 + 0.7])
            assert_array_equal(columns.read_scores(rows).values, [0.1, 0.7])
            assert columns.read_grades(rows).count_above(0.1).tolist() == [1]
            assert columns.read_grades(rows).count_above(0.0999999).tolist() == [2]

    @for_each(
        "hold",
        [
            list,
            pd.Series,
            lambda rows: pa.array(rows, pa.list_(pa.decimal128(5, 2))),
            lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.list_(pa.decimal128(5, 2)))),
        ],
    )
    def test_decimal_numbers_are_numbers(self, hold):
        column = hold([[Decimal("0.10"), Decimal("1.00")], [Decimal("0.70"), None]])
        assert_array_equal(columns.read_grades(column).values, [0.1, 1, 0.7, np.nan])
        assert_array_equal(columns.read_scores(column).values, [0.1, 1, 0.7, np.nan])
        assert_array_equal(columns.read_labels(column).codes.values, [0, 1, 2, -1])

    @for_each(
        "rows",
        [[[2**53 + 1, 1]], np.array([[2**53 + 1, 1]]), [[10**400, 1]], [[Decimal(2**53 + 1)]], [[Decimal(10**400)]]],
    )
    def test_integers_that_no_float_holds_are_refused(self, rows):
        with pytest.raises(
            ValueError, match=r"`scores` must hold numbers that fit in a float; got .*9007199254740993|got .*1000"
        ):
            columns.read_scores(rows)
        assert_array_equal(columns.read_scores([[2**53, 2**62]]).values, [2.0**53, 2.0**62])

    def test_a_table_is_not_a_column(self):
        table = pd.DataFrame({"question": ["q1", "q2"], "answer": ["4", "7"]})
        for read in (columns.read_references, columns.read_groups, columns.read_answers):
            with pytest.raises(TypeError, match="must be a list with one entry per problem"):
                read(table)

    @for_each(
        "read",
        [columns.read_answers, columns.read_grades, columns.read_scores, columns.read_references, columns.read_groups],
    )
    def test_a_single_value_is_not_a_column(self, read):
        with pytest.raises(TypeError, match="must be a list with one entry per problem"):
            read(np.array(1.0))

    def test_a_score_that_is_an_array_without_dimensions(self):
        with pytest.raises(TypeError, match=r"`scores` must hold numbers, or a list of them .* problem 0, sample 0"):
            columns.read_scores([[np.array(1.0), np.array(2.0)]])


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
    "wide floats": lambda table: table.astype(np.longdouble) if table.dtype == np.float64 else table,
}


class TestArrays:
    @for_each("form", ARRAYS.values(), ids=ARRAYS)
    @for_each("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint64, np.uint8, bool])
    def test_any_layout(self, form, dtype):
        table = np.array([[0, 0.1, 1], [1, 0.7, 0.25]]).astype(dtype)
        decimals = [[float(str(number)) if dtype is not bool else float(number) for number in row] for row in table]
        for read in (columns.read_grades, columns.read_scores, columns.read_weights):
            column = read(form(table))
            assert [columns.to_float64(row).tolist() for row in np.split(column.values, [3])] == decimals

    @for_each("dtype", [np.float32, np.float64, np.int8, np.bool_])
    def test_tables_are_not_copied(self, dtype):
        table = np.eye(4, dtype=dtype)
        assert np.shares_memory(columns.read_grades(table).values, table)
        assert np.shares_memory(columns.read_grades(table[1:3]).values, table)
        assert np.shares_memory(columns.read_scores(np.asarray(table, dtype=np.float64)).values, table) == (
            dtype == np.float64
        )
        scores = np.zeros((2, 3, 4))
        assert np.shares_memory(columns.read_scores(scores).values, scores)

    @for_each("order", "<>")
    def test_the_edge_of_a_threshold_in_single_precision(self, order):
        """np.float32(0.1) is 0.1, which is not above 0.1, and is above every float below."""
        for kind, number in (("f2", 0.1), ("f4", 0.1), ("f4", 0.7), ("f4", 0.3), ("f2", 0.55)):
            table = np.full((1, 2), number).astype(order + kind)
            for rows in (table, list(table)):
                graded = columns.read_grades(rows)
                for threshold, above in (
                    (number, 0), (number + 1e-10, 0), (number - 1e-10, 2),
                    (np.nextafter(number, 1), 0), (np.nextafter(number, 0), 2),
                ):  # fmt: skip
                    assert graded.count_above(threshold).tolist() == [above]
                    assert int(graded.above(threshold).values.sum()) == above

    @for_each("dtype", ["<i8", ">i8", "<u8", ">u8"])
    def test_integers_that_no_float_holds(self, dtype):
        table = np.array([[1, 2**53], [0, 2**53 + 1]]).astype(dtype)
        for rows in (table, list(table), table[:, :, None]):
            with pytest.raises(ValueError, match=r"fit in a float; got 9007199254740993 .*in problem 1, sample 1"):
                columns.read_scores(rows)
        assert_array_equal(columns.read_scores(table[:1]).values, [1, 2**53])
        if dtype.endswith("i8"):
            assert_array_equal(columns.read_scores(-table[:1]).values, [-1, -(2**53)])
            with pytest.raises(ValueError, match="got -9007199254740993"):
                columns.read_scores(-table)

    def test_masked_answers_and_weights_are_missing(self):
        answers = np.ma.array([["a", "b"]], mask=[[False, True]])
        assert texts(columns.read_answers(answers)) == [["a", None]]
        weights = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
        raises(ValueError, ["`weights`", "problem 0, sample 0"], columns.read_weights, weights)
        assert_array_equal(columns.read_weights(weights, missing=True).values, [NAN, 2])

    @for_each("kind", ["m8[s]", "M8[s]"])
    def test_times_are_no_numbers(self, kind):
        table = np.array([[0, 1]]).astype(kind)
        for rows in (table, list(table), [list(table[0])]):
            raises(TypeError, ["`predictions`", "numbers", "problem 0, sample 0"], columns.read_grades, rows)


def test_a_mixture_of_types_names_the_first_answer_and_the_first_other():
    raises(TypeError, ["got 3 of type int in problem 1, sample 3, beside 'a' of type str"],
           columns.read_labels, [["x"], [None, "a", "b", 3, 4.0]])  # fmt: skip


class TestOddValues:
    def test_a_column_that_is_a_deque_or_of_deques(self):
        assert texts(columns.read_answers(deque([deque("ab"), ["c"]]))) == [["a", "b"], ["c"]]
        assert rows(columns.read_grades(deque([deque([1, 0])]))) == [[1, 0]]
        assert columns.read_references(deque(["a", deque(["b", "c"])])) == [("a",), ("b", "c")]
        assert columns.read_groups(deque(["x", "y"])) == ["x", "y"]

    def test_bytes_are_no_column(self):
        for value in (b"\x00\x01", bytearray(b"\x00\x01")):
            for read in (columns.read_grades, columns.read_scores, columns.read_references, columns.read_groups):
                raises(TypeError, ["one entry per problem", type(value).__name__], read, value)

    def test_bytes_are_no_row(self):
        for value in (b"\x00\x01", bytearray(b"\x00\x01")):
            raises(TypeError, ["list of samples", "problem 0"], columns.read_grades, [value])

    def test_enumerations_of_texts_are_spelled_by_their_values(self):
        class Level(str, Enum):
            EASY = "easy"

        assert columns.read_groups([Level.EASY, "easy"]) == ["easy", "easy"]
        assert columns.read_references([Level.EASY, [Level.EASY]]) == [("easy",), ("easy",)]
        assert columns.read_answers([[Level.EASY, "easy"]]).distinct == ("easy",)

    def test_integers_as_labels_are_spelled_in_full(self):
        labels = [10**100 + 1, 10**100 + 2, 2**64]
        assert columns.read_groups(labels) == [str(10**100 + 1), str(10**100 + 2), "18446744073709551616"]

    @for_each("read", [columns.read_grades, columns.read_weights, columns.read_scores])
    def test_integers_of_five_thousand_digits(self, read):
        raises(ValueError, ["an integer of 16610 bits", "problem 0, sample 1"], read, [[1, 10**5000]])
        raises(ValueError, ["an integer of 16610 bits", "problem 0, sample 1"], read, [[1, -(10**5000)]])

    def test_labels_and_answers_of_five_thousand_digits(self):
        raises(ValueError, ["`groups`", "an integer of 16610 bits in problem 1"], columns.read_groups, [1, 10**5000])
        raises(TypeError, ["`predictions`", "an integer of 16610 bits"], columns.read_answers, [["a", 10**5000]])
        raises(TypeError, ["`references`", "an integer of 16610 bits"], columns.read_references, [10**5000])

    def test_a_sentence_shows_a_number_alike_in_every_form(self):
        for held in (lists, np.array, pa.array):
            raises(ValueError, ["got 2 in problem 1, sample 0"], columns.read_grades, held([[1, 0], [2, 0]]))
            raises(ValueError, ["got -2 in problem 1, sample 0"], columns.read_weights, held([[1.0, 0.0], [-2.0, 0.0]]))


def lists(values):
    return values

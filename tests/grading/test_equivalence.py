"""Answers that mean the same vote together."""

from itertools import combinations, permutations

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, strategies as st

import at_k
from at_k.columns import read_problems
from at_k.errors import InputError
from at_k.grading import judge
from at_k.grading.checkers import checkers
from at_k.grading.equivalence import find_equivalence, merge_equivalent

HALF = ["0.5", "½", r"\frac{1}{2}", r"50\%"]


def merge(rows, equivalence, references=None, **options):
    options = {"num_workers": 1} | options  # each imports SymPy for a second
    problems = read_problems(answers=rows, references=references or ["-"] * len(rows))
    return merge_equivalent(
        problems.answers,
        find_equivalence(equivalence),
        problems.references if references else None,
        **options,
    )


def show(answers):
    texts = [answers.distinct[code] if code >= 0 else None for code in answers.codes.values]
    return [
        row.tolist() for row in np.split(np.array(texts, dtype=object), answers.codes.offsets[1:-1])
    ]


@pytest.mark.parametrize(
    "equivalence", ["numeric", pytest.param("math", marks=pytest.mark.xdist_group("math"))]
)
def test_spellings_of_a_half_vote_together(equivalence):
    assert show(merge([[*HALF, "0.5", "2", None]], equivalence)[0]) == [["0.5"] * 5 + ["2", None]]


@pytest.mark.xdist_group("math")
def test_expressions_vote_together_but_numbers_only_if_equal():
    """Math-Verify accepts 50% for 50 and for 0.5. A chain of these would let 50 and 0.5 vote together."""
    rows = [["(x+1)^2", "x^2+2x+1", "x"], [r"50\%", "50", "0.5"]]
    assert show(merge(rows, "math")[0]) == [["(x+1)^2", "(x+1)^2", "x"], ["0.5", "50", "0.5"]]


def test_the_most_frequent_spelling_stands_for_a_class_whatever_the_order():
    for row in set(permutations(["1/2", "0.50", "0.50", "0.5", "3"])):
        assert sorted(show(merge([list(row)], "numeric")[0])[0]) == ["0.50"] * 4 + ["3"]
    for row in permutations(["1/2", "0.5", ".5", "½"]):
        assert show(merge([list(row)], "numeric")[0]) == [
            ["½"] * 4
        ]  # of equally frequent ones the shortest
    for row in permutations(["1/2", "2/4", "0.5"]):
        assert show(merge([list(row)], "numeric")[0]) == [
            ["0.5"] * 3
        ]  # then the first in the order of characters


def test_each_problem_has_its_own_spelling():
    assert show(merge([["0.5", "0.5", "1/2"], ["0.5", "1/2", "1/2"]], "numeric")[0]) == [
        ["0.5"] * 3,
        ["1/2"] * 3,
    ]


def near(a, b):
    return abs(int(a) - int(b)) <= 1


@for_each(
    "row, classes",
    [
        (
            "1237",
            ["1", "1", "3", "7"],
        ),  # 2 joins 1, the first in the order of characters, and 3 differs from 1
        ("12337", ["1", "3", "3", "3", "7"]),  # 2 joins 3, which is more frequent
        ("12237", ["2", "2", "2", "3", "7"]),
        ("12345", ["1", "1", "3", "3", "5"]),
    ],
)
def test_a_chain_does_not_join_what_differs_whatever_the_order(row, classes):
    for samples in set(permutations(row)):
        assert sorted(show(merge([list(samples)], near)[0])[0]) == classes


def test_a_relation_must_hold_in_both_directions():
    def longer(a, b):
        return a == b + "!"

    assert show(merge([["a", "a!", "b"]], longer)[0]) == [["a", "a!", "b"]]
    assert show(merge([["a!", "a", "b"]], longer)[0]) == [["a!", "a", "b"]]


@pytest.mark.xdist_group("math")
def test_a_stray_spelling_does_not_turn_a_wrong_majority_right():
    """Math-Verify accepts 1,2 for (1,2) and for (2,1), but (2,1) not for 1,2."""
    for row in set(permutations(["(2,1)", "(2,1)", "(2,1)", "1,2", "(1,2)"])):
        problems = read_problems(answers=[list(row)], references=["(1,2)"])
        verdicts = judge(problems, equivalence="math", check_correct_fn="math")
        assert verdicts.correct.values.tolist() == [text != "(2,1)" for text in row]
        assert at_k.cons_at_k(verdicts.answers.listed(), verdicts.correct.listed(), k=5) == [0]


def test_each_pair_is_compared_once_in_a_whole_call():
    calls = []

    def same(a, b):
        calls.append((a, b))
        return "c" not in (a, b)

    merge([["a", "b", "a"], ["b", "a"], ["c", "a"]], same)
    assert sorted(calls) == [("a", "b"), ("a", "c"), ("b", "a")]


@given(
    rows=st.lists(
        st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=9), min_size=1, max_size=3
    ),
    both_ways=st.sets(st.sampled_from(list(combinations("abcdefg", 2)))),
    one_way=st.sets(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg"))),
    data=st.data(),
)
def test_classes_agree_in_full_and_cannot_be_joined(rows, both_ways, one_way, data):
    def accepts(a, b):
        return (min(a, b), max(a, b)) in both_ways or (a, b) in one_way

    def agree(a, b):
        return accepts(a, b) and accepts(b, a)

    shown = show(merge(rows, accepts)[0])
    for row, names in zip(rows, shown, strict=True):
        classes = {}
        for text, name in zip(row, names, strict=True):
            classes.setdefault(name, set()).add(text)
        assert all(
            agree(*pair)
            for members in classes.values()
            for pair in combinations(sorted(members), 2)
        )
        for one, other in combinations(classes.values(), 2):
            assert not all(agree(a, b) for a in one for b in other)
        for name, members in classes.items():
            assert name == min(members, key=lambda text: (-row.count(text), text))
    places = [data.draw(st.permutations(range(len(row)))) for row in rows]
    shuffled = [[row[i] for i in order] for row, order in zip(rows, places, strict=True)]
    expected = [[names[i] for i in order] for names, order in zip(shown, places, strict=True)]
    assert show(merge(shuffled, accepts)[0]) == expected


def test_a_class_is_judged_by_the_reference_if_that_is_one_of_its_spellings():
    assert show(merge([["½", "½", "0.5", "3"]], "numeric", ["0.5"])[0]) == [["0.5"] * 3 + ["3"]]
    calls = []

    def equal(answer, reference):
        calls.append((answer, reference))
        return answer == reference

    problems = read_problems(answers=[["½", "½", "0.5", "3"]], references=["0.5"])
    verdicts = judge(problems, equivalence="numeric", check_correct_fn=equal)
    assert verdicts.correct.values.tolist() == [True, True, True, False]
    assert sorted(calls) == [("0.5", "0.5"), ("3", "0.5")]  # each class once


def test_checkers_are_relations_too():
    assert show(merge([["Paris.", "paris", "Rome"]], "quasi_exact")[0]) == [
        ["paris", "paris", "Rome"]
    ]
    near = checkers.numeric(rel_tol=0.1)
    assert show(merge([["100", "95", "50"]], near)[0]) == [["95", "95", "50"]]
    assert find_equivalence(near) is near
    assert find_equivalence("checker") is None


def test_values_that_are_no_relations_are_refused():
    with pytest.raises(
        InputError,
        match=r"`equivalence` must be a function or one of 'checker', 'exact'.*got 'maths'",
    ):
        find_equivalence("maths")
    with pytest.raises(
        TypeError, match="`equivalence` must be a function or the name of a checker; got 5"
    ):
        find_equivalence(5)
    with pytest.raises(
        TypeError,
        match=r"`equivalence` must return a bool; got 0\.7 of type float for the answers 'a'",
    ):
        merge([["a", "b"]], lambda a, b: 0.7)
    with pytest.raises(
        RuntimeError, match="`equivalence` failed on the answers 'a' and 'b': ZeroDivisionError"
    ):
        merge([["a", "b"]], lambda a, b: 1 / 0)


@pytest.mark.xdist_group("math")
def test_pairs_that_cannot_be_compared_count_as_different():
    answers, not_compared = merge([["9^{9^{9^{9}}}", "5", "5"]], "math", timeout=0.3)
    assert show(answers) == [["9^{9^{9^{9}}}", "5", "5"]]
    assert not_compared == {"timeout": 1}


@pytest.mark.xdist_group("math")
def test_a_thousand_answers_of_any_shape_are_read_once():
    shapes = [
        r"{i}\sqrt{{2}}+{j}",
        "{i}x^2 - {j}x + 5",
        "({i}, {j})",
        "x = {i}/{j}",
        r"\{{{i}, {j}\}}",
        "{i}<x<{j}",
        "y={i}x-{j}",
        r"\begin{{pmatrix}}{i}&{j}\\1&0\end{{pmatrix}}",
        r"e^{{{i}}}+\sin {j}",
        r"\frac{{{i}\pi}}{{{j}}}",
    ]
    row = [shapes[i % 10].format(i=i + 2, j=2 * i + 5) for i in range(60)]
    assert show(merge([row], "math")[0]) == [row]


@pytest.mark.xdist_group("math")
@for_each("row, classes", [
    (["5 m", "5"], 1), (["2x", "x2"], 1), (["x+1", "y+1"], 2), (["x^0", "1"], 1), (["x+1", "(x^2+x)/x"], 1),
    (["3x y", "3x"], 2), (["x^2+1", "1+x^2", "x^2+2"], 2), (["1/3", "0.333333", "0.3333"], 2),
    (["x = 5", "5", "2x = 10", "y = 5"], 3), ([r"\frac{\sqrt{2}}{2}", r"\frac{1}{\sqrt{2}}", "0.7071068"], 1),
    (["a+b", "A+B", "b + a"], 2), (["y = 2x+1", "2x - y + 1 = 0", "4x - 2y + 2 = 0"], 1), (["1<x<2", "1<x<3"], 2),
    (["x>2", "2<x", "x<2"], 2), (["10^{-20}", "10^{-21}", "0"], 3), (["10^{20}", "10^{20}+1"], 2),
    ([r"\sqrt{x^2}", "x"], 2), ([r"\text{East}", "east", "west"], 2), (["€5", "5", r"\$5"], 2),
    ([r"4\sqrt(2)", r"4\sqrt(2)", "4"], 2),
    ([r"\begin{pmatrix}1&2\end{pmatrix}", r"\begin{pmatrix}1&2.0\end{pmatrix}"], 1), (["2 3x", "23x"], 2),
    (["x -", "x"], 2), ([r"5\text{ a.m.}", r"5\text{ AM}", r"5\text{ p.m.}"], 2),
])  # fmt: skip
def test_classes_of_formulas(row, classes):
    """Beside x = 5, neither 2x = 10, which is not 5, nor y = 5 joins the class of 5."""
    assert len(set(show(merge([row], "math")[0])[0])) == classes


def test_votes_without_an_answer_stay():
    assert show(merge([[None, None]], "numeric")[0]) == [[None, None]]

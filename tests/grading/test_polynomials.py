"""Polynomials by their values modulo a prime, against their values on a grid of integers, which determine them."""

from cases import for_each
from hypothesis import given, settings, strategies as st

from at_k.grading.polynomials import evaluate


@for_each(
    "one, other, same",
    [
        ("2x+1", "1 + 2x", True),
        ("$x+x+1$", "2x+1", True),
        ("x^{12}", "1 x^{12}", True),
        ("(x+1)(x-1)", "x^2-1", True),
        (r"\frac{x^2+x}{x}", "x+1", True),
        (r"\left(x+y\right)^2", r"x^2 + 2 \cdot x y + y^2", True),
        ("x^{-1}", r"\frac{1}{x}", True),
        (r"\frac{x}{2} - \frac{x}{3}", "x/6", True),
        ("-x^2", "(-x)^2", False),
        ("x+1", "x+2", False),
        ("x+1", "y+1", False),
        ("x y", "x+y", False),
        ("x^0", "x/x", True),
        ("x z", "y^2", False),
    ],
)
def test_equal_expressions_have_equal_values(one, other, same):
    assert None not in (evaluate(one), evaluate(other))
    assert (evaluate(one).values == evaluate(other).values) is same


@for_each("text", [
        "", "5", "x =", "x = 1", "1/2x", "2 3x", "x2", "x -", "sin x", "e^x", "2^x", "x^{y}", "f(x)", "1/(x-x)", "xx\\",
        "(" * 20 + "x" + ")" * 20, "(x", "x)", r"\frac12x", r"\sqrt{x}", "x, y", "i + x", "x" * 301, "x!", "|x|",
        "x^1001", "x^{1", "0.5x", "tan x", "no", "ln x",
    ])  # fmt: skip
def test_what_is_left_to_math_verify(text):
    assert evaluate(text) is None


def spell(depth):
    if depth == 0:
        return st.one_of(st.integers(1, 9).map(str), st.sampled_from(["x", "y"]))
    inner = spell(depth - 1)
    return st.one_of(
        inner,
        st.tuples(inner, st.sampled_from([" + ", " - ", "*"]), inner).map(lambda parts: f"({''.join(parts)})"),
        st.tuples(inner, st.integers(0, 3)).map(lambda parts: f"({parts[0]})^{parts[1]}"),
    )


GRID = [(x, y) for x in range(-6, 7) for y in range(-6, 7)]
"""Two polynomials of at most degree 12 in each variable that agree here are equal."""


@settings(max_examples=200, deadline=None)
@given(one=spell(2), other=spell(2))
def test_values_agree_where_integers_do(one, other):
    first, second = evaluate(one), evaluate(other)
    assert (first is None) is not ("x" in one or "y" in one)
    if first and second:
        codes = [compile(text.replace("^", "**"), text, "eval") for text in (one, other)]
        same = all(eval(codes[0], {"x": x, "y": y}) == eval(codes[1], {"x": x, "y": y}) for x, y in GRID)
        assert (first.values == second.values) is same


def test_points_are_far_apart():
    values = {evaluate(letter).values for letter in "abcjklmnopqrstuvwxyzABCXYZ"}
    assert len(values) == 26
    assert all(len(set(each)) == len(each) for each in values)

"""What stands in the LaTeX, read back: binomials, counts, quotients and values, against enumeration."""

import re
from fractions import Fraction
from math import comb

import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from at_k.demo.curves import Setting
from at_k.demo.formulas import fill_in, write_digits

TAUS = (0.0, 0.07, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0)

NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?: \\cdot 10\^\{(-?\d+)\})?")
BINOMIAL = re.compile(r"\\binom\{(\d+)\}\{(\d+)\}")
QUOTIENT = re.compile(r"\\frac\{([^{}]*(?:\{-?\d+\}[^{}]*)*)\}\{([^{}]*(?:\{-?\d+\}[^{}]*)*)\}")


def number(text):
    """One number as it is written, and what half a unit of its last digit is worth."""
    mantissa, power = NUMBER.fullmatch(text).groups()
    scale = Fraction(10) ** int(power or 0)
    if "." not in mantissa:
        return Fraction(mantissa) * scale, Fraction(0)
    return Fraction(mantissa) * scale, scale / 10 ** len(mantissa.partition(".")[2]) / 2


def says(text, exact):
    """Whether a text gives an exact number, rounded."""
    from_one = text.startswith("1 - ")
    value, error = number(text.removeprefix("1 - "))
    # What is rounded is a float near the exact number.
    return abs((1 - value if from_one else value) - exact) <= error * (1 + Fraction(1, 10**9))


def balanced(text):
    depth = 0
    for character in re.sub(r"\\[{}]", "", text):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0


def lines(n, c, k, taus=TAUS, together=0):
    setting = Setting(n, c, together)
    made = fill_in(setting, k, taus)
    for line in made:
        assert balanced(line)
        assert "$" not in line
        assert line.count("&") == line.count("&=") == 1
    return [line.split(" &= ") for line in made]


def terms(text, exact):
    """Whether a sum has these terms: all of them, or the first two and the last."""
    given = text.split(" + ")
    if r"\dots" in given:
        assert len(exact) > 4
        assert given.index(r"\dots") == 2
        exact = [exact[0], exact[1], exact[-1]]
        given.remove(r"\dots")
    return len(given) == len(exact) and all(map(says, given, exact))


@pytest.mark.parametrize("n", range(1, 13))
def test_every_number_of_few_samples(n):
    for c in range(n + 1):
        for k in range(1, n + 1):
            average, one, *taus, mean, every = lines(n, c, k)
            ways = oracles.correct_drawn(n, c, k)
            total = sum(ways)
            choices = rf"\binom{{{n}}}{{{k}}}"

            assert average[0] == rf"\text{{avg@}}{n}"
            assert average[1].startswith(rf"\frac{{c}}{{n}} = \frac{{{c}}}{{{n}}} = ")
            assert says(average[1].split(" = ")[-1], Fraction(c, n))

            formula, quotient, value = one[1].split(" = ")
            assert one[0] == rf"\text{{pass@}}{k}"
            assert formula == rf"1 - \frac{{\binom{{{n - c}}}{{{k}}}}}{{{choices}}}"
            assert quotient == rf"1 - \frac{{{ways[0]}}}{{{total}}}"
            assert says(value, oracles.tail(ways, 1))

            for tau, (name, text) in zip(TAUS, taus, strict=True):
                m = oracles.needed(tau, k)
                assert name == rf"\text{{G-Pass@}}{k}_{{{tau}}}"
                term = rf"\frac{{\binom{{{c}}}{{j}} \binom{{{n - c}}}{{{k}-j}}}}{{{choices}}}"
                formula, value = rf"\sum_{{j={m}}}^{{{k}}} {term} = ", text.split(" = ")[-1]
                assert text.startswith(formula)
                above, below = QUOTIENT.fullmatch(text.removeprefix(formula).removesuffix(f" = {value}")).groups()
                assert below == str(total)
                assert terms(above, ways[m:])
                assert says(value, oracles.tail(ways, m))

            first = (k + 1) // 2 + 1
            formula, sum_, value = mean[1].split(" = ")
            assert mean[0] == rf"\text{{mG-Pass@}}{k}"
            assert formula == rf"\frac{{2}}{{{k}}} \sum_{{i={first}}}^{{{k}}} \text{{G-Pass@}}{k}_{{i/{k}}}"
            assert sum_.startswith(rf"\frac{{2}}{{{k}}} (")
            tails = [oracles.tail(ways, i) for i in range(first, k + 1)] or [Fraction(0)]
            assert terms(sum_.partition("(")[2].removesuffix(")"), tails)
            assert says(value, oracles.mg_pass(ways))

            formula, quotient, value = every[1].split(" = ")
            assert every[0] == rf"\text{{pass\textasciicircum}}{k}"
            assert formula == rf"\frac{{\binom{{{c}}}{{{k}}}}}{{{choices}}}"
            assert quotient == rf"\frac{{{ways[k]}}}{{{total}}}"
            assert says(value, oracles.tail(ways, k))


@pytest.mark.parametrize(
    ("n", "c", "k"),
    [(256, 128, 128), (256, 128, 100), (256, 1, 256), (256, 0, 1), (256, 256, 256), (256, 255, 2), (100, 3, 90)],
)
def test_many_samples_are_written_shortly(n, c, k):
    made = lines(n, c, k)
    ways = oracles.hypergeometric(n, c, k)
    for name, text in made:
        assert len(name) + len(text) < 300
        for of, drawn in BINOMIAL.findall(text):
            assert (int(of), int(drawn)) in {(n, k), (n - c, k), (c, k)}
    quotients = {name: QUOTIENT.findall(text) for name, text in made}
    values = {name: text.split(" = ")[-1] for name, text in made}
    assert says(values[rf"\text{{pass@}}{k}"], oracles.tail(ways, 1))  # 1 − 10⁻⁴⁵ is not 1
    assert says(values[rf"\text{{mG-Pass@}}{k}"], oracles.mg_pass(ways))
    assert says(values[rf"\text{{pass\textasciicircum}}{k}"], oracles.tail(ways, k))
    assert terms(quotients[rf"\text{{pass@}}{k}"][-1][0], [comb(n - c, k)])
    assert terms(quotients[rf"\text{{pass\textasciicircum}}{k}"][-1][0], [comb(c, k)])
    for tau in TAUS:
        above, below = quotients[rf"\text{{G-Pass@}}{k}_{{{tau}}}"][-1]
        assert says(below, comb(n, k))
        assert terms(above, ways[oracles.needed(tau, k) :])
        assert says(values[rf"\text{{G-Pass@}}{k}_{{{tau}}}"], oracles.tail(ways, oracles.needed(tau, k)))


SMALL = st.fractions(0, Fraction(1, 1000)) | st.integers(0, 250).map(lambda power: Fraction(1, 2**power))


@given(st.fractions(0, 1) | SMALL | SMALL.map(lambda small: 1 - small))
@example(Fraction("0.00095"))
@example(Fraction("0.99995"))
@example(1 - Fraction(1, 10**60))
def test_digits_are_those_of_the_number(value):
    text = write_digits(value)
    assert balanced(text)
    assert len(text) <= 30
    assert text not in ("0.0000", "1.0000")
    assert (text == "0") == (value == 0)
    assert (text == "1") == (value == 1)
    assert says(text, value)
    if 0 < value < 1:
        assert len(NUMBER.match(text.removeprefix("1 - "))[1].lstrip("0.")) >= 2

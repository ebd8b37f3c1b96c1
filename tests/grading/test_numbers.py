"""Numbers as people and models write them."""

from decimal import Decimal
from fractions import Fraction

from bounds import hold, timed
from cases import for_each
from hypothesis import given, strategies as st

from at_k.grading.numbers import read_number
from at_k.grading.statements import find_last_number

SPELLED = [
    ("42", 42), (" 42 ", 42), ("42.", 42), ("42.0", 42), ("٤٢", 42), ("+7", 7), ("007", 7), ("−7", -7),
    (".5", Fraction(1, 2)), ("50%", Fraction(1, 2)), (r"50\%", Fraction(1, 2)), ("½", Fraction(1, 2)),
    (r"\frac{1}{2}", Fraction(1, 2)), (r"\frac12", Fraction(1, 2)), ("५०％", Fraction(1, 2)),
    ("-0.05", Fraction(-1, 20)), ("1,234", 1234), ("1\u202f234", 1234), ("1'234", 1234),
    ("1,234,567.89", Fraction(123456789, 100)), ("1 234.5", Fraction(2469, 2)), ("１，２３４．５", Fraction(2469, 2)),
    ("1_000", 1000), ("1{,}000", 1000), (r"1\,000", 1000), (r"$\$1,000$", 1000),
    ("1.234,56", Fraction(123456, 100)), ("1.234.567", 1234567), ("12.5 percent", Fraction(1, 8)),
    ("1/2%", Fraction(1, 200)), ("$5", 5), (r"\$5", 5), ("$5$", 5), (r"\(5\)", 5), ("5 dollars", 5),
    ("EUR 5", 5), ("5 €", 5), ("-$5", -5), ("$-5", -5), ("1e5", 100000), ("10^5", 100000),
    ("1.2E-3", Fraction(12, 10000)), ("1.2×10^5", 120000), (r"1.2 \times 10^{5}", 120000),
    ("3×10⁻²", Fraction(3, 100)), ("3/4", Fraction(3, 4)), ("1.5/2", Fraction(3, 4)),
    ("-3 / 4", Fraction(-3, 4)), ("3/-4", Fraction(-3, 4)), (r"-\dfrac{3}{4}", Fraction(-3, 4)),
    ("1 1/2", Fraction(3, 2)), ("1½", Fraction(3, 2)), (r"1\frac{1}{2}", Fraction(3, 2)),
    ("-1 1/2", Fraction(-3, 2)),
]  # fmt: skip


@for_each("text, number", SPELLED)
def test_spellings_are_read_exactly(text, number):
    assert read_number(text) == number
    assert type(read_number(text)) is type(number)


@for_each("text", [
        "", " ", "x", "half", "inf", "nan", "1,5", "12,34", "1,23,456", "5/6/2024", "1/0", "1/2/3", "4 2", "1..2", "..",
        "$", "%", "42 apples", "x=5", "1e999999", "10^99999", "9" * 401, "--5", "(5)", "3:4", "1e", "0x10", "²",
    ])  # fmt: skip
def test_texts_that_are_no_numbers(text):
    assert read_number(text) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30))
def test_decimals_are_exact(number):
    if abs(Decimal(number).adjusted()) <= 300:
        assert read_number(str(number)) == Fraction(number)
        assert read_number(f"{number:f}") == Fraction(number)


@given(st.integers(min_value=0), st.integers(0, 999))
def test_thousands_separators_change_nothing(whole, thousandths):
    assert read_number(f"{whole:,}.{thousandths:03}") == whole + Fraction(thousandths, 1000)


@for_each("text, found", [
    ("9 * 2 = 18\n#### 18", "18"), ("They earn $1,234.50.", "1,234.50"), ("it is 3-5", "5"), ("x = -5", "-5"),
    ("(-3)", "-3"), ("about 50%.", "50%"), (r"so \boxed{10{,}000}", "10{,}000"),
    (r"$x = \frac{1}{2}$", r"\frac{1}{2}"), ("1/2 cup", "1/2"), ("1½ cups", "1½"), ("2.5e-3 m", "2.5e-3"),
    ("May 5, 2024", "2024"), ("on 5/6/2024", "2024"), ("答案是１２。", "12"), ("change is -$5", "-5"),
    ("from $5-$3", "3"),
    ("- $5 for bread", "5"), ("x = - 5", "-5"), (r"or 1\frac{1}{2}", r"1\frac{1}{2}"), (r"or \frac12", r"\frac12"),
    ("it is -3 1/2", "-3 1/2"), ("about 2×10^5", "2×10^5"), ("about 2x10⁵ m", "2x10⁵"), ("1'000", "1'000"),
    ("1 000 000", "1 000 000"), ("10 20 100", "100"), ("x = 1,2,3", "3"), ("Step 1\n1/2", "1/2"),
    ("0.123,0.456", "0.456"), ("so...42", "42"), ("1...10", "10"), ("on 05.06.2024", "2024"), ("5 m^2", "5"),
    ("答案是12。", "12"), ("it is 5.", "5"), ("none", None), ("", None),
])  # fmt: skip  # fmt: skip
def test_the_last_number(text, found):
    assert find_last_number(text) == found


@for_each("text, number", SPELLED)
@for_each("sentence", ["It is {}", "It is {}, so", "5 or {}."])
def test_the_last_number_is_the_whole_of_what_is_read(text, number, sentence):
    assert read_number(find_last_number(sentence.format(text))) == number


@given(
    st.from_regex(
        r"\A-?\$?([1-9]\d{0,2}([,'_ ]\d{3}){1,3}|\d+ \d+/[1-9]|\d+(\.\d+)?(%|/[1-9]|e-?\d)?)\Z"
    )
)
def test_both_number_rules_have_one_grammar(text):
    number = read_number(text)
    if number is not None:
        assert read_number(find_last_number(f"x = {text}")) == number


@for_each(
    "unit",
    [
        "1 111 ",
        " 111",
        ".111",
        "1'",
        "10^",
        "-$",
        "1",
        "1,",
        "-",
        "1/",
        "111,",
        r"\frac{",
        "1 ",
        "1.5e5",
        "½",
    ],
)
def test_a_long_text_takes_seconds_at_most(unit):
    text = unit * (100_000 // len(unit))
    hold(
        1, timed(lambda: (find_last_number(text), read_number(text)))
    )  # linear: 0.05 s; quadratic: minutes

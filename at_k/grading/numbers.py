r"""Read numbers as people and models write them: 1,234.5, 50\%, 1½, \frac{3}{4}, $2.4 × 10^5. The result is exact."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

# An exact number. An int where it is whole: Python works with these ten times as fast.
Rational = int | Fraction

# Characters that a number may have. Longer texts are not numbers that anybody compares.
_LONGEST = 400

# Powers of ten up to this one are computed. They are beyond any float, and still cheap.
_LARGEST_EXPONENT = 1000

# Most numbers. They are read in 1 to 4 µs, the others in 30 µs.
_SIMPLE = re.compile(r"([+-]?)(?:\\?[$€£¥])?(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d*)|/(\d+))?(\\?%)?", re.ASCII)

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


class _Characters(dict[int, str]):
    """Map each character to its ASCII form. Full-width and other decimal digits become ASCII digits."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(map(ord, _SPACES), " "))
        self.update(dict.fromkeys(map(ord, "−﹣–‐‑‒"), "-"))
        self.update(dict.fromkeys(map(ord, "×⋅·✕∗"), "*"))
        self.update({ord("’"): "'", ord("⁄"): "/", ord("÷"): "/", ord("。"): ".", ord("٪"): "%"})

    def __missing__(self, code: int) -> str:
        character = chr(code)
        spelled = character
        if 0xFF01 <= code <= 0xFF5E:  # the full-width forms of ASCII
            spelled = chr(code - 0xFEE0)
        elif unicodedata.category(character) == "Nd":
            spelled = str(unicodedata.decimal(character))
        elif unicodedata.decomposition(character).startswith("<fraction>"):  # ½ may follow a whole number, as in 1½
            spelled = f" {unicodedata.normalize('NFKC', character).replace('⁄', '/')}"
        self[code] = spelled
        return spelled


_CHARACTERS = _Characters()
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


def to_ascii(text: str) -> str:
    """Write digits, signs, spaces, powers and fractions of all scripts as ASCII.

    Examples:
        >>> to_ascii("１，２３４．５"), to_ascii("−2½"), to_ascii("3×10⁻¹²")
        ('1,234.5', '-2 1/2', '3*10^-12')
    """
    if text.isascii():
        return text
    return _RAISED.sub(lambda found: f"^{found[0].translate(_LOWERED)}", text).translate(_CHARACTERS)


_GROUPED = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ ]\d{3})+|\d{1,3}(?:'\d{3})+|\d{1,3}(?:_\d{3})+"
_DECIMAL = rf"(?:(?:{_GROUPED}|\d+)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(
    rf"""(?P<sign>[+-]?)\s*(?:
        (?P<whole>\d+)\s+(?P<part>\d+)\s*/\s*(?P<of>\d+)            # 1 1/2
      | (?P<over>[+-]?{_DECIMAL})\s*/\s*(?P<under>[+-]?{_DECIMAL})  # 3/4
      | (?:(?P<factor>{_DECIMAL})\s*[*xX]\s*)?10\s*\^\s*\{{?(?P<power>[+-]?\d+)\}}?   # 2.4*10^5
      | (?P<continental>\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:\.\d{{3}}){{2,}})    # 1.234,5 and 1.234.567
      | (?P<decimal>{_DECIMAL})
    )""",
    re.ASCII | re.VERBOSE,
)

_DIGIT = re.compile("[0-9]")
_MONEY = r"(?:\\?[$€£¥₹₩]|USD|EUR|GBP|JPY|CNY|RMB|INR|CHF)"
_MONEY_BEFORE = re.compile(rf"([+-]?)\s*{_MONEY}\s*(?=[\d.+-])")
_MONEY_AFTER = re.compile(rf"(?<=[\d.])\s*(?:{_MONEY}|dollars?|euros?|元)$")
_PERCENT = re.compile(r"\s*(?:\\?%|per\s?cent)$")

_ARGUMENT = r"(?:\{\s*([+-]?[\d.,]+)\s*\}|\s*(\d))"
_LATEX_FRACTION = re.compile(rf"\\[dtc]?frac\s*{_ARGUMENT}\s*{_ARGUMENT}", re.ASCII)
_MATH = re.compile(r"\$(.+)\$|\\\((.+)\\\)|\\\[(.+)\\\]", re.DOTALL)


def read_number(text: str) -> Rational | None:
    r"""Read a text that is one number, and nothing else. Return None if it is not.

    Digits may be grouped by commas, spaces, apostrophes or underscores, in threes. Read are also fractions, mixed
    numbers, percentages (50% is 1/2), amounts of money, powers of ten, their LaTeX, and digits of all scripts.

    Examples:
        >>> read_number("1,234"), read_number(r"50\%"), read_number("1½"), read_number("2.5e3"), read_number("x")
        (1234, Fraction(1, 2), Fraction(3, 2), 2500, None)
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    simple = _SIMPLE.fullmatch(text)
    if simple:
        return _read_simple(*simple.groups())
    text = to_ascii(text).strip()
    if not _DIGIT.search(text):
        return None
    text = _strip_latex(text)
    percent = _PERCENT.search(text)
    if percent:
        text = text[: percent.start()]
    text = _MONEY_AFTER.sub("", _MONEY_BEFORE.sub(r"\1", text, count=1))
    match = _NUMBER.fullmatch(text.removesuffix(".") if text[-2:-1].isdigit() else text)
    if match is None:
        return None
    value = _evaluate(match)
    if value is None:
        return None
    value = -value if match["sign"] == "-" else value
    return _simplify(Fraction(value, 100) if percent else value)


def _read_simple(
    sign: str, whole: str, decimals: str | None, under: str | None, percent: str | None
) -> Rational | None:
    whole = sign + whole.replace(",", "")
    decimals = decimals.rstrip("0") if decimals else ""
    if not decimals and not under and not percent:
        return int(whole)
    denominator = int(under) if under else 10 ** len(decimals)
    return _simplify(Fraction(int(whole + decimals), denominator * (100 if percent else 1))) if denominator else None


def _strip_latex(text: str) -> str:
    """Rewrite the LaTeX of a number as plain text."""
    math = _MATH.fullmatch(text)
    if math:
        text = (math[1] or math[2] or math[3]).strip()
    if "\\" not in text and "{" not in text:
        return text
    text = text.replace("{,}", ",").replace("\\times", "*").replace("\\cdot", "*")
    text = re.sub(r"\\[!,;: ]", "", text)
    return _LATEX_FRACTION.sub(lambda found: f" {found[1] or found[2]}/{found[3] or found[4]}", text).strip()


def _evaluate(match: re.Match[str]) -> Rational | None:
    if match["whole"]:
        part, of = int(match["part"]), int(match["of"])
        return int(match["whole"]) + Fraction(part, of) if of else None
    if match["over"]:
        over, under = _read_decimal(match["over"]), _read_decimal(match["under"])
        return None if over is None or not under else Fraction(over) / Fraction(under)
    if match["power"]:
        factor = _read_decimal(match["factor"] or "1")
        power = int(match["power"])
        return None if factor is None or abs(power) > _LARGEST_EXPONENT else factor * Fraction(10) ** power
    if match["continental"]:
        return Fraction(match["continental"].replace(".", "").replace(",", "."))
    return _read_decimal(match["decimal"])


def _read_decimal(digits: str) -> Rational | None:
    digits = re.sub("[,' _]", "", digits)
    mantissa, _, exponent = digits.lower().partition("e")
    if exponent and (len(exponent) > 5 or abs(int(exponent)) > _LARGEST_EXPONENT):
        return None
    return _simplify(Fraction(digits if not mantissa.endswith(".") else digits.replace(".", ".0")))


def _simplify(value: Rational) -> Rational:
    return value.numerator if value.denominator == 1 else value


_GLYPHS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_IN_GROUPS = r"\d{1,3}(?:(?:,\d{3})+|(?:\{,\}\d{3})+|(?:\\,\d{3})+|(?:'\d{3})+|(?:_\d{3})+)(?!\d)"
_SPACED = r"(?<!\d[ ])\d{1,3}(?:[ ]\d{3})+(?!\d)"  # but 10 20 100 are three numbers

# A number that `read_number` reads, within a line. Money and the sign before it are looked for separately.
_IN_TEXT = re.compile(
    rf"""(?=[\d.\\{_GLYPHS}])(?:
      (?:\d+[ ]?)?\\[dtc]?frac[ ]?{_ARGUMENT}[ ]?{_ARGUMENT}
    | (?:(?:\d+(?:\.\d+)?|\.\d+)[ ]?(?:[*xX]|\\times|\\cdot)[ ]?)?10[ ]?
      (?:\^[ ]?(?:[+-]?\d+|\{{[+-]?\d+\}})|{_RAISED.pattern})
    | \d+[ ]+\d+[ ]?/[ ]?\d+(?![\d/])
    | (?:\d+[ ]?)?[{_GLYPHS}]
    | [1-9]\d{{0,2}}(?:\.\d{{3}})+,\d+(?!\.?\d) | [1-9]\d{{0,2}}(?:\.\d{{3}}){{2,}}(?!\d)
    | (?:{_IN_GROUPS}|{_SPACED}|\d+|(?<![\d.])\.(?=\d))(?:(?<!\.)\.\d+|(?<=\.)\d+)?(?:[eE][+-]?\d+(?!\w))?
      (?:[ ]?/[ ]?[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?![\d/]))?
    )(?:[ ]?(?:\\?%|per[ ]?cent\b))?""",
    re.ASCII | re.VERBOSE,
)

_UNIT = (
    r"(?:(?<![A-Za-z\\])(?:(?:square|cubic|sq\.?|cu\.?)[ ])?(?:[kcdmnMµμ]?m|in|ft|yd|mi|[mnµμ]?s|secs?|min|hr?"
    r"|inch(?:es)?|feet|foot|yards?|miles?|(?:kilo|centi|milli)?met(?:er|re)s?|units?|seconds?|hours?|[kmµμ]?g|L)"
    r"|\\(?:text|mathrm|textrm|operatorname)\s?\{[^{}]{1,30}\})"
)
_UNITS_POWER = re.compile(rf"{_UNIT}\s?(?:\^|\*\*)\s?\{{?\s?[+-]?$")

# Letters that may come right before a number. After others it is part of a name, as in H2O and m2.
_WORD_BEFORE = re.compile(rf"(?:(?<![A-Za-z]){_MONEY}|\\[a-z]*space|\\[a-z]*quad|\\boxed|\\[a-z]*[lg]eq?|\\approx)$")

_PART = re.compile(r"(?:\^|(?<=[A-Za-z0-9)])\*\*|_|√|(?<=[0-9]):|\\sqrt|\\log|\]|\\frac\{.{0,40}\})\s?[{(]?\s?[+-]?$")

# Characters with which these end. A look at one is a tenth of a search.
_BEFORE_PARTS = frozenset("^*_√:tg]}")

# Signs that a number is part of a formula, which is another number: an exponent, a base, what is below a root.
# The last number of 12:30 is none either.
_RAISED_OR_NAMED = re.compile(r"\s?(?:\^|\*\*(?=[\w({-]))|[ ]?(?:\\pi|\\sqrt|π|√)|\}\s?\{")

_SIGN_BEFORE = re.compile(rf"(?:(?<![\w)\]}}}}])-|(?<=[=(:][ ])-[ ])(?:{_MONEY}[ ]?)?$")


class _Alike(dict[int, str]):
    """Map each character to the one that it means in a number, so that a text keeps its length."""

    def __missing__(self, code: int) -> str:
        spelled = _CHARACTERS[code]
        self[code] = chr(code) if len(spelled) > 1 or code == ord("。") else spelled
        return self[code]


_ALIKE = _Alike()
_FOREIGN = re.compile(r"(?![0-9])\d|[．，－％／]")


def find_last_number(text: str) -> str | None:
    r"""Return the last number in a text, as it is spelled there but for money; None if there is none.

    Numbers are what `read_number` reads. A list such as 1,2,3 has several.

    Examples:
        >>> find_last_number("They have 3 left, so they earn $1,234.50 a day."), find_last_number("It changed by -$5.")
        ('1,234.50', '-5')
        >>> find_last_number("about half"), find_last_number("7-5"), find_last_number(r"or 1\frac{1}{2}")
        (None, '5', '1\\frac{1}{2}')
    """
    for spelled in reversed(text.split("\n")):
        line = spelled if spelled.isascii() else spelled.translate(_ALIKE)
        for found in reversed(list(_IN_TEXT.finditer(line))):
            start, end = found.span()
            before = line[max(0, start - 60) : start]
            part = before.rstrip(" {(+-")[-1:] in _BEFORE_PARTS
            named = before[-1:].isascii() and before[-1:].isalpha() and not _WORD_BEFORE.search(before)
            if named or (part and _UNITS_POWER.search(before)):
                continue
            if (part and _PART.search(before)) or _RAISED_OR_NAMED.match(line, end):
                return None
            number = _FOREIGN.sub(lambda digit: _CHARACTERS[ord(digit[0])], spelled[start:end]).strip()
            if line.endswith("/", 0, start):  # what is left of 5/6/2024 is not a fraction
                return number.rpartition("/")[2]
            return f"-{number}" if _SIGN_BEFORE.search(line, max(0, start - 8), start) else number
    return None

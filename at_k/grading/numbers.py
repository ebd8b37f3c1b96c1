r"""Read numbers as people and models write them: 1,234.5, 50\%, 1½, \frac{3}{4}, $2.4 × 10^5. The result is exact."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction

# An exact number. An int where it is whole: Python works with these ten times as fast.
Rational = int | Fraction

# Characters that a number may have. Longer texts are not numbers that anybody compares.
_LONGEST = 400


class _Characters(dict[int, str]):
    """Map each character to its ASCII form. Full-width and other decimal digits become ASCII digits."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(chr(code))
        spelled = " " if category == "Zs" else character
        if 0xFF01 <= code <= 0xFF5E:  # the full-width forms of ASCII
            spelled = chr(code - 0xFEE0)
        elif category == "Nd":
            spelled = str(unicodedata.decimal(character))
        elif unicodedata.decomposition(character).startswith(
            "<fraction>"
        ):  # ½ may follow a whole number, as in 1½
            spelled = f" {unicodedata.normalize('NFKC', character).replace('⁄', '/')}"
        self[code] = spelled
        return spelled


CHARACTERS = _Characters(
    {
        ord(sign): plain
        for plain, others in {
            "-": "−﹣–‐‑‒",
            "*": "×⋅·✕∗",
            "'": "’",
            "/": "⁄÷",
            ".": "。",
            "%": "٪",
        }.items()
        for sign in others
    }
)
RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


def to_ascii(text: str) -> str:
    """Write digits, signs, spaces, powers and fractions of all scripts as ASCII.

    Examples:
        >>> to_ascii("１，２３４．５"), to_ascii("−2½"), to_ascii("3×10⁻¹²")
        ('1,234.5', '-2 1/2', '3*10^-12')
    """
    if text.isascii():
        return text
    return RAISED.sub(lambda match: f"^{match[0].translate(_LOWERED)}", text).translate(CHARACTERS)


_GROUPED = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ ]\d{3})+|\d{1,3}(?:'\d{3})+|\d{1,3}(?:_\d{3})+"
_DECIMAL = rf"(?:(?:{_GROUPED}|\d+)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{{1,3}})?"
MONEY = r"(?:\\?[$€£¥₹₩]|USD|EUR|GBP|JPY|CNY|RMB|INR|CHF)"

# Powers of ten are computed up to 999: that is beyond any float, and still cheap.
_NUMBER = re.compile(
    rf"""(?P<sign>[+-]?)\s*(?:{MONEY}\s*(?P<minus>[+-]?))?(?:
        (?P<decimal>{_DECIMAL})
      | (?P<continental>\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:\.\d{{3}}){{2,}})            # 1.234,5 and 1.234.567
      | (?P<whole>\d+)\s+(?P<part>\d+)\s*/\s*(?P<of>\d+)                                   # 1 1/2
      | (?P<over>{_DECIMAL})\s*/\s*(?P<under>[+-]?{_DECIMAL})                              # 3/4
      | (?:(?P<factor>{_DECIMAL})\s*[*xX]\s*)?10\s*\^\s*\{{?(?P<power>[+-]?\d{{1,3}})\}}?  # 2.4*10^5
    )(?:(?<=\d)\.)?(?:\s*(?:{MONEY}|dollars?|euros?|元))?(?P<percent>\s*(?:\\?%|per\s?cent))?""",
    re.ASCII | re.VERBOSE,
)

_UNGROUPED = str.maketrans("", "", ",' _")
ARGUMENT = r"(?:\{\s*([+-]?[\d.,]+)\s*\}|\s*(\d))"

# The LaTeX of a number: what it holds, and the same as plain text.
_LATEX = tuple(
    (mark, re.compile(pattern, re.ASCII | re.DOTALL), spelled)
    for mark, pattern, spelled in (
        ("", r"\A(?:\$(.+)\$|\\\((.+)\\\)|\\\[(.+)\\\])\Z", r"\1\2\3"),
        ("{,}", r"\{,\}", ","),
        ("\\", r"\\(?:times|cdot)|\\[!,;: ]", lambda sign: "*" if len(sign[0]) > 2 else ""),
        ("frac", rf"\\[dtc]?frac\s*{ARGUMENT}\s*{ARGUMENT}", r" \1\2/\3\4"),
    )
)


def read_number(text: str) -> Rational | None:
    r"""Read a text that is one number, and nothing else. Return None if it is not.

    Examples:
        >>> read_number("1,234"), read_number(r"50\%"), read_number("1½"), read_number("2.5e3"), read_number("x")
        (1234, Fraction(1, 2), Fraction(3, 2), 2500, None)
    """
    # Digits may be grouped by commas, spaces, apostrophes or underscores, in threes. Read are also fractions, mixed
    # numbers, percentages (50% is 1/2), amounts of money, powers of ten, their LaTeX, and digits of all scripts.
    if len(text) > _LONGEST:
        return None
    if text.isascii() and text.isdigit():  # most numbers, in a hundredth of the time
        return int(text)
    text = to_ascii(text).strip()
    if "\\" in text or "$" in text or "{" in text:
        for mark, pattern, spelled in _LATEX:
            if mark in text:
                text = pattern.sub(spelled, text).strip()
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    part = match.groupdict("")
    if part["decimal"]:
        value = Fraction(_read_decimal(part["decimal"]))
    elif part["continental"]:
        value = Fraction(part["continental"].replace(".", "").replace(",", "."))
    elif part["power"]:
        value = _read_decimal(part["factor"] or "1") * Fraction(10) ** int(part["power"])
    elif under := _read_decimal(part["under"] or part["of"]):
        value = Fraction(_read_decimal(part["over"] or part["part"]), under)
        if part["whole"]:
            value += _read_decimal(part["whole"])
    else:
        return None
    if part["minus"] == "-" or part["sign"] == "-":
        value = -value
    if part["percent"]:
        value /= 100
    return value.numerator if value.denominator == 1 else value


def _read_decimal(digits: str) -> Rational:
    plain = digits.translate(_UNGROUPED)
    if plain.isdigit():
        return int(plain)
    return Fraction(Decimal(plain))

"""The checkers that read answers as texts, numbers or letters, or grade how similar texts are, such as `bleu`."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker, find_neighbours
from at_k.grading.numbers import Rational, read_number, to_ascii
from at_k.grading.replies import remove_thoughts
from at_k.validation import describe, is_number, shorten


@dataclass(frozen=True, repr=False)
class ExactMatch(Checker):
    """Accept an answer that equals the reference after white space is stripped from the ends of both.

    Examples:
        >>> ExactMatch()(" 42", "42"), ExactMatch()("42.0", "42")
        (True, False)
    """

    name = "exact_match"

    def normalize(self, text: str) -> str:
        """Strip white space from the ends."""
        return text.strip()


_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class _NoPunctuation(dict[int, str | int]):
    """Map punctuation to nothing, and every other character to itself."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        kept = character not in string.punctuation and not unicodedata.category(
            character
        ).startswith("P")
        self[code] = code if kept else ""
        return self[code]


_NO_PUNCTUATION = _NoPunctuation()


def normalize_words(text: str) -> str:
    """Lower-case a text, and remove punctuation, articles and extra white space.

    Examples:
        >>> normalize_words("The  Eiffel Tower!"), normalize_words("A"), normalize_words("+")
        ('eiffel tower', 'a', '+')
    """
    # A text that consists of articles or of punctuation alone keeps them: the word "A" is an answer, and "+" is one.
    lowered = text.lower()
    words = " ".join(lowered.translate(_NO_PUNCTUATION).split())
    return " ".join(_ARTICLES.sub(" ", words).split()) or words or " ".join(lowered.split())


@dataclass(frozen=True, repr=False)
class QuasiExact(Checker):
    """Accept an answer that equals the reference after the normalisation of SQuAD.

    Both are lower-cased, and lose punctuation, the words "a", "an" and "the", and extra white space. Punctuation is
    that of all scripts. Signs and decimal points are punctuation too, so that 1.5 equals 15: numbers need `numeric`.

    Examples:
        >>> QuasiExact()("the Eiffel Tower.", "Eiffel tower"), QuasiExact()("A", "B")
        (True, False)
    """

    name = "quasi_exact"

    def normalize(self, text: str) -> str:
        """Lower-case a text, and remove punctuation, articles and extra white space."""
        return normalize_words(text)


class Amount(NamedTuple):
    """A number with what is around it: its text, its value, and what it is without a sign of percent."""

    text: str
    number: Rational
    plain: Rational


_PERCENT = ("%", "cent", "％", "٪")

# Characters of an answer with one number. Longer texts are reasoning.
_LONGEST = 400


@dataclass(frozen=True, repr=False)
class Numeric(Checker):
    r"""Accept an answer that is the same number as the reference.

    Read are thousands separators, fractions and mixed numbers, percentages (50% is 0.5), amounts of money, powers of
    ten, their LaTeX, and the digits of all scripts. Numbers are compared exactly, as fractions: |answer − reference|
    must be at most the larger of `abs_tol` and `rel_tol` · |reference|. An answer that holds exactly one number, as "20
    marbles" and x = 20 do, is this number. 60% is 0.6, and also 60 beside a reference without a sign. If one of the two
    is not a number, the texts must be equal.

    Args:
        rel_tol: the relative tolerance. By default 1e-6, and 0 between whole numbers: decimals may be rounded, whole
            numbers are not.
        abs_tol: the absolute tolerance.

    Examples:
        >>> Numeric()("$1,234.50", "1234.5"), Numeric()(r"\frac{1}{2}", "50%"), Numeric()("0.3333333", "1/3")
        (True, True, True)
        >>> Numeric()("It is 20 km/h.", "20"), Numeric()("60%", "60"), Numeric()("60", "60%")
        (True, True, False)
        >>> Numeric()("3.14", "3.14159"), Numeric(rel_tol=1e-3)("3.14", "3.14159")
        (False, True)
    """

    rel_tol: float | None = None
    abs_tol: float = 0.0

    name = "numeric"

    def __post_init__(self) -> None:
        for name, value in (
            ("rel_tol", 0.0 if self.rel_tol is None else self.rel_tol),
            ("abs_tol", self.abs_tol),
        ):
            if not is_number(value):
                raise TypeError(f"`{name}` must be a number; got {describe(value)}")
            if not 0 <= value < float("inf"):
                raise ValueError(f"`{name}` must be finite and not negative; got {shorten(value)}")

    def normalize(self, text: str) -> Rational | Amount | str:
        """Read the only number of an answer. A text with none, or with several, is stripped."""
        form = self.normalize_reference(text)
        if not isinstance(form, str) or len(form) > _LONGEST:
            return form
        from at_k.grading.statements import find_only_number

        only = self.normalize_reference(find_only_number(form) or "")
        if isinstance(only, str):
            return form
        if isinstance(only, Amount):
            return only._replace(text=form)
        return Amount(form, only, only)

    def normalize_reference(self, text: str) -> Rational | Amount | str:
        """Read a text that is a number, and nothing else. Any other text is stripped."""
        number = read_number(text)
        if number is None:
            return text.strip()
        if isinstance(number, int) and text.isdigit():
            return number
        plain = text.strip()
        is_percent = plain.rstrip("$. ").endswith(_PERCENT)
        if is_percent:
            return Amount(plain, number, 100 * number)
        return number

    def read_votes(self, texts: Sequence[str], **limits: Any) -> list[Hashable]:
        """Read the number of each answer, or else its text."""
        forms = map(self.normalize, texts)
        return [form.number if isinstance(form, Amount) else form for form in forms]

    def list_close(self, forms: Sequence[Any]) -> Iterator[tuple[int, int]]:
        """Yield numbers within a tolerance of each other."""
        if self.rel_tol == 0 and not self.abs_tol:
            return
        numbers = {at: form for at, form in enumerate(forms) if not isinstance(form, str)}
        yield from find_neighbours(
            numbers, lambda one, other: self.compare(one, other) or self.compare(other, one)
        )

    def compare(self, answer: Rational | Amount | str, reference: Rational | Amount | str) -> bool:
        """Compare two numbers within the tolerances. A percentage may also be meant without its sign."""
        values: list[Rational | str]
        if isinstance(reference, Amount):
            values = [answer.number if isinstance(answer, Amount) else answer]
            reference = reference.number
        elif isinstance(answer, Amount):
            if isinstance(reference, str):
                values = [answer.text]
            else:
                values = [answer.number, answer.plain]
        else:
            values = [answer]
        return any(self._are_near(value, reference) for value in values)

    def _are_near(self, answer: Rational | str, reference: Rational | str) -> bool:
        if answer == reference or isinstance(answer, str) or isinstance(reference, str):
            return answer == reference
        tolerance = self.rel_tol
        if tolerance is None:
            tolerance = 0.0 if isinstance(answer, int) and isinstance(reference, int) else 1e-6
        if not (tolerance or self.abs_tol) or _are_far(answer, reference, tolerance, self.abs_tol):
            return False
        allowed = max(
            _read_decimal(tolerance) * abs(Fraction(reference)), _read_decimal(self.abs_tol)
        )
        return abs(Fraction(answer) - reference) <= allowed


def _are_far(answer: Rational, reference: Rational, relative: float, absolute: float) -> bool:
    """Return whether floats show that two numbers differ by more than a tolerance. It takes a tenth of the time."""
    try:
        one = float(answer)
        other = float(reference)
    except OverflowError:
        return False
    allowed = max(relative * abs(other), absolute)
    return abs(one - other) > 2 * allowed + 1e-9 * max(abs(one), abs(other))


@lru_cache(maxsize=64)
def _read_decimal(tolerance: float) -> Fraction:
    """Return the decimal that a tolerance prints as."""
    return Fraction(str(tolerance))


_BETWEEN_WORDS = re.compile(
    r"(?<=[^\W\d_])[-/*](?=[^\W\d_]{2})|(?<=[^\W\d_]{2})[-/*](?=\w)|(?<=[^\W\d_]{2})\s[-/*]\s(?=[^\W\d_]{2})"
    r"|^\s*[-*+]\s+(?=[^\W\d_]{2})|\\(?:left|right)(?![a-z])"
)
_SIGNS = (
    r"(?<=[\w)\]}])\s?\*\s?(?=[\w(\\])|[-+/^=<>%~]|\.(?=\d)|(?<=\d),\s?(?=\d)(?!\d{3}(?!\d))|(?<=\d)\s?:\s?(?=\d)"
    r"|'(?=['(])|(?<=[\d)\]])!|(?<=\b[^\W\d_])!"
)
_SIGN, _SIGN_OR_BRACKET = re.compile(_SIGNS), re.compile(rf"{_SIGNS}|(?<!\\)[()\[\]|]")

# A bracket of a formula, as in (x+1), [0,1) or |x|: not that of (B), f(x) or "Paris (France)".
_OPENED = re.compile(
    r"(?<=[-+*/^=<>~])[(\[]|(?<!\\)[(\[|]\s?[\d.]*[^\W\d_]?\s?[-+*/^=<>,|(\[~\\√!]"
)


def normalize_option(text: str) -> str:
    """Normalise the text of an option as `quasi_exact` does, but keep what makes another number or formula of it.

    Examples:
        >>> normalize_option("The well-known  Tower!"), normalize_option("5.") == normalize_option("-5")
        ('wellknown tower', False)
    """
    if text.isalpha():
        return normalize_words(text)
    plain = _BETWEEN_WORDS.sub(lambda hyphen: " " if " " in hyphen[0] else "", to_ascii(text))
    return normalize_words(
        (_SIGN_OR_BRACKET if _OPENED.search(plain) else _SIGN).sub(_protect, plain)
    )


def _protect(sign: re.Match[str]) -> str:
    """Write a sign as a character that is no punctuation. Decimal points stay within their number."""
    plain = sign[0].strip()
    kept = chr(0xE000 + ord(plain))
    if plain in ".,":
        return kept
    return f" {kept} "


class Option(NamedTuple):
    """An option: its letter, or None, and the text that holds it."""

    letter: str | None
    text: str


@dataclass(frozen=True, repr=False)
class Choice(Checker):
    """Accept an answer that settles on the letter of the reference, or gives the text of its option.

    The answer is free text, as of `extract_fn="choice"`. The reference is a letter, a letter with its text ("(C)
    Paris"), or the text alone. If both have a letter, the letters decide. If not, the texts decide, normalised as by
    `quasi_exact`, except that signs, decimal points and the brackets of formulas count.

    Args:
        letters: the letters that options may have.

    Examples:
        >>> Choice()("I think it is B. No: the answer is (C).", "C"), Choice()("The answer is Paris.", "(C) Paris")
        (True, True)
    """

    letters: str = "ABCDEFGHIJ"  # MMLU-Pro has up to J

    name = "choice"

    def __post_init__(self) -> None:
        if (
            not isinstance(self.letters, str)
            or not self.letters.isascii()
            or not self.letters.isalpha()
        ):
            raise InputError(
                "check.letters",
                "`letters` must be a string of letters from A to Z, such as 'ABCD'; got {value}.",
                value=shorten(self.letters),
            )
        object.__setattr__(self, "letters", self.letters.upper())

    def normalize(self, text: str) -> Option:
        """Find the letter that an answer settles on."""
        from at_k.grading.statements import find_letter

        return Option(find_letter(remove_thoughts(text), self.letters), text)

    def normalize_reference(self, text: str) -> Option:
        """Read the letter of a reference, and the text of its option."""
        from at_k.grading.statements import read_option

        letter, words = read_option(text, self.letters)
        return Option(letter, normalize_option(words) if words else "")

    def read_votes(self, texts: Sequence[str], **limits: Any) -> list[Hashable]:
        """Find the letter of each answer, or else its text."""
        return [option.letter or self._find_text(option) for option in map(self.normalize, texts)]

    def compare(self, answer: Option, reference: Option) -> bool:
        """Compare letters; texts where a letter is missing."""
        if answer.letter and reference.letter:
            return answer.letter == reference.letter
        return bool(reference.text) and self._find_text(answer) == reference.text

    def _find_text(self, answer: Option) -> str:
        """Return the text of the option that an answer gives, normalised."""
        from at_k.grading.statements import find_final_answer, read_option

        letter, words = read_option(answer.text, self.letters)
        if letter is None or letter != answer.letter or "\n" in words:
            words = find_final_answer(answer.text) or answer.text
        return normalize_option(words)


class _Similarity(Checker):
    """Grade an answer by how similar it is to the reference, as sacreBLEU and rouge-score compute it."""

    slow, extra = True, "text"
    allowed: tuple[object, ...] = (False, True)

    def __post_init__(self) -> None:
        ((name, value),) = vars(self).items()
        if value not in self.allowed or type(value) is not type(self.allowed[0]):
            raise InputError(
                "check.similarity",
                "`{parameter}` must be one of {allowed}; got {value}",
                parameter=name,
                allowed=", ".join(map(repr, self.allowed)),
                value=shorten(value),
            )

    def grade(self, answer: str, reference: str) -> float:
        """Return the score of a sentence. sacreBLEU gives 100.00000000000004 for equal texts."""
        if self.imports == ("sacrebleu",):
            compute = getattr(import_module("sacrebleu"), f"sentence_{self.name}")
            return min(
                round(float(compute(answer, [reference], **vars(self)).score / 100), 12), 1.0
            )
        scorer = import_module("rouge_score.rouge_scorer").RougeScorer([self.name], **vars(self))
        return round(float(scorer.score(reference, answer)[self.name].fmeasure), 12)


@dataclass(frozen=True, repr=False)
class Bleu(_Similarity):
    """Grade an answer by its sentence BLEU against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        tokenize: the tokenizer of sacreBLEU: "13a", "zh", "intl", "char" or "none".
    """

    tokenize: str = "13a"
    name, imports, allowed = "bleu", ("sacrebleu",), ("13a", "zh", "intl", "char", "none")


@dataclass(frozen=True, repr=False)
class Chrf(_Similarity):
    """Grade an answer by its chrF against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        word_order: the longest n-gram of words that counts beside those of characters: 0 for chrF, 2 for chrF++.
    """

    word_order: int = 0
    name, imports, allowed = "chrf", ("sacrebleu",), tuple(range(7))


@dataclass(frozen=True, repr=False)
class Rouge1(_Similarity):
    """Grade an answer by ROUGE-1, the overlap of words with the reference, from 0 to 1, as computed by rouge-score.

    rouge-score keeps the letters a to z and digits alone: other scripts get 0.

    Args:
        use_stemmer: whether words are reduced to their stems (English).
    """

    use_stemmer: bool = False
    name, imports = "rouge1", ("rouge_score",)


@dataclass(frozen=True, repr=False)
class Rouge2(Rouge1):
    """Grade an answer by ROUGE-2, the overlap of pairs of words with the reference, as computed by rouge-score."""

    name = "rouge2"


@dataclass(frozen=True, repr=False)
class RougeL(Rouge1):
    """Grade an answer by ROUGE-L, the longest common subsequence of words, as computed by rouge-score."""

    name = "rougeL"

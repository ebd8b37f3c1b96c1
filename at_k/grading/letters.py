"""Find the option letter that a free text settles on."""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache

from at_k.grading.announced import ANSWER, TABLE
from at_k.grading.numbers import to_ascii

# The letters of options that are looked for by default. MMLU-Pro has up to J.
LETTERS = "ABCDEFGHIJ"

# The characters before a letter that are looked at, and the letters of a text, from its end.
_LONGEST, _MOST = 120, 100

# The words around a letter by what they say, as regular expressions. White space is reduced to single characters
# first, and every repetition is bounded: no text takes long.
_WORDS = {name: "|".join(words) for name, words in TABLE["words of letters"].items()}

# Emphasis, brackets and LaTeX between the words that announce an answer and its letter.
_OPEN = r"(?:[\s*_`'\"“‘\[{<$(【「]|\\(?:text|textbf|mathrm|mathbf|boxed|fbox)\s?(?=\{)|\\[(\[]){0,12}"

_CLOSE = r"[\s*_`'\"”’\]}>$).:、】」\\]{0,12}"
_BETWEEN = r"[\s*_`'\"”’)\]}>$(]{0,6}"
_AFTER = r"[*_`'\"”’\]}>$)】」]{0,6}"

_SAID = re.compile(rf"(?:{_WORDS['announces']})\s?(?:{_WORDS['announces again']})?\s?{_OPEN}$")
_OPTION = rf"(?i:(?:{_WORDS['article']})?(?:(?:{_WORDS['option']})\s)?)"
_NAMED = re.compile(
    rf"(?:{ANSWER}|(?i:\b(?:choice|option|letter|selection)))[\"'*_”]{{0,3}}\s?[:=]\s?{_OPTION}{_OPEN}$"
)
_HEDGES = rf"{_WORDS['announces abroad']}|(?i:\b(?:{_WORDS['hedges']}))"
_ADVERB = rf"(?:{_WORDS['adverbs']}),?"

# Words that announce a letter with less certainty: the letter must end its sentence.
_HEDGED = re.compile(rf"(?:{_HEDGES}|(?i:\b{_ADVERB}))\s?{_OPTION}{_OPEN}$")

# The same for a small letter: after "obviously" alone, as after "so", it names a quantity.
_HEDGED_SMALL = re.compile(
    rf"(?:{_HEDGES}|(?i:\b(?:it|answer|choice|option)(?:'s|\sis)\s{_ADVERB}))\s?{_OPTION}{_OPEN}$"
)

# The ends of all these words. Most letters follow none of them, which is found a hundred times as fast.
_OPENERS, _LAST_WORDS = ", \n*_`'\"“‘’[{<$(【「", tuple(TABLE["last words before letters"])

_FINAL = re.compile(rf"{_AFTER}(?:[.!;。]|$|\n|,\s|\s?\(|:\s|[)】」]\s|{_WORDS['ends a sentence']})")
_AFFIRMED = re.compile(rf"[)*_`'\"”’\]}}】」]{{0,6}}(?:{_WORDS['affirms']})")
_DENIED = re.compile(rf"{_AFTER}\s?(?:{_WORDS['denies']})")
_NEGATED = re.compile(rf"(?:{_WORDS['rules out']})[\s*_`'\"“‘(\[]*$")
_CONDITION = re.compile(rf"(?:{_WORDS['makes a condition']})$")
_PART = re.compile(r"[A-Za-z0-9_+'’-]")

# The text after the words "A" and "I", and hardly ever the letters.
_A_WORD = re.compile(rf"\s(?!(?:{_WORDS['follows a letter']})\b)[a-zà-ÿ]")


class _Patterns:
    """Hold the expressions that look for a set of letters."""

    def __init__(self, letters: str) -> None:
        one, ends = re.escape(letters), "(?![A-Za-z0-9_+-]|['’][A-Za-z])"
        small = re.escape(letters.lower() if letters.isupper() else "")
        another = rf"{_OPEN}(?:(?i:option|choice|选项)\s?)?[(*]{{0,3}}(?![AI]{_A_WORD.pattern})[{one}]{ends}"
        either = rf"(?:{_WORDS['joins letters']})"
        self.whole = re.compile(rf"{_OPEN}(?i:([{one}])){_CLOSE}")
        self.single = re.compile(
            rf"[{one}]{ends}" + (rf"|(?<![A-Za-z0-9_'’-])[{small}](?={_AFTER}(?:[.!;)](?:\s|$)|\n|$))" if small else "")
        )
        self.more = re.compile(
            rf"(?:{_BETWEEN}(?:{either}{another}(?!{_WORDS['begins a sentence']})"
            rf"|,{another}(?={_BETWEEN}(?:$|[\n,/、.;!?&]|(?i:or|and)\b|或|和)))){{1,26}}"
        )
        self.alone = re.compile(rf"(?<![A-Za-z])([{one}])(?![A-Za-z])")
        self.before = re.compile(rf"(?<![A-Za-z0-9_'’-])[{one}]{_BETWEEN}{either}{_OPEN}$")
        self.mentioned = re.compile(
            rf"\(([{one}])\)|\*\*\(?([{one}])[).:]?\*\*|\b(?i:option|choice)\s[(*]{{0,3}}([{one}]){ends}"
        )
        self.leading = re.compile(
            rf"^[\s*_(\[]{{0,6}}([{one}])[*_]{{0,2}}\s?[).:、\]][*_]{{0,2}}(?:\s|$|(?=[^\x00-\x7f]))", re.MULTILINE
        )


@lru_cache(maxsize=16)
def _compile(letters: str) -> _Patterns:
    return _Patterns(letters)


def find_letter(text: str, letters: str = LETTERS) -> str | None:
    """Return the option letter that a text settles on; None if it settles on none.

    The last statement counts ("The answer is (C)", "C is correct", 答案是 C, a boxed letter). If there is none, or it
    names several letters as "B or C" does, the last line counts if it is a letter, as in "**C**". If it is not, and
    there is no statement, a letter that is mentioned as an option counts, as in "(C)" or "C. Paris", unless other
    letters are mentioned too.

    Examples:
        >>> find_letter("I first thought of B, but the answer is (C)."), find_letter("**C**"), find_letter("答案是 C")
        ('C', 'C', 'C')
        >>> find_letter("It may be (A) or (B)"), find_letter("A dog")
        (None, None)
    """
    text = _normalize(text)
    patterns = _compile(letters)
    whole = patterns.whole.fullmatch(text) if len(text) < 100 else None
    if whole:
        return whole[1].upper()
    found, listed = -1, set[str]()
    for match in reversed(deque(patterns.single.finditer(text), maxlen=_MOST)):
        more = patterns.more.match(text, match.end())
        if _is_settled(text, match.start(), listed=more is not None):
            found, listed = match.start(), _list_letters(text, match.start(), more, patterns)
            break
    if found >= 0 and len(listed) == 1:
        return text[found].upper()
    last = patterns.whole.fullmatch(text.rstrip().rpartition("\n")[2])
    if last:
        return last[1].upper()
    mentioned = set()
    for pattern in (patterns.mentioned, patterns.leading):
        for match in pattern.finditer(text):
            if not _NEGATED.search(text, max(0, match.start() - 20), match.start()):
                start = match.start(match.lastindex or 1)
                mentioned |= _list_letters(text, start, patterns.more.match(text, start + 1), patterns)
    return mentioned.pop() if len(mentioned) == 1 and found < 0 else None


def _list_letters(text: str, start: int, more: re.Match[str] | None, patterns: _Patterns) -> set[str]:
    """Return the letters of the list that holds a letter, as in "B, C or D"; a letter alone is its own list."""
    before = patterns.before.search(text, max(0, start - 24), start)
    return {text[start], *(before[0][:1] if before else ""), *(patterns.alone.findall(more[0]) if more else ())}


def _is_settled(text: str, letter: int, *, listed: bool) -> bool:
    """Return whether the words around a letter say that it is the answer."""
    begin, after, announced = max(0, letter - _LONGEST), letter + 1, None
    if _A_WORD.match(text, after) and text[letter] in "AI":
        return False
    near = text[max(0, letter - 40) : letter].rstrip(_OPENERS).lower().endswith(_LAST_WORDS)
    if near:
        announced = _SAID.search(text, begin, letter)
    alone = text[letter].isupper() and not _PART.match(text[letter - 1 : letter])
    if not announced and not (alone and _AFFIRMED.match(text, after)):
        if near:
            announced = _NAMED.search(text, begin, letter)
        if near and not announced and (listed or _FINAL.match(text, after)):
            announced = (_HEDGED if text[letter].isupper() else _HEDGED_SMALL).search(text, begin, letter)
        if not announced or _DENIED.match(text, after) or _A_WORD.match(text, after):
            return False
    said = announced.start() if announced else letter
    conditional = announced and _CONDITION.search(text, max(0, said - 30), said)
    return not conditional and not _NEGATED.search(text, max(0, letter - 20), letter)


def _normalize(text: str) -> str:
    """Write a text in ASCII where that is possible, with single spaces, and without empty lines."""
    text = to_ascii(text)
    if "\n" not in text:
        return " ".join(text.split())
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def read_option(text: str, letters: str = LETTERS) -> tuple[str | None, str]:
    """Read a reference: a letter alone, a letter with the text of its option, or this text alone.

    Examples:
        >>> read_option("C"), read_option("(C) Paris"), read_option("Paris")
        (('C', ''), ('C', 'Paris'), (None, 'Paris'))
    """
    plain = _normalize(text)
    patterns = _compile(letters)
    whole = patterns.whole.fullmatch(plain) if len(plain) < 100 else None
    if whole:
        return whole[1].upper(), ""
    leading = patterns.leading.match(plain)
    return (leading[1], plain[leading.end() :].strip()) if leading else (None, text.strip())

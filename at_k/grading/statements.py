r"""Find what a text states: what it announces after "####", in <answer> or after "The answer is"; a letter; a number.

The expressions are in `patterns.toml`. A section of it is compiled when it is first used: each takes 20 ms.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from at_k.grading.numbers import ARGUMENT, CHARACTERS, MONEY, RAISED, to_ascii
from at_k.grading.replies import find_boxed, remove_thoughts
from at_k.options.registry import read_toml

TABLE = read_toml(__file__, "patterns.toml")


def fill(rule: str, **more: str) -> str:
    """Put in the parts that rules have in common. Words with accents are also found in decomposed form."""
    parts = TABLE["parts"] | more

    def spell(part: re.Match[str]) -> str:
        value = parts[part[1]]
        if isinstance(value, list):
            value = "|".join(
                dict.fromkeys(
                    unicodedata.normalize(form, word) for form in ("NFC", "NFD") for word in value
                )
            )
        return fill(value, **more)

    return re.sub("%(\\w+)%", spell, rule)


@lru_cache(maxsize=32)
def compile_section(name: str, **more: str) -> dict[str, re.Pattern[str]]:
    """Compile the expressions of a section of the table, given further parts."""
    return {key: re.compile(fill(rule, **more)) for key, rule in TABLE[name].items()}


@lru_cache(maxsize=1)
def _compile_marks() -> re.Pattern[str]:
    return re.compile(
        "(?m)"
        + "|".join(f"(?P<{kind}>{fill('|'.join(rules))})" for kind, rules in TABLE["marks"].items())
    )


# In lower case, what every mark of an answer holds in a text of ASCII.
_ASCII_STEMS = (*filter(str.isascii, TABLE["parts"]["latin"]), "result", "####")

# Marks, and characters of a line, that are looked at. A text that announces nothing a hundred times has no answer.
_MOST_MARKS, _LONGEST_LINE = 100, 10_000

_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\ufeff \t\r\n"
_PAIRS = ('""', "''", "``", "“”", "‘’", "「」", "«»")


def list_tagged(text: str) -> Iterator[str]:
    """Yield the contents of `<answer>`, the last first."""
    for tag in reversed(
        deque(compile_section("announced")["tagged"].finditer(text), maxlen=_MOST_MARKS)
    ):
        yield tag[1].strip()


def list_announced(text: str) -> Iterator[tuple[str, str]]:
    """Yield what follows each mark, the last first, with the kind of the mark. A denial ends the list."""
    rules = compile_section("announced")
    start = 0
    if text.isascii():  # 30 times as fast for a text with its answer at the end
        lowered = text.lower()
        start = min(
            (place for stem in _ASCII_STEMS if (place := lowered.find(stem)) >= 0),
            default=len(text),
        )
    for match in reversed(
        deque(_compile_marks().finditer(text, max(0, start - 20)), maxlen=_MOST_MARKS)
    ):
        kind = match.lastgroup or ""
        rest = _find_rest(text[match.end() : match.end() + _LONGEST_LINE], kind)
        if kind == "said" and rules["condition"].search(
            text, max(0, match.start() - 40), match.start()
        ):
            continue
        if kind in ("said", "asian") and rules["no_answer"].match(rest):
            return
        yield rest, kind


def _find_rest(rest: str, kind: str) -> str:
    """Return what may hold the answer behind a mark: a formula on lines of its own, or the first line with a text."""
    rules = compile_section("announced")
    if kind == "hashes" and rules["heading"].match(rest):
        return ""
    start = rest.lstrip("\n" if kind == "hashes" else " \t\u3000\u200b*_:：\n")
    display = rules["display"].match(start)
    if display:
        return (display["a"] or display["b"]).strip()
    line = rest.partition("\n")[0]
    if line.strip(" *_:：\t\u200b"):
        return line
    return start.partition("\n")[0]


def read_value(rest: str, kind: str) -> str | None:
    """Return the answer at the beginning of a line, or None."""
    rules = compile_section("announced")
    rest = rules["cut"].sub("", rest).strip(_INVISIBLE)
    if kind not in ("hashes", "tag"):
        end = _find_end(rest)
        if (
            rules["musing"].match(rest)
            or (kind == "said" and rules["clause"].match(rest))
            or rest.startswith(("?", "？"), end)
        ):
            return None
        rest = rest[:end]
        if kind != "heading":
            rest = rules["tail"].sub("", rest)
        if kind == "asian":
            rest = rules["afterwards"].sub("", rest)
    answer = (
        rules["emphasis"]
        .sub("", rest)
        .strip()
        .strip("*")
        .strip(_INVISIBLE)
        .lstrip(":： ")
        .rstrip(",;")
    )
    if answer.count("`") % 2:  # the announcement is between the same marks
        answer = answer.strip("`").rstrip()
    if len(answer) > 2 and answer[0] + answer[-1] in _PAIRS and answer[0] not in answer[1:-1]:
        answer = answer[1:-1].strip()
    return (
        None if answer.count("{") != answer.count("}") or rules["rubbish"].match(answer) else answer
    )


def _find_end(rest: str) -> int:
    """Return where the sentence ends, outside of formulas and not at an abbreviation."""
    rules = compile_section("announced")
    formulas = [formula.span() for formula in rules["formula"].finditer(rest)]
    for end in rules["sentence_end"].finditer(rest):
        place = end.start()
        inside = any(start < place < stop for start, stop in formulas)
        short = (
            end[0] == "."
            and rest[place + 1 :].strip()
            and rules["abbreviation"].search(rest[:place])
        )
        if not inside and not short:
            return place
    return len(rest)


def find_final_answer(text: str) -> str | None:
    r"""Return the answer that a text announces last, up to the end of the sentence; None if it announces none.

    Examples:
        >>> find_final_answer("6 * 3 = 18\n#### 18"), find_final_answer("The answer is $x = 2.5$. I hope so.")
        ('18', '$x = 2.5$')
        >>> find_final_answer("<answer>\n42\n</answer>"), find_final_answer("**Final Answer**\n\n$$42$$")
        ('42', '42')
        >>> print(find_final_answer("The answer is not clear."))
        None
    """
    # Announced is the text in `<answer>`, after "####", below a heading "Answer", and after "The answer is", "The
    # answer to the question is", "Answer:" or "Result:", also in other languages (Respuesta:, 答案是, 정답:). What was
    # announced and is no answer is passed over, such as an empty formula, a question, or a clause; if the last
    # announcement says that something is not the answer, there is none.
    text = remove_thoughts(text)
    for content in list_tagged(text):
        announced = _find_announced(content) or ("\n" not in content and read_value(content, "tag"))
        if "boxed" in content or announced:
            return find_boxed(content) or announced or None
    return _find_announced(text)


def _find_announced(text: str) -> str | None:
    """Return what the last mark that has an answer announces."""
    # A sentence behind the answer may speak of it: "#### 42", and then "so this result is consistent".
    rules, weak = compile_section("announced"), None
    for rest, kind in list_announced(text):
        answer = (find_boxed(rest) or "").strip() if "boxed" in rest else read_value(rest, kind)
        if answer and (kind != "said" or not rules["weak"].fullmatch(answer)):
            return answer
        weak = weak or answer
    return weak or None


# The letters of options that are looked for by default. MMLU-Pro has up to J.
LETTERS = "ABCDEFGHIJ"

# The characters before a letter that are looked at, and the letters of a text, from its end.
_LONGEST, _MOST = 120, 100


@lru_cache(maxsize=32)
def _compile(letters: str) -> dict[str, re.Pattern[str]]:
    """Return the expressions that look for a set of letters. White space is reduced to single characters first."""
    return compile_section("letters", one=re.escape(letters), small=re.escape(letters.lower()))


def find_letter(text: str, letters: str = LETTERS) -> str | None:
    """Return the option letter that a text settles on; None if it settles on none.

    Examples:
        >>> find_letter("I first thought of B, but the answer is (C)."), find_letter("**C**"), find_letter("答案是 C")
        ('C', 'C', 'C')
        >>> find_letter("It may be (A) or (B)"), find_letter("A dog")
        (None, None)
    """
    # The last statement counts ("The answer is (C)", "C is correct", 答案是 C, a boxed letter). If there is none, or it
    # names several letters as "B or C" does, the last line counts if it is a letter, as in "**C**". If it is not, and
    # there is no statement, a letter that is mentioned as an option counts, as in "(C)" or "C. Paris", unless other
    # letters are mentioned too.
    text = _normalize(text)
    rules = _compile(letters)
    whole = rules["whole"].fullmatch(text)
    if whole:
        return whole[1].upper()
    candidates = reversed(deque(rules["single"].finditer(text), maxlen=_MOST))
    settled = next(
        (match.start() for match in candidates if _is_settled(text, match.start(), rules)), None
    )
    if settled is not None and len(listed := _list_letters(text, settled, rules)) == 1:
        return listed.pop().upper()
    last = rules["whole"].fullmatch(text.rstrip().rpartition("\n")[2])
    if last or settled is not None:
        if last:
            return last[1].upper()
        return None
    mentioned = set[str]()
    for match in chain(rules["mentioned"].finditer(text), rules["leading"].finditer(text)):
        if not rules["negated"].search(text, max(0, match.start() - 20), match.start()):
            mentioned |= _list_letters(text, match.start(match.lastindex or 1), rules)
    if len(mentioned) == 1:
        return mentioned.pop()
    return None


def _list_letters(text: str, start: int, rules: dict[str, re.Pattern[str]]) -> set[str]:
    """Return the letters of the list that holds a letter, as in "B, C or D"; a letter alone is its own list."""
    before = rules["before"].search(text, max(0, start - 24), start)
    more = rules["more"].match(text, start + 1)
    return {
        text[start],
        *(before[0][:1] if before else ""),
        *(rules["alone"].findall(more[0]) if more else ()),
    }


def _is_settled(text: str, letter: int, rules: dict[str, re.Pattern[str]]) -> bool:
    """Return whether the words around a letter say that it is the answer."""
    # No announcement goes beyond the end of a sentence, and no condition beyond a sign. To look there alone takes half
    # of the time.
    after = letter + 1
    begin = _find_start(text, max(0, letter - _LONGEST), letter, ".!?")
    announced = rules["said"].search(text, begin, letter)
    if not announced and not rules["affirmed"].match(text, letter):
        announced = rules["named"].search(text, begin, letter)
        if not announced and (
            rules["more"].match(text, after) or rules["final"].match(text, after)
        ):
            announced = rules["hedged" if text[letter].isupper() else "hedged_small"].search(
                text, begin, letter
            )
        if not announced or rules["denied"].match(text, after):
            return False
    start = 0
    if announced:
        start = announced.start()
    if rules["condition"].search(
        text, _find_start(text, max(0, start - 30), start, ".!?:;,"), start
    ):
        return False
    return not rules["negated"].search(text, max(0, letter - 20), letter)


def _find_start(text: str, begin: int, end: int, signs: str) -> int:
    """Return where the part of a text begins that ends at a place and has none of some signs."""
    part = text[begin:end]
    return begin + max(map(part.rfind, signs)) + 1


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
    rules = _compile(letters)
    whole = rules["whole"].fullmatch(plain)
    leading = rules["leading"].match(plain)
    if whole:
        return whole[1].upper(), ""
    if leading:
        return leading[1], plain[leading.end() :].strip()
    return None, text.strip()


_GLYPHS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"


def find_last_number(text: str) -> str | None:
    r"""Return the last number in a text, as it is spelled there but for money; None if there is none.

    Examples:
        >>> find_last_number("They have 3 left, so they earn $1,234.50 a day."), find_last_number("It changed by -$5.")
        ('1,234.50', '-5')
        >>> find_last_number("about half"), find_last_number("7-5"), find_last_number(r"or 1\frac{1}{2}")
        (None, '5', '1\\frac{1}{2}')
    """
    return next(_list_numbers(text), None)


def find_only_number(text: str) -> str | None:
    r"""Return the number in a text that holds exactly one, with words, units and symbols around it, or None.

    Examples:
        >>> find_only_number("The answer is 20 marbles."), find_only_number("x = 20"), find_only_number("20 m^2")
        ('20', '20', '20')
        >>> find_only_number("3 of 20"), find_only_number("more than 20"), find_only_number("20 thousand")
        (None, None, None)
    """
    # What makes another number of it, such as "more than" or "thousand", or a formula, as in 20x, leaves none.
    found = list(islice(_list_numbers(text), 2))
    if len(found) != 1 or _compile_numbers()["changed"].search(text):
        return None
    return found[0]


def _compile_numbers() -> dict[str, re.Pattern[str]]:
    return compile_section(
        "numbers", money=MONEY, argument=ARGUMENT, raised=RAISED.pattern, glyphs=_GLYPHS
    )


def _list_numbers(text: str) -> Iterator[str | None]:
    """Yield the numbers in a text, the last first; None for one that is part of a formula."""
    # Numbers are what `read_number` reads. A list such as 1,2,3 has several.
    rules = _compile_numbers()
    for spelled in reversed(text.split("\n")):
        line = spelled  # of the same length, with each character that is part of a number as the one that it means
        if not spelled.isascii():
            plain = map(CHARACTERS.__getitem__, map(ord, spelled))
            line = "".join(
                sign if len(ascii_sign) > 1 or sign == "。" else ascii_sign
                for sign, ascii_sign in zip(spelled, plain, strict=True)
            )
        for match in reversed(list(rules["in_text"].finditer(line))):
            start, end = match.span()
            before = line[max(0, start - 60) : start]
            named = (
                before[-1:].isascii()
                and before[-1:].isalpha()
                and not rules["word_before"].search(before)
            )
            if named or rules["units_power"].search(before):
                continue
            if rules["part"].search(before) or rules["raised_or_named"].match(line, end):
                yield None
                continue
            number = (
                rules["foreign"]
                .sub(lambda digit: CHARACTERS[ord(digit[0])], spelled[start:end])
                .strip()
            )
            if line.endswith("/", 0, start):  # what is left of 5/6/2024 is not a fraction
                number = number.rpartition("/")[2]
            elif rules["sign_before"].search(line, max(0, start - 8), start):
                number = f"-{number}"
            yield number

"""Find the option letter that a free text settles on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from at_k.grading.marks import ANSWER, remove_thoughts
from at_k.grading.numbers import to_ascii

LETTERS = "ABCDEFGHIJ"
"""The letters of options that are looked for by default. MMLU-Pro has up to J."""

_SAYS = (
    r"(?i:\b(?:answer(?:\s(?:choice|option))?|choice|option)\s?(?:\*\*)?\s?"
    r"(?:(?:is|was|would\sbe|must\sbe|should\sbe|has\sto\sbe)\b\s?[:=]?|[:=])"
    r"|<answer>"
    r"|\b(?:choose|chose|select|selected|pick|picked|go\swith|going\swith)\b"
    r"|(?:答案|选项)\s?(?:应该|应当|应|就)?\s?(?:是|为|选|[:=])\s?[:=]?|(?:故选|应选|选择|选)\s?[:=]?)\s?"
    r"(?i:(?:the\s)?(?:correct\s)?(?:answer|option|choice|letter|选项)\s?(?:is\b)?\s?[:=]?)?\s?"
)
"""The words that announce an answer. White space is reduced to single characters first, and every repetition is
bounded: no text takes long."""

_HINT = re.compile(
    r"[aAcCoOsSſpPgG<答选故应\\](?:(?<=[aA])(?i:nswer)|(?<=[cC])(?i:ho[io]|hose)|(?<=[oO])(?i:ption)|(?<=[sSſ])(?i:elect)"
    r"|(?<=[pP])(?i:ick)|(?<=[gG])(?i:o)|(?<=<)(?i:answer)|(?<=\\)[bf]|(?<=[答选])|(?<=[故应])选)"
)
"""What these words begin with. A search for it is ten times as fast as one for the words themselves, since it begins
with a set of characters."""

_OPEN = r"(?:[\s*_`'\"“‘\[{<$(【「]|\\(?:text|textbf|mathrm|mathbf|boxed|fbox)\s?(?=\{)|\\[(\[]){0,12}"
"""What may stand between these words and the letter: emphasis, quotation marks, brackets, LaTeX."""

_LONGEST = 200
"""Characters that words and what stands between may have."""

_CLOSE = r"[\s*_`'\"”’\]}>$).:、】」\\]{0,12}"

_NEGATED = re.compile(
    r"[nNeE不非](?:(?<=\b[nN])(?i:ot|either|or)|(?<=[nN])(?i:'t)|(?<=\b[eE])(?i:xcept)|(?<=不)[是选]|(?<=非))"
    r"[\s*_`'\"“‘(\[]*$"
)
"""Words before a letter that rule it out: "not", "-n't", "neither", "nor", "except", 不是, 不选 and 非. Like `_HINT` it
begins with a set of characters, for which a search is fast."""

_A_WORD = re.compile(r"\s(?!(?:and|as|because|but|by|due|for|is|not|or|since|was|which|with)\b)[a-z]")
"""What follows the words "A" and "I", and hardly ever the letters."""

_BETWEEN = r"[\s*_`'\"”’)\]}>$(]{0,6}"
"""What may stand behind a letter of a list."""

_OR = r"(?:,\s?)?\(?(?i:and/or|or|and)\b|[/、&]|或者?|和|与|及"
"""What joins the letters of a list, beside a comma."""

_A_SENTENCE = r"(?!\s(?:is|was|isn|has|does|can|could|would|will|should|must|seems)\b|\s?(?:是|不|错))"
"""What makes of "A and B is wrong" two sentences, and not a list."""


_NAMED = rf"(?:{ANSWER}|(?i:\b(?:choice|option|letter|selection)))[\"'*_”]{{0,3}}\s?"
_THE_OPTION = (
    r"(?i:(?:la\s|l['’]\s?|die\s|a\s|le\s|el\s|the\s)?(?:(?:option|opción|opção|opzione|réponse|respuesta|antwort|lettre"
    r"|letra|lettera|letter|proposition|choix|alternativa?|möglichkeit)\s)?)"
)
_ANNOUNCED = re.compile(
    rf"(?:{_NAMED}[:=]|উত্তরঃ"
    r"|(?i:\b(?:réponse|respuesta|resposta|risposta|antwort)(?:\s\w{1,12}){0,2}"
    r"\s(?:est|serait|es|sería|é|seria|è|sarebbe|ist|lautet|wäre)(?:\sdonc|\s?:)?)"
    r"|(?i:\b(?:richtig|korrekt)\sist)"
    r"|(?:答え|正解|解答|回答|正答)は|(?:정답|답안|답변|답)[은는]|아니라|(?:では|じゃ)なくて?,?"
    r"|(?i:\b(?:not|pas(?:\sla)?|nicht|no(?:\ses)?(?:\sla)?)\s[\"'(*]{0,3}[a-z][\"')*]{0,3},?\s"
    r"(?:but(?:\srather)?|mais|sondern|sino))"
    r"|(?i:\b(?:it(?:'s|\sis|\smust\sbe|\shas\sto\sbe|\sshould\sbe)|that(?:'s|\sis)"
    r"|(?:think|believe|guess|say|bet|suspect|reckon)(?:\sthat)?(?:\s(?:it's|it\sis|on))?"
    r"|(?:for\ssure|surely|sure|definitely|certainly|clearly|obviously|probably|likely|therefore|hence|thus|so"
    r"|guess\sis|vote\sfor|lean(?:ing)?\stowards?|opt\sfor|settle\son|conclude),?(?:\s(?:it's|it\sis))?))"
    rf")\s?{_THE_OPTION}{_OPEN}$"
)
"""What stands right before a letter that the patterns of `_SAYS` do not find. It is looked for before
letters."""

_OPENERS = ", \n*_`'\"“‘’[{<$(【「"
_LAST_WORDS = (
    *(":", "=", "ঃ", "は", "은", "는", "라", "て", "で", "く", "is", "'s", "’s", "be", "on", "so", "ly", "sure"),
    *("that", "think", "believe", "guess", "say", "bet", "suspect", "reckon", "therefore", "hence", "thus", "for"),
    *("toward", "towards", "conclude", "but", "rather", "mais", "sondern", "sino", "est", "serait", "es", "sería"),
    *("é", "seria", "è", "sarebbe", "ist", "lautet", "wäre", "donc", " la", " l", " die", " é a", " è a", " le"),
    *(" el", " the", "option", "opción", "opção", "opzione", "réponse", "respuesta", "antwort", "lettre", "letra"),
    *("lettera", "letter", "proposition", "choix", "alternativ", "alternativa", "möglichkeit"),
)
"""How these words end. Most letters stand behind none of them, which is found a hundred times as fast."""

_FINAL = re.compile(
    r"[*_`'\"”’\]}>$)】」]{0,6}(?:[.!;。]|$|\n|,\s|\s(?:because|since|as|so|not|but|non|no|nicht|pas|pero|mais|aber|weil|car|porque)\b|\s?\(|:\s"
    r"|[)】」]\s|\s?(?:です|でした|だ|で(?!は)|입니다|이다|이?예요|이에요|번|(?:が|가\s?)(?:正|답|정답|맞)))"
)
"""What follows a letter that ends its sentence."""

_AFFIRMED_ABROAD = re.compile(
    r"[*_`'\"”’\])】」]{0,6}\s?(?:が(?:正解|正しい|答え)|가\s?(?:정답|답|맞)|(?i:est\s(?:la\s(?:bonne|réponse)|correcte|juste)"
    r"|es\s(?:la\s)?(?:respuesta\s)?correcta|ist\s(?:die\s)?(?:richtig|korrekt)))"
)
_DENIED = re.compile(
    r"[*_`'\"”’\])】」]{0,6}\s?(?:(?:では|じゃ)な|ではあり|(?:가|이)?\s?아니|"
    r"(?i:is\s(?:not|wrong|incorrect|false)|isn't|n'est|est\s(?:fau|incor)|no\ses|es\sincor|ist\s(?:nicht|falsch)))"
)
_CONDITIONS = frozenset(
    [
        *("if", "whether", "unless", "suppose", "supposing", "assume", "assuming", "maybe", "perhaps", "unsure"),
        *("doubt", "si", "wenn", "falls", "ob", "not"),
    ]
)
_CONDITION = re.compile(
    rf"(?:(?i:\b(?:{'|'.join(sorted(_CONDITIONS - {'not'}))})\b)[^.\n:;,!?]{{0,20}}"
    r"|(?i:\bnot|n['’]t)\s(?:\w{1,12}\s){0,2})$"
)
"""Words before a statement that make it a condition: "if the answer is A, …"."""

_GOES_ON = re.compile(
    r"\s(?!(?:and|as|because|but|by|due|for|is|not|or|since|so|was|which|with|e?s|est|ist|porque|car|weil|da|y|et|und|non|nicht|no|pas)\b)"
    r"[a-zà-ÿ]"
)
"""What follows a capital that begins a sentence: "Respuesta: A continuación"."""


class _Patterns:
    """Hold the expressions that look for a set of letters."""

    def __init__(self, letters: str) -> None:
        letter, ends = f"([{re.escape(letters)}])", "(?![A-Za-z0-9_+-]|['’][A-Za-z])"
        begins = "(?<![A-Za-z0-9_'’-].)"  # behind the letter, so that a search is one for the letter
        self.whole = re.compile(rf"{_OPEN}(?i:{letter}){_CLOSE}")
        self.stated = re.compile(rf"(?:{_SAYS}|\\(?:boxed|fbox)\s?(?=\{{)){_OPEN}{letter}{ends}")
        self.ending = re.compile(letter + ends)
        self.affirmed = re.compile(
            rf"{letter}{begins}[)*_`'\"”\]}}]{{0,6}}(?=\s?[iIıİwWmM选项是为唯最正恰合])(?:\s(?i:is|was|must\sbe)\s"
            r"(?i:(?:the\s)?(?:only\s|most\s|best\s)?(?:correct|right|answer|true|best|appropriate)\b)"
            r"|\s?(?:选项|项)?\s?(?:(?:是|为)?\s?(?:唯一|最)?(?:正确|恰当|合适)|是对的|(?:是|为)(?:本题)?答案))"
        )
        another = (
            rf"{_OPEN}(?:(?i:option|choice|选项)\s?)?[(*]{{0,3}}(?![AI]{_A_WORD.pattern})[{re.escape(letters)}]{ends}"
        )
        self.more = re.compile(
            rf"(?:{_BETWEEN}(?:(?:{_OR}){another}{_A_SENTENCE}"
            rf"|,{another}(?={_BETWEEN}(?:$|[\n,/、.;!?&]|(?i:or|and)\b|或|和)))){{1,26}}"
        )
        self.settled = re.compile(rf"{letter}{ends}(?!{_GOES_ON.pattern})")
        self.lower = re.compile(
            rf"[:=]\s?{_OPEN}([{re.escape(letters.lower())}])(?=[*_`'\"”’\]}}>$)]{{0,6}}(?:[.;!](?:\s|$)|\n|$|\)))"
            if letters.isupper()
            else r"(?!)"
        )
        self.alone = re.compile(rf"(?<![A-Za-z]){letter}(?![A-Za-z])")
        self.before = re.compile(rf"[{re.escape(letters)}]{begins}{_BETWEEN}(?:{_OR}){_OPEN}$")
        self.mentioned = re.compile(
            rf"[(*oOcC](?:(?<=\(){letter}\)|(?<=\*)\*\(?{letter}[).:]?\*\*"
            rf"|(?:(?<=\b[oO])(?i:ption)|(?<=\b[cC])(?i:hoice))\s[(*]{{0,3}}{letter}{ends})"
        )
        self.leading = re.compile(
            rf"^[\s*_(\[]{{0,6}}{letter}[*_]{{0,2}}\s?[).:、\]][*_]{{0,2}}(?:\s|$|(?=[^\x00-\x7f]))", re.MULTILINE
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
    text = _normalize(remove_thoughts(text))
    patterns = _compile(letters)
    whole = patterns.whole.fullmatch(text) if len(text) < 100 else None
    if whole:
        return whole[1].upper()
    found, end, listed = -1, -1, set[str]()
    for matches in (_find_stated(patterns, text), patterns.affirmed.finditer(text)):
        for match in matches:
            start = match.start(1)
            said = match.start()
            if (
                match.end() > end
                and not _rules_out(text, start)
                and not _is_word(text, start)
                and not (said < start and _is_conditional(text, said))
            ):
                more = patterns.more.match(text, start + 1)
                found, end = start, more.end() if more else match.end()
                listed = _list_letters(text, start, more, patterns)
    for start in _find_announced(patterns, text, found + 1):
        more = patterns.more.match(text, start + 1)
        found, listed = start, _list_letters(text, start, more, patterns)
    if found >= 0 and len(listed) == 1:
        return text[found].upper()
    last = patterns.whole.fullmatch(text.rstrip().rpartition("\n")[2])
    if last:
        return last[1].upper()
    mentioned = set()
    for pattern in (patterns.mentioned, patterns.leading):
        for match in pattern.finditer(text):
            if not _rules_out(text, match.start()):
                start = match.start(match.lastindex or 1)
                mentioned |= _list_letters(text, start, patterns.more.match(text, start + 1), patterns)
    return mentioned.pop() if len(mentioned) == 1 and found < 0 else None


def _list_letters(text: str, start: int, more: re.Match[str] | None, patterns: _Patterns) -> set[str]:
    """Return the letters of the list in which a letter stands, as in "B, C or D"; a letter alone is its own list."""
    before = patterns.before.search(text, max(0, start - 24), start)
    return {text[start], *(before[0][:1] if before else ""), *(patterns.alone.findall(more[0]) if more else ())}


def _find_announced(patterns: _Patterns, text: str, begin: int) -> Iterator[int]:
    """Find the letters that less certain words announce, behind the last statement. They must end their sentence."""
    found = []
    for match in patterns.settled.finditer(text, begin):
        start = match.start()
        before = text[max(0, start - 24) : start].rstrip(_OPENERS).lower()
        if _AFFIRMED_ABROAD.match(text, start + 1) or (
            before.endswith(_LAST_WORDS)
            and (
                before[-1] in ":="
                or _FINAL.match(text, start + 1) is not None
                or patterns.more.match(text, start + 1) is not None
            )
            and (said := _ANNOUNCED.search(text, max(0, start - 80), start))
            and not _DENIED.match(text, start + 1)
            and not _is_conditional(text, said.start())
        ):
            found.append(start)
    found += [
        match.start(1)
        for match in patterns.lower.finditer(text, max(0, begin - 20))
        if match.start(1) >= begin and _COLON_BEFORE.search(text, max(0, match.start() - 40), match.start())
    ]
    return iter(sorted(found))


_COLON_BEFORE = re.compile(rf"{_NAMED}$")


def _find_stated(patterns: _Patterns, text: str) -> Iterator[re.Match[str]]:
    """Find what `patterns.stated.finditer` finds, where a letter is near."""
    start, letter = 0, -1
    while hint := _HINT.search(text, start):
        start = hint.start()
        if letter < start:
            next_letter = patterns.ending.search(text, start)
            if not next_letter:
                return
            letter = next_letter.start()
        if letter - start > _LONGEST:
            start = letter - _LONGEST
        elif match := patterns.stated.match(text, start):
            yield match
            start = match.end()
        else:
            start += 1


def _normalize(text: str) -> str:
    """Write a text in ASCII where that is possible, with single spaces, and without empty lines."""
    text = to_ascii(text)
    if "\n" not in text:
        return " ".join(text.split())
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _rules_out(text: str, letter: int) -> bool:
    """Return whether the words before a letter say that it is not the answer."""
    return _NEGATED.search(text, max(0, letter - 20), letter) is not None


def _is_conditional(text: str, said: int) -> bool:
    """Return whether the words before a statement make it a condition, or deny it."""
    before = text[max(0, said - 30) : said].lower()
    return not _CONDITIONS.isdisjoint(before.replace("’", "'").replace("n't", " not").split()) and (
        _CONDITION.search(text, max(0, said - 30), said) is not None
    )


def _is_word(text: str, letter: int) -> bool:
    """Return whether a letter is the word "A" or "I"."""
    return text[letter] in "AI" and _A_WORD.match(text, letter + 1) is not None


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

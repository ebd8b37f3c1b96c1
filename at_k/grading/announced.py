r"""Find where a text announces its answer, and read it there: after "####", in <answer>, after "The answer is"."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from at_k.grading.marks import ANSWER, ASCII_STEMS

_LONGEST_LINE = 10_000
_MOST_MARKS = 100
"""Marks that are looked at. A text that announces nothing a hundred times has no answer."""

_SPACE = "[ \\t\u00a0\u3000\u200b-\u200f\ufeff]"
_STRONG = r"(?:\*{1,3}|_{1,3}|\"|”)?"
_MARK = re.compile(
    rf"(?P<hashes>(?<!#)####(?!#){_SPACE}{{0,8}})"
    rf"|(?P<heading>^[ \t]{{0,3}}(?:#{{1,6}}[ \t]{{1,4}}|(?=\*\*)){_STRONG}(?i:(?:the[ ])?(?:final[ ]|correct[ ])?"
    rf"(?:answer|result)){_STRONG}[:：]?{_STRONG}[ \t]*$)"
    r"|(?P<said>(?i:(?<![^\W\d_])(?:answers?|results?)(?:[ ](?:to|of|for)[ ][^.:!?\n]{1,80}?)?[*_]{0,3}[ \t]{1,8}"
    r"(?:is|are|was|(?:should|must|would)[ \t]{1,8}be)(?![^\W_])|(?<![^\W\d_])(?:respuesta|resposta|risposta|réponse)"
    r"(?:[ ](?:final|correcta|correta|corretta|correcte|finale))?[ ](?:es|é|è|est)(?![^\W_])"
    rf"|(?<![^\W\d_])antwort[ ](?:ist|lautet)(?![^\W_]))[*_]{{0,3}}{_SPACE}{{0,8}}[:：=]?)"
    r"|(?P<asian>(?:答案[*_]{0,3}(?:应该|应当|应|就)?(?:是|为)|(?:答え|正解|解答)は|(?:정답|답)(?:은|는))[:：]?)"
    rf"|(?P<colon>{ANSWER}{_STRONG}{_SPACE}{{0,8}}{_STRONG}(?:[:：=]|(?<=ঃ))"
    rf"|^{_SPACE}{{0,8}}{_STRONG}(?i:(?:final[ ])?results?){_STRONG}{_SPACE}{{0,8}}[:：=])",
    re.MULTILINE,
)
"""What announces an answer. Every repetition is bounded, so that no text takes long."""

_TAG = re.compile(r"<answer>", re.IGNORECASE)
_TAG_END = re.compile(r"</?answer>|$", re.IGNORECASE)
_CUT = re.compile(r"</?[A-Za-z_]{1,20}>|<\||\[/[A-Z]{1,9}\]")
"""What ends an answer, whatever it is: tags, and the tokens of chat templates."""

_FORMULA = re.compile(
    r"\$\$.+?\$\$|\\\[.+?\\\]|\\\(.+?\\\)|\$(?![\s$])[^$\n]*?(?<![\s\\])\$(?!\d)|`[^`\n]+`", re.DOTALL
)
_DISPLAY = re.compile(r"\s*(?:\$\$(?P<a>.+?)\$\$|\\\[(?P<b>.+?)\\\])", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?](?=[\s*_\"”']|$)|[。！？।]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Jj]r|[Ss]r|[Nn]o|[Vv]s|[Ff]ig|[Ee]q|approx|ca|e\.g|i\.e)"
    r"|\b(?!(?i:option|choice|answer|point|vitamin|case|type|group|plan|figure|line|set|letter)\b)[A-Z][a-z]+[ ][A-Z]"
    r"|\b[A-Z]\.[A-Z])$"
)
"""What a full stop may follow without the end of the sentence."""

_TAIL = re.compile(r",?[ ](?:because|since)\b.*|,[ ](?:so|which|but|not|as|where|hence|thus|therefore)\b.*", re.DOTALL)
_AFTERWARDS = re.compile(r"[ \t]*(?:です|でした|だと思います|だと考えます|だ|입니다|이다|이에요|예요)[ \t]*$")

_NOT_YET = re.compile(
    r"(?i:not|n't|nicht|kein\w*|pas|unclear|unknown|undetermined|uncertain|yet|still|unavailable)(?![\w-])"
)
"""What says that there is no answer, or that it is something else."""

_CONDITION = re.compile(
    r"(?i:\b(?:if|whether|unless|suppose|supposing|assume|assuming|what|why|how|when|si|wenn|falls|ob)\b)"
    r"[^.\n:;,!?]{0,20}$"
)
"""Words before a statement that make it a condition or a question."""

_CLAUSE = re.compile(
    r"(?i:(?:that|in|on|at|by|from|therefore|thus|because|when|if|whether|also|obtained|given|found|shown|provided|"
    r"computed|calculated|derived|based|as follows|as|below|above|here|clear|clearly|correct|incorrect|right|wrong|"
    r"indeed|hidden|somewhere|simply|to|always|already|just|supposed|expected|likely|probably|marked|written|going|"
    r"really|obviously|evidently|donc|entonces|daher|either|one of|among|contained|stored|known)(?![\w-]))"
)
"""What begins a clause rather than an answer, after "the answer is"."""

_MUSING = re.compile(
    r"(?i:(?:let['’]?s|let us|let \w|we|to|since|because|first,|if|by \w+ing|based on|according to|okay|ok|hmm|sure"
    r"|here|see|a continuación|para|primero|vamos|pour|d['’]abord|zunächst|zuerst|um)(?=[ ,'’]))"
    r"|I['’ ](?=[a-zé])|[Tt]he (?:answer|question|problem|final|correct)\b"
)
"""What begins a sentence of reasoning, after "Answer:"."""

_TEMPLATE = re.compile(
    r"[\[({<$\\]*(?:boxed|text|(?:your|the|my|put|insert|write)?[ _]?(?:final|correct|numeric\w*|own|short)?[ _]?"
    r"(?:answer|letter|number|result|choice|option|value)(?:[ _](?:here|only|goes here|letter|choice))?|x{3,}|_{2,})"
    r"[\])}>$]*",
    re.IGNORECASE,
)
"""What stands in place of the answer where instructions are repeated."""

_BLANK = re.compile(r"[\s$*_#\\\[\](){}`\"':;,.!?…\-–—|~“”‘’]*")
_HEADING = re.compile(r"(?:[^\W\d_]|\d+[.)][ ])[^\n]*\n\s*[^\s#]")
"""What makes of "#### Step 2" a heading, and not an answer of GSM8K: words with a text below."""

_EMPHASIS = re.compile(r"(?<!\w)\*\*|\*\*(?!\w)")
_PAIRS = ('""', "''", "``", "“”", "‘’", "「」", "«»")


def list_tagged(text: str) -> Iterator[str]:
    """Yield what stands in `<answer>`, the last first."""
    for tag in reversed(deque(_TAG.finditer(text), maxlen=_MOST_MARKS)):
        end = _TAG_END.search(text, tag.end())
        yield text[tag.end() : end.start() if end else len(text)].strip()


def list_announced(text: str) -> Iterator[tuple[str, str]]:
    """Yield what follows each mark, the last first, with the kind of the mark. A denial ends the list."""
    start = 0
    if text.isascii():  # 30 times as fast for a text with its answer at the end
        lowered = text.lower()
        start = max(
            0, min((place for stem in ASCII_STEMS if (place := lowered.find(stem)) >= 0), default=len(text)) - 20
        )
    for match in reversed(deque(_MARK.finditer(text, start), maxlen=_MOST_MARKS)):
        kind = match.lastgroup or ""
        rest = _find_rest(text[match.end() : match.end() + _LONGEST_LINE], kind)
        if kind == "said" and _CONDITION.search(text, max(0, match.start() - 40), match.start()):
            continue
        if kind in ("said", "asian") and _NOT_YET.match(rest.lstrip(" *_")):
            return
        yield rest, kind


def _find_rest(rest: str, kind: str) -> str:
    """Return what may hold the answer behind a mark: a formula on lines of its own, or the first line with a text."""
    if kind == "hashes" and _HEADING.match(rest):
        return ""
    start = rest.lstrip("\n" if kind == "hashes" else " \t\u3000\u200b*_:：\n")
    display = _DISPLAY.match(start)
    if display:
        return (display["a"] or display["b"]).strip()
    line = rest.partition("\n")[0]
    return line if line.strip(" *_:：\t\u200b") else start.partition("\n")[0]


def read_value(rest: str, kind: str) -> str | None:
    """Return the answer at the beginning of a line; None if what stands there is none."""
    cut = _CUT.search(rest)
    rest = (rest[: cut.start()] if cut else rest).strip("\u200b\u200c\u200d\u200e\u200f\ufeff \t\r")
    if kind not in ("hashes", "tag"):
        if _MUSING.match(rest.lstrip("*_( ")) or (kind == "said" and _CLAUSE.match(rest.lstrip("*_ "))):
            return None
        end = _find_end(rest)
        if end is not None and rest[end] in "?？":
            return None
        rest = rest[:end]
        if kind != "heading":
            rest = _TAIL.sub("", rest)
        if kind == "asian":
            rest = _AFTERWARDS.sub("", rest)
    answer = (
        _EMPHASIS.sub("", rest).strip().strip("*").strip("\u200b\u200c\u200d\ufeff \t\r\n").lstrip(":： ").rstrip(",;")
    )
    if len(answer) > 2 and answer[0] + answer[-1] in _PAIRS and answer[0] not in answer[1:-1]:
        answer = answer[1:-1].strip()
    return None if _is_rubbish(answer) else answer


def _find_end(rest: str) -> int | None:
    """Return where the sentence ends, outside of formulas and not at an abbreviation."""
    formulas = [formula.span() for formula in _FORMULA.finditer(rest)]
    for end in _SENTENCE_END.finditer(rest):
        place = end.start()
        inside = any(start < place < stop for start, stop in formulas)
        if not inside and not (end[0] == "." and rest[place + 1 :].strip() and _ABBREVIATION.search(rest[:place])):
            return place
    return None


def _is_rubbish(answer: str) -> bool:
    """Return whether a text can be no answer: it is empty, cut off, a template, or announces something else."""
    return (
        (_BLANK.fullmatch(answer) is not None and answer not in ("-", "*", "!"))
        or answer.endswith((":", "："))
        or _TEMPLATE.fullmatch(answer) is not None
        or re.search("ではな|じゃな|아니", answer) is not None
        or answer.count("{") != answer.count("}")
        or re.match(r"[A-Za-z]{1,20}['\"’”] ", answer) is not None  # the end of what was quoted
        or (answer.count("$") % 2 == 1 and not re.search(r"\$\s?\d", answer))
        or (answer.startswith(("\\[", "$$")) and not answer.endswith(("\\]", "$$")))
    )

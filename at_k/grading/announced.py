r"""Find where a text announces its answer, and read it there: after "####", in <answer>, after "The answer is"."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from pathlib import Path

# Words and regular expressions in the languages of MMMLU, MGSM and a few more, by what they say.
TABLE = json.loads(Path(__file__).with_name("languages.json").read_text(encoding="utf-8"))

_LATIN = ("answer", *TABLE["answer"])
_OTHER = ("答案", "答复", "答曰", "答", *TABLE["answer, in scripts without cases"])


def _spell(words: tuple[str, ...]) -> str:
    """Return an expression for any of some words, the longest first, with their accents in one character or in two."""
    spelled = {unicodedata.normalize(form, word) for word in words for form in ("NFC", "NFD")} | {*words}
    return "|".join(sorted(map(re.escape, spelled), key=lambda word: (-len(word), word)))


# In lower case, what every mark of an answer holds in a text of ASCII.
ASCII_STEMS = (*filter(str.isascii, _LATIN), "result", "####")

# The word for "answer": those that simple-evals looks for before a colon (for MMMLU in `common.py`, for MGSM), and
# those of a few more languages.
ANSWER = rf"(?:(?<![^\W\d_])(?i:{_spell(_LATIN)})|(?:{_spell(_OTHER)}))"

_LONGEST_LINE = 10_000

# Marks that are looked at. A text that announces nothing a hundred times has no answer.
_MOST_MARKS = 100

_MARKS, _PARTS = TABLE["marks"], TABLE["parts of marks"] | {"answer": ANSWER}
_WORDS = {name: "|".join(words) for name, words in TABLE["words of announcements"].items()}


def _fill(rule: str) -> str:
    """Put in the parts that rules have in common."""
    return re.sub("%(\\w+)%", lambda part: _fill(_PARTS[part[1]]), rule)


# Announcements of an answer. Every repetition is bounded, so that no text takes long.
_MARK = re.compile("|".join(f"(?P<{kind}>{'|'.join(map(_fill, _MARKS[kind]))})" for kind in _MARKS), re.MULTILINE)

_TAG = re.compile(r"<answer>", re.IGNORECASE)
_TAG_END = re.compile(r"</?answer>|$", re.IGNORECASE)

# The end of any answer: tags, and the tokens of chat templates.
_CUT = re.compile(r"</?[A-Za-z_]{1,20}>|<\||\[/[A-Z]{1,9}\]")

_FORMULA = re.compile(
    r"\$\$.+?\$\$|\\\[.+?\\\]|\\\(.+?\\\)|\$(?![\s$])[^$\n]*?(?<![\s\\])\$(?!\d)|`[^`\n]+`", re.DOTALL
)
_DISPLAY = re.compile(r"\s*(?:\$\$(?P<a>.+?)\$\$|\\\[(?P<b>.+?)\\\])", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?](?=[\s*_\"”']|$)|[。！？।]")

# Words before a full stop that does not end the sentence.
_ABBREVIATION = re.compile(
    rf"(?:\b(?:{_WORDS['abbreviation']})|\b(?!(?i:{_WORDS['not a name']})\b)[A-Z][a-z]+[ ][A-Z]|\b[A-Z]\.[A-Z])$"
)

_TAIL = re.compile(_WORDS["tail"], re.DOTALL)
_AFTERWARDS = re.compile(rf"[ \t]*(?:{_WORDS['afterwards']})[ \t]*$")

# Words that deny an answer.
_NOT_YET = re.compile(rf"(?i:{_WORDS['no answer yet']})(?![\w-])")

# Words before a statement that make it a condition or a question.
_CONDITION = re.compile(rf"(?i:\b(?:{_WORDS['condition or question']})\b)[^.\n:;,!?]{{0,20}}$")

# The beginning of a clause rather than an answer, after "the answer is".
_CLAUSE = re.compile(rf"(?i:(?:{_WORDS['clause']})(?![\w-]))")

# The beginning of a sentence of reasoning, after "Answer:".
_MUSING = re.compile(
    rf"(?i:(?:{_WORDS['musing']})(?=[ ,'’]))|I['’ ](?=[a-zé])|[Tt]he (?:answer|question|problem|final|correct)\b"
)

# Placeholders for the answer where instructions are repeated.
_TEMPLATE = re.compile(
    r"[\[({<$\\]*(?:boxed|text|(?:your|the|my|put|insert|write)?[ _]?(?:final|correct|numeric\w*|own|short)?[ _]?"
    r"(?:answer|letter|number|result|choice|option|value)(?:[ _](?:here|only|goes here|letter|choice))?|x{3,}|_{2,})"
    r"[\])}>$]*",
    re.IGNORECASE,
)

_BLANK = re.compile(r"[\s$*_#\\\[\](){}`\"':;,.!?…\-–—|~“”‘’]*")

# A heading such as "#### Step 2", which is no answer of GSM8K: words with a text below.
_HEADING = re.compile(r"(?:[^\W\d_]|\d+[.)][ ])[^\n]*\n\s*[^\s#]")

_EMPHASIS = re.compile(r"(?<!\w)\*\*|\*\*(?!\w)")
_PAIRS = ('""', "''", "``", "“”", "‘’", "「」", "«»")


def list_tagged(text: str) -> Iterator[str]:
    """Yield the contents of `<answer>`, the last first."""
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
    """Return the answer at the beginning of a line, or None."""
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
    if answer.count("`") % 2:  # the announcement is between the same marks
        answer = answer.strip("`").rstrip()
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

r"""Find where a text announces its answer, and read it there: after "####", in <answer>, after "The answer is"."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from at_k.grading.patterns import TABLE, compile_section, fill

# In lower case, what every mark of an answer holds in a text of ASCII.
_ASCII_STEMS = (*filter(str.isascii, TABLE["parts"]["latin"]), "result", "####")

_MARK = re.compile("(?m)" + "|".join(f"(?P<{kind}>{fill('|'.join(rules))})" for kind, rules in TABLE["marks"].items()))
_RULES = compile_section("announced")

# Marks, and characters of a line, that are looked at. A text that announces nothing a hundred times has no answer.
_MOST_MARKS, _LONGEST_LINE = 100, 10_000

_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\ufeff \t\r\n"
_PAIRS = ('""', "''", "``", "“”", "‘’", "「」", "«»")


def list_tagged(text: str) -> Iterator[str]:
    """Yield the contents of `<answer>`, the last first."""
    for tag in reversed(deque(_RULES["tagged"].finditer(text), maxlen=_MOST_MARKS)):
        yield tag[1].strip()


def list_announced(text: str) -> Iterator[tuple[str, str]]:
    """Yield what follows each mark, the last first, with the kind of the mark. A denial ends the list."""
    start = 0
    if text.isascii():  # 30 times as fast for a text with its answer at the end
        lowered = text.lower()
        start = min((place for stem in _ASCII_STEMS if (place := lowered.find(stem)) >= 0), default=len(text))
    for match in reversed(deque(_MARK.finditer(text, max(0, start - 20)), maxlen=_MOST_MARKS)):
        kind = match.lastgroup or ""
        rest = _find_rest(text[match.end() : match.end() + _LONGEST_LINE], kind)
        if kind == "said" and _RULES["condition"].search(text, max(0, match.start() - 40), match.start()):
            continue
        if kind in ("said", "asian") and _RULES["no_answer"].match(rest):
            return
        yield rest, kind


def _find_rest(rest: str, kind: str) -> str:
    """Return what may hold the answer behind a mark: a formula on lines of its own, or the first line with a text."""
    if kind == "hashes" and _RULES["heading"].match(rest):
        return ""
    start = rest.lstrip("\n" if kind == "hashes" else " \t\u3000\u200b*_:：\n")
    display = _RULES["display"].match(start)
    if display:
        return (display["a"] or display["b"]).strip()
    line = rest.partition("\n")[0]
    return line if line.strip(" *_:：\t\u200b") else start.partition("\n")[0]


def read_value(rest: str, kind: str) -> str | None:
    """Return the answer at the beginning of a line, or None."""
    rest = _RULES["cut"].sub("", rest).strip(_INVISIBLE)
    if kind not in ("hashes", "tag"):
        end = _find_end(rest)
        if (
            _RULES["musing"].match(rest)
            or (kind == "said" and _RULES["clause"].match(rest))
            or rest.startswith(("?", "？"), end)
        ):
            return None
        rest = rest[:end]
        if kind != "heading":
            rest = _RULES["tail"].sub("", rest)
        if kind == "asian":
            rest = _RULES["afterwards"].sub("", rest)
    answer = _RULES["emphasis"].sub("", rest).strip().strip("*").strip(_INVISIBLE).lstrip(":： ").rstrip(",;")
    if answer.count("`") % 2:  # the announcement is between the same marks
        answer = answer.strip("`").rstrip()
    if len(answer) > 2 and answer[0] + answer[-1] in _PAIRS and answer[0] not in answer[1:-1]:
        answer = answer[1:-1].strip()
    return None if answer.count("{") != answer.count("}") or _RULES["rubbish"].match(answer) else answer


def _find_end(rest: str) -> int:
    """Return where the sentence ends, outside of formulas and not at an abbreviation."""
    formulas = [formula.span() for formula in _RULES["formula"].finditer(rest)]
    for end in _RULES["sentence_end"].finditer(rest):
        place = end.start()
        inside = any(start < place < stop for start, stop in formulas)
        short = end[0] == "." and rest[place + 1 :].strip() and _RULES["abbreviation"].search(rest[:place])
        if not inside and not short:
            return place
    return len(rest)

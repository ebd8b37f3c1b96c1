"""Recognize what surrounds an answer: the reasoning before it, and the words that announce it in many languages."""

from __future__ import annotations

import re
import unicodedata

_THOUGHT = re.compile(r"(</?think(?:ing)?>)")


def remove_thoughts(text: str) -> str:
    """Remove reasoning between `<think>` and `</think>` (or `<thinking>`): what stands there is a draft.

    Where only the end is marked, the prompt has opened it, and all that precedes is removed. Where only the beginning
    is, the text was cut off, and the rest is removed.

    Examples:
        >>> remove_thoughts("<think>4, or 5?</think>It is 5."), remove_thoughts("4, or 5?</think>It is 5.")
        ('It is 5.', 'It is 5.')
        >>> remove_thoughts("<think>4, or")
        ''
    """
    if "<think" not in text and "</think" not in text:
        return text
    kept, inside = list[str](), False
    for part in _THOUGHT.split(text):
        if part.startswith("<think") and _THOUGHT.fullmatch(part):
            inside = True
        elif part.startswith("</think") and _THOUGHT.fullmatch(part):
            kept = kept if inside else []
            inside = False
        elif not inside and part:
            kept.append(part)
    return " ".join(kept)


_LATIN = (
    *("answer", "antwort", "respuesta", "risposta", "jawaban", "réponse", "resposta", "jibu"),
    *("idahun", "ìdáhùn", "idáhùn", "àmọ̀nà", "àdáhùn", "ànúgọ", "àṣàyàn"),  # Yoruba
    *("ответ", "odpowiedź", "antwoord", "cevap", "câu trả lời", "đáp án"),
)
_OTHER = (
    *("উত্তর", "উত্তরঃ", "उत्तर", "సమాధానం", "คำตอบ"),
    *("정답", "답변", "답"),
    *("答案", "答复", "答曰", "答え", "答", "回答", "解答", "正解"),
    *("الإجابة", "الجواب", "إجابة", "الإجابة النهائية", "الإجابة الصحيحة", "الإجابة الصحيحة هي", "الإجابة هي"),
    "الجواب النهائي",
)


def _spell(words: tuple[str, ...]) -> str:
    """Return an expression for any of some words, the longest first, with their accents in one character or in two."""
    spelled = {unicodedata.normalize(form, word) for word in words for form in ("NFC", "NFD")} | {*words}
    return "|".join(sorted(map(re.escape, spelled), key=lambda word: (-len(word), word)))


ASCII_STEMS = (*filter(str.isascii, _LATIN), "result", "####")
"""In lower case, what every mark of an answer holds in a text of ASCII."""

ANSWER = rf"(?:(?<![^\W\d_])(?i:{_spell(_LATIN)})|(?:{_spell(_OTHER)}))"
"""The word for "answer": those that simple-evals looks for before a colon (for MMMLU in `common.py`, for MGSM), and
those of a few more languages."""

"""The document in the language of the visitor: what Gradio wrote into it in English, in another language.

Gradio would send the texts of every language to every visitor, or the English ones first.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from at_k.demo.words import LANGUAGES

Texts = Callable[[str], list[Any]]
"""Lists, in a language, the values in the document that have words in them, in the same order in every language."""


def translate_document(document: str, language: str, list_texts: Texts) -> str:
    """Put the texts of a language in the place of the English ones.

    Examples:
        >>> translate_document('["yes","<b>"]', "zh", lambda language: ["yes"] if language == "en" else ["是"])
        '["是","<b>"]'
    """
    for english, translated in _pair_texts(list_texts, language):
        document = document.replace(english, translated)
    return document


@cache
def _pair_texts(list_texts: Texts, language: str) -> list[tuple[str, str]]:
    """Pair the English texts with those of a language, as the document has them: a whole before its parts."""
    if language == LANGUAGES[0]:
        return []
    pairs = zip(list_texts(LANGUAGES[0]), list_texts(language), strict=True)
    written = [(write_in_script(english), write_in_script(text)) for english, text in pairs if english != text]
    return sorted(written, key=lambda pair: -len(pair[0]))


def write_in_script(value: Any) -> str:
    r"""Write a value as JSON inside a script of a page, as Gradio does.

    Examples:
        >>> print(write_in_script(["c < n", "τ"]))
        ["c \u003c n","τ"]
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.translate({ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&'"})

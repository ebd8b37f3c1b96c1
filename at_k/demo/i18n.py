"""The words of `at_k.demo.words` for the parts of a page that the browser translates."""

from __future__ import annotations

from typing import Any

import gradio as gr

from at_k.demo.words import LANGUAGES, WORDS

TRANSLATIONS = gr.I18n(
    **{
        language: {key.replace(".", "_"): pair[place] for key, pair in WORDS.items()}
        for place, language in enumerate(LANGUAGES)
    }
)


def t(key: str) -> Any:
    """Return the words of a key as a label, which the browser shows in its language."""
    return TRANSLATIONS(key.replace(".", "_"))

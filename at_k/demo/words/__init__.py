"""The words of the pages, in English and in Chinese.

Each file of this package holds the words of one part of the demo: key → (English, Chinese). A key is the name of its file,
a dot, and a name: "score.title". Names in braces are filled in: "row {row}".

The messages of the library carry their English sentences; `library.py` has the Chinese ones, and `on_page.py` those that a
page says in words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

from at_k.demo.words.library import CHINESE
from at_k.demo.words.on_page import ON_PAGE
from at_k.errors import InputError, Message, Spelling

LANGUAGES = ("en", "zh")


def _collect_words() -> dict[str, tuple[str, str]]:
    """Return the words of all files, by key."""
    words: dict[str, tuple[str, str]] = {}
    for part in iter_modules(__path__):
        if part.name not in ("library", "on_page"):
            own: dict[str, tuple[str, str]] = import_module(f"{__name__}.{part.name}").WORDS
            words |= {f"{part.name}.{name}": pair for name, pair in own.items()}
    return words


WORDS = _collect_words()


def say(language: str, key: str, **values: object) -> str:
    """Return the words of a key in a language, filled in.

    Examples:
        >>> say("en", "score.problems", count=3)
        '3 problems'
    """
    text = WORDS[key][LANGUAGES.index(language)]
    return text.format(**values) if values else text


def join_sentences(sentences: Iterable[str], language: str) -> str:
    """Join sentences; in Chinese, no space stands between them.

    Examples:
        >>> join_sentences(["是。", "不是。"], "zh")
        '是。不是。'
    """
    return ("" if language == "zh" else " ").join(sentences)


def list_words(words: Iterable[str], language: str) -> str:
    """List words with commas between them.

    Examples:
        >>> list_words(["甲", "乙"], "zh")
        '甲，乙'
    """
    return ("，" if language == "zh" else ", ").join(words)


def make_error(key: str, **values: object) -> InputError:
    """Make an error of the demo's own words.

    Examples:
        >>> make_error("typed.no_tau").code
        'typed.no_tau'
    """
    return InputError(key, WORDS[key][0], **values)


def translate(message: Message | InputError, language: str) -> str:
    """Return a message, or the message of an error, in a language, as a page says it.

    Examples:
        >>> translate(make_error("typed.no_tau"), "zh")
        '请至少给出一个 τ，例如 0.5。'
    """
    if isinstance(message, InputError):
        message = message.message
    place = LANGUAGES.index(language)
    own = ("", CHINESE.get(message.code, ""))
    template = (ON_PAGE.get(message.code) or WORDS.get(message.code) or own)[place]
    values = {
        name: translate(value, language) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    return Message(message.code, template or message.sentence, **values).render(Spelling())


def language_of(accept_language: str | None) -> str:
    """Choose the language of a browser from its Accept-Language header: its first, if that is here, else English.

    Its second would be no help: the parts of the page that the browser translates are English then.

    Examples:
        >>> language_of("zh-CN,zh;q=0.9,en;q=0.8"), language_of("fr-FR, zh;q=0.5"), language_of(None)
        ('zh', 'en', 'en')
    """
    first = re.split("[,;-]", accept_language or "", maxsplit=1)[0].strip().lower()
    return first if first in LANGUAGES else LANGUAGES[0]

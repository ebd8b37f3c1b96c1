"""What the pages say, in English and in Chinese.

Each file of this package holds the words of one part of the demo: key → (English, Chinese). A key is the name of its file,
a dot, and a name: "score.title". What stands in braces is filled in: "row {row}".
"""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

LANGUAGES = ("en", "zh")


def _collected() -> dict[str, tuple[str, str]]:
    """The words of all files, by key."""
    words: dict[str, tuple[str, str]] = {}
    for part in iter_modules(__path__):
        own: dict[str, tuple[str, str]] = import_module(f"{__name__}.{part.name}").WORDS
        words |= {f"{part.name}.{name}": pair for name, pair in own.items()}
    return words


WORDS = _collected()


def say(language: str, key: str, **values: object) -> str:
    """The words of a key in a language, filled in.

    Examples:
        >>> say("en", "reading.empty")
        'There are no results here yet: paste some, or open a file or an example.'
    """
    text = WORDS[key][LANGUAGES.index(language)]
    return text.format(**values) if values else text


def language_of(accept_language: str | None) -> str:
    """The language of a browser, from its Accept-Language header: its first, if there is that one here, else English.

    Its second would be no help: the parts of the page that the browser translates are English then.

    Examples:
        >>> language_of("zh-CN,zh;q=0.9,en;q=0.8"), language_of("fr-FR, zh;q=0.5"), language_of(None)
        ('zh', 'en', 'en')
    """
    first = re.split("[,;-]", accept_language or "", maxsplit=1)[0].strip().lower()
    return first if first in LANGUAGES else LANGUAGES[0]


class Said:
    """A sentence, kept as a key of `WORDS` and what is filled in until its reader's language is known."""

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = values

    def text(self, language: str) -> str:
        """The sentence in a language."""
        return say(language, self.key, **self.values)

    def __str__(self) -> str:
        return self.text(LANGUAGES[0])


class Refused(Said, ValueError):  # noqa: N818 - it is said of input, not of the program
    """Input that cannot be used, and why."""

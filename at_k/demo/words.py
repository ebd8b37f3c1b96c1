"""The words of the pages, in English and in Chinese, out of the gettext catalogues in `locale`.

`pages.po` holds the words of the pages themselves, `library.po` the sentences of the library. The context of an entry
(`msgctxt`) is its key, such as "score.title", or the code of a message; its `msgid` is the English, its `msgstr` the
Chinese. Names in braces are filled in: "row {row}". A sentence without an entry, or whose English has changed since it
was translated, is shown in English, and `make release` lists it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from at_k.errors import InputError, Message, Spelling
from at_k.options.registry import Option

LANGUAGES = ("en", "zh")

_FOLDER = Path(__file__).with_name("locale") / "zh" / "LC_MESSAGES"


def read_catalogue(name: str) -> dict[str, tuple[str, str]]:
    """Read a catalogue with each text on one line: context → (English, Chinese)."""
    text = (_FOLDER / f"{name}.po").read_text(encoding="utf-8")
    entries = re.findall(r'^msgctxt (".*")\nmsgid (".*")\nmsgstr (".*")$', text, re.MULTILINE)
    found = {}
    for lines in entries:
        context, english, chinese = map(json.loads, lines)
        found[context] = english, chinese
    return found


def read_language(values: Mapping[str, Any]) -> str:
    """Return the language that a request asks for: the first one where it names none of ours."""
    asked = values.get("language")
    return next((language for language in LANGUAGES if language == asked), LANGUAGES[0])


WORDS = read_catalogue("pages")
SENTENCES = read_catalogue("library")


def say(language: str, key: str, **values: object) -> str:
    """Return the words of a key in a language, filled in.

    Examples:
        >>> say("en", "page.answers", count=8)
        '8 answers'
    """
    text = WORDS[key][LANGUAGES.index(language)] or WORDS[key][0]
    return text.format(**values) if values else text


def make_error(key: str, **values: object) -> InputError:
    """Make an error of the demo's own words.

    Examples:
        >>> make_error("given.nothing").code
        'given.nothing'
    """
    return InputError(key, WORDS[key][0], **values)


def translate(
    message: Message | InputError,
    language: str,
    spelling: Spelling | None = None,
    *,
    brief: bool = False,
) -> str:
    """Return a message, or the message of an error, in a language; if brief, without the ways that it mentions.

    Examples:
        >>> translate(make_error("given.packed"), "zh")
        '文件没有完整发送。请重新打开。'
    """
    if isinstance(message, InputError):
        message = message.message
    template = message.sentence
    chinese = find_chinese(message) if language == "zh" else None
    if chinese:
        template = chinese if brief else chinese.replace("\n", "")  # no space follows a sentence
    spelling = spelling or Spelling()
    values = {
        name: translate(value, language, spelling, brief=brief)
        if isinstance(value, Message)
        else value
        for name, value in message.values.items()
    }
    return Message(message.code, template, **values).render(spelling, brief=brief)


def find_chinese(message: Message) -> str | None:
    """Find the translation of a message, or None where its English has none, or had another one."""
    english, chinese = WORDS.get(message.code) or SENTENCES.get(message.code) or ("", "")
    return chinese if _leave_units(english) == _leave_units(message.sentence) else None


def _leave_units(sentence: str) -> str:
    """Leave out of a sentence what a reader counts, which may be lines of a file in place of rows."""
    return re.sub(r"(?:line|row) (?=\{)|:,", "", sentence)


def name_option(option: Option, language: str) -> str:
    """Say what a form calls an option of the registry.

    Examples:
        >>> from at_k.options.registry import SCORING
        >>> name_option(SCORING["ties"], "en"), name_choice(SCORING["ties"], "incorrect", "zh")
        ('A tied vote', '按错误计')
    """
    return translate(Message(f"option.{option.name}", option.label), language)


def name_choice(option: Option, choice: str, language: str) -> str:
    """Say what a form calls one of the choices of an option."""
    return translate(
        Message(f"option.{option.name}.{choice}", dict(option.words)[choice]), language
    )

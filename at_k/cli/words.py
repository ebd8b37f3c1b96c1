"""The library's sentences and names as they are written in a terminal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from at_k.errors import Spelling
from at_k.options import COMPARING, GATING, PLANNING, SCORING, TALLYING

if TYPE_CHECKING:
    from at_k.errors import InputError, Message

FLAGS = {
    option.name: option.flags[0]
    for options in (GATING, PLANNING, COMPARING, SCORING, TALLYING)
    for option in options.values()
    if option.help
}
"""Option of the library → its spelling in the command."""


class Flags(Spelling):
    """Spell options as flags. An option that the command does not have is spelled as in Python.

    Examples:
        >>> print(Flags().set({"where": {"model": "a b"}}), Flags().set({"columns": {"answers": None}}))
        `--where 'model=a b'` `--columns answers=`
    """

    def name(self, option: str) -> str:
        """Spell the name of an option."""
        return f"`{FLAGS[option]}`" if option in FLAGS else super().name(option)

    def set(self, settings: Mapping[str, Any]) -> str:
        """Spell options with their values. One `--columns` takes all columns, and `--where` is repeated."""
        spelled = []
        for name, value in settings.items():
            if name not in FLAGS:
                spelled.append(super().set({name: value}))
                continue
            words = [str(value)]
            if isinstance(value, Mapping):
                words = [f"{column}={'' if each is None else each}" for column, each in value.items()]
                words = [",".join(words)] if name == "columns" else words
            spelled.append("`" + " ".join(f"{FLAGS[name]} {quote_word(word)}" for word in words) + "`")
        return ", ".join(spelled)


def spell(sentence: str | Message | InputError) -> str:
    """Write a message as the command says it."""
    return sentence if isinstance(sentence, str) else sentence.render(Flags())


def quote_word(word: str) -> str:
    """Quote a word where a shell would not take it as it is.

    Examples:
        >>> quote_word("problem=qid"), quote_word("problem=Task ID"), quote_word("grades=é")
        ('problem=qid', "'problem=Task ID'", 'grades=é')
    """
    return word if re.fullmatch(r"[\w@%+=:,./^*-]+", word) else shlex.quote(word)


def make_printable(text: str) -> str:
    r"""Write control characters as escapes: what stands in a file must not move the cursor or change colours.

    Examples:
        >>> make_printable("Level 1\x1b[2J\n")
        'Level 1\\x1b[2J\\n'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)

"""The library's sentences and names as they are written in a terminal."""

from __future__ import annotations

import re
import shlex

from at_k.options import COMPARING, PLANNING, SCORING

OPTIONS = {
    option.name: option.flags[0]
    for options in (PLANNING, COMPARING, SCORING)
    for option in options.values()
    if option.help
}
"""The options of the library, and those of the command."""

_NAMES = "|".join(OPTIONS)
_ITEM = r'"([^"]*)": (?:"([^"]*)"|([^",{}]+))'
_MAPPING = re.compile(rf'`?\b({_NAMES})={{((?:"[^"]*": (?:"[^"]*"|[^",{{}}]+)(?:, )?)+)}}`?')
_VALUE = re.compile(rf'`?\b({_NAMES})="([^"]*)"`?')
_NAME = re.compile(rf"`({_NAMES})`")


def name_options(sentence: str) -> str:
    """Spell the options that a sentence of the library names as the command does.

    Examples:
        >>> name_options('Keep only its rows: where={"model": "a"}. Or pool them: pool="model".')
        'Keep only its rows: `--where model=a`. Or pool them: `--pool model`.'
        >>> name_options("`k` must be at most n; got k = 9")
        '`--k` must be at most n; got k = 9'
    """
    sentence = _MAPPING.sub(_spell_mapping, sentence)
    sentence = _VALUE.sub(lambda found: f"`{OPTIONS[found[1]]} {quote_word(found[2])}`", sentence)
    return _NAME.sub(lambda found: f"`{OPTIONS[found[1]]}`", sentence)


def _spell_mapping(found: re.Match[str]) -> str:
    """Write a mapping as pairs: one option takes all columns, and `--where` is repeated."""
    pairs = [f"{name}={text or word.replace('None', '')}" for name, text, word in re.findall(_ITEM, found[2])]
    words = [",".join(pairs)] if found[1] == "columns" else pairs
    return "`" + " ".join(f"{OPTIONS[found[1]]} {quote_word(word)}" for word in words) + "`"


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
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)

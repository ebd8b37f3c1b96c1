"""The cards of the modules, as they are shown on a page."""

from __future__ import annotations

import re
from functools import cache

from at_k.demo.words import LANGUAGES
from at_k.family import METRICS
from at_k.registration import module_path

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TABLE = re.compile(r"<!-- metrics -->\s*(\|.+?)\s*<!-- /metrics -->", re.DOTALL)
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#)[^)]*\)")
"""A link to another file of the project, which a page does not have."""
_OTHER_LANGUAGE = re.compile(r"^\[[^\]]*\]\(README(?:\.zh)?\.md\)\n", re.MULTILINE)
"""The line that leads to the card in the other language."""

_FILES = dict(zip(LANGUAGES, ("README.md", "README.zh.md"), strict=True))


@cache
def read_card(name: str, language: str) -> str:
    """Read the card of a metric as Markdown, without its front matter and the table that all cards share."""
    text = _OTHER_LANGUAGE.sub("", _FRONT_MATTER.sub("", _read_file(name, language)))
    return _RELATIVE_LINK.sub(r"\1", _COMMENT.sub("", _TABLE.sub("", text))).strip()


def read_comparison(language: str) -> str:
    """Read the table that says which metric answers which question."""
    found = _TABLE.search(_read_file(METRICS[0], language))
    if found is None:
        raise ValueError(f"the card of {METRICS[0]!r} must hold the table of the metrics")
    return found[1]


def _read_file(name: str, language: str) -> str:
    return (module_path(name) / _FILES[language]).read_text(encoding="utf-8")

"""Compile the expressions of `patterns.toml`, a section at a time, when they are first used: each takes 20 ms."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text(encoding="utf-8"))


def fill(rule: str, **more: str) -> str:
    """Put in the parts that rules have in common. Words with accents are also found in decomposed form."""
    parts = TABLE["parts"] | more

    def spell(part: re.Match[str]) -> str:
        value = parts[part[1]]
        if isinstance(value, list):
            value = "|".join(
                dict.fromkeys(unicodedata.normalize(form, word) for form in ("NFC", "NFD") for word in value)
            )
        return fill(value, **more)

    return re.sub("%(\\w+)%", spell, rule)


@lru_cache(maxsize=32)
def compile_section(name: str, **more: str) -> dict[str, re.Pattern[str]]:
    """Compile the expressions of a section of the table, given further parts."""
    return {key: re.compile(fill(rule, **more)) for key, rule in TABLE[name].items()}

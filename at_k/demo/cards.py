"""The cards of the modules, as they are shown on a page."""

from __future__ import annotations

import re
from functools import cache

from at_k.family import METRICS
from at_k.registration import module_path

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TABLE = re.compile(r"<!-- metrics -->\s*(\|.+?)\s*<!-- /metrics -->", re.DOTALL)
_RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#)[^)]*\)")
"""A link to another file of the project, which a page does not have."""


@cache
def read_card(name: str) -> str:
    """Read the card of a metric as Markdown, without its front matter and the table that all cards share."""
    text = _FRONT_MATTER.sub("", (module_path(name) / "README.md").read_text(encoding="utf-8"))
    return _RELATIVE_LINK.sub(r"\1", _TABLE.sub("", text)).strip()


def read_comparison() -> str:
    """Read the table that says which metric answers which question."""
    text = (module_path(METRICS[0]) / "README.md").read_text(encoding="utf-8")
    found = _TABLE.search(text)
    if found is None:
        raise ValueError(f"the card of {METRICS[0]!r} must hold the table of the metrics")
    return found[1]

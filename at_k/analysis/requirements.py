"""Requirements of a gate: sentences such as "pass^4 >= 0.8" or "8 of 10", and policies that hold them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import Phrases
from at_k.options.registry import GATING
from at_k.report.naming import find_number
from at_k.summary import is_bounded
from at_k.validation import shorten
from at_k.values import Key

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_say = Phrases(
    {
        "gate.each": "{option:each} must say how many samples of each problem must be correct, such as 8 of 10; got "
        "{text}.",
        "gate.upper": "Requirements must use >=, and {sign} would be an upper limit. Write a lower one as {example}.",
        "gate.sign": "Requirements must use >=, not {sign}. Did you mean {example}?",
        "gate.requirement": "A requirement is a number and its lower limit, such as {example}; got {text}.",
        "gate.range": "A share such as {key} can be required to be above 0 and at most 1; got {least:g}. Ask "
        "{example}.",
        "gate.no_data": "The policy has nothing about {data}. It has {known}. Name the data set like one of them: "
        "{option:data}.",
        "gate.policy": "The policy has {name}, which is not one of {known}.",
        "gate.toml": "The policy is not TOML: {reason}.",
    }
)


class Requirement(NamedTuple):
    """Require a number to be at least so large, and hold its values.

    Attributes:
        key: the number.
        least: how large it must be.
        text: how the requirement is spelled.
        values: one for each problem, of one model or of the difference of two.
        paired: whether they are differences.
    """

    key: Key
    least: float
    text: str
    values: Floats = np.zeros(0)
    paired: bool = False


def read_requirement(text: str) -> Requirement:
    """Read what is required of a number.

    Examples:
        >>> found = read_requirement("pass^4 >= 80 %")
        >>> found.key, found.least
        ('pass^4', 0.8)
    """
    other = re.search(r"<=|≤|!=|==|<|=<|=>|(?<![<>=!≥])=(?!=)|>(?!=)", text)
    asked = text.replace("≥" if other is None else other[0], ">=", 1)
    key, sign, number = (part.strip() for part in asked.partition(">="))
    match = re.fullmatch(r"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)", number)
    if not sign or match is None:
        raise _say.error("gate.requirement", example="pass^4 >= 0.8", text=shorten(text))
    least = float(match[1]) / (100 if match[2] else 1)
    named = find_number(key)
    if is_bounded(named) and not 0 < least <= 1:
        if least <= 0:
            above = "0.01"
        else:
            above = "0.8"
            if least <= 100 and not match[2]:
                above = f"{least:g}%"
        raise _say.error(
            "gate.range", key=str(named), least=least, example=shorten(f"{named} >= {above}")
        )
    if other is not None:
        code = "gate.upper" if other[0] in ("<", "<=", "≤", "!=") else "gate.sign"
        raise _say.error(code, sign=other[0], example=shorten(f"{named} >= {number}"))
    return Requirement(named, least, f"{named} >= {least:g}")


def read_each(text: object) -> tuple[int, int]:
    """Read how many samples of every problem must be correct, and of how many.

    Examples:
        >>> read_each("8 of 10")
        (8, 10)
    """
    counted = None
    if isinstance(text, str):
        counted = re.fullmatch(r"\s*(\d{1,9})\s*(?:of|/)\s*(\d{1,9})\s*", text)
    if counted is None or not 0 < int(counted[1]) <= int(counted[2]):
        raise _say.error("gate.each", text=shorten(text))
    return int(counted[1]), int(counted[2])


def read_policy(options: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Take what is not given from the policy: from the table of the data set, or else from above the first table."""
    if options["policy"] is None:
        return options
    policy = load_policy(options["policy"])
    tables = {name: table for name, table in policy.items() if isinstance(table, Mapping)}
    general = {name: value for name, value in policy.items() if name not in tables}
    data = options["data"]
    if tables and data not in tables and not general:
        raise _say.error(
            "gate.no_data", data=data or "results without a name", known=", ".join(tables)
        )
    entries = general | dict(tables.get(data, {}))
    for name, value in entries.items():
        if name not in _OF_POLICY:
            raise _say.error("gate.policy", name=name, known=", ".join(_OF_POLICY))
        GATING[name].refuse_wrong(value)
    return options | {name: value for name, value in entries.items() if name not in given}


_OF_POLICY = (
    "require",
    "each",
    "metrics",
    "margin",
    "confidence_level",
    "method",
    "looks",
    "target",
)


def load_policy(policy: str | PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy, read from its TOML file unless it is a mapping already."""
    if isinstance(policy, Mapping):
        return dict(policy)
    with open(policy, "rb") as file:
        try:
            content: dict[str, Any] = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as reason:
            raise _say.error("gate.toml", reason=str(reason)) from None
    return content

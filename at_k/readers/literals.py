"""Read what a cell of text spells: a list, an object, or a name that ends in a number."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterable, Sequence
from typing import Any

from at_k.readers.decoding import parse


class Listed(list[Any]):
    """A list that stood in a cell of CSV, with the text of the cell."""

    def __init__(self, values: list[Any], text: str) -> None:
        super().__init__(values)
        self.text = text


# The start of a list, an array, or a tuple of verdicts; (2, 3) is a point, and (a) a choice.
_OPENING = re.compile(r"\s*(?:(?:np\.)?(?:array|tensor)\()?(?:\[|\((?:True|False|None|[01](?:\.0)?)\s*[,)])")


def read_lists(texts: Sequence[str | None]) -> list[Any]:
    """Return the cells of a CSV column: lists if every cell begins like one, else the texts.

    Examples:
        >>> read_lists(["[1, null]", None]), read_lists(["[1, 2]", "3"])
        ([[1, None], None], ['[1, 2]', '3'])
    """
    # One list among other texts is not a list of samples, but an answer such as the interval [0, 1].
    if not all(not isinstance(text, str) or _OPENING.match(text) for text in texts):
        return list(texts)
    return [read_list(text) for text in texts]


def spell_lists(cells: Iterable[Any]) -> list[Any]:
    """Return cells with the text in place of each list that was read from it."""
    return [cell.text if isinstance(cell, Listed) else cell for cell in cells]


def read_list(cell: Any) -> Any:
    """Return the list in a cell, or the cell if it holds a list neither of JSON nor of Python or NumPy."""
    values = _load(cell) if isinstance(cell, str) and _OPENING.match(cell) else cell
    return Listed(values, cell) if isinstance(values, list) and values is not cell else values


# A name that ends in a number, which may have a word before it: q1_0, HumanEval/0-1, p@2, q1-run0, q1 (0).
_NUMBERED = re.compile(
    r"(.*?[^\W_])[\W_]+(?:(?:s|r|t|run|seed|sample|rollout|trial|attempt|try|rep|gen)[\W_]*)?(\d+)[)\]]?", re.IGNORECASE
)


def split_number(name: str) -> tuple[str, str] | None:
    """Split a name that ends in a number: q1_0 into q1 and 0; None for others."""
    numbered = _NUMBERED.fullmatch(name)
    return (numbered[1], numbered[2]) if numbered else None


def read_fields(cell: Any) -> Any:
    """Return the object or list that a text spells, or the two parts of a name that ends in a number; or else the cell.

    Examples:
        >>> read_fields("{'ok': True}"), read_fields("q1_0"), read_fields("{1, 2}")
        ({'ok': True}, {'base': 'q1', 'number': '0'}, '{1, 2}')
    """
    if not isinstance(cell, str):
        return cell
    if cell.lstrip().startswith(("{", "[")):
        return _load(cell)
    numbered = split_number(cell)
    return dict(zip(("base", "number"), numbered, strict=True)) if numbered else cell


def _load(text: str) -> Any:
    """Return the value that a text spells in JSON, or as Python writes it; or else the text."""
    try:
        return parse(text)
    except json.JSONDecodeError:
        pass
    try:
        return parse(_rewrite(text))
    except (ValueError, IndexError, SyntaxError, TypeError):  # the last for 1j and …
        return text


# What Python and NumPy write in a list or an object: array( or np.float64(, dtype=float32, a text, a bracket, a value.
_TOKEN = re.compile(
    r"""\s*(?:(?P<call>(?:np\.\w+|array|tensor)\()|(?P<option>,?\s*(?:dtype|device)=[^()]*(?=\)))|(?P<opening>[\[({])|"""
    r"""(?P<closing>[\])}])|(?P<mark>[:,])|(?P<value>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+.\w]+))\s*""",
    re.DOTALL,
)

# Words of Python, and what JSON has for them.
_CONSTANTS = {"True": "true", "False": "false", "None": "null", "np.True_": "true", "np.False_": "false"} | {
    "nan": "NaN",
    "inf": "Infinity",
    "-inf": "-Infinity",
}


def _rewrite(text: str) -> str:
    """Write in JSON what Python wrote with `str`, such as ['a', None], [1. nan] or array([1, 0]).

    Raises:
        ValueError: if it is something else.
    """
    # Each value is evaluated by itself, so that nothing is nested.
    parts, closing, place = [" "], [""], 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or (token["opening"] == "(" and len(parts) > 1):  # [(1)] is no list in a list
            raise ValueError(text)
        kind, word, place = token.lastgroup, token[token.lastgroup or 0], token.end()
        if kind in ("opening", "value") and parts[-1][-1] not in "[{:, ":
            parts.append(",")  # NumPy puts a space between values
        if kind in ("opening", "call"):
            closing.append({"(": "]", "[": "]", "{": "}"}[word] if kind == "opening" else "")
            parts += ["{" if word == "{" else "["] if kind == "opening" else []
        elif kind == "closing":
            if parts[-1] == ",":
                parts.pop()
            parts += filter(None, [closing.pop()])
        elif kind == "mark":
            parts.append(word)
        elif kind == "value":
            parts.append(_CONSTANTS.get(word) or json.dumps(literal_eval(word)))
    return "".join(parts)

"""The lists that stand in the cells of CSV."""

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


def read_lists(texts: Sequence[str | None]) -> list[Any]:
    """Return the cells of a CSV column: lists if every cell begins like one, else the texts.

    One list among other texts is not a list of samples, but an answer such as the interval [0, 1].

    Examples:
        >>> read_lists(["[1, null]", None]), read_lists(["[1, 2]", "3"])
        ([[1, None], None], ['[1, 2]', '3'])
    """
    if not all(text is None or text.lstrip().startswith("[") for text in texts):
        return list(texts)
    return [None if text is None else _read_list(text) for text in texts]


def spell_lists(cells: Iterable[Any]) -> list[Any]:
    """Return cells with the text in place of each list that was read from it."""
    return [cell.text if isinstance(cell, Listed) else cell for cell in cells]


def _read_list(cell: str) -> Any:
    """Return the list in a cell, or the text of the cell if it is a list neither of JSON nor of Python."""
    try:
        values = parse(cell)
    except json.JSONDecodeError:
        values = _read_python_list(cell)
    return Listed(values, cell) if isinstance(values, list) else values


_ITEM = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z]+)|(?P<number>[-+.\w]+))\s*(?:,|$)""",
    re.DOTALL,
)
"""An item of a list as Python writes it: a text, a name such as True, or a number."""

_WORDS = {"True": True, "False": False, "None": None, "nan": float("nan"), "inf": float("inf")}


def _read_python_list(cell: str) -> Any:
    """Return the list that Python wrote with `str`, such as ['a', None] or [1.0, nan]; or the text of the cell.

    Each text is evaluated by itself, so that nothing is nested.
    """
    inside = cell.strip()
    if not (inside.startswith("[") and inside.endswith("]")):
        return cell
    inside, place = inside[1:-1].rstrip(), 0
    values: list[Any] = []
    while place < len(inside):
        item = _ITEM.match(inside, place)
        if item is None:
            return cell
        place = item.end()
        try:
            if item["text"] is not None:
                values.append(literal_eval(item["text"]))
            elif item["word"] is not None:
                values.append(_WORDS[item["word"]])
            else:
                values.append(int(item["number"]) if item["number"].isdigit() else float(item["number"]))
        except (KeyError, ValueError, SyntaxError):
            return cell
    return values

"""Pages that are a form and what the server makes of it: how the form is written, and how its values are read.

The module `assets/asking.js` sends the values, and shows the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from at_k.demo.files import list_rules
from at_k.demo.given import Given
from at_k.demo.notices import write_refusal
from at_k.demo.scoring import parse_columns
from at_k.demo.words import LANGUAGES, make_error, say
from at_k.errors import InputError
from at_k.readers.quoting import quote_all, shorten

Answer = dict[str, Any]
"""What a page gets: `refused`, HTML or None; `parts`, name → HTML; `choices`, field → [[value, label]]."""

_LONGEST_NAME = 60


def write_root(page: str, usual: Mapping[str, str], inside: str, language: str) -> str:
    """Write a page: what stands in it, and what its script must know.

    Args:
        page: the name of the page, and of the endpoint that answers.
        usual: field → its value where nothing was changed.
        inside: the form and the empty parts, as HTML.
        language: the language of the visitor.
    """
    rules = list_rules()
    words = rules["words"][LANGUAGES.index(language)] | {"failed": say(language, "asking.failed")}
    about = escape(json.dumps({"usual": usual, "rules": rules | {"words": words}}, ensure_ascii=False))
    return f'<main class="asking" id="{page}" data-asks="{page}" data-about="{about}">{inside}</main>'


def write_side(side: str, label: str, language: str) -> str:
    """Write a place for results: a box for text, and a button that opens a file."""
    hint = escape(say(language, "asking.paste"))
    return (
        f'<div data-side="{side}"><label for="asking_{side}">{escape(label)}</label>'
        f'<textarea id="asking_{side}" spellcheck="false" placeholder="{hint}"></textarea>'
        f'<label class="file-input"><span>{escape(say(language, "score.open_file"))}</span>'
        '<input type="file" multiple></label> '
        '<span class="file-name" role="status"></span></div>'
    )


def write_select(name: str, label: str, choices: Iterable[tuple[str, str]], value: str) -> str:
    """Write a choice among some values, each with its label."""
    options = "".join(
        f'<option value="{escape(each)}"{" selected" if each == value else ""}>{escape(said)}</option>'
        for each, said in choices
    )
    return f'<label>{escape(label)}<select name="{name}">{options}</select></label>'


def write_box(name: str, label: str, value: str, hint: str = "") -> str:
    """Write a box for a short text."""
    return (
        f'<label>{escape(label)}<input name="{name}" value="{escape(value)}" placeholder="{escape(hint)}"'
        ' autocomplete="off"></label>'
    )


def write_slider(name: str, label: str, limits: tuple[int, int], note: str = "", *, log: bool = False) -> str:
    """Write a slider with a box in which its number can be typed."""
    low, high = limits
    more = f"<small>{escape(note)}</small>" if note else ""
    return (
        f'<div class="control"><label for="asking_{name}">{escape(label)}</label>'
        f'<input class="box" id="asking_{name}" name="{name}" inputmode="numeric" autocomplete="off">'
        f'<input type="range" min="0" max="1000" data-slides="{name}" data-low="{low}" data-high="{high}"'
        f'{" data-log=1" if log else ""} aria-label="{escape(label)}">{more}</div>'
    )


def write_button(label: str, values: Mapping[str, str], *, kind: str = "act", pressed: bool | None = None) -> str:
    """Write a button that sets fields. The label is HTML."""
    state = "" if pressed is None else f' aria-pressed="{str(pressed).lower()}"'
    return (
        f'<button type="button" class="{kind}" data-set="{escape(json.dumps(values, ensure_ascii=False))}"{state}>'
        f"{label}</button>"
    )


def write_saves(figure: str, language: str) -> str:
    """Write the buttons that save a figure."""
    buttons = " ".join(
        f'<button type="button" class="act" data-save="{kind}" data-of="#{figure}">'
        f"{say(language, f'score.save_{kind}')}</button>"
        for kind in ("svg", "png")
    )
    return f'<p class="saves">{buttons}</p>'


def read_columns(text: str, files: Sequence[Sequence[str]]) -> list[dict[str, str | None]]:
    """Read the columns that a visitor named, for each file: those that it has.

    Args:
        text: what the visitor typed.
        files: the columns of each file.

    Examples:
        >>> read_columns("problem=qid, grades=ok", [["qid", "ok"], ["qid", "fine"]])
        [{'problem': 'qid', 'grades': 'ok'}, {'problem': 'qid'}]

    Raises:
        InputError: if none of the files has one of them.
    """
    named = parse_columns(text)
    known = list(dict.fromkeys(column for columns in files for column in columns))
    for column in named.values():
        if column not in known:
            raise make_error("typed.no_column", column=shorten(column), columns=quote_all(known) or "–")
    return [{role: column for role, column in named.items() if column in columns} for columns in files]


def refuse(reason: InputError, language: str, choices: Mapping[str, list[list[str]]] | None = None) -> Answer:
    """Answer with the reason why something was refused."""
    return {"refused": write_refusal(reason, language), "parts": {}, "choices": choices or {}}


def read_field(values: object, name: str) -> str:
    """Read a field, whatever was sent.

    Examples:
        >>> read_field({"k": " 4 "}, "k"), read_field({"k": [1]}, "k"), read_field(None, "k")
        ('4', '', '')
    """
    value = values.get(name) if isinstance(values, Mapping) else None
    return value.strip()[:2000] if isinstance(value, str) else ""


def read_side(values: object, side: str) -> tuple[Given, str] | None:
    """Read the results of a side, and the name of their file; None if there are none.

    Raises:
        InputError: if a file was not sent as the page sends it.
    """
    every = values.get("given") if isinstance(values, Mapping) else None
    own = every.get(side) if isinstance(every, Mapping) else None
    if not isinstance(own, Mapping):
        return None
    text = own.get("text")
    given = Given.take(text if isinstance(text, str) else "", own if own.get("packed") else None)
    if given.is_empty:
        return None
    return given, shorten_name(read_field(own, "name"))


def shorten_name(name: str) -> str:
    """Shorten a name, and keep both of its ends.

    Examples:
        >>> len(shorten_name("x" * 1000))
        60
    """
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def read_points(text: str, label: str) -> float | None:
    """Read a difference in points, of which 100 are the whole range; None if there is none.

    Raises:
        InputError: if it is none between 0 and 100.

    Examples:
        >>> read_points("2.5", "Margin"), read_points("", "Margin")
        (0.025, None)
    """
    if not text:
        return None
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 < value / 100 < 1 or len(text) > 20:  # the smallest numbers that there are have no hundredth
        raise make_error("asking.bad_points", name=label, value=shorten(text))
    return value / 100


def read_whole(text: str, label: str, limits: tuple[int, int]) -> int:
    """Read a whole number within limits.

    Raises:
        InputError: if it is none, or outside of them.

    Examples:
        >>> read_whole("8", "n", (1, 10))
        8
    """
    low, high = limits
    try:
        value = int(text) if len(text) <= 20 else low - 1
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise make_error("asking.bad_whole", name=label, low=low, high=high, value=shorten(text))
    return value


def write_points(value: float, *, sign: bool = False) -> str:
    """Write a share, or a difference of shares, in points; never 0 for what is not.

    Examples:
        >>> write_points(0.0425), write_points(0.0425, sign=True), write_points(-0.00001, sign=True), write_points(0.0)
        ('4.2', '+4.2', '−0.001', '0.0')
    """
    points = 100 * value
    digits = 1 if abs(points) >= 0.05 or points == 0 else 3
    text = f"{abs(points):.{digits}f}"
    if float(text) == 0:
        return text
    return f"−{text}" if points < 0 else f"+{text}" if sign else text

"""Pages that are a form and what the server makes of it: how the form is written, and how its values are read.

What a form offers, and what it calls it, stands in the registry of options. The module `assets/asking.js` sends the
values, and shows the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from at_k.demo import examples
from at_k.demo.given import Given
from at_k.demo.hub import is_address, read_file
from at_k.demo.limits import LIMITS
from at_k.demo.notices import write_button, write_refusal
from at_k.demo.scoring import NONE, OPTIONS, parse_k, parse_list, parse_pairs, parse_taus
from at_k.demo.words import LANGUAGES, WORDS, make_error, name_choice, name_option, say
from at_k.errors import InputError
from at_k.family import METRICS
from at_k.readers.quoting import shorten
from at_k.readers.roles import VERDICT_NAMES
from at_k.readers.samples import ROLES, Samples
from at_k.readers.table import PROBLEM_NAMES

Answer = dict[str, Any]
"""What a page gets: `refused`, HTML or None; `parts`, name → HTML; `choices`, field → [[value, label]]; `texts`, side →
the text of an example; `shown`, field → what an empty field stands for."""

READING = ("where", "pool", "concat", "scorer", "filter", "tests", "errors")
"""The options of every form that takes results, beside the columns."""

COLUMNS = {f"column_{role}": "" for role in ROLES}
"""The fields in which a column is chosen for a role: empty for the guess, `NONE` for no column."""

_LONGEST_NAME = 60

_OF_READER = (
    *("open_file", "drop_file", "reading_file", "file_slimmed", "file_too_large", "file_not_text", "file_array"),
    *("several_files", "files_too_large", "file_broken", "file_line", "file_no_verdicts", "file_still_large"),
)
"""The words of `assets/reader.js`."""


def spell_defaults(names: Iterable[str], **own: str) -> dict[str, str]:
    """Spell the defaults of options as their fields have them: name → text, and a page's `own` ones in their place.

    Examples:
        >>> spell_defaults(["thresholds", "missing", "k"], missing="drop")
        {'thresholds': '0.25, 0.5, 0.75, 1.0', 'missing': 'drop', 'k': ''}
    """
    usual = {}
    for name in names:
        option = OPTIONS[name]
        value = METRICS if name == "metrics" else True if name == "groups" else option.default
        if value is None and option.words and name not in READING:
            value = option.words[0][0]
        usual[name] = spell_value(value)
    return usual | own


def spell_value(value: object) -> str:
    """Spell the value of an option as its field has it.

    Examples:
        >>> spell_value((0.5, 1.0)), spell_value(True), spell_value("drop"), spell_value(None)
        ('0.5, 1.0', 'true', 'drop', '')
    """
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def write_root(page: str, usual: Mapping[str, str], inside: str, language: str) -> str:
    """Write a page: what stands in it, and what its script must know.

    Args:
        page: the name of the page, whose form is answered.
        usual: field → its value where nothing was changed.
        inside: the form and the empty parts, as HTML.
        language: the language of the visitor.
    """
    words = {name: WORDS[f"score.{name}"][LANGUAGES.index(language)] for name in _OF_READER}
    words |= {name: say(language, f"asking.{name}") for name in ("failed", "link_without_data")}
    rules = {"limit": LIMITS.max_bytes, "verdicts": VERDICT_NAMES, "problems": PROBLEM_NAMES, "words": words}
    about = escape(json.dumps({"usual": usual, "rules": rules}, ensure_ascii=False))
    return f'<main class="page" id="{page}" data-asks="{page}" data-about="{about}">{inside}</main>'


def write_side(page: str, side: str, label: str, language: str) -> str:
    """Write a place for results on a page: a box for text, and a button that opens files."""
    hint = escape(say(language, "asking.paste"))
    return (
        f'<div data-side="{side}"><label for="{page}_{side}">{escape(label)}</label>'
        f'<textarea id="{page}_{side}" spellcheck="false" placeholder="{hint}"></textarea>'
        f'<label class="file-input"><span>{escape(say(language, "score.open_file"))}</span>'
        '<input type="file" multiple></label> '
        '<span class="file-name" role="status"></span></div>'
    )


def write_options(names: Iterable[str], usual: Mapping[str, str], language: str, hints: Mapping[str, str] = {}) -> str:
    """Write the fields of options of the registry: a choice, a switch, or a box for a short text."""
    html = ""
    for name in names:
        option = OPTIONS[name]
        label, value = name_option(option, language), usual[name]
        if name == "metrics":
            boxes = "".join(
                f'<label><input type="checkbox" name="metrics" value="{each}" checked>{each}</label>'
                for each in METRICS
            )
            html += f"<fieldset><legend>{escape(label)}</legend>{boxes}</fieldset>"
        elif value in ("true", "false"):
            checked = " checked" if value == "true" else ""
            html += f'<label class="switch"><input type="checkbox" name="{name}"{checked}>{escape(label)}</label>'
        elif option.words:
            empty = [("", "–")] if value == "" else []
            choices = [(each, name_choice(option, each, language)) for each, _ in option.words]
            html += write_select(name, label, [*empty, *choices], value)
        else:
            html += write_box(name, label, value, hints.get(name, ""))
    return html


def write_columns(language: str) -> str:
    """Write the fields in which columns are chosen; their choices come with the answer."""
    return "".join(
        write_select(name, say(language, f"score.role_{name.removeprefix('column_')}"), [("", "")], "")
        for name in COLUMNS
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


@dataclass(frozen=True)
class Results:
    """Results that a visitor gave, or an example, and how they are to be read.

    Attributes:
        given: what was given.
        name: the name of the file or of the example; empty for a text that was pasted.
        columns: role → column, where one was chosen, or none.
        reading: the other arguments of `Given.read`.
        models: the column that names several models, and their names; None if all rows are of one.
    """

    given: Given
    name: str
    columns: Mapping[str, str | None]
    reading: Mapping[str, Any]
    models: tuple[str, list[str]] | None = None

    def read(self) -> Samples:
        """Read the samples."""
        return self.given.read(self.columns, **self.reading)

    @property
    def shown(self) -> list[str]:
        """The models whose rows are read, of several: those that the visitor keeps, or else the first one."""
        if self.models is None:
            return []
        column, names = self.models
        return list((self.reading["where"] or {}).get(column, names[:1]))

    def keep(self, models: Sequence[str]) -> Results:
        """Keep the rows of some models, of several."""
        if self.models is None:
            return self
        where = {**(self.reading["where"] or {}), self.models[0]: list(models)}
        return replace(self, reading={**self.reading, "where": where})


@dataclass
class Form:
    """A form as it was sent, whatever that was, and the choices that it gets while it is answered.

    Attributes:
        fields: field → text.
        given: side → what was given; anything, as a program may send it.
        language: the language of the visitor.
        choices: field → [[value, label]].
        notice: what is said of what was given even if it is refused, as HTML.
    """

    fields: dict[str, str]
    given: object
    language: str
    choices: dict[str, list[list[str]]] = field(default_factory=dict)
    notice: str = ""

    def read_side(self, side: str) -> tuple[Given, str] | None:
        """Read the results of a side, and the name of their file; None if there are none. A text may be an address.

        Raises:
            InputError: if a file was not sent as the page sends it, or cannot be read from the Hub.
        """
        own = self.given.get(side) if isinstance(self.given, Mapping) else None
        if not isinstance(own, Mapping):
            return None
        text = own.get("text")
        if isinstance(text, str) and is_address(text):
            name, content = read_file(text)
            return Given.of_bytes(content), shorten_name(name)
        given = Given.take(text if isinstance(text, str) else "", own if own.get("packed") else None)
        return None if given.is_empty else (given, shorten_name(read_fields(own, {"name": ""})["name"]))

    def take(self, side: str) -> tuple[Given, str] | None:
        """Take the example that is chosen, or the results of a side, and its name; None if there are none."""
        example = self.fields["example"]
        harness = example.removeprefix(examples.HARNESS)
        if example in examples.EXAMPLES:
            return Given(examples.read_example(example)), say(self.language, f"score.{example}")
        if harness != example and harness in examples.HARNESSES:
            name, content = examples.read_harness(harness)
            return Given.of_bytes(content), name
        return self.read_side(side)

    def choose(self, given: Given, name: str, by: str = "") -> Results:
        """Choose the columns of results, and offer the others.

        Args:
            given: the results.
            name: what they are called.
            by: the column that names models; by default the usual one.
        """
        columns = read_columns(self.fields, given.columns)
        self.choices = offer_columns(given, columns, self.language) | self.choices
        reading = read_options(self.fields, READING)
        models = (by, given.list_values(by)) if by in given.columns else given.find_models(columns)
        return Results(given, name, columns, reading, None if models and models[0] in reading["pool"] else models)


def read_fields(values: object, usual: Mapping[str, str]) -> dict[str, str]:
    r"""Read the fields of a form, whatever was sent, as texts that can be written.

    Examples:
        >>> read_fields({"k": " 4 "}, {"k": "1"}), read_fields({"k": [1]}, {"k": "1"}), read_fields(None, {"k": "1"})
        ({'k': '4'}, {'k': ''}, {'k': ''})
        >>> read_fields({"name": "half of a pair: \ud800"}, {"name": ""})
        {'name': 'half of a pair: ?'}
    """
    found = values if isinstance(values, Mapping) else {}
    texts = {name: text.strip()[:2000] if isinstance(text := found.get(name), str) else "" for name in usual}
    return {name: text.encode(errors="replace").decode() for name, text in texts.items()}


def read_options(fields: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """Read the values of options from their fields; None where a field is empty.

    Examples:
        >>> read_options({"k": "1, 4", "missing": "drop", "groups": "false"}, ["k", "missing", "groups"])
        {'k': (1, 4), 'missing': 'drop', 'groups': False}

    Raises:
        InputError: if something that was typed cannot be read.
    """
    readers = {"k": parse_k, "thresholds": parse_taus, "where": parse_pairs, "pool": parse_list, "metrics": parse_list}
    found: dict[str, Any] = {}
    for name in names:
        value: Any = fields[name]
        if name == "groups" or isinstance(OPTIONS[name].default, bool):
            found[name] = value == "true" or (value != "false" and OPTIONS[name].default is not False)
            continue
        found[name] = readers[name](value) if name in readers else value or None
        offered = METRICS if name == "metrics" else [choice for choice, _ in OPTIONS[name].words]
        if offered and not {*(found[name] if name == "metrics" else [value])} <= {"", *offered}:
            raise make_error("scoring.not_offered", name=name, choices=", ".join(offered))
    return found


def read_columns(fields: Mapping[str, str], columns: Sequence[str]) -> dict[str, str | None]:
    r"""Return the roles for which a visitor chose one of these columns, or none.

    Examples:
        >>> read_columns({"column_answers": "a", "column_grades": "\0", "column_group": "gone"}, ["a"])
        {'answers': 'a', 'grades': None}
    """
    chosen = {role: fields.get(f"column_{role}", "") for role in ROLES}
    return {role: None if column == NONE else column for role, column in chosen.items() if column in (NONE, *columns)}


def offer_columns(given: Given, named: Mapping[str, str | None], language: str) -> dict[str, list[list[str]]]:
    """Offer the columns that may play each role, the guess first; nothing where there is no table."""
    try:
        columns, guess = given.columns, given.guess(named)
    except InputError:
        return {}
    none = say(language, "score.no_column")
    every = [[NONE, none], *([column, column] for column in columns)]
    return {
        f"column_{role}": [["", say(language, "score.guessed", column=guess[role] or none)], *every] if columns else []
        for role in ROLES
    }


def refuse(reason: InputError, form: Form, usual: Mapping[str, str]) -> Answer:
    """Answer with the reason why something was refused, and what mends it."""
    options = {name: usual[name] for name in form.fields if name in OPTIONS}
    mend = ""
    if any(form.fields[name] != value for name, value in options.items()):
        mend = f"<p>{write_button(say(form.language, 'asking.usual_options'), options)}</p>"
    refused = write_refusal(reason, form.language, usual) + form.notice + mend
    return {"refused": refused, "parts": {}, "choices": form.choices}


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

"""Sentences on the page Score as HTML: refusals, warnings, what was read as what, and buttons that change it.

A button carries what it sets, as JSON in `data-set`; a link to a choice carries its name in `data-opens`. The module
`assets/asking.js` acts on both.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from html import escape
from secrets import token_hex
from typing import Any

from at_k.demo.examples import HARNESS, HARNESSES
from at_k.demo.scoring import NO_RULE, NONE, OPTIONS, quote_item
from at_k.demo.words import list_words, name_choice, name_option, say, translate
from at_k.errors import InputError, Message, Spelling
from at_k.family import OUTPUTS
from at_k.grading.suggestion import suggest_options
from at_k.readers.formats import FORMATS
from at_k.readers.quoting import shorten
from at_k.readers.samples import ROLES, Columns, Origin
from at_k.report import Report

_NO_MATCH = ("note.no_match", "note.suggestion")
_SCATTER = "left_out.scatter"
_MOST_SHOWN = 12


class Controls(Spelling):
    """Spell options as what sets them on a page: a button that sets a value, or a link to the field.

    What is made stands in the text as a mark that nobody can guess, until the text has been escaped.
    """

    def __init__(self, fields: Container[str], language: str) -> None:
        """Spell the options of a form that has these fields; others as in Python."""
        self.fields, self.language = fields, language
        self.made: dict[str, str] = {}

    def name(self, option: str) -> str:
        """Spell the name of an option."""
        field = "column_problem" if option == "columns" else option
        if field not in self.fields:
            return super().name(option)
        return self._keep(make_link(escape(self._name(option)), field))

    def set(self, settings: Mapping[str, Any]) -> str:
        """Spell options with their values."""
        return ", ".join(self._set(option, value) for option, value in settings.items())

    def _set(self, option: str, value: Any) -> str:
        sets, said = {option: str(value)}, str(value)
        if option == "columns":
            sets = {f"column_{role}": NONE if column is None else str(column) for role, column in value.items()}
            named = {say(self.language, f"score.role_{role}"): column for role, column in value.items()}
            none = say(self.language, "score.no_column")
            said = ", ".join(f"{role}: {none if column is None else column}" for role, column in named.items())
        elif option == "where":
            said = sets[option] = ", ".join(quote_item(f"{column}={each}") for column, each in value.items())
        elif option == "pool":
            sets[option] = quote_item(str(value))
        if not all(field in self.fields for field in sets):
            return super().set({option: value})
        if option in OPTIONS and str(value) in dict(OPTIONS[option].words):
            said = name_choice(OPTIONS[option], str(value), self.language)
        label = said if option == "columns" else f"{self._name(option)}: {said}"
        return self._keep(write_button(escape(shorten(label)), sets))

    def _name(self, option: str) -> str:
        if option in OPTIONS and OPTIONS[option].label:
            return name_option(OPTIONS[option], self.language)
        return say(self.language, f"score.{option}")

    def _keep(self, html: str) -> str:
        mark = f"@{token_hex(8)}@"
        self.made[mark] = html
        return mark


def write_message(message: Message | InputError, language: str, fields: Container[str] = ()) -> str:
    """Write a message as HTML, in which the options of a form are what sets them."""
    controls = Controls(fields, language)
    text = escape(translate(message, language, controls))
    for mark, html in controls.made.items():
        text = text.replace(mark, html)
    return text


def write_refusal(reason: InputError, language: str, fields: Container[str] = ()) -> str:
    """Write why something was refused, so that a screen reader reads it out."""
    return f'<p class="refused" role="alert">{write_message(reason, language, fields)}</p>'


def write_warnings(report: Report, language: str, *, buttons: bool = False) -> str:
    """Write what a visitor must know before the numbers: with it they are probably not those that were asked for.

    Args:
        report: the report.
        language: the language of the visitor.
        buttons: whether to offer what helps, on a page whose options it can set.
    """
    codes = {note.code: note for note in report.notes}
    parts = []
    if _NO_MATCH[0] in codes:
        parts.append(_write_no_match(report, codes[_NO_MATCH[0]], language, buttons=buttons))
    if not buttons:
        return "".join(parts)
    for reason in report.left_out.values():
        if reason.code == _SCATTER:
            rules = [
                write_button(name_choice(OPTIONS["extract_fn"], rule, language), {"extract_fn": rule})
                for rule in ("boxed", "final_answer", "last_number")
            ]
            link = make_link(say(language, "score.other_column"), "column_answers")
            offer = f"{say(language, 'score.extract_with')} {' '.join(rules)} {link}"
            parts.append(write_warning(escape(translate(reason, language)), offer))
    return "".join(parts)


def _write_no_match(report: Report, note: Message, language: str, *, buttons: bool) -> str:
    text = say(language, "score.no_match", **{name: escape(str(each)) for name, each in note.values.items()})
    if not buttons:
        return write_warning(text)
    offers = []
    found = suggest_options(report.samples[0]) if report.samples is not None else None
    if found is not None:
        rule, checker = found.extract_fn or NO_RULE, found.check_correct_fn
        sets = {"extract_fn": rule, "check_correct_fn": checker}
        options = list_words(name_options(sets, language).values(), language)
        said = say(language, "score.would_match", options=options, share=f"{found.share:.0%}")
        offers.append(write_button(said, sets))
    links = " · ".join(
        make_link(say(language, key), name)
        for key, name in (
            ("score.other_rule", "extract_fn"),
            ("score.other_checker", "check_correct_fn"),
            ("score.other_references", "column_references"),
        )
    )
    return write_warning(text, *offers, links, role="alert")


def write_warning(*paragraphs: str, role: str = "note") -> str:
    """Write a warning of some paragraphs, which are HTML."""
    return f'<div class="warning" role="{role}">{"".join(f"<p>{each}</p>" for each in paragraphs)}</div>'


def name_options(chosen: Mapping[str, str], language: str) -> dict[str, str]:
    """Say what was chosen of some options, where it is not what is usual."""
    usual = {name: OPTIONS[name].default or NO_RULE for name in chosen}
    return {
        name: f"{name_option(OPTIONS[name], language)} {name_choice(OPTIONS[name], choice, language)}"
        for name, choice in chosen.items()
        if choice != usual[name]
    }


def write_remarks(report: Report, language: str, fields: Container[str] = ()) -> str:
    """Write the other notes, and which metrics were left out and why."""
    odd = any(key.k and key.k > 1 and key.k % 2 for key in report.values if OUTPUTS[key.metric].even_k)
    hidden = _NO_MATCH if odd else (*_NO_MATCH, "note.odd_k")  # the column of k = 1 is not shown
    notes = [note for note in report.notes if note.code not in hidden]
    gone = [reason for reason in report.left_out.values() if reason.code != _SCATTER]
    lines = [write_message(each, language, fields) for each in (*notes, *gone)]
    return f'<ul class="remarks">{"".join(f"<li>{line}</li>" for line in lines)}</ul>' if lines else ""


def write_sizes(sizes: Sequence[int], language: str, least: int) -> str:
    """Say what follows if problems differ in their number of samples, and offer to leave out those with few."""
    fewest, most = min(sizes), max(sizes)
    parts = []
    if least > 1:
        button = write_button(say(language, "score.keep_all"), {"least": "1"})
        parts.append(f"{say(language, 'score.only_long', least=least, kept=len(sizes))} {button}")
    if fewest < most:
        better = [n for n in sorted(set(sizes)) if n > fewest]
        offered = list(dict.fromkeys([better[0], most]))
        buttons = " ".join(
            write_button(
                say(language, "score.keep_long", least=n, kept=sum(size >= n for size in sizes), all=len(sizes)),
                {"least": str(n), "k": ""},
            )
            for n in offered
        )
        few = sum(size == fewest for size in sizes)
        text = say(language, "score.ragged", fewest=fewest, most=most, few=few)
        parts.append(f"{text} {buttons}")
    return "".join(f'<p class="notice" role="note">{part}</p>' for part in parts)


def write_taken(
    name: str,
    size: str,
    roles: Columns,
    columns: Sequence[str],
    origin: Origin,
    options: Mapping[str, str],
    language: str,
    *,
    is_example: bool = False,
) -> str:
    """Write which column was taken for what; each is a link to the choice of another one.

    Args:
        name: the name of the file or example; empty for a text that was pasted.
        size: how many problems and samples there are.
        roles: the column of each role.
        columns: the columns to choose from; none for the files of a harness.
        origin: what wrote the file.
        options: the rules that change what is an answer, and what is right, where they are not the usual ones.
        language: the language of the visitor.
        is_example: whether this is an example of the page, which nobody needs to keep.
    """
    parts = []
    for role in ROLES:
        column = roles[role]
        if column is None:
            continue
        words = f'<span class="role">{say(language, f"score.from_{role}")}</span>'
        shown = escape(shorten(column))
        parts.append(f"{words} {make_link(shown, f'column_{role}') if columns else f'<strong>{shown}</strong>'}")
    for kind, chosen in options.items():
        parts.append(make_link(escape(chosen), kind))
    parts += [make_link(escape(f"{kind}: {shorten(chosen)}"), kind) for kind, chosen in origin.chosen.items()]
    title = escape(name) or say(language, "score.pasted")
    kind = "taken of-example" if is_example else "taken"
    format_name = "" if origin.harness == "plain" else f" · {escape(FORMATS[origin.harness].title)}"
    return (
        f'<div class="{kind}"><p><strong>{title}</strong> <span class="size">{escape(size)}{format_name}</span></p>'
        f"<p>{list_words(parts, language)}</p></div>"
    )


def write_models(column: str, models: Sequence[str], shown: str, language: str) -> str:
    """Say that a file holds several models, which of them is shown, and how to see another one."""
    buttons = " ".join(
        write_button(escape(shorten(model)), {"where": quote_item(f"{column}={model}")}, pressed=model == shown)
        for model in models[:_MOST_SHOWN]
    )
    more = f" … ({len(models)})" if len(models) > _MOST_SHOWN else ""
    compare = f'<a href="?page=compare" data-page="compare" data-compares>{say(language, "score.compare")}</a>'
    pool = write_button(say(language, "score.one_model"), {"pool": quote_item(column), "where": ""})
    text = say(
        language, "score.several", column=escape(shorten(column)), count=len(models), shown=escape(shorten(shown))
    )
    return f'<div class="notice models" role="note"><p>{text}</p><p>{buttons}{more}</p><p>{compare} · {pool}</p></div>'


def write_findings(sentences: Sequence[Message], language: str) -> str:
    """Write what a diagnosis says: mistakes first, then what the model does, and the rest folded."""
    shown = [each for each in sentences if not each.code.startswith(_FOLDED)]
    folded = [each for each in sentences if each.code.startswith(_FOLDED)]

    def listed(messages: Sequence[Message]) -> str:
        lines = (translate(each, language) for each in messages)
        items = "".join(
            f'<li class="{"bad" if each.code.startswith("bug.") else "said"}">{escape(line)}</li>'
            for each, line in zip(messages, lines, strict=True)
        )
        return f"<ul>{items}</ul>"

    more = (
        f"<details><summary>{say(language, 'score.more_findings')}</summary>{listed(folded)}</details>"
        if folded
        else ""
    )
    return f'<div class="findings">{listed(shown)}{more}</div>'


_FOLDED = (
    *("diagnosis.reliability", "diagnosis.tolerance", "diagnosis.balance"),
    *("diagnosis.vote_confidence", "diagnosis.score_confidence", "diagnosis.stability"),
)
"""How the codes of sentences begin that need more knowledge than the others."""


def write_help(usual: Mapping[str, str], language: str) -> str:
    """Write which files can be read, each with how to get several samples, and a small real one to click."""
    rows = []
    for known in dict.fromkeys(each.title for each in FORMATS.values() if each.name != "plain"):
        formats = [each for each in FORMATS.values() if each.title == known]
        first = formats[0]
        example = next((each.name for each in formats if each.name in HARNESSES), None)
        button = (
            write_button(say(language, "score.open_example"), {**usual, "example": f"{HARNESS}{example}"})
            if example
            else ""
        )
        files = " / ".join(f"<code>{escape(each.file)}</code>" for each in formats)
        rows.append(
            f'<tr><th scope="row">{escape(first.title)}</th><td>{files}</td><td>{escape(first.samples)}</td>'
            f"<td>{button}</td></tr>"
        )
    heads = "".join(
        f'<th scope="col">{say(language, f"score.{name}")}</th>'
        for name in ("help_harness", "help_files", "help_samples", "help_example")
    )
    return (
        f"<details><summary>{say(language, 'score.help')}</summary><p>{say(language, 'score.help_plain')}</p>"
        f'<div class="scroll"><table class="help"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
        "</div></details>"
    )


def write_button(label: str, values: Mapping[str, str], *, kind: str = "act", pressed: bool | None = None) -> str:
    """Write a button that sets fields, and asks again. The label is HTML."""
    state = "" if pressed is None else f' aria-pressed="{str(pressed).lower()}"'
    sets = escape(json.dumps(values, ensure_ascii=False))
    return f'<button type="button" class="{kind}" data-set="{sets}"{state}>{label}</button>'


def make_link(text: str, opens: str) -> str:
    """Make a link that opens a choice on the page. The text is HTML."""
    return f'<button type="button" class="link" data-opens="{opens}">{text}</button>'

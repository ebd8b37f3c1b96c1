"""From what a visitor gives and chooses to a report of the library, within the limits of a public page."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import at_k
from at_k.demo.given import Given
from at_k.demo.limits import OFFERED, READING, VOTE_SECONDS
from at_k.demo.words import make_error
from at_k.errors import InputError, Message
from at_k.family import FAMILY, METRICS
from at_k.options.registry import COMPARING, PLANNING, SCORING, Option
from at_k.readers.names import shorten
from at_k.readers.samples import COUNT_ROLES, FURTHER_ROLES, ROLES, Samples
from at_k.report import Report
from at_k.report.scoring import find_changed

# The options that pages may offer.
OPTIONS: dict[str, Option] = {**PLANNING, **COMPARING, **SCORING}

# The roles of columns that a visitor may name.
_COLUMNS = (*ROLES, *COUNT_ROLES, *FURTHER_ROLES)

# Options whose values must be those that the registry has words for: others would run code, or take any time.
_CHOSEN = ("extract_fn", "check_correct_fn", "equivalence", "tests")


def read_options(given: object, offered: tuple[str, ...] = OFFERED) -> dict[str, Any]:
    """Read options as a program or a field of a page sends them; empty ones are left out.

    Examples:
        >>> read_options({"k": "1, 4", "missing": "drop", "groups": "false", "ties": "", "columns": "grades=ok"})
        {'k': [1, 4], 'missing': 'drop', 'groups': False, 'columns': {'grades': 'ok'}}
        >>> read_options({"correct_above": "0.3"}), read_options({"correct_above": ">=0.3"})
        ({'correct_above': 0.3}, {'correct_above': '>=0.3'})
    """
    if given is not None and not isinstance(given, Mapping):
        raise make_error("scoring.no_options")
    options: dict[str, Any] = {}
    for name, sent in (given or {}).items():
        if name not in offered:
            raise make_error("scoring.unknown", name=shorten(str(name)), names=", ".join(offered))
        if sent is None or sent == "" or (name in _CHOSEN and sent == "text"):
            continue
        value = options[name] = _read_text(OPTIONS[name], sent) if isinstance(sent, str) else sent
        choices = [choice for choice, _ in OPTIONS[name].words]
        if name in _CHOSEN and value not in choices:
            raise make_error("scoring.not_offered", name=name, choices=", ".join(choices))
        if name == "columns" and not (isinstance(value, Mapping) and value.keys() <= {*_COLUMNS}):
            raise make_error("scoring.no_roles", names=", ".join(_COLUMNS))
        OPTIONS[name].refuse_wrong(value)
    return options


# A share that is typed.
_NUMBER = re.compile(r"\d*\.?\d+")


def _read_text(option: Option, text: str) -> Any:
    """Read the value of an option that was typed."""
    if isinstance(option.default, bool) or option.name == "groups":
        return text.strip().lower() == "true"
    if option.name in ("columns", "where"):
        pairs = parse_pairs(text)
        return (
            pairs
            if option.name == "where"
            else {role: values[0] or None for role, values in pairs.items()}
        )
    if "list[str]" in option.types:
        return [part.strip() for part in text.split(",") if part.strip()]
    if option.name == "correct_above" and _NUMBER.fullmatch(text.strip()):
        return float(text)
    if re.search(r"\bstr\b", option.type):
        return text
    numbers = parse_numbers(text, option.name, int if "int" in option.type else float)
    return numbers if "list" in option.type else numbers[0] if numbers else None


def parse_pairs(text: str) -> dict[str, list[str]]:
    """Read pairs as the command takes them.

    Examples:
        >>> parse_pairs('model=a, step = 2, model="b, c"')
        {'model': ['a', 'b, c'], 'step': ['2']}
    """
    pairs: dict[str, list[str]] = {}
    for column, quoted, plain in re.findall(
        r'([^=,]+)=\s*(?:"((?:[^"]|"")*)"|([^,]*))', text[:2000]
    ):
        pairs.setdefault(column.strip(), []).append(quoted.replace('""', '"') or plain.strip())
    if not pairs and text.strip():
        raise make_error("typed.bad_pairs", value=shorten(text))
    return pairs


def parse_numbers(text: str, name: str, kind: Callable[[str], float]) -> list[Any]:
    """Read the numbers of a list that a visitor typed.

    Examples:
        >>> parse_numbers("1, 2 4，8、16", "k", int)
        [1, 2, 4, 8, 16]
    """
    numbers = []
    for part in re.split(r"[\s,;，、；]+", text.strip()[:2000]):
        if part:
            try:
                numbers.append(
                    kind(part if len(part) <= 20 else "")
                )  # the beginning of a number is another number
            except ValueError:
                code = "typed.no_whole_number" if kind is int else "typed.no_number"
                raise make_error(code, name=name, value=shorten(part)) from None
    return list(dict.fromkeys(numbers))


def score_given(
    given: Given, options: Mapping[str, Any], *, spread: bool = True
) -> tuple[Report, Samples]:
    """Read what was given, and score it."""
    reading = {name: value for name, value in options.items() if name in READING}
    arguments = {name: value for name, value in options.items() if name not in READING}
    samples = given.read(reading.pop("columns", {}), **reading)
    if spread and "k" not in arguments:
        sizes = count_samples(samples, arguments.get("missing", "error"))
        smallest = min(sizes, default=0)
        if smallest > 0:
            arguments["k"] = sorted(
                {*(2**power for power in range(smallest.bit_length())), smallest}
            )
    try:
        report = _score_in_time(samples, arguments)
    except InputError as reason:
        raise _name_place(reason, samples) from None
    options = report.options | {name: value for name, value in options.items() if name in READING}
    kept = find_changed({name: options[name] for name in SCORING if name in options})
    return replace(
        report,
        options=kept,
        left_out={name: _locate(places, samples) for name, places in report.left_out.items()},
    ), samples


def count_samples(samples: Samples, missing: str) -> list[int]:
    """Count the samples of each problem, without those that an option leaves out."""
    role = "grades" if "grades" in samples.table.column_names else "answers"
    if role not in samples.table.column_names:
        return []
    rows = samples.table[role].to_pylist()
    if missing == "drop":
        return [len(row) - row.count(None) for row in rows]
    return [len(row) for row in rows]


def _score_in_time(samples: Samples, arguments: dict[str, Any]) -> Report:
    """Score samples, without their vote if that takes too long: its time grows faster than that of all else."""
    try:
        with interrupt_after(VOTE_SECONDS):
            return at_k.score(samples, **arguments)
    except TooLateError:
        wanted = [name for name in arguments.get("metrics") or METRICS if name in METRICS]
        rest = [name for name in wanted if not FAMILY[name].votes]
        if not rest:
            raise make_error("serving.too_long", seconds=f"{VOTE_SECONDS:g}") from None
    report = at_k.score(samples, **arguments | {"metrics": rest})
    votes = [metric for metric in FAMILY.values() if metric.votes and metric.name in wanted]
    late = {
        metric.name: make_error("scoring.vote_too_long", title=metric.title).message
        for metric in votes
    }
    return replace(report, left_out=report.left_out | late)


class TooLateError(Exception):
    """The time is over."""


@contextmanager
def interrupt_after(seconds: float) -> Iterator[None]:
    """Raise a `TooLateError` when the work inside has taken so much CPU time."""
    # Signals reach the main thread alone, where workers work.
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise TooLateError

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _name_place(reason: InputError, samples: Samples) -> InputError:
    """Replace the library's count of problems and samples by the names, rows and columns of the visitor's file."""
    values = reason.values
    if reason.code in ("missing.answers", "missing.grades"):
        place = samples.place(values["problem"], values["sample"])
        return make_error("scoring.missing", place=place, count=samples.n_missing)
    if reason.code == "missing.nothing_left":
        return make_error(
            "scoring.nothing_left", problem=shorten(samples.problems[values["problem"]])
        )
    return reason.with_message(_locate(reason.message, samples))


def _locate(message: Message, samples: Samples) -> Message:
    """Replace each place in a message by the row and column of the visitor's file."""
    values = dict(message.values)
    for name, value in values.items():
        if isinstance(value, Message) and value.code == "data.place":
            values[name] = samples.place(
                value.values["problem"], value.values["sample"], value.values["column"]
            )
    return Message(message.code, message.sentence, **values)

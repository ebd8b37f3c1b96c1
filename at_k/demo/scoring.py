"""From what a visitor gives and types to a report of the library."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import at_k
from at_k.demo.limits import VOTE_SECONDS
from at_k.demo.words import make_error
from at_k.errors import InputError, Mention, Message
from at_k.family import FAMILY, METRICS
from at_k.options import COMPARING, PLANNING, SCORING, Option
from at_k.readers.quoting import shorten
from at_k.readers.samples import Samples
from at_k.report import Report

OPTIONS: dict[str, Option] = {**PLANNING, **COMPARING, **SCORING}
"""The options that pages may offer."""

NO_RULE = "text"
"""The rule of extraction that takes the whole text."""

NONE = "\0"
"""The choice of no column."""


@dataclass(frozen=True)
class Options:
    """The choices of a visitor, by the names of the registry. The library checks them; its defaults are those here.

    No code is run here, nor any regular expression of a visitor, and nothing is compared whose time cannot be bounded:
    of rules, checkers and relations there are those that the registry has words for.
    """

    metrics: Sequence[str] = METRICS
    k: Sequence[int] | None = None
    thresholds: Sequence[float] = OPTIONS["thresholds"].default
    ties: str = OPTIONS["ties"].default
    on_conflict: str = OPTIONS["on_conflict"].default
    missing: str = OPTIONS["missing"].default
    higher_is_better: bool = OPTIONS["higher_is_better"].default
    groups: bool = True
    extract_fn: str = NO_RULE
    check_correct_fn: str = OPTIONS["check_correct_fn"].default
    equivalence: str = OPTIONS["equivalence"].default
    least: int = 1
    """Problems with fewer samples are left out."""

    def __post_init__(self) -> None:
        """Refuse what would run code, or take a time that cannot be bounded."""
        for name in ("extract_fn", "check_correct_fn", "equivalence"):
            choices = [choice for choice, _ in OPTIONS[name].words]
            if getattr(self, name) not in choices:
                raise make_error("scoring.not_offered", name=name, choices=", ".join(choices))

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `at_k.score`."""
        own = {name: getattr(self, name) for name in OPTION_FIELDS if name != "least"}
        return own | {
            "metrics": None if self.metrics in (METRICS, list(METRICS)) else self.metrics,
            "groups": None if self.groups else False,
            "extract_fn": None if self.extract_fn == NO_RULE else self.extract_fn,
        }


OPTION_FIELDS = tuple(field.name for field in fields(Options))


def score(samples: Samples, options: Options) -> Report:
    """Score samples within the limits of a public page.

    Raises:
        InputError: if a value or an option does not fit the samples, or the work is more than a public page can do.
    """
    try:
        report = _score_in_time(samples, options.arguments())
    except InputError as reason:
        raise _name_place(reason, samples) from None
    return replace(report, left_out={name: _locate(each, samples) for name, each in report.left_out.items()})


def _score_in_time(samples: Samples, arguments: dict[str, Any]) -> Report:
    """Score samples, without their vote if that takes too long: its time grows faster than that of all else."""
    try:
        with interrupt_after(VOTE_SECONDS):
            report = at_k.score(samples, **arguments)
            _ = report.curves  # are drawn now
            return report
    except TooLateError:
        rest = [name for name in arguments["metrics"] if not FAMILY[name].votes]
        if not rest:
            raise make_error("serving.too_long", seconds=f"{VOTE_SECONDS:g}") from None
    report = at_k.score(samples, **arguments | {"metrics": rest})
    left_out = {
        metric.name: make_error("scoring.vote_too_long", title=metric.title).message
        for metric in FAMILY.values()
        if metric.votes and metric.name in arguments["metrics"]
    }
    return replace(report, left_out=report.left_out | left_out)


class TooLateError(Exception):
    """The time is over."""


@contextmanager
def interrupt_after(seconds: float) -> Iterator[None]:
    """Raise a `TooLateError` when the work inside has taken so much CPU time.

    Signals reach the main thread alone, where workers work. Another thread is the app's, which scores its own examples.
    """
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


def count_samples(samples: Samples, missing: str) -> list[int]:
    """Count the samples of each problem, without those that an option leaves out.

    Examples:
        >>> from at_k.demo.given import Given
        >>> samples = Given('{"correct": [1, 0, null]}').read({})
        >>> count_samples(samples, "error"), count_samples(samples, "drop")
        ([3], [2])
    """
    role = "grades" if "grades" in samples.table.column_names else "answers"
    if role not in samples.table.column_names:
        return []
    rows = samples.table[role].to_pylist()
    return [sum(each is not None for each in row) if missing == "drop" else len(row) for row in rows]


def keep_long(samples: Samples, least: int, missing: str) -> Samples:
    """Keep the problems with enough samples.

    Raises:
        InputError: if there are none.
    """
    sizes = count_samples(samples, missing)
    kept = [i for i, size in enumerate(sizes) if size >= least]
    if len(kept) == len(sizes):
        return samples
    if not kept:
        raise make_error("scoring.too_few_samples", least=least, most=max(sizes), mend=Mention(least=max(sizes)))
    return samples.take(kept)


def spread_draws(sizes: Sequence[int]) -> tuple[int, ...] | None:
    """Choose the k of a table in which every metric has the same columns: powers of two, and the smallest n.

    Examples:
        >>> spread_draws([8, 12]), spread_draws([3]), spread_draws([])
        ((1, 2, 4, 8), (1, 2, 3), None)
    """
    if not sizes or min(sizes) < 1:
        return None
    smallest = min(sizes)
    return tuple(sorted({*(2**power for power in range(smallest.bit_length())), smallest}))


def _name_place(reason: InputError, samples: Samples) -> InputError:
    """Replace the library's count of problems and samples by the names, rows and columns of the visitor's file."""
    values = reason.values
    if reason.code in ("missing.answers", "missing.grades"):
        place = samples.place(values["problem"], values["sample"])
        return make_error("scoring.missing", place=place, count=samples.n_missing)
    if reason.code == "missing.nothing_left":
        return make_error("scoring.nothing_left", problem=shorten(samples.problems[values["problem"]]))
    located = _locate(reason.message, samples)
    return InputError(located.code, located.sentence, **located.values)


def _locate(message: Message, samples: Samples) -> Message:
    """Replace each place in a message by the row and column of the visitor's file."""
    values = dict(message.values)
    for name, value in values.items():
        if isinstance(value, Message) and value.code == "data.place":
            values[name] = samples.place(value.values["problem"], value.values["sample"], value.values["column"])
    return Message(message.code, message.sentence, **values)


def parse_k(text: str) -> tuple[int, ...] | None:
    """Read the k that a visitor typed. Return None if there are none.

    Examples:
        >>> parse_k("1, 4"), parse_k(" ")
        ((1, 4), None)
    """
    found = numbers(text, "k", int)
    for k in found:
        if k < 1:
            raise make_error("typed.small_k", value=k)
    return found or None


def parse_taus(text: str) -> tuple[float, ...]:
    """Read the τ that a visitor typed.

    Examples:
        >>> parse_taus("0.5 1")
        (0.5, 1.0)
    """
    found = numbers(text, "τ", float)
    if not found:
        raise make_error("typed.no_tau")
    for tau in found:
        if not 0 <= tau <= 1:
            raise make_error("typed.bad_tau", value=tau)
    return found


def parse_least(text: str) -> int:
    """Read the least number of samples that a visitor typed.

    Examples:
        >>> parse_least("2"), parse_least(" ")
        (2, 1)
    """
    found = numbers(text, "n", int) or (1,)
    if len(found) > 1 or found[0] < 1:
        raise make_error("typed.bad_least", value=shorten(text))
    return int(found[0])


def parse_pairs(text: str) -> dict[str, Any] | None:
    """Read which rows to keep, as `at-k score --where` takes it; None for all.

    Examples:
        >>> parse_pairs("model=a, step = 2, model=b"), parse_pairs("")
        ({'model': ['a', 'b'], 'step': ['2']}, None)
    """
    found: dict[str, list[str]] = {}
    for part in parse_list(text):
        column, sign, value = (each.strip() for each in part.partition("="))
        if not sign or not column:
            raise make_error("typed.bad_where", value=shorten(part))
        found.setdefault(column, []).append(value)
    return found or None


def parse_list(text: str) -> list[str]:
    """Read names with commas between them; a name with a comma in it has quotation marks around it.

    Examples:
        >>> parse_list('model, "a, b",')
        ['model', 'a, b']
    """
    found = re.findall(r'\s*(?:"((?:[^"]|"")*)"|([^,]+))\s*(?:,|$)', text)
    return [(quoted.replace('""', '"') or plain).strip() for quoted, plain in found if (quoted or plain).strip()]


def quote_item(text: str) -> str:
    """Write a name for `parse_list`.

    Examples:
        >>> print(quote_item("a"), quote_item("a, b"))
        a "a, b"
    """
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def numbers(text: str, name: str, kind: Callable[[str], Any]) -> tuple[Any, ...]:
    """Read the numbers of a list that a visitor typed: "1, 2 4" or "1，2、4".

    Examples:
        >>> numbers("1, 2 4", "k", int)
        (1, 2, 4)
    """
    found = []
    for part in re.split(r"[\s,;，、；]+", text.strip()[:2000]):
        if part:
            try:
                found.append(kind(part if len(part) <= 20 else ""))  # the beginning of a number is another number
            except ValueError:
                if kind is int:
                    raise make_error("typed.no_whole_number", name=name, value=shorten(part)) from None
                raise make_error("typed.no_number", name=name, value=shorten(part)) from None
    return tuple(dict.fromkeys(found))

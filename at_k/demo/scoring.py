"""From what a visitor gives and types to a report of the library."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import at_k
from at_k.arguments import OPTIONS
from at_k.demo.limits import LIMITS
from at_k.demo.words import make_error
from at_k.errors import InputError, Message
from at_k.family import METRICS
from at_k.readers.plain import collect_samples
from at_k.readers.quoting import shorten
from at_k.readers.standard import Samples
from at_k.readers.tables import Table
from at_k.report import Report


@dataclass(frozen=True)
class Options:
    """The choices of a visitor. The library checks them; its defaults are the defaults here."""

    metrics: Sequence[str] = METRICS
    k: Sequence[int] | None = None
    taus: Sequence[float] = OPTIONS["thresholds"].default  # type: ignore[assignment]
    ties: str = OPTIONS["ties"].default  # type: ignore[assignment]
    missing: str = OPTIONS["missing"].default  # type: ignore[assignment]
    higher_is_better: bool = True
    by_group: bool = True

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `at_k.score`."""
        return {
            "metrics": None if self.metrics in (METRICS, list(METRICS)) else self.metrics,
            "k": self.k,
            "thresholds": self.taus,
            "ties": self.ties,
            "missing": self.missing,
            "higher_is_better": self.higher_is_better,
            "groups": None if self.by_group else False,
        }


def score_table(
    table: Table,
    columns: Mapping[str, str | None],
    options: Options,
    *,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
) -> tuple[Samples, Report]:
    """Score the samples of a table. `columns` says which column has which role, where that is not guessed."""
    samples = collect_samples(table, columns=columns, where=where, pool=pool, limits=LIMITS)
    return samples, score(samples, options)


def score(samples: Samples, options: Options) -> Report:
    """Score samples within the limits of a public page.

    Raises:
        InputError: if a value or an option does not fit the samples, or the work is more than a public page can do.
    """
    try:
        report = at_k.score(samples.columns(), limits=LIMITS, **options.arguments())
    except InputError as reason:
        raise _name_place(reason, samples) from None
    return replace(report, left_out={name: _locate(each, samples) for name, each in report.left_out.items()})


def _name_place(reason: InputError, samples: Samples) -> InputError:
    """Replace the library's count of problems and samples by the names, rows and columns of the visitor's file."""
    values = reason.values
    if reason.code == "missing.error":
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

"""Write the question of a refusal: whole commands, each of which was tried on the data."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from os.path import splitext
from typing import TYPE_CHECKING, Any

from at_k.cli.options import Flags, is_of_rows, read_value
from at_k.errors import InputError, Mention, Offer, Phrases, SeveralModelsError, quote_word
from at_k.options.registry import JUDGING_OPTIONS, READING, write_flags

if TYPE_CHECKING:
    from at_k.analysis.gated import Check

# Commands that are offered, and models that are scored for one of them.
_OFFERED, _MODELS = 4, 8

# Commands that read each of their files for itself.
_APART = ("compare", "gate", "plan", "tally")

# The file that options are for, where a command has several; and files in place of the folder that was typed.
_ALONE, _FILES = "alone", "files"

# The end that a browser adds to a second download of a name.
_COPY = re.compile(r"\s*\(\d+\)")

# Rows of each file on which a command is tried.
_ROWS = 50_000

_say = Phrases(
    {
        "question.models": "pass@1 of each: {values}",
        "question.tests": "Column “{column}” may hold programs, and no column judges them. Name "
        "the file of the problems, which has their tests.",
        "question.alone": "{outcome}; then give {report} in place of {path}",
        "meaning.models": "a row for each model",
    }
)


class Typed(Flags):
    """Spell readings as the whole command that was typed, with their options in place of its own."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    def call(self, settings: Mapping[str, Any]) -> str:
        """Write the command or, where one of its files alone has these options, one that scores this file."""
        path = settings.get(_ALONE)
        if path is None:
            return retype(self._ctx, settings)
        told = write_flags({name: value for name, value in settings.items() if name != _ALONE})
        return f"at-k score {quote_word(path)} {told} --out {quote_word(_name_report(path))}"


def _name_report(path: str) -> str:
    return f"{splitext(path)[0]}.report.json"


def retype(ctx: Any, settings: Mapping[str, Any]) -> str:
    """Write the command that was typed with other options, which replace what was typed for them."""
    replaced = {*settings}
    if "group" in (settings.get("columns") or {}):
        replaced.add("groups")  # --by names the same column
    paths, options = _split_typed(ctx, replaced)
    if _FILES in settings:
        paths = list(map(quote_word, settings[_FILES]))
    told = {name: value for name, value in settings.items() if name not in ("models", _FILES)}
    more = ["--models"] * ("models" in settings) + [write_flags(told)]
    return " ".join(filter(None, ["at-k", ctx.command.name, *paths, *options, *more]))


def _split_typed(
    ctx: Any, left_out: Collection[str], command: Any = None
) -> tuple[list[str], list[str]]:
    """Split the words that were typed into paths and options, without those left out, or that a command lacks."""
    own = {flag: param for param in ctx.command.params for flag in param.opts}
    known = {flag for param in (command or ctx.command).params for flag in param.opts}
    paths: list[str] = []
    options: list[str] = []
    words = iter(ctx.meta["typed"])
    for word in words:
        if word == "--":
            paths += map(_quote_path, words)  # what follows is no option, whatever it begins with
            break
        flag, sign, _ = word.partition("=")
        param = own.get(flag)
        if param is None:
            # A pipe that the shell has named is of this one command.
            paths.append("-" if word.startswith("/dev/fd/") else quote_word(word))
            continue
        typed = [word]
        if not sign and not param.is_flag:
            typed += islice(words, 1)
        if _name_option(param, typed) not in left_out and flag in known:
            options += map(quote_word, typed)
    return paths, options


def _quote_path(path: str) -> str:
    """Quote a path so that options may follow it, although its name begins as theirs do."""
    if path.startswith("-") and path != "-":
        return quote_word(f"./{path}")
    return quote_word(path)


def _name_option(param: Any, typed: Sequence[str]) -> str:
    """Name the option that was typed: at-k select has rows and conditions under one flag."""
    text = typed[-1].removeprefix("--where=")
    if param.name == "conditions" and is_of_rows(text):
        return "where"
    return str(param.name)


def list_answer(error: InputError, ctx: Any) -> list[str]:
    """List what a command says of a refusal: the sentence, the columns, and commands that were tried."""
    if ctx is None:
        return error.list_lines(Flags())
    offers = list(_list_offers(error, ctx))[:_OFFERED]
    message, commands = error.message, list[str]()
    column = _find_programs(error, ctx)
    if column:
        message = _say("question.tests", column=column)
        commands = [f"  {retype(ctx, {'tests': 'FILE', 'check_correct_fn': 'code'})}"]
    text = message.render(Flags(), brief=bool(offers))
    if error.file:
        text = f"{error.file}: {text}"
    lines = replace(error.question, readings=offers).list_lines(Typed(ctx))
    return [text, *lines, *commands]


def _list_offers(error: InputError, ctx: Any) -> Iterator[Offer]:
    """List the readings that this command can follow with all of its files."""
    names = {param.name for param in ctx.command.params}
    if "conditions" in names:
        names.add("where")
    paths = [*(ctx.params.get("paths") or ()), *(ctx.params.get("against") or ())]
    are_apart = ctx.command.name in _APART and len(paths) > 1
    is_paired = ctx.command.name == "compare" or bool(ctx.params.get("against"))
    if isinstance(error, SeveralModelsError) and "models" in names:
        yield from _offer_models(error, ctx)
    for offer in error.readings:
        if not names.issuperset(offer.options):
            continue
        found = [_list_problems(path, offer.options) for path in paths] if are_apart else []
        if None in found and error.file in paths:
            report = _name_report(error.file)
            outcome = _say("question.alone", outcome=offer.outcome, report=report, path=error.file)
            options = {**offer.options, _ALONE: error.file}
            yield replace(offer, options=options, outcome=outcome)
        elif None not in found and (len({*found} - {_UNKNOWN}) < 2 or not is_paired):
            yield offer


# The problems of a report that was saved, which has them whatever the options are.
_UNKNOWN = frozenset[str]()


def _list_problems(path: str, options: Mapping[str, Any]) -> frozenset[str] | None:
    """List the problems of a file that is read with these options; None where it cannot be."""
    from at_k.readers import read_samples
    from at_k.report.data import holds_report

    if holds_report(path):
        return _UNKNOWN
    told = {name: value for name, value in options.items() if name in READING}
    with suppress(InputError, OSError, TypeError), trying():
        return frozenset(read_samples(path, **told).problems)
    return None


@contextmanager
def trying() -> Iterator[None]:
    """Read the first rows of files alone, meanwhile."""
    from at_k.readers.tables.readings import most_rows

    token = most_rows.set(_ROWS)
    try:
        yield
    finally:
        most_rows.reset(token)


def _offer_models(error: InputError, ctx: Any) -> Iterator[Offer]:
    """Offer a table of all models: of each file, or of each value of the column that tells them apart."""
    from at_k.readers.files.paths import find_files, name_models
    from at_k.readers.names import PLACE, normalize_name
    from at_k.report import score
    from at_k.report.looking import are_shards

    paths = ctx.params["paths"]
    options = _read_options(ctx)
    told: dict[str, Any] = {"models": True}
    column, values = _find_column(error)
    if column:
        told["where"] = {**(options.get("where") or {}), column: list(values)}
    elif len(paths) == 1:
        paths = told[_FILES] = values = list(map(str, find_files(paths)[0]))
    else:
        values = paths
    are_copies = len({_COPY.sub("", str(value)) for value in values}) < len(values)
    if not 2 <= len(values) <= _MODELS or None in values or are_copies:
        return  # results (1).jsonl is a download once more
    if (not column and are_shards(values)) or normalize_name(column) in PLACE:
        return
    with suppress(Exception), trying():  # a refusal stays what it is, whatever happens here
        scoring = {**options, "metrics": ["pass@1"], "confidence_level": None, "groups": False}
        parts: list[tuple[str, Any]]
        if column:
            parts = [(paths[0], {**told["where"], column: value}) for value in values]
        else:
            parts = [(path, options.get("where")) for path in paths]
        names = values if column else name_models(paths)
        reports = (score(path, **{**scoring, "where": where}) for path, where in parts)
        shares = [
            f"{name} {100 * report.values['pass@1']:.1f} %"
            for name, report in zip(names, reports, strict=True)
        ]
        outcome = _say("question.models", values=", ".join(shares))
        yield Offer(told, outcome, _say("meaning.models"))


def _read_options(ctx: Any) -> dict[str, Any]:
    """Read the options that were typed of reading and judging."""
    return {
        name: read_value(option, ctx.params[name])
        for name, option in ctx.command.callback.options.items()
        if name in (*READING, *JUDGING_OPTIONS) and ctx.params.get(name)
    }


def _find_column(error: InputError) -> tuple[str, Sequence[Any]]:
    """Find the column that tells models apart, and its values."""
    where = error.values.get("where")
    if not isinstance(where, Mention) or "listed" not in error.values:
        return "", ()
    [column] = where.settings["where"]
    return column, error.values["listed"]


def _find_programs(error: InputError, ctx: Any) -> str:
    """Find the column that may hold programs, where none holds verdicts, and the command takes tests."""
    from at_k.readers.names import WHOLE_TEXT, find_named

    names = [column.name for column in error.question.columns]
    found = find_named(names, [*WHOLE_TEXT, "solution"])
    is_open = error.code == "plain.unknown" and not error.readings
    if not found or not is_open or "tests" not in ctx.params or ctx.params["tests"]:
        return ""
    return found[0]


def write_plan(check: Check, path: str, base: str | None, ctx: Any) -> str:
    """Write the command that plans what settles a requirement that is open; "" where none does."""
    from at_k.report.naming import find_key

    if _has_single_samples(path, ctx):
        return _write_plan_without_pilot(check, base)

    command = ctx.find_root().command.commands["plan"]
    _, options = _split_typed(ctx, ("form",), command)
    key = find_key(check.requirement.split()[0])
    if key is not None and key.k is not None:
        options += ["--k", str(key.k)]
    tau = None if key is None else key.tau
    if key is not None and key.metric == "pass^k":
        tau = 1  # all k are correct
    if tau is not None:
        options += ["--thresholds", str(tau)]
    paths = [quote_word(path)]
    distance = abs(check.value - check.least)
    if base is not None:
        paths.append(quote_word(base))
        options += ["--detect", f"{-check.least:g}"]
    elif distance:
        options += ["--half-width", f"{distance:.2g}"]
    return " ".join(["at-k", "plan", *paths, *options])


def _has_single_samples(path: str, ctx: Any) -> bool:
    """Return whether results have one sample of each problem, which is no pilot of a plan."""
    from at_k.report import score
    from at_k.report.data import holds_report
    from at_k.report.report import find_report

    report = None
    with suppress(Exception), trying():  # what is said of a gate stays, whatever happens here
        if holds_report(path):
            report = find_report(path)
        else:
            options = _read_options(ctx)
            report = score(path, ["avg_at_n"], **options, confidence_level=None, groups=False)
    return report is not None and max(report.n) == 1


def _write_plan_without_pilot(check: Check, base: str | None) -> str:
    """Write the command that plans from the value that was measured, or the one that is required."""
    expected = next((share for share in (check.value, check.least) if 0 < share < 1), None)
    if base is not None or expected is None:
        return ""
    options = ["--expect", f"{expected:.2g}"]
    distance = abs(check.value - check.least)
    if distance:
        options += ["--half-width", f"{distance:.2g}"]
    return " ".join(["at-k", "plan", *options])

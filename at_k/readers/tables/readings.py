"""Try readings of data that were refused: a question offers only options that were executed on the rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from at_k.errors import ColumnShown, InputError, Mention, Message, Offer, Phrases, Question
from at_k.readers.blocks import Block, Rows
from at_k.readers.cells import Cells
from at_k.readers.names import PLACE, SET, has_name, is_model, normalize_name, quote, shorten
from at_k.readers.samples import Samples
from at_k.readers.tables.doubts.of_rows import COPIED
from at_k.readers.tables.profile import Profile
from at_k.readers.tables.proposals import Options, compose, join_options
from at_k.readers.words import speaks_of_failure
from at_k.validation import check_cut

Read = Callable[[Options], Samples]


class Opened(Protocol):
    """A table whose first rows were looked at."""

    head: Block
    rows: Rows


Look = Callable[[Options], Opened | None]

# Rows on which a reading is tried; None where none is tried, and all rows are read.
most_rows: ContextVar[int | None] = ContextVar("most_rows", default=None)

# What a grade must exceed for its sample to be right in what a reading gives: the cut of the caller.
grade_cut: ContextVar[float] = ContextVar("grade_cut", default=0.5)

# Rows that readings are tried on, and seconds for all of them; readings that are tried and offered, and their steps.
_ROWS, _SECONDS = 50_000, 2.0
_TRIED, _OFFERED, _STEPS = 40, 4, 2

# The worth of a way that an error mentions: more than what is composed. Each further step, and a policy for missing
# samples, make a reading less likely.
_TOLD, _FURTHER, _POLICY = 1.0, 1.1, 0.2

# Columns that a question shows, and examples of each.
_SHOWN, _EXAMPLES = 12, 3

# The best grade, at least, on a scale that people use.
_FULL = 0.9

_say = Phrases(
    {
        "question.size": "{problems:,} problems × {n} samples",
        "question.size_single": "{problems:,} problems × {n} sample",
        "question.size_one": "{problems:,} problem × {n} samples",
        "question.size_one_single": "{problems:,} problem × {n} sample",
        "question.valued": "{size}, pass@1 {value:.1f} %",
        "question.texts": "{size}, pass@1 {value:.1f} % by equal texts",
        "question.soft": "{size}, mean grade {mean:.1f} %, pass@1 {value:.1f} %",
        "question.first": "{outcome} (of the first {rows:,} rows)",
        "question.missing": "{outcome}, {missing:,} missing",
        "meaning.where": "one of them",
        "meaning.pool": "all rows are samples of one model",
        "meaning.apart": "each value has problems of its own",
        "meaning.all": "these are the samples of each problem",
        "meaning.one": "this is the verdict that counts",
        "meaning.line": "each row is a problem",
        "meaning.split": "the number at the end counts samples",
        "meaning.counts": "they count samples",
        "meaning.share": "each is a share of one sample",
        "meaning.tests": "a sample is right where it has all of the total",
        "meaning.part": "a sample is right where it has more than half of the total",
        "meaning.ignored": "this column says nothing",
        "meaning.verdict": "this column judges",
        "meaning.texts": "the texts are compared",
        "meaning.concat": "the files hold different problems",
        "meaning.wrong": "these words mean wrong",
        "meaning.correct": "these words mean right",
        "meaning.right": "this word means right",
        "meaning.last": "the last attempt of each sample counts",
        "meaning.each": "each attempt is a sample",
        "meaning.incorrect": "they count as wrong",
        "meaning.drop": "they do not count",
        "meaning.same": "they name one problem",
        "meaning.skip": "what is broken is left out",
        "meaning.copies": "rows that are there twice count once",
        "meaning.until_success": "each problem was tried until it was solved",
        "meaning.independent": "all samples were drawn independently",
    }
)

# The name of a way in an error → what it means, where that is called otherwise.
_MEANINGS = {
    "unnumbered": "ignored",
    "weights": "counts",
    "other": "one",
    "rows": "line",
    "inner": "where",
    "outer": "where",
}
_MEANINGS |= dict.fromkeys(("columns", "example", "file", "folder"), "")


@contextmanager
def offering(read: Read, given: Mapping[str, Any], look: Look) -> Iterator[None]:
    """Let an error about data find the readings of them, once it is asked for these.

    Args:
        read: reads the data with further options.
        given: the options that were given.
        look: opens the data as a table with these options; None where they are none.
    """
    try:
        yield
    except InputError as error:
        if most_rows.get() is None and error.ask is None:
            error.ask = partial(
                find_question, error.message, read, dict(given), look, grade_cut.get()
            )
        raise


def find_question(
    message: Message, read: Read, given: Options, look: Look, cut: float = 0.5
) -> Question:
    """Find the columns of data that were refused, and try readings of them."""
    token, cut_token = most_rows.set(_ROWS), grade_cut.set(cut)
    try:
        table = None
        with suppress(Exception):  # a refusal stays what it is, whatever happens here
            table = look(given)
        tries = Tries(read, given, look, perf_counter() + _SECONDS)
        with suppress(Exception):
            tries.follow(message)
        readings = [found.offer() for found in choose(tries.found)]
        is_about = readings or message.code.split(".")[0] in _OF_COLUMNS
        if table is None or not is_about:
            return Question(readings=readings)
        return Question(list(_show_columns(table.head)), readings, table.rows.notes)
    finally:
        most_rows.reset(token)
        grade_cut.reset(cut_token)


def _show_columns(head: Block) -> Iterator[ColumnShown]:
    """Describe the columns of a table, or the fields in it: how many values each has, and the first ones."""
    leaves = Profile(head, Cells(), is_text=False).leaves
    for name in islice(leaves, _SHOWN):
        cells = head[name]
        values = {repr(cell): cell for cell in cells if cell is not None}
        examples = [_spell_example(value) for value in islice(values.values(), _EXAMPLES)]
        yield ColumnShown(shorten(name), len(values), examples)


def _spell_example(value: object) -> str:
    if isinstance(value, str):
        return shorten(" ".join(value.split()))
    return quote(value)


@dataclass
class Found:
    """A reading that gave samples.

    Attributes:
        options: its options.
        name: the name of its way in the error; "" for one that was composed.
        samples: what it gave.
        worth: how likely it is.
    """

    options: Options
    name: str
    samples: Samples
    worth: float

    def __post_init__(self) -> None:
        """Measure what the reading gives: grades, or whether texts are equal."""
        samples, missing = self.samples, self.options.get("missing")
        cut = check_cut(self.options.get("correct_above", grade_cut.get()))
        self.n, self.missing = samples.n, samples.n_missing
        self.are_texts = samples.grades is None
        grades = samples.grades
        if grades is None and None not in (samples.answers, samples.references):
            pairs = zip(samples.answers or [], samples.references or [], strict=True)
            grades = [_compare(answers, references) for answers, references in pairs]
        if grades is not None and missing == "drop":
            grades = [[grade for grade in own if grade is not None] for own in grades]
            grades = [own for own in grades if own]
        filled = [[grade or 0.0 for grade in own] for own in grades or ()]
        self.flat = [grade for own in filled for grade in own]
        self.values = [float(np.mean(np.array(own) > cut)) for own in filled]
        self.is_soft = any(grade not in (0, 1) for grade in self.flat)
        if filled:
            self.n = np.array(list(map(len, filled)))
        if missing is not None:
            self.missing = 0

    @property
    def identity(self) -> object:
        """The outcome, which makes two readings one."""
        return tuple(self.n.tolist()), tuple(np.round(self.values, 9).tolist()), self.missing

    @property
    def size(self) -> int:
        """The number of options, and of columns in them, those that are joined by + each."""
        values = self.options.values()
        joined = str(dict(self.options.get("columns") or {}).get("problem")).count("+")
        return joined + sum(len(value) if isinstance(value, Mapping) else 1 for value in values)

    @property
    def is_plausible(self) -> bool:
        """Return whether grades say something: they are not all equal, and are no numbers of samples."""
        if "scale" in self.options and max(self.flat, default=0) < _FULL:
            return False
        return len({*self.flat}) > 1 or (self.are_texts and not self.values)

    def offer(self) -> Offer:
        """Return the reading as a question offers it."""
        told = _describe_size(self.n)
        outcome = told["size"]
        if self.values:
            told["value"] = 100 * float(np.mean(self.values))
            outcome = _say("question.texts" if self.are_texts else "question.valued", **told)
        if self.is_soft:
            told["mean"] = 100 * float(np.mean(self.flat))
            outcome = _say("question.soft", **told)
        if self.missing:
            outcome = _say("question.missing", outcome=outcome, missing=self.missing)
        if int(self.samples.n.sum()) >= _ROWS:
            outcome = _say("question.first", outcome=outcome, rows=_ROWS)
        meaning = f"meaning.{_MEANINGS.get(self.name, self.name)}"
        return Offer(self.options, outcome, _say(meaning) if meaning in _say else None)


def _describe_size(n: NDArray[np.int64]) -> dict[str, Any]:
    """Write how many problems there are, and how many samples of each."""
    ends = " to ".join(f"{end:,}" for end in dict.fromkeys((int(n.min()), int(n.max()))))
    told = {"problems": len(n), "n": ends}
    code = "question.size" + "_one" * (len(n) == 1) + "_single" * (ends == "1")
    return {**told, "size": _say(code, **told)}


def offer_policies(grades: Iterable[Sequence[float]], cut: float) -> Question:
    """Offer both policies for samples without a grade, which is NaN; a right one has a grade above the cut."""
    offers = []
    for policy in ("incorrect", "drop"):
        kept = list(map(np.asarray, grades))
        if policy == "drop":
            kept = [own[~np.isnan(own)] for own in kept]
        n = np.array(list(map(len, kept)))
        if not n.all():
            continue  # nothing is left of a problem
        shares = np.array([np.mean(own > cut) for own in kept])
        offers.append(offer_choice("missing", policy, n, shares))
    return Question(readings=offers)


def offer_choice(option: str, choice: str, n: NDArray[np.int64], values: NDArray[Any]) -> Offer:
    """Offer a choice of an option, which has a meaning, given n and the value of each problem."""
    told = _describe_size(n) | {"value": 100 * float(values.mean())}
    return Offer({option: choice}, _say("question.valued", **told), _say(f"meaning.{choice}"))


def _compare(answers: Sequence[str | None], references: Sequence[str]) -> list[float | None]:
    """Judge answers by their texts, but for case and spaces."""
    right = {str(text).strip().casefold() for text in references}
    return [
        None if answer is None else float(answer.strip().casefold() in right) for answer in answers
    ]


def choose(found: Sequence[Found]) -> list[Found]:
    """Choose the readings to offer, likeliest first: one of each outcome, and none that says nothing."""
    best: dict[object, Found] = {}
    several = any(reading.n.max() > 1 for reading in found)
    most = max((len(reading.n) for reading in found), default=0)
    # A column that repeats evenly names problems rather than the lines.
    is_repeated = any(1 < reading.n.min() == reading.n.max() < most for reading in found)
    for reading in sorted(found, key=lambda each: -each.worth):
        is_told = reading.name not in ("", "example", "columns", "file", "folder")
        problem = dict(reading.options.get("columns") or {}).get("problem")
        is_one = len(reading.n) == 1
        is_file = problem in ("file", "folder")
        if is_one and (is_file or (most > 1 and problem is not None)):
            continue  # one problem with all samples, or one of many
        is_line = problem == "line" and is_repeated
        if (is_line or not is_told) and several and reading.n.max() == 1:
            continue  # one sample for each problem, where another reading gives several
        is_checked = not is_told or reading.are_texts or "scale" in reading.options
        if is_checked and not reading.is_plausible:
            continue
        first = best.setdefault(reading.identity, reading)
        if reading.size < first.size:  # fewer options say the same
            best[reading.identity] = reading
    return list(best.values())[:_OFFERED]


class Tries:
    """Readings of some data, as far as they were tried.

    Args:
        read: as of `offering`.
        given: as of `offering`.
        look: as of `offering`.
        ends: the time until which readings are tried.

    Attributes:
        found: those that gave samples.
    """

    def __init__(self, read: Read, given: Options, look: Look, ends: float) -> None:
        self._read, self._given, self._look, self._ends = read, given, look, ends
        self._told = {
            name: value
            for name, value in given.items()
            if name in _READING and value not in (None, (), [], {}, False, "raise")
        }
        self._seen: list[Options] = []
        self.found: list[Found] = []

    def follow(
        self, message: Message, own: Options | None = None, name: str = "", worth: float = 0.0
    ) -> None:
        """Try what a message mentions and what the columns allow, and go on where that is asked about again."""
        own = own or {}
        ways = list(_list_ways(message))
        if message.code in _ABOUT_COLUMNS:
            options = join_options(self._given, own)
            table = self._look(options)
            ways += [] if table is None else list(compose(table.head, options, message))
        refused: list[tuple[float, Options, str, Message]] = []
        for more, way, prior in sorted(ways, key=lambda each: -each[2])[:_TRIED]:
            options = join_options(own, more)
            if options in self._seen or options == own or perf_counter() > self._ends:
                continue
            self._seen.append(options)
            called = name or way
            try:
                samples = self._read(join_options(self._given, _leave_out_judging(options)))
            except InputError as error:
                refused.append((worth + prior, options, called, error.message))
                continue
            except (ValueError, TypeError, OSError):
                continue
            self._keep(options, called, samples, worth + prior)
        if len(own) < _STEPS:
            for prior, options, called, reason in sorted(refused, key=lambda each: -each[0])[:6]:
                self.follow(reason, options, called, prior - _FURTHER)

    def _keep(self, options: Options, name: str, samples: Samples, worth: float) -> None:
        """Keep what a reading gave, with the options that were given; of missing samples, both policies."""
        options = join_options(self._told, options)
        if samples.n_missing == samples.n.sum():
            return  # nothing was judged
        worth += 0.2 * (samples.n.max() > 1) + 0.1 * (samples.n.min() == samples.n.max() > 1)
        if not samples.n_missing or "missing" in self._given:
            self.found.append(Found(options, name, samples, worth))
            return
        for place, policy in enumerate(("incorrect", "drop")):
            told = {**options, "missing": policy}
            self.found.append(Found(told, name, samples, worth - _POLICY - 0.05 * place))


# How the codes of errors begin that are about columns.
_OF_COLUMNS = ("plain", "models", "standard", "shapes", "cells")

# Errors of which the columns do not tell what they mean; others mention their ways themselves.
_ABOUT_COLUMNS = {
    "plain.unknown",
    "standard.no_problem",
    "plain.numbered",
    "plain.runs",
    "plain.numbered_names",
    "plain.questions",
    "cells.word",
    "cells.grade",
    "shapes.one_count",
}


# The options of users that a reading repeats.
_READING = {
    *(
        "columns",
        "where",
        "pool",
        "concat",
        "exclude",
        "format",
        "scorer",
        "filter",
        "tests",
        "rows_at",
    ),
    *("correct", "wrong", "unjudged", "scale", "prompt_column", "errors"),
}


def _list_ways(message: Message) -> Iterator[tuple[Options, str, float]]:
    """List the options that a message mentions with their values, each with the name of its way."""
    mentions = [
        (name, value) for name, value in message.values.items() if isinstance(value, Mention)
    ]
    asked = str(message.values.get("column", ""))
    if message.code == "models.settings" and normalize_name(asked) in PLACE:
        yield {"columns": {"problem": asked}}, "", _TOLD
    for place, (name, mention) in enumerate(mentions):
        settings = _simplify(mention.settings)
        if settings and "COLUMN" not in str(settings):
            column = str(message.values.get("column", ""))
            is_set = name == "apart" and has_name(column, SET)
            is_one = name == "where" and is_model(column)
            is_lost = name == "unjudged" and any(map(speaks_of_failure, mention.settings[name]))
            is_first = is_set or is_one or is_lost or name == "weights"
            worth = _TOLD - 0.1 * place + 0.5 * is_first
            yield settings, name, worth - 0.75 * (name in ("ignored", "line"))
    for place, option in enumerate(_OPTION.findall(message.sentence)):
        settings, name = _OPTIONS[option]
        if message.code in COPIED and option == "errors=skip":
            name = "copies"
        yield settings, name, _TOLD - 0.05 - 0.05 * place


# The options that sentences spell out, and the name of the way of each.
_OPTIONS: dict[str, tuple[Options, str]] = {
    "errors=skip": ({"errors": "skip"}, "skip"),
    "pool=file": ({"pool": "file"}, "pool"),
    "concat": ({"concat": True}, "concat"),
}
_OPTION = re.compile(rf"{{option:({'|'.join(_OPTIONS)})}}")


def _simplify(options: Mapping[str, Any]) -> Options:
    return {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in options.items()
    }


def _leave_out_judging(options: Options) -> Options:
    """Leave out what is settled after reading."""
    return {
        name: value for name, value in options.items() if name not in ("missing", "correct_above")
    }

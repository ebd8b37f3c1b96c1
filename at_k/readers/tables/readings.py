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
from at_k.readers.names import (
    FAILED,
    MODEL,
    NUMBER_WORD,
    NUMBERED,
    PLACE,
    PROBLEM,
    ROLE,
    SET,
    SETTING,
    find_named,
    has_name,
    is_model,
    normalize_name,
    quote,
    shorten,
)
from at_k.readers.numbering import count_up, split_words
from at_k.readers.samples import Samples
from at_k.readers.tables.doubts.of_rows import COPIED
from at_k.readers.tables.profile import Column, Profile
from at_k.readers.tables.shapes import has_parts, read_counts
from at_k.readers.words import is_finite, judge, read_share, read_spelled, read_whole, says_failed
from at_k.validation import check_cut

Options = dict[str, Any]
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

# Words of a column of verdicts.
_WORDS = 8

# The worth of a way that an error mentions: more than what is composed. Each further step, and a policy for missing
# samples, make a reading less likely.
_TOLD, _FURTHER, _POLICY = 1.0, 1.1, 0.2

# Columns that a question shows, and examples of each.
_SHOWN, _EXAMPLES = 12, 3

_JUDGING = re.compile(
    r"correct|right|pass|success|succe|resolved|solved|verdict|grade|ok$|match|accura|score|reward|win|outcome|status|"
    r"judge|label|result|rating|hit$|是否|正确|得分|评分|erfolg"
)
_FAULTY = re.compile(
    r"exit|loss|return_?code|err(no|or|eur)|fehl|^rc$|wrong|incorrect|fail|invalid|hallucinat|not_|^un(re)?solved|time.?out|"
    r"timed_|crash|infra"
)
_MEASURED = re.compile(
    r"time|token|latency|cost|usd|second|duration|length|date|len$|temperature|price|logprob|confidence"
)
_NAMING = re.compile(
    r"id$|ref$|key$|name|task|problem|question|prompt|case|example|item|instance|input|query|scenario|aufgabe|frage"
)
_TESTS = re.compile(r"total|^n_|num|count|max|^tests?$")
_TOTAL = re.compile(r"^n$|max|^n_|num|count|total|sample|attempt|trial|rollout|runs|tries|^of$")

# The best grade, at least, on a scale that people use.
_FULL = 0.9

# Ends of scales of grades that people use.
_ENDS, _JUDGED = (1, 2, 3, 4, 5, 6, 7, 10, 20, 50, 100), 10

# What must hold where all tests of a sample are to pass.
_ALL_TESTS = ">=1"

_say = Phrases(
    {
        "question.outcome": "{problems:,} problems × {n} samples",
        "question.valued": "{problems:,} problems × {n} samples, pass@1 {value:.1f} %",
        "question.texts": "{problems:,} problems × {n} samples, pass@1 {value:.1f} % by equal texts",
        "question.soft": "{problems:,} problems × {n} samples, mean grade {mean:.1f} %, pass@1 {value:.1f} %",
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
        "meaning.skip": "what is broken is left out",
        "meaning.copies": "rows that are there twice count once",
        "meaning.until_success": "each problem was tried until it was solved",
        "meaning.independent": "all samples were drawn independently",
    }
)

# The name of a way in an error → what it means, where that is called otherwise.
_MEANINGS = {
    "unnumbered": "ignored",
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
        code = "question.outcome"
        if self.values:
            told["value"] = 100 * float(np.mean(self.values))
            code = "question.texts" if self.are_texts else "question.valued"
        if self.is_soft:
            told["mean"] = 100 * float(np.mean(self.flat))
            code = "question.soft"
        outcome = _say(code, **told)
        if self.missing:
            outcome = _say("question.missing", outcome=outcome, missing=self.missing)
        if int(self.samples.n.sum()) >= _ROWS:
            outcome = _say("question.first", outcome=outcome, rows=_ROWS)
        meaning = f"meaning.{_MEANINGS.get(self.name, self.name)}"
        return Offer(self.options, outcome, _say(meaning) if meaning in _say else None)


def _describe_size(n: NDArray[np.int64]) -> dict[str, Any]:
    """Write how many problems there are, and how many samples of each."""
    ends = dict.fromkeys((int(n.min()), int(n.max())))
    return {"problems": len(n), "n": " to ".join(f"{end:,}" for end in ends)}


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
            options = _join(self._given, own)
            table = self._look(options)
            ways += [] if table is None else list(compose(table.head, options, message))
        refused: list[tuple[float, Options, str, Message]] = []
        for more, way, prior in sorted(ways, key=lambda each: -each[2])[:_TRIED]:
            options = _join(own, more)
            if options in self._seen or options == own or perf_counter() > self._ends:
                continue
            self._seen.append(options)
            called = name or way
            try:
                samples = self._read(_join(self._given, _leave_out_judging(options)))
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
        options = _join(self._told, options)
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

# Errors of which the verdicts are known.
_ABOUT_PROBLEMS = {"standard.no_problem", "plain.numbered_names", "plain.questions", "plain.runs"}


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
            worth = _TOLD - 0.1 * place + 0.5 * (is_set or is_one)
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


def _join(own: Mapping[str, Any], more: Mapping[str, Any]) -> Options:
    """Join options; those that map columns are joined by their keys."""
    joined = dict(own)
    for name, value in more.items():
        old = joined.get(name)
        are_maps = isinstance(old, Mapping) and isinstance(value, Mapping)
        joined[name] = {**(old or {}), **value} if are_maps else value
    return joined


def _leave_out_judging(options: Options) -> Options:
    """Leave out what is settled after reading."""
    return {
        name: value for name, value in options.items() if name not in ("missing", "correct_above")
    }


def compose(head: Block, given: Options, message: Message) -> Iterator[tuple[Options, str, float]]:
    """Compose readings of a table whose columns do not tell their roles: of verdicts, of counts, of words."""
    columns = Profile(head, Cells(), is_text=False).leaves
    taken = dict(given.get("columns") or {})
    problems = _rate_problems(columns, taken)
    if message.code in _ABOUT_PROBLEMS:
        for problem, prior in problems.items():
            if problem:
                yield {"columns": {"problem": problem}}, "", prior
        return
    reads = Cells(correct=given.get("correct") or (), wrong=given.get("wrong") or ())
    for verdicts, more, worth in _rate_verdicts(columns, taken, reads):
        for problem, prior in problems.items():
            if problem == verdicts or _numbers_rows(columns, problem, verdicts):
                continue
            roles = ({} if problem == "" else {"problem": problem}) | {"grades": verdicts}
            numbers = [name for name in columns if _numbers_rows(columns, problem, name)]
            if numbers:
                roles["sample"] = numbers[0]
            yield _join({"columns": roles}, more), "", worth + prior
    for total, right in _list_counts(columns):
        owners = {name: prior for name, prior in problems.items() if name not in (total, right)}
        for problem, prior in (owners or {"line": -0.2}).items():
            ways = _list_parts(columns, problem, total, right) if problem else ()
            yield from ((told, name, worth + prior) for told, name, worth in ways)
    if message.code == "cells.grade":
        named = (columns[name] for name in [taken.get("grades")] if name in columns)
        found = [column for column in columns.values() if column.spelling in ROLE["grades"]]
        for column in [*named, *found]:
            for place, scale in enumerate(_list_scales(column)):
                yield {"scale": scale}, "", 0.1 - 0.02 * place
            if column.numbers:  # the most, such as of tests that a sample passed
                yield {"correct": [str(max(column.numbers))]}, "", 0.05


def _numbers_rows(columns: Mapping[str, Column], problem: str, name: str) -> bool:
    """Return whether a column numbers the rows of each problem."""
    if name == problem or problem not in columns or columns[name].numbers is None:
        return False
    owners, numbers = columns[problem], columns[name]
    pairs = {*zip(owners.keys, numbers.keys, strict=True)}
    repeats = owners.distinct > 1 and 2 * owners.distinct <= len(owners.cells)
    return repeats and len(pairs) == len(owners.cells) and count_up([*{*(numbers.numbers or ())}])


def _rate_problems(columns: Mapping[str, Column], taken: Mapping[str, Any]) -> dict[str, float]:
    """Rate the columns that may name problems; "" leaves the choice to the reader."""
    if taken.get("problem"):
        return {"": 0.0}
    rated: dict[str, float] = {}
    for name, column in columns.items():
        count = len(column.cells)
        is_named = _NAMING.search(column.spelling) is not None or column.spelling in PROBLEM
        if not column.fits("problem", whole=True) or not (is_named or column.distinct > 1):
            continue
        if column.numbers is None and all(map(is_finite, map(read_spelled, column.there))):
            continue  # fractions
        if _MEASURED.search(column.spelling) or _FAULTY.search(column.spelling):
            continue
        if column.spelling in ROLE["grades"] or (column.are_verdicts and column.distinct == 2):
            continue
        repeats = 2 * column.distinct <= count
        if column.distinct < count and not (repeats or is_named):
            continue
        worth = 0.2 * repeats + 0.2 * is_named
        worth += 0.1 * (column.spelling in PROBLEM)
        times = {column.keys.count(key) for key in dict.fromkeys(column.keys[:50])}
        worth += 0.2 * (repeats and len(times) == 1 and times < {*range(column.distinct)})
        worth -= 0.4 * (
            has_name(name, (*SETTING, *NUMBERED)) or name in find_named([name], ROLE["group"])
        )
        worth -= 0.3 * (
            column.numbers is not None
            and count_up([*{*column.numbers}])
            and not _NAMING.search(column.spelling)
        )
        rated[name] = worth
    is_told = max(rated.values(), default=0.0) > 0
    free = [name for name in rated if rated[name] > 0 or not is_told]
    best = sorted(free, key=lambda name: -rated[name])[:4]
    return {name: rated[name] for name in best} or {"line": -0.2}


def _rate_verdicts(
    columns: Mapping[str, Column], taken: Mapping[str, Any], reads: Cells
) -> Iterator[tuple[str, Options, float]]:
    """Rate the columns that may hold verdicts, some with the words that mean right."""
    own: dict[str, Column] = {}
    for name, column in columns.items():
        is_other = column.spelling in MODEL or _MEASURED.search(column.spelling) is not None
        is_taken = taken.get("grades") not in (None, name) or name == taken.get("problem")
        if column.there and not is_other and not is_taken:
            own[name] = Column(name, column.cells, reads)
    clear = [name for name, column in own.items() if _judges(column)]
    for name, column in own.items():
        if name in clear or not (clear and _is_beside(column)):
            for told, worth in _rate_words(column):
                yield name, told, worth


def _judges(column: Column) -> bool:
    """Return whether a column of several grades holds verdicts, or has a name that judges."""
    fits = column.fits("grades", whole=True) and len(column.parts) > 1
    is_told = column.are_verdicts or _JUDGING.search(column.spelling) is not None
    return fits and is_told and not _is_beside(column)


def _is_beside(column: Column) -> bool:
    """Return whether a column numbers samples, or says how their runs ended: ok, timeout."""
    words = split_words(column.name)
    if not words.isdisjoint(NUMBER_WORD) and not _JUDGING.search(column.spelling):
        return True
    return bool(column.parts) and all(map(_tells_end, column.parts))


def _tells_end(word: object) -> bool:
    """Return whether a word says how a run ended, and not whether it was right."""
    if not isinstance(word, str):
        return False
    spelled = word.strip().lower()
    if spelled in ("ok", "success"):
        return True
    is_plain = isinstance(read_spelled(word), str)
    return is_plain and (not says_failed(word) or FAILED.search(spelled) is not None)


def _rate_words(column: Column) -> Iterator[tuple[Options, float]]:
    """Rate what the words or numbers of a column may mean."""
    worth = 0.3 * bool(_JUDGING.search(column.spelling))
    words = list(dict.fromkeys(map(str, column.parts)))
    if column.fits("grades", whole=True) and len(words) > 1:
        values = {read_spelled(word) for word in words}
        told: Options = {}
        if _FAULTY.search(column.spelling) and values <= {0, 1}:
            told = {"correct": [_spell_word(word) for word in words if not read_spelled(word)]}
        yield told, worth + 0.2 * (values <= {0, 1})
        if not column.are_judged and {*map(type, values)} == {bool}:  # yes may mean failed, too
            yield {"correct": [word for word in words if read_spelled(word) is bool(told)]}, 0.0
    elif column.numbers and _FAULTY.search(column.spelling):  # a number of faults
        yield {"correct": ["0"]}, worth
    elif _are_numbers(column):
        for place, scale in enumerate(_list_scales(column) if worth else ()):
            yield {"scale": scale}, worth - 0.05 * place
    elif 2 <= len(words) <= _WORDS and len(words) < len(column.list_parts()):
        right = [word for word in words if judge(word) or normalize_name(word) in _RIGHT]
        for word in right[:1] or (words if worth else []):
            yield {"correct": [shorten(word)]}, worth + 0.2 * (word in right)


def _are_numbers(column: Column) -> bool:
    return bool(column.there) and all(map(is_finite, map(read_spelled, column.there)))


def _list_scales(column: Column) -> list[tuple[float, float]]:
    """List the scales on which the numbers of a column may be, likeliest first: those of judges begin at 1."""
    if not _are_numbers(column):
        return []
    numbers = [float(str(read_spelled(cell))) for cell in column.there]
    low, high = min(numbers), max(numbers)
    if high not in _ENDS or low < -high:
        return []
    if low < 0:
        starts = [-int(high)]
    elif 1 <= low < high <= _JUDGED:
        starts = [1, 0]
    else:
        starts = [0]
    return [(start, int(high)) for start in starts if (start, high) != (0, 1)]


def _spell_word(word: str) -> str:
    """Return a word, or a whole number without its point."""
    number = read_whole(word)
    if number is None:
        return shorten(word)
    return str(number)


# Words that mean right in the columns of some harness, though they are no verdict elsewhere.
_RIGHT = {"accepted", "completed", "match", "win", "good", "c", "a", "yes", "true"}


def _list_counts(columns: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """List pairs of columns of which one can count samples, and the other those that are right, or their share."""
    for name, column in columns.items():
        if column.there and column.numbers is None and has_parts(column):
            yield name, name
    shares = {
        name: [read_share(read_spelled(cell)) for cell in column.cells]
        for name, column in columns.items()
        if not has_name(name, NUMBERED)
    }
    numbers = [name for name, cells in shares.items() if all(map(is_finite, cells))]
    totals = [name for name in numbers if _TOTAL.search(columns[name].spelling)]
    if any("test" in name for name in numbers):  # those of one sample are counted
        totals = [name for name in totals if _TESTS.search(columns[name].spelling)]
    rights = [name for name in numbers if _JUDGING.search(columns[name].spelling)] or numbers
    for total in totals or (numbers if len(numbers) == 2 else []):
        for right in rights:
            is_share = any(share % 1 for share in shares[right] if is_finite(share))
            pairs = zip(columns[total].cells, columns[right].cells, strict=True)
            counts = [read_counts(*pair, whole=is_share) for pair in pairs if total != right]
            if counts and None not in counts and max(pair[0] for pair in counts if pair) > 1:
                yield total, right


def _list_parts(
    columns: Mapping[str, Column], problem: str, total: str, right: str
) -> Iterator[tuple[Options, str, float]]:
    """List what numbers of a total may mean where a row is one sample: of its tests, as a rule all must pass."""
    are_tests = any("test" in name.lower() for name in (total, right))
    owner, numbers = columns.get(problem), columns[right].numbers
    is_sample = are_tests or (owner is not None and owner.distinct < len(owner.cells))
    if is_sample and (numbers is None or max(numbers) > 1):
        grades = right if total == right else f"{right}/{total}"
        roles = {"problem": problem, "grades": grades}
        yield {"columns": roles, "correct_above": _ALL_TESTS}, "tests", 0.7
        yield {"columns": roles}, "part", 0.4
    if not are_tests:
        yield {"columns": {"problem": problem, "n": total, "c": right}}, "counts", 0.3

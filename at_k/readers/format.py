"""The reader of one format: rules that recognise its files and read them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, NamedTuple

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import Cells
from at_k.readers.files.delimited import name_lines
from at_k.readers.files.sources import Source
from at_k.readers.names import quote, quote_all, shorten
from at_k.readers.samples import Samples
from at_k.validation import UNLIMITED, Limits, is_number, shorten as shorten_value, type_name

# Characters of a field of a problem that is kept as a possible group. Longer ones are questions and solutions.
_LONGEST_FIELD = 100


# The options that not every format takes.
OPTIONS = ("scorer", "filter", "tests", "prompt_column", "rows_at")


_say = Phrases(
    {
        "format.no_option": "The format {format} does not take {given}. Leave it out. Its files offer: {others}.",
        "note.unseen_words": "No verdict is one of the words that were named, {words}: a comma parts two words.",
        "format.no_choice": "There is no {what} “{wanted}” in this file. It has: {found}.",
        "collector.choice": "The {what} is {taken}. The file also has {others}: {other}.",
        "format.no_metric": "None of the metrics in this file is known to say which samples are correct: {metrics}. "
        "{option:scorer} chooses one.",
        "collector.field": "The field {name} is not what {harness} writes: {value} ({place}). The file may be damaged.",
    }
)


@dataclass(frozen=True)
class Reading:
    """Options of reading a file; the arguments of `at_k.read_results`.

    Attributes:
        columns: role → column, or None for no column, where the choice of the reader is not right.
        where: column → the value, or list of values, of the rows to keep.
        pool: columns whose rows are samples of one model after all. One may be given by its name alone.
        scorer: which scorer's grades to take, where a file has several.
        filter: which filter's answers to take, where a file has several.
        tests: which tests a program must pass, where a file has several sets.
        prompt_column: the column with the prompts that answers continue.
        rows_at: the key of a JSON document under which the rows are, with dots.
        correct: words of right samples.
        wrong: words of wrong ones.
        unjudged: words of missing ones.
        errors: "raise", or "skip" to leave out what is broken and count it by cause.
        limits: the most bytes and rows that are accepted.
        scale: the worst and the best grade, where they are not 0 and 1.
        meta: whether the columns of a plain table that have no role are read too, such as prompts.
    """

    columns: Mapping[str, str | None] = field(default_factory=dict)
    where: Mapping[str, object] | None = None
    pool: Sequence[str] = ()
    scorer: str | None = None
    filter: str | None = None
    tests: str | None = None
    prompt_column: str | None = None
    rows_at: str | None = None
    correct: Sequence[str] = ()
    wrong: Sequence[str] = ()
    unjudged: Sequence[str] = ()
    errors: str = "raise"
    limits: Limits = UNLIMITED
    scale: tuple[float, float] | None = None
    meta: bool = False

    def __post_init__(self) -> None:
        """Check the columns and the scale before anything is read."""
        if not isinstance(self.columns, Mapping):
            raise TypeError(f"`columns` must map roles to columns; got {type_name(self.columns)}")
        if isinstance(self.pool, str):
            object.__setattr__(self, "pool", (self.pool,))
        if not isinstance(self.pool, Sequence):
            raise TypeError(
                f"`pool` must be the name of a column or a list of names; got {type_name(self.pool)}"
            )
        if self.scale is not None:
            check_scale(self.scale)

    @property
    def words(self) -> list[str]:
        """All words that were named."""
        return [*self.correct, *self.wrong, *self.unjudged]

    def note_unseen_words(self) -> Message:
        """Write the note that no verdict is one of the words."""
        return _say.mistake("note.unseen_words", words=quote_all(self.words))

    def make_cells(self, kind: type[Cells]) -> Cells:
        """Make the reader of cells, with the words that were named."""
        return kind(
            scale=self.scale, correct=self.correct, wrong=self.wrong, unjudged=self.unjudged
        )

    def list_fields(self, found: object) -> dict[str, Any]:
        """Return the fields of a problem that may be its group: the short ones, and the one that the user named.

        Examples:
            >>> Reading().list_fields({"level": "easy", "question": "How many? " * 100, "choices": []})
            {'level': 'easy'}
        """
        if not isinstance(found, dict):
            return {}
        named = self.columns.get("group")
        return {
            name: value
            for name, value in found.items()
            if isinstance(value, (bool, int, float))
            or (isinstance(value, str) and (len(value) <= _LONGEST_FIELD or name == named))
        }


class Mark(NamedTuple):
    """Marks at the beginning of a file, by which its format is recognised.

    Attributes:
        layout: "rows" for JSON lines or a single object, "json" for a document, "csv", "parquet" or "zip".
        names: paths that lead to a field of the first row, or of the document or its first entry; or the columns, or
            members. A path leads through the first entry of a list, and by "*" through the first value of an object.
        alone: whether there is no other field.
        fits: returns whether the values of the fields are those of the format.
    """

    layout: str
    names: Sequence[str] = ()
    alone: bool = False
    fits: Callable[[Mapping[str, Any]], bool] | None = None

    def is_in(self, layouts: Collection[str], found: Mapping[str, Any]) -> bool:
        """Return whether a file has this mark, by its layouts and its first row."""
        if self.layout not in layouts or (self.alone and len(found) != 1):
            return False
        return all(_leads(name, found) for name in self.names) and (
            self.fits is None or self.fits(found)
        )


def _leads(path: str, found: Any) -> bool:
    """Return whether a path leads to a field."""
    for name in path.split("."):
        if isinstance(found, list):
            found = next(iter(found), None)
        key: str | None = name
        if name == "*" and isinstance(found, dict):
            key = next(iter(found), None)
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return True


# Objects after which Python looks for cycles while a file is read, in place of 700: with that, it takes as long to look
# at the objects of rows as to make them. They have no cycles.
_SELDOM = 200_000


@contextmanager
def _looking_seldom() -> Iterator[None]:
    """Look for cycles of objects seldom, and then as often as before; another reading may have asked for it."""
    usual = gc.get_threshold()
    is_own = 0 < usual[0] < _SELDOM
    if is_own:
        gc.set_threshold(_SELDOM, *usual[1:])
    try:
        yield
    finally:
        if is_own:
            gc.set_threshold(*usual)


@dataclass(frozen=True)
class Format:
    """A format of results files.

    Attributes:
        name: what `format=` takes.
        title: the harness, with the version whose files were tried.
        file: the usual name of its files.
        samples: how to get n samples for each problem out of the harness.
        read: reads a file; its messages count rows.
        marks: its files have one of these; a format without any takes the files of no other one.
        options: which of `OPTIONS` its files offer.
        rank: 0 for results of a harness, 1 for less, such as predictions that are not graded, 2 for tables with columns
            of any names. Of the files in a folder, those with the lowest rank are read.
        in_folders: whether each of its files holds one sample, so that those of a folder are read together.
    """

    name: str
    title: str
    file: str
    samples: str
    read: Callable[[Source, Reading], Samples]
    marks: tuple[Mark, ...] = ()
    options: tuple[str, ...] = ()
    rank: int = 0
    in_folders: bool = False

    def read_file(self, source: Source, reading: Reading) -> Samples:
        """Read a file. Where a message counts its rows, name their lines or, of several files in one, the files."""
        try:
            with _looking_seldom():
                samples = self.read(source, reading)
        except InputError as error:
            raise error.with_message(name_lines(error.message, source)) from None
        skipped = {
            name_lines(cause, source): count for cause, count in samples.origin.skipped.items()
        }
        return replace(samples, origin=replace(samples.origin, skipped=skipped))

    def refuse_options(self, reading: Reading) -> None:
        """Raise if the user chose something that files of this format do not offer."""
        for name in OPTIONS:
            if getattr(reading, name) and name not in self.options:
                others = Mention(*self.options) if self.options else "none"
                raise _say.error(
                    "format.no_option", format=self.name, given=Mention(name), others=others
                )


TEXTS = Message(
    "note.texts",
    "The answers are whole texts, from which nothing was extracted. Extract the answers before a vote, choose a "
    "checker that finds them, or have the harness judge them.",
)


def has_fields(value: object, *names: str) -> bool:
    """Return whether a value is an object with all of these fields.

    Examples:
        >>> has_fields({"id": 1, "ok": None}, "id", "ok"), has_fields([], "id")
        (True, False)
    """
    return isinstance(value, dict) and value.keys() >= {*names}


def check_scale(value: object, name: str = "scale") -> None:
    """Raise unless a scale is two different finite numbers."""
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or len(value) != 2
        or not all(map(is_number, value))
    ):
        raise TypeError(
            f"`{name}` must be two numbers, the worst grade and the best one; got {shorten_value(value)}"
        )
    low, high = value
    if low == high or not isfinite(high - low):
        raise ValueError(
            f"`{name}` must be two different finite numbers; got {shorten_value(value)}"
        )


def name_subject(**fields: object) -> dict[str, str]:
    """Return what the results are of, without what is not known or no text.

    Examples:
        >>> name_subject(task="gsm8k", model=None)
        {'task': 'gsm8k'}
    """
    return {name: value for name, value in fields.items() if value and isinstance(value, str)}


class Choice(NamedTuple):
    """A scorer, filter or set of tests out of several: its name, what an origin says of it, and the notes on it."""

    name: str | None
    told: Mapping[str, str] = {}
    notes: Sequence[Message] = ()


def choose(
    option: str, wanted: str | None, found: Collection[str], offered: Collection[str] | None = None
) -> Choice:
    """Choose one of several: the one that is wanted, or else the first of those that a note tells of.

    Examples:
        >>> print(*choose("scorer", None, ["match", "includes"]).notes)
        The scorer is “match”. The file also has “includes”: `scorer="includes"`.
        >>> choose("scorer", "includes", ["match", "includes"])
        Choice(name='includes', told={'scorer': 'includes'}, notes=())
    """
    offered = found if offered is None else offered
    if wanted is not None and wanted not in found:
        raise _say.error(
            "format.no_choice",
            what=option,
            wanted=shorten(wanted),
            found=quote_all(found) or "none",
        )
    name = wanted
    if wanted is None:
        name = next(iter(offered), None)
    if name is None or len(offered) < 2:
        return Choice(name)
    others = [other for other in offered if other != name]
    told = {"others": quote_all(others), "other": Mention(**{option: shorten(others[0])})}
    note = _say("collector.choice", what=option, taken=quote(name), **told)
    return Choice(name, {option: name}, (note,) if wanted is None else ())


def refuse_no_scorer(wanted: str | None, found: Collection[str], graded: Collection[str]) -> None:
    """Raise if no scorer is wanted and none is known to say which samples are correct."""
    if wanted is None and not graded:
        raise _say.error("format.no_metric", metrics=quote_all(found) or "none")


def refuse_field(harness: str, name: str, value: object, place: Message) -> InputError:
    """Make the error that says that a field is not what a harness writes."""
    return _say.error(
        "collector.field", name=quote(name), harness=harness, value=quote(value), place=place
    )


def check_kinds(
    harness: str, row: Mapping[str, Any], kinds: Mapping[str, Collection[type]], place: Message
) -> None:
    """Raise unless fields have types that a harness writes."""
    for name, types in kinds.items():
        value = find_field(row, name.split("."))
        if type(value) not in types:
            raise refuse_field(harness, name, value, place)

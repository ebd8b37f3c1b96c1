"""The samples of a results file in the standard columns, where each of them came from, and the data set of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import join_lists, to_numpy
from at_k.errors import Message
from at_k.readers.faults import describe_place
from at_k.readers.names import quote_all
from at_k.samples import Ragged
from at_k.values import cached_property

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Dataset


# The roles of columns, which are also the names of the standard columns.
ROLES = ("problem", "answers", "references", "grades", "scores", "group")

# The roles of columns that count the samples of each problem, and the correct ones: they replace grades.
COUNT_ROLES = ("n", "c")

# The number of a sample, its cost, the weight of its vote, why it failed, and the number of an attempt at it, of which
# the last one counts: roles that no standard column holds.
FURTHER_ROLES = ("sample", "cost", "weight", "error", "attempt")

# The roles that describe each sample; the others describe the problem.
SAMPLE_ROLES = ("answers", "grades", "scores")

# A value for each sample of each problem.
Listed = Ragged | Sequence[Sequence[Any]]

# The column of each role, or None.
Columns = dict[str, str | None]


# The standard columns, in their order.
STANDARD = (*ROLES, "meta")


def list_types() -> dict[str, pa.DataType]:
    """Return the Arrow type of each standard column.

    Examples:
        >>> list_types()["problem"]
        DataType(string)
    """
    import pyarrow as pa

    text, texts, numbers = pa.string(), pa.list_(pa.string()), pa.list_(pa.float64())
    types = (text, texts, texts, numbers, numbers, text, text)
    return dict(zip(STANDARD, types, strict=True))


# The detail of each sample that says why it is missing, one of `REASONS`; None for one that is not.
MISSING = "missing"

# Why a sample is missing.
REASONS = ("infrastructure", "timeout", "masked", "judge failed", "not run")

# The name by which a data set says that it was made here.
BUILDER = "at_k"


@dataclass(frozen=True)
class Origin:
    """The writer of a file, and the parts that were taken from it.

    Attributes:
        harness: the name of its format, such as "inspect_ai"; "plain" for a table whose columns may have any names.
        version: the version of the harness; None if the file does not say.
        subject: what the results are of, such as {"task": "gsm8k", "model": "a"}; files that differ are not merged.
        chosen: what was chosen out of several, such as {"scorer": "match"}.
        roles: the column, or field, that was taken for each role, or None.
        notes: what a reader of the numbers should know: choices that were made by default.
        skipped: cause → how many samples or rows were left out, with `errors="skip"`.
    """

    harness: str
    version: str | None = None
    subject: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, str] = field(default_factory=dict)
    roles: Columns = field(default_factory=dict)
    notes: list[Message] = field(default_factory=list)
    skipped: dict[Message, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what wrote the file and what was taken from it, without the notes, ready for `json.dumps`.

        Examples:
            >>> Origin("plain", roles={"grades": "ok"}).to_dict()
            {'harness': 'plain', 'version': None, 'subject': {}, 'chosen': {}, 'columns': {'grades': 'ok'}}
        """
        return {
            "harness": self.harness,
            "version": self.version,
            "subject": dict(self.subject),
            "chosen": dict(self.chosen),
            "columns": {role: column for role, column in self.roles.items() if column is not None},
        }

    def conditions(self) -> dict[str, str]:
        """Return what a signature says of the reading.

        Examples:
            >>> Origin("inspect_ai", "0.3.285", chosen={"scorer": "match"}).conditions()
            {'reader': 'inspect_ai 0.3.285', 'scorer': 'match'}
        """
        if self.harness == "plain":
            return dict(self.chosen)
        return {"reader": " ".join(filter(None, [self.harness, self.version])), **self.chosen}


@dataclass(frozen=True)
class Samples:
    """The problems of results files, in order of first appearance, and the samples of each.

    Attributes:
        table: the standard columns that were found, with one row per problem: `problem` (string), `answers` (list of
            strings), `references` (list of strings), `grades` and `scores` (lists of numbers), `group` (string), `meta`
            (string: a JSON object with what else the file says about the problem). Null means a sample without
            an answer, a grade or a score.
        origin: what wrote the file.
        rows: for each problem the number of its row in the file or, where each sample has a row of its own, of the
            rows of its samples; counted from 1.
        per_sample: whether each sample has a row of its own.
        numbers: for each problem the numbers that the file gives to its samples (epochs, trials, repeats); None if it
            gives none.
        questions: what some of the problems ask, by their names, to tell problems of one name apart.
        details: the names in `meta` of what is said of each sample, such as its cost: a list each, one per sample.
        files: the names of the files, where there are several.
        file_of: for each problem the file of each of its samples, as a position in `files`.
    """

    table: pa.Table
    origin: Origin
    rows: Listed
    per_sample: bool
    numbers: Listed | None = None
    questions: Mapping[str, str] = field(default_factory=dict)
    details: Sequence[str] = ()
    files: Sequence[str] = ()
    file_of: Listed = ()

    def columns(self) -> dict[str, Any]:
        """Return the standard columns that are there, as Arrow holds them."""
        return {name: self.table[name] for name in self.table.column_names}

    def listed(self, role: str) -> list[Any] | None:
        """Return a standard column as a list, or None if it is not there."""
        cells: list[Any] | None = (
            self.table[role].to_pylist() if role in self.table.column_names else None
        )
        return cells

    @cached_property
    def problems(self) -> list[str]:
        """The name of each problem; all are different."""
        return self.listed("problem") or []

    @cached_property
    def answers(self) -> list[list[str | None]] | None:
        """The answers of each problem, one per sample; None where a sample has none."""
        return self.listed("answers")

    @cached_property
    def references(self) -> list[list[str]] | None:
        """The correct answers, at least one for each problem."""
        return self.listed("references")

    @cached_property
    def grades(self) -> list[list[float | None]] | None:
        """The grades of each problem, one per sample, in [0, 1]; None where a sample has none."""
        return self.listed("grades")

    @cached_property
    def scores(self) -> list[list[float | None]] | None:
        """The scores of each problem, one per sample, finite; None where a sample has none."""
        return self.listed("scores")

    @cached_property
    def group(self) -> list[str] | None:
        """A label for each problem."""
        return self.listed("group")

    @cached_property
    def n(self) -> NDArray[np.int64]:
        """The number of samples of each problem."""
        role = next(role for role in SAMPLE_ROLES if role in self.table.column_names)
        return np.concatenate([_count(chunk) for chunk in self.table[role].chunks])

    def take(self, kept: Sequence[int]) -> Samples:
        """Return the problems at these positions, counted from 0."""
        return replace(
            self,
            table=self.table.take(
                np.array(kept, dtype=np.int64)
            ),  # an empty list would have no type
            rows=[self.rows[i] for i in kept],
            numbers=None if self.numbers is None else [self.numbers[i] for i in kept],
            file_of=[self.file_of[i] for i in kept] if self.file_of else self.file_of,
        )

    def drop_unjudged(self) -> Samples:
        """Return the problems of which a sample has a grade or, where nothing is graded, an answer."""
        # A note names the others. If there is no such problem, all of them are returned.
        judged: Sequence[Sequence[object]] = self.grades or self.answers or []
        kept = [i for i, values in enumerate(judged) if any(value is not None for value in values)]
        if len(kept) in (0, len(judged)):
            return self
        gone = sorted({*range(len(judged))} - {*kept})
        note = Message(
            "note.unjudged",
            "Problems of which no sample was judged, left out: {count:,} ({names}).",
            count=len(gone),
            names=quote_all(self.problems[i] for i in gone),
        )
        left = self.take(kept)
        return replace(left, origin=replace(left.origin, notes=[*left.origin.notes, note]))

    @property
    def roles(self) -> Columns:
        """The column of each role, or None."""
        return dict.fromkeys(ROLES) | self.origin.roles

    @cached_property
    def n_missing(self) -> int:
        """The number of missing samples: those without a grade or, where nothing is graded, without an answer."""
        # A sample with a grade and without an answer counts, and casts no vote.
        for role in ("grades", "answers"):
            if role in self.table.column_names:
                return sum(join_lists(chunk).null_count for chunk in self.table[role].chunks)
        return 0

    @cached_property
    def reasons(self) -> dict[str, int]:
        """The number of missing samples for each of `REASONS`, as far as the file says why."""
        if MISSING not in self.details:
            return {}
        listed = (json.loads(text).get(MISSING) or [] for text in self.listed("meta") or [] if text)
        counts = Counter(chain.from_iterable(listed))
        return {name: counts[name] for name in REASONS if counts[name]}

    def place(self, problem: int, sample: int, role: str | None = None) -> Message:
        """Describe the place of a sample in the file; both numbers are counted from 0."""
        # The column is that of a role; by default that of its grade or, where there are no grades, that of its answer.
        column = (
            self.roles[role or ("grades" if "grades" in self.table.column_names else "answers")]
            or ""
        )
        rows = self.rows[problem]
        if self.files:
            where = describe_place(rows[sample], column)
            return Message(
                "places.file_place",
                "{file}, {place}",
                file=self.files[self.file_of[problem][sample]],
                place=where,
            )
        if self.per_sample:
            return describe_place(rows[sample], column)
        return describe_place(rows[0], column, sample + 1)


def _count(lists: pa.ListArray) -> NDArray[np.int64]:
    """Return the length of each list; 0 for null."""
    lengths = np.diff(to_numpy(lists.offsets)[0]).astype(np.int64)
    return lengths * to_numpy(lists.is_valid())[0] if lists.null_count else lengths


def make_dataset(samples: Samples, path: str | PathLike[str] | Sequence[Any]) -> Dataset:
    """Make a data set with all of the standard columns; those that the file does not have are null."""
    import pyarrow as pa
    from datasets import Dataset, DatasetInfo, Features

    types = list_types()
    table = samples.table
    columns = {
        name: table[name].cast(types[name])
        if name in table.column_names
        else pa.nulls(len(table), types[name])
        for name in STANDARD
    }
    whole = pa.table(columns)
    origin = samples.origin
    info = DatasetInfo(
        description=describe(samples, path),
        features=Features.from_arrow_schema(whole.schema),
        builder_name=BUILDER,
        dataset_name=origin.harness,
        config_name=json.dumps(origin.conditions(), ensure_ascii=False),
    )
    # Without a fingerprint, all data are pickled and hashed.
    return Dataset(whole, info=info, fingerprint=token_hex(8))


def describe(samples: Samples, path: str | PathLike[str] | Sequence[Any]) -> str:
    """Say in a few sentences what was read: the harness, the column of each role, and the notes."""
    origin = samples.origin
    if isinstance(path, (str, PathLike)):
        name = Path(path).name
    else:
        name = f"{len(path):,} files"
    if origin.harness == "plain":
        what = ""
    else:
        what = f" ({' '.join(filter(None, [origin.harness, origin.version]))})"
    roles = ", ".join(
        f"{role} from column “{column}”"
        for role, column in origin.roles.items()
        if column is not None
    )
    choices = "".join(
        f" {option.capitalize()}: {value}." for option, value in origin.chosen.items()
    )
    notes = "".join(f" {note}" for note in origin.notes)
    skipped = "".join(
        f" Left out: {count:,}, with errors such as “{cause}”."
        for cause, count in origin.skipped.items()
    )
    return f"Read from {fspath(name)}{what}: {roles}.{choices}{notes}{skipped}"

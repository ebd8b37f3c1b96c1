"""Collect samples, one by one, into the standard columns."""

from __future__ import annotations

import json
import re
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import orjson

from at_k.errors import InputError, Mention, Message
from at_k.limits import exceeds
from at_k.readers.arrays import make_array, make_lists, make_numbers, make_texts
from at_k.readers.columnar import Verdicts, find_names, parse_verdicts
from at_k.readers.decoding import decode_line
from at_k.readers.faults import find_fault, find_long_text
from at_k.readers.format import Head, Reading
from at_k.readers.models import MODEL_NAMES, has_name, select_rows
from at_k.readers.plausibility import refuse_odd_names
from at_k.readers.quoting import normalize_name, quote, quote_all, shorten
from at_k.readers.samples import ROLES, STANDARD, Origin, Samples, Split
from at_k.readers.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT = 2**53
"""Whole numbers up to here are exact as floats, which is what decoders of JSON make of longer ones."""

_LARGEST = sys.float_info.max


_MODEL_FIELD = re.compile(
    r'"(?:{})\s*"\s*:'.format("|".join(name.replace("_", r"[_\s-]+") for name in MODEL_NAMES)).encode(),
    re.IGNORECASE,
)
"""A field of a line of JSON that may be a column of models."""

_MODEL_STEMS = {f'"{name.partition("_")[0]}'.encode() for name in MODEL_NAMES}
"""How such fields begin. To search for these first takes half of the time."""


def _may_name_models(data: bytes) -> bool:
    """Return whether lines of JSON may have a column of models."""
    names = find_names(data)
    if names is not None:
        return any(normalize_name(name) in MODEL_NAMES for name in names)
    lowered = data.lower()
    return any(stem in lowered for stem in _MODEL_STEMS) and _MODEL_FIELD.search(lowered) is not None


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()
"""Stands for a column that a file does not have; None stands for a value that is missing."""


_UNITS: dict[str, Callable[[int], Message]] = {
    "line": lambda row: Message("collector.line_place", "line {row:,}", row=row),
    "row": lambda row: Message("collector.row_place", "row {row:,}", row=row),
    "sample": lambda row: Message("collector.sample_place", "sample {row:,}", row=row),
    "problem": lambda row: Message("collector.task_place", "problem {row:,}", row=row),
}
"""How a place is called, by what is counted."""


class Collector:
    """Collect the samples of a file whose format is known.

    A reader calls `add` for each sample, in the order of the file, and `finish` at the end. With `errors="skip"`, a
    sample that is broken is left out and counted; else it raises.

    Args:
        reading: how the file is read.
        unit: what `row` counts: "line", "row", "sample" or "problem".

    Examples:
        >>> collector = Collector(Reading(), unit="line")
        >>> collector.add(1, "a", answer="7", grade=1.0)
        >>> collector.add(2, "a", answer="8", grade=None)
        >>> collector.finish(Origin("example")).table.to_pylist()
        [{'problem': 'a', 'answers': ['7', '8'], 'grades': [1.0, None]}]
    """

    def __init__(self, reading: Reading, *, unit: str = "line") -> None:
        for role, column in reading.columns.items():
            if role not in ROLES or (role == "problem" and column is None):
                raise InputError(
                    "collector.columns",
                    "{option:columns} cannot say {column} for {role}. The roles are {roles}; each but the first may be "
                    "None.",
                    role=quote(role),
                    column=quote(column),
                    roles=", ".join(ROLES),
                )
        self._reading, self._unit, self._columns = reading, _UNITS[unit], dict(reading.columns)
        self._where = {name: {_spell(each) for each in _list(value)} for name, value in (reading.where or {}).items()}
        self._pool = {reading.pool} if isinstance(reading.pool, str) else {*reading.pool}
        self._models: dict[str, object] = {}  # column of models → its value in the first row that was kept
        self._named = {*self._where, *self._pool}
        self._selects: bool | None = None  # whether rows are to be selected, once there is one
        self._fields: set[str] = set()  # the fields that were looked at for models
        self._has_kept = False  # whether a row was kept
        self._seen: set[str] = set()  # the columns of `where` and `pool` that rows have
        self._skipped: dict[str, tuple[Message, int]] = {}
        # Of each problem. A name may be a number in the file.
        self._places: dict[str, int] = {}
        self._are_texts: list[bool] = []
        self._references: list[list[str] | None] = []
        self._groups: list[str | None] = []
        self._meta: list[dict[str, Any] | None] = []
        # Of each sample. The lists of values are shorter if the last samples have none.
        self._problem = array("q")
        self._rows = array("q")
        self._answers: list[str | None] = []
        self._grades = array("d")
        self._scores = array("d")
        self._numbers: list[object] = []
        self._numbered: dict[tuple[int, object], int] = {}

    def rows(self, source: Source, fields: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file of JSON lines that `where` asks for, each with the number of its line.

        Args:
            source: the file.
            fields: the fields that every row must have.

        Raises:
            InputError: if a line is not a JSON object with these fields, which `errors="skip"` counts instead; or if
                the rows are of several models.
        """
        with source.open_text() as file:
            yield from self._read_lines(enumerate(file, 1), fields)

    def add_verdicts(self, source: Source, problem: str, grade: str) -> None:
        """Add all samples of a file of JSON lines that have a name and a verdict, and no more that is needed.

        Blocks of plain lines are decoded by Arrow, column by column: that takes a third of the time. A block in which
        anything is out of the ordinary is read as by `rows` and `add`, which name what is wrong.

        Args:
            source: the file.
            problem: the field that names the problem.
            grade: the field of the verdict.

        Raises:
            InputError: as `rows` and `add` do.
        """
        for block in source.blocks():
            # The first block says whether rows are to be selected. Small files are not worth the import of Arrow.
            table = None
            plain = self._selects is False and not self._columns and self._reading.errors == "raise"
            if plain and not _may_name_models(block.data):
                table = parse_verdicts(block.data, problem, grade)
            if table is not None:
                self._add_table(table, block.first)
                continue
            lines = enumerate(block.data.split(b"\n"), block.first)
            for line, row in self._read_lines(lines, (problem, grade)):
                self.add(line, row[problem], grade=row[grade], fields=row)

    def _read_lines(
        self, lines: Iterable[tuple[int, bytes]], fields: Sequence[str]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of lines as `rows` does."""
        needed = frozenset(fields)
        decode, selects, known = orjson.loads, self._selects, self._fields
        # Most lines are decoded in place: a call for each would take a third of the time.
        for number, line in lines:
            try:
                row = decode(line)
                if type(row) is not dict or not needed <= row.keys():
                    self._refuse_row(row, fields, number)
            except InputError as error:
                self.skip(error)
                continue
            except ValueError:
                row = self._decode_slowly(line, fields, number)
                if row is None:
                    continue
            if not known.issuperset(row):
                selects = self._find_models(row)
            if not selects or self._select(row):
                yield number, row

    def _add_table(self, table: Verdicts, first: int) -> None:
        """Add the samples of lines that follow each other. Only the first one of a problem can be at fault."""
        places = np.empty(len(table.names), dtype=np.int64)
        for position, (name, line) in enumerate(zip(table.names, (table.firsts + first).tolist(), strict=True)):
            places[position] = place = self._find_place(name, line)
            if place == len(self._are_texts):
                self._describe(place, name, NOTHING, NOTHING, None, line)
        count = len(self._rows)
        self._problem.frombytes(places[table.codes].tobytes())
        self._rows.frombytes(np.arange(first, first + len(table.codes)).tobytes())
        _pad(self._grades, nan, count).frombytes(table.grades.tobytes())

    def entries(self, values: Iterable[object], fields: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects in a list as `rows` does, each with its place in the list, counted from 1."""
        needed = frozenset(fields)
        for number, row in enumerate(values, 1):
            try:
                if not isinstance(row, dict) or not needed <= row.keys():
                    self._refuse_row(row, fields, number)
            except InputError as error:
                self.skip(error)
                continue
            if not self._fields.issuperset(row):
                self._find_models(row)
            if not self._selects or self._select(row):
                yield number, row

    def add(  # noqa: PLR0912 - a branch for each argument, and no call for those that are not given
        self,
        row: int,
        problem: object,
        *,
        number: object = NOTHING,
        answer: object = NOTHING,
        grade: object = NOTHING,
        score: object = NOTHING,
        references: object = NOTHING,
        group: object = NOTHING,
        meta: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a sample.

        Args:
            row: the number of its line, counted from 1, or of what else the unit is.
            problem: the name of its problem, a string or a number.
            number: what the file calls the sample: its epoch, trial or repeat. It is different for each sample of a
                problem.
            answer: a string; None if the sample gave none. Numbers and truth values are spelled as JSON does.
            grade: a number from 0 to 1, or a truth value; None or NaN if the sample was not graded.
            score: a finite number; None or NaN if there is none.
            references: a string, or a list of strings each of which is correct.
            group: a label of the problem.
            meta: what else the file says about the problem. What its samples do not agree on is left out.
            fields: all fields of the row, out of which a user may name one for any role.

        Raises:
            InputError: if a value is none of these, which `errors="skip"` counts instead.
        """
        try:
            if self._columns:
                problem = self._choose("problem", problem, row, fields)
                answer = self._choose("answers", answer, row, fields)
                grade = self._choose("grades", grade, row, fields)
                score = self._choose("scores", score, row, fields)
                references = self._choose("references", references, row, fields)
                group = self._choose("group", group, row, meta, fields)
            # Most samples of a large file have a name that is known and a verdict, and no more.
            place = self._places.get(problem, -1) if type(problem) is str else -1
            if place < 0 or not self._are_texts[place]:
                place = self._find_place(problem, row)
            if answer is not NOTHING:
                answer = self._read_answer(answer, row)
            if grade is True or grade is False:
                grade = float(grade)
            elif grade is not NOTHING:
                grade = self._read_grade(grade, row)
            if score is not NOTHING:
                score = self._read_score(score, row)
            if number is not NOTHING:
                self._refuse_repeated(place, problem, number, row)
            is_new = place == len(self._are_texts)
            if is_new or references is not NOTHING or group is not NOTHING or meta is not None:
                self._describe(place, problem, references, group, meta, row)
        except InputError as error:
            self.skip(error)
            return
        count = len(self._rows)
        self._problem.append(place)
        self._rows.append(row)
        if answer is not NOTHING:
            _put(self._answers, answer, None, count)
        if grade is not NOTHING:
            _put(self._grades, grade, nan, count)
        if score is not NOTHING:
            _put(self._scores, score, nan, count)
        if number is not NOTHING:
            self._numbered[place, number] = row
            self._numbers.append(number)

    def add_problem(self, row: int, problem: object, samples: Sequence[Mapping[str, Any]], **shared: Any) -> None:
        """Add a problem that stands in the file once, with the list of its samples.

        Args:
            row: the number of its row.
            problem: its name.
            samples: for each sample what differs between them, named as the arguments of `add`.
            shared: what does not.

        Raises:
            InputError: if it has no samples, or was there before, or as `add` does.
        """
        try:
            name = self._read_name(problem, row)
            if not samples:
                raise InputError(
                    "collector.no_samples",
                    "Problem {name} has no samples ({place}). Remove it, or add its samples.",
                    name=quote(name),
                    place=self.place(row),
                )
            if name in self._places:
                raise InputError(
                    "collector.same_problem",
                    "Each problem may be there only once; {name} is there again ({place}).",
                    name=quote(name),
                    place=self.place(row),
                )
        except InputError as error:
            self.skip(error)
            return
        own = {"grade": shared["grade"]} if "grade" in shared else {}
        for sample in samples:
            # What is said of the problem is read with its first sample alone.
            known = name in self._places and not self._columns
            self.add(row, problem, **sample, **(own if known else shared))

    def add_answers(self, row: int, problem: object, answers: Sequence[object], **shared: Any) -> None:
        """Add a problem that stands in the file once, whose samples differ in their answers alone.

        It is `add_problem` for large files: what the samples share is kept for all of them at once. If that is broken,
        the problem is left out and counted once.

        Args:
            row: the number of its row.
            problem: its name.
            answers: the answer of each sample.
            shared: what its samples share, named as the arguments of `add`.

        Raises:
            InputError: as `add_problem` does.
        """
        before = len(self._rows)
        try:
            texts = [] if self._columns else [self._read_answer(each, row) for each in answers]
        except InputError:
            texts = []  # each sample is looked at by itself
        self.add_problem(row, problem, [{"answer": each} for each in (texts[:1] or answers)], **shared)
        if len(texts) > 1 and len(self._rows) > before:
            rest = texts[1:]
            self._problem.extend([self._problem[-1]] * len(rest))
            self._rows.extend([row] * len(rest))
            self._answers.extend(rest)
            if shared.get("grade", NOTHING) is not NOTHING:
                self._grades.extend([self._grades[-1]] * len(rest))

    def skip(self, error: InputError) -> None:
        """Raise an error or, with `errors="skip"`, count it by its cause."""
        if self._reading.errors != "skip":
            raise error
        first, count = self._skipped.get(error.code, (error.message, 0))
        self._skipped[error.code] = first, count + 1

    def place(self, row: int) -> Message:
        """Describe where a sample stands: "line 7"."""
        return self._unit(row)

    def lack(self, field: str, row: int) -> InputError:
        """Make the error that says that a row does not have a field."""
        return InputError(
            "collector.lack",
            "The field {field} is missing ({place}).",
            field=quote(field),
            place=self.place(row),
        )

    def note_shared_prompts(self) -> list[Message]:
        """Write the note, if one is due, that a problem may be two that have the same prompt and so the same name."""
        n = np.bincount(np.frombuffer(self._problem, np.int64)) if self._rows else np.ones(1, np.int64)
        smallest, largest = int(n.min()), int(n.max())
        if smallest == largest or (n % smallest).any():
            return []
        return [
            Message(
                "collector.shared_prompt",
                "Some prompts have {largest:,} samples and others {smallest:,}: problems with the same prompt are "
                "counted as one.",
                largest=largest,
                smallest=smallest,
            )
        ]

    def finish(self, origin: Origin, *, per_sample: bool = True) -> Samples:
        """Return the samples that were collected, those of each problem together, in the order in which they came.

        Args:
            origin: what wrote the file, and what was taken from it.
            per_sample: whether each sample has a row of its own in the file.

        Raises:
            InputError: if there are none, or more than the limits allow; or if `where` or `pool` names a column that no
                row has.
        """
        import pyarrow as pa

        self._refuse_unknown_column(origin)
        if not self._rows:
            self._refuse_empty()
        problem = np.frombuffer(self._problem, np.int64)
        order = np.argsort(problem, kind="stable")
        n = np.bincount(problem)
        self._refuse_many(n)
        offsets = np.concatenate([[0], np.cumsum(n)])
        columns: dict[str, pa.Array] = {"problem": make_texts(list(self._places))}
        if self._answers:
            answers = make_texts(_pad(self._answers, None, len(order)))
            columns["answers"] = make_lists(offsets, answers.take(make_numbers(order)))
        for role, values in (("grades", self._grades), ("scores", self._scores)):
            if values:
                numbers = np.frombuffer(_pad(values, nan, len(order)))[order]
                columns[role] = make_lists(offsets, make_numbers(numbers, ~np.isnan(numbers)))
        if any(listed is not None for listed in self._references):
            columns["references"] = make_array(self._references, pa.list_(pa.string()))
        if any(label is not None for label in self._groups):
            columns["group"] = make_texts(self._groups)
        if any(self._meta):
            columns["meta"] = make_texts([_write_meta(each) for each in self._meta])
        rows = np.frombuffer(self._rows, np.int64)[order]
        ends = offsets.tolist()
        numbered = len(self._numbers) == len(order)
        samples = Samples(
            table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
            origin=replace(
                origin,
                roles={role: name for role, name in (origin.roles | self._columns).items() if role in columns},
                skipped=dict(self._skipped.values()),
            ),
            rows=Split(rows, offsets) if per_sample else Split(rows[offsets[:-1]], np.arange(len(n) + 1)),
            per_sample=per_sample,
            numbers=[[self._numbers[each] for each in order[start:stop]] for start, stop in pairwise(ends)]
            if numbered
            else None,
        )
        refuse_odd_names(samples)
        return samples

    def _decode_slowly(self, line: bytes, fields: Sequence[str], number: int) -> dict[str, Any] | None:
        """Decode a line that the fast decoder refused; None if it is blank, or broken and left out."""
        if not line.strip():
            return None
        try:
            row = decode_line(line, number)
            if type(row) is not dict or not row.keys() >= {*fields}:
                self._refuse_row(row, fields, number)
        except InputError as error:
            self.skip(error)
            return None
        return row

    def _find_models(self, row: dict[str, Any]) -> bool:
        """Find the columns of models that rows did not have before. Return whether rows are to be selected at all."""
        earlier = None if self._has_kept else NOTHING  # rows that were kept, and did not name a model
        self._models |= {name: earlier for name in row if name not in self._fields and has_name(name, MODEL_NAMES)}
        self._fields.update(row)
        self._selects = bool(self._named or self._models)
        self._has_kept |= not self._selects
        return self._selects

    def _select(self, row: dict[str, Any]) -> bool:
        """Return whether `where` asks for a row, and refuse rows of several models."""
        self._seen.update(name for name in self._named if name in row)
        for name, wanted in self._where.items():
            if _spell(row.get(name)) not in wanted:
                return False
        for name, first in self._models.items():
            value = row.get(name)
            if first is NOTHING:
                self._models[name] = value
            elif value != first:
                select_rows({name: [first, value]}, pool=name if name in self._pool else ())
        self._has_kept = True
        return True

    def _choose(self, role: str, value: object, row: int, *sources: Mapping[str, Any] | None) -> object:
        """Return the value of a role: that of the field that the user named, or else that of the format."""
        if role not in self._columns:
            return value
        field = self._columns[role]
        if field is None:
            return NOTHING
        for fields in sources:
            if fields is not None and field in fields:
                return fields[field]
        known = dict.fromkeys(name for fields in sources for name in fields or ())
        raise InputError(
            "collector.no_field",
            "There is no field {field} to take for {role}. The fields are: {fields} ({place}).",
            field=quote(field),
            role=role,
            fields=quote_all(known) or "none",
            place=self.place(row),
        )

    def _refuse_row(self, row: object, fields: Sequence[str], number: int) -> NoReturn:
        if not isinstance(row, dict):
            raise InputError(
                "collector.not_object",
                "A JSON object was expected; got {value} ({place}).",
                value=quote(row),
                place=self.place(number),
            )
        raise self.lack(next(name for name in fields if name not in row), number)

    def _refuse_unknown_column(self, origin: Origin) -> None:
        """Raise if `where` or `pool` names something that no row has. What the file is of may be pooled, too."""
        for name in self._where:
            if name not in self._seen:
                raise InputError(
                    "collector.no_column",
                    "There is no column {column} in this file for {option:where} to choose rows by.",
                    column=quote(name),
                )
        for name in self._pool:
            if name not in self._seen and name not in origin.subject:
                raise InputError(
                    "collector.no_pool",
                    "There is no column {column} in this file for {option:pool} to name. It may name a column of the "
                    "file, or one of: {names}.",
                    column=quote(name),
                    names=quote_all([*origin.subject, "file"]),
                )

    def _refuse_empty(self) -> NoReturn:
        if self._skipped:
            raise InputError(
                "collector.all_skipped",
                "There are no samples left in this file: {count:,} were left out. Read it without {option:errors=skip} "
                "to see what is wrong with the first one.",
                count=sum(count for _, count in self._skipped.values()),
            )
        if self._where:
            raise InputError("models.no_rows", "No row has all of the values that {option:where} asks for.")
        raise InputError("collector.empty", "There are no samples in this file ({skipped} were left out).", skipped=0)

    def _refuse_many(self, n: np.ndarray[Any, Any]) -> None:
        limits = self._reading.limits
        if exceeds(len(n), limits.max_problems):
            raise InputError(
                "standard.problems",
                "There are {count:,} problems; the limit is {limit:,}.",
                count=len(n),
                limit=limits.max_problems,
            )
        if exceeds(int(n.max()), limits.max_samples):
            raise InputError(
                "standard.samples",
                "A problem has {count:,} samples; the limit is {limit:,} (row {row}).",
                row=self._rows[self._problem.index(int(n.argmax()))],
                count=int(n.max()),
                limit=limits.max_samples,
            )
        if exceeds(len(self._problem), limits.max_all_samples):
            raise InputError(
                "standard.all_samples",
                "There are {count:,} samples in all; the limit is {limit:,}.",
                count=len(self._problem),
                limit=limits.max_all_samples,
            )

    def _find_place(self, problem: object, row: int) -> int:
        """Return the place of a problem, which for a new one is that after the last."""
        name = self._read_name(problem, row)
        place = self._places.get(name, len(self._are_texts))
        if place < len(self._are_texts) and self._are_texts[place] != isinstance(problem, str):
            raise InputError(
                "collector.same_name",
                "A number and a text are spelled alike, {name}, as names of problems ({place}). Rename one of them.",
                name=quote(name),
                place=self.place(row),
            )
        return place

    def _describe(
        self,
        place: int,
        problem: object,
        references: object,
        group: object,
        meta: Mapping[str, Any] | None,
        row: int,
    ) -> None:
        """Keep what a sample says about its problem, or compare it with what earlier ones said."""
        listed, label = self._read_references(references, row), self._read_label(group, row)
        if place < len(self._are_texts):
            self._agree(place, listed, label, meta, row)
            return
        self._places[self._read_name(problem, row)] = place
        self._are_texts.append(isinstance(problem, str))
        self._references.append(listed)
        self._groups.append(label)
        self._meta.append(None if meta is None else dict(meta))

    def _refuse_repeated(self, place: int, problem: object, number: object, row: int) -> None:
        """Raise if a problem has a sample of this number already, or if this is no number of a sample."""
        if not isinstance(number, (str, int, float)):
            raise InputError(
                "collector.number",
                "The number of a sample must be a number or text; got {value} ({place}).",
                value=quote(number),
                place=self.place(row),
            )
        first = self._numbered.get((place, number))
        if first is not None:
            raise InputError(
                "collector.repeated",
                "Sample {number} of problem {name} is there twice: {first} and {place}. Number them differently, or "
                "remove one.",
                number=quote(number),
                name=quote(problem),
                first=self.place(first),
                place=self.place(row),
            )

    def _agree(
        self, place: int, listed: list[str] | None, label: str | None, meta: Mapping[str, Any] | None, row: int
    ) -> None:
        """Compare what a further sample says about its problem with what earlier ones said."""
        pairs = (("reference", self._references[place], listed), ("group", self._groups[place], label))
        for name, known, value in pairs:
            if known is not None and value is not None and known != value:
                raise InputError(
                    "collector.differs",
                    "All samples of a problem must have the same {name}; {value} differs from {known} ({place}).",
                    name=name,
                    value=quote(_join(value)),
                    known=quote(_join(known)),
                    place=self.place(row),
                )
        if self._references[place] is None:
            self._references[place] = listed
        if self._groups[place] is None:
            self._groups[place] = label
        known_meta = self._meta[place]
        if meta is not None and known_meta is None:
            self._meta[place] = dict(meta)
        elif meta is not None and known_meta != meta:
            self._meta[place] = keep_common(known_meta or {}, meta)

    def _read_name(self, value: object, row: int) -> str:
        text = None if isinstance(value, bool) else self._write(value, row)
        if not text:
            raise find_fault("problem", value, self.place(row))
        return text

    def _read_answer(self, value: object, row: int) -> str | None:
        if value is None:
            return None
        text = self._write(value, row)
        if text is None:
            raise find_fault("answers", value, self.place(row))
        return text

    def _read_grade(self, value: object, row: int) -> float:
        """Return a grade; NaN if there is none."""
        if value is None:
            return nan
        if isinstance(value, (int, float)) and 0 <= value <= 1:
            return float(value)
        if isinstance(value, float) and isnan(value):
            return nan
        raise find_fault("grades", value, self.place(row))

    def _read_score(self, value: object, row: int) -> float:
        """Return a score; NaN if there is none."""
        if value is None:
            return nan
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST:
            return float(value)
        if isinstance(value, float) and isnan(value):
            return nan
        raise find_fault("scores", value, self.place(row))

    def _read_references(self, value: object, row: int) -> list[str] | None:
        if value is NOTHING or value is None:
            return None
        listed = [self._write(each, row) for each in (value if isinstance(value, list) else [value])]
        found = [text for text in listed if text is not None]
        if not found or len(found) < len(listed):
            raise find_fault("references", value, self.place(row))
        return found

    def _read_label(self, value: object, row: int) -> str | None:
        if value is NOTHING or value is None:
            return None
        text = self._write(value, row)
        if text is None:
            raise find_fault("group", value, self.place(row))
        return text or None

    def _write(self, value: object, row: int) -> str | None:
        """Return a string, or a number or truth value as JSON spells it; None for anything else."""
        if type(value) is int:
            value = str(value)
        elif not isinstance(value, str):
            if isinstance(value, float) and isfinite(value) and abs(value) >= _EXACT:
                raise InputError(
                    "collector.long_number",
                    "The number {value} has too many digits to be read exactly ({place}). Write it as text.",
                    value=quote(value),
                    place=self.place(row),
                )
            if not isinstance(value, int) and not (isinstance(value, float) and isfinite(value)):
                return None
            value = json.dumps(value)
        limit = self._reading.limits.max_text
        if exceeds(len(value), limit):
            raise find_long_text(value, limit, self.place(row))
        return value


def keep_common(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that two mappings share.

    Examples:
        >>> keep_common({"level": 1, "seed": 1}, {"level": 1, "seed": 2})
        {'level': 1}
    """
    return {key: value for key, value in one.items() if other.get(key, NOTHING) == value}


def note_choice(option: str, taken: str, found: Iterable[str]) -> Message:
    """Write the note that says what was taken by default out of several.

    Examples:
        >>> print(note_choice("scorer", "match", ["match", "includes"]))
        The scorer is “match”. The file also has “includes”: `scorer="includes"`.
    """
    others = [name for name in found if name != taken]
    return Message(
        "collector.choice",
        "The {what} is {taken}. The file also has {others}: {other}.",
        what=option,
        taken=quote(taken),
        others=quote_all(others),
        other=Mention(**{option: shorten(others[0])}),
    )


def holds_rows(head: Head) -> bool:
    r"""Return whether a file holds JSON lines. A file of one line looks like a document.

    Examples:
        >>> holds_rows(Head(Source("", b'{"id": 1}\n{"id": 2}'))), holds_rows(Head(Source("", b'[{"id": 1}]')))
        (True, False)
    """
    return head.layout == "jsonl" or (head.layout == "json" and not head.source.head.lstrip().startswith(b"["))


def find_step(steps: Iterable[object], pool: Collection[str]) -> dict[str, str]:
    """Return the step of a training run that a file is of, as what must be the same in all files that are merged.

    Args:
        steps: the values of its column `step`.
        pool: columns whose rows are samples of one model after all.

    Raises:
        InputError: if there are several steps, which are different weights.

    Examples:
        >>> find_step([20, 20], [])
        {'training step': '20'}
    """
    found = [] if "step" in pool else list(dict.fromkeys(_spell(step) for step in steps if step is not None))
    if len(found) > 1:
        raise InputError(
            "collector.steps",
            "This file holds several training steps, which are different weights: {steps}. To score one of them, keep "
            "only its rows: {where}.",
            steps=quote_all(found),
            where=Mention(where={"step": found[0]}),
        )
    return {"training step": str(found[0])} if found else {}


def _put(values: Any, value: object, nothing: object, count: int) -> None:
    """Append the value of a sample; `count` samples came before it, of which the last ones may have no value."""
    if len(values) < count:
        _pad(values, nothing, count)
    values.append(value)


def _pad(values: Any, nothing: object, count: int) -> Any:
    values.extend([nothing] * (count - len(values)))
    return values


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
"""`json.dumps` makes an encoder for each call that has options."""


def _write_meta(meta: dict[str, Any] | None) -> str | None:
    return None if meta is None else _encode(meta)


def _join(value: list[str] | str) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _list(value: object) -> Iterable[object]:
    return value if isinstance(value, (list, tuple, set, frozenset)) else [value]


def _spell(value: object) -> str | None:
    """Return a value as text, so that `where` finds 1 with "1"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)

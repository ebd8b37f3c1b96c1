"""The input of a visitor: a pasted text, one file or several, the address of a file on the Hub, or an example.

Pasted texts that are no file (Markdown tables, literals of Python, matrices of verdicts) are recognised by their whole
structure, and rewritten as JSON or CSV for the reader of files, with notes that say what was read as what.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from base64 import b64decode
from binascii import Error as DecodingError
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from at_k.demo.hub import is_address, read_file
from at_k.demo.limits import LIMITS, MOST_FILES
from at_k.demo.words import make_error
from at_k.errors import InputError, Message
from at_k.readers.files.sources import Source, refuse_large
from at_k.readers.format import Format, Reading
from at_k.readers.formats import FORMATS, find_format
from at_k.readers.names import shorten
from at_k.readers.samples import Samples
from at_k.readers.tables.merging import merge
from at_k.readers.tables.readings import offering
from at_k.readers.tables.table import Table
from at_k.readers.words import read_spelled
from at_k.validation import exceeds
from at_k.values import cached_property


@dataclass(frozen=True)
class File:
    """A file, and what can be said about it before it is read.

    Examples:
        >>> file = File("a.jsonl", b'{"task_id": "a", "passed": true}')
        >>> file.format.name, file.columns
        ('plain', ['task_id', 'passed'])
    """

    name: str
    content: bytes
    rewritten: tuple[Message, ...] = ()
    """Note on how a rewritten text was read."""

    @classmethod
    def take(cls, sent: object) -> File:
        """Take a file as the page sends it: `name`, and `text` or `packed`, the bytes in base64; or a text alone."""
        if isinstance(sent, str):
            if is_address(sent):
                return cls(*read_file(sent))
            text, notes = tidy_text(sent)
            return cls("", text.encode("utf-8", "surrogatepass"), notes)
        if not isinstance(sent, Mapping) or not isinstance(sent.get("name", ""), str):
            raise make_error("given.packed")
        name, packed = sent.get("name", "")[-200:], sent.get("packed")
        if isinstance(sent.get("text"), str):
            file = cls.take(sent["text"])
            return file if is_address(sent["text"]) else replace(file, name=name)
        if not isinstance(packed, str):
            raise make_error("given.packed")
        try:
            return cls(name, b64decode(packed.rpartition(",")[2], validate=True))
        except (DecodingError, ValueError):
            raise make_error("given.packed") from None

    @cached_property
    def source(self) -> Source:
        """The unpacked content."""
        return Source("", self.content, LIMITS).unpack()

    @cached_property
    def format(self) -> Format:
        """The format of the results."""
        return find_format(self.source) if self.content.strip() else FORMATS["plain"]

    @cached_property
    def columns(self) -> list[str]:
        """The columns among which a visitor may choose; none for the files of a harness."""
        return list(Table(self.source).columns) if self.format.name == "plain" else []

    def read(self, columns: Mapping[str, str | None], reading: Mapping[str, Any]) -> Samples:
        """Read the samples."""
        samples = self.format.read_file(self.source, Reading(columns, limits=LIMITS, **reading))
        if "group" not in columns and exceeds(len({*(samples.group or ())}), LIMITS.max_groups):
            return self.read({**columns, "group": None}, reading)  # a column of names is no group
        return samples


@dataclass(frozen=True)
class Given:
    r"""All that a visitor gave at once. Several files hold more samples of the same problems, as for `at_k.score`.

    Examples:
        >>> files = [{"name": f"run{run}.csv", "text": f"id,correct\nx,{run}"} for run in (0, 1)]
        >>> Given.take(files).read({}).grades
        [[0.0, 1.0]]
    """

    files: tuple[File, ...]
    copies: tuple[tuple[str, str], ...] = ()
    """Files with the same bytes as an earlier one, each with the name of that one."""

    @classmethod
    def take(cls, sent: object) -> Given:
        """Take a text, a file, or a list of files."""
        listed = sent if isinstance(sent, list) else [sent]
        if len(listed) > MOST_FILES:
            raise make_error("given.too_many_files", count=len(listed), most=MOST_FILES)
        if not listed or sent is None:
            raise make_error("given.nothing")
        files: dict[str, File] = {}
        copies: list[tuple[str, str]] = []
        for file in map(File.take, listed):
            name = f"{file.name} ({len(files) + 1})" if file.name in files else file.name
            original = next(
                (other for other, known in files.items() if known.content == file.content), None
            )
            if original is not None:
                copies.append((name, original))
            files[name] = replace(file, name=name)
        if len(files) > 1:
            refuse_large(sum(len(file.content) for file in files.values()), LIMITS)
        if not any(file.content.strip() for file in files.values()):
            raise make_error("given.nothing")
        return cls(tuple(files.values()), tuple(copies))

    @property
    def name(self) -> str:
        """The name of the file, or of all files."""
        return ", ".join(file.name for file in self.files)

    @property
    def columns(self) -> list[str]:
        """The columns of all files; none where they cannot be read."""
        try:
            return list(dict.fromkeys(column for file in self.files for column in file.columns))
        except InputError:
            return []

    def read(
        self,
        columns: Mapping[str, str | None],
        *,
        concat: bool = False,
        pool: list[str] | None = None,
        **reading: Any,
    ) -> Samples:
        """Read the samples of all files, within the limits of the page."""
        given = {"columns": columns, "concat": concat, "pool": pool, **reading}
        with offering(self._read_tried, given, self._look):
            return self._read(columns, concat=concat, pool=pool, **reading)

    def _read_tried(self, options: dict[str, Any]) -> Samples:
        """Read with the options of a reading that is tried: `pool` may be one name."""
        pool = options.get("pool")
        return self._read(**{**options, "pool": [pool] if isinstance(pool, str) else pool})

    def _look(self, options: Mapping[str, Any]) -> Table | None:
        """Open the first file, where it is a table."""
        file = self.files[0]
        if file.format.name != "plain":
            return None
        return Table(file.source, Reading(rows_at=options.get("rows_at")))

    def _read(
        self,
        columns: Mapping[str, str | None],
        *,
        concat: bool = False,
        pool: list[str] | None = None,
        **reading: Any,
    ) -> Samples:
        reading["pool"] = [column for column in pool or () if column != "file"]
        if len(self.files) == 1:
            samples = self.files[0].read(columns, reading)
        else:
            parts = []
            for file in self.files:
                with _naming(file.name):
                    parts.append(file.read(columns, reading))
            samples = merge(
                parts, [file.name for file in self.files], pool=pool or (), concat=concat
            )
        refuse_much(samples)
        return samples


@contextmanager
def _naming(file: str) -> Iterator[None]:
    try:
        yield
    except InputError as reason:
        raise reason.in_file(file) from None


def refuse_much(samples: Samples) -> None:
    """Raise if samples are more, or longer, than the limits of the page allow."""
    n = [len(row) for row in samples.grades or samples.answers or ()]
    groups, column = len({*(samples.group or ())}), shorten(samples.roles["group"] or "")
    texts = [
        samples.problems,
        *(samples.answers or ()),
        *(samples.references or ()),
        samples.group or (),
    ]
    amounts = {
        "problems": len(n),
        "samples": max(n),
        "all_samples": sum(n),
        "groups": groups,
        "text": max(len(text) for row in texts for text in row if text is not None),
    }
    for name, amount in amounts.items():
        if exceeds(amount, limit := getattr(LIMITS, f"max_{name}")):
            row = samples.rows[n.index(max(n))][0]
            raise make_error(
                f"given.many_{name}", count=amount, limit=limit, row=row, column=column
            )


# The real results that the pages show: name → file.
EXAMPLES = {"qwen25_math": "qwen25_math.jsonl", "taubench_airline": "taubench_airline.jsonl"}


def find_folder() -> Path:
    """Return the folder of the examples."""
    here = Path(__file__).resolve().parent
    for data in (
        here / "data",
        here.parent.parent / "examples" / "data",
    ):  # as installed, and as in a clone
        if all((data / file).is_file() for file in EXAMPLES.values()):
            return data
    raise FileNotFoundError(
        f"the example data are neither in {here / 'data'} nor in a clone's examples/data"
    )


def read_example(name: str) -> str:
    """Read the text of an example.

    Examples:
        >>> read_example("taubench_airline").count("task_id")
        50
    """
    return (find_folder() / EXAMPLES[name]).read_text(encoding="utf-8")


# Texts that are pasted

_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_NUMBERED = re.compile(r"(\D*)(\d+)")
_VERDICTS = re.compile("result|correct|verdict|pass|grade|outcome|bits|结果|判定", re.IGNORECASE)
# Characters up to which a text is looked at: what is longer was written by a program.
_LONGEST = 1_000_000

Rows = list[list[str]]


class Tidied(NamedTuple):
    """A text for the reader of files, and what was read as what, if it was rewritten."""

    text: str
    notes: tuple[Message, ...] = ()


def tidy_text(text: str) -> Tidied:
    r"""Rewrite a text that was pasted; one that needs nothing is returned as it is.

    Examples:
        >>> tidy_text("| task | ok |\n|---|---|\n| a | 1 |").text
        'task,ok\na,1\n'
        >>> text, (note,) = tidy_text("1 0\n1 1")
        >>> text
        '1,0\n1,1\n'
        >>> print(note)
        Read with blanks between the cells of a row.
        >>> tidy_text("[[True, False]]").text, tidy_text("task,s1,s2\na,1,0").text
        ('[[true, false]]', 'task,sample 1,sample 2\na,1,0\n')
    """
    if len(text) > _LONGEST or not text.strip():
        return Tidied(text)
    lines = [line.strip() for line in text.strip().lstrip("\ufeff").splitlines() if line.strip()]
    if text.lstrip()[0] in "[{(":
        return _rewrite_python(text, lines)
    rows, notes = _read_markdown(lines) or _read_matrix(lines) or (_split(lines), [])
    rows, notes = _name_samples(rows, notes) or _split_digits(rows, notes) or (rows, notes)
    if not notes:
        return Tidied(text)
    written = StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return Tidied(written.getvalue(), tuple(notes))


def read_verdict(cell: str) -> int | None:
    """Read a verdict as 1 or 0; None for any other text."""
    value = read_spelled(cell)
    return int(value) if isinstance(value, (bool, float)) and value in (0, 1) else None


def _are_verdicts(cells: Iterable[str]) -> bool:
    return all(read_verdict(cell) is not None for cell in cells)


def _note(name: str, **values: object) -> Message:
    return make_error(f"paste.{name}", **values).message


def _rewrite_python(text: str, lines: Sequence[str]) -> Tidied:
    """Rewrite literals of Python as JSON: the whole text, or each line."""
    for parts in ([text.strip()], lines):
        try:
            json.loads(parts[0])
            return Tidied(text)
        except (ValueError, RecursionError):
            pass
        try:
            values = map(ast.literal_eval, parts)
            rewritten = "\n".join(json.dumps(value, allow_nan=False) for value in values)
            return Tidied(rewritten, (_note("python"),))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
    return Tidied(text)


def _read_markdown(lines: Sequence[str]) -> tuple[Rows, list[Message]] | None:
    """Read a Markdown table; None for any other text."""
    if len(lines) < 3 or not all("|" in line for line in lines[:2]):
        return None
    if not _RULE.fullmatch(lines[1]):
        return None
    rows = []
    for line in (lines[0], *lines[2:]):
        cells = re.split(r"(?<!\\)\|", line.strip("|"))
        rows.append([cell.strip().replace(r"\|", "|") for cell in cells])
    return rows, [_note("markdown", columns=", ".join(rows[0]))]


def _read_matrix(lines: Sequence[str]) -> tuple[Rows, list[Message]] | None:
    """Read verdicts between blanks, with or without a name before them; None for any other text."""
    rows = [line.split() for line in lines]
    count = len(rows[0])
    are_alike = all(len(row) == count and _are_verdicts(row[1:]) for row in rows)
    if count < 2 or not are_alike or re.search("[,;|\t]", "".join(lines)):
        return None
    if count == 2 and not _are_verdicts(row[0] for row in rows):
        return None
    return rows, [_note("blanks")]


def _split(lines: Sequence[str]) -> Rows:
    """Split lines at the sign that gives all of them equally many cells."""
    for sign in "\t,;|":
        rows = [_split_line(line, sign) for line in lines]
        if len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            return rows
    return []


def _split_line(line: str, sign: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(sign)]


def _name_samples(rows: Rows, notes: list[Message]) -> tuple[Rows, list[Message]] | None:
    """Name columns of verdicts with one name and running numbers as samples; None where there are none."""
    head, *body = rows or [[]]
    matches = {i: found for i, name in enumerate(head) if (found := _NUMBERED.fullmatch(name))}
    numbers = [int(found[2]) for found in matches.values()]
    is_counted = len(numbers) > 1 and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    is_one_name = len({found[1] for found in matches.values()}) == 1
    if not (body and is_counted and is_one_name):
        return None
    if not _are_verdicts(row[i] for row in body for i in matches):
        return None
    first, *_, last = (head[i] for i in matches)
    named = [f"sample {matches[i][2]}" if i in matches else name for i, name in enumerate(head)]
    return [named, *body], [*notes, _note("numbered", first=first, last=last)]


def _split_digits(rows: Rows, notes: list[Message]) -> tuple[Rows, list[Message]] | None:
    """Split a column of verdicts whose cells are strings of 0 and 1, all equally long; None without one."""
    head, *body = rows or [[]]
    for i, name in enumerate(head):
        cells = [row[i] for row in body]
        count = len(cells[0]) if cells else 0
        are_digits = all(re.fullmatch("[01]{2,}", cell) for cell in cells)
        if count and are_digits and len({*map(len, cells)}) == 1 and _VERDICTS.search(name):
            named = [f"sample {place + 1}" for place in range(count)]
            split = [[*head[:i], *named, *head[i + 1 :]]]
            split += [[*row[:i], *row[i], *row[i + 1 :]] for row in body]
            return split, [*notes, _note("digits", column=name)]
    return None

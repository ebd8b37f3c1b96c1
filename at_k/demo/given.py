"""The input of a visitor: a pasted text, one file or several, the address of a file on the Hub, or an example."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as DecodingError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from at_k.demo.hub import is_address, read_file
from at_k.demo.limits import LIMITS, MOST_FILES
from at_k.demo.pastes import tidy_text
from at_k.demo.words import make_error
from at_k.errors import InputError, Message
from at_k.readers.format import Format, Reading
from at_k.readers.formats import FORMATS, find_format
from at_k.readers.formats.plain import Table
from at_k.readers.merging import merge
from at_k.readers.names import shorten
from at_k.readers.samples import Samples
from at_k.readers.sources import Source, refuse_large
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
            original = next((other for other, known in files.items() if known.content == file.content), None)
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
        self, columns: Mapping[str, str | None], *, concat: bool = False, pool: list[str] | None = None, **reading: Any
    ) -> Samples:
        """Read the samples of all files, within the limits of the page."""
        reading["pool"] = [column for column in pool or () if column != "file"]
        if len(self.files) == 1:
            samples = self.files[0].read(columns, reading)
        else:
            parts = []
            for file in self.files:
                with _naming(file.name):
                    parts.append(file.read(columns, reading))
            samples = merge(parts, [file.name for file in self.files], pool=pool or (), concat=concat)
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
    texts = [samples.problems, *(samples.answers or ()), *(samples.references or ()), samples.group or ()]
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
            raise make_error(f"given.many_{name}", count=amount, limit=limit, row=row, column=column)


# The real results that the pages show: name → file.
EXAMPLES = {"qwen25_math": "qwen25_math.jsonl", "taubench_airline": "taubench_airline.jsonl"}


def find_folder() -> Path:
    """Return the folder of the examples."""
    here = Path(__file__).resolve().parent
    for data in (here / "data", here.parent.parent / "examples" / "data"):  # as installed, and as in a clone
        if all((data / file).is_file() for file in EXAMPLES.values()):
            return data
    raise FileNotFoundError(f"the example data are neither in {here / 'data'} nor in a clone's examples/data")


def read_example(name: str) -> str:
    """Read the text of an example.

    Examples:
        >>> read_example("taubench_airline").count("task_id")
        50
    """
    return (find_folder() / EXAMPLES[name]).read_text(encoding="utf-8")

"""Folders with a file for each sample, or for each problem: they are read together, as the lines of one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import fspath
from os.path import abspath, commonpath
from pathlib import Path

from at_k.errors import Message
from at_k.readers.format import Format
from at_k.readers.merging import list_names, refuse_other_names
from at_k.readers.samples import Samples
from at_k.readers.sources import Source
from at_k.readers.structure import count_runs, count_samples
from at_k.readers.tables import holds_one_row

_MANY = 64
"""Files of JSON lines from which they are read as one: each alone takes milliseconds."""

Found = tuple[Path, Source, Format]
"""A file, and what was found out about it."""


def bundle(found: Iterable[Found]) -> Iterator[Found]:
    """Put files that hold one sample or problem each into one, with a line for each of them, after the other files."""
    single: dict[str, list[tuple[Found, bytes]]] = {}
    for file, source, each in found:
        lines = _read_lines(source, each)
        if lines is None:
            yield file, source, each
            continue
        single.setdefault(each.name, []).append(((file, source, each), lines))
        source.release()  # the documents of all files together may not fit into memory
    for listed in single.values():
        _, source, each = listed[0][0]
        fewest = 1 if each.in_folders else _MANY if source.layout == "jsonl" else 2
        if len(listed) < fewest:
            yield from (alone for alone, _ in listed)
            continue
        files = [fspath(file) for (file, _, _), lines in listed for _ in range(lines.count(b"\n"))]
        folder = Path(commonpath([file.absolute().parent for (file, _, _), _ in listed]))
        data = b"".join(lines for _, lines in listed)
        yield folder, Source(folder.name, data, source.limits, files=files), each


def _read_lines(source: Source, format: Format) -> bytes | None:
    """Read a file as a line, or as lines; None for one that is to be read by itself."""
    is_document = format.name == "plain" and source.layout == "json"
    if format.in_folders or (is_document and holds_one_row(source.document)):
        with source.open_text() as file:
            # Within JSON a line can end between two tokens alone.
            return file.read().replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
    if format.name != "plain" or source.layout != "jsonl":
        return None
    with source.open_text() as file:
        lines = [line.strip() for line in file.read().split(b"\n")]
    has_lists = any(isinstance(cell, list) for cell in source.first_row.values())
    return None if has_lists else b"".join(line + b"\n" for line in lines if line)


def name_files(samples: Samples, files: Sequence[str], *, pool: Sequence[str]) -> Samples:
    """Name the file of each sample, instead of its line in the bundle."""
    lines = zip(samples.rows, samples.n.tolist(), strict=True)
    file_of = [[row - 1 for row in (own if samples.per_sample else [own[0]] * n)] for own, n in lines]
    different = list(dict.fromkeys(files))
    names = list_names(different)
    if (
        samples.origin.harness == "plain"
        and "file" not in pool
        and "model" not in samples.origin.subject
        and not count_runs(list(map(abspath, different)))
    ):
        for problem, own in zip(samples.problems, file_of, strict=True):
            of_problem = [files[place] for place in dict.fromkeys(own)]
            if not count_samples(list(map(abspath, of_problem)), problem):
                refuse_other_names(of_problem)
    note = Message(
        "note.bundle",
        "Read {count:,} files, from {first} to {last}, as one table. Problems: {problems:,}.",
        count=len(different),
        first=names[0],
        last=names[-1],
        problems=len(samples.problems),
    )
    return replace(
        samples,
        origin=replace(samples.origin, notes=[note, *samples.origin.notes]),
        rows=[[1] * len(own) for own in file_of],
        per_sample=True,
        files=files,
        file_of=file_of,
    )

"""From results files to the standard columns: problem, answers, references, grades, scores, group and meta."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError, Message, Phrases
from at_k.options.registry import PROGRAM_TESTS, READING, complete, takes
from at_k.progress import follow_reading
from at_k.readers.files.paths import Copies, Paths, fetch, is_paths, refuse_text, spell_path
from at_k.readers.samples import COUNT_ROLES, ROLES, SAMPLE_ROLES, Samples
from at_k.validation import UNLIMITED, Limits

if TYPE_CHECKING:
    from datasets import Dataset

    from at_k.readers.files.problems import Problems
    from at_k.readers.files.sources import Source
    from at_k.readers.format import Format, Reading
    from at_k.readers.tables.table import Table
    from at_k.signatures import ReadOptions, Unpack

_say = Phrases(
    {
        "readers.errors": '{option:errors} must be "raise" or "skip"; got {value}',
        "readers.nothing": "None of these files can be read: {count:,} were tried.",
        "readers.summary": "No column or field of it holds samples, as those of other files do.",
        "note.broken_files": "Files that could not be read and were left out: {count:,} of {total:,}, such as {file} "
        "(“{reason}”).",
        "note.copy": "The same samples were counted twice: {file} is a copy of {original}. If that is not what you "
        "want, leave one of them out.",
        "note.doubled": "The second half of {file} is its first half once more. If the file was appended to itself, n "
        "is twice as large as it should be: remove one half.",
    }
)

# Bytes that are compared at a time.
_CHUNK = 2**20

# The layouts of what may be no table at all.
_TEXTS = ("jsonl", "json", "csv")

__all__ = ["COUNT_ROLES", "ROLES", "Samples", "is_paths", "read_results", "read_samples"]


@takes(READING)
def read_results(
    path: Paths, *, limits: Limits = UNLIMITED, **given: Unpack[ReadOptions]
) -> Dataset:
    r"""Read results files into a data set with one row per problem.

    A file may be of any harness that `at-k formats` lists, or a table in JSON, JSONL, CSV, TSV, Parquet or Arrow with
    one row per problem and lists of samples, or with one row per sample. It may be compressed with gzip, bzip2 or
    Zstandard. docs/formats.md shows the other shapes that are read.

    Args:
        path: a file, several, a folder, or a glob such as "runs/*.jsonl". Several files hold more samples of the same
            problems, or problems of which none is in two files.
        limits: the most bytes of a file, and rows of a table, that are accepted; without limit if not given.
        given: see below.

    Returns:
        A data set with the columns `problem` (a string), `answers` (a list of strings; null where a sample has none),
        `references` (a list of strings, each of them correct), `grades` (a list of numbers from 0 to 1; null where a
        sample has none), `scores` (a list of numbers), `group` (a string) and `meta` (a string: a JSON object with what
        else the file says about the problem). A column that the file does not have is null. The description says what
        was taken from where.

    Raises:
        InputError: if a file cannot be used. The sentence names the file, and the line or row and the column at fault.
        OSError: if a file cannot be opened.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "results.csv"
        ...     _ = path.write_text("task_id,passed,seed\na,True,0\na,False,1\nb,True,0\nb,True,1\n")
        ...     data = read_results(path)
        >>> data["problem"][:], data["grades"][:]
        (['a', 'b'], [[1.0, 0.0], [1.0, 1.0]])
        >>> data.info.description
        'Read from results.csv: problem from column “task_id”, grades from column “passed”.'
    """
    from at_k.readers.samples import make_dataset

    samples = read_samples(path, **complete(given, read_results), limits=limits)
    return make_dataset(samples, path)


def read_samples(path: Paths, **options: Any) -> Samples:
    """Read results files as `read_results` does, without the library `datasets`."""
    # The arguments and errors are those of `read_results`. With `meta=True`, a plain table's other columns are read
    # too.
    from at_k.readers.tables.readings import offering

    refuse_text(path)
    path, copies = fetch(path)
    try:
        path, members = _unpack(path, options.get("format"), options.get("limits", UNLIMITED))
    except InputError as error:
        raise error.in_file(str(path)) from None
    # Readings may be tried later: they hold the copies of what is in a store, or in an archive.
    read = partial(_read_held, path, (copies, members))
    with offering(read, options, partial(_look_at, path)):
        return _read_files(path, **options)


def _unpack(path: Paths, format: str | None, limits: Limits) -> tuple[Paths, Copies | None]:
    """Return the folder of the files in a zip or tar file that is no harness's own, and what holds it."""
    from at_k.readers.files.archives import list_results, names_tar
    from at_k.readers.files.sources import Source
    from at_k.readers.formats import find_format

    if not isinstance(path, (str, PathLike)) or not Path(path).is_file():
        return path, None
    file = Path(path)
    if not names_tar(file):
        source = Source(file.name, file, limits)
        if source.layout != "zip" or find_format(source, format).name != "plain":
            return path, None
    copies = Copies()
    folder = copies.folder / file.name
    for name, content in list_results(file, limits):
        target = folder.joinpath(*(part for part in name.parts if part not in ("/", "..")))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    if folder.exists():
        copies.name(folder, spell_path(file))
        return (folder, copies)
    return (path, None)


def _read_held(path: Paths, copies: object, options: Mapping[str, Any]) -> Samples:
    """Read files as long as copies of them are held."""
    return _read_files(path, **options)


def _look_at(path: Paths, options: Mapping[str, Any]) -> Table | None:
    """Open the first file, where it is a table."""
    from at_k.readers.files.paths import find_files
    from at_k.readers.files.sources import Source
    from at_k.readers.format import Reading
    from at_k.readers.formats import find_format
    from at_k.readers.tables.table import Table

    file = find_files(path)[0][0]
    source = Source(file.name, open_content(file))
    if find_format(source, options.get("format")).name != "plain":
        return None
    return Table(source, Reading(rows_at=options.get("rows_at")))


def _read_files(
    path: Paths,
    *,
    format: str | None = None,
    pool: str | Sequence[str] = (),
    concat: bool = False,
    exclude: str | PathLike[str] | Mapping[str, str | None] | Sequence[str] | None = None,
    errors: str = "raise",
    limits: Limits = UNLIMITED,
    **options: Any,
) -> Samples:
    """Read results files; what they do not say is an error, which is not tried to settle."""
    from at_k.readers.files.paths import find_files, is_named_as_results
    from at_k.readers.files.problems import Problems
    from at_k.readers.format import Reading
    from at_k.readers.tables.choosing import leave_out
    from at_k.readers.tables.collector import refuse_empty
    from at_k.readers.tables.merging import bundle, choose_files, merge, name_files

    if errors not in ("raise", "skip"):
        raise _say.error("readers.errors", value=repr(errors))
    options["columns"] = options.get("columns") or {}
    problems = options.get("tests")
    if problems in (None, *PROGRAM_TESTS):
        problems = None
    else:
        options["tests"], problems = None, Problems(Path(problems), limits)
    reading = Reading(pool=pool, errors=errors, limits=limits, **options)
    files, named = find_files(path)
    files, reading = choose_files(files, reading)
    broken: dict[Path, InputError] = {}
    chosen = _find_formats(files, format, reading, problems, broken=None if named else broken)
    parts: dict[Path, Samples] = {}
    with follow_reading(sum(file.stat().st_size for file in files)) as reach:
        before = 0
        for file, source, kind in bundle(chosen) if len(files) > 1 and not concat else chosen:
            source.reach, source.is_alone = partial(reach, before), len(files) == 1
            try:
                kind.refuse_options(reading)
                samples = kind.read_file(source, reading)
                parts[file] = (
                    name_files(samples, source.files, pool=reading.pool)
                    if source.files
                    else samples
                )
            except InputError as error:
                raise (error if source.files else error.in_file(spell_path(file))) from None
            source.release()
            source.reach(source.size)
            before += source.size
    if not parts:
        raise _say.error("readers.nothing", count=len(files))
    merged = merge(
        list(parts.values()), list(map(spell_path, parts)), pool=reading.pool, concat=concat
    )
    if not {*SAMPLE_ROLES} & {*merged.table.column_names}:
        raise refuse_empty()
    if exclude is not None:
        merged = leave_out(merged, exclude)
    used = [file for file in files if file in parts]
    notes = [*merged.origin.notes, *_note_copies(used)]
    if problems is not None:
        notes += problems.list_notes()
    if merged.origin.harness != "plain":  # a table may have equal rows
        notes += [_say("note.doubled", file=spell_path(file)) for file in used if _is_doubled(file)]
    odd = next(filter(is_named_as_results, broken), None)
    if odd is not None:
        count, reason = sum(map(is_named_as_results, broken)), broken[odd].message
        notes.append(
            _say(
                "note.broken_files",
                count=count,
                total=len(files),
                file=spell_path(odd),
                reason=reason,
            )
        )
    return replace(merged, origin=replace(merged.origin, notes=notes))


def _note_copies(files: Sequence[Path]) -> list[Message]:
    """Note the first file that is, byte by byte, a copy of another one."""
    originals: dict[int, Path] = {}
    for file in files if len(files) > 1 else ():
        original = file
        if file.is_file():
            original = originals.setdefault(file.stat().st_size, file)
        if original is not file and cmp(original, file, shallow=False):
            return [_say("note.copy", file=spell_path(file), original=spell_path(original))]
    return []


def _is_doubled(file: Path) -> bool:
    """Return whether the second half of a file, of several lines, is its first half once more, byte by byte."""
    half, odd = divmod(file.stat().st_size, 2)
    if odd or not half or not file.is_file():
        return False
    lines = 0
    with file.open("rb") as first, file.open("rb") as second:
        second.seek(half)
        while chunk := first.read(min(_CHUNK, half - first.tell())):
            if second.read(len(chunk)) != chunk:
                return False
            lines += chunk.count(b"\n")
    return lines > 1  # two equal lines may be two samples


def open_content(file: Path) -> Path | bytes:
    """Return the path of a file or folder, or the bytes of a pipe, as in `at-k score <(zcat results.gz)`."""
    if file.is_file() or file.is_dir():
        return file
    return _read_pipe(file, file.stat().st_ino)


@lru_cache(maxsize=1)
def _read_pipe(file: Path, number: int) -> bytes:
    """Read a pipe once, by its number: readings are tried on the same bytes."""
    return file.read_bytes()


def _find_formats(
    files: Sequence[Path],
    format: str | None,
    reading: Reading,
    problems: Problems | None,
    *,
    broken: dict[Path, InputError] | None,
) -> Iterator[tuple[Path, Source, Format]]:
    """Yield each file with its format; of a folder, where `broken` takes what cannot be read, the best files alone."""
    from at_k.readers.files.paths import is_named_as_results
    from at_k.readers.files.sources import Source
    from at_k.readers.formats import find_format

    listed, beside = list[tuple[Path, Source, "Format"]](), list[tuple[Path, Source, "Format"]]()
    for file in files:
        try:
            source = Source(file.name, open_content(file), reading.limits)
            if problems is not None:
                source = problems.join(source)
            kind = find_format(source, format)
            if broken is None:
                yield file, source, kind
            elif len(files) == 1 or _holds_samples(file, source, kind, reading):
                listed.append((file, source, kind))
            elif format is not None or is_named_as_results(file):
                beside.append((file, source, kind))
        except InputError as error:  # noqa: PERF203 - opening a file takes much longer
            if broken is None:
                raise error.in_file(spell_path(file)) from None
            broken[file] = error
        else:
            if broken is not None:
                source.release()  # the documents of all files together may not fit into memory
    if broken is not None and listed:
        broken |= {file: _say.error("readers.summary") for file, _, _ in beside}
    listed = listed or beside
    best = min((kind.rank for _, _, kind in listed if format is None), default=None)
    yield from (entry for entry in listed if best in (None, entry[2].rank))


def _holds_samples(file: Path, source: Source, format: Format, reading: Reading) -> bool:
    """Return whether a file of a folder has samples: a README, a log or the accuracy beside them has none."""
    from at_k.readers.files.documents import holds_one_row, open_rows
    from at_k.readers.files.paths import is_named_as_results
    from at_k.readers.names import PROBLEM, ROLE, find_named, has_role
    from at_k.readers.numbering import is_summary
    from at_k.readers.words import read_spelled

    if format.name != "plain" or source.layout not in _TEXTS:
        return True
    is_named, is_document = is_named_as_results(file), source.layout == "json"
    if is_document and is_named and not holds_one_row(source.document):
        return True
    columns = [str(name) for name in dict(reading.columns).values()]
    named = {*columns, *(name.partition(".")[0] for name in columns)}
    try:
        head = open_rows(source, "skip").peek()
    except InputError:
        return is_named
    if not is_named and named.isdisjoint(head.names) and not any(map(has_role, head.names)):
        return False
    cells: dict[str, list[Any]] = {}
    for name in head.names:
        cells[name] = [read_spelled(cell) for cell in head[name] if cell is not None]
    # Of numbers, an accuracy may be called `acc`, or a count `correct`.
    judged = [
        cell
        for name in find_named(head.names, (*ROLE["grades"], *ROLE["answers"]))
        for cell in cells[name]
    ]
    is_sample = any(isinstance(cell, str) or cell in (0, 1) for cell in judged)
    is_sample = is_sample or any(
        isinstance(cell, (list, dict)) for column in cells.values() for cell in column
    )
    if (
        is_sample
        or find_named(head.names, (*PROBLEM, *ROLE["references"]))
        or not named.isdisjoint(head.names)
    ):
        return True
    return not (is_document and is_named) and not any(
        is_summary(name) or (column and all(map(is_summary, column)))
        for name, column in cells.items()
    )

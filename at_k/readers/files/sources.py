"""Open a results file by what it holds, not by its name: compressed or not, zip, Parquet, Arrow, or text in any UTF."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain
from lzma import LZMAError, LZMAFile
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from at_k.errors import InputError, Phrases
from at_k.readers.files.decoding import PYTHON, decode, decode_document, decode_text
from at_k.readers.files.paths import list_shards
from at_k.validation import UNLIMITED, Limits, exceeds
from at_k.values import cached_property

# The first bytes of files that are no text; those of Arrow are of its two layouts, a file and a stream.
_KINDS = {
    **dict.fromkeys((b"PK\x03\x04", b"PK\x05\x06"), "zip"),
    b"PAR1": "parquet",
    **dict.fromkeys((b"ARROW1", b"\xff\xff\xff\xff"), "arrow"),
}

_PYTHON = PYTHON + ' -c "import {}" > NEW'
_PANDAS = _PYTHON.format("pandas; print({}.to_csv(index=False))")

# Layouts that are not read → how a file, its name or a member in it begins, and what converts the file.
_FOREIGN = {
    # Each part begins with what the part before it cannot hold: hostile lines cost no more than others.
    "Markdown": (
        rb"(?:[ \t\r]*\n|#[^\n]*\n)*[^\n|]*\|[^\n]*\n[ \t|:]*-(?:[ \t|:]+-)*-[ \t|:-]*\r?\n",
        "sed -nE '/^[ |:-]*$/d; /[|]/ {s/^ *[|] *| *[|] *$//g; s/ *[|] */,/g; p}' FILE > NEW",
    ),
    "SQLite": (
        rb"SQLite format 3",
        _PYTHON.format(
            "pandas, sqlite3; base = sqlite3.connect('FILE'); table = base.execute('select name from sqlite_master')"
            ".fetchone()[0]; print(pandas.read_sql(f'select * from {table}', base).to_csv(index=False))"
        ),
    ),
    "NumPy": (
        rb"\x93NUMPY",
        _PYTHON.format("json, numpy; print(json.dumps(numpy.load('FILE').tolist()))"),
    ),
    "pickle": (rb"\x80[\2-\5]", _PANDAS.format("pandas.DataFrame(pandas.read_pickle('FILE'))")),
    "Excel": (rb"\xd0\xcf\x11\xe0|xl/workbook", _PANDAS.format("pandas.read_excel('FILE')")),
    "HTML": (rb"\s*<(?:table|html|!doctype)\b", _PANDAS.format("pandas.read_html('FILE')[0]")),
    "JUnit": (
        rb"\s*(?:<\?xml[^>]*>\s*)?<testsuites?\b",
        _PYTHON.format(
            "json, xml.etree.ElementTree as tree; [print(json.dumps({**case.attrib, 'passed': None if 'skipped' in "
            "tags else tags.isdisjoint(['failure', 'error'])})) for case in tree.parse('FILE').iter('testcase') for "
            "tags in [{each.tag for each in case}]]"
        ),
    ),
    "XML": (rb"\s*<\?xml", _PANDAS.format("pandas.read_xml('FILE', parser='etree')")),
    "YAML": (
        rb"%YAML|---\s*\n|[^\n]*\.ya?ml\Z",
        _PYTHON.format("json, yaml; print(json.dumps(yaml.safe_load(open('FILE'))))"),
    ),
}

# The name of a table that the user has in memory.
IN_MEMORY = "the data"

# Bytes that are read at a time. Memory grows with a block and the columns kept, not with the file.
_BLOCK = 4 << 20

# Bytes by which it is recognised what a file is.
_HEAD = 1 << 16

# Bytes of the first line that are looked at.
_LONGEST_HEADER = 1 << 20

# A compressed file may grow by this factor, and to this many bytes in any case: a member of an archive, or a stream.
# Results files grow tenfold.
_MOST_GROWTH, _FREE, _FREE_STREAM = 300, 64 << 20, 16 << 20


_say = Phrases(
    {
        "sources.foreign": "Files of {kind} are not read. If you trust this one, convert the results in it: `{way}`.",
        "tables.too_large": "These results have {size:,} bytes; the limit is {limit:,}. Leave out columns that are not "
        "needed, such as whole completions beside verdicts.",
        "tables.rows": "There are too many rows; the limit is {limit:,}. Score them on your own machine with "
        "`at-k score`.",
        "sources.bomb": "These {packed:,} compressed bytes grow to more than {size:,} bytes, which is not what results "
        "do. If it is right all the same, decompress it first.",
        "sources.binary": "This is not a text file, nor gzip, bzip2, xz, Zstandard, zip, Parquet or Arrow. Give the "
        "file that the harness wrote.",
        "sources.broken": "This compressed file is cut off or damaged ({reason}). Copy it again, or write it again.",
    }
)

# A source of bytes; fewer than were asked for come at the end alone.
Stream = IO[bytes]


class TooLargeError(InputError):
    """A file that is larger, or grows to be larger, than is accepted."""


class LineBlock(NamedTuple):
    """Whole lines of a text file, and the number of the first of them, counted from 1."""

    first: int
    data: bytes

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, each with its number."""
        for number, line in enumerate(self.data.split(b"\n"), self.first):
            if line.strip():
                yield number, line


class Source:
    r"""A results file, on disk or in memory.

    Args:
        name: what messages call the file.
        content: its path, or its bytes.
        limits: the most bytes and rows that are accepted.
        files: the file of each line, if each line is a file.

    Raises:
        OSError: if the file cannot be opened.
        InputError: if it is larger than the limits allow.

    Examples:
        >>> source = Source("results.jsonl", b'{"id": 1}\n\n{"id": 2}')
        >>> source.layout, list(source.rows())
        ('jsonl', [(1, {'id': 1}), (3, {'id': 2})])
    """

    def __init__(
        self,
        name: str,
        content: Path | bytes,
        limits: Limits = UNLIMITED,
        *,
        files: Sequence[str] = (),
    ) -> None:
        self.name, self.content, self.limits, self.files = name, content, limits, files
        if isinstance(content, Path) and content.is_dir():
            in_folder = list_shards(content)
        else:
            in_folder = []
        self.parts = [Source(file.name, file, limits) for file in in_folder]
        if isinstance(content, bytes):
            size = len(content)
        else:
            size = content.stat().st_size
        self.size: int = sum(part.size for part in self.parts) or size
        refuse_large(self.size, limits)
        self.is_alone = True  # no other files are read with it
        self.reach: Callable[[int], None] = lambda place: (
            None
        )  # is told how many bytes of the file were read

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders that the file is in, the nearest first; () for a file in memory."""
        if isinstance(self.content, bytes):
            return ()
        return tuple(path.name for path in self.content.absolute().parents)

    @cached_property
    def layout(self) -> str:
        """The layout of the unpacked file: "jsonl", "json", "csv", "parquet", "arrow" or "zip"."""
        # JSON lines begin with a brace on each line. In a JSON document, a second line that begins with one follows a
        # colon, a comma or an opening bracket. So lines are told from a document without decoding them.
        if self.files:
            return "jsonl"
        if self.parts:
            return self.parts[0].layout
        kind = next((kind for mark, kind in _KINDS.items() if self._start.startswith(mark)), None)
        if kind is not None:
            return kind
        if not self.first_line.lstrip().startswith((b"{", b"[")):
            return "csv"
        with self.open_text() as file:
            lines = filter(None, map(bytes.strip, file))
            first, second = next(lines), next(lines, b"")
        is_whole = first.startswith(b"{") and not first.endswith((b":", b",", b"[", b"{"))
        return "jsonl" if is_whole and second.startswith(b"{") else "json"

    @cached_property
    def _start(self) -> bytes:
        """The first bytes of the file, unpacked."""
        with self.open() as file:
            return file.read(_HEAD)

    @cached_property
    def first_line(self) -> bytes:
        """The first line of a text that is not blank, without its end; at most a megabyte of it."""
        # It may begin with a tab: pandas writes one between the index, which has no name, and the only column.
        with self.open_text() as file:
            while line := file.readline(_LONGEST_HEADER):
                if line.strip():
                    return line.rstrip(b"\r\n")
        return b""

    @property
    def first_row(self) -> dict[str, Any]:
        """The first row of JSON lines, or a document or its first entry, where that is an object; else {}."""
        row: Any = None
        if self.layout == "jsonl":
            row = next((value for _, value in self.rows()), None)
        elif self.layout == "json":
            row = self.document
            if isinstance(row, list):
                if row:
                    row = row[0]
                else:
                    row = None
        return row if isinstance(row, dict) else {}

    def open_packed(self) -> IO[bytes]:
        """Open the file as it is, for libraries that decompress by themselves."""
        if isinstance(self.content, bytes):
            return io.BytesIO(self.content)
        return self.content.open("rb", _HEAD)  # long lines take a third of the time

    def open(self) -> Stream:
        """Open the file for reading, decompressed; a file that grows too much is refused while it is read."""
        self._packed = file = self.open_packed()
        start = file.read(8)
        file.seek(0)
        packing = next(
            (packing for mark, packing in _PACKINGS.items() if start.startswith(mark)), None
        )
        if packing is None:
            return file
        return io.BufferedReader(_Unpacked(packing, file, self), _HEAD)

    def unpack(self) -> Source:
        """Decompress the file in memory, as a file of its own. Return it as it is if it is not compressed."""
        # It is opened several times while it is read.
        marks = tuple(_PACKINGS)
        with self.open_packed() as file:
            if not file.read(8).startswith(marks):
                return self
        with self.open() as file:
            data = file.read()
        if data.startswith(marks):
            refuse_binary(b"\0")
        return Source(self.name, data, self.limits)

    def open_text(self) -> Stream:
        """Open a text file; what is read is UTF-8 without a byte order mark."""
        refuse_binary(self._start)
        file = self.open()
        if self._start.startswith(codecs.BOM_UTF8):
            file.read(len(codecs.BOM_UTF8))
        return file

    def blocks(self, size: int = _BLOCK) -> Generator[LineBlock, None, None]:
        """Yield the lines of a text file in blocks of about `size` bytes, or of one longer line."""
        first, rest = 1, b""
        with self.open_text() as file:
            while piece := file.read(size):
                self.reach(self._packed.tell())
                refuse_binary(piece)
                end = piece.rfind(b"\n")
                if end < 0:
                    rest += piece
                    continue
                data = b"".join((rest, memoryview(piece)[:end]))
                rest = piece[end + 1 :]
                yield LineBlock(first, data)
                first += data.count(b"\n") + 1
        if rest:
            yield LineBlock(first, rest)

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Yield the values of a file of JSON lines, each with the number of its line."""
        for block in self.blocks():
            for number, line in block.lines():
                yield number, decode(line, number)

    def refuse_encoding(self) -> NoReturn:
        """Raise, and name the first line that is not UTF-8."""
        with closing(self.blocks()) as blocks:
            for number, line in chain.from_iterable(block.lines() for block in blocks):
                decode_text(line, number)
        raise AssertionError("every line is in UTF-8")

    @cached_property
    def document(self) -> Any:
        """The value of a file that is one JSON document."""
        with self.open_text() as file:
            return decode_document(file.read())

    def release(self) -> None:
        """Forget what was read, above all the document, which takes several times the memory of the file."""
        for name in ("document", "first_line", "_start"):
            self.__dict__.pop(name, None)


def refuse_large(size: int, limits: Limits) -> None:
    """Raise if a file has too many bytes."""
    if exceeds(size, limits.max_bytes):
        raise _say.error("tables.too_large", TooLargeError, size=size, limit=limits.max_bytes)


def refuse_many_rows(count: int, limits: Limits) -> None:
    """Raise if a file has too many rows."""
    if exceeds(count, limits.max_rows):
        raise _say.error("tables.rows", limit=limits.max_rows)


def refuse_growth(size: int, packed: int, limits: Limits, *, free: int = _FREE) -> None:
    """Raise if what was unpacked is too large, or too much larger than the packed file to be results."""
    refuse_large(size, limits)
    if size > max(free, _MOST_GROWTH * packed):
        raise _say.error("sources.bomb", TooLargeError, packed=packed, size=size)


def refuse_foreign(start: bytes) -> None:
    """Raise if a file begins as one that is not read, and say how it is converted."""
    for kind, (mark, way) in _FOREIGN.items():
        if re.match(mark, start, re.IGNORECASE):
            raise _say.error("sources.foreign", kind=kind, way=way)


def refuse_binary(data: bytes) -> None:
    """Raise if these bytes are not text."""
    if b"\0" in data:
        refuse_foreign(data)
        raise _say.error("sources.binary")


# The first bytes of a compressed file → its packing, as Arrow names it, which notices a file that is cut off. It takes
# .02 s for 240,000 empty members of gzip; Python's own module .9, and 3.6 from 3.12 on. Zeros behind them are refused.
_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ": "xz",
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),  # of PowerShell
}


def _open_packing(packing: str, file: IO[bytes]) -> Any:
    """Open a stream of what is packed; UTF-16 is read at once, and becomes UTF-8."""
    if packing == "utf-16":
        try:
            return io.BytesIO(file.read().decode(packing).encode())
        except UnicodeDecodeError as reason:
            file.close()
            raise _say.error("sources.broken", reason=str(reason)) from None
    if packing == "xz":
        return LZMAFile(file)
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, "r"), packing)


class _Unpacked(io.RawIOBase):
    """A decompressed stream whose growth is limited."""

    def __init__(self, packing: str, file: IO[bytes], source: Source) -> None:
        self._stream = _open_packing(packing, file)
        self._file, self._source, self._read = file, source, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._stream.read(len(buffer))
        except (OSError, ValueError, EOFError, LZMAError) as reason:
            raise _say.error("sources.broken", reason=str(reason)) from None
        self._read += len(piece)
        # Compared with what was read so far, so that a large bomb is refused as soon as a small one.
        refuse_growth(self._read, self._file.tell(), self._source.limits, free=_FREE_STREAM)
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()

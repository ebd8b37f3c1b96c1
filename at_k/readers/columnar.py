"""Tables that are too large to be held row by row: the columns that are needed, in Arrow where they are of one type."""

from __future__ import annotations

import io
import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from at_k.arrow import to_numpy
from at_k.errors import InputError, Message
from at_k.readers.arrays import make_numbers, make_texts
from at_k.readers.coding import Coded, encode, find_firsts, is_arrow
from at_k.readers.decoding import decode_text
from at_k.readers.pieces import parse_pieces
from at_k.readers.sources import Block, Source
from at_k.readers.tables import (
    Listed,
    Row,
    Table,
    decode_row,
    find_delimiter,
    make_rows,
    read_column,
    read_header,
    read_records,
    refuse_empty,
    refuse_many_rows,
    tabulate,
)

if TYPE_CHECKING:
    import pyarrow as pa

LOOKED_AT = 1000
"""Rows from which it is guessed what a column holds."""

_DEEPEST = 500
"""Brackets in a line up to which Arrow parses it: it crashes on JSON that is nested 100,000 deep."""

_EXACT = 2**53
"""The fast decoder makes a float of an integer of more than 64 bits. Floats from here on are decoded again."""

Column = Any
"""The cells of a column: a `pyarrow.ChunkedArray`, or a list where they are of several types."""


class ColumnTable:
    """A table whose columns are read from the file when they are asked for.

    Args:
        head: its first rows.
        load: reads columns.
        taken: the positions of the rows that are left, if some were left out.

    Attributes:
        columns: the names of the columns in the first rows.
    """

    def __init__(self, head: Table, load: Loader, taken: Any = None) -> None:
        self.head, self.layout, self.columns = head, head.layout, list(head.columns)
        self._load, self._taken = load, taken
        self._held: dict[str, Column] = {}
        self._coded: dict[str, Coded] = {}
        self._spells = False

    def __len__(self) -> int:
        return len(self.row_numbers())

    def read(self, names: Sequence[str], numeric: Set[str] = frozenset()) -> None:
        """Read several columns at once.

        Args:
            names: those that will be needed.
            numeric: those whose numbers matter, and not how they are spelled.
        """
        missing = [name for name in dict.fromkeys(names) if name not in self._held]
        if missing or not self._load.done:
            loaded = self._load(missing, numeric)
            self._held |= {name: _take(loaded[name], self._taken) for name in missing}
            self._agree(missing)

    def column(self, name: str) -> Column:
        """Return the cells of a column; None where a row has none."""
        self.read([name])
        return self._held[name]

    def coded(self, name: str) -> Coded:
        """Return the cells of a column as codes."""
        if name not in self._coded:
            self._coded[name] = encode(self.column(name))
        return self._coded[name]

    def add(self, name: str, cells: Sequence[object]) -> ColumnTable:
        """Return the table with a further column."""
        added = ColumnTable(self.head.add(name, cells[: len(self.head)]), self._load, self._taken)
        added._held = self._held | {name: list(cells)}
        added._spells = self._spells
        return added

    def row_numbers(self) -> Any:
        """Return the number of each row in the file, as an array."""
        self.read([])
        numbers = self._load.numbers
        return numbers if self._taken is None else numbers[self._taken]

    def seek(self, names: Sequence[str]) -> None:
        """Search the file for columns that the first rows do not have."""
        unknown = [name for name in dict.fromkeys(names) if name not in self.columns]
        if unknown:
            self._load.seek(unknown)
            self.learn()

    def watch(self, types: Mapping[str, str]) -> None:
        """Look out for columns that the first rows may not have, while others are read.

        Args:
            types: column → the Arrow type that its cells are likely to have.
        """
        self._load.watched = types

    def learn(self) -> bool:
        """Add columns that came to light while the file was read. Return whether there were any."""
        rows, self._load.late = self._load.late, []
        if not rows:
            return False
        columns = dict.fromkeys(chain(self.columns, chain.from_iterable(rows)))
        self.head = self._load.head = Table([*self.head.rows, *rows], list(columns), self.layout)
        self.columns = list(columns)
        return True

    @property
    def skipped(self) -> dict[Message, int]:
        """Cause → how many rows were left out while columns were read."""
        return dict(self._load.skipped.values())

    def take(self, positions: Sequence[int]) -> ColumnTable:
        """Return the rows at these positions, counted from 0, with their numbers in the file."""
        where = np.asarray(positions, dtype=np.int64)
        taken = ColumnTable(self.head, self._load, where if self._taken is None else self._taken[where])
        taken._held = {name: _take(column, where) for name, column in self._held.items()}
        taken._spells = self._spells
        return taken

    def spell_lists(self) -> ColumnTable:
        """Return the table with the text of each cell of CSV in place of the list that was read from it."""
        spelled = ColumnTable(self.head.spell_lists(), self._load, self._taken)
        spelled._spells = True
        spelled._held = {name: _spell(column) for name, column in self._held.items()}
        return spelled

    def _agree(self, names: Sequence[str]) -> None:
        """Let the first rows and whole columns of CSV agree on whether the cells are lists or texts."""
        if self.layout not in ("csv", "tsv"):
            return
        if self._spells:
            self._held |= {name: _spell(self._held[name]) for name in names}
        texts = {name for name in names if is_arrow(self._held[name])}
        rows = [
            {name: cell.text if name in texts and isinstance(cell, Listed) else cell for name, cell in row.items()}
            for row in self.head.rows
        ]
        self.head = Table(rows, self.head.columns, self.layout)


def _spell(column: Column) -> Column:
    """Return a column with texts in place of lists that stood in cells of CSV."""
    if is_arrow(column):
        return column
    return [cell.text if isinstance(cell, Listed) else cell for cell in column]


def _take(column: Column, positions: Any) -> Column:
    if positions is None:
        return column
    if isinstance(column, list):
        return [column[place] for place in positions.tolist()]
    return column.take(make_numbers(positions))


class Loader:
    """Reads columns of a file.

    Args:
        head: its first rows, from which the type of each column is guessed.

    Attributes:
        late: rows that have columns which the head does not have.
        numbers: the number of each row in the file, after columns were read.
        skipped: cause → how many rows were left out.
        done: whether columns were read.
        watched: column → Arrow type. A row that has one of these columns is kept in `late`, if the head has none.
    """

    def __init__(self, head: Table | None = None) -> None:
        self.head = head
        self.late: list[Row] = []
        self.numbers: Any = np.arange(0)
        self.skipped: dict[str, tuple[Message, int]] = {}
        self.done = False
        self.watched: Mapping[str, str] = {}

    def __call__(self, names: Sequence[str], numeric: Set[str]) -> dict[str, Column]:
        """Read the columns of these names."""
        raise NotImplementedError

    def seek(self, names: Sequence[str]) -> None:
        """Look for rows that have these columns. In most files, the first rows have all columns."""


class LineLoader(Loader):
    """Reads columns of JSON lines, block by block.

    Args:
        source: the file.
        head: its first rows.
        skip: whether to leave out lines that are broken.
    """

    head: Table

    def __init__(self, source: Source, head: Table, *, skip: bool = False) -> None:
        super().__init__(head)
        self._source, self._skip = source, skip
        self._broken: set[int] | None = None
        """Lines to leave out, judged once: what is read later must be of the same rows."""

    def __call__(self, names: Sequence[str], numeric: Set[str]) -> dict[str, Column]:
        """Read the columns of these names."""
        types = {name: _guess_type(self.head.column(name), name in numeric) for name in names}
        chunks: dict[str, list[Any]] = {name: [] for name in names}
        numbers: list[Any] = []
        broken: set[int] = set()
        count = 0
        for block in self._source.blocks():
            self._note_late(block.data[block.data.rstrip().rfind(b"\n") + 1 :])
            found = None if self._skip else self._parse(block, types)
            if found is None:
                rows = list(self._decode_rows(block, count, names, broken))
                count += sum(1 for _ in block.lines())
                numbers.append(np.array([number for number, _ in rows], dtype=np.int64))
                for name in names:
                    chunks[name].append(_convert([row.get(name) for _, row in rows], types[name]))
            else:
                for name in names:
                    chunks[name].extend(found[name].chunks)
                numbers.append(np.arange(count + 1, count + len(found) + 1))
                count += len(found)
            refuse_many_rows(count, self._source.limits)
        if self._broken is None:
            self._broken = broken
        self.numbers = np.concatenate(numbers) if self._broken else np.arange(1, count + 1)
        self.done = True
        return {name: _join(chunks[name]) for name in names}

    def seek(self, names: Sequence[str]) -> None:
        """Look for rows that have these columns."""
        wanted = {name: {json.dumps(name, ensure_ascii=plain).encode() for plain in (True, False)} for name in names}
        for block in self._source.blocks():
            for name, spellings in list(wanted.items()):
                if any(spelling in block.data for spelling in spellings):
                    lines = (line for _, line in block.lines() if any(spelling in line for spelling in spellings))
                    if any(self._note_late(line, name) for line in lines):
                        del wanted[name]
            if not wanted:
                break

    def _note_late(self, line: bytes, name: str | None = None) -> bool:
        """Keep a row that has new columns; with a name, only one that has this column. Return whether it was kept."""
        row = _decode_strictly(line, 0) if self._skip else _decode_line(line, 0, ())
        known = {*self.head.columns}.union(*self.late)
        if isinstance(row, InputError) or (row.keys() <= known if name is None else name not in row):
            return False
        self.late.append(row)
        return True

    def _parse(self, block: Block, types: Mapping[str, Any]) -> pa.Table | None:
        """Parse a block as a whole, and note the columns that were not known; None if it is to be read by lines."""
        import pyarrow as pa

        if not types or None in types.values():
            return None
        watched = self._list_unknown()
        simple = parse_pieces(block.data.rstrip(b"\r\n"), types)
        if simple is not None and watched.isdisjoint(simple[1]):
            return simple[0]
        if watched and watched.isdisjoint(find_names(block.data) or watched):
            watched = set()
        unknown = {name: pa.type_for_alias(self.watched[name]) for name in watched}
        found = _parse_fast(block.data, dict(types) | unknown)
        if found is None:
            return None
        for name in unknown:
            if found[name].null_count < len(found):
                row = int(np.argmax(found[name].is_valid().to_numpy()))
                self._note_late(block.data.split(b"\n", row + 1)[row], name)
        return found

    def _list_unknown(self) -> Set[str]:
        """List the watched columns that neither the first rows have nor a row since then."""
        return self.watched.keys() - {*self.head.columns}.union(*self.late)

    def _decode_rows(
        self, block: Block, count: int, names: Sequence[str], broken: set[int]
    ) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a block. The first time, those that are broken are added to `broken`."""
        unknown = self._list_unknown()
        for number, (_, line) in enumerate(block.lines(), count + 1):
            if self._broken is not None and number in self._broken:
                continue
            judging = self._skip and self._broken is None
            row = _decode_strictly(line, number) if judging else _decode_line(line, number, names)
            if isinstance(row, InputError):
                if not judging:
                    raise row
                broken.add(number)
                first, skipped = self.skipped.get(row.code, (row.message, 0))
                self.skipped[row.code] = first, skipped + 1
                continue
            if not unknown.isdisjoint(row):
                self.late.append(row)
                unknown = self._list_unknown()
            yield number, row


def find_names(data: bytes) -> frozenset[str] | None:
    r"""Find the names that every line of JSON has, by counting; None if the lines may have others, too.

    Nothing is decoded but the first line: each of its names must occur once for each line, and there must be no other.

    Examples:
        >>> sorted(find_names(b'{"id": 1, "ok": true}\n{"id": 2, "ok": false}'))
        ['id', 'ok']
        >>> find_names(b'{"id": 1, "ok": true}\n{"id": 2, "model": "b"}') is None
        True
    """
    data = data.rstrip()
    lines = data.count(b"\n") + 1
    try:
        first = orjson.loads(data.partition(b"\n")[0])
    except ValueError:
        return None
    if not isinstance(first, dict) or data.count(b'":') != lines * len(first):
        return None
    alike = all(data.count(json.dumps(name, ensure_ascii=False).encode() + b":") == lines for name in first)
    return frozenset(first) if alike else None


def _parse_fast(data: bytes, types: Mapping[str, Any]) -> pa.Table | None:
    """Parse lines of JSON with Arrow; None if it cannot, or could read something else than is there.

    Arrow reads two objects on a line, and crashes on deep ones. So each line must begin with a brace and end with one,
    must have few brackets, and must become one row.
    """
    import pyarrow as pa
    import pyarrow.json as pj

    if not types or None in types.values():
        return None
    data = data.rstrip(b"\r\n")
    count = _count_plain(data)
    if not count:
        return None
    parsing = pj.ParseOptions(explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore")
    try:
        with pa.BufferReader(data) as file:
            table = pj.read_json(file, pj.ReadOptions(block_size=len(data) + 1), parsing)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return table if len(table) == count else None


class Verdicts(NamedTuple):
    """Samples of consecutive lines that have a name and a verdict.

    Attributes:
        codes: the position of the problem of each sample in `names`.
        names: the problems, in order of first appearance.
        firsts: the position of the first sample of each problem.
        grades: 1 or 0 for each sample.
    """

    codes: NDArray[np.int64]
    names: list[str]
    firsts: NDArray[np.int64]
    grades: NDArray[np.float64]


def parse_verdicts(data: bytes, problem: str, grade: str) -> Verdicts | None:
    r"""Parse lines of JSON that have a name of a problem, as text, and a verdict, true or false.

    Returns:
        The samples; None if any line is something else.

    Examples:
        >>> parse_verdicts(b'{"id": "a", "ok": true}\n{"id": "b", "ok": false}', "id", "ok").grades
        array([1., 0.])
        >>> parse_verdicts(b'{"id": "a", "ok": true}\n{"id": "b", "ok": 0}', "id", "ok") is None
        True
    """
    import pyarrow as pa

    table = _parse_fast(data, {problem: pa.string(), grade: pa.bool_()})
    # A field that is missing is null in Arrow, too.
    if table is None or table[problem].null_count or table[grade].null_count:
        return None
    codes, names = encode(table[problem])
    grades = np.concatenate([to_numpy(chunk)[0] for chunk in table[grade].chunks])
    return Verdicts(codes, names, find_firsts(codes), grades.astype(np.float64))


def _count_plain(data: bytes) -> int:
    """Count the lines; 0 unless each begins with a brace and ends with one, has few brackets, and is in UTF-8."""
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    starts = np.append(0, ends[:-1] + 1)
    if not len(letters) or (starts >= ends).any() or (letters[starts] != ord("{")).any():
        return 0
    last = letters[ends - 1]
    if (np.where(last == ord("\r"), letters[ends - 2], last) != ord("}")).any():
        return 0
    for line in np.flatnonzero(ends - starts > _DEEPEST).tolist():
        start, end = int(starts[line]), int(ends[line])
        if data.count(b"{", start, end) + data.count(b"[", start, end) > _DEEPEST:
            return 0
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return 0
    return len(ends)


def _decode_line(line: bytes, number: int, names: Sequence[str]) -> Row | InputError:
    """Decode a line, or return what is wrong with it.

    The strict decoder has the last word where the fast one could have read something else.
    """
    import orjson

    try:
        row = orjson.loads(line)
        if isinstance(row, dict) and not any(_is_doubtful(line, name, row.get(name)) for name in names):
            return row
    except ValueError:
        pass
    return _decode_strictly(line, number)


def _decode_strictly(line: bytes, number: int) -> Row | InputError:
    try:
        return decode_row(decode_text(line.rstrip(b"\r"), number), number)
    except InputError as error:
        return error


def _is_doubtful(line: bytes, name: str, value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    if any(isinstance(each, float) and abs(each) >= _EXACT for each in values):
        return True
    # A name may be there a second time with an escape in it.
    escape = b"\\u00" if name.isascii() else b"\\u"
    return line.count(b'"%s"' % name.encode()) > 1 or escape in line


def _guess_type(cells: Sequence[Any], numeric: bool) -> Any:
    """Return the Arrow type of all cells; None if they have several types, or one that is not simple."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds == {list}:
        inside = _guess_type([each for cell in cells if cell for each in cell], numeric)
        return None if inside is None or pa.types.is_list(inside) else pa.list_(inside)
    if numeric and kinds and kinds <= {int, float}:
        return pa.float64()
    return {frozenset({str}): pa.string(), frozenset({bool}): pa.bool_(), frozenset({int}): pa.int64()}.get(
        frozenset(kinds)
    )


def _convert(cells: list[Any], kind: Any) -> Any:
    """Convert cells to a type, if all of them are of it."""
    import pyarrow as pa

    if kind is None or not _is_of(cells, kind):
        return cells
    try:
        return pa.array(cells, kind)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return cells


def _is_of(cells: Sequence[Any], kind: Any) -> bool:
    import pyarrow as pa

    kinds = {type(cell) for cell in cells} - {type(None)}
    if pa.types.is_list(kind):
        return kinds <= {list} and _is_of(list(chain.from_iterable(filter(None, cells))), kind.value_type)
    allowed: dict[str, set[type]] = {str(pa.string()): {str}, str(pa.bool_()): {bool}, str(pa.int64()): {int}}
    return kinds <= allowed.get(str(kind), {int, float})


def _join(chunks: Sequence[Any]) -> Column:
    """Join the chunks of a column; in a list if any of them is one."""
    import pyarrow as pa

    if any(isinstance(chunk, list) for chunk in chunks):
        return list(chain.from_iterable(chunk if isinstance(chunk, list) else chunk.to_pylist() for chunk in chunks))
    return pa.chunked_array(list(chunks))


class ParquetLoader(Loader):
    """Reads columns of a Parquet file."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def __call__(self, names: Sequence[str], numeric: Set[str]) -> dict[str, Column]:
        """Read the columns of these names."""
        from at_k.readers.parquet import read_batches

        batches = list(read_batches(self._source, names))
        self.numbers, self.done = np.arange(1, sum(map(len, batches)) + 1), True
        return {name: _simplify([batch.column(place) for batch in batches]) for place, name in enumerate(names)}


def _simplify(chunks: Sequence[Any]) -> Column:
    """Return a column of Parquet as one of the few types that are read as a whole, or else as a list."""
    import pyarrow as pa

    kind = chunks[0].type if chunks else pa.null()
    inside = kind
    if pa.types.is_dictionary(kind):
        chunks = [chunk.dictionary_decode() for chunk in chunks]
        inside = kind = kind.value_type
    if pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind):
        inside = kind.value_type
        simple = pa.list_
    else:
        simple = _keep
    if pa.types.is_large_string(inside) or pa.types.is_string(inside):
        wanted = simple(pa.string())
    elif pa.types.is_integer(inside) and not pa.types.is_uint64(inside):
        wanted = simple(pa.int64())
    elif pa.types.is_float64(inside) or pa.types.is_boolean(inside):
        wanted = simple(inside)
    else:
        return list(chain.from_iterable(_list_plainly(chunk) for chunk in chunks))
    return pa.chunked_array([chunk.cast(wanted) for chunk in chunks], wanted)


def _keep(kind: Any) -> Any:
    return kind


def _list_plainly(chunk: Any) -> list[Any]:
    """List the values of a chunk. Single precision counts as the decimal that it prints as."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(chunk.type):
        chunk = chunk.dictionary_decode()
    if pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type) or pa.types.is_fixed_size_list(chunk.type):
        flat = iter(_list_plainly(chunk.flatten()))
        lengths = pc.list_value_length(chunk).to_pylist()
        return [None if length is None else list(islice(flat, length)) for length in lengths]
    if pa.types.is_float32(chunk.type) or pa.types.is_float16(chunk.type):
        return [None if value is None else float(str(value)) for value in _list_numpy(chunk)]
    return list(chunk.to_pylist())


def _list_numpy(chunk: Any) -> list[Any]:
    numbers = chunk.to_numpy(zero_copy_only=False)
    return [None if missing else number for missing, number in zip(chunk.is_null().to_pylist(), numbers, strict=True)]


class CsvLoader(Loader):
    """Reads columns of CSV, record by record."""

    def __init__(self, source: Source, delimiter: str) -> None:
        super().__init__()
        self._source, self._delimiter = source, delimiter

    def __call__(self, names: Sequence[str], numeric: Set[str]) -> dict[str, Column]:
        """Read the columns of these names."""
        import pyarrow as pa

        chunks: list[list[Any]] = [[] for _ in names]
        count = 0
        with closing(self.read_records()) as records:
            header = read_header(next(records))
            places = [header.index(name) for name in names]
            while batch := list(islice(records, _BATCH)):
                count += len(batch)
                for place, chunk in zip(places, chunks, strict=True):
                    chunk.append(make_texts([record[place] or None for record in batch]))
        self.numbers, self.done = np.arange(1, count + 1), True
        return {
            name: _read_texts(pa.chunked_array(chunk, pa.string())) for name, chunk in zip(names, chunks, strict=True)
        }

    def read_records(self) -> Generator[list[str], None, None]:
        """Yield the header and the rows."""
        limits = self._source.limits
        with io.TextIOWrapper(self._source.open_text(), encoding="utf-8", newline="") as file:
            try:
                yield from read_records(_skip_blank(file), self._delimiter, limits, longest=_LONGEST_CELL)
            except UnicodeDecodeError:
                self._source.refuse_encoding()


_BATCH = 50_000
"""Rows of CSV that become an Arrow array at a time."""

_LONGEST_CELL = 1 << 30
"""Characters of a cell of CSV."""


def _skip_blank(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, without the blank ones before the first."""
    lines = iter(lines)
    for line in lines:
        if line.strip("\r\n"):
            yield line
            break
    yield from lines


def _read_texts(column: Any) -> Column:
    """Return texts of CSV, or lists if all of them begin like one."""
    import pyarrow.compute as pc

    begins = pc.starts_with(pc.utf8_ltrim_whitespace(column), "[")
    return read_column(column.to_pylist()) if pc.all(begins).as_py() and column.null_count < len(column) else column


def open_csv(source: Source) -> ColumnTable:
    """Open a large file of CSV or TSV.

    Raises:
        InputError: if its first rows are broken.
    """
    with source.open_text() as file:
        line = file.readline(1 << 20)
        while line and not line.strip():
            line = file.readline(1 << 20)
    layout, delimiter = find_delimiter(line.decode(errors="replace"))
    load = CsvLoader(source, delimiter)
    with closing(load.read_records()) as all_records:
        records = list(islice(all_records, LOOKED_AT + 1))
    return ColumnTable(make_rows(records, layout, source.limits), load)


def open_lines(source: Source, *, skip: bool = False) -> ColumnTable:
    """Open a large file of JSON lines.

    Raises:
        InputError: if one of its first rows is broken, unless that is to be skipped.
    """
    lines = islice((line for block in source.blocks() for _, line in block.lines()), LOOKED_AT)
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        row = _decode_strictly(line, number) if skip else _decode_line(line, number, ())
        if not isinstance(row, InputError):
            rows.append(row)
        elif not skip:
            raise row
    head = tabulate(rows, "jsonl", source.limits)
    return ColumnTable(head, LineLoader(source, head, skip=skip))


def open_parquet(source: Source) -> ColumnTable:
    """Open a Parquet file.

    Raises:
        InputError: if it is damaged, or has no rows.
    """
    from at_k.readers.parquet import list_columns, read_batches

    names = list_columns(source)
    batch = next(iter(read_batches(source, names, size=LOOKED_AT)), None)
    if batch is None or not len(batch):
        refuse_empty()
    return ColumnTable(Table(batch.to_pylist(), list(names), "parquet"), ParquetLoader(source))

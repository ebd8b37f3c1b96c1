"""Tables with columns of any names: JSON, JSON lines, CSV, TSV and Parquet, read by columns."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from copy import copy
from io import TextIOWrapper
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from at_k.errors import InputError, Mention
from at_k.limits import UNLIMITED, Limits
from at_k.readers.arrays import make_array, make_numbers, make_texts
from at_k.readers.coding import Coded, encode, is_arrow
from at_k.readers.decoding import decode_strictly, load_text, parse, refuse_faulty, require_object
from at_k.readers.delimited import find_delimiter, read_header, read_lists, read_records, spell_lists
from at_k.readers.faults import UNITS, Faults
from at_k.readers.quoting import normalize_name, quote_all, shorten
from at_k.readers.sources import Block, Source, refuse_many_rows

LOOKED_AT = 1000
"""Rows from which it is guessed what a column holds."""

_FIRST_BYTES = 4 << 20
"""Bytes of them, after which the first rows need not be so many."""

_BATCH = 50_000
"""Rows of CSV that become an Arrow array at a time."""

_LONG_LINE = 1000
"""Bytes of a line, on average, from which orjson finds the columns that are needed sooner than Arrow."""

_DEEPEST = 500
"""Brackets in a line up to which Arrow parses it: it crashes on JSON that is nested 100,000 deep."""

_EXACT = 2**53
"""The fast decoder makes a float of an integer of more than 64 bits. Floats from here on are decoded again."""

_LARGEST = 2**31 - 1
"""Bytes that an Arrow array of strings can hold."""

PROBLEM_NAMES = [
    *("problem_id", "task_id", "doc_id", "question_id", "problem", "problems", "id", "idx", "uid", "task"),
    *("question", "prompt"),
]
"""Names of the column that says which problem a row belongs to, the surest first."""

QUESTION_NAMES = ("problem", "question", "prompt")
"""Names of columns that may hold the text of the problem."""

Row = dict[str, Any]

Column = Any
"""The cells of a column: an Arrow array, or a list where they are of several types."""

T = TypeVar("T", bound="Table")


class Batch(NamedTuple):
    """Rows that follow each other: the number of each in the file, from 1, and the columns that were asked for."""

    rows: NDArray[np.int64]
    columns: Mapping[str, Column]


class Table(Mapping[str, Column]):
    """A table, each column of which is read when it is asked for; here, one whose rows are in memory.

    Args:
        layout: "json", "jsonl", "csv", "tsv" or "parquet".
        rows: its first rows, or all of them. A row need not have every column.
        names: the columns in order of first appearance.
        limits: the most rows that are accepted.

    Attributes:
        skipped: the code of an error → its first message, and how many rows were left out for it.

    Examples:
        >>> table = Table("json", [{"id": 1}, {"id": 2, "ok": True}], ["id", "ok"])
        >>> table["ok"], table.take([1])["id"], table.take([1]).rows
        ([None, True], [2], array([2]))
    """

    def __init__(self, layout: str, rows: list[Row], names: Iterable[str], limits: Limits = UNLIMITED) -> None:
        self.layout, self.skipped = layout, Faults().causes
        self._first, self._names, self._limits = rows, list(names), limits
        self._held: dict[str, Column] = {}
        self._coded: dict[str, Coded] = {}
        self._rows: NDArray[np.int64] | None = None
        self._taken: NDArray[np.int64] | None = None
        self._spells = False

    def __getitem__(self, name: str) -> Column:
        """Return the cells of a column; None or null where a row has none."""
        if name not in self._names:
            raise KeyError(name)
        self.load([name])
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        """Yield columns, batch by batch. A name that comes to light on the way is added to the table."""
        yield Batch(
            np.arange(1, len(self._first) + 1), {name: [row.get(name) for row in self._first] for name in names}
        )

    def _settle(self, cells: Column) -> Column:
        """Return the cells of a column as those of the whole column are read."""
        return spell_lists(cells) if self._spells and not is_arrow(cells) else cells

    def load(self, names: Sequence[str], numeric: Set[str] = frozenset()) -> None:
        """Read several columns at once.

        Args:
            names: those that will be needed.
            numeric: those whose numbers matter, and not how they are spelled.
        """
        missing = [name for name in dict.fromkeys(names) if name not in self._held]
        if not missing and self._rows is not None:
            return
        chunks: dict[str, list[Column]] = {name: [] for name in missing}
        rows = [np.arange(0)]
        for batch in self._read(missing, numeric):
            rows.append(batch.rows)
            refuse_many_rows(int(batch.rows[-1]) if len(batch.rows) else 0, self._limits)
            for name, own in chunks.items():
                own.append(batch.columns[name])
        self._rows = np.concatenate(rows)
        for name, own in chunks.items():
            column = self._settle(_join(own))
            self._held[name] = column if self._taken is None else _take(column, self._taken)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The number of each row in the file, counted from 1 without the header line."""
        self.load([])
        assert self._rows is not None
        return self._rows if self._taken is None else self._rows[self._taken]

    def first(self, name: str) -> list[Any]:
        """List the first cells of a column; those of a large file are not read for that."""
        if name in self._held:
            cells = self._held[name][:LOOKED_AT]
            return list(cells.to_pylist() if is_arrow(cells) else cells)
        return list(self._settle([row.get(name) for row in self._first]))

    def coded(self, name: str) -> Coded:
        """Return the cells of a column as codes."""
        if name not in self._coded:
            self._coded[name] = encode(self[name])
        return self._coded[name]

    def peek(self) -> Table:
        """Return the first rows as a table."""
        columns = {name: self._settle([row.get(name) for row in self._first]) for name in self}
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        return Table(self.layout, rows, columns)

    def take(self: T, positions: Sequence[int]) -> T:
        """Return the rows at these positions, counted from 0, with their numbers in the file."""
        where = np.asarray(positions, dtype=np.int64)
        taken = self._copy()
        taken._taken = where if self._taken is None else self._taken[where]
        taken._held = {name: _take(column, where) for name, column in self._held.items()}
        return taken

    def spell_lists(self: T) -> T:
        """Return the table with the text of each cell of CSV in place of the list that was read from it."""
        spelled = self._copy()
        spelled._spells = True
        spelled._held = {name: spelled._settle(column) for name, column in self._held.items()}
        return spelled

    def add(self: T, name: str, cells: list[Any]) -> T:
        """Return the table with a further column."""
        added = self._copy()
        added._names, added._held = [*self._names, name], self._held | {name: cells}
        return added

    def _copy(self: T) -> T:
        other = copy(self)
        other._coded = {}
        return other


class LineTable(Table):
    """A table of JSON lines. Plain blocks of short lines are parsed by Arrow, the others line by line.

    Args:
        source: the file.
        errors: "skip" to leave out lines that are broken.

    Raises:
        InputError: if one of its first lines is broken, unless that is to be skipped.

    Attributes:
        numbers_lines: whether the numbers of the rows are those of their lines: none of those read is blank.
    """

    def __init__(self, source: Source, errors: str = "raise") -> None:
        super().__init__("jsonl", [], [], source.limits)
        self.numbers_lines = True
        self._source, self._errors = source, errors
        size = 0
        for block in source.blocks():
            self._first += [row for _, row in islice(self._decode(block, block.first, (), Faults(errors)), LOOKED_AT)]
            size += len(block.data)
            if self._first and (size >= _FIRST_BYTES or len(self._first) >= LOOKED_AT):
                break
        self._names = list(dict.fromkeys(chain.from_iterable(self._first)))
        refuse_empty(self._names)

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        types = {name: _guess_type([row.get(name) for row in self._first], name in numeric) for name in names}
        faults, known, count = Faults(self._errors), set(self._names), 0
        for block in self._source.blocks():
            self.numbers_lines &= block.first == count + 1
            found = None if faults.skips else _parse(block.data, types)
            if found is not None:
                new: Iterable[str] = found.column_names
                batch = Batch(np.arange(count + 1, count + len(found) + 1), {name: found[name] for name in names})
                count += len(found)
            else:
                rows = list(self._decode(block, count + 1, names, faults))
                new = () if all(map(known.issuperset, (row for _, row in rows))) else chain(*(row for _, row in rows))
                columns = {name: _convert([row.get(name) for _, row in rows], types[name]) for name in names}
                batch = Batch(np.array([number for number, _ in rows], dtype=np.int64), columns)
                count += sum(1 for _ in block.lines()) if faults.skips else len(rows)
            self._names += [name for name in dict.fromkeys(new) if name not in known]
            known.update(self._names)
            yield batch
        self.skipped = faults.causes

    def _decode(self, block: Block, first: int, names: Sequence[str], faults: Faults) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a block, each with its number; one that is broken is at fault."""
        colons = _count_colons(block.data)
        for number, (line, data) in enumerate(block.lines(), first):
            self.numbers_lines &= number == line
            try:
                row = None if faults.skips else orjson.loads(data)
            except ValueError:
                row = None
            # As many names as colons: none is there twice.
            alike = type(row) is dict and colons[line - block.first] == len(row)
            if (
                type(row) is dict
                and (alike or (names and not _may_repeat(data, names)))
                and not _is_rounded(row, names)
            ):
                yield number, row
                continue
            try:
                row = require_object(decode_strictly(data.rstrip(b"\r"), line), UNITS["line"](line))
            except InputError as error:
                faults.add(error)
            else:
                yield number, row


def _count_colons(data: bytes) -> NDArray[np.int64]:
    """Count the quotation marks with a colon behind them, on each line; −1 where a space may be between the two."""
    letters = np.frombuffer(data + b"\n\n\n", dtype=np.uint8)
    marks = np.flatnonzero(letters == ord('"'))
    behind, then = letters[marks + 1], letters[marks + 2]
    ends = np.flatnonzero(letters == ord("\n"))
    if (((behind == ord(" ")) | (behind == ord("\t"))) & ((then == ord(":")) | (then <= ord(" ")))).any():
        return np.full(len(ends), -1)
    return np.bincount(np.searchsorted(ends, marks[behind == ord(":")]), minlength=len(ends))


def _may_repeat(line: bytes, names: Iterable[str]) -> bool:
    """Return whether an object may have one of these names twice: spelled alike, or once with an escape in it."""
    return any(
        line.count(b'"%s"' % name.encode()) > 1 or (b"\\u00" if name.isascii() else b"\\u") in line for name in names
    )


def _is_rounded(row: Row, names: Iterable[str]) -> bool:
    """Return whether one of these cells is a number that the fast decoder may have rounded."""
    for name in names:
        cell = row.get(name)
        for each in cell if isinstance(cell, list) else (cell,):
            if isinstance(each, float) and abs(each) >= _EXACT:
                return True
    return False


def _parse(data: bytes, types: Mapping[str, Any]) -> Any:
    """Parse lines of JSON with Arrow; None if it cannot, or could read something else than is there.

    Arrow reads two objects on a line, and crashes on deep ones. So each line must begin with a brace and end with one,
    must have few brackets, and must become one row. Arrow itself refuses an object that has a name twice.
    """
    import pyarrow as pa
    import pyarrow.json as pj

    data = data.rstrip(b"\r\n")
    count = data.count(b"\n") + 1
    if len(data) > _LONG_LINE * count or not types or None in types.values() or not _is_plain(data):
        return None
    parsing = pj.ParseOptions(explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="infer")
    try:
        with pa.BufferReader(data) as file:
            table = pj.read_json(file, pj.ReadOptions(block_size=len(data) + 1), parsing)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return table if len(table) == count else None


def _is_plain(data: bytes) -> bool:
    """Return whether each line begins with a brace and ends with one, has few brackets, and is in UTF-8."""
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    starts = np.append(0, ends[:-1] + 1)
    if not len(letters) or (starts >= ends).any() or (letters[starts] != ord("{")).any():
        return False
    last = letters[ends - 1]
    if (np.where(last == ord("\r"), letters[ends - 2], last) != ord("}")).any():
        return False
    for line in np.flatnonzero(ends - starts > _DEEPEST).tolist():
        start, end = int(starts[line]), int(ends[line])
        if data.count(b"{", start, end) + data.count(b"[", start, end) > _DEEPEST:
            return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _guess_type(cells: Sequence[Any], numeric: bool) -> Any:
    """Return the Arrow type of all cells; None if they have several types, or one that is not simple."""
    import pyarrow as pa

    kinds = {*map(type, cells)} - {type(None)}
    if kinds == {list}:
        inside = _guess_type(list(chain.from_iterable(filter(None, cells))), numeric)
        return None if inside is None or pa.types.is_list(inside) else pa.list_(inside)
    if numeric and kinds and kinds <= {int, float}:
        return pa.float64()
    simple = {str: pa.string(), bool: pa.bool_(), int: pa.int64()}
    return simple.get(*kinds) if len(kinds) == 1 else None


def _convert(cells: list[Any], kind: Any) -> Column:
    """Convert cells to a type, if all of them are of it."""
    import pyarrow as pa

    if kind is None:
        return cells
    inside, values = kind, cells
    if pa.types.is_list(kind) and {*map(type, cells)} <= {list, type(None)}:
        inside, values = kind.value_type, list(chain.from_iterable(filter(None, cells)))
    if _guess_type(values, numeric=inside == pa.float64()) != inside and any(value is not None for value in values):
        return cells
    try:
        return make_array(cells, kind)
    except (OverflowError, UnicodeEncodeError):
        return cells


def _join(chunks: Sequence[Column]) -> Column:
    """Join the chunks of a column; in a list if any of them is one, or they are of several types."""
    import pyarrow as pa

    pieces = [piece for chunk in chunks for piece in (chunk.chunks if isinstance(chunk, pa.ChunkedArray) else [chunk])]
    if any(isinstance(piece, list) for piece in pieces) or len({piece.type for piece in pieces}) != 1:
        return list(chain.from_iterable(piece if isinstance(piece, list) else piece.to_pylist() for piece in pieces))
    if len(pieces) == 1:
        return pieces[0]
    if pa.types.is_string(pieces[0].type) and sum(piece.nbytes for piece in pieces) > _LARGEST:
        raise InputError(
            "tables.large",
            "The texts of one column have more than 2 GB. Read the file without it: {example}.",
            example=Mention(columns={"answers": None}),
        )
    return pa.concat_arrays(pieces)


def _take(column: Column, positions: NDArray[np.int64]) -> Column:
    if isinstance(column, list):
        return [column[place] for place in positions.tolist()]
    return column.take(make_numbers(positions))


class CsvTable(Table):
    """A table of CSV or TSV. Its cells are texts, or lists if all cells of a column begin like one.

    Args:
        source: the file.

    Raises:
        InputError: if its first rows are broken.
    """

    def __init__(self, source: Source) -> None:
        with source.open_text() as file:
            line = file.readline(1 << 20)
            while line and not line.strip():
                line = file.readline(1 << 20)
        layout, self._delimiter = find_delimiter(line.decode(errors="replace"))
        self._source = source
        with closing(self._open_records()) as records:
            header = next(records, [])
            refuse_empty(header)
            names = read_header(header)
            looked_at = min(LOOKED_AT, 1 + 100 * LOOKED_AT // len(names))
            rows = [
                dict(zip(names, (cell or None for cell in each), strict=True)) for each in islice(records, looked_at)
            ]
        refuse_empty(rows)
        super().__init__(layout, rows, names, source.limits)

    def _open_records(self) -> Generator[list[str], None, None]:
        """Yield the header and the rows."""
        with TextIOWrapper(self._source.open_text(), encoding="utf-8", newline="") as file:
            try:
                lines = iter(file)
                first = next((line for line in lines if line.strip()), "")
                yield from read_records(chain([first], lines), self._delimiter)
            except UnicodeDecodeError:
                self._source.refuse_encoding()

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        places, count = [self._names.index(name) for name in names], 0
        with closing(self._open_records()) as records:
            next(records)
            while batch := list(islice(records, _BATCH)):
                texts = [make_texts([record[place] or None for record in batch]) for place in places]
                yield Batch(np.arange(count + 1, count + len(batch) + 1), dict(zip(names, texts, strict=True)))
                count += len(batch)

    def _settle(self, cells: Column) -> Column:
        import pyarrow.compute as pc

        if self._spells:
            return super()._settle(cells)
        if not is_arrow(cells):
            return cells if any(isinstance(cell, list) for cell in cells) else read_lists(cells)
        begins = pc.all(pc.starts_with(pc.utf8_ltrim_whitespace(cells), "[")).as_py()
        return read_lists(cells.to_pylist()) if begins and cells.null_count < len(cells) else cells


class ParquetTable(Table):
    """A table of Parquet.

    Args:
        source: the file.

    Raises:
        InputError: if it is damaged, or has no rows.
    """

    def __init__(self, source: Source) -> None:
        from at_k.readers.parquet import list_columns, read_batches

        names = list_columns(source)
        batch = next(iter(read_batches(source, names, size=LOOKED_AT)), None)
        super().__init__("parquet", batch.to_pylist() if batch else [], names, source.limits)
        refuse_empty(self._first)
        self._source = source

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        from at_k.readers.parquet import read_batches

        count = 0
        for batch in read_batches(self._source, names):
            columns = {name: _simplify(column) for name, column in zip(names, batch.columns, strict=True)}
            yield Batch(np.arange(count + 1, count + len(batch) + 1), columns)
            count += len(batch)


def _simplify(column: Any) -> Column:
    """Return a column of Parquet as one of the few types that are read as a whole, or else as a list."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    lists, inside = _is_list(column.type), column.type
    if lists:
        inside = inside.value_type
    if pa.types.is_large_string(inside) or pa.types.is_string(inside):
        wanted = pa.string()
    elif pa.types.is_integer(inside) and not pa.types.is_uint64(inside):
        wanted = pa.int64()
    elif pa.types.is_float64(inside) or pa.types.is_boolean(inside):
        wanted = inside
    else:
        return _list_plainly(column)
    return column.cast(pa.list_(wanted) if lists else wanted)


def _list_plainly(column: Any) -> list[Any]:
    """List the values of an array. Single precision counts as the decimal that it prints as."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _is_list(column.type):
        flat = iter(_list_plainly(column.flatten()))
        lengths = pc.list_value_length(column).to_pylist()
        return [None if length is None else list(islice(flat, length)) for length in lengths]
    if pa.types.is_float32(column.type) or pa.types.is_float16(column.type):
        numbers = zip(column.is_null().to_pylist(), column.to_numpy(zero_copy_only=False), strict=True)
        return [None if missing else float(str(number)) for missing, number in numbers]
    return list(column.to_pylist())


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def open_table(source: Source, errors: str = "raise") -> Table:
    r"""Open a file as a table.

    A JSON list of lists becomes one column: "correct" if the lists hold numbers, else "answers".

    Args:
        source: the file.
        errors: "skip" to leave out lines of JSON that are broken.

    Raises:
        InputError: if it is broken, or is a zip file, which holds none. Rows are counted from 1, without the header
            line.

    Examples:
        >>> table = open_table(Source("", b"task_id,correct\n0,true\n1,false"))
        >>> table.layout, table["correct"].to_pylist()
        ('csv', ['true', 'false'])
    """
    layout = source.layout
    if layout == "zip":
        from at_k.readers.archives import list_members

        raise InputError(
            "plain.zip",
            "No known harness wrote this zip file (`at-k formats` lists them). Its members are: {members}. Extract the "
            "one with the results, and give its path.",
            members=quote_all(list_members(source)) or "none",
        )
    if layout == "parquet":
        return ParquetTable(source)
    if layout == "jsonl":
        return LineTable(source, errors)
    if layout == "csv":
        return CsvTable(source)
    with source.open_text() as file:
        layout, rows = _list_rows(load_text(file.read(), parse))
    refuse_many_rows(len(rows), source.limits)
    for number, row in enumerate(rows, 1):
        place = UNITS["row"](number)
        refuse_faulty(row, place)
        require_object(row, place)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    refuse_empty(names)
    return Table(layout, rows, names)


def _list_rows(whole: Any) -> tuple[str, list[Any]]:
    """Return the layout of a JSON document, and its rows: a list, the columns of a table, or one problem."""
    if isinstance(whole, list):
        if all(isinstance(row, list) for row in whole):
            numbers = all(value is None or isinstance(value, (int, float)) for row in whole for value in row)
            return "json", [{"correct" if numbers else "answers": row} for row in whole]
        return "json", whole
    if not isinstance(whole, dict) or not _holds_columns(whole):
        return "jsonl", [whole]
    first = next(iter(whole))
    for name, column in whole.items():
        if len(column) != len(whole[first]):
            raise InputError(
                "tables.unequal_columns",
                "All columns must be equally long: the length of “{column}” is {count:,}, and that of “{other}” is "
                "{other_count:,}.",
                column=shorten(first),
                count=len(whole[first]),
                other=shorten(name),
                other_count=len(column),
            )
    return "json", [dict(zip(whole, cells, strict=True)) for cells in zip(*whole.values(), strict=True)]


def _holds_columns(whole: Row) -> bool:
    """Return whether an object holds the columns of a table; else it is one problem, with the lists of its samples."""
    if not whole or not all(isinstance(column, list) for column in whole.values()):
        return False
    return any(normalize_name(name) in PROBLEM_NAMES for name in whole) or any(
        isinstance(cell, list) for column in whole.values() for cell in column
    )


def list_named(table: Table, names: Sequence[str]) -> list[str]:
    """List the columns that have one of these names, in their order in the table."""
    return [column for column in table if normalize_name(column) in names]


def refuse_empty(found: Sequence[object]) -> None:
    """Raise if there are no rows, or none of them has a column."""
    if not found:
        raise InputError(
            "tables.empty",
            'There are no results here. At least one row is needed, such as {{"id": 1, "correct": [1, 0]}}.',
        )

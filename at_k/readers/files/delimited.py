"""CSV and TSV, in blocks, and the lines of the rows of a table.

Arrow parses plain blocks; Python's reader takes over where one is not.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from io import StringIO, TextIOWrapper
from itertools import chain, count, islice
from statistics import mode
from threading import Lock
from typing import Any, NamedTuple

from at_k.errors import Message, Phrases
from at_k.readers.blocks import Block, Rows, take_column
from at_k.readers.faults import Faults
from at_k.readers.files.decoding import KEEP_OBJECTS
from at_k.readers.files.sources import Source, refuse_foreign
from at_k.readers.names import PROBLEM, find_named
from at_k.readers.words import read_spelled

# Rows of a block that Python's reader makes.
_BATCH = 8192

# Characters that a cell may have.
_LONGEST_CELL = 1 << 30

# Cells of a header line. With more, it is not that of results, and each row would take as much memory.
_MOST_COLUMNS = 10_000

_FIELD_LIMIT = Lock()

# Bytes, and lines in them, by which it is judged where a table begins.
_HEAD, _LOOKED_AT = 1 << 16, 50

# Blank lines before the header.
_BLANK = re.compile(rb"\A(?:[^\S\n]*\n)+")

_say = Phrases(
    {
        "note.no_header": "The first line names no columns, so it was read as a row.",
        "note.title": "Lines above the table that were left out: {count:,}.",
        "tables.form": "The first line is not the header of a table, or its cells have no delimiter that is known. "
        "Convert the file: `{way}`.",
        "tables.lists": "The lists in brackets have no quotation marks, so their parts would be cells. "
        "Convert the file: `{way}`.",
        "tables.levels": "The header has {count} lines. Write one in their place, with a name for each column.",
        "tables.columns": "There are {count:,} columns; the limit is {limit:,}.",
        "tables.fields": "Every row must have the same number of cells as the header line: {expected:,}, not "
        "{count:,} (row {row}). A text that contains a delimiter must be in quotation "
        "marks.\n{option:errors=skip} leaves out such rows.",
        "tables.quotes": "The quotation marks do not match: one is not closed, or text follows a closed one (row "
        "{row}). If no text needs them, leave them out: `{way}`.",
        "tables.header_quotes": "The quotation marks in the header line do not match. Close each of them.",
    }
)


def find_delimiter(header: bytes) -> str:
    """Return the delimiter, by the header line: a tab, a comma, a semicolon or a bar."""
    # Spreadsheets write semicolons where a comma is the decimal point.
    if b"\t" in header:
        return "\t"
    return next((mark for mark in ",;|" if mark.encode() in header), ",")


def open_csv(source: Source, faults: Faults) -> Rows:
    """Open CSV or TSV."""
    start = _find_start(source)
    _refuse_lists(start.lines, start.mark)
    mark, named = start.mark, _has_header(start.lines, start.mark)
    with closing(read_cells(source, mark, faults, start.above)) as records:
        record = next(records, [])
    names = read_header(record if named else [""] * len(record))
    notes: list[Message] = []
    if start.above:
        notes.append(_say("note.title", count=start.above))
    if not named:
        notes.append(_say("note.no_header"))
    layout = "tsv" if mark == "\t" else "csv"
    return Rows(
        layout,
        lambda wanted: _read_blocks(source, names, start, wanted, faults, named=named),
        faults,
        notes,
    )


def _read_head(source: Source) -> list[str]:
    """Read the first lines, by which it is judged where a table begins."""
    with source.open_text() as file:
        head = file.read(_HEAD)
    refuse_foreign(head)
    refuse_foreign(source.name.encode())
    return list(islice(StringIO(head.decode("utf-8", "replace"), newline=""), _LOOKED_AT))


class Start(NamedTuple):
    """The first lines of a table, what parts its cells, and the number of lines above it."""

    lines: list[str]
    mark: str
    above: int


def _find_start(source: Source) -> Start:
    """Find where a table begins, which may be below a title; raise if its cells are parted by spaces."""
    lines, way = _read_head(source), ""
    own = find_delimiter(source.first_line)
    for mark in (own, *"\t;,|"):
        records, above, rows = csv.reader(lines, delimiter=mark), 0, []
        for record in records:
            width = max(
                (number for number, cell in enumerate(record, 1) if cell.strip()), default=0
            )
            rows += [(width, record, above)] if width else []
            above = records.line_num
        usual = mode([width for width, _, _ in rows] or [0])
        if usual > 1:
            _refuse_second_header([record for _, record, _ in rows])
            (width, first, _), (_, header, above) = (
                rows[0],
                next(row for row in rows if row[0] >= usual),
            )
            is_short = width < usual and len(first) < len(header) and _names_columns(header)
            if _names_columns(first) and (width < 2 or is_short):
                if not lines[above].startswith("{"):
                    return Start(lines[above:], mark, above)
                way = KEEP_OBJECTS
            break
    else:
        words = [len(line.split()) for line in lines if line.strip()]
        if words[1:] and min(words) > 1 and {*words[1:]} <= {words[0], words[0] + 1}:
            way = "tr -s ' ' , < FILE > NEW"
    if way:
        raise _say.error("tables.form", way=way)
    return Start(lines, own, 0)


def _refuse_lists(lines: Sequence[str], mark: str) -> None:
    """Raise if a list in brackets in the first line would be cut into cells."""
    first, *others = [line.strip() for line in lines if line.strip()] or [""]
    parts = rf"[^\[\]]*\{mark}[^\[\]]*"
    if '"' in first or not re.search(rf"(?<!: )\[{parts}\]", first):
        return
    way = r"grep -oE '\[[^][]*\]' FILE > NEW"
    named = re.compile(rf"[^\[\](]*\{mark}\s*\[{parts}\]")
    if all(map(named.fullmatch, (first, *others))):
        way = "tr -d '[]' < FILE > NEW"
    raise _say.error("tables.lists", way=way)


def _refuse_second_header(records: Sequence[Sequence[str]]) -> None:
    """Raise if the header goes on below the first line, with a cell without a name as pandas writes levels of it."""
    count = next((at for at, record in enumerate(records) if at and record[0].strip()), 0)
    above, below = (
        records[1:count],
        records[count + (not any(records[count][1:])) :] if count else (),
    )
    values = {(place, cell) for record in below for place, cell in enumerate(record)}
    cells = {pair for record in above for pair in enumerate(record) if pair[1]}
    is_row = any(
        isinstance(read_spelled(cell), float) or (place, cell) in values for place, cell in cells
    )
    is_short = len({*records[0]} - {""}) < len(records[0])  # a name is above several columns
    is_told = not records[0][0].strip() or (is_short and not is_row)
    if above and is_told and all(record[0].strip() for record in below):
        raise _say.error("tables.levels", count=len(records) - len(below))


def _has_header(lines: Sequence[str], mark: str) -> bool:
    """Return whether the first line names the columns; a column that is named by a verdict has it in other rows too."""
    first, *others = [*filter(None, csv.reader(lines, delimiter=mark))] or [[]]
    if len(first) == 1 and not others:
        return True
    rows = [row for row in others if row != first]
    cells = set(chain.from_iterable(map(enumerate, rows)))
    verdicts = [place for place in enumerate(first) if isinstance(read_spelled(place[1]), bool)]
    is_row = not cells.isdisjoint(verdicts)
    return _names_columns(first) and (not is_row or bool(find_named(first, PROBLEM)))


def _names_columns(record: Sequence[str]) -> bool:
    """Return whether cells may be a header: they hold no verdict; columns may be numbered from 0 or from 1."""
    cells = [cell.strip().lower() for cell in record]
    numbers = [int(cell) for cell in cells if cell.isdecimal() and len(cell) < 5]
    if len(numbers) > 1 and numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)]):
        return True
    is_row = not {"0", "1", "true", "false"}.isdisjoint(cells) and {*numbers} <= {0, 1}
    return not is_row or bool(find_named(record, PROBLEM))


def read_header(record: Sequence[str]) -> list[str]:
    """Return the names of the columns of CSV; those that occur several times are numbered.

    Examples:
        >>> read_header(["id", "correct", "", "correct", "correct 1"])
        ['id', 'correct 2', 'column 3', 'correct 3', 'correct 1']
    """
    # pandas writes the index of a frame as a column without a name.
    names = [name.strip() or f"column {number}" for number, name in enumerate(record, 1)]
    times = Counter(names)

    def spell(name: str) -> Iterator[str]:
        return (other for number in count(1) if (other := f"{name} {number}") not in times)

    free = {name: spell(name) for name, several in times.items() if several > 1}
    return [next(free[name]) if name in free else name for name in names]


def _list_blocks(source: Source, above: int) -> Generator[bytes, None, None]:
    """Yield the blocks of lines, without those above the table and blank ones before the header."""
    with closing(source.blocks()) as lines:
        blocks = (block.data for block in lines)
        first = next((data for data in blocks if data.strip()), None)
        if first is not None:
            yield _BLANK.sub(b"", first.split(b"\n", above)[-1])
            yield from blocks


def _read_blocks(
    source: Source,
    names: list[str],
    start: Start,
    wanted: Collection[str] | None,
    faults: Faults,
    *,
    named: bool,
) -> Iterator[Block]:
    if wanted is None:
        needed = names
    else:
        needed = [name for name in names if name in wanted] or names[:1]
    count, mark = 0, start.mark
    with closing(_list_blocks(source, start.above)) as listed:
        first = next(listed, b"")
        header, _, rest = first.partition(b"\n")
        has_header = named and (header.count(b'"') % 2 == 1 or b"\r" in header.rstrip(b"\r"))
        blocks: Iterable[bytes] = chain([first if has_header or not named else rest], listed)
        for data in blocks:
            if has_header:
                table = None
            else:
                table = _parse(data, names, needed, mark)
            if table is None:  # a cell may begin here and end in another block
                blocks = chain([data], blocks)
                break
            places = range(count + 1, count + len(table) + 1)
            yield Block(places, names if wanted is None else needed, partial(take_column, table))
            count += len(table)
        else:
            return
        records = _read_records(
            _decode_text(source, blocks), mark, faults, 0 if has_header else count + 1, names
        )
        records = islice(records, 1 if has_header else 0, None)
        while found := list(islice(records, _BATCH)):
            kept: Sequence[int] = range(count + 1, count + len(found) + 1)
            count += len(found)
            if not all(found):
                kept = [place for place, record in zip(kept, found, strict=True) if record]
            if kept:
                columns = dict(zip(names, zip(*filter(None, found), strict=True), strict=True))
                yield Block(kept, names, partial(_list_cells, columns))


def _list_cells(columns: Mapping[str, Sequence[str]], name: str) -> list[str | None]:
    return [cell or None for cell in columns[name]]


def _decode_text(source: Source, blocks: Iterable[bytes]) -> Iterator[str]:
    try:
        yield from chain.from_iterable(
            StringIO(block.decode() + "\n", newline="") for block in blocks
        )
    except UnicodeDecodeError:
        source.refuse_encoding()


def read_cells(
    source: Source, delimiter: str, faults: Faults | None = None, above: int = 0
) -> Generator[list[str], None, None]:
    """Yield the header and the rows of a file of CSV, below the lines above its table."""
    with closing(_list_blocks(source, above)) as blocks:
        yield from filter(
            None, _read_records(_decode_text(source, blocks), delimiter, faults or Faults())
        )


def _read_records(
    lines: Iterable[str], delimiter: str, faults: Faults, count: int = 0, header: Sequence[str] = ()
) -> Iterator[list[str]]:
    """Yield the header and the rows of CSV, all with the same number of cells; [] for one that is left out."""
    with _FIELD_LIMIT:  # one for the whole process, 131,072 unless somebody changed it
        csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    try:
        for record in filter(None, csv.reader(lines, delimiter=delimiter, strict=True)):
            count += 1
            if not header:
                header = record
                if len(header) > _MOST_COLUMNS:
                    raise _say.error("tables.columns", count=len(header), limit=_MOST_COLUMNS)
            if len(record) != len(header):
                faults.add(
                    _say.error(
                        "tables.fields", row=count - 1, count=len(record), expected=len(header)
                    )
                )
            yield record if len(record) == len(header) else []
    except csv.Error:
        if count:
            raise _say.error("tables.quotes", row=count, way="tr -d '\"' < FILE > NEW") from None
        raise _say.error("tables.header_quotes") from None


def _parse(data: bytes, names: Sequence[str], wanted: Sequence[str], delimiter: str) -> Any:
    """Parse lines of CSV with Arrow; None if it cannot, or could misread them."""
    # Arrow takes a text behind a closed quotation mark, and a row that ends within a cell, so it gets no such marks.
    import pyarrow as pa
    import pyarrow.csv as pc

    if not _is_plain(data):
        return None
    converting = pc.ConvertOptions(
        include_columns=wanted,
        column_types=dict.fromkeys(wanted, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
    )
    reading = pc.ReadOptions(column_names=list(names), use_threads=False, block_size=len(data) + 1)
    try:
        return pc.read_csv(
            pa.BufferReader(data), reading, pc.ParseOptions(delimiter=delimiter), converting
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _is_plain(data: bytes) -> bool:
    """Return whether lines of CSV end as lines of other files do, and have no quotation marks."""
    ends = data.count(b"\r\n") + data.endswith(b"\r")  # a block ends before the last line feed
    return data.count(b"\r") == ends and bool(data.strip()) and b'"' not in data


# Names of a row in sentences, or of the line of several files that are read as one.
_ROW, _LINE = re.compile(r"\brow {(\w+)(:,)?}"), re.compile(r"\b(?:row|line) {(\w+)(:,)?}")


def name_lines(message: Message, source: Source) -> Message:
    r"""Name the lines of a file where a message counts the rows of the table in it.

    Examples:
        >>> source = Source("results.csv", b"id,correct\na,1\n\nb,x\n")
        >>> str(name_lines(Message("a.row", "wrong (row {row})", row=2), source))
        'wrong (line 4)'
    """
    # A message about a file whose rows are not lines, such as Parquet, is returned as it is. If the lines are files,
    # these are named.
    values: dict[str, Any] = {
        name: name_lines(value, source) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    named, into = (_LINE, r"{\1}") if source.files else (_ROW, r"line {\1\2}")
    told = [each[1] for each in named.finditer(message.sentence)]
    rows = {name: values[name] for name in told if isinstance(values[name], int)}
    most = max(rows.values(), default=0)
    lines: Sequence[Any] = source.files or list(islice(_number_lines(source), most))
    if not rows or not all(0 < row <= len(lines) for row in rows.values()):
        return Message(message.code, message.sentence, **values)
    values |= {name: lines[row - 1] for name, row in rows.items()}
    return Message(message.code, named.sub(into, message.sentence), **values)


def _number_lines(source: Source) -> Iterator[int]:
    """Yield the number of the line on which each row of a table begins; nothing if rows are not lines."""
    if source.layout == "jsonl":
        yield from count(1)  # rows are counted by their lines already
    elif source.layout == "csv":
        start = _find_start(source)
        named = _has_header(start.lines, start.mark)
        numbers = (line for line in _number_records(source, start.mark) if line > start.above)
        yield from islice(numbers, int(named), None)


def _number_records(source: Source, mark: str) -> Iterator[int]:
    """Yield the number of the line on which each record of CSV begins, and then that of a record that is broken."""
    with TextIOWrapper(source.open_text(), "utf-8", "replace", newline="") as file:
        records, before = csv.reader(file, delimiter=mark), 0
        try:
            for record in records:
                if record:
                    yield before + 1
                before = records.line_num
        except csv.Error:
            yield before + 1

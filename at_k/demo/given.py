"""What a visitor gave: a text that was pasted or opened, or a file of bytes that their browser read."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as DecodingError
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from at_k.caching import cached_property
from at_k.demo.limits import LIMITS
from at_k.demo.words import make_error
from at_k.errors import InputError, Message
from at_k.limits import exceeds
from at_k.readers.format import Format, Reading
from at_k.readers.formats import FORMATS, find_format
from at_k.readers.formats.plain import collect_samples
from at_k.readers.lines import name_lines
from at_k.readers.merging import merge
from at_k.readers.models import MODEL_NAMES
from at_k.readers.quoting import shorten
from at_k.readers.roles import guess_roles
from at_k.readers.samples import Columns, Samples
from at_k.readers.sources import Source, refuse_large
from at_k.readers.table import Table, list_named
from at_k.readers.tables import open_table

MOST_FILES = 32
"""Files that are read together."""


@dataclass(frozen=True)
class Given:
    """Results, and what can be said about them before they are read.

    Attributes:
        text: the text; empty if there is a file of bytes.
        packed: the bytes of a file that is not text.

    Examples:
        >>> given = Given('{"task_id": "a", "passed": true}')
        >>> given.format.name, given.columns, given.guess({})["grades"]
        ('plain', ['task_id', 'passed'], 'passed')
    """

    text: str = ""
    packed: bytes = b""

    @classmethod
    def take(cls, text: str, opened: object) -> Given:
        """Take the text or, where it is empty, the file that the visitor opened.

        Args:
            text: what stands in the box.
            opened: the value of the button that opens files; anything, as a program may send it. Its `packed` is the
                bytes of a file, or a list of several files, each with its `name` and its `text` or `packed`.

        Raises:
            InputError: if the file was not sent as the page sends it.
        """
        packed = opened.get("packed") if isinstance(opened, Mapping) and not text.strip() else None
        if packed is None:
            return cls(text)
        if isinstance(packed, list):
            return SeveralFiles.take_all(packed)
        try:
            return cls(packed=b64decode(str(packed).rpartition(",")[2], validate=True))
        except (DecodingError, ValueError):
            raise make_error("scoring.packed") from None

    @classmethod
    def of_bytes(cls, content: bytes) -> Given:
        """Take the content of a file: as text if it is some, so that its lines can be named."""
        try:
            return cls(content.decode())
        except UnicodeDecodeError:
            return cls(packed=content)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return not self.packed and not self.text.strip()

    @cached_property
    def _source(self) -> Source:
        return Source("", self.packed or self.text.encode("utf-8", "surrogatepass"), LIMITS).unpack()

    @cached_property
    def format(self) -> Format:
        """The format of the results.

        Raises:
            InputError: if they are larger than the limits allow, or broken.
        """
        return FORMATS["plain"] if self.is_empty else find_format(self._source)

    @cached_property
    def _table(self) -> Table | None:
        """The results as a table, if no harness wrote them."""
        return open_table(self._source) if self.format.name == "plain" else None

    @property
    def saved_options(self) -> dict[str, Any]:
        """The options of a report that the page Score saved with its samples; none for other results."""
        if self.is_empty or self.format.name != "plain" or self._source.layout != "json":
            return {}
        whole = self._source.document
        options = whole.get("options") if isinstance(whole, dict) and "signatures" in whole else None
        return options if isinstance(options, dict) else {}

    @property
    def columns(self) -> list[str]:
        """The columns among which a visitor may choose; none for the files of a harness."""
        return [] if self._table is None else list(self._table)

    def guess(self, named: Mapping[str, str | None]) -> Columns:
        """Return what each role would be without a choice of its own: choices for other roles take columns away."""
        chosen = repr(named)  # programs may name columns by anything
        if chosen not in self._guesses:
            self._guesses[chosen] = self._guess(named)
        return self._guesses[chosen]

    @cached_property
    def _guesses(self) -> dict[str, Columns]:
        """What was guessed already, by what was named; to guess takes longer than to read."""
        return {}

    def _guess(self, named: Mapping[str, str | None]) -> Columns:
        if self._table is None:
            return self.read({}).roles
        alone = guess_roles(self._table)
        found = guess_roles(self._table, named) | {role: alone[role] for role in named} if named else alone
        group = found["group"]
        if group is not None and "group" not in named and exceeds(len(self.list_values(group)), LIMITS.max_groups):
            return found | {"group": None}
        return found

    def find_models(self, named: Mapping[str, str | None]) -> tuple[str, list[str]] | None:
        r"""Return the column that names models or runs, and its values, if there are several and it has no other role.

        Examples:
            >>> Given("model,id,correct\na,1,1\nb,1,0").find_models({})
            ('model', ['a', 'b'])
        """
        if self._table is None:
            return None
        roles = (self.guess(named) | dict(named)).values()
        for column in list_named(self._table, MODEL_NAMES):
            if column not in roles:
                values = self.list_values(column)
                if len(values) > 1:
                    return column, values
        return None

    def list_values(self, column: str) -> list[str]:
        r"""List the different values of a column, as texts, in their order; none for the files of a harness.

        Examples:
            >>> Given("prompt,correct\nlong,1\nshort,0\nlong,0").list_values("prompt")
            ['long', 'short']
        """
        return [] if self._table is None else list(map(str, self._table.coded(column).values))

    def name_lines(self, message: Message) -> Message:
        r"""Name the lines of the visitor's text where a message counts rows.

        Examples:
            >>> place = Message("cells.place", "row {row}, column “{column}”", row=1, column="a")
            >>> str(Given("id,a\n1,x").name_lines(place)), str(Given('[{"a": 1}]').name_lines(place))
            ('line 2, column “a”', 'row 1, column “a”')
        """
        if self.packed:
            return message
        try:
            source = self._source
        except InputError:  # it was refused as a whole, which names no row
            return message
        return name_lines(message, source)

    @contextmanager
    def naming(self, file: str = "") -> Iterator[None]:
        """Name the lines of the visitor's text in errors that come from within, and the file, if it has a name."""
        try:
            yield
        except InputError as reason:
            named = self.name_lines(reason.message)
            if file:
                raise make_error("compare.of_file", file=file, reason=named) from None
            raise InputError(named.code, named.sentence, **named.values) from None

    def read(self, columns: Mapping[str, str | None], *, concat: bool = False, **reading: Any) -> Samples:
        """Read the samples.

        Args:
            columns: role → column, where it is not guessed.
            concat: whether several files hold different problems, even where they name them alike.
            reading: the other arguments of `Reading`; None stands for the default, and “file” is no column of `pool`.

        Raises:
            InputError: if they cannot be read.
        """
        given = {name: value for name, value in reading.items() if value is not None}
        pool = [each for each in given.pop("pool", ()) if each != "file"]
        known = Reading(columns, limits=LIMITS, pool=pool, **given)
        if self._table is None:
            samples = self.format.read(self._source, known)
        else:
            guessed = self.guess(columns)
            samples = collect_samples(self._table, replace(known, columns={"group": guessed["group"], **columns}))
        refuse_much(samples)
        return samples


@dataclass(frozen=True)
class SeveralFiles(Given):
    r"""Several files that were opened together: more samples of the same problems, as `at_k.read_results` takes them.

    Attributes:
        files: the name of each file, and what it holds.

    Examples:
        >>> files = [{"name": f"{run}.csv", "text": f"id,correct\nx,{run}"} for run in (0, 1)]
        >>> Given.take("", {"packed": files}).read({}).grades
        [[0.0, 1.0]]
    """

    files: tuple[tuple[str, Given], ...] = ()

    @classmethod
    def take_all(cls, opened: Sequence[object]) -> SeveralFiles:
        """Take several files.

        Raises:
            InputError: if they were not sent as the page sends them, are too many or too large, or are copies.
        """
        if not opened:
            raise make_error("scoring.packed")
        if len(opened) > MOST_FILES:
            raise make_error("scoring.too_many_files", count=len(opened), most=MOST_FILES)
        files: dict[str, Given] = {}
        size = 0
        for each in opened:
            name, text = (each.get("name"), each.get("text") or "") if isinstance(each, Mapping) else (None, None)
            if not isinstance(name, str) or not isinstance(text, str):
                raise make_error("scoring.packed")
            given = Given.take(text, each)
            if type(given) is not Given:
                raise make_error("scoring.packed")
            if given in files.values():
                original = next(other for other, own in files.items() if own == given)
                raise make_error("scoring.same_file", file=name, original=original)
            size += given._source.size
            refuse_large(size, LIMITS)
            # Files of different folders may have the same name.
            files[f"{name} ({len(files) + 1})" if name in files else name] = given
        return cls(files=tuple(files.items()))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read."""
        return False

    @property
    def saved_options(self) -> dict[str, Any]:
        """No options: several files are no report."""
        return {}

    @property
    def columns(self) -> list[str]:
        """The columns of all files."""
        return list(dict.fromkeys(column for _, given in self.files for column in given.columns))

    def guess(self, named: Mapping[str, str | None]) -> Columns:
        """Return what each role would be in the first file."""
        first = self.files[0][1]
        return first.guess({role: name for role, name in named.items() if name is None or name in first.columns})

    def find_models(self, named: Mapping[str, str | None]) -> tuple[str, list[str]] | None:
        """Return the column of the first file that names several models, and its values."""
        return self.files[0][1].find_models(named)

    def list_values(self, column: str) -> list[str]:
        """List the different values of a column in all files."""
        found = (given.list_values(column) for _, given in self.files if column in given.columns)
        return list(dict.fromkeys(value for values in found for value in values))

    def name_lines(self, message: Message) -> Message:
        """Return a message as it is: where a file was refused, its lines are named already."""
        return message

    def read(self, columns: Mapping[str, str | None], *, concat: bool = False, **reading: Any) -> Samples:
        """Read all files, and merge their samples by the names of their problems; as `Given.read`."""
        parts = []
        for name, given in self.files:
            with given.naming(name):
                parts.append(given.read(columns, **reading))
        samples = merge(parts, [name for name, _ in self.files], pool=reading.get("pool") or (), concat=concat)
        refuse_much(samples)
        return samples


def refuse_much(samples: Samples) -> None:
    """Raise if samples are more, or longer, than the limits of the page allow."""
    n = [len(row) for row in samples.grades or samples.answers or ()]
    if exceeds(len(n), LIMITS.max_problems):
        raise make_error("scoring.many_problems", count=len(n), limit=LIMITS.max_problems)
    if exceeds(max(n), LIMITS.max_samples):
        row = samples.rows[n.index(max(n))][0]
        raise make_error("scoring.many_samples", count=max(n), limit=LIMITS.max_samples, row=row)
    if exceeds(sum(n), LIMITS.max_all_samples):
        raise make_error("scoring.many_all_samples", count=sum(n), limit=LIMITS.max_all_samples)
    groups, column = len({*(samples.group or ())}), shorten(samples.roles["group"] or "")
    if exceeds(groups, LIMITS.max_groups):
        raise make_error("scoring.many_groups", count=groups, limit=LIMITS.max_groups, column=column)
    texts = [samples.problems, *(samples.answers or ()), *(samples.references or ()), samples.group or ()]
    longest = max(len(text) for row in texts for text in row if text is not None)
    if exceeds(longest, LIMITS.max_text):
        raise make_error("scoring.long_text", length=longest, limit=LIMITS.max_text)

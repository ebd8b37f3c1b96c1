"""Plan by its first rows how a table is read: the role of each column, the shape, and what is looked at beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from at_k.errors import Mention, Message, Phrases
from at_k.readers.blocks import Block, Rows, split_joined
from at_k.readers.cells import Cells
from at_k.readers.files.decoding import read_list
from at_k.readers.format import Reading
from at_k.readers.names import (
    SETTING,
    TEST,
    VERDICT,
    find_named,
    has_name,
    normalize_name,
    quote,
    shorten,
)
from at_k.readers.samples import COUNT_ROLES, Columns
from at_k.readers.tables.choosing import Where, refuse_unknown
from at_k.readers.tables.doubts import OF_COLUMNS, walk
from at_k.readers.tables.doubts.known import ColumnsKnown
from at_k.readers.tables.doubts.of_columns import find_name
from at_k.readers.tables.doubts.of_names import find_asked, find_questions
from at_k.readers.tables.doubts.of_rows import names_failures
from at_k.readers.tables.profile import Profile, find_lists, find_numbers, find_roles
from at_k.readers.tables.prompts import ENTRY, find_tests, gather_tests, join_prompts
from at_k.readers.tables.settings import MOST_SETTINGS, Watch
from at_k.readers.tables.shapes import find_change, find_summed
from at_k.validation import is_missing

# Values of a column that is watched for its name, and of one whose values are kept whatever they are.
_MANY, _ALL = 100_000, 2**62

_say = Phrases(
    {
        "note.rows": "No column names the problems: every row was read as one of its own.",
        "note.summed": "Column “{column}” sums up the list of each row, which has the samples.",
        "note.unread_verdicts": "Column “{column}” was not used: {value} is no verdict. Say which words are right: "
        "{words}.",
    }
)


class Plan:
    """The way in which a table is read.

    Args:
        head: its first rows.
        rows: opens all rows.
        reading: the options of the user.
        default: what names the problems where no column does: "line", where other files have the same lines, or
            "file", where each has one row; "" where nothing does.
        files: the files that hold a row each.

    Attributes:
        profile: the columns, with samples in lists where the shape of the rows is another one.
        asked: the columns as they are in the file.
        wanted: the first rows that `where` asks for.
        roles: the column of each role.
        listed: whether a row is a problem, with lists of samples.
        others: the columns without a role.
        numbers: those of them that number the samples of each problem.
    """

    def __init__(
        self, head: Block, rows: Rows, reading: Reading, *, default: str, files: Sequence[str] = ()
    ) -> None:
        self.head, self.rows, self.reading, self.files = head, rows, reading, files
        self.reads = reading.make_cells(Cells)
        self.where, pool = Where(reading.where), reading.pool
        self.given = {
            role: name
            for role, name in reading.columns.items()
            if role not in (*COUNT_ROLES, "sample")
        }
        counts = {role: name for role, name in reading.columns.items() if role in COUNT_ROLES}
        self.asked = self._look(head)
        self.asked.refuse_unknown(reading.columns)
        chosen = [*self.where.columns, *(name for name in pool if name != "file")]
        refuse_unknown([*head.names, *filter(head.has, chosen)], chosen)
        guessed = find_roles(self.asked, self.given)
        self._tests = find_tests(head.names) if guessed["grades"] is None else []
        if self._tests and self.given.get("references", "test_list") == "test_list":
            head = self._take_tests(guessed, head)
            guessed = find_roles(self.asked, self.given)
        self.summed: str | None
        self.summed, samples = find_summed(self.asked, guessed, self.given) or (None, "")
        if self.summed is not None:
            head = head.put([self.summed], {})
            if not any(isinstance(part, dict) for part in self.asked[samples].parts):
                self.given["grades"] = samples
            self.asked = self._look(head)
            guessed = find_roles(self.asked, self.given)
        self.wanted = head.take(self.where.keep(head)) if reading.where else head
        self.change = find_change(self.asked, guessed, self.given, counts, rows.faults)
        self.profile = self.asked
        if self.change is not None:
            self.profile = self._look(self.change.apply(self.wanted if len(self.wanted) else head))
        self.roles = find_roles(self.profile, self.given) | self.given
        lists = find_lists(self.profile, self.roles)
        self.listed = bool(lists)
        if self.roles["problem"] is None and "problem" not in self.given:
            find = find_name if self.listed else find_asked
            self.roles["problem"] = find(self.profile, self.roles)
        if "cost" not in self.given and not self.listed:
            cost = self.profile.find("cost", [*self.roles.values(), *pool])
            self.roles |= {"cost": cost} if cost else {}
        used = [name for name in self.roles.values() if name]
        self._taken = {*used, *chain.from_iterable(map(split_joined, used))}
        self.others = [name for name in self.profile.columns if name not in {*self._taken, *pool}]
        self._notes = walk(OF_COLUMNS, self._sum_up(default))
        spelled = {*lists, self.roles["references"]} if rows.is_text else ()
        self._texts = [
            name for name in spelled if name is not None and self.profile[name].has_lists
        ]
        self.numbers = self._find_numbers()

    def _find_numbers(self) -> list[str]:
        """Find the columns that number the samples of each problem."""
        sample = self.reading.columns.get("sample", "")
        # The samples of several models may have the same numbers.
        if self.listed or sample is None or any(map(self.head.has, self.reading.pool)):
            return []
        if sample:
            return [sample]
        return find_numbers(self.profile, self.others)

    @property
    def is_unsure(self) -> bool:
        """Return whether the first rows do not tell whether problems repeat."""
        problem = self.roles["problem"]
        if self.listed or "problem" in self.given:
            return False
        return problem is None or not self.profile.repeats(problem)

    def find_questions(self, *, own_names: bool) -> Mapping[str, str]:
        """Find what each problem asks, by the first rows that are wanted."""
        if "problem" in self.given:
            return {}
        chosen = self.where.columns
        return find_questions(
            self._wanted, self.roles["problem"], own_names=own_names, chosen=chosen
        )

    @property
    def _wanted(self) -> Profile:
        """The columns of the file in the first rows that are wanted."""
        if self.reading.where:
            return self._look(self.wanted)
        return self.asked

    def _look(self, head: Block) -> Profile:
        named = [
            name
            for name in (*self.reading.columns.values(), *self.where.columns)
            if name is not None
        ]
        return Profile(head, self.reads, is_text=self.rows.is_text, named=named)

    def _take_tests(self, guessed: Columns, head: Block) -> Block:
        """Take the tests of a data set of programs as references."""
        self.given["references"] = "tests"
        for role, names in (
            ("answers", ("solution", "raw_solution", "code_list")),
            ("problem", ("name",)),
        ):
            fitting = find_named(self.head.names, names)
            if role not in self.given and guessed[role] is None and fitting:
                self.given[role] = fitting[0]
        head = self._gather_tests(head)
        self.asked = self._look(head)
        return head

    def _gather_tests(self, block: Block) -> Block:
        if not self._tests or self.given.get("references") != "tests":
            return block
        return block.put(
            (), {"tests": gather_tests({name: block[name] for name in self._tests}, self._tests)}
        )

    def _sum_up(self, default: str) -> ColumnsKnown:
        """Sum up what is known, for those who doubt it."""
        return ColumnsKnown(
            profile=self.profile,
            asked=self._wanted,
            roles=self.roles,
            given=self.given,
            others=self.others,
            listed=self.listed,
            changed=self.change is not None,
            default=default,
            files=self.files,
            rows=self.rows,
        )

    def watch_settings(self) -> list[Watch]:
        """Watch the columns that may hold settings: those of few values, or of such a name, that number no samples."""
        used = {*self.roles.values(), *self.reading.pool}
        used |= {*self.numbers, *find_numbers(self.profile, self.others)}
        watches: list[Watch] = []
        for name, column in self.profile.leaves.items():
            if name in self.profile.columns:
                outer = name
            else:
                outer = name.partition(".")[0]
            is_within = name not in self.profile.columns
            if outer in self._taken or name in used or has_name(name, VERDICT):
                continue
            if is_within and column.has_lists:
                continue  # each sample has a list of objects
            if has_name(name, (*SETTING, *TEST)):
                watches.append(Watch(name, _MANY))
            elif column.distinct <= MOST_SETTINGS and not column.has_objects:
                watches.append(Watch(name))
        return watches

    def watch_beside(self) -> tuple[list[Watch], list[Watch]]:
        """Watch further columns of verdicts, which must agree, and the columns that say why a sample failed."""
        grades = self.roles["grades"]
        verdicts = list[str]()
        if "grades" not in self.given and grades:
            verdicts = find_named(self.others, VERDICT)
            # Beside `acc`, `acc_norm` judges the same samples by another rule.
            longer = [
                name
                for name in self.others
                if normalize_name(name).startswith(f"{normalize_name(grades)}_")
            ]
            verdicts += [
                name for name in longer if name not in verdicts and self.profile[name].are_verdicts
            ]
        errors = []
        if grades is not None and not self.listed:
            errors = [name for name in self.others if names_failures(name)]
        fitting = [name for name in verdicts if self.profile[name].fits("grades")]
        return [Watch(name, _ALL) for name in fitting], [Watch(name, _ALL) for name in errors]

    def list_needed(self, names: Sequence[str]) -> dict[str, bool] | None:
        """List the columns of the file that are needed, and which of them as numbers."""
        if self.change is not None or self._tests or self.reading.meta:
            return dict.fromkeys(self.head.names, False)
        of_names = {self.roles.get(role) for role in ("problem", "answers", "references", "group")}
        numeric = {
            self.roles.get(role) for role in ("grades", "scores", "cost", "weight", "attempt")
        } - of_names
        used = [name for name in self.roles.values() if name is not None]
        extra = () if self.reading.prompt_column is None else (self.reading.prompt_column, ENTRY)
        needed: dict[str, bool] = {}
        for name in (*used, *self.numbers, *names, *self.where.columns, *extra):
            for part in [name] if name in self.head.names else split_joined(name):
                if part in self.head.names:
                    outer = part
                else:
                    outer = part.partition(".")[0]
                outer = next(
                    (column for column in self.head.names if part.startswith(f"{column}.")), outer
                )
                needed[outer] = name in numeric
        return needed

    def apply(self, block: Block) -> Block:
        """Return the rows that are wanted, changed as their shape needs it."""
        block = self._gather_tests(
            block.take(self.where.keep(block)) if self.reading.where else block
        )
        if self.summed is not None:
            block = block.put([self.summed], {})
        if self.change is not None:
            block = self.change.apply(block)
        if self.reading.prompt_column is not None and len(block):
            block = self._join_prompts(block)
        return block.put((), {name: list(map(read_list, block[name])) for name in self._texts})

    def _join_prompts(self, block: Block) -> Block:
        names = [*block.names, *self.roles.values()]
        columns = {name: block[name] for name in names if name is not None and block.has(name)}
        joined = join_prompts(
            columns, self.roles, self.reading.prompt_column or "", first=block.places[0] - 1
        )
        return block.put((), {self.roles[role] or role: cells for role, cells in joined.items()})

    def list_notes(self) -> Iterator[Message]:
        """List what is to be said of how the table was read, and of a column of verdicts that cannot be read."""
        yield from self.rows.notes
        if self.reads.are_words_unseen:
            yield self.reading.note_unseen_words()
        if self.change is not None and self.change.note is not None:
            yield self.change.note
        if self.summed is not None:
            yield _say("note.summed", column=shorten(self.summed))
        if self.roles["problem"] is None and not self.listed:
            yield _say("note.rows")
        yield from self._notes
        for name in find_named(self.others, VERDICT) if self.roles["grades"] is None else ():
            parts = self.profile[name].list_parts()
            odd = [
                part for part in parts if is_missing(part) or not self.reads.fits("grades", part)
            ]
            if 2 * len(odd) > len(parts) and "grades" not in self.given:
                words = Mention(columns={"grades": shorten(name)}, correct=[shorten(str(odd[0]))])
                yield _say(
                    "note.unread_verdicts", column=shorten(name), value=quote(odd[0]), words=words
                )
                return

"""List the samples of rows that tell them by counts, by bits, by numbered columns or by objects, block by block."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from at_k.errors import InputError, Mention, Message
from at_k.readers.blocks import Block
from at_k.readers.cells import is_finite, read_list, read_share, read_spelled
from at_k.readers.faults import UNITS, Faults
from at_k.readers.names import (
    OF_SAMPLES,
    OWN_ANSWER,
    RIGHT,
    ROLE,
    RUN,
    SAMPLE_LIST,
    SHARE,
    TOTAL,
    find_named,
    normalize_name,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.roles import Profile
from at_k.readers.samples import SAMPLE_ROLES, Columns
from at_k.readers.structure import make_summary_error

# A name with a number at its end: answer_1, run[0], 第1次; not pass@1, which sums up samples.
_NUMBERED = re.compile(r"(|.*?[^\W\d])[\s._\[(#-]*(\d+)(?:次|[\])])?")

# Names that may be of several predictors, where they are numbered.
_PREDICTORS = ("pred", "preds", "prediction", "predictions", "predicted_answer")

# Names of columns that have none but a number.
_UNNAMED = ("", "column")

# The largest count of samples.
_MOST = 1_000_000


class Change(NamedTuple):
    """A change of blocks: what makes it, and what is to be said of it."""

    apply: Callable[[Block], Block]
    note: Message | None


def find_change(
    profile: Profile,
    roles: Columns,
    given: Mapping[str, str | None],
    counts: Mapping[str, str | None],
    faults: Faults,
) -> Change | None:
    """Find how the rows must be changed; None if their samples are rows or lists already."""
    joined = [name for role, name in given.items() if name and role in SAMPLE_ROLES and "+" in name]
    joined = [name for name in joined if name not in profile.head.names]
    kept = {*given.values()}
    if joined:
        return Change(partial(_join, {name: name.split("+") for name in joined}, kept), None)
    if given.get("grades") is not None and not counts:
        return _find_bits(profile, given["grades"])
    counted = _find_counts(profile, roles, counts, faults, kept)
    if counted is not None or roles["grades"] is not None:
        return counted or _find_bits(profile, roles["grades"])
    if None not in (roles["answers"], roles["references"]):
        return None
    return _find_objects(profile, kept) or _find_columns(profile, roles, kept)


def _note(names: Sequence[str]) -> Message:
    return Message(
        "shapes.listed", "Read as the samples of each problem, in columns: {columns}.", columns=quote_all(names)
    )


def _join(lists: Mapping[str, Sequence[str]], kept: set[str | None], block: Block) -> Block:
    """Put lists in place of the columns that hold their samples, except those that a user named."""
    gone = () if not kept.isdisjoint(lists) else [name for own in lists.values() for name in own if name not in kept]
    rows = {name: zip(*map(block.__getitem__, own), strict=True) for name, own in lists.items()}
    return block.put(gone, {name: [*map(list, own)] for name, own in rows.items()})


def _find_bits(profile: Profile, name: str | None) -> Change | None:
    """Find verdicts that are written as one text: "0110"."""
    texts = profile[name].there if name in profile.columns else []
    if name is None or not all(isinstance(text, str) and re.fullmatch("[01](?: ?[01])+", text) for text in texts):
        return None
    if not any(text.startswith("0") or len(text) > 3 for text in texts):
        return None  # 10 and 100 may be points
    return Change(lambda block: block.put((), {name: list(map(_read_bits, block[name]))}), _note([name]))


def _read_bits(text: Any) -> Any:
    is_read = isinstance(text, str) and re.fullmatch("[01](?: ?[01])*", text)
    return list(map(int, text.replace(" ", ""))) if is_read else text


def _find_counts(
    profile: Profile,
    roles: Columns,
    counts: Mapping[str, str | None],
    faults: Faults,
    kept: set[str | None],
) -> Change | None:
    total = counts.get("n") or next(iter(find_named(profile.columns, TOTAL)), None)
    right = counts.get("c") or next(iter(find_named(profile.columns, RIGHT)), None)
    share = None if right is not None else next(iter(find_named(profile.columns, SHARE)), None)
    if total is None or (right is None and share is None):
        if counts:
            raise InputError(
                "shapes.one_count",
                "Counts need two columns: n, the number of samples of each problem, and c, that of the correct ones. "
                "Name both: {example}.",
                example=Mention(columns={"n": "total", "c": "solved"}),
            )
        return None
    profile.refuse_unknown(counts)
    column = right or share or ""
    if not counts and not _are_counts(profile, roles, total, column, is_share=right is None):
        return None
    note = Message(
        "shapes.counted",
        "Columns “{total}” and “{right}” were read as the number of samples and of correct ones.",
        total=shorten(total),
        right=shorten(column),
    )
    gone = {total, column}.difference(kept)
    return Change(_Spread(total, column, roles["problem"], faults, gone, is_share=right is None), note)


def _are_counts(profile: Profile, roles: Columns, total: str, right: str, *, is_share: bool) -> bool:
    problem = roles["problem"]
    is_free = roles["grades"] is None and None in (roles["answers"], roles["references"])
    repeats = problem is not None and profile[problem].distinct < profile.count
    is_clear = is_free and [normalize_name(total), normalize_name(right)] == ["n", "c"]
    if (repeats and not is_clear) or profile[total].has_lists or profile[right].has_lists:
        return False
    totals = [_read_count(cell) for cell in profile[total].there]
    if is_share:
        shares = list(map(_read_share, profile[right].there))
        counted = [count for count in totals if count is not None]
        parts = [n * share for n, share in zip(counted, shares, strict=False) if share is not None]
        if len(counted) < len(totals) or len(parts) < max(len(shares), 1):
            return False
        # A column of this name may hold verdicts, of which a share of n would be no whole number.
        whole = max(counted) > 1 and all(abs(part - round(part)) < 1e-6 for part in parts)
        return roles["grades"] is None or (roles["grades"] == right and whole)
    read = [_read_count(cell) for cell in profile[right].there]
    # A verdict is 0 or 1; a count is more than one somewhere.
    counted = [count for count in (*read, *totals) if count is not None]
    if problem is None and {total, right} != {*profile.columns}:
        return False  # each row may sum up a data set
    if normalize_name(right) in (*ROLE["grades"], *ROLE["scores"]) or problem is None:
        return max((each for each in read if each is not None), default=0) > 1
    return 2 * len(counted) >= len(read) + len(totals) if is_free else len(counted) == len(read) + len(totals)


def _read_count(cell: object) -> int | None:
    value = read_spelled(cell)
    return int(value) if is_finite(value) and value == int(value) and 0 <= value <= _MOST else None


def _read_share(cell: object) -> float | None:
    value = read_share(read_spelled(cell))
    return float(value) if is_finite(value) and 0 <= value <= 1 else None


class _Spread:
    """Put a list of grades in place of counts. A row whose counts are the sums of those above it is refused."""

    def __init__(
        self, total: str, right: str, problem: str | None, faults: Faults, gone: Collection[str], *, is_share: bool
    ) -> None:
        self.total, self.right, self.problem, self.is_share, self.faults = total, right, problem, is_share, faults
        self.gone, self.sums, self.rows = gone, [0, 0], 0

    def __call__(self, block: Block) -> Block:
        grades: dict[int, list[int]] = {}
        names = block[self.problem] if self.problem else block.places
        cells = zip(block.places, names, block[self.total], block[self.right], strict=True)
        for position, (place, name, total, right) in enumerate(cells):
            with self.faults:
                n, c = self._read(place, total, right)
                if self.rows > 1 and [n, c] == self.sums and n > 0:
                    raise make_summary_error(self.problem or "line", name, UNITS["row"](place))
                self.sums, self.rows = [self.sums[0] + n, self.sums[1] + c], self.rows + 1
                grades[position] = [1] * c + [0] * (n - c)
        return block.take(list(grades)).put(self.gone, {"grades": list(grades.values())})

    def _read(self, place: int, total: object, right: object) -> tuple[int, int]:
        n, c = _read_count(total), _read_count(right)
        if self.is_share and n is not None:
            share = _read_share(right)
            product = None if share is None else share * n
            c = None if product is None or abs(product - round(product)) > 0.05 + 0.005 * n else round(product)
        if n is None or c is None or not 0 < n <= _MOST or c > n:
            raise InputError(
                "shapes.counts",
                "Column “{total}” must count the samples, from 1 to {most:,}, and “{right}” the correct ones among "
                "them; got {count} and {correct} ({place}).",
                total=shorten(self.total),
                right=shorten(self.right),
                most=_MOST,
                count=quote(total),
                correct=quote(right),
                place=UNITS["row"](place),
            )
        return n, c


def _find_objects(profile: Profile, kept: set[str | None]) -> Change | None:
    """Find a column with a list of objects for each problem: `samples: [{text, correct}]`."""
    for column in profile.columns.values():
        parts = [part for cell in column.there if isinstance(cell, list) for part in cell if isinstance(part, dict)]
        fields = list(dict.fromkeys(name for part in parts for name in part))
        if column.spelling in SAMPLE_LIST and {*map(normalize_name, fields)} & OF_SAMPLES:
            read = read_list if profile.is_text else lambda cell: cell
            return Change(partial(_unfold, column.name, fields, kept, read), _note([column.name]))
    return None


def _unfold(
    outer: str, fields: Sequence[str], kept: set[str | None], read: Callable[[Any], Any], block: Block
) -> Block:
    cells = list(map(read, block[outer]))
    columns: dict[str, list[Any]] = {}
    for field in fields:
        # A text beside a verdict is what was written; elsewhere it is the question.
        name = "response" if field == "text" else field
        columns[name if name not in block.names or name == outer else f"{outer}.{name}"] = [
            [part.get(field) if isinstance(part, dict) else part for part in cell] if isinstance(cell, list) else cell
            for cell in cells
        ]
    return block.put(() if outer in kept else [outer], columns)


def list_families(profile: Profile) -> dict[str, list[tuple[int, str]]]:
    """List columns whose names differ in a number alone, by the rest of the name and in the order of the numbers."""
    families: dict[str, list[tuple[int, str]]] = {}
    for name, column in profile.columns.items():
        match = _NUMBERED.fullmatch(column.spelling)
        if match:
            families.setdefault(match[1], []).append((int(match[2]), name))
    return {stem: sorted(family) for stem, family in families.items()}


def _find_columns(profile: Profile, roles: Columns, kept: set[str | None]) -> Change | None:
    """Find numbered columns that hold a sample each: `answer_1` … `answer_8`, `run_0` … `run_3`."""
    found: dict[str, tuple[str, ...]] = {}
    for stem, family in list_families(profile).items():
        numbers, names = zip(*family, strict=True)
        is_row = numbers[0] < 2 and numbers == tuple(range(numbers[0], numbers[0] + len(numbers)))
        role = _find_role(profile, stem, names, roles) if len(names) > 1 and (is_row or stem in RUN) else None
        if role is None or role in profile.columns or role in found or not kept.isdisjoint(names):
            continue
        # Beside numbered answers, a column `answer` is the reference.
        taken = roles[role]
        if taken is not None and (role != "answers" or normalize_name(taken) not in OWN_ANSWER):
            continue
        if stem in _PREDICTORS:
            raise InputError(
                "shapes.predictors",
                "Columns {first} to {last} may be samples of one model, or each of another predictor. If they are "
                "samples: {all}. To score one: {one}.",
                first=quote(names[0]),
                last=quote(names[-1]),
                all=Mention(columns={role: "+".join(names)}),
                one=Mention(columns={role: names[0]}),
            )
        found[role] = names
    return Change(partial(_join, found, kept), _note(next(iter(found.values())))) if found else None


def find_family(profile: Profile, problem: str | None) -> list[str]:
    """Find numbered columns of one name, most of whose cells could be grades, or that hold few words."""
    found: list[str] = []
    for stem, family in list_families(profile).items():
        names = [name for _, name in family if name != problem]
        texts = {key for name in names for key in profile[name].keys}
        has_words = stem not in _UNNAMED and len(texts) < min(4, profile.count * len(names))
        own = names if has_words else [name for name in names if profile[name].fits("grades")]
        found = own if len(own) > max(len(found), 1) else found
    return found


def _find_role(profile: Profile, stem: str, names: Sequence[str], roles: Columns) -> str | None:
    """Find the role of columns that have one name and different numbers; None if they are no samples."""
    for role in ("scores", "grades"):
        if stem in ROLE[role]:
            return role
    if stem not in (*RUN, *ROLE["answers"], *_UNNAMED):
        return None
    cells = [cell for name in names for cell in profile[name].there]
    fitting = sum(profile.reads.fits("grades", cell) for cell in cells)
    # The last row may sum up the others, so that not all of them fit.
    are_grades = roles["references"] is None and fitting >= len(cells) - 2 * len(names) and 2 * fitting > len(cells)
    return "grades" if are_grades else None if stem in _UNNAMED else "answers"

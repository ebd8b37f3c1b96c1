"""Propose the options that would tell what a table means, where its columns do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

from at_k.errors import Mention
from at_k.readers.cells import is_finite, read_spelled
from at_k.readers.names import ROLE, RUN, SAMPLE_NUMBER, normalize_name, shorten
from at_k.readers.roles import Column, Profile
from at_k.readers.samples import Columns
from at_k.readers.shapes import find_family, list_families

# Different words up to which a column may hold verdicts, whose words a user then names.
_FEW_WORDS = 6


def propose_columns(profile: Profile, roles: Columns) -> Mention:
    """Propose the columns of problem and verdict, or of answers and references: those that could be it."""
    columns = list(profile.columns.values())
    numbered = {name for family in list_families(profile).values() for _, name in family if len(family) > 1}
    naming = [column for column in columns if column.fits("problem") and column.name not in numbered]
    named = roles["problem"] or next((each.name for each in naming if 1 < each.distinct < profile.count), None)
    free = [column for column in columns if column.name != named]
    counts = _find_counts(profile, named, free)
    if counts:
        return Mention(columns={name: shorten(column) for name, column in counts.items()})
    fitting = [column for column in free if column.fits("grades") and not profile.numbers_samples(column)]
    fitting.sort(key=lambda column: (not column.has_lists, column.distinct == 1))  # lists before numbers and constants
    nested = [path for column in free for path, value in _list_fields(column) if profile.reads.fits("grades", value)]
    nested = [] if profile.is_text else nested  # a path leads into objects of JSON alone
    few = [column for column in free if 1 < column.distinct < min(_FEW_WORDS + 1, len(column.there))]
    points = [column for column in free if _find_scale([column]) is not None]
    family = find_family(profile, named)
    pair: dict[str, str] = {}
    if not family and not fitting and not nested:
        pair = _find_alike(profile, named, free) or _find_other(roles, free)
        if not pair and not points and not few:
            pair = {role: column.name for role, column in zip(("answers", "references"), free[:2], strict=False)}
    if len(pair) < 2:
        listed = family or ([] if fitting else nested[:1])
        pair = {"grades": "+".join(listed) or [*fitting, *points, *few, *free, *columns][0].name}
    graded = [profile[name] for name in pair.get("grades", "").split("+") if name in profile.columns]
    settings = _propose_words(profile, graded)
    told = {role: shorten(name) for role, name in {"problem": named or "line", **pair}.items()}
    return Mention(columns=told, **settings)


def _find_counts(profile: Profile, problem: str | None, free: Sequence[Column]) -> dict[str, str]:
    """Find two columns of whole numbers, of which one is never larger than the other, in a table of problems."""
    if problem is None or profile[problem].distinct < profile.count:
        return {}
    whole = [column for column in free if column.numbers is not None and min(column.numbers) >= 0]
    for one, other in combinations(whole, 2):
        for n, c in ((one, other), (other, one)):
            cells = list(zip(n.numbers or (), c.numbers or (), strict=True))
            if all(0 < total >= right for total, right in cells) and max(right for _, right in cells) > 1:
                return {"problem": problem, "n": n.name, "c": c.name}
    return {}


def _list_fields(column: Column) -> Iterator[tuple[str, Any]]:
    """List the fields of the first object in a column, or in its first list, by their paths."""
    first = column.there[0] if column.there else None
    pending = [(column.name, first[0] if isinstance(first, list) and first else first)]
    while pending:
        path, value = pending.pop(0)
        if isinstance(value, dict):
            pending += [(f"{path}.{name}", each) for name, each in value.items()]
        elif path != column.name:
            yield path, value


def _find_alike(profile: Profile, problem: str | None, free: Sequence[Column]) -> dict[str, str]:
    """Find two columns that have the same text in some rows, of which the one that is the same is the reference."""
    for pair in combinations([column for column in free if not column.has_lists], 2):
        if any(one == other is not None for one, other in zip(pair[0].cells, pair[1].cells, strict=True)):
            named = [column for column in pair if column.spelling in ROLE["references"]]
            steady = [column for column in pair if problem and not profile.differs(column.name, problem)]
            reference = (named or steady or pair[1:])[0]
            return {"answers": pair[reference is pair[0]].name, "references": reference.name}
    return {}


def _find_other(roles: Columns, free: Sequence[Column]) -> dict[str, str]:
    """Find what could be answers beside references, or beside what was taken for answers and may be references."""
    known = roles["references"] or roles["answers"]
    texts = [path for column in free for path, value in _list_fields(column) if isinstance(value, str)]
    texts += [column.name for column in free if all(isinstance(cell, str) for cell in column.there)]
    others = [name for name in texts if name != known]
    # A field that is called content is what was written; a role is not.
    others.sort(key=lambda name: name.rpartition(".")[2] != "content")
    return {"answers": others[0], "references": known} if known and others else {}


def _propose_words(profile: Profile, columns: Sequence[Column]) -> dict[str, Any]:
    """Propose the word for a right sample where columns have few words, or the scale of their points."""
    cells = list(chain.from_iterable(column.there for column in columns))
    words = [cell for cell in cells if isinstance(cell, str) and isinstance(read_spelled(cell), str)]
    words = [word for word in words if not profile.reads.fits("grades", word)]
    known = [cell for cell in cells if isinstance(cell, str) and read_spelled(cell) is True]
    if words and len(set(map(repr, cells))) < len(cells):
        return {"correct": [shorten([*known, *words][0])]}
    scale = _find_scale(columns)
    return {} if scale is None else {"scale": scale}


def _find_scale(columns: Sequence[Column]) -> tuple[int, int] | None:
    """Return the worst and the best grade of rewards from −1, or of points up to 10 or 100; None for others."""
    values = [read_spelled(cell) for column in columns for cell in column.there if not isinstance(cell, (list, dict))]
    numbers = [float(value) for value in values if is_finite(value)]
    if not values or len(numbers) < len(values):
        return None
    if min(numbers) == -1 and max(numbers) <= 1:
        return -1, 1
    if min(numbers) < 0 or not 1 < max(numbers) <= 100:
        return None
    return 0, 10 if max(numbers) <= 10 else 100


def propose_problem(profile: Profile, repeated: Sequence[str], group: str | None) -> str | None:
    """Propose the column of the problem among those that repeat: beside a group, the number within it."""
    named = [name for name in repeated if normalize_name(name) not in (*SAMPLE_NUMBER, *RUN) and name != group]
    if not named or group is None:
        return next(iter([*named, *repeated]), None)
    owners = {*zip(profile[group].keys, profile[named[0]].keys, strict=True)}
    return f"{group}+{named[0]}" if len(owners) > profile[named[0]].distinct else named[0]

"""List the samples of rows that tell them by counts, by bits, by numbered columns or by objects, block by block."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from at_k.errors import Mention, Message, Phrases
from at_k.readers.blocks import Block
from at_k.readers.cells import Cells
from at_k.readers.faults import UNITS, Faults
from at_k.readers.files.decoding import read_list
from at_k.readers.names import (
    ERROR,
    NUMBERED,
    OF_SAMPLES,
    OWN_ANSWER,
    RIGHT,
    ROLE,
    RUN,
    SAMPLE_LIST,
    SHARE,
    STATUS,
    SYSTEM,
    TOTAL,
    WRONG,
    find_named,
    has_name,
    normalize_name,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.numbering import count_up
from at_k.readers.samples import SAMPLE_ROLES, Columns
from at_k.readers.tables.profile import Column, Profile
from at_k.readers.words import is_finite, read_share, read_spelled, read_whole

# A name with a number at its end: answer_1, run[0], 第1次; not pass@1, which sums up samples.
_NUMBERED = re.compile(r"(|.*?[^\W\d])[\s._\[(#-]*(\d+)(?:次|[\])])?")

# A name with the number of a sample before its end: attempt_1_correct.
_BEFORE = re.compile(
    r"(?:run|trial|attempt|seed|rollout|try|repeat|sample|response|completion|generation)[\W_]*(\d+)[\W_]+([^\W\d]+)"
)

# Names that may be of several predictors, where they are numbered.
PREDICTORS = ("pred", "preds", "prediction", "predictions", "predicted_answer")

# Names of columns that have none but a number.
_UNNAMED = ("", "column")

# Columns of problems, at least: of those with one name and different numbers, and of others.
_FEW, _MANY = 3, 6

# Names of columns that hold something of a sample, and no problem.
_OF_SAMPLE = {*RUN, *ROLE["grades"], *ROLE["scores"], *ROLE["answers"], *ERROR, *STATUS}

# The largest count of samples.
_MOST = 1_000_000

# What says in the name of a column that it holds per cent.
_PERCENT = re.compile(r"\W*%\W*")

_say = Phrases(
    {
        "shapes.repeated": "Column “{total}” must count the samples of a row, from 0 to {most:,}; got {count} "
        "({place}).\n{option:errors=skip} leaves out such rows.",
        "shapes.turned": "Each row was read as a run, by column “{column}”, and each other column as a problem: "
        "{columns}.",
        "shapes.listed": "Read as the samples of each problem, in columns: {columns}.",
        "shapes.counted": "Columns “{total}” and “{right}” were read as the number of samples and of correct ones.",
        "shapes.counted_once": "Columns “{total}” and “{right}” were read as the number of samples and of correct "
        "ones, once for each problem: its other rows repeat them.",
        "shapes.one_count": "Counts need two columns: n, the number of samples of each problem, "
        "and c, that of the correct ones.\nName both: {example}.",
        "shapes.counts": "Column “{total}” must count the samples, from 1 to {most:,}, and "
        "“{right}” the correct ones among them; got {count} and {correct} "
        "({place}).\n{option:errors=skip} leaves out such rows.",
    }
)


class Change(NamedTuple):
    """A change of blocks: what makes it, what is to be said of it, and whether counts become lists."""

    apply: Callable[[Block], Block]
    note: Message | None
    is_counted: bool = False


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
        return _find_marks(profile, given["grades"])
    counted = _find_counts(profile, roles, counts, faults, kept)
    if counted is None and _is_one_of_several(profile, roles["grades"]):
        return _find_columns(profile, roles, kept) or _find_marks(profile, roles["grades"])
    if counted is not None or roles["grades"] is not None:
        return counted or _find_marks(profile, roles["grades"])
    if None not in (roles["answers"], roles["references"]):
        return None
    turned = _find_runs(profile, kept) if roles["problem"] is None else None
    return turned or _find_objects(profile, kept) or _find_columns(profile, roles, kept)


def _find_runs(profile: Profile, kept: set[str | None]) -> Change | None:
    """Find rows that are runs of all problems, each of which has a column: `run,q0,q1,q2`."""
    numbered = list(dict.fromkeys(find_named(profile.columns, NUMBERED)))
    names = [name for name in profile.columns if name not in numbered]
    if len(numbered) != 1 or len(names) < _FEW or kept - {None}:
        return None
    number = profile[numbered[0]]
    is_number = number.numbers is not None and number.distinct == profile.count > 1
    if not is_number or not all(profile[name].are_verdicts for name in names):
        return None
    families = {stem: own for stem, own in list_families(profile).items() if {*own} & {*names}}
    spelled = {*families, *(profile[name].spelling for name in names)}
    is_family = any(len(own) == len(names) for own in families.values())
    if not spelled.isdisjoint(_OF_SAMPLE) or not (is_family or len(names) >= _MANY):
        return None
    note = _say("shapes.turned", column=shorten(number.name), columns=quote_all(names))
    return Change(partial(_turn, number.name, names), note)


def _repeat(total: str, faults: Faults, block: Block) -> Block:
    """Repeat each row as often as a column says."""
    rows: list[int] = []
    for row, (place, cell) in enumerate(zip(block.places, block[total], strict=True)):
        count = read_whole(cell)
        with faults:
            if count is None or not 0 <= count <= _MOST:
                told = {"total": shorten(total), "count": quote(cell), "most": _MOST}
                raise _say.error("shapes.repeated", place=UNITS["row"](place), **told)
            rows += [row] * count
    cells = {name: block[name] for name in block.names if name != total}
    places = [block.places[row] for row in rows]
    return Block(places, [*cells], lambda name: [cells[name][row] for row in rows])


def _turn(number: str, names: Sequence[str], block: Block) -> Block:
    """Make a row of each verdict of a run."""
    rows = zip(*map(block.__getitem__, names), strict=True)
    columns = {
        "problem": [*names] * len(block),
        "correct": list(chain.from_iterable(rows)),
        number: [each for each in block[number] for _ in names],
    }
    places = [place for place in block.places for _ in names]
    return Block(places, [*columns], columns.__getitem__)


def _join(lists: Mapping[str, Sequence[str]], kept: set[str | None], block: Block) -> Block:
    """Put lists in place of the columns that hold their samples, except those that a user named."""
    gone = (
        ()
        if not kept.isdisjoint(lists)
        else [name for names in lists.values() for name in names if name not in kept]
    )
    rows = {name: zip(*map(block.__getitem__, names), strict=True) for name, names in lists.items()}
    return block.put(gone, {name: [*map(list, cells)] for name, cells in rows.items()})


def _find_marks(profile: Profile, name: str | None) -> Change | None:
    """Find verdicts that are written as one text: "0110", "PFPP", "1 -1 1"."""
    if name in profile.columns:
        texts = profile[name].there
    else:
        texts = []
    if name is None or not any(map(profile.reads.split, texts)):
        return None
    bits = [re.fullmatch(r"[01]{2,}|\[.*\]", str(text)) is not None for text in texts]
    split = partial(profile.reads.split, are_bits=all(bits))
    # Among other cells, 1000 is a number, and [1, 0] a mistake.
    if (any(bits) and not all(bits)) or not all(
        split(text) or profile.reads.fits("grades", text) for text in texts
    ):
        return None
    read = lambda cell: cell if cell is None else split(cell) or [cell]  # noqa: E731
    apply = lambda block: block.put((), {name: list(map(read, block[name]))})  # noqa: E731
    return Change(apply, _say("shapes.listed", columns=quote(name)))


def _find_counts(
    profile: Profile,
    roles: Columns,
    given: Mapping[str, str | None],
    faults: Faults,
    kept: set[str | None],
) -> Change | None:
    """Find the columns that count the samples of each problem, and the correct ones or their share."""
    told = roles["grades"] or roles["answers"]
    if [*given] == ["n"] and given["n"] and told not in (None, given["n"]):
        profile.refuse_unknown(given)
        return Change(partial(_repeat, given["n"], faults), None)
    total, right, share = (
        next(iter(find_named(profile.columns, names)), None) for names in (TOTAL, RIGHT, SHARE)
    )
    total, right, grades, problem = (
        given.get("n") or total,
        given.get("c") or right,
        roles["grades"],
        roles["problem"],
    )
    column = right or share
    if not given and grades in profile.columns and joins_counts(profile[grades]):
        total = column = grades
    elif not given and (total, right) == (None, None):
        # {"true": 3, "false": 1}
        named = {str(_spells(name)): name for name in profile.columns}
        if {"True", "False"} <= named.keys():
            column, wrong_ones = named["True"], named["False"]
            total = f"{column}+{wrong_ones}"
    elif not given and total is None and right is not None:
        total = next((f"{right}+{name}" for name in find_named(profile.columns, WRONG)), None)
    if total is None or column is None:
        if given:
            raise _say.error(
                "shapes.one_count", example=Mention(columns={"n": "total", "c": "solved"})
            )
        return None
    profile.refuse_unknown(given)
    # A score that a user gives as c may be a number, and a rate is none.
    is_number = (
        right is not None
        and normalize_name(column) == "score"
        and profile[column].numbers is not None
    )
    whole = 0
    if total != column and not is_number:
        whole = _find_whole(
            column, profile[column].cells, _add(profile.head, total), is_given="c" in given
        )
    if not given and not _are_counts(profile, roles, total, column, whole=whole):
        return None
    gone = {total, *total.split("+"), column, grades or total} - kept
    # Rows of another model, set or run are no repetitions.
    apart = [
        name
        for name in profile.columns
        if has_name(name, (*SYSTEM, *RUN)) or name == roles["group"]
    ]
    apply = partial(_spread, (problem, total, column), apart, faults, gone, {}, whole=whole)
    code = "shapes.counted_once" if profile.repeats(problem) else "shapes.counted"
    return Change(apply, _say(code, total=shorten(total), right=shorten(column)), is_counted=True)


def _spells(name: str) -> object:
    """Return the truth value that the name of a column is."""
    return read_spelled(normalize_name(name))


def _find_whole(
    name: str, shares: Sequence[object], totals: Sequence[object], *, is_given: bool
) -> int:
    """Return the share that a column with the name of shares has for all samples, 1 or 100; 0 for other columns."""
    said, shares = (
        normalize_name(_PERCENT.sub("", name)),
        [read_share(read_spelled(share)) for share in shares],
    )
    # A name that is not looked for may be one that a user gives: 1 is then all samples, too, and not one of them.
    if said not in SHARE and not said.endswith(("_rate", "_ratio", "率")):
        return int(is_given and any(is_finite(share) and 0 < share < 1 for share in shares))
    # More than all samples, or a part of one: 75.0 of 4 is per cent, and 3 of 4 may be a count. A score has any scale.
    pairs = zip(shares, map(read_whole, totals), strict=True)
    odd = [
        share > 1 and (share > n or share % 1 > 0)
        for share, n in pairs
        if is_finite(share) and n is not None
    ]
    return 100 if "%" in name or (any(odd) and said not in (*ROLE["scores"], "mean", "avg")) else 1


def _add(block: Block, total: str) -> list[Any]:
    """Return the cells of a column, or the sums of those of several."""
    if total in block.names or "+" not in total:
        return block[total]
    rows = zip(*(map(read_whole, block[name]) for name in total.split("+")), strict=True)
    return [None if None in row else sum(filter(None, row)) for row in rows]


def _are_counts(profile: Profile, roles: Columns, total: str, right: str, *, whole: int) -> bool:
    """Return whether two columns that have such names hold counts, or a count and a share."""
    problem, grades, spelled = roles["problem"], roles["grades"], normalize_name(right)
    is_free = grades is None and None in (roles["answers"], roles["references"])
    is_joined = total == right or total not in profile.columns
    if problem is None:
        distinct = profile.count
    else:
        distinct = profile[problem].distinct
    if distinct < profile.count:
        # Each row is a sample, unless it says the same as the others of its problem.
        is_clear = is_free and (normalize_name(total), spelled) == ("n", "c")
        is_same = (
            not whole and not is_joined and profile.combine(problem or "", total, right) == distinct
        )
        if grades not in (None, total, right) or not (is_clear or is_same):
            return False
    elif problem is None and not whole and {total, right} != {*profile.columns}:
        return False  # a row may sum up a data set
    if whole and grades not in (None, right):
        return False
    rows = [
        row
        for row in zip(_add(profile.head, total), profile[right].cells, strict=True)
        if None not in row
    ]
    readings = [
        counts for counts in (read_counts(*row, whole=whole) for row in rows) if counts is not None
    ]
    are_shares = bool(whole) or is_joined
    if is_joined or (
        grades == right
        if whole
        else problem is None or spelled in (*ROLE["grades"], *ROLE["scores"])
    ):
        # A verdict is 0 or 1, and a share of one sample is, too: something is more than one somewhere.
        most = max((n if are_shares else c for n, c in readings), default=0)
        return most > 1 and (not are_shares or len(readings) == len(rows))
    if not is_free:
        return len(readings) == len(rows)
    readable = [
        row
        for row in rows
        if read_whole(row[0]) is not None and is_finite(read_share(read_spelled(row[1])))
    ]
    return 2 * len(readable) >= len(rows) > 0


# How many are correct, of how many: 2 of 3, 3 out of 4, 2/4 (50%).
_OF = re.compile(r"\s*(\d+)\s*(?:/|(?:out )?of)\s*(\d+)\s*(?:\([^()]*\)\s*)?")


def joins_counts(column: Column) -> bool:
    """Return whether each cell says how many are correct, of how many; 3/4 may also be a share of one sample."""
    return has_parts(column) and not column.fits("grades", whole=True)


def has_parts(column: Column) -> bool:
    """Return whether each cell is a number of a total, such as 3/4 or 3 of 4."""
    return bool(column.there) and all(
        isinstance(cell, str) and _OF.fullmatch(cell) for cell in column.there
    )


def read_counts(total: object, right: object, *, whole: int = 0) -> tuple[int, int] | None:
    """Return how many samples there are, and how many are correct; None if two cells are no such counts.

    Args:
        total: the number of samples; or the same text as `right`.
        right: the number of correct ones, or their share; or a text that says both.
        whole: the share of all samples, 1 or 100; 0 for a number.

    Examples:
        >>> read_counts("4", 3), read_counts(4, "75%", whole=1), read_counts(4, 5), read_counts("3 of 4", "3 of 4")
        ((4, 3), (4, 3), None, (4, 3))
    """
    joined = None
    if isinstance(right, str) and total == right:
        joined = _OF.fullmatch(right)
    n, c = (
        (read_whole(total), read_whole(right))
        if joined is None
        else (int(joined[2]), int(joined[1]))
    )
    if whole and n is not None and joined is None:
        share = read_share(read_spelled(right))
        if is_finite(share) and "%" not in str(right):
            share = share / whole
        if is_finite(share) and 0 <= share <= 1:
            product = share * n
        else:
            product = -1.0
        # More than 0 of the samples, and not one of them: a share in a column of per cent.
        is_odd = abs(product - round(product)) > 0.05 + 0.005 * n or (
            share != 0 and not round(product)
        )
        if is_odd:
            c = None
        else:
            c = round(product)
    if n is not None and c is not None and 0 <= c <= n and 0 < n <= _MOST:
        return (n, c)
    return None


def _spread(
    columns: tuple[str | None, str, str],
    apart: Sequence[str],
    faults: Faults,
    gone: Collection[str],
    known: dict[object, tuple[int, object]],
    block: Block,
    *,
    whole: int,
) -> Block:
    """Put a list of grades in place of counts. Of rows that say the same of a problem, the first is kept."""
    problem, total, right = columns
    grades: dict[int, list[int]] = {}
    if problem is None:
        names = block.places
    else:
        names = block[problem]
    keys = zip(map(repr, names), *(map(repr, block[name]) for name in apart), strict=True)
    cells = zip(block.places, names, keys, _add(block, total), block[right], strict=True)
    for position, (place, name, key, count, correct) in enumerate(cells):
        with faults:
            counts = read_counts(count, correct, whole=whole)
            if name is None:
                first = (place, counts)
            else:
                first = known.setdefault(key, (place, counts))
            if first[0] != place and counts is not None and first[1] == counts:
                continue
            if counts is None:
                told = {"total": shorten(total), "right": shorten(right), "count": quote(count)}
                raise _say.error(
                    "shapes.counts",
                    most=_MOST,
                    correct=quote(correct),
                    place=UNITS["row"](place),
                    **told,
                )
            n, c = counts
            grades[position] = [1] * c + [0] * (n - c)
    return block.take(list(grades)).put(gone, {"grades": list(grades.values())})


def _find_objects(profile: Profile, kept: set[str | None]) -> Change | None:
    """Find a column with a list of objects for each problem: `samples: [{text, correct}]`."""
    for column in profile.columns.values():
        parts = [part for part in column.parts if column.has_lists and isinstance(part, dict)]
        fields = list(dict.fromkeys(name for part in parts for name in part))
        if column.spelling in SAMPLE_LIST and {*map(normalize_name, fields)} & OF_SAMPLES:
            read = read_list if profile.is_text else lambda cell: cell
            note = _say("shapes.listed", columns=quote(column.name))
            return Change(partial(_unfold, column.name, fields, kept, read), note)
    return None


def _unfold(
    outer: str,
    fields: Sequence[str],
    kept: set[str | None],
    read: Callable[[Any], Any],
    block: Block,
) -> Block:
    cells = list(map(read, block[outer]))
    columns: dict[str, list[Any]] = {}
    for field in fields:
        # A text beside a verdict is what was written; elsewhere it is the question.
        name = "response" if field == "text" else field
        columns[name if name not in block.names or name == outer else f"{outer}.{name}"] = [
            [part.get(field) if isinstance(part, dict) else part for part in cell]
            if isinstance(cell, list)
            else cell
            for cell in cells
        ]
    return block.put(() if outer in kept else [outer], columns)


def find_summed(
    profile: Profile, roles: Columns, given: Mapping[str, str | None]
) -> tuple[str, str] | None:
    """Find a verdict of each row that sums up a list beside it, and the list: it is any, all, most or the mean."""
    name = roles["grades"]
    if name is None or "grades" in given or profile[name].has_lists:
        return None
    grades = profile[name]
    for column in profile.columns.values():
        if not column.has_lists or not names_runs(column.name):
            continue
        rows = zip(grades.cells, column.cells, strict=True)
        pairs = [_read_pair(grades, verdict, cell) for verdict, cell in rows if cell is not None]
        if None in pairs or not any(len(own) > 1 for _, own in filter(None, pairs)):
            continue
        sums = (
            max,
            min,
            lambda own: float(2 * sum(own) > len(own)),
            lambda own: sum(own) / len(own),
        )
        for total in sums:
            if all(abs(pair[0] - total(pair[1])) < _ROUNDED for pair in pairs if pair):
                return name, column.name
    return None


# Words for the samples of a problem in the name of a list; a list of another name may hold the tests of one sample.
_OF_RUNS = {
    *("trial", "trials", "run", "runs", "attempt", "attempts", "rollout", "rollouts"),
    *("repetition", "repetitions", "repeats", "sample", "samples", "epochs", "seeds", "tries"),
}


def names_runs(name: str) -> bool:
    """Return whether a name speaks of the samples of a problem."""
    return not _OF_RUNS.isdisjoint(re.split(r"[\W_]+", normalize_name(name)))


# A mean of samples may be rounded.
_ROUNDED = 0.006


def _read_pair(grades: Column, verdict: object, cell: object) -> tuple[float, list[float]] | None:
    """Read a verdict, and those in the list beside it, or in its objects; None if they are no verdicts."""
    own, listed = grades.reads.attempt("grades", verdict), read_listed(cell, grades.reads)
    if own is None or listed is None:
        return None
    return (own, listed)


def read_listed(cell: object, reads: Cells) -> list[float] | None:
    """Read the verdicts in a list, or in its objects; None if they are no verdicts."""
    if not isinstance(cell, list) or not cell:
        return None
    fields = [each for part in cell if isinstance(part, dict) for each in part]
    named = next(iter(find_named(fields, ROLE["grades"])), None)
    parts = [part.get(named) if isinstance(part, dict) else part for part in cell]
    read = [reads.attempt("grades", part) for part in parts]
    return None if None in read else read


def list_families(profile: Profile) -> dict[str, list[str]]:
    """List columns whose names differ in a number alone, by the rest of the name and in the order of the numbers."""
    families: dict[str, list[tuple[int, str]]] = {}
    for name, column in profile.columns.items():
        stem, number = _split_name(column.spelling)
        if number:
            families.setdefault(stem, []).append((int(number), name))
    return {stem: [name for _, name in sorted(own)] for stem, own in families.items()}


def _is_one_of_several(profile: Profile, name: str | None) -> bool:
    """Return whether a column is one of several whose names differ in their number, such as `correct_2`."""
    families = list_families(profile).values()
    return any(name in family for family in families if len(family) > 1)


def _find_columns(profile: Profile, roles: Columns, kept: set[str | None]) -> Change | None:
    """Find numbered columns that hold a sample each: `answer_1` … `answer_8`, `run_0` … `run_3`."""
    families: dict[str, list[str]] = {}
    for stem, every in list_families(profile).items():
        names = every
        if stem in _UNNAMED:
            # Where columns have no names, those that hold no verdicts name the problem, or say something of it.
            names = [name for name in every if profile[name].fits("grades")] or every
        if len(names) < 2 or stem == "epoch":  # of training, where columns have them
            continue
        numbers = [name_number(profile[name].spelling) for name in names]
        role = None
        if count_up(numbers) or stem in RUN or names != every:
            role = _find_role(profile, stem, names, roles)
        if role is None or role in (*profile.columns, *families) or not kept.isdisjoint(names):
            continue
        # Without names, soft grades may be confidences, and the columns of numbered runs problems.
        are_runs = roles["problem"] is None and find_named(profile.columns, NUMBERED)
        are_verdicts = all(profile[name].are_verdicts for name in names)
        if stem in _UNNAMED and (are_runs or not are_verdicts):
            continue
        # Beside numbered answers, a column `answer` is the reference.
        other = roles[role]
        is_taken = other is not None and other not in names
        if is_taken and (role != "answers" or normalize_name(other or "") not in OWN_ANSWER):
            continue
        families[role] = names
    if not families:
        return None
    listed = quote_all(next(iter(families.values())))
    return Change(partial(_join, families, kept), _say("shapes.listed", columns=listed))


def _split_name(name: str) -> tuple[str, str]:
    """Split a name into what it has besides a number, and the number; "" where it has none."""
    before = _BEFORE.fullmatch(name)
    if before:
        return before[2], before[1]
    match = _NUMBERED.fullmatch(name)
    if match:
        return match[1], match[2]
    return name, ""


def name_number(name: str) -> str:
    """Return the number of a sample that a name has."""
    return _split_name(name)[1]


def _find_role(profile: Profile, stem: str, names: Sequence[str], roles: Columns) -> str | None:
    """Find the role of columns that have one name and different numbers; None if they are no samples."""
    for role in ("scores", "grades"):
        if stem in ROLE[role]:
            return role
    if stem in PREDICTORS or stem not in (*RUN, *ROLE["answers"], *_UNNAMED):
        return None
    cells = [cell for name in names for cell in profile[name].there]
    fitting = sum(profile.reads.fits("grades", cell) for cell in cells)
    # The last row may sum up the others, so that not all of them fit.
    are_grades = (
        roles["references"] is None
        and fitting >= len(cells) - 2 * len(names)
        and 2 * fitting > len(cells)
    )
    if are_grades:
        return "grades"
    if stem in _UNNAMED:
        return None
    return "answers"

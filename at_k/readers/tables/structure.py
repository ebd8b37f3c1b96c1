"""Check by its structure that a table is what it seems: samples of one model on one set of problems, and each once.

Prefer an error: the user can override it by one option, which the error names, but cannot notice a wrong reading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, permutations, takewhile
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import join_lists, to_numpy
from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.arrays import encode, find_firsts, join_codes
from at_k.readers.blocks import HEAD, Block
from at_k.readers.cells import judge, read_spelled, read_whole, spell_question
from at_k.readers.files.decoding import split_number
from at_k.readers.names import (
    ARM,
    ASKED,
    ERROR,
    FAILED,
    FAILING,
    NUMBER_WORD,
    NUMBERED,
    PROBLEM,
    PROMPT,
    QUESTION,
    ROLE,
    RUN,
    SET,
    SETTING,
    STATUS,
    TEST,
    find_named,
    has_name,
    is_model,
    normalize_name,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.samples import Columns, Samples
from at_k.readers.tables.choosing import make_several_error, refuse_several, simplify
from at_k.readers.tables.profile import Column, Profile, count_up
from at_k.readers.tables.settings import MOST_SETTINGS, is_setting

# Pairs of a problem and a value that are looked at however few rows have them.
_SMALL = 1_000_000

# A word for runs and the whole number behind it.
_RUN = re.compile(
    r"(?:^|[^a-z])(run|seed|sample|rollout|trial|attempt|rep|rs)[-_= ]?(\d+)(?![\d.]*\d|[a-z])",
    re.IGNORECASE,
)

# A path that ends in a whole number.
_NUMBERED = re.compile(r"(.+?)[\W_]+(\d+)(?:\.[^/\\]*)?")

# Names of rows that are no problems, but sum up the others.
_SUMMARY = re.compile(
    r"[\W_]*(?:(?:acc|accuracy|all|average|avg|macro|mean|median|micro|overall|results?|scores?|std|stddev|stdev|sum|"
    r"summary|total|(?:avg|cons|maj|mean|pass)@\d+|平均|总计|合计|总分|gesamt|durchschnitt|moyenne|media)(?:[\W_]+|$))+",
    re.IGNORECASE,
)

_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")

_SPACE, _POINT = re.compile(r"[^\S\t\r\n]+"), re.compile(r"(-?\d+)\.0+$")

_say = Phrases(
    {
        "structure.repeated": "The rows from {row:,} on repeat those before them.\nIf the file "
        "was appended to itself, n is twice as large as it should be: remove one half. If it "
        "holds two runs that are alike, say so: {option:pool=file}.",
        "samples.white_space": "Two names of problems look the same, but differ in case, in white space, in the code "
        "of a letter or as 1 and 1.0 do: {first} and {second} ({place}). Write them alike if it is one problem. If "
        "they are two, say so: {apart}.",
        "structure.summary": "The row {name} sums up the others ({place}).\nLeave it out: {where}.",
        "structure.tests": "Column “{column}” names several tests of a problem: {values}.\nIf a "
        "sample is right where all of its tests pass, write one row for each sample first. If "
        "each test is a problem: {apart}. If each is a sample of its own: {pool}.",
        "structure.retries": "Column “{outer}” numbers samples, and “{inner}” numbers rows within "
        "each of them: {name} has {count:,} rows of one sample.\nIf they are attempts of which "
        "the last one counts: {last}. If each is a sample: {each}.",
        "note.errors": "Samples with {text} in column “{column}” that count as wrong: {count:,}. "
        "pass@1 is {included} with them, and {excluded} without them: {way}.",
        "note.numbered_names": "Each name in column “{column}” was read as a problem, and ends in a number: {names}. "
        "If they number the samples of a problem: {split}.",
        "plain.two_verdicts": "Columns “{taken}” and “{column}” contradict each other in "
        "{count:,} of {total:,} samples, first at {place}.\nSay which of them holds the verdicts: "
        "{one} or {other}.",
        "plain.numbered_names": "Each name in column “{column}” ends in a number, and each part "
        "before it occurs with all of them: {names}.\nIf they number the samples of a problem: "
        "{split}. If each name is a problem: {apart}.",
        "plain.questions": "Columns “{problem}” and “{column}” do not tell the same problems "
        "apart: {names} with {texts}.\nIf each value of “{column}” is a problem: {apart}. If each "
        "value of “{problem}” is one all the same: {one}.",
    }
)


class Watch:
    """The values of a column beside those that have roles; no longer watched when there are too many.

    Attributes:
        name: the column.
        values: its values, in order of first appearance.
    """

    def __init__(self, name: str, most: int = MOST_SETTINGS) -> None:
        self.name, self.values, self._most = name, list[Any](), most
        self._known: dict[object, int] = {}
        self._codes: list[NDArray[Any]] = []

    def add(self, block: Block) -> bool:
        """Add the cells of a block, and return whether there still are few values."""
        is_there = block.has(self.name)  # hundreds of columns may each be in a few blocks alone
        codes, values = (
            encode(block.column(self.name)) if is_there else (np.full(len(block), -1), [])
        )
        table = np.array(
            [*map(self._number, values), self._number(None) if (codes < 0).any() else -1]
        )
        self._codes.append(table[codes].astype(np.min_scalar_type(len(self.values))))
        return len(self.values) <= self._most

    def _number(self, value: Any) -> int:
        key = value if isinstance(value, (str, type(None))) else repr(value)
        if key not in self._known:
            self._known[key] = len(self.values)
            self.values.append(value)
        return self._known[key]

    def take(self, kept: NDArray[np.int64]) -> None:
        """Keep some of the rows, by their positions."""
        self._codes = [np.concatenate(self._codes)[kept]]

    @property
    def codes(self) -> NDArray[np.int64]:
        """The number of the value in each row."""
        return np.concatenate(self._codes).astype(np.int64)

    @property
    def cells(self) -> list[Any]:
        """The value in each row."""
        return [self.values[code] for code in self.codes.tolist()]

    def differs(self, problem: NDArray[np.int64]) -> bool:
        """Return whether rows of one problem have different values."""
        return len(find_firsts(join_codes([problem, self.codes]))) > len(find_firsts(problem))

    def find_crossed(self, problem: NDArray[np.int64], *, listed: bool) -> str:
        """Return "all" if values have equally many rows of each problem, "parts" if of some, "perhaps", or nothing."""
        count, problems, codes = len(self.values), int(problem.max()) + 1, self.codes
        size, rows = problems * count, len(problem)
        if not 2 <= count <= MOST_SETTINGS or problems < 2 or size > max(2 * rows, _SMALL):
            return ""
        table = np.bincount(problem * count + codes, minlength=size).reshape(problems, count)
        n, is_number = table.max(axis=0), self.numbers_samples()
        shared = int(((table > 0).sum(axis=1) > 1).sum())
        if not shared:
            return ""
        if ((table > 0) & (table < n)).any():
            return "" if listed or is_number else self._find_uneven(table)
        if table.min() == table.max():
            return "all" if listed or n[0] > 1 or not is_number else ""
        if listed or None in self.values or (is_number and n.min() < 2):
            return ""
        return self._find_parts(table, shared)

    def _find_parts(self, table: NDArray[np.int64], shared: int) -> str:
        """Tell whether values are parts of unequal size, each with problems of its own."""
        # Their rows follow each other, or have n samples. One problem may be in two parts by chance, as a sample and
        # its repetition differ in a mark.
        present, n = table > 0, table.max(axis=0)
        parts, count = present.sum(axis=0), len(self.values)
        if parts.max() < 2:
            return ""
        is_told = parts.min() > 1 and not self._are_marks
        are_blocks = np.count_nonzero(np.diff(self.codes)) == count - 1
        follow = are_blocks and (shared > 1 or is_told)
        are_repeated = n.min() > 1 and not present.all()
        if table.size <= 2 * table.sum() and (follow or are_repeated):
            return "parts"
        if is_setting(table) and not self._marks_samples(table):
            return "all"
        is_ragged = parts.min() > 4 if present.all() else np.ptp(table.sum(axis=1)) > 0
        return "perhaps" if is_ragged and is_told else ""

    def _find_uneven(self, table: NDArray[np.int64]) -> str:
        """Return "all" if rows of a plan were lost, repeated or stopped, and "perhaps" in a few problems."""
        if None in self.values or self._marks_samples(table):
            return ""
        if is_setting(table):
            return "all"
        present = table > 0
        whole = float((table == table.max(axis=0))[present].mean())
        if present.mean() < _PRESENT or whole < _WHOLE:
            return ""
        return "all" if len(table) >= _CERTAIN else "perhaps"

    @property
    def _are_marks(self) -> bool:
        return all(read_spelled(value) in (0, 1) for value in self.values)

    def _marks_samples(self, table: NDArray[np.int64]) -> bool:
        """Return whether values mark single samples, as that of the best one, or number them under any name."""
        most = table.max(axis=0)
        whole = list(map(read_whole, self.values))
        is_number = most.max() == 1 and None not in whole and count_up(whole)
        return self._are_marks or is_number or bool(most.min() == 1 < most.max())

    def numbers_samples(self) -> bool:
        """Return whether the values number samples, or runs."""
        whole = list(map(read_whole, self.values))
        words = {
            *re.split(r"[\W_\d]+", normalize_name(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name)))
        }
        if words & NUMBER_WORD and all(number is not None and number >= 0 for number in whole):
            return "seed" in words or count_up(whole)
        return count_runs(list(map(str, self.values)))


# Where settings lost some rows: the share of pairs of a problem and a value that have rows, and the share of these that
# have the most rows of their value; and the number of problems in which that is no chance.
_PRESENT, _WHOLE, _CERTAIN = 0.9, 0.7, 5


def count_runs(names: Sequence[str]) -> bool:
    """Return whether names are one template with one whole number behind a word for runs, from 0 or 1; seeds: any.

    Examples:
        >>> count_runs(["a/run1.jsonl", "a/run2.jsonl"]), count_runs(["gpt_4o_05.csv", "gpt_4o_08.csv"])
        (True, False)
    """
    for match in _RUN.finditer(names[0] if names else ""):
        before, behind = names[0][: match.start(2)], names[0][match.end(2) :]
        if not all(name.startswith(before) and name.endswith(behind) for name in names):
            continue
        numbers = [name[len(before) : len(name) - len(behind)] for name in names]
        if all(map(str.isdigit, numbers)) and len({*map(int, numbers)}) == len(numbers):
            return match[1].lower() in ("seed", "rs") or count_up(numbers)
    return False


def count_samples(names: Sequence[str], problem: str) -> bool:
    """Return whether files are named by their problem, or its folder, and a whole number behind it, from 0 or 1.

    Examples:
        >>> count_samples(["/r/p0_0.json", "/r/p0_1.json"], "p0"), count_samples(["/r/p0/3", "/r/p0/4"], "p0")
        (True, False)
    """
    matches = [_NUMBERED.fullmatch(name) for name in names]
    if None in matches or len({match[1] for match in matches if match}) > 1:
        return False
    before, words = (
        re.split(r"[\W_]+", text) for text in (matches[0][1] if matches[0] else "", problem)
    )
    return before[-len(words) :] == words and count_up([match[2] for match in matches if match])


def refuse_settings(
    watches: Sequence[Watch], problem: NDArray[np.int64], column: str | None, *, listed: bool
) -> list[Message]:
    """Raise if a column shows that the rows are of several models, settings or sets of problems; note if it may."""
    several = [watch for watch in watches if len(watch.values) > 1]
    tests = [
        watch
        for watch in several
        if has_name(watch.name, TEST) and not listed and watch.differs(problem)
    ]
    for watch in tests if column is not None else ():
        told = {"column": shorten(watch.name), "values": quote_all(watch.values)}
        ways = {
            "apart": Mention(columns={"problem": f"{column}+{watch.name}"}),
            "pool": Mention(pool=watch.name),
        }
        raise _say.error("structure.tests", **told, **ways)
    models = (watch for watch in several if is_model(watch.name) and not watch.numbers_samples())
    crossing = {watch.name: watch.find_crossed(problem, listed=listed) for watch in several}
    crossed = (watch for watch in several if crossing[watch.name] in ("all", "parts"))
    named = (watch for watch in several if has_name(watch.name, SET) or _names_arms(watch.name))
    sets = (watch for watch in named if watch.differs(problem) and not watch.numbers_samples())
    for watch in chain(models, crossed, sets):
        refuse_several(watch.name, watch.values, column)
    perhaps = (watch for watch in several if crossing[watch.name] == "perhaps")
    return [make_several_error(watch.name, watch.values, column).message for watch in perhaps]


def _names_arms(name: str) -> bool:
    """Return whether the name of a column is that of a setting: `temperature`, `params.prompt_template`."""
    return not ARM.isdisjoint(re.split(r"[\W_]+", normalize_name(name.rpartition(".")[2])))


def refuse_repeated(verdicts: NDArray[np.float64], texts: Sequence[Sequence[str]]) -> list[Message]:
    """Raise if the second half of a table repeats the first: a file that was appended to itself."""
    # A few verdicts alone may be equal by chance, so that a note says it. Texts of samples are not, nor are many
    # verdicts that differ.
    half = len(verdicts) // 2
    sure = any(len({*cells[:half]}) >= half / 2 for cells in texts)
    differing = min(int((verdicts[:half] > 0.5).sum()), int((verdicts[:half] <= 0.5).sum()))
    if sure or (half >= 20 and differing >= 5 and not texts):
        raise _say.error("structure.repeated", row=half + 1)
    return [_say("structure.repeated", row=half + 1)] if differing else []


def repeats(*columns: NDArray[Any]) -> bool:
    """Return whether the second half of each column is its first half once more."""
    half, odd = divmod(len(columns[0]), 2)
    return (
        half > 2
        and not odd
        and all(np.array_equal(column[:half], column[half:], equal_nan=True) for column in columns)
    )


def refuse_odd_names(samples: Samples, apart: Mention) -> None:
    """Raise if two names differ by case, white space or a point alone; an option, which is named, holds them apart."""
    if not _may_be_odd(samples.problems):
        return
    seen: dict[str, str] = {}
    for problem, name in enumerate(samples.problems):
        # In one case, without invisible signs, with single spaces, each letter as one character, and 1.0 as 1.
        shown = normalize("NFC", _SPACE.sub(" ", _INVISIBLE.sub("", name))).strip().casefold()
        shown = _POINT.sub(r"\1", shown)
        if seen.setdefault(shown, name) != name:
            told = {
                "first": quote(seen[shown]),
                "second": quote(name),
                "place": samples.place(problem, 0, "problem"),
            }
            raise _say.error("samples.white_space", apart=apart, **told)


def _may_be_odd(names: Sequence[str]) -> bool:
    """Return whether names have more than plain signs, or differ by case alone; looks at all as one text, for speed."""
    text = "\n" + "\n".join(names) + "\n"
    if text.count("\n") != len(names) + 1:
        return True
    plain = text.isascii() and text.replace("\n", "").isprintable()
    if not plain or any(part in text for part in ("  ", "\n ", " \n", ".0")):
        return True
    return len({*map(str.lower, names)}) < len(names)


def is_summary(name: object) -> bool:
    """Return whether a row has the name of a summary.

    Examples:
        >>> is_summary("Mean ± std"), is_summary("平均"), is_summary("sum_of_squares")
        (True, True, False)
    """
    return isinstance(name, str) and _SUMMARY.fullmatch(name) is not None


# Words in the name of a column that numbers attempts at one sample.
_RETRY = {
    *("attempt", "attempts", "retry", "retries", "try", "versuch", "essai", "tentative", "intento"),
    *("tentativa", "tentativo", "попытка", "试行", "尝试"),
}


def refuse_retries(
    numbers: Mapping[str, NDArray[np.int64]],
    problem: NDArray[np.int64],
    names: Callable[[int], object],
) -> None:
    """Raise if a column numbers attempts within samples that another one numbers."""
    for outer, inner in permutations(numbers, 2):
        if _RETRY.isdisjoint(re.split(r"[\W_]+", normalize_name(inner))):
            continue  # seeds and samples of each number together
        joined = join_codes([problem, numbers[outer]])
        owners = np.unique(joined, return_inverse=True)[1].reshape(-1)
        counts = np.bincount(owners)
        if counts.max() == 1 or not _counts_up(owners, numbers[inner], counts):
            continue
        first = int(np.argmax(counts[owners] > 1))
        raise _say.error(
            "structure.retries",
            outer=shorten(outer),
            inner=shorten(inner),
            name=quote(names(int(problem[first]))),
            count=int(counts[owners[first]]),
            last=Mention(columns={"sample": shorten(outer), "attempt": shorten(inner)}),
            each=Mention(pool=shorten(inner)),
        )


def _counts_up(
    owners: NDArray[np.int64], numbers: NDArray[np.int64], counts: NDArray[np.int64]
) -> bool:
    """Return whether the numbers of each owner are whole numbers from the smallest one, each once."""
    order = np.lexsort((numbers, owners))
    ranks = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    return bool((numbers[order] - numbers.min() == ranks).all())


def refuse_summaries(samples: Samples) -> None:
    """Raise if the first or the last names are those of rows that sum up the others."""
    names = samples.table["problem"]
    count = len(names)
    first, behind = (
        len([*takewhile(is_summary, map(str, side))]) for side in (names, reversed(names))
    )
    named = {*range(first), *range(count - behind, count)} if first < count else set()
    for problem in sorted({*named, count - 1}) if count > 2 else sorted(named):
        # A function to be written may be called “sum”, and has samples of its own.
        if (problem in named and samples.n[problem] == 1) or _is_mean(
            samples, problem, is_named=problem in named
        ):
            raise refuse_summary(samples, problem)


def _is_mean(samples: Samples, problem: int, *, is_named: bool) -> bool:
    """Return whether the grades of a problem are the means of those of the others."""
    if "grades" not in samples.table.column_names:
        return False
    grades, is_own = (
        _list_grades(samples),
        np.repeat(np.arange(len(samples.n)) == problem, samples.n),
    )
    means, rows = grades[is_own], grades[~is_own]
    partial = bool(((means > 0) & (means < 1)).any())
    if is_named or not partial or (len(means) > 1 and (samples.n != len(means)).any()):
        return is_named and partial
    if (
        np.isnan(rows).all()
        or np.nanmin(rows) == np.nanmax(rows)
        or 2 * np.isin(rows, (0, 1)).sum() < len(rows)
    ):
        return False
    if len(means) == 1:
        # By chance, one of few problems may have a grade of a half that is the mean of the others.
        is_odd = len(samples.n) > 4 and means[0] not in (0.25, 0.5, 0.75)
        return is_odd and bool(abs(means[0] - np.nanmean(rows)) < 6e-4)
    rows = rows.reshape(-1, len(means))
    differ = (rows != rows[0]).any()  # among rows that are all equal, one more is no summary
    return bool(differ and np.allclose(means, np.nanmean(rows, axis=0), atol=6e-4))


def _list_grades(samples: Samples) -> NDArray[np.float64]:
    """List the grades of all samples; NaN means a missing one."""
    numbers, present = to_numpy(join_lists(samples.table["grades"].combine_chunks()))
    return numbers if present is None else np.where(present, numbers, np.nan)


def refuse_sums(samples: Samples) -> None:
    """Raise if the counts of a problem are the sums of those above it."""
    n, c = samples.n, np.add.reduceat(_list_grades(samples), np.cumsum(samples.n) - samples.n)
    sums = (n[2:] == np.cumsum(n)[1:-1]) & (c[2:] == np.cumsum(c)[1:-1])
    if sums.any():
        raise refuse_summary(samples, int(np.argmax(sums)) + 2)


def refuse_summary(samples: Samples, problem: int) -> InputError:
    """Make the error that the row of a problem sums up the others."""
    column, place = samples.roles["problem"] or "problem", samples.place(problem, 0, "problem")
    return make_summary_error(column, samples.table["problem"][problem].as_py(), place)


def make_summary_error(column: str, name: object, place: Message) -> InputError:
    """Make the error that a row sums up the others."""
    where = Mention(where={shorten(column): {"!=": simplify(name)}})
    return _say.error("structure.summary", name=quote(name), place=place, where=where)


def tells_failure(name: str) -> bool:
    """Return whether a column tells failures of the harness by its name."""
    last = normalize_name(name.rpartition(".")[2])
    return last in (*ERROR, *STATUS) or FAILING.search(last) is not None


def _is_failure(value: object, *, is_status: bool) -> bool:
    """Return whether a cell of a flag, or of a status, says that the harness failed."""
    spelled = read_spelled(value)
    if isinstance(spelled, str):
        text = spelled.strip().lower()
        return bool(FAILED.search(text)) and judge(text) is None if is_status else bool(text)
    return spelled is True or (read_whole(spelled) or 0) > 0


def note_errors(
    watch: Watch, verdicts: NDArray[np.float64], problem: NDArray[np.int64]
) -> list[Message]:
    """Note samples whose flag or text tells an error, and that count as wrong: they may not have been judged."""
    is_status = normalize_name(watch.name.rpartition(".")[2]) in STATUS
    failed = np.array([_is_failure(value, is_status=is_status) for value in watch.values])
    flagged = failed[watch.codes] & (verdicts <= 0.5)
    is_inverse = "fail" in normalize_name(watch.name) and bool((flagged == (verdicts <= 0.5)).all())
    if not flagged.any() or is_inverse:
        return []
    kept = ~flagged
    text = quote(watch.values[int(watch.codes[np.argmax(flagged)])])
    told = {"count": int(flagged.sum()), "column": shorten(watch.name), "text": text}
    return [
        _say(
            "note.errors",
            **told,
            way=Mention(columns={"error": shorten(watch.name)}, missing="drop"),
            included=_average(verdicts, problem),
            excluded=_average(verdicts[kept], problem[kept]),
        )
    ]


def _average(verdicts: NDArray[np.float64], problem: NDArray[np.int64]) -> str:
    """Write the mean over problems of the share of correct samples."""
    there = ~np.isnan(verdicts)
    if not there.any():
        return "–"
    n = np.bincount(problem[there])
    c = np.bincount(problem[there], weights=verdicts[there] > 0.5)
    return f"{(c[n > 0] / n[n > 0]).mean():.3f}"


def refuse_contradiction(
    mine: NDArray[np.float64],
    other: NDArray[np.float64],
    names: tuple[str, str],
    place: Callable[[int], Message],
) -> None:
    """Raise if another column of verdicts says something else than the one that was taken."""
    differs = ~np.isnan(mine) & ~np.isnan(other) & ((mine > 0.5) != (other > 0.5))
    if differs.any():
        taken, column = map(shorten, names)
        raise _say.error(
            "plain.two_verdicts",
            taken=taken,
            column=column,
            count=int(differs.sum()),
            total=len(differs),
            place=place(int(np.argmax(differs))),
            one=Mention(columns={"grades": taken}),
            other=Mention(columns={"grades": column}),
        )


def find_numbered(profile: Profile, columns: Sequence[str]) -> Message | None:
    """Refuse or note names of samples, each a name of a problem with a number behind it: p0_0, p0_1."""
    for column in (name for name in columns if profile[name].distinct == profile.count):
        parts = [*takewhile(bool, map(split_number, map(str, profile[column].cells)))]
        numbers: dict[str, list[str]] = {}
        for base, number in filter(None, parts) if len(parts) == profile.count else ():
            numbers.setdefault(base, []).append(number)
        whole = list(numbers.values())[: -1 if profile.count >= HEAD else None]  # others may follow
        if (
            len(whole) > 1
            and len(whole[0]) > 1
            and len({*map(len, whole)}) == 1
            and all(map(count_up, whole))
        ):
            split, apart = (
                Mention(columns={"problem": shorten(name)}) for name in (f"{column}.base", column)
            )
            told = {
                "column": shorten(column),
                "names": quote_all(profile[column].cells[:2]),
                "split": split,
            }
            # More numbers than parts may be problems of a contest: AIME's 2024-I-1 to 2024-II-15.
            if len(whole[0]) > len(whole):
                return _say("note.numbered_names", **told)
            raise _say.error("plain.numbered_names", apart=apart, **told)
    return None


def _spell_name(cell: object) -> object:
    """Return a name as text, also that which is a number."""
    return spell_question(cell) if isinstance(cell, (list, dict, str, type(None))) else str(cell)


def find_asked(profile: Profile, roles: Columns) -> str | None:
    """Find the column of messages whose questions repeat, which names the problems where nothing else does."""
    for name in find_named(profile.columns, PROMPT):
        asked = [spell_question(cell) for cell in profile[name].there if isinstance(cell, list)]
        if name not in roles.values() and 1 < len({*asked}) < len(asked):
            return name
    return None


def find_questions(profile: Profile, problem: str | None, *, own_names: bool) -> Mapping[str, str]:
    """Find what each problem asks, as far as the first rows say it: all rows may have gigabytes of questions."""
    if problem is None or normalize_name(problem) in QUESTION:
        return {}
    others = [name for name in profile.columns if name != problem]
    sure = [name for name in others if has_name(name, ASKED)][:1]
    perhaps = [name for name in others if has_name(name, PROMPT)]
    inputs = [name for name in others if normalize_name(name).startswith("inputs.")]
    alike = [name for name in others if _names_items(profile[name])]
    if (
        not own_names
    ):  # a finer name: each of its values belongs to one problem, and has several rows
        alike = [name for name in alike if _is_finer(profile, problem, name)]
    asking = {
        name: list(map(spell_question, profile[name].cells)) for name in sure or perhaps or inputs
    } or {name: list(map(_spell_name, profile[name].cells)) for name in alike}
    column = max(asking, key=lambda name: len({*map(repr, asking[name])} - {"None"}), default="")
    if not column or not all(isinstance(text, (str, type(None))) for text in asking[column]):
        return {}
    rows = zip(profile[problem].cells, asking[column], strict=True)
    pairs = [
        (name, text)
        for name, text in rows
        if text is not None and isinstance(name, (str, int, float))
    ]
    asked, counts = dict[object, object](), Counter(text for _, text in pairs)
    for name, text in pairs:
        asked.setdefault(name, text)  # the first of each, in their order
    other = [name for name, text in pairs if asked[name] != text][:1]
    # Half of the rows share their question with another one: a few problems may be there twice.
    is_repeated = 2 * sum(count for count in counts.values() if count > 1) >= len(pairs) > 0
    if other or (own_names and is_repeated and (sure or len(counts) > 1)):
        shared = other[0] if other else counts.most_common(1)[0][0]
        same = [pair for pair in pairs if pair[0 if other else 1] == shared]
        raise _say.error(
            "plain.questions",
            problem=shorten(problem),
            column=shorten(column),
            names=quote_all(dict.fromkeys(name for name, _ in same)),
            texts=quote_all(dict.fromkeys(text for _, text in same)),
            apart=Mention(columns={"problem": shorten(column)}),
            one=Mention(columns={"problem": shorten(problem)}),
        )
    return {str(name): str(text) for name, text in asked.items()}


# Words in the name of a column that names problems.
_ITEM = {
    *("id", "ref", "key", "item", "question", "prompt", "problem", "task", "case", "example"),
    *("instance", "input", "inputs", "query", "scenario", "exercise", "puzzle"),
}

# Words behind which a name tells a property of the problem, or a measurement, and no problem.
_PROPERTY = {
    *(
        "type",
        "kind",
        "class",
        "category",
        "level",
        "difficulty",
        "topic",
        "subject",
        "format",
        "style",
    ),
    *(
        "source",
        "language",
        "lang",
        "domain",
        "group",
        "split",
        "set",
        "tokens",
        "token",
        "length",
        "len",
    ),
    *(
        "time",
        "cost",
        "size",
        "chars",
        "words",
        "count",
        "num",
        "score",
        "version",
        "template",
        "date",
    ),
    *("batch", "user", "session", "run", "hash", "model", "author", "annotator", "worker", "year"),
}


def _names_items(column: Column) -> bool:
    """Return whether a column may name problems, each with several rows, where another one names the rows."""
    if column.spelling in PROBLEM:
        return _repeats_alike(column)
    if column.has_objects or has_name(column.name, (*ROLE["group"], *NUMBERED, *SETTING, *RUN)):
        return False
    words = {*re.split(r"[\W_]+", normalize_name(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column.name)))}
    others = words & (_PROPERTY | NUMBER_WORD - {"id"})
    is_named = not words.isdisjoint(_ITEM) and not others
    return is_named and column.distinct > 1 and 2 * column.distinct <= len(column.cells)


def _is_finer(profile: Profile, problem: str, name: str) -> bool:
    """Return whether each value of a column belongs to one problem, and occurs as often as any other."""
    pairs = profile.combine(problem, name)
    counts = {*Counter(profile[name].keys).values()}
    return profile[problem].distinct < pairs == profile[name].distinct and min(counts) > 1 == len(
        counts
    )


def _repeats_alike(column: Column) -> bool:
    """Return whether all values of a column occur equally often, and not more often than there are values."""
    counts = [*Counter(column.keys).values()]
    counts = counts[: -1 if len(column.keys) >= HEAD else None]  # others may follow
    return len({*counts}) == 1 and 2 <= counts[0] <= len(counts)

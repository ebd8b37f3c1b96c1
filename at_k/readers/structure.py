"""Check by its structure that a table is what it seems: samples of one model on one set of problems, and each once.

Prefer an error: the user can override it by one option, which the error names, but cannot notice a wrong reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message, SeveralModelsError
from at_k.readers.arrays import encode
from at_k.readers.names import (
    MODEL,
    NUMBER_WORD,
    SET,
    STEP,
    has_name,
    is_model,
    normalize_name,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.samples import Samples

# Values of a column up to which it may hold settings.
_MOST_VALUES = 20

# A word for runs and the whole number behind it.
_RUN = re.compile(
    r"(?:^|[^a-z])(run|seed|sample|rollout|trial|attempt|rep|rs)[-_= ]?(\d+)(?![\d.]*\d|[a-z])", re.IGNORECASE
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

_SPACE = re.compile(r"[^\S\t\r\n]+")


class Watch:
    """The values of a column without a role; no longer watched when they are too many to be settings.

    Attributes:
        name: the column.
        values: its values, in order of first appearance.
    """

    def __init__(self, name: str) -> None:
        self.name, self.values = name, list[Any]()
        self._known: dict[object, int] = {}
        self._codes: list[NDArray[np.int32]] = []
        self._most = 100_000 if has_name(name, (*MODEL, *SET, *STEP)) else _MOST_VALUES

    def add(self, cells: Any) -> bool:
        """Add cells, and return whether there still are few values."""
        codes, values = encode(cells)
        table = np.full(len(values) + 1, -1, dtype=np.int32)
        for place, value in enumerate(values):
            table[place] = self._number(value)
        if len(codes) and codes.min() < 0:
            table[-1] = self._number(None)
        self._codes.append(table[codes].astype(np.int8 if self._most < 100 else np.int32))
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

    def is_crossed(self, problem: NDArray[np.int64], *, listed: bool) -> bool:
        """Return whether problems have equally many rows of each value that they have, which numbers no samples."""
        count, problems, codes = len(self.values), int(problem.max()) + 1, self.codes
        if not 2 <= count <= _MOST_VALUES or problems < 2 or problems * count > 2 * len(problem):
            return False
        table = np.bincount(problem * count + codes, minlength=problems * count).reshape(problems, count)
        n = int(table.max())
        if (table[table > 0] < n).any() or ((table > 0).sum(axis=1) < 2).all():
            return False
        if (table == 0).any():
            # Parts of unequal size, each with problems of its own: their rows follow each other, or have n samples.
            in_parts = n > 1 or (
                np.count_nonzero(np.diff(codes)) == count - 1
                and int(((table > 0).sum(axis=1) > 1).sum()) > 1  # one problem may be in two parts by chance
                and not self._numbers_samples()
            )
            return bool(in_parts) and not listed and None not in self.values and (table > 0).sum(axis=0).max() > 1
        return listed or n > 1 or not self._numbers_samples()

    def _numbers_samples(self) -> bool:
        texts = list(map(_spell_number, self.values))
        words = {*re.split(r"[\W_\d]+", normalize_name(self.name))}
        if all(text.isdigit() for text in texts) and words & NUMBER_WORD:
            return _count_up(texts, any_number="seed" in words)
        return count_runs(texts)


def _spell_number(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _count_up(numbers: Sequence[str], *, any_number: bool = False) -> bool:
    """Return whether numbers are consecutive from 0 or from 1."""
    found = sorted(map(int, numbers))
    return any_number or found in (list(range(len(found))), list(range(1, len(found) + 1)))


def count_runs(names: Sequence[str]) -> bool:
    """Return whether names are one template with one whole number behind a word for runs, from 0 or 1; seeds: any.

    Examples:
        >>> count_runs(["a/run1.jsonl", "a/run2.jsonl"]), count_runs(["gpt_4o_05.csv", "gpt_4o_08.csv"])
        (True, False)
    """
    for match in _RUN.finditer(names[0]):
        before, behind = names[0][: match.start(2)], names[0][match.end(2) :]
        if not all(name.startswith(before) and name.endswith(behind) for name in names):
            continue
        numbers = [name[len(before) : len(name) - len(behind)] for name in names]
        if all(map(str.isdigit, numbers)) and len({*map(int, numbers)}) == len(numbers):
            return _count_up(numbers, any_number=match[1].lower() in ("seed", "rs"))
    return False


def count_samples(names: Sequence[str], problem: str) -> bool:
    """Return whether files are named by their problem, or its folder, and a whole number behind it, from 0 or 1.

    Examples:
        >>> count_samples(["/r/p0_0.json", "/r/p0_1.json"], "p0"), count_samples(["/r/p0/3", "/r/p0/4"], "p0")
        (True, False)
    """
    found = [_NUMBERED.fullmatch(name) for name in names]
    if None in found or len({match[1] for match in found if match}) > 1:
        return False
    before, own = (re.split(r"[\W_]+", text) for text in (found[0][1] if found[0] else "", problem))
    return before[-len(own) :] == own and _count_up([match[2] for match in found if match])


def refuse_settings(watches: Sequence[Watch], problem: NDArray[np.int64], column: str | None, *, listed: bool) -> None:
    """Raise if a column shows that the rows are of several models, settings or sets of problems."""
    for watch in watches:
        if len(watch.values) > 1 and is_model(watch.name) and not watch._numbers_samples():
            refuse_several(watch.name, watch.values, column)
    for watch in watches:
        if watch.is_crossed(problem, listed=listed):
            refuse_several(watch.name, watch.values, column)
    for watch in watches:
        if len(watch.values) > 1 and has_name(watch.name, SET):
            _refuse_several_sets(watch, problem, column)


def _refuse_several_sets(watch: Watch, problem: NDArray[np.int64], column: str | None) -> None:
    """Raise if a problem has the name of another one in another set of problems."""
    codes, problems = watch.codes, int(problem.max()) + 1
    firsts = np.full(problems, -1)
    firsts[problem[::-1]] = codes[::-1]
    if (codes != firsts[problem]).any():
        refuse_several(watch.name, watch.values, column)


def refuse_several(name: str, values: Sequence[object], problem: str | None = None) -> None:
    """Raise if the rows that are kept have several values in a column of data sets."""
    if len(values) < 2:
        return
    example = next(value for value in values if value is not None)
    ways: dict[str, Any] = {
        "column": shorten(name),
        "values": quote_all(values),
        "where": Mention(where={shorten(name): simplify(example)}),
        "pool": Mention(pool=shorten(name)),
    }
    if problem is None:
        raise SeveralModelsError(
            "models.several",
            "Column “{column}” has several values: {values}. To score one of them, keep only its rows: {where}. "
            "If all rows are samples of one model, say so: {pool}.",
            **ways,
        )
    raise SeveralModelsError(
        "models.settings",
        "Column “{column}” has several values: {values}. To score one of them, keep only its rows: {where}. "
        "If each value has problems of its own, say so: {apart}. If all rows are samples of one model, say so: {pool}.",
        **ways,
        apart=Mention(columns={"problem": f"{shorten(name)}+{shorten(problem)}"}),
    )


def simplify(value: object) -> object:
    """Return a name or a value as a message may mention it: short, and in characters that can be sent."""
    return value if isinstance(value, (bool, int, float)) else shorten(str(value))


def refuse_repeated(verdicts: NDArray[np.float64], texts: Sequence[Sequence[str]]) -> list[Message]:
    """Raise if the second half of a table repeats the first: a file that was appended to itself."""
    # A few verdicts alone may be equal by chance, so that a note says it. Texts of samples are not, nor are many
    # verdicts that differ.
    half = len(verdicts) // 2
    sure = any(len({*cells[:half]}) >= half / 2 for cells in texts)
    differing = min(int((verdicts[:half] > 0.5).sum()), int((verdicts[:half] <= 0.5).sum()))
    said = Message(
        "structure.repeated",
        "The rows from {row:,} on repeat those before them. If the file was appended to itself, n is twice as large as "
        "it should be: remove one half. If it holds two runs that are alike, say so: {option:pool=file}.",
        row=half + 1,
    )
    if sure or (half >= 20 and differing >= 5 and not texts):
        raise InputError(said.code, said.sentence, **said.values)
    return [said] if differing else []


def repeats(*columns: NDArray[Any]) -> bool:
    """Return whether the second half of each column is its first half once more."""
    half, odd = divmod(len(columns[0]), 2)
    return half > 2 and not odd and all(np.array_equal(each[:half], each[half:], equal_nan=True) for each in columns)


def refuse_odd_names(samples: Samples, *, are_given: bool) -> None:
    """Raise if two names differ by case or white space, unless a user gave them, or if one names a summary."""
    import pyarrow.compute as pc

    names = samples.table["problem"]
    spaced = pc.match_substring_regex(names, r"^\s|\s$|\s\s|[^ -~]")
    if not are_given and (pc.any(spaced).as_py() or len(pc.unique(pc.ascii_lower(names))) < len(names)):
        seen: dict[str, str] = {}
        for problem, name in enumerate(samples.problems):
            shown = _show(name)
            if seen.setdefault(shown, name) != name:
                raise InputError(
                    "samples.white_space",
                    "Two names of problems look the same, but differ in case, in white space or in the code of a "
                    "letter: {first} and {second} ({place}). Write them alike if it is one problem. If they are two, "
                    "say so: {apart}.",
                    first=quote(seen[shown]),
                    second=quote(name),
                    place=samples.place(problem, 0, "problem"),
                    apart=Mention(columns={"problem": shorten(samples.roles["problem"] or "problem")}),
                )
    _refuse_summaries(samples)


def _show(name: str) -> str:
    """Return a name in one case, without invisible signs, with single spaces, and each letter as one character."""
    return normalize("NFC", _SPACE.sub(" ", _INVISIBLE.sub("", name))).strip().casefold()


def is_summary(name: object) -> bool:
    """Return whether a row has the name of a summary.

    Examples:
        >>> is_summary("Mean ± std"), is_summary("平均"), is_summary("sum_of_squares")
        (True, True, False)
    """
    return isinstance(name, str) and _SUMMARY.fullmatch(name) is not None


def _refuse_summaries(samples: Samples) -> None:
    names = samples.table["problem"]
    count = len(names)
    first = next((i for i, name in enumerate(names) if not is_summary(name.as_py())), 0)
    behind = next((count - i for i, name in enumerate(reversed(names)) if not is_summary(name.as_py())), count)
    named = {*range(first), *range(behind, count)}
    for problem in sorted({*named, count - 1}) if count > 2 else sorted(named):
        # A function to be written may be called “sum”, and has samples of its own.
        if (problem in named and samples.n[problem] == 1) or _is_mean(samples, problem, is_named=problem in named):
            place = samples.place(problem, 0, "problem")
            raise make_summary_error(samples.roles["problem"] or "problem", names[problem].as_py(), place)


def _is_mean(samples: Samples, problem: int, *, is_named: bool) -> bool:
    """Return whether the grades of a problem are the means of those of the others, or their sums."""
    if "grades" not in samples.table.column_names:
        return False
    own = np.array(samples.table["grades"][problem].as_py(), dtype=float)
    partial = bool(((own > 0) & (own < 1)).any())
    if is_named or not partial or (len(own) > 1 and (samples.n != len(own)).any()):
        return is_named and partial
    others = np.array([i for i in range(len(samples.n)) if i != problem])
    rows = samples.table["grades"].take(others).combine_chunks().flatten().to_numpy(zero_copy_only=False)
    if np.isnan(rows).all() or np.nanmin(rows) == np.nanmax(rows) or 2 * np.isin(rows, (0, 1)).sum() < len(rows):
        return False
    if len(own) == 1:
        # By chance, one of few problems may have a grade of a half that is the mean of the others.
        return len(others) > 3 and own[0] not in (0.25, 0.5, 0.75) and bool(abs(own[0] - np.nanmean(rows)) < 6e-4)
    rows = rows.reshape(-1, len(own))
    differ = (rows != rows[0]).any()  # among rows that are all equal, one more is no summary
    return bool(differ and np.allclose(own, np.nanmean(rows, axis=0), atol=6e-4))


def make_summary_error(column: str, name: object, place: Message) -> InputError:
    """Make the error that a row sums up the others."""
    return InputError(
        "structure.summary",
        "The row {name} sums up the others ({place}). Leave it out: {where}.",
        name=quote(name),
        place=place,
        where=Mention(where={shorten(column): {"!=": simplify(name)}}),
    )


def note_errors(name: str, texts: Sequence[object], verdicts: NDArray[np.float64]) -> list[Message]:
    """Note samples that have the text of an error and count as wrong: they may not have been judged."""
    wrong = [text for text, grade in zip(texts, verdicts.tolist(), strict=True) if text and grade <= 0.5]
    if not wrong:
        return []
    return [
        Message(
            "note.errors",
            "{count:,} samples have a text in column “{column}”, such as {text}, and count as wrong. If they were not "
            "judged, leave their verdicts empty: {option:missing} then decides.",
            count=len(wrong),
            column=shorten(name),
            text=quote(wrong[0]),
        )
    ]


def refuse_contradiction(samples: Samples, other: NDArray[np.float64], order: Any, column: str) -> None:
    """Raise if another column of verdicts says something else than the one that was taken."""
    mine = samples.table["grades"].combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(float)
    other = other if order is None else other[order]
    with np.errstate(invalid="ignore"):
        differs = ~np.isnan(mine) & ~np.isnan(other) & ((mine > 0.5) != (other > 0.5))
    if differs.any():
        place = int(np.argmax(differs))
        problem = int(np.searchsorted(np.cumsum(samples.n), place, side="right"))
        taken = samples.roles["grades"] or ""
        raise InputError(
            "plain.two_verdicts",
            "Columns “{taken}” and “{column}” contradict each other in {count:,} of {total:,} samples, first at "
            "{place}. Say which of them holds the verdicts: {one} or {other}.",
            taken=shorten(taken),
            column=shorten(column),
            count=int(differs.sum()),
            total=len(differs),
            place=samples.place(problem, place - int(samples.n[:problem].sum()), "grades"),
            one=Mention(columns={"grades": shorten(taken)}),
            other=Mention(columns={"grades": shorten(column)}),
        )

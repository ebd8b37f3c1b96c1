"""Hold what is enough of problems: states that merge when problems or samples are added, and their JSON."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import fsum
from typing import Any, NamedTuple

import numpy as np

import at_k
from at_k.combinatorics import Floats, Ints, pack_tallies, sort_rows
from at_k.engines.engine import hash_names
from at_k.results.saving import FORMAT, decode, encode
from at_k.values import Key

# The mean grade, which follows from n and c where all grades are 0 or 1.
ACCURACY = Key("accuracy")

# Group, n and c of a problem.
Count = tuple[str | None, int, int]

# Group, n, and the votes for each answer of a problem: in falling order, those for a wrong answer below zero.
Shape = tuple[str | None, int, tuple[int, ...]]

# Group and n of problems.
Cell = tuple[str | None, int]

# Values of problems, their jackknife variances, and the errors of simulated ones.
Measures = tuple[Floats, Floats, Floats]


# Problems up to which a tally keeps the hashes of all their names, 400 kB; beyond, one more for every eight.
_HASHES = 50_000


class Moments(NamedTuple):
    """Hold what is known of the values of several problems: enough for their mean and its error bars.

    Attributes:
        mean: their mean.
        squares: the sum of the squares of their deviations from it.
        variance: the sum of their jackknife variances; infinite where there are none.
        largest: the largest of these.
        error: the sum of the squared errors of simulated values.
    """

    mean: float
    squares: float
    variance: float
    largest: float
    error: float

    @classmethod
    def of(cls, values: Floats, variances: Floats, errors: Floats, times: Ints) -> Moments:
        """Measure values, each of which is that of `times` problems. Variances that are not known are infinite."""
        # The mean of equal values must not be rounded: they do not deviate from it.
        equal = bool((values == values[0]).all())
        if equal:
            mean = float(values[0])
        else:
            mean = fsum((values * (times / times.sum())).tolist())
        return cls(
            mean,
            float(times @ (values - mean) ** 2),
            float(times @ variances),
            float(variances.max()),
            float(times @ errors**2),
        )

    def merge(self, size: int, other: Moments, more: int) -> Moments:
        """Merge those of `size` problems with those of `more`. No large numbers cancel (Chan, Golub, LeVeque, 1983)."""
        total = size + more
        gap = self.mean - other.mean
        return Moments(
            self.mean * (size / total) + other.mean * (more / total) if gap else self.mean,
            self.squares + other.squares + gap**2 * (size * more / total),
            self.variance + other.variance,
            max(self.largest, other.largest),
            self.error + other.error,
        )


class Shapes(Mapping[Shape, int]):
    """Count problems by their shape, in arrays; a mapping from shapes to numbers of problems for those who ask.

    Attributes:
        cells: (group, n) → the votes, a row for each shape, filled up with zeros, in rising order, and the number of
            problems that have each.
    """

    def __init__(self, cells: Mapping[Cell, tuple[Ints, Ints]]) -> None:
        self.cells = cells

    @classmethod
    def count(cls, groups: Sequence[str | None], n: Ints, problem: Ints, signed: Ints) -> Shapes:
        """Count shapes, from the group and n of each problem, and the problem and signed votes of each answer."""
        places = np.arange(len(problem)) - np.searchsorted(problem, np.arange(len(n)))[problem]
        ranks = np.zeros((len(n), int(places.max(initial=0)) + 1), dtype=np.int32)
        ranks[problem, places] = -_rank(signed)
        ranks.sort(axis=1)
        votes = np.where(ranks % 2, -ranks // 2, ranks // 2)
        codes = {group: code for code, group in enumerate(dict.fromkeys(groups))}
        cell = (
            np.array([codes[group] for group in groups], dtype=np.int64)
            * (int(n.max(initial=0)) + 1)
            + n
        )
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        ones = np.ones(len(n), dtype=np.int64)
        return cls(
            {
                (groups[here[0]], int(n[here[0]])): _count_rows(votes[here], ones[here])
                for here in np.split(order, starts[1:])
                if len(here)
            }
        )

    @classmethod
    def of(cls, counts: Mapping[Shape, int]) -> Shapes:
        """Make arrays of numbers of problems by shape."""
        cells: dict[Cell, list[tuple[tuple[int, ...], int]]] = {}
        for (group, n, votes), problems in counts.items():
            cells.setdefault((group, n), []).append((votes or (0,), problems))
        made = {}
        for cell, shapes in cells.items():
            columns = list(zip_longest(*(votes for votes, _ in shapes), fillvalue=0))
            made[cell] = _count_rows(
                np.array(columns, dtype=np.int32).T, np.array([times for _, times in shapes])
            )
        return cls(made)

    def __add__(self, other: Shapes) -> Shapes:
        """Count the problems of both."""
        merged = dict(self.cells)
        for cell, shapes in other.cells.items():
            both = [shapes] + ([merged[cell]] if cell in merged else [])
            width = max(votes.shape[1] for votes, _ in both)
            padded = [np.pad(votes, ((0, 0), (0, width - votes.shape[1]))) for votes, _ in both]
            merged[cell] = _count_rows(
                np.concatenate(padded), np.concatenate([times for _, times in both])
            )
        return Shapes(merged)

    def __iter__(self) -> Iterator[Shape]:
        return (shape for shape, _ in self.items())

    def items(self) -> Any:
        """Yield each shape and the number of its problems; a view would look every shape up."""
        for (group, n), (votes, times) in self.cells.items():
            for row, problems in zip(votes.tolist(), times.tolist(), strict=True):
                yield (group, n, tuple(filter(None, row))), problems

    def __len__(self) -> int:
        return sum(len(times) for _, times in self.cells.values())

    def __getitem__(self, shape: Shape) -> int:
        counts: dict[Shape, int] = dict(self.items())
        return counts[shape]

    def __repr__(self) -> str:
        return repr(dict(self.items()))


def _rank(signed: Ints) -> Ints:
    """Return numbers that order votes: more before fewer, and right before wrong."""
    return 2 * np.abs(signed) + (signed > 0)


def _count_rows(votes: Ints, times: Ints) -> tuple[Ints, Ints]:
    """Sort rows of votes, and add up the times of equal ones."""
    ranks = _rank(votes)
    order, new = sort_rows(pack_tallies(ranks))
    return votes[order[new]], np.add.reduceat(times[order], np.flatnonzero(new))


class Stratum(NamedTuple):
    """Hold the number of problems of one group and one n, and the moments of their values by key."""

    problems: int
    moments: Mapping[Key, Moments]

    def keep(self, keys: frozenset[Key]) -> Stratum:
        """Keep the moments of these keys."""
        return Stratum(
            self.problems, {key: moments for key, moments in self.moments.items() if key in keys}
        )

    def merge(self, other: Stratum) -> Stratum:
        """Merge with other problems of the same group and n, which have the same keys."""
        return Stratum(
            self.problems + other.problems,
            {
                key: old.merge(self.problems, other.moments[key], other.problems)
                for key, old in self.moments.items()
            },
        )


class Problem(NamedTuple):
    """Hold what is enough of one problem.

    Attributes:
        group: its group.
        n: its samples.
        c: the correct ones.
        votes: answer → its votes and the correct ones. None where there are no answers, or equal answers have different
            verdicts and must not.
        values: key → a value that depends on more, its jackknife variance, infinite where there is none, and its error
            if it is simulated.
    """

    group: str | None
    n: int
    c: int
    votes: Mapping[str, tuple[int, int]] | None = None
    values: Mapping[Key, tuple[float, float, float]] = {}

    @property
    def shape(self) -> Shape:
        """Return its votes without the answers."""
        votes = (
            count if 2 * right > count else -count for count, right in (self.votes or {}).values()
        )
        return self.group, self.n, tuple(sorted(votes, key=lambda signed: (-abs(signed), -signed)))

    @property
    def disagrees(self) -> bool:
        """Return whether equal answers have different verdicts."""
        return any(0 < right < count for count, right in (self.votes or {}).values())

    def measure(self, key: Key) -> tuple[float, float, float]:
        """Return a value. A mean grade that was not measured is the share of correct samples."""
        if key in self.values or key != ACCURACY:
            return self.values[key]
        share = self.c / self.n
        return share, share * (1 - share) / (self.n - 1) if self.n > 1 else np.inf, 0.0

    def merge(self, other: Problem) -> Problem:
        """Add further samples of the same problem. Of the values the mean grade remains; the others need the scores."""
        votes = None
        if self.votes is not None and other.votes is not None:
            votes = dict(self.votes)
            for answer, (count, right) in other.votes.items():
                before = votes.get(answer, (0, 0))
                votes[answer] = (before[0] + count, before[1] + right)
        n = self.n + other.n
        values = {}
        if ACCURACY in self.values or ACCURACY in other.values:
            parts = [(part.n, *part.measure(ACCURACY)) for part in (self, other)]
            mean = fsum(size / n * value for size, value, _, _ in parts)
            # The variance of a mean grade is that of its samples by n, so that squared deviations add up again.
            squares = [size * (size - 1) * variance for size, _, variance, _ in parts if size > 1]
            spread = fsum([*squares, *(size * (value - mean) ** 2 for size, value, _, _ in parts)])
            values = {ACCURACY: (mean, spread / (n * (n - 1)), 0.0)}
        return Problem(self.group, n, self.c + other.c, votes, values)


def list_values(problems: Collection[Problem]) -> dict[Key, Measures]:
    """List the values of problems by key, of the keys that all of them have."""
    held = dict.fromkeys(key for problem in problems for key in problem.values)
    measured: dict[Key, Measures] = {}
    for key in held:
        if key == ACCURACY or all(key in problem.values for problem in problems):
            value, variance, error = np.array([problem.measure(key) for problem in problems]).T
            measured[key] = (value, variance, error)
    return measured


def add_up(cells: Sequence[Cell], values: Mapping[Key, Measures]) -> dict[Cell, Stratum]:
    """Add up the values of problems by their group and n."""
    rows: dict[Cell, list[int]] = {}
    for row, cell in enumerate(cells) if values else ():
        rows.setdefault(cell, []).append(row)

    def measure(own: list[int], measures: Measures) -> Moments:
        value, variance, error = measures
        return Moments.of(value[own], variance[own], error[own], np.ones(len(own), dtype=np.int64))

    strata = {}
    for cell, here in rows.items():
        moments = {key: measure(here, measures) for key, measures in values.items()}
        strata[cell] = Stratum(len(here), moments)
    return strata


def hash_problems(names: Sequence[str]) -> bytes:
    """Return what tells two tallies of the same problems: 64-bit hashes of the names, rising, the smallest of many."""
    return np.unique(hash_names(names))[: count_kept(len(names))].astype("<u8").tobytes()


def count_kept(problems: int) -> int:
    """Return the number of hashes that are kept of some number of problems: one byte for each beyond 50,000."""
    # Fewer bits of more hashes would take other problems for the same: to tell 3,000 from a million needs 18 bits each.
    return min(problems, _HASHES + max(0, problems - _HASHES) // 8)


def merge_hashes(first: bytes, second: bytes, problems: int) -> bytes:
    """Return the hashes of the problems of both tallies: the smallest of all are among the smallest of either."""
    together = np.union1d(np.frombuffer(first, "<u8"), np.frombuffer(second, "<u8"))
    return together[: count_kept(problems)].tobytes()


def count_shared(first: bytes, second: bytes) -> int:
    """Count the problems that both are known to have: all of them where each has at most 50,000."""
    mine = np.frombuffer(first, "<u8")
    its = np.frombuffer(second, "<u8")
    return len(np.intersect1d(mine, its, assume_unique=True))


# The name of a tally in a file.
TALLY = "tally"

_FORMAT = f"{FORMAT} {TALLY}"
_MAPPINGS = ("conditions", "reading", "options")


def read_state(text: str | bytes, name: str) -> dict[str, Any]:
    """Read the fields of a tally from its JSON; `name` is what errors call it."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} must be the JSON of a tally; it is not JSON: {error}") from None
    if not isinstance(content, Mapping) or content.get("format") != _FORMAT:
        raise ValueError(f"{name} must be a tally; it is something else")
    try:
        state = _from_content(content)
        _check(state)
        if state["votes"] is None:
            state["votes"] = None
        else:
            state["votes"] = Shapes.of(state["votes"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} must be a tally; it is damaged: {error!r}") from None
    return state


def write_state(state: Mapping[str, Any]) -> str:
    """Write the fields of a tally as JSON."""
    votes = None
    if state["votes"] is not None:
        votes = [[*shape, problems] for shape, problems in state["votes"].items()]
    sums = []
    for cell, stratum in state["sums"].items():
        sums.append([*cell, stratum.problems, _encode_lists(stratum.moments)])
    problems = []
    for name, problem in state["problems"].items():
        problems.append([name, *problem[:4], _encode_lists(problem.values)])
    content = {
        "format": _FORMAT,
        "version": at_k.__version__,
        **{name: state[name] for name in ("by_problem", "n_missing", *_MAPPINGS)},
        "hashes": b64encode(state["hashes"]).decode(),
        "left_out": encode(dict(state["left_out"])),
        "counts": [[*cell, times] for cell, times in state["counts"].items()],
        "votes": votes,
        "sums": sums,
        "problems": problems,
    }
    return json.dumps(content, ensure_ascii=False)


def _encode_lists(values: Mapping[Key, Iterable[float]]) -> Any:
    return encode({key: list(numbers) for key, numbers in values.items()})


def _from_content(content: Mapping[str, Any]) -> dict[str, Any]:
    votes = None
    if content["votes"] is not None:
        votes = {(group, n, tuple(shape)): times for group, n, shape, times in content["votes"]}
    sums = {}
    for group, n, times, moments in content["sums"]:
        held = {key: Moments(*parts) for key, parts in decode(moments).items()}
        sums[group, n] = Stratum(times, held)
    problems = {}
    for name, group, n, c, cast, values in content["problems"]:
        pairs = cast and {answer: (count, right) for answer, (count, right) in cast.items()}
        known = {
            key: (mean, spread, error) for key, (mean, spread, error) in decode(values).items()
        }
        problems[name] = Problem(group, n, c, pairs, known)
    return {
        "by_problem": bool(content["by_problem"]),
        "counts": {(group, n, c): times for group, n, c, times in content["counts"]},
        "votes": votes,
        "sums": sums,
        "problems": problems,
        "hashes": b64decode(content["hashes"], validate=True),
        "n_missing": content["n_missing"],
        **{name: dict(content[name]) for name in _MAPPINGS},
        "left_out": decode(content["left_out"]),
    }


def _check(state: Mapping[str, Any]) -> None:
    """Raise if the parts of a tally are not numbers that a set of problems can have, or contradict each other."""
    hashes = np.frombuffer(state["hashes"], "<u8")
    kept = count_kept(sum(state["counts"].values()))
    rise = bool((hashes[1:] > hashes[:-1]).all())
    _require(rise and len(hashes) <= kept, "the hashes of problems")
    for group, n, c in state["counts"]:
        _require(group is None or isinstance(group, str), "groups are texts")
        are_counts = type(n) is type(c) is int
        _require(are_counts and 0 <= c <= n > 0, f"n = {n}, c = {c}")
    for _, n, votes in state["votes"] or ():
        are_counts = all(type(size) is int and size for size in votes)
        sizes_of = []
        if are_counts:
            sizes_of = list(map(abs, votes))
        falls = are_counts and sizes_of == sorted(sizes_of, reverse=True)
        _require(falls and sum(sizes_of) <= n, f"votes {votes} of {n} samples")
    sizes: dict[Any, list[int]] = {}
    parts = [
        [((group, n), times) for (group, n, _), times in state["counts"].items()],
        [((group, n), times) for (group, n, _), times in (state["votes"] or {}).items()],
        [(cell, stratum.problems) for cell, stratum in state["sums"].items()],
        [((problem.group, problem.n), 1) for problem in state["problems"].values()],
    ]
    for place, part in enumerate(parts):
        for cell, times in part:
            _require(type(times) is int and times > 0, f"{times} problems")
            sizes.setdefault(cell, [0] * len(parts))[place] += times
    for cell, (expected, *others) in sizes.items():
        present = [state["votes"] is not None, bool(state["sums"]), state["by_problem"]]
        known = [size for size, part in zip(others, present, strict=True) if part]
        _require(all(size == expected for size in known), f"the problems of {cell}")


def _require(right: bool, what: str) -> None:
    if not right:
        raise ValueError(what)

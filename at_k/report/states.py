"""Hold what is enough of problems: states that merge when problems or samples are added, and their JSON."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

import at_k
from at_k.combinatorics import Ints, pack_tallies, sort_rows
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

# Problems up to which a tally keeps the hashes of all their names, 400 kB; beyond, one more for every eight.
_HASHES = 50_000


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
        group = np.array([codes[group] for group in groups], dtype=np.int64)
        cell = group * (int(n.max(initial=0)) + 1) + n
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        ones = np.ones(len(n), dtype=np.int64)
        cells: dict[Cell, tuple[Ints, Ints]] = {}
        for here in np.split(order, starts[1:]):
            if len(here):
                first = here[0]
                cells[groups[first], int(n[first])] = _count_rows(votes[here], ones[here])
        return cls(cells)

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


class Problem(NamedTuple):
    """Hold what is enough of one problem.

    Attributes:
        group: its group.
        n: its samples.
        c: the correct ones.
        votes: answer → its votes and the correct ones. None where there are no answers, or equal answers have different
            verdicts and must not.
    """

    group: str | None
    n: int
    c: int
    votes: Mapping[str, tuple[int, int]] | None = None

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

    def merge(self, other: Problem) -> Problem:
        """Add further samples of the same problem."""
        votes = None
        if self.votes is not None and other.votes is not None:
            votes = dict(self.votes)
            for answer, (count, right) in other.votes.items():
                before = votes.get(answer, (0, 0))
                votes[answer] = (before[0] + count, before[1] + right)
        return Problem(self.group, self.n + other.n, self.c + other.c, votes)


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
        if state["votes"] is not None:
            state["votes"] = Shapes.of(state["votes"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} must be a tally; it is damaged: {error!r}") from None
    return state


def write_state(state: Mapping[str, Any]) -> str:
    """Write the fields of a tally as JSON."""
    votes = None
    if state["votes"] is not None:
        votes = [[*shape, problems] for shape, problems in state["votes"].items()]
    problems = [[name, *problem] for name, problem in state["problems"].items()]
    content = {
        "format": _FORMAT,
        "version": at_k.__version__,
        **{name: state[name] for name in ("by_problem", "n_missing", *_MAPPINGS)},
        "hashes": b64encode(state["hashes"]).decode(),
        "left_out": encode(dict(state["left_out"])),
        "counts": [[*cell, times] for cell, times in state["counts"].items()],
        "votes": votes,
        "problems": problems,
    }
    return json.dumps(content, ensure_ascii=False)


def _from_content(content: Mapping[str, Any]) -> dict[str, Any]:
    votes = None
    if content["votes"] is not None:
        votes = {(group, n, tuple(shape)): times for group, n, shape, times in content["votes"]}
    problems = {}
    for name, group, n, c, cast in content["problems"]:
        pairs = cast and {answer: (count, right) for answer, (count, right) in cast.items()}
        problems[name] = Problem(group, n, c, pairs)
    return {
        "by_problem": bool(content["by_problem"]),
        "counts": {(group, n, c): times for group, n, c, times in content["counts"]},
        "votes": votes,
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
        sizes = list(map(abs, votes)) if are_counts else []
        falls = are_counts and sizes == sorted(sizes, reverse=True)
        _require(falls and sum(sizes) <= n, f"votes {votes} of {n} samples")
    counts = ((cell[:2], times) for cell, times in state["counts"].items())
    expected = _add_cells(counts)
    if state["votes"] is not None:
        votes = ((shape[:2], times) for shape, times in state["votes"].items())
        _require_same(_add_cells(votes), expected)
    if state["by_problem"]:
        problems = (((problem.group, problem.n), 1) for problem in state["problems"].values())
        _require_same(_add_cells(problems), expected)


def _add_cells(parts: Iterable[tuple[Cell, int]]) -> dict[Cell, int]:
    """Add up the problems of each group and n."""
    sizes: dict[Cell, int] = {}
    for cell, times in parts:
        _require(type(times) is int and times > 0, f"{times} problems")
        sizes[cell] = sizes.get(cell, 0) + times
    return sizes


def _require_same(sizes: Mapping[Cell, int], expected: Mapping[Cell, int]) -> None:
    for cell in {**expected, **sizes}:
        _require(sizes.get(cell) == expected.get(cell), f"the problems of {cell}")


def _require(right: bool, what: str) -> None:
    if not right:
        raise ValueError(what)

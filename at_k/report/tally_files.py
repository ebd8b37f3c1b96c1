"""Write and read tallies, as JSON and as Arrow tables. What is read is checked: a file may come from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf, isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import at_k
from at_k.report.files import is_json_of, replace_file
from at_k.report.saving import read_key, read_message, write_key, write_message
from at_k.report.states import Moments, Problem, Stratum
from at_k.values import Key

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.report.tally import Tally

_FORMAT = "at-k tally"
_METADATA = b"at_k_tally"
_MAPPINGS = ("conditions", "reading", "options")
_Made = TypeVar("_Made", bound="Tally")


def to_json(tally: Tally) -> str:
    """Write a tally as JSON."""
    return json.dumps(_to_content(tally), ensure_ascii=False)


def from_json(text: str | bytes, make: type[_Made], name: str = "`text`") -> _Made:
    """Read the JSON of a tally; `name` is what errors call it."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} must be the JSON of a tally; it is not JSON: {error}") from None
    return _from_content(content, make, name)


def to_arrow(tally: Tally) -> pa.Table:
    """Write a tally as a table, with what is not a count in its metadata."""
    import pyarrow as pa

    content = _to_content(tally)
    rows = [(group, n, c, None, problems) for group, n, c, problems in content.pop("counts")]
    rows += [(group, n, None, votes, problems) for group, n, votes, problems in content["votes"] or ()]
    content["votes"] = content["votes"] is not None
    kinds = {
        "group": pa.string(),
        "n": pa.int64(),
        "c": pa.int64(),
        "votes": pa.list_(pa.int64()),
        "problems": pa.int64(),
    }
    columns = zip(kinds.items(), zip(*rows, strict=True) if rows else [()] * len(kinds), strict=True)
    return pa.table({name: pa.array(column, kind) for (name, kind), column in columns}).replace_schema_metadata(
        {_METADATA: json.dumps(content)}
    )


def from_arrow(table: pa.Table, make: type[_Made]) -> _Made:
    """Read the table of a tally."""
    try:
        content = json.loads((table.schema.metadata or {})[_METADATA])
        rows = list(
            zip(*(table.column(name).to_pylist() for name in ("group", "n", "c", "votes", "problems")), strict=True)
        )
    except (KeyError, ValueError):
        raise ValueError("`table` must be the Arrow table of a tally; this is another one") from None
    content["counts"] = [[group, n, c, problems] for group, n, c, votes, problems in rows if votes is None]
    shapes = [[group, n, votes, problems] for group, n, c, votes, problems in rows if votes is not None]
    content["votes"] = shapes if content["votes"] else None
    return _from_content(content, make, "`table`")


def save(tally: Tally, path: str | PathLike[str]) -> None:
    """Write a tally to a file. If writing fails, no part of the file remains."""
    with replace_file(path) as part:
        part.write_text(to_json(tally), encoding="utf-8")


def load(path: str | PathLike[str], make: type[_Made]) -> _Made:
    """Read the file of a tally."""
    return from_json(Path(path).read_bytes(), make, f"The file {fspath(path)!r}")


def holds_tally(path: str | PathLike[str]) -> bool:
    """Return whether a file is that of a tally, as its beginning says. Other files may not exist."""
    return is_json_of(path, _FORMAT)


def _to_content(tally: Tally) -> dict[str, Any]:
    votes = tally.votes
    return {
        "format": _FORMAT,
        "version": at_k.__version__,
        "by_problem": tally.by_problem,
        **{name: dict(getattr(tally, name)) for name in _MAPPINGS},
        "n_missing": tally.n_missing,
        "names": list(tally.names),
        "left_out": {name: write_message(reason) for name, reason in tally.left_out.items()},
        "counts": [[*state, problems] for state, problems in tally.counts.items()],
        "votes": None
        if votes is None
        else [[group, n, list(each), times] for (group, n, each), times in votes.items()],
        "sums": [[*cell, each.problems, _write_numbers(each.moments)] for cell, each in tally.sums.items()],
        "problems": [[name, *each[:4], _write_numbers(each.values)] for name, each in tally.problems.items()],
    }


def _write_numbers(numbers: Mapping[Key, Sequence[float]]) -> list[list[Any]]:
    """Write key → numbers, with None for infinite ones, which JSON does not have."""
    return [[*write_key(key), *(each if isfinite(each) else None for each in own)] for key, own in numbers.items()]


def _read_numbers(content: Any) -> dict[Key, tuple[float, ...]]:
    return {
        read_key(*parts[:3]): tuple(inf if each is None else float(each) for each in parts[3:]) for parts in content
    }


def _from_content(content: Any, make: type[_Made], name: str) -> _Made:
    if not isinstance(content, Mapping) or content.get("format") != _FORMAT:
        raise ValueError(f"{name} must be a tally; it is something else")
    try:
        made = make(
            by_problem=bool(content["by_problem"]),
            counts={(group, n, c): problems for group, n, c, problems in content["counts"]},
            votes=None
            if content["votes"] is None
            else {(group, n, tuple(votes)): problems for group, n, votes, problems in content["votes"]},
            sums={
                (group, n): Stratum(problems, {key: Moments(*own) for key, own in _read_numbers(moments).items()})
                for group, n, problems, moments in content["sums"]
            },
            problems={
                name: Problem(
                    group,
                    n,
                    c,
                    votes and {answer: (count, right) for answer, (count, right) in votes.items()},
                    {key: (value, variance, error) for key, (value, variance, error) in _read_numbers(values).items()},
                )
                for name, group, n, c, votes, values in content["problems"]
            },
            names=tuple(content["names"]),
            n_missing=content["n_missing"],
            **{name: dict(content[name]) for name in _MAPPINGS},
            left_out={name: read_message(parts) for name, parts in content["left_out"].items()},
        )
        _check(made)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} must be a tally; it is damaged: {error!r}") from None
    return made


def _check(tally: Tally) -> None:
    """Raise if the parts of a tally are not numbers that a set of problems can have, or contradict each other."""
    for group, n, c in tally.counts:
        _require(group is None or isinstance(group, str), "groups are texts")
        _require(all(type(each) is int for each in (n, c)) and 0 <= c <= n and n > 0, f"n = {n}, c = {c}")
    for _, n, votes in tally.votes or ():
        falling = all(type(each) is int and each for each in votes) and list(map(abs, votes)) == sorted(
            map(abs, votes), reverse=True
        )
        _require(falling and sum(map(abs, votes)) <= n, f"votes {votes} of {n} samples")
    sizes: dict[Any, list[int]] = {}
    parts = [
        [((group, n), times) for (group, n, _), times in tally.counts.items()],
        [((group, n), times) for (group, n, _), times in (tally.votes or {}).items()],
        [(cell, each.problems) for cell, each in tally.sums.items()],
        [((each.group, each.n), 1) for each in tally.problems.values()],
    ]
    for place, part in enumerate(parts):
        for cell, times in part:
            _require(type(times) is int and times > 0, f"{times} problems")
            sizes.setdefault(cell, [0] * len(parts))[place] += times
    for cell, (expected, *others) in sizes.items():
        given = [tally.votes is not None, bool(tally.sums), tally.by_problem]
        _require(
            all(size == expected for size, part in zip(others, given, strict=True) if part), f"the problems of {cell}"
        )


def _require(right: bool, what: str) -> None:
    if not right:
        raise ValueError(what)

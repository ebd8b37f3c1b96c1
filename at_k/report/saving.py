"""Save and load a report as JSON, or as Parquet with the values of each problem as columns. Neither can run code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import at_k
from at_k.errors import Legend, Mention, Message, Mistake
from at_k.readers.samples import Origin
from at_k.report.data import Curves, Numbers
from at_k.report.files import is_json_of, replace_file
from at_k.values import Column, ErrorBar, Key

_FORMAT = "at-k report"
_KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in (Message, Legend, Mistake)}
_METADATA = b"at_k"
_PLAIN = ("sizes", "problems", "labels", "n", "c", "times", "n_missing", "source")
"""What of a report is written as it is."""

SAVED_AS = (".json", ".parquet")
"""The endings of a report's file."""


def save(report: Numbers, path: str | PathLike[str]) -> None:
    """Write a report to a file that ends in .json or .parquet. If writing fails, no part of the file remains."""
    kind = _kind(path)
    if kind == ".parquet":
        report.require_problems("A report in Parquet")
    content = _to_content(report)
    with replace_file(path) as part:
        if kind == ".json":
            part.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        else:
            import pyarrow as pa
            import pyarrow.parquet as pq

            columns = {"problem": content.pop("problems"), "n": content.pop("n"), "c": content.pop("c")}
            columns |= {f"value {i}": column for i, column in enumerate(content.pop("by_problem"))}
            table = pa.table(columns).replace_schema_metadata({_METADATA: json.dumps(content)})
            pq.write_table(table, part)


def holds_report(path: str | PathLike[str]) -> bool:
    """Return whether `save` has written a file, as its beginning or its schema says. Other files may not exist."""
    if Path(path).suffix.lower() != ".parquet" or not Path(path).is_file():
        return is_json_of(path, _FORMAT)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _METADATA in (pq.read_schema(path).metadata or {})
    except pa.ArrowInvalid:
        return False


_Made = TypeVar("_Made", bound=Numbers)


def load(path: str | PathLike[str], make: type[_Made]) -> _Made:
    """Read what a file holds that `save` has written, and make a report of it."""
    if _kind(path) == ".json":
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"`path` must be a report that was saved; {fspath(path)!r} is not JSON: {error}") from None
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(path)
        except pa.ArrowInvalid as error:
            raise ValueError(
                f"`path` must be a report that was saved; {fspath(path)!r} is not Parquet: {error}"
            ) from None
        try:
            content = json.loads((table.schema.metadata or {}).get(_METADATA, b"{}"))
        except ValueError:
            content = None
        if isinstance(content, dict) and table.num_columns > 2:
            content["problems"], content["n"], content["c"], *values = [column.to_pylist() for column in table.columns]
            content["by_problem"] = values
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"`path` must be a report that was saved; {fspath(path)!r} is another file")
    try:
        return _from_content(content, make)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"`path` must be a report that was saved; {fspath(path)!r} is damaged: {error!r}") from None


def _kind(path: str | PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in SAVED_AS:
        raise ValueError(f"`path` must end in .json or .parquet; got {fspath(path)!r}")
    return suffix


def _to_content(report: Numbers) -> dict[str, Any]:
    keys = list(report.values)
    return {
        "format": _FORMAT,
        "version": at_k.__version__,
        "keys": list(map(write_key, keys)),
        "values": list(report.values.values()),
        "intervals": _list_bars(report.intervals, keys),
        "group_intervals": {label: _list_bars(bars, keys) for label, bars in report.group_intervals.items()},
        "errors": [report.errors.get(key, 0.0) for key in keys],
        "groups": {label: [values[key] for key in keys] for label, values in report.groups.items()},
        **{name: getattr(report, name) for name in _PLAIN},
        "by_problem": [report.by_problem.get(key, []) for key in keys],
        "metrics": {name: [keys.index(key) for key in own] for name, own in report.metrics.items()},
        "left_out": {name: write_message(reason) for name, reason in report.left_out.items()},
        "notes": list(map(write_message, report.notes)),
        "signatures": report.signatures,
        "options": {name: _to_option(value) for name, value in report.options.items()},
        "origin": report.origin and {**asdict(report.origin), "notes": [], "skipped": {}},  # they are in `notes`
        "curves": {
            "k": report.curves.k,
            "equal_n": report.curves.equal_n,
            "lines": [[*write_key(line), list(values)] for line, values in report.curves.lines.items()],
            "bands": [[*write_key(line), list(limits)] for line, limits in report.curves.bands.items()],
        },
    }


def _from_content(content: dict[str, Any], make: type[_Made]) -> _Made:
    keys = [read_key(*parts) for parts in content["keys"]]
    curves = Curves(
        tuple(content["curves"]["k"]),
        {read_key(metric, k, tau): tuple(values) for metric, k, tau, values in content["curves"]["lines"]},
        content["curves"]["equal_n"],
        {
            read_key(metric, k, tau): tuple(each and (each[0], each[1]) for each in limits)
            for metric, k, tau, limits in content["curves"]["bands"]
        },
    )
    return make(
        values=dict(zip(keys, content["values"], strict=True)),
        groups={label: dict(zip(keys, values, strict=True)) for label, values in content["groups"].items()},
        intervals=_read_bars(content["intervals"], keys),
        group_intervals={label: _read_bars(bars, keys) for label, bars in content["group_intervals"].items()},
        **{name: content[name] for name in _PLAIN},
        columns=dict(zip(keys, map(Column.of, content["by_problem"]), strict=True)),
        errors={key: error for key, error in zip(keys, content["errors"], strict=True) if error},
        metrics={name: [keys[place] for place in places] for name, places in content["metrics"].items()},
        left_out={name: read_message(parts) for name, parts in content["left_out"].items()},
        notes=list(map(read_message, content["notes"])),
        sign=content["signatures"].copy,
        options={name: _from_option(value) for name, value in content["options"].items()},
        origin=content["origin"] and Origin(**content["origin"]),
        draw_curves=lambda: curves,
    )


def _list_bars(bars: Mapping[Key, ErrorBar], keys: Sequence[Key]) -> list[list[Any] | None]:
    return [list(bars[key]) if key in bars else None for key in keys]


def _read_bars(listed: list[list[Any] | None], keys: Sequence[Key]) -> dict[Key, ErrorBar]:
    return {key: ErrorBar(*bar) for key, bar in zip(keys, listed, strict=True) if bar}


def write_key(key: Key) -> list[Any]:
    """Split a key into its parts. A float τ stays a number, and a fraction becomes a text."""
    return [key.metric, key.k, str(key.tau) if isinstance(key.tau, Fraction) else key.tau]


def read_key(metric: str, k: int | None, tau: float | str | None) -> Key:
    """Join the parts of a key."""
    return Key(metric, k, Fraction(tau) if isinstance(tau, str) else tau)


def write_message(message: Message) -> list[Any]:
    """Return a message as plain data. A value may be a message itself: a place."""
    values = {
        name: {"message": write_message(value)}
        if isinstance(value, Message)
        else {"mention": [value.names, value.settings]}
        if isinstance(value, Mention)
        else value
        for name, value in message.values.items()
    }
    return [message.code, message.sentence, values, type(message).__name__]


def read_message(parts: Sequence[Any]) -> Message:
    """Return the message of plain data."""
    code, sentence, values, kind = (*parts, "Message")[:4]  # version 0.2 wrote no kind
    return _KINDS[kind](
        code,
        sentence,
        **{name: _read_value(value) if isinstance(value, dict) else value for name, value in values.items()},
    )


def _read_value(value: dict[str, Any]) -> Message | Mention:
    if "message" in value:
        return read_message(value["message"])
    names, settings = value["mention"]
    return Mention(*names, **settings)


def _to_option(value: Any) -> Any:
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, (list, tuple)):
        return [_to_option(part) for part in value]
    if isinstance(value, dict):
        return {"mapping": [[name, _to_option(part)] for name, part in value.items()]}
    return {"function": getattr(value, "__name__", type(value).__name__)} if callable(value) else value


def _from_option(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_option(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "fraction" in value:
        return Fraction(value["fraction"])
    return (
        _Absent(value["function"])
        if "function" in value
        else {name: _from_option(part) for name, part in value["mapping"]}
    )


class _Absent:
    """Stands for a function that a report was made with: a file keeps its name alone."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object) -> object:
        raise RuntimeError(f"the function {self.__name__} was not saved with the report")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Absent) and other.__name__ == self.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

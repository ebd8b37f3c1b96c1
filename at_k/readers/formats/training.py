"""Functions of the formats of trainers: the dumps of verl and of TRL, in which several rows may be one sample."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isnan
from sys import intern

from at_k.errors import Message
from at_k.readers.cells import NOTHING
from at_k.readers.faults import find_fault
from at_k.readers.fields import Found, Row
from at_k.readers.files.parquet import list_columns, read_rows
from at_k.readers.files.sources import Source
from at_k.readers.format import Choice, Reading, choose, refuse_field, refuse_no_scorer
from at_k.readers.harness import RowCollector
from at_k.readers.words import read_spelled

# verl: a line for each output, in three layouts. The first two have no name of the problem, which its prompt, `input`,
# means; the older of them writes truth values and numbers as text. The third one has a `uid` =
# "{problem}_{session}_{index}", and a line for each turn of a session, which all repeat the verdict of the session.

_UID = re.compile(r"(.+)_(\d+)_(\d+)", re.DOTALL)
_OPTIONAL = ("uid", "acc", "pred", "gts", "step")
NO_ANSWER = ("", "[INVALID]")


def find_dump(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the samples of verl."""
    listed = []
    for line, row in collector.rows(source, ("input", "score")):
        if reading.columns:
            kept = row
        else:
            kept = {name: row[name] for name in ("score", *_OPTIONAL) if name in row}
        # The n samples of a problem share the text of its prompt.
        listed.append(
            (
                line,
                kept
                | {"problem": intern(row["input"]) if type(row["input"]) is str else row["input"]},
            )
        )
    present = {name for _, row in listed for name in _OPTIONAL if name in row}
    rows = []
    for line, row in listed:
        with collector.faults:
            for name in filter(present.__contains__, _OPTIONAL):
                if name not in row:  # a field that some lines have is needed in all of them
                    raise collector.lack(name, line)
            rows.append((line, row))
    if "uid" in present:
        rows = _keep_last(rows, collector)
    column = "acc" if "acc" in present or "grades" in reading.columns else "score"
    above_zero = column == "score" and reading.scale is None and _needs_sign(rows, collector)
    for _, row in rows:
        grade = _read_number(row.get(column))
        row["verdict"] = grade > 0 if above_zero and isinstance(grade, (int, float)) else grade
        row["gold"] = _read_truth(row.get("gts"))
    roles: dict[str, str | None] = {
        "problem": "uid" if "uid" in present else "input",
        "grades": column,
    }
    roles |= {
        role: None
        for role, name in (("answers", "pred"), ("references", "gts"))
        if name not in present
    }
    sign = Message(
        "verl.sign", "A sample is correct if its score is above 0: there is no column “acc”."
    )
    return Found(rows, roles, [sign] if above_zero else [])


def _keep_last(rows: list[tuple[int, Row]], collector: RowCollector) -> list[tuple[int, Row]]:
    """Keep the last turn of each session, and name the problems by their uid, where there is one."""
    if not any(_UID.fullmatch(str(row["uid"])) for _, row in rows):
        return [(line, row | {"problem": row["uid"]}) for line, row in rows]
    last: dict[tuple[str, str], tuple[int, int, Row]] = {}
    for line, row in rows:
        match = None
        if isinstance(row["uid"], str):
            match = _UID.fullmatch(row["uid"])
        with collector.faults:
            if match is None:
                raise refuse_field("verl", "uid", row["uid"], collector.place(line))
            problem, session, index = match.groups()
            known, earlier, _ = last.get((problem, session), (-1, line, row))
            if int(index) == known:
                collector.refuse_repeated(row["uid"], problem, earlier, line)
            if int(index) > known:
                last[problem, session] = (
                    int(index),
                    line,
                    row | {"problem": problem, "session": int(session)},
                )
    return [(line, row) for _, line, row in last.values()]


def _needs_sign(rows: list[tuple[int, Row]], collector: RowCollector) -> bool:
    """Return whether scores are grades only by their sign, as −1 and 1 are. Raise if others are not from 0 to 1."""
    scores = {
        line: _read_number(row["score"])
        for line, row in rows
        if not isinstance(row["score"], (list, dict))
    }
    numbers = {line: score for line, score in scores.items() if isinstance(score, (int, float))}
    odd = next((line for line, score in numbers.items() if not 0 <= score <= 1), None)
    if odd is not None and not {*numbers.values()} <= {-1, 0, 1}:
        raise find_fault("grades", numbers[odd], collector.place(odd))  # whatever `errors` says
    return odd is not None


def _read_number(value: object) -> object:
    """Return a number or truth value, which the older layout writes as text; None for what is no number."""
    number = read_spelled(value)
    return None if number == "None" or (isinstance(number, float) and isnan(number)) else number


def _read_truth(value: object) -> object:
    """Return the reference, or NOTHING for one that is no text: some tasks have an object with what to check."""
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return value
    return value if isinstance(value, (str, int, float)) else NOTHING


# TRL: a row for each completion. Which columns are rewards is not marked: they are those of type double between
# `completion` and `advantage`. As in the trainer's `nanmean`, a completion without a reward does not count.


def find_completions(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the completions of TRL."""
    names = list_columns(source)
    between = names[names.index("completion") + 1 : names.index("advantage")]
    wanted = {
        "prompt",
        "step",
        *between,
        *reading.columns.values(),
        *(reading.where or ()),
        *reading.pool,
    }
    if reading.columns:
        columns = dict.fromkeys(names)
    else:
        columns = {}
    listed = [row for _, row in read_rows(source, [name for name in names if name in wanted])]
    if "grades" in reading.columns:
        choice = Choice(None)
    else:
        choice = _choose_reward(between, listed, reading.scorer)
    rows = []
    for number, row in collector.rows(listed, ("prompt",)):
        # The name of a problem is its prompt, or the messages of which it consists, as JSON.
        prompt = row["prompt"]
        named = prompt
        if isinstance(prompt, list) and prompt:
            named = json.dumps(prompt, ensure_ascii=False)
        rows.append(
            (number, columns | row | {"prompt": named, "verdict": row.get(choice.name or "")})
        )
    return Found(rows, {"grades": choice.name}, choice=choice)


def _choose_reward(names: Sequence[str], rows: Sequence[Row], wanted: str | None) -> Choice:
    rewards, known, fitting = list[str](), list[str](), list[str]()
    for name in names:
        cells = [row[name] for row in rows]
        if not {*map(type, cells)} <= {float, type(None)}:
            continue
        rewards.append(name)
        there = [cell for cell in cells if cell is not None and not isnan(cell)]
        if there:
            known.append(name)
        if there and min(there) >= 0 and max(there) <= 1:
            fitting.append(name)
    refuse_no_scorer(wanted, known, fitting)
    return choose("scorer", wanted, rewards, dict.fromkeys([*fitting[:1], *rewards]))

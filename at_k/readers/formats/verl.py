"""verl: a dump of validation or rollout generations, `{step}.jsonl`, a line for each output.

There are three layouts. The first two have no name of the problem, which its prompt, `input`, stands for; the older of
them writes truth values and numbers as text. The third one has a `uid` = "{problem}_{session}_{index}", and a line for
each turn of a session, which all repeat the verdict of the session.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from at_k.errors import InputError, Mention, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.models import find_step
from at_k.readers.quoting import quote
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_UID = re.compile(r"(.+)_(\d+)_(\d+)", re.DOTALL)
_OPTIONAL = ("uid", "acc", "pred", "gts", "step")
NO_ANSWER = ("", "[INVALID]")
_SPELLED = {"True": True, "False": False, "None": None, "nan": None}


class _Row(NamedTuple):
    """What is kept of a line."""

    line: int
    problem: object
    values: dict[str, Any]
    fields: dict[str, Any] | None


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    rows = _keep_last(_gather(source, reading, collector), collector)
    uses_score = "grades" not in reading.columns and not any("acc" in row.values for row in rows)
    above_zero = uses_score and reading.scale is None and _needs_sign(rows)
    column = "score" if uses_score else "acc"
    for row in rows:
        values = row.values
        grade = _read_number(values.get(column))
        if above_zero and isinstance(grade, (int, float)):
            grade = grade > 0
        answer = values.get("pred", NOTHING)
        collector.add(
            row.line,
            row.problem,
            number=values.get("session", NOTHING),
            answer=None if isinstance(answer, str) and answer in NO_ANSWER else answer,
            grade=grade,
            references=_read_truth(values.get("gts")),
            fields=row.fields,
        )
    notes = [] if any("uid" in row.values for row in rows) else collector.note_shared_prompts()
    if above_zero:
        notes.append(Message("verl.sign", "A sample is correct if its score is above 0: there is no column “acc”."))
    origin = Origin(
        "verl",
        subject=find_step((row.values.get("step") for row in rows), reading.pool),
        roles={
            "problem": "uid" if any("uid" in row.values for row in rows) else "input",
            "answers": "pred" if any("pred" in row.values for row in rows) else None,
            "references": "gts" if any("gts" in row.values for row in rows) else None,
            "grades": column,
        },
        notes=notes,
    )
    return collector.finish(origin)


def _gather(source: Source, reading: Reading, collector: Collector) -> list[_Row]:
    """List what is kept of each line. A field that some lines have is needed in all of them."""
    rows = []
    prompts: dict[object, object] = {}  # the n samples of a problem share the text of its prompt
    for line, row in collector.rows(source, ("input", "score")):
        values = {name: row[name] for name in ("score", *_OPTIONAL) if name in row}
        prompt = row["input"]
        if isinstance(prompt, str):
            prompt = prompts.setdefault(prompt, prompt)
        rows.append(_Row(line, prompt, values, row if reading.columns else None))
    present = {name for each in rows for name in each.values}
    kept = []
    for each in rows:
        absent = [name for name in _OPTIONAL if name in present and name not in each.values]
        if absent:
            collector.faults.add(collector.lack(absent[0], each.line))
        else:
            kept.append(each)
    return kept


def _keep_last(rows: list[_Row], collector: Collector) -> list[_Row]:
    """Keep the last turn of each session, and name the problems by their uid, where there is one."""
    if not any("uid" in row.values for row in rows):
        return rows
    if not any(_UID.fullmatch(str(row.values["uid"])) for row in rows):
        return [row._replace(problem=row.values["uid"]) for row in rows]
    last: dict[tuple[str, str], tuple[int, _Row]] = {}
    for row in rows:
        uid = row.values["uid"]
        match = _UID.fullmatch(uid) if isinstance(uid, str) else None
        with collector.faults:
            if match is None:
                raise InputError(
                    "verl.uid",
                    "A uid must consist of the problem, the session and the index of the turn, joined by “_”; got "
                    "{value} ({place}).",
                    value=quote(uid),
                    place=collector.place(row.line),
                )
            problem, session, index = match.groups()
            known, earlier = last.get((problem, session), (-1, row))
            if int(index) == known:
                raise InputError(
                    "verl.repeated",
                    "The uid {value} is there twice: {first} and {place}.",
                    value=quote(uid),
                    first=collector.place(earlier.line),
                    place=collector.place(row.line),
                )
            if int(index) > known:
                named = row._replace(problem=problem, values=row.values | {"session": int(session)})
                last[problem, session] = int(index), named
    return [row for _, row in last.values()]


def _needs_sign(rows: list[_Row]) -> bool:
    """Return whether the scores are grades only by their sign, as −1 and 1 are.

    Raises:
        InputError: if they are no grades at all.
    """
    numbers = {_read_number(row.values["score"]) for row in rows if not isinstance(row.values["score"], (list, dict))}
    found = sorted(number for number in numbers if isinstance(number, (int, float)))
    if all(0 <= number <= 1 for number in found):
        return False
    if {*found} <= {-1, 0, 1}:
        return True
    raise InputError(
        "verl.score",
        "The scores of this file, from {low} to {high}, do not say which samples are correct, and it has no column "
        "“acc”. Name a column of numbers from 0 to 1: {columns}.",
        columns=Mention(columns={"grades": "…"}),
        low=quote(found[0]),
        high=quote(found[-1]),
    )


def _read_number(value: object) -> object:
    """Return a number or truth value, which the older layout writes as text."""
    if not isinstance(value, str):
        return value
    if value in _SPELLED:
        return _SPELLED[value]
    try:
        return float(value)
    except ValueError:
        return value


def _read_truth(value: object) -> object:
    """Return the reference, or NOTHING for one that is no text: some tasks have an object with what to check."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return value
    return value if isinstance(value, (str, int, float)) else NOTHING


FORMAT = Format(
    name="verl",
    title="verl 0.9.1",
    file="{step}.jsonl",
    samples="actor_rollout_ref.rollout.val_kwargs.n=n trainer.validation_data_dir=…",
    marks=(Mark("rows", ("input", "output", "score", "step")),),
    read=_read,
)

"""Numbers of an audit: the verdicts of a better judge on some problems correct the checker's values of all problems."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import InputError, Mention, Message, Phrases, SeveralModelsError
from at_k.family import FAMILY, OUTPUTS
from at_k.readers import is_paths
from at_k.readers.arrays import list_cells
from at_k.readers.names import ROLE, normalize_name
from at_k.report.data import Judged
from at_k.report.judging import judge_data, read_frame
from at_k.report.measuring import Measurement
from at_k.samples import Ragged
from at_k.uncertainty.intervals import LEAST_AUDITED, correct_by_audit
from at_k.validation import list_parts
from at_k.values import Column, ErrorBar, Key

_say = Phrases(
    {
        "audit.intervals": "{option:audited} takes problems as independent; its confidence "
        "intervals are for similar problems, not only these. Leave out {option:clusters} and "
        "{option:target}.",
        "audit.same": "{option:audited} needs verdicts of another judge; {column} is a column of "
        "the results already.",
        "audit.few": "{option:audited} needs {least} problems that a better judge has looked at; "
        "{column} has {count}, {short} too few. `at-k select FILE --audit {least}` draws the same "
        "problems as a smaller audit, and further ones.",
        "note.audited": "A better judge looked at {count} of {total} problems, taken as drawn at "
        "random. Estimated from its verdicts, {moved}.",
        "audit.unknown": "{column} audits a problem that the results do not have: {name}.",
        "audit.partial": "Every sample of an audited problem needs a verdict; {column} has "
        "{count} for the {n} samples of problem {name}. Fill in the others, or leave all of them "
        "empty.",
        "audit.sheet": "A sheet has the columns {columns}, and 1 or 0, or nothing, as the "
        "verdict; {path} has {text} in line {line}. `at-k select FILE --audit 40 > sheet.csv` "
        "writes one.",
        "audit.twice": "{path} judges sample {sample} of problem {name} twice, again in line "
        "{line}. Leave one.",
        "audit.draw": "An audit is of 1 to {most} of these problems; got {count}.",
    }
)


# The columns of the sheet that a person fills in. It has no verdicts of the checker, which would bias the judge.
SHEET = ("problem", "sample", "answer", "audited")


def correct_values(
    data: Any, audited: str, part: Measurement, reading: Mapping[str, Any], level: float | None
) -> dict[str, Any]:
    """Return the audited numbers of a report: values, intervals, those of problems, and a note on both judges."""
    judged = part.judged
    if judged.clusters is not None or part.confidence.target != "population":
        raise _say.error("audit.intervals")
    if judged.origin is not None and audited in judged.origin.roles.values():
        raise _say.error("audit.same", column=repr(audited))
    if audited.lower().endswith(".csv"):
        grades_by_name = read_sheet(audited)
    else:
        own = None
        if judged.origin is not None:
            own = judged.origin.roles.get("grades")
        grades_by_name = read_column(data, audited, reading, own)
    grades, seen = fill_in(judged, grades_by_name, audited)
    if (count := int(seen.sum())) < LEAST_AUDITED:
        raise _say.error(
            "audit.few",
            least=LEAST_AUDITED,
            column=repr(audited),
            count=count,
            short=LEAST_AUDITED - count,
        )
    better = Measurement(
        replace(judged, verdicts=replace(judged.verdicts, graded=(grades,))), part.options
    )
    values: dict[str, float] = {}
    bars: dict[str, ErrorBar] = {}
    by_problem: dict[Key, Floats] = {}
    for name, computed in part.found.items():
        true = better.compute(FAMILY[name]).columns
        for key, column in computed.columns.items():
            if key in true and OUTPUTS[key.metric].bounded:
                corrected = np.where(seen, true[key].expand(), np.nan)
                named = f"{key}_audited"
                by_problem[key] = corrected
                values[named], bar = correct_by_audit(
                    column.expand(), corrected, confidence_level=level or 0.95
                )
                bars |= {named: bar} if level is not None else {}
    return {
        "audited": values,
        "audited_intervals": bars,
        "audit": by_problem,
        "notes": [compare_judges(part, values, count, len(seen))],
    }


def hide_column(
    audited: str, columns: Mapping[str, str | None] | None
) -> dict[str, str | None] | None:
    """Keep an audited column from being read as what its name usually holds, as references in `gold`."""
    kept = ("problem", "grades")  # an audit by these columns is a mistake, which is refused below
    usual = [
        role
        for role, names in ROLE.items()
        if normalize_name(audited) in names and role not in kept
    ]
    hidden = {role: None for role in usual if role not in (columns or {})}
    if hidden or columns:
        return {**(columns or {}), **hidden}
    return None


def compare_judges(
    part: Measurement, values: Mapping[str, float], count: int, total: int
) -> Message:
    """Say how far the checker's slips move the number at the smallest and the largest k."""
    columns: dict[Key, Column] = {}
    for computed in part.found.values():
        columns |= computed.columns
    keys = [key for key in columns if f"{key}_audited" in values]
    passes = [key for key in keys if key.metric == "pass@k"]
    drawn = sorted(passes, key=lambda key: key.k or 0) or keys
    moved = []
    for key in dict.fromkeys((drawn[0], drawn[-1])):
        shift = values[f"{key}_audited"] - float(columns[key].expand().mean())
        way = "lower" if shift < 0 else "higher"
        moved.append(f"{key} is {100 * abs(shift):.1f} points {way}")
    return _say("note.audited", count=f"{count:,}", total=f"{total:,}", moved=", and ".join(moved))


def fill_in(
    judged: Judged, found: Mapping[str, Floats], column: str
) -> tuple[Ragged, np.ndarray[Any, Any]]:
    """Put audited grades in the place of the checker's, and flag the audited problems."""
    verdicts = judged.verdicts
    places = {name: place for place, name in enumerate(judged.names)}
    graded = Ragged.concatenate(list(verdicts.graded))
    values: Floats = graded.values.astype(np.float64)
    seen = np.zeros(len(places), dtype=bool)
    for name, row in found.items():
        if np.isnan(row).all():
            continue
        if name not in places:
            raise _say.error("audit.unknown", column=repr(column), name=repr(name))
        start, stop = graded.offsets[places[name] :][:2]
        if len(row) != stop - start or np.isnan(row).any():
            raise _say.error(
                "audit.partial",
                column=repr(column),
                count=int(np.sum(~np.isnan(row))),
                n=int(stop - start),
                name=repr(name),
            )
        values[start:stop] = row
        seen[places[name]] = True
    return graded.with_values(values), seen


def _holds_some(cell: object) -> bool:
    return isinstance(cell, (list, tuple)) and any(part is not None for part in cell)


def read_column(
    data: Any, column: str, reading: Mapping[str, Any], own: str | None = None
) -> dict[str, Floats]:
    """Read a further column of grades of the same data, beside its own; problems without any are left out."""
    if not is_paths(data) and not hasattr(data, "roles"):
        frame = {name: list_cells(cells) for name, cells in read_frame(data).items()}
        lists = frame.get(column, [None])
        kept = [place for place, cell in enumerate(lists) if _holds_some(cell)]
        if kept:  # a row for each problem, without cells for most
            data = {}
            for name, cells in frame.items():
                data[name] = [cells[place] for place in kept]
            data.setdefault("problem", list(map(str, kept)))
        elif column in frame and all(isinstance(cell, (list, tuple, type(None))) for cell in lists):
            return {}
    columns = {**(reading.get("columns") or {}), "grades": column}
    try:
        judged = _judge_again(data, {**reading, "columns": columns, "missing": "drop"}, own)
    except InputError as error:
        if error.code == "missing.nothing_left":  # nobody has filled it in
            return {}
        raise
    grades = Ragged.concatenate(list(judged.problems.grades or ()))
    return {
        name: grades.values[start:stop].astype(np.float64)
        for name, start, stop in zip(judged.names, grades.offsets, grades.offsets[1:], strict=False)
    }


def _judge_again(data: Any, reading: Mapping[str, Any], own: str | None) -> Judged:
    """Judge by the better judge; the verdicts of the data's own, in another column now, are no settings."""
    try:
        return judge_data(data, **reading)
    except SeveralModelsError as error:
        where = error.values.get("where")
        if own is None or not isinstance(where, Mention) or own not in where.settings["where"]:
            raise
    pool = [*list_parts(reading.get("pool") or ()), own]
    return judge_data(data, **{**reading, "pool": pool})


def read_sheet(path: str | PathLike[str]) -> dict[str, Floats]:
    """Read a sheet that was filled in: a verdict for each sample of the drawn problems, by their names."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    verdicts: dict[str, dict[int, float]] = {}
    for line, row in enumerate(rows, 2):
        text = (row.get("audited") or "").strip().lower()
        value = _WORDS.get(text)
        place = row.get("sample") or ""
        if value is None or not place.isdigit() or row.get("problem") is None:
            raise _say.error(
                "audit.sheet",
                columns=", ".join(SHEET),
                path=repr(str(path)),
                text=repr(text or place),
                line=line,
            )
        if int(place) in verdicts.setdefault(row["problem"], {}):
            raise _say.error(
                "audit.twice",
                path=repr(str(path)),
                sample=place,
                name=repr(row["problem"]),
                line=line,
            )
        verdicts[row["problem"]][int(place)] = value
    columns = {}
    for name, own in verdicts.items():
        columns[name] = np.full(max(own) + 1, np.nan)
        columns[name][list(own)] = list(own.values())
    return columns


_WORDS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "right", "correct"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "no", "wrong", "incorrect"), 0.0),
    "": np.nan,
}


def draw_sheet(
    names: Sequence[str], answers: Sequence[Sequence[Any]], count: int, seed: int
) -> list[list[str]]:
    """Draw problems at random, and return the rows of the sheet for a better judge, samples counted from 0."""
    if not 1 <= count <= len(names):
        raise _say.error("audit.draw", most=len(names), count=count)
    # A larger draw holds a smaller one
    places = np.random.default_rng(seed).permutation(len(names))[:count].tolist()
    return [
        [names[place], str(sample), "" if answer is None else str(answer), ""]
        for place in places
        for sample, answer in enumerate(answers[place])
    ]

"""verifiers, the environments of prime-rl: `results.jsonl`, a line for each rollout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading, choose, tell_choice
from at_k.readers.quoting import quote, quote_all
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    first = source.first_row
    metrics = first.get("metrics")
    found = ["reward", *(metrics if isinstance(metrics, dict) else ())]
    scorer = choose(reading.scorer, found, "scorer")
    needed = ["example_id", *(("error",) if "error" in first else ()), "reward" if scorer == "reward" else "metrics"]
    for line, row in collector.rows(source, needed):
        with collector.faults:
            grade = (
                None
                if row.get("error") is not None
                else _read_grade(row, scorer, reading.scale, found, line, collector)
            )
            collector.add(
                line,
                row["example_id"],
                grade=grade,
                references=row.get("answer") or NOTHING,
                meta=row["info"] if isinstance(row.get("info"), dict) else None,
                fields=row,
            )
    chosen, notes = tell_choice("scorer", scorer, found, reading.scorer)
    origin = Origin(
        "verifiers",
        chosen=chosen,
        roles={"problem": "example_id", "references": "answer", "grades": scorer},
        notes=notes,
    )
    return collector.finish(origin)


def _read_grade(
    row: dict[str, Any], scorer: str, scale: object, found: list[str], line: int, collector: Collector
) -> object:
    """Return the reward, or a metric. The weights of several reward functions may add up to more than 1."""
    if scorer == "reward":
        grade = row["reward"]
    elif isinstance(row["metrics"], dict) and scorer in row["metrics"]:
        grade = row["metrics"][scorer]
    else:
        raise collector.lack(scorer, line)
    if scale is None and isinstance(grade, (int, float)) and not 0 <= grade <= 1 and grade == grade:  # noqa: PLR0124 - NaN is no grade
        raise refuse_reward(scorer, grade, found, collector.place(line))
    return grade


def refuse_reward(scorer: str, grade: object, found: Iterable[str], place: Message) -> InputError:
    """Make the error for a reward that is no grade: several may add up to more than 1."""
    return InputError(
        "verifiers.reward",
        "The grade {scorer} must be from 0 to 1; got {value} ({place}). Choose another one with {option:scorer}: "
        "{found}.",
        scorer=quote(scorer),
        value=quote(grade),
        place=place,
        found=quote_all(name for name in found if name != scorer) or "none",
    )


FORMAT = Format(
    name="verifiers",
    title="verifiers 0.1.14",
    file="results.jsonl",
    samples="vf-eval … --rollouts-per-example n --save-results",
    marks=(Mark("rows", ("example_id", "completion", "reward")),),
    read=_read,
    options=("scorer",),
)

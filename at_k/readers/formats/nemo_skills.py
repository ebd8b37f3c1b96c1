"""NeMo-Skills: `output-rs{seed}.jsonl`, a file for each sample, a line for each problem in the same order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading, choose, tell_choice
from at_k.readers.quoting import quote
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_VERDICTS = ("symbolic_correct", "judgement", "is_correct", "is_correct-plus", "graded_list")
_META = ("id", "level", "type", "subject", "subset_for_metrics", "difficulty")
_JUDGEMENT = "Judgement:"


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    first = source.first_row
    found = [name for name in _VERDICTS if name in first]
    given = "grades" in reading.columns or not found
    scorer = None if given else choose(reading.scorer, found, "scorer")
    optional = [name for name in ("predicted_answer", "expected_answer", "reward_model_score") if name in first]
    lines: dict[tuple[object, ...], int] = {}
    questions: dict[str, str] = {}
    for line, row in collector.rows(source, [*([] if scorer is None else [scorer]), *optional]):
        place = collector.place(line)
        with collector.faults:
            _refuse_repeated(row, line, lines, collector)
            grade = NOTHING if scorer is None else _read_verdict(scorer, row[scorer], place)
            collector.add(
                line,
                line,
                answer=row.get("predicted_answer", NOTHING),
                grade=grade,
                score=row.get("reward_model_score", NOTHING),
                references=row.get("expected_answer", NOTHING),
                meta={name: row[name] for name in _META if name in row},
                fields=row,
            )
            questions[str(line)] = str(row.get("problem", row.get("question", "")))
    chosen, notes = tell_choice("scorer", scorer, found, reading.scorer)
    origin = Origin(
        "nemo-skills",
        chosen=chosen,
        roles={
            "problem": "line",
            "answers": "predicted_answer" if "predicted_answer" in optional else None,
            "references": "expected_answer" if "expected_answer" in optional else None,
            "grades": scorer,
            "scores": "reward_model_score" if "reward_model_score" in optional else None,
        },
        notes=notes,
    )
    # Problems are told apart by their lines alone, which another data set has too.
    return replace(collector.finish(origin), questions={} if "problem" in reading.columns else questions)


def _refuse_repeated(
    row: dict[str, Any], line: int, lines: dict[tuple[object, ...], int], collector: Collector
) -> None:
    """Raise if two lines are of the same problem: then this is another file with columns of the same names."""
    key = tuple(str(row[name]) for name in ("id", "problem", "question") if name in row)
    first = lines.setdefault(key, line)
    if key and first != line:
        raise InputError(
            "nemo_skills.repeated",
            "The problem of {first} is there again ({place}), but NeMo-Skills writes a file for each sample. If this "
            "is a table, say so with {option:format=plain}.",
            place=collector.place(line),
            first=collector.place(first),
        )


def _read_verdict(scorer: str, value: object, place: Message) -> object:
    """Return the grade; None for a judgement that says neither yes nor no."""
    if scorer == "graded_list" and isinstance(value, list) and len(value) == 1:
        return value[0]
    if scorer == "judgement" and isinstance(value, str):
        _, mark, verdict = value.rpartition(_JUDGEMENT)
        word = verdict.strip().lower() if mark else ""
        return True if word.startswith("yes") else False if word.startswith("no") else None
    if scorer in ("graded_list", "judgement") and value is not None:
        raise InputError(
            "nemo_skills.verdict",
            "The field {scorer} must be {expected}; got {value} ({place}).",
            scorer=quote(scorer),
            expected="[true]" if scorer == "graded_list" else f"“… {_JUDGEMENT} Yes”",
            value=quote(value),
            place=place,
        )
    return value


FORMAT = Format(
    name="nemo-skills",
    title="NeMo-Skills",
    file="output-rs*.jsonl",
    samples="ns eval … --benchmarks=name:n; give the folder, or all files",
    marks=(
        *(Mark("rows", ("generation", name)) for name in _VERDICTS if name != "is_correct"),
        # A table of any origin may have columns `generation` and `is_correct`; that of this harness has more.
        Mark("rows", ("generation", "is_correct", "predicted_answer", "expected_answer")),
    ),
    read=_read,
    options=("scorer",),
)

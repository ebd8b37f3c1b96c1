"""evalscope: `reviews/{model}/{dataset}_{subset}.jsonl`, a line for each sample.

The samples of a problem have one `group_id` and are numbered by `generation_index`, which older versions do not write.
The grades are in a dict, a value for each scorer. An answer that is "" stands for none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.faults import UNITS
from at_k.readers.format import Format, Mark, Reading, choose, has_fields, name_subject, refuse_field, tell_choice
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    scorers: list[str] = []
    scorer = ""
    for line, row in collector.rows(source, ["sample_score"]):
        with collector.faults:
            sample = _find_dict(row, "sample_score", line)
            score = _find_dict(sample, "score", line)
            values = _find_dict(score, "value", line)
            if not scorers:
                main = score.get("main_score_name")
                scorers = list(values)
                scorer = choose(reading.scorer, scorers, "scorer", main if main in values else None) if scorers else ""
            if "group_id" not in sample:
                raise collector.lack("group_id", line)
            answer = score.get("extracted_prediction")
            collector.add(
                line,
                sample["group_id"],
                number=sample.get("generation_index", NOTHING),
                # Where nothing is extracted, there is no field; where no answer was found in the text, it is empty.
                answer=NOTHING if answer is None else answer or None,
                grade=values.get(scorer),
                references=row.get("target") or NOTHING,
                meta=reading.list_fields(sample.get("sample_metadata")),
                fields=row,
            )
    return collector.finish(_describe(source, reading, scorers, scorer))


def _find_dict(row: Mapping[str, Any], name: str, line: int) -> dict[str, Any]:
    found = row.get(name)
    if not isinstance(found, dict):
        raise refuse_field("evalscope", name, found, UNITS["line"](line))
    return found


def _describe(source: Source, reading: Reading, scorers: list[str], scorer: str) -> Origin:
    chosen, notes = tell_choice("scorer", scorer, scorers, reading.scorer)
    model = source.folders[0] if source.folders[1:2] == ("reviews",) else None
    return Origin(
        "evalscope",
        subject=name_subject(task=source.name.partition(".jsonl")[0] if model else None, model=model),
        chosen=chosen,
        roles={
            "problem": "group_id",
            "answers": "extracted_prediction",
            "references": "target",
            "grades": f"value.{scorer}",
        },
        notes=notes,
    )


FORMAT = Format(
    name="evalscope",
    title="evalscope 1.14",
    file="reviews/{model}/{dataset}_{subset}.jsonl",
    samples="set repeats to n in the task's configuration",
    marks=(Mark("rows", ("sample_score",), lambda row: has_fields(row["sample_score"], "score", "group_id")),),
    read=_read,
    options=("scorer",),
)

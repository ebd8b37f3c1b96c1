"""promptfoo: `eval -o out.jsonl`, `out.json` or `out.csv`, a row for each sample; CSV has columns for each provider.

The problem is what `vars` holds: `id` is different in every row, and `testIdx` counts repeats, too. A file may hold
several providers, which are models, and several prompts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any

from at_k.errors import InputError
from at_k.readers.collector import Collector
from at_k.readers.decoding import decode
from at_k.readers.delimited import read_records
from at_k.readers.faults import find_fault
from at_k.readers.format import Format, Mark, Reading, name_subject
from at_k.readers.models import refuse_several
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_FIELDS = ("provider.label", "vars", "success")

_STATUS = ("Status", "Score", "Named Scores")
"""What stands behind each output in the header of CSV."""

_FAILED = 2
"""The `failureReason` of a sample that could not be made or judged; 1 is that of a wrong one."""


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="sample")
    lists = {"json": _list_results, "csv": _list_cells}
    listed = lists[source.layout](source) if source.layout in lists else _list_rows(source, collector)
    prompts: dict[str, None] = {}
    model = None
    for number, row in collector.entries(map(_name_model, listed), _FIELDS):
        model = row["provider.label"]
        prompts[row["prompt.label"]] = None
        if "prompt.label" not in reading.pool:
            refuse_several("prompt.label", list(prompts))
        with collector.faults:
            failed = row.get("failureReason") == _FAILED
            answer = None if failed else _find_output(row, number, collector)
            problem = _name_problem(row["vars"], number, collector)
            collector.add(
                number,
                problem,
                answer=answer,
                grade=None if failed else row["success"],
                meta=reading.list_fields(row["vars"]),
                fields=row,
            )
    origin = Origin(
        "promptfoo",
        subject=name_subject(model=None if "provider.label" in reading.pool else model),
        roles={"problem": "vars", "answers": "response.output", "grades": "success"},
        notes=collector.note_shared_prompts(),
    )
    return collector.finish(origin)


def _list_cells(source: Source) -> Iterator[object]:
    """Yield the samples of CSV, as they are in JSON: six cells for each provider follow those of the variables."""
    with TextIOWrapper(source.open_text(), encoding="utf-8", newline="") as file:
        records = read_records(file, ",")
        header = next(records)
        places = [place - 1 for place, name in enumerate(header) if name == _STATUS[0]]
        for record in records:
            for place in places:
                label, _, prompt = header[place].removeprefix("[").partition("] ")
                yield {
                    "provider": {"label": label},
                    "prompt": {"label": prompt},
                    "vars": dict(zip(header[: places[0]], record, strict=False)),
                    "success": record[place + 1] == "PASS",
                    "failureReason": _FAILED if record[place + 1] == "ERROR" else 0,
                    "response": {"output": record[place]},
                }


def _list_results(source: Source) -> list[object]:
    """Return the rows of a document; a file of one line looks like one."""
    found = source.document.get("results", [source.document])
    found = found.get("results") if isinstance(found, dict) else found
    if not isinstance(found, list):
        raise InputError(
            "promptfoo.results", "There is no list of results in this file. Write it again: promptfoo export."
        )
    return found


def _list_rows(source: Source, collector: Collector) -> Iterator[object]:
    for block in source.blocks():
        for number, line in block.lines():
            with collector.faults:
                row = decode(line, number)
                yield row


def _name_model(row: Any) -> Any:
    """Return a row with its provider, by its label if it has one, and its prompt as fields of their own."""
    if not isinstance(row, dict):
        return row
    named = {name: row[name] for name in row if name not in ("provider", "prompt")}
    provider, prompt = (each if isinstance(each, dict) else {} for each in (row.get("provider"), row.get("prompt")))
    label = provider.get("label") or provider.get("id")
    named |= {} if label is None else {"provider.label": str(label)}
    return named | {"prompt.label": str(prompt.get("label", ""))}


def _find_output(row: dict[str, Any], number: int, collector: Collector) -> str | None:
    response = row.get("response")
    if not isinstance(response, dict) or "output" not in response:
        raise collector.lack("response.output", number)
    output = response["output"]
    return output if output is None or isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def _name_problem(variables: Any, number: int, collector: Collector) -> Any:
    """Return the value of the only variable as it is, and several as JSON."""
    if not isinstance(variables, dict):
        raise find_fault("problem", variables, collector.place(number))
    only = next(iter(variables.values())) if len(variables) == 1 else None
    return only if only and isinstance(only, str) else json.dumps(variables, ensure_ascii=False, sort_keys=True)


FORMAT = Format(
    name="promptfoo",
    title="promptfoo 0.121",
    file="out.jsonl, out.json, out.csv",
    samples="promptfoo eval --repeat n -o out.jsonl",
    marks=(
        Mark("json", ("evalId", "results")),
        Mark("csv", _STATUS),
        *(Mark(layout, ("provider", "prompt", "vars", "success")) for layout in ("rows", "json")),
    ),
    read=_read,
)

"""AISBench: `results/{model}/{dataset}.json` and, without grades, `predictions/{model}/{dataset}.jsonl`.

The results are like those of OpenCompass, from which it comes, with pass@k, cons@k and avg@n in each problem. Its
writer lists the verdicts of all problems, then those of their second samples, and so on, and cuts this list into runs
of n, so that a problem gets verdicts of others. Where the references show it, this is undone.

Predictions have a line for each sample, in any order. Samples of a problem have the same `id`. `success` says that the
request worked, not that the answer is right. Samples whose request failed are not in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.formats.opencompass import (
    Detail,
    add_details,
    find_entries,
    find_subject,
    is_list_of_details,
    list_details,
    note_texts,
    read_entries,
    refuse_file,
)
from at_k.readers.quoting import quote
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_METRIC = re.compile(r"(?:pass|cons|avg)@\d+")


def _has_metrics(document: Mapping[str, Any]) -> bool:
    entries = find_entries(document)
    if entries:
        return isinstance(entries["0"]["predictions"], list)
    details = document["details"]
    return is_list_of_details(details) and any(map(_METRIC.fullmatch, (*document, *details[0])))


def _read(source: Source, reading: Reading) -> Samples:
    entries = find_entries(source.document)
    if entries:
        collector, roles, notes = read_entries(entries, reading)
    else:
        details, roles = list_details(source)
        details, notes = _regroup(details)
        collector = Collector(reading, unit="problem")
        add_details(collector, details)
    origin = Origin("aisbench", subject=find_subject(source, "results"), roles=roles, notes=notes)
    return collector.finish(origin, per_sample=bool(entries))


def _regroup(details: list[Detail]) -> tuple[list[Detail], list[Message]]:
    """Give each problem its own samples, as far as the references show which they are.

    Raises:
        InputError: if the references show that the samples are of different problems, and not of which.
    """
    n = {each.n for each in details}
    if n == {1} or len(details) == 1:
        return details, []
    joined = {role: list(chain.from_iterable(each.values[role] for each in details)) for role in details[0].values}
    m = len(details)
    # Sample j of problem i stands at position j m + i of the list that was cut.
    undone = [Detail(each.name, {role: own[i::m] for role, own in joined.items()}) for i, each in enumerate(details)]
    as_written, as_undone = _agree(details), len(n) == 1 and _agree(undone)
    if as_written and not as_undone:
        return details, []
    if as_undone and not as_written:
        return undone, [
            Message(
                "aisbench.regrouped",
                "AISBench wrote the verdicts of different problems together, as their references show. Here each "
                "problem has its own, so pass@k and cons@k differ from those in the file.",
            )
        ]
    if not as_written:
        raise InputError(
            "aisbench.mixed",
            "The references show that samples of different problems were written together, and not in the order that "
            "AISBench is known to write. Score the predictions file instead.",
        )
    return details, [
        Message(
            "aisbench.unsure",
            "AISBench is known to write the verdicts of different problems together, and the references do not show "
            "whether it did so here. Only avg@n is sure; the predictions file has the samples of each problem.",
        )
    ]


def _agree(details: list[Detail]) -> bool:
    """Return whether the samples of each problem have the same reference. They do if there are no references."""
    return all(own.count(own[0]) == len(own) for each in details for own in [each.values.get("references", [None])])


def _read_predictions(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    n: Counter[str] = Counter()
    data_set: object = None
    for line, row in collector.rows(source, ("data_abbr", "id", "success", "uuid", "prediction")):
        data_set = row["data_abbr"] if data_set is None else data_set
        if row["data_abbr"] != data_set:
            raise InputError(
                "aisbench.data_sets",
                "This file has predictions for two data sets, {first} and {second} (line {line}), which number their "
                "problems alike. Put each into a file of its own.",
                first=quote(data_set),
                second=quote(row["data_abbr"]),
                line=line,
            )
        if not isinstance(row["success"], bool):
            collector.faults.add(refuse_file(f"“success” in line {line} is neither true nor false"))
            continue
        collector.add(
            line,
            row["id"],
            number=row["uuid"],
            answer=row["prediction"] or None if row["success"] else None,
            references=NOTHING if row.get("gold") is None else row["gold"],
            fields=row,
        )
        n[str(row["id"])] += 1
    notes = [note_texts()]
    most = max(n.values(), default=0)
    failed = sum(most - count for count in n.values())
    if failed:
        notes.append(
            Message(
                "aisbench.failed",
                "Some problems have fewer samples than the {most} of others, {failed} in all. AISBench leaves out "
                "samples whose request failed, and counts them as wrong.",
                most=most,
                failed=failed,
            )
        )
    subject = find_subject(source, "predictions")
    origin = Origin(
        "aisbench-predictions",
        subject=subject,
        roles={"problem": "id", "answers": "prediction", "references": "gold"},
        notes=notes,
    )
    return collector.finish(origin)


FORMAT = Format(
    name="aisbench",
    title="AISBench 3.1",
    file="results/{model}/{dataset}.json",
    samples="set num_return_sequences to n in the model's configuration, and run with --dump-eval-details",
    marks=(Mark("json", ("details",), _has_metrics),),
    read=_read,
)

PREDICTIONS = Format(
    name="aisbench-predictions",
    title="AISBench 3.1",
    file="predictions/{model}/{dataset}.jsonl",
    samples="set num_return_sequences to n in the model's configuration",
    marks=(Mark("rows", ("data_abbr", "id", "success", "uuid", "prediction")),),
    read=_read_predictions,
    rank=1,
)

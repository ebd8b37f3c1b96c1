"""OpenCompass and AISBench, which comes from it: `results/{model}/{dataset}.json`, and predictions, without grades.

Results have a list `details`, an object for each problem with lists of n values. Where the evaluator gives no details,
it is an object with an entry for each sample instead, as predictions of OpenCompass are: an object whose keys "0", "1",
… count the samples, the whole data set and then the whole data set again, n times. So sample i is of problem i mod M,
and M is found by the prompts, which repeat.

The results of AISBench have pass@k, cons@k and avg@n in each problem. Its writer lists the verdicts of all problems,
then those of their second samples, and so on, and cuts this list into runs of n, so that a problem gets verdicts of
others. Where the references show it, this is undone. Its predictions have a line for each sample, in any order.
`success` says that the request worked, not that the answer is right. Samples whose request failed are not in the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from at_k.errors import Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.faults import UNITS
from at_k.readers.fields import Found, Row
from at_k.readers.files.sources import Source
from at_k.readers.format import TEXTS, Reading, check_kinds, has_fields, refuse_field
from at_k.readers.harness import RowCollector
from at_k.readers.names import quote, quote_all

# The names that evaluators give to what is known of each sample, the usual one first.
_NAMES = {
    "answers": ("pred", "predictions", "prediction"),
    "references": ("answer", "answers", "references", "gold", "refr"),
    "grades": ("correct", "is_correct", "cascade_correct"),
}

# The same of details that are an object.
_LISTED = {"answers": "predictions", "references": "references", "grades": "correct"}

_METRIC = re.compile(r"(?:pass|cons|avg)@\d+")

# Role → a value for each sample of a problem. All lists have the same length.
Detail = dict[str, list[Any]]


_say = Phrases(
    {
        "opencompass.details": "OpenCompass and AISBench write a list “details” of objects with an “example_abbr”, "
        "and with answers or grades. Those of this file have: {fields}.",
        "aisbench.mixed": "The references show that samples of different problems were written together, and not in "
        "the order that AISBench is known to write. Score the predictions file instead.",
        "aisbench.regrouped": "AISBench wrote the verdicts of different problems together, as their references show. "
        "Here each problem has its own, so pass@k and cons@k differ from those in the file.",
        "aisbench.unsure": "AISBench is known to write the verdicts of different problems together, and the "
        "references do not show whether it did so here. Only avg@n is sure; the predictions file has the samples of "
        "each problem.",
        "opencompass.keys": "The keys must count the samples from “0” to “{last}”, and each must have the field "
        "{field}; this is not so for {key}. The run may not have come to its end.",
        "opencompass.unknown_n": "It cannot be known which samples are of the same problem: {total:,} samples have "
        "{different:,} different prompts, which do not repeat regularly. Score the results file instead, or a table "
        "made from this one.",
        "aisbench.failed": "Some problems have fewer samples than the {most} of others, {failed} in all. AISBench "
        "leaves out samples whose request failed, and counts them as wrong.",
    }
)


def has_metrics(document: Mapping[str, Any]) -> bool:
    """Return whether results have the metrics of AISBench."""
    return any(map(_METRIC.fullmatch, (*document, *document["details"][0])))


def has_lists(document: Mapping[str, Any]) -> bool:
    """Return whether the predictions of samples are lists, as in AISBench."""
    return isinstance(document["details"]["0"]["predictions"], list)


def find_details(source: Source, *_: Any, regroup: bool = False) -> Found:
    """Find the problems of results, or their samples where the details are an object."""
    values = None
    if isinstance(source.document, dict):
        values = find_field(source.document, ["details"])
    if isinstance(values, dict):
        asked = "prompt" if has_fields(values.get("0"), "prompt") else "origin_prediction"
        return _find_entries(values, {"problem": asked, **_LISTED})
    if values and all(has_fields(entry, "example_abbr") for entry in values):
        entries = values
    else:
        entries = [{}]
    roles: dict[str, str | None] = dict.fromkeys(_NAMES)
    fields: dict[str, str] = {}
    for role, names in _NAMES.items():
        found = [name for name in names if name in entries[0]]
        if found:
            roles[role] = fields[role] = found[0]
    if not {"answers", "grades"} & {*fields}:
        raise _say.error("opencompass.details", fields=quote_all(entries[0]) or "none")
    details: list[Detail] = []
    for place, entry in enumerate(entries, 1):
        values = {role: entry.get(name) for role, name in fields.items()}
        details.append(values)
        n = max((len(value) for value in values.values() if isinstance(value, list)), default=0)
        for role, value in values.items():
            if not isinstance(value, list) or len(value) != n or not n:
                raise refuse_field("OpenCompass", fields[role], value, UNITS["problem"](place))
    details, notes = _regroup(details) if regroup else (details, [])
    rows = []
    for place, (entry, values) in enumerate(zip(entries, details, strict=True), 1):
        name, samples = entry["example_abbr"], zip(*values.values(), strict=True)
        about = {"subdivision": str(name).rpartition("_")[0]}
        listed = [dict(zip(values, sample, strict=True)) for sample in samples]
        rows.append((place, {"problem": name, "samples": listed, "about": about}))
    return Found(rows, {"problem": "example_abbr", **roles}, notes)


find_regrouped = partial(find_details, regroup=True)


def _regroup(details: list[Detail]) -> tuple[list[Detail], list[Message]]:
    """Give each problem of AISBench its own samples, as far as the references show which they are."""
    m, lengths = len(details), {len(next(iter(detail.values()))) for detail in details}
    if lengths == {1} or m == 1:
        return details, []
    # Sample j of problem i is at position j m + i of the list that was cut.
    undone: list[Detail] = [{} for _ in range(m)]
    for role in details[0]:
        joined = list(chain.from_iterable(detail[role] for detail in details))
        for i in range(m):
            undone[i][role] = joined[i::m]
    as_written, as_undone = _agree(details), len(lengths) == 1 and _agree(undone)
    if as_written:
        return details, [_say("aisbench.unsure")] if as_undone else []
    if not as_undone:
        raise _say.error("aisbench.mixed")
    return undone, [_say("aisbench.regrouped")]


def _agree(details: list[Detail]) -> bool:
    """Return whether the samples of each problem have the same reference. They do if there are no references."""
    return all(
        gold.count(gold[0]) == len(gold)
        for detail in details
        for gold in [detail.get("references", [None])]
    )


def find_predictions(source: Source, *_: Any) -> Found:
    """Find the samples of OpenCompass's predictions."""
    if isinstance(source.document, dict):
        entries = source.document
    else:
        entries = {}
    fields = {"problem": "origin_prompt", "answers": "prediction", "references": "gold"}
    return _find_entries(entries, fields, TEXTS)


def _find_entries(found: Row, fields: Mapping[str, str], *notes: Message) -> Found:
    """Find the samples of an object whose keys count them. A list of one value, as of AISBench, is that value."""
    rows: list[Row] = []
    for place in map(str, range(len(found) or 1)):
        entry = found.get(place)
        if not isinstance(entry, dict) or fields["answers"] not in entry:
            last, field = max(len(found) - 1, 0), quote(fields["answers"])
            raise _say.error("opencompass.keys", last=last, field=field, key=quote(place))
        values = {role: entry[name] for role, name in fields.items() if name in entry}
        rows.append(
            {role: x[0] if isinstance(x, list) and len(x) == 1 else x for role, x in values.items()}
        )
    for row, problem in zip(rows, _find_problems(rows), strict=True):
        row["problem"] = problem
    known = set(chain.from_iterable(rows))
    roles = {role: name for role, name in fields.items() if role in known}
    return Found(list(enumerate(rows, 1)), {**dict.fromkeys(_NAMES), **roles}, notes)


def _find_problems(rows: Sequence[Row]) -> list[int]:
    """Find the number of the problem of each sample by its prompt and reference: the whole data set is repeated."""
    asked = [(row.get("problem"), row.get("references")) for row in rows]
    marks = [json.dumps(pair, sort_keys=True) for pair in asked]
    total, different = len(marks), len({*marks})
    prompted = all(prompt for prompt, _ in asked)
    if different == total:
        return list(range(total))
    m = next(
        m for m in range(different, total + 1) if total % m == 0 and marks[m:] == marks[: total - m]
    )
    if (
        m < total and prompted
    ):  # without prompts, two problems with the same reference look the same
        return [place % m for place in range(total)]
    raise _say.error("opencompass.unknown_n", total=total, different=different)


def find_requests(source: Source, _: Reading, collector: RowCollector) -> Found:
    """Find the lines of AISBench's predictions."""
    n = Counter[object]()
    notes = [TEXTS]

    def list_rows() -> Iterator[tuple[int, Row]]:
        for line, row in collector.rows(
            source, ("data_abbr", "id", "success", "uuid", "prediction")
        ):
            with collector.faults:
                check_kinds(
                    "AISBench",
                    row,
                    {"success": (bool,), "data_abbr": (str,)},
                    collector.place(line),
                )
                n[str(row["id"])] += 1
                yield line, row if row["success"] else row | {"prediction": ""}
        most = max(n.values(), default=0)
        if failed := sum(most - count for count in n.values()):
            notes.append(_say("aisbench.failed", most=most, failed=failed))

    return Found(list_rows(), {"grades": None}, notes)

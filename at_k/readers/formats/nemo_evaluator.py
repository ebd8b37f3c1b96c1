"""NeMo Evaluator: `results.jsonl`, a line for each repeat of a problem."""

from __future__ import annotations

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_FIELDS = Fields(
    "nemo-evaluator",
    problem="problem_idx",
    number="repeat",
    grades="reward",
    answers="extracted_answer",
    references="expected_answer",
)


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    return _FIELDS.collect(collector.rows(source, ("problem_idx", "repeat", "reward")), collector=collector)


FORMAT = Format(
    name="nemo-evaluator",
    title="NeMo Evaluator 0.3",
    file="results.jsonl",
    samples="set the repeats of the benchmark to n",
    marks=(Mark("rows", ("problem_idx", "repeat", "reward")),),
    read=_read,
)

"""NeMo Gym: rollouts as JSON lines, each with the numbers of its task and of the rollout."""

from __future__ import annotations

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_FIELDS = Fields("nemo-gym", problem="_ng_task_index", number="_ng_rollout_index", grades="reward")


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    rows = collector.rows(source, ("_ng_task_index", "_ng_rollout_index", "reward"))
    return _FIELDS.collect(rows, collector=collector)


FORMAT = Format(
    name="nemo-gym",
    title="NeMo Gym",
    file="rollouts.jsonl",
    samples="ng_collect_rollouts … +num_repeats=n",
    marks=(Mark("rows", ("_ng_task_index", "_ng_rollout_index", "reward")),),
    read=_read,
)

"""tau-bench: a JSON list with an object for each trial of a task."""

from __future__ import annotations

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_CLOSE = 1e-6
"""tau-bench itself takes a reward as close to 1 as this as success."""

_FIELDS = Fields("tau-bench", problem="task_id", number="trial", grades="reward", failed="info.error")


def judge_reward(reward: object) -> object:
    """Return whether a reward is that of success: a part of the checks is none. Anything else is returned as it is.

    Examples:
        >>> judge_reward(0.5), judge_reward(1 - 1e-9), judge_reward(1.0)
        (False, True, 1.0)
    """
    return reward >= 1 - _CLOSE if isinstance(reward, float) and 0 <= reward < 1 else reward


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="sample")
    trials = source.document if isinstance(source.document, list) else [source.document]
    rows = collector.entries(trials, ("task_id", "reward", "trial", "info"))
    return _FIELDS.collect(
        ((number, row | {"reward": judge_reward(row["reward"])}) for number, row in rows), collector=collector
    )


FORMAT = Format(
    name="tau-bench",
    title="tau-bench",
    file="*.json",
    samples="run.py … --num-trials n",
    marks=(Mark("json", ("task_id", "reward", "trial", "traj")),),
    read=_read,
)

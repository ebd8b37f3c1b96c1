"""verifiers from 0.4 on: `traces.jsonl`, a line for each episode, with the traces of its agents.

The reward of a trace is the sum of its rewards, each of which has a score and a weight. The first trace is that of the
agent which the environment is about.
"""

from __future__ import annotations

from math import isnan
from typing import Any

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields
from at_k.readers.format import Format, Mark, Reading, choose, find_path, name_subject, tell_choice
from at_k.readers.formats.verifiers import refuse_reward
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_NEEDED = ("task", "traces", "ok")

_FIELDS = Fields("verifiers-traces", problem="problem", grades="grade", meta=("num_input_tokens", "num_output_tokens"))


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    first = source.first_row
    rewards = find_path(first, ["traces"]) or [{}]
    found = ["reward", *(find_path(rewards[0], ["rewards"]) or {})]
    scorer = choose(reading.scorer, found, "scorer")
    chosen, notes = tell_choice("scorer", scorer, found if len(found) > 2 else [scorer], reading.scorer)
    environment = find_path(first, ["env", "id"])

    def list_rows() -> Any:
        for line, row in collector.rows(source, _NEEDED):
            with collector.faults:
                task = row["task"]
                problem = find_path(task, ["data", "idx"])
                problem = find_path(task, ["key"]) if problem is None else problem
                grade = _read_grade(row, scorer, found, line, collector, reading) if row["ok"] else None
                yield line, row | {"problem": problem, "grade": grade}

    subject = name_subject(task=environment if isinstance(environment, str) else None)
    return _FIELDS.collect(list_rows(), collector=collector, subject=subject, chosen=chosen, notes=notes)


def _read_grade(
    row: dict[str, Any], scorer: str, found: list[str], line: int, collector: Collector, reading: Reading
) -> object:
    """Return the sum of the weighted rewards, or the score of one; None where one has no score."""
    traces = row["traces"]
    rewards = find_path(traces[0], ["rewards"]) if isinstance(traces, list) and traces else None
    if not isinstance(rewards, dict) or not rewards:
        return None
    own = rewards.values() if scorer == "reward" else [rewards.get(scorer)]
    scores = [find_path(each, ["score"]) for each in own]
    if any(score is None or (isinstance(score, float) and isnan(score)) for score in scores):
        return None
    weights = [find_path(each, ["weight"]) if scorer == "reward" else 1 for each in own]
    if not all(isinstance(each, (int, float)) for each in (*scores, *weights)):
        raise collector.lack("rewards.score", line)
    grade = sum(score * weight for score, weight in zip(scores, weights, strict=True))
    if reading.scale is None and not 0 <= grade <= 1:
        raise refuse_reward(scorer, grade, found, collector.place(line))
    return grade


FORMAT = Format(
    name="verifiers-traces",
    title="verifiers 0.4",
    file="traces.jsonl",
    samples="vf-eval … --rollouts-per-example n",
    marks=(Mark("rows", _NEEDED),),
    read=_read,
    options=("scorer",),
)

"""tau2-bench: `results.json` with a list of simulations, or a folder `simulations` with a file for each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields, list_documents
from at_k.readers.format import Format, Mark, Reading, find_path, name_subject
from at_k.readers.formats.tau_bench import judge_reward
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_FIELDS = Fields(
    "tau2-bench",
    problem="task_id",
    number="trial",
    grades="reward_info.reward",
    meta=("termination_reason", "agent_cost", "user_cost"),
)


def _collect(reading: Reading, simulations: Iterable[object], subject: dict[str, str]) -> Samples:
    collector = Collector(reading, unit="sample")
    rows = collector.entries(simulations, ("task_id", "trial", "reward_info"))
    return _FIELDS.collect(((n, _judge(row)) for n, row in rows), collector=collector, subject=subject)


def _judge(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"reward_info": {"reward": judge_reward(find_path(row, ["reward_info", "reward"]))}}


def _read(source: Source, reading: Reading) -> Samples:
    document, names = source.document, {"task": "environment_info.domain_name", "model": "agent_info.llm"}
    found = {name: find_path(document, ["info", *path.split(".")]) for name, path in names.items()}
    subject = name_subject(**{name: value if isinstance(value, str) else None for name, value in found.items()})
    simulations = document["simulations"]
    return _collect(reading, simulations if isinstance(simulations, list) else [simulations], subject)


FORMAT = Format(
    name="tau2-bench",
    title="tau2-bench",
    file="results.json",
    samples="tau2 run … --num-trials n",
    marks=(Mark("json", ("simulations", "tasks")),),
    read=_read,
)

SIMULATIONS = Format(
    name="tau2-bench-simulations",
    title="tau2-bench",
    file="simulations/*.json, or the folder",
    samples="tau2 run … --num-trials n",
    marks=(Mark("json", ("task_id", "trial", "reward_info", "termination_reason")),),
    read=lambda source, reading: _collect(reading, (each for _, each, _ in list_documents(source)), {}),
    in_folders=True,
)

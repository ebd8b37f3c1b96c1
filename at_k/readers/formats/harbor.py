"""Harbor, which runs Terminal-Bench 2: `jobs/{job}/{trial}/result.json`, a file for each trial.

A trial has a reward, or several under names of their own. One that raised an exception was not judged.
"""

from __future__ import annotations

from typing import Any

from at_k.readers.collector import Collector
from at_k.readers.fields import Fields, list_documents
from at_k.readers.format import Format, Mark, Reading, choose, find_path, tell_choice
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_NEEDED = ("task_name", "trial_name", "verifier_result", "exception_info")


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="line")
    documents = [_name_model(document) for _, document, _ in list_documents(source)]
    rewards = (find_path(document, ["verifier_result", "rewards"]) for document in documents)
    found = list(dict.fromkeys(name for own in rewards if isinstance(own, dict) for name in own)) or ["reward"]
    scorer = choose(reading.scorer, found, "scorer", "reward" if "reward" in found else None)
    chosen, notes = tell_choice("scorer", scorer, found, reading.scorer)
    fields = Fields(
        "harbor",
        problem="task_name",
        grades=f"verifier_result.rewards.{scorer}",
        model="model",
        failed="exception_info",
        meta=("agent_result.cost_usd", "agent_result.n_input_tokens", "agent_result.n_output_tokens"),
    )
    rows = collector.entries(documents, _NEEDED)
    return fields.collect(rows, collector=collector, chosen=chosen, notes=notes)


def _name_model(trial: Any) -> Any:
    """Return a trial with its agent and its model as fields of their own. An agent without a model stands for one."""
    if not isinstance(trial, dict):
        return trial
    agent = find_path(trial, ["agent_info", "name"])
    return {**trial, "system": agent, "model": find_path(trial, ["agent_info", "model_info", "name"]) or agent}


FORMAT = Format(
    name="harbor",
    title="Harbor 0.25, Terminal-Bench 2",
    file="jobs/{job}/{trial}/result.json, or the folder of the job",
    samples="harbor run … --n-attempts n",
    marks=(Mark("json", _NEEDED),),
    read=_read,
    options=("scorer",),
    in_folders=True,
)

"""HELM: `per_instance_stats.json`, an object for each instance and trial, which has a list of statistics."""

from __future__ import annotations

from typing import Any

from at_k.errors import InputError
from at_k.readers.collector import Collector
from at_k.readers.fields import Fields
from at_k.readers.format import Format, Mark, Reading, choose, find_path, name_subject, tell_choice
from at_k.readers.quoting import quote_all
from at_k.readers.samples import Samples
from at_k.readers.sources import Source

_FIELDS = Fields("helm", problem="problem", number="train_trial_index", grades="grade")

_VERDICTS = (
    *("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "math_equiv"),
    *("math_equiv_chain_of_thought", "final_number_exact_match", "test_avg", "code_eval_acc", "exact_set_match"),
)
"""Statistics that say whether a sample is correct, the usual one first. Others, such as finish_reason_stop, do not."""


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="sample")
    entries = [_list_means(entry) for entry in source.document]
    found = list(dict.fromkeys(name for entry in entries if isinstance(entry, dict) for name in entry["means"]))
    verdicts = [name for name in _VERDICTS if name in found]
    if reading.scorer is None and not verdicts:
        raise InputError(
            "helm.scorer",
            "None of the statistics in this file is known to say which samples are correct. {option:scorer} chooses "
            "one: {names}.",
            names=quote_all(found) or "none",
        )
    scorer = choose(reading.scorer, found, "scorer", next(iter(verdicts), None))
    chosen, notes = tell_choice("scorer", scorer, verdicts or found, reading.scorer)
    rows = (
        (number, row | {"grade": row["means"].get(scorer)})
        for number, row in collector.entries(entries, ("problem", "train_trial_index"))
    )
    run = next((folder for folder in source.folders[:1] if "model=" in folder), None)
    subject = name_subject(run=run)
    return _FIELDS.collect(rows, collector=collector, subject=subject, chosen=chosen, notes=notes)


def _list_means(entry: Any) -> Any:
    """Return an entry with the mean of each statistic, and the name of its instance with that of its perturbation."""
    if not isinstance(entry, dict) or "instance_id" not in entry or not isinstance(entry.get("stats"), list):
        return entry if not isinstance(entry, dict) else {**entry, "means": {}}
    named = ((find_path(each, ["name", "name"]), find_path(each, ["mean"])) for each in entry["stats"])
    means = {name: mean for name, mean in named if isinstance(name, str)}
    perturbation = find_path(entry, ["perturbation", "name"])
    name = entry["instance_id"] if perturbation is None else f"{entry['instance_id']} ({perturbation})"
    return entry | {"problem": name, "means": means}


FORMAT = Format(
    name="helm",
    title="HELM 0.5",
    file="per_instance_stats.json",
    samples="helm-run … --num-train-trials n",
    marks=(Mark("json", ("instance_id", "train_trial_index", "stats")),),
    read=_read,
    options=("scorer",),
)

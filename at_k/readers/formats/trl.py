"""TRL: the completions that a GRPO trainer logs, `completions_{step}.parquet`, a row for each completion.

The rows of a prompt are adjacent. Which columns are rewards is not marked: they are those of type double between
`completion` and `advantage`.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from at_k.errors import InputError, Mention
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading, choose, tell_choice
from at_k.readers.models import find_step
from at_k.readers.parquet import list_columns, read_batches, read_rows
from at_k.readers.quoting import quote, quote_all
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="row")
    names = list_columns(source)
    rewards = _read_rewards(source, names)
    scorer = None if "grades" in reading.columns else _choose_reward(rewards, reading.scorer)
    asked = {*reading.columns.values(), *(reading.where or ()), *reading.pool}
    needed = [name for name in names if name in ("prompt", "step") or name in asked]
    steps: dict[str, None] = {}
    for number, row in collector.entries((row for _, row in read_rows(source, needed)), ("prompt",)):
        if row.get("step") is not None:
            steps[str(row["step"])] = None
        fields = dict.fromkeys(names) | row if reading.columns else None
        grade = None if scorer is None else rewards[scorer][number - 1]
        collector.add(number, _name_prompt(row["prompt"]), grade=grade, fields=fields)
    chosen, notes = tell_choice("scorer", scorer, rewards, reading.scorer)
    origin = Origin(
        "trl",
        subject=find_step(steps, reading.pool),
        chosen=chosen,
        roles={"problem": "prompt", "grades": scorer},
        notes=notes + collector.note_shared_prompts(),
    )
    return collector.finish(origin)


def _read_rewards(source: Source, names: tuple[str, ...]) -> dict[str, list[float]]:
    """Read the columns that may be rewards; NaN for a reward that is not there."""
    import pyarrow as pa

    between = list(names[names.index("completion") + 1 : names.index("advantage")])
    rewards: dict[str, list[float]] = {}
    for batch in read_batches(source, between):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.type == pa.float64():
                rewards.setdefault(name, []).extend(column.to_numpy(zero_copy_only=False).tolist())
    return rewards


def _choose_reward(rewards: dict[str, list[float]], wanted: str | None) -> str:
    if not rewards:
        raise InputError(
            "trl.no_rewards",
            "There is no column of rewards, of type double, between “completion” and “advantage”. Name one: {columns}.",
            columns=Mention(columns={"grades": "…"}),
        )
    if wanted is not None:
        return choose(wanted, list(rewards), "scorer")
    spans: dict[str, tuple[float, float]] = {}
    for name, values in rewards.items():
        known: np.ndarray[Any, Any] = np.array(values)
        known = known[~np.isnan(known)]
        if len(known) and known.min() >= 0 and known.max() <= 1:
            return name
        if len(known):
            spans[name] = float(known.min()), float(known.max())
    raise InputError(
        "trl.not_grades",
        "None of the rewards lies between 0 and 1, as grades do: {rewards}. Add a reward function that says which "
        "completions are correct.",
        rewards=", ".join(f"{quote(name)} [{low:g}, {high:g}]" for name, (low, high) in spans.items())
        or quote_all(rewards),
    )


def _name_prompt(prompt: object) -> object:
    """Return the name of a problem: its prompt, or the messages of which it consists, as JSON."""
    return json.dumps(prompt, ensure_ascii=False) if isinstance(prompt, list) and prompt else prompt


FORMAT = Format(
    name="trl",
    title="TRL 1.16.0",
    file="completions_{step}.parquet",
    samples="GRPOConfig(num_generations=n, log_completions=True)",
    marks=(Mark("parquet", ("prompt", "completion", "advantage")),),
    read=_read,
    options=("scorer",),
)

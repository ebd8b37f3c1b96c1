"""Functions of the formats of environments and agents: an object for each trial, rollout or episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from at_k.readers.blocks import find_field
from at_k.readers.fields import Chosen, Row, list_documents, list_in, list_names
from at_k.readers.format import Reading
from at_k.readers.sources import Source

_CLOSE = 1e-6


def judge_reward(row: Row, *_: Any) -> object:
    """Return whether a reward of tau-bench or tau2-bench is that of success."""
    reward = row["reward"] if "reward" in row else find_field(row, ["reward_info", "reward"])
    return reward >= 1 - _CLOSE if isinstance(reward, float) and 0 <= reward < 1 else reward


def list_files(source: Source) -> Iterator[Any]:
    """Yield the documents of a folder."""
    return (document for _, document, _ in list_documents(source))


def list_rewards(trials: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    """List the rewards of Harbor."""
    found = list_names(trials, "verifier_result.rewards") or ["reward"]
    return found, sorted(found, key=lambda name: name != "reward")


def list_metrics(rows: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    """List the reward and the metrics of verifiers 0.1."""
    return (["reward", *list_names(rows, "metrics")],) * 2


def judge_rollout(row: Row, line: int, chosen: Chosen) -> object:
    """Return the reward, or the metric that was chosen, of verifiers 0.1."""
    held = row if chosen.scorer == "reward" else row.get("metrics")
    if not isinstance(held, dict) or chosen.scorer not in held:
        raise chosen.collector.lack(chosen.scorer, line)
    return held[chosen.scorer]


def list_weighted(rows: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    """List the sum of the rewards of verifiers 0.4, and those that it consists of."""
    found = ["reward", *list_names(list_in(rows[0], "traces")[:1], "rewards")]
    return found, found if len(found) > 2 else found[:1]


def judge_episode(row: Mapping[str, Any], line: int, chosen: Chosen) -> object:
    """Return the sum of the weighted rewards of the first agent, or the score of one; None where one has no score."""
    rewards = find_field(next(iter(list_in(row, "traces")), None), ["rewards"])
    if not row["ok"] or not isinstance(rewards, dict) or not rewards:
        return None
    own = rewards.values() if chosen.scorer == "reward" else [rewards.get(chosen.scorer)]
    scores = [find_field(each, ["score"]) for each in own]
    if any(score is None or (isinstance(score, float) and isnan(score)) for score in scores):
        return None
    weights = [find_field(each, ["weight"]) if chosen.scorer == "reward" else 1 for each in own]
    if not all(isinstance(each, (int, float)) for each in (*scores, *weights)):
        raise chosen.collector.lack("rewards.score", line)
    return sum(score * weight for score, weight in zip(scores, weights, strict=True))

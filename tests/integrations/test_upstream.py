"""Patches for packages without a hook: they are short and whole, and the code that they add computes what it says."""

import asyncio
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from statistics import mean
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from cases import for_each
from scipy.stats import binom

FOLDER = Path(__file__).parents[2] / "docs" / "upstream"
PATCHES = sorted(FOLDER.glob("*.patch"))


def read_added(patch, file):
    """Return the lines that a patch adds to a file."""
    section = (
        (FOLDER / patch).read_text(encoding="utf-8").split(f"+++ b/{file}\n")[1].split("\ndiff ")[0]
    )
    return "\n".join(line[1:] for line in section.splitlines() if line.startswith("+"))


@for_each("patch", PATCHES)
def test_a_patch_has_at_most_sixty_lines_and_the_text_of_its_pull_request(patch):
    lines = patch.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    subject, blank, *text = patch.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert re.match(r"(feat|fix)\(\w+\): \S", subject)
    assert not blank
    assert text
    subprocess.run(
        ["git", "apply", "--numstat", patch], check=True, capture_output=True
    )  # every hunk is whole


@pytest.fixture
def algorithm(monkeypatch):
    """Return the class that the patch adds to prime-rl, between modules that do what it asks of prime-rl's."""

    class Algorithm:
        def __init__(self, config, policy_pool):
            self.policy_pool = policy_pool

    def iter_trainable_traces(episodes):
        return (
            (episode, trace)
            for episode in episodes
            for trace in episode.traces
            if not trace.has_error
        )

    own = {
        "verifiers": {},
        "verifiers.v1": {"Episode": object},
        "prime_rl.orchestrator.algo.base": {
            "Algorithm": Algorithm,
            "iter_trainable_traces": iter_trainable_traces,
        },
        "prime_rl.orchestrator.algo.routing": {
            "assign_advantages": lambda trace, value: setattr(trace, "own", value)
        },
    }
    for name, values in own.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(sys.modules["verifiers"], "v1", sys.modules["verifiers.v1"], raising=False)
    added = {}
    exec(read_added("prime-rl.patch", "src/prime_rl/orchestrator/algo/credit.py"), added)
    return added["CreditAlgorithm"]


@for_each("metric, compute", [
    ("pass@k", lambda rewards: float(any(reward > 0.5 for reward in rewards))),
    ("pass^k", lambda rewards: float(all(reward > 0.5 for reward in rewards))),
    ("max@k", max),
])  # fmt: skip
@for_each(
    "rewards",
    [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 1.0], [0.9, 0.2, 0.7, 0.1, 0.0, 0.6], [1.0, 0.0]],
)
def test_prime_rl_takes_credits_as_advantages(metric, compute, rewards, algorithm):
    """The value on all k-subsets, minus that without the rollout; a failed rollout leaves the group."""
    k, n = 2, len(rewards)
    options = {"metric": metric, "k": k, "correct_above": 0.5}
    traces = [SimpleNamespace(reward=reward, has_error=False) for reward in rewards]
    traces.append(SimpleNamespace(reward=0.0, has_error=True))
    config = SimpleNamespace(
        k=k, metric=metric, model_dump=lambda include: {name: options[name] for name in include}
    )
    asyncio.run(
        algorithm(config, None).score_group([SimpleNamespace(traces=[trace]) for trace in traces])
    )

    def value(kept):
        return mean(map(compute, combinations(kept, k)))

    whole = [
        n * (value(rewards) - value(rewards[:i] + rewards[i + 1 :])) if n > k else 0
        for i in range(n)
    ]
    assert [trace.own for trace in traces[:-1]] == pytest.approx(whole)


def test_nemo_gym_compares_the_tasks_in_pairs():
    """With one repeat of 0/1 rewards the p-value is that of McNemar's test with mid-p."""
    added = {}
    typing = "from typing import Any, Dict, List, Optional, Sequence, Tuple\n"
    lines = read_added("nemo-gym.patch", "nemo_gym/comparison/diff.py")
    exec(typing + lines[: lines.index("counts |=")].rstrip(), added)
    rng = np.random.default_rng(0)
    skill = rng.random(60)
    one, other = (rng.binomial(1, each) for each in (skill, np.minimum(skill + 0.2, 1)))
    found = added["_paired_difference"](
        list(zip(range(60), one.tolist(), other.tolist(), strict=True))
    )
    won, lost = int((other > one).sum()), int((one > other).sum())
    fewer = binom(won + lost, 0.5)
    assert found["paired_delta"] == pytest.approx((won - lost) / 60)
    assert found["paired_p_value"] == pytest.approx(
        2 * fewer.cdf(min(won, lost)) - fewer.pmf(min(won, lost))
    )
    assert found["paired_ci_low"] < found["paired_delta"] < found["paired_ci_high"]
    assert "paired_p_value" in added["_paired_difference"]([(0, 3.5, 2.0), (1, 1.0, 4.0)])

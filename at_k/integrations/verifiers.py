"""Every @k number of the episodes of verifiers: `measure_episodes(await run_eval(config))`.

`read_episodes` of verifiers gives the episodes of a run that has ended; `at-k score traces.jsonl` reads its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from at_k.integrations.samples import measure_samples


def measure_episodes(
    episodes: Iterable[Any], find_answer: Callable[[Any], str | None] | None = None, **options: Any
) -> dict[str, float]:
    """Compute every @k number of the rewards of episodes, which may come in any order."""
    problems, grades, answers = [], [], []
    for episode in episodes:
        trace: Any = None
        is_scored = False
        if episode.traces:
            trace = episode.traces[0]
            rewards = trace.rewards
            is_scored = episode.ok and rewards and None not in rewards.values()
        place = episode.task.data.idx
        problems.append(episode.task.key if place is None else place)
        grades.append(trace.reward if is_scored else None)
        answers.append(find_answer(trace) if find_answer and trace else None)
    return measure_samples(problems, grades, answers, **options)

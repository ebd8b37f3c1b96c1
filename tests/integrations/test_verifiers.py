"""The episodes of verifiers 0.4.0, as far as they are used: a task, traces with rewards, and whether all went well."""

from types import SimpleNamespace

import pytest

from at_k.integrations.verifiers import measure_episodes


def make(idx, *scores, ok=True, key="k", reply="", traces=1):
    rewards = {str(i): None if score is None else SimpleNamespace(value=score) for i, score in enumerate(scores)}
    total = sum(each.value for each in rewards.values() if each is not None)
    trace = SimpleNamespace(rewards=rewards, reward=total, last_reply=reply)
    task = SimpleNamespace(key=key, data=SimpleNamespace(idx=idx))
    return SimpleNamespace(task=task, ok=ok, traces=[trace] * traces)


def test_rewards_of_tasks_in_any_order():
    found = measure_episodes([make(0, 1.0), make(1, 0.0), make(0, 0.5, 0.25), make(1, 0.0), make(0, 0.0)], k=2)
    assert found["pass@2"] == 0.5  # of three samples of task 0, only one is wrong
    assert found["pass@2_ci_low"] < 0.5 < found["pass@2_ci_high"]


def test_a_task_without_a_place_has_a_key():
    assert measure_episodes([make(None, 1.0, key="a"), make(None, 0.0, key="b")])["pass@1"] == 0.5


@pytest.mark.parametrize("unscored", [make(0, 0.0, ok=False), make(0, 1.0, None), make(0), make(0, 1.0, traces=0)])
def test_an_episode_that_was_not_scored_is_left_out(unscored):
    assert measure_episodes([make(0, 1.0), unscored])["accuracy"] == 1


def test_answers_vote():
    episodes = [make(0, 1.0, reply="7"), make(0, 1.0, reply="7"), make(0, 0.0, reply="8")]
    found = measure_episodes(episodes, lambda trace: trace.last_reply, k=[2])
    assert found["cons@2"] == pytest.approx(2 / 3)  # both 7 in 1/3, and a tie in 2/3

"""slime's function: the arguments of the run and a flat list of samples in, raw rewards and rewards out."""

from types import SimpleNamespace

import pytest

from at_k.integrations.slime import post_process_rewards


def make_samples(rewards, answers):
    return [
        SimpleNamespace(
            group_index=i // 3, metadata={"answer": answer} if answer else None, get_reward_value=lambda _, r=reward: r
        )
        for i, (reward, answer) in enumerate(zip(rewards, answers, strict=True))
    ]


def test_rewards_of_samples():
    samples = make_samples([1, 0, 0, 0, 0, 0], [None] * 6)
    raw, rewards = post_process_rewards(SimpleNamespace(at_k={"metric": "pass@2"}), samples)
    assert raw == [1, 0, 0, 0, 0, 0]
    assert rewards == [2, -1, -1, 0, 0, 0]


def test_votes():
    samples = make_samples([1, 1, 0, 0, 0, 1], ["x", "x", "y", "p", "q", "x"])
    _, rewards = post_process_rewards(SimpleNamespace(at_k={"metric": "cons@2"}), samples)
    # The first prompt: ⅔, and ½, ½ or 1 without a sample. The second: ⅓, and ½, ½ or 0.
    assert rewards == [3 * (2 / 3 - 0.5)] * 2 + [3 * (2 / 3 - 1)] + [3 * (1 / 3 - 0.5)] * 2 + [3 * (1 / 3)]


def test_votes_that_were_forgotten():
    with pytest.raises(ValueError, match="`answers` must be given for cons@k"):
        post_process_rewards(SimpleNamespace(at_k={"metric": "cons@2"}), make_samples([1, 0, 0], [None] * 3))


def test_pass_at_8_if_nothing_is_said():
    samples = make_samples([1] + [0] * 8, [None] * 9)
    for sample in samples:
        sample.group_index = 0
    _, rewards = post_process_rewards(SimpleNamespace(), samples)
    assert round(rewards[0], 12) == 8  # pass@8 is 8/9, and 0 without the right sample

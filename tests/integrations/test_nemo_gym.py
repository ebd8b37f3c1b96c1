"""The call of NeMo Gym 0.4: the rollouts of each task, each with a reward and fields of its own."""

from at_k.integrations.nemo_gym import AtKMetrics


class Server:
    def compute_metrics(self, tasks):
        return {"own": len(tasks)}


class PlainServer(AtKMetrics, Server):
    pass


class MathServer(AtKMetrics, Server):
    def find_answer(self, rollout):
        return rollout["extracted"]


def test_the_numbers_stand_beside_its_own():
    tasks = [
        [{"reward": 1.0, "extracted": "7"}, {"reward": 0.0, "extracted": None}],
        [{"reward": 0.0, "extracted": "1"}, {"reward": 0.0, "extracted": "1"}],
    ]
    found = MathServer().compute_metrics(tasks)
    assert found["own"] == 2
    assert (found["pass@1"], found["pass@2"], found["cons@2"]) == (0.25, 0.5, 0.5)


def test_without_answers_the_rewards_alone_decide():
    found = PlainServer().compute_metrics([[{"reward": 1.0}, {"reward": 1.0}, {"reward": 0.0}]])
    assert (found["pass@2"], "cons@2" in found) == (1, False)


def test_masked_rollouts_are_left_out():
    rollouts = [{"reward": 1.0}, {"reward": 1.0}, {"reward": 0.0, "mask_sample": True}]
    assert PlainServer().compute_metrics([rollouts])["pass@1"] == 1

"""verl's registry and call: uids as an array of objects, rewards on the last token, a configuration with attributes."""

import importlib
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from cases import for_each, refuses
from numpy.testing import assert_allclose

from at_k.integrations import verl

UIDS = np.array(["a", "b", "a", "a", "b", "b"], dtype=object)
MASK = np.array([[1, 1, 1], [1, 1, 0]] * 3)
REWARDS = np.zeros((6, 3))
REWARDS[[0, 3], [2, 1]] = 1


@pytest.fixture
def registry(monkeypatch):
    """The environment of verl's plug-ins when verl loads them."""
    entered = {}
    core = ModuleType("verl.trainer.ppo.core_algos")
    core.register_adv_est = lambda name: lambda function: entered.setdefault(name, function)
    monkeypatch.setitem(sys.modules, "verl", ModuleType("verl"))
    monkeypatch.setitem(sys.modules, core.__name__, core)
    importlib.reload(verl)
    return entered


def test_the_entry_point_loads_it():
    (found,) = (each for each in importlib.metadata.entry_points(group="verl.plugins") if each.name == "at_k")
    assert found.load() is verl


def test_a_metric_by_name(registry):
    assert {"at_k", "at_k_pass8", "at_k_max64"} < set(registry)
    given = {"token_level_rewards": REWARDS, "response_mask": MASK, "index": UIDS, "config": SimpleNamespace(gamma=1.0)}
    advantages, returns = registry["at_k_pass2"](**given)
    # Group a is right but for one of three samples, so that pass@2 needs neither right one; group b is never right.
    assert_allclose(advantages, np.zeros((6, 3)))
    assert advantages is returns
    once = REWARDS * (np.arange(6) < 3)[:, None]
    advantages, _ = registry["at_k_pass2"](**given | {"token_level_rewards": once})
    assert_allclose(advantages, np.array([2, 0, -1, -1, 0, 0])[:, None] * MASK)


def test_any_metric_by_configuration(registry):
    config = SimpleNamespace(at_k={"metric": "avg@n"})
    advantages, _ = registry["at_k"](REWARDS, MASK, UIDS, config=config)
    assert_allclose(advantages, np.array([0.5, 0, -1, 0.5, 0, 0])[:, None] * MASK)  # RLOO
    refuses("ValueError: `at_k` must have a `metric`", registry["at_k"], REWARDS, MASK, UIDS, config=SimpleNamespace())


class FakeMultiOutputTrainer:
    """The newer trainer: it hands keys to GRPO alone, and to other estimators every row."""

    def _compute_advantage(self, batch, metrics):
        return self.estimator(self.rewards, self.mask, self.uids, config=None)


class SessionTrainer(verl.SessionMixin, FakeMultiOutputTrainer):
    pass


@pytest.mark.parametrize("name", ["at_k_pass2", "at_k_max2"])
def test_the_last_output_of_a_session_has_its_credit(registry, name):
    """Sessions of 2, 1, 3 and 1 outputs: the numbers are those of four rows, whatever order the outputs come in."""
    keys = ["u_0_1", "u_1_0", "u_2_0", "u_0_0", "u_2_2", "u_2_1", "u_3_0"]
    reward = {"u_0_1": 1.0, "u_0_0": 0.0, "u_2_0": 1.0, "u_2_1": 1.0}
    trainer = SessionTrainer()
    trainer.estimator = registry[name]
    trainer.rewards = np.array([[0.0, reward.get(key, 0.0)] for key in keys])
    trainer.mask = np.ones((7, 2))
    trainer.uids = np.array(["u"] * 7, dtype=object)
    advantages, _ = trainer._compute_advantage(SimpleNamespace(keys=keys), {})
    alone, _ = registry[name](np.array([[0, 1.0], [0, 0], [0, 0], [0, 0]]), np.ones((4, 2)), np.array(["u"] * 4))
    assert_allclose(advantages, alone[[0, 1, 2, 0, 2, 2, 3]])
    assert len(registry[name](trainer.rewards, trainer.mask, trainer.uids)[0]) == 7  # nothing is kept between batches


class FakeTrainer:
    def _val_metrics_update(
        self, data_sources, sample_uids, reward_extra_infos_dict, sample_turns, expected_acc_counts=None
    ):
        return {"val-core/math/acc/mean@2": 0.5}


class Trainer(verl.ValidationMixin, FakeTrainer):
    pass


@for_each("infos, votes", [
    ({"reward": [1.0, -1.0, -1.0, -1.0, 1.0]}, None),  # without answers there is no vote
    ({"reward": [0.0] * 5, "acc": [True, False, False, False, True], "pred": ["7", "8", "1", "1", "4"]}, 0.25),
    ({"reward": [1.0, 0.0, 0.0, 0.0, 1.0], "pred": ["7", "[INVALID]", "1", "", "4"]}, 0.5),
])  # fmt: skip
def test_validation_by_source(infos, votes):
    sources, uids = np.array(["math", "math", "math", "math", "code"]), ["a", "a", "b", "b", "c"]
    found = Trainer()._val_metrics_update(sources, uids, infos, [])
    assert found["val-core/math/acc/mean@2"] == 0.5
    assert (found["val-core/math/at_k/pass@1"], found["val-core/math/at_k/pass@2"]) == (0.25, 0.5)
    assert found.get("val-core/math/at_k/cons@2") == votes
    assert found["val-core/code/at_k/pass@1"] == 1


def test_rollouts_that_failed_are_wrong_where_verl_counts_them_so():
    """verl's newer trainer says how many rollouts each prompt should have; sources without `acc` keep theirs."""
    infos = {"acc": [1.0, None, 1.0, None], "reward": [1.0, 0.0, 1.0, 0.0], "pred": ["7", None, "3", ""]}
    expected = {("math", "a"): 2, ("math", "b"): 2, ("code", "c"): 2, ("math", "d"): 2}
    found = Trainer()._val_metrics_update(
        ["math", "math", "math", "code"], list("aabc"), infos, [], expected_acc_counts=expected
    )
    assert found["val-core/math/at_k/pass@1"] == pytest.approx(1 / 3)  # a and b: 1 of 2, d: none of 2
    assert found["val-core/math/at_k/pass@2"] == pytest.approx(2 / 3)
    assert found["val-core/math/at_k/cons@2"] == pytest.approx(2 / 3)  # an answer wins against none
    assert found["val-core/code/at_k/pass@1"] == 0
    assert "val-core/code/at_k/pass@2" not in found

"""Trainers call their plug-ins: advantages on the scale of each, the numbers that are logged, and what is refused."""

import importlib
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from cases import for_each, refuses
from numpy.testing import assert_allclose

from at_k import credit
from at_k.integrations import verl
from at_k.integrations.advantages import compute_advantages
from at_k.integrations.nemo_rl import CreditAdvantageEstimator
from at_k.integrations.openrlhf import shape_rewards
from at_k.integrations.rllm import make_estimator
from at_k.integrations.skyrl import register
from at_k.integrations.slime import post_process_rewards
from at_k.integrations.trl import CreditMixin, log_at_k

NAMES = ["a", "b", "a", "a", "b", "b", "b", "b"]
CORRECT = np.array([1.0, 0, 0, 1, 0, 0, 1, 0])


@for_each("metric", ["pass@2", {"pass@2": 0.5, "avg@n": 0.5}, "best@2", "max@2"])
def test_the_mean_over_samples_is_the_mean_over_prompts(metric):
    found = compute_advantages({"metric": metric}, CORRECT, NAMES)
    wanted = credit(metric, CORRECT, scores=CORRECT, problem=NAMES)
    weights = np.random.default_rng(0).normal(size=8)  # what the samples' ∇ log π may be
    assert_allclose((found * weights).mean(), (wanted * weights).sum() / 2, rtol=1e-12)


def test_all_options_are_handed_on():
    options = {
        "k": 2,
        "baseline": "subset",
        "ties": "incorrect",
        "normalize": "std",
        "correct_above": 0,
    }
    answers = ["x" if reward else "y" for reward in CORRECT]
    found = compute_advantages({"metric": "cons@k", **options}, CORRECT, NAMES, answers)
    assert_allclose(
        found, credit("cons@k", CORRECT, answers=answers, problem=NAMES, **options)
    )  # not scaled again


UNKNOWN = (
    "ValueError: `at_k` must have a `metric`, and no options but "
    "metric, k, thresholds, baseline, ties, normalize, correct_above"
)


@for_each("options, says", [
    *[(wrong, f"TypeError: `at_k` must map options to values, such as {{'metric': 'pass@8'}}; got {wrong!r}")
      for wrong in ("pass@8", None)],
    *[(wrong, f"{UNKNOWN}; got {wrong}") for wrong in ({}, {"k": 8}, {"metric": "pass@2", "temperature": 1})],
    ({"metric": ["pass@2"]}, "TypeError: `metric` must be a name, or map names to weights; got ['pass@2']"),
])  # fmt: skip
def test_options_that_cannot_be_used(options, says):
    refuses(says, compute_advantages, options, CORRECT, NAMES)


# NeMo-RL, OpenRLHF, rLLM, SkyRL, slime


@for_each("prompts", [[[1, 2], [3, 4], [1, 2], [1, 2], [3, 4], [3, 4]], [0, 1, 0, 0, 1, 1]])
def test_nemo_rl_hands_over_the_tokens_of_prompts_in_any_order(prompts):
    rewards = np.array([1.0, 0, 0, 0, 0, 0], dtype=np.float32)
    estimate = CreditAdvantageEstimator({"metric": "pass@2"}).compute_advantage
    found = estimate(
        prompt_ids=np.array(prompts), rewards=rewards, mask=np.ones((6, 4)), repeated_batch=None
    )
    assert_allclose(
        found, np.array([2, 0, -1, -1, 0, 0])[:, None] * np.ones(4), rtol=1e-6
    )  # single precision


def test_neighbours_are_a_prompt_in_openrlhf():
    rewards = np.array([1.0, 0, 0, 0, 1, 1])
    assert_allclose(
        shape_rewards(rewards, 3, {"metric": "pass@2"}), [2, -1, -1, 0, 0, 0], atol=1e-15
    )
    # The second prompt: ⅔ of votes of two are right, 1 without the wrong one, and ½ without a right one.
    found = shape_rewards(rewards, 3, {"metric": "cons@2"}, ["x", "y", "z", "p", "x", "x"])
    assert_allclose(found[3:], [3 * (2 / 3 - 1), 0.5, 0.5])


def test_rllm_hands_over_an_array_for_each_group():
    estimate, rewards = (
        make_estimator({"metric": "avg@n"}),
        [np.array([1, 0, 0]), np.array([0.0, 1.0])],
    )
    advantages, returns = estimate(
        rewards=rewards, algorithm_config=object(), traj_groups=[None, None]
    )
    # Two prompts of 2.5 samples on average: 2.5 times the credits.
    assert [each.shape for each in advantages] == [(3,), (2,)]
    assert_allclose(np.concatenate(advantages), 2.5 * np.array([1 / 3, -1 / 6, -1 / 6, -0.5, 0.5]))
    assert returns is advantages


def test_skyrl_enters_estimators_of_one_metric_and_of_given_options():
    """Its registry calls by keyword with a group per sample, and its configuration takes no other fields."""
    entered = {}
    registry = SimpleNamespace(register=entered.__setitem__)
    register(registry, {"metric": "avg@n"})
    rewards, mask = np.array([[0.0, 1], [0, 0], [0, 0]]), np.array([[1, 1], [1, 0], [1, 1]])
    given = {
        "token_level_rewards": rewards,
        "response_mask": mask,
        "index": np.array([7] * 3),
        "values": None,
    }
    # pass@2 is 2/3; without the right sample it is 0, without a wrong one 1.
    for name, expected in (("at_k_pass2", [2.0, -1, -1]), ("at_k", [1.0, -0.5, -0.5])):
        advantages, returns = entered[name](**given, config=object())
        assert returns is advantages
        assert_allclose(advantages, np.array(expected)[:, None] * mask)
    refuses("ValueError: `at_k` must have a `metric`", register, registry, {"normalise": "std"})


def make_samples(rewards, answers, size=3):
    rows = zip(rewards, answers or [None] * len(rewards), strict=True)
    return [
        SimpleNamespace(
            group_index=i // size,
            metadata={"answer": answer} if answer else None,
            get_reward_value=lambda _, own=reward: own,
        )
        for i, (reward, answer) in enumerate(rows)
    ]


@for_each("options, rewards, answers, size, expected", [
    ({"at_k": {"metric": "pass@2"}}, [1, 0, 0, 0, 0, 0], None, 3, [2, -1, -1, 0, 0, 0]),
    # The first prompt: ⅔, and ½, ½ or 1 without a sample. The second: ⅓, and ½, ½ or 0.
    ({"at_k": {"metric": "cons@2"}}, [1, 1, 0, 0, 0, 1], list("xxypqx"), 3,
     [3 * (2 / 3 - 0.5)] * 2 + [3 * (2 / 3 - 1)] + [3 * (1 / 3 - 0.5)] * 2 + [3 * (1 / 3)]),
    ({}, [1] + [0] * 8, None, 9, [8] + [-1] * 8),  # pass@8 is 8/9, and 0 without the right sample
])  # fmt: skip
def test_slime_hands_over_a_flat_list_of_samples(options, rewards, answers, size, expected):
    raw, found = post_process_rewards(
        SimpleNamespace(**options), make_samples(rewards, answers, size)
    )
    assert raw == rewards
    assert found == pytest.approx(expected, abs=1e-12)
    run = SimpleNamespace(at_k={"metric": "cons@2"})
    says = "ValueError: `answers` must be given for cons@k"
    refuses(says, post_process_rewards, run, make_samples([1, 0, 0], None))


# TRL, of which this is the second of two processes


class Tensor(np.ndarray):
    """An array with the methods of PyTorch that are used."""

    device = "cpu"

    def to(self, _):
        return self

    def nansum(self, dim):
        return np.nansum(np.asarray(self), axis=dim)


class FakeTrainer:
    num_generations, num_generations_eval = 4, 1
    accelerator = SimpleNamespace(process_index=1)
    model = SimpleNamespace(training=True)
    reward_weights = np.array([1.0, 0.5]).view(Tensor)

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):
        return np.array(self.by_function, dtype=float).view(Tensor)

    def _generate_and_score_completions(self, inputs):
        self._calculate_rewards(inputs, None, None, None)
        return {"advantages": np.full(4, 9.0), "completion_ids": "kept"}


class Trainer(CreditMixin, FakeTrainer):
    at_k = {"metric": "pass@2"}  # noqa: RUF012 - as users write it


NONE = (np.nan, np.nan)
OF_OTHERS = ((1, 0), (0, 0), (0, np.nan), (0, 0))


@for_each("of_this_process, advantages", [
    (((0, 2), (0, 0), (0, np.nan), (0, 0)), [2, -2 / 3, -2 / 3, -2 / 3]),  # pass@2 is ½, and ⅔ without a wrong sample
    (((0, 2), (0, 0), NONE, (0, 0)), [8 / 3, -4 / 3, 0, -4 / 3]),  # pass@2 of three samples, times 4
    ((NONE, (0, 2), NONE, (0, 0)), [0, 0, 0, 0]),  # two samples are too few for pass@2 without one of them
    ((NONE, NONE, NONE, NONE), [0, 0, 0, 0]),
])  # fmt: skip
def test_advantages_of_trl_are_credits_of_scored_completions(of_this_process, advantages):
    trainer = Trainer()
    trainer.by_function = (*OF_OTHERS, *of_this_process)
    outputs = trainer._generate_and_score_completions([])
    assert outputs["completion_ids"] == "kept"
    assert_allclose(outputs["advantages"], np.array(advantages))


def test_the_numbers_of_a_reward_function_are_logged():
    logged = {}

    def is_correct(prompts, completions, answer, log_metric=None):
        return [float(each == right) for each, right in zip(completions, answer, strict=True)]

    function = log_at_k(is_correct, num_generations=2)
    rewards = function(
        prompts=["p", "p", "q", "q", "p", "p"],  # a prompt that comes again is another draw
        completions=["7", "8", "1", "1", "7", "7"],
        answer=["7", "7", "2", "2", "7", "7"],
        log_metric=logged.__setitem__,
    )
    assert rewards == [1, 0, 0, 0, 1, 1]
    assert function.__name__ == "is_correct"  # TRL logs a function under its name
    assert (logged["at_k/pass@1"], round(logged["at_k/pass@2"], 4)) == (0.5, 0.6667)


def test_votes_and_a_choice_of_numbers_are_logged():
    logged = {}

    def ends_in_seven(completions, **_):
        return [float(text.endswith("7")) for text in completions]

    function = log_at_k(
        ends_in_seven,
        k=3,
        metrics=["cons@3", "pass@3"],
        find_answer=lambda text: text.split()[-1],
        num_generations=3,
    )
    function(prompts=["p"] * 3, completions=["so 7", "7", "is 8"], log_metric=logged.__setitem__)
    assert logged == {"at_k/pass@3": 1, "at_k/cons@3": 1}
    for wrong, error in (
        ({"k": [0]}, "ValueError"),
        ({"k": "8"}, "TypeError"),
        ({"metrics": ["bogus"]}, "ValueError"),
        ({"num_generations": 0}, "ValueError: `num_generations`"),
    ):
        refuses(error, log_at_k, ends_in_seven, **wrong)


class LoggingTrainer(FakeTrainer):
    """A trainer that logs as TRL does, by a method of its own."""

    def __init__(self, index, size, **attributes):
        self.logged, self.num_generations = {}, size
        self.accelerator = SimpleNamespace(process_index=index)
        vars(self).update(attributes)

    def _log_metric(self, name, value):
        self.logged[name] = value


@for_each("prompts, index, size, pass_at_1", [
    ([""] * 7, 0, 4, 5 / 12),  # rewards 1 1 0 0 | 0 1 0, with the empty prompts of environments
    ([f"state {place}" for place in range(7)], 0, 4, 5 / 12),  # prompts that differ per rollout
    (["p"] * 4 + ["q"] * 3, 0, 4, 5 / 12),
    ([""] * 7, 1, 4, (1 / 1 + 1 / 4 + 1 / 2) / 3),  # the second process begins within a group
    ([""] * 7, 0, 7, 3 / 7),
])  # fmt: skip
def test_the_groups_of_the_trainer_are_the_problems(prompts, index, size, pass_at_1):
    rewards = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    trainer = LoggingTrainer(index, size)
    function = log_at_k(lambda **_: rewards, metrics="pass@1")
    function(prompts=prompts, completions=[""] * 7, log_metric=trainer._log_metric)
    assert trainer.logged == {"at_k/pass@1": pytest.approx(pass_at_1, abs=1e-12)}


def test_evaluation_has_groups_of_its_own_size():
    model = SimpleNamespace(training=False)
    trainer = LoggingTrainer(0, 4, num_generations_eval=2, model=model)
    function = log_at_k(lambda **_: [1.0, 0.0, 0.0, 0.0], metrics="pass@2")
    function(prompts=[""] * 4, completions=[""] * 4, log_metric=trainer._log_metric)
    assert trainer.logged == {"at_k/pass@2": 0.5}
    says = "ValueError: `num_generations` must be given to `log_at_k`"
    refuses(says, function, [""] * 4, [""] * 4, log_metric={}.__setitem__)


# verl: uids as an array of objects, rewards on the last token, a configuration with attributes

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


def test_verl_knows_metrics_by_name_and_any_by_configuration(registry):
    (plugin,) = (
        each
        for each in importlib.metadata.entry_points(group="verl.plugins")
        if each.name == "at_k"
    )
    assert plugin.load() is verl
    assert {"at_k", "at_k_pass8", "at_k_max64"} < set(registry)
    given = {
        "token_level_rewards": REWARDS,
        "response_mask": MASK,
        "index": UIDS,
        "config": SimpleNamespace(gamma=1.0),
    }
    advantages, returns = registry["at_k_pass2"](**given)
    # Group a is right but for one of three samples, so that pass@2 needs neither right one; group b is never right.
    assert_allclose(advantages, np.zeros((6, 3)))
    assert advantages is returns
    once = REWARDS * (np.arange(6) < 3)[:, None]
    advantages, _ = registry["at_k_pass2"](**given | {"token_level_rewards": once})
    assert_allclose(advantages, np.array([2, 0, -1, -1, 0, 0])[:, None] * MASK)
    advantages, _ = registry["at_k"](
        REWARDS, MASK, UIDS, config=SimpleNamespace(at_k={"metric": "avg@n"})
    )
    assert_allclose(advantages, np.array([0.5, 0, -1, 0.5, 0, 0])[:, None] * MASK)  # RLOO
    without = SimpleNamespace()
    refuses(
        "ValueError: `at_k` must have a `metric`",
        registry["at_k"],
        REWARDS,
        MASK,
        UIDS,
        config=without,
    )


class FakeMultiOutputTrainer:
    """The newer trainer: it hands keys to GRPO alone, and to other estimators every row."""

    def _compute_advantage(self, batch, metrics):
        return self.estimator(self.rewards, self.mask, self.uids, config=None)


class SessionTrainer(verl.SessionMixin, FakeMultiOutputTrainer):
    pass


@for_each("name", ["at_k_pass2", "at_k_max2"])
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
    alone, _ = registry[name](
        np.array([[0, 1.0], [0, 0], [0, 0], [0, 0]]), np.ones((4, 2)), np.array(["u"] * 4)
    )
    assert_allclose(advantages, alone[[0, 1, 2, 0, 2, 2, 3]])
    assert (
        len(registry[name](trainer.rewards, trainer.mask, trainer.uids)[0]) == 7
    )  # nothing is kept between batches


class FakeValidation:
    def _val_metrics_update(
        self,
        data_sources,
        sample_uids,
        reward_extra_infos_dict,
        sample_turns,
        expected_acc_counts=None,
    ):
        return {"val-core/math/acc/mean@2": 0.5}


class Validation(verl.ValidationMixin, FakeValidation):
    pass


@for_each("infos, votes", [
    ({"reward": [1.0, -1.0, -1.0, -1.0, 1.0]}, None),  # without answers there is no vote
    ({"reward": [0.0] * 5, "acc": [True, False, False, False, True], "pred": ["7", "8", "1", "1", "4"]}, 0.25),
    ({"reward": [1.0, 0.0, 0.0, 0.0, 1.0], "pred": ["7", "[INVALID]", "1", "", "4"]}, 0.5),
])  # fmt: skip
def test_validation_of_verl_by_source(infos, votes):
    sources, uids = np.array(["math", "math", "math", "math", "code"]), ["a", "a", "b", "b", "c"]
    found = Validation()._val_metrics_update(sources, uids, infos, [])
    assert found["val-core/math/acc/mean@2"] == 0.5
    assert (found["val-core/math/at_k/pass@1"], found["val-core/math/at_k/pass@2"]) == (0.25, 0.5)
    assert found.get("val-core/math/at_k/cons@2") == votes
    assert found["val-core/code/at_k/pass@1"] == 1


def test_rollouts_that_failed_are_wrong_where_verl_counts_them_so():
    """verl's newer trainer says how many rollouts each prompt should have; sources without `acc` keep theirs."""
    infos = {
        "acc": [1.0, None, 1.0, None],
        "reward": [1.0, 0.0, 1.0, 0.0],
        "pred": ["7", None, "3", ""],
    }
    expected = {("math", "a"): 2, ("math", "b"): 2, ("code", "c"): 2, ("math", "d"): 2}
    found = Validation()._val_metrics_update(
        ["math", "math", "math", "code"], list("aabc"), infos, [], expected_acc_counts=expected
    )
    assert found["val-core/math/at_k/pass@1"] == pytest.approx(
        1 / 3
    )  # a and b: 1 of 2, d: none of 2
    assert found["val-core/math/at_k/pass@2"] == pytest.approx(2 / 3)
    assert found["val-core/math/at_k/cons@2"] == pytest.approx(2 / 3)  # an answer wins against none
    assert found["val-core/code/at_k/pass@1"] == 0
    assert "val-core/code/at_k/pass@2" not in found

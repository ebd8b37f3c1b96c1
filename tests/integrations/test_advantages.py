"""Advantages on a trainer's scale: the mean over samples is the mean of the prompts' gradients."""

import re

import numpy as np
import pytest
from cases import for_each, refuses
from numpy.testing import assert_allclose

from at_k import credit
from at_k.integrations.advantages import compute_advantages

UIDS = ["a", "b", "a", "a", "b", "b", "b", "b"]
REWARDS = np.array([1.0, 0, 0, 1, 0, 0, 1, 0])


@for_each("metric", ["pass@2", {"pass@2": 0.5, "avg@n": 0.5}, "best@2", "max@2"])
def test_the_mean_over_samples_is_the_mean_over_prompts(metric):
    found = compute_advantages({"metric": metric}, REWARDS, UIDS)
    wanted = credit(metric, REWARDS, scores=REWARDS, groups=UIDS)
    weights = np.random.default_rng(0).normal(size=8)  # what the samples' ∇ log π may be
    assert_allclose((found * weights).mean(), (wanted * weights).sum() / 2, rtol=1e-12)


def test_all_options_are_handed_on():
    options = {
        "metric": "cons@k",
        "k": 2,
        "baseline": "subset",
        "ties": "incorrect",
        "normalize": "std",
        "threshold": 0,
    }
    answers = ["x" if reward else "y" for reward in REWARDS]
    found = compute_advantages(options, REWARDS, UIDS, answers)
    given = {name: each for name, each in options.items() if name != "metric"}
    assert_allclose(found, credit("cons@k", REWARDS, answers=answers, groups=UIDS, **given))  # not scaled again


@for_each("options", ["pass@8", None])
def test_options_that_are_no_mapping(options):
    said = f"`at_k` must map options to values, such as {{'metric': 'pass@8'}}; got {options!r}"
    refuses(f"TypeError: {said}", compute_advantages, options, REWARDS, UIDS)


@for_each("options", [{}, {"k": 8}, {"metric": "pass@2", "temperature": 1}])
def test_options_that_do_not_exist(options):
    said = "`at_k` must have a `metric`, and no options but metric, k, tau, baseline, ties, normalize, threshold; got"
    with pytest.raises(ValueError, match=re.escape(f"{said} {options}")):
        compute_advantages(options, REWARDS, UIDS)


def test_a_metric_that_is_no_name():
    with pytest.raises(TypeError, match=re.escape("`metric` must be a name, or map names to weights; got ['pass@2']")):
        compute_advantages({"metric": ["pass@2"]}, REWARDS, UIDS)

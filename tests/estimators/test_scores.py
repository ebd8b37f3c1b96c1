"""Scores from token log-probabilities."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from cases import for_each, refuses

import at_k
from at_k.estimators.scores import mean_logprob, perplexity, self_certainty


def test_mean_and_perplexity_by_hand():
    logprobs = [[[-1.0, -2.0, -3.0], [-0.5]], [[0.0]]]
    assert mean_logprob(logprobs) == [[-2.0, -0.5], [0.0]]
    assert perplexity(logprobs) == [[exp(2), exp(0.5)], [1.0]]
    assert perplexity([[[log(1 / 8)] * 3]])[0][0] == pytest.approx(8)  # eight equally likely tokens
    assert mean_logprob(np.array(logprobs[0][:1])[None]) == [[-2.0]]


def test_self_certainty_is_the_divergence_of_the_uniform_distribution():
    probabilities = [[0.7, 0.2, 0.1], [0.5, 0.25, 0.25]]
    divergence = np.mean([sum(1 / 3 * log((1 / 3) / p) for p in token) for token in probabilities])
    logprobs = [[[[log(p) for p in token] for token in probabilities]]]
    assert self_certainty(logprobs)[0][0] == pytest.approx(divergence)
    assert self_certainty([[[[log(Fraction(1, 4))] * 4]]])[0][0] == pytest.approx(0)


def test_scores_choose_samples():
    data = {
        "answers": [["7", "9", "9"]],
        "references": ["7"],
        "scores": mean_logprob([[[-0.1], [-0.5, -0.7], [-2.0]]]),
    }
    assert at_k.score(data, k=3, metrics="best_at_k").values["best@3"] == 1.0
    weights = np.exp(data["scores"]).tolist()  # 0.90 against 0.55 + 0.14
    assert at_k.cons_at_k(data["answers"], [[1, 0, 0]], k=3, weights=weights).tolist() == [1.0]
    assert at_k.cons_at_k(data["answers"], [[1, 0, 0]], k=3).tolist() == [0.0]
    data["scores"] = perplexity([[[-0.1], [-0.5, -0.7], [-2.0]]])
    assert (
        at_k.score(data, k=3, metrics="best_at_k", higher_is_better=False).values["best@3"] == 1.0
    )


LARGE = [[[-1.0]], [[-1e308, -1e308]]]


@for_each("functions, logprobs, says", [
    ((mean_logprob, perplexity), [[[-1.0], []]], "scores.no_token: problem 0, sample 1"),
    ((mean_logprob, perplexity), [[[-1.0]], [[0.5]]], "scores.logprob: problem 1, sample 0"),
    *[((mean_logprob, perplexity), [[[wrong]]], "scores.logprob: problem 0, sample 0")
      for wrong in (float("nan"), float("-inf"))],
    *[((mean_logprob,), wrong, "TypeError: `logprobs` must hold")
      for wrong in (5, "text", [5], [[5]], [["ab"]], [[[None]]], [[["-1"]]], [[[True]]])],
    ((mean_logprob,), [[[-(10**400)]]], "InputError: must hold finite numbers … in problem 0, sample 0"),
    ((perplexity,), [[[-1000.0]]], "scores.perplexity: does not fit in a float"),
    ((perplexity,), LARGE, "InputError: problem 1, sample 0 does not fit"),
    *[((self_certainty,), wrong, "scores.alternatives: got 2 in problem 0, sample 0, token 0, and 1 in problem")
      for wrong in ([[[[-1.0, -2.0], [-1.0]]]], [[[[-1.0, -2.0]]], [[[-1.0]]]])],
    ((self_certainty,), [[[[]]]], "InputError: problem 0, sample 0, token 0"),
    ((self_certainty,), [[[-1.0]]], "TypeError: `top_logprobs` must hold lists; got -1.0"),
])  # fmt: skip
def test_invalid_logprobs_are_refused(functions, logprobs, says):
    for function in functions:
        refuses(says, function, logprobs)


def test_several_scores_choose_together():
    even, sure = [log(0.5)] * 2, [log(0.9), log(0.1)]
    certainty = self_certainty([[[even], [sure], [sure]]])[0]
    likely = mean_logprob([[[-0.1], [-0.2], [-0.3]]])[0]
    rows = [list(pair) for pair in zip(certainty, likely, strict=True)]
    data = {"answers": [["7", "9", "8"]], "references": ["9"], "scores": [rows]}
    best = {
        select: at_k.score(
            data, k=3, metrics="best_at_k", select=select, score_weights=weights
        ).values["best@3"]
        for select, weights in {
            "lexicographic": None,
            "pareto": None,
            "weighted": [0.0, 1.0],
        }.items()
    }
    # The second leads in certainty and then in likelihood; the first leads in likelihood; neither beats the other.
    assert best == {"lexicographic": 1.0, "pareto": 0.5, "weighted": 0.0}


def test_sums_that_no_float_holds_and_single_precision_that_exceeds_zero_by_a_rounding():
    assert mean_logprob([[[-1e308, -1e308]]]) == [[-1e308]]
    assert self_certainty([[[[-1e308, -1e308]] * 3]]) == [[pytest.approx(1e308)]]
    assert mean_logprob([[[np.float32(1e-8)]]])[0][0] == pytest.approx(0, abs=1e-7)

"""Prediction of pass@k for more draws than there are samples. A prediction is not an estimate: it assumes a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k.combinatorics import Floats, Ints
from at_k.errors import InputError
from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.beta_binomial import BetaBinomial, fit_beta_binomial
from at_k.uncertainty.checks import read_counts
from at_k.validation import K, check_flag, check_k, is_sequence

_FARTHEST = 10
"""k may be this many times n."""

_RESAMPLES = 100
"""Data sets of the bootstrap: the standard error is then off by 7 %."""


class Prediction(NamedTuple):
    """Hold what `predict_pass_at_k` predicts.

    Attributes:
        value: the anchored beta-binomial prediction: a number, or one per k.
        power_law: the prediction of the power law, in the same form.
        n: the number of samples from which it starts, the smallest n.
        pass_at_n: the estimate there.
        mean: the mean of both predictions.
        low: the lower limit of a model's interval: the mean less two standard errors of a bootstrap over problems.
        high: its upper limit. It is no confidence interval: what both models miss is not in it.
    """

    value: Floats
    power_law: Floats
    n: int
    pass_at_n: float
    mean: Floats
    low: Floats
    high: Floats


def predict_pass_at_k(n: ArrayLike, c: ArrayLike, /, *, k: K, force: bool = False) -> Prediction:
    """Predict pass@k of the data set for k > n, by two models and by their mean.

    On 397 puzzles, fitted on 100 samples each and asked for k = 1,000, the first was off by .017–.020 and the second by
    .032–.049. On 100 puzzles, fitted on 10 or 20 samples and asked for k = 100, the second was the better one. The mean
    of both was off by .013 and .022 on two data sets, less than either, and by .058 on a third, where they were off by
    .069 and .053. That the two agree is no proof: the truth lay between them in 10–53 % of the cases. The mean ± 2
    standard errors held it in 28 of 28 cases from 16 to 64 samples, and in 6 of 6 from 100 to 1,000.

    Args:
        n: samples of each problem. Where they differ, the prediction starts from the smallest n.
        c: correct samples among them.
        k: numbers of draws above n: one, or a list of them.
        force: predict for k > 10 n too.

    Returns:
        Both predictions and their mean in [0, 1], with the interval of the mean and the estimate of pass@n from which
        they start.

    Formula: pass@n + BB(k) − BB(n) with BB(k) = 1 − B(a, b + k)/B(a, b), the pass@k of a beta-binomial distribution
        that is fitted by maximum likelihood [1, 2]; and exp(−α k^β), fitted by least squares of log(−log pass@k)
        against log k, for k = 1, 2, 4, 8, … and n [3].

    Raises:
        TypeError: if `k`, `n` or `c` are not integers.
        ValueError: if some k ≤ n, some k > 10 n and `force` is not set, n = 1, no sample is correct, or c is not in
            0…n.

    References:
        1. J. Kazdan et al., Efficient Prediction of Pass@k Scaling in Large Language Models, 2025,
           https://arxiv.org/abs/2510.05197.
        2. R. Schaeffer et al., How Do Large Language Monkeys Get Their Power (Laws)?, 2025,
           https://arxiv.org/abs/2502.17578.
        3. B. Brown et al., Large Language Monkeys, 2024, https://arxiv.org/abs/2407.21787, section 3.1.

    Examples:
        >>> predicted = predict_pass_at_k([8] * 6, [0, 0, 1, 2, 4, 8], k=[16, 64])
        >>> round(predicted.pass_at_n, 3), predicted.value.round(3), predicted.power_law.round(3)
        (0.667, array([0.736, 0.839]), array([0.746, 0.865]))
        >>> predicted.mean.round(3)
        array([0.741, 0.852])
    """
    sizes, right = read_counts(n, c)
    draws = check_k(k)
    least = int(sizes.min())
    if min(draws) <= least:
        raise InputError(
            "predict.within",
            "A predicted k must be above n, here {n}; got k={k}. For this k use pass@k, which is exact.",
            k=min(draws),
            n=least,
        )
    if least == 1:
        raise InputError("predict.one_sample", "A prediction needs at least two samples of every problem.")
    if max(draws) > _FARTHEST * least and not check_flag("force", force):
        raise InputError(
            "predict.far",
            "A predicted k must be at most {most}, ten times n; got k={k}. Draw more samples: nothing supports a "
            "prediction that far.",
            k=max(draws),
            most=_FARTHEST * least,
        )
    if not right.any():
        raise InputError(
            "predict.none_correct",
            "No sample of any problem is correct, so that nothing says how pass@k grows. Draw more samples.",
        )
    at = np.asarray(draws)
    fitted = fit_beta_binomial(sizes, right)
    start = float(pass_at_k(sizes, right, k=least).mean())
    value, power = predict_by_both(sizes, right, fitted, least, at)
    random, resampled = np.random.default_rng(0), []
    for _ in range(_RESAMPLES):
        chosen = random.integers(0, len(sizes), len(sizes))
        if right[chosen].any():
            again = fit_beta_binomial(sizes[chosen], right[chosen], near=fitted)
            resampled.append(np.mean(predict_by_both(sizes[chosen], right[chosen], again, least, at), axis=0))
    mean, spread = (value + power) / 2, 2 * np.std(resampled, axis=0, ddof=1)
    found = [value, power, mean, np.maximum(mean - spread, 0.0), np.minimum(mean + spread, 1.0)]
    value, power, mean, low, high = found if is_sequence(k) else [each[0] for each in found]
    return Prediction(value, power, least, start, mean, low, high)


def predict_by_both(
    sizes: Ints, right: Ints, fitted: BetaBinomial, least: int, k: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the predictions of both models, which are not below the estimate of pass@n."""
    points = [*(2**i for i in range(least.bit_length()) if 2**i < least), least]
    curve = pass_at_k(sizes, right, k=points).mean(axis=0)
    value = np.clip(curve[-1] + fitted.fail(np.asarray(least)) - fitted.fail(k), curve[-1], 1.0)
    return value, np.clip(extend_power_law(np.asarray(points), curve, k), curve[-1], 1.0)


def extend_power_law(points: ArrayLike, curve: Floats, k: ArrayLike) -> Floats:
    """Return exp(−α k^β) for the line through log(−log pass@k)."""
    below = curve < 1
    if not below.all():  # all problems are solved with n draws, and so they are with more
        return np.ones(np.shape(k))
    slope, intercept = np.polyfit(np.log(points), np.log(-np.log(curve)), 1)
    return np.asarray(np.exp(-np.exp(intercept + slope * np.log(k))))

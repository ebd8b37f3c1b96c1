"""Predictions for further samples: pass@k for k > n, and whether a vote is settled already."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, Phrases
from at_k.estimators.counts import pass_at_k
from at_k.options.registry import TARGETS
from at_k.results.sheet import Cell, Sentences, Sheet, Table
from at_k.results.writers import Shown
from at_k.uncertainty.checks import check_fraction, read_counts
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import problem_set_error, standard_error
from at_k.uncertainty.variance import BetaBinomial, fit_beta_binomial
from at_k.validation import K, check_choice, check_flag, check_k, is_sequence

_say = Phrases(
    {
        "predict.models": "Predicted from pass@{n} = {value:.3f} by two models. These are no estimates. The interval "
        "of their mean is about {target}.",
        "predict.problem_set": "these problems, and not about others",
        "predict.population": "other problems like these",
        "predict.within": "A predicted k must be above n, here {n}; got k={k}. For this k use pass@k, which is exact.",
        "predict.one_sample": "A prediction needs at least two samples of every problem.",
        "predict.far": "A predicted k must be at most {most}, ten times n; got k={k}. Draw more samples: nothing "
        "supports a prediction that far.",
        "predict.none_correct": "No sample of any problem is correct, so that nothing says how pass@k grows. Draw "
        "more samples.",
    }
)

# k may be this many times n.
_FARTHEST = 10

# Data sets of the bootstrap: the standard error is then off by 7 %.
_RESAMPLES = 100

# The half width in standard errors of the bootstrap, and the least one: both models miss what the data do not show.
# Two standard errors alone held the truth in .77–.88 of real data sets.
_ERRORS, _LEAST = 3.0, 0.03

# The normal quantile by which the sampling error of the problems is multiplied.
_LEVEL_Z = 1.959964


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Shown):
    """Hold what `predict_pass_at_k` predicts. The numbers by k are arrays, or numbers where k is one number.

    Attributes:
        k: the numbers of draws that were asked for.
        value: the anchored beta-binomial prediction.
        power_law: the prediction of the power law.
        n: the number of samples from which it starts, the smallest n.
        pass_at_n: the estimate there.
        mean: the mean of both predictions.
        low: the lower limit of its interval.
        high: the upper limit.
        target: "problem_set" for an interval about these problems, "population" for one about others like these.
    """

    k: int | tuple[int, ...]
    value: Floats
    power_law: Floats
    n: int
    pass_at_n: float
    mean: Floats
    low: Floats
    high: Floats
    target: str = "problem_set"

    def describe(self) -> Message:
        """Say what the prediction starts from, and what its interval is about."""
        return _say(
            "predict.models", n=self.n, value=self.pass_at_n, target=_say(f"predict.{self.target}")
        )

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show both models and their mean with its interval."""
        names = ("mean", "low", "high", "value", "power_law")
        table = np.atleast_2d(np.transpose([getattr(self, name) for name in names]))
        keys = [f"pass@{k}_predicted" for k in np.atleast_1d(self.k).tolist()]
        rows = [
            (key, Cell(mean, (low, high), ".3f"), Cell(value, form=".3f"), Cell(power, form=".3f"))
            for key, (mean, low, high, value, power) in zip(keys, table.tolist(), strict=True)
        ]
        return Sheet(
            [
                Sentences([self.describe()], "legend"),
                Table(("", "mean", "beta-binomial", "power law"), rows),
            ],
            data=lambda: vars(self),
        )


def predict_pass_at_k(
    n: ArrayLike, c: ArrayLike, /, *, k: K, force: bool = False, target: str = "problem_set"
) -> Prediction:
    """Predict pass@k of the data set for k > n, by two models and by their mean.

    On 397 puzzles, fitted on 100 samples each and asked for k = 1,000, the first was off by .017–.020 and the second by
    .032–.049. On 100 puzzles, fitted on 10 or 20 samples and asked for k = 100, the second was the better one. The mean
    of both was off by .013 and .022 on two data sets, less than either, and by .058 on a third, where they were off by
    .069 and .053. That the two agree is no proof: the truth lay between them in 10–53 % of the cases.

    Args:
        n: samples of each problem. Where they differ, the prediction starts from the smallest n.
        c: correct samples among them.
        k: numbers of draws above n: one, or a list of them.
        force: predict for k > 10 n too.
        target: "problem_set", an interval about these problems; "population", about similar problems, not only these.

    Returns:
        Both predictions and their mean in [0, 1], with the interval of the mean and the estimate of pass@n from which
        they start.

    Formula: pass@n + BB(k) − BB(n) with BB(k) = 1 − B(a, b + k)/B(a, b), the pass@k of a beta-binomial distribution
        that is fitted by maximum likelihood [1, 2]; and exp(−α k^β), fitted by least squares of log(−log pass@k)
        against log k, for k = 1, 2, 4, 8, … and n [3]. The interval is the mean ± max(3 sd, .03), cut at 1 and at
        the lower limit of pass@1, with the standard deviation sd of a bootstrap over problems. For other problems, 1.96
        times the standard error of pass@n is added in squares.

    Raises:
        TypeError: if `k`, `n` or `c` are not integers.
        ValueError: if some k ≤ n, some k > 10 n and `force` is not set, n = 1, no sample is correct, or c is not in
            0…n; or if `target` is unknown.

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
    check_choice("target", target, TARGETS)
    sizes, right = read_counts(n, c)
    draws = check_k(k)
    least = int(sizes.min())
    if min(draws) <= least:
        raise _say.error("predict.within", k=min(draws), n=least)
    if least == 1:
        raise _say.error("predict.one_sample")
    if max(draws) > _FARTHEST * least and not check_flag("force", force):
        raise _say.error("predict.far", k=max(draws), most=_FARTHEST * least)
    if not right.any():
        raise _say.error("predict.none_correct")
    at = np.asarray(draws)
    fitted = fit_beta_binomial(sizes, right)
    start = float(pass_at_k(sizes, right, k=least).mean())
    value, power = predict_by_both(sizes, right, fitted, least, at)
    random = np.random.default_rng(0)
    resampled = []
    for _ in range(_RESAMPLES):
        chosen = random.integers(0, len(sizes), len(sizes))
        if right[chosen].any():
            again = fit_beta_binomial(sizes[chosen], right[chosen], near=fitted)
            resampled.append(
                np.mean(predict_by_both(sizes[chosen], right[chosen], again, least, at), axis=0)
            )
    mean = (value + power) / 2
    half = np.maximum(_ERRORS * np.std(resampled, axis=0, ddof=1), _LEAST)
    if target == "population":
        stderr, _ = standard_error(pass_at_k(sizes, right, k=least))
        half = np.hypot(half, _LEVEL_Z * np.nan_to_num(stderr, nan=1.0))
    floor = _find_floor(sizes, right, target)
    columns = [value, power, mean, np.maximum(mean - half, floor), np.minimum(mean + half, 1.0)]
    if is_sequence(k):
        value, power, mean, low, high = columns
    else:
        value, power, mean, low, high = [column[0] for column in columns]
    return Prediction(
        tuple(draws) if is_sequence(k) else draws[0],
        value,
        power,
        least,
        start,
        mean,
        low,
        high,
        target,
    )


def _find_floor(sizes: Ints, right: Ints, target: str) -> float:
    """Return the lower limit of pass@1, below which no pass@k lies. A cut at the estimate of pass@n covered .68."""
    shares = right / sizes
    error = standard_error(shares)
    if target == "problem_set":
        variances = shares * (1 - shares) / (sizes - 1)
        most = float((0.25 / (sizes - 1)).max())
        found = problem_set_error(shares, variances, sizes, k=1, largest=most)
        error = np.asarray(found.stderr), np.asarray(found.m)
    return float(interval(float(shares.mean()), *error)[0])


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


# Draws of the posterior: a chance of one problem has an error of .016 at most.
_DRAWS = 1_000

# The weight of each answer that was seen, and of all others together.
_WEIGHT = 0.5


class Limit(NamedTuple):
    """Hold a predicted limit, and its confidence interval for similar problems."""

    value: float
    low: float
    high: float


def predict_cons_at_infinity(votes: Sequence[tuple[Sequence[int], Sequence[bool]]], /) -> Limit:
    """Predict cons@∞: how often the right answer is the most frequent one of the model, not of the samples.

    It is a prediction by a model of the answers, and no estimate.

    Args:
        votes: for each problem, how often each answer was given, and whether it is correct.

    Returns:
        The mean over the problems, with its 95 % interval.

    Formula: the chance that a correct answer has the largest share, with shares from a Dirichlet posterior with ½ for
        each answer that was seen and for the unseen ones together, which are taken as wrong [1]. The interval is that
        of `at_k.interval`.

    References:
        1. J. Komiyama et al., Best-of-∞, 2025, https://arxiv.org/abs/2509.21091.

    Examples:
        >>> found = predict_cons_at_infinity([([6, 2], [True, False]), ([3, 3], [True, False])] * 9)
        >>> round(found.value, 1), found.low < found.value < found.high
        (0.7, True)
    """
    rng = np.random.default_rng(0)
    chances = np.zeros(len(votes))
    for place, (counts, correct) in enumerate(votes):
        weights = np.append(np.asarray(counts, dtype=np.float64), 0.0) + _WEIGHT
        leader = rng.standard_gamma(weights, (_DRAWS, len(weights))).argmax(axis=1)
        chances[place] = np.append(np.asarray(correct, dtype=bool), False)[leader].mean()
    value = float(chances.mean())
    low, high = interval(value, *standard_error(chances))
    return Limit(value, float(low), float(high))


def enough(votes: Sequence[Hashable], /, *, confidence: float = 0.95) -> bool:
    """Tell whether the majority of one problem is settled, so that no more samples are needed.

    It is valid at every look: whatever the shares of the answers, a vote stops at a wrong leader with a chance of at
    most 1 − `confidence`.

    Args:
        votes: the answers so far, strings or other hashable values. None casts no vote.
        confidence: how probable it must be that the leading answer is the most frequent one.

    Returns:
        Whether the leader is settled. Without a vote it is not.

    Formula: with v₁ and v₂ the votes for the two leading of m different answers, 1.5·m(m + 1)/E ≤ 1 − confidence with
        E = 2^(v₁ + v₂) ∫_½^1 2 p^v₁ (1 − p)^v₂ dp. If the leader is not the more frequent of the two, E is a
        supermartingale from 1.5 at most after its first vote, so that it ever reaches 1.5·m(m + 1)/α with a chance of
        α/(m(m + 1)) at most [1]; these add up to α over all rivals.

    Raises:
        TypeError: if `votes` is not a list of hashable answers of one type.
        ValueError: if `confidence` is not between 0 and 1.

    References:
        1. J. Ville, Étude critique de la notion de collectif, 1939; A. Ramdas et al., Game-theoretic statistics and
           safe anytime-valid inference, 2023, https://arxiv.org/abs/2210.01948.
        2. P. Aggarwal et al., Let's Sample Step by Step: Adaptive-Consistency for Efficient Reasoning and Coding with
           LLMs, 2023, https://arxiv.org/abs/2305.11860 (its rule is an average over shares, for one look).

    Examples:
        >>> enough(["7"] * 8), enough(["7"] * 9)
        (False, True)
        >>> enough(["7"] * 14 + ["9"]), enough(["7"] * 8 + ["9"] * 2)
        (True, False)
    """
    threshold = check_fraction("confidence", confidence)
    if isinstance(votes, (list, tuple)) and not votes:
        return False
    codes = columns.read_labels([votes], "votes").codes.values
    counts = np.sort(np.append(np.bincount(codes[codes >= 0]), [0, 0]))[::-1]
    settled = find_settled_probability(counts[0], counts[1], np.count_nonzero(counts))
    return bool(settled >= threshold)


def find_settled_probability(first: ArrayLike, second: ArrayLike, different: ArrayLike) -> Floats:
    """Return the confidence at which the leader is settled, from the votes of the two leading answers."""
    from scipy.special import betainc, betaln

    v, w, m = (np.asarray(counts) for counts in (first, second, different))
    evidence = np.log(2) * (1 + v + w) + betaln(v + 1, w + 1) + np.log(betainc(w + 1, v + 1, 0.5))
    chance = np.maximum(0.0, 1 - 1.5 * m * (m + 1) * np.exp(-evidence))
    return np.where(v > 0, chance, 0.0)

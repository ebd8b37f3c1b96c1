"""Rules about how much the samples of a problem, and the runs, differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from at_k.analysis.findings import Findings, Rule
from at_k.combinatorics import Ints
from at_k.errors import Message, Phrases
from at_k.uncertainty.standard_errors import standard_error

CHANCE = 0.001
"""Runs differ if samples without an order would differ as much with at most this probability. It is small, since the
test is made for every data set."""

_say = Phrases(
    {
        "diagnosis.stability": "Two samples of a problem differ in their verdict with probability {flip:.3f}. Two "
        "single runs of this model differ by up to {floor:.3f} in accuracy, in 95 % of pairs.",
        "diagnosis.runs": "If sample i of every problem is of run i, the accuracy of the {runs} runs lies between "
        "{least:.3f} and {most:.3f}, with a standard deviation of {sd:.4f}.",
        "diagnosis.runs_differ": "These runs differ more than samples of one model do: run {least} has "
        "{least_accuracy:.3f}, and run {most} has {most_accuracy:.3f} (Cochran's Q, p = {p_value:.1g}; the rule: below "
        "{limit}). Either the runs were not made alike, or the samples are sorted.",
        "diagnosis.clusters": "Clusters of problems: {count:,}. The share of correct samples varies {design:.2f} times "
        "as much as that of as many unrelated problems; its interval counts them as {units:.1f}.",
    }
)


def find_within_variance(n: Ints, c: Ints, times: ArrayLike = 1) -> float:
    """Return the mean variance of verdicts within a problem, p(1 − p)·n/(n − 1); NaN if each has one sample.

    Two samples of a problem differ twice as often.
    """
    several = n > 1
    if not several.any():
        return np.nan
    variances = (c * (n - c))[several] / (n * (n - 1.0))[several]
    return float(np.average(variances, weights=np.broadcast_to(times, n.shape)[several]))


def find_noise_floor(n: Ints, c: Ints, /, *, times: ArrayLike = 1) -> float:
    """Compute the difference in accuracy that two single runs of one model exceed in one of twenty pairs.

    Formula: 1.96·√(2 Σ n p(1 − p)/(n − 1))/M over the M problems, with p = c/n; NaN where every problem has one sample.

    Examples:
        >>> round(find_noise_floor(np.full(100, 4), np.full(100, 2)), 3)  # 1.96·√(2·100·⅓)/100
        0.16
    """
    from scipy.special import ndtri

    problems = np.broadcast_to(times, n.shape).sum()
    return float(ndtri(0.975) * np.sqrt(2 * find_within_variance(n, c, times) / problems))


def describe_stability(findings: Findings) -> Iterator[Message]:
    """Describe how much the samples of a problem differ, and whether the runs differ more than samples do."""
    within, runs = find_within_variance(findings.n, findings.c), np.zeros(0)
    if np.isnan(within):
        return
    # Without the samples, or after some were dropped, samples at the same place are not of the same run.
    if findings.verdicts is not None and findings.verdicts.kept is None and findings.verdicts.correct.width is not None:
        correct = findings.verdicts.correct
        runs = correct.values.reshape(len(correct), -1).mean(axis=0)
    spread = float(runs.std(ddof=1)) if len(runs) > 1 else None
    findings.figures["stability"] = figures = {
        "noise_floor": find_noise_floor(findings.n, findings.c),
        "within_variance": within,
        "flip_rate": 2 * within,
        "run_accuracy": runs.tolist(),
        "run_sd": spread,
    }
    if within:
        yield _say("diagnosis.stability", flip=2 * within, floor=figures["noise_floor"])
    if spread is None:
        return
    least, most = int(runs.argmin()), int(runs.argmax())
    yield _say("diagnosis.runs", runs=len(runs), least=float(runs[least]), most=float(runs[most]), sd=spread)
    p_value = figures["run_p"] = find_run_p(len(findings.n), len(runs), spread, within)
    if p_value is not None and p_value < CHANCE:
        yield _say(
            "diagnosis.runs_differ",
            least=least + 1, least_accuracy=float(runs[least]), most=most + 1, most_accuracy=float(runs[most]),
            p_value=p_value, limit=CHANCE,
        )  # fmt: skip


def find_run_p(problems: int, runs: int, sd: float, within: float) -> float | None:
    """Compute the p-value of Cochran's Q test: do runs on the same problems differ in their accuracy?

    Q = (runs − 1)·M·sd²/within is χ² with runs − 1 degrees of freedom for many problems (W. Cochran, The comparison of
    percentages in matched samples, Biometrika 37, 1950). None if no problem has two verdicts.

    Examples:
        >>> round(find_run_p(20, 2, 0.5 * 2**0.5, 0.5), 7)  # 20 problems: run 1 solves 15 alone, and run 2 the other 5
        7.7e-06
    """
    from scipy.stats import chi2

    return float(chi2.sf((runs - 1) * problems * sd**2 / within, runs - 1)) if within else None


def describe_clusters(findings: Findings) -> Iterator[Message]:
    """Say how much clusters widen the interval, where intervals are made with clusters."""
    clusters, shares = findings.report.clusters, findings.c / findings.n
    if clusters is None or len(set(clusters)) == 1:
        return
    (together, units), (alone, _) = standard_error(shares, clusters=clusters), standard_error(shares)
    if not alone > 0:
        return
    design = float(together / alone) ** 2
    findings.figures |= {"design_effect": design, "independent_problems": float(units)}
    yield _say("diagnosis.clusters", count=len(set(clusters)), design=design, units=float(units))


RULES: tuple[Rule, ...] = (describe_stability, describe_clusters)

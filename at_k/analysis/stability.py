"""Rules about how much the samples of a problem, and the runs, differ."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import numpy as np

from at_k.analysis.findings import Estimate, Findings, list_rows
from at_k.errors import Message
from at_k.uncertainty.clustering import measure_design_effect
from at_k.uncertainty.stability import measure_stability

CHANCE = 0.001
"""Runs differ if samples without an order would differ as much with at most this probability. It is small, since the
test is made for every data set."""


def describe_stability(findings: Findings) -> Iterator[Message]:
    """Describe how much the samples of a problem differ, and whether the runs differ more than samples do."""
    findings.figures["stability"] = None
    if not (findings.n > 1).any():
        return
    rows: object
    if findings.verdicts is not None:
        rows = list_rows(findings.verdicts.correct)
    else:
        rows = [[1] * c + [0] * (n - c) for n, c in zip(findings.report.n, findings.report.c, strict=True)]
    found = measure_stability(rows)
    # Without the samples, or after some were dropped, samples at the same place are not of the same run.
    runs = found.run_accuracy if findings.verdicts is not None and findings.verdicts.kept is None else np.zeros(0)
    findings.figures["stability"] = {
        "kappa": _list_number(found.kappa),
        "within_variance": found.within_variance,
        "flip_rate": found.flip_rate,
        "run_accuracy": runs.tolist(),
        "run_sd": _list_number(found.run_sd) if len(runs) else None,
    }
    if isfinite(found.kappa):
        yield Message(
            "diagnosis.stability",
            "Two samples of a problem differ in their verdict with probability {flip:.3f}. Fleiss' kappa, "
            "which is 1 if samples of a problem always agree and 0 if they agree by chance, is {kappa:.3f}.",
            flip=found.flip_rate,
            kappa=found.kappa,
        )
    if len(runs) < 2:
        return
    yield Message(
        "diagnosis.runs",
        "If sample i of every problem is of run i, the accuracy of the {runs} runs lies between {least:.3f} "
        "and {most:.3f}, with a standard deviation of {sd:.4f}.",
        runs=len(runs),
        least=float(runs.min()),
        most=float(runs.max()),
        sd=found.run_sd,
    )
    p_value = find_run_p(len(findings.n), len(runs), found.run_sd, found.within_variance)
    findings.figures["stability"]["run_p"] = p_value
    if p_value is not None and p_value < CHANCE:
        yield Message(
            "diagnosis.runs_differ",
            "These runs differ more than samples of one model do: run {least} has {least_accuracy:.3f}, and "
            "run {most} has {most_accuracy:.3f} (Cochran's Q, p = {p_value:.1g}; the rule: below {limit}). "
            "Either the runs were not made alike, or the samples are sorted.",
            least=int(runs.argmin()) + 1,
            least_accuracy=float(runs.min()),
            most=int(runs.argmax()) + 1,
            most_accuracy=float(runs.max()),
            p_value=p_value,
            limit=CHANCE,
        )


def find_run_p(problems: int, runs: int, sd: float, within: float) -> float | None:
    """Compute the p-value of Cochran's Q test: do runs on the same problems differ in their accuracy?

    Q = (runs − 1)·M·sd²/within is χ² with runs − 1 degrees of freedom for many problems (W. Cochran, The comparison of
    percentages in matched samples, Biometrika 37, 1950). None if no problem has two verdicts.

    Examples:
        >>> round(find_run_p(20, 2, 0.5 * 2**0.5, 0.5), 7)  # 20 problems: run 1 solves 15 alone, and run 2 the other 5
        7.7e-06
    """
    if not within:
        return None
    from scipy.stats import chi2

    return float(chi2.sf((runs - 1) * problems * sd**2 / within, runs - 1))


def _list_number(value: float) -> float | None:
    return value if isfinite(value) else None


def describe_clusters(findings: Findings) -> Iterator[Message]:
    """Say how much the problems of one cluster resemble each other, where intervals are made with clusters."""
    findings.figures["design_effect"] = findings.figures["intraclass_correlation"] = None
    clusters = findings.report.clusters
    if clusters is None:
        return
    found = measure_design_effect(findings.c / findings.n, clusters, confidence_level=findings.confidence_level)
    if found is None:
        return
    findings.figures["design_effect"] = Estimate(*found[:3])._asdict()
    findings.figures["intraclass_correlation"] = Estimate(*found[3:])._asdict()
    yield Message(
        "diagnosis.clusters",
        "Clusters of problems: {count:,}. In the share of correct samples their design effect is {value:.2f} "
        "[{low:.2f}, {high:.2f}], and the intraclass correlation {icc:.2f} [{icc_low:.2f}, {icc_high:.2f}].",
        count=len(set(clusters)),
        **found._asdict(),
    )

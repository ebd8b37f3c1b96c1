"""Rules about how well confidences agree with what is correct."""

from __future__ import annotations

from typing import Any

import numpy as np

from at_k.analysis.findings import FAR, Findings, exceeds, list_bar, write_difference
from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.uncertainty import measure_calibration
from at_k.uncertainty.calibration import Calibration

_DRAWS = 200
"""The calibrated votes that are drawn to see how large their calibration error is by chance."""


def describe_calibration(findings: Findings) -> None:
    """Describe how well the share of a vote, or scores in [0, 1], agree with what is correct."""
    findings.figures["calibration"] = {
        name: {binning: _list_calibration(each) for binning, each in both.items()}
        for name, both in findings.calibrations.items()
    }
    if findings.vote_shares is not None:
        said, right = findings.vote_shares
        chance = _find_chance_error(said)
        findings.figures["calibration"]["vote"]["ece_if_calibrated"] = chance
        findings.say(
            Message(
                "diagnosis.vote_confidence",
                "The share of a vote as a confidence: the leading answer has {said:.3f} of the samples on average, "
                "and is correct in {right:.3f} of the problems. {verdict} The expected calibration error is "
                "{width:.3f} in bins of equal width ({chance:.3f} on average for a calibrated vote on so many "
                "problems) and {mass:.3f} in bins of equal mass; the Brier score is {brier:.3f} (reliability "
                "{reliability:.3f}, resolution {resolution:.3f}, uncertainty {uncertainty:.3f}).",
                said=float(said.mean()), right=float(right.mean()), chance=chance,
                verdict=_judge_confidence(findings, "vote", said, right), **_list_scores(findings, "vote"),
            )
        )  # fmt: skip
    if findings.confidences is not None and findings.verdicts is not None:
        said, right = findings.confidences
        put, n = findings.verdicts.correct.with_values, findings.verdicts.n
        verdict = _judge_confidence(findings, "score", put(said).sums() / n, put(right).sums() / n)
        findings.say(
            Message(
                "diagnosis.score_confidence",
                "The scores lie in [0, 1], and may be confidences: they are {said:.3f} on average, and {right:.3f} "
                "of the samples are correct. {verdict} The expected calibration error is {width:.3f} in bins of "
                "equal width and {mass:.3f} in bins of equal mass; the Brier score is {brier:.3f} (reliability "
                "{reliability:.3f}, resolution {resolution:.3f}, uncertainty {uncertainty:.3f}).",
                said=float(said.mean()), right=float(right.mean()), verdict=verdict, **_list_scores(findings, "score"),
            )
        )  # fmt: skip


def _list_scores(findings: Findings, name: str) -> dict[str, float]:
    """List the scores of a calibration that its sentence gives."""
    width, mass = findings.calibrations[name]["width"], findings.calibrations[name]["mass"]
    return {
        "width": width.ece,
        "mass": mass.ece,
        "brier": width.brier,
        "reliability": width.reliability,
        "resolution": width.resolution,
        "uncertainty": width.uncertainty,
    }


def _judge_confidence(findings: Findings, name: str, said: Floats, right: Floats) -> Message:
    """Say whether confidences are too high or too low on average, given one pair of numbers per problem."""
    gap, low, high = findings.compare(said, right)
    findings.figures["calibration"][name]["overconfidence"] = list_bar(gap, low, high)
    if exceeds(abs(gap), FAR) and not low <= 0 <= high:
        if gap > 0:
            return Message(
                "diagnosis.overconfident", "It promises too much, by {gap} (the rule: more than {limit}).",
                gap=write_difference(gap, low, high), limit=FAR,
            )  # fmt: skip
        return Message(
            "diagnosis.underconfident", "It promises too little: the difference is {gap} (the rule: less than "
            "−{limit}).",
            gap=write_difference(gap, low, high), limit=FAR,
        )  # fmt: skip
    return Message(
        "diagnosis.no_bias", "A bias of more than {limit} is not shown: the difference is {gap}.",
        gap=write_difference(gap, low, high), limit=FAR,
    )  # fmt: skip


def _find_chance_error(said: Floats) -> float:
    """Compute the mean expected calibration error of answers that are correct exactly as often as they promise."""
    random = np.random.default_rng(0)
    draws = (measure_calibration(said, random.random(len(said)) < said).ece for _ in range(_DRAWS))
    return float(np.mean(list(draws)))


def _list_calibration(found: Calibration) -> dict[str, Any]:
    """List a calibration as `json.dumps` takes it."""
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(found).items()}

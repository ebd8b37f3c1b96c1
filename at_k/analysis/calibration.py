"""Rules about how well confidences agree with what is correct."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.findings import FAR, Findings
from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.samples import Answers
from at_k.uncertainty.calibration import Calibration, measure_calibration

_SPLITS = 16
"""The random halves over which a vote is averaged; more would hardly narrow the interval."""

_DRAWS = 200
"""The calibrated votes that are drawn to see how large their calibration error is by chance."""


def describe_calibration(findings: Findings) -> Iterator[Message]:
    """Describe how well the share of a vote, or scores in [0, 1], agree with what is correct."""
    findings.figures["calibration"] = {
        name: {binning: list_calibration(each) for binning, each in both.items()}
        for name, both in findings.calibrations.items()
    }
    votes, verdicts = findings.votes, findings.verdicts
    if votes is not None and verdicts is not None and findings.vote_shares is not None and (findings.n > 1).all():
        said, right = split_votes(votes, verdicts.correct.values)
        chance = find_chance_error(findings.vote_shares[0])
        findings.figures["calibration"]["vote"]["ece_if_calibrated"] = chance
        yield Message(
                "diagnosis.vote_confidence",
                "The share of a vote as a confidence: the answer that leads in half of the samples has {said:.3f} of "
                "the other half on average, and is correct in {right:.3f} of the problems. {verdict} Of all samples, "
                "the share of the leading answer has the expected calibration error {width:.3f} in bins of equal width "
                "({chance:.3f} on average if every share were the chance to be correct) and {mass:.3f} in bins of "
                "equal mass; the Brier score is {brier:.3f} (reliability {reliability:.3f}, resolution "
                "{resolution:.3f}, uncertainty {uncertainty:.3f}).",
                said=float(said.mean()), right=float(right.mean()), chance=chance,
                verdict=judge_confidence(findings, "vote", said, right), **list_scores(findings, "vote"),
            )  # fmt: skip
    if findings.confidences is not None and verdicts is not None:
        said, right = findings.confidences
        put, n = verdicts.correct.with_values, verdicts.n
        verdict = judge_confidence(findings, "score", put(said).sums() / n, put(right).sums() / n)
        yield Message(
                "diagnosis.score_confidence",
                "The scores lie in [0, 1], and may be confidences: they are {said:.3f} on average, and {right:.3f} "
                "of the samples are correct. {verdict} The expected calibration error is {width:.3f} in bins of "
                "equal width and {mass:.3f} in bins of equal mass; the Brier score is {brier:.3f} (reliability "
                "{reliability:.3f}, resolution {resolution:.3f}, uncertainty {uncertainty:.3f}).",
                said=float(said.mean()), right=float(right.mean()), verdict=verdict, **list_scores(findings, "score"),
            )  # fmt: skip


def list_scores(findings: Findings, name: str) -> dict[str, float]:
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


def judge_confidence(findings: Findings, name: str, said: Floats, right: Floats) -> Message:
    """Say whether confidences are too high or too low on average, given one pair of numbers per problem."""
    gap = findings.compare(said, right)
    findings.figures["calibration"][name]["overconfidence"] = gap._asdict()
    if gap.is_far:
        if gap.value > 0:
            return Message(
                "diagnosis.overconfident", "It promises too much, by {gap} (the rule: more than {limit}).",
                gap=gap.signed, limit=FAR,
            )  # fmt: skip
        return Message(
            "diagnosis.underconfident", "It promises too little: the difference is {gap} (the rule: less than "
            "−{limit}).",
            gap=gap.signed, limit=FAR,
        )  # fmt: skip
    return Message(
        "diagnosis.no_bias", "A bias of more than {limit} is not shown: the difference is {gap}.",
        gap=gap.signed, limit=FAR,
    )  # fmt: skip


def split_votes(votes: Answers, correct: NDArray[Any]) -> tuple[Floats, Floats]:
    """Compute how large a share the leading answer of half of the samples has in the other half, and if it is correct.

    Which answer leads depends on luck, which its share in the same samples repeats: where all of four samples differ,
    the leader has a quarter of them. Its share in other samples is that of the model on average.

    Args:
        votes: the answers of problems with two samples or more.
        correct: whether each sample is correct.

    Returns:
        The mean share and the mean correctness of the leaders, one of each per problem, over random halves of its
        samples. Leaders that tie count in part, and both are 0 in a half without an answer.
    """
    codes, total = votes.codes, len(votes.codes)
    problem, n, cast = codes.problem, codes.n, codes.values >= 0
    width = len(votes.distinct) + 1
    # The code of no answer, −1, becomes the last one.
    pairs, which = np.unique(problem * width + codes.values % width, return_inverse=True)
    of = pairs // width
    is_right = np.bincount(which, weights=correct) > np.bincount(which) / 2
    place = np.arange(len(problem)) - (np.cumsum(n) - n)[problem]
    random = np.random.default_rng(0)
    said, right = np.zeros(total), np.zeros(total)
    for _ in range(_SPLITS):
        first = np.empty(len(problem), dtype=bool)
        first[np.lexsort((random.random(len(problem)), problem))] = place < n[problem] // 2
        for half in (first, ~first):
            count = np.bincount(which[half & cast], minlength=len(pairs))
            most = np.zeros(total, dtype=np.int64)
            np.maximum.at(most, of, count)
            leads = (count > 0) & (count == most[of])
            leaders = np.maximum(np.bincount(of[leads], minlength=total), 1)
            others = np.bincount(which[~half], minlength=len(pairs))[leads]
            size = np.bincount(problem[~half], minlength=total)
            said += np.bincount(of[leads], weights=others, minlength=total) / leaders / size
            right += np.bincount(of[leads & is_right], minlength=total) / leaders
    return said / (2 * _SPLITS), right / (2 * _SPLITS)


def find_chance_error(said: Floats) -> float:
    """Compute the mean expected calibration error of answers that are correct exactly as often as they promise."""
    random, edges = np.random.default_rng(0), measure_calibration(said, said).edges
    place = np.searchsorted(edges[1:-1], said)  # the bins depend on what is promised alone
    gaps = (np.bincount(place, (random.random(len(said)) < said) - said) for _ in range(_DRAWS))
    return float(np.mean([np.abs(each).sum() for each in gaps])) / len(said)


def list_calibration(found: Calibration) -> dict[str, Any]:
    """List a calibration as `json.dumps` takes it."""
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(found).items()}

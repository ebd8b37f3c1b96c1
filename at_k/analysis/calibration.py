"""Rules about how well confidences agree with what is correct: does a confidence of .8 mean that 80 % are?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.findings import FAR, Findings, Rule
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, Phrases
from at_k.estimators.consensus import VoteCounts
from at_k.samples import Answers

_SPLITS = 16
"""The random halves over which a vote is averaged; more would hardly narrow the interval."""

_DRAWS = 200
"""The calibrated votes that are drawn to see how large their calibration error is by chance."""

_say = Phrases(
    {
        "diagnosis.vote_confidence": "The share of a vote as a confidence: the answer that leads in half of the "
        "samples has {said:.3f} of the other half on average, and is correct in {right:.3f} of the problems. {verdict} "
        "Of all samples, the share of the leading answer has the expected calibration error {ece:.3f} ({chance:.3f} on "
        "average if every share were the chance to be correct); the Brier score is {brier:.3f}.",
        "diagnosis.score_confidence": "The scores lie in [0, 1], and may be confidences: they are {said:.3f} on "
        "average, and {right:.3f} of the samples are correct. {verdict} The expected calibration error is {ece:.3f}; "
        "the Brier score is {brier:.3f}.",
        "diagnosis.overconfident": "It promises too much, by {gap} (the rule: more than {limit}).",
        "diagnosis.underconfident": "It promises too little: the difference is {gap} (the rule: less than −{limit}).",
        "diagnosis.no_bias": "A bias of more than {limit} is not shown: the difference is {gap}.",
    }
)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Hold how well confidences agree with what was correct.

    Attributes:
        ece: the expected calibration error, 0 is best.
        brier: the Brier score, 0 is best.
        confidence: the mean confidence of each bin that is not empty, a point of the reliability curve.
        accuracy: the share of correct ones in each of these bins.
        count: how many each of these bins holds.
    """

    ece: float
    brier: float
    confidence: Floats
    accuracy: Floats
    count: Ints


def measure_calibration(confidence: Floats, correct: Floats, /, *, bins: int = 10) -> Calibration:
    """Compute the expected calibration error, the Brier score, and the reliability curve.

    Formula: ECE = Σ_b (n_b/N)·|accuracy_b − confidence_b| [1]; Brier = mean (f − y)². No bin is skipped.

    References:
        1. C. Guo et al., On Calibration of Modern Neural Networks, 2017, https://arxiv.org/abs/1706.04599.

    Examples:
        >>> found = measure_calibration(np.array([0.25, 0.25, 0.75, 0.75]), np.array([0, 1, 1, 1]))
        >>> found.ece, found.confidence, found.accuracy
        (0.25, array([0.25, 0.75]), array([0.5, 1. ]))
    """
    index = find_bins(confidence, bins)
    count = np.bincount(index)
    held = np.flatnonzero(count)
    count = count[held]
    promised, right = (np.bincount(index, weights=each)[held] / count for each in (confidence, correct))
    # A chance y to be correct has the expected square (f − 1)²·y + f²·(1 − y).
    brier = float(np.mean(confidence**2 - 2 * confidence * correct + correct))
    return Calibration(float(count / len(confidence) @ np.abs(promised - right)), brier, promised, right, count)


def find_bins(confidence: Floats, bins: int = 10) -> NDArray[np.intp]:
    """Return the bin of each confidence."""
    return np.searchsorted((np.arange(bins + 1) / bins)[1:-1], confidence, side="left")


def list_confidences(findings: Findings) -> dict[str, tuple[Floats, Floats]]:
    """List the share of each problem's leading answer and the score of each sample, with what is correct."""
    found = {} if findings.counts is None else {"vote": measure_vote_shares(findings.counts)}
    if findings.problems is None or findings.verdicts is None or findings.problems.scores is None:
        return found
    scores, kept = findings.problems.scores.values, findings.verdicts.kept
    if scores.ndim > 1 or findings.report.options.get("higher_is_better") is False:
        return found
    scores = scores if kept is None else scores[kept]
    if ((scores >= 0) & (scores <= 1)).all():
        found["score"] = scores, findings.verdicts.correct.values.astype(np.float64)
    return found


def measure_vote_shares(counts: VoteCounts) -> tuple[Floats, Floats]:
    """Compute the share of each problem's leading answer, and whether it is correct; of tied ones, the mean of both."""
    total = len(counts.n)
    most = np.zeros(total, dtype=np.int64)
    np.maximum.at(most, counts.problem, counts.count)
    leads = counts.count == most[counts.problem]
    leaders = np.bincount(counts.problem[leads], minlength=total)
    right = np.bincount(counts.problem[leads & counts.correct], minlength=total)
    return most / counts.n, right / np.maximum(leaders, 1)


def describe_calibration(findings: Findings) -> Iterator[Message]:
    """Describe how well the share of a vote, or scores in [0, 1], agree with what is correct."""
    pairs = list_confidences(findings)
    found = {name: measure_calibration(*pair) for name, pair in pairs.items()}
    findings.figures["calibration"] = figures = {
        name: {part: value.tolist() if isinstance(value, np.ndarray) else value for part, value in vars(own).items()}
        for name, own in found.items()
    }
    votes, verdicts = findings.votes, findings.verdicts
    if verdicts is None:
        return
    if "vote" in pairs and votes is not None and (findings.n > 1).all():
        said, right = split_votes(votes, verdicts.correct.values)
        chance = figures["vote"]["ece_if_calibrated"] = find_chance_error(pairs["vote"][0])
        yield _say(
            "diagnosis.vote_confidence",
            said=float(said.mean()), right=float(right.mean()), chance=chance,
            verdict=judge_confidence(findings, "vote", said, right), ece=found["vote"].ece, brier=found["vote"].brier,
        )  # fmt: skip
    if "score" in pairs:
        said, right = pairs["score"]
        put, n = verdicts.correct.with_values, verdicts.n
        verdict = judge_confidence(findings, "score", put(said).sums() / n, put(right).sums() / n)
        yield _say(
            "diagnosis.score_confidence",
            said=float(said.mean()), right=float(right.mean()), verdict=verdict,
            ece=found["score"].ece, brier=found["score"].brier,
        )  # fmt: skip


def judge_confidence(findings: Findings, name: str, said: Floats, right: Floats) -> Message:
    """Say whether confidences are too high or too low on average, given one pair of numbers per problem."""
    gap = findings.compare(said, right)
    findings.figures["calibration"][name]["overconfidence"] = gap._asdict()
    rule = "no_bias" if not gap.is_far else "overconfident" if gap.value > 0 else "underconfident"
    return _say(f"diagnosis.{rule}", gap=gap.signed, limit=FAR)


def split_votes(votes: Answers, correct: NDArray[Any]) -> tuple[Floats, Floats]:
    """Compute how large a share the leading answer of half of the samples has in the other half, and if it is correct.

    Which answer leads depends on luck, which its share in the same samples repeats: where all of four samples differ,
    the leader has a quarter of them. Its share in other samples is that of the model on average.
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
    random, place = np.random.default_rng(0), find_bins(said)  # the bins depend on what is promised alone
    gaps = (np.bincount(place, (random.random(len(said)) < said) - said) for _ in range(_DRAWS))
    return float(np.mean([np.abs(each).sum() for each in gaps])) / len(said)


RULES: tuple[Rule, ...] = (describe_calibration,)

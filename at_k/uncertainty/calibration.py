"""Calibration: does a confidence of .8 mean that 80 % are correct?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.estimators.consensus import count_votes, read_votes
from at_k.uncertainty.checks import check_size, read_column
from at_k.validation import check_choice

BINNINGS = ("width", "mass")


@dataclass(frozen=True, eq=False)
class Calibration:
    """Hold how well confidences agree with what was correct.

    Attributes:
        ece: the expected calibration error, 0 is best.
        brier: the Brier score, 0 is best: `reliability` − `resolution` + `uncertainty` + `within`.
        reliability: how far the bins are from their accuracy, 0 is best.
        resolution: how far the accuracies of the bins are from the mean accuracy, higher is better.
        uncertainty: the variance of being correct, which no confidence changes.
        within: what the bins hide, 0 if all confidences of a bin are equal.
        confidence: the mean confidence of each bin that is not empty, a point of the reliability curve.
        accuracy: the share of correct ones in each of these bins.
        count: how many each of these bins holds.
        edges: the edges of all bins.
    """

    ece: float
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    confidence: Floats
    accuracy: Floats
    count: Ints
    edges: Floats


def measure_calibration(
    confidence: ArrayLike, correct: ArrayLike, /, *, bins: int = 10, binning: str = "width"
) -> Calibration:
    """Compute the expected calibration error, the Brier score with its parts, and the reliability curve.

    Args:
        confidence: how sure the model was of each answer, in [0, 1]: the share of a vote, or a column of its own.
        correct: whether each answer is correct, 0 or 1. A number between is the chance that it is, as of a tied vote.
        bins: how many bins there are at most.
        binning: "width", bins of equal width, each of which holds its upper edge, and the first one 0 too; "mass", bins
            that hold as many answers each, as far as equal confidences allow, which stay together.

    Returns:
        The scores, and one point for each bin that is not empty. No bin is skipped.

    Formula: ECE = Σ_b (n_b/N)·|accuracy_b − confidence_b| [1]; Brier = mean (f − y)², where reliability is
        Σ_b (n_b/N)(confidence_b − accuracy_b)², resolution Σ_b (n_b/N)(accuracy_b − accuracy)² and uncertainty
        accuracy·(1 − accuracy) [2]. `within` is the variance of the confidences within bins, less twice their
        covariance with being correct [3].

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is not in [0, 1], or the two differ in length.

    References:
        1. C. Guo et al., On Calibration of Modern Neural Networks, 2017, https://arxiv.org/abs/1706.04599.
        2. A. Murphy, A New Vector Partition of the Probability Score, 1973.
        3. D. Stephenson et al., Two Extra Components in the Brier Score Decomposition, 2008,
           https://doi.org/10.1175/2007WAF2006116.1.

    Examples:
        >>> found = measure_calibration([1.0] * 150, [0] * 150)  # sure, and always wrong
        >>> found.ece, found.brier
        (1.0, 1.0)
        >>> found = measure_calibration([0.25, 0.25, 0.75, 0.75], [0, 1, 1, 1])
        >>> found.ece, found.confidence, found.accuracy
        (0.25, array([0.25, 0.75]), array([0.5, 1. ]))
    """
    said, right = read_column("confidence", confidence), read_column("correct", correct)
    columns.require_same_problems("confidence", len(said), "correct", len(right))
    most = check_size("bins", bins)
    check_choice("binning", binning, BINNINGS)
    if binning == "width":
        edges = np.arange(most + 1) / most
    else:
        # The edges are confidences that occur, so that equal ones never fall into two bins.
        ranks = np.sort(said)[np.ceil(np.arange(1, most) * len(said) / most).astype(np.int64).clip(1) - 1]
        edges = np.unique(np.concatenate([[0.0], ranks, [1.0]]))
    index = np.searchsorted(edges[1:-1], said, side="left")
    count = np.bincount(index, minlength=len(edges) - 1)
    held = np.flatnonzero(count)
    count = count[held]
    mean_said = np.bincount(index, weights=said)[held] / count
    mean_right = np.bincount(index, weights=right)[held] / count
    share, overall = count / len(said), float(right.mean())
    # A chance y to be correct has the expected square (f − 1)²·y + f²·(1 − y).
    brier = float(np.mean(said**2 - 2 * said * right + right))
    reliability = float(share @ (mean_said - mean_right) ** 2)
    resolution = float(share @ (mean_right - overall) ** 2)
    uncertainty = overall * (1 - overall)
    return Calibration(
        ece=float(share @ np.abs(mean_said - mean_right)),
        brier=brier,
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within=brier - reliability + resolution - uncertainty,
        confidence=mean_said,
        accuracy=mean_right,
        count=count,
        edges=edges,
    )


def measure_vote_shares(votes: object, correct: object, /, *, on_conflict: str = "error") -> tuple[Floats, Floats]:
    """Compute the share of each problem's winning answer, and whether it is correct: what a vote is confident of.

    Args:
        votes: as of `at_k.cons_at_k`.
        correct: as of `at_k.cons_at_k`.
        on_conflict: as of `at_k.cons_at_k`.

    Returns:
        The votes for the leading answer divided by n, and the share of correct ones among the leading answers, 0 or 1
        without a tie; one of each per problem. Both are 0 where nobody votes.

    Raises:
        TypeError: if a row is not a list.
        ValueError: if rows differ in length, or equal answers differ in correctness.

    Examples:
        >>> measure_vote_shares([["7", "7", "9", None], ["1", "2"]], [[1, 1, 0, 0], [0, 1]])
        (array([0.5, 0.5]), array([1. , 0.5]))
    """
    ballots, flags = read_votes(votes, correct)
    counts = count_votes(ballots, flags, on_conflict, "correct")
    most = np.zeros(len(ballots), dtype=np.int64)
    np.maximum.at(most, counts.problem, counts.count)
    leads = counts.count == most[counts.problem]
    leaders = np.bincount(counts.problem[leads], minlength=len(ballots))
    good = np.bincount(counts.problem[leads & counts.correct], minlength=len(ballots))
    return most / counts.n, good / np.maximum(leaders, 1)

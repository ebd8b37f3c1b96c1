"""Noise of the gradient of pass@8 from 16 samples of a prompt, exactly: `python -m benchmarks.gradients`.

The policy is right with probability p, and its parameter is the logit of p. A sample's ∇ log π is then 1 − p if it is
right, and −p if it is wrong, so that every mean and variance is a sum over the number c of right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

import at_k

K, N = 8, 16
CHANCES = (0.02, 0.1, 0.3, 0.6)

Weigh = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def subtract_mean_of_others(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute s^loo of PKPO: each weight minus the mean weight of the others among themselves, k/(n − 1) · U₋ᵢ."""
    n = rewards.shape[1]
    weights = at_k.credit("pass@k", rewards, k=K, baseline=None)
    value = at_k.pass_at_k(n, rewards.sum(axis=1).astype(int), k=K)[:, None]
    without = (value - weights) / (1 - K / n)
    return np.asarray(weights - K / (n - 1) * without)


def credit_the_best(rewards: NDArray[np.float64], *, divide: bool) -> NDArray[np.float64]:
    """Compute verl's `grpo_passk`: the best sample gets its lead over the second, all others nothing."""
    advantages = np.zeros_like(rewards)
    rising = np.sort(rewards, axis=1)
    lead = rising[:, -1] - rising[:, -2]
    if divide:
        lead = lead / (rewards.std(axis=1, ddof=1) + 1e-6)
    advantages[np.arange(len(rewards)), rewards.argmax(axis=1)] = lead
    return advantages


ESTIMATORS: dict[str, tuple[int, Weigh]] = {
    "no baseline; PKPO, theorem 2": (
        N,
        lambda rewards: at_k.credit("pass@k", rewards, k=K, baseline=None),
    ),
    "PKPO, s^loo": (N, subtract_mean_of_others),
    '"subset"; PKPO, s^(loo − 1)': (
        N,
        lambda rewards: at_k.credit("pass@k", rewards, k=K, baseline="subset"),
    ),
    '"leave_one_out"': (N, lambda rewards: at_k.credit("pass@k", rewards, k=K)),
    "verl, grpo_passk, two groups of 8": (
        K,
        lambda rewards: credit_the_best(rewards, divide=False),
    ),
    "the same, divided by the std": (K, lambda rewards: credit_the_best(rewards, divide=True)),
}
"""Estimator → the samples in a group, and the weight of each sample."""


def measure(n: int, weigh: Weigh, p: float) -> tuple[float, float]:
    """Return the mean of the estimated gradient and its standard deviation with N samples, over the true gradient."""
    rewards = (np.arange(n) < np.arange(n + 1)[:, None]).astype(float)
    gradient = (weigh(rewards) * (rewards - p)).sum(axis=1)
    chance = np.array([comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)])
    mean = float(chance @ gradient)
    variance = float(chance @ (gradient - mean) ** 2) * n / N
    truth = K * (1 - p) ** K * p
    return mean / truth, sqrt(variance) / truth


def write_table() -> str:
    """Write what every estimator gives for each p."""
    lines = [
        "| estimator | " + " | ".join(f"p = {p}" for p in CHANCES) + " |",
        "|---" + "|---:" * len(CHANCES) + "|",
    ]
    for name, (n, weigh) in ESTIMATORS.items():
        found = [measure(n, weigh, p) for p in CHANCES]
        lines.append(
            f"| {name} | " + " | ".join(f"{mean:.2f} ± {noise:.2f}" for mean, noise in found) + " |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(write_table())

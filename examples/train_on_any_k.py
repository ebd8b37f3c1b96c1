"""Train one toy policy for each of four metrics, and measure every policy by all four: each metric wants another one.

The policy chooses how to answer, among four styles that a model may have; it cannot tell the problems apart. The
gradient is `at_k.credit` for every metric. `python examples/train_on_any_k.py [figure.png]` takes ten seconds.
"""

from __future__ import annotations

import sys

import numpy as np

import at_k

STYLES = {
    "cautious": (0.52, 1.0, 1),
    "confident": (0.72, 0.75, 1),
    "torn": (1.0, 0.45, 1),
    "scattered": (1.0, 0.35, 1000),
}
"""Style → the share of problems that it can solve, the chance of a right answer on those, and among how many wrong
answers it otherwise chooses: the torn one has a single wrong answer, the scattered one hardly repeats any."""

METRICS = ("avg@n", "pass@8", "cons@8", "G-Pass@8_0.75")
SOLVES, RIGHT, WRONG = map(np.array, zip(*STYLES.values(), strict=True))


def sample(policy, problems, n, rng):
    """Draw n answers to each of some new problems: the style of each, and the answer, of which 0 is right."""
    style = rng.choice(len(STYLES), (problems, n), p=policy)
    solvable = rng.random((problems, len(STYLES))) < SOLVES
    right = rng.random((problems, n)) < RIGHT[style] * np.take_along_axis(solvable, style, axis=1)
    # Styles have wrong answers of their own.
    wrong = 1 + 1000 * style + rng.integers(0, WRONG[style])
    return style, np.where(right, 0, wrong)


def measure(policy, problems, rng):
    """Estimate all metrics of a policy from 32 answers to each of many problems."""
    _, answers = sample(policy, problems, 32, rng)
    n, c = 32, (answers == 0).sum(axis=1)
    values = {
        "avg@n": c / n,
        "pass@8": at_k.pass_at_k(n, c, k=8),
        "cons@8": at_k.cons_at_k(answers, answers == 0, k=8),
        "G-Pass@8_0.75": at_k.g_pass_at_k(n, c, k=8, thresholds=0.75),
    }
    return [float(value.mean()) for value in values.values()]


def train(metric, steps, rng, problems=64, n=16, rate=2.0, points=20):
    """Ascend the gradient of one metric, and return the policy and what it was worth along the way."""
    logits, trace = np.zeros(len(STYLES)), []
    for step in range(steps + 1):
        policy = np.exp(logits) / np.exp(logits).sum()
        if step % max(1, steps // points) == 0:
            trace.append((step, *measure(policy, 400, rng)))
        style, answers = sample(policy, problems, n, rng)
        weights = at_k.credit(metric, (answers == 0).astype(float), answers=answers)
        scores = np.eye(len(STYLES))[style] - policy  # ∇ log π of each sample
        logits += rate * np.einsum("ps,psa->a", weights, scores) / problems
    return policy, np.array(trace)


def draw(traces, path):
    """Draw the course of every metric under every training."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 2.8), layout="constrained")
    for column, (axes, metric) in enumerate(
        zip(figure.subplots(1, 4), METRICS, strict=True), start=1
    ):
        for trained, trace in traces.items():
            axes.plot(
                trace[:, 0],
                trace[:, column],
                lw=2.5 if trained == metric else 1,
                label=f"trained for {trained}",
            )
        axes.set(title=metric, xlabel="step", ylim=(0, 1))
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False
    )
    figure.savefig(path, dpi=100)


def main(steps=300, problems=20_000, figure=None):
    """Train, print the table, and draw the figure if it has a place to go."""
    rng, traces = np.random.default_rng(0), {}
    print(
        "| trained for | "
        + " | ".join(METRICS)
        + " | style |\n|---"
        + "|---:" * len(METRICS)
        + "|---|"
    )
    for metric in METRICS:
        policy, traces[metric] = train(metric, steps, rng)
        cells = [f"{value:.3f}" for value in measure(policy, problems, rng)]
        cells[METRICS.index(metric)] = f"**{cells[METRICS.index(metric)]}**"
        styles = ", ".join(
            f"{share:.0%} {name}"
            for name, share in zip(STYLES, policy, strict=True)
            if share >= 0.05
        )
        print(f"| {metric} | {' | '.join(cells)} | {styles} |")
    if figure:
        draw(traces, figure)


if __name__ == "__main__":
    main(figure=sys.argv[1] if len(sys.argv) > 1 else None)

"""Models to compare, and pilots to plan from."""

import numpy as np

RNG = np.random.default_rng(9)
QUESTIONS = [f"q{i}" for i in range(40)]
A = {"pass@1": dict(zip(QUESTIONS, RNG.integers(0, 5, 40) / 4, strict=True))}
B = {"pass@1": dict(zip(QUESTIONS, RNG.integers(0, 4, 40) / 4, strict=True))}


def make(values, key="pass@1"):
    """Values of problems p0, p1, …"""
    return {key: {f"p{i}": value for i, value in enumerate(values)}}


def count(*counts, n=4):
    """Make a data set of problems q0, q1, … with these numbers of n samples correct."""
    return {
        "problem": [f"q{i}" for i in range(len(counts))],
        "grades": [[1] * c + [0] * (n - c) for c in counts],
    }


def codes(found):
    return [note.code for note in found.notes]


def draw(seed, problems, samples, a=0.6, b=0.4):
    rng = np.random.default_rng(seed)
    return np.full(problems, samples), rng.binomial(samples, rng.beta(a, b, size=problems))

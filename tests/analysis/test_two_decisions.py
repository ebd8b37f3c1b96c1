"""Both decisions of a comparison, in every form and in gates, computed anew from their definitions."""

import json
import re

import numpy as np
import pytest
from cases import for_each
from scipy.optimize import brentq
from scipy.special import betaincinv
from scipy.stats import binom, t as student

from at_k import compare, gate

ALPHA = 0.05


def find_lower(v, se, m, alpha):
    mu = (m * v + 1 / 4) / (m + 1)
    q = (m * se) ** 2 + m * (v - mu) ** 2 + 3 / 4 * mu**2 + 1 / 4 * (1 - mu) ** 2
    s = max(mu * (1 - mu) * (m + 1) * (m + 2) / q - 1, 1e-6)
    return 0.0 if v <= 0 else min(v, betaincinv(mu * s, (1 - mu) * s, alpha / 2))


def find_bounded(d, se, m, alpha):
    v = (1 + d) / 2
    return 2 * find_lower(v, se / 2, m, alpha) - 1, 1 - 2 * find_lower(1 - v, se / 2, m, alpha)


def find_bounded_p(d, se, m):
    """The α at which the bounded interval begins to hold 0."""

    def reach(alpha):
        return find_bounded(abs(d), se, m, alpha)[0]

    if reach(1 - 1e-12) <= 0:
        return 1.0
    return brentq(reach, 1e-14, 1 - 1e-12, xtol=1e-15) if reach(1e-14) < 0 else 0.0


def find_flips(d):
    """All means over subsets: p, and Hartigan's typical values."""
    chosen = (np.arange(1, 2 ** len(d))[:, None] >> np.arange(len(d))) & 1
    means = np.sort(np.round(chosen @ d / chosen.sum(axis=1), 12))
    total = len(means) + 1
    p = min(1.0, 2 * (1 + min((means <= 0).sum(), (means >= 0).sum())) / total)
    j = int(np.ceil(round(ALPHA * total / 2, 9))) - 1
    return p, (means[j - 1], means[-j])


def find_mid_p(won, lost, share=0.5):
    """The chance of more wins than were seen, and half that of the number that was seen."""
    return binom.sf(won, won + lost, share) + binom.pmf(won, won + lost, share) / 2


def invert_mid_p(won, lost, size):
    def find_limit(won, lost):
        if not won:
            return 0.0
        return brentq(lambda s: find_mid_p(won, lost, s) - ALPHA / 2, 0, 1, xtol=1e-14)

    part = (won + lost) / size
    return part * (2 * find_limit(won, lost) - 1), part * (1 - 2 * find_limit(lost, won))


def judge_population(d, factor):
    """p, the interval, and the size from which a difference counts."""
    mean, se, size = d.mean(), d.std(ddof=1) / len(d) ** 0.5, len(d)
    p, typical = find_flips(d)
    near = find_bounded(mean, se, size, factor * ALPHA)
    tested = typical
    if np.isin(d, (-1, 0, 1)).all():
        won, lost = int((d > 0).sum()), int((d < 0).sum())
        p = 2 * min(find_mid_p(won, lost), find_mid_p(lost, won))
        tested = invert_mid_p(won, lost, size)
    p = min(1.0, max(p, find_bounded_p(mean, se, size) / factor)) if d.any() else 1.0
    hull = min(tested[0], near[0]), max(tested[1], near[1])
    low, high = max(-1, min(typical[0], hull[0])), min(1, max(typical[1], hull[1]))
    if p < ALPHA and low <= 0 <= high:  # typical values hold 0 where mid-p decides
        low, high = (hull[0], high) if mean > 0 else (low, hull[1])
    if p >= ALPHA:
        low, high = min(low, 0), max(high, 0)
    least = brentq(lambda x: find_bounded(x, se, size, factor * ALPHA)[0], 0, 1, xtol=1e-12)
    counts = min(1.0, max(least, student.ppf(1 - ALPHA / 2, size - 1) * se))
    return p, low, high, counts if p < ALPHA else max(counts, abs(mean))


def judge_these(a, b, sizes):
    """p and the interval from the jackknife variances of c/n, c(n − c)/(n²(n − 1))."""
    problems = len(a)
    variance = sum(np.sum(v * (1 - v)) / (n - 1) for v, n in zip((a, b), sizes, strict=True))
    d, se, m = np.mean(a - b), variance**0.5 / problems, problems * min(sizes)
    return find_bounded_p(d, se, m), *find_bounded(d, se, m, ALPHA)


def draw(seed):
    rng = np.random.default_rng(seed)
    problems = int(rng.choice([7, 10, 13]))
    sizes = [(1, 1), (4, 4), (8, 8), (4, 16), (16, 16)][seed % 5]
    skill = rng.beta(0.6, 0.6, problems)
    raised = skill + (1 - skill) * rng.choice([0, 0.4, 0.8])
    pair = [
        (rng.random((problems, n)) < p[:, None]) * 1.0
        for n, p in zip(sizes, (raised, skill), strict=True)
    ]
    return pair[:: int(rng.choice([1, -1]))]


def write(number):
    return f"{100 * number:+.1f}".replace("-", "−")


def tell(name, here, other, problems, ends, counts):
    """The words and figures that a reader must find in the sentence."""
    limits = f"[{write(ends[0])}, {write(ends[1])}]"
    if other:
        return [f"{name} is better at pass@1", limits]
    if here:
        few = f"For other problems like these, {problems} are too few"
        first = f"On these {problems} problems {name} is better at pass@1"
        return [first, limits, few, f"a difference counts from ±{100 * counts:.1f} points"]
    return ["No difference between A and B is shown at pass@1", limits]


def name_decision(name, here, other, known, unlike):
    """The decision of a row."""
    said = "no difference shown"
    if other:
        said = f"{name} is better"
        if known and not here:
            said += "; on these problems, another run could differ"
    elif here:
        said = f"{name} is better on these problems"
    return said + ", n unlike" * unlike


def squeeze(text):
    return re.sub(r"\s+", " ", text.replace("$-$", "−"))


@for_each("seed", range(60))
def test_both_decisions_in_every_form(seed):
    grades = draw(seed)
    a, b = (each.mean(axis=1) for each in grades)
    sizes = [each.shape[1] for each in grades]
    d = a - b
    p, low, high, counts = judge_population(d, 2 if sizes[0] == sizes[1] else 1)
    data = [{"grades": each} for each in grades]
    found = compare(*data, metrics="pass@1")
    pair = found.comparisons["pass@1"]
    if not d.any():
        assert found.same or pair.p_value == 1
        return
    assert (pair.p_value, pair.low, pair.high) == pytest.approx((p, low, high), abs=1e-7)
    assert pair.counts_from == pytest.approx(counts, abs=1e-7)
    intervals = {"population": (low, high)}
    known, other, here = min(sizes) > 1, bool(p < ALPHA), False
    if known:
        p_here, *limits = judge_these(a, b, sizes)
        here = bool(p_here < ALPHA)
        intervals["problem_set"] = limits
        rerun = found.reruns["pass@1"]
        assert (rerun.p_value, rerun.low, rerun.high) == pytest.approx((p_here, *limits), abs=1e-7)
    # The sentence.
    better = "AB"[int(d.mean() < 0)]
    ends = intervals["problem_set" if here and not other else "population"]
    if (here or other) and better == "B":
        ends = [-end for end in reversed(ends)]
    said = " ".join(map(str, found.describe("pass@1")))
    for words in tell(better, here, other, len(d), ends, counts):
        assert words in said
    assert ("other samples could reverse it" in said) == (other and known and not here)
    # JSON, the table and LaTeX.
    decision = name_decision(better, here, other, known, sizes[0] != sizes[1])
    content = json.loads(found.to_json())["keys"]["pass@1"]
    assert content["decision"] == decision
    assert (content["better"] or "").upper() == better * other
    assert (content["problem_set"] is not None) == known
    if known:
        assert (content["problem_set"]["better"] or "").upper() == better * here
    row = f"{d.mean():+.3f} [{low:+.3f}, {high:+.3f}]".replace("-", "−")
    for text in (squeeze(str(found)), squeeze(found.to_latex())):
        assert row in text
        assert decision in text
    # Gates of A beside B: for other problems, and for these.
    for target, (lower, upper) in intervals.items():
        judged = gate(*data, metrics="pass@1", margin=0.1, target=target)
        expected = "INCONCLUSIVE"
        if lower > -0.1:
            expected = "PASS"
        elif upper < -0.1:
            expected = "FAIL"
        assert (judged.decision, judged.checks[0].low) == (expected, pytest.approx(lower, abs=1e-7))
        assert ("These problems are gated" in str(judged)) == (target == "problem_set")

"""Looks at results while they arrive: the level of each, and how often any look makes a false claim."""

import numpy as np
import pytest
from cases import for_each, refuses
from scipy.stats import binom

import at_k

LOOKS = 20
ONE_LOOK = 1 - 0.05 / LOOKS


def make(*counts, n=4):
    """Make a data set of problems, from their numbers of correct samples."""
    return {"grades": [[1] * int(c) + [0] * int(n - c) for c in counts]}


A, B = make(*[0, 1, 2, 3, 4, 4, 4, 4, 4, 4] * 5), make(*[0, 0, 2, 2, 4, 3, 4, 4, 1, 4] * 5)


def draw(rng, rate, problems=60, samples=8):
    return {"grades": (rng.random((problems, samples)) < rate).astype(int).tolist()}


def test_each_look_is_judged_at_its_share_of_the_level():
    rng = np.random.default_rng(0)
    a, b = draw(rng, 0.6), draw(rng, 0.5)
    looked = at_k.compare(a, b, metrics="pass@1", looks=LOOKS)
    assert looked.comparisons == at_k.compare(a, b, metrics="pass@1", confidence_level=ONE_LOOK).comparisons
    gate = at_k.gate(a, require="pass@1 >= 0.5", looks=LOOKS)
    assert gate.checks == at_k.gate(a, require="pass@1 >= 0.5", confidence_level=ONE_LOOK).checks
    plan = at_k.plan(a, half_width=0.03, looks=LOOKS)
    assert plan.needed_problems == at_k.plan(a, half_width=0.03, confidence_level=ONE_LOOK).needed_problems
    assert "about 2.4 × the problems" in str(plan)  # (3.023/1.960)²
    assert "about 1.9 × the problems" in str(at_k.plan(a, detect=0.1, looks=LOOKS))  # (3.865/2.802)²
    ranking = at_k.rank({"a": a, "b": b}, looks=LOOKS)
    assert ranking.pairs == at_k.rank({"a": a, "b": b}, confidence_level=ONE_LOOK).pairs
    pools = {"x": a, "y": b}, {"x": b, "y": b}
    pooled = at_k.compare_benchmarks(*pools, metrics="pass@1", looks=LOOKS)
    alone = at_k.compare_benchmarks(*pools, metrics="pass@1", confidence_level=ONE_LOOK)
    assert pooled.pooled.comparisons == alone.pooled.comparisons
    assert pooled.benchmarks["x"].comparisons == alone.benchmarks["x"].comparisons
    for found in (looked, gate, plan, ranking, pooled):
        assert f"Each of {LOOKS} looks is judged at 99.75 %" in str(found)


@for_each(
    "looks, error", [(0, "ValueError: `looks` … 0"), (2.5, "TypeError: `looks` … 2.5"), ("3", "TypeError: `looks`")]
)
def test_other_numbers_of_looks_are_refused(looks, error):
    refuses(error, at_k.gate, {"grades": [[1, 0]] * 9}, require="pass@1 >= 0.5", looks=looks)


@for_each("further", [{}, {"target": "problem_set", "k": 2}, {"band": True}, {"method": "bounded"}, {"margin": 0.1}])
def test_every_kind_of_comparison_takes_the_level_of_each_look(further):
    looked, alone = at_k.compare(A, B, looks=LOOKS, **further), at_k.compare(A, B, confidence_level=ONE_LOOK, **further)
    for key, own in alone.comparisons.items():
        found = looked.comparisons[key]
        assert (found.low, found.high, found.p_value) == pytest.approx((own.low, own.high, own.p_value))
        assert str(looked.verdict(key)) == str(alone.verdict(key))


def test_twenty_looks_at_equal_models_rarely_claim_a_difference():
    rng, looks = np.random.default_rng(36), np.arange(10, 201, 10)
    a, b = rng.binomial(1, rng.beta(1, 1, (1000, 200)), (2, 1000, 200))
    won, lost = (np.cumsum(each, axis=1)[:, looks - 1] for each in (a > b, a < b))
    tails = [binom.sf(one, won + lost, 0.5) + binom.pmf(one, won + lost, 0.5) / 2 for one in (won, lost)]  # mid-p
    p_values = np.minimum(1, 2 * np.minimum(*tails))
    for own, look in ((0, 19), (1, 9), (2, 4)):  # these are the p-values of the comparison, and decide its interval
        data = [make(*each[own, : looks[look]], n=1) for each in (a, b)]
        found = at_k.compare(*data, metrics="pass_at_k", looks=LOOKS).comparisons["pass@1"]
        assert found.p_value == pytest.approx(p_values[own, look])
        assert (found.low > 0 or found.high < 0) == (found.p_value < 0.05 / LOOKS)
    claimed, peeked = ((p_values < level).any(axis=1).mean() for level in (0.05 / LOOKS, 0.05))
    assert claimed <= 0.05
    assert peeked > 0.15


def test_twenty_looks_at_a_gate_rarely_pass_or_fail_falsely():
    rng, least, looks = np.random.default_rng(36), 0.6, np.arange(20, 401, 20)
    c = rng.binomial(4, rng.beta(1.2, 0.8, (1000, 400)))  # the mean is .6: neither verdict is true
    found = [(c[:, :m].mean(axis=1) / 4, c[:, :m].std(axis=1, ddof=1) / 4 / m**0.5) for m in looks]
    low, high = np.array(
        [at_k.interval(*own, float(m), confidence_level=ONE_LOOK) for own, m in zip(found, looks, strict=True)]
    ).transpose(1, 2, 0)
    for own in range(3):  # these are the intervals of the gate
        check = at_k.gate(make(*c[own, :100]), require=f"pass@1 >= {least}", looks=LOOKS).checks[0]
        assert (check.low, check.high) == pytest.approx((low[own, 4], high[own, 4]))
    assert max((low > least).any(axis=1).mean(), (high < least).any(axis=1).mean()) <= 0.03

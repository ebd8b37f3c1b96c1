"""Looks at results while they arrive: the level of each, and how often any look makes a false claim."""

import numpy as np
from cases import for_each, refuses

import at_k

LOOKS, SIZES = 20, (25, 50, 100, 200)
ONE_LOOK = 1 - 0.05 / LOOKS


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
    for found in (looked, gate, plan):
        assert f"Each of {LOOKS} looks is judged at 99.75 %" in str(found)


@for_each(
    "looks, error", [(0, "ValueError: `looks` … 0"), (2.5, "TypeError: `looks` … 2.5"), ("3", "TypeError: `looks`")]
)
def test_other_numbers_of_looks_are_refused(looks, error):
    refuses(error, at_k.gate, {"grades": [[1, 0]] * 9}, require="pass@1 >= 0.5", looks=looks)


def test_looks_at_growing_results_make_few_false_claims():
    """Four of the looks are taken: 100 gates at the true value, and 40 pairs of equal models."""
    false_pass = false_fail = false_claims = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rates = rng.beta(2, 2, 200)  # mean .5
        grades = (rng.random((200, 4)) < rates[:, None]).astype(int)
        verdicts = {
            at_k.gate({"grades": grades[:m].tolist()}, require="pass@1 >= 0.5", looks=LOOKS).verdict for m in SIZES
        }
        false_pass, false_fail = false_pass + ("PASS" in verdicts), false_fail + ("FAIL" in verdicts)
    for seed in range(40):
        rng = np.random.default_rng([1, seed])
        rates = rng.beta(2, 2, 200)[:, None]
        a, b = ((rng.random((200, 4)) < rates).astype(int) for _ in range(2))
        found = [
            at_k.compare({"grades": a[:m].tolist()}, {"grades": b[:m].tolist()}, metrics="pass@1", looks=LOOKS)
            for m in SIZES
        ]
        false_claims += any(each.comparisons["pass@1"].p_value < 0.05 / LOOKS for each in found)
    assert false_pass / 100 <= 0.03
    assert false_fail / 100 <= 0.03
    assert false_claims / 40 <= 0.05

from itertools import chain, product
from math import comb, sqrt
from operator import mul

import numpy as np
import pytest
from cases import for_each
from tallies import KINDS, make_data, options_of, split

import at_k

Tally, Pairs = at_k.Tally, at_k.Pairs


def assert_same_comparison(found, other):
    """Two comparisons say the same, up to the rounding of values: intervals and p-values of the same flips too."""
    mine, its = found.to_dict(), other.to_dict()
    for name in ("names", "unmatched", "margin", "notes"):
        assert mine[name] == its[name]
    assert list(mine["keys"]) == list(its["keys"])
    for key, numbers in mine["keys"].items():
        for name, number in numbers.items():
            if isinstance(number, (float, list)) and name != "flips":
                assert number == pytest.approx(its["keys"][key][name], rel=1e-12, abs=1e-12), (key, name)
            elif name != "flips":
                assert number == its["keys"][key][name], (key, name)
    assert list(mine["bands"]) == list(its["bands"])
    for line, band in mine["bands"].items():
        for name in ("k", "spans", "first_loss"):
            assert band[name] == its["bands"][line][name], line
        for name in ("difference", "low", "high"):
            assert band[name] == pytest.approx(its["bands"][line][name], rel=1e-12, abs=1e-12), line


@pytest.mark.parametrize("kind", KINDS)
def test_tallies_by_problem_are_compared_as_their_samples_are(kind):
    one, other = make_data(kind, seed=1), make_data(kind, seed=2)
    other["problem"] = one["problem"]
    tallies = [sum(Tally.of(shard, by_problem=True, **options_of(kind)) for shard in split(each, 3))
               for each in (one, other)]  # fmt: skip
    for options in ({"band": True}, {"clusters": True}, {"target": "problem_set"}, {"margin": 0.1, "extra_tests": "t"}):
        found = at_k.compare(*tallies, **options)
        assert_same_comparison(found, at_k.compare(one, other, **options_of(kind), **options))
        if options == {"band": True}:
            assert "pass@k" in found.bands
            assert [flip.problem for flip in found.flips["pass@2"]] != []


def draw_rows(problems, seed=0):
    """Problems of 3 or 6 samples of a, and 4 of b, which is a little worse: rows of (n, c, n, c, problems)."""
    rng = np.random.default_rng(seed)
    rate = rng.beta(0.6, 0.6, problems)
    n = np.where(rng.random(problems) < 0.3, 3, 6)
    pairs = np.stack([n, rng.binomial(n, rate), np.full(problems, 4), rng.binomial(4, rate * 0.9)], axis=1)
    rows, times = np.unique(pairs, axis=0, return_counts=True)
    return [(*row, times) for row, times in zip(rows.tolist(), times.tolist(), strict=True)]


def list_models(rows):
    """The samples behind such rows, in their order."""
    models = [
        {"grades": [[1] * row[i] + [0] * (row[i - 1] - row[i]) for row in rows for _ in range(row[4])]} for i in (1, 3)
    ]
    names = [f"p{i}" for i in range(len(models[0]["grades"]))]
    return [{"problem": names, **model} for model in models]


@pytest.mark.parametrize("problems", [1, 4, 14, 8000])
def test_pairs_are_compared_as_their_samples_are(problems):
    """All flips of up to 14 problems are made, and those of a thousand effective ones are drawn from the same limit."""
    rows = draw_rows(problems)
    models = list_models(rows)
    tallies = [Tally.of(model, by_problem=True) for model in models]
    both = Pairs.from_rows(rows), Pairs.of(*tallies)
    for options in (
        {"band": True, "k": [1, 3]},
        {"target": "problem_set"},
        {"margin": 0.1, "extra_tests": ["t", "wilcoxon"], "method": "bounded"},
        {"threshold": 0.5, "metrics": "cons_at_k"} if problems > 4 else {},
    ):
        scored = {name: options[name] for name in options if name != "threshold"}
        by_samples = at_k.compare(*models, **options)
        for pairs in both:
            assert len(pairs) == problems
            assert_same_comparison(at_k.compare(pairs, **scored), by_samples)


def test_flips_of_problems_that_are_alike():
    """15 to 999 problems have other random flips than their samples: the number of each kind in a subset is random.

    The exact p-value sums, over how many of each kind are in the subset, the product of their binomials.
    """
    kinds = [(4, 4, 4, 2, 12), (4, 1, 4, 2, 10), (4, 3, 4, 3, 40), (4, 0, 4, 3, 2)]  # differences ½, −¼, 0 and −¾
    (a, b, _, c), steps = [row[4] for row in kinds], (2, -1, -3)
    ways = {(i, j, m): comb(a, i) * comb(b, j) * comb(c, m)
            for i, j, m in product(range(a + 1), range(b + 1), range(c + 1))}  # fmt: skip
    below, above = (
        sum(count for chosen, count in ways.items() if sign * sum(map(mul, chosen, steps)) >= 0) / 2 ** (a + b + c)
        for sign in (-1, 1)
    )
    exact = 2 * min(below, above)
    pairs, scored = Pairs.from_rows(kinds), {"k": 1, "metrics": "pass_at_k"}
    found = [at_k.compare(pairs, **scored, seed=seed).comparisons["pass@1"] for seed in range(5)]
    by_samples = at_k.compare(*list_models(kinds), **scored).comparisons["pass@1"]
    # A share of 9,999 flips has this standard error; 4 of them are exceeded once in 16,000 times.
    error = 2 * sqrt(exact / 2 * (1 - exact / 2) / 9_999)
    for each in (*found, by_samples):
        assert each.p_value == pytest.approx(exact, abs=4 * error)
        assert (each.difference, each.stderr) == pytest.approx((by_samples.difference, by_samples.stderr), rel=1e-12)
        assert (each.won, each.lost, each.tied, each.units) == (12, 12, 40, 64)
        # Limits are means of subsets, which lie 1/128 apart or less: by chance the next one may be taken.
        assert (each.low, each.high) == pytest.approx((by_samples.low, by_samples.high), abs=0.03)
    assert len({each.p_value for each in found}) > 1


def test_few_of_a_billion_problems_differ():
    """The normal limit does not hold, and to flip each problem would take hours."""
    found = at_k.compare(Pairs.from_rows([(8, 4, 8, 4, 10**9), (8, 8, 8, 0, 20), (8, 0, 8, 8, 4)]), k=1).comparisons
    assert found["pass@1"].difference == pytest.approx(16e-9, rel=1e-6)  # of 1,000,000,024
    # 24 signs: at least 20 equal ones in 10,626 + 2,024 + 276 + 24 + 1 of 2²⁴ cases, McNemar's mid-p halves the first.
    assert found["pass@1"].p_value == pytest.approx(2 * (10_626 / 2 + 2_024 + 276 + 24 + 1) / 2**24, rel=1e-9)


def test_pairs_add_up():
    rows = [draw_rows(200, seed) for seed in range(3)]
    a, b, c = map(Pairs.from_rows, rows)
    assert (a + b) + c == a + (c + b) == sum([a, b, c]) == Pairs.from_rows(chain(*rows)) == a + b + c + Pairs()
    with pytest.raises(at_k.InputError, match="counted differently: threshold is"):
        a + Pairs.from_rows(rows[0], threshold=0.3)
    with pytest.raises(TypeError, match="unsupported operand"):
        a + 1


def test_pairs_of_counts_have_only_metrics_of_counts():
    one = {"problem": ["x", "y"], "answers": [["7", "9"], ["1", "2"]], "references": ["7", "2"]}
    other = {"problem": ["y", "x"], "grades": [[0.6, 0.3], [0, 1]], "scores": [[1, 2], [2, 1]]}
    pairs = Pairs.of(*(Tally.of(data, by_problem=True) for data in (one, other)))
    assert pairs.counts == {(2, 1, 2, 1): 2}
    keys = {key.metric for key in at_k.compare(pairs).comparisons}
    assert keys == {"G-Pass@k", "mG-Pass@k", "pass@k", "avg@n"}


@for_each("ask, sentence", [
    (lambda a, b: Pairs.of(a, Tally.of({"grades": [[1]]})), "need the names of problems"),
    (Pairs.of, "only one of these has 'x'"), (lambda a, b: at_k.compare(Pairs()), "counts no problems"),
    (lambda a, b: at_k.compare(Pairs.of(a, a), a), "Leave out b"),
    (lambda a, b: at_k.compare(Pairs.of(a, a), clusters=["x"]), "do not know problems one by one"),
])  # fmt: skip
def test_pairs_that_cannot_be_compared(ask, sentence):
    with pytest.raises(at_k.InputError, match=sentence):
        ask(*(Tally.of({"problem": [name], "grades": [[1]]}, by_problem=True) for name in "xy"))


@for_each("row, kind, sentence", [
    ((4, 5, 4, 1, 1), ValueError, "0 ≤ c ≤ n"), ((4, 1, 4, 5, 1), ValueError, "0 ≤ c ≤ n"),
    ((4, 1, 4, 1, 0), ValueError, "problems > 0"), ((4, 1, 4, 1.5, 1), TypeError, "integers; got 1.5"),
    ((4, 1, 4, 1), TypeError, r"\(n, c, n, c, problems\)"),
])  # fmt: skip
def test_wrong_rows(row, kind, sentence):
    with pytest.raises(kind, match=sentence):
        Pairs.from_rows([(4, 1, 4, 1, 1), row])

"""Credits, against enumeration in exact rationals, the exact gradient of a policy, and published theorems."""

import warnings
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from math import comb

import array_api_strict as xp
import numpy as np
import pytest
from cases import for_each, refuses
from numpy.testing import assert_allclose, assert_array_equal
from oracles import TIES, mg_pass, needed, vote

from at_k import credit

# Numbers below 1 that are sums and differences of a few dozen others, each rounded to 1e-16.
ATOL = 1e-13

BASELINES = (None, "leave_one_out", "subset")


def list_grades(drawn):
    return [right for right, *_ in drawn]


def passes_share(drawn, tau=0.75):
    return sum(list_grades(drawn)) >= needed(tau, len(drawn))


def passes_mean(drawn):
    return mg_pass([int(j == sum(list_grades(drawn))) for j in range(len(drawn) + 1)])


def wins(drawn, ties="random"):
    return Fraction(*vote([(answer, right, 1) for right, answer, _ in drawn], ties, whole=False))


def grade_of_best(drawn):
    top = max(score for *_, score in drawn)
    chosen = [right for right, _, score in drawn if score == top]
    return Fraction(sum(chosen), len(chosen))


METRICS = {
    "pass@k": (lambda drawn: any(list_grades(drawn)), {}),
    "pass^k": (lambda drawn: all(list_grades(drawn)), {}),
    "G-Pass@k": (passes_share, {"thresholds": 0.75}),
    "mG-Pass@k": (passes_mean, {}),
    **{f"cons@k {ties}": (partial(wins, ties=ties), {"ties": ties}) for ties in TIES},
    "best@k": (grade_of_best, {}),
    "max@k": (lambda drawn: max(score for *_, score in drawn), {}),
}
"""Metric → its value for drawn samples (whether each is right, its answer, its score), and its options."""


def enumerate_credits(metric, samples, k, baseline):
    """The credits by their definition: the value of each subset of k, and of those that the baseline averages."""
    n = len(samples)
    value = {
        subset: Fraction(metric([samples[i] for i in subset]))
        for size in {k, k - 1 or 1}
        for subset in combinations(range(n), size)
    }

    def average_others(i, size):
        return sum(
            value[subset] for subset in combinations([j for j in range(n) if j != i], size)
        ) / comb(n - 1, size)

    found = []
    for i in range(n):
        weight = sum(
            value[subset] for subset in combinations(range(n), k) if i in subset
        ) / Fraction(comb(n, k))
        if baseline == "leave_one_out":
            weight -= Fraction(k, n) * average_others(i, k)
        elif baseline == "subset" and k > 1:
            weight -= Fraction(k, n) * average_others(i, k - 1)
        found.append(weight)
    return found


def columns_of(prompts):
    """Columns of prompts, lists of samples."""
    return {
        name: [[sample[i] for sample in prompt] for prompt in prompts]
        for i, name in enumerate(("grades", "answers", "scores"))
    }


def draw_prompts(rng, n, prompts):
    """Prompts with ties of votes and scores. Answers 0 and 1 are right, and some samples have none."""
    numbers = rng.integers(0, 5, (prompts, n)).tolist()
    scores = rng.integers(-1, 3, (prompts, n)).tolist()
    names = ["a", "b", "c", "d", None]
    return [
        [(int(answer < 2), names[answer], score) for answer, score in zip(*rows, strict=True)]
        for rows in zip(numbers, scores, strict=True)
    ]


@for_each("name", METRICS)
@for_each("n", [1, 2, 3, 5, 7])
def test_enumeration(name, n):
    metric, options = METRICS[name]
    prompts = draw_prompts(np.random.default_rng(n), n, 6 if n < 7 else 2)
    prompts += [[(right, "ad"[1 - right], 1)] * n for right in (0, 1)]  # all wrong, all right
    for k in range(1, n + 1):
        for baseline in BASELINES:
            if (baseline == "leave_one_out" and k == n) or (name == "cons@k first" and k == n):
                continue
            given = dict(k=k, baseline=baseline, **columns_of(prompts), **options)
            found = credit(name.split()[0], **given)
            wanted = [enumerate_credits(metric, prompt, k, baseline) for prompt in prompts]
            assert_allclose(
                found, np.array(wanted, dtype=float), atol=ATOL, err_msg=f"{k} {baseline}"
            )


def test_the_order_decides_where_all_samples_are_drawn():
    given = {"answers": [["b", "a"], ["a", "b"]], "k": 2, "ties": "first"}
    # f is 0 for b before a, and 1 for a before b; the vote of one sample, in the baseline, is its grade.
    assert credit("cons@k", [[0, 1], [1, 0]], baseline=None, **given) == [[0, 0], [1, 1]]
    assert credit("cons@k", [[0, 1], [1, 0]], baseline="subset", **given) == [[-1, 0], [1, 0]]


@for_each("baseline", BASELINES)
def test_rewards_that_are_no_verdicts(baseline):
    for row in ([0.3, -1.0, 2.5, 0.3], [1, 0, 0]):
        drawn = [(Fraction(str(reward)), None, 0) for reward in row]
        wanted = enumerate_credits(
            lambda drawn: sum(list_grades(drawn)) / len(drawn), drawn, 1, baseline
        )
        assert_allclose(
            credit("avg@n", [row], baseline=baseline), np.array([wanted], dtype=float), atol=ATOL
        )
    prompt = [
        (Fraction(1, 3), None, 2),
        (Fraction(-5), None, 2),
        (Fraction(7, 2), None, 0),
        (Fraction(1), None, 3),
    ]
    given = columns_of([[(float(grade), *rest) for grade, *rest in prompt]])
    found = credit("best@2", given["grades"], scores=given["scores"], baseline=baseline)
    wanted = enumerate_credits(grade_of_best, prompt, 2, baseline)
    assert_allclose(found, np.array([wanted], dtype=float), atol=ATOL)


POLICY = np.array([0.5, 0.2, 0.3])
"""Chances of three answers: "a" is right, and the others are wrong. Their scores are 1, 2 and 0."""


def estimate_gradients(n, weigh):
    """The mean over all n-tuples of answers of Σ weight · ∇ log π, for logits."""
    tuples = np.array(list(product(range(3), repeat=n)))
    chance = POLICY[tuples].prod(axis=1)
    score = np.eye(3)[tuples] - POLICY
    return np.einsum("t,ti,tia->a", chance, weigh(tuples), score)


def draw_all(tuples):
    return {
        "grades": (tuples == 0).astype(float),
        "answers": np.array(["a", "b", "c"])[tuples].tolist(),
        "scores": np.array([1.0, 2.0, 0.0])[tuples],
    }


@for_each("name", METRICS)
@for_each("k", [1, 2, 3])
def test_the_gradient_of_a_policy(name, k):
    metric, options = METRICS[name]

    def value(tuples):
        samples = [(1, "a", 1), (0, "b", 2), (0, "c", 0)]
        return np.array(
            [[float(metric([samples[a] for a in drawn]))] * k for drawn in tuples.tolist()]
        )

    exact = estimate_gradients(k, value)
    for baseline in BASELINES:
        found = estimate_gradients(
            5,
            lambda tuples, base=baseline: credit(
                name.split()[0], **draw_all(tuples), k=k, baseline=base, **options
            ),
        )
        assert_allclose(found, exact, atol=ATOL, err_msg=f"{baseline}")


@for_each("k", [None, 1, 3])
@for_each("baseline", BASELINES)
def test_maxrl_ascends_a_truncated_likelihood(k, baseline):
    """∇ Σ_{j ≤ T} pass@j/j = Σ_{j < T} (1 − p)^j ∇p, and ∇p = p(e − π) for the logits."""
    n = 5
    terms = k or n - (baseline == "leave_one_out")
    wanted = sum(0.5**j for j in range(terms)) * 0.5 * (np.eye(3)[0] - POLICY)
    found = estimate_gradients(
        n, lambda tuples: credit("MaxRL", draw_all(tuples)["grades"], k=k, baseline=baseline)
    )
    assert_allclose(found, wanted, atol=ATOL)


def test_maxrl_is_the_published_estimator():
    """(r − mean)/(n · mean), and 0 without success: Tajwar et al., 2026, section 4."""
    rewards = (np.arange(7) < np.arange(8)[:, None]).astype(float)
    mean = rewards.mean(axis=1, keepdims=True)
    wanted = np.divide(rewards - mean, 7 * mean, out=np.zeros_like(rewards), where=mean > 0)
    assert_allclose(credit("MaxRL", rewards), wanted, atol=ATOL)


def test_pass_at_k_is_that_of_pkpo():
    """Walder, Karkhanis, 2025, theorem 2: k/n for a right sample, (k/n) · ρ(n − 1, c, k − 1) for a wrong one."""
    n = 9
    for c in range(n + 1):
        rewards = [[1] * c + [0] * (n - c)]
        for k in range(1, n + 1):
            wrong = 1 - Fraction(comb(max(n - 1 - c, 0), k - 1), comb(n - 1, k - 1))
            wanted = [k / n] * c + [float(Fraction(k, n) * wrong)] * (n - c)
            assert_allclose(credit("pass@k", rewards, k=k, baseline=None)[0], wanted, atol=ATOL)


def sum_of_pkpo(rising, k):
    """Theorem 4: of rewards in rising order, sᵢ = (1/C(n, k)) Σⱼ m_ij g_j."""
    n, found = len(rising), []
    for i in range(1, n + 1):
        own = comb(i - 1, k - 1) * rising[i - 1]
        above = sum(comb(j - 2, k - 2) * rising[j - 1] for j in range(i + 1, n + 1)) if k > 1 else 0
        found.append((own + above) / comb(n, k))
    return found


def test_max_at_k_is_that_of_pkpo():
    rewards = sorted(np.random.default_rng(0).normal(size=10).tolist())
    for k in range(1, 11):
        own = sum_of_pkpo(rewards, k)
        assert_allclose(credit("max@k", scores=[rewards], k=k, baseline=None)[0], own, atol=ATOL)
        if k == 1:
            continue
        # loo − 1: without sample i, the mean of the maxima of k − 1 others, each subset counted once
        for i, found in enumerate(credit("max@k", scores=[rewards], k=k, baseline="subset")[0]):
            others = rewards[:i] + rewards[i + 1 :]
            baseline = k / 10 * np.mean([max(subset) for subset in combinations(others, k - 1)])
            assert found == pytest.approx(own[i] - baseline, abs=ATOL)


@for_each(
    "metric", ["pass@3", "pass^3", "G-Pass@3_0.5", "cons@3", "best@3", "max@3", "avg@n", "MaxRL"]
)
def test_the_credits_of_a_prompt_sum_to_zero(metric):
    """Weights of PKPO with its baseline loo − 1 do not: Takashiro et al., 2026, centre them for max@k."""
    given = columns_of(draw_prompts(np.random.default_rng(6), 7, 50))
    assert_allclose(np.sum(credit(metric, **given), axis=1), 0, atol=ATOL)
    if metric not in ("avg@n", "MaxRL"):
        assert np.abs(np.sum(credit(metric, **given, baseline="subset"), axis=1)).max() > 0.1


def test_the_average_is_rloo():
    rewards = np.random.default_rng(1).normal(size=(3, 6))
    others = (rewards.sum(axis=1, keepdims=True) - rewards) / 5
    assert_allclose(6 * credit("avg@n", rewards), rewards - others, atol=ATOL)


def test_a_mixture_is_the_weighted_sum():
    given = columns_of(draw_prompts(np.random.default_rng(2), 6, 4))
    parts = {
        "pass@3": 0.5,
        "G-Pass@4_0.75": 2,
        "cons@5": -1.0,
        "best@k": 0.25,
        "max@2": 1,
        "avg@n": 0.125,
        "MaxRL": 1,
    }
    wanted = sum(weight * np.array(credit(name, **given, k=2)) for name, weight in parts.items())
    assert_allclose(credit(parts, **given, k=2), wanted, atol=ATOL)
    assert credit("pass@3", given["grades"]) == credit("pass@k", given["grades"], k=3)
    for share, tau in (("0.75", 0.75), ("1", 1), ("2/3", Fraction(2, 3))):
        named = credit(f"G-Pass@4_{share}", given["grades"])
        assert named == credit("G-Pass@k", given["grades"], k=4, thresholds=tau)


EVERY = ["pass@2", "G-Pass@2_0.5", "MaxRL", "best@2", "max@2", "avg@n", "cons@2"]


def test_rows_of_different_length_and_threshold():
    rewards = [[0.2, 0.9, 0.8], [-1.0, 3.0, 2.0, -2.0]]
    assert credit("pass@2", rewards, correct_above=0.5) == credit(
        "pass@2", [[0, 1, 1], [0, 1, 1, 0]]
    )
    assert credit("avg@n", rewards, correct_above=0.5) == credit("avg@n", [[0, 1, 1], [0, 1, 1, 0]])
    single = np.array([[0.1, 0.2]], dtype=np.float32)
    assert_array_equal(credit("avg@n", single, correct_above=0.1), np.array([[-0.5, 0.5]]))
    assert credit("avg@n", [[0.1, 0.2]], correct_above=np.float32(0.1)) == [[-0.5, 0.5]]
    assert credit({"avg@n": np.float32(0.1)}, [[0, 1]]) == credit({"avg@n": 0.1}, [[0, 1]])
    assert_array_equal(
        credit("avg@n", np.array([[1, 3]]), correct_above=2.5), np.array([[-0.5, 0.5]])
    )


@for_each("metric", EVERY)
@for_each("normalize", [None, "std", "batch_std"])
@for_each("baseline", BASELINES)
def test_no_credit_is_nan(metric, normalize, baseline):
    """All right, all wrong, one right, equal scores, huge and tiny scores."""
    rows = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (0.0, 1e-300, 1e150):
            found = credit(
                metric,
                rows,
                answers=[["a"] * 3, ["b"] * 3, ["a", "b", None]],
                scores=rows * scale,
                baseline=baseline,
                normalize=normalize,
            )
            assert np.isfinite(found).all()
            if baseline == "leave_one_out":
                assert_array_equal(found[:2], np.zeros((2, 3)))


def test_normalized_as_grpo():
    rewards = np.random.default_rng(5).normal(size=(4, 8))
    centred = rewards - rewards.mean(axis=1, keepdims=True)
    # Trainers add 1e-6, or 1e-4, to the deviation: a part in a million of it.
    grpo = centred / rewards.std(axis=1, ddof=1, keepdims=True)
    assert_allclose(credit("avg@n", rewards, normalize="std"), grpo, rtol=1e-5)
    assert_allclose(
        credit("avg@n", rewards, normalize="batch_std"), centred / centred.std(ddof=1), rtol=1e-5
    )
    uneven = credit("avg@n", [[1.0, 0.0], [3.0, 0.0, 0.0]], normalize="batch_std")
    every = np.array([2 * 0.5, -2 * 0.5, 3, -1.5, -1.5])
    assert_allclose(list(chain(*uneven)), every / every.std(ddof=1), rtol=1e-5)
    assert credit("pass@1", [[1]], baseline=None, normalize="std") == [
        [0]
    ]  # a single sample does not deviate


@for_each(
    "theirs, ours",
    [("maj@2", "cons@2"), ("mean@4", "avg@n"), ("bon@2", "best@2"), ("MAXRL", "MaxRL")],
)
def test_names_of_papers(theirs, ours):
    data = {"grades": [[1, 0, 0, 1]], "answers": [["a", "b", "c", "a"]], "scores": [[1, 2, 3, 4]]}
    columns = {"cons@2": ("grades", "answers"), "best@2": ("grades", "scores")}.get(
        ours, ("grades",)
    )
    own = {name: data[name] for name in columns}
    assert credit(theirs, **own) == credit(ours, **own)


WRONG_VALUES = [
    (("pass@k", [[1, 0]]), "`k` must be given for pass@k, unless the metric names it, such as pass@8"),
    (("pass@0", [[1, 0]]), "`metric` must be one of pass@k, pass^k, mG-Pass@k"),
    (("pass@2_0.5", [[1, 0]]), "or have a number for k, such as pass@8; got 'pass@2_0.5'"),
    (("pass_at_2", [[1, 0]]), "got 'pass_at_2'. Did you mean pass@k?"),
    (("G-Pass@2_1.5", [[1, 0]]), "`thresholds` must lie in [0, 1]; got 1.5"),
    (({}, [[1, 0]]), "`metric` must name at least one metric; got none"),
    (({"pass@1": float("nan")}, [[1, 0]]), "`metric` must give each metric a finite number below 1e+06 as its "
     "weight; got nan"),
    (({"max@1": 1e300}, None, {"scores": [[1e10, 0]]}), "a finite number below 1e+06 as its weight; got 1e+300"),
    (("G-Pass@2", [[1, 0]]), "`thresholds` must be given for G-Pass@k"),
    (("pass@3", [[1, 0, 1], [1, 0]]), "`k` must be at most n, the number of samples of every problem; got k=3, but n=2 "
     "in problem 1"),
    (("pass@2", [[1, 0, 1], [1, 0]]), "`k` must be below n for the baseline 'leave_one_out'; got k=2, and n=2 in "
     "problem 1. Draw more samples, or take the baseline 'subset'"),
    (("avg@n", [[1]]), "got k=1, and n=1 in problem 0"),
    (("avg@n", [1, 0, 1], {"problem": ["x", "y", "x"]}), "got k=1, and n=1 in problem 'y'"),
    (("avg@n", np.array([1, 0, 1]), {"problem": np.array([7, 8, 7])}), "got k=1, and n=1 in problem 8"),
    (("pass@1", [[1, None]]), "`grades` must be finite numbers below 8e+152: count a missing one as 0, or leave it "
     "out; got nan in problem 0, sample 1"),
    (("avg@n", [[0, 1e200]]), "; got 1e+200 in problem 0, sample 1"),
    (("avg@n", np.array([1, np.inf]), {"problem": ["x", "x"]}), "leave it out; got inf in sample 1"),
    (("pass@1", [[1, 0], [0.5, 0]]), "`grades` must hold 0 or 1, or come with a `correct_above`; got 0.5 in problem 1, "
     "sample 0"),
    (("max@2", None, {"scores": np.array([[6e4, -6e4, -6e4]], np.float16)}), "`scores` must be so small that credits "
     "fit in float16; got one of 8e+04"),
    (("avg@n", np.ma.masked_array([[1.0, 0.0, 1.0]], [[0, 1, 0]])), "leave it out; got nan in problem 0, sample 1"),
    (("pass@1", [[1, 0]], {"correct_above": 10**400}), "`correct_above` must be a finite number; got 1000"),
    (("max@1", None, {"scores": [[1, float("nan")]]}), "`scores` must be finite numbers below"),
    (("max@1", [[1, 0]]), "`scores` must be given for max@k"),
    (("cons@1", [[1, 0]]), "`answers` must be given for cons@k"),
    (("pass@1",), "`grades` must be given for pass@k"),
    (("cons@1", [[1, 0]], {"answers": [["a"]]}), "`answers` and `grades` must have equally many samples in every"),
    (("cons@1", [1, 0], {"answers": ["a"], "problem": [0, 0]}), "and `grades` must have equally many samples"),
    (("best@1", [1, 0], {"scores": [1], "problem": [0, 0]}), "`scores` and `grades` must have equally many samples"),
    (("pass@1", [1, 0], {"problem": [0]}), "`problem` must name the problem of each sample of `grades`; got 1 for 2"),
    (("pass@1", [1, 0], {"problem": np.zeros((2, 2), int)}), "the problem of each sample of `grades`; got 2 × 2 for 2"),
    (("pass@1", [1, 0], {"problem": np.array(1)}), "the problem of each sample of `grades`; got one number for 2"),
    (("avg@n", [1, 0], {"problem": np.array([1, np.nan])}), "the problem of each sample of `grades`; got None or NaN"),
    (("pass@1", np.array([1, 0])), "`grades` must be rows, one per problem, and not empty; got an array of shape (2,)"),
    (("pass@1", np.ones((2, 2)), {"problem": [0, 0]}), "`grades` must be flat, with the problem of each sample"),
    (("pass@1", []), "`grades` must hold at least one problem"),
    (("pass@1", [[1, 0]], {"baseline": "mean"}), "`baseline` must be one of 'leave_one_out', 'subset'"),
    (("pass@1", [[1, 0]], {"normalize": "max"}), "`normalize` must be one of 'std', 'batch_std'"),
    (("cons@1", [[1, 0]], {"answers": [["a", "b"]], "ties": "last"}), "`ties` must be one of"),
    (("cons@1", [[1, 0], [1, 0]], {"answers": [["a", "b"], ["a", "a"]]}),
     "`grades` must agree on equal answers; got both verdicts on 'a' in problem 1"),
    (("cons@1", [0, 0, 1, 1], {"answers": ["b", "a", "a", "a"], "problem": ["y", "x", "y", "x"]}),
     "got both verdicts on 'a' in problem 'x'"),
]  # fmt: skip

WRONG_TYPES = [
    ((["pass@2"], [[1, 0]]), "`metric` must be a name, or map names to weights; got ['pass@2']"),
    ((None, [[1, 0]]), "`metric` must be a name, or map names to weights; got None"),
    (({"pass@1": "all"}, [[1, 0]]), "a finite number below 1e+06 as its weight; got 'all' of type str"),
    (("pass@k", [[1, 0]], {"k": [1]}), "`k` must be an integer; got [1] of type list"),
    (("G-Pass@1", [[1, 0]], {"thresholds": [0.5]}), "`thresholds` must be a number; got [0.5] of type list"),
    (("pass@1", [[1, 0]], {"correct_above": "half"}), "`correct_above` must be a number, or a text such as"),
    (("pass@1", [True, False]), "`grades` must be rows, one per problem, or come with `problem`; got [True, False]"),
    (("avg@n", xp.asarray([[1j, 0.0]])), "`grades` must hold numbers; got an array of array_api_strict.complex128"),
    (("avg@n", [1, 0], {"problem": 3}), "`problem` must be a list with one entry per sample; got 3 of type int"),
    (("avg@n", [1, 0], {"problem": {"a": 0, "b": 1}}), "`problem` must be a list with one entry per sample; got {'a'"),
    (("avg@n", [1, 0], {"problem": [["a"], ["a"]]}), "or another hashable label; got an unhashable type: 'list'"),
    (("cons@2", [1, 0, 0, 1, 1, 0], {"answers": ["x", 1, "y", 2, "x", None], "problem": ["p"] * 6}),
     "`answers` must not mix types in a problem; got 1 of type int"),
]  # fmt: skip


@for_each("kind, given, said", [*[("ValueError", *case) for case in WRONG_VALUES],
                                *[("TypeError", *case) for case in WRONG_TYPES]])  # fmt: skip
def test_arguments_that_cannot_be_used(kind, given, said):
    metric, *columns = given
    options = columns.pop() if columns and isinstance(columns[-1], dict) else {}
    refuses(f"{kind}: {said}", credit, metric, *columns, **options)


def test_each_problem_has_answers_of_its_own_type():
    grades, answers, problem = (
        [1, 0, 0, 1, 1, 0],
        ["x", 1, "y", 2, "x", None],
        ["p", "q", "p", "q", "p", "q"],
    )
    apart = credit("cons@2", [[1, 0, 1], [0, 1, 0]], answers=[["x", "y", "x"], [1, 2, None]])
    found = credit("cons@2", grades, answers=answers, problem=problem)
    assert [found[::2], found[1::2]] == apart


@for_each("normalize", ["std", "batch_std"])
def test_equal_credits_become_zero(normalize):
    # Without a baseline, all right is the same credit for all: in the votes, but for the last digit.
    answers = [["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f"]]
    options = {"baseline": None, "normalize": normalize}
    assert credit("cons@5", [[1] * 11], answers=answers, **options) == [[0] * 11]
    assert credit("pass@1", [[1, 1, 1]], **options) == [[0, 0, 0]]

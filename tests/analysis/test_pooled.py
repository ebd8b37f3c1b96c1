"""Several benchmarks: each as `compare` has it, and the pooled verdict."""

import numpy as np
import pytest

import at_k
from at_k.errors import InputError

RNG = np.random.default_rng(1)


def make(n, m, share):
    c = RNG.binomial(n, share, m)
    return {"problem": [f"q{i}" for i in range(m)], "grades": [[1] * own + [0] * (n - own) for own in c]}


A = {"easy": make(4, 20, 0.8), "hard": make(8, 40, 0.5)}
B = {"easy": make(4, 20, 0.6), "hard": make(8, 40, 0.3)}


def test_each_benchmark_is_compared_and_all_are_pooled():
    found = at_k.compare_benchmarks(A, B)
    for name, own in found.benchmarks.items():
        alone = at_k.compare(A[name], B[name])
        assert own.comparisons == alone.comparisons
    pooled = found.pooled.comparisons["pass@1"]
    parts = [own.comparisons["pass@1"].difference for own in found.benchmarks.values()]
    assert pooled.difference == pytest.approx(np.mean(parts))
    assert pooled.problems == (60, 60)
    assert "pass@8" not in found.pooled.comparisons  # the easy ones have four samples
    by_problem = at_k.compare_benchmarks(A, B, pool_by="problem", keys="pass@1").pooled.comparisons["pass@1"]
    assert by_problem.difference == pytest.approx((20 * parts[0] + 40 * parts[1]) / 60)


def test_it_is_written():
    found = at_k.compare_benchmarks(A, B, keys="pass@1", names=("new", "old"))
    assert str(found).startswith("| metric | new | old |")
    assert "### hard" in str(found)
    assert "Pooled over 2 benchmarks, each benchmark with equal weight." in str(found)
    assert set(found.to_dict()["benchmarks"]) == {"easy", "hard"}


@pytest.mark.parametrize(
    ("a", "b", "given", "error", "sentence"),
    [
        (A, {"easy": B["easy"]}, {}, InputError, "only one has hard"),
        ([A], [B], {}, TypeError, "`a` must map benchmarks to reports"),
        (A, B, {"pool_by": "size"}, ValueError, "`pool_by` must be"),
        ({"x": A["easy"], "y": A["hard"]}, {"x": B["easy"], "y": B["hard"]}, {"k": [8]}, ValueError, "k"),
    ],
)
def test_what_cannot_be_pooled_is_refused(a, b, given, error, sentence):
    with pytest.raises(error, match=sentence):
        at_k.compare_benchmarks(a, b, **given)


def test_saved_reports_without_a_number_in_common():
    a = {"x": at_k.score(A["easy"], k=2, metrics="pass_at_k"), "y": at_k.score(A["hard"], k=4, metrics="pass_at_k")}
    with pytest.raises(InputError, match="no share in common"):
        at_k.compare_benchmarks(a, a)


def test_benchmarks_may_be_numbered():
    found = at_k.compare_benchmarks({1: A["easy"], 2: A["hard"]}, {1: B["easy"], 2: B["hard"]}, keys="pass@1")
    named = at_k.compare_benchmarks(A, B, keys="pass@1")
    assert list(found.benchmarks) == ["1", "2"]
    assert found.pooled.comparisons == named.pooled.comparisons

"""What a comparison found, in words, JSON and Markdown."""

import json

import numpy as np
import pytest
from cases import for_each
from pairs import A, B, codes, make

from at_k.analysis.comparison import compare
from at_k.analysis.pooled import compare_benchmarks


class TestVerdicts:
    def test_better(self):
        found = compare(make([1] * 8), make([0.5] * 7 + [0.75]), names=("x", "y"))
        assert str(found.verdict("pass@1")) == "x is better"
        found = compare(make([0.5] * 7 + [0.75]), make([1] * 8), names=("x", "y"))
        assert str(found.verdict("pass@1")) == "y is better"

    def test_equal_everywhere(self):
        found = compare(make([0.5] * 400), make([0.5] * 400), margin=0.02)
        own = found.comparisons["pass@1"]
        assert (own.difference, own.p_value, own.won, own.lost, own.tied) == (0, 1, 0, 0, 400)
        assert own.low < 0 < own.high
        assert codes(found) == ["compare.equal"]
        assert str(found.verdict("pass@1")) == "equivalent within 0.02"
        assert found.flips == {"pass@1": []}

    def test_one_problem_shows_nothing(self):
        found = compare(make([1.0]), make([0.0]), extra_tests=["t"])
        own = found.comparisons["pass@1"]
        assert own.p_value == 1
        assert own.low < 0
        assert str(found.verdict("pass@1")) == "no difference shown"
        assert np.isnan(found.extra_tests["t"]["pass@1"])
        assert found.to_dict()["keys"]["pass@1"]["p_t"] is None

    @for_each("differing, least", [(1, 1), (4, 0.125), (5, 0.0625)])
    def test_few_differing_problems_cannot_reach_a_small_p(self, differing, least):
        found = compare(make([1] * 50), make([0] * differing + [1] * (50 - differing)))
        assert found.comparisons["pass@1"].p_value >= least
        assert str(found.verdict("pass@1")) == "no difference shown"
        (note,) = found.notes
        assert note.code == "compare.few"
        assert note.values == {"count": differing, "least": least}

    def test_six_can(self):
        found = compare(make([1] * 20), make([0] * 6 + [1] * 14))
        # With one sample of each problem: mid-p of six won and none lost.
        assert found.comparisons["pass@1"].p_value == pytest.approx(1 / 64, rel=1e-12)
        assert found.notes == []

    def test_a_note_about_some_keys_names_them(self):
        x, y = [1.0] * 9, [0.5] * 9
        found = compare({**make(x), **make(x, "pass@2")}, {**make(y), **make(x, "pass@2")})
        assert str(found.notes[-1]) == "pass@2: The two have the same value in every problem."

    def test_the_bounded_interval_is_wider(self):
        usual, bounded = (compare(A, B, method=method).comparisons["pass@1"] for method in ("sign-flip", "bounded"))
        assert bounded.low < usual.low
        assert usual.high < bounded.high
        assert usual.bounded == bounded.bounded

    def test_wilcoxon_comes_with_its_warning(self):
        assert "significance.wilcoxon" in codes(compare(A, B, extra_tests="wilcoxon"))
        assert "significance.wilcoxon" not in codes(compare(A, B, extra_tests="t"))

    def test_flips_are_the_largest_differences_by_name(self):
        x, y = [0.5] * 14, [0.5] * 14
        y[3], y[7], x[9] = 0.0, 1.0, 0.75
        found = compare(make(x), make(y))
        assert [(flip.problem, flip.a, flip.b) for flip in found.flips["pass@1"]] == [
            ("p3", 0.5, 0.0),
            ("p7", 0.5, 1.0),
            ("p9", 0.75, 0.5),
        ]
        assert len(compare(A, B).flips["pass@1"]) == 10


class TestSentences:
    def test_the_better_one_its_interval_and_what_would_undo_it(self):
        x, y = [1, 0.5, 1, 0.75, 1, 1, 0.25, 1], [0, 0.25, 0.25, 0.5, 0.5, 0.25, 0, 0.25]
        for pair in ((make(x), make(y)), (make(y), make(x))):
            found = compare(*pair, names=("x", "y") if pair[0] == make(x) else ("y", "x"))
            own = found.comparisons["pass@1"]
            low, high = sorted((abs(own.low), abs(own.high)))
            assert " ".join(map(str, found.describe("pass@1"))) == (
                f"x is better at pass@1: +56.2 points [+{100 * low:.1f}, +{100 * high:.1f}], p = 0.008. "
                "One more problem lost would undo this."
            )

    def test_several_problems_would_undo_it(self):
        found = compare(make([1] * 20), make([0.5] * 19 + [0.25]))
        count = found.comparisons["pass@1"].fragility
        assert str(found.describe("pass@1")[1]) == f"A further {count} problems lost would undo this."

    def test_equivalent_and_open(self):
        alike = compare(make([0.5] * 400), make([0.5] * 400), margin=0.02)
        assert [str(each)[:55] for each in alike.describe("pass@1")] == [
            "A and B are equivalent at pass@1, within 0.02: +0.0 poi"
        ]
        (said,) = compare(A, A).describe("pass@1")
        assert str(said).startswith("No difference between A and B is shown at pass@1: +0.0 points [−")
        assert str(said).endswith("], p = 1.000.")


class TestWriting:
    def test_json(self):
        found = compare(A, B, margin=0.1, extra_tests=["t", "mcnemar"])
        content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        own, plain = found.comparisons["pass@1"], content["keys"]["pass@1"]
        assert {name: plain[name] for name in ("a", "b", "difference", "low", "high", "p_value", "won")} == {
            name: getattr(own, name) for name in ("a", "b", "difference", "low", "high", "p_value", "won")
        }
        assert plain["p_mcnemar"] is None
        assert plain["p_equivalence"] == found.equivalence["pass@1"]
        assert plain["verdict"] == str(found.verdict("pass@1"))

    def test_markdown_survives_names_with_bars(self):
        found = compare(make([1] * 8), make([0.5] * 8), names=("x|y", "z"))
        header, rule, row, empty, said = str(found).splitlines()
        assert (empty, said[:42]) == ("", "- x|y is better at pass@1: +50.0 points [+")
        assert header.replace("\\|", "").count("|") == rule.count("|") == row.replace("\\|", "").count("|")
        assert row.endswith("x\\|y is better |")


def test_names_do_not_end_a_line_or_a_cell_of_markdown():
    found = compare({"grades": [[1, 1]] * 8}, {"grades": [[0, 1]] * 8}, names=("<think>\n# x", "a\\|b"), keys="pass@1")
    head, _, row, _, said, *_ = found.to_markdown().splitlines()
    assert head.startswith("| metric | <think> # x | a\\\\\\|b | difference")
    assert row.endswith("| <think> # x is better |")
    assert said.startswith("- <think> # x is better at pass@1: +50.0 points")
    right = {"grades": [[1]] * 6}
    pooled = compare_benchmarks({"x\n# y": right}, {"x\n# y": right}, keys="pass@1")
    assert "### x # y\n" in pooled.to_markdown()

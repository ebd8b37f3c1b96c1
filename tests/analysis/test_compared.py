"""The result of a comparison and of a ranking, in words, JSON and Markdown, and against the pairs of models."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from pairs import A, B, codes, count, make

import at_k
from at_k.analysis.benchmarks import compare_benchmarks
from at_k.analysis.claims import Difference, find_spans
from at_k.analysis.comparison import compare
from at_k.analysis.ranking import rank
from at_k.report.grid import find_twins
from at_k.uncertainty.comparison import compare_columns, compare_values


class TestDecisions:
    def test_one_problem_shows_nothing(self):
        found = compare(make([1.0]), make([0.0]), extra_tests=["t"])
        own = found.comparisons["pass@1"]
        assert own.p_value == 1
        assert own.low < 0
        assert str(found.decision("pass@1")) == "no difference shown"
        assert np.isnan(found.extra_tests["t"]["pass@1"])
        assert found.to_dict()["keys"]["pass@1"]["p_t"] is None

    @for_each("differing, least", [(1, 1), (4, 0.125), (5, 0.0625)])
    def test_few_differing_problems_cannot_reach_a_small_p(self, differing, least):
        found = compare(make([1] * 50), make([0.5] * differing + [1] * (50 - differing)))
        assert found.comparisons["pass@1"].p_value >= least
        assert str(found.decision("pass@1")) == "no difference shown"
        _, note = found.notes
        assert note.code == "compare.few"
        assert note.values == {"count": differing, "least": least}

        six = compare(make([1] * 20), make([0] * 6 + [1] * 14))
        # With one sample of each problem: mid-p of six won and none lost.
        assert six.comparisons["pass@1"].p_value == pytest.approx(1 / 64, rel=1e-12)
        assert codes(six) == ["compare.no_counts"]

    def test_a_note_about_some_keys_names_them(self):
        x, y = [1.0] * 9, [0.5] * 9
        found = compare({**make(x), **make(x, "pass@2")}, {**make(y), **make(x, "pass@2")})
        assert str(found.notes[-1]) == "pass@2: The two have the same value in every problem."

    def test_wilcoxons_test_comes_with_a_warning(self):
        warned = [
            "significance.wilcoxon" in codes(compare(A, B, extra_tests=test))
            for test in ("wilcoxon", "t")
        ]
        assert warned == [True, False]

    def test_flips_are_the_largest_differences_by_name(self):
        x, y = [0.5] * 14, [0.5] * 14
        y[3], y[7], x[9] = 0.0, 1.0, 0.75
        flips = [
            (flip.problem, flip.a, flip.b) for flip in compare(make(x), make(y)).flips["pass@1"]
        ]
        assert flips == [("p3", 0.5, 0.0), ("p7", 0.5, 1.0), ("p9", 0.75, 0.5)]
        assert len(compare(A, B).flips["pass@1"]) == 10


class TestSentences:
    def test_the_better_one_its_interval_and_what_would_undo_it(self):
        x, y = [1, 0.5, 1, 0.75, 1, 1, 0.25, 1], [0, 0.25, 0.25, 0.5, 0.5, 0.25, 0, 0.25]
        for pair in ((make(x), make(y)), (make(y), make(x))):
            found = compare(*pair, names=("x", "y") if pair[0] == make(x) else ("y", "x"))
            own = found.comparisons["pass@1"]
            low, high = sorted((abs(own.low), abs(own.high)))
            decision, robustness = found.describe("pass@1")
            assert str(decision) == (
                f"x is better at pass@1: +56.2 points [+{100 * low:.1f}, +{100 * high:.1f}], p = {own.p_value:.3f}."
            )
            assert robustness.code == "compare.undone_by_one"

        found = compare(make([1] * 20), make([0.5] * 19 + [0.25]))
        robustness = found.describe("pass@1")[1]
        assert robustness.code == "compare.undone"
        assert robustness.values == {"count": found.comparisons["pass@1"].fragility}

    def test_equivalent_and_open(self):
        (said,) = compare(make([0.5] * 400), make([0.5] * 400), margin=0.02).describe("pass@1")
        assert str(said).startswith("A and B are equivalent at pass@1, within 0.02: +0.0 poi")
        turned = {"pass@1": dict(zip(A["pass@1"], [*A["pass@1"].values()][::-1], strict=True))}
        said, counts = compare(A, turned).describe("pass@1")
        assert str(said).startswith(
            "No difference between A and B is shown at pass@1: +0.0 points [−"
        )
        assert str(counts).startswith(
            "With this spread and 40 problems, a difference counts from ±"
        )

    def test_the_same_samples_are_named_in_one_line_without_a_table(self):
        data = {"grades": [[1, 1, 0], [0, 0, 1], [1, 1, 1]]}
        for pair in (
            (A, A),
            (A, {"pass@1": dict(A["pass@1"])}),
            (data, {"grades": [list(r) for r in data["grades"]]}),
        ):
            found = compare(*pair)
            assert found.same
            assert [each.code for each in found.describe("pass@1")] == ["compare.same"]
            assert (
                found.to_markdown().strip()
                == "A and B are the same samples: no value of any problem differs."
            )
        solved = compare({"grades": [[1, 1]] * 9}, {"grades": [[1, 1]] * 9})
        assert (solved.same, solved.find_better("pass@1")) == (False, None)
        assert "|" not in solved.to_markdown()  # no table of zeros

    def test_unlike_numbers_of_samples_are_in_the_decision(self):
        a, b = {"grades": [[1, 1, 1, 1]] * 9}, {"grades": [[0, 1]] * 9}
        found = compare(a, b, metrics="pass@1", names=("x", "y"))
        assert [each.code for each in found.describe("pass@1")][:2] == [
            "compare.says_better",
            "compare.unlike_n",
        ]
        assert found.unlike.values["numbers"] == "x 4, y 2"
        assert found.to_dict()["keys"]["pass@1"]["decision"] == "x is better, n unlike"
        assert "x is better, n unlike" in found.to_markdown()
        assert compare(a, a).unlike is compare(A, B).unlike is None

    def test_the_noise_floor_is_a_note(self):
        rows = [[1, 0, 1, 0], [1, 1, 1, 0]] * 4
        other = {"grades": [row[::-1] for row in rows[:-1]] + [[1, 1, 1, 1]]}
        found = compare({"grades": rows}, other, metrics="pass@1")
        # n·p(1 − p)/(n − 1) is ⅓ and ¼, and each run has four samples of a problem.
        noise = 1.96 * np.sqrt(2 * 4 * (1 / 3 + 0.25) / 4) / 8
        assert found.noise == pytest.approx(
            (noise, 1.96 * np.sqrt(2 * (4 / 3 + 0.75) / 4) / 8), rel=1e-4
        )
        assert codes(found)[-1] == "compare.noise"
        assert found.to_dict()["noise_floor"][0] == pytest.approx(noise, rel=1e-4)


class TestTwoDecisions:
    """On these very problems, and for others like these."""

    def draw(self, shift, problems=30, samples=64, seed=3):
        """Draw two models, of which the first is better by `shift` logits, with some of its own."""
        rng = np.random.default_rng(seed)
        logits = rng.normal(0, 1.5, problems)
        own = logits + shift + rng.normal(0, 0.3, problems)
        chances = (1 / (1 + np.exp(-each)) for each in (own, logits))
        return [{"grades": rng.random((problems, samples)) < p[:, None]} for p in chances]

    def test_few_problems_with_many_samples_say_more_of_themselves(self):
        """Of 30 problems with 64 samples each, none that is valid for every law finds this."""
        found = at_k.compare(*self.draw(0.3), metrics="pass@1")
        here, others = found.reruns["pass@1"], found.comparisons["pass@1"]
        assert (here.better, others.better, here.method) == ("a", None, "rerun")
        (said,) = found.describe("pass@1")
        assert str(said).startswith("On these 30 problems A is better at pass@1: +")
        assert "For other problems like these, 30 are too few" in str(said)
        assert f"counts from ±{100 * others.counts_from:.1f} points." in str(said)
        assert str(found.decision("pass@1")) == "A is better on these problems"
        plain = json.loads(found.to_json())["keys"]["pass@1"]
        assert (plain["better"], plain["problem_set"]["better"]) == (None, "a")
        assert plain["problem_set"]["low"] == pytest.approx(here.low)
        for form in (found.to_latex(), found.to_markdown()):
            assert "A is better on these problems" in form
        asked = at_k.compare(*self.draw(0.3), metrics="pass@1", target="problem_set")
        assert asked.comparisons["pass@1"] == here
        # The sentence is the same whichever target is asked for, and JSON has the other one.
        assert str(asked.describe("pass@1")[0]) == str(said)
        assert asked.others["pass@1"] == others
        assert str(asked.decision("pass@1")) == "A is better on these problems"
        population = json.loads(asked.to_json())["keys"]["pass@1"]["population"]
        assert population == {**population, "better": None, "low": others.low, "high": others.high}

    def test_these_problems_are_named_where_they_are_the_target(self):
        found = at_k.compare(*self.draw(1.5, problems=100), metrics="pass@1", target="problem_set")
        first, second = map(str, found.describe("pass@1"))
        assert first.startswith("On these 100 problems A is better at pass@1: +")
        assert second.startswith("For other problems like these it is, too: +")
        found = at_k.compare(*self.draw(0.0), metrics="pass@1", target="problem_set")
        (said,) = map(str, found.describe("pass@1"))
        assert said.startswith(
            "No difference between A and B is shown at pass@1 on these 30 problems: "
        )

    def test_where_both_agree_one_is_said(self):
        found = at_k.compare(*self.draw(1.5, problems=100), metrics="pass@1")
        assert found.reruns["pass@1"].better == found.comparisons["pass@1"].better == "a"
        assert str(found.describe("pass@1")[0]).startswith("A is better at pass@1: +")

    def test_one_sample_of_each_problem_says_nothing_of_others(self):
        found = at_k.compare(count(*[1] * 9, n=1), count(*[0] * 9, n=1))
        assert found.reruns == {}
        assert found.to_dict()["keys"]["pass@1"]["problem_set"] is None

    def test_a_headline_says_where_the_sign_turns(self):
        """A solves a third always; B each problem with a chance of ¼."""
        a, b = count(*[12] * 20, *[0] * 40, n=12), count(*[3] * 60, n=12)
        found = at_k.compare(a, b)
        # 1/3 against 1 − C(9, k)/C(12, k): 1/4 for k = 1, and 5/11 for k = 2.
        assert found.turn == found.to_dict()["turn"] == 2
        (turn,) = [each for each in found.describe("pass@1") if each.code == "compare.turns"]
        assert str(turn).startswith(
            "The sign turns: from k = 2 on, B is ahead; at pass@12 by +66.7"
        )
        assert at_k.compare(a, b, metrics="pass@1").turn is None


class TestWriting:
    def test_json(self):
        found = compare(A, B, margin=0.1, extra_tests=["t", "wilcoxon"])
        content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        own, plain = found.comparisons["pass@1"], content["keys"]["pass@1"]
        for name in ("a", "b", "difference", "low", "high", "p_value", "won"):
            assert plain[name] == getattr(own, name)
        assert plain["p_wilcoxon"] == found.extra_tests["wilcoxon"]["pass@1"]
        assert plain["p_equivalence"] == found.equivalence["pass@1"]
        assert plain["decision"] == str(found.decision("pass@1"))

    def test_names_do_not_end_a_line_or_a_cell_of_markdown(self):
        found = compare(make([1] * 8), make([0.5] * 8), names=("<think>\n# x", "a\\|b"))
        said, _, head, rule, row, *_ = re.sub(" +", " ", found.to_markdown()).splitlines()
        assert head.startswith("| metric | <think> # x | a\\\\\\|b | A − B")
        assert (
            head.replace("\\|", "").count("|")
            == rule.count("|")
            == row.replace("\\|", "").count("|")
        )
        assert row.endswith("| **<think> # x is better** |")
        assert said.startswith("<think> # x is better at pass@1: +50.0 points [+")
        right = {"grades": [[1]] * 6}
        pooled = compare_benchmarks({"x\n# y": right}, {"x\n# y": right}, metrics="pass@1")
        assert "### x # y\n" in pooled.to_markdown()


DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def published():
    """The example of passk-inference 0.3.1; see tests/data/deepscaler_counts.md."""
    counts = json.loads((DATA / "deepscaler_counts.json").read_text())
    models = (count(*counts[name], n=counts["n"]) for name in ("rl", "base"))
    return at_k.compare(*models, names=("RL", "base"), metrics="pass_at_k", k=128, band=True)


def test_published_gains_and_losses(published):
    band = published.bands["pass@k"]
    assert find_spans(band) == [("a", 1, 10), (None, 11, 60), ("b", 61, 128)]
    assert list(map(str, published.describe_bands()[0])) == [
        "RL is better in pass@k for k = 1–10.",
        "base is better in pass@k for k = 61–128.",
        "No difference is shown for k = 11–60.",
        "The first k at which RL is worse lies from 11 to 61.",
    ]
    # Its expected.json, by 4,000 normal multipliers. Quantiles of random signs differ from it in the third decimal.
    expected = [(0, 0.065466, 0.086450), (10, -0.000396, 0.018471), (127, -0.035923, -0.003699)]
    for place, low, high in expected:
        assert (band[place].low, band[place].high) == pytest.approx((low, high), abs=1e-4)
    assert band[0].value == pytest.approx(
        published.comparisons["pass@128"].difference + 0.095769, abs=1e-5
    )
    assert published.to_dict()["bands"]["pass@k"][60] == {
        **band[60]._asdict(),
        "k": 61,
        "better": "b",
    }
    assert (
        "- RL is better in pass@k for k = 1–10. base is better in pass@k for k = 61–128."
        in published.to_markdown()
    )


def test_a_band_without_limits_is_json():
    equal = [{"grades": [[1, 0]] * 3, "scores": [[1, top]] * 3} for top in (2, 3)]
    band = at_k.compare(*equal, metrics="best_at_k", k=[1, 2], band=True).to_dict()["bands"][
        "max@k"
    ]
    assert [(at["low"], at["high"]) for at in band] == [(None, None)] * 2
    json.dumps(band, allow_nan=False)


def test_one_number_is_printed_once():
    single = at_k.compare(*({"grades": [[i % step == 0] for i in range(30)]} for step in (2, 3)))
    assert list(single.comparisons) == ["pass@1"]
    assert codes(single) == ["compare.by_order"]
    assert [line[:8] for line in single.to_csv().splitlines()] == ["metric,A", "pass@1,0"]
    models = [{"grades": [[0.4, share], [share, 1]]} for share in (0.6, 0.9)]
    names = ["pass_at_k", "avg_at_n"]
    soft = at_k.compare(*models, k=[1, 2], metrics=names, band=True)
    assert {"avg@2", "accuracy", "pass@2"} & {*find_twins(soft.numbers)} == {
        "avg@2"
    }  # a mean grade is another number
    assert [
        code
        for code in codes(soft)
        if code in ("compare.in_bands", "compare.adjusted", "report.no_other")
    ] == ["compare.in_bands"]


@for_each(
    "decisions, first_loss",
    [("aa", None), ("a-", None), ("b-", None), ("-ab", None), ("a--b", (2, 4)), ("ab", (2, 2))],
)
def test_the_first_loss_after_a_gain(decisions, first_loss):
    points = [
        Difference(k, 0.0, -1, 1, None if each == "-" else each)
        for k, each in enumerate(decisions, 1)
    ]
    (said,) = replace(compare(A, B), bands={at_k.Key("pass@k"): points}).describe_bands()
    found = [
        (each.values["first"], each.values["last"])
        for each in said
        if each.code == "compare.first_loss"
    ]
    assert found == [] if first_loss is None else [first_loss]


class TestBands:
    RNG = np.random.default_rng(2)
    A, B = RNG.integers(0, 9, 40), RNG.integers(0, 9, 40)

    def test_all_metrics_have_one_and_a_saved_report_those_of_counts(self, tmp_path):
        answers = [["7"] * c + list(map(str, range(8 - c))) for c in self.A]
        data = {"answers": answers, "references": ["7"] * 40}
        other = at_k.score(
            count(*self.B, n=8) | {"problem": list(map(str, range(40)))}, metrics=at_k.METRICS[:4]
        )
        report = at_k.score(data)
        full = at_k.compare(report, other, band=True)
        assert {"pass@k", "G-Pass@k_1.0", "mG-Pass@k", "cons@k"} <= full.bands.keys()
        assert [at.k for at in full.bands["cons@k"]] == [*range(1, 9)]
        assert [at.k for at in full.bands["mG-Pass@k"]] == [2, 4, 6, 8]  # at odd k it jumps
        report.save(tmp_path / "a.json")
        part = at_k.compare(tmp_path / "a.json", other, band=True)
        assert part.bands["pass@k"] == full.bands["pass@k"]
        assert [at.k for at in part.bands["cons@k"]] == [1, 2, 4, 8]


@for_each("a, b, clusters", [
    ([4] * 8, [4] * 8, None),
    ([4] * 5, [0] * 5, None),
    ([4] * 5 + [2], [0] * 5 + [2], None),
    ([4] * 25 + [2] * 75, [0] * 25 + [2] * 75, [str(place // 5) for place in range(100)]),
], ids=["equal", "too few problems", "few that differ", "few clusters that differ"])  # fmt: skip
def test_nothing_is_better_where_no_p_value_could_say_so(a, b, clusters):
    found = at_k.compare(count(*a, n=4), count(*b, n=4), clusters=clusters, band=True)
    assert found.find_better("pass@1") is None
    assert find_spans(found.bands["pass@k"]) == [(None, 1, 4)]


EASY = np.linspace(0.3, 0.7, 40)


def rank_values(values, key="pass@1", **options):
    """Rank models by their values of one number."""
    return rank(
        {name: {key: dict(enumerate(map(float, own)))} for name, own in values.items()},
        metrics=key,
        **options,
    )


def test_a_chain_in_which_only_the_ends_differ_is_one_tier():
    """A is better than C, but B could be equal to either: no line separates them."""
    noise = np.random.default_rng(1).normal(0, 0.1, size=(3, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    ranking = rank_values(
        {
            name: EASY + shift + noise[i]
            for i, (name, shift) in enumerate({"A": 0.05, "B": 0.0, "C": -0.05}.items())
        }
    )
    better = {pair for pair, p_value in ranking.p_values.items() if p_value <= 0.05}
    assert better == {("A", "C")}
    assert ranking.tiers == (("A", "B", "C"),)
    assert ranking.ranks == {"A": (1, 2), "B": (1, 3), "C": (2, 3)}


def test_pairs_are_compared_as_two_models_are():
    values = dict(zip("ABCD", np.random.default_rng(2).random((4, 30)), strict=True))
    ranking = rank_values(values, seed=3)
    assert len(ranking.pairs) == 6
    for (a, b), found in ranking.pairs.items():
        alone = compare_values(values[a], values[b], seed=3)
        assert found.p_value == alone.p_value
        assert found.low < alone.low < alone.high < found.high  # those of six pairs hold together
        assert (found.better is not None) == (found.low > 0)
        assert found.difference >= 0


def test_p_values_of_all_pairs_are_adjusted_together():
    """As those of six numbers of two models with the same differences."""
    values = dict(zip("ABCD", np.random.default_rng(2).random((4, 30)), strict=True))
    ranking = rank_values(values, key="max@1", seed=3)
    pairs = [(values[a], values[b]) for a, b in ranking.pairs]
    adjusted = [each.p_adjusted for each in compare_columns(pairs, [False] * 6, seed=3)]
    assert list(ranking.p_values.values()) == pytest.approx(adjusted, rel=1e-12)


@for_each("others", [2, 39])
def test_a_perfect_model_is_found_among_many_that_solve_nothing(others):
    """Holm over 780 pairs made p = .078 of the least p-value, and no tier of it."""
    values = {f"nothing {i}": np.zeros(60) for i in range(others)} | {"perfect": np.ones(60)}
    ranking = rank_values(values)
    assert ranking.tiers[0] == ("perfect",)
    assert ranking.ranks["perfect"] == (1, 1)
    assert ranking.ranks["nothing 0"] == (2, others + 1)


def test_equal_models_stay_in_the_order_given():
    ranking = rank_values({"second": [1, 0], "first": [1, 0]})
    assert ranking.names == ("second", "first")
    assert ranking.order == "second, first"


def test_numbers_are_called_as_they_were_asked_for():
    data = {"answers": [["4", "4", "5"], ["7", "9", "9"]] * 4, "references": ["4", "9"] * 4}
    other = {**data, "answers": [["4", "5", "5"], ["7", "8", "9"]] * 4}
    found = at_k.compare(data, other, metrics=["pass^2", "maj@3"])
    assert list(found) == ["G-Pass@2_1.0", "cons@3"]
    assert [row[0] for row in found.sheet().main.rows] == ["pass^2", "maj@3"]
    assert "at pass^2: " in str(found)
    found = at_k.compare(at_k.score(data, "maj@3"), at_k.score(other, "maj@3"))
    assert [row[0] for row in found.sheet().main.rows] == ["maj@3"]
    assert [row[0] for row in at_k.compare(data, other, k=2).sheet().main.rows][:1] != ["pass^2"]

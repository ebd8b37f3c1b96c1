"""The gate: decisions by the ends of intervals, one family of requirements, and its forms; and looks at results while
they arrive, each judged at its share of the level."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from cases import for_each, refuses
from pairs import count
from scipy.stats import binom

import at_k
from at_k.analysis.gated import FAIL, INCONCLUSIVE, PASS
from at_k.analysis.requirements import read_policy
from at_k.uncertainty.intervals import interval

MIXED = count(*[0, 1, 2, 3, 4, 4, 4, 4, 4, 4] * 5)


@for_each("key, least, decision", [
    ("pass@1", 0.6, PASS), ("pass@1", 0.75, INCONCLUSIVE), ("pass@1", 0.9, FAIL), ("avg@4", 0.6, PASS),
    ("avg@n", 0.6, PASS), ("pass^4", 0.4, PASS), ("G-Pass@4_0.5", 0.6, PASS), ("mG-Pass@4", 0.9, FAIL),
    ("cons@3", 0.9, FAIL), ("accuracy", 0.6, PASS), ("maj@3", 0.9, FAIL), ("MEAN@4", 0.6, PASS),
    ("g-pass@4_1/2", 0.6, PASS),
])  # fmt: skip
def test_the_decision_is_that_of_the_ends_of_the_interval(key, least, decision):
    (check,) = at_k.gate(MIXED, require=f"{key} >= {least}").checks
    report = at_k.score(MIXED, k=[1, 3, 4], thresholds=[0.5, 1.0], metrics=at_k.METRICS[:4])
    # Of one requirement the interval is that of the report. pass^k is G-Pass@k with τ = 1, and papers have other names.
    names = {"pass^4": "G-Pass@4_1.0", "maj@3": "cons@3", "g-pass@4_1/2": "G-Pass@4_0.5"}
    name = names.get(key, key) if key not in ("avg@n", "MEAN@4") else "avg@4"
    bar = report.intervals[name]
    assert (check.value, check.low, check.high) == pytest.approx(
        (report.values[name], bar.low, bar.high), abs=1e-12
    )
    assert check.decision == decision == at_k.gate(report, require=f"{key} >= {least}").decision


def test_three_of_three_cannot_show_it_and_fourteen_of_fourteen_do():
    found = {m: at_k.gate(count(*[4] * m), require="pass@1 >= 0.8") for m in (3, 13, 14)}
    assert [each.decision for each in found.values()] == [INCONCLUSIVE, INCONCLUSIVE, PASS]
    assert (found[3].exit_code, [remark.code for remark in found[3].remarks]) == (3, ["gate.open"])
    at_the_requirement = count(*[0, 4] * 200)  # is never settled
    assert at_k.gate(at_the_requirement, require="pass@1 >= 0.5").decision == INCONCLUSIVE


def score_equally(problems, *tops):
    """Make a data set for each top score of two samples, which is the same in all problems."""
    return [{"grades": [[1, 0]] * problems, "scores": [[1, top]] * problems} for top in tops]


BAND = {"margin": 0.1, "metrics": ["max@2", "pass@1"]}


@for_each("models, asked", [
    *[(score_equally(3, 2), {"require": require}) for require in ("max@2 >= 1", ["max@2 >= 1", "pass@1 >= 0.1"])],
    (score_equally(1, 3), {"require": "max@2 >= 2"}),
    (score_equally(3, 2, 2), {"margin": 0.1, "metrics": "max@2"}),
    (score_equally(1, 2, 1), BAND),
    ([{"grades": [[1, 0]] * 3, "scores": [[1, top + i] for i in range(3)]} for top in (2, 1)],
     BAND | {"clusters": ["x"] * 3}),
])  # fmt: skip
def test_scores_that_do_not_vary_have_no_limits(models, asked):
    found = at_k.gate(*models, **asked)
    check, plain = found.checks[0], json.loads(found.to_json())["checks"][0]
    assert (check.decision, check.low, check.high) == (INCONCLUSIVE, -np.inf, np.inf)
    assert (plain["low"], plain["high"]) == (None, None)


@for_each("require", ["pass@2 >= 0.5", "pass^2 >= 0.5", "cons@2 >= 0.5", "max@2 >= 1"])
def test_a_problem_with_too_few_samples_is_called_by_its_name(require):
    data = {"problem": ["alpha", "beta"], "grades": [[1, 1], [1]], "scores": [[1, 2], [1]]}
    refuses("InputError: problem “beta” has n = 1", at_k.gate, data, require=require)


class TestAgainstABase:
    A, B = count(*[2, 3, 4, 4, 1, 0] * 8), count(*[1, 3, 3, 4, 2, 0] * 8)

    @for_each("margin, decision", [(0.005, INCONCLUSIVE), (0.03, PASS), (0.5, PASS)])
    def test_the_interval_is_that_of_compare(self, margin, decision):
        found = at_k.gate(self.A, self.B, margin=margin)
        own = at_k.compare(self.A, self.B, metrics="pass@1").comparisons["pass@1"]
        (check,) = found.checks
        assert (check.value, check.low, check.high) == (own.difference, own.low, own.high)
        assert check.decision == (
            PASS if own.low >= -margin else FAIL if own.high < -margin else INCONCLUSIVE
        )
        assert check.decision == decision or margin == 0.005
        assert (
            at_k.gate(count(*[1] * 40), count(*[3] * 40), margin=0.1).exit_code == 1
        )  # lost more than the margin

    @for_each("a, b, decision", [
        (count(*[4] * 8), count(*[2] * 8), PASS),
        (count(*[2] * 8), count(*[4] * 8), FAIL),
        (count(*[4] * 8), count(*[4] * 8), INCONCLUSIVE),
        (count(*[4] * 5), count(*[0] * 5), INCONCLUSIVE),  # p = .0625: the interval begins at 0, and so holds it
    ])  # fmt: skip
    @for_each("keys", ["pass@1", ["pass@1", "pass^2"]])
    def test_without_a_margin_it_passes_where_the_candidate_is_better(self, a, b, decision, keys):
        found = at_k.gate(a, b, margin=0, metrics=keys)
        assert found.decision == decision
        assert found.checks[0].requirement == "pass@1 − base >= 0"

    def test_equal_differences_of_scores_do_not_narrow_a_band(self):
        check = at_k.gate(*score_equally(8, 2, 1), **BAND).checks[0]
        assert check.low < check.value == 1 < check.high

    def test_several_numbers_get_a_band(self):
        alone = at_k.gate(self.A, self.B, margin=0.02, metrics="pass@1").checks[0]
        together = at_k.gate(self.A, self.B, margin=0.02, metrics=["pass@1", "pass^4"])
        check = together.checks[0]
        values = [np.array([sum(row) / 4 for row in each["grades"]]) for each in (self.A, self.B)]
        stderr = (values[0] - values[1]).std(ddof=1) / np.sqrt(48)
        near = min(check.high - check.value, check.value - check.low)
        assert near > 1.96 * stderr
        # The bounded part is narrower than that of Bonferroni's level, 1 − 2·α/2.
        widest = interval((1 + check.value) / 2, stderr / 2, 48, confidence_level=1 - 0.05)
        assert check.low > 2 * widest[0] - 1
        assert check.high < 2 * widest[1] - 1
        assert check.high - check.low > alone.high - alone.low
        assert [note.code for note in together.notes] == ["gate.together"]

    def test_a_band_ends_where_differences_do(self):
        a, b = count(4, 4, 4, 4, 4, 4, 3, 2), count(0, 0, 0, 0, 0, 0, 1, 0)
        checks = at_k.gate(a, b, margin=0.02, metrics=["pass@1", "pass@2"]).checks
        turned = at_k.gate(b, a, margin=0.02, metrics=["pass@1", "pass@2"]).checks
        for check, other in zip(checks, turned, strict=True):
            assert check.value < check.high <= 1
            assert (other.low, other.high) == pytest.approx((-check.high, -check.low))

    def test_problems_are_matched_and_clusters_flip_together(self):
        shorter = {name: column[:-1] for name, column in self.B.items()}
        refuses(
            "InputError: not measured on the same problems", at_k.gate, self.A, shorter, margin=0.02
        )
        assert at_k.gate(self.A, shorter, margin=0.02, unmatched="drop").checks[0].high > 0
        labels = [i // 6 for i in range(48)]
        found = at_k.gate(self.A, self.B, margin=0.02, clusters=labels).checks[0]
        own = at_k.compare(self.A, self.B, metrics="pass@1", clusters=labels).comparisons["pass@1"]
        assert (found.low, found.high) == (own.low, own.high)


def test_several_requirements_share_the_level():
    texts = ["pass@1 >= 0.6", "pass@1 >= 60 %", "pass@1 ≥ .6"]
    one, same = at_k.gate(MIXED, require=texts[0]), at_k.gate(MIXED, require=texts)
    assert {(check.low, check.high) for check in same.checks} == {
        (one.checks[0].low, one.checks[0].high)
    }
    two = at_k.gate(MIXED, require=["pass@1 >= 0.6", "pass^4 >= 0.3"]).checks[0]
    report = at_k.score(MIXED, confidence_level=0.975)
    assert (
        one.checks[0].low > two.low > report.intervals["pass@1"].low
    )  # narrower than Bonferroni's


def test_samples_are_counted_and_those_to_come_may_be_right_or_wrong():
    grades = [[1] * 8 + [0] * 2, [1] * 7 + [0] * 3, [1] * 8, [0] * 3, [1, 1]]
    found = at_k.gate({"problem": list("abcde"), "grades": grades}, each="8 of 10")
    assert [check.decision for check in found.checks] == [PASS, FAIL, PASS, FAIL, INCONCLUSIVE]
    assert [check.problem for check in found.shown] == ["b", "d", "e"]
    assert (found.exit_code, bool(found)) == (1, False)
    assert at_k.gate({"grades": [[1, 1]]}, each="2 of 2")
    assert list(map(str, found.count_problems())) == ["Problems that pass 8 of 10: 2 of 5."]
    more = at_k.gate(
        {"grades": [[1] * 16 + [0] * 4, [1] * 15 + [0] * 5]}, each=" 8 / 10 "
    )  # count as a share
    assert [check.decision for check in more.checks] == [PASS, FAIL]


@for_each("given, says", [
    ({}, "Nothing is required"),
    ({"margin": 0.1}, "needs both"),
    *[({"base": MIXED, "margin": margin}, "`margin` must be at least 0 and below 1; got") for margin in (1, -0.1)],
    *[({"require": "pass@1 >= 0.5", "looks": looks}, f"{kind}: `looks` … {looks}")
      for looks, kind in ((0, "ValueError"), (2.5, "TypeError"), ("3", "TypeError"))],
    ({"require": "pass@1 > 0.5"}, "Requirements must use >=, not >"),
    *[({"require": f"pass@1 {asked}"}, f"above 0 and at most 1; got {share}. Ask 'pass@1 >= {answer}'")
      for asked, share, answer in (
          (">= 80", 80, "80%"), ("> 0", 0, "0.01"), (">= 800", 800, "0.8"), (">= 150%", 1.5, "0.8"))],
    ({"require": "pass@1 == 1"}, "must use >=, not ==. Did you mean 'pass@1 >= 1'"),
    *[({"require": f"pass@1 {sign} 1"}, f"{sign} would be an upper limit.") for sign in ("<=", "<", "≤")],
    ({"require": "pass@1 => 0.5"}, "'pass@1 >= 0.5'"),
    ({"each": "2 of 4", "looks": 3}, "No interval judges 2 of 4, so that `looks` changes nothing"),
    *[({"require": f"{key} >= 0.5"}, f"There is no number '{key}'") for key in ("pass@k", "pas@1", "G-Pass@4")],
    ({"require": "pass@1_0.5 >= 0.5"}, "There is no number"),
    ({"require": "best@2 >= 0.5"}, "needs a score for every sample"),
    ({"require": "pass@5 >= 0.5"}, "k"),
    *[({"each": each}, "`each` must say how many") for each in ("9 of 8", "pass@2 >= 0.5", "0 of 8")],
    ({"policy": {"a": {"require": "pass@1 >= 0.5"}}}, "nothing about results without a name. It has a"),
    ({"policy": {"requires": "pass@1 >= 0.5"}}, "The policy has requires, which is not one of require, each"),
    ({"policy": {"confidence_level": 2}}, "`confidence_level`"),
])  # fmt: skip
def test_impossible_requirements_are_refused(given, says):
    options = dict(given)
    kind = "" if says.startswith(("TypeError: ", "ValueError: ")) else "ValueError: "
    refuses(f"{kind}{says}", at_k.gate, MIXED, options.pop("base", None), **options)


def test_a_report_has_the_numbers_that_its_samples_or_its_counts_tell(tmp_path):
    refuses(
        "InputError: best@k is left out: it needs a score",
        at_k.gate,
        at_k.score(MIXED),
        require="best@2 >= 0.5",
    )
    report = at_k.score(MIXED, k=4, metrics=at_k.METRICS[:4])
    (check,) = at_k.gate(report, require="cons@3 >= 0.5").checks
    assert check.value == at_k.score(MIXED, metrics="cons@3").values["cons@3"]
    report.save(tmp_path / "r.json")
    says = "InputError: do not have cons@3. They have G-Pass@4_0.25"
    refuses(says, at_k.gate, tmp_path / "r.json", require="cons@3 >= 0.5")
    assert at_k.gate(tmp_path / "r.json", require="pass@3 >= 0.5").checks[0].value == pytest.approx(
        at_k.score(MIXED, metrics="pass@3").values["pass@3"]
    )


class TestForms:
    FOUND = at_k.gate(
        {"problem": ["a|b", "\x07<c>"], "grades": [[1, 1], [0, 0]]},
        require="pass@1 >= 0.5",
        each="1 of 2",
        data="x",
    ) + at_k.gate(MIXED, require="pass@1 >= 0.1")

    def test_junit(self):
        root = ElementTree.fromstring(self.FOUND.to_junit().encode())
        assert [
            [suite.get(name) for name in ("name", "tests", "failures", "errors")] for suite in root
        ] == [
            ["x", "3", "1", "1"],
            ["at-k gate", "1", "0", "0"],
        ]
        names = [case.get("name") for case in root.iter("testcase")]
        assert names == ["pass@1 >= 0.5", "a|b: 1 of 2", "\ufffd<c>: 1 of 2", "pass@1 >= 0.1"]
        assert [kind.tag for case in root.iter("testcase") for kind in case] == ["error", "failure"]


class TestPolicy:
    TEXT = """
        confidence_level = 0.9
        require = ["pass@1 >= 0.5"]
        [math]
        require = ["pass@1 >= 0.99", "pass^4 >= 0.1"]
        [code]
        margin = 0.05
        metrics = ["pass@4"]
    """

    def test_a_data_set_has_its_table_and_the_rest_what_stands_above(self, tmp_path):
        policy = tmp_path / "gate.toml"
        policy.write_text(self.TEXT)
        assert at_k.gate(MIXED, policy=policy).decision == PASS
        found = at_k.gate(MIXED, policy=str(policy), data="math")
        assert [check.name for check in found.checks] == [
            "math: pass@1 >= 0.99",
            "math: pass^4 >= 0.1",
        ]
        assert (
            at_k.gate(MIXED, MIXED, policy=policy, data="code", require=[]).checks[0].least == -0.05
        )
        assert (
            at_k.gate(MIXED, policy=policy, data="math", require="pass@1 >= 0.2").decision == PASS
        )
        policy.write_text("require = pass@1")
        refuses("InputError: not TOML", at_k.gate, MIXED, policy=policy)

    def test_a_candidate_that_is_its_own_base_is_noted(self):
        assert "gate.same" in [note.code for note in at_k.gate(MIXED, MIXED, margin=0.1).notes]
        assert at_k.gate(MIXED, require="pass@1 >= 0.1").notes == ()

    def test_a_policy_may_say_how_often_one_looks(self):
        ask = {"require": "pass@1 >= 0.5"}
        given, read = (
            at_k.gate(MIXED, policy=ask | looks, **more)
            for looks, more in (({}, {"looks": 20}), ({"looks": 20}, {}))
        )
        assert (read.checks, read.checks[0].low) == (given.checks, given.checks[0].low)
        assert read.checks[0].low < at_k.gate(MIXED, policy=ask).checks[0].low

    @for_each(
        "policy",
        [{"require": 3}, {"require": ["pass@1 >= 0.5", 3]}, {"metrics": 3}, {"metrics": [3]}],
    )
    def test_policies_without_strings_are_refused(self, policy):
        says = f"TypeError: `{next(iter(policy))}` must be a text or a list of texts … got"
        refuses(says, at_k.gate, MIXED, MIXED, margin=0.1, policy=policy)
        assert read_policy({"policy": None, "margin": 1}, {}) == {"policy": None, "margin": 1}


LOOKS = 20
ONE_LOOK = 1 - 0.05 / LOOKS


OTHER = count(*[0, 0, 2, 2, 4, 3, 4, 4, 1, 4] * 5)


def draw(rng, rate, problems=60, samples=8):
    return {"grades": (rng.random((problems, samples)) < rate).astype(int).tolist()}


@for_each("data, options, code", [
    ({"answers": [["b"]], "references": ["a"]}, {}, "note.no_match"),
    ({"answers": [["b"]], "references": ["b"]}, {"extract_fn": "boxed"}, "note.unanswered"),
])  # fmt: skip
def test_decisions_say_what_must_be_a_mistake(data, options, code):
    gate = at_k.gate(data, require="pass@1 >= 0.5", **options)
    others = (
        at_k.compare(data, data, **options),
        at_k.rank({"a": data, "b": data, "c": data}, **options),
    )
    assert all(code in [note.code for note in found.notes] for found in (gate, *others))


def test_each_look_is_judged_at_its_share_of_the_level():
    rng = np.random.default_rng(0)
    a, b = draw(rng, 0.6), draw(rng, 0.5)
    looked = at_k.compare(a, b, metrics="pass@1", looks=LOOKS)
    assert (
        looked.comparisons
        == at_k.compare(a, b, metrics="pass@1", confidence_level=ONE_LOOK).comparisons
    )
    gate = at_k.gate(a, require="pass@1 >= 0.5", looks=LOOKS)
    assert gate.checks == at_k.gate(a, require="pass@1 >= 0.5", confidence_level=ONE_LOOK).checks
    plan = at_k.plan(a, half_width=0.03, looks=LOOKS)
    assert (
        plan.needed_problems
        == at_k.plan(a, half_width=0.03, confidence_level=ONE_LOOK).needed_problems
    )
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
    "further",
    [{}, {"target": "problem_set", "k": 2}, {"band": True}, {"method": "bounded"}, {"margin": 0.1}],
)
def test_every_kind_of_comparison_takes_the_level_of_each_look(further):
    looked, alone = (
        at_k.compare(MIXED, OTHER, **level, **further)
        for level in ({"looks": LOOKS}, {"confidence_level": ONE_LOOK})
    )
    for key, own in alone.comparisons.items():
        found = looked.comparisons[key]
        assert (found.low, found.high, found.p_value) == pytest.approx(
            (own.low, own.high, own.p_value)
        )
        assert str(looked.decision(key)) == str(alone.decision(key))


def test_twenty_looks_at_equal_models_rarely_claim_a_difference():
    rng, looks = np.random.default_rng(36), np.arange(10, 201, 10)
    a, b = rng.binomial(1, rng.beta(1, 1, (1000, 200)), (2, 1000, 200))
    won, lost = (np.cumsum(each, axis=1)[:, looks - 1] for each in (a > b, a < b))
    tails = [
        binom.sf(one, won + lost, 0.5) + binom.pmf(one, won + lost, 0.5) / 2 for one in (won, lost)
    ]  # mid-p
    p_values = np.minimum(1, 2 * np.minimum(*tails))
    for own, look in (
        (0, 19),
        (1, 9),
        (2, 4),
    ):  # these are the p-values of the comparison, and decide its interval
        data = [count(*each[own, : looks[look]], n=1) for each in (a, b)]
        found = at_k.compare(*data, metrics="pass_at_k", looks=LOOKS).comparisons["pass@1"]
        assert found.p_value == pytest.approx(p_values[own, look])
        assert (found.low > 0 or found.high < 0) == (found.p_value < 0.05 / LOOKS)
    claimed, peeked = ((p_values < level).any(axis=1).mean() for level in (0.05 / LOOKS, 0.05))
    assert claimed <= 0.05
    assert peeked > 0.15


def test_twenty_looks_at_a_gate_rarely_pass_or_fail_falsely():
    rng, least, looks = np.random.default_rng(36), 0.6, np.arange(20, 401, 20)
    c = rng.binomial(4, rng.beta(1.2, 0.8, (1000, 400)))  # the mean is .6: neither decision is true
    found = [(c[:, :m].mean(axis=1) / 4, c[:, :m].std(axis=1, ddof=1) / 4 / m**0.5) for m in looks]
    low, high = np.array(
        [
            at_k.interval(*own, float(m), confidence_level=ONE_LOOK)
            for own, m in zip(found, looks, strict=True)
        ]
    ).transpose(1, 2, 0)
    for own in range(3):  # these are the intervals of the gate
        check = at_k.gate(count(*c[own, :100]), require=f"pass@1 >= {least}", looks=LOOKS).checks[0]
        assert (check.low, check.high) == pytest.approx((low[own, 4], high[own, 4]))
    assert max((low > least).any(axis=1).mean(), (high < least).any(axis=1).mean()) <= 0.03


class TestTheseProblems:
    """A gate about these very problems."""

    def test_its_intervals_are_those_of_the_target(self):
        rng = np.random.default_rng(0)
        a, b = draw(rng, 0.6), draw(rng, 0.5)
        gate = at_k.gate(a, require="pass@1 >= 0.5", target="problem_set")
        report = at_k.score(a, metrics="pass_at_k", k=1, target="problem_set")
        bar = report.intervals["pass@1"]
        assert (gate.checks[0].low, gate.checks[0].high) == pytest.approx((bar.low, bar.high))
        against = at_k.gate(a, b, margin=0.02, target="problem_set")
        pair = at_k.compare(a, b, metrics="pass@1").reruns["pass@1"]
        assert (against.checks[0].low, against.checks[0].high) == pytest.approx(
            (pair.low, pair.high)
        )
        for found in (gate, against):
            assert "These problems are gated" in str(found)
        others = at_k.gate(a, require="pass@1 >= 0.5").checks[0]
        assert others.low < gate.checks[0].low < gate.checks[0].high < others.high

    def test_all_samples_are_an_upper_bound_and_clusters_are_of_others(self):
        a = count(4, 3, 2, 1, n=4)
        found = at_k.gate(a, require="pass@4 >= 0.5", target="problem_set")
        assert "gate.upper_bound" in [note.code for note in found.notes]
        refuses(
            "compare.of_others",
            at_k.gate,
            a,
            require="pass@1 >= 0.5",
            target="problem_set",
            clusters=list("xxyy"),
        )


class TestCounts:
    """Data whose problems are counted and not kept."""

    data = at_k.Tally.of(MIXED)

    def test_one_requirement_is_judged_by_the_interval_of_the_report(self):
        for target in ("population", "problem_set"):
            asked = {"require": "pass@1 >= 0.1", "target": target}
            counted, kept = (at_k.gate(data, **asked).checks[0] for data in (self.data, MIXED))
            ends = counted.value, counted.low, counted.high
            assert ends == pytest.approx((kept.value, kept.low, kept.high))
        assert at_k.gate(at_k.score(self.data), require="pass@1 >= 0.1").decision == PASS

    def test_several_share_the_level(self):
        found = at_k.gate(self.data, require=["pass@1 >= 0.1", "pass^2 >= 0.1"], data="x")
        report = at_k.score(self.data, metrics=["pass@1", "pass^2"], confidence_level=0.975)
        ends = [(check.low, check.high) for check in found.checks]
        bars = [report.intervals[key] for key in ("pass@1", "pass^2")]
        assert ends == [(bar.low, bar.high) for bar in bars]
        assert {check.data for check in found.checks} == {"x"}
        assert "Simultaneous 95 % intervals (97.5 % each)" in str(found)

    @for_each("given, says", [
        ({"require": ["pass@1 >= 0.1", "pass@2 >= 0.1"]}, "gate.other_intervals"),
        ({"require": "pass@1 >= 0.1", "target": "problem_set"}, "gate.other_intervals"),
        ({"require": "pass@1 >= 0.1", "clusters": True}, "gate.other_intervals"),
        ({"each": "1 of 2"}, "tally.no_problems"),
        ({"base": MIXED, "margin": 0.1}, "tally.no_problems"),
    ])  # fmt: skip
    def test_what_needs_more_is_refused(self, given, says):
        base = [given[name] for name in ("base",) if name in given]
        options = {name: value for name, value in given.items() if name != "base"}
        refuses(says, at_k.gate, at_k.score(self.data), *base, **options)

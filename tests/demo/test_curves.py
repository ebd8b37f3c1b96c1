"""Every line of one problem, point by point, against enumeration and exact rationals."""

from fractions import Fraction
from itertools import pairwise

import oracles
import pytest
from modules import AVG_AT_N, CONS_AT_K, GPASSK, PASS_AT_K

from at_k.demo.curves import Setting, draw_curves
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.words import LANGUAGES, translate
from at_k.errors import InputError
from at_k.report import Curves, spread_k
from at_k.values import Key

TAUS = (0.1, 0.25, 0.5, 0.75, 0.9)

# Counts are exact integers up to n = 128; beyond, sums of a few hundred positive terms, each rounded to 1.1e-16.
REL = 1e-12
SMALL = [Setting(n, c, together) for n in range(1, 9) for c in range(n + 1) for together in range(n - c + 1)]
LARGE = [
    Setting(64, 4, 24),
    Setting(65, 30, 20),
    Setting(128, 1),
    Setting(129, 100, 29),
    Setting(256, 0, 256),
    Setting(256, 128, 100),
    Setting(256, 255, 1),
    Setting(256, 256),
]


def rounded(exact):
    return pytest.approx(float(exact), rel=REL, abs=1e-300)


def answers(setting):
    alone = range(setting.n - setting.c - setting.together)
    return ["right"] * setting.c + ["wrong"] * setting.together + [f"wrong {each}" for each in alone]


def of_counts(ways, taus):
    """Every metric that rests on how many of the k are correct."""
    k = len(ways) - 1
    return (
        {"pass@k": oracles.tail(ways, 1)}
        | {f"G-Pass@k_{tau}": oracles.tail(ways, oracles.needed(tau, k)) for tau in taus}
        | {"mG-Pass@k": oracles.mg_pass(ways), "pass^k": oracles.tail(ways, k)}
    )


@pytest.mark.parametrize("setting", SMALL, ids=lambda setting: f"{setting.n}-{setting.c}-{setting.together}")
def test_every_subset_of_few_samples(setting):
    n, c = setting.n, setting.c
    found = draw_curves(setting, TAUS)
    assert found.k == tuple(range(1, n + 1))
    for place, k in enumerate(found.k):
        exact = of_counts(oracles.correct_drawn(n, c, k), TAUS)
        exact |= {
            "cons@k": oracles.cons(answers(setting), [answer == "right" for answer in answers(setting)], k),
            "avg@n": Fraction(c, n),
        }
        assert {key: line[place] for key, line in found.lines.items()} == {
            key: rounded(value) for key, value in exact.items()
        }


@pytest.mark.parametrize("setting", LARGE, ids=lambda setting: f"{setting.n}-{setting.c}")
def test_many_samples(setting):
    n, c = setting.n, setting.c
    found = draw_curves(setting, (0.07, 0.5, 1.0))
    for place, k in list(enumerate(found.k))[::5]:
        exact = of_counts(oracles.hypergeometric(n, c, k), (0.07, 0.5, 1.0)) | {"avg@n": Fraction(c, n)}
        assert {key: line[place] for key, line in found.lines.items() if key != "cons@k"} == {
            key: rounded(value) for key, value in exact.items()
        }


def plurality(right, together, alone, k):
    """cons@k of `right` samples of the right answer, `together` of one wrong answer, `alone` of one answer each."""
    ways = Fraction(0)
    for r in range(1, min(right, k) + 1):
        for w in range(min(together, r, k - r) + 1):
            rest = k - r - w
            tied = 1 + (w == r) + (rest if r == 1 else 0)
            ways += Fraction(oracles.choose(right, r) * oracles.choose(together, w) * oracles.choose(alone, rest), tied)
    return ways / oracles.choose(right + together + alone, k)


@pytest.mark.parametrize("setting", LARGE, ids=lambda setting: f"{setting.n}-{setting.c}")
def test_votes_of_many_samples(setting):
    found = draw_curves(setting)
    alone = setting.n - setting.c - setting.together
    for k, value in list(zip(found.k, found.lines["cons@k"], strict=True))[::5]:
        assert value == rounded(plurality(setting.c, setting.together, alone, k))


def test_the_formula_of_the_vote_is_that_of_the_enumeration():
    for setting in SMALL:
        right = [answer == "right" for answer in answers(setting)]
        for k in range(1, setting.n + 1):
            exact = oracles.cons(answers(setting), right, k)
            assert plurality(setting.c, setting.together, setting.n - setting.c - setting.together, k) == exact


@pytest.mark.parametrize("setting", [*SMALL[::7], *LARGE], ids=lambda setting: f"{setting.n}-{setting.c}")
def test_identities(setting):
    lines = draw_curves(setting, (0.0, 0.5, 1.0)).lines
    share = setting.c / setting.n
    assert lines["G-Pass@k_0.0"] == lines["pass@k"]
    assert lines["G-Pass@k_1.0"] == lines["pass^k"]
    assert set(lines["avg@n"]) == {share}
    assert all(a <= b for a, b in pairwise(lines["pass@k"]))
    assert all(a >= b for a, b in pairwise(lines["pass^k"]))
    assert lines["mG-Pass@k"][0] == 0
    for key in lines.keys() - {"mG-Pass@k"}:
        assert lines[key][0] == rounded(share)
        for low, value, high in zip(lines["pass^k"], lines[key], lines["pass@k"], strict=True):
            assert 0 <= value <= 1
            assert low * (1 - REL) <= value <= high * (1 + REL)


def test_a_problem_is_all_wrong_or_all_right():
    assert set(draw_curves(Setting(256, 256)).lines["cons@k"]) == {1.0}
    for line in draw_curves(Setting(256, 0, 256)).lines.values():
        assert set(line) == {0.0}


class TestDrawnK:
    @pytest.mark.parametrize("n", range(1, 65))
    def test_few_are_all_drawn(self, n):
        assert spread_k(n) == spread_k(n, 1) == tuple(range(1, n + 1))

    @pytest.mark.parametrize("n", [65, 100, 128, 255, 256, 1000])
    def test_many_are_spread(self, n):
        k = spread_k(n)
        assert (k[0], k[-1]) == (1, n)
        assert list(k) == sorted(set(k))
        assert 30 <= len(k) <= 64
        # No gap looks larger than any other on a logarithmic axis, as far as whole numbers can do that.
        assert max(b / a for a, b in pairwise(k) if a > 20) < 1.2
        assert k[:8] == tuple(range(1, 9))

    def test_others_are_drawn_too(self):
        assert set(spread_k(256, 77, 201)) == set(spread_k(256)) | {77, 201}


BAD = {
    "no samples": ((0, 0), "bad_n"),
    "fewer than none": ((-1, 0), "bad_n"),
    "too many samples": ((MAX_EXPLORE_N + 1, 1), "bad_n"),
    "far too many": ((10**400, 1), "bad_n"),
    "half a sample": ((4.0, 1), "bad_n"),
    "true samples": ((True, 1), "bad_n"),
    "a text": (("4", 1), "bad_n"),
    "nothing": ((None, 1), "bad_n"),
    "a list": (([4], 1), "bad_n"),
    "too many right": ((4, 5), "bad_c"),
    "fewer than none right": ((4, -1), "bad_c"),
    "half right": ((4, 0.5), "bad_c"),
    "not a number right": ((4, float("nan")), "bad_c"),
    "too many together": ((4, 1, 4), "bad_together"),
    "fewer than none together": ((4, 1, -1), "bad_together"),
    "nothing together": ((4, 1, None), "bad_together"),
}


@pytest.mark.parametrize(("arguments", "reason"), BAD.values(), ids=BAD)
def test_settings_out_of_range_are_refused(arguments, reason):
    with pytest.raises(InputError) as caught:
        Setting(*arguments)
    assert caught.value.code == f"explore.{reason}"
    wrong = arguments[("bad_n", "bad_c", "bad_together").index(reason)]
    for language in LANGUAGES:
        assert str(wrong) in translate(caught.value, language)


def test_the_largest_setting_is_taken():
    assert draw_curves(Setting(MAX_EXPLORE_N, 1, MAX_EXPLORE_N - 1)).k[-1] == MAX_EXPLORE_N


@pytest.mark.parametrize("n", [1, 4, 12])
def test_keys_and_values_are_those_of_compute(n):
    c, draws, taus = n // 2, sorted({1, (n + 1) // 2, n}), (0.25, 0.5, 1.0)
    setting = Setting(n, c, n - c)
    columns = {"predictions": [answers(setting)], "references": ["right"]}
    computed = GPASSK.load().compute(**columns, k=draws, thresholds=list(taus))
    computed |= {f"pass^{k}": computed[f"G-Pass@{k}_1.0"] for k in draws}
    for module in (PASS_AT_K, CONS_AT_K):
        computed |= module.load().compute(**columns, k=draws)
    computed[f"avg@{n}"] = AVG_AT_N.load().compute(**columns)[f"avg@{n}"]
    found = draw_curves(setting, taus)
    assert {key: value for k in draws for key, value in found.at(k).items()} == computed


def test_what_is_not_there_is_not_found():
    partial = Curves((1, 4), {Key("pass@k"): (0.5, None), Key("avg@n"): (0.5, 0.5)})
    assert partial.at(4) == {"avg@4": 0.5}
    with pytest.raises(ValueError, match="must be a k of the curves, which are"):
        partial.at(2)

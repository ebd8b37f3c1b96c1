import pytest
from cases import for_each, refuses
from scipy.stats import beta

import at_k

DATA = {
    "problem": ["never", "seldom", "half", "always"],
    "answers": [["1"] * 8, ["7", "1", "1", "1", "2", "3", "1", "1"], ["7", "7", "7", "7", "1", "2", "3", "4"],
        ["7"] * 8],
    "references": ["7"] * 4,
}  # fmt: skip
REPORT = at_k.score(DATA, k=[1, 4, 8])


@for_each("where, names", [
    ("0.1 <= avg <= 0.9", ["seldom", "half"]), ("0.9 >= avg > 0.125", ["half"]), ("avg@8 == 0", ["never"]),
    ("avg@n < 1", ["never", "seldom", "half"]), ("pass@4 >= 0.5", ["seldom", "half", "always"]),
    ("pass@4 ≥ 5e-1 and cons@8 == 1 and avg ≤ .5", ["half"]), ("G-Pass@8_0.5 == 1", ["half", "always"]),
    ("avg > 1", []), ("maj@8 == 1", ["half", "always"]), ("PASS^4 > 0 and mean@8 < 1", ["half"]),
    ("g-pass@8_1/2 == 1 and accuracy <= 0.5", ["half"]),
])  # fmt: skip
def test_problems_are_selected_by_their_values(where, names):
    assert REPORT.select(where) == names


def test_the_interval_of_a_rate():
    """The limits are quantiles of the posterior, by SciPy's distribution: 0 of 8 is a rate below 0.336."""
    assert beta(1, 9).ppf(0.975) == pytest.approx(0.3363, abs=1e-4)
    assert REPORT.select("avg < 0.337", confident=True) == ["never"]
    assert REPORT.select("avg < 0.336", confident=True) == []
    assert REPORT.select("avg < 0.336", confident=True, confidence_level=0.9) == ["never"]
    assert REPORT.select("0.1 <= avg <= 0.9", confident=True) == ["half"]


@for_each("key, chance", [
    ("pass@4", lambda p: 1 - (1 - p) ** 4), ("pass@64", lambda p: 1 - (1 - p) ** 64), ("pass^4", lambda p: p**4),
    ("G-Pass@4_0.75", lambda p: 4 * p**3 * (1 - p) + p**4), ("G-Pass@2_0", lambda p: 1 - (1 - p) ** 2),
])  # fmt: skip
def test_the_interval_of_what_a_rate_tells(key, chance):
    """Limits of the rate become limits of the number, which rises with it; n need not reach k."""
    low, high = (chance(beta(2, 8).ppf(end)) for end in (0.025, 0.975))
    for shift, names in ((1e-9, ["seldom"]), (-1e-9, [])):
        for where in (f"{low - shift} <= {key} <= 1", f"0 <= {key} <= {high + shift}"):
            assert [name for name in REPORT.select(where, confident=True) if name == "seldom"] == names


@for_each(
    "where",
    [
        "", "avg", "avg <", "avg < x", "1 < 2", "0.1 <= avg <= x", "avg < 1 < 2 < 3", "__import__('os')", "a < b",
        "avg < .5 or avg > .9", "avg < 50%", "10% <= avg", "not avg > .5", ".1 < avg & avg < .9", "(avg < .5)",
        "avg < .5 || pass@4 > .9", "avg > .1 AND avg < .9",
    ],
)  # fmt: skip
def test_conditions_that_cannot_be_read(where):
    refuses(
        "InputError: A condition compares a value with numbers…Write 50% as 0.5…for others, select twice",
        REPORT.select, where,
    )  # fmt: skip


@for_each("where, options, kind, sentence", [
    ("pass@3 > 0", {}, at_k.InputError, r"no value 'pass@3' here. There are avg, .*pass@4"),
    ("cons@8 > 0", {"confident": True}, at_k.InputError, "G-Pass@k; got 'cons@8'"),
    ("pass@k > 0", {}, at_k.InputError, "no number 'pass@k'. Numbers are spelled like"),
    ("G-Pass@8 > 0", {}, at_k.InputError, "no number 'G-Pass@8'"),
    ("pass@0 > 0", {}, at_k.InputError, "no number 'pass@0': samples are counted 1, 2, 3 and on, as in pass@1"),
    ("hard > 0", {}, at_k.InputError, "no number 'hard'"),
    ("avg@4 > 0", {}, at_k.InputError, "no value 'avg@4' here. There are avg, .*avg@8"),
    ("G-Pass@8_1.5 < 1", {"confident": True}, ValueError, r"`tau` must lie in \[0, 1\]; got 1.5"),
    ("avg > 0", {"confidence_level": 95}, ValueError, "between 0 and 1"),
    (3, {}, TypeError, "`where` must be a string"),
])  # fmt: skip
def test_wrong_selections(where, options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        REPORT.select(where, **options)


def test_a_tally_has_no_problems():
    with pytest.raises(at_k.InputError, match="A selection needs"):
        at_k.score(at_k.Tally.from_rows([(4, 1, 2)])).select("avg > 0")

"""Names of metrics, as modules and as papers spell them, weighted sums, and conditions that select problems."""

import copy
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each, refuses

import at_k
from at_k.family import FAMILY
from at_k.report.naming import find_key

DATA = {
    "answers": [["4", "4", "5", "6"], ["7", "9", "7", "8"]],
    "references": ["4", "9"],
    "scores": [[0.9, 0.1, 0.2, 0.3], [0.1, 0.4, 0.2, 0.3]],
}


@for_each("names, same, numbers", [
    *[(name, {"metrics": metric, "k": [k]}, [key]) for name, metric, k, key in (
        ("pass@1", "pass_at_k", 1, "pass@1"), ("PASS@2", "pass_at_k", 2, "pass@2"),
        ("coverage@2", "pass_at_k", 2, "pass@2"), ("maj@4", "cons_at_k", 4, "cons@4"),
        ("self-consistency@4", "cons_at_k", 4, "cons@4"), ("best@2", "best_at_k", 2, "best@2"),
        ("mG-Pass@4", "gpassk", 4, "mG-Pass@4"))],
    ("pass@k", {"metrics": "pass_at_k"}, ["pass@1", "pass@2", "pass@4"]),
    ("pass^k", {"metrics": "gpassk", "thresholds": [1.0]}, ["G-Pass@4_1.0"]),
    ("pass^4", {"metrics": "gpassk", "k": [4], "thresholds": [1.0]}, ["G-Pass@4_1.0"]),
    ("G-Pass@4_0.5", {"metrics": "gpassk", "k": [4], "thresholds": [0.5]}, ["G-Pass@4_0.5"]),
    ("avg@4", {"metrics": "avg_at_n"}, ["avg@4"]), ("accuracy", {"metrics": "avg_at_n"}, ["accuracy"]),
    (["G-Pass@2_2/3", "pass^4"], {"metrics": ["gpassk"], "k": [2, 4], "thresholds": [Fraction(2, 3), 1.0]},
     ["G-Pass@2_2/3", "G-Pass@4_1.0"]),
    (["pass@1", "maj@4"], {"metrics": ["pass_at_k", "cons_at_k"], "k": [1, 4]}, ["pass@1", "cons@4"]),
    (["pass@1", "cons_at_k"], {"metrics": ["pass_at_k", "cons_at_k"], "k": [1]}, ["pass@1", "cons@1"]),
])  # fmt: skip
def test_a_name_of_papers_is_a_number_of_a_module(names, same, numbers):
    found, expected = at_k.score(DATA, metrics=names), at_k.score(DATA, **same)
    assert found.values == {key: expected.values[key] for key in numbers}
    assert found.intervals == {
        key: bar for key, bar in expected.intervals.items() if key in numbers
    }
    assert found.signatures == expected.signatures
    assert found.options == {"metrics": names}
    if numbers != ["best@2"]:  # a tally keeps no scores
        counted = at_k.score(at_k.Tally.of(DATA), metrics=names)
        assert counted.values == pytest.approx(found.values, abs=1e-12)


ASKED = ["pass^2", "maj@3", "PASS@1", "mean@4", "rm@2", ".5 pass@2 + .5 maj@2"]
SPELLED = [
    *[*ASKED, "pass_at_1", "pass_hat_2", "cons_at_3", "g_pass_at_2_1.0", "G-Pass@2_1", "best@2"],
    *["avg", "avg@n", "avg@4", "self-consistency@3"],
]


@for_each("name", SPELLED)
def test_a_number_is_looked_up_as_it_was_asked_for(name, tmp_path):
    report = at_k.score(DATA | {"group": ["x", "y"]}, metrics=ASKED)
    report.save(tmp_path / "report.json")
    # What `metrics=name` alone computes is the number.
    [(key, value)] = at_k.score(DATA, metrics=name.replace("_at_", "@").replace("_hat_", "^").replace(
        "g_pass", "g-pass")).values.items()  # fmt: skip
    for held in (report, at_k.Report.load(tmp_path / "report.json"), copy.deepcopy(report)):
        assert held.values[name] == held.values.get(name) == value
        assert held.intervals[name] == report.intervals[key]
        assert held.groups["x"][name] == report.groups["x"][key]
        assert held.group_intervals["y"][name] == report.group_intervals["y"][key]
        assert held.by_problem[name] == report.by_problem[key]
        assert name in held.values
    compared = at_k.compare(DATA, DATA | {"scores": [[0.1, 0.2, 0.3, 0.4]] * 2}, metrics=ASKED)
    assert compared.comparisons[name] is compared.comparisons[key]


def test_names_of_numbers_change_nothing_else():
    values = at_k.score(DATA, metrics=ASKED).values
    assert json.loads(json.dumps(values)) == values == dict(values)
    assert pickle.loads(pickle.dumps(values)) == values
    assert list(values) == [
        "G-Pass@2_1.0",
        "pass@1",
        "0.5 pass@2 + 0.5 cons@2",
        "cons@3",
        "avg@4",
        "best@2",
    ]
    assert values.get("maj@9") is None
    for name in ("maj@9", "pass@k", "G-Pass@2", "0.5 pass@2", "a + b", "pass", ""):
        assert name not in values
        with pytest.raises(
            KeyError, match=r"There is no number .* There are: G-Pass@2_1\.0, pass@1, "
        ):
            values[name]


def test_a_table_shows_the_names_that_were_asked_for():
    report = at_k.score(DATA, metrics=ASKED, confidence_level=None)
    rows = [row[0] for row in report.sheet(short=True).main.rows]
    assert rows == ["0.5 pass@2 + 0.5 cons@2", "mean@n", "pass^k", "pass@k", "maj@k", "rm@k"]
    models = at_k.score_models({"a": report, "b": report})
    assert [*models.keys.values()] == [
        *["pass^2", "pass@1", "0.5 pass@2 + 0.5 cons@2", "maj@3", "mean@4", "rm@2"]
    ]


def test_a_vote_that_is_asked_for_is_computed_where_few_answers_repeat():
    data = {
        "answers": [[f"{i} {j}" for j in range(10)] for i in range(5)],
        "references": [f"{i} 0" for i in range(5)],
    }
    assert "cons_at_k" in at_k.score(data).left_out
    report = at_k.score(data, metrics="maj@4")
    assert report.values["maj@4"] == pytest.approx(
        1 / 10
    )  # four different votes: each wins as often
    assert [note.values for note in report.notes if note.code == "note.scatter"] == [
        {"repeats": 0, "chances": 45}
    ]
    counted = at_k.score(at_k.Tally.of(data), metrics="maj@4")
    assert counted.values == report.values
    assert "note.scatter" in [note.code for note in counted.notes]


def test_every_number_is_found_by_its_name():
    for metric in FAMILY.values():
        for output in metric.outputs:
            assert find_key(output.metric) == (output.metric if output.of_module else None)
    for name in ("pass@n", "pass@0", "pass@", "avg@k", "pass@8_0.5", "@8", "", "cons@4_mcse"):
        assert find_key(name) is None


@for_each("options, says", [
    *[({"metrics": ["pass@1"], "k": k}, "`k= … contradicts `metrics`, whose names hold 1. Leave it out, or name")
      for k in (2, [2, 3])],
    ({"metrics": "pass^4", "thresholds": 0.5}, "`thresholds= … contradicts `metrics`, whose names hold 1.0"),
    ({"metrics": "G-Pass@4_1.5"}, "in [0, 1]"),
    *[({"metrics": name}, f"Unknown metric {name!r}. Did you mean {near}?")
      for name, near in (("passk", "pass@k"), ("pas_at_k", "pass_at_k"), ("pas@4", "pass@4"), ("pass@kk", "pass@k"))],
    *[({"metrics": name}, f"There is no number '{name}': …, as in {near}.")
      for name, near in (("pass@0", "pass@1"), ("pass^-4", "pass^1"), ("maj@2.5", "cons@1"),
                         ("G-Pass@0_0.5", "G-Pass@1_0.5"), ("avg@0", "avg@1"))],
])  # fmt: skip
def test_names_that_no_number_has_are_refused(options, says):
    refuses(f"ValueError: {says}", at_k.score, DATA, **options)


def test_names_that_hold_for_several_numbers():
    assert at_k.score(DATA, metrics=["pass@1"], k=[1, 2]).k == (1, 2)  # the name holds for both
    assert at_k.score(DATA, metrics="avg").values == at_k.score(DATA, metrics="avg@n").values
    assert (
        at_k.score(DATA, metrics="pass@1, maj@2").values
        == at_k.score(DATA, metrics=["pass@1", "maj@2"]).values
    )
    assert at_k.score({"grades": [[1, 0] * 4]}, metrics="mean@8").values["avg@8"] == 0.5


@for_each(
    "data",
    [
        {"grades": [[1, 0] * 4]},
        {"grades": [[1, 0, 0], [1, 0]]},
        at_k.Tally.of({"grades": [[1, 0] * 4]}),
    ],
)
def test_an_average_of_another_number_of_samples_is_an_error(data):
    refuses(
        "InputError: The results do not have avg@4. They have avg@",
        at_k.score,
        data,
        metrics="avg@4",
    )


ANSWERED = {
    "problem": ["a", "b", "c", "d"],
    "grades": [[1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1]],
    "answers": [["7", "x", "y", "7"], ["7"] * 4, ["x", "y", "x", "z"], ["x", "7", "7", "7"]],
}
OTHER = {**ANSWERED, "grades": [[1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]]}
del OTHER["answers"]
SUMS = {
    "0.5 pass@2 + 0.5 pass^2": {"pass@2": 0.5, "pass^2": 0.5},
    "0.25 pass@4 + 0.75 cons@4": {"coverage@4": 0.25, "maj@4": 0.75},
    "0.333333333333 avg@4 + 0.333333333333 pass@1 + 0.333333333333 G-Pass@4_0.5": {
        "avg@4": 1 / 3, "pass@1": 1 / 3, "G-Pass@4_0.5": 1 / 3
    },
    "pass@2": {"pass@2": 1},
}  # fmt: skip


@for_each("name, weights", SUMS.items())
def test_a_weighted_sum_is_one_number(name, weights):
    """Its value, and that of every problem, is the mean of others by the weights; text and mapping say the same."""
    parts = at_k.score(ANSWERED, metrics=list(weights)).by_problem
    spelled = {"pass^2": "G-Pass@2_1.0"}
    keys = [spelled.get(find_key(each), find_key(each)) for each in weights]
    values = sum(
        weight * np.array(parts[key]) for weight, key in zip(weights.values(), keys, strict=True)
    )
    for metrics in (weights, name, [name.replace(" pass", "*pass")]):
        report = at_k.score(ANSWERED, metrics=metrics)
        assert [*report.values] == [name]
        assert report.by_problem[name] == pytest.approx(values, abs=1e-11)
        bar = report.intervals[name]
        assert bar.stderr == pytest.approx(np.std(values, ddof=1) / 2, abs=1e-11)
        assert 0 <= bar.low < report.values[name] < bar.high <= 1
    assert at_k.score(
        at_k.Tally.of({"grades": ANSWERED["grades"]}), metrics="0.5 pass@2 + 0.5 pass^2"
    ).values


def test_decisions_take_weighted_sums():
    weights, name = SUMS["0.5 pass@2 + 0.5 pass^2"], "0.5 pass@2 + 0.5 pass^2"
    a, b = (at_k.score(data, metrics=weights).values[name] for data in (ANSWERED, OTHER))
    compared = at_k.compare(ANSWERED, OTHER, metrics=weights).comparisons[name]
    assert (compared.a, compared.b, compared.difference) == pytest.approx((a, b, a - b))
    assert at_k.gate(ANSWERED, require=f"{name} >= 0.1").checks[0].value == pytest.approx(a)
    assert at_k.gate(ANSWERED, OTHER, metrics=weights, margin=0.1).checks[0].value == pytest.approx(
        a - b
    )
    assert str(at_k.rank({"a": ANSWERED, "b": OTHER}, metrics=weights)).startswith("b, a")


@for_each("metrics, code", [
    ({"pass@2": 0.5, "pass^2": 0.6}, "naming.weights"),
    ({"pass@2": 1.5, "pass^2": -0.5}, "naming.weights"),
    ({"pass@2": "1"}, "naming.weights"),
    ({"pass@2": 0.5, "max@2": 0.5}, "naming.term"),
    ({"cons@2": 0.5, "maj@2": 0.5}, "naming.term"),
    ("0.5*pass@2 +", "naming.sum"),
    ("pass@2 + pass^2", "naming.sum"),
    ({"pass@2": 0.5, "pass@k": 0.5}, "naming.number"),
    ({"avg@3": 0.5, "pass@2": 0.5}, "naming.absent"),
])  # fmt: skip
def test_odd_sums_are_refused(metrics, code):
    refuses(code, at_k.score, ANSWERED, metrics=metrics)


SOLVED = {
    "problem": ["never", "seldom", "half", "always"],
    "answers": [["1"] * 8, ["7", "1", "1", "1", "2", "3", "1", "1"], ["7", "7", "7", "7", "1", "2", "3", "4"],
        ["7"] * 8],
    "references": ["7"] * 4,
}  # fmt: skip
REPORT = at_k.score(SOLVED, k=[1, 4, 8])


@for_each("where, names", [
    ("0.1 <= avg <= 0.9", ["seldom", "half"]), ("0.9 >= avg > 0.125", ["half"]), ("avg@8 == 0", ["never"]),
    ("avg@n < 1", ["never", "seldom", "half"]), ("pass@4 >= 0.5", ["seldom", "half", "always"]),
    ("pass@4 ≥ 5e-1 and cons@8 == 1 and avg ≤ .5", ["half"]), ("G-Pass@8_0.5 == 1", ["half", "always"]),
    ("avg > 1", []), ("maj@8 == 1", ["half", "always"]), ("PASS^4 > 0 and mean@8 < 1", ["half"]),
    ("g-pass@8_1/2 == 1 and accuracy <= 0.5", ["half"]),
])  # fmt: skip
def test_problems_are_selected_by_their_values(where, names):
    assert REPORT.select(where) == names


@for_each("where", [
    "", "avg", "avg <", "avg < x", "1 < 2", "0.1 <= avg <= x", "avg < 1 < 2 < 3", "__import__('os')", "a < b",
    "avg < .5 or avg > .9", "avg < 50%", "10% <= avg", "not avg > .5", ".1 < avg & avg < .9", "(avg < .5)",
    "avg < .5 || pass@4 > .9", "avg > .1 AND avg < .9",
])  # fmt: skip
def test_conditions_that_cannot_be_read(where):
    says = "InputError: A condition compares a value with numbers…Write 50% as 0.5…for others, select twice"
    refuses(says, REPORT.select, where)


@for_each("where, says", [
    ("pass@3 > 0", "InputError: no value 'pass@3' here. There are avg, … pass@4"),
    ("pass@k > 0", "InputError: no number 'pass@k'. Numbers are spelled like"),
    ("G-Pass@8 > 0", "InputError: no number 'G-Pass@8'"),
    ("pass@0 > 0", "InputError: no number 'pass@0': samples are counted 1, 2, 3 and on, as in pass@1"),
    ("hard > 0", "InputError: no number 'hard'"),
    ("avg@4 > 0", "InputError: no value 'avg@4' here. There are avg, … avg@8"),
    ("G-Pass@8_1.5 < 1", "ValueError: `thresholds` must lie in [0, 1]; got 1.5"),
    (3, "TypeError: `where` must be a string"),
])  # fmt: skip
def test_wrong_selections(where, says):
    refuses(says, REPORT.select, where)


def test_a_tally_has_no_problems():
    counts = at_k.score(at_k.Tally.from_rows([(4, 1, 2)]))
    refuses("InputError: A selection needs", counts.select, "avg > 0")

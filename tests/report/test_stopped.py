"""Sampling that stopped at the first success: pass@k is the share of problems solved within k samples."""

import json
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each, refuses
from scipy.stats import beta

import at_k

CAP = 8
SOLVED_AT = [3, 1, None, 2, 4, None, 8, 1]
"""The place of the first correct sample of each problem; None where none of `CAP` was correct."""


def write_grades(solved_at, cap=CAP):
    return [[0] * cap if at is None else [0] * (at - 1) + [1] for at in solved_at]


def write_file(folder, rows):
    path = folder / "tries.jsonl"
    lines = (
        json.dumps({"task": f"t{i}", "ok": bool(value)})
        for i, row in enumerate(rows)
        for value in row
    )
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def make_table(rows):
    duckdb = pytest.importorskip("duckdb")
    values = ", ".join(f"('t{i}', {value})" for i, row in enumerate(rows) for value in row)
    return duckdb.sql(f"FROM (VALUES {values}) AS tries(problem, grades)")


GRADES = write_grades(SOLVED_AT)
FORMS = {
    "lists": lambda _: {"grades": GRADES},
    "answers": lambda _: {
        "answers": [["7" if right else "x" for right in row] for row in GRADES], "references": ["7"] * len(GRADES)
    },
    "rows": lambda _: [{"problem": f"t{i}", "correct": value} for i, row in enumerate(GRADES) for value in row],
    "file": lambda folder: write_file(folder, GRADES),
    "relation": lambda _: make_table(GRADES),
    "counts": lambda _: at_k.Tally.from_rows([(len(row), sum(row), 1) for row in GRADES]),
}  # fmt: skip


@for_each("form", FORMS)
def test_pass_at_k_is_the_share_of_problems_solved_within_k(form, tmp_path):
    k = range(1, CAP + 1)
    report = at_k.score(FORMS[form](tmp_path), sampling="until_success", k=list(k))
    shares = [
        Fraction(sum(at is not None and at <= each for at in SOLVED_AT), len(SOLVED_AT))
        for each in k
    ]
    assert [report.values[f"pass@{each}"] for each in k] == shares
    assert {*report.metrics} == {"pass_at_k"}
    assert "sampling:until_success" in report.signatures["pass_at_k"]
    assert at_k.score(FORMS[form](tmp_path), sampling="until_success").k == (1, 2, 4, 8)


@for_each("form", FORMS)
def test_it_is_recognised_and_refused_with_both_readings(form, tmp_path):
    refused = refuses('stopped.unsaid: sampling="until_success"', at_k.score, FORMS[form](tmp_path))
    assert refused.values["values"] == "pass@1 0.250, pass@2 0.375, pass@4 0.625, pass@8 0.750"
    n, c = np.array([(len(row), sum(row)) for row in GRADES]).T
    values = {"until_success": 0.25, "independent": np.mean(c / n)}
    assert [reading.options["sampling"] for reading in refused.readings] == [*values]
    for reading in refused.readings:
        report = at_k.score(FORMS[form](tmp_path), **reading.options, k=1)
        value = report.values["pass@1"]
        assert value == pytest.approx(values[reading.options["sampling"]], abs=1e-12)
        assert str(reading.outcome) == f"8 problems × 1 to 8 samples, pass@1 {100 * value:.1f} %"


def test_a_tally_that_was_counted_as_stopped_says_so_when_it_is_scored():
    parts = [
        at_k.Tally.of({"grades": half}, sampling="until_success")
        for half in (GRADES[:4], GRADES[4:])
    ]
    assert at_k.score(sum(parts, at_k.Tally())).values["pass@2"] == 0.375


@for_each("rows", [
    [[0, 1], [1, 0], [0, 0]],  # equal n: it cannot be told
    [[0, 1, 0], [1], [0, 0, 0]],  # the correct sample is not the last one
    [[0, 1], [1], [0, 0, 0], [0]],  # a problem without one has fewer samples than others
    [[1], [1], [0, 0, 0]],  # nothing was tried again
    [[0, 1], [1, 1], [0, 0, 0]],
])  # fmt: skip
def test_other_samples_are_independent(rows):
    assert at_k.score({"grades": rows}, k=1).values["pass@1"] == pytest.approx(
        np.mean([np.mean(row) for row in rows])
    )


DATA = {"grades": GRADES}
UNEQUAL = {"grades": [[1], [0], [0, 0]]}


@for_each("ask, code", [
    (lambda **said: at_k.score(DATA, k=9, **said), "stopped.k_above_cap"),
    (lambda **said: at_k.score(DATA, metrics="pass^2", **said), "stopped.undefined"),
    (lambda **said: at_k.score(DATA, metrics=["cons@1", "avg@n"], **said), "stopped.undefined"),
    (lambda **said: at_k.score(DATA, target="problem_set", **said), "stopped.target"),
    (lambda **said: at_k.score({"grades": [[0, 1, 1], [1]]}, **said), "stopped.unlike"),
    (lambda **said: at_k.score(UNEQUAL, **said), "stopped.unlike"),
    (lambda **said: at_k.score({"grades": [[None, 1], [1]]}, missing="drop", **said), "stopped.missing"),
    (lambda **said: at_k.score(at_k.Tally.from_rows([(2, 2, 1)]), **said), "stopped.unlike"),
    (lambda **said: at_k.score(FORMS["counts"](None), k=9, **said), "stopped.k_above_cap"),
    (lambda **said: at_k.gate(DATA, require="pass^2 >= 0.5", **said), "stopped.undefined"),
    (lambda **said: at_k.gate(DATA, each="2 of 2", **said), "stopped.undefined"),
    (lambda **said: at_k.plan(DATA, half_width=0.1, **said), "stopped.undefined"),
    (lambda **said: at_k.plan(at_k.score(DATA, **said), half_width=0.1), "stopped.dependent"),
    (lambda **said: at_k.diagnose(DATA, **said), "stopped.dependent"),
    (lambda **said: at_k.compare(DATA, DATA, target="problem_set", **said), "stopped.dependent"),
])  # fmt: skip
def test_undefined_numbers_are_refused_by_name(ask, code):
    refuses(code, ask, sampling="until_success")


def test_decisions_take_the_values_of_stopped_samples(tmp_path):
    report = at_k.score(DATA, sampling="until_success")
    report.save(tmp_path / "saved.json")
    for data, said in (
        (DATA, {"sampling": "until_success"}),
        (report, {}),
        (tmp_path / "saved.json", {}),
    ):
        gate = at_k.gate(data, require="pass@4 >= 0.9", **said)
        assert gate.checks[0].value == 0.625
        other = at_k.score(
            {"grades": write_grades([1, 1, 2, 1, 1, None, 2, 1])}, sampling="until_success"
        )
        compared = at_k.compare(
            at_k.score(data, **said) if said else data, other, metrics=["pass@1", "pass@4"]
        )
        assert [compared.comparisons[key].difference for key in ("pass@1", "pass@4")] == [
            0.25 - 0.625,
            0.625 - 0.875,
        ]
        assert "numbers of samples differ" not in str(compared)


def test_intervals_hold_the_chance_to_solve_another_problem_within_k():
    """Of other problems like these, .487 are solved by one sample; the mean of c/n would be about .6."""
    random = np.random.default_rng(36)
    rates = 0.1 + 0.774 * random.beta(0.9, 0.9, size=(400, 200))
    tries = random.geometric(rates)
    held, naive = [], []
    for first in tries:
        rows = write_grades([int(at) if at <= CAP else None for at in first])
        report = at_k.score(
            {"grades": rows}, metrics="pass_at_k", k=[1, 4], sampling="until_success"
        )
        held.append(
            [
                report.intervals[key].low <= true <= report.intervals[key].high
                for key, true in TRUE.items()
            ]
        )
        naive.append(np.mean(np.where(first <= CAP, 1 / first, 0)))
    assert np.mean(held, axis=0) == pytest.approx([0.95, 0.95], abs=0.02)  # at least .93
    assert np.mean(naive) > 0.6


def integrate(k):
    """The mean of 1 − (1 − p)^k over the rates, by a sum over their quantiles."""
    rates = 0.1 + 0.774 * beta(0.9, 0.9).ppf((np.arange(100_000) + 0.5) / 100_000)
    return float(np.mean(1 - (1 - rates) ** k))


TRUE = {"pass@1": integrate(1), "pass@4": integrate(4)}


@pytest.mark.parametrize("column", ["attempt", "trial", "sample_id"])
def test_numbered_samples_may_be_in_any_order(column):
    """Problem i succeeds at its sample i % 3, which is its last one: the order of the rows says nothing."""
    rows = [
        {"task": f"t{i}", column: j, "ok": j == i % 3} for i in range(12) for j in range(i % 3 + 1)
    ]
    for order in (rows, rows[::-1]):
        with pytest.raises(at_k.InputError, match="Sampling stopped at the first success"):
            at_k.score(order)
        report = at_k.score(order, metrics="pass@k", sampling="until_success", k=[1, 2, 3])
        assert report.values == pytest.approx({"pass@1": 1 / 3, "pass@2": 2 / 3, "pass@3": 1})

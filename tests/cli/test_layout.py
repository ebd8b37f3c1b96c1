"""How a report is laid out in columns. That the numbers are right is tested with the commands."""

from dataclasses import replace

import pytest
from reports import RAGGED, full_report, simulated_report
from rich.cells import cell_len

import at_k
from at_k.cli import layout
from at_k.uncertainty.intervals import interval


def plain(lines):
    return ["".join(text for text, _ in line) for line in lines]


SMALL = {"grades": [[1, 0], [1, 1]]}


def test_a_small_report():
    report = at_k.score(SMALL, k=[1, 2], metrics=["pass_at_k", "avg_at_n"], confidence_level=None)
    assert plain(layout.lay_out(report, 80)) == [
        "data in memory · 2 problems × 2 samples",
        "",
        "               n   k = 1   k = 2",
        "pass@k            0.7500  1.0000",
        "avg@n     0.7500",
        "accuracy  0.7500",
    ]


def test_intervals_are_below_their_values():
    report = at_k.score(SMALL, k=[1, 2], metrics=["pass_at_k", "avg_at_n"])
    one, two = (interval([1.0, 0.75], [0.0, 0.25], 2)[end] for end in (0, 1))
    high, low = (f"[{low:.3f}, {high:.3f}]" for low, high in zip(one, two, strict=True))
    assert plain(layout.lay_out(report, 80)) == [
        "data in memory · 2 problems × 2 samples",
        "",
        "                       n           k = 1           k = 2",
        "pass@k                             0.750           1.000",
        f"                          {low}  {high}",
        "avg@n              0.750",
        f"          {low}",
        "accuracy           0.750",
        f"          {low}",
        "",
        "- Intervals: 95 %, for other problems like these.",
    ]
    styles = [line[0][1] for line in layout.lay_out(report, 80) if line and line[0][0].strip().startswith(("[", "-"))]
    assert styles == ["dim"] * 4


def test_groups_are_below_and_long_names_have_a_line_of_their_own():
    group = ["a" * 25, "b"]
    report = at_k.score({"grades": [[1], [0]], "group": group}, metrics="pass_at_k", confidence_level=None)
    assert plain(layout.lay_out_table(report, 80)) == [
        "all (2)",
        "           k = 1",
        "  pass@k  0.5000",
        "",
        "a" * 25 + " (1)",
        "           k = 1",
        "  pass@k  1.0000",
        "",
        "b (1)",
        "           k = 1",
        "  pass@k  0.0000",
    ]


def test_k_that_do_not_fit_stand_in_turn():
    report = at_k.score({"grades": [[1, 0, 0, 0]]}, k=[1, 2, 3, 4], metrics=["pass_at_k", "avg_at_n"])
    without = replace(report, intervals={})
    assert plain(layout.lay_out_table(without, 26)) == [
        "               n   k = 1",
        "pass@k            0.2500",
        "avg@n     0.2500",
        "accuracy  0.2500",
        "",
        "           k = 2   k = 3",
        "pass@k    0.5000  0.7500",
        "",
        "           k = 4",
        "pass@k    1.0000",
    ]
    # With intervals, a column is 14 wide; beside names of 8 and a gap, it needs 24.
    headers = [line.split() for line in plain(layout.lay_out_table(report, 24)) if "pass" not in line]
    assert [line for line in headers if line[:1] in (["n"], ["k"])] == [
        ["n"],
        *(["k", "=", str(k)] for k in (1, 2, 3, 4)),
    ]


def test_an_interval_may_begin_below_the_names():
    report = at_k.score({"grades": [[1, 0]]}, k=1, metrics="pass_at_k")
    low, high = interval(0.5, None, 1)
    limits = f"[{low:.3f}, {high:.3f}]"
    for width in (22, 21, 18, 15):  # 6 for the name, 2 between, 14 for the interval, of which 9 lie beside the value
        assert plain(layout.lay_out_table(report, width)) == [
            f"{'k = 1':>{width}}",
            f"pass@k{'0.500':>{width - 6}}",
            f"{limits:>{width}}",
        ]


@pytest.mark.parametrize("make", [full_report, simulated_report, lambda: at_k.score(RAGGED)])
@pytest.mark.parametrize("width", [30, 40, 60, 80, 200])
def test_nothing_is_wider_than_the_terminal(make, width):
    report = make()
    assert max(map(cell_len, plain(layout.lay_out(report, width)))) <= width


def test_even_a_terminal_of_one_column_gets_the_table():
    lines = plain(layout.lay_out_table(full_report(), 1))
    assert sum("k = 4" in line for line in lines) == 3  # all and two groups


def test_errors_of_simulations_are_said():
    report = simulated_report()
    (key,) = report.errors
    said = " ".join(" ".join(plain(layout.lay_out_notes(report, 80))).split())
    assert f"{key} is simulated; the standard error of the simulation is {report.errors[key]:.2g}." in said


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("a/b.eval", "b.eval"),
        ("runs/", "runs"),
        ("/", "/"),
        ("runs/*.jsonl", "*.jsonl"),
        (["a/b", "a/c"], "2 paths in a"),
        (["b", "c"], "2 paths"),
        (["/a/b", "c"], "2 paths"),
        ("/dev/fd/63", "/dev/fd/63"),
        (None, "data in memory"),
    ],
)
def test_names_of_sources(source, name):
    assert layout.name_source(source) == name

"""A small version of the simulation behind docs/coverage.md: ours covers everywhere, and others fail. And benchmarks:
every one runs on tiny inputs; a case that fails is marked, and the others are measured."""

import io
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from cases import for_each

from benchmarks import __main__ as command, cases, checking, deciding, files, measure
from benchmarks.case import FASTER, Case, Outcome, Target
from benchmarks.cases import CASES
from benchmarks.coverage import (
    OURS,
    Demands,
    Simulation,
    deciding as decisions,
    equal,
    intervals,
    others,
)
from benchmarks.coverage.intervals import POPULATION, PROBLEM_SET, Cell
from tools.driving import find_chromium

# Monte Carlo error of a coverage of .95: .0049 at 2,000 data sets.
REPETITIONS = 2000
SOME = [
    cell
    for cell in intervals.list_population_cells()
    if cell.problems in (15, 100) and cell.n == 16
]


def test_ours_covers_in_every_cell_as_narrowly_as_t_where_that_covers_and_others_fail_near_1():
    population = list(Simulation().ask(intervals.simulate_population, SOME, REPETITIONS).values())
    assert len(population) == 120
    assert min(each.coverage[OURS] for each in population) >= 0.92
    near = [each for each in population if each.cell.mean >= 0.96 and each.cell.problems == 15]
    for method in ("t", "normal"):
        assert np.median([each.coverage[method] for each in near]) < 0.8
    assert sum(each.coverage["normal"] < 0.93 for each in population) > len(population) / 3
    ratios = [
        each.width[OURS] / each.width["t"] for each in population if each.coverage["t"] >= 0.93
    ]
    assert 0.9 <= np.median(ratios) <= 1.1


@for_each("metric", ["pass@1", "pass@n/2", "pass@n"])
@for_each("mean", [0.2, 0.8])
def test_the_problem_set(metric, mean):
    """Averaged over problem sets; .912 is two standard errors below the .92 that is demanded of 500 data sets."""
    found = intervals.simulate_problem_set(
        Cell(PROBLEM_SET, metric, mean, "U-shaped", 4, 100), repetitions=500, seed=0
    )
    assert found.coverage[OURS] >= 0.92 - 2 * 0.012
    if metric == "pass@1":
        assert found.width[OURS] < found.width["population's"]


@for_each("metric", ["cons", "best"])
def test_votes_and_scores_of_the_problem_set(metric):
    """The standard error of a coverage of .95 of 150 data sets is .018."""
    found = intervals.simulate_votes(metric, 0.8, "U-shaped", 4, 2, repetitions=150, seed=0)
    assert found["coverage"] >= 0.92
    assert 0.85 <= found["se / true"] <= 1.5


@for_each("metric", ["cons", "best"])
def test_the_truth_of_votes_and_scores_is_the_mean_over_many_samples(metric):
    _, estimate, draw, expect = intervals.VOTES[metric]
    p = np.array([0.1, 0.4, 0.9])
    data = draw(np.random.default_rng(0), np.repeat(p, 20_000), 4)
    found = np.asarray(estimate(*data, k=4)).reshape(3, -1).mean(axis=1)
    assert found == pytest.approx(expect(p, 4), abs=0.015)  # four standard errors of 20,000 draws


def test_the_bootstrap_fails_near_1():
    found = intervals.simulate_slow(
        Cell(POPULATION, "pass@1", 0.995, "bell", 16, 15), repetitions=100, seed=0
    )
    assert found.coverage[OURS] >= 0.9
    assert found.coverage["BCa"] < 0.8


@for_each("layout", ["10 of 10", "one with 40 %"])
def test_clusters(layout):
    found = others.simulate_clusters(0.8, layout, 0.9, repetitions=300, seed=0)
    assert found["with clusters"] >= 0.93
    assert found["without"] < 0.9


@for_each("kind", list(equal.ALIKE))
def test_equal_models_are_told_apart_as_often_as_stated(kind):
    """At 5 %, .055 at most of 20,000; the standard error of a share of .055 of 1,000 is .0072, of which three."""
    found = equal.simulate_errors(kind, 40, repetitions=1000, seed=0)
    assert found <= 0.055 + 3 * 0.0072


def test_other_rules_err_where_the_sample_shows_no_loss_and_where_problems_of_a_cluster_flip_alone():
    ours, *others_rules = equal.simulate_rules(list(equal.SKEWED)[-1], 15, repetitions=200, seed=0)
    assert ours <= 0.055
    assert min(others_rules) > 0.3  # no loss is in .46 of the samples
    coverage, told, alone = equal.simulate_clusters(
        "unequal, 10", 0.5, 0.7, repetitions=200, seed=0
    )
    assert (coverage >= 0.925, told <= 0.055, alone > 0.25) == (True, True, True)


def test_no_rule_claims_a_gain_that_an_unseen_loss_makes_up_for():
    """Known bounds: .162, .105 and .051 for 20, 30 and 60 problems; the loss is then unseen with a chance of .05."""
    bounds = [equal.find_least_claim(problems) for problems in (20, 30, 60)]
    assert bounds == pytest.approx([0.162, 0.105, 0.051], abs=6e-4)
    share = bounds[0] / (1 + bounds[0])
    assert (1 - share) ** 20 == pytest.approx(0.05)
    assert share * 1 == pytest.approx((1 - share) * bounds[0])  # a mean of 0


def test_the_worst_law_of_two_values():
    """Exact chances: at most .12 for ours; flips decide whenever no loss is in the sample, .74 for .3 expected ones."""
    ours, _, flips, *_ = equal.find_worst(20, repetitions=8, seed=0)
    assert ours <= 0.12
    assert flips == pytest.approx(0.737, abs=0.01)


@for_each("name", list(equal.FAMILIES))
def test_families_of_questions_about_equal_models_claim_nothing(name):
    """Once .70, .68 and .48 of data sets; of 6 at .05, more than one have a chance of .03."""
    assert equal.simulate_family(name, repetitions=6, seed=0) <= 1 / 6


@for_each("cell", [cell for cell in decisions.GATES if cell[1] == 100])
def test_a_gate_at_its_limit_decides_seldom(cell):
    """Each of both errors of a gate has a chance of 5 % at most; three standard errors of 60 are .084."""
    found = decisions.simulate_gate(*cell, repetitions=60, seed=0)
    assert max(found.values()) <= 0.05 + 0.084


def test_two_decisions_at_30_problems_of_64_samples():
    """For other problems hardly anything can be decided there; on these problems nearly all is, and covers."""
    *rules, here, coverage = decisions.simulate_power((30, 64), 0.4, 0.7, repetitions=200, seed=0)
    assert rules[0] < 0.4
    assert here > 0.8
    assert coverage >= 0.92


def test_every_figure_that_misses_its_demand_is_named():
    demands = Demands()
    demands.at_least("a", 0.93, of=100)
    demands.at_least("b", 0.9, of=100)
    demands.at_most("c", 0.0551, of=10_000)
    demands.at_most("d", 0.055, of=100)
    assert demands.missed == [
        "b: 0.9000 ± 0.0300, at least 0.93",
        "c: 0.0551 ± 0.0023, at most 0.055",
    ]


def test_the_truth_of_a_cell_is_the_mean_over_its_problems():
    cell = Cell(POPULATION, "cons@n/2", 0.8, "U-shaped", 16, 30)
    p = np.random.default_rng(0).beta(cell.difficulty.a, cell.difficulty.b, size=(1, 200_000))
    assert intervals._expect(p, cell).mean() == pytest.approx(
        cell.difficulty.chances(16) @ cell.values, abs=0.003
    )


def run_here(*arguments):
    """Do here what benchmarks do in a process of its own, where each imports `evaluate` or the command again."""
    kind, what, *rest = arguments
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as said:
        patch.setattr(sys, "argv", [kind, *rest])
        if kind == "-m":
            runpy.run_module(what, run_name="__main__")
        else:
            exec(what, {"__name__": "__main__"})
    return said.getvalue()


def test_smoke(capsys, monkeypatch):
    assert measure.printed_by("-c", "import sys; print(sys.argv[1])", "a") == "a\n"
    for module in (cases, checking, files):
        monkeypatch.setattr(module, "printed_by", run_here)
    with pytest.raises(SystemExit) as ended:
        command.main(smoke=True)
    assert ended.value.code == 0
    said = capsys.readouterr().out
    rows = [line.split("|")[1:-1] for line in said.splitlines() if line.startswith("| ")]
    titles = [title.strip() for title, *_ in rows[1:]]
    assert titles == [case.title for case in CASES if not case.needs]
    assert all(case.title in said for case in CASES)
    assert len({len(line) for line in said.splitlines() if line.startswith("|")}) == 1  # one table


def fails(_):
    raise ZeroDivisionError


def test_a_case_that_fails_does_not_lose_the_others(capsys):
    slow = Case("third", lambda _: Outcome(2), (Target(1, "s"),))
    counts = command.measure([Case("first", lambda _: Outcome(1)), Case("second", fails), slow])
    assert counts == {
        "measured": 2,
        "failed": 1,
        "left_out": [],
        "missed": ["third: 2 s, target ≤ 1 s"],
    }
    said = capsys.readouterr().out
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in said.splitlines()
        if line.startswith("| ")
    ]
    reached = {title: cells[-2] for title, *cells in rows}
    assert [reached[title] for title in ("first", "second", "third")] == ["1 s", "failed", "2 s"]


@for_each("case, outcome, reached", [
    (Case("", None), Outcome(0.5), ["0.5 s", ""]),
    (Case("", None, peer="it"), Outcome(0.5, 2.0), [f"4 {FASTER}", ""]),
    (Case("", None, (Target(5, FASTER),), "it"), Outcome(0.5, 2.0), [f"4 {FASTER}", "✗"]),
    (Case("", None, (Target(1, "GB"),)), Outcome(0.5, unit="GB"), ["0.5 GB", "✓"]),
])  # fmt: skip
def test_a_row_has_the_ratio_or_what_at_k_needs(case, outcome, reached):
    assert [list(row[-2:]) for row in command.rows(case, outcome)] == [reached]


def test_without_a_browser_the_rest_is_measured(capsys):
    cases = [Case("first", lambda _: Outcome(1)), Case("page", fails, needs=command.BROWSER)]
    assert command.measure(cases, chromium="")["left_out"] == ["page"]
    said = capsys.readouterr().out
    assert "| first" in said
    assert "no Chromium here (type: .venv/bin/python -m playwright install" in said


@for_each("place, found", [
    ("chromium_headless_shell-1200/chrome-linux/headless_shell", True),
    ("chromium_headless_shell-1217/chrome-headless-shell-linux64/chrome-headless-shell", True),
    ("chromium-1200/chrome-linux/chrome", True),
    ("firefox-1500/firefox/firefox", False),
])  # fmt: skip
def test_chromium_is_found_where_playwright_installs_it(place, found, tmp_path, monkeypatch):
    path = tmp_path / str(found) / place
    path.parent.mkdir(parents=True)
    path.touch(mode=0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(path.parents[2]))
    assert find_chromium() == (str(path) if found else None)
    path.unlink()


def test_decisions_are_asked_of_every_package_that_is_installed(tmp_path, monkeypatch):
    text = deciding.DOCUMENT.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in deciding.MARKS)
    written = [
        row.split(" | ")[0].strip("| ")
        for row in text[start:end].splitlines()
        if row.startswith("| ")
    ]
    assert list(filter(None, written[1:])) == [
        question for question, _ in deciding.list_questions()
    ]
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- peers -->\nold\n<!-- /peers -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(deciding, "DOCUMENT", page)
    monkeypatch.setattr(deciding, "find_spec", {"scipy"}.__contains__)
    monkeypatch.setattr(measure, "ROUND", 1e-9)  # seconds: one run each
    asked = [
        (
            "of one",
            iter([("at-k", lambda: (1, 0.5)), ("scipy (t)", lambda: (2,)), ("evalstats", fails)]),
        )
    ]
    monkeypatch.setattr(deciding, "list_questions", lambda: asked)
    deciding.main()
    rows = page.read_text(encoding="utf-8").splitlines()
    assert (rows[:2], rows[-2:]) == (["a", "<!-- peers -->"], ["<!-- /peers -->", "b"])
    assert [row.split(" | ")[:3] for row in rows[6:8]] == [
        ["| of one", "at-k", "1, 0.5"],
        ["| ", "scipy (t)", "2"],
    ]


@for_each("name", ["rl", "base"])
def test_flips_of_scipy_agree_with_ours(name):
    a, b = deciding.estimate(name, 8, 100), deciding.estimate(name, 1, 100) + 0.1
    ours, theirs = (
        deciding.compare_values(a, np.minimum(b, 1)).p_value,
        deciding.flip_with_scipy(a - np.minimum(b, 1)),
    )
    assert ours == pytest.approx(
        theirs, abs=0.015
    )  # three standard errors of .05 of 9,999 flips, twice


PAGES = Path(__file__).parents[1] / "docs"


def read_table(page, heading):
    """The rows of the table of a page whose first line begins so, as dicts."""
    text = (PAGES / page).read_text(encoding="utf-8")
    lines = text[text.index(heading) :].split("\n\n")[0].splitlines()
    names, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_sentences_have_the_figures_of_the_tables_of_coverage():
    """Of problems that flip alone, of coverage without clusters, of unlike n, and of the worst law of two values."""
    flips = [
        float(row["problems flip"]) for row in read_table("coverage.md", "| clusters | coverage")
    ]
    for page in ("decisions.md", "appendix.md"):
        assert f"up to {max(flips):.0%}".replace("%", " %") in (PAGES / page).read_text("utf-8")
    rows = read_table("coverage.md", "| clusters | shared difficulty")
    without = [float(row["without"]) for row in rows if row["shared difficulty"] == "90%"]
    ends = f"covered {min(without):.2f} to {max(without):.2f}".replace("0.", ".")
    assert ends in (PAGES / "uncertainty.md").read_text(encoding="utf-8")
    kinds = read_table("coverage.md", "| problems | 8 | 15")
    assert [row["problems"] for row in kinds] == list(equal.KINDS)
    unlike = [
        float(share) for row in kinds[: len(equal.UNLIKE_N)] for share in list(row.values())[1:]
    ]
    assert max(unlike) <= 0.05  # "does so in at most .05"
    laws = read_table("coverage.md", "| problems | at-k | 0.7.0")
    assert max(float(row[OURS]) for row in laws) <= 0.12  # "in .12 under the worst law"

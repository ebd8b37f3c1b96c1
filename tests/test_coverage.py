"""A small version of the simulation behind docs/coverage.md: ours covers everywhere, and others fail. And benchmarks:
every one runs on tiny inputs; a case that fails is marked, and the others are measured."""

import evaluate  # noqa: F401 - before the benchmarks, which give it a home of their own
import numpy as np
import pytest
from cases import for_each

from benchmarks import __main__ as command, deciding, measure
from benchmarks.case import FASTER, Case, Outcome, Target
from benchmarks.cases import CASES
from benchmarks.coverage import OURS, Demands, Simulation, comparisons, intervals, others
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


@for_each(
    "kind",
    [kind for kind in comparisons.EQUAL_MODELS if kind not in ("1,200 of 2", comparisons.RARE)],
)
def test_equal_models_are_told_apart_as_often_as_stated(kind):
    """At 5 %, .055 at most of 20,000; the standard error of a share of .055 of 1,000 is .0072, of which three."""
    problems = sum(others.LAYOUTS.get(kind, [40]))
    assert (
        comparisons.simulate_equal_models(kind, problems, repetitions=1000, seed=0)
        <= 0.055 + 3 * 0.0072
    )


def test_rare_losses_are_no_exemption_and_problems_that_flip_alone_within_clusters_differ_far_too_often():
    assert (
        comparisons.simulate_equal_models("unequal", 64, comparisons.ALONE, repetitions=200, seed=0)
        > 0.3
    )
    assert (
        comparisons.simulate_equal_models(
            comparisons.RARE, 15, "sign-flip", repetitions=1000, seed=0
        )
        <= 0.055
    )


def test_several_numbers_and_one_sample_lose_less_power():
    """Of 200 times: max-T finds more than Bonferroni's method, and mid-p more than the flips of signs."""
    many = comparisons.simulate_many_numbers(0.06, repetitions=200, seed=0)
    assert many["pass@1 alone"] > many["pass@1, max-T"] > many["pass@1, Bonferroni"] + 0.05
    assert comparisons.simulate_many_numbers(0.0, repetitions=200, seed=0)["any, max-T"] <= 0.1
    one = comparisons.simulate_one_sample(50, 0.2, repetitions=200, seed=0)
    assert one["mid-p"] > one["sign-flip"]


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


def test_equal_models_share_a_rank():
    """Three standard errors of .05 of 200 are .046."""
    assert (
        comparisons.simulate_ranking(30, 4, repetitions=200, seed=0)["any false claim"]
        <= 0.05 + 0.046
    )


def test_a_table_has_a_row_for_each_kind_and_a_column_for_each_number():
    found = {("x", 15, "sign-flip"): 0.05, ("x", 30, "sign-flip"): 0.04, ("x", 30, "bounded"): 0.01}
    assert comparisons.tabulate_equal_models(found) == [
        "| problems | 15 | 30 |",
        "|---|--:|--:|",
        "| x | 0.050 | 0.040 |",
        "| x, bounded |  | 0.010 |",
    ]


def test_the_truth_of_a_cell_is_the_mean_over_its_problems():
    cell = Cell(POPULATION, "cons@n/2", 0.8, "U-shaped", 16, 30)
    p = np.random.default_rng(0).beta(cell.difficulty.a, cell.difficulty.b, size=(1, 200_000))
    assert intervals._expect(p, cell).mean() == pytest.approx(
        cell.difficulty.chances(16) @ cell.values, abs=0.003
    )


def test_smoke(capsys):
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

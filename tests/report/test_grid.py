"""The sheet of a report, every number in its cell in every form; and the table of several models."""

import csv
import io
import re

import numpy as np
import pytest
from cases import for_each, refuses
from reports import DATA, RAGGED, TAUS, full_report, simulated_report

import at_k
from at_k.cli.questions import join_rankings
from at_k.report.grid import describe_source, list_blocks, list_rows
from at_k.report.scoring import map_models
from at_k.results.sheet import Sentences, Sheet, Table, write_estimate
from at_k.values import Key

REPORTS = {
    "full": full_report,
    "simulated": simulated_report,
    "odd labels": lambda: at_k.score(RAGGED, k=[1, 3]),
    "without intervals": lambda: at_k.score(
        DATA, k=[1, 2, 4], thresholds=TAUS, confidence_level=None
    ),
}
every_report = pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)


def expected_cells(report):
    """The header and every row, from the values and intervals by their keys."""
    draws = sorted({*report.k, 1} if any(key.draws is None for key in report.values) else report.k)
    blocks = [("all", len(report), report.values, report.intervals)]
    blocks += [
        (label, report.sizes[label], values, report.group_intervals[label])
        for label, values in report.groups.items()
    ]
    rows = []
    for label, size, values, bars in blocks:
        lines = sorted(
            dict.fromkeys(key.line for key in values),
            key=lambda line: line.metric not in ("avg@n", "accuracy"),
        )
        average = next((value for key, value in values.items() if key.metric == "avg@n"), None)
        for line in lines:
            own = {key.draws or 1: key for key in values if key.line == line and key != "mG-Pass@1"}
            if line == "accuracy" and values["accuracy"] == pytest.approx(average, abs=1e-9):
                continue
            cells = [
                " ".join(
                    filter(
                        None, write_estimate(values[own[k]], bars.get(own[k]) and bars[own[k]][1:3])
                    )
                )
                if k in own
                else ""
                for k in draws
            ]
            rows.append([*([label, str(size)] if report.groups else []), str(line), *cells])
    head = [
        *(["group", "problems"] if report.groups else []),
        "metric",
        *(f"k = {k}" for k in draws),
    ]
    return [head, *(row for row in rows if any(row[-len(draws) :]))]


def list_notes(report):
    simulated = [
        f"{key} is simulated; the standard error of the simulation is {error:.2g}."
        for key, error in report.errors.items()
    ]
    return [*map(str, report.notes), *simulated, *map(str, report.missed)]


@every_report
def test_csv(make):
    report = make()
    bars = {"all": report.intervals, **report.group_intervals}
    values = {"all": report.values, **report.groups}
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    for label, own in values.items():
        assert {row["key"]: float(row["value"]) for row in rows if row["group"] == label} == own
    for row in rows:
        key = next(key for key in report.values if key == row["key"])
        found = [
            float(row[name]) if row.get(name) else None for name in ("stderr", "ci_low", "ci_high")
        ]
        assert found == list(bars[row["group"]].get(key, [None] * 3))[:3]
        assert ("stderr" in row) is bool(report.intervals)
        shown = (
            key.metric,
            "" if key.k is None else str(key.k),
            "" if key.tau is None else str(key.tau),
        )
        assert (row["metric"], row["k"], row["tau"]) == shown
    assert report.to_pandas()["value"].tolist() == [float(row["value"]) for row in rows]


@every_report
def test_markdown(make):
    report = make()
    lines = report.to_markdown().split("\n")
    table = [line for line in lines if line.startswith("|")]
    cells = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table
    ]
    head, *rows = expected_cells(report)
    assert [cells[0], *cells[2:]] == [
        head,
        *([cell.replace("\n", " ").strip() for cell in row] for row in rows),
    ]
    assert [cell.endswith(":") for cell in cells[1]] == [cell.startswith("k =") for cell in head]
    assert sorted(line[2:] for line in lines if line.startswith("- ")) == sorted(list_notes(report))


def test_odd_labels_are_escaped():
    report = REPORTS["odd labels"]()  # "a|b & c_d" and "<i>\\é", with a line break
    lines = report.to_latex().splitlines()
    assert len({line.count(" & ") for line in lines if line.endswith(r" \\")}) == 1
    assert r"a|b \& c\_d" in report.to_latex()
    assert r"$<$i$>$\textbackslash{}é" in report.to_latex()
    assert "<td>a|b &amp; c_d</td>" in report.to_html()
    assert "<td>&lt;i&gt;\\é </td>" in report.to_html()


FEW = {"grades": [[1, 0], [1, 1]]}


def test_a_small_report():
    report = at_k.score(FEW, k=[1, 2], metrics=["pass_at_k", "avg_at_n"], confidence_level=None)
    assert str(report) == (
        "data in memory · 2 problems × 2 samples\n\n         k = 1   k = 2\navg@n   0.7500\npass@k  0.7500  1.0000"
    )
    assert repr(report) == "<Report 2 problems × 2 samples: avg@2 = 0.750, pass@2 = 1.000>"


def test_the_first_table():
    """No column that holds one value, no number twice, and no vote of grades unless it is asked for."""
    data = {"grades": [[1, 0, 0.8], [1, 1, 1]]}
    report = at_k.score(data, confidence_level=None)
    lines = [row[0] for row in report.sheet().main.rows]
    assert lines[:2] == ["avg@n", "accuracy"]  # which differ: a grade of 0.8 is correct
    assert "cons@k" not in lines
    assert "left_out.no_answers" in [reason.code for reason in report.left_out.values()]
    assert "cons@3" in at_k.score(data, metrics=["cons@k", "pass@k"]).values
    assert [row[0] for row in at_k.score(FEW).sheet().main.rows][0:2] == ["avg@n", "G-Pass@k_0.25"]
    assert "note.odd_k" not in [note.code for note in at_k.score({"grades": [[1, 0, 1]]}).notes]


def test_a_group_called_all_is_not_the_total():
    report = at_k.score(
        {"grades": [[1, 1], [0, 0]], "group": ["all", "x"]}, k=1, metrics="pass_at_k"
    )
    found = {block.label: block.values["pass@1"] for block in list_blocks(report)}
    assert found == {"(all)": 0.5, "all": 1.0, "x": 0.0}


def test_groups_have_all_numbers_if_they_are_few():
    data = {"grades": [[1, 0, 1, 0], [1, 1, 0, 0]], "group": ["a", "b"]}
    few = at_k.score(data, metrics=["pass@1", "pass@4"]).sheet(short=True).parts
    assert [list(part.head) for part in few if "group" in getattr(part, "head", ())] == [
        ["group", "problems", "pass@1", "pass@4"]
    ]
    many = at_k.score(data).sheet(short=True)
    assert "report.more_by_group" in str([getattr(each, "said", "") for each in many.parts])


@for_each("names, rows", [
    ("pass^4", ["pass^k"]),
    (["pass^2", "G-Pass@4_0.5"], ["pass^k", "G-Pass@k_0.5"]),
    ("G-Pass@k", [f"G-Pass@k_{tau}" for tau in (0.25, 0.5, 0.75, 1.0)]),
    ("mG-Pass@1", ["mG-Pass@k"]),  # which tables leave out beside others
    (["best@2", "avg@4", "pass_at_k"], ["avg@n", "pass@k", "best@k"]),
    ("accuracy", ["accuracy"]),
    ("gpassk", [f"G-Pass@k_{tau}" for tau in (0.25, 0.5, 0.75, 1.0)] + ["mG-Pass@k"]),
])  # fmt: skip
def test_rows_are_those_that_were_asked_for_by_their_names(names, rows):
    data = {name: column for name, column in DATA.items() if name != "group"}
    report = at_k.score(data, metrics=names if isinstance(names, str) else iter(names))
    assert [
        line.split("|")[1].strip() for line in report.to_markdown().split("\n")[2 : 2 + len(rows)]
    ] == rows


def test_a_name_of_papers_heads_the_column_of_models():
    models = at_k.score_models(
        {"a": DATA, "b": DATA}, metrics=["pass^2", "avg@n"], confidence_level=None
    )
    assert models.to_markdown().split("\n")[0].split() == [
        "|",
        "model",
        "|",
        "pass^2",
        "|",
        "avg@4",
        "|",
    ]


def test_a_score_of_one_problem_has_no_interval():
    report = at_k.score(
        {"grades": [[1, 0], [1, 1]], "scores": [[3.0, 1.0], [4.0, 2.0]], "group": ["a", "b"]}, k=1
    )
    assert set(report.group_intervals["a"]) == set(report.values) - {"max@1"}
    assert "max@1" in report.intervals
    rows = {(row[0], row[5]): row[6:] for row in list_rows({"": report}).rows}
    assert rows["a", "max@1"] == [2.0, None, None, None]
    assert Key("max@k", 1) in report.values


@for_each("value, low, high, shown", [
    (0.91, 0.84724, 0.95135, ("0.910", "[0.847, 0.951]")),
    (0.5, 0.5, 0.5, ("0.500", "[0.500, 0.500]")),
    (0.98, 0.9604, 0.9999, ("0.980", "[0.960, 1.000]")),
    (0.9996, 0.9992, 0.9998, ("0.9996", "[0.9992, 0.9998]")),  # 0.0006 wide: with three decimals all are 1
    (1.0, 0.99997, 1.0, ("1.00000", "[0.99997, 1.00000]")),
    (2.9, 2.58, 3.228, ("2.90", "[2.58, 3.23]")),
    (1234.5, 1230.1, 1238.4, ("1234", "[1230, 1238]")),
    (12.345, 12.318, 12.372, ("12.35", "[12.32, 12.37]")),
    (-1234.5, -1238.4, -1230.6, ("−1234", "[−1238, −1231]")),
    (0.5, -0.25, 1.25, ("0.500", "[−0.250, 1.25]")),
    (334.25, -1103.2, 1770.5, ("334.2", "[−1103, 1770]")),  # half to even
    (654321.0, 254321.0, 954321.0, ("654321", "[254321, 954321]")),
    (2e6, 1e6, 3e6, ("2.00e+06", "[1.00e+06, 3.00e+06]")),
    (1.5e300, 1.25e300, 1.75e300, ("1.50e+300", "[1.25e+300, 1.75e+300]")),
    (1 / 3, 1 / 3 - 1e-17, 1 / 3 + 1e-16, ("0.333333333333333", "[0.333333333333333, 0.333333333333333]")),
])  # fmt: skip
def test_an_interval_shows_its_width(value, low, high, shown):
    assert write_estimate(value, (low, high)) == shown


@for_each("source, name", [
    ("a/b.eval", "b.eval"), ("runs/", "runs"), ("/", "/"), ("runs/*.jsonl", "*.jsonl"),
    (["a/b", "a/c"], "2 paths in a"), (["b", "c"], "2 paths"), (["/a/b", "c"], "2 paths"), ("/dev/fd/63", "/dev/fd/63"),
    (None, "data in memory"),
])  # fmt: skip
def test_names_of_sources(source, name):
    assert describe_source(source) == name


SMALL = {"problem": ["a", "b"], "grades": [[1, 0], [0, 0]]}
LARGE = {"problem": ["a", "b"], "grades": [[1, 1], [1, 0]]}


def test_the_reports_and_columns_are_those_of_each_model():
    models = at_k.score_models({"small": SMALL, "large": LARGE}, k=[1, 2])
    for name, data in (("small", SMALL), ("large", LARGE)):
        assert models.reports[name].to_dict() == at_k.score(data, k=[1, 2]).to_dict()
    assert sorted(models.keys) == sorted(
        {*at_k.score(SMALL, k=[1, 2]).values} - {"mG-Pass@1", "accuracy"}
    )
    data = {"grades": [[1, 0, 1, 1, 0, 0, 0, 0]]}
    models = at_k.score_models({"x": data, "y": data}, metrics="gpassk", k=[4, 8])
    assert list(models.keys) == list(at_k.score(data, metrics="gpassk", k=[4, 8]).values)


def test_equal_values_are_both_the_best_but_for_rounding_and_a_value_alone_is_not():
    models = at_k.score_models(
        {"x": SMALL, "y": SMALL, "z": {"grades": [[0, 0, 0]]}}, metrics=["pass@k", "avg@n"]
    )
    assert [models.best[key] for key in ("pass@1", "avg@2", "avg@3")] == [
        ["x", "y"],
        ["x", "y"],
        [],
    ]
    grades = np.array([[0.1], [0.2], [0.3]])
    turned = {"x": {"grades": grades.tolist()}, "y": {"grades": grades[::-1].tolist()}}
    assert all(
        names == ["x", "y"] for names in at_k.score_models(turned, metrics="avg_at_n").best.values()
    )


def test_lower_scores_may_be_better():
    data = {
        name: {"grades": [[1, 0]], "scores": [scores]}
        for name, scores in (("x", [1.0, 3.0]), ("y", [2.0, 4.0]))
    }
    assert at_k.score_models(data, metrics="best_at_k").best["max@2"] == ["y"]
    assert at_k.score_models(data, metrics="best_at_k", higher_is_better=False).best["max@2"] == [
        "x"
    ]


def test_notes_of_some_models_name_them():
    voted = {**SMALL, "answers": [["7", "8"], ["9", "9"]]}
    models = at_k.score_models({"small": voted, "large": LARGE})
    one, both = (
        (str(each) for each in models.notes if each.code == "models.note"),
        map(str, models.notes),
    )
    assert all(each.startswith(("small: ", "large: ")) for each in one)
    assert not any("left out" in each for each in both)  # nothing was asked for
    asked = at_k.score_models({"small": voted, "large": LARGE}, ["pass@1", "best@1"])
    assert sum("best@k is left out" in str(each) for each in asked.notes) == 1
    other = {"problem": ["a", "c"], "grades": [[1, 1], [1, 0]]}
    assert "models.problems" in [
        note.code for note in at_k.score_models({"x": SMALL, "y": other}).notes
    ]
    assert "models.problems" not in [
        note.code for note in at_k.score_models({"x": SMALL, "y": LARGE}).notes
    ]


def test_saved_reports_and_a_list_of_paths(tmp_path):
    paths = [tmp_path / "small.json", tmp_path / "large.json"]
    for path, data in zip(paths, (SMALL, LARGE), strict=True):
        at_k.score(data).save(path)
    models = at_k.score_models(paths)
    values = {name: report.values["pass@1"] for name, report in models.reports.items()}
    assert values == {"small.json": 0.25, "large.json": 0.75}
    refuses("InputError: The options `k` say how data are scored", at_k.score_models, paths, k=1)


@for_each("models", [["a", 1], "a.jsonl", [SMALL], 5, {}])
def test_models_of_other_types_are_refused(models):
    refuses(
        "TypeError: `models` must map the name of each model to … , or be a list of paths; got",
        map_models,
        models,
    )
    says = "ValueError: names that are written differently; got 1 more than once"
    refuses(says, at_k.score_models, {1: SMALL, "1": LARGE})


PRICED = {
    "a<1>": {
        "problem": ["x", "y", "z"],
        "grades": [[1, 1], [1, 0], [0, 0]],
        "cost_usd": [[1, 2], [1, 1], [4, 1]],
    },
    "b": {
        "problem": ["x", "y", "w"],
        "grades": [[1, 1], [1, 1], [0, 1]],
        "cost_usd": [[3, 3], [3, 3], [3, 3]],
    },
}


ONE_EACH = {
    name: {"grades": [[i % step == 0] for i in range(12)]}
    for name, step in (("a", 2), ("b", 3), ("c", 4))
}
SOFT = {"grades": [[0.6], [0.3], [1.0]]}


@for_each("found, rows, said", [
    (at_k.score(ONE_EACH["a"]), ["pass@k"], ["report.twins", "report.no_other"]),
    (at_k.score(SOFT), ["accuracy", "pass@k"], ["report.twins"]),  # a mean grade is another number
    (at_k.score({"grades": [[1, 1]] * 9}, metrics=["avg", "pass@k"]), ["avg@n", "pass@k"], []),  # equal by chance
    (at_k.score_models(ONE_EACH), ["a", "b", "c"], ["report.twins", "report.no_other"]),
    (join_rankings({key: at_k.rank(ONE_EACH, metrics=key) for key in (Key("avg@n", 1), Key("pass@k", 1))}),
     ["a", "b", "c"], ["report.twins", "report.no_other"]),
])  # fmt: skip
def test_a_number_with_several_names_at_one_sample_is_shown_once(found, rows, said):
    parts = found.parts if isinstance(found, Sheet) else found.sheet().parts
    tables = [
        part for sheet in parts for part in (sheet.parts if isinstance(sheet, Sheet) else [sheet])
    ]
    table, *_ = (part for part in tables if isinstance(part, Table))
    assert [str(row[0]) for row in table.rows] == rows
    assert len(table.head) == (3 if isinstance(found, Sheet) else 2 + ("avg@n" in rows))
    notes = [note.code for part in parts if isinstance(part, Sentences) for note in part.said]
    assert [code for code in notes if code.startswith("report.")] == said


def test_costs_of_a_correct_sample_are_shown_beside_the_numbers():
    models = at_k.score_models(PRICED, metrics="pass@1")
    assert [cost.value for cost in models.costs["cost_usd"].values()] == [10 / 3, 18 / 5]
    assert "cost_usd per success" in str(models.to_markdown())
    assert models.to_dict()["cost_per_success"]["cost_usd"]["b"]["value"] == 3.6
    unpriced = {"c": {"grades": [[1, 1]]}}
    assert (
        at_k.score_models(PRICED | unpriced, metrics="pass@1").costs == {}
    )  # only what all models have


def test_html_has_a_picture_of_who_solves_what():
    page = at_k.score_models(PRICED, metrics="pass@1").to_html()
    titles = re.findall("<title>(.*?)</title>", page)
    assert titles == [
        *("b · x, y: 100%", "b · w: 50%", "b · z: not given"),
        *(
            "a&lt;1&gt; · x: 100%",
            "a&lt;1&gt; · y: 50%",
            "a&lt;1&gt; · w: not given",
            "a&lt;1&gt; · z: 0%",
        ),
    ]
    assert "<1>" not in page
    one, large = {"a": PRICED["b"]}, {"grades": [[1, 0]] * 1001}
    assert "<svg" not in at_k.score_models(one).to_html()
    assert "<svg" not in at_k.score_models({"a": large, "b": large}, metrics="pass@1").to_html()
    many = {
        f"model {i}": {"grades": [[(i + j) % 3 > 0, j % 2] for j in range(500)]} for i in range(12)
    }
    assert at_k.score_models(many, metrics="pass@1").to_html().count("<rect") <= 6000

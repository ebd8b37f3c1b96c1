"""The endpoints without a server: what pages draw are the numbers of the library, and refusals name what mends them."""

import json
import re
import shlex

import numpy as np
import pytest
from cases import for_each, refuses

import at_k
from at_k.cli.commands import app
from at_k.demo import given, scoring, work
from at_k.demo.app import render_page
from at_k.demo.drawing import draw_sheet
from at_k.demo.scoring import OFFERED, read_options
from at_k.options.registry import SCORING

ROWS = [
    {"id": f"p{i}", "answers": ["7", "7", str(i % 3), "7" if i % 4 else str(i)], "reference": "7",
     "score": [i, 2, 1, 0], "level": "ab"[i % 2]}
    for i in range(24)
]  # fmt: skip
TEXT = "\n".join(map(json.dumps, ROWS))


def test_score_draws_the_numbers_of_the_library():
    found = work.run("score", {"data": TEXT})
    report = at_k.score(
        [
            {**row, "references": row["reference"], "scores": row["score"], "group": row["level"]}
            for row in ROWS
        ],
        k=[1, 2, 4],
    )
    assert found["values"] == {str(key): value for key, value in report.values.items()}
    assert found["k"] == [1, 2, 4]
    for k, drawn in found["at"].items():
        for row in (*drawn["stairs"], *drawn["bars"]):
            assert row["value"] == report.values[row["key"]]
        for row in drawn["bars"]:
            bar = report.intervals[row["key"]]
            assert (row["low"], row["high"]) == pytest.approx((bar.low, bar.high), abs=1e-4)
        for row in drawn["stairs"]:
            cells = [value for value, many in row["cells"] for _ in range(many)]
            assert len(cells) == len(ROWS)
            assert np.mean(cells) == pytest.approx(row["value"], abs=1e-3)
        assert drawn["stairs"] or k == "1"
    for key, rows in found["groups"]["rows"].items():
        assert {row["label"]: row["value"] for row in rows} == {
            label: values[key] for label, values in report.groups.items()
        }
    assert [(row["n"], row["c"]) for row in found["problems"]] == sorted(
        zip(report.n, report.c, strict=True), key=lambda own: abs(own[1] / own[0] - 0.5)
    )
    assert all(sum(count for _, count, _ in row["votes"]) == row["n"] for row in found["problems"])


def run_command(command, capsys):
    words = shlex.split(command)
    assert words[0] == "at-k"
    capsys.readouterr()
    app([*words[1:], "--format", "json"], standalone_mode=False)
    return json.loads(capsys.readouterr().out)


def run_script(script, name):
    names = {}
    exec(script, names)
    return names[name]


SHEET = "Prüf-Nr,Versuch,ok,level\n" + "".join(
    f"{problem},{run},{int(problem * run % 3 == 0)},{problem % 2}\n"
    for problem in range(20)
    for run in range(5)
)
OF_SHEET = {"columns": {"problem": "Prüf-Nr", "grades": "ok"}, "pool": ["Versuch"]}
OTHER_SHEET = SHEET.replace(",1,", ",0,")


@for_each("files, options", [
    ({"results.jsonl": TEXT},
     {"k": "1, 3", "thresholds": "0.5", "check_correct_fn": "numeric", "columns": {"group": None}}),
    ({"results.jsonl": TEXT}, {"where": {"level": "a"}, "missing": "drop", "confidence_level": 0.9}),
    ({"results.jsonl": TEXT}, {"groups": False, "target": "problem_set", "metrics": ["pass@k", "cons@k"]}),
    ({"wk 47.csv": SHEET}, OF_SHEET),
    ({"wk 47.csv": SHEET}, OF_SHEET | {"columns": {**OF_SHEET["columns"], "group": "level"}}),
    ({"one.csv": SHEET, "two.csv": OTHER_SHEET}, OF_SHEET | {"pool": ["Versuch", "file"]}),
])  # fmt: skip
def test_the_command_and_the_script_compute_the_same(files, options, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    given = [{"name": name, "text": text} for name, text in files.items()]
    found = work.run("score", {"data": given, "options": options})
    assert "error" not in found, found
    said = run_command(found["command"], capsys)
    assert said["values"] == found["values"]
    report = run_script(found["python"], "report")
    assert {str(key): value for key, value in report.values.items()} == found["values"]
    rows = (found["groups"] or {"rows": {}})["rows"]
    groups = {key: {row["label"]: row["value"] for row in values} for key, values in rows.items()}
    for each in (said["groups"] or {}, report.groups):
        assert {
            key: {label: values[key] for label, values in each.items()} for key in groups
        } == groups
    capsys.readouterr()


def test_what_no_command_has_is_written_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.jsonl").write_text(TEXT, encoding="utf-8")
    found = work.run("score", {"data": TEXT, "options": {"higher_is_better": False}})
    assert found["command"] is None
    assert run_script(found["python"], "report").values == found["values"]


BETTER = "\n".join(
    json.dumps(row | {"answers": ["7", "7", "7", row["answers"][3]]}) for row in ROWS
)
BOTH = "\n".join(
    json.dumps({"model": model, **json.loads(line)})
    for model, text in (("x y", TEXT), ("z", BETTER)) for line in text.splitlines()
)  # fmt: skip


@for_each("a, b, options, form", [
    (("mine.jsonl", BETTER), ("base.jsonl", TEXT), {}, "at-k compare mine.jsonl base.jsonl --k 1,2,4"),
    (("r.jsonl", BETTER), ("r.jsonl", TEXT), {"options": {"k": [1, 3], "margin": 0.05}},
     "at-k compare a/r.jsonl b/r.jsonl --k 1,3"),
    (("r.jsonl", BOTH), ("r.jsonl", BOTH),
     {"options_a": {"where": {"model": "x y"}}, "options_b": {"where": {"model": ["z"]}}},
     "at-k compare r.jsonl --where 'model=x y' --where model=z --k 1,2,4"),
    (("a.csv", SHEET), ("b.csv", OTHER_SHEET), {"options": OF_SHEET | {"unmatched": "unpaired"}},
     "at-k compare a.csv b.csv --columns problem=Prüf-Nr,grades=ok --pool Versuch --k 1,2,4,5 --unmatched unpaired"),
    (("a.csv", SHEET), ("b.csv", OTHER_SHEET.replace("ok", "right")),
     {"options_a": OF_SHEET, "options_b": {**OF_SHEET, "columns": {"problem": "Prüf-Nr", "grades": "right"}}},
     "import at_k"),
])  # fmt: skip
def test_the_line_of_compare_computes_the_same(a, b, options, form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    apart = a[0] == b[0] and a[1] != b[1]
    for side, (name, text) in {"a": a, "b": b}.items():
        path = tmp_path / side / name if apart else tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sides = {side: {"name": name, "text": text} for side, (name, text) in {"a": a, "b": b}.items()}
    found = work.run("compare", {**sides, **options, "full": True})
    assert "error" not in found, found
    assert found["command"].startswith(form)
    if form == "import at_k":
        said = run_script(found["command"], "found").to_dict()
    else:
        said = run_command(found["command"], capsys)
    said, drawn = (json.loads(json.dumps(each)) for each in (said, found["data"]))
    assert said["bands"] == drawn["bands"]
    assert said["keys"].keys() == drawn["keys"].keys()
    for key, row in drawn["keys"].items():
        assert all(
            row[part] == said["keys"][key][part] for part in row if part != "decision"
        )  # it names the models
    capsys.readouterr()


@for_each("files, options", [
    ({"data": {"name": "pilot.csv", "text": SHEET}}, OF_SHEET | {"k": 2}),
    ({"data": [{"name": "one.csv", "text": SHEET}, {"name": "two.csv", "text": OTHER_SHEET}]},
     OF_SHEET | {"pool": ["Versuch", "file"]}),
    ({"example": "qwen25_math"}, {"k": 4, "thresholds": 0.5}),
])  # fmt: skip
def test_the_line_of_plan_computes_the_same(files, options, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(work, "_PROBLEMS", (10, 100))  # each number of problems is simulated
    monkeypatch.chdir(tmp_path if "data" in files else given.find_folder().parent.parent)
    for file in [files["data"]] if isinstance(files.get("data"), dict) else files.get("data", []):
        (tmp_path / file["name"]).write_text(file["text"], encoding="utf-8")
    found = work.run("plan", {**files, "options": options})
    assert "error" not in found, found
    if "example" in files:
        assert found["command"].startswith(
            "at-k plan examples/data/qwen25_math.jsonl --k 4 --thresholds 0.5 "
        )
    if found["command"].startswith("import"):
        half = run_script(found["command"], "found").half_width
    else:
        half = run_command(found["command"], capsys)["half_width"]
    assert np.array(found["half"]) == pytest.approx(np.array(half), abs=1e-6)
    capsys.readouterr()


@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "json", "html"])
def test_a_report_is_written_in_each_form(form):
    found = work.run("score", {"data": TEXT, "form": form})
    assert found["form"] == form
    assert "pass@" in found["text"] or "pass" in found["text"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sentences_are_in_the_language_of_the_visitor(language):
    found = work.run("score", {"data": TEXT, "language": language})
    texts = [
        found["at"]["4"]["title"]["text"],
        *(each["text"] for each in found["at"]["4"]["lead"]),
        found["size"],
    ]
    assert all(
        any("\u4e00" <= sign <= "\u9fff" for sign in text) == (language == "zh") for text in texts
    )
    refused = work.run("score", {"data": "{", "language": language})
    assert any("\u4e00" <= sign <= "\u9fff" for sign in refused["error"]) == (language == "zh")


def test_compare_draws_both_and_one_decision():
    other = "\n".join(json.dumps(row | {"answers": ["7", "7", "7", "7"]}) for row in ROWS)
    found = work.run(
        "compare", {"a": {"name": "x", "text": other}, "b": {"name": "y", "text": TEXT}}
    )
    assert found["names"] == ["x", "y"]
    a, b = (
        at_k.pass_hat_k(4, model, k=4).mean()
        for model in ([4] * len(ROWS), [sum(a == "7" for a in r["answers"]) for r in ROWS])
    )
    (last,) = (each for each in found["lines"]["G-Pass@k_1.0"]["at"] if each[0] == 4)
    assert last[1] == pytest.approx(a - b, abs=1e-5)
    for line in found["lines"].values():
        for _, value, low, high, better in line["at"]:
            assert better == ("a" if low > 0 else "b" if high < 0 else "open")
            assert low <= value <= high
        assert [each["code"] for each in line["said"]]


def draw_counts(rng, chances, n):
    return "\n".join(
        json.dumps({"id": i, "correct": (rng.random(n) < chance).astype(int).tolist()})
        for i, chance in enumerate(chances)
    )


def test_both_decisions_are_said_where_few_problems_have_many_samples():
    """These problems decide, and are too few for others: the same as of the library, for the same data."""
    rng = np.random.default_rng(0)
    chances = rng.beta(0.8, 0.8, 30)
    a, b = (draw_counts(rng, np.minimum(1, chances + more), 64) for more in (0.05, 0))
    found = work.run("compare", {"a": {"name": "x", "text": a}, "b": {"name": "y", "text": b}})
    line = found["lines"]["pass@k"]
    reports = [
        at_k.score([json.loads(row) for row in text.split("\n")], k=found["models"][0]["k"])
        for text in (a, b)
    ]
    compared = at_k.compare(*reports, names=("x", "y"), band=True)
    (about_here, here), (about_others, others) = line["decisions"]
    assert (about_here, about_others) == ("On these 30 problems", "For other problems like these")
    decided = [
        key.k
        for key in compared.comparisons
        if key.line == "pass@k" and compared.find_better_here(key) == "x"
    ]
    assert decided
    assert here.startswith(f"x is better in pass@k for k = {', '.join(map(str, decided))}.")
    assert others == "No difference between x and y is shown in pass@k."
    for row in line["table"]["rows"]:
        key = row[0]["text"]
        for cell, pair in ((row[3], compared.reruns.get(key)), (row[4], compared.comparisons[key])):
            if pair is None:  # every sample is drawn: others of these problems are not known
                assert (cell["text"], key) == ("–", "pass@64")
            else:
                assert float(cell["text"].replace("−", "-")) == pytest.approx(
                    100 * pair.difference, abs=0.05
                )
                assert (cell["style"] == "best") == (pair.better is not None)
    assert "For other problems like these, 30 are too few" in line["said_at"]["1"][0]


@for_each("narrow, wide, said", [
    (30, 55, "x is better in pass@k for k = 1. y is better in pass@k for k = 3–16."),
    (4, 6, "No difference between x and y is shown in pass@k. The sign turns: from k = 3 on, y is ahead."),
])  # fmt: skip
def test_the_headline_says_where_the_sign_turns(narrow, wide, said):
    """One model always solves some problems; the other one sometimes solves more."""
    problems = narrow * 2
    steady = [[int(i < narrow)] * 16 for i in range(problems)]
    ahead = [[int(i < wide)] * 6 + [0] * 10 for i in range(problems)]
    a, b = (
        {
            "name": name,
            "text": "\n".join(json.dumps({"id": i, "correct": row}) for i, row in enumerate(rows)),
        }
        for name, rows in (("x", steady), ("y", ahead))
    )
    decisions = work.run("compare", {"a": a, "b": b})["lines"]["pass@k"]["decisions"]
    assert decisions[1][1] == said


def test_equal_files_are_compared():
    found = work.run(
        "compare", {"a": {"name": "x", "text": TEXT}, "b": {"name": "x", "text": TEXT}}
    )
    assert found["names"] == ["x (A)", "x (B)"]
    assert {each[4] for line in found["lines"].values() for each in line["at"]} == {"open"}


def test_plan_fills_in_the_numbers_of_the_library():
    found = work.run("plan", {"data": TEXT, "options": {"k": 2}})
    plan = at_k.plan(
        ([4] * len(ROWS), [sum(a == "7" for a in row["answers"]) for row in ROWS]),
        k=2,
        problems=found["problems"],
        samples=found["samples"],
    )
    assert found["key"] == "pass@2"
    assert np.array(found["half"]) == pytest.approx(plan.half_width, abs=1e-6)
    correlation = next(iter(plan.chances))
    for table, expected in (("chance", plan.chances), ("here", plan.chances_here)):
        simulated = np.array(found[table], dtype=float)
        assert np.array_equal(simulated, expected[correlation], equal_nan=True), table
    assert np.isfinite(simulated[: found["problems"].index(1000)]).any()
    blanks = [re.findall(r"{(\w+)}", sentence) for sentence in found["sentences"]]
    assert blanks == [
        ["problems", "samples", "key", "half"],
        ["detect", "chance", "here"],
        ["detect"],
    ]
    assert found["start"] == [24, 4]
    assert len(found["detect"]) == len(found["problems"])


@pytest.mark.parametrize(("options", "code"), [
    ({"num_workers": 4}, "scoring.unknown"), ({"timeout": 100}, "scoring.unknown"), ({"x": 1}, "scoring.unknown"),
    ({"check_correct_fn": "code"}, "scoring.not_offered"), ({"extract_fn": "(a+)+$"}, "scoring.not_offered"),
    ({"equivalence": "math"}, "scoring.not_offered"), ([1], "scoring.no_options"), ("k", "scoring.no_options"),
    ({"columns": {"x": "y"}}, "scoring.no_roles"), ({"columns": "x"}, "typed.bad_pairs"),
    ({"k": "1, x"}, "typed.no_whole_number"), ({"thresholds": "½x"}, "typed.no_number"),
    ({"k": "9" * 21}, "typed.no_whole_number"),
])  # fmt: skip
def test_options_that_are_refused(options, code):
    refuses(code, read_options, options)


def test_every_option_of_a_report_is_offered_or_closed():
    closed = {"seed", "clusters", "ci_method", "rows", "return_details", "key_style", "weights"}
    closed |= {"extract_reference", "num_workers", "timeout", "prompt_column", "format"}
    assert set(SCORING) - set(OFFERED) <= closed | {
        "average",
        "audited",
        "looks",
        "exclude",
        "reduce",
    }


@for_each("rows, code, options, found", [
    ([("a", "[0, 1]"), ("b", "[1]"), ("c", "[0, 0]")], None,
     [{"sampling": "independent"}], [0.5]),
    ([("a", "[1, null]"), ("b", "[1, 1]")], "scoring.missing", [{"missing": "incorrect"}, {"missing": "drop"}],
     [0.75, 1.0]),
])  # fmt: skip
def test_samples_are_refused_until_a_button_says_how_they_count(rows, code, options, found):
    text = "\n".join(f'{{"id": "{name}", "correct": {row}}}' for name, row in rows)
    refused = work.run("score", {"data": text})
    assert code in (None, refused["code"])
    assert [mend["set"] for mend in refused["mends"]] == options
    mended = [
        work.run("score", {"data": text, "options": mend["set"]}) for mend in refused["mends"]
    ]
    assert [
        each["average"]["value"] if "average" in each else each["code"] for each in mended
    ] == found


@for_each("endpoint, data, code", [
    ("plan", {"data": "id,correct\na,1\nb,0"}, "plan.one_sample"),
    ("compare", {"a": "id,correct\na,1", "b": "id,correct\nb,1"}, "compare.no_problem"),
])  # fmt: skip
def test_no_column_is_offered_for_what_was_read_well(endpoint, data, code):
    refused = work.run(endpoint, data)
    assert (refused["code"], refused["mends"]) == (code, [])


def test_a_vote_that_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(scoring, "VOTE_SECONDS", 0.005)
    rows = [
        {"answers": [f"{(i * j) % 37}" for j in range(300)], "reference": "1"} for i in range(300)
    ]
    found = work.run("score", {"data": "\n".join(map(json.dumps, rows))})
    assert not [key for key in found["values"] if key.startswith("cons")]
    assert "scoring.vote_too_long" in {note["code"] for note in found["notes"]}


def test_a_sheet_is_drawn_as_text():
    sheet = at_k.plan((([8] * 12), [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8]), half_width=0.05).sheet()
    found = draw_sheet(sheet, "en")
    assert json.loads(json.dumps(found)) == found
    table = next(part for part in found["parts"] if "rows" in part)
    assert len(table["head"]) == len(table["rows"][0])


@for_each("space, source", [("org/gpassk", "org"), ("", "metrics")])
def test_the_code_to_copy_loads_the_module_of_the_owner_of_the_space(monkeypatch, space, source):
    monkeypatch.setenv("SPACE_ID", space)
    page = render_page.__wrapped__("gpassk", "en")
    assert f'<main id="gpassk" data-source="{source}">' in page

"""The page Score, used as a person uses it: results go in by every way there is, and the right numbers come out."""

import csv
import json
from io import BytesIO, StringIO

import evaluate
import pytest
from PIL import Image

import at_k
from at_k.demo import downloads, examples
from at_k.demo.limits import LIMITS
from at_k.demo.scoring import Options, score
from at_k.demo.words import say
from at_k.readers.plain import collect_samples
from at_k.readers.tables import read_table
from tools.driving import eventually

TAUS = [0.25, 0.5, 0.75, 1.0]


def library(text, k, levels="level"):
    """What the five modules say of verdicts: everybody, then each group."""
    rows = list(map(json.loads, text.splitlines()))
    graded = {"predictions": [row["correct"] for row in rows], "groups": [row[levels] for row in rows]}
    published = [draws for draws in k if draws in (4, 8, 16)]
    found = _module("gpassk").compute(**graded, k=published, thresholds=TAUS)
    found |= _module("pass_at_k").compute(**graded, k=k)
    found |= _module("avg_at_n").compute(**graded)
    found |= _module("best_at_k").compute(**graded, scores=[row["rm_score"] for row in rows], k=k)
    verdicts = {
        (answer, row["idx"]): right
        for row in rows
        for answer, right in zip(row["answers"], row["correct"], strict=True)
    }
    votes = [[(answer, row["idx"]) for answer in row["answers"]] for row in rows]
    correct = [[verdicts[vote] for vote in row] for row in votes]
    values = at_k.cons_at_k([[str(vote) for vote in row] for row in votes], correct, k=k)
    for place, draws in enumerate(k):
        found |= at_k.summarize({f"cons@{draws}": values[:, place]}, groups=graded["groups"])
    columns = {"all": {key: value for key, value in found.items() if "/" not in key}}
    for label in sorted(set(graded["groups"])):
        columns[label] = {key: found[f"{label}/{key}"] for key in columns["all"]}
    return columns


def _module(name):
    return evaluate.load(str(at_k.module_path(name)), "graded")


def table(page):
    """The table: heading → key → value, which is exact where one points at it, and shown with four digits."""
    parts = """root => [
        [...root.querySelectorAll('thead th')].map(cell => cell.firstChild.textContent),
        [...root.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => [cell.innerText, cell.title])),
    ]"""
    (_, *headings), rows = page.locator("#score_table").evaluate(parts)
    found = {heading: {} for heading in headings}
    for (key, _), *cells in rows:
        for heading, (shown, exact) in zip(headings, cells, strict=True):
            value = float(exact)
            assert shown == (f"{value:.4f}" if 0 <= value <= 1 else f"{value:.4g}")
            found[heading][key] = value
    return found


def overall(page):
    return table(page)["all"]


def give(page, text):
    """Paste results, and have them scored."""
    page.locator("#score_text textarea").fill(text)
    page.locator("#score_run").click()


def refusal(page):
    return page.locator("#score_refused_data, #score_refused_options").locator("[role=alert]").all_inner_texts()


def above_n(k, problem, n, count):
    return (
        f"`k` must be at most n, the number of samples of every problem; got k = {k}, but problem “{problem}” has "
        f"n = {n} (problems with too few samples: {count})."
    )


def choose(page, label, option):
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_the_first_example_is_there_at_once_and_can_be_changed(visit):
    page = visit("score")
    assert table(page) == library(examples.read_example("qwen25_math"), (1, 2, 4, 8))
    assert page.locator("#score_text textarea").input_value() == examples.read_example("qwen25_math")
    assert (
        "100, samples of each: 8. Always solved: 86, sometimes: 10, never: 4." in page.locator(".summary").inner_text()
    )
    choose(page, "Example", "GPT-4o on τ-bench airline, 50 × 4")
    rows = [json.loads(line)["correct"] for line in examples.read_example("taubench_airline").splitlines()]
    expected = _module("gpassk").compute(predictions=rows, k=4, thresholds=TAUS)
    eventually(lambda: expected.items() <= overall(page).items(), True)
    assert page.locator("#score_text textarea").input_value() == examples.read_example("taubench_airline")
    assert round(overall(page)["G-Pass@4_1.0"], 3) == 0.2
    assert "best@k is left out: it needs a score for every sample." in page.locator(".remarks").inner_text()
    bars = page.evaluate("document.querySelector('#score_problems .js-plotly-plot').data")
    assert [len(bar["x"]) for bar in bars] == [14, 26, 10]
    assert sorted(value for bar in bars for value in bar["y"]) == sorted(sum(row) / 4 for row in rows)


def test_options_change_the_table(visit):
    page = visit("score")
    text = '{"id": "a", "answers": ["1", "2", "2", "1", null], "reference": "1", "level": "x"}'
    text += '\n{"id": "b", "answers": ["3", "3", "4", "5", "6"], "reference": "3", "level": "y"}'
    give(page, text)
    eventually(
        lambda: [said.partition(":")[0] for said in refusal(page)],
        ["A sample is missing (row 1, column “answers”, sample 5); missing in all"],
    )
    choose(page, "A missing sample", "is wrong")
    eventually(lambda: refusal(page), [])
    eventually(lambda: list(table(page)), ["all", "x", "y"])
    assert page.locator("#score_text textarea").input_value() == text
    rows = [["1", "2", "2", "1", "n"], ["3", "3", "4", "5", "6"]]
    correct = [[1, 0, 0, 1, 0], [1, 1, 0, 0, 0]]

    def votes(k, ties, silent=True):
        cast = [[None if silent and vote == "n" else vote for vote in row] for row in rows]
        return float(at_k.cons_at_k(cast, correct, k=k, ties=ties).mean())

    assert overall(page)["cons@4"] == pytest.approx(votes(4, "random"), abs=1e-12)
    for name, ties in (("any winner needs more than half", "strict"), ("is wrong", "incorrect")):
        choose(page, "A tied vote", name)
        eventually(lambda ties=ties: round(overall(page)["cons@4"], 12), round(votes(4, ties), 12))
    page.locator("#score_k input").fill("3，5 1")
    page.locator("#score_k input").press("Enter")
    eventually(lambda: [key for key in overall(page) if key.startswith("pass@")], ["pass@3", "pass@5", "pass@1"])
    page.locator("#score_taus input").fill("0.6")
    page.locator("#score_taus input").press("Enter")
    eventually(lambda: [key for key in overall(page) if key.startswith("G-Pass@5")], ["G-Pass@5_0.6"])
    assert overall(page)["G-Pass@3_0.6"] == pytest.approx(float(at_k.g_pass_at_k(5, 2, k=3, tau=0.6)), abs=1e-12)
    choose(page, "A missing sample", "is left out")
    eventually(lambda: refusal(page), [above_n(5, "a", 4, "1 of 2")])
    page.locator("#score_k input").fill("4")
    page.locator("#score_run").click()
    eventually(lambda: refusal(page), [])
    eventually(lambda: "Missing samples, left out: 1." in page.locator(".remarks").inner_text(), True)
    average = (at_k.pass_at_k(4, 2, k=4) + at_k.pass_at_k(5, 2, k=4)) / 2
    assert overall(page)["pass@4"] == pytest.approx(float(average), abs=1e-12)
    assert overall(page)["avg@n"] == pytest.approx((2 / 4 + 2 / 5) / 2, abs=1e-12)
    page.get_by_label("By group").uncheck()
    eventually(lambda: list(table(page)), ["all"])
    for name in ("gpassk", "cons_at_k", "avg_at_n", "best_at_k"):
        page.get_by_label(name, exact=True).uncheck()
    eventually(lambda: list(overall(page)), ["pass@4"])
    page.get_by_label("pass_at_k", exact=True).uncheck()
    eventually(lambda: refusal(page), ["`metrics` must name at least one metric."])


def test_columns_can_be_chosen(visit):
    page = visit("score")
    text = "task,who,verdict,also\n1,x,1,0\n1,x,0,0\n2,y,1,1\n2,y,1,1\n"
    give(page, text.replace("task", "task_id").replace("verdict", "correct"))
    eventually(lambda: overall(page).get("avg@2"), 0.75)
    assert list(table(page)) == ["all"]
    page.get_by_role("button", name="Columns").click()
    choose(page, "Groups", "who")
    eventually(
        lambda: {heading: column["avg@2"] for heading, column in table(page).items()}, {"all": 0.75, "x": 0.5, "y": 1.0}
    )
    choose(page, "Verdicts or grades", "also")
    eventually(
        lambda: {heading: column["avg@2"] for heading, column in table(page).items()}, {"all": 0.5, "x": 0.0, "y": 1.0}
    )
    choose(page, "Groups", "none")
    eventually(lambda: list(table(page)), ["all"])


ENCODINGS = {"utf-8": b"", "utf-8-sig": b"", "utf-16": b"", "utf-16-be": b"\xfe\xff", "gb18030": b""}
"""How files are written, and what mark Python does not put before them by itself."""


def test_files_of_any_encoding_and_size(visit):
    page = visit("score")
    for number, (encoding, mark) in enumerate(ENCODINGS.items()):
        text = f"id,correct,level\nα,1,难 {number}\nα,0,难 {number}\nβ,1,易\nβ,1,易\n"
        open_file(page, mark + text.replace("\n", "\r\n").encode(encoding))
        eventually(lambda number=number: list(table(page)), ["all", "易", f"难 {number}"])
        assert [column["avg@2"] for column in table(page).values()] == [0.75, 1.0, 0.5]
        assert page.locator("#score_text textarea").input_value() == text
        assert refusal(page) == []
    open_file(page, b" " * (LIMITS.max_bytes + 1))
    eventually(lambda: refusal(page), [say("en", "score.file_too_large")])
    open_file(page, b"PK\x03\x04\x00\x00")
    eventually(lambda: refusal(page), [say("en", "score.file_not_text")])
    page.wait_for_timeout(500)  # what would take the message away again has come by now
    assert refusal(page) == [say("en", "score.file_not_text")]
    assert page.locator("#score_text textarea").input_value() == text
    open_file(page, b'[{"correct": [1, 0]}, {"correct": [1, 1, x]}]')
    eventually(lambda: [said.partition(":")[0] for said in refusal(page)], ["This is not valid JSON"])
    eventually(lambda: page.locator("#score_text textarea").input_value()[:21], '[{"correct": [1, 0]},')
    open_file(page, b'[{"correct": [1, 0]}, {"correct": [1, 1]}]')
    eventually(lambda: refusal(page), [])
    eventually(lambda: overall(page)["avg@2"], 0.75)


def open_file(page, content):
    page.locator("#score_file input").set_input_files(
        {"name": "results", "mimeType": "application/octet-stream", "buffer": content}
    )


def test_a_bad_cell_is_named_and_what_was_typed_stays(visit):
    page = visit("score", locale="en-US")
    for bad in ("2", '"yes"', "-0.5", "[1]"):
        text = f'{{"id": 1, "correct": [1, 0, 1]}}\n{{"id": 2, "correct": [1, {bad}, 1]}}'
        give(page, text)
        said = {"2": "2", '"yes"': "“yes”", "-0.5": "-0.5", "[1]": "[…]"}[bad]
        eventually(
            lambda said=said: refusal(page),
            [f"A grade must be true, false, or a number from 0 to 1; got {said} (row 2, column “correct”, sample 2)."],
        )
        assert not page.locator("#score_results").is_visible()
        assert page.locator("#score_text textarea").input_value() == text
    give(page, text.replace(bad, "1"))
    eventually(lambda: refusal(page), [])
    page.locator("#score_results").wait_for()
    assert overall(page)["avg@3"] == pytest.approx((2 / 3 + 1) / 2, abs=1e-12)
    page.locator("#score_k input").fill("4")
    page.locator("#score_k input").press("Enter")
    eventually(lambda: refusal(page), [above_n(4, "1", 3, "2 of 2")])
    assert page.locator("#score_k input").input_value() == "4"


def test_answers_that_equal_no_reference_are_seen_first(visit):
    page = visit("score")
    give(page, '{"answers": ["\\\\boxed{7}", "8"], "reference": "7"}\n{"answers": ["5", "5"], "reference": "4"}')
    warning = page.locator("#score_table .warning")
    eventually(warning.count, 1)
    assert "“\\boxed{7}” beside “7”" in warning.inner_text()
    assert warning.bounding_box()["y"] < page.locator("#score_table table").bounding_box()["y"]


def test_rows_of_two_models_are_refused_until_the_model_is_the_group(visit):
    page = visit("score")
    give(page, "model,id,correct\na,1,1\na,1,0\nb,2,1\nb,2,1\n")
    eventually(lambda: [said.partition(":")[0] for said in refusal(page)], ["Column “model” has several values"])
    page.get_by_role("button", name="Columns").click()
    choose(page, "Groups", "model")
    eventually(lambda: refusal(page), [])
    eventually(
        lambda: {name: column["avg@2"] for name, column in table(page).items()}, {"all": 0.75, "a": 0.5, "b": 1.0}
    )


def test_a_column_can_be_chosen_where_none_was_found(visit):
    page = visit("score")
    give(page, "frage,correct\n1,1\n1,0\n")
    eventually(lambda: len(refusal(page)), 1)
    page.get_by_role("button", name="Columns").click()
    choose(page, "Problem", "frage")
    eventually(lambda: refusal(page), [])
    assert overall(page)["avg@2"] == 0.5


def test_downloads(visit):
    page = visit("score")
    shown = table(page)
    text = examples.read_example("qwen25_math")
    rows = list(map(json.loads, text.splitlines()))

    name, content = downloaded(page, "#score_links >> text=Table, CSV")
    heading, problems, *lines = csv.reader(StringIO(content.decode()))
    assert (name, heading, problems[:2]) == ("results.csv", ["metric", *shown], ["problems", "100"])
    columns = {label: {line[0]: float(line[i]) for line in lines} for i, label in enumerate(heading) if i}
    assert columns == shown

    name, content = downloaded(page, "#score_links >> text=Problems, CSV")
    problems = list(csv.DictReader(StringIO(content.decode())))
    assert (name, len(problems)) == ("problems.csv", 100)
    for row, problem in zip(rows, problems, strict=True):
        assert (problem["problem"], problem["group"]) == (str(row["idx"]), row["level"])
        assert (problem["n"], problem["c"]) == ("8", str(sum(row["correct"])))
        assert float(problem["pass@4"]) == at_k.pass_at_k(8, sum(row["correct"]), k=4)

    name, content = downloaded(page, "#score_links >> text=Everything, JSON")
    everything = json.loads(content)
    assert (name, everything["results"]) == ("results.json", shown.pop("all"))
    assert everything["groups"] == shown
    assert everything["samples"]["answers"] == [row["answers"] for row in rows]

    for button, figure in (("#score_png", "curves"), ("#score_png_problems", "problems")):
        name, content = downloaded(page, button)
        width = page.locator(f"#score_{figure} .js-plotly-plot").bounding_box()["width"]
        with Image.open(BytesIO(content)) as picture:
            assert (name, picture.format) == (f"at-k_{figure}.png", "PNG")
            assert abs(picture.width - 2 * width) <= 4
            assert len(picture.convert("RGB").getcolors(picture.width * picture.height)) > 10  # it is not blank

    _, content = downloaded(page, "#score_code button[aria-label=Download]")
    samples = collect_samples(read_table(text))
    shown = downloads.write_script(score(samples, Options()))
    assert content.decode() == shown.rstrip()


def downloaded(page, selector):
    with page.expect_download() as download:
        page.locator(selector).click()
    return download.value.suggested_filename, download.value.path().read_bytes()

"""The page Score, used as a person uses it: results go in by every way there is, and the right numbers come out."""

import csv
import gzip
import json
import random
from collections import Counter
from io import BytesIO, StringIO
from pathlib import Path

import evaluate
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import at_k
from at_k.demo import downloads, examples
from at_k.demo.limits import LIMITS
from at_k.demo.score_results import score_samples
from at_k.demo.scoring import OPTIONS, Options
from at_k.demo.words import name_choice, name_option, say
from at_k.readers import read_bytes
from at_k.readers.format import Reading
from tools.driving import READY, ROOT, eventually

HARNESS = ROOT / "tests" / "data" / "harness"
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


CELLS = """root => [...root.querySelectorAll('td[data-key]')].map(cell => [
    cell.dataset.key, cell.firstChild.textContent.trim(), cell.title, Number(cell.dataset.value),
])"""


def overall(page):
    """The matrix: key → value. What is shown of it is a rounding, and lies in its interval."""
    found = {}
    for key, shown, exact, value in page.locator("#score").evaluate(
        f"root => [...root.querySelectorAll('.matrix')].flatMap({CELLS})"
    ):
        number, _, interval = exact.partition(" ")
        assert float(number) == value
        if interval:
            low, high = json.loads(interval)
            assert low <= value <= high
            assert shown == f"{value:.{len(shown.partition('.')[2])}f}"
        found[key] = value
    return found


def blocks(page):
    """The table of groups or models: label → key → value, for every k."""
    rows = page.locator("#score").evaluate(
        f"root => [...root.querySelectorAll('tr[data-label]')].map(row => [row.dataset.label, ({CELLS})(row)])"
    )
    found = {}
    for label, cells in rows:
        found.setdefault(label, {}).update({key: value for key, _, _, value in cells})
    return found


def give(page, text):
    """Paste results, and have them scored."""
    page.locator("#score_results").fill(text)
    page.locator("#score .main").click()


def refusal(page):
    """What is refused, without the buttons that mend it."""
    return page.locator("#score .refusals [role=alert]").all_inner_texts()


def field(page, name):
    """A field of the form, with all that it is in unfolded."""
    found = page.locator(f"#score [name={name}]").first
    found.evaluate("e => { for (let f = e; f; f = f.parentElement) if (f.tagName === 'DETAILS') f.open = true; }")
    return found


def choose(page, name, value):
    """Choose one of the values of a field, or type one."""
    if field(page, name).evaluate("e => e.tagName") == "SELECT":
        field(page, name).select_option(value)
    else:
        field(page, name).fill(value)
        field(page, name).press("Enter")


def is_stale(page):
    return page.locator("#score [data-part][data-stale]").count() > 0


def test_the_first_example_is_there_at_once_and_can_be_changed(visit):
    page = visit("score")
    text = examples.read_example("qwen25_math")
    expected, found = library(text, (1, 2, 4, 8)), overall(page)
    both = set(expected["all"]) & set(found)
    assert {key: found[key] for key in both} == pytest.approx({key: expected["all"][key] for key in both}, abs=1e-12)
    assert {"G-Pass@8_1.0", "mG-Pass@4", "pass@2", "cons@8", "best@4", "avg@8", "max@1"} <= both
    for label, values in blocks(page).items():
        shared = set(values) & set(expected[label])
        assert {key: values[key] for key in shared} == pytest.approx({key: expected[label][key] for key in shared})
        assert "pass@8" in shared
    assert page.locator("#score_results").input_value() == text
    assert page.locator(".headline").inner_text().startswith("All 8 answers are right on 86 % of the problems")
    page.locator("#score").get_by_role("button", name="GPT-4o on τ-bench airline (50 × 4)").click()
    rows = [json.loads(line)["correct"] for line in examples.read_example("taubench_airline").splitlines()]
    expected = _module("gpassk").compute(predictions=rows, k=4, thresholds=TAUS)
    eventually(lambda: expected.items() <= overall(page).items(), True)
    assert page.locator("#score_results").input_value() == examples.read_example("taubench_airline")
    assert "best@k is left out: it needs a score for every sample." in page.locator("#score .remarks").inner_text()
    page.locator("#score_results").press("End")
    page.keyboard.type(" ")
    eventually(lambda: page.locator("#score [name=example]").input_value(), "")


def test_options_change_the_table(visit):
    page = visit("score")
    text = '{"id": "a", "answers": ["1", "2", "2", "1", null], "reference": "1", "level": "x"}'
    text += '\n{"id": "b", "answers": ["3", "3", "4", "5", "6"], "reference": "3", "level": "y"}'
    give(page, text)
    eventually(
        lambda: [said.partition(":")[0] for said in refusal(page)],
        ["A sample is missing (line 1, column “answers”, sample 5); missing in all"],
    )
    page.locator("#score .refusals").get_by_role("button", name="A missing sample: is wrong").click()
    eventually(lambda: refusal(page), [])
    assert field(page, "missing").input_value() == "incorrect"
    eventually(lambda: list(blocks(page)), ["x", "y"])
    rows = [["1", "2", "2", "1", None], ["3", "3", "4", "5", "6"]]
    correct = [[1, 0, 0, 1, 0], [1, 1, 0, 0, 0]]

    def votes(ties):
        return float(at_k.cons_at_k(rows, correct, k=4, ties=ties).mean())

    assert overall(page)["cons@4"] == pytest.approx(votes("random"), abs=1e-12)
    choose(page, "ties", "strict")
    eventually(lambda: overall(page)["cons@4"], pytest.approx(votes("strict"), abs=1e-12))
    choose(page, "k", "3, 2")
    eventually(lambda: {key for key in overall(page) if key.startswith("pass@")}, {"pass@2", "pass@3"})
    field(page, "groups").uncheck()
    eventually(lambda: blocks(page), {})
    choose(page, "k", "x")
    eventually(lambda: refusal(page), ["k must be whole numbers, such as 1, 4, 8; got “x”."])
    page.locator("#score .refusals").get_by_role("button", name="Use the usual options").click()
    eventually(lambda: "A missing sample: is wrong" in "".join(refusal(page)), True)
    assert field(page, "k").input_value() == ""


def test_old_results_are_grey_until_the_new_ones_are_there(visit):
    page = visit("score")
    before = overall(page)
    assert not is_stale(page)
    give(page, '{"correct": [1, 2]}')
    eventually(lambda: len(refusal(page)), 1)
    assert is_stale(page)
    assert overall(page) == before
    box = page.locator("#score_results")
    box.fill('{"correct": [1, 0]}')
    eventually(lambda: is_stale(page), True)
    box.press("Control+Enter")
    eventually(lambda: overall(page).get("avg@2"), 0.5)
    eventually(lambda: is_stale(page), False)
    box.press("End")
    page.keyboard.type(" ")
    eventually(lambda: is_stale(page), True)
    assert "Pasted results" in page.locator("#score .taken").inner_text()
    assert page.locator("#score [name=example]").input_value() == ""


@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(1280, "light", "en"), (390, "dark", "zh")], ids=["desk", "phone"]
)
def test_answers_that_equal_no_reference_are_seen_first_and_helped(visit, width, scheme, language):
    page = visit("score", width=width, color_scheme=scheme, locale={"en": "en-US", "zh": "zh-CN"}[language])
    give(page, '{"answers": ["\\\\boxed{7}", "8"], "reference": "7"}\n{"answers": ["5", "5"], "reference": "4"}')
    warning = page.locator("#score [data-part=head] .warning")
    eventually(warning.count, 1)
    assert "“\\boxed{7}”" in warning.inner_text()
    assert warning.bounding_box()["y"] < page.locator("#score table").first.bounding_box()["y"]
    warning.locator("[data-set]").click()
    eventually(warning.count, 0)
    assert overall(page)["pass@2"] == 0.5
    assert name_choice(OPTIONS["extract_fn"], "boxed", language) in page.locator("#score .taken").inner_text()
    page.locator("#score .taken [data-opens=extract_fn]").click()
    eventually(lambda: page.evaluate("document.activeElement.name"), "extract_fn")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_columns_are_links_to_their_choice(visit):
    page = visit("score")
    give(page, "task_id,who,correct,also\n1,x,1,0\n1,x,0,0\n2,y,1,1\n2,y,1,1\n")
    eventually(lambda: overall(page).get("avg@2"), 0.75)
    page.locator("#score .taken [data-opens=column_grades]").click()
    eventually(lambda: page.evaluate("document.activeElement.name"), "column_grades")
    choose(page, "column_grades", "also")
    eventually(lambda: overall(page).get("avg@2"), 0.5)
    choose(page, "column_group", "who")
    eventually(lambda: {label: values.get("avg@2") for label, values in blocks(page).items()}, {"x": 0.0, "y": 1.0})
    head = page.get_by_role("button", name="avg@n", exact=True)
    for order in (["y", "x"], ["x", "y"]):
        head.click()
        rows = page.locator("tr[data-label]").evaluate_all("rows => rows.map(row => row.dataset.label)")
        assert rows == order


def test_models_are_kept_apart(visit):
    page = visit("score")
    give(page, "model,id,correct\na,1,1\na,1,0\nb,1,1\nb,1,1\n")
    eventually(lambda: {label: values.get("avg@2") for label, values in blocks(page).items()}, {"a": 0.5, "b": 1.0})
    assert overall(page)["avg@2"] == 0.5
    page.locator(".models").get_by_role("button", name="b", exact=True).click()
    eventually(lambda: overall(page).get("avg@2"), 1.0)
    page.locator(".models").get_by_role("button", name="all rows are samples of one model").click()
    eventually(lambda: overall(page).get("avg@4"), 0.75)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_problem_shows_its_samples(visit, width):
    page = visit("score", width=width)
    listed = page.locator("#score .problem-list tbody th")
    rows = [json.loads(line) for line in examples.read_example("qwen25_math").splitlines()]
    order = sorted(rows, key=lambda row: (sum(row["correct"]), row["idx"]))
    assert listed.all_inner_texts() == [str(row["idx"]) for row in order[: listed.count()]]
    middle = next(i for i, row in enumerate(order) if 0 < sum(row["correct"]) < 8)
    listed.nth(middle).get_by_role("button").click()
    row = order[middle]
    votes = page.locator(".detail .votes tbody tr")
    found = {cells[1]: int(cells[2]) for cells in votes.evaluate_all(TEXTS_OF_ROWS)}
    assert found == Counter(row["answers"])
    samples = page.locator(".detail .samples tbody tr").evaluate_all(TEXTS_OF_ROWS)
    assert [cells[1] == "right" for cells in samples] == [bool(right) for right in row["correct"]]
    assert [float(cells[3]) for cells in samples] == pytest.approx(row["rm_score"], rel=1e-4)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator("#score .sorts").last.click()
    eventually(page.locator("#score .share").first.inner_text, "8/8")


TEXTS_OF_ROWS = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"


ENCODINGS = {"utf-8": b"", "utf-8-sig": b"", "utf-16": b"", "utf-16-be": b"\xfe\xff", "gb18030": b""}
"""How files are written, and what mark Python does not put before them by itself."""


def test_files_of_any_encoding_and_size(visit, tmp_path):
    page = visit("score")
    for number, (encoding, mark) in enumerate(ENCODINGS.items()):
        text = f"id,correct,level\nα,1,难 {number}\nα,0,难 {number}\nβ,1,易\nβ,1,易\n"
        open_file(page, mark + text.replace("\n", "\r\n").encode(encoding))
        eventually(lambda number=number: list(blocks(page)), ["易", f"难 {number}"])
        assert [column["avg@2"] for column in blocks(page).values()] == [1.0, 0.5]
        assert page.locator("#score_results").input_value() == text
        assert refusal(page) == []
    (tmp_path / "large").write_bytes(b" " * (LIMITS.max_bytes + 1))
    open_file(page, tmp_path / "large")
    eventually(lambda: refusal(page), [say("en", "score.file_too_large")])
    open_file(page, b"\x89PNG\x00\x00")
    eventually(lambda: refusal(page), [say("en", "score.file_not_text")])
    page.wait_for_timeout(500)  # what would take the message away again has come by now
    assert refusal(page) == [say("en", "score.file_not_text")]
    assert page.locator("#score_results").input_value() == text
    open_file(page, b'[{"correct": [1, 0]}, {"correct": [1, 1, x]}]')
    eventually(lambda: [said.partition(":")[0] for said in refusal(page)], ["This is not valid JSON"])
    eventually(lambda: page.locator("#score_results").input_value()[:21], '[{"correct": [1, 0]},')
    open_file(page, b'[{"correct": [1, 0]}, {"correct": [1, 1]}]')
    eventually(lambda: refusal(page), [])
    eventually(lambda: overall(page)["avg@2"], 0.75)


def open_file(page, content, name="results"):
    """Open a file: its content, or where it is large the path, since a browser reads it faster than it is sent one."""
    file = content if isinstance(content, Path) else {"name": name, "mimeType": "", "buffer": content}
    page.locator("#score input[type=file]").set_input_files(file)


def shown(page):
    """The name of the file that is open, and what the box holds."""
    return page.locator("#score .file-name").inner_text().strip(), page.locator("#score_results").input_value()


def log(name):
    return (HARNESS / "inspect-ai" / name).read_bytes()


def test_a_log_stays_open_until_a_text_takes_its_place(visit, tmp_path):
    page = visit("score", locale="zh-CN", width=390)
    open_file(page, log("toy_one.eval"), "toy_one.eval")
    eventually(lambda: [name_option(OPTIONS["missing"], "zh") in said for said in refusal(page)], [True])
    assert shown(page) == ("toy_one.eval", "")
    choose(page, "missing", "incorrect")
    eventually(lambda: refusal(page), [])
    samples = at_k.read_results(HARNESS / "inspect-ai" / "toy_one.eval")
    expected = at_k.score(samples, missing="incorrect", k=4).values
    eventually(lambda: overall(page)["pass@4"], expected["pass@4"])
    assert overall(page)["avg@4"] == expected["avg@4"]
    (tmp_path / "large.zip").write_bytes(b"PK\3\4" + bytes(LIMITS.max_bytes))
    open_file(page, tmp_path / "large.zip")
    eventually(lambda: refusal(page), [say("zh", "score.file_too_large")])
    choose(page, "k", "3")
    eventually(lambda: "pass@3" in overall(page), True)
    assert (shown(page), refusal(page)) == (("toy_one.eval", ""), [])
    open_file(page, log("toy_one.eval")[:9_000], "half.eval")
    eventually(lambda: ["zip" in said for said in refusal(page)], [True])
    assert shown(page) == ("half.eval", "")
    give(page, '{"correct": [1, 0]}')
    eventually(lambda: refusal(page), [])
    eventually(lambda: overall(page).get("avg@2"), 0.5)
    eventually(lambda: shown(page), ("", '{"correct": [1, 0]}'))


def test_files_that_are_not_text(visit):
    page = visit("score")
    text = examples.read_example("taubench_airline")
    open_file(page, gzip.compress(text.encode()), "taubench.jsonl.gz")
    eventually(
        lambda: page.locator("#score .summary").inner_text().startswith("Problems: 50, samples of each: 4."), True
    )
    assert shown(page) == ("taubench.jsonl.gz", "")
    file = BytesIO()
    pq.write_table(pa.table({"zeile": [1, 1, 2, 2], "correct": [1, 0, 1, 1]}), file)
    open_file(page, file.getvalue(), "table.parquet")
    eventually(lambda: len(refusal(page)), 1)
    choose(page, "column_problem", "zeile")
    eventually(lambda: refusal(page), [])
    eventually(lambda: overall(page)["avg@2"], 0.75)
    assert shown(page) == ("table.parquet", "")
    page.locator("#score").get_by_role("button", name="GPT-4o on τ-bench airline (50 × 4)").click()
    eventually(lambda: shown(page)[1], text)
    eventually(
        lambda: page.locator("#score .summary").inner_text().startswith("Problems: 50, samples of each: 4."), True
    )


def test_a_scorer_can_be_chosen(visit):
    page = visit("score")
    open_file(page, log("toy_one_rescored.eval"), "rescored.eval")
    eventually(lambda: "Scorer chooses another one" in page.locator("#score .remarks").inner_text(), True)
    page.locator("#score .remarks [data-opens=scorer]").click()
    eventually(lambda: page.evaluate("document.activeElement.name"), "scorer")
    for scorer in ("includes", "match"):
        choose(page, "scorer", scorer)
        samples = at_k.read_results(HARNESS / "inspect-ai" / "toy_one_rescored.eval", scorer=scorer)
        expected = at_k.score(samples).values
        eventually(lambda expected=expected: overall(page)["avg@4"], expected["avg@4"])
    choose(page, "scorer", "none")
    eventually(lambda: ["“match”, “match1”, “includes”" in said for said in refusal(page)], [True])


@pytest.mark.parametrize("width", [390, 360])
def test_four_numbers_of_a_metric_stand_in_one_line_on_a_phone(visit, width):
    page = visit("score", width=width)
    lines = page.locator("#score table.matrix").first.locator("tbody tr").all()
    tops = [[cell.bounding_box()["y"] for cell in line.locator("td[data-key]").all()] for line in lines]
    assert max(map(len, tops)) == 4
    assert all(len(set(row)) == 1 for row in tops)


def test_a_harness_can_be_tried(visit):
    page = visit("score", width=390)
    page.get_by_text(say("en", "score.help")).click()
    for name in ("lm-eval", "trl"):
        page.locator(f"#score .help [data-set*='harness/{name}\"']").click()
        file = examples.folder() / "harness" / examples.HARNESSES[name]
        expected = at_k.score(at_k.read_results(file), k=[2, 4]).values
        eventually(lambda file=file: file.name in page.locator("#score .taken").inner_text(), True)
        assert overall(page)["pass@2"] == expected["pass@2"]


LONG = "the whole completion, which nobody needs beside a verdict. " * 40


@pytest.mark.parametrize("kind", ["jsonl", "csv", "gzip"])
def test_a_large_file_loses_what_is_not_needed_in_the_browser(visit, tmp_path, kind):
    page = visit("score")
    rng = random.Random(5)
    rows = [(f"task {i // 8}", LONG + str(i), rng.random() < 0.3 + i % 3 / 4, 10**17 + i // 8) for i in range(4000)]
    names = ("problem_text", "completion", "correct", "task_id")
    if kind == "csv":
        file = StringIO()
        csv.writer(file).writerows([names, *rows])
        data = file.getvalue().encode()
    else:
        data = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows).encode()
    assert len(data) > LIMITS.max_bytes
    path = tmp_path / "large"
    path.write_bytes(gzip.compress(data, 1) if kind == "gzip" else data)
    page.locator("#score input[type=file]").set_input_files(path)
    eventually(lambda: "500" in page.locator("#score .taken .size").inner_text(), True)
    shares = {}
    for row in rows:
        shares.setdefault(row[3], []).append(row[2])
    assert overall(page)["avg@8"] == pytest.approx(sum(map(sum, shares.values())) / 4000, abs=1e-12)
    assert overall(page)["G-Pass@8_1.0"] == pytest.approx(sum(map(all, shares.values())) / 500, abs=1e-12)
    assert "completion" in page.locator("#score .file-name").inner_text()


BROKEN = {
    "file_no_verdicts": b'{"id": 1, "completion": "%s"}\n',
    "file_array": b'[{"id": 1, "correct": true, "completion": "%s"},\n',
    "file_line": b'{"id": 1, "correct": true, "completion": "%s"}\n{"id": 2, "correct"\n',
    "file_still_large": b'{"id":"a name of forty characters, none of them less","correct":true}\n',
    "file_broken": b'{"id": 1, "correct": true, "completion": "%s"}\n\xff\n',
}


def test_large_files_that_cannot_be_used_are_refused_in_the_browser(visit, tmp_path):
    page = visit("score")
    for key, row in BROKEN.items():
        content = row % (b"x" * 1000) if b"%s" in row else row
        (tmp_path / key).write_bytes(content * (LIMITS.max_bytes // len(content) + 2))
        page.locator("#score input[type=file]").set_input_files(tmp_path / key)
        start = say("en", f"score.{key}").partition("{")[0]
        eventually(lambda start=start: [said.startswith(start) for said in refusal(page)], [True])
    assert not page.locator("#score_results").input_value().startswith("[")


DROP = """files => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(files)) transfer.items.add(new File([text], name));
    return transfer;
}"""


def drop(page, files):
    page.dispatch_event("#score h2", "drop", {"dataTransfer": page.evaluate_handle(DROP, files)})


def test_a_file_can_be_dropped(visit):
    page = visit("score")
    drop(page, {"dropped.jsonl": '{"correct": [1, 0]}'})
    eventually(lambda: overall(page).get("avg@2"), 0.5)
    assert "dropped.jsonl" in page.locator("#score .taken").inner_text()


def make_runs(count, **more):
    """Files of the same two problems, a sample of each in every file."""
    rows = [[{"task_id": name, "correct": (run + place) % 3 % 2, "run_seed": run} | {key: value(run) for key, value in
             more.items()} for place, name in enumerate("pq")] for run in range(count)]  # fmt: skip
    return {f"run{run}.jsonl": "\n".join(map(json.dumps, each)) for run, each in enumerate(rows)}


@pytest.mark.parametrize("way", ["dropped", "opened"])
def test_several_files_are_scored_together(visit, tmp_path, way):
    page = visit("score")
    files = make_runs(8)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if way == "dropped":
        drop(page, files)
    else:
        page.locator("#score input[type=file]").set_input_files(sorted(tmp_path.iterdir()))
    eventually(lambda: overall(page).get("avg@8"), at_k.score(sorted(tmp_path.iterdir())).values["avg@8"])
    taken = page.locator("#score .taken").inner_text()
    assert "8 files" in taken
    assert "run0.jsonl" in taken
    assert "run7.jsonl" in taken
    page.reload()
    eventually(lambda: "8 files" in page.locator("#score .taken").inner_text(), True)


def test_files_of_two_models_are_refused(visit):
    page = visit("score")
    drop(page, make_runs(2, model=str))
    eventually(lambda: ["not of the same model" in each and "run1.jsonl" in each for each in refusal(page)], [True])
    drop(page, make_runs(1))
    eventually(lambda: refusal(page), [])


def copy_all(page):
    """What is copied of the page after all of it was selected."""
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("Control+a")
    return page.evaluate("String(getSelection())")


FOCUS = """all => all.filter(each => {
    each.focus();
    return document.activeElement === each;
}).length"""


@pytest.mark.parametrize("refused_by", ["server", "browser", "option"])
def test_nothing_of_the_old_results_can_be_taken_while_a_refusal_stands(visit, refused_by):
    page = visit("score")
    headline, links = page.locator(".headline").inner_text(), page.locator("#score [data-part] :is(a, button)")
    assert headline in copy_all(page)
    assert links.evaluate_all(FOCUS) > 5
    if refused_by == "server":
        give(page, '{"correct": [1, 2]}')
    elif refused_by == "browser":
        open_file(page, b"\x89PNG\x00\x00")
    else:
        choose(page, "k", "x")
    eventually(lambda: len(refusal(page)), 1)
    assert headline not in copy_all(page)
    assert links.evaluate_all(FOCUS) == 0
    download = page.locator("#score .downloads a").first
    under = "([x, y]) => document.elementFromPoint(x, y)?.closest('#score [data-part]') ?? null"
    download.evaluate("each => scrollTo(0, each.getBoundingClientRect().top + scrollY - 300)")
    place = download.bounding_box()
    assert page.evaluate(under, [place["x"] + 5, place["y"] + 5]) is None
    choose(page, "k", "")
    give(page, '{"correct": [1, 0]}')
    eventually(lambda: refusal(page), [])
    assert links.evaluate_all(FOCUS) > 5


def test_a_reload_keeps_what_was_pasted_and_a_link_what_was_chosen(visit, server):
    page = visit("score")
    text = '{"answers": ["So \\\\boxed{7}", "8"], "reference": "7"}'
    give(page, text)
    choose(page, "extract_fn", "boxed")
    eventually(lambda: overall(page).get("pass@2"), 1.0)
    eventually(lambda: "extract_fn=boxed" in page.evaluate("location.search"), True)
    page.reload()
    eventually(lambda: page.locator("#score_results").input_value(), text)
    eventually(lambda: overall(page).get("pass@2"), 1.0)
    assert "boxed" in page.locator("#score .taken").inner_text()
    page = visit("score", url=f"{server.url}/?page=score&example=taubench_airline&k=3")
    eventually(lambda: "pass@3" in overall(page), True)
    assert overall(page)["pass@3"] == at_k.score(examples.folder() / "taubench_airline.jsonl", k=3).values["pass@3"]
    assert field(page, "k").input_value() == "3"


def test_downloads(visit):
    page = visit("score")
    values, groups = overall(page), blocks(page)
    text = examples.read_example("qwen25_math")
    rows = list(map(json.loads, text.splitlines()))

    name, content = downloaded(page, "#score .downloads >> text=Table, CSV")
    heading, problems, *lines = csv.reader(StringIO(content.decode()))
    kept = [(i, label) for i, label in enumerate(heading) if i and not label.endswith((" ci_low", " ci_high"))]
    assert (name, [label for _, label in kept], problems[:2]) == ("results.csv", ["all", *groups], ["problems", "100"])
    columns = {label: {line[0]: float(line[i]) for line in lines} for i, label in kept}
    assert values.items() <= columns["all"].items()
    assert all(groups[label].items() <= columns[label].items() for label in groups)

    name, content = downloaded(page, "#score .downloads >> text=Problems, CSV")
    problems = list(csv.DictReader(StringIO(content.decode())))
    assert (name, len(problems)) == ("problems.csv", 100)
    for row, problem in zip(rows, problems, strict=True):
        assert (problem["problem"], problem["group"]) == (str(row["idx"]), row["level"])
        assert (problem["n"], problem["c"]) == ("8", str(sum(row["correct"])))
        assert float(problem["pass@4"]) == at_k.pass_at_k(8, sum(row["correct"]), k=4)

    name, content = downloaded(page, "#score .downloads >> text=Everything, JSON")
    everything = json.loads(content)
    assert name == "results.json"
    assert values.items() <= everything["results"].items()
    assert everything["samples"]["answers"] == [row["answers"] for row in rows]

    name, content = downloaded(page, "#score .downloads >> text=Table, LaTeX")
    assert (name, content.decode().splitlines()[-1]) == ("results.tex", r"\end{tabular}")

    name, content = downloaded(page, "#score [data-save=png]")
    with Image.open(BytesIO(content)) as picture:
        assert (name, picture.format) == ("at-k-curves.png", "PNG")
        assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
        assert len(picture.convert("RGB").getcolors(picture.width * picture.height)) > 10  # it is not blank
    name, content = downloaded(page, "#score [data-save=svg]")
    assert name == "at-k-curves.svg"
    assert "Qwen2.5-Math on MATH" in content.decode()

    report, _, _ = score_samples(read_bytes("", text.encode(), Reading()), Options())
    assert page.locator("#score [data-part=code] pre").text_content() == downloads.write_script(report)


def downloaded(page, selector):
    with page.expect_download() as download:
        page.locator(selector).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_options_of_the_last_data_do_not_stick_to_the_next(visit):
    page = visit("score")
    choose(page, "k", "8")
    choose(page, "extract_fn", "boxed")
    eventually(lambda: "k=8" in page.evaluate("location.search"), True)
    open_file(page, b'{"correct": [1, 0]}', "next.jsonl")
    eventually(lambda: overall(page).get("avg@2"), 0.5)
    assert (field(page, "k").input_value(), field(page, "extract_fn").input_value()) == ("", "text")


def test_nothing_of_old_answers_is_left_in_the_page(visit):
    page = visit("score")
    count = "document.querySelectorAll('*').length"
    nodes = set()
    for _ in range(3):
        for text in ('{"correct": [1, 0]}', '{"correct": [0, 0]}'):
            give(page, text)
            eventually(lambda text=text: overall(page).get("avg@2"), 0.5 if "1" in text else 0.0)
        nodes.add(page.evaluate(count))
    assert len(nodes) == 1


def test_a_link_beside_own_data_says_that_they_are_not_in_it(visit):
    page = visit("score")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    give(page, '{"correct": [1, 0]}')
    eventually(lambda: overall(page).get("avg@2"), 0.5)
    page.locator("[data-copy]").click()
    eventually(page.locator("#score .refusals").inner_text, say("en", "asking.link_without_data"))


def test_what_is_typed_while_an_answer_is_awaited_is_kept(visit):
    slow = """{
        const real = fetch;
        window.fetch = async (...given) => {
            const answer = await real(...given);
            if (String(given[0]).includes("answers/score")) await new Promise(done => { window.arrive = done; });
            return answer;
        };
    }"""
    page = visit("compare", script=slow)
    page.locator(".at-k-header a[data-page=score]").click()
    page.locator("#score_results").press_sequentially("1")
    eventually(lambda: page.evaluate("'arrive' in window && (window.arrive(), true)"), True)
    page.locator(f"{READY['score']} >> visible=true").first.wait_for()
    assert page.locator("#score_results").input_value() == "1"

"""The files behind the links hold every number in full; text from a visitor is no formula in a spreadsheet."""

import base64
import csv
import json
import re
from html import escape
from html.parser import HTMLParser
from io import StringIO
from itertools import chain

import pytest
from demo.data_sets import FULL, GRADED, KINDS, SILENT, kind, samples, with_columns, without
from hypothesis import example, given, strategies as st

import at_k
from at_k.demo import downloads
from at_k.demo.scoring import Options, score
from at_k.demo.words import LANGUAGES, say
from at_k.readers import read_bytes
from at_k.readers.format import Reading

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")

every_kind = pytest.mark.parametrize("name", KINDS)
FILES = {
    "report.html": "text/html",
    "results.md": "text/markdown",
    "results.tex": "text/x-tex",
    "results.csv": "text/csv",
    "problems.csv": "text/csv",
    "results.json": "application/json",
}


class Links(HTMLParser):
    """Name → (label, kind, content) of links that hold files."""

    def __init__(self, html):
        super().__init__()
        self.files = {}
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        assert tag == "a"
        attributes = dict(attributes)
        assert set(attributes) == {"class", "download", "href"}
        self.name = attributes["download"]
        self.kind, content = re.fullmatch(r"data:([a-z/-]+);charset=utf-8;base64,(.*)", attributes["href"]).groups()
        self.content = base64.b64decode(content, validate=True).decode("utf-8")

    def handle_data(self, data):
        self.files[self.name] = (data, self.kind, self.content)


def files(given_samples, options, language="en"):
    scored = score(given_samples, options)
    return scored, Links(
        downloads.write_links(given_samples, options, scored, "<a> & b", "<p>found</p>", language)
    ).files


def rows_of(text):
    return list(csv.reader(StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_links(language):
    _, found = files(samples(FULL), Options(), language)
    assert {name: kind for name, (_, kind, _) in found.items()} == FILES
    labels = [
        say(language, f"score.{name}")
        for name in ("report_html", "table_markdown", "table_latex", "table_csv", "problems_csv", "everything_json")
    ]
    assert [label for label, _, _ in found.values()] == labels


def test_tables_for_a_paper_are_those_of_the_report():
    scored, found = files(samples(FULL), Options())
    assert found["results.md"][2] == scored.to_markdown()
    lines = [line.partition(" &")[0] for line in found["results.tex"][2].splitlines() if " & " in line][1:]
    assert lines == ["G-Pass@$k_{1.0}$", "G-Pass@$k_{0.5}$", "pass@k", "cons@k", "best@k", "max@k", "avg@n"]
    rows = {f"all & {len(scored)} & {row}" for row in found["results.tex"][2].splitlines()[4:-2]}
    assert rows < set(scored.to_latex().splitlines())


@every_kind
def test_table(name):
    _, given_samples, options = kind(name)
    scored, found = files(given_samples, options)
    head, sizes, *rows = rows_of(found["results.csv"][2])
    blocks = {"all" if "all" not in scored.groups else "(all)": (len(scored), scored.values, scored.intervals)} | {
        label: (scored.sizes[label], values, scored.group_intervals[label]) for label, values in scored.groups.items()
    }
    assert head == ["metric", *(f"{label}{part}" for label in blocks for part in ("", " ci_low", " ci_high"))]
    assert sizes == ["problems", *chain.from_iterable((str(size), "", "") for size, _, _ in blocks.values())]
    assert [row[0] for row in rows] == list(scored.values)
    for key, *cells in rows:
        found = [float(cell) if cell else None for cell in cells]
        assert found == [
            each
            for _, values, bars in blocks.values()
            for each in (values[key], *(bars[key][1:3] if key in bars else (None, None)))
        ]


@every_kind
def test_problems(name):
    rows, given_samples, options = kind(name)
    scored, found = files(given_samples, options)
    head, *lines = rows_of(found["problems.csv"][2])
    assert head == ["problem", *(["group"] if "level" in rows[0] else []), "n", "c", *scored.values]
    for i, line in enumerate(lines):
        cells = dict(zip(head, line, strict=True))
        assert cells.pop("problem") == str(rows[i]["id"])
        assert cells.pop("group", None) == rows[i].get("level")
        assert int(cells.pop("n")) == scored.n[i]
        assert int(cells.pop("c")) == scored.c[i]
        assert {key: float(cell) for key, cell in cells.items()} == {
            key: values[i] for key, values in scored.by_problem.items()
        }
    assert len(lines) == len(rows)


@every_kind
def test_everything(name):
    rows, given_samples, options = kind(name)
    scored, found = files(given_samples, options)
    content = json.loads(found["results.json"][2], parse_constant=pytest.fail)
    assert content["results"] == scored.values
    assert content["groups"] == scored.groups
    for bars, found in (
        (scored.intervals, content["intervals"]),
        *((scored.group_intervals[label], content["group_intervals"][label]) for label in scored.groups),
    ):
        assert found == {key: {"stderr": bar.stderr, "low": bar.low, "high": bar.high} for key, bar in bars.items()}
    assert content["per_problem"] == scored.by_problem | {
        "problem": [str(row["id"]) for row in rows],
        "n": scored.n,
        "c": scored.c,
    }
    assert set(content["left_out"]) == set(scored.left_out)
    assert len(content["notes"]) == len(scored.notes)
    assert content["signatures"] == scored.signatures
    assert content["version"] == at_k.__version__
    assert content["options"]["k"] == list(scored.k)
    for option in ("ties", "missing", "higher_is_better", "groups"):
        assert content["options"][option] == getattr(options, option)
    assert content["options"]["thresholds"] == list(options.thresholds)
    assert content["options"]["metrics"] == list(options.metrics)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_is_a_page_that_needs_nothing_else(language):
    scored, found = files(samples(FULL), Options(), language)
    page = found["report.html"][2]
    assert "<h1>&lt;a&gt; &amp; b</h1>" in page
    assert "<p>found</p>" in page
    assert not re.search(r"<(script|link|img)|(src|href)=|url\(", page)
    assert escape(scored.script()) in page
    assert escape(scored.to_markdown()) in page


@every_kind
def test_samples_can_be_read_again(name):
    _, given_samples, options = kind(name)
    scored, found = files(given_samples, options)
    content = json.loads(found["results.json"][2])["samples"]
    again = read_bytes("", json.dumps(content).encode(), Reading())
    for column in ("problems", "answers", "references", "grades", "scores", "group", "n_missing"):
        assert getattr(again, column) == getattr(given_samples, column)
    assert score(again, options).values == scored.values
    whole = read_bytes("", found["results.json"][2].encode(), Reading())
    assert whole.table.equals(again.table)


FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\tx",
    "\rx",
    "  =1+1",
    "\xa0=1+1",
    "\u3000=1+1",
    "\0=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(1)",
    "-0.5",
]
HARMLESS = ["7", "a=1", "a-b", "0", "题目", "x\ny", 'a,"b"', "'quoted", "a;b", "1e5", "pass@1", "–"]
TRICKS = ['"=1+1', "'=1+1", "a\n=1+1", "a\r=1+1", "a\r\n=1+1", "a,=1+1", 'a",=1+1,"', "a;=1+1", "a\t=1+1", "a|=1+1"]


def formulas(text):
    """The cells that a spreadsheet takes for formulas, whichever sign ends a cell where it runs.

    It may drop white space, and read full-width signs. A number is a number.
    """
    cells = [cell for sign in ",;|\t" for row in csv.reader(StringIO(text, newline=""), delimiter=sign) for cell in row]
    return [cell for cell in cells if re.match(r"[\s\0]*[=+\-@＝＋－＠]", cell) and not is_number(cell)]


def is_number(cell):
    try:
        return repr(float(cell)) == cell
    except ValueError:
        return False


@pytest.mark.parametrize("text", [*FORMULAS, *TRICKS])
def test_formulas_are_marked_as_text(text):
    rows = with_columns(FULL, level=[text, "b", "b"], id=["a", text, "c"])
    scored, found = files(samples(rows), Options())
    for name in ("results.csv", "problems.csv"):
        assert formulas(found[name][2]) == []
    lines = rows_of(found["problems.csv"][2])
    assert len(lines) == 4
    assert lines[2][0] == lines[1][1] == rows_of(found["results.csv"][2])[0][4 + 3 * list(scored.groups).index(text)]
    assert lines[2][0].replace("'", "") == re.sub(r"['\0]", "", text)
    assert lines[2][0].startswith("'") or text in TRICKS
    content = json.loads(found["results.json"][2])
    assert content["per_problem"]["problem"][1] == content["samples"]["problem"][1] == text
    assert text in content["groups"]


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_is_as_it_was(text):
    rows = with_columns(FULL, level=[text, "b", "b"], id=["a", text, "c"])
    _, found = files(samples(rows), Options())
    lines = rows_of(found["problems.csv"][2])
    assert lines[2][0] == lines[1][1] == text
    assert text in rows_of(found["results.csv"][2])[0]


def test_numbers_are_not_touched():
    rows = with_columns(GRADED, score=[[-0.1, -2.5e-7, -1e300, 3.0]] * 4)
    scored, found = files(samples(rows), Options())
    cells = {key: value for key, value, *_ in rows_of(found["results.csv"][2])[2:]}
    assert cells["max@1"] == repr(scored.values["max@1"])
    assert cells["max@1"].startswith("-")


@given(st.text("=+-@ \t\r\n,;|\"'x＝\0\u3000", min_size=1, max_size=8))
@example("a\r=1")
def test_any_name_is_one_cell_and_no_formula(name):
    text = downloads._write_csv([["problem", "n"], [name, 1]])
    (_, (cell, n)) = rows_of(text)
    assert n == "1"
    assert cell.replace("'", "") == re.sub(r"['\0]", "", name)
    assert formulas(text) == []


def test_hostile_text_stays_in_its_file():
    text = '"><script>alert(1)</script>'
    rows = with_columns(FULL, level=[text, "b", "b"], id=["a", text, "c"])
    scored = score(samples(rows), Options())
    html = downloads.write_links(samples(rows), Options(), scored, text, "", "en")
    assert "script" not in html
    assert set(Links(html).files) == set(FILES)


def test_texts_of_any_language_survive():
    rows = with_columns(FULL, level=["难度 一", "b", "b"], id=["题目 😀", "ü", "c"])
    _, found = files(samples(rows), Options())
    assert rows_of(found["problems.csv"][2])[1][:2] == ["题目 😀", "难度 一"]
    assert "题目 😀" in found["results.json"][2]


def test_what_was_left_out_is_said():
    _, found = files(samples(without(SILENT, (0, 0))), Options(missing="drop"))
    content = json.loads(found["results.json"][2])
    assert content["left_out"] == {"best_at_k": "best@k is left out: it needs a score for every sample."}
    assert content["notes"][1] == "Missing samples, left out: 1. Their problems have a smaller n."
    assert content["samples"]["grades"][0][0] is None

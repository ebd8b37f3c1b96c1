"""Tables and messages, parsed as a browser does: their cells are the numbers, and a visitor's text is text."""

import re
from html.parser import HTMLParser

import pytest
from demo.data_sets import FULL, GRADED, KINDS, kind, samples, with_columns
from hypothesis import given
from hypothesis import strategies as st

from at_k.demo.scoring import Options, score
from at_k.demo.tables import write_number, write_refusal, write_results, write_summary, write_values
from at_k.demo.words import LANGUAGES, make_error, say, translate
from at_k.errors import InputError
from at_k.readers.cells import describe_place

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")

every_kind = pytest.mark.parametrize("name", KINDS)
every_language = pytest.mark.parametrize("language", LANGUAGES)

HOSTILE = [
    "<script>alert(1)</script>",
    "</td></tr></table><h1>x",
    '" onmouseover="alert(1)',
    "' onfocus='x' autofocus",
    "<!-- --><![CDATA[x]]>",
    "&lt;b&gt; &amp; &#60;",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{0} {count} %s",
    "$\\frac12$",
    "a\nb\tc",
]


class Page(HTMLParser):
    """Elements in order, each with its attributes and its own text; fails where tags do not match."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "attributes": dict(attributes), "text": ""}
        self.elements.append(element)
        self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        self.open[-1]["text"] += data

    def unexpected(self, *_):
        pytest.fail("only tags and text are expected")

    handle_startendtag = handle_comment = handle_decl = handle_pi = unknown_decl = unexpected

    def texts(self, tag):
        return [element["text"] for element in self.elements if element["tag"] == tag]

    def tags(self):
        return {element["tag"] for element in self.elements}


TABLE = {"div", "table", "thead", "tbody", "tr", "th", "td", "small", "ul", "li", "code"}


def cells(page):
    """Key → [(shown, full)] of the rows of a table."""
    rows, row = {}, None
    for element in page.elements:
        if element["tag"] == "th" and element["attributes"]["scope"] == "row":
            row = rows[element["text"]] = []
        elif element["tag"] == "td":
            row.append((element["text"], element["attributes"]["title"]))
    return rows


@every_language
@every_kind
def test_cells_are_the_numbers(name, language):
    _, given_samples, options = kind(name)
    scored = score(given_samples, options)
    page = Page(write_results(scored, language))
    columns = [scored.values, *scored.groups.values()]
    rows = cells(page)
    assert list(rows) == [key for keys in sorted(scored.metrics.values(), key=len) for key in keys]
    for key, row in rows.items():
        assert [float(full) for _, full in row] == [column[key] for column in columns]
        assert [shown for shown, _ in row] == [write_number(column[key]) for column in columns]
    assert len(page.texts("tbody")) == len(scored.metrics)
    heads = [element for element in page.elements if element["attributes"].get("scope") == "col"]
    assert [head["text"] for head in heads] == [say(language, "score.metric"), say(language, "score.all"),
                                                *scored.groups]  # fmt: skip
    sizes = [len(scored), *map(scored.sizes.get, scored.groups)]
    assert [int(re.search(r"\d+", text)[0]) for text in page.texts("small")] == sizes
    assert page.tags() <= TABLE


@every_language
@pytest.mark.parametrize("label", ["all", "全部", "metric", "0"])
def test_a_group_may_be_called_as_anything_else(label, language):
    scored = score(samples(with_columns(GRADED, level=[label, "b", "b", "b"])), Options())
    rows = cells(Page(write_results(scored, language)))
    for key, value in scored.values.items():
        assert [float(full) for _, full in rows[key]] == [value, *(scored.groups[each][key] for each in scored.groups)]


@pytest.mark.parametrize("text", HOSTILE)
@every_language
def test_labels_are_text(text, language):
    scored = score(samples(with_columns(FULL, level=[text, "b", "b"])), Options())
    page = Page(write_results(scored, language))
    assert text in page.texts("th")
    assert page.tags() <= TABLE
    assert {name for element in page.elements for name in element["attributes"]} <= {
        "class", "scope", "tabindex", "role", "aria-label", "title",
    }  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
@every_language
def test_messages_are_text(text, language):
    reasons = [
        make_error("scoring.nothing_left", problem=text),
        make_error("scoring.missing", place=describe_place(1, text), count=2),
        make_error("typed.no_number", name="k", value=text),
        InputError("standard.no_column", "No {column}: {columns}", column=text, columns=text),
    ]
    for reason in reasons:
        page = Page(write_refusal(reason, language))
        (element,) = page.elements
        assert element == {
            "tag": "p",
            "attributes": {"class": "refused", "role": "alert"},
            "text": translate(reason, language),
        }
        assert text in element["text"]


@every_language
def test_nothing_refused_is_no_message(language):
    assert write_refusal(None, language) == ""


@every_language
def test_what_is_left_out_is_text(language):
    text = HOSTILE[0]
    rows = [{"id": 1, "answers": [text, text], "correct": [0, 1]}]
    scored = score(samples(rows), Options())
    page = Page(write_results(scored, language))
    assert page.tags() <= TABLE
    assert page.texts("li") == [translate(reason, language) for reason in scored.left_out.values()]
    assert text[:40] in page.texts("li")[0]


@every_language
def test_notes_come_first(language):
    rows = [{"id": 1, "correct": [0, None]}]
    scored = score(samples(rows), Options(missing="drop"))
    items = Page(write_results(scored, language)).texts("li")
    assert items[:2] == [translate(note, language) for note in scored.notes]
    assert len(items) == 3


def test_without_remarks_there_is_no_list():
    assert "ul" not in Page(write_results(score(samples(FULL), Options()), "en")).tags()


@every_language
@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        (GRADED, [4, 4, 1, 2, 1]),
        ([{"id": 1, "correct": [1] * 3}, {"id": 2, "correct": [1] * 12}], [2, 3, 12, 2, 0, 0]),
        ([{"id": 1, "correct": [0]}], [1, 1, 0, 0, 1]),
    ],
)
def test_summary_counts_problems(rows, numbers, language):
    (element,) = Page(write_summary(score(samples(rows), Options()), language)).elements
    assert list(map(int, re.findall(r"\d+", element["text"]))) == numbers
    assert element["attributes"]["role"] == "status"


def test_values():
    page = Page(write_values({"pass@1": 0.5, "max@1": -1234.5678, "<b>": 1.0}))
    assert cells(page) == {
        "pass@1": [("0.5000", "0.5")],
        "max@1": [("-1235", "-1234.5678")],
        "<b>": [("1.0000", "1.0")],
    }
    assert Page(write_values({})).tags() == {"table", "tbody"}


@given(st.floats(-1e300, 1e300))
def test_four_digits(value):
    shown = write_number(value)
    assert len(shown) <= 11
    if 0 <= value <= 1:
        assert abs(float(shown) - value) <= 0.50001e-4
        assert re.fullmatch(r"[01]\.\d{4}", shown)
    else:
        assert float(shown) == pytest.approx(value, rel=5.01e-4)


@every_language
def test_a_warning_stands_above_the_table(language):
    text = HOSTILE[0]
    report = score(samples([{"id": 1, "answers": [text, "8"], "reference": "9"}]), Options())
    html = write_results(report, language)
    assert html.index('class="warning"') < html.index("<table")
    page = Page(html)
    (warning,) = page.texts("p")
    assert warning == translate(report.notes[0], language)
    assert text in warning
    assert "9" in warning
    assert warning not in page.texts("li")
    assert "warning" not in write_results(score(samples(FULL), Options()), language)

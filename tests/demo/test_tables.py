"""Tables, parsed as a browser does: their cells are the numbers, and a visitor's text is text."""

import json
import re

import pytest
from demo.data_sets import FULL, GRADED, KINDS, cut, kind, samples, with_columns
from demo.markup import HOSTILE, Page
from hypothesis import given, strategies as st

from at_k.demo.scoring import Options, score
from at_k.demo.tables import (
    describe_line,
    write_blocks,
    write_headline,
    write_matrix,
    write_number,
    write_share,
    write_summary,
    write_values,
)
from at_k.demo.words import LANGUAGES
from at_k.report.grid import list_groups
from at_k.values import Key

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")

every_kind = pytest.mark.parametrize("name", KINDS)
every_language = pytest.mark.parametrize("language", LANGUAGES)


TABLE = {"details", "summary", "div", "h2", "table", "thead", "tbody", "tr", "th", "td", "small", "p", "button"}


def cells(html):
    """Key → (shown, full) of the cells of a table; an interval that is shown is part of the first."""
    found, last = {}, None
    for element in Page(html).elements:
        if element["tag"] == "td" and "data-key" in element["attributes"]:
            last = element["attributes"]["data-key"]
            assert last not in found
            found[last] = [element["text"].strip(), element["attributes"]["title"]]
        elif element["tag"] == "small" and last:
            found[last][0] += f" {element['text']}"
        else:
            last = None
    return found


def read_cell(full):
    """A value in full, and the limits of its interval."""
    value, _, limits = full.partition(" ")
    return float(value), tuple(json.loads(limits)) if limits else None


def rows(html):
    """Each row: the name, its meaning, and the keys of its cells."""
    found = []
    for element in Page(html).elements:
        if element["tag"] == "th" and element["attributes"].get("scope") == "row":
            found.append([element["text"], "", []])
        elif element["tag"] == "small" and not found[-1][2] and not found[-1][1]:
            found[-1][1] = element["text"]
        elif element["tag"] == "td" and "data-key" in element["attributes"]:
            found[-1][2].append(element["attributes"]["data-key"])
    return found


@every_language
@every_kind
def test_cells_are_the_numbers(name, language):
    _, given_samples, options = kind(name)
    scored = score(given_samples, options)
    found = cells(write_matrix(scored, language))
    for key, (shown, full) in found.items():
        limits = scored.intervals[key][1:3] if key in scored.intervals else None
        assert read_cell(full) == (scored.values[key], limits)
        assert shown == (
            write_number(scored.values[key]) if limits is None else write_short(scored.values[key], *limits)
        )
    average = next((value for key, value in scored.values.items() if key.startswith("avg@")), None)
    for key in set(scored.values) - set(found):
        folded = (key.k == 1 and key.metric != "max@k") or key == "accuracy"
        assert key == "mG-Pass@1" or (folded and scored.values[key] == pytest.approx(average, abs=1e-9))
    assert Page(write_matrix(scored, language)).tags() <= TABLE


def write_short(value, low, high):
    """Three decimals or digits, or all before the point. No interval here is so narrow that it needs more."""
    digits = max(3, len(str(int(max(abs(low), abs(high))))))
    texts = [f"{each:.3f}" if 0 <= each <= 1 else f"{each:#.{digits}g}".rstrip(".") for each in (value, low, high)]
    return "{} [{}, {}]".format(*texts)


def test_the_strict_come_before_the_lenient():
    found = rows(write_matrix(score(samples(FULL), Options(k=(1, 2, 4))), "en"))
    assert [name for name, _, _ in found][:3] == [*["G-Pass@k"] * 2, "pass@k"]
    assert [meaning.partition(":")[0] for _, meaning, _ in found[:2]] == ["τ = 1", "τ = 0.5"]
    assert found[0][1] == "τ = 1: all of k right (pass^k)"
    assert [key for _, _, keys in found for key in keys if key.startswith("pass@")] == ["pass@1", "pass@2", "pass@4"]
    assert found[-1][0] == "max@k"
    assert all(meaning for _, meaning, _ in found)


def test_lines_that_few_ask_for_unfold_below():
    html = write_matrix(score(samples(FULL), Options(k=(1, 2, 4))), "en")
    before, _, below = html.partition("<details>")
    taus = [meaning.partition(":")[0] for name, meaning, _ in rows(before) if name == "G-Pass@k"]
    assert taus == ["τ = 1", "τ = 0.5"]
    folded = rows(below.partition("</details>")[0])
    assert [name for name, _, _ in folded] == ["G-Pass@k", "G-Pass@k", "mG-Pass@k"]
    assert "mG-Pass@1" not in html  # it is 0 by its definition


@pytest.mark.parametrize(("draws", "columns"), [((1, 2, 4), 1), ((2, 4), 2)])
def test_an_average_stands_below_k_of_one_or_below_all(draws, columns):
    html = write_matrix(score(samples(GRADED), Options(k=draws)), "en")
    (cell,) = [each["attributes"] for each in Page(html).elements if each["attributes"].get("data-key") == "avg@4"]
    assert int(cell.get("colspan", 1)) == columns


@every_language
def test_k_of_one_is_folded_into_the_average(language):
    html = write_matrix(score(samples(cut(GRADED, 1, 1, 1, 1)), Options()), language)
    assert [name for name, _, _ in rows(html)] == ["avg@n"]
    html = write_matrix(score(samples(cut(GRADED, 3, 1, 4, 4)), Options()), language)
    assert [name for name, _, _ in rows(html)] == ["avg@n"]
    assert "k = 1" not in Page(html).texts("th")


@every_language
def test_scores_stand_apart_with_their_unit(language):
    html = write_matrix(score(samples(with_columns(GRADED, score=[[5.0, 2, 1, 3]] * 4)), Options(k=(4,))), language)
    (unit,) = [element["text"] for element in Page(html).elements if element["tag"] == "p"]
    assert "“score”" in unit
    assert html.index("<p") < html.index('data-key="max@4"')
    assert html.index("</table>") < html.index('data-key="max@4"')


@every_language
def test_groups_have_a_table_for_each_k(language):
    scored = score(samples(with_columns(GRADED, level=["x", "x", "y", "y"])), Options(k=(1, 2, 4)))
    page = Page(write_blocks(list_groups(scored), "level", language))
    shown = [(each["attributes"]["data-k"], "hidden" in each["attributes"]) for each in page.elements
             if "data-k" in each["attributes"]]  # fmt: skip
    assert shown == [("2", True), ("4", False)]
    label, found = None, {}
    for element in page.elements:
        label = element["attributes"].get("data-label", label)
        if "data-key" in element["attributes"]:
            value = float(element["attributes"]["data-value"])
            found.setdefault((label, element["attributes"]["data-key"]), set()).add(value)
    for (label, key), values in found.items():
        assert values == {scored.groups[label][key]}
    assert {key for _, key in found} >= {"G-Pass@4_1.0", "pass@2", "pass@4", "cons@4", "avg@4"}
    assert write_blocks([], "level", language) == ""


@pytest.mark.parametrize("text", HOSTILE)
@every_language
def test_labels_are_text(text, language):
    scored = score(samples(with_columns(FULL, level=[text, "b", "b"])), Options())
    page = Page(write_blocks(list_groups(scored), text, language))
    assert text in page.texts("th")
    assert page.tags() <= TABLE
    assert {name for element in page.elements for name in element["attributes"]} <= {
        "class", "scope", "tabindex", "role", "aria-label", "aria-sort", "aria-pressed", "type", "title", "hidden",
        "data-k", "data-label", "data-value", "data-key", "data-at", "data-shows",
    }  # fmt: skip


@every_language
@pytest.mark.parametrize(
    ("data", "k", "shares"),
    [
        ([[1, 1, 1, 1], [1, 0, 0, 0]], None, ["50 %", "100 %"]),
        ([[1, 1, 1, 1], [1, 0, 0, 0]], (2,), ["50 %", "75 %"]),
        ([[1, 0]] * 3 + [[0, 0]], None, ["0 %", "75 %"]),
    ],
)
def test_the_headline_says_how_often_all_and_at_least_one_are_right(data, k, shares, language):
    rows = [{"id": i, "correct": row} for i, row in enumerate(data)]
    page = Page(write_headline(score(samples(rows), Options(k=k or (len(data[0]),))), language))
    assert page.texts("em") == shares


@pytest.mark.parametrize("rows", [[{"id": 1, "correct": [1]}], [{"id": 1, "correct": [0, 0]}]])
def test_there_is_no_headline_without_several_samples_or_a_right_one(rows):
    assert write_headline(score(samples(rows), Options()), "en") == ""


@given(st.floats(0, 1))
def test_what_is_not_certain_is_not_called_certain(value):
    text = write_share(value, "en")
    assert (text == "100 %") == (value == 1)
    assert (text == "0 %") == (value == 0)
    assert abs(float(re.search(r"[\d.]+", text)[0]) - 100 * value) <= 0.1000001


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
    assert page.texts("th") == ["pass@1", "max@1", "<b>"]
    shown = [(each["text"], each["attributes"]["title"]) for each in page.elements if each["tag"] == "td"]
    assert shown == [("0.5000", "0.5"), ("-1235", "-1234.5678"), ("1.0000", "1.0")]
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


def test_every_metric_says_what_it_means():
    scored = score(samples(FULL), Options())
    for language in LANGUAGES:
        for name, meaning, _ in rows(write_matrix(scored, language)):
            assert meaning, name
            assert len(meaning) < 60
    assert describe_line(Key("G-Pass@k", tau=0.9999), "en").startswith("τ = 0.9999: ")

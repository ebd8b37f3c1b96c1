"""Sentences above and beside the table: what they say, what their buttons set, and that a visitor's text is text."""

import json

import pytest
from demo.data_sets import FULL, samples, with_columns
from demo.markup import HOSTILE, Page

from at_k.analysis.diagnosis import diagnose
from at_k.demo.examples import HARNESSES, read_harness
from at_k.demo.given import Given
from at_k.demo.notices import (
    write_findings,
    write_help,
    write_message,
    write_models,
    write_refusal,
    write_remarks,
    write_sizes,
    write_taken,
    write_warnings,
)
from at_k.demo.score_results import USUAL
from at_k.demo.scoring import NONE, OPTIONS, Options, parse_pairs, quote_item, score
from at_k.demo.words import LANGUAGES, make_error, name_choice, translate
from at_k.errors import InputError, Mention, Message
from at_k.readers.faults import describe_place
from at_k.readers.formats import FORMATS
from at_k.readers.samples import ROLES, Origin

every_language = pytest.mark.parametrize("language", LANGUAGES)


def buttons(html):
    """What each button sets, or opens."""
    found = [element["attributes"] for element in Page(html).elements if element["tag"] == "button"]
    return [json.loads(each["data-set"]) if "data-set" in each else each.get("data-opens") for each in found]


def words(html):
    return " ".join(element["text"] for element in Page(html).elements)


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


FIELDS = {"where", "pool", "missing", "scorer", "column_problem", "column_grades"}


@every_language
@pytest.mark.parametrize(
    ("options", "sets"),
    [
        (Mention("scorer", "columns"), ["scorer", "column_problem"]),
        (Mention(where={"model": "a, b"}), [{"where": '"model=a, b"'}]),
        (Mention(columns={"grades": None}), [{"column_grades": NONE}]),
        (Mention(columns={"grades": "<b>"}), [{"column_grades": "<b>"}]),
        (Mention(pool="file", missing="drop"), [{"pool": "file"}, {"missing": "drop"}]),
        (Mention("threshold"), []),  # the page has no such field
        (Mention(tests="base"), []),
    ],
)
def test_options_in_a_message_are_what_sets_them(options, sets, language):
    message = Message("own", "<i> {option:missing}: {options}.", options=options)
    html = f"<p>{write_message(message, language, FIELDS)}</p>"
    assert html.startswith("<p>&lt;i&gt; ")
    assert buttons(html) == ["missing", *sets]
    if "missing" in str(options):
        assert name_choice(OPTIONS["missing"], "drop", language) in words(html)
    assert buttons(f"<p>{write_message(message, language)}</p>") == []


NO_MATCH = [{"id": 1, "answers": ["18", "7"], "reference": "9 * 2 = 18\n#### 18"}]


@every_language
def test_answers_that_equal_no_reference_are_shown_beside_one_with_a_button_that_helps(language):
    scored = score(samples(NO_MATCH), Options())
    html = write_warnings(scored, language, buttons=True)
    assert "“18”" in words(html)
    assert "#### 18" in words(html)
    offer, *links = buttons(html)
    assert links == ["extract_fn", "check_correct_fn", "column_references"]
    helped = score(samples(NO_MATCH), Options(**offer))
    assert helped.values["pass@2"] == 1
    assert write_warnings(helped, language, buttons=True) == ""
    assert buttons(write_warnings(scored, language)) == []


@every_language
def test_a_checker_is_offered_where_it_is_enough(language):
    scored = score(samples([{"id": 1, "answers": ["18.0", "7"], "reference": "18"}]), Options())
    offer = buttons(write_warnings(scored, language, buttons=True))[0]
    assert offer == {"extract_fn": "text", "check_correct_fn": "numeric"}


@every_language
@pytest.mark.parametrize("text", ["sample {i}", "A whole completion, number {i}, of problem {j}."])
def test_a_column_that_is_no_answer_does_not_vote(text, language):
    rows = [{"id": j, "answers": [text.format(i=i, j=j) for i in range(8)], "correct": [1, 0] * 4} for j in range(3)]
    scored = score(samples(rows), Options())
    assert not any(key.startswith("cons@") for key in scored.values)
    html = write_warnings(scored, language, buttons=True)
    assert "cons@k" in words(html)
    assert "extract_fn" not in words(html)
    assert buttons(html)[-1] == "column_answers"
    assert {"extract_fn": "boxed"} in buttons(html)
    assert "cons@k" not in words(write_remarks(scored, language))


@every_language
def test_samples_that_differ_in_number_are_said_with_what_can_be_done(language):
    html = write_sizes([1, 3, 3, 2], language, 1)
    assert buttons(html) == [{"least": "2", "k": ""}, {"least": "3", "k": ""}]
    assert write_sizes([3, 3], language, 1) == ""
    (button,) = buttons(write_sizes([3, 3], language, 2))
    assert button == {"least": "1"}


def test_an_example_is_marked_as_one_so_that_nobody_keeps_it():
    for is_example in (False, True):
        html = write_taken("a", "2 × 3", dict.fromkeys(ROLES), [], Origin("plain"), {}, "en", is_example=is_example)
        assert ("of-example" in html) == is_example


@every_language
@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_taken_for_what_is_text_and_links(text, language):
    roles = {"problem": "id", "answers": text, "references": None, "grades": None, "scores": None, "group": None}
    html = write_taken(text, "2 × 3", roles, ["id", text], Origin("plain"), {"extract_fn": "boxed"}, language)
    assert buttons(html) == ["column_problem", "column_answers", "extract_fn"]
    assert Page(html).texts("strong") == [text]
    assert Page(html).tags() <= {"div", "p", "strong", "span", "button"}
    harness = Origin("inspect_ai", chosen={"scorer": text})
    html = write_taken("", "2 × 3", roles, [], harness, {}, language)
    assert buttons(html) == ["scorer"]
    assert "inspect_ai" in html


@every_language
@pytest.mark.parametrize("text", HOSTILE)
def test_models_can_be_chosen_and_compared(text, language):
    html = write_models("model", ["a", text], text, language)
    rows = [{"where": "model=a"}, {"where": quote_item(f"model={text}")}]
    assert buttons(html) == [*rows, {"pool": "model", "where": ""}]
    assert parse_pairs(rows[1]["where"]) == {"model": [text]}
    page = Page(html)
    (pressed,) = [each["text"] for each in page.elements if each["attributes"].get("aria-pressed") == "true"]
    assert pressed[:20] == text[:20]
    (link,) = [each for each in page.elements if each["tag"] == "a"]
    assert link["attributes"]["href"] == "?page=compare"
    assert len(buttons(write_models("model", list(map(str, range(100))), "3", language))) < 20


@every_language
def test_what_is_left_out_is_text(language):
    text = HOSTILE[0]
    rows = [{"id": 1, "answers": [text, text], "correct": [0, 1]}]
    scored = score(samples(rows), Options(k=(2,)))
    items = Page(write_remarks(scored, language)).texts("li")
    shown = [note for note in scored.notes if note.code != "note.odd_k"]
    assert items == [translate(each, language) for each in (*shown, *scored.left_out.values())]
    assert text[:40] in items[1]


@every_language
def test_findings_are_sentences(language):
    found = diagnose(score(samples(FULL), Options())).sentences
    page = Page(write_findings(found, language))
    assert sorted(page.texts("li")) == sorted(translate(each, language) for each in found)
    assert page.tags() <= {"div", "ul", "li", "details", "summary"}


@every_language
def test_each_example_of_the_help_is_read_as_the_file_of_its_harness(language):
    page = Page(write_help(USUAL, language))
    offered = [each["example"].removeprefix("harness/") for each in buttons(write_help(USUAL, language))]
    assert sorted(offered) == sorted(HARNESSES)
    assert len(page.texts("th")) - 4 == len({each.title for each in FORMATS.values()}) - 1
    for name in HARNESSES if language == "en" else ():
        given = Given(packed=read_harness(name)[1])
        assert given.format.name == name
        assert score(given.read({}), Options(missing="incorrect")).values


def test_groups_change_no_warning():
    scored = score(samples(with_columns(FULL, level=["a", "b", "b"])), Options())
    assert write_warnings(scored, "en", buttons=True) == ""

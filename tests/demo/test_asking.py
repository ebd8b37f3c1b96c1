"""What a form sends is read whatever it is, and its page has what its script needs."""

import json
import re
from html import unescape

import pytest

from at_k.demo import document, work
from at_k.demo.asking import (
    COLUMNS,
    READING,
    Form,
    offer_columns,
    read_fields,
    read_options,
    read_points,
    read_whole,
    write_points,
)
from at_k.demo.given import Given
from at_k.demo.scoring import NONE, OPTIONS
from at_k.demo.words import LANGUAGES
from at_k.errors import InputError

ANYTHING = [None, 7, "x", [], [1], {}, {"given": 3}, {"given": {"a": 4}}, {"given": {"a": {"text": 5}}}]


@pytest.mark.parametrize("values", ANYTHING)
def test_anything_is_read(values):
    assert read_fields(values, {"k": "1"}) == {"k": ""}
    assert Form({}, values, "en").read_side("a") is None
    for page in ("score", "compare", "plan"):
        found = work.answer(page, values, "en")
        assert found["parts"] == {}
        assert 'role="alert"' in found["refused"]


@pytest.mark.parametrize("page", ["score", "compare", "plan"])
def test_a_name_that_is_no_text_does_not_end_the_work(page):
    rows = "id,correct\nx,1\nx,0\ny,1\ny,1\nz,0\nz,1\n"
    given = {side: {"text": rows, "name": f"{side}\ud800.csv"} for side in ("results", "a", "b")}
    found = work.answer(page, work.ANSWERING[page].USUAL | {"example": "", "given": given}, "en")
    assert found["refused"] is None
    assert "?.csv" in found["parts"]["head"]


@pytest.mark.parametrize("text", ["x", "0", "-1", "100", "nan", "inf", "1e9", "1" * 50, "<b>", "5e-324"])
def test_points_that_are_none_are_refused(text):
    with pytest.raises(InputError) as caught:
        read_points(text, "Margin")
    assert caught.value.code == "asking.bad_points"


@pytest.mark.parametrize("text", ["x", "0", "11", "2.5", "", "9" * 5000])
def test_numbers_outside_of_their_limits_are_refused(text):
    with pytest.raises(InputError) as caught:
        read_whole(text, "k", (1, 10))
    assert caught.value.code == "asking.bad_whole"


def test_a_file_that_was_not_sent_whole_is_refused():
    with pytest.raises(InputError):
        Form({}, {"a": {"packed": "data:;base64,not base64!"}}, "en").read_side("a")


@pytest.mark.parametrize("value", [0.1, 0.0004, -0.25, 1e-9, 0.0])
def test_points_are_near_the_value(value):
    text = write_points(value).replace("−", "-")
    assert float(text) == pytest.approx(100 * value, abs=0.05 if abs(value) >= 0.0005 else 0.0005)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", work.ANSWERING)
def test_a_page_has_a_field_for_every_value_and_a_place_for_every_part(page, language):
    html = document.find_pages()[page].write_section(language)
    about = json.loads(unescape(re.search(r'data-about="(.*?)">', html)[1]))
    assert set(about["usual"]) == set(re.findall(r'(?:input|select)[^>]* name="(\w+)"', html))
    found = work.answer(page, about["usual"], language)
    assert found["refused"] is None
    assert set(found["parts"]) == set(re.findall(r'data-part="(\w+)"', html))
    assert set(found["choices"]) <= set(about["usual"])
    assert about["rules"]["words"]["failed"]


def test_every_field_of_an_option_is_read():
    for page, module in work.ANSWERING.items():
        options = {name: value for name, value in module.USUAL.items() if name in OPTIONS}
        names = [
            name for name in options if name not in ("margin", "tau", "problems", "samples", "half_width", "detect")
        ]
        if page != "plan":
            assert set(read_options(options, names)) == set(names)


@pytest.mark.parametrize(
    ("field", "text", "code"),
    [
        ("k", "0", "typed.small_k"),
        ("thresholds", "", "typed.no_tau"),
        ("where", "model", "typed.bad_where"),
        ("metrics", "pass@k", "scoring.not_offered"),
        ("extract_fn", "(a+)+$", "scoring.not_offered"),
        ("check_correct_fn", "code", "scoring.not_offered"),
        ("check_correct_fn", "math", "scoring.not_offered"),
        ("equivalence", "choice", "scoring.not_offered"),
        ("missing", "x", "scoring.not_offered"),
    ],
)
def test_what_an_option_cannot_be_is_refused(field, text, code):
    with pytest.raises(InputError) as caught:
        read_options({field: text}, [field])
    assert caught.value.code == code


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guess_is_the_first_column_that_is_offered(language):
    offered = offer_columns(Given("id,who,correct\n1,a,1\n1,a,0"), {}, language)
    assert set(offered) == set(COLUMNS)
    assert [value for value, _ in offered["column_group"]] == ["", NONE, "id", "who", "correct"]
    assert "correct" in offered["column_grades"][0][1]
    assert set(READING) < set(OPTIONS)

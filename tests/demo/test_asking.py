"""What a form sends is read whatever it is, and its page has what its script needs."""

import json
import re
from html import unescape

import pytest

from at_k.demo import comparing, planning
from at_k.demo.asking import read_field, read_points, read_side, read_whole, write_points
from at_k.demo.pages import compare, plan
from at_k.demo.words import LANGUAGES
from at_k.errors import InputError

ANYTHING = [None, 7, "x", [], [1], {}, {"given": 3}, {"given": {"a": 4}}, {"given": {"a": {"text": 5}}}]


@pytest.mark.parametrize("values", ANYTHING)
def test_anything_is_read(values):
    assert read_field(values, "k") == ""
    assert read_side(values, "a") is None
    for answer in (comparing.answer, planning.answer):
        found = answer(values, "en")
        assert found["parts"] == {}
        assert 'role="alert"' in found["refused"]


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
        read_side({"given": {"a": {"packed": "data:;base64,not base64!"}}}, "a")


@pytest.mark.parametrize("value", [0.1, 0.0004, -0.25, 1e-9, 0.0])
def test_points_are_near_the_value(value):
    text = write_points(value).replace("−", "-")
    assert float(text) == pytest.approx(100 * value, abs=0.05 if abs(value) >= 0.0005 else 0.0005)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("page", "answer"), [(compare, comparing.answer), (plan, planning.answer)])
def test_a_page_has_a_field_for_every_value_and_a_place_for_every_part(page, answer, language):
    html = page.write_section(language)
    about = json.loads(unescape(re.search(r'data-about="(.*?)">', html)[1]))
    assert set(about["usual"]) == set(re.findall(r'(?:input|select)[^>]* name="(\w+)"', html))
    found = answer(about["usual"], language)
    assert found["refused"] is None
    assert set(found["parts"]) == set(re.findall(r'data-part="(\w+)"', html))
    assert set(found["choices"]) <= set(about["usual"])
    assert about["rules"]["words"]["failed"]

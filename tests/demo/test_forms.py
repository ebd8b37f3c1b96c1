"""Forms over HTTP: answered in turn, in the language of the page, and refused with a time where there is no place."""

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from at_k.demo import forms, turns, work
from at_k.demo.limits import BUSY_SECONDS
from at_k.demo.turns import Turns
from at_k.demo.words import LANGUAGES, say

pytestmark = pytest.mark.xdist_group("sandbox")  # one worker starts it

SMALL = '{"id": 1, "correct": [1, 0]}'


@pytest.fixture
def visitor():
    app = Starlette(routes=[Route("/answers/{page}.json", forms.answer_form, methods=["POST"])])
    return TestClient(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", work.ANSWERING)
def test_a_form_is_answered_as_by_its_page(visitor, page, language):
    usual = work.ANSWERING[page].USUAL
    found = visitor.post(f"/answers/{page}.json?lang={language}", json=usual)
    assert found.json() == work.answer(page, usual, language)


def test_a_page_without_a_form_has_no_answer(visitor):
    for page in ("explore", "api", "x"):
        assert visitor.post(f"/answers/{page}.json", json={}).status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_is_a_503_with_a_time_in_the_language_of_the_visitor(visitor, monkeypatch, language):
    monkeypatch.setattr(turns, "_turns", Turns(waiting=0))
    found = visitor.post(f"/answers/score.json?lang={language}", json={})
    assert (found.status_code, found.headers["retry-after"]) == (503, str(BUSY_SECONDS))
    assert found.json() == {"error": say(language, "serving.busy")}


def test_work_that_goes_too_far_is_refused_on_the_page(visitor, monkeypatch):
    async def fail(*_):
        raise forms.InputError("serving.ended", "Ended.")

    monkeypatch.setattr(forms, "in_turn", fail)
    found = visitor.post("/answers/score.json", json={"given": {"results": {"text": SMALL}}}).json()
    assert (found["parts"], 'role="alert">Ended.' in found["refused"]) == ({}, True)

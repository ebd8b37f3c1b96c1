"""What a visitor asks for on the page Score, as it is read from the parts of the page."""

import pytest

from at_k.demo.examples import read_example
from at_k.demo.given import Given
from at_k.demo.score_inputs import GUESSED, NONE, OPTIONS, START, USUAL, list_columns, list_models, read_values
from at_k.demo.scoring import Options
from at_k.demo.words import LANGUAGES
from at_k.errors import InputError

GIVEN = Given("id,who,correct\n1,a,1\n1,a,0")


def test_a_page_that_nobody_changed_asks_for_the_usual_options():
    asked = read_values({}, GIVEN, "en")
    assert asked.options == Options(metrics=list(Options.metrics))
    assert (asked.named, asked.model, asked.name) == ({}, "", "")
    assert asked.choices == {"scorer": None, "filter": None, "tests": None}
    assert set(OPTIONS) <= set(USUAL)


def test_what_was_chosen_is_read():
    values = {"column_group": "who", "column_scores": NONE, "column_answers": "gone", "k": "2", "least": "2"}
    asked = read_values(values | {"extract_fn": "boxed", "name": "a.csv", "scorer": " match "}, GIVEN, "en")
    assert asked.named == {"group": "who", "scores": None}
    assert (asked.options.k, asked.options.least, asked.options.extract_fn) == ((2,), 2, "boxed")
    assert (asked.name, asked.choices["scorer"]) == ("a.csv", "match")


def test_an_example_whose_text_was_edited_is_none():
    text = read_example(START)
    assert read_values({"example": START}, Given(text), "en").is_example
    assert not read_values({"example": START}, Given(text + "\n"), "en").is_example
    assert not read_values({}, Given(text), "en").is_example


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"k": "0"}, "typed.small_k"),
        ({"taus": ""}, "typed.no_tau"),
        ({"least": "0"}, "typed.bad_least"),
        ({"least": "1 2"}, "typed.bad_least"),
        ({"extract_fn": "(a+)+$"}, "scoring.not_offered"),
        ({"check_correct_fn": "code"}, "scoring.not_offered"),
        ({"check_correct_fn": "math"}, "scoring.not_offered"),
        ({"equivalence": "choice"}, "scoring.not_offered"),
    ],
)
def test_what_cannot_be_is_refused(values, code):
    with pytest.raises(InputError) as caught:
        read_values(values, GIVEN, "en")
    assert caught.value.code == code


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guess_is_the_first_choice(language):
    labels, values = zip(*list_columns(["id", "who"], "who", language), strict=True)
    assert values == (GUESSED, NONE, "id", "who")
    assert "who" in labels[0]
    assert [value for _, value in list_models(["a", "b"], language)][2:] == ["a", "b"]
    assert [value for _, value in list_models([], language)] == [""]

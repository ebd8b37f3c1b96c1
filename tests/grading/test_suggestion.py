"""Suggestions where no answer meets its reference."""

import pytest
from cases import for_each

import at_k
from at_k.columns import read_problems
from at_k.grading.suggestion import Suggestion, suggest_options


@for_each(
    "answers, reference, suggestion",
    [
        (["So they earn $18.", "18 then"], "9 * 2 = 18\n#### 18", Suggestion("last_number", "exact_match", 1.0)),
        (["#### x", "y"], "So x.\n#### x", Suggestion("final_answer", "exact_match", 0.5)),
        (["18.0", "19"], "18", Suggestion(None, "numeric", 0.5)),
        (["The answer is (C).", "B", "A"], "C", Suggestion(None, "choice", 1 / 3)),
        (["Paris.", None], "paris", Suggestion(None, "quasi_exact", 1.0)),
        ([r"so \boxed{x}", r"or \boxed{y}"], "x", Suggestion("boxed", "exact_match", 0.5)),
        (["5.", "x"], "5", Suggestion(None, "numeric", 0.5)),
        (["5", "-15"], "-5", None),  # quasi_exact drops the sign
        (["1.5"], "15", None),
        (["5", "so -5"], "-5", Suggestion("last_number", "exact_match", 0.5)),
        (["x"], "y", None),
        ([r"The answer is \boxed{5}."], "5", Suggestion("boxed", "exact_match", 1.0)),
        (["The answer is 18."], "18", Suggestion("last_number", "exact_match", 1.0)),
        ([r"The answer is \boxed{5.0}."], "5", Suggestion("boxed", "numeric", 1.0)),
        ([r"The answer is \boxed{B}."], "(B)", Suggestion(None, "choice", 1.0)),
        (["The answer is (B)."], "(B) Paris", Suggestion(None, "choice", 1.0)),
        (["The answer is: a dog", "(C)"], "a dog", Suggestion("final_answer", "exact_match", 0.5)),
    ],
)
def test_suggestions(answers, reference, suggestion):
    assert suggest_options(read_problems(answers=[answers], references=[reference])) == suggestion


def test_a_suggestion_is_what_differs_from_the_defaults():
    assert Suggestion("boxed", "numeric", 0.5).options == {"extract_fn": "boxed", "check_correct_fn": "numeric"}
    assert Suggestion("boxed", "exact_match", 0.5).options == {"extract_fn": "boxed"}


def test_a_report_proposes_what_would_match_and_it_does():
    data = {"answers": [["It is 18.", "so 18", "20"]], "references": ["9 * 2 = 18\n#### 18"]}
    report = at_k.score(data, k=1, metrics="avg_at_n")
    notes = {note.code: str(note) for note in report.notes}
    assert "note.no_match" in notes
    assert notes["note.suggestion"] == 'With `extract_fn="last_number"`, 67% of the answers are correct.'
    better = at_k.score(data, k=1, metrics="avg_at_n", extract_fn="last_number")
    assert better.values["avg@3"] == pytest.approx(2 / 3)
    assert not {"note.no_match", "note.suggestion"} & {note.code for note in better.notes}


def test_without_references_there_is_nothing_to_suggest():
    assert suggest_options(read_problems(grades=[[0, 0]])) is None

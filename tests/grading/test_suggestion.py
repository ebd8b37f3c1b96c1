"""Suggestions where no answer meets its reference."""

import pytest
from cases import for_each

import at_k
from at_k.columns import read_problems
from at_k.grading.verdicts import suggest_options


@for_each("answers, reference, suggestion", [
    (["So they earn $18.", "18 then"], "9 * 2 = 18\n#### 18", ({"extract_fn": "last_number"}, 1.0)),
    (["#### x", "y"], "So x.\n#### x", ({"extract_fn": "final_answer"}, 0.5)),
    (["18.0", "19"], "18", ({"check_correct_fn": "numeric"}, 0.5)),
    (["The answer is (C).", "B", "A"], "C", ({"check_correct_fn": "choice"}, 1 / 3)),
    (["Paris.", None], "paris", ({"check_correct_fn": "quasi_exact"}, 1.0)),
    ([r"so \boxed{x}", r"or \boxed{y}"], "x", ({"extract_fn": "boxed"}, 0.5)),
    (["5.", "x"], "5", ({"check_correct_fn": "numeric"}, 0.5)), (["5", "-15"], "-5", None), (["1.5"], "15", None),
    (["5", "so -5"], "-5", ({"check_correct_fn": "numeric"}, 0.5)), (["x"], "y", None),
    ([r"The answer is \boxed{5}."], "5", ({"extract_fn": "boxed"}, 1.0)),
    (["The answer is 18."], "18", ({"extract_fn": "last_number"}, 1.0)),
    ([r"The answer is \boxed{5.0}."], "5", ({"extract_fn": "boxed", "check_correct_fn": "numeric"}, 1.0)),
    ([r"The answer is \boxed{B}."], "(B)", ({"check_correct_fn": "choice"}, 1.0)),
    (["The answer is (B)."], "(B) Paris", ({"check_correct_fn": "choice"}, 1.0)),
    (["The answer is: a dog", "(C)"], "a dog", ({"extract_fn": "final_answer"}, 0.5)),
])  # fmt: skip
def test_suggestions(answers, reference, suggestion):
    assert suggest_options(read_problems(answers=[answers], references=[reference])) == suggestion


def test_a_report_proposes_what_would_match_and_it_does():
    data = {"answers": [["It is 18.", "so 18", "20"]], "references": ["9 * 2 = 18\n#### 18"]}
    report = at_k.score(data, k=1, metrics="avg_at_n")
    notes = {note.code: str(note) for note in report.notes}
    assert "note.no_match" in notes
    assert (
        notes["note.suggestion"]
        == 'With `extract_fn="last_number"`, 67% of the answers are correct.'
    )
    better = at_k.score(data, k=1, metrics="avg_at_n", extract_fn="last_number")
    assert better.values["avg@3"] == pytest.approx(2 / 3)
    assert not {"note.no_match", "note.suggestion"} & {note.code for note in better.notes}


def test_without_references_there_is_nothing_to_suggest():
    assert suggest_options(read_problems(grades=[[0, 0]])) is None
    assert suggest_options(read_problems(answers=[["a", "b"]])) is None


@for_each("answers, options, share", [
    (["b", "B", "C"], {}, "67%"), (["B", "C", "C"], {}, None), (["b", "B", "C"], {"extract_fn": r"(\w)"}, "67%"),
    (["so b", "so b", "C"], {"extract_fn": r"so (\w)"}, "100%"), (["b", "b"], {"extract_fn": "boxed"}, None),
    (["b", "B", "C"], {"check_correct_fn": "quasi_exact"}, None),
])  # fmt: skip
def test_a_report_with_right_answers_says_how_many_more_differ_in_letters_alone(
    answers, options, share
):
    report = at_k.score({"answers": [answers], "references": ["B"]}, k=1, **options)
    said = [str(note) for note in report.notes if note.code == "note.suggestion"]
    wanted = f'With `check_correct_fn="quasi_exact"`, {share} of the answers are correct.'
    assert said == [wanted] * (share is not None)

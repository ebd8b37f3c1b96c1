"""No zero without a word: a module whose answers are all wrong names the reading by which some are right."""

import re
import warnings

import evaluate
import pytest
from cases import for_each
from modules import BEST_AT_K, MODULES, PASS_AT_K, every_module

import at_k
from at_k.grading.zeros import are_tests

TEXTS = [
    ["6 × 3 = 18, so they earn $18.", "The answer is 18."],
    ["That makes 5 apples.", "It is 7."],
]
BOXED = [[r"so \boxed{x+1}", r"thus \boxed{x+1}"], [r"we get \boxed{y}", r"\boxed{z}"]]
LETTERS = [["The answer is (C).", "B"], ["(A)", "I choose A"]]
NUMBERS = [["18.0", "$18"], ["5.00", "7"]]

READINGS = {
    "texts": (TEXTS, ["18", "5"], {"extract_fn": "last_number"}),
    "boxed": (BOXED, ["x+1", "y"], {"extract_fn": "boxed"}),
    "letters": (LETTERS, ["C", "A"], {"check_correct_fn": "choice"}),
    "numbers": (NUMBERS, ["18", "5"], {"check_correct_fn": "numeric"}),
}


def compute(module, answers, references, **options):
    """Compute a module, and return the result and the warnings."""
    given = {"predictions": answers, "references": references, **options}
    given["scores"] = [list(range(len(row))) for row in answers]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = module.load().compute(**module.only(given))
    return result, [str(each.message) for each in said]


def list_shares(result):
    return [value for key, value in result.items() if not key.startswith("max@")]


@every_module
@for_each("name", READINGS)
def test_the_warning_names_a_reading_that_is_not_zero(module, name):
    answers, references, reading = READINGS[name]
    result, said = compute(module, answers, references)
    assert not any(list_shares(result))
    ((option, value),) = reading.items()
    assert len(said) == 1
    assert f'With `{option}="{value}"`' in said[0]
    found, nothing = compute(module, answers, references, **reading)
    assert any(list_shares(found))
    assert nothing == []


@every_module
def test_the_warning_is_the_note_of_the_report(module):
    answers, references, _ = READINGS["texts"]
    _, said = compute(module, answers, references)
    report = at_k.score({"answers": answers, "references": references}, k=1)
    notes = [
        str(note) for note in report.notes if note.code in ("note.no_match", "note.suggestion")
    ]
    assert said == [" ".join(notes)]


def test_the_warning_points_at_the_caller():
    with pytest.warns(UserWarning, match="No answer is correct") as caught:
        PASS_AT_K.load().compute(predictions=[["x"]], references=["y"], k=1)
    assert caught[0].filename == __file__


@for_each("answers, references", [
    ([["a", "b"]], ["a"]),  # one is right: τ = 1 gives 0, and nothing is amiss
    ([["b", "a"], ["c", "d"]], ["a", "x"]),
])  # fmt: skip
@every_module
def test_a_right_answer_is_enough_for_silence(module, answers, references):
    assert compute(module, answers, references)[1] == []


@every_module
def test_grades_are_verdicts_and_need_no_word(module):
    given = {"predictions": [[0, 0]], "scores": [[1, 2]]}
    assert not any(list_shares(module.load("graded").compute(**module.only(given))))


@for_each("text, is_test", [
    ("assert add(2, 3) == 5", True), ("def check(f):\n    assert f(1) == 2\ncheck(add)", True),
    ("class T(TestCase):\n    def test(self):\n        self.assertEqual(add(1, 1), 2)", True),
    ("assertive", False), ("I assert that it is 5", False), ("5", False), ("print('assert')", False), ("", False),
])  # fmt: skip
def test_programs_with_assertions_are_known(text, is_test):
    assert are_tests([(text,)]) is is_test
    assert are_tests([("assert True",), (text,)]) is is_test


TESTS = ["assert add(2, 3) == 5"]
PROGRAMS = [["def add(a, b): return a * b", "def add(a, b): return a + b"]]


@for_each("module", [module for module in MODULES if module is not PASS_AT_K])
@for_each("form, options", [
    ("{}", 'check_correct_fn="code"'),
    ("```python\n{}\n```", 'check_correct_fn="code", extract_fn="code"'),
])  # fmt: skip
def test_references_that_are_tests(module, form, options, monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    programs = [[form.format(program) for program in PROGRAMS[0]]]
    result, said = compute(module, programs, TESTS)
    assert not any(list_shares(result))
    assert len(said) == 1
    assert f"look like test programs, such as “{TESTS[0]}”. `{options}`" in said[0]
    named = dict(re.findall(r'(\w+)="(\w+)"', options))
    assert compute(module, programs, TESTS, **named)[0] != result


def test_a_combination_warns_for_each_module_alone():
    combined = evaluate.combine([PASS_AT_K.load(), BEST_AT_K.load()])
    with pytest.warns(UserWarning, match="With `extract_fn=") as caught:
        combined.compute(predictions=TEXTS, references=["18", "5"], scores=[[1, 2], [2, 1]], k=1)
    assert len(caught) == 2

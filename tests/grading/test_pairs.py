"""Samples are graded by distinct pairs of an answer and a reference."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from datasets import Dataset
from grading.obedient import Obedient

import at_k
from at_k.columns import read_problems
from at_k.errors import InputError
from at_k.grading import judge
from at_k.grading.checkers import Checker, checkers
from at_k.grading.pairs import grade_samples
from at_k.grading.workers import NotGradedError

ROOT = Path(__file__).parents[2]


def grade(answers, references, check, **options):
    problems = read_problems(answers=answers, references=references)
    return grade_samples(problems.answers, problems.references, check, **options)


def test_each_pair_is_checked_once_in_input_order():
    calls = []

    def check(answer, reference):
        calls.append((answer, reference))
        return {"a": 0.25, "b": 0.75}.get(reference, 0)

    found = grade([["x", "y", "x"], [None, "x"]], [["a", "b", "a"], "b"], check)
    assert found.values.tolist() == [0.75, 0.75, 0.75, 0, 0.75]
    assert calls == [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]


def test_an_error_reports_the_first_fault():
    def check(answer, reference):
        return 1 / 0 if answer == "b" else 0

    message = r"failed on the prediction 'b' and the reference '1', in problem 0, sample 2: ZeroDivisionError"
    with pytest.raises(RuntimeError, match=message) as caught:
        grade([["c", "a", "b"], ["b", "a"]], ["1", "2"], check)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@for_each(
    "value",
    [0, 1, 0.0, 1.0, False, True, 1e-300, 1 - 2**-53, np.bool_(True), np.float32(1), np.int8(1)],
)
def test_grades_from_zero_to_one(value):
    assert grade([["x"]], ["a"], lambda *_: value).values[0] == float(value)


@for_each("value, error, shown", [
    (-(2.0**-1074), ValueError, "got -5e-324"), (1 + 2**-52, ValueError, "got 1.0000000000000002"),
    (float("nan"), ValueError, "got nan"), (10**5000, ValueError, "got an integer of 16610 bits"),
    ("1", TypeError, "got '1' of type str"), (None, TypeError, "got None of type NoneType"),
])  # fmt: skip
def test_values_that_are_no_grades_are_refused(value, error, shown):
    match = rf"`check_correct_fn` must return .*{shown}.* 'x' and the reference 'a', in problem 0, sample 0"
    with pytest.raises(error, match=match):
        grade([["x"]], ["a"], lambda *_: value)


@for_each("name", ["exact_match", "quasi_exact", "choice", "numeric"])
def test_forms_and_single_pairs_agree(name):
    texts = [
        "1",
        "1.0",
        "B",
        "(B)",
        "b ",
        "the answer is B",
        "A",
        "a",
        "50%",
        "0.5",
        "½",
        "x",
        "",
        "B) x",
        "1.0000001",
    ]
    check = checkers[name]()
    for reference in texts:
        found = grade([texts, texts[:3]], [reference, ["none", reference]], check).values
        alone = [check(answer, reference) for answer in texts]
        assert found.tolist() == alone + alone[:3]


@dataclass(frozen=True, repr=False)
class Normal(Checker):
    """Accept answers with the same normal form, and remember which were computed."""

    name = "normal"

    def normalize(self, text):
        SEEN.append(text)
        return text.lower()


SEEN = []


def test_a_text_is_normalized_once():
    SEEN.clear()
    found = grade([["A", "a", "b"], ["A", "B", "a"]], ["a", "b"], Normal())
    assert found.values.tolist() == [True, True, False, False, True, False]
    assert sorted(SEEN) == ["A", "B", "a", "a", "b", "b"]  # answers and references


def test_a_sample_is_not_graded_if_a_pair_is_not_that_could_have_been_right():
    hostile = "spin"
    rows = [
        ["1", hostile, "2", None],
        [hostile],
    ]  # in the second, one reference is right, so the other does not matter
    found = grade(rows, [["1", "3"], ["1", hostile]], Obedient(), num_workers=1, timeout=0.1)
    assert {sample: fault.cause for sample, fault in found.faults.items()} == {1: "timeout"}
    assert found.values.tolist()[::2] == [1, 0, 1]


class NetworkError(Exception):
    """Imitate the errors of `requests` and `httpx`, which are not Python's own."""


ConnectionErrorOfAnother = type("ConnectionError", (NetworkError,), {})


@for_each(
    "error",
    [
        ConnectionError("gone"),
        TimeoutError(),
        ConnectionErrorOfAnother("gone"),
        NotGradedError("no"),
    ],
)
def test_an_error_of_the_network_is_a_missing_verdict_and_not_the_end(error):
    def check(answer, reference):
        if answer == "x":
            raise error
        return answer == reference

    found = grade([["a", "x", "b"]], ["a"], check)
    assert {sample: fault.cause for sample, fault in found.faults.items()} == {1: "error"}
    assert found.values.tolist()[::2] == [1, 0]
    problems = read_problems(answers=[["a", "x", "b"]], references=["a"])
    with pytest.raises(
        InputError, match=r"did not grade 1 samples.*problem 0, sample 1.*'x'.*cause: error"
    ) as caught:
        judge(problems, check_correct_fn=check)
    assert caught.value.code == "check.not_graded"
    problems = read_problems(answers=[["a", "x", "b", None]], references=["a"])
    verdicts = judge(problems, check_correct_fn=check, missing="incorrect")
    assert (verdicts.n_missing, verdicts.c.tolist(), verdicts.not_graded) == (2, [1], {"error": 1})
    dropped = judge(problems, check_correct_fn=check, missing="drop", warn=False)
    assert (dropped.n.tolist(), dropped.c.tolist()) == ([2], [1])


@dataclass(frozen=True, repr=False)
class Level(Checker):
    """Accept what the row says."""

    name = "level"
    takes_row = True

    def grade(self, answer, reference, *, row):
        """Compare with the row."""
        return answer == row["level"]


def test_a_checker_may_take_the_row_of_the_problem():
    calls = []

    def check(prediction, reference, *, row):
        calls.append((prediction, reference, row["level"]))
        return prediction == reference + row["level"]

    rows = [{"level": "1"}, {"level": "2"}]
    found = grade([["a1", "b1", "a1"], ["a1", None]], [["a", "b"], "a"], check, rows=rows)
    assert found.values.tolist() == [1, 1, 1, 0, 0]
    assert calls == [
        ("a1", "a", "1"),
        ("a1", "b", "1"),
        ("b1", "a", "1"),
        ("b1", "b", "1"),
        ("a1", "a", "2"),
    ]
    assert grade([["1", "2"], ["2"]], ["x", "x"], Level(), rows=rows).values.tolist() == [1, 0, 1]
    with pytest.raises(RuntimeError, match="in problem 0, sample 0: KeyError: 'level'"):
        grade([["a"]], ["a"], check)


def asks(prediction, reference, *, row):
    return prediction == str(eval(row["prompt"]))


DATA = {"prompt": ["1 + 1", "2 + 2"], "answers": [["2", "3"], ["4", "4"]], "references": ["", ""]}


ROWS = [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)]
WAYS = {
    "mapping": DATA,
    "rows": ROWS,
    "pandas": pd.DataFrame(DATA, index=[7, 8]),
    "arrow": pa.table(DATA),
    "dataset": Dataset.from_dict(DATA),
    "selected": {name: [column[0], *column] for name, column in DATA.items()}
    | {"model": ["x", "y", "y"]},
    "file of problems": [row | {"id": row["prompt"], "references": ["-"]} for row in ROWS],
    "file of samples": [
        row | {"id": row["prompt"], "references": ["-"], "answers": text}
        for row in ROWS
        for text in row["answers"]
    ],
}


@for_each("kind", list(WAYS))
def test_every_way_in_gives_the_row(kind, tmp_path):
    data, options = WAYS[kind], {"where": {"model": "y"}} if kind == "selected" else {}
    if kind.startswith("file"):
        path = tmp_path / f"{kind[-8:]}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in data))
        data = path
        options = {"columns": {"references": "references", "answers": "answers", "problem": "id"}}
    report = at_k.score(data, k=1, metrics="avg_at_n", check_correct_fn=asks, **options)
    assert report.values["avg@2"] == 0.75


def test_modules_and_scorers_give_the_row():
    module = evaluate.load(str(ROOT / "metrics" / "avg_at_n"))
    given = {"predictions": DATA["answers"], "references": DATA["references"]}
    rows = [{"prompt": text} for text in DATA["prompt"]]
    assert module.compute(**given, rows=rows, check_correct_fn=asks)["avg@2"] == 0.75
    with pytest.raises(ValueError, match=r"`rows` .* must"):
        module.compute(**given, rows=rows[:1], check_correct_fn=asks)
    score = at_k.scorer("avg_at_n", check_correct_fn=asks)
    assert score(given | {"prompt": DATA["prompt"]})["avg@n"] == [0.5, 1.0]


def test_a_checker_of_a_script_works_or_says_how(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from dataclasses import dataclass\nimport at_k\nfrom at_k.grading.checkers import Checker\n"
        "@dataclass(frozen=True, repr=False)\nclass Mine(Checker):\n    'Accept all.'\n    name = 'mine'\n"
        "    def grade(self, answer, reference): return True\n"
        "@dataclass(frozen=True, repr=False)\nclass Slow(Mine):\n    'Accept all.'\n    slow = True\n"
        "data = {'answers': [['a']], 'references': ['b']}\n"
        "for check in (lambda a, b: True, Mine(), Slow()):\n"
        "    try: print(at_k.score(data, k=1, metrics='avg_at_n', check_correct_fn=check).values['avg@1'])\n"
        "    except ValueError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert said.splitlines()[:2] == ["1.0", "1.0"]
    assert "'mine' is defined in the script that runs" in said
    assert "Move it to a file of its own" in said


SEVERAL = {
    "answers": [["cat", "dog", "cow", "Cat"]],
    "references": [["cat", "cat", "cat", "dog", "a cow"]],
}


@for_each("rule, grades", [
    ("best", [1, 1, 1, 1]), ("mean", [0.6, 0.2, 0.2, 0.6]), ("vqa", [1, 1 / 3, 1 / 3, 1]),
])  # fmt: skip
def test_grades_beside_several_references(rule, grades):
    report = at_k.score(SEVERAL, check_correct_fn="quasi_exact", reduce=rule, metrics="avg_at_n")
    (graded,) = report.samples[1].graded
    assert graded.values.tolist() == pytest.approx(grades)
    assert ("reduce:" in report.signatures["avg_at_n"]) is (rule != "best")


def test_vqa_of_ten_people_is_full_from_three_on():
    rows = {"answers": [["a", "b", "c", "d"]], "references": [["a"] * 5 + ["b"] * 3 + ["c"] * 2]}
    report = at_k.score(rows, reduce="vqa", metrics="avg_at_n")
    assert report.samples[1].graded[0].values.tolist() == pytest.approx([1, 1, 2 / 3, 0])


def test_a_check_of_all_references_gets_their_list():
    def share(prediction, references):
        assert isinstance(references, list)
        return references.count(prediction) / len(references)

    class Share(at_k.Checker):
        name, takes_list = "share", True

        def grade(self, answer, references):
            return share(answer, references)

    for check in (share, Share()):
        report = at_k.score(SEVERAL, check_correct_fn=check, metrics="avg_at_n")
        assert report.samples[1].graded[0].values.tolist() == [0.6, 0.2, 0, 0]

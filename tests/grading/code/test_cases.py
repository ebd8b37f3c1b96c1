"""Cases of input and output: their forms, how they are compared, and the verdicts of LiveCodeBench's own runner."""

import base64
import json
import os
import pickle
import zlib

import pytest
from cases import for_each
from grading.code.programs import read_programs, run_pairs

from at_k.grading.code import cases as cases_module
from at_k.grading.code.cases import Cases, compare_output, compare_value, read_cases, simplify
from at_k.grading.code.protocol import HarnessError

ADD = '{"inputs": ["1 2\\n", "3 4\\n"], "outputs": ["3\\n", "7\\n"]}'
SUM = "a, b = map(int, input().split())\n"
RIGHT, WRONG = SUM + "print(a + b)", SUM + "print(a * b)"
READ = Cases("", ["1 2\n", "3 4\n"], ["3\n", "7\n"])
LISTED = [
    {"input": "1 2\n", "output": "3\n", "testtype": "stdin"},
    {"input": "3 4\n", "output": "7\n"},
]
CALLS = [{"input": '[1, 2]\n"x"', "output": "[3]", "testtype": "functional"}]


def say(wanted):
    """Return cases that ask for one text."""
    return json.dumps({"inputs": [""], "outputs": [wanted]})


def ask(function, *calls):
    """Return cases of a function: its arguments, and its result."""
    inputs = ["\n".join(map(json.dumps, given)) for given, _ in calls]
    return json.dumps(
        {
            "inputs": inputs,
            "outputs": [json.dumps(wanted) for _, wanted in calls],
            "fn_name": function,
        }
    )


GROW = ask("grow", ([[1, 2], 3], [4, 5]), ([[], 1], []))


def pack(text, protocol=4):
    return base64.b64encode(zlib.compress(pickle.dumps(text, protocol))).decode()


APART = {
    "public_test_cases": json.dumps(LISTED[:1]),
    "private_test_cases": pack(json.dumps(LISTED[1:])),
}
OF_CODE_CONTESTS = {
    "public_tests": {"input": ["1 2\n"], "output": ["3\n"]}, "private_tests": {"input": [], "output": []},
    "generated_tests": {"input": ["3 4\n"], "output": ["7\n"]},
}  # fmt: skip


@for_each("tests, cases", [
    *[(tests, READ) for tests in (ADD, f" {ADD}\n", json.dumps(LISTED), pack(json.dumps(LISTED)))],
    (json.dumps({"inputs": [["1 2", ""], ["3 4", ""]], "outputs": [["3", ""], ["7", ""]]}), READ),  # APPS, TACO
    (pack(json.dumps(LISTED), 0), None),  # pickle's first protocol, which LiveCodeBench never had
    (base64.b64encode(zlib.compress(json.dumps(LISTED).encode())).decode(), READ),
    *[(json.dumps(tests), READ) for tests in (APART, OF_CODE_CONTESTS, {"input_output": ADD, "question": "?"})],
    (json.dumps({"public_test_cases": json.dumps(CALLS), "metadata": json.dumps({"func_name": "f"})}),
     Cases("f", [[[1, 2], "x"]], [[[3]]])),
    (json.dumps({"input": ["1 2\n", "3 4\n"], "output": ["3\n", "7\n"]}), READ),
    (json.dumps({"inputs": "1 2\n", "outputs": "3\n"}), Cases("", ["1 2\n"], ["3\n"])),
    ('{"inputs": [[1, [2]]], "outputs": [[3]], "fn_name": "f"}', Cases("f", [[1, [2]]], [[[3], 3]], loose=True)),
    (json.dumps({"inputs": [""], "outputs": ["3"], "fn_name": "f"}), Cases("f", [[]], [[3]])),
    *[(text, None) for text in ("[x for x in ()]", '{"a": 1}', "[" * 10**5, "eJwrThisIsNoBase64OfZlibButAName",
                                "assert f(1) == 2")],
])  # fmt: skip
def test_forms(tests, cases):
    assert read_cases(tests) == cases


@for_each("tests, says", [
    ('{"inputs": [], "outputs": []}', "hold no case"), ("[]", "hold no case"),
    ('{"inputs": ["1"], "outputs": []}', "1 inputs and 0 outputs"), ('{"inputs": ["1"]}', "KeyError: 'outputs'"),
    (json.dumps(CALLS), "do not name it: add its name to them, as `fn_name`"),
    ('{"inputs": ["x"], "outputs": ["1"], "fn_name": "f"}', "cannot be read: JSONDecodeError"),
    ('{"inputs": [1], "outputs": ["1"], "fn_name": "f"}', "must be in a list; got 1"),
    ('{"inputs": ["1"], "outputs": ["1"], "fn_name": "f()"}', "the name of a function; got 'f\\(\\)'"),
    (json.dumps({"inputs": ["1"], "outputs": ["1" * 5000], "fn_name": "f"}), "cannot be read: ValueError: Exceeds the"),
    (pack([1, 2]), "must be a text; got list"),
])  # fmt: skip
def test_cases_that_cannot_be_used(tests, says):
    with pytest.raises(HarnessError, match=says):
        read_cases(tests)


class Bomb:
    def __reduce__(self):
        return os.abort, ()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_nothing_but_text_is_unpickled(protocol):
    with pytest.raises(
        HarnessError, match=r"cannot be unpacked: a text was expected, and not posix\.abort"
    ):
        read_cases(pack(Bomb(), protocol))


def test_packed_cases_have_a_largest_size(monkeypatch):
    monkeypatch.setattr(cases_module, "MOST_UNPACKED", 100)
    with pytest.raises(HarnessError, match="larger than 100 bytes"):
        read_cases(pack(" " * 200))


@for_each("printed, wanted, tolerance, same", [
    ("0.3000000001", "0.3", 1e-6, True), ("0.3000000001", "0.3", 0, False), ("0.30001", "0.3", 1e-6, False),
    ("1000000.5", "1000000.0", 1e-6, True),  # relative
    ("2.9999999999", "3", 1e-6, False),  # whole numbers are exact
    ("1e999999999 1", "1.5e999999999 1", 1e-6, False),
    ("nan", "nan", 1e-6, True),  # the same text
    ("nan 1", "nan  1", 1e-6, False), ("inf", "1.5", 1e-6, False), ("1.5", "inf", 1e-6, False),
    ("-inf", "inf", 1e-6, False),
])  # fmt: skip
def test_numbers_within_a_tolerance(printed, wanted, tolerance, same):
    assert (compare_output(printed, wanted, tolerance) == "") is same


@for_each("found, wanted, same", [
    (0.3000000001, 0.3, True), ([1, {"a": 0.5000000001}], [1, {"a": 0.5}], True), ([0.5], [0.5, 0.5], False),
    ({"a": 0.5}, {"b": 0.5}, False), (5, 5.0000000001, False), (1.0, float("inf"), False),
    (float("inf"), float("inf"), True), ("0.3000000001", "0.3", False),
])  # fmt: skip
def test_results_within_a_tolerance(found, wanted, same):
    assert (compare_value(found, [wanted], 1e-6) == "") is same


APPS = {
    "list of tuples": ("def f(n): return [(n, 1)]", [[2]], [[[2, 1]]], True),
    "tuple in a tuple": ("def f(n): return (n, (1, 2))", [[2]], [[2, [1, 2]]], True),
    "whole numbers as keys": (
        "def f(n): return {n: 1, 3: {4: 5}}",
        [[2]],
        [{"2": 1, "3": {"4": 5}}],
        True,
    ),
    "whole numbers as keys of an argument": ("def f(d): return d[2]", [[{"2": 7}]], [7], True),
    "names as keys of an argument": ("def f(d): return d['a']", [[{"a": 7}]], [7], True),
    "result in a list": ("def f(n): return 5", [[2]], [[5]], True),
    "result that is a list": ("def f(n): return [5, 3]", [[2]], [[5, 3]], True),
    "first of a list": ("def f(n): return 5", [[2]], [[5, 3]], False),
    "other tuples": ("def f(n): return [(n, 2)]", [[2]], [[[2, 1]]], False),
}
"""Functions for APPS and TACO, which have lists of arguments."""


def test_functions_of_apps():
    cases = [
        (each[0], json.dumps({"inputs": each[1], "outputs": each[2], "fn_name": "f"}))
        for each in APPS.values()
    ]
    passed = [outcome.passed for outcome in run_pairs(cases, isolation="none")]
    assert dict(zip(APPS, passed, strict=True)) == {name: each[3] for name, each in APPS.items()}


def test_values_that_json_does_not_have_equal_none():
    for value in ((1, (2,)), {1: 2}, {1}, object(), b"", 1j):
        assert "\0" in json.dumps(simplify(value)).encode().decode("unicode_escape")


# Verdicts of `run_test` in `lcb_runner/evaluation/testing_util.py`, github.com/LiveCodeBench/LiveCodeBench at commit
# 28fef95, run on these programs with `timeout=6`, where a time limit has no part in them.
LIVE = read_programs("livecodebench.txt") | {
    "number of 5,000 digits": ("print(10 ** 5000)", say("1" + "0" * 5000), "passed"),
}


def test_verdicts_are_those_of_livecodebench_but_for_those_with_a_reason():
    outcomes = run_pairs([each[:2] for each in LIVE.values()], timeout=6)
    for (name, (*_, verdict)), outcome in zip(LIVE.items(), outcomes, strict=True):
        theirs, _, reason = verdict.partition(": ")
        assert outcome.status == (
            theirs if not reason else {"passed": "failed", "failed": "passed"}[theirs]
        ), name


def test_without_a_tolerance_fractions_are_compared_as_livecodebench_does():
    pairs = [LIVE[f"different: {name}"][:2] for name in ("near", "near result")]
    assert [outcome.passed for outcome in run_pairs(pairs, tolerance=0)] == [False, False]


def test_the_first_case_that_fails_is_named():
    slow = "import time\ntime.sleep(a - 1)\nprint(3)"
    table = [
        (RIGHT, ADD, ("passed", "")),
        (WRONG, ADD, ("failed", "test 1 of 2: line 1 must be '3'; got '2'")),
        (SUM + "print(3)", ADD, ("failed", "test 2 of 2: line 1 must be '7'; got '3'")),
        (
            SUM + "print(3)\nif a > 1: 1 / 0",
            ADD,
            ("failed", "test 2 of 2: ZeroDivisionError: division by zero"),
        ),
        (
            "def grow(x, y): return x and [4, 5, 6]",
            GROW,
            ("failed", "test 1 of 2: it must return [4, 5]; got [4, 5, 6]"),
        ),
        (SUM + slow, ADD, ("timed out", "test 2 of 2: 0.8 s mostly without work")),
    ]
    outcomes = run_pairs([pair for *pair, _ in table], timeout=0.8)
    assert [(outcome.status, outcome.detail) for outcome in outcomes] == [row[2] for row in table]


SECRET = "".join(f"{number:04d} is printed by no honest program; " for number in range(60))


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_program_finds_no_output(isolation):
    spies = [spy for spy, *_ in read_programs("scripts.txt", "spy: ").values()]
    for outcome in run_pairs([(spy, say(SECRET)) for spy in spies], isolation=isolation):
        assert (outcome.status, outcome.output.strip()) == ("failed", "")


def test_long_texts():
    many = list(range(50_000))
    lines = "\n".join(map(str, many))
    pairs = [
        (
            "import sys\nprint(sys.stdin.read())",
            json.dumps({"inputs": [lines], "outputs": [lines]}),
        ),
        ("def f(n): return list(range(n))", ask("f", ([50_000], many))),
    ]
    assert [outcome.status for outcome in run_pairs(pairs, timeout=4)] == ["passed", "passed"]
    (endless,) = run_pairs([("while True: print('3' * 10**6)", say("3"))], timeout=0.2)
    assert endless.status == "timed out"

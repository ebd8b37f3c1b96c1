"""Compare what is read from a harness's file with the numbers in `expected.json`, which come from exact fractions."""

import json
from functools import cache
from pathlib import Path

import pytest

import at_k
from at_k.errors import InputError

HARNESS = Path(__file__).parents[1] / "data" / "harness"

POLICIES = {"all_samples": "error", "missing=drop": "drop", "missing=incorrect": "incorrect"}
"""The name of each block of numbers, and the policy for missing samples under which they hold."""

CLOSE = 1e-12
"""The expected numbers are fractions rounded once; ours are sums of a few hundred rounded terms."""


@cache
def read_expected():
    """Read every entry: the path below `HARNESS`, with "::" and the scorer where there are several → its numbers."""
    return json.loads((HARNESS / "expected.json").read_text(encoding="utf-8"))


def check(path, expected, *, silent=0, **reading):
    """Compare a file with an entry of `expected.json`.

    Args:
        path: the file, or a data set that was read from it.
        silent: how many samples are there, ungraded, but give no answer. The expected numbers count them as wrong, and
            not as missing.
        expected: the entry.
        reading: further arguments of `at_k.score`, such as `scorer=` and `check_correct_fn=`.

    Returns:
        policy → the report, for what a test wants to know besides.
    """
    problems = [
        each if isinstance(each, str) else json.dumps(each) for each in expected["problem_ids"]
    ]
    if expected["n_missing"]:
        with pytest.raises(InputError) as caught:
            at_k.score(path, **reading)
        assert caught.value.code in ("missing.answers", "missing.grades")
    reports = {}
    for block, policy in POLICIES.items():
        if block not in expected:
            continue
        missing = "incorrect" if silent else policy
        numbers = expected[block]
        k = list(range(1, numbers["pass@max_k"] + 1))
        reports[missing] = report = at_k.score(path, missing=missing, k=k, groups=False, **reading)
        assert len(report) == expected["n_problems"]
        found = dict(zip(report.problems, zip(report.n, report.c, strict=True), strict=True))
        assert found == dict(
            zip(problems, zip(numbers["n"], numbers["n_correct"], strict=True), strict=True)
        )
        assert report.n_missing == expected["n_missing"] + silent
        if missing != "drop":
            assert sum(report.n) == expected["n_samples"]
        values = {str(key): value for key, value in report.values.items()}
        wanted = {
            key: value for key, value in numbers.items() if key.startswith(("pass@", "cons@"))
        }
        wanted |= {f"G-Pass@{each}_1.0": numbers[f"pass^{each}"] for each in k}
        del wanted["pass@max_k"]
        assert {key: values.get(key) for key in wanted} == pytest.approx(wanted, rel=0, abs=CLOSE)
        (avg,) = (value for key, value in values.items() if key.startswith("avg@"))
        assert avg == pytest.approx(numbers["avg"], rel=0, abs=CLOSE)
        assert values["accuracy"] == pytest.approx(numbers["accuracy_mean_grade"], rel=0, abs=CLOSE)
        if "cons" in expected:
            assert report.left_out["cons_at_k"].code == "left_out.conflict"
    assert reports
    return reports

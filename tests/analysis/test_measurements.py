"""Subjects of a comparison: matching problems, keys, data, and conditions."""

import json

import numpy as np
import pandas as pd
import pytest
from cases import for_each, refuses
from datasets import Dataset
from pairs import A, B, codes, make
from scipy import stats

import at_k
from at_k.analysis.comparison import compare
from at_k.analysis.ranking import rank

MORE = {"pass@1": {**B["pass@1"], "new": 1.0, "newer": 0.0}}
OTHERS = {"pass@1": {"x": 1.0, "y": 0.0}}
PASS_AT_1 = {"metrics": "pass_at_k", "k": 1}
NAMED = {"problem": list("abcdefg"), "grades": [[1, 1]] * 7}
REVERSED = {"problem": list("gfedcba"), "grades": [[0, 1]] * 6 + [[1, 1]]}
NAMELESS = {"grades": [[1, 1], [1, 0], [0, 0]]}
SCORED = [at_k.score(each, **PASS_AT_1) for each in (NAMED, REVERSED)]
PROBLEMS = (
    "The models were not measured on the same problems: all have 40, and beside these y has 2, such as 'new'. "
    'Leave out what not all have: `unmatched="drop"`.'
)
SEVERAL = "TypeError: must be one model; got 2 in one … . Compare two as `compare(a, b, "
DATA = {"grades": [[1, 0]] * 5}


@for_each("a, b, options, says", [
    (A, MORE, {"names": ("x", "y")}, f"compare.problems: {PROBLEMS}"),
    (A, OTHERS, {}, "compare.no_problem: 'q0', 'x'"),
    (A, OTHERS, {"unmatched": "drop"}, "compare.no_problem: 'q0', 'x'"),
    *[(NAMELESS, {"grades": [[1, 0]] * 4}, {"unmatched": unmatched, **PASS_AT_1},
       "compare.no_names: of A, B have no names … 3, 4") for unmatched in ("error", "drop")],
    (NAMELESS, {**NAMELESS, "problem": ["x", "y", "z"]}, PASS_AT_1,
     "compare.no_names: The problems of A have no names"),
    (*SCORED, {"k": 1}, "compare.scored: `k`"),
    (A, {"pass@2": B["pass@1"]}, {}, "compare.no_key: pass@1; pass@2"),
    *[(A, B, {"metrics": keys}, "compare.unknown_key: Not all models have pass@2. They have in common: pass@1.")
      for keys in ("pass@2", ["pass@1", "pass@2"])],
    (A, B, {"metrics": []}, "ValueError: `metrics`"),
    (A, B, {"band": True}, "InputError: This needs reports or data"),
    (A, B, {"target": "problem_set"}, "InputError: A has bare values"),
    *[(A, B, {"names": names}, "ValueError: `names` must hold two names, one of each model; got")
      for names in (("A",), ("A", "B", "C"), (), "AB", None)],
    ({"x": {"a": 1.0}, "y": {"b": 1.0}}, A, {}, "compare.ragged"),
    ({"x": {1: 1.0, "1": 0.0}}, A, {}, "compare.ragged"),
    ({"x": {}}, A, {}, "compare.empty"),
    *[({"x": {"a": value}}, A, {}, "TypeError: the value of x must be a number") for value in ("1", None, True, [1])],
    *[(make([value]), make([0.5]), {}, f"ValueError: got {value}") for value in (1.5, float("nan"))],
    (A, B, {"confidence_level": 95}, "ValueError: `confidence_level`"),
    (A, B, {"margin": 0}, "ValueError: `margin`"),
    (A, B, {"margin": "x"}, "TypeError: `margin`"),
    (A, B, {"method": "z"}, "ValueError: `method`"),
    (A, B, {"extra_tests": ["z"]}, "ValueError: `extra_tests`"),
    (A, B, {"unmatched": "z"}, "ValueError: `unmatched`"),
    (A, B, {"seed": -1}, "ValueError: seed"),
    *[(*pair, {}, SEVERAL) for wrong in ({"A": SCORED[0], "B": SCORED[0]}, [SCORED[0]] * 2, {"A": DATA, "B": DATA},
                                         {"A": "a.csv", "B": "b.csv"}) for pair in ((wrong, DATA), (DATA, wrong))],
    *[(*pair, {}, "TypeError") for bad in ([1, 0], [], (8, 3), 3, None) for pair in ((A, bad), (bad, A))],
])  # fmt: skip
def test_models_that_cannot_be_compared_are_refused(a, b, options, says):
    refuses(says, compare, a, b, **options)


@for_each("wrong", [None, 0.5, [0.5, 0.6], np.ones(3), object()])
def test_invalid_models_are_named(wrong):
    for name, models in (("a", (wrong, DATA)), ("b", (DATA, wrong))):
        says = f"TypeError: `{name}` must be a report, a results file, a data set, or a mapping of"
        refuses(says, at_k.compare, *models)
    refuses(SEVERAL, at_k.compare, [SCORED[0]] * 2)


class TestMatching:
    def test_other_problems_are_dropped_and_counted(self):
        found = compare(A, MORE, unmatched="drop")
        assert found.comparisons == compare(A, B).comparisons
        assert found.unmatched == (0, 2)
        assert str(found.notes[0]) == "Problems that only one model has, left out: 2."
        assert codes(found) == ["compare.dropped", "compare.no_counts"]

    def test_other_problems_are_compared_unpaired_and_called_so(self):
        found = compare(A, MORE, unmatched="unpaired", margin=0.1, extra_tests="wilcoxon")
        own = found.comparisons["pass@1"]
        x, y = (np.array(list(each["pass@1"].values())) for each in (A, MORE))
        welch = stats.ttest_ind(x, y, equal_var=False)
        assert (own.low, own.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))
        assert own.p_value == pytest.approx(welch.pvalue)
        assert (own.paired, own.problems, own.won) == (False, (40, 42), None)
        assert codes(found) == ["compare.unpaired", "compare.no_pairs"]
        assert (found.equivalence, found.extra_tests, found.flips) == ({}, {}, {})
        assert "                 – |" in found.to_markdown()
        assert not compare(A, OTHERS, unmatched="unpaired").comparisons["pass@1"].paired
        twice = compare(
            {**A, "avg@4": A["pass@1"]}, {**MORE, "avg@4": MORE["pass@1"]}, unmatched="unpaired"
        )
        assert twice.p_values["pass@1"] == own.p_value  # one question
        assert (
            compare(A, B, unmatched="unpaired").to_dict() == compare(A, B).to_dict()
        )  # paired where it can be

    def test_names_that_are_numbers(self):
        first, second = {"z": {1: 0.5, 2: 1.0}}, {"z": {"2": 1.0, "1": 0.25}}
        assert compare(first, second).flips["z"][0].problem == "1"


class TestNoNames:
    """Without a column of names, the first problem of one model is the first one of the other."""

    def test_problems_are_matched_by_their_order_with_a_note(self):
        found = compare(NAMELESS, {"grades": [[1, 0], [1, 1], [0, 0]]}, **PASS_AT_1)
        assert [(flip.problem, flip.a, flip.b) for flip in found.flips["pass@1"]] == [
            ("0", 1, 0.5),
            ("1", 0.5, 1),
        ]
        assert "compare.by_order" in codes(found)
        other = {
            "grades": NAMELESS["grades"][::-1],
            "problem": ["2", "1", "0"],
        }  # numbers in another order are names
        named = compare({**NAMELESS, "problem": ["0", "1", "2"]}, other, **PASS_AT_1)
        assert (named.flips["pass@1"], "compare.by_order" in codes(named)) == ([], False)
        unpaired = compare(NAMELESS, {"grades": [[1, 0]] * 4}, unmatched="unpaired", **PASS_AT_1)
        assert unpaired.comparisons["pass@1"].problems == (3, 4)

    def test_numbers_in_a_file_are_names(self, tmp_path):
        for name, size in (("a", 4), ("b", 3)):
            rows = [{"id": i, "correct": [1, i % 2]} for i in range(size)]
            (tmp_path / f"{name}.jsonl").write_text(
                "\n".join(map(json.dumps, rows)), encoding="utf-8"
            )
        found = compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl", unmatched="drop")
        assert (found.unmatched, "compare.by_order" in codes(found)) == ((1, 0), False)


class TestData:
    def test_every_kind_gives_the_same(self, tmp_path):
        first, path = SCORED[0], tmp_path / "first.json"
        first.save(path)
        pd.DataFrame(NAMED).to_json(tmp_path / "first.jsonl", orient="records", lines=True)
        rows = [dict(zip(NAMED, row, strict=True)) for row in zip(*NAMED.values(), strict=True)]
        expected = compare(NAMED, REVERSED, **PASS_AT_1).to_dict()
        assert expected["keys"]["pass@1"]["won"] == 6
        files = path, str(path), tmp_path / "first.jsonl"
        for kind in (first, *files, pd.DataFrame(NAMED), Dataset.from_dict(NAMED), rows):
            assert compare(kind, REVERSED, **PASS_AT_1).to_dict() == expected

    def test_names_of_papers(self):
        report = at_k.score(
            {"grades": [[1, 1, 0, 1], [0, 1, 0, 0]]}, k=2, thresholds=1.0, metrics=at_k.METRICS
        )
        found = at_k.compare(report, report, metrics=["maj@2", "pass^2", "cons@2", "mean@4"])
        assert list(found.comparisons) == ["cons@2", "G-Pass@2_1.0", "avg@4"]

    @for_each("keys", ["z", ["z", "z"], ("z",), {"z"}, iter(["z"])])
    def test_chosen_keys(self, keys):
        assert list(
            compare({**A, "z": A["pass@1"]}, {**B, "z": B["pass@1"]}, metrics=keys).comparisons
        ) == ["z"]


VOTES = {"problem": list("abcd"), "answers": [["1", "2", "2", None]] * 4, "references": ["2"] * 4}


class TestConditions:
    """Two models that were measured differently are compared, with a note."""

    def conditions(self, first, second, **shared):
        reports = [
            at_k.score(VOTES, **{"missing": "incorrect", **shared, **own})
            for own in (first, second)
        ]
        notes = [note for note in compare(*reports).notes if note.code == "compare.conditions"]
        return [str(note).rpartition("make the difference: ")[2] for note in notes]

    @for_each("first, second, said", [
        ({"check_correct_fn": "numeric"}, {}, "checker (numeric, exact_match)."),
        ({"correct_above": 0.25}, {"correct_above": 0.75}, "correct_above (0.25, 0.75)."),
        ({"missing": "drop"}, {}, "missing (drop, incorrect)."),
        ({"ties": "strict"}, {}, "ties (strict, random)."),
        ({"extract_fn": "(1|2)"}, {}, "extract ('(1|2)', –)."),
        ({"correct_above": 0.25, "ties": "strict"}, {}, "ties (strict, random); correct_above (0.25, 0.5)."),
    ])  # fmt: skip
    def test_differing_conditions_are_named(self, first, second, said):
        (found,) = self.conditions(first, second, metrics=["pass_at_k", "cons_at_k"], k=1)
        assert sorted(found[:-1].split("; ")) == sorted(said[:-1].split("; "))

    @for_each("first, second", [
        ({}, {}),
        ({"confidence_level": 0.8, "target": "problem_set"}, {"confidence_level": None}),
        ({"k": [1, 2]}, {"k": [1, 3]}),
        ({"thresholds": 0.5}, {"thresholds": [0.5, 1.0]}),
    ])  # fmt: skip
    def test_irrelevant_conditions_are_not_named(self, first, second):
        assert self.conditions(first, second) == []

    def test_only_the_conditions_of_what_is_compared(self):
        first, second = (
            at_k.score(VOTES, missing="drop", k=1, ties=ties) for ties in ("strict", "random")
        )
        assert "compare.conditions" in codes(compare(first, second, metrics="cons@1"))
        assert "compare.conditions" not in codes(compare(first, second, metrics="pass@1"))
        assert (
            rank({"a": first, "b": second}, metrics="cons@1").notes[0].code == "compare.conditions"
        )

    def test_saved_reports_and_values_without_a_signature(self, tmp_path):
        for name, checker in (("a", "numeric"), ("b", "exact_match")):
            at_k.score(VOTES, missing="drop", check_correct_fn=checker).save(
                tmp_path / f"{name}.json"
            )
        assert "compare.conditions" in codes(compare(tmp_path / "a.json", tmp_path / "b.json"))
        values = {"pass@1": dict.fromkeys("abcd", 0.5)}
        assert "compare.conditions" not in codes(compare(tmp_path / "a.json", values))

    @for_each("head, rows, is_by_order", [
        ("item,run1,run2", ["p1,1,0", "p2,1,1", "p3,0,0"], False), ("run1,run2", ["1,0", "1,1", "0,0"], True),
        ("tokens,run1,run2", ["5,1,0", "9,1,1", "7,0,0"], True),
    ])  # fmt: skip
    def test_lines_of_a_file_are_no_names(self, head, rows, is_by_order, tmp_path):
        for name, lines in (("a", rows), ("b", rows[::-1])):
            (tmp_path / f"{name}.csv").write_text("\n".join([head, *lines, ""]), encoding="utf-8")
        found = compare(tmp_path / "a.csv", tmp_path / "b.csv", **PASS_AT_1)
        assert (found.same, "compare.by_order" in codes(found)) == (not is_by_order, is_by_order)

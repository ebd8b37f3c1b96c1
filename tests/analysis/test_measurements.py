"""Subjects of a comparison: matching problems, keys, data, and conditions."""

import json

import numpy as np
import pytest
from cases import for_each, refuses
from scipy import stats

import at_k
from at_k.analysis.comparison import compare
from at_k.analysis.ranking import rank

RNG = np.random.default_rng(9)
QUESTIONS = [f"q{i}" for i in range(40)]
A = {"pass@1": dict(zip(QUESTIONS, RNG.integers(0, 5, 40) / 4, strict=True))}
B = {"pass@1": dict(zip(QUESTIONS, RNG.integers(0, 4, 40) / 4, strict=True))}

MORE = {"pass@1": {**B["pass@1"], "new": 1.0, "newer": 0.0}}
PASS_AT_1 = {"metrics": "pass_at_k", "k": 1}
NAMED = {"problem": list("abcdefg"), "grades": [[1, 1]] * 7}
REVERSED = {"problem": list("gfedcba"), "grades": [[0, 1]] * 6 + [[1, 1]]}
NAMELESS = {"grades": [[1, 1], [1, 0], [0, 0]]}


def make(values, key="pass@1"):
    """Values of problems p0, p1, …"""
    return {key: {f"p{i}": value for i, value in enumerate(values)}}


def codes(found):
    return [note.code for note in found.notes]


def refused(*models, **options):
    caught = refuses("InputError", compare, *models, **options)
    return caught.code, str(caught)


class TestMatching:
    def test_other_problems_are_refused(self):
        code, said = refused(A, MORE, names=("x", "y"))
        assert code == "compare.problems"
        assert said == (
            "The models were not measured on the same problems: all have 40, and beside these y has 2, such as 'new'. "
            'Leave out what not all have: `unmatched="drop"`.'
        )

    def test_or_dropped_and_counted(self):
        found = compare(A, MORE, unmatched="drop")
        assert found.comparisons == compare(A, B).comparisons
        assert found.unmatched == (0, 2)
        assert [str(note) for note in found.notes] == ["Problems that only one model has, left out: 2."]

    def test_or_compared_unpaired_and_called_so(self):
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

    def test_unpaired_questions_are_counted_alike(self):
        found = compare({**A, "avg@4": A["pass@1"]}, {**MORE, "avg@4": MORE["pass@1"]}, unmatched="unpaired")
        assert found.adjusted["pass@1"] == found.comparisons["pass@1"].p_value

    def test_unpaired_is_paired_where_it_can_be(self):
        assert compare(A, B, unmatched="unpaired").to_dict() == compare(A, B).to_dict()

    def test_no_common_problem(self):
        others = {"pass@1": {"x": 1.0, "y": 0.0}}
        for unmatched in ("error", "drop"):
            code, said = refused(A, others, unmatched=unmatched)
            assert code == "compare.no_problem"
            assert "'q0', 'x'" in said
        assert not compare(A, others, unmatched="unpaired").comparisons["pass@1"].paired

    def test_names_that_are_numbers(self):
        first, second = {"z": {1: 0.5, 2: 1.0}}, {"z": {"2": 1.0, "1": 0.25}}
        assert compare(first, second).flips["z"][0].problem == "1"


class TestNoNames:
    """Without a column of names, the first problem of one model is the first one of the other."""

    def test_they_are_matched_by_their_order_and_it_is_said(self):
        found = compare(NAMELESS, {"grades": [[1, 0], [1, 1], [0, 0]]}, **PASS_AT_1)
        assert [(flip.problem, flip.a, flip.b) for flip in found.flips["pass@1"]] == [("0", 1, 0.5), ("1", 0.5, 1)]
        assert "compare.by_order" in codes(found)

    def test_numbers_in_another_order_are_names(self):
        own = {**NAMELESS, "problem": ["0", "1", "2"]}
        other = {"grades": NAMELESS["grades"][::-1], "problem": ["2", "1", "0"]}
        found = compare(own, other, **PASS_AT_1)
        assert not found.flips["pass@1"]
        assert "compare.by_order" not in codes(found)

    @for_each("unmatched", ["error", "drop"])
    def test_then_there_must_be_as_many(self, unmatched):
        code, said = refused(NAMELESS, {"grades": [[1, 0]] * 4}, unmatched=unmatched, **PASS_AT_1)
        assert code == "compare.no_names"
        assert "of A, B have no names" in said
        assert "3, 4" in said

    def test_unpaired_they_need_not(self):
        found = compare(NAMELESS, {"grades": [[1, 0]] * 4}, unmatched="unpaired", **PASS_AT_1)
        assert found.comparisons["pass@1"].problems == (3, 4)

    def test_one_has_names(self):
        code, said = refused(NAMELESS, {**NAMELESS, "problem": ["x", "y", "z"]}, **PASS_AT_1)
        assert code == "compare.no_names"
        assert "The problems of A have no names" in said

    def test_numbers_in_a_file_are_names(self, tmp_path):
        for name, size in (("a", 4), ("b", 3)):
            rows = [{"id": i, "correct": [1, i % 2]} for i in range(size)]
            (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        found = compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl", unmatched="drop")
        assert found.unmatched == (1, 0)
        assert "compare.by_order" not in codes(found)


class TestData:
    def test_every_kind_gives_the_same(self, tmp_path):
        import pandas as pd
        from datasets import Dataset

        first = at_k.score(NAMED, **PASS_AT_1)
        first.save(tmp_path / "first.json")
        pd.DataFrame(NAMED).to_json(tmp_path / "first.jsonl", orient="records", lines=True)
        rows = [dict(zip(NAMED, row, strict=True)) for row in zip(*NAMED.values(), strict=True)]
        kinds = [
            first,
            tmp_path / "first.json",
            str(tmp_path / "first.json"),
            tmp_path / "first.jsonl",
            pd.DataFrame(NAMED),
            Dataset.from_dict(NAMED),
            rows,
        ]
        expected = compare(NAMED, REVERSED, **PASS_AT_1).to_dict()
        assert expected["keys"]["pass@1"]["won"] == 6
        for kind in kinds:
            assert compare(kind, REVERSED, **PASS_AT_1).to_dict() == expected

    def test_options_without_data_to_score_are_refused(self):
        first, second = (at_k.score(each, **PASS_AT_1) for each in (NAMED, REVERSED))
        code, said = refused(first, second, k=1)
        assert code == "compare.scored"
        assert "`k`" in said

    @for_each("bad", [[1, 0], [], (8, 3), 3, None])
    def test_other_kinds(self, bad):
        refuses("TypeError", compare, A, bad)
        refuses("TypeError", compare, bad, A)

    def test_no_common_key(self):
        code, said = refused(A, {"pass@2": B["pass@1"]})
        assert code == "compare.no_key"
        assert "pass@1; pass@2" in said

    def test_names_of_papers(self):
        model = {"grades": [[1, 1, 0, 1], [0, 1, 0, 0]]}
        report = at_k.score(model, k=2, thresholds=1.0, metrics=at_k.METRICS)
        found = at_k.compare(report, report, metrics=["maj@2", "pass^2", "cons@2", "mean@4"])
        assert list(found.comparisons) == ["cons@2", "G-Pass@2_1.0", "avg@4"]

    @for_each("keys", ["pass@2", ["pass@1", "pass@2"]])
    def test_unknown_keys(self, keys):
        code, said = refused(A, B, metrics=keys)
        assert code == "compare.unknown_key"
        assert said == "Not all models have pass@2. They have in common: pass@1."

    @for_each("keys", ["z", ["z", "z"], ("z",), {"z"}, iter(["z"])])
    def test_chosen_keys(self, keys):
        assert list(compare({**A, "z": A["pass@1"]}, {**B, "z": B["pass@1"]}, metrics=keys).comparisons) == ["z"]

    def test_no_keys(self):
        refuses("ValueError: `metrics`", compare, A, B, metrics=[])

    def test_several_models_in_one_argument(self):
        data = {"grades": [[1, 0]] * 5}
        report = at_k.score(data)
        said = r"`[ab]` must be one model; got 2 in one (dict|list)\. Compare two as `compare\(a, b, "
        for wrong in (
            {"A": report, "B": report},
            [report, report],
            {"A": data, "B": data},
            {"A": "a.csv", "B": "b.csv"},
        ):
            for pair in ((wrong,), (wrong, data), (data, wrong)):
                with pytest.raises(TypeError, match=said):
                    at_k.compare(*pair)

    def test_values_of_the_caller(self):
        assert refused({"x": {"a": 1.0}, "y": {"b": 1.0}}, A)[0] == "compare.ragged"
        assert refused({"x": {1: 1.0, "1": 0.0}}, A)[0] == "compare.ragged"
        assert refused({"x": {}}, A)[0] == "compare.empty"
        for value in ("1", None, True, [1]):
            refuses("TypeError: the value of x must be a number", compare, {"x": {"a": value}}, A)
        for value in (1.5, float("nan")):
            refuses(f"ValueError: got {value}", compare, make([value]), make([0.5]))

    @for_each("options, error, said", [
        ({"confidence_level": 95}, ValueError, "`confidence_level`"),
        ({"margin": 0}, ValueError, "`margin`"),
        ({"margin": "x"}, TypeError, "`margin`"),
        ({"method": "z"}, ValueError, "`method`"),
        ({"extra_tests": ["z"]}, ValueError, "`extra_tests`"),
        ({"unmatched": "z"}, ValueError, "`unmatched`"),
        ({"seed": -1}, ValueError, "seed"),
    ])  # fmt: skip
    def test_wrong_options_are_found(self, options, error, said):
        with pytest.raises(error, match=said):
            compare(A, B, **options)


VOTES = {"problem": list("abcd"), "answers": [["1", "2", "2", None]] * 4, "references": ["2"] * 4}


class TestConditions:
    """Two models that were measured differently are compared, and it is said."""

    def conditions(self, first, second, **shared):
        reports = [at_k.score(VOTES, **{"missing": "incorrect", **shared, **own}) for own in (first, second)]
        found = compare(*reports)
        notes = [note for note in found.notes if note.code == "compare.conditions"]
        return [str(note).rpartition("make the difference: ")[2] for note in notes]

    @for_each("first, second, said", [
        ({"check_correct_fn": "numeric"}, {}, "checker (numeric, exact_match)."),
        ({"threshold": 0.25}, {"threshold": 0.75}, "threshold (0.25, 0.75)."),
        ({"missing": "drop"}, {}, "missing (drop, incorrect)."),
        ({"ties": "strict"}, {}, "ties (strict, random)."),
        ({"extract_fn": "(1|2)"}, {}, "extract ('(1|2)', –)."),
        ({"threshold": 0.25, "ties": "strict"}, {}, "ties (strict, random); threshold (0.25, 0.5)."),
    ])  # fmt: skip
    def test_differing_conditions_are_named(self, first, second, said):
        (found,) = self.conditions(first, second, k=1)
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
        first, second = (at_k.score(VOTES, missing="drop", k=1, ties=ties) for ties in ("strict", "random"))
        assert "compare.conditions" in codes(compare(first, second))
        assert "compare.conditions" not in codes(compare(first, second, metrics="pass@1"))
        assert rank({"a": first, "b": second}, metrics="cons@1").notes[0].code == "compare.conditions"

    def test_saved_reports_and_values_without_a_signature(self, tmp_path):
        for name, checker in (("a", "numeric"), ("b", "exact_match")):
            at_k.score(VOTES, missing="drop", check_correct_fn=checker).save(tmp_path / f"{name}.json")
        found = compare(tmp_path / "a.json", tmp_path / "b.json")
        assert "compare.conditions" in codes(found)
        values = {"pass@1": dict.fromkeys("abcd", 0.5)}
        assert "compare.conditions" not in codes(compare(tmp_path / "a.json", values))


@for_each("wrong", [None, 0.5, [0.5, 0.6], np.ones(3), object()])
def test_invalid_models_are_named(wrong):
    data = {"grades": [[1, 0]]}
    for name, models in (("a", (wrong, data)), ("b", (data, wrong))):
        with pytest.raises(TypeError, match=f"`{name}` must be a report, a results file, a data set, or a mapping of"):
            at_k.compare(*models)

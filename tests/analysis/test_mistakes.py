"""What must be a mistake: found on data made by hand, and not where it is none."""

from dataclasses import replace
from pathlib import Path

from cases import for_each
from diagnoses import votes

import at_k
from at_k.analysis.diagnosis import diagnose
from at_k.values import Column

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"


class TestMistakes:
    def changed(self, **values):
        """Return a report in which some values are others, as a file that another program wrote may have."""
        report = at_k.score(votes("aab", "bba", "aaa"), k=[1, 3])
        keys = {str(key): key for key in report.values}
        own = {keys[name.replace("_at_", "@")]: value for name, value in values.items()}
        columns = {**report.columns, **{key: Column.of([value] * 3) for key, value in own.items()}}
        return replace(report, values=report.values | own, columns=columns)

    def test_good_numbers_have_none(self):
        assert diagnose(self.changed()).mistakes == []
        for path in {*DATA.glob("*.jsonl")} - {DATA / "published.jsonl"}:  # counts of ten models, and no samples
            where = {"prompt": "long"} if path.stem == "codex_puzzles" else None  # this one has two prompts
            assert diagnose(at_k.score(path, where=where)).mistakes == []

    @for_each("value", [1.001, -0.001, float("nan"), float("inf"), 91.0])
    def test_a_share_outside_of_its_range(self, value):
        found = diagnose(self.changed(pass_at_3=value))
        first = found.sentences[0]
        assert first.code == "bug.range"
        assert first.values["key"] == "pass@3"
        assert {each.code.partition(".")[0] for each in found.sentences} == {"bug"}  # nothing else is said of them
        assert found.figures.keys() == {"problems_with_two_verdicts"}

    def test_scores_have_no_range(self):
        data = {"grades": [[1, 0]], "scores": [[-7.0, 90.0]]}
        assert diagnose(data).mistakes == []

    @for_each("key", ["avg_at_3", "cons_at_3"])
    def test_a_value_above_pass(self, key):
        equal = dict.fromkeys(["pass_at_1", "pass_at_3", "cons_at_1", "cons_at_3", "avg_at_3"], 0.5)
        assert diagnose(self.changed(**equal)).mistakes == []
        assert diagnose(self.changed(**equal | {key: 0.5 + 1e-7})).mistakes == []  # it was rounded
        found = diagnose(self.changed(**equal | {key: 0.75})).mistakes
        assert {each.code for each in found} == {"bug.above_pass"}
        assert {each.values["key"] for each in found} == {key.replace("_at_", "@")}
        assert {each.values["gap"] for each in found} == {0.25}

    def test_no_answer_equals_its_reference(self):
        found = diagnose(votes("bbc", "bcc"))
        assert [each.code for each in found.mistakes] == ["note.no_match"]
        assert found.sentences[0] is found.mistakes[0]
        assert diagnose(votes("bbc", "acc")).mistakes == []
        assert diagnose({"answers": [["b", "b"]], "grades": [[0, 0]]}).mistakes == []  # a grader may say so

    def test_one_answer_with_two_verdicts(self):
        data = {
            "problem": ["p", "q", "r"],
            "answers": [["x", "y"], ["x", "x"], ["z", "z"]],
            "grades": [[1, 0], [1, 1], [0, 1]],
        }
        found = diagnose(data)
        (mistake,) = found.mistakes
        assert mistake.values == {"count": 1, "total": 3, "answer": "'z'", "problem": "“r”"}
        assert found.figures["problems_with_two_verdicts"] == 1
        assert found.figures["wrong_majority"] is None  # no vote without verdicts
        decided = diagnose(data, on_conflict="majority")
        assert [each.code for each in decided.mistakes] == ["bug.two_verdicts"]
        assert decided.figures["wrong_majority"] is not None

    def test_a_saved_report_still_has_the_mistake(self, tmp_path):
        at_k.score({"answers": [["x", "x"]], "grades": [[0, 1]]}).save(tmp_path / "report.json")
        assert [each.code for each in diagnose(str(tmp_path / "report.json")).mistakes] == ["left_out.conflict"]

    def test_samples_without_an_answer_have_no_common_verdict(self):
        data = {"answers": [[None, None, "a", "a"]], "grades": [[0, 1, 1, 1]]}
        assert diagnose(data).mistakes == []

"""Samples come one by one, and what is wrong with one of them is said with its place, or counted."""

import json
from math import inf, nan

import pytest
from cases import for_each

from at_k.errors import InputError
from at_k.readers.cells import NOTHING
from at_k.readers.choosing import find_step
from at_k.readers.collector import Collector
from at_k.readers.format import Reading
from at_k.readers.samples import STANDARD, Origin, list_types
from at_k.readers.sources import Source

LONG = 10**400


def collect(*samples, unit="line", per_sample=True, **reading):
    collector = Collector(Reading(**reading), unit=unit)
    for row, (problem, values) in enumerate(samples, 1):
        collector.add(row, problem, **values)
    return collector.finish(Origin("example", roles=dict.fromkeys(("problem", "grades"), "x")), per_sample=per_sample)


def refuse(*samples, **reading):
    with pytest.raises(InputError) as caught:
        collect(*samples, **reading)
    return caught.value


def read(text, *fields, **reading):
    collector = Collector(Reading(**reading))
    return list(collector.rows(Source("f", text.encode()), fields)), collector


class TestColumns:
    def test_their_order_is_the_standard_one(self):
        values = {"score": 1.5, "grade": 1, "references": "r", "answer": "a", "meta": {"m": 1}, "group": "g"}
        samples = collect(("p", values))
        assert samples.table.column_names == list(STANDARD)
        assert samples.table.to_pylist() == [
            {
                "problem": "p",
                "answers": ["a"],
                "references": ["r"],
                "grades": [1.0],
                "scores": [1.5],
                "group": "g",
                "meta": '{"m": 1}',
            }
        ]
        assert samples.table.schema.types == list(list_types().values())

    def test_those_that_are_not_given_are_not_there(self):
        assert collect(("p", {"grade": None})).table.column_names == ["problem", "grades"]

    def test_samples_of_a_problem_are_brought_together(self):
        samples = collect(*((name, {"grade": place % 2}) for place, name in enumerate("abcab")))
        assert samples.problems == ["a", "b", "c"]
        assert samples.grades == [[0, 1], [1, 0], [0]]
        assert samples.rows == [[1, 4], [2, 5], [3]]
        assert collect(("a", {"grade": 1}), ("a", {"grade": 1}), per_sample=False).rows == [[1]]

    def test_some_samples_lack_what_others_have(self):
        given = [{}, {"answer": "a"}, {}, {"grade": 1}, {"score": 2}, {}]
        samples = collect(*(("p", each) for each in given))
        assert samples.answers == [[None, "a", None, None, None, None]]
        assert samples.grades == [[None, None, None, 1.0, None, None]]
        assert samples.scores == [[None, None, None, None, 2.0, None]]

    def test_what_is_not_a_number_is_missing(self):
        samples = collect(*(("p", {"grade": each, "score": each}) for each in (nan, None, 0.5)))
        assert samples.grades == samples.scores == [[None, None, 0.5]]
        assert samples.n_missing == 2

    def test_no_sample_has_anything_but_a_name(self):
        assert collect(("p", {})).table.to_pylist() == [{"problem": "p"}]

    def test_places(self):
        for unit, said in (("line", "line 1,234"), ("row", "row 1,234"), ("problem", "problem 1,234")):
            assert str(Collector(Reading(), unit=unit).place(1234)) == said


class TestNames:
    def test_numbers_are_spelled_as_json_does(self):
        assert collect((1, {}), (1.5, {}), ("é", {}), (1, {})).problems == ["1", "1.5", "é"]

    @for_each("names", [(1, "1"), ("1", 1), (1, 1, "1"), ("1", "1", 1)])
    def test_a_number_and_a_text_that_are_spelled_alike(self, names):
        error = refuse(*((name, {}) for name in names))
        assert error.code == "collector.same_name"
        assert f"line {len(names)}" in str(error)

    @for_each("name", [None, "", True, nan, inf, [1], {}, NOTHING])
    def test_those_that_are_none(self, name):
        assert refuse(("p", {}), (name, {})).code == "cells.problem"

    @for_each("number", [2.0**53, 1e300, -(2.0**60)])
    def test_numbers_that_a_decoder_has_rounded(self, number):
        for values in ((number, {}), ("p", {"answer": number}), ("p", {"references": number})):
            assert refuse(values).code == "collector.long_number"

    def test_whole_numbers_of_any_length_are_exact(self):
        samples = collect((LONG, {"answer": LONG, "references": [2**64]}))
        assert samples.problems == [str(LONG)]
        assert samples.references == [[str(2**64)]]


class TestValues:
    @for_each(
        "value, code",
        [
            ({"grade": 1.5}, "cells.points"),
            ({"grade": -1}, "cells.points"),
            ({"grade": inf}, "cells.grade"),
            ({"grade": LONG}, "cells.grade"),
            ({"grade": "maybe"}, "cells.word"),
            ({"grade": [1]}, "cells.grade"),
            ({"score": inf}, "cells.score"),
            ({"score": LONG}, "cells.score"),
            ({"score": True}, "cells.score"),
            ({"score": "1"}, "cells.score"),
            ({"answer": ["a"]}, "cells.answer"),
            ({"answer": {}}, "cells.answer"),
            ({"answer": nan}, "cells.answer"),
            ({"references": []}, "cells.reference"),
            ({"references": [None]}, "cells.reference"),
            ({"references": ["a", {}]}, "cells.reference"),
            ({"references": {}}, "cells.reference"),
            ({"group": ["x"]}, "cells.group"),
            ({"number": [1]}, "collector.number"),
            ({"number": None}, "collector.number"),
        ],
    )
    def test_a_broken_one_is_refused_or_counted(self, value, code):
        error = refuse(("p", {}), ("q", value))
        assert error.code == code
        assert "(line 2)" in str(error)
        samples = collect(("p", {}), ("q", value), ("q", value), ("r", {}), errors="skip")
        assert samples.problems == ["p", "r"]  # a problem none of whose samples can be read is left out with them
        assert [(cause.code, count) for cause, count in samples.origin.skipped.items()] == [(code, 2)]

    def test_answers_that_are_no_text(self):
        samples = collect(*(("p", {"answer": each}) for each in (True, 7, 7.5, "", None)))
        assert samples.answers == [["true", "7", "7.5", "", None]]

    def test_a_number_is_there_once(self):
        error = refuse(("p", {"number": 1}), ("q", {"number": 1}), ("p", {"number": 2}), ("p", {"number": 1}))
        assert str(error) == (
            "Sample 1 of problem “p” is there twice: line 1 and line 4. Number them differently, or remove one. If "
            'that column does not number samples: `columns={"sample": None}`.'
        )
        samples = collect(*(("p", {"number": each, "grade": 1}) for each in (3, 1, 3, "x")), errors="skip")
        assert samples.numbers == [[3, 1, "x"]]
        assert sum(samples.origin.skipped.values()) == 1

    def test_numbers_stand_for_all_samples_or_none(self):
        assert collect(("p", {"number": 1}), ("p", {})).numbers is None

    def test_causes_are_counted_apart(self):
        samples = collect(("p", {}), ("p", {"grade": 2}), ("p", {"grade": 3}), (None, {}), errors="skip")
        assert {cause.code: count for cause, count in samples.origin.skipped.items()} == {
            "cells.points": 2,
            "cells.problem": 1,
        }

    def test_nothing_is_left(self):
        assert refuse().code == "collector.empty"
        error = refuse(("p", {"grade": 2}), (None, {}), errors="skip")
        assert str(error).startswith("Nothing is left: all 2 rows or samples are broken. The first fault: “A grade")
        assert "got 2 (line 1)" in str(error)


class TestProblems:
    def test_a_group_that_some_samples_do_not_have(self):
        for groups in ((None, "g"), ("g", None), ("g", "g"), (NOTHING, "g")):
            assert collect(*(("p", {"group": each}) for each in groups)).group == ["g"]
        assert collect(("p", {"group": None}), ("q", {"group": True})).group == [None, "true"]
        assert collect(("p", {"group": None})).group is None

    @for_each("field", ["group", "references"])
    def test_samples_that_do_not_agree(self, field):
        error = refuse(("p", {field: "x"}), ("q", {field: "y"}), ("p", {field: "y"}))
        assert error.code == "collector.differs"
        assert "“y” differs from “x” (line 3)" in str(error)

    def test_meta_is_what_all_samples_say(self):
        metas = [{"level": 1, "seed": 1}, None, {"level": 1, "seed": 2}, {"level": 1, "seed": 1}]
        (meta,) = collect(*(("p", {"meta": each}) for each in metas)).listed("meta")
        assert json.loads(meta) == {"level": 1}

    @for_each(
        "second, code, said",
        [
            (("p", [{"grade": 1}]), "collector.same_problem", "“p” is also in problem 1 (problem 2)"),
            (("q", []), "collector.no_samples", "“q” has no samples (problem 2)"),
            (("q", [{"grade": 1}, {"grade": 2}]), "cells.points", "got 2 (problem 2)"),
            (
                ("q", [{"references": "a"}, {"references": "b"}]),
                "collector.differs",
                "“b” differs from “a” (problem 2)",
            ),
        ],
    )
    def test_a_problem_with_a_list_of_samples(self, second, code, said):
        def collect(errors, *problems):
            collector = Collector(Reading(errors=errors), unit="problem")
            for row, (problem, samples) in enumerate(problems, 1):
                collector.add_problem(row, problem, samples, group="g")
            return collector.finish(Origin("example"), per_sample=False)

        first = ("p", [{"grade": 1}, {"grade": 0}])
        samples = collect("raise", first)
        assert (samples.grades, samples.group, samples.rows) == ([[1, 0]], ["g"], [[1]])
        with pytest.raises(InputError) as caught:
            collect("raise", first, second)
        assert caught.value.code == code
        assert said in str(caught.value)
        skipped = collect("skip", first, second).origin.skipped
        assert [(cause.code, count) for cause, count in skipped.items()] == [(code, 1)]

    def test_a_broken_problem_is_counted_once(self):
        collector = Collector(Reading(errors="skip"), unit="problem")
        answers = [{"answer": each} for each in ("7", None, 8)]
        for row, (name, references) in enumerate([("p", {}), ("r", "7"), ("r", "7")], 1):
            collector.add_problem(row, name, answers, references=references)
        samples = collector.finish(Origin("example"), per_sample=False)
        assert (samples.problems, samples.answers) == (["r"], [["7", None, "8"]])
        assert sum(samples.origin.skipped.values()) == 2

    def test_prompts_with_more_samples_than_others(self):
        def codes(names):
            collector = Collector(Reading())
            for row, name in enumerate(names, 1):
                collector.add(row, name, grade=1)
            return [note.code for note in collector.note_shared_prompts()]

        assert codes("aaaabb") == ["collector.shared_prompt"]
        assert codes("aabb") == codes("aaabb") == codes("") == []


ROW = {"id": 1, "own": "b", "verdict": True, "level": "x"}


class TestRoles:
    def add(self, fields=ROW, meta=None, **columns):
        collector = Collector(Reading(columns=columns))
        collector.add(
            1, "p", answer="a", grade=0, score=1, references="r", group="g", meta=meta or {"topic": "t"}, fields=fields
        )
        return collector.finish(Origin("example", roles={"problem": "name", "answers": "text"}))

    def test_a_field_of_the_row(self):
        samples = self.add(problem="id", answers="own", grades="verdict", group="level")
        assert (samples.problems, samples.answers, samples.grades, samples.group) == (["1"], [["b"]], [[1.0]], ["x"])
        assert samples.roles == {
            "problem": "id",
            "answers": "own",
            "references": None,
            "grades": "verdict",
            "scores": None,
            "group": "level",
        }

    def test_a_field_of_what_is_said_about_the_problem(self):
        assert self.add(fields=None, group="topic").group == ["t"]

    def test_none_leaves_a_role_out(self):
        samples = self.add(answers=None, scores=None, references=None, group=None)
        assert samples.table.column_names == ["problem", "grades", "meta"]
        assert samples.roles["answers"] is None

    def test_none_for_all_roles_of_samples_leaves_nothing(self):
        with pytest.raises(InputError, match="leaves out answers, grades, scores") as caught:
            self.add(answers=None, grades=None, scores=None)
        assert caught.value.code == "collector.no_values"

    def test_an_unknown_field(self):
        with pytest.raises(InputError) as caught:
            self.add(group="levle")
        assert str(caught.value) == (
            "There is no field “levle” to take for group. The fields are: “topic”, “id”, “own”, “verdict”, “level” "
            "(line 1)."
        )
        with pytest.raises(InputError, match="The fields are: none"):
            self.add(fields=None, answers="own")

    @for_each("columns", [{"level": "x"}, {"problem": None}])
    def test_unknown_roles(self, columns):
        with pytest.raises(InputError, match="The roles are problem, answers") as caught:
            self.add(**columns)
        assert caught.value.code == "collector.columns"


class TestRows:
    def test_lines_that_are_not_blank(self):
        rows, _ = read('{"id": 1}\n\n  \r\n{"id": NaN}\r\n')
        assert [number for number, _ in rows] == [1, 4]

    @for_each(
        "line, code",
        [
            ('{"id": 1', "decoding.broken"),
            ('{"other": 1}', "collector.lack"),
            ('{"other": NaN}', "collector.lack"),
            ("[1]", "decoding.not_object"),
            ("NaN", "decoding.not_object"),
            ("null", "decoding.not_object"),
        ],
    )
    def test_a_broken_line_is_refused_or_counted(self, line, code):
        text = f'{{"id": 1}}\n{line}\n{{"id": 2}}\n{line}'
        with pytest.raises(InputError, match=r"line 2\b") as caught:
            read(text, "id")
        assert caught.value.code == code
        rows, collector = read(text, "id", errors="skip")
        for number, row in rows:
            collector.add(number, row["id"])
        samples = collector.finish(Origin("example"))
        assert samples.rows == [[1], [3]]
        assert {cause.code: count for cause, count in samples.origin.skipped.items()} == {code: 2}

    def test_entries_of_a_list(self):
        collector = Collector(Reading(errors="skip"), unit="sample")
        assert list(collector.entries([{"id": 1}, 7, {}, {"id": 2}], ("id",))) == [(1, {"id": 1}), (4, {"id": 2})]
        with pytest.raises(InputError, match="sample 1"):
            list(Collector(Reading(), unit="sample").entries(["x"]))

    TEXT = '{"id": 1, "model": "a"}\n{"id": 2, "model": "b"}\n{"id": 3, "model": "a"}'

    def test_where(self):
        def kept(where):
            return [number for number, _ in read(self.TEXT, pool="model", where=where)[0]]

        assert kept({"model": "a"}) == [1, 3]
        assert kept({"model": ["a", "b"]}) == [1, 2, 3]
        assert kept({"id": "2"}) == kept({"id": 2}) == [2]
        assert kept({"id": [1, 2], "model": "b"}) == [2]

    def test_where_that_finds_nothing(self):
        for where, code in (({"model": "c"}, "models.no_rows"), ({"modle": "a"}, "standard.no_column")):
            rows, collector = read(self.TEXT, where=where)
            assert rows == []
            with pytest.raises(InputError) as caught:
                collector.finish(Origin("example"))
            assert caught.value.code == code

    def test_where_in_a_format_without_rows(self):
        assert refuse(("p", {}), where={"model": "a"}).code == "standard.no_column"

    def test_rows_of_several_models(self):
        with pytest.raises(InputError, match=r"“model” has several values: “a”, “b”") as caught:
            read(self.TEXT)
        assert caught.value.code == "models.several"
        assert len(read(self.TEXT, pool="model")[0]) == 3
        assert len(read(self.TEXT, where={"model": "a"})[0]) == 2
        assert len(read('{"model": null}\n{"model": null}')[0]) == 2

    def test_pool_names_a_column_or_what_the_file_is_of(self):
        def collect(pool, **subject):
            rows, collector = read(self.TEXT + '\n{"id": 4, "model": "b", "step": 1}', pool=["model", pool])
            for number, row in rows:
                collector.add(number, row["id"], grade=1)
            return collector.finish(Origin("example", subject=subject)).problems

        assert collect("step") == collect("task", task="gsm8k") == ["1", "2", "3", "4"]
        with pytest.raises(InputError, match=r"no column “modle” .* one of: “task”, “file”") as caught:
            collect("modle", task="gsm8k")
        assert caught.value.code == "collector.no_pool"


def test_steps():
    assert find_step([], []) == find_step([None], []) == find_step([1, 2], ["step"]) == {}
    assert find_step([None, 3, "3"], []) == {"training step": "3"}
    with pytest.raises(InputError, match="“3”, “4”"):
        find_step([3, 4], [])


MODELS = [{"id": f"p{i // 4}", "ok": i % 2 == 0} | ({} if i < 3 else {"model": "A"}) for i in range(8)]


class TestLateModels:
    """A column of models may begin in any row; the rows before it are of no model, which is a value, too."""

    @pytest.mark.parametrize("name", ["model", "Model ID", "checkpoint"])
    @pytest.mark.parametrize("call", ["rows", "entries"])
    def test_they_are_refused(self, call, name):
        rows = [{name if field == "model" else field: value for field, value in row.items()} for row in MODELS]
        given = rows if call == "entries" else Source("f", "\n".join(map(json.dumps, rows)).encode())
        with pytest.raises(InputError, match="null, “A”") as caught:
            list(getattr(Collector(Reading()), call)(given))
        assert caught.value.code == "models.several"

    @for_each("reading, count", [({"where": {"model": "A"}}, 5), ({"pool": ["model"]}, 8)])
    def test_they_can_be_chosen_or_pooled(self, reading, count):
        collector = Collector(Reading(**reading))
        assert len(list(collector.entries(MODELS))) == count

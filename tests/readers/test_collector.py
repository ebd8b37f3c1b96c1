"""Samples come one by one, and what is wrong with one of them is said with its place, or counted."""

import json
from math import inf, nan

import pytest
from cases import for_each, for_rows
from readers.reading import found, refused

from at_k.errors import InputError
from at_k.readers.cells import NOTHING
from at_k.readers.files.sources import Source
from at_k.readers.format import Reading
from at_k.readers.harness import RowCollector
from at_k.readers.samples import STANDARD, Origin, list_types

LONG = 10**400


def collect(*samples, unit="line", per_sample=True, **reading):
    collector = RowCollector(Reading(**reading), unit=unit)
    for row, (problem, values) in enumerate(samples, 1):
        collector.add(row, problem, **values)
    return collector.finish(
        Origin("example", roles=dict.fromkeys(("problem", "grades"), "x")), per_sample=per_sample
    )


def read(text, *fields, **reading):
    collector = RowCollector(Reading(**reading))
    return list(collector.rows(Source("f", text.encode()), fields)), collector


def of_p(field, *values):
    """Make samples of one problem, by one field of each."""
    return [("p", {field: value}) for value in values]


def test_columns_have_the_standard_order_and_types():
    values = {
        "scores": 1.5,
        "grades": 1,
        "references": "r",
        "answers": "a",
        "meta": {"m": 1},
        "group": "g",
    }
    samples = collect(("p", values))
    assert samples.table.column_names == list(STANDARD)
    row = ["p", ["a"], ["r"], [1.0], [1.5], "g", '{"m": 1}']
    assert samples.table.to_pylist() == [dict(zip(STANDARD, row, strict=True))]
    assert samples.table.schema.types == list(list_types().values())


MIXED = [("p", each) for each in ({}, {"answers": "a"}, {}, {"grades": 1}, {"scores": 2}, {})]
METAS = [{"level": 1, "seed": 1}, None, {"level": 1, "seed": 2}, {"level": 1, "seed": 1}]

# name: (samples, how they are read, what is collected)
COLLECTED = {
    "samples of a problem are brought together": (
        [(name, {"grades": place % 2}) for place, name in enumerate("abcab")], {},
        found({"a": [0, 1], "b": [1, 0], "c": [0]}, problems=["a", "b", "c"], rows=[[1, 4], [2, 5], [3]]),
    ),
    "rows of several samples": (of_p("grades", 1, 1), {"per_sample": False}, found(rows=[[1]])),
    "some samples lack what others have": (MIXED, {}, found(
        answers=[[None, "a", None, None, None, None]], grades=[[None, None, None, 1, None, None]],
        scores=[[None, None, None, None, 2, None]])),
    "what is not a number is missing": (
        [("p", {"grades": each, "scores": each}) for each in (nan, None, 0.5)], {},
        found([[None, None, 0.5]], scores=[[None, None, 0.5]], n_missing=2),
    ),
    "numbers as names are spelled as JSON does": (
        [(1, {}), (1.5, {}), ("é", {}), (1, {})], {}, found(problems=["1", "1.5", "é"]),
    ),
    "whole numbers of any length": (
        [(LONG, {"answers": LONG, "references": [2**64]})], {},
        found(problems=[str(LONG)], answers=[[str(LONG)]], references=[[str(2**64)]]),
    ),
    "answers that are no text": (
        of_p("answers", True, 7, 7.5, "", None), {}, found(answers=[["true", "7", "7.5", "", None]]),
    ),
    "a number twice": (
        [("p", {"sample": each, "grades": 1}) for each in (3, 1, 3, "x")], {"errors": "skip"},
        found(numbers=[[3, 1, "x"]], skipped={"collector.repeated": 1}),
    ),
    "numbers of some samples": ([("p", {"sample": 1}), ("p", {})], {}, found(numbers=None)),
    "causes are counted apart": (
        [("p", {}), *of_p("grades", 2, 3), (None, {})], {"errors": "skip"},
        found(skipped={"cells.grade": 2, "cells.problem": 1}),
    ),
    **{f"groups: {groups}": (of_p("group", *groups), {}, found(group=["g"]))
       for groups in ((None, "g"), ("g", None), ("g", "g"), (NOTHING, "g"))},
    "groups of some problems": (
        [("p", {"group": None}), ("q", {"group": True})], {}, found(group=[None, "true"]),
    ),
    "no group": (of_p("group", None), {}, found(group=None)),
    "details that all samples have": (of_p("meta", *METAS), {}, found(meta=[{"level": 1}])),
}  # fmt: skip


@for_rows("samples, options, expected", COLLECTED)
def test_samples_are_collected(samples, options, expected):
    expected.check(collect(*samples, **options))


REPEATED = [("p", {"sample": 1}), ("q", {"sample": 1}), ("p", {"sample": 2}), ("p", {"sample": 1})]

# name: (samples, how they are read, the error)
REFUSED = {
    **{f"a number and a text that are spelled alike: {names}": (
        [(name, {}) for name in names], {}, refused("collector.same_name", place=f"line {len(names)}"),
    ) for names in ((1, "1"), ("1", 1), (1, 1, "1"), ("1", "1", 1))},
    **{f"no name: {name}": ([("p", {}), (name, {})], {}, refused("cells.problem"))
       for name in (None, "", True, nan, inf, [1], {}, NOTHING)},
    **{f"a rounded number: {name}, {values}": ([(name, values)], {}, refused("collector.long_number"))
       for number in (2.0**53, 1e300, -(2.0**60))
       for name, values in ((number, {}), ("p", {"answers": number}), ("p", {"references": number}))},
    "a number twice": (REPEATED, {}, refused(
        "collector.repeated", number="1", name="“p”", first="line 1", place="line 4")),
    "no samples": ([], {}, refused("collector.empty")),
    **{f"two values: {field}": ([("p", {field: "x"}), ("q", {field: "y"}), ("p", {field: "y"})], {}, refused(
        "collector.differs", place="line 3")) for field in ("group", "references")},
}  # fmt: skip


@for_rows("samples, options, expected", REFUSED)
def test_samples_are_refused(samples, options, expected):
    expected.check(lambda: collect(*samples, **options))


def test_nothing_is_left():
    with pytest.raises(InputError) as caught:
        collect(("p", {"grades": 2}), (None, {}), errors="skip")
    assert str(caught.value).startswith(
        "Nothing is left: all 2 rows or samples are broken. The first fault: “A grade"
    )
    assert "got 2 (line 1)" in str(caught.value)


BROKEN = {
    "cells.grade": [{"grades": each} for each in (1.5, -1, inf, LONG, [1])],
    "cells.word": [{"grades": "maybe"}],
    "cells.score": [{"scores": value} for value in (inf, LONG, True, "1")],
    "cells.answer": [{"answers": value} for value in (["a"], {}, nan)],
    "cells.reference": [{"references": value} for value in ([], [None], ["a", {}], {})],
    "cells.group": [{"group": ["x"]}],
    "collector.number": [{"sample": [1]}, {"sample": None}],
}


@for_each("value, code", [(value, code) for code, values in BROKEN.items() for value in values])
def test_a_broken_value_is_refused_or_counted(value, code):
    with pytest.raises(InputError, match=r"\(line 2\)") as caught:
        collect(("p", {}), ("q", value))
    assert caught.value.code == code
    # A problem none of whose samples can be read is left out with them.
    left = found(problems=["p", "r"], skipped={code: 2})
    left.check(collect(("p", {}), ("q", value), ("q", value), ("r", {}), errors="skip"))


@for_each("second, code, said", [
    (("p", [{"grades": 1}]), "collector.same_problem", "“p” is also in problem 1 (problem 2)"),
    (("q", []), "collector.no_samples", "“q” has no samples (problem 2)"),
    (("q", [{"grades": 1}, {"grades": 2}]), "cells.grade", "got 2 (problem 2)"),
    (("q", [{"references": "a"}, {"references": "b"}]), "collector.differs", "“b” differs from “a” (problem 2)"),
])  # fmt: skip
def test_a_problem_with_a_list_of_samples(second, code, said):
    def collect(errors, *problems):
        collector = RowCollector(Reading(errors=errors), unit="problem")
        for row, (problem, samples) in enumerate(problems, 1):
            collector.add(row, problem, samples, group="g")
        return collector.finish(Origin("example"), per_sample=False)

    first = ("p", [{"grades": 1}, {"grades": 0}])
    found([[1, 0]], group=["g"], rows=[[1]]).check(collect("raise", first))
    with pytest.raises(InputError) as caught:
        collect("raise", first, second)
    assert caught.value.code == code
    assert said in str(caught.value)
    found(skipped={code: 1}).check(collect("skip", first, second))


def test_a_broken_problem_is_counted_once():
    collector = RowCollector(Reading(errors="skip"), unit="problem")
    answers = [{"answers": each} for each in ("7", None, 8)]
    for row, (name, references) in enumerate([("p", {}), ("r", "7"), ("r", "7")], 1):
        collector.add(row, name, answers, references=references)
    samples = collector.finish(Origin("example"), per_sample=False)
    assert (samples.problems, samples.answers) == (["r"], [["7", None, "8"]])
    assert sum(samples.origin.skipped.values()) == 2


def test_prompts_with_more_samples_than_others_are_noted():
    def codes(names):
        collector = RowCollector(Reading())
        for row, name in enumerate(names, 1):
            collector.add(row, name, grades=1)
        return [note.code for note in collector.note_shared_prompts()]

    assert codes("aaaabb") == ["collector.shared_prompt"]
    assert codes("aabb") == codes("aaabb") == codes("") == []


ROW = {"id": 1, "own": "b", "verdict": True, "level": "x"}
VALUES = {
    "answers": "a",
    "grades": 0,
    "scores": 1,
    "references": "r",
    "group": "g",
    "meta": {"topic": "t"},
}
NO_VALUES = dict.fromkeys(("answers", "grades", "scores"))
ROLES = {
    "problem": "id",
    "answers": "own",
    "references": None,
    "grades": "verdict",
    "scores": None,
    "group": "level",
}

# name: (the fields of a row, the columns that are asked for, what is collected)
FIELDS = {
    "fields of the row": (
        ROW, {name: field for name, field in ROLES.items() if field},
        found({"1": [1]}, answers=[["b"]], group=["x"], roles=ROLES),
    ),
    "a field of the details": (None, {"group": "topic"}, found(group=["t"])),
    "roles that are left out": (
        ROW, dict.fromkeys(("answers", "scores", "references", "group")),
        found([[0]], answers=None, scores=None, references=None, group=None, meta=[{"topic": "t"}], roles={
            "answers": None}),
    ),
    "all roles of samples are left out": (ROW, NO_VALUES, refused(
        "collector.no_values", roles="answers, grades, scores")),
    "a field numbers the samples": (ROW, {"sample": "id"}, found(numbers=[[1]])),
    "no field numbers them": (ROW | {"sample": 7}, {"sample": None}, found(numbers=None)),
    "a field that is absent": (ROW, {"group": "levle"}, refused(
        "collector.no_field", field="“levle”", fields="“topic”, “id”, “own”, “verdict”, “level”")),
    "no fields": (None, {"answers": "own"}, refused("collector.no_field", fields="none")),
    "a role that is unknown": (ROW, {"level": "x"}, refused("collector.columns")),
    "no problem": (ROW, {"problem": None}, refused("collector.columns")),
}  # fmt: skip


@for_rows("fields, columns, expected", FIELDS)
def test_columns_are_taken_from_fields(fields, columns, expected):
    def collect():
        collector = RowCollector(Reading(columns=columns))
        collector.add(1, "p", **VALUES, sample=3, fields=fields)
        return collector.finish(Origin("example", roles={"problem": "name", "answers": "text"}))

    expected.check(collect if isinstance(expected, refused) else collect())


def test_blank_lines_are_counted():
    rows, _ = read('{"id": 1}\n\n  \r\n{"id": NaN}\r\n')
    assert [number for number, _ in rows] == [1, 4]


LINES = {
    '{"id": 1': "decoding.line",
    '{"other": 1}': "collector.lack",
    '{"other": NaN}': "collector.lack",
    **dict.fromkeys(("[1]", "NaN", "null"), "decoding.not_object"),
}


@for_each("line, code", LINES.items())
def test_a_broken_line_is_refused_or_counted(line, code):
    text = f'{{"id": 1}}\n{line}\n{{"id": 2}}\n{line}'
    with pytest.raises(InputError, match=r"line 2\b") as caught:
        read(text, "id")
    assert caught.value.code == code
    rows, collector = read(text, "id", errors="skip")
    for number, row in rows:
        collector.add(number, row["id"])
    found(rows=[[1], [3]], skipped={code: 2}).check(collector.finish(Origin("example")))


def test_entries_of_a_list():
    collector = RowCollector(Reading(errors="skip"), unit="sample")
    assert list(collector.rows([{"id": 1}, 7, {}, {"id": 2}], ("id",))) == [
        (1, {"id": 1}),
        (4, {"id": 2}),
    ]
    with pytest.raises(InputError, match="sample 1"):
        list(RowCollector(Reading(), unit="sample").rows(["x"]))


MODELS = '{"id": 1, "model": "a"}\n{"id": 2, "model": "b"}\n{"id": 3, "model": "a"}'


@for_each(
    "where, numbers",
    [({"model": "a"}, [1, 3]), ({"model": ["a", "b"]}, [1, 2, 3]), ({"id": [1, 2], "model": "b"}, [2]),
     ({"id": "2"}, [2]), ({"id": 2}, [2])],
)  # fmt: skip
def test_rows_are_kept_by_their_values(where, numbers):
    assert [number for number, _ in read(MODELS, pool="model", where=where)[0]] == numbers


def test_values_that_no_row_has_are_refused():
    for where, code in (({"model": "c"}, "models.no_rows"), ({"modle": "a"}, "standard.no_column")):
        rows, collector = read(MODELS, where=where)
        assert rows == []
        refused(code).check(lambda collector=collector: collector.finish(Origin("example")))
    # A format without rows has no columns.
    refused("standard.no_column").check(lambda: collect(("p", {}), where={"model": "a"}))


def test_rows_of_several_models():
    refused("models.several", column="model", values="“a”, “b”").check(lambda: read(MODELS))
    assert len(read(MODELS, pool="model")[0]) == 3
    assert len(read('{"model": null}\n{"model": null}')[0]) == 2


@for_each("pool, subject, code", [("step", {}, ""), ("task", {"task": "gsm8k"}, ""),
                                  ("modle", {"task": "gsm8k"}, "collector.no_pool")])  # fmt: skip
def test_pool_names_a_column_or_the_subject_of_the_file(pool, subject, code):
    rows, collector = read(MODELS + '\n{"id": 4, "model": "b", "step": 1}', pool=["model", pool])
    for number, row in rows:
        collector.add(number, row["id"], grades=1)
    origin = Origin("example", subject=subject)
    if code:
        refused(code, column="“modle”", names="“task”, “file”").check(
            lambda: collector.finish(origin)
        )
    else:
        assert collector.finish(origin).problems == ["1", "2", "3", "4"]


LATE = [
    {"id": f"p{i // 4}", "ok": i % 2 == 0} | ({} if i < 3 else {"model": "A"}) for i in range(8)
]


@for_each("name", ["model", "Model ID", "checkpoint"])
def test_a_column_of_models_that_begins_late_is_refused(name):
    """A column of models may begin in any row; the rows before it are of no model, which is a value, too."""
    rows = [
        {name if field == "model" else field: value for field, value in row.items()} for row in LATE
    ]
    lines = Source("f", "\n".join(map(json.dumps, rows)).encode())
    for content in (lines, rows):
        refused("models.several", values="null, “A”").check(
            lambda content=content: list(RowCollector(Reading()).rows(content))
        )


@for_each("reading, count", [({"where": {"model": "A"}}, 5), ({"pool": ["model"]}, 8)])
def test_models_that_begin_late_can_be_chosen_or_pooled(reading, count):
    assert len(list(RowCollector(Reading(**reading)).rows(LATE))) == count

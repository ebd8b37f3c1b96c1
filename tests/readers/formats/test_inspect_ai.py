"""Logs of inspect_ai: the numbers that follow from them, and what is missing."""

import json
import math
import random
import re
import tracemalloc
from functools import cache

import pytest
from cases import for_each
from readers.expected import check, read_expected
from readers.formats.logs import FOLDER, load, load_json, make, match, read, write
from readers.reading import found, over, refused
from readers.zips import Member, pack

import at_k
from at_k.readers import read_results, read_samples

EXPECTED = {
    name.removeprefix("inspect-ai/"): entry
    for name, entry in read_expected().items()
    if name.startswith("inspect-ai/")
}
PRINTED = {
    file: each for file, each in load_json(FOLDER / "printed.json").items() if each["scores"]
}


@cache
def read_samples_n(file, scorer):
    """Return the number of samples with a grade, of each problem."""
    return [
        sum(grade is not None for grade in grades)
        for grades in read_samples(FOLDER / file, scorer=scorer).grades
    ]


class TestNumbers:
    @for_each("name", EXPECTED)
    def test_expected_numbers(self, name):
        file, scorer = name.split("::")
        check(FOLDER / file, EXPECTED[name], scorer=scorer)

    @for_each(
        "name",
        [name for name in EXPECTED if PRINTED.get(name.partition("::")[0], {}).get("scores")],
    )
    def test_numbers_that_inspect_printed(self, name):
        """Compare with what the harness computed, where both define the same thing.

        - It leaves out failed and unscored samples of a problem, as "drop" does.
        - "mean" is the mean grade. `pass_at_k` and `pass_k` are those of 0/1 grades, counted from a grade of 1 on, and
          ours from above 0.5. Both are equal for all scorers here but rubric.len.
        - A problem with fewer than k scored samples has no `pass_at_k`, and it takes the mean of the others. We refuse
          such a k. So only numbers that hold for all problems are compared.
        - Its mode, majority, median and max are of grades, and its at_least_k is of all epochs: they are not ours.
        """
        file, scorer = name.split("::")
        report = at_k.score(
            FOLDER / file, scorer=scorer, missing="drop", k=min(read_samples_n(file, scorer))
        )
        compared = 0
        for entry in PRINTED[file]["scores"]:
            own = (
                entry["scorer"]
                if entry["name"] == entry["scorer"]
                else f"{entry['scorer']}.{entry['name']}"
            )
            if own != scorer or entry["unscored"]:
                continue
            reducer = entry["reducer"] or "mean"  # with one epoch, nothing is reduced
            if reducer == "mean":
                # `score --action append` kept the number of the first scoring, in which the failed sample had no score.
                if name == "toy_one_rescored.eval::match":
                    continue
                value = report.values["accuracy"]
            elif (
                found := re.fullmatch(r"(pass_at|pass_k)_(\d)", reducer)
            ) and scorer != "rubric.len":
                k = int(found[2])
                both = at_k.score(FOLDER / file, scorer=scorer, missing="drop", k=k).values
                value = both[f"pass@{k}" if found[1] == "pass_at" else f"G-Pass@{k}_1.0"]
            else:
                continue
            (printed,) = (
                entry["metrics"][key] for key in ("accuracy", "mean") if key in entry["metrics"]
            )
            assert value == pytest.approx(printed, rel=0, abs=1e-12), reducer
            compared += 1
        assert compared or name == "toy_one_rescored.eval::match"

    def test_json_and_eval_are_the_same(self):
        for log in ("toy_numbers", "toy_one"):
            one, other = (
                read_samples(FOLDER / f"{log}.{kind}", scorer="match") for kind in ("eval", "json")
            )
            for role in ("answers", "grades", "references"):
                by_problem = [
                    dict(zip(each.problems, each.listed(role), strict=True))
                    for each in (one, other)
                ]
                assert by_problem[0] == by_problem[1]
            assert one.origin == other.origin


def real(file):
    return (FOLDER / file).read_bytes()


def replace_in_one(**members):
    return write(
        load("toy_one.eval")
        | {name.replace("__", "/") + ".json": own for name, own in members.items()}
    )


LATER = load("toy_one.eval")
for _name, _own in LATER.items():
    if _name.startswith("samples/"):
        _own["epoch"] += 4

# A name may hold "/" and "_epoch_".
NAMES = {
    "samples/q_epoch_2_epoch_1.json": {"id": "q_epoch_2", "epoch": 1, **match("C")},
    "samples/q_epoch_2_epoch_2.json": {"id": "q_epoch_2", "epoch": 2, **match("I")},
    "samples/set/a b_epoch_1.json": {"id": "set/a b", "epoch": 3, **match("C")},
    "samples/10_epoch_1.json": {"id": 10, "epoch": 1, **match("C")},
    "samples/1_epoch_1.json": {"id": "1", "epoch": 1, **match("I")},
    "_journal/start.json": {"eval": {"task": "t"}},
}
# The writer of inspect_ai appends; its readers take the last.
AGAIN = [
    Member("header.json", b'{"status": "success", "eval": {}}'),
    *(
        Member("samples/1.json", json.dumps({"id": "a", "epoch": 1, **match(value)}).encode())
        for value in "IC"
    ),
]
MANY = ("match", "includes", "letter_grade", "rubric.right", "rubric.short", "rubric.len")
ALL = ", ".join(f"“{name}”" for name in MANY)
LLAMA = "Meta-Llama-3-1-405B-Instruct-jqf"


def of_log(file, version, task, model, *notes, **more):
    subject = {"task": task, "model": model}
    return (
        real(file),
        found(harness="inspect_ai", version=version, subject=subject, notes=list(notes), **more),
    )


test_logs = over(
    {
        "a log": of_log("toy_one.eval", "0.3.285", "toy_one", "mockllm/model", chosen={}),
        "a run that was killed": of_log(
            "toy_killed.eval",
            "0.3.285",
            "toy_killed",
            "mockllm/model",
            "inspect_ai.unfinished",
            n_missing=0,
            n=[2] * 6,
        ),
        "a run that failed": of_log(
            "toy_failed.eval", "0.3.285", "toy_failed", "mockllm/model", "inspect_ai.unfinished"
        ),
        "several completions": of_log(
            "toy_num_choices.json",
            "0.3.285",
            "toy_num_choices",
            "mockllm/model",
            "inspect_ai.completions",
            n=[1] * 6,
            told=[{"count": 6}],
        ),
        "an early log": of_log(
            "log_formats.json",
            "0.3.41.dev123+g9ad2119a.d20241015",
            "popularity",
            "ollama/llama3.1",
            grades=[[0]],
        ),
        "a log of the second version": of_log(
            "log_streaming.eval",
            "0.3.42.dev228+g349eca8e.d20241022",
            "popularity",
            f"azureai/{LLAMA}",
            grades={"2": [1, 1], "1": [0, 1]},
            numbers=[[2, 1], [1, 2]],
        ),
        "ids and epochs inside members": (
            write(NAMES),
            found(
                {"q_epoch_2": [1, 0], "set/a b": [1], "10": [1], "1": [0]},
                numbers=[[1, 2], [3], [1], [1]],
            ),
        ),
        "a sample that was run again": (pack(AGAIN), found([[1]], notes=[])),
        "an epoch twice": (
            make(match("C"), {"epoch": 1, **match("C")}),
            refused("collector.repeated", first="sample 1", place="sample 2"),
        ),
        "two logs of other epochs": (
            {"1.eval": real("toy_one.eval"), "2.eval": write(LATER)},
            found(n=[8] * 6),
        ),
        "two logs of the same epochs": (
            {"1.eval": real("toy_one.eval"), "2.eval": real("toy_one.eval")},
            refused("merging.clash"),
            ({"pool": "file"}, found(n=[8] * 6)),
        ),
        "two tasks": (
            {name: real(name) for name in ("toy_failed.eval", "toy_killed.eval")},
            refused("merging.subject"),
        ),
        "another zip file": (pack([Member("word/document.xml", b"<a/>")]), refused("plain.zip")),
        "a zip file with settings": (pack([Member("config.yaml", b"a: 1")]), refused("plain.zip")),
        "another document": (b'{"eval": {}, "date": "x", "id": 1}', refused("plain.unknown")),
        "a run that is going on": (
            make(match("C"), status="started"),
            found([[1]], notes=["inspect_ai.unfinished"]),
        ),
        "a run that was cancelled": (
            make(match("C"), status="cancelled"),
            found([[1]], notes=["inspect_ai.unfinished"]),
        ),
        "all samples failed": (
            make(*[{"scores": None, "error": {"message": "ConnectionError('refused')"}}] * 2),
            refused("inspect_ai.all_failed", count="2", reason="“ConnectionError('refused')”"),
        ),
        "no samples": (write({"header.json": {}}), refused("inspect_ai.no_samples")),
        "a document without samples": (
            b'{"eval": {}, "plan": {}, "status": "success"}',
            refused("inspect_ai.no_samples"),
        ),
    }
)


def test_groups_and_metadata():
    data = read_results(FOLDER / "toy_one.eval", columns={"group": "subject"})
    assert dict(zip(data["problem"][:], data["group"][:], strict=True)) == {
        "10": "misc",
        "1": "arith",
        "err": "misc",
        "none": "arith",
        "set/a b": "arith",
        "δοκιμή-é": "misc",
    }
    assert json.loads(data["meta"][0]) == {"subject": "misc"}
    values = at_k.score(
        FOLDER / "toy_one.eval", columns={"group": "subject"}, missing="drop", k=1
    ).groups
    # inspect's own numbers, of its metric grouped()
    (printed,) = PRINTED["toy_one.eval"]["scores"]
    for group in ("misc", "arith"):
        assert values[group]["accuracy"] == pytest.approx(
            printed["metrics"][group], rel=0, abs=1e-12
        )


def no_grade(value):
    left = found([[1]], skipped={"inspect_ai.grade": 1})
    data = make(match("C"), match(value))
    return (
        data,
        refused("inspect_ai.grade", scorer="“match”", place="sample 2"),
        ({"errors": "skip"}, left),
    )


def out_of_range(value, code):
    left = found([[1]], skipped={code: 2})
    return (
        make(match("C"), *[match(value)] * 2),
        refused(code, place="sample 2"),
        ({"errors": "skip"}, left),
    )


def absent(scores):
    text = {"choices": [{"message": {"content": "7"}}]}
    data = make(match("C", answer="7"), {"scores": scores, "output": text})
    return (data, found([[1, None]], answers=[["7", None]]))


def target(references, **sample):
    return (make(match("C") | sample), found(references=references))


def rubric(value):
    return {"scores": {"rubric": {"value": value}}}


def ordered(chosen, *scorers, **header):
    scores = {"scores": {name: {"value": "C"} for name in ("b", "a", "new")}}
    return (make(scores, scorers=scorers, **header), found(chosen={"scorer": chosen}))


LETTERS = {"choices": ["a", "b", "c"]}
PARTS = [{"type": "reasoning", "reasoning": "well"}, {"type": "text", "text": "7"}]
OUTPUTS = [
    {"output": {"choices": [{"message": {"content": content}}]}} for content in ("7", PARTS, "8")
]
UNSCORED = [*OUTPUTS, OUTPUTS[0] | {"error": {"message": "no"}}, {"output": {"choices": []}}]
RUBRICS = make(*map(rubric, ({"right": "C", "len": 0.5}, math.nan, {"len": 1}, {"right": "P"})))
HEADER = {"results": {"scores": [{"scorer": "new", "name": "new"}, {"scorer": "a", "name": "a"}]}}

test_scores = over(
    {
        "letters": (make(*map(match, "CPIN")), found([[1, 0.5, 0, 0]])),
        "numbers": (make(*map(match, (1, 0.25, True, False))), found([[1, 0.25, 1, 0]])),
        "not judged": (make(*map(match, ("C", math.nan, None))), found([[1, None, None]])),
        **{
            f"no grade: {value}": no_grade(value)
            for value in ("A", "c", "", "right", "1.0", ["C"], {"right": 1})
        },
        **{f"out of range: {value}": out_of_range(value, "cells.grade") for value in (3.0, -1)},
        "infinite": out_of_range(1e400, "cells.grade"),
        **{
            f"absent scores: {scores}": absent(scores)
            for scores in (None, {}, {"other": {"value": "C"}}, {"match": None})
        },
        "answers": (
            make(
                match("C", answer="7"), match("I", answer=""), match("I"), match("I", answer=None)
            ),
            found(answers=[["7", None, None, None]]),
        ),
        "no answers": (make(match("C"), match("I")), found(answers=None, roles={"answers": None})),
        "a text as target": target([["7"]], target="7"),
        "two targets": target([["7", "seven"]], target=["7", "seven"]),
        "a number as target": target([["7"]], target=7),
        "letters that must all be chosen": target([["B, C"]], target=["B", "C"], **LETTERS),
        "one letter": target([["B"]], target="B", **LETTERS),
        "an empty target": target(None, target=""),
        "no targets": target(None, target=[]),
        "no target": target(None, target=None),
        "the order of the header": ordered("a", "a", "b"),
        "the order of the results": ordered("new", "a", "b", **HEADER),
        "no order": ordered("b"),
        "a scorer of later samples alone": (
            make(match("C"), {"scores": {"late": {"value": {"right": 1}}}}),
            found([[1, None]]),
            ({"scorer": "late.right"}, found([[None, 1]])),
        ),
        "several values": (
            RUBRICS,
            found(chosen={"scorer": "rubric.right"}),
            ({"scorer": "rubric.right"}, found([[1, None, None, 0.5]])),
        ),
        "several values and one": (
            make(rubric({"right": "C"}), rubric("C")),
            refused("collector.field", name="“scores.rubric.value”"),
        ),
        "no scores": (
            make(*UNSCORED),
            found(grades=None, answers=[["7", "7", "8", None, None]], notes=["note.texts"]),
            ({"scorer": "match"}, refused("format.no_choice", found="none")),
        ),
        "several scorers": (
            real("toy_numbers.eval"),
            found(chosen={"scorer": "match"}, notes=["collector.choice"]),
            (
                {"scorer": "rubric.right"},
                found(
                    roles={"grades": "scores.rubric.value.right", "answers": "scores.rubric.answer"}
                ),
            ),
            *(
                ({"scorer": wanted}, refused("format.no_choice", found=ALL))
                for wanted in ("rubric", "Match", "rubric.wrong", "right", "")
            ),
        ),
        "one scorer is no choice": (
            real("toy_one.eval"),
            found(),
            ({"scorer": "match"}, found(chosen={}, notes=[])),
        ),
        "a log that was scored again": (
            real("toy_one_rescored.eval"),
            found(notes=["collector.choice"]),
            ({"scorer": "match1"}, found(chosen={"scorer": "match1"})),
        ),
        "half of a character": (
            make(match("C", answer="\N{GRINNING FACE}"), match("C", answer="\ud83d")),
            refused("inspect_ai.member"),
            ({"errors": "skip"}, found(answers=[["\N{GRINNING FACE}"]])),
        ),
        "a number of many digits": (
            replace_in_one(samples__1_epoch_1=b'{"id": 1, "epoch": ' + b"1" * 5_000 + b"}"),
            refused("inspect_ai.member"),
        ),
        "a member that is cut": (
            replace_in_one(samples__10_epoch_2=b'{"id": 10, "epo'),
            refused("inspect_ai.member", name="“samples/10_epoch_2.json”"),
            (
                {"errors": "skip"},
                found(
                    numbers={
                        "10": [1, 3, 4],
                        **{
                            name: [1, 2, 3, 4]
                            for name in ("1", "err", "none", "set/a b", "δοκιμή-é")
                        },
                    },
                    skipped={"inspect_ai.member": 1},
                ),
            ),
        ),
        "a member that is null": (
            replace_in_one(samples__10_epoch_2=None),
            refused("collector.field", name="“samples”", value="null"),
        ),
        "deep JSON": (write({"samples/1.json": b"[" * 100_000}), refused("inspect_ai.member")),
        "deep JSON in a header": (
            write({"header.json": b"[" * 100_000, "samples/1.json": {}}),
            refused("inspect_ai.member"),
        ),
        "deep objects in a header": (
            write(
                {"header.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "samples/1.json": {}}
            ),
            refused("inspect_ai.member"),
        ),
        "a bomb is not left out": (
            pack([Member("samples/1.json", packed=b"\0", size=1 << 31)]),
            refused("sources.bomb"),
            ({"errors": "skip"}, refused("sources.bomb")),
        ),
    }
)


def of_problem(file, problem, **reading):
    samples = read_samples(FOLDER / file, **reading)
    place = samples.problems.index(problem)
    return samples.grades[place], samples.answers[place]


def test_samples_of_real_logs():
    assert of_problem("toy_one_edited.eval", "1") == ([1, 1, 0, 0], ["2", "3", "3", "3"])
    assert of_problem("toy_one_edited.eval", "10")[0] == [
        1,
        1,
        0,
        1,
    ]  # the third one is invalid, and counts
    assert of_problem("toy_failed.eval", "err")[0] == [1, None]
    assert of_problem("toy_failed.eval", "none")[0] == [0, None]  # it has a text, and was cancelled
    # The sample that failed was scored again by the scorer that had a score for none of its samples.
    grades = {"match": [1, 0, 1, 0], "match1": [1, None, 1, 0], "includes": [1, 0, 1, 0]}
    rescored = {name: of_problem("toy_one_rescored.eval", "err", scorer=name)[0] for name in grades}
    assert rescored == grades
    assert all(
        "scorer:match" in re.sub("[ =]", ":", own)
        for own in at_k.score(FOLDER / "toy_numbers.eval", missing="drop").signatures.values()
    )


def test_a_vote_is_of_answers_that_are_there():
    # Without answers there is no vote, in which nobody would win; with empty ones nobody does.
    report = at_k.score(
        read(make(match("C"), match("C"), match("I"))).columns(), k=3, metrics=["cons@k"]
    )
    assert report.values["cons@3"] == 1
    report = at_k.score(read(make(*[match("I", answer="")] * 2)).columns(), k=2)
    assert report.values["cons@2"] == 0


def test_all_letters_of_a_multiple_choice_must_be_chosen():
    # The expected answer is written as the scorer writes the answer: compared, they give the grades of the log.
    options = {"columns": {"grades": None}, "missing": "incorrect", "k": [1, 2]}
    report = at_k.score(FOLDER / "toy_choice.eval", **options)
    assert dict(zip(report.problems, report.c, strict=True)) == {"c1": 3, "c2": 2, "c3": 2, "c4": 0}


def test_memory_does_not_grow_with_texts(tmp_path):
    rng = random.Random(0)
    samples = [
        match(1) | {"output": {"choices": [{"message": {"content": rng.randbytes(100_000).hex()}}]}}
    ] * 40
    peaks = []
    for count in (5, 5, 40):  # the first time, modules are imported
        path = tmp_path / f"{count}.eval"
        path.write_bytes(make(*samples[:count]))
        tracemalloc.start()
        try:
            assert read_samples(path).grades == [[1] * count]
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[2] - peaks[1] < 200_000  # a text is as long; 35 of them are 7,000,000

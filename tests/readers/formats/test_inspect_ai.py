"""Logs of inspect_ai: the numbers that follow from them, what is missing, and broken logs."""

import copy
import json
import math
import random
import re
import tracemalloc
from functools import cache
from itertools import product

import pytest
from cases import for_each
from readers.expected import HARNESS, check, read_expected
from readers.zips import DEFLATED, STORED, ZSTANDARD, Member, pack

import at_k
from at_k.errors import InputError
from at_k.readers import read_bytes, read_results, read_samples
from at_k.readers.archives import Archive
from at_k.readers.format import Reading
from at_k.readers.sources import Source

FOLDER = HARNESS / "inspect-ai"


@cache
def load_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


EXPECTED = {
    name.removeprefix("inspect-ai/"): entry for name, entry in read_expected().items() if name.startswith("inspect-ai/")
}
PRINTED = {file: each for file, each in load_json(FOLDER / "printed.json").items() if each["scores"]}


def load(name):
    """Return the members of a log: name → JSON value. This is what tests change and write again."""
    with Archive(Source(name, FOLDER / name)) as archive:
        return {member: json.loads(archive.read(member)) for member in archive}


def write(members, method=ZSTANDARD):
    """Write a log. A member may be given as bytes."""
    return pack(
        [
            Member(name, value if isinstance(value, bytes) else json.dumps(value).encode(), method)
            for name, value in members.items()
        ]
    )


def read(data, **reading):
    return read_bytes("a log", data, Reading(**reading))


def refuse(data, **reading):
    with pytest.raises(InputError) as caught:
        read(data, **reading)
    return caught.value


def make(*samples, scorers=("match",), status="success", **header):
    """Make a log out of samples, each given by what it has besides an id and an epoch."""
    whole = [{"id": "a", "epoch": row, "target": "7", **sample} for row, sample in enumerate(samples, 1)]
    listed = [{"name": scorer} for scorer in scorers]
    start = {"version": 2, "status": status, "eval": {"task": "t", "model": "m", "scorers": listed}, **header}
    return write({"header.json": start} | {f"samples/{row}.json": sample for row, sample in enumerate(whole)})


def match(value, **more):
    """Make a sample with one score."""
    return {"scores": {"match": {"value": value, **more}}}


def codes(samples):
    return [note.code for note in samples.origin.notes]


class TestNumbers:
    @for_each("name", EXPECTED)
    def test_expected_numbers(self, name):
        file, scorer = name.split("::")
        check(FOLDER / file, EXPECTED[name], scorer=scorer)

    @for_each("name", [name for name in EXPECTED if PRINTED.get(name.partition("::")[0], {}).get("scores")])
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
        report = at_k.score(FOLDER / file, scorer=scorer, missing="drop", k=min(read_samples_n(file, scorer)))
        compared = 0
        for entry in PRINTED[file]["scores"]:
            own = entry["scorer"] if entry["name"] == entry["scorer"] else f"{entry['scorer']}.{entry['name']}"
            if own != scorer or entry["unscored"]:
                continue
            reducer = entry["reducer"] or "mean"  # with one epoch, nothing is reduced
            if reducer == "mean":
                # `score --action append` kept the number of the first scoring, in which the failed sample had no score.
                if name == "toy_one_rescored.eval::match":
                    continue
                value = report.values["accuracy"]
            elif (found := re.fullmatch(r"(pass_at|pass_k)_(\d)", reducer)) and scorer != "rubric.len":
                k = int(found[2])
                both = at_k.score(FOLDER / file, scorer=scorer, missing="drop", k=k).values
                value = both[f"pass@{k}" if found[1] == "pass_at" else f"G-Pass@{k}_1.0"]
            else:
                continue
            (printed,) = (entry["metrics"][key] for key in ("accuracy", "mean") if key in entry["metrics"])
            assert value == pytest.approx(printed, rel=0, abs=1e-12), reducer
            compared += 1
        assert compared or name == "toy_one_rescored.eval::match"

    def test_json_and_eval_are_the_same(self):
        for log in ("toy_numbers", "toy_one"):
            one, other = (read_samples(FOLDER / f"{log}.{kind}", scorer="match") for kind in ("eval", "json"))
            for role in ("answers", "grades", "references"):
                by_problem = [dict(zip(each.problems, each.listed(role), strict=True)) for each in (one, other)]
                assert by_problem[0] == by_problem[1]
            assert one.origin == other.origin


@cache
def read_samples_n(file, scorer):
    """Return the number of samples with a grade, of each problem."""
    return [sum(grade is not None for grade in grades) for grades in read_samples(FOLDER / file, scorer=scorer).grades]


class TestLogs:
    @for_each("file, version, task, model", [
            ("toy_numbers.eval", "0.3.285", "toy_numbers", "mockllm/model"),
            ("toy_killed.eval", "0.3.285", "toy_killed", "mockllm/model"),
            ("log_streaming.eval", "0.3.42.dev228+g349eca8e.d20241022", "popularity",
             "azureai/Meta-Llama-3-1-405B-Instruct-jqf"),
            ("log_formats.json", "0.3.41.dev123+g9ad2119a.d20241015", "popularity", "ollama/llama3.1"),
        ])  # fmt: skip
    def test_what_a_log_is_of(self, file, version, task, model):
        origin = read_samples(FOLDER / file).origin
        assert (origin.harness, origin.version) == ("inspect_ai", version)
        assert origin.subject == {"task": task, "model": model}

    def test_logs_of_the_second_version(self):
        samples = read_samples(FOLDER / "log_streaming.eval")
        assert samples.problems == ["2", "1"]
        assert samples.grades == [[1, 1], [0, 1]]
        assert samples.numbers == [[2, 1], [1, 2]]
        assert read_samples(FOLDER / "log_formats.json").grades == [[0]]

    @for_each("method", [STORED, DEFLATED, ZSTANDARD])
    def test_compression(self, method):
        log = load("toy_one.eval")
        assert read(write(log, method)).grades == read_samples(FOLDER / "toy_one.eval").grades

    def test_a_log_is_found_by_its_content(self, tmp_path):
        path = tmp_path / "results.bin"
        for file in ("toy_killed.eval", "toy_num_choices.json", "log_formats.json"):
            path.write_bytes((FOLDER / file).read_bytes())
            assert read_samples(path).origin.harness == "inspect_ai"

    def test_other_files_are_not_taken_for_logs(self):
        for data in (pack([Member("word/document.xml", b"<a/>")]), b'{"eval": {}, "date": "x", "id": 1}'):
            with pytest.raises(InputError) as caught:
                read(data)
            assert not caught.value.code.startswith("inspect_ai.")

    def test_id_and_epoch_come_from_inside(self):
        # A name may hold "/" and "_epoch_".
        log = {
            "samples/q_epoch_2_epoch_1.json": {"id": "q_epoch_2", "epoch": 1, **match("C")},
            "samples/q_epoch_2_epoch_2.json": {"id": "q_epoch_2", "epoch": 2, **match("I")},
            "samples/set/a b_epoch_1.json": {"id": "set/a b", "epoch": 3, **match("C")},
            "samples/10_epoch_1.json": {"id": 10, "epoch": 1, **match("C")},
            "samples/1_epoch_1.json": {"id": "1", "epoch": 1, **match("I")},
            "_journal/start.json": {"eval": {"task": "t"}},
        }
        samples = read(write(log))
        assert samples.problems == ["q_epoch_2", "set/a b", "10", "1"]
        assert samples.grades == [[1, 0], [1], [1], [0]]
        assert samples.numbers == [[1, 2], [3], [1], [1]]

    def test_two_members_of_one_name_are_a_sample_that_was_run_again(self):
        # The writer of inspect_ai appends; its readers take the last.
        members = [
            Member("header.json", b'{"status": "success", "eval": {}}'),
            *(
                Member("samples/a_epoch_1.json", json.dumps({"id": "a", "epoch": 1, **match(value)}).encode())
                for value in "IC"
            ),
        ]
        samples = read(pack(members))
        assert samples.grades == [[1]]
        assert codes(samples) == ["inspect_ai.replaced"]

    def test_the_same_epoch_twice(self):
        error = refuse(make(match("C"), {"epoch": 1, **match("C")}))
        assert error.code == "collector.repeated"
        assert "sample 1 and sample 2" in str(error)

    def test_several_logs(self, tmp_path):
        one, two = tmp_path / "1.eval", tmp_path / "2.eval"
        log = load("toy_one.eval")
        one.write_bytes(write(log))
        for sample in (value for name, value in log.items() if name.startswith("samples/")):
            sample["epoch"] += 4
        two.write_bytes(write(log))
        assert {len(grades) for grades in read_samples([one, two]).grades} == {8}
        with pytest.raises(InputError) as caught:
            read_samples([FOLDER / "toy_failed.eval", FOLDER / "toy_killed.eval"])
        assert caught.value.code == "merging.subject"
        assert "not of the same task" in str(caught.value)
        with pytest.raises(InputError) as caught:
            read_samples([one, FOLDER / "toy_one.eval"])
        assert caught.value.code == "merging.clash"
        pooled = read_samples([one, FOLDER / "toy_one.eval"], pool="file")
        assert {len(grades) for grades in pooled.grades} == {8}

    def test_groups(self):
        data = read_results(FOLDER / "toy_one.eval", columns={"group": "subject"})
        assert dict(zip(data["problem"][:], data["group"][:], strict=True)) == {
            "10": "misc", "1": "arith", "err": "misc", "none": "arith", "set/a b": "arith", "δοκιμή-é": "misc",
        }  # fmt: skip
        values = at_k.score(FOLDER / "toy_one.eval", columns={"group": "subject"}, missing="drop", k=1).groups
        # inspect's own numbers, of its metric grouped()
        (printed,) = PRINTED["toy_one.eval"]["scores"]
        for group in ("misc", "arith"):
            assert values[group]["accuracy"] == pytest.approx(printed["metrics"][group], rel=0, abs=1e-12)

    def test_metadata(self):
        meta = read_results(FOLDER / "toy_one.eval")["meta"][0]
        assert json.loads(meta) == {"outs": ["The answer is 42", "42", "41", "It is 42"], "subject": "misc"}


class TestScores:
    @for_each("value, grade", [("C", 1), ("P", 0.5), ("I", 0), ("N", 0), (1, 1), (0.25, 0.25), (True, 1), (False, 0),
                               (math.nan, None), (None, None)])  # fmt: skip
    def test_values(self, value, grade):
        assert read(make(match("C"), match(value))).grades == [[1, grade]]

    @for_each("value", ["A", "c", "", "the answer is right", "1.0", ["C"], {"right": 1}])
    def test_values_that_are_no_grades(self, value):
        data = make(match("C"), match(value))
        error = refuse(data)
        assert error.code == "inspect_ai.grade"
        assert str(error).startswith("The value of scorer “match” must be C, P, I, N, or a number from 0 to 1; got ")
        assert str(error).endswith("(sample 2). Give the name of another scorer.")
        samples = read(data, errors="skip")
        assert samples.grades == [[1]]
        assert [*samples.origin.skipped.values()] == [1]

    @for_each("value", [3.0, -1, 1e400])
    def test_values_out_of_range(self, value):
        data = make(match("C"), match(value), match(value))
        error = refuse(data)
        assert error.code == "cells.grade"
        assert "(sample 2)" in str(error)
        samples = read(data, errors="skip")
        assert samples.grades == [[1]]
        assert [*samples.origin.skipped.values()] == [2]

    def test_edited_scores(self):
        samples = read_samples(FOLDER / "toy_one_edited.eval")
        assert samples.grades[samples.problems.index("1")] == [1, 1, 0, 0]
        assert samples.answers[samples.problems.index("1")] == ["2", "3", "3", "3"]
        assert codes(samples) == ["inspect_ai.edited", "inspect_ai.invalidated"]
        assert [note.values for note in samples.origin.notes] == [{"count": 1}, {"count": 1}]

    def test_samples_that_were_marked_as_invalid_count(self):
        samples = read_samples(FOLDER / "toy_one_edited.eval")
        assert samples.grades[samples.problems.index("10")] == [1, 1, 0, 1]  # the third one is invalid

    def test_rescored_logs(self):
        grades = {}
        for scorer in ("match", "match1", "includes"):
            samples = read_samples(FOLDER / "toy_one_rescored.eval", scorer=scorer)
            assert samples.origin.chosen == {"scorer": scorer}
            grades[scorer] = samples.grades[samples.problems.index("err")]
        # The sample that failed was scored again by the scorer that had a score for none of its samples.
        assert grades == {"match": [1, 0, 1, 0], "match1": [1, None, 1, 0], "includes": [1, 0, 1, 0]}

    def test_a_score_counts_where_the_sample_failed(self):
        samples = read_samples(FOLDER / "toy_one_rescored.eval")
        assert [note.values["count"] for note in samples.origin.notes if note.code == "inspect_ai.errors"] == [1]

    def test_samples_without_a_score_are_missing(self):
        samples = read_samples(FOLDER / "toy_failed.eval")
        grades = dict(zip(samples.problems, samples.grades, strict=True))
        assert grades["err"] == [1, None]
        assert grades["none"] == [0, None]  # it has a text, and was cancelled
        assert samples.n_missing == 2

    @for_each("scores", [None, {}, {"other": {"value": "C"}}, {"match": None}])
    def test_absent_scores(self, scores):
        text = {"choices": [{"message": {"content": "7"}}]}
        samples = read(make(match("C", answer="7"), {"scores": scores, "output": text}))
        assert (samples.grades, samples.answers) == ([[1, None]], [["7", None]])

    def test_answers(self):
        samples = read(make(match("C", answer="7"), match("I", answer=""), match("I"), match("I", answer=None)))
        assert samples.answers == [["7", None, None, None]]

    def test_a_scorer_that_gives_no_answers(self):
        # Then there is no vote, in which nobody would win.
        data = make(match("C"), match("C"), match("I"))
        samples = read(data)
        assert samples.answers is None
        assert samples.roles["answers"] is None
        report = at_k.score(samples.columns(), k=3)
        assert report.values["cons@3"] == 1

    def test_an_answer_that_is_empty_is_none(self):
        report = at_k.score(read(make(match("I", answer=""), match("I", answer=""))).columns(), k=2)
        assert report.values["cons@2"] == 0

    @for_each(
        "sample, references",
        [
            ({"target": "7"}, ["7"]),
            ({"target": ["7", "seven"]}, ["7", "seven"]),
            ({"target": 7}, ["7"]),
            ({"target": ["B", "C"], "choices": ["a", "b", "c"]}, ["B, C"]),
            ({"target": "B", "choices": ["a", "b", "c"]}, ["B"]),
        ],
    )
    def test_targets(self, sample, references):
        assert read(make(match("C") | sample)).references == [references]

    @for_each("target", ["", [], None])
    def test_empty_targets(self, target):
        assert read(make(match("C") | {"target": target})).references is None

    def test_all_letters_of_a_multiple_choice_must_be_chosen(self):
        # The expected answer is written as the scorer writes the answer: compared, they give the grades of the log.
        options = {"columns": {"grades": None}, "missing": "incorrect", "k": [1, 2]}
        report = at_k.score(FOLDER / "toy_choice.eval", **options)
        assert dict(zip(report.problems, report.c, strict=True)) == {"c1": 3, "c2": 2, "c3": 2, "c4": 0}

    def test_several_completions(self):
        samples = read_samples(FOLDER / "toy_num_choices.json")
        assert {len(grades) for grades in samples.grades} == {1}
        assert codes(samples) == ["inspect_ai.completions"]
        assert samples.origin.notes[0].values == {"count": 6}


class TestScorers:
    NAMES = ("match", "includes", "letter_grade", "rubric.right", "rubric.short", "rubric.len")

    def test_the_first_one_is_the_default_and_a_note_says_so(self):
        samples = read_samples(FOLDER / "toy_numbers.eval")
        assert samples.origin.chosen == {"scorer": "match"}
        (note,) = samples.origin.notes
        assert str(note) == (
            "There are several scorers: “match”, “includes”, “letter_grade”, “rubric.right”, “rubric.short”, "
            "“rubric.len”. The grades are those of “match”; `scorer` chooses another one."
        )
        report = at_k.score(FOLDER / "toy_numbers.eval", missing="drop")
        assert any("“letter_grade”" in str(note) for note in report.notes)
        assert all("scorer:match" in re.sub("[ =]", ":", signature) for signature in report.signatures.values())

    def test_one_scorer_is_no_choice(self):
        samples = read_samples(FOLDER / "toy_one.eval", scorer="match")
        assert samples.origin.chosen == {}
        assert samples.origin.notes == []

    def test_a_name_that_is_none(self):
        for wanted in ("rubric", "Match", "rubric.wrong", "right", ""):
            with pytest.raises(InputError) as caught:
                read_samples(FOLDER / "toy_numbers.eval", scorer=wanted)
            assert caught.value.code == "format.no_choice"
            assert all(f"“{name}”" in str(caught.value) for name in self.NAMES)

    def test_the_order_of_the_header(self):
        scores = {"scores": {name: {"value": "C"} for name in ("b", "a", "new")}}
        assert read(make(scores, scorers=("a", "b"))).origin.chosen == {"scorer": "a"}
        listed = {"results": {"scores": [{"scorer": "new", "name": "new"}, {"scorer": "a", "name": "a"}]}}
        assert read(make(scores, scorers=("a", "b"), **listed)).origin.chosen == {"scorer": "new"}
        assert read(make(scores, scorers=())).origin.chosen == {"scorer": "b"}

    def test_where_the_value_came_from(self):
        roles = read_samples(FOLDER / "toy_numbers.eval", scorer="rubric.right").roles
        assert roles["grades"] == "scores.rubric.value.right"
        assert roles["answers"] == "scores.rubric.answer"

    def test_a_scorer_of_later_samples_alone(self):
        late = {"scores": {"late": {"value": {"right": 1}}}}
        assert read(make(match("C"), late), scorer="late.right").grades == [[None, 1]]

    def test_dict_values(self):
        def rubric(value):
            return {"scores": {"rubric": {"value": value}}}

        data = make(rubric({"right": "C", "len": 0.5}), rubric(math.nan), rubric({"len": 1}), rubric({"right": "P"}))
        assert read(data).origin.chosen == {"scorer": "rubric.right"}
        assert read(data, scorer="rubric.right").grades == [[1, None, None, 0.5]]
        error = refuse(make(rubric({"right": "C"}), rubric("C")))
        assert error.code == "inspect_ai.score"

    def test_a_log_without_scores(self):
        parts = [{"type": "reasoning", "reasoning": "well"}, {"type": "text", "text": "7"}]
        outputs = [{"choices": [{"message": {"content": content}}]} for content in ("7", parts, "8")]
        failed = {"output": outputs[0], "error": {"message": "no"}}
        data = make(*({"output": output} for output in outputs), failed, {"output": {"choices": []}})
        samples = read(data)
        assert samples.answers == [["7", "7", "8", None, None]]
        assert samples.grades is None
        assert codes(samples) == ["inspect_ai.texts"]
        assert refuse(data, scorer="match").code == "inspect_ai.no_scores"


class TestRuns:
    def test_a_run_that_was_killed(self):
        samples = read_samples(FOLDER / "toy_killed.eval")
        assert codes(samples) == ["inspect_ai.started"]
        assert samples.n_missing == 0
        assert {len(grades) for grades in samples.grades} == {2}

    def test_a_run_that_failed(self):
        samples = read_samples(FOLDER / "toy_failed.eval")
        assert codes(samples) == ["inspect_ai.failed"]
        assert "RuntimeError('tool crashed on sample" in str(samples.origin.notes[0])

    @for_each("status, code", [("started", "inspect_ai.started"), ("cancelled", "inspect_ai.cancelled")])
    def test_other_ends(self, status, code):
        assert codes(read(make(match("C"), status=status))) == [code]

    def test_a_log_all_of_whose_samples_failed(self):
        failed = {"scores": None, "error": {"message": "ConnectionError('refused')"}}
        said = refuse(make(failed, {"epoch": 2, **failed}))
        assert said.code == "inspect_ai.all_failed"
        assert "All 2 samples of this log failed" in str(said)
        assert "ConnectionError" in str(said)

    def test_a_log_without_samples(self):
        for data in (write({"header.json": {}}), b'{"eval": {}, "plan": {}, "status": "success"}'):
            assert refuse(data).code == "inspect_ai.no_samples"


def test_memory_does_not_grow_with_texts(tmp_path):
    rng = random.Random(0)
    samples = [match(1) | {"output": {"choices": [{"message": {"content": rng.randbytes(100_000).hex()}}]}}] * 40
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


class TestBroken:
    def test_half_of_a_character(self):
        data = make(match("C", answer="\N{GRINNING FACE}"), match("C", answer="\ud83d"))
        assert "half of a character" in str(refuse(data))
        assert read(data, errors="skip").answers == [["\N{GRINNING FACE}"]]

    def test_a_number_of_many_digits(self):
        log = load("toy_one.eval")
        log["samples/1_epoch_1.json"] = b'{"id": 1, "epoch": ' + b"1" * 5_000 + b"}"
        assert "too many digits" in str(refuse(write(log)))

    def test_deep_json_in_a_member(self):
        deep = b"[" * 100_000
        for data in (
            write({"samples/1.json": deep}),
            write({"header.json": deep, "samples/1.json": {}}),
            write({"header.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "samples/1.json": {}}),
        ):
            error = refuse(data)
            assert error.code == "inspect_ai.member"
            assert "nested too deeply" in str(error)

    def test_a_broken_member_is_named_and_can_be_left_out(self):
        log = load("toy_one.eval")
        log["samples/10_epoch_2.json"] = b'{"id": 10, "epo'
        error = refuse(write(log))
        assert str(error).startswith("Member “samples/10_epoch_2.json” of this log cannot be read (")
        samples = read(write(log), errors="skip")
        assert samples.numbers[samples.problems.index("10")] == [1, 3, 4]
        assert [*samples.origin.skipped.values()] == [1]

    def test_a_bomb_is_not_left_out(self):
        member = Member("samples/1.json", packed=b"\0", size=1 << 31)
        assert refuse(pack([member]), errors="skip").code == "sources.bomb"

    @for_each("file, seed", list(product(["toy_one.eval", "toy_one.json", "log_streaming.eval"], range(10))))
    def test_cut_off(self, tmp_path, file, seed):
        whole = (FOLDER / file).read_bytes()
        path = tmp_path / file
        path.write_bytes(whole[: random.Random(seed).randrange(len(whole) - 1)])
        for errors in ("raise", "skip"):
            with pytest.raises(InputError) as caught:
                read_samples(path, errors=errors)
            assert str(caught.value).startswith(str(path))

    @for_each("seed", range(10))
    def test_members_that_are_absent(self, seed):
        log = load("toy_one.eval")
        for name in random.Random(seed).sample(sorted(log), 8):
            del log[name]
        assert_right(read(write(log)), log)

    @for_each("seed", range(10))
    def test_members_that_changed_places(self, seed):
        log = load("toy_one.eval")
        one, other = random.Random(seed).sample(sorted(name for name in log if name.startswith("samples/")), 2)
        log[one], log[other] = log[other], log[one]
        assert_right(read(write(log)), log)

    @for_each("path", ["id", "epoch", "target", "scores", "metadata", "error", "output", "choices", "scores.match",
                       "scores.match.value", "scores.match.answer", "scores.match.history"])  # fmt: skip
    def test_fields_that_are_absent_or_of_another_type(self, path):
        log = load("toy_one.eval")
        name = "samples/1_epoch_2.json"
        *outer, field = path.split(".")
        for value in ABSENT, *OTHERS:
            place = changed = copy.deepcopy(log[name])
            for each in outer:
                place = place[each]
            change(place, field, value)
            assert_right_or_refused(log, name, changed, field)

    @pytest.mark.parametrize("file", ["toy_one.eval", "toy_one.json", "toy_failed.eval"])
    @for_each("path", ["", "eval", "eval.scorers", "eval.task", "eval.model", "eval.packages", "status", "results",
                       "results.scores", "version", "error"])  # fmt: skip
    def test_headers_of_another_type(self, path, file):
        kind = file.rpartition(".")[2]
        log = load(file) if kind == "eval" else {"header.json": load_json(FOLDER / file)}
        *folders, last = ["header.json", *filter(None, path.split("."))]
        for value in ABSENT, *OTHERS:
            place = broken = log | {"header.json": copy.deepcopy(log["header.json"])}
            for folder in folders:
                place = place.get(folder) or {}
            change(place, last, value)
            if kind == "eval":
                assert_right(read(write(broken, STORED)), log)
                continue
            try:
                samples = read(json.dumps(broken.get("header.json")).encode())
            except InputError:
                continue
            assert_right(samples, {f"samples/{row}": each for row, each in enumerate(log["header.json"]["samples"])})


ABSENT = object()
OTHERS = [
    None,
    True,
    0,
    3.5,
    math.nan,
    "",
    "text",
    [],
    [1],
    ["a", None],
    {},
    {"a": {"value": [1]}},
    10**400,
    [[[]]],
    -1,
]


def change(place, field, value):
    """Remove a field, or give it another value."""
    if value is ABSENT:
        place.pop(field, None)
    else:
        place[field] = value


def assert_right(samples, log, *, besides=()):
    """Compare the grade and the answer of every sample with the log as it was."""
    grades = {"C": 1, "I": 0}
    wanted = {}
    for name, sample in log.items():
        if name.startswith("samples/"):
            score = sample["scores"].get("match", {})
            wanted[str(sample["id"]), sample["epoch"]] = grades.get(score.get("value")), score.get("answer") or None
    found = {}
    columns = samples.problems, samples.numbers, samples.grades, samples.answers
    for problem, *rest in zip(*columns, strict=True):
        for number, grade, answer in zip(*rest, strict=True):
            found[problem, number] = grade, answer
    assert {key: each for key, each in found.items() if key not in besides} == {
        key: each for key, each in wanted.items() if key not in besides
    }


def assert_right_or_refused(log, name, member, field):
    """Read a log with another member, in which a field changed: it is refused, or every other sample is as it was."""
    changed = str(log[name]["id"]), log[name]["epoch"]
    data = write(log | {name: member}, STORED)
    try:
        samples = read(data)
    except InputError as error:
        assert error.code.startswith(("inspect_ai.", "collector.", "cells.")), error  # noqa: PT017 - or it is right
        samples = read(data, errors="skip")
    found = {
        (problem, number) for problem, own in zip(samples.problems, samples.numbers, strict=True) for number in own
    }
    known = {(str(each["id"]), each["epoch"]) for member, each in log.items() if member.startswith("samples/")}
    renamed = found - known
    assert len(renamed) <= (field in ("id", "epoch"))
    assert_right(samples, log, besides={changed, *renamed})

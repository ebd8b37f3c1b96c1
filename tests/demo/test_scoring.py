"""Every number of a data set, by enumeration and by the modules as a user calls them; refusals and metrics left out."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace as replace_fields
from functools import cache
from itertools import pairwise

import pyarrow as pa
import pytest
from demo.data_sets import (
    BOTH,
    FULL,
    GRADED,
    KINDS,
    KNOWN,
    SCORES,
    SILENT,
    by_hand,
    kind,
    means,
    samples,
    with_columns,
    without,
)
from hypothesis import given, strategies as st
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, PASS_AT_K

from at_k.demo import examples, scoring
from at_k.demo.given import Given
from at_k.demo.scoring import Options, interrupt_after, numbers, parse_k, parse_taus, score
from at_k.demo.words import LANGUAGES, translate
from at_k.errors import InputError
from at_k.family import METRICS
from at_k.readers import read_bytes
from at_k.readers.faults import describe_place
from at_k.readers.format import Reading
from at_k.readers.samples import list_types

every_kind = pytest.mark.parametrize("name", KINDS)
ONLY_VOTE = {"metrics": ("cons_at_k",)}

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")


def close(values):
    """Exact values, of which each float is a rounding or a sum of a few."""
    return {key: pytest.approx(float(value), rel=1e-12, abs=1e-15) for key, value in values.items()}


def codes(messages):
    return [message.code for message in messages]


def refused(call, reason, *said):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == reason
    for language in LANGUAGES:
        for text in said:
            assert str(text) in translate(caught.value, language)
    return caught.value


def replace(samples, **columns):
    """The samples with other columns; None for none."""
    listed = {"problem": columns.pop("problems", samples.problems)}
    listed |= {role: columns.get(role, samples.listed(role)) for role in ("answers", "references", "grades", "group")}
    rows = [[1] for _ in listed["problem"]]
    types = list_types()
    found = {role: pa.array(values, types[role]) for role, values in listed.items() if values is not None}
    return replace_fields(samples, table=pa.table(found), rows=rows)


class TestNumbers:
    @every_kind
    def test_by_hand(self, name):
        rows, given_samples, options = kind(name)
        scored = score(given_samples, options)
        exact = by_hand(rows, options)
        assert scored.values == close(means(exact))
        assert list(scored.values) == [key for keys in scored.metrics.values() for key in keys]
        for key, values in exact.items():
            assert scored.by_problem[key] == pytest.approx(list(map(float, values)), rel=1e-12, abs=1e-15)
        assert scored.problems == [str(row["id"]) for row in rows]
        if options.groups and "level" in rows[0]:
            for label, values in scored.groups.items():
                own = [row["level"] == label for row in rows]
                members = {
                    key: [value for value, mine in zip(column, own, strict=True) if mine]
                    for key, column in exact.items()
                }
                assert values == close(means(members))
                assert scored.sizes[label] == sum(own)
            assert sum(scored.sizes.values()) == len(rows)
        else:
            assert scored.groups == scored.sizes == {}

    @every_kind
    def test_curves_hold_the_table(self, name):
        _, given_samples, options = kind(name)
        scored = score(given_samples, options)
        smallest = min(scored.n)
        assert scored.curves.k == tuple(range(1, smallest + 1))
        found = {key: value for k in scored.curves.k for key, value in scored.curves.at(k).items()}
        for key, value in scored.values.items():
            if key != "accuracy" and not key.startswith(("max@", "avg@")):
                assert found[key] == value
        if "avg_at_n" in options.metrics:
            assert set(scored.curves.lines["avg@n"]) == {scored.values[next(iter(scored.metrics["avg_at_n"]))]}
        assert not any(key.startswith(("max", "accuracy")) for key in scored.curves.lines)

    @every_kind
    def test_everything_can_be_written(self, name):
        _, given_samples, options = kind(name)
        scored = score(given_samples, options)
        json.dumps([scored.values, scored.groups, scored.by_problem, scored.k], allow_nan=False)
        assert set(map(type, scored.values.values())) == {float}
        assert set(scored.metrics) == set(scored.signatures)
        assert set(scored.metrics) | set(scored.left_out) == set(options.metrics)


class TestExamples:
    def test_qwen(self):
        rows = list(map(json.loads, examples.read_example("qwen25_math").splitlines()))
        scored = score(samples(rows), Options(metrics=KNOWN))
        k, problems = [1, 2, 4, 8], list(map(str, range(len(rows))))
        grades, levels = {"predictions": [row["correct"] for row in rows]}, {"groups": [row["level"] for row in rows]}
        verdicts = {
            (answer, problem): grade
            for row, problem in zip(rows, problems, strict=True)
            for answer, grade in zip(row["answers"], row["correct"], strict=True)
        }
        computed = (
            GPASSK.load("graded").compute(**grades, **levels, k=[4, 8], thresholds=[0.25, 0.5, 0.75, 1.0])
            | PASS_AT_K.load("graded").compute(**grades, **levels, k=k)
            | CONS_AT_K.load().compute(
                predictions=[row["answers"] for row in rows],
                references=problems,
                check_correct_fn=lambda answer, problem: verdicts[answer, problem],
                missing="incorrect",
                k=k,
                **levels,
            )
            | AVG_AT_N.load("graded").compute(**grades, **levels)
            | BEST_AT_K.load("graded").compute(**grades, **levels, scores=[row["rm_score"] for row in rows], k=k)
        )
        groups = {f"{label}/{key}": value for label, own in scored.groups.items() for key, value in own.items()}
        assert scored.values | groups == computed
        # Known of this file: avg@8 91.0, pass@8 96, rm@8 94.0, maj@8 from 91 to 94 over the ways to break four ties.
        known = {"avg@8": 0.91, "pass@8": 0.96, "best@8": 0.94, "cons@8": (0.91 + 0.94) / 2}
        assert {key: scored.values[key] for key in known} == known
        assert scored.sizes == {f"Level {i}": size for i, size in enumerate((11, 16, 24, 24, 25), 1)}
        assert scored.left_out == {}

    def test_tau_bench(self):
        rows = list(map(json.loads, examples.read_example("taubench_airline").splitlines()))
        scored = score(samples(rows), Options())
        # The README of https://github.com/sierra-research/tau-bench, leaderboard "Airline", row TC (gpt-4o).
        published = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}
        every = score(samples(rows), Options(metrics=["gpassk"], k=(1, 2, 3, 4))).values
        assert {k: round(every[f"G-Pass@{k}_1.0"], 3) for k in published} == published
        assert set(scored.left_out) == {"best_at_k"}
        assert codes(scored.notes) == ["note.intervals", "note.vote_of_grades"]


@pytest.mark.parametrize(
    ("header", "chosen", "refusal"),
    [("model", {}, True), ("Model Name", {}, True), ("model", {"group": "model"}, False), ("seed", {}, False)],
)
def test_models_in_one_file_are_not_merged(header, chosen, refusal):
    given = Given(f"{header},id,correct\na,1,1\na,1,0\nb,2,1\nb,2,1\n")
    options = Options(metrics=["pass_at_k"])
    if refusal:
        with pytest.raises(InputError, match=header) as caught:
            given.read(chosen)
        assert caught.value.code == "models.several"
        assert score(given.read(chosen, where={header: "a"}), options).values == {"pass@1": 0.5, "pass@2": 1.0}
        assert score(given.read(chosen, pool=[header]), options).values == {"pass@1": 0.75, "pass@2": 1.0}
    else:
        assert codes(score(given.read(chosen), options).notes) == ["note.intervals"]


def test_white_space_does_not_split_a_vote():
    told = {"answers": ["7", " 7", "8"], "reference": "7"}
    judged = {"answers": ["7", " 7", "8"], "correct": [1, 1, 0]}
    for row in (told, judged):
        given = Given(json.dumps(row))
        assert score(given.read({}), Options(k=(3,), **ONLY_VOTE)).values == {"cons@3": 1.0}


class TestLeftOut:
    def test_a_choice_needs_scores(self):
        scored = score(samples(GRADED), Options())
        assert {name: reason.code for name, reason in scored.left_out.items()} == {"best_at_k": "left_out.no_scores"}
        assert set(scored.metrics) == set(METRICS) - {"best_at_k"}

    def test_a_score_that_is_missing_costs_the_choice_only(self):
        rows = [{"id": "a", "correct": [1, 0], "score": [2, 1]}, {"id": "b", "correct": [1, None], "score": [2, None]}]
        found = score(samples(rows), Options(missing="incorrect"))
        assert {name: reason.code for name, reason in found.left_out.items()} == {"best_at_k": "left_out.no_score"}
        assert found.left_out["best_at_k"].values["place"] == describe_place(2, "score", 2)
        assert score(samples(rows), Options(missing="drop")).left_out == {}

    def test_an_answer_with_two_verdicts_has_no_vote(self):
        rows = with_columns(BOTH, score=SCORES)
        rows[1] = rows[1] | {"correct": [0, 1, 0, 0]}  # "2" is right and wrong
        scored = score(samples(rows), Options(metrics=KNOWN))
        (reason,) = scored.left_out.values()
        assert list(scored.left_out) == ["cons_at_k"]
        assert reason.code == "left_out.conflict"
        assert reason.values["answer"] == "'2'"
        assert reason.values["first"] == describe_place(2, "correct", 2)
        assert reason.values["second"] == describe_place(2, "correct", 3)
        assert not any(key.startswith("cons") for key in (*scored.values, *scored.curves.lines))
        exact = by_hand(rows, Options(metrics=[name for name in KNOWN if name != "cons_at_k"]))
        assert scored.values == close(means(exact))

    def test_two_grades_that_are_both_right_are_one_verdict(self):
        found = score(samples([{"id": 1, "answers": ["a", "a"], "correct": [0.7, 0.8]}]), Options())
        assert found.values["cons@2"] == 1.0

    def test_one_answer_may_be_right_for_one_problem_and_wrong_for_another(self):
        assert "cons_at_k" in score(samples(BOTH), Options()).metrics

    @pytest.mark.parametrize("per_sample", [False, True])
    @pytest.mark.parametrize("missing", ["incorrect", "drop"])
    def test_the_place_is_that_of_the_file_whatever_was_missing(self, missing, per_sample):
        rows = [
            {"id": "p", "answers": ["a", "b"], "correct": [None, 1]},
            {"id": "q", "answers": ["a", "b", "c", "b"], "correct": [None, 1, None, 0]},
        ]
        if per_sample:
            rows = [
                {"id": row["id"], "answers": answer, "correct": grade}
                for row in rows
                for answer, grade in zip(row["answers"], row["correct"], strict=True)
            ]
        found = score(samples(rows), Options(missing=missing)).left_out["cons_at_k"]
        places = [found.values["first"], found.values["second"]]
        if per_sample:
            assert places == [describe_place(4, "correct"), describe_place(6, "correct")]
        else:
            assert places == [describe_place(2, "correct", 2), describe_place(2, "correct", 4)]
        assert found.values["answer"] == "'b'"

    def test_if_nothing_is_left_the_reason_is_why(self):
        refused(lambda: score(samples(GRADED), Options(metrics=["best_at_k"])), "left_out.no_scores")


class TestSilence:
    def test_a_sample_that_is_judged_but_silent_casts_no_vote(self):
        scored = score(samples([{"id": 1, "answers": [None, None, "x"], "correct": [1, 1, 0]}]), Options())
        assert scored.values["avg@3"] == pytest.approx(2 / 3)
        assert scored.values["cons@1"] == scored.values["cons@2"] == scored.values["cons@3"] == 0

    @pytest.mark.parametrize("metrics", [METRICS, ("gpassk", "cons_at_k"), ("cons_at_k",), ("pass_at_k",)])
    def test_which_samples_are_correct_does_not_depend_on_the_metrics(self, metrics):
        report = score(samples(SILENT), Options(metrics=metrics))
        assert (report.n, report.c) == ([4, 4], [2, 3])

    def test_a_vote_of_verdicts_alone_is_said_to_be_one(self):
        assert codes(score(samples(GRADED), Options()).notes) == ["note.intervals", "note.vote_of_grades"]
        assert codes(score(samples(GRADED), Options(metrics=["avg_at_n"])).notes) == ["note.intervals"]
        assert codes(score(samples(BOTH), Options()).notes) == ["note.intervals"]


class TestMissing:
    def test_the_first_is_named(self):
        found = refused(lambda: score(samples(without(FULL, (1, 2), (2, 0))), Options()), "scoring.missing", 2)
        assert found.values == {"place": describe_place(2, "correct", 3), "count": 2}

    @pytest.mark.parametrize(("missing", "note"), [("incorrect", "note.incorrect"), ("drop", "note.drop")])
    def test_they_are_counted(self, missing, note):
        said = score(samples(without(FULL, (1, 2), (2, 0))), Options(missing=missing)).notes[1]
        assert (said.code, said.values) == (note, {"count": 2})

    @pytest.mark.parametrize("missing", ["error", "incorrect", "drop"])
    def test_where_none_is_the_choice_changes_nothing(self, missing):
        scored = score(samples(FULL), Options(missing=missing))
        assert scored.values == score(samples(FULL), Options()).values
        assert codes(scored.notes) == ["note.intervals"]

    def test_nothing_is_left_of_a_problem(self):
        rows = without(GRADED, (1, 0), (1, 1), (1, 2), (1, 3))
        left = score(samples(rows), Options(missing="drop"))
        assert list(left.problems) == ["a", "c", "d"]
        assert "left out: 1 (“b”)" in " ".join(map(str, left.notes))
        assert score(samples(rows), Options(missing="incorrect")).c == [3, 0, 4, 1]


class TestK:
    def test_above_n(self):
        rows = [{"id": "long", "correct": [1] * 5}, {"id": "short", "correct": [1] * 3}]
        refused(lambda: score(samples(rows), Options(k=(2, 4))), "options.k_above_n", "k = 4", "“short”", 3)

    def test_above_n_after_a_drop(self):
        rows = without(GRADED, (3, 1))
        refused(lambda: score(samples(rows), Options(k=(4,), missing="drop")), "options.k_above_n", "k = 4", "“d”", 3)
        assert score(samples(rows), Options(k=(4,), missing="incorrect")).k == (4,)

    @pytest.mark.parametrize(
        ("n", "k"),
        [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (8, (1, 2, 4, 8)), (12, (1, 2, 4, 8, 12)), (65, None), (1000, None)],
    )
    def test_default(self, n, k):
        report = score(samples([{"id": 1, "correct": [1] * n}, {"id": 2, "correct": [0] * n}]), Options())
        assert report.k == (k or (*(2**i for i in range(n.bit_length())), n))
        found = {key.k for key in report.metrics["gpassk"]}
        assert found == ({each for each in (4, 8, 16) if each <= n} or {n})

    def test_one_k_twice_is_one_row(self):
        twice = score(samples(GRADED), Options(k=(2, 2, 1)))
        assert list(twice.metrics["pass_at_k"]) == ["pass@2", "pass@1"]
        assert twice.values == score(samples(GRADED), Options(k=(2, 1))).values


REFUSED = {
    "no whole number": (parse_k, "1, two", "typed.no_whole_number", "“two”"),
    "k of nothing": (parse_k, "4 0", "typed.small_k", 0),
    "a negative k": (parse_k, "4, -1", "typed.small_k", -1),
    "no number": (parse_taus, "half", "typed.no_number", "“half”"),
    "no thresholds": (parse_taus, " ", "typed.no_tau", "0.5"),
    "a threshold above one": (parse_taus, "0.5, 1.01", "typed.bad_tau", 1.01),
    "a negative threshold": (parse_taus, "-0.5", "typed.bad_tau", -0.5),
    "a threshold that is not a number": (parse_taus, "nan", "typed.bad_tau", "nan"),
}


@pytest.mark.parametrize(("parse", "text", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_typed_numbers_that_cannot_be_are_refused(parse, text, code, said):
    reason = refused(lambda: parse(text), code, said)
    for language in LANGUAGES:
        assert len(translate(reason, language).encode()) < 300


def test_no_k_is_the_default_of_the_library():
    assert parse_k(" ") is None


BAD_OPTIONS = {
    "a metric that does not exist": ({"metrics": ["pass_at_k", "other"]}, "options.metrics", "other", "gpassk"),
    "a metric that is no text": ({"metrics": [["pass_at_k"]]}, "options.metrics", "pass_at_k"),
    "a metric that is long": ({"metrics": ["x" * 100_000]}, "options.metrics", "x" * 50),
    "no metric": ({"metrics": []}, "options.no_metric"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_options_that_do_not_exist_are_refused(case):
    options, *expected = case
    reason = refused(lambda: score(samples(GRADED), Options(**options)), *expected)
    for language in LANGUAGES:
        assert len(translate(reason, language).encode()) < 300


class TestTypedNumbers:
    @pytest.mark.parametrize(
        ("text", "kind", "found"),
        [
            ("1, 2 4", int, (1, 2, 4)),
            ("8，4、2；1;16", int, (8, 4, 2, 1, 16)),
            (" 1\n2\t3 ", int, (1, 2, 3)),
            ("1,,1, 1", int, (1,)),
            ("１６", int, (16,)),
            ("", int, ()),
            (" , ; ", float, ()),
            ("0.5, .25 1 1e-3", float, (0.5, 0.25, 1.0, 0.001)),
            ("0.123456789012345678", float, (0.12345678901234568,)),
        ],
    )
    def test_read(self, text, kind, found):
        assert numbers(text, "k", kind) == found
        assert all(type(number) is kind for number in found)

    @pytest.mark.parametrize(
        ("text", "kind", "said"),
        [
            ("1, two", int, "“two”"),
            ("1.5", int, "“1.5”"),
            ("1-8", int, "“1-8”"),
            ("half", float, "“half”"),
            ("0x10", int, "“0x10”"),
            ("9" * 5000, int, "“999"),
            ("1" + "0" * 25, int, "“1000"),
            ("0.5000000000000000000000e-3", float, "“0.50"),  # its beginning is another number
            ("x" * 5000, float, "“xxx"),
            ("\ud800", int, "“?”"),
        ],
    )
    def test_refused(self, text, kind, said):
        code = "typed.no_whole_number" if kind is int else "typed.no_number"
        reason = refused(lambda: numbers(text, "k", kind), code, "k", said)
        assert len(translate(reason, "en").encode()) < 300


class TestGroups:
    def test_they_are_in_the_order_in_which_people_count(self):
        labels = ["Level 10", "b", "Level 2", "a10", "a9", "10", "9", "Level 2", "x²", "Level 1a", "Level 1"]
        rows = [{"id": i, "correct": [1, 0], "level": label} for i, label in enumerate(labels)]
        found = list(score(samples(rows), Options()).groups)
        assert found == ["9", "10", "Level 1", "Level 1a", "Level 2", "Level 10", "a9", "a10", "b", "x²"]

    @pytest.mark.parametrize(
        "labels",
        [
            ["a/b", "a", "a/"],
            ["all", "metric", "problem"],
            ["details", "pass@1", "details/pass@1"],
            ["a", "a/pass@1", "/"],
            ["", " ", "None"],
            ["<b>", "{0}", "%s"],
            ["0", "00", "9" * 40],
        ],
        ids=" ".join,
    )
    def test_labels_are_only_names(self, labels):
        rows = [{"id": i, "correct": [i % 2, 1]} for i in range(3)]
        scored = score(replace(samples(rows), group=labels), Options())
        assert set(scored.groups) == set(labels)
        for i, label in enumerate(labels):
            assert scored.groups[label]["pass@1"] == (i % 2 + 1) / 2
            assert list(scored.groups[label]) == list(scored.values)
        assert scored.sizes == dict.fromkeys(labels, 1)

    def test_true_and_numbers_are_names(self):
        rows = [{"id": 1, "correct": [1], "level": True}, {"id": 2, "correct": [0], "level": 3}]
        assert score(samples(rows), Options()).sizes == {"true": 1, "3": 1}


def big(problems, n, column="correct"):
    """Samples that need not be read."""
    row = [1.0] * n if column == "correct" else ["a"] * n
    small = read_bytes("", json.dumps([{"id": 1, column: row[:1], "reference": "a"}]).encode(), Reading())
    names = list(map(str, range(problems)))
    rows = [row] * problems
    if column == "correct":
        return replace(small, problems=names, grades=rows, references=None)
    return replace(small, problems=names, answers=rows, references=[["a"]] * problems)


class TestWork:
    @pytest.mark.parametrize("k", [None, (1, 2)], ids=["the vote", "its curve"])
    def test_a_vote_that_takes_too_long_is_left_out(self, monkeypatch, k):
        monkeypatch.setattr(scoring, "VOTE_SECONDS", 0.02)
        many = big(100, 1000, "answers")
        scored = score(many, Options(k=k, metrics=["pass_at_k", "cons_at_k"]))
        assert {name: reason.code for name, reason in scored.left_out.items()} == {"cons_at_k": "scoring.vote_too_long"}
        assert set(scored.metrics) == {"pass_at_k"}
        assert None not in scored.curves.lines["pass@k"]
        refused(lambda: score(many, Options(k=k, **ONLY_VOTE)), "serving.too_long", "0.02")

    def test_a_vote_of_verdicts_takes_no_time(self):
        scored = score(big(200, 1000), Options(k=(1000,), **ONLY_VOTE))
        assert scored.values == {"cons@1000": 1.0}
        assert None not in scored.curves.lines["cons@k"]

    def test_time_that_is_not_over_changes_nothing(self):
        before = signal.getsignal(signal.SIGVTALRM)
        with interrupt_after(1_000):
            pass
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
        assert signal.getsignal(signal.SIGVTALRM) == before


@cache
def score_full():
    return score(samples(FULL), Options())


@given(st.data())
def test_the_order_of_samples_and_problems_changes_nothing(data):
    rows = [dict(row) for row in FULL]
    for row in rows:
        order = data.draw(st.permutations(range(4)))
        row |= {name: [row[name][i] for i in order] for name in ("answers", "correct", "score")}
    rows = data.draw(st.permutations(rows))
    shuffled, scored = score(samples(rows), Options()), score_full()
    for found, expected in ((shuffled.values, scored.values), *zip(shuffled.groups.values(), scored.groups.values(),
                                                                     strict=True)):  # fmt: skip
        assert found == pytest.approx(expected, rel=1e-14)
    assert list(shuffled.groups) == list(scored.groups)


def test_curves_rise_with_k():
    lines = score(samples(FULL), Options()).curves.lines
    assert all(low <= high for low, high in pairwise(lines["pass@k"]))


class TestWarnings:
    def test_no_answer_equals_its_reference(self):
        rows = [
            {"id": 1, "answers": [None, "\\boxed{7}"], "reference": "7"},
            {"id": 2, "answers": ["8", "9"], "reference": "5"},
        ]
        report = score(samples(rows), Options(missing="incorrect"))
        assert codes(report.notes) == ["note.intervals", "note.no_match", "note.suggestion", "note.incorrect"]
        assert (report.notes[1].values["answer"], report.notes[1].values["reference"]) == ("“\\boxed{7}”", "“7”")
        judged = [{"id": 1, "answers": ["6", "6"], "correct": [0, 0]}]
        assert codes(score(samples(judged), Options()).notes) == ["note.intervals"]

    def test_hardly_any_two_samples_agree(self):
        rows = [{"id": i, "answers": [f"text {i} {j}" for j in range(6)], "correct": [1, 0] * 3} for i in range(5)]
        report = score(samples(rows), Options())
        assert report.left_out["cons_at_k"].code == "left_out.scatter"
        assert "pass_at_k" in report.metrics
        reason = refused(lambda: score(samples(rows), Options(**ONLY_VOTE)), "left_out.scatter", 0, 25)
        assert "extract the answers" in str(reason)


def test_a_thread_of_the_app_scores_its_own_example():
    samples = Given('{"task_id": "a", "passed": true}').read({})
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(score, samples, Options()).result().values["pass@1"] == 1

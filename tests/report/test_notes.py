"""Notes about the verdicts, and what is refused before work is done."""

from functools import partial

import pytest
from cases import for_each, refuses

import at_k
from at_k.report import notes
from at_k.report.judging import judge_data


def judged(answers, references, **options):
    return judge_data({"answers": answers, "references": references}, **options)


def list_codes(found):
    return [note.code for note in notes.write_notes(found, "exact_match", voted=True)]


def test_an_answer_beside_its_reference():
    found = judged([[None, None], [None, "x" * 61]], ["a", "y" * 60], missing="incorrect")
    no_match, missing = notes.write_notes(found, "exact_match", voted=True)
    assert no_match.code == "note.no_match"
    assert no_match.values == {"answer": f"“{'x' * 29} … {'x' * 28}”", "reference": f"“{'y' * 60}”"}
    assert (missing.code, missing.values) == ("note.incorrect", {"count": 3})


def test_partial_grades():
    found = judge_data({"grades": [[0.6, 0.2], [1, 0.9], [0, 0.55]]})
    [note] = [
        note
        for note in notes.write_notes(found, "graded", voted=False)
        if note.code == "note.partial_grades"
    ]
    assert note.values | {name: str(note.values[name]) for name in ("cut", "full")} == {
        "count": 4,
        "total": 6,
        "above": 3,
        "cut": "`correct_above=0.5`",
        "full": '`correct_above=">=1"`',
    }
    wrong = judge_data({"grades": [[0.5, 1], [0.2, 0]]})
    assert [
        note.values | {"cut": str(note.values["cut"])}
        for note in notes.write_notes(wrong, "graded", voted=False)
        if "partial" in note.code
    ] == [{"count": 2, "total": 4, "cut": "`correct_above=0.5`"}]
    assert judge_data(
        {"grades": [[0.6, 0.2], [1, 0.9], [0, 0.55]]}, correct_above=0.9
    ).verdicts.c.tolist() == [0, 1, 0]


def test_nothing_to_note():
    assert list_codes(judged([["a", "b"]], ["a"])) == []
    assert (
        list_codes(judged([["a", "b"], ["a", "b"]], ["none", "a"])) == []
    )  # a match in one problem is a match
    assert list_codes(judged([[None]], ["a"], missing="incorrect")) == ["note.incorrect"]


def repeat(repeats):
    """A hundred problems of two samples: a hundred samples that could repeat the one before."""
    return [["x", "x" if problem < repeats else "y"] for problem in range(100)][::-1]


LATE = [["x", "y"]] * 2490 + [["x", "x"]] * 51


@for_each("rows, scatter", [
    *[(repeat(0), (0, 100)), (repeat(1), (1, 100)), (repeat(2), None), (repeat(3), None)],
    *[(LATE, None), (LATE[:-1], (50, 2540))],  # 51 of 2541 are 2 %
    ([["x", "y"]] * 10, (0, 10)),  # answers of different problems do not repeat each other
    ([["x", None, None, None]] * 20, None),  # samples without an answer could not repeat one
    ([[f"{sample}" for sample in range(8)]], None),  # seven that could repeat one are too few to say
    ([[f"{sample}" for sample in range(9)]], (0, 8)),
])  # fmt: skip
def test_two_in_a_hundred_answers_must_repeat_one(rows, scatter):
    report = at_k.score(
        {"answers": rows, "references": ["x"] * len(rows)}, k=1, missing="incorrect"
    )
    if scatter:
        reason = report.left_out["cons_at_k"]
        assert (reason.code, tuple(reason.values.values())) == (
            "left_out.scatter",
            ("cons@k", *scatter),
        )
    else:
        assert "cons@1" in report.values


def test_k_above_n_names_the_problem():
    data = {"problem": ["q0", "q1", "q2"], "grades": [[1, 0, 1], [1, 0], [1, 0, 0]]}
    caught = refuses(
        "options.k_above_n: `k` must be at most n, … problem … q1 … has n = 2",
        at_k.score,
        data,
        k=[1, 3],
    )
    assert [caught.values[name] for name in ("k", "n", "count", "total")] == [3, 2, 1, 3]


@pytest.mark.parametrize(("k", "said"), [(1, True), ([2, 3], True), ([2, 4], False)])
def test_mg_pass_cannot_reach_1_for_odd_k(k, said):
    """All samples are correct, so that the value is the largest: (k − 1)/k for odd k, 1 for even k."""
    report = at_k.score({"grades": [[1, 1, 1, 1]]}, k=k, metrics="gpassk")
    assert ("note.odd_k" in [note.code for note in report.notes]) is said
    largest = [value for key, value in report.values.items() if key.metric == "mG-Pass@k"]
    assert (min(largest) < 1) is said
    assert "note.odd_k" not in [
        note.code for note in at_k.score({"grades": [[1]]}, metrics="pass_at_k").notes
    ]


def test_groups_that_are_one_cluster_are_noted():
    data = {"grades": [[1, 0], [0, 0], [1, 1], [0, 1]], "group": ["a", "a", "b", "b"]}
    score = partial(at_k.score, data, metrics="pass@1")
    notes = {note.code: note.values for note in score(clusters=["x", "x", "y", "z"]).notes}
    assert notes["note.groups_of_one_cluster"] == {"count": 1, "total": 2, "group": "“a”"}
    assert "note.one_cluster" not in notes
    whole = score(clusters=["x"] * 4)
    assert {"note.one_cluster"} == {note.code for note in whole.notes} - {"note.intervals_clusters"}
    # As the notes say, the interval is that of a single problem: no standard error, and one unit.
    low, high = at_k.interval(0.5, 0, 1)
    assert whole.intervals["pass@1"][:3] == (None, low, high)
    assert "cluster" not in " ".join(
        note.code for note in score(clusters=["x", "y", "z", "z"], groups=False).notes[1:]
    )


BOXED = {"answers": [[r"so \boxed{12}", r"thus \boxed{12}", "12", "13"]], "references": ["12"]}


@for_each("data, options, said", [
    (BOXED, {}, True),
    (BOXED, {"check_correct_fn": "numeric"}, True),
    (BOXED, {"extract_fn": "boxed"}, False),
    (BOXED, {"check_correct_fn": lambda answer, reference: reference in answer}, False),
    ({"answers": [[r"so \boxed{12}", "12"]], "grades": [[1, 1]]}, {}, True),  # two answers get a vote each
    ({"answers": [[r"\boxed{12}", r"\boxed{13}"]], "references": [r"\boxed{12}"]}, {}, False),
    ({"answers": [["12"] * 19 + [r"\boxed{12}"]], "references": ["12"]}, {}, True),  # from 5 % on
    ({"answers": [["12"] * 39 + [r"\boxed{12}"]], "references": ["12"]}, {}, False),
])  # fmt: skip
def test_boxes_in_answers_that_count_as_whole_texts_are_noted(data, options, said):
    assert ("note.boxes" in {note.code for note in at_k.score(data, k=1, **options).notes}) is said


def test_answers_that_are_not_read_are_counted_at_any_share():
    def note(data, **options):
        return {note.code: str(note) for note in at_k.score(data, k=1, **options).notes}

    data = {"answers": [["3 of 18", "18 in all", "18", None], ["no"]], "references": ["18", "no"]}
    numeric = {"check_correct_fn": "numeric", "missing": "incorrect"}
    notes = note(data, **numeric)
    assert notes["note.no_numbers"] == (
        '1 of 3 answers are no numbers, such as “3 of 18”; `check_correct_fn="numeric"` compares them as texts.'
    )
    assert "note.many_numbers" not in notes
    assert "note.no_numbers" not in note(data, extract_fn="last_number", **numeric)
    assert "note.no_numbers" not in note(data, missing="incorrect")
    data = {"answers": [["3 of 18", "2 or 18", "18"]], "references": ["18"]}
    assert note(data, check_correct_fn="numeric")["note.many_numbers"] == (
        '`extract_fn="last_number"` takes the last number of a text.'
    )
    data = {"answers": [["(C)", "A dog", "D"], ["Paris"]], "references": ["C", "Paris"]}
    assert note(data, check_correct_fn="choice")["note.no_letters"] == (
        "1 of 3 answers settle on no letter, such as “A dog”."
    )

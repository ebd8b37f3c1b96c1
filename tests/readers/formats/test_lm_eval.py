"""lm-evaluation-harness: nested repeats, several filters, choices, and targets that are solutions or lists."""

import json
import re

import pytest
from cases import for_each
from readers.broken import check_variants
from readers.expected import CLOSE, HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FOLDER = "lm-eval/acme__toy-7b/"
ALL, MATH, CHOICES = (
    f"{FOLDER}samples_{task}_2026-11-21T10-51-56.618154.jsonl" for task in ("toy_all", "toy_math", "toy_mc")
)


def write(path, *rows):
    """Write lines, with what they do not say as for a document that was sampled twice."""
    whole = {
        "doc_id": 0,
        "doc": {},
        "target": "7",
        "arguments": {},
        "resps": [["x 7", "x 8"]],
        "filtered_resps": [["7", "8"]],
        "filter": "all",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    }
    path.write_text("\n".join(json.dumps(whole | row) for row in rows), encoding="utf-8")
    return path


def extract(row):
    """Find the answers in whole responses, as the filters of toy_math do."""
    found = [re.search(r"The answer is (\-?[0-9\.\,]*[0-9]+)", text) for text in row["answers"]]
    return {"answers": [each and each[1] for each in found]}


def list_codes(samples):
    return [note.code for note in samples.origin.notes]


def test_a_filter_that_keeps_the_repeats():
    expected = read_expected()[ALL]
    data = at_k.read_results(HARNESS / ALL)
    silent = sum(answer is None for answers in data["answers"] for answer in answers)
    text = (HARNESS / ALL).read_text(encoding="utf-8")
    rows = [json.loads(line)["filtered_resps"][0] for line in text.splitlines()]
    assert silent == sum(row.count("[invalid]") for row in rows) == 7
    (report,) = check(HARNESS / ALL, expected, silent=silent).values()
    for k in (1, 2, 4):  # its own metric function prints the same
        assert report.values[f"pass@{k}"] == pytest.approx(expected["harness_printed"][f"pass@{k},all"], abs=CLOSE)
    assert report.values["avg@4"] == pytest.approx(expected["harness_printed"]["avg@4,all"], abs=CLOSE)
    assert data["grades"][:] == [None] * 6  # the metrics are of all four repeats together
    assert data["answers"][0] == ["7", "29", "29", "7"]


def test_no_filter_that_keeps_the_repeats():
    samples = read_samples(HARNESS / MATH)
    assert samples.answers[0] == [" The answer is 7", " The answer is 29", " The answer is 29", " The answer is 7"]
    assert samples.origin.chosen == {"answers": "resps"}
    assert list_codes(samples) == ["lm_eval.responses"]
    data = at_k.read_results(HARNESS / MATH).map(extract)
    check(data, read_expected()[MATH], silent=7)


def test_a_rule_finds_the_answers_in_whole_responses():
    check(HARNESS / MATH, read_expected()[MATH], extract_fn=r"(?s)^.*?The answer is (\-?[0-9\.\,]*[0-9]+)")


@for_each("name", ["score-first", "maj@3", "maj@4"])
def test_a_filter_that_votes_gives_one_sample(name):
    # The vote of the harness is that of the first k, the first answer wins a tie, and "[invalid]" votes. So it is not
    # our cons@k, but the answer and its verdict can be read.
    printed = read_expected()[MATH]["harness_printed"][f"exact_match,{name}"]
    report = at_k.score(HARNESS / MATH, filter=name)
    assert report.n == [1] * 6
    assert report.values["avg@1"] == pytest.approx(printed, abs=CLOSE)
    samples = read_samples(HARNESS / MATH, filter=name)
    assert samples.answers[:2] == [["29" if name == "maj@3" else "7"], [None]]
    assert samples.origin.chosen == {"filter": name}
    assert list_codes(samples) == ["lm_eval.vote"]


def test_choices():
    expected = read_expected()[CHOICES]
    (report,) = check(HARNESS / CHOICES, expected).values()
    assert report.values["pass@1"] == pytest.approx(expected["harness_printed"]["acc,none"], abs=CLOSE)
    samples = read_samples(HARNESS / CHOICES)
    assert samples.origin.chosen == {"scorer": "acc"}
    assert list_codes(samples) == ["collector.choice"]
    assert samples.answers is None  # log-likelihoods are no answers
    chosen = read_samples(HARNESS / CHOICES, scorer="acc_norm")
    assert chosen.grades == [[1], [0], [1], [0], [0]]
    assert chosen.origin.notes == []
    with pytest.raises(InputError, match=r"There is no scorer “f1”.*“acc”, “acc_norm”"):
        read_samples(HARNESS / CHOICES, scorer="f1")


def test_one_repeat_is_graded_by_the_first_metric_that_is_0_or_1(tmp_path):
    row = {"resps": [["x"]], "filtered_resps": ["7"], "metrics": ["bleu", "right"], "bleu": 31.5, "right": True}
    samples = read_samples(write(tmp_path / "f", row, row | {"doc_id": 1, "right": None}))
    assert (samples.answers, samples.grades) == ([["7"], ["7"]], [[1.0], [None]])
    assert samples.origin.roles["grades"] == "right"
    with pytest.raises(InputError, match=r"“bleu” is 31\.5 in line 1, .*“bleu”, “right”"):
        read_samples(tmp_path / "f", scorer="bleu")


def test_the_default_is_the_first_filter_that_keeps_all_repeats(tmp_path):
    first = {"filter": "first", "filtered_resps": ["7"]}
    two = {"filter": "flexible", "filtered_resps": [["7", "9"]]}
    path = write(tmp_path / "f", first, {"filter": "strict"}, two)
    samples = read_samples(path)
    assert (samples.answers, samples.origin.chosen) == ([["7", "8"]], {"filter": "strict"})
    assert list_codes(samples) == ["collector.choice"]
    assert read_samples(path, filter="flexible").answers == [["7", "9"]]
    with pytest.raises(InputError, match=r"There is no filter “none”.*“first”, “strict”, “flexible”"):
        read_samples(path, filter="none")


@pytest.mark.parametrize(
    ("target", "references", "codes"),
    [
        ("18", ["18"], []),
        ("6 * 3 = 18\n#### 18", ["18"], ["lm_eval.solution"]),
        ("#### ", ["#### "], []),
        ("['a', 'b']", ["a", "b"], ["lm_eval.list"]),
        ('["it\'s", \'"\', "\\\\n"]', ["it's", '"', "\\n"], ["lm_eval.list"]),
        ("[0, 1]", ["[0, 1]"], []),  # an interval, perhaps
        ("['a', 'b'", ["['a', 'b'"], []),
        ("['a'] or ['b']", ["['a'] or ['b']"], []),
    ],
)
def test_targets(tmp_path, target, references, codes):
    samples = read_samples(write(tmp_path / "f", {"target": target}))
    assert samples.references == [references]
    assert list_codes(samples) == codes


def test_the_fields_of_the_document(tmp_path):
    doc = {"level": "easy", "question": "?" * 101, "choices": ["a"], "year": 2024, "gold": "8"}
    path = write(tmp_path / "f", {"doc": doc}, {"doc_id": 1, "doc": doc | {"level": "hard"}})
    samples = read_samples(path, columns={"group": "level", "references": "gold"})
    assert samples.group == ["easy", "hard"]
    assert samples.references == [["8"], ["8"]]
    assert json.loads(samples.listed("meta")[0]) == {"level": "easy", "year": 2024, "gold": "8"}
    assert read_samples(path, columns={"group": "question"}).group == ["?" * 101] * 2
    with pytest.raises(InputError, match=r"no field “subject”.*“level”, “year”, “gold”, “question”, “choices”"):
        read_samples(path, columns={"group": "subject"})


def test_a_folder_of_several_tasks_is_refused():
    with pytest.raises(InputError) as caught:
        read_samples(HARNESS / FOLDER)
    assert caught.value.code == "merging.subject"
    for task in ("toy_all", "toy_math", "toy_mc"):
        assert re.search(rf"“{task}” \([^“]*samples_{task}_", str(caught.value))


def test_two_runs_are_more_samples_and_two_models_are_not(tmp_path):
    name = "samples_toy_2026-11-2{}T10-51-56.618154.jsonl"
    for model in ("a", "b"):
        (tmp_path / model).mkdir()
        for day in (1, 2):
            write(tmp_path / model / name.format(day), {})
    assert read_samples(tmp_path / "a").answers == [["7", "8", "7", "8"]]
    with pytest.raises(InputError, match="not of the same model: “a” "):
        read_samples(tmp_path)
    assert len(read_samples(tmp_path, pool="model").answers[0]) == 8


BAD = {
    "twice": ([{}, {}], "only once; “0” is also in line 1 .line 2"),
    "other repeats": ([{}, {"doc_id": 1, "resps": [["x"]]}], r"2 and 2, not 1 and 2 \(line 2\)"),
    "other answers": ([{}, {"doc_id": 1, "filtered_resps": [["7"]]}], r"2 and 2, not 2 and 1 \(line 2\)"),
    "choices later": ([{}, {"doc_id": 1, "resps": [[["1", "True"]]]}], "“resps” is not what lm-eval writes"),
    "filters cut": ([{}, {"filter": "b"}, {"doc_id": 1}], "2 of “all”, 1 of “b”"),
    "name of a filter": ([{}, {"filter": 7}], r"“filter” is not what lm-eval writes: 7 \(line 2\)"),
    "no target": ([{"target": None}], r"“target” is not what lm-eval writes: null \(line 1\)"),
    "an answer that is a list": ([{"filtered_resps": [[["7"], "8"]]}], "An answer must be text or a number"),
    "log-likelihoods without a metric": (
        [{"resps": [[["-1", "True"]], [["-2", "True"]]], "metrics": ["ppl"], "ppl": [1, 2]}],
        "neither answers nor a metric.*“ppl”",
    ),
}


@pytest.mark.parametrize(("rows", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(tmp_path, rows, message):
    path = write(tmp_path / "f", *rows)
    with pytest.raises(InputError, match=message) as caught:
        read_samples(path)
    assert str(caught.value).startswith(str(path))


def test_metrics_of_all_repeats_grade_no_sample(tmp_path):
    with pytest.raises(InputError) as caught:
        read_samples(write(tmp_path / "f", {}), scorer="exact_match")
    assert caught.value.code == "lm_eval.per_document"


def test_broken_lines_can_be_left_out(tmp_path):
    path = write(tmp_path / "f", {}, {"doc_id": 1, "target": None}, {"doc_id": 2})
    path.write_text(path.read_text() + '\n{"doc_id": 3,')
    samples = read_samples(path, errors="skip")
    assert samples.problems == ["0", "2"]
    assert {cause.code: count for cause, count in samples.origin.skipped.items()} == {
        "collector.field": 1,
        "decoding.broken": 1,
    }


@pytest.mark.parametrize("answers", [[["7"], "8"], ["8", ["7"]]])
def test_an_answer_that_is_broken_can_be_left_out(tmp_path, answers):
    samples = read_samples(write(tmp_path / "f", {"filtered_resps": [answers]}, {"doc_id": 1}), errors="skip")
    assert (samples.answers, samples.references) == ([["8"], ["7", "8"]], [["7"], ["7"]])
    assert [(cause.code, count) for cause, count in samples.origin.skipped.items()] == [("cells.answer", 1)]


def test_lines_longer_than_what_is_read_at_a_time(tmp_path):
    path = write(tmp_path / "f", *({"doc_id": doc, "resps": [["x" * 3_000_000, "y"]]} for doc in range(3)))
    assert read_samples(path).answers == [["7", "8"]] * 3


def test_broken(tmp_path):
    for name in (ALL, MATH, CHOICES):
        check_variants(HARNESS / name, tmp_path, missing="incorrect")

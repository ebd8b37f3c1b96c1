"""lighteval: structs in Parquet, several golds, and texts from which nothing was extracted."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each
from readers.broken import SEEDS, break_file
from readers.expected import CLOSE, HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FOLDER = "lighteval/details/acme/toy-7b/2026-11-21T11-08-53.249306/"
# The harness writes "|" where these have "_", so that every file system can hold them; the keys have "|".
FILES = {
    name: (
        HARNESS / f"{FOLDER}details_{name}_0_2026-11-21T11-08-53.249306.parquet",
        f"{FOLDER}details_{name}|0_2026-11-21T11-08-53.249306.parquet",
    )
    for name in ("toy", "toy_two_golds")
}
ONE = FILES["toy"][0]


def find_last_word(text):
    """Extract an answer by the rule of NOTE.md; None if there are no words."""
    return text.split()[-1].strip(".!") if text.split() else None


def write(path, *rows, around="{}"):
    doc = {"id": "0", "choices": ["a", "b"], "gold_index": [1], "task_name": "t|0", "specific": {"level": "easy"}}
    response = {"text": ["x", "y"], "text_post_processed": None, "logprobs": [[-1.0], [-2.0]]}
    whole = [
        {
            around.format("doc"): doc | row.get("doc", {}),
            around.format("metric"): row.get("metric", {"em": 1.0}),
            around.format("model_response"): response | row.get("model_response", {}),
        }
        for row in rows
    ]
    pq.write_table(pa.Table.from_pylist(whole), path)
    return path


@for_each("path, key", FILES.values(), ids=FILES)
def test_numbers(path, key):
    expected = read_expected()[key]
    data = at_k.read_results(path)
    assert data["answers"][0][2] == " It is 210."  # without the reasoning, as the metrics saw it
    data = data.map(lambda row: {"answers": [find_last_word(text) for text in row["answers"]], "scores": None})
    silent = sum(answer is None for answers in data["answers"] for answer in answers)
    assert silent == 1
    (report,) = check(data, expected, silent=silent).values()
    printed = {name: value for name, value in expected["harness_printed"].items() if "stderr" not in name}
    same = {"avg@n:n=4": "avg@4", "mg-pass@2": "mG-Pass@2", "mg-pass@4": "mG-Pass@4"}
    same |= {f"pass@k:k={k}&n=4": f"pass@{k}" for k in (1, 2, 4)}
    same |= {f"g-pass@{k}_{tau}": f"G-Pass@{k}_{tau}" for k in (2, 4) for tau in (0.25, 0.5, 0.75, 1.0)}
    for theirs, ours in same.items():
        if theirs in printed:
            assert report.values[ours] == pytest.approx(printed[theirs], abs=CLOSE)
    # Its maj@n is the vote of the first n, where the first answer wins a tie and an empty one votes; "em" is of the
    # first text alone; G-Pass@k_0.0 is pass@k.
    assert printed.keys() <= {*same, "maj@n:n=3", "maj@n:n=4", "em", "g-pass@2_0.0", "g-pass@4_0.0"}


@for_each("path, key", FILES.values(), ids=FILES)
def test_a_checker_finds_the_answers(path, key):
    numbers = read_expected()[key]["all_samples"]

    def is_last_word(answer, reference):
        return find_last_word(answer) == reference

    report = at_k.score(path, metrics=["pass_at_k"], k=[1, 2, 4], check_correct_fn=is_last_word)
    assert report.c == numbers["n_correct"]
    assert report.values["pass@2"] == pytest.approx(numbers["pass@2"], abs=CLOSE)


@for_each("path, key", FILES.values(), ids=FILES)
def test_a_rule_finds_the_answers(path, key):
    check(path, read_expected()[key], extract_fn=r"(\S+?)[.!]*\s*$")


def test_what_was_read():
    samples = read_samples(FILES["toy_two_golds"][0])
    assert samples.problems == ["3", "1", "2", "4", "0"]
    assert samples.references[0] == ["210", "210.0"]
    assert samples.scores[0] == [-2.2231, -0.4873, -1.0849, -3.8949]
    assert samples.grades is None
    assert samples.origin.subject == {"task": "toy_two_golds|0", "model": "acme/toy-7b"}
    assert [note.code for note in samples.origin.notes] == ["lighteval.texts"]
    assert json.loads(samples.listed("meta")[0]) == {"qid": "x3", "level": "hard"}
    levels = [doc["specific"]["level"] for doc in pq.read_table(ONE)["doc"].to_pylist()]
    assert read_samples(ONE, columns={"group": "level"}).group == levels


@pytest.mark.parametrize("around", ["{}", "__{}__"])
def test_older_names_and_texts_with_reasoning(tmp_path, around):
    samples = read_samples(write(tmp_path / "f", {}, {"doc": {"id": "1", "gold_index": [0]}}, around=around))
    assert samples.answers == [["x", "y"]] * 2
    assert samples.references == [["b"], ["a"]]
    assert samples.scores is None  # those are of tokens
    assert samples.origin.roles["answers"] == "model_response.text"
    assert samples.origin.subject == {"task": "t|0"}


@pytest.mark.parametrize(
    ("logprobs", "scores"),
    [([[-1.0, -2.0], [-3.0, -4.0]], [[-1.0, -2.0], [-3.0, -4.0]]), ([[-1.0, -2.0], [-3.0]], None), (None, None)],
)
def test_log_probabilities_are_scores_if_there_is_one_for_each_sample(tmp_path, logprobs, scores):
    rows = [
        {"doc": {"id": str(i)}, "model_response": {"logprobs": logprobs[i] if logprobs else None}} for i in range(2)
    ]
    assert read_samples(write(tmp_path / "f", *rows)).scores == scores


def test_one_text_is_graded_by_a_metric(tmp_path):
    one = {"model_response": {"text": ["x"], "logprobs": None}, "metric": {"f1": 0.5, "em": 1, "qem": 0}}
    path = write(tmp_path / "f", one)
    samples = read_samples(path)
    assert (samples.answers, samples.grades, samples.origin.chosen) == ([["x"]], [[1.0]], {"scorer": "em"})
    assert [note.code for note in samples.origin.notes] == ["collector.choice"]
    assert read_samples(path, scorer="f1").grades == [[0.5]]
    with pytest.raises(InputError, match="no scorer “acc”") as caught:
        read_samples(path, scorer="acc")
    assert {"“f1”", "“em”", "“qem”"} <= set(re.findall("“[a-z0-9]+”", str(caught.value)))  # in the order of PyArrow


def test_choices_without_texts(tmp_path):
    one = {"model_response": {"text": [], "logprobs": [-1.0, -2.0]}, "metric": {"acc": 1.0}}
    samples = read_samples(write(tmp_path / "f", one))
    assert (samples.answers, samples.grades, samples.scores) == (None, [[1.0]], None)
    with pytest.raises(InputError, match=r"neither texts .* it has “ppl”"):
        read_samples(write(tmp_path / "f", one | {"metric": {"ppl": 7.5}}))


BAD = {
    "twice": ([{}, {}], "only once; “0” is also in row 1 .row 2"),
    "gold": ([{"doc": {"gold_index": [2]}}], r"“doc\.gold_index” is not what lighteval writes: \[…\] \(row 1\)"),
    "lengths": ([{"model_response": {"text_post_processed": ["x"]}}], r"text_post_processed.*row 1"),
    "no text": ([{"model_response": {"text": None}}], r"“model_response\.text” is not what lighteval writes: null"),
    "no id": ([{"doc": {"id": None}}], "name of a problem must be text or a number; got null .row 1"),
}


@pytest.mark.parametrize(("rows", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(tmp_path, rows, message):
    path = write(tmp_path / "f", *rows)
    with pytest.raises(InputError, match=message) as caught:
        read_samples(path)
    assert str(caught.value).startswith(str(path))


def test_metrics_of_all_texts_grade_no_sample():
    with pytest.raises(InputError) as caught:
        read_samples(ONE, scorer="em")
    assert caught.value.code == "lighteval.per_document"


def test_broken_rows_can_be_left_out(tmp_path):
    path = write(tmp_path / "f", {}, {"doc": {"id": "1", "gold_index": [7]}}, {"doc": {"id": "2"}})
    samples = read_samples(path, errors="skip")
    assert samples.problems == ["0", "2"]
    assert sum(samples.origin.skipped.values()) == 1


def read_or_refuse(path):
    """Return what is read of each problem, or the error."""
    try:
        return {row["problem"]: row for row in read_samples(path).table.to_pylist()}
    except InputError as error:
        return error


@for_each("path, seed", [(path, seed) for path, _ in FILES.values() for seed in SEEDS])
def test_broken(tmp_path, seed, path):
    kind, broken = break_file(path, seed, tmp_path)
    found = read_or_refuse(broken)
    if isinstance(found, InputError):
        assert kind != "swap"
        assert str(found).startswith(str(broken))
    else:
        assert kind != "cut"
        assert found == read_or_refuse(path)

"""lighteval: structs in Parquet, several golds, and texts from which nothing was extracted."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each
from readers.expected import CLOSE, HARNESS, check, read_expected
from readers.reading import found, over, refused

import at_k
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


@for_each("path, key", FILES.values(), ids=FILES)
def test_numbers(path, key):
    expected = read_expected()[key]
    data = at_k.read_results(path)
    assert data["answers"][0][2] == " It is 210."  # without the reasoning, as the metrics saw it
    data = data.map(
        lambda row: {"answers": [find_last_word(text) for text in row["answers"]], "scores": None}
    )
    silent = sum(answer is None for answers in data["answers"] for answer in answers)
    assert silent == 1
    (report,) = check(data, expected, silent=silent).values()
    printed = {
        name: value for name, value in expected["harness_printed"].items() if "stderr" not in name
    }
    same = {"avg@n:n=4": "avg@4", "mg-pass@2": "mG-Pass@2", "mg-pass@4": "mG-Pass@4"}
    same |= {f"pass@k:k={k}&n=4": f"pass@{k}" for k in (1, 2, 4)}
    same |= {
        f"g-pass@{k}_{tau}": f"G-Pass@{k}_{tau}" for k in (2, 4) for tau in (0.25, 0.5, 0.75, 1.0)
    }
    for theirs, ours in same.items():
        if theirs in printed:
            assert report.values[ours] == pytest.approx(printed[theirs], abs=CLOSE)
    # Its maj@n is the vote of the first n, where the first answer wins a tie and an empty one votes; "em" is of the
    # first text alone; G-Pass@k_0.0 is pass@k.
    assert printed.keys() <= {*same, "maj@n:n=3", "maj@n:n=4", "em", "g-pass@2_0.0", "g-pass@4_0.0"}


@for_each("path, key", FILES.values(), ids=FILES)
def test_a_checker_and_a_rule_find_the_answers(path, key):
    expected = read_expected()[key]

    def is_last_word(answer, reference):
        return find_last_word(answer) == reference

    report = at_k.score(path, metrics=["pass_at_k"], k=[1, 2, 4], check_correct_fn=is_last_word)
    assert report.c == expected["all_samples"]["n_correct"]
    assert report.values["pass@2"] == pytest.approx(expected["all_samples"]["pass@2"], abs=CLOSE)
    check(path, expected, extract_fn=r"(\S+?)[.!]*\s*$")


def test_roles_and_answers_of_real_files():
    path = FILES["toy_two_golds"][0]
    subject = {"task": "toy_two_golds|0", "model": "acme/toy-7b"}
    found(subject=subject, notes=["note.texts"], grades=None).compare(path, {})
    samples = read_samples(path)
    assert samples.problems == ["3", "1", "2", "4", "0"]
    assert samples.references[0] == ["210", "210.0"]
    assert samples.scores[0] == [-2.2231, -0.4873, -1.0849, -3.8949]
    assert json.loads(samples.listed("meta")[0]) == {"qid": "x3", "level": "hard"}
    levels = [doc["specific"]["level"] for doc in pq.read_table(ONE)["doc"].to_pylist()]
    found(group=levels).compare(ONE, {"columns": {"group": "level"}})
    refused("format.per_document", n="4").compare(ONE, {"scorer": "em"})


def rows(*changes, around="{}"):
    doc = {
        "id": "0",
        "choices": ["a", "b"],
        "gold_index": [1],
        "task_name": "t|0",
        "specific": {"level": "easy"},
    }
    response = {"text": ["x", "y"], "text_post_processed": None, "logprobs": [[-1.0], [-2.0]]}
    whole = [
        {"doc": doc | own.get("doc", {}), "metric": own.get("metric", {"em": 1.0})}
        | {"model_response": response | own.get("response", {})}
        for own in changes
    ]
    return pa.Table.from_pylist(
        [{around.format(name): each for name, each in own.items()} for own in whole]
    )


def texts(around):
    read = found(
        answers=[["x", "y"]] * 2,
        references=[["b"], ["a"]],
        scores=None,
        subject={"task": "t|0"},
        roles={"answers": "model_response.text"},  # the scores are of tokens
    )
    return (rows({}, {"doc": {"id": "1", "gold_index": [0]}}, around=around), read)


def scored(logprobs, scores):
    each = [
        {"doc": {"id": str(i)}, "response": {"logprobs": logprobs and logprobs[i]}}
        for i in range(2)
    ]
    return (rows(*each), found(scores=scores))


ONE_TEXT = {"response": {"text": ["x"], "logprobs": None}, "metric": {"f1": 0.5, "em": 1, "qem": 0}}
NO_TEXT = {"response": {"text": [], "logprobs": [-1.0, -2.0]}}
GOLD = "“doc.gold_index”"

test_rows = over(
    {
        "texts": texts("{}"),
        "older names": texts("__{}__"),
        "a score for each text": scored([[-1.0, -2.0], [-3.0, -4.0]], [[-1.0, -2.0], [-3.0, -4.0]]),
        "a score for some texts": scored([[-1.0, -2.0], [-3.0]], None),
        "no scores": scored(None, None),
        "one text is graded by a metric": (
            rows(ONE_TEXT),
            found([[1]], answers=[["x"]], chosen={"scorer": "em"}, notes=["collector.choice"]),
            ({"scorer": "f1"}, found([[0.5]])),
            ({"scorer": "acc"}, refused("format.no_choice", wanted="acc")),
        ),
        "choices without texts": (
            rows(NO_TEXT | {"metric": {"acc": 1.0}}),
            found([[1]], answers=None, scores=None, references=None),
        ),
        "neither texts nor a grade": (
            rows(NO_TEXT | {"metric": {"ppl": 7.5}}),
            refused("format.no_metric", metrics="“ppl”"),
        ),
        "a document twice": (
            rows({}, {}),
            refused("collector.same_problem", first="row 1", place="row 2"),
        ),
        "one of two golds is no choice": (
            rows({}, {"doc": {"id": "1", "gold_index": [0, 7]}}),
            refused("collector.field", name=GOLD, place="row 2"),
        ),
        "a gold that is no choice": (
            rows({}, {"doc": {"id": "1", "gold_index": [7]}}, {"doc": {"id": "2"}}),
            refused("collector.field", name=GOLD, place="row 2"),
            ({"errors": "skip"}, found(problems=["0", "2"], skipped={"collector.field": 1})),
        ),
        "fewer texts that were judged": (
            rows({"response": {"text_post_processed": ["x"]}}),
            refused("collector.field", name="“model_response.text_post_processed”", place="row 1"),
        ),
        "null in place of texts": (
            rows({"response": {"text": None}}),
            refused("collector.field", name="“model_response.text”", value="null"),
        ),
        "no id": (
            rows({"doc": {"id": None}}),
            refused("collector.lack", field="“doc.id”", place="row 1"),
        ),
    }
)

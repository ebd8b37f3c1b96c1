"""evalscope: samples that are numbered within a group, and answers that are empty."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

from at_k.errors import InputError
from at_k.readers import read_samples

NAME = "evalscope/reviews/toy-7b/general_mcq_toy.jsonl"
FILE = HARNESS / NAME

ROUNDED = 5e-5
"""The report of the harness has four digits."""


def write(path, *rows):
    lines = []
    for number, row in enumerate(rows):
        score = {"value": {"acc": 1.0}, "extracted_prediction": "A", "main_score_name": "acc"} | row.get("score", {})
        sample = {"score": score, "group_id": 0, "generation_index": number, "sample_metadata": {}}
        lines.append({"index": number, "target": ["A"], "sample_score": sample | row.get("sample", {})})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_numbers():
    expected = read_expected()[NAME]
    (report,) = check(FILE, expected).values()
    printed = expected["harness_printed"]
    assert report.values["avg@4"] == pytest.approx(printed["mean {}"], abs=ROUNDED)
    for k in (1, 2, 3, 4):
        assert report.values[f"pass@{k}"] == pytest.approx(printed[f"pass_at_k {{'k': {k}}}"], abs=ROUNDED)


def test_what_was_read():
    samples = read_samples(FILE)
    assert samples.answers[1] == ["A", None, "A", None]  # "" stands for no answer
    assert samples.references[:2] == [["B"], ["A"]]
    assert samples.numbers == [list(range(4))] * 5
    assert samples.origin.subject == {"task": "general_mcq_toy", "model": "toy-7b"}
    assert (samples.origin.chosen, samples.origin.notes) == ({}, [])


def test_a_folder_is_read_by_its_reviews():
    assert read_samples(HARNESS / "evalscope").problems == read_samples(FILE).problems


def test_scorers_can_be_chosen(tmp_path):
    value = {"f1": 0.5, "acc": 1.0}
    path = write(tmp_path / "f", {"score": {"value": value}}, {"score": {"value": {"f1": 0.25}}})
    samples = read_samples(path)
    assert (samples.grades, samples.origin.chosen) == ([[1.0, None]], {"scorer": "acc"})
    assert [note.code for note in samples.origin.notes] == ["collector.choice"]
    assert read_samples(path, scorer="f1").grades == [[0.5, 0.25]]
    with pytest.raises(InputError, match="“f1”, “acc”"):
        read_samples(path, scorer="bleu")
    # Without a main scorer it is the first.
    assert read_samples(write(path, {"score": {"value": value, "main_score_name": None}})).grades == [[0.5]]


def test_a_harness_that_extracts_nothing_gives_no_answers(tmp_path):
    assert read_samples(write(tmp_path / "f", {"score": {"extracted_prediction": None}})).answers is None


def test_older_files_do_not_number_the_samples(tmp_path):
    path = write(tmp_path / "f", {}, {})
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        del row["sample_score"]["generation_index"]
    path.write_text("\n".join(map(json.dumps, rows)))
    samples = read_samples(path)
    assert (samples.grades, samples.numbers) == ([[1.0, 1.0]], None)


def test_metadata_may_group(tmp_path):
    path = write(
        tmp_path / "f",
        {"sample": {"sample_metadata": {"level": "easy"}}},
        {"sample": {"sample_metadata": {"level": "hard"}, "group_id": 1}},
    )
    assert read_samples(path, columns={"group": "level"}).group == ["easy", "hard"]


BAD = {
    "numbers": ([{}, {"sample": {"generation_index": 0}}], "Sample 0 of problem 0 is there twice: line 1 and line 2"),
    "a number that is a list": ([{"sample": {"generation_index": []}}], "number of a sample must be"),
    "score": ([{"sample": {"score": 1}}], r"“score” is not what evalscope writes: 1 \(line 1\)"),
    "value": ([{"score": {"value": 0.5}}], "“value” is not what evalscope writes"),
    "grade": (
        [{"score": {"value": {"acc": 17}}}],
        "grade must be true, false, or a number from 0 to 1, unless `scale` says otherwise; got 17",
    ),
    "group": ([{"sample": {"group_id": None}}], "name of a problem"),
}


@pytest.mark.parametrize(("rows", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(tmp_path, rows, message):
    path = write(tmp_path / "f", *rows)
    with pytest.raises(InputError, match=message) as caught:
        read_samples(path)
    assert str(caught.value).startswith(str(path))


def test_runs_that_number_alike_must_be_pooled(tmp_path):
    paths = [write(tmp_path / name, {}, {}) for name in ("a", "b")]
    with pytest.raises(InputError, match='pool="file"'):
        read_samples(paths)
    assert read_samples(paths, pool="file").grades == [[1.0] * 4]


def test_broken(tmp_path):
    check_variants(FILE, tmp_path)

"""TRL: rewards are not marked, and files of two steps are of different weights."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import for_each
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

NAMES = [f"trl/completions_0000{step}.parquet" for step in (1, 2)]


def write(path, **columns):
    n = len(next(iter(columns.values())))
    first = {"step": [1] * n, "prompt": ["a"] * n, "completion": ["x"] * n}
    pq.write_table(pa.table(first | columns | {"advantage": [0.0] * n}), path)
    return path


@for_each("name", NAMES)
def test_numbers(name):
    report = check(HARNESS / name, read_expected()[f"{name}::correct"])["error"]
    assert "|scorer:correct|" in report.signatures["pass_at_k"]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("scorer", ["correct", "maybe"])
def test_the_harness_prints_the_same_mean(place, scorer):
    printed = json.loads((HARNESS / "trl" / "printed.json").read_text())[place][f"rewards/{scorer}/mean"]
    graded = [grade for row in read_samples(HARNESS / NAMES[place], scorer=scorer).grades for grade in row]
    graded = [grade for grade in graded if grade is not None]
    # TRL averages all rewards that are there. Ours is the same where every problem has as many of them.
    assert sum(graded) / len(graded) == pytest.approx(printed, abs=1e-7)  # TRL computes in single precision
    if scorer == "correct":
        assert at_k.score(HARNESS / NAMES[place]).values["accuracy"] == pytest.approx(printed, abs=1e-7)


def test_the_default_is_said():
    samples = read_samples(HARNESS / NAMES[0])
    assert [str(note) for note in samples.origin.notes] == [
        'The scorer is “correct”. The file also has “maybe”: `scorer="maybe"`.'
    ]
    assert read_samples(HARNESS / NAMES[0], scorer="maybe").n_missing > 0
    with pytest.raises(InputError, match="“correct”, “maybe”"):
        read_samples(HARNESS / NAMES[0], scorer="advantage")


def test_the_default_is_the_first_that_is_a_grade(tmp_path):
    path = write(tmp_path / "f", length=[-3.0, 250.0], empty=pa.array([None, None], pa.float64()), right=[0.0, 1.0])
    assert read_samples(path).origin.chosen == {"scorer": "right"}
    with pytest.raises(InputError, match="row 1") as caught:
        read_samples(path, scorer="length")
    assert caught.value.code == "cells.grade"


def test_one_reward_is_no_choice(tmp_path):
    samples = read_samples(write(tmp_path / "f", right=[0.0, 1.0]))
    assert (samples.origin.chosen, samples.origin.notes, samples.grades) == ({}, [], [[0.0, 1.0]])


def test_columns_that_are_no_rewards(tmp_path):
    with pytest.raises(InputError, match="no column of rewards") as caught:
        read_samples(write(tmp_path / "f", answer=["1", "2"], count=[1, 2]))
    assert caught.value.code == "trl.no_rewards"
    assert read_samples(tmp_path / "f", columns={"grades": "count"}, where={"count": 1}).grades == [[1.0]]
    with pytest.raises(InputError, match=r"“length” \[-3, 250\]") as caught:
        read_samples(write(tmp_path / "g", length=[-3.0, 250.0]))
    assert caught.value.code == "trl.not_grades"


def test_logged_columns_may_be_named():
    samples = read_samples(HARNESS / NAMES[0], columns={"answers": "extracted", "references": "answer"})
    assert samples.answers[0] == ["5", "3", None, "ä"]
    assert samples.references[0] == ["4"]
    with pytest.raises(InputError, match=r"There is no field “gold” .* “step”, “prompt”, “completion”, “correct”"):
        read_samples(HARNESS / NAMES[0], columns={"answers": "gold"})


def test_prompts_of_messages(tmp_path):
    def chat(text):
        return [{"role": "system", "content": "s"}, {"role": "user", "content": text}]

    path = write(tmp_path / "f", prompt=[chat("a"), chat("a"), chat("ß")], right=[0.0, 1.0, 1.0])
    samples = read_samples(path)
    assert samples.grades == [[0.0, 1.0], [1.0]]
    assert json.loads(samples.problems[1]) == chat("ß")


def test_a_prompt_that_is_not_there(tmp_path):
    path = write(tmp_path / "f", prompt=["a", None, "b"], right=[0.0, 1.0, 1.0])
    with pytest.raises(InputError, match="row 2"):
        read_samples(path)
    assert read_samples(path, errors="skip").problems == ["a", "b"]


def test_an_empty_file(tmp_path):
    with pytest.raises(InputError, match=r"f: There is no column of rewards|f: There are no samples"):
        read_samples(write(tmp_path / "f", right=pa.array([], pa.float64())))


def test_prompts_with_more_samples_than_others(tmp_path):
    samples = read_samples(write(tmp_path / "f", prompt=list("aabbaa"), right=[1.0] * 6))
    assert [len(each) for each in samples.grades] == [4, 2]
    assert [note.code for note in samples.origin.notes] == ["collector.shared_prompt"]


def test_two_steps_are_different_weights(tmp_path):
    with pytest.raises(InputError, match=r"not of the same training step: “1” .*, “2” "):
        read_samples([HARNESS / name for name in NAMES])
    path = write(tmp_path / "f", step=[1, 2], right=[0.0, 1.0])
    with pytest.raises(InputError, match="several training steps"):
        read_samples(path)
    assert read_samples(path, where={"step": 2}).grades == [[1.0]]


def test_broken(tmp_path):
    check_variants(HARNESS / NAMES[0], tmp_path, scorer="correct")

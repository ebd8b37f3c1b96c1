"""verifiers 0.4: episodes with weighted rewards."""

import json
from fractions import Fraction

import pytest
from cases import for_each
from readers.broken import check_variants
from readers.expected import HARNESS

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FILE = HARNESS / "verifiers-traces" / "traces.jsonl"


def load():
    return [json.loads(line) for line in FILE.read_text().splitlines()]


def write(path, *episodes):
    path.write_text("".join(json.dumps(episode) + "\n" for episode in episodes))
    return path


def episode(rewards, **more):
    return {"task": {"data": {"idx": 0}}, "ok": True, "traces": [{"rewards": rewards}]} | more


def test_the_numbers_of_the_file():
    expected = {}
    for each in load():
        reward = sum(own["score"] * own["weight"] for own in each["traces"][0]["rewards"].values())
        expected.setdefault(str(each["task"]["data"]["idx"]), []).append(reward)
    samples = read_samples(FILE)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == expected
    assert samples.origin.harness == "verifiers-traces"
    assert samples.origin.subject == {"task": "toy"}
    report = at_k.score(FILE, k=[1, 2])
    assert report.values["pass@1"] == pytest.approx(float(Fraction(9, 20)), rel=1e-15)
    assert report.values["pass@2"] == pytest.approx(float(Fraction(11, 15)), rel=1e-15)


@for_each(
    "rewards, scorer, grade",
    [
        ({"a": {"score": 1, "weight": 0.5}, "b": {"score": 0, "weight": 0.5}}, None, 0.5),
        ({"a": {"score": 1, "weight": 0.5}, "b": {"score": 0, "weight": 0.5}}, "a", 1),
        ({"a": {"score": None, "weight": 1}}, None, None),
        ({}, None, None),
    ],
)
def test_rewards(rewards, scorer, grade, tmp_path):
    assert read_samples(write(tmp_path / "f.jsonl", episode(rewards)), scorer=scorer).grades == [[grade]]


def test_what_failed_is_missing_and_a_task_may_have_a_key_alone(tmp_path):
    reward = {"a": {"score": 1, "weight": 1}}
    path = write(tmp_path / "f.jsonl", episode(reward, ok=False), episode(reward, task={"data": {}, "key": "k"}))
    samples = read_samples(path)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"0": [None], "k": [1]}


def test_a_sum_above_one_is_refused_with_the_rewards(tmp_path):
    path = write(tmp_path / "f.jsonl", episode({name: {"score": 1, "weight": 1} for name in "ab"}))
    with pytest.raises(InputError, match=r"got 2 .*“a”, “b”"):
        read_samples(path)
    assert read_samples(path, scale=(0, 2)).grades == [[1]]


def test_broken(tmp_path):
    check_variants(FILE, tmp_path, missing="incorrect")

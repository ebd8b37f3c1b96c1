"""Harnesses that are declared by the paths of their fields: what is taken, what is missing, and which models."""

import json

import pytest

from at_k.errors import InputError
from at_k.readers.collector import Collector
from at_k.readers.fields import Fields, list_documents
from at_k.readers.format import Reading
from at_k.readers.sources import Source

FIELDS = Fields(
    "example",
    problem="task.id",
    grades="judge.reward",
    number="trial",
    answers="said",
    references="gold",
    group="task.level",
    model="model",
    failed="error",
    meta=("usage.cost",),
)


def collect(*rows, **reading):
    whole = {"task": {"id": "p", "level": "easy"}, "judge": {"reward": 1}, "said": "7", "gold": "7"}
    whole |= {"model": "m", "error": None, "usage": {"cost": 0.1}}
    collector = Collector(Reading(**reading))
    listed = collector.entries(whole | {"trial": place} | row for place, row in enumerate(rows, 1))
    return FIELDS.collect(listed, collector=collector)


def test_every_field_is_taken():
    samples = collect({}, {"judge": {"reward": 0.25}, "said": None, "usage": {}}, {"task": {"id": "q"}})
    assert samples.problems == ["p", "q"]
    assert samples.grades == [[1, 0.25], [1]]
    assert samples.answers == [["7", None], ["7"]]
    assert samples.references == [["7"], ["7"]]
    assert samples.group == ["easy", None]
    assert samples.numbers == [[1, 2], [3]]
    assert list(map(json.loads, samples.listed("meta"))) == [{"cost": [0.1, None]}, {"cost": [0.1]}]
    assert samples.origin.subject == {"model": "m"}
    assert samples.origin.roles["grades"] == "judge.reward"


def test_what_failed_is_missing():
    samples = collect({}, {"error": {"type": "Timeout"}}, {"judge": None})
    assert samples.grades == [[1, None, None]]


def test_a_sample_without_a_problem():
    with pytest.raises(InputError, match=r"The field “task\.id” is missing \(line 2\)"):
        collect({}, {"task": {}})
    samples = collect({}, {"task": {}}, errors="skip")
    assert (samples.grades, sum(samples.origin.skipped.values())) == ([[1]], 1)


def test_several_models():
    rows = ({}, {"model": "n"})
    with pytest.raises(InputError, match="“model” has several values: “m”, “n”"):
        collect(*rows)
    assert collect(*rows, where={"model": "n"}).origin.subject == {"model": "n"}
    assert collect(*rows, pool=["model"]).origin.subject == {}


def test_documents_of_one_file_and_of_several(tmp_path):
    (tmp_path / "a.json").write_text('{"x": 1}')
    ((number, document, path),) = list_documents(Source("a.json", tmp_path / "a.json"))
    assert (number, document, path.name) == (1, {"x": 1}, "a.json")
    several = list_documents(Source("folder", b'{"x": 1}\n{"x": 2}\n', files=["a.json", "b.json"]))
    assert [(number, document["x"], path.name) for number, document, path in several] == [
        (1, 1, "a.json"),
        (2, 2, "b.json"),
    ]

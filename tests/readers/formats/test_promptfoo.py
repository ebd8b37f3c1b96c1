"""promptfoo: problems are told apart by their variables, and providers are models."""

import json
from collections import defaultdict

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FILES = [HARNESS / "promptfoo" / name for name in ("out.jsonl", "out.json")]
RND = {"provider.label": "rnd"}

both = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def test_csv_has_columns_for_each_provider():
    for model, graded in {
        "echoer": [[1, 1, 1], [0, 0, 0], [0, 0, 0]],
        "rnd": [[0, 0, 0], [0, 0, 0], [0, 1, 1]],
    }.items():
        samples = read_samples(HARNESS / "promptfoo" / "out.csv", where={"provider.label": model})
        assert samples.problems == ["one", "two", "three"]
        assert samples.grades == graded
        assert samples.origin.subject == {"model": model}
    assert samples.answers[2] == ["29182", "13169", "23175"]
    with pytest.raises(InputError, match="“echoer”, “rnd”"):
        read_samples(HARNESS / "promptfoo" / "out.csv")


def rows():
    return [json.loads(line) for line in FILES[0].read_text().splitlines()]


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@both
@pytest.mark.parametrize("model", ["rnd", "echoer"])
def test_samples_of_a_provider(path, model):
    expected = defaultdict(list)
    for row in rows():
        if row["provider"]["label"] == model:
            expected[row["vars"]["q"]].append((row["response"]["output"], float(row["success"])))
    samples = read_samples(path, where={"provider.label": model})
    assert samples.origin.harness == "promptfoo"
    assert samples.origin.subject == {"model": model}
    assert samples.problems == list(expected) == ["one", "two", "three"]
    assert samples.answers == [[answer for answer, _ in found] for found in expected.values()]
    assert samples.grades == [[grade for _, grade in found] for found in expected.values()]


@both
def test_values(path):
    # Counted by hand, as NOTE.md has it: 2 of 9, and one problem of 3; 3 of 9, all of one problem.
    rnd, echoer = (at_k.score(path, where={"provider.label": name}, k=[1, 3]) for name in ("rnd", "echoer"))
    assert [round(rnd.values[key], 4) for key in ("pass@1", "pass@3")] == [0.2222, 0.3333]
    assert [round(echoer.values[key], 4) for key in ("pass@1", "pass@3")] == [0.3333, 0.3333]


@both
def test_several_providers_are_not_mixed(path):
    with pytest.raises(InputError, match=r'where=\{"provider.label": "rnd"\}') as caught:
        read_samples(path)
    assert caught.value.code == "models.several"
    pooled = read_samples(path, pool="provider.label")
    assert (pooled.n.tolist(), pooled.origin.subject) == ([6, 6, 6], {})


def test_several_prompts_are_not_mixed(tmp_path):
    own = [row for row in rows() if row["provider"]["label"] == "rnd"]
    others = [row | {"prompt": row["prompt"] | {"label": "Another"}} for row in own]
    path = write(tmp_path / "f", *own, *others)
    with pytest.raises(InputError, match=r'where=\{"prompt.label": "Answer: \{\{q\}\}"\}'):
        read_samples(path)
    assert read_samples(path, where={"prompt.label": "Another"}).n.tolist() == [3, 3, 3]
    assert read_samples(path, pool="prompt.label").n.tolist() == [6, 6, 6]


def test_an_error_is_a_missing_sample_and_answers_may_be_objects(tmp_path):
    row = rows()[0]
    failed = {name: row[name] for name in row if name != "response"} | {"failureReason": 2}
    said = row | {"response": {"output": {"a": 1}}}
    samples = read_samples(write(tmp_path / "f", failed, said, row | {"response": {"output": None}}))
    assert samples.answers == [[None, '{"a": 1}', None]]
    assert samples.grades == [[None, 0, 0]]


def test_several_variables(tmp_path):
    row = rows()[0]
    samples = read_samples(write(tmp_path / "f", *(row | {"vars": {"b": b, "a": 1}} for b in "xyx")))
    assert samples.problems == ['{"a": 1, "b": "x"}', '{"a": 1, "b": "y"}']
    assert samples.n.tolist() == [2, 1]


def test_a_file_without_results(tmp_path):
    path = tmp_path / "f.json"
    path.write_text('{"evalId": "e", "results": {"stats": {}}}')
    with pytest.raises(InputError, match="no list of results"):
        read_samples(path)


def test_one_row(tmp_path):
    assert read_samples(write(tmp_path / "f", rows()[0])).problems == ["one"]


def test_broken(tmp_path):
    check_variants(FILES[0], tmp_path, where=RND)

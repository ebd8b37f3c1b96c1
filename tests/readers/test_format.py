"""By what a format is recognised, what its declaration reads, and the choice among scorers, filters or tests."""

from contextlib import suppress

import pytest
from cases import for_each, for_rows
from readers.reading import found, refused
from readers.texts import write_lines

from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.fields import Fields, Keys
from at_k.readers.files.sources import Source
from at_k.readers.format import Reading
from at_k.readers.formats import FORMATS, find_format


@for_each("text, name", [
    ('{"problem_idx": 1, "repeat": 0, "reward": 1}', "nemo-evaluator"),
    ('{"problem_idx": 1, "repeat": 0, "reward": 1}\n{"id": 1}', "nemo-evaluator"),
    ('[{"problem_idx": 1, "repeat": 0, "reward": 1}]', "plain"), ("problem_idx,repeat,reward\n1,0,1\n", "plain"),
    ('{"problem_idx": 1, "repeat": 0}', "plain"),
])  # fmt: skip
def test_lines_and_a_single_object_are_rows(text, name):
    assert find_format(Source("", text.encode())).name == name


# Every format of a harness: `test_formats_take_the_options_that_they_look_at`.
REFUSED = {
    "human-eval": ("prompt_column", ("human-eval", "`prompt_column`", "none")),
    "lm-eval": ("prompt_column", ("lm-eval", "`prompt_column`", "`scorer`, `filter`")),
    "plain": ("scorer", ("plain", "`scorer`", "`prompt_column`")),
}


@pytest.mark.parametrize("format", REFUSED)
def test_an_option_that_a_format_does_not_take_is_refused(tmp_path, format):
    option, said = REFUSED[format]
    content = b'{"task_id": "a", "completion": "", "passed": true, "result": "passed"}\n'
    (tmp_path / "f.jsonl").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_samples(tmp_path / "f.jsonl", format=format, **{option: "x"})
    assert caught.value.code == "format.no_option"
    assert all(each in str(caught.value) for each in said)


KEYS = Keys(
    "task.id",
    "judge.reward",
    number="trial",
    answers="said",
    references="gold",
    group="task.level",
    failed="error",
    details=("usage.cost",),
    needed=("task", "judge"),
)
FIELDS = Fields("example", KEYS)


def rows(*changes):
    whole = {"task": {"id": "p", "level": "easy"}, "judge": {"reward": 1}, "said": "7", "gold": "7"}
    whole |= {"model": "m", "error": None, "usage": {"cost": 0.1}}
    return [whole | {"trial": place} | row for place, row in enumerate(changes, 1)]


# name: (rows, how they are read, the samples or the error)
READ = {
    "every field": (
        [{}, {"judge": {"reward": 0.25}, "said": None, "usage": {}}, {"task": {"id": "q"}}], {},
        found({"p": [1, 0.25], "q": [1]}, answers=[["7", None], ["7"]], references=[["7"], ["7"]],
              group=["easy", None], numbers=[[1, 2], [3]], meta=[{"cost": [0.1, None]}, {"cost": [0.1]}],
              subject={"model": "m"}, roles={"grades": "judge.reward"}),
    ),
    "failed samples": ([{}, {"error": {"type": "Timeout"}}, {"judge": None}], {}, found([[1, None, None]])),
    "no problem": ([{}, {"task": {}}], {}, refused("collector.lack", field="“task.id”", place="line 2")),
    "no problem, skipped": (
        [{}, {"task": {}}], {"errors": "skip"}, found([[1]], skipped={"collector.lack": 1})),
    "two models": ([{}, {"model": "n"}], {}, refused("models.several", column="model", values="“m”, “n”")),
    "one of two models": ([{}, {"model": "n"}], {"where": {"model": "n"}}, found(subject={"model": "n"})),
    "two models that are pooled": ([{}, {"model": "n"}], {"pool": ["model"]}, found(subject={})),
}  # fmt: skip


@for_rows("changes, reading, expected", READ)
def test_declared_fields_are_read(changes, reading, expected):
    def read():
        return FIELDS.read(Source("f", write_lines(rows(*changes)).encode()), Reading(**reading))

    expected.check(read if isinstance(expected, refused) else read())


ODD = [
    '{"prompt":"a","completion":"b"}', '{"spans":[]}', '[{"assessments":[]}]', '{"feedback":null,"rows":3}',
    '{"results":[]}', '{"columns":["request","response"],"data":[]}', '{"columns":[],"data":[]}', '{"data":[null]}',
    '{"messages":[],"reward":null}', "{}", "[]", "[[]]", "[null]", "[1,2]", '"x"', "3", '{"details":[1]}',
    '{"eval":[[]]}',
]  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_every_format_refuses_what_it_cannot_be(text, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(text)
    for name in FORMATS:
        with suppress(InputError):
            read_samples(path, format=name)

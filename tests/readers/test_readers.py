"""A results file as a data set, whatever its format and encoding, or an error that names it."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from cases import for_each
from readers.reading import Json, found, over, refused
from readers.texts import write_delimited, write_lines

import at_k
from at_k.demo.limits import LIMITS
from at_k.errors import InputError
from at_k.readers import read_results, read_samples
from at_k.readers.files.sources import Source

ROWS = [
    {"qid": "p", "pred": ["a", None], "gold": ["a", "A"], "score": [2.0, 1.0], "level": "x"},
    {"qid": "é", "pred": ["b", "c"], "gold": ["b"], "score": [0.0, 1.0], "level": "y"},
]
STANDARD = {
    "problem": ["p", "é"],
    "answers": [["a", None], ["b", "c"]],
    "references": [["a", "A"], ["b"]],
    "scores": [[2.0, 1.0], [0.0, 1.0]],
    "group": ["x", "y"],
}
NAMED = {"problem": "qid"}


PROMPTFOO = Path(__file__).parents[1] / "data/harness/promptfoo/out.csv"


def write_arrow(name):
    """Write a table with a text that need not be one."""
    names = pa.array([name]).view(pa.string())
    table = pa.table({"id": names, "correct": [True]})
    with pa.BufferOutputStream() as stream:
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        return stream.getvalue().to_pybytes()


def write(path, text, encoding="utf-8"):
    path.write_text(text, encoding=encoding)
    return path


@pytest.mark.parametrize("name", ["results.json", "results.csv", "results"])
def test_json_is_read_by_its_content(tmp_path, name):
    path = write(tmp_path / name, json.dumps(ROWS, ensure_ascii=False))
    data, samples = read_results(path, columns=NAMED), read_samples(path, columns=NAMED)
    assert data.column_names == [
        "problem",
        "answers",
        "references",
        "grades",
        "scores",
        "group",
        "meta",
    ]
    assert {name: data[name][:] for name in STANDARD} == STANDARD
    assert data["grades"][:] == data["meta"][:] == [None, None]
    assert {role: samples.listed(role) for role in samples.columns()} == STANDARD
    assert samples.roles == {
        "problem": "qid",
        "answers": "pred",
        "references": "gold",
        "grades": None,
        "scores": "score",
        "group": "level",
    }


def test_types_do_not_depend_on_the_values(tmp_path):
    text = (
        '{"id": 1, "pred": [null], "target": 3, "correct": [null], "score": [null], "level": true}'
    )
    features = read_results(write(tmp_path / "f", text)).features
    assert {name: str(each).replace("Sequence", "List") for name, each in features.items()} == {
        "problem": "Value('string')",
        "answers": "List(Value('string'))",
        "references": "List(Value('string'))",
        "grades": "List(Value('float64'))",
        "scores": "List(Value('float64'))",
        "group": "Value('string')",
        "meta": "Value('string')",
    }


def test_the_description_says_what_was_taken_for_what(tmp_path):
    data = read_results(
        write(tmp_path / "f.json", json.dumps(ROWS)), columns={"problem": "qid", "group": None}
    )
    assert data.info.description == (
        "Read from f.json: problem from column “qid”, answers from column “pred”, references from column “gold”, "
        "scores from column “score”."
    )


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("column", ["model", "LLM"])
def test_files_of_two_models_are_no_samples_of_one(tmp_path, kind, column):
    spell = write_lines if kind == "jsonl" else write_delimited
    paths = [
        write(
            tmp_path / f"{name}.{kind}",
            spell([{"task_id": q, column: name, "correct": 1} for q in ("q1", "q2")]),
        )
        for name in "ab"
    ]
    found(subject={column: "a"}).compare(paths[0], {})
    refused("merging.models").compare(paths, {})
    found([[1, 1], [1, 1]], subject={}).compare(paths, {"pool": column})


@for_each(
    "name, content",
    [
        ("README.md", b"# Results\n\nThe runs of May, and two more.\n"),
        ("run.log", b"12:00 started\n12:01 done, with 3 errors, 2 warnings\n"),
        ("notes.txt", b""),
        ("score.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("config.yaml", b"model: a\nseed: 1\n"),
    ],
)
def test_what_lies_beside_the_results_of_a_folder_is_passed_over(name, content, tmp_path):
    write(tmp_path / "run.jsonl", '{"id": "p", "correct": 1}\n')
    alone = read_samples(tmp_path)
    (tmp_path / name).write_bytes(content)
    beside = read_samples(tmp_path)
    assert (beside.grades, beside.origin) == (alone.grades, alone.origin)
    with pytest.raises(InputError):
        read_samples([tmp_path / "run.jsonl", tmp_path / name])  # it was named


@for_each(
    "name, text, columns",
    [
        ("run.txt", "id,correct\np,2\n", {}),
        ("run", "qid,ok\np,2\n", {"grades": "ok"}),
        ("run.csv", "a,b\n1,2\n", {}),
    ],
)
def test_results_of_a_folder_are_not_passed_over(name, text, columns, tmp_path):
    write(tmp_path / "run.jsonl", '{"id": "p", "correct": 1, "ok": 1}\n')
    write(tmp_path / name, text)
    with pytest.raises(InputError, match=rf"{name}: "):
        read_samples(tmp_path, columns=columns)


def test_there_is_no_limit_unless_one_is_given(tmp_path):
    rows = [{"id": i, "correct": [1, 0], "completion": "x" * 3_000} for i in range(2_000)]
    path = write(tmp_path / "f.jsonl", "\n".join(map(json.dumps, rows)))
    assert path.stat().st_size > LIMITS.max_bytes
    assert len(read_results(path)) == 2_000
    with pytest.raises(InputError, match=r"the limit is 5,000,000") as caught:
        read_results(path, limits=LIMITS)
    assert caught.value.code == "tables.too_large"


def test_an_error_names_the_file(tmp_path):
    path = write(tmp_path / "f.csv", "id,correct\n1,2\n")
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value).startswith(
        f"{path}: A grade must be true, false, or a number from 0 to 1; got"
    )
    assert "got 2.0 (line 2, column “correct”)" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


test_contents = over(
    {
        "another encoding": ("é".encode("latin-1"), refused("decoding.encoding")),
        "another encoding in a cell": (b"id,correct\n\xff", refused("decoding.encoding")),
        "gzip that is cut": (b"\x1f\x8b", refused("sources.broken")),
        "a picture": (b"\x89PNG\r\n\x1a\n\0\0", refused("sources.binary")),
        "another encoding in CSV of promptfoo": (
            PROMPTFOO.read_bytes().replace(b"PASS", b"\xff", 1),
            refused("decoding.encoding"),
        ),
        "a short row in CSV of promptfoo": (
            b"q,[m] p,Status,Score,Named Scores\na,x,PASS,1,\nb,x\n",
            refused("tables.fields", row="3", count="2"),
        ),
        "a text of Arrow that is none": (write_arrow(b"\xf0("), refused("parquet.broken")),
        "a first line that ends within a line": (
            b"m\rid,ok\n1,2,3\n",
            refused("tables.fields", row="2", count="2"),
        ),
        "names of problems in a document that are lists": (
            Json({"results": [{"problem": ["a"], "correct": 1}]}),
            found(problems=["1"]),
        ),
    }
)


def test_readers_load_few_libraries(tmp_path):
    """Importing them loads NumPy alone. Reading loads neither pandas nor datasets; PyArrow before 26 loads pandas."""
    path = write(tmp_path / "f.jsonl", '{"id": 1, "answers": ["a", "b"], "target": "a"}\n')
    libraries = {"datasets", "pandas", "pyarrow", "evaluate"}
    show = f"print(sorted({libraries} & {{*sys.modules}}))"
    code = f"import sys, at_k.readers; {show}; import at_k; at_k.score({str(path)!r}); {show}"
    root = Path(at_k.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    first, after = done.stdout.splitlines()
    assert first == "[]"
    assert after == "['pyarrow']" or int(pa.__version__.split(".")[0]) < 26


def test_a_document_is_decoded_once_and_not_kept(tmp_path, monkeypatch):
    decoded, held = [], []
    monkeypatch.setattr(
        "at_k.readers.files.sources.decode_document",
        lambda data: decoded.append(data) or json.loads(data),
    )
    release = Source.release
    monkeypatch.setattr(
        Source, "release", lambda source: release(source) or held.append(vars(source))
    )
    trial = {"task_id": 1, "reward": 1.0, "info": {}, "traj": []}
    files = [
        write(tmp_path / f"trial_{number}.json", json.dumps([trial | {"trial": number}]))
        for number in range(3)
    ]
    assert read_samples(files).grades == [[1.0] * 3]
    assert len(decoded) == 3
    assert len(held) == 3
    assert not any("document" in each for each in held)

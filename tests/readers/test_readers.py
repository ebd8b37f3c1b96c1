"""A results file as a data set, whatever its format and encoding, or an error that names it."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from cases import for_each

import at_k
from at_k.demo.limits import LIMITS
from at_k.errors import InputError
from at_k.readers import read_results, read_samples
from at_k.readers.sources import Source

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
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


def columns(data):
    """List the columns that a file has; the others are null."""
    listed = {name: data[name][:] for name in data.column_names}
    assert list(listed) == ["problem", "answers", "references", "grades", "scores", "group", "meta"]
    return {name: values for name, values in listed.items() if any(value is not None for value in values)}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("name", ["results.json", "results.jsonl", "results.txt", "results"])
def test_json_is_read_by_its_content(tmp_path, name, encoding):
    for text in (json.dumps(ROWS, ensure_ascii=False), "\n".join(map(json.dumps, ROWS))):
        assert columns(read_results(write(tmp_path / name, text, encoding), columns=NAMED)) == STANDARD


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_csv_is_read_by_its_content(tmp_path, delimiter):
    text = "task_id,answer,target,category\n1,18,… #### 18,é\n1,7,… #### 18,é\n".replace(",", delimiter)
    data = read_results(str(write(tmp_path / "results", text)))
    assert columns(data) == {
        "problem": ["1"],
        "answers": [["18", "7"]],
        "references": [["… #### 18"]],
        "group": ["é"],
    }


def test_types_do_not_depend_on_the_values(tmp_path):
    text = '{"id": 1, "pred": [null], "target": 3, "correct": [null], "score": [null], "level": true}'
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
    data = read_results(write(tmp_path / "f.json", json.dumps(ROWS)), columns={"problem": "qid", "group": None})
    assert data.info.description == (
        "Read from f.json: problem from column “qid”, answers from column “pred”, references from column “gold”, "
        "scores from column “score”."
    )


def test_samples_say_what_was_taken_for_what(tmp_path):
    samples = read_samples(write(tmp_path / "f.json", json.dumps(ROWS)), columns=NAMED)
    assert {role: samples.listed(role) for role in samples.columns()} == STANDARD
    assert samples.roles == {
        "problem": "qid", "answers": "pred", "references": "gold", "grades": None, "scores": "score", "group": "level",
    }  # fmt: skip


@for_each("name", ["qwen25_math.jsonl", "taubench_airline.jsonl"])
def test_examples(name):
    rows = list(map(json.loads, (EXAMPLES / name).read_text(encoding="utf-8").splitlines()))
    data = read_results(EXAMPLES / name)
    assert data["grades"][:] == [row["correct"] for row in rows]


def test_where_and_pool(tmp_path):
    path = write(tmp_path / "f.csv", "model,id,correct\na,1,1\nb,1,0\n")
    with pytest.raises(InputError, match=r"f\.csv: Column “model” has several values: “a”, “b”") as caught:
        read_results(path)
    assert caught.value.code == "models.settings"
    assert read_results(path, where={"model": "b"})["grades"][:] == [[0.0]]
    assert read_results(path, pool="model")["grades"][:] == [[1.0, 0.0]]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("column", ["model", "LLM"])
def test_files_of_two_models_are_no_samples_of_one(tmp_path, kind, column):
    for name in "ab":
        rows = [{"task_id": problem, column: name, "correct": 1} for problem in ("q1", "q2")]
        lines = (
            map(json.dumps, rows)
            if kind == "jsonl"
            else [",".join(map(str, each)) for each in (rows[0], *map(dict.values, rows))]
        )
        (tmp_path / f"{name}.{kind}").write_text("\n".join(lines))
    paths = [tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"]
    assert read_samples(paths[0]).origin.subject == {column: "a"}
    with pytest.raises(InputError, match=f"not of the same {column}: “a” .*pool=") as caught:
        read_samples(paths)
    assert caught.value.code == "merging.models"
    pooled = read_samples(paths, pool=column)
    assert (pooled.grades, pooled.origin.subject) == ([[1, 1], [1, 1]], {})


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
    [("run.txt", "id,correct\np,2\n", {}), ("run", "qid,ok\np,2\n", {"grades": "ok"}), ("run.csv", "a,b\n1,2\n", {})],
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


class TestFaults:
    def test_an_error_names_the_file(self, tmp_path):
        path = write(tmp_path / "f.csv", "id,correct\n1,2\n")
        with pytest.raises(InputError) as caught:
            read_results(path)
        assert str(caught.value).startswith(f"{path}: A grade must be true, false, or a number from 0 to 1; got 2.0 ")
        assert "(line 2, column “correct”)" in str(caught.value)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)

    def test_no_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"There is no file .*nowhere\.csv"):
            read_results(tmp_path / "nowhere.csv")

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            ("é".encode("latin-1"), "decoding.encoding"),
            (b"id,correct\n\xff", "decoding.encoding"),
            (b"\x1f\x8b", "sources.broken"),
            (b"\x89PNG\r\n\x1a\n\0\0", "sources.binary"),
            (PROMPTFOO.read_bytes().replace(b"PASS", b"\xff", 1), "decoding.encoding"),
            (write_arrow(b"\xf0("), "parquet.broken"),
        ],
    )
    def test_no_text(self, tmp_path, content, code):
        path = tmp_path / "f"
        path.write_bytes(content)
        with pytest.raises(InputError, match="f: This ") as caught:
            read_results(path)
        assert caught.value.code == code

    def test_the_first_line_ends_within_a_line(self, tmp_path):
        with pytest.raises(InputError, match=r"not 2 \(line 2\)"):
            read_results(write(tmp_path / "f", "m\rid,ok\n1,2,3\n"))

    def test_names_of_problems_in_a_document_may_be_lists(self, tmp_path):
        rows = {"results": [{"problem": ["a"], "correct": 1}]}
        assert read_samples(write(tmp_path / "f", json.dumps(rows))).problems == ["1"]

    def test_an_empty_file(self, tmp_path):
        with pytest.raises(InputError, match=r"There are no results here\."):
            read_results(write(tmp_path / "f", ""))


def test_readers_load_few_libraries(tmp_path):
    """Importing them loads NumPy alone. Reading loads neither pandas nor datasets; PyArrow before 26 loads pandas."""
    path = write(tmp_path / "f.jsonl", '{"id": 1, "answers": ["a", "b"], "target": "a"}\n')
    libraries = {"datasets", "pandas", "pyarrow", "evaluate"}
    show = f"print(sorted({libraries} & {{*sys.modules}}))"
    code = f"import sys, at_k.readers; {show}; import at_k; at_k.score({str(path)!r}); {show}"
    root = Path(at_k.__file__).parents[1]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    first, after = found.stdout.splitlines()
    assert first == "[]"
    assert after == "['pyarrow']" or int(pa.__version__.split(".")[0]) < 26


def test_a_document_is_decoded_once_and_not_kept(tmp_path, monkeypatch):
    decoded, held = [], []
    monkeypatch.setattr("at_k.readers.sources.decode_document", lambda data: decoded.append(data) or json.loads(data))
    release = Source.release
    monkeypatch.setattr(Source, "release", lambda source: release(source) or held.append(vars(source)))
    trial = {"task_id": 1, "reward": 1.0, "info": {}, "traj": []}
    files = [write(tmp_path / f"trial_{number}.json", json.dumps([trial | {"trial": number}])) for number in range(3)]
    assert read_samples(files).grades == [[1.0] * 3]
    assert len(decoded) == 3
    assert len(held) == 3
    assert not any("document" in each for each in held)

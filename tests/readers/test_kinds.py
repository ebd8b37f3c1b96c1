"""Kinds of data that version 0.7.0 read wrongly: a right number, a question, or a word beside the number."""

import io
import json
import lzma
import random
import tarfile
import zipfile
from itertools import product

import fsspec
import pytest
from datasets import Dataset, DatasetDict
from readers.scoreboard import read_kinds

import at_k
from at_k.errors import InputError

KINDS = {kind["kind"]: kind for kind in read_kinds()}

ASKED = {
    "a lost row hides settings": "models.settings",
    "settings within an object": "models.settings",
    "two systems, unequal rows": "models.settings",
    "order of rows: run by run": "plain.unknown",
    "a name for each row": "plain.questions",
    "attempts within trials": "structure.retries",
    "failures as words": "plain.unknown",
    "YAML in a paste": "plain.unknown",
}
"""Kinds that are asked about, with the code of the question."""


def open_kind(name, folder):
    """Write the file of a kind, or make its object."""
    kind = KINDS[name]
    if kind["file"] is None:
        return eval(kind["python"])
    path = folder / kind["file"]
    path.write_text(kind["text"], encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ASKED)
def test_kinds_that_are_asked_about(name, tmp_path):
    with pytest.raises(InputError) as caught:
        at_k.score(open_kind(name, tmp_path))
    assert caught.value.code == ASKED[name]


@pytest.mark.parametrize(
    "name", ["a summary beside its trials", "a summary beside objects", "counts in objects"]
)
def test_kinds_that_have_one_number(name, tmp_path):
    data, metric = open_kind(name, tmp_path), KINDS[name]["metric"]
    try:
        report = at_k.score(data)
    except InputError as error:
        report = at_k.score(data, **error.readings[0].options)
    assert report.values[metric] == pytest.approx(KINDS[name]["right"])


def test_failures_are_said_with_both_policies(tmp_path):
    report = at_k.score(open_kind("flags of failures", tmp_path))
    (said,) = [str(note) for note in report.notes if note.code == "note.errors"]
    assert said == (
        "Samples with true in column “timed_out” that count as wrong: 2. pass@1 is 0.500 with them, and 0.667 without "
        'them: `columns={"error": "timed_out"}, missing="drop"`.'
    )


def test_last_of_several_attempts_counts(tmp_path):
    data = open_kind("attempts within trials", tmp_path)
    columns = {"sample": "trial", "attempt": "attempt"}
    assert at_k.score(data, columns=columns).values["pass@1"] == 0.75


def test_shards_are_joined_under_any_names(tmp_path):
    for name, problems in (("part-00000-1f2e.snappy", "ab"), ("part-00001-9c3d.snappy", "cd")):
        lines = [f'{{"id": "{p}", "correct": {i}}}\n' for p in problems for i in (0, 1)]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    assert at_k.score(tmp_path).values["pass@1"] == 0.5
    for path in tmp_path.iterdir():  # the same problems under other names may be of two models
        path.write_text('{"id": "a", "correct": 1}\n' * 2, encoding="utf-8")
    with pytest.raises(InputError, match="may be of two models"):
        at_k.score(tmp_path)


@pytest.mark.parametrize("by_run", [False, True])
def test_order_of_rows_does_not_matter(tmp_path, by_run):
    rows = [(run, p) for run in range(2) for p in range(3000)]
    rows = rows if by_run else sorted(rows, key=lambda row: row[1])
    text = "".join(f"p{p},{run},{(p + run) % 3 == 0:d}\n" for run, p in rows)
    path = tmp_path / "results.csv"
    path.write_text(f"cuestion,lauf,correct\n{text}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        at_k.score(path)
    assert caught.value.code == "standard.no_problem"
    assert caught.value.readings[0].options == {"columns": {"problem": "cuestion"}}


@pytest.mark.parametrize(
    "name",
    [
        "a dict of problems, digits",
        "a dict of problems, objects",
        "rows as a generator",
        "integers as answers",
    ],
)
def test_objects_are_the_documents_that_they_would_be(name):
    kind = KINDS[name]
    report = at_k.score(eval(kind["python"]))
    assert report.values[kind["metric"]] == pytest.approx(kind["right"])


def test_file_in_a_store_is_read_as_a_file_is():
    with fsspec.open("memory://bucket/run.jsonl", "wb") as file:
        file.write(b'{"id": "a", "correct": 1}\n{"id": "a", "correct": 0}\n')
    assert at_k.score("memory://bucket/run.jsonl").values["pass@1"] == 0.5
    with pytest.raises(FileNotFoundError, match=r"There is no file memory://bucket/none\.jsonl"):
        at_k.score("memory://bucket/none.jsonl")
    with pytest.raises(InputError, match="cannot be opened"):
        at_k.score("nowhere://bucket/none.jsonl")


def test_failures_are_left_out_as_the_note_says(tmp_path):
    data = open_kind("flags of failures", tmp_path)
    (note,) = [note for note in at_k.score(data).notes if note.code == "note.errors"]
    report = at_k.score(data, **note.values["way"].settings)
    assert f"{report.values['pass@1']:.3f}" == note.values["excluded"]


def list_tries(outer, inner, n_tries):
    """Make a row for each try at each sample, in no order; the last try at sample 0 alone is right."""
    rows = [
        {"id": f"q{p}", outer: i, inner: j, "passed": (i == 0) == (j + 1 == n_tries(i))}
        for p in range(5)
        for i in range(4)
        for j in range(n_tries(i))
    ]
    return random.Random(1).sample(rows, len(rows))


@pytest.mark.parametrize("names", [("run", "retry"), ("trial", "retry"), ("run", "attempt")])
@pytest.mark.parametrize("n_tries", [lambda i: 2, lambda i: 1 + i % 2], ids=["all", "some"])
def test_retries_are_asked_about_under_any_name(names, n_tries):
    with pytest.raises(InputError) as caught:
        at_k.score(list_tries(*names, n_tries))
    outer, inner = names
    assert caught.value.code == "structure.retries"
    assert caught.value.readings[0].options == {"columns": {"sample": outer, "attempt": inner}}


def test_attempts_that_restart_for_each_sample_are_asked_about():
    samples = [(f"q{p}", s, (p + s) % 3 == 0) for p in range(6) for s in range(4)]
    rows = [
        {"task": p, "retry": t, "passed": right and t == s % 2}
        for p, s, right in samples
        for t in range(1 + s % 2)
    ]
    with pytest.raises(InputError) as caught:
        at_k.score(rows)
    assert caught.value.code == "structure.restarts"
    last = caught.value.readings[0].options
    assert last == {"columns": {"attempt": "retry"}}
    expected = at_k.score([{"task": p, "passed": right} for p, _, right in samples])
    assert at_k.score(rows, **last).values == expected.values


@pytest.mark.parametrize("column", ["answer", "at"])
def test_short_texts_of_a_resumed_run_show_its_copies(column):
    draw = random.Random(2)
    rows = [
        {"task": f"q{p}", column: draw.choice("ABCD"), "correct": draw.random() < 0.5}
        for p in range(25)
        for _ in range(4)
    ]
    with pytest.raises(InputError) as caught:
        at_k.score(rows + rows[:24])
    assert caught.value.code == "structure.resumed"
    assert len(at_k.score(rows)) == 25
    # A model that always says the same writes equal rows, too.
    same = [row | {column: row["task"], "correct": row["task"] < "q2"} for row in rows]
    assert len(at_k.score(same + same[:24])) == 25


def test_models_below_problems_are_read_one_by_one():
    data = {f"p{i}": {"gpt-4o": [1, 0, 1], "llama": [0, 0, int(i == 0)]} for i in range(3)}
    with pytest.raises(InputError) as caught:
        at_k.score(data)
    first, second = caught.value.readings
    assert first.options == {"columns": {"grades": "gpt-4o"}}
    assert at_k.score(data, **first.options).values["pass@1"] == pytest.approx(2 / 3)
    assert second.options == {"rows_at": "p0"}


def test_truth_values_on_a_scale_that_is_turned():
    rows = [{"id": f"q{p}", "failed": p == 0} for p in range(4) for _ in range(2)]
    read = {"columns": {"grades": "failed"}, "metrics": "pass@1"}
    assert at_k.score(rows, **read).values["pass@1"] == 0.25
    assert at_k.score(rows, scale=(1, 0), **read).values["pass@1"] == 0.75


RUNS = {
    f"run{run}.jsonl": "".join(
        json.dumps({"id": f"q{p}", "passed": p > run}) + "\n" for p in range(4)
    )
    for run in range(3)
}
"""Files of three runs: pass@1 is the mean of 3/4, 2/4 and 1/4."""


def write_zip(folder):
    """Write the runs and what macOS adds as a zip file."""
    with zipfile.ZipFile(folder / "runs.zip", "w") as archive:
        for name, text in RUNS.items():
            archive.writestr(f"out/{name}", text)
            archive.writestr(f"__MACOSX/out/._{name}", "…")
    return folder / "runs.zip"


def write_tar(folder):
    """Write the runs as a tar file that is compressed."""
    with tarfile.open(folder / "runs.tar.gz", "w:gz") as archive:
        for name, text in RUNS.items():
            member = tarfile.TarInfo(f"../{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return folder / "runs.tar.gz"


@pytest.mark.parametrize("write", [write_zip, write_tar])
def test_archives_are_read_as_the_folders_that_they_hold(write, tmp_path):
    report = at_k.score(write(tmp_path), metrics="pass@1")
    assert (len(report), report.values["pass@1"]) == (4, 0.5)
    assert list(tmp_path.parent.glob("*.jsonl")) == []


def test_a_fault_in_an_archive_names_its_member(tmp_path):
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for run in range(2):
            archive.writestr(f"out/run{run}.jsonl", '{"id": 1, "correct": 1}\n{"id": ')
    with pytest.raises(InputError) as caught:
        at_k.score(path)
    assert str(caught.value).startswith(f"{path}/out/run0.jsonl: ")


def test_a_broken_tar_file_is_named(tmp_path):
    path = write_tar(tmp_path)
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(InputError, match=r"runs\.tar\.gz: This tar file is cut off or damaged"):
        at_k.score(path)


def test_a_dict_of_data_sets_is_asked_about():
    rows = [{"id": f"q{p}", "passed": p % 2} for p in range(4) for _ in range(2)]
    parts = {"train": Dataset.from_list(rows[:4]), "test": Dataset.from_list(rows)}
    with pytest.raises(InputError) as caught:
        at_k.score(DatasetDict(parts))
    for reading, part in zip(caught.value.readings, parts, strict=True):
        assert reading.options == {"where": {"split": part}}
    assert len(at_k.score(DatasetDict(parts), where={"split": "test"})) == 4
    assert len(at_k.score(DatasetDict(test=parts["test"]))) == 4


def test_folders_name_problems_where_files_count_samples(tmp_path):
    for p in range(4):
        (tmp_path / f"prob{p}").mkdir()
        for i in range(3):
            text = json.dumps({"passed": p > i})
            (tmp_path / f"prob{p}" / f"sample_{i}.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        at_k.score(tmp_path)
    assert caught.value.readings[0].options == {"columns": {"problem": "folder"}}


@pytest.mark.parametrize(
    "pack",
    [lzma.compress, lambda text: text.decode().encode("utf-16")],
    ids=["xz", "UTF-16"],
)
@pytest.mark.parametrize("layout", ["csv", "jsonl"])
def test_files_of_xz_and_utf_16_are_read(pack, layout, tmp_path):
    rows = [{"id": f"é{p}", "passed": int(p > i)} for p in range(4) for i in range(3)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if layout == "csv":
        text = "id,passed\n" + "".join(f"{row['id']},{row['passed']}\n" for row in rows)
    path = tmp_path / "results"
    path.write_bytes(pack(text.encode()))
    report = at_k.score(path, metrics="pass@1")
    assert (len(report), report.values["pass@1"]) == (4, 0.5)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(InputError, match="is cut off or damaged"):
        at_k.score(path)


def write_twins(folder, first, second, rows):
    """Write the same rows as JSON lines and as CSV, under two names."""
    (folder / first).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lines = ["id,passed", *(f"{row['id']},{row['passed']}" for row in rows)]
    (folder / second).write_text("\n".join(lines) + "\n", encoding="utf-8")


MANY = [{"id": f"q{p}", "passed": (p + i) % 2} for p in range(6) for i in range(4)]
"""Verdicts that are not equal in two files by chance."""


def test_a_copy_beside_a_file_counts_once(tmp_path):
    write_twins(tmp_path, "results.jsonl", "results (1).csv", MANY)
    report = at_k.score(tmp_path)
    assert report.values["pass@4"] == 1
    assert report.n == [4] * 6
    assert "note.left_out" in [note.code for note in report.notes]


def test_few_equal_verdicts_and_runs_are_no_copies(tmp_path):
    write_twins(tmp_path, "a.jsonl", "a.csv", MANY[:8])
    with pytest.raises(InputError) as caught:
        at_k.score(tmp_path)
    assert caught.value.code == "merging.names"
    runs = tmp_path / "runs"
    runs.mkdir()
    write_twins(runs, "run1.jsonl", "run2.jsonl.csv", MANY)
    (runs / "run2.jsonl.csv").rename(runs / "run2.jsonl")
    assert at_k.score(runs).n == [8] * 6
    models = tmp_path / "models"
    models.mkdir()
    write_twins(models, "qwen2.5.jsonl", "qwen2.7.csv", MANY)
    with pytest.raises(InputError) as caught:
        at_k.score(models)
    assert caught.value.code == "merging.names"


DOCUMENTS = {
    "a verdict of each problem": {"a": True, "b": False, "c": True},
    "numbers as names": {0: True, 1: False},
    "rows beside a version": {
        "data": [{"id": "a", "correct": [1, 0]}, {"id": "b", "correct": [1, 1]}],
        "version": 1,
    },
    "objects in rows": [
        {"meta": {"problem_id": p}, "correct": verdict} for p in "ab" for verdict in (True, False)
    ],
    "a null among lists": {"a": [1, 0], "c": None},
}
"""Objects, each of which may be written as JSON."""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_object_means_what_its_file_means(name, tmp_path):
    document, path = DOCUMENTS[name], tmp_path / "f.json"
    path.write_text(json.dumps(document))

    def try_reading(data):
        try:
            return at_k.score(data).values
        except at_k.InputError as error:
            return error.code, [reading.options for reading in error.readings]

    assert try_reading(document) == try_reading(path)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({("a", 1): [1, 0], ("b", 1): [1, 1]}, "data.keys"),
        ([{"id": "a", "answer": 10**5000, "target": "5"}] * 2, "data.long"),
    ],
)
def test_an_object_that_json_cannot_hold_is_refused(data, code):
    with pytest.raises(at_k.InputError) as caught:
        at_k.score(data)
    assert caught.value.code == code


def test_lines_are_not_offered_as_problems_where_a_field_repeats():
    rows = [{"id": {"a": i // 3}, "correct": i % 2} for i in range(9)]
    with pytest.raises(at_k.InputError) as caught:
        at_k.score(rows)
    offered = [reading.options for reading in caught.value.readings]
    assert offered == [{"columns": {"problem": "id.a"}}]


@pytest.mark.parametrize("told", [{"5": 6, "4": 1, "3": 2}, {True: 5, False: 30}])
def test_rows_of_several_samples_are_asked_about(told):
    name = "correct" if True in told else "answer"
    plan = product(range(10), told)
    rows = [{"id": p, name: each, "target": "5", "count": told[each] + p % 2} for p, each in plan]
    with pytest.raises(at_k.InputError, match="may count samples") as caught:
        at_k.score(rows)
    first = caught.value.readings[0].options
    assert first == {"columns": {"n": "count"}}
    right = {p: next(row["count"] for row in rows if row["id"] == p) for p in range(10)}
    all_of = {p: sum(row["count"] for row in rows if row["id"] == p) for p in range(10)}
    counted = at_k.score(rows, metrics="pass@1", **first)
    assert counted.n == [*all_of.values()]
    expected = sum(right[p] / all_of[p] for p in range(10)) / 10
    assert counted.values["pass@1"] == pytest.approx(expected)
    assert at_k.score(rows, pool="count").values["pass@1"] == pytest.approx(1 / len(told))
    with pytest.raises(at_k.InputError, match="must count the samples of a row"):
        at_k.score([*rows, rows[0] | {"count": 1.5}], **first)


@pytest.mark.parametrize("n_rows", [19, 20])
def test_one_of_several_models_is_offered_first(n_rows):
    plan = product(range(10), ("a", "bb"))
    rows = [{"id": p, "model": m, "correct": (p + len(m)) % 3 == 0} for p, m in plan]
    with pytest.raises(at_k.InputError) as caught:
        at_k.score(rows[:n_rows])
    assert caught.value.readings[0].options == {"where": {"model": "a"}}

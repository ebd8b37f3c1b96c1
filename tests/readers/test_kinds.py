"""Kinds of data that version 0.7.0 read wrongly: a right number, a question, or a word beside the number."""

import fsspec
import pytest
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

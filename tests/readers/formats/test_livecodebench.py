"""LiveCodeBench: the file with verdicts, and the one beside it without."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

NAME = "livecodebench/Scenario.codegeneration_4_0.2_eval_all.json"
FILE = HARNESS / NAME


def rows():
    return json.loads(FILE.read_text(encoding="utf-8"))


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def test_numbers():
    report = check(FILE, read_expected()[NAME])["error"]
    printed = json.loads((FILE.parent / "printed.json").read_text())
    values = {str(key): value for key, value in report.values.items()}
    assert {key: values[key] for key in printed} == pytest.approx(printed, abs=1e-12)


def test_groups_when_asked():
    assert read_samples(FILE).group is None
    assert set(json.loads(read_samples(FILE).listed("meta")[0])) >= {"difficulty", "platform"}
    for field in ("difficulty", "platform"):
        report = at_k.score(FILE, columns={"group": field})
        assert dict(zip(report.problems, report.labels, strict=True)) == {r["question_id"]: r[field] for r in rows()}
    with pytest.raises(InputError, match=r"There is no field “level” .* “difficulty”, “platform”"):
        at_k.score(FILE, columns={"group": "level"})


def test_the_file_without_verdicts(tmp_path):
    document = [{name: value for name, value in row.items() if name not in ("graded_list", "pass@1")} for row in rows()]
    with pytest.raises(InputError, match=r"_eval_all\.json") as caught:
        read_samples(write(tmp_path / "f.json", document))
    assert caught.value.code == "livecodebench.not_graded"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"graded_list": []}, "livecodebench.lists"),
        ({"graded_list": [], "code_list": []}, "collector.no_samples"),
        ({"graded_list": [True]}, "livecodebench.lists"),
        ({"graded_list": True}, "livecodebench.lists"),
        ({"graded_list": [1, 0, 2, 0]}, "cells.grade"),
        ({"question_id": "abc301_a_0"}, "collector.same_problem"),
        ({"question_id": None}, "cells.problem"),
    ],
)
def test_faults(tmp_path, changes, code):
    document = rows()
    document[1] |= changes
    path = write(tmp_path / "f.json", document)
    with pytest.raises(InputError, match="problem 2") as caught:
        read_samples(path)
    assert caught.value.code == code
    assert {cause.code: count for cause, count in read_samples(path, errors="skip").origin.skipped.items()} == {code: 1}


def test_broken(tmp_path):
    check_variants(FILE, tmp_path, lambda document: [document])

"""Harnesses that run programs: statuses, lists of verdicts and reports."""

import json
from shutil import copytree

import pytest
from readers.expected import HARNESS, check, read_expected
from readers.reading import Json, found, over, put, refused

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.files.sources import Source
from at_k.readers.formats import find_format

NAME = "human-eval/samples.jsonl_results.jsonl"
FILE = HARNESS / NAME
LIVECODEBENCH = HARNESS / "livecodebench" / "Scenario.codegeneration_4_0.2_eval_all.json"
REPORTS = HARNESS / "swe-bench" / "run_evaluation"


def tasks(*samples):
    """Make results of EvalPlus: samples by their two statuses, or as they are."""
    names = ("base_status", "plus_status")
    listed = [
        [dict(zip(names, each, strict=True)) if isinstance(each, tuple) else each for each in own]
        if isinstance(own, list)
        else own
        for own in samples
    ]
    return Json({"date": "", "hash": "", "eval": dict(zip("abc", listed, strict=False))})


PASSED = ("pass", "pass")


def broken_status(samples, code="collector.field"):
    left = found({"a": [1]}, skipped={code: 1})
    return ([[PASSED], samples], refused(code, place="problem 2"), ({"errors": "skip"}, left))


test_evalplus = over(
    {
        "plus needs both statuses": (
            [[PASSED, ("fail", "pass"), ("pass", "timeout"), ("timeout", "fail"), ("fail", None)]],
            found([[1, 0, 0, 0, 0]], chosen={"tests": "plus"}, notes=["collector.choice"]),
            ({"tests": "plus"}, found([[1, 0, 0, 0, 0]], notes=[])),
            ({"tests": "base"}, found([[1, 0, 1, 0, 0]])),
        ),
        "the base tests alone": (
            [[("pass", None), ("fail", None)]],
            found([[1, 0]], chosen={}, notes=[]),
            (
                {"tests": "plus"},
                refused("format.no_choice", what="tests", wanted="plus", found="“base”"),
            ),
        ),
        "no status": ([[PASSED, ("pass", None), (None, None)]], found([[1, None, None]])),
        "no samples": broken_status([], "collector.no_samples"),
        "another word": broken_status([("passed", "pass")]),
        "a number": broken_status([("pass", 1)]),
        "a text in place of a sample": broken_status(["pass"]),
        "a text in place of samples": broken_status("pass"),
        "one status": broken_status([{"base_status": "pass"}, PASSED][:1]),
    },
    tasks,
)


def test_a_file_of_another_layout_has_no_samples(tmp_path):
    refused("collector.empty").compare(
        put(tmp_path / "f", Json({"eval": [1]})), {"format": "evalplus"}
    )


def change_problem(code=None, **changes):
    document = json.loads(LIVECODEBENCH.read_text(encoding="utf-8"))
    document[1] |= changes
    return (
        Json(document),
        refused(code, place="problem 2"),
        ({"errors": "skip"}, found(skipped={code: 1})),
    )


test_livecodebench = over(
    {
        "no verdicts in a list": change_problem("collector.field", graded_list=[]),
        "no samples": change_problem("collector.no_samples", graded_list=[], code_list=[]),
        "fewer verdicts than programs": change_problem("collector.field", graded_list=[True]),
        "a verdict that is no list": change_problem("collector.field", graded_list=True),
        "a verdict of 2": change_problem("cells.grade", graded_list=[1, 0, 2, 0]),
        "a problem twice": change_problem("collector.same_problem", question_id="abc301_a_0"),
        "a problem without a name": change_problem("collector.lack", question_id=None),
        "the file without verdicts": (
            Json([{"question_id": "a", "output_list": [""], "code_list": [""]}]),
            refused("collector.lack"),
        ),
    },
    name="f.json",
)


def test_problems_of_livecodebench_may_be_grouped_by_their_fields():
    rows = json.loads(LIVECODEBENCH.read_text(encoding="utf-8"))
    assert read_samples(LIVECODEBENCH).group is None
    assert set(json.loads(read_samples(LIVECODEBENCH).listed("meta")[0])) >= {
        "difficulty",
        "platform",
    }
    for field in ("difficulty", "platform"):
        report = at_k.score(LIVECODEBENCH, columns={"group": field})
        labels = {row["question_id"]: row[field] for row in rows}
        assert dict(zip(report.problems, report.labels, strict=True)) == labels
    refused("collector.no_field", field="“level”").compare(
        LIVECODEBENCH, {"columns": {"group": "level"}}
    )


def run(number):
    return Json(
        {
            "submitted_ids": [*"abc"],
            "resolved_ids": ["a"][number:],
            "error_ids": ["c"],
            "schema_version": 2,
        }
    )


test_reports_of_runs = over(
    {
        "two runs": (
            {f"acme__m1.run_{number}.json": run(number) for number in range(2)},
            found({"a": [1, 0], "b": [0, 0], "c": [None, None]}, subject={"model": "acme__m1"}),
        ),
    }
)


def test_the_numbers_of_reports():
    expected = {}
    for file in sorted(REPORTS.rglob("report.json")):
        ((name, report),) = json.loads(file.read_text()).items()
        expected.setdefault(name, []).append(float(report["resolved"]))
    found(expected, subject={"model": "acme__m1"}).compare(REPORTS, {})
    found(n=[1], subject={"model": "acme__m1"}).compare(next(REPORTS.rglob("report.json")), {})
    assert "Read 28 files" in str(read_samples(REPORTS).origin.notes[0])
    report = at_k.score(REPORTS, k=[1, 2])
    assert report.values["pass@1"] == pytest.approx(3 / 7, rel=1e-15)
    assert report.values["pass@2"] == pytest.approx(13 / 21, rel=1e-15)


@pytest.mark.parametrize(
    ("change", "value"),
    [({"resolved": "x"}, "“x”"), ({"resolved": None}, None), ({"infra_failure": True}, None)],
)
def test_a_report_that_is_broken_or_not_of_the_model(tmp_path, change, value):
    copytree(REPORTS, tmp_path / "runs")
    file = sorted((tmp_path / "runs").rglob("report.json"))[3]
    ((name, report),) = json.loads(file.read_text()).items()
    put(file, Json({name: report | change}))
    (found(n_missing=1) if value is None else refused("cells.word", value=value)).compare(
        tmp_path, {}
    )


def test_reports_of_two_models_are_not_pooled(tmp_path):
    copytree(REPORTS / "run0", tmp_path / "run0")
    copytree(REPORTS / "run0" / "acme__m1", tmp_path / "run0" / "other__m2")
    refused("models.several", values="“acme__m1”, “other__m2”").compare(tmp_path, {})
    found(n=[1] * 7).compare(tmp_path, {"where": {"model": "other__m2"}})


def test_scattered_lines_are_brought_together(tmp_path):
    lines = FILE.read_bytes().splitlines()
    path = put(tmp_path / "f", b"\n".join(lines[::2] + lines[1::2]))
    check(path, read_expected()[NAME])
    samples = read_samples(path)
    place = samples.rows[0][2]
    assert json.loads(path.read_bytes().splitlines()[place - 1])["task_id"] == samples.problems[0]


def test_completions_are_no_answers_unless_one_says_so():
    assert read_samples(FILE).answers is None
    samples = read_samples(FILE, columns={"answers": "completion"})
    assert (samples.answers[0][2], samples.roles["answers"]) == ("    return None\n", "completion")


def test_files_that_lack_some_of_the_fields_are_not_of_this_format():
    with pytest.raises(InputError):
        at_k.score(FILE.parent / "samples.jsonl")
    assert (
        find_format(
            Source("f", b'{"task_id": 1, "passed": true}\n{"task_id": 1, "passed": false}')
        ).name
        == "plain"
    )

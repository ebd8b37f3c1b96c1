"""A script gives the numbers of its report again."""

import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from reports import DATA, RAGGED, TAUS, close

import at_k
from at_k.report.report import write_script


def execute(script, **names):
    exec(compile(script, "<script>", "exec"), names)
    return names["report"]


OPTIONS = {
    "defaults": {},
    "k": {"k": 2},
    "several k": {"k": [1, 4], "metrics": ["pass_at_k", "gpassk"]},
    "fractions": {"thresholds": TAUS},
    "one fraction": {"thresholds": Fraction(1, 3)},
    "NumPy": {"k": np.array([1, 2]), "thresholds": np.float64(0.25), "seed": np.int64(3)},
    "texts": {"ties": "strict", "missing": "incorrect", "on_conflict": "majority"},
    "direction": {"higher_is_better": False},
    "columns": {"columns": {"scores": None, "group": None}},
    "where": {"where": {"group": np.str_("Level 2")}},
    "no groups": {"groups": False},
    "groups": {"groups": ["it's", 'a "quoted"', "line\nbreak", "é"]},
    "generator": {"groups": (f"{i % 2}" for i in range(4))},
    "many": {
        "k": list(range(1, 5)),
        "thresholds": [i / 50 for i in range(51)],
        "correct_above": 0.25,
        "ties": "first",
    },
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_of_data_in_memory(options, capsys):
    report = at_k.score(DATA, **options)
    script = write_script(report)
    again = execute(script, data=DATA)
    assert again.to_dict() == report.to_dict()
    assert again.options == report.options
    assert write_script(again) == script
    assert capsys.readouterr().out == f"{report}\n"
    assert len(script.splitlines()[-2]) <= 100


@pytest.mark.parametrize("name", ["results.jsonl", 'it\'s "here" \\ é.jsonl'])
def test_of_a_file(name, tmp_path, capsys):
    path = tmp_path / name
    rows = [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = at_k.score(path, k=[1, 2], thresholds=TAUS)
    assert execute(write_script(report)).to_dict() == report.to_dict()
    moved = tmp_path / "moved.jsonl"
    path.rename(moved)
    assert execute(write_script(report, str(moved))).to_dict() == {
        **report.to_dict(),
        "source": str(moved),
    }
    assert "data" not in write_script(report)


def test_of_several_files_and_how_they_are_read(tmp_path):
    paths = []
    for number in range(2):
        paths.append(tmp_path / f"{number}.jsonl")
        rows = [
            {"qid": "a", "model": "m", "ok": 1},
            {"qid": "b", "model": "m", "ok": number},
            {"qid": "b", "model": "x"},
        ]
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = at_k.score(
        paths,
        columns={"problem": "qid", "grades": "ok"},
        where={"model": "m"},
        pool=["file"],
        format="plain",
    )
    assert report.c == [2, 1]
    assert execute(write_script(report)).to_dict() == report.to_dict()
    assert execute(write_script(report, [str(paths[0])])).c == [1, 0]


class Close:
    def __call__(self, prediction, reference):
        return close(prediction, reference)


class_checker = Close()


@pytest.mark.parametrize(("check", "name"), [
    (close, "close"),
    (lambda prediction, reference: close(prediction, reference) * 1.0, "check_correct_fn"),
    (partial(close), "partial"),
    (class_checker, "Close"),
])  # fmt: skip
def test_a_function_is_called_by_its_name(check, name):
    report = at_k.score(DATA, k=1, check_correct_fn=check)
    script = write_script(report)
    assert f"# `{name}` is the function that was given as `check_correct_fn`" in script
    assert execute(script, data=DATA, **{name: check}).values == report.values


def test_an_odd_data_set():
    report = at_k.score(RAGGED)
    assert execute(write_script(report), data=RAGGED).to_dict() == report.to_dict()
    assert write_script(report) == (
        "import at_k\n\n# `data` is the data set that the report was made from\n"
        "report = at_k.score(data)\nprint(report)\n"
    )

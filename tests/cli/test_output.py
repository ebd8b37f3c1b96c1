"""Where a report goes, and in which form; the forms themselves are tested with the commands."""

import os
from typing import get_args, get_type_hints

import pytest
import typer
from reports import DATA

import at_k
from at_k.cli import output
from at_k.cli.commands import score


@pytest.mark.parametrize(
    ("form", "out", "chosen"),
    [
        (None, None, "table"),
        ("json", None, "json"),
        (None, "x.JSON", "json"),
        (None, "a.b/x.md", "markdown"),
        (None, "x.tex", "latex"),
        ("csv", "x.what", "csv"),
        ("table", "x.json", "table"),
    ],
)
def test_the_form(form, out, chosen):
    assert output.choose_form(form, out) == chosen


@pytest.mark.parametrize("out", ["x", "x.parquet", ".json", "json"])
def test_a_name_that_says_no_form(out):
    with pytest.raises(typer.BadParameter, match="--format"):
        output.choose_form(None, out)


def test_targets_are_checked(tmp_path):
    here = tmp_path / "x.json"
    output.check_targets(["a.jsonl"])
    output.check_targets(["a.jsonl"], out=str(here), per_problem=str(tmp_path / "y.csv"), save=str(tmp_path / "z.json"))
    with pytest.raises(OSError, match="is a folder"):
        output.check_targets([], out=str(tmp_path))
    with pytest.raises(OSError, match="There is no folder"):
        output.check_targets([], per_problem=str(tmp_path / "no" / "y.csv"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "targets"),
    [
        ("x", {"out": "a.csv", "per_problem": "b/../a.csv"}),
        ("x", {"out": "a.json", "save": "a.json"}),
        ("r.jsonl", {"per_problem": "r.jsonl"}),
        ("r.jsonl", {"per_problem": "b/../r.jsonl"}),
        ("r.json", {"out": "r.json"}),
        ("r.json", {"save": "r.json"}),
    ],
)
def test_a_file_of_results_is_not_overwritten(path, targets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    with pytest.raises(typer.BadParameter, match="another name"):
        output.check_targets([path], **targets)


def test_problems_with_odd_names(tmp_path):
    report = at_k.score({"problem": ['a,"b"\n', "é"], "grades": [[1], [0]]}, k=1, metrics="pass_at_k")
    output.write_columns(report.per_problem, str(tmp_path / "x.csv"))
    assert (tmp_path / "x.csv").read_bytes() == 'problem,n,c,pass@1\n"a,""b""\n",1,1,1.0\né,1,0,0.0\n'.encode()


def test_data_in_memory_have_no_source(capsys):
    output.write_report(at_k.score(DATA, k=1), "json", None)
    assert '"source": null' in capsys.readouterr().out


def test_the_command_takes_every_form():
    kind = get_type_hints(score)["form"]
    forms = get_args(next(each for each in get_args(kind) if each is not type(None)))
    assert set(output._BY_ENDING.values()) == set(forms)

"""Each tracker gets the numbers by its own method, under names that the strictest one, MLflow, accepts."""

import re
import sys
from types import SimpleNamespace

import evaluate
import pytest
from cases import refuses

import at_k
from at_k.integrations.trackers import list_scalars, log_report

REPORT = at_k.score({"grades": [[1, 0, 1, 0], [0, 0, 1, 0]], "group": ["a@1", "b"]}, k=[1, 2])
ACCEPTED = re.compile(r"[/\w.\- ]+")  # mlflow.utils.validation, without the colon, which not every system has


class Recorder:
    """A run with one method, which keeps its calls."""

    def __init__(self, *methods):
        self.calls = []
        for name in methods:
            setattr(self, name, lambda *given, _name=name, **named: self.calls.append((_name, given, named)))


def check(scalars):
    assert all(ACCEPTED.fullmatch(name) for name in scalars)
    assert list(scalars.values()) == list(list_scalars(REPORT).values())
    assert scalars["at_k/pass_at_2"] == REPORT.values["pass@2"]
    assert scalars["at_k/pass_at_2_ci_low"] == REPORT.intervals["pass@2"].low
    assert scalars["at_k/a_40_1/pass_at_2"] == REPORT.groups["a@1"]["pass@2"]


def test_mlflow():
    run = Recorder("log_metrics", "log_text")
    log_report(REPORT, run, step=7)
    (_, (scalars,), named), (_, (text, file), _) = run.calls
    check(scalars)
    assert (named, file) == ({"step": 7}, "at_k/table.md")
    assert text == REPORT.to_markdown()


def test_comet():
    run = Recorder("log_metrics")
    log_report(REPORT, run)
    check(run.calls[0][1][0])


def test_tensorboard():
    run = Recorder("add_scalar", "add_text")
    log_report(REPORT, run, step=7)
    check({given[0]: given[1] for name, given, _ in run.calls if name == "add_scalar"})
    assert {given[2] for _, given, _ in run.calls} == {7}
    assert run.calls[-1][1][:2] == ("at_k/table", REPORT.to_markdown())


@pytest.mark.parametrize("loaded", [False, True])
def test_weights_and_biases(loaded, monkeypatch):
    module = SimpleNamespace(Table=lambda columns, data: (columns, data)) if loaded else None
    monkeypatch.setitem(sys.modules, "wandb", module)
    run = Recorder("log")
    log_report(REPORT, run, step=7)
    ((_, (logged,), named),) = run.calls
    table = logged.pop("at_k/table", None)
    check(logged)
    assert named == {"step": 7}
    if loaded:
        assert [dict(zip(table[0], row, strict=True))["value"] for row in table[1]] == [
            *REPORT.values.values(),
            *REPORT.groups["a@1"].values(),
            *REPORT.groups["b"].values(),
        ]


def test_the_prefix():
    run = Recorder("log")
    log_report(REPORT, run, prefix="val/")
    assert run.calls[0][1][0]["val/pass_at_1"] == REPORT.values["pass@1"]


def test_another_object():
    refuses("TypeError: `run` must have a method log", log_report, REPORT, [])


GRADES, GROUP = [[1, 0, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1]], ["x", "y", "x"]


def test_names_are_those_of_the_modules():
    report = at_k.score({"grades": GRADES, "group": GROUP}, metrics="gpassk")
    module = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    for style in ("standard", "plain"):
        computed = module.compute(predictions=GRADES, groups=GROUP, confidence_level=0.95, key_style=style)
        assert list_scalars(report, style) == computed
    assert all(type(key) is str for key in list_scalars(report))

"""The decorators and scores of inspect_ai 0.3.285, as far as they are used."""

from dataclasses import dataclass
from importlib.metadata import entry_points

import pytest
from cases import refuses
from integrations.fakes import load_plugin


@dataclass
class Score:
    value: object
    answer: str | None = None


@dataclass
class SampleScore:
    score: Score
    sample_id: str


REGISTERED = {}


def register(**about):
    def wrap(function):
        REGISTERED[about["name"]] = about
        return function

    return wrap


@pytest.fixture
def plugin(monkeypatch):
    scorer = {
        "Score": Score,
        "SampleScore": SampleScore,
        "metric": register,
        "score_reducer": register,
        "value_to_float": lambda: lambda value: {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}.get(value, value),
    }
    return load_plugin(monkeypatch, "inspect_ai", {"inspect_ai.scorer": scorer})


def read(letters, answers):
    return [Score(letter, answer) for letter, answer in zip(letters, answers, strict=True)]


def test_the_entry_point_loads_it(plugin):
    (found,) = entry_points(group="inspect_ai", name="at_k")
    assert found.load() is plugin
    assert REGISTERED["at_k"] == {"name": "at_k", "scores": "unreduced"}
    assert {"cons", "g_pass"} < set(REGISTERED)


def test_the_metric_sees_every_epoch(plugin):
    scores = [SampleScore(score, "p") for score in read("CCI", "779")]
    scores += [SampleScore(score, "q") for score in read("IIP", "123")]
    found = plugin.at_k(k=[2])(scores)
    assert found["pass@2"] == 0.5  # p: no two of three are wrong; q: none is right
    assert found["cons@2"] == pytest.approx(1 / 3)  # p: both 7 is 1/3, and 7 against 9 is a tie in 2/3
    assert found["pass@2_ci_low"] < 0.5 < found["pass@2_ci_high"]


def test_accuracy_is_the_mean_score_as_in_inspect_ai(plugin):
    """inspect_ai's own `accuracy` is the mean over samples of the mean over epochs, with “P” as ½."""
    scores = [SampleScore(score, "p") for score in read("CPI", "779")]
    scores += [SampleScore(score, "q") for score in [Score(0.2), Score(float("nan")), Score("P")]]
    numbers = plugin.at_k(k=1)(scores)
    assert numbers["accuracy"] == pytest.approx(((1 + 0.5 + 0) / 3 + (0.2 + 0.5) / 2) / 2)
    assert numbers["pass@1"] == pytest.approx(1 / 6)
    assert "mG-Pass@1" not in numbers


@pytest.mark.parametrize("options", [{"k": [0]}, {"k": "8"}, {"metrics": ["bogus"]}, {"threshold": "a"}])
def test_wrong_options_are_refused_when_the_metric_is_made(plugin, options):
    with pytest.raises((TypeError, ValueError)):
        plugin.at_k(**options)


def test_reducers(plugin):
    scores = read("CCI", "779")
    assert plugin.cons(k=3)(scores).value == 1
    assert plugin.g_pass(k=2)(scores).value == pytest.approx(1 / 3)
    assert plugin.g_pass(k=2, tau=0.5)(scores).value == 1
    scored_twice = read("CIC", "777")
    assert plugin.cons(k=1)(scored_twice).value == 1


@pytest.mark.parametrize("missing", [float("nan")])
def test_too_few_scored_epochs_are_unscored(plugin, missing):
    reduced = plugin.cons(k=2)([Score("C", "7"), Score(missing)])
    assert reduced.value != reduced.value  # NaN


def test_several_values_need_a_name(plugin):
    refuses("TypeError: scores with one value", plugin.at_k(), [SampleScore(Score({"a": 1, "b": 0}), "p")])

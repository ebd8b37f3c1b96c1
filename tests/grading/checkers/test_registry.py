"""Checkers by name, by object and by function, and those of plugins."""

from functools import partial
from importlib.metadata import EntryPoint

import pytest

import at_k
from at_k.errors import InputError
from at_k.grading.checkers import Checker, ExactMatch, Numeric, checkers, find_checker, name_checker, registry

NAMES = list(checkers)


def test_checkers_are_listed():
    assert len(checkers) == len(NAMES)
    assert [checkers[name].name for name in NAMES] == NAMES
    assert at_k.checkers is checkers
    assert {"exact_match", "numeric", "rougeL"} <= set(NAMES) <= set(dir(checkers))
    shown = repr(checkers).splitlines()
    assert [line.split()[0] for line in shown] == NAMES
    assert "same number" in shown[NAMES.index("numeric")]


def test_a_checker_is_found_by_name_by_class_and_as_an_object(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")  # for `code`
    monkeypatch.setenv("AT_K_JUDGE_MODEL", "m")  # for `judge`
    for name in NAMES:
        assert find_checker(name) == checkers[name]()
        assert name_checker(name) == checkers[name]().describe()
    assert find_checker(checkers.numeric) == Numeric()
    assert find_checker(Numeric(rel_tol=0.5)) == Numeric(rel_tol=0.5)
    assert name_checker(Numeric(rel_tol=0.5)) == "numeric(rel_tol=0.5)"


def equal(prediction, reference):
    return prediction == reference


def test_functions_are_named_by_where_they_stand():
    assert find_checker(equal) is equal
    assert name_checker(equal) == f"{__name__}.equal"
    assert name_checker(partial(equal, reference="a")).endswith("partial")


def test_an_unknown_name_lists_the_names():
    with pytest.raises(InputError, match=rf"one of 'exact_match', .* '{NAMES[-1]}'; got 'numerics'") as caught:
        find_checker("numerics")
    assert caught.value.code == "check.unknown"
    with pytest.raises(AttributeError, match="no checker 'numerics'; there are exact_match"):
        _ = checkers.numerics
    with pytest.raises(TypeError, match="a function or the name of a checker; got 5 of type int"):
        find_checker(5)


class Nameless(Checker):
    """Accept nothing."""


def test_a_checker_without_a_name_is_refused():
    with pytest.raises(TypeError, match=r"must have a name; Nameless has none\. Write `name = …`"):
        find_checker(Nameless())


class Plugin(ExactMatch):
    """Accept what `exact_match` accepts."""

    name = "mine"


def test_a_plugin_registers_a_checker(monkeypatch):
    points = {
        "mine": EntryPoint("mine", f"{__name__}:Plugin", registry.GROUP),
        "equal": EntryPoint("equal", f"{__name__}:equal", registry.GROUP),
        "numeric": EntryPoint("numeric", f"{__name__}:equal", registry.GROUP),
        "broken": EntryPoint("broken", "a_package_that_nobody_has:check", registry.GROUP),
    }
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points.values())
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("types").SimpleNamespace(**globals()))
    assert list(checkers) == [*NAMES, "mine", "equal", "broken"]
    assert find_checker("mine")(" a", "a") is True
    assert name_checker("mine") == "mine"
    assert find_checker("equal")("a", "a") is True
    assert name_checker("equal") == "equal"
    assert find_checker("numeric") == Numeric()  # a plugin does not replace a checker of this package
    with pytest.raises(InputError, match=r"'broken' of the plugin a_package_that_nobody_has:check cannot be loaded"):
        find_checker("broken")
    assert "cannot be loaded" in repr(checkers)

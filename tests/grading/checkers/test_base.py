"""Features of all checkers, and ways to find them: by name, by object and by function."""

import pickle
from dataclasses import FrozenInstanceError, dataclass
from functools import partial

import pytest
from cases import for_each
from datasets.fingerprint import Hasher

import at_k
from at_k.errors import InputError
from at_k.grading.checkers import checkers, find_checker, name_checker
from at_k.grading.checkers.base import Checker
from at_k.grading.checkers.text import Numeric

NAMES = list(checkers)

every_checker = for_each("name", list(checkers))


@every_checker
def test_a_checker_is_frozen_travels_and_says_what_it_is(name):
    checker = checkers[name]()
    assert checker.name == name
    assert checker == checkers[name]()
    copy = pickle.loads(pickle.dumps(checker))
    assert copy == checker
    assert repr(checker) == f"at_k.checkers.{name}()"
    assert checker.describe().startswith(name)
    assert type(checker).__doc__.partition(" ")[0] in ("Accept", "Grade")
    with pytest.raises(FrozenInstanceError):
        checker.name = "another"


@every_checker
def test_the_hash_of_datasets_is_stable_and_depends_on_the_parameters(name):
    checker = checkers[name]()
    before = Hasher.hash(checker)
    if not checker.slow:
        checker("a b", "a c")
    assert Hasher.hash(checker) == Hasher.hash(pickle.loads(pickle.dumps(checker))) == before
    others = {Hasher.hash(checkers[other]()) for other in checkers if other != name}
    assert before not in others


def test_other_parameters_are_another_hash():
    assert Hasher.hash(checkers.numeric(rel_tol=0.1)) != Hasher.hash(checkers.numeric(rel_tol=0.2))
    assert repr(checkers.numeric(rel_tol=0.1)) == "at_k.checkers.numeric(rel_tol=0.1)"
    assert checkers.numeric(rel_tol=0.1).describe() == "numeric(rel_tol=0.1)"
    assert checkers.numeric().describe() == "numeric"


@dataclass(frozen=True, repr=False)
class Absent(Checker):
    """Accept nothing."""

    name = "absent"
    extra = "none"
    imports = ("a_package_that_nobody_has",)


def test_a_missing_package_says_how_to_install_it():
    with pytest.raises(
        InputError, match=r"'absent' needs a-package-that-nobody-has.*`pip install .\.\[none\].`"
    ) as got:
        Absent().require()
    assert got.value.code == "check.extra"


def test_checkers_are_listed():
    assert len(checkers) == len(NAMES)
    assert [checkers[name].name for name in NAMES] == NAMES
    assert at_k.checkers is checkers
    assert {"exact_match", "numeric", "rougeL"} <= set(NAMES) <= set(dir(checkers))


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
    with pytest.raises(
        InputError, match=rf"one of 'exact_match', .* '{NAMES[-1]}'; got 'numerics'"
    ) as caught:
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

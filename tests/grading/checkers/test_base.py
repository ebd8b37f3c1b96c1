"""What all checkers share: they are small frozen objects that travel."""

import pickle
from dataclasses import FrozenInstanceError, dataclass

import pytest
from cases import for_each
from datasets.fingerprint import Hasher

from at_k.errors import InputError
from at_k.grading.checkers import Checker, checkers

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
        InputError, match=r"'absent' needs a-package-that-nobody-has.*`pip install .at-k\[none\].`"
    ) as got:
        Absent().require()
    assert got.value.code == "check.extra"

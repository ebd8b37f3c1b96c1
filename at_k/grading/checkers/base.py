"""The base class of checkers: small objects with a name and parameters that compare an answer with a reference."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from inspect import signature
from typing import Any, ClassVar

from at_k.errors import InputError, write_install
from at_k.options.registry import TIMEOUT

# A function that takes a prediction and a reference, and returns a bool or a grade in [0, 1]. If it has a parameter
# `row`, it is also given the row of the problem by this name, a mapping of its columns.
Check = Callable[..., object]

# The columns of a problem by name, such as its prompt.
Row = Mapping[str, Any]


def takes_list(check: object) -> bool:
    """Return whether a checker or function is given all references of a problem at once.

    Examples:
        >>> takes_list(lambda prediction, references: True), takes_list(lambda prediction, reference: True)
        (True, False)
    """
    if isinstance(check, Checker):
        return check.takes_list
    return _has_parameter(check, "references")


def takes_row(check: object) -> bool:
    """Return whether a checker or function is given the row of the problem.

    Examples:
        >>> takes_row(lambda prediction, reference, *, row: True), takes_row(lambda prediction, reference: True)
        (True, False)
    """
    if isinstance(check, Checker):
        return check.takes_row
    return _has_parameter(check, "row")


def _has_parameter(check: object, name: str) -> bool:
    try:
        return callable(check) and name in signature(check).parameters
    except (TypeError, ValueError):  # a function in C
        return False


@dataclass(frozen=True)
class Explained:
    """Hold a grade, and say how it came about.

    Attributes:
        grade: a bool, or a number in [0, 1].
        outcome: the kind of result in a word or two, such as "timed out".
        reason: the result in a sentence.
        conditions: what a signature says of how it was found.
        facts: numbers that are added up over all checks, such as the tokens that it cost.
    """

    grade: bool | float
    outcome: str
    reason: str
    conditions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Checker:
    """Compare an answer with a reference.

    A subclass is a frozen dataclass whose fields are the parameters of the checker, and has `name`. A checker that
    compares normal forms has `normalize`, which is called once for each distinct text, and, unless equal forms are
    right and different ones wrong, `compare`. Any other checker overrides `grade`. Keep nothing else in an instance: it
    is pickled, and `datasets` hashes it.

    Attributes:
        name: the name by which the checker is chosen.
        slow: whether it takes more than microseconds. A slow checker runs in worker processes, with limits.
        takes_row: whether `grade`, or `grade_all` if it is slow, takes the row of the problem as `row`, or as `rows`.
        takes_list: whether `grade` takes all references of the problem, as a list, in place of one.
        votes: whether equal answers are one vote: programs that do the same are hardly ever equal.
        strips: whether white space at the ends of an answer makes no difference.
        extra: the extra of this package that installs what the checker imports.
        imports: the packages that it imports.
    """

    name: ClassVar[str]
    slow: ClassVar[bool] = False
    takes_row: ClassVar[bool] = False
    takes_list: ClassVar[bool] = False
    votes: ClassVar[bool] = True
    strips: ClassVar[bool] = True
    extra: ClassVar[str] = ""
    imports: ClassVar[tuple[str, ...]] = ()

    def normalize(self, text: str) -> Hashable:
        """Return the normal form of an answer."""
        return text

    def normalize_reference(self, text: str) -> Hashable:
        """Return the normal form of a reference."""
        return self.normalize(text)

    def compare(self, answer: Any, reference: Any) -> bool | float:
        """Return the grade of an answer, given the normal forms of both."""
        return bool(answer == reference)

    def grade(self, answer: str, reference: str) -> bool | float:
        """Return the grade of an answer."""
        return self.compare(self.normalize(answer), self.normalize_reference(reference))

    def read_votes(
        self, texts: Sequence[str], *, num_workers: int | None = None, timeout: float = TIMEOUT
    ) -> list[Hashable]:
        """Return a form of each answer: answers with equal forms vote together. A `NotGraded` means none."""
        return [self.normalize(text) if self.compares_forms else text.strip() for text in texts]

    def list_close(self, forms: Sequence[Any]) -> Iterable[tuple[int, int]]:
        """Yield the places of different forms that vote together if the checker accepts each for the other."""
        return ()

    def decide(self, answer: str, reference: str) -> bool | float | None:
        """Return a grade that is known without work; None if there is work to do."""
        return None

    def warm_up(self) -> None:
        """Do what a worker process does once, before time is measured."""
        for package in self.imports:
            import_module(package)

    def __call__(self, answer: str, reference: str) -> bool | float:
        """Return the grade of an answer. It is a bool, or a number in [0, 1]."""
        if not self.slow:
            return self.grade(answer, reference)
        from at_k.grading.workers import NotGraded, NotGradedError

        (grade,) = self.grade_all([(answer, reference)])
        if isinstance(grade, NotGraded):
            raise NotGradedError(
                f"{self.name!r} did not grade {answer!r:.200} against {reference!r:.200}: {grade.reason}"
            )
        return grade.grade if isinstance(grade, Explained) else grade

    def grade_all(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        num_workers: int | None = None,
        timeout: float = TIMEOUT,
    ) -> list[Any]:
        """Grade pairs of an answer and a reference with a slow checker, each within limits.

        Args:
            pairs: the pairs, which should be distinct.
            num_workers: the number of processes; by default that of the cores.
            timeout: the CPU time of one check, in seconds.

        Returns:
            For each pair a grade, an `Explained`, or a `NotGraded`.
        """
        from at_k.grading.workers import grade_pairs

        return grade_pairs(self, pairs, num_workers=num_workers, timeout=timeout)

    def join_references(self, references: Sequence[tuple[str, ...]]) -> Sequence[tuple[str, ...]]:
        """Return the acceptable answers of each problem. A checker whose references are parts of one joins them."""
        return references

    def with_timeout(self, seconds: float) -> Checker:
        """Return this checker, with the time that a check may take among its parameters if its grades depend on it."""
        return self

    def __repr__(self) -> str:
        return f"at_k.checkers.{self.name}({', '.join(self._list_changed())})"

    def require(self) -> None:
        """Raise if a package that the checker imports is not installed."""
        if not all(map(find_spec, self.imports)):
            raise InputError(
                "check.extra",
                "The checker {name} needs {packages}. Run `{install}` in a clone of at-k.",
                name=repr(self.name),
                packages=", ".join(self.imports).replace("_", "-"),
                install=write_install(self.extra),
            )

    def describe(self) -> str:
        """Return the name, with changed parameters and the versions of what it imports, for a signature."""
        details = [
            *self._list_changed(),
            *(f"{package.replace('_', '-')}={version(package)}" for package in self.imports),
        ]
        if details:
            return f"{self.name}({','.join(details)})"
        return self.name

    def _list_changed(self) -> list[str]:
        """List the parameters that differ from their defaults, with their values."""
        usual = {
            setting.name: setting.default
            if setting.default_factory is MISSING
            else setting.default_factory()
            for setting in fields(self)
        }
        return [
            f"{name}={getattr(self, name)!r}"
            for name, value in usual.items()
            if getattr(self, name) != value
        ]

    @property
    def compares_forms(self) -> bool:
        """Return whether normal forms decide."""
        return not self.slow and not self.takes_list and type(self).grade is Checker.grade

    @property
    def equates_forms(self) -> bool:
        """Return whether equal normal forms are right, and different ones wrong."""
        return self.compares_forms and type(self).compare is Checker.compare


def find_neighbours(
    keys: Mapping[int, Any], near: Callable[[Any, Any], bool]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of places whose keys are near each other, with the smaller first."""
    # A key beyond one that is not near is not near either.
    order = sorted(keys, key=keys.__getitem__)
    for end, place in enumerate(order):
        for before in map(order.__getitem__, range(end - 1, -1, -1)):
            if not near(keys[before], keys[place]):
                break
            yield before, place

"""What a comparison found, and how it is said: sentences, JSON and Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from typing import Any

from at_k.analysis.bands import Band
from at_k.analysis.measurements import to_json_number
from at_k.error_bars import is_bounded
from at_k.errors import Message, spell_for_output
from at_k.report.tables import escape_markdown
from at_k.uncertainty.questions import Comparison, is_decided


@dataclass(frozen=True)
class Flip:
    """A problem on which two models differ."""

    problem: str
    a: float
    b: float


@dataclass(frozen=True)
class Compared:
    """Hold how two models compare in every number that both have.

    Attributes:
        names: what they are called.
        comparisons: key → how they compare: values, difference, interval, p-value, problems won and lost.
        adjusted: key → the p-value, adjusted for the different questions that the keys ask: by the step-down
            distribution of the largest t, or, if not paired, for their number (Holm).
        equivalence: key → the p-value of a difference of at least the margin, adjusted for the number of questions
            (Holm); empty without a margin.
        extra_tests: test → key → its p-value, not adjusted; mcnemar only for keys whose values are all 0 or 1.
        flips: key → the problems whose values differ most, the largest difference first.
        margin: the largest difference that does not matter; None if none was given.
        unmatched: how many problems only the one, and only the other, was measured on.
        notes: what a reader must know about these numbers.
        bands: metric → its difference against k, with a simultaneous band; empty unless asked for.
    """

    names: tuple[str, str]
    comparisons: dict[str, Comparison]
    adjusted: dict[str, float]
    equivalence: dict[str, float]
    extra_tests: dict[str, dict[str, float]]
    flips: dict[str, list[Flip]]
    margin: float | None = None
    unmatched: tuple[int, int] = (0, 0)
    notes: list[Message] = field(default_factory=list)
    bands: dict[str, Band] = field(default_factory=dict)

    def find_better(self, key: str) -> str | None:
        """Return the name of the model that is better in a key, by its adjusted p-value; None if neither is."""
        found = self.comparisons[key]
        if not is_decided(self.adjusted[key], found.confidence_level):
            return None
        return self.names[0] if found.difference > 0 else self.names[1]

    def is_equivalent(self, key: str) -> bool:
        """Return whether the models differ by less than the margin in a key, by its adjusted p-value."""
        return is_decided(self.equivalence.get(key, 1.0), self.comparisons[key].confidence_level)

    def verdict(self, key: str) -> Message:
        """Say in a few words what the comparison of a key shows."""
        better = self.find_better(key)
        if better is not None:
            return Message("compare.better", "{name} is better", name=better)
        if self.is_equivalent(key):
            return Message("compare.equivalent", "equivalent within {margin}", margin=self.margin)
        return Message("compare.open", "no difference shown")

    @property
    def main_key(self) -> str:
        """Return the key that stands for all: pass@1, or else the first one."""
        return next((key for key in self.comparisons if key == "pass@1"), next(iter(self.comparisons)))

    def describe(self, key: str) -> list[Message]:
        """Say in sentences what the comparison of a key shows, how sure that is, and what would undo it."""
        found, better = self.comparisons[key], self.find_better(key)
        a, b = self.names
        turned = -1 if better is not None and found.difference < 0 else 1
        low, high = sorted((turned * found.low, turned * found.high))
        points = is_bounded(key)
        difference = _write_difference(turned * found.difference, points=points)
        numbers = {
            "difference": Message("compare.in_points", "{number} points", number=difference) if points else difference,
            "low": _write_difference(low, points=points),
            "high": _write_difference(high, points=points),
            "p": write_p_in_sentence(self.adjusted[key]),
            "key": str(key),
        }
        if better is None and self.is_equivalent(key):
            return [
                Message(
                    "compare.says_equivalent",
                    "{a} and {b} are equivalent at {key}, within {margin}: {difference} [{low}, {high}].",
                    a=a, b=b, margin=self.margin, **numbers,
                )
            ]  # fmt: skip
        if better is None:
            return [
                Message(
                    "compare.says_open",
                    "No difference between {a} and {b} is shown at {key}: {difference} [{low}, {high}], {p}.",
                    a=a, b=b, **numbers,
                )
            ]  # fmt: skip
        said = [
            Message(
                "compare.says_better",
                "{name} is better at {key}: {difference} [{low}, {high}], {p}.",
                name=better, **numbers,
            )
        ]  # fmt: skip
        if found.fragility == 1:
            said.append(Message("compare.one_undoes", "One more problem lost would undo this."))
        elif found.fragility is not None:
            said.append(
                Message("compare.undone", "A further {count:,} problems lost would undo this.", count=found.fragility)
            )
        return said

    def describe_bands(self) -> list[list[Message]]:
        """Say of each metric for which k which model is better; nothing without bands."""
        return [band.describe() for band in self.bands.values()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the notes as plain data, ready for `json.dumps`."""
        return {
            "names": list(self.names),
            "keys": {
                str(key): {
                    "a": found.a,
                    "b": found.b,
                    "difference": found.difference,
                    "low": to_json_number(found.low),
                    "high": to_json_number(found.high),
                    "bounded": found.bounded,
                    "method": found.method,
                    "p_value": found.p_value,
                    "p_adjusted": self.adjusted[key],
                    "p_equivalence": self.equivalence.get(key),
                    **{f"p_{test}": to_json_number(own.get(key)) for test, own in self.extra_tests.items()},
                    "won": found.won,
                    "lost": found.lost,
                    "tied": found.tied,
                    "paired": found.paired,
                    "fragility": found.fragility,
                    "verdict": str(self.verdict(key)),
                    "flips": [[flip.problem, flip.a, flip.b] for flip in self.flips.get(key, [])],
                }
                for key, found in self.comparisons.items()
            },
            "bands": {line: band.to_dict() for line, band in self.bands.items()},
            "margin": self.margin,
            "unmatched": list(self.unmatched),
            "notes": list(map(str, self.notes)),
        }

    def to_markdown(self) -> str:
        """Write a Markdown table with a row for each key, and the notes below."""
        level = next(iter(self.comparisons.values())).confidence_level
        names = map(escape_markdown, self.names)
        lines = [
            f"| metric | {' | '.join(names)} | difference [{100 * level:g} %] | p | won / lost / tied | |",
            "|---|--:|--:|--:|--:|--:|---|",
        ]
        lines += [f"| {' | '.join(map(escape_markdown, cells))} |" for cells in list_cells(self)]
        said = [" ".join(map(str, each)) for each in (self.describe(self.main_key), *self.describe_bands())]
        return "\n".join([*lines, "", *(f"- {' '.join(str(each).splitlines())}" for each in (*said, *self.notes))])

    def __str__(self) -> str:
        return spell_for_output(self.to_markdown())


def list_cells(compared: Compared) -> list[list[str]]:
    """List the cells of the table: key, both values, the difference with its interval, p, problems, and the verdict."""
    rows = []
    for key, found in compared.comparisons.items():
        problems = "–" if found.won is None else f"{found.won} / {found.lost} / {found.tied}"
        rows.append(
            [
                str(key),
                f"{found.a:.3f}",
                f"{found.b:.3f}",
                f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]",
                write_p(compared.adjusted[key]),
                problems,
                str(compared.verdict(key)),
            ]
        )
    return rows


def write_p(value: float) -> str:
    """Write a p-value with three decimals; "–" for an undefined test.

    Examples:
        >>> write_p(0.0312), write_p(0.0001), write_p(float("nan"))
        ('0.031', '< 0.001', '–')
    """
    return "–" if isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _write_difference(value: float, *, points: bool) -> str:
    return (f"{100 * value:+.1f}" if points else f"{value:+.4g}").replace("-", "−")


def write_p_in_sentence(value: float) -> str:
    """Write a p-value for a sentence, with the digits that it has in tables.

    Examples:
        >>> write_p_in_sentence(0.0312), write_p_in_sentence(0.0004)
        ('p = 0.031', 'p < 0.001')
    """
    written = write_p(value)
    return f"p {written}" if written.startswith("<") else f"p = {written}"

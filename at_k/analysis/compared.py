"""The result of a comparison, the difference against k with a band that holds at all k at once, and their sheets."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any, NamedTuple

from at_k.analysis.claims import Difference, say_better
from at_k.errors import Message, Phrases
from at_k.report.grid import find_main, find_twins
from at_k.report.naming import Keyed, name_numbers
from at_k.results.sheet import Cell, Sentences, Sheet, Table, write_p
from at_k.results.writers import Mapped
from at_k.summary import is_bounded
from at_k.uncertainty.decisions import Comparison, is_decided
from at_k.values import Key

_SHOWN_FLIPS = 5

_say = Phrases(
    {
        "compare.same_short": "the same samples",
        "compare.better": "{name} is better",
        "compare.better_here": "{name} is better on these problems",
        "compare.not_here": "{name} is better; on these problems, another run could differ",
        "compare.equivalent": "equivalent within {margin}",
        "compare.open": "no difference shown",
        "compare.unlike": "{decision}, n unlike",
        "compare.in_points": "{number} points",
        "compare.same": "{a} and {b} are the same samples: no value of any problem differs.",
        "compare.says_equivalent": "{a} and {b} are equivalent at {key}, within {margin}: {difference} [{low}, "
        "{high}].",
        "compare.says_open": "No difference between {a} and {b} is shown at {key}: {difference} [{low}, {high}], {p}.",
        "compare.says_better": "{name} is better at {key}: {difference} [{low}, {high}], {p}.",
        "compare.undone_by_one": "Robustness: 1 more loss would make this non-significant.",
        "compare.undone": "Robustness: {count:,} more losses would make this non-significant.",
        "compare.says_here": "On these {problems:,} problems {name} is better at {key}: {difference} [{low}, {high}], "
        "{p}. For other problems like these, {problems:,} are too few: with this spread a difference counts from "
        "±{counts}.",
        "compare.says_not_here": "On these problems alone, other samples could reverse it: {difference} [{low}, "
        "{high}].",
        "compare.says_on_these": "On these {problems:,} problems {name} is better at {key}: {difference} [{low}, "
        "{high}], {p}.",
        "compare.says_others": "For other problems like these it is, too: {difference} [{low}, {high}], {p}.",
        "compare.says_open_here": "No difference between {a} and {b} is shown at {key} on these {problems:,} problems: "
        "{difference} [{low}, {high}], {p}.",
        "compare.counts_from": "With this spread and {problems:,} problems, a difference counts from ±{counts}.",
        "compare.turns": "The sign turns: from k = {first} on, {name} is ahead; at {key} by {difference} [{low}, "
        "{high}], {p}.",
        "compare.first_loss": "The first k at which {name} is worse lies from {first} to {last}.",
    }
)


class Flip(NamedTuple):
    """A problem on which two models differ."""

    problem: str
    a: float
    b: float


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Mapped):
    """Hold how two models compare in every number that both have.

    Attributes:
        names: what they are called.
        comparisons: key → how they compare: values, difference, interval, p-value, problems won and lost. Intervals
            and adjusted p-values of all keys hold together; at the k of a band they are those of the band.
        equivalence: key → the p-value of a difference of at least the margin, times the number of questions.
        extra_tests: test → key → its p-value, not adjusted.
        flips: key → the problems whose values differ most, the largest difference first.
        margin: the largest difference that does not matter; None if none was given.
        unmatched: how many problems only the one, and only the other, was measured on.
        notes: what a reader must know about these numbers.
        bands: metric → its difference at each k, with limits that hold at all k at once; empty unless asked for.
        questions: the number of different questions that the keys ask.
        same: whether both are the same samples.
        unlike: a sentence about numbers of samples that differ; None if they do not, or are not known.
        noise: how far two runs of each model, with its n, differ in accuracy in 95 % of pairs; None if it is not known.
        asked: the names of the numbers as they were asked for; None for all.
        reruns: key → how they compare on these very problems, for other samples of them; without the keys whose
            samples do not tell this, such as those with k = n.
        others: where these problems are the target, key → how they compare for other problems like these.
        target: what `comparisons` are about: "population", or "problem_set".
        turn: the first k at which the difference of pass@k has the other sign than at k = 1; None if no k has.
    """

    names: tuple[str, str]
    comparisons: dict[str, Comparison]
    equivalence: dict[str, float] = field(default_factory=dict)
    extra_tests: dict[str, dict[str, float]] = field(default_factory=dict)
    flips: dict[str, list[Flip]] = field(default_factory=dict)
    margin: float | None = None
    unmatched: tuple[int, int] = (0, 0)
    notes: list[Message] = field(default_factory=list)
    bands: dict[Key, list[Difference]] = field(default_factory=dict)
    questions: int = 1
    same: bool = False
    unlike: Message | None = None
    noise: tuple[float, float] | None = None
    asked: Any = None
    reruns: dict[str, Comparison] = field(default_factory=dict)
    others: dict[str, Comparison] = field(default_factory=dict)
    target: str = "population"
    turn: int | None = None

    def __post_init__(self) -> None:
        """Let each name of a number find it."""
        for name in ("comparisons", "equivalence", "flips", "reruns", "others"):
            object.__setattr__(self, name, Keyed(getattr(self, name)))

    @property
    def mapping(self) -> Mapping[str, Comparison]:
        """Return key → how the models compare."""
        return self.comparisons

    def keys(self) -> KeysView[str]:
        """Return the keys of the numbers."""
        return self.comparisons.keys()

    def confidence_interval(self, name: str | None = None) -> tuple[float, float]:
        """Return the interval of the difference in a number, by default in the main one."""
        pair = self.comparisons[self.main_key if name is None else name]
        return pair.low, pair.high

    @property
    def pvalue(self) -> float:
        """Return the adjusted p-value of the main number."""
        return self.p_values[self.main_key]

    drawn_by = "at_k.plots:draw_difference"

    @property
    def p_values(self) -> Keyed[float]:
        """Return the p-value of each key, adjusted for the different questions that the keys ask."""
        return Keyed({key: compared.p_adjusted for key, compared in self.comparisons.items()})

    def find_better(self, key: str) -> str | None:
        """Return the name of the model that is better in a key; None if neither is."""
        better = self.comparisons[key].better
        if better is None:
            return None
        return self.names[better == "b"]

    def is_equivalent(self, key: str) -> bool:
        """Return whether the models differ by less than the margin in a key, by its adjusted p-value."""
        return is_decided(self.equivalence.get(key, 1.0), self.comparisons[key].confidence_level)

    def decision(self, key: str) -> Message:
        """Say in a few words what the comparison of a key shows."""
        if self.same:
            return _say("compare.same_short")
        better = self.find_better(key)
        here = self.find_better_here(key)
        if better is not None and key in self.others:
            return _say("compare.better_here", name=better)
        if better is not None:
            is_open = key in self.reruns and here is None
            return _say("compare.not_here" if is_open else "compare.better", name=better)
        if here is not None:
            return _say("compare.better_here", name=here)
        if self.is_equivalent(key):
            return _say("compare.equivalent", margin=self.margin)
        return _say("compare.open")

    def find_better_here(self, key: str) -> str | None:
        """Return the name of the model that is better on these very problems; None if neither is, or none is known."""
        found = self.reruns.get(key)
        if found is None or found.better is None:
            return None
        return self.names[found.better == "b"]

    def list_differences(self) -> dict[Key, list[Difference]]:
        """List the differences by the line that they are on, each with the one decision about it: that of a band."""
        listed = dict(self.bands)
        for key, pair in self.comparisons.items():
            if (
                isinstance(key, Key)
                and key.line not in self.bands
                and (key.draws is None or not self.bands)
            ):
                difference = Difference(
                    key.k or 1, pair.difference, pair.low, pair.high, pair.better
                )
                listed[key.line] = [*listed.get(key.line, []), difference]
        return listed

    def _remark(self, key: str) -> Message:
        """Return the decision of a row, with the numbers of samples where they differ."""
        plain = self.unlike is None or self.same
        if plain:
            return self.decision(key)
        return _say("compare.unlike", decision=self.decision(key))

    def spell(self, key: str) -> str:
        """Spell a number as it was asked for."""
        return name_numbers(self.asked, [key])[key]

    @property
    def main_key(self) -> str:
        """Return the main key: pass@1, or else the first one."""
        return find_main(self.comparisons)

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """Return, for each key, the numbers by which it is the same as another one."""
        pairs = self.comparisons.items()
        return {key: (pair.a, pair.b, pair.won or 0, pair.lost or 0) for key, pair in pairs}

    def describe(self, key: str) -> list[Message]:
        """Say in sentences what the comparison of a key shows, how sure that is, and what would undo it."""
        main = self.comparisons[key]
        better = self.find_better(key)
        both = dict(zip("ab", self.names, strict=True))
        if self.same:
            return [_say("compare.same", **both)]
        if key in self.others:
            return [*self._describe_these(key), *self._describe_turn(key)]
        here = self.find_better_here(key)
        rerun = self.reruns.get(key)
        numbers = _write_numbers(key, main, towards_better=better is not None)
        numbers["key"] = self.spell(key)
        further = []
        if self.unlike is not None:
            further = [self.unlike]
        further += self._describe_turn(key)
        if better is not None:
            if main.fragility is not None:
                code = "compare.undone_by_one" if main.fragility == 1 else "compare.undone"
                further.append(_say(code, count=main.fragility))
            if rerun is not None and here is None:
                of_rerun = _write_numbers(key, rerun, towards_better=True)
                further.insert(0, _say("compare.says_not_here", **of_rerun))
            return [_say("compare.says_better", name=better, **numbers), *further]
        counts: dict[str, Any] = {}
        if main.counts_from is not None:
            counts = {"problems": main.problems[0], "counts": _write_size(key, main.counts_from)}
        if rerun is not None and here is not None and counts:
            of_rerun = _write_numbers(key, rerun, towards_better=True)
            of_rerun["key"] = self.spell(key)
            return [_say("compare.says_here", name=here, **of_rerun, **counts), *further]
        if self.is_equivalent(key):
            said = _say("compare.says_equivalent", margin=self.margin, **both, **numbers)
            return [said, *further]
        said = _say("compare.says_open", **both, **numbers)
        if counts and main.units > 1:
            further.insert(0, _say("compare.counts_from", **counts))
        return [said, *further]

    def _describe_these(self, key: str) -> Iterator[Message]:
        """Say what is known of these problems, which are the target, and then of others like these."""
        pair = self.comparisons[key]
        other = self.others[key]
        name = self.find_better(key)
        numbers = _write_numbers(key, pair, towards_better=name is not None)
        numbers |= {"key": self.spell(key), "problems": pair.problems[0]}
        if name is None:
            both = dict(zip("ab", self.names, strict=True))
            yield _say("compare.says_open_here", **both, **numbers)
        elif other.better is None and other.counts_from is not None:
            counts = _write_size(key, other.counts_from)
            yield _say("compare.says_here", name=name, counts=counts, **numbers)
        else:
            yield _say("compare.says_on_these", name=name, **numbers)
        if name is not None and other.better == pair.better:
            yield _say("compare.says_others", **_write_numbers(key, other, towards_better=True))
        if self.unlike is not None:
            yield self.unlike

    def _describe_turn(self, key: str) -> list[Message]:
        """Say from which k the other model is ahead, where pass@k of several k is compared."""
        on_line = [each for each in self.comparisons if isinstance(each, Key)]
        draws = [each.k or 1 for each in on_line if each.metric == "pass@k"]
        if self.turn is None or key != "pass@1" or max(draws) < self.turn:
            return []
        last = Key("pass@k", max(draws))
        pair = self.comparisons[last]
        if pair.difference * self.comparisons[key].difference >= 0:
            return []
        name = self.names[pair.difference < 0]
        numbers = _write_numbers(last, pair, towards_better=True)
        return [_say("compare.turns", first=self.turn, name=name, **numbers)]

    def describe_bands(self) -> list[list[Message]]:
        """Say of each metric for which k which model is better, and where the first loss can lie after a gain."""
        described = []
        for line, points in self.bands.items():
            said = say_better(points, line, self.names)
            lost = [point.k for point in points if point.better == "b"]
            if points[0].better == "a" and lost:
                first = next(point.k for point in points if point.better != "a")
                said.append(
                    _say("compare.first_loss", name=self.names[0], first=first, last=lost[0])
                )
            described.append(said)
        return described

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the decision, a row for each key, further tests, and the problems that differ most."""
        pairs = self.comparisons.values()
        if self.same or not any(pair.difference or pair.won or pair.lost for pair in pairs):
            lead = Sentences(self.describe(self.main_key), "lead")
            notes = self.notes
            if self.same:
                notes = []
            return Sheet([lead, Sentences(notes, "note")], data=self._data)
        if not short:
            return Sheet([*self._lay_out("metric")], data=self._data)
        lettered = replace(self, names=("A", "B"))  # a terminal has no room for the names of models
        parts = [*lettered._lay_out("")]
        if self.names != lettered.names:
            pairs_of_names = zip("AB", self.names, strict=True)
            letters = [(Cell(letter, style="best"), name) for letter, name in pairs_of_names]
            parts.insert(0, Table(("", "name"), letters, left=2, quiet=True))
        return Sheet(parts, data=self._data)

    def _lay_out(self, corner: str) -> Iterator[Sentences | Table]:
        """Lay out models that differ; `corner` is the head of the first column."""
        main = self.main_key
        twins = find_twins(self.numbers)
        keys = [key for key in self.comparisons if key not in twins]
        yield Sentences(self.describe(main), "lead")
        yield Sentences([" ".join(map(str, band)) for band in self.describe_bands()])
        yield self._lay_out_keys(keys, corner)
        tests = {"equivalent": self.equivalence, **self.extra_tests}
        tests = {name: p for name, p in tests.items() if p}
        if tests:
            rows = []
            for key in keys:
                found = [Cell(p.get(key, nan), form="p") for p in tests.values()]
                rows.append([self.spell(key), *found])
            yield Table((corner, *tests), rows, "p of further tests")
        flips = self.flips.get(main, [])[:_SHOWN_FLIPS]
        if flips:
            shown = [(flip.problem, _write_mean(flip.a), _write_mean(flip.b)) for flip in flips]
            caption = f"Problems that differ most in {self.spell(main)}"
            yield Table(("problem", *self.names), shown, caption)
        yield Sentences(self.notes, "note")

    def _lay_out_keys(self, keys: Sequence[str], corner: str) -> Table:
        """Lay out a row for each key: both values, their difference, its p-value, and how many problems each won."""
        rows = []
        for key in keys:
            pair = self.comparisons[key]
            difference = Cell(pair.difference, (pair.low, pair.high), "+.3f")
            p_value = Cell(self.p_values[key], form="p")
            counts = "–"
            if pair.won is not None:
                counts = f"{pair.won} / {pair.lost} / {pair.tied}"
            means = _write_mean(pair.a), _write_mean(pair.b)
            rows.append((self.spell(key), *means, difference, p_value, counts))
        level = 100 * self.comparisons[keys[0]].confidence_level
        head = (corner, *self.names, f"A − B [{level:g} %]", "p", "won / lost / tied")
        return Table(head, rows, remarks=[Cell(self._remark(key), style="best") for key in keys])

    def _data(self) -> dict[str, Any]:
        keys = {}
        for key, pair in self.comparisons.items():
            keys[key] = {
                **vars(pair),
                "better": pair.better,
                "problem_set": _list_numbers(self.reruns.get(key)),
                "population": _list_numbers(self.others.get(key)),
                "p_equivalence": self.equivalence.get(key),
                **{f"p_{test}": p.get(key) for test, p in self.extra_tests.items()},
                "decision": self._remark(key),
                "flips": list(map(tuple, self.flips.get(key, []))),
            }
        names = ("same", "margin", "unmatched", "target", "turn", "notes")
        further = {name: getattr(self, name) for name in names}
        return {
            "names": self.names,
            "keys": keys,
            "bands": self.bands,
            "noise_floor": self.noise,
            **further,
        }


def _list_numbers(pair: Comparison | None) -> dict[str, Any] | None:
    """Return the decision for the other target, for JSON."""
    if pair is None:
        return None
    names = ("difference", "low", "high", "stderr", "p_value", "p_adjusted", "better")
    return {name: getattr(pair, name) for name in names}


def _write_numbers(key: str, pair: Comparison, *, towards_better: bool) -> dict[str, Any]:
    """Write difference, limits and p-value, with the sign of the better model's lead if there is one."""
    sign = -1 if towards_better and pair.difference < 0 else 1
    points = is_bounded(key)
    ends = (sign * pair.difference, *sorted((sign * pair.low, sign * pair.high)))
    difference, low, high = (_write_difference(end, points=points) for end in ends)
    return {
        "difference": _say("compare.in_points", number=difference) if points else difference,
        "low": low,
        "high": high,
        "p": write_p_in_sentence(pair.p_adjusted),
        "key": str(key),
    }


def _write_size(key: str, size: float) -> Message | str:
    """Write the size of a difference."""
    if is_bounded(key):
        return _say("compare.in_points", number=f"{100 * size:.1f}")
    return f"{size:.4g}"


def _write_mean(value: float) -> Cell:
    return Cell(value, form=".3f")


def _write_difference(value: float, *, points: bool) -> str:
    return (f"{100 * value:+.1f}" if points else f"{value:+.4g}").replace("-", "−")


def write_p_in_sentence(value: float) -> str:
    """Write a p-value for a sentence, with the digits that it has in tables.

    Examples:
        >>> write_p_in_sentence(0.0312), write_p_in_sentence(0.0004)
        ('p = 0.031', 'p < 0.001')
    """
    written = write_p(value)
    if written.startswith("<"):
        return f"p {written}"
    return f"p = {written}"

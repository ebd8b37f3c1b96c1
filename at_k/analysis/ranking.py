"""Rank several models, and find those that may be the best, as far as the data tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.matching import OF_MATCHING, match
from at_k.analysis.measurements import choose_keys, read_models
from at_k.errors import Legend, Message
from at_k.options.registry import RANKING, SCORED, complete, takes
from at_k.report.scoring import map_models
from at_k.results.sheet import Cell, Sentences, Sheet, Table
from at_k.results.writers import Shown
from at_k.summary import is_bounded
from at_k.uncertainty.checks import share_looks
from at_k.uncertainty.comparison import summarize_questions
from at_k.uncertainty.decisions import Comparison
from at_k.uncertainty.questions import Questions

if TYPE_CHECKING:
    from at_k.signatures import RankOptions, Unpack

RANKS = Legend(
    "ranking.order", "A > B where the data show it; models between commas may change places."
)


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Shown):
    """Hold several models in the order of their values, and what is known about that order.

    Attributes:
        names: the models, the one with the highest value first.
        values: the mean of each over the problems.
        pairs: how each two of them compare, the one with the higher value as "a". Their intervals hold together.
        ranks: for each model the first and the last rank that it may have.
        tiers: the models, split where every one before is better than every one after.
        notes: what a reader must know about these values.
    """

    names: tuple[str, ...]
    values: dict[str, float]
    pairs: dict[tuple[str, str], Comparison]
    ranks: dict[str, tuple[int, int]]
    tiers: tuple[tuple[str, ...], ...]
    notes: tuple[Message, ...] = ()

    @property
    def p_values(self) -> dict[tuple[str, str], float]:
        """Return the p-value of each pair, adjusted for all pairs by the step-down distribution of the largest t."""
        return {pair: compared.p_adjusted for pair, compared in self.pairs.items()}

    @property
    def order(self) -> str:
        """Write the order: A > B where the data show it, and commas between models that may change places."""
        return " > ".join(", ".join(tier) for tier in self.tiers)

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the order, the ranks that each model may have, and how each two of them compare."""
        values = []
        for name in self.names:
            low, high = self.ranks[name]
            rank = str(low) if low == high else f"{low}–{high}"
            values.append((name, Cell(self.values[name], form=".3f"), rank))
        pairs = []
        for (a, b), row in self.pairs.items():
            difference = Cell(row.difference, (row.low, row.high), "+.3f")
            pairs.append((f"{a} − {b}", difference, Cell(row.p_adjusted, form="p")))
        level = next(iter(self.pairs.values())).confidence_level
        parts: list[Sentences | Table] = [
            Table(("model", "value", "rank"), values),
            Table(("pair", f"difference [{100 * level:g} %]", "p"), pairs),
            Sentences([RANKS], "legend"),
            Sentences(self.notes, "note"),
        ]
        return Sheet(parts, title=self.order, data=self._data)

    def _data(self) -> dict[str, Any]:
        return {
            "order": self.order,
            "values": self.values,
            "ranks": self.ranks,
            "notes": self.notes,
            "pairs": [{**vars(row), "a": a, "b": b} for (a, b), row in self.pairs.items()],
        }


@takes(RANKING, SCORED)
def rank(models: Any, /, **given: Unpack[RankOptions]) -> Ranking:
    """Rank several models on the same problems by one number, as far as the data allow.

    Args:
        models: name → a report, a file, a data set, or key → problem → value, as of `compare`; or a list of paths,
            which name the models. They are ranked by pass@1, unless `metrics` names another number.
        given: see below.

    Returns:
        The models in order, all pairs with p-values adjusted for each other (step-down max-T), and the ranks that are
        possible.

    Raises:
        InputError: as `compare`.
        ValueError: as `compare`; also if there are fewer than two models.

    Examples:
        >>> models = {"x": {"grades": [[1, 1]] * 9}, "y": {"grades": [[0, 1]] * 9}, "z": {"grades": [[0, 0]] * 9}}
        >>> rank(models, metrics="pass_at_k", k=1).order
        'x > y > z'
    """
    options, looks = share_looks(complete(given, rank))
    models = map_models(models)
    if len(models) < 2:
        raise ValueError(f"`models` must hold at least two models; got {len(models)}")
    measured = read_models({f"models[{name!r}]": data for name, data in models.items()}, given)
    key, *others = choose_keys(options["metrics"] or "pass@1", measured)
    if others:
        raise ValueError(
            f"`metrics` must name one number to rank by, such as {key!r}; got {1 + len(others)}"
        )
    given_names = tuple(map(str, models))
    matched = match(
        measured, given_names, unmatched=options["unmatched"], clusters=options["clusters"]
    )
    columns = dict(zip(given_names, matched.values(key), strict=True))
    means = {name: float(column.mean()) for name, column in columns.items()}
    # Models of equal value stay in the order given
    names = sorted(columns, key=lambda name: -means[name])
    places = [given_names.index(name) for name in names]
    questions = Questions(
        np.stack([columns[name] for name in names], axis=1),
        pairs=list(combinations(range(len(names)), 2)),
        bounded=is_bounded(key),
        clusters=matched.codes,
        factor=[matched.find_factor(a, b) for a, b in combinations(places, 2)],
        seed=options["seed"],
    )
    sides = list(combinations([means[name] for name in names], 2))
    compared = summarize_questions(questions, sides, options["confidence_level"])
    pairs = dict(zip(combinations(names, 2), compared, strict=True))
    beats = {pair for pair, compared in pairs.items() if compared.better}
    lost = Counter(worse for _, worse in beats)
    won = Counter(better for better, _ in beats)
    ranks = {name: (1 + lost[name], len(names) - won[name]) for name in names}
    notes = looks
    if matched.unlike_samples is not None:
        notes.append(matched.unlike_samples)
    notes += [note for note in matched.note([key]) if note.code not in OF_MATCHING]
    ordered = {name: means[name] for name in names}
    tiers = tuple(_split_tiers(names, beats))
    return Ranking(tuple(names), ordered, pairs, ranks, tiers, tuple(notes))


def _split_tiers(names: Sequence[str], beats: set[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Split models in order where every one before is better than every one after."""
    tier: list[str] = []
    for place, name in enumerate(names):
        if tier and beats.issuperset(product(names[:place], names[place:])):
            yield tuple(tier)
            tier = []
        tier.append(name)
    yield tuple(tier)

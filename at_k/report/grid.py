"""Show the values of a report as a sheet: metrics down, k across, groups below; and list them for programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, groupby
from math import isfinite, isnan
from os.path import basename, commonpath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats
from at_k.errors import Legend, Message, Phrases, quote_word
from at_k.family import OUTPUTS
from at_k.readers.samples import Origin
from at_k.report.data import Numbers
from at_k.report.naming import name_lines
from at_k.results.sheet import Cell, Sentences, Sheet, Table, split_notes
from at_k.uncertainty.standard_errors import CostPerSuccess
from at_k.values import ErrorBar, Key, cached_property

# The label of the group of all problems.
ALL = "all"


@dataclass(frozen=True)
class Block:
    """The part of a grid that holds the values of all problems, of a group, or of a model.

    Attributes:
        label: the group, or the model.
        size: the number of problems.
        values: key → value.
        bars: key → its interval.
        names: line → what its row is called; None if each line has a row of its own name.
    """

    label: str
    size: int
    values: Mapping[Key, float]
    bars: Mapping[Key, ErrorBar]
    names: Mapping[Key, Key] | None = None

    @cached_property
    def lines(self) -> dict[Key, dict[int | None, Key]]:
        """Return the rows of the block: for each line, column → key. The column is k, or None for what has no k."""
        lines: dict[Key, dict[int | None, Key]] = {}
        for key in list(filter(is_shown, self.values)) or self.values:
            line = Key(key.metric, None, key.tau)
            lines.setdefault(line if self.names is None else self.names[line], {})[key.draws] = key
        return lines


def is_shown(key: Key) -> bool:
    """Return whether tables show a number beside others: not mG-Pass@1, which is 0 for any data."""
    return key.k != 1 or not OUTPUTS[key.metric].even_k


def list_blocks(report: Numbers) -> list[Block]:
    """List the blocks of a report: all problems, and then each group."""
    whole = ALL
    if ALL in report.groups:
        whole = f"({ALL})"
    names = name_lines(report.options, report.values)
    of_groups = [
        Block(label, report.sizes[label], values, report.group_intervals.get(label, {}), names)
        for label, values in report.groups.items()
    ]
    return [Block(whole, len(report), report.values, report.intervals, names), *of_groups]


def describe_size(report: Numbers) -> str:
    """Say how many problems and samples a report is about: "100 problems × 8 samples"."""
    fewest = min(report.n)
    most = max(report.n)
    if fewest == most:
        n = f"{most:,}"
    else:
        n = f"{fewest:,}–{most:,}"
    return f"{len(report):,} problem{'s' * (len(report) != 1)} × {n} sample{'s' * (n != '1')}"


def make_cell(value: float | None, bar: ErrorBar | None, style: str = "") -> Cell:
    """Make the cell of a value; an empty one for None."""
    return Cell(
        value,
        None if bar is None or value is None else (bar.low, bar.high),
        "estimate",
        style=style,
    )


def make_cost_cell(cost: CostPerSuccess) -> Cell:
    """Make the cell of what a correct sample costs; without an interval where it has no upper end."""
    return Cell(cost.value, (cost.low, cost.high) if isfinite(cost.high) else None, ".4g")


def tabulate_shares(reports: Mapping[str, Numbers]) -> tuple[list[str], list[str], Floats]:
    """Return models and problems, both from the best down, and the share right of each; NaN if it was not given."""
    names = list(dict.fromkeys(name for report in reports.values() for name in report.problems))
    places = {name: place for place, name in enumerate(names)}
    table = np.full((len(reports), len(names)), np.nan)
    for row, report in zip(table, reports.values(), strict=True):
        row[[places[name] for name in report.problems]] = np.divide(report.c, report.n)
    rows, columns = (_sort_down(np.nanmean(table, axis)) for axis in (1, 0))
    models = list(reports)
    best = [models[row] for row in rows]
    return best, [names[column] for column in columns], table[np.ix_(rows, columns)]


def _sort_down(means: Floats) -> NDArray[np.intp]:
    # Means that differ by rounding are equal, and keep their order.
    return np.argsort(-np.round(means, 12), kind="stable")


# Pixels of a picture of shares: the width of all problems, the height of a model, room for names; most problems.
_WIDE, _HIGH, _LEFT, _MOST = 720, 16, 160, 1000


def draw_shares(reports: Mapping[str, Numbers]) -> str:
    """Draw the share right of each problem and model as SVG, both from the best down; names appear on hover."""
    # There is no picture of one model, of more than a thousand problems, or of samples that stopped.
    if len(reports) < 2 or any(
        run.times is not None or run.stopped or len(run) > _MOST for run in reports.values()
    ):
        return ""
    models, problems, table = tabulate_shares(reports)
    wide = _WIDE / len(problems)
    drawn = []
    for row, model in enumerate(models):
        drawn.append(
            f'<text x="{_LEFT - 6}" y="{(row + 0.75) * _HIGH:g}" text-anchor="end">{escape(model)}</text>'
        )
        left = float(_LEFT)
        given = {
            name: share
            for name, share in zip(problems, table[row].tolist(), strict=True)
            if not isnan(share)
        }
        for right, grouped in groupby(problems, given.get):
            names = list(grouped)
            named = ", ".join(names[:8]) + (f", … ({len(names)})" if len(names) > 8 else "")
            shade = "none"
            if right is not None:
                shade = f"hsl(0 0% {95 - 90 * right:.0f}%)"
            text = "not given"
            if right is not None:
                text = f"{right:.0%}"
            drawn.append(
                f'<rect x="{left:.2f}" y="{row * _HIGH}" width="{len(names) * wide:.2f}" height="{_HIGH - 1}" '
                f'fill="{shade}"><title>{escape(f"{model} · {named}: {text}")}</title></rect>'
            )
            left += len(names) * wide
    size = f"0 0 {_LEFT + _WIDE} {len(models) * _HIGH}"
    caption = (
        f"{len(models)} models × {len(problems)} problems, both from the best down; "
        "black: always right, white: never"
    )
    return (
        f'<figure><svg viewBox="{size}" width="100%" role="img" font-size="11" fill="currentColor">{"".join(drawn)}'
        f"</svg><figcaption>{caption}</figcaption></figure>"
    )


# The sheet of a report

# Two shares that differ by less are the same number, computed in two ways.
_SAME = 1e-12

_say = Phrases(
    {
        "report.twins": "The same number as {key}: {keys}.",
        "report.no_other": "With one sample of each problem, all numbers are this one. A larger k "
        "needs more samples.",
    }
)

# Up to this number of columns, the table of groups has all of them.
_FEW = 4


def show_report(report: Numbers, *, short: bool) -> Sheet:
    """Show metrics down and k across, groups below, and what a reader of the numbers should know."""
    # The short form, for a terminal, begins with what was read, and shows the first and the last k of groups alone.
    blocks = list_blocks(report)
    size = describe_size(report)
    title = ""
    if short:
        title = " · ".join([describe_source(report.source), *_name_harness(report.origin), size])
    notes = list(report.notes)
    if is_single(report.values):
        notes += note_twins({key: [value] for key, value in report.values.items()})
    for key, error in report.errors.items():
        notes.append(
            Message(
                "note.simulated",
                "{key} is simulated; the standard error of the simulation is {error}.",
                key=str(key),
                error=f"{error:.2g}",
            )
        )
    main = ", ".join(f"{key} = {report.values[key]:.3f}" for key in _choose_main(blocks[0]))
    missed = Sentences(report.missed, "legend")
    return Sheet(
        [*_lay_out_report(report, blocks, short), *split_notes(notes), missed],
        title,
        data=lambda: spell_report(report),
        rows=lambda: list_rows({"": report}),
        name=f"{size}: {main}",
    )


def _name_harness(origin: Origin | None) -> list[str]:
    if origin is None or origin.harness == "plain":
        return []
    return [" ".join(filter(None, [origin.harness, origin.version]))]


def _lay_out_report(
    report: Numbers, blocks: Sequence[Block], short: bool
) -> Iterator[Sentences | Table]:
    """Lay out the tables of a report, in the short form after the facts of its origin."""
    if short and report.origin is not None:
        yield Sentences(_list_facts(report.origin), "fact")
    if not short:
        yield _lay_out_all(blocks) if report.groups else _lay_out(blocks[0], "metric")
    elif report.groups:
        yield _lay_out(blocks[0], "", f"{blocks[0].label} ({blocks[0].size:,})")
    else:
        yield _lay_out(blocks[0], "")
    if report.audited:
        yield _lay_out_audit(report)
    if short and report.groups:
        yield from _lay_out_groups(report, blocks)


def _lay_out(block: Block, corner: str, caption: str = "") -> Table:
    """Lay out metrics down and k across; `corner` is the head of the first column."""
    lines = lay_out_lines(block)
    draws = sorted(set(chain.from_iterable(lines.values())))
    rows = [[str(line), *_fill_row(block, cells, draws)] for line, cells in lines.items()]
    return Table([corner, *map("k = {}".format, draws)], rows, caption, stacked=True)


def _lay_out_all(blocks: Sequence[Block]) -> Table:
    """Lay out the rows of `_lay_out` for all problems, and for those of each group."""
    lines = [lay_out_lines(block) for block in blocks]
    draws = sorted({k for found in lines for cells in found.values() for k in cells})
    rows = []
    for block, found in zip(blocks, lines, strict=True):
        for line, cells in found.items():
            row = _fill_row(block, cells, draws)
            rows.append([block.label, str(block.size), str(line), *row])
    head = ["group", "problems", "metric", *map("k = {}".format, draws)]
    return Table(head, rows, left=3, stacked=True)


def _fill_row(block: Block, cells: Mapping[int, Key], draws: Sequence[int]) -> list[Cell | None]:
    """Make the cell of each k, empty where the line has no number."""
    row: list[Cell | None] = [None] * len(draws)
    for place, k in enumerate(draws):
        if k in cells:
            row[place] = make_cell(block.values[cells[k]], block.bars.get(cells[k]))
    return row


def _lay_out_audit(report: Numbers) -> Table:
    """Lay out the checker's value and the audited one of each number."""
    rows = []
    for key in find_shown(report.values):
        name = f"{key}_audited"
        if name in report.audited:
            checked = make_cell(report.values[key], report.intervals.get(key))
            audited = make_cell(report.audited[name], report.audited_intervals.get(name))
            rows.append([str(key), checked, audited])
    return Table(["", "checker", "audited"], rows)


def lay_out_lines(block: Block) -> dict[Key, dict[int, Key]]:
    """Return the rows of a table: for each line, its keys by k. An average is at k = 1, and comes first."""
    values = find_shown(block.values)
    averages: dict[Key, dict[int, Key]] = {}
    others: dict[Key, dict[int, Key]] = {}
    for line, keys in block.lines.items():
        cells = {k or 1: key for k, key in keys.items() if key in values}
        if None in keys and keys[None] in values:
            averages[line] = cells
        elif cells:
            others[line] = cells
    return averages | others


def find_shown(values: Mapping[Key, float]) -> dict[Key, float]:
    """Find the values that a table shows: a mean grade only where it is not avg@n, and at k = 1 each number once."""
    average = next((value for key, value in values.items() if key.metric == "avg@n"), None)
    shown = dict(values)
    for key, value in values.items():
        if key.metric == "accuracy" and average is not None and not abs(value - average) > _SAME:
            del shown[key]
    if is_single(values):
        twins = find_twins({key: [value] for key, value in shown.items()})
        return {key: value for key, value in shown.items() if key not in twins}
    return shown


def is_single(keys: Iterable[Key]) -> bool:
    """Return whether all numbers are about one sample of each problem."""
    return all(key.draws in (None, 1) for key in keys)


def find_main(keys: Collection[str]) -> str:
    """Return the main key: pass@1, or else the first one."""
    return next((key for key in keys if key == "pass@1"), next(iter(keys)))


def find_twins(numbers: Mapping[str, Sequence[float]]) -> list[str]:
    """Find the keys at k = 1 that have the numbers of the main key under other names, as avg@8 has those of pass@1."""
    main = find_main(numbers)
    return [
        key
        for key, own in numbers.items()
        if isinstance(key, Key) and key.draws in (None, 1) and key != main
        if np.allclose(own, numbers[main], 0, _SAME, equal_nan=True)
    ]


def note_twins(numbers: Mapping[str, Sequence[float]]) -> Iterator[Message]:
    """Say which keys are not shown, since their numbers are those of the main one."""
    main = find_main(numbers)
    twins = find_twins(numbers)
    if twins:
        yield _say("report.twins", key=str(main), keys=", ".join(twins))
        same = (main, *twins)
        if "avg@1" in same and all(
            key in same or (isinstance(key, Key) and not is_shown(key)) for key in numbers
        ):
            yield _say("report.no_other")


def _lay_out_groups(report: Numbers, blocks: Sequence[Block]) -> Iterator[Table | Sentences]:
    """Lay out a row for each group: all numbers if they are few, else the first and the last of the main ones."""
    keys = list(find_shown(report.values))
    is_part = len(keys) > _FEW
    if is_part:
        keys = _choose_main(blocks[0])
    rows = []
    for block in blocks[1:]:
        cells = [make_cell(block.values[key], block.bars.get(key)) for key in keys]
        rows.append([block.label, Cell(block.size, form=","), *cells])
    yield Table(["group", "problems", *keys], rows)
    if is_part:
        yield Sentences([MORE_BY_GROUP], "legend")


def _choose_main(block: Block) -> list[Key]:
    """Choose two numbers that represent all: the first one, and pass@k at the largest k."""
    lines = lay_out_lines(block)
    first = next(iter(lines.values()))
    main = lines.get(Key("pass@k"), first)
    return list(dict.fromkeys([first[min(first)], main[max(main)]]))


MORE_BY_GROUP = Legend(
    "report.more_by_group",
    "The other numbers of each group are in the forms markdown, html, csv and json.",
)


def _list_facts(origin: Origin) -> list[str]:
    """Say of what the results are, which columns were read, and what was chosen."""
    columns = {role: column for role, column in origin.roles.items() if column is not None}
    facts = {"of": origin.subject, "columns": columns, "chosen": origin.chosen}
    lines = []
    for fact, pairs in facts.items():
        words = [quote_word(f"{name}={value}") for name, value in pairs.items()]
        if words:
            lines.append(f"{fact:9}{', '.join(words)}")
    return lines


def describe_source(source: str | Sequence[str] | None) -> str:
    """Name the files of a report in a few words.

    Examples:
        >>> describe_source("runs/a.eval"), describe_source(["runs/a.eval", "runs/b.eval"])
        ('a.eval', '2 paths in runs')
    """
    if source is None:
        return "data in memory"
    if isinstance(source, str):
        paths = [source]
    else:
        paths = list(source)
    if len(paths) == 1:
        if paths[0].startswith("/dev/"):
            return paths[0]
        return basename(paths[0].rstrip("/")) or paths[0]
    try:
        folder = commonpath(paths)
    except ValueError:  # some paths are absolute and others are not
        folder = ""
    return f"{len(paths)} paths" + (f" in {folder}" if folder else "")


# Numbers for programs

# The columns of the table of rows.
COLUMNS = ["group", "problems", "metric", "k", "tau", "key", "value"]

# Further columns, if there are intervals.
BARS = ["stderr", "ci_low", "ci_high"]


def list_rows(reports: Mapping[str, Numbers]) -> Table:
    """List a row for each value of each group of each report, in full precision; the one report may have no name."""
    rows = []
    for name, report in reports.items():
        for block in list_blocks(report):
            place = (name, block.label, block.size)
            for key, value in block.values.items():
                rows.append(_list_row(place, key, str(key), value, block.bars.get(key)))
    for name, report in reports.items():
        for key in report.values:
            label = f"{key}_audited"
            if label in report.audited:
                place = name, ALL, len(report)
                bar = report.audited_intervals.get(label)
                rows.append(_list_row(place, key, label, report.audited[label], bar))
    has_bars = any(report.intervals for report in reports.values())
    shown = slice("" in reports, None if has_bars else -len(BARS))
    return Table(["model", *COLUMNS, *BARS][shown], [row[shown] for row in rows])


def _list_row(
    place: Sequence[Any], key: Key, label: str, value: float, bar: ErrorBar | None
) -> list[Any]:
    """List a row of all columns: where a number is from, what it is, and its error bar."""
    tau = None if key.tau is None else str(key.tau)
    ends = [None] * len(BARS) if bar is None else bar[: len(BARS)]
    return [*place, key.metric, key.k, tau, label, value, *ends]


def spell_report(report: Numbers) -> dict[str, Any]:
    """Return the report without the values of each problem, as plain data."""
    audited = {}
    if report.audited:
        intervals = _spell_bars(report.audited_intervals)
        audited = {"audited": report.audited, "audited_intervals": intervals}
    groups = {label: _spell_bars(bars) for label, bars in report.group_intervals.items()}
    return {
        "source": report.source,
        "values": dict(report.values),
        "groups": report.groups,
        "intervals": _spell_bars(report.intervals),
        "group_intervals": groups,
        "errors": dict(report.errors),
        **audited,
        "n_problems": len(report),
        "n_samples": report.n_samples,
        "n_missing": report.n_missing,
        "origin": None if report.origin is None else report.origin.to_dict(),
        "left_out": report.left_out,
        "notes": report.notes,
        "signatures": report.signatures,
    }


def _spell_bars(bars: Mapping[Any, ErrorBar]) -> dict[str, dict[str, float | None]]:
    return {
        str(key): {"stderr": bar.stderr, "low": bar.low, "high": bar.high}
        for key, bar in bars.items()
    }

"""Show the values of a report as a sheet: metrics down, k across, groups below; and list them for programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import isfinite, isnan
from os.path import basename, commonpath
from typing import Any

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import Legend, Message, Phrases, quote_word
from at_k.family import OUTPUTS
from at_k.readers.samples import Origin
from at_k.report.data import Numbers
from at_k.report.naming import name_lines
from at_k.results.sheet import Cell, Sentences, Sheet, Table
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
    whole, names = (
        ALL if ALL not in report.groups else f"({ALL})",
        name_lines(report.options, report.values),
    )
    of_groups = [
        Block(label, report.sizes[label], values, report.group_intervals.get(label, {}), names)
        for label, values in report.groups.items()
    ]
    return [Block(whole, len(report), report.values, report.intervals, names), *of_groups]


def describe_size(report: Numbers) -> str:
    """Say how many problems and samples a report is about: "100 problems × 8 samples"."""
    fewest, most = min(report.n), max(report.n)
    n = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
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
    known = [
        dict(zip(report.problems, np.divide(report.c, report.n), strict=True))
        for report in reports.values()
    ]
    names = list(dict.fromkeys(problem for shares in known for problem in shares))
    table = np.array([[shares.get(problem, np.nan) for problem in names] for shares in known])
    # Means that differ by rounding are equal, and keep their order.
    rows, columns = (
        np.argsort(-np.round(np.nanmean(table, axis), 12), kind="stable") for axis in (1, 0)
    )
    models = list(reports)
    return (
        [models[row] for row in rows],
        [names[column] for column in columns],
        table[np.ix_(rows, columns)],
    )


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
            shade = "none" if right is None else f"hsl(0 0% {95 - 90 * right:.0f}%)"
            text = "not given" if right is None else f"{right:.0%}"
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
        "report.no_other": "With one sample of each problem, all numbers are this one. A larger k needs more samples.",
    }
)

# Up to this number of columns, the table of groups has all of them.
_FEW = 4


def show_report(report: Numbers, *, short: bool) -> Sheet:
    """Show metrics down and k across, groups below, and what a reader of the numbers should know."""
    # The short form, for a terminal, begins with what was read, and shows the first and the last k of groups alone.
    blocks, size = list_blocks(report), describe_size(report)
    of_groups = bool(report.groups)
    harness = (
        []
        if report.origin is None or report.origin.harness == "plain"
        else [" ".join(filter(None, [report.origin.harness, report.origin.version]))]
    )
    title = " · ".join([describe_source(report.source), *harness, size])
    main = _lay_out(
        blocks,
        f"{blocks[0].label} ({blocks[0].size:,})" if short and of_groups else "",
        of_groups,
        short,
    )
    notes = [note for note in report.notes if not isinstance(note, Legend)]
    notes += (
        note_twins({key: [value] for key, value in report.values.items()})
        if is_single(report.values)
        else []
    )
    notes += [
        Message(
            "note.simulated",
            "{key} is simulated; the standard error of the simulation is {error}.",
            key=str(key),
            error=f"{error:.2g}",
        )
        for key, error in report.errors.items()
    ]
    return Sheet(
        [
            part
            for part in (
                *(
                    [Sentences(_list_facts(report.origin), "fact")]
                    if short and report.origin is not None
                    else []
                ),
                main,
                *([_lay_out_audit(report)] if report.audited else []),
                *(_lay_out_groups(report, blocks) if short and of_groups else ()),
                Sentences([note for note in report.notes if isinstance(note, Legend)], "legend"),
                Sentences(notes, "note"),
                Sentences(report.missed, "legend"),
            )
            if isinstance(part, Table) or part.said
        ],
        title if short else "",
        data=lambda: spell_report(report),
        rows=lambda: list_rows({"": report}),
        name=f"{size}: {', '.join(f'{key} = {report.values[key]:.3f}' for key in _choose_main(blocks[0]))}",
    )


def _lay_out(blocks: Sequence[Block], caption: str, grouped: bool, short: bool) -> Table:
    """Lay out metrics down and k across: of all problems, or with a row for each line of each group."""
    shown = blocks[:1] if short else blocks
    lines = [lay_out_lines(block) for block in shown]
    draws = sorted({k for row in lines for cells in row.values() for k in cells})
    named = grouped and not short
    rows = [
        [
            *([block.label, str(block.size)] if named else []),
            str(line),
            *(
                make_cell(block.values[row[k]], block.bars.get(row[k])) if k in row else None
                for k in draws
            ),
        ]
        for block, cells in zip(shown, lines, strict=True)
        for line, row in cells.items()
    ]
    head = [
        *(["group", "problems"] if named else []),
        "" if short else "metric",
        *(f"k = {k}" for k in draws),
    ]
    return Table(head, rows, caption, left=3 if named else 1, stacked=True)


def _lay_out_audit(report: Numbers) -> Table:
    """Lay out the checker's value and the audited one of each number."""
    rows = [
        [
            str(key),
            make_cell(report.values[key], report.intervals.get(key)),
            make_cell(
                report.audited[f"{key}_audited"], report.audited_intervals.get(f"{key}_audited")
            ),
        ]
        for key in find_shown(report.values)
        if f"{key}_audited" in report.audited
    ]
    return Table(["", "checker", "audited"], rows)


def lay_out_lines(block: Block) -> dict[Key, dict[int, Key]]:
    """Return the rows of a table: for each line, its keys by k. An average is at k = 1, and comes first."""
    values = find_shown(block.values)
    lines = {
        line: {k: key for k, key in keys.items() if key in values}
        for line, keys in block.lines.items()
    }
    ordered = sorted(
        (line for line in lines if lines[line]), key=lambda line: None not in lines[line]
    )
    return {line: {k or 1: key for k, key in lines[line].items()} for line in ordered}


def find_shown(values: Mapping[Key, float]) -> dict[Key, float]:
    """Find the values that a table shows: a mean grade only where it is not avg@n, and at k = 1 each number once."""
    average = next((value for key, value in values.items() if key.metric == "avg@n"), None)
    shown = {
        key: value
        for key, value in values.items()
        if key.metric != "accuracy" or average is None or abs(value - average) > _SAME
    }
    twins = find_twins({key: [value] for key, value in shown.items()})
    return (
        {key: value for key, value in shown.items() if key not in twins}
        if is_single(values)
        else shown
    )


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
    main, twins = find_main(numbers), find_twins(numbers)
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
    keys = _choose_main(blocks[0]) if is_part else keys
    rows = [
        [
            block.label,
            Cell(block.size, form=","),
            *(make_cell(block.values[key], block.bars.get(key)) for key in keys),
        ]
        for block in blocks[1:]
    ]
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
    return [
        f"{fact:9}{', '.join(quote_word(f'{name}={value}') for name, value in pairs.items())}"
        for fact, pairs in facts.items()
        if pairs
    ]


def describe_source(source: str | Sequence[str] | None) -> str:
    """Name the files of a report in a few words.

    Examples:
        >>> describe_source("runs/a.eval"), describe_source(["runs/a.eval", "runs/b.eval"])
        ('a.eval', '2 paths in runs')
    """
    if source is None:
        return "data in memory"
    paths = [source] if isinstance(source, str) else list(source)
    if len(paths) == 1:
        return (
            paths[0] if paths[0].startswith("/dev/") else basename(paths[0].rstrip("/")) or paths[0]
        )
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
    is_named, has_bars = "" not in reports, any(report.intervals for report in reports.values())
    rows = [
        [
            *([name] if is_named else []),
            block.label,
            block.size,
            key.metric,
            key.k,
            None if key.tau is None else str(key.tau),
            str(key),
            value,
            *(
                (block.bars[key][:3] if key in block.bars else [None] * len(BARS))
                if has_bars
                else ()
            ),
        ]
        for name, report in reports.items()
        for block in list_blocks(report)
        for key, value in block.values.items()
    ]
    rows += [
        [
            *([name] if is_named else []),
            ALL,
            len(report),
            key.metric,
            key.k,
            None if key.tau is None else str(key.tau),
            f"{key}_audited",
            report.audited[f"{key}_audited"],
            *(report.audited_intervals.get(f"{key}_audited", (None,) * 3)[:3] if has_bars else ()),
        ]
        for name, report in reports.items()
        for key in report.values
        if f"{key}_audited" in report.audited
    ]
    return Table([*(["model"] if is_named else []), *COLUMNS, *(BARS if has_bars else ())], rows)


def spell_report(report: Numbers) -> dict[str, Any]:
    """Return the report without the values of each problem, as plain data."""
    return {
        "source": report.source,
        "values": dict(report.values),
        "groups": report.groups,
        "intervals": _spell_bars(report.intervals),
        "group_intervals": {
            label: _spell_bars(bars) for label, bars in report.group_intervals.items()
        },
        "errors": dict(report.errors),
        **(
            {"audited": report.audited, "audited_intervals": _spell_bars(report.audited_intervals)}
            if report.audited
            else {}
        ),
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
